"""What scores and tests need of the counts of all systems. It is small whatever the number of units, and adds up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import Array, Ints, as_codes, distinct_rows
from assay.engine.counts import Collapsed, Counts, as_sums, merged
from assay.engine.measure import Measure
from assay.stats.resample import is_costly

BLOCKS = 4096
"""Where more distinct rows than this remain, units are pooled into so many blocks, and blocks are resampled."""


@dataclass(frozen=True, eq=False)
class Tallies:
    """What the counts of all systems amount to: of bounded size, however many units there are."""

    systems: tuple[str, ...]
    fields: tuple[str, ...]
    read: tuple[str, ...]
    """The fields that some score reads; the others are in the totals alone."""
    labels: tuple[str, ...] | None
    units: int
    totals: tuple[Array, ...]
    """In whole numbers of Python: sums of partial credit outgrow 64 bits."""
    joint: Collapsed | None
    """The distinct joint rows; None for ever once they are too many."""
    differences: tuple[tuple[Collapsed | None, int], ...] | None
    """For each pair of systems, where joint rows do not tell: its distinct differences, and how many units differ."""
    used: Ints | None
    """The blocks that have units …"""
    sums: Ints | None
    """… and the joint rows summed up in each; None where there is one shard, and its rows are few."""
    by_unit: tuple[Counts, ...] | None
    """Counts by label of each unit, as long as units are few …"""
    by_block: tuple[Counts, ...] | None
    """… and of each block; None where labels are not resampled one by one."""
    differing: tuple[int, ...]
    """For each pair of systems in how many units its counts by label differ."""

    @classmethod
    def of(
        cls,
        counts: Sequence[tuple[str, Counts]],
        measure: Measure,
        blocks: Callable[[], Ints],
        *,
        by_label: bool = True,
        compares: bool = True,
        alone: bool = True,
    ) -> Tallies:
        """The tallies of each system's counts per unit.

        `blocks` gives the block of each unit; naming units takes time, so it is asked for only where blocks are
        needed: where rows are too many or, unless it stands `alone`, where other shards may have too many.
        """
        systems = tuple(name for name, _ in counts)
        own = list(_common_labels([found for _, found in counts]))
        fields, labels, units = own[0].fields, own[0].labels, own[0].units
        totals = [one.total() for one in own]
        read = measure.fields_read(as_sums(totals[0], fields))
        wide = by_label and labels is not None
        columns = [fields.index(name) for name in read]
        matrices = [one.matrix()[:, columns] for one in own]
        rows = np.concatenate([matrices[index] for index in by_name(systems)], axis=1)
        collapsed = Collapsed.of([rows])
        joint = collapsed if len(collapsed.rows) <= BLOCKS else None
        pairs = list(combinations(range(len(systems)), 2)) if compares else []
        used = sums = None
        if not alone or joint is None or (units > BLOCKS and is_costly(joint.rows, joint.sizes)):
            used, sums = _sums_by(blocks(), rows)
        of_blocks = None
        if wide and (not alone or units > BLOCKS):
            place = blocks()
            of_blocks = tuple(_compact(one.regrouped(place, BLOCKS)) for one in own)
            used = np.unique(place) if used is None else used
        differing: tuple[int, ...] = ()
        if of_blocks is not None and pairs:
            # Where units are resampled, the test itself tells how many differ.
            sparse = [one.wide(most=0) for one in own]
            differing = tuple(int(np.count_nonzero((sparse[a] != sparse[b]).sum(axis=1))) for a, b in pairs)
        return cls(
            systems=systems,
            fields=fields,
            read=read,
            labels=labels,
            units=units,
            # Whole numbers of Python where sums of shards are added: they outgrow 64 bits.
            totals=tuple(total if alone else total.astype(object) for total in totals),
            joint=joint,
            differences=None if joint else tuple(_swaps(matrices[a] - matrices[b]) for a, b in pairs),
            used=used,
            sums=sums,
            by_unit=tuple(map(_compact, own)) if wide and units <= BLOCKS else None,
            by_block=of_blocks,
            differing=differing,
        )

    def total(self, system: int) -> Array:
        """The sum over all units: one number per field, or labels × fields."""
        return self.totals[system]

    def swaps(self, a: int, b: int) -> tuple[Collapsed | None, int]:
        """The distinct differences of two systems, None where they are too many, and how many units differ."""
        found, number = self._differences()[self._pair(a, b)]
        if found is None or a < b:
            return found, number
        rows, order, _ = distinct_rows(-found.rows)
        sizes = np.empty_like(found.sizes)
        sizes[order] = found.sizes
        return Collapsed(rows, sizes), number

    def _differences(self) -> tuple[tuple[Collapsed | None, int], ...]:
        if self.joint is None:
            assert self.differences is not None
            return self.differences
        width = len(self.read)
        place = {index: number * width for number, index in enumerate(by_name(self.systems))}
        sides = [self.joint.rows[:, place[i] : place[i] + width] for i in range(len(self.systems))]
        return tuple(_differing(sides[a] - sides[b], self.joint.sizes) for a, b in combinations(range(len(sides)), 2))

    def wide(self) -> list[Any]:
        """Each system's counts as units × (labels · fields), blocks in place of units where these are too many."""
        if self.by_unit is not None:
            return [counts.wide() for counts in _common_labels(self.by_unit, self.labels)]
        assert self.by_block is not None
        return [counts.wide()[self.used] for counts in _common_labels(self.by_block, self.labels)]

    def differing_units(self, a: int, b: int) -> int:
        """The number of units in which two systems' counts by label differ."""
        return self.differing[self._pair(a, b)]

    def _pair(self, a: int, b: int) -> int:
        """The place of two systems among all pairs."""
        return list(combinations(range(len(self.systems)), 2)).index((min(a, b), max(a, b)))

    def nothing(self, others: Tallies) -> Tallies:
        """Tallies like these over the units of others, in which nothing is counted."""
        assert others.used is not None
        row = np.zeros((1, len(self.read) * len(self.systems)), dtype=np.int64)
        return replace(
            self,
            labels=None if self.labels is None else (),
            units=others.units,
            totals=tuple(total[:0] if self.labels is not None else total * 0 for total in self.totals),
            joint=Collapsed(row[: others.units], np.array([others.units][: others.units])),
            differences=None,
            used=others.used,
            sums=np.repeat(row, len(others.used), axis=0),
            by_unit=None if self.by_unit is None else tuple(_none_of(one, others.units) for one in self.by_unit),
            by_block=None if self.by_block is None else tuple(_none_of(one, one.units) for one in self.by_block),
            differing=tuple(0 for _ in self.differing),
        )

    def __add__(self, other: Tallies) -> Tallies:
        """What two stretches of text amount to together; the one that comes first stands first."""
        assert (self.systems, self.fields) == (other.systems, other.fields), "only like tallies can be added"
        assert self.read == other.read, "scores read other fields in other shards"
        labels = _united(self.labels, other.labels)
        joint = _within(self.joint, other.joint)
        units = self.units + other.units
        assert self.used is not None and self.sums is not None and other.used is not None and other.sums is not None
        used, sums = _sums_by(np.concatenate([self.used, other.used]), np.concatenate([self.sums, other.sums]))
        few = self.by_unit is not None and other.by_unit is not None and units <= BLOCKS
        return replace(
            self,
            labels=labels,
            units=units,
            totals=tuple(
                _placed(mine, self.labels, labels) + _placed(its, other.labels, labels)
                for mine, its in zip(self.totals, other.totals, strict=True)
            ),
            joint=joint,
            differences=None if joint else _both(self._differences(), other._differences()),
            used=used,
            sums=sums,
            by_unit=tuple(map(_merged, self.by_unit or (), other.by_unit or ())) if few else None,
            by_block=None if self.by_block is None else tuple(map(_added, self.by_block, other.by_block or ())),
            differing=tuple(map(int.__add__, self.differing, other.differing)),
        )


