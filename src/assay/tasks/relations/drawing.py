"""Relations found in the text again, for examples and pages: arcs from head to tail, and the spans themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints
from assay.corpus import Marks
from assay.engine.drawing import span_places
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.spanpairs import spans_of, surface_forms
from assay.engine.task import Drawing, Layers, Places, Tables
from assay.engine.texts import ELSEWHERE, NO_HEAD, Rows, Shown, span_rows
from assay.records import dataclass
from assay.result import ExampleSpan
from assay.tasks.relations.pairs import ROLES, is_undirected, relations_of

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
    """The first word of the tail, or of the head if the tail is in another sentence …"""
    end: Ints
    stretches: dict[int, Any]
    head: tuple[Ints, Ints]
    """… and the first word of the head and its end, or ELSEWHERE."""
    beyond: dict[int, str]
    """For those that leave their sentence: an arrow and the words of the other argument."""
    undirected: Bools


def _words_of(pair: Pair, side: Marks, chosen: Ints) -> tuple[Ints, Ints, dict[int, Any]]:
    """The words of spans, as far as they are in the sentence in which the span begins."""
    begin, end, stretches = span_places(spans_of(pair), side, chosen)
    if pair.gold.texts is not None:
        return begin, end, stretches
    size = np.diff(pair.gold.starts)[side.unit[chosen]]
    inside = {
        row: [[a, min(b, int(size[row]))] for a, b in shape if a < size[row]] for row, shape in stretches.items()
    }
    return begin, np.minimum(end, size), inside


def _arcs(pair: Pair, side: int, numbers: Ints, sentence: Ints) -> _Arcs:
    spans, relations = (spans_of(pair).gold, spans_of(pair).system)[side], relations_of(pair)[side].where(numbers)
    head, tail = (relations.arguments[role] for role in ROLES)
    # One of both arguments is in the sentence.
    leaving, entering = spans.unit[tail] != sentence, spans.unit[head] != sentence
    begin, end, stretches = _words_of(pair, spans, np.where(leaving, head, tail))
    first, last, _ = _words_of(pair, spans, head)
    apart = np.flatnonzero(leaving | entering)
    first[apart] = ELSEWHERE
    beyond = {}
    if len(apart):
        others = np.where(entering, head, tail)[apart]
        texts = surface_forms((pair.gold, pair.system)[side], spans.number[others])
        for row, text in zip(apart.tolist(), texts, strict=True):
            beyond[row] = f"{'←' if entering[row] else '→'} {text}"
    return _Arcs(begin, end, stretches, (first, last), beyond, is_undirected(relations))


def _places(run: Run, items: Items) -> Places:
    """The words of each relation's tail, or head."""
    begin, end = np.zeros(len(items), dtype=np.int64), np.zeros(len(items), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for owner in range(-1, len(run.pairs)):
        rows = np.flatnonzero(items.owner == owner)
        if len(rows):
            found = _arcs(run.pairs[max(owner, 0)][1], int(owner != NONE), items.item[rows], items.sentence[rows])
            begin[rows], end[rows] = found.begin, found.end
            stretches.update((int(rows[row]), shape) for row, shape in found.stretches.items())
    return begin, end, stretches


def _sides(run: Run, tables: Tables) -> Iterator[tuple[str, Items, Bools, Ints, Ints, int, Pair]]:
    """Gold and each system: name, table, the rows with a relation, its number and label, its side and pair."""
    pairs = dict(run.pairs)
    for place, (name, one) in enumerate([("gold", tables[0][1]), *tables]):
        assert one.partner is not None
        if place == 0:
            yield name, one, one.has_gold, one.item, one.gold, 0, pairs[tables[0][0]]
        else:
            yield name, one, one.has_system[0], one.partner[0], one.answer[0], 1, pairs[name]


def _layers(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """The relations of each side, those of systems with what became of them; and its spans, which have no head."""
    layers: list[Rows] = []
    for _, one, there, numbers, labels, side, pair in _sides(run, tables):
        rows = np.flatnonzero(there & (shown.place[one.sentence] != NONE))
        arcs = _arcs(pair, side, numbers[rows], one.sentence[rows])
        spans = (spans_of(pair).gold, spans_of(pair).system)[side]
        drawn = np.flatnonzero(shown.place[spans.unit] != NONE)
        begin, end, stretches = _words_of(pair, spans, drawn)
        known = {label: code for code, label in enumerate(one.labels)}
        codes = labels[rows].astype(np.int64)
        for row, text in arcs.beyond.items():
            codes[row] = known.setdefault(f"{one.labels[codes[row]]} {text}", len(known))
        types = [known.setdefault(name, len(known)) for name in spans_of(pair).labels]
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
        arcs = _arcs(pair, side, numbers[rows], one.sentence[rows])
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
