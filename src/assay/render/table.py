"""The cells of a table: values as they are written, by the form of their column."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.records import dataclass
from assay.render.text import count
from assay.result import Score, Table
from assay.result.numbers import DASH, interval, p_value, percent, signed, with_interval


@dataclass(frozen=True)
class Cell:
    """The text of a cell; the best of a column is bold, the best of a group may be italic."""

    text: str
    bold: bool = False
    italic: bool = False
    data: tuple[str, ...] = ()
    """The parts of the text for programs, where it has several or is not a plain number."""


def table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[Any]], forms: str = "text", **more: Any
) -> Table:
    """A table of values or cells."""
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


def _figure(form: Callable[[float], str]) -> Callable[[Any], Cell]:
    """A number written in a form, or a figure with its interval; nothing is undefined."""

    def written(value: Any) -> Cell:
        if not isinstance(value, Sequence):
            return Cell(form(math.nan if value is None else value))
        numbers = [math.nan if number is None else number for number in value]
        text = with_interval(numbers[0], numbers[1], numbers[2], form)
        return Cell(text, data=tuple(f"{100 * number:.2f}" for number in numbers))

    return written


def _share(value: Any) -> Cell:
    number, share = value or ("", None)
    share = math.nan if share is None else share
    text = "" if math.isnan(share) else f" ({100 * share:.0f})"
    return Cell(f"{number:,}{text}", data=(str(number), f"{100 * share:.2f}")) if value else Cell("", data=("", ""))


def _marked(value: Any) -> Cell:
    # The mark stands before the figure, so that digits stay below each other.
    number = math.nan if value[1] is None else value[1]
    return Cell(f"{value[0]}{percent(number)}", data=(f"{100 * number:.2f}",))


def _p(value: float | None) -> Cell:
    number = math.nan if value is None else value
    return Cell(p_value(number), data=(f"{number:.6g}",))


_FORMS: Mapping[str, Callable[[Any], Cell]] = {
    "count": lambda value: Cell(count(value)),
    "net": lambda value: Cell(f"{value:+,}".replace("-", "−") if value else "0"),
    "percent": _figure(percent),
    "points": _figure(signed),
    "p": _p,
    "holm": lambda value: replace(_p(value), bold=value is not None and value < 0.05),
    "error": lambda value: Cell(DASH if value is None or math.isnan(value) else f"±{value:.4f}"),
    "share": _share,
    "marked": _marked,
    "pair": lambda value: Cell(" → ".join(value), data=tuple(value)),
}


def figure(row: Score | None, bold: bool = False) -> Cell:
    """A score with its interval; of several runs with their number, spread and range too."""
    found = cell([row.value, row.low, row.high], "percent", bold) if row else Cell(DASH, bold)
    if row is None or row.runs is None:
        return found
    runs = row.runs
    reach = f"{percent(runs.low)}–{percent(runs.high)}"
    text = f"{percent(row.value)} ± {percent(runs.spread)} ({runs.number} runs, {reach})"
    return replace(found, text=text if math.isnan(row.low) else f"{text} {interval(row.low, row.high, percent)}")


def value_of(row: Score | None) -> float:
    """A score's value; undefined where there is no score."""
    return row.value if row else float("nan")
