"""Marks drawn in their texts, for examples and pages: a task says which marks, heads and labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints
from assay.corpus import Column, Marks
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.spanpairs import SHOWN, spans_of, surface_forms, words_at
from assay.engine.task import Drawing, Layers, Places, Tables, word_places
from assay.engine.texts import NO_HEAD, Rows, Shown, span_rows
from assay.formats.answers import SAID
from assay.result import ExampleSpan

SPAN_MEANINGS = {
    "le": "LE: wrong label",
    "bes": "BEs: too short",
    "bel": "BEl: too long",
    "beo": "BEo: boundaries overlap",
    "lbe": "LBE: label and boundaries wrong",
    "ge": "GE: gold itself is wrong",
    "fp": "FP: gold does not have it",
    "fn": "FN: not found",
    "ungrounded": "UG: not in the text",
}
"""Outcomes of spans in words."""


class Sides(NamedTuple):
    """The marks drawn of gold and of each system, at words counted in gold's units.

    Arguments of a mark: its outcome (`kind`), the number of gold's item that it is or answers for (`answer`), the
    first word and the end of its head (`head`, `head_end`), and whether it could as well be the head (`undirected`).
    """

    tables: Tables
    """The items that marks have their outcomes from."""
    marks: tuple[Marks, ...]
    """Gold's, then each system's."""
    heads: str = ""
    """The way in which examples show heads: as `arcs`, `pairs`, `rows` or `lists`."""
    tree: bool = False
    """True if marks are the constituents of trees."""
    nodes: Marks | None = None
    """Nodes that are drawn between words: the number of words before each, and its id as its label."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of gold and of the systems."""
        return ("gold", *(name for name, _ in self.tables))


Place = Callable[[Pair, int, Ints, Ints, Ints], Marks]
"""From the units and numbers of some items of gold (0) or a system (1), and the numbers of all its items, to marks
at the words of these items."""
Draw = Callable[[Pair, int, Marks, Bools], Marks]
"""From the items of gold (0) or a system (1) as marks without places, and a mask of units, to the marks drawn."""
DrawSides = Callable[[Run, Tables, Bools], Sides | None]
"""From the items of each system and a mask of units to the marks of all sides; None if items are words."""


def draw_marks(kind: str, place: Place, sides: DrawSides, **more: Any) -> Drawing:
    """The drawing of a task whose items are marks."""
    layers, example = partial(_draw_layers, sides), partial(_draw_example, sides)
    return Drawing(kind, **{"places": partial(find_places, place), "layers": layers, "example": example, **more})


def draw_sides(draw: Draw, run: Run, tables: Tables, wanted: Bools) -> Sides:
    """The marks of gold and of each system in the units of a mask, drawn side by side."""
    pairs, marks = dict(run.pairs), []
    for side, (name, items) in [(0, tables[0]), *((1, table) for table in tables)]:
        assert items.partner is not None
        there, number, label = items.has_gold, items.item, items.gold
        if side:
            there, number, label = items.has_system[0], items.partner[0], items.answer[0]
        rows = np.flatnonzero(there & (number != NONE) & wanted[items.sentence])
        judged = Marks.without_place(
            items.sentence[rows],
            Column(label[rows], items.labels),
            kind=items.kind[0, rows] if side else np.full(len(rows), NONE),
            answer=np.where(items.has_gold, items.item, NONE)[rows],
        )
        marks.append(draw(pairs[name], side, replace(judged, number=number[rows]), wanted))
    return Sides(tables, tuple(marks))


