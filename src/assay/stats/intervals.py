"""Intervals from resampled values, and Wilson's for plain proportions."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from assay.arrays import Array, Floats, Ints

_NORMAL = NormalDist()


def percentile(values: Floats, level: float = 0.95) -> tuple[float, float]:
    """The middle share of resampled values; nan where too few of them are defined."""
    low, high = percentiles(values[None], level)[0].tolist()
    return low, high


def percentiles(values: Array, level: float = 0.95) -> Floats:
    """The same for each row of values: rows × (low, high), the quantiles that numpy gives by default."""
    ordered = np.sort(values, axis=1)  # what is undefined comes last
    last = np.count_nonzero(~np.isnan(ordered), axis=1)[:, None] - 1
    tail = (1 - level) / 2
    place = last * np.array([tail, 1 - tail])
    before = np.clip(np.floor(place).astype(np.int64), 0, None)
    below, above = (
        np.take_along_axis(ordered, np.clip(index, 0, np.maximum(last, 0)), axis=1).astype(np.float64)
        for index in (before, before + 1)
    )
    share, step = place - before, above - below
    # From the nearer of the two, so that equal values stay what they are.
    return np.asarray(np.where(share < 0.5, below + step * share, above - step * (1 - share)))


def bca(
    observed: float, values: Floats, jackknife: Floats, sizes: Ints, level: float = 0.95
) -> tuple[float, float] | None:
    """Bias-corrected and accelerated interval (Efron 1987), or None where it does not exist.

    `jackknife` are the values with one unit of each row left out, `sizes` how many units have that row.
    """
    values = values[~np.isnan(values)]
    if np.isnan(observed) or np.isnan(jackknife).any() or not len(values):
        return None
    below = (np.mean(values < observed) + np.mean(values <= observed)) / 2
    deviations = np.average(jackknife, weights=sizes) - jackknife
    spread = float(np.sum(sizes * deviations**2))
    if not 0 < below < 1 or spread == 0:
        return None
    bias = _NORMAL.inv_cdf(float(below))
    acceleration = float(np.sum(sizes * deviations**3)) / (6 * spread**1.5)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + _NORMAL.inv_cdf(tail)
        ends.append(_NORMAL.cdf(bias + shifted / (1 - acceleration * shifted)))
    low, high = np.quantile(values, ends)
    return float(low), float(high)


def wilson(right: float, total: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion; it takes items as independent."""
    if total == 0:
        return float("nan"), float("nan")
    z = _NORMAL.inv_cdf((1 + level) / 2)
    share = right / total
    centre = share + z * z / (2 * total)
    reach = z * np.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    # At 0 and 1 the ends are exact; rounding must not carry them beyond.
    return max(0.0, float((centre - reach) / scale)), min(1.0, float((centre + reach) / scale))
