"""The one-to-one matching behind the four SemEval-2013 scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import prod

import numpy as np

from assay.arrays import NONE, Ints
from assay.engine.matching.assignment import heaviest, heaviest_sparse
from assay.engine.matching.spans import (
    Pairs,
    Records,
    SpanList,
    TooManyOverlapsError,
    complete,
    one_to_one,
    overlap_counts,
    overlapping,
    overlaps,
    same_places,
    same_spans,
    times_in,
    unpaired,
)

SEMEVAL = ("same", "same-span", "same-label", "overlap", "missed", "spurious")
_MISSED, _SPURIOUS = 4, 5

FEW = 1 << 14
"""So many pairs of one chain of overlaps are paired with ties decided; more of them are given to a solver."""
MOST = 1 << 21
"""More pairs of one chain are refused: time grows with the third power of the spans in it."""
_EXACT = 1 << 53
"""Up to here floats are whole numbers."""


def semeval(target: SpanList, system: SpanList, *, least: float = 0.0) -> Records:
    """The one-to-one matching with most equal pairs, then most same atoms, same labels, pairs, and shared atoms.

    Of equally good ones the smallest list of (target, system span) is taken; where more than FEW pairs hang together,
    any of them. `least` is the share of the target's atoms that two spans must share to be a pair; 0 stands for one
    atom.
    """
    places = same_places(target, system)
    partner = _certain(places, same_spans(target, system, places))
    alone, ours, theirs = overlaps(target, system, np.flatnonzero(partner == NONE), unpaired(partner, len(system)))
    _check_size(target, system, ours, theirs)
    lengths = target.lengths()
    alone = alone.rows(alone.shared / lengths[alone.target] >= least)
    partner[alone.target] = alone.system
    entangled = overlapping(target, system, ours, theirs)
    entangled = entangled.rows(entangled.shared / lengths[entangled.target] >= least)
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


def _check_size(target: SpanList, system: SpanList, ours: Ints, theirs: Ints) -> None:
    """Refuse chains of overlaps with too many pairs, before these are listed."""
    begin = np.concatenate([target.begin[ours], system.begin[theirs]])
    end = np.concatenate([target.end[ours], system.end[theirs]])
    order = np.argsort(begin, kind="stable")
    reach = np.maximum.accumulate(end[order])
    chain = np.zeros(len(order), dtype=np.int64)
    chain[order[1:]] = np.cumsum(begin[order[1:]] >= reach[:-1])
    of_targets, of_systems = chain[: len(ours)], chain[len(ours) :]
    pairs = np.bincount(of_targets, overlap_counts(target, ours, system, theirs)) if len(ours) else np.zeros(1)
    if pairs.max() > MOST:
        worst = int(pairs.argmax())
        inside = ours[of_targets == worst]
        raise TooManyOverlapsError(int(inside[0]), len(inside), int((of_systems == worst).sum()))


def _best(target: SpanList, system: SpanList, pairs: Pairs, kinds: Ints) -> Ints:
    """The rows of the best one-to-one matching."""
    chosen: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for rows in _chains(target, system, pairs):
        best = _best_of_few if len(rows) <= FEW else _best_of_many
        chosen.append(rows[best(pairs.rows(rows), kinds[rows])])
    return np.concatenate(chosen)


def _best_of_few(pairs: Pairs, kinds: Ints) -> list[int]:
    """The rows of the best matching of one chain, ties decided."""
    cells: dict[int, dict[int, int]] = {}
    for row, (ours, theirs) in enumerate(zip(pairs.target.tolist(), pairs.system.tolist(), strict=True)):
        cells.setdefault(ours, {})[theirs] = row
    weights = _weights(list(cells.values()), list(zip(kinds.tolist(), pairs.shared.tolist(), strict=True)))
    columns = zip(cells.values(), heaviest(weights), strict=True)
    return [row_of[column] for row_of, column in columns if column is not None]


def _best_of_many(pairs: Pairs, kinds: Ints) -> Ints:
    """The rows of a best matching of one chain; shared atoms are left open where weights would be too large."""
    (targets, row), (systems, column) = (
        np.unique(indices, return_inverse=True) for indices in (pairs.target, pairs.system)
    )
    base = min(len(targets), len(systems)) + 1
    ranks = [base**3 + base**2 + base + 1, base**2 + 1, base + 1, 1]
    most = np.zeros(len(targets), dtype=np.int64)
    np.maximum.at(most, row, pairs.shared)
    atoms, shared = 1 + int(most.sum()), pairs.shared
    if ranks[int(kinds.min())] * atoms * base >= _EXACT:
        atoms, shared = 1, np.zeros_like(shared)
    weight = np.array(ranks)[kinds] * float(atoms) + shared
    partner = heaviest_sparse(row, column, weight, (len(targets), len(systems)))
    return np.flatnonzero(partner[row] == column)


def _chains(target: SpanList, system: SpanList, pairs: Pairs) -> Iterator[Ints]:
    """The rows of pairs that hang together, each list in the order of the pairs."""
    begin = np.minimum(target.begin[pairs.target], system.begin[pairs.system])
    end = np.maximum(target.end[pairs.target], system.end[pairs.system])
    order = np.argsort(begin, kind="stable")
    reach = np.maximum.accumulate(end[order])
    cuts = [0, *(np.flatnonzero(begin[order[1:]] >= reach[:-1]) + 1).tolist(), len(pairs)]
    for first, last in pairwise(cuts):
        yield np.sort(order[first:last])


def _weights(cells: list[dict[int, int]], graded: list[tuple[int, int]]) -> list[dict[int, int]]:
    """Whole numbers whose sums compare as the sums of each criterion do, in turn, and last as the lists of pairs.

    The ties are a number with a digit for each target, the first target's foremost, greater for earlier partners.
    """
    base = len(cells) + 1
    atoms = 1 + sum(shared for _, shared in graded)
    ranks = [base**3 + base**2 + base + 1, base**2 + 1, base + 1, 1]
    ties = place = prod(len(partners) + 1 for partners in cells)
    weights = []
    for partners in cells:
        place //= len(partners) + 1
        row_weights = {}
        for digit, (system, row) in zip(range(len(partners), 0, -1), partners.items(), strict=True):
            kind, shared = graded[row]
            row_weights[system] = (ranks[kind] * atoms + shared) * ties + digit * place
        weights.append(row_weights)
    return weights
