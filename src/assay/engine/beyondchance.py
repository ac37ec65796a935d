"""Agreement beyond chance, from counts by label: Cohen's kappa and Krippendorff's alpha."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats, ratio
from assay.engine.counts import Sums
from assay.engine.measure import f1


def _kappa(sums: Sums) -> Floats:
    """Cohen's: observed agreement against that of two who label at random, each with shares of their own."""
    items = sums["gold"].sum(axis=-1)
    observed = ratio(sums["right"].sum(axis=-1), items)
    expected = ratio((sums["gold"] * sums["system"]).sum(axis=-1), items**2)
    return ratio(observed - expected, 1 - expected)


def _alpha(sums: Sums) -> Floats:
    """Krippendorff's for nominal labels: chance is drawing two labels from all that both gave."""
    items = sums["gold"].sum(axis=-1)
    both = sums["gold"] + sums["system"]
    pairs = 2 * items * (2 * items - 1)
    differing = ratio(items - sums["right"].sum(axis=-1), items)
    expected = 1 - ratio((both * (both - 1)).sum(axis=-1), pairs)
    return np.asarray(1 - ratio(differing, expected))


SCORES = {"agreement": f1}
BEYOND_CHANCE = {"kappa": _kappa, "alpha": _alpha}
