"""Yields: the sets of words that nodes stand over, in rows that can be sorted, merged and found again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.arrays import Array, Bools, Ints, Stretches

_GAP = np.uint64(1 << 63)
_MARKS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True, eq=False)
class Yields:
    """Sets of words, each within its sentence; those with gaps are kept as the stretches they consist of."""

    sentence: Ints
    first: Ints
    last: Ints
    size: Ints
    key: Ints
    """What identifies a yield within its sentence.

    Without gaps that is its first word and its size. With gaps it is a sum modulo 2⁶³ over the ends of its stretches,
    each word boundary having a fixed number. Only yields with gaps that share sentence, first word and size are ever
    told apart by it, and two different ones agree with a chance of at most 2⁻⁶²: a million corpora with a million
    such pairs each would see a collision with a chance of one in four million.
    """
    stretch_row: Ints
    """For the yields with gaps, row by row: the yield …"""
    stretch_begin: Ints
    """… the first word of one of its stretches …"""
    stretch_end: Ints
    """… and the word behind it."""

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def gapped(self) -> Bools:
        """Which yields have gaps."""
        found: Bools = self.size <= self.last - self.first
        return found

    def stretches(self, row: int) -> Stretches:
        """The stretches of words of one yield."""
        begin, end = np.searchsorted(self.stretch_row, [row, row + 1])
        if begin == end:
            return ((int(self.first[row]), int(self.last[row]) + 1),)
        return tuple(zip(self.stretch_begin[begin:end].tolist(), self.stretch_end[begin:end].tolist(), strict=True))

    def take(self, rows: Ints) -> Yields:
        """Some of the rows, none of them twice, in the order asked for."""
        place = np.full(len(self) if len(self.stretch_row) else 0, -1, dtype=np.int64)
        if len(place):
            place[rows] = np.arange(len(rows))
        target = place[self.stretch_row]
        order = np.argsort(target, kind="stable")[np.count_nonzero(target < 0) :]
        return Yields(
            self.sentence[rows],
            self.first[rows],
            self.last[rows],
            self.size[rows],
            self.key[rows],
            target[order],
            self.stretch_begin[order],
            self.stretch_end[order],
        )


def intervals(sentence: Ints, begin: Ints, end: Ints) -> Yields:
    """Yields without gaps, from their first words and the words behind them."""
    none = np.zeros(0, dtype=np.int64)
    size = end - begin
    key = (begin.astype(np.uint64) << np.uint64(32)) | size.astype(np.uint64)
    return Yields(sentence, begin, end - 1, size, key, none, none, none)


def with_gaps(outer: Yields, row: Ints, begin: Ints, end: Ints) -> Yields:
    """The same yields, where those that have stretches consist of these alone; stretches come in order."""
    apart = np.flatnonzero((row[1:] != row[:-1]) | (begin[1:] != end[:-1]))  # those that touch are one
    opening, closing = np.append(0, apart + 1), np.append(apart, len(row) - 1)
    row, begin, end = row[opening], begin[opening], end[closing]
    size, key = outer.size.copy(), outer.key.copy()
    size[row] = 0
    np.add.at(size, row, end - begin)
    sums = np.zeros(len(outer), dtype=np.uint64)
    np.add.at(sums, row, _boundaries(end) - _boundaries(begin))
    gapped = size < outer.size
    key[gapped] = sums[gapped] | _GAP
    kept = gapped[row]
    return Yields(outer.sentence, outer.first, outer.last, size, key, row[kept], begin[kept], end[kept])


def with_stretches(outer: Yields, stretches: Mapping[int, Stretches]) -> Yields:
    """The same yields, where some rows consist of the stretches given for them."""
    if not stretches:
        return outer
    rows = [(row, begin, end) for row in sorted(stretches) for begin, end in sorted(stretches[row])]
    row, begin, end = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return with_gaps(outer, row, begin, end)


def join(parts: Sequence[Yields]) -> Yields:
    """The rows of several after one another."""
    shifts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    rows = [part.stretch_row + shift for part, shift in zip(parts, shifts, strict=True)]
    return Yields(
        np.concatenate([part.sentence for part in parts]),
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.last for part in parts]),
        np.concatenate([part.size for part in parts]),
        np.concatenate([part.key for part in parts]),
        np.concatenate(rows),
        np.concatenate([part.stretch_begin for part in parts]),
        np.concatenate([part.stretch_end for part in parts]),
    )


def distinct(words: Ints, yields: Yields) -> tuple[Yields, Ints]:
    """Each yield once, by sentence and from the first and largest on, and the number of each row among them."""
    numbers, firsts = numbered(_places(words, yields))
    return yields.take(firsts), numbers


def numbered(codes: Ints) -> tuple[Ints, Ints]:
    """The rank of each code among the distinct ones, and a row of each; quick where codes come in sorted runs."""
    order = np.argsort(codes, kind="stable")
    sorted_codes = codes[order]
    new = np.ones(len(codes), dtype=bool)
    np.not_equal(sorted_codes[1:], sorted_codes[:-1], out=new[1:])
    numbers = np.empty(len(codes), dtype=np.int64)
    numbers[order] = np.cumsum(new) - 1
    return numbers, order[new]


def _places(words: Ints, yields: Yields) -> Ints:
    """A number for each yield, equal for equal ones, that rises with sentence, first word and falling size."""
    starts = np.cumsum(words) - words
    longest = int(words.max(initial=0))
    places: Ints = (starts[yields.sentence] + yields.first) * (longest + 1) + (longest - yields.size)
    gapped = np.flatnonzero(yields.gapped)
    if not len(gapped):
        return places
    shapes, shape = np.unique(yields.key[gapped], return_inverse=True)
    if int(words.sum()) * (longest + 1) * (len(shapes) + 1) >= 1 << 62:
        places = numbered(places)[0]
    places = places * (len(shapes) + 1)
    places[gapped] += shape + 1
    return places


def _boundaries(words: Ints) -> Array:
    """A fixed 64-bit number for each boundary between words, the same on every machine (SplitMix64)."""
    mixed = (words.astype(np.uint64) + np.uint64(1)) * _MARKS[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MARKS[1]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MARKS[2]
    return mixed ^ (mixed >> np.uint64(31))
