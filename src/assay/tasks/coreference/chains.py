"""Chain metrics from one table of chains, errors in chains, and ARCS, which judges each mention."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import pairwise

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, ratio
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
from assay.engine.measure import F1, ByFields, Ratio
from assay.records import dataclass

SMALL = 1 << 8
"""Up to this number of pairs the best choice is made in whole numbers; for more of them a solver is loaded."""
SCALE = 1 << 50
"""A weight of 1, in whole numbers."""
MATCHED = ("right", "gold", "system")
"""Fields of mentions, MUC and CEAFm: what both sides have, what gold has, what the system has."""
FRACTIONS = ("rnum", "rden", "pnum", "pden")
"""Fields of B³, CEAFe and LEA: numerators in units of 1/ONE, denominators in mentions (CEAFe: chains)."""
LINKS = ("coreferent", "gold-coreferent", "system-coreferent", "apart", "gold-apart", "system-apart")
"""Fields of BLANC: pairs of mentions in one chain, then in two chains; on both sides, in gold, in the system."""
CONLL = tuple(
    f"{metric}-{field}"
    for metric, fields in (("muc", MATCHED), ("b-cubed", FRACTIONS), ("ceaf-e", FRACTIONS))
    for field in fields
)
"""Fields of the CoNLL score: those of its three metrics."""
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
        in_gold, in_system = same_spans(gold, system) if matched is None else matched
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
        return _sum_by(values, self.document, self.documents)

    def sum_chains(self, number: Callable[[Ints], Array]) -> list[Ints]:
        """Sums of a number of each size of chains by document: gold's, the system's."""
        sides = ((self.gold_size, self.gold_document), (self.system_size, self.system_document))
        return [_sum_by(number(size), document, self.documents) for size, document in sides]

    # What each metric counts: documents × fields in whole numbers, which add up over documents. The CoNLL score is
    # made of three others, which are therefore computed once.

    def mentions(self) -> Ints:
        """Mentions found. Fields: MATCHED, in mentions."""
        return np.stack([self.sum_cells(self.shared), *self.sum_chains(np.asarray)], axis=1)

    @cached_property
    def muc(self) -> Ints:
        """MUC: the links that chains need to be connected. Fields: MATCHED, in links."""
        return np.stack([self.sum_cells(self.shared - 1), *self.sum_chains(lambda size: size - 1)], axis=1)

    def ceaf_m(self) -> Ints:
        """CEAFm: mentions shared under the best one-to-one alignment of chains. Fields: MATCHED, in mentions."""
        aligned = best_alignment(self.gold_chain, self.system_chain, self.shared.astype(np.float64))
        right = _sum_by(self.shared[aligned], self.document[aligned], self.documents)
        return np.stack([right, *self.sum_chains(np.asarray)], axis=1)

    @cached_property
    def ceaf_e(self) -> Ints:
        """CEAFe: similarity of chains under the best one-to-one alignment. Fields: FRACTIONS, over chains."""
        similarity = 2 * self.shared / sum(self.sizes)
        aligned = best_alignment(self.gold_chain, self.system_chain, similarity)
        total = sum_fractions(similarity[aligned], self.document[aligned], self.documents)
        in_gold, in_system = self.sum_chains(np.ones_like)
        return np.stack([total, in_gold, total, in_system], axis=1)

    @cached_property
    def b_cubed(self) -> Ints:
        """B³: the share of each mention's chain that it is rightly with. Fields: FRACTIONS, over mentions."""
        return self._both_ways(ChainTable.mention_shares)

    def lea(self) -> Ints:
        """LEA: the resolved share of each chain's links, weighted by its size. Fields: FRACTIONS, over mentions.

        A singleton is its own link, resolved if it is a singleton on the other side too.
        """
        return self._both_ways(ChainTable.resolved_links)

    def _both_ways(self, credit: Callable[[ChainTable], Floats]) -> Ints:
        """Counts of a metric whose precision is its recall with the sides exchanged."""
        recall, precision = (
            sum_fractions(credit(side), self.document, self.documents) for side in (self, self.swapped())
        )
        in_gold, in_system = self.sum_chains(np.asarray)
        return np.stack([recall, in_gold, precision, in_system], axis=1)

    def blanc(self) -> Ints:
        """BLANC: pairs of mentions that are in one chain, and that are in two. Fields: LINKS."""
        found, in_gold, in_system = self.mentions().T
        both_found = _pairs(found) + (together := self.sum_cells(_pairs(self.shared)))
        for side in (self, self.swapped()):
            # Pairs of one side's chains of which both mentions are on the other side.
            numbers = _sum_by(side.shared, side.gold_chain, len(side.gold_size))
            both_found -= _sum_by(_pairs(numbers), side.gold_document, side.documents)
        of_gold, of_system = self.sum_chains(_pairs)
        apart = both_found, _pairs(in_gold) - of_gold, _pairs(in_system) - of_system
        return np.stack([together, of_gold, of_system, *apart], axis=1)

    def conll(self) -> Ints:
        """The CoNLL score (MELA): what MUC, B³ and CEAFe count. Fields: CONLL."""
        return np.hstack([self.muc, self.b_cubed, self.ceaf_e])

    def errors(self, wrong_spans: Ints) -> Ints:
        """Documents × ERRORS, after Kummerfeld and Klein 2013.

        `wrong_spans` are the documents of mentions that are matched although their spans differ. They count like any
        other mention; what is not shared is missing or extra, what is shared split or merged.
        """
        numbers = []
        for side in (self, self.swapped()):
            # Parts of gold's chains beyond the first, chains not found, and mentions missing in other chains.
            parts = np.bincount(side.gold_chain, minlength=len(side.gold_size))
            there = _sum_by(side.shared, side.gold_chain, len(side.gold_size))
            columns = (np.maximum(parts - 1, 0), there == 0, np.where(there > 0, side.gold_size - there, 0))
            numbers.append([_sum_by(column, side.gold_document, self.documents) for column in columns])
        (split, missing, absent), (merged, extra, invented) = numbers
        spans = np.bincount(wrong_spans, minlength=self.documents)
        return np.stack([spans, merged, split, missing, absent, extra, invented], axis=1).astype(np.int64)


