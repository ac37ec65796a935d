"""Binomial coefficients and fair tosses, as far as tests need them."""

from __future__ import annotations

import math

import numpy as np

from assay.arrays import Floats

_EXACT = 50
"""Up to so many tosses all chances are exact in a float."""
_MANY = 1 << 20
"""From so many heads on the far tail is left out."""


def log_binomials(n: int, most: int) -> Floats:
    """log C(n, k) for k = 0 … most."""
    k = np.arange(1, most + 1, dtype=np.float64)
    return np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))])


def fair_tosses(n: int, most: int) -> Floats:
    """The chance of k heads in n tosses of a fair coin, for k = 0 … most."""
    if n <= _EXACT:
        return np.array([math.comb(n, k) / 2**n for k in range(most + 1)])
    return np.exp(log_binomials(n, most) - n * math.log(2))


def fair_tail(n: int, most: int) -> tuple[float, float]:
    """The chances of at most and of exactly so many heads in n tosses of a fair coin, at most half of them heads.

    Of very many tosses only those numbers of heads are looked at that are near enough to count: ten times the root
    of n below, the chance has fallen by more than a float can tell.
    """
    if most <= _MANY:
        shares = fair_tosses(n, most)
    else:
        heads = np.arange(most - min(most - 1, 10 * math.isqrt(n)), most + 1, dtype=np.float64)
        shares = _near_the_middle(float(n), heads)
    return math.fsum(shares.tolist()), float(shares[-1])


def _near_the_middle(n: float, heads: Floats) -> Floats:
    """The chance of each number of heads by Stirling's series and deviances (Loader 2000): nothing cancels out."""
    tails, half = n - heads, n / 2
    series = 1 / (12 * n) - 1 / (12 * heads) - 1 / (12 * tails)
    deviances = [half * ((1 + e) * np.log1p(e) - e) for e in ((heads - half) / half, (tails - half) / half)]
    return np.exp(series - deviances[0] - deviances[1]) * np.sqrt(n / (2 * math.pi * heads * tails))
