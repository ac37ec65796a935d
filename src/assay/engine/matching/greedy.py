"""Fair matching (Ortmann 2022, Algorithm 2): each error counted once, under the closest kind that fits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np

from assay.arrays import NONE, Ints, Stretches
from assay.engine.matching.spans import (
    Pairs,
    Records,
    SpanList,
    complete,
    one_to_one,
    overlaps,
    same_places,
    same_spans,
    shared_atoms,
    unpaired,
)

FAIR = ("tp", "fp", "fn", "le", "bes", "bel", "beo", "lbe")
_TP, _FP, _FN, _LE, _BES, _BEL, _BEO, _LBE = range(8)


def fair(target: SpanList, system: SpanList) -> Records:
    """Equal spans, then spans with equal atoms, then overlapping ones with the same label, then all that overlap.

    Spans are removed as they are matched; later ones may join a matched span over atoms that are still left in it.
    """
    places = same_places(target, system)
    partner, kind = _same_atoms(places, same_spans(target, system, places))
    alone, ours, theirs = overlaps(target, system, np.flatnonzero(partner == NONE), unpaired(partner, len(system)))
    chosen = _passes(_Side(target, ours), _Side(system, theirs))
    pairs = shared_atoms(
        target,
        system,
        np.concatenate([alone.target, ours[chosen[:, 0]]]),
        np.concatenate([alone.system, theirs[chosen[:, 1]]]),
    )

    equal = np.flatnonzero(partner != NONE)
    both = np.ones(len(equal) + len(alone), dtype=bool)
    found = Records(
        np.concatenate([equal, pairs.target]),
        np.concatenate([partner[equal], pairs.system]),
        np.concatenate([kind[equal], _kinds(target, system, pairs)]),
        np.concatenate([both, chosen[:, 2] == 1]),
        np.concatenate([both, chosen[:, 3] == 1]),
    )
    return complete(found, len(target), len(system), _FN, _FP)


def _same_atoms(places: tuple[Ints, Ints], spans: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """The partner of each target that has one with the same atoms, and whether that is right or a label error.

    Once equal spans are gone the labels left at a place differ, so that list order alone pairs them.
    """
    partner = one_to_one(*spans)
    kind = np.where(partner != NONE, _TP, _LE)
    ours = np.flatnonzero(partner == NONE)
    theirs = unpaired(partner, len(spans[1]))
    found = one_to_one(places[0][ours], places[1][theirs])
    partner[ours[found != NONE]] = theirs[found[found != NONE]]
    return partner, kind


def _kinds(target: SpanList, system: SpanList, pairs: Pairs) -> Ints:
    """The error that each pair of overlapping spans is."""
    smaller = pairs.shared == system.lengths()[pairs.system]
    larger = pairs.shared == target.lengths()[pairs.target]
    other = target.label[pairs.target] != system.label[pairs.system]
    return np.select([other, smaller, larger], [_LBE, _BES, _BEL], _BEO)


def _passes(targets: _Side, systems: _Side) -> Ints:
    """Steps 2 and 3 of the algorithm: in each line a target and a system span, and whether they are new."""
    turns = count()
    chosen: list[tuple[int, int, bool, bool]] = []
    for same_label in (True, False):
        chosen += [(*pair, True, True) for pair in _pass(targets, systems, same_label, False, turns)]
        chosen += [(*pair, True, False) for pair in _pass(targets, systems, same_label, True, turns)]
        later = _pass(systems, targets, same_label, True, turns)
        chosen += [(target, system, False, True) for system, target in later]
    return np.array(chosen, dtype=int).reshape(-1, 4)


def _pass(
    queries: _Side, others: _Side, same_label: bool, matched: bool, turns: Iterator[int]
) -> Iterator[tuple[int, int]]:
    """Give each query its best partner among the spans that are matched, or are not; yields both."""
    for query in queries.by_length:
        if not queries.matched[query]:
            atoms = queries.atoms[query]
            partner = others.best(atoms, int(queries.label[query]), same_label, matched)
            if partner != NONE:
                # All atoms of the query are left, so that both lose what is left of the partner there.
                taken = others.cut(partner, atoms)
                queries.cut(query, taken)
                queries.matched[query], queries.turn[query] = True, next(turns)
                if not matched:
                    others.matched[partner], others.turn[partner] = True, next(turns)
                yield query, partner


class _Side:
    """The spans of one side that are in play, in the order in which they begin, and what is left of them.

    What is left are stretches, a row for each, those of a span side by side. The partner of a query is looked for in
    all rows near it at once: time grows with the rows, memory with the spans, whatever overlaps.
    """

    def __init__(self, spans: SpanList, indices: Ints) -> None:
        self.begin, self.reach = spans.begin[indices], np.maximum.accumulate(spans.end[indices])
        self.label, self.length = spans.label[indices], spans.lengths()[indices]
        self.atoms: list[Stretches] = [spans.atoms_of(index) for index in indices.tolist()]
        order = np.lexsort([indices, self.length])
        self.by_length: list[int] = order.tolist()
        self.turn = np.argsort(order)
        self.matched = np.zeros(len(indices), dtype=bool)
        self.size = self.length.copy()
        self.owner = np.repeat(np.arange(len(indices)), [len(atoms) for atoms in self.atoms])
        rows = np.array([stretch for atoms in self.atoms for stretch in atoms], dtype=np.int64).reshape(-1, 2)
        self.row_begin, self.row_end = rows[:, 0].copy(), rows[:, 1].copy()

    def best(self, atoms: Stretches, label: int, same_label: bool, matched: bool) -> int:
        """The span with most atoms shared, then fewest others, then the shortest, then the first; or NONE."""
        # None before has ended behind the query's beginning, none behind begins before its end.
        first = int(np.searchsorted(self.reach, atoms[0][0], "right"))
        last = int(np.searchsorted(self.begin, atoms[-1][1]))
        fits = (self.label[first:last] == label) == same_label
        fits &= self.matched[first:last] == matched
        if not fits.any():
            return NONE
        rows = slice(*np.searchsorted(self.owner, [first, last]))
        owner, shared = self.owner[rows] - first, np.zeros(last - first)
        for begin, end in atoms:
            common = np.minimum(self.row_end[rows], end) - np.maximum(self.row_begin[rows], begin)
            shared += np.bincount(owner, np.maximum(common, 0), last - first)
        shared[~fits] = 0
        most = shared.max()
        if not most:
            return NONE
        found = first + np.flatnonzero(shared == most)
        for rank in (self.size, self.length, self.turn):
            if len(found) > 1:
                found = found[rank[found] == rank[found].min()]
        return int(found[0])

    def cut(self, span: int, atoms: Stretches) -> Stretches:
        """Take atoms out of what is left of a span; gives those that it had."""
        first, last = np.searchsorted(self.owner, [span, span + 1])
        left = list(zip(self.row_begin[first:last].tolist(), self.row_end[first:last].tolist(), strict=True))
        taken: list[tuple[int, int]] = []
        for begin, end in atoms:
            taken += [(max(begin, low), min(end, high)) for low, high in left if low < end and begin < high]
            pieces = [((low, min(high, begin)), (max(low, end), high)) for low, high in left]
            left = [(low, high) for both in pieces for low, high in both if low < high]
        self.size[span] -= sum(end - begin for begin, end in taken)
        for rows, values in ((self.row_begin, [a for a, _ in left]), (self.row_end, [b for _, b in left])):
            rows[first:last] = 0
            rows[first : first + len(values[: last - first])] = values[: last - first]
        for begin, end in left[last - first :]:
            self.owner = np.insert(self.owner, last, span)
            self.row_begin, self.row_end = np.insert(self.row_begin, last, begin), np.insert(self.row_end, last, end)
        return tuple(taken)
