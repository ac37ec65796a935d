"""A task, a format, a measure, a slice and a renderer from outside assay's tree: fields of forms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.plugin import (
    MATCHED,
    Builder,
    Column,
    Drawing,
    Format,
    Items,
    Pair,
    Result,
    SliceKind,
    Source,
    Task,
    match_by_key,
    measure,
    prepare_marks,
    tally_outcomes,
    unit_places,
)


def read(source: Source, builder: Builder) -> None:
    """Read forms, one in each line: its id, and its fields with their values."""
    builder.begin_file(source.path)
    for batch in source.batches():
        for number, line in batch.lines():
            name, *fields = line.split(";")
            unit = builder.unit(name, number)
            for field, _, value in (field.partition("=") for field in fields):
                builder.mark("fields", unit, field, number, value=value)
    builder.end_file()


def looks(head: Sequence[str]) -> bool:
    """True for a file of forms."""
    return bool(head) and ";" in head[0] and "=" in head[0]


FORMAT = Format(
    name="forms",
    title="Forms, one in each line",
    example="a;name=Ann;age=3",
    looks=looks,
    read=read,
    layers=("fields",),
    has_words=False,
    in_documents=True,
)


@measure("field-f1", task="fields", scores=MATCHED, main="f1", count=tally_outcomes)
def field_f1(pair: Pair) -> Items:
    """Fields with gold's value."""
    return match_by_key(pair, "fields", "unit", "label", "value")


def initial(pair: Pair, items: Items, _: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """The first letter of the name of each field."""
    column = Column.of([label[:1] for label in items.labels])
    return column.codes[np.where(items.gold >= 0, items.gold, items.answer[0])], column.vocabulary


INITIAL = SliceKind("initial", "first letter of the name of the field", of_items=initial)
TASK = Task(
    name="fields",
    noun="field",
    drawing=Drawing("units", places=unit_places),
    measures=(),
    defaults=("field-f1",),
    prepare=prepare_marks,
    layers=("fields",),
    matched=True,
)


def render(result: Result) -> str:
    """The main scores, a line each."""
    overall = (row for row in result.scores if row.main and row.label is None and row.slice is None)
    return "".join(f"{row.system} {100 * row.value:.1f}\n" for row in overall)
