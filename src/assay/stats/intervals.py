"""Intervals: from resampled values, from the variance over units, and Wilson's for plain proportions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist

import numpy as np

from assay.arrays import Array, Floats, Ints

_NORMAL = NormalDist()
WITHIN = 0.1
"""The correlation of items within units that is assumed if few units have an error."""
STEADY = 30
"""With fewer units that have an error, the correlation within units is assumed."""
_NOTHING = 1e-24
"""Smaller variances are only rounding."""


def percentile(values: Floats, level: float = 0.95) -> tuple[float, float]:
    """The central interval of resampled values; nan if none is defined."""
    low, high = percentiles(values[None], level)[0].tolist()
    return low, high


def percentiles(values: Array, level: float = 0.95) -> Floats:
    """The central interval of each row of values, rows × (low, high), by numpy's default quantiles."""
    ordered = np.sort(values, axis=1)  # undefined values come last
    last = np.count_nonzero(~np.isnan(ordered), axis=1)[:, None] - 1
    tail = (1 - level) / 2
    place = last * np.array([tail, 1 - tail])
    before = np.clip(np.floor(place).astype(np.int64), 0, None)
    below, above = (
        np.take_along_axis(ordered, np.clip(index, 0, np.maximum(last, 0)), axis=1).astype(np.float64)
        for index in (before, before + 1)
    )
    share, step = place - before, above - below
    # From the nearer of the two, so that equal values are not changed.
    return np.asarray(np.where(share < 0.5, below + step * share, above - step * (1 - share)))


def bca(
    observed: float, values: Floats, jackknife: Floats, sizes: Ints, level: float = 0.95
) -> tuple[float, float] | None:
    """Bias-corrected and accelerated interval (Efron 1987), or None if it does not exist.

    `jackknife` are the values with one unit of each row left out, `sizes` the number of units with each row.
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
    """Wilson's score interval of a proportion, for independent items."""
    if total == 0:
        return float("nan"), float("nan")
    return _wilson(right / total, total, _NORMAL.inv_cdf((1 + level) / 2))


def _wilson(share: float, total: float, z: float) -> tuple[float, float]:
    centre = share + z * z / (2 * total)
    reach = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    # Rounding must not move an end beyond 0 and 1, nor away from them if all items or none are right.
    low, high = max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale)
    return 0.0 if share == 0 else low, 1.0 if share == 1 else high


def effective_items(
    share: float,
    variance: float,
    present: float,
    items: float = math.inf,
    rarer: float = math.inf,
    steady: float = STEADY,
) -> float:
    """The number of independent items whose share would have the variance that this share has over units.

    `present` units have any of the `items`, and `rarer` of these have a wrong item, or a right item if that is rarer.
    If they are far fewer than `steady`, a correlation within units is assumed besides the variance. If the number of
    items is unknown, only the variance counts; if then none or all are right, each unit counts as one item.
    """
    spread = share * (1 - share)
    if math.isfinite(items):
        observed = variance * items / spread if spread > 0 else 1.0
        assumed = 1 + WITHIN * max(0.0, items / present - 1) * min(1.0, max(0.0, (steady - rarer) / 24))
        return items / max(1.0, observed, assumed)
    return present if spread <= 0 or variance < _NOTHING else spread / variance


def score_interval(share: float, effective: float, units: float, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a share with the effective number of its items; nan for a single unit."""
    if units < 2 or not effective > 0 or math.isnan(share):
        return math.nan, math.nan
    return _wilson(share, effective, t_quantile((1 + level) / 2, units - 1))


def t_interval(
    value: float, variance: float, units: float, low: float = -math.inf, high: float = math.inf, level: float = 0.95
) -> tuple[float, float]:
    """Student's interval of a value with this variance over units, cut to the range of the value."""
    if units < 2 or math.isnan(value) or math.isnan(variance):
        return math.nan, math.nan
    reach = t_quantile((1 + level) / 2, units - 1) * math.sqrt(variance)
    return max(low, value - reach), min(high, value + reach)


def average_variance(variances: Sequence[float], degrees: Sequence[float]) -> tuple[float, float]:
    """The variance of the plain mean of independent values, and its degrees of freedom (Satterthwaite 1946)."""
    parts = [variance / len(variances) ** 2 for variance in variances]
    total = math.fsum(parts)
    squares = math.fsum(part * part / freedom for part, freedom in zip(parts, degrees, strict=True))
    return total, total * total / squares if squares else math.fsum(degrees)


def average_interval(
    values: Sequence[float],
    variances: Sequence[float],
    degrees: Sequence[float],
    shrunk: Sequence[tuple[float, float]],
) -> tuple[float, float, float, float, float]:
    """The interval of the mean of several shares, its variance with its degrees of freedom, and its effective items.

    `shrunk` are the shares with another half item right and half item wrong, and their variances, because a share
    without errors varies too.
    """
    least = [max(variance, other) for variance, (_, other) in zip(variances, shrunk, strict=True)]
    variance, freedom = average_variance(least, degrees)
    share = math.fsum(values) / len(values)
    inner = share if 0 < share < 1 else math.fsum(value for value, _ in shrunk) / len(shrunk)
    items = inner * (1 - inner) / variance
    return *_wilson(share, items, t_quantile(0.975, freedom)), variance, freedom, items


@cache
def t_quantile(chance: float, degrees: float) -> float:
    """Quantile of Student's t with these degrees of freedom, for a probability above one half.

    scipy has it too, but loading it takes longer than many comparisons.
    """
    low, high = 0.0, 2.0
    while t_tail(high, degrees) > 1 - chance:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if t_tail(middle, degrees) > 1 - chance else (low, middle)
    return (low + high) / 2


def t_tail(value: float, degrees: float) -> float:
    """Probability that Student's t with these degrees of freedom exceeds a value of at least 0.

    Half of the incomplete beta function I_x(degrees/2, 1/2) at x = degrees / (degrees + t²).
    """
    square = value * value
    x, rest = degrees / (degrees + square), square / (degrees + square)
    return 0.5 if rest == 0 else _incomplete_beta(degrees / 2, 0.5, x, rest, -math.log1p(square / degrees)) / 2


def _incomplete_beta(a: float, b: float, x: float, rest: float, log_x: float) -> float:
    """Probability that a variable with the distribution Beta(a, b) is at most x; `rest` is 1 - x."""
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + b * math.log(rest) + a * log_x)
    # The continued fraction converges fast only on one side of the mode; on the other, that of the other tail does.
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, rest) / b


