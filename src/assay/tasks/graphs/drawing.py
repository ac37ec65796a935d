"""Arcs of graphs found in the text again, for examples and pages."""

from __future__ import annotations

import numpy as np

from assay.arrays import NONE
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Places
from assay.tasks.graphs.arcs import GraphPair
from assay.tasks.graphs.propositions import role_places


def _places(run: Run, items: Items) -> Places:
    """The word at which each arc ends; of one that gold does not have, the gold word where it stands."""
    if run.pairs[0][1].layer(GraphPair) is None:
        return role_places(run, items)
    begin = np.zeros(len(items), dtype=np.int64)
    for owner in range(-1, len(run.pairs)):
        rows = np.flatnonzero(items.owner == owner)
        if not len(rows):
            continue
        layer = run.pairs[max(owner, 0)][1].layer(GraphPair)
        assert layer is not None
        arcs, chosen = layer.arcs(int(owner != NONE), items.item[rows])
        place = next(iter(layer.sides.values())).position[arcs.dependent[chosen]] // 2
        begin[rows] = np.maximum(place - run.gold.starts[items.sentence[rows]], 0)
    return begin, begin + 1, {}


DRAWING = Drawing("tags", places=_places)
