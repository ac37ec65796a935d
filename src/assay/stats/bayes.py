"""Two systems compared over runs: the correlated t-test on one data set, a hierarchical model over several.

Runs of a data set are correlated, as they share training data. The hierarchical model (Corani et al. 2017): run
differences d = y - x of data set i are normal around delta_i with correlation rho; the delta_i come from a Student t
with nu degrees of freedom, location delta0 and scale std0. The noise of each data set integrates out in closed form:
given its own runs alone, delta_i is Student t (`Evidence`). Three numbers are left, delta0, std0 and nu, whose
posterior is computed on a grid and drawn from: no sampler, no compiler.

`Evidence` is on a scale where run differences have a standard deviation of about 1, a `Fit` in units of the measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from scipy.special import gammaln, polygamma, stdtr, stdtrit

from assay.arrays import Bools, Floats, Ints
from assay.classes import dataclass

Three = tuple[float, float, float]
"""Numbers for three regions: left (x better), within the region of practical equivalence (ROPE), right (y better)."""
LEAST_RUNS = 3
FEW_DATA_SETS = 5
"""With fewer data sets, the answer comes largely from the prior."""
_ROUNDING = 1e-9
"""The share of a difference of two scores that may be rounding."""
_TINY = 1e-300
# Once a large piece was freed, the C library keeps what is freed later, and arrays of draws cost half as much.
np.empty(31 << 20, dtype=np.uint8)


class TooFewRunsError(ValueError):
    """A data set has fewer than three runs: its noise cannot be integrated out."""


class NoVariationError(ValueError):
    """No data set varies between runs, so there is no scale; `constant_regions` gives the answer."""


def constant_rows(rows: Sequence[Floats]) -> Bools:
    """Mask of the data sets with the same difference in all runs, rounding aside."""
    return np.array([np.ptp(row) <= _ROUNDING * np.abs(row).max() for row in rows], dtype=bool)


def constant_regions(rows: Sequence[Floats], rope: float) -> list[Literal["left", "rope", "right"]]:
    """The shares of constant data sets in each region, the only answer if no data set varies between runs."""
    means = [float(np.mean(row)) for row in rows]
    return ["rope" if is_within(mean, rope) else "left" if mean < 0 else "right" for mean in means]


def is_within(difference: float, rope: float) -> bool:
    """True if a difference is in the ROPE, edges included; rounding is ignored: 0.912 - 0.910 is in one of 0.002."""
    return abs(difference) <= rope * (1 + _ROUNDING)


def decide_regions(left: Floats, equal: Floats, right: Floats) -> tuple[Three, Three]:
    """The share of draws in which each region is the most probable, and the mean probability of each.

    In a tie, left counts, then the ROPE.
    """
    is_left = (left >= equal) & (left >= right)
    is_equal = ~is_left & (equal >= right)
    lefts, equals = int(np.count_nonzero(is_left)), int(np.count_nonzero(is_equal))
    shares = lefts / len(left), equals / len(left), (len(left) - lefts - equals) / len(left)
    return shares, (float(left.mean()), float(equal.mean()), float(right.mean()))


def _check_rho(rho: float) -> None:
    if not 0 <= rho < 1:
        raise ValueError(f"rho is {rho}, but it must be from 0 to below 1")


# --- one data set: the correlated t-test, Bayesian and not ---


@dataclass(frozen=True)
class Correlated:
    """The mean difference on a data set: Student t (Corani and Benavoli 2015); with width 0, a certain number."""

    mean: float
    width: float
    freedom: int

    def regions(self, rope: float) -> Three:
        """The probabilities that the difference is left of, within, and right of the ROPE."""
        if self.width == 0:
            place = constant_regions([np.array([self.mean])], rope)[0]
            return float(place == "left"), float(place == "rope"), float(place == "right")
        left = float(stdtr(self.freedom, (-rope - self.mean) / self.width))
        right = float(stdtr(self.freedom, (self.mean - rope) / self.width))
        return left, max(0.0, 1 - left - right), right

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval of the posterior with this share."""
        reach = self.width * float(stdtrit(self.freedom, (1 + level) / 2))
        return self.mean - reach, self.mean + reach

    @property
    def t(self) -> float:
        """The corrected resampled t of Nadeau and Bengio (2003); infinite if all runs have the same difference."""
        if self.width:
            return self.mean / self.width
        return float(np.copysign(np.inf, self.mean)) if self.mean else float("nan")

    @property
    def p(self) -> float:
        """The two-sided p of this t; 1 if the systems do not differ in any run."""
        return 1.0 if np.isnan(self.t) else min(1.0, 2 * float(stdtr(self.freedom, -abs(self.t))))


