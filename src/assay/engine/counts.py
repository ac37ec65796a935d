"""Counts: named numbers that add up over units, the only thing scores and statistics ever look at."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Floats, Ints, as_codes, distinct_numbers, distinct_rows, each_once, fold_codes
from assay.classes import dataclass
from assay.engine.items import CREDITS, Items
from assay.stats.resample import is_costly

DENSE = 1 << 25
"""The most numbers in a dense table of all labels and fields; a larger one is sparse."""
Sums = Mapping[str, Floats]
"""Field name → summed counts, of any shape: scores are computed on all of them at once."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Rows of numbers, each in a unit and, if a measure counts by label, under a label.

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

    def matrix(self, columns: Sequence[int] | None = None) -> Ints:
        """Units × fields (or some of them), labels summed up."""
        values = self.values if columns is None else self.values[:, columns]
        if self.label is None and np.array_equal(self.unit, np.arange(self.units)):
            return values
        return _sum_by_group(self.unit, values, self.units)

    def total(self, sizes: Ints | None = None) -> Ints:
        """The sum over all units: one number per field, or labels × fields; `sizes`: how often each unit counts."""
        values = self.values if sizes is None else self.values * sizes[self.unit, None]
        if self.label is None or self.labels is None:
            return np.asarray(values.sum(axis=0))
        return _sum_by_group(self.label, values, len(self.labels))

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
        """The counts with further rows of the same fields and labels."""
        assert self.label is not None
        return replace(
            self,
            unit=np.concatenate([self.unit, unit]),
            values=np.concatenate([self.values, values]),
            label=np.concatenate([self.label, label]),
        )

    def repeat(self, units: Ints) -> Counts:
        """Counts of the units with these numbers, some of them several times; rows must be in the order of units."""
        begin, end = (np.searchsorted(self.unit, units, side=side) for side in ("left", "right"))
        unit = np.repeat(np.arange(len(units)), end - begin)
        rows = np.arange(len(unit)) + (end - np.cumsum(end - begin))[unit]
        label = None if self.label is None else self.label[rows]
        return replace(self, units=len(units), unit=unit, values=self.values[rows], label=label)

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


def _sum_by_group(group: Ints, values: Ints, groups: int) -> Ints:
    """Groups × fields: the sum of the rows of each group."""
    sums = np.empty((groups, values.shape[1]), dtype=np.int64)
    for field, column in enumerate(values.T):
        # bincount adds in float64, exact for whole numbers below 2^53.
        sums[:, field] = np.bincount(group, column, groups)
    return sums


