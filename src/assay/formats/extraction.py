"""Documents in JSON whose sentences have words, mentions and relations: DyGIE (SciERC) and DocRED.

DyGIE has a document per line, with its mentions and relations sentence by sentence; places count over the document,
and the last word belongs to a mention. DocRED has entities, each with its mentions, and facts between entities.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Any

import numpy as np

from assay.arrays import NONE, Ints
from assay.errors import InputError
from assay.formats import chains
from assay.formats.builder import Builder
from assay.formats.documents import check_label
from assay.formats.events import LAYERS, NOT_WHOLE, event_lists
from assay.formats.jsontext import expect, first_object, is_number, is_text, json_values, quote
from assay.formats.relations import relation_lists
from assay.formats.source import Source

WHICH = ("auto", "gold", "predicted")
_LAYERS = ("ner", "relations", "events")
_PREDICTED = "predicted_"
_DOCRED = '{"title": "d1", "sents": [["Ann", "left"]], "vertexSet": [[{"pos": [0, 1], "sent_id": 0, "type": "PER"}]]}'
_FACTS = re.compile(r'\s*\[?\s*\{[^{]*"(?:h_idx|t_idx)"\s*:')


# --- DyGIE ---


def looks_dygie(head: Sequence[str]) -> bool:
    """True if the first line is a document with mentions or relations by sentence."""
    first = first_object(head)
    return "sentences" in first and any(prefix + key in first for prefix in ("", _PREDICTED) for key in _LAYERS)


def decide_dygie(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
    """The layers that are meant and that the first document has, and how they are read."""
    first, which = first_object(head), given["which"]
    keys = (*_LAYERS, chains.GOLD)
    there = {prefix: [prefix + key for key in keys if prefix + key in first] for prefix in ("", _PREDICTED)}
    if which == "auto" and all(there.values()):
        raise InputError(
            f"{path}:1: {', '.join(there[''])} are there, and {', '.join(there[_PREDICTED])}. Choose one: "
            '--input-format "dygie(which=predicted)"; files that have none of these are read as they are.'
        )
    predicted = bool(there[_PREDICTED]) and which != "gold"
    prefix = _PREDICTED if predicted else ""
    names = {"relations": "relations", "mentions": chains.GOLD}
    layers = ["spans", *(layer for layer, key in names.items() if prefix + key in there[prefix])]
    if prefix + "events" in first:
        # Without any relation it is a file of events.
        layers = [*(layer for layer in layers if layer != "relations" or any(first[prefix + layer])), *LAYERS]
    read = partial(read_dygie, predicted=predicted, chained="mentions" in layers)
    return {"labels": chains.cluster_labels(head), "layers": layers, "read": read}


def read_dygie(source: Source, builder: Builder, *, predicted: bool, chained: bool) -> None:
    """Read one file: its words, mentions with types, relations and, if it is `chained`, chains."""
    which = chains.PREDICTED if predicted else chains.GOLD
    layers = partial(_read_dygie_layers, prefix=_PREDICTED if predicted else "", chained=chained, labels=set())
    chains.read_clusters(source, builder, which=which, layers=layers)


def _read_dygie_layers(
    value: dict[str, Any],
    words: list[list[str]],
    first: int,
    line: int,
    place: str,
    builder: Builder,
    *,
    prefix: str,
    chained: bool,
    labels: set[str],
) -> None:
    """Hand the mentions and relations of a document to the builder; its sentences from `first` on are there.

    `labels` are those that were checked.
    """
    if not any(prefix + key in value for key in (*_LAYERS, chains.GOLD)):
        raise InputError(f"{place}: no {prefix}ner or {prefix}relations, but the first document has such.")
    if value.get(prefix + chains.GOLD) and not chained:
        raise InputError(f"{place}: {prefix}{chains.GOLD}, but the first document has none. Give it [].")
    lengths = np.array([len(sentence) for sentence in words], dtype=np.int64)
    mentions, types, scores = _read_rows(value, prefix + "ner", 1, lengths, place, labels)
    relations, names_of_relations, sure = _read_rows(value, prefix + "relations", 2, lengths, place, labels)
    listed = [*map(tuple, mentions[:, 0].tolist())]
    arguments = [*map(tuple, relations.reshape(-1, 2).tolist())]
    # Arguments are found among the mentions by their place; those that are none are spans without a type.
    numbers = {at: number for number, at in reversed([*enumerate(listed)])}
    times = Counter(listed) if len(numbers) < len(listed) else {}
    if several := sum(times.get(at, 1) > 1 for at in arguments) if times else 0:
        builder.note("Arguments of relations that may be several spans (the first counts): {}.", several)
    if missing := [at for at in dict.fromkeys(arguments) if at not in numbers]:
        builder.note("Arguments of relations that are not among the spans: {}.", len(missing))
        numbers |= {at: number for number, at in enumerate(missing, len(listed))}
    names, untyped = [*dict.fromkeys(types)], [""] * len(missing)
    codes = {name: code for code, name in enumerate((*names, ""))}
    coded = np.array([codes[name] for name in (*types, *untyped)], dtype=np.int64)
    found = np.array([*listed, *missing], dtype=np.int64).reshape(-1, 2)
    number, starts = np.cumsum(lengths > 0) - 1 + first, np.cumsum(lengths) - lengths
    """The number of each sentence in the corpus, which has none without words, and its first word."""
    sentence = np.searchsorted(np.cumsum(lengths), found[:, 0], side="right")
    begin, end = (found - starts[sentence][:, None] + [0, 1]).T
    spans = np.stack([number[sentence], begin, end, coded, np.full(len(found), line)], axis=1)
    scored = {row: score for row, score in enumerate(scores) if not math.isnan(score)}
    builder.spans(spans[: len(listed)], names, {}, scored)
    lists = builder.collector(relation_lists)
    pairs = np.array([numbers[at] for at in arguments], dtype=np.int64).reshape(-1, 2)
    lists.relations(pairs + len(lists), names_of_relations, line, sure)
    lists.spans(spans, [*names, *untyped[:1]], {}, scored)
    if prefix + "events" in value:
        _read_dygie_events(value, prefix + "events", first, lengths, line, place, builder)


def _read_dygie_events(
    value: dict[str, Any], key: str, first: int, lengths: Ints, line: int, place: str, builder: Builder
) -> None:
    """Hand the events of a document to the builder: lists of a trigger and arguments, by sentence."""
    sentences = value[key]
    if not isinstance(sentences, list) or len(sentences) != len(lengths):
        raise InputError(f"{place}: {key} should be a list of {len(lengths)} lists, one for each sentence.")
    ends, lists = np.cumsum(lengths), builder.collector(event_lists)
    number = np.cumsum(lengths > 0) - 1 + first
    for sentence, listed in enumerate(sentences):
        expect(isinstance(listed, list), f"{place}: {key}[{sentence}]", listed, "a list of events")
        for at, event in enumerate(listed):
            here = f"{place}: {key}[{sentence}][{at}]"
            expect(isinstance(event, list) and bool(event), here, event, "a list of a trigger and arguments")
            owner = NONE
            for index, row in enumerate(event):
                shape = "[token, type]" if not index else "[first, last, role]"
                cells = row if isinstance(row, list) else []
                if not index and len(cells) > 1 and isinstance(cells[1], str):
                    cells = [cells[0], *cells]
                fits = len(cells) in (3, 5) and type(cells[0]) is int and type(cells[1]) is int
                expect(fits, f"{here}[{index}]", row, shape)
                begin, last, label = cells[0], cells[1], check_label(cells[2], f"{here}[{index}]", "event")
                there = int(np.searchsorted(ends, begin, side="right"))
                if not 0 <= begin <= last < int(ends[-1]):
                    raise InputError(
                        f"{here}[{index}] has the place {begin} to {last}, but there are {int(ends[-1]):,} words. "
                        "Places count over the document, from 0, and the last word belongs to it."
                    )
                start = int(ends[there] - lengths[there])
                score = float(cells[4]) if len(cells) == 5 and is_number(cells[4]) else math.nan
                given = int(number[there]), [(begin - start, last + 1 - start)], label, line, score
                if index:
                    lists.argument(owner, *given)
                elif there != sentence:
                    raise InputError(f"{here} lies in sentence {there}. Places count over the document.")
                else:
                    owner = lists.event(*given)
            builder.note(NOT_WHOLE[1], 1)


def _read_rows(
    value: dict[str, Any], key: str, spans: int, lengths: Ints, place: str, checked: set[str]
) -> tuple[Ints, list[str], list[float]]:
    """First and last word of each span of a layer (rows × spans × 2), counted over the document, labels and scores.

    A row has the places of one span or two, then a label and in predictions two numbers, of which the last is a
    probability; `lengths` are those of the document's sentences.
    """
    words, ends, size = int(lengths.sum()), np.cumsum(lengths), 2 * spans
    sentences = value.get(key, [[]] * len(lengths))
    if not isinstance(sentences, list) or len(sentences) != len(lengths):
        raise InputError(f"{place}: {key} should be a list of {len(lengths)} lists, one for each sentence.")
    by_sentence = [listed if isinstance(listed, list) else [listed] for listed in sentences]
    listed = np.repeat(np.arange(len(lengths)), [len(rows) for rows in by_sentence])
    rows = [*chain.from_iterable(by_sentence)]

    def name(row: int) -> str:
        """A row as messages call it."""
        return f"{place}: {key}[{listed[row]}][{row - np.searchsorted(listed, listed[row])}]"

    given = [row[:size] if isinstance(row, list) and len(row) in (size + 1, size + 3) else [None] for row in rows]
    flat = [*chain.from_iterable(given)]
    if not set(map(type, flat)) <= {int}:
        row = next(number for number, cells in enumerate(given) if {*map(type, cells)} != {int})
        shape = f"[{', '.join(['first, last'] * spans)}, {'type' if spans == 1 else 'label'}]"
        expect(False, name(row), rows[row], shape)
    inside = [number if 0 <= number < words else NONE for number in flat]
    places = np.array(inside, dtype=np.int64).reshape(-1, spans, 2)
    begin, last = places[..., 0], places[..., 1]
    sentence = np.searchsorted(ends, begin, side="right")
    outside = (begin == NONE) | (last < begin)
    across = ends[sentence] <= last
    if outside.any() or across.any():
        row, span = np.argwhere(outside if outside.any() else across)[0].tolist()
        reach = "{} to {}".format(*given[row][2 * span : 2 * span + 2])
        if outside.any():
            raise InputError(
                f"{name(row)} has the place {reach}, but there are {words:,} words. Places count over the document, "
                "from 0, and the last word belongs to the mention."
            )
        raise InputError(
            f"{name(row)} reaches from {reach}, over the end of a sentence. Is the last word counted twice, or do "
            "places not count over the document?"
        )
    elsewhere = np.flatnonzero((spans == 1) & (sentence[:, 0] != listed))
    if len(elsewhere):
        row = int(elsewhere[0])
        raise InputError(f"{name(row)} lies in sentence {sentence[row, 0]}. Places count over the document.")
    labels = [row[size] for row in rows]
    if not (set(map(type, labels)) <= {str} and checked.issuperset(labels)):
        of = "span" if spans == 1 else "relation"
        labels = [check_label(label, name(row), of) for row, label in enumerate(labels)]
        checked.update(labels)
    scores = [float(row[-1]) if len(row) == size + 3 and is_number(row[-1]) else math.nan for row in rows]
    return places, labels, scores


# --- DocRED ---


def looks_docred(head: Sequence[str]) -> bool:
    """True if the first lines have documents with entities, or facts about entities."""
    text = "\n".join(head)
    return text.lstrip()[:1] in ("[", "{") and ('"vertexSet"' in text or _FACTS.match(text) is not None)


def read_docred(source: Source, builder: Builder, *, gold: str) -> None:
    """Read one file: documents with entities and facts, or facts about the entities of gold's documents.

    A fact is a relation between the first mentions of two entities.
    """
    values = list(json_values(source, _DOCRED))
    facts: dict[str, list[tuple[str, int, Any]]] | None = None
    if all(isinstance(value, dict) and "vertexSet" not in value and "h_idx" in value for _, value in values):
        if not gold:
            raise InputError(
                f"{source.path}: facts about entities that it does not have. Name the file that has them: "
                '--input-format "docred(gold=FILE)"'
            )
        facts = {}
        for line, fact in values:
            title = _text(fact.get("title"), f"{source.path}:{line}: the title")
            facts.setdefault(title, []).append((f"{source.path}:{line}", line, fact))
        values = list(json_values(Source(gold), _DOCRED))
    path = source.path if facts is None else gold
    for line, value in values:
        entities, title = _read_docred_document(value, line, f"{path}:{line}", builder)
        if facts is None:
            here, listed = f"{path}:{line}: {quote(title)}", value.get("labels", [])
            if not isinstance(listed, list):
                raise InputError(f"{here}: labels are {quote(listed)}, but a list is expected.")
            keys, rows = ("h", "t"), [(f"{here}: labels[{number}]", line, fact) for number, fact in enumerate(listed)]
        else:
            keys, rows = ("h_idx", "t_idx"), facts.pop(title, [])
        for here, number, fact in rows:
            fields = fact if isinstance(fact, dict) else {}
            arguments: list[Any] = [fields.get(key) for key in keys]
            for key, entity in zip(keys, arguments, strict=True):
                if type(entity) is not int or not 0 <= entity < len(entities):
                    raise InputError(
                        f"{here}: {key} is {quote(entity)}, but there are {len(entities)} entities, counted from 0."
                    )
            label = check_label(fields.get("r"), f"{here}: r", "relation")
            head, tail = (entities[entity] for entity in arguments)
            builder.collector(relation_lists).relation(label, head, tail, number)
    if facts:
        title = next(iter(facts))
        raise InputError(f"{facts[title][0][0]}: {gold} has no document {title!r}. Is it the right file?")
    if not values:
        raise InputError(f"{path}: contains no documents. A document is {_DOCRED}")


def _read_docred_document(value: Any, line: int, place: str, builder: Builder) -> tuple[list[int], str]:
    """Hand a document to the builder; returns the first mention of each entity, and the title."""
    if not isinstance(value, dict) or not isinstance(value.get("vertexSet"), list):
        raise InputError(f"{place}: {quote(value)}, but a document is expected. It is {_DOCRED}")
    # Without titles documents are known by their order.
    title = _text(value.get("title", str(len(builder.ids) + 1)), f"{place}: the title")
    builder.identify(title, place)
    place = f"{place}: {quote(title)}"
    words = value.get("sents")
    if not isinstance(words, list) or not words or not all(isinstance(part, list) and part for part in words):
        raise InputError(f"{place}: sents should be a list of sentences, each a list of words.")
    # A word of white space alone keeps its number.
    forms = [
        form if isinstance(form, str) and form.isspace() else _text(form, f"{place}: sents[{number}][{word}]")
        for number, sentence in enumerate(words)
        for word, form in enumerate(sentence)
    ]
    first = builder.sentence
    ends = [builder.words + end for end in accumulate(map(len, words))]
    builder.add(forms, ends, [line] * len(ends))
    lists = builder.collector(relation_lists)
    firsts = []
    for number, mentions in enumerate(value["vertexSet"]):
        here = f"{place}: vertexSet[{number}]"
        if not isinstance(mentions, list) or not mentions:
            raise InputError(f"{here} is {quote(mentions)}. An entity has one mention or more.")
        placed = []
        for index, mention in enumerate(mentions):
            there = f"{here}[{index}]"
            fields = mention if isinstance(mention, dict) else {}
            sentence, places = fields.get("sent_id"), fields.get("pos")
            if type(sentence) is not int or not isinstance(places, list) or [*map(type, places)] != [int, int]:
                raise InputError(f'{there} is {quote(mention)}. A mention has "sent_id": 0, "pos": [0, 1], "type".')
            if not 0 <= sentence < len(words) or not 0 <= places[0] < places[1] <= len(words[sentence]):
                raise InputError(
                    f"{there} lies outside its sentence: sent_id {sentence}, pos {quote(places)}. Words count from 0 "
                    "in their sentence, end exclusive."
                )
            if not "".join(words[sentence][slice(*places)]).strip():
                raise InputError(f"{there} has no words but white space: sent_id {sentence}, pos {quote(places)}.")
            given = (first + sentence, [(places[0], places[1])], check_label(fields.get("type"), there), line)
            builder.span(*given)
            placed.append((sentence, *places, lists.span(*given)))
        lists.entity([mention[-1] for mention in placed])
        firsts.append(min(placed)[-1])
    return firsts, title


def _text(value: Any, what: str) -> str:
    expect(isinstance(value, str) and bool(value.strip()) and is_text(value), what, value, "a text")
    return str(value)