def fit_correlated(row: Floats, rho: float) -> Correlated:
    """The posterior for the run differences d = y - x of a data set.

    With rho = test / (test + train) it is also the corrected resampled t-test: 1/n + rho/(1 - rho) is its factor.
    """
    if len(row) < 2:
        raise TooFewRunsError(f"the data set has {len(row)} runs, but a spread needs 2")
    _check_rho(rho)
    mean = float(np.mean(row))
    spread = 0.0 if constant_rows([row])[0] else float(np.std(row, ddof=1))
    return Correlated(mean, spread * float(np.sqrt(1 / len(row) + rho / (1 - rho))), len(row) - 1)


# --- many data sets by their means alone ---

_AT_ONCE = 4096
_PRIOR = 0.5
"""The weight of a pseudo-observation of no difference; each data set has the weight 1."""


@dataclass(frozen=True)
class SignedRank:
    """The Bayesian signed-rank test (Benavoli et al. 2014): Dirichlet weights of the data sets, drawn.

    The regions are the weights of the averages of two differences: two new data sets, or one twice.
    """

    left: Floats
    """For each draw the probability that x is better on two new data sets."""
    equal: Floats
    """For each draw the probability that the difference is within the ROPE."""
    right: Floats
    """For each draw the probability that y is better."""
    decision: Three
    """The share of draws in which each region is the most probable."""
    region: Three
    """The expected probability of each region; no draws are needed."""

    @property
    def error(self) -> float:
        """Two standard errors of the decision shares."""
        return 2 * max(float(np.sqrt(share * (1 - share) / len(self.left))) for share in self.decision)

    @property
    def mirrored(self) -> SignedRank:
        """The test of d = x - y."""
        return SignedRank(self.right, self.equal, self.left, self.decision[::-1], self.region[::-1])


def signed_rank(means: Floats, rope: float, *, draws: int = 50_000, seed: int = 0) -> SignedRank:
    """The signed-rank test on the differences d = y - x of data sets; an average on an edge is halved."""
    rng = np.random.default_rng(seed)
    values = np.append(means, 0.0)
    averages = (values[:, None] + values) / 2
    sides = [
        np.where(np.isclose(side, rope, rtol=1e-12, atol=1e-12), 0.5, side > rope) for side in (-averages, averages)
    ]
    concentration = np.append(np.ones(len(means)), _PRIOR)
    products = np.outer(concentration, concentration) + np.diag(concentration)
    left, right = (float((products * side).sum() / products.sum()) for side in sides)
    shares = []
    for first in range(0, draws, _AT_ONCE):
        weights = rng.dirichlet(concentration, size=min(_AT_ONCE, draws - first))
        shares.append([((weights @ side) * weights).sum(axis=1) for side in sides])
    lefts, rights = np.concatenate(shares, axis=1)
    equals = np.maximum(1 - lefts - rights, 0.0) if rope else np.zeros_like(lefts)
    decision = decide_regions(lefts, equals, rights)[0]
    return SignedRank(lefts, equals, rights, decision, (left, max(0.0, 1 - left - right), right))


# --- several data sets: the evidence of their runs ---


