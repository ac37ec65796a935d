"""The task of graphs."""

from __future__ import annotations

from assay.corpus import Corpus
from assay.engine.task import Task
from assay.formats import Input
from assay.tasks.graphs import measures
from assay.tasks.graphs.drawing import DRAWING
from assay.tasks.graphs.options import OPTIONS
from assay.tasks.graphs.prepare import DEPS, holds_graphs, prepare_graphs

ENHANCED = ("elas", "eulas")
SEMANTIC = ("sdp", "sdp-unlabelled")


def _measures_for(gold: Input | Corpus) -> tuple[str, ...]:
    """The usual measures of what a file holds: enhanced or semantic dependencies."""
    enhanced = DEPS in (gold.columns if isinstance(gold, Corpus) else gold.plan.labels)
    return ENHANCED if enhanced else SEMANTIC


TASK = Task(
    name="graphs",
    noun="arc",
    measures=(measures,),
    defaults=ENHANCED,
    measures_for=_measures_for,
    agreement=ENHANCED,
    prepare=prepare_graphs,
    recognises=lambda item, options: options.column is None and holds_graphs(item),
    options=OPTIONS,
    drawing=DRAWING,
    matched=True,
    whole_sentences=True,
)
