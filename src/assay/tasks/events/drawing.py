"""Drawings of events for examples and pages: triggers, and arcs from these to their arguments."""

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
from assay.engine.texts import NO_HEAD
from assay.tasks.events.pairs import ARGUMENT, TRIGGER, events_of, is_part

_MEANINGS = {
    "le": "LE: wrong type or role",
    "be": "BE: wrong boundary",
    "lbe": "LBE: label and boundary wrong",
    "ae": "AE: argument of another event",
    "fp": "FP: gold does not have it",
    "fn": "FN: not found",
}


def _place(pair: Pair, side: int, unit: Ints, numbers: Ints, judged: Ints) -> Marks:
    """Triggers and arguments by the words of the trigger's sentence; an argument elsewhere is at its trigger."""
    events = events_of(pair)[side]
    row = np.full(int(events.number.max(initial=0)) + 1, NONE)
    row[events.number] = np.arange(len(events))
    trigger = events.number[events.arguments["event"][row[numbers]]]
    placed, at = place_spans(pair, side, numbers), place_spans(pair, side, trigger)
    apart = placed.unit != at.unit
    is_argument = is_part(events, ARGUMENT)[row[numbers]]
    size = np.diff(pair.gold.starts)[at.unit] if pair.gold.texts is None else at.end.max(initial=0) + placed.end
    return replace(
        placed,
        unit=at.unit,
        begin=np.where(apart, at.begin, placed.begin),
        end=np.where(apart, at.end, np.minimum(placed.end, size)),
        stretches={row: shape for row, shape in placed.stretches.items() if not apart[row]},
        arguments={
            "head": np.where(is_argument, at.begin, NO_HEAD),
            "head_end": np.minimum(at.end, size),
            "apart": apart.astype(np.int64),
        },
        number=numbers,
    )


def _draw(pair: Pair, side: int, judged: Marks, wanted: Bools) -> Marks:
    """All triggers and arguments of a side, with the outcomes of those that are items.

    The label of an argument in another sentence ends in an arrow and its words.
    """
    events = events_of(pair)[side]
    chosen = events.where((is_part(events, TRIGGER) | is_part(events, ARGUMENT)) & wanted[events.unit])
    placed = _place(pair, side, chosen.unit, chosen.number, judged.number)
    labels = np.array(chosen.labels.strings(), dtype=object)
    apart = np.flatnonzero(placed.arguments["apart"])
    if len(apart):
        corpus = (pair.gold, pair.system)[side]
        numbers = spans_of(pair)[side].number[chosen.number[apart]]
        labels[apart] += [f" → {text}" for text in surface_forms(corpus, numbers)]
    place = {number: row for row, number in enumerate(judged.number.tolist())}
    rows = np.array([place.get(number, NONE) for number in chosen.number.tolist()], dtype=np.int64)
    outcomes = {name: np.append(column, NONE)[rows] for name, column in judged.arguments.items()}
    heads = {name: placed.arguments[name] for name in ("head", "head_end")}
    drawn = replace(
        placed, labels=Column.of(labels.tolist()), arguments={**heads, **outcomes}, columns={}, group=None
    )
    return drawn.where(np.lexsort((drawn.end, drawn.begin)))


def _sides(run: Run, tables: Tables, wanted: Bools) -> Sides:
    return draw_sides(_draw, run, tables, wanted)._replace(heads="lists")


DRAWING = draw_marks("graph", _place, _sides, meanings=_MEANINGS)
