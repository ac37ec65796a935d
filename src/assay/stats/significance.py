"""Tests of two systems on the same items, how exact a resampled p is, and the correction for many tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.classes import dataclass
from assay.stats.intervals import beta_quantiles
from assay.stats.resample import CHUNK_NUMBERS, shuffle_weights
from assay.stats.streams import SHUFFLING, TILTED, Stream
from assay.stats.tails import LOG_2, Difference, TiltedShuffling, least_extreme, sum_tail, swap_tail

Pair = tuple[int, int]
"""Two systems by their numbers."""
MOST_OUTCOMES = 1_000_000
"""Up to this number, shufflings are enumerated instead of drawn."""
FEW_OUTCOMES = 10_000
"""Up to this number also if a convolution has the exact p, which is faster for more."""
MOST_HELD = 1 << 23
"""The most sums of systems in memory at a time, when coins are tossed for all of them."""
RARE = 20
"""If fewer shufflings are as extreme as the observed difference, p comes from tilted draws."""
SMALLEST = 1e-300
"""No smaller p is reported, but its logarithm may be smaller."""
LOG_10 = math.log(10)
_FEW_SWAPS = 16
"""Up to this number of units, all swaps are made for scores that are no functions of sums."""
_MANY_FIELDS = 32
"""The number of fields from which units with equal differences are too rare to be merged."""
_EXACT = 50
"""The largest number of tosses for which all probabilities are exact floats."""
_MANY = 1 << 20
"""The number of heads from which the far tail is left out."""


@dataclass(frozen=True)
class Shuffling:
    """The outcome of the paired shuffling test."""

    p: float
    low: float
    """Lower end of the 95% interval of p for infinitely many shufflings; p itself if none were drawn."""
    high: float
    """Its upper end."""
    units: int
    """Number of units in which the systems differ."""
    method: str
    """`enumerated`, `exact` (a convolution), `drawn` or `tilted`."""
    log10_p: float | None
    """The logarithm of p, even if p is smaller than `SMALLEST`; None if p is undefined."""
    smallest_p: float | None
    """The smallest p of any outcome of the test."""

    @property
    def exact(self) -> bool:
        """True if p has no sampling error."""
        return self.method in ("enumerated", "exact")


def shuffling_test(
    a: Floats,
    b: Floats,
    swaps: Any,
    sizes: Ints,
    difference: Difference,
    stream: Stream,
    times: int,
    *,
    amounts: Ints | None = None,
    width: int = 0,
) -> Shuffling:
    """The two-sided paired shuffling (approximate randomisation) test; Noreen 1989.

    `a` and `b` are summed fields, `swaps` the distinct non-zero rows of A's counts minus B's, `sizes` the number of
    units of each row. Under the null hypothesis the two outputs for a unit can be exchanged. If the difference is
    proportional to the sum of whole numbers, one for each row, these are `amounts`. `width` is the number of values
    computed from a replicate, if they are more than fields.
    """
    width = max(width, swaps.shape[1])
    units = int(sizes.sum())
    observed = float(difference(a, b))
    if np.isnan(observed):
        p = math.nan if units else 1.0
        return Shuffling(p, p, p, units, "enumerated", None, None)
    bound = least_extreme(observed)

    def shuffle(weights: Floats) -> Floats:
        moved = np.asarray(weights @ swaps)
        return np.abs(difference(a - moved, b + moved))

    everything, tail = all_shuffles(sizes, min(FEW_OUTCOMES, MOST_OUTCOMES)), None
    if everything is None:
        tail = None if amounts is None else sum_tail(amounts, sizes)
        everything = all_shuffles(sizes) if tail is None else None
    if everything is not None:
        weights, probabilities = everything
        step = max(1, CHUNK_NUMBERS // max(1, width))
        values = np.concatenate([shuffle(weights[i : i + step]) for i in range(0, len(weights), step)])
        p, smallest = (
            min(1.0, math.fsum(probabilities[values >= least].tolist()))
            for least in (bound, least_extreme(float(np.nanmax(values))))
        )
        # Probabilities of very many units may be too small for a float.
        if p > SMALLEST:
            return Shuffling(p, p, p, units, "enumerated", math.log10(p), max(smallest, SMALLEST))
        tail = None if amounts is None else sum_tail(amounts, sizes)
    if amounts is not None and tail is not None:
        p, smallest = max(SMALLEST, math.exp(tail)), _smallest_p(int(sizes[amounts != 0].sum()))
        return Shuffling(p, p, p, units, "exact", tail / LOG_10, smallest)
    hits, drawn = 0, 0
    for weights in shuffle_weights(sizes, times, stream(SHUFFLING), max(width, len(sizes))):
        hits, drawn = hits + int(np.count_nonzero(shuffle(weights) >= bound)), drawn + len(weights)
        if not hits and 4 * drawn >= times:
            # None of a quarter of all draws is as extreme.
            break
    outcome = None
    if hits < min(RARE, times):
        outcome = tilted_test(a, b, swaps, sizes, difference, stream, times)
    return outcome or _estimate_p(hits, drawn, units)


def swap_test(
    difference: Callable[[Floats], Floats],
    units: int,
    times: int,
    rng: np.random.Generator,
    width: int,
    shares: Floats,
) -> Shuffling:
    """The shuffling test of a score that is no function of sums.

    `difference` is a function of the units that two systems exchange (units × replicates, 1 if they do); `units` is
    the number of those that differ, `width` the number of values that are computed from a replicate, and `shares` are
    the parts of these units in the difference, to first order.
    """
    observed = float(difference(np.zeros((units, 1)))[0])
    bound = least_extreme(observed)
    step, sizes = max(1, CHUNK_NUMBERS // max(1, width)), np.ones(units, dtype=np.int64)

    def subtract(moved: Floats) -> Floats:
        columns = (np.ascontiguousarray(moved[i : i + step].T) for i in range(0, len(moved), step))
        return np.concatenate([difference(of_step) for of_step in columns])

    if units <= _FEW_SWAPS:
        # If all units change sides, the difference only changes its sign: the first unit can stay.
        everything = all_shuffles(sizes[1:], 1 << _FEW_SWAPS)
        assert everything is not None
        moved, probabilities = np.pad(everything[0], ((0, 0), (units > 0, 0))), everything[1]
        values = np.abs(subtract(moved))
        p, smallest = (
            min(1.0, math.fsum(probabilities[values >= least].tolist()))
            for least in (bound, least_extreme(float(np.nanmax(values))))
        )
        return Shuffling(p, p, p, units, "enumerated", math.log10(p), smallest)
    hits, drawn = 0, 0
    for moved in shuffle_weights(sizes, times, rng, width):
        hits, drawn = hits + int(np.count_nonzero(np.abs(subtract(moved)) >= bound)), drawn + len(moved)
        if not hits and 4 * drawn >= times:
            # None of a quarter of all draws is as extreme.
            break
    if hits < min(RARE, times):
        sign = math.copysign(1.0, observed)
        tail = swap_tail(lambda moved: sign * subtract(moved), sign * shares, bound, rng, times)
        if tail is not None:
            return _of_tail(tail, units)
    return _estimate_p(hits, drawn, units)


def tilted_test(
    a: Floats, b: Floats, swaps: Any, sizes: Ints, difference: Difference, stream: Stream, times: int
) -> Shuffling | None:
    """The shuffling test by tilted draws, for rare differences; None if these draws do not reach them either."""
    # With many fields, hardly any units have equal differences.
    tilted = TiltedShuffling(a, b, swaps, sizes, difference, merged=swaps.shape[1] < _MANY_FIELDS)
    tail = tilted.tail(float(difference(a, b)), stream(TILTED), times)
    return None if tail is None else _of_tail(tail, int(sizes.sum()))


def _of_tail(tail: tuple[float, float], units: int) -> Shuffling:
    """The test whose p has this logarithm and this relative error."""
    logarithm, error = tail
    least = (1 - units) * LOG_2
    middle, low, high = (
        min(0.0, max(least, logarithm + math.log(max(factor, SMALLEST))))
        for factor in (1, 1 - 1.96 * error, 1 + 1.96 * error)
    )
    p, p_low, p_high = (max(math.exp(log), _smallest_p(units)) for log in (middle, low, high))
    return Shuffling(p, p_low, p_high, units, "tilted", middle / LOG_10, _smallest_p(units))


def _smallest_p(units: int) -> float:
    """The probability that all units have the same direction."""
    return max(SMALLEST, 2.0 ** (1 - units))


def _estimate_p(hits: int, times: int, units: int) -> Shuffling:
    # The observed assignment is one of the shufflings, so p is never 0.
    p = (1 + hits) / (1 + times)
    bounds = clopper_pearson(hits, times)
    return Shuffling(p, *bounds, units, "drawn", math.log10(p), _smallest_p(units))


def all_shuffles(sizes: Ints, most: int = MOST_OUTCOMES) -> tuple[Floats, Floats] | None:
    """Every possible outcome of `shuffle_weights` with its probability; None if there are more than `most`."""
    outcomes = 1
    for size in sizes.tolist():
        outcomes *= size + 1
        if outcomes > most:
            return None
    weights = np.zeros((1, 0))
    probabilities = np.ones(1)
    for size in sizes.tolist():
        choices = np.arange(size + 1, dtype=np.float64)
        shares = fair_tosses(size, size)
        weights = np.concatenate(
            [np.repeat(weights, size + 1, axis=0), np.tile(choices, len(weights))[:, None]], axis=1
        )
        probabilities = np.repeat(probabilities, size + 1) * np.tile(shares, len(probabilities))
    return weights, probabilities


def shuffling_tests(
    tables: Sequence[Any],
    pairs: Sequence[Pair],
    difference: Difference,
    rng: np.random.Generator,
    times: int,
    tilted: Callable[[int, int], Shuffling | None],
) -> dict[Pair, Shuffling]:
    """The shuffling test for pairs of systems, whose counts are tables of units × fields, dense or sparse.

    A coin is tossed for each unit, whichever pairs there are, so that products grow with systems, not with pairs, and
    no pair depends on others. If hardly any shuffling is as extreme, `tilted` tests the two. Pairs of which all
    shufflings can be enumerated are left out.
    """
    sums = [np.asarray(table.sum(axis=0), dtype=np.float64) for table in tables]
    bounds: dict[Pair, float] = {}
    units: dict[Pair, int] = {}
    for a, b in pairs:
        number = int(np.count_nonzero((tables[a] != tables[b]).sum(axis=1)))
        observed = float(difference(sums[a], sums[b]))
        if 2**number > MOST_OUTCOMES and not np.isnan(observed):
            bounds[a, b], units[a, b] = least_extreme(observed), number
    used = sorted({system for pair in bounds for system in pair})
    if not used:
        return {}
    columns = np.unique(np.concatenate([_differing_columns(tables[system], tables[used[0]]) for system in used]))
    # Sums of whole numbers below 2^24 are exact in single precision.
    kind = np.float32 if max(float(total.max(initial=0)) for total in sums) < 1 << 24 else np.float64
    parts = {system: tables[system][:, columns].astype(kind) for system in used}
    hits, drawn = dict.fromkeys(bounds, 0), dict.fromkeys(bounds, 0)
    coins = np.ones(tables[0].shape[0], dtype=np.int64)
    step = max(1, MOST_HELD // (len(used) * max(1, len(columns))))
    for tossed in shuffle_weights(coins, times, rng):
        # Not if none of a quarter of all draws is as extreme.
        tried = [(*pair, bound) for pair, bound in bounds.items() if 4 * drawn[pair] < times or hits[pair]]
        for weights in (tossed[first : first + step].astype(kind) for first in range(0, len(tossed), step)):
            moved = {system: weights @ part for system, part in parts.items()}
            change = np.zeros((len(weights), len(sums[0])))
            for a, b, bound in tried:
                change[:, columns] = moved[a] - moved[b]
                hits[a, b] += int((np.abs(difference(sums[a] - change, sums[b] + change)) >= bound).sum())
                drawn[a, b] += len(weights)
    outcomes = {}
    for pair, number in hits.items():
        outcome = tilted(*pair) if number < min(RARE, times) else None
        outcomes[pair] = outcome or _estimate_p(number, drawn[pair], units[pair])
    return outcomes


def _differing_columns(first: Any, second: Any) -> Ints:
    """The columns in which two tables differ."""
    return np.flatnonzero((first != second).sum(axis=0))


def mcnemar(only_a: int, only_b: int) -> tuple[float, float]:
    """McNemar's exact two-sided p, and mid-p, from the items that only one of the systems has right."""
    discordant, fewer = only_a + only_b, min(only_a, only_b)
    if discordant == 0:
        return 1.0, 1.0
    tail, last = fair_tail(discordant, fewer)
    return min(1.0, 2 * tail), min(1.0, 2 * tail - last)


