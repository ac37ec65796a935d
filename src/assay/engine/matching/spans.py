"""Spans as they are matched, the records a matching gives, and what two spans have in common."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.arrays import NONE, Bools, Ints, Stretches, atoms_at, numbers_of_runs


@dataclass(frozen=True, eq=False)
class SpanList:
    """Spans over one line of atoms, all sentences one after the other; position in the list breaks ties.

    Stretches are in order, and there is a gap between each and the next.
    """

    begin: Ints  # first atom
    end: Ints  # behind the last atom
    label: Ints  # codes, the same in both lists
    stretches: Mapping[int, Stretches] = field(default_factory=dict)  # (first, end) of spans with gaps, by index

    def __len__(self) -> int:
        return len(self.begin)

    def atoms_of(self, index: int) -> Stretches:
        """The stretches of a span, one if it has no gap."""
        return atoms_at(index, self.begin, self.end, self.stretches)

    def lengths(self) -> Ints:
        """The number of atoms of each span."""
        lengths = np.subtract(self.end, self.begin, dtype=np.int64)
        for index, stretches in self.stretches.items():
            lengths[index] = sum(end - begin for begin, end in stretches)
        return lengths


@dataclass(frozen=True, eq=False)
class Records:
    """One row per count; first a row for each target, in their order, then what only system spans add, in theirs."""

    target: Ints  # index into the targets, or NONE
    system: Ints  # index into the system spans, or NONE
    kind: Ints  # index into the kinds of the matching
    new_target: Bools  # no row before has counted this target
    new_system: Bools


class TooManyOverlapsError(Exception):
    """So many targets and system spans hang together by overlaps that they cannot be paired; the first target."""

    def __init__(self, target: int, targets: int, systems: int) -> None:
        super().__init__(target, targets, systems)
        self.target, self.targets, self.systems = target, targets, systems


@dataclass(frozen=True, eq=False)
class Pairs:
    """A target and a system span in each row, and the number of atoms they share."""

    target: Ints
    system: Ints
    shared: Ints

    def __len__(self) -> int:
        return len(self.target)

    def rows(self, chosen: Ints | Bools | slice) -> Pairs:
        """Some of the pairs."""
        return Pairs(self.target[chosen], self.system[chosen], self.shared[chosen])


def boundaries(target: SpanList, system: SpanList, records: Records) -> Ints:
    """Which side is wrong where a record pairs different atoms: 0 left, 1 right, 2 both, 3 neither (only gaps).

    All other records have NONE.
    """
    sides = np.full(len(records.kind), NONE)
    rows = np.flatnonzero((records.target != NONE) & (records.system != NONE))
    ours, theirs = records.target[rows], records.system[rows]
    left, right = target.begin[ours] != system.begin[theirs], target.end[ours] != system.end[theirs]
    sides[rows] = np.select([left & right, left, right], [2, 0, 1], NONE)
    if target.stretches or system.stretches:
        for row in rows[~(left | right)].tolist():
            if target.atoms_of(int(records.target[row])) != system.atoms_of(int(records.system[row])):
                sides[row] = 3
    return sides


def same_places(target: SpanList, system: SpanList) -> tuple[Ints, Ints]:
    """A number for each target and each system span; spans with the same atoms have the same number."""
    known: dict[Stretches, int] = {}
    shapes = []
    for spans in (target, system):
        shape = np.zeros(len(spans), dtype=np.int64)
        for index, stretches in spans.stretches.items():
            shape[index] = known.setdefault(stretches, len(known) + 1)
        shapes.append(shape)
    begin, end = _joined(target.begin, system.begin), _joined(target.end, system.end)
    keys = _folded(_folded(begin, end - begin), np.concatenate(shapes)) if known else _folded(begin, end - begin)
    return keys[: len(target)], keys[len(target) :]


def same_spans(target: SpanList, system: SpanList, places: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """As `same_places`; here the label must be the same too."""
    keys = _folded(np.concatenate(places), _joined(target.label, system.label))
    return keys[: len(target)], keys[len(target) :]


def times_in(keys: Ints, others: Ints) -> Ints:
    """How often each key occurs among the others."""
    ordered = np.sort(others, kind="stable")
    return np.searchsorted(ordered, keys, "right") - np.searchsorted(ordered, keys, "left")


def one_to_one(targets: Ints, systems: Ints) -> Ints:
    """For each target the system span with the same key, first with first, second with second; or NONE."""
    partner = np.full(len(targets), NONE)
    if not len(systems):
        return partner
    by_target, by_system = np.argsort(targets, kind="stable"), np.argsort(systems, kind="stable")
    ours, theirs = targets[by_target], systems[by_system]
    first = np.concatenate([[True], ours[1:] != ours[:-1]]) if len(ours) else np.zeros(0, dtype=bool)
    position = np.arange(len(ours))
    rank = position - np.maximum.accumulate(np.where(first, position, 0))
    at = np.searchsorted(theirs, ours, "left") + rank
    found = (at < len(theirs)) & (theirs[np.minimum(at, len(theirs) - 1)] == ours)
    partner[by_target[found]] = by_system[at[found]]
    return partner


def unpaired(partner: Ints, systems: int) -> Ints:
    """The system spans that are no target's partner."""
    free = np.ones(systems + 1, dtype=bool)
    free[partner] = False  # NONE marks the place behind the last
    return np.flatnonzero(free[:systems])


