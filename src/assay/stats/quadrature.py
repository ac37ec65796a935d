"""The posterior of delta0, std0 and nu on a grid, and draws from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, polygamma

from assay.arrays import Floats
from assay.stats.evidence import Evidence
from assay.stats.regions import LOG_NU

_TINY = 1e-300


@dataclass(frozen=True)
class Priors:
    """Bounds of the flat priors: of std0 in spreads among data sets, of delta0 in largest differences."""

    std0: float = 1000.0
    delta0: float = 1.0


# --- where to compute, and how finely ---


@dataclass(frozen=True)
class Grid:
    """How finely to compute."""

    cells: tuple[int, int, int]
    """Of nu, delta0 and std0."""
    step: float
    """Between the normals that make up a t, at most this many of their standard deviations."""

    @property
    def half(self) -> Grid:
        """Half as fine."""
        nu, delta0, std0 = self.cells
        return Grid((nu // 2, delta0 // 2, std0 // 2), 1.25 * self.step)


_FEW = {False: Grid((20, 56, 40), 1.0), True: Grid((32, 112, 80), 0.75)}
_MANY = {False: Grid((24, 28, 28), 0.75), True: Grid((32, 40, 40), 0.5)}
_SEARCH = Grid((6, 20, 16), 1.5)
_NARROW = 8
"""With more data sets than this the posterior is narrow, and its place is searched first …"""
_VERY_NARROW = 20
"""… and with more than this, so much so that fewer cells serve."""


def grid_for(seen: Evidence, fine: bool = False) -> Grid:
    """The grid for so many data sets."""
    return (_FEW if len(seen.means) <= _VERY_NARROW else _MANY)[fine]


@dataclass(frozen=True)
class Box:
    """A part of the space of log(nu - 1), t = arcsinh((delta0 - centre)/unit) and log(std0)."""

    centre: float
    unit: float
    low: Floats
    high: Floats

    def middles(self, cells: tuple[int, int, int]) -> list[Floats]:
        """The middles of cells along each axis."""
        return [
            low + (np.arange(count) + 0.5) * (high - low) / count
            for low, high, count in zip(self.low, self.high, cells, strict=True)
        ]

    def delta0(self, t: Floats) -> Floats:
        """Back from t."""
        return self.centre + self.unit * np.sinh(t)


def box_for(seen: Evidence, priors: Priors) -> Box:
    """The part of the space where the posterior is not negligible; with few data sets, all of it."""
    box = _whole_box(seen, priors)
    for _ in range(3 if len(seen.means) > _NARROW else 0):
        shares = posterior(seen, box, _SEARCH)
        size = (box.high - box.low) / np.array(_SEARCH.cells)
        low, high = box.low.copy(), box.high.copy()
        for axis in range(3):
            marginal = shares.sum(axis=tuple(other for other in range(3) if other != axis))
            inside = np.flatnonzero(marginal > 1e-5 * marginal.max())
            low[axis] = max(low[axis], box.low[axis] + (inside[0] - 1) * size[axis])
            high[axis] = min(high[axis], box.low[axis] + (inside[-1] + 2) * size[axis])
        box = replace(box, low=low, high=high)
    return box


def _whole_box(seen: Evidence, priors: Priors) -> Box:
    """All that the priors allow, but for values of std0 far below what the runs can tell from 0."""
    centre = float(np.median(seen.means))
    typical = float(np.median(seen.widths))
    # Not the standard deviation: one outlying data set would leave the others too few cells.
    unit = max(float(np.median(np.abs(seen.means - centre))), typical)
    bound, widest = priors.delta0 * seen.largest, priors.std0 * seen.among
    low = [LOG_NU[0], np.arcsinh((-bound - centre) / unit), np.log(1e-3 * min(typical, widest))]
    high = [LOG_NU[1], np.arcsinh((bound - centre) / unit), np.log(widest)]
    return Box(centre, unit, np.array(low), np.array(high))


# --- the posterior ---


def posterior(seen: Evidence, box: Box, grid: Grid) -> Floats:
    """The share of each cell: nu × delta0 × std0."""
    log_nu, t, log_std0 = box.middles(grid.cells)
    # The flat priors of delta0 and std0 and that of nu, in the coordinates of the grid.
    logs = (log_nu + np.log(_prior_of_nu(log_nu)))[:, None, None] + log_std0[:, None] + np.log(np.cosh(t))
    delta0, std0 = box.delta0(t), np.exp(log_std0)
    for layer, nu in enumerate(1 + np.exp(log_nu)):
        for mean, width, freedom in zip(seen.means, seen.widths, seen.freedom, strict=True):
            logs[layer] += np.log(overlap(mean - delta0, width, freedom, std0, nu, grid.step))
    shares = np.exp(logs - logs.max())
    return np.ascontiguousarray((shares / shares.sum()).swapaxes(1, 2))


_REACH = 20.0
"""How far the normals that make up a t go out: to exp(-20) of the highest share, for outlying data sets."""


def overlap(distance: Floats, width: float, freedom: float, std0: Floats, nu: float, step: float) -> Floats:
    """The integral over delta_i of its density given its runs times that given the model; std0 × distances.

    That is the density of the sum of two Student t variables. A t is normal with a random variance, so the integral
    is a sum of normal densities, smooth whichever of the two is the narrower and however far apart they lie.
    """
    halves = -(distance**2) / 2
    model_weights, model_variances = _normals(nu, _REACH, step)
    total = np.zeros((len(std0), len(distance)))
    for weight, variance in zip(*_normals(freedom, *_fineness(freedom, step)), strict=True):
        variances = width**2 * variance + np.multiply.outer(std0**2, model_variances)
        heights = weight * model_weights / np.sqrt(2 * np.pi * variances)
        densities = np.multiply.outer(1 / variances, halves)
        np.exp(densities, out=densities)
        total += (heights[:, None] @ densities)[:, 0]
    return np.maximum(total, _TINY)


def _fineness(freedom: float, step: float) -> tuple[float, float]:
    """Reach and step for a data set: with many runs its t is all but normal, and a few normals make it up."""
    return 0.6 * _REACH if freedom < 30 else 0.2 * _REACH, step if freedom < 10 else 2 * step


@lru_cache(maxsize=4096)
def _normals(freedom: float, reach: float, step: float) -> tuple[Floats, Floats]:
    """Weights and variances of normals whose mixture is the standard t: 1/variance is Gamma(freedom/2, freedom/2).

    Points lie evenly along the logarithm, as far out as the mixture's share stays above exp(-reach) of its highest.
    """
    shape = freedom / 2
    fine = np.linspace(-60.0, 8.0, 6801)
    logs = (shape + 0.5) * fine - shape * np.exp(fine)
    within = fine[logs > logs.max() - reach]
    length = float(within[-1] - within[0])
    count = int(np.ceil(length / min(step, step * float(np.sqrt(polygamma(1, shape))))))
    points = within[0] + (np.arange(count) + 0.5) * length / count
    weights = np.exp(shape * (points - np.expm1(points)))
    return weights / weights.sum(), np.exp(-points)


def _prior_of_nu(log_nu: Floats) -> Floats:
    """The density of nu: nu - 1 is Gamma(alpha, rate beta), averaged over alpha in (1, 2) and beta in (.01, .1)."""
    points, weights = _legendre()
    alpha, beta = 1.5 + points / 2, 0.055 + 0.045 * points
    by_beta = np.log(beta) * alpha[:, None]
    logs = by_beta - gammaln(alpha)[:, None] + (alpha[:, None] - 1) * log_nu[:, None, None]
    densities = np.exp(logs - beta * np.exp(log_nu)[:, None, None])
    return np.asarray(densities @ weights @ weights / 4)


@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(40)
    return points, weights


# --- draws ---

_LATTICE = 1.2207440846057596 ** -np.arange(1.0, 4.0)
"""Multiples of these fill a cube more evenly than random numbers do."""


def draw(shares: Floats, box: Box, draws: int, rng: np.random.Generator) -> list[Floats]:
    """Points of the box, axis by axis: cells by systematic resampling, and a place within its cell for each draw.

    Where the posterior is steep or curved, a cell's middle stands for its cell only roughly; so the mass of each
    is corrected for the curvature, and draws lie more densely on its higher side.
    """
    masses = np.maximum(shares + sum(_curvature(shares, axis) for axis in range(3)) / 24, 0.0)
    reached = np.floor(np.cumsum(masses) / masses.sum() * draws + rng.random())
    reached[-1] = draws
    counts = np.diff(reached, prepend=0.0).astype(np.int64)
    filled = np.flatnonzero(counts)
    heights = np.maximum(shares.ravel()[filled], _TINY)
    points = []
    for axis, (cells, start) in enumerate(zip(np.unravel_index(filled, shares.shape), rng.random(3), strict=True)):
        tilt = np.clip(np.gradient(shares, axis=axis).ravel()[filled] / heights, -2.0, 2.0)
        place = _tilted(start + np.arange(draws) * _LATTICE[axis], np.repeat(tilt, counts[filled]))
        place += np.repeat(cells + 0.5, counts[filled])
        points.append(box.low[axis] + (box.high[axis] - box.low[axis]) / shares.shape[axis] * place)
    return points


def _tilted(spots: Floats, tilt: Floats) -> Floats:
    """Numbers x in (-1/2, 1/2) with density 1 + tilt·x, from even ones: its distribution function, solved for x."""
    rest = 0.5 - tilt / 8 - (spots - np.floor(spots))
    return np.asarray(-2 * rest / (1 + np.sqrt(np.maximum(1 - 2 * tilt * rest, 0.0))))


def _curvature(shares: Floats, axis: int) -> Floats:
    """Second differences along an axis, none at its ends."""
    slopes = np.diff(shares, axis=axis)
    ends = np.zeros_like(np.take(shares, [0], axis=axis))
    return np.diff(np.concatenate([ends, slopes, ends], axis=axis), axis=axis)
