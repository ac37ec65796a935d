"""The record of parsers of different frameworks; they are compared by a command of their own."""

from __future__ import annotations

from assay.engine.task import Drawing, Task
from assay.tasks.cross import measures
from assay.tasks.cross.tables import add_cross_tables

TASK = Task(
    name="cross",
    noun="unit",
    drawing=Drawing("units"),
    measures=(measures,),
    present=add_cross_tables,
    command="compares parsers of different frameworks. That is: assay cross",
)
