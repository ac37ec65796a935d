"""Power of the shuffling test: the difference that it would find, and the number of units that it would need.

The test only depends on the directions in which units differ. So the sizes of their differences are kept, and
directions are tilted: a unit favours A with a probability that grows with what it adds to the score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Array, Floats, Ints
from assay.stats.significance import Shuffling, all_shuffles, clopper_pearson
from assay.stats.tails import LOG_2, Difference, TiltedShuffling, least_tilt

MOST = 1000
"""The largest factor by which the number of units may grow."""
PLANNED = 2500
"""A quarter of the number of replicates if power is estimated from these."""
FEW_PLANNED = 12
"""With fewer units that differ, the number of units needed depends much on their share."""
_LEVELS = 100
"""The most sizes of differences that are drawn as they are."""
_SIMULATED, _MANY = 60, 2000
"""With fewer units that differ, sums are not normal, so power is simulated; up to `_MANY`, tosses are counted."""
_SLACK = 1e-12


class Planned(NamedTuple):
    """The number of units with which a true difference would be found."""

    difference: float
    units: int | None
    """None if no number is enough, or more than are considered."""
    fewest: int | None
    """The smallest number, if few units differ and their share is at an end of its interval …"""
    most: int | None
    """… and the largest."""
    reason: str = ""
    """Why there is no number: `beyond`, or `impossible` if all units in one direction are a smaller difference."""


class Detectable(NamedTuple):
    """The smallest difference that a test could have found, and the units that the observed one needs."""

    critical: float | None
    """The smallest difference that is significant."""
    smallest: float | None
    """The smallest true difference that is found with the wanted probability."""
    units: int | None
    """The number of units with which the observed difference would be found."""
    fewest: int | None
    """The number of units if the difference is as large as its interval allows; if few units differ, if as many
    differ as their share allows."""
    most: int | None
    """The number of units if the difference is as small, or as few units differ; None if no number is enough."""
    beyond: bool
    """True if more units are needed than are considered."""
    by_share: bool
    """True if few units differ, so that their share decides."""
    plans: tuple[Planned, ...]
    """The units that further differences need, and the observed one as the last."""


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
    draws: int,
    alpha: float,
    chance: float,
    planned: Sequence[float] = (),
) -> Detectable | None:
    """The power of a test of two systems (as in `shuffling_test`); None if they do not differ.

    `outcome` has the replicates of p, `ends` are the ends of the interval of the difference (b - a). `draws` is the
    number of all units, or of blocks of them if the rows are blocks. `planned` are further differences to plan for.
    """
    if not len(sizes) or math.isnan(outcome.p):
        return None
    tilted = TiltedShuffling(a, b, swaps, sizes, difference)
    found = _enumerate_power(tilted, alpha, chance)
    if found is None:
        null = outcome.halves
        if null is None and most_beyond(4 * PLANNED, alpha):
            null = tilted.draw(0.0, 4 * PLANNED, rng)
        if null is not None and most_beyond(len(null), alpha):
            found = _sample_power(tilted, null, alpha, chance, rng)
        else:
            found = _approximate_power(tilted, alpha, chance)

    # A number that nobody sees, and the ends of a range, need no simulation.
    is_shown = bool(planned) or outcome.p > alpha

    def count_units(effect: float | None, scale: float = 1.0, *, simulate: bool = is_shown) -> int | None:
        number = plan_units(tilted, effect, draws, alpha, chance, rng, scale, simulate=simulate)
        return None if number is None or number > MOST * draws else math.ceil(number * units / draws)

    few, largest = outcome.units < FEW_PLANNED, float(tilted.effect(tilted.far))

    def plan(effect: float | None, shown: float) -> Planned:
        if effect is not None and effect > largest * (1 + 1e-9):
            return Planned(shown, None, None, None, "impossible")
        number = count_units(effect)
        limits: list[int | None] = [None, None]
        if few:
            # The ends of the interval of the share of units that differ; for this effect, some of them must.
            shares = [share * draws / outcome.units for share in clopper_pearson(outcome.units, draws)]
            limits = [count_units(effect, max(scale, (effect or 0) / largest)) for scale in shares]
            limits.sort(key=lambda limit: math.inf if limit is None else limit)
        return Planned(shown, number, limits[0], limits[1], "beyond" if number is None else "")

    observed = float(difference(a, b))
    plans = [plan(effect, effect) for effect in planned]
    if not observed:
        return Detectable(*found, None, None, None, False, False, tuple(plans))
    pilot = plan(None, abs(observed))
    fewest, most = pilot.fewest, pilot.most
    if not few:
        low, high = ends if observed > 0 else (-ends[1], -ends[0])
        fewest, most = (count_units(end, simulate=False) if end > 0 else None for end in (high, low))
    most = most if pilot.units is not None else None
    beyond = pilot.reason == "beyond" and bool(tilted.gains.any())
    return Detectable(*found, pilot.units, fewest, most, beyond, few, (*plans, pilot))


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


def plan_units(
    tilted: TiltedShuffling,
    effect: float | None,
    draws: int,
    alpha: float,
    chance: float,
    rng: np.random.Generator,
    scale: float = 1.0,
    *,
    simulate: bool = True,
) -> float | None:
    """The number of units with which a true effect is found with this probability; None if no number is enough.

    Units are drawn from those of the pilot (`draws`), equal ones included; `scale` times as many of them differ.
    Their directions are tilted until they have this effect or, if it is None, are as likely as in the pilot. Each
    draw is tested with its own critical value.
    """
    largest = float(tilted.gains.max(initial=0.0))
    if not largest:
        return None
    chances = tilted.own if effect is None else tilted.chances(_find_tilt(tilted, effect / scale))
    # Only the size and the direction of a unit's part in the difference matter.
    gains, group = np.unique(np.round(tilted.gains / largest, 9), return_inverse=True)
    sizes, towards = (np.bincount(group, values)[gains > 0] for values in (tilted.sizes, tilted.sizes * chances))
    gains, rates, shares = gains[gains > 0], sizes * scale / draws, np.minimum(1.0, towards / sizes)
    moved = float(rates @ (gains * (2 * shares - 1)))
    if abs(moved) < 1e-12:
        return None
    shares = shares if moved > 0 else 1 - shares
    # Sums are multiples of a step, if there is one, plus a constant.
    steps = {part: gains / gains[0] * part for part in (1, 2, 3)}
    step = next((gains[0] / part for part, of in steps.items() if np.abs(of - np.rint(of)).max() < 1e-6), 0.0)
    rough = _plan_sums(gains, rates, shares, alpha, chance, step)
    differing = rough * float(rates.sum())
    if differing > _MANY:
        return rough
    if len(gains) == 1:
        return _plan_tosses(float(rates[0]), float(shares[0]), alpha, chance, rough)
    if differing >= _SIMULATED or not simulate:
        return rough
    if len(gains) > _LEVELS:
        # Sizes that differ by less than a tenth are one; this hardly changes the variance of sums.
        gains, levels = np.unique(np.exp(np.rint(10 * np.log(gains)) / 10), return_inverse=True)
        shares = np.bincount(levels, rates * shares) / np.bincount(levels, rates)
        rates, step = np.asarray(np.bincount(levels, rates), dtype=np.float64), 0.0
    normal = NormalDist()
    level, aim = normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(chance)
    for _ in range(3):
        number = math.ceil(rough)
        powers = [_draw_power(gains, rates, shares, alpha, step, number, rng) for _ in range(4)]
        # The quantile of the power is linear in the root of the units.
        power = min(max(sum(powers) / len(powers), 0.05), 0.9999)
        rough = number * ((level + aim) / (level + normal.inv_cdf(power))) ** 2
        if abs(rough / number - 1) < 0.03:
            break
    return rough


def _find_tilt(tilted: TiltedShuffling, effect: float) -> float:
    """The tilt with this effect, or the largest useful tilt; by false position."""
    low, below, high = 0.0, -effect, effect / max(float(tilted.sizes @ tilted.gains**2), 1e-300)
    while (above := float(tilted.effect(high)) - effect) < 0:
        if high >= tilted.far:
            return tilted.far
        low, below, high = high, above, min(tilted.far, 2 * high)
    for _ in range(100):
        if above <= 1e-15:
            break
        middle = (low * above - high * below) / (above - below)
        found = float(tilted.effect(middle)) - effect
        if found < 0:
            low, below, above = middle, found, above / 2
        else:
            high, above, below = middle, found, below / 2
    return high


def _plan_sums(gains: Floats, rates: Floats, shares: Floats, alpha: float, chance: float, step: float) -> float:
    """The number of draws for sums of many units.

    A sum divided by the root of the sum of squares is normal, with moments to second order. Its critical value has
    the fourth moment of the signs, and on average exceeds a normal one by the step of sums.
    """
    normal, signed = NormalDist(), 2 * shares - 1
    mean, third = (float(rates @ (gains**power * signed)) for power in (1, 3))
    square, fourth = (float(rates @ gains**power) for power in (2, 4))
    level, root = normal.inv_cdf(1 - alpha / 2), math.sqrt(square)
    together, spread = third - mean * square, fourth - square**2
    bias = -together / (2 * root**3) + 3 * mean * spread / (8 * root**5)
    variance = 1 - mean**2 / square - mean * together / square**2 + mean**2 * spread / (4 * square**3)
    reach = normal.inv_cdf(chance) * math.sqrt(max(variance, 0.0))
    first = ((level + reach) * root / mean) ** 2

    def is_enough(number: float) -> bool:
        critical = level - (level**3 - 3 * level) * fourth / (12 * number * square**2)
        return math.sqrt(number) * mean / root + (bias - step / root) / math.sqrt(number) >= critical + reach

    return first / 2 + _bisect(lambda more: is_enough(first / 2 + more), 3 * first, 40)


def _draw_power(
    gains: Floats, rates: Floats, shares: Floats, alpha: float, step: float, number: int, rng: np.random.Generator
) -> float:
    """The probability of a significant result with a number of units that are drawn, by the tail of each draw's sum.

    The tail is the saddlepoint approximation for sums with a step (Lugannani and Rice 1980, Daniels 1987).
    """
    chances = np.concatenate([rates * shares, rates * (1 - shares)])
    drawn = rng.multinomial(number, [*chances, max(0.0, 1 - float(chances.sum()))], PLANNED)
    towards, against = drawn[:, : len(gains)], drawn[:, len(gains) : -1]
    both, sums = towards + against, (towards - against) @ gains
    squares = both @ gains**2
    # All in one direction has a probability of its own. Tails of signs are lighter than normal ones, but not by much.
    one_way, level = (sums > 0) & ~against.any(axis=1), NormalDist().inv_cdf(1 - alpha / 2)
    scores = (sums - step) / np.sqrt(np.maximum(squares, 1e-300))
    sure = np.where(one_way, 2.0 ** (1.0 - both.sum(axis=1)) <= alpha * (1 + 1e-12), scores >= level + 0.2)
    kept = ~one_way & ~sure & (scores > level / 2)
    both, squares, aims = both[kept], squares[kept], sums[kept] - step
    tilts = aims / squares
    for _ in range(8):
        # The expected sum is concave in the tilt, so Newton's steps never go beyond the aim.
        moved = np.tanh(tilts[:, None] * gains)
        spread = np.maximum((both * (1 - moved**2)) @ gains**2, 1e-300)
        tilts += (aims - (both * moved) @ gains) / spread
    scaled = tilts[:, None] * gains
    norm = (both * (scaled + np.log1p(np.exp(-2 * scaled)) - LOG_2)).sum(axis=1)
    root = np.sqrt(np.maximum(2 * (tilts * aims - norm), 1e-12))
    slope = (np.sinh(np.minimum(step * tilts, 300)) / step if step else tilts) * np.sqrt(spread)
    outside = np.array([math.erfc(value / math.sqrt(2)) for value in root.tolist()])
    tails = outside + 2 * np.exp(-root * root / 2) / math.sqrt(2 * math.pi) * (1 / slope - 1 / root)
    return (int(np.count_nonzero(sure)) + int(np.count_nonzero(tails <= alpha))) / len(sums)


def _plan_tosses(rate: float, share: float, alpha: float, chance: float, rough: float) -> int:
    """The smallest number of units from which on a sign test finds a coin with this share of heads.

    A unit is a toss with this rate; `rough` is about the number that is needed.
    """
    rejected = toss_powers(share, int(2 * rough * rate + 20 * math.sqrt(rough * rate)) + 60, alpha)

    @cache
    def suffices(number: int) -> bool:
        return toss_power(number, rate, rejected) >= chance

    # If nearly all units differ, the power goes up and down as numbers grow, within about their root: the answer is
    # one more than the last number that is not enough.
    near = int(_bisect(lambda number: suffices(math.ceil(number)), 2 * rough + 20, 30))
    number = near + 3 + int(3 * math.sqrt(near)) * (rate > 0.5)
    while number > 0 and suffices(number):
        number -= 1
    return number + 1


def toss_power(number: int, rate: float, rejected: Floats) -> float:
    """The power of a sign test with a number of units, each of which is a toss with this rate; `rejected` has the
    power for each number of tosses."""
    if rate >= 1:
        return float(rejected[number])
    # Nine standard deviations away the probability is 0.
    reach = 9 * math.sqrt(number * rate * (1 - rate)) + 9
    first, end = max(0, math.floor(number * rate - reach)), min(number, math.ceil(number * rate + reach)) + 1
    return float(_toss_probabilities(number, rate, first, end) @ rejected[first:end])


def toss_powers(share: float, most: int, alpha: float) -> Floats:
    """The probability that a sign test is significant, for each number of tosses up to `most`.

    From one number of tosses to the next, the tails beyond the critical number of heads change by one term, for the
    fair coin and for the other.
    """
    powers, critical, logs = np.zeros(most + 1), 0, [math.lgamma(number + 1.0) for number in range(most + 1)]
    head, tail = (math.log(max(part, 1e-300)) for part in (share, 1 - share))
    # The tail from the critical number of heads on: of the fair coin, of the other, and of its other side.
    tails = [1.0, 1.0, 1.0]

    def single(number: int, heads: int) -> list[float]:
        ways, rest = logs[number] - logs[heads] - logs[number - heads], number - heads
        logarithms = (-number * LOG_2, heads * head + rest * tail, heads * tail + rest * head)
        return [math.exp(ways + logarithm) for logarithm in logarithms]

    for number in range(1, most + 1):
        # One more toss: a head after one too few heads reaches the critical number.
        if critical:
            terms = zip((0.5, share, 1 - share), single(number - 1, critical - 1), strict=True)
            tails = [before + part * term for before, (part, term) in zip(tails, terms, strict=True)]
        while critical <= number and 2 * tails[0] > alpha * (1 + 1e-12):
            tails = [before - term for before, term in zip(tails, single(number, critical), strict=True)]
            critical += 1
        powers[number] = tails[1] + tails[2] if critical <= number else 0.0
    return powers


def _toss_probabilities(number: int, share: float, first: int, end: int) -> Floats:
    """Probability of each number of heads from `first` to before `end`, in `number` tosses."""
    start = math.lgamma(number + 1) - math.lgamma(first + 1) - math.lgamma(number - first + 1)
    start += first * math.log(share) + (number - first) * math.log1p(-share)
    heads = np.arange(first + 1, end)
    steps = np.log((number - heads + 1) / heads) + math.log(share / (1 - share))
    return np.asarray(np.exp(start + np.concatenate([[0.0], np.cumsum(steps)])))