def join_counts(parts: Sequence[Counts], *, same_units: bool = False) -> Counts:
    """The counts of several shards as one: labels are united by name; units follow each other or are the same."""
    offsets = np.cumsum([0, *(0 if same_units else part.units for part in parts)])
    fields, units = parts[0].fields, parts[0].units if same_units else int(offsets[-1])
    assert all(part.fields == fields for part in parts), "only counts of the same measure can be merged"
    unit = np.concatenate([part.unit + offset for part, offset in zip(parts, offsets, strict=False)])
    values = np.concatenate([part.values for part in parts])
    if parts[0].labels is None:
        return Counts(fields, units, unit, values)
    codes: dict[str, int] = {}
    label = []
    for part in parts:
        assert part.labels is not None and part.label is not None
        label.append(as_codes(part.labels, codes)[part.label])
    return Counts(fields, units, unit, values, tuple(codes), np.concatenate(label))


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Distinct rows in canonical order and how many units have each: all that resampling needs."""

    rows: Ints
    sizes: Ints

    @classmethod
    def of(cls, rows: Ints, sizes: Ints | None = None) -> DistinctRows:
        """The distinct rows; `sizes` is the number of units of each row, 1 if it is not given."""
        distinct, group, numbers = distinct_rows(rows, grouped=sizes is not None)
        if sizes is not None:
            numbers = np.bincount(group, weights=sizes, minlength=len(distinct)).astype(np.int64)
        return cls(distinct, numbers)

    def __add__(self, other: DistinctRows) -> DistinctRows:
        return DistinctRows.of(np.concatenate([self.rows, other.rows]), np.concatenate([self.sizes, other.sizes]))


# --- from items to counts, per sentence ---


def fold_units(tables: Sequence[Any], unit_of_sentence: Ints, units: int) -> tuple[list[Items], Ints] | None:
    """If each unit has at most one item: the distinct items of all systems, each in a sentence by itself, and the
    sentence of each unit; the last sentence is empty.

    None if units have several items or further numbers, if sentences are left out, or if more than `BLOCKS` items are
    distinct.
    """
    if not all(isinstance(one, Items) and one.credits is None and not one.sums for one in tables):
        return None
    unit = unit_of_sentence[tables[0].sentence]
    same = all(np.array_equal(one.sentence, tables[0].sentence) for one in tables[1:])
    if not same or (np.diff(unit, prepend=NONE) <= 0).any():
        return None
    columns: list[Array] = []
    for one in tables:
        found = one.right if one.found is None else one.found
        columns += [np.where(one.has_gold | one.right[0], one.gold, NONE), one.right[0], one.has_gold, found[0]]
        columns += [np.where(one.has_system[0] | found[0], one.answer[0], NONE), one.has_system[0], *one.kind]
        columns += [*one.marks.values(), *(() if one.label is None else [one.label])]
    first, _, group = fold_codes(columns)
    if len(first) > BLOCKS:
        return None
    sentences = np.full(units, len(first), dtype=np.int64)
    sentences[unit] = group
    return [replace(one.where(first), sentence=np.arange(len(first))) for one in tables], sentences


def pick_units(tables: Sequence[Items], unit_of_sentence: Ints, units: int) -> tuple[list[Items], Ints]:
    """The items of all systems, with units that have items in place of sentences; and the sentence of each unit, the
    last one if it has no items. Few units have items with a rare label.
    """
    kept = list(tables)
    if (unit_of_sentence == NONE).any():
        kept = [one.where(unit_of_sentence[one.sentence] != NONE) for one in tables]
    has_items = np.zeros(units, dtype=bool)
    for one in kept:
        has_items[unit_of_sentence[one.sentence]] = True
    number = int(has_items.sum())
    sentences = np.where(has_items, np.cumsum(has_items) - 1, number)
    # Numbers of sentences do not belong to a selection of items.
    return [
        replace(
            one,
            sentence=sentences[unit_of_sentence[one.sentence]],
            sums={name: np.zeros(number + (number < units), dtype=sums.dtype) for name, sums in one.sums.items()},
        )
        for one in kept
    ], sentences


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
    return _per_sentence(
        {name: np.bincount(items.sentence[mask], minlength=sentences) for name, mask in masks.items()}
    )


def tally_whole_sentences(items: Items, sentences: int) -> Counts:
    """Per sentence that has gold items: is every item right, and no item spurious?"""
    has_gold = np.bincount(items.sentence[items.has_gold], minlength=sentences) > 0
    spurious = (items.gold == NONE) & items.has_system[0]
    wrong = ~items.right[0] & (items.has_gold | spurious)
    clean = np.bincount(items.sentence[wrong], minlength=sentences) == 0
    return _per_sentence({"right": clean & has_gold, "sentences": has_gold})


def tally_credits(items: Items, sentences: int) -> Counts:
    """Per sentence: gold items, tags assigned and expected, and the credits of both sides."""
    assert items.credits is not None
    credits_ = items.credits[0]
    if items.selected:
        # Tags that the system assigns count on its side, all else on gold's.
        assigned = np.array([name.startswith("assigned") for name in CREDITS])
        credits_ = credits_ * np.where(assigned[:, None], items.has_system[0], items.has_gold)
    sums = _sum_by_group(items.sentence, credits_.T, sentences)
    number = np.bincount(items.sentence[items.has_gold], minlength=sentences)
    return _per_sentence({"items": number, **dict(zip(CREDITS, sums.T, strict=True))})


def tally_brackets(items: Items, sentences: int) -> Counts:
    """Per sentence: rows of each kind, gold items and system items, and the sums per sentence."""
    masks = {name: items.kind[0] == kind for kind, name in enumerate(items.kinds)}
    masks |= {"gold": items.has_gold, "system": items.has_system[0]}
    columns = {name: np.bincount(items.sentence[mask], minlength=sentences) for name, mask in masks.items()}
    return _per_sentence({**columns, **items.sums})


def _per_sentence(columns: Mapping[str, Array]) -> Counts:
    """Counts of one row per sentence, from the numbers in each field."""
    values = np.stack(list(columns.values()), axis=1).astype(np.int64, copy=False)
    return Counts(tuple(columns), len(values), np.arange(len(values)), values)


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


def tally_outcomes(items: Items, sentences: int) -> Counts:
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
    """Counts of the rows of each field, given by their sentences and labels."""
    width = max(len(labels), 1)
    keys = [sentence.astype(np.int64) * width + label for sentence, label in rows]
    occurring, place, _ = distinct_numbers(np.concatenate(keys), sentences * width)
    ends = np.cumsum([len(key) for key in keys])[:-1]
    columns = [np.bincount(rows_of_field, minlength=len(occurring)) for rows_of_field in np.split(place, ends)]
    unit, label = occurring // width, (occurring % width).astype(np.int32)
    return Counts(fields, sentences, unit, np.stack(columns, axis=1).astype(np.int64), labels, label)


FEW_UNITS, FEW_CLUSTERS = 20, 10
"""Below this number of sentences, or of documents (values of a comment), intervals of differences are too short …"""
FEW_DIFFERING = 10
"""… and below this number of units that differ."""
BLOCKS = 4096
"""The most distinct rows that are resampled; if there are more, units are grouped into this number of blocks."""


@dataclass(frozen=True, eq=False)
class JointCounts:
    """The counts of all systems as far as scores and tests need them: bounded, however many units there are."""

    systems: tuple[str, ...]
    fields: tuple[str, ...]
    read: tuple[str, ...]
    """The fields that some score reads; the others are in the totals alone."""
    labels: tuple[str, ...] | None
    units: int
    totals: tuple[Array, ...]
    """In whole numbers of Python: sums of partial credit outgrow 64 bits."""
    joint: DistinctRows | None
    """The distinct joint rows of all systems; None if they are too many …"""
    distinct: Mapping[tuple[int, ...], DistinctRows | None]
    """… in which case these are the distinct rows of each system and of each pair …"""
    differences: Mapping[tuple[int, int], tuple[DistinctRows | None, int]]
    """… and for each pair its distinct differences, and how many units differ."""
    used: Ints | None
    """The blocks that have units …"""
    sums: Ints | None
    """… and the joint rows summed up in each; None if there is one shard, and its rows are few."""
    by_label: tuple[Counts, ...] | None
    """Counts by label of each unit, or of each block if units are too many; None if labels are not resampled …"""
    blocks: Ints | None
    """… and the block of each of these units; None if other shards have none."""
    single: DistinctRows | None
    """If each unit has one item, the distinct joint rows of counts by label; None if they are too many."""
    differing: Mapping[tuple[int, int], int]
    """For each pair of systems the number of units in which its counts by label differ."""
    compares: bool
    """True if systems are compared, pair by pair."""
    unit: str = "sentence"
    names: tuple[str, ...] | None = None
    """The names of units that may have sentences in several shards, such as speakers …"""
    named: tuple[Counts, ...] | None = None
    """… and the counts of each system in them."""
    ids: Ints | None = None
    """The hash of the id of each unit, in whose order units are drawn; None if there are no ids, or too many."""

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
        ids: Ints | None = None,
        unit: str = "sentence",
        group: Ints | None = None,
        single_items: bool = False,
    ) -> JointCounts:
        """The tallies of each system's counts per unit; scores look at the fields read alone.

        Equal units may be one in the counts; `group` has its number for each. `single_items`: no unit has several.
        `blocks` gives the block of each unit; naming units takes time, so it is called only if blocks are needed: if
        rows are too many or, unless the shard is `alone`, if other shards may have too many.
        """
        systems = tuple(name for name, _ in counts)
        tables = [table for _, table in counts]
        tables = tables if tables[0].labels is None else _common_labels(tables)
        fields, labels = tables[0].fields, tables[0].labels
        sizes = None if group is None else np.bincount(group, minlength=tables[0].units)
        units = tables[0].units if group is None else len(group)
        totals = [table.total(sizes) for table in tables]
        read = fields_read(as_sums(totals[0], fields))
        columns = [fields.index(name) for name in read]
        matrices = [table.matrix(columns) for table in tables]
        rows = np.concatenate(matrices, axis=1)
        joint, everyone = _few(DistinctRows.of(rows, sizes)), tuple(range(len(systems)))
        pairs = list(combinations(everyone, 2)) if compares else []
        further = [] if joint else [*((index,) for index in everyone), *pairs]
        of_labels = place = used = single = None
        if by_label and labels is not None:
            if single_items and len(tables) * len(labels) * len(fields) <= BLOCKS:
                wide = np.hstack([table.wide() for table in tables]).astype(np.int64)
                single = _few(DistinctRows.of(wide, sizes))
            place = blocks() if not alone or (units > BLOCKS and single is None) else None
            used = None if place is None else np.unique(place)
            if group is not None and (place is not None or single is None):
                tables = [table.repeat(group) for table in tables]
            of_labels = tuple(map(compact, tables if units <= BLOCKS else _in_blocks(tables, place)))
        tallies = cls(
            systems=systems,
            fields=fields,
            read=read,
            labels=labels,
            units=units,
            # Whole numbers of Python if sums of shards are added, because these outgrow 64 bits.
            totals=tuple(total if alone else total.astype(object) for total in totals),
            joint=joint,
            distinct={some: _few(DistinctRows.of(np.hstack([matrices[i] for i in some]), sizes)) for some in further},
            differences={(a, b): _swaps(matrices[a] - matrices[b], sizes) for a, b in pairs if not joint},
            used=used,
            sums=None,
            by_label=of_labels,
            blocks=place if units <= BLOCKS else None,
            single=single,
            # If units are resampled, the test itself counts those that differ.
            differing={(a, b): _count_differing(tables[a], tables[b]) for a, b in pairs if place is not None},
            compares=compares,
            unit=unit,
            names=None if names is None else tuple(names),
            named=None if names is None else tuple(map(compact, tables)),
            ids=None if labels is None or units > BLOCKS else ids,
        )
        drawn = [*((index,) for index in everyone), *pairs]
        few = units <= BLOCKS or not any(tallies.needs_blocks(*some) for some in drawn)
        if alone and joint is not None and few:
            return tallies
        place = blocks()
        if group is not None:
            filled = np.flatnonzero((rows != 0).any(axis=1)[group])
            # A block has a row, however empty its units are.
            empty = each_once(place)
            place = np.concatenate([empty, place[filled]])
            rows = np.concatenate([np.zeros((len(empty), rows.shape[1]), dtype=rows.dtype), rows[group[filled]]])
        used, sums = _sum_by_key(place, rows)
        return replace(tallies, used=used, sums=sums)

    def rows(self, *systems: int) -> DistinctRows | None:
        """The distinct rows of one system, of two side by side or of all; None if they are too many."""
        if self.joint is not None:
            return DistinctRows.of(self.joint.rows[:, self._columns(systems)], self.joint.sizes)
        rows = self.distinct.get(tuple(sorted(systems)))
        if rows is None or systems[0] <= systems[-1]:
            return rows
        return DistinctRows.of(np.roll(rows.rows, len(self.read), axis=1), rows.sizes)

    def needs_blocks(self, *systems: int) -> bool:
        """True if blocks are drawn instead of units: the rows are too many, or cost more to draw."""
        rows = self.rows(*systems) if self.units > BLOCKS else None
        return self.units > BLOCKS and (rows is None or is_costly(rows.rows, rows.sizes))

    def block_rows(self, *systems: int) -> DistinctRows:
        """The distinct rows of the sums over each block, of some systems side by side."""
        assert self.sums is not None
        return DistinctRows.of(self.sums[:, self._columns(systems)])

    def _columns(self, systems: Sequence[int]) -> list[int]:
        width = len(self.read)
        return [system * width + field for system in systems for field in range(width)]

    def swaps(self, a: int, b: int) -> tuple[DistinctRows | None, int]:
        """The distinct differences of two systems (None if they are too many), and how many units differ."""
        if self.joint is not None:
            first, second = (self.joint.rows[:, self._columns([system])] for system in (a, b))
            return _swaps(first - second, self.joint.sizes)
        rows, number = self.differences[min(a, b), max(a, b)]
        return rows if rows is None or a < b else DistinctRows.of(-rows.rows, rows.sizes), number

    def wide(self) -> list[Any]:
        """Each system's counts as units × (labels · fields), blocks in place of units if these are too many."""
        if self.drawn is not None:
            return np.split(self.drawn.rows.astype(np.float64), len(self.systems), axis=1)
        tables = [counts.wide() for counts in self.labelled()]
        return tables if self.units <= BLOCKS else [table[self.used] for table in tables]

    def labelled(self) -> list[Counts]:
        """Each system's counts by label of units, distinct units or blocks, with the same codes of labels."""
        assert self.by_label is not None
        if self.drawn is not None:
            number, labels = len(self.drawn.rows), len(self.labels or ())
            unit, label = np.divmod(np.arange(number * labels), max(labels, 1))
            tables = [table.reshape(len(unit), len(self.fields)).astype(np.int64) for table in self.wide()]
            return [Counts(self.fields, number, unit, table, self.labels, label) for table in tables]
        return _common_labels(self.by_label, self.labels)

    @property
    def drawn_by_label(self) -> int:
        """The number of units, or of blocks, whose counts by label are resampled."""
        return self.units if self.units <= BLOCKS or self.drawn is not None or self.used is None else len(self.used)

    @property
    def drawn(self) -> DistinctRows | None:
        """The distinct joint rows of counts by label, if these are resampled in place of units or blocks."""
        return self.single if self.units > BLOCKS else None

    def _again(self, counts: Sequence[Counts], names: Sequence[str]) -> JointCounts:
        """Tallies like these of other counts, of units that have names."""
        return JointCounts.of(
            list(zip(self.systems, counts, strict=True)),
            lambda sums: self.read,
            lambda: hash_blocks(names),
            by_label=self.by_label is not None,
            compares=self.compares,
            names=names,
            unit=self.unit,
        )

    def first(self, number: int) -> JointCounts:
        """The counts of the first units that have names, which are all if there are no more."""
        if self.named is None or self.names is None or len(self.names) <= number:
            return self
        place = np.where(np.arange(self.units) < number, np.arange(self.units), NONE)
        return self._again([one.regroup(place, number) for one in self.named], self.names[:number])

    def with_nothing(self, others: JointCounts) -> JointCounts:
        """Zero counts for the units of `others`, with the same systems and fields."""
        if self.named is not None:
            return self._again([_no_counts(one, others.units) for one in self.named], others.names or ())
        assert others.used is not None
        row = np.zeros((1, len(self.read) * len(self.systems)), dtype=np.int64)
        drawn = min(others.units, BLOCKS)
        return replace(
            self,
            labels=None if self.labels is None else (),
            units=others.units,
            totals=tuple(total[:0] if self.labels is not None else total * 0 for total in self.totals),
            joint=DistinctRows(row[: others.units], np.array([others.units][: others.units])),
            distinct={},
            differences={},
            used=others.used,
            sums=np.repeat(row, len(others.used), axis=0),
            by_label=None if self.by_label is None else tuple(_no_counts(one, drawn) for one in self.by_label),
            blocks=others.blocks,
            ids=others.ids,
            single=DistinctRows(row[:, :0], np.array([others.units])),
            differing=dict.fromkeys(self.differing, 0),
        )

    def _single_of(self, labels: Sequence[str] | None) -> DistinctRows | None:
        """The distinct rows of single items, with columns for all of these labels; None if they are too many."""
        width = len(self.systems) * len(self.fields)
        if self.single is None or self.labels is None or labels is None or len(labels) * width > BLOCKS:
            return None
        shape = (len(self.single.rows), len(self.systems), len(self.labels), len(self.fields))
        placed = _placed(self.single.rows.reshape(shape), self.labels, labels)
        return DistinctRows(placed.reshape(len(placed), -1), self.single.sizes)

    def __add__(self, other: JointCounts) -> JointCounts:
        """Tallies of two stretches of text, the first one on the left."""
        assert (self.systems, self.fields) == (other.systems, other.fields), "only like tallies can be added"
        assert self.read == other.read, "scores read other fields in other shards"
        if self.named is not None and other.named is not None:
            known: dict[str, int] = {}
            places = [as_codes(names or (), known) for names in (self.names, other.names)]
            both = [
                [one.regroup(place, len(known)) for one, place in zip(pair, places, strict=True)]
                for pair in zip(self.named, other.named, strict=True)
            ]
            return self._again([join_counts(pair, same_units=True) for pair in both], [*known])
        everyone, units = tuple(range(len(self.systems))), self.units + other.units
        compares = self.compares and other.compares
        pairs = list(combinations(everyone, 2)) if compares else []
        joint = _add_few(self.joint, other.joint)
        distinct, differences = {}, {}
        if joint is None:
            for some in [*((index,) for index in everyone), *pairs]:
                distinct[some] = _add_few(self.rows(*some), other.rows(*some))
            for a, b in pairs:
                (mine, number), (its, its_number) = self.swaps(a, b), other.swaps(a, b)
                differences[a, b] = (_add_few(mine, its), number + its_number)
        assert self.used is not None and self.sums is not None and other.used is not None and other.sums is not None
        used, sums = _sum_by_key(np.concatenate([self.used, other.used]), np.concatenate([self.sums, other.sums]))
        labels = None if self.labels is None else tuple(sorted({*self.labels, *(other.labels or ())}))
        by_label = blocks = ids = None
        if self.by_label is not None and other.by_label is not None:
            if units <= BLOCKS:
                assert self.blocks is not None and other.blocks is not None
                blocks = np.concatenate([self.blocks, other.blocks])
                ids = None if self.ids is None or other.ids is None else np.concatenate([self.ids, other.ids])
                by_label = tuple(map(join_counts, zip(self.by_label, other.by_label, strict=True)))
            else:
                sides = (_in_blocks(one.by_label or (), one.blocks) for one in (self, other))
                tables = [join_counts(tables, same_units=True) for tables in zip(*sides, strict=True)]
                by_label = tuple(map(compact, tables))
        return replace(
            self,
            labels=labels,
            units=units,
            totals=tuple(
                _placed(mine, self.labels, labels) + _placed(its, other.labels, labels)
                for mine, its in zip(self.totals, other.totals, strict=True)
            ),
            joint=joint,
            distinct=distinct,
            differences=differences,
            used=used,
            sums=sums,
            by_label=by_label,
            blocks=blocks,
            ids=ids,
            single=_add_few(self._single_of(labels), other._single_of(labels)),
            differing={pair: number + other.differing[pair] for pair, number in self.differing.items()},
            compares=compares,
        )


