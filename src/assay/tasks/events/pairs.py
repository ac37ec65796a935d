"""Events of gold and of a system on one line of atoms: a row for each trigger, argument and attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import groupby

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, pack_columns
from assay.corpus import Column, Corpus, Marks, code_by_alphabet
from assay.engine.matching import same_places
from assay.engine.spanpairs import spans_of
from assay.errors import UsageError
from assay.formats.events import ARGUMENTS, ATTRIBUTES, BETWEEN, EVENTS

TRIGGER, ARGUMENT, ATTRIBUTE, HEAD = range(4)
"""What a row of the combined layer is."""


def lay_out(corpora: Sequence[Corpus]) -> list[Corpus]:
    """The corpora with one layer of spans: triggers, arguments, attributes and heads in groups by event.

    Labels (types, roles, attributes) have the same codes in all of them.
    """
    laid = []
    for corpus in corpora:
        triggers = corpus.marks[EVENTS]
        arguments = corpus.marks.get(ARGUMENTS, triggers.where(np.zeros(len(triggers), dtype=bool)))
        texts = [text.split(BETWEEN) if text else [] for text in triggers.columns[ATTRIBUTES].strings()]
        owners = np.repeat(np.arange(len(triggers)), [*map(len, texts)])
        attributes = replace(triggers.where(owners), labels=Column.of([text for listed in texts for text in listed]))
        begin, end = (arguments.arguments.get(name, arguments.begin) for name in ("head_begin", "head_end"))
        headed = np.flatnonzero(begin != NONE)
        heads = replace(arguments, begin=begin, end=end, stretches={}).where(headed)
        numbers = [np.arange(len(table)) for table in (triggers, arguments, attributes)]
        tables = [
            replace(table, columns={}, arguments={"part": np.full(len(table), part), "own": own})
            for part, (table, own) in enumerate(
                zip((triggers, arguments, attributes, heads), [*numbers, headed], strict=True)
            )
        ]
        laid.append(reduce(Marks.followed_by, tables))
    coded = code_by_alphabet([marks.labels for marks in laid])
    both = zip(corpora, laid, coded, strict=True)
    return [corpus.with_marks(spans=replace(marks, labels=labels).in_order()[0]) for corpus, marks, labels in both]


def events_of(pair: Pair) -> tuple[Marks, Marks]:
    """The events of gold and of the system: first the triggers in text order, then arguments, then attributes.

    Arguments of a mark: `event`, the row of its trigger; `part`; `whole`, a number that is equal for equal events;
    `again`, the number of earlier events with the same trigger and type; `head_begin` and `head_end` on the line.
    The number of a mark is its row among the spans of the pair.
    """
    if EVENTS not in pair.marks:
        raise UsageError("this measure is for events, but something else is compared. Give --task events")
    return pair.marks[EVENTS]


def is_part(marks: Marks, part: int) -> Bools:
    """Mask of the triggers, arguments or attributes."""
    return np.asarray(marks.arguments["part"] == part)


def types_of(marks: Marks) -> Ints:
    """The type of each row's event."""
    return np.asarray(marks.label[marks.arguments["event"]])


def pair_events(pair: Pair) -> tuple[Pair, tuple[int, int]]:
    """The pair with its events, each once and each argument of an event once; and how many were repeated."""
    known: dict[object, int] = {}
    sides, repeated = [], []
    for spans, place in zip(spans_of(pair), same_places(*spans_of(pair)), strict=True):
        assert spans.group is not None
        part, own, group = spans.arguments["part"], spans.arguments["own"], spans.group
        triggers = np.flatnonzero(part == TRIGGER)
        at = np.full(int(group.max(initial=-1)) + 1, NONE)
        at[group[triggers]] = np.arange(len(triggers))
        event = at[group]
        # Parts of events whose trigger was left out are left out too, and of equal ones the first is taken.
        rows = np.flatnonzero((part != TRIGGER) & (part != HEAD) & (event != NONE))
        keys = pack_columns(event[rows], part[rows], place[rows], spans.label[rows])
        rows = rows[np.unique(keys, return_index=True)[1]]
        inside = rows[part[rows] == ARGUMENT]
        starts = np.searchsorted(event[inside], np.arange(len(triggers) + 1)).tolist()
        content = np.stack([place[inside], spans.label[inside]], axis=1).tolist()
        wholes = [
            (int(place[row]), int(spans.label[row]), tuple(map(tuple, content[first:last])))
            for row, first, last in zip(triggers.tolist(), starts, starts[1:], strict=False)
        ]
        # In an order that does not depend on that of the file.
        order = sorted(range(len(wholes)), key=wholes.__getitem__)
        chosen = [next(rows) for _, rows in groupby(order, wholes.__getitem__)]
        repeated.append(len(order) - len(chosen))
        new = np.full(len(triggers) + 1, NONE)
        new[chosen] = np.arange(len(chosen))
        rows = rows[new[event[rows]] != NONE]
        rows = rows[np.lexsort((spans.label[rows], place[rows], new[event[rows]], part[rows]))]
        all_rows = np.concatenate([triggers[chosen], rows]).astype(np.int64)
        marks, owner = spans.where(all_rows), new[event[all_rows]]
        whole = np.array([known.setdefault(wholes[row], len(known)) for row in chosen], dtype=np.int64)
        firsts = pack_columns(place[triggers[chosen]], spans.label[triggers[chosen]])
        again = np.arange(len(chosen)) - np.searchsorted(firsts, firsts)
        heads = np.stack([marks.begin, marks.end])
        by_own = {int(own[row]): row for row in np.flatnonzero(part == HEAD).tolist()}
        for row in np.flatnonzero(marks.arguments["part"] == ARGUMENT).tolist() if by_own else ():
            if (there := by_own.get(int(marks.arguments["own"][row]))) is not None:
                heads[:, row] = spans.begin[there], spans.end[there]
        sides.append(
            replace(
                marks,
                unit=marks.unit[owner],
                number=all_rows,
                group=None,
                arguments={
                    "event": owner,
                    "part": marks.arguments["part"],
                    "whole": whole[owner],
                    "again": again[owner],
                    "head_begin": heads[0],
                    "head_end": heads[1],
                },
            )
        )
    return pair.with_marks(**{EVENTS: (sides[0], sides[1])}), (repeated[0], repeated[1])
