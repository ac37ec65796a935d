"""Gold's and a system's spans over one line of atoms, so that they can be matched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, Stretches, atoms_at, chosen_stretches
from assay.corpus import Column, Corpus, Spans, one_vocabulary
from assay.engine import matching
from assay.engine.matching import Records, SpanList, TooManyOverlapsError
from assay.errors import InputError, UsageError

Identity = tuple[int, Stretches, str]
"""Gold sentence, atoms counted from its beginning, label."""
_MIRROR = {"fp": "fn", "fn": "fp", "bes": "bel", "bel": "bes"}
"""What the kinds of errors are when target and system change places."""
NESTING = ("alone", "inside another", "around or across another")


@dataclass(frozen=True, eq=False)
class Line:
    """Where the atoms of a corpus lie on the line that gold and system share."""

    starts: Ints
    """For each sentence the number of its first atom."""
    begin: Ints
    """Where each atom begins on the line, -1 where it was left out …"""
    end: Ints
    """… and where it ends."""

    @classmethod
    def plain(cls, starts: Ints) -> Line:
        """Each atom is one place of the line."""
        places = np.arange(int(starts[-1]), dtype=np.int64)
        return cls(starts, places, places + 1)

    def without(self, gone: Bools) -> Line:
        """The line as seen by spans of the sentences that take part."""
        if not gone.any():
            return self
        atoms = np.repeat(gone, np.diff(self.starts))
        return Line(self.starts, np.where(atoms, -1, self.begin), np.where(atoms, -1, self.end))

    def places(self, spans: Spans) -> tuple[Ints, Ints, dict[int, Stretches]]:
        """Begin and end of spans on the line, and the stretches of those with gaps."""
        first = self.starts[spans.sentence]
        stretches = {}
        for index, local in spans.stretches.items():
            start = int(first[index])
            shape = _joined([(int(self.begin[start + a]), int(self.end[start + b - 1])) for a, b in local])
            if len(shape) > 1:
                stretches[index] = shape
        return self.begin[first + spans.begin], self.end[first + spans.end - 1], stretches


def _joined(stretches: list[tuple[int, int]]) -> Stretches:
    """Stretches that touch made one; what lay between them (white space) has no place on the line."""
    joined = [stretches[0]]
    for begin, end in stretches[1:]:
        if begin == joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return tuple(joined)


@dataclass(frozen=True, eq=False)
class Side:
    """The spans of one side that take part."""

    corpus: Corpus
    index: Ints
    """The number of each in its corpus."""
    sentence: Ints
    """The gold sentence that each begins in."""
    spans: SpanList

    def __len__(self) -> int:
        return len(self.index)

    def column(self, name: str) -> Column:
        """What is known of each span beside its label."""
        assert self.corpus.spans is not None
        column = self.corpus.spans.columns[name]
        return Column(column.codes[self.index], column.vocabulary)

    @cached_property
    def words(self) -> Ints:
        """The number of words of each span."""
        spans = self.corpus.spans
        assert spans is not None
        if self.corpus.texts is not None:
            return np.array([len(form.split()) for form in surface_forms(self.corpus, self.index)])
        lengths = spans.end - spans.begin
        for index, stretches in spans.stretches.items():
            lengths[index] = sum(end - begin for begin, end in stretches)
        return np.asarray(lengths[self.index])

    @cached_property
    def nesting(self) -> Ints:
        """How each span lies to the others of its side, as an index into NESTING."""
        begin, end = self.spans.begin, self.spans.end
        order = np.lexsort((-end, begin))
        reach = np.maximum.accumulate(end[order]) if len(order) else end
        before = np.concatenate([[-1], reach[:-1]])
        following = np.concatenate([begin[order][1:], [np.iinfo(np.int64).max]])
        values = np.empty(len(order), dtype=np.int64)
        alone = (before <= begin[order]) & (following >= end[order])
        values[order] = np.where(before >= end[order], 1, np.where(alone, 0, 2))
        return values

    @cached_property
    def with_gaps(self) -> Bools:
        """Which spans have gaps."""
        mask = np.zeros(len(self), dtype=bool)
        mask[list(self.spans.stretches)] = True
        return mask


_PIECE = re.compile(r"\w+|[^\w\s]")


def pieces(text: str) -> list[str]:
    """A text cut into words and marks of punctuation, to show where spans begin and end."""
    return _PIECE.findall(text)


def surface_forms(corpus: Corpus, chosen: Ints | None = None) -> list[str]:
    """The words of spans joined by spaces; a text's white space counts as one space."""
    spans = corpus.spans
    assert spans is not None
    indexes = range(len(spans)) if chosen is None else chosen.tolist()
    begins, ends, sentences = spans.begin.tolist(), spans.end.tolist(), spans.sentence.tolist()
    starts, codes, vocabulary = corpus.starts.tolist(), corpus.forms.codes.tolist(), corpus.forms.vocabulary
    found = []
    for index in indexes:
        sentence = sentences[index]
        stretches = spans.stretches.get(index) or ((begins[index], ends[index]),)
        if corpus.texts is not None:
            pieces = [corpus.texts[sentence][begin:end] for begin, end in stretches]
        else:
            start = starts[sentence]
            pieces = [vocabulary[code] for begin, end in stretches for code in codes[start + begin : start + end]]
        found.append(" ".join(" ".join(pieces).split()))
    return found


