"""Drawings of relations for examples and pages: arcs from head to tail, and the spans themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints
from assay.corpus import Column, Marks
from assay.engine.drawing import Sides, draw_marks, draw_sides, place_spans
from assay.engine.prepare import Run
from assay.engine.spanpairs import spans_of, surface_forms
from assay.engine.task import Tables
from assay.engine.texts import ELSEWHERE, NO_HEAD
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


def _place_arguments(pair: Pair, side: int, rows: Ints) -> Marks:
    """Spans by those of their words that are in the sentence in which the span begins."""
    marks = place_spans(pair, side, rows)
    if pair.gold.texts is not None:
        return marks
    size = np.diff(pair.gold.starts)[marks.unit]
    inside = {
        row: tuple((a, min(b, int(size[row]))) for a, b in shape if a < size[row])
        for row, shape in marks.stretches.items()
    }
    return replace(marks, end=np.minimum(marks.end, size), stretches=inside)


def _place(pair: Pair, side: int, unit: Ints, numbers: Ints, judged: Ints) -> Marks:
    """The tail of each relation, or its head if the tail is in another sentence."""
    spans = spans_of(pair)[side]
    head, tail = (relations_of(pair)[side].arguments[role][numbers] for role in ROLES)
    return _place_arguments(pair, side, np.where(spans.unit[tail] != unit, head, tail))


def _draw(pair: Pair, side: int, judged: Marks, wanted: Bools) -> Marks:
    """The relations of a side and its spans, which have no head.

    The label of a relation that leaves its sentence ends in an arrow and the words of the other argument.
    """
    spans = spans_of(pair)[side]
    relations = relations_of(pair)[side].where(judged.number)
    placed = _place(pair, side, judged.unit, judged.number, judged.number)
    head, tail = (relations.arguments[role] for role in ROLES)
    heads = _place_arguments(pair, side, head)
    entering = spans.unit[head] != judged.unit
    apart = np.flatnonzero(entering | (spans.unit[tail] != judged.unit))
    others = np.where(entering, head, tail)[apart]
    codes_of = {label: code for code, label in enumerate(judged.labels.vocabulary)}
    codes = judged.label.astype(np.int64)
    texts = surface_forms((pair.gold, pair.system)[side], spans.number[others]) if len(apart) else []
    for row, text in zip(apart.tolist(), texts, strict=True):
        label = f"{judged.labels[row]} {'←' if entering[row] else '→'} {text}"
        codes[row] = codes_of.setdefault(label, len(codes_of))
    first = heads.begin.copy()
    first[apart] = ELSEWHERE
    arcs = replace(
        judged,
        begin=placed.begin,
        end=placed.end,
        stretches=placed.stretches,
        labels=Column(codes, tuple(codes_of)),
        arguments={
            **judged.arguments,
            "head": first,
            "head_end": heads.end,
            "undirected": is_undirected(relations).astype(np.int64),
        },
    )
    beneath = _place_arguments(pair, side, np.flatnonzero(wanted[spans.unit]))
    nothing = np.full(len(beneath), NONE)
    usual = {"head": NO_HEAD, "undirected": 0}
    arguments = {role: np.full(len(beneath), usual.get(role, NONE)) for role in arcs.arguments}
    return arcs.followed_by(
        Marks(
            beneath.unit,
            beneath.begin,
            beneath.end,
            beneath.labels,
            stretches=beneath.stretches,
            arguments=arguments,
            number=nothing,
        )
    )


def _sides(run: Run, tables: Tables, wanted: Bools) -> Sides:
    return draw_sides(_draw, run, tables, wanted)._replace(heads="pairs")


DRAWING = draw_marks("graph", _place, _sides, meanings=_MEANINGS)
