"""Units and small samples: documents, few errors, runs and macro averages (cases/decisions)."""

from __future__ import annotations

import io
import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import assay
from assay.engine import run as shards
from assay.engine.finish import make_result
from assay.engine.options import Options
from assay.render import render
from assay.render.terminal import show
from assay.scale.partfiles import read_part, to_json
from assay.scale.run import part_of
from assay.stats.intervals import t_interval
from assay.stats.runs import run_variance, t_test
from assay.stats.significance import all_shuffles
from cases import each
from golden.test_chance import SPANS, WORDS, figures, spans

CASES = Path(__file__).parent.parent / "data" / "decisions"


def load(name: str) -> list[Any]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()]


def words(rows: Any) -> list[list[int]]:
    return [[right, total, total, total] for right, total in rows]


# --- intervals ---


@each("case", load("intervals"), ids=lambda case: case["id"])
def test_intervals_of_few_errors_and_of_documents(case: Any) -> None:
    expected, unit = case["expected"], case.get("unit", "sentence")
    row: Any
    if case["measure"] == "difference":
        sides = {name: words([(one[place], one[2]) for one in case["rows"]]) for place, name in enumerate("ab")}
        (row,) = figures("accuracy", WORDS, sides, unit).comparisons()
        assert row.difference == pytest.approx(expected["difference"], abs=1e-12)
    else:
        measure, fields, rows = "accuracy", WORDS, words(case["rows"]) if case["measure"] == "accuracy" else None
        if rows is None:
            measure, fields, rows = "exact", SPANS, spans(case["rows"])
        row = next(figures(measure, fields, {"s": rows}, unit).scores(labels=False, names=["f1"]))
        assert (row.value, row.effective_items, row.design_effect) == pytest.approx(
            (expected["value"], expected["items"], expected["design_effect"]), rel=1e-9
        )
        assert row.assumed == (expected["value"] in (0, 1))
    assert (row.low, row.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-9)
    if unit == "document":
        degrees = max(1, expected["effective_units"] - 1)
        assert (row.variance, row.df) == pytest.approx((expected["variance"], degrees), rel=1e-9)
    else:
        assert row.df == expected["units"] - 1


def test_the_variance_over_documents_is_that_of_leaving_each_out() -> None:
    """Also of scores that are no shares and of differences of F1."""
    rng = np.random.default_rng(5)
    sizes = rng.integers(2, 60, 12)
    rows = {name: [[rng.binomial(n, 0.7), *rng.integers(0, 9, 2)] for n in sizes] for name in "ab"}
    figured = figures("exact", SPANS, {name: spans(own) for name, own in rows.items()}, "document")
    table = {name: np.array(own, dtype=float) for name, own in rows.items()}

    def f1(sums: Any) -> float:
        return float(2 * sums[0] / (2 * sums[0] + sums[1] + sums[2]))

    def left_out(one: Any, other: Any) -> float:
        whole = f1(other.sum(axis=0)) - f1(one.sum(axis=0))
        parts = [
            f1(np.delete(other, unit, axis=0).sum(axis=0)) - f1(np.delete(one, unit, axis=0).sum(axis=0)) - whole
            for unit in range(len(one))
        ]
        return (len(one) - 1) / len(one) * float(np.sum(np.square(parts)))

    (tested,) = [row for row in figured.comparisons() if row.score == "f1"]
    assert tested.variance == pytest.approx(left_out(table["a"], table["b"]), rel=1e-9)
    # The size of a document is what gold and both systems have in it.
    weight = sum(one.sum(axis=1) + one[:, 0] for one in table.values())
    assert tested.df == pytest.approx(weight.sum() ** 2 / (weight**2).sum() - 1)


