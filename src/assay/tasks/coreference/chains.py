"""The table of chains behind all chain metrics and chain errors, and ARCS, which classifies each mention."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field
from itertools import pairwise

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, pack_columns, sum_integers
from assay.classes import dataclass
from assay.corpus import Marks
from assay.engine.items import ONE
from assay.engine.matching import (
    Matches,
    connect_cells,
    max_weight_matching,
    max_weight_matching_sparse,
    one_to_one,
    run_starts,
)

SMALL = 1 << 8
"""Largest number of cells whose best choice is computed in whole numbers; for more a solver is loaded."""
SCALE = 1 << 50
"""A weight of 1, in whole numbers."""
CLASSES = ("tp", "wl", "fn", "fp", "tn", "out")
"""Classes of ARCS: resolved rightly, wrongly, not at all; resolved but without antecedent in gold; neither; and left
out, because gold has antecedents but no nominal one."""
ERRORS = ("span", "merged", "split", "missing-entity", "missing-mention", "extra-entity", "extra-mention")
"""Mentions with a wrong span; further entities in one chain; further chains of one entity; chains that only gold has,
and mentions that only gold has in a chain of both sides; then those that only the system has."""


# --- the table ---


@dataclass(frozen=True, eq=False)
class ChainTable:
    """Chains of gold and system, and a cell for each two that share mentions: all that chain metrics need."""

    documents: int
    gold_document: Ints
    """Document of each gold chain."""
    gold_size: Ints
    """Number of mentions of each gold chain."""
    system_document: Ints
    system_size: Ints
    gold_chain: Ints
    """Gold chain of each cell."""
    system_chain: Ints
    """System chain of each cell."""
    shared: Ints
    """Number of mentions that the two chains of each cell share; never 0."""
    _counts: dict[str, Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, gold: Marks, system: Marks, documents: int, matched: tuple[Ints, Ints] | None = None) -> ChainTable:
        """Table of mentions that are matched one to one; by default those with the same span."""
        chains, documents_of, sizes = [], [], []
        for mentions in (gold, system):
            _, chain, size = np.unique(chain_of(mentions), return_inverse=True, return_counts=True)
            document = np.zeros(len(size), dtype=np.int64)
            document[chain] = mentions.unit
            chains.append(chain)
            documents_of.append(document)
            sizes.append(size)
        in_gold, in_system = match_same_spans(gold, system) if matched is None else matched
        width = max(len(sizes[1]), 1)
        cells, shared = np.unique(chains[0][in_gold] * width + chains[1][in_system], return_counts=True)
        sides = documents_of[0], sizes[0], documents_of[1], sizes[1]
        return cls(documents, *sides, cells // width, cells % width, shared)

    @property
    def document(self) -> Ints:
        """Document of each cell."""
        return self.gold_document[self.gold_chain]

    @property
    def sizes(self) -> tuple[Ints, Ints]:
        """Sizes of the gold chain and of the system chain of each cell."""
        return self.gold_size[self.gold_chain], self.system_size[self.system_chain]

    def swapped(self) -> ChainTable:
        """Table with gold and system exchanged."""
        sides = (self.system_document, self.system_size, self.gold_document, self.gold_size)
        return ChainTable(self.documents, *sides, self.system_chain, self.gold_chain, self.shared)

    def mention_shares(self) -> Floats:
        """Credit of each cell in the recall of B³: the sum over its mentions of their share of the gold chain."""
        return np.asarray(self.shared * self.shared / self.sizes[0])

    def resolved_links(self) -> Floats:
        """Credit of each cell in the recall of LEA: its share of the gold chain's links, times the chain's size."""
        gold_size, system_size = self.sizes
        links = self.shared * (self.shared - 1) / np.maximum(gold_size - 1, 1)
        return np.where(gold_size == 1, system_size == 1, links)

    def sum_cells(self, values: Array) -> Ints:
        """Sums of one number for each cell, by document."""
        return sum_integers(values, self.document, self.documents)

    def sum_chains(self, number: Callable[[Ints], Array]) -> list[Ints]:
        """Sums by document of a function of each chain's size: for gold, for the system."""
        sides = ((self.gold_size, self.gold_document), (self.system_size, self.system_document))
        return [sum_integers(number(size), document, self.documents) for size, document in sides]

    def once(self, count: Callable[[ChainTable], Ints]) -> Ints:
        """Counts of a metric in this table, computed once."""
        if count.__name__ not in self._counts:
            self._counts[count.__name__] = count(self)
        return self._counts[count.__name__]

    def count_errors(self, wrong_spans: int) -> dict[str, int]:
        """Number of ERRORS of each type, after Kummerfeld and Klein 2013.

        `wrong_spans` is the number of mentions that are matched although their spans differ. They count like any
        other mention; mentions that are not shared are missing or extra, those that are shared split or merged.
        """
        numbers = []
        for side in (self, self.swapped()):
            # Parts of gold chains beyond the first, chains not found, and mentions missing in other chains.
            parts = np.bincount(side.gold_chain, minlength=len(side.gold_size))
            shared = sum_integers(side.shared, side.gold_chain, len(side.gold_size))
            columns = (np.maximum(parts - 1, 0), shared == 0, np.where(shared > 0, side.gold_size - shared, 0))
            numbers.append([int(column.sum()) for column in columns])
        (split, *missing), (merged, *extra) = numbers
        return dict(zip(ERRORS, (wrong_spans, merged, split, *missing, *extra), strict=True))


