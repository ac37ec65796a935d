"""seqeval 1.2.2 as the peer: the same numbers and the same table on valid and on broken sequences of tags."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import seqeval.metrics as peer
import seqeval.scheme
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities as peer_entities
from seqeval.metrics.sequence_labeling import precision_recall_fscore_support as peer_support
from seqeval.metrics.v1 import precision_recall_fscore_support as peer_strict_support

from assay import spans
from assay.formats.schemes import SCHEMES, find_scheme

LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOE1": "IE", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}
LABELS = ("A", "B", "A-B", "_")
SCORES = ("precision_score", "recall_score", "f1_score")
AVERAGES = ("micro", "macro", "weighted", None)

Sentences = list[list[str]]


def quietly(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What the peer gives, without its warnings about tags and divisions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **options)


def as_plain(report: dict[str, Any]) -> dict[str, dict[str, float]]:
    return {name: {key: float(value) for key, value in row.items()} for name, row in report.items()}


@st.composite
def pairs(draw: st.DrawFn, tags: list[str]) -> tuple[Sentences, Sentences]:
    """Tags of gold and a system, one as likely as another; the system agrees often enough to be right at times."""
    tag = st.sampled_from(tags)
    gold = draw(st.lists(st.lists(tag, min_size=1, max_size=8), min_size=1, max_size=5))
    system = [[draw(st.one_of(st.just(one), st.just(one), tag)) for one in sentence] for sentence in gold]
    return gold, system


def tags_of(letters: str) -> list[str]:
    return ["O", "O", *(f"{letter}-{label}" for letter in letters for label in LABELS)]


def agrees(gold: Sentences, system: Sentences, theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    """All scores and averages are the same to the last digit, and so is the table."""
    for name in SCORES:
        for average in AVERAGES:
            expected = quietly(getattr(peer, name), gold, system, average=average, **theirs)
            found = getattr(spans, name)(gold, system, average=average, **ours)
            np.testing.assert_array_equal(found, expected, err_msg=f"{name} {average}")
    for zero in (0, 1):
        options = {"zero_division": zero, "output_dict": True}
        expected = as_plain(quietly(peer.classification_report, gold, system, **options, **theirs))
        found = spans.classification_report(gold, system, **options, **ours)
        assert isinstance(found, dict)
        assert list(found) == list(expected)
        np.testing.assert_equal(found, expected)
    if len(expected) > len(AVERAGES[:3]):
        # Without any span the peer has no table.
        for digits in (2, 14):
            assert spans.classification_report(gold, system, digits=digits, **ours) == quietly(
                peer.classification_report, gold, system, digits=digits, **theirs
            )


# --- the lenient reading ---


@pytest.mark.parametrize("letters", sorted(set(LETTERS.values())))
@given(data=st.data())
def test_the_lenient_mode_has_seqevals_numbers_on_any_sequence_of_tags(letters, data):
    gold, system = data.draw(pairs(tags_of(letters)))
    agrees(gold, system, {}, {})


ODD = [
    "O",
    "B",
    "I",
    "E",
    "S",
    "X",
    ".",
    "PER",
    "B-",
    "I-",
    "E-",
    "S-",
    "M-A",
    "W-A",
    "L-A",
    "U-A",
    "-",
    "B--A",
    "O-A",
]


@given(pairs(ODD))
def test_the_lenient_mode_reads_strange_tags_as_seqeval_does(pair):
    gold, system = pair
    agrees(gold, system, {}, {})
    assert spans.get_entities(gold) == quietly(peer_entities, gold)
    assert spans.get_entities(gold[0]) == quietly(peer_entities, gold[0])


@given(pairs(["O", "A-B", "A-I", "B-I", "B-B", "A-E", "A-S", "B", "-B", "PER", "A-B-I", "I-"]))
def test_suffixes_are_read_as_seqeval_reads_them(pair):
    gold, system = pair
    agrees(gold, system, {"suffix": True}, {"suffix": True})
    assert spans.get_entities(gold, suffix=True) == quietly(peer_entities, gold, suffix=True)


@st.composite
def bilou_pairs(draw: st.DrawFn) -> tuple[Sentences, Sentences]:
    """Whole spans in BILOU, which seqeval's default mode takes for something else: it knows B, I, E and S alone."""
    spans_of = st.tuples(st.integers(0, 4), st.sampled_from(("PER", "LOC")))

    def tags(pieces: list[tuple[int, str]]) -> list[str]:
        shapes = ["O", "U", "BL", "BIL", "BIIL"]
        return [tag if tag == "O" else f"{tag}-{label}" for size, label in pieces for tag in shapes[size]]

    gold = [
        tags(pieces) for pieces in draw(st.lists(st.lists(spans_of, min_size=1, max_size=6), min_size=1, max_size=4))
    ]
    system = [(tags(draw(st.lists(spans_of, max_size=6))) + ["O"] * len(one))[: len(one)] for one in gold]
    return gold, system


