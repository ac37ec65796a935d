"""Power, runs, small samples, clusters and many systems: the cases of the specification (cases/chance)."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.bayesian.pairs import BayesOptions, Measured
from assay.bayesian.table import Rope, pair_runs
from assay.engine.build import decide_family
from assay.engine.counts import Counts, DistinctRows, JointCounts
from assay.engine.items import ONE
from assay.engine.measure import ByFields, Ranged, Ratio, find, measures
from assay.engine.scores import MeasureScores, Settings
from assay.render import render
from assay.render.pictures import list_figures
from assay.render.tables import tables
from assay.result import Result
from assay.result.chance import few_lines, power_lines, round_number
from assay.stats.intervals import score_interval, t_interval
from assay.stats.many import assign_letters, count_replications, rank_tests
from assay.stats.power import find_detectable
from assay.stats.runs import almost_stochastic_order, run_variance, t_test
from assay.stats.significance import all_shuffles, shuffling_test
from assay.stats.streams import SHUFFLING, generator, is_less, rows_text
from assay.stats.values import ValueScore
from assay.tasks.links.measures import FAIR as LINKED
from assay.tasks.relations.measures import KD
from cases import each
from unit.bayesian.tables import runs_of

CASES = Path(__file__).parent.parent / "data" / "chance"


def load(name: str) -> Any:
    return json.loads((CASES / f"{name}.json").read_text("utf-8"))


def figures(
    measure: str, fields: tuple[str, ...], systems: dict[str, Any], unit: str = "sentence", **settings: Any
) -> MeasureScores:
    """Figures of rows of counts, one per unit."""
    found = find(measure)
    counts = []
    for name, rows in systems.items():
        table = np.array(rows, dtype=np.int64)
        labels = {"labels": ("x",), "label": np.zeros(len(table), dtype=np.int32)} if measure == "exact" else {}
        counts.append((name, Counts(fields, len(table), np.arange(len(table)), table, **labels)))
    tallies = JointCounts.of(counts, found.fields_read, lambda: np.arange(len(counts[0][1].unit)), unit=unit)
    return MeasureScores(
        found, None, tallies, Settings(**{"seed": 0, "times": 1000, "interval": "score", **settings})
    )


def spans(rows: Any) -> list[list[int]]:
    return [[tp, fp, fn, tp + fn, tp + fp] for tp, fp, fn in rows]


SPANS = ("tp", "fp", "fn", "gold", "system")


# --- streams ---


@each("pair", ["a_b", "b_a"])
def test_a_stream_is_keyed_by_the_rows_of_a_pair(pair: str) -> None:
    case = load("streams")
    rows = np.array(case["rows_a_minus_b"])
    rows = rows[rows.any(axis=1)] * (1 if pair == "a_b" else -1)
    forth, back = DistinctRows.of(rows), DistinctRows.of(-rows)
    turned = is_less(forth.rows, forth.sizes, back.rows, back.sizes)
    chosen = back if turned else forth
    text = rows_text(SHUFFLING, chosen.rows, chosen.sizes)
    assert (text, turned) == (case[pair]["text"], case[pair]["flipped"])
    assert generator(0, text).integers(0, 2**32, 3).tolist() == case[pair]["first_draws"]


# --- intervals ---


@each("name", list(load("intervals")["f1"]))
def test_intervals_of_f1(name: str) -> None:
    case = load("intervals")["f1"][name]
    row = next(figures("exact", SPANS, {"s": spans(case["rows"])}).scores(labels=False, names=["f1"]))
    expected = case["expected"]
    if expected["low"] is None:
        assert math.isnan(row.low) and math.isnan(row.high) and row.interval == ""
    else:
        assert (row.value, row.low, row.high) == pytest.approx(
            (expected["f1"], expected["low"], expected["high"]), abs=1e-9
        )


@each("name", list(load("intervals")["accuracy"]))
def test_intervals_of_accuracy(name: str) -> None:
    case = load("intervals")["accuracy"][name]
    rows = [[right, total, total, total] for right, total in case["rows"]]
    (row,) = figures("accuracy", ("right", "gold", "system", "aligned"), {"s": rows}).scores(names=["f1"])
    expected = case["expected"]
    assert (row.value, row.low, row.high) == pytest.approx(
        (expected["value"], expected["low"], expected["high"]), abs=1e-9
    )


def test_a_label_has_the_interval_of_its_own_rows() -> None:
    case = load("intervals")["f1"]["small_counts A"]
    rows = list(figures("exact", SPANS, {"s": spans(case["rows"])}).scores(names=["f1"]))
    assert [row.label for row in rows] == [None, "x"]
    assert (rows[1].low, rows[1].high) == pytest.approx((rows[0].low, rows[0].high), rel=1e-12)


@each(
    ("measure", "fields", "row"),
    [
        ("document-entities", ("tp", "fp", "fn"), lambda tp, fp, fn: (tp, fp, fn)),
        ("ehealth-kd", KD, lambda tp, fp, fn: (tp, 0, 0, fn, fp)),
        ("link-mentions", SPANS, lambda tp, fp, fn: (tp, fp, fn, tp + fn, tp + fp)),
        ("fair-links", (*LINKED, "gold", "system"), lambda tp, fp, fn: (tp, *[0] * 6, fn, fp, tp + fn, tp + fp)),
        ("mor", ("right", "gold", "system"), lambda tp, fp, fn: (tp, tp + fn, tp + fp)),
    ],
)
def test_the_f1_of_every_task_has_the_interval_of_its_rows(measure: str, fields: Any, row: Any) -> None:
    case = load("intervals")["f1"]["small_counts A"]
    (found,) = figures(measure, fields, {"s": [row(*one) for one in case["rows"]]}).scores(names=["f1"])
    expected = case["expected"]
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected["f1"], expected["low"], expected["high"]), abs=1e-9
    )


NO_SHARES = {
    *(("pa", "f1"), ("wpa", "f1"), ("cwpa", "f1"), ("pos-accuracy", "f1"), ("leaf-ancestor", "value")),
    *(("srl-macro", "f1"), ("srl-macro", "precision"), ("srl-macro", "recall")),
    *(("b-cubed", "f1"), ("ceaf-e", "f1"), ("lea", "f1"), ("conll", "value")),
    *(("blanc", "f1"), ("blanc", "precision"), ("blanc", "recall")),
    *((name, score) for name in ("tedeval", "fair-tedeval", "cross-score") for score in ("value", "sentence-mean")),
}
"""Means, and harmonic means of two shares with other parts: their number of items is not known."""


KNOWN = (Ratio, Ranged, ByFields, ValueScore)


def test_scores_that_are_shares_say_so() -> None:
    of_pairs = [one for one in measures().values() if one.takes == "pair"]
    known = {(one.name, name): score for one in of_pairs for name, score in one.scores.items()}
    assert {key for key, score in known.items() if not isinstance(score, KNOWN)} == NO_SHARES


def test_a_mean_over_documents_is_worth_what_its_variance_says() -> None:
    """Not as few items as there are documents: values between 0 and 1 vary less than right and wrong do."""
    values = np.array([0.7, 0.8, 0.75, 0.85, 0.9, 0.8])
    fields = tuple(field for name in ("f1", "precision", "recall") for field in (name, f"{name}-documents"))
    rows = [[round(value * ONE), 1] * 3 for value in values]
    (row,) = figures("mentions(average=macro)", fields, {"s": rows}).scores(names=["f1"])
    mean, variance = values.mean(), values.var(ddof=1) / len(values)
    expected = score_interval(mean, mean * (1 - mean) / variance, len(values))
    assert (row.value, row.low, row.high) == pytest.approx((mean, *expected), abs=1e-9)
    assert mean * (1 - mean) / variance > len(values)


def test_a_score_that_is_another_in_slices_has_the_interval_of_that_one() -> None:
    """Where each side has right mentions of its own, F1 is the harmonic mean of two shares."""
    rows = [[3, 5, 2, 4], [4, 4, 4, 6], [1, 3, 2, 2], [2, 2, 1, 3]]
    figured = figures("mentions", ("right", "gold", "found", "system"), {"s": rows})
    (row,) = figured.scores(names=["f1"])
    right, gold, found, system = np.sum(rows, axis=0)
    recall, precision = right / gold, found / system
    assert row.value == pytest.approx(2 * recall * precision / (recall + precision))
    items = row.value * (1 - row.value) / figured.standard_error("f1", 0) ** 2
    assert (row.low, row.high) == pytest.approx(score_interval(row.value, items, 4), abs=1e-12)


@each("interval", ["score", "percentile", "bca"])
def test_counts_that_no_score_reads_change_no_digit(interval: str) -> None:
    plain = spans(load("intervals")["f1"]["small_counts A"]["rows"])
    other = [[*row[:4], 7 * number] for number, row in enumerate(plain)]
    one, two = (figures("exact", SPANS, {"s": rows}, interval=interval).scores() for rows in (plain, other))
    assert [(row.score, row.label, row.low, row.high) for row in one] == [
        (row.score, row.label, row.low, row.high) for row in two
    ]


def test_one_sentence_has_no_interval_and_is_told_of() -> None:
    result = assay.score([["A", "B"]], {"s": [["A", "A"]]}, ["accuracy"])
    assert all(math.isnan(row.low) for row in result.scores)
    assert "There is only 1 sentence, so there is no interval, and p = 1 means nothing." in result.warnings


# --- power ---


WORDS = ("right", "gold", "system", "aligned")


def of_words(case: Any) -> dict[str, Any]:
    """Units of one word, of which some are right in one system alone."""
    only_a, only_b, units = case["only_a"], case["only_b"], case["units"]
    a = [1] * only_a + [0] * only_b + [1] * (units - only_a - only_b)
    b = [0] * only_a + [1] * only_b + [1] * (units - only_a - only_b)
    return {name: [[right, 1, 1, 1] for right in rights] for name, rights in (("a", a), ("b", b))}


@each("case", load("power")["proportions"])
def test_power_of_units_that_differ_by_one(case: Any) -> None:
    (row,) = figures("accuracy", WORDS, of_words(case)).comparisons()
    power = row.power
    assert row.p == pytest.approx(case["p"], rel=1e-12)
    assert power is not None and power.needed_units == case["needed_units"]
    assert power.smallest_reachable_p == pytest.approx(case["smallest_reachable_p"])
    if case["mde"] is None:
        assert (power.mde, power.critical) == (None, None)
    else:
        differing = case["only_a"] + case["only_b"]
        critical = (2 * case["critical"] - differing) / case["units"]
        assert (power.mde, power.critical) == pytest.approx((case["mde"], critical), rel=1e-9)


@each("case", load("power")["alphas"])
def test_power_after_correction(case: Any) -> None:
    data = of_words({"only_a": 12, "only_b": 8, "units": 100})
    (row,) = figures("accuracy", WORDS, data, alpha=case["alpha"]).comparisons()
    assert row.power is not None and row.power.mde == pytest.approx(case["mde_n100"], rel=1e-9)


def test_what_could_have_been_found_is_said_in_a_line() -> None:
    case = load("power")["proportions"][4]
    (row,) = decide_family(list(figures("accuracy", WORDS, of_words(case)).comparisons()), "pairs", [False])
    assert row.kind == "not-shown"
    assert list(power_lines([row], "sentence", 500)) == [
        "With these 500 sentences, 48 of which differ between the systems, a true difference of 4.0 points would "
        "have been found with 80% probability. If the true difference is as observed (2.4 points), about 1,370 such "
        f"sentences would be needed (at least {round_number(row.power.needed_from)}, judging by the interval; if the "
        "true difference is near 0, no number is enough)."
    ]
    assert list(few_lines([row], "sentence")) == []
    data = of_words(load("power")["proportions"][2])
    (five,) = decide_family(list(figures("accuracy", WORDS, data).comparisons()), "pairs", [False])
    assert five.kind == "untestable"
    (line,) = power_lines([five], "sentence", 100)
    assert line.startswith(
        "This test set is too small for a significant result: the systems differ in only 5 sentences, and at least "
        "6 are needed."
    )
    assert line.endswith(
        "If the true difference is as observed (5.0 points), about 157 such sentences would be needed (between 69 "
        "and 480, because only 5 sentences differ)."
    )
    assert list(few_lines([replace(five, few=True)], "sentence")) == [
        "The systems differ in only 5 sentences, so the interval of the difference is too narrow. Rely on the exact "
        "p."
    ]
    assert list(power_lines([replace(row, kind="different")], "sentence", 500)) == []


def small_counts() -> dict[str, Any]:
    lines = (CASES.parent / "small_counts.csv").read_text("utf-8").split()[1:]
    rows = [[int(number) for number in line.split(",")][1:] for line in lines]
    return {"a": spans(row[:3] for row in rows), "b": spans(row[3:] for row in rows)}


def test_power_on_f1_by_all_swaps() -> None:
    case = load("power")["f1"]
    row = next(one for one in figures("exact", SPANS, small_counts()).comparisons() if one.score == "f1")
    assert row.exact and row.p == case["p"]
    assert row.power is not None
    assert (row.power.critical, row.power.mde) == pytest.approx((case["critical_difference"], case["mde"]), abs=1e-8)


def test_approximate_power_is_that_of_all_shufflings(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the difference; a significant one may be one step of sums away."""
    from assay.stats import power

    rng = np.random.default_rng(3)
    rows = rng.integers(0, 3, (12, 3))
    data = {"a": spans(rows.tolist() * 9), "b": spans(rng.permutation(rows).tolist() * 9)}
    found = []
    for most in (power._OUTCOMES, 0):
        monkeypatch.setattr(power, "_OUTCOMES", most)
        row = next(figures("exact", SPANS, data, times=200).comparisons())
        assert row.power is not None and row.power.mde is not None
        found.append(row.power)
    assert found[1].mde == pytest.approx(found[0].mde, rel=0.01)
    assert found[1].critical == pytest.approx(found[0].critical, rel=0.05)