@lru_cache(1 << 14)
def clopper_pearson(hits: int, times: int, level: float = 0.95) -> tuple[float, float]:
    """The exact interval of a probability after `hits` in `times` tries."""
    tail = (1 - level) / 2
    a, b = (max(1, hits), hits + 1), (times - hits + 1, max(1, times - hits))
    low, high = beta_quantiles(a, b, (tail, 1 - tail))
    return low if hits else 0.0, high if hits < times else 1.0


def log_binomials(n: int, most: int) -> Floats:
    """log C(n, k) for k = 0 … most."""
    k = np.arange(1, most + 1, dtype=np.float64)
    return np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))])


def fair_tosses(n: int, most: int) -> Floats:
    """Probability of k heads in n tosses of a fair coin, for k = 0 … most."""
    if n <= _EXACT:
        return np.array([math.comb(n, k) / 2**n for k in range(most + 1)])
    return np.exp(log_binomials(n, most) - n * math.log(2))


def fair_tail(n: int, most: int) -> tuple[float, float]:
    """Probability of at most and of exactly `most` heads in n tosses of a fair coin; `most` is at most n/2.

    Only numbers of heads near `most` are added: those below by six times the root of n have a probability smaller
    than the precision of a float.
    """
    first = max(0, most - 6 * math.isqrt(n))
    if most <= _MANY:
        shares = fair_tosses(n, most)[first:]
    else:
        heads = np.arange(max(1, first), most + 1, dtype=np.float64)
        # By Stirling's series and deviances (Loader 2000): nothing cancels out.
        tails, half = n - heads, n / 2
        series = 1 / (12 * n) - 1 / (12 * heads) - 1 / (12 * tails)
        deviances = [half * ((1 + e) * np.log1p(e) - e) for e in ((heads - half) / half, (tails - half) / half)]
        shares = np.exp(series - deviances[0] - deviances[1]) * np.sqrt(n / (2 * math.pi * heads * tails))
    return math.fsum(shares.tolist()), float(shares[-1])


def holm(values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values; nan is left out and stays nan."""
    return _adjust(values, lambda p, ranks: np.maximum.accumulate(p * ranks[::-1]))


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Adjusted p-values that control the false discovery rate (Benjamini and Hochberg 1995)."""
    return _adjust(values, lambda p, ranks: np.minimum.accumulate((p * len(p) / ranks)[::-1])[::-1])


def _adjust(values: Sequence[float], adjust: Callable[[Floats, Ints], Floats]) -> list[float]:
    p = np.asarray(values, dtype=np.float64)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(adjust(p[order], np.arange(1, len(order) + 1)), 1.0)
    return adjusted.tolist()


def holm_of(p: float, others: Floats) -> float:
    """Holm's adjusted p of one test among others, whose p-values are in ascending order."""
    number, place = len(others) + 1, int(np.searchsorted(others, p))
    before = others[:place] * np.arange(number, number - place, -1)
    return min(1.0, max(float(before.max(initial=0.0)), (number - place) * p))
