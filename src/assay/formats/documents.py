"""Documents as readers find them, handed to a Builder: whose annotation is read, which layer, what is left out.

A reader yields documents with a text or words and the annotations of people and models, whose spans and relations are
written as in our JSON. Offsets, faults and metadata are looked at here, once for all formats.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from assay.arrays import Stretches
from assay.classes import dataclass
from assay.errors import InputError
from assay.formats.builder import Builder, merge_stretches
from assay.formats.jsontext import check_string, expect, is_number, is_text, quote
from assay.formats.offsets import (
    AUTO,
    COUNTED,
    LOST,
    Fragments,
    check_bounds,
    check_span,
    check_text,
    convert_fragments,
    find_unit,
    quote_text,
)
from assay.formats.relations import NIL, link_lists, relation_lists
from assay.formats.whose import DROPPED, Annotation

_LABELS = ("label", "type", "entity_group", "entity_type", "category", "tag", "labels", "entity")
"""Keys of a span's label; `entity` comes last, for beside another of these it is the mention itself."""
_STARTS = ("start", "begin", "start_offset", "start_char")
_ENDS = ("end", "end_offset", "end_char")
_MENTIONS = ("text", "word", "mention", "name", "entity", "value", "span")
_IN_OTHER_LAYER = -1
"""The number of a span that is not read, because it is in a layer that is not asked for."""
CONFIDENCES = ("score", "confidence", "prob")
"""Keys of a span or relation that say how sure a system is of it."""
_HEADS = ("head", "from", "from_id")
_TAILS = ("tail", "child", "to", "to_id")
_PLACES = {"head": "head_span", "child": "child_span"}
"""Keys beside a relation's arguments under which Prodigy has their offsets; the arguments are tokens there."""
_LINKS = dict.fromkeys(("link", "links", "kb_id")).keys()
"""Keys under which a span has identifiers."""
_UNCHECKED = (
    "Documents with characters beyond U+FFFF and spans without texts, so that nothing shows whether offsets count "
    "characters, as is assumed: {}."
)


# There are many of these, and frozen classes take three times as long to make.
@dataclass
class Document:
    """A document as a reader finds it: its text or its words, and what each annotator or model says of it."""

    line: int
    place: str
    """File and line, for messages."""
    annotations: Sequence[Annotation]
    name: str | None = None
    """Its id."""
    text: str | None = None
    tokens: Sequence[Any] | None = None
    """Its words, whose numbers spans count; with a text their places in it, `{"start": 0, "end": 5}`."""
    sentences: Sequence[tuple[int, int]] = ()
    """Begin and end of its sentences in the text; without any it is one unit as a whole."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What is known about it: texts, numbers, and objects of these."""
    shape: str = ""
    """The shape of its file if the format has several, as the heading names it: Label Studio JSON."""
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Labels of its words by column."""


def add_document(
    document: Document, builder: Builder, *, find: bool = False, trim: bool = False, offsets: str = AUTO
) -> None:
    """Hand a document's words or text to the builder, and the spans and relations of the annotation that is meant."""
    place, line, text, name = document.place, document.line, document.text, document.name
    builder.shape = document.shape or builder.shape
    if builder.asked.surveys:
        _survey(document.annotations, builder)
    # The tokens, where these are the atoms, and their characters, where spans are given by these nevertheless.
    tokens, bounds = (None, None) if document.tokens is None else _tokens(document.tokens, text, place)
    chosen: Annotation | str = document.annotations[0] if len(document.annotations) == 1 else ""
    if not isinstance(chosen, Annotation) or chosen.name is not None:
        chosen = builder.whose.choose(place, document.annotations)
    elif chosen.status:
        chosen = chosen.status
    if isinstance(chosen, str):
        builder.leave_out(name or "", chosen)
        return
    spans, relations = builder.layers.choose(chosen.spans), chosen.relations
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
    builder.describe(flatten(document.metadata))
    first = builder.sentence
    starts = [start for start, _ in document.sentences] or [0]
    if tokens is not None:
        forms = tokens or [""]
        width = len(builder.names) + 1
        cells = [""] * (width * len(forms))
        cells[::width] = forms
        for at, column in enumerate(builder.names if tokens else (), 1):
            cells[at::width] = document.columns[column]
        builder.add(cells, [builder.words + len(forms)], [line])
    else:
        text = text or ""
        # What is between two sentences belongs to the one before, so that characters are counted over their ends.
        for start, end in pairwise([0, *starts[1:], len(text)]):
            builder.text(text[start:end], line)
        starts[0] = 0
    if chosen.unread:
        builder.unread.update(chosen.unread)
    for note, number in chosen.notes.items():
        builder.note(note, number)
    is_all, holds = len(spans) == len(chosen.spans), builder.layers.holds
    parsed = [
        _parse_span(item, f"{place}: span {number}") if is_all or holds(item) else _Span("", [], (), None, item)
        for number, item in enumerate(chosen.spans, 1)
    ]
    table = None
    if text and not text.isascii():
        placed = [(span.text, span.fragments) for span in parsed if span.text is not None and span.fragments]
        if offsets == AUTO and spans and not placed and bounds is None and max(text) > "\uffff":
            builder.note(_UNCHECKED, 1)
        if unit := find_unit(text, placed, offsets, place):
            builder.offsets.update([unit[0]] if offsets == AUTO else [])
            table = unit[1]
    reader = _Document(builder, line, place, text, tokens, bounds, find, trim, first, starts, table)
    reader.read_spans(parsed, related=bool(relations))
    if chosen.entities:
        reader.read_entities(chosen.entities)
    if relations:
        reader.read_relations(relations)