@each("most", (1, 4))
def test_the_power_of_sums_is_that_of_any_difference(most: int) -> None:
    """Sums have a shorter way: one coin if all units have the same part, and no score of expected counts."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, most + 1, (2, 300))
    swaps, sizes = np.unique((a - b)[a != b], return_counts=True)
    sums = np.array([float(a.sum())]), np.array([float(b.sum())])

    def difference(first: Any, second: Any) -> Any:
        return (second - first)[..., 0] / len(a)

    def find(amounts: Any) -> Any:
        rows = swaps[:, None].astype(float)
        outcome = shuffling_test(*sums, rows, sizes, difference, lambda _: np.random.default_rng(1), 200)
        said = {"units": 300, "draws": 300, "alpha": 0.05, "chance": 0.8, "amounts": amounts}
        return find_detectable(*sums, rows, sizes, difference, outcome, (-0.1, 0.1), lambda _: rng, **said)

    short, usual = find(swaps), find(None)
    assert (short.critical, short.smallest) == pytest.approx((usual.critical, usual.smallest), rel=1e-9)
    assert (short.units, short.fewest, short.most) == (usual.units, usual.fewest, usual.most)


def test_units_that_differ_without_changing_the_score_show_no_difference_at_any_number() -> None:
    rows, sizes, sums = np.array([[1.0, -1.0]]), np.array([30]), (np.array([50.0, 20.0]), np.array([20.0, 50.0]))

    def difference(first: Any, second: Any) -> Any:
        return (second - first).sum(axis=-1) / 100

    def stream(_: str) -> np.random.Generator:
        return np.random.default_rng(1)

    outcome = shuffling_test(*sums, rows, sizes, difference, stream, 200)
    said = {"units": 100, "draws": 100, "alpha": 0.05, "chance": 0.8}
    for amounts in (None, np.array([0])):
        found: Any = find_detectable(
            *sums, rows, sizes, difference, outcome, (0.0, 0.0), stream, **said, amounts=amounts
        )
        assert found[:5] == (None, None, None, None, None) and found.plans == ()


# --- coverage: simulations ---


POPULATIONS = ("rule-person", "cascade-person")
SIMULATED = 400


def population(name: str) -> Any:
    with np.load(CASES / "populations.npz") as file:
        return file[name]


def names_of_populations() -> list[str]:
    with np.load(CASES / "populations.npz") as file:
        return sorted(file.files)


@pytest.mark.slow
@each("name", names_of_populations())
@each("units", [10, 30, 100, 1000])
def test_the_default_interval_covers_what_it_says(name: str, units: int) -> None:
    """At least 93%, less three standard errors of so many samples."""
    rows = population(name)
    rng = np.random.default_rng([units, len(rows)])
    tp, fp, fn = rows.sum(axis=0)
    truth = 2 * tp / (2 * tp + fp + fn)
    covered = made = 0
    for _ in range(SIMULATED):
        sample = rows[rng.integers(0, len(rows), units)]
        row = next(figures("exact", SPANS, {"s": spans(sample.tolist())}).scores(labels=False, names=["f1"]))
        if not math.isnan(row.low):
            made += 1
            covered += row.low <= truth <= row.high
    share = covered / made
    print(f"{name} n={units}: {share:.3f} of {made}")
    assert share >= 0.93 - 3 * math.sqrt(0.95 * 0.05 / made)


PAIRS = (("rule-person", "cascade-person"), ("accuracy-97", "accuracy-97b"), ("sparse-88", "sparse-90"))


@pytest.mark.slow
@each("pair", PAIRS)
@each("units", [10, 30, 100, 1000])
def test_intervals_of_differences_cover_and_tests_keep_their_level(
    pair: tuple[str, str], units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where enough units differ, 93% less three standard errors; equal systems are told apart in 5% at most."""
    # Fewer shufflings are enumerated, which would take long so many times.
    monkeypatch.setattr(all_shuffles, "__defaults__", (4096,))
    one, other = (population(name) for name in pair)
    f1 = [2 * rows.sum(axis=0)[0] / (rows.sum() + rows.sum(axis=0)[0]) for rows in (one, other)]
    truth = float(f1[1] - f1[0])
    rng = np.random.default_rng([units, 7])
    covered, enough, rejected = 0, 0, 0

    def compared(a: Any, b: Any) -> Any:
        data = {"a": spans(a.tolist()), "b": spans(b.tolist())}
        return next(figures("exact", SPANS, data, times=1000, power=None).comparisons())

    for _ in range(SIMULATED):
        drawn = rng.integers(0, min(len(one), len(other)), units)
        a, b = one[drawn], other[drawn]
        row = compared(a, b)
        if units >= 20 and row.units >= 10 and not math.isnan(row.low):
            enough += 1
            covered += row.low <= truth <= row.high
        swapped = rng.random(units) < 0.5
        c, d = np.where(swapped[:, None], b, a), np.where(swapped[:, None], a, b)
        rejected += compared(c, d).p <= 0.05
    share = covered / enough if enough else math.nan
    print(f"{pair[0]} {pair[1]} n={units}: covered {share:.3f} of {enough}, rejected {rejected / SIMULATED:.3f}")
    assert not enough or share >= 0.93 - 3 * math.sqrt(0.95 * 0.05 / enough)
    assert rejected / SIMULATED <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / SIMULATED)


