"""Does the order of systems hold under every weighting of the types of errors?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from assay.arrays import Floats
from assay.engine.matching import FAIR
from assay.engine.sensitivity import sweep
from assay.result import Sweep
from assay.tasks.spans.weighting import PRESETS, TYPES

WEIGHTINGS = 1000


def span_sweeps(kinds: Mapping[str, Sequence[int]], weightings: int, rng: np.random.Generator) -> Iterator[Sweep]:
    """Every pair of systems under weightings of the types of errors: how much of a hit each counts as.

    Systems are given by how often each kind of outcome occurs in them.

    The rest of an error is divided between spurious and missing, which changes no F1. With T hits and partial hits
    among N rows, F1 is 2T/(T+N), and T is linear in the weights: whether one system is ahead under every weighting
    shows at the corners, where each type counts as nothing or as a hit.
    """
    types = np.array([FAIR.index(name) for name in TYPES])
    systems = list(kinds)
    counts = np.array(list(kinds.values()))
    corners = np.array(list(product((0.0, 1.0), repeat=len(TYPES))))
    drawn = np.concatenate([corners, rng.random((weightings, len(TYPES)))])
    named = {name: np.array([[preset[kind][0] for kind in TYPES]]) for name, preset in PRESETS.items()}
    total = counts.sum(axis=1)

    def f1(weights: Floats) -> Floats:
        hits = counts[:, :1] + counts[:, types] @ weights.T
        with np.errstate(invalid="ignore"):
            return np.asarray(2 * hits / (hits + total[:, None]))

    values = f1(drawn)
    for a, b in combinations(range(len(systems)), 2):
        at = {name: float((row := f1(weights)[:, 0])[b] - row[a]) for name, weights in named.items()}
        yield sweep(systems[a], systems[b], values[b] - values[a], TYPES, drawn, at, corners=len(corners))