def test_the_variance_of_a_macro_average_is_that_of_leaving_each_sentence_out() -> None:
    rng = np.random.default_rng(1)
    gold = [[str(label) for label in rng.choice(list("ABCD"), 6, p=[0.5, 0.3, 0.18, 0.02])] for _ in range(30)]
    system = [[label if rng.random() < 0.8 else "A" for label in labels] for labels in gold]
    result = assay.score(gold, {"s": system}, ["tag-f1"], times=10)
    row = result.score("s", "tag-f1", "macro-f1")

    def macro(kept: list[int]) -> float:
        part = assay.score([gold[i] for i in kept], {"s": [system[i] for i in kept]}, ["tag-f1"], times=10)
        return part.score("s", "tag-f1", "macro-f1").value

    everything = list(range(30))
    changes = [macro(everything[:unit] + everything[unit + 1 :]) - row.value for unit in everything]
    assert row.variance == pytest.approx(29 / 30 * float(np.sum(np.square(changes))), rel=1e-9)
    counts = {one.label: one.counts["gold"] + one.counts["system"] for one in result.counts}
    assert row.too_short == tuple(label for label in "ABCD" if counts[label] < 10) == ("D",)
    assert result.score("s", "tag-f1", "weighted-f1").too_short == result.score("s", "tag-f1").too_short == ()


def test_intervals_that_are_too_short_or_assumed_are_marked_and_explained() -> None:
    gold = [["A", "B", "A", "C"], ["A", "B"]] * 15
    system = [["A", "B", "A", "A" if place < 10 else "C"][: len(tags)] for place, tags in enumerate(gold)]
    gold[0] = ["A", "B", "A", "D"]
    result = assay.score(gold, {"s": system, "g": gold}, ["tag-f1", "accuracy"], times=10)
    row, whole = result.score("s", "tag-f1", "macro-f1"), result.score("g", "accuracy")
    assert row.too_short == ("D",) and whole.assumed and not result.score("s", "accuracy").assumed
    shown = render(result, "md").replace("\\", "")
    assert f"{100 * row.value:.2f} ([{100 * row.low:.2f}, {100 * row.high:.2f}]†)" in shown
    assert "† This interval is too narrow, because some labels have fewer than 10 words" in shown
    assert f"100.00 [{100 * whole.low:.2f}, 100.00]‡" in shown and "the interval assumes a correlation of .1" in shown
    console = Console(width=34, file=io.StringIO())
    show(result, console, full=True)
    assert "†" not in console.file.getvalue() and "‡" not in console.file.getvalue()
    resampled = assay.score(gold, {"g": gold}, ["accuracy"], times=10, interval="percentile")
    assert not resampled.score("g", "accuracy").assumed