@dataclass(frozen=True)
class Evidence:
    """The runs of each data set as the Student t of its delta_i, on the scale of the model."""

    scale: float
    """The divisor of differences: the mean standard deviation of a data set's runs."""
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
    """The spread of the means or, if all are equal, that within data sets."""
    same_means: bool
    treated: tuple[int, ...] = ()
    """Data sets without variation, which get the variation of noise within the ROPE."""
    left_out: tuple[int, ...] = ()
    """Data sets without variation that are left out, because neither a ROPE nor a step of the score is known."""

    @property
    def direction(self) -> float:
        """1 or -1, so that y is ahead in the computed model and exchanging x and y exchanges the answers exactly."""
        leading = next((value for value in (self.means.sum(), *self.means) if value), 1.0)
        return -1.0 if leading < 0 else 1.0


def summarise_runs(
    rows: Sequence[Floats], rho: Sequence[float], rope: float, *, step: float | None = None
) -> Evidence:
    """The sufficient statistics of each data set's runs (d = y - x), which may differ in number and correlation.

    `step` is the smallest possible step of the score: half of it replaces a ROPE of 0 if a data set has no variation.
    """
    if not 0 <= rope < np.inf:
        raise ValueError(f"the ROPE is {rope}, but it must be a number from 0")
    for number, (row, value) in enumerate(zip(rows, rho, strict=True)):
        if len(row) < LEAST_RUNS:
            raise TooFewRunsError(f"data set {number} has {len(row)} runs, but the model needs {LEAST_RUNS}")
        if not np.isfinite(row).all():
            raise ValueError(f"data set {number} has a difference that is not a number")
        _check_rho(value)
    still = constant_rows(rows)
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
    among = float(np.std(means))
    same_means = len(means) > 1 and among <= 1e-9 * float(np.abs(means).max())
    return Evidence(
        scale=scale,
        rope=rope / scale,
        means=means,
        squares=squares,
        runs=runs,
        widths=np.sqrt((1 / runs + correlation / (1 - correlation)) * squares / (runs - 2)),
        largest=max(float(np.abs(row).max()) for row, keep in zip(rows, kept, strict=True) if keep) / scale,
        among=among if len(means) > 1 and not same_means else float(np.sqrt(squares / runs).mean()),
        same_means=same_means,
        treated=tuple(np.flatnonzero(still & kept).tolist()),
        left_out=tuple(np.flatnonzero(~kept).tolist()),
    )


# --- the posterior on a grid ---

_LOG_NU = (float(np.log(0.01)), float(np.log(700.0)))
"""The bounds of log(nu - 1); nu are the degrees of freedom of the t from which data sets come."""


@dataclass(frozen=True)
class Priors:
    """Bounds of the flat priors: of std0 in spreads among data sets, of delta0 in largest differences."""

    std0: float = 1000.0
    delta0: float = 1.0


Grid = tuple[tuple[int, int, int], float]
"""Numbers of cells of nu, delta0 and std0, and the step between the normals of a t in their standard deviations."""
_FEW: dict[bool, Grid] = {False: ((20, 56, 40), 1.0), True: ((32, 112, 80), 0.75)}
_MANY: dict[bool, Grid] = {False: ((24, 28, 28), 0.75), True: ((32, 40, 40), 0.5)}
"""Grids, rough or fine, for few and for many data sets."""
_SEARCH: Grid = ((6, 20, 16), 1.5)
_NARROW = 8
"""With more data sets the posterior is narrow, and its place is searched first."""
_VERY_NARROW = 20
"""With more data sets the posterior is so narrow that fewer cells are enough."""
_REACH = 20.0
"""The reach of the normals of a t: to exp(-20) of the highest share, for outlying data sets."""
_leggauss = lru_cache(maxsize=1)(np.polynomial.legendre.leggauss)


@dataclass(frozen=True)
class Box:
    """A part of the space of log(nu - 1), t = arcsinh((delta0 - centre)/unit) and log(std0)."""

    centre: float
    unit: float
    low: Floats
    high: Floats

    def delta0(self, t: Floats) -> Floats:
        """delta0 from t."""
        return self.centre + self.unit * np.sinh(t)


