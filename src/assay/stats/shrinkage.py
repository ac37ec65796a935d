"""Each data set in the light of the others: its difference given its own runs and the posterior of the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from assay.arrays import Floats
from assay.stats.evidence import Evidence
from assay.stats.regions import Three

_THINNED = (1000, 4000)
"""The least and the most draws that are looked at for each data set …"""
_TOGETHER = 16_000
"""… and how many for all of them."""
_CANDIDATES = 16
_LEVEL = 0.95


def shrunken(seen: Evidence, delta0: Floats, std0: Floats, nu: Floats, rng: np.random.Generator) -> list[Three]:
    """Mean and 95% interval of each delta_i, given draws of the model in units of the measure.

    For each of a few thousand draws, candidates from the data set's own t and from the model's are weighted by
    fg/(f + g), so that together they stand for the product of both densities.
    """
    wanted = int(np.clip(_TOGETHER // len(seen.means), *_THINNED))
    some = slice(None, None, max(1, len(nu) // wanted))
    model = _Student(delta0[some, None] / seen.scale, std0[some, None] / seen.scale, nu[some, None])
    size = (len(nu[some]), _CANDIDATES)
    found = []
    for mean, width, freedom in zip(seen.means, seen.widths, seen.freedom, strict=True):
        own = _Student(mean, width, freedom)
        points = np.hstack([one.candidates(size, seen.direction, rng) for one in (own, model)])
        weights = _weights(own.log_density(points), model.log_density(points))
        found.append(_summary(seen.scale * points.ravel(), weights.ravel() / len(weights)))
    return found


@dataclass(frozen=True)
class _Student:
    """Student t variables."""

    mean: Floats | float
    width: Floats | float
    freedom: Floats | float

    def candidates(self, size: tuple[int, int], sign: float, rng: np.random.Generator) -> Floats:
        return np.asarray(self.mean + sign * self.width * rng.standard_t(self.freedom, size))

    def log_density(self, x: Floats) -> Floats:
        shape = (self.freedom + 1) / 2
        height = gammaln(shape) - gammaln(self.freedom / 2) - np.log(np.pi * self.freedom) / 2 - np.log(self.width)
        return np.asarray(height - shape * np.log1p(((x - self.mean) / self.width) ** 2 / self.freedom))


def _weights(f: Floats, g: Floats) -> Floats:
    """The share of each candidate of a draw by fg/(f + g), given the logarithms of both densities."""
    lower = np.minimum(f, g)
    weights = np.exp(lower - lower.max(axis=1, keepdims=True)) / (1 + np.exp(-np.abs(f - g)))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _summary(values: Floats, weights: Floats) -> Three:
    """The mean of weighted values and the interval that holds 95% of the weight."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    low, high = np.searchsorted(reached, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(values @ weights), float(values[order[low]]), float(values[order[min(high, len(order) - 1)]])
