"""Averages over data sets, their intervals and tests, and what is corrected together (cases/decisions)."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine.averages import average_score, average_test
from assay.engine.counts import Counts, JointCounts
from assay.engine.measure import find
from assay.engine.scores import MeasureScores, Settings
from assay.result import Comparison, Results, Score
from cases import each
from golden.test_tails import at_most

CASES = Path(__file__).parent.parent / "data" / "decisions"
FIELDS = ("right", "gold", "system", "aligned")


def load(name: str) -> list[Any]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()]


def counted(*systems: list[tuple[int, int]], turned: bool = False) -> MeasureScores:
    """Figures of accuracy, from the right and all items of each unit."""
    names = ("b", "a") if turned else ("a", "b")
    counts = []
    for name, rows in zip(names, systems, strict=False):
        table = np.array([[right, total, total, total] for right, total in rows])
        counts.append((name, Counts(FIELDS, len(table), np.arange(len(table)), table)))
    tallies = JointCounts.of(counts, find("accuracy").fields_read, lambda: np.arange(len(systems[0])))
    return MeasureScores(find("accuracy"), None, tallies, Settings(0, 1000, "score", None, keeps_evidence=True))


def variance_of(rows: Any, *, difference: bool) -> float:
    """The variance over units of a share, or of the difference of two, by the formula of the specification."""
    table = np.array(rows, dtype=float)
    totals = table[:, -1]
    values = table[:, 1] - table[:, 0] if difference else table[:, 0]
    rest = values - values.sum() / totals.sum() * totals
    return len(rows) / (len(rows) - 1) * float((rest**2).sum()) / totals.sum() ** 2


def comparisons_of(case: Any, *, turned: bool = False) -> list[Comparison]:
    found = []
    for units in case["sets"].values():
        sides = [[(row[0], row[2]) for row in units], [(row[1], row[2]) for row in units]]
        (test,) = counted(*sides[:: -1 if turned else 1], turned=turned).comparisons()
        # Of each data set the variance and the degrees of freedom are known.
        found.append(replace(test, variance=variance_of(units, difference=True), df=len(units) - 1.0))
    return found


def averaged(tests: list[Comparison], sizes: list[int], **more: Any) -> Comparison:
    difference = float(np.mean([test.difference for test in tests]))
    return average_test(tests, sizes, difference, **{"seed": 0, "times": 1000, **more})


DIFFERENCES, SCORES = (
    [case for case in load("averages") if (case.get("of") == "score") == score] for score in (False, True)
)


@each("case", DIFFERENCES, ids=lambda case: case["id"])
def test_differences_averaged_over_data_sets(case: Any) -> None:
    tests, sizes, expected = comparisons_of(case), [len(units) for units in case["sets"].values()], case["expected"]
    found = averaged(tests, sizes)
    assert found.difference == pytest.approx(expected["difference"][1], abs=1e-12)
    assert found.p == pytest.approx(float(Fraction(expected["p"][0])), rel=1e-9)
    assert found.method in ("enumerated", "exact") and found.p_low == found.p == found.p_high
    assert (found.variance, found.df) == pytest.approx((expected["variance"], expected["df"]), rel=1e-9)
    assert (found.low, found.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-9)
    for test, one in zip(tests, expected["by_set"].values(), strict=True):
        assert (test.difference, test.p) == pytest.approx((one["difference"], one["p"]), rel=1e-9, abs=1e-12)
    if len(tests) > 1:
        assert found.few == expected["few"]
        assert found.smallest_p == pytest.approx(2.0 ** (1 - found.units))
    # Neither the names and the order of data sets nor those of systems change a digit.
    back = averaged(comparisons_of(case, turned=True)[::-1], sizes[::-1])
    assert (back.p, back.low, back.high, back.units) == (found.p, -found.high, -found.low, found.units)


def test_sums_over_data_sets_are_convolved_where_all_ways_are_too_many() -> None:
    for case in DIFFERENCES:
        if len(case["sets"]) == 1:
            continue
        with at_most(1):
            found = averaged(comparisons_of(case), [len(units) for units in case["sets"].values()])
        assert found.method == "exact"
        assert found.p == pytest.approx(float(Fraction(case["expected"]["p"][0])), rel=1e-9)


@each("case", SCORES, ids=lambda case: case["id"])
def test_scores_averaged_over_data_sets(case: Any) -> None:
    rows = []
    for units in case["sets"].values():
        table = np.array(units, dtype=float)
        right, total = table.sum(axis=0)
        share, variance = right / total, variance_of(units, difference=False)
        wrong, good = (table[:, 0] < table[:, 1]).sum(), (table[:, 0] > 0).sum()
        seen = max(1.0, variance * total / (share * (1 - share))) if 0 < share < 1 else 1.0
        assumed = 1 + 0.1 * (total / len(units) - 1) * min(1, max(0, (30 - min(wrong, good)) / 24))
        items = total / max(seen, assumed)
        inner = (items * share + 0.5) / (items + 1)
        more = {"variance": variance, "df": len(units) - 1.0, "effective_items": items}
        row = Score("s", "accuracy", "f1", None, None, share, 0.0, 1.0, True, "score", **more)
        rows.append(replace(row, shrunk=(inner, inner * (1 - inner) / items)))
    found, expected = average_score(rows, "percent"), case["expected"]
    assert found.value == pytest.approx(expected["average"][1], abs=1e-12)
    assert (found.variance, found.df) == pytest.approx((expected["variance"], expected["df"]), rel=1e-9)
    assert found.effective_items == pytest.approx(expected["items"], rel=1e-9)
    assert (found.low, found.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-9)


def test_few_units_are_weighed() -> None:
    """One small data set beside a large one decides: 12 and 400 units, of which 62 differ."""
    small, large = ([(1, 1)] * 12, [(1, 1)] * 10 + [(0, 1)] * 2), ([(1, 1)] * 400, [(1, 1)] * 340 + [(0, 1)] * 60)
    tests = [next(counted(*sides).comparisons()) for sides in (small, large)]
    assert averaged(tests, [12, 400]).few
    assert not averaged([tests[1], tests[1]], [400, 400]).few


def test_a_mean_of_f1_is_tested_by_exchanging_within_each_data_set() -> None:
    """Against all ways of exchanging the outputs, data set by data set."""
    rng = np.random.default_rng(5)
    fields = ("tp", "fp", "fn", "gold", "system")
    sets, tests = [], []
    for units in (5, 6):
        gold = rng.integers(1, 4, units)
        sides = []
        for good in (0.8, 0.4):
            right = rng.binomial(gold, good)
            extra = rng.poisson(0.8, units)
            sides.append(np.column_stack([right, extra, gold - right, gold, right + extra]))
        sets.append(sides)
        labels = {"labels": ("x",), "label": np.zeros(units, dtype=np.int32)}
        counts = [Counts(fields, units, np.arange(units), side, **labels) for side in sides]
        named = list(zip("ab", counts, strict=True))
        tallies = JointCounts.of(named, find("exact").fields_read, lambda units=units: np.arange(units))
        settings = Settings(0, 1000, "score", None, keeps_evidence=True)
        tests += MeasureScores(find("exact"), None, tallies, settings).comparisons()
    assert [test.score for test in tests] == ["f1", "f1"]

    def mean_difference(signs: Any) -> float:
        found, place = 0.0, 0
        for a, b in sets:
            chosen = np.array(signs[place : place + len(a)])[:, None]
            place += len(a)
            one, other = np.where(chosen, b, a).sum(axis=0), np.where(chosen, a, b).sum(axis=0)
            found += (2 * other[0] / (other[3] + other[4]) - 2 * one[0] / (one[3] + one[4])) / 2
        return found

    values = np.array([mean_difference(signs) for signs in product((False, True), repeat=11)])
    expected = np.mean(np.abs(values) >= abs(values[0]) - 1e-12)
    found = averaged(tests, [5, 6])
    assert (found.method, found.p) == ("enumerated", pytest.approx(expected, rel=1e-12))
    assert found.difference == pytest.approx(values[0])


@pytest.mark.slow
@pytest.mark.parametrize(("accuracy", "sizes"), [(0.9, (30, 100)), (0.97, (40, 40, 40)), (0.8, (20, 200))])
def test_intervals_of_averages_cover_and_tests_keep_their_level(accuracy: float, sizes: tuple[int, ...]) -> None:
    """Sentences of 1 to 12 words, whose difficulty varies; both systems are equally good."""
    rng = np.random.default_rng(8)
    samples, covered, rejected, held, judged = 400, 0, 0, 0, 0
    for _ in range(samples):
        scores: list[Score] = []
        tests: list[Comparison] = []
        for number in sizes:
            total = rng.integers(1, 13, number)
            hard = rng.beta(20 * accuracy, 20 * (1 - accuracy), number)
            sides = [list(zip(rng.binomial(total, hard).tolist(), total.tolist(), strict=True)) for _ in "ab"]
            figures = counted(*sides)
            scores.append(next(figures.scores(names=["f1"])))
            tests += figures.comparisons()
        found = average_score(scores, "percent")
        covered += found.low <= accuracy <= found.high
        test = averaged(tests, list(sizes))
        rejected += test.p <= 0.05
        if not test.few:
            judged += 1
            held += test.low <= 0 <= test.high
    error = (0.95 * 0.05 / samples) ** 0.5
    assert covered / samples >= 0.93 - 3 * error
    assert rejected / samples <= 0.05 + 3 * error
    assert not judged or held / judged >= 0.93 - 3 * (0.95 * 0.05 / judged) ** 0.5


# --- families ---


def made(systems: int, sets: int) -> tuple[Any, dict[str, Any]]:
    """Gold and outputs of several systems, by data set."""
    right, wrong = ["A", "B", "C", "A"], ["B", "B", "C", "C"]
    gold = {f"d{number}": [right] * 12 for number in range(sets)}
    outputs = {
        f"s{system}": {
            name: [right if (unit + number) % (system + 2) else wrong for unit in range(12)]
            for number, name in enumerate(gold)
        }
        for system in range(systems)
    }
    return gold, outputs


@each("case", load("families"), ids=lambda case: case["id"])
def test_what_is_corrected_together(case: Any) -> None:
    design, expected = case["design"], case["expected"]
    gold, systems = made(design["systems"], design["data_sets"])
    measures = ["accuracy", "sentence-accuracy", "kappa"][: design["measures"]]
    if design["further_scores"]:
        measures = ["tag-f1"]
    options: dict[str, Any] = {"times": 20, "power": None, "baseline": "s0" if design["baseline"] else None}
    if design["data_sets"] == 1:
        outputs = {name: own["d0"] for name, own in systems.items()}
        result = assay.compare(gold["d0"], outputs, measures, **options)
        sizes = {(row.family.question, row.family.size) for row in result.main_tests if row.family}
        assert sizes == {("pairs", expected["headline"])}
        assert len(result.main_tests) == result.about.family == expected["headline"]
        return
    found = assay.compare_sets(gold, systems, measures, **options)
    assert {(row.family.question, row.family.size) for row in found.overall.main_tests if row.family} == {
        ("average", expected["average"])
    }
    assert len(found.overall.main_tests) == found.overall.about.family == expected["average"]
    of_sets = [row for result in found.sets.values() for row in result.main_tests]
    assert {(row.family.question, row.family.size) for row in of_sets if row.family} == {
        ("data sets", expected["by_set"])
    }
    assert len(of_sets) == expected["by_set"]
    assert {result.about.family for result in found.sets.values()} == {expected["by_set"]}
    # The index and the page of a data set show the same number.
    index = {(row.slice, row.a, row.b, row.measure): row for row in found.overall.comparisons if row.slice}
    for name, result in found.sets.items():
        for row in result.main_tests:
            same = index[f"dataset:{name}", row.a, row.b, row.measure]
            assert (same.p, same.p_adjusted, same.kind, same.claims) == (row.p, row.p_adjusted, row.kind, row.claims)
            assert row.evidence is None


def test_jobs_change_no_digit_of_averages(tmp_path: Path) -> None:
    """What a test over data sets needs comes back from other processes."""
    gold, systems = made(3, 2)
    for name, sentences in gold.items():
        for title, own in {"gold": sentences, **{system: own[name] for system, own in systems.items()}}.items():
            text = "".join("".join(f"w\t{tag}\n" for tag in tags) + "\n" for tags in own)
            (tmp_path / f"{name}.{title}.tsv").write_text(text, "utf-8")
    found = []
    for jobs in (1, 2):
        paths = {name: str(tmp_path / f"{{data}}.{name}.tsv") for name in systems}
        found.append(assay.compare_sets(str(tmp_path / "{data}.gold.tsv"), paths, times=50, jobs=jobs))
    assert found[0].overall.comparisons == found[1].overall.comparisons
    rows = found[0].overall.main_tests
    assert {row.method for row in rows} <= {"enumerated", "exact"} and len(rows) == 6
    again = Results.from_json(found[0].to_json())
    assert again.overall.main_tests == rows
