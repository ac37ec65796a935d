"""The task of items without words."""

from __future__ import annotations

from assay.engine.task import Annotators, Task
from assay.tasks.items import confidences, measures, numbers
from assay.tasks.items.confidences import rank_items
from assay.tasks.items.drawing import CARDS, finish_items
from assay.tasks.items.prepare import default_measures, prepare_items
from assay.tasks.items.ratings import rate_items
from assay.tasks.items.slices import SLICES

TASK = Task(
    name="items",
    noun="item",
    drawing=CARDS,
    measures=(measures, numbers, confidences),
    defaults=("accuracy", "label-f1"),
    measures_for=default_measures,
    agreement=("kappa", "alpha", "fleiss", "ac1"),
    annotators=Annotators(ratings=rate_items),
    prepare=prepare_items,
    options=("id", "sets", "alternatives", "missing", "duplicates", "map", "labels", "ignore_labels", "min_score",
             "judge"),
    slices=SLICES,
    combination={"label-f1": "sets"},
    text_unit="item",
    confident=rank_items,
    finish=finish_items,
)