# --- many systems ---


@each("case", load("many-systems")["letters"])
def test_letters_of_groups(case: Any) -> None:
    different = [frozenset(pair) for pair in case["different"]]
    assert assign_letters(case["order"], different) == case["letters"]


def test_ranks_over_data_sets() -> None:
    case = load("many-systems")["data_sets"]
    names = case["systems"]
    found = rank_tests(np.array(case["scores"]))
    assert dict(zip(names, found.ranks, strict=True)) == pytest.approx(case["mean_ranks"])
    assert (found.chi_square, found.p) == pytest.approx((case["friedman"]["chi2"], case["friedman"]["p"]))
    assert (found.f, found.f_p) == pytest.approx((case["iman_davenport"]["F"], case["iman_davenport"]["p"]))
    assert found.critical_difference == pytest.approx(case["critical_difference"], abs=1e-6)
    for kind in ("nemenyi", "wilcoxon", "wilcoxon_holm"):
        ours = {f"{names[a]}-{names[b]}": p for (a, b), p in getattr(found, kind).items()}
        assert ours == pytest.approx(case[kind], rel=1e-5), kind
    order = sorted(names, key=lambda name: case["mean_ranks"][name])
    for kind in ("wilcoxon_holm", "nemenyi"):
        different = {frozenset((names[a], names[b])) for (a, b), p in getattr(found, kind).items() if p <= 0.05}
        assert assign_letters(order, different) == case[f"letters_{kind}"]
    runs = [[[score, score] for score in row] for row in case["scores"]]
    scores: Any = {f"set {number}": dict(zip(names, row, strict=True)) for number, row in enumerate(runs)}
    data, _ = pair_runs(runs_of(scores), "accuracy", names, list(scores), common=False)
    for nemenyi, kind in ((False, "wilcoxon_holm"), (True, "nemenyi")):
        options = BayesOptions(nemenyi=nemenyi)
        ranks = Measured("accuracy", tuple(names), tuple(data), Rope(), (), options, {}).mean_ranks()
        assert ranks is not None
        assert (ranks.groups, ranks.by) == (case[f"letters_{kind}"], kind.partition("_")[0])


