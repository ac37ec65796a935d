"""Tables for a terminal, fitted to its width. The only file that knows rich."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from assay.render.drawings import example_lines
from assay.render.table import Cell
from assay.render.tables import leading_pair, tables
from assay.render.text import heading, plural, visible
from assay.result import Result, Table


def show(result: Result, console: Console | None = None) -> None:
    """Print a Result."""
    console = console or Console(highlight=False, soft_wrap=False)
    console.print(Text(visible(heading(result)), style="dim"))
    sentence = result.verdict
    if sentence:
        console.print()
        console.print(Text(visible(sentence), style="bold"))
    hidden = 0
    for table in tables(result):
        if table.minor:
            hidden += 1
        elif table.narrow and _width(table, table.rows, range(len(table.header))) > console.width:
            for part in table.narrow:
                _show_table(part, console)
        else:
            _show_table(table, console)
    if hidden:
        more = plural(hidden, "more table")
        console.print(Text(f"\n{more} (other pairs and measures): --format md or tsv.", style="dim"))
    _show_examples(result, console)
    for note in result.notes:
        console.print(Text(f"\nNote: {visible(note)}", style="dim"))
    console.print(Text(f"\n{visible(result.signature)}", style="dim"), soft_wrap=True)


def _show_table(table: Table, console: Console) -> None:
    rows: Sequence[Sequence[Cell]] = table.rows[: table.short] if table.short else table.rows
    kept = _columns_that_fit(table, rows, console.width)
    without_intervals = False
    if _width(table, rows, kept) > console.width:
        without_intervals = any(_has_interval(row[index]) for row in rows for index in kept)
    if without_intervals:
        rows = [
            [replace(cell, text=cell.text.partition(" [")[0]) if _has_interval(cell) else cell for cell in row]
            for row in rows
        ]
        kept = _columns_that_fit(table, rows, console.width)
    whole = _width(table, rows, kept) <= console.width
    roomy = _width(table, rows, kept, broken=False) <= console.width
    drawn = RichTable(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="")
    for index in kept:
        right = index >= table.words
        # Figures and their intervals stay whole as long as there is room; the first columns wrap before them.
        title = escape(visible(table.header[index]))
        title = title.replace(" ", "\n") if right and not roomy else title
        drawn.add_column(title, justify="right" if right else "left", overflow="fold", no_wrap=right and whole)
    for row in rows:
        cells = [(row[index], "bold " * row[index].bold + "italic" * row[index].italic) for index in kept]
        drawn.add_row(*(Text(visible(cell.text), style=style.strip()) for cell, style in cells))
    console.print()
    console.print(Text(visible(table.title), style="bold underline"))
    console.print(drawn)
    left_out = [
        plural(number, f"more {what}")
        for number, what in ((len(table.rows) - len(rows), "row"), (len(table.header) - len(kept), "column"))
        if number
    ]
    notes = [f"… and {' and '.join(left_out)}: --format md or tsv."] if left_out else []
    notes += ["There is no room for the intervals: --format md or tsv."] * without_intervals
    notes += [*table.notes, *filter(None, [table.hint])]
    if notes:
        console.print(Text(visible(" ".join(notes)), style="dim"))
    for line in table.lines:
        console.print(Text(visible(line), style="dim"))


def _has_interval(cell: Cell) -> bool:
    return len(cell.data) == 3 and cell.text.endswith("]")


def _columns_that_fit(table: Table, rows: Sequence[Sequence[Cell]], room: int) -> list[int]:
    """All columns, or as many of those that may be left out as there is room for."""
    kept = list(range(len(table.header)))
    for index in table.droppable:
        if _width(table, rows, kept) <= room:
            break
        kept.remove(index)
    return kept


def _width(table: Table, rows: Sequence[Sequence[Cell]], kept: Sequence[int], broken: bool = True) -> int:
    """The least width of a table: text columns may wrap down to a dozen characters, figures may not."""
    widths = []
    for index in kept:
        head = table.header[index]
        cells = [cell_len(visible(row[index].text)) for row in rows]
        if index >= table.words:
            widths.append(max([*cells, *(cell_len(word) for word in (head.split(" ") if broken else [head]))]))
        else:
            widths.append(min(max([*cells, cell_len(head)]), 12))
    return sum(widths) + 2 * (len(widths) - 1)


def _show_examples(result: Result, console: Console) -> None:
    before: tuple[str, str | None] | None = None
    pairs = dict.fromkeys((example.a, example.b) for example in result.examples)
    leading = leading_pair(result) if len(pairs) > 3 else None
    for example in result.examples:
        pair = (example.a, example.b)
        if leading is not None and set(pair) != leading:
            continue
        if pair != before:
            # An example of whole trees has no items, and annotators make no errors.
            wrong = bool(example.items) and result.command != "agreement"
            of = f"of errors of {example.a}" if wrong else example.a
            title = f"Examples {f'{example.a} → {example.b}' if example.b else of}"
            console.print()
            console.print(Text(visible(title), style="bold underline"))
            before = pair
        kinds = ", ".join(dict.fromkeys(str(item.kind).replace("-", " ") for item in example.items))
        console.print(Text(visible(f"{example.place}  {kinds}"), style="dim"), soft_wrap=True)
        # Lines of spans stand under each other, so each has to fit; a single one may wrap once.
        drawn = example.in_lines
        room = console.width - 3 if example.spans or drawn else 2 * console.width - 6
        for line in example_lines(example, room):
            console.print(Text(visible(f"  {line}")), soft_wrap=drawn)