def test_lower_ends_fall_with_each_error() -> None:
    """The first twenty errors in sentences of their own, from 25 sentences on, but for .3 points."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        totals = 1 + rng.poisson(rng.uniform(1, 20), rng.integers(25, 80))
        before = 1.0
        for errors in range(21):
            rows = [[total - (place < errors), total, total, total] for place, total in enumerate(totals.tolist())]
            low = next(figures("accuracy", WORDS, {"s": rows}).scores(names=["f1"])).low
            assert low <= before + 0.003
            before = low


def test_units_that_have_no_items_and_a_document_that_has_all() -> None:
    rows = words([(30, 40), *[(0, 0)] * 11])
    (row,) = figures("accuracy", WORDS, {"s": rows}, "document").scores(names=["f1"])
    assert row.df == 1 and 0 <= row.low < 0.75 < row.high <= 1
    nothing = words([(0, 0)] * 12)
    (row,) = figures("accuracy", WORDS, {"s": nothing}, "document").scores(names=["f1"])
    assert math.isnan(row.value) and math.isnan(row.low) and row.variance is None


# --- runs ---


@each("case", load("runs"), ids=lambda case: case["id"])
def test_variance_over_runs(case: Any) -> None:
    totals, expected = np.array(case["totals"], dtype=float), case["expected"]
    values, scores = [], []
    for name in "ab":
        right = np.array(case[name], dtype=float)
        own = right.sum(axis=1) / totals.sum()
        values.append((right - own[:, None] * totals) / totals.sum())
        scores.append(own)
    found = run_variance(values, scores, np.ones(len(totals)))
    difference = float(scores[1].mean() - scores[0].mean())
    low, high = t_interval(difference, found.total, found.degrees + 1)
    told = {
        **{"difference": difference, "v_units": found.units, "v_runs": found.of_runs},
        **{"v_interaction": found.interaction, "variance": found.total, "df": found.degrees},
        **{"p": t_test(difference, found.total, found.degrees), "low": low, "high": high},
    }
    assert told == pytest.approx(expected, rel=1e-9)


# --- levels of families ---


def test_beside_many_tests_intervals_have_the_level_of_the_family() -> None:
    rng = np.random.default_rng(2)
    gold = [["A", "B", "C", "A"]] * 60
    systems = {
        name: [[label if rng.random() < share else "X" for label in labels] for labels in gold]
        for name, share in (("a", 0.6), ("b", 0.7), ("c", 0.9))
    }
    result = assay.compare(gold, systems, ["accuracy", "tag-f1"], times=100)
    for row in [row for row in result.comparisons if row.test == "shuffling"]:
        # Averages over labels are no claims of their own: each is tested over pairs alone.
        tests = 3 if row.score == "macro-f1" else 6
        assert row.level == pytest.approx(1 - 0.05 / tests)
        ends = t_interval(row.difference, row.variance, row.df + 1, -1, 1, row.level)
        assert (row.low_family, row.high_family) == pytest.approx(ends)
        assert row.low_family < row.low < row.high < row.high_family and not row.few
    alone = assay.compare(gold, {name: systems[name] for name in "ab"}, ["accuracy"], times=100).comparisons[0]
    assert (alone.level, alone.low_family, alone.high_family) == (0.95, alone.low, alone.high)
    few = assay.compare(gold[:19], {name: systems[name][:19] for name in "ac"}, ["accuracy"], times=100)
    assert few.comparisons[0].few
    sliced = assay.compare(gold, systems, ["accuracy"], times=100, slices="label")
    assert {row.level for row in sliced.comparisons if row.slice} == {None}


# --- documents as units ---


def conllu(folder: Path, name: str, documents: list[list[list[str]]], marked: bool = True) -> str:
    """A file of documents of sentences of tags."""
    lines = []
    for number, sentences in enumerate(documents):
        for place, tags in enumerate(sentences):
            lines += [f"# newdoc id = d{number}"] * (marked and place == 0)
            lines += [f"{i}\tw{i}\t_\t{tag}\t_\t_\t_\t_\t_\t_" for i, tag in enumerate(tags, 1)]
            lines.append("")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.conllu"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


def corpora(documents: int, seed: int = 0, most: int = 6) -> dict[str, list[list[list[str]]]]:
    """Gold and two systems, whose errors come by documents."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[list[list[str]]]] = {"gold": [], "a": [], "b": []}
    for _ in range(documents):
        hard = rng.uniform(0.6, 1)
        gold = [[str(tag) for tag in rng.choice(list("NVAP"), 5)] for _ in range(rng.integers(1, most))]
        found["gold"].append(gold)
        for name in "ab":
            found[name].append([[tag if rng.random() < hard else "X" for tag in tags] for tags in gold])
    return found


