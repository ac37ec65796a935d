"""Two systems over several data sets: the hierarchical model of Corani et al. (2017), by quadrature.

Run differences d = y - x of data set i are normal around delta_i with correlation rho; the delta_i come from a
Student t with nu degrees of freedom, location delta0 and scale std0. The noise of each data set integrates out in
closed form: given its own runs alone, delta_i is Student t (`Evidence`). What is left are three numbers, delta0,
std0 and nu, whose posterior is computed on a grid and drawn from (`quadrature`): no sampler, no compiler.

Evidence is on a scale where run differences have a standard deviation of about 1, a `Fit` in units of the measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from assay.arrays import Bools, Floats
from assay.stats.evidence import Evidence, evidence
from assay.stats.quadrature import Box, Grid, Priors, box_for, draw, grid_for, posterior
from assay.stats.regions import Tails, Three, decide
from assay.stats.shrinkage import shrunken

FEW_DATA_SETS = 5
"""Below this many data sets the answer is largely the prior's."""
USUAL = Priors()
SENSITIVITY = (
    *(Priors(std0=bound) for bound in (3.0, 10.0, 100.0)),
    USUAL,
    *(Priors(delta0=bound) for bound in (0.75, 2.0, 5.0)),
)
"""The priors under which an answer from few data sets is shown, the usual ones among them."""
_BATCHES = 20


@dataclass(frozen=True)
class Draws:
    """Draws of the posterior on one grid, in units of the measure."""

    box: Box
    """The part of the space that was computed."""
    delta0: Floats
    """The mean difference over data sets like these …"""
    std0: Floats
    """… the spread among them …"""
    nu: Floats
    """… and how far outlying ones may lie."""

    @cached_property
    def _tails(self) -> Tails:
        return Tails(self.nu)

    def regions(self, rope: float) -> tuple[Floats, Floats, Floats]:
        """For each draw the chances that the difference on a new data set lies left of, within, right of the ROPE."""
        left = self._tails.below((-rope - self.delta0) / self.std0)
        right = self._tails.below((self.delta0 - rope) / self.std0)
        return left, np.maximum(1 - left - right, 0.0), right

    def at(self, rope: float) -> tuple[Three, Three]:
        """Decision and region shares for a ROPE; see `curve` where data sets without variation were treated."""
        return decide(*self.regions(rope))


@dataclass(frozen=True)
class Fit(Draws):
    """What two systems' differences say, in units of the measure: draws of the posterior, and shares of them."""

    evidence: Evidence
    rope: float
    priors: Priors
    seed: int
    next: Floats
    """Draws of the difference on a new data set; its mean is better taken from delta0, which has the same."""
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

    @property
    def treated(self) -> tuple[int, ...]:
        """Data sets without variation, given that of noise within the ROPE."""
        return self.evidence.treated

    @property
    def left_out(self) -> tuple[int, ...]:
        """Data sets without variation that there was nothing to give to."""
        return self.evidence.left_out

    @cached_property
    def rows(self) -> tuple[Three | None, ...]:
        """Mean and 95% interval of each data set's delta_i in the light of the others; None for one left out."""
        rng = np.random.default_rng((self.seed, 1))
        kept = iter(shrunken(self.evidence, self.delta0, self.std0, self.nu, rng))
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
    seen, rng = evidence(rows, rho, rope, step=step), np.random.default_rng(seed)
    grid = grid_for(seen, fine)
    found = _solve(seen, priors, grid, draws, rng)
    left, equal, right = found.regions(rope)
    decision, region = decide(left, equal, right)
    rough = _solve(seen, priors, grid.half, draws, np.random.default_rng(seed), found.box).at(rope)
    change = float(np.abs(np.subtract((decision, region), rough)).max())
    return Fit(
        found.box,
        found.delta0,
        found.std0,
        found.nu,
        evidence=seen,
        rope=rope,
        priors=priors,
        seed=seed,
        next=found.delta0 + seen.direction * found.std0 * rng.standard_t(found.nu),
        left=left,
        equal=equal,
        right=right,
        decision=decision,
        region=region,
        error=change + 2 * _noise(np.array([left, equal, right])),
    )


def curve(
    rows: Sequence[Floats], rho: Sequence[float], ropes: Sequence[float], fitted: Fit, *, step: float | None = None
) -> list[tuple[float, Three, Three]]:
    """Decision and region shares for other ROPEs.

    The draws of the fit serve for all of them, unless a data set without variation depends on the ROPE.
    """

    def at(rope: float) -> tuple[Three, Three]:
        if rope == fitted.rope:
            return fitted.decision, fitted.region
        if not (fitted.treated or fitted.left_out):
            return fitted.at(rope)
        return _solve_like(fitted, evidence(rows, rho, rope, step=step), fitted.priors).at(rope)

    return [(rope, *at(rope)) for rope in ropes]


def sensitivity(fitted: Fit, settings: Sequence[Priors] = SENSITIVITY) -> list[tuple[Priors, Three, Three]]:
    """Decision and region shares under other priors.

    One posterior, under the widest of them, serves for all: narrower bounds only cut draws off. Where they cut off
    nearly all, a posterior of their own is computed.
    """
    seen, rope = fitted.evidence, fitted.rope
    bounds = Priors(max(one.std0 for one in settings), max(one.delta0 for one in settings))
    wide = _solve_like(fitted, seen, bounds)
    regions = np.array(wide.regions(rope))
    found: list[tuple[Priors, Three, Three]] = []
    for priors in settings:
        inside = _inside(wide, seen, priors)
        if priors == fitted.priors:
            shares = fitted.decision, fitted.region
        elif inside.mean() > 0.1:
            shares = decide(*regions[:, inside])
        else:
            shares = _solve_like(fitted, seen, priors).at(rope)
        found.append((priors, *shares))
    return found


def _inside(draws: Draws, seen: Evidence, priors: Priors) -> Bools:
    """Which draws narrower priors allow: flat priors cut off, so these are draws of their posterior."""
    in_delta0 = np.abs(draws.delta0) <= priors.delta0 * seen.largest * seen.scale
    return np.asarray(in_delta0 & (draws.std0 <= priors.std0 * seen.among * seen.scale))


def _solve_like(fitted: Fit, seen: Evidence, priors: Priors) -> Draws:
    """As many draws with the same seed from another posterior."""
    return _solve(seen, priors, grid_for(seen), len(fitted.nu), np.random.default_rng(fitted.seed))


def _solve(
    seen: Evidence, priors: Priors, grid: Grid, draws: int, rng: np.random.Generator, box: Box | None = None
) -> Draws:
    """Draws from the posterior on one grid."""
    sign = seen.direction
    turned = replace(seen, means=sign * seen.means)
    box = box or box_for(turned, priors)
    log_nu, t, log_std0 = draw(posterior(turned, box, grid), box, draws, rng)
    return Draws(box, sign * seen.scale * box.delta0(t), seen.scale * np.exp(log_std0), 1 + np.exp(log_nu))


def _noise(shares: Floats) -> float:
    """The standard error of the shares that comes of drawing, from batches of draws."""
    batches = [shares[:, number::_BATCHES] for number in range(_BATCHES)]
    spread = np.std([decide(*batch) for batch in batches], axis=0, ddof=1)
    return float(np.max(spread)) / float(np.sqrt(_BATCHES))
