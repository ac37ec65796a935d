"""Does the order of two systems hold under every weighting of what is weighed?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.arrays import Floats
from assay.result import Sweep


def sweep(
    a: str,
    b: str,
    difference: Floats,
    positions: Sequence[str],
    weightings: Floats,
    named: Mapping[str, float],
    corners: int = 0,
) -> Sweep:
    """A summary of two systems' differences under weightings, the first of which are the corners of all."""
    lowest, highest = int(np.argmin(difference)), int(np.argmax(difference))
    at_corners, sampled = difference[:corners], difference[corners:]
    ahead = [name for name, sign in ((a, -1), (b, 1)) if corners and (sign * at_corners > 0).all()]
    return Sweep(
        a=a,
        b=b,
        weightings=len(sampled),
        a_better=float(np.mean(sampled < 0)),
        b_better=float(np.mean(sampled > 0)),
        low=float(difference[lowest]),
        high=float(difference[highest]),
        low_at=_spelt(positions, weightings[lowest]),
        high_at=_spelt(positions, weightings[highest]),
        named=named,
        always=ahead[0] if ahead else "",
    )


def _spelt(positions: Sequence[str], weights: Floats) -> Mapping[str, float]:
    return {name: round(float(weight), 4) for name, weight in zip(positions, weights, strict=True)}
