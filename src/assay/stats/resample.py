"""Resampling: every resample of a corpus is `weights @ rows`; a row has the counts of a unit.

Units with equal rows are one row with a size. Drawing the number of units of each row has the same distribution as
drawing units one by one, at a fraction of the cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints

CHUNK_NUMBERS = 1 << 19
"""The number of values of each kind in memory at once: 4 MB, which fits into the processor's cache."""
NEAR_NUMBERS = 1 << 16
"""The number of values in memory at once if each is used only once, so that they stay in the processor's cache."""

_FEW_ROWS = 16
"""Up to this number of rows, for example of a rare label, a multinomial draw is cheapest."""
_FEW = 256
"""With fewer units, replicates are counted together, because a call for each would cost too much."""
# A Poisson draw for a row costs about 50 ns, drawing a unit by itself about 4 ns for each packed number of fields.
_ROW_NS, _UNIT_NS = 50.0, 4.0
_WORTH_A_ROW = 12
_TOSSED = 256
"""Rows with up to this number of units are drawn by tossing a coin for each unit, larger ones by binomial draws."""
_COSTLY_NS = 12_000.0
"""The cost of a replicate above which a product with weights of units is cheaper."""
_EXACT_BITS = 53
"""Whole numbers with up to this number of bits are exact in float64."""
MOST_UNITS = 4096
"""The largest number of units for which weights are drawn one by one."""


def bootstrap_sums(rows: Ints, sizes: Ints, times: int, rng: np.random.Generator) -> Floats:
    """Sums over units that are drawn with replacement: replicates × fields.

    The numbers of rows are multinomial and drawn in two parts: independent Poisson numbers are multinomial given
    their sum, and the sum of two multinomials over the same shares is multinomial. So most draws are Poisson numbers
    per row, at a rate that leaves their sum just short of the number of units, and the missing draws are made unit by
    unit. Rows of few units share one Poisson number, whose units are drawn one by one.

    If most rows differ, weights of units are drawn instead.
    """
    if len(rows) == 1:
        # All units are equal.
        return np.tile(sizes @ rows, (times, 1)).astype(np.float64)
    units = int(sizes.sum())
    if units <= MOST_UNITS and is_costly(rows, sizes):
        fields, field_of = np.unique(np.repeat(rows, sizes, axis=0), axis=1, return_inverse=True)
        single = int(fields.max(initial=0)) * units < 1 << 24
        by_unit: NDArray[Any] = fields.astype(np.float32 if single else np.float64)
        parts = [weights.astype(np.float32) @ by_unit for weights in bootstrap_weights(units, times, rng)]
        return np.concatenate(parts).astype(np.float64)[:, field_of.ravel()]
    if len(rows) <= _FEW_ROWS:
        numbers = rng.multinomial(units, sizes / units, size=times)
        return np.asarray(numbers @ rows.astype(np.float64))
    # Fields are often equal, such as the words of gold in the rows of two systems.
    rows, field_of = np.unique(rows, axis=1, return_inverse=True)
    large, rare = np.flatnonzero(sizes >= _WORTH_A_ROW), np.flatnonzero(sizes < _WORTH_A_ROW)
    everything, few = _Singles(rows, sizes, units), _Singles(rows[rare], sizes[rare], units)
    short = 3 * units**0.5
    rates = max(0.0, 1 - short / units) * np.append(sizes[large], few.units)
    table = rows[large].astype(np.float64)
    sums = np.empty((times, rows.shape[1]))
    done = 0
    for replicates in _chunks(times, max(len(rates), int(few.units + short) + 1), NEAR_NUMBERS):
        numbers = rng.poisson(rates, size=(replicates, len(rates)))
        missing = units - numbers.sum(axis=1)
        while (over := np.flatnonzero(missing < 0)).size:
            numbers[over] = rng.poisson(rates, size=(len(over), len(rates)))
            missing[over] = units - numbers[over].sum(axis=1)
        part = sums[done : done + replicates]
        done += replicates
        part[:] = numbers[:, :-1] @ table
        few.add_draws(part, numbers[:, -1], rng)
        everything.add_draws(part, missing, rng)
    return sums[:, field_of.ravel()]


