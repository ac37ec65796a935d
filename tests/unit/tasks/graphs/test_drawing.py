"""Arcs, predicates and arguments in the layers of a page and in the lines of examples."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.demo import FOLDER
from assay.render import render
from assay.render.drawings import example_lines, example_text
from assay.result import Result

ROOT, NO_HEAD = -1, -3


@pytest.fixture
def scored(tmp_path: Path) -> Callable[..., Result]:
    def score(gold: str, system: str, measure: str, ending: str = "conllu") -> Result:
        for name, text in (("gold", gold), ("system", system)):
            (tmp_path / f"{name}.{ending}").write_text(text, "utf-8")
        paths = [str(tmp_path / f"{name}.{ending}") for name in ("gold", "system")]
        return assay.score(*paths, measure, times=1, embed="all", examples=9)

    return score


def conllu(*words: str) -> str:
    """A sentence of `form=deps` words; one that begins with a number and a dot is an empty node."""
    lines, number = [], 0
    for word in words:
        form, _, deps = word.partition("=")
        if form[0].isdigit():
            lines.append(f"{form}\t_\t_\t_\t_\t_\t_\t_\t{deps}\t_\n")
        else:
            number += 1
            lines.append(f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t{deps}\t_\n")
    return "".join([*lines, "\n"])


def rows(result: Result, side: int) -> list[tuple[Any, ...]]:
    """The rows of a side: text, stretches, head, label, kind, the number of the item in its text."""
    layer = result.texts["layers"][side]
    names = ("begin", "length", "head", "label", "item")
    columns = zip(accumulate(layer["text"]), *(layer[name] for name in names), strict=True)
    found = []
    for row, (text, begin, length, head, label, item) in enumerate(columns):
        shape = layer["stretches"].get(str(row), [[begin, begin + length]])
        kind = layer["kind"][row] if side else -1
        found.append((text, shape, head, layer["labels"][label], [*result.texts["kinds"], ""][kind], item))
    return found


def test_several_heads_a_loop_and_a_top_are_rows_of_a_layer(scored):
    gold = conllu("a=0:root|2:x|2:y", "b=1:z|2:self")
    result = scored(gold, conllu("a=0:root|2:x", "b=1:w|2:self"), "elas")
    assert result.shown.drawing == "graph"
    assert rows(result, 0) == [
        (0, [[0, 1]], ROOT, "root", "", 0),
        (0, [[0, 1]], 1, "x", "", 1),
        (0, [[0, 1]], 1, "y", "", 2),
        (0, [[1, 2]], 0, "z", "", 3),
        (0, [[1, 2]], 1, "self", "", 4),
    ]
    assert rows(result, 1) == [
        (0, [[0, 1]], ROOT, "root", "tp", 0),
        (0, [[0, 1]], 1, "x", "tp", 1),
        (0, [[1, 2]], 0, "w", "le", 3),
        (0, [[1, 2]], 1, "self", "tp", 4),
    ]
    assert "nodes" not in result.texts
    assert "head_length" not in result.texts["layers"][0]


def test_an_answer_stands_for_its_item_wherever_it_lies(scored):
    result = scored(conllu("a=0:root", "b=1:x", "c=1:y"), conllu("a=0:root", "b=3:x", "c=1:y"), "elas")
    assert rows(result, 1)[1] == (0, [[1, 2]], 2, "x", "head", 1)
    assert result.texts["meanings"]["head"].startswith("head: ")
    assert result.texts["items"]["begin"] == [0, 1, 2]


def test_empty_nodes_are_numbered_behind_the_words(scored):
    gold = conllu("a=0:root", "1.1=1:conj", "b=1.1:x", "2.1=1:y")
    system = conllu("a=0:root", "1.1=1:conj", "b=1.1:x", "2.1=2:other")
    aligned = scored(gold, system, "elas(empty=align)")
    nodes = aligned.texts["nodes"]
    assert [nodes["ids"][one] for one in nodes["id"]] == ["1.1", "2.1", "2.1"]
    assert nodes["behind"] == [1, 2, 2]
    assert [row[1:4] for row in rows(aligned, 0)] == [
        ([[0, 1]], ROOT, "root"),
        ([[1, 2]], 2, "x"),
        ([[2, 3]], 0, "conj"),
        ([[3, 4]], 0, "y"),
    ]
    assert [row[1:4] for row in rows(aligned, 1)][1:] == [
        ([[1, 2]], 2, "x"),
        ([[2, 3]], 0, "conj"),
        ([[4, 5]], 1, "other"),
    ]
    assert "nodes" not in scored(gold, system, "elas").texts
    (example,) = aligned.examples
    assert [line.split("  ")[0] for line in example_lines(example)[1:]] == ["[2.1] ← a (1)", "[2.1] ← b (2)"]


# What becomes of seem, with an argument in two pieces, and of like, which the system does not have.
PROPS = "-\t(A1*)\t(A0*)\nseem\t(V*)\t*\n-\t(C-A1*\t*\nlike\t*\t(V*)\n-\t*)\t(A1*)\n\n"
SYSTEM = "-\t(A1*)\nseem\t(V*)\n-\t*\n-\t*\n-\t*\n\n"


def test_a_continued_argument_has_all_its_pieces_and_its_predicate_as_head(scored):
    result = scored(PROPS, SYSTEM, "srl-span", "props")
    assert result.shown.drawing == "frames"
    assert rows(result, 0) == [
        (0, [[0, 1], [2, 5]], 1, "A1", "", 0),
        (0, [[0, 1]], 3, "A0", "", 1),
        (0, [[1, 2]], NO_HEAD, "seem", "", -1),
        (0, [[3, 4]], NO_HEAD, "like", "", -1),
        (0, [[4, 5]], 3, "A1", "", 2),
    ]
    assert rows(result, 1) == [(0, [[0, 1]], 1, "A1", "bes", 0), (0, [[1, 2]], NO_HEAD, "seem", "", -1)]
    assert result.texts["items"]["stretches"] == {"0": [[0, 1], [2, 5]]}
    apart = scored(PROPS, SYSTEM, "srl-span(continuation=separate)", "props")
    assert [row[1:4] for row in rows(apart, 0)][:3] == [
        ([[0, 1]], 1, "A1"),
        ([[0, 1]], 3, "A0"),
        ([[1, 2]], NO_HEAD, "seem"),
    ]
    assert ([[2, 5]], 1, "C-A1") in [row[1:4] for row in rows(apart, 0)]


def test_arguments_are_drawn_also_where_predicates_alone_are_judged(scored):
    result = scored(PROPS, SYSTEM, "srl-span-perfect", "props")
    shown = {(str(stretches), head, label, item) for _, stretches, head, label, _, item in rows(result, 0)}
    assert ("[[0, 1], [2, 5]]", 1, "A1", -1) in shown
    assert ("[[1, 2]]", NO_HEAD, "seem", 0) in shown


def demo(names: str, ending: str, **more: Any) -> Result:
    gold, *systems = (str(FOLDER / "graphs" / f"{name}.{ending}") for name in names.split())
    return assay.compare(gold, systems, times=1, embed="all", examples=9, **more)


def test_lines_of_arcs_say_what_systems_have_instead():
    example = demo("gold rules learned", "conllu", task="graphs").examples[-1]
    assert example_lines(example, 77) == [
        "The child who sang left before the rain .",
        "child (2) ← sang (4)  nsubj       ✗ rules: nsubj, who (3) ← sang (4)",
        "who (3) ← child (2)   ref         ✗ rules: missing",
        "who (3) ← sang (4)    ∅           ✗ learned: nsubj",
        "rain (8) ← left (5)   obl:before  ✗ learned: obl:at",
    ]
    assert " · who (3) ← sang (4) ∅ ✗ learned: nsubj · " in example_text(example)


def test_lines_of_roles_are_by_predicate_and_side():
    (example,) = [one for one in demo("gold rules learned", "conll09", task="graphs").examples if one.sentence == "3"]
    assert example_lines(example, 77) == [
        "gold     damage.01: The [bridge]A1 [that]R-A1 the [storm]A0 »damaged« was …",
        "rules    damage.01: The bridge [that]A1:LE the [storm]A0 »damaged« was …",
        "learned  damage.01: The bridge [that]A1:LE the [storm]A0 »damaged« was …",
        "gold     be.01: The [bridge]A1 that the storm damaged »was« [old]A2 .",
        "rules    (no such predicate)",
        "learned  be.01: The [bridge]A1 that the storm damaged »was« [old]A2 .",
    ]
    narrow = example_lines(example, 60)
    assert narrow[0] == "gold     damage.01: … [bridge]A1 [that]R-A1 the [storm]A0 »damaged« …"


@pytest.mark.parametrize("ending", ["conllu", "conll09"])
def test_a_result_is_the_same_after_json_and_its_page_too(ending):
    result = demo("gold rules learned", ending, task="graphs")
    again = Result.from_json(result.to_json())
    assert again.examples == result.examples
    assert again.shown.drawing == result.shown.drawing
    assert json.dumps(again.texts) == json.dumps(result.texts)
    assert render(again, "html") == render(result, "html")
