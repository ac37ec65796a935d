"""Differences held against a margin: the cases of the specification (cases/decisions), and what the gate asks for."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine.build import decide_family
from assay.errors import UsageError
from assay.result import Comparison
from assay.result.gates import Gates
from assay.stats.intervals import t_interval
from assay.stats.runs import t_test
from assay.stats.significance import clopper_pearson
from cases import each

DATA = Path(__file__).parent.parent / "data" / "decisions"
CASES = [json.loads(line) for line in (DATA / "margins.jsonl").read_text("utf-8").splitlines()]


def compared(differences: list[float], margin: float, units: int = 300) -> Comparison:
    """The comparison of two systems with these differences of units, b − a, before it is decided."""
    values = np.array(differences)
    mean, variance, df = float(values.mean()), float(values.var(ddof=1)) / len(values), len(values) - 1.0
    low, high = t_interval(mean, variance, df + 1)
    p = t_test(mean, variance, df)
    row = Comparison("a", "b", "accuracy", "f1", None, mean, low, high, "shuffling", p, p, p, math.nan, units)
    return replace(row, variance=variance, df=df, margin=margin)


@each("case", CASES, ids=lambda case: case["id"])
def test_ends_p_and_kind_are_those_of_two_one_sided_tests(case: dict[str, Any]) -> None:
    expected = case["expected"]
    (row,) = decide_family([compared(case["differences"], case["margin"])], "pairs")
    for name in ("difference", "low", "high", "low90", "high90", "p_equivalent"):
        assert getattr(row, name) == pytest.approx(expected[name], rel=1e-9, abs=1e-12), name
    assert row.p_not_worse == pytest.approx(min(expected["p_not_worse"], expected["p_not_better"]), rel=1e-9)
    assert row.kind == expected["kind"]


def test_in_a_family_the_ends_are_those_of_its_level() -> None:
    """Of two tests, the interval held against the margin is that of 95%, and p of the sentence is doubled."""
    case = next(case for case in CASES if case["expected"]["equivalent"])
    row = compared(case["differences"], case["margin"])
    first, second = decide_family([row, replace(row, b="c")], "pairs")
    assert (first.low90, first.high90) == pytest.approx((case["expected"]["low"], case["expected"]["high"]))
    assert first.p_equivalent == second.p_equivalent


def tags(wrong: dict[int, int], units: int = 400, size: int = 5) -> list[list[str]]:
    """Sentences of words with the label N, of which as many are wrong as `wrong` has for a sentence."""
    return [["V"] * wrong.get(unit, 0) + ["N"] * (size - wrong.get(unit, 0)) for unit in range(units)]


def test_a_few_differing_units_of_many_are_within_a_margin() -> None:
    """3 of 400 sentences differ: at most 7.7 of 400 would on other data, so at most 1.93 points."""
    gold, a, b = tags({}), tags({1: 1}), tags({2: 1, 3: 1})
    upper = clopper_pearson(3, 400, 0.9)[1]
    row = assay.compare(gold, {"a": a, "b": b}, "accuracy", margin="2pt").main_tests[0]
    assert (row.kind, row.few, row.high90) == ("equivalent", True, pytest.approx(upper))
    assert "interval" not in row.claims
    text = assay.compare(gold, {"a": a, "b": b}, "accuracy", margin=0.02).verdict
    assert "equivalent on accuracy within the margin of 2 points" in text
    assert f"allows a difference of at most {100 * upper:.2f} points" in text
    row = assay.compare(gold, {"a": a, "b": b}, "accuracy", margin=0.019).main_tests[0]
    assert row.kind == "untestable"


def test_a_small_test_set_shows_nothing() -> None:
    row = assay.compare(tags({}, 12), {"a": tags({1: 1}, 12), "b": tags({2: 1}, 12)}, "accuracy", margin=0.1)
    assert row.main_tests[0].kind not in ("equivalent", "not-worse", "trivial")


def test_one_large_sentence_counts_with_its_size() -> None:
    """The bound takes the largest sentence for each that may differ."""
    gold = [*tags({}, 399), ["N"] * 50]
    a, b = [*tags({1: 1}, 399), ["N"] * 50], [*tags({2: 1}, 399), ["N"] * 50]
    row = assay.compare(gold, {"a": a, "b": b}, "accuracy", margin=0.2).main_tests[0]
    assert row.high90 == pytest.approx(clopper_pearson(2, 400, 0.9)[1] * 50 * 400 / (399 * 5 + 50))


@each(
    "given, message",
    [
        ("0.5", "--margin 0.5: 0.5 is 50 points. For 0.5 points write 0.005 or 0.5pt; for 50 points write 50pt."),
        ("accuracy=0.5", "--margin accuracy=0.5: 0.5 is 50 points."),
        ("0", "--margin 0: give a margin above 0, e.g. 0.005 or 0.5pt."),
        ("-0.01", "--margin -0.01: give a margin above 0"),
        ("half", "--margin half: 'half' is not a number. Write e.g. 0.005 or 0.5pt"),
        (["0.01", "1pt"], "--margin 1pt: a second margin for all measures."),
        ("las=0.01", "--margin las=0.01: there is no measure 'las'."),
        ("las=", "--margin las=: '' is not a number. Write e.g. 0.005 or 0.5pt"),
        ("=0.01", "--margin =0.01: '=0.01' is not a number."),
        ("1", "--margin 1: 1 is 100 points. For 1 point write 0.01 or 1pt."),
        ("150pt", "--margin 150pt: give a margin below 100 points, e.g. 0.005 or 0.5pt."),
    ],
)
def test_a_margin_that_means_nothing_is_refused(given: Any, message: str) -> None:
    with pytest.raises(UsageError) as error:
        assay.compare(tags({}, 30), {"a": tags({1: 1}, 30), "b": tags({2: 1}, 30)}, "accuracy", margin=given)
    assert str(error.value).startswith(message)


def test_margins_by_measure_and_in_points_are_fractions() -> None:
    gold, systems = tags({}, 30), {"a": tags({1: 1}, 30), "b": tags({2: 1}, 30)}
    margins = [{"accuracy": 0.01, "sentence-accuracy": 0.03}, ["accuracy=1pt", "3pt"]]
    for margin in margins:
        tests = assay.compare(gold, systems, ["accuracy", "sentence-accuracy"], margin=margin).main_tests
        assert [row.margin for row in tests] == [0.01, 0.03]


def test_a_margin_that_no_difference_reaches_gets_a_note() -> None:
    systems = {name: tags({number: 1}, 30) for number, name in enumerate("abc")}
    note = "The margin of accuracy is larger than the difference between the highest and the lowest score."
    assert note in assay.compare(tags({}, 30), systems, "accuracy", margin=0.1).notes
    assert note not in assay.compare(tags({}, 30), systems | {"c": tags({}, 30)}, "accuracy", margin=0.001).notes


def test_a_system_can_be_as_good_as_the_annotators() -> None:
    """The lower end of the interval against the human ceiling decides, at the level of the tests."""
    rng = np.random.default_rng(4)
    people = {name: {str(item): "xy"[int(rng.random() < 0.08)] for item in range(300)} for name in "abcdef"}
    system = {str(item): "xy"[int(rng.random() < 0.06)] for item in range(300)}
    result = assay.agreement(people, "kappa", systems={"s": system}, margin="10pt", times=50)
    row = next(row for row in result.comparisons if row.a == "human ceiling")
    assert row.margin == 0.1
    assert row.low90 is not None and -0.1 < row.low90 < row.difference
    assert row.kind == "ceiling-as-good"
    assert "as good as the 6 annotators within the margin of 10 points" in result.verdict


def test_spans_are_compared_with_annotators_by_the_margin_too(tmp_path: Path) -> None:
    """Measures of pairs of annotators have no margin, and systems do."""
    names = ("anna", "ben", "carla", "dan")
    for number, name in enumerate(names):
        rows = [f"w{word}\t{'O' if (word + number) % 11 == 0 else 'B-PER'}\n" for word in range(120)]
        text = "".join(f"{row}\n" * ((place + 1) % 4 == 0) or row for place, row in enumerate(rows))
        (tmp_path / f"{name}.tsv").write_text(text, "utf-8")
    people = [str(tmp_path / f"{name}.tsv") for name in names]
    result = assay.agreement(people, "exact", systems={"s": people[1]}, margin={"exact": "19pt"}, times=20)
    row = next(row for row in result.comparisons if row.a == "human ceiling")
    assert (row.margin, row.kind) == (0.19, "ceiling-as-good")
    with pytest.raises(UsageError, match=r"--margin is for systems .* --system NAME=PATH"):
        assay.agreement(people, "exact", margin="5pt")


def test_p_of_a_system_below_the_annotators_is_that_of_the_system() -> None:
    """`p_not_worse` is of the side that scores higher, which are the annotators here."""
    rng = np.random.default_rng(4)
    people = {name: {str(item): "xy"[int(rng.random() < 0.05)] for item in range(300)} for name in "abcdef"}
    system = {str(item): "xy"[int(rng.random() < 0.07)] for item in range(300)}
    result = assay.agreement(people, "kappa", systems={"s": system}, margin="5pt", times=50)
    row = next(row for row in result.comparisons if row.a == "human ceiling")
    assert row.difference < 0 and row.kind == "ceiling-as-good"
    assert row.p_not_worse is not None and row.p_equivalent is not None and row.p_not_worse < row.p_equivalent
    assert f"p = {row.p_equivalent:.4f} for non-inferiority" in result.verdict


def test_differences_that_go_one_way_are_bounded_by_their_number() -> None:
    """30 of 600 sentences are wrong in b alone: Student's interval would end at -3.5 points, too near."""
    gold, a, b = tags({}, 600, 1), tags({}, 600, 1), tags(dict.fromkeys(range(30), 1), 600, 1)
    result = assay.compare(gold, {"a": a, "b": b}, "accuracy", margin="7pt")
    (row,) = result.main_tests
    assert (row.kind, row.few, row.p_equivalent) == ("trivial", False, None)
    assert row.high90 == pytest.approx(clopper_pearson(30, 600, 0.9)[1])
    assert f"allows a difference of at most {100 * row.high90:.2f} points" in result.verdict
    result = assay.compare(gold, {"a": a, "b": b}, "accuracy", margin="6.6pt")
    assert result.main_tests[0].kind == "different-margin-open"
    assert f"allows a difference of at most {100 * row.high90:.2f} points" in result.verdict