@given(bilou_pairs())
def test_bilou_in_the_default_mode_has_seqevals_numbers(pair):
    agrees(*pair, {}, {})


@given(pairs(tags_of("BI")), st.sampled_from((0, 0.5, 1, 2, 3.7, float("inf"))), st.sampled_from(AVERAGES))
def test_beta_and_weights_of_one_have_seqevals_numbers(pair, beta, average):
    gold, system = pair
    options = {"average": average, "beta": beta}
    for theirs, ours in (
        (quietly(peer_support, gold, system, **options), {}),
        (
            quietly(peer_strict_support, gold, system, **options, scheme=seqeval.scheme.IOB2),
            {"mode": "strict", "scheme": "IOB2"},
        ),
    ):
        for more in ({}, {"sample_weight": [1] * len(gold)}):
            found = spans.precision_recall_fscore_support(gold, system, **options, **ours, **more)
            for value, expected in zip(found, theirs, strict=True):
                np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize(
    ("gold", "system", "options"),
    [
        ([["O"]], [["O"], ["O"]], {}),
        ([["O"]], [["O", "O"]], {}),
        ([["O"]], [["O"]], {"average": "samples"}),
        ([["O"]], [["S-A"]], {"mode": "strict", "scheme": seqeval.scheme.IOB2}),
        ([["B-A"]], [["L-A"]], {"mode": "strict", "scheme": seqeval.scheme.IOBES}),
    ],
)
@pytest.mark.parametrize("name", SCORES)
def test_what_seqeval_refuses_is_a_value_error_here_too(name, gold, system, options):
    for module in (peer, spans):
        with pytest.raises(ValueError):
            quietly(getattr(module, name), gold, system, **options)


# --- the strict reading ---


@pytest.mark.parametrize("scheme", LETTERS)
@given(data=st.data())
def test_the_strict_mode_has_seqevals_numbers_on_any_sequence_of_tags(scheme, data):
    gold, system = data.draw(pairs([*tags_of(LETTERS[scheme]), f"{LETTERS[scheme][0]}-A-", LETTERS[scheme]]))
    theirs = getattr(seqeval.scheme, scheme)
    agrees(gold, system, {"mode": "strict", "scheme": theirs}, {"mode": "strict", "scheme": scheme})


@given(pairs(["O", "A-B", "A-I", "B-I", "B-B", "I", "A-B-I"]))
def test_suffixes_are_read_strictly_as_seqeval_reads_them(pair):
    gold, system = pair
    theirs = {"mode": "strict", "scheme": seqeval.scheme.IOB2, "suffix": True}
    agrees(gold, system, theirs, theirs)


@pytest.mark.parametrize("scheme", LETTERS)
def test_a_large_corpus_of_each_scheme_has_seqevals_numbers(scheme):
    rng = np.random.default_rng(7)
    tags = tags_of(LETTERS[scheme])
    lengths = rng.integers(1, 30, size=80)
    gold = [rng.choice(tags, size=length).tolist() for length in lengths]
    system = [[one if rng.random() < 0.8 else str(rng.choice(tags)) for one in sentence] for sentence in gold]
    agrees(gold, system, {}, {})
    theirs = getattr(seqeval.scheme, scheme)
    agrees(gold, system, {"mode": "strict", "scheme": theirs}, {"mode": "strict", "scheme": theirs})


def test_seqevals_schemes_are_all_known_here():
    assert {find_scheme(scheme).name for scheme in LETTERS} < set(SCHEMES)


@given(pairs(tags_of("BI")))
def test_accuracy_is_seqevals(pair):
    gold, system = pair
    assert spans.accuracy_score(gold, system) == peer.accuracy_score(gold, system)
    assert spans.accuracy_score(gold[0], system[0]) == peer.accuracy_score(gold[0], system[0])
