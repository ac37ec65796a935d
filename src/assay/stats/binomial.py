"""Binomial coefficients, as far as tests need them."""

from __future__ import annotations

import math

import numpy as np

from assay.arrays import Floats

_EXACT = 60
"""Up to here coefficients are exact in a float."""


def log_binomials(n: int, most: int) -> Floats:
    """log C(n, k) for k = 0 … most."""
    if n <= _EXACT:
        return np.log([float(math.comb(n, k)) for k in range(most + 1)])
    k = np.arange(1, most + 1, dtype=np.float64)
    return np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))])
