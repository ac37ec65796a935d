"""The one-to-one matching behind the four SemEval-2013 scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import prod

import numpy as np

from assay.arrays import NONE, Ints
from assay.matching.assignment import heaviest
from assay.matching.spans import (
    Pairs,
    Records,
    SpanList,
    complete,
    one_to_one,
    overlapping,
    same_places,
    same_spans,
    times_in,
    unpaired,
)

SEMEVAL = ("same", "same-span", "same-label", "overlap", "missed", "spurious")
_MISSED, _SPURIOUS = 4, 5

_TIE_BITS = 1 << 30  # what the numbers that decide ties may take in one chain of overlaps


def semeval(target: SpanList, system: SpanList, *, least: float = 0.0) -> Records:
    """The one-to-one matching with most equal pairs, then most same atoms, same labels, pairs, and shared atoms.

    Of equally good ones the smallest list of (target, system span) is taken; only in a chain of overlaps so long that
    keeping track of that would fill 128 MB is any of them. `least` is the share of the target's atoms that two spans
    must share to be a pair; 0 stands for one atom.
    """
    places = same_places(target, system)
    partner = _certain(places, same_spans(target, system, places))
    pairs = overlapping(target, system, np.flatnonzero(partner == NONE), unpaired(partner, len(system)))
    pairs = pairs.rows(pairs.shared / target.lengths()[pairs.target] >= least)
    alone = pairs.alone()
    partner[pairs.target[alone]] = pairs.system[alone]
    entangled = pairs.rows(~alone)
    kinds = _kinds(target, system, places, entangled.target, entangled.system)
    entangled = entangled.rows(_best(target, system, entangled, kinds))
    partner[entangled.target] = entangled.system

    ours = np.flatnonzero(partner != NONE)
    both = np.ones(len(ours), dtype=bool)
    kinds = _kinds(target, system, places, ours, partner[ours])
    found = Records(ours, partner[ours], kinds, both, both)
    return complete(found, len(target), len(system), _MISSED, _SPURIOUS)


def _certain(places: tuple[Ints, Ints], spans: tuple[Ints, Ints]) -> Ints:
    """The partner of each target where the best matchings leave no choice but list order, NONE elsewhere.

    That is so where both sides have a span equally often, and then where the same number is left at a place.
    """
    partner = np.full(len(spans[0]), NONE)
    uneven = times_in(spans[0], spans[0]) != times_in(spans[0], spans[1])
    even = np.flatnonzero(~uneven)
    partner[even] = one_to_one(spans[0], spans[1])[even]

    open_places = places[0][uneven & (times_in(spans[0], spans[1]) > 0)]
    ours, theirs = np.flatnonzero(partner == NONE), unpaired(partner, len(spans[1]))
    here, there = places[0][ours], places[1][theirs]
    settled = (times_in(here, here) == times_in(here, there)) & (times_in(here, open_places) == 0)
    partner[ours[settled]] = theirs[one_to_one(here, there)[settled]]
    return partner


def _kinds(target: SpanList, system: SpanList, places: tuple[Ints, Ints], ours: Ints, theirs: Ints) -> Ints:
    """What the spans of each pair have in common, as an index into SEMEVAL."""
    other_label = target.label[ours] != system.label[theirs]
    kinds: Ints = np.where(places[0][ours] != places[1][theirs], 2, 0) + other_label
    return kinds


def _best(target: SpanList, system: SpanList, pairs: Pairs, kinds: Ints) -> Ints:
    """The rows of the best one-to-one matching."""
    targets, systems = pairs.target.tolist(), pairs.system.tolist()
    kind, shared = kinds.tolist(), pairs.shared.tolist()
    chosen = []
    for rows in _chains(target, system, pairs):
        cells: dict[int, dict[int, int]] = {}
        for row in rows:
            cells.setdefault(targets[row], {})[systems[row]] = row
        graded = {row: (kind[row], shared[row]) for row in rows}
        weights = _weights(list(cells.values()), graded)
        for row_of, column in zip(cells.values(), heaviest(weights), strict=True):
            if column is not None:
                chosen.append(row_of[column])
    return np.array(chosen, dtype=int)


def _chains(target: SpanList, system: SpanList, pairs: Pairs) -> Iterator[list[int]]:
    """The rows of pairs that hang together, each list in the order of the pairs."""
    begin = np.minimum(target.begin[pairs.target], system.begin[pairs.system])
    end = np.maximum(target.end[pairs.target], system.end[pairs.system])
    order = np.argsort(begin, kind="stable")
    reach = np.maximum.accumulate(end[order])
    cuts = [0, *(np.flatnonzero(begin[order[1:]] >= reach[:-1]) + 1).tolist(), len(pairs)]
    rows = order.tolist()
    for first, last in pairwise(cuts):
        yield sorted(rows[first:last])


def _weights(cells: list[dict[int, int]], graded: dict[int, tuple[int, int]]) -> list[dict[int, int]]:
    """Whole numbers whose sums compare as the sums of each criterion do, in turn, and last as the lists of pairs.

    The ties are a number with a digit for each target, the first target's foremost, greater for earlier partners.
    """
    base = len(cells) + 1
    atoms = 1 + sum(shared for _, shared in graded.values())
    ranks = [base**3 + base**2 + base + 1, base**2 + 1, base + 1, 1]
    ties = place = prod(len(partners) + 1 for partners in cells)
    if ties.bit_length() * len(graded) > _TIE_BITS:
        ties, place = 1, 0
    weights = []
    for partners in cells:
        place //= len(partners) + 1
        row_weights = {}
        for digit, (system, row) in zip(range(len(partners), 0, -1), partners.items(), strict=True):
            kind, shared = graded[row]
            row_weights[system] = (ranks[kind] * atoms + shared) * ties + digit * place
        weights.append(row_weights)
    return weights
