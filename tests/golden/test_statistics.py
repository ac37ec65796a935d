"""Tests, intervals and corrections against exact values and scipy."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from assay.arrays import distinct_rows
from assay.stats.intervals import bca, percentile, wilson
from assay.stats.resample import bootstrap_sums
from assay.stats.significance import clopper_pearson, holm, mcnemar, shuffling_test
from cases import each

SMALL = Path(__file__).parents[1] / "data" / "small_counts.csv"
ACCELERATION = -0.0467291


@pytest.fixture(scope="module")
def small() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """tp, fp and fn of A and of B in 16 units."""
    with SMALL.open(encoding="utf-8") as file:
        rows = [[int(row[f"{side}_{field}"]) for side in "ab" for field in ("tp", "fp", "fn")]
                for row in csv.DictReader(file)]  # fmt: skip
    table = np.array(rows, dtype=np.int64)
    return table[:, :3], table[:, 3:]


def f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return 2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1] + sums[..., 2])


def difference(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(f1(a) - f1(b))


# --- shuffling ---


def test_the_shuffling_test_enumerates_few_units(small: tuple[NDArray[np.int64], NDArray[np.int64]]) -> None:
    """3,232 of the 65,536 ways to swap 16 units are as extreme; 13 units in 10 groups differ at all."""
    a, b = small
    differing = (a - b)[(a != b).any(axis=1)]
    swaps, _, sizes = distinct_rows(differing)
    assert len(swaps) == 10
    outcome = shuffling_test(
        a.sum(axis=0).astype(float),
        b.sum(axis=0).astype(float),
        swaps.astype(float),
        sizes,
        difference,
        lambda _: np.random.default_rng(0),
        100,
    )
    assert outcome.exact
    assert outcome.units == 13
    assert outcome.p == outcome.low == outcome.high == 3232 / 65536 == 0.04931640625


def test_a_sampled_shuffling_test_comes_near_the_enumerated_one(
    small: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> None:
    """Beside 30 units that cancel each other out there is too much to enumerate; p has its interval then."""
    a, b = small
    # Units in which both systems have exactly the same effect on F1's sums, whichever way they are swapped:
    # none has any field that differs except one that the score does not look at.
    extra = np.zeros((30, 4), dtype=float)
    extra[:, 3] = np.arange(1, 31)
    swaps = np.concatenate([np.pad((a - b)[(a != b).any(axis=1)].astype(float), ((0, 0), (0, 1))), extra])
    totals = [np.append(side.sum(axis=0).astype(float), 0.0) for side in (a, b)]
    outcome = shuffling_test(
        *totals, swaps, np.ones(len(swaps), dtype=np.int64), difference, lambda _: np.random.default_rng(1), 20_000
    )
    assert not outcome.exact
    assert outcome.units == 43
    hits = round(outcome.p * 20_001) - 1
    assert outcome.p == (hits + 1) / 20_001
    assert (outcome.low, outcome.high) == clopper_pearson(hits, 20_000)
    assert outcome.low < 0.04931640625 < outcome.high


def test_units_that_do_not_differ_have_p_1() -> None:
    """No swap changes anything."""
    same = np.array([3.0, 1.0, 2.0])
    nothing = np.zeros((0, 3))
    outcome = shuffling_test(
        same, same, nothing, np.zeros(0, dtype=np.int64), difference, lambda _: np.random.default_rng(0), 9
    )
    assert (outcome.p, outcome.low, outcome.high, outcome.units) == (1, 1, 1, 0)


# --- intervals by resampling ---


@pytest.fixture(scope="module")
def resampled(
    small: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> tuple[float, NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The observed difference, 200,000 resampled ones, the jackknife values and the size of each row."""
    rows, _, sizes = distinct_rows(np.concatenate(small, axis=1))
    table = rows.astype(float)
    sums = bootstrap_sums(rows, sizes, 200_000, np.random.default_rng(0))
    total = sizes @ table
    left = total - table
    observed = float(difference(total[:3], total[3:]))
    return observed, difference(sums[:, :3], sums[:, 3:]), difference(left[:, :3], left[:, 3:]), sizes


