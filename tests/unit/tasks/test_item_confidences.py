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
        ({"confidence": [2, -1, 0]}, "Give the lowest score that means yes: --min-score X"),
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


# --- measures ---


MEASURES = ("average-precision", "auc", "brier", "log-loss", "calibration(bins=10)")


@pytest.mark.parametrize("name", ["confidence, plain", "tied confidences", "calibrated, 30 items"])
def test_measures_of_the_positive_label(name: str, table: Writer) -> None:
    case, expected = CASES[name], CASES[name]["expected"]
    gold, system = table("gold", label=case["gold"]), table("a", confidence=case["confidence"])
    result = assay.score(gold, system, MEASURES, times=200)
    for measure in MEASURES[:4]:
        value = expected[measure]
        assert result.score("a", measure).value == exact(value if isinstance(value, list) else [None, value])
    errors = expected["calibration of the positive label"]
    for score, (kind, field) in {
        "ece": ("ece", "value"),
        "ece-mass": ("ece-mass", "value"),
        "mce": ("ece", "mce"),
        "floor": ("ece", "floor"),
        "squared": ("ece-mass", "squared, debiased"),
    }.items():
        assert result.score("a", MEASURES[4], score).value == exact(errors[kind][field])
    row = result.calibration("a")
    ece = result.score("a", MEASURES[4])
    assert (row.number, row.ece) == (10, pytest.approx(ece.value))
    assert ece.low <= ece.value <= ece.high
    assert [result.score("a", measure).lower for measure in MEASURES] == [False, False, True, True, True]


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case["kind"] == "distribution"], ids=lambda c: c["id"]
)
def test_measures_of_distributions(case: Any, table: Writer) -> None:
    shares = {f"p:{label}": [row[label] for row in case["distribution"]] for label in "abc"}
    gold, expected = table("gold", label=case["gold"]), case["expected"]
    result = assay.score(gold, table("a", **shares), MEASURES, times=50)
    for measure in MEASURES[:2]:
        assert result.score("a", measure).value == exact(expected[f"{measure} macro"])
        for label, value in expected[f"{measure} by label"].items():
            assert result.score("a", measure, label=label).value == exact(value)
    assert result.score("a", "brier").value == exact(expected["brier"])
    loss = expected["log-loss"]
    assert result.score("a", "log-loss").value == exact(None if loss is None else [None, loss])
    answers = expected["calibration of the answer"]["ece"]
    assert result.score("a", MEASURES[4]).value == exact(answers["value"])


def test_brier_scores_of_two_systems_are_compared_exactly(table: Writer) -> None:
    case = CASES["two systems' probabilities"]
    systems = {name: table(name, confidence=case[name]) for name in "ab"}
    result = assay.compare(table("gold", label=case["gold"]), systems, ["brier", "calibration"], times=200)
    rows = {row.measure: row for row in result.comparisons if row.score in ("value", "ece")}
    assert rows["brier"].difference == exact(case["expected"]["difference brier"])
    assert rows["brier"].p == exact(case["expected"]["p brier"])
    assert rows["brier"].lower
    # A system that always gives the share of positives has an ECE of 0.
    assert not rows["calibration"].judged
    assert 0 < rows["calibration"].p <= 1


def test_scores_next_to_labels_are_confidences_of_answers(table: Writer) -> None:
    given, expected = CASES["pipeline"]["call"], CASES["pipeline"]["expected"]
    columns = {name: [row[name] for row in given["system"]] for name in ("label", "score")}
    result = assay.score(table("gold", label=given["gold"]), table("a", **columns), "brier", times=50)
    assert result.score("a", "brier").value == exact(expected["brier of the answer"])
    assert result.calibrations[0].label is None


def test_a_distribution_with_a_single_one(table: Writer) -> None:
    gold, answers = ["x", "y", "z", "x"], ["x", "z", "z", "y"]
    shares = {f"p:{label}": [int(answer == label) for answer in answers] for label in "xyz"}
    result = assay.score(
        table("gold", label=gold), table("a", **shares), ["brier", "calibration", "accuracy"], times=50
    )
    wrong = 1 - result.score("a", "accuracy").value
    assert (result.score("a", "brier").value, result.score("a", "calibration").value) == (2 * wrong, wrong)


def test_impossible_answers_are_clipped_by_a_floor(table: Writer) -> None:
    gold, system = table("gold", label=["yes", "no"]), table("a", confidence=[0, 0.5])
    result = assay.score(gold, system, ["log-loss", "log-loss(floor=1e-12)"], times=50)
    assert math.isnan(result.score("a", "log-loss").value)
    clipped = result.score("a", "log-loss(floor=1e-12)").value
    assert clipped == pytest.approx((12 * math.log(10) + math.log(2)) / 2)


@pytest.mark.parametrize(
    ("measure", "columns", "refused"),
    [
        ("brier", {"prediction": ["ham", "spam", "ham"], "confidence": [2, -1, 0]}, "margins? logits?"),
        ("auc", {"prediction": ["ham", "spam", "ham"]}, "has no confidences"),
        ("auc", {"prediction": ["ham", "spam", "ham"], "confidence": [0.9, 0.8, 0.7]}, "auc(positive=ham)"),
        ("calibration(bins=0)", {"prediction": ["ham"] * 3, "confidence": [0.9, 0.8, 0.7]}, "bins is 1 or more"),
        ("log-loss", {"prediction": ["ham"] * 3, "confidence": [0.9, "", 0.7]}, "1 item has no answer"),
    ],
)
def test_measures_that_are_refused(table: Writer, measure: str, columns: Any, refused: str) -> None:
    with pytest.raises(assay.AssayError) as error:
        assay.score(table("gold", label=["ham", "spam", "ham"]), table("a", **columns), measure, times=20)
    assert refused in str(error.value)


def test_ranking_of_another_positive_label(table: Writer) -> None:
    gold = table("gold", label=["ham", "spam", "ham", "spam"])
    system = table("a", prediction=["ham", "spam", "spam", "spam"], confidence=[0.9, 0.2, 0.4, 0.3])
    values = [
        assay.score(gold, system, f"auc(positive={label})", times=50).overall[0].value for label in ("ham", "spam")
    ]
    assert values == [1, 0]


def test_a_score_that_only_one_system_has_is_not_tested(table: Writer) -> None:
    gold = table("gold", label=["yes", "no", "yes"])
    systems = {"a": table("a", confidence=[0.9, 0.2, 0.6]), "b": table("b", confidence=[0, 0.2, 0.6])}
    (row,) = assay.compare(gold, systems, "log-loss", times=50).comparisons
    assert math.isnan(row.difference)
    assert math.isnan(row.p)


def test_distributions_leave_unanswered_items_out_of_no_mean(table: Writer) -> None:
    shares = {"p:x": [0.9, 0.4], "p:y": [0.1, 0.6]}
    gold, system = table("gold", label=["x", "y"]), table("a", **shares)
    assert assay.score(gold, system, "calibration", times=50).score("a", "calibration").value == pytest.approx(0.25)
    with pytest.raises(assay.AssayError, match="1 item has no answer with a confidence"):
        assay.score(gold, system, "calibration", times=50, min_score=0.7)
