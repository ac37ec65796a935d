"""Spans that stand apart from the words: brat standoff, documents in JSON, and span tables (FairEval).

brat has X.ann with the spans of the text X.txt, whose characters they count. JSON has documents with their spans, by
characters or tokens, in the shapes that labelling tools, libraries and language models write. A span table has a
labelled span per line, its words given by number; the words themselves are not known.
"""

from __future__ import annotations

import json
import math
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from itertools import accumulate, chain, islice, pairwise
from typing import Any

import numpy as np

from assay.arrays import NONE, Ints, Stretches
from assay.errors import InputError
from assay.formats.builder import Builder, Vocabulary, merge_stretches
from assay.formats.offsets import (
    COUNTED,
    LOST,
    Fragments,
    check_bounds,
    check_span,
    check_text,
    convert_fragments,
    find_unit,
    is_text_at,
    quote_text,
    shorten,
)
from assay.formats.relations import NIL, link_lists, relation_lists
from assay.formats.source import ANNOTATIONS, Source
from assay.formats.whose import SKIPPED, Annotation
from assay.records import dataclass

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
UNITS = ("documents", "lines")

_OPENING = re.compile(r"""(?:\[\s*)?\{\s*(?:["'][^"'\n]*["']\s*:|\})|\[\s*\]\s*$|```json""")
IDS = ("id", "doc_id", "document_id", "uuid")
_SPANS = ("spans", "entities", "ents", "label", "labels")
_LABELS = ("label", "type", "entity_group", "entity_type", "category", "tag", "labels", "entity")
"""Keys of a span's label; `entity` comes last, for beside another of these it is the mention itself."""
_STARTS = ("start", "begin", "start_offset", "start_char")
_ENDS = ("end", "end_offset", "end_char")
_MENTIONS = ("text", "word", "mention", "name", "entity", "value", "span")
_OVER_SPANS = {
    "relations": re.compile(r'"relations"\s*:\s*\[\s*[\[{]|"type"\s*:\s*"relation"'),
    "links": re.compile(r'"(?:link|kb_id)"\s*:\s*"[^"]|"links"\s*:\s*\['),
}
"""The layers over spans in JSON, by what they look like."""
CONFIDENCES = ("score", "confidence", "prob")
"""Keys of a span or relation that say how sure a system is of it."""
_HEADS = ("head", "from", "from_id")
_TAILS = ("tail", "child", "to", "to_id")
_OF_ROW = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
"""Keys of a row of JSON-MIN that are not the task's."""
_PLACES = {"head": "head_span", "child": "child_span"}
"""Keys beside a relation's arguments under which Prodigy has their offsets; the arguments are tokens there."""
_EXAMPLE = '{"id": "d1", "text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}]}'

_NO_SPANS = ("NONE", "EMPTY")
_DUMMY = "999"
_DUMMY_LINE = "NONE<tab>999<tab>999<tab>999"
_LONGEST = 1_000_000
"""More words than a sentence or document has; beyond it a number is a mistake."""
_LOOKED_AT = 50

_IN_OTHER_UNITS = "Documents with offsets in {unit}, as the texts of their spans show: {{}}."


