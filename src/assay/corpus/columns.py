"""Columns: strings held as codes into a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from assay.arrays import Bools, Ints, as_codes
from assay.records import dataclass


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
