"""Agreement of annotators: nobody is gold, so names and order change no figure."""

from __future__ import annotations

import tempfile
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.engine.annotators import ALL, ALL_PAIRS
from assay.engine.task import tasks
from assay.errors import AssayError
from strategies import (
    LABELS,
    WORDS,
    Outputs,
    arc_outputs,
    chain_outputs,
    cuts,
    outputs,
    span_outputs,
    tree_outputs,
)

TEXTS = {
    "tags": outputs(systems=2),
    "spans": span_outputs(systems=2),
    "dependencies": arc_outputs(systems=2),
    "constituents": tree_outputs(systems=2),
    "coreference": chain_outputs(systems=2),
}
FURTHER = {
    "tags": ["tag-f1", "sentence-accuracy"],
    "spans": ["semeval", "semeval(least=0.5)"],
    "dependencies": ["relation-f1", "uas(punctuation=no-punct-relation)", "clas"],
    "constituents": ["bracket-f1", "leaf-ancestor"],
    "coreference": ["blanc", "arcs-any"],
}
"""Measures some of whose scores take one side for gold."""
few = settings(max_examples=settings().max_examples // 3)


def agreed(texts: list[Any], names: str, **options: Any) -> Any:
    """The overall figures of the pairs and their mean by the texts they are of, or the refusal."""
    try:
        result = assay.agreement(dict(zip(names, texts, strict=True)), times=20, **options)
    except AssayError:
        return "refused"
    of_name = {name: number for number, name in enumerate(names)}
    figures = {}
    for row in result.scores:
        several = row.system in (ALL, ALL_PAIRS)
        pair = row.system if several else frozenset(of_name[n] for n in row.system.split(" ~ "))
        ends = tuple(map(repr, (row.value, row.low, row.high)))
        figures[pair, row.measure, row.score, row.label] = (*ends, row.main)
    return figures


def given_as(data: Outputs, folder: str) -> list[Any]:
    gold, systems = data.given(Path(folder))
    return [gold, *systems.values()]


@pytest.mark.parametrize("task", TEXTS)
@few
@given(draw=st.data())
def test_names_and_order_change_no_figure(task: str, draw: st.DataObject) -> None:
    """To the last digit, intervals and the mean over pairs too."""
    data = draw.draw(TEXTS[task])
    further = FURTHER[task] if draw.draw(st.booleans()) else ()
    options = {"task": task, "measures": [*tasks()[task].agreement, *further]}
    with tempfile.TemporaryDirectory() as folder:
        texts = given_as(data, folder)
        expected = agreed(texts, "abc", **options)
        for names in list(permutations("abc"))[1:]:
            assert agreed(texts, "".join(names), **options) == expected
        assert agreed(texts[:2], "ab", **options) == agreed(texts[:2], "ba", **options)


@pytest.mark.parametrize("task", TEXTS)
@few
@given(draw=st.data())
def test_the_usual_measures_are_the_same_both_ways(task: str, draw: st.DataObject) -> None:
    """None of them is left out for taking one side for gold."""
    data = draw.draw(TEXTS[task])
    if task == "spans":
        # Of a span that stands twice `exact` finds both copies in the other's one (Ortmann 2022, Algorithm 1).
        data = data.changed(lambda text: [list(dict.fromkeys(s)) if is_listed(s) else s for s in text])
    with tempfile.TemporaryDirectory() as folder:
        first, second, *_ = given_as(data, folder)
        try:
            result = assay.agreement({"a": first, "b": second}, task=task, times=5)
        except AssayError:
            return
    assert [note for note in result.notes if "the order of the annotators" in note] == []
    assert set(tasks()[task].agreement) <= set(result.main_scores)


def is_listed(sentence: list[Any]) -> bool:
    """Whether a sentence is a list of spans, not of words with tags."""
    return bool(sentence) and len(sentence[0]) == 3


def conllu(text: list[list[tuple[str, str]]]) -> str:
    rows = [
        "\n".join(f"{number}\t{word}\t_\t{tag}" + "\t_" * 6 for number, (word, tag) in enumerate(sentence, 1))
        for sentence in text
    ]
    return "\n\n".join(rows) + "\n\n"


@st.composite
def half_labelled(draw: st.DrawFn) -> list[list[list[tuple[str, str]]]]:
    """Two annotators of the same characters, with words that either has left without a label."""
    sentences = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), min_size=1, max_size=4))
    labels = st.sampled_from([*LABELS, "_", "_"])
    sides = []
    for recut in (False, draw(st.booleans())):
        forms = [draw(cuts("".join(words))) if recut else words for words in sentences]
        sides.append([[(word, draw(labels)) for word in words] for words in forms])
    return sides


@few
@given(sides=half_labelled())
def test_a_missing_label_is_missing_on_both_sides(sides: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("x.conllu", "y.conllu")]
        for path, side in zip(paths, sides, strict=True):
            Path(path).write_text(conllu(side), "utf-8")
        options = {"column": "UPOS", "task": "tags", "measures": ["accuracy", "kappa"]}
        assert agreed(paths, "ab", **options) == agreed(paths, "ba", **options)
        if (found := agreed(paths, "ab", **options)) != "refused":
            main = {(measure, score) for _, measure, score, _ in found}
            assert {("accuracy", "f1"), ("accuracy", "aligned"), ("kappa", "kappa"), ("kappa", "alpha")} <= main


def test_kappa_does_not_depend_on_who_left_words_unlabelled(tmp_path: Path) -> None:
    """Words that one of the two has no label for are judged for neither: κ of the other words, by hand."""
    first = [[("a", "N"), ("b", "V"), ("c", "N"), ("d", "V"), ("e", "_"), ("f", "_")]]
    second = [[("a", "N"), ("b", "V"), ("c", "V"), ("d", "V"), ("e", "N"), ("f", "V")]]
    paths = [tmp_path / "x.conllu", tmp_path / "y.conllu"]
    for path, text in zip(paths, (first, second), strict=True):
        path.write_text(conllu(text), "utf-8")
    for names in ("ab", "ba"):
        given = dict(zip(names, paths, strict=True))
        result = assay.agreement(given, ["kappa", "accuracy"], column="UPOS", task="tags", times=10)
        # 3 of 4 agree, by chance (2·1 + 2·3)/16 = 1/2.
        assert result.score("a ~ b", "kappa").value == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
        assert result.score("a ~ b", "accuracy").value == 3 / 4
        assert "2 words have no label in UPOS from one of two annotators and were left out." in result.warnings


def test_what_takes_one_side_for_gold_is_not_given() -> None:
    sides = {"a": [["N", "N", "N", "V"]], "b": [["N", "V", "V", "X"]]}
    result = assay.agreement(sides, ["tag-f1", "kappa"], times=10)
    overall = {row.score for row in result.scores if row.measure == "tag-f1" and row.label is None}
    assert "f1" in overall
    assert not overall & {"macro-f1", "weighted-f1", "macro-precision", "macro-recall"}


def test_a_measure_that_depends_on_who_comes_first_is_said_or_refused() -> None:
    """Of a span that stands twice `exact` finds both copies in the other's one, but not the other way round."""
    sides = {"a": [[("A", 0, 0), ("A", 0, 0)], [("A", 0, 0)]], "b": [[("A", 0, 0)], []]}
    said = "exact depends on the order of the annotators, so it is left out."
    assert said in assay.agreement(sides, ["exact", "fair"], times=10).notes
    with pytest.raises(AssayError, match=said):
        assay.agreement(sides, ["exact"], times=10)
