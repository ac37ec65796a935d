"""What a system says in each field of each record, as Items: gold's values, and those that it adds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, as_codes
from assay.classes import dataclass
from assay.engine.items import Items
from assay.formats.grounding import fold_spelling
from assay.formats.records import RECORD, TEXT
from assay.tasks.records.grounding import NOT_LOOKED_FOR, NOWHERE, RecordText
from assay.tasks.records.kinds import show_value
from assay.tasks.records.pairing import MISSING, OUTCOMES, RIGHT, SPURIOUS, WRONG, Comparer, Match, ValueOutcome
from assay.tasks.records.reading import READ
from assay.tasks.records.schema import Place

STATUS = "status"
"""The column of a system's records that says how its answer could be read."""
BREACHES = "breaches"
"""The column that says what is wrong with a system's record under a schema that was given; nothing if it is valid."""
NOTES = ("retyped", "structure", "outside")
HALLUCINATED, ELSEWHERE, DERIVED = GROUNDED = ("hallucinated", "elsewhere", "derived")
"""Values that are wrong or spurious and not in the text, those that are in it, and right ones that are not in it."""


@dataclass(frozen=True, eq=False)
class RecordRun:
    """What is the same for all systems of a run."""

    schema: Place
    texts: Sequence[RecordText]
    """The texts of gold's records."""

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """The places of the schema by their paths."""
        return {place.path: place for place in self.schema.walk()}


def records_of(pair: Pair) -> Iterator[tuple[int, Any, Any]]:
    """The records that count, by number: gold's and the system's, None if its answer has none."""
    golds, systems = (corpus.column(RECORD) for corpus in (pair.gold, pair.system))
    is_read = pair.system.column(STATUS).isin(READ)
    for number in np.flatnonzero(~pair.skipped).tolist():
        yield number, json.loads(golds[number]), json.loads(systems[number]) if is_read[number] else None


def outcomes_of(pair: Pair, match: Match) -> list[tuple[int, list[ValueOutcome]]]:
    """The outcomes of all values, record by record."""

    def compare() -> list[tuple[int, list[ValueOutcome]]]:
        comparer = Comparer(pair.layers[RecordRun].schema, match)
        return [(number, comparer.compare(gold, system)) for number, gold, system in records_of(pair)]

    found: list[tuple[int, list[ValueOutcome]]] = pair.once(f"outcomes {match}", compare)
    return found


def judge_values(pair: Pair, match: Match) -> Items:
    """One row for each value of gold, and for each that the system adds; their labels are the fields."""
    items: Items = pair.once(f"values {match}", lambda: _judge_values(pair, match))
    return items


def _judge_values(pair: Pair, match: Match) -> Items:
    rows = [(number, one) for number, outcomes in outcomes_of(pair, match) for one in outcomes]
    names: dict[str, int] = {}
    field = as_codes((one.field for _, one in rows), names)
    kind = as_codes((one.outcome for _, one in rows), {name: code for code, name in enumerate(OUTCOMES)})
    sentence = np.array([number for number, _ in rows], dtype=np.int64)
    missing, spurious = kind == OUTCOMES.index(MISSING), kind == OUTCOMES.index(SPURIOUS)
    said = np.where(missing, NONE, 0)
    hung = np.zeros(len(rows), dtype=np.int64)
    # Right values are the same however they are written; what a spurious one hangs on tells it from others.
    for row in np.flatnonzero((kind == OUTCOMES.index(WRONG)) | spurious).tolist():
        one = rows[row][1]
        said[row] = _hash(fold_spelling(show_value(one.system)))
        hung[row] = _hash(f"{one.at} {said[row]}") if one.outcome == SPURIOUS else 0
    notes = np.array([one.note for _, one in rows], dtype=object)
    marks = {name: notes == name for name in NOTES}
    if has_texts(pair):
        texts, places = pair.layers[RecordRun].texts, pair.layers[RecordRun].places
        levels = np.array(
            [
                texts[number].level(one.system, places.get(one.field))
                if one.outcome != MISSING and texts[number]
                else NOT_LOOKED_FOR
                for number, one in rows
            ],
            dtype=object,
        )
        right, nowhere = kind == OUTCOMES.index(RIGHT), levels == NOWHERE
        found = ~nowhere & (levels != NOT_LOOKED_FOR)
        marks |= {HALLUCINATED: ~right & nowhere, ELSEWHERE: ~right & found, DERIVED: right & nowhere}
    numbers = np.arange(len(rows))
    gold_number = np.cumsum(~spurious) - 1
    return Items.of(
        tuple(names),
        sentence,
        np.where(spurious, numbers, gold_number),
        np.where(spurious, NONE, field).astype(np.int32),
        np.where(missing, NONE, field).astype(np.int32),
        kind == OUTCOMES.index(RIGHT),
        kinds=OUTCOMES,
        kind=kind,
        label=field,
        target=said,
        same=("answer", "target"),
        partner=np.where(missing, NONE, numbers),
        key=np.stack([hung, field]),
        marks=marks,
    )


def has_texts(pair: Pair) -> bool:
    """True if gold has the texts that records are about."""
    return any(pair.gold.column(TEXT).vocabulary)


def _hash(text: str) -> int:
    """A number that is the same for the same text in every run."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1
