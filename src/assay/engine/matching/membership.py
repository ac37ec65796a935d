"""Exact matching: which spans the other side has too; and brackets, of which each counts once."""

from __future__ import annotations

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.engine.matching.spans import (
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

EXACT = ("tp", "fp", "fn")
BRACKETS = (*EXACT, "le")
_TP, _FP, _FN, _LE = range(4)


def exact(target: SpanList, system: SpanList) -> Records:
    """Each target that the system has is right, else missed; each system span that is no target is spurious.

    Every copy of a target counts; a surplus copy of a right system span has no row.
    """
    ours, theirs = same_spans(target, system, same_places(target, system))
    partner = one_to_one(ours, theirs)
    own: Bools = partner != NONE
    surplus = np.flatnonzero(~own)
    surplus = surplus[times_in(ours[surplus], theirs) > 0]
    if len(surplus):
        by_key = np.argsort(theirs, kind="stable")
        partner[surplus] = by_key[np.searchsorted(theirs[by_key], ours[surplus], "right") - 1]
    spurious = unpaired(partner, len(system))
    spurious = spurious[times_in(theirs[spurious], ours) == 0]
    new_target = np.arange(len(target) + len(spurious)) < len(target)
    return Records(
        np.concatenate([np.arange(len(target)), np.full(len(spurious), NONE)]),
        np.concatenate([partner, spurious]),
        np.where(new_target, np.concatenate([np.where(partner == NONE, 2, 0), spurious]), 1),
        new_target,
        np.concatenate([own, np.ones(len(spurious), dtype=bool)]),
    )


def brackets(target: SpanList, system: SpanList) -> Records:
    """Equal spans one to one; a target that the system has under another label is paired with that, and missing.

    The system span of that label is spurious all the same, and has a row of its own.
    """
    places = same_places(target, system)
    partner = one_to_one(*same_spans(target, system, places))
    equal = partner != NONE
    ours, theirs = np.flatnonzero(~equal), unpaired(partner, len(system))
    partner[ours] = np.append(theirs, NONE)[one_to_one(places[0][ours], places[1][theirs])]
    found = np.flatnonzero(partner != NONE)
    right = equal[found]
    pairs = Records(found, partner[found], np.where(right, _TP, _LE), np.ones(len(found), dtype=bool), right)
    return complete(pairs, len(target), len(system), _FN, _FP)


def crossing(target: SpanList, system: SpanList, records: Records) -> Ints:
    """The system spans that overlap a target without nesting, where the spans of each side are nested.

    A target that the system has too lies in its tree, so that none of its spans crosses it.
    """
    missing, spurious = records.target[records.kind == _FN], records.system[records.kind == _FP]
    pairs = overlapping(target, system, missing, spurious)
    shorter = np.minimum(target.lengths()[pairs.target], system.lengths()[pairs.system])
    return np.unique(pairs.system[pairs.shared < shorter])
