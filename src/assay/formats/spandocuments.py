"""Documents of a corpus as writers need them: text or words, spans of all layers in one list, relations, metadata.

This is the way back of `documents`: what readers hand over there, writers take from here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import accumulate, pairwise
from math import isnan, nan
from typing import Any

import numpy as np

from assay.arrays import NONE, Stretches
from assay.classes import dataclass
from assay.corpus import Corpus, Marks
from assay.errors import UsageError
from assay.formats.events import ARGUMENTS, ATTRIBUTES, BETWEEN, EVENTS
from assay.formats.relations import is_symmetric, links_in, relations_in

_PART = re.compile(r"\((.+)\); part 000")
_WORD = re.compile(r"\w+|[^\w\s]")
_OF_SENTENCES = re.compile(r"sent_id|text|newdoc.*|newpar.*|global\..*")
"""Keys of comments that are no metadata of documents."""
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})")


@dataclass
class SpanMention:
    """A span of a document, its atoms counted there."""

    atoms: Stretches
    label: str
    sentence: int
    """The sentence in which it begins, counted in the document."""
    listed: bool
    """False for the argument of a relation that is not among the spans."""
    score: float = nan
    entity: int = NONE
    identifiers: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    agreed: bool = False
    """True if all annotators have it, when their differences are written."""

    @property
    def confidence(self) -> dict[str, float]:
        """Its score under this name, if it has one."""
        return {} if isnan(self.score) else {"score": self.score}

    @property
    def links(self) -> dict[str, Any]:
        """Its identifiers as our JSON has them."""
        scored = [not isnan(score) for score in self.scores]
        if any(scored):
            pairs = zip(self.identifiers, self.scores, scored, strict=True)
            return {"links": [{"id": name, "score": score} if has else name for name, score, has in pairs]}
        if len(self.identifiers) > 1:
            return {"links": self.identifiers}
        return {"link": self.identifiers[0]} if self.identifiers else {}


@dataclass
class SpanEvent:
    """An event of a document: its trigger, labelled with its type, and its arguments, labelled with their roles."""

    trigger: SpanMention
    attributes: list[str]
    arguments: list[SpanMention] = field(default_factory=list)


@dataclass
class SpanDocument:
    """A document with the spans of all layers in one list."""

    name: str
    by_id: bool
    """True if the name is its id, not its number."""
    sentences: list[list[str]]
    """Its words; empty if it has a text."""
    text: str | None
    breaks: list[int]
    """The word or character at which each sentence begins, and the end."""
    relates: bool
    """True if its corpus has relations, even if it has none itself."""
    metadata: dict[str, Any] = field(default_factory=dict)
    mentions: list[SpanMention] = field(default_factory=list)
    relations: list[tuple[str, int, int, bool, float]] = field(default_factory=list)
    """Label, head and tail among the mentions, whether it has no direction, and its score."""
    clusters: list[list[list[int]]] = field(default_factory=list)
    events: list[SpanEvent] = field(default_factory=list)
    has_events: bool = False
    """True if its corpus has events."""

    @property
    def key(self) -> dict[str, str]:
        """Its id under this name, if it has one."""
        return {"id": self.name} if self.by_id else {}

    @cached_property
    def whole(self) -> str:
        """The text, or the words with blanks between them and a line for each sentence."""
        return "\n".join(map(" ".join, self.sentences)) if self.text is None else self.text

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """Begin and end of each word in the text, which is cut at white space, punctuation and the ends of spans."""
        if self.text is None:
            lengths = [len(word) for words in self.sentences for word in words]
            ends = accumulate(length + 1 for length in lengths)
            return [(end - length - 1, end - 1) for end, length in zip(ends, lengths, strict=True)]
        cuts = {*self.breaks, *(place for mention in self.mentions for part in mention.atoms for place in part)}
        cuts.update(place for match in _WORD.finditer(self.text) for place in match.span())
        return [(start, end) for start, end in pairwise(sorted(cuts)) if self.text[start:end].strip()]

    @property
    def words(self) -> list[str]:
        """The words, as `bounds` has them."""
        return [self.whole[start:end] for start, end in self.bounds]

    @cached_property
    def starts(self) -> list[int]:
        """The first word of each sentence, and the number of all."""
        if self.text is None:
            return self.breaks
        begins = [start for start, _ in self.bounds]
        return [bisect_left(begins, place) for place in self.breaks]

    def places_in_text(self, mention: SpanMention) -> Stretches:
        """Begin and end of the parts of a mention in the text."""
        if self.text is not None:
            return mention.atoms
        return tuple((self.bounds[first][0], self.bounds[end - 1][1]) for first, end in mention.atoms)

    def places_in_words(self, mention: SpanMention) -> Stretches:
        """First word and end of the parts of a mention."""
        if self.text is None:
            return mention.atoms
        begins = [start for start, _ in self.bounds]
        return tuple((bisect_left(begins, start), bisect_left(begins, end)) for start, end in mention.atoms)

    @cached_property
    def triggers(self) -> dict[tuple[Stretches, str], SpanMention]:
        """The triggers of events by place and type, each once."""
        return {(event.trigger.atoms, event.trigger.label): event.trigger for event in self.events}

    @property
    def own_relations(self) -> list[tuple[str, int, int, bool, float]]:
        """The relations but for arguments of events, which brat's reader has among them."""
        roles = {(one.label, event.trigger.atoms, one.atoms) for event in self.events for one in event.arguments}
        places = [mention.atoms for mention in self.mentions]
        is_text = self.text is not None
        return [row for row in self.relations if not is_text or (row[0], places[row[1]], places[row[2]]) not in roles]

    def list_spans(self, target: str, *, words: bool = False) -> list[tuple[int, int, SpanMention]]:
        """Begin and end of each mention in the text, or among the words; refused if the target cannot contain it."""
        begins, spans = [start for start, _ in self.bounds], []
        for mention in self.mentions:
            (start, end), *more = self.places_in_text(mention)
            if more:
                raise self.refusal(f"the span {self.quote(mention)} has a gap", target)
            if not mention.label:
                raise self.refusal("a span without a type", target)
            place = (bisect_left(begins, start), bisect_left(begins, end)) if words else (start, end)
            spans.append((*place, mention))
        return spans

    def quote(self, mention: SpanMention) -> str:
        """The text of a mention in quotes."""
        return repr(" ".join(self.whole[start:end] for start, end in self.places_in_text(mention)))

    def refusal(self, fact: str, target: str, better: str = "jsonl") -> UsageError:
        """The error that the target has no place for something in this document."""
        return UsageError(f"document {self.name}: {fact}, which {target} has no place for. Use --to {better}")


