"""LaTeX tables in booktabs style that compile as they are."""

from __future__ import annotations

import re

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
_TABLES_HELD = 15
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def latex(result: Result) -> str:
    """One table environment per table; the packages they need stand in a comment."""
    head = [
        "% Needs: \\usepackage{booktabs} \\usepackage[T1]{fontenc}",
        "% Labels in other scripts than Latin need LuaLaTeX or XeLaTeX and a font that has them.",
        f"% {result.signature}".replace("\n", " "),
    ]
    parts = ["\n".join(head)]
    sentence = verdict(result)
    for index, table in enumerate(tables(result)):
        caption = [table.title + ".", *(table.notes)]
        if index == 0 and sentence:
            caption.append(sentence)
        parts.append(_environment(table, " ".join(caption), index))
        if index % _TABLES_HELD == _TABLES_HELD - 1:
            parts.append(r"\clearpage % LaTeX holds only so many tables at once")
    return "\n\n".join(parts) + "\n"


def _environment(table: Table, caption: str, index: int) -> str:
    columns = "".join("r" if column in table.numeric else "l" for column in range(len(table.header)))
    lines = [
        r"\begin{table}",
        r"\centering\small",
        f"\\caption{{{_escape(caption)}}}",
        f"\\label{{tab:assay-{index + 1}}}",
        f"\\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(_escape(name) for name in table.header) + r" \\",
        r"\midrule",
        *(" & ".join(_cell(cell) for cell in row) + r" \\" for row in table.rows),
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
