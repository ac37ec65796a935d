"""Types and functions of arrays that all rooms use: equal rows, packed keys, ratios, depths of trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Stretches = tuple[tuple[int, int], ...]
"""Stretches (first, end) of words or other atoms in order, with something between each two of them."""

# Linear algebra takes its buffer now: in the middle of the work, without memory, it would end the process. A matrix
# times its transpose takes it, however small; other products do if they are so large that they wake threads.
_small = np.zeros((2, 2))
_small @ _small.T
# Arrays of up to 16 MB take memory that others left. The C library begins with this when so much was freed for the
# first time, even unused; before, each array takes new pages, which may cost more than the computation.
np.empty(2_000_000)
NONE = -1
"""The number of what is not there: a missed item's system label, a spurious item's gold label, a root's head."""


def to_python(value: Any) -> Any:
    """A number of numpy as Python's own; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """A quotient; 0/0 is undefined, and undefined is nan, never 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(np.divide(numerator, denominator))
    np.copyto(quotient, np.nan, where=np.equal(denominator, 0))
    return quotient


def atoms_at(index: int, begin: Ints, end: Ints, stretches: Mapping[int, Stretches]) -> Stretches:
    """The stretches of one of many spans; only those with gaps are in `stretches`."""
    return stretches.get(index) or ((int(begin[index]), int(end[index])),)


def count_heads_above(heads: Ints) -> Ints:
    """The number of heads above each word, -1 being none; each round looks twice as far up."""
    above = np.append(heads, NONE)  # one place more, so that -1 leads to itself
    depth = (above >= 0).astype(np.int64)
    for _ in range(len(above).bit_length() + 1):
        if (above < 0).all():
            return depth[:-1]
        depth += depth[above]
        above = above[above]
    raise ValueError("heads go in a circle")


def chosen_stretches(stretches: Mapping[int, Stretches], chosen: Ints) -> dict[int, Stretches]:
    """The stretches of some of many spans, by their places among these."""
    places = np.flatnonzero(np.isin(chosen, list(stretches))) if stretches else chosen[:0]
    return {place: stretches[int(chosen[place])] for place in places.tolist()}


def group_by_depth(heads: Ints) -> list[Ints]:
    """Words in groups by how many heads lie above them, those without a head first."""
    depth = count_heads_above(heads)
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)


def find_extents(heads: Ints) -> tuple[Ints, Ints, Ints]:
    """For each word the first, the last and the number of the words that are at or below it."""
    first, last, size = np.arange(len(heads)), np.arange(len(heads)), np.ones(len(heads), dtype=np.int64)
    # From the deepest words up, each hands what lies below it to its head.
    for words in group_by_depth(heads)[:0:-1]:
        np.minimum.at(first, heads[words], first[words])
        np.maximum.at(last, heads[words], last[words])
        np.add.at(size, heads[words], size[words])
    return first, last, size


def ids_of_runs(starts: Ints) -> Ints:
    """The run of each position; run i goes from starts[i] to starts[i + 1]."""
    return np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))


