"""Several runs of systems, or several annotators, on one test set: variance over these and over its units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import NormalDist

import numpy as np

from assay.arrays import Array, Floats
from assay.classes import dataclass
from assay.stats.intervals import t_tail

MOST_PERMUTATIONS = 200_000
SIMULATED = 4000
"""The number of simulated tests for the smallest difference that is found."""


@dataclass(frozen=True)
class RunVariance:
    """The variance of a mean over runs, or of the difference of two such means, and its parts."""

    units: float
    """The variance over units, of the mean over runs."""
    runs: tuple[float, ...]
    """The variance over the runs of each system."""
    of_runs: float
    """The variance over the runs of all systems."""
    interactions: tuple[float, ...]
    """The variance of the runs of each system within units, which is part of the others; 0 for a single run."""
    total: float
    degrees: float

    @property
    def interaction(self) -> float:
        """The variance of the runs of all systems within units."""
        return math.fsum(self.interactions)

    @property
    def share_of_runs(self) -> float:
        """The share of the variance that comes from runs."""
        whole = self.units + self.of_runs
        return self.of_runs / whole if whole else 0.0


def run_variance(
    values: list[Floats], scores: list[Floats], sizes: Array, unit_degrees: float | None = None
) -> RunVariance:
    """The variance of the mean of one system, or of the difference of two.

    For each system, `values` are the contributions of rows to the score of each run (runs × rows), `scores` are the
    scores of runs. `sizes` is the number of units of each row; the variance over units has `unit_degrees` degrees of
    freedom (default: units − 1). A system with one run gets the spread of the other.
    """
    number = float(sizes.sum())
    lines, spreads, interactions = [], [], []
    for contributions, run_scores in zip(values, scores, strict=True):
        centred = contributions - (contributions @ sizes / number)[:, None]
        line = number * centred + run_scores[:, None]
        lines.append(line.mean(axis=0))
        runs = len(run_scores)
        spreads.append(float(np.var(run_scores, ddof=1)) if runs > 1 else math.nan)
        rest = number * (centred - centred.mean(axis=0))
        interactions.append(float((rest**2 @ sizes).sum()) / (max(1, runs - 1) * (number - 1) * number * runs))
    line = lines[0] if len(lines) == 1 else lines[1] - lines[0]
    mean = float(line @ sizes) / number
    units = float((line - mean) ** 2 @ sizes) / (number - 1) / number
    numbers = [len(run_scores) for run_scores in scores]
    # A single run has no spread; that of the other system is used.
    repeated = [(spread, runs) for spread, runs in zip(spreads, numbers, strict=True) if runs > 1]
    of_each = tuple(
        (repeated[0][0] if math.isnan(spread) else spread) / runs
        for spread, runs in zip(spreads, numbers, strict=True)
    )
    of_runs = math.fsum(of_each)
    if 2 in numbers:
        # Two runs may be close by chance; the spread of all runs is more stable.
        pooled = sum((runs - 1) * spread for spread, runs in repeated) / sum(runs - 1 for _, runs in repeated)
        of_runs = max(of_runs, pooled * sum(1 / runs for runs in numbers))
    run_degrees = float(len(repeated) * (min(runs for _, runs in repeated) - 1))
    if len(repeated) == len(numbers) and any(of_each):
        # Satterthwaite's.
        squares = sum(variance**2 / (runs - 1) for variance, runs in zip(of_each, numbers, strict=True))
        run_degrees = min(run_degrees, math.fsum(of_each) ** 2 / squares)
    squares = units**2 / (unit_degrees or number - 1) + of_runs**2 / run_degrees
    degrees = (units + of_runs) ** 2 / squares if squares else number - 1
    if of_runs >= units / 4:
        degrees = min(degrees, run_degrees)
    total = max(units, of_runs, units + of_runs - math.fsum(interactions))
    return RunVariance(units, of_each, of_runs, tuple(interactions), total, degrees)


def smallest_difference(
    pilot: RunVariance,
    pilot_runs: Sequence[int],
    pilot_units: int,
    unit_degrees: float,
    *,
    units: int,
    runs: int,
    alpha: float,
    chance: float,
    seed: int,
    quantile: float | None = None,
) -> float:
    """The smallest difference that a test with other numbers of units and of runs of each system would find with this
    probability, by simulated tests.

    The variance over runs is that of the pilot or, for a `quantile` of .9 or .1, the lower or upper end of its 80%
    interval. `unit_degrees` are the degrees of freedom of the pilot's variance over units.
    """
    numbers = np.array(pilot_runs)
    factor = _widen(int((numbers - 1).sum()), quantile)
    spreads, within = np.array(pilot.runs) * numbers, np.array(pilot.interactions) * numbers
    if pilot.of_runs > math.fsum(pilot.runs) * (1 + 1e-12):
        # The spread of all runs, because two may be close by chance.
        spreads[:] = pilot.of_runs / float((1 / numbers).sum())
    of_units = max(pilot.units - pilot.interaction, 0.0) * pilot_units / units
    inner = within * pilot_units / (units * runs)
    of_runs = np.maximum(factor * spreads - within, 0.0) / runs + inner
    rng, freedom = np.random.default_rng([seed, units, runs]), runs - 1
    unit_degrees *= units / pilot_units
    by_units = (of_units + inner.sum()) * rng.chisquare(unit_degrees, SIMULATED) / unit_degrees
    each = of_runs[:, None] * rng.chisquare(freedom, (2, SIMULATED)) / freedom
    by_runs = each.sum(axis=0)
    run_degrees = np.minimum(2.0, by_runs**2 / np.maximum((each**2).sum(axis=0), 1e-300)) * freedom
    run_degrees = np.where(by_runs > 0, run_degrees, 2 * freedom)
    total = np.maximum(np.maximum(by_units, by_runs), by_units + by_runs - inner.sum())
    bounds = _critical(by_units, unit_degrees, by_runs, run_degrees, total, alpha)
    # A difference is found if it and its error exceed the bound of its test.
    error = math.sqrt(of_units + float(of_runs.sum()))
    return float(np.quantile(bounds - error * rng.standard_normal(SIMULATED), chance))


def smallest_from_ceiling(
    over_units: float,
    over_people: float,
    units: float,
    people: int,
    *,
    alpha: float,
    chance: float,
    seed: int,
    quantile: float | None = None,
) -> float:
    """The smallest difference from the human ceiling that a test with this number of units and annotators would find
    with this probability, by simulated tests.

    The variances are those over units and over annotators; the latter is that of the pilot or, for a `quantile` of .9
    or .1, the lower or upper end of its 80% interval.
    """
    over_people *= _widen(people - 1, quantile)
    # One stream, so that more units never find less by chance.
    rng = np.random.default_rng([seed, people])
    errors = math.sqrt(over_units + over_people) * rng.standard_normal(SIMULATED)
    by_people = over_people * rng.chisquare(people - 1, SIMULATED) / (people - 1)
    by_units = over_units * rng.chisquare(units - 1, SIMULATED) / (units - 1)
    bounds = _critical(by_units, units - 1, by_people, people - 1, by_units + by_people, alpha)
    return float(np.quantile(bounds - errors, chance))


def _widen(degrees: int, quantile: float | None) -> float:
    """The factor from a variance with these degrees of freedom to an end of its interval; 1 without a quantile."""
    from scipy.special import chdtri

    return 1.0 if quantile is None else degrees / float(chdtri(degrees, 1 - quantile))


def _critical(
    by_units: Floats, unit_degrees: float, others: Floats, other_degrees: Floats | float, total: Floats, alpha: float
) -> Floats:
    """The smallest significant difference of each simulated test, by its variances over units and over runs or
    annotators."""
    from scipy.special import stdtrit

    squares = by_units**2 / unit_degrees + others**2 / other_degrees
    degrees = (by_units + others) ** 2 / np.maximum(squares, 1e-300)
    degrees = np.where(others >= by_units / 4, np.minimum(degrees, other_degrees), degrees)
    return np.asarray(stdtrit(np.maximum(degrees, 1.0), 1 - alpha / 2) * np.sqrt(total))


def t_test(difference: float, variance: float, degrees: float) -> float:
    """The two-sided p of a difference with this variance."""
    if variance <= 0:
        return 1.0 if difference == 0 else 0.0
    return min(1.0, 2 * t_tail(abs(difference) / math.sqrt(variance), degrees))


def almost_stochastic_order(a: Floats, b: Floats, rng: np.random.Generator, times: int = 1000) -> float:
    """ε_min of Dror et al. (2019): below one half, A is almost stochastically greater than B with 95% confidence.

    It is the share of the squared distance of quantiles that violates this order, with its error over resampled runs.
    """
    # Quantiles change only at multiples of 1 / number of runs.
    ends = np.unique(np.concatenate([np.arange(len(side) + 1) / len(side) for side in (a, b)]).round(12))
    widths, middles = np.diff(ends), (ends[1:] + ends[:-1]) / 2

    def violation(first: Floats, second: Floats) -> Floats:
        quantiles = [
            np.sort(side, axis=-1)[..., np.minimum((middles * side.shape[-1]).astype(np.int64), side.shape[-1] - 1)]
            for side in (first, second)
        ]
        gaps = quantiles[1] - quantiles[0]
        squares = gaps**2 * widths
        whole = squares.sum(axis=-1)
        part = np.where(gaps > 0, squares, 0.0).sum(axis=-1)
        return np.asarray(np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.5))

    violated = float(violation(a, b))
    resampled = violation(*(side[rng.integers(0, len(side), (times, len(side)))] for side in (a, b)))
    error = float(np.std(resampled - violated))
    return min(1.0, max(0.0, violated + NormalDist().inv_cdf(0.95) * error))


def permutation_test(a: Floats, b: Floats) -> float | None:
    """Exact two-sided p of the difference of means over all assignments of runs; None if these are too many."""
    whole, first = np.concatenate([a, b]), len(a)
    if math.comb(len(whole), first) > MOST_PERMUTATIONS:
        return None
    assignments = np.array(list(combinations(range(len(whole)), first)))
    means = whole[assignments].mean(axis=1)
    differences = means - (whole.sum() - first * means) / len(b)
    observed = abs(float(a.mean() - b.mean()))
    return float(np.mean(np.abs(differences) >= observed - 1e-12))


def exchange_runs(a: Floats, b: Floats) -> tuple[float, str]:
    """Two-sided p of the difference of means and its method: `enumerated`, or Welch's `t` if assignments are many."""
    p = permutation_test(a, b)
    if p is not None:
        return p, "enumerated"
    variances = [float(side.var(ddof=1)) / len(side) for side in (a, b)]
    squares = sum(one**2 / (len(side) - 1) for one, side in zip(variances, (a, b), strict=True))
    degrees = sum(variances) ** 2 / squares if squares else math.inf
    return t_test(float(a.mean() - b.mean()), sum(variances), degrees), "t"