def match_same_spans(gold: Marks, system: Marks) -> tuple[Ints, Ints]:
    """Mentions of gold and of the system with the same span; no side has a span twice."""
    partner = one_to_one(gold.arguments["span"], system.arguments["span"])
    matched = np.flatnonzero(partner != NONE)
    return matched, partner[matched]


def chain_of(mentions: Marks) -> Ints:
    """Number of each mention's chain; every chain is within one document."""
    assert mentions.group is not None
    return mentions.group


def drop_singletons(mentions: Marks) -> Marks:
    """Mentions in chains of two or more."""
    _, number, size = np.unique(chain_of(mentions), return_inverse=True, return_counts=True)
    return mentions.where(size[number] > 1)


def sum_fractions(values: Floats, group: Ints, groups: int) -> Ints:
    """Exact sums by group in units of 1/ONE, independent of the order of values."""
    order = np.argsort(group)
    ordered = values[order].tolist()
    bounds = np.searchsorted(group[order], np.arange(groups + 1)).tolist()
    sums = [math.fsum(ordered[begin:end]) for begin, end in pairwise(bounds)]
    return np.asarray(np.rint(np.array(sums) * ONE), dtype=np.int64)


# --- the one-to-one alignment of chains, for CEAF ---


def best_alignment(row: Ints, column: Ints, weight: Floats) -> Ints:
    """Cells with the greatest total weight, no two in a row or column.

    Several choices may have this weight, so only their total means anything.
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

    group = connect_cells(row[left], column[left])
    order = np.argsort(group, kind="stable")
    for cells in np.split(left[order], np.flatnonzero(run_starts(group[order]))[1:]) if len(left) else ():
        if len(cells) > SMALL:
            (rows, here), (columns, there) = (np.unique(line[cells], return_inverse=True) for line in (row, column))
            partner = max_weight_matching_sparse(here, there, weight[cells], (len(rows), len(columns)))
            chosen.append(cells[partner[here] == there])
            continue
        table: dict[int, dict[int, int]] = {}
        places = list(zip(row[cells].tolist(), column[cells].tolist(), strict=True))
        for (place, other), value in zip(places, weight[cells].tolist(), strict=True):
            table.setdefault(place, {})[other] = round(value * SCALE)
        best = dict(zip(table, max_weight_matching(list(table.values())), strict=True))
        chosen.append(cells[[best[place] == other for place, other in places]])
    return np.concatenate(chosen)


def _rival(line: Ints, weight: Floats) -> Floats:
    """Greatest weight among the other cells in the line of each cell; 0 if it is alone."""
    order = np.lexsort((-weight, line))
    first = run_starts(line[order])
    falling = weight[order]
    follower = np.where(np.append(first[1:], True), 0.0, np.append(falling[1:], 0.0))
    rival = np.empty(len(weight))
    rival[order] = np.where(first, follower, falling[first][np.cumsum(first) - 1])
    return rival


# --- ARCS: the class of each mention, by whether the system resolves it to one of gold's antecedents ---


def classify_mentions(
    gold: Marks,
    system: Marks,
    nominal: tuple[Bools, Bools] | None = None,
    matched: tuple[Ints, Ints] | None = None,
) -> tuple[Matches, Ints]:
    """Class of each mention, and the system's antecedent that decides (the closest shared one, or the closest).

    A mention counts for gold, and for the system, if it has an antecedent there. By default mentions with the same
    span are matched. Without `nominal` (criterion any) a mention is right if it shares an antecedent with gold. With
    it (criterion nom) only nominal antecedents count, and the system's closest one must be among gold's.
    """
    in_gold, in_system = match_same_spans(gold, system) if matched is None else matched
    gold_partner, system_partner = np.full(len(system), NONE), np.full(len(gold), NONE)
    gold_partner[in_system], system_partner[in_gold] = in_gold, in_system
    chains, system_chains = chain_of(gold), chain_of(system)
    place, system_place = (
        np.argsort(np.argsort(pack_columns(side.unit, side.begin, side.end), kind="stable"))
        for side in (gold, system)
    )
    expected = _find_antecedents(None if nominal is None else nominal[0], chains, place)
    antecedent = _find_antecedents(None if nominal is None else nominal[1], system_chains, system_place)
    right = (antecedent != NONE) & (gold_partner != NONE)
    if nominal is None:
        # An earlier mention of the gold chain is matched with one of the same chain in the system.
        shared = _find_antecedents(None, chains, _take(system_chains, system_partner, NONE), place)
        right &= _take(shared, gold_partner, NONE) != NONE
        antecedent[right] = system_partner[shared[gold_partner[right]]]
    else:
        first, second = _take(gold_partner, antecedent[right], NONE), gold_partner[right]
        right[right] = (first != NONE) & (chains[first] == chains[second]) & (place[first] < place[second])

    # Rows: the mentions of gold, then those that only the system has.
    spurious = np.flatnonzero(gold_partner == NONE)
    rows = np.concatenate([np.arange(len(gold)), np.full(len(spurious), NONE)])
    system_rows = np.concatenate([system_partner, spurious])
    anaphor, resolved = _take(expected != NONE, rows, False), _take(antecedent != NONE, system_rows, False)
    classes = np.array([CLASSES.index(name) for name in ("tn", "fp", "fn", "wl", "tp")])
    kind = classes[2 * anaphor + resolved + (anaphor & _take(right, system_rows, False))]
    left_out = (expected == NONE) & (_find_antecedents(None, chains, place) != NONE)
    kind[_take(left_out, rows, False)] = CLASSES.index("out")
    return Matches(rows, system_rows, kind, anaphor, resolved), _take(antecedent, system_rows, NONE)


def _find_antecedents(nominal: Bools | None, *columns: Ints) -> Ints:
    """Last mention (with `nominal`: last nominal one) before each mention of its chain; NONE if there is none.

    The last column is the place of a mention in the text, those before it its chain.
    """
    # Sorting one number per row is several times faster than sorting by each column in turn.
    by_chain = np.argsort(pack_columns(*columns), kind="stable")
    place = np.arange(len(by_chain))
    begin = np.any([run_starts(column[by_chain]) for column in columns[:-1]], axis=0)
    eligible = place if nominal is None else np.where(nominal[by_chain], place, NONE)
    last = np.append(NONE, np.maximum.accumulate(eligible))[:-1]
    inside = last >= np.maximum.accumulate(np.where(begin, place, 0))
    antecedent = np.empty(len(by_chain), dtype=np.int64)
    antecedent[by_chain] = np.where(inside, _take(by_chain, last, NONE), NONE)
    return antecedent


def _take(values: Array, index: Ints, default: int) -> Array:
    """Values at these indices; the default if an index is NONE."""
    return np.append(values, np.asarray(default, dtype=values.dtype))[index]
