"""The whole way from runs to a Result: reference values, degenerate tables, and what must not change an answer."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.bayesian import bayes
from assay.bayesian.table import read_runs
from assay.errors import InputError, UsageError
from assay.render import render
from assay.result import Result
from assay.result.schema import Posterior, Thirds
from older import as_assay_1
from unit.bayesian.tables import HEADER, Scores, made, pair, runs_of, text_of
from unit.stats.runs import CASES, MEASURED, PAIRS, SIMULATED, accuracies

TWO = made({"a": 0.0, "b": 0.01})


def shares(one: Posterior) -> list[float]:
    return [value for thirds in (one.decision, one.region) for value in triple(thirds)]


def triple(thirds: Thirds) -> list[float]:
    return [thirds.a, thirds.equal or 0.0, thirds.b]


def simulated(name: str) -> Scores:
    x, y = (np.loadtxt(CASES / f"{name}_{side}.csv", delimiter=",") for side in "xy")
    return {f"set{number}": {"x": x[number], "y": y[number]} for number in range(len(x))}


# --- reference values ---


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_pairs_meet_the_reference_whole_way_through(name: str) -> None:
    one = pair(simulated(name), rope=PAIRS[name]["input"]["rope"])
    exact = PAIRS[name]["quadrature_fine"]
    found = np.array(shares(one)) if one.a == "x" else np.array(shares(one))[[2, 1, 0, 5, 4, 3]]
    assert found == pytest.approx([*exact["p"], *exact["mean_region"]], abs=0.003)
    assert one.error < 0.005
    assert [data.rho for data in one.by_data_set] == [0.1, 0.1]


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURED)
def test_percent_on_54_data_sets_meet_the_reference(name: str, shared_data: Callable[[str], Path]) -> None:
    blocks = accuracies(shared_data("statistics-accuracies"))
    given = PAIRS[name]["input"]
    x, y = blocks[given["x_block"]], blocks[given["y_block"]]
    one = pair({f"set{row}": {"x": x[row], "y": y[row]} for row in range(len(x))}, rope=given["rope"])
    exact = PAIRS[name]["quadrature_fine"]
    found = np.array(shares(one)) if one.a == "x" else np.array(shares(one))[[2, 1, 0, 5, 4, 3]]
    assert found == pytest.approx([*exact["p"], *exact["mean_region"]], abs=0.01)
    assert one.signed_rank is not None
    assert one.data_sets == 54
    assert not one.prior_curve


def test_a_difference_is_that_of_the_runs() -> None:
    one = pair(TWO)
    for data in one.by_data_set:
        runs = np.asarray(TWO[data.name]["b"]) - np.asarray(TWO[data.name]["a"])
        assert data.difference == pytest.approx(runs.mean())
        assert data.spread == pytest.approx(runs.std(ddof=1))
        assert data.b - data.a == pytest.approx(data.difference)
        assert (data.a_ahead, data.b_ahead) == ((runs < 0).sum(), (runs > 0).sum())
    assert [row.dataset for row in one.replications] == ["set0", "set1"]


# --- what changes nothing ---


def comparable(result: Result) -> dict[str, Any]:
    """All that is found, without where it came from."""
    found = json.loads(result.to_json())
    return {name: found[name] for name in ("bayes", "rankings", "scores", "warnings", "notes")}


THREE = made({"x": 0.0, "y": 0.001, "z": 0.012}, runs=10)


def test_the_order_of_rows_and_columns_changes_nothing() -> None:
    text = text_of(THREE)
    header, *lines = text.splitlines()
    random.Random(1).shuffle(lines)
    names = header.split(",")
    turned = [",".join(reversed(line.split(","))) for line in lines]
    other = "\n".join([",".join(reversed(names)), *turned])
    first, second = (bayes(read_runs("r", one, ""), rope=0.002, draws=5000) for one in (text, other))
    assert comparable(first) == comparable(second)


def test_the_same_runs_give_the_same_bytes() -> None:
    first, second = (bayes(runs_of(TWO), rope=0.002, draws=5000).to_json() for _ in range(2))
    assert first == second


def test_other_names_in_the_same_order_change_nothing_else() -> None:
    """Names decide ties alone, so that systems may be called as one likes."""
    renamed = {data: {name.upper(): row for name, row in rows.items()} for data, rows in THREE.items()}
    first, second = (bayes(runs_of(scores), rope=0.002, draws=5000) for scores in (THREE, renamed))
    assert [shares(one) for one in first.bayes] == [shares(one) for one in second.bayes]
    assert second.rankings[0].chain == first.rankings[0].chain.upper()


def test_exchanging_the_systems_exchanges_the_answers() -> None:
    swapped = {data: {"a": rows["b"], "b": rows["a"]} for data, rows in TWO.items()}
    there, back = pair(TWO), pair(swapped)
    assert (there.a, there.b, there.relation) == ("a", "b", "<")
    assert (back.a, back.b, back.relation) == ("b", "a", "<")
    assert shares(there) == shares(back)
    assert there.mean == back.mean


def test_a_measure_of_which_less_is_better_is_turned_round() -> None:
    errors = {data: {name: 1 - np.asarray(row) for name, row in rows.items()} for data, rows in TWO.items()}
    there, back = pair(TWO), pair(errors, lower=("accuracy",))
    assert (there.a, there.b) == (back.a, back.b)
    assert shares(there) == pytest.approx(shares(back), abs=1e-9)
    assert pair(errors).a == "b"


@pytest.mark.parametrize(("scale", "rope"), [(1, 0.002), (100, 0.2)])
@pytest.mark.parametrize("data_sets", [1, 2])
def test_a_difference_as_large_as_the_region_is_none(scale: float, rope: float, data_sets: int) -> None:
    """In floating-point numbers, 0.912 - 0.910 is more than 0.002."""
    runs = {
        f"set{number}": {"a": [scale * value for value in (0.910, 0.810, 0.710)],
                         "b": [scale * value for value in (0.912, 0.812, 0.712)]}
        for number in range(data_sets)
    }  # fmt: skip
    one = pair(runs, rope=rope)
    assert (one.model, triple(one.decision)) == ("constant", [0, 1, 0])
    assert {triple(data.decision)[1] for data in one.by_data_set} == {1}
    assert triple(pair(runs, rope=0.99 * rope).decision) == [0, 0, 1]


def test_percent_give_the_same_answers_as_fractions() -> None:
    percent = {data: {name: 100 * np.asarray(row) for name, row in rows.items()} for data, rows in TWO.items()}
    there, back = pair(TWO), pair(percent, rope=0.2)
    assert shares(there) == pytest.approx(shares(back), abs=0.002)
    assert there.mean is not None
    assert back.mean is not None
    assert back.mean.mean == pytest.approx(100 * there.mean.mean, rel=0.01)


def test_matrices_give_the_same_answers_as_a_table(tmp_path: Path) -> None:
    for name in ("a", "b"):
        lines = [" ".join(map(repr, map(float, rows[name]))) for rows in TWO.values()]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    files = [f"{name}={tmp_path / name}.txt" for name in ("a", "b")]
    result = bayes(files, rope=0.002, folds=10)
    assert shares(result.bayes[0]) == shares(pair(TWO))
    assert [source.path for source in result.systems] == [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    assert len({source.sha256 for source in result.systems}) == 2
    with pytest.raises(UsageError, match=r"show how runs are correlated\. .* for matrices --folds"):
        bayes(files, rope=0.002)
    assert bayes(files, rope=0.002, rho=0.1).bayes[0].by_data_set[0].rho == 0.1


# --- correlation ---


@pytest.mark.parametrize(
    ("counts", "folds", "rho", "expected"),
    [
        ("", 10, None, 0.1),
        ("", 5, "folds", 0.2),
        (",80,10", 10, "sizes", 1 / 9),
        (",80,10", 1, None, 1 / 9),
        (",80,10", 10, None, 0.1),
        ("", 10, 0.25, 0.25),
        ("", 10, "0.25", 0.25),
        ("", 10, 0, 0),
    ],
)
def test_rho_comes_from_folds_or_sizes_or_is_given(
    counts: str, folds: int, rho: str | float | None, expected: float
) -> None:
    more = ",n_train,n_test" if counts else ""
    runs = runs_of(made({"a": 0, "b": 0.01}, 1), folds=folds, more=more, counts=counts)
    result = bayes(runs, rope=0.002, rho=rho)
    assert result.bayes[0].by_data_set[0].rho == pytest.approx(expected)
    assert f"rho: {expected:.3g}." in " ".join(result.notes)


# --- degenerate tables ---


def test_identical_systems_are_identical_and_not_fitted() -> None:
    same = {data: {"a": rows["a"], "b": rows["a"]} for data, rows in TWO.items()}
    one = pair(same)
    assert (one.model, one.decision, one.region, one.relation) == ("identical", Thirds(0, 1, 0), Thirds(0, 1, 0), "≈")
    assert one.verdict == "a and b have identical scores in all 40 runs on accuracy."
    assert [(data.p, data.note) for data in one.by_data_set] == [(1.0, "no variation between runs")] * 2


def test_identical_systems_are_equal_without_a_region_too() -> None:
    same = {data: {"a": rows["a"], "b": rows["a"]} for data, rows in TWO.items()}
    one = pair(same, rope=0)
    assert (one.decision, one.relation) == (Thirds(0, 1, 0), "≈")


def test_differences_that_do_not_vary_are_counted_by_data_set() -> None:
    still = {
        "d": {"a": [0.5] * 5, "b": [0.6] * 5},
        "e": {"a": [0.5] * 5, "b": [0.501] * 5},
        "f": {"a": [0.5] * 5, "b": [0.4] * 5},
        "g": {"a": [0.5] * 5, "b": [0.5] * 5},
    }
    one = pair(still)
    assert (one.model, one.decision) == ("constant", Thirds(0.25, 0.5, 0.25))
    exact = pair(still, rope=0)
    assert exact.decision == Thirds(0.25, 0.25, 0.5)
    assert (one.kind, exact.kind, exact.claims) == ("bayes-none", "bayes-none", ("undecided",))
    assert exact.verdict.startswith("No difference on accuracy varies between runs, so there is no posterior: ")
    # Without any variation a test of each data set has nothing to say either.
    assert (one.better_on, exact.better_on) == (0, 0)


def test_a_data_set_without_variation_keeps_its_mean_and_is_named() -> None:
    scores = dict(made({"a": 0.0, "b": 0.01}))
    scores["still"] = {"a": [0.9] * 20, "b": [0.91] * 20}
    result = bayes(runs_of(scores), rope=0.002)
    one = result.bayes[0]
    assert one.by_data_set[2].difference == pytest.approx(0.01)
    treated = "still: no variation between runs; assumed to vary within the region of equivalence."
    assert one.notes == (treated,)
    assert f"a, b, accuracy: {treated}" in result.notes


def test_without_a_region_a_data_set_without_variation_needs_a_step_or_is_left_out() -> None:
    scores = dict(made({"a": 0.0, "b": 0.01}))
    scores["still"] = {"a": [0.9] * 20, "b": [0.91] * 20}
    (note,) = pair(scores, rope=0).notes
    assert note == "still: left out, because nothing varies and there is no region of equivalence."
    known = runs_of(scores, more=",denominator", counts=",1000")
    (note,) = bayes(known, rope=0).bayes[0].notes
    assert note == "still: no variation between runs; assumed to vary within half an item of a test part."


def test_equal_means_of_all_data_sets_are_noted() -> None:
    row = [0.01, 0.012, 0.008, 0.01]
    scores = {name: {"a": [0.5] * 4, "b": [0.5 + gain for gain in row]} for name in ("d", "e")}
    one = pair(scores)
    assert one.notes == (
        "All data sets have the same mean difference, so the spread of runs bounds the prior instead.",
    )
    assert sum(triple(one.decision)) == pytest.approx(1)


def test_an_odd_number_of_runs_and_unequal_numbers_are_allowed() -> None:
    scores = {
        data: {name: row[: 20 - 3 * number] for name, row in rows.items()}
        for number, (data, rows) in enumerate(TWO.items())
    }
    one = pair(scores)
    assert [data.runs for data in one.by_data_set] == [20, 17]
    assert one.runs == 37


def test_without_a_region_there_are_two_shares() -> None:
    one = pair(TWO, rope=0)
    assert one.decision.equal is None
    assert one.decision.a + one.decision.b == pytest.approx(1)
    assert one.rope_curve == ()


def test_by_default_a_wide_region_is_none_and_the_verdict_says_how_to_give_one() -> None:
    """Wilson's interval of .9 is more than a point wide for 10,000 items, and less for 20,000."""
    small, large = (bayes(runs_of(TWO, more=",denominator", counts=f",{items}")) for items in (10_000, 20_000))
    (one,), (other,) = small.bayes, large.bayes
    assert (one.rope, one.decision.equal, one.rope_curve) == (0.0, None, ())
    assert "rope:none" in small.signature
    assert " Every difference counts (to ignore differences of up to 1 point: --rope 0.01)." in one.verdict
    assert small.notes[:2] == (
        "Every difference counts (to ignore differences of up to 1 point: --rope 0.01).",
        "The default region is the width of a 95% interval (ci95). It is not used if it is more than 1 point or if "
        "the number of items (the column denominator) is not known.",
    )
    assert 0.007 < other.rope < 0.01 and other.decision.equal is not None
    region, items = f"{100 * other.rope:.3g} points", f"{20_000 * other.rope:.0f} items"
    assert f"{region} ({items} of a test part), from ci95, the width of a 95% interval." in other.verdict
    assert large.rankings[0].headline.endswith(f" (≈: within {region}, from ci95, the width of a 95% interval)")
    assert small.rankings[0].headline.endswith(") b")


