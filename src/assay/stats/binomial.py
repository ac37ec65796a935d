"""Binomial coefficients and fair tosses, as far as tests need them."""

from __future__ import annotations

import math

import numpy as np

from assay.arrays import Floats

_EXACT = 50
"""Up to so many tosses all chances are exact in a float."""


def log_binomials(n: int, most: int) -> Floats:
    """log C(n, k) for k = 0 … most."""
    k = np.arange(1, most + 1, dtype=np.float64)
    return np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))])


def fair_tosses(n: int, most: int) -> Floats:
    """The chance of k heads in n tosses of a fair coin, for k = 0 … most."""
    if n <= _EXACT:
        return np.array([math.comb(n, k) / 2**n for k in range(most + 1)])
    return np.exp(log_binomials(n, most) - n * math.log(2))
