"""Documents of biomedical text mining: PubTator, and BioC in XML and JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, groupby
from typing import Any

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.documents import Document, add_document
from assay.formats.jsontext import check_string, expect, json_values, quote
from assay.formats.offsets import AUTO, UNITS, agreeing_spans, is_text_at, measure, quote_text
from assay.formats.source import Source, XmlStream
from assay.formats.whose import Annotation

_TITLE = re.compile(r"([^|\t]+)\|([ta])\|(.*)")
_NUMBER = re.compile(r"[0-9]{1,9}")
_NO_LINK = frozenset({"", "-", "-1"})
"""What annotators write for a mention of something without an identifier."""
_PUBTATOR = (
    "A document is ID|t|title, ID|a|abstract, then lines of cells separated by tabs: ID, start, end, text, type and "
    "identifier of a mention, or ID, type and two identifiers of a relation."
)
_BIOC = '{"id": "1", "passages": [{"offset": 0, "text": "…", "annotations": []}]}'
_BIOC_JSON = re.compile(r'"passages"\s*:\s*\[')
_BIOC_XML = re.compile(r"<collection\b[^>]*>.*<document\b", re.DOTALL)
_LISTED = frozenset({"document", "passage", "sentence", "annotation", "relation", "location", "node"})
"""Elements of BioC that are in lists, whose names have an s in JSON."""
_WIDEST = 1_000_000
"""No gap between passages has more characters than this."""


# --- PubTator ---


def looks_pubtator(head: Sequence[str]) -> bool:
    """True if the first line is the title of a document."""
    match = _TITLE.fullmatch(next((line for line in head if line.strip()), ""))
    return match is not None and match[2] == "t"


def decide_pubtator(head: Sequence[str], *_: object) -> dict[str, Any]:
    """Spans, and the layers over them that the first lines show."""
    rows = [line.split("\t") for line in head]
    linked = any(len(row) > 5 and row[5] not in _NO_LINK for row in rows)
    related = any(len(row) > 3 and not _NUMBER.fullmatch(row[1]) for row in rows)
    return {"layers": ["spans", *["relations"] * related, *["links"] * linked]}


def read_pubtator(source: Source, builder: Builder, *, offsets: str) -> None:
    """Read one file; a relation is a fact between two entities, each all mentions with one identifier."""
    for name, lines in groupby(source.lines(), lambda row: re.split(r"[|\t]", row[1])[0] if row[1].strip() else None):
        if name is not None:
            add_document(_pubtator_document([*lines], source.path), builder, offsets=offsets)


def _pubtator_document(lines: Sequence[tuple[int, str]], path: str) -> Document:
    """The document of these lines, which begin with its id."""
    parts: dict[str, str] = {}
    spans: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = []
    unread = Counter[str]()
    for number, line in lines:
        match, cells = _TITLE.fullmatch(line), line.rstrip("\t").split("\t")
        if match and match[2] not in parts and (match[2] == "t" or "t" in parts):
            parts[match[2]] = match[3]
            continue
        is_span = len(cells) in (5, 6, 7) and all(map(_NUMBER.fullmatch, cells[1:3]))
        if "t" not in parts or not (is_span or len(cells) in (4, 5)):
            raise InputError(f"{path}:{number}: {quote_text(line)} is not expected here. {_PUBTATOR}")
        if is_span:
            link = "".join(cells[5:6]).strip()
            spans.append({"start": int(cells[1]), "end": int(cells[2]), "text": cells[3], "label": cells[4]})
            spans[-1] |= {} if link in _NO_LINK else {"link": link}
        else:
            relations.append({"label": cells[1], "head": cells[2], "tail": cells[3]})
        if len(cells) in (5, 7) and not (is_span and len(cells) == 5):
            unread["Texts of the parts of a mention" if is_span else "Fifth cells of relations"] += 1
    spans.sort(key=lambda span: (span["start"], span["end"]))
    entities: dict[str, list[int]] = {}
    for place, span in enumerate(spans):
        if relations and "link" in span:
            entities.setdefault(span["link"], []).append(place)
    annotation = Annotation(None, spans, relations, unread=unread, entities=entities)
    number, line = lines[0]
    name, text = line.partition("|")[0], "\n".join(parts.values())
    return Document(number, f"{path}:{number}", [annotation], name, text, shape="PubTator")


# --- BioC ---


def looks_bioc(head: Sequence[str]) -> bool:
    """True if the first lines are a collection of documents in XML, or have passages with infons in JSON."""
    text = "\n".join(head)
    if text.lstrip().startswith("<"):
        return _BIOC_XML.search(text) is not None
    return '"infons"' in text and '"offset"' in text and _BIOC_JSON.search(text) is not None


def decide_bioc(head: Sequence[str], *_: object) -> dict[str, Any]:
    """Spans, and the layers over them that the first lines show."""
    text = "\n".join(head)
    layers = {
        "relations": r'<relation\b|"relations"\s*:\s*\[\s*\{',
        "links": r'key="identifier"|"identifier"\s*:\s*"',
    }
    return {"layers": ["spans", *(name for name, pattern in layers.items() if re.search(pattern, text))]}


def read_bioc(source: Source, builder: Builder, *, offsets: str) -> None:
    """Read one file."""
    if "\n".join(source.head()).lstrip().startswith("<"):
        _read_bioc_xml(source, builder, offsets)
    else:
        for line, value in json_values(source, _BIOC):
            fields = value if isinstance(value, dict) else {}
            for document in fields.get("documents", fields.get("PubTator3", [value])):
                _add_bioc_document(document, line, source.path, builder, offsets)


def _read_bioc_xml(source: Source, builder: Builder, offsets: str) -> None:
    """Read XML: each document as the object that it is in JSON."""
    stack: list[dict[str, Any]] = [{}]
    texts: list[str] = []
    lines: list[int] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        numbers = {key: _number(value) for key, value in attributes.items() if key in ("offset", "length")}
        stack.append({**attributes, **numbers})
        texts.clear()
        if name == "document":
            lines.append(stream.line)

    def end(name: str) -> None:
        value, text = stack.pop(), "".join(texts)
        texts.clear()
        if name == "document":
            _add_bioc_document(value, lines.pop(), source.path, builder, offsets)
        elif name in _LISTED:
            stack[-1].setdefault(f"{name}s", []).append(value)
        elif name == "infon":
            stack[-1].setdefault("infons", {})[value.get("key", "")] = text
        elif stack:
            stack[-1][name] = _number(text) if name == "offset" else text

    stream = XmlStream(source, start, end, texts.append)
    stream.read()


def _number(text: str) -> int | str:
    return int(text) if _NUMBER.fullmatch(text.strip()) else text


def _add_bioc_document(value: Any, line: int, path: str, builder: Builder, offsets: str) -> None:
    """Hand a document to the builder: passages at their offsets, and the annotations in these and in sentences."""
    place = f"{path}:{line}"
    expect(isinstance(value, dict) and isinstance(value.get("passages", []), list), place, value, _BIOC)
    name = value.get("id")
    name = str(name) if isinstance(name, int) else check_string(name or "", f"{place}: the id").strip() or None
    place = f"{place}: {quote(name)}" if name else place
    passages = _members(value, "passages", place)
    parts = [value, *passages, *(part for one in passages for part in _members(one, "sentences", place))]
    relations, unread = [], 0
    for relation in (one for part in parts for one in _members(part, "relations", place)):
        nodes = [node.get("refid") for node in _members(relation, "nodes", place)]
        if len(nodes) == 2:
            relations.append({"label": _infons(relation).get("type"), "head": nodes[0], "tail": nodes[1]})
        unread += len(nodes) != 2
    spans: list[dict[str, Any]] = []
    for number, mark in enumerate((one for part in parts for one in _members(part, "annotations", place)), 1):
        infons, here = _infons(mark), f"{place}: annotation {number}"
        fragments = []
        for location in _members(mark, "locations", here):
            place_and_size = [location.get("offset"), location.get("length")]
            fits = [*map(type, place_and_size)] == [int, int]
            expect(fits, here, location, "a location with offset and length")
            fragments.append([*accumulate(place_and_size)])
        spans.append({"fragments": fragments, "label": infons.get("type"), "text": mark.get("text")})
        if (link := infons.get("identifier")) not in (None, *_NO_LINK):
            spans[-1]["link"] = link
        if relations:
            # Ids of annotations that nothing names may be given twice.
            spans[-1]["id"] = mark.get("id")
    pieces = []
    for passage in passages:
        for part in [passage] if passage.get("text") is not None else _members(passage, "sentences", place):
            expect(
                type(part.get("offset")) is int, f"{place}: the offset of a passage", part.get("offset"), "a number"
            )
            pieces.append((part["offset"], check_string(part.get("text") or "", f"{place}: the text of a passage")))
    text = _join_passages(pieces, spans, place, offsets)
    others = {"Relations that do not join two annotations": unread} if unread else {}
    annotation = Annotation(None, spans, relations, unread=others)
    document = Document(line, place, [annotation], name, text, metadata=_infons(value), shape="BioC")
    add_document(document, builder, offsets=offsets)


def _members(value: Mapping[str, Any], key: str, place: str) -> list[dict[str, Any]]:
    """The objects of a list; nothing if there is none."""
    members = value.get(key) or []
    fits = isinstance(members, list) and all(isinstance(member, dict) for member in members)
    expect(fits, f"{place}: {key}", members, "a list of objects")
    return list(members)


def _infons(value: Mapping[str, Any]) -> dict[str, Any]:
    infons = value.get("infons")
    return infons if isinstance(infons, dict) else {}


def _join_passages(
    pieces: Sequence[tuple[int, str]], spans: Sequence[Mapping[str, Any]], place: str, offsets: str
) -> str:
    """The text of a document with its passages at their offsets; gaps are filled with a line break and blanks.

    What offsets count is asked for, or the first unit in which most spans agree with their texts.
    """
    given = ((span["text"], span["fragments"]) for span in spans)
    said = [(text, fragments) for text, fragments in given if isinstance(text, str) and fragments]
    best = (-1, "")
    for unit in UNITS[1:] if offsets == AUTO else (offsets,):
        text = ""
        for offset, piece in pieces:
            gap = offset - measure(text, unit)
            if not 0 <= gap <= _WIDEST:
                fact = f"the passage {quote_text(piece)} has the offset {offset:,}, but {offset - gap:,} characters"
                if offsets != AUTO or unit == UNITS[1]:
                    raise InputError(f"{place}: {fact} are before it. Passages follow the order of their offsets.")
                break
            text += ("\n" + " " * (gap - 1) if gap else "") + piece
        else:
            if offsets != AUTO or text.isascii() or all(is_text_at(own, text, parts) for own, parts in said):
                return text
            best = max(best, (len(agreeing_spans(text, said, unit)), text), key=lambda row: row[0])
    return best[1]
