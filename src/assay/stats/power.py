"""Power of the shuffling test: the difference that it would find, and the number of units that it would need.

The test only depends on the directions in which units differ. So the sizes of their differences are kept, and
directions are tilted: a unit favours A with a probability that grows with what it adds to the score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats, Ints
from assay.stats.significance import Shuffling, all_shuffles, clopper_pearson
from assay.stats.streams import SHUFFLING, Stream
from assay.stats.tails import LOG_2, Difference, TiltedShuffling

MOST = 1000
"""The largest factor by which the number of units may grow."""
PLANNED = 5000
"""The number of new test sets from which the power of a number of units is estimated."""
FEW_PLANNED = 12
"""With fewer units that differ, the number of units needed depends much on their share."""
_OUTCOMES = 1 << 16
"""Up to this number, outcomes are enumerated; the approximation for more of them is as good."""
_LEVELS = 12
"""The most sizes of differences that are drawn as they are."""
_SIMULATED, _MANY = 60, 2000
"""With fewer units that differ, sums are not normal, so power is simulated; up to `_MANY`, tosses are counted."""
_ROUNDS = 8
"""The most numbers of units whose power is simulated."""
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
    stream: Stream,
    *,
    units: int,
    draws: int,
    alpha: float,
    chance: float,
    planned: Sequence[float] = (),
    amounts: Ints | None = None,
) -> Detectable | None:
    """The power of a test of two systems (as in `shuffling_test`); None if they do not differ.

    `outcome` is that of the test, `ends` are the ends of the interval of the difference (b - a). `draws` is the
    number of all units, or of blocks of them if the rows are blocks. `planned` are further differences to plan for.
    `amounts` are the parts of rows in the difference, in any measure, if it is a sum of these.
    """
    if not len(sizes) or math.isnan(outcome.p):
        return None
    tilted = TiltedShuffling(a, b, swaps, sizes, difference, amounts=amounts)
    found = _enumerate_power(tilted, alpha, chance) or _approximate_power(tilted, alpha, chance)

    # A number that nobody sees needs no simulation; the ends of a range are off by the same factor.
    is_shown = bool(planned) or outcome.p > alpha

    def count_units(effect: float | None, scale: float = 1.0, *, simulate: bool = False) -> float | None:
        return plan_units(tilted, effect, draws, alpha, chance, stream, scale, simulate=simulate)

    def show(number: float | None, factor: float = 1.0) -> int | None:
        return None if number is None or number > MOST * draws else math.ceil(factor * number * units / draws)

    few, largest = outcome.units < FEW_PLANNED, float(tilted.effect(tilted.far))

    def plan(effect: float | None, shown: float) -> Planned:
        if effect is not None and effect > largest * (1 + 1e-9):
            return Planned(shown, None, None, None, "impossible")
        number = count_units(effect, simulate=is_shown)
        limits: list[int | None] = [None, None]
        if few and number is not None and (rough := count_units(effect)):
            # The ends of the interval of the share of units that differ; for this effect, some of them must.
            shares = [share * draws / outcome.units for share in clopper_pearson(outcome.units, draws)]
            scales = [max(scale, (effect or 0) / largest) for scale in shares]
            limits = [show(count_units(effect, scale), number / rough) for scale in scales]
            limits.sort(key=lambda limit: math.inf if limit is None else limit)
        needed = show(number)
        return Planned(shown, needed, limits[0], limits[1], "beyond" if needed is None else "")

    observed = float(difference(a, b))
    plans = [plan(effect, effect) for effect in planned]
    if not observed:
        return Detectable(*found, None, None, None, False, False, tuple(plans))
    pilot = plan(None, abs(observed))
    fewest, most = pilot.fewest, pilot.most
    if not few:
        low, high = ends if observed > 0 else (-ends[1], -ends[0])
        fewest, most = (show(count_units(end)) if end > 0 else None for end in (high, low))
    most = most if pilot.units is not None else None
    beyond = pilot.reason == "beyond" and bool(tilted.gains.any())
    return Detectable(*found, pilot.units, fewest, most, beyond, few, (*plans, pilot))


def _find_root(function: Callable[[float], float], low: float, far: float) -> float:
    """The argument at which an increasing function reaches 0, or `far` if that is less; from above, by false
    position from a first guess (`low`), better too low than too high."""
    low, below, high, side = 0.0, function(0.0), min(low, far), 0
    if below >= 0:
        return 0.0
    # Closer than this, values may be nothing but rounding.
    enough = -1e-12 * below
    while (above := function(high)) < 0:
        if high >= far:
            return far
        low, below, high = high, above, min(far, 1.5 * high)
    for _ in range(60):
        middle = (low * above - high * below) / (above - below)
        value = function(middle)
        # The value at an end that stays is reduced, so that both ends come nearer (Anderson and Björck 1973).
        if value < 0:
            above *= (max(0.0, 1 - value / below) or 0.5) if side < 0 else 1.0
            low, below, side = middle, value, -1
        else:
            below *= (max(0.0, 1 - value / above) or 0.5) if side > 0 else 1.0
            high, above, side = middle, value, 1
        if 0 <= value <= enough or high - low <= 1e-14 * high:
            break
    return high


def _guess_tilt(alpha: float, chance: float, square: float) -> float:
    """The tilt with which a normal sum of units with this sum of squares would be significant with this chance."""
    normal = NormalDist()
    return max(0.5, normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(chance)) / math.sqrt(square)


def _enumerate_power(
    tilted: TiltedShuffling, alpha: float, chance: float
) -> tuple[float | None, float | None] | None:
    """The critical and the smallest detectable difference from all outcomes; None if there are too many."""
    if tilted.is_sum and len(tilted.sizes) == 1 and tilted.gains[0] and tilted.sizes[0] < _OUTCOMES:
        limits = _limit_tosses(int(tilted.sizes[0]), alpha, chance)
        if limits is None:
            return None, None
        surplus, tilt = limits
        (critical,) = tilted.differences(surplus * tilted.rows / 2).tolist()
        return critical, float(tilted.effect(tilt / float(tilted.gains[0])))
    everything = all_shuffles(tilted.sizes, _OUTCOMES)
    if everything is None:
        return None
    shown, fair = everything
    signs = 2 * shown - tilted.sizes
    # The second half of the outcomes mirrors the first.
    half = -(-len(signs) // 2)
    values = tilted.differences(signs[:half] @ tilted.rows / 2)
    values = np.concatenate([values, values[: len(signs) - half][::-1]])
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
        return float(np.exp(logs + tilt * sums - tilted.sizes @ _log_cosh(tilt * tilted.gains)).sum())

    # From below, because outcomes far out matter whose fair probabilities are too small for a float.
    low = _guess_tilt(alpha, chance, float(tilted.sizes @ tilted.gains**2))
    return critical, float(tilted.effect(_find_root(lambda tilt: power(tilt) - chance, low, tilted.far)))


@lru_cache(1 << 14)
def _limit_tosses(number: int, alpha: float, chance: float) -> tuple[int, float] | None:
    """The least surplus of heads that is significant in a number of tosses, and the tilt of the coin with which such
    a result has this probability; None if no result is significant."""
    least, logs = (table[: number + 1] for table in _critical_heads(alpha, 1 << number.bit_length()))
    critical = int(least[number])
    if critical > number:
        return None
    heads = np.arange(critical, number + 1)
    fair = logs[number] - logs[heads] - logs[number - heads] - number * LOG_2

    def power(tilt: float) -> float:
        sums = tilt * (2 * heads - number)
        norm = number * float(_log_cosh(np.array(tilt)))
        return float((np.exp(fair + sums - norm) + np.exp(fair - sums - norm)).sum())

    low = _guess_tilt(alpha, chance, number)
    return 2 * critical - number, _find_root(lambda tilt: power(tilt) - chance, low, 40.0)


def _approximate_power(tilted: TiltedShuffling, alpha: float, chance: float) -> tuple[float | None, float | None]:
    """The critical and the smallest detectable difference if there are too many outcomes to enumerate.

    The sum over units has the tails of its saddlepoint approximation for sums with a step, if there is one (Lugannani
    and Rice 1980, Daniels 1987). Tilted sums are an exponential family, so one saddlepoint is that of all tilts.
    """
    gains, sizes, step, _ = tilted.levels
    if alpha < 2.0 ** (1 - int(sizes.sum())):
        return None, None
    total, far = float(sizes @ gains), tilted.far * float(tilted.gains.max())
    amounts, squares = sizes * gains, sizes * gains**2

    def expect(tilt: float) -> float:
        return float(amounts @ np.tanh(tilt * gains))

    def norm(tilt: float) -> float:
        return float(sizes @ _log_cosh(tilt * gains))

    def spread(tilt: float) -> float:
        return math.sqrt(float(squares @ (1 - np.tanh(tilt * gains) ** 2)))

    def tail(move: float, expected: float, norm_there: float, spread_there: float, norm_here: float) -> float:
        """The probability of a sum of at least `expected` plus a step, with a tilt `move` below the saddlepoint."""
        root = math.copysign(math.sqrt(max(0.0, 2 * (move * expected - norm_there + norm_here))), move)
        slope = (math.sinh(min(max(step * move, -300.0), 300.0)) / step if step else move) * spread_there
        outside = math.erfc(root / math.sqrt(2)) / 2
        if abs(root) < 1e-5 or not slope:
            return outside
        return outside + math.exp(-root * root / 2) / math.sqrt(2 * math.pi) * (1 / slope - 1 / root)

    def rarity(saddle: float) -> float:
        found = 2 * tail(saddle, expect(saddle), norm(saddle), spread(saddle), 0.0)
        return math.log(alpha) - math.log(max(found, 1e-300))

    square = float(sizes @ gains**2)
    critical = min(total, expect(_find_root(rarity, _guess_tilt(alpha, 0.5, square), far)) + step)
    if step:
        critical = total - 2 * step * math.floor((total - critical) / (2 * step) + 1e-9)
    saddle, reached = (
        _find_root(lambda tilt, goal=goal: expect(tilt) - goal, goal / square, far)  # type: ignore[misc]
        for goal in (critical - step, critical)
    )
    there = (critical - step, norm(saddle), spread(saddle))

    def power(tilt: float) -> float:
        norm_here = norm(tilt)
        return tail(saddle - tilt, *there, norm_here) + tail(saddle + tilt, *there, norm_here)

    tilts = reached, _find_root(lambda tilt: power(tilt) - chance, _guess_tilt(alpha, chance, square), far)
    bound, smallest = (float(tilted.effect(tilt / float(tilted.gains.max()))) for tilt in tilts)
    return bound, smallest


def _log_cosh(values: Floats) -> Floats:
    sizes = np.abs(values)
    return np.asarray(sizes + np.log1p(np.exp(-2 * sizes)) - LOG_2)


# --- planning ---


def plan_units(
    tilted: TiltedShuffling,
    effect: float | None,
    draws: int,
    alpha: float,
    chance: float,
    stream: Stream,
    scale: float = 1.0,
    *,
    simulate: bool = True,
) -> float | None:
    """The number of units with which a true effect is found with this probability; None if no number is enough.

    Units are drawn from those of the pilot (`draws`), equal ones included; `scale` times as many of them differ.
    Their directions are tilted until they have this effect or, if it is None, are as likely as in the pilot. Each
    draw is tested with its own critical value.
    """
    chances = tilted.own if effect is None else tilted.chances(_find_tilt(tilted, effect / scale))
    # Only the size and the direction of a unit's part in the difference matter.
    gains, sizes, step, group = tilted.levels
    towards = np.bincount(group, tilted.sizes * chances).astype(np.float64)
    towards = towards[len(towards) - len(gains) :]
    rates, shares = sizes * scale / draws, np.minimum(1.0, towards / sizes)
    moved = float(rates @ (gains * (2 * shares - 1)))
    if abs(moved) < 1e-12:
        return None
    shares = shares if moved > 0 else 1 - shares
    rough = _plan_sums(gains, rates, shares, alpha, chance, step)
    differing = rough * float(rates.sum())
    if differing > _MANY:
        return rough
    if len(gains) == 1 or shares.min() == 1:
        # If all have one direction, p only depends on their number.
        return _plan_tosses(float(rates.sum()), float(shares[0]), alpha, chance, rough)
    if differing >= _SIMULATED or not simulate:
        return rough
    if len(gains) > _LEVELS:
        # Sizes that differ by less than a fifth are one, with the mean and the variance of their sums.
        levels = np.unique(np.rint(5 * np.log(gains)), return_inverse=True)[1]
        sums = (rates, rates * gains**2, rates * gains * (2 * shares - 1))
        rates, squares, means = (np.bincount(levels, values).astype(np.float64) for values in sums)
        gains, step = np.sqrt(squares / rates), 0.0
        shares = np.clip((1 + means / (rates * gains)) / 2, 0.0, 1.0)
    normal = NormalDist()
    level, aim = normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(chance)
    rng = stream(SHUFFLING)
    for _ in range(_ROUNDS):
        number = math.ceil(rough)
        power = (_draw_power(gains, rates, shares, alpha, step, number, rng) + 1e-4) / (1 + 2e-4)
        # The quantile of the power is linear in the root of the units, if they are about enough.
        factor = ((level + aim) / max(level + normal.inv_cdf(power), 1e-3)) ** 2
        rough = number * min(max(factor, 0.5), 2.0)
        if abs(factor - 1) < 0.03:
            break
    return rough


def _find_tilt(tilted: TiltedShuffling, effect: float) -> float:
    """The tilt with this effect, or the largest useful tilt."""
    low = effect / max(float(tilted.sizes @ tilted.gains**2), 1e-300)
    return _find_root(lambda tilt: float(tilted.effect(tilt)) - effect, low, tilted.far)


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

    def exceed(more: float) -> float:
        number = first / 2 + more
        critical = level - (level**3 - 3 * level) * fourth / (12 * number * square**2)
        return math.sqrt(number) * mean / root + (bias - step / root) / math.sqrt(number) - critical - reach

    return first / 2 + _find_root(exceed, first / 2, 3 * first)


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

    normal = NormalDist()
    level, aim = normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(chance)
    # `rough` is mostly off by less than a hundredth, so the table for all numbers is seldom needed.
    near, most = 1.1 * rough, int(2 * rough) + 20

    @lru_cache(2)
    def powers(most: float) -> Floats:
        return toss_powers(share, int(most * rate + 20 * math.sqrt(most * rate)) + 60, alpha)

    @cache
    def power(number: int) -> float:
        return toss_power(number, rate, powers(near if number <= near else most))

    number, low, high, rounds = int(rough), -1, most, 0
    while high - low > 1:
        low, high = (low, number) if power(number) >= chance else (number, high)
        # The quantile of the power is about linear in the root of the number.
        quantile = normal.inv_cdf(min(max(power(number), 1e-9), 1 - 1e-9))
        guess = number * ((level + aim) / max(level + quantile, 1e-3)) ** 2
        number = int(min(max(guess, low + 1), high - 1)) if rounds < _ROUNDS else (low + high) // 2
        rounds += 1
    number = high
    # If nearly all units differ, the power goes up and down as numbers grow, within about their root: the
    # answer is one more than the last number that is not enough.
    number += 2 + int(3 * math.sqrt(number)) * (rate > 0.8 or number < 30)
    while number > 0 and power(number) >= chance:
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

    From one number of tosses to the next, the tail beyond the critical number of heads changes by one term, or two if
    that number changes too.
    """
    critical, logs = (table[: most + 1] for table in _critical_heads(alpha, 1 << most.bit_length()))
    # The first number of tosses with which a result can be significant: all are heads.
    first = int(np.argmax(critical <= np.arange(most + 1)))
    powers = np.zeros(most + 1)
    if not first:
        return powers
    number = np.arange(first, most)
    heads = critical[first:most]
    more = critical[first + 1 :] > heads
    for side, other in ((share, 1 - share), (1 - share, share)):
        head, tail = math.log(max(side, 1e-300)), math.log(max(other, 1e-300))
        # A head after one too few heads reaches the critical number, which may then be one more.
        logarithms = logs[number] - logs[heads - 1] - logs[number - heads + 1] + (number - heads + 1) * tail
        reached = np.exp(logarithms + heads * head)
        rest = number + 1 - heads
        lost = np.exp(logs[number + 1] - logs[heads] - logs[rest] + heads * head + rest * tail)
        powers[first:] += np.cumsum(np.append(math.exp(first * head), reached - lost * more))
    return powers