@each("case", load("replicability"))
def test_on_how_many_data_sets_a_claim_holds(case: Any) -> None:
    plain, fisher = (count_replications(case["p"], case["alpha"], independent=way) for way in (False, True))
    assert (plain.least, fisher.least) == (case["k_bonferroni"], case["k_fisher"])
    assert plain.partial == pytest.approx(case["partial_conjunction_bonferroni"], abs=1e-9)
    assert fisher.partial == pytest.approx(case["partial_conjunction_fisher"], abs=1e-9)
    assert list(plain.named) == case["holm_rejects"] and len(plain.named) == plain.least


def test_fisher_refuses_a_p_of_0() -> None:
    with pytest.raises(ValueError, match="above 0"):
        count_replications([0.0, 0.5], independent=True)


# --- runs ---


@each("case", load("runs"), ids=lambda case: f"{len(case['a'])} runs")
def test_runs_of_two_systems(case: Any) -> None:
    expected = case["expected"]
    values, scores = [], []
    for name in "ab":
        rows = np.array(case[name], dtype=np.float64)
        right, total = rows[..., 0], rows[..., 1]
        own = right.sum(axis=1) / total.sum(axis=1)
        values.append((right - own[:, None] * total) / total.sum(axis=1)[:, None])
        scores.append(own)
    found = run_variance(values, scores, np.ones(values[0].shape[1]))
    difference = float(scores[0].mean() - scores[1].mean())
    assert difference == pytest.approx(expected["difference_a_minus_b"])
    parts = (found.units, *found.runs, found.interaction, found.total, found.degrees, found.share_of_runs)
    names = ("v_units", "v_runs_a", "v_runs_b", "v_interaction", "variance", "df", "share_of_variance_from_runs")
    assert parts == pytest.approx([expected[name] for name in names], rel=1e-9)
    assert t_test(difference, found.total, found.degrees) == pytest.approx(expected["p"], rel=1e-9)
    units_only = t_test(difference, found.units, values[0].shape[1] - 1)
    assert units_only == pytest.approx(expected["p_units_only"], rel=1e-9)
    ends = t_interval(difference, found.total, found.degrees + 1)
    assert ends == pytest.approx((expected["low"], expected["high"]), rel=1e-9)