def quote(value: Any) -> str:
    """A value as JSON writes it, shortened if it is long."""
    return shorten(json.dumps(value, ensure_ascii=False))


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
    builder.begin_file(source.path)
    if source.folder is not None:
        builder.identify(source.stem, source.path)
    lines = {number: line for batch in source.batches() for number, line in batch.lines() if line.strip()}
    text = source.beside(".txt")
    names: dict[str, int] = {}
    spans: dict[str, re.Match[str]] = {}
    others: dict[str, list[tuple[int, re.Match[str]]]] = {letter: [] for letter in _LINES}
    for number, line in lines.items():
        place = f"{source.path}:{number}"
        name, tab, _ = line.partition("\t")
        if match := _SPAN.fullmatch(line):
            spans[name] = match
        elif tab and name[:1] in _LINES and not name[1:].strip("0123456789"):
            match = _LINES[name[0]][0].fullmatch(line)
            if match is None:
                raise InputError(f"{place}: {quote_text(line)} is written otherwise: {_LINES[name[0]][1]}.")
            others[name[0]].append((number, match))
        elif _OTHER.match(line):
            builder.note("Lines of attributes and notes that were not read: {}.", 1)
        else:
            raise InputError(
                f"{place}: not a line of brat standoff. "
                "A span is T1<tab>Label START END<tab>text, with ; between the fragments of one with gaps."
            )
        if name[:1] in ("T", "E") and names.setdefault(name, number) != number:
            raise InputError(f"{place}: {name} is in line {names[name]} too. Number each differently.")
    places: dict[str, Fragments] = {
        name: [(int(start), int(end)) for start, end in map(str.split, match[3].split(";"))]
        for name, match in spans.items()
    }
    # Some tools count a line end of two characters as one; the texts of the spans tell whether they did.
    plain = text.replace("\r\n", "\n")
    said = [(match[4], places[name]) for name, match in spans.items()]
    texts = (text, plain) if plain != text else ()
    if [all(is_text_at(own, given, parts) for own, parts in said) for given in texts] == [False, True]:
        builder.note("Line ends of two characters that offsets count as one: {}.", len(text) - len(plain))
        text = plain
    if unit := find_unit(text, said):
        builder.note(_IN_OTHER_UNITS.format(unit=unit[0]), 1)
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
    found: dict[str, tuple[int, int, int]] = {}
    """For each span the place of its first character, and its numbers among those to relate and to link."""
    for name, match in spans.items():
        if name in left_out:
            continue
        place = f"{source.path}:{names[name]}: {name}"
        fragments = check_span(match[4], text, places[name], place, builder, trim=trim)
        if fragments is None:
            continue
        line_of = bisect_right(starts, fragments[0][0]) - 1
        atoms = [(start - starts[line_of], end - starts[line_of]) for start, end in fragments]
        given = (first + line_of, atoms, match[2], names[name])
        builder.span(*given)
        to_relate, to_link = (NONE if lists is None else lists.span(*given) for lists in (relations, links))
        found[name] = (fragments[0][0], to_relate, to_link)
    builder.refuse_faults()
    _read_brat_layers(source.path, builder, spans, others, found, left_out)
    builder.end_file()


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
        if span not in spans and not builder.asked.repair:
            raise InputError(f"{path}:{line}: there is no {span} in the file. Name a span or an event that is.")
        return found.get(span)

    def is_left_out(name: str) -> bool:
        return events.get(name, name) in left_out

    pairs: list[tuple[int, str, str, str, bool]] = []
    for number, match in others["R"]:
        if (match[2], match[4]) == ("Arg2", "Arg1"):
            raise InputError(f"{path}:{number}: Arg2 comes before Arg1. The first one is the head: exchange them.")
        pairs.append((number, match[1], match[3], match[5], False))
    for number, match in others["E"]:
        number_of(match[1], number)
        roles = [argument.partition(":") for argument in match[4].split()]
        # Of several arguments in one role the later ones have a number.
        pairs += [(number, role.rstrip("0123456789") or role, match[3], name, False) for role, _, name in roles]
        if match[3] in spans and spans[match[3]][2] != match[2]:
            builder.note("Events of another type than their trigger, whose type counts: {}.", 1)
    if events:
        builder.note("Events, taken as relations of their triggers to each argument, not as wholes: {}.", len(events))
    for number, match in others["*"]:
        members = match[2].split()
        # Pairs of the first in the text with each other one, both in the order of the line.
        places = [(number_of(name, number) or (0,))[0] for name in members]
        first = places.index(min(places))
        rest = [place for place in range(len(members)) if place != first]
        pairs += [(number, match[1], members[min(first, i)], members[max(first, i)], True) for i in rest]
    lost = 0
    for number, label, *arguments, symmetric in sorted(pairs, key=lambda pair: pair[0]):
        head, tail = (number_of(str(name), number) for name in arguments)
        if any(is_left_out(str(name)) for name in arguments):
            lost += 1
        elif head is None or tail is None:
            builder.repair(LOST, "dropped", f"{path}:{number}")
        else:
            builder.collector(relation_lists).relation(label, head[1], tail[1], number, symmetric=bool(symmetric))
    identifiers: dict[int, list[str]] = {}
    for number, match in others["N"]:
        if span := number_of(match[1], number):
            identifiers.setdefault(span[2], []).append(match[2])
        elif is_left_out(match[1]):
            lost += 1
        else:
            builder.repair(LOST, "dropped", f"{path}:{number}")
    for mention, names in identifiers.items():
        builder.collector(link_lists).link(mention, names)
    if lost:
        builder.note("Relations and links left out with the triggers of events: {}.", lost)


# --- JSON: from text to values ---


def looks_json(head: Sequence[str]) -> bool:
    """True if the file begins with an object, or with a list of them."""
    return _OPENING.match("\n".join(head[:50]).lstrip()) is not None