def test_without_denominators_there_is_no_region_and_no_error() -> None:
    assert pair(TWO, rope=None).decision.equal is None


@pytest.mark.parametrize("full", [1.0, 100.0])
def test_means_differences_and_their_intervals_stay_within_the_range_of_scores(full: float) -> None:
    rng = np.random.default_rng(3)
    places = {"a": 0.05, "b": 0.95}
    few = {
        name: {system: full * np.clip(rng.normal(place, 0.1, 5), 0.02, 1) for system, place in places.items()}
        for name in ("d", "e")
    }
    result = bayes(runs_of(few), rope=0.02 * full, folds=5, rho=0.3)
    ends = [end for row in result.scores if row.slice for end in (row.low, row.high)]
    assert (min(ends), max(ends)) == (0.0, full)
    (one,) = result.bayes
    assert one.next is not None and one.mean is not None
    assert (one.next.low, one.next.high) == (-full, full)
    assert abs(one.next.mean) <= full
    for estimate in (one.mean, *(data.estimate for data in one.by_data_set)):
        assert -full <= estimate.low <= estimate.mean <= estimate.high <= full
    assert "so intervals are cut off at ±100 points." in render(result, "md")


def test_numbers_without_an_upper_bound_are_cut_at_zero_alone() -> None:
    rng = np.random.default_rng(3)
    seconds = {name: {system: rng.exponential(30, 6) for system in "ab"} for name in ("d", "e")}
    result = bayes(runs_of(seconds, "seconds", folds=6), "seconds", lower=["seconds"])
    (one,) = result.bayes
    assert one.decision.equal is None
    assert one.next is not None and max(-one.next.low, one.next.high) > 100
    assert min(row.low for row in result.scores if row.slice) == 0
    assert "--rope with their size in units of the measure" in one.verdict
    assert "cut to" not in render(result, "md")


