"""The task of items with a label from each of many annotators."""

from __future__ import annotations

from assay.engine.task import Drawing, Task
from assay.tasks.ratings import measures

TASK = Task(
    name="ratings",
    noun="item",
    drawing=Drawing("tags"),
    measures=(measures,),
    agreement=("kappa", "alpha", "fleiss", "ac1"),
    command="is for several annotators: assay agreement",
)
