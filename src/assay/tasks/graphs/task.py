"""The task of graphs."""

from __future__ import annotations

from dataclasses import replace

from assay.corpus import Corpus
from assay.engine.task import Task
from assay.formats import Input
from assay.result import Result
from assay.tasks.graphs import measures, roles
from assay.tasks.graphs.drawing import DRAWING
from assay.tasks.graphs.prepare import DEPS, holds_graphs, prepare_graphs
from assay.tasks.graphs.propositions import role_measures, shows_roles
from assay.tasks.graphs.slices import SLICES

ENHANCED = ("elas", "eulas")
SEMANTIC = ("sdp", "sdp-unlabelled")


def _present(result: Result) -> Result:
    """The Result with what its confusions mean: answers are arcs, not labels alone; roles are drawn by predicates."""
    remarks = {
        "confusion same": "The same on both sides: the head or the dependent is wrong, or the arc is turned round.",
        "confusion nothing": "∅: the other side has no such arc.",
        "confusion page": "; same label: wrong head or dependent",
    }
    if any(score.measure.startswith("srl") for score in result.scores):
        result = replace(result, drawing="frames")
    return replace(result, remarks=remarks)


def _measures_for(gold: Input | Corpus) -> tuple[str, ...]:
    """The usual measures of what a file holds: semantic roles, enhanced or semantic dependencies."""
    enhanced = DEPS in (gold.columns if isinstance(gold, Corpus) else gold.plan.labels)
    return role_measures(gold) or (ENHANCED if enhanced else SEMANTIC)


TASK = Task(
    name="graphs",
    noun="arc",
    spelling={name: name.upper() for name in ("elas", "eulas", "euas", "sdp", "srl")},
    measures=(measures, roles),
    defaults=ENHANCED,
    measures_for=_measures_for,
    agreement=ENHANCED,
    prepare=prepare_graphs,
    recognises=lambda item, options: options.column is None and (holds_graphs(item) or shows_roles(item)),
    options=("labels", "ignore_labels"),
    slices=SLICES,
    present=_present,
    drawing=DRAWING,
    matched=True,
    whole_sentences=True,
)
