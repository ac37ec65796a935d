"""Spans of a target matched with a system's: exactly, fairly (Ortmann 2022), or by the rules of SemEval 2013."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from math import lcm, prod
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Floats, Ints, Stretches, all_but, each_once, numbers_of_runs, pack_columns
from assay.classes import dataclass
from assay.corpus import Marks
from assay.engine.items import Items

FAIR = ("tp", "fp", "fn", "le", "bes", "bel", "beo", "lbe")
BRACKETS = FAIR[:4]
EXACT = FAIR[:3]
_TP, _FP, _FN, _LE, _BES, _BEL, _BEO, _LBE = range(8)
SEMEVAL = ("same", "same-span", "same-label", "overlap", "missed", "spurious")
_MISSED, _SPURIOUS = 4, 5
_EXACT = 512
"""The most connected pairs among which ties are decided; among more they are left open."""
FEW = 1 << 14
"""The most pairs of one chain of overlaps that are paired with ties decided; more are given to a solver."""
MOST_CANDIDATES = 20_000_000
"""The most pairs with equal keys among which the nearest are looked for."""
MOST = 1 << 21
"""The most pairs of one chain; more are an error, because time grows with the third power of its spans."""


@dataclass(frozen=True, eq=False)
class Matches:
    """Pairs of gold's and the system's marks with their outcomes: one row per count.

    First a row for each of gold's marks, in their order, then what only the system adds, in its order.
    """

    gold: Ints
    """The number of gold's mark, or NONE."""
    system: Ints
    """The number of the system's mark, or NONE."""
    kind: Ints
    """The outcome, as an index into the kinds of the matching."""
    new_gold: Bools
    """Mask of the rows in which gold's mark is counted: no row before has it."""
    new_system: Bools
    """Mask of the rows in which the system's mark is counted."""

    def items(
        self,
        kinds: tuple[str, ...],
        gold: Marks,
        system: Marks,
        key: Ints,
        *,
        labels: tuple[tuple[str, ...], Ints, Ints] | None = None,
        numbers: tuple[Ints, Ints] | None = None,
        under_gold: Bools | bool = True,
        **columns: Any,
    ) -> Items:
        """The matches as items: the only way from a matching to Items.

        key: columns of numbers that differ for any two of the system's marks in a unit, and agree for equal marks of
            all systems.
        labels: names of labels, and the label of each of gold's and of the system's marks, if not their own.
        numbers: the number under which each mark of either side is known, if not its place in the table.
        under_gold: whether a pair counts under gold's label, or under the system's.
        """
        has_gold = self.gold != NONE
        names, ours, theirs = labels or (gold.labels.vocabulary, gold.label, system.label)
        gold_numbers, system_numbers = numbers or (np.arange(len(gold)), np.arange(len(system)))
        # NONE is -1, the last.
        label, answer = np.append(ours, NONE)[self.gold], np.append(theirs, NONE)[self.system]
        units = np.append(gold.unit, NONE)[self.gold], np.append(system.unit, NONE)[self.system]
        partner = np.append(system_numbers, NONE)[self.system]
        if key.size and max(-int(key.min()), int(key.max())) < 1 << 31:
            # Half of the memory; only hashes of gaps need more.
            key = key.astype(np.int32)
        return Items.of(
            labels=names,
            sentence=np.where(has_gold, *units),
            item=np.where(self.new_gold, np.append(gold_numbers, NONE)[self.gold], partner),
            gold=label,
            answer=answer,
            right=self.kind == 0,
            has_gold=self.new_gold,
            has_system=self.new_system,
            kinds=kinds,
            kind=self.kind,
            label=np.where(has_gold & (under_gold | (self.system == NONE)), label, answer),
            partner=partner,
            key=np.concatenate([key, np.full((len(key), 1), NONE, dtype=key.dtype)], axis=1)[:, self.system],
            **columns,
        )


