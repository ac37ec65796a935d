"""Many data sets by their means: the Bayesian signed-rank test."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

from assay.stats.bayes import signed_rank
from unit.stats.runs import REFERENCE, accuracies

KNOWN = REFERENCE["exact_cases"]["signed_rank_on_data_set_means"]


@pytest.mark.parametrize("pair", ["nbc_aode", "nbc_j48", "aode_j48"])
def test_decision_shares_meet_the_reference(pair: str, shared_data: Callable[[str], Path]) -> None:
    blocks = accuracies(shared_data("statistics-accuracies"))
    x, y = pair.split("_")
    found = signed_rank((blocks[y] - blocks[x]).mean(axis=1), 1.0)
    decision, region = found.decision, found.region
    for shares in KNOWN[pair]:
        assert decision == pytest.approx(shares, abs=KNOWN["tolerance"])
    assert sum(decision) == pytest.approx(1)
    assert sum(region) == pytest.approx(1)


def test_mean_shares_are_those_of_expected_weights() -> None:
    """E[w_i w_j] of a Dirichlet, summed over the pairs of each region."""
    means = np.array([-0.4, 0.1, 0.3, 0.9])
    weight, values = np.append(np.ones(4), 0.5), np.append(means, 0.0)
    expected = np.zeros(3)
    for i, j in combinations_with_replacement(range(5), 2):
        product = weight[i] * (weight[j] + (i == j)) * (1 if i == j else 2) / (4.5 * 5.5)
        average = (values[i] + values[j]) / 2
        expected[0 if average < -0.12 else 1 if average < 0.12 else 2] += product
    assert signed_rank(means, 0.12).region == pytest.approx(tuple(expected), abs=1e-12)


def test_an_average_on_an_edge_counts_half_to_each_side() -> None:
    """One data set on the edge: of w², 2·w·w0 and w0², the first is halved and the others lie within."""
    region = signed_rank(np.array([0.3]), 0.3).region
    squared = 1 * 2 / (1.5 * 2.5)
    assert region == pytest.approx((0, 1 - squared / 2, squared / 2), abs=1e-12)


def test_without_a_rope_there_are_two_regions() -> None:
    found = signed_rank(np.array([-1.0, 0.0, 1.0]), 0.0)
    decision = found.decision
    assert decision[1] == 0
    assert found.region[1] == pytest.approx(0, abs=1e-12)
    assert decision[0] == pytest.approx(0.5, abs=0.01)


def test_draws_depend_on_the_seed_alone() -> None:
    means = np.array([-0.4, 0.1, 0.3, 0.9])
    first, second, other = (signed_rank(means, 0.1, seed=seed) for seed in (1, 1, 2))
    assert first.decision == second.decision != other.decision
    assert first.region == second.region == other.region