def test_older_files_get_the_kinds_that_their_shares_allow() -> None:
    result = bayes(runs_of(TWO), rope=0.002, draws=2000)
    data = as_assay_1(result)
    for row in data["bayes"]:
        del row["kind"], row["claims"]
    assert Result.from_json(json.dumps(data)) == result


def test_one_data_set_has_the_correlated_t_test() -> None:
    result = bayes(runs_of(made({"a": 0, "b": 0.01}, 1)), rope=0.002)
    one = result.bayes[0]
    assert one.model == "correlated-t"
    assert one.decision == one.region == one.by_data_set[0].decision
    assert one.next is None
    assert not one.simplex
    assert (
        "On a single data set, the correlated t-test is used. It does not apply to other data sets." in result.notes
    )
    assert not result.warnings


def test_the_model_over_data_sets_can_be_forced_on_one() -> None:
    result = bayes(runs_of(made({"a": 0, "b": 0.01}, 1)), rope=0.002, hierarchical=True)
    assert result.bayes[0].model == "hierarchical"
    assert result.warnings[0].startswith("One data set says little about a new one, ")


def test_one_of_several_data_sets_can_be_chosen() -> None:
    result = bayes(runs_of(TWO), rope=0.002, datasets=["set1"])
    assert result.bayes[0].model == "correlated-t"
    assert [data.name for data in result.bayes[0].by_data_set] == ["set1"]