def overlaps(target: SpanList, system: SpanList, targets: Ints, systems: Ints) -> tuple[Pairs, Ints, Ints]:
    """The pairs of spans that overlap nothing else, and the targets and system spans that may overlap several.

    The latter are in the order in which they begin. Overlaps are counted, not listed: of n spans inside each other
    there are n² pairs.
    """
    sides = (target, targets), (system, systems)
    counts = [overlap_counts(*one, *other) for one, other in (sides, sides[::-1])]
    alone = overlapping(target, system, targets[counts[0] == 1], systems[counts[1] == 1])
    entangled = []
    for (spans, chosen), number, gone in zip(sides, counts, (alone.target, alone.system), strict=True):
        left = chosen[(number > 0) & ~np.isin(chosen, gone)]
        entangled.append(left[np.argsort(spans.begin[left], kind="stable")])
    return alone, entangled[0], entangled[1]


def overlap_counts(spans: SpanList, chosen: Ints, others: SpanList, other_chosen: Ints) -> Ints:
    """How many of the others each span lies over, gaps included."""
    begun = np.searchsorted(np.sort(others.begin[other_chosen]), spans.end[chosen])
    ended = np.searchsorted(np.sort(others.end[other_chosen]), spans.begin[chosen], "right")
    return np.asarray(begun - ended)


def chains(begin: Ints, end: Ints) -> Ints:
    """For each span the number of the chain of overlaps that it belongs to, in the order in which chains begin."""
    order = np.argsort(begin, kind="stable")
    chain = np.zeros(len(order), dtype=np.int64)
    chain[order[1:]] = np.cumsum(begin[order[1:]] >= np.maximum.accumulate(end[order])[:-1])
    return chain


def overlapping(target: SpanList, system: SpanList, targets: Ints, systems: Ints) -> Pairs:
    """All pairs of the given targets and system spans that share an atom, in order of target, then system span.

    Of two spans that overlap one begins within the other: two searches find all pairs and nothing else.
    """
    targets = targets[np.argsort(target.begin[targets], kind="stable")]
    systems = systems[np.argsort(system.begin[systems], kind="stable")]
    ours, theirs = target.begin[targets], system.begin[systems]
    outer, inner = ranges(np.searchsorted(theirs, ours), np.searchsorted(theirs, target.end[targets]))
    other_outer, other_inner = ranges(
        np.searchsorted(ours, theirs, "right"), np.searchsorted(ours, system.end[systems])
    )
    left = np.concatenate([targets[outer], targets[other_inner]])
    right = np.concatenate([systems[inner], systems[other_outer]])
    order = np.lexsort([right, left])
    return shared_atoms(target, system, left[order], right[order])