def hash_ids(ids: Iterable[Any]) -> Ints:
    """A number for each id that depends on it alone."""
    digests = (hashlib.blake2b(str(one).encode("utf-8", "replace"), digest_size=7).digest() for one in ids)
    return np.fromiter((int.from_bytes(digest, "little") for digest in digests), dtype=np.int64)


def hash_blocks(names: Iterable[str]) -> Ints:
    """A block for each unit, by the CRC-32 of its name, computed for all names at once, byte by byte."""
    texts = [*names]
    data = np.frombuffer("\0".join(texts).encode("utf-8", "replace"), dtype=np.uint8)
    ends = np.append(np.flatnonzero(data == 0), len(data))
    if len(ends) != len(texts):
        # There is none, or a name contains the separator.
        hashes = (zlib.crc32(name.encode("utf-8", "replace")) for name in texts)
        return np.fromiter(hashes, dtype=np.int64) % BLOCKS
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, 0xEDB88320 ^ (table >> 1), table >> 1).astype(np.uint32)
    begins = np.concatenate([[0], ends[:-1] + 1])
    rest, crc = np.arange(len(texts)), np.full(len(texts), 0xFFFFFFFF, dtype=np.uint32)
    for place in range(int((ends - begins).max())):
        rest = rest[begins[rest] + place < ends[rest]]
        crc[rest] = table[(crc[rest] ^ data[begins[rest] + place]) & 0xFF] ^ (crc[rest] >> np.uint32(8))
    return (crc ^ 0xFFFFFFFF).astype(np.int64) % BLOCKS


