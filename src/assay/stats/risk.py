"""How much of what one system has right another breaks: on this test set, and on a new data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.arrays import Array, Floats
from assay.stats.intervals import beta_quantiles, beta_tail

SCALES = (1.0, 0.5)
"""Scales of the half-normal prior of the spread over data sets: the one that is shown, and a second opinion."""
_STEP, _POINTS, _COARSE = 0.01, 4096, 1024
_LOGITS = (np.arange(_POINTS) - _POINTS // 2) * _STEP
_CENTRES = _LOGITS[:: _POINTS // _COARSE]
_SPREADS = np.arange(0.02, 5.0, 0.04)
_NEGLIGIBLE = 1e-9
"""Spreads with less posterior probability are left out of the rates of single data sets."""


class NewSet(NamedTuple):
    """The rate on a new data set."""

    median: float
    high: float
    """The 95% point."""
    p: float
    """The probability of more than the limit; nan without a limit."""


def design_effect(products: Floats, part: Floats, whole: Floats) -> float:
    """The variance of a ratio over units, divided by that of independent items; 1 if the ratio is 0 or 1.

    `products` has the sums over units of the products of each two counts, the first of which is 1 in each unit.
    `part` and `whole` say how numerator and denominator are made of the counts.
    """
    count, number = products[0] @ part, products[0] @ whole
    units = products[0, 0]
    if not 0 < count < number or units < 2:
        return 1.0
    rate = count / number
    residual = part - rate * whole
    variance = max(0.0, float(residual @ products @ residual)) * units / (units - 1) / number**2
    return float(variance * number / (rate * (1 - rate)))


def posterior(counts: Array, numbers: Array, designs: Array, limit: float | None) -> list[tuple[float, float, float]]:
    """The 95% interval of each rate under Jeffreys' prior, and the probability to be above a limit (nan without one).

    All are nan if a rate is one of no items.
    """
    there = np.flatnonzero(numbers)
    a, b = ((part[there] / designs[there] + 0.5).tolist() for part in (counts, np.asarray(numbers - counts)))
    ends = beta_quantiles(a + a, b + b, [0.025] * len(a) + [0.975] * len(a))
    above = [math.nan if limit is None else beta_tail(x, y, limit) for x, y in zip(a, b, strict=True)]
    rows = [(math.nan,) * 3] * len(numbers)
    for place, row in zip(there.tolist(), zip(ends[: len(a)], ends[len(a) :], above, strict=True), strict=True):
        rows[place] = row
    return rows


def predict(
    counts: Floats, numbers: Floats, limit: float | None, scales: Sequence[float] = SCALES
) -> tuple[list[NewSet], Floats, Floats]:
    """The rate on a new data set for each scale; and for the first scale the rate of each data set, shrunk, with the
    probability that it is above the limit.

    Logits of rates are normal, the rate at their centre is uniform, their spread is half-normal. All integrals are
    sums over grids; smoothing by a normal density is a product of spectra.
    """
    pairs, place, repeated = np.unique(np.stack([counts, numbers]), axis=1, return_inverse=True, return_counts=True)
    count, rest = pairs[0][:, None], (pairs[1] - pairs[0])[:, None]
    likelihood = -count * np.logaddexp(0, -_LOGITS) - rest * np.logaddexp(0, _LOGITS)
    likelihood = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    frequencies = 2 * np.pi * np.arange(_COARSE // 2 + 1) / (_POINTS * _STEP)
    kernels = np.exp(-0.5 * np.outer(_SPREADS, frequencies) ** 2)
    spectra = np.fft.rfft(likelihood)[:, : len(frequencies)]

    def smooth(kernel: Floats) -> Floats:
        """The log-likelihood of each centre, for each data set."""
        return np.log(np.maximum(np.fft.irfft(spectra * kernel, _COARSE), 1e-300))

    together = np.stack([repeated @ smooth(kernel) for kernel in kernels])
    together -= np.logaddexp(0, _CENTRES) + np.logaddexp(0, -_CENTRES)
    found, first = [], None
    for scale in scales:
        weights = together - 0.5 * (_SPREADS[:, None] / scale) ** 2
        weights -= weights.max()
        weights -= np.log(np.exp(weights).sum())
        first = weights if first is None else first
        density = _from_spectrum((np.fft.rfft(np.exp(weights)) * kernels).sum(axis=0))
        found.append(NewSet(_quantile(density, 0.5), _quantile(density, 0.95), _above(density, limit)))
    assert first is not None
    mixed = np.zeros_like(spectra)
    for kernel, weights in zip(kernels, first, strict=True):
        if np.exp(weights).sum() > _NEGLIGIBLE:
            # The posterior without the data set itself, up to a factor.
            mixed += np.fft.rfft(np.exp(weights - smooth(kernel))) * kernel
    densities = likelihood * _from_spectrum(mixed)
    densities /= densities.sum(axis=1, keepdims=True)
    rates = densities @ (1 / (1 + np.exp(-_LOGITS)))
    above = np.array([_above(density, limit) for density in densities])
    return found, rates[place.ravel()], above[place.ravel()]


def _from_spectrum(spectrum: Array) -> Floats:
    """A density on the fine grid of logits, up to a factor."""
    return np.maximum(np.fft.irfft(spectrum, _POINTS), 0)


def _cumulate(density: Floats) -> Floats:
    sums = np.cumsum(density)
    return np.asarray(sums / sums[-1])


def _quantile(density: Floats, share: float) -> float:
    logit = np.interp(share, _cumulate(density), _LOGITS + _STEP / 2)
    return float(1 / (1 + np.exp(-logit)))


def _above(density: Floats, limit: float | None) -> float:
    if limit is None:
        return float("nan")
    return float(1 - np.interp(np.log(limit / (1 - limit)), _LOGITS + _STEP / 2, _cumulate(density)))
