"""Means from few human labels and many labels of a judge: prediction-powered inference (PPI++)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.stats.intervals import score_interval, t_interval

FEW = 10
"""With fewer items on which judge and humans differ, the interval is too short."""


class JudgeEstimate(NamedTuple):
    """The mean that humans would find on all items, estimated from their labels and the judge's."""

    value: float
    weight: float
    """The weight of the judge, from 0 (humans alone) to 1."""
    variance: float
    humans: int
    """The number of items that humans labelled."""

    def score_ends(self) -> tuple[float, float]:
        """Wilson's interval of a score between 0 and 1; nan if the estimate is not between them."""
        if not (0 < self.value < 1 and self.variance > 0):
            return float("nan"), float("nan")
        return score_interval(self.value, self.value * (1 - self.value) / self.variance, self.humans)

    def difference_ends(self, low: float = -1.0, high: float = 1.0) -> tuple[float, float]:
        """Student's interval of a difference, or of a mean without Wilson's interval, cut to its limits."""
        return t_interval(self.value, self.variance, self.humans, low, high)


def estimate_with_judge(human: Floats, judge: Floats, judge_only: Floats) -> JudgeEstimate:
    """The mean by human labels, corrected by those of a judge (Angelopoulos, Duchi and Zrnic 2023).

    `human` and `judge` are the scores of the items that both labelled, `judge_only` those of the judge's other items.
    """
    both, further = len(human), len(judge_only)
    spread = float(np.var(np.concatenate([judge, judge_only]), ddof=1))
    together = float(np.mean((human - human.mean()) * (judge - judge.mean())))
    weight = min(1.0, max(0.0, together / ((1 + both / further) * spread))) if spread > 0 else 0.0
    rest = human - weight * judge
    value = weight * float(judge_only.mean()) + float(rest.mean())
    variance = weight**2 * _variance(judge_only) / further + _variance(rest) / both
    return JudgeEstimate(value, weight, variance, both)


def _variance(values: Floats) -> float:
    return float(np.var(values, ddof=1)) if len(values) > 1 else 0.0
