"""Events, each a trigger with a type and arguments with roles, in JSON: OneIE, TextEE, WikiEvents and MAVEN.

The first three have mentions of entities, and arguments that name these, or (predictions) the places of arguments.
OneIE's output is a graph. Places are words, ends excluded: of the sentence that a line is, or of the document
(WikiEvents). MAVEN has triggers in the sentences of a document. DyGIE's and brat's events come from their readers.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.arrays import NONE
from assay.classes import dataclass
from assay.corpus import Column, Marks
from assay.errors import InputError
from assay.formats.builder import Builder, SpanLists
from assay.formats.documents import check_label
from assay.formats.jsontext import check_string, expect, first_object, is_number, json_values, quote
from assay.formats.source import Source

FORMAT, EVENTS, ARGUMENTS = "events", "events", "event-arguments"
LAYERS = (EVENTS, ARGUMENTS)
ATTRIBUTES = "attributes"
"""The column of events with all attributes of each, and what is between two of them."""
BETWEEN = "\t"
EXAMPLE = (
    '{"doc_id": "d1", "wnd_id": "d1-0", "tokens": ["Rebels", "attacked"], '
    '"events": [{"trigger": [1, 2, "Attack"], "arguments": [[0, 1, "Attacker"]]}]}'
)
NOT_WHOLE = (
    "Events read as relations; --task events compares them whole: {}.",
    "Events, which --task events compares: {}.",
    "Events of another type than their trigger, whose type counts: {}.",
)
"""Notes for tasks that do not compare events."""
UNREAD = "Lines of attributes and notes that were not read: {}."


class EventLists:
    """Events as readers find them: triggers in one layer and arguments in another, both in groups by event."""

    def __init__(self, has_arguments: bool) -> None:
        self._triggers, self._arguments = SpanLists(), SpanLists()
        self._has_arguments = has_arguments
        self._events = array("q")
        self._heads: dict[int, tuple[int, int]] = {}
        self._attributes: dict[int, list[str]] = {}

    def event(
        self, sentence: int, atoms: Sequence[tuple[int, int]], type_: str, line: int, score: float = math.nan
    ) -> int:
        """The number of a new event, by the place of its trigger."""
        return self._triggers.span(sentence, atoms, type_, line, score)

    def argument(
        self,
        event: int,
        sentence: int,
        atoms: Sequence[tuple[int, int]],
        role: str,
        line: int,
        score: float = math.nan,
        head: tuple[int, int] | None = None,
    ) -> None:
        """An argument of an event; its head is a stretch counted as the atoms are."""
        number = self._arguments.span(sentence, atoms, role, line, score)
        self._events.append(event)
        if head is not None:
            self._heads[number] = head

    def attribute(self, event: int, text: str) -> None:
        """An attribute of an event, `Negation` or `Confidence=High`."""
        self._attributes.setdefault(event, []).append(text)

    def layer(self) -> dict[str, Marks]:
        """Both layers, or the triggers alone if the format has no arguments."""
        triggers, order = self._triggers.sorted()
        texts = [BETWEEN.join(sorted(set(self._attributes.get(event, ())))) for event in order.tolist()]
        layers = {EVENTS: replace(triggers, group=order, columns={ATTRIBUTES: Column.of(texts)})}
        if self._has_arguments:
            arguments, order = self._arguments.sorted()
            heads = np.full((len(order), 2), NONE)
            heads[list(self._heads)] = np.array([*self._heads.values()], dtype=np.int64).reshape(-1, 2)
            ends = dict(zip(("head_begin", "head_end"), heads[order].T, strict=True))
            events = np.array(self._events, dtype=np.int64)[order]
            layers[ARGUMENTS] = replace(arguments, group=events, arguments=ends)
        return layers


def event_lists() -> EventLists:
    """What readers gather events in."""
    return EventLists(True)


def trigger_lists() -> EventLists:
    """What readers gather events in if their format has no arguments."""
    return EventLists(False)


# --- JSON ---


def looks_events(head: Sequence[str]) -> bool:
    """True if the first line is a sentence or document with events."""
    first = first_object(head)
    keys = ("event_mentions", "events", "graph") if "tokens" in first else ("events",) if "content" in first else ()
    return any(key in first for key in keys)


def decide_events(head: Sequence[str], *_: object) -> dict[str, Any]:
    """The layers that the first document can have."""
    return {"layers": LAYERS[:1] if "content" in first_object(head) else LAYERS}


def read_events(source: Source, builder: Builder) -> None:
    """Read one file; a line is a sentence, or a document if it has sentences."""
    document, number = "", 0
    for number, (line, value) in enumerate(json_values(source, EXAMPLE), 1):
        place = f"{source.path}:{line}"
        expect(isinstance(value, dict), f"{place}: the line", value, "an object")
        name = value.get("doc_id", value.get("id", str(number)))
        expect(isinstance(name, str | int) and name != "", f"{place}: the id", name, "a string")
        name = check_string(str(name), f"{place}: the id")
        if "content" in value or "sentences" in value:
            builder.identify(name, place)
        elif name != document:
            builder.document(name, builder.sentence)
            document = name
        for key in ("sent_id", "wnd_id"):
            if key in value:
                builder.describe([("sent_id", " ".join(str(value[key]).split()))])
        read = _read_maven if "content" in value else _read_mentions
        read(value, line, place, builder)
    if not number:
        raise InputError(f"{source.path}: contains no sentences. A sentence is {EXAMPLE}")


@dataclass(frozen=True)
class _Text:
    """The words of a document, in which spans are looked up."""

    words: list[str]
    ends: list[int]
    """The number of words up to the end of each sentence."""
    numbers: list[int]
    """The number of each sentence in the corpus, which has none without words."""

    @classmethod
    def of(cls, sentences: Sequence[Any], place: str, line: int, builder: Builder) -> _Text:
        """The words of sentences, which are handed to the builder."""
        words: list[str] = []
        ends = []
        for number, sentence in enumerate(sentences):
            expect(isinstance(sentence, list), f"{place}: the words of sentence {number}", sentence, "a list")
            begin = len(words)
            words += [check_string(word, f"{place}: word {begin + at}") for at, word in enumerate(sentence)]
            ends.append(len(words))
        if not words:
            raise InputError(f"{place}: contains no words. A sentence is {EXAMPLE}")
        own = sorted({*ends} - {0})
        text = cls(words, ends, [builder.sentence + bisect_left(own, end) for end in ends])
        builder.add(words, [end + builder.words for end in own], [line] * len(own))
        return text

    def find(self, begin: Any, end: Any, said: Any, place: str, start: int = 0) -> tuple[int, list[tuple[int, int]]]:
        """The sentence of a span and its atoms there; the string beside its place, if there is one, is checked.

        start: the word of the document that places are counted from; `place` names the span in messages.
        """
        if not (type(begin) is int and type(end) is int and 0 <= start + begin < start + end <= len(self.words)):
            raise InputError(
                f"{place} has the place {quote([begin, end])}, but there are {len(self.words) - start:,} words, "
                "counted from 0. The end is the number of the word after the last."
            )
        begin, end = begin + start, end + start
        if said is not None:
            wanted = "".join(check_string(said, f"{place}: the text").split())
            if self._join(begin, end) != wanted:
                odd = {"Are ends included?": self._join(begin, end + 1) == wanted}
                odd["Are places counted in the sentence?"] = any(
                    self._join(a + begin, a + end) == wanted for a in self.ends
                )
                odd["Are places counted in the document?"] = self._join(begin - start, end - start) == wanted
                why = next((text for text, fits in odd.items() if fits), "Correct the place or the text.")
                raise InputError(f"{place} is {quote(' '.join(self.words[begin:end]))}, not {quote(said)}. {why}")
        sentence = bisect_right(self.ends, begin)
        first = self.ends[sentence - 1] if sentence else 0
        return self.numbers[sentence], [(begin - first, end - first)]

    def _join(self, begin: int, end: int) -> str:
        return "".join("".join(self.words[begin:end]).split())


def _list_at(value: Mapping[str, Any], key: str, place: str) -> list[Any]:
    """A list of an object, empty if there is none."""
    listed = value.get(key, [])
    expect(isinstance(listed, list), f"{place}: {key}", listed, "a list")
    return list(listed)


def _object(value: Any, place: str) -> dict[str, Any]:
    expect(isinstance(value, dict), place, value, "an object")
    return dict(value)


def _objects_at(
    value: Mapping[str, Any], key: str, place: str, joint: str = ": "
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a list with their places in messages."""
    for number, given in enumerate(_list_at(value, key, place)):
        here = f"{place}{joint}{key}[{number}]"
        yield here, _object(given, here)


