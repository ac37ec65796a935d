"""Slices of values: by field, kind, depth, list, status of the answer, grounding, and length of gold's list."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import numpy as np

from assay.align import Pair
from assay.arrays import Ints
from assay.corpus import Column
from assay.engine.items import Items
from assay.engine.lexicon import find_bands
from assay.engine.slices import SliceKind, Values
from assay.errors import UsageError
from assay.formats.records import RECORD
from assay.tasks.records.judge import STATUS, RecordRun, has_texts
from assay.tasks.records.schema import LIST, Place

_LENGTHS = ((0, "0"), (1, "1"), (5, "2-5"))


def _by_field(value: Callable[[str, dict[str, Place]], str], pair: Pair, items: Items, _: str) -> Values:
    """A slice by what a field is."""
    assert items.label is not None
    places = {place.path: place for place in pair.layers[RecordRun].schema.walk()}
    names = Column.of(value(name, places) for name in items.labels)
    return names.codes[items.label].astype(np.int64), names.vocabulary


def _by_status(pair: Pair, items: Items, _: str) -> Values:
    status = pair.system.column(STATUS)
    return status.codes[items.sentence].astype(np.int64), status.vocabulary


def _by_grounding(pair: Pair, items: Items, spec: str) -> Values:
    if not has_texts(pair):
        raise UsageError(f"--slice {spec}: gold has no texts. Give each record its `text`.")
    names = (
        "in the text or not looked for",
        "wrong or spurious, not in the text",
        "wrong or spurious, in the text",
        "right, not in the text",
    )
    codes: Ints = np.zeros(len(items), dtype=np.int64)
    for number, name in enumerate(("hallucinated", "elsewhere", "derived"), 1):
        codes[items.marks[name]] = number
    return codes, names


def _by_length(pair: Pair, items: Items, _: str) -> Values:
    """The length of gold's longest list at the top of the record."""
    lists = [key for key, place in pair.layers[RecordRun].schema.fields.items() if place.form == LIST]
    lengths = []
    for cell in pair.gold.column(RECORD).strings():
        record = json.loads(cell)
        own = [record] if isinstance(record, list) else [record.get(key) for key in lists]
        lengths.append(max((len(one) for one in own if isinstance(one, list)), default=0))
    bands = find_bands(np.array(lengths, dtype=np.int64), _LENGTHS)
    return bands[items.sentence], (*(name for _, name in _LENGTHS), "over 5")


SLICES = (
    SliceKind("field", "field of a record", of_items=partial(_by_field, lambda name, _: name), by_number=True),
    SliceKind(
        "kind",
        "kind of a field: text, number, date …",
        of_items=partial(_by_field, lambda name, places: places[name].kind.name if name in places else "outside"),
        by_number=True,
    ),
    SliceKind(
        "depth",
        "how deep a field is in its record",
        of_items=partial(_by_field, lambda name, _: str(1 + name.count(".") + name.count("[]"))),
    ),
    SliceKind(
        "list",
        "values in lists, or outside",
        of_items=partial(_by_field, lambda name, _: "in a list" if "[]" in name else "outside lists"),
    ),
    SliceKind("answer", "how the answer could be read", of_items=_by_status, by_number=True),
    SliceKind("grounding", "whether the system's value is in the text", of_items=_by_grounding),
    SliceKind("list-length", "length of gold's longest list", of_items=_by_length),
)
