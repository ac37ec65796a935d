"""Spans given by the characters of a text, or by its tokens: their offsets checked, trimmed on request."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from assay.errors import InputError
from assay.formats.builder import Builder

Fragments = Sequence[tuple[int, int]]
"""Where the parts of a span begin and end (exclusive), counted from 0."""

_CODE_POINTS = "Offsets count characters (Unicode code points, not bytes or UTF-16 units) from 0, end exclusive."
_SHOWN = 60


def check_bounds(fragments: Fragments, size: int, atoms: str, place: str, part: str = "fragment") -> None:
    """Refuse parts that are empty, lie beyond the text, overlap or are out of order."""
    before = 0
    for start, end in fragments:
        if end <= start:
            raise InputError(f"{place}: from {start} to {end}, which is nothing. The end lies behind the start.")
        if start < 0 or end > size:
            counted = _CODE_POINTS if atoms == "characters" else "Offsets count tokens from 0, end exclusive."
            raise InputError(f"{place}: from {start} to {end} where there are {size} {atoms}. {counted}")
        if start < before:
            raise InputError(
                f"{place}: the {part} {start}-{end} begins before the end of the one before it. "
                f"{part.capitalize()}s stand in the order of the text and do not overlap."
            )
        before = end


def trimmed(text: str, fragments: Fragments, trim: bool, place: str, builder: Builder) -> Fragments:
    """The fragments without white space at their ends, which is refused unless it is to be trimmed."""
    result = [_trimmed(text, start, end) for start, end in fragments]
    for (start, end), (first, last) in zip(fragments, result, strict=True):
        if first == last:
            raise InputError(f"{place}: {quoted(text[start:end])} is nothing but white space. Take the span away.")
        if not trim and (start, end) != (first, last):
            raise InputError(
                f"{place}: {quoted(text[start:end])} begins or ends with white space. "
                "Mend it, or have it trimmed with trim=true in --input-format."
            )
    if result != list(fragments):
        builder.note("Spans trimmed of white space at their ends: {}.", 1)
    return result


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    stretch = text[start:end]
    first = start + len(stretch) - len(stretch.lstrip())
    return first, first + len(stretch.strip())


def check_text(said: str, text: str, fragments: Fragments, place: str) -> None:
    """Refuse a span whose own text is not what stands at its offsets; white space is all alike."""
    found = " ".join(text[start:end] for start, end in fragments)
    if said.split() != found.split():
        raise InputError(f"{place}: says {quoted(said)} where the text has {quoted(found)}. {_CODE_POINTS}")


def quoted(text: str) -> str:
    """A text in quotes, cut where it is long."""
    return repr(_cut(text))


def shown(value: Any) -> str:
    """A value as JSON writes it, cut where it is long."""
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