@each(("documents", "unit"), [(9, "sentence"), (10, "document"), (30, "document")])
def test_documents_are_the_unit_from_ten_on(documents: int, unit: str, tmp_path: Path) -> None:
    made = corpora(documents)
    here = tmp_path / str(documents)
    gold, a, b = (conllu(here, name, own) for name, own in made.items())
    result = assay.compare(gold, [a, b], ["accuracy"], times=100)
    sentences = sum(len(one) for one in made["gold"])
    assert (result.about.unit, result.about.units) == (unit, documents if unit == "document" else sentences)
    assert result.about.documents == (documents if unit == "sentence" else 0)
    assert result.about.cluster_ratio is not None and f"|unit:{unit}|" in result.signature
    asked = assay.compare(gold, [a, b], ["accuracy"], times=100, unit="sentence")
    assert (asked.about.unit, asked.about.units, asked.about.documents) == ("sentence", sentences, documents)
    assert asked.about.cluster_ratio == result.about.cluster_ratio
    told = [note for note in asked.notes if "standard error" in note]
    assert bool(told) == (not 1 / 1.2 <= asked.about.cluster_ratio <= 1.2)
    for row in result.scores:
        assert (row.df == sentences - 1) == (unit == "sentence")
    (row,) = [row for row in result.comparisons if row.test == "shuffling"]
    assert row.few == (row.units < 10 or (unit == "sentence" and sentences < 20))


def test_documents_of_one_sentence_each_and_files_without_marks_leave_sentences(tmp_path: Path) -> None:
    made = corpora(12, most=2)
    gold, a, _ = (conllu(tmp_path, name, own) for name, own in made.items())
    result = assay.score(gold, [a], ["accuracy"], times=100)
    about = result.about
    assert (about.unit, about.units, about.documents, about.cluster_ratio) == ("sentence", 12, 0, None)
    made = corpora(12)
    gold, a, _ = (conllu(tmp_path, name, own, marked=False) for name, own in made.items())
    result = assay.score(gold, [a], ["accuracy"], times=100)
    assert (result.about.unit, result.about.documents) == ("sentence", 0)


