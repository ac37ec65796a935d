"""The one-to-one choice of pairs with the greatest total weight: of few in whole numbers of any size, or of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

import numpy as np

from assay.arrays import Floats, Ints


def heaviest(weights: Sequence[Mapping[int, int]]) -> list[int | None]:
    """The column of each row, or None: no column twice, and the greatest total weight.

    `weights[row][column]` is above 0 where the two may be paired; columns are numbered from 0. Rows enter one after
    the other, each by the cheapest chain of changes among the rows before it (the Hungarian method, sparse).
    """
    table = _Table(weights)
    for row in range(len(weights)):
        table.enter(row)
    return [column if column >= 0 else None for column in table.chosen]


def heaviest_sparse(row: Ints, column: Ints, weight: Floats, shape: tuple[int, int]) -> Ints:
    """The column of each row, from many cells; a solver is loaded.

    The solver gives every row a column and takes 0 for no cell: each row has one of its own for going without, and
    all weights are raised by 1.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    own = np.arange(shape[0])
    places = np.append(row, own), np.append(column, shape[1] + own)
    cells = csr_array((np.append(weight + 1, np.ones(shape[0])), places), shape=(shape[0], sum(shape)))
    return np.asarray(min_weight_full_bipartite_matching(cells, maximize=True)[1])


class _Table:
    """Rows with their columns, and the prices that prove the choice best: no weight is above gain plus price.

    Row i has a column of its own, ~i, which weighs nothing and stands for going without.
    """

    def __init__(self, weights: Sequence[Mapping[int, int]]) -> None:
        self.weights = [{**columns, ~row: 0} for row, columns in enumerate(weights)]
        self.chosen: list[int] = []
        self.owner: dict[int, int] = {}
        self.gain: list[int] = []
        self.price = {column: 0 for columns in self.weights for column in columns}

    def enter(self, new: int) -> None:
        """Let the next row in: along the chain each row takes the column that the one behind it gave up."""
        self.gain.append(max(weight - self.price[column] for column, weight in self.weights[new].items()))
        costs, before, column, cheapest = self._search(new)
        for row, cost in costs.items():
            self.gain[row] -= cheapest - cost
            if row != new:
                self.price[self.chosen[row]] += cheapest - cost
        self.chosen.append(column)
        while (row := before[column]) != new:
            self.owner[column], self.chosen[row], column = row, column, self.chosen[row]
        self.owner[column] = new
        self.chosen[new] = column

    def _search(self, new: int) -> tuple[dict[int, int], dict[int, int], int, int]:
        """The cheapest chain to a free column: the cost of each row met, the row before each column, end and cost."""
        costs: dict[int, int] = {new: 0}
        ways: dict[int, int] = {}
        before: dict[int, int] = {}
        heap: list[tuple[int, bool, int]] = []
        row = new
        while True:
            base = costs[row] + self.gain[row]
            for column, weight in self.weights[row].items():
                way = base + self.price[column] - weight
                if column not in ways or way < ways[column]:
                    ways[column], before[column] = way, row
                    heappush(heap, (way, column in self.owner, column))
            way, owned, column = heappop(heap)
            while way > ways[column]:
                way, owned, column = heappop(heap)
            if not owned:
                return costs, before, column, way
            row = self.owner[column]
            costs[row] = way
