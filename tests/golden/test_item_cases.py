"""Items without words: the cases of one label and of sets, whose answers are exact fractions."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.cases import each
from tests.itemtables import item_cases, items, value

import assay
from assay.result import Result

LABEL_SCORES = {
    "accuracy": ("accuracy", "value"),
    "macro-f1": ("label-f1", "macro-f1"),
    "macro-precision": ("label-f1", "macro-precision"),
    "macro-recall": ("label-f1", "macro-recall"),
    "weighted-f1": ("label-f1", "weighted-f1"),
    "micro-f1": ("label-f1", "f1"),
    "balanced-accuracy": ("balanced-accuracy", "value"),
    "mcc": ("mcc", "value"),
    "kappa": ("kappa", "kappa"),
    "kappa linear": ("kappa(weights=linear)", "kappa"),
    "kappa quadratic": ("kappa(weights=quadratic)", "kappa"),
}
MICRO = "label-f1(average=micro)"
SET_SCORES = {
    "subset-accuracy": ("subset-accuracy", "value"),
    "hamming-loss": ("hamming", "value"),
    "jaccard": ("jaccard", "value"),
    "samples-f1": ("samples-f1", "value"),
    "micro-f1": (MICRO, "f1"),
    "micro-precision": (MICRO, "precision"),
    "micro-recall": (MICRO, "recall"),
    "macro-f1": (MICRO, "macro-f1"),
    "weighted-f1": (MICRO, "weighted-f1"),
}


def scores_of(result: Result) -> dict[tuple[str, str, str | None], Any]:
    return {(row.measure, row.score, row.label): row for row in result.scores}


def check(rows: dict[tuple[str, str, str | None], Any], names: dict[str, tuple[str, str]], expected: Any) -> None:
    for name in names.keys() & expected.keys():
        assert rows[*names[name], None].value == pytest.approx(value(expected[name]), abs=1e-9, nan_ok=True), name


def check_ends(row: Any, ends: Any) -> None:
    expected = [value(end) for end in ends] if ends else [math.nan, math.nan]
    if row.df is not None and row.df % 1:
        # Groups of other sizes count as fewer equal ones, which the cases do not know: intervals are wider.
        assert row.low < expected[0] < expected[1] < row.high, row
        return
    assert [row.low, row.high] == pytest.approx(expected, abs=1e-8, nan_ok=True), row


@each("case", item_cases("labels"), ids=lambda case: case["id"])
def test_one_label(case: dict[str, Any]) -> None:
    expected, options = case["expected"], {}
    gold = items(case["gold"], order=tuple(case.get("order", ())))
    if "units" in case:
        gold, options = items(case["gold"], metadata={"group": case["units"]}), {"unit": "meta:group"}
    names = [spec for spec, _ in LABEL_SCORES.values() if "weights" not in spec or "order" in case]
    result = assay.score(gold, {"a": items(case["system"], "a")}, list(dict.fromkeys(names)), times=100, **options)
    rows = scores_of(result)
    check(rows, LABEL_SCORES, expected)
    assert result.about.items == expected["items"]
    assert any("no gold label" in line for line in result.warnings) == (expected["left out"] > 0)
    counts = next(row.counts for row in result.counts if row.measure == "accuracy")
    answered = expected["items"] - expected["unanswered"]
    assert (counts["right"], counts["gold"], counts["system"]) == (expected["right"], expected["items"], answered)
    if "accuracy interval score" in expected:
        check_ends(rows["accuracy", "value", None], expected["accuracy interval score"])
    if "accuracy interval wilson" in expected:
        wilson = assay.score(gold, {"a": items(case["system"], "a")}, "accuracy", interval="wilson", **options)
        check_ends(wilson.scores[0], expected["accuracy interval wilson"])
    for label, own in expected["labels"].items():
        for name in ("precision", "recall", "f1"):
            found = rows["label-f1", name, label].value
            assert found == pytest.approx(value(own[name]), abs=1e-9, nan_ok=True), (label, name)
        if "f1 interval score" in own:
            check_ends(rows["label-f1", "f1", label], own["f1 interval score"])
    confusion = {f"{row.gold} → {row.assigned or '(no answer)'}": row.count for row in result.confusion}
    wrong = {pair: number for pair, number in expected["confusion"].items() if len({*pair.split(" → ")}) > 1}
    assert confusion == wrong


@each("case", item_cases("ignored"), ids=lambda case: case["id"])
def test_ignored_labels_leave_means_but_not_accuracy(case: dict[str, Any]) -> None:
    gold, system = items(case["gold"]), {"a": items(case["system"], "a")}
    result = assay.score(gold, system, times=100, ignore_labels=case["ignore"])
    assert "--labels and --ignore-labels are for label-f1; accuracy counts all items." in result.notes
    rows = scores_of(result)
    names = {"micro-precision": ("label-f1", "precision"), "micro-recall": ("label-f1", "recall"), **LABEL_SCORES}
    check(rows, names, case["expected"])


@each("case", item_cases("compare"), ids=lambda case: case["id"])
def test_two_systems(case: dict[str, Any]) -> None:
    expected = case["expected"]
    systems = {name: items(case[name], name) for name in ("a", "b")}
    result = assay.compare(items(case["gold"]), systems, times=1000)
    tests = {row.measure: row for row in result.comparisons if row.test == "shuffling"}
    for name, measure in (("accuracy", "accuracy"), ("macro-f1", "label-f1")):
        if f"difference {name}" in expected:
            assert tests[measure].difference == pytest.approx(value(expected[f"difference {name}"]), abs=1e-9)
        if f"p {name}" in expected:
            assert tests[measure].p == pytest.approx(value(expected[f"p {name}"]), abs=1e-9)
    (mcnemar,) = (row for row in result.comparisons if row.test == "mcnemar")
    assert mcnemar.p_mid == pytest.approx(value(expected["mid-p accuracy"]), abs=1e-9)
    (diff,) = (row for row in result.diffs if row.slice is None)
    for name in ("corrections", "new_errors", "changed_errors"):
        assert getattr(diff, name) == expected[name], name
    assert result.bounds[0].upper == pytest.approx(value(expected["upper bound"]), abs=1e-9)


@each("case", item_cases("sets"), ids=lambda case: case["id"])
def test_sets(case: dict[str, Any]) -> None:
    expected, options = case["expected"], {"labels": case["inventory"]} if "inventory" in case else {}
    specs = list(dict.fromkeys(spec for spec, _ in SET_SCORES.values()))
    result = assay.score(items(case["gold"]), {"a": items(case["system"], "a")}, specs, times=100, **options)
    rows = scores_of(result)
    check(rows, SET_SCORES, expected)
    for label, own in expected["labels"].items():
        for name in ("precision", "recall", "f1"):
            if (MICRO, name, label) in rows or own["gold"] + own["system"]:
                found = rows[MICRO, name, label].value
                assert found == pytest.approx(value(own[name]), abs=1e-9, nan_ok=True), (label, name)
    if "micro-f1 interval score" in expected:
        check_ends(rows[MICRO, "f1", None], expected["micro-f1 interval score"])