def decide_json(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
    """Spans, and the layers over them that the first lines show."""
    text = "\n".join(head)
    return {"layers": ["spans", *(name for name, keys in _OVER_SPANS.items() if keys.search(text))]}


def read_json(source: Source, builder: Builder, *, find: bool, trim: bool) -> None:
    """Read one file; `find` places mentions without offsets, `trim` takes white space off the ends of spans."""
    builder.begin_file(source.path)
    empty = True
    for line, value in _join_rows(json_values(source, _EXAMPLE)):
        empty = False
        _read_document(value, line, f"{source.path}:{line}", builder, find=find, trim=trim)
    if empty:
        raise InputError(f"{source.path}: no documents in it. A document is {_EXAMPLE}")
    builder.end_file()


def read_dicts(documents: Sequence[Any], name: str, builder: Builder) -> str:
    """Read documents given as dicts like those of a file; returns their text, to be hashed."""
    try:
        lines = [json.dumps(document, ensure_ascii=False) for document in documents]
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name}: data that JSON cannot contain ({error}). A document is {_EXAMPLE}") from None
    builder.begin_file(name)
    for number, value in _join_rows(enumerate(map(json.loads, lines), 1)):
        _read_document(value, number, f"{name}, document {number}", builder)
    builder.end_file()
    return "\n".join(lines)


def json_values(source: Source, example: str, noun: str = "document") -> Iterator[tuple[int, Any]]:
    """The documents with the line in which each begins: one per line, or spread over lines, or a list of them."""
    lines = (line for batch in source.batches() for line in batch.lines() if line[1].strip())
    return values_in(lines, source.path, example, noun)


def values_in(lines: Iterator[tuple[int, str]], path: str, example: str, noun: str) -> Iterator[tuple[int, Any]]:
    """The values of JSON with the line in which each begins, from lines that are not blank.

    Text that is not JSON stops with an error, which shows an example of what the noun names.
    """
    first = [*islice(lines, 2)]
    number = 1
    try:
        if first and first[0][1].lstrip().startswith("{") and any(json_object(line) is not None for _, line in first):
            for number, line in chain(first, lines):
                yield number, json.loads(line)
            return
        rows = [*first, *lines]
        text = "\n".join(line for _, line in rows)
        starts = [*accumulate((len(line) + 1 for _, line in rows), initial=0)]
        position = 0
        try:
            for position, value in _decode(text):
                yield rows[bisect_right(starts, position) - 1][0], value
        except (ValueError, RecursionError) as error:
            number = rows[bisect_right(starts, getattr(error, "pos", position)) - 1][0]
            raise
    except (ValueError, RecursionError) as error:
        fault = f"not JSON for {noun}s: nested too deeply, or a number too long."
        if isinstance(error, json.JSONDecodeError):
            fault = f"not JSON ({error.msg}, at character {error.colno} of the line). A {noun} is {example}"
        raise InputError(f"{path}:{number}: {fault}") from None


def json_object(line: str) -> dict[str, Any] | None:
    """The object that a line of JSON is; None if it is something else."""
    with suppress(ValueError, RecursionError):
        value = json.loads(line) if line.lstrip().startswith("{") else None
        return value if isinstance(value, dict) else None
    return None


def first_object(head: Sequence[str]) -> dict[str, Any]:
    """The object in the first line that is not blank; empty if there is none."""
    return json_object(next((line for line in head if line.strip()), "")) or {}


def _decode(text: str) -> Iterator[tuple[int, Any]]:
    """The values of a text, one after the other or in a list with commas, and the place where each begins."""
    decode, blanks = json.JSONDecoder().raw_decode, re.compile(r"\s*+")

    def skip_blanks(position: int) -> int:
        match = blanks.match(text, position)
        return match.end() if match else position

    position = skip_blanks(0)
    is_list = text.startswith("[", position)
    position = skip_blanks(position + is_list)
    while position < len(text) and not (is_list and text[position] == "]"):
        value, end = decode(text, position)
        yield position, value
        position = skip_blanks(end)
        if is_list and text.startswith(",", position):
            position = skip_blanks(position + 1)
        elif is_list and not text.startswith("]", position):
            raise json.JSONDecodeError("Expecting ',' or ']'", text, position)
    if is_list and skip_blanks(position + 1) < len(text):
        raise json.JSONDecodeError("Extra data", text, position + 1)


# --- JSON: documents ---


