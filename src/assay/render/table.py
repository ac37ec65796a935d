"""The cells of a table: values as they are written, by the form of their column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from assay.records import dataclass
from assay.result import Result, Score, Table, is_best
from assay.result.numbers import DASH, WRITERS, interval, p_value, with_interval

TOO_SHORT, ASSUMED = "†", "‡"
"""Marks of intervals: some label has too few items; all items are right, or none."""
MOST_LABELS = 10
"""The largest number of labels with too few items that are named."""


@dataclass(frozen=True)
class Cell:
    """The text of a cell; the best of a column is bold, the best of a group may be italic."""

    text: str
    bold: bool = False
    italic: bool = False
    data: tuple[str, ...] = ()
    """The parts of the text for programs, if it has several or is not a plain number."""


def make_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[Any]], forms: str = "text", **more: Any
) -> Table:
    """A table of values or cells; what is given as a list becomes a tuple."""
    more |= {name: tuple(more[name]) for name in ("notes", "lines", "droppable", "narrow") if name in more}
    return Table(title, tuple(header), tuple(map(tuple, rows)), tuple(forms.split()), **more)


def format_table(table: Table, result: Result) -> Table:
    """The table with cells in place of values, a form for each column, and notes on the marks of its intervals."""
    forms = (*table.forms, *table.forms[-1:] * len(table.header))[: len(table.header)]
    rows = [[cell(value, form) for value, form in zip(row, forms, strict=True)] for row in table.rows]
    for down, across in {*table.bold, *table.italic}:
        bold, italic = ((down, across) in places for places in (table.bold, table.italic))
        rows[down][across] = replace(rows[down][across], bold=bold, italic=italic)
    texts = [cell.text for row in rows for cell in row]
    notes, noun, unit = [*table.notes], result.shown.noun, result.about.unit
    if any(text.endswith(f"]{TOO_SHORT})") for text in texts):
        rare = sorted({label for row in result.scores for label in row.too_short})
        named = ", ".join(rare[:MOST_LABELS]) + f" and {len(rare) - MOST_LABELS} more" * (len(rare) > MOST_LABELS)
        few = f"fewer than 10 {noun}s (gold and system together)"
        notes.append(f"{TOO_SHORT} This interval is too narrow, because some labels have {few}: {named}.")
    if any(text.endswith(f"]{ASSUMED}") for text in texts):
        notes.append(
            f"{ASSUMED} If all {noun}s are right, or none, the interval assumes .1 within {unit}s: the correlation "
            f"between {noun}s of one {unit}."
        )
    narrow = tuple(format_table(part, result) for part in table.narrow)
    return replace(table, forms=forms, rows=tuple(map(tuple, rows)), notes=tuple(notes), narrow=narrow)


def cell(value: Any, form: str, bold: bool = False) -> Cell:
    """A value as a form writes it, with its parts for programs; a Cell is returned as it is, a text stays a text."""
    data: tuple[str, ...] = ()
    if isinstance(value, Cell):
        return value
    if isinstance(value, str):
        text = value
    elif form == "count":
        text = f"{value:,}"
    elif form == "net":
        text = f"{value:+,}".replace("-", "−") if value else "0"
    elif form == "pair":
        text, data = " → ".join(value), tuple(value)
    elif form == "share" and not value:
        data, text = ("", ""), ""
    elif form == "share":
        number, share = value[0], math.nan if value[1] is None else value[1]
        text = f"{number:,}" if math.isnan(share) else f"{number:,} ({100 * share:.0f})"
        data = (str(number), f"{100 * share:.2f}")
    elif form == "error":
        text = DASH if value is None or math.isnan(value) else f"±{value:.4f}"
    elif form in ("p", "holm"):
        # Whether it is significant comes with p (Holm); files of older versions have p alone.
        number, bold = value if isinstance(value, Sequence) else (value, bold)
        number = math.nan if number is None else number
        text, data = p_value(number), (f"{number:.6g}",)
    else:
        # A mark comes before its number, so that digits stay below each other.
        marked = form.startswith("marked")
        mark, value = value if marked else ("", value)
        form = {"marked": "percent", "marked-coefficient": "coefficient"}.get(form, form)
        several = isinstance(value, Sequence)
        numbers = [math.nan if number is None else number for number in (value if several else [value])]
        in_percent = form in ("percent", "points")
        value, *ends = numbers
        text = f"{mark}{with_interval(value, ends[0], ends[1], WRITERS[form]) if several else WRITERS[form](value)}"
        if several or marked or not in_percent:
            data = tuple(f"{100 * number:.2f}" if in_percent else f"{number:.6f}" for number in numbers)
    return Cell(text, bold=bool(bold), data=data)


def best_cells(values: Sequence[float], form: str = "percent") -> list[Cell]:
    """Values in a form, the best of them bold."""
    return [cell(value, form, is_best(values, index)) for index, value in enumerate(values)]


def figure(result: Result, row: Score | None, bold: bool = False) -> Cell:
    """A score with its interval, marked if it is too short or rests on an assumption; of several runs with their
    number, spread and range too."""
    if row is None:
        return Cell(DASH, bold)
    form = result.form_of(row)
    write = WRITERS[form]
    text = write(row.value)
    if runs := row.runs:
        text += f" ± {write(runs.spread)} ({runs.number} runs, {write(runs.low)}–{write(runs.high)})"
    if not math.isnan(row.low):
        ends = interval(row.low, row.high, write)
        text += f" ({ends}{TOO_SHORT})" if row.too_short else f" {ends}{ASSUMED * row.assumed}"
    return replace(cell([row.value, row.low, row.high], form, bold), text=text)


def unit_notes(forms: Iterable[str]) -> list[str]:
    """A sentence on what values of some forms are counted in."""
    occurring = {*forms}
    return [f"Percent{', except coefficients (.57)' * ('coefficient' in occurring)}."] * ("percent" in occurring)


def value_of(row: Score | None) -> float:
    """A score's value; nan if there is no score."""
    return row.value if row else math.nan
