"""Fair tosses: exact where they are few, accurate where they are many."""

from __future__ import annotations

import math

import pytest
from scipy.stats import binom

from assay.stats import significance
from assay.stats.significance import fair_tail, fair_tosses


def test_few_tosses_are_exact():
    assert fair_tosses(4, 4).tolist() == [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]
    assert fair_tail(10, 3) == (math.fsum(math.comb(10, k) for k in range(4)) / 1024, 120 / 1024)


@pytest.mark.parametrize(("n", "most"), [(2_500_000, 1_249_999), (4_000_000, 1_990_000), (10**10, 5 * 10**9 - 10**5)])
def test_the_tail_of_very_many_tosses_is_that_of_scipy(n, most):
    tail, last = fair_tail(n, most)
    assert tail == pytest.approx(float(binom.cdf(most, n, 0.5)), rel=1e-9)
    assert last == pytest.approx(float(binom.pmf(most, n, 0.5)), rel=1e-9)


def test_both_ways_agree_where_they_meet(monkeypatch):
    whole = fair_tail(2_000_000, 999_000)
    monkeypatch.setattr(significance, "_MANY", 1000)
    assert fair_tail(2_000_000, 999_000) == pytest.approx(whole, rel=1e-6)
