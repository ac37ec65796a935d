"""One data set: the correlated t-test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.stats.bayes import TooFewRunsError, fit_correlated
from unit.stats.runs import PAIRS, differences

TESTED = [name for name in PAIRS if "correlated_t_single_data_set" in PAIRS[name]]


@pytest.mark.parametrize("name", TESTED)
def test_region_chances_meet_the_reference(name: str, shared_data: Callable[[str], Path]) -> None:
    rows, known = differences(name, shared_data), PAIRS[name]["correlated_t_single_data_set"]
    for number, chances in zip(known["rows"], known["p"], strict=True):
        found = fit_correlated(rows[number], 0.1).regions(PAIRS[name]["input"]["rope"])
        assert found == pytest.approx(chances, rel=1e-5, abs=1e-6)


def test_without_correlation_it_is_students_test() -> None:
    row = np.random.default_rng(1).normal(0.3, 1, 12)
    found, known = fit_correlated(row, 0.0), stats.ttest_1samp(row, 0)
    assert (found.t, found.p) == pytest.approx((known.statistic, known.pvalue))
    assert found.interval() == pytest.approx((known.confidence_interval().low, known.confidence_interval().high))


def test_the_correction_is_that_of_nadeau_and_bengio() -> None:
    """1/n + test/train in place of 1/n, for rho = test/(test + train)."""
    row = np.random.default_rng(1).normal(0.3, 1, 20)
    found = fit_correlated(row, 10 / (10 + 80))
    t = row.mean() / np.sqrt((1 / 20 + 10 / 80) * row.var(ddof=1))
    assert found.t == pytest.approx(t)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), 19))
    left, equal, right = found.regions(0.0)
    assert 2 * min(left, right) == pytest.approx(found.p)
    assert equal == pytest.approx(0, abs=1e-12)


def test_exchanging_the_systems_exchanges_the_answers() -> None:
    row = np.random.default_rng(1).normal(0.3, 1, 20)
    there, back = fit_correlated(row, 0.1), fit_correlated(-row, 0.1)
    assert there.regions(0.2) == pytest.approx(back.regions(0.2)[::-1])
    assert (there.t, there.p) == pytest.approx((-back.t, back.p))
    assert there.interval() == pytest.approx(tuple(-end for end in back.interval()[::-1]))


@pytest.mark.parametrize(
    ("value", "chances"), [(0.1, (0, 1, 0)), (0.2, (0, 1, 0)), (0.3, (0, 0, 1)), (-0.3, (1, 0, 0))]
)
def test_a_constant_difference_lies_in_its_region_for_certain(value: float, chances: tuple[int, ...]) -> None:
    found = fit_correlated(np.full(5, value), 0.1)
    assert found.regions(0.2) == chances
    assert found.interval() == pytest.approx((value, value))
    assert found.p == 0
    assert found.t == np.copysign(np.inf, value)


def test_systems_that_never_differ_have_p_1() -> None:
    found = fit_correlated(np.zeros(5), 0.1)
    assert found.regions(0.0) == (0, 1, 0)
    assert found.p == 1
    assert np.isnan(found.t)


def test_one_run_has_no_spread() -> None:
    with pytest.raises(TooFewRunsError, match="the data set has 1 runs, but a spread needs 2"):
        fit_correlated(np.array([0.1]), 0.1)


def test_a_correlation_lies_from_0_to_below_1() -> None:
    with pytest.raises(ValueError, match=r"rho is 1\.0, but it must be from 0 to below 1"):
        fit_correlated(np.array([0.1, 0.2]), 1.0)