def is_costly(rows: Ints, sizes: Ints) -> bool:
    """True if drawing rows costs more than a product with weights of units."""
    units = int(sizes.sum())
    if len(rows) <= _FEW_ROWS and units > MOST_UNITS:
        return False
    bits = sum((int(high) * units + 1).bit_length() for high in rows.max(axis=0, initial=0))
    rare = sizes < _WORTH_A_ROW
    looked_up = float(sizes[rare].sum()) + 3 * units**0.5
    cost = _ROW_NS * float((~rare).sum()) + _UNIT_NS * (1 + bits // 62) * looked_up
    return bool(cost > _COSTLY_NS)


class _Singles:
    """Units that are drawn one by one; fields are packed into one number if they fit, so that a draw is a look-up."""

    def __init__(self, rows: Ints, sizes: Ints, most_draws: int) -> None:
        self.words: list[tuple[Ints, list[tuple[int, int, int]]]] = []
        """A packed number per unit, and (field, stride, base) of the fields in it."""
        self.units = int(sizes.sum())
        room = 0
        for field in range(rows.shape[1]):
            base = int(rows[:, field].max(initial=0)) * most_draws + 1
            if not self.words or room * base >= 1 << 62:
                self.words.append((np.zeros(len(rows), dtype=np.int64), []))
                room = 1
            packed, fields = self.words[-1]
            packed += rows[:, field].astype(np.int64) * room
            fields.append((field, room, base))
            room *= base
        self.words = [(np.repeat(packed, sizes), fields) for packed, fields in self.words]

    def add_draws(self, sums: Floats, numbers: Ints, rng: np.random.Generator) -> None:
        """Add the sums of `numbers` draws to each replicate."""
        total = int(numbers.sum())
        if not total:
            return
        kind = np.uint16 if self.units < 1 << 16 else np.uint32
        picked = rng.integers(0, self.units, size=total, dtype=kind)
        nonempty = np.flatnonzero(numbers)
        begins = np.cumsum(numbers[nonempty]) - numbers[nonempty]
        for packed, fields in self.words:
            added = np.add.reduceat(packed.take(picked, mode="clip"), begins)
            for field, stride, base in fields:
                sums[nonempty, field] += added // stride % base


class PackedColumns:
    """Columns of numbers per unit, whose sums are drawn together.

    Several columns of whole numbers of 0 or more are packed into one word per unit, which is multiplied with the
    weights once. The sums of words are below 2^53, so they are exact.
    """

    def __init__(self, columns: Sequence[NDArray[np.floating[Any]]]) -> None:
        """`columns` have a number for each unit."""
        number, units = len(columns), len(columns[0])
        # The largest sum is that of a unit that is drawn each time.
        highest = np.array([float(column.max()) * units for column in columns])
        whole = np.array([bool((column >= 0).all() and (np.rint(column) == column).all()) for column in columns])
        whole &= highest < 2.0**_EXACT_BITS
        bits = [int(high).bit_length() for high in np.where(whole, highest, 0.0).tolist()]
        self.shift, self.mask = np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
        self.word = np.zeros(number, dtype=np.int64)
        words: list[Floats] = []
        room = 0
        for column in sorted(np.flatnonzero(whole).tolist(), key=lambda place: bits[place]):
            if not words or bits[column] > room:
                words.append(np.zeros(units))
                room = _EXACT_BITS
            self.word[column], self.shift[column] = len(words) - 1, _EXACT_BITS - room
            self.mask[column] = (1 << bits[column]) - 1
            words[-1] += columns[column].astype(np.float64) * 2.0 ** (_EXACT_BITS - room)
            room -= bits[column]
        self.whole, self.packed = whole, len(words)
        others = np.flatnonzero(~whole)
        self.word[others] = len(words) + np.arange(len(others))
        self.words = np.array([*words, *(columns[other] for other in others.tolist())], dtype=np.float64)

    def draw(self, times: int, rng: np.random.Generator) -> Floats:
        """Packed sums over units that are drawn with replacement: replicates × words."""
        drawn = bootstrap_weights(self.words.shape[1], times, rng, len(self.word))
        return np.concatenate([weights.astype(np.float64) @ self.words.T for weights in drawn])

    def unpack(self, sums: Floats) -> Floats:
        """The sums of all columns: replicates × columns."""
        unpacked = sums[:, self.word]
        words, whole = sums[:, : self.packed].astype(np.int64), self.whole
        unpacked[:, whole] = words[:, self.word[whole]] >> self.shift[whole] & self.mask[whole]
        return unpacked


def bootstrap_weights(
    units: int, times: int, rng: np.random.Generator, width: int = 0, sizes: Ints | None = None
) -> Iterator[NDArray[np.integer[Any]]]:
    """The number of times that each unit is drawn, for tables that are too wide for sums: replicates × units.
    With `sizes`, each stands for as many equal units, and the number drawn of them is given.

    Chunks fit the results, which have `width` numbers per replicate. A byte for each number is enough: with more than
    255 units, none is drawn 256 times, because the probability is below 10^-500.
    """
    for replicates in _chunks(times, max(units, width), CHUNK_NUMBERS):
        if sizes is not None and sizes.max(initial=0) > 1:
            yield rng.multinomial(int(sizes.sum()), sizes / sizes.sum(), size=replicates)
            continue
        if units <= 1 << 16 and units.bit_count() == 1:
            # This is the number of blocks of a large corpus.
            picked: NDArray[Any] = _random16(replicates, units, rng) & np.uint16(units - 1)
        else:
            kind = np.uint16 if units < 1 << 16 else np.uint32
            picked = rng.integers(0, units, size=(replicates, units), dtype=kind)
        if units < _FEW:
            places = picked + (np.arange(replicates) * units)[:, None]
            counted = np.bincount(places.ravel(), minlength=replicates * units).reshape(replicates, units)
            yield counted.astype(np.uint8)
        else:
            weights = np.empty((replicates, units), dtype=np.uint8)
            for row, here in zip(picked, weights, strict=True):
                here[:] = np.bincount(row, minlength=units)
            yield weights


def shuffle_weights(sizes: Ints, times: int, rng: np.random.Generator, width: int = 0) -> Iterator[Floats]:
    """The number of units of each row that change sides, each with probability one half: replicates × rows.

    Chunks fit the results, which have `width` numbers per replicate.
    """
    few, many = np.flatnonzero(sizes <= _TOSSED), np.flatnonzero(sizes > _TOSSED)
    place = np.argsort(np.concatenate([few, many]))
    # Heads are bits that are set, 16 of them in a random number.
    coins = sizes[few]
    numbers = -(-coins // 16)
    first = np.cumsum(numbers) - numbers
    before = 16 * (np.arange(int(numbers.sum())) - np.repeat(first, numbers))
    masks = ((1 << np.minimum(np.repeat(coins, numbers) - before, 16)) - 1).astype(np.uint16)
    for replicates in _chunks(times, max(len(sizes), width), CHUNK_NUMBERS):
        heads: NDArray[Any] = np.bitwise_count(_random16(replicates, len(masks), rng) & masks)
        weights = (heads if len(masks) == len(coins) else heads[:, first]).astype(np.float64)
        # Most rows have one number; reduceat takes ten times as long.
        for further in range(1, int(numbers.max(initial=0))):
            longer = np.flatnonzero(numbers > further)
            weights[:, longer] += heads[:, first[longer] + further]
        if many.size:
            large = rng.binomial(sizes[many], 0.5, size=(replicates, len(many)))
            weights = np.concatenate([weights, large], axis=1)[:, place]
        yield weights


def _random16(rows: int, columns: int, rng: np.random.Generator) -> NDArray[np.uint16]:
    """Random numbers of 16 bits, four times as fast as single draws."""
    words = rng.integers(0, (1 << 64) - 1, size=-(-rows * columns // 4), dtype=np.uint64, endpoint=True)
    return words.astype("<u8", copy=False).view("<u2")[: rows * columns].reshape(rows, columns)


def _chunks(times: int, width: int, numbers: int) -> Iterator[int]:
    step = max(1, min(times, numbers // max(width, 1)))
    for done in range(0, times, step):
        yield min(step, times - done)
