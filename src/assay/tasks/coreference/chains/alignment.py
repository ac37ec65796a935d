"""The one-to-one alignment of chains with the greatest total weight, for CEAF."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.arrays import Floats, Ints
from assay.engine.matching import max_weight_matching, max_weight_matching_sparse
from assay.tasks.coreference.chains.tables import run_starts

SMALL = 1 << 8
"""So many cells are solved here; for more of them a solver is loaded."""
SCALE = 1 << 50
"""What 1 is where weights are whole numbers."""
DENSE = 1 << 14
"""The largest full matrix that is given to a solver; larger ones are solved as sparse ones."""


def best_alignment(row: Ints, column: Ints, weight: Floats) -> Ints:
    """Cells with the greatest total weight, no two in a row or column.

    There can be several such choices, so only their total means anything.
    """
    left = np.arange(len(weight))
    chosen = []
    while len(left):
        sure = left[_sure(row[left], column[left], weight[left])]
        before = len(left)
        left = left[~(np.isin(row[left], row[sure]) | np.isin(column[left], column[sure]))]
        chosen.append(sure)
        # Rounds that decide little cost more than solving what is left.
        if before - len(left) < before / 8:
            break
    for part in _components(row[left], column[left]):
        cells = left[part]
        chosen.append(cells[_solved(row[cells], column[cells], weight[cells])])
    return np.concatenate([*chosen, left[:0]])


def _sure(row: Ints, column: Ints, weight: Floats) -> Ints:
    """Cells that are in a best choice whatever else is: they weigh as much as the two that they could stand in for.

    Most chains have one clear counterpart, so this decides nearly all of them without a solver.
    """
    cells = np.flatnonzero(weight >= _rival(row, weight) + _rival(column, weight))
    for line in (row, column):
        cells = cells[np.unique(line[cells], return_index=True)[1]]
    return cells


def _rival(line: Ints, weight: Floats) -> Floats:
    """The greatest weight among the other cells of each cell's line; 0 where it is alone."""
    order = np.lexsort((-weight, line))
    first = run_starts(line[order])
    falling = weight[order]
    follower = np.where(np.append(first[1:], True), 0.0, np.append(falling[1:], 0.0))
    rival = np.empty(len(weight))
    rival[order] = np.where(first, follower, falling[first][np.cumsum(first) - 1])
    return rival


def _components(row: Ints, column: Ints) -> Iterator[Ints]:
    """The cells in groups that have no row and no column in common."""
    if not len(row):
        return
    # Each cell takes the lowest number that one of its row or column has, until no number changes.
    group = np.arange(len(row))
    lines = [np.unique(line, return_inverse=True)[1] for line in (row, column)]
    while True:
        before = group
        for line in lines:
            lowest = np.full(int(line.max()) + 1, len(row))
            np.minimum.at(lowest, line, group)
            group = lowest[line]
            # A number is that of a cell, which may have got a lower one since.
            group = group[group]
        if np.array_equal(group, before):
            break
    order = np.argsort(group, kind="stable")
    yield from np.split(order, np.flatnonzero(run_starts(group[order]))[1:])


def _solved(row: Ints, column: Ints, weight: Floats) -> Ints:
    """The best choice among the cells of one component."""
    if len(row) <= SMALL:
        return _solved_here(row, column, weight)
    rows, row = np.unique(row, return_inverse=True)
    columns, column = np.unique(column, return_inverse=True)
    solve = _solved_dense if len(rows) * len(columns) <= DENSE else max_weight_matching_sparse
    partner = solve(row, column, weight, (len(rows), len(columns)))
    return np.flatnonzero(partner[row] == column)


def _solved_here(row: Ints, column: Ints, weight: Floats) -> Ints:
    """The best choice without a solver that would have to be loaded first."""
    cells: dict[int, dict[int, int]] = {}
    scaled = [round(value * SCALE) for value in weight.tolist()]
    for one, other, value in zip(row.tolist(), column.tolist(), scaled, strict=True):
        cells.setdefault(one, {})[other] = value
    partner = dict(zip(cells, max_weight_matching(list(cells.values())), strict=True))
    pairs = zip(row.tolist(), column.tolist(), strict=True)
    return np.flatnonzero([partner[one] == other for one, other in pairs])


def _solved_dense(row: Ints, column: Ints, weight: Floats, shape: tuple[int, int]) -> Ints:
    """The column of each row, from a full matrix."""
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros(shape)
    matrix[row, column] = weight
    partner = np.full(shape[0], -1)
    rows, columns = linear_sum_assignment(matrix, maximize=True)
    partner[rows] = columns
    return partner
