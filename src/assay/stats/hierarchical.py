"""Two systems over several data sets: the hierarchical model of Corani et al. (2017), by quadrature.

Run differences d = y - x of data set i are normal around delta_i with correlation rho; the delta_i come from a
Student t with nu degrees of freedom, location delta0 and scale std0. The noise of each data set integrates out in
closed form: given its own runs alone, delta_i is Student t (`Evidence`). What is left are three numbers, delta0,
std0 and nu, whose posterior is computed on a grid (`_posterior`) and drawn from (`_draw`): no sampler, no compiler.

Evidence is on a scale where run differences have a standard deviation of about 1, a `Fit` in units of the measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from scipy.special import gammaln, polygamma, stdtr

from assay.arrays import Bools, Floats

Three = tuple[float, float, float]
"""Left (x better), within the region of practical equality (the ROPE), right (y better)."""
Region = Literal["left", "rope", "right"]

LEAST_RUNS = 3
FEW_DATA_SETS = 5
"""Below this many data sets the answer is largely the prior's."""
_BATCHES = 20
_TINY = 1e-300
_LEVEL = 0.95


class TooFewRunsError(ValueError):
    """A data set has fewer than three runs: its noise cannot be integrated out."""


class NoVariationError(ValueError):
    """No data set varies between runs, so there is no scale; `settled` gives the answer."""


@dataclass(frozen=True)
class Priors:
    """Bounds of the flat priors: of std0 in spreads among data sets, of delta0 in largest differences."""

    std0: float = 1000.0
    delta0: float = 1.0


USUAL = Priors()
SENSITIVITY = (
    *(Priors(std0=bound) for bound in (3.0, 10.0, 100.0, 1000.0)),
    *(Priors(delta0=bound) for bound in (0.75, 1.0, 2.0, 5.0)),
)
"""The priors under which an answer from few data sets is shown beside the usual ones."""


# --- what the runs say ---


@dataclass(frozen=True)
class Evidence:
    """What is left of the runs: for each data set the Student t of its delta_i, on the scale of the model."""

    scale: float
    """What differences were divided by: the mean standard deviation of a data set's runs."""
    rope: float
    means: Floats
    squares: Floats
    """Sums of squared deviations from the mean."""
    runs: Floats
    widths: Floats
    """The scale of each t; its degrees of freedom are runs - 2."""
    largest: float
    """The largest difference in any run: the bound of delta0."""
    among: float
    """The spread of the means, or that within data sets where the means have none."""
    same_means: bool
    treated: tuple[int, ...] = ()
    """Data sets without variation, which were given the variation of noise within the ROPE …"""
    left_out: tuple[int, ...] = ()
    """… and those left out, since there is neither a ROPE nor a known step of the score."""

    @property
    def freedom(self) -> Floats:
        """The degrees of freedom of each t."""
        return self.runs - 2


def constant(rows: Sequence[Floats]) -> Bools:
    """Which data sets have the same difference in all runs, rounding aside."""
    return np.array([np.ptp(row) <= 1e-9 * np.abs(row).max() for row in rows], dtype=bool)


def settled(rows: Sequence[Floats], rope: float) -> list[Region]:
    """Where each constant data set lies: all there is to say when no data set varies between runs."""
    means = [float(np.mean(row)) for row in rows]
    return ["rope" if abs(mean) <= rope else "left" if mean < 0 else "right" for mean in means]


