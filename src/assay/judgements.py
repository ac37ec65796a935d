"""Judgements: one row per item: where it is, what gold says, what the system says, whether that is right."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from assay.arrays import Bools, Ints

NONE = -1
"""The label code of a side that an item does not have: a missed item's system, a spurious item's gold."""


ONE = 1 << 32
"""Full credit. Whole numbers add up the same way in any order and on any machine."""
CREDITS = ("assigned", "expected", "assigned-credit", "expected-credit", "weak", "strong")


@dataclass(frozen=True, eq=False)
class Judgements:
    """Items of one system, the gold items first, in text order."""

    sentence: Ints
    """The gold sentence of each item."""
    word: Ints
    """Where the item is: its gold word, or for a spurious item its system word."""
    gold: Ints
    system: Ints
    right: Bools
    labels: tuple[str, ...]
    """What the codes in `gold` and `system` stand for."""
    credits: Ints | None = None
    """For graded measures items × fields of partial credit, in units of 1/ONE; the last is the item's score."""

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def has_gold(self) -> Bools:
        """Which items are gold's (the others are spurious)."""
        return np.asarray(self.gold != NONE)

    @property
    def has_system(self) -> Bools:
        """Which items the system has (the others are missed)."""
        return np.asarray(self.system != NONE)

    def where(self, mask: Bools) -> Judgements:
        """The items of a selection."""
        return replace(
            self,
            sentence=self.sentence[mask],
            word=self.word[mask],
            gold=self.gold[mask],
            system=self.system[mask],
            right=self.right[mask],
            credits=None if self.credits is None else self.credits[mask],
        )
