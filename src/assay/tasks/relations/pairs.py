"""The relations of gold and of a system, over spans on one line of atoms."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from functools import cached_property

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, Stretches, all_but, distinct_rows
from assay.corpus import Corpus, Marks
from assay.engine.matching import overlap_counts
from assay.engine.spanpairs import SpanPair
from assay.errors import UsageError
from assay.formats.relations import Relations
from assay.records import dataclass

EQUIVALENT = "same-as"
"""The label of relations that make their arguments one, beside those that a file itself calls symmetric."""


@dataclass(frozen=True, eq=False)
class RelationList:
    """Relations of one side in the order of the text; arguments are spans by their numbers in the pair."""

    number: Ints
    """The number of each among all of its side."""
    label: Ints
    head: Ints
    tail: Ints
    sentence: Ints
    """The gold sentence of the first atom of each."""
    symmetric: Bools
    """Mask of those without a direction: the argument that stands first is the head. In a pair with repetitions those
    of which the file says so itself."""

    def __len__(self) -> int:
        return len(self.label)

    def where(self, rows: Bools | Ints) -> RelationList:
        """Some of the relations."""
        return RelationList(
            self.number[rows],
            self.label[rows],
            self.head[rows],
            self.tail[rows],
            self.sentence[rows],
            self.symmetric[rows],
        )


def relations_in(corpus: Corpus) -> Relations:
    """The relations that a corpus holds."""
    found = corpus.layer(Relations)
    assert found is not None
    return found


@dataclass(frozen=True, eq=False)
class RelationPair:
    """A layer of a Pair: the relations of both sides, with repetitions, and the numbers of their spans.

    Labels and types have the same codes in all pairs of a run, in the order of the alphabet.
    """

    spans: SpanPair
    labels: tuple[str, ...]
    gold: RelationList
    system: RelationList
    symmetric: frozenset[str]
    """The labels of relations that some file says have no direction …"""
    asked: frozenset[str]
    """… and those that some measure takes to have none."""
    seen: tuple[Ints, Ints] | None = None
    """For each relation of gold and of the system what training data have between the same words, as a place in
    KNOWN."""
    reached: Ints | None = None
    """For each of gold's relations the most arguments (0 to 2) that any one system has, where there are several."""
    _chosen: dict[frozenset[str], tuple[RelationList, RelationList]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        pair: Pair,
        symmetric: Collection[str],
        asked: Collection[str] = (),
        seen: tuple[Ints, Ints] | None = None,
    ) -> RelationPair:
        """The layer of a pair that has spans; relations with an argument in what was left out take no part."""
        spans = pair.layer(SpanPair)
        assert spans is not None
        lists, marks, labels = [], [], relations_in(pair.gold).labels.vocabulary
        for number, side in enumerate((spans.gold, spans.system)):
            layer = relations_in(spans.corpora[number])
            place = np.full(len(layer.spans), NONE)
            place[side.number] = np.arange(len(side))
            head, tail = place[layer.head], place[layer.tail]
            kept = np.flatnonzero((head != NONE) & (tail != NONE))
            kept = kept[
                np.lexsort(
                    (layer.labels.codes[kept], tail[kept], head[kept], np.minimum(head[kept], tail[kept]))
                )
            ]
            head, tail = head[kept], tail[kept]
            sentence = np.minimum(side.unit[head], side.unit[tail])
            codes = layer.labels.codes[kept].astype(np.int64)
            lists.append(RelationList(np.arange(len(kept)), codes, head, tail, sentence, layer.symmetric[kept]))
            marks.append(np.zeros(0, dtype=np.int64) if seen is None else seen[number][kept])
        known = None if seen is None else (marks[0], marks[1])
        return cls(spans, labels, lists[0], lists[1], frozenset(symmetric), frozenset(asked), known)

    @cached_property
    def places(self) -> tuple[Ints, Ints]:
        """A number for each of gold's spans and of the system's, in the order of the text; those with the same atoms
        have the same."""
        return self._numbered(types=False)

    @cached_property
    def typed(self) -> tuple[Ints, Ints]:
        """The same where the type must be the same too."""
        return self._numbered(types=True)

    def _numbered(self, *, types: bool) -> tuple[Ints, Ints]:
        sides = (self.spans.gold, self.spans.system)
        shapes = sorted({shape for side in sides for shape in side.stretches.values()})
        known = {shape: number for number, shape in enumerate(shapes, 1)}
        rows = [
            np.stack([side.begin, side.end, _shapes(side, known), side.label * types], axis=1).astype(np.int64)
            for side in sides
        ]
        _, group, _ = distinct_rows(np.concatenate(rows))
        return group[: len(sides[0])], group[len(sides[0]) :]

    def chosen(self, symmetric: str = "") -> tuple[RelationList, RelationList]:
        """The relations of both sides, each once; `symmetric`: further labels without direction, joined by +."""
        labels = self.symmetric | {label for label in symmetric.split("+") if label}
        if labels not in self._chosen:
            mask = np.array([label in labels for label in self.labels] or [False])
            found = []
            for rows, typed in ((self.gold, self.typed[0]), (self.system, self.typed[1])):
                without = mask[rows.label]
                ids = np.stack([typed[rows.head], typed[rows.tail]])
                turned = without & (ids[0] > ids[1])
                head, tail = np.where(turned, rows.tail, rows.head), np.where(turned, rows.head, rows.tail)
                keys = np.stack([rows.label, typed[head], typed[tail]], axis=1)
                group = distinct_rows(keys)[1]
                first = np.sort(np.unique(group, return_index=True)[1])
                whole = RelationList(rows.number, rows.label, head, tail, rows.sentence, without)
                found.append(whole.where(first))
            self._chosen[labels] = (found[0], found[1])
        return self._chosen[labels]

    @cached_property
    def met(self) -> tuple[Bools, Bools]:
        """Masks of gold's spans and of the system's that share an atom with some span of the other side."""
        gold, system = self.spans.gold, self.spans.system
        return _meets(gold, system), _meets(system, gold)

    @cached_property
    def found(self) -> tuple[Bools, Bools]:
        """Masks of gold's spans and of the system's that the other side has with the same atoms and type."""
        gold, system = self.typed
        return np.isin(gold, system), np.isin(system, gold)

    @cached_property
    def classes(self) -> Ints:
        """The class of each span by its number in `typed`: what gold says is the same has the same class."""
        gold, names = self.gold, {*self.symmetric, EQUIVALENT}
        rows = np.flatnonzero(np.array([label in names for label in self.labels] or [False])[gold.label])
        size = int(max(self.typed[0].max(initial=-1), self.typed[1].max(initial=-1))) + 1
        return united(self.typed[0][gold.head[rows]], self.typed[0][gold.tail[rows]], size)

    def same_spans(self) -> bool:
        """True where both sides have the same spans throughout."""
        return bool(self.found[0].all() and self.found[1].all())


