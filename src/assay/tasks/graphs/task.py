"""The task of graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.corpus import Corpus
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.task import Layers, Places, Tables, Task
from assay.engine.texts import Shown
from assay.formats import Input
from assay.result import Result
from assay.tasks.graphs import measures, roles
from assay.tasks.graphs.arcs import WHOLE_KINDS, Nodes
from assay.tasks.graphs.drawing import DRAWING
from assay.tasks.graphs.measures import PARTS
from assay.tasks.graphs.prepare import DEPS, prepare_graphs
from assay.tasks.graphs.propositions import role_measures
from assay.tasks.graphs.slices import SLICES

ENHANCED = ("elas", "eulas")
SEMANTIC = ("sdp", "sdp-unlabelled")


# --- sentences and predications in the text ---


def _places(run: Run, items: Items) -> Places:
    """The words of each item; none where whole sentences are items, so that no arc is taken for one of them."""
    nothing = np.zeros(len(items), dtype=np.int64)
    return DRAWING.places(run, items) if items.kinds else (nothing, nothing, {})


def _parts(run: Run, tables: Tables) -> Tables:
    """Tables of sentences and predications as those of the arcs in them, which can be drawn."""

    def missing() -> Items:
        raise AssertionError("what is judged as a whole is made of arcs")

    pairs = dict(run.pairs)
    return [(name, pairs[name].once(PARTS, missing) if _whole(run, one) else one) for name, one in tables]


def _whole(run: Run, items: Items) -> bool:
    """True where items are no arcs, but made of them; of roles, predicates are drawn with their arguments anyway."""
    arcs = run.pairs[0][1].layer(Nodes) is not None
    return not items.kinds or (arcs and items.kinds == WHOLE_KINDS)


def _layers(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """The layers of arcs; where these are no items, they have no outcomes."""
    layers = DRAWING.layers(run, items, _parts(run, tables), shown)
    if not _whole(run, items):
        return layers
    spans = []
    for rows in layers.spans:
        columns = {name: one for name, one in rows.columns.items() if name not in ("kind", "item")}
        spans.append(replace(rows, columns=columns))
    return layers._replace(spans=tuple(spans))


def _example(run: Run, items: Items, tables: Tables, sentence: int) -> Mapping[str, Any]:
    return DRAWING.example(run, items, _parts(run, tables), sentence)


def _present(result: Result) -> Result:
    """The Result with what its confusions mean: answers are arcs, not labels alone; roles are drawn by predicates."""
    remarks = {
        "confusion same": "The same on both sides: the head or the dependent is wrong, or the arc is turned round.",
        "confusion nothing": "∅: the other side has no such arc.",
        "confusion page": "; same label: wrong head or dependent",
    }
    if any(score.measure.startswith("srl") for score in result.scores):
        result = result.with_shown(drawing="frames")
    return result.with_shown(remarks=remarks)


def _measures_for(gold: Input | Corpus) -> tuple[str, ...]:
    """The usual measures of what a file holds: semantic roles, enhanced or semantic dependencies."""
    enhanced = DEPS in (gold.columns if isinstance(gold, Corpus) else gold.plan.labels)
    return role_measures(gold) or (ENHANCED if enhanced else SEMANTIC)


TASK = Task(
    name="graphs",
    noun="arc",
    measures=(measures, roles),
    defaults=ENHANCED,
    measures_for=_measures_for,
    agreement=ENHANCED,
    prepare=prepare_graphs,
    options=("labels", "ignore_labels"),
    slices=SLICES,
    present=_present,
    drawing=replace(DRAWING, places=_places, layers=_layers, example=_example),
    matched=True,
    whole_sentences=True,
)