class Steps:
    """Marks of gold and of a system that are paired one to one in steps; each step pairs the marks that are left."""

    def __init__(self, gold: int, system: int) -> None:
        self.partner = np.full(gold, NONE)
        """The system's mark that each of gold's is paired with, or NONE."""
        self.kind = np.full(gold, NONE)
        self.systems = system

    def left(self) -> tuple[Ints, Ints]:
        """The marks of gold and of the system that have no partner yet."""
        return np.flatnonzero(self.partner == NONE), all_but(self.partner, self.systems)

    def settle(self, ours: Ints, theirs: Ints, kind: int | Ints) -> None:
        """Make pairs, of one kind or each of its own."""
        self.partner[ours], self.kind[ours] = theirs, kind

    def by_columns(self, kind: int, *columns: tuple[Ints, Ints], near: tuple[Ints, Ints] | None = None) -> None:
        """Pair what is left of the marks that are equal in all columns, in text order.

        near: places of all marks; pairs of marks at the nearest places are made first.
        """
        gold, system = self.left()
        if not (len(gold) and len(system)):
            return
        keys = pack_columns(*(np.concatenate([ours[gold], theirs[system]]) for ours, theirs in columns))
        ours, theirs = keys[: len(gold)], keys[len(gold) :]
        if near is None:
            chosen = one_to_one(ours, theirs)
            self.settle(gold[chosen != NONE], system[chosen[chosen != NONE]], kind)
            return
        order = np.argsort(theirs, kind="stable")
        low, high = (np.searchsorted(theirs[order], ours, side=side) for side in ("left", "right"))
        if int((high - low).sum()) > MOST_CANDIDATES:
            self.by_columns(kind, *columns)
            return
        row, column = expand_ranges(low, high)
        row, column = gold[row], system[order[column]]
        ranked = np.lexsort((column, row, np.abs(near[0][row] - near[1][column])))
        row, column = row[ranked], column[ranked]
        while len(row):
            first_row, first_column = np.zeros(len(row), dtype=bool), np.zeros(len(row), dtype=bool)
            first_row[np.unique(row, return_index=True)[1]] = True
            first_column[np.unique(column, return_index=True)[1]] = True
            first = first_row & first_column
            self.settle(row[first], column[first], kind)
            rest = (self.partner[row] == NONE) & ~np.isin(column, column[first])
            row, column = row[rest], column[rest]

    def by_weight(self, ours: Ints, theirs: Ints, weight: Ints, ranks: tuple[Ints, Ints], kind: int) -> None:
        """Make as many of these pairs as can be among the marks that are left, with the greatest sum of weights.

        A pair may be listed twice. Ties are decided by the ranks of all marks, whichever side is gold.
        """
        free = (self.partner[ours] == NONE) & ~np.isin(theirs, self.partner)
        ours, theirs, weight = ours[free], theirs[free], weight[free]
        order = np.lexsort((-weight, theirs, ours))
        ours, theirs, weight = ours[order], theirs[order], weight[order]
        new = run_starts(ours) | run_starts(theirs)
        ours, theirs, weight = ours[new], theirs[new], weight[new]
        rank = np.sort(np.stack([ranks[0][ours], ranks[1][theirs]]), axis=0)
        rows = best_pairs(ours, theirs, weight, most=True, order=np.lexsort((theirs, ours, rank[1], rank[0])))
        self.settle(ours[rows], theirs[rows], kind)

    def matches(self, missing: int, spurious: int) -> Matches:
        """The pairs, and a row for each mark without a partner."""
        return _complete(self.pairs(), len(self.partner), self.systems, missing, spurious)

    def pairs(self) -> Matches:
        """The pairs alone."""
        rows = np.flatnonzero(self.partner != NONE)
        both = np.ones(len(rows), dtype=bool)
        return Matches(rows, self.partner[rows], self.kind[rows], both, both)


class TooManyOverlapsError(Exception):
    """Too many targets and system spans are connected by overlaps to be paired; the first target and both numbers."""

    def __init__(self, target: int, targets: int, systems: int) -> None:
        super().__init__(target, targets, systems)
        self.target, self.targets, self.systems = target, targets, systems


# --- exact matching ---


def match_exact(target: Marks, system: Marks) -> Matches:
    """Exact matches: a target that the system has is right, otherwise missing; other system spans are spurious.

    Every copy of a target counts; a surplus copy of a right system span has no row.
    """
    ours, theirs = _same_spans(target, system, same_places(target, system))
    partner = one_to_one(ours, theirs)
    own: Bools = partner != NONE
    surplus = np.flatnonzero(~own)
    surplus = surplus[_times_in(ours[surplus], theirs) > 0]
    if len(surplus):
        by_key = np.argsort(theirs, kind="stable")
        partner[surplus] = by_key[np.searchsorted(theirs[by_key], ours[surplus], "right") - 1]
    spurious = all_but(partner, len(system))
    spurious = spurious[_times_in(theirs[spurious], ours) == 0]
    return Matches(
        np.concatenate([np.arange(len(target)), np.full(len(spurious), NONE)]),
        np.concatenate([partner, spurious]),
        np.concatenate([np.where(partner == NONE, _FN, _TP), np.full(len(spurious), _FP)]),
        np.arange(len(target) + len(spurious)) < len(target),
        np.concatenate([own, np.ones(len(spurious), dtype=bool)]),
    )


def match_brackets(target: Marks, system: Marks) -> Matches:
    """Equal spans one to one; a target that the system has under another label is paired with that, and missing.

    The system span of that label is spurious all the same, and has a row of its own.
    """
    pairs = _same_atoms(target, system).pairs()
    return _complete(replace(pairs, new_system=pairs.kind == _TP), len(target), len(system), _FN, _FP)


