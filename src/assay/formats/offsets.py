"""Offsets of spans against their text: what they count, faults in them, and what becomes of faults."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from assay.errors import InputError
from assay.formats.builder import Builder, merge_stretches
from assay.formats.whose import DROP, DROPPED, MEND, MENDED

Fragments = Sequence[tuple[int, int]]
"""Begin and end (exclusive) of the parts of a span, counted from 0."""
COUNTED = {
    "characters": "Offsets count characters (Unicode code points, not bytes or UTF-16 units) from 0, end exclusive.",
    "tokens": "Offsets count tokens from 0, end exclusive.",
}
_SHOWN = 60

_EMPTY, _EMPTY_SPAN = "empty fragments", "empty spans"
_WHITE, _WHITE_SPAN = "fragments of white space", "spans of white space"
_AT_ENDS = "white space at the ends"
_ORDER = "fragments out of order or overlapping"
_BLANKS = "texts with _ for a blank"
_BEYOND, _OTHER_TEXT = "offsets beyond the text", "texts that are not at their offsets"
LOST = "relations and links of a span that is not there"
_UNSURE = (_EMPTY_SPAN, _WHITE_SPAN, _BEYOND, _OTHER_TEXT)
"""Faults that have no sure reading: such spans are dropped."""
AUTO = "auto"
UNITS = (AUTO, "characters", "utf16", "bytes")
"""What offsets may count, by the parameter `offsets`; auto: as the texts of spans show."""
_ENCODINGS = {
    "characters": ("characters", "utf-32-le", 4),
    "utf16": ("UTF-16 units", "utf-16-le", 2),
    "bytes": ("bytes", "utf-8", 1),
}
"""Units of offsets: what they are called, the encoding that has them, and the bytes of each."""


def check_bounds(fragments: Fragments, size: int, atoms: str, place: str, part: str = "fragment") -> None:
    """Refuse parts that are empty, lie beyond the text, overlap or are out of order."""
    before = 0
    for start, end in fragments:
        if end <= start:
            raise InputError(f"{place}: from {start} to {end}, which is empty. The end must come after the start.")
        if start < 0 or end > size:
            raise InputError(f"{place}: from {start} to {end}, but there are {size} {atoms}. {COUNTED[atoms]}")
        if start < before:
            raise InputError(
                f"{place}: the {part} {start}-{end} begins before the end of the one before it. "
                f"{part.capitalize()}s follow the order of the text and do not overlap."
            )
        before = end


def check_text(said: str, text: str, fragments: Fragments, place: str) -> None:
    """Refuse a span whose own text is not the text at its offsets."""
    if not is_text_at(said, text, fragments):
        found = " ".join(text[start:end] for start, end in fragments)
        raise InputError(
            f"{place}: says {quote_text(said)}, but the text has {quote_text(found)}. {COUNTED['characters']}"
        )


def is_text_at(said: str, text: str, fragments: Fragments) -> bool:
    """True if this text is at these offsets; any white space is equal, and fragments that touch may be apart."""
    if len(fragments) == 1 and text[slice(*fragments[0])] == said:
        return fragments[0][1] <= len(text)
    if fragments[-1][1] > len(text):
        return False
    found = " ".join([text[start:end] for start, end in fragments])
    if found == said or found.split() == said.split():
        return True
    return said.split() == " ".join(text[start:end] for start, end in merge_stretches(fragments)).split()


def _agrees(said: str, text: str, fragments: Fragments) -> bool:
    """True if this text is at these offsets, without a blank beside it."""
    (start, _), (_, end) = fragments[0], fragments[-1]
    if said == text[start:end] and start >= 0 and end <= len(text) and len(fragments) == 1:
        return True
    ends = (said[:1], text[start : start + 1]), (said[-1:], text[end - 1 : end])
    return is_text_at(said, text, fragments) and all(own.isspace() == there.isspace() for own, there in ends)


def check_span(
    said: str | None, text: str, given: Fragments, place: str, builder: Builder, *, trim: bool
) -> Fragments | None:
    """The fragments of a span without faults, if these may be mended; None for a span that is dropped or refused."""
    if len(given) == 1:
        ((start, end),) = given
        stretch = text[start:end]
        # The usual case, written out because there are many.
        if 0 <= start < end <= len(text) and said in (None, stretch) and stretch == stretch.strip():
            return given
    elif given and given[0][0] >= 0 and given[-1][1] <= len(text):
        # Fragments that follow each other, with characters between them.
        parts = [text[start:end] for start, end in given]
        is_plain = all(parts) and all(before < start for (_, before), (start, _) in pairwise(given))
        if is_plain and said in (None, " ".join(parts)) and all(part == part.strip() for part in parts):
            return given
    fragments, faults = _faults_of(said, text, given)
    repair = builder.asked.repair or (MEND if trim and {kind for kind, _ in faults} == {_AT_ENDS} else "")
    if faults and not repair:
        builder.fault(f"{place}: {faults[0][1]}")
        return None
    dropped = repair == DROP or any(kind in _UNSURE for kind, _ in faults)
    if faults and dropped:
        # What it is dropped for.
        faults = [next((fault for fault in faults if fault[0] in _UNSURE), faults[0])]
    for kind, _ in faults:
        builder.repair(kind, DROPPED if dropped else MENDED, place)
    return None if faults and dropped else fragments


def _faults_of(said: str | None, text: str, given: Fragments) -> tuple[Fragments, list[tuple[str, str]]]:
    """The fragments as they are after mending, and the faults: what each is, and a sentence."""
    found: dict[str, str] = {}
    fragments = [part for part in given if part[0] < part[1]]
    for start, end in given:
        if end <= start:
            kind = _EMPTY if fragments else _EMPTY_SPAN
            found.setdefault(kind, f"from {start} to {end}, which is empty. The end must come after the start.")
        elif start < 0 or end > len(text):
            counted = COUNTED["characters"]
            found[_BEYOND] = f"from {start} to {end}, but there are {len(text)} characters. {counted}"
    if _BEYOND in found or _EMPTY_SPAN in found:
        return fragments, list(found.items())
    ordered = sorted(fragments)
    for (_, before), (start, end) in pairwise(fragments):
        if start < before:
            found.setdefault(
                _ORDER,
                f"the fragment {start}-{end} begins before the end of the one before it. "
                "Fragments follow the order of the text and do not overlap.",
            )
    # If fragments overlap, tools write the text of each fragment, or that of the whole span.
    joined: list[tuple[int, int]] = []
    for start, end in ordered:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    spellings = (fragments, ordered, joined)
    if said is not None and not any(is_text_at(said, text, parts) for parts in spellings):
        plain = text.replace("_", " ")
        same = any(is_text_at(said.replace("_", " "), plain, parts) for parts in spellings)
        has = " ".join(text[start:end] for start, end in fragments)
        counted = COUNTED["characters"]
        found[_BLANKS if same else _OTHER_TEXT] = (
            f"says {quote_text(said)}, but the text has {quote_text(has)}. {counted}"
        )
    kept: list[tuple[int, int]] = []
    for start, end in joined:
        stretch = text[start:end]
        first = start + len(stretch) - len(stretch.lstrip())
        last = first + len(stretch.strip())
        if first == last:
            found.setdefault(_WHITE, f"{quote_text(stretch)} is only white space. Remove the span.")
        else:
            if (first, last) != (start, end):
                remedy = "Remove it."
                if start and text[start - 1 : start + 1].isalnum():
                    remedy = "It begins inside a word: if offsets count from 1, subtract 1 from each start and end."
                found.setdefault(_AT_ENDS, f"{quote_text(stretch)} begins or ends with white space. {remedy}")
            kept.append((first, last))
    if not kept:
        found[_WHITE_SPAN] = found.pop(_WHITE)
    return kept, list(found.items())


def find_unit(
    text: str, spans: Sequence[tuple[str, Fragments]], asked: str = AUTO, place: str = ""
) -> tuple[str, dict[int, int]] | None:
    """The unit that offsets count if it is not characters, and the characters at which its numbers lie.

    Unless a unit is asked for, it is the first in which all spans agree with their texts that agree in any unit;
    without such a unit they are refused.
    """
    if text.isascii() or asked == UNITS[1]:
        return None
    if asked == AUTO and all(_agrees(said, text, parts) for said, parts in spans):
        return None
    if asked != AUTO:
        return _ENCODINGS[asked][0], _tabulate(text, asked)
    fitting = {unit: agreeing_spans(text, spans, unit) for unit in UNITS[1:]}
    most = max(fitting, key=lambda unit: len(fitting[unit]))
    if others := set().union(*fitting.values()) - fitting[most]:
        other = next(unit for unit in fitting if min(others) in fitting[unit])
        kinds = [
            f"{parts[0][0]}-{parts[-1][1]} of {quote_text(said)} count {_ENCODINGS[unit][0]}"
            for unit, number in ((most, min(fitting[most] - fitting[other])), (other, min(others)))
            for said, parts in [spans[number]]
        ]
        raise InputError(f"{place}: the offsets {', but '.join(kinds)}. Correct one kind.")
    return None if most == UNITS[1] else (_ENCODINGS[most][0], _tabulate(text, most))


def agreeing_spans(text: str, spans: Sequence[tuple[str, Fragments]], unit: str) -> set[int]:
    """The numbers of the spans that agree with their texts if offsets count this unit."""
    table = _tabulate(text, unit)
    return {
        number
        for number, (said, parts) in enumerate(spans)
        if (places := convert_fragments(parts, table)) is not None and _agrees(said, text, places)
    }


def measure(text: str, unit: str) -> int:
    """The length of a text in a unit of offsets."""
    _, encoding, size = _ENCODINGS[unit]
    return len(text.encode(encoding)) // size


def _tabulate(text: str, unit: str) -> dict[int, int]:
    """The characters of a text by the places at which they begin in a unit of offsets, and its end."""
    lengths = (measure(character, unit) for character in text)
    return {place: number for number, place in enumerate(accumulate(lengths, initial=0))}


def convert_fragments(fragments: Fragments, table: dict[int, int]) -> Fragments | None:
    """Fragments with offsets in characters; None if one of them lies inside a character."""
    if not all(place in table for part in fragments for place in part):
        return None
    return [(table[start], table[end]) for start, end in fragments]


def quote_text(text: str) -> str:
    """A text in quotes, shortened if it is long."""
    return repr(shorten(text))


def shorten(text: str) -> str:
    """A text, or its beginning if it is long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
