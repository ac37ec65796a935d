"""Relations and links: marks that refer to spans, and what readers gather them in.

A relation joins two spans under a label. A link gives a span the identifiers of what it names: its candidates. The
spans that they refer to are a layer of their own, so that nothing depends on how the spans of the corpus are sorted,
mapped or chosen among. One without a type has an empty label.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.corpus import Column, Corpus, Marks
from assay.corpus.marks import REFERENCES
from assay.errors import InputError
from assay.formats.builder import SpanLists, Vocabulary, fill_scores

NIL = "NIL"
"""The identifier of a mention that names something without one."""
SYMMETRIC = "symmetric"
"""The column of relations that is filled if the file itself says that they have no direction."""
CAPITALS = "capitals"
"""The column that candidates have if case does not matter in identifiers, which are in capitals then."""


def relations_in(corpus: Corpus) -> tuple[Marks, Marks]:
    """The spans of a corpus and the relations between them; none if its file has no relations.

    Nothing is left out: a relation may be there twice, join a span with itself or cross the ends of sentences. If
    relations are facts between entities, the groups of the spans, each joins the first mentions of two of them.
    """
    return _referring(corpus, "relations", "head", "tail")


def links_in(corpus: Corpus) -> tuple[Marks, Marks]:
    """The mentions of a corpus and the candidates of their links; none if its file has no links.

    Candidates are labelled with identifiers: alternatives in gold, ranked ones, best first, in a system. A mention
    without any has no link. One that names something unknown has the identifier NIL.
    """
    return _referring(corpus, "candidates", "mention")


def _referring(corpus: Corpus, layer: str, *roles: str) -> tuple[Marks, Marks]:
    if layer in corpus.marks:
        return corpus.marks[REFERENCES[layer]], corpus.marks[layer]
    if "spans" not in corpus.marks:
        raise InputError(
            f"{corpus.name}: contains no spans ({corpus.format}), so there is nothing to relate or to link. "
            "Try another --task or --input-format."
        )
    none = np.zeros(0, dtype=np.int64)
    empty = Marks.without_place(none, Column.of(()), **dict.fromkeys(roles, none))
    return corpus.spans, replace(empty, columns={SYMMETRIC: Column.of(())})


def is_symmetric(relations: Marks) -> Bools:
    """Mask of the relations that the file itself says have no direction."""
    return relations.columns[SYMMETRIC].isin((SYMMETRIC,))


def make_candidates(unit: Ints, mention: Ints, identifiers: Column, *, capitals: bool = False) -> Marks:
    """Candidates without scores: the unit, the mention and the identifier of each, in the order of mentions."""
    columns = {CAPITALS: Column(np.zeros(len(mention), dtype=np.int8), (CAPITALS,))} if capitals else {}
    return replace(Marks.without_place(unit, identifiers, mention=mention), columns=columns)


class References(SpanLists):
    """Spans as readers find them, and marks that refer to them; it ends in both layers."""

    def __init__(self, layer: str, *roles: str) -> None:
        super().__init__()
        self._layer, self._roles = layer, roles
        self._references = array("q")
        """Label, symmetric or not, line and arguments of each mark."""
        self._names = Vocabulary[str]()
        self._scores: dict[int, float] = {}
        self._entities: dict[int, int] = {}
        self._entity = 0

    def _score(self, scores: Iterable[float]) -> None:
        """Take down the scores of the marks that come next, nan for none."""
        first = len(self._references) // (3 + len(self._roles))
        self._scores.update((number, score) for number, score in enumerate(scores, first) if not math.isnan(score))

    def relation(
        self, label: str, head: int, tail: int, line: int, *, symmetric: bool = False, score: float = math.nan
    ) -> None:
        """A relation between two spans, by their numbers."""
        if not math.isnan(score):
            self._score([score])
        self._references.extend((self._names[label], symmetric, line, head, tail))

    def relations(self, arguments: Ints, labels: Sequence[str], line: int, scores: Iterable[float] = ()) -> None:
        """Many relations of one line at once: rows of head and tail, their labels, and scores if they have some."""
        self._score(scores)
        rows = np.empty((len(labels), 5), dtype=np.int64)
        rows[:, 0] = [self._names[label] for label in labels]
        rows[:, 1:3] = False, line
        rows[:, 3:] = arguments
        self._references.frombytes(rows.tobytes())

    def entity(self, spans: Sequence[int]) -> None:
        """An entity: all its mentions, by their numbers."""
        self._entities.update(dict.fromkeys(spans, self._entity))
        self._entity += 1

    def link(self, span: int, identifiers: Sequence[str], scores: Sequence[float] = ()) -> None:
        """The identifiers of a mention, best first, with their scores, nan for none, if they have some."""
        self._score(scores)
        for name in identifiers:
            self._references.extend((self._names[name], False, 0, span))

    def layer(self) -> dict[str, Marks]:
        """The spans of all files, and the marks that refer to them, links in the order of their mentions."""
        spans, order = self.sorted()
        number = np.argsort(order)
        if self._entity:
            entity = np.full(len(spans), NONE)
            entity[number[list(self._entities)]] = list(self._entities.values())
            spans = replace(spans, group=entity)
        rows = np.array(self._references, dtype=np.int64).reshape(-1, 3 + len(self._roles))
        codes, symmetric, lines, *arguments = rows.T.copy()
        roles = {role: number[own] for role, own in zip(self._roles, arguments, strict=True)}
        labels = Column(codes.astype(np.int32), tuple(self._names))
        marks = Marks.without_place(spans.unit[roles[self._roles[0]]], labels, **roles)
        marks = replace(
            marks,
            lines=lines,
            columns={SYMMETRIC: Column(symmetric.astype(np.int8), ("", SYMMETRIC))},
            scores=fill_scores(self._scores, len(rows)),
        )
        if len(self._roles) == 1:
            marks = marks.where(np.argsort(roles[self._roles[0]], kind="stable"))
        return {REFERENCES[self._layer]: spans, self._layer: marks}


def relation_lists() -> References:
    """What readers gather relations and their spans in."""
    return References("relations", "head", "tail")


def link_lists() -> References:
    """What readers gather mentions and the candidates of their links in."""
    return References("candidates", "mention")
