"""HTML: a fragment for notebooks, without script, and the tables of the report page."""

from __future__ import annotations

from html import escape

from assay.render.table import Cell, Table
from assay.render.tables import tables
from assay.render.text import example_lines, heading, verdict
from assay.result import Example, Result

_IN_NOTEBOOKS = ("Scores", "Differences", "What differs", "Changes")
_TABLE = "border-collapse:collapse;margin:.5em 0;font-variant-numeric:tabular-nums"
_CELL = "padding:.15em .6em;border-bottom:1px solid rgba(128,128,128,.3);text-align:{side};vertical-align:top"


def fragment(result: Result) -> str:
    """What a notebook shows: verdict, scores, differences, changes, warnings, signature; inline styles only."""
    shown = [table for table in tables(result) if not table.minor and table.title.startswith(_IN_NOTEBOOKS)]
    parts = [f"<p>{escape(heading(result))}</p>"]
    if sentence := verdict(result):
        parts.append(f"<p><strong>{escape(sentence)}</strong></p>")
    parts += [_table(table, short=True, styled=True) for table in shown]
    parts += [f"<p>⚠ {escape(text)}</p>" for text in result.warnings]
    wrapped = '<code style="overflow-wrap:anywhere">'
    parts.append(f"<p><small>{wrapped}{escape(result.signature)}</code></small></p>")
    return f"<div>{''.join(parts)}</div>"


def table_section(table: Table) -> str:
    """A table with its title and notes, for a page with a style of its own."""
    return _table(table, short=False, styled=False)


def example_item(example: Example) -> str:
    """An example and its place."""
    return f"<small>{escape(example.place)}</small>{_example(example)}"


def _example(example: Example) -> str:
    if example.arcs or example.units or example.tree:
        return f"<pre>{escape(chr(10).join(example_lines(example)))}</pre>"
    lines = (" ".join(line.split()) for line in example_lines(example))
    return "".join(f' <div dir="auto">{escape(line)}</div>' for line in lines)


def _table(table: Table, *, short: bool, styled: bool) -> str:
    rows = table.rows[: table.short] if short and table.short else table.rows
    head = "".join(_cell("th", Cell(name), index, table, styled, "col") for index, name in enumerate(table.header))
    body = "".join(
        "<tr>"
        + "".join(
            _cell("td" if index else "th", cell, index, table, styled, "" if index else "row")
            for index, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    style = f' style="{_TABLE}"' if styled else ""
    notes = f"<p>{escape(' '.join(table.notes))}</p>" if table.notes else ""
    more = len(table.rows) - len(rows)
    left = f"<p>… and {more:,} more rows.</p>" if more else ""
    return (
        f"<section><h2>{escape(table.title)}</h2><table{style}><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{left}{notes}</section>"
    )


def _cell(tag: str, cell: Cell, index: int, table: Table, styled: bool, scope: str) -> str:
    right = index in table.numeric
    attributes = f' scope="{scope}"' if scope else ""
    if styled:
        attributes += f' style="{_CELL.format(side="right" if right else "left")}"'
    elif right:
        attributes += ' class="n"'
    text = escape(cell.text)
    if cell.italic and tag == "td":
        text = f"<em>{text}</em>"
    if cell.bold and tag == "td":
        text = f"<strong>{text}</strong>"
    return f"<{tag}{attributes}>{text}</{tag}>"