@dataclass(frozen=True, eq=False)
class SpanPair:
    """Gold's and a system's spans, ready to be matched."""

    gold: Side
    system: Side
    labels: tuple[str, ...]
    """What the labels of both sides' spans stand for."""
    atoms: str
    """`words` or `characters`."""
    line: Line
    """Where gold's atoms lie."""
    line_starts: Ints
    """Where each gold sentence begins on it."""
    gold_errors: frozenset[Identity] | None = None
    """The spans in which gold itself is wrong, where these are listed: spans it has, or should have."""
    _matched: dict[Any, Records] = field(default_factory=dict)
    _cut: dict[int, tuple[Ints, Ints]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        gold: Corpus,
        gold_line: Line,
        system: Corpus,
        system_line: Line,
        atoms: str,
        gold_errors: Spans | None = None,
    ) -> SpanPair:
        """The spans of two corpora over one line; those in what was left out take no part."""
        assert gold.spans is not None and system.spans is not None
        labels, (gold_codes, system_codes) = one_vocabulary([gold.spans.labels, system.spans.labels])
        starts = _line_starts(gold_line)
        sides = [
            _side(corpus, line, codes, starts)
            for corpus, line, codes in ((gold, gold_line, gold_codes), (system, system_line, system_codes))
        ]
        errors = None if gold_errors is None else frozenset(_identities(gold_errors, gold_line, starts))
        return cls(sides[0], sides[1], labels, atoms, gold_line, starts, errors)

    def matched(self, matching: Any, **options: Any) -> Records:
        """The records of a matching, kept: several measures rest on the same one."""
        key = (matching, *sorted(options.items()))
        if key not in self._matched:
            try:
                self._matched[key] = matching(self.gold.spans, self.system.spans, **options)
            except TooManyOverlapsError as error:
                place = self.gold.corpus.place_of_span(int(self.gold.index[error.target]))
                raise InputError(
                    f"{place}: {error.targets:,} spans of gold and {error.systems:,} of the system hang together by "
                    f"overlaps, too many for {matching.__name__}, which pairs them one to one. Leave it out, or cut "
                    "the text into smaller documents."
                ) from None
        return self._matched[key]

    def both_ways(self) -> Records:
        """The fair matching with either side as the target, added up: no side is preferred."""
        there = self.matched(matching.fair)
        if "back" not in self._matched:
            self._matched["back"] = matching.fair(self.system.spans, self.gold.spans)
        back = self._matched["back"]
        mirrored = np.array([matching.FAIR.index(_MIRROR.get(kind, kind)) for kind in matching.FAIR])
        return Records(
            np.concatenate([there.target, back.system]),
            np.concatenate([there.system, back.target]),
            np.concatenate([there.kind, mirrored[back.kind]]),
            np.concatenate([there.new_target, back.new_system]),
            np.concatenate([there.new_system, back.new_target]),
        )

    def identity(self, item: int, side: Side | None = None) -> Identity:
        """What tells a (system's) span from all others: gold's sentence, its atoms counted from there, its label."""
        side = side or self.system
        sentence = int(side.sentence[item])
        start = int(self.line_starts[sentence])
        atoms = tuple((begin - start, end - start) for begin, end in side.spans.atoms_of(item))
        return sentence, atoms, self.labels[int(side.spans.label[item])]

    @cached_property
    def keys(self) -> Ints:
        """Numbers that tell each of the system's spans from all others of its sentence in any system: begin, end, the
        stretches of one with gaps, label; at the end a column for no span."""
        spans, start = self.system.spans, self.line_starts[self.system.sentence]
        shape = np.zeros(len(spans), dtype=np.int64)
        for item in spans.stretches:
            # Few spans have gaps; those with the same ends must not be taken for each other.
            shape[item] = hash(self.identity(item)[1])
        columns = np.stack([spans.begin - start, spans.end - start, shape, spans.label])
        return np.concatenate([columns, np.full((4, 1), NONE)], axis=1)

    def label(self, side: Side, item: int) -> str:
        """The label of a span."""
        return self.labels[int(side.spans.label[item])]

    def gold_words(self, side: Side, item: int) -> Stretches:
        """The words of the gold sentence that a span covers, as stretches."""
        sentence = int(side.sentence[item])
        shape = side.spans.atoms_of(item)
        atoms, begin_of, end_of = self._atoms
        # The atoms that the first and the last place of each stretch lie in.
        firsts = np.searchsorted(end_of, [begin for begin, _ in shape], side="right")
        lasts = np.searchsorted(begin_of, [end - 1 for _, end in shape], side="right") - 1
        start = int(self.line.starts[sentence])
        local = [(int(atoms[a]) - start, int(atoms[b]) - start + 1) for a, b in zip(firsts, lasts, strict=True)]
        texts = self.gold.corpus.texts
        if texts is None:
            return tuple(local)
        begins, ends = self._pieces_of(sentence)
        return tuple(
            (int(np.searchsorted(ends, first, side="right")), int(np.searchsorted(begins, last, side="left")))
            for first, last in local
        )

    @cached_property
    def _atoms(self) -> tuple[Ints, Ints, Ints]:
        """The atoms that take part, where they begin and where they end."""
        atoms = np.flatnonzero(self.line.begin >= 0)
        return atoms, self.line.begin[atoms], self.line.end[atoms]

    def _pieces_of(self, sentence: int) -> tuple[Ints, Ints]:
        """Where the pieces of a text begin and end, kept: examples ask for every span of a text."""
        texts = self.gold.corpus.texts
        assert texts is not None
        if sentence not in self._cut:
            found = [(match.start(), match.end()) for match in _PIECE.finditer(texts[sentence])]
            places = np.array(found, dtype=np.int64).reshape(-1, 2)
            self._cut[sentence] = (places[:, 0], places[:, 1])
        return self._cut[sentence]

    def same_output(self, other: SpanPair) -> bool:
        """Whether two systems have the same spans throughout."""
        ours, theirs = self.system.corpus.spans, other.system.corpus.spans
        assert ours is not None and theirs is not None
        return (
            len(ours) == len(theirs)
            and all(
                np.array_equal(getattr(ours, name), getattr(theirs, name)) for name in ("sentence", "begin", "end")
            )
            and ours.labels.strings() == theirs.labels.strings()
            and ours.stretches == theirs.stretches
        )

    def listed(self, records: Records) -> Bools | None:
        """Which errors concern a span in which gold itself is wrong; None where nothing is listed."""
        if self.gold_errors is None:
            return None
        mask = np.zeros(len(records.kind), dtype=bool)
        for row in np.flatnonzero(records.kind).tolist():
            sides = ((self.gold, int(records.target[row])), (self.system, int(records.system[row])))
            mask[row] = any(self.identity(item, side) in self.gold_errors for side, item in sides if item >= 0)
        return mask