def cut_sentences(corpus: Corpus) -> Corpus:
    """The corpus with sentences as documents if its file marks no documents."""
    spans, marked = corpus.spans, corpus.by_id or corpus.texts is not None or corpus.in_documents
    crossing = (spans.end > np.diff(corpus.starts)[spans.unit]).any()
    if marked or corpus.documents > max(len(corpus.files), 1) or crossing:
        return corpus
    starts = np.arange(corpus.sentences + 1)
    return replace(corpus, document_starts=starts, document_ids=corpus.sentence_ids, by_id=True)


def split_documents(corpus: Corpus) -> list[SpanDocument]:
    """The documents of a corpus, each with the spans of all layers in one list."""
    firsts = [0, corpus.sentences] if corpus.document_starts is None else corpus.document_starts.tolist()
    lengths = np.diff(corpus.starts).tolist() if corpus.texts is None else list(map(len, corpus.texts))
    forms, starts = corpus.forms.strings(), corpus.starts.tolist()
    documents, base = [], []
    described = _list_metadata(corpus, firsts)
    for number, (first, end) in enumerate(pairwise(firsts)):
        words = [forms[starts[sentence] : starts[sentence + 1]] for sentence in range(first, end)]
        text = None if corpus.texts is None else "".join(corpus.texts[first:end])
        # Documents without ids are numbered, because their names may be lines that several share.
        name = corpus.document_name(number) if corpus.by_id else str(number + 1)
        short = _PART.fullmatch(name)
        breaks = [0, *accumulate(lengths[first:end])]
        content = (words if text is None else [], text, breaks, "relations" in corpus.marks, described[number])
        document = SpanDocument(short[1] if short else name, corpus.by_id, *content)
        document.has_events = EVENTS in corpus.marks
        documents.append(document)
        base += breaks[:-1]
    owner = corpus.document_of_sentence.tolist()
    numbers: dict[tuple[int, Stretches, str, int], tuple[int, int]] = {}

    def list_mentions(spans: Marks, *, listed: bool) -> Iterator[tuple[int, SpanMention]]:
        """The document of each span, and what it is there."""
        scores = spans.scores.tolist() or [nan] * len(spans)
        rows = zip(spans.unit.tolist(), spans.begin.tolist(), spans.end.tolist(), scores, strict=True)
        for number, ((sentence, begin, end, score), label) in enumerate(
            zip(rows, spans.labels.strings(), strict=True)
        ):
            stretches = spans.stretches.get(number, ((begin, end),))
            atoms = tuple((base[sentence] + first, base[sentence] + after) for first, after in stretches)
            yield owner[sentence], SpanMention(atoms, label, sentence - firsts[owner[sentence]], listed, score)

    def add_spans(spans: Marks, *, listed: bool) -> list[tuple[int, int]]:
        """Add spans to their documents, and return document and number of each; equal spans of two layers are one."""
        times: Counter[tuple[int, Stretches, str]] = Counter()
        places = []
        for owned, mention in list_mentions(spans, listed=listed):
            key = (owned, mention.atoms, mention.label)
            times[key] += 1
            if (*key, times[key]) not in numbers:
                numbers[(*key, times[key])] = owned, len(documents[owned].mentions)
                documents[owned].mentions.append(mention)
            places.append(numbers[(*key, times[key])])
        return places

    add_spans(corpus.spans, listed=True)
    if "relations" in corpus.marks:
        spans, relations = relations_in(corpus)
        places = add_spans(spans, listed=False)
        for (owned, number), entity in zip(places, () if spans.group is None else spans.group, strict=False):
            documents[owned].mentions[number].entity = int(entity)
        columns = (*(relations.arguments[role] for role in ("head", "tail")), is_symmetric(relations))
        sure = relations.scores.tolist() or [nan] * len(relations)
        for label, head, tail, symmetric, score in zip(
            relations.labels.strings(), *(column.tolist() for column in columns), sure, strict=True
        ):
            if places[head][0] != places[tail][0]:
                raise UsageError(f"{corpus.name}: a relation {label} between two documents, which no format allows.")
            documents[places[head][0]].relations.append((label, places[head][1], places[tail][1], symmetric, score))
    if "links" in corpus.marks:
        spans, candidates = links_in(corpus)
        places = add_spans(spans, listed=True)
        scores = candidates.scores.tolist() or [nan] * len(candidates)
        rows = zip(candidates.arguments["mention"].tolist(), scores, strict=True)
        for name, (row, score) in zip(candidates.labels.strings(), rows, strict=True):
            owned, number = places[row]
            mention = documents[owned].mentions[number]
            mention.identifiers.append(name)
            mention.scores.append(score)
    if mentions := corpus.marks.get("mentions"):
        clusters: dict[tuple[int, int], list[list[int]]] = {}
        columns = mentions.unit, mentions.columns["chain"].codes, mentions.begin, mentions.end
        for owned, chain, begin, end in np.stack(columns, axis=1).tolist():
            clusters.setdefault((owned, chain), []).append([begin, end - 1])
        for (owned, _), cluster in clusters.items():
            documents[owned].clusters.append(cluster)
    if triggers := corpus.marks.get(EVENTS):
        texts = triggers.columns[ATTRIBUTES].strings()
        events: dict[int, SpanEvent] = {}
        groups = [] if triggers.group is None else triggers.group.tolist()
        for number, text, (owned, mention) in zip(groups, texts, list_mentions(triggers, listed=True), strict=True):
            events[number] = SpanEvent(mention, text.split(BETWEEN) if text else [])
            documents[owned].events.append(events[number])
        arguments = corpus.marks.get(ARGUMENTS)
        if arguments is not None and arguments.group is not None:
            for number, (_, mention) in zip(
                arguments.group.tolist(), list_mentions(arguments, listed=False), strict=True
            ):
                events[number].arguments.append(mention)
    return documents


