"""Rows of a Result about confidences: curves, calibration, thresholds; their tables."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.engine.confidences import (
    ANSWERS,
    BRIER,
    LABEL,
    LOG_LOSS,
    Confident,
    calibration_rows,
    curve_rows,
    threshold_rows,
)
from assay.render.tables import tables
from assay.result import Result
from assay.stats.confidence import Confidences

CONFIDENCE = np.array([0.9, 0.8, 0.7, 0.6, 0.55, 0.4, 0.3, 0.2])
YES = np.array([True, False, True, False, True, False, False, True])


def result_of(confident: Confident) -> Result:
    """A Result with these confidences."""
    result = assay.score([["A", "B"]], {"a": [["A", "A"]]}, times=10)
    return replace(
        result,
        curves=tuple(curve_rows(confident)),
        calibrations=tuple(calibration_rows(confident, 0, 100)),
        thresholds=tuple(threshold_rows(confident, {"a": (0.55, "0a1b")})),
    )


@pytest.fixture
def result() -> Result:
    return result_of({("a", ANSWERS, "yes"): Confidences.of(CONFIDENCE, YES)})


def test_curve_and_calibration_of_a_positive_label(result: Result) -> None:
    curve, row = result.curve("a"), result.calibration("a", "yes")
    assert (curve.label, len(curve.points), curve.points[0].tn) == ("yes", 8, 4)
    assert (
        (curve.average_precision, curve.auc) == (row.average_precision, row.auc) == (pytest.approx(83 / 120), 0.5625)
    )
    assert row.brier == pytest.approx(877 / 3200)
    assert row.low <= row.ece <= row.high
    assert sum(one.items for one in row.bins) == row.items == 8
    with pytest.raises(assay.AssayError, match="a has no curve of label 'no'"):
        result.curve("a", "no")
    assert Result.from_json(result.to_json()).to_json() == result.to_json()


def test_threshold_that_was_applied_is_marked(result: Result) -> None:
    assert [row.value for row in result.thresholds if not row.applied] == [n / 10 for n in range(1, 10)]
    (row,) = (row for row in result.thresholds if row.applied)
    assert (row.value, row.answers, row.precision, row.chosen_on) == (0.55, 5, 0.6, "0a1b")


def test_tables_and_the_line_on_calibration(result: Result) -> None:
    confidence, thresholds = tables(result, ("confidence", "thresholds"))
    assert [cell.text for cell in confidence.rows[0]][:6] == ["a", "yes", "8", ".692", ".562", ".274"]
    assert confidence.lines[0].startswith("a: ECE 35.6")
    assert "expected if calibrated, p = " in confidence.lines[0]
    assert [cell.text for cell in thresholds.rows[4]][:5] == ["a", "yes", "0.500", "5", "60.00"]


def test_labels_of_distributions_are_averaged() -> None:
    shares = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0], [0.4, 0.6, 0.0]])
    truth = np.eye(3, dtype=bool)
    loss = np.array([-math.log(0.5), -math.log(0.8), math.nan])
    every = np.ones(3, dtype=bool)
    confident = {
        ("a", ANSWERS, ""): Confidences.of(shares.max(axis=1), np.array([True, True, False]), 1),
        **{("a", LABEL, label): Confidences.of(shares[:, at], truth[:, at]) for at, label in enumerate("abc")},
        ("a", BRIER, ""): Confidences.of(((shares - truth) ** 2).sum(axis=1), every),
        ("a", LOG_LOSS, ""): Confidences.of(loss, every),
    }
    result = result_of(confident)
    row = result.calibration("a")
    assert (row.average_precision, row.auc, row.brier) == pytest.approx((7 / 9, 5 / 6, 0.7))
    assert math.isnan(row.log_loss)
    assert (row.impossible, row.highest_brier, row.ece) == (1, 2, pytest.approx(13 / 30))
    assert [curve.label for curve in result.curves] == [None, "a", "b", "c"]
    assert result.curve("a").points[0].tn is None
    (table,) = tables(result, ("confidence",))
    assert any("p = 0: a 1" in note for note in table.notes)


def test_scores_that_are_no_probabilities_have_an_order_only() -> None:
    result = result_of({("a", ANSWERS, "yes"): Confidences.of(np.array([2.5, -1, 0.3, 0.7, -0.2]), YES[:5])})
    row = result.calibration("a")
    assert row.auc == pytest.approx(2 / 3)
    assert math.isnan(row.ece) and math.isnan(row.brier) and not row.bins
    assert {row.value for row in result.thresholds} == {-1.0, -0.2, 0.3, 0.55, 0.7, 2.5}
    (table,) = tables(result, ("confidence",))
    assert not table.lines
