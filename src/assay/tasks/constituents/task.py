"""The task of phrase structure."""

from __future__ import annotations

from assay.engine.drawing import draw_spans
from assay.engine.task import Annotators, Task
from assay.tasks.constituents import measures
from assay.tasks.constituents.prepare import prepare_constituents

TASK = Task(
    name="constituents",
    noun="constituent",
    measures=(measures,),
    defaults=("parseval", "bracket-f1"),
    agreement=("parseval",),
    annotators=Annotators(by_place=True),
    prepare=prepare_constituents,
    options=("labels", "ignore_labels"),
    # Roots, and what else a convention leaves out, are no constituents.
    drawing=draw_spans("trees"),
    matched=True,
    combination={"parseval": "brackets", "bracket-f1": "brackets"},
    traits=("whole sentences",),
)
