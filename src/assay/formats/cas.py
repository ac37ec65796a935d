"""UIMA CAS as XMI or JSON: annotations of types, which are the layers; offsets count UTF-16 units.

Types are told by namespaces or names, so that no type system is needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.jsontext import is_text
from assay.formats.layered import LayeredDocument, Mark, add_layers, asks_for
from assay.formats.offsets import find_unit
from assay.formats.source import Source, XmlStream

_XMI, _JSON = "http://www.omg.org/XMI", ("%TYPES", "%FEATURE_STRUCTURES")
_SOFA, _TOKEN, _SENTENCE = "uima.cas.Sofa", "Token", "Sentence"
_ABOUT_DOCUMENT = ("DocumentAnnotation", "DocumentMetaData")
_NO_LAYERS = (*_ABOUT_DOCUMENT, _TOKEN, _SENTENCE, "CASMetadata", "TagsetDescription")
"""Types by the last part of their names that are about words, sentences or the whole document."""
_ENDS = (("Governor", "Dependent"), ("governor", "dependent"), ("source", "target"))
"""The features of a relation that refer to its head and tail."""
_OWN = {"begin", "end", "sofa", "first", "next", *(name for pair in _ENDS for name in pair)}
_CHAINS = ("Chain", "CoreferenceLink")
"""Layers whose names end so are read as chains: by the type of chains, or DKPro's type of mentions."""
_METADATA = ("language", "documentTitle", "collectionId")
_Element = tuple[str, dict[str, str], int]
"""The type of an element, its features, and its line."""


def looks_cas(head: Sequence[str]) -> bool:
    """True for XMI with a text, and for JSON with feature structures."""
    text = "\n".join(head)
    return (_XMI in text and "xmi:XMI" in text) or any(f'"{key}"' in text[:4_000] for key in _JSON)


def decide_cas(head: Sequence[str], path: str, given: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    """Mentions if a layer of chains is asked for; else spans, or tags if a task asks for them."""
    return {"layers": ("mentions" if _name_chains("+".join(wanted)) else "spans",), "on_request": tuple(wanted)}


def _name_chains(column: str) -> list[str]:
    """The layers of chains that are asked for, of which only names tell that before all is read."""
    return [part for part in column.split("+") if part.endswith(_CHAINS)]


def read_cas(source: Source, builder: Builder, *, view: str) -> None:
    """Read one file, which is a document; `view` names one of several views."""
    is_xml = "\n".join(source.head()).lstrip().startswith("<")
    elements = dict(_parse_xmi(source) if is_xml else _parse_json(source))
    views = {fields.get("sofaID", ""): key for key, (kind, fields, _) in elements.items() if kind == _SOFA}
    views = {name: key for name, key in views.items() if "sofaString" in elements[key][1]}
    if not views:
        raise InputError(f"{source.path}: no text (Sofa with sofaString) in it. Export the file again.")
    if view not in views and (view or len(views) > 1):
        choice = f'--input-format "cas(view={min(views)})"'
        raise InputError(f"{source.path}: the views are {', '.join(sorted(views))}. Choose one: {choice}")
    sofa = views[view or next(iter(views))]
    text = elements[sofa][1]["sofaString"]
    if not is_text(text):
        raise InputError(f"{source.path}: the text has half a character (a lone surrogate) in it. Write it as UTF-8.")
    add_layers(_make_document(source, builder, text, sofa, elements), builder)


def _parse_xmi(source: Source) -> Iterator[tuple[str, _Element]]:
    """The elements below the root by id; those within them are values of lists."""
    found: list[tuple[str, _Element]] = []
    prefixes: dict[str, str] = {}
    depth = 0

    def start(name: str, fields: dict[str, str]) -> None:
        nonlocal depth
        for key in [key for key in fields if key.startswith("xmlns:")]:
            package = fields.pop(key).removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
            prefixes[key.removeprefix("xmlns:")] = package
        if depth == 1:
            prefix, _, kind = name.rpartition(":")
            key = fields.pop("xmi:id", f"line {stream.line}, {len(found)}")
            found.append((key, (f"{prefixes.get(prefix, prefix)}.{kind}", fields, stream.line)))
        depth += 1

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    stream = XmlStream(source, start, end, doctype=False)
    stream.read()
    yield from found


def _parse_json(source: Source) -> Iterator[tuple[str, _Element]]:
    """The feature structures by id, with references as texts; an array is the list of its members."""
    try:
        data = json.loads("".join(batch.text for batch in source.batches()))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.path}: not JSON ({error}).") from None
    given = data.get(_JSON[1]) if isinstance(data, dict) else None
    given = list(given.values()) if isinstance(given, dict) else given
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise InputError(f"{source.path}: no list {_JSON[1]} in it, so it is no CAS.")
    arrays = {str(one.get("%ID")): one["%ELEMENTS"] for one in given if isinstance(one.get("%ELEMENTS"), list)}
    for number, one in enumerate(given):
        fields = {key.removeprefix("@"): value for key, value in one.items() if not key.startswith(("%", "^"))}
        texts = {key: str(value) for key, value in fields.items() if isinstance(value, str | int | float)}
        lists = {key: " ".join(map(str, arrays[own])) for key, own in texts.items() if own in arrays}
        yield str(one.get("%ID", f"number {number}")), (str(one.get("%TYPE", "")), texts | lists, 1)


