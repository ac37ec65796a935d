"""Curves, areas, Brier scores, log loss and calibration, from cases with exact answers."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.stats.confidence import (
    Confidences,
    CountedCurve,
    calibrate,
    choose_threshold,
    fill_bins,
    mean_precision,
    mean_square,
    mean_surprise,
    roc_auc,
    squared_errors,
    surprises,
    sweep_thresholds,
    thin_curve,
)

TEXT = (Path(__file__).parents[2] / "data" / "item_cases.jsonl").read_text(encoding="utf-8")
CASES = [json.loads(line) for line in TEXT.splitlines()]


def cases(kind: str) -> Any:
    return pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES if c["kind"] == kind])


def exact(value: Any) -> Any:
    """What a case expects of a number; None is undefined."""
    number = value[1] if isinstance(value, list) else value
    return pytest.approx(math.nan if number is None else number, abs=2e-12, nan_ok=True)


def answers_of(case: Any, names: str = "confidence") -> Confidences:
    right = np.array([label == case.get("positive", "yes") for label in case["gold"]])
    return Confidences.of(np.array([float(text) for text in case[names]]), right)


def check_curve(curve: CountedCurve, expected: Any) -> None:
    scores = curve.scores()
    assert curve.threshold.tolist() == [row["threshold"] for row in expected]
    for name in ("tp", "fp", "fn"):
        assert getattr(curve, name).tolist() == [row[name] for row in expected]
    for name in {"precision", "recall", "f1"} & {*expected[0]}:
        assert scores[name].tolist() == [exact(row[name]) for row in expected]


def check_calibration(answers: Confidences, expected: Any, bins: int) -> None:
    made_of = calibrate(answers, bins, times=100)
    assert made_of is not None
    found = made_of[0]
    for name, made, value, floor in (
        ("ece", fill_bins(answers, bins), found.ece, found.floor),
        ("ece-mass", fill_bins(answers, bins, by_mass=True), found.ece_mass, found.floor_mass),
    ):
        rows = expected[name]["bins"]
        assert made.number.tolist() == [row["bin"] for row in rows]
        assert made.items.tolist() == [row["items"] for row in rows]
        assert made.confidence.tolist() == [exact(row["confidence"]) for row in rows]
        assert made.right.tolist() == [exact(row["right"]) for row in rows]
        assert (value, floor) == (exact(expected[name]["value"]), exact(expected[name]["floor"]))
        assert made.squared == exact(expected[name]["squared, debiased"])
    assert found.mce == exact(expected["ece"]["mce"])
    assert found.squared == exact(expected["ece-mass"]["squared, debiased"])


@cases("confidence")
def test_confidences_of_a_positive_label(case: Any) -> None:
    answers, expected = answers_of(case), case["expected"]
    curve = sweep_thresholds(answers)
    check_curve(curve, expected["curve"])
    assert mean_precision(answers) == exact(expected["average-precision"])
    assert roc_auc(answers) == exact(expected["auc"])
    assert curve.threshold[choose_threshold(curve, "f1")] == expected["threshold of the highest f1"]
    assert answers.are_probabilities == case["probabilities"]
    if case["probabilities"]:
        assert mean_square(answers) == exact(expected["brier"])
        loss, impossible = mean_surprise(answers)
        assert (loss, impossible) == (exact(expected["log-loss"]), expected["log-loss impossible"])
        check_calibration(answers, expected["calibration of the positive label"], expected["bins"])


@cases("distribution")
def test_distributions_over_labels(case: Any) -> None:
    expected, labels = case["expected"], sorted(case["distribution"][0])
    shares = np.array([[float(row[label]) for label in labels] for row in case["distribution"]])
    truth = np.array([[label == gold for label in labels] for gold in case["gold"]])
    assert squared_errors(shares, truth).mean() == exact(expected["brier"])
    losses = surprises(shares[truth])
    assert np.isnan(losses).sum() == expected["log-loss impossible"]
    assert losses.mean() == exact(expected["log-loss"])
    for name, function in (("auc", roc_auc), ("average-precision", mean_precision)):
        values = {label: function(Confidences.of(shares[:, i], truth[:, i])) for i, label in enumerate(labels)}
        defined = {label: value for label, value in values.items() if not math.isnan(value)}
        assert defined == {label: exact(value) for label, value in expected[f"{name} by label"].items()}
        assert sum(defined.values()) / len(defined) == exact(expected[f"{name} macro"])
    answers = shares.argmax(axis=1)
    assert [labels[code] for code in answers] == expected["answers"]
    right = truth[np.arange(len(truth)), answers]
    check_calibration(
        Confidences.of(shares.max(axis=1), right), expected["calibration of the answer"], expected["bins"]
    )


@cases("threshold")
def test_thresholds_chosen_elsewhere(case: Any) -> None:
    dev, test = (answers_of(case[name]) for name in ("dev", "test"))
    expected = case["expected"]
    curve = sweep_thresholds(dev)
    best = choose_threshold(curve, "f1")
    assert curve.threshold[best] == expected["threshold"]
    assert curve.scores()["f1"][best] == exact(expected["f1 on dev"])
    applied = sweep_thresholds(test)
    counted = int((applied.threshold >= expected["threshold"]).sum())
    assert np.append(0.0, applied.scores()["f1"])[counted] == exact(expected["f1 on test"])
    highest = "highest f1 on test (not to be reported)"
    assert applied.scores()["f1"][choose_threshold(applied, "f1")] == exact(expected[highest])


def test_threshold_with_a_least_recall() -> None:
    answers = Confidences.of(np.array([0.9, 0.8, 0.7, 0.6, 0.5]), np.array([True, False, True, True, False]))
    curve = sweep_thresholds(answers)
    assert curve.threshold[choose_threshold(curve, "precision", ("recall", 0.9))] == 0.6
    assert curve.threshold[choose_threshold(curve, "recall", ("precision", 0.75))] == 0.6
    assert choose_threshold(curve, "recall", ("precision", 1.01)) == -1


@cases("span-confidence")
def test_confidences_of_spans(case: Any) -> None:
    gold = {tuple(row) for row in case["gold"]}
    right = np.array([tuple(row[:4]) in gold for row in case["system"]])
    confidence = np.array([float(row[4]) for row in case["system"]])
    answers = Confidences.of(confidence, right, len(gold) - int(right.sum()))
    curve = sweep_thresholds(answers)
    check_curve(curve, case["expected"]["curve"])
    assert mean_precision(answers) == exact(case["expected"]["average-precision"])
    assert curve.scores()["recall"][-1] == exact(case["expected"]["highest recall"])


@cases("compare-confidence")
def test_brier_of_two_systems(case: Any) -> None:
    truth = np.array([label == "yes" for label in case["gold"]])
    a, b = (squared_errors(np.array(list(map(float, case[name]))), truth) for name in "ab")
    difference = b - a
    assert difference.mean() == exact(case["expected"]["difference brier"])
    signs = np.array(list(itertools.product([1, -1], repeat=len(a))))
    p = (np.abs(signs @ difference) >= abs(difference.sum()) - 1e-12).mean()
    assert p == exact(case["expected"]["p brier"])


def test_files_add_up_in_any_order() -> None:
    rng = np.random.default_rng(1)
    confidence, right = rng.integers(0, 20, 300) / 20, rng.random(300) < 0.5
    confidence[::50] = np.nan
    whole = Confidences.of(confidence, right, 3)
    parts = Confidences.of(confidence[100:], right[100:], 1) + Confidences.of(confidence[:100], right[:100], 2)
    assert all(np.array_equal(getattr(whole, name), getattr(parts, name)) for name in vars(whole))
    assert str(calibrate(whole)) == str(calibrate(parts))
    assert mean_precision(whole) == mean_precision(parts)


def test_items_without_a_confidence_are_below_all_others() -> None:
    confidence, right = np.array([0.9, 0.2, np.nan, np.nan]), np.array([True, False, True, False])
    assert roc_auc(Confidences.of(confidence, right)) == roc_auc(Confidences.of(np.nan_to_num(confidence), right))
    assert sweep_thresholds(Confidences.of(confidence, right)).scores()["recall"][-1] == 0.5


def test_ranking_is_unchanged_by_increasing_maps() -> None:
    rng = np.random.default_rng(2)
    scores, right = rng.normal(size=200).round(1), rng.random(200) < 0.4
    answers, mapped = Confidences.of(scores, right), Confidences.of(np.exp(scores), right)
    assert (roc_auc(answers), mean_precision(answers)) == (roc_auc(mapped), mean_precision(mapped))
    assert roc_auc(Confidences.of(-scores, right)) == pytest.approx(1 - roc_auc(answers))


def test_floor_of_many_items_is_that_of_draws() -> None:
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 0.5, 20_000)
    answers = Confidences.of(p, rng.random(len(p)) < p)
    made = calibrate(answers)
    assert made is not None
    found, bins, band = made
    place = np.ceil(p * 15).astype(np.int64)
    draws = [
        np.abs(np.bincount(place, weights=(rng.random(len(p)) < p) - p, minlength=16)).sum() / len(p)
        for _ in range(400)
    ]
    assert found.floor == pytest.approx(np.mean(draws), abs=4 * np.std(draws) / 20)
    assert found.p > 0.01
    assert found.low == 0
    assert (band[:, 0] <= bins.confidence).all()
    assert (band[:, 1] >= bins.confidence).all()


def test_overconfidence_is_found() -> None:
    rng = np.random.default_rng(4)
    made = calibrate(Confidences.of(np.full(500, 0.9), rng.random(500) < 0.7))
    assert made is not None
    found, _, band = made
    assert found.p < 0.001
    assert 0.1 < found.low < found.ece < found.high < 0.3
    assert band[0, 1] < 0.95


def test_nothing_to_calibrate() -> None:
    nothing = Confidences.of(np.array([math.nan]), np.array([True]))
    assert calibrate(nothing) is None
    assert choose_threshold(sweep_thresholds(nothing), "f1") == -1
    assert mean_precision(nothing) == 0
    assert math.isnan(mean_square(nothing))


def test_thinned_curves_keep_their_ends() -> None:
    rng = np.random.default_rng(5)
    curve = sweep_thresholds(Confidences.of(rng.random(5000), rng.random(5000) < 0.1))
    thin = thin_curve(curve)
    assert 250 <= len(thin.threshold) <= 500
    assert (thin.threshold[[0, -1]] == curve.threshold[[0, -1]]).all()
    assert thin.fn[-1] == thin.tn[-1] == 0


def test_floor_clips_impossible_answers() -> None:
    loss, impossible = mean_surprise(Confidences.of(np.array([0.0, 0.5]), np.array([True, True])), 1e-12)
    assert loss == pytest.approx((12 * math.log(10) + math.log(2)) / 2)
    assert impossible == 0
