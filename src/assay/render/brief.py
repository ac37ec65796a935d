"""The short form of a Result, about one screen: the scores, how sure it is that they differ, and what changed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.render.table import ASSUMED, TOO_SHORT, cell, figure, format_table, make_table, unit_notes, value_of
from assay.render.tables import group_changes, leading_pair, name_median_runs, tables
from assay.result import Result, Table, is_best, is_category
from assay.result.chance import interval_title
from assay.result.numbers import DIFFERENCES, plural
from assay.result.verdict import named

ROWS = 5
"""The number of rows of a table of details …"""
FREQUENT = 3
"""… and of changes of each kind."""
_FIRST = ("scores", "order", "pairs", "tests", "systems", "alt-test", "items")
"""Of annotators, of many runs and where a task has all tables itself, the first of each of these names."""


def brief(result: Result) -> list[Table]:
    """The tables of the short form."""
    if result.shown.tables_only or result.about.command in ("agreement", "bayes"):
        found = tables(result, (*_FIRST, "slices"))
        firsts = {one.name: index for index, one in reversed([*enumerate(found)])}
        # An order that hides something has its relations beside it; shares come in two kinds.
        whole = ("order", "pairs", "slices")
        more = [one for one in found if one.name in whole and not one.minor]
        shown = [one for at, one in enumerate(found) if firsts[one.name] == at or one in more]
        shorter = {"items": ROWS}
        return [replace(one, short=shorter.get(one.name, min(one.short, 2 * ROWS)), lines=()) for one in shown]
    details = "label-differences" if result.about.command == "compare" else "confusion"
    measure = next(iter(result.main_scores), "")
    scores = _one_per_row(result) if len(result.systems) > 2 else _side_by_side(result)
    found = [table for table in (*scores, *_changes(result)) if table.rows]
    found += [replace(one, short=ROWS) for one in tables(result, (details,)) if not one.minor][:2]
    asked = [one for one in tables(result, ("forms", "slices", "mappings")) if not one.minor]
    return [*found, *(one for one in asked if one.name != "slices" or measure in one.measures)]


def _one_per_row(result: Result) -> Iterator[Table]:
    """The scores of many systems, without groups by further measures and averages over labels; the best tested."""
    for table in tables(result, ("scores",))[:1]:
        kept = [index for index in range(len(table.header)) if index not in table.droppable]
        header, forms, *rows = (tuple(row[at] for at in kept) for row in (table.header, table.forms, *table.rows))
        words = sum(index < table.words for index in kept)
        notes = tuple(note for note in table.notes if "group" in note or note.startswith((TOO_SHORT, ASSUMED)))
        yield replace(table, header=header, rows=tuple(rows), forms=forms, words=words, notes=notes, droppable=())
    tests = result.main_tests
    tests = [row for row in tests if row.measure == tests[0].measure]
    of_first = [row for row in result.overall if row.main and tests and row.measure == tests[0].measure]
    best = max((row for row in of_first if not math.isnan(row.value)), key=lambda row: row.value, default=None)
    # The best beside each of the others, unless all were tested against another one.
    of_best = [row for row in tests if best and best.system in (row.a, row.b)]
    shown = of_best if len(of_best) == len(result.systems) - 1 else tests
    for table in tables(replace(result, comparisons=tuple(shown)), ("tests",))[:1]:
        unit = " in percentage points" * ("points" in table.forms)
        yield replace(table, notes=(f"Second minus first{unit}.",), lines=())


def _side_by_side(result: Result) -> Iterator[Table]:
    """The scores of one or two systems, a row for each measure, with their difference."""
    names, tests = result.names, {row.measure: row for row in result.main_tests}
    found = {(row.system, row.measure, row.score): row for row in result.overall}
    rows: list[list[Any]] = []
    for measure, main in result.main_scores.items():
        # Of rival measures precision and recall too: there the two kinds of errors differ.
        parts = ("precision", "recall") if result.shown.rivals and main == "f1" else ()
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
    notes = [*unit_notes(units), "Brackets contain the 95% interval."]
    if tests:
        points = ", in points" * ("percent" in units)
        level = f", with the {interval_title([*tests.values()])}" if any(row.level for row in tests.values()) else ""
        notes.append(f"difference: {names[1]} minus {names[0]}{points}{level}.")
    forms = f"{'text ' * (1 + len(names))}points holm"
    yield format_table(make_table("Scores", header, rows, forms, name="scores", notes=notes), result)


def _changes(result: Result) -> Iterator[Table]:
    """Corrections, new errors and changed errors of the best two systems, with the most frequent of each kind."""
    pair = leading_pair(result)
    whole = (row for row in result.diffs if row.slice is None and not is_category(row.on) and row.different)
    for diff in [row for row in whole if {row.a, row.b} == pair][:1]:
        rows = []
        for title, total, paths in group_changes(diff, result.shown.by_outcome):
            frequent = ", ".join(f"{path} {row.count:,}" for path, row in paths[:FREQUENT])
            more = " …" * (len(paths) > FREQUENT)
            rows.append([plural(total, title.lower().removesuffix("s")), f"{frequent}{more}"])
        title = f"Changes {diff.a} → {diff.b}: {diff.different:,} of {diff.items:,} {result.shown.noun}s"
        header = [f"{result.shown.noun}s", "most frequent (before → after)"]
        table = make_table(title, header, rows, name="changes", words=2)
        yield format_table(name_median_runs(table, result), result)