def _make_document(
    source: Source, builder: Builder, text: str, sofa: str, elements: Mapping[str, _Element]
) -> LayeredDocument:
    """The document of a view, its offsets in characters."""
    placed: dict[str, tuple[int, int]] = {}
    for key, (kind, fields, line) in elements.items():
        if fields.get("sofa") == sofa and "begin" in fields and "end" in fields:
            begin, end = fields["begin"], fields["end"]
            if not all(offset.isascii() and offset.isdigit() and len(offset) < 19 for offset in (begin, end)):
                raise InputError(f"{source.path}:{line}: {kind} from {begin} to {end}, which are no offsets.")
            placed[key] = int(begin), int(end)
    unit = find_unit(text, [], "utf16")
    if unit is not None and all(offset in unit[1] for place in placed.values() for offset in place):
        placed = {key: (unit[1][begin], unit[1][end]) for key, (begin, end) in placed.items()}
    elif unit is not None:
        builder.note("Files with offsets in characters, as these do not count UTF-16 units: {}.", 1)
    marks = {
        key: Mark(kind, *placed.get(key, (0, 0)), {n: v for n, v in fields.items() if n not in _OWN}, line)
        for key, (kind, fields, line) in elements.items()
    }
    shorts = {key: mark.layer.rpartition(".")[2] for key, mark in marks.items()}
    spans, relations = dict[str, Mark](), list[tuple[Mark, str, str]]()
    chained = {shorts[key] for key, (_, fields, _) in elements.items() if "next" in fields}
    chained |= {shorts[fields["first"]] for _, fields, _ in elements.values() if fields.get("first") in marks}
    features: dict[str, list[str]] = {}
    for key, mark in ((key, marks[key]) for key in placed if shorts[key] not in _NO_LAYERS):
        fields = elements[key][1]
        ends = next((own for own in _ENDS if all(fields.get(name) in placed for name in own)), ())
        if ends:
            relations.append((mark, fields[ends[0]], fields[ends[1]]))
        elif shorts[key] not in chained:
            spans[key] = mark
        known = features.setdefault(mark.layer, [])
        known += [name for name in mark.features if name not in known]
    # A slot is an element without a place, named by a feature of its span, that refers to another.
    slots = {key for key, (_, fields, _) in elements.items() if key not in placed and fields.get("target") in placed}
    for key, mark in spans.items():
        for name, value in mark.features.items():
            for slot in value.split() if slots.issuperset(value.split()) else ():
                fields, layer = elements[slot][1], f"{mark.layer}:{name}"
                role = {"role": fields["role"]} if "role" in fields else {}
                relations.append((Mark(layer, 0, 0, role, mark.line), key, fields["target"]))
                features.setdefault(layer, ["role"])
                features[mark.layer] = [own for own in features[mark.layer] if own != name]
    bases = {mark.layer: spans[head].layer if head in spans else "" for mark, head, _ in relations}
    relations = [
        (mark, head if head in spans else "", tail if tail in spans else "") for mark, head, tail in relations
    ]
    chains: dict[str, list[Mark]] = {}
    for key, (_, fields, _) in elements.items():
        link, seen = fields.get("first", ""), set[str]()
        while link in placed and link not in seen:
            seen.add(link)
            of_chain = marks[key].layer if asks_for(builder.asked.column, marks[key].layer) else marks[link].layer
            features.setdefault(of_chain, features[marks[link].layer])
            chains.setdefault(key, []).append(replace(marks[link], layer=of_chain))
            link = elements[link][1].get("next", "")
    words, sentences = (sorted(placed[key] for key in placed if shorts[key] == name) for name in (_TOKEN, _SENTENCE))
    about = (elements[key][1] for key in placed if shorts[key] in _ABOUT_DOCUMENT)
    return LayeredDocument(
        source.path,
        source.stem,
        text,
        [place for place in words if place[0] < place[1] <= len(text)],
        [place for place in sentences if place[1] <= len(text)],
        features,
        spans,
        relations,
        chains,
        bases,
        frozenset(_name_chains(builder.asked.column)),
        metadata={name: fields[name] for fields in about for name in _METADATA if name in fields},
    )