def evidence(rows: Sequence[Floats], rho: Sequence[float], rope: float, *, step: float | None = None) -> Evidence:
    """The sufficient statistics of each data set's runs (d = y - x), which may differ in number and correlation.

    `step` is the smallest possible step of the score: half of it stands in for a ROPE of 0 where a data set has no
    variation.
    """
    _check(rows, rho, rope)
    still = constant(rows)
    if still.all():
        raise NoVariationError("no data set varies between runs")
    spreads = np.array([0.0 if same else float(np.std(row)) for row, same in zip(rows, still, strict=True)])
    scale = float(spreads.mean())
    noise = rope or (step or 0.0) / 2
    kept = ~still | (noise > 0)
    runs = np.array([len(row) for row in rows], dtype=np.float64)[kept]
    means = np.array([float(np.mean(row)) for row in rows])[kept] / scale
    squares = runs * np.where(still, noise / np.sqrt(3), spreads)[kept] ** 2 / scale**2
    correlation = np.asarray(rho, dtype=np.float64)[kept]
    widths = np.sqrt((1 / runs + correlation / (1 - correlation)) * squares / (runs - 2))
    among = float(np.std(means))
    same_means = len(means) > 1 and among <= 1e-9 * float(np.abs(means).max())
    return Evidence(
        scale=scale,
        rope=rope / scale,
        means=means,
        squares=squares,
        runs=runs,
        widths=widths,
        largest=max(float(np.abs(row).max()) for row, keep in zip(rows, kept, strict=True) if keep) / scale,
        among=among if len(means) > 1 and not same_means else float(np.sqrt(squares / runs).mean()),
        same_means=same_means,
        treated=tuple(np.flatnonzero(still & kept).tolist()),
        left_out=tuple(np.flatnonzero(~kept).tolist()),
    )


def _check(rows: Sequence[Floats], rho: Sequence[float], rope: float) -> None:
    """Whether these are differences, correlations and a ROPE at all."""
    if not 0 <= rope < np.inf:
        raise ValueError(f"the ROPE is {rope}, but it must be a number from 0")
    for number, (row, correlation) in enumerate(zip(rows, rho, strict=True)):
        if len(row) < LEAST_RUNS:
            raise TooFewRunsError(f"data set {number} has {len(row)} runs, but the model needs {LEAST_RUNS}")
        if not np.isfinite(row).all():
            raise ValueError(f"data set {number} has a difference that is no number")
        check_rho(correlation)


def check_rho(rho: float) -> None:
    """Whether a number can be the correlation of runs."""
    if not 0 <= rho < 1:
        raise ValueError(f"rho is {rho}, but it must be from 0 to below 1")


# --- the posterior of delta0, std0 and nu on a grid ---