def beta_tail(a: float, b: float, x: float) -> float:
    """Probability that a variable with the distribution Beta(a, b) exceeds x, between 0 and 1."""
    return _incomplete_beta(b, a, 1 - x, x, math.log1p(-x))


def beta_quantiles(a: Sequence[float], b: Sequence[float], shares: Sequence[float]) -> list[float]:
    """Quantiles of distributions Beta(a, b), by Newton's method on logits, a step for all at once."""
    number = len(a)
    low, high, logits = [-700.0] * number, [36.0] * number, [math.log(x / y) for x, y in zip(a, b, strict=True)]
    scale = [math.lgamma(x + y) - math.lgamma(x) - math.lgamma(y) for x, y in zip(a, b, strict=True)]
    left = list(range(number))
    for _ in range(200):
        points = []
        for index in left:
            logit = logits[index]
            log_x = -math.log1p(math.exp(-logit)) if logit > 0 else logit - math.log1p(math.exp(logit))
            points.append((1 / (1 + math.exp(-logit)), 1 / (1 + math.exp(logit)), log_x))
        # The continued fraction of the tail in which it converges fast.
        below = [x < (a[index] + 1) / (a[index] + b[index] + 2) for index, (x, *_) in zip(left, points, strict=True)]
        sides = [
            (a[index], b[index], x) if is_below else (b[index], a[index], rest)
            for index, is_below, (x, rest, _) in zip(left, below, points, strict=True)
        ]
        # For a few numbers, arrays take longer to make than to use.
        few = len(sides) < 48
        fractions = [_beta_fraction(*side) for side in sides] if few else _beta_fractions(*np.array(sides).T).tolist()
        moving = []
        for index, is_below, (_, rest, log_x), fraction in zip(left, below, points, fractions, strict=True):
            logit, own_a, own_b = logits[index], a[index], b[index]
            front = math.exp(scale[index] + own_b * math.log(rest) + own_a * log_x)
            over = (front * fraction / own_a if is_below else 1 - front * fraction / own_b) - shares[index]
            if over > 0:
                high[index] = logit
            else:
                low[index] = logit
            slope = math.exp(scale[index] + own_a * log_x + own_b * math.log(rest))
            after = logit - (over / slope if slope else math.inf)
            # Outside of what is known, the middle is next.
            logits[index] = after if low[index] < after < high[index] else (low[index] + high[index]) / 2
            if abs(logits[index] - logit) >= 1e-12 * max(1.0, abs(logits[index])):
                moving.append(index)
        left = moving
        if not left:
            break
    return [1 / (1 + math.exp(-logit)) for logit in logits]


def exceed_zero(value: float, variance: float, degrees: float) -> float:
    """One-sided p of the hypothesis that a value with this variance is 0 or less."""
    if variance <= 0:
        return 0.0 if value > 0 else 1.0
    tail = t_tail(abs(value) / math.sqrt(variance), degrees)
    return tail if value > 0 else 1 - tail


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), from its front by Lentz's method."""
    tiny = 1e-300
    upper, lower = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    value = lower
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            lower = 1 / ((1 + term * lower) or tiny)
            upper = (1 + term / upper) or tiny
            step = upper * lower
            value *= step
        if abs(step - 1) < 1e-16:
            break
    return value


def _beta_fractions(a: Array, b: Array, x: Array) -> Floats:
    """The continued fractions of many incomplete beta functions, with the digits of `_beta_fraction`."""

    def avoid_zero(numbers: Array) -> Array:
        return np.where(numbers == 0, 1e-300, numbers)

    values = np.empty(len(a))
    left: Array = np.arange(len(a))
    upper: Array = np.ones(len(a))
    lower: Array = 1 / avoid_zero(1 - (a + b) * x / (a + 1))
    value = lower
    for m in range(1, 10_000):
        step = upper
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            lower = 1 / avoid_zero(1 + term * lower)
            upper = avoid_zero(1 + term / upper)
            step = upper * lower
            value = value * step
        values[left] = value
        moving = ~(np.abs(step - 1) < 1e-16)
        if not moving.any():
            break
        if not moving.all():
            left, a, b, x, upper, lower, value = (
                column[moving] for column in (left, a, b, x, upper, lower, value)
            )
    return values