def _read_document(
    value: Any, line: int, place: str, builder: Builder, *, find: bool = False, trim: bool = False
) -> None:
    """Hand a document's words or text to the builder, and its spans."""
    if not isinstance(value, dict):
        raise InputError(f"{place}: {quote(value)}, but a document is expected. It is {_EXAMPLE}")
    said = value.get("answer", "accept")
    if said in ("reject", "ignore"):
        raise InputError(f"{place}: the answer is {said!r}, so its spans do not count. Leave it out.")
    if said != "accept":
        raise InputError(
            f"{place}: the answer is {quote(said)}. If that is what a language model said of gold's text: "
            "--input-format answers"
        )
    data = value.get("data")
    text = value.get("text", data)
    if isinstance(data, dict):
        # A task of Label Studio has a text, or a single string under another name.
        strings = [key for key, given in data.items() if isinstance(given, str) and key not in IDS]
        if "text" not in data and len(strings) > 1:
            raise InputError(f"{place}: the text may be in {', '.join(strings)} of data. Call it text.")
        text = data.get("text" if "text" in data or not strings else strings[0])
    if text is not None:
        text = check_string(text, f"{place}: the text")
    # The tokens, where these are the atoms, and their characters, where spans are given by these nevertheless.
    tokens, bounds = _tokens(value["tokens"], text, place) if value.get("tokens") is not None else (None, None)
    if text is None and tokens is None:
        raise InputError(f"{place}: a document without text or tokens. It is {_EXAMPLE}")
    # A task's own id comes before the number of the tool; several tasks may be parts of one doc_id.
    own = {key: data[key] for key in ("id", "uuid") if data.get(key)} if isinstance(data, dict) else {}
    name = _id(own, place) or _id(value, place)
    if isinstance(data, dict):
        chosen = builder.whose.choose(place, list(_annotations(value)))
        if isinstance(chosen, str):
            builder.leave_out(name or "", chosen)
            return
        spans, relations, others = _results(chosen.content)
    else:
        lists = {key: value[key] for key in _SPANS if isinstance(value.get(key), list)}
        if not lists:
            raise InputError(
                f"{place}: no list of spans among {', '.join(value)}. "
                'Call it "spans", and give [] if there are none.'
            )
        filled = [key for key, given in lists.items() if given]
        if len(filled) > 1:
            raise InputError(f"{place}: spans in {' and in '.join(filled)}. Leave one of them.")
        spans, relations, others = lists[filled[0]] if filled else [], value.get("relations"), 0
    if relations is not None and not isinstance(relations, list):
        raise InputError(f"{place}: relations are {quote(relations)}, but a list is expected.")
    if builder.sentence:
        check_ids(name is not None, bool(builder.ids), place)
    if builder.sentence and bool(builder.texts) != (tokens is None):
        this, before = ("no tokens", "them") if tokens is None else ("tokens", "none")
        raise InputError(
            f"{place}: has {this}, but those before it have {before}. "
            "The spans of a file count either tokens or characters."
        )
    if name is not None:
        builder.identify(name, place)
    else:
        builder.document(str(line), builder.sentence)
    if tokens is None:
        builder.text(text or "", line)
    else:
        forms = tokens or [""]
        builder.add(forms, [builder.words + len(forms)], [line])
    if others:
        builder.note("Annotations that are not spans, and were not read: {}.", others)
    placed: list[tuple[str, Fragments]] = []
    """The texts of spans that have one and a place."""
    for item in spans if text is not None else ():
        if isinstance(item, dict) and isinstance(item.get("text"), str):
            start, end = (item.get(_first_of(keys, item) or "") for keys in (_STARTS, _ENDS))
            if isinstance(start, int) and isinstance(end, int):
                placed.append((item["text"], [(start, end)]))
    unit = find_unit(text, placed) if text is not None else None
    if unit:
        builder.note(_IN_OTHER_UNITS.format(unit=unit[0]), 1)
    document = _Document(builder, line, place, text, tokens, bounds, find, trim, unit[1] if unit else None)
    document.read_spans(spans, related=bool(relations))
    if relations:
        document.read_relations(relations)