def _find_box(data: Evidence, priors: Priors) -> Box:
    """The part of the space in which the posterior is not negligible; with few data sets, all of it."""
    # All values that the priors allow, except values of std0 that runs cannot distinguish from 0.
    centre, typical = float(np.median(data.means)), float(np.median(data.widths))
    # Not the standard deviation, because an outlying data set would leave too few cells for the others.
    unit = max(float(np.median(np.abs(data.means - centre))), typical)
    bound, widest = priors.delta0 * data.largest, priors.std0 * data.among
    lows = [_LOG_NU[0], np.arcsinh((-bound - centre) / unit), np.log(1e-3 * min(typical, widest))]
    highs = [_LOG_NU[1], np.arcsinh((bound - centre) / unit), np.log(widest)]
    box = Box(centre, unit, np.array(lows), np.array(highs))
    for _ in range(3 if len(data.means) > _NARROW else 0):
        shares = _posterior(data, box, _SEARCH)
        size = (box.high - box.low) / np.array(_SEARCH[0])
        low, high = box.low.copy(), box.high.copy()
        for axis in range(3):
            marginal = shares.sum(axis=tuple(other for other in range(3) if other != axis))
            inside = np.flatnonzero(marginal > 1e-5 * marginal.max())
            low[axis] = max(low[axis], box.low[axis] + (inside[0] - 1) * size[axis])
            high[axis] = min(high[axis], box.low[axis] + (inside[-1] + 2) * size[axis])
        box = replace(box, low=low, high=high)
    return box


def _posterior(data: Evidence, box: Box, grid: Grid) -> Floats:
    """The posterior probability of each cell: nu × delta0 × std0."""
    cells, step = grid
    log_nu, t, log_std0 = (
        low + (np.arange(count) + 0.5) * (high - low) / count
        for low, high, count in zip(box.low, box.high, cells, strict=True)
    )
    # The prior of nu together with the flat ones of delta0 and std0, in the coordinates of the grid.
    of_nu = _prior_of_nu(float(box.low[0]), float(box.high[0]), cells[0])
    logs = (log_nu + np.log(of_nu))[:, None, None] + log_std0[:, None] + np.log(np.cosh(t))
    delta0, std0 = box.delta0(t), np.exp(log_std0)
    for layer, nu in enumerate(1 + np.exp(log_nu)):
        for mean, width, freedom in zip(data.means, data.widths, data.runs - 2, strict=True):
            logs[layer] += np.log(integrate_overlap(mean - delta0, width, freedom, std0, nu, step))
    shares = np.exp(logs - logs.max())
    return np.ascontiguousarray((shares / shares.sum()).swapaxes(1, 2))


@lru_cache(maxsize=64)
def _prior_of_nu(low: float, high: float, count: int) -> Floats:
    """The prior density at the middles of cells of log(nu - 1).

    nu - 1 is Gamma(alpha, rate beta), averaged over alpha in (1, 2) and beta in (.01, .1).
    """
    log_nu = low + (np.arange(count) + 0.5) * (high - low) / count
    points, weights = _leggauss(40)
    alpha, beta = 1.5 + points / 2, 0.055 + 0.045 * points
    by_beta = np.log(beta) * alpha[:, None]
    heights = by_beta - gammaln(alpha)[:, None] + (alpha[:, None] - 1) * log_nu[:, None, None]
    return np.asarray(np.exp(heights - beta * np.exp(log_nu)[:, None, None]) @ weights @ weights / 4)


