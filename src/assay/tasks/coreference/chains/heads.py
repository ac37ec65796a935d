"""Which mention of the key goes with which of the response where they need only have the same head."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from assay.arrays import Ints, numbers_of_runs
from assay.engine.matching import max_weight_matching
from assay.tasks.coreference.chains.tables import run_starts

FEW = 1 << 8
"""Among so many pairs of one head the choice is made in whole numbers; among more by a solver, in fractions."""


def with_same_heads(
    key: Ints, response: Ints, words: Ints, shared: Callable[[Ints, Ints], Ints]
) -> tuple[Ints, Ints]:
    """Pairs of mentions with the same head, each mention in one pair at most, by their indices on both sides.

    Of all such choices it is the one with the greatest sum of shares of the key's words that the partner has too. Of
    several the first in the order of the text: the first mention of the key has a partner before others have, and the
    first that it can have.

    key, response: the head of each mention, mentions in the order of the text.
    words: how many words each mention of the key has.
    shared: how many words the mentions of pairs have in common.
    """
    ours, theirs = equal_pairs(key, response)
    by_head = np.argsort(key[ours], kind="stable")
    ours, theirs = ours[by_head], theirs[by_head]
    first = np.flatnonzero(run_starts(key[ours]))
    sizes = np.diff(np.append(first, len(ours)))
    chosen = [first[sizes == 1]]
    for begin, size in zip(first[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        a, b = ours[begin : begin + size], theirs[begin : begin + size]
        # All mentions of one head can go together, so that pairs are a full table.
        table = shared(a, b).reshape(len(np.unique(a)), -1)
        rows, columns = _best(table, words[a[:: table.shape[1]]])
        chosen.append(begin + rows * table.shape[1] + columns)
    pairs = np.concatenate(chosen)
    return ours[pairs], theirs[pairs]


def _best(shared: Ints, words: Ints) -> tuple[Ints, Ints]:
    """Rows and columns of the best choice in a table of words in common; words: of each row."""
    if shared.size > FEW:
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(shared / words[:, None], maximize=True)
        return rows, columns
    unit = math.lcm(*words.tolist())
    # Sums of shares come first; ties are a number with a digit for each row, the first foremost, greater for
    # earlier columns.
    base = shared.shape[1] + 1
    place = ties = base ** len(words)
    weights = []
    for row, size in zip(shared.tolist(), words.tolist(), strict=True):
        place //= base
        weights.append(
            {
                column: number * (unit // size) * ties + (base - 1 - column) * place
                for column, number in enumerate(row)
            }
        )
    partner = np.array([-1 if column is None else column for column in max_weight_matching(weights)])
    rows = np.flatnonzero(partner >= 0)
    return rows, partner[rows]


def equal_pairs(ours: Ints, theirs: Ints) -> tuple[Ints, Ints]:
    """All pairs of equal numbers, by their places on both sides."""
    order = np.argsort(theirs, kind="stable")
    first, end = (np.searchsorted(theirs[order], ours, side=side) for side in ("left", "right"))
    sizes = end - first
    return np.repeat(np.arange(len(ours)), sizes), order[numbers_of_runs(first, sizes)]