def test_percentile_interval_of_a_difference(resampled: tuple[float, NDArray, NDArray, NDArray]) -> None:
    """F1 .676 against .875; [-.411, -.0254] within the error of 200,000 resamples, standard error .099."""
    observed, values, _, _ = resampled
    assert observed == pytest.approx(-0.198943661971831, abs=1e-15)
    assert percentile(values) == pytest.approx((-0.411, -0.0254), abs=0.004)
    assert np.std(values) == pytest.approx(0.099, abs=0.001)


def test_bca_interval_of_a_difference(resampled: tuple[float, NDArray, NDArray, NDArray]) -> None:
    """[-.4453, -.0434], and the textbook formula with the acceleration -.0467291 on the same resamples."""
    observed, values, left_out, sizes = resampled
    interval = bca(observed, values, left_out, sizes)
    assert interval == pytest.approx((-0.4453, -0.0434), abs=0.004)
    below = (np.mean(values < observed) + np.mean(values <= observed)) / 2
    z0 = stats.norm.ppf(below)
    assert z0 == pytest.approx(-0.039, abs=0.01)
    z = stats.norm.ppf([0.025, 0.975])
    ends = stats.norm.cdf(z0 + (z0 + z) / (1 - ACCELERATION * (z0 + z)))
    assert interval == pytest.approx(tuple(np.quantile(values, ends)), abs=1e-5)


def test_bca_weighs_each_row_by_the_number_of_its_units() -> None:
    """Rows given once with their size and rows given one by one have the same interval."""
    rng = np.random.default_rng(3)
    values, sizes = rng.normal(size=2000), np.array([1, 5, 9])
    left_out = np.array([-0.3, 0.1, 0.02])
    repeated = np.repeat(left_out, sizes)
    one_by_one = bca(0.1, values, repeated, np.ones(15, dtype=np.int64))
    assert bca(0.1, values, left_out, sizes) == pytest.approx(one_by_one, rel=1e-12)
    assert one_by_one != pytest.approx(bca(0.1, values, left_out, np.ones(3, dtype=np.int64)), rel=1e-3)


def test_bca_does_not_exist_for_values_that_do_not_vary() -> None:
    """Nor where the observed value lies beside all resampled ones; the caller then falls back."""
    ones, jackknife, sizes = np.ones(50), np.array([0.5, 0.6]), np.array([1, 1])
    assert bca(1.0, np.ones(50), np.ones(2), sizes) is None
    assert bca(2.0, ones, jackknife, sizes) is None
    assert bca(0.0, ones, jackknife, sizes) is None


def test_percentile_interval_of_known_values() -> None:
    """The middle 95 % of 0 … 1000 are 25 … 975; undefined values are left out, and alone are undefined."""
    values = np.arange(1001.0)
    assert percentile(values) == pytest.approx((25, 975), rel=1e-14)
    assert percentile(np.append(values, [np.nan, np.nan])) == percentile(values)
    assert all(math.isnan(end) for end in percentile(np.full(5, np.nan)))


# --- McNemar ---


@pytest.mark.parametrize(
    ("only_a", "only_b", "exact", "mid"),
    [
        (10, 2, 0.03857421875, 0.0224609375),
        (5, 5, 1.0, 1.0),
        (0, 0, 1.0, 1.0),
        (0, 6, 0.03125, 0.015625),
        (1, 0, 1.0, 0.5),
        (59, 26, 0.0004471991792769285, 0.0003169992822776407),
        (121, 59, 4.4344492637551645e-06, 3.2666467957745733e-06),
    ],
)
def test_mcnemar_exact_and_mid_p(only_a: int, only_b: int, exact: float, mid: float) -> None:
    """The binomial test on the items that only one system has right, whichever of the two it is."""
    assert mcnemar(only_a, only_b) == pytest.approx((exact, mid), rel=1e-11)
    assert mcnemar(only_b, only_a) == mcnemar(only_a, only_b)


