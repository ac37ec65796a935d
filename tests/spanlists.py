"""Spans as people write them, a label and atoms, made into lists that can be matched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

import numpy as np

from assay.arrays import NONE
from assay.corpus import Marks
from assay.engine.matching import Matches

Span = tuple[str, tuple[int, ...]]
"""A label and all atoms in order."""


def span(label: str, begin: int, end: int) -> Span:
    """A span without gaps; the end is its last atom."""
    return label, tuple(range(begin, end + 1))


def written(text: str) -> list[Span]:
    """`A1-3 B4 C5+7-8`: labels of one letter with atoms, gaps where there is a plus."""
    return [(word[0], tuple(chain.from_iterable(map(_atoms, word[1:].split("+"))))) for word in text.split()]


def _atoms(stretch: str) -> range:
    begin, _, end = stretch.partition("-")
    return range(int(begin), int(end or begin) + 1)


def span_lists(*sides: Sequence[Span]) -> list[Marks]:
    """Each list of spans as the matching takes it; labels are coded alike in all, in alphabetic order."""
    labels = sorted({label for side in sides for label, _ in side})
    return [
        Marks.on_line(
            np.array([atoms[0] for _, atoms in side], dtype=np.int32),
            np.array([atoms[-1] + 1 for _, atoms in side], dtype=np.int32),
            np.array([labels.index(label) for label, _ in side], dtype=np.int32),
            {index: stretches(atoms) for index, (_, atoms) in enumerate(side) if len(stretches(atoms)) > 1},
        )
        for side in sides
    ]


def stretches(atoms: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Atoms as stretches, each with its first atom and the one behind its last."""
    begins = [atoms[0], *(after for before, after in pairwise(atoms) if after != before + 1)]
    ends = [*(before + 1 for before, after in pairwise(atoms) if after != before + 1), atoms[-1] + 1]
    return tuple(zip(begins, ends, strict=True))


Row = tuple[int | None, int | None, str, bool, bool]


def rows(records: Matches, kinds: Sequence[str]) -> list[Row]:
    """The records as tuples: target, system span, kind, and whether they are new."""
    columns = (records.gold, records.system, records.kind, records.new_gold, records.new_system)
    return [
        (None if target == NONE else target, None if system == NONE else system, kinds[kind], *new)
        for target, system, kind, *new in zip(*(column.tolist() for column in columns), strict=True)
    ]


def kinds_of(found: Iterable[Row]) -> dict[str, int]:
    """How often there is each kind."""
    return dict(Counter(kind for _, _, kind, *_ in found))
