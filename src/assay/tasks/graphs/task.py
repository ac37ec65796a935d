"""The task of graphs."""

from __future__ import annotations

from assay.corpus import Corpus
from assay.engine.task import Task
from assay.formats import Input
from assay.formats.roles import HEADS, SPANS
from assay.result import Result
from assay.tasks.graphs import measures, roles
from assay.tasks.graphs.drawing import DRAWING
from assay.tasks.graphs.prepare import DEPS, prepare_graphs
from assay.tasks.graphs.slices import SLICES

ENHANCED = ("elas", "eulas")


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
    if isinstance(gold, Corpus):
        form, columns = gold.format, tuple(gold.columns)
    else:
        form, columns = gold.plan.name, gold.plan.labels
    if form in (*HEADS, *SPANS):
        return ("srl", "srl-unlabelled") if form in HEADS else ("srl-span", "srl-span-unlabelled")
    return ENHANCED if DEPS in columns else ("sdp", "sdp-unlabelled")


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
    drawing=DRAWING,
    combination=dict.fromkeys(("elas", "eulas", "euas", "sdp", "sdp-unlabelled", "arc-f1"), "sets"),
    matched=True,
    traits=("whole sentences",),
)
