"""Tab-separated tables for pipes and spreadsheets: full labels, no colour, nothing cut, plain numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.render.table import Cell, Table
from assay.render.tables import tables
from assay.render.text import DASH, example_text, verdict
from assay.result import Result

_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_PARTS = {2: ("low", "high"), 3: ("", "low", "high")}


def tsv(result: Result) -> str:
    """All tables; a line `# title` heads each, a blank line divides them."""
    blocks = ["\n".join([f"# {_clean(table.title)}", *_lines(table)]) for table in tables(result)]
    if result.examples:
        lines = ["# Examples", "a\tb\tplace\tsentence"]
        lines += [
            "\t".join(map(_clean, (example.a, example.b or "", example.place, example_text(example))))
            for example in result.examples
        ]
        blocks.append("\n".join(lines))
    sentence = verdict(result)
    tail = [f"# {_clean(line)}" for line in (sentence, *result.notes, result.signature) if line]
    blocks.append("\n".join(tail))
    return "\n\n".join(blocks) + "\n"


def _lines(table: Table) -> list[str]:
    """A header and rows; what a person reads in one cell, a program gets in columns of their own."""
    widths = [max(1, *(len(row[index].data) for row in table.rows)) for index in range(len(table.header))]
    header = [name for index, width in enumerate(widths) for name in _names(table.header[index], width, table.parts)]
    rows = [
        [part for cell, width in zip(row, widths, strict=True) for part in _parts(cell, width)] for row in table.rows
    ]
    return ["\t".join(map(_clean, cells)) for cells in (header, *rows)]


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
    """A label may hold what divides cells and lines."""
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
