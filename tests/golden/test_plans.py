"""The number of units that a difference needs: the cases of the specification (cases/decisions), and simulations."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import assay
from assay.stats.power import _find_tilt, plan_units, toss_power, toss_powers
from assay.stats.runs import RunVariance, run_variance, smallest_difference, t_test
from assay.stats.tails import TiltedShuffling, sum_tail
from cases import each
from golden.test_chance import SPANS, WORDS, figures, spans

DATA = Path(__file__).parent.parent / "data" / "decisions"
CASES = [json.loads(line) for line in (DATA / "plans.jsonl").read_text("utf-8").splitlines()]


def pilot_of(amounts: Any, towards: Any, against: Any, units: int) -> TiltedShuffling:
    """A pilot in which units of each amount favour one system or the other."""
    rows = np.array([[sign * amount] for sign in (1.0, -1.0) for amount in amounts])
    sizes = np.array([*towards, *against])
    a, b = (np.array([10.0 * units + np.dot(amounts, sides)]) for sides in (towards, against))
    return TiltedShuffling(a, b, rows[sizes > 0], sizes[sizes > 0], lambda x, y: (y - x)[..., 0] / units)


@each("case", CASES)
def test_needed_units_and_their_power(case: Any) -> None:
    pilot, margin = case["pilot"], case.get("margin")
    if margin is None:
        towards, against = pilot["b_better"], pilot["a_better"]
    else:
        towards = against = pilot["differ"] // 2
        against += pilot["differ"] % 2
    level = (pilot["units"], case["alpha"], case["target"], lambda _: np.random.default_rng(0))
    found = plan_units(pilot_of([1], [towards], [against], pilot["units"]), margin, *level)
    assert found == case["expected"]["needed"]
    rate = (towards + against) / pilot["units"]
    share = towards / (towards + against) if margin is None else (1 + margin / rate) / 2
    rejected = toss_powers(share, 2000, case["alpha"])
    for number, power in case["expected"]["power"].items():
        assert toss_power(int(number), rate, rejected) == pytest.approx(power, abs=1e-9)


def test_if_all_units_differ_the_power_stays_at_the_target() -> None:
    """It goes up and down from one number of units to the next."""
    found = plan_units(pilot_of([1], [30], [10], 40), None, 40, 0.05, 0.8, lambda _: np.random.default_rng(0))
    powers = toss_powers(0.75, 200, 0.05)
    assert found is not None and powers[int(found) - 1] < 0.8 <= powers[int(found) :].min()
    assert powers[: int(found) - 1].max() > 0.8


@each("rate", [0.1, 0.5, 0.51, 0.79, 0.82, 0.98, 0.999])
@each("share", [0.56, 0.7, 0.95])
@each("alpha", [0.2, 0.05, 0.05 / 190])
def test_from_the_number_of_planned_units_on_every_number_is_enough(rate: float, share: float, alpha: float) -> None:
    """Numbers around it are tried one by one in place of a search."""
    equal = round(100_000 * (1 - rate))
    towards = round((100_000 - equal) * share)
    pilot = pilot_of([1], [towards], [100_000 - equal - towards], 100_000)
    found = plan_units(pilot, None, 100_000, alpha, 0.8, lambda _: np.random.default_rng(0))
    assert found is not None
    differing = (100_000 - equal) / 100_000
    powers = toss_powers(towards / (100_000 - equal), int(2 * found * differing) + 600, alpha)
    tried = range(max(0, int(found) - 60), int(1.15 * found) + 60)
    enough = [toss_power(number, differing, powers) >= 0.8 for number in tried]
    assert tried[len(enough) - enough[::-1].index(False) - 1] + 1 == found


def test_if_all_units_favour_one_system_only_their_number_matters() -> None:
    several, equal = (
        plan_units(pilot, None, 40, 0.05, 0.8, lambda _: np.random.default_rng(0))
        for pilot in (pilot_of([1, 2.3, 9], [4, 3, 1], [0, 0, 0], 40), pilot_of([1], [8], [0], 40))
    )
    assert several == equal


@each("amounts,towards,against", [
    ((1, 2), (48, 20), (2, 0)),
    ((1, 3), (210, 20), (90, 0)),
    ((2, 3), (90, 95), (10, 5)),
    ((1, 2, 3, 5), (120, 62, 33, 21), (80, 38, 17, 9)),
])
@each("alpha", [0.05, 0.05 / 6])
def test_planned_units_have_the_power_in_simulated_tests(
    amounts: Any, towards: Any, against: Any, alpha: float
) -> None:
    """Units of several sizes are drawn, and each draw is tested exactly; within 3 standard errors, or 3% of N."""
    rng, times = np.random.default_rng(5), 600
    found = plan_units(pilot_of(amounts, towards, against, 1000), None, 1000, alpha, 0.8, lambda _: rng)
    assert found is not None

    def power(number: int) -> float:
        numbers = [*towards, *against, 1000 - sum(towards) - sum(against)]
        drawn = rng.multinomial(number, np.array(numbers) / 1000, times)
        signed, hits = np.array([*amounts, *(-amount for amount in amounts)]), 0
        for row in drawn[:, :-1]:
            tail = sum_tail(signed[row > 0], row[row > 0]) if signed @ row else 0.0
            hits += tail is not None and math.exp(tail) <= alpha * (1 + 1e-12)
        return hits / times

    error = 3 * math.sqrt(0.8 * 0.2 / times)
    assert power(math.floor(0.97 * found)) - error <= 0.8 <= power(math.ceil(1.03 * found)) + error


def test_the_smallest_difference_of_runs_is_found_with_the_probability() -> None:
    """Tests of simulated runs: units, runs and runs within units vary, and the variances of two systems differ."""
    rng, times, (units, runs), spread = np.random.default_rng(3), 1500, (60, 3), (1.0, 0.06, 0.12, 0.6)
    of_units, *of_runs, within = spread

    def draw(units: int, runs: int, difference: float) -> list[Any]:
        common = rng.normal(0, of_units, units)
        sides = []
        for shift, deviation in zip((0.0, difference), of_runs, strict=True):
            own = rng.normal(0, of_units / 2, units) + common
            each = rng.normal(shift, deviation, (runs, 1)) + own + rng.normal(0, within, (runs, units))
            sides.append(each)
        return sides

    # A pilot with the exact variances: what a unit, a run and a run in a unit add to the difference.
    inner = tuple(within**2 / (units * runs) for _ in of_runs)
    pilot_runs = tuple(deviation**2 / runs + part for deviation, part in zip(of_runs, inner, strict=True))
    by_units = 2 * (of_units / 2) ** 2 / units + sum(inner)
    pilot = RunVariance(by_units, pilot_runs, sum(pilot_runs), inner, 0.0, 0.0)
    for planned_units, planned_runs in ((60, 3), (150, 5)):
        aim = smallest_difference(
            pilot, (runs, runs), units, units - 1.0,
            units=planned_units, runs=planned_runs, alpha=0.05, chance=0.8, seed=0,
        )  # fmt: skip
        hits = 0
        for _ in range(times):
            sides = draw(planned_units, planned_runs, aim)
            scores = [side.mean(axis=1) for side in sides]
            found = run_variance([side / planned_units for side in sides], scores, np.ones(planned_units))
            difference = float(scores[1].mean() - scores[0].mean())
            hits += difference > 0 and t_test(difference, found.total, found.degrees) <= 0.05
        # The table has 4,000 simulated tests, whose error counts too.
        error = 3 * math.sqrt(0.8 * 0.2 * (1 / times + 1 / 4000))
        assert hits / times == pytest.approx(0.8, abs=error)


def make_pilot(name: str) -> tuple[str, tuple[str, ...], list[Any], str]:
    """The measure, its fields, the counts of two systems in the units of a pilot, and the unit."""
    rng = np.random.default_rng(11)
    if name == "span F1":
        with np.load(DATA.parent / "chance" / "populations.npz") as file:
            rows = [file[f"{system}-person"][:400].tolist() for system in ("rule", "cascade")]
        return "exact", SPANS, [np.array(spans(of_system)) for of_system in rows], "sentence"
    measure, unit, words = "accuracy", "sentence", rng.integers(4, 30, 250)
    if name == "LAS on documents":
        measure, unit, words = "las", "document", rng.integers(40, 900, 60)
    systems = []
    for share in (0.86, 0.875):
        # Systems are better or worse from one unit to the next.
        right = rng.binomial(words, np.clip(share + rng.normal(0, 0.05, len(words)), 0, 1))
        systems.append(np.column_stack([right, words, words, words]))
    return measure, WORDS, systems, unit


@pytest.mark.slow
@each("name", ["accuracy", "span F1", "LAS on documents"])
@each("margin", [None, 0.02])
def test_real_tests_of_planned_units_find_the_difference(name: str, margin: float | None) -> None:
    """New units are drawn from those of the pilot, and are tested as `compare` does it."""
    measure, fields, (first, second), unit = make_pilot(name)
    pilot = figures(measure, fields, {"a": first, "b": second}, unit, planned={measure: (margin or 0.02,)})
    row = next(row for row in pilot.comparisons() if row.score == "f1")
    assert row.power is not None
    needed = row.power.plans[-1 if margin is None else 0].units
    assert needed is not None
    exchange = pilot._exchange(0, 1, "f1")
    tilted = TiltedShuffling(*exchange.swaps(pilot.every["f1"]))
    read = [fields.index(field) for field in exchange.fields]
    gains = (first - second)[:, read] @ tilted.gradient
    # With a margin, a unit favours the first system as often as the tilt says.
    chances = None if margin is None else 1 / (1 + np.exp(-2 * _find_tilt(tilted, margin) * np.abs(gains)))
    rng, times, hits = np.random.default_rng(2), 600, 0
    for _ in range(times):
        drawn = rng.integers(0, len(first), needed)
        a, b = first[drawn], second[drawn]
        if chances is not None:
            turned = (gains[drawn] > 0) != (rng.random(needed) < chances[drawn])
            a, b = np.where(turned[:, None], b, a), np.where(turned[:, None], a, b)
        tested = figures(measure, fields, {"a": a, "b": b}, unit, power=None, interval="")
        hits += next(row for row in tested.comparisons() if row.score == "f1").p <= 0.05
    print(f"{name}, {margin or 'observed'}: N {needed}, power {hits / times:.3f} in {times} tests")
    assert hits / times == pytest.approx(0.8, abs=3 * math.sqrt(0.8 * 0.2 / times))


# --- annotators ---


def draw_ratings(rng: np.random.Generator, people: int, items: int, share: float) -> tuple[Any, Any]:
    """Items × annotators of different skill and a system with this one, on three labels; one item in four is hard."""
    truth, skills = rng.integers(3, size=(items, 1)), rng.uniform(0.7, 0.95, people)
    ease = np.where(rng.random((items, 1)) < 0.25, 0.6, 1.0)
    right = rng.random((items, people + 1)) < ease * np.append(skills, share)
    labels = np.where(right, truth, (truth + rng.integers(1, 3, right.shape)) % 3)
    return labels[:, :-1], labels[:, -1]


def compare_with_ceiling(ratings: Any, system: Any) -> tuple[float, float]:
    """The difference of a system from the annotators and its p, by the formulas: each annotator and the system
    against the majority of the others."""
    (items, people), rows = ratings.shape, np.arange(len(system))
    counts, parts = (ratings[:, :, None] == np.arange(3)).sum(axis=1), []
    for own in ratings.T:
        others = counts - (own[:, None] == np.arange(3))
        top = others == others.max(axis=1, keepdims=True)
        votes = top / top.sum(axis=1, keepdims=True)
        parts.append(votes[rows, system] - votes[rows, own])
    by_annotator, by_item = np.mean(parts, axis=1), np.mean(parts, axis=0) / items
    over_items = items / (items - 1) * ((by_item - by_item.mean()) ** 2).sum()
    over_people = by_annotator.var(ddof=1) / people
    both = over_items + over_people
    freedom = both**2 / (over_items**2 / (items - 1) + over_people**2 / (people - 1))
    freedom = min(freedom, people - 1) if over_people >= over_items / 4 else freedom
    difference = float(by_annotator.mean())
    return difference, float(2 * student.sf(abs(difference) / math.sqrt(both), freedom))


def as_ratings(ratings: Any, system: Any) -> dict[str, Any]:
    def by_item(codes: Any) -> dict[str, str]:
        return {f"i{item}": "abc"[code] for item, code in enumerate(codes)}

    people = {f"r{who}": by_item(own) for who, own in enumerate(ratings.T)}
    return {"annotators": people, "systems": {"m": by_item(system)}, "measures": "alpha", "times": 5}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "share", "times"), [(5, 0.65, 5), (8, 0.627, 1), (8, 0.7, 5), (12, 0.643, 1), (12, 0.717, 5)]
)
def test_the_difference_from_annotators_is_found_with_about_the_promised_power(
    people: int, share: float, times: int
) -> None:
    """Pilots of 100 items whose system differs from the annotators by what they say is found with 80%."""
    rng = np.random.default_rng(1)
    printed = []
    for _ in range(60):
        given = as_ratings(*draw_ratings(rng, people, 100, share))
        printed.append(next(row.difference for row in assay.plan(**given).plans if row.units == 100 * times))
    tests = np.array([compare_with_ceiling(*draw_ratings(rng, people, 100 * times, share)) for _ in range(1000)])
    assert -tests[:, 0].mean() == pytest.approx(np.mean(printed), abs=0.012)
    assert 0.73 < (tests[:, 1] <= 0.05).mean() < 0.93


def test_a_plan_with_annotators_has_the_variances_of_their_test() -> None:
    """p is that of the formulas; the smallest difference is that of a test whose variances are simulated."""
    ratings, system = draw_ratings(np.random.default_rng(3), 8, 100, 0.7)
    given = as_ratings(ratings, system)
    people, measures = given.pop("annotators"), given.pop("measures")
    (row,) = assay.agreement(people, measures, **given).comparisons
    assert (row.difference, row.p) == pytest.approx(compare_with_ceiling(ratings, system))
    assert row.v_items is not None and row.v_annotators is not None and row.variance is not None
    assert row.v_items + row.v_annotators == pytest.approx(row.variance)
    plans = assay.plan(annotators=people, measures=measures, power=0.9, **given).plans
    assert [(plan.units, plan.annotators, plan.pilot_units) for plan in plans] == [
        (units, 8, 100) for units in (100, 200, 500, 1000)
    ]
    rng = np.random.default_rng(0)
    for plan in plans:
        over_items = row.v_items * 100 / plan.units
        items = over_items * rng.chisquare(plan.units - 1, 20_000) / (plan.units - 1)
        others = row.v_annotators * rng.chisquare(7, 20_000) / 7
        freedom = (items + others) ** 2 / (items**2 / (plan.units - 1) + others**2 / 7)
        freedom = np.where(others >= items / 4, np.minimum(freedom, 7), freedom)
        drawn = plan.difference + math.sqrt(over_items + row.v_annotators) * rng.standard_normal(20_000)
        found = 2 * student.sf(np.abs(drawn) / np.sqrt(items + others), freedom) <= 0.05
        assert found.mean() == pytest.approx(0.9, abs=0.015)
        assert plan.difference_from < plan.difference < plan.difference_to
