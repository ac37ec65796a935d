"""The table of chains that chain metrics and errors of chains come from, and ARCS, which judges each mention."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field
from itertools import pairwise

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints
from assay.corpus import Marks
from assay.engine.items import ONE
from assay.engine.matching import (
    Matches,
    components,
    max_weight_matching,
    max_weight_matching_sparse,
    one_to_one,
    run_starts,
)
from assay.records import dataclass

SMALL = 1 << 8
"""Up to this number of pairs the best choice is made in whole numbers; for more of them a solver is loaded."""
SCALE = 1 << 50
"""A weight of 1, in whole numbers."""
CLASSES = ("tp", "wl", "fn", "fp", "tn", "out")
"""ARCS: resolved rightly, wrongly, not at all; resolved but without antecedent in gold; neither; and left out, since
gold has antecedents, but none that is nominal."""
ERRORS = ("span", "merged", "split", "missing-entity", "missing-mention", "extra-entity", "extra-mention")
"""Mentions with a wrong span; parts of other entities in a chain, and chains that an entity is cut into, beyond the
first; chains that one side has alone, and mentions that one side has alone in a chain that both have."""


# --- the table ---


@dataclass(frozen=True, eq=False)
class ChainTable:
    """Chains of gold and of a system, and a cell for each two that share mentions: all that chain metrics need."""

    documents: int
    gold_document: Ints
    """The document of each of gold's chains …"""
    gold_size: Ints
    """… and the number of its mentions."""
    system_document: Ints
    system_size: Ints
    gold_chain: Ints
    """Gold's chain of each cell."""
    system_chain: Ints
    """The system's chain of each cell."""
    shared: Ints
    """The number of mentions that the two have in common; never 0."""
    _kept: dict[str, Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, gold: Marks, system: Marks, documents: int, matched: tuple[Ints, Ints] | None = None) -> ChainTable:
        """The table of mentions that are matched one to one; by default those with the same span."""
        documents_of, sizes, chains = [], [], []
        for mentions in (gold, system):
            _, chain, size = np.unique(chain_of(mentions), return_inverse=True, return_counts=True)
            document = np.zeros(len(size), dtype=np.int64)
            document[chain] = mentions.unit
            documents_of.append(document)
            sizes.append(size)
            chains.append(chain)
        in_gold, in_system = match_same_spans(gold, system) if matched is None else matched
        width = max(len(sizes[1]), 1)
        cells, shared = np.unique(chains[0][in_gold] * width + chains[1][in_system], return_counts=True)
        sides = documents_of[0], sizes[0], documents_of[1], sizes[1]
        return cls(documents, *sides, cells // width, cells % width, shared)

    @property
    def document(self) -> Ints:
        """The document of each cell."""
        return self.gold_document[self.gold_chain]

    @property
    def sizes(self) -> tuple[Ints, Ints]:
        """Sizes of gold's chain and of the system's chain of each cell."""
        return self.gold_size[self.gold_chain], self.system_size[self.system_chain]

    def swapped(self) -> ChainTable:
        """The table with gold and system exchanged."""
        sides = (self.system_document, self.system_size, self.gold_document, self.gold_size)
        return ChainTable(self.documents, *sides, self.system_chain, self.gold_chain, self.shared)

    def mention_shares(self) -> Floats:
        """For each cell the shares of gold's chain that its mentions have in it, added up: recall of B³."""
        return np.asarray(self.shared * self.shared / self.sizes[0])

    def resolved_links(self) -> Floats:
        """For each cell its share of the links of gold's chain, times the chain's size: recall of LEA."""
        size, other = self.sizes
        links = self.shared * (self.shared - 1) / np.maximum(size - 1, 1)
        return np.where(size == 1, other == 1, links)

    def sum_cells(self, values: Array) -> Ints:
        """Sums of a number of each cell by document."""
        return sum_by(values, self.document, self.documents)

    def sum_chains(self, number: Callable[[Ints], Array]) -> list[Ints]:
        """Sums of a number of each size of chains by document: gold's, the system's."""
        sides = ((self.gold_size, self.gold_document), (self.system_size, self.system_document))
        return [sum_by(number(size), document, self.documents) for size, document in sides]

    def once(self, count: Callable[[ChainTable], Ints]) -> Ints:
        """What a metric counts in this table, computed once."""
        if count.__name__ not in self._kept:
            self._kept[count.__name__] = count(self)
        return self._kept[count.__name__]

    def errors(self, wrong_spans: Ints) -> Ints:
        """Documents × ERRORS, after Kummerfeld and Klein 2013.

        `wrong_spans` are the documents of mentions that are matched although their spans differ. They count like any
        other mention; what is not shared is missing or extra, what is shared split or merged.
        """
        numbers = []
        for side in (self, self.swapped()):
            # Parts of gold's chains beyond the first, chains not found, and mentions missing in other chains.
            parts = np.bincount(side.gold_chain, minlength=len(side.gold_size))
            there = sum_by(side.shared, side.gold_chain, len(side.gold_size))
            columns = (np.maximum(parts - 1, 0), there == 0, np.where(there > 0, side.gold_size - there, 0))
            numbers.append([sum_by(column, side.gold_document, self.documents) for column in columns])
        (split, missing, absent), (merged, extra, invented) = numbers
        spans = np.bincount(wrong_spans, minlength=self.documents)
        return np.stack([spans, merged, split, missing, absent, extra, invented], axis=1).astype(np.int64)


def match_same_spans(gold: Marks, system: Marks) -> tuple[Ints, Ints]:
    """The mentions of gold and of the system with the same span; no side has a span twice."""
    partner = one_to_one(gold.arguments["span"], system.arguments["span"])
    matched = np.flatnonzero(partner != NONE)
    return matched, partner[matched]


def chain_of(mentions: Marks) -> Ints:
    """The number of each mention's chain; every chain is within one document."""
    assert mentions.group is not None
    return mentions.group


def linked(mentions: Marks) -> Bools:
    """Mask of the mentions in chains of two or more."""
    _, number, size = np.unique(chain_of(mentions), return_inverse=True, return_counts=True)
    return np.asarray(size[number] > 1)


def sum_by(values: Array, group: Ints, groups: int) -> Ints:
    """Sums of whole numbers by group."""
    # bincount adds in float64, exact for whole numbers below 2^53.
    return np.bincount(group, weights=values, minlength=groups).astype(np.int64)


def sum_fractions(values: Floats, document: Ints, documents: int) -> Ints:
    """The exact sum of each document's values, in units of 1/ONE: independent of their order."""
    order = np.argsort(document)
    ordered = values[order].tolist()
    bounds = np.searchsorted(document[order], np.arange(documents + 1)).tolist()
    sums = [math.fsum(ordered[begin:end]) for begin, end in pairwise(bounds)]
    return np.asarray(np.rint(np.array(sums) * ONE), dtype=np.int64)


# --- the one-to-one alignment of chains, for CEAF ---


def best_alignment(row: Ints, column: Ints, weight: Floats) -> Ints:
    """Cells with the greatest total weight, no two in a row or column.

    There can be several such choices, so only their total means anything.
    """
    left = np.arange(len(weight))
    chosen = [left[:0]]
    while len(left):
        # Cells that weigh as much as the two that they could replace are in a best choice in any case. Most
        # chains have one clear counterpart, so this decides nearly all of them without a solver.
        sure = left[weight[left] >= _rival(row[left], weight[left]) + _rival(column[left], weight[left])]
        for line in (row, column):
            sure = sure[np.unique(line[sure], return_index=True)[1]]
        before = len(left)
        left = left[~(np.isin(row[left], row[sure]) | np.isin(column[left], column[sure]))]
        chosen.append(sure)
        # Rounds that decide little cost more than solving what is left.
        if before - len(left) < before / 8:
            break

    group = components(row[left], column[left])
    order = np.argsort(group, kind="stable")
    for cells in np.split(left[order], np.flatnonzero(run_starts(group[order]))[1:]) if len(left) else ():
        if len(cells) > SMALL:
            (rows, here), (columns, there) = (np.unique(line[cells], return_inverse=True) for line in (row, column))
            partner = max_weight_matching_sparse(here, there, weight[cells], (len(rows), len(columns)))
            chosen.append(cells[partner[here] == there])
            continue
        table: dict[int, dict[int, int]] = {}
        places = list(zip(row[cells].tolist(), column[cells].tolist(), strict=True))
        for (one, other), value in zip(places, weight[cells].tolist(), strict=True):
            table.setdefault(one, {})[other] = round(value * SCALE)
        best = dict(zip(table, max_weight_matching(list(table.values())), strict=True))
        chosen.append(cells[[best[one] == other for one, other in places]])
    return np.concatenate(chosen)


def _rival(line: Ints, weight: Floats) -> Floats:
    """The greatest weight among the other cells of each cell's line; 0 where it is alone."""
    order = np.lexsort((-weight, line))
    first = run_starts(line[order])
    falling = weight[order]
    follower = np.where(np.append(first[1:], True), 0.0, np.append(falling[1:], 0.0))
    rival = np.empty(len(weight))
    rival[order] = np.where(first, follower, falling[first][np.cumsum(first) - 1])
    return rival


# --- ARCS: the class of each mention, by whether the system resolves it to one of gold's antecedents ---


def arcs(
    gold: Marks,
    system: Marks,
    nominal: tuple[Bools, Bools] | None = None,
    matched: tuple[Ints, Ints] | None = None,
) -> tuple[Matches, Ints]:
    """The class of each mention, and the system's antecedent that decides (the closest shared one, or the closest).

    A mention counts for gold, and for the system, if it has an antecedent there. By default mentions with the same
    span are matched. Without `nominal` (criterion any) a mention is right that shares an antecedent with gold. With
    it (criterion nom) only nominal antecedents count, and the system's closest one must be among gold's.
    """
    in_gold, in_system = match_same_spans(gold, system) if matched is None else matched
    ours, theirs = np.full(len(system), NONE), np.full(len(gold), NONE)
    ours[in_system], theirs[in_gold] = in_gold, in_system
    chains, system_chains = chain_of(gold), chain_of(system)
    order, system_order = (np.argsort(order_by(side.unit, side.begin, side.end)) for side in (gold, system))
    expected = _closest(None if nominal is None else nominal[0], chains, order)
    found = _closest(None if nominal is None else nominal[1], system_chains, system_order)
    right = (found != NONE) & (ours != NONE)
    if nominal is None:
        # An earlier mention of gold's chain is matched with one of the same chain in the system.
        shared = _closest(None, chains, _at(system_chains, theirs, NONE), order)
        right &= _at(shared, ours, NONE) != NONE
        found[right] = theirs[shared[ours[right]]]
    else:
        first, second = _at(ours, found[right], NONE), ours[right]
        right[right] = (first != NONE) & (chains[first] == chains[second]) & (order[first] < order[second])

    # Rows: the mentions of gold, and those of the system alone.
    alone = np.flatnonzero(ours == NONE)
    rows = np.concatenate([np.arange(len(gold)), np.full(len(alone), NONE)])
    others = np.concatenate([theirs, alone])
    anaphor, resolved = _at(expected != NONE, rows, False), _at(found != NONE, others, False)
    classes = np.array([CLASSES.index(name) for name in ("tn", "fp", "fn", "wl", "tp")])
    kind = classes[2 * anaphor + resolved + (anaphor & _at(right, others, False))]
    left_out = (expected == NONE) & (_closest(None, chains, order) != NONE)
    kind[_at(left_out, rows, False)] = CLASSES.index("out")
    return Matches(rows, others, kind, anaphor, resolved), _at(found, others, NONE)


def order_by(*columns: Ints) -> Ints:
    """The indices that sort by the first column, then by the second and so on, and then by index."""
    key: Ints = np.zeros(len(columns[0]), dtype=np.int64)
    room = 1
    for column in columns:
        low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
        room *= high - low + 1
        if room >= 1 << 62:
            return np.lexsort(columns[::-1])
        key = key * (high - low + 1) + (column - low)
    # Sorting one number per row is several times faster than sorting by each column in turn.
    return np.argsort(key, kind="stable")


def _closest(nominal: Bools | None, *columns: Ints) -> Ints:
    """The last mention (with `nominal`: the last nominal one) before each in its chain, NONE if there is none.

    The columns before the last say which chain it is in, the last one its place in the text.
    """
    by_chain = order_by(*columns)
    place = np.arange(len(by_chain))
    begin = np.any([run_starts(column[by_chain]) for column in columns[:-1]], axis=0)
    eligible = place if nominal is None else np.where(nominal[by_chain], place, NONE)
    last = np.append(NONE, np.maximum.accumulate(eligible))[:-1]
    inside = last >= np.maximum.accumulate(np.where(begin, place, 0))
    closest = np.empty(len(by_chain), dtype=np.int64)
    closest[by_chain] = np.where(inside, _at(by_chain, last, NONE), NONE)
    return closest


def _at(values: Array, index: Ints, default: int) -> Array:
    """The values at some indices; the default where the index is NONE."""
    return np.append(values, np.asarray(default, dtype=values.dtype))[index]
