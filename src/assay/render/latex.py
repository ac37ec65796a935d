"""LaTeX tables in booktabs style that compile as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.errors import CONTROL
from assay.render.table import Cell, Table
from assay.render.tables import tables
from assay.render.text import verdict
from assay.result import Result

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "→": r"$\rightarrow$",
    "Δ": r"$\Delta$",
    "∅": r"$\emptyset$",
    "−": r"$-$",
    "·": r"$\cdot$",
    "–": "--",
    "…": r"\ldots{}",
    "✓": r"$\surd$",
    "±": r"$\pm$",
    "≈": r"$\approx$",
    "⪅": r"$\stackrel{<}{\approx}$",
    "⪆": r"$\stackrel{>}{\approx}$",
    # Behind a line end, LaTeX would take these for a part of it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_FLOATS_HELD = 15
_ROWS = 35
"""As many rows fit on a page, below a caption of some lines."""
_CONTROL = re.compile(f"[{''.join(map(chr, CONTROL))}]")


def latex(result: Result) -> str:
    """A table environment for each table, several where it is long; the packages they need stand in a comment."""
    head = [
        "% Needs: \\usepackage{booktabs} \\usepackage[T1]{fontenc}",
        "% Labels in other scripts than Latin need LuaLaTeX or XeLaTeX and a font that has them.",
        f"% {_CONTROL.sub(' ', result.signature)}",
    ]
    sentence = verdict(result)
    floats: list[str] = []
    for number, table in enumerate(tables(result), 1):
        notes = [*table.notes, sentence] if number == 1 and sentence else table.notes
        floats += _floats(table, notes, f"tab:assay-{number}")
    parts = ["\n".join(head)]
    for number, text in enumerate(floats, 1):
        parts.append(text)
        if number % _FLOATS_HELD == 0:
            parts.append(r"\clearpage % LaTeX holds only so many tables at once")
    return "\n\n".join(parts) + "\n"


def _floats(table: Table, notes: Sequence[str], label: str) -> Iterator[str]:
    """The environment of a table, and further ones for rows that do not fit on its page."""
    for start in range(0, len(table.rows), _ROWS):
        caption = " ".join([f"{table.title}.", *notes]) if start == 0 else f"{table.title}, continued."
        marked = f"\\label{{{label}}}" if start == 0 else ""
        yield _environment(table, table.rows[start : start + _ROWS], f"\\caption{{{_escape(caption)}}}{marked}")


def _environment(table: Table, rows: Sequence[Sequence[Cell]], caption: str) -> str:
    columns = "".join("r" if column in table.numeric else "l" for column in range(len(table.header)))
    lines = [
        r"\begin{table}",
        r"\centering\small",
        caption,
        f"\\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(_escape(name) for name in table.header) + r" \\",
        r"\midrule",
        *(" & ".join(_cell(cell) for cell in row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _cell(cell: Cell) -> str:
    text = _escape(cell.text)
    text = f"\\textit{{{text}}}" if cell.italic and text else text
    return f"\\textbf{{{text}}}" if cell.bold and text else text


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(mark, mark) for mark in _CONTROL.sub(" ", text))
