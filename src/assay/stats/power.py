"""Power of the shuffling test: the difference that it would find, and the number of units that it would need.

The test only depends on the directions in which units differ. So the sizes of their differences are kept, and
directions are tilted: a unit favours A with a probability that grows with what it adds to the score.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Array, Floats, Ints
from assay.stats.significance import Shuffling, all_shuffles
from assay.stats.tails import LOG_2, Difference, TiltedShuffling, least_tilt

MOST = 1000
"""The largest factor by which the number of units may grow."""
PLANNED = 2500
"""The number of replicates for planning the number of units."""
_SLACK = 1e-12


class Detectable(NamedTuple):
    """The smallest difference that a test could have found, and the units that the observed one needs."""

    critical: float | None
    """The smallest difference that is significant."""
    smallest: float | None
    """The smallest true difference that is found with the wanted probability."""
    units: int | None
    """The number of units with which the observed difference would be found."""
    fewest: int | None
    """The number of units if the difference is as large as its interval allows."""
    most: int | None
    """The number of units if it is as small as its interval allows; None if no number is enough."""
    beyond: bool = False
    """True if more units are needed than are considered."""


def find_detectable(
    a: Floats,
    b: Floats,
    swaps: Any,
    sizes: Ints,
    difference: Difference,
    outcome: Shuffling,
    ends: tuple[float, float],
    rng: np.random.Generator,
    *,
    units: int,
    alpha: float,
    chance: float,
) -> Detectable | None:
    """The power of a test of two systems (as in `shuffling_test`); None if they do not differ.

    `outcome` has the replicates of p, `ends` are the ends of the interval of the difference (b - a).
    """
    if not len(sizes) or math.isnan(outcome.p):
        return None
    tilted = TiltedShuffling(a, b, swaps, sizes, difference)
    observed = float(difference(a, b))
    low, high = ends if observed > 0 else (-ends[1], -ends[0])
    null = outcome.halves
    if null is None and most_beyond(4 * PLANNED, alpha):
        null = tilted.draw(0.0, 4 * PLANNED, rng)
    if null is not None and not most_beyond(len(null), alpha):
        null = None
    differences = _enumerate_power(tilted, alpha, chance)
    if differences is None and null is None:
        differences = _approximate_power(tilted, alpha, chance)
    critical, smallest = differences or _sample_power(tilted, np.asarray(null), alpha, chance, rng)

    def plan(effect: float) -> int | None:
        if effect <= 0 or math.isnan(effect) or not tilted.gains.any():
            return None
        if len(tilted.rows) == 1:
            # All units differ in the same way, so only the number that favours A matters.
            tilt = _find_tilt(tilted, effect)
            share = 1.0 if tilt >= tilted.far * (1 - 1e-9) else float(tilted.chances(tilt)[0])
            return _plan_tosses(share, int(tilted.sizes[0]), units, alpha, chance)
        if null is None:
            # Sums of many units are normal.
            normal, squares = NormalDist(), tilted.sizes * tilted.gains**2
            moved = np.tanh(effect / float(squares.sum()) * tilted.gains)
            reach = normal.inv_cdf(1 - alpha / 2) * math.sqrt(float(squares.sum()))
            reach += normal.inv_cdf(chance) * math.sqrt(float(squares @ (1 - moved**2)))
            return math.ceil(units * max(1.0, (reach / effect) ** 2))
        return math.ceil(units * _plan_units(tilted, effect, null, alpha, chance, rng))

    needed = [plan(effect) for effect in (abs(observed), high, low)]
    beyond = needed[0] is not None and needed[0] > MOST * units
    shown = [None if number is None or number > MOST * units else int(number) for number in needed]
    return Detectable(critical, smallest, shown[0], shown[1], shown[2] if shown[0] is not None else None, beyond)


def _bisect(holds: Callable[[float], bool], high: float, steps: int = 60) -> float:
    """The smallest value up to `high` for which `holds` is true."""
    low = 0.0
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _enumerate_power(
    tilted: TiltedShuffling, alpha: float, chance: float
) -> tuple[float | None, float | None] | None:
    """The critical and the smallest detectable difference from all outcomes; None if there are too many."""
    everything = all_shuffles(tilted.sizes)
    if everything is None:
        return None
    shown, fair = everything
    signs = 2 * shown - tilted.sizes
    values = tilted.differences(signs @ tilted.rows / 2)
    # The smallest difference that is reached with a probability of at most alpha.
    order = np.argsort(-values, kind="stable")
    ordered = values[order]
    # Values that differ only by rounding are equal: the probability of the last is that of all.
    last = np.append(ordered[:-1] - ordered[1:] > _SLACK, True)
    fit = np.flatnonzero(last & (np.cumsum(fair[order]) <= alpha * (1 + 1e-12)))
    if not len(fit):
        return None, None
    critical = float(ordered[fit[-1]])
    hit = values >= critical - _SLACK
    hit &= fair > 0
    sums, logs = (signs @ tilted.gains)[hit], np.log(fair[hit])

    def power(tilt: float) -> float:
        # log cosh without overflow.
        scaled = tilt * tilted.gains
        norm = tilted.sizes @ (scaled + np.log1p(np.exp(-2 * scaled)) - math.log(2))
        return float(np.exp(logs + tilt * sums - norm).sum())

    # From below, because outcomes far out matter whose fair probabilities are too small for a float.
    high = min(tilted.far, 1 / math.sqrt(float(tilted.sizes @ tilted.gains**2)))
    while high < tilted.far and power(high) < chance:
        high = min(tilted.far, 2 * high)
    return critical, float(tilted.effect(_bisect(lambda tilt: power(tilt) >= chance, high)))


def _sample_power(
    tilted: TiltedShuffling, null: Floats, alpha: float, chance: float, rng: np.random.Generator
) -> tuple[float | None, float | None]:
    """The critical and the smallest detectable difference from replicates.

    Draws under one tilt are reweighted for all tilts near it.
    """
    times = len(null)
    critical = _find_critical(tilted.differences(null), alpha)
    if critical is None:
        return None, None
    beyond = NormalDist().inv_cdf(chance)
    squares = tilted.sizes * tilted.gains**2

    def is_far(tilt: float) -> bool:
        moved = np.tanh(np.minimum(tilt * tilted.gains, 350))
        spread = math.sqrt(float(squares @ (1 - moved**2)))
        return float(tilted.sizes * tilted.gains @ moved) >= critical + beyond * spread

    tilt = _bisect(is_far, tilted.far)
    for _ in range(5):
        halves = tilted.draw(tilt, times, rng)
        hit, sums = tilted.differences(halves) >= critical - _SLACK, 2 * halves @ tilted.gradient

        def weighed(other: float, at: float = tilt, sums: Floats = sums, hit: Array = hit) -> tuple[float, float]:
            logs = (other - at) * sums
            weights = np.exp(logs - logs.max())
            total = weights.sum()
            return float(weights[hit].sum() / total), float(total**2 / (weights @ weights))

        near = _bisect(lambda other, weighed=weighed: weighed(other)[0] >= chance, 2 * tilt, 40)  # type: ignore[misc]
        if weighed(near)[1] >= times / 4:
            return critical, float(tilted.effect(near))
        tilt = near
    return critical, float(tilted.effect(tilt))


def _find_critical(values: Floats, alpha: float) -> float | None:
    """The smallest difference with p ≤ alpha, p being (1 + hits) / (1 + replicates)."""
    number = most_beyond(len(values), alpha)
    largest = -np.sort(np.partition(-values, number)[: number + 1] if number < len(values) else -values)
    last = np.append(largest[:-1] - largest[1:] > _SLACK, number == len(values))
    fit = np.flatnonzero(last)
    return float(largest[fit[-1]]) if len(fit) else None


def _approximate_power(tilted: TiltedShuffling, alpha: float, chance: float) -> tuple[float | None, float | None]:
    """The critical and the smallest detectable difference if alpha is too small for replicates.

    The sum over units has the tail of its saddlepoint approximation (Lugannani and Rice 1980), and is normal around
    its mean.
    """
    sizes, gains = tilted.sizes, tilted.gains
    if alpha < 2.0 ** (1 - int(sizes[gains > 0].sum())):
        return None, None

    def moments(tilts: Floats) -> tuple[Floats, Floats]:
        moved = np.tanh(tilts * gains)
        return moved @ (sizes * gains), np.sqrt((1 - moved**2) @ (sizes * gains**2))

    def rarity(tilts: Floats) -> Floats:
        mean, spread = moments(tilts)
        norm = (tilts * gains + np.log1p(np.exp(-2 * tilts * gains)) - LOG_2) @ sizes
        root, step = np.sqrt(2 * (tilts[:, 0] * mean - norm)), np.maximum(tilts[:, 0] * spread, 1e-300)
        density = np.exp(-root * root / 2) / math.sqrt(2 * math.pi)
        outside = [math.erfc(value / math.sqrt(2)) for value in root.tolist()]
        # Far out, the probability is too small for a float.
        return np.asarray(1 / np.maximum(outside + 2 * density * (1 / step - 1 / root), 1e-300))

    # With so small a tilt, the expected sum is half a standard deviation.
    low = 0.5 / math.sqrt(float(sizes @ gains**2))
    critical = least_tilt(rarity, 1 / alpha, low, tilted.far)
    bound, beyond = float(moments(np.array([[critical]]))[0][0]), NormalDist().inv_cdf(chance)

    def reached(tilts: Floats) -> Floats:
        mean, spread = moments(tilts)
        return mean - beyond * spread

    return float(tilted.effect(critical)), float(tilted.effect(least_tilt(reached, bound, low, tilted.far)))


def most_beyond(times: int, alpha: float) -> int:
    """The largest number of replicates that may reach a difference with p ≤ alpha; 0 if p cannot be alpha."""
    probabilities = np.cumsum(np.full(times, 1 / (1 + times)))
    return int(np.searchsorted(probabilities, (alpha - 1 / (1 + times)) * (1 + 1e-12), side="right"))


# --- planning ---


def _plan_units(
    tilted: TiltedShuffling, effect: float, null: Floats, alpha: float, chance: float, rng: np.random.Generator
) -> float:
    """The factor by which the number of units must grow for a true effect; more than MOST if MOST is not enough.

    With k times as many units, sums are those of k replicates. So pools of replicates are doubled until the power is
    enough, then bisected; between two whole numbers the quantile of the power is linear in the root of the units.
    """
    normal = NormalDist()
    pools = {1: (null, tilted.draw(_find_tilt(tilted, effect), PLANNED, rng))}

    def power(pair: tuple[Floats, Floats], times: int) -> float:
        critical = _find_critical(tilted.differences(pair[0], times), alpha)
        if critical is None:
            return 0.0
        return float(np.mean(tilted.differences(pair[1], times) >= critical - _SLACK))

    def add_pools(pool: tuple[Floats, Floats], other_pool: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        return pool[0] + rng.permutation(other_pool[0]), pool[1] + rng.permutation(other_pool[1])

    times, reached = 1, power(pools[1], 1)
    if reached >= chance:
        return 1.0
    powers = {1: reached}
    while reached < chance:
        if times > MOST:
            return float(2 * times)
        pools[2 * times] = add_pools(pools[times], pools[times])
        times *= 2
        powers[times] = reached = power(pools[times], times)
    below, pair, above = times // 2, pools[times // 2], times
    part = times // 4
    while part:
        tried = add_pools(pair, pools[part])
        powers[below + part] = reached = power(tried, below + part)
        if reached < chance:
            below, pair = below + part, tried
        else:
            above = below + part
        part //= 2
    start, end, aim = (
        normal.inv_cdf(min(max(share, 1e-6), 1 - 1e-6)) for share in (powers[below], powers[above], chance)
    )
    roots = math.sqrt(below), math.sqrt(above)
    root = roots[0] + (roots[1] - roots[0]) * min(1.0, max(0.0, (aim - start) / max(end - start, 1e-9)))
    return math.ceil(100 * root * root) / 100


def _find_tilt(tilted: TiltedShuffling, effect: float) -> float:
    """The tilt with this effect, or the largest useful tilt."""
    return _bisect(lambda tilt: bool(tilted.effect(tilt) >= effect), tilted.far)


def _plan_tosses(share: float, differing: int, units: int, alpha: float, chance: float) -> int:
    """The number of units with which a test distinguishes a coin with this share of heads from a fair coin."""
    normal = NormalDist()
    gap = max(2 * share - 1, 1e-9)
    rough = ((normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(chance)) / gap) ** 2
    if rough / differing > 1.5 * MOST:
        return 2 * MOST * units

    @cache
    def suffices(number: int) -> bool:
        critical = _critical_heads(number, alpha)
        if critical is None or share >= 1:
            return critical is not None
        # One minus the probability of outcomes that are not significant; eight standard deviations away it is 0.
        reach = 8 * math.sqrt(number * share * (1 - share)) + 8
        first = max(0, number - critical + 1, math.floor(number * share - reach))
        fair = _toss_probabilities(number, share, first, min(critical, math.ceil(number * share + reach))).sum()
        return 1 - float(fair) >= chance

    # The power goes up and down as numbers grow, within about their root: the answer is one more than the last number
    # that is not enough. If there are very many, not all are tried.
    near = _bisect(lambda number: suffices(int(number)), max(8.0, 2 * rough + 20), 40)
    number, step = int(near + 3 * math.sqrt(near)) + 10, 1 + int(near) // 2000
    while number > 0 and suffices(number):
        number -= step
    return -(-max(1, number + step) * units // differing)


@lru_cache(1 << 15)
def _critical_heads(number: int, alpha: float) -> int | None:
    """Smallest significant number of heads in `number` tosses of a fair coin; None if there is none."""
    first = number // 2 + 1
    fair = _toss_probabilities(
        number, 0.5, first, min(number, math.ceil(number / 2 + 6 * math.sqrt(number) + 12)) + 1
    )
    fit = np.flatnonzero(2 * np.cumsum(fair[::-1])[::-1] <= alpha * (1 + 1e-12))
    return first + int(fit[0]) if len(fit) else None


def _toss_probabilities(number: int, share: float, first: int, end: int) -> Floats:
    """Probability of each number of heads from `first` to before `end`, in `number` tosses."""
    if first >= end:
        return np.zeros(0)
    start = math.lgamma(number + 1) - math.lgamma(first + 1) - math.lgamma(number - first + 1)
    start += first * math.log(share) + (number - first) * math.log1p(-share)
    heads = np.arange(first + 1, end)
    steps = np.log((number - heads + 1) / heads) + math.log(share / (1 - share))
    return np.asarray(np.exp(start + np.concatenate([[0.0], np.cumsum(steps)])))
