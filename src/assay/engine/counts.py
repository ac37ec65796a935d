"""Counts: named numbers that add up over units, the only thing scores and statistics ever look at."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, as_codes, distinct_numbers, distinct_rows
from assay.engine.items import CREDITS, Items
from assay.records import dataclass
from assay.stats.resample import is_costly

DENSE = 1 << 25
"""The most numbers in a dense table of all labels and fields; a larger one is sparse."""
Sums = Mapping[str, Floats]
"""Field name → summed counts, of any shape: scores are computed on all of them at once."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Rows of numbers, each in a unit and, where a measure counts by label, under a label.

    A label has rows only in units in which it occurs, so that many labels need no more room than their counts.
    """

    fields: tuple[str, ...]
    units: int
    unit: Ints
    values: Ints
    labels: tuple[str, ...] | None = None
    label: Ints | None = None

    def __post_init__(self) -> None:
        # Whole numbers add up to the same sum in any order; a measure of fractions counts in units of 1/ONE.
        if not np.issubdtype(self.values.dtype, np.integer):
            raise TypeError("Counts hold whole numbers; scale fractions (items.ONE).")

    def matrix(self) -> Ints:
        """Units × fields, labels summed up."""
        dense = np.zeros((self.units, len(self.fields)), dtype=np.int64)
        for field in range(len(self.fields)):
            dense[:, field] = _summed(self.unit, self.values[:, field], self.units)
        return dense

    def total(self) -> Ints:
        """The sum over all units: one number per field, or labels × fields."""
        if self.label is None or self.labels is None:
            return np.asarray(self.values.sum(axis=0))
        columns = [_summed(self.label, self.values[:, field], len(self.labels)) for field in range(len(self.fields))]
        return np.stack(columns, axis=1)

    def wide(self, most: int = DENSE) -> Any:
        """Units × (labels · fields); a sparse matrix if a dense one had more than `most` numbers."""
        assert self.label is not None and self.labels is not None
        width = len(self.fields)
        rows = np.repeat(self.unit, width)
        columns = (self.label[:, None].astype(np.int64) * width + np.arange(width)).ravel()
        shape = (self.units, len(self.labels) * width)
        if shape[0] * shape[1] <= most:
            flat = np.bincount(rows * shape[1] + columns, weights=self.values.ravel(), minlength=shape[0] * shape[1])
            return flat.reshape(shape)
        from scipy.sparse import coo_array

        return coo_array((self.values.ravel().astype(np.float64), (rows, columns)), shape=shape).tocsr()

    def with_rows(self, unit: Ints, values: Ints, label: Ints) -> Counts:
        """The counts with further rows, whose fields and labels are those of these."""
        assert self.label is not None
        return replace(
            self,
            unit=np.concatenate([self.unit, unit]),
            values=np.concatenate([self.values, values]),
            label=np.concatenate([self.label, label]),
        )

    def regroup(self, group_of_unit: Ints, groups: int) -> Counts:
        """Counts by group of units; units of group -1 are left out."""
        group = group_of_unit[self.unit]
        kept = group >= 0
        if kept.all():
            return replace(self, units=groups, unit=group)
        label = None if self.label is None else self.label[kept]
        return replace(self, units=groups, unit=group[kept], values=self.values[kept], label=label)



def as_sums(totals: Array, fields: Sequence[str]) -> dict[str, Floats]:
    """An array whose last axis runs over fields, as arrays by field name."""
    return {field: np.asarray(totals[..., index], dtype=np.float64) for index, field in enumerate(fields)}


def _summed(group: Ints, values: Ints, groups: int) -> Ints:
    # bincount adds in float64, exact for whole numbers below 2^53.
    return np.bincount(group, weights=values, minlength=groups).astype(np.int64)


def join_counts(parts: Sequence[Counts]) -> Counts:
    """The counts of several shards as one: units follow each other, labels are united by name."""
    offsets = np.cumsum([0, *(part.units for part in parts)])
    fields = parts[0].fields
    assert all(part.fields == fields for part in parts), "only counts of the same measure can be merged"
    unit = np.concatenate([part.unit + offset for part, offset in zip(parts, offsets, strict=False)])
    values = np.concatenate([part.values for part in parts])
    if parts[0].labels is None:
        return Counts(fields, int(offsets[-1]), unit, values)
    known: dict[str, int] = {}
    recoded = []
    for part in parts:
        assert part.labels is not None and part.label is not None
        recoded.append(as_codes(part.labels, known)[part.label])
    return Counts(fields, int(offsets[-1]), unit, values, tuple(known), np.concatenate(recoded))


@dataclass(frozen=True, eq=False)
class Collapsed:
    """Distinct rows in canonical order and how many units have each: all that resampling needs."""

    rows: Ints
    sizes: Ints

    @classmethod
    def of(cls, rows: Ints, sizes: Ints | None = None) -> Collapsed:
        """The distinct rows; `sizes` is the number of units of each row, 1 if it is not given."""
        distinct, group, numbers = distinct_rows(rows)
        if sizes is not None:
            numbers = np.bincount(group, weights=sizes, minlength=len(distinct)).astype(np.int64)
        return cls(distinct, numbers)

    def __add__(self, other: Collapsed) -> Collapsed:
        return Collapsed.of(np.concatenate([self.rows, other.rows]), np.concatenate([self.sizes, other.sizes]))


# --- from items to counts, per sentence ---


def tally(items: Items, sentences: int) -> Counts:
    """Per sentence: items right, items gold has, items the system has, and items both have."""
    masks = {
        "right": items.right[0],
        "gold": items.has_gold,
        "system": items.has_system[0],
        "aligned": items.has_gold & (items.answer[0] != NONE),
    }
    if items.found is not None:
        masks["found"] = items.found[0]
    columns = [_count(items.sentence, mask, sentences) for mask in masks.values()]
    return Counts(tuple(masks), sentences, np.arange(sentences), np.stack(columns, axis=1))


def whole_sentences(items: Items, sentences: int) -> Counts:
    """Per sentence that has gold items: is every item right, and no item spurious?"""
    has_gold = _count(items.sentence, items.has_gold, sentences) > 0
    spurious = (items.gold == NONE) & items.has_system[0]
    clean = _count(items.sentence, ~items.right[0] & (items.has_gold | spurious), sentences) == 0
    values = np.stack([clean & has_gold, has_gold], axis=1).astype(np.int64)
    return Counts(("right", "sentences"), sentences, np.arange(sentences), values)


def graded(items: Items, sentences: int) -> Counts:
    """Per sentence: gold items, tags assigned and expected, and the credits of both sides."""
    assert items.credits is not None
    credits_ = items.credits[0]
    if items.selected:
        # Tags that the system assigns count on its side, all else on gold's.
        assigned = np.array([name.startswith("assigned") for name in CREDITS])
        credits_ = credits_ * np.where(assigned[:, None], items.has_system[0], items.has_gold)
    columns = [_count(items.sentence, items.has_gold, sentences)]
    columns += [_summed(items.sentence, column, sentences) for column in credits_]
    return Counts(("items", *CREDITS), sentences, np.arange(sentences), np.stack(columns, axis=1))


def by_label(items: Items, sentences: int) -> Counts:
    """Per sentence and label: items right, gold items with the label, system items with the label, and marks."""
    masks = {
        "right": (items.gold, items.right[0]),
        "gold": (items.gold, items.has_gold),
        "system": (items.answer[0], items.has_system[0]),
    }
    if items.found is not None:
        masks["found"] = (items.answer[0], items.found[0])
    masks |= {name: (items.gold, mask & items.has_gold) for name, mask in items.marks.items()}
    rows = [(items.sentence[mask], codes[mask]) for codes, mask in masks.values()]
    return _per_label(tuple(masks), items.labels, sentences, rows)


def matched(items: Items, sentences: int) -> Counts:
    """Per sentence and label: rows of each kind and with each mark, gold items and system items."""
    assert items.label is not None
    label = items.label
    masks = [*(items.kind[0] == kind for kind in range(len(items.kinds))), *items.marks.values()]
    rows = [(items.sentence[mask], label[mask]) for mask in masks]
    sides = ((items.gold, items.has_gold), (items.answer[0], items.has_system[0]))
    rows += [(items.sentence[mask], codes[mask]) for codes, mask in sides]
    return _per_label((*items.kinds, *items.marks, "gold", "system"), items.labels, sentences, rows)


def _per_label(
    fields: tuple[str, ...], labels: tuple[str, ...], sentences: int, rows: Sequence[tuple[Ints, Ints]]
) -> Counts:
    """Counts of the rows of each field, given by their sentences and labels, where any field has some."""
    width = max(len(labels), 1)
    keys = [sentence.astype(np.int64) * width + label for sentence, label in rows]
    occurring, place, _ = distinct_numbers(np.concatenate(keys), sentences * width)
    places = np.split(place, np.cumsum([len(key) for key in keys])[:-1])
    columns = [np.bincount(own, minlength=len(occurring)) for own in places]
    unit, label = occurring // width, (occurring % width).astype(np.int32)
    return Counts(fields, sentences, unit, np.stack(columns, axis=1).astype(np.int64), labels, label)


def bracketed(items: Items, sentences: int) -> Counts:
    """Per sentence: rows of each kind, gold items and system items, and the sums per sentence."""
    masks = [*(items.kind[0] == kind for kind in range(len(items.kinds))), items.has_gold, items.has_system[0]]
    columns = [*(_count(items.sentence, mask, sentences) for mask in masks), *items.sums.values()]
    fields = (*items.kinds, "gold", "system", *items.sums)
    return Counts(fields, sentences, np.arange(sentences), np.stack(columns, axis=1).astype(np.int64))


def _count(sentence: Ints, mask: Bools, sentences: int) -> Ints:
    return np.bincount(sentence[mask], minlength=sentences)


FEW_UNITS, FEW_CLUSTERS = 20, 10
"""Below this number of sentences, or of documents (values of a comment), intervals of differences are too short …"""
FEW_DIFFERING = 10
"""… and below this number of units that differ."""
BLOCKS = 4096
"""The most distinct rows that are resampled; if there are more, units are grouped into this number of blocks."""
MANY = 20
"""Above this number of systems, one draw serves all of them instead of one for each pair."""


@dataclass(frozen=True, eq=False)
class Tallies:
    """The counts of all systems as far as scores and tests need them: bounded, however many units there are."""

    systems: tuple[str, ...]
    fields: tuple[str, ...]
    read: tuple[str, ...]
    """The fields that some score reads; the others are in the totals alone."""
    labels: tuple[str, ...] | None
    units: int
    totals: tuple[Array, ...]
    """In whole numbers of Python: sums of partial credit outgrow 64 bits."""
    distinct: Mapping[tuple[int, ...], Collapsed | None]
    """The distinct joint rows of all systems, or if these are too many, of each system and of each pair; None for
    those that are too many, and will be."""
    differences: Mapping[tuple[int, int], tuple[Collapsed | None, int]]
    """If joint rows are too many: for each pair its distinct differences, and how many units differ."""
    used: Ints | None
    """The blocks that have units …"""
    sums: Ints | None
    """… and the joint rows summed up in each; None where there is one shard, and its rows are few."""
    by_unit: tuple[Counts, ...] | None
    """Counts by label of each unit, as long as units are few …"""
    by_block: tuple[Counts, ...] | None
    """… and of each block; None if labels are not resampled one by one."""
    differing: Mapping[tuple[int, int], int]
    """For each pair of systems the number of units in which its counts by label differ."""
    compares: bool
    """True if systems are compared, pair by pair."""
    unit: str = "sentence"
    names: tuple[str, ...] | None = None
    """The names of units that may have sentences in several shards, such as speakers …"""
    named: tuple[Counts, ...] | None = None
    """… and the counts of each system in them."""

    @classmethod
    def of(
        cls,
        counts: Sequence[tuple[str, Counts]],
        fields_read: Callable[[Sums], tuple[str, ...]],
        blocks: Callable[[], Ints],
        *,
        by_label: bool = True,
        compares: bool = True,
        alone: bool = True,
        names: Sequence[str] | None = None,
        unit: str = "sentence",
    ) -> Tallies:
        """The tallies of each system's counts per unit; scores look at the fields read alone.

        `blocks` gives the block of each unit; naming units takes time, so it is asked for only where blocks are
        needed: if rows are too many or, unless the shard is `alone`, if other shards may have too many.
        """
        systems = tuple(name for name, _ in counts)
        own = list(_common_labels([found for _, found in counts]))
        fields, labels, units = own[0].fields, own[0].labels, own[0].units
        totals = [one.total() for one in own]
        read = fields_read(as_sums(totals[0], fields))
        wide = by_label and labels is not None
        columns = [fields.index(name) for name in read]
        matrices = [one.matrix()[:, columns] for one in own]
        rows = np.concatenate(matrices, axis=1)
        joint, everyone = _few(Collapsed.of(rows)), tuple(range(len(systems)))
        pairs = list(combinations(everyone, 2)) if compares else []
        used = of_blocks = None
        if wide and (not alone or units > BLOCKS):
            place = blocks()
            of_blocks = tuple(_compact(one.regroup(place, BLOCKS)) for one in own)
            used = np.unique(place)
        further = [] if joint else [*((index,) for index in everyone), *pairs]
        tallies = cls(
            systems=systems,
            fields=fields,
            read=read,
            labels=labels,
            units=units,
            # Whole numbers of Python where sums of shards are added: they outgrow 64 bits.
            totals=tuple(total if alone else total.astype(object) for total in totals),
            distinct={
                everyone: joint,
                **{some: _few(Collapsed.of(np.hstack([matrices[i] for i in some]))) for some in further},
            },
            differences={(a, b): _swaps(matrices[a] - matrices[b]) for a, b in pairs if not joint},
            used=used,
            sums=None,
            by_unit=tuple(map(_compact, own)) if wide and units <= BLOCKS else None,
            by_block=of_blocks,
            # If units are resampled, the test itself counts those that differ.
            differing={(a, b): _units_that_differ(own[a], own[b]) for a, b in pairs if of_blocks is not None},
            compares=compares,
            unit=unit,
            names=None if names is None else tuple(names),
            named=None if names is None else tuple(own),
        )
        drawn = [*((index,) for index in everyone), *pairs, *[everyone] * (len(systems) > MANY)]
        if alone and joint is not None and not any(tallies.needs_blocks(*some) for some in drawn):
            return tallies
        used, sums = _sums_by(blocks(), rows)
        return replace(tallies, used=used, sums=sums)

    @property
    def joint(self) -> Collapsed | None:
        """The distinct joint rows of all systems; None if they are too many."""
        return self.distinct[tuple(range(len(self.systems)))]

    def rows(self, *systems: int) -> Collapsed | None:
        """The distinct rows of one system, of two side by side or of all; None if they are too many."""
        if self.joint is not None:
            return Collapsed.of(self.joint.rows[:, self._columns(systems)], self.joint.sizes)
        found = self.distinct.get(tuple(sorted(systems)))
        if found is None or systems[0] <= systems[-1]:
            return found
        return Collapsed.of(np.roll(found.rows, len(self.read), axis=1), found.sizes)

    def needs_blocks(self, *systems: int) -> bool:
        """True if blocks are drawn instead of units: the rows are too many, or cost more to draw."""
        rows = self.rows(*systems) if self.units > BLOCKS else None
        return self.units > BLOCKS and (rows is None or is_costly(rows.rows, rows.sizes))

    def block_rows(self, *systems: int) -> Collapsed:
        """The distinct rows of the sums over each block, of some systems side by side."""
        assert self.sums is not None
        return Collapsed.of(self.sums[:, self._columns(systems)])

    def _columns(self, systems: Sequence[int]) -> list[int]:
        width = len(self.read)
        return [system * width + field for system in systems for field in range(width)]

    def swaps(self, a: int, b: int) -> tuple[Collapsed | None, int]:
        """The distinct differences of two systems (None if they are too many), and how many units differ."""
        if self.joint is not None:
            one, other = (self.joint.rows[:, self._columns([index])] for index in (a, b))
            return _swaps(one - other, self.joint.sizes)
        found, number = self.differences[min(a, b), max(a, b)]
        return found if found is None or a < b else Collapsed.of(-found.rows, found.sizes), number

    def wide(self) -> list[Any]:
        """Each system's counts as units × (labels · fields), blocks in place of units where these are too many."""
        if self.by_unit is not None:
            return [counts.wide() for counts in self.labelled()]
        return [counts.wide()[self.used] for counts in self.labelled()]

    def labelled(self) -> Iterator[Counts]:
        """Each system's counts by label of units or blocks, with the same codes of labels."""
        found = self.by_unit if self.by_unit is not None else self.by_block
        assert found is not None
        return _common_labels(found, self.labels)

    @property
    def drawn_by_label(self) -> int:
        """The number of units, or of blocks, whose counts by label are resampled."""
        return self.units if self.by_unit is not None or self.used is None else len(self.used)

    def _again(self, counts: Sequence[Counts], names: Sequence[str]) -> Tallies:
        """Tallies like these of other counts, of units that have names."""
        return Tallies.of(
            list(zip(self.systems, counts, strict=True)),
            lambda sums: self.read,
            lambda: blocks_of(names),
            by_label=self.by_unit is not None or self.by_block is not None,
            compares=self.compares,
            names=names,
            unit=self.unit,
        )

    def with_nothing(self, others: Tallies) -> Tallies:
        """Zero counts for the units of `others`, with the same systems and fields."""
        if self.named is not None:
            return self._again([_no_counts(one, others.units) for one in self.named], others.names or ())
        assert others.used is not None
        row = np.zeros((1, len(self.read) * len(self.systems)), dtype=np.int64)
        rows = Collapsed(row[: others.units], np.array([others.units][: others.units]))
        return replace(
            self,
            labels=None if self.labels is None else (),
            units=others.units,
            totals=tuple(total[:0] if self.labels is not None else total * 0 for total in self.totals),
            distinct={tuple(range(len(self.systems))): rows},
            differences={},
            used=others.used,
            sums=np.repeat(row, len(others.used), axis=0),
            by_unit=None if self.by_unit is None else tuple(_no_counts(one, others.units) for one in self.by_unit),
            by_block=None if self.by_block is None else tuple(_no_counts(one, one.units) for one in self.by_block),
            differing=dict.fromkeys(self.differing, 0),
        )

    def __add__(self, other: Tallies) -> Tallies:
        """Tallies of two stretches of text, the first one on the left."""
        assert (self.systems, self.fields) == (other.systems, other.fields), "only like tallies can be added"
        assert self.read == other.read, "scores read other fields in other shards"
        if self.named is not None and other.named is not None:
            known: dict[str, int] = {}
            places = [as_codes(names or (), known) for names in (self.names, other.names)]
            both = [
                join_counts([one.regroup(place, len(known)) for one, place in zip(pair, places, strict=True)])
                for pair in zip(self.named, other.named, strict=True)
            ]
            return self._again([replace(one, units=len(known), unit=one.unit % len(known)) for one in both], [*known])
        labels = None if self.labels is None else tuple(sorted({*self.labels, *(other.labels or ())}))
        everyone = tuple(range(len(self.systems)))
        joint = None if self.joint is None or other.joint is None else _few(self.joint + other.joint)
        units = self.units + other.units
        assert self.used is not None and self.sums is not None and other.used is not None and other.sums is not None
        used, sums = _sums_by(np.concatenate([self.used, other.used]), np.concatenate([self.sums, other.sums]))
        compares = self.compares and other.compares
        pairs = list(combinations(everyone, 2)) if compares else []
        distinct, differences = {everyone: joint}, {}
        for some in [] if joint else [*((index,) for index in everyone), *pairs]:
            mine, its = self.rows(*some), other.rows(*some)
            distinct[some] = None if mine is None or its is None else _few(mine + its)
        for a, b in [] if joint else pairs:
            (mine, number), (its, its_number) = self.swaps(a, b), other.swaps(a, b)
            change = None if mine is None or its is None else _few(mine + its)
            differences[a, b] = (change, number + its_number)
        by_unit = None
        if self.by_unit is not None and other.by_unit is not None and units <= BLOCKS:
            by_unit = tuple(map(join_counts, zip(self.by_unit, other.by_unit, strict=True)))
        return replace(
            self,
            labels=labels,
            units=units,
            totals=tuple(
                _placed(mine, self.labels, labels) + _placed(its, other.labels, labels)
                for mine, its in zip(self.totals, other.totals, strict=True)
            ),
            distinct=distinct,
            differences=differences,
            used=used,
            sums=sums,
            by_unit=by_unit,
            by_block=None if self.by_block is None else tuple(map(_added, self.by_block, other.by_block or ())),
            differing={pair: number + other.differing[pair] for pair, number in self.differing.items()},
            compares=compares,
        )