def crossing_brackets(target: Marks, system: Marks, records: Matches) -> Ints:
    """The system spans that overlap a target without nesting, where the spans of each side are nested.

    A target that the system has too lies in its tree, so that none of its spans crosses it.
    """
    missing, spurious = records.gold[records.kind == _FN], records.system[records.kind == _FP]
    ours, theirs, shared = find_overlaps(target, system, missing, spurious)
    shorter = np.minimum(target.lengths()[ours], system.lengths()[theirs])
    return each_once(theirs[shared < shorter])


def find_wrong_sides(target: Marks, system: Marks, records: Matches) -> Ints:
    """The wrong boundary if a record pairs different atoms: 0 left, 1 right, 2 both, 3 neither (only gaps).

    All other records have NONE.
    """
    sides = np.full(len(records.kind), NONE)
    rows = np.flatnonzero((records.gold != NONE) & (records.system != NONE))
    ours, theirs = records.gold[rows], records.system[rows]
    left, right = target.begin[ours] != system.begin[theirs], target.end[ours] != system.end[theirs]
    sides[rows] = np.select([left & right, left, right], [2, 0, 1], NONE)
    if target.stretches or system.stretches:
        for row in rows[~(left | right)].tolist():
            if target.atoms_of(int(records.gold[row])) != system.atoms_of(int(records.system[row])):
                sides[row] = 3
    return sides


# --- fair matching (Ortmann 2022, Algorithm 2): each error counted once, under the closest kind that fits ---


def match_fair(target: Marks, system: Marks) -> Matches:
    """Equal spans, then spans with equal atoms, then overlapping ones with the same label, then all that overlap.

    Spans are removed as they are matched; later ones may join a matched span over atoms that are still left in it.
    """
    steps = _same_atoms(target, system)
    alone, ours, theirs = _overlaps(target, system, *steps.left())
    chain = _chains(target, system, ours, theirs)
    targets, systems = _Side(target, ours, chain[: len(ours)]), _Side(system, theirs, chain[len(ours) :])
    equal = steps.pairs()
    # Targets, system spans, and whether they are new.
    found = [(equal.gold, equal.system, True, True), (alone[0], alone[1], True, True)]
    passes = ((targets, systems, False), (targets, systems, True), (systems, targets, True))
    turn = 0
    for same_label in (True, False):
        for queries, others, matched in passes:
            for waiting in queries.rounds():
                query, other = _match(queries, others, waiting, same_label, matched, turn)
                turn += 2
                if queries is targets:
                    found.append((ours[query], theirs[other], True, not matched))
                else:
                    found.append((ours[other], theirs[query], False, True))

    rows = np.concatenate([np.stack(np.broadcast_arrays(*columns)) for columns in found], axis=1)
    ours, theirs, shared = shared_atoms(target, system, rows[0, len(equal.gold) :], rows[1, len(equal.gold) :])
    smaller, larger = shared == system.lengths()[theirs], shared == target.lengths()[ours]
    other_label = target.label[ours] != system.label[theirs]
    kinds = np.select([other_label, smaller, larger], [_LBE, _BES, _BEL], _BEO)
    pairs = Matches(rows[0], rows[1], np.concatenate([equal.kind, kinds]), rows[2] == 1, rows[3] == 1)
    return _complete(pairs, len(target), len(system), _FN, _FP)


def _match(
    queries: _Side, others: _Side, query: Ints, same_label: bool, matched: bool, turn: int
) -> tuple[Ints, Ints]:
    """Give each query, of different chains, its best partner among the spans that are matched, or are not."""
    # No span before these ends after the query's beginning, and none after them begins before its end.
    first = np.searchsorted(others.reach, queries.begin[query], "right")
    last = np.searchsorted(others.begin, queries.end[query])
    which, own = queries.rows_of(query, query + 1)
    pair, row = others.rows_of(first[which], last[which])
    partner = others.owner[row]
    fits = np.flatnonzero(others.matched[partner] == matched)
    row, pair, partner = row[fits], pair[fits], partner[fits]
    begin = np.maximum(queries.row_begin[own][pair], others.row_begin[row])
    end = np.minimum(queries.row_end[own][pair], others.row_end[row])
    same = others.label[partner] == queries.label[query][which[pair]]
    fits = np.flatnonzero((begin < end) & (same == same_label))
    if not len(fits):
        return fits, fits
    fits = fits[np.argsort(partner[fits], kind="stable")]
    row, pair, partner, begin, end = row[fits], pair[fits], partner[fits], begin[fits], end[fits]
    which, own = which[pair], own[pair]

    # Most atoms shared, then fewest others, then the shortest, then the first. A partner is near one query only.
    starts = np.flatnonzero(run_starts(partner))
    shared = np.add.reduceat(end - begin, starts)
    best, near = np.arange(len(starts)), partner[starts]
    for rank in (-shared, others.size[near], others.length[near], others.turn[near]):
        begins = run_starts(which[starts[best]])
        if not begins.all():
            least = np.minimum.reduceat(rank[best], np.flatnonzero(begins))
            best = best[rank[best] == least[np.cumsum(begins) - 1]]
    chosen = np.full(len(query), NONE)
    chosen[which[starts[best]]] = near[best]

    # All atoms of a query are left, so that both lose what is left of the partner there.
    lost = partner == chosen[which]
    query, partner = query[chosen != NONE], chosen[chosen != NONE]
    queries.cut(own[lost], begin[lost], end[lost])
    others.cut(row[lost], begin[lost], end[lost])
    queries.size[query] -= shared[best]
    others.size[partner] -= shared[best]
    queries.matched[query], queries.turn[query] = True, turn
    if not matched:
        others.matched[partner], others.turn[partner] = True, turn + 1
    return query, partner


