"""Documents with words and layers of annotations over them, as WebAnno and UIMA have them.

A layer of spans is read as spans of characters with their relations, or as tags of words if a task asks for a column;
a layer of chains is read as mentions of words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Any

import numpy as np

from assay.classes import dataclass
from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.documents import Document, add_document
from assay.formats.whose import Annotation

_LABELS = ("value", "PosValue", "DependencyType", "referenceType")
"""Features that are the label if a layer has several: any layer's own, and those of DKPro."""
LINK = "identifier"
"""The feature that is a link."""
EMPTY = "_"
"""The tag of a word without one."""


@dataclass(frozen=True)
class Mark:
    """An annotation of a layer: its place and its features."""

    layer: str
    start: int
    end: int
    features: Mapping[str, str]
    line: int


@dataclass(frozen=True)
class LayeredDocument:
    """A document with its words, and with the annotations of all layers."""

    place: str
    name: str
    text: str
    words: Sequence[tuple[int, int]]
    sentences: Sequence[tuple[int, int]]
    features: Mapping[str, Sequence[str]]
    """The features of each layer; the names of layers are those of types, `a.b.NamedEntity`."""
    spans: Mapping[str, Mark]
    """The spans by id …"""
    relations: Sequence[tuple[Mark, str, str]] = ()
    """… relations with the ids of head and tail, nothing for what is no span …"""
    chains: Mapping[str, Sequence[Mark]] = field(default_factory=dict)
    """… and the mentions of each chain."""
    bases: Mapping[str, str] = field(default_factory=dict)
    """The layers of relations, and the layer of the spans that each joins, if it is known."""
    chained: frozenset[str] = frozenset()
    """The layers of chains."""
    comments: Sequence[tuple[int, str]] = ()
    """Comments by the number of their sentence."""
    metadata: Mapping[str, Any] = field(default_factory=dict)


def asks_for(column: str, layer: str) -> str:
    """The part of a column that names this layer, by its type or the last part of it, and a feature or none."""
    short = layer.rpartition(".")[2]
    starts = (f"{layer}.", f"{short}.")
    return next((part for part in column.split("+") if part in (layer, short) or part.startswith(starts)), "")


def add_layers(document: LayeredDocument, builder: Builder) -> None:
    """Hand a document to the builder: tags if a task asks for columns, mentions if for chains, else spans."""
    for number, line in document.comments:
        builder.comments([line], [builder.sentence + number])
    layers = document.features.keys() - document.bases.keys()
    if builder.names or contains_chains(builder.asked.column, layers, document.chained):
        _add_words(document, builder)
    else:
        _add_spans(document, builder)


def contains_chains(column: str, layers: Iterable[str], chained: Collection[str]) -> bool:
    """True if chains are asked for, or if a file has no other layers."""
    if column:
        return any(asks_for(column, layer) for layer in chained)
    return bool(chained) and {*chained} >= {*layers}


def _label(document: LayeredDocument, mark: Mark, part: str) -> str | None:
    """The label of an annotation, empty without a value; None if it may be any of several features."""
    features = [name for name in document.features[mark.layer] if name != LINK]
    asked = next((name for name in (*features, LINK) if part.endswith(f".{name}")), "")
    named = part in (mark.layer, mark.layer.rpartition(".")[2])
    chosen = [asked] if asked and not named else [name for name in _LABELS if name in features][:1] or features
    return mark.features.get(chosen[0], "") if len(chosen) == 1 else "" if not chosen else None