def same_spans(gold: Marks, system: Marks) -> tuple[Ints, Ints]:
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


def _sum_by(values: Array, group: Ints, groups: int) -> Ints:
    # bincount adds in float64, exact for whole numbers below 2^53.
    return np.bincount(group, weights=values, minlength=groups).astype(np.int64)


def _pairs(size: Ints) -> Ints:
    """The number of pairs of `size` mentions."""
    return size * (size - 1) // 2


def sum_fractions(values: Floats, document: Ints, documents: int) -> Ints:
    """The exact sum of each document's values, in units of 1/ONE: independent of their order."""
    order = np.argsort(document)
    ordered = values[order].tolist()
    bounds = np.searchsorted(document[order], np.arange(documents + 1)).tolist()
    sums = [math.fsum(ordered[begin:end]) for begin, end in pairwise(bounds)]
    return np.asarray(np.rint(np.array(sums) * ONE), dtype=np.int64)


# --- scores from summed counts, over any leading axes; 0/0 is nan ---

Sums = Mapping[str, Floats]
Score = Callable[[Sums], Floats]


@dataclass(frozen=True)
class ChainMetric:
    """What a chain metric counts in each document, in which fields, and its scores."""

    count: Callable[[ChainTable], Ints]
    fields: tuple[str, ...]
    scores: Mapping[str, Score]
    main: str = "f1"


def _harmonic(scores: Mapping[str, Score], sums: Sums, gold: str, system: str) -> Floats:
    """The harmonic mean of two scores; with one side empty it is 0, with both it is undefined."""
    recall, precision = (np.nan_to_num(scores[name](sums)) for name in ("recall", "precision"))
    return np.where(
        sums[gold] + sums[system] == 0, np.nan, np.nan_to_num(ratio(2 * recall * precision, recall + precision))
    )