def shared_atoms(target: SpanList, system: SpanList, left: Ints, right: Ints) -> Pairs:
    """Pairs of spans that lie over each other, with what they share; without those that share nothing but gaps."""
    shared = np.minimum(target.end[left], system.end[right]) - np.maximum(target.begin[left], system.begin[right])
    return _without_gaps(target, system, Pairs(left, right, shared.astype(np.int64)))


def common(atoms: Sequence[int], stretches: Stretches) -> list[tuple[int, int]]:
    """The stretches that two sets of atoms share; the first is written as the bounds of its stretches in one row."""
    shared = []
    for begin, end in stretches:
        at = bisect_right(atoms, begin) & ~1
        while at < len(atoms) and atoms[at] < end:
            low, high = max(begin, atoms[at]), min(end, atoms[at + 1])
            if low < high:
                shared.append((low, high))
            at += 2
    return shared


def size(stretches: Sequence[tuple[int, int]]) -> int:
    """The number of atoms in stretches."""
    return sum(end - begin for begin, end in stretches)


def complete(pairs: Records, targets: int, systems: int, missing: int, spurious: int) -> Records:
    """The records of pairs, put in order, and those of all other spans, which are missing or spurious."""
    first, later = pairs.new_target, ~pairs.new_target
    partner, kind = np.full(targets, NONE), np.full(targets, missing)
    both = np.zeros(targets, dtype=bool)
    rows = pairs.target[first]
    partner[rows], kind[rows], both[rows] = pairs.system[first], pairs.kind[first], pairs.new_system[first]

    joined, joined_kind = np.full(systems, NONE), np.full(systems, spurious)
    joined[pairs.system[later]], joined_kind[pairs.system[later]] = pairs.target[later], pairs.kind[later]
    added = unpaired(partner[both], systems)
    return Records(
        np.concatenate([np.arange(targets), joined[added]]),
        np.concatenate([partner, added]),
        np.concatenate([kind, joined_kind[added]]),
        np.arange(targets + len(added)) < targets,
        np.concatenate([both, np.ones(len(added), dtype=bool)]),
    )


def _joined(ours: Ints, theirs: Ints) -> Ints:
    return np.concatenate([ours, theirs]).astype(np.int64)


def _folded(first: Ints, second: Ints) -> Ints:
    """One number for two, numbered anew where their product would not fit."""
    if not len(first):
        return first
    first, second = first - first.min(), second - second.min()
    width = int(second.max()) + 1
    if (int(first.max()) + 1) * width >= 1 << 62:
        first, second = (np.unique(numbers, return_inverse=True)[1] for numbers in (first, second))
        width = int(second.max()) + 1
    folded: Ints = first * width + second
    return folded


def ranges(starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """The numbers from each start to its stop, after the row they are from."""
    sizes = np.maximum(stops - starts, 0)
    return np.repeat(np.arange(len(starts)), sizes), numbers_of_runs(starts, sizes)


def _without_gaps(target: SpanList, system: SpanList, pairs: Pairs) -> Pairs:
    """Pairs that lie over each other, with the atoms in gaps no longer counted as shared."""
    if not (target.stretches or system.stretches):
        return pairs
    gaps = np.isin(pairs.target, list(target.stretches)) | np.isin(pairs.system, list(system.stretches))
    for row in np.flatnonzero(gaps).tolist():
        ours = [bound for stretch in target.atoms_of(int(pairs.target[row])) for bound in stretch]
        pairs.shared[row] = size(common(ours, system.atoms_of(int(pairs.system[row]))))
    return pairs.rows(pairs.shared > 0)
