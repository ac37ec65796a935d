"""What the runs of two systems say: for each data set, a Student t of the difference that lies behind its runs.

Evidence is on a scale where run differences have a standard deviation of about 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.arrays import Bools, Floats

Region = Literal["left", "rope", "right"]

LEAST_RUNS = 3
_ROUNDING = 1e-9
"""The share of a difference of two scores that may be owed to their rounding."""


class TooFewRunsError(ValueError):
    """A data set has fewer than three runs: its noise cannot be integrated out."""


class NoVariationError(ValueError):
    """No data set varies between runs, so there is no scale; `settled` gives the answer."""


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

    @property
    def direction(self) -> float:
        """1 or -1: the model is computed with y ahead, so that exchanging x and y exchanges the answers exactly."""
        leading = next((value for value in (self.means.sum(), *self.means) if value), 1.0)
        return -1.0 if leading < 0 else 1.0


def constant(rows: Sequence[Floats]) -> Bools:
    """Which data sets have the same difference in all runs, rounding aside."""
    return np.array([np.ptp(row) <= _ROUNDING * np.abs(row).max() for row in rows], dtype=bool)


def settled(rows: Sequence[Floats], rope: float) -> list[Region]:
    """Where each constant data set lies: all there is to say when no data set varies between runs."""
    means = [float(np.mean(row)) for row in rows]
    return ["rope" if within(mean, rope) else "left" if mean < 0 else "right" for mean in means]


def within(difference: float, rope: float) -> bool:
    """Whether a difference lies in the ROPE, edges included: 0.912 - 0.910 does in one of 0.002, rounding aside."""
    return abs(difference) <= rope * (1 + _ROUNDING)


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