def _row(value: Any, place: str, shape: str, size: int = 3) -> list[Any]:
    expect(isinstance(value, list) and len(value) >= size, place, value, shape)
    return list(value)


def _score(row: list[Any]) -> float:
    """How sure a system is of a part of a graph: the number after its label, nan if there is none."""
    return float(row[3]) if len(row) > 3 and is_number(row[3]) else math.nan


def _read_maven(value: dict[str, Any], line: int, place: str, builder: Builder) -> None:
    """Triggers of a document by sentence; negative triggers are passed over."""
    sentences = [part for _, part in _objects_at(value, "content", place)]
    text = _Text.of([part.get("tokens") for part in sentences], place, line, builder)
    if "events" not in value:
        raise InputError(f"{place}: no events, only candidates. Give a file with events.")
    lists = builder.collector(trigger_lists)
    for there, event in _objects_at(value, "events", place):
        type_ = check_label(event.get("type"), there, "event")
        for index, mention in enumerate(_list_at(event, "mention", place)):
            here = f"{there}.mention[{index}]"
            own = _object(mention, here)
            sentence, offset = own.get("sent_id"), _row(own.get("offset"), f"{here}: offset", "[first, end]", 2)
            fits = type(sentence) is int and 0 <= sentence < len(sentences)
            expect(fits, f"{here}: sent_id", sentence, f"a number below {len(sentences)}")
            start = text.ends[sentence - 1] if sentence else 0
            lists.event(*text.find(offset[0], offset[1], own.get("trigger_word"), here, start), type_, line)


