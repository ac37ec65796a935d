"""The task of graphs."""

from __future__ import annotations

from assay.corpus import Corpus
from assay.engine.task import Task
from assay.formats import Input
from assay.tasks.graphs import measures, roles
from assay.tasks.graphs.drawing import DRAWING
from assay.tasks.graphs.options import OPTIONS
from assay.tasks.graphs.prepare import DEPS, holds_graphs, prepare_graphs
from assay.tasks.graphs.propositions import ROLE_SLICES, role_measures, shows_roles

ENHANCED = ("elas", "eulas")
SEMANTIC = ("sdp", "sdp-unlabelled")


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
    recognises=lambda item, options: options.column is None and (holds_graphs(item) or shows_roles(item)),
    options=OPTIONS,
    slices=ROLE_SLICES,
    drawing=DRAWING,
    matched=True,
    whole_sentences=True,
)
