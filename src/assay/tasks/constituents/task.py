"""The task of phrase structure."""

from __future__ import annotations

from assay.engine.drawing import span_drawing
from assay.engine.task import Task
from assay.tasks.constituents import measures
from assay.tasks.constituents.prepare import prepare_constituents, shows_trees

TASK = Task(
    name="constituents",
    noun="constituent",
    spelling={"parseval": "PARSEVAL", "leaf-ancestor": "leaf-ancestor"},
    measures=(measures,),
    defaults=("parseval", "bracket-f1"),
    agreement=("parseval",),
    prepare=prepare_constituents,
    options=("labels", "ignore_labels"),
    recognises=lambda item, options: options.column is None and shows_trees(item),
    # Roots, and what else a convention leaves out, are no constituents.
    drawing=span_drawing(all_count=False, trees=True),
    matched=True,
    whole_sentences=True,
)
