"""Confidences of answers, which add up over shards: the rows that a Result has of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from assay.result import Calibration, CalibrationBin, Curve, Threshold, ThresholdPoint
from assay.stats.confidence import (
    Confidences,
    average_precision,
    brier,
    calibrate,
    log_loss,
    roc_auc,
    sweep_thresholds,
    thin_curve,
)
from assay.stats.confidence import Curve as Counted

ANSWERS, LABEL, BRIER, LOG_LOSS = "answers", "label", "brier", "log-loss"
"""What confidences are of: the answers that thresholds and calibration are about, or single labels besides. The last
two are values of each item, if these are not made of the first."""
Confident = Mapping[tuple[str, str, str], Confidences]
"""By system, what confidences are of, and label; the label of all answers is empty."""
BINS = Calibration.number
"""The number of bins, unless a measure says another."""
_POINTS, _LEAST_POINTS = 500, 50


def curve_rows(confident: Confident) -> Iterator[Curve]:
    """The curves of each system; if there are many labels, each has fewer points."""
    for (system, kind, label), answers in confident.items():
        if kind in (ANSWERS, LABEL):
            labels = sum(key[:2] == (system, LABEL) for key in confident)
            curve = thin_curve(sweep_thresholds(answers), max(_LEAST_POINTS, _POINTS // max(1, labels)))
            area = roc_auc(answers) if label else math.nan
            points, recall = tuple(_points(curve, bool(label))), _highest_recall(answers)
            yield Curve(system, label or None, points, average_precision(answers), area, recall)


def _points(curve: Counted, by_item: bool) -> Iterator[ThresholdPoint]:
    for threshold, tp, fp, fn, tn in zip(*(field.tolist() for field in curve), strict=True):
        yield ThresholdPoint(threshold, tp, fp, fn, tn if by_item else None)


def _highest_recall(answers: Confidences) -> float:
    return int(answers.right.sum()) / answers.positives if answers.positives else math.nan


def calibration_rows(confident: Confident, seed: int, times: int) -> Iterator[Calibration]:
    """What the confidences of each system are worth."""
    for (system, kind, label), answers in confident.items():
        if kind != ANSWERS:
            continue
        by_label = [one for key, one in confident.items() if key[:2] == (system, LABEL)]
        precision, area = (
            _mean_defined([function(one) for one in by_label or [answers]])
            for function in (average_precision, roc_auc)
        )
        area = area if label or by_label else math.nan
        count, recall = int(answers.sizes.sum()), _highest_recall(answers)
        row = Calibration(system, label or None, count, precision, area, recall)
        found = calibrate(answers, BINS, seed, times) if answers.are_probabilities else None
        if found is None:
            yield row
            continue
        loss, of_items = log_loss(answers), confident.get((system, BRIER, ""))
        if (system, LOG_LOSS, "") in confident:
            loss = _mean(confident[system, LOG_LOSS, ""])
        bins = (found.bins.number, found.bins.items, found.bins.confidence, found.bins.right, found.low, found.high)
        yield replace(
            row,
            brier=brier(answers) if of_items is None else _mean(of_items)[0],
            highest_brier=1 if of_items is None else 2,
            log_loss=loss[0],
            impossible=loss[1],
            ece=found.ece,
            low=found.interval[0],
            high=found.interval[1],
            floor=found.floor,
            p=found.p,
            mce=found.mce,
            ece_mass=found.ece_mass,
            floor_mass=found.floor_mass,
            squared=found.squared,
            bins=tuple(CalibrationBin(*row) for row in zip(*(field.tolist() for field in bins), strict=True)),
        )


def _mean(values: Confidences) -> tuple[float, int]:
    """The mean of values of items, and the number of items that have none."""
    missing = values.positives + values.negatives - int(values.sizes.sum())
    return float(values.values @ values.sizes) / int(values.sizes.sum()) if not missing else math.nan, missing


def _mean_defined(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def threshold_rows(confident: Confident, applied: Mapping[str, tuple[float, str | None]]) -> Iterator[Threshold]:
    """Each system at nine thresholds and at the one that was applied: tenths, or scores that cut off tenths of the
    answers."""
    for (system, kind, label), answers in confident.items():
        if kind != ANSWERS or not len(answers.values):
            continue
        grid = np.arange(1, 10) / 10
        if not answers.are_probabilities:
            above = np.cumsum(answers.sizes)
            grid = np.unique(answers.values[np.searchsorted(above, grid * above[-1])])
        value, chosen_on = applied.get(system, (math.nan, None))
        curve = sweep_thresholds(answers, np.unique([*grid, *[value] * (not math.isnan(value))]))
        scores = [curve.scores()[name] for name in ("precision", "recall", "f1")]
        columns = (column.tolist() for column in (curve.threshold, curve.tp + curve.fp, *scores))
        for threshold, count, precision, recall, f1 in zip(*columns, strict=True):
            of = (chosen_on if threshold == value else None,)
            yield Threshold(system, label or None, threshold, count, precision, recall, f1, threshold == value, *of)