def blocks_of(names: Iterable[str]) -> Ints:
    """A block for each unit, by a hash of its name."""
    hashes = (zlib.crc32(name.encode("utf-8", "replace")) for name in names)
    return np.fromiter(hashes, dtype=np.int64) % BLOCKS


def _few(rows: Collapsed) -> Collapsed | None:
    """The rows; None if they are too many."""
    return rows if len(rows.rows) <= BLOCKS else None


def _units_that_differ(a: Counts, b: Counts) -> int:
    """Number of units in which two systems' counts by label differ; both have the same codes of labels."""
    assert a.labels is not None and a.label is not None and b.label is not None
    key = np.concatenate([a.unit, b.unit]) * np.int64(len(a.labels)) + np.concatenate([a.label, b.label])
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    change = np.add.reduceat(np.concatenate([a.values, -b.values])[order], starts, axis=0) if len(key) else a.values
    return len(np.unique(key[order[starts[change.any(axis=1)]]] // len(a.labels)))


def _swaps(differences: Ints, sizes: Ints | None = None) -> tuple[Collapsed | None, int]:
    """The distinct differences of two systems (None if they are too many), and how many units differ.

    A row is one unit, or as many as `sizes` says.
    """
    there = differences.any(axis=1)
    found = Collapsed.of(differences[there], None if sizes is None else sizes[there])
    return _few(found), int(found.sizes.sum())


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
    """Counts with one row for each unit and label, summed up."""
    assert counts.labels is not None and counts.label is not None
    width = max(1, len(counts.labels))
    keys, values = _sums_by(counts.unit.astype(np.int64) * width + counts.label, counts.values)
    return replace(counts, unit=keys // width, label=(keys % width).astype(np.int32), values=values)


def _no_counts(counts: Counts, units: int) -> Counts:
    """Zero counts for `units` units, with the same fields and labels."""
    label = None if counts.label is None else counts.label[:0]
    return replace(counts, units=units, unit=counts.unit[:0], values=counts.values[:0], label=label)


def _added(first: Counts, second: Counts) -> Counts:
    """Counts of the same units (blocks), added up by name of label."""
    both = join_counts([first, second])
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
