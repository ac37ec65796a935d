"""The task of items without words."""

from __future__ import annotations

from assay.engine.task import Drawing, Task, unit_places
from assay.tasks.items import measures
from assay.tasks.items.prepare import default_measures, prepare_items

TASK = Task(
    name="items",
    noun="item",
    drawing=Drawing("cards", places=unit_places),
    measures=(measures,),
    defaults=("accuracy", "label-f1"),
    measures_for=default_measures,
    prepare=prepare_items,
    options=("id", "missing", "duplicates", "map", "labels", "ignore_labels"),
    text_unit="item",
)
