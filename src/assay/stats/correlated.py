"""Two systems on one data set, over runs that share training data: the correlated t-test, Bayesian and not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from assay.arrays import Floats
from assay.stats.evidence import TooFewRunsError, check_rho, constant, settled
from assay.stats.regions import Three


@dataclass(frozen=True)
class Correlated:
    """The mean difference on a data set: Student t (Corani and Benavoli 2015); with width 0, a certain number."""

    mean: float
    width: float
    freedom: int

    def regions(self, rope: float) -> Three:
        """The chances that the difference lies left of, within, right of the ROPE."""
        if self.width == 0:
            place = settled([np.array([self.mean])], rope)[0]
            return float(place == "left"), float(place == "rope"), float(place == "right")
        left = float(stdtr(self.freedom, (-rope - self.mean) / self.width))
        right = float(stdtr(self.freedom, (self.mean - rope) / self.width))
        return left, max(0.0, 1 - left - right), right

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The middle share of the posterior."""
        reach = self.width * float(stdtrit(self.freedom, (1 + level) / 2))
        return self.mean - reach, self.mean + reach

    @property
    def t(self) -> float:
        """The corrected resampled t of Nadeau and Bengio (2003); infinite where all runs differ by the same."""
        if self.width:
            return self.mean / self.width
        return float(np.copysign(np.inf, self.mean)) if self.mean else float("nan")

    @property
    def p(self) -> float:
        """The two-sided p of that t; 1 where the systems do not differ in any run."""
        return 1.0 if np.isnan(self.t) else min(1.0, 2 * float(stdtr(self.freedom, -abs(self.t))))


def correlated(row: Floats, rho: float) -> Correlated:
    """The posterior for the run differences d = y - x of a data set.

    With rho = test / (test + train) it is also the corrected resampled t-test: 1/n + rho/(1 - rho) is its factor.
    """
    if len(row) < 2:
        raise TooFewRunsError(f"the data set has {len(row)} runs, but a spread needs 2")
    check_rho(rho)
    mean = float(np.mean(row))
    spread = 0.0 if constant([row])[0] else float(np.std(row, ddof=1))
    return Correlated(mean, spread * float(np.sqrt(1 / len(row) + rho / (1 - rho))), len(row) - 1)
