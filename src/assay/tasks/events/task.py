"""The task of events."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.align import Pair
from assay.arrays import Ints
from assay.corpus import Corpus, Marks
from assay.engine.confidences import rank_marks
from assay.engine.items import Items
from assay.engine.lexicon import find_bands
from assay.engine.slices import SliceKind, Values
from assay.engine.spanpairs import spans_of, words_at
from assay.engine.task import Task
from assay.formats import Input
from assay.formats.events import ARGUMENTS, EVENTS
from assay.tasks.events import measures
from assay.tasks.events.drawing import DRAWING
from assay.tasks.events.pairs import ARGUMENT, events_of, is_part, types_of
from assay.tasks.events.prepare import prepare_events

TRIGGERS = ("triggers(label=any)", "triggers")
DEFAULTS = (*TRIGGERS, "arguments(label=any)", "arguments", "events", "fair-events")
DISTANCES = ((0, "0"), (3, "1-3"), (10, "4-10"))
NUMBERS = ((0, "0"), (1, "1"), (2, "2"))
NO_ARGUMENT = "(trigger)"


def _measures_for(gold: Input | Corpus) -> tuple[str, ...]:
    """All usual measures, or those of triggers if gold cannot have arguments."""
    layers = {*(gold.marks if isinstance(gold, Corpus) else gold.plan.layers)}
    return TRIGGERS if EVENTS in layers and ARGUMENTS not in layers else DEFAULTS


def _event_slice(
    name: str,
    help_: str,
    value: Callable[[Pair, Marks], Ints],
    names: Callable[[Marks], tuple[str, ...]],
    *,
    by_number: bool = False,
) -> SliceKind:
    """A slice by a value of triggers and arguments; -1 stands for the last name."""

    def of_items(pair: Pair, items: Items, _: str) -> Values:
        sides = []
        for marks, spans in zip(events_of(pair), spans_of(pair), strict=True):
            values = np.zeros(len(spans), dtype=np.int64)
            values[marks.number] = value(pair, marks)
            sides.append(values)
        known = names(events_of(pair)[0])
        codes = items.of_sides(sides[0], sides[1])
        return np.where(codes < 0, len(known) - 1, codes), known

    return SliceKind(name, help_, of_items=of_items, by_number=by_number)


def _if_argument(marks: Marks, values: Ints) -> Ints:
    return np.where(is_part(marks, ARGUMENT), values, -1)


def _distance(pair: Pair, marks: Marks) -> Ints:
    """The band of the number of words between an argument and its trigger."""
    begin, end = words_at(pair, marks.unit, marks.begin, marks.end)
    event = marks.arguments["event"]
    between = np.maximum(begin, begin[event]) - np.minimum(end, end[event])
    return _if_argument(marks, np.where(between < 0, 0, 1 + find_bands(between, DISTANCES)))


def _count_arguments(_: Pair, marks: Marks) -> Ints:
    owners = marks.arguments["event"]
    return find_bands(np.bincount(owners[is_part(marks, ARGUMENT)], minlength=len(marks))[owners], NUMBERS)


SLICES = (
    _event_slice(
        "type",
        "type of the event",
        lambda _, marks: types_of(marks),
        lambda marks: marks.labels.vocabulary,
        by_number=True,
    ),
    _event_slice(
        "role",
        "role of an argument",
        lambda _, marks: _if_argument(marks, marks.label),
        lambda marks: (*marks.labels.vocabulary, NO_ARGUMENT),
        by_number=True,
    ),
    _event_slice(
        "arguments",
        "number of the event's arguments",
        _count_arguments,
        lambda _: (*(name for _, name in NUMBERS), "over 2"),
    ),
    _event_slice(
        "distance",
        "words between an argument and its trigger",
        _distance,
        lambda _: ("overlapping", *(name for _, name in DISTANCES), "over 10", NO_ARGUMENT),
    ),
)

TASK = Task(
    name="events",
    noun="event",
    measures=(measures,),
    defaults=DEFAULTS,
    measures_for=_measures_for,
    agreement=DEFAULTS,
    prepare=prepare_events,
    options=("repair", "missing", "labels", "ignore_labels", "min_score"),
    slices=SLICES,
    drawing=DRAWING,
    matched=True,
    text_unit="",
    confident=lambda run: rank_marks(run.pairs, measures.match_triggers),
)
