"""What a table is: a title, a header, cells, sentences beneath; and the cells that tables have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from assay.render.text import DASH, p_value, percent, plain, with_interval
from assay.result import Score


@dataclass(frozen=True)
class Cell:
    """What stands in a cell; the best of a column is bold, the best of a group may be italic."""

    text: str
    bold: bool = False
    italic: bool = False
    data: tuple[str, ...] = ()
    """The parts of the text for programs, where it has several or is not a plain number."""


@dataclass(frozen=True)
class Table:
    """A title, a header, rows of equal length, and sentences beneath."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    numeric: frozenset[int] = field(default=frozenset())
    """Columns set to the right."""
    short: int = 0
    """Where not 0: a terminal shows so many rows and says how many more there are."""
    minor: bool = False
    """A terminal leaves it out and says so."""
    droppable: tuple[int, ...] = ()
    """Columns that a terminal leaves out where there is no room, the first of these first, and says so."""
    hint: str = ""
    """What a terminal says beneath in addition."""
    parts: tuple[str, ...] = ()
    """What the parts of cells with data are called, where they are not a figure and its interval."""
    columns: tuple[str, ...] = ()
    """What programs call the columns, where people read shorter names."""
    narrow: tuple[Table, ...] = ()
    """The same in several tables, for a terminal that has no room for this one."""


def table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[Cell | str]], words: int = 1, **more: object
) -> Table:
    """A table whose first columns are words and whose others are figures."""
    cells = tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows)
    numeric = frozenset(range(words, len(header)))
    return Table(title, tuple(header), cells, numeric=numeric, **more)  # type: ignore[arg-type]


def is_best(values: Sequence[float], index: int) -> bool:
    """Whether a figure is the highest of several that differ."""
    defined = [round(value, 12) for value in values if not math.isnan(value)]
    return len(defined) > 1 and round(values[index], 12) == max(defined) != min(defined)


def figure(row: Score | None, bold: bool = False) -> Cell:
    """A score with its interval."""
    return interval_cell(row.value, row.low, row.high, percent, bold) if row else Cell(DASH, bold)


def interval_cell(value: float, low: float, high: float, form: Callable[[float], str], bold: bool = False) -> Cell:
    """A figure with its interval."""
    return Cell(with_interval(value, low, high, form), bold, data=(plain(value), plain(low), plain(high)))


def pair_cell(a: str, b: str) -> Cell:
    """Two systems, from the first to the second."""
    return Cell(f"{a} → {b}", data=(a, b))


def p_cell(value: float, bold: bool = False) -> Cell:
    """A p-value."""
    return Cell(p_value(value), bold, data=(f"{value:.6g}",))


def value_of(row: Score | None) -> float:
    """A score's value; undefined where there is no score."""
    return row.value if row else float("nan")


def apart(a: float, b: float) -> bool:
    """Whether two figures say different things."""
    return abs(a - b) > 1e-12 if not (math.isnan(a) or math.isnan(b)) else math.isnan(a) != math.isnan(b)