def _in_blocks(counts: Sequence[Counts], place: Ints | None) -> Sequence[Counts]:
    """Counts of blocks, from counts of units and the block of each; they are returned if they are of blocks."""
    return counts if place is None else [one.regroup(place, BLOCKS) for one in counts]


def _few(rows: DistinctRows) -> DistinctRows | None:
    """The rows; None if they are too many."""
    return rows if len(rows.rows) <= BLOCKS else None


def _add_few(first: DistinctRows | None, second: DistinctRows | None) -> DistinctRows | None:
    """The rows of both; None if they are too many."""
    return None if first is None or second is None else _few(first + second)


def _count_differing(a: Counts, b: Counts) -> int:
    """Number of units in which two systems' counts by label differ."""
    both = compact(join_counts([a, replace(b, values=-b.values)], same_units=True))
    return len(np.unique(both.unit[both.values.any(axis=1)]))


def _swaps(differences: Ints, sizes: Ints | None = None) -> tuple[DistinctRows | None, int]:
    """The distinct differences of two systems (None if they are too many), and how many units differ.

    A row is one unit, or as many as `sizes` says.
    """
    there = differences.any(axis=1)
    rows = DistinctRows.of(differences[there], None if sizes is None else sizes[there])
    return _few(rows), int(rows.sizes.sum())


