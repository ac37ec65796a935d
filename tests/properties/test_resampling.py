"""Resampling in bulk has the distribution of resampling one unit at a time; p-values and intervals hold good."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import assay
from assay.stats import resample
from assay.stats.resample import bootstrap_sums, bootstrap_weights, shuffle_weights
from assay.stats.significance import all_shuffles

SIZES = {
    "rare rows": [1, 1, 2, 3, 5, 7, 11],
    "rows of one unit": [1] * 40,
    "rows of many units": [12, 13, 30, 100],
    "rare and frequent rows": [1, 12, 3, 40, 11, 1, 200, 2],
    "one row": [17],
    "one unit": [1],
}
"""Rows of few units are drawn unit by unit, larger ones as a whole; both kinds are here, alone and together."""
TIMES = 20_000
SIGMAS = 5
"""How far a mean or a variance of so many draws may lie from what it should be."""

Sample = NDArray[np.float64]


def drawn(function: object, sizes: list[int], times: int = TIMES, seed: int = 0) -> Sample:
    assert callable(function)
    return np.concatenate(list(function(np.array(sizes), times, np.random.default_rng(seed))))


def bulk_weights(sizes: NDArray[np.int64], times: int, rng: np.random.Generator) -> Iterator[Sample]:
    """How often each row is drawn: the sums over rows that each count themselves."""
    yield bootstrap_sums(np.eye(len(sizes), dtype=np.int64), sizes, times, rng)


def one_by_one(sizes: list[int], times: int, seed: int) -> Sample:
    """The bootstrap as in the textbook: draw units with replacement, then count how many of each row came up."""
    rng = np.random.default_rng(seed)
    row_of_unit = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.empty((times, len(sizes)))
    for replicate in range(times):
        units = rng.integers(0, len(row_of_unit), size=len(row_of_unit))
        weights[replicate] = np.bincount(row_of_unit[units], minlength=len(sizes))
    return weights


def coin_by_coin(sizes: list[int], times: int, seed: int) -> Sample:
    """Shuffling as in the textbook: a coin for every unit."""
    rng = np.random.default_rng(seed)
    row_of_unit = np.repeat(np.arange(len(sizes)), sizes)
    weights = np.empty((times, len(sizes)))
    for replicate in range(times):
        coins = rng.random(len(row_of_unit)) < 0.5
        weights[replicate] = np.bincount(row_of_unit[coins], minlength=len(sizes))
    return weights


def check_moments(weights: Sample, mean: Sample, covariance: Sample) -> None:
    """Means, variances and covariances within the error of so many draws."""
    times = len(weights)
    variance = np.diag(covariance)
    assert np.all(np.abs(weights.mean(axis=0) - mean) <= SIGMAS * np.sqrt(variance / times))
    centred = weights - mean
    products = centred[:, :, None] * centred[:, None, :]
    error = products.std(axis=0) / np.sqrt(times)
    assert np.all(np.abs(products.mean(axis=0) - covariance) <= SIGMAS * error + 1e-12)


def check_distribution(ours: Sample, theirs: Sample) -> None:
    """Kolmogorov and Smirnov on a score-like quotient of weighted sums and on each row's weight.

    The critical value is that of p = 0.001; with ties it is, if anything, wider than that.
    """
    rng = np.random.default_rng(9)
    right, total = rng.random(ours.shape[1]), rng.random(ours.shape[1]) + 1
    critical = stats.kstwobign.isf(0.001) * math.sqrt(1 / len(ours) + 1 / len(theirs))
    statistic = stats.ks_2samp((ours @ right) / (ours @ total + 1), (theirs @ right) / (theirs @ total + 1)).statistic
    assert statistic < critical
    for row in range(min(ours.shape[1], 8)):
        assert stats.ks_2samp(ours[:, row], theirs[:, row]).statistic < critical


# --- bootstrap ---


@pytest.mark.parametrize("sizes", SIZES.values(), ids=list(SIZES))
def test_each_resample_draws_as_many_units_as_there_are(sizes: list[int]) -> None:
    """Weights are whole, not negative, and sum to the number of units."""
    weights = drawn(bulk_weights, sizes, 1000)
    assert weights.shape == (1000, len(sizes))
    assert np.array_equal(weights, np.floor(weights))
    assert weights.min() >= 0
    assert set(weights.sum(axis=1)) == {sum(sizes)}


@pytest.mark.parametrize("sizes", SIZES.values(), ids=list(SIZES))
def test_bootstrap_weights_have_multinomial_moments(sizes: list[int]) -> None:
    """Each row comes up as often as it has units on average, with the covariances of a multinomial."""
    n, shares = sum(sizes), np.array(sizes) / sum(sizes)
    check_moments(drawn(bulk_weights, sizes), n * shares, n * (np.diag(shares) - np.outer(shares, shares)))


@pytest.mark.parametrize("sizes", SIZES.values(), ids=list(SIZES))
def test_bootstrap_weights_agree_with_drawing_units_one_by_one(sizes: list[int]) -> None:
    """In the distribution of each weight and of a score made of them."""
    check_distribution(drawn(bulk_weights, sizes), one_by_one(sizes, 8000, seed=1))


def test_one_group_and_its_units_apart_have_the_same_distribution() -> None:
    """Thirty units as one row, or as thirty rows of one unit: collapsing changes nothing."""
    rows = np.array([0.0] * 30 + [1.0] * 10)
    apart = drawn(bulk_weights, [1] * 40) @ rows
    together = drawn(bulk_weights, [30, 10], seed=1) @ np.array([0.0, 1.0])
    critical = stats.kstwobign.isf(0.001) * math.sqrt(2 / TIMES)
    assert stats.ks_2samp(apart, together).statistic < critical
    exact = stats.binom(40, 0.25)
    assert np.mean(together <= 10) == pytest.approx(exact.cdf(10), abs=SIGMAS * 0.5 / math.sqrt(TIMES))


@pytest.mark.parametrize("sizes", SIZES.values(), ids=list(SIZES))
@pytest.mark.parametrize("most", [3, 10**6, 10**10])
def test_fields_are_summed_over_the_same_draws(sizes: list[int], most: int) -> None:
    """A field that is the sum of two others is so in every resample, whatever the size of the numbers."""
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, most, size=(2, len(sizes)))
    rows = np.stack([x, y, x + y, np.ones_like(x), y, np.zeros_like(x)], axis=1)
    sums = bootstrap_sums(rows, np.array(sizes), 500, np.random.default_rng(0))
    assert sums.shape == (500, 6)
    assert np.array_equal(sums[:, 2], sums[:, 0] + sums[:, 1])
    assert np.array_equal(sums[:, 4], sums[:, 1])
    assert set(sums[:, 3]) == {sum(sizes)}
    assert set(sums[:, 5]) == {0}


@pytest.mark.parametrize("units", [1, 7, 40])
def test_weights_of_units_one_by_one_have_multinomial_moments(units: int) -> None:
    """Where each unit is wanted by itself, each comes up once on average and all together as often as they are."""
    weights = np.concatenate(list(bootstrap_weights(units, TIMES, np.random.default_rng(0))))
    assert set(weights.sum(axis=1)) == {units}
    check_moments(weights, np.ones(units), np.eye(units) - 1 / units)


# --- shuffling ---


@pytest.mark.parametrize("sizes", SIZES.values(), ids=list(SIZES))
def test_shuffle_weights_have_binomial_moments(sizes: list[int]) -> None:
    """Half of each row's units change sides on average, and rows do so independently of each other."""
    weights = drawn(shuffle_weights, sizes)
    assert weights.shape == (TIMES, len(sizes))
    assert np.array_equal(weights, np.floor(weights))
    assert np.all((weights >= 0) & (weights <= np.array(sizes)))
    check_moments(weights, np.array(sizes) / 2, np.diag(np.array(sizes) / 4))