def integrate_overlap(distance: Floats, width: float, freedom: float, std0: Floats, nu: float, step: float) -> Floats:
    """The integral over delta_i of its density given its runs times that given the model; std0 × distances.

    It is the density of the sum of two Student t variables. A t is normal with a random variance, so the integral is
    a sum of normal densities, which is smooth for any widths and distances of the two.
    """
    halves = -(distance**2) / 2
    model_weights, model_variances = _normals(nu, _REACH, step)
    of_model = np.multiply.outer(std0**2, model_variances)
    total = np.zeros((len(std0), len(distance)))
    densities = np.empty((of_model.size, len(distance)))
    # With many runs the t of a data set is nearly normal, so that a few normals are enough.
    reach, own_step = 0.6 * _REACH if freedom < 30 else 0.2 * _REACH, step if freedom < 10 else 2 * step
    for weight, variance in zip(*_normals(freedom, reach, own_step), strict=True):
        variances = width**2 * variance + of_model
        heights = weight * model_weights / np.sqrt(2 * np.pi * variances)
        # As a product of matrices; an outer product of ufuncs takes twice as long.
        np.dot(1 / variances.reshape(-1, 1), halves[None], out=densities)
        np.exp(densities, out=densities)
        total += (heights[:, None] @ densities.reshape(*of_model.shape, -1))[:, 0]
    return np.maximum(total, _TINY)


@lru_cache(maxsize=4096)
def _normals(freedom: float, reach: float, step: float) -> tuple[Floats, Floats]:
    """Weights and variances of normals whose mixture is the standard t: 1/variance is Gamma(freedom/2, freedom/2).

    Points are spaced evenly on the logarithm, as far as the mixture's share is above exp(-reach) of its highest.
    """
    shape = freedom / 2
    fine = np.linspace(-60.0, 8.0, 6801)
    logs = (shape + 0.5) * fine - shape * np.exp(fine)
    near = fine[logs > logs.max() - reach]
    length = float(near[-1] - near[0])
    count = int(np.ceil(length / min(step, step * float(np.sqrt(polygamma(1, shape))))))
    points = near[0] + (np.arange(count) + 0.5) * length / count
    weights = np.exp(shape * (points - np.expm1(points)))
    return weights / weights.sum(), np.exp(-points)


_LATTICE = 1.2207440846057596 ** -np.arange(1.0, 4.0)
"""Multiples of these fill a cube more evenly than random numbers do."""


def _draw(shares: Floats, box: Box, draws: int, rng: np.random.Generator) -> list[Floats]:
    """Points of the box, axis by axis: cells by systematic resampling, and a place within its cell for each draw.

    If the posterior is steep or curved, the middle of a cell represents it only roughly; so the mass of each cell is
    corrected for the curvature, and draws are denser on its higher side.
    """
    curvature = []
    for axis in range(3):
        slopes = np.diff(shares, axis=axis)
        ends = np.zeros_like(np.take(shares, [0], axis=axis))
        curvature.append(np.diff(np.concatenate([ends, slopes, ends], axis=axis), axis=axis))
    masses = np.maximum(shares + sum(curvature) / 24, 0.0)
    reached = np.floor(np.cumsum(masses) / masses.sum() * draws + rng.random())
    reached[-1] = draws
    counts = np.diff(reached, prepend=0.0).astype(np.int64)
    filled = np.flatnonzero(counts)
    heights, numbers = np.maximum(shares.ravel()[filled], _TINY), counts[filled]
    points = []
    spots = _even(draws, *rng.random(3).tolist())
    for axis, (cells, spot) in enumerate(zip(np.unravel_index(filled, shares.shape), spots, strict=True)):
        slope = np.clip(np.gradient(shares, axis=axis).ravel()[filled] / heights, -2.0, 2.0)
        # Numbers x in (-1/2, 1/2) with density 1 + tilt·x, from even ones: its distribution function, solved for x.
        tilt = np.repeat(slope, numbers)
        rest = 0.5 - tilt / 8 - spot
        place = -2 * rest / (1 + np.sqrt(np.maximum(1 - 2 * tilt * rest, 0.0)))
        place += np.repeat(cells + 0.5, numbers)
        points.append(box.low[axis] + (box.high[axis] - box.low[axis]) / shares.shape[axis] * place)
    return points


@lru_cache(maxsize=1)
def _even(draws: int, *starts: float) -> Floats:
    """Even places of draws in a cube, axes × draws, which are the same for all posteriors of a seed."""
    spots = np.multiply.outer(_LATTICE, np.arange(draws))
    spots += np.array(starts)[:, None]
    spots -= np.floor(spots)
    return spots


