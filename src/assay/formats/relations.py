"""Relations and links: layers over the spans of a corpus, and what readers gather them in.

A relation joins two spans under a label. A link gives a span the identifiers of what it names. Each layer has spans
of its own, so that it does not depend on how the spans of the corpus are sorted, mapped or chosen among.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.corpus import Column, Corpus, Marks
from assay.errors import InputError
from assay.formats.builder import SpanLists, Vocabulary
from assay.records import dataclass

NIL = "NIL"
"""The identifier of a mention that names something without one."""


@dataclass(frozen=True, eq=False)
class Relations:
    """A layer of a Corpus (`corpus.layer(Relations)`): labelled pairs of spans, in the order of their file.

    Nothing is left out here: a relation may be there twice, join a span with itself or cross the ends of sentences.
    Where relations are facts between entities, each joins the first mentions of two of them.
    """

    spans: Marks
    """All spans of the file, whether they take part or not; one without a type has an empty label."""
    labels: Column
    head: Ints
    """The number of the first argument of each relation among the spans …"""
    tail: Ints
    """… and of the second."""
    symmetric: Bools
    """Mask of the relations that the file itself says have no direction."""
    lines: Ints
    """The line of its file that each relation was read from."""
    entity: Ints | None = None
    """The entity of each span, counted over all documents, NONE for a span in none; None where a file has none."""

    def __len__(self) -> int:
        """The number of relations."""
        return len(self.head)

    def moved(self, place: Ints) -> Relations:
        """The same in a corpus whose sentences stand in other places."""
        spans, order = self.spans.moved(place)
        number = np.full(len(self.spans), NONE)
        number[order] = np.arange(len(order))
        entity = None if self.entity is None else self.entity[order]
        head, tail = number[self.head], number[self.tail]
        rows = np.flatnonzero((head != NONE) & (tail != NONE))
        labels = Column(self.labels.codes[rows], self.labels.vocabulary)
        return Relations(spans, labels, head[rows], tail[rows], self.symmetric[rows], self.lines[rows], entity)


@dataclass(frozen=True, eq=False)
class Links:
    """A layer of a Corpus (`corpus.layer(Links)`): mentions and the identifiers that each may have."""

    spans: Marks
    """All mentions, linked or not; one without a type has an empty label."""
    starts: Ints
    """The place of the first identifier of each mention, and behind the last mention their number."""
    identifiers: Column
    """The identifiers of all mentions: alternatives in gold, ranked candidates, best first, in a system.

    A mention without identifiers has no link. One that names something unknown has the identifier NIL.
    """
    scores: np.ndarray | None = None
    """The score of each identifier, nan where it has none; None: the file has no scores."""
    capitals: bool = False
    """True if small letters and capitals are the same in identifiers, which are in capitals here."""

    def __len__(self) -> int:
        """The number of mentions."""
        return len(self.spans)

    def moved(self, place: Ints) -> Links:
        """The same in a corpus whose sentences stand in other places."""
        return self._taken(*self.spans.moved(place))

    def _taken(self, spans: Marks, order: Ints) -> Links:
        sizes = np.diff(self.starts)[order]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = np.repeat(self.starts[order] - starts[:-1], sizes) + np.arange(starts[-1])
        identifiers = Column(self.identifiers.codes[rows], self.identifiers.vocabulary)
        scores = None if self.scores is None else self.scores[rows]
        return replace(self, spans=spans, starts=starts, identifiers=identifiers, scores=scores)


def relations_of(corpus: Corpus) -> Relations:
    """The relations of a corpus; none between its spans where its file has no relations."""
    found = corpus.layer(Relations)
    if found is None:
        none = np.zeros(0, dtype=np.int64)
        found = Relations(_spans_of(corpus), Column.of(()), none, none, none.astype(bool), none)
    return found


def links_of(corpus: Corpus) -> Links:
    """The links of a corpus; none at its spans where its file has no links."""
    found = corpus.layer(Links)
    if found is None:
        spans = _spans_of(corpus)
        found = Links(spans, np.zeros(len(spans) + 1, dtype=np.int64), Column.of(()))
    return found


def _spans_of(corpus: Corpus) -> Marks:
    if corpus.spans is None:
        raise InputError(
            f"{corpus.name}: holds no spans ({corpus.format}), so there is nothing to relate or to link. "
            "Is it another --task or --input-format?"
        )
    return corpus.spans


class RelationLists(SpanLists):
    """Spans and relations as readers find them; it ends in Relations."""

    def __init__(self) -> None:
        super().__init__()
        self._relations = array("q")
        """Label, head, tail, symmetric or not, and line of each relation."""
        self._names = Vocabulary[str]()
        self._entities: dict[int, int] = {}
        self._entity = 0

    def relation(self, label: str, head: int, tail: int, line: int, *, symmetric: bool = False) -> None:
        """A relation between two spans, by their numbers."""
        self._relations.extend((self._names[label], head, tail, symmetric, line))

    def relations(self, arguments: Ints, labels: Sequence[str], line: int) -> None:
        """Many relations of one line at once: rows of head and tail, and the label of each."""
        rows = np.empty((len(labels), 5), dtype=np.int64)
        rows[:, 0] = [self._names[label] for label in labels]
        rows[:, 1:3] = arguments
        rows[:, 3:] = False, line
        self._relations.frombytes(rows.tobytes())

    def entity(self, spans: Sequence[int]) -> None:
        """An entity: all its mentions, by their numbers."""
        self._entities.update(dict.fromkeys(spans, self._entity))
        self._entity += 1

    def layer(self) -> Relations:
        """The relations of all files."""
        spans, order = self.sorted()
        number = np.argsort(order)
        codes, head, tail, symmetric, lines = np.array(self._relations, dtype=np.int64).reshape(-1, 5).T
        entity = None
        if self._entity:
            entity = np.full(len(spans), NONE)
            entity[number[list(self._entities)]] = list(self._entities.values())
        labels = Column(codes.astype(np.int32), tuple(self._names))
        return Relations(spans, labels, number[head], number[tail], symmetric.astype(bool), lines, entity)


class LinkLists(SpanLists):
    """Mentions with their identifiers as readers find them; it ends in Links."""

    def __init__(self) -> None:
        super().__init__()
        self._links: dict[int, tuple[Sequence[str], Sequence[float]]] = {}

    def link(self, span: int, identifiers: Sequence[str], scores: Sequence[float] = ()) -> None:
        """The identifiers of a mention, best first, with their scores where they have some."""
        self._links[span] = identifiers, scores

    def layer(self) -> Links:
        """The links of all files."""
        spans, order = self.sorted()
        found = [self._links.get(number, ((), ())) for number in order.tolist()]
        starts = np.concatenate([[0], np.cumsum([len(names) for names, _ in found], dtype=np.int64)])
        identifiers = Column.of([name for names, _ in found for name in names])
        scores = None
        if any(given for _, given in found):
            scores = np.array([s for names, given in found for s in (given or [np.nan] * len(names))], dtype=float)
        return Links(spans, starts.astype(np.int64), identifiers, scores)
