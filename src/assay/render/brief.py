"""The short form of a Result, about one screen: the scores, how sure it is that they differ, and what changed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.render.table import (
    ASSUMED,
    TOO_SHORT,
    cell,
    explain_marks,
    figure,
    table,
    unit_notes,
    value_of,
    with_cells,
)
from assay.render.tables import change_kinds, leading_pair, of_median, path_of, tables
from assay.render.text import count
from assay.result import Diff, Result, Table, is_best, is_category, kind_title
from assay.result.chance import interval_title
from assay.result.numbers import DIFFERENCES, plural
from assay.result.verdict import named

ROWS = 5
"""So many rows of a table of details are shown …"""
FREQUENT = 3
"""… and so many changes of each kind."""
_FIRST = ("scores", "order", "pairs", "tests", "systems", "alt-test", "items")
"""Of annotators, of many runs and where a task has all tables itself, the first of each of these names."""


def brief(result: Result) -> list[Table]:
    """The tables of the short form."""
    if result.tables_only or result.command in ("agreement", "bayes"):
        found = tables(result, (*_FIRST, "slices"))
        firsts = {one.name: index for index, one in reversed([*enumerate(found)])}
        # An order that hides something has its relations beside it; shares come in two kinds.
        whole = ("order", "pairs", "slices")
        more = [one for one in found if one.name in whole and not one.minor]
        shown = [one for at, one in enumerate(found) if firsts[one.name] == at or one in more]
        shorter = {"items": ROWS}
        return [replace(one, short=shorter.get(one.name, min(one.short, 2 * ROWS)), lines=()) for one in shown]
    details = "label-differences" if result.command == "compare" else "confusion"
    measure = next(iter(result.main_scores), "")
    scores = _one_per_row(result) if len(result.systems) > 2 else _side_by_side(result)
    found = [with_cells(one) for one in (*scores, *_changes(result)) if one.rows]
    found += [replace(one, short=ROWS) for one in tables(result, (details,)) if not one.minor][:2]
    asked = [one for one in tables(result, ("forms", "slices", "mappings")) if not one.minor]
    return [*found, *(one for one in asked if one.name != "slices" or measure in one.measures)]


def _one_per_row(result: Result) -> Iterator[Table]:
    """The scores of many systems, without groups by further measures and averages over labels; the best tested."""
    for one in tables(result, ("scores",))[:1]:
        kept = [index for index in range(len(one.header)) if index not in one.droppable]
        header, forms = (tuple(row[index] for index in kept) for row in (one.header, one.forms))
        rows = tuple(tuple(row[index] for index in kept) for row in one.rows)
        words = sum(index < one.words for index in kept)
        notes = tuple(note for note in one.notes if "group" in note or note.startswith((TOO_SHORT, ASSUMED)))
        yield replace(one, header=header, rows=rows, forms=forms, words=words, notes=notes, droppable=())
    tests = result.main_tests
    tests = [row for row in tests if row.measure == tests[0].measure]
    overall = [row for row in result.scores if row.main and not (row.slice or row.label or math.isnan(row.value))]
    of_first = [row for row in overall if tests and row.measure == tests[0].measure]
    best = max(of_first, key=lambda row: row.value).system if of_first else ""
    # The best beside each of the others, unless all were tested against another one.
    of_best = [row for row in tests if best in (row.a, row.b)]
    shown = of_best if len(of_best) == len(result.systems) - 1 else tests
    for one in tables(replace(result, comparisons=tuple(shown)), ("tests",))[:1]:
        unit = " in percentage points" * ("points" in one.forms)
        yield replace(one, notes=(f"Second minus first{unit}.",), lines=())


def _side_by_side(result: Result) -> Iterator[Table]:
    """The scores of one or two systems, a row for each measure, with their difference."""
    names = [source.name for source in result.systems]
    tests = {row.measure: row for row in result.main_tests}
    found = {(row.system, row.measure, row.score): row for row in result.scores if not (row.slice or row.label)}
    rows: list[list[Any]] = []
    for measure, main in result.main_scores.items():
        # Of rival measures precision and recall too: there the two kinds of errors come apart.
        parts = ("precision", "recall") if result.rivals and main == "f1" else ()
        for score in (main, *parts):
            own = [found.get((name, measure, score)) for name in names]
            values = [value_of(row) for row in own]
            rows.append([named(result, measure) if score == main else f"  {score}"])
            rows[-1] += [figure(result, row, is_best(values, index)) for index, row in enumerate(own)]
            if tests:
                test = tests.get(measure) if score == main else None
                change = cell(test.figure, DIFFERENCES[result.form_of(test)]) if test else ""
                rows[-1] += [change, cell(test.holm, "holm") if test else ""]
    corrected = any(row.p != row.p_adjusted and not math.isnan(row.p) for row in tests.values())
    header = ["measure", *names, *(["difference", "p (Holm)" if corrected else "p"] if tests else [])]
    units = {result.form_of(row) for row in found.values() if row.main}
    notes = [*unit_notes(units), "In brackets the 95% interval."]
    points = ", in points" * ("percent" in units)
    level = f", with the {interval_title([*tests.values()])}" if any(row.level for row in tests.values()) else ""
    notes += [f"difference: {names[1]} minus {names[0]}{points}{level}."] if tests else []
    forms = f"{'text ' * (1 + len(names))}points holm"
    yield explain_marks(with_cells(table("Scores", header, rows, forms, name="scores", notes=tuple(notes))), result)


def _changes(result: Result) -> Iterator[Table]:
    """Corrections, new errors and changed errors of the best two systems, with the most frequent of each kind."""
    pair = leading_pair(result)
    whole = (row for row in result.diffs if row.slice is None and not is_category(row.on) and row.different)
    diff: Diff | None = next((row for row in whole if {row.a, row.b} == pair), None)
    if diff is None:
        return
    rows = []
    for kind, title, total in change_kinds(diff):
        if result.by_outcome:
            paths = [
                (f"{kind_title(row.before)} → {kind_title(row.after)}", row.count)
                for row in diff.outcomes
                if row.kind == kind
            ]
        else:
            paths = [(path_of(row), row.count) for row in diff.changes if row.kind == kind]
        said = ", ".join(f"{path} {number:,}" for path, number in paths[:FREQUENT])
        rows.append([plural(total, title.lower().removesuffix("s")), f"{said} …" if len(paths) > FREQUENT else said])
    title = f"Changes {diff.a} → {diff.b}: {count(diff.different)} of {count(diff.items)} {result.noun}s"
    header = [f"{result.noun}s", "most frequent (before → after)"]
    yield of_median(table(title, header, rows, name="changes", words=2), result)