def _placed(totals: Array, labels: Sequence[str] | None, united: Sequence[str] | None) -> Array:
    """Totals by label at the places of these labels among all."""
    if labels is None or united is None or tuple(labels) == tuple(united):
        return totals
    place = {label: number for number, label in enumerate(united)}
    placed = np.zeros((*totals.shape[:-2], len(united), totals.shape[-1]), dtype=totals.dtype)
    placed[..., [place[label] for label in labels], :] = totals
    return placed


def _sum_by_key(keys: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The distinct keys in order, and the sum of the rows of each."""
    room = int(keys.max(initial=0)) + 1
    if room <= max(BLOCKS, len(keys)) and np.abs(rows).max(initial=0) * float(len(rows)) < 1 << 53:
        used = np.flatnonzero(np.bincount(keys, minlength=room))
        return used, _sum_by_group(keys, rows, room)[used]
    # Small numbers are sorted by their digits, in linear time.
    order = np.argsort(keys.astype(np.uint16) if keys.max(initial=0) < 1 << 16 else keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    return keys[order[starts]], np.add.reduceat(rows[order], starts, axis=0) if len(keys) else rows


def compact(counts: Counts) -> Counts:
    """Counts with one row for each unit and label, summed up."""
    width = max(1, len(counts.labels or ()))
    keys: Ints = counts.unit.astype(np.int64) * width + (0 if counts.label is None else counts.label)
    if (np.diff(keys) > 0).all():
        return counts
    keys, values = _sum_by_key(keys, counts.values)
    label = None if counts.label is None else (keys % width).astype(np.int32)
    return replace(counts, unit=keys // width, label=label, values=values)


def _no_counts(counts: Counts, units: int) -> Counts:
    """Zero counts for `units` units, with the same fields and labels."""
    return counts.regroup(np.full(counts.units, NONE), units)


def _common_labels(counts: Sequence[Counts], labels: Sequence[str] | None = None) -> list[Counts]:
    """The counts recoded to one set of labels: those given, else those that occur, in alphabetical order."""
    if labels is None:
        tables = [(table.labels or (), table.label) for table in counts if table.label is not None]
        # np.unique would load numpy.ma, which takes longer than many a test set.
        pairs = [(names, np.flatnonzero(np.bincount(label))) for names, label in tables]
        labels = sorted({names[code] for names, codes in pairs for code in codes})
    codes = {label: index for index, label in enumerate(labels)}
    recoded = []
    for table in counts:
        assert table.labels is not None and table.label is not None
        recoded.append(replace(table, labels=tuple(codes), label=as_codes(table.labels, dict(codes))[table.label]))
    return recoded
