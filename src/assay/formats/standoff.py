"""Spans that stand apart from the words: brat standoff, documents in JSON, and span tables (FairEval).

brat has X.ann with the spans of the text X.txt, whose characters they count. JSON has documents with their spans, by
characters or tokens, in the shapes that labelling tools, libraries and language models write. A span table has a
labelled span per line, its words given by number; the words themselves are not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice, pairwise
from typing import Any

import numpy as np

from assay.arrays import Ints, Stretches
from assay.errors import InputError
from assay.formats.builder import Builder, Vocabulary, merge_stretches
from assay.formats.events import NOT_WHOLE, UNREAD, event_lists
from assay.formats.offsets import (
    LOST,
    Fragments,
    check_span,
    convert_fragments,
    find_unit,
    is_text_at,
    quote_text,
)
from assay.formats.relations import link_lists, relation_lists
from assay.formats.source import ANNOTATIONS, Source
from assay.formats.whose import DROPPED

_OFFSETS = "[0-9]{1,18} [0-9]{1,18}"
_SPAN = re.compile(rf"(T[0-9]+)\t(\S+) ({_OFFSETS}(?:;{_OFFSETS})*)\t(.*)", re.DOTALL)
_SHAPES = {
    "R": (r"R[0-9]*\t(\S+) +([^\s:]+):(\S+) +([^\s:]+):(\S+)\s*", "R1<tab>Label Arg1:T1 Arg2:T2"),
    "*": (r"\*\t(\S+)((?: +\S+){2,})\s*", "*<tab>Label T1 T2, with two spans or more"),
    "E": (r"(E[0-9]+)\t([^\s:]+):(\S+)((?: +[^\s:]+:\S+)*)\s*", "E1<tab>Type:T1 Role:T2, the trigger first"),
    "N": (r"N[0-9]*\t\S+ +(\S+) +(\S+)\s*(?:\t.*)?", "N1<tab>Type T1 Resource:Id<tab>text, without blanks in the Id"),
}
_LINES = {letter: (re.compile(shape, re.DOTALL), example) for letter, (shape, example) in _SHAPES.items()}
"""Relations, equivalences, events and normalisations (links) by their first letter, and how each is written."""
_OTHER = re.compile(r"[AM][0-9]+\t|#")
"""Attributes and notes."""
_ATTRIBUTE = re.compile(r"[AM][0-9]+\t(\S+) +(\S+)(?: +(\S+))?\s*")
UNITS = ("documents", "lines")

_NO_SPANS = ("NONE", "EMPTY")
_DUMMY = "999"
_DUMMY_LINE = "NONE<tab>999<tab>999<tab>999"
_LONGEST = 1_000_000
"""More words than a sentence or document has; beyond it a number is a mistake."""
_LOOKED_AT = 50



# --- brat ---


def looks_brat(head: Sequence[str]) -> bool:
    """True if the first line is a text-bound annotation."""
    return _SPAN.fullmatch(next((line for line in head if line.strip()), "")) is not None


def decide_brat(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
    """Spans and the layers over them that the first lines show, and what the sentences are."""
    first = {line[:1] for line in head}
    layers = ["spans", *["relations"] * (not first.isdisjoint("R*E")), *["links"] * ("N" in first)]
    return {"layers": layers, "in_documents": given["units"] == "documents"}


def read_brat(source: Source, builder: Builder, *, triggers: bool, trim: bool, units: str) -> None:
    """Read one document; `triggers=False` leaves out the spans that events are tied to.

    Its sentences are the lines of the text, or it is one as a whole.
    """
    if not source.path.endswith(ANNOTATIONS):
        raise InputError(
            f"{source.path}: brat annotations are files X{ANNOTATIONS} with the text X.txt in the same folder. "
            "Name the folder that contains both."
        )
    if source.folder is not None:
        builder.identify(source.stem, source.path)
    lines = [row for batch in source.batches() for row in batch.lines() if row[1] and not row[1].isspace()]
    text = source.beside(".txt")
    names: dict[str, int] = {}
    spans: dict[str, re.Match[str]] = {}
    others: dict[str, list[tuple[int, re.Match[str]]]] = {letter: [] for letter in _LINES}
    attributes: dict[str, list[str]] = {}
    for number, line in lines:
        name, tab, _ = line.partition("\t")
        if line[0] == "T" and (match := _SPAN.fullmatch(line)):
            spans[name] = match
        elif tab and name[:1] in _LINES and not name[1:].strip("0123456789"):
            match = _LINES[name[0]][0].fullmatch(line)
            if match is None:
                form = _LINES[name[0]][1]
                raise InputError(f"{source.path}:{number}: {quote_text(line)} should have the form {form}.")
            others[name[0]].append((number, match))
        elif _OTHER.match(line):
            builder.note(UNREAD, 1)
            if match := _ATTRIBUTE.fullmatch(line):
                attributes.setdefault(match[2], []).append(f"{match[1]}={match[3]}" if match[3] else match[1])
        else:
            raise InputError(
                f"{source.path}:{number}: not a line of brat standoff. "
                "A span is T1<tab>Label START END<tab>text, with ; between the fragments of one with gaps."
            )
        if name[:1] in ("T", "E") and names.setdefault(name, number) != number:
            raise InputError(f"{source.path}:{number}: {name} is in line {names[name]} too. Number each differently.")
    places: dict[str, Fragments] = {}
    for name, match in spans.items():
        parts = match[3].split(";") if ";" in match[3] else (match[3],)
        places[name] = [(int(start), int(end)) for start, _, end in [part.partition(" ") for part in parts]]
    # Some tools count a line end of two characters as one; the texts of the spans tell whether they did.
    plain = text.replace("\r\n", "\n")
    said = [(match[4], places[name]) for name, match in spans.items()]
    texts = (text, plain) if plain != text else ()
    if [all(is_text_at(own, given, parts) for own, parts in said) for given in texts] == [False, True]:
        builder.note("Line ends of two characters that offsets count as one: {}.", len(text) - len(plain))
        text = plain
    if unit := find_unit(text, said, place=source.path):
        builder.offsets[unit[0]] += 1
        places = {name: convert_fragments(parts, unit[1]) or parts for name, parts in places.items()}
    first = builder.sentence
    starts = [0]
    if units == "lines":
        # Blank lines belong to the one before them, so that characters are counted over the ends of lines.
        starts += [line.start() for line in re.finditer(r"^.*\S", text, re.MULTILINE)][1:]
    number = 1
    for start, end in pairwise([*starts, len(text)]):
        builder.text(text[start:end], number)
        number += text.count("\n", start, end)
    left_out = set() if triggers else {match[3] for _, match in others["E"]} & spans.keys()
    if left_out:
        builder.note("Spans left out because they are triggers of events: {}.", len(left_out))
    relations = builder.over_spans(relation_lists, wanted=any(others[letter] for letter in "R*E"))
    links = builder.over_spans(link_lists, wanted=bool(others["N"]))
    kept: dict[str, Fragments] = {}
    for name, match in spans.items():
        if name not in left_out:
            place = f"{source.path}:{names[name]}: {name}"
            fragments = check_span(match[4], text, places[name], place, builder, trim=trim)
            if fragments is not None:
                kept[name] = fragments
    builder.refuse_faults()
    # The sentences of all spans are found at once, and all layers get the spans at once.
    labels = Vocabulary[str]()
    rows = np.array(
        [(0, parts[0][0], parts[-1][1], labels[spans[name][2]], names[name]) for name, parts in kept.items()],
        dtype=np.int64,
    ).reshape(-1, 5)
    sentence = np.searchsorted(starts, rows[:, 1], side="right") - 1
    shift = np.array(starts)[sentence]
    rows[:, 0], rows[:, 1:3] = first + sentence, rows[:, 1:3] - shift[:, None]
    stretches = {}
    for number, parts in enumerate(kept.values()):
        if len(parts) > 1 and len(joined := merge_stretches(parts)) > 1:
            stretches[number] = move_stretches(joined, -int(shift[number]))
    layers = [one for one in (builder, relations, links) if one is not None]
    to_relate, to_link = (0 if one is None else len(one) for one in (relations, links))
    for layer in layers:
        layer.spans(rows, list(labels), stretches)
    found = {
        name: (parts[0][0], to_relate + number, to_link + number) for number, (name, parts) in enumerate(kept.items())
    }
    """For each span the place of its first character, and its numbers among those to relate and to link."""
    _read_brat_layers(source.path, builder, spans, others, found, left_out)
    if others["E"]:
        placed = {
            name: (unit, move_stretches(parts, -offset))
            for (name, parts), unit, offset in zip(kept.items(), rows[:, 0].tolist(), shift.tolist(), strict=True)
        }
        _read_brat_events(builder, others["E"], placed, attributes)


def move_stretches(stretches: Fragments, by: int) -> Stretches:
    """The stretches, each moved by a number of characters."""
    return tuple((start + by, end + by) for start, end in stretches)


def _read_brat_events(
    builder: Builder,
    lines: Sequence[tuple[int, re.Match[str]]],
    placed: Mapping[str, tuple[int, Fragments]],
    attributes: Mapping[str, Sequence[str]],
) -> None:
    """Events as wholes, as far as their spans are read; an argument that is an event is its trigger."""
    triggers = {match[1]: match[3] for _, match in lines}
    for number, match in lines:
        if match[3] not in placed:
            continue
        lists = builder.collector(event_lists)
        event = lists.event(*placed[match[3]], match[2], number)
        for role, _, name in (argument.partition(":") for argument in match[4].split()):
            if (span := placed.get(triggers.get(name, name))) is not None:
                lists.argument(event, *span, role.rstrip("0123456789") or role, number)
        for text in (*attributes.get(match[1], ()), *attributes.get(match[3], ())):
            lists.attribute(event, text)


def _read_brat_layers(
    path: str,
    builder: Builder,
    spans: dict[str, re.Match[str]],
    others: dict[str, list[tuple[int, re.Match[str]]]],
    found: dict[str, tuple[int, int, int]],
    left_out: set[str],
) -> None:
    """Relations and links of a document. An event is its trigger, and its arguments are relations of that."""
    events = {match[1]: match[3] for _, match in others["E"]}

    def number_of(name: str, line: int) -> tuple[int, int, int] | None:
        """The place of a span, or of the trigger of an event; None if it is left out or dropped."""
        span = events.get(name, name)
        if span not in spans:
            builder.fault(f"{path}:{line}: there is no {span} in the file. Name a span or an event that is.")
        return found.get(span)

    def is_left_out(name: str) -> bool:
        return events.get(name, name) in left_out

    pairs: list[tuple[int, str, str, str, bool]] = []
    for number, match in others["R"]:
        if (match[2], match[4]) == ("Arg2", "Arg1"):
            raise InputError(f"{path}:{number}: Arg2 comes before Arg1. The first one is the head: exchange them.")
        pairs.append((number, match[1], match[3], match[5], False))
    for number, match in others["E"]:
        roles = [argument.partition(":") for argument in match[4].split()]
        if number_of(match[1], number) is None and not (roles or is_left_out(match[1])):
            builder.repair(LOST, DROPPED, f"{path}:{number}")
        # Of several arguments in one role the later ones have a number.
        pairs += [(number, role.rstrip("0123456789") or role, match[3], name, False) for role, _, name in roles]
        if match[3] in spans and spans[match[3]][2] != match[2]:
            builder.note(NOT_WHOLE[2], 1)
    if events:
        builder.note(NOT_WHOLE[0], len(events))
    for number, match in others["*"]:
        members = match[2].split()
        # Pairs of the first in the text with each other one, both in the order of the line.
        places = [(number_of(name, number) or (0,))[0] for name in members]
        first = places.index(min(places))
        rest = [place for place in range(len(members)) if place != first]
        pairs += [(number, match[1], members[min(first, i)], members[max(first, i)], True) for i in rest]
    relations = builder.collector(relation_lists) if pairs else None
    lost = 0
    for number, label, *arguments, symmetric in sorted(pairs, key=lambda pair: pair[0]):
        head, tail = number_of(str(arguments[0]), number), number_of(str(arguments[1]), number)
        if left_out and any(is_left_out(str(name)) for name in arguments):
            lost += 1
        elif head is None or tail is None or relations is None:
            builder.repair(LOST, DROPPED, f"{path}:{number}")
        else:
            relations.relation(label, head[1], tail[1], number, symmetric=bool(symmetric))
    identifiers: dict[int, list[str]] = {}
    for number, match in others["N"]:
        if span := number_of(match[1], number):
            identifiers.setdefault(span[2], []).append(match[2])
        elif is_left_out(match[1]):
            lost += 1
        else:
            builder.repair(LOST, DROPPED, f"{path}:{number}")
    for mention, names in identifiers.items():
        builder.collector(link_lists).link(mention, names)
    if lost:
        builder.note("Relations and links left out with the triggers of events: {}.", lost)


# --- span tables ---


def looks_spans(head: Sequence[str]) -> bool:
    """True if the first lines are labels with first word, last word and a list of the words between them.

    Columns of numbers that lack such a list are taken for spans only if the labels are spelt like labels.
    """
    lines = [*islice((line for line in head if line.strip()), _LOOKED_AT)]
    fitting = []
    for line in lines:
        with suppress(InputError):
            _parse_line(line, "")
            fitting.append(line.split("\t"))
        if not fitting:
            # The first line is not one.
            return False
    if 2 * len(fitting) < len(lines) or not lines:
        return False
    if any(row[0] in _NO_SPANS or "," in "".join(row[3:]) for row in fitting):
        return True
    return len(fitting) == len(lines) and all((len(row) == 4 and row[3]) or row[0].isupper() for row in fitting)


def read_spans(source: Source, builder: Builder) -> None:
    """Read one file: a sentence has as many nameless words as its spans reach."""
    # Most lines of a file occur in it more than once, and each is parsed once.
    codes: dict[str, int] = {}
    parsed: list[tuple[str, Stretches]] = []
    parts = [np.zeros(0, dtype=np.int64)]
    for batch in source.batches():
        lines = batch.strings()
        for number, line in enumerate(lines, batch.line):
            if line not in codes:
                parsed.append(_parse_line(line, f"{batch.path}:{number}"))
                codes[line] = len(codes)
        parts.append(np.fromiter(map(codes.__getitem__, lines), dtype=np.int64, count=len(lines)))
    rows = np.concatenate(parts)
    blank = np.array([not label for label, _ in parsed], dtype=bool)[rows]
    filled = np.array([bool(atoms) for _, atoms in parsed], dtype=bool)[rows]
    twice = np.flatnonzero(blank & np.concatenate([[True], blank[:-1]]))
    if len(twice):
        raise InputError(
            f"{source.path}:{twice[0] + 1}: a blank line that ends no sentence. "
            f"A sentence without spans needs a line of its own: {_DUMMY_LINE}"
        )
    sentence: Ints = np.cumsum(blank) - blank
    lines_of = np.bincount(sentence[~blank], minlength=1)
    mixed = np.flatnonzero(~blank & ~filled & (lines_of[sentence] > 1))
    if len(mixed):
        raise InputError(
            f"{source.path}:{mixed[0] + 1}: says that the sentence has no spans, but this is not its only line. "
            "Remove this line, or put a blank line between two sentences."
        )
    spans = np.flatnonzero(filled)
    labels = Vocabulary[str]()
    places = [(atoms[0][0], atoms[-1][1], labels[label]) if atoms else (0, 0, 0) for label, atoms in parsed]
    begin, end, label = np.array(places, dtype=np.int64).reshape(-1, 3)[rows[spans]].T
    gaps = {row: atoms for row, (_, atoms) in enumerate(parsed) if len(atoms) > 1}
    stretches = {number: gaps[row] for number, row in enumerate(rows[spans].tolist()) if row in gaps}
    # Each sentence has as many words without a form as its spans reach, and one at least.
    used = np.flatnonzero(~blank)
    lengths = np.ones(int(sentence[used[-1]]) + 1 if len(used) else 0, dtype=np.int64)
    np.maximum.at(lengths, sentence[spans], end)
    firsts = used[np.searchsorted(sentence[used], np.arange(len(lengths)))]
    table = np.stack([sentence[spans] + builder.sentence, begin, end, label, spans + 1], axis=1)
    words = np.full(int(lengths.sum()), builder.cells[0][b""])
    builder.add_codes([words], (np.cumsum(lengths) + builder.words).tolist(), (firsts + 1).tolist())
    builder.spans(table, list(labels), stretches)


def _parse_line(line: str, place: str) -> tuple[str, Stretches]:
    """The label and the words of a span; no words if the sentence has no spans, and no label in a blank line."""
    if not line.strip(" "):
        return "", ()
    label, *cells = line.split("\t")
    if label in _NO_SPANS:
        if cells[:2] != [_DUMMY, _DUMMY] or cells[2:] not in ([], [""], [_DUMMY]):
            raise InputError(
                f"{place}: {label} is not a label, it stands for a sentence without spans. "
                f"Write {_DUMMY_LINE}, or give the spans another label."
            )
        return label, ()
    if len(cells) not in (2, 3):
        columns = "1 column" if not cells else f"{len(cells) + 1} columns"
        fact = f"{columns}, but a span has label, begin, end and its words"
        raise InputError(f"{place}: {fact}. Are they separated by tabs?")
    begin, end = _number(cells[0], f"{place}: begin"), _number(cells[1], f"{place}: end")
    if begin < 1:
        raise InputError(f"{place}: begin is 0. Words are counted from 1.")
    if end < begin:
        fact = f"end {end} lies before begin {begin}"
        raise InputError(f"{place}: {fact}. Both count words from 1, and end belongs to the span.")
    if end > _LONGEST:
        fact = f"end is {end}, which no sentence reaches"
        raise InputError(f"{place}: {fact}. Words are counted in each sentence from 1.")
    atoms: Stretches = ((begin - 1, end),)
    listed = "".join(cells[2:])
    # A list without gaps is written out and compared rather than taken apart: nearly all spans are so.
    solid = listed.count(",") == end - begin and listed == ", ".join(map(str, range(begin, end + 1)))
    if listed.strip() and not solid:
        words = sorted(_number(word.strip(), f"{place}: a word of the span") for word in listed.split(","))
        repeated = next((word for word, after in pairwise(words) if word == after), None)
        if repeated is not None:
            raise InputError(f"{place}: word {repeated} is listed twice. Each word of a span is listed once.")
        outside = next((word for word in words if not begin <= word <= end), None)
        if outside is not None:
            fact = f"word {outside} lies outside the span, which reaches from {begin} to {end}"
            raise InputError(f"{place}: {fact}.")
        if (words[0], words[-1]) != (begin, end):
            raise InputError(
                f"{place}: begin and end are {begin} and {end}, but the words listed reach from {words[0]} to "
                f"{words[-1]}. The first and the last word of a span belong to it."
            )
        atoms = merge_stretches((word - 1, word) for word in words)
    if not label.strip():
        raise InputError(f"{place}: the label is empty. It belongs in the first column.")
    return label, atoms


def _number(cell: str, what: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) < 19):
        raise InputError(f"{what} is {cell!r}, but the number of a word is expected.")
    return int(cell)
