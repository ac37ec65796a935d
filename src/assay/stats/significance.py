"""Tests of two systems on the same items, and how exact a resampled p is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.arrays import Floats, Ints
from assay.stats.binomial import fair_tail, log_binomials
from assay.stats.resample import CHUNK_NUMBERS, all_shuffles, shuffle_weights

Difference = Callable[[Floats, Floats], Floats]
"""From the summed fields of A and of B (last axis) to the difference of their scores."""


@dataclass(frozen=True)
class Shuffling:
    """The outcome of the paired shuffling test."""

    p: float
    low: float
    """Where the p of endlessly many shufflings lies, with 95% confidence …"""
    high: float
    """… both equal to p where all shufflings were enumerated."""
    exact: bool
    units: int
    """Units in which the systems differ at all."""


def shuffling_test(
    a: Floats,
    b: Floats,
    swaps: Floats,
    sizes: Ints,
    difference: Difference,
    rng: np.random.Generator,
    times: int,
) -> Shuffling:
    """The two-sided paired shuffling (approximate randomisation) test; Noreen 1989.

    `a` and `b` are summed fields, `swaps` the distinct non-zero rows of A's counts minus B's, `sizes` how many
    units have each. Under the null hypothesis the two outputs for a unit might as well be exchanged.
    """
    units = int(sizes.sum())
    observed = float(difference(a, b))
    if units == 0 or np.isnan(observed):
        p = 1.0 if units == 0 else float("nan")
        return Shuffling(p, p, p, True, units)
    # Ties are as extreme as the observed difference; the tolerance keeps rounding from deciding them.
    bound = abs(observed) - 1e-12 * max(1.0, abs(observed))

    def extreme(weights: Floats) -> Floats:
        moved = weights @ swaps
        return np.asarray(np.abs(difference(a - moved, b + moved)) >= bound)

    everything = all_shuffles(sizes)
    if everything is not None:
        weights, probabilities = everything
        step = max(1, CHUNK_NUMBERS // max(1, swaps.shape[1]))
        chunks = [slice(first, first + step) for first in range(0, len(weights), step)]
        hit = np.concatenate([extreme(weights[chunk]) for chunk in chunks]).astype(bool)
        p = min(1.0, math.fsum(probabilities[hit].tolist()))
        return Shuffling(p, p, p, True, units)
    width = max(len(sizes), swaps.shape[1])
    hits = sum(int(extreme(weights).sum()) for weights in shuffle_weights(sizes, times, rng, width))
    # The observed assignment is one of the shufflings, so p is never 0.
    return Shuffling((1 + hits) / (1 + times), *clopper_pearson(hits, times), False, units)


def mcnemar(only_a: int, only_b: int) -> tuple[float, float]:
    """McNemar's exact two-sided p, and mid-p, from the items that only one of the systems has right."""
    discordant, fewer = only_a + only_b, min(only_a, only_b)
    if discordant == 0:
        return 1.0, 1.0
    tail, last = fair_tail(discordant, fewer)
    return min(1.0, 2 * tail), min(1.0, 2 * tail - last)


def clopper_pearson(hits: int, times: int, level: float = 0.95) -> tuple[float, float]:
    """The exact interval of a probability after `hits` in `times` tries."""
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else 1 - _upper(times - hits, times, tail)
    high = 1.0 if hits == times else _upper(hits, times, tail)
    return low, high


def _upper(hits: int, times: int, tail: float) -> float:
    """The probability at which at most `hits` hits have the chance `tail`, by bisection."""
    logs = log_binomials(times, hits)
    k = np.arange(hits + 1)
    low, high = hits / times, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        chance = np.exp(logs + k * math.log(middle) + (times - k) * math.log1p(-middle)).sum()
        low, high = (middle, high) if chance > tail else (low, middle)
    return (low + high) / 2