@pytest.mark.slow
@each("runs", [3, 5, 10])
@each("effect", [0, 1, 3])
def test_the_test_over_runs_keeps_its_level(runs: int, effect: int) -> None:
    """Equal systems are told apart in 5% at most, however strong seeds are; units alone tell them apart too often."""
    units, times = 200, 1000
    rng = np.random.default_rng([runs, effect])
    rejected = alone = 0
    for _ in range(times):
        seeds = effect * rng.normal(size=(2, runs, 1)) / math.sqrt(units)
        own = rng.normal(size=units) + rng.normal(size=(2, 1, units)) + seeds + rng.normal(size=(2, runs, units))
        scores = list(own.mean(axis=2))
        found = run_variance(list(own / units), scores, np.ones(units))
        difference = float(scores[1].mean() - scores[0].mean())
        rejected += t_test(difference, found.total, found.degrees) <= 0.05
        alone += t_test(difference, found.units, units - 1) <= 0.05
    print(f"{runs} runs, effect {effect}: rejected {rejected / times:.3f}, by units alone {alone / times:.3f}")
    assert rejected / times <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / times)
    assert effect < 3 or alone / times > 0.1


# --- names ---

DEMO = Path(assay.__file__).parent / "demo"
FILES = {
    "tags": ("english/gold.conllu", "english/hanta.conllu", "english/udpipe.conllu"),
    "dependencies": ("trees/gold.conllu", "trees/arc-eager.conllu", "trees/arc-hybrid.conllu"),
    "enhanced": ("graphs/gold.conllu", "graphs/learned.conllu", "graphs/rules.conllu"),
    "roles": ("graphs/gold.conll09", "graphs/learned.conll09", "graphs/rules.conll09"),
    "spans": ("entities/gold.tsv", "entities/crf-names.tsv", "entities/crf-shapes.tsv"),
    "relations": ("relations/gold.jsonl", "relations/learned.jsonl", "relations/rules.jsonl"),
    "links": ("links/gold.tsv", "links/context.tsv", "links/lookup.tsv"),
}


