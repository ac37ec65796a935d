"""Judgements: one row per item: where it is, what gold says, what the system says, whether that is right."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints
from assay.corpus import KEPT, one_vocabulary

ONE = 1 << 32
"""Full credit. Whole numbers add up the same way in any order and on any machine."""
CREDITS = ("assigned", "expected", "assigned-credit", "expected-credit", "weak", "strong")


@dataclass(frozen=True, eq=False)
class Matches:
    """What rows have in addition where items are found and matched (spans, brackets), not given (words).

    One item may then be in several rows, as when two system spans share out a gold span; it is new in one of them.
    """

    kinds: tuple[str, ...]
    kind: Ints
    """What became of the items of each row, as an index into `kinds`: `tp`, `le`, `fn` …"""
    label: Ints
    """The label that each row counts under."""
    partner: Ints
    """The system's item of each row, NONE where there is none."""
    new_gold: Bools
    new_system: Bools
    identity: Callable[[int], Hashable]
    """What tells a system's item from all others in any system: its sentence, its place, its label."""
    marks: Mapping[str, Bools] = field(default_factory=dict)
    """Further properties of rows that are counted."""

    def where(self, mask: Bools) -> Matches:
        """The rows of a selection."""
        return replace(
            self,
            kind=self.kind[mask],
            label=self.label[mask],
            partner=self.partner[mask],
            new_gold=self.new_gold[mask],
            new_system=self.new_system[mask],
            marks={name: mark[mask] for name, mark in self.marks.items()},
        )


@dataclass(frozen=True, eq=False)
class Judgements:
    """Items of one system, the gold items first, in text order."""

    sentence: Ints
    """The gold sentence of each item."""
    item: Ints
    """Which item it is: the number of its gold word or span, for a spurious item of the system's."""
    gold: Ints
    system: Ints
    right: Bools
    labels: tuple[str, ...]
    """What the codes in `gold` and `system` stand for."""
    credits: Ints | None = None
    """For graded measures items × fields of partial credit, in units of 1/ONE; the last is the item's score."""
    matches: Matches | None = None
    counted: tuple[Bools, Bools] | None = None
    """Which rows count as items of gold and of the system, where not all do (content words, punctuation)."""
    heads: Ints | None = None
    """For arcs: the gold word that the system attaches each item to."""
    labels_count: bool = True
    """For arcs: whether another label makes another answer."""
    found: Bools | None = None
    """Which of the system's items are right, where an item may count on one side alone (punctuation, cut by arcs)."""
    links: Ints | None = None
    """For mentions: a number for the antecedent of each wrong link, the same in every system, NONE for other rows."""
    links_count: bool = False
    """For mentions: whether another wrong antecedent makes another answer."""
    sums: Mapping[str, Ints] = field(default_factory=dict)
    """Numbers that are counted sentence by sentence beside the items: one per sentence of gold."""

    def __len__(self) -> int:
        return len(self.gold)

    @property
    def has_gold(self) -> Bools:
        """Which items are gold's (the others are spurious)."""
        if self.counted is not None:
            return self.counted[0]
        return np.asarray(self.gold != NONE) if self.matches is None else self.matches.new_gold

    @property
    def has_system(self) -> Bools:
        """Which items the system has (the others are missed)."""
        if self.counted is not None:
            return self.counted[1]
        return np.asarray(self.system != NONE) if self.matches is None else self.matches.new_system

    def one_sided(self, right: Bools) -> Judgements:
        """The same under another criterion, where an item that is right may count on one side alone."""
        return replace(self, right=right & self.has_gold, found=right & self.has_system)

    def where(self, mask: Bools) -> Judgements:
        """The items of a selection."""
        return replace(
            self,
            sentence=self.sentence[mask],
            item=self.item[mask],
            gold=self.gold[mask],
            system=self.system[mask],
            right=self.right[mask],
            credits=None if self.credits is None else self.credits[mask],
            matches=None if self.matches is None else self.matches.where(mask),
            counted=None if self.counted is None else (self.counted[0][mask], self.counted[1][mask]),
            heads=None if self.heads is None else self.heads[mask],
            found=None if self.found is None else self.found[mask],
            links=None if self.links is None else self.links[mask],
        )


def judge_words(pair: Pair, column: str | None = None) -> Judgements:
    """Each word judged by a column: gold's words in order, then the system's words that have no counterpart."""
    name = column or pair.column
    return pair.once(f"words by {name}", lambda: _judge_words(pair, name))


def _judge_words(pair: Pair, name: str) -> Judgements:
    vocabulary, (gold_codes, system_codes) = one_vocabulary(pair.labels(name))
    missing = pair.without_gold(name)
    # What stands where gold has no label cannot be judged, however it is cut.
    ours, theirs = pair.left_open(name) if pair.symmetric else (missing, missing[pair.covering])
    kept = np.flatnonzero(~pair.skipped[pair.gold.sentence_of] & ~ours)
    assigned = np.full(len(pair.gold), NONE, dtype=np.int32)
    assigned[pair.gold_words] = system_codes[pair.system_words]
    extra = (pair.system_sentence >= 0) & ~theirs
    extra[pair.system_words] = False
    spurious = np.flatnonzero(extra)
    nothing = np.full(len(spurious), NONE, dtype=np.int32)
    gold = np.concatenate([gold_codes[kept].astype(np.int32), nothing])
    system = np.concatenate([assigned[kept], system_codes[spurious].astype(np.int32)])
    judged = Judgements(
        sentence=np.concatenate([pair.gold.sentence_of[kept], pair.system_sentence[spurious]]),
        item=np.concatenate([kept, spurious]),
        gold=gold,
        system=system,
        right=gold == system,
        labels=vocabulary,
    )
    if KEPT not in pair.gold.columns:
        return judged
    # Words with labels that count: in recall those that gold labels so, in precision those of the system.
    ours, theirs = (
        np.append(corpus.column(KEPT).isin([KEPT]), False)[words]
        for corpus, words in zip((pair.gold, pair.system), words_of(pair, judged), strict=True)
    )
    return replace(judged, counted=(ours, theirs)).one_sided(judged.right)


def words_of(pair: Pair, judgements: Judgements) -> tuple[Ints, Ints]:
    """The gold word and the system's word of each item, NONE where there is none."""
    counterpart = np.full(len(pair.gold) + 1, NONE)
    counterpart[pair.gold_words] = pair.system_words
    has_gold = judgements.gold != NONE
    gold = np.where(has_gold, judgements.item, NONE)
    return gold, np.where(has_gold, counterpart[gold], judgements.item)
