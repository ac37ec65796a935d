"""assay plan: units, runs and documents that differences need; no verdict; errors in a line."""

from __future__ import annotations

import json
import random

import pytest
from scipy.stats import beta, binom

import assay
from assay.result import Plan


def write_tags(folder, name, wrong, sentences=60):
    """Sentences of three words; those in `wrong` have this number of wrong words."""
    lines = []
    for sentence in range(sentences):
        tags = ["A", "B", "C"]
        tags[: wrong.get(sentence, 0)] = ["X"] * wrong.get(sentence, 0)
        words = (f"{at}\tw{at}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for at, tag in enumerate(tags, 1))
        lines.append("".join(words) + "\n")
    (folder / name).write_text("".join(lines))


@pytest.fixture
def pilot(here):
    write_tags(here, "g.conllu", {})
    write_tags(here, "x.conllu", dict.fromkeys(range(5), 1))
    write_tags(here, "y.conllu", {**dict.fromkeys(range(20, 35), 1), **dict.fromkeys(range(40, 44), 2)})
    return here


def test_a_plan_has_a_row_for_each_difference_and_no_verdict(assay, pilot):
    done = assay("plan", "g.conllu", "x.conllu", "y.conllu", "-m", "accuracy", "--format", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["verdict"]["kind"], result["verdict"]["text"], result["comparisons"]) == ("", "", [])
    rows = result["plans"]
    assert [(round(row["difference"], 4), row["observed"]) for row in rows] == [
        *((size, False) for size in (0.005, 0.01, 0.02, 0.05)),
        (0.1, True),
    ]
    numbers = [row["units"] for row in rows]
    assert numbers == sorted(numbers, reverse=True)
    shared = ("pilot_units", "pilot_differ", "alpha", "chance")
    assert {tuple(row[name] for name in shared) for row in rows} == {(60, 24, 0.05, 0.8)}
    # The line below a verdict has the same number; a significant difference has no line, and a closed form.
    done = assay("compare", "g.conllu", "x.conllu", "y.conllu", "-m", "accuracy", "--format", "json")
    test = json.loads(done.stdout)["comparisons"][0]
    allowed = 0.05 if test["p"] <= 0.05 else 0
    assert test["power"]["needed_units"] == pytest.approx(numbers[-1], rel=allowed)


def test_a_margin_is_the_difference_to_plan_for(assay, pilot):
    plain = ("plan", "g.conllu", "x.conllu", "y.conllu", "--format", "json")
    both = json.loads(assay(*plain, "--margin", "accuracy=2pt", "--power", "0.9").stdout)["plans"]
    of_words = [row for row in both if row["measure"] == "accuracy"]
    assert [(row["difference"], row["chance"], row["alpha"]) for row in of_words] == [(0.02, 0.9, 0.025)]
    # The other measure has the usual differences.
    assert len(both) == 1 + 5
    easier = json.loads(assay(*plain, "--margin", "2pt", "-m", "accuracy").stdout)["plans"]
    assert easier[0]["units"] < of_words[0]["units"]


def test_few_differing_sentences_give_a_range(assay, pilot):
    line = ("plan", "g.conllu", "x.conllu", "z=g.conllu", "-m", "accuracy", "--format")
    done = assay(*line, "md")
    assert "| accuracy | 2 points | 5 |" in done.stdout
    assert "| accuracy | 5 points | 5 | not possible |" in done.stdout
    assert "Numbers with a range are based on fewer than 12 differing sentences" in done.stdout
    last = json.loads(assay(*line, "json").stdout)["plans"][-1]
    # All five of 60 differ in the same way, so six of N must differ.
    needed = [
        next(number for number in range(1000) if binom.sf(5, number, share) >= 0.8)
        for share in (5 / 60, beta.ppf(0.975, 6, 55), beta.ppf(0.025, 5, 56))
    ]
    assert [last["units"], last["units_from"], last["units_to"]] == needed


def test_runs_make_a_table_of_sentences_and_runs(assay, pilot):
    rng = random.Random(1)
    for name in ("x1", "x2", "x3", "y1", "y2", "y3"):
        number = 12 if name < "y" else 6
        write_tags(pilot, f"{name}.conllu", dict.fromkeys(rng.sample(range(60), number + rng.randrange(4)), 1))
    systems = (f"{name}={','.join(f'{name}{run}.conllu' for run in (1, 2, 3))}" for name in "xy")
    line = ("plan", "g.conllu", *systems, "-m", "accuracy")
    result = json.loads(assay(*line, "--format", "json").stdout)
    rows = {(row["units"], row["runs"]): row for row in result["plans"]}
    assert [*rows] == [(units, runs) for units in (60, 120, 300, 600) for runs in (2, 3, 5, 10)]
    for row in rows.values():
        assert row["difference_from"] <= row["difference"] <= row["difference_to"]
    assert rows[600, 10]["difference"] < rows[60, 10]["difference"] < rows[60, 2]["difference"]
    assert "|runs:x:" in result["signature"]
    assert any(note.startswith("x → y on accuracy: increase the number of ") for note in result["notes"])
    refused = assay(*line, "--margin", "1pt")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "assay: --margin: a plan with several runs computes the differences itself." in refused.stderr
    text = assay(*line, "--format", "table").stdout
    assert "Smallest difference found with 80% probability, x → y: accuracy" in text


def test_a_page_and_other_formats_of_a_plan_are_written(assay, pilot):
    for path in ("plan.html", "plan.tex", "plan.csv", "plan.json"):
        done = assay("plan", "g.conllu", "x.conllu", "y.conllu", "-m", "accuracy", "-o", path)
        assert done.returncode == 0, done.stderr
    assert "Sentences needed to find a difference with 80% probability" in (pilot / "plan.html").read_text("utf-8")
    assert assay("report", "plan.json", "--format", "tsv").stdout.startswith("# Sentences needed")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("g.conllu x.conllu", "plan takes gold and at least two systems: assay plan gold"),
        ("g.conllu x.conllu y.conllu --slice label", "No such option '--slice'."),
        ("g.conllu x.conllu y.conllu --power 1.5", "--power 1.5: give a probability between 0 and 1, e.g. 0.8."),
        ("g.conllu x.conllu y.conllu --margin las=1pt", "--margin las=1pt: there is no measure 'las'."),
        ("g.conllu x.conllu z=x.conllu -m accuracy", "x → z on accuracy: there is no plan, because the systems do"),
    ],
)
def test_what_cannot_be_planned_stops_with_an_error(assay, pilot, options, message):
    done = assay("plan", *options.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert f"assay: {message}" in done.stderr


def test_a_plan_in_python_refuses_options_that_only_show():
    gold, one, two = [["A", "B"]] * 30, [["A", "X"]] * 8 + [["A", "B"]] * 22, [["A", "B"]] * 30
    result = assay.plan(gold, {"one": one, "two": two}, "accuracy", margin=0.05)
    (row,) = result.plans
    assert isinstance(row, Plan) and row.units is not None
    assert result.verdict == ""
    refused = (
        ({"slices": "label"}, "--slice: not available for a plan"),
        ({"power": None}, "--power none: a plan needs"),
    )
    for wrong, message in refused:
        with pytest.raises(assay.AssayError, match=message):
            assay.plan(gold, {"one": one, "two": two}, "accuracy", **wrong)


# --- annotators ---


@pytest.fixture
def rated(here):
    """Six annotators of 40 items, of whom each is wrong on others, and a system."""
    rows = [[str((item % 3 + (item * (who + 3) % 7 == 0)) % 3) for who in range(6)] for item in range(40)]
    lines = ["item,r0,r1,r2,r3,r4,r5", *(f"i{item},{','.join(row)}" for item, row in enumerate(rows))]
    (here / "ratings.csv").write_text("\n".join(lines))
    answers = [f"i{item},{(item % 3 + (item % 4 == 0)) % 3}" for item in range(40)]
    (here / "m.csv").write_text("\n".join(["item,label", *answers]))
    (here / "anna.csv").write_text("\n".join(["item,label", *(f"i{item},{row[0]}" for item, row in enumerate(rows))]))
    return here


def test_annotators_make_a_table_of_items(assay, rated):
    line = ("plan", "ratings.csv", "--system", "m=m.csv")
    result = json.loads(assay(*line, "--format", "json").stdout)
    assert (result["about"]["command"], result["verdict"]["kind"], result["comparisons"]) == ("plan", "", [])
    rows = result["plans"]
    assert [(row["a"], row["b"], row["units"], row["annotators"], row["runs"]) for row in rows] == [
        ("human ceiling", "m", units, 6, None) for units in (40, 80, 200, 400)
    ]
    sizes = [row["difference"] for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    least = next(note for note in result["notes"] if note.startswith("m on accuracy: with 6 annotators, no number"))
    assert 0 < float(least.split("below ")[1].split()[0]) < 100 * sizes[-1]
    harder = json.loads(assay(*line, "--format", "json", "--power", "0.95").stdout)["plans"]
    assert harder[0]["difference"] > sizes[0]
    text = assay(*line, "--format", "table", "--html", "plan.html").stdout
    assert "Smallest difference found with 80% probability, human ceiling → m: accuracy" in text
    assert "Plan: m against r0, r1, r2, r3, r4 and r5" in (rated / "plan.html").read_text("utf-8")
    # A second system makes two tests of one.
    both = json.loads(assay(*line, "--system", "n=anna.csv", "--format", "json").stdout)["plans"]
    assert {row["alpha"] for row in both} == {0.025} and both[0]["difference"] > sizes[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--system m=m.csv", "plan --system takes annotators: a file each, or one table of ratings for all."),
        ("ratings.csv --system m=m.csv --margin 1pt", "--margin: a plan with annotators computes the differences"),
        ("ratings.csv --system m=m.csv --baseline m", "--baseline: not available for a plan with annotators."),
        ("ratings.csv --system m=m.csv --power 1", "--power 1: give a probability between 0 and 1, e.g. 0.8."),
        ("ratings.csv --system m=nowhere.csv", "nowhere.csv: cannot be opened"),
        (
            "ratings.csv --column r0 --column r1 --column r2 --column r3 --system m=m.csv",
            "m on accuracy: there is no plan, because 4 annotators are too few to estimate how much annotators vary. "
            "Give at least 5.",
        ),
    ],
)
def test_what_cannot_be_planned_with_annotators_stops_with_an_error(assay, rated, options, message):
    done = assay("plan", *options.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert f"assay: {message}" in done.stderr


def test_a_plan_in_python_takes_gold_or_annotators():
    people = {f"r{who}": {f"i{item}": "ab"[item % 2] for item in range(20)} for who in range(5)}
    refused = (
        ({}, r"plan\(\) lacks gold. Give gold and systems, or annotators and systems."),
        ({"gold": [["A"]], "annotators": people}, r"plan\(\) takes gold or annotators, not both."),
        ({"annotators": people}, "a plan with annotators needs at least one system"),
        ({"annotators": people, "systems": {"m": people["r0"]}}, "because the differences do not vary."),
    )
    for given, message in refused:
        with pytest.raises(assay.AssayError, match=message):
            assay.plan(**given)
