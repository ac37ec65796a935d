"""Relations found in the text again, for examples and pages: the two arguments, joined, under the label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints, as_codes
from assay.engine.drawing import span_places
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Layers, Places, Tables
from assay.engine.texts import Rows, Shown, span_rows
from assay.result import ExampleSpan
from assay.tasks.relations.pairs import relations_of

_ARROWS = ("{}", "← {}", "{} →")
"""How a label is shown: without direction, or with the head to the right or to the left."""
_Drawn = tuple[Ints, Ints, dict[int, Any], Ints]
"""First word and end of each relation, its stretches where it has several, and how its label is shown."""


def _drawn(run: Run, pair: int, side: int, numbers: Ints, sentence: Ints) -> _Drawn:
    """Relations by their numbers; an argument outside the sentence is not drawn."""
    layer = relations_of(run.pairs[pair][1])
    rows, spans = ((layer.gold, layer.spans.gold), (layer.system, layer.spans.system))[side]
    ends = rows.head[numbers], rows.tail[numbers]
    places = [span_places(layer.spans, spans, end) for end in ends]
    inside = [spans.sentence[end] == sentence for end in ends]
    begin, end = np.zeros(len(numbers), dtype=np.int64), np.zeros(len(numbers), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for row in range(len(numbers)):
        pieces: list[list[int]] = []
        for (first, last, gaps), here in zip(places, inside, strict=True):
            if here[row]:
                pieces += gaps.get(row) or [[int(first[row]), int(last[row])]]
        joined: list[list[int]] = []
        for a, b in sorted(pieces):
            if joined and a <= joined[-1][1]:
                joined[-1][1] = max(joined[-1][1], b)
            else:
                joined.append([a, b])
        begin[row], end[row] = joined[0][0], joined[-1][1]
        if len(joined) > 1:
            stretches[row] = joined
    undirected = np.array([label in {*layer.symmetric, *layer.asked} for label in layer.labels] or [False])
    arrow = np.where(places[0][0] > places[1][0], 1, 2)
    return begin, end, stretches, np.where(undirected[rows.label[numbers]] | ~(inside[0] & inside[1]), 0, arrow)


def _places(run: Run, items: Items) -> Places:
    """The words of each relation's arguments."""
    begin, end = np.zeros(len(items), dtype=np.int64), np.zeros(len(items), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for owner in range(-1, len(run.pairs)):
        rows = np.flatnonzero(items.owner == owner)
        if len(rows):
            side = int(owner != NONE)
            begin[rows], end[rows], gaps, _ = _drawn(run, max(owner, 0), side, items.item[rows], items.sentence[rows])
            stretches.update((int(rows[row]), shape) for row, shape in gaps.items())
    return begin, end, stretches


def _sides(run: Run, tables: Tables) -> Iterator[tuple[str, Items, Bools, Ints, Ints, int, int]]:
    """Gold and each system: name, table, the rows with a relation, its number and label, and where to look for it."""
    names = [name for name, _ in run.pairs]
    for place, (name, one) in enumerate([("gold", tables[0][1]), *tables]):
        assert one.partner is not None
        if place == 0:
            yield name, one, one.has_gold, one.item, one.gold, 0, names.index(tables[0][0])
        else:
            yield name, one, one.has_system[0], one.partner[0], one.answer[0], 1, names.index(name)


def _layers(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """The relations of each side, those of systems with what became of them."""
    layers: list[Rows] = []
    for _, one, there, numbers, labels, side, pair in _sides(run, tables):
        rows = np.flatnonzero(there & (shown.place[one.sentence] != NONE))
        begin, end, gaps, arrow = _drawn(run, pair, side, numbers[rows], one.sentence[rows])
        names = [form.format(label) for form in _ARROWS for label in one.labels]
        known: dict[str, int] = {}
        codes = as_codes(names, known)[arrow * len(one.labels) + labels[rows]]
        kinds = one.kind[0, rows] if side else None
        layers.append(span_rows(shown.place[one.sentence[rows]], begin, end, codes, tuple(known), gaps, kinds))
    return ("gold", *(name for name, _ in tables)), None, tuple(layers)


def _example(run: Run, items: Items, tables: Tables, sentence: int) -> dict[str, Any]:
    """The same in one sentence."""
    spans: list[ExampleSpan] = []
    for name, one, there, numbers, labels, side, pair in _sides(run, tables):
        rows = np.flatnonzero(there & (one.sentence == sentence))
        begin, end, gaps, arrow = _drawn(run, pair, side, numbers[rows], one.sentence[rows])
        for row, place in enumerate(rows.tolist()):
            shape = gaps.get(row) or [[int(begin[row]), int(end[row])]]
            label = _ARROWS[int(arrow[row])].format(one.labels[labels[place]])
            kind = one.kinds[one.kind[0, place]] if side else ""
            spans.append(ExampleSpan(name, label, tuple((a, b) for a, b in shape), kind))
    return {"spans": tuple(spans), "sides": ("gold", *(name for name, _ in tables))}


DRAWING = Drawing("spans", places=_places, layers=_layers, example=_example)