@dataclass(frozen=True)
class _Document:
    """A document of JSON whose words or text the builder has already."""

    builder: Builder
    line: int
    place: str
    text: str | None
    tokens: list[str] | None
    bounds: list[tuple[int, int]] | None
    find: bool
    trim: bool
    table: dict[int, int] | None = None
    """The characters at which offsets lie that count other units."""
    taken: set[tuple[int, int]] = field(default_factory=set)
    """The places of spans so far."""
    numbers: list[list[int]] = field(default_factory=list)
    """The numbers of each span among those to relate, one for each of its labels …"""
    by_id: dict[str | int, list[int]] = field(default_factory=dict)
    """… the same by ids …"""
    by_place: dict[Stretches, dict[str, int]] = field(default_factory=dict)
    """… and by places and labels."""

    def read_spans(self, spans: list[Any], *, related: bool) -> None:
        """Hand the spans to the builder, with their identifiers; `related`: remember them for relations."""
        relations = self.builder.over_spans(relation_lists, wanted=related)
        linked = any(_link_keys(item) for item in spans if isinstance(item, dict))
        links = self.builder.over_spans(link_lists, wanted=linked)
        for number, item in enumerate(spans, 1):
            here = f"{self.place}: span {number}"
            labels, fragments = self._atoms(item, here)
            known = item if isinstance(item, dict) else {}
            self.numbers.append([])
            score = self._score(known)
            for label in labels if fragments else ():
                given = (self.builder.sentence - 1, fragments, label, self.line, score)
                self.builder.span(*given)
                if links is not None:
                    mention = links.span(*given)
                    if _link_keys(known):
                        links.link(mention, *_identifiers(known, here))
                if relations is not None:
                    self.numbers[-1].append(relations.span(*given))
                    self.by_place.setdefault(merge_stretches(fragments), {})[label] = self.numbers[-1][-1]
            name = known.get("id")
            if isinstance(name, str | int) and self.by_id.setdefault(name, self.numbers[-1]) is not self.numbers[-1]:
                raise InputError(f"{here}: has the id {quote(name)} of another span. Give each its own.")

    @cached_property
    def numbered(self) -> bool:
        """True if ids of spans are numbers, so that a number is an id and no place in the list."""
        return any(type(name) is int for name in self.by_id)

    def _atoms(self, item: Any, here: str) -> tuple[list[str], Fragments]:
        """The labels of a span, and its stretches of atoms; none if it is dropped."""
        text, tokens = self.text, self.tokens
        labels, fragments, said, mention = _span(item, here)
        if fragments is None:
            fragments = [_find(mention.strip() if self.find else "", text, self.taken, here)]
            self.builder.note("Mentions without offsets that were placed where they next occur in the text: {}.", 1)
        self.taken.update(fragments)
        if tokens is not None and self.bounds is None:
            check_bounds(fragments, len(tokens), "tokens", here)
            found = [token for start, end in fragments for token in tokens[start:end]]
            if said is not None and "".join(said.split()) != "".join("".join(found).split()):
                raise InputError(
                    f"{here}: says {quote_text(said)}, but the tokens are {quote_text(' '.join(found))}. "
                    f"{COUNTED['tokens']}"
                )
        elif text is not None:
            if self.table is not None:
                fragments = convert_fragments(fragments, self.table) or fragments
            # Label Studio writes a line break as a backslash and an n.
            own = said if said is None or said in text else said.replace("\\n", "\n")
            fragments = check_span(own, text, fragments, here, self.builder, trim=self.trim) or ()
        if self.bounds is not None:
            # Stretches of characters as stretches of tokens.
            starts = {start: number for number, (start, _) in enumerate(self.bounds)}
            ends = {end: number for number, (_, end) in enumerate(self.bounds, 1)}
            for start, end in fragments:
                for at, known, verb in ((start, starts, "begins"), (end, ends, "ends")):
                    if at not in known:
                        inside = (f"inside the token {a}-{b}" for a, b in self.bounds if a < at < b)
                        cut = next(inside, f"where no token {verb}")
                        raise InputError(f"{here}: {start}-{end} {verb} {cut}. Spans consist of whole tokens.")
            fragments = [(starts[start], ends[end]) for start, end in fragments]
        return labels, fragments

    def _score(self, mark: dict[str, Any]) -> float:
        """How sure the file is of a span or relation; nan if it does not say, or not in a number."""
        value = next((mark[key] for key in CONFIDENCES if mark.get(key) is not None), None)
        if value is None:
            return math.nan
        if is_number(value):
            return float(value)
        self.builder.note("Confidences that are not numbers, and were not read: {}.", 1)
        return math.nan

    def read_relations(self, given: list[Any]) -> None:
        """Hand the relations to the builder."""
        lists = self.builder.collector(relation_lists)
        for number, item in enumerate(given, 1):
            here = f"{self.place}: relation {number}"
            if not isinstance(item, dict):
                raise InputError(
                    f'{here} is {quote(item)}. A relation is {{"label": "in", "head": 0, "tail": 1}}: its head and '
                    "tail are ids of spans, or their places in the list, from 0."
                )
            name = _first_of(("label", "type", "labels"), item)
            if name is None:
                raise InputError(f"{here}: no label among {', '.join(item)}. Give it as label or type.")
            head, tail = (self._argument(item, keys, f"{here}: its {keys[0]}") for keys in (_HEADS, _TAILS))
            if head is None or tail is None:
                # Faults that are not to be repaired are refused at the end.
                if self.builder.asked.repair:
                    self.builder.repair(LOST, "dropped", here)
                continue
            for label in _as_list(item[name]):
                named = check_label(label, here, "relation")
                symmetric, score = item.get("symmetric") is True, self._score(item)
                lists.relation(named, head, tail, self.line, symmetric=symmetric, score=score)

    def _argument(self, relation: dict[str, Any], keys: Sequence[str], here: str) -> int | None:
        """The number of the span that a relation names by id, place in the list of spans, or offsets.

        None for a span that is dropped.
        """
        key = _first_of(keys, relation)
        if key is None:
            raise InputError(f"{here} is missing among {', '.join(relation)}. Give it as {', '.join(keys)}.")
        value = relation[key]
        if isinstance(beside := relation.get(_PLACES.get(key, "")), dict):
            value = beside
        found: list[int] = []
        if isinstance(value, dict):
            if all(_first_of(keys, value) is None for keys in (_STARTS, ("fragments",))):
                raise InputError(f"{here} is {quote(value)}, which has no start. Give it and the end, or an id.")
            unlabelled = _first_of(_LABELS, value) is None
            labels, fragments = self._atoms({**value, "label": "?"} if unlabelled else value, here)
            if not fragments:
                return None
            there = self.by_place.setdefault(merge_stretches(fragments), {})
            found = list(there.values()) if unlabelled else [there[label] for label in labels if label in there]
            if not found:
                label = "" if unlabelled else labels[0]
                lists = self.builder.collector(relation_lists)
                there[label] = lists.span(self.builder.sentence - 1, fragments, label, self.line)
                found = [there[label]]
                self.builder.note("Arguments of relations that are not among the spans: {}.", 1)
        elif isinstance(value, str) or (type(value) is int and self.numbered):
            if value not in self.by_id and self.builder.asked.repair:
                return None
            if value not in self.by_id:
                raise InputError(f"{here} is {quote(value)}, which is the id of no span. Name a span that is listed.")
            found = self.by_id[value]
        elif type(value) is int:
            if not 0 <= value < len(self.numbers):
                raise InputError(
                    f"{here} is {value}, but there are {len(self.numbers)} spans. Count from 0, or give ids."
                )
            found = self.numbers[value]
        else:
            raise InputError(f"{here} is {quote(value)}. Give a span's id, its place in the list, or its offsets.")
        if len(found) > 1:
            raise InputError(f"{here} may be each of {len(found)} spans. Give these one label each, and name one.")
        return found[0] if found else None


