"""What only one task shows is data in the Result: every renderer draws it, and files from before get it when read."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace

import pytest
from rich.console import Console

import assay
from assay.demo import FOLDER
from assay.render import FORMATS, RENDERERS, render
from assay.render.tables import tables
from assay.render.terminal import show
from assay.result import Result, Table
from older import as_assay_1

NEW = ("heading", "text_unit", "matched", "rivals", "by_outcome", "remarks", "tables", "tables_only")
OWN = Table(
    "Roles",
    ("pair", "role", "found", "share", "score", "change", "p", "net"),
    (
        (["a", "b"], "A0", 1234, [5, 0.25], [0.5, 0.25, 0.75], -0.125, [0.00001, True], -3),
        (["a", "c"], "A1", 0, None, math.nan, None, math.nan, 0),
    ),
    ("pair", "text", "count", "share", "percent", "points", "holm", "net"),
    words=2,
    notes=("Roles of the arguments.",),
    bold=((0, 2),),
    after="scores",
)
WRITTEN = [
    ["a → b", "A0", "1,234", "5 (25)", "50.00 [25.00, 75.00]", "−12.50", "<0.0001", "−3"],
    ["a → c", "A1", "0", "", "–", "–", "–", "0"],
]


def paths(folder: str, *names: str) -> list[str]:
    return [str(FOLDER / folder / name) for name in names]


@pytest.fixture(scope="module")
def tags() -> Result:
    return assay.score([["A", "B"]] * 9, {"one": [["A", "A"]] * 9}, "accuracy", times=20)


def test_a_table_of_a_task_is_written_by_the_forms_of_its_columns(tags: Result) -> None:
    shown = tables(replace(tags, tables=(OWN,)))
    assert [table.title for table in shown][:2] == ["Scores", "Roles"]
    assert [[cell.text for cell in row] for row in shown[1].rows] == WRITTEN
    assert [[cell.bold for cell in row] for row in shown[1].rows] == [
        [column in (2, 6) for column in range(8)],
        [False] * 8,
    ]


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("flat", "runs")])
def test_every_renderer_draws_it_from_the_json_as_from_memory(tags: Result, form: str) -> None:
    result = replace(tags, tables=(OWN,))
    assert render(Result.from_json(result.to_json()), form) == render(result, form)
    # A terminal shows it where it is asked for.
    assert "Roles" in render(result, form, full=True)
    assert not RENDERERS[form].of_tables or "Roles" in render(result, form, ["scores"])


def test_a_terminal_draws_it(tags: Result) -> None:
    console = Console(file=io.StringIO(), width=120, highlight=False)
    show(replace(tags, tables=(OWN,)), console, full=True)
    assert "50.00 [25.00, 75.00]" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_table_of_a_pair_that_is_not_the_best_is_minor(tags: Result) -> None:
    wrong = {"a": 1, "b": 5, "c": 8}
    systems = {name: [["A", "A"]] * number + [["A", "B"]] * (9 - number) for name, number in wrong.items()}
    result = assay.compare([["A", "B"]] * 9, systems, "accuracy", times=20)
    own = [replace(OWN, pair=pair, title="-".join(pair)) for pair in (("a", "b"), ("b", "c"))]
    assert {t.title: t.minor for t in tables(replace(result, tables=tuple(own))) if "-" in t.title[:2]} == {
        "a-b": False,
        "b-c": True,
    }


def results() -> list[Result]:
    once = {"times": 20}
    spans = paths("entities", "gold.tsv", "rules.tsv", "crf-names.tsv")
    chains = paths("coreference", "key.conll", "pronoun-rules.conll", "string-match.conll")
    arcs = paths("trees", "gold.conllu", "arc-eager.conllu", "arc-hybrid.conllu")
    trees = paths("trees", "gold.mrg", "pcfg-1.mrg", "pcfg-functions.mrg")
    theories, systems = [f"dep={arcs[0]}", f"ps={trees[0]}"], [f"a@dep={arcs[1]}", f"b@ps={trees[2]}"]
    return [
        assay.compare(spans[0], spans[1:], ["fair", "exact"], **once),
        assay.score(spans[0], spans[1], ["fair", "semeval"], **once),
        assay.agreement(spans[1:], **once),
        assay.compare(chains[0], chains[1:], **once),
        assay.score(arcs[0], arcs[1], "las", **once),
        assay.compare(trees[0], trees[1:], **once),
        assay.cross(theories, systems, **once),
    ]


def test_files_from_before_are_shown_as_they_were() -> None:
    for result in results():
        data = {name: value for name, value in as_assay_1(result).items() if name not in NEW}
        before = Result.from_json(json.dumps(data))
        assert [render(before, form) for form in ("md", "tsv")] == [render(result, form) for form in ("md", "tsv")]
        assert before.tables or before.about.task in ("dependencies", "constituents")


def test_annotators_of_trees_are_compared_in_every_format() -> None:
    """Brackets have other labels, but no other boundaries by type: there is no table of those."""
    result = assay.agreement(paths("trees", "gold.mrg", "pcfg-1.mrg"), times=20)
    assert all(render(result, form) for form in FORMATS)
    assert "Types of differences" not in render(result, "md")
