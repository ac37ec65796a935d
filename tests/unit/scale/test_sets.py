"""Several data sets in one run: averages, wins and tests over them, what is missing, and what is refused."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import assay
from assay.bayesian.table import RunTable
from assay.engine.sets import over_sets
from assay.experiment.tables import read_measurements
from assay.render import render
from assay.render.page import pages
from assay.render.terminal import show
from assay.result import Family, Results, RunScores
from assay.stats.many import rank_tests
from cases import each
from unit.samples import refusal

WORDS = 40
FAST = {"times": 200, "measures": "accuracy"}


def tags(*wrong: int) -> list[list[str]]:
    """A sentence for each word, with these words wrong."""
    return [["B" if word in wrong else "A"] for word in range(WORDS)]


@pytest.fixture(scope="module")
def three() -> Results:
    """Two systems: A is ahead by 8 words (exact p = 2/2⁸) and by 6 (2/2⁶), B by one."""
    outputs = {
        "A": {"one": tags(), "two": tags(), "three": tags(0)},
        "B": {"one": tags(*range(8)), "two": tags(*range(6)), "three": tags()},
    }
    return assay.compare_sets(dict.fromkeys(("one", "two", "three"), tags()), outputs, **FAST)


def test_averages_wins_and_tests_over_data_sets(three: Results) -> None:
    a, b = three.overall.systems_over_sets
    assert (a.system, a.data_sets, a.rank, a.best, a.significant) == ("A", 3, 4 / 3, 2, 1)
    assert a.average == pytest.approx((1 + 1 + 0.975) / 3)
    assert (b.best, b.significant) == (1, 0)
    (pair,) = three.overall.pairs_over_sets
    assert pair.difference == pytest.approx((-0.2 - 0.15 + 0.025) / 3)
    assert (pair.a_better, pair.b_better, pair.a_significant, pair.b_significant) == (2, 1, 1, 0)
    assert math.isnan(pair.signed_rank)
    (average,) = three.overall.main_tests
    # Of 15 units that differ 14 are for A, and none weighs more than another: 32 of 2¹⁵ ways are as extreme.
    assert (average.difference, average.p, average.units) == (pair.difference, 32 / 2**15, 15)
    assert (average.p_adjusted, average.method, average.family) == (average.p, "enumerated", Family("average", 1))
    rows = {row.slice: row for row in three.overall.comparisons}
    assert [rows[f"dataset:{name}"].p for name in three.sets] == [2 / 2**8, 2 / 2**6, 1.0]
    assert [rows[f"dataset:{name}"].p_adjusted for name in three.sets] == [3 * 2 / 2**8, 2 * 2 / 2**6, 1.0]
    assert {row.family for row in rows.values()} == {Family("average", 1), Family("data sets", 3)}
    # What a data set could have shown is asked at the level of all of them.
    assert {row.power.alpha for result in three.sets.values() for row in result.main_tests if row.power} == {0.05 / 3}
    assert three.overall.verdict_data.kind == "average-different"
    assert three.overall.verdict.startswith("A is 10.83 points better than B on accuracy, averaged over these 3 data")
    assert three.overall.score("B", "accuracy").value == pytest.approx((0.8 + 0.85 + 1) / 3)
    assert three["two"].score("B", "accuracy").value == 0.85
    assert refusal(three.__getitem__, "tow") == "there is no data set 'tow'. Did you mean two?"


def test_the_best_is_marked_where_it_is_ahead_of_every_other() -> None:
    """It is if each pair is, after one correction over all pairs and data sets."""
    outputs = {"A": {"one": tags(), "two": tags()}}
    outputs |= {name: {"one": tags(*range(9)), "two": tags(*range(wrong))} for name, wrong in (("B", 9), ("C", 5))}
    found = assay.compare_sets({"one": tags(), "two": tags()}, outputs, **FAST)
    # 2/2⁹ twice on the first, times six; on the second 2/2⁵, though 2/2⁹ against B.
    assert [(row.system, row.best, row.significant) for row in found.overall.systems_over_sets] == [
        *(("A", 2, 1), ("B", 0, 0), ("C", 0, 0)),
    ]
    # Where a rival has no output nobody is ahead of all, and the verdict counts what the average is over.
    golds = {name: tags() for name in ("one", "two", "three")}
    lacking = {name: {**own, "three": tags(*range(9 * (name != "A")))} for name, own in outputs.items()}
    del lacking["C"]["three"]
    partly = assay.compare_sets(golds, lacking, **FAST).overall
    assert partly.systems_over_sets == found.overall.systems_over_sets
    assert [row.data_sets for row in partly.pairs_over_sets] == [3, 2, 2]
    scores, tests = partly.tables[0], next(one for one in partly.tables if one.name == "data-sets")
    assert scores.rows[2][:3] == ("three", ("", 1.0), ("", 1 - 9 / WORDS)) and (2, 1) not in scores.bold
    assert tests.header[-1] == "p (Holm)"
    assert "Holm correction for 7 tests (pairs, measures and data sets)" in tests.notes[0]
    # What was not tested is not said.
    golds = {"one": tags(), "two": tags()}
    based = assay.compare_sets(golds, outputs, **FAST, baseline="B").overall
    assert [(row.a, row.b, row.family) for row in based.main_tests] == [
        *(("A", "B", Family("average", 2)), ("B", "C", Family("average", 2))),
    ]
    assert "*" not in " ".join(based.tables[0].notes)
    table = found.overall.tables[0]
    assert table.header == ("system", "one", "two", "average", "95% interval", "mean rank", "best on")
    assert table.rows[0][1:3] == (("*", 1.0), ("", 1.0))
    assert (0, 1) in table.bold and (0, 2) in table.bold
    assert "| A | **\\*100.00** | **100.00** |" in render(found, "md")
    assert "100.00\t100.00\t100.00\t95.28–100.00\t1.00\t2" in render(found, "tsv")


def test_many_data_sets_are_rows_and_their_ranks_are_tested() -> None:
    rng = np.random.default_rng(1)
    numbers = {name: rng.integers(low, low + 6, 8) for name, low in (("A", 0), ("B", 3), ("C", 12))}
    golds = {f"set {index}": tags() for index in range(8)}
    outputs = {
        name: {data: tags(*range(wrong)) for data, wrong in zip(golds, own, strict=True)}
        for name, own in numbers.items()
    }
    found = assay.compare_sets(golds, outputs, **FAST).overall
    expected = rank_tests(np.array([1 - own / WORDS for own in numbers.values()]).T)
    (ranks,) = found.ranks
    assert ranks.friedman_p == expected.p
    assert list(ranks.ranks.values()) == sorted(expected.ranks.tolist())
    assert [row.rank for row in found.systems_over_sets] == pytest.approx(expected.ranks.tolist())
    assert [row.signed_rank for row in found.pairs_over_sets] == list(expected.wilcoxon.values())
    assert "Friedman" not in found.verdict and "Friedman" in render(found, "md")
    scores = found.tables[0]
    assert scores.header == ("data set", "A", "B", "C")
    assert [row[0] for row in scores.rows[-4:]] == ["average", "95% interval", "mean rank", "best on"]


def test_a_system_that_lacks_a_data_set_has_a_dash_and_averages_are_over_the_others(
    file: Callable[[str, str], str],
) -> None:
    for data in ("de", "en"):
        for name, tag in (("gold", "A"), ("a", "A"), ("b", "B")):
            if (data, name) != ("de", "b"):
                file(f"{data}/{name}.tsv", f"w\t{tag}\n\nw\tA\n\n" * 12)
    found = assay.compare_sets("{data}/gold.tsv", ["{data}/a.tsv", "{data}/b.tsv"], **FAST)
    assert list(found.sets) == ["de", "en"]
    assert [(row.data_sets, row.average) for row in found.overall.systems_over_sets] == [(1, 1.0), (1, 0.5)]
    told = (
        "b has no output for de, so averages, ranks and bests are computed over the data sets that all systems have."
    )
    assert told in found.overall.warnings
    scores = found.overall.tables[0]
    assert "Average, rank and best are computed over the 1 data set that all systems have, without de." in (
        scores.notes
    )
    assert "| de | 100.00 | – |" in render(found, "md")
    assert [row.data_sets for row in found.overall.pairs_over_sets] == [1]
    # Of one data set the average is what it is there.
    (own,), (average,) = found["en"].main_tests, found.overall.main_tests
    assert (average.p, average.low, average.high) == (own.p, own.low, own.high)


@each(
    ("data", "systems", "message"),
    [
        ("no/{data}.tsv", {"a": "{data}"}, "no/{data}.tsv: no file matches this pattern."),
        (
            "{data}.gold",
            {"a": "a.out"},
            "a.out: would be the output of a for every data set. Write {data} in the path where the names of the "
            "data sets go.",
        ),
        ("{data}.gold", ["out/{data}"], "out/{data}: the system has no name. Give it one: NAME=out/{data}"),
        (
            "{data}.gold",
            {"a": "{data}.non"},
            "de.non: does not exist, and a has no output for any other data set either.",
        ),
        (
            "{data}.gold",
            {"a": {"en": "en.gold"}},
            "data set de: no system has an output for it. Leave it out.",
        ),
        ("de", {"a": "{data}"}, "--data de: should be NAME=GOLD, a pattern with {data}, or a TOML file."),
        ({}, None, "no data set is given. Give --data NAME=GOLD, or a pattern: --data 'gold/{data}.conllu'"),
        ("{data}.gold", None, "no system is given. Give e.g. udpipe='out/{data}/udpipe.conllu'"),
        ("no.toml", None, "no.toml: cannot be read (no such file or directory)."),
        ("bad.toml", None, "bad.toml: there is no 'dat' here. It should contain the tables [data] and [systems]."),
        ("number.toml", None, "number.toml: de should be a path in quotes."),
        (["x=1", "x=2"], {"a": "{data}"}, "--data: two data sets are called 'x'."),
        (
            "{data}.gold",
            {"a": "{data}.conllu"},
            "data set de: de.conllu: unknown format. `assay formats` lists the known ones; name it with "
            '--input-format, e.g. --input-format conll or "tsv(word=2)"; for a label per line, or a row per '
            "item: --task items.",
        ),
    ],
    ids=lambda case: str(case[2]),
)
def test_what_is_refused(data: object, systems: object, message: str, file: Callable[[str, str], str]) -> None:
    for name in ("de", "en"):
        file(f"{name}.gold", "w\tA\n\n")
        file(f"{name}.conllu", "1\n\n")
    file("bad.toml", "dat = 1")
    file("number.toml", "[data]\nde = 1")
    assert refusal(assay.compare_sets, data, systems) == message


def test_data_sets_of_two_tasks_are_refused_and_of_two_columns_said(three: Results) -> None:
    sets = dict(three.sets)
    assert refusal(over_sets, {**sets, "two": sets["two"].with_about(task="spans")}) == (
        "one is evaluated as tags, but two as spans. All data sets of a run need the same task. Choose one: --task"
    )
    other = over_sets({**sets, "two": sets["two"].with_about(column="XPOS")}).overall
    assert "the compared column differs between data sets" in other.warnings[0]
    assert other.warnings[1] == "one, two and three have the same gold but count as different data sets."


def test_warnings_of_data_sets_are_shown_with_their_names(three: Results) -> None:
    result = three.sets["one"]
    same = "A and B give the same answers everywhere."
    texts = {
        "de": [same, "1 of 30 sentences was left out.", "few."],
        "en": [same, "1 of 40 sentences was left out."],
        "fr": [same, "few.", *(f"B: fr/b.tsv:{i}: 'x' here" for i in range(5))],
    }
    sets = {name: replace(result, warnings=tuple(lines)) for name, lines in texts.items()}
    assert over_sets(sets).overall.warnings[1:] == (
        "all data sets: A and B give the same answers everywhere.",
        "de: 1 of 30 sentences was left out.",
        "en: 1 of 40 sentences was left out.",
        "de and fr: few.",
        "fr: B: fr/b.tsv:0: 'x' here",
        "fr: B: fr/b.tsv:1: 'x' here",
        "fr: B: fr/b.tsv:2: 'x' here",
        "There are more warnings of this kind, in the page and the JSON of each data set (fr 2).",
    )


def test_json_goes_there_and_back_and_every_format_shows_it(three: Results) -> None:
    again = Results.from_json(three.to_json())
    assert again.to_json() == three.to_json()
    for form in ("tsv", "csv", "md", "latex", "flat", "runs"):
        assert render(again, form) == render(three, form)
    assert "one & \\textbf{{*}100.00} & 80.00 \\\\" in render(three, "latex")
    flat = three.flat()
    assert flat["accuracy/B"] == three.overall.score("B", "accuracy").value
    assert flat["two/accuracy/B"] == 0.85
    assert refusal(render, three, "html") == (
        "each data set has a page of its own. Give a folder for them: --html FOLDER"
    )
    wrong = refusal(Results.from_json, three.overall.to_json())
    assert wrong.startswith("has the schema 'assay/2', but assay reads 'assay/sets/2'")


def test_scores_are_runs_for_the_bayesian_comparison(three: Results) -> None:
    runs = RunTable("runs.csv", "")
    for row in read_measurements("runs.csv", render(three, "runs")):
        runs.add(row)
    assert runs.data_sets(["accuracy"]) == ["one", "three", "two"]
    ((split, row),) = runs.cells["accuracy"]["two"]["B"].items()
    assert (split, row.value, row.numerator, row.denominator, row.n_test) == ((1, 1), 0.85, 34, 40, 40)
    # Runs of a system are repetitions.
    one, twice = three["one"], RunScores(2, 0.1, 0.7, 0.9, (0.7, 0.9))
    scores = tuple(replace(row, runs=twice) for row in one.scores)
    lines = render(replace(one, scores=scores), "runs").splitlines()
    repeated = over_sets({"one": replace(one, scores=scores)}).overall
    assert repeated.notes == ("Scores are means over the runs of each system.",)
    single = {table.name for table in repeated.tables if table.title.endswith(", median runs")}
    assert single == {"differences", "bounds"}
    assert lines[1:3] == ["gold,A,1,1,accuracy,0.7,,,,40", "gold,A,2,1,accuracy,0.9,,,,40"]


def test_pages_of_data_sets_and_an_index_that_leads_to_them(three: Results) -> None:
    named = Results(three.overall, {"a/b": three["one"], "A_B": three["two"], "Index": three["three"]})
    files = dict(pages(named))
    assert list(files) == ["a_b.html", "A_B_2.html", "Index_2.html", "index.html"]
    index = dict(pages(three))["index.html"]
    assert index.index("A is 10.83 points better") < index.index('<ul class="pages">') < index.index("<table>")
    assert '<th scope="row"><a href="two.html">two</a></th>' in index
    assert '<a href="index.html">← All 3 data sets</a>' in files["a_b.html"]


def test_twenty_data_sets_and_seven_systems_fit_a_terminal() -> None:
    systems = {f"parser-{system}": tags(*range(system)) for system in range(7)}
    one = assay.compare(tags(), systems, times=10, measures="accuracy", power=None)
    found = over_sets({f"treebank-{index:02}": one for index in range(20)}).overall
    for width, parts in ((80, 2), (120, 1)):
        console = Console(file=io.StringIO(), width=width, highlight=False)
        show(found, console)
        lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
        # The signature alone may be longer.
        assert max(map(len, lines[:-1])) <= width
        scores = lines[: next(index for index, line in enumerate(lines) if line.startswith("Differences"))]
        assert sum(line.startswith("treebank-07") for line in scores) == parts
        assert all(name in " ".join(scores) for name in systems)