class _Side:
    """The spans of one side that are in play, in the order in which they begin, and what is left of them.

    What is left are stretches, a row for each, those of a span side by side.
    """

    def __init__(self, spans: Marks, indices: Ints, chain: Ints) -> None:
        self.begin, self.end, self.chain = spans.begin[indices], spans.end[indices], chain
        self.reach = np.maximum.accumulate(self.end)
        self.label, self.length = spans.label[indices], spans.lengths()[indices]
        self.by_length = np.lexsort([indices, self.length])
        self.turn = np.argsort(self.by_length)
        self.matched = np.zeros(len(indices), dtype=bool)
        self.size = self.length.copy()
        atoms = [spans.atoms_of(index) for index in indices.tolist()]
        self.owner = np.repeat(np.arange(len(indices)), [len(stretches) for stretches in atoms])
        rows = np.array([stretch for stretches in atoms for stretch in stretches], dtype=np.int64).reshape(-1, 2)
        self.row_begin, self.row_end = rows[:, 0].copy(), rows[:, 1].copy()

    def rounds(self) -> Iterator[Ints]:
        """The spans that are not matched, shortest first, one of each chain at a time.

        Chains have nothing to do with each other: one round takes arrays over all of them, and no more memory than
        they have spans.
        """
        waiting = self.by_length[~self.matched[self.by_length]]
        waiting = waiting[np.argsort(self.chain[waiting], kind="stable")]
        place = places_in_runs(self.chain[waiting])
        yield from np.split(waiting[np.argsort(place, kind="stable")], np.cumsum(np.bincount(place))[:-1])

    def rows_of(self, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """The rows of several ranges of spans, after the number of the range that each is from."""
        return expand_ranges(np.searchsorted(self.owner, first), np.searchsorted(self.owner, last))

    def cut(self, row: Ints, begin: Ints, end: Ints) -> None:
        """Take stretches out of rows: what is left lies between them."""
        whole = each_once(row)
        rows = np.concatenate([whole, row])
        begins = np.concatenate([self.row_begin[whole], end])
        ends = np.concatenate([self.row_end[whole], begin])
        order = np.lexsort([begins, rows])
        rows, begins, ends = rows[order], begins[order], ends[np.lexsort([ends, rows])]
        left = begins < ends
        rows, begins, ends = rows[left], begins[left], ends[left]
        self.row_begin[whole] = self.row_end[whole] = 0
        again = ~run_starts(rows)
        self.row_begin[rows[~again]], self.row_end[rows[~again]] = begins[~again], ends[~again]
        if again.any():
            behind = rows[again] + 1
            self.owner = np.insert(self.owner, behind, self.owner[rows[again]])
            self.row_begin = np.insert(self.row_begin, behind, begins[again])
            self.row_end = np.insert(self.row_end, behind, ends[again])


# --- the one-to-one matching of the four SemEval-2013 scores ---


def match_semeval(target: Marks, system: Marks, *, least: float = 0.0) -> Matches:
    """The one-to-one matching with most equal pairs, then most same atoms, same labels, pairs, and shared atoms.

    Of equally good ones the smallest list of (target, system span) is taken; if more than FEW pairs are connected,
    any of them. `least` is the share of the target's atoms that two spans must share to be a pair; 0 stands for one
    atom.
    """
    places = same_places(target, system)
    spans = _same_spans(target, system, places)

    def kinds_of(ours: Ints, theirs: Ints) -> Ints:
        other_label = target.label[ours] != system.label[theirs]
        kinds: Ints = np.where(places[0][ours] != places[1][theirs], 2, 0) + other_label
        return kinds

    # Where both sides have a span equally often there is no choice but list order, and then where the same number is
    # left at a place.
    partner = np.full(len(target), NONE)
    uneven = _times_in(spans[0], spans[0]) != _times_in(spans[0], spans[1])
    partner[~uneven] = one_to_one(*spans)[~uneven]
    open_places = places[0][uneven & (_times_in(spans[0], spans[1]) > 0)]
    left, free = np.flatnonzero(partner == NONE), all_but(partner, len(system))
    here, there = places[0][left], places[1][free]
    settled = (_times_in(here, here) == _times_in(here, there)) & (_times_in(here, open_places) == 0)
    partner[left[settled]] = free[one_to_one(here, there)[settled]]

    _pair_rest(target, system, partner, kinds_of, least)
    steps, found = Steps(len(target), len(system)), np.flatnonzero(partner != NONE)
    steps.settle(found, partner[found], kinds_of(found, partner[found]))
    return steps.matches(_MISSED, _SPURIOUS)


def best_matching(target: Marks, system: Marks, kinds_of: Callable[[Ints, Ints], Ints]) -> Ints:
    """The partner of each target, or NONE, in the matching with most pairs of kind 0, then 1, 2, 3, and shared atoms.

    `kinds_of` gives the kind of each pair of a target and a system span, NONE where they may not be paired; those of
    kinds 0 and 1 have the same atoms, and the others overlap.
    """
    partner = np.full(len(target), NONE)
    ours, theirs = same_places(target, system)
    # Where each side has one span at a place there is no better partner for either.
    alone = np.flatnonzero((_times_in(ours, ours) == 1) & (_times_in(ours, theirs) == 1))
    there = one_to_one(ours, theirs)[alone]
    fits = kinds_of(alone, there) != NONE
    partner[alone[fits]] = there[fits]
    _pair_rest(target, system, partner, kinds_of)
    return partner


def _pair_rest(
    target: Marks,
    system: Marks,
    partner: Ints,
    kinds_of: Callable[[Ints, Ints], Ints],
    least: float = 0.0,
) -> None:
    """Enter the best partners of the targets that have none yet, among the system spans that are free."""
    alone, ours, theirs = _overlaps(target, system, np.flatnonzero(partner == NONE), all_but(partner, len(system)))
    chain = _chains(target, system, ours, theirs)
    pairs_in_chain = np.bincount(chain[: len(ours)], overlap_counts(target, ours, system, theirs), 1)
    if pairs_in_chain.max() > MOST:
        # Refused before pairs are listed.
        worst = chain == pairs_in_chain.argmax()
        inside = ours[worst[: len(ours)]]
        raise TooManyOverlapsError(int(inside[0]), len(inside), int(worst[len(ours) :].sum()))
    lengths = target.lengths()
    near = (alone[2] / lengths[alone[0]] >= least) & (kinds_of(alone[0], alone[1]) != NONE)
    partner[alone[0][near]] = alone[1][near]
    ours, theirs, shared = find_overlaps(target, system, ours, theirs)
    kinds = kinds_of(ours, theirs)
    near = (shared / lengths[ours] >= least) & (kinds != NONE)
    ours, theirs, shared, kinds = ours[near], theirs[near], shared[near], kinds[near]
    # Without pairs that share too little, chains may have split.
    begin = np.minimum(target.begin[ours], system.begin[theirs])
    chain = _number_chains(begin, np.maximum(target.end[ours], system.end[theirs]))
    by_chain = np.argsort(chain, kind="stable")
    for rows in np.split(by_chain, np.flatnonzero(run_starts(chain[by_chain]))[1:]) if len(ours) else ():
        best = rows[_best_pairs(ours[rows], theirs[rows], shared[rows], kinds[rows])]
        partner[ours[best]] = theirs[best]


def _best_pairs(targets: Ints, systems: Ints, shared: Ints, kinds: Ints) -> Ints:
    """The rows of the best matching of one chain.

    Weights are numbers whose sums compare as the sums of each criterion do, in turn, and last, where pairs are few,
    as the lists of pairs.
    """
    (rows, row), (columns, column) = (np.unique(indices, return_inverse=True) for indices in (targets, systems))
    if len(kinds) > FEW:
        base = min(len(rows), len(columns)) + 1
        ranks = [base**3 + base**2 + base + 1, base**2 + 1, base + 1, 1]
        most = np.zeros(len(rows), dtype=np.int64)
        np.maximum.at(most, row, shared)
        atoms = 1 + int(most.sum())
        if ranks[int(kinds.min())] * atoms * base >= 1 << 53:
            # Floats are whole numbers up to here only: shared atoms are left open.
            atoms, shared = 1, np.zeros_like(shared)
        weight = np.array(ranks)[kinds] * float(atoms) + shared
        partner = max_weight_matching_sparse(row, column, weight, (len(rows), len(columns)))
        return np.flatnonzero(partner[row] == column)
    base, atoms = len(rows) + 1, 1 + int(shared.sum())
    ranks = [base**3 + base**2 + base + 1, base**2 + 1, base + 1, 1]
    # The ties are a number with a digit for each target, the first target's foremost, greater for earlier partners.
    partners = np.bincount(row).tolist()
    ties = prod(number + 1 for number in partners)
    digits = [ties]
    for number in partners:
        digits.append(digits[-1] // (number + 1))
    weights: list[dict[int, int]] = [{} for _ in partners]
    for place, other, kind, atom in zip(row.tolist(), column.tolist(), kinds.tolist(), shared.tolist(), strict=True):
        digit = partners[place] - len(weights[place])
        weights[place][other] = (ranks[kind] * atoms + atom) * ties + digit * digits[place + 1]
    chosen = max_weight_matching(weights)
    return np.flatnonzero([chosen[one] == other for one, other in zip(row.tolist(), column.tolist(), strict=True)])


# --- assignment: the one-to-one choice of pairs with the greatest total weight ---


def max_weight_matching(weights: Sequence[Mapping[int, int]]) -> list[int | None]:
    """The column of each row, or None: no column twice, and the greatest total weight, in whole numbers of any size.

    `weights[row][column]` is above 0 where the two may be paired; columns are numbered from 0. Rows enter one after
    the other, each by the cheapest chain of changes among the rows before it (the Hungarian method, sparse).
    """
    # Row i has a column of its own, ~i, which weighs nothing and stands for going without.
    table = [{**columns, ~row: 0} for row, columns in enumerate(weights)]
    chosen: list[int] = []
    owner: dict[int, int] = {}
    # What proves the choice best: no weight is above gain plus price.
    gain: list[int] = []
    price = {column: 0 for columns in table for column in columns}
    for new in range(len(table)):
        gain.append(max(weight - price[column] for column, weight in table[new].items()))
        # The cheapest chain to a free column: the cost of each row met, and the row before each column.
        costs: dict[int, int] = {new: 0}
        before: dict[int, int] = {}
        ways: dict[int, int] = {}
        heap: list[tuple[int, bool, int]] = []
        row, owned = new, True
        while owned:
            base = costs[row] + gain[row]
            for column, weight in table[row].items():
                way = base + price[column] - weight
                if column not in ways or way < ways[column]:
                    ways[column], before[column] = way, row
                    heappush(heap, (way, column in owner, column))
            way, owned, column = heappop(heap)
            while way > ways[column]:
                way, owned, column = heappop(heap)
            if owned:
                row = owner[column]
                costs[row] = way
        for row, cost in costs.items():
            gain[row] -= way - cost
            if row != new:
                price[chosen[row]] += way - cost
        # Along the chain each row takes the column that the next one gave up.
        chosen.append(column)
        while (row := before[column]) != new:
            owner[column], chosen[row], column = row, column, chosen[row]
        owner[column], chosen[new] = new, column
    return [column if column >= 0 else None for column in chosen]


def max_weight_matching_sparse(row: Ints, column: Ints, weight: Floats, shape: tuple[int, int]) -> Ints:
    """The column of each row, from many cells; a solver is loaded.

    The solver gives every row a column and takes 0 for no cell: each row has one of its own for going without, and
    all weights are raised by 1.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    own = np.arange(shape[0])
    places = np.append(row, own), np.append(column, shape[1] + own)
    cells = csr_array((np.append(weight + 1, np.ones(shape[0])), places), shape=(shape[0], sum(shape)))
    return np.asarray(min_weight_full_bipartite_matching(cells, maximize=True)[1])


def connect_cells(row: Ints, column: Ints) -> Ints:
    """A number for each cell; cells with other numbers have no row and no column in common."""
    # Each cell takes the lowest number that one of its row or column has, until no number changes.
    group = np.arange(len(row))
    lines = [np.unique(line, return_inverse=True)[1] for line in (row, column)]
    before = group - 1
    while not np.array_equal(group, before):
        before = group
        for line in lines:
            lowest = np.full(int(line.max()) + 1, len(row))
            np.minimum.at(lowest, line, group)
            group = lowest[line]
            # A number is that of a cell, which may have got a lower one since.
            group = group[group]
    return group


def best_pairs(
    ours: Ints,
    theirs: Ints,
    weight: Ints,
    *,
    whole: Ints | None = None,
    most: bool = False,
    order: Ints | None = None,
) -> Ints:
    """The places of the pairs in the best one-to-one choice: that with the greatest sum of weights.

    The weight of a pair, above 0, is `weight`, or its quotient by `whole`; with `most`, the number of pairs comes
    first. Among equal choices it is the one with the first pairs in `order`, or else in the order of ours and then
    theirs, unless more than _EXACT pairs are connected: then it is any of them. No pair is listed twice.
    """
    order = np.lexsort((theirs, ours)) if order is None else order
    if not len(ours):
        return order
    (_, row, rows), (_, column, columns) = (
        np.unique(ends[order], return_inverse=True, return_counts=True) for ends in (ours, theirs)
    )
    alone = (rows[row] == 1) & (columns[column] == 1)
    chosen, rest = [order[alone]], np.flatnonzero(~alone)
    group = connect_cells(row[rest], column[rest]) if len(rest) else rest
    by_group = np.argsort(group, kind="stable")
    starts = np.flatnonzero(run_starts(group[by_group]))
    for places in np.split(rest[by_group], starts[1:]) if len(rest) else ():
        pairs = order[places]
        (above, one), (across, other) = (np.unique(ends[places], return_inverse=True) for ends in (row, column))
        if len(pairs) > _EXACT:
            floats = weight[pairs] / (1 if whole is None else whole[pairs])
            floats = floats + (1 + floats.sum() if most else 0)
            partner = max_weight_matching_sparse(one, other, floats, (len(above), len(across)))
            chosen.append(pairs[partner[one] == other])
            continue
        parts = [1] * len(pairs) if whole is None else whole[pairs].tolist()
        unit = lcm(*parts)
        numbers = [unit // part * number for part, number in zip(parts, weight[pairs].tolist(), strict=True)]
        lead, last = 1 + sum(numbers) if most else 0, len(pairs)
        # Whole numbers whose sums compare as those of weights do, and then as the lists of pairs.
        table: list[dict[int, int]] = [{} for _ in above]
        for place, (a, b, number) in enumerate(zip(one.tolist(), other.tolist(), numbers, strict=True), 1):
            table[a][b] = ((lead + number) << last) + (1 << (last - place))
        best = max_weight_matching(table)
        chosen.append(pairs[[best[a] == b for a, b in zip(one.tolist(), other.tolist(), strict=True)]])
    return np.concatenate(chosen)


# --- equal spans ---


def same_places(target: Marks, system: Marks) -> tuple[Ints, Ints]:
    """A number for each target and each system span; spans with the same atoms have the same number."""
    begin = np.concatenate([target.begin, system.begin]).astype(np.int64)
    shapes = [number_shapes([target, system])] if target.stretches or system.stretches else []
    keys = pack_columns(begin, np.concatenate([target.end, system.end]) - begin, *shapes)
    return keys[: len(target)], keys[len(target) :]


def number_shapes(sides: Sequence[Marks]) -> Ints:
    """A number for the gaps of each span, one side after the other: equal for equal stretches, 0 without gaps."""
    shapes = sorted({shape for spans in sides for shape in spans.stretches.values()})
    codes = {shape: code for code, shape in enumerate(shapes, 1)}
    numbers = np.zeros(sum(map(len, sides)), dtype=np.int64)
    first = 0
    for spans in sides:
        for index, shape in spans.stretches.items():
            numbers[first + index] = codes[shape]
        first += len(spans)
    return numbers


def _same_spans(target: Marks, system: Marks, places: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """A number for each target and each system span; spans with the same atoms and label have the same number."""
    keys = pack_columns(np.concatenate(places), np.concatenate([target.label, system.label]))
    return keys[: len(target)], keys[len(target) :]


def _same_atoms(target: Marks, system: Marks) -> Steps:
    """Equal spans one to one, then those with the same atoms: right ones, and errors of labelling.

    Once equal spans are gone the labels left at a place differ, so that list order alone pairs them.
    """
    places, steps = same_places(target, system), Steps(len(target), len(system))
    steps.partner = one_to_one(*_same_spans(target, system, places))
    steps.kind[:] = _TP
    steps.by_columns(_LE, places)
    return steps


def _times_in(keys: Ints, others: Ints) -> Ints:
    """Number of times that each key occurs among the others."""
    ordered = np.sort(others, kind="stable")
    return np.searchsorted(ordered, keys, "right") - np.searchsorted(ordered, keys, "left")


def one_to_one(targets: Ints, systems: Ints) -> Ints:
    """For each target the system span with the same key, first with first, second with second; or NONE."""
    partner = np.full(len(targets), NONE)
    if not len(systems):
        return partner
    by_target, by_system = np.argsort(targets, kind="stable"), np.argsort(systems, kind="stable")
    ours, theirs = targets[by_target], systems[by_system]
    at = np.searchsorted(theirs, ours, "left") + places_in_runs(ours)
    found = (at < len(theirs)) & (theirs[np.minimum(at, len(theirs) - 1)] == ours)
    partner[by_target[found]] = by_system[at[found]]
    return partner


def equal_pairs(targets: Ints, systems: Ints) -> tuple[Ints, Ints]:
    """All pairs of equal numbers, by their places on both sides."""
    order = np.argsort(systems, kind="stable")
    rows, places = expand_ranges(*(np.searchsorted(systems[order], targets, side) for side in ("left", "right")))
    return rows, order[places]


def run_starts(numbers: Ints) -> Bools:
    """Mask of the places where a run of equal numbers begins."""
    starts = np.ones(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=starts[1:])
    return starts


def places_in_runs(numbers: Ints) -> Ints:
    """The place of each number among the equal ones that it stands with, counted from 0."""
    place = np.arange(len(numbers))
    return place - np.maximum.accumulate(np.where(run_starts(numbers), place, 0))


# --- overlapping spans ---

_Pairs = tuple[Ints, Ints, Ints]
"""Targets, system spans, and the number of atoms that they share."""


def _overlaps(target: Marks, system: Marks, targets: Ints, systems: Ints) -> tuple[_Pairs, Ints, Ints]:
    """The pairs of spans that overlap nothing else, and the targets and system spans that may overlap several.

    The latter are in the order in which they begin. Overlaps are counted, not listed: of n spans inside each other
    there are n² pairs.
    """
    sides = (target, targets), (system, systems)
    counts = [overlap_counts(*one, *other) for one, other in (sides, sides[::-1])]
    alone = find_overlaps(target, system, targets[counts[0] == 1], systems[counts[1] == 1])
    entangled = []
    for (spans, chosen), number, gone in zip(sides, counts, alone[:2], strict=True):
        left = chosen[(number > 0) & ~np.isin(chosen, gone)]
        entangled.append(left[np.argsort(spans.begin[left], kind="stable")])
    return alone, entangled[0], entangled[1]


def overlap_counts(spans: Marks, chosen: Ints, others: Marks, other_chosen: Ints) -> Ints:
    """The number of the others that each span lies over, gaps included."""
    begun = np.searchsorted(np.sort(others.begin[other_chosen]), spans.end[chosen])
    ended = np.searchsorted(np.sort(others.end[other_chosen]), spans.begin[chosen], "right")
    return np.asarray(begun - ended)


def _chains(target: Marks, system: Marks, targets: Ints, systems: Ints) -> Ints:
    """The chain of overlaps that each target, then each system span belongs to."""
    begin = np.concatenate([target.begin[targets], system.begin[systems]])
    return _number_chains(begin, np.concatenate([target.end[targets], system.end[systems]]))


def _number_chains(begin: Ints, end: Ints) -> Ints:
    """For each stretch the number of the chain of overlaps that it belongs to, in the order in which chains begin."""
    order = np.argsort(begin, kind="stable")
    chain = np.zeros(len(order), dtype=np.int64)
    chain[order[1:]] = np.cumsum(begin[order[1:]] >= np.maximum.accumulate(end[order])[:-1])
    return chain


def find_overlaps(target: Marks, system: Marks, targets: Ints, systems: Ints) -> _Pairs:
    """All pairs of the given targets and system spans that share an atom, in order of target, then system span.

    Of two spans that overlap one begins within the other: two searches find all pairs and nothing else.
    """
    targets = targets[np.argsort(target.begin[targets], kind="stable")]
    systems = systems[np.argsort(system.begin[systems], kind="stable")]
    ours, theirs = target.begin[targets], system.begin[systems]
    outer, inner = expand_ranges(np.searchsorted(theirs, ours), np.searchsorted(theirs, target.end[targets]))
    other_outer, other_inner = expand_ranges(
        np.searchsorted(ours, theirs, "right"), np.searchsorted(ours, system.end[systems])
    )
    left = np.concatenate([targets[outer], targets[other_inner]])
    right = np.concatenate([systems[inner], systems[other_outer]])
    order = np.lexsort([right, left])
    return shared_atoms(target, system, left[order], right[order])


def expand_ranges(starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """The numbers from each start to its stop, after the row they are from."""
    sizes = np.maximum(stops - starts, 0)
    return np.repeat(np.arange(len(starts)), sizes), numbers_of_runs(starts, sizes)


def shared_atoms(target: Marks, system: Marks, left: Ints, right: Ints) -> _Pairs:
    """Pairs of spans that lie over each other, with what they share; without those that share nothing but gaps."""
    shared = np.minimum(target.end[left], system.end[right]) - np.maximum(target.begin[left], system.begin[right])
    shared = shared.astype(np.int64)
    if not (target.stretches or system.stretches):
        return left, right, shared
    gaps = np.isin(left, list(target.stretches)) | np.isin(right, list(system.stretches))
    for row in np.flatnonzero(gaps).tolist():
        shared[row] = shared_size(target.atoms_of(int(left[row])), system.atoms_of(int(right[row])))
    return left[shared > 0], right[shared > 0], shared[shared > 0]


def shared_size(ours: Stretches, theirs: Stretches) -> int:
    """The number of atoms that two spans share."""
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in ours for b in theirs)


# --- records ---


def _complete(pairs: Matches, targets: int, systems: int, missing: int, spurious: int) -> Matches:
    """The records of pairs, put in order, and those of all other spans, which are missing or spurious."""
    first, later = pairs.new_gold, ~pairs.new_gold
    partner, kind = np.full(targets, NONE), np.full(targets, missing)
    both = np.zeros(targets, dtype=bool)
    rows = pairs.gold[first]
    partner[rows], kind[rows], both[rows] = pairs.system[first], pairs.kind[first], pairs.new_system[first]

    joined, joined_kind = np.full(systems, NONE), np.full(systems, spurious)
    joined[pairs.system[later]], joined_kind[pairs.system[later]] = pairs.gold[later], pairs.kind[later]
    added = all_but(partner[both], systems)
    return Matches(
        np.concatenate([np.arange(targets), joined[added]]),
        np.concatenate([partner, added]),
        np.concatenate([kind, joined_kind[added]]),
        np.arange(targets + len(added)) < targets,
        np.concatenate([both, np.ones(len(added), dtype=bool)]),
    )
