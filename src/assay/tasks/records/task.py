"""The task of records."""

from __future__ import annotations

from assay.engine.task import Drawing, Task, unit_places
from assay.tasks.records import measures
from assay.tasks.records.prepare import prepare_records

TASK = Task(
    name="records",
    noun="value",
    drawing=Drawing("cards", places=unit_places),
    measures=(measures,),
    defaults=("records", "fair-records", "record-match"),
    agreement=("records", "fair-records"),
    prepare=prepare_records,
    options=("schema", "field"),
    matched=True,
    text_unit="record",
)