def _blanc(*sides: str) -> Score:
    """A score of BLANC: the share of the links of these sides that both have, as a mean over the two classes.

    A class that gold does not have is left out; one that only gold has counts 0.
    """

    def score(sums: Sums) -> Floats:
        together, apart = (
            ratio(len(sides) * sums[name], np.asarray(sum(sums[f"{side}-{name}"] for side in sides)))
            for name in ("coreferent", "apart")
        )
        mean = (np.nan_to_num(together) + np.nan_to_num(apart)) / 2
        mean = np.where(np.isnan(together) & np.isnan(apart), np.nan, mean)
        no_together, no_apart = sums["gold-coreferent"] == 0, sums["gold-apart"] == 0
        return np.where(no_together & ~no_apart, apart, np.where(no_apart & ~no_together, together, mean))

    return score


def mela(sums: Sums, undefined: float = np.nan) -> Floats:
    """The mean of the F of MUC, B³ and CEAFe; `undefined` is what an F of 0/0 counts."""
    metrics = (("muc", MATCHED, _MATCHED), ("b-cubed", FRACTIONS, _FRACTIONS), ("ceaf-e", FRACTIONS, _FRACTIONS))
    parts = [scores["f1"]({field: sums[f"{name}-{field}"] for field in fields}) for name, fields, scores in metrics]
    return np.asarray(sum(np.nan_to_num(part, nan=undefined) for part in parts)) / 3


_MATCHED: Mapping[str, Score] = {
    "f1": ByFields(
        "found",
        lambda sums: _harmonic(_MATCHED, sums, "gold", "system"),
        F1(lambda sums: 2 * sums["right"], lambda sums: sums["gold"] + sums["system"]),
    ),
    # Of a part of the mentions it is not the same ones that are right on both sides.
    "precision": Ratio(
        lambda sums: sums["found" if "found" in sums else "right"], lambda sums: sums["system"]
    ),
    "recall": Ratio(lambda sums: sums["right"], lambda sums: sums["gold"]),
}
_FRACTIONS: Mapping[str, Score] = {
    "f1": lambda sums: _harmonic(_FRACTIONS, sums, "rden", "pden"),
    "precision": Ratio(lambda sums: sums["pnum"] / ONE, lambda sums: sums["pden"]),
    "recall": Ratio(lambda sums: sums["rnum"] / ONE, lambda sums: sums["rden"]),
}
_BLANC = {"f1": _blanc("gold", "system"), "precision": _blanc("system"), "recall": _blanc("gold")}

METRICS: Mapping[str, ChainMetric] = {
    "mentions": ChainMetric(ChainTable.mentions, MATCHED, _MATCHED),
    "muc": ChainMetric(lambda table: table.muc, MATCHED, _MATCHED),
    "b-cubed": ChainMetric(lambda table: table.b_cubed, FRACTIONS, _FRACTIONS),
    "ceaf-m": ChainMetric(ChainTable.ceaf_m, MATCHED, _MATCHED),
    "ceaf-e": ChainMetric(lambda table: table.ceaf_e, FRACTIONS, _FRACTIONS),
    "blanc": ChainMetric(ChainTable.blanc, LINKS, _BLANC),
    "lea": ChainMetric(ChainTable.lea, FRACTIONS, _FRACTIONS),
    "conll": ChainMetric(ChainTable.conll, CONLL, {"value": mela}, main="value"),
}
"""The chain metrics by name."""

ARCS_SCORES: Mapping[str, Score] = {
    "f1": F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * (sums["tp"] + sums["wl"]) + sums["fn"] + sums["fp"]),
    "precision": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + sums["wl"] + sums["fp"]),
    "recall": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + sums["wl"] + sums["fn"]),
    "accuracy": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + sums["wl"]),
}
"""Scores from the numbers of mentions in each class of ARCS."""


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
    in_gold, in_system = same_spans(gold, system) if matched is None else matched
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
