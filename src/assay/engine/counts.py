"""Counts: named numbers that add up over units, the only thing scores and statistics ever look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, as_codes, distinct_rows
from assay.engine.judgements import CREDITS, Judgements

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
            raise TypeError("Counts hold whole numbers; scale fractions (judgements.ONE).")

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


# --- from judgements to counts, per sentence ---


def tally(judgements: Judgements, sentences: int) -> Counts:
    """Per sentence: items right, items gold has, items the system has, and items both have."""
    has_gold, has_system = judgements.has_gold, judgements.has_system
    masks = {
        "right": judgements.right,
        "gold": has_gold,
        "system": has_system,
        "aligned": has_gold & (judgements.system != NONE),
    }
    if judgements.found is not None:
        masks["found"] = judgements.found
    columns = [_count(judgements.sentence, mask, sentences) for mask in masks.values()]
    return Counts(tuple(masks), sentences, np.arange(sentences), np.stack(columns, axis=1))


def whole_sentences(judgements: Judgements, sentences: int) -> Counts:
    """Per sentence that has gold items: is every item right, and no item spurious?"""
    has_gold = _count(judgements.sentence, judgements.has_gold, sentences) > 0
    spurious = (judgements.gold == NONE) & judgements.has_system
    wrong = ~judgements.right & (judgements.has_gold | spurious)
    clean = _count(judgements.sentence, wrong, sentences) == 0
    values = np.stack([clean & has_gold, has_gold], axis=1).astype(np.int64)
    return Counts(("right", "sentences"), sentences, np.arange(sentences), values)


def graded(judgements: Judgements, sentences: int) -> Counts:
    """Per sentence: gold items, tags assigned and expected, and the credits of both sides."""
    assert judgements.credits is not None
    columns = [_count(judgements.sentence, judgements.has_gold, sentences)]
    credits_ = judgements.credits
    if judgements.counted is not None:
        # Tags that the system assigns count on its side, all else on gold's.
        assigned = np.array([name.startswith("assigned") for name in CREDITS])
        credits_ = credits_ * np.where(assigned, judgements.has_system[:, None], judgements.has_gold[:, None])
    columns += [_summed(judgements.sentence, column, sentences) for column in credits_.T]
    return Counts(("items", *CREDITS), sentences, np.arange(sentences), np.stack(columns, axis=1))


def by_label(judgements: Judgements, sentences: int) -> Counts:
    """Per sentence and label: items right, gold items with the label, system items with the label."""
    width = len(judgements.labels)
    masks = {
        "right": (judgements.gold, judgements.right),
        "gold": (judgements.gold, judgements.has_gold),
        "system": (judgements.system, judgements.has_system),
    }
    if judgements.found is not None:
        masks["found"] = (judgements.system, judgements.found)
    keys = [judgements.sentence[mask].astype(np.int64) * width + codes[mask] for codes, mask in masks.values()]
    occurring = np.unique(np.concatenate(keys))
    columns = [np.bincount(np.searchsorted(occurring, key), minlength=len(occurring)) for key in keys]
    return Counts(
        tuple(masks),
        sentences,
        occurring // max(width, 1),
        np.stack(columns, axis=1).astype(np.int64),
        judgements.labels,
        (occurring % max(width, 1)).astype(np.int32),
    )


def matched(judgements: Judgements, sentences: int) -> Counts:
    """Per sentence and label: rows of each kind and with each mark, gold items and system items."""
    matches = judgements.matches
    assert matches is not None
    width = max(len(judgements.labels), 1)

    def keys(labels: Ints, mask: Bools) -> Ints:
        return judgements.sentence[mask].astype(np.int64) * width + labels[mask]

    everything = np.ones(len(judgements), dtype=bool)
    rows = keys(matches.label, everything)
    sides = [keys(judgements.gold, matches.new_gold), keys(judgements.system, matches.new_system)]
    occurring, place = np.unique(np.concatenate([rows, *sides]), return_inverse=True)
    row, gold, system = np.split(place, np.cumsum([len(rows), len(sides[0])]))
    selections = [row[matches.kind == kind] for kind in range(len(matches.kinds))]
    selections += [*(row[mark] for mark in matches.marks.values()), gold, system]
    columns = [np.bincount(selection, minlength=len(occurring)) for selection in selections]
    return Counts(
        (*matches.kinds, *matches.marks, "gold", "system"),
        sentences,
        occurring // width,
        np.stack(columns, axis=1).astype(np.int64),
        judgements.labels,
        (occurring % width).astype(np.int32),
    )


def bracketed(judgements: Judgements, sentences: int) -> Counts:
    """Per sentence: rows of each kind, gold items and system items, and what is counted beside them."""
    matches = judgements.matches
    assert matches is not None
    columns = [_count(judgements.sentence, matches.kind == kind, sentences) for kind in range(len(matches.kinds))]
    columns += [_count(judgements.sentence, mask, sentences) for mask in (matches.new_gold, matches.new_system)]
    columns += [np.asarray(numbers) for numbers in judgements.sums.values()]
    fields = (*matches.kinds, "gold", "system", *judgements.sums)
    return Counts(fields, sentences, np.arange(sentences), np.stack(columns, axis=1).astype(np.int64))


def _count(sentence: Ints, mask: Bools, sentences: int) -> Ints:
    return np.bincount(sentence[mask], minlength=sentences)
