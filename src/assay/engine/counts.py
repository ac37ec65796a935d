"""Counts: named numbers that add up over units, the only thing scores and statistics ever look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, as_codes, distinct_rows
from assay.engine.items import CREDITS, Items

DENSE = 1 << 25
"""The most numbers that a table of all labels and fields may hold before it is kept as a sparse one."""
Sums = Mapping[str, Floats]
"""Field name → summed counts, of any shape: scores are computed on all of them at once."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Rows of numbers, each in a unit and, where a measure counts by label, under a label.

    Per-label rows exist only where a label occurs, so that many labels cost what they hold and no more.
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

    def of_label(self, index: int) -> Counts:
        """The counts of one label alone."""
        assert self.label is not None
        mask = self.label == index
        return Counts(self.fields, self.units, self.unit[mask], self.values[mask])

    def wide(self, most: int = DENSE) -> Any:
        """Units × (labels · fields), as a sparse matrix where it would hold more than so many numbers otherwise."""
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

    def regrouped(self, group_of_unit: Ints, groups: int) -> Counts:
        """The same counts in larger units; units of group -1 are left out."""
        group = group_of_unit[self.unit]
        kept = group >= 0
        if kept.all():
            return replace(self, units=groups, unit=group)
        label = None if self.label is None else self.label[kept]
        return replace(self, units=groups, unit=group[kept], values=self.values[kept], label=label)

    def sums(self) -> dict[str, Floats]:
        """The totals by field name, ready for a score."""
        return as_sums(self.total(), self.fields)


def as_sums(totals: Array, fields: Sequence[str]) -> dict[str, Floats]:
    """An array whose last axis runs over fields, as arrays by field name."""
    return {field: np.asarray(totals[..., index], dtype=np.float64) for index, field in enumerate(fields)}


def _summed(group: Ints, values: Ints, groups: int) -> Ints:
    # bincount adds in float64, exact for whole numbers below 2^53.
    return np.bincount(group, weights=values, minlength=groups).astype(np.int64)


def merged(parts: Sequence[Counts]) -> Counts:
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
    def of(cls, matrices: Sequence[Ints]) -> Collapsed:
        """The joint rows of several systems' matrices over the same units."""
        rows, _, sizes = distinct_rows(np.concatenate(matrices, axis=1))
        return cls(rows, sizes)

    def __add__(self, other: Collapsed) -> Collapsed:
        rows, group, _ = distinct_rows(np.concatenate([self.rows, other.rows]))
        sizes = np.bincount(group, weights=np.concatenate([self.sizes, other.sizes]), minlength=len(rows))
        return Collapsed(rows, sizes.astype(np.int64))


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
    """Per sentence and label: items right, gold items with the label, system items with the label."""
    masks = {
        "right": (items.gold, items.right[0]),
        "gold": (items.gold, items.has_gold),
        "system": (items.answer[0], items.has_system[0]),
    }
    if items.found is not None:
        masks["found"] = (items.answer[0], items.found[0])
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
    occurring, place = np.unique(np.concatenate(keys), return_inverse=True)
    places = np.split(place, np.cumsum([len(key) for key in keys])[:-1])
    columns = [np.bincount(own, minlength=len(occurring)) for own in places]
    unit, label = occurring // width, (occurring % width).astype(np.int32)
    return Counts(fields, sentences, unit, np.stack(columns, axis=1).astype(np.int64), labels, label)


def bracketed(items: Items, sentences: int) -> Counts:
    """Per sentence: rows of each kind, gold items and system items, and what is counted beside them."""
    masks = [*(items.kind[0] == kind for kind in range(len(items.kinds))), items.has_gold, items.has_system[0]]
    columns = [*(_count(items.sentence, mask, sentences) for mask in masks), *items.sums.values()]
    fields = (*items.kinds, "gold", "system", *items.sums)
    return Counts(fields, sentences, np.arange(sentences), np.stack(columns, axis=1).astype(np.int64))


def _count(sentence: Ints, mask: Bools, sentences: int) -> Ints:
    return np.bincount(sentence[mask], minlength=sentences)