def _link_keys(span: dict[str, Any]) -> list[str]:
    """The keys under which a span has identifiers."""
    return [key for key in ("link", "links", "kb_id") if span.get(key) not in (None, "")]


def _identifiers(span: dict[str, Any], here: str) -> tuple[list[str], list[float]]:
    """Identifiers of a span that has some, best first, and their scores; no scores if none has one."""
    keys = _link_keys(span)
    if len(keys) > 1:
        raise InputError(f"{here}: identifiers in {' and in '.join(keys)}. Leave one of them.")
    candidates = span[keys[0]]
    names, scores = [], []
    for candidate in candidates if isinstance(candidates, list) else [candidates]:
        fields = candidate if isinstance(candidate, dict) else {"id": candidate}
        name, score = fields.get("id"), fields.get("score")
        name = check_string(name, f"{here}: an identifier")
        if name.split() != [name]:
            raise InputError(
                f"{here}: the identifier {quote_text(name)} is empty or has blanks in it. Take them out."
            )
        expect(score is None or is_number(score), f"{here}: the score of {name}", score, "a number")
        names.append(name)
        scores.append(math.nan if score is None else float(score))
    if not names:
        # An empty list of candidates: nothing that is known.
        return [NIL], []
    return names, [] if all(map(math.isnan, scores)) else scores


