"""The task of records."""

from __future__ import annotations

from assay.engine.task import Task
from assay.tasks.records import measures
from assay.tasks.records.drawing import CARDS
from assay.tasks.records.prepare import prepare_records
from assay.tasks.records.slices import SLICES
from assay.tasks.records.tables import finish_records, present_records, sum_answers

TASK = Task(
    name="records",
    noun="value",
    drawing=CARDS,
    measures=(measures,),
    defaults=("records", "fair-records", "record-match"),
    agreement=("records", "fair-records"),
    prepare=prepare_records,
    options=("schema", "field"),
    slices=SLICES,
    matched=True,
    present=present_records,
    sums=sum_answers,
    finish=finish_records,
    text_unit="record",
)
