"""What the engine knows of dependency trees."""

from __future__ import annotations

from assay.engine.task import LABELS, Task
from assay.tasks.dependencies import measures
from assay.tasks.dependencies.drawing import ARCS
from assay.tasks.dependencies.prepare import prepare_dependencies
from assay.tasks.dependencies.slices import SLICES

TASK = Task(
    name="dependencies",
    noun="word",
    measures=(measures,),
    defaults=("las", "uas"),
    agreement=("uas", "las"),
    prepare=prepare_dependencies,
    options=LABELS,
    slices=SLICES,
    drawing=ARCS,
    whole_sentences=True,
)