def _list_metadata(corpus: Corpus, firsts: Sequence[int]) -> list[dict[str, Any]]:
    """The metadata of each document that hold for all its sentences; whole numbers if a key has nothing else."""
    found: list[dict[str, Any]] = [{} for _ in firsts[1:]]
    for key in corpus.metadata_keys():
        if _OF_SENTENCES.fullmatch(key) and not corpus.in_documents:
            continue
        values = corpus.metadata(key)
        is_number = all(value is None or _NUMBER.fullmatch(value) for value in values)
        for document, (first, end) in zip(found, pairwise(firsts), strict=True):
            value = values[first]
            if value is not None and values[first:end].count(value) == end - first:
                document[key] = int(value) if is_number else value
    return found


def list_repairs(corpus: Corpus) -> list[str]:
    """A sentence for each kind of fault that was repaired."""
    return [f"{fault}: {number:,} {action} (the first: {first})." for fault, action, number, first in corpus.repairs]


def describe_lost(columns: Sequence[str]) -> str:
    """The words on columns without a place in a target, after "has no"."""
    if len(columns) == 1:
        return f"place for column {columns[0]}, which is left out."
    return f"place for columns {', '.join(columns)}, which are left out."


def list_losses(target: str, rows: Iterable[tuple[int, str]]) -> list[str]:
    """A sentence for each loss; rows are the number lost and the words after "has no"."""
    return [f"{target} has no {text.replace('{}', f'{number:,}')}" for number, text in rows if number]
