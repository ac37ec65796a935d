"""Columns: strings as codes into a vocabulary. Marks: a layer of annotation as a table of such and other columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from assay.arrays import NONE, Bools, Floats, Ints, Stretches, as_codes, atoms_at, chosen_stretches, pack_columns
from assay.classes import dataclass

REFERENCES = {"relations": "arguments", "candidates": "links"}
"""Layers without places of their own, and the layer whose marks they refer to."""
IN_DOCUMENTS = ("mentions", "nodes")
"""Layers whose units are documents: mentions of chains, and words that are empty nodes."""


@dataclass(frozen=True, eq=False)
class Column:
    """One string per word, held as codes into a vocabulary."""

    codes: Ints
    vocabulary: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: int) -> str:
        return self.vocabulary[int(self.codes[index])]

    def strings(self, first: int = 0, end: int | None = None) -> list[str]:
        """The strings of a stretch of words."""
        return [self.vocabulary[code] for code in self.codes[first:end].tolist()]

    def counts(self) -> dict[str, int]:
        """The number of times that each string occurs."""
        sizes = np.bincount(self.codes, minlength=len(self.vocabulary)).tolist()
        return {string: size for string, size in zip(self.vocabulary, sizes, strict=True) if size}

    def mapped(self, changes: Mapping[str, str]) -> Column:
        """The column with some strings replaced by others."""
        known: dict[str, int] = {}
        targets = as_codes((changes.get(string, string) for string in self.vocabulary), known)
        return Column(targets[self.codes], tuple(known))

    def where(self, rows: Bools | Ints) -> Column:
        """The strings of some words, in the order of `rows`."""
        return Column(self.codes[rows], self.vocabulary)

    def followed_by(self, other: Column) -> Column:
        """These strings, then others."""
        vocabulary, codes = one_vocabulary([self, other])
        return Column(np.concatenate(codes), vocabulary)

    def isin(self, strings: Iterable[str]) -> Bools:
        """Mask of the words that have one of these strings."""
        wanted = frozenset(strings)
        return np.array([string in wanted for string in self.vocabulary], dtype=bool)[self.codes]

    def sorted_within(self, separator: str) -> Column:
        """The column with the parts of each string in alphabetical order."""
        return self.mapped({text: separator.join(sorted(text.split(separator))) for text in self.vocabulary})

    @classmethod
    def of(cls, strings: Iterable[str]) -> Column:
        """A column from its strings."""
        known: dict[str, int] = {}
        return cls(as_codes(strings, known), tuple(known))


def one_vocabulary(columns: Sequence[Column]) -> tuple[tuple[str, ...], list[Ints]]:
    """The columns' codes over one common vocabulary, in which the first column's codes keep their value."""
    known: dict[str, int] = {}
    recoded = [as_codes(column.vocabulary, known)[column.codes] for column in columns]
    return tuple(known), recoded


def code_by_alphabet(columns: Sequence[Column]) -> list[Column]:
    """The columns with codes over one common vocabulary in alphabetical order."""
    vocabulary = tuple(sorted({string for column in columns for string in column.vocabulary}))
    known = {string: code for code, string in enumerate(vocabulary)}
    return [Column(as_codes(column.vocabulary, known)[column.codes], vocabulary) for column in columns]


def _nothing() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks of one layer, a row each: columns of numbers, and no object for a mark.

    In a Corpus, atoms are the words of a sentence, or the characters of a text, counted from its beginning. In a Pair
    they are places on the line that gold and system share, and units are gold's.
    """

    unit: Ints
    """The sentence (for layers in IN_DOCUMENTS: the document) in which each begins."""
    begin: Ints
    """The first atom of each …"""
    end: Ints
    """… and the one after its last, which may be beyond the end of its sentence. Both are NONE without a place."""
    labels: Column
    lines: Ints = field(default_factory=_nothing)
    """The line of its file that each was read from."""
    stretches: Mapping[int, Stretches] = field(default_factory=dict)
    """Stretches of atoms of those with gaps, by number."""
    columns: Mapping[str, Column] = field(default_factory=dict)
    """Attributes: types, senses, texts as answered, known or unseen."""
    arguments: Mapping[str, Ints] = field(default_factory=dict)
    """By role: the number of a word or of a mark of another layer, NONE without one."""
    group: Ints | None = None
    """The chain, entity or predicate that each belongs to."""
    number: Ints = field(default_factory=_nothing)
    """In a Pair: the number of each span in its corpus, and of each relation among those of its side."""
    scores: Floats = field(default_factory=lambda: np.zeros(0))
    """How sure the file is of each, nan without a score; nothing if none has one."""

    def __len__(self) -> int:
        return len(self.begin)

    @classmethod
    def without_place(cls, unit: Ints, labels: Column, **arguments: Ints) -> Marks:
        """Marks by their arguments alone."""
        nowhere = np.full(len(unit), NONE, dtype=np.int8)
        return cls(unit, nowhere, nowhere, labels, arguments=arguments)

    @classmethod
    def on_line(cls, begin: Ints, end: Ints, label: Ints, stretches: Mapping[int, Stretches] | None = None) -> Marks:
        """Marks by their places on a line and the codes of their labels alone."""
        return cls(np.zeros_like(begin), begin, end, Column(label, ()), stretches=stretches or {})

    @property
    def label(self) -> Ints:
        """The code of each label."""
        return self.labels.codes

    def where(self, rows: Bools | Ints) -> Marks:
        """Some of the marks, in the order of `rows`."""
        numbers: Ints = np.flatnonzero(rows) if rows.dtype == np.bool_ else np.asarray(rows, dtype=np.int64)

        return Marks(
            self.unit[numbers],
            self.begin[numbers],
            self.end[numbers],
            self.labels.where(numbers),
            self.lines[numbers] if len(self.lines) else self.lines,
            chosen_stretches(self.stretches, numbers),
            {name: column.where(numbers) for name, column in self.columns.items()},
            {role: column[numbers] for role, column in self.arguments.items()},
            None if self.group is None else self.group[numbers],
            self.number[numbers] if len(self.number) else self.number,
            self.scores[numbers] if len(self.scores) else self.scores,
        )

    def followed_by(self, other: Marks) -> Marks:
        """These marks, then others; both have the same columns and arguments, and labels of one vocabulary."""
        stretches = {len(self) + number: shape for number, shape in other.stretches.items()}
        plain = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("unit", "begin", "end", "lines", "number")
        }
        return Marks(
            **plain,
            labels=self.labels.followed_by(other.labels),
            stretches={**self.stretches, **stretches},
            columns={name: column.followed_by(other.columns[name]) for name, column in self.columns.items()},
            arguments={role: np.concatenate([own, other.arguments[role]]) for role, own in self.arguments.items()},
            group=None if self.group is None or other.group is None else np.concatenate([self.group, other.group]),
        )

    def _label_ranks(self) -> Ints:
        """The place of each label in alphabetical order."""
        vocabulary = self.labels.vocabulary
        rank = np.empty(len(vocabulary), dtype=np.int64)
        rank[sorted(range(len(rank)), key=vocabulary.__getitem__)] = np.arange(len(rank))
        ranks: Ints = rank[self.label] if len(self) else np.zeros(0, dtype=np.int64)
        return ranks

    def distinct(self, *columns: Ints) -> Marks:
        """Marks by some columns and then by label; of equal ones the first."""
        keys = pack_columns(*columns, self._label_ranks())
        order = np.argsort(keys, kind="stable")
        return self.where(order[np.diff(keys[order], prepend=keys[order[:1]] - 1) > 0])

    def in_order(self) -> tuple[Marks, Ints]:
        """Marks by first atom, last atom, label and gaps, so that results do not depend on the order of the file; and
        the number that each had before."""
        gaps = {shape: number for number, shape in enumerate(sorted(set(self.stretches.values())), 1)}
        shapes = np.zeros(len(self), dtype=np.int64)
        shapes[list(self.stretches)] = [gaps[shape] for shape in self.stretches.values()]
        order = np.lexsort((shapes, self._label_ranks(), self.end, self.begin, self.unit))
        return self.where(order), order

    def moved(self, place: Ints) -> tuple[Marks, Ints]:
        """The marks of units that come to other places, NONE if to none; and the number that each had before."""
        unit = place[self.unit]
        rows = np.flatnonzero(unit != NONE)
        marks, order = replace(self.where(rows), unit=unit[rows]).in_order()
        return marks, rows[order]

    def refer_to(self, numbers: Ints) -> Marks:
        """The marks under other numbers of those that they refer to, in the order of the first argument.

        Those that refer to a mark that is gone (NONE) are left out.
        """
        arguments = {role: numbers[own] for role, own in self.arguments.items()}
        first = next(iter(arguments.values()))
        rows = np.flatnonzero(np.all([own != NONE for own in arguments.values()], axis=0))
        return replace(self, arguments=arguments).where(rows[np.argsort(first[rows], kind="stable")])

    def equals(self, other: Marks) -> bool:
        """True if both have the same marks in the same order: units, places, labels and arguments."""
        columns = [(getattr(self, name), getattr(other, name)) for name in ("unit", "begin", "end")]
        columns += [(own, other.arguments[role]) for role, own in self.arguments.items()]
        same = all(np.array_equal(*both) for both in columns) and self.stretches == other.stretches
        return same and self.labels.strings() == other.labels.strings()

    def atoms_of(self, number: int) -> Stretches:
        """The stretches of a mark, one if it has no gap."""
        return atoms_at(number, self.begin, self.end, self.stretches)

    def lengths(self) -> Ints:
        """The number of atoms of each mark."""
        sizes = np.subtract(self.end, self.begin, dtype=np.int64)
        for number, shape in self.stretches.items():
            sizes[number] = sum(last - first for first, last in shape)
        return sizes

    @property
    def with_gaps(self) -> Bools:
        """Mask of the marks with gaps."""
        mask = np.zeros(len(self), dtype=bool)
        mask[list(self.stretches)] = True
        return mask


def move_layers(layers: Mapping[str, Marks], place: Ints) -> dict[str, Marks]:
    """Layers of a corpus whose sentences come to other places, NONE if to none; marks go with what they refer to.

    Layers whose units are documents are left out.
    """
    layers = {name: marks for name, marks in layers.items() if name not in IN_DOCUMENTS}
    moved, numbers = {}, {}
    for name, marks in layers.items():
        if name not in REFERENCES:
            moved[name], order = marks.moved(place)
            numbers[name] = np.full(len(marks), NONE)
            numbers[name][order] = np.arange(len(order))
    for name, marks in layers.items():
        if name in REFERENCES:
            target = REFERENCES[name]
            referring = marks.refer_to(numbers[target])
            first = next(iter(referring.arguments.values()))
            moved[name] = replace(referring, unit=moved[target].unit[first])
    return moved