def _identities(spans: Spans, line: Line, starts: Ints) -> Iterator[Identity]:
    begin, end, stretches = line.places(spans)
    for index, sentence in enumerate(spans.sentence.tolist()):
        start = int(starts[sentence])
        shape = atoms_at(index, begin, end, stretches)
        yield sentence, tuple((first - start, last - start) for first, last in shape), spans.labels[index]


def _line_starts(line: Line) -> Ints:
    """Where each sentence begins on the line; one that was left out begins where the next does."""
    if not len(line.begin):
        return np.zeros(len(line.starts) - 1, dtype=np.int64)
    size = int(line.end.max(initial=0))
    known = np.append(line.begin, size)[line.starts[:-1]]
    known = np.where(known < 0, size, known)
    return np.minimum.accumulate(known[::-1])[::-1]


def _side(corpus: Corpus, line: Line, codes: Ints, gold_starts: Ints) -> Side:
    assert corpus.spans is not None
    begin, end, stretches = line.places(corpus.spans)
    kept = np.flatnonzero((begin >= 0) & (end > 0))
    spans = SpanList(begin[kept], end[kept], codes[kept], chosen_stretches(stretches, kept))
    sentence = np.searchsorted(gold_starts, spans.begin, side="right") - 1
    return Side(corpus, kept, sentence, spans)


def spans_of(pair: Pair) -> SpanPair:
    """The spans of both sides."""
    spans = pair.layer(SpanPair)
    if spans is None:
        raise UsageError("this measure is about spans, but the files are compared as tags. Say --task spans")
    return spans
