"""Coefficients are written as .571 wherever people read them, and stay plain numbers for programs."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay.engine.measure import form_of_score, measures
from assay.render import render
from assay.render.page import fragment
from assay.render.pictures import list_figures
from assay.render.table import cell, summarise_line
from assay.render.tables import tables
from assay.result import Result
from assay.result.numbers import WRITERS, coefficient
from cases import each
from older import as_assay_1

GOLD = [["A", "A", "B"], ["B", "C", "A"], ["A", "B", "B"], ["C", "A", "A"], ["B", "A", "C"]] * 4
FIRST = [[{"C": "B"}.get(tag, tag) for tag in tags] for tags in GOLD]
SECOND = [["A", *tags[1:]] for tags in GOLD]


def compared(*measures: str, **more: object) -> Result:
    return assay.compare(GOLD, {"first": FIRST, "second": SECOND}, list(measures or ("kappa",)), times=20, **more)


@each(
    "value, text, signed",
    [
        *((0.571, ".571", "+.571"), (-0.05, "−.050", "−.050"), (1.0, "1.000", "+1.000"), (-1.0, "−1.000", "−1.000")),
        *((0.0, ".000", ".000"), (-0.0001, ".000", ".000"), (0.0004, ".000", ".000"), (0.9999, "1.000", "+1.000")),
        (math.nan, "–", "–"),
    ],
)
def test_a_coefficient_has_no_zero_before_the_point(value: float, text: str, signed: str) -> None:
    assert (WRITERS["coefficient"](value), WRITERS["coefficient-difference"](value)) == (text, signed)


def test_sentences_have_two_decimals() -> None:
    assert [coefficient(value) for value in (0.571, -0.05, 1.0, -0.001)] == [".57", "−.05", "1.00", ".00"]


OF_ITEMS = ("pearson", "spearman", "kendall", "r2", "auc", "average-precision")


def test_measures_say_which_of_their_scores_are_coefficients() -> None:
    found = {
        (name, score)
        for name, definition in measures().items()
        for score in definition.score_names
        if form_of_score(name, score) == "coefficient"
    }
    pairs = ("kappa", "span-kappa", "relation-kappa", "link-kappa")
    assert found == {
        *((name, score) for name in pairs for score in ("kappa", "alpha")),
        *(("alpha", "alpha"), ("fleiss", "kappa"), ("ac1", "ac1"), ("alpha-u", "alpha")),
        *(("gamma", "gamma"), ("gamma", "gamma-cat")),
        *((name, "value") for name in (*OF_ITEMS, "mcc")),
    }
    assert form_of_score("kappa(weights=linear)", "kappa") == "coefficient"
    assert {form_of_score("kappa", "agreement"), form_of_score("mine:measure", "kappa")} == {"percent"}


@each("form", ["md", "latex", "html"])
def test_every_rendering_writes_kappa_as_a_coefficient(form: str) -> None:
    result = compared("kappa", "accuracy")
    text = render(result, form)
    value, other = (result.score(name, "kappa").value for name in ("first", "second"))
    assert coefficient(value, 3) in text and coefficient(other, 3) in text
    assert f"{100 * result.score('first', 'accuracy').value:.2f}" in text
    cells = [cell.text for table in tables(result) for row in table.rows for cell in row]
    assert not any(cell.startswith(f"{100 * value:.2f}") for cell in cells)


def test_prompts_notebooks_and_plain_text_do_too() -> None:
    result = compared()
    value = coefficient(result.score("first", "kappa").value, 3)
    for text in (summarise_line(result), fragment(result), str(result)):
        assert value in text
    assert "Percent." not in str(result).partition("\n\n")[2]


def test_differences_and_runs_of_kappa_are_coefficients(tmp_path: Path) -> None:
    result = compared()
    found = {table.name: table for table in tables(result)}
    row = result.comparisons[0]
    assert found["tests"].rows[0][1].text.startswith(WRITERS["coefficient-difference"](row.difference))
    assert "percentage points" not in found["tests"].notes[0]
    gold, *both = (written(tmp_path, sentences) for sentences in (GOLD, FIRST, SECOND))
    runs = assay.score(gold, {"first": both}, "kappa", times=20)
    (cells,) = next(table for table in tables(runs) if table.name == "scores").rows
    (score,) = [one for one in runs.scores if one.main]
    assert score.runs is not None
    assert cells[1].text.startswith(f"{coefficient(score.value, 3)} ± {coefficient(score.runs.spread, 3)} (2 runs, ")


def written(folder: Path, sentences: list[list[str]], name: str = "") -> str:
    path = folder / (name or f"{len(list(folder.iterdir()))}.tsv")
    path.write_text("".join("".join(f"w\t{tag}\n" for tag in tags) + "\n" for tags in sentences), "utf-8")
    return str(path)


def test_programs_get_plain_numbers() -> None:
    result = compared()
    value = result.score("first", "kappa").value
    lines = render(result, "tsv", ("scores",)).splitlines()
    assert lines[2].split("\t")[:2] == ["first", f"{value:.6f}"]
    data = json.loads(result.to_json())
    assert value in [row["value"] for row in data["scores"] if row["score"] == "kappa"]
    assert data["shown"]["score_forms"] == {"kappa": {"kappa": "coefficient", "alpha": "coefficient"}}
    assert Result.from_json(result.to_json()).form_of(result.comparisons[0]) == "coefficient"


def test_files_from_before_there_were_forms_get_them() -> None:
    result = compared()
    old = as_assay_1(result)
    del old["score_forms"], old["tables"]
    assert Result.from_json(json.dumps(old)).shown.score_forms == result.shown.score_forms


def test_figures_keep_coefficients_and_percent_apart() -> None:
    pytest.importorskip("matplotlib")
    result = compared("accuracy", "kappa")
    found = list_figures(result)
    assert [name for name in found if name.startswith(("scores", "differences"))] == [
        *("scores", "scores-kappa", "differences", "differences-kappa"),
    ]
    texts = [text.get_text() for axes in found["scores-kappa"]().axes for text in axes.texts]
    assert texts[0].startswith(coefficient(max(result.score(name, "kappa").value for name in ("first", "second")), 3))
    assert found["scores-kappa"]().axes[0].get_xlabel() == "kappa"
    assert found["scores"]().axes[0].get_xlabel() == "accuracy (%)"


def test_averages_over_data_sets_are_coefficients_too(tmp_path: Path) -> None:
    sides = {"gold": GOLD, "first": FIRST, "second": SECOND}
    for name, sentences in sides.items():
        for data in ("a", "b"):
            written(tmp_path, sentences, f"{name}-{data}.tsv")
    named = {name: str(tmp_path / f"{name}-{{data}}.tsv") for name in sides}
    gold = named.pop("gold")
    found = assay.compare_sets(gold, named, ["kappa", "accuracy"], times=20).overall
    value = coefficient(found.systems_over_sets[0].average, 3)
    of_scores = [table for table in tables(found) if table.name == "scores"]
    assert of_scores[0].rows[2][1].text == value and of_scores[1].rows[0][1].text == value
    assert of_scores[0].notes[0].startswith("Average: ")
    points = next(table for table in tables(found) if table.name == "pairs").rows[0][2].text
    assert points.startswith(WRITERS["coefficient-difference"](found.pairs_over_sets[0].difference))


def test_numbers_that_are_no_shares_have_three_decimals() -> None:
    ratings = {name: {f"i{item}": "ab"[item * who % 2] for item in range(9)} for who, name in enumerate("xyz", 1)}
    result = assay.agreement(ratings, ["soft"], systems={"m": ratings["x"]}, times=20)
    found = next(table for table in tables(result) if table.title == "soft")
    assert found.rows[0][1].text.startswith(f"{result.score('m', 'soft').value:.3f} [")
    assert result.form_of(replace(result.score("m", "soft"), score="entropy")) == "number"


def test_a_mark_goes_before_a_number_of_any_form() -> None:
    """Tables over data sets mark the best score, also one of a measure that is neither a share nor a coefficient."""
    texts = {form: cell(["*", 0.5], form).text for form in ("marked", "marked-coefficient", "marked-number")}
    assert texts == {"marked": "*50.00", "marked-coefficient": "*.500", "marked-number": "*0.500"}
