"""Relations found in the text again, for examples and pages: arcs from head to tail, and the spans themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.corpus import Marks
from assay.engine.drawing import span_places
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.spanpairs import surface_forms
from assay.engine.task import Drawing, Layers, Places, Tables
from assay.engine.texts import ELSEWHERE, NO_HEAD, Rows, Shown, span_rows
from assay.records import dataclass
from assay.result import ExampleSpan
from assay.tasks.relations.pairs import RelationPair, relations_of

_MEANINGS = {
    "le": "LE: wrong label",
    "de": "DE: head and tail exchanged",
    "te": "TE: wrong type of an argument",
    "be": "BE: wrong boundary of an argument",
    "me": "ME: several things wrong",
    "fp": "FP: gold does not have it",
    "fn": "FN: not found",
}


@dataclass(frozen=True, eq=False)
class _Arcs:
    """Relations of a side in the sentences that they belong to."""

    begin: Ints
    """The first word of the tail, or of the head where the tail is elsewhere …"""
    end: Ints
    stretches: dict[int, Any]
    head: tuple[Ints, Ints]
    """… and the first word of the head and its end, or ELSEWHERE."""
    beyond: dict[int, str]
    """For those that leave their sentence: an arrow and the words of the other argument."""
    undirected: Bools


def _shapes(layer: RelationPair, side: Marks, chosen: Ints) -> tuple[Ints, Ints, dict[int, Any]]:
    """The words of spans, as far as they lie in the sentence in which the span begins."""
    begin, end, stretches = span_places(layer.spans, side, chosen)
    gold = layer.spans.corpora[0]
    if gold.texts is not None:
        return begin, end, stretches
    size = np.diff(gold.starts)[side.unit[chosen]]
    inside = {
        row: [[a, min(b, int(size[row]))] for a, b in shape if a < size[row]] for row, shape in stretches.items()
    }
    return begin, np.minimum(end, size), inside


def _arcs(run: Run, pair: int, side: int, numbers: Ints, sentence: Ints) -> _Arcs:
    layer = relations_of(run.pairs[pair][1])
    rows, spans = ((layer.gold, layer.spans.gold), (layer.system, layer.spans.system))[side]
    ends = rows.head[numbers], rows.tail[numbers]
    inside = [spans.unit[end] == sentence for end in ends]
    # One of both arguments is in the sentence.
    own = np.where(inside[1], ends[1], ends[0])
    begin, end, stretches = _shapes(layer, spans, own)
    first, last, _ = _shapes(layer, spans, ends[0])
    apart = np.flatnonzero(~(inside[0] & inside[1]))
    first[apart] = ELSEWHERE
    beyond = {}
    if len(apart):
        leaving = inside[0][apart]
        others = np.where(leaving, ends[1][apart], ends[0][apart])
        texts = surface_forms(layer.spans.corpus_of(spans), spans.number[others])
        for row, out, text in zip(apart.tolist(), leaving.tolist(), texts, strict=True):
            beyond[row] = f"{'→' if out else '←'} {text}"
    free = np.array([label in {*layer.symmetric, *layer.asked} for label in layer.labels] or [False])
    return _Arcs(begin, end, stretches, (first, last), beyond, free[rows.label[numbers]])


def _places(run: Run, items: Items) -> Places:
    """The words of each relation's tail, or head."""
    begin, end = np.zeros(len(items), dtype=np.int64), np.zeros(len(items), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for owner in range(-1, len(run.pairs)):
        rows = np.flatnonzero(items.owner == owner)
        if len(rows):
            found = _arcs(run, max(owner, 0), int(owner != NONE), items.item[rows], items.sentence[rows])
            begin[rows], end[rows] = found.begin, found.end
            stretches.update((int(rows[row]), shape) for row, shape in found.stretches.items())
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
    """The relations of each side, those of systems with what became of them; and its spans, which have no head."""
    layers: list[Rows] = []
    for _, one, there, numbers, labels, side, pair in _sides(run, tables):
        rows = np.flatnonzero(there & (shown.place[one.sentence] != NONE))
        arcs = _arcs(run, pair, side, numbers[rows], one.sentence[rows])
        layer = relations_of(run.pairs[pair][1])
        spans = layer.spans.system if side else layer.spans.gold
        drawn = np.flatnonzero(shown.place[spans.unit] != NONE)
        begin, end, stretches = _shapes(layer, spans, drawn)
        known = {label: code for code, label in enumerate(one.labels)}
        codes = labels[rows].astype(np.int64)
        for row, text in arcs.beyond.items():
            codes[row] = known.setdefault(f"{one.labels[codes[row]]} {text}", len(known))
        types = [known.setdefault(name, len(known)) for name in layer.spans.labels]
        nothing = np.full(len(drawn), NONE)
        layers.append(
            span_rows(
                np.concatenate([shown.place[one.sentence[rows]], shown.place[spans.unit[drawn]]]),
                np.concatenate([arcs.begin, begin]),
                np.concatenate([arcs.end, end]),
                np.concatenate([codes, np.array(types or [0])[spans.label[drawn]]]),
                tuple(known),
                {**arcs.stretches, **{len(rows) + row: shape for row, shape in stretches.items()}},
                np.concatenate([one.kind[0, rows], nothing]) if side else None,
                heads=(
                    np.concatenate([arcs.head[0], np.full(len(drawn), NO_HEAD)]),
                    np.concatenate([arcs.head[1], nothing]),
                ),
                numbers=np.concatenate([numbers[rows], nothing]),
                undirected=np.concatenate([arcs.undirected, np.zeros(len(drawn), dtype=bool)]),
            )
        )
    return Layers(("gold", *(name for name, _ in tables)), spans=tuple(layers))


def _example(run: Run, items: Items, tables: Tables, sentence: int) -> dict[str, Any]:
    """The same in one sentence; only relations that some system has wrong."""
    spans: list[ExampleSpan] = []
    wrong = np.concatenate([one.item[one.has_gold & ~one.right[0]] for _, one in tables])
    gold = np.sort(tables[0][1].item[tables[0][1].has_gold & (tables[0][1].sentence == sentence)])
    for name, one, there, numbers, labels, side, pair in _sides(run, tables):
        rows = np.flatnonzero(there & (one.sentence == sentence))
        answers = np.where(one.has_gold, one.item, NONE)[rows]
        rows = rows[np.isin(answers, wrong) | (answers == NONE)]
        answers = np.where(one.has_gold, one.item, NONE)[rows]
        arcs = _arcs(run, pair, side, numbers[rows], one.sentence[rows])
        for row, (place, answer) in enumerate(zip(rows.tolist(), answers.tolist(), strict=True)):
            shape = arcs.stretches.get(row) or [[int(arcs.begin[row]), int(arcs.end[row])]]
            label = " ".join(filter(None, (one.labels[labels[place]], arcs.beyond.get(row, ""))))
            first, last = int(arcs.head[0][row]), int(arcs.head[1][row])
            spans.append(
                ExampleSpan(
                    name,
                    label,
                    tuple((begin, end) for begin, end in shape),
                    one.kinds[one.kind[0, place]] if side else "",
                    (first, last) if first >= 0 else (first, first + 1),
                    None if answer == NONE else int(np.searchsorted(gold, answer)),
                )
            )
    return {"spans": tuple(spans), "sides": ("gold", *(name for name, _ in tables)), "heads": "pairs"}


DRAWING = Drawing("graph", places=_places, layers=_layers, example=_example, meanings=_MEANINGS)
