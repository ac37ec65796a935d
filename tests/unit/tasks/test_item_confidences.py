"""Confidences of items: of the positive label, of the answer, of all labels; answers by a threshold."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import assay
from commands import call

TEXT = (Path(__file__).parents[2] / "data" / "item_cases.jsonl").read_text("utf-8")
CASES = {case["id"]: case for case in map(json.loads, TEXT.splitlines())}
Writer = Callable[..., str]


@pytest.fixture
def table(tmp_path: Path) -> Writer:
    """Function that writes a table of columns and gives its path."""

    def write(name: str, **columns: Sequence[Any]) -> str:
        path = tmp_path / f"{name}.csv"
        columns = {"id": range(len(next(iter(columns.values())))), **columns}
        rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
        path.write_text("\n".join(rows) + "\n", "utf-8")
        return str(path)

    return write


def exact(value: Any) -> Any:
    return pytest.approx(math.nan if value is None else value[1], abs=2e-12, nan_ok=True)


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case["kind"] == "confidence"], ids=lambda c: c["id"]
)
def test_confidences_of_the_positive_label(case: Any, table: Writer) -> None:
    gold, system = table("gold", label=case["gold"]), table("a", confidence=case["confidence"])
    more = {} if case["probabilities"] else {"min_score": 0}
    if len({*case["gold"]}) < 2:
        with pytest.raises(assay.AssayError, match="confidences"):
            assay.score(gold, system, times=20)
        return
    result = assay.score(gold, system, times=20, **more)
    row, expected = result.calibration("a", "yes"), case["expected"]
    assert (row.average_precision, row.auc) == (exact(expected["average-precision"]), exact(expected["auc"]))
    points = [(point.threshold, point.tp, point.fp, point.fn) for point in result.curve("a").points]
    assert points == [(one["threshold"], one["tp"], one["fp"], one["fn"]) for one in expected["curve"]]
    if case["probabilities"]:
        assert row.brier == exact(expected["brier"])
        assert row.impossible == expected["log-loss impossible"]


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case["kind"] == "distribution"], ids=lambda c: c["id"]
)
def test_distributions_over_labels(case: Any, table: Writer) -> None:
    shares = {f"p:{label}": [row[label] for row in case["distribution"]] for label in "abc"}
    result = assay.score(table("gold", label=case["gold"]), table("a", **shares), times=20)
    row, expected = result.calibration("a"), case["expected"]
    assert result.score("a", "accuracy").value == exact(expected["accuracy"])
    assert (row.brier, row.highest_brier) == (exact(expected["brier"]), 2)
    assert (row.auc, row.average_precision) == (
        exact(expected["auc macro"]),
        exact(expected["average-precision macro"]),
    )
    assert row.impossible == expected["log-loss impossible"]
    found = {curve.label: curve.auc for curve in result.curves if curve.label}
    assert found == {label: exact(value) for label, value in expected["auc by label"].items()}


def test_confidences_of_answers_are_told_from_those_of_a_label(table: Writer) -> None:
    gold = table("gold", label=["yes", "no", "yes", "no"])
    of_answers = table("a", prediction=["yes", "no", "no", "no"], confidence=[0.9, 0.8, 0.6, 0.7])
    of_label = table("b", prediction=["yes", "no", "no", "no"], confidence=[0.9, 0.2, 0.4, 0.3])
    result = assay.score(gold, {"a": of_answers, "b": of_label}, times=20)
    assert [(row.system, row.label, row.items) for row in result.calibrations] == [("a", None, 4), ("b", "yes", 4)]
    # Of two labels, the confidence of the positive one is known from that of the answer.
    assert [row.auc for row in result.calibrations] == [1, 1]
    assert result.curve("a").highest_recall == 0.75
    assert result.calibration("a").brier == pytest.approx((0.01 + 0.04 + 0.36 + 0.09) / 4)


def test_thresholds_of_answers_leave_items_unanswered(table: Writer) -> None:
    gold = table("gold", label=["a", "b", "c"])
    system = table("s", prediction=["a", "b", "b"], confidence=[0.9, 0.3, 0.8])
    result = assay.score(gold, system, times=20, min_score=0.5)
    assert result.score("s", "accuracy", "coverage").value == pytest.approx(2 / 3)
    assert result.score("s", "accuracy", "value").value == pytest.approx(1 / 3)


def test_thresholds_of_sets_choose_labels(tmp_path: Path) -> None:
    gold = [{"id": "1", "labels": ["joy", "fear"]}, {"id": "2", "labels": []}]
    system = [{"id": "1", "labels": {"joy": 0.9, "fear": 0.4}}, {"id": "2", "labels": {"joy": 0.2, "fear": 0.6}}]
    for name, rows in (("gold", gold), ("a", system)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    paths = str(tmp_path / "gold.jsonl"), str(tmp_path / "a.jsonl")
    half, third = assay.score(*paths, times=20), assay.score(*paths, times=20, min_score=0.3)
    assert half.score("a", "label-f1(average=micro)", "f1").value == 0.5
    assert third.score("a", "label-f1(average=micro)", "f1").value == pytest.approx(0.8)
    assert {curve.label for curve in half.curves} == {None, "fear", "joy"}


def test_a_chosen_threshold_decides_the_answers(table: Writer, tmp_path: Path) -> None:
    case = CASES["threshold chosen elsewhere"]
    for name in ("dev", "test"):
        table(f"{name}-gold", label=case[name]["gold"])
        table(name, confidence=case[name]["confidence"])
    dev = ("score", "dev-gold.csv", "a=dev.csv", "--choose", "label-f1(positive=yes)", "-o", "chosen.json")
    assert call(*dev, folder=tmp_path).returncode == 0
    test = ("score", "test-gold.csv", "a=test.csv", "-m", "label-f1(positive=yes)", "--min-score", "chosen.json")
    data = json.loads(call(*test, "--format", "json", folder=tmp_path).stdout)
    (value,) = (row["value"] for row in data["scores"] if row["main"] and row["label"] is None)
    (row,) = (row for row in data["thresholds"] if row["applied"])
    assert (row["value"], value) == (case["expected"]["threshold"], exact(case["expected"]["f1 on test"]))


@pytest.mark.parametrize(
    ("columns", "refused"),
    [
        ({"confidence": [2, -1, 0]}, "From which score on is it yes? --min-score X"),
        ({"p:yes": [0.9, 0.5, 0.4], "p:no": [0.1, 0.5, 0.5]}, "the probabilities sum to 0.9, not to 1"),
    ],
)
def test_confidences_that_are_refused(table: Writer, columns: Any, refused: str) -> None:
    with pytest.raises(assay.AssayError, match=refused.replace("?", r"\?")):
        assay.score(table("gold", label=["yes", "no", "no"]), table("a", **columns))


def test_labels_that_are_not_the_highest_are_counted(table: Writer) -> None:
    shares = {"p:x": [0.9, 0.2], "p:y": [0.1, 0.8]}
    result = assay.score(table("gold", label=["x", "y"]), table("a", prediction=["y", "y"], **shares), times=20)
    assert any("1 label is not the highest" in text for text in result.warnings)
    assert result.score("a", "accuracy").value == 0.5
