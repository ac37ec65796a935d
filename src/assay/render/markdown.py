"""Markdown tables for issues, pull requests and notes."""

from __future__ import annotations

from assay.render.table import Cell
from assay.render.tables import tables
from assay.render.text import example_lines, example_text, heading, verdict, visible
from assay.result import Example, Result


def markdown(result: Result) -> str:
    """The whole Result."""
    parts = [f"*{_escape(heading(result))}*"]
    sentence = verdict(result)
    if sentence:
        parts.append(f"**{_escape(sentence)}**")
    for table in tables(result):
        rule = ["---:" if index in table.numeric else ":---" for index in range(len(table.header))]
        lines = [
            f"### {_escape(table.title)}",
            "",
            _row([_escape(name) for name in table.header]),
            _row(rule),
        ]
        lines += [_row([_cell(cell) for cell in row]) for row in table.rows]
        if table.notes:
            lines += ["", _escape(" ".join(table.notes))]
        parts.append("\n".join(lines))
    if result.examples:
        parts.append("\n".join(["### Examples", "", *(_example(example) for example in result.examples)]))
    if result.warnings:
        parts.append("\n".join(["### Warnings", "", *(f"- {_escape(text)}" for text in result.warnings)]))
    parts += [_escape(note) for note in result.notes]
    parts.append(f"`{visible(result.signature).replace('`', chr(39))}`")
    return "\n\n".join(parts) + "\n"


def _example(example: Example) -> str:
    """A point of a list; trees are drawn below it."""
    place = _escape(example.place)
    if not (example.arcs or example.units or example.tree):
        return f"- {place}: {_escape(example_text(example))}"
    # Indented code cannot be ended by anything that stands in the data, as a fence could.
    drawn = "".join(f"\n      {visible(line)}" for line in example_lines(example))
    return f"- {place}\n{drawn}\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    text = _escape(cell.text)
    text = f"*{text}*" if cell.italic and text else text
    return f"**{text}**" if cell.bold and text else text


def _escape(text: str) -> str:
    for mark in "\\`*_{}[]<>|#$~&":
        text = text.replace(mark, f"\\{mark}")
    return visible(text)
