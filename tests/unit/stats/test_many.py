"""Tests of several systems or runs are those of scipy.stats, without loading it."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from assay.stats.many import MOST_EXACT, rank_tests, signed_rank_p
from assay.stats.runs import exchange_runs


@pytest.mark.parametrize("systems", [2, 3, 10, 60])
@pytest.mark.parametrize("digits", [1, 6])
def test_ranks_over_data_sets_are_tested_as_scipy_does(systems, digits):
    scores = np.random.default_rng(systems).normal(np.arange(systems) / 5, 1, (9, systems)).round(digits)
    found = rank_tests(scores)
    ranks = stats.rankdata(-scores, axis=1)
    assert found.ranks == pytest.approx(ranks.mean(axis=0))
    if systems > 2:
        friedman = stats.friedmanchisquare(*scores.T)
        assert (found.chi_square, found.p) == pytest.approx((friedman.statistic, friedman.pvalue))
    assert found.f_p == pytest.approx(stats.f.sf(found.f, systems - 1, 8 * (systems - 1)))
    error = math.sqrt(systems * (systems + 1) / 54)
    quantile = stats.studentized_range.isf(0.05, systems, math.inf) / math.sqrt(2)
    assert found.critical_difference == pytest.approx(quantile * error)
    for (a, b), p in [*found.nemenyi.items()][:40]:
        difference = abs(found.ranks[a] - found.ranks[b]) / error * math.sqrt(2)
        assert p == pytest.approx(stats.studentized_range.sf(difference, systems, math.inf), abs=1e-12)


def test_with_the_same_ranks_nothing_differs_and_tiny_p_keep_their_digits():
    assert set(rank_tests(np.ones((4, 3))).nemenyi.values()) == {1.0}
    found = rank_tests(np.tile([0.0, 1.0], (300, 1)))
    assert found.nemenyi[0, 1] == pytest.approx(2 * stats.norm.sf(math.sqrt(300)), rel=1e-9)


@pytest.mark.parametrize("digits", [0, 1, 8])
def test_the_signed_rank_test_of_many_data_sets_is_that_of_pratt(digits):
    differences = np.random.default_rng(3).normal(0.3, 1, 2 * MOST_EXACT).round(digits)
    expected = stats.wilcoxon(differences, zero_method="pratt", method="asymptotic").pvalue
    assert signed_rank_p(differences) == pytest.approx(expected, rel=1e-12)


def test_many_runs_are_compared_by_welchs_test():
    rng = np.random.default_rng(4)
    a, b = rng.normal(0, 1, 30), rng.normal(0.5, 2, 25)
    assert exchange_runs(a, b) == (pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue, rel=1e-12), "t")
    assert exchange_runs(np.ones(30), np.ones(25)) == (1.0, "t")


def test_scipy_stats_is_not_loaded():
    code = """if True:
        import sys
        import numpy as np
        from assay.stats.many import rank_tests
        from assay.stats.runs import exchange_runs
        rank_tests(np.arange(90.0).reshape(30, 3) % 7)
        exchange_runs(np.arange(30.0), np.arange(25.0))
        assert "scipy.stats" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)