def test_a_single_system_has_intervals_and_no_comparison() -> None:
    result = bayes(runs_of({data: {"a": rows["a"]} for data, rows in TWO.items()}))
    assert (result.bayes, result.rankings) == ((), ())
    assert [row.slice for row in result.scores] == [None, "dataset:set0", "dataset:set1"]
    assert result.scores[1].low < result.scores[1].value < result.scores[1].high
    assert result.notes[0] == "There is only one system, so nothing is compared."


# --- few data sets ---


def test_few_data_sets_are_warned_of_once_for_all_measures() -> None:
    text = text_of(TWO) + text_of(TWO, "f1").partition("\n")[2]
    result = bayes(read_runs("r", text, ""), rope=0.002, draws=2000)
    assert [warning for warning in result.warnings if "data sets" in warning] == [
        "2 data sets say little about a new one, so the results depend much on the prior. The table 'How sure, "
        "and how large' (--table differences) shows in brackets how each share changes under other priors."
    ]
    for one in result.bayes:
        assert {(point.std0, point.delta0) for point in one.prior_curve} == {
            *((bound, 1.0) for bound in (3.0, 10.0, 100.0, 1000.0)),
            *((1000.0, bound) for bound in (0.75, 2.0, 5.0)),
        }
        assert "under other priors, the share for b is between" in one.verdict