def _survey(annotations: Sequence[Annotation], builder: Builder) -> None:
    """Count the labels of all annotations by layer."""
    for annotation in (one for one in annotations if not one.status):
        for default, marks in (("spans", annotation.spans), ("relations", annotation.relations)):
            for mark in marks:
                known = mark if isinstance(mark, dict) else {"label": mark[2:]} if isinstance(mark, list) else {}
                given = known.get(_first_of(_LABELS, known) or "", "")
                layer = builder.labels.setdefault(str(known.get("layer", default)), Counter())
                layer.update(str(label) for label in _as_list(given))


def flatten(given: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Keys and values as texts, those of objects by dotted keys; lists and what is empty are left out."""
    for key, value in given.items():
        if isinstance(value, str | int | float):
            text = quote(value) if isinstance(value, bool) else " ".join(str(value).split())
            if text:
                yield f"{above}{key}", text
        elif isinstance(value, Mapping):
            yield from flatten(value, f"{above}{key}.")


@dataclass
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
    first: int
    """The number of its first sentence."""
    starts: list[int]
    """The places in the text at which its sentences begin."""
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

    def read_spans(self, spans: Sequence[_Span], *, related: bool) -> None:
        """Hand the spans to the builder, with their identifiers; `related`: remember them for relations."""
        relations = self.builder.over_spans(relation_lists, wanted=related)
        linked = any(not _LINKS.isdisjoint(span.given) and _link_keys(span.given) for span in spans)
        links = self.builder.over_spans(link_lists, wanted=linked)
        for span in spans:
            numbers: list[int] = [] if span.labels else [_IN_OTHER_LAYER]
            self.numbers.append(numbers)
            known = span.given
            if span.labels and (fragments := self._atoms(span)):
                sentence, atoms = self._place(fragments)
                score = self._score(known)
                for label in span.labels:
                    self.builder.span(sentence, atoms, label, self.line, score)
                    if links is not None:
                        mention = links.span(sentence, atoms, label, self.line, score)
                        if _link_keys(known):
                            links.link(mention, *_identifiers(known, span.place))
                    if relations is not None:
                        numbers.append(relations.span(sentence, atoms, label, self.line, score))
                        self.by_place.setdefault(merge_stretches(fragments), {})[label] = numbers[-1]
            name = known.get("id")
            if isinstance(name, str | int) and self.by_id.setdefault(name, numbers) is not numbers:
                raise InputError(f"{span.place}: has the id {quote(name)} of another span. Give each its own.")

    def read_entities(self, entities: Mapping[str, Sequence[int]]) -> None:
        """Group the spans of each entity; relations name entities then, and join their first mentions."""
        for name, members in entities.items():
            mentions = [number for member in members for number in self.numbers[member] if number >= 0]
            self.by_id[name] = mentions[:1]
            if mentions:
                self.builder.collector(relation_lists).entity(mentions)

    @cached_property
    def numbered(self) -> bool:
        """True if ids of spans are numbers, so that a number is an id and no place in the list."""
        return any(type(name) is int for name in self.by_id)

    def _place(self, fragments: Fragments) -> tuple[int, Fragments]:
        """The sentence in which a span begins, and its stretches of atoms counted from there on."""
        if len(self.starts) == 1:
            return self.first, fragments
        number = bisect_right(self.starts, fragments[0][0]) - 1
        before = self.starts[number]
        return self.first + number, [(start - before, end - before) for start, end in fragments]

    def _atoms(self, span: _Span) -> Fragments:
        """The stretches of atoms of a span; none if it is dropped."""
        here, fragments = span.place, span.fragments
        if fragments is None:
            fragments = [_find(_mention_of(span.given) if self.find else "", self.text, self.taken, here)]
            self.builder.note("Mentions without offsets that were placed where they next occur in the text: {}.", 1)
        if self.find:
            self.taken.update(fragments)
        try:
            return self._fit(span.text, fragments, here)
        except InputError as error:
            self.builder.fault(str(error))
            if self.builder.asked.repair:
                self.builder.repair("spans that are not at tokens", DROPPED, here)
            return ()

    def _fit(self, said: str | None, fragments: Fragments, here: str) -> Fragments:
        """The stretches of atoms of a span with this text; none if it is dropped, an error if tokens do not fit."""
        text, tokens = self.text, self.tokens
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
            if said is not None and "\\n" in said and said not in text:
                said = said.replace("\\n", "\n")
            fragments = check_span(said, text, fragments, here, self.builder, trim=self.trim) or ()
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
        return fragments

    def _score(self, mark: dict[str, Any]) -> float:
        """The confidence of a span or relation in the file; nan if there is none, or no number."""
        key = _first_of(CONFIDENCES, mark)
        if key is None:
            return math.nan
        value = mark[key]
        if is_number(value):
            return float(value)
        self.builder.note("Confidences that are not numbers, and were not read: {}.", 1)
        return math.nan

    def read_relations(self, given: Sequence[Any]) -> None:
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
            if _IN_OTHER_LAYER in (head, tail):
                self.builder.unread["Relations of spans in other layers"] += 1
                continue
            if head is None or tail is None:
                # Faults that are not to be repaired are refused at the end.
                if self.builder.asked.repair:
                    self.builder.repair(LOST, DROPPED, here)
                continue
            for label in _as_list(item[name]):
                named = "" if item.get("unlabelled") else check_label(label, here, "relation")
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
            span = _parse_span({**value, "label": "?"} if unlabelled else value, here)
            labels, fragments = span.labels, self._atoms(span)
            if not fragments:
                return None
            there = self.by_place.setdefault(merge_stretches(fragments), {})
            found = list(there.values()) if unlabelled else [there[label] for label in labels if label in there]
            if not found:
                label = "" if unlabelled else labels[0]
                lists = self.builder.collector(relation_lists)
                there[label] = lists.span(*self._place(fragments), label, self.line)
                found = [there[label]]
                self.builder.note("Arguments of relations that are not among the spans: {}.", 1)
        elif isinstance(value, str) or (type(value) is int and self.numbered):
            if value not in self.by_id:
                self.builder.fault(
                    f"{here} is {quote(value)}, which is the id of no span. Name a span that is listed."
                )
            found = self.by_id.get(value, [])
        elif type(value) is int:
            there_is = 0 <= value < len(self.numbers)
            if not there_is:
                self.builder.fault(
                    f"{here} is {value}, but there are {len(self.numbers)} spans. Count from 0, or give ids."
                )
            found = self.numbers[value] if there_is else []
        else:
            raise InputError(f"{here} is {quote(value)}. Give a span's id, its place in the list, or its offsets.")
        if len(found) > 1:
            raise InputError(f"{here} matches {len(found)} spans. Give each its own id, and name one.")
        return found[0] if found else None


def _link_keys(span: dict[str, Any]) -> list[str]:
    """The keys under which a span has identifiers."""
    return [key for key in _LINKS if span.get(key) not in (None, "")]


def _identifiers(span: dict[str, Any], here: str) -> tuple[list[str], list[float]]:
    """Identifiers of a span that has some, best first, and their scores; no scores if none has one."""
    keys = _link_keys(span)
    if len(keys) > 1:
        raise InputError(f"{here}: identifiers in {' and in '.join(keys)}. Keep one of them.")
    candidates = span[keys[0]]
    names, scores = [], []
    for candidate in candidates if isinstance(candidates, list) else [candidates]:
        fields = candidate if isinstance(candidate, dict) else {"id": candidate}
        name, score = fields.get("id"), fields.get("score")
        name = check_string(name, f"{here}: an identifier")
        if name.split() != [name]:
            raise InputError(f"{here}: the identifier {quote_text(name)} is empty or has blanks in it. Remove them.")
        expect(score is None or is_number(score), f"{here}: the score of {name}", score, "a number")
        names.append(name)
        scores.append(math.nan if score is None else float(score))
    if not names:
        # An empty list of candidates: nothing that is known.
        return [NIL], []
    return names, [] if all(map(math.isnan, scores)) else scores


def check_ids(has_id: bool, before: bool, place: str) -> None:
    """Stop with an error if a document has an id and those before it have none, or the other way round."""
    if has_id != before:
        this, others = ("an", "none") if has_id else ("no", "one")
        raise InputError(f"{place}: has {this} id, but those before it have {others}. Give all one, or none.")


def _tokens(given: Any, text: str | None, place: str) -> tuple[list[str], list[tuple[int, int]] | None]:
    """The tokens and, if these are given, their places in the text."""
    if not isinstance(given, list) or {*map(type, given)} not in (set(), {str}, {dict}):
        raise InputError(f'{place}: tokens should be a list of strings, or of {{"start": 0, "end": 5}}.')
    if text is None and {*map(type, given)} == {str} and all(given) and is_text("".join(given)):
        return given, None
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
    if type(start) is int and type(end) is int:
        return start, end
    name, value = ("end", end) if type(start) is int else ("start", start)
    raise InputError(f"{place}: {name} is {quote(value)}, but a whole number is expected.")


@dataclass
class _Span:
    """A span of JSON whose keys are known."""

    place: str
    labels: list[str]
    """None if it is in a layer that is not asked for."""
    fragments: Fragments | None
    """Its place; None without one."""
    text: str | None
    given: dict[str, Any]
    """All that the file says of it."""


def _parse_span(item: Any, place: str) -> _Span:
    """A span of JSON; what is none stops with an error."""
    if isinstance(item, list) and len(item) == 3:
        return _Span(place, [check_label(item[2], place)], [_pair(item[0], item[1], place)], None, {})
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
    parts, start, end = item.get("fragments"), item.get("start"), item.get("end")
    if parts is None and type(start) is int and type(end) is int:
        fragments = [(start, end)]
    elif parts is not None:
        if not isinstance(parts, list) or not parts or not all(isinstance(p, list) and len(p) == 2 for p in parts):
            raise InputError(f"{place}: fragments should be a list of pairs: [[0, 5], [16, 23]].")
        fragments = [_pair(first, behind, place) for first, behind in parts]
    elif (start := _first_of(_STARTS, item)) is not None or _first_of(_ENDS, item) is not None:
        fragments = [_pair(item.get(start or "start"), item.get(_first_of(_ENDS, item) or "end"), place)]
    said = item.get("text")
    # A layer may have spans without a value.
    labels = [""] if item.get("unlabelled") else [check_label(label, place) for label in _as_list(item[name])]
    return _Span(place, labels, fragments, said if isinstance(said, str) else None, item)


def _mention_of(item: dict[str, Any]) -> str:
    """The string to look for if a span has no place."""
    label = _first_of(_LABELS, item)
    mentions = (item[key] for key in _MENTIONS if key != label and isinstance(item.get(key), str))
    return str(next(mentions, "")).strip()


def _as_list(value: Any) -> list[Any]:
    """A list with members, or the value as the only member of one."""
    return value if isinstance(value, list) and value else [value]


def _first_of(keys: Sequence[str], item: dict[str, Any]) -> str | None:
    """The first of these keys that has a value."""
    for key in keys:
        if item.get(key) is not None:
            return key
    return None


@lru_cache
def _is_label(value: str) -> bool:
    """True if a text can be a label."""
    return is_text(value) and bool(value.strip()) and not any(mark in value for mark in "\t\r\n")


def check_label(value: Any, place: str, of: str = "span") -> str:
    """A label as text; other values stop with an error."""
    if isinstance(value, str) and _is_label(value):
        return value
    if type(value) is int:
        return str(value)
    label = check_string(value, f"{place}: the label")
    if not label.strip():
        raise InputError(f"{place}: the label is empty. Give one, or remove the {of}.")
    if any(mark in label for mark in "\t\r\n"):
        raise InputError(f"{place}: the label {label!r} has a tab or a line break in it. Remove it.")
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