@pytest.mark.parametrize("sizes", SIZES.values(), ids=list(SIZES))
def test_shuffle_weights_agree_with_tossing_a_coin_for_each_unit(sizes: list[int]) -> None:
    """In the distribution of each weight and of a score made of them."""
    check_distribution(drawn(shuffle_weights, sizes), coin_by_coin(sizes, 8000, seed=1))


@given(sizes=st.lists(st.integers(1, 4), min_size=0, max_size=5))
def test_all_shuffles_are_all_of_them_with_their_probabilities(sizes: list[int]) -> None:
    """Each outcome is there once with the product of its binomial probabilities; these sum to 1."""
    found = all_shuffles(np.array(sizes, dtype=np.int64))
    assert found is not None
    weights, probabilities = found
    ours = dict(zip(map(tuple, weights.tolist()), probabilities.tolist(), strict=True))
    expected = {
        outcome: prod(comb(size, k) / 2**size for size, k in zip(sizes, outcome, strict=True))
        for outcome in product(*(range(size + 1) for size in sizes))
    }
    assert len(weights) == len(expected)
    assert ours == pytest.approx(expected, rel=1e-14)
    assert math.fsum(probabilities.tolist()) == pytest.approx(1, abs=1e-15)


def test_shuffles_are_enumerated_only_where_there_are_few() -> None:
    """Up to the number asked for, inclusive; one more is too many."""
    sizes = np.array([1, 2, 4])
    assert all_shuffles(sizes, most=30) is not None
    assert all_shuffles(sizes, most=29) is None
    assert all_shuffles(np.ones(19, dtype=np.int64)) is not None
    assert all_shuffles(np.ones(20, dtype=np.int64)) is None