def test_five_data_sets_have_no_warning_and_other_priors_if_asked() -> None:
    five = made({"a": 0.0, "b": 0.01}, data_sets=5, runs=10)
    assert not bayes(runs_of(five), rope=0.002, draws=2000).warnings
    assert not pair(five, draws=2000).prior_curve
    assert len(pair(five, draws=2000, priors=True).prior_curve) == 7


def test_the_curve_runs_from_no_region_to_three_times_the_chosen_one() -> None:
    one = pair(TWO)
    assert [point.rope for point in one.rope_curve] == pytest.approx(np.linspace(0, 0.006, 13).tolist())
    assert one.rope_curve[0].decision.equal is None
    assert one.rope_curve[4].decision == one.decision
    widths = [triple(point.region)[1] for point in one.rope_curve]
    assert widths == sorted(widths)


def test_draws_of_the_simplex_are_all_there() -> None:
    one = pair(TWO, draws=5000)
    assert sum(cell.draws for cell in one.simplex) == 5000
    assert all(cell.a + cell.b + (cell.up is False) < one.sides for cell in one.simplex)


# --- order ---


def test_systems_are_ordered_from_the_worst_to_the_best() -> None:
    scores = made({"best": 0.03, "worst": 0.0, "middle": 0.015}, data_sets=6, runs=10)
    (ranking,) = bayes(runs_of(scores), rope=0.002, draws=2000).rankings
    assert ranking.order == ("worst", "middle", "best")
    assert ranking.chain == "worst < middle < best"
    assert [(one.a, one.b) for one in ranking.relations if one.covers] == [("worst", "middle"), ("middle", "best")]
    assert [one.adjacent for one in ranking.relations] == [True, False, True]
    assert ranking.intransitive == ()


