"""Documents in JSON whose sentences have words, mentions and relations: DyGIE (SciERC) and DocRED.

DyGIE has a document per line, with its mentions and relations sentence by sentence; places count over the document,
and the last word belongs to a mention. DocRED has entities, each with its mentions, and facts between entities.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from assay.errors import InputError
from assay.formats import chains
from assay.formats.builder import Builder
from assay.formats.relations import RelationLists
from assay.formats.source import Source
from assay.formats.standoff import check_label, json_object, json_values, shown

WHICH = ("auto", "gold", "predicted")
_LAYERS = ("ner", "relations")
_PREDICTED = "predicted_"
_DOCRED = '{"title": "d1", "sents": [["Ann", "left"]], "vertexSet": [[{"pos": [0, 1], "sent_id": 0, "type": "PER"}]]}'
_FACTS = re.compile(r'\s*\[?\s*\{[^{]*"(?:h_idx|t_idx)"\s*:')


# --- DyGIE ---


def looks_dygie(head: Sequence[str]) -> bool:
    """True if the first line is a document with mentions or relations by sentence."""
    first = _first(head)
    return "sentences" in first and any(prefix + key in first for prefix in ("", _PREDICTED) for key in _LAYERS)


def dygie_layers(head: Sequence[str], path: str, which: str) -> tuple[bool, bool, bool]:
    """Three times yes or no: the predicted layers are meant, there are relations, there are chains."""
    first = _first(head)
    keys = (*_LAYERS, chains.GOLD)
    there = {prefix: [prefix + key for key in keys if prefix + key in first] for prefix in ("", _PREDICTED)}
    if which == "auto" and all(there.values()):
        raise InputError(
            f"{path}:1: {', '.join(there[''])} are there, and {', '.join(there[_PREDICTED])}. Say which are meant: "
            '--input-format "dygie(which=predicted)"; files that have none of these are read as they are.'
        )
    predicted = bool(there[_PREDICTED]) and which != "gold"
    prefix = _PREDICTED if predicted else ""
    return predicted, f"{prefix}relations" in there[prefix], f"{prefix}{chains.GOLD}" in there[prefix]


def _first(head: Sequence[str]) -> dict[str, Any]:
    return json_object(next((line for line in head if line.strip()), "")) or {}


def read_dygie(source: Source, builder: Builder, *, predicted: bool, chained: bool) -> None:
    """Read one file: its words, mentions with types, relations and, where it is `chained`, chains."""
    which = chains.PREDICTED if predicted else chains.GOLD
    layers = partial(_read_dygie_layers, prefix=_PREDICTED if predicted else "", chained=chained)
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
) -> None:
    """Hand the mentions and relations of a document to the builder; its sentences from `first` on are there."""
    ends = list(accumulate(map(len, words)))
    starts = [end - len(sentence) for end, sentence in zip(ends, words, strict=True) if sentence]
    lists = builder.collector(RelationLists)
    numbers: dict[tuple[int, int], list[int]] = {}
    if not any(prefix + key in value for key in (*_LAYERS, chains.GOLD)):
        raise InputError(f"{place}: no {prefix}ner or {prefix}relations where the first document has such.")
    if value.get(prefix + chains.GOLD) and not chained:
        raise InputError(f"{place}: {prefix}{chains.GOLD} where the first document has none. Give it [].")

    def rows(key: str, size: int) -> list[tuple[int, str, list[Any]]]:
        """The rows of a layer, each with its sentence and its name in messages."""
        sentences = value.get(prefix + key, [[]] * len(words))
        if not isinstance(sentences, list) or len(sentences) != len(words):
            raise InputError(f"{place}: {prefix}{key} should be a list of {len(words)} lists, one for each sentence.")
        found = []
        for number, listed in enumerate(sentences):
            for index, row in enumerate(listed if isinstance(listed, list) else [listed]):
                here = f"{place}: {prefix}{key}[{number}][{index}]"
                numbers_of = row[: size - 1] if isinstance(row, list) and len(row) in (size, size + 2) else [None]
                if not all(type(one) is int for one in numbers_of):
                    shape = "[first, last, type]" if size == 3 else "[first, last, first, last, label]"
                    raise InputError(f"{here} is {shown(row)} where {shape} should stand.")
                found.append((number, here, row))
        return found

    def atoms(begin: int, last: int, here: str) -> tuple[int, list[tuple[int, int]]]:
        """The sentence of a mention, and its words there."""
        if not 0 <= begin <= last < ends[-1]:
            raise InputError(
                f"{here} has the place {begin} to {last} where there are {ends[-1]:,} words. Places count over the "
                "document, from 0, and the last word belongs to the mention."
            )
        sentence = bisect_right(starts, begin) - 1
        if bisect_right(starts, last) - 1 != sentence:
            raise InputError(
                f"{here} reaches from {begin} to {last}, over the end of a sentence. Is the last word counted twice, "
                "or do places not count over the document?"
            )
        return first + sentence, [(begin - starts[sentence], last + 1 - starts[sentence])]

    for number, here, (begin, last, label, *_) in rows("ner", 3):
        sentence, stretches = atoms(begin, last, here)
        if not ends[number] - len(words[number]) <= begin < ends[number]:
            raise InputError(f"{here} lies in sentence {sentence - first}. Places count over the document.")
        given = (sentence, stretches, check_label(label, here), line)
        builder.span(*given)
        numbers.setdefault((begin, last), []).append(lists.span(*given))
    for _, here, row in rows("relations", 5):
        arguments = []
        for begin, last in (row[:2], row[2:4]):
            sentence, stretches = atoms(begin, last, here)
            if (begin, last) not in numbers:
                builder.note("Arguments of relations that are not among the spans: {}.", 1)
                numbers[begin, last] = [lists.span(sentence, stretches, "", line)]
            found = numbers[begin, last]
            if len(found) > 1:
                builder.note("Arguments of relations that may be several spans, of which the first holds: {}.", 1)
            arguments.append(found[0])
        lists.relation(check_label(row[4], here, "relation"), arguments[0], arguments[1], line)


# --- DocRED ---


def looks_docred(head: Sequence[str]) -> bool:
    """True if there are documents with entities, or facts about such."""
    text = "\n".join(head)
    return text.lstrip()[:1] in ("[", "{") and ('"vertexSet"' in text or _FACTS.match(text) is not None)


def read_docred(source: Source, builder: Builder, *, gold: str) -> None:
    """Read one file: documents with entities and facts, or facts about the entities of gold's documents.

    A fact is a relation between the first mentions of two entities.
    """
    builder.begin_file(source.path)
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
        texts = Source(gold)
        try:
            values = list(json_values(texts, _DOCRED))
        finally:
            texts.close()
    path = source.path if facts is None else gold
    for line, value in values:
        entities, title = _read_docred_document(value, line, f"{path}:{line}", builder)
        if facts is None:
            listed = value.get("labels", [])
            if not isinstance(listed, list):
                raise InputError(f"{path}:{line}: labels are {shown(listed)} where a list should stand.")
            own = [(f"{path}:{line}: labels[{number}]", line, fact) for number, fact in enumerate(listed)]
            _read_facts(own, ("h", "t"), entities, builder)
        else:
            _read_facts(facts.pop(title, []), ("h_idx", "t_idx"), entities, builder)
    if facts:
        title = next(iter(facts))
        raise InputError(f"{facts[title][0][0]}: {gold} has no document {title!r}. Is it the right file?")
    if not values:
        raise InputError(f"{path}: no documents in it. A document is {_DOCRED}")
    builder.end_file()


def _read_docred_document(value: Any, line: int, place: str, builder: Builder) -> tuple[list[int], str]:
    """Hand a document to the builder; returns the first mention of each entity, and the title."""
    if not isinstance(value, dict) or not isinstance(value.get("vertexSet"), list):
        raise InputError(f"{place}: {shown(value)} where a document should stand. It is {_DOCRED}")
    title = _text(value.get("title"), f"{place}: the title")
    words = value.get("sents")
    if not isinstance(words, list) or not words or not all(isinstance(one, list) and one for one in words):
        raise InputError(f"{place}: sents should be a list of sentences, each a list of words.")
    forms = [_text(form, f"{place}: a word") for sentence in words for form in sentence]
    builder.identify(title, place)
    first = builder.sentence
    ends = [builder.words + end for end in accumulate(map(len, words))]
    builder.add(forms, ends, [line] * len(ends))
    lists = builder.collector(RelationLists)
    firsts = []
    for number, mentions in enumerate(value["vertexSet"]):
        here = f"{place}: vertexSet[{number}]"
        if not isinstance(mentions, list) or not mentions:
            raise InputError(f"{here} is {shown(mentions)}. An entity has one mention or more.")
        placed = []
        for index, mention in enumerate(mentions):
            there = f"{here}[{index}]"
            known = mention if isinstance(mention, dict) else {}
            sentence, places = known.get("sent_id"), known.get("pos")
            if type(sentence) is not int or not isinstance(places, list) or [*map(type, places)] != [int, int]:
                raise InputError(f'{there} is {shown(mention)}. A mention has "sent_id": 0, "pos": [0, 1], "type".')
            if not 0 <= sentence < len(words) or not 0 <= places[0] < places[1] <= len(words[sentence]):
                raise InputError(
                    f"{there} lies outside its sentence: sent_id {sentence}, pos {shown(places)}. Words count from 0 "
                    "in their sentence, end exclusive."
                )
            given = (first + sentence, [(places[0], places[1])], check_label(known.get("type"), there), line)
            builder.span(*given)
            placed.append((sentence, *places, lists.span(*given)))
        lists.entity([mention[-1] for mention in placed])
        firsts.append(min(placed)[-1])
    return firsts, title


def _read_facts(
    facts: list[tuple[str, int, Any]], keys: tuple[str, str], entities: list[int], builder: Builder
) -> None:
    """Hand facts to the builder, each with its place and line."""
    for here, line, fact in facts:
        known = fact if isinstance(fact, dict) else {}
        arguments = []
        for key in keys:
            entity = known.get(key)
            if type(entity) is not int or not 0 <= entity < len(entities):
                raise InputError(
                    f"{here}: {key} is {shown(entity)} where there are {len(entities)} entities, counted from 0."
                )
            arguments.append(entities[entity])
        label = check_label(known.get("r"), f"{here}: r", "relation")
        builder.collector(RelationLists).relation(label, arguments[0], arguments[1], line)


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip() or any("\ud800" <= mark <= "\udfff" for mark in value):
        raise InputError(f"{what} is {shown(value)} where a text should stand.")
    return value
