"""Tails of the shuffling distribution: by convolution if differences are sums, otherwise by draws under a tilt.

Directions are tilted until the observed difference is the expected one, so that even very small probabilities can be
estimated; draws are weighted by how much rarer they are without the tilt. Probabilities are logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import Array, Floats, Ints, distinct_rows
from assay.stats.resample import CHUNK_NUMBERS

Difference = Callable[[Floats, Floats], Floats]
"""Function from the summed fields of A and of B (last axis) to the difference of their scores."""
LOG_2 = math.log(2)
_MOST_PRODUCTS, _MOST_SUMS = 20_000_000, 1 << 20
"""The most products that a convolution may need, and the most different sums."""
_DRAWS = 512
"""The number of tilted draws for each `_SHUFFLINGS` shufflings."""
_SHUFFLINGS = 10_000
"""The number of shufflings for which there is one set of tilted draws."""
_ROUNDS = (1, 4, 16)
"""Factors of the number of tilted draws, which are tried until the standard error is small enough."""
_ROUGH = 0.5
"""The largest standard error as a share of the probability."""
_TOSSED = 32
"""Rows with up to this number of units are drawn by tossing a coin for each unit."""
_STEPS, _STEEPER, _OFTEN = 12, 1.25, 0.3
"""The most tilts that are tried, how much steeper each is, and the share of extreme draws that is enough."""
_FAR = 40.0
"""A tilt with which all units have the same direction."""


def least_extreme(observed: float) -> float:
    """The least difference that is as extreme as the observed one; equal differences are, in spite of rounding."""
    return abs(observed) - 1e-12 * max(1.0, abs(observed))


def sum_tail(amounts: Ints, sizes: Ints) -> float | None:
    """Log probability that whole amounts with random signs add up to as much as observed; None if it costs too much.

    `sizes` is the number of units of each amount. The distribution is a convolution of binomials, one for each
    distinct absolute amount. All its terms are positive, so nothing cancels out.
    """
    nonzero = amounts != 0
    amounts, sizes = amounts[nonzero] // max(1, math.gcd(*amounts.tolist())), sizes[nonzero]
    steps, group = np.unique(np.abs(amounts), return_inverse=True)
    numbers = np.bincount(group.ravel(), sizes).astype(np.int64)
    aim, most = abs(int(amounts @ sizes)), int(steps @ numbers)
    if aim == 0:
        return 0.0
    if aim == most:
        return (1 - int(numbers.sum())) * LOG_2

    def expected(tilts: Floats) -> Floats:
        return np.asarray(np.tanh(tilts * steps) @ (numbers * steps))

    tilt = least_tilt(expected, aim, aim / float(numbers @ steps.astype(np.float64) ** 2), _FAR / int(steps[0]))
    parts = [_binomial(number, tilt * step) for number, step in zip(numbers.tolist(), steps.tolist(), strict=True)]
    lengths = np.array([len(shares) for _, shares in parts])
    spans = 1 + np.cumsum(steps * (lengths - 1))
    if spans[-1] > _MOST_SUMS or spans[:-1] @ lengths[1:] > _MOST_PRODUCTS:
        return None
    whole, first = np.ones(1), 0
    for step, (lowest, shares) in zip(steps.tolist(), parts, strict=True):
        joined = np.zeros(len(whole) + step * (len(shares) - 1))
        # Only sums that differ by a multiple of the step are combined.
        for place in range(min(step, len(whole))):
            joined[place::step][: len(whole[place::step]) + len(shares) - 1] = np.convolve(whole[place::step], shares)
        whole, first = joined, first + step * lowest
    # A unit with the other sign reduces the highest sum by twice its amount.
    beyond = first + np.arange(len(whole)) - (aim + most) // 2
    kept = beyond >= 0
    chance = math.log(math.fsum((whole[kept] * np.exp(-2 * tilt * beyond[kept])).tolist()))
    return LOG_2 + chance - float(numbers @ np.log1p(np.tanh(tilt * steps))) + tilt * (most - aim)


def _binomial(number: int, tilt: float) -> tuple[int, Floats]:
    """The first number of units with one direction that is not negligible, and the probabilities from it on.

    They are computed from the mode up and down by ratios, without logarithms, so nothing cancels out.
    """
    chance = 1 / (1 + math.exp(-2 * tilt))
    mode = min(number, int((number + 1) * chance))
    # The probability beyond is below 1e-30.
    reach = 40 + int(12 * math.sqrt(number * chance * (1 - chance)))
    up, down = np.arange(mode, min(number, mode + reach)), np.arange(mode, max(0, mode - reach), -1)
    rising = np.cumprod((number - up) / (up + 1) * math.exp(min(2 * tilt, 700)))
    falling = np.cumprod(down / (number - down + 1) * math.exp(-2 * tilt))
    shares = np.concatenate([falling[::-1], [1.0], rising])
    return mode - len(falling), shares / math.fsum(shares.tolist())


def least_tilt(effect: Callable[[Floats], Floats], aim: float, low: float, high: float) -> float:
    """The least tilt from low to high, to some thousandths, with an effect of at least `aim`; high if none has."""
    tilts = np.geomspace(min(low, high), high, 40)
    for _ in range(2):
        enough = np.flatnonzero(effect(tilts[:, None]) >= aim)
        place = int(enough[0]) if len(enough) else len(tilts) - 1
        tilt = float(tilts[place])
        tilts = np.linspace(tilts[max(0, place - 1)], tilt, 40)
    return tilt


class TiltedShuffling:
    """The differences of two systems in units, and their directions under any tilt."""

    def __init__(
        self,
        a: Floats,
        b: Floats,
        swaps: Any,
        sizes: Ints,
        difference: Difference,
        *,
        merged: bool = True,
        amounts: Ints | None = None,
    ) -> None:
        """`amounts` are the parts of rows in the difference, in any measure, if it is a sum of these."""
        swaps = swaps if isinstance(swaps, np.ndarray) else swaps.toarray()
        self.mean = (a + b) / 2
        self._difference, self.is_sum = difference, amounts is not None
        step = 1e-4 * np.maximum(1.0, self.mean)
        # Counts of 0 cannot be reduced.
        below = np.where(self.mean > 0, step, 0.0)
        fields, gained = np.arange(len(step)), np.empty(len(step))
        at_once = max(1, CHUNK_NUMBERS // max(1, len(step)))
        for first in range(0, len(step), at_once):
            chunk = fields[first : first + at_once]
            moved = chunk[:, None] == fields
            gained[chunk] = difference(self.mean - below * moved, self.mean + step * moved)
        self.gradient = np.nan_to_num(gained / (below + step))
        gains = swaps @ self.gradient
        self.rows, self.sizes = np.where(gains < 0, -1.0, 1.0)[:, None] * swaps, sizes
        self.own = np.where(gains < 0, 0.0, 1.0)
        """The share of the units of each row that favour A."""
        if merged:
            # Units with the same difference, in either direction, are one row.
            group: Array
            if amounts is not None:
                _, places, group = np.unique(np.abs(amounts), return_index=True, return_inverse=True)
                self.rows = self.rows[places]
            else:
                whole = self.rows.astype(np.int64)
                distinct, group, _ = distinct_rows(whole if np.array_equal(whole, self.rows) else self.rows)
                self.rows = distinct.astype(np.float64)
            self.sizes = np.bincount(group, sizes, len(self.rows)).astype(np.int64)
            self.own = np.bincount(group, sizes * self.own, len(self.rows)) / self.sizes
        self.gains = np.abs(self.rows @ self.gradient)
        # A gradient that is only rounding favours no side.
        self.gains[self.gains < 1e-8 * self.gains.max(initial=0.0)] = 0.0
        self.far = _FAR / float(self.gains[self.gains > 0].min(initial=1.0))

    @cached_property
    def levels(self) -> tuple[Floats, Floats, float, Ints]:
        """The distinct parts of units in the difference but 0, as shares of the largest; how many units have each;
        the step of which sums are multiples, plus a constant, or 0; and the number of each row's part, 0 included."""
        gains, group = np.unique(np.round(self.gains / self.gains.max(initial=1e-300), 9), return_inverse=True)
        there, sizes = gains[gains > 0], np.bincount(group, self.sizes).astype(np.float64)
        steps = {part: there / there[:1] * part for part in (1, 2, 3)}
        part = next((part for part, of in steps.items() if np.abs(of - np.rint(of)).max(initial=0) < 1e-6), 0)
        step = float(there[0]) / part if part and len(there) else 0.0
        return there, sizes[len(gains) - len(there) :], step, group

    def chances(self, tilt: Any) -> Floats:
        """The probability that units of each row favour A; one half if they favour no system."""
        return np.asarray(1 / (1 + np.exp(-2 * np.minimum(tilt * self.gains, 350))))

    def effect(self, tilt: Any) -> Floats:
        """The absolute difference of the scores of expected counts, under a tilt or each of a column of tilts."""
        if self.is_sum:
            return np.asarray(np.tanh(tilt * self.gains) @ (self.sizes * self.gains))
        half = (self.sizes * (self.chances(tilt) - 0.5)) @ self.rows
        return np.asarray(np.abs(self._difference(self.mean + half, self.mean - half)))

    def differences(self, halves: Floats) -> Floats:
        """The absolute difference for half of A minus B."""
        return np.asarray(np.abs(self._difference(self.mean + halves, self.mean - halves)))

    @property
    def _kind(self) -> Any:
        """Single precision if it is exact for all sums of whole numbers."""
        exact = float((np.abs(self.rows).max(axis=1, initial=0.0) * self.sizes).sum()) < 1 << 24
        return np.float32 if exact else np.float64

    def draw(self, tilt: float, times: int, rng: np.random.Generator) -> Floats:
        """Half of A minus B in each replicate: replicates × fields."""
        chances = self.chances(tilt)
        few, many = np.flatnonzero(self.sizes <= _TOSSED), np.flatnonzero(self.sizes > _TOSSED)
        halves = np.tile(-(self.sizes @ self.rows) / 2, (times, 1))
        place = np.repeat(few, self.sizes[few])
        # Probabilities in 65,536ths are far finer than the error of any number of replicates.
        bars = np.minimum(np.rint(chances[place] * 65536), 65535).astype(np.uint16)
        kind = self._kind
        table: Array = self.rows[place].astype(kind)
        step = max(1, CHUNK_NUMBERS // max(1, len(place)))
        for first in range(0, times if len(place) else 0, step):
            number = min(step, times - first)
            numbers = rng.integers(0, 65536, size=(number, len(place)), dtype=np.uint16)
            shown: Array = (numbers < bars).astype(kind)
            halves[first : first + number] += shown @ table
        if many.size:
            halves += rng.binomial(self.sizes[many], chances[many], size=(times, len(many))) @ self.rows[many]
        return halves

    def tail(self, observed: float, rng: np.random.Generator, times: int = _SHUFFLINGS) -> tuple[float, float] | None:
        """Log probability of a difference as large as the observed one, on either side, and its relative error.

        None if no draw is as large. Exchanging all units changes the sign, so that both sides are equally probable.
        More shufflings (`times`) make more draws.
        """
        least, bound = abs(observed) / max(float(self.sizes @ self.gains**2), 1e-300), least_extreme(observed)
        tilt = least_tilt(self.effect, abs(observed), least / 4, self.far)
        scaled = np.minimum(tilt * self.gains, 350)
        chances, table = self.chances(tilt)[:, None], self.rows.astype(self._kind)
        single, several = np.flatnonzero(self.sizes == 1), np.flatnonzero(self.sizes > 1)
        shown, sizes = np.empty((len(chances), _DRAWS), table.dtype), self.sizes[:, None].astype(table.dtype)
        parts: list[Floats] = []
        for rounds in _ROUNDS:
            while len(parts) < rounds * max(1, times // _SHUFFLINGS):
                shown[single] = rng.random((len(single), _DRAWS)) < chances[single]
                shown[several] = rng.binomial(self.sizes[several, None], chances[several], (len(several), _DRAWS))
                halves = shown.T @ table - self.sizes @ self.rows / 2
                hit = -self._difference(self.mean + halves, self.mean - halves) >= bound
                # How much rarer a draw is without the tilt: least if all units have one direction.
                parts.append(np.where(hit, 2 * (scaled @ (sizes - shown)), -np.inf))
            logarithm, error = _mean_log(np.concatenate(parts))
            if error <= _ROUGH:
                break
        if logarithm == -math.inf:
            return None
        return LOG_2 + logarithm - float(self.sizes @ np.log1p(np.tanh(scaled))), error


def _mean_log(logs: Floats) -> tuple[float, float]:
    """The logarithm of the mean of numbers that are given by their logarithms, and its relative standard error."""
    top = float(logs.max())
    weights = np.exp(logs - top) if top > -math.inf else np.zeros(len(logs))
    mean = float(weights.mean())
    if not mean:
        return -math.inf, math.inf
    return top + math.log(mean), float(weights.std(ddof=1)) / math.sqrt(len(logs)) / mean


def swap_tail(
    difference: Callable[[Floats], Floats], shares: Floats, bound: float, rng: np.random.Generator, times: int
) -> tuple[float, float] | None:
    """Log probability of a difference of at least `bound` on either side, and its relative error; None if no draw is
    as large.

    `difference` is a function of masks of the units that change sides, positive for none; `shares` are the parts of
    units in it, to first order. They only say which draws are likely: these are weighted by their true probability.
    """
    gains = np.abs(shares)
    aim, least = float(shares.sum()), float(gains[gains > 0].min(initial=1.0))
    if aim <= 0:
        return None
    low, far = aim / float(gains @ gains) / 4, _FAR / least
    tilt = least_tilt(lambda tilts: np.tanh(tilts * gains) @ gains, aim, low, far)

    def draw(number: int, tilt: float) -> Floats:
        """How much rarer each draw is without the tilt, as logarithms; nothing for smaller differences."""
        tilts = np.clip(tilt * shares, -_FAR, _FAR)
        moved = (rng.random((number, len(shares))) >= 1 / (1 + np.exp(-2 * tilts))).astype(np.float64)
        rarity = float((np.logaddexp(tilts, -tilts) - LOG_2).sum())
        return np.where(difference(moved) >= bound, rarity - (1 - 2 * moved) @ tilts, -np.inf)

    # A difference that is not a sum may need more of a tilt: the first that is enough, or the one that hits most.
    hits: dict[float, float] = {}
    while len(hits) < _STEPS and max(hits.values(), default=0) < _OFTEN:
        hits[tilt] = float(np.isfinite(draw(_DRAWS // 8, tilt)).mean())
        tilt *= _STEEPER
    tilt = max(hits, key=hits.__getitem__)
    parts: list[Floats] = []
    for rounds in _ROUNDS:
        while len(parts) < rounds * max(1, times // _SHUFFLINGS):
            parts.append(draw(_DRAWS, tilt))
        logarithm, error = _mean_log(np.concatenate(parts))
        if error <= _ROUGH / 5:
            break
    return None if logarithm == -math.inf else (LOG_2 + logarithm, error)
