"""Agreement of any number of annotators: what holds for all ratings, units and systems."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import assay
from assay.corpus.ratings import Ratings
from assay.engine import coefficients as numbers
from assay.engine.annotators import ALL, CEILING
from assay.formats.ratings import ratings_in, system_ratings
from assay.stats.unitizing import Units, Weighting, align_units, alpha_u_sums, compute_disorder

LABELS = ("1", "2", "3", "4")
Data = dict[str, dict[str, Any]]
"""Labels by annotator and item."""


@st.composite
def tables(draw: st.DrawFn, gaps: bool = True, least: int = 2, items: int = 8) -> Data:
    """Two to four annotators of a few items."""
    people = draw(st.integers(least, 4))
    number = draw(st.integers(2, items))
    cell = st.sampled_from([*LABELS, None]) if gaps else st.sampled_from(LABELS)
    return {
        "abcd"[who]: {f"i{item}": draw(cell) for item in range(number)} for who in range(people)
    }


def rated(data: Data) -> Ratings:
    return ratings_in(data).ratings()


def coefficient(ratings: Ratings, name: str, **more: Any) -> float:
    """A coefficient of all ratings."""
    group = np.zeros(ratings.items, dtype=np.int64)
    made: Any = {
        "alpha": (lambda: numbers.alpha_rows(ratings, group, 1, more["level"], "jaccard"), numbers.alpha_score),
        "fleiss": (lambda: numbers.fleiss_rows(ratings, group, 1), numbers.fleiss_score),
        "ac1": (lambda: numbers.ac1_rows(ratings, group, 1, len(LABELS)), numbers.ac1_score),
    }[name]
    rows = made[0]()
    return float(made[1]({**{field: values[0] for field, values in rows.sums.items()}, **rows.fixed}))


ALL_KINDS = [("alpha", {"level": level}) for level in numbers.LEVELS[:4]] + [("fleiss", {}), ("ac1", {})]


def every(ratings: Ratings) -> list[float]:
    return [coefficient(ratings, name, **more) for name, more in ALL_KINDS]


def same(a: Any, b: Any) -> bool:
    return a == pytest.approx(b, abs=1e-9, nan_ok=True)


@given(tables(), st.randoms(use_true_random=False))
def test_1_neither_order_nor_names_of_annotators_or_items_matter(data: Data, random: Any) -> None:
    people, items = list(data), list(next(iter(data.values())))
    renamed = dict(zip(people, random.sample(["w", "x", "y", "z"], len(people)), strict=True))
    order = random.sample(items, len(items))
    other = {renamed[who]: {f"new {item}": data[who][item] for item in order} for who in people}
    assert same(every(rated(data)), every(rated(other)))


@given(tables())
def test_1_intervals_do_not_depend_on_order_either(data: Data) -> None:
    backwards = {who: dict(reversed(given.items())) for who, given in reversed(data.items())}
    results = [assay.agreement(one, times=30) for one in (data, backwards)]
    first, second = ([(row.system, row.score, row.low, row.high) for row in one.scores] for one in results)
    for mine, its in zip(first, second, strict=True):
        assert mine[:2] == its[:2]
        assert same(mine[2:], its[2:])


@given(tables(gaps=False))
def test_2_alpha_and_fleiss_are_tied_to_each_other_without_gaps(data: Data) -> None:
    ratings = rated(data)
    alpha, kappa = coefficient(ratings, "alpha", level="nominal"), coefficient(ratings, "fleiss")
    number = len(ratings)
    assert same(alpha, 1 - (1 - kappa) * (number - 1) / number)


@given(tables(gaps=False, least=2))
def test_3_a_copy_agrees_and_a_constant_does_not(data: Data) -> None:
    first = data["a"]
    before = coefficient(rated({"a": first, "b": data["b"]}), "alpha", level="nominal")
    copied = coefficient(rated({"a": first, "b": dict(first)}), "alpha", level="nominal")
    assert math.isnan(copied) or copied == 1 >= (before if not math.isnan(before) else -1)
    constant = coefficient(rated({"a": first, "b": dict.fromkeys(first, "1")}), "alpha", level="nominal")
    assert math.isnan(constant) or constant <= 1e-12


@given(tables(), st.integers(1, 5), st.integers(-3, 9))
def test_4_levels_are_unchanged_by_the_maps_that_belong_to_them(data: Data, factor: int, shift: int) -> None:
    def mapped(change: Any) -> Ratings:
        changed = {label: change(float(label)) for label in LABELS} | {None: None}
        return rated({who: {item: changed[label] for item, label in own.items()} for who, own in data.items()})

    assume(len(rated(data)))
    plain = rated(data)
    interval = coefficient(plain, "alpha", level="interval")
    assert same(interval, coefficient(mapped(lambda x: factor * x + shift), "alpha", level="interval"))
    ordinal = coefficient(plain, "alpha", level="ordinal")
    assert same(ordinal, coefficient(mapped(math.exp), "alpha", level="ordinal"))
    nominal = coefficient(plain, "alpha", level="nominal")
    assert same(nominal, coefficient(mapped(lambda x: {1: 9, 2: 1, 3: 40, 4: 2}[int(x)]), "alpha", level="nominal"))


@given(tables())
def test_5_an_item_with_one_rating_changes_nothing_but_ac1(data: Data) -> None:
    assume(len(rated(data)))
    more = {who: {**own, "alone": "2" if who == "a" else None} for who, own in data.items()}
    kinds = [(name, given) for name, given in ALL_KINDS if name != "ac1"]
    before, after = ([coefficient(rated(one), name, **how) for name, how in kinds] for one in (data, more))
    assert same(before, after)


@given(tables())
def test_6_sets_of_one_are_nominal_labels(data: Data) -> None:
    sets = {who: {k: None if v is None else [v] for k, v in own.items()} for who, own in data.items()}
    assume(len(rated(data)))
    ratings, group = rated(sets), np.zeros(len(next(iter(data.values()))), dtype=np.int64)
    for distance in numbers.DISTANCES:
        rows = numbers.alpha_rows(ratings, group, 1, "set", distance)
        found = float(numbers.alpha_score({**{name: own[0] for name, own in rows.sums.items()}, **rows.fixed}))
        assert same(found, coefficient(rated(data), "alpha", level="nominal"))


# --- units ---


@st.composite
def lines(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    """Units of one annotator that do not overlap, with labels."""
    cuts = sorted(draw(st.sets(st.integers(0, 30), max_size=8)))
    return [(a, b, draw(st.integers(0, 1))) for a, b in list(pairwise(cuts))[::2]]


def continuum(*own: list[tuple[int, int, int]]) -> Units:
    return Units.of(len(own), 40, [(who, *unit) for who, units in enumerate(own) for unit in units])


def alpha_u(units: Units) -> float:
    sums = np.array([alpha_u_sums(units, label) for label in (0, 1)]).sum(axis=0)
    return float(1 - sums[0] / sums[1]) if sums[1] else math.nan


@given(lines(), lines(), st.integers(2, 3))
def test_7_equal_units_agree_wholly_and_labels_are_but_names(one: Any, other: Any, people: int) -> None:
    equal = continuum(*[one] * people)
    assert math.isnan(alpha_u(equal)) or same(alpha_u(equal), 1)
    assert not one or compute_disorder(equal, Weighting()) == 0
    units = continuum(one, other)
    renamed = continuum(*([(a, b, 1 - label) for a, b, label in own] for own in (one, other)))
    assert same(alpha_u(units), alpha_u(renamed))
    assert same(compute_disorder(units, Weighting()), compute_disorder(renamed, Weighting()))
    if one or other:
        assert (compute_disorder(units, Weighting()) == 0) == (one == other)


@given(st.lists(lines(), min_size=2, max_size=3))
def test_7_an_alignment_has_every_unit_once(own: Any) -> None:
    units = continuum(*own)
    _, parts = align_units(units, Weighting())
    assert sorted(unit for part in parts for unit in part) == list(range(len(units)))
    assert all(len({int(units.annotator[unit]) for unit in part}) == len(part) for part in parts)


# --- systems ---


@given(tables(least=3, items=12))
def test_8_the_winning_rate_rises_with_epsilon(data: Data) -> None:
    ratings = rated(data)
    assume(len(ratings))
    system = {item: label for item, label in data["b"].items() if label is not None}
    assume(system)
    answers = system_ratings(ratings_in(system), "m", ratings)[0]
    rows, _ = numbers.alt_rows(ratings, answers.label, answers.labels, "accuracy", 2)
    used = [row for row in rows if len(row.items)]
    rates = [numbers.winning_rate(used, cost, 0.05) for cost in (0, 0.05, 0.1, 0.2, 0.3, 1)]
    assert rates == sorted(rates) or not used
    # Of itself nothing is nearer: it stands beside the annotator whom it copies.
    copied = next(row for row in rows if ratings.annotators[row.annotator] == "b")
    assert not copied.differences.any()


@given(tables(least=2, items=10), st.sampled_from(["a", "b"]))
def test_9_a_system_that_copies_an_annotator_has_their_figure(data: Data, who: str) -> None:
    ratings = rated(data)
    system = {item: label for item, label in data[who].items() if label is not None}
    assume(system)
    label = system_ratings(ratings_in(system), "m", ratings)[0].label
    rows = numbers.ceiling_rows(ratings, label, np.zeros(ratings.items, dtype=np.int64), 1)
    place = ratings.annotators.index(who)
    assert same(rows.sums["left"][0, place], rows.sums["human"][0, place])


@given(tables(least=3, items=20), st.randoms(use_true_random=False))
def test_9_names_and_order_change_nothing_about_the_ceiling(data: Data, random: Any) -> None:
    system = {item: random.choice(LABELS) for item in data["a"]}
    people, items = list(data), list(data["a"])
    renamed = dict(zip(people, random.sample(["w", "x", "y", "z"], len(people)), strict=True))
    order = random.sample(items, len(items))
    other = {renamed[who]: {f"new {item}": data[who][item] for item in order} for who in people}
    assume(len(rated(data)))
    one, two = (
        assay.agreement(given, ["alpha"], systems={"m": answers}, times=30).comparisons[0]
        for given, answers in ((data, system), (other, {f"new {item}": system[item] for item in order}))
    )
    for field in ("difference", "p", "p_items", "low", "high", "df", "annotators", "units"):
        assert same(getattr(one, field), getattr(two, field))


@given(tables(least=2, items=10), st.integers(1, 9))
def test_10_sums_of_parts_are_those_of_the_whole(data: Data, cut: int) -> None:
    """Whatever is drawn or cut out of the items is a sum of their rows."""
    ratings = rated(data)
    assume(len(ratings))
    each_item = np.arange(ratings.items)
    for level in ("nominal", "ordinal", "interval"):
        rows = numbers.alpha_rows(ratings, each_item, ratings.items, level, "")
        first = {name: values[:cut].sum(axis=0) + values[cut:].sum(axis=0) for name, values in rows.sums.items()}
        found = float(numbers.alpha_score({**first, **rows.fixed}))
        assert same(found, coefficient(ratings, "alpha", level=level))


def test_the_ceiling_of_equal_annotators_is_1() -> None:
    same_labels = {f"i{number}": LABELS[number % 3] for number in range(10)}
    data = {who: dict(same_labels) for who in "abc"}
    result = assay.agreement(data, ["alpha"], systems={"m": dict(same_labels)}, times=20)
    assert result.score(CEILING, "accuracy", "leave-one-out").value == 1
    assert result.comparisons[0].difference == 0
    assert result.comparisons[0].p == 1
    assert result.score(ALL, "alpha").value == 1
