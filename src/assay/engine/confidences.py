"""Confidences of answers, which add up over shards: the rows that a Result has of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Floats
from assay.engine.matching import Matches
from assay.engine.task import find_task
from assay.errors import UsageError
from assay.result import Calibration, CalibrationBin, Curve, Result, Threshold, ThresholdPoint
from assay.result.encoding import dumps, to_plain
from assay.specs import read_fraction
from assay.stats.confidence import (
    Confidences,
    calibrate,
    choose_threshold,
    mean_precision,
    mean_square,
    mean_surprise,
    roc_auc,
    sweep_thresholds,
    thin_curve,
)

ANSWERS, LABEL, BRIER, LOG_LOSS = "answers", "label", "brier", "log-loss"
"""What confidences are of: the answers that thresholds and calibration are about, or single labels besides. The last
two are values of each item, if these are not made of the first."""
Confident = Mapping[tuple[str, str, str], Confidences]
"""By system, what confidences are of, and label; the label of all answers is empty."""
_SCORES = ("f1", "precision", "recall", "accuracy")
_OF_LABELS = ("positive", "average")
"""Parameters of a measure of labels that change nothing in counts."""
_LEAST = re.compile(r"\s*(precision|recall)\s*>=.*")
BINS = Calibration.number
"""The number of bins, unless a measure says another."""
_POINTS, _LEAST_POINTS = 500, 50


def rank_marks(
    pairs: Iterable[tuple[str, Pair]], match: Callable[[Pair], tuple[Matches, Floats]]
) -> dict[tuple[str, str, str], Confidences]:
    """The confidences of marks that systems find themselves; `match` gives the matches of a pair and the scores of
    the system's marks."""
    found = {}
    for name, pair in pairs:
        matches, scores = match(pair)
        if len(scores):
            hits = (matches.kind == 0) & (matches.system != NONE)
            counted = matches.new_system & (matches.system != NONE)
            missed = int(((matches.gold != NONE) & matches.new_gold & ~hits).sum())
            found[name, ANSWERS, ""] = Confidences.of(scores[matches.system[counted]], hits[counted], missed)
    return found