@dataclass(frozen=True)
class _Grid:
    """How finely to compute."""

    cells: tuple[int, int, int]
    """Of nu, delta0 and std0."""
    step: float
    """Between the normals that make up a t, at most this many of their standard deviations."""

    @property
    def half(self) -> _Grid:
        """Half as fine."""
        nu, delta0, std0 = self.cells
        return _Grid((nu // 2, delta0 // 2, std0 // 2), 1.25 * self.step)


_FEW = {False: _Grid((20, 56, 40), 1.0), True: _Grid((32, 112, 80), 0.75)}
_MANY = {False: _Grid((24, 28, 28), 0.75), True: _Grid((32, 40, 40), 0.5)}
_SEARCH = _Grid((6, 20, 16), 1.5)
_NARROW = 8
"""With more data sets than this the posterior is narrow, and its place is searched first …"""
_VERY_NARROW = 20
"""… and with more than this, so much so that fewer cells serve."""
_REACH = 20.0
"""How far the normals that make up a t go out: to exp(-20) of the highest share, for outlying data sets."""


def _grid(seen: Evidence, fine: bool = False) -> _Grid:
    """The grid for so many data sets."""
    return (_FEW if len(seen.means) <= _VERY_NARROW else _MANY)[fine]


_LOG_NU = (float(np.log(0.01)), float(np.log(700.0)))


@dataclass(frozen=True)
class _Box:
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


def _whole_box(seen: Evidence, priors: Priors) -> _Box:
    """All that the priors allow, but for values of std0 far below what the runs can tell from 0."""
    centre = float(np.median(seen.means))
    typical = float(np.median(seen.widths))
    # Not the standard deviation: one outlying data set would leave the others too few cells.
    unit = max(float(np.median(np.abs(seen.means - centre))), typical)
    bound, widest = priors.delta0 * seen.largest, priors.std0 * seen.among
    low = [_LOG_NU[0], np.arcsinh((-bound - centre) / unit), np.log(1e-3 * min(typical, widest))]
    high = [_LOG_NU[1], np.arcsinh((bound - centre) / unit), np.log(widest)]
    return _Box(centre, unit, np.array(low), np.array(high))


def _posterior(seen: Evidence, box: _Box, grid: _Grid) -> Floats:
    """The share of each cell: nu × delta0 × std0."""
    log_nu, t, log_std0 = box.middles(grid.cells)
    delta0, std0 = box.delta0(t), np.exp(log_std0)
    # The flat priors of delta0 and std0 and that of nu, in the coordinates of the grid.
    logs = (log_nu + np.log(_prior_of_nu(log_nu)))[:, None, None] + np.log(np.cosh(t))[:, None] + log_std0
    for layer, nu in enumerate(1 + np.exp(log_nu)):
        for mean, width, freedom in zip(seen.means, seen.widths, seen.freedom, strict=True):
            logs[layer] += np.log(_overlap(mean - delta0, width, freedom, std0, nu, grid.step))
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum())


def _overlap(distance: Floats, width: float, freedom: float, std0: Floats, nu: float, step: float) -> Floats:
    """The integral over delta_i of its density given its runs times that given the model; distances × std0.

    That is the density of the sum of two Student t variables. A t is normal with a random variance, so the integral
    is a sum of normal densities, smooth whichever of the two is the narrower and however far apart they lie.
    """
    squares = -(distance**2)[:, None, None] / 2
    model_weights, model_variances = _normals(nu, _REACH, step)
    total = np.zeros((len(distance), len(std0)))
    for weight, variance in zip(*_normals(freedom, *_fineness(freedom, step)), strict=True):
        variances = width**2 * variance + np.multiply.outer(std0**2, model_variances)
        heights = weight * model_weights / np.sqrt(2 * np.pi * variances)
        densities = squares / variances
        total += np.einsum("tlk,lk->tl", np.exp(densities, out=densities), heights)
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
    points, weights = np.polynomial.legendre.leggauss(40)
    alpha, beta = 1.5 + points / 2, 0.055 + 0.045 * points
    by_beta = np.log(beta) * alpha[:, None]
    logs = by_beta - gammaln(alpha)[:, None] + (alpha[:, None] - 1) * log_nu[:, None, None]
    densities = np.exp(logs - beta * np.exp(log_nu)[:, None, None])
    return np.asarray(densities @ weights @ weights / 4)


def _box(seen: Evidence, priors: Priors) -> _Box:
    """The part of the space where the posterior is not negligible; with few data sets, all of it."""
    box = _whole_box(seen, priors)
    for _ in range(3 if len(seen.means) > _NARROW else 0):
        shares = _posterior(seen, box, _SEARCH)
        size = (box.high - box.low) / np.array(_SEARCH.cells)
        low, high = box.low.copy(), box.high.copy()
        for axis in range(3):
            marginal = shares.sum(axis=tuple(other for other in range(3) if other != axis))
            inside = np.flatnonzero(marginal > 1e-5 * marginal.max())
            low[axis] = max(low[axis], box.low[axis] + (inside[0] - 1) * size[axis])
            high[axis] = min(high[axis], box.low[axis] + (inside[-1] + 2) * size[axis])
        box = replace(box, low=low, high=high)
    return box


# --- draws, and what they say ---


@dataclass(frozen=True)
class Fit:
    """What two systems' differences say, in units of the measure: draws of the posterior, and shares of them."""

    evidence: Evidence
    rope: float
    priors: Priors
    seed: int
    delta0: Floats
    """Draws of the mean difference over data sets like these …"""
    std0: Floats
    """… of the spread among them …"""
    nu: Floats
    """… of how far outlying ones may lie …"""
    next: Floats
    """… and of the difference on a new one; its mean is better taken from delta0, which has the same."""
    left: Floats
    """For each draw the chance that x is better on a new data set …"""
    equal: Floats
    """… that the difference lies within the ROPE …"""
    right: Floats
    """… and that y is better."""
    decision: Three
    """The share of draws in which each region is the most likely of the three."""
    region: Three
    """The mean chance of each region: where the difference on a new data set will lie."""
    error: float
    """How far these six may be off: their largest change against a grid half as fine, and the chance of drawing."""
    box: _Box
    """The part of the space that was computed."""

    @property
    def treated(self) -> tuple[int, ...]:
        """Data sets without variation, given that of noise within the ROPE."""
        return self.evidence.treated

    @property
    def left_out(self) -> tuple[int, ...]:
        """Data sets without variation that there was nothing to give to."""
        return self.evidence.left_out

    def at(self, rope: float) -> tuple[Three, Three]:
        """Decision and region shares for another ROPE; see `curve` where data sets without variation were treated."""
        return decide(*_regions(self.delta0, self.std0, self.nu, rope))

    def inside(self, priors: Priors) -> Bools:
        """Which draws narrower priors allow: flat priors cut off, so these are draws of their posterior."""
        seen = self.evidence
        in_delta0 = np.abs(self.delta0) <= priors.delta0 * seen.largest * seen.scale
        return np.asarray(in_delta0 & (self.std0 <= priors.std0 * seen.among * seen.scale))

    @cached_property
    def rows(self) -> tuple[Three | None, ...]:
        """Mean and 95% interval of each data set's delta_i in the light of the others; None for one left out."""
        kept = iter(_shrunken(self))
        every = len(self.evidence.means) + len(self.left_out)
        return tuple(None if number in self.left_out else next(kept) for number in range(every))


def fit(
    rows: Sequence[Floats],
    rho: Sequence[float],
    rope: float,
    *,
    step: float | None = None,
    priors: Priors = USUAL,
    draws: int = 50_000,
    seed: int = 0,
    fine: bool = False,
) -> Fit:
    """The posterior for run differences d = y - x of each data set and the correlation of its runs.

    `step` is the smallest possible step of the score (see `evidence`). Raises TooFewRunsError, and NoVariationError
    where no data set varies.
    """
    seen = evidence(rows, rho, rope, step=step)
    grid = _grid(seen, fine)
    found = _solve(seen, priors, grid, draws, seed)
    rough = _solve(seen, priors, grid.half, draws, seed, found.box)
    changes = np.subtract(found.decision + found.region, rough.decision + rough.region)
    return replace(found, error=float(np.abs(changes).max()) + 2 * _noise(found))


def curve(
    rows: Sequence[Floats], rho: Sequence[float], ropes: Sequence[float], fitted: Fit, *, step: float | None = None
) -> list[tuple[float, Three, Three]]:
    """Decision and region shares for other ROPEs.

    The draws of the fit serve for all of them, unless a data set without variation depends on the ROPE.
    """
    if not (fitted.treated or fitted.left_out):
        return [(rope, *fitted.at(rope)) for rope in ropes]
    seen = [evidence(rows, rho, rope, step=step) for rope in ropes]
    found = [_solve(one, fitted.priors, _grid(one), len(fitted.nu), fitted.seed) for one in seen]
    return [(rope, one.decision, one.region) for rope, one in zip(ropes, found, strict=True)]


def sensitivity(fitted: Fit, settings: Sequence[Priors] = SENSITIVITY) -> list[tuple[Priors, Three, Three]]:
    """Decision and region shares under other priors.

    One posterior, under the widest of them, serves for all: narrower bounds only cut draws off. Where they cut off
    nearly all, a posterior of their own is computed.
    """
    seen, draws = fitted.evidence, len(fitted.nu)
    grid = _grid(seen)
    bounds = Priors(max(one.std0 for one in settings), max(one.delta0 for one in settings))
    wide = _solve(seen, bounds, grid, draws, fitted.seed)
    found: list[tuple[Priors, Three, Three]] = []
    for priors in settings:
        inside = wide.inside(priors)
        if priors == fitted.priors:
            shares = fitted.decision, fitted.region
        elif inside.mean() > 0.1:
            shares = decide(wide.left[inside], wide.equal[inside], wide.right[inside])
        else:
            own = _solve(seen, priors, grid, draws, fitted.seed)
            shares = own.decision, own.region
        found.append((priors, *shares))
    return found


def _solve(seen: Evidence, priors: Priors, grid: _Grid, draws: int, seed: int, box: _Box | None = None) -> Fit:
    """Draws from the posterior on one grid."""
    rng = np.random.default_rng(seed)
    sign = _direction(seen)
    turned = replace(seen, means=sign * seen.means)
    box = box or _box(turned, priors)
    log_nu, t, log_std0 = _draw(_posterior(turned, box, grid), box, draws, rng)
    delta0, std0, nu = sign * seen.scale * box.delta0(t), seen.scale * np.exp(log_std0), 1 + np.exp(log_nu)
    rope = seen.rope * seen.scale
    regions = _regions(delta0, std0, nu, rope)
    return Fit(
        seen,
        rope,
        priors,
        seed,
        delta0,
        std0,
        nu,
        delta0 + sign * std0 * rng.standard_t(nu),
        *regions,
        *decide(*regions),
        error=float("nan"),
        box=box,
    )


def _noise(found: Fit) -> float:
    """The standard error of the shares that comes of drawing, from batches of draws."""
    shares = np.array([found.left, found.equal, found.right])
    batches = [shares[:, number::_BATCHES] for number in range(_BATCHES)]
    spread = np.std([decide(*batch) for batch in batches], axis=0, ddof=1)
    return float(np.max(spread)) / float(np.sqrt(_BATCHES))


def _direction(seen: Evidence) -> float:
    """1 or -1: the model is computed with y ahead, so that exchanging x and y exchanges the answers exactly."""
    leading = next((value for value in (seen.means.sum(), *seen.means) if value), 1.0)
    return -1.0 if leading < 0 else 1.0


_LATTICE = 1.2207440846057596 ** -np.arange(1.0, 4.0)[:, None]
"""Multiples of these fill a cube more evenly than random numbers do."""


def _draw(shares: Floats, box: _Box, draws: int, rng: np.random.Generator) -> Floats:
    """Points of the box: cells by systematic resampling, and a place within its cell for each draw.

    Where the posterior is steep or curved, a cell's middle stands for its cell only roughly; so the mass of each
    is corrected for the curvature, and draws lie more densely on its higher side.
    """
    slopes = np.array(np.gradient(shares))
    masses = np.maximum(shares + sum(_curvature(shares, axis) for axis in range(3)) / 24, 0.0)
    reached = np.floor(np.cumsum(masses) / masses.sum() * draws + rng.random())
    reached[-1] = draws
    counts = np.diff(reached, prepend=0.0).astype(np.int64)
    filled = np.flatnonzero(counts)
    tilt = slopes.reshape(3, -1)[:, filled] / np.maximum(shares.ravel()[filled], _TINY)
    tilt = np.repeat(np.clip(tilt, -2.0, 2.0), counts[filled], axis=1)
    cells = np.array(np.unravel_index(np.repeat(filled, counts[filled]), shares.shape))
    spots = rng.random((3, 1)) + np.arange(draws) * _LATTICE
    spots -= np.floor(spots)
    # x in (-1/2, 1/2) with density 1 + tilt·x: its distribution function, solved for x.
    rest = 0.5 - tilt / 8 - spots
    place = -2 * rest / (1 + np.sqrt(np.maximum(1 - 2 * tilt * rest, 0.0)))
    size = (box.high - box.low) / np.array(shares.shape)
    return np.asarray(box.low[:, None] + size[:, None] * (cells + 0.5 + place))


def _curvature(shares: Floats, axis: int) -> Floats:
    """Second differences along an axis, none at its ends."""
    slopes = np.diff(shares, axis=axis)
    ends = np.zeros_like(np.take(shares, [0], axis=axis))
    return np.diff(np.concatenate([ends, slopes, ends], axis=axis), axis=axis)


def _regions(delta0: Floats, std0: Floats, nu: Floats, rope: float) -> tuple[Floats, Floats, Floats]:
    """For each draw the chances that the difference on a new data set lies left of, within, right of the ROPE."""
    log_nu = np.log(nu - 1)
    left = _below((-rope - delta0) / std0, log_nu)
    right = _below((delta0 - rope) / std0, log_nu)
    return left, np.maximum(1 - left - right, 0.0), right


def decide(left: Floats, equal: Floats, right: Floats) -> tuple[Three, Three]:
    """The share of draws in which each region is the most likely one, and the mean chance of each.

    Ties go to left, then to the ROPE.
    """
    is_left = (left >= equal) & (left >= right)
    is_equal = ~is_left & (equal >= right)
    counts = int(is_left.sum()), int(is_equal.sum()), int((~is_left & ~is_equal).sum())
    lefts, equals, rights = (count / len(left) for count in counts)
    return (lefts, equals, rights), (float(left.mean()), float(equal.mean()), float(right.mean()))


_TABLE = (1024, 128)
_FARTHEST = 16.0
"""Where the table of t ends, as arcsinh: beyond it lies nothing that shows in four digits."""


@lru_cache(maxsize=1)
def _tails() -> Floats:
    """P(T > z) for arcsinh(z) from 0 to the farthest, by log(nu - 1), flat."""
    z = np.sinh(np.linspace(0, _FARTHEST, _TABLE[0]))
    nu = 1 + np.exp(np.linspace(*_LOG_NU, _TABLE[1]))
    return np.asarray(stdtr(nu, -z[:, None])).ravel()


def _below(z: Floats, log_nu: Floats) -> Floats:
    """P(T < z) for many pairs of z and nu, read from the table: ten times as fast as computing it, to 4 digits."""
    row = np.minimum(np.arcsinh(np.abs(z)) * ((_TABLE[0] - 1) / _FARTHEST), _TABLE[0] - 1.001)
    column = (log_nu - _LOG_NU[0]) * ((_TABLE[1] - 1) / (_LOG_NU[1] - _LOG_NU[0]))
    column = np.clip(column, 0, _TABLE[1] - 1.001)
    whole_row, whole_column = row.astype(np.int64), column.astype(np.int64)
    row -= whole_row
    column -= whole_column
    table, corner = _tails(), whole_row * _TABLE[1] + whole_column
    near = table[corner] * (1 - column) + table[corner + 1] * column
    corner += _TABLE[1]
    far = table[corner] * (1 - column) + table[corner + 1] * column
    tail = near * (1 - row) + far * row
    return np.asarray(np.where(z < 0, tail, 1 - tail))


# --- each data set in the light of the others ---

_THINNED = (1000, 4000)
"""The least and the most draws that are looked at for each data set …"""
_TOGETHER = 16_000
"""… and how many for all of them."""
_CANDIDATES = 16


def _shrunken(fitted: Fit) -> list[Three]:
    """Mean and interval of each delta_i.

    For each of a few thousand draws, candidates from the data set's own t and from the model's are weighted by
    fg/(f + g), so that together they stand for the product of both densities.
    """
    seen = fitted.evidence
    rng = np.random.default_rng((fitted.seed, 1))
    sign = _direction(seen)
    wanted = int(np.clip(_TOGETHER // len(seen.means), *_THINNED))
    some = slice(None, None, max(1, len(fitted.nu) // wanted))
    delta0, std0 = fitted.delta0[some, None] / seen.scale, fitted.std0[some, None] / seen.scale
    nu = fitted.nu[some, None]
    size = (len(nu), _CANDIDATES)
    found = []
    for mean, width, freedom in zip(seen.means, seen.widths, seen.freedom, strict=True):
        own = mean + sign * width * rng.standard_t(freedom, size)
        points = np.hstack([own, delta0 + sign * std0 * rng.standard_t(nu, size)])
        f = _log_density((points - mean) / width, freedom) - np.log(width)
        g = _log_density((points - delta0) / std0, nu) - np.log(std0)
        weights = f + g - np.logaddexp(f, g)
        weights = np.exp(weights - weights.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        found.append(_summary(seen.scale * points.ravel(), weights.ravel() / len(nu)))
    return found


def _summary(values: Floats, weights: Floats) -> Three:
    """The mean of weighted values and the interval that holds 95% of the weight."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    low, high = np.searchsorted(reached, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(values @ weights), float(values[order[low]]), float(values[order[min(high, len(order) - 1)]])


def _log_density(z: Floats, freedom: Floats | float) -> Floats:
    """The logarithm of the standard t density."""
    height = gammaln((freedom + 1) / 2) - gammaln(freedom / 2) - np.log(np.pi * freedom) / 2
    return np.asarray(height - (freedom + 1) / 2 * np.log1p(z**2 / freedom))