@pytest.mark.parametrize(("only_a", "only_b"), [(3, 4), (100, 130), (640, 2625), (4000, 4100), (0, 2000)])
def test_mcnemar_equals_scipys_binomial_test(only_a: int, only_b: int) -> None:
    """Also where 2^-n is too small for a float."""
    n, fewer = only_a + only_b, min(only_a, only_b)
    exact = stats.binomtest(fewer, n).pvalue
    assert mcnemar(only_a, only_b) == pytest.approx(
        (exact, 2 * stats.binom.cdf(fewer, n, 0.5) - stats.binom.pmf(fewer, n, 0.5)), rel=1e-8, abs=0
    )


# --- corrections ---

FIVE = [0.01, 0.02, 0.03, 0.04, 0.5]
FIFTEEN = [
    .0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .324, .4262, .5719, .6528, .759, 1.0
]  # fmt: skip


def test_adjusted_p_values_of_five_tests() -> None:
    """In any order; an undefined p stays undefined and does not count as a test."""
    adjusted = [0.05, 0.08, 0.09, 0.09, 0.5]
    assert holm(FIVE) == pytest.approx(adjusted, rel=1e-14)
    assert holm(FIVE[::-1]) == pytest.approx(adjusted[::-1], rel=1e-14)
    nan = float("nan")
    assert holm([nan, *FIVE[:2], nan, *FIVE[2:]]) == pytest.approx(
        [nan, *adjusted[:2], nan, *adjusted[2:]], rel=1e-14, nan_ok=True
    )
    assert holm([]) == []


def test_adjusted_p_values_of_fifteen_tests() -> None:
    """The example of Benjamini and Hochberg 1995."""
    assert holm(FIFTEEN) == pytest.approx(
        [.0015, .0056, .0247, .114, .2211, .278, .278, .278, .3213, 1, 1, 1, 1, 1, 1], rel=1e-12)  # fmt: skip


# --- intervals of proportions ---

PROPORTIONS = [
    (0, 10),
    (10, 10),
    (1, 10),
    (9, 10),
    (5, 10),
    (0, 1),
    (1, 1),
    (37, 977),
    (493, 10_000),
    (9_999, 10_000),
]


@pytest.mark.parametrize("level", [0.95, 0.99])
@each("hits, times", PROPORTIONS)
def test_clopper_pearson_equals_scipys(hits: int, times: int, level: float) -> None:
    """The exact interval of a probability."""
    theirs = stats.binomtest(hits, times).proportion_ci(level, method="exact")
    assert clopper_pearson(hits, times, level) == pytest.approx((theirs.low, theirs.high), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("level", [0.95, 0.99])
@each("right, total", [*PROPORTIONS, (46_125, 48_959)])
def test_wilson_equals_scipys(right: int, total: int, level: float) -> None:
    """Wilson's score interval."""
    theirs = stats.binomtest(right, total).proportion_ci(level, method="wilson")
    low, high = wilson(right, total, level)
    assert (low, high) == pytest.approx((theirs.low, theirs.high), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("total", [1, 9, 10, 11, 12, 21, 22, 977])
def test_wilson_ends_do_not_leave_0_to_1(total: int) -> None:
    """Not by rounding either, where nothing or everything is right."""
    (low, inner), (outer, high) = wilson(0, total), wilson(total, total)
    assert 0 <= low < 1e-15
    assert 1 - 1e-15 < high <= 1
    assert inner == pytest.approx(1 - outer, rel=1e-12)


def test_wilson_of_nothing_is_undefined() -> None:
    """0 of 0 is no proportion."""
    assert all(math.isnan(end) for end in wilson(0, 0))