def is_number(value: Any) -> bool:
    """True if a value of JSON is a number that is not too large."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def expect(fits: bool, what: str, value: Any, noun: str) -> None:
    """Stop with an error if a value of JSON does not fit; `what`: its place and name, `noun`: what is wanted."""
    if not fits:
        raise InputError(f"{what} is {quote(value)}, but {noun} is expected.")


def check_string(value: Any, what: str) -> str:
    """A string without halves of characters; other values stop with an error."""
    expect(isinstance(value, str), what, value, "a string")
    if not is_text(value):
        raise InputError(f"{what} has half a character (a lone surrogate) in it. Write the file as UTF-8.")
    return str(value)


def is_text(value: str) -> bool:
    """True if a string contains no half of a character (a lone surrogate)."""
    try:
        return value.isascii() or bool(value.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def check_ids(has_id: bool, before: bool, place: str) -> None:
    """Stop with an error if a document has an id and those before it have none, or the other way round."""
    if has_id != before:
        this, others = ("an", "none") if has_id else ("no", "one")
        raise InputError(f"{place}: has {this} id, but those before it have {others}. Give all one, or none.")


def _id(document: dict[str, Any], place: str) -> str | None:
    meta = document.get("meta")
    ids = [document.get(key) for key in IDS] + [meta.get("id") if isinstance(meta, dict) else None]
    value = next((value for value in ids if value is not None), None)
    if value is None or type(value) is int:
        return None if value is None else str(value)
    if not check_string(value, f"{place}: the id").strip():
        raise InputError(f"{place}: the id is empty. Give each document its own, or none an id.")
    return str(value)


def _annotations(task: dict[str, Any]) -> Iterator[Annotation]:
    """The annotations and predictions of a task of Label Studio; `completions` is an old name of annotations."""
    for key in ("annotations", "completions", "predictions"):
        for annotation in task[key] if isinstance(task.get(key), list) else ():
            if isinstance(annotation, dict):
                who = annotation.get("model_version") if key == "predictions" else annotation.get("completed_by")
                if isinstance(who, dict):
                    who = who.get("email") or who.get("id")
                skipped = annotation.get("was_cancelled") or annotation.get("skipped")
                yield Annotation(
                    name="" if who is None else str(who),
                    content=annotation,
                    is_model=key == "predictions",
                    status=SKIPPED if skipped else "",
                    is_truth=bool(annotation.get("ground_truth")),
                    time=str(annotation.get("updated_at") or annotation.get("created_at") or ""),
                )


def _results(annotation: dict[str, Any]) -> tuple[list[Any], list[Any] | None, int]:
    """The spans of an annotation of Label Studio, its relations, and the number of its other results."""
    results = annotation.get("result")
    results = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
    spans = [
        {"score": one.get("score"), **one["value"], "id": one.get("id")}
        if isinstance(one.get("value"), dict)
        else one.get("value")
        for one in results
        if one.get("type", "labels") == "labels"
    ]
    relations = []
    for result in results:
        if result.get("type") == "relation":
            direction, ends = result.get("direction"), (result.get("from_id"), result.get("to_id"))
            head, tail = ends[::-1] if direction == "left" else ends
            label = result.get("labels") or ""
            whole = {"label": label, "symmetric": direction == "bi", "head": head, "tail": tail}
            relations.append({**whole, "score": result.get("score")})
    return spans, relations or None, len(results) - len(spans) - len(relations)


def _join_rows(values: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """The documents, those of Label Studio's JSON-MIN as tasks: there, each annotation of a task is a row."""
    tasks: dict[str, tuple[int, dict[str, Any]]] = {}
    for line, value in values:
        if not isinstance(value, dict) or not {"annotator", "annotation_id"} <= value.keys():
            yield line, value
            continue
        data = {key: cell for key, cell in value.items() if not isinstance(cell, list | dict) and key not in _OF_ROW}
        spans = [span for cell in value.values() if isinstance(cell, list) for span in cell if isinstance(span, dict)]
        entry = {"completed_by": value["annotator"], "updated_at": value.get("updated_at")}
        entry["result"] = [{"value": span} for span in spans]
        name = quote(value.get("id")) if value.get("id") is not None else str(len(tasks))
        task = tasks.setdefault(name, (line, {"id": value.get("id"), "data": data, "annotations": []}))
        task[1]["annotations"].append(entry)
    yield from tasks.values()


def _tokens(given: Any, text: str | None, place: str) -> tuple[list[str], list[tuple[int, int]] | None]:
    """The tokens and, if these are given, their places in the text."""
    if not isinstance(given, list) or {*map(type, given)} not in (set(), {str}, {dict}):
        raise InputError(f'{place}: tokens should be a list of strings, or of {{"start": 0, "end": 5}}.')
    bounds = None
    placed = any(isinstance(token, dict) and "start" in token for token in given)
    if placed or (text is not None and not given):
        bounds = [_pair(token.get("start"), token.get("end"), f"{place}: token {i}") for i, token in enumerate(given)]
        size = len(text) if text is not None else max((end for _, end in bounds), default=0)
        check_bounds(bounds, size, "characters", f"{place}: its tokens", "token")
    elif text is not None:
        raise InputError(
            f"{place}: a text and tokens without offsets, so it is unclear what spans count. "
            'Leave out one of them, or give tokens as {"start": 0, "end": 5}.'
        )
    forms = []
    for number, token in enumerate(given):
        here = f"{place}: token {number}"
        said = token if isinstance(token, str) else token.get("text")
        if text is not None and bounds is not None:
            if isinstance(said, str):
                check_text(said, text, [bounds[number]], here)
            forms.append(text[slice(*bounds[number])])
        else:
            forms.append(check_string(said, f"{here}: its text"))
            if not said:
                raise InputError(f"{here} is empty. Leave it out, and count without it.")
    return forms, bounds


