"""Random streams that depend on the rows drawn from: equal rows give equal draws, for any names of systems."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from assay.arrays import Ints

SHUFFLING, BOOTSTRAP, TILTED = "shuffling", "bootstrap", "tilted"
"""Purposes of a stream."""
Stream = Callable[[str], np.random.Generator]
"""Function from a purpose to its random generator."""


def rows_text(purpose: str, rows: Ints, sizes: Ints) -> str:
    """The purpose and a line `v1,v2,…;size` for each row, on which a stream depends besides the seed."""
    lines = (f"{','.join(map(str, row))};{size}" for row, size in zip(rows.tolist(), sizes.tolist(), strict=True))
    return "\n".join((purpose, *lines))


def generator(seed: int, content: str | bytes) -> np.random.Generator:
    """The random generator of a seed and a content, by the first 16 bytes of its SHA-256."""
    digest = hashlib.sha256(content.encode() if isinstance(content, str) else content).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:16], "little")])


def stream_of(seed: int, content: bytes) -> Stream:
    """The streams of a seed and a content, which is the same for all purposes."""
    return lambda purpose: generator(seed, purpose.encode() + content)


def is_less(rows: Ints, sizes: Ints, other_rows: Ints, other_sizes: Ints) -> bool:
    """True if a list of rows with sizes comes before another of the same length, in lexicographic order."""
    table, other_table = np.column_stack([rows, sizes]), np.column_stack([other_rows, other_sizes])
    places = np.flatnonzero((table != other_table).any(axis=1))
    return bool(len(places)) and table[places[0]].tolist() < other_table[places[0]].tolist()