# --- the chances of the regions on a new data set ---

_TABLE = (128, 1024)
_FARTHEST = 16.0
"""The end of the table of t, as arcsinh; beyond it, four digits do not change."""


class Tails:
    """P(T < z) for many z with fixed degrees of freedom.

    It is read from a table, which is ten times as fast as computing it and has 4 digits.
    """

    def __init__(self, nu: Floats) -> None:
        row = (np.log(nu - 1) - _LOG_NU[0]) * ((_TABLE[0] - 1) / (_LOG_NU[1] - _LOG_NU[0]))
        row = np.clip(row, 0, _TABLE[0] - 1.001)
        first = row.astype(np.int64)
        self._first = first * _TABLE[1]
        self._after = row - first
        self._before = 1 - self._after

    def below(self, z: Floats) -> Floats:
        """P(T < z)."""
        column = np.minimum(np.arcsinh(np.abs(z)) * ((_TABLE[1] - 1) / _FARTHEST), _TABLE[1] - 1.001)
        corner = column.astype(np.int64)
        column -= corner
        corner += self._first
        tail = self._between(corner)
        tail *= 1 - column
        corner += 1
        column *= self._between(corner)
        tail += column
        return np.asarray(np.abs((z >= 0) - tail))

    def _between(self, corner: Ints) -> Floats:
        """Interpolate between a place of the table and the next."""
        # Indices are in range; "clip" saves checking them.
        here, after = (table.take(corner, mode="clip") for table in (_tail_table(), _tail_table()[_TABLE[1] :]))
        here *= self._before
        after *= self._after
        here += after
        return np.asarray(here)


@lru_cache(maxsize=1)
def _tail_table() -> Floats:
    """A flat table of P(T > z) by log(nu - 1) and arcsinh(z) from 0 to the farthest; draws are in the order of nu."""
    nu = 1 + np.exp(np.linspace(*_LOG_NU, _TABLE[0]))
    z = np.sinh(np.linspace(0, _FARTHEST, _TABLE[1]))
    return np.asarray(stdtr(nu[:, None], -z)).ravel()


# --- the fit ---

USUAL = Priors()
SENSITIVITY = (
    *(Priors(std0=bound) for bound in (3.0, 10.0, 100.0)),
    USUAL,
    *(Priors(delta0=bound) for bound in (0.75, 2.0, 5.0)),
)
"""The priors for which an answer from few data sets is shown, including the usual ones."""
_BATCHES = 20


@dataclass(frozen=True)
class Draws:
    """Draws of the posterior on one grid, in units of the measure."""

    box: Box
    """The part of the space that was computed."""
    delta0: Floats
    """The mean difference over data sets like these."""
    std0: Floats
    """The spread among such data sets."""
    nu: Floats
    """The degrees of freedom of their distribution: fewer allow more outlying data sets."""

    @cached_property
    def _tails(self) -> Tails:
        return Tails(self.nu)

    def regions(self, rope: float) -> tuple[Floats, Floats, Floats]:
        """The probabilities, for each draw, that a new difference is left of, within and right of the ROPE."""
        left = self._tails.below((-rope - self.delta0) / self.std0)
        right = self._tails.below((self.delta0 - rope) / self.std0)
        return left, np.maximum(1 - left - right, 0.0), right

    def at(self, rope: float) -> tuple[Three, Three]:
        """Decision and region shares for a ROPE; see `curve` if data sets without variation were treated."""
        return decide_regions(*self.regions(rope))