def test_the_interval_that_is_within_the_margin_is_shown() -> None:
    """The 95% interval goes beyond the margin, so that it does not support the verdict by itself."""
    a, b = (tags(dict.fromkeys(range(first, end), 1), 300) for first, end in ((0, 44), (44, 84)))
    result = assay.compare(tags({}, 300), {"a": a, "b": b}, "accuracy", margin="1.4pt", power=None)
    (row,) = result.main_tests
    assert row.kind == "equivalent" and row.low90 is not None and row.high90 is not None
    assert row.high90 < 0.014 < row.high
    values = [f"{100 * row.value:.2f}" for row in result.overall if row.main]
    assert f"({values[0]} against {values[1]}; a → b" in result.verdict
    assert re.search(rf"for equivalence, 90% interval −{-100 * row.low90:.2f} to \S+\)", result.verdict)


def sized(rng: np.random.Generator, units: int, kind: str) -> list[int]:
    """The sizes of units: all 1, or as different as those of sentences, with a few that are very long."""
    lengths = np.ones(units) if kind == "equal" else np.minimum(60, rng.pareto(1.5, units) * 3 + 1)
    return [int(length) for length in lengths]


@pytest.mark.slow
@pytest.mark.parametrize("sizes", ["equal", "unequal"])
@pytest.mark.parametrize(
    ("units", "margin", "both_ways"),
    [(20, 0.05, 0), (50, 0.2, 0), (100, 0.2, 0), (200, 0.1, 0), (200, 0.05, 0.05), (400, 0.03, 0.01)],
)
def test_a_system_that_is_worse_by_the_margin_passes_in_5_percent(
    units: int, margin: float, both_ways: float, sizes: str
) -> None:
    """The gate not-worse, if b is wrong on so many more units; with few units, and if all differences go one way."""
    rng, samples, passed = np.random.default_rng(7), 1000, 0
    for _ in range(samples):
        lengths, drawn = sized(rng, units, sizes), rng.random(units)
        sides = (drawn < margin + both_ways, drawn > 1 - both_ways)
        gold = [["N"] * length for length in lengths]
        b, a = ([["V" if x else "N"] * length for x, length in zip(side, lengths, strict=True)] for side in sides)
        result = assay.compare(gold, {"a": a, "b": b}, "accuracy", margin=f"{100 * margin}pt", times=20, power=None)
        passed += not Gates(unless="not-worse").unshown(result)
    assert passed / samples <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)