def by_name(systems: Sequence[str]) -> list[int]:
    """The systems in the order of their names, so that the order in which they are given changes nothing."""
    return sorted(range(len(systems)), key=lambda index: systems[index])


def _within(first: Collapsed | None, second: Collapsed | None) -> Collapsed | None:
    """Rows of both, unless they are too many."""
    together = None if first is None or second is None else first + second
    return together if together is not None and len(together.rows) <= BLOCKS else None


def _both(
    first: Sequence[tuple[Collapsed | None, int]], second: Sequence[tuple[Collapsed | None, int]]
) -> tuple[tuple[Collapsed | None, int], ...]:
    return tuple(
        (_within(mine, its), number + other) for (mine, number), (its, other) in zip(first, second, strict=True)
    )


def _swaps(differences: Ints) -> tuple[Collapsed | None, int]:
    """The distinct differences of two systems, None where they are too many, and how many units differ."""
    differing = differences[differences.any(axis=1)]
    rows, _, sizes = distinct_rows(differing)
    return Collapsed(rows, sizes) if len(rows) <= BLOCKS else None, len(differing)


def _differing(differences: Ints, sizes: Ints) -> tuple[Collapsed, int]:
    there = differences.any(axis=1)
    rows, group, _ = distinct_rows(differences[there])
    numbers = np.bincount(group, weights=sizes[there], minlength=len(rows)).astype(np.int64)
    return Collapsed(rows, numbers), int(numbers.sum())