def find_places(place: Place, run: Run, items: Items) -> Places:
    """The words of items that are marks; those without outcomes are whole sentences, and have none."""
    begin, end = np.zeros(len(items), dtype=np.int64), np.zeros(len(items), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for owner in range(-1, len(run.pairs) if items.kinds else -1):
        rows = np.flatnonzero(items.owner == owner)
        if len(rows):
            numbers = items.item[rows]
            judged = numbers if owner == NONE or items.partner is None else items.partner[owner]
            pair = run.pairs[max(owner, 0)][1]
            marks = place(pair, int(owner != NONE), items.sentence[rows], numbers, judged)
            begin[rows], end[rows] = marks.begin, marks.end
            stretches.update((int(rows[row]), list(map(list, shape))) for row, shape in marks.stretches.items())
    return begin, end, stretches


def _draw_layers(sides: DrawSides, run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    drawn = sides(run, tables, shown.place != NONE)
    if drawn is None:
        return Layers()
    # If whole sentences are judged, their parts are drawn, which are no items of the page.
    hidden = () if drawn.tables[0][1].kinds == items.kinds else ("kind", "item")
    spans = [
        span_rows(shown.place[marks.unit], marks, hidden if number else ("kind", *hidden))
        for number, marks in enumerate(drawn.marks)
    ]
    nodes = None
    if drawn.nodes is not None:
        columns = {"behind": drawn.nodes.begin, "id": drawn.nodes.label}
        nodes = Rows(shown.place[drawn.nodes.unit], columns, ("id",), drawn.nodes.labels.vocabulary)
    return Layers(drawn.names, spans=tuple(spans), nodes=nodes)


def _draw_example(sides: DrawSides, run: Run, items: Items, tables: Tables, sentence: int) -> Mapping[str, Any]:
    """The marks of a sentence; of arcs only those that some system has wrong, because a graph has many."""
    drawn = sides(run, tables, np.arange(run.gold.sentences) == sentence)
    if drawn is None:
        return {}
    few = drawn.heads in ("arcs", "pairs")
    both = [marks.where(marks.arguments["head"] != NO_HEAD) if few else marks for marks in drawn.marks]
    wrong = np.concatenate([one.item[one.has_gold & ~one.right[0]] for _, one in drawn.tables])
    answers = np.sort(both[0].arguments["answer"]) if drawn.heads else wrong
    spans: list[ExampleSpan] = []
    for number, (name, marks) in enumerate(zip(drawn.names, both, strict=True)):
        kinds, arguments = drawn.tables[max(number - 1, 0)][1].kinds, marks.arguments
        rows = np.arange(len(marks))
        if few:
            rows = np.flatnonzero(
                np.isin(arguments["answer"], wrong) | ((arguments["answer"] == NONE) & (number > 0))
            )
        for row in rows.tolist():
            kind, head, answer = int(arguments["kind"][row]), None, None
            if drawn.heads and arguments["head"][row] != NO_HEAD:
                first = int(arguments["head"][row])
                head = first, int(arguments["head_end"][row]) if first >= 0 else first + 1
            if drawn.heads and arguments["answer"][row] != NONE:
                answer = int(np.searchsorted(answers, arguments["answer"][row]))
            outcome = "" if not number or (drawn.heads and kind == NONE) else kinds[max(kind, 0)]
            said = marks.columns[SAID][row] if SAID in marks.columns else ""
            spans.append(ExampleSpan(name, marks.labels[row], marks.atoms_of(row), outcome, head, answer, said))
    nodes = () if drawn.nodes is None else zip(drawn.nodes.begin.tolist(), drawn.nodes.labels.strings(), strict=True)
    fields = {"sides": drawn.names, "heads": drawn.heads, "tree": drawn.tree, "nodes": tuple(nodes)}
    return {"spans": tuple(spans), **fields}


# --- spans ---


def draw_spans(kind: str, meanings: Mapping[str, str] = SPAN_MEANINGS) -> Drawing:
    """The drawing of spans: all `spans`, or as `trees` those that a measure counts; with outcomes in words."""
    trees = kind == "trees"

    def draw(pair: Pair, side: int, judged: Marks, wanted: Bools) -> Marks:
        marks = spans_of(pair)[side]
        kind, drawn = np.full(len(marks), NONE), wanted[marks.unit]
        kind[judged.number] = judged.arguments["kind"]
        if trees:
            drawn &= np.isin(np.arange(len(marks)), judged.number)
        rows = np.flatnonzero(drawn)
        placed, columns = place_spans(pair, side, rows), {}
        if SAID in marks.columns:
            # The words of an answer are shown where they differ from the text; without a place they are the text.
            there = marks.begin[rows] != NONE
            texts = np.array(placed.columns[SAID].strings(), dtype=object)
            forms = texts.copy()
            forms[there] = surface_forms((pair.gold, pair.system)[side], marks.number[rows[there]])
            columns[SAID] = Column.of(np.where(texts == forms, "", texts).tolist())
        return replace(placed, arguments={"kind": kind[rows]}, columns=columns)

    def sides(run: Run, tables: Tables, wanted: Bools) -> Sides | None:
        return draw_sides(draw, run, tables, wanted)._replace(tree=trees) if tables[0][1].kinds else None

    def places(run: Run, items: Items) -> Places:
        # Some measures of trees judge words.
        return find_places(place, run, items) if items.kinds else word_places(run, items)

    def place(pair: Pair, side: int, unit: Ints, numbers: Ints, judged: Ints) -> Marks:
        return place_spans(pair, side, numbers)

    return draw_marks(kind, place, sides, places=places, meanings=meanings)


def place_spans(pair: Pair, side: int, rows: Ints) -> Marks:
    """Spans of a side by the words of gold's sentences; what has no place is a word after those of its sentence."""
    marks = spans_of(pair)[side].where(rows)
    begin, end = words_at(pair, marks.unit, marks.begin, marks.end)
    nowhere = marks.begin == NONE
    if nowhere.any():
        begin = np.where(nowhere, marks.arguments[SHOWN], begin)
        end = np.where(nowhere, begin + 1, end)
    stretches = {}
    for row, shape in marks.stretches.items():
        firsts, ends = words_at(pair, marks.unit[[row] * len(shape)], *np.array(shape).T)
        stretches[row] = tuple(zip(firsts.tolist(), ends.tolist(), strict=True))
    return replace(marks, begin=begin, end=end, stretches=stretches)
