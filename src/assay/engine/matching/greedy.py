"""Fair matching (Ortmann 2022, Algorithm 2): each error counted once, under the closest kind that fits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.engine.matching.spans import (
    Pairs,
    Records,
    SpanList,
    chains,
    complete,
    one_to_one,
    overlaps,
    ranges,
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
    chain = chains(np.append(target.begin[ours], system.begin[theirs]), np.append(target.end[ours], system.end[theirs]))
    chosen = _passes(_Side(target, ours, chain[: len(ours)]), _Side(system, theirs, chain[len(ours) :]))
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
    """Steps 2 and 3 of the algorithm: in each row a target and a system span, and whether they are new."""
    found = [np.zeros((0, 4), dtype=np.int64)]
    turn = 0
    for same_label in (True, False):
        for queries, others, matched, new in (
            (targets, systems, False, (True, True)),
            (targets, systems, True, (True, False)),
            (systems, targets, True, (False, True)),
        ):
            for query in queries.rounds():
                query, partner = _match(queries, others, query, same_label, matched, turn)
                pair = (query, partner) if queries is targets else (partner, query)
                found.append(np.stack([*pair, *(np.full(len(query), side) for side in new)], axis=1))
                turn += 2
    return np.concatenate(found)


def _match(
    queries: _Side, others: _Side, query: Ints, same_label: bool, matched: bool, turn: int
) -> tuple[Ints, Ints]:
    """Give each query, of different chains, its best partner among the spans that are matched, or are not."""
    # None before has ended behind the query's beginning, none behind begins before its end.
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
    starts = np.flatnonzero(_begins(partner))
    shared = np.add.reduceat(end - begin, starts)
    best, near = np.arange(len(starts)), partner[starts]
    for rank in (-shared, others.size[near], others.length[near], others.turn[near]):
        begins = _begins(which[starts[best]])
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


def _begins(numbers: Ints) -> Bools:
    """Mask of the places where another number stands than before."""
    begins = np.ones(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=begins[1:])
    return begins


class _Side:
    """The spans of one side that are in play, in the order in which they begin, and what is left of them.

    What is left are stretches, a row for each, those of a span side by side.
    """

    def __init__(self, spans: SpanList, indices: Ints, chain: Ints) -> None:
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
        begins, place = _begins(self.chain[waiting]), np.arange(len(waiting))
        place -= np.maximum.accumulate(np.where(begins, place, 0))
        yield from np.split(waiting[np.argsort(place, kind="stable")], np.cumsum(np.bincount(place))[:-1])

    def rows_of(self, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """The rows of several ranges of spans, after the number of the range that each is from."""
        return ranges(np.searchsorted(self.owner, first), np.searchsorted(self.owner, last))

    def cut(self, row: Ints, begin: Ints, end: Ints) -> None:
        """Take stretches out of rows: what is left lies between them."""
        whole = np.unique(row)
        rows = np.concatenate([whole, row])
        begins = np.concatenate([self.row_begin[whole], end])
        ends = np.concatenate([self.row_end[whole], begin])
        order = np.lexsort([begins, rows])
        rows, begins, ends = rows[order], begins[order], ends[np.lexsort([ends, rows])]
        left = begins < ends
        rows, begins, ends = rows[left], begins[left], ends[left]
        self.row_begin[whole] = self.row_end[whole] = 0
        again = ~_begins(rows)
        self.row_begin[rows[~again]], self.row_end[rows[~again]] = begins[~again], ends[~again]
        if again.any():
            behind = rows[again] + 1
            self.owner = np.insert(self.owner, behind, self.owner[rows[again]])
            self.row_begin = np.insert(self.row_begin, behind, begins[again])
            self.row_end = np.insert(self.row_end, behind, ends[again])
