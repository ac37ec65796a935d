"""Arcs of graphs found in the text again, for examples and pages.

An arc is drawn as its two words, joined: a word may have several heads, so that graphs are not drawn as trees are.
The label has an arrow from the head to the dependent; an arc from the root, or from a word that gold lacks, is
drawn at its dependent alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints, as_codes
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Layers, Places, Tables
from assay.engine.texts import Rows, Shown, span_rows
from assay.result import ExampleSpan
from assay.tasks.graphs.arcs import GraphPair
from assay.tasks.graphs.propositions import role_places

_ARROWS = ("{}", "← {}", "{} →")
"""How a label is shown: without a head in the sentence, with the head to the right, to the left."""


def _words(run: Run, pair: int, side: int, numbers: Ints, sentence: Ints) -> tuple[Ints, Ints]:
    """The words of gold at which arcs end and begin, counted in their sentences; NONE: the head is no word there."""
    layer = run.pairs[pair][1].layer(GraphPair)
    assert layer is not None
    arcs, rows = layer.arcs(side, numbers)
    found = next(iter(layer.sides.values()))
    starts = run.gold.starts
    first, size = starts[sentence], starts[sentence + 1] - starts[sentence]
    dependent, head = (found.position[ends[rows]] // 2 - first for ends in (arcs.dependent, arcs.head))
    known = ~arcs.top[rows] & (head >= 0) & (head < size) & (arcs.head[rows] < found.nodes[0])
    return np.clip(dependent, 0, size - 1), np.where(known, head, NONE)


def _drawn(run: Run, pair: int, side: int, numbers: Ints, sentence: Ints) -> tuple[Ints, Ints, dict[int, Any], Ints]:
    """First word and end of what is drawn for each arc, its stretches where it has several; how its label is shown.

    An argument that is a stretch of words is drawn as that.
    """
    if run.pairs[pair][1].layer(GraphPair) is not None:
        dependent, head = _words(run, pair, side, numbers, sentence)
    else:
        begin, end, head = role_places(run, pair, side, numbers, sentence)
        if (head == NONE).all():
            return begin, end, {}, np.zeros(len(begin), dtype=np.int64)
        dependent = begin
    arrow = np.where(head == NONE, 0, np.where(head > dependent, 1, 2))
    return *_shapes(dependent, head), arrow


def _shapes(dependent: Ints, head: Ints) -> tuple[Ints, Ints, dict[int, Any]]:
    """First word and end of each arc, and the stretches of those between whose words lie others."""
    other = np.where(head == NONE, dependent, head)
    begin, last = np.minimum(dependent, other), np.maximum(dependent, other)
    apart = np.flatnonzero(last > begin + 1).tolist()
    gaps = {row: [[int(begin[row]), int(begin[row]) + 1], [int(last[row]), int(last[row]) + 1]] for row in apart}
    return begin, last + 1, gaps


def _places(run: Run, items: Items) -> Places:
    """The words of each arc; of one that gold does not have, the gold words where they stand."""
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
    """Gold and each system: name, table, the rows with an arc, its number and label, and where to look for it."""
    names = [name for name, _ in run.pairs]
    for place, (name, one) in enumerate([("gold", tables[0][1]), *tables]):
        assert one.partner is not None
        if place == 0:
            yield name, one, one.has_gold, one.item, one.gold, 0, names.index(tables[0][0])
        else:
            yield name, one, one.has_system[0], one.partner[0], one.answer[0], 1, names.index(name)


def _layers(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """The arcs of each side, those of systems with what became of them."""
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
    """The same in one sentence; only arcs that are wrong somewhere, since a graph has many."""
    spans: list[ExampleSpan] = []
    for name, one, there, numbers, labels, side, pair in _sides(run, tables):
        rows = np.flatnonzero(there & (one.sentence == sentence))
        if side:
            rows = rows[one.kind[0, rows] != 0]
        else:
            wrong = [other.item[other.has_gold & ~other.right[0]] for _, other in tables]
            rows = rows[np.isin(numbers[rows], np.concatenate(wrong))]
        begin, end, gaps, arrow = _drawn(run, pair, side, numbers[rows], one.sentence[rows])
        for row, place in enumerate(rows.tolist()):
            shape = gaps.get(row) or [[int(begin[row]), int(end[row])]]
            label = _ARROWS[int(arrow[row])].format(one.labels[labels[place]])
            kind = one.kinds[one.kind[0, place]] if side else ""
            spans.append(ExampleSpan(name, label, tuple((a, b) for a, b in shape), kind))
    return {"spans": tuple(spans), "sides": ("gold", *(name for name, _ in tables))}


DRAWING = Drawing("spans", places=_places, layers=_layers, example=_example)
