"""Correction for many tests at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values; nan stays nan and does not count."""
    p = np.asarray(values, dtype=np.float64)
    adjusted = np.full(len(p), np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    scaled = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return [float(value) for value in adjusted]