def _united(first: Sequence[str] | None, second: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if first is None or second is None else tuple(sorted({*first, *second}))


def _placed(totals: Array, labels: Sequence[str] | None, united: Sequence[str] | None) -> Array:
    """Totals by label at the places of these labels among all."""
    if labels is None or united is None or tuple(labels) == tuple(united):
        return totals
    place = {label: number for number, label in enumerate(united)}
    placed = np.zeros((len(united), totals.shape[1]), dtype=object)
    placed[[place[label] for label in labels]] = totals
    return placed


def _sums_by(keys: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The distinct keys in order, and the sum of the rows of each."""
    distinct, place = np.unique(keys, return_inverse=True)
    sums = np.zeros((len(distinct), rows.shape[1]), dtype=np.int64)
    np.add.at(sums, place, rows)
    return distinct, sums


def _compact(counts: Counts) -> Counts:
    """The same counts with one row for each unit and label."""
    assert counts.labels is not None and counts.label is not None
    width = max(1, len(counts.labels))
    keys, values = _sums_by(counts.unit.astype(np.int64) * width + counts.label, counts.values)
    return replace(counts, unit=keys // width, label=(keys % width).astype(np.int32), values=values)


def _none_of(counts: Counts, units: int) -> Counts:
    """Counts like these in so many units, in which nothing is counted."""
    assert counts.label is not None
    return replace(counts, units=units, unit=counts.unit[:0], values=counts.values[:0], label=counts.label[:0])


def _merged(first: Counts, second: Counts) -> Counts:
    return merged([first, second])


def _added(first: Counts, second: Counts) -> Counts:
    """Counts of the same units (blocks), added up by name of label."""
    both = merged([first, second])
    return _compact(replace(both, units=first.units, unit=both.unit % first.units))


def _common_labels(counts: Sequence[Counts], labels: Sequence[str] | None = None) -> Iterator[Counts]:
    """The counts recoded to one set of labels: those given, else those that occur, in alphabetical order."""
    if counts[0].labels is None:
        yield from counts
        return
    if labels is None:
        occurring = {
            part.labels[code]
            for part in counts
            if part.labels and part.label is not None
            for code in np.unique(part.label)
        }
        labels = sorted(occurring)
    known = {label: index for index, label in enumerate(labels)}
    for part in counts:
        assert part.labels is not None and part.label is not None
        codes = as_codes(part.labels, dict(known))[part.label]
        yield replace(part, labels=tuple(known), label=codes)
