"""Two systems over many data sets by the mean difference of each alone: the Bayesian signed-rank test."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats
from assay.stats.regions import Three, decide

_AT_ONCE = 4096
_PRIOR = 0.5
"""The weight of a pseudo-observation of no difference, where each data set has 1."""


def signed_rank(means: Floats, rope: float, *, draws: int = 50_000, seed: int = 0) -> tuple[Three, Three]:
    """Decision and region shares (Benavoli et al. 2014), from draws of Dirichlet weights of the data sets.

    The regions are shares of the averages of two differences; one on an edge of the ROPE counts half to each side.
    """
    rng = np.random.default_rng(seed)
    values = np.append(means, 0.0)
    averages = (values[:, None] + values) / 2
    left, right = _beyond(-averages, rope), _beyond(averages, rope)
    concentration = np.append(np.ones(len(means)), _PRIOR)
    shares = []
    for first in range(0, draws, _AT_ONCE):
        weights = rng.dirichlet(concentration, size=min(_AT_ONCE, draws - first))
        shares.append([((weights @ side) * weights).sum(axis=1) for side in (left, right)])
    lefts, rights = np.concatenate(shares, axis=1)
    return decide(lefts, np.maximum(1 - lefts - rights, 0.0), rights)


def _beyond(averages: Floats, rope: float) -> Floats:
    """1 for averages to the right of the ROPE, a half for those on its edge."""
    on_edge = np.isclose(averages, rope, rtol=1e-12, atol=1e-15)
    return np.asarray(np.where(on_edge, 0.5, averages > rope))
