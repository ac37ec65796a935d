"""brat standoff: X.ann with the spans of the text X.txt, whose characters they count."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.offsets import check_bounds, check_text, trimmed
from assay.formats.source import ANNOTATIONS, Source

_OFFSETS = "[0-9]{1,18} [0-9]{1,18}"
_SPAN = re.compile(rf"(T[0-9]+)\t(\S+) ({_OFFSETS}(?:;{_OFFSETS})*)\t(.*)", re.DOTALL)
_EVENT = re.compile(r"E[0-9]+\t[^\s:]+:(T[0-9]+)")
_OTHER = re.compile(r"[ERAMN][0-9]+\t|[*#]")
"""Events, relations, attributes (A, M), normalisations, equivalences and notes."""


def looks_brat(head: Sequence[str]) -> bool:
    """Whether the first line is a text-bound annotation."""
    first = next((line for line in head if line.strip()), "")
    return _SPAN.fullmatch(first) is not None


def read_brat(source: Source, builder: Builder, *, triggers: bool, trim: bool) -> None:
    """Read one document; `triggers=False` leaves out the spans that events are tied to."""
    if not source.path.endswith(ANNOTATIONS):
        raise InputError(
            f"{source.path}: brat annotations are files X{ANNOTATIONS} with the text X.txt beside them. "
            "Name the folder that holds both."
        )
    builder.begin_file(source.path)
    if source.folder is not None:
        builder.identify(source.stem, source.path)
    lines = {number: line for batch in source.batches() for number, line in batch.lines() if line.strip()}
    text = source.beside(".txt")
    sentence = builder.sentence
    builder.text(text, 1)
    for number, match in _spans(lines, source.path, triggers, builder).items():
        place = f"{source.path}:{number}: {match[1]}"
        fragments = [(int(start), int(end)) for start, end in map(str.split, match[3].split(";"))]
        check_bounds(fragments, len(text), "characters", place)
        check_text(match[4], text, fragments, place)
        builder.span(sentence, trimmed(text, fragments, trim, place, builder), match[2], number)
    builder.end_file()


def _spans(lines: dict[int, str], path: str, triggers: bool, builder: Builder) -> dict[int, re.Match[str]]:
    """The lines that are spans, taken apart; what is left out is counted."""
    events = set() if triggers else {event[1] for line in lines.values() if (event := _EVENT.match(line))}
    names: dict[str, int] = {}
    spans: dict[int, re.Match[str]] = {}
    for number, line in lines.items():
        match = _SPAN.fullmatch(line)
        if match is None:
            _check_other(line, f"{path}:{number}")
            builder.note("Lines of events, relations, attributes and notes that were not read: {}.", 1)
            continue
        first = names.setdefault(match[1], number)
        if first != number:
            raise InputError(f"{path}:{number}: {match[1]} stands in line {first} too. Number each span differently.")
        if match[1] in events:
            builder.note("Spans left out because they are triggers of events: {}.", 1)
        else:
            spans[number] = match
    return spans


def _check_other(line: str, place: str) -> None:
    if not _OTHER.match(line):
        raise InputError(
            f"{place}: no line of brat standoff. "
            "A span is T1<tab>Label START END<tab>text, with ; between the fragments of one with gaps."
        )