@dataclass(frozen=True)
class Fit(Draws):
    """The differences of two systems, in units of the measure: draws of the posterior, and shares of them."""

    evidence: Evidence
    rope: float
    priors: Priors
    seed: int
    next: Floats
    """Draws of the difference on a new data set; delta0 has the same mean and estimates it better."""
    left: Floats
    """For each draw the probability that x is better on a new data set."""
    equal: Floats
    """For each draw the probability that the difference on a new data set is within the ROPE."""
    right: Floats
    """For each draw the probability that y is better on a new data set."""
    decision: Three
    """The share of draws in which each region is the most probable."""
    region: Three
    """The mean probability of each region for the difference on a new data set."""
    error: float
    """The error of these six shares: their largest change from a grid half as fine, and the error of drawing."""

    @cached_property
    def rows(self) -> tuple[Three | None, ...]:
        """Mean and 95% interval of each data set's delta_i, given the others; None if a data set is left out."""
        data = self.evidence
        kept = iter(_shrink(data, self, np.random.default_rng((self.seed, 1))))
        every = len(data.means) + len(data.left_out)
        return tuple(None if number in data.left_out else next(kept) for number in range(every))


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
    if no data set varies.
    """
    data, rng = summarise_runs(rows, rho, rope, step=step), np.random.default_rng(seed)
    (nu, delta0, std0), width = grid = _grid(data, fine)
    posterior = _solve(data, priors, grid, draws, rng)
    left, equal, right = posterior.regions(rope)
    decision, region = decide_regions(left, equal, right)
    half = (nu // 2, delta0 // 2, std0 // 2), 1.25 * width
    rough = _solve(data, priors, half, draws, np.random.default_rng(seed), posterior.box).at(rope)
    change = float(np.abs(np.subtract((decision, region), rough)).max())
    # The standard error of the shares from drawing, computed from batches of draws.
    regions = np.array([left, equal, right])
    batches = [decide_regions(*regions[:, number::_BATCHES]) for number in range(_BATCHES)]
    noise = float(np.max(np.std(batches, axis=0, ddof=1))) / float(np.sqrt(_BATCHES))
    return Fit(
        posterior.box,
        posterior.delta0,
        posterior.std0,
        posterior.nu,
        evidence=data,
        rope=rope,
        priors=priors,
        seed=seed,
        next=posterior.delta0 + data.direction * posterior.std0 * rng.standard_t(posterior.nu),
        left=left,
        equal=equal,
        right=right,
        decision=decision,
        region=region,
        error=change + 2 * noise,
    )


def compute_curve(
    rows: Sequence[Floats], rho: Sequence[float], ropes: Sequence[float], fitted: Fit, *, step: float | None = None
) -> list[tuple[float, Three, Three]]:
    """Decision and region shares for other ROPEs.

    The draws of the fit are used for all of them, unless a data set without variation depends on the ROPE.
    """

    def at(rope: float) -> tuple[Three, Three]:
        if rope == fitted.rope:
            return fitted.decision, fitted.region
        if not (fitted.evidence.treated or fitted.evidence.left_out):
            return fitted.at(rope)
        return _solve_like(fitted, summarise_runs(rows, rho, rope, step=step), fitted.priors).at(rope)

    return [(rope, *at(rope)) for rope in ropes]


def compute_sensitivity(fitted: Fit, settings: Sequence[Priors] = SENSITIVITY) -> list[tuple[Priors, Three, Three]]:
    """Decision and region shares under other priors.

    The posterior under the widest priors is used for all, because narrower bounds only remove draws. If nearly all
    are removed, another posterior is computed.
    """
    data, rope = fitted.evidence, fitted.rope
    wide = _solve_like(
        fitted, data, Priors(max(setting.std0 for setting in settings), max(setting.delta0 for setting in settings))
    )
    regions = np.array(wide.regions(rope))
    answers: list[tuple[Priors, Three, Three]] = []
    for priors in settings:
        # Priors are flat, so the draws that narrower ones allow are draws of their posterior.
        inside = np.abs(wide.delta0) <= priors.delta0 * data.largest * data.scale
        inside &= wide.std0 <= priors.std0 * data.among * data.scale
        if priors == fitted.priors:
            shares = fitted.decision, fitted.region
        elif inside.mean() > 0.1:
            shares = decide_regions(*(regions if inside.all() else regions.compress(inside, axis=1)))
        else:
            shares = _solve_like(fitted, data, priors).at(rope)
        answers.append((priors, *shares))
    return answers


def _grid(data: Evidence, fine: bool = False) -> Grid:
    return (_FEW if len(data.means) <= _VERY_NARROW else _MANY)[fine]


def _solve_like(fitted: Fit, data: Evidence, priors: Priors) -> Draws:
    """The same number of draws, with the same seed, from another posterior."""
    return _solve(data, priors, _grid(data), len(fitted.nu), np.random.default_rng(fitted.seed))


def _solve(
    data: Evidence, priors: Priors, grid: Grid, draws: int, rng: np.random.Generator, box: Box | None = None
) -> Draws:
    """Draws from the posterior on one grid."""
    sign = data.direction
    turned = replace(data, means=sign * data.means)
    box = box or _find_box(turned, priors)
    log_nu, t, log_std0 = _draw(_posterior(turned, box, grid), box, draws, rng)
    return Draws(box, sign * data.scale * box.delta0(t), data.scale * np.exp(log_std0), 1 + np.exp(log_nu))


# --- each data set, given the others ---

_THINNED = (1000, 4000)
"""The least and the most draws that are used for each data set."""
_TOGETHER = 16_000
"""The number of draws that are used for all data sets."""
_CANDIDATES = 16
_LEVEL = 0.95
_SAMPLED, _MARGIN = 16, 0.01
"""A quantile is searched near that of each sixteenth value, within this share."""


def _shrink(data: Evidence, model: Draws, rng: np.random.Generator) -> list[Three]:
    """Mean and 95% interval of each delta_i, given draws of the model.

    For each of a few thousand draws, candidates around the mean of the data set and around that of the model are
    weighted by the product of both densities, over the density with which they are drawn. That is a t with 2 degrees
    of freedom, whose tails are long enough, and whose quantiles cost nothing.
    """
    wanted = int(np.clip(_TOGETHER // len(data.means), *_THINNED))
    thinned = slice(None, None, max(1, len(model.nu) // wanted))
    prior = model.delta0[thinned] / data.scale, model.std0[thinned] / data.scale, model.nu[thinned]
    places = (np.arange(_CANDIDATES)[:, None] + rng.random((_CANDIDATES, len(prior[0])))) / _CANDIDATES
    candidates = data.direction * (2 * places - 1) / np.sqrt(2 * places * (1 - places))
    estimates = []
    for of_runs in zip(data.means, data.widths, data.runs - 2, strict=True):
        points = np.vstack([mean + width * candidates for mean, width, _ in (of_runs, prior)])
        logs, drawn = np.zeros(points.shape), np.zeros(points.shape)
        for mean, width, freedom in (of_runs, prior):
            squares = ((points - mean) / width) ** 2
            logs -= (freedom + 1) / 2 * np.log1p(squares / freedom)
            squares += 2
            drawn += 1 / (width * squares * np.sqrt(squares))
        shares = np.exp(logs - logs.max(axis=0)) / drawn
        shares /= shares.sum(axis=0)
        values, weights = data.scale * points.ravel(), shares.ravel() / shares.shape[1]
        low, high = (weighted_quantile(values, weights, level) for level in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2))
        estimates.append((float(values @ weights), low, high))
    return estimates


def weighted_quantile(values: Floats, weights: Floats, level: float) -> float:
    """The least value up to which the weights, whose sum is 1, reach the level; only values near it are sorted."""
    sample = values[::_SAMPLED]
    order = np.argsort(sample)
    reached = np.cumsum(weights[::_SAMPLED][order])
    ends = np.searchsorted(reached, reached[-1] * np.array([level - _MARGIN, level + _MARGIN]))
    for low, high in ((sample[order[ends[0]]], sample[order[min(ends[1], len(order) - 1)]]), (-np.inf, np.inf)):
        before = float(weights @ (values < low))
        near = np.flatnonzero((values >= low) & (values <= high))
        near = near[np.argsort(values[near])]
        place = int(np.searchsorted(before + np.cumsum(weights[near]), level))
        if before < level and place < len(near):
            return float(values[near[place]])
    return float(values.max())