@each("documents", [6, 9, 10, 14, 40])
def test_one_file_shards_and_parts_choose_the_same_unit_and_give_the_same_digits(
    documents: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although no shard knows how many documents there are: shards of one document, and one of twelve among them."""
    made, here = corpora(documents, seed=documents), tmp_path / str(documents)
    whole = {name: conllu(here / "one", name, own) for name, own in made.items()}
    cuts = [0, 1, 2, 5, min(17, documents), documents]
    for name, own in made.items():
        for number, (first, end) in enumerate(pairwise(cuts)):
            if first < end:
                conllu(here / "many" / name, f"part{number}", own[first:end])
    options: dict[str, Any] = {"times": 100, "slices": ("label", "sentence-length")}
    measures = ["accuracy", "tag-f1", "sentence-accuracy"]
    one = assay.compare(whole["gold"], {name: whole[name] for name in "ab"}, measures, **options)
    gold, *systems = (str(here / "many" / name) for name in made)
    named = dict(zip("ab", systems, strict=True))
    monkeypatch.setattr(shards, "TEXT", 1)
    cut = assay.compare(gold, named, measures, **options)
    parts = []
    for share in ("1/3", "2/3", "3/3"):
        path = here / f"part{share[0]}.json"
        part = part_of("compare", gold, named, measures, Options(**options), share)
        path.write_text(to_json(part), "utf-8")
        parts.append(read_part(str(path)))
    merged = make_result(parts[0] + parts[1] + parts[2])
    assert one.about.unit == ("document" if documents >= 10 else "sentence")
    for other in (cut, merged):
        found, about = other.about, one.about
        assert (found.unit, found.units, found.documents) == (about.unit, about.units, about.documents)
        assert other.about.cluster_ratio == one.about.cluster_ratio
        assert repr(other.scores) == repr(one.scores)
        assert repr(other.comparisons) == repr(one.comparisons)


def test_runs_have_documents_for_units_too(tmp_path: Path) -> None:
    made, others = corpora(15), corpora(15, seed=1)
    others["gold"] = made["gold"]
    gold = conllu(tmp_path, "gold", made["gold"])
    rng = np.random.default_rng(4)
    runs = {
        name: [
            conllu(tmp_path, f"{name}{number}", [
                [[tag if rng.random() < 0.8 else "X" for tag in tags] for tags in one] for one in made["gold"]
            ])
            for number in (1, 2)
        ]
        for name in "ab"
    }  # fmt: skip
    result = assay.compare(gold, runs, ["accuracy"], times=100)
    assert (result.about.unit, result.about.units) == ("document", 15)
    (row,) = [row for row in result.comparisons if row.test == "runs"]
    assert row.runs is not None and row.runs.v_runs is not None
    assert (row.variance, row.df) == (row.runs.variance, row.runs.df)
    assert row.runs.df <= 2 or row.runs.v_runs < row.runs.v_units / 4
    for score in result.scores:
        assert score.runs is None or score.df is not None


# --- simulations ---

TIMES = 400


def error(times: int, share: float = 0.05) -> float:
    """Three standard errors of a share in so many samples."""
    return 3 * math.sqrt(share * (1 - share) / times)


def logistic(values: Any) -> Any:
    return 1 / (1 + np.exp(-values))


@pytest.mark.slow
@each("documents", [10, 20, 50, 100])
@each("spread", [0, 0.6, 1.2])
def test_intervals_over_documents_cover_and_their_tests_keep_the_level(
    documents: int, spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents of 12 sentences (with a log spread), whose difficulty varies by .6 logits, of a pair by .5 more.

    At least 93% less three standard errors, and no more than 5% of equal systems significant.
    """
    # Fewer shufflings are enumerated, which would take long so many times.
    monkeypatch.setattr(all_shuffles, "__defaults__", (4096,))
    rng = np.random.default_rng([documents, round(10 * spread)])
    truth = float(logistic(2.2 + 0.6 * np.random.default_rng(0).normal(size=1_000_000)).mean())
    covered, alarms = {"document": 0, "sentence": 0}, {"document": 0, "sentence": 0}
    trusted = differences = 0
    for _ in range(TIMES):
        sentences = np.maximum(2, np.rint(12 * np.exp(spread * rng.normal(size=documents)))).astype(int)
        of_document = np.repeat(np.arange(documents), sentences)
        total = 1 + rng.poisson(7, len(of_document))
        hard = 2.2 + 0.6 * rng.normal(size=documents)
        chances = {"s": hard} | {name: hard + 0.5 * rng.normal(size=documents) for name in "ab"}
        counts = {name: rng.binomial(total, logistic(own)[of_document]) for name, own in chances.items()}
        for unit in covered:
            parts = of_document if unit == "document" else np.arange(len(total))
            sums = np.array([np.bincount(parts, own) for own in (total, *counts.values())]).astype(int).tolist()
            rows = {name: words(zip(own, sums[0], strict=True)) for name, own in zip(counts, sums[1:], strict=True)}
            row = next(figures("accuracy", WORDS, {"s": rows.pop("s")}, unit).scores(names=["f1"]))
            (test,) = figures("accuracy", WORDS, rows, unit, times=500, power=None).comparisons()
            covered[unit] += row.low <= truth <= row.high
            alarms[unit] += test.p <= 0.05
            if unit == "document" and not test.few:
                trusted += 1
                ends = t_interval(test.difference, test.variance, test.df + 1)
                differences += ends[0] <= 0 <= ends[1]
    told = {unit: (covered[unit] / TIMES, alarms[unit] / TIMES) for unit in covered}
    print(f"{documents} documents, spread {spread}: {told}, difference {differences / trusted:.3f} of {trusted}")
    assert covered["document"] / TIMES >= 0.93 - error(TIMES)
    assert differences / trusted >= 0.93 - error(trusted)
    assert alarms["document"] / TIMES <= 0.05 + error(TIMES)


@pytest.mark.slow
@each("units", [30, 60, 100])
@each("accuracy", [0.97, 0.98, 0.99])
@each("within", [0.05, 0.1, 0.2])
def test_intervals_of_few_errors_cover(units: int, accuracy: float, within: float) -> None:
    """Errors of one sentence are correlated (`within`): at least 90%, less three standard errors."""
    rng = np.random.default_rng([units, round(1000 * accuracy), round(100 * within)])
    scale = (1 - within) / within
    covered = 0
    for _ in range(TIMES):
        total = 1 + rng.poisson(11, units)
        right = rng.binomial(total, rng.beta(accuracy * scale, (1 - accuracy) * scale, units))
        rows = words(zip(right.tolist(), total.tolist(), strict=True))
        row = next(figures("accuracy", WORDS, {"s": rows}).scores(names=["f1"]))
        covered += row.low <= accuracy <= row.high
    print(f"{units} sentences at {accuracy}, {within} within: {covered / TIMES:.3f}")
    assert covered / TIMES >= 0.90 - error(TIMES, 0.1)


@pytest.mark.slow
@each("runs", [(2, 2), (2, 5), (10, 2), (3, 3)])
@each("effect", [0, 1, 3])
@each("other", [1, 4])
def test_few_runs_keep_the_level(runs: tuple[int, int], effect: int, other: int) -> None:
    """Runs of the second system vary `other` times as much: equal systems differ significantly in 5% at most."""
    units, times = 200, 1000
    rng = np.random.default_rng([*runs, effect, other])
    rejected = 0
    for _ in range(times):
        common = rng.normal(size=units)
        own = [
            common
            + rng.normal(size=units)
            + effect * spread * rng.normal(size=(number, 1)) / math.sqrt(units)
            + rng.normal(size=(number, units))
            for number, spread in zip(runs, (1, other), strict=True)
        ]
        scores = [values.mean(axis=1) for values in own]
        found = run_variance([values / units for values in own], scores, np.ones(units))
        difference = float(scores[1].mean() - scores[0].mean())
        rejected += t_test(difference, found.total, found.degrees) <= 0.05
    print(f"{runs[0]} + {runs[1]} runs, effect {effect}, spreads 1 : {other}: {rejected / times:.3f}")
    assert rejected / times <= 0.05 + error(times)


@pytest.mark.slow
@each("units", [10, 30, 100, 300])
def test_intervals_of_macro_averages_cover_unless_a_label_is_too_rare(units: int) -> None:
    """Seven labels, the rarest .5%: at least 93% less three standard errors if each has 10 items or more."""
    rng = np.random.default_rng(units)
    labels, shares = np.array(list("ABCDEFG")), [0.4, 0.25, 0.15, 0.1, 0.06, 0.035, 0.005]
    known = np.array([0.97, 0.95, 0.95, 0.9, 0.85, 0.8, 0.6])

    def sample(number: int) -> tuple[Any, Any]:
        gold = rng.choice(7, size=(number, 12), p=shares)
        hard = rng.normal(size=(number, 1))
        kept = rng.random(gold.shape) < logistic(np.log(known / (1 - known))[gold] + 0.5 * hard)
        return labels[gold].tolist(), labels[np.where(kept, gold, rng.choice(7, size=gold.shape, p=shares))].tolist()

    def macro(number: int) -> tuple[Any, int]:
        gold, system = sample(number)
        result = assay.score(gold, {"s": system}, ["tag-f1"], times=1)
        return result.score("s", "tag-f1", "macro-f1"), len({label for labels in gold for label in labels})

    truth = macro(100_000)[0].value
    rows = [macro(units) for _ in range(TIMES)]
    holds = [row.low <= truth <= row.high for row, _ in rows]
    marked = np.mean([bool(row.too_short) for row, _ in rows])
    # A label that gold does not have is not in the average, which is another one then.
    trusted = [held for held, (row, seen) in zip(holds, rows, strict=True) if seen == 7 and not row.too_short]
    told = f"{np.mean(trusted):.3f} of {len(trusted)}" if trusted else "none"
    print(f"{units} sentences: all {np.mean(holds):.3f}, marked {marked:.3f}, others {told}")
    assert not trusted or np.mean(trusted) >= 0.93 - error(len(trusted))