def _add_spans(document: LayeredDocument, builder: Builder) -> None:
    """Hand over spans of characters, and the relations between those that are read."""
    layers, column, spans = builder.layers, builder.asked.column, []
    related = {layer for mark, _, _ in document.relations if asks_for(column, layer := mark.layer)}
    bases = {document.bases.get(layer, ""): asks_for(column, layer) for layer in related}
    names = {layer: layer.rpartition(".")[2] for layer in document.features}
    twice = Counter(names.values())
    for layer, short in names.items():
        own = asks_for(column, layer) or bases.get(layer, "")
        names[layer] = own or (layer if twice[short] > 1 else short)
    filled = {mark.layer for mark in document.spans.values()}
    for layer in document.features.keys() - document.bases.keys() - document.chained:
        layers.counts[names[layer]] += 0
    for key, mark in document.spans.items():
        name = names[mark.layer]
        label = _label(document, mark, asks_for(column, mark.layer))
        if layers.is_meant(name):
            if label is None and (column or len(filled) == 1):
                features = document.features[mark.layer]
                remedy = builder.asked.spell(f"{name}.{features[0]}", "column")
                fact = f"{name} has the features {', '.join(features)}"
                raise InputError(f"{document.place}: {fact}. Which one is the label? E.g. {remedy}")
            builder.note("Spans without a value, whose label is empty: {}.", int(label == ""))
        place = {"start": mark.start, "end": mark.end, "layer": name, "id": key}
        spans.append({**place, "label": label or "", "unlabelled": not label, "link": mark.features.get(LINK)})
    unread, relations = Counter[str](), []
    for mark, head, tail in document.relations:
        label = _label(document, mark, asks_for(column, mark.layer))
        ends = [document.spans[key].layer for key in (head, tail) if key in document.spans]
        if related and mark.layer not in related:
            unread[f"Relations of {names[mark.layer]}"] += 1
        elif not (head and tail and all(layers.is_meant(names[layer]) for layer in ends)):
            unread["Relations with an end in a layer that is not read"] += 1
        elif label is None:
            unread[f"Relations of {names[mark.layer]}, which has several features and none that is the label"] += 1
        else:
            kind = {"label": label, "unlabelled": not label, "layer": names[mark.layer]}
            relations.append({**kind, "head": head, "tail": tail})
    for mentions in document.chains.values():
        unread["Mentions in chains"] += len(mentions)
        for mark in mentions if builder.asked.surveys else ():
            builder.labels.setdefault(names[mark.layer], Counter())[_label(document, mark, "") or ""] += 1
    annotation = Annotation(None, spans, relations, unread=unread)
    line = min((mark.line for mark in document.spans.values()), default=1)
    fields = (document.name, document.text, None, document.sentences, document.metadata)
    add_document(Document(line, document.place, [annotation], *fields), builder, offsets="characters")


def _add_words(document: LayeredDocument, builder: Builder) -> None:
    """Hand over words with their tags or, if no column is asked for, with the mentions of chains."""
    text, words, column = document.text, sorted(document.words), builder.asked.column
    if not words:
        raise InputError(f"{document.place}: no words (Token) in it, which tags and chains need. Try --task spans")
    firsts, ends = [start for start, _ in words], [end for _, end in words]
    builder.identify(document.name, document.place)
    builder.describe((key, str(value)) for key, value in document.metadata.items())
    columns = [[text[start:end] for start, end in words]]
    number_of = {place: number for number, place in enumerate(words)}
    for name in builder.names:
        tags, others = [EMPTY] * len(words), 0
        for mark in document.spans.values():
            if part := asks_for(name, mark.layer):
                label, number = _label(document, mark, part), number_of.get((mark.start, mark.end))
                if label is None:
                    listed = ", ".join(document.features[mark.layer])
                    raise InputError(f"{document.place}: {name} has the features {listed}. Name one: {name}.FEATURE")
                if number is not None and tags[number] != EMPTY:
                    raise InputError(f"{document.place}:{mark.line}: two of {name} at one word. Try --task spans")
                if number is None:
                    others += 1
                else:
                    tags[number] = label or EMPTY
        builder.note(f"Annotations of {name} that are not at one word, not read as tags: {{}}.", others)
        columns.append(tags)
    starts = [bisect_left(firsts, start) for start, _ in document.sentences[1:]]
    for first, end in pairwise([0, *starts, len(words)]):
        if first < end:
            flat = [cell for row in zip(*(cells[first:end] for cells in columns), strict=True) for cell in row]
            builder.add(flat, [builder.words + end - first], [1])
    rows, types = [], []
    for chain, mentions in enumerate(document.chains.values()) if not builder.names else ():
        for mark in (mark for mark in mentions if not column or asks_for(column, mark.layer)):
            first, end = bisect_right(ends, mark.start), bisect_left(firsts, mark.end)
            inside = (first, end) != (bisect_left(firsts, mark.start), bisect_right(ends, mark.end))
            builder.note("Mentions that begin or end inside a word, taken as whole words: {}.", int(inside))
            rows.append((builder.begun - 1, first, end, chain, mark.line))
            types.append(_label(document, mark, asks_for(column, mark.layer)) or "")
    builder.mentions(np.array(rows, dtype=np.int64).reshape(-1, 5), [*document.chains], types)
