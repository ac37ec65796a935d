"""Corrections for many tests at once; nan stays nan and does not count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def holm(values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values."""
    return _adjust(values, lambda rank, tests: tests - rank, from_smallest=True)


def bonferroni(values: Sequence[float]) -> list[float]:
    """Every p times the number of tests."""
    return _adjust(values, lambda rank, tests: tests, from_smallest=True)


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """The step-up adjusted p-values that control the false discovery rate."""
    return _adjust(values, lambda rank, tests: tests / (rank + 1), from_smallest=False)


def _adjust(values: Sequence[float], factor: Callable[[int, int], float], *, from_smallest: bool) -> list[float]:
    """Each p times a factor of its rank and of the number of tests, and never below those before it in the order."""
    p = np.asarray(values, dtype=np.float64)
    adjusted = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    scaled = np.array([p[index] * factor(rank, len(order)) for rank, index in enumerate(order)])
    if len(scaled):
        monotone = np.maximum.accumulate(scaled) if from_smallest else np.minimum.accumulate(scaled[::-1])[::-1]
        adjusted[order] = np.minimum(monotone, 1.0)
    return [float(value) for value in adjusted]
