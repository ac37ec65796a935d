"""Weights over rows: whatever statistics does to a corpus is `weights @ rows`.

Units with equal rows are one row with a size. Drawing how many units of each row come up has the same
distribution as drawing units one by one, at a fraction of the cost.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.arrays import Floats, Ints

CHUNK_NUMBERS = 1 << 22
"""How many weights are held at once: 32 MB."""

# Drawing a multinomial costs about 100 ns for each row, drawing a unit by itself about 8 ns.
_WORTH_A_ROW = 12


def bootstrap_weights(sizes: Ints, times: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each row is drawn when as many units as there are get drawn with replacement.

    Rows of many units are drawn as a whole (multinomial). The units of rare rows form a pool of which only
    the number of draws is drawn so; which of them come up is then drawn unit by unit.
    """
    units = int(sizes.sum())
    large = np.flatnonzero(sizes >= _WORTH_A_ROW)
    rare = np.flatnonzero(sizes < _WORTH_A_ROW)
    pool = np.repeat(np.arange(len(rare)), sizes[rare])
    shares = np.append(sizes[large], len(pool)) / units
    for rows in _chunks(times, len(sizes)):
        drawn = rng.multinomial(units, shares, size=rows)
        weights = np.empty((rows, len(sizes)))
        weights[:, large] = drawn[:, :-1]
        if len(rare):
            from_pool = drawn[:, -1]
            hits = pool[rng.integers(0, len(pool), size=int(from_pool.sum()), dtype=np.int32)]
            hits += np.repeat(np.arange(rows) * len(rare), from_pool)
            weights[:, rare] = np.bincount(hits, minlength=rows * len(rare)).reshape(rows, len(rare))
        yield weights


def shuffle_weights(sizes: Ints, times: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How many units of each row change sides when every unit does so with probability one half."""
    single = np.flatnonzero(sizes == 1)
    several = np.flatnonzero(sizes > 1)
    for rows in _chunks(times, len(sizes)):
        weights = np.empty((rows, len(sizes)))
        if len(single):
            bits = np.frombuffer(rng.bytes(rows * (len(single) // 8 + 1)), dtype=np.uint8).reshape(rows, -1)
            weights[:, single] = np.unpackbits(bits, axis=1, count=len(single))
        for row in several:
            weights[:, row] = rng.binomial(int(sizes[row]), 0.5, size=rows)
        yield weights


def all_shuffles(sizes: Ints, most: int = 1_000_000) -> tuple[Floats, Floats] | None:
    """Every possible outcome of `shuffle_weights` with its probability, where there are at most `most`."""
    outcomes = 1
    for size in sizes.tolist():
        outcomes *= size + 1
        if outcomes > most:
            return None
    weights = np.zeros((1, 0))
    probabilities = np.ones(1)
    for size in sizes.tolist():
        choices = np.arange(size + 1, dtype=np.float64)
        shares = _binomial_shares(size)
        weights = np.concatenate(
            [np.repeat(weights, size + 1, axis=0), np.tile(choices, len(weights))[:, None]], axis=1
        )
        probabilities = np.repeat(probabilities, size + 1) * np.tile(shares, len(probabilities))
    return weights, probabilities


def _binomial_shares(size: int) -> Floats:
    from math import comb

    return np.array([comb(size, k) / 2**size for k in range(size + 1)])


def _chunks(times: int, width: int) -> Iterator[int]:
    step = max(1, min(times, CHUNK_NUMBERS // max(width, 1)))
    for done in range(0, times, step):
        yield min(step, times - done)
