"""p of the shuffling test below what draws can reach: the cases of the specification (cases/decisions)."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.stats import significance
from assay.stats.power import _approximate_power, _enumerate_power
from assay.stats.significance import all_shuffles, shuffling_test
from assay.stats.streams import generator, rows_text
from assay.stats.tails import TiltedShuffling, sum_tail
from cases import each

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "decisions" / "tails.jsonl").read_text("utf-8").splitlines()
]


@contextmanager
def at_most(outcomes: int) -> Iterator[None]:
    """No more outcomes are enumerated."""
    with (
        patch.object(significance, "MOST_OUTCOMES", outcomes),
        patch.object(all_shuffles, "__defaults__", (outcomes,)),
    ):
        yield


def share(fields: Any) -> Any:
    return fields[..., 0] / fields[..., 1]


def outcome_of(case: Any, *, seed: int = 0, times: int = 10_000, a: str = "a", b: str = "b", **more: Any) -> Any:
    rows, sizes = np.array(case["rows"]), np.array(case["sizes"])
    factor = 1 if case["statistic"] == "mean" else 2

    def difference(x: Any, y: Any) -> Any:
        return factor * (share(y) - share(x))

    def stream(purpose: str) -> np.random.Generator:
        return generator(seed, rows_text(purpose, rows, sizes))

    sides = (np.array(case[name], dtype=float) for name in (a, b))
    swaps = (rows if a == "a" else -rows).astype(float)
    return shuffling_test(*sides, swaps, sizes, difference, stream, times, **more)


def agrees(outcome: Any, case: Any) -> None:
    """As the cases ask for: within four standard errors of p, and within 60%."""
    p, error = float(case["expected"]["p"]), (outcome.high - outcome.low) / (2 * 1.96)
    assert abs(outcome.p - p) <= 4 * error + 1e-9 * p
    assert 0.4 <= outcome.p / p <= 1.6
    assert outcome.log10_p == pytest.approx(case["expected"]["log10"], abs=0.25)
    assert outcome.low <= outcome.p <= outcome.high
    assert outcome.units == case["expected"]["units"]
    assert outcome.p >= outcome.low >= outcome.smallest_p == max(2.0 ** (1 - outcome.units), 1e-300)


MEANS, OTHERS = ([case for case in CASES if (case["statistic"] == "mean") == mean] for mean in (True, False))


@each("case", MEANS, ids=lambda case: case["id"])
def test_sums_are_exact(case: Any) -> None:
    amounts = np.array(case["rows"])[:, 0]
    for most, methods in ((10**6, ("enumerated", "exact")), (1, ("exact",))):
        with at_most(most):
            outcome = outcome_of(case, amounts=amounts)
        assert outcome.method in methods and outcome.exact
        assert outcome.low == outcome.p == outcome.high == pytest.approx(float(case["expected"]["p"]), rel=1e-9)
        assert outcome.log10_p == pytest.approx(case["expected"]["log10"], abs=1e-9)
        assert outcome.smallest_p == pytest.approx(2.0 ** (1 - case["expected"]["units"]), rel=1e-12)


@each("case", CASES, ids=lambda case: case["id"])
def test_tilted_draws_come_near_what_is_exact(case: Any) -> None:
    with at_most(1):
        for seed in range(12):
            outcome = outcome_of(case, seed=seed)
            assert outcome.method == ("drawn" if float(case["expected"]["p"]) > 0.002 else "tilted")
            if outcome.method == "tilted":
                agrees(outcome, case)
            # Whatever the number of shufflings, p is the same to its error.
            few = outcome_of(case, seed=seed, times=19)
            assert few.p == pytest.approx(float(case["expected"]["p"]), rel=0.6)


def test_more_shufflings_make_tilted_draws_more_exact() -> None:
    case = next(case for case in CASES if case["id"] == "f1-mixed")
    few, many = (outcome_of(case, times=times) for times in (10_000, 200_000))
    assert many.high - many.low < (few.high - few.low) / 3
    agrees(many, case)


@each("case", OTHERS, ids=lambda case: case["id"])
def test_f1_is_enumerated_or_tilted(case: Any) -> None:
    outcome = outcome_of(case)
    if outcome.method == "enumerated":
        assert outcome.p == pytest.approx(float(case["expected"]["p"]), rel=1e-9)
    else:
        assert outcome.method == "tilted"
        agrees(outcome, case)


@each("case", CASES, ids=lambda case: case["id"])
def test_the_other_way_round_p_is_the_same(case: Any) -> None:
    with at_most(1):
        assert outcome_of(case, a="b", b="a") == outcome_of(case)


# --- sums ---


def exact_tail(amounts: list[int], sizes: list[int]) -> Fraction:
    """The chance by whole numbers, all ways counted."""
    ways = Counter({0: 1})
    for amount, size in zip(amounts, sizes, strict=True):
        new: Counter[int] = Counter()
        for total, number in ways.items():
            for up in range(size + 1):
                new[total + amount * (2 * up - size)] += number * comb(size, up)
        ways = new
    aim = abs(sum(amount * size for amount, size in zip(amounts, sizes, strict=True)))
    return Fraction(sum(number for total, number in ways.items() if abs(total) >= aim), 2 ** sum(sizes))


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 60)), min_size=1, max_size=4))
def test_convolutions_are_as_exact_as_their_numbers(pairs: list[tuple[int, int]]) -> None:
    amounts, sizes = map(list, zip(*pairs, strict=True))
    expected = exact_tail(amounts, sizes)
    found = sum_tail(np.array(amounts), np.array(sizes))
    assert found is not None
    assert math.exp(found) == pytest.approx(float(expected), rel=1e-12)
    # In any unit, and without what makes no difference.
    assert sum_tail(np.array([*amounts, 0]) << 32, np.array([*sizes, 77])) == found


def test_chances_too_small_for_a_number_have_a_logarithm() -> None:
    for heads in (0, 10, 300):
        ways = 2 * sum(comb(3000, number) for number in range(heads + 1))
        found = sum_tail(np.array([1, -1]), np.array([3000 - heads, heads]))
        assert found == pytest.approx(math.log(ways) - 3000 * math.log(2), rel=1e-13)
    case = {"statistic": "f1", "a": [9000, 20000], "b": [6000, 17000], "rows": [[1, 1]], "sizes": [3000]}
    for outcome in (outcome_of(case), outcome_of({**case, "statistic": "mean"}, amounts=np.array([1]))):
        # One row alone: all 3,001 outcomes are looked at, but the chance of this one is 0 in a float.
        assert (outcome.p, outcome.low, outcome.smallest_p) == (1e-300, 1e-300, 1e-300)
        assert outcome.log10_p == pytest.approx(-2999 * math.log10(2), rel=1e-9)


def test_sums_of_many_sizes_that_never_meet_are_drawn() -> None:
    rng = np.random.default_rng(1)
    assert sum_tail(rng.integers(-(1 << 40), 1 << 40, 60), np.ones(60, dtype=np.int64)) is None


# --- tilted draws against all outcomes ---


def f1_rows(rng: np.random.Generator, units: int) -> Any:
    """Two systems, the first far better: tp, fp, fn of each unit."""
    gold = rng.integers(1, 5, units)
    sides = []
    for good in (0.9, 0.55):
        right = rng.binomial(gold, good)
        sides.append(np.column_stack([right, rng.poisson(1.2 - good, units), gold - right]))
    return sides


def f1_of(sums: Any) -> Any:
    return 2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1] + sums[..., 2])


def macro(sums: Any) -> Any:
    return f1_of(sums.reshape(*sums.shape[:-1], -1, 3)).mean(axis=-1)


@pytest.mark.parametrize("score", [f1_of, macro], ids=["F1", "macro-F1"])
def test_tilted_draws_agree_with_all_outcomes(score: Any) -> None:
    rng = np.random.default_rng(3)
    ratios, errors = [], []
    for _ in range(6):
        parts = [f1_rows(rng, 17) for _ in range(1 if score is f1_of else 3)]
        a, b = (np.concatenate([part[side] for part in parts], axis=1) for side in (0, 1))
        change = (a - b)[(a != b).any(axis=1)].astype(float)
        sizes = np.ones(len(change), dtype=np.int64)
        sums = [side.sum(axis=0).astype(float) for side in (a, b)]

        def difference(x: Any, y: Any) -> Any:
            return score(y) - score(x)

        whole = shuffling_test(*sums, change, sizes, difference, np.random.default_rng, 1)
        assert whole.method == "enumerated"
        for seed in range(20):
            found = TiltedShuffling(*sums, change, sizes, difference).tail(
                float(difference(*sums)), np.random.default_rng(seed)
            )
            assert found is not None
            ratios.append(math.exp(found[0]) / whole.p)
            errors.append(found[1])
            assert abs(ratios[-1] - 1) <= 4.5 * errors[-1] + 1e-9
    assert np.mean(ratios) == pytest.approx(1, abs=4 * np.sqrt(np.mean(np.square(errors)) / len(errors)))


def test_units_that_do_not_move_the_score_are_not_tilted() -> None:
    """Rounding leaves a slope of 1e-17 or so where there is none."""
    rows = np.array([[1.0, 0, 0], [0, 0, 1]])
    sizes = np.array([40, 500])
    a, b = np.array([90.0, 100, 600]), np.array([50.0, 100, 100])
    found = TiltedShuffling(
        a, b, rows, sizes, lambda x, y: share(y) - share(x) + 1e-13 * (y[..., 2] > x[..., 2])
    ).tail(-0.4, np.random.default_rng(0))
    assert found is not None
    assert found[0] == pytest.approx(-39 * math.log(2), rel=0.01)


# --- company ---


def spans_of(errors: float, seed: int) -> list[list[str]]:
    text, wrong = np.random.default_rng(1), np.random.default_rng(seed)
    kinds = ["O", "O", "B-PER", "B-LOC", "B-ORG"]
    found = []
    for _ in range(150):
        gold = text.integers(0, len(kinds), 8)
        drawn = np.where(wrong.random(8) < errors, wrong.integers(0, len(kinds), 8), gold)
        found.append([kinds[one] for one in drawn])
    return found


@each(
    ("measure", "score", "method"),
    [("exact", "f1", "tilted"), ("accuracy", "f1", "exact"), ("tag-f1", "macro-f1", "tilted")],
)
def test_no_p_depends_on_names_or_on_other_systems(measure: str, score: str, method: str) -> None:
    gold, good, bad = spans_of(0, 2), spans_of(0.05, 3), spans_of(0.4, 4)
    further = {f"s{seed}": spans_of(0.2, seed) for seed in range(5, 8)}
    found = []
    for systems in ({"A": bad, "B": good}, {**further, "good": good, "bad": bad}):
        rows = assay.compare(gold, systems, measure, times=500, power=None).comparisons
        found += [row for row in rows if row.is_of_score and row.score == score and row.a not in further]
    before, after = found
    keys = ("p", "p_low", "p_high", "log10_p", "smallest_p", "method", "units", "exact")
    assert [getattr(after, key) for key in keys] == [getattr(before, key) for key in keys]
    assert (after.method, after.difference) == (method, -before.difference)
    assert after.p < 1e-6 and after.p_adjusted < 0.05


def test_averages_of_very_many_systems_have_no_floor() -> None:
    """One toss of coins serves all pairs; those that it hardly ever reaches are tested by themselves."""
    systems = {"good": spans_of(0.05, 3), "bad": spans_of(0.4, 4)}
    systems |= {f"s{seed}": spans_of(0.2 + seed / 200, seed) for seed in range(5, 25)}
    rows = assay.compare(spans_of(0, 2), systems, "tag-f1", times=500, power=None).comparisons
    tests = {(row.a, row.b): row for row in rows if row.is_of_score and row.score == "macro-f1"}
    assert {row.method for row in tests.values()} == {"drawn", "tilted"}
    assert tests["good", "bad"].p_adjusted < 1e-6
    assert all(row.p_low <= row.p <= row.p_high for row in tests.values())
    two = {name: systems[name] for name in ("good", "bad")}
    alone = assay.compare(spans_of(0, 2), two, "tag-f1", times=500, power=None)
    (row,) = [row for row in alone.comparisons if row.is_of_score and row.score == "macro-f1"]
    assert row.method == "tilted"
    assert row.p == pytest.approx(tests["good", "bad"].p, rel=0.6)


# --- power where replicates cannot tell ---


def test_what_very_many_tests_could_have_found_does_not_depend_on_draws() -> None:
    """Units that differ by one are tosses of a coin, of which all is known."""
    sides, rows = (np.array([600.0, 1000]), np.array([550.0, 1000])), np.array([[1.0, 0]])
    tilted = TiltedShuffling(*sides, rows, np.array([150]), lambda x, y: share(y) - share(x))
    for alpha in (1e-3, 1e-5, 1e-8):
        exact, near = _enumerate_power(tilted, alpha, 0.8), _approximate_power(tilted, alpha, 0.8)
        assert exact is not None
        assert near == pytest.approx(exact, rel=1e-3)
    assert _approximate_power(tilted, 1e-60, 0.8) == (None, None)