def test_a_chain_of_equivalences_that_hides_a_difference_is_flagged() -> None:
    scores = made({"x": 0.0, "y": 0.0015, "z": 0.003}, data_sets=12, runs=40)
    (ranking,) = bayes(runs_of(scores), rope=0.002, draws=2000).rankings
    assert ranking.chain == "x ≈ y ≈ z"
    assert ranking.intransitive == ("x ≈ y ≈ z, but x < z: the equivalences hide a difference.",)


# --- warnings and the rest ---


def test_left_out_runs_are_counted() -> None:
    scores = {data: dict(rows) for data, rows in TWO.items()}
    scores["set0"]["b"] = [float("nan"), *list(scores["set0"]["b"])[1:]]
    result = bayes(runs_of(scores), rope=0.002, common=True)
    assert result.warnings[0] == "accuracy: 1 measurement is missing or undefined, so 1 run was left out."
    assert result.bayes[0].by_data_set[0].rho == 0.1


def test_measures_that_are_no_scores_are_left_out_and_named() -> None:
    text = text_of(TWO) + "".join(f"set0,{name},1,{fold},seconds,12.5\n" for name in "ab" for fold in range(1, 11))
    result = bayes(read_runs("r", text, ""), rope=0.002)
    assert {one.measure for one in result.bayes} == {"accuracy"}
    note = "Not read as scores, because they exceed 1 or fall below 0: seconds. To compare them: -m"
    assert note in result.notes
    assert note not in bayes(read_runs("r", text, ""), "accuracy", rope=0.002).notes


def test_items_right_in_each_split_are_tested(tmp_path: Path) -> None:
    header = "dataset,a,b,repetition,fold,measure,only_a,only_b\n"
    (tmp_path / "p.csv").write_text(header + "set0,a,b,1,1,accuracy,26,80\nset0,b,a,1,2,accuracy,26,80\n")
    row = bayes(runs_of(TWO), rope=0.002, pairs=tmp_path / "p.csv").bayes[0].replications[0]
    assert (row.tested, row.significantly_better, row.significantly_worse, row.splits) == (2, 1, 1, 20)
    (tmp_path / "q.csv").write_text(header + "news,a,b,1,1,accuracy,26,80\n")
    other = bayes(runs_of(TWO), rope=0.002, pairs=tmp_path / "q.csv")
    assert "--pairs: no row matches these measures, data sets, systems and splits." in other.warnings


def test_a_result_goes_to_json_and_back() -> None:
    result = bayes(runs_of(THREE), rope=0.002, draws=2000)
    assert Result.from_json(result.to_json()) == result


def test_the_signature_says_how() -> None:
    result = bayes(runs_of(TWO), rope=0.002, draws=2000, seed=3, lower=("accuracy",))
    assert result.signature == (
        f"assay {assay.__version__}|bayes|runs.csv|rope:accuracy=0.002(given)|rho:0.1|draws:2000|seed:3"
        "|lower:accuracy|runs:sha256=000000000000"
    )


def test_other_runs_under_the_same_name_have_another_signature(tmp_path: Path) -> None:
    signatures = set()
    for last in ("0.9", "0.8"):
        rows = [f"d,{system},0,{fold},accuracy,0.{fold + 1}" for system in "ab" for fold in range(3)]
        rows[-1] = f"d,b,0,2,accuracy,{last}"
        (tmp_path / "r.csv").write_text("\n".join([HEADER, *rows]) + "\n")
        signatures.add(bayes(tmp_path / "r.csv", rope=0.01, draws=2000).signature)
    assert len(signatures) == 2


def test_an_unknown_header_is_refused_with_the_file_it_stands_in(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(HEADER.replace("fold", "Fold") + "\n")
    with pytest.raises(InputError, match=r"r\.csv:1: there is no column fold\."):
        bayes(tmp_path / "r.csv")