@each("task", list(FILES))
def test_names_and_order_change_no_digit_in_any_task(task: str) -> None:
    gold, *systems = (DEMO / name for name in FILES[task])
    measures = {"enhanced": ["elas"], "roles": ["srl"]}.get(task)
    result = assay.compare(gold, {"b": systems[0], "a": systems[1]}, measures, times=200)
    called = assay.compare(gold, {"x": systems[1], "y": systems[0]}, measures, times=200)
    same_digits(result, called, {"x": "a", "y": "b"})


def test_names_and_order_change_no_digit_across_frameworks() -> None:
    trees = DEMO / "trees"
    theories = [f"dep={trees / 'gold.conllu'}", f"ptb={trees / 'gold.mrg'}"]
    dep, ptb = trees / "arc-eager.conllu", trees / "pcfg-1.mrg"
    result = assay.cross(theories, [f"b@dep={dep}", f"a@ptb={ptb}"], times=200)
    called = assay.cross(theories, [f"x@ptb={ptb}", f"y@dep={dep}"], times=200)
    same_digits(result, called, {"x": "a", "y": "b"})


def same_digits(result: Result, called: Result, names: dict[str, str]) -> None:
    """Both have the same values, intervals and p; a pair the other way round has the other sign."""
    found: list[dict[str, str]] = []
    for one in (result, called):
        rows = {}
        for row in one.scores:
            key = (names.get(row.system, row.system), row.measure, row.score, row.label, row.slice)
            rows[repr(key)] = repr((row.value, row.low, row.high))
        for pair in one.comparisons:
            a, b, low, high = names.get(pair.a, pair.a), names.get(pair.b, pair.b), pair.low, pair.high
            if a > b:
                a, b, low, high = b, a, -high, -low
            key = (a, b, pair.measure, pair.score, pair.test, pair.slice)
            rows[repr(key)] = repr((low + 0.0, high + 0.0, pair.p, pair.p_adjusted))
        found.append(rows)
    assert result.comparisons
    assert found[0] == found[1]


# --- clusters ---


def clustered(values: list[int], clusters: list[str | None], folder: Path, name: str) -> str:
    """One word per sentence, tagged A in gold; right where the value is 1."""
    lines = []
    for value, cluster in zip(values, clusters, strict=True):
        lines += [f"# speaker = {cluster}"] * (cluster is not None)
        lines += [f"1\tw\t_\t{'A' if value else 'B'}" + "\t_" * 6, ""]
    path = folder / f"{name}.conllu"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), "utf-8")
    return str(path)


def test_clusters_have_the_standard_error_of_their_sums(tmp_path: Path) -> None:
    case = load("clusters")
    values, clusters, expected = case["values"], case["cluster"], case["expected"]
    gold = clustered([1] * len(values), clusters, tmp_path, "gold")
    system = clustered(values, clusters, tmp_path, "system")
    result = assay.score(gold, {"s": system}, ["accuracy"], column="UPOS", unit="meta:speaker")
    assert (result.about.unit, result.about.units) == ("speaker", expected["clusters"])
    assert "unit:meta:speaker" in result.signature
    (note,) = [note for note in result.notes if "standard error" in note]
    assert f"is {expected['ratio']:.1f} times as large" in note
    rows: dict[str, list[list[int]]] = {"units": [[value, 1, 1, 1] for value in values]}
    rows["clusters"] = [
        [sum(v for v, c in zip(values, clusters, strict=True) if c == name), *[clusters.count(name)] * 3]
        for name in sorted(set(clusters))
    ]
    for kind, key in (("units", "se_units"), ("clusters", "se_clusters")):
        error = figures("accuracy", WORDS, {"s": rows[kind]}).standard_error("f1", 0)
        assert error == pytest.approx(expected[key], rel=1e-9)
    (row,) = figures("accuracy", WORDS, {"s": rows["clusters"]}, unit="meta:speaker").scores(names=["f1"])
    assert (result.scores[0].low, result.scores[0].high) == pytest.approx((row.low, row.high), rel=1e-12)