def _pair(start: Any, end: Any, place: str) -> tuple[int, int]:
    for name, value in (("start", start), ("end", end)):
        expect(type(value) is int, f"{place}: {name}", value, "a whole number")
    return start, end


# --- JSON: spans ---


def _span(item: Any, place: str) -> tuple[list[str], Fragments | None, str | None, str]:
    """Labels of a span, its place (None without one), its text, and the string to look for if it has no place."""
    if isinstance(item, list) and len(item) == 3:
        return [check_label(item[2], place)], [_pair(item[0], item[1], place)], None, ""
    if not isinstance(item, dict):
        raise InputError(
            f"{place} is {quote(item)}, but a span is expected: "
            '{"start": 0, "end": 5, "label": "PER"} or [0, 5, "PER"]. Tags of tokens belong in columns.'
        )
    name = _first_of(_LABELS, item)
    if name is None:
        raise InputError(f"{place}: no label among {', '.join(item)}. Give it as {', '.join(_LABELS[:5])}.")
    if name == "entity" and "index" in item:
        raise InputError(
            f"{place}: the tag of a piece of a word, not a span. "
            'Put the pieces together: pipeline(…, aggregation_strategy="simple").'
        )
    fragments: Fragments | None = None
    parts, start, end = item.get("fragments"), _first_of(_STARTS, item), _first_of(_ENDS, item)
    if parts is not None:
        if not isinstance(parts, list) or not parts or not all(isinstance(p, list) and len(p) == 2 for p in parts):
            raise InputError(f"{place}: fragments should be a list of pairs: [[0, 5], [16, 23]].")
        fragments = [_pair(first, behind, place) for first, behind in parts]
    elif start is not None or end is not None:
        fragments = [_pair(item.get(start or "start"), item.get(end or "end"), place)]
    mention = next((item[key] for key in _MENTIONS if key != name and isinstance(item.get(key), str)), "")
    said = item["text"] if isinstance(item.get("text"), str) else None
    return [check_label(label, place) for label in _as_list(item[name])], fragments, said, mention


def _as_list(value: Any) -> list[Any]:
    """A list with members, or the value as the only member of one."""
    return value if isinstance(value, list) and value else [value]


def _first_of(keys: Sequence[str], item: dict[str, Any]) -> str | None:
    """The first of these keys that has a value."""
    return next((key for key in keys if item.get(key) is not None), None)


def check_label(value: Any, place: str, of: str = "span") -> str:
    """A label as text; other values stop with an error."""
    if type(value) is int:
        return str(value)
    label = check_string(value, f"{place}: the label")
    if not label.strip():
        raise InputError(f"{place}: the label is empty. Give one, or take the {of} away.")
    if any(mark in label for mark in "\t\r\n"):
        raise InputError(f"{place}: the label {label!r} has a tab or a line break in it. Take it out.")
    return label


def _find(mention: str, text: str | None, taken: set[tuple[int, int]], place: str) -> tuple[int, int]:
    """The next occurrence of a mention that has no offsets, as whole words or, if nowhere so, within words."""
    if not mention or text is None:
        raise InputError(
            f"{place}: no start and end. Give them. If the text of the span is given, assay can look for it: "
     '--input-format "jsonl(find=true)"'
        )
    pattern = r"\s+".join(map(re.escape, mention.split()))
    whole = [match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text)]
    occurrences = whole or [match.span() for match in re.finditer(pattern, text)]
    # One that lies within no span placed before, if there is one: "Paris" after "Paris Hilton" is another place.
    apart = [one for one in occurrences if not any(one[0] < end and begin < one[1] for begin, end in taken)]
    free = next((occurrence for occurrence in (*apart, *occurrences) if occurrence not in taken), None)
    if free is None:
        how = "is given more often than it occurs in the text" if occurrences else "does not occur in the text"
        raise InputError(
            f"{place}: {quote_text(mention)} {how}. A mention is given as it is spelt, once for each place."
        )
    return free


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
    builder.begin_file(source.path)
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
            "Take away this line, or put a blank line between two sentences."
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
    builder.end_file()


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
        raise InputError(f"{place}: {fact}. Are they divided by tabs?")
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
