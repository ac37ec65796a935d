"""What holds for every measure of every task, whatever it measures."""

from __future__ import annotations

import copy
import math
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import assay
from assay import Result
from assay.corpus import Corpus, from_lists, from_spans, holds_spans
from assay.engine.counts import Counts, as_sums, join_counts, tally_outcomes
from assay.engine.counts import by_label as counted_by_label
from assay.engine.measure import find, measures
from assay.engine.options import Options
from assay.engine.prepare import prepare
from assay.result import Diff
from contributions import check_contributions
from strategies import (
    CHAINS,
    FOREIGN,
    FOREIGN_SPANS,
    LABELS,
    NAMES,
    SPAN_LABELS,
    TRAINED,
    WORDS,
    WRITTEN,
    Outputs,
    Text,
    arc_outputs,
    chain_outputs,
    outputs,
    seeds,
    span_outputs,
    tagged_spans,
    tree_outputs,
)
from unit.result.test_verdicts import check_words

TEXTS = {
    "tags": outputs,
    "spans": span_outputs,
    "dependencies": arc_outputs,
    "constituents": tree_outputs,
    "coreference": chain_outputs,
}
"""Texts to try the measures of each task on."""
ELSEWHERE = ("strings", "answers", "zeros")
"""Measures of words of spans, of what a model wrote, of zeros: texts made here have none of these."""
MEASURES = {
    # Tags are lists of one label per word here, without the columns that some measures of tags ask for.
    task: [
        name
        for name, one in measures().items()
        if one.task == task and not (task == "tags" and one.columns) and name not in ELSEWHERE
    ]
    for task in TEXTS
}
BY_LABEL = {name for name, definition in measures().items() if definition.count in (counted_by_label, tally_outcomes)}
"""Measures whose intervals come from the counts of all labels, in the order of these."""
VARIANTS = (
    "fair(focus=system, sides=true)",
    "fair(symmetric=true)",
    "weighted(preset=be-half)",
    "weighted(le=1FP, be=0.5TP+0.5FN, lbe=1FN)",
    "semeval(least=0.5)",
    "las(subtypes=true, punctuation=no-punct-relation)",
    "uas(punctuation=DEPREL:obj+obl)",
    "relation-f1(of=ls, punctuation=UPOS:X)",
    "parseval(preset=collins)",
    "lea(singletons=false)",
)
"""Measures with parameters that change what is counted or how it is scored."""
on_every_task = pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
few = settings(max_examples=settings().max_examples // 2)
"""Each property is tried on five tasks, so on fewer texts of each."""
BEYOND_CHANCE = ("kappa", "alpha")
"""Scores that are below 0 where agreement is worse than chance, and undefined where there is but one label."""
INTERVALS = ("score", "percentile", "bca", "wilson")
GRADED = ("pa", "wpa", "cwpa")
TAKING_APART = (*GRADED, "pos-accuracy", "features")
"""Measures that look into labels, so that other names of labels are other labels."""
ERRORS_PER_SENTENCE = "crossing"
"""A score that is no share: the less the better."""


# "N|V" is an N with a category; the other labels have a part of speech alone, or are outside.
TAGSET = """
name = "small"
kind = "separated"
separator = "|"
[attributes.case]
values = ["V"]
[pos]
N = "[case]"
V = ""
"""


RICH = {"weights": "paper"}
"""What the measures of rich tags ask for."""


@pytest.fixture(scope="module", autouse=True)
def tagset(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("tagset") / "small.toml"
    path.write_text(TAGSET, encoding="utf-8")
    RICH["tagset"] = str(path)


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A list of known words, for the measures that ask for one."""
    path = tmp_path_factory.mktemp("train") / "words.txt"
    path.write_text("\n".join(TRAINED) + "\n", encoding="utf-8")
    return str(path)


def given_for(data: Outputs, train: str) -> dict[str, str]:
    """The options that the measures of a task ask for."""
    if data.task in WRITTEN:
        return {}
    return {"train": train, **(RICH if data.task == "tags" else {})}


def compared(data: Outputs, train: str, names: list[str] | None = None, **options: Any) -> Result:
    options = {"times": 50, "power": None, **given_for(data, train), **options}
    return assay.compare(*given_as(data, train), names or MEASURES[data.task], **options)


def given_as(data: Outputs, train: str) -> tuple[Any, dict[str, Any]]:
    """Gold and systems as assay takes them; files lie beside the list of known words."""
    return data.given(Path(train).parent)


def values(result: Result) -> dict[tuple[str, str, str, str | None], float]:
    return {(row.system, row.measure, row.score, row.label): row.value for row in result.scores}


# --- counts ---


ONE_SYSTEM = {
    "tags": outputs(systems=1, most_sentences=8),
    # Parts in which words are cut alike are matched by words, a whole in which they are not by characters.
    "spans": span_outputs(systems=1, most_sentences=8, other_words=False),
    **{task: TEXTS[task](systems=1, most_sentences=8) for task in WRITTEN},
}


@pytest.mark.parametrize("name", [*(name for task in TEXTS for name in MEASURES[task]), *VARIANTS])
@few
@given(draw=st.data(), seed=st.randoms(use_true_random=False))
def test_counts_add_up_over_any_split_of_the_sentences(name: str, train: str, draw: st.DataObject, seed: Any) -> None:
    """Two parts counted apart and merged have the totals, the rows and the scores of the whole."""
    data = draw.draw(ONE_SYSTEM[find(name).task])
    assume(len(data.gold) > 1)
    order = list(range(len(data.gold)))
    seed.shuffle(order)
    cut = seed.randint(1, len(order) - 1)
    # Gold without any span is refused, and so is a side that has nothing but `_` for labels.
    nothing = {"spans": "O", "tags": "_"}.get(data.task)
    sides = (data.gold, *data.systems.values()) if data.task == "tags" else (data.gold,)
    parts = (order[:cut], order[cut:])
    assume(nothing is None or all(labels_in(side, part, nothing) for side in sides for part in parts))
    whole = counted(name, data.part(order), train)
    together = join_counts([counted(name, data.part(part), train) for part in (order[:cut], order[cut:])])
    assert together.fields == whole.fields
    assert together.units == whole.units
    assert np.array_equal(together.matrix(), whole.matrix())
    assert by_label(together) == by_label(whole)
    assert scored(name, together) == pytest.approx(scored(name, whole), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", VARIANTS)
@few
@given(draw=st.data())
def test_scores_under_any_parameters_are_undefined_or_shares(name: str, train: str, draw: st.DataObject) -> None:
    values = scored(name, counted(name, draw.draw(ONE_SYSTEM[find(name).task]), train))
    assert all(math.isnan(value) or 0 <= value <= 1 for value in values.values() if value != values.get("crossing"))


def labels_in(text: Any, part: list[int], nothing: str = "O") -> bool:
    return any(item[1] != nothing for index in part for item in text[index])


def counted(name: str, data: Outputs, train: str) -> Counts:
    measure = find(name)
    run = prepare(*given_as(data, train), [measure], Options(**given_for(data, train)))
    ((_, pair),) = run.pairs
    return measure.counts_of(measure.judge(pair), run.gold.sentences)


def by_label(counts: Counts) -> dict[str | None, tuple[int, ...]]:
    """Totals by label, without the labels that do not occur."""
    total = counts.total()
    if counts.labels is None:
        return {None: tuple(total.tolist())}
    rows = zip(counts.labels, total.tolist(), strict=True)
    return {label: tuple(row) for label, row in rows if any(row)}


def scored(name: str, counts: Counts) -> dict[str, float]:
    """The overall scores of some counts."""
    measure = find(name)
    overall = counts.matrix().sum(axis=0)
    sums = {field: np.asarray(float(n)) for field, n in zip(counts.fields, overall.tolist(), strict=True)}
    by_label = as_sums(counts.total(), counts.fields)
    return {
        **{score: float(function(sums)) for score, function in measure.scores.items()},
        **{score: float(function(by_label)) for score, function in measure.averages.items()},
    }


# --- scores ---


@on_every_task
@few
@given(draw=st.data())
def test_perfect_output_has_the_best_score(texts: Any, train: str, draw: st.DataObject) -> None:
    """Every score, overall and per label, is 1 with an interval up to 1; undefined only where nothing counts."""
    data = draw.draw(texts(systems=0))
    names, options = MEASURES[data.task], given_for(data, train)
    perfect = replace(data, systems={"perfect": copy.deepcopy(data.gold)})
    result = assay.score(*given_as(perfect, train), names, times=50, **options)
    empty = {(row.measure, row.label) for row in result.counts if not any(row.counts.values())}
    assert {row.measure for row in result.scores} == set(names)
    for row in result.scores:
        defined = (row.measure, row.label) not in empty
        if row.score in BEYOND_CHANCE:
            defined = len({other.label for other in result.scores if other.measure == row.measure}) > 2
        best = 0.0 if row.score == ERRORS_PER_SENTENCE else 1.0
        expected = best if defined else math.nan
        # Averages are sums of products of floats; nothing else may differ from 1.
        assert row.value == pytest.approx(expected, rel=1e-14, nan_ok=True), row
        if defined and result.about.units > 1:
            # A perfect share of few items says little, however perfect.
            assert row.high == pytest.approx(expected, rel=1e-14) or row.score == ERRORS_PER_SENTENCE, row
            assert row.low < expected if row.interval == "score" else row.low <= expected, row
        else:
            assert math.isnan(row.low) and math.isnan(row.high), row
    unseen = data.task != "tags" or any(word not in TRAINED for sentence in data.gold for word, _ in sentence)
    # Without a tag that has a category, there is nothing to count for features; phrases here have no functions.
    assert empty - {("features", None), ("function-tags", None)} == (set() if unseen else {("oov-accuracy", None)})


@on_every_task
@few
@given(draw=st.data(), seed=seeds(), interval=st.sampled_from(INTERVALS))
def test_every_figure_is_undefined_or_a_share(
    texts: Any, train: str, draw: st.DataObject, seed: int, interval: str
) -> None:
    """Values and interval ends lie in [0, 1], differences in [-1, 1], p in ]0, 1]; low is not above high."""
    data = draw.draw(texts())
    result = compared(data, train, seed=seed, interval=interval)
    for row in result.scores:
        shares = (row.value, row.low, row.high)
        least = -1 if row.score in BEYOND_CHANCE else 0
        most = math.inf if row.score == ERRORS_PER_SENTENCE else 1
        ends = math.isnan(row.low) == math.isnan(row.high) and not row.low > row.high
        assert ends and all(math.isnan(share) or least <= share <= most for share in shares), row
    for pair in result.comparisons:
        most = math.inf if pair.score == ERRORS_PER_SENTENCE else 2 if pair.score in BEYOND_CHANCE else 1
        assert math.isnan(pair.difference) or -most <= pair.difference <= most
        assert not pair.low > pair.high
        if not math.isnan(pair.p):
            assert 0 < pair.p <= pair.p_adjusted <= 1
            assert 0 <= pair.p_low <= pair.p <= pair.p_high <= 1
    for bound in result.bounds:
        assert all(0 <= share <= bound.upper <= 1 for share in bound.systems.values())
        assert 0 <= bound.gain_over_best_here <= bound.gain


@on_every_task
@few
@given(draw=st.data(), seed=st.randoms(use_true_random=False))
def test_the_order_of_sentences_changes_nothing(texts: Any, train: str, draw: st.DataObject, seed: Any) -> None:
    """Nor does it change what differs, or any interval or test."""
    data = draw.draw(texts())
    order = list(range(len(data.gold)))
    seed.shuffle(order)
    one, other = compared(data, train), compared(data.part(order), train)
    assert values(one) == pytest.approx(values(other), rel=1e-12, nan_ok=True)
    # Spelled out, since an undefined overlap is not equal to itself.
    for part in ("diffs", "bounds", "growth", "unique", "error_types", "sweeps"):
        assert repr(getattr(one, part)) == repr(getattr(other, part))
    assert one.confusion == other.confusion
    assert one.transitions == other.transitions
    assert resampled(one) == pytest.approx(resampled(other), abs=0, nan_ok=True)


# Where two labels are on one place, the one that comes first in the alphabet is matched first.
NAMES_FREE: dict[Any, dict[str, bool]] = {
    span_outputs: {"one_label": True},
    tree_outputs: {"one_label": True},
    arc_outputs: {"content": True},
}
"""Texts in which the names of labels do not matter."""


@on_every_task
@few
@given(draw=st.data())
def test_the_names_of_labels_change_nothing_overall(texts: Any, train: str, draw: st.DataObject) -> None:
    """The same text under other names of labels has the same overall scores, intervals and tests."""
    data = draw.draw(texts(**NAMES_FREE.get(texts, {})))
    # A system whose answers are all _ has no answers.
    labels = [name for name in NAMES[data.task] if name != "_"]
    renamed = {"_": "_", **dict(zip(labels, draw.draw(st.permutations(labels)), strict=True))}
    plain = [name for name in MEASURES[data.task] if name not in TAKING_APART]
    options = {} if data.task in WRITTEN else {"train": train}
    one, other = (
        assay.compare(*given_as(d, train), plain, times=50, power=None, **options)
        for d in (data, data.relabelled(renamed))
    )
    overall = [{key: value for key, value in values(result).items() if key[-1] is None} for result in (one, other)]
    assert overall[0] == pytest.approx(overall[1], rel=1e-12, nan_ok=True)
    by_name = {
        (*key[:3], renamed.get(key[3], key[3])): value for key, value in values(one).items() if key[3] is not None
    }
    assert by_name == pytest.approx(
        {key: value for key, value in values(other).items() if key[3] is not None}, abs=0, nan_ok=True
    )
    figures = [resampled(result, names_matter=True) for result in (one, other)]
    assert figures[0] == pytest.approx(figures[1], abs=0, nan_ok=True)
    for ours, theirs in zip(one.diffs, other.diffs, strict=True):
        for field in ("items", "different", "corrections", "new_errors", "changed_errors", "both_right"):
            assert getattr(ours, field) == getattr(theirs, field)


def resampled(result: Result, *, names_matter: bool = False) -> dict[tuple[str, ...], float]:
    """Interval ends and p-values; where the names of labels matter, without intervals of measures by label."""
    figures = {}
    for row in result.scores:
        if row.label is None and not (names_matter and row.measure in BY_LABEL):
            figures[row.system, row.measure, row.score, "low"] = row.low
            figures[row.system, row.measure, row.score, "high"] = row.high
    for pair in result.comparisons:
        ends = ("p", "p_low", "p_high") if names_matter and pair.measure in BY_LABEL else ENDS
        for end in ends:
            figures[pair.test, pair.a, pair.b, pair.measure, pair.score, end] = getattr(pair, end)
    return figures


ENDS = ("low", "high", "p", "p_low", "p_high")


# --- Results ---


SLICED = {
    "tags": ("seen", "sentence-length"),
    "spans": ("seen", "nesting", "sentence-length"),
    "dependencies": ("distance", "projectivity", "sentence-length"),
    "constituents": ("sentence-length",),
    "coreference": ("document", "label"),
}


@on_every_task
@few
@given(draw=st.data(), seed=seeds(), interval=st.sampled_from(INTERVALS))
def test_the_same_seed_gives_the_same_json_and_json_can_be_read_back(
    texts: Any, train: str, draw: st.DataObject, seed: int, interval: str
) -> None:
    """Byte for byte; and a Result read back is written as the same text."""
    data = draw.draw(texts())
    options: dict[str, Any] = {"seed": seed, "interval": interval, "slices": SLICED[data.task], "examples": 2}
    text = compared(data, train, **options).to_json()
    assert compared(data, train, **options).to_json() == text
    assert Result.from_json(text).to_json() == text


TOY = Path(__file__).parents[1] / "data" / "coreference"
_TAGS = """
import sys, assay
from assay.engine.measure import measures
gold = [[(w, "NVA"[(i * k) % 3]) for i, w in enumerate("abcdefg"[:k % 7 + 1])] for k in range(40)]
outs = {name: [[(w, "NVAX"[(i * k + k // m) % 4]) for i, (w, _) in enumerate(s)] for k, s in enumerate(gold)]
        for name, m in (("p", 3), ("q", 4), ("r", 5))}
names = [name for name, definition in measures().items() if definition.task == "tags" and not definition.columns]
for seed in map(int, sys.argv[4:]):
    result = assay.compare(gold, outs, names, train=sys.argv[1], times=100, seed=seed, interval="percentile",
                           power=None, slices=("label", "seen"), examples=3, tagset=sys.argv[2], weights="paper",
                           sweep=50)
    sys.stdout.buffer.write(result.to_json().encode() + b"\\0")
"""
_SPANS = """
import sys, assay
from assay.engine.measure import measures
gold = [[("NVA"[(i * k) % 3], i, i + k % 3) for i in range(k % 7)] for k in range(90)]
outs = {name: [[("NVAX"[(i * k + k // m) % 4], a, b + (k + i) % m // 2)
                for i, (_, a, b) in enumerate(s) if (i + k) % m] for k, s in enumerate(gold)]
        for name, m in (("p", 3), ("q", 4), ("r", 5))}
names = [name for name, definition in measures().items()
         if definition.task == "spans" and name not in ("strings", "answers")]
for seed in map(int, sys.argv[4:]):
    result = assay.compare(gold, outs, names, times=100, power=None, seed=seed, interval="percentile",
                           examples=3, sweep=50)
    sys.stdout.buffer.write(result.to_json().encode() + b"\\0")
"""


_FILES = """
import assay
from assay.demo import FOLDER
from assay.engine.measure import measures
from pathlib import Path
import sys
chains, trees = Path(sys.argv[3]), FOLDER / "trees"
runs = {
    "dependencies": (trees, "gold.conllu", ("arc-eager.conllu", "arc-hybrid.conllu")),
    "constituents": (trees, "gold.mrg", ("pcfg-1.mrg", "pcfg-2.mrg")),
    "coreference": (chains, "key.conll", ("system-a.conll", "system-b.conll")),
}
for seed in map(int, sys.argv[4:]):
    for task, (folder, gold, systems) in runs.items():
        names = [name for name, definition in measures().items() if definition.task == task]
        result = assay.compare(folder / gold, [folder / name for name in systems], names, times=50,
                               power=None, interval="percentile", seed=seed, examples=3)
        sys.stdout.buffer.write(result.to_json().encode() + b"\\0")
"""


@pytest.mark.parametrize("program", [_TAGS, _SPANS, _FILES], ids=["tags", "spans", "trees and chains"])
def test_another_process_gives_the_same_json(program: str, train: str) -> None:
    """Whatever order its hash tables have; another seed gives other intervals."""

    def run(hash_seed: str, *seeds: int) -> list[str]:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", program, train, RICH["tagset"], str(TOY), *map(str, seeds)]
        said = subprocess.run(command, env=environment, check=True, capture_output=True).stdout
        return said.decode().removesuffix("\0").split("\0")

    first, again = run("1", 7, 8), run("2", 7)
    assert first[: len(again)] == again
    for one, another in zip(again, first[len(again) :], strict=True):
        ours, other = Result.from_json(one), Result.from_json(another)
        assert values(ours) == pytest.approx(values(other), abs=0, nan_ok=True)
        # Of two documents there are few resamples, with the same ends.
        assert ours.about.units < 10 or [row.low for row in ours.scores] != [row.low for row in other.scores]


@on_every_task
@few
@given(draw=st.data())
def test_inputs_are_never_changed(texts: Any, train: str, draw: st.DataObject) -> None:
    """Lists and corpora are afterwards what they were before."""
    data = draw.draw(texts())
    before = copy.deepcopy(data)
    options: dict[str, Any] = {"slices": SLICED[data.task], "examples": 1}
    result = compared(data, train, **options)
    assert data == before
    gold, systems = given_as(data, train)
    # A system without any span looks like one without any label.
    made = reading if data.task in WRITTEN else from_spans if holds_spans(data.gold) else from_lists
    corpora = {name: made(text, name) for name, text in {"gold": gold, **systems}.items()}
    pictures = {name: picture(corpus) for name, corpus in corpora.items()}
    files = {path.name: path.read_bytes() for path in Path(train).parent.iterdir()}
    given = {"times": 50, "power": None, "task": data.task, **given_for(data, train), **options}
    again = assay.compare(corpora["gold"], {name: corpora[name] for name in systems}, MEASURES[data.task], **given)
    assert {name: picture(corpus) for name, corpus in corpora.items()} == pictures
    assert {path.name: path.read_bytes() for path in Path(train).parent.iterdir()} == files
    assert values(again) == pytest.approx(values(result), abs=0, nan_ok=True)


def reading(path: Any, _: str) -> Corpus:
    return assay.read(str(path))


def picture(value: Any) -> Any:
    """All that a corpus holds, as plain values."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value):
        return {item.name: picture(getattr(value, item.name)) for item in fields(value)}
    return {key: picture(item) for key, item in value.items()} if isinstance(value, Mapping) else value


# --- comparing ---


@on_every_task
@few
@given(draw=st.data())
def test_a_system_against_itself_differs_in_nothing(texts: Any, train: str, draw: st.DataObject) -> None:
    """p is 1, every difference 0 with the interval [0, 0], and there is no change of any kind."""
    data = draw.draw(texts(systems=1))
    twice = replace(data, systems={"one": data.systems["s1"], "two": copy.deepcopy(data.systems["s1"])})
    result = compared(twice, train)
    undefined = {(row.measure, row.score) for row in result.scores if row.label is None and math.isnan(row.value)}
    assert {row.measure for row in result.comparisons} == set(MEASURES[data.task])
    for row in result.comparisons:
        assert (row.p, row.p_low, row.p_high, row.p_adjusted, row.units) == (1, 1, 1, 1, 0)
        if row.test == "shuffling":
            expected = math.nan if (row.measure, row.score) in undefined else 0.0
            assert row.difference == pytest.approx(expected, abs=0, nan_ok=True)
            ends = math.nan if result.about.units < 2 else expected
            assert (row.low, row.high) == pytest.approx((ends, ends), abs=0, nan_ok=True)
        else:
            assert row.p_mid == 1
    for diff in result.diffs:
        assert (diff.different, diff.corrections, diff.new_errors, diff.changed_errors) == (0, 0, 0, 0)
        assert (diff.diff, diff.net, diff.changes, diff.outcomes, diff.overlap_all) == (0, 0, (), (), 1)
        assert diff.difference == 0 or ((diff.on, diff.score) in undefined and math.isnan(diff.difference))
        assert diff.overlap_right == 1 or (math.isnan(diff.overlap_right) and diff.both_right == 0)
    for row in result.transitions:
        assert row.before == row.after
    for similarity in result.similarities:
        # Undefined where the system has no mention, or no link.
        assert math.isnan(similarity.value) or similarity.value == pytest.approx(1)
    for sweep in result.sweeps:
        assert (sweep.a_better, sweep.b_better, sweep.low, sweep.high, sweep.always) == (0, 0, 0, 0, "")
    assert any("one and two give the same answers everywhere" in warning for warning in result.warnings)


@on_every_task
@few
@given(draw=st.data())
def test_swapping_two_systems_swaps_corrections_and_new_errors(texts: Any, train: str, draw: st.DataObject) -> None:
    """What was a correction is a new error, differences change their sign, and every p stays."""
    data = draw.draw(texts())
    forth, back = both_ways(data, train)
    for ours, theirs in zip(forth.diffs, back.diffs, strict=True):
        assert (ours.a, ours.b, ours.on) == (theirs.b, theirs.a, theirs.on)
        assert (ours.corrections, ours.new_errors) == (theirs.new_errors, theirs.corrections)
        for field in ("items", "different", "changed_errors", "both_right", "same_error", "overlap_right"):
            assert getattr(ours, field) == pytest.approx(getattr(theirs, field), abs=0, nan_ok=True)
        assert ours.difference == pytest.approx(-theirs.difference, abs=0, nan_ok=True)
        assert ours.net == -theirs.net
        turned = {"correction": "new-error", "new-error": "correction", "changed-error": "changed-error"}
        assert {(turned[row.kind], row.gold, row.after, row.before, row.count) for row in ours.changes} == {
            (row.kind, row.gold, row.before, row.after, row.count) for row in theirs.changes
        }
        assert {(row.label, row.items, row.a, row.b, row.difference) for row in ours.labels} == {
            (row.label, row.items, row.b, row.a, -row.difference)
            for row in theirs.labels
        }
    assert outcomes_of(forth) == pytest.approx(outcomes_of(back, turned=True), abs=0, nan_ok=True)
    kinds = [
        {(row.test, row.measure, row.score, row.slice): (row.kind, row.claims) for row in one.comparisons}
        for one in (forth, back)
    ]
    assert kinds[0] == kinds[1]
    ours, theirs = forth.verdict_data, back.verdict_data
    assert (ours.kind, ours.claims, ours.systems) == (theirs.kind, theirs.claims, theirs.systems)
    check_words(forth.verdict, {*ours.claims, *(claim for row in forth.comparisons for claim in row.claims)})
    assert {(row.label, row.before, row.after, row.count) for row in forth.transitions} == {
        (row.label, row.after, row.before, row.count) for row in back.transitions
    }
    for one, other in zip(forth.similarities, back.similarities, strict=True):
        assert (one.a, one.b, one.measure) == (other.b, other.a, other.measure)
        assert one.value == pytest.approx(other.value, rel=1e-9, nan_ok=True)
    for one, other in zip(forth.sweeps, back.sweeps, strict=True):
        assert (one.low, one.high, one.always) == (-other.high, -other.low, other.always)
        assert one.named == {name: -difference for name, difference in other.named.items()}


def both_ways(data: Outputs, train: str, **options: Any) -> tuple[Result, Result]:
    turned = replace(data, systems=dict(reversed(data.systems.items())))
    return compared(data, train, **options), compared(turned, train, **options)


def outcomes_of(result: Result, *, turned: bool = False) -> dict[tuple[str, ...], float]:
    """The difference and p-values of each test; turned round, as if the systems were given the other way."""
    figures = {}
    for row in result.comparisons:
        a, b, sign = (row.b, row.a, -1) if turned else (row.a, row.b, 1)
        figures[a, b, row.test, row.measure, row.score, "difference"] = sign * row.difference
        for field in ("p", "p_low", "p_high", "p_adjusted", "units"):
            figures[a, b, row.test, row.measure, row.score, field] = getattr(row, field)
    return figures


def many_tags(words: int = 9, sentences: int = 120, seed: int = 5) -> Outputs:
    """Two systems that differ in so many ways that shufflings are drawn, not enumerated."""
    rng = np.random.default_rng(seed)
    gold: Text = [
        [(str(rng.choice(WORDS)), str(rng.choice(LABELS))) for _ in range(rng.integers(1, words + 1))]
        for _ in range(sentences)
    ]
    found = {
        name: [
            [(word, label if rng.random() < share else str(rng.choice(FOREIGN))) for word, label in sentence]
            for sentence in gold
        ]
        for name, share in (("s1", 0.6), ("s2", 0.65))
    }
    return Outputs(gold, found)


def many_spans(sentences: int = 120, seed: int = 5) -> Outputs:
    """The same with spans: some are left out, some have another label or one more word."""
    rng = np.random.default_rng(seed)
    gold = [
        [(str(rng.choice(SPAN_LABELS)), int(first), int(first + rng.integers(3))) for first in rng.integers(0, 20, 5)]
        for _ in range(sentences)
    ]

    def answer(label: str, first: int, last: int) -> tuple[str, int, int]:
        return (str(rng.choice(FOREIGN_SPANS)), first, last) if rng.random() < 0.5 else (label, first, last + 1)

    found = {
        name: [
            [span if rng.random() < share else answer(*span) for span in spans if rng.random() < 0.9]
            for spans in gold
        ]
        for name, share in (("s1", 0.6), ("s2", 0.65))
    }
    return Outputs(gold, found, "spans")


def many_chains(documents: int = 40, seed: int = 5) -> Outputs:
    """The same with documents of mentions, which are left out or put into another chain."""
    rng = np.random.default_rng(seed)
    gold = [
        (f"d{number}", [[("a", "NN"), ("b", "PRP")] * 6], [(i, i, str(rng.choice(CHAINS))) for i in range(12)])
        for number in range(documents)
    ]
    found = {
        name: [
            (
                number,
                words,
                [
                    (first, last, chain if rng.random() < share else str(rng.choice(CHAINS)))
                    for first, last, chain in mentions
                    if rng.random() < 0.9
                ],
            )
            for number, words, mentions in gold
        ]
        for name, share in (("s1", 0.6), ("s2", 0.65))
    }
    return Outputs(gold, found, "coreference")


large = pytest.mark.parametrize("made", [many_tags, many_spans, many_chains], ids=lambda made: made.__name__)
DRAWN = {
    many_tags: {"tag-f1"},
    many_spans: {"exact", "fair"},
    many_chains: {"b-cubed", "conll", "arcs-any"},
}
"""Measures with too many ways to swap for all of them to be tried."""


@large
def test_swapping_two_systems_keeps_p_where_shufflings_are_drawn(made: Any, train: str) -> None:
    """The shufflings drawn for a pair do not depend on which of the two is named first."""
    forth, back = both_ways(made(), train, times=500)
    drawn = [row for row in forth.comparisons if row.test == "shuffling" and not row.exact]
    assert {row.measure for row in drawn} >= DRAWN[made]
    assert outcomes_of(forth) == outcomes_of(back, turned=True)


@large
def test_swapping_two_systems_turns_the_interval_of_their_difference_round(made: Any, train: str) -> None:
    """[low, high] becomes [-high, -low], since both ways the same resamples are drawn."""
    forth, back = both_ways(made(), train, times=500)
    pairs = list(zip(forth.comparisons, back.comparisons, strict=True))
    assert all((ours.measure, ours.score) == (theirs.measure, theirs.score) for ours, theirs in pairs)
    ours = [(one.low, one.high) for one, _ in pairs if one.test == "shuffling"]
    theirs = [(-other.high, -other.low) for _, other in pairs if other.test == "shuffling"]
    assert np.array(ours) == pytest.approx(np.array(theirs), rel=1e-12)


def figures_of(result: Result, names: dict[str, str]) -> dict[tuple[Any, ...], Any]:
    """All ends of intervals, all p and power, by systems as they were called before; pairs in one direction."""
    found: dict[tuple[Any, ...], Any] = {
        (names[row.system], row.measure, row.score, row.label): repr((row.value, row.low, row.high))
        for row in result.scores
    }
    for row in result.comparisons:
        a, b, ends = names[row.a], names[row.b], (row.low, row.high)
        if a > b:
            a, b, ends = b, a, (-row.high, -row.low)
        if row.difference == 0:
            # Where the two may be exchanged, sentence for sentence, no resample tells which is which.
            ends = max(ends, (-ends[1], -ends[0]))
        shown = tuple(end + 0.0 for end in ends)  # -0 is 0
        figures = (shown, row.p, row.p_low, row.p_high, row.p_mid, row.power)
        found[a, b, row.test, row.measure, row.score] = repr(figures)
    return found


@on_every_task
@few
@given(draw=st.data(), interval=st.sampled_from(INTERVALS))
def test_names_order_and_company_of_systems_change_no_digit(
    texts: Any, train: str, draw: st.DataObject, interval: str
) -> None:
    """Other names, the other order, a third system: the same intervals and the same p to the last digit."""
    data = draw.draw(texts())
    first, second = data.systems
    plain = figures_of(compared(data, train, interval=interval), {first: "1", second: "2"})
    called = replace(data, systems={"zzz": data.systems[second], "A": data.systems[first]})
    assert figures_of(compared(called, train, interval=interval), {"A": "1", "zzz": "2"}) == plain
    more = replace(data, systems={"m": copy.deepcopy(data.gold), **called.systems})
    joined = figures_of(compared(more, train, interval=interval), {"A": "1", "zzz": "2", "m": "3"})
    assert {key: value for key, value in joined.items() if key in plain} == plain


@pytest.mark.parametrize(
    ("made", "interval"),
    [(many_tags, "score"), (many_tags, "bca"), (many_spans, "percentile"), (many_chains, "wilson")],
)
def test_names_change_no_digit_where_shufflings_and_resamples_are_drawn(made: Any, train: str, interval: str) -> None:
    data = made()
    first, second = data.systems
    called = replace(data, systems={"zzz": data.systems[second], "A": data.systems[first]})
    one, other = (compared(some, train, times=300, power=0.8, interval=interval) for some in (data, called))
    assert figures_of(one, {first: "1", second: "2"}) == figures_of(other, {"A": "1", "zzz": "2"})


@large
def test_swapping_two_systems_keeps_the_interval_of_each(made: Any, train: str) -> None:
    """A system's own figures do not depend on its place among the others."""
    forth, back = both_ways(made(), train, times=500)
    assert intervals_of(forth) == pytest.approx(intervals_of(back), rel=1e-12, nan_ok=True)


def intervals_of(result: Result) -> dict[tuple[str, str, str, str | None, str], float]:
    return {
        (row.system, row.measure, row.score, row.label, end): getattr(row, end)
        for row in result.scores
        for end in ("low", "high")
    }


@on_every_task
@few
@given(draw=st.data())
def test_changes_account_for_every_item_and_for_the_difference(texts: Any, train: str, draw: st.DataObject) -> None:
    """Five kinds of items make up all; corrections minus new errors is what one system is ahead."""
    data = draw.draw(texts(systems=3))
    result = compared(data, train)
    assert len(result.diffs) == 3 * len({diff.on for diff in result.diffs})
    for diff in result.diffs:
        kinds = (diff.both_right, diff.corrections, diff.new_errors, diff.changed_errors, diff.same_error)
        assert sum(kinds) == diff.items
        assert diff.different == diff.corrections + diff.new_errors + diff.changed_errors
        assert diff.net == diff.corrections - diff.new_errors
        won = diff.net / diff.items
        if diff.on in GRADED:
            assert (diff.improved or 0) + (diff.worsened or 0) + (diff.sideways or 0) == diff.different
            assert (diff.gain or 0) - (diff.loss or 0) == pytest.approx(diff.difference * diff.items, abs=1e-6)
            won = diff.difference
        if data.task in MATCHED:
            check_transitions(result, diff)
            scores = [result.score(name, diff.on, diff.score).value for name in (diff.a, diff.b)]
            assert diff.difference == pytest.approx(scores[1] - scores[0], abs=1e-12, nan_ok=True)
            assert sum(row.count for row in diff.outcomes) == diff.different
        elif "/" not in diff.on:
            scores = [result.score(name, diff.on, diff.score).value for name in (diff.a, diff.b)]
            assert diff.difference == pytest.approx(scores[1] - scores[0], abs=1e-9)
        listed = defaultdict(int)
        for row in diff.changes:
            listed[row.kind] += row.count
        assert (listed["correction"], listed["new-error"]) == (diff.corrections, diff.new_errors)
        assert listed["changed-error"] == diff.changed_errors
        assert sum(row.items for row in diff.labels) == diff.items
        assert sum(row.difference * row.items for row in diff.labels) == pytest.approx(won * diff.items, abs=1e-9)
    check_contributions(result)


def check_transitions(result: Result, diff: Diff) -> None:
    """What became of each item: gold's items and those that one of the two systems adds, every one once."""
    counts = {
        row.system: row.counts
        for row in result.counts
        if row.measure == diff.on and row.label is None and row.slice is None
    }
    rows = [row for row in result.transitions if (row.a, row.b, row.on) == (diff.a, diff.b, diff.on)]
    overall = [row for row in rows if row.label is None]
    assert sum(row.count for row in overall) == diff.items
    for before, after in {(row.before, row.after) for row in rows}:
        parts = [row.count for row in rows if row.label is not None and (row.before, row.after) == (before, after)]
        assert sum(parts) == sum(row.count for row in overall if (row.before, row.after) == (before, after))
    of_gold = {row.label: row for row in diff.labels if row.label != "∅"}
    # Of gold's mentions those are items that have something to be resolved to.
    items = counts[diff.a]["gold"] if result.about.task == "coreference" else result.about.items
    assert sum(row.items for row in of_gold.values()) == items
    # Only gold's items can be hits, and each of them is a hit once.
    ahead = sum(row.difference * row.items for row in of_gold.values())
    assert ahead == pytest.approx(counts[diff.b]["tp"] - counts[diff.a]["tp"], abs=1e-9)
    for side, name in (("before", diff.a), ("after", diff.b)):
        hits = sum(row.count for row in overall if getattr(row, side) == "tp")
        assert hits == counts[name]["tp"]
        missed = sum(row.count for row in overall if getattr(row, side) == "fn")
        assert missed == counts[name]["fn"]
        assert sum(row.count for row in overall if getattr(row, side) != "none") == sum(
            number for kind, number in counts[name].items() if kind in KINDS
        )


KINDS = ("tp", "fp", "fn", "le", "bes", "bel", "beo", "lbe", "wl")
MATCHED = ("spans", "constituents", "coreference")
"""Tasks in which systems may have items that gold does not have."""


@on_every_task
@few
@given(draw=st.data())
def test_all_tests_of_a_score_are_about_the_same_difference(texts: Any, train: str, draw: st.DataObject) -> None:
    """Whichever test it is, the difference is that of the scores of this name."""
    data = draw.draw(texts())
    result = compared(data, train)
    for row in result.comparisons:
        scores = [result.score(name, row.measure, row.score).value for name in (row.a, row.b)]
        assert row.difference == pytest.approx(scores[1] - scores[0], abs=1e-12, nan_ok=True), row.test


@on_every_task
@few
@given(draw=st.data())
def test_a_perfect_choice_is_at_least_as_good_as_any_system(texts: Any, train: str, draw: st.DataObject) -> None:
    """Overall and for each label; the labels add up to the whole, and so do the systems that join one by one."""
    data = draw.draw(texts(systems=3))
    result = compared(data, train)
    for on in {bound.on for bound in result.bounds}:
        overall, *labels = [bound for bound in result.bounds if bound.on == on]
        assert overall.label is None
        for bound in (overall, *labels):
            assert bound.upper >= max(bound.systems.values())
            assert bound.all_right / bound.items <= min(bound.systems.values()) + 1e-12
            if on not in GRADED:
                assert bound.upper == (bound.items - bound.none_right) / bound.items
            assert bound.gain == bound.upper - bound.systems[bound.best]
        for field in ("items", "all_right", "none_right"):
            assert sum(getattr(bound, field) for bound in labels) == getattr(overall, field)
        steps = [step for step in result.growth if step.on == on]
        assert sorted(step.added for step in steps) == sorted(data.systems)
        assert increasing([step.upper for step in steps])
        assert increasing([-step.all_right for step in steps])
        assert (steps[-1].upper, steps[-1].all_right) == pytest.approx(
            (overall.upper, overall.all_right / overall.items), abs=1e-12
        )
        alone = sum(row.only_right for row in result.unique if row.on == on)
        assert alone <= overall.items - overall.none_right - overall.all_right


def increasing(numbers: list[float]) -> bool:
    return all(before <= after for before, after in pairwise(numbers))


@pytest.mark.parametrize("texts", [outputs, tagged_spans], ids=["tags", "spans"])
@given(draw=st.data())
def test_labels_without_words_are_compared_by_position(texts: Any, train: str, draw: st.DataObject) -> None:
    """Plain labels give the figures that the same labels with their words give."""
    data = draw.draw(texts(other_words=False))

    def bare(text: Text) -> list[list[str]]:
        return [[label for _, label in sentence] for sentence in text]

    names = [name for name in MEASURES[data.task] if name != "oov-accuracy"]
    options: dict[str, Any] = {"times": 50, "power": None, **(RICH if data.task == "tags" else {})}
    with_words = assay.compare(data.gold, data.systems, names, **options)
    without = assay.compare(
        bare(data.gold), {name: bare(text) for name, text in data.systems.items()}, names, **options
    )
    assert values(with_words) == pytest.approx(values(without), abs=0, nan_ok=True)
    assert outcomes_of(with_words) == pytest.approx(outcomes_of(without), abs=0, nan_ok=True)
    assert intervals_of(with_words) == pytest.approx(intervals_of(without), abs=0, nan_ok=True)
    assert repr(with_words.diffs) == repr(without.diffs)
    assert without.about.aligned_by == "position"
