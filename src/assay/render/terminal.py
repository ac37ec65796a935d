"""Tables for a terminal, fitted to its width. The only file that knows rich."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from assay.render.tables import Cell, Table, tables
from assay.render.text import example_text, heading, verdict
from assay.result import Result

_KINDS = {
    "correction": "correction",
    "new-error": "new error",
    "changed-error": "changed error",
    "error": "error",
}


def show(result: Result, console: Console | None = None) -> None:
    """Print a Result."""
    console = console or Console(highlight=False, soft_wrap=False)
    console.print(Text(heading(result), style="dim"))
    sentence = verdict(result)
    if sentence:
        console.print()
        console.print(Text(sentence, style="bold"))
    hidden = []
    for table in tables(result):
        if table.minor:
            hidden.append(table.title)
            continue
        _show_table(table, console)
    if hidden:
        console.print(Text(f"\n{len(hidden)} more tables (other pairs): --format md or tsv.", style="dim"))
    _show_examples(result, console)
    for note in result.notes:
        console.print(Text(f"\nNote: {note}", style="dim"))
    console.print(Text(f"\n{result.signature}", style="dim"), soft_wrap=True)


def _show_table(table: Table, console: Console) -> None:
    drawn = RichTable(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="")
    for index, name in enumerate(table.header):
        right = index in table.numeric
        # The longest word of a column is what it can be narrowed to; figures and their intervals stay whole.
        least = max((len(word) for word in name.split()), default=1)
        drawn.add_column(
            escape(name),
            justify="right" if right else "left",
            overflow="fold",
            min_width=least if right else None,
        )
    rows = table.rows[: table.short] if table.short else table.rows
    for row in rows:
        drawn.add_row(*(_cell(cell, index in table.numeric) for index, cell in enumerate(row)))
    console.print()
    console.print(Text(table.title, style="bold underline"))
    console.print(drawn)
    more = len(table.rows) - len(rows)
    notes = list(table.notes)
    if more:
        notes.insert(0, f"… and {more:,} more rows: --format md or tsv.")
    if notes:
        console.print(Text(" ".join(notes), style="dim"))


def _cell(cell: Cell, whole: bool) -> Text:
    return Text(cell.text, style="bold" if cell.bold else "", no_wrap=whole)


def _show_examples(result: Result, console: Console) -> None:
    before: tuple[str, str | None] | None = None
    for example in result.examples:
        pair = (example.a, example.b)
        if pair != before:
            title = f"Examples {example.a} → {example.b}" if example.b else f"Examples of errors of {example.a}"
            console.print()
            console.print(Text(title, style="bold underline"))
            before = pair
        kinds = ", ".join(dict.fromkeys(_KINDS.get(str(item.kind), str(item.kind)) for item in example.items))
        console.print(Text(f"{example.place}  {kinds}", style="dim"), soft_wrap=True)
        console.print(Text(f"  {example_text(example, 2 * console.width - 6)}"))