def relations_of(pair: Pair) -> RelationPair:
    """The relations of both sides."""
    layer = pair.layer(RelationPair)
    if layer is None:
        raise UsageError("this measure is about relations, but something else is compared. Say --task relations")
    return layer


def untyped(pair: RelationPair) -> dict[str, int]:
    """The number of arguments without a type, by the name of the file that has them."""
    numbers = {}
    empty = np.array([not label for label in pair.spans.labels] or [False])
    for side, rows in ((pair.spans.gold, pair.gold), (pair.spans.system, pair.system)):
        arguments = np.zeros(len(side), dtype=bool)
        arguments[rows.head] = arguments[rows.tail] = True
        number = int((arguments & empty[side.label]).sum())
        if number:
            numbers[pair.spans.corpus_of(side).name] = number
    return numbers


def united(left: Ints, right: Ints, size: int) -> Ints:
    """The least number of those that each of `size` numbers hangs together with, by pairs."""
    root = np.arange(size)
    while len(left) and (root[left] != root[right]).any():
        ends = np.stack([root[left], root[right]])
        np.minimum.at(root, ends.max(axis=0), ends.min(axis=0))
        while (root != root[root]).any():
            root = root[root]
    return root


def _shapes(spans: Marks, known: Mapping[Stretches, int]) -> Ints:
    numbers = np.zeros(len(spans), dtype=np.int64)
    for index, shape in spans.stretches.items():
        numbers[index] = known[shape]
    return numbers


def _meets(spans: Marks, others: Marks) -> Bools:
    """Mask of the spans that share an atom with some other, stretch by stretch: gaps hold no atoms."""
    one, owner = _flat(spans)
    other, _ = _flat(others)
    counts = overlap_counts(one, np.arange(len(one)), other, np.arange(len(other)))
    mask = np.zeros(len(spans), dtype=bool)
    mask[owner[counts > 0]] = True
    return mask


def _flat(spans: Marks) -> tuple[Marks, Ints]:
    """The stretches of spans as spans, and the span that each is of."""
    if not spans.stretches:
        return spans, np.arange(len(spans))
    whole = all_but(np.array(list(spans.stretches)), len(spans))
    pieces = [(index, begin, end) for index, shape in spans.stretches.items() for begin, end in shape]
    owner, begin, end = np.array(pieces, dtype=np.int64).T
    flat = Marks.on_line(
        np.concatenate([spans.begin[whole], begin]),
        np.concatenate([spans.end[whole], end]),
        np.zeros(len(whole) + len(owner), dtype=np.int64),
    )
    return flat, np.concatenate([whole, owner])
