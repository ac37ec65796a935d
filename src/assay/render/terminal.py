"""Tables for a terminal, fitted to its width. No other file uses rich."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from assay.render.drawings import example_lines
from assay.render.table import ASSUMED, TOO_SHORT, Cell, describe_files, make_heading, spell_controls
from assay.render.tables import brief, leading_pair, list_names, tables
from assay.result import Result, Table
from assay.result.numbers import plural

_TEXT, _WORD = 12, 24
"""The least width of a column of texts; a longer word may be broken."""
_INTERVAL = re.compile(rf" (\(\[[^\]]*\]{TOO_SHORT}\)|\[[^\]]*\]{ASSUMED}?)$")
"""The interval at the end of a cell, with its mark."""


def show(
    result: Result,
    console: Console | None = None,
    *,
    names: Collection[str] = (),
    full: bool = False,
    further: Sequence[str] = (),
) -> None:
    """Print a Result in short, in full, or its tables of these names; `further` are commands to try next."""
    console = console or Console(highlight=False, soft_wrap=False)
    shortened = short_names([source.name for source in result.systems], max(16, console.width // 4))

    def say(text: str) -> str:
        for name, short in shortened.items():
            text = text.replace(name, short)
        return spell_controls(text)

    for line in (make_heading(result), *describe_files(result)):
        console.print(Text(say(line), style="dim"))
    for name, short in shortened.items():
        console.print(Text(f"{spell_controls(short)} is {spell_controls(name)}", style="dim"), soft_wrap=True)
    if result.verdict:
        console.print()
        console.print(Text(say(result.verdict), style="bold"))
    whole = full or bool(names)
    if not whole:
        for line in result.chance:
            console.print(Text(say(line), style="dim"))
    shown = tables(result, names) if whole else brief(result)
    for table in shown:
        wide = table.narrow and _width(table, table.rows, range(len(table.header))) > console.width
        for part in table.narrow if wide else (table,):
            rows = tuple(tuple(replace(cell, text=say(cell.text)) for cell in row) for row in part.rows)
            header, notes, lines = (tuple(map(say, texts)) for texts in (part.header, part.notes, part.lines))
            title, hint = say(part.title), say(part.hint)
            shown_part = replace(part, title=title, header=header, rows=rows, notes=notes, lines=lines, hint=hint)
            _show_table(shown_part, console, whole)
    if not names or "examples" in names:
        _show_examples(result, console, say, whole)
    console.print()
    for note in result.notes:
        console.print(Text(f"Note: {say(note)}", style="dim"))
    more = [] if whole else [name for name in list_names(result) if name not in {table.name for table in shown}]
    if more:
        console.print(Text(f"More tables: --full shows all; --table takes {', '.join(more)}.", style="dim"))
    for index, line in enumerate(() if whole else further):
        console.print(Text(f"{'     ' if index else 'Next:'} {spell_controls(line)}"), soft_wrap=True)
    signature = result.signature if whole else _shorten_signature(result.signature)
    console.print(Text(spell_controls(signature), style="dim"), soft_wrap=True)


def _shorten_signature(signature: str) -> str:
    """The parts of a signature that say with which version, units, draws and gold numbers were made."""
    kept = ("assay", "bayes", "unit", "n", "times", "draws", "seed", "gold", "runs")
    return "|".join(part for part in signature.split("|") if re.split("[: ]", part)[0] in kept)


def draw_text(result: Result, names: Collection[str] = (), full: bool = False) -> str:
    """The output of `show` as plain text, for pipes and logs, with the width of COLUMNS, of the terminal, or 100."""
    out = io.StringIO()
    width = shutil.get_terminal_size((100, 50)).columns
    console = Console(file=out, width=width, highlight=False, force_terminal=False, color_system=None)
    show(result, console, names=names, full=full)
    return re.sub(" +$", "", out.getvalue(), flags=re.MULTILINE)


def short_names(names: Sequence[str], room: int) -> dict[str, str]:
    """Short forms of names that are too long, which must differ: the beginning and the end, the beginning and what
    they do not have in common, or the beginning and a number."""
    # An address is cut at @, if that leaves it unique.
    addresses = {name: name.partition("@")[0] for name in names if re.fullmatch(r"[^@\s]+@[^@\s]+\.\w+", name)}
    addresses = addresses if len({addresses.get(name, name) for name in names}) == len(names) else {}
    long = [name for name in names if name not in addresses and cell_len(spell_controls(name)) > room]
    common = next((at for at, marks in enumerate(zip(*long, strict=False)) if len({*marks}) > 1), 0)
    ways = (
        {name: f"{name[: room - 8]}…{name[-7:]}" for name in long},
        {name: f"{name[:4]}…{name[common:]}" for name in long},
        {name: f"{name[: room - 4]}…{number}" for number, name in enumerate(long, 1)},
    )
    for short in ways:
        called = {short.get(name, name) for name in names}
        if len(called) == len(names) and all(cell_len(spell_controls(name)) <= room for name in called):
            break
    # The longest first, because a name may be part of another.
    return dict(sorted({**addresses, **short}.items(), key=lambda pair: -len(pair[0])))


def _show_table(table: Table, console: Console, whole: bool) -> None:
    rows: Sequence[Sequence[Cell]] = table.rows[: table.short] if table.short and not whole else table.rows

    def drop_columns(kept: Sequence[int], droppable: Sequence[int], word: int = _WORD) -> Sequence[int]:
        """The columns to show, without droppable ones that have no room."""
        for index in droppable:
            if _width(table, rows, kept, word=word) <= console.width:
                break
            kept = [at for at in kept if at != index]
        return kept

    every, bare = range(len(table.header)), False
    kept = drop_columns(every, table.droppable)
    stacked = [[replace(cell, text=_INTERVAL.sub(r"\n\1", cell.text)) for cell in row] for row in rows]
    if _width(table, rows, kept) > console.width >= _width(table, stacked, kept):
        # Intervals go below their scores.
        rows = stacked
    for form in dict.fromkeys(table.forms[index] for index in kept):
        # If there is still no room, intervals are left out until the rest fits, form by form, from the left.
        same_form = (index for index in kept if table.forms[index] == form)
        at = [index for index in same_form if any(_has_interval(row[index]) for row in rows)]
        if at and _width(table, rows, kept) > console.width:
            rows = [
                [
                    replace(cell, text=_INTERVAL.sub("", cell.text)) if index in at and _has_interval(cell) else cell
                    for index, cell in enumerate(row)
                ]
                for row in rows
            ]
            bare = True
    if bare:
        kept = drop_columns(every, table.droppable)
    # If there is still no room, even with long words broken, the last columns are left out; numbers are never broken.
    kept = drop_columns(kept, range(len(table.header) - 1, table.words, -1), _TEXT)
    roomy = _width(table, rows, kept, broken=False) <= console.width
    rich_table = RichTable(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="")
    for index in kept:
        right = index >= table.words
        # Numbers and their intervals are not wrapped; the first columns are.
        title = escape(table.header[index])
        title = title.replace(" ", "\n") if right and not roomy else title
        rich_table.add_column(title, justify="right" if right else "left", overflow="fold", no_wrap=right)
    for row in rows:
        cells = [(row[index], "bold " * row[index].bold + "italic" * row[index].italic) for index in kept]
        rich_table.add_row(*(Text(cell.text, style=style.strip()) for cell, style in cells))
    console.print()
    console.print(Text(table.title, style="bold underline"))
    console.print(rich_table)
    notes = []
    if more := len(table.rows) - len(rows):
        notes.append(f"… and {plural(more, 'more row')}: --table {table.name}.")
    left_out = [plural(more, "more column")] if (more := len(table.header) - len(kept)) else []
    none_left = bare and not any(_has_interval(row[index]) for row in rows for index in kept)
    intervals = "intervals" if none_left else "more intervals"
    left_out += [intervals if more else intervals.capitalize()] * bare
    if left_out:
        verb = "needs" if left_out == ["1 more column"] else "need"
        notes.append(f"{' and '.join(left_out)} {verb} a wider window, or --format tsv.")
    of_intervals = ("95% intervals", "Brackets contain", "In brackets", TOO_SHORT, ASSUMED)
    notes += [note for note in table.notes if not (none_left and note.startswith(of_intervals))]
    notes += [table.hint] * bool(table.hint and whole)
    if notes:
        console.print(Text(" ".join(notes), style="dim"))
    for line in table.lines:
        console.print(Text(line, style="dim"))


def _has_interval(cell: Cell) -> bool:
    return len(cell.data) == 3 and _INTERVAL.search(cell.text) is not None


def _width(
    table: Table, rows: Sequence[Sequence[Cell]], kept: Sequence[int], broken: bool = True, word: int = _WORD
) -> int:
    """The least width of a table: texts may wrap, and words longer than `word` may be broken; numbers may not."""
    widths = []
    for index in kept:
        head = table.header[index]
        cells = [cell_len(line) for row in rows for line in row[index].text.split("\n")]
        if index >= table.words:
            widths.append(max([*cells, *(cell_len(part) for part in (head.split(" ") if broken else [head]))]))
        else:
            texts = (head, *(row[index].text for row in rows))
            longest = max(cell_len(part) for text in texts for part in text.split(" "))
            widths.append(min(max([*cells, cell_len(head)]), max(_TEXT, min(longest, word))))
    return sum(widths) + 2 * (len(widths) - 1)


def _show_examples(result: Result, console: Console, say: Callable[[str], str], whole: bool) -> None:
    before: tuple[str, str | None] | None = None
    pairs = dict.fromkeys((example.a, example.b) for example in result.examples)
    leading = leading_pair(result) if len(pairs) > 3 and not whole else None
    for example in result.examples:
        pair = (example.a, example.b)
        if leading is not None and set(pair) != leading:
            continue
        if pair != before:
            # An example of whole trees has no items, and annotators make no errors.
            wrong = bool(example.items) and result.about.command != "agreement"
            of = f"of errors of {example.a}" if wrong else example.a
            title = f"Examples {f'{example.a} → {example.b}' if example.b else of}"
            console.print()
            console.print(Text(say(title), style="bold underline"))
            before = pair
        kinds = ", ".join(dict.fromkeys(str(item.kind).replace("-", " ") for item in example.items))
        if example.words:
            console.print(Text(spell_controls(f"{example.place}  {kinds}"), style="dim"), soft_wrap=True)
        for line in example_lines(example, console.width - 3):
            if example.in_lines:
                console.print(Text(say(f"  {line}")), soft_wrap=True)
            else:
                # A line has the part of the sentence that fits; if its marks need more room, it wraps.
                console.print(Padding(Text(say(line)), (0, 0, 0, 2)))
