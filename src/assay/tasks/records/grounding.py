"""Whether the values of a system occur in the text that they were taken from."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from typing import Any

from assay.formats.grounding import LEVELS, UNGROUNDED, Ground, SearchText
from assay.tasks.records.kinds import (
    BOOLEAN,
    DATE,
    ENUM,
    NUMBER,
    TEXT,
    Kind,
    find_dates,
    find_numbers,
    read_date,
    type_of,
)
from assay.tasks.records.schema import DERIVED, Place

NOT_LOOKED_FOR, NOWHERE = "not looked for", "none"


class RecordText:
    """The text of one record, in which values are looked for."""

    def __init__(self, text: str) -> None:
        self._search = SearchText(text)

    @cached_property
    def _numbers(self) -> frozenset[Decimal]:
        return frozenset(find_numbers(self._search.folded))

    @cached_property
    def _dates(self) -> frozenset[tuple[Any, ...]]:
        return frozenset(find_dates(self._search.folded))

    def level(self, value: Any, place: Place | None) -> str:
        """Where a value was found: exact, folded or fuzzy, as a number or a date, nowhere, or not looked for."""
        kind = place.kind if place is not None else Kind(type_of(value))
        if kind.name in (BOOLEAN, ENUM) or (place is not None and DERIVED in place.marks):
            return NOT_LOOKED_FOR
        if kind.name == NUMBER and not isinstance(value, bool):
            numbers = find_numbers(str(value)) if type_of(value) == TEXT else [Decimal(str(value))]
            if len(numbers) == 1:
                return NUMBER if numbers[0] in self._numbers else NOWHERE
        if kind.name == DATE and (date := read_date(str(value).lower(), kind.parameters.get("order", ""))):
            found = any(date == other[: len(date)] for other in self._dates)
            return DATE if found else NOWHERE
        level, _ = self._search.find_whole(str(value), Ground())
        return NOWHERE if level == UNGROUNDED else LEVELS[level]