@lru_cache(8)
def _critical_heads(alpha: float, most: int) -> tuple[Ints, Floats]:
    """The smallest significant number of heads in each number of tosses up to `most`, or more if there is none; and
    the logarithms of factorials."""
    logs, critical = [math.lgamma(number + 1.0) for number in range(most + 2)], [1]
    heads, tail = 1, 0.0
    for number in range(1, most + 1):
        # The tail from the critical number on: one more toss adds a head after one too few heads.
        tail += math.exp(logs[number - 1] - logs[heads - 1] - logs[number - heads] - number * LOG_2)
        if 2 * tail > alpha * (1 + 1e-12):
            tail -= math.exp(logs[number] - logs[heads] - logs[number - heads] - number * LOG_2)
            heads += 1
        critical.append(heads)
    return np.array(critical), np.array(logs)


def _toss_probabilities(number: int, share: float, first: int, end: int) -> Floats:
    """Probability of each number of heads from `first` to before `end`, in `number` tosses."""
    start = math.lgamma(number + 1) - math.lgamma(first + 1) - math.lgamma(number - first + 1)
    start += first * math.log(share) + (number - first) * math.log1p(-share)
    heads = np.arange(first + 1, end)
    steps = np.log((number - heads + 1) / heads) + math.log(share / (1 - share))
    return np.asarray(np.exp(start + np.concatenate([[0.0], np.cumsum(steps)])))
