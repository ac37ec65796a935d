"""Sums of packed columns are those of a product with the weights."""

from __future__ import annotations

import numpy as np
import pytest

from assay.stats.resample import PackedColumns, bootstrap_weights

COLUMNS = np.random.default_rng(1)


def weigh(columns, times, seed):
    """Sums in whole numbers of Python, which are exact."""
    units = len(columns[0])
    weights = np.concatenate([*bootstrap_weights(units, times, np.random.default_rng(seed), len(columns))])
    exact = np.array([[int(number) for number in column] for column in columns], dtype=object)
    return weights.astype(object) @ exact.T


@pytest.mark.parametrize("units", [2, 7, 300, 1024])
def test_whole_numbers_are_exact(units):
    highest = [0, 0, 1, 1, 2, 3, 40, 1 << 20, 1 << 30, (1 << 53) // units - 1, 5]
    columns = [COLUMNS.integers(0, high, size=units, endpoint=True).astype(np.float64) for high in highest]
    columns[2] = np.ones(units)
    columns[-1] = columns[-1].astype(np.float32)
    packed = PackedColumns(columns)
    assert len(packed.words) < len(columns)
    sums = packed.unpack(packed.draw(50, np.random.default_rng(3)))
    assert sums.tolist() == weigh(columns, 50, 3).astype(np.float64).tolist()


def test_other_numbers_are_not_packed():
    whole = COLUMNS.integers(0, 9, size=(6, 200)).astype(np.float64)
    others = [COLUMNS.random(200), -whole[0], whole[1] * 2.0**60, whole[2] + 0.5]
    columns = [others[0], *whole[:3], *others[1:], *whole[3:]]
    packed = PackedColumns(columns)
    assert len(packed.words) == len(others) + 2
    sums = packed.unpack(packed.draw(20, np.random.default_rng(3)))
    weights = np.concatenate([*bootstrap_weights(200, 20, np.random.default_rng(3), len(columns))])
    np.testing.assert_allclose(sums, weights.astype(np.float64) @ np.array(columns).T, rtol=1e-12)
    assert sums[:, 1:4].tolist() == (weights @ whole[:3].T).tolist()