def test_shuffles_of_one_large_row_are_enumerated_quickly() -> None:
    """Thousands of units that differ alike are common (one system only adds errors); that must not take seconds."""
    found = all_shuffles(np.array([100_000]))
    assert found is not None
    assert np.array_equal(found[0][:, 0], np.arange(100_001))
    assert found[1] == pytest.approx(stats.binom.pmf(np.arange(100_001), 100_000, 0.5), rel=1e-7, abs=1e-300)


@pytest.mark.parametrize("function", [bulk_weights, shuffle_weights])
def test_weights_come_in_chunks_that_make_up_all_times(function: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few are held at once, as many as asked for come, and they differ from each other."""
    assert callable(function)
    monkeypatch.setattr(resample, "CHUNK_NUMBERS", 64)
    monkeypatch.setattr(resample, "NEAR_NUMBERS", 64)
    sizes = np.array(SIZES["rare and frequent rows"])
    chunks = list(function(sizes, 101, np.random.default_rng(0)))
    assert sum(len(chunk) for chunk in chunks) == 101
    assert len(np.unique(np.concatenate(chunks), axis=0)) > 95


# --- does it hold good? ---


@pytest.mark.slow
def test_p_values_are_uniform_where_two_taggers_are_exchangeable() -> None:
    """In 600 data sets about 5 % have p ≤ .05, 10 % p ≤ .1, and half p ≤ .5.

    Ties count as extreme, so shares may fall a little short of the level, but by no more than the probability
    of a single tie, and never exceed it beyond chance.
    """
    sets, sentences = 600, 150
    rng = np.random.default_rng(11)
    shuffled, spread = [], []
    for _ in range(sets):
        lengths = rng.integers(3, 20, size=sentences)
        easiness = rng.beta(8, 2, size=sentences)
        gold = [["A"] * length for length in lengths]
        systems = {
            name: [
                np.where(rng.random(n) < ease, "A", "B").tolist() for n, ease in zip(lengths, easiness, strict=True)
            ]
            for name in ("one", "two")
        }
        result = assay.compare(gold, systems, ["accuracy"], times=999)
        (row,) = [row for row in result.comparisons if row.test == "shuffling"]
        assert not row.exact
        shuffled.append(row.p)
        (diff,) = result.diffs
        spread.append(math.sqrt(diff.corrections + diff.new_errors))
    # The difference in right words steps by 1, two by two where its variance is large: how much one step weighs.
    step = 1 / float(np.mean(spread))
    for level in (0.05, 0.1, 0.5):
        hits = int(np.sum(np.array(shuffled) <= level))
        tie = 2 * step * stats.norm.pdf(stats.norm.isf(level / 2))
        assert stats.binom.ppf(1e-3, sets, level - tie) <= hits <= stats.binom.ppf(1 - 1e-3, sets, level), level


@pytest.mark.slow
@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_intervals_cover_the_true_accuracy(interval: str) -> None:
    """95 % intervals over 200 sentences of unequal length and difficulty: at least .92, at most .98 of 600."""
    sets, sentences = 600, 200
    rng = np.random.default_rng(12)
    covered = 0
    for _ in range(sets):
        lengths = rng.integers(1, 30, size=sentences)
        easiness = rng.beta(6, 2, size=sentences)
        gold = [["A"] * length for length in lengths]
        system = [np.where(rng.random(n) < e, "A", "B").tolist() for n, e in zip(lengths, easiness, strict=True)]
        row = assay.score(gold, {"s": system}, ["accuracy"], times=1000, interval=interval).score("s", "accuracy")
        covered += row.low <= 6 / 8 <= row.high
    assert 0.92 <= covered / sets <= 0.98
