"""Tables for pipes and spreadsheets, tabs or commas between cells: full labels, nothing cut, plain numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from assay.errors import CONTROL
from assay.render.table import Cell, Table
from assay.render.tables import tables
from assay.render.text import DASH, example_text, verdict
from assay.result import Result

_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_FORMULA = re.compile(r"[=+@\t\r-](?!\d*\.?\d+(?:e[+-]?\d+)?$)", re.IGNORECASE)
"""What a spreadsheet takes for a formula, and is no number."""
_SPELT = {**CONTROL, **{ord(mark): spelt for mark, spelt in (("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))}}
_PARTS = {2: ("low", "high"), 3: ("", "low", "high")}


Line = Callable[[Sequence[str]], str]
"""Cells made a line."""


def tsv(result: Result) -> str:
    """All tables; a line `# title` heads each, a blank line divides them."""
    return _written(result, lambda cells: "\t".join(map(_clean, cells)))


def csv(result: Result) -> str:
    """The same with commas. A text that a spreadsheet would take for a formula has an apostrophe before it."""
    return _written(result, lambda cells: ",".join(map(_quoted, cells)))


def _written(result: Result, line: Line) -> str:
    blocks = ["\n".join([line([f"# {table.title}"]), *map(line, _rows(table))]) for table in tables(result)]
    if result.examples:
        rows = [(example.a, example.b or "", example.place, example_text(example)) for example in result.examples]
        blocks.append("\n".join(map(line, (["# Examples"], ["a", "b", "place", "sentence"], *rows))))
    tail = [line([f"# {text}"]) for text in (verdict(result), *result.notes, result.signature) if text]
    blocks.append("\n".join(tail))
    return "\n\n".join(blocks) + "\n"


def _rows(table: Table) -> list[Sequence[str]]:
    """A header and rows; what a person reads in one cell, a program gets in columns of their own."""
    widths = [max(1, *(len(row[index].data) for row in table.rows)) for index in range(len(table.header))]
    columns = table.columns or table.header
    header = [name for index, width in enumerate(widths) for name in _names(columns[index], width, table.parts)]
    rows = [
        [part for cell, width in zip(row, widths, strict=True) for part in _parts(cell, width)] for row in table.rows
    ]
    return [header, *rows]


def _names(name: str, width: int, parts: Sequence[str]) -> Sequence[str]:
    if width == 1:
        return [name]
    if name == "pair":
        return ["a", "b"]
    return [f"{name} {part}".strip() for part in parts or _PARTS[width]]


def _parts(cell: Cell, width: int) -> Sequence[str]:
    if cell.data:
        return cell.data
    if width > 1 or cell.text == DASH:
        return ["nan"] * width
    text = cell.text.replace("−", "-")
    return [text.replace(",", "") if _GROUPED.fullmatch(text) else text]


def _clean(text: str) -> str:
    """A label may hold what divides cells and lines, or moves the cursor of a terminal."""
    return text.translate(_SPELT)


def _quoted(text: str) -> str:
    """A cell of CSV (RFC 4180)."""
    text = text.translate({code: spelt for code, spelt in CONTROL.items() if chr(code) not in "\t\n\r"})
    safe = f"'{text}" if _FORMULA.match(text) else text
    return '"' + safe.replace('"', '""') + '"' if re.search(r'[",\n\r]|^\s|\s$', safe) else safe
