"""Tails of the shuffling distribution of scores that are no functions of sums."""

from __future__ import annotations

import math

import numpy as np

from assay.stats.tails import swap_tail
from assay.stats.values import Pearson


def test_the_tail_of_a_score_that_is_no_sum_is_that_of_all_swaps():
    rng = np.random.default_rng(8)
    first, second, gold = rng.normal(size=(3, 14))
    first, second = ((side - side.mean()) / side.std() for side in (gold + 2 * first, gold + 0.4 * second))

    def difference(moved):
        sides = np.where(moved > 0, second, first), np.where(moved > 0, first, second)
        a, b = (np.array([np.corrcoef(row, gold)[0, 1] for row in side]) for side in sides)
        return b - a

    every = (np.arange(1 << 14)[:, None] >> np.arange(14) & 1).astype(float)
    values = difference(every)
    bound = values[0] - 1e-12
    exact = np.mean(np.abs(values) >= bound)
    shares = Pearson().influence({"gold": gold, "system": second}) + bound / 14
    shares -= Pearson().influence({"gold": gold, "system": first})
    log, error = swap_tail(difference, shares, bound, np.random.default_rng(1), 10_000)
    assert 1e-4 < exact < 0.02
    assert abs(math.exp(log) / exact - 1) < 4 * error < 0.4
    assert swap_tail(difference, -shares, bound, np.random.default_rng(1), 10_000) is None