def curve_rows(confident: Confident) -> Iterator[Curve]:
    """The curves of each system; if there are many labels, each has fewer points."""
    for (system, kind, label), answers in confident.items():
        if kind in (ANSWERS, LABEL):
            labels = sum(key[:2] == (system, LABEL) for key in confident)
            curve = thin_curve(sweep_thresholds(answers), max(_LEAST_POINTS, _POINTS // max(1, labels)))
            # Of answers that systems find themselves, no right rejections are known.
            points = tuple(
                ThresholdPoint(threshold, tp, fp, fn, tn if label else None)
                for threshold, tp, fp, fn, tn in zip(*(field.tolist() for field in curve), strict=True)
            )
            area = roc_auc(answers) if label else math.nan
            yield Curve(system, label or None, points, mean_precision(answers), area, answers.highest_recall)


def calibration_rows(confident: Confident, seed: int, times: int, bins: int = BINS) -> Iterator[Calibration]:
    """The calibration of each system's confidences, with what they are worth as a ranking."""
    for (system, kind, label), answers in confident.items():
        if kind != ANSWERS:
            continue
        by_label = [one for key, one in confident.items() if key[:2] == (system, LABEL)]
        precision, area = (
            _mean_defined([function(one) for one in by_label or [answers]]) for function in (mean_precision, roc_auc)
        )
        area = area if label or by_label else math.nan
        count = int(answers.sizes.sum())
        row = Calibration(system, label or None, count, precision, area, answers.highest_recall, number=bins)
        found = calibrate(answers, bins, seed, times) if answers.are_probabilities else None
        if found is None:
            yield row
            continue
        figures, filled, band = found
        square, loss = (mean_square(answers), 0), mean_surprise(answers)
        if of_items := (system, BRIER, "") in confident:
            square, loss = (_mean(confident[system, name, ""]) for name in (BRIER, LOG_LOSS))
        columns = (filled.number, filled.items, filled.confidence, filled.right, *band.T)
        yield replace(
            row,
            **figures._asdict(),
            brier=square[0],
            highest_brier=2 if of_items else 1,
            log_loss=loss[0],
            impossible=loss[1],
            bins=tuple(CalibrationBin(*row) for row in zip(*(field.tolist() for field in columns), strict=True)),
        )


def _mean(values: Confidences) -> tuple[float, int]:
    """The mean of values of items, and the number of items that have none."""
    missing = values.positives + values.negatives - int(values.sizes.sum())
    return float(values.values @ values.sizes) / int(values.sizes.sum()) if not missing else math.nan, missing


def _mean_defined(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def threshold_rows(
    confident: Confident,
    applied: Mapping[str, tuple[float, str | None]],
    chosen: Mapping[str, float] | None = None,
    gold: str = "",
) -> Iterator[Threshold]:
    """Each system at nine thresholds, at the one that was applied and at the one that is chosen: tenths, or scores
    that cut off tenths of the answers.

    applied: by system the threshold below which answers do not count, and the gold on which it was chosen.
    chosen: by system the threshold that is chosen on this gold.
    """
    for (system, kind, label), answers in confident.items():
        if kind != ANSWERS or not len(answers.values):
            continue
        grid = np.arange(1, 10) / 10
        if not answers.are_probabilities:
            above = np.cumsum(answers.sizes)
            grid = np.unique(answers.values[np.searchsorted(above, grid * above[-1])])
        value, chosen_on = applied.get(system, (math.nan, None))
        best = (chosen or {}).get(system, math.nan)
        # Answers below the threshold that was applied are gone.
        grid = grid[~(grid < value)] if not label else grid
        special = [one for one in (value, best) if not math.isnan(one)]
        curve = sweep_thresholds(answers, np.unique([*grid, *special]))
        scores = [curve.scores()[name] for name in ("precision", "recall", "f1")]
        columns = (column.tolist() for column in (curve.threshold, curve.tp + curve.fp, *scores))
        for threshold, count, precision, recall, f1 in zip(*columns, strict=True):
            origin = gold if threshold == best else chosen_on if threshold == value else None
            row = (system, label or None, threshold, count, precision, recall, f1)
            yield Threshold(*row, applied=threshold == value, chosen_on=origin)


# --- chosen thresholds ---


def choose_thresholds(confident: Confident, spec: str, task: str) -> dict[str, float]:
    """The threshold of each system with the highest score that a measure or a least value asks for."""
    score, least = _read_goal(spec, task)
    found = {}
    for (system, kind, label), answers in confident.items():
        if kind == ANSWERS:
            # Items that are not answered are wrong.
            wanted = "recall" if score == "accuracy" and not label else score
            curve = sweep_thresholds(answers)
            place = choose_threshold(curve, wanted, least)
            if place < 0:
                raise UsageError(f"--choose {spec}: no threshold of {system} reaches this. Lower the limit.")
            found[system] = float(curve.threshold[place])
    if not found:
        raise UsageError(f"--choose {spec}: no system gives confidences for its answers.")
    return found


def _read_goal(spec: str, task: str) -> tuple[str, tuple[str, float] | None]:
    """The score that is to be highest, and the least value of another score: `recall>=0.9`."""
    if match := _LEAST.fullmatch(spec):
        _, least = read_fraction("--choose", spec, '"recall>=0.9" or "recall>=90pt"')
        if not 0 <= least <= 1:
            raise UsageError(f'--choose {spec}: scores are between 0 and 1. Write "recall>=0.9" or "recall>=90pt"')
        return "recall" if match[1] == "precision" else "precision", (match[1], least)
    if spec in _SCORES:
        return spec, None
    from assay.engine.measure import find

    measure = find(spec, task)
    main = measure.name if measure.main == "value" else measure.main.removeprefix("micro-")
    # Counts at a threshold are those of the task's first measure, or of one label.
    first = find(find_task(task).defaults[0], task)
    others = {name: value for name, value in measure.parameters.items() if name not in _OF_LABELS}
    plain = all(measure.defaults[name] == value for name, value in others.items())
    if main not in _SCORES or not plain or (measure.name != first.name and "positive" not in measure.parameters):
        raise UsageError(
            f"--choose {spec}: its main score ({measure.main}) is not computed at each threshold. Choose by "
            f'{first.name}, for one of several labels by "label-f1(positive=yes)", or by a minimum: "recall>=0.9"'
        )
    return main, None


def write_thresholds(result: Result, spec: str) -> str:
    """The thresholds that were chosen on the gold of a Result, as JSON for --min-score."""
    rows = [row for row in result.thresholds if row.chosen_on == result.gold.sha256]
    data = {
        "schema": "assay-thresholds/1",
        "measure": spec,
        "gold": {"path": result.gold.path, "sha256": result.gold.sha256},
        "thresholds": {
            row.system: {name: getattr(row, name) for name in ("value", "label", "precision", "recall", "f1")}
            for row in rows
        },
    }
    return f"{dumps(to_plain(data))}\n"