def test_values_in_several_shards_are_one_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders read file by file give what one file gives."""
    from assay.engine import run

    case = load("clusters")
    values, clusters = case["values"], [f"{name}" for name in case["cluster"]]
    # Speakers alternate, so that each is in both files.
    order = sorted(range(len(values)), key=lambda index: (index % 2, index))
    values, clusters = [values[i] for i in order], [clusters[i] for i in order]
    both = ([1] * len(values), "gold"), (values, "a"), (values[::-1], "b")
    one = [clustered(rights, clusters, tmp_path / "one", name) for rights, name in both]
    for rights, name in both:
        for number, part in enumerate((slice(0, 8), slice(8, None))):
            clustered(rights[part], clusters[part], tmp_path / "many" / name, f"part{number}")
    options = {"unit": "meta:speaker", "column": "UPOS", "times": 200}
    whole = assay.compare(one[0], {"a": one[1], "b": one[2]}, ["accuracy", "tag-f1"], **options)
    monkeypatch.setattr(run, "TEXT", 1)
    folders = [str(tmp_path / "many" / name) for _, name in both]
    parts = assay.compare(folders[0], {"a": folders[1], "b": folders[2]}, ["accuracy", "tag-f1"], **options)
    assert parts.about.units == whole.about.units == 7
    assert repr(parts.scores) == repr(whole.scores)
    assert repr(parts.comparisons) == repr(whole.comparisons)


def test_sentences_without_the_key_and_a_single_value_are_refused(tmp_path: Path) -> None:
    from assay.errors import InputError, UsageError

    gold = clustered([1, 1, 1], ["x", None, "y"], tmp_path, "gold")
    with pytest.raises(InputError, match=r"gold.conllu:4: this sentence has no comment `# speaker = …`"):
        assay.score(gold, gold, ["accuracy"], column="UPOS", unit="meta:speaker")
    same = clustered([1, 1, 1], ["x", "x", "x"], tmp_path, "same")
    with pytest.raises(UsageError, match="all data have the same speaker, so there is nothing to resample"):
        assay.score(same, same, ["accuracy"], column="UPOS", unit="meta:speaker")


def test_almost_stochastic_order() -> None:
    case = load("aso")
    runs = {name: np.array(case[name]) for name in "ab"}
    for key, expected in case["eps_min"].items():
        first, _, second = key.split()
        found = almost_stochastic_order(runs[first], runs[second], np.random.default_rng(0))
        assert found == pytest.approx(expected[0], abs=0.05), key


def seeded(folder: Path, name: str, share: float, seed: int, gold: list[list[str]]) -> str:
    rng = np.random.default_rng(seed)
    path = folder / f"{name}.tsv"
    rows = [[label if rng.random() < share else "X" for label in labels] for labels in gold]
    words = [[f"w{place}\t{label}" for place, label in enumerate(labels)] for labels in rows]
    path.write_text("\n".join("\n".join(sentence) + "\n" for sentence in words), "utf-8")
    return str(path)


def test_runs_are_averaged_tested_and_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    gold = [[str(label) for label in rng.choice(list("ABC"), 8)] for _ in range(40)]
    reference = seeded(tmp_path, "gold", 1.1, 0, gold)
    a = [seeded(tmp_path, f"a-seed{number}", 0.8, number, gold) for number in (1, 2, 3)]
    b = [seeded(tmp_path, f"b-seed{number}", 0.85, 10 + number, gold) for number in (1, 2, 3)]
    measures = ["accuracy", "sentence-accuracy", "tag-f1"]
    apart = assay.compare(reference, [*a, *b], measures, times=100)
    assert any("a-seed1 and a-seed2 look like runs of one system" in line for line in apart.warnings)
    result = assay.compare(reference, [f"a={','.join(a)}", f"b={tmp_path}/b-seed*.tsv"], measures, times=100)
    assert [source.name for source in result.systems] == ["a", "b"]
    for name, files in (("a", a), ("b", b)):
        values = [apart.score(Path(file).stem, "accuracy").value for file in files]
        row = result.score(name, "accuracy")
        assert row.runs is not None and sorted(row.runs.values) == pytest.approx(sorted(values))
        assert row.value == pytest.approx(np.mean(values))
        assert (row.runs.low, row.runs.high, row.runs.spread) == pytest.approx(
            (min(values), max(values), np.std(values, ddof=1))
        )
        assert row.low < row.value < row.high
        told = " ".join(result.notes)
        runs = [f"{name} run {number} ({Path(file).name})" for number, file in enumerate(files, 1)]
        named = [value for value, run in zip(values, runs, strict=True) if run in told]
        assert named == [sorted(values)[1]]
    (tested,) = [row for row in result.comparisons if row.measure == "accuracy"]
    assert tested.test == "runs" and tested.runs is not None and tested.runs.p_runs is not None
    one, other = (result.score(name, "accuracy").value for name in "ab")
    assert tested.difference == pytest.approx(other - one)
    # Three against three: twenty ways, of which two are as extreme as can be.
    assert tested.runs.smallest_p_runs == 0.1
    assert tested.low < tested.difference < tested.high
    turned = assay.compare(reference, {"b": b, "a": a[::-1]}, measures, times=100)
    (back,) = [row for row in turned.comparisons if row.measure == "accuracy"]
    assert (back.p, back.low, back.high) == pytest.approx((tested.p, -tested.high, -tested.low), rel=1e-12)
    assert Result.from_json(result.to_json()).to_json() == result.to_json()
    shown = render(result, "md")
    assert "(3 runs, " in shown and "a-seed" in shown
    # Beside systems with one run, which alone have McNemar's test.
    mixed = assay.compare(reference, [f"a={','.join(a)}", *b[:2]], ["accuracy"], times=100)
    (table,) = [one for one in tables(mixed) if one.name == "tests"]
    mcnemar = {row[0].text: row[-1].text for row in table.rows}
    assert {pair: text == "–" for pair, text in mcnemar.items()} == {
        "a → b-seed1": True, "a → b-seed2": True, "b-seed1 → b-seed2": False,
    }  # fmt: skip
    # Whatever counts what one run did says so itself, be it alone in a paper.
    chosen = result.shown.remarks["median"]
    means = {"scores", "further-scores", "tests", "labels"}
    made = {one.name: one for one in tables(result)}
    noted = {name for name, one in made.items() if chosen in one.notes}
    assert noted == set(made) - means and {"differences", "bounds"} <= noted
    latex = render(result, "latex", ["label-differences"])
    assert all(text in latex for text in (", median runs.", "Of the median runs: a run "))
    assert "# What differs (accuracy), median runs\n" in render(result, "tsv")
    drawn = list_figures(result)
    assert drawn["labels-a-b"]().get_label().endswith(chosen) and drawn["confusion-a"]().get_label().endswith(chosen)
    of_one = assay.score(reference, {"a": a}, measures, times=100)
    assert "Errors are of the median run: a run " in of_one.notes[-1]


def test_runs_have_the_format_that_is_said_of_their_system(tmp_path: Path) -> None:
    """And where the median run is the other system's output, the systems are not said to be the same."""
    text = "Ann met Bob in Bonn ."
    spans = [{"start": 0, "end": 3, "label": "PER"}, {"start": 15, "end": 19, "label": "LOC"}]
    rows = [{"id": f"d{number}", "text": text, "spans": spans} for number in range(4)]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for name, answer in (("worse", "Ann (PER)"), ("same", "Ann (PER)"), ("better", "Ann (PER)\nBonn (LOC)")):
        lines = (json.dumps({"id": row["id"], "output": answer}) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text("".join(lines), "utf-8")
    worse, same, better = (str(tmp_path / f"{name}.jsonl") for name in ("worse", "same", "better"))
    systems, formats = {"gpt": f"{worse},{better}", "other": same}, ("gpt=answers", "other=answers")
    result = assay.compare(str(tmp_path / "gold.jsonl"), systems, ["exact"], input_format=formats)
    row = next(row for row in result.scores if row.main and row.system == "gpt")
    assert row.runs is not None and row.runs.values == pytest.approx((2 / 3, 1))
    assert "do not differ" not in render(result, "md")


def test_a_run_given_twice_is_refused_and_one_run_borrows_the_others_spread(tmp_path: Path) -> None:
    from assay.errors import UsageError

    gold = [["A", "B", "C"]] * 30
    reference = seeded(tmp_path, "gold", 1.1, 0, gold)
    runs = [seeded(tmp_path, f"r{number}", 0.8, number, gold) for number in (1, 2, 3)]
    with pytest.raises(UsageError, match="is given twice"):
        assay.score(reference, [f"a={runs[0]},{runs[0]}"], ["accuracy"])
    result = assay.compare(reference, {"a": runs[:2], "b": runs[2]}, ["accuracy"], times=100)
    (row,) = result.comparisons
    assert row.runs is not None and row.runs.p_runs is None
    assert row.runs.v_b == pytest.approx(2 * row.runs.v_a)
    assert "b has one run, so its spread over seeds is assumed to be that of a." in result.notes
