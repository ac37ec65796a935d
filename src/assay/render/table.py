"""The cells of a table: values as they are written, by the form of their column."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.records import dataclass
from assay.render.text import count
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
    """The parts of the text for programs, where it has several or is not a plain number."""


def make_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[Any]], forms: str = "text", **more: Any
) -> Table:
    """A table of values or cells; what is given as a list becomes a tuple."""
    more |= {name: tuple(more[name]) for name in ("notes", "lines", "droppable", "narrow") if name in more}
    return Table(title, tuple(header), tuple(map(tuple, rows)), tuple(forms.split()), **more)


def with_cells(table: Table) -> Table:
    """The table with cells in place of values, and a form for each column."""
    bold, italic = set(table.bold), set(table.italic)
    forms = (*table.forms, *table.forms[-1:] * len(table.header))[: len(table.header)]
    rows = []
    for down, row in enumerate(table.rows):
        cells = [cell(value, form) for value, form in zip(row, forms, strict=True)]
        for across, one in enumerate(cells):
            if (down, across) in bold or (down, across) in italic:
                cells[across] = replace(one, bold=(down, across) in bold, italic=(down, across) in italic)
        rows.append(tuple(cells))
    return replace(table, forms=forms, rows=tuple(rows), narrow=tuple(map(with_cells, table.narrow)))


def cell(value: Any, form: str, bold: bool = False) -> Cell:
    """A value in a form; cells and texts stay what they are."""
    if isinstance(value, Cell):
        return value
    made = Cell(value) if isinstance(value, str) else _FORMS[form](value)
    return replace(made, bold=True) if bold else made


def best_cells(values: Sequence[float], form: str = "percent") -> list[Cell]:
    """Values in a form, the best of them bold."""
    return [cell(value, form, is_best(values, index)) for index, value in enumerate(values)]


def _plain(number: float, form: str) -> str:
    """A number in a form for programs."""
    return f"{100 * number:.2f}" if form in ("percent", "points") else f"{number:.6f}"


def _figure(form: str) -> Callable[[Any], Cell]:
    """A number written in a form, or a figure with its interval; nothing is undefined."""

    def written(value: Any) -> Cell:
        if not isinstance(value, Sequence):
            number = math.nan if value is None else value
            return Cell(WRITERS[form](number), data=() if form in ("percent", "points") else (_plain(number, form),))
        numbers = [math.nan if number is None else number for number in value]
        text = with_interval(numbers[0], numbers[1], numbers[2], WRITERS[form])
        return Cell(text, data=tuple(_plain(number, form) for number in numbers))

    return written


def _share(value: Any) -> Cell:
    if not value:
        return Cell("", data=("", ""))
    number, share = value[0], math.nan if value[1] is None else value[1]
    text = "" if math.isnan(share) else f" ({100 * share:.0f})"
    return Cell(f"{number:,}{text}", data=(str(number), f"{100 * share:.2f}"))


def _marked(form: str) -> Callable[[Any], Cell]:
    """A mark and a number in a form: the mark comes first, so that digits stay below each other."""

    def written(value: Any) -> Cell:
        number = math.nan if value[1] is None else value[1]
        return Cell(f"{value[0]}{WRITERS[form](number)}", data=(_plain(number, form),))

    return written


def _p(value: float | None) -> Cell:
    number = math.nan if value is None else value
    return Cell(p_value(number), data=(f"{number:.6g}",))


_FORMS: Mapping[str, Callable[[Any], Cell]] = {
    "count": lambda value: Cell(count(value)),
    "net": lambda value: Cell(f"{value:+,}".replace("-", "−") if value else "0"),
    **{form: _figure(form) for form in WRITERS},
    "p": _p,
    # Whether it is significant comes with p; files of older versions have p alone.
    "holm": lambda value: replace(_p(value[0]), bold=bool(value[1])) if isinstance(value, Sequence) else _p(value),
    "error": lambda value: Cell(DASH if value is None or math.isnan(value) else f"±{value:.4f}"),
    "share": _share,
    "marked": _marked("percent"),
    "marked-coefficient": _marked("coefficient"),
    "pair": lambda value: Cell(" → ".join(value), data=tuple(value)),
}


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
    known = {*forms}
    return [f"Percent{', except coefficients (.57)' * ('coefficient' in known)}."] * ("percent" in known)


def explain_marks(table: Table, result: Result) -> Table:
    """The table with notes on the marks of its intervals."""
    texts = [one.text for row in table.rows for one in row]
    notes, noun, unit = [], result.shown.noun, result.about.unit
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
    return replace(table, notes=(*table.notes, *notes))


def value_of(row: Score | None) -> float:
    """A score's value; undefined where there is no score."""
    return row.value if row else float("nan")
