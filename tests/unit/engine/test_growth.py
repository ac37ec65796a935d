"""What many systems or labels cost: work grows with them, not with their pairs or products; figures stay the same."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import assay
from assay.engine import changes
from assay.engine import scores as figures
from assay.engine.items import ONE, Items
from assay.stats import resample, significance
from assay.stats.intervals import percentiles
from assay.stats.significance import shuffling_test, shuffling_tests


def folded(systems, labels, gold, answer, sizes) -> Items:
    """Distinct rows, however they came about."""
    nothing = gold[:0]
    places = dict.fromkeys(("sentence", "item", "has_gold", "has_system"), nothing)
    return Items(labels, gold, answer, answer == gold, systems=systems, sizes=sizes, **places)


def outcomes_of(systems: int, labels: int, items: int = 4000) -> Items:
    rng = np.random.default_rng(labels)
    gold = rng.integers(0, labels, items)
    answers = np.stack([np.where(rng.random(items) < 0.8, gold, (gold + 1) % labels) for _ in range(systems)])
    names = tuple(f"L{index}" for index in range(labels))
    return folded(tuple(map(str, range(systems))), names, gold, answers, np.ones(items, dtype=np.int64))


def counted(monkeypatch, owner, name) -> list[int]:
    """A list that gets longer with every call."""
    calls: list[int] = []
    original = getattr(owner, name)

    def call(*arguments, **options):
        calls.append(1)
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, call)
    return calls


def diffs(outcomes, on, where):
    return changes.compare_answers(outcomes, on, where, "accuracy", {})


@pytest.mark.parametrize("of", [diffs, changes.bounds])
def test_passes_over_the_items_do_not_grow_with_labels(monkeypatch, of):
    calls = counted(monkeypatch, Items, "sum")
    numbers = []
    for labels in (5, 500):
        calls.clear()
        list(of(outcomes_of(3, labels), "x", None))
        numbers.append(len(calls))
    assert numbers[0] == numbers[1]


def test_a_pair_does_not_look_at_the_other_systems():
    many = outcomes_of(20, 5)
    pair = many.of_pair(3, 7)
    assert pair.systems == ("3", "7")
    assert (len(pair.answer), len(pair.right), pair.credits) == (2, 2, None)
    assert next(diffs(many, "x", None)) == next(diffs(many.of_pair(0, 1), "x", None))


@given(st.lists(st.tuples(st.integers(0, 2**36), st.integers(0, ONE)), min_size=1, max_size=20))
def test_sums_of_credit_are_exact(rows):
    sizes, credit = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    none = np.zeros(len(rows), dtype=np.int64)
    found = folded(("a",), ("x",), none, none[None], sizes).by_group(credit, none, 1)
    assert found == [sum(size * value for size, value in rows)]


def tables_of(systems: int, units: int = 300, fields: int = 6):
    rng = np.random.default_rng(1)
    return [rng.integers(0, 3, (units, fields)).astype(np.float64) for _ in range(systems)]


def nothing(a, b):
    """No test by tilted draws."""


def difference(x, y):
    return y[..., 0] / y[..., 1] - x[..., 0] / x[..., 1]


def test_one_toss_of_coins_serves_all_pairs(monkeypatch):
    calls = counted(monkeypatch, resample, "_random16")
    numbers = []
    for systems in (2, 8):
        calls.clear()
        pairs = [(a, b) for a in range(systems) for b in range(a + 1, systems)]
        found = shuffling_tests(tables_of(systems), pairs, difference, np.random.default_rng(1), 500, nothing)
        assert list(found) == pairs
        numbers.append(len(calls))
    assert numbers[0] == numbers[1]


def test_a_test_depends_on_no_other_system(monkeypatch):
    """Also if systems with other columns and more of them divide the draws into smaller chunks."""
    a, b, *others = tables_of(9)
    b[:, :3] = a[:, :3]
    alone = shuffling_tests([b, a], [(1, 0)], difference, np.random.default_rng(3), 500, nothing)
    monkeypatch.setattr(significance, "MOST_HELD", 200)
    pairs = [*combinations(range(9), 2)]
    together = shuffling_tests([a, b, *others], pairs, difference, np.random.default_rng(3), 500, nothing)
    assert together[0, 1] == alone[1, 0]


def test_the_test_of_a_pair_has_the_p_of_its_own_shufflings():
    a, b = tables_of(2)
    a[:, 0] += np.arange(300) % 9 == 0
    alone = shuffling_test(
        *(a.sum(axis=0), b.sum(axis=0), a - b, np.ones(300, dtype=np.int64)),
        *(difference, lambda _: np.random.default_rng(5), 20_000),
    )
    found = shuffling_tests([a, b], [(0, 1)], difference, np.random.default_rng(3), 20_000, nothing)[0, 1]
    assert 0.01 < alone.p < 0.5
    assert found.p == pytest.approx(alone.p, abs=6 * math.sqrt(alone.p / 20_000))


def test_pairs_that_differ_in_few_units_are_left_to_enumeration():
    a, b = tables_of(2)
    c = a.copy()
    c[:3] = b[:3]
    found = shuffling_tests([a, b, c], [(0, 1), (0, 2), (1, 2)], difference, np.random.default_rng(3), 500, nothing)
    assert [*found] == [(0, 1), (1, 2)]
    assert shuffling_tests([a, a], [(0, 1)], difference, np.random.default_rng(3), 500, nothing) == {}


@given(arrays(np.float32, (3, 41), elements=st.floats(0, 1, width=32) | st.just(float("nan"))))
def test_percentiles_are_those_of_numpy(values):
    found = percentiles(values)
    for row, (low, high) in zip(values.astype(np.float64), found.tolist(), strict=True):
        defined = row[~np.isnan(row)]
        tail = (1 - 0.95) / 2
        expected = np.quantile(defined, [tail, 1 - tail]) if len(defined) else [np.nan, np.nan]
        np.testing.assert_array_equal([low, high], expected)


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_intervals_do_not_depend_on_how_many_labels_are_held_at_a_time(monkeypatch, interval):
    draw = random.Random(2)
    gold = [[draw.choice("ABCDEFG") for _ in range(6)] for _ in range(30)]
    system = [[label if draw.random() < 0.8 else draw.choice("ABCDEFG") for label in row] for row in gold]
    rows = []
    for held in (figures.HELD_NUMBERS, 1):
        monkeypatch.setattr(figures, "HELD_NUMBERS", held)
        result = assay.score(gold, {"s": system}, ["tag-f1"], times=200, interval=interval)
        rows.append([repr(row) for row in result.scores])
    assert rows[0] == rows[1]
