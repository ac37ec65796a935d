"""Fair matching (Ortmann 2022, Algorithm 2): each error counted once, under the closest kind that fits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from assay.arrays import NONE, Bools, Ints, Stretches
from assay.matching.spans import (
    Pairs,
    Records,
    SpanList,
    common,
    complete,
    one_to_one,
    overlapping,
    same_places,
    same_spans,
    size,
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
    pairs = overlapping(target, system, np.flatnonzero(partner == NONE), unpaired(partner, len(system)))
    rows, new_target, new_system = _matched(target, system, pairs)
    pairs = pairs.rows(rows)

    equal = np.flatnonzero(partner != NONE)
    both = np.ones(len(equal), dtype=bool)
    found = Records(
        np.concatenate([equal, pairs.target]),
        np.concatenate([partner[equal], pairs.system]),
        np.concatenate([kind[equal], _kinds(target, system, pairs)]),
        np.concatenate([both, new_target]),
        np.concatenate([both, new_system]),
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


def _matched(target: SpanList, system: SpanList, pairs: Pairs) -> tuple[Ints, Bools, Bools]:
    """The rows of pairs that count, and whether they are the first of their target and of their system span."""
    alone = pairs.alone()
    certain, entangled = np.flatnonzero(alone), np.flatnonzero(~alone)
    chosen = _passes(target, system, pairs.rows(entangled))
    both = np.ones(len(certain), dtype=bool)
    rows = np.concatenate([certain, entangled[chosen[:, 0]]])
    return rows, np.concatenate([both, chosen[:, 1] == 1]), np.concatenate([both, chosen[:, 2] == 1])


@dataclass(slots=True, eq=False)
class _Span:
    """A span in play: all its atoms, those left, and where it stands in the list it is looked up in."""

    atoms: Stretches
    length: int
    left: list[int]  # the bounds of the stretches left
    size: int
    turn: int
    matched: bool = False
    pairs: list[tuple[int, _Span]] = field(default_factory=list)


def _passes(target: SpanList, system: SpanList, pairs: Pairs) -> Ints:
    """Steps 2 and 3 of the algorithm: in each line a pair that counts, and whether its target and system are new."""
    targets, systems = _in_play(target, pairs.target), _in_play(system, pairs.system)
    for row, (ours, theirs) in enumerate(zip(pairs.target.tolist(), pairs.system.tolist(), strict=True)):
        targets[ours].pairs.append((row, systems[theirs]))
        systems[theirs].pairs.append((row, targets[ours]))
    same = target.label[pairs.target] == system.label[pairs.system]
    turns = count()
    chosen: list[tuple[int, bool, bool]] = []
    for fits in (same.tolist(), (~same).tolist()):
        chosen += [(row, True, True) for row in _pass(targets.values(), fits, False, turns)]
        chosen += [(row, True, False) for row in _pass(targets.values(), fits, True, turns)]
        chosen += [(row, False, True) for row in _pass(systems.values(), fits, True, turns)]
    return np.array(chosen, dtype=int).reshape(-1, 3)


def _in_play(spans: SpanList, indices: Ints) -> dict[int, _Span]:
    """The spans of these indices, shortest first."""
    indices = np.unique(indices)
    lengths = spans.lengths()[indices]
    play = {}
    for turn, row in enumerate(np.argsort(lengths, kind="stable").tolist()):
        atoms, length = spans.atoms_of(int(indices[row])), int(lengths[row])
        play[int(indices[row])] = _Span(atoms, length, [bound for both in atoms for bound in both], length, turn)
    return play


def _pass(queries: Iterable[_Span], fits: Sequence[bool], matched: bool, turns: Iterator[int]) -> Iterator[int]:
    """Give each query its best partner among the spans that are matched, or are not; yields the pairs' rows."""
    for query in queries:
        if not query.matched:
            row, partner = _best(query, fits, matched)
            if partner:
                _take(query, partner)
                query.turn = next(turns)
                if not matched:
                    partner.matched, partner.turn = True, next(turns)
                yield row


def _best(query: _Span, fits: Sequence[bool], matched: bool) -> tuple[int, _Span | None]:
    """Most shared atoms, then fewest others, then shortest, then first; an atom at least must be shared."""
    best: tuple[int, int, int, int] | None = None
    choice: tuple[int, _Span | None] = NONE, None
    for row, other in query.pairs:
        if fits[row] and other.matched is matched:
            shared = size(common(other.left, query.atoms))
            rank = (-shared, other.size - shared, other.length, other.turn)
            if shared and (best is None or rank < best):
                best, choice = rank, (row, other)
    return choice


def _take(query: _Span, partner: _Span) -> None:
    """Match a query, all of whose atoms are left, with a partner: neither keeps what they share."""
    shared = common(partner.left, query.atoms)
    for span in (query, partner):
        for begin, end in shared:
            low, high = bisect_left(span.left, begin), bisect_right(span.left, end)
            span.left[low:high] = [begin] * (low & 1) + [end] * (high & 1)
        span.size -= size(shared)
    query.matched = True
