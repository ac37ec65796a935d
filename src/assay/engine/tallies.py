"""What scores and tests need of the counts of all systems: from units, or from what shards amount to.

Both kinds of tallies answer the same questions with the same numbers. From units everything is looked up when it is
asked for; what a shard amounts to is small whatever its size, and adding up is all that merging does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import Array, Ints, as_codes, distinct_rows
from assay.engine.counts import Collapsed, Counts, merged

BLOCKS = 4096
"""Where more distinct rows than this remain, units are pooled into so many blocks, and blocks are resampled."""


@dataclass(frozen=True, eq=False)
class UnitTallies:
    """The counts of every unit at hand; nothing is made of them before it is asked for."""

    systems: tuple[str, ...]
    counts: tuple[Counts, ...]
    """Per unit; for measures by label over one common set of labels."""
    blocks: Callable[[], Ints]
    """The block of each unit; naming units takes time, so it is asked for only where blocks are needed."""

    @classmethod
    def of(cls, counts: Sequence[tuple[str, Counts]], blocks: Callable[[], Ints]) -> UnitTallies:
        """Tallies of the counts of each system."""
        return cls(tuple(name for name, _ in counts), tuple(_common_labels([c for _, c in counts])), blocks)

    @property
    def fields(self) -> tuple[str, ...]:
        """What is counted."""
        return self.counts[0].fields

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The labels that occur, in alphabetical order, where the measure counts by label."""
        return self.counts[0].labels

    @property
    def units(self) -> int:
        """The number of units."""
        return self.counts[0].units

    def total(self, system: int) -> Ints:
        """The sum over all units: one number per field, or labels × fields."""
        return self.counts[system].total()

    @cached_property
    def _matrices(self) -> list[Ints]:
        return [counts.matrix() for counts in self.counts]

    def _matrix(self, system: int, fields: Sequence[str]) -> Ints:
        return self._matrices[system][:, [self.fields.index(name) for name in fields]]

    def _joint(self, fields: Sequence[str]) -> Ints:
        return np.concatenate([self._matrix(index, fields) for index in by_name(self.systems)], axis=1)

    def rows(self, fields: Sequence[str]) -> Collapsed | None:
        """The distinct joint rows of all systems, these in the order of their names; None where they are too many."""
        collapsed = Collapsed.of([self._joint(fields)])
        return collapsed if len(collapsed.rows) <= BLOCKS else None

    def pooled(self, fields: Sequence[str]) -> Ints:
        """The joint rows summed up in blocks."""
        return self._pooled(fields)[1]

    def _pooled(self, fields: Sequence[str]) -> tuple[Ints, Ints]:
        """The blocks that have units, and their sums."""
        joint, blocks = self._joint(fields), self.blocks()
        sums = np.zeros((BLOCKS, joint.shape[1]), dtype=np.int64)
        np.add.at(sums, blocks, joint)
        used = np.flatnonzero(np.bincount(blocks, minlength=BLOCKS))
        return used, sums[used]

    def swaps(self, a: int, b: int, fields: Sequence[str]) -> tuple[Collapsed | None, int]:
        """The distinct differences of two systems, None where they are too many, and how many units differ."""
        differences = self._matrix(a, fields) - self._matrix(b, fields)
        differing = differences[differences.any(axis=1)]
        rows, _, sizes = distinct_rows(differing)
        return Collapsed(rows, sizes) if len(rows) <= BLOCKS else None, len(differing)

    def wide(self) -> list[Any]:
        """Each system's counts as units × (labels · fields), blocks in place of units where these are too many."""
        if self.units <= BLOCKS:
            return [counts.wide() for counts in self.counts]
        used = np.flatnonzero(np.bincount(self.blocks(), minlength=BLOCKS))
        return [counts.regrouped(self.blocks(), BLOCKS).wide()[used] for counts in self.counts]

    def differing_units(self, a: int, b: int) -> int:
        """The number of units in which two systems' counts by label differ."""
        return self.counts[a].differing_units(self.counts[b])

    def summed(self, fields: Sequence[str], *, wide: bool) -> SummedTallies:
        """What these units amount to; `wide` where each label is resampled by itself."""
        pairs = list(combinations(range(len(self.systems)), 2))
        rows = self.rows(fields)
        used, sums = self._pooled(fields)
        blocks = self.blocks() if wide else None
        return SummedTallies(
            systems=self.systems,
            fields=self.fields,
            read=tuple(fields),
            labels=self.labels,
            units=self.units,
            totals=tuple(self.total(index).astype(object) for index in range(len(self.systems))),
            joint=rows,
            differences=None if rows else tuple(self.swaps(a, b, fields) for a, b in pairs),
            used=used,
            sums=sums,
            by_unit=tuple(map(_compact, self.counts)) if wide and self.units <= BLOCKS else None,
            by_block=(
                None
                if blocks is None
                else tuple(_compact(counts.regrouped(blocks, BLOCKS)) for counts in self.counts)
            ),
            differing=tuple(self.differing_units(a, b) for a, b in pairs) if wide else (),
        )


@dataclass(frozen=True, eq=False)
class SummedTallies:
    """What shards amount to: of bounded size, whatever their number and theirs."""

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
    used: Ints
    """The blocks that have units …"""
    sums: Ints
    """… and the joint rows summed up in each."""
    by_unit: tuple[Counts, ...] | None
    """Counts by label of each unit, as long as units are few …"""
    by_block: tuple[Counts, ...] | None
    """… and of each block; None where labels are not resampled one by one."""
    differing: tuple[int, ...]
    """For each pair of systems in how many units its counts by label differ."""

    def total(self, system: int) -> Array:
        """The sum over all units: one number per field, or labels × fields."""
        return self.totals[system]

    def rows(self, fields: Sequence[str]) -> Collapsed | None:
        """The distinct joint rows of all systems, these in the order of their names; None where they are too many."""
        assert tuple(fields) == self.read, "a score reads other fields than it did before"
        return self.joint

    def pooled(self, fields: Sequence[str]) -> Ints:
        """The joint rows summed up in blocks."""
        return self.sums

    def swaps(self, a: int, b: int, fields: Sequence[str]) -> tuple[Collapsed | None, int]:
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

    def nothing(self, others: SummedTallies) -> SummedTallies:
        """Tallies like these over the units of others, in which nothing is counted."""
        row = np.zeros((1, self.sums.shape[1]), dtype=np.int64)
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

    def __add__(self, other: SummedTallies) -> SummedTallies:
        """What two stretches of text amount to together; the one that comes first stands first."""
        assert (self.systems, self.fields) == (other.systems, other.fields), "only like tallies can be added"
        assert self.read == other.read, "scores read other fields in other shards"
        labels = _united(self.labels, other.labels)
        joint = _within(self.joint, other.joint)
        units = self.units + other.units
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


Tallies = UnitTallies | SummedTallies


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
