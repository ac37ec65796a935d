"""Items: a table with a row for each review, question, pair or verdict, which need not have words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from assay.arrays import Bools, Floats, Ints
from assay.classes import dataclass
from assay.corpus import Column, Corpus
from assay.errors import InputError

LABEL = "label"
"""The column of a corpus that has the labels of items."""
_COLUMNS = (
    *("labels", "missing", "ids", "texts", "metadata", "lines", "confidence", "shares", "scores", "targets"),
)
"""What a table has for each item."""


@dataclass(frozen=True, eq=False)
class ItemTable:
    """What one side, gold or a system, says of items: a row for each, in columns.

    A corpus of items has one sentence of one word for each, and its table as a layer.
    """

    path: str
    format: str
    sha256: str
    labels: Column
    """The label of each item; the members of a set are in order, joined by SEVERAL, and so are gold's alternatives. A
    missing label is empty, and so is the empty set."""
    missing: Bools
    """Mask of the items without a label of gold, or without a system's answer."""
    ids: Sequence[str] | None = None
    """None if the file has none; then items correspond by their order."""
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The texts of items by column, such as premise and hypothesis."""
    metadata: Mapping[str, Column] = field(default_factory=dict)
    """Further columns, for slices and units."""
    lines: Ints | None = None
    """The line of each item in its file."""
    sets: bool = False
    """True if labels are sets."""
    alternatives: bool = False
    """True if any of several labels of gold is right."""
    order: tuple[str, ...] = ()
    """The labels in their order, if they have one."""
    confidence: Floats | None = None
    """The confidence in the answer or, of two labels, in the positive one; nan if an item has none …"""
    about: str = ""
    """… and the label that it is about, when that is known; empty if it is the answer."""
    shares: tuple[tuple[str, ...], Floats] | None = None
    """Labels, and the probability of each: items × labels."""
    scores: Mapping[str, Floats] = field(default_factory=dict)
    """Further numbers by name, such as scores that a log has of each item."""
    targets: Column | None = None
    """Gold's labels if a system's file has them too."""
    is_logged: bool = False
    """True if the scores of a log say what is right, and labels are only shown."""
    system: str = ""
    """The name of the system, if a log has it …"""
    failed: frozenset[str] = frozenset()
    """… and the ids of items on which it ended with an error."""
    unit: str = ""
    """The key of metadata whose values are natural units, such as documents."""
    notes: tuple[str, ...] = ()
    """Sentences on what was taken for what …"""
    warnings: tuple[str, ...] = ()
    """… and on what may be wrong; both follow the name of the file."""

    def __len__(self) -> int:
        return len(self.missing)

    def take(self, rows: Ints) -> ItemTable:
        """The table with these rows, in this order; a row of NONE is an item without an answer."""
        absent = rows < 0
        kept = np.where(absent, 0, rows)

        def pick(column: Any) -> Any:
            if column is None:
                return None
            if isinstance(column, Mapping):
                return {name: pick(own) for name, own in column.items()}
            if isinstance(column, tuple) and isinstance(column[-1], np.ndarray):
                return column[0], pick(column[1])
            if isinstance(column, Column):
                codes, vocabulary = column.codes[kept], column.vocabulary
                if not absent.any():
                    return Column(codes, vocabulary)
                return Column(np.where(absent, len(vocabulary), codes), (*vocabulary, ""))
            if isinstance(column, np.ndarray):
                none = {"b": True, "i": 0, "f": np.nan}[column.dtype.kind]
                return np.where(absent.reshape(-1, *[1] * (column.ndim - 1)), none, column[kept])
            return ["" if gone else column[row] for row, gone in zip(kept.tolist(), absent.tolist(), strict=True)]

        return replace(self, **{what: pick(getattr(self, what)) for what in _COLUMNS})

    def followed_by(self, other: ItemTable) -> ItemTable:
        """These items, then those of another file with the same columns."""

        def join(ours: Any, theirs: Any, what: str) -> Any:
            if isinstance(ours, Mapping) and ours.keys() == theirs.keys():
                return {name: join(column, theirs[name], name) for name, column in ours.items()}
            if isinstance(ours, tuple) and theirs and ours[0] == theirs[0]:
                return ours[0], join(ours[1], theirs[1], what)
            if isinstance(ours, Column) and theirs is not None:
                return ours.followed_by(theirs)
            if isinstance(ours, np.ndarray) and theirs is not None:
                return np.concatenate([ours, theirs])
            if isinstance(ours, list) and theirs is not None:
                return [*ours, *theirs]
            if ours is None and theirs is None:
                return None
            raise InputError(f"{other.path}: does not have the same {what} as {self.path}.")

        joined = {what: join(getattr(self, what), getattr(other, what), what) for what in _COLUMNS}
        notes, warnings = (tuple(dict.fromkeys((*self.notes, *other.notes))), (*self.warnings, *other.warnings))
        return replace(self, **joined, sets=self.sets or other.sets, notes=notes, warnings=warnings)

    def place(self, row: int) -> str:
        """`file:line` of an item, or its number."""
        if self.lines is not None and self.lines[row]:
            return f"{self.path}:{self.lines[row]}"
        return f"{self.path}, item {row + 1}"

    def corpus(self) -> Corpus:
        """The corpus of these items."""
        number = len(self)
        facts: dict[str, Sequence[str] | Column] = {**self.metadata}
        if self.ids is not None:
            facts["sent_id"] = self.ids
        return Corpus(
            name=self.path,
            format=self.format,
            sha256=self.sha256,
            forms=Column(np.zeros(number, dtype=np.int32), ("",)),
            columns={LABEL: self.labels},
            starts=np.arange(number + 1),
            files=((self.path, 0),),
            lines=self.lines,
            has_words=False,
            facts=facts,
            noted=tuple((text, 0) for text in self.warnings),
            layers={ItemTable: self},
        )
