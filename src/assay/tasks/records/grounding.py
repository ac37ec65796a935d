"""Whether the values of records occur in the text that they were taken from, and where."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

from assay.formats.grounding import LEVELS, UNGROUNDED, Ground, SearchText
from assay.formats.grounding import Place as Stretch
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
    """The text of one record, in which values are looked for, each distinct value once."""

    def __init__(self, text: str) -> None:
        self._search = SearchText(text)
        self._known: dict[Any, tuple[str, Sequence[Stretch]]] = {}

    def __bool__(self) -> bool:
        """True if there is a text."""
        return bool(self._search.text)

    @cached_property
    def _numbers(self) -> list[tuple[Decimal, Stretch]]:
        return list(find_numbers(self._search.folded))

    @cached_property
    def _dates(self) -> list[tuple[tuple[Any, ...], Stretch]]:
        return list(find_dates(self._search.folded))

    def level(self, value: Any, place: Place | None) -> str:
        """How a value was found; values of some places are not looked for."""
        kind = place.kind.name if place is not None else type_of(value)
        is_free = kind not in (BOOLEAN, ENUM) and (place is None or DERIVED not in place.marks)
        return self.find(value, place)[0] if is_free else NOT_LOOKED_FOR

    def find(self, value: Any, place: Place | None) -> tuple[str, Sequence[Stretch]]:
        """How a value of a place was found (exact, folded or fuzzy, as a number or a date, or nowhere), and where.

        A value outside the schema is of the kind of its type.
        """
        kind = place.kind if place is not None else Kind(type_of(value))
        key = (kind.name, kind.parameters.get("order"), type(value), value)
        if key not in self._known:
            self._known[key] = self._find(value, kind)
        return self._known[key]

    def _find(self, value: Any, kind: Kind) -> tuple[str, Sequence[Stretch]]:
        if kind.name == NUMBER and not isinstance(value, bool):
            text = type_of(value) == TEXT
            numbers = [number for number, _ in find_numbers(value)] if text else [Decimal(str(value))]
            if len(numbers) == 1:
                return self._place(NUMBER, [at for number, at in self._numbers if number == numbers[0]])
        if kind.name == DATE and (date := read_date(str(value).lower(), kind.parameters.get("order", ""))):
            return self._place(DATE, [at for other, at in self._dates if date == other[: len(date)]])
        level, places = self._search.find_whole(str(value), Ground())
        return NOWHERE if level == UNGROUNDED else LEVELS[level], places

    def _place(self, level: str, places: Sequence[Stretch]) -> tuple[str, Sequence[Stretch]]:
        """The places in the text of stretches of the folded text, and the level if there are any."""
        return level if places else NOWHERE, [*filter(None, (self._search.unfold(*place) for place in places))]