def numbers_of_runs(firsts: Ints, sizes: Ints) -> Ints:
    """Consecutive numbers: `sizes[i]` of them from `firsts[i]` on, one run after the other."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(firsts - before, sizes) + np.arange(int(sizes.sum()))


def distinct_rows(rows: Array, *, grouped: bool = True) -> tuple[Array, Ints, Ints]:
    """The distinct rows of a matrix in lexicographic order, the group of each row, and the group sizes.

    Unless rows are to be `grouped`, which takes longer, no groups are given.

    Integer rows whose ranges allow it are packed into one number each: sorting numbers is many times
    faster than sorting rows, and the order stays lexicographic.
    """
    if rows.shape[1] and len(rows) and np.issubdtype(rows.dtype, np.integer):
        low = rows.min(axis=0).astype(np.int64)
        # In whole numbers of Python: hashes may be further apart than 64 bits can say.
        widths = [int(high) - int(least) + 1 for high, least in zip(rows.max(axis=0), low, strict=True)]
        size = 1
        for width in widths:
            size *= width
        if size < 2**62:
            strides = np.ones(len(widths), dtype=np.int64)
            for field in range(len(widths) - 2, -1, -1):
                strides[field] = strides[field + 1] * widths[field + 1]
            keys = (rows.astype(np.int64) - low) @ strides
            distinct, inverse, sizes = distinct_numbers(keys, size, grouped=grouped)
            unpacked = distinct[:, None] // strides % np.array(widths, dtype=np.int64) + low
            return unpacked.astype(rows.dtype), inverse, sizes
        distinct, inverse, sizes = distinct_numbers(pack_columns(*rows.T), 1 << 62)
        first = np.empty(len(sizes), dtype=np.int64)
        first[inverse] = np.arange(len(rows))
        return rows[first], inverse, sizes
    if rows.shape[1] == 0:
        return rows[:1], np.zeros(len(rows), dtype=np.int64), np.array([len(rows)][: len(rows)])
    distinct, inverse, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return distinct, inverse.ravel(), sizes


def pack_columns(*columns: Ints) -> Ints:
    """One number for each row of several columns of numbers: equal for equal rows, and in the order of the rows.

    If numbers would not fit into 62 bits, those so far are replaced by their ranks.
    """
    rows = len(columns[0])
    key: Ints = np.zeros(rows, dtype=np.int64)
    room = 1
    for column in columns if rows else ():
        low, high = int(column.min()), int(column.max())
        if low == high:
            continue
        if room * (high - low + 1) >= 1 << 62:
            key, column = (np.unique(numbers, return_inverse=True)[1] for numbers in (key, column))  # noqa: PLW2901
            low, high, room = 0, int(column.max()), rows
        key *= high - low + 1
        key += column.astype(np.int64, copy=False)
        key -= low
        room *= high - low + 1
    return key


def fold_codes(columns: Sequence[Ints], sizes: Ints | None = None) -> tuple[Ints, Ints, Ints]:
    """For each distinct tuple over several columns of codes the first row that has it, and how many rows do; and the
    number of each row's tuple.

    A row counts as many times as `sizes` says.
    """
    key = pack_columns(*columns)
    _, group, numbers = distinct_numbers(key, int(key.max(initial=0)) + 1)
    first = np.empty(len(numbers), dtype=np.int64)
    # The first row of each group is written last.
    first[group[::-1]] = np.arange(len(key))[::-1]
    if sizes is None or not len(sizes):
        return first, numbers, group
    return first, np.bincount(group, weights=sizes, minlength=len(first)).astype(np.int64), group


def distinct_numbers(keys: Ints, room: int, *, grouped: bool = True) -> tuple[Ints, Ints, Ints]:
    """The distinct numbers in order, the place of each number among them, and their sizes; all are below `room`.

    Unless numbers are to be `grouped`, which takes longer, no places are given.
    """
    if room > 8 * len(keys):
        if not grouped:
            ordered = np.sort(keys)
            first = np.flatnonzero(np.diff(ordered, prepend=NONE))
            return ordered[first], keys[:0], np.diff(np.append(first, len(keys)))
        return np.unique(keys, return_inverse=True, return_counts=True)
    # They lie so close that they can be counted in place of sorted.
    counts = np.bincount(keys, minlength=room)
    there = np.flatnonzero(counts)
    place = (np.cumsum(counts > 0) - 1)[keys] if grouped else keys[:0]
    return there, place, counts[there]


def sum_integers(values: Array, group: Ints, groups: int) -> Ints:
    """Sums of whole numbers by group."""
    # bincount adds in float64, exact for whole numbers below 2^53.
    return np.bincount(group, weights=values, minlength=groups).astype(np.int64)


def each_once(numbers: Ints) -> Ints:
    """The distinct numbers in order; np.unique takes ten times as long for many."""
    ordered = np.sort(numbers)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def all_but(some: Ints, count: int) -> Ints:
    """The numbers below `count` that are not among some of them; NONE may be there too."""
    others = np.ones(count, dtype=bool)
    others[some[some != NONE]] = False
    return np.flatnonzero(others)


def as_codes(strings: Iterable[str], known: dict[str, int]) -> Ints:
    """The codes of strings, new ones entered into `known` in order of appearance."""
    listed = strings if isinstance(strings, list | tuple) else list(strings)
    for string in dict.fromkeys(listed):
        known.setdefault(string, len(known))
    return np.fromiter(map(known.__getitem__, listed), dtype=np.int32, count=len(listed))