_Found = tuple[Any, Any, Any, Any, float, Any, str]
"""Begin, end, text, head and score of a span, its type or role, and its place in messages."""


def _list_mentioned(value: dict[str, Any], place: str) -> Iterator[tuple[_Found, list[_Found]]]:
    """Events whose arguments are mentions of entities, by their ids."""
    mentions: dict[str, dict[str, Any]] = {}
    for key in ("entity_mentions", "value_mentions"):
        for _, mention in _objects_at(value, key, place):
            mentions[quote(mention.get("id"))] = mention
    for here, event in _objects_at(value, "event_mentions", place):
        trigger, arguments = _object(event.get("trigger"), f"{here}.trigger"), []
        for there, argument in _objects_at(event, "arguments", here, "."):
            name = quote(argument.get("entity_id"))
            mention = argument if "start" in argument else mentions.get(name, {})
            if not mention:
                raise InputError(f"{there}: there is no mention {name} of an entity. Name one that is, or its start.")
            said = argument.get("text", mention.get("text"))
            span = (mention.get("start"), mention.get("end"), said, mention.get("head"), math.nan)
            arguments.append((*span, argument.get("role"), there))
        own = (trigger.get("start"), trigger.get("end"), trigger.get("text"), None, math.nan)
        yield (*own, event.get("event_type"), f"{here}.trigger"), arguments


def _list_predicted(value: dict[str, Any], place: str) -> Iterator[tuple[_Found, list[_Found]]]:
    """Events by the places of triggers and arguments."""
    for here, event in _objects_at(value, "events", place):
        rows = [(f"{here}.trigger", event.get("trigger"), "[first, end, type]")]
        listed = _list_at(event, "arguments", here)
        rows += [(f"{here}.arguments[{at}]", row, "[first, end, role]") for at, row in enumerate(listed)]
        checked = [(there, _row(row, there, shape)) for there, row, shape in rows]
        trigger, *arguments = ((row[0], row[1], None, None, math.nan, row[2], there) for there, row in checked)
        yield trigger, arguments


def _list_graph(value: dict[str, Any], place: str) -> Iterator[tuple[_Found, list[_Found]]]:
    """Events of a graph, whose roles are arcs from triggers to entities."""
    place = f"{place}: graph"
    graph = _object(value.get("graph"), place)
    spans: dict[str, list[_Found]] = {}
    for key in ("triggers", "entities"):
        spans[key] = []
        for at, given in enumerate(_list_at(graph, key, place)):
            row = _row(given, f"{place}.{key}[{at}]", "[first, end, type]")
            spans[key].append((row[0], row[1], None, None, _score(row), row[2], f"{place}.{key}[{at}]"))
    arguments: list[list[_Found]] = [[] for _ in spans["triggers"]]
    for at, given in enumerate(_list_at(graph, "roles", place)):
        here = f"{place}.roles[{at}]"
        row = _row(given, here, "[trigger, entity, role]")
        trigger, entity, role = row[:3]
        for number, key in ((trigger, "triggers"), (entity, "entities")):
            fits = type(number) is int and 0 <= number < len(spans[key])
            expect(fits, f"{here}: the number among {key}", number, f"one below {len(spans[key])}")
        arguments[trigger].append((*spans["entities"][entity][:4], _score(row), role, here))
    yield from zip(spans["triggers"], arguments, strict=True)


def _read_mentions(value: dict[str, Any], line: int, place: str, builder: Builder) -> None:
    """Events of a sentence, or of a document that has sentences."""
    sentences: list[Any] = [value.get("tokens")]
    if "sentences" in value:
        # Each is [[[word, from, to], …], text].
        parts = [
            _row(part, f"{place}: sentences", "[words, text]", 1) for part in _list_at(value, "sentences", place)
        ]
        words = [_row(part[0], f"{place}: the words of a sentence", "a list", 0) for part in parts]
        sentences = [[_row(word, f"{place}: a word", "[word, from, to]", 1)[0] for word in part] for part in words]
    text = _Text.of(sentences, place, line, builder)
    keys = {"event_mentions": _list_mentioned, "events": _list_predicted, "graph": _list_graph}
    key = next((key for key in keys if key in value), "")
    if not key:
        raise InputError(f"{place}: contains no events. Give event_mentions, events or graph, [] if there are none.")
    lists = builder.collector(event_lists)
    for trigger, arguments in keys[key](value, place):
        begin, end, said, _, score, type_, here = trigger
        event = lists.event(*text.find(begin, end, said, here), check_label(type_, here, "event"), line, score)
        for begin, end, said, given, score, role, here in arguments:
            sentence, atoms = text.find(begin, end, said, here)
            head = None
            if given is not None:
                own = _object(given, f"{here}: head")
                (there, stretches) = text.find(own.get("start"), own.get("end"), own.get("text"), f"{here}: head")
                head = stretches[0] if there == sentence else None
            lists.argument(event, sentence, atoms, check_label(role, here, "argument"), line, score, head)
