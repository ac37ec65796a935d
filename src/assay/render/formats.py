"""A Result as text: TSV and CSV for programs, Markdown for notes, LaTeX for papers, and one flat level of JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache

from assay.errors import CONTROL
from assay.render.drawings import example_lines, example_text
from assay.render.table import Cell, describe_files, make_heading, spell_controls
from assay.render.tables import brief, tables
from assay.result import Result, Results, Table
from assay.result.numbers import DASH

_CONTROL = re.compile(f"[{''.join(map(chr, CONTROL))}]")


# --- plain text ---


def summary(result: Result) -> str:
    """The verdict, the scores and the warnings as plain text, for print()."""
    parts = [spell_controls(result.verdict)] if result.verdict else []
    for table in brief(result)[:1]:
        rows = [table.header, *([spell_controls(cell.text) for cell in row] for row in table.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for row in rows:
            cells = [f"{text:{'<' if at < table.words else '>'}{widths[at]}}" for at, text in enumerate(row)]
            lines.append("  ".join(cells).rstrip())
        parts += ["\n".join(lines), *[" ".join(table.notes)] * bool(table.notes)]
    return "\n\n".join([*parts, *(f"warning: {spell_controls(text)}" for text in result.warnings)])


# --- tabs or commas between cells: full labels, nothing cut, plain numbers ---


_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_FORMULA = re.compile(r"[=+@\t\r-](?!\d*\.?\d+(?:e[+-]?\d+)?$)", re.IGNORECASE)
"""Text that a spreadsheet takes for a formula, except numbers."""
_SPELT = {**CONTROL, **{ord(mark): spelt for mark, spelt in (("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))}}
_PARTS = {2: ("low", "high"), 3: ("", "low", "high")}


_KNOWN = 1 << 14
"""The most texts of cells whose spelling is kept, because tables of many pairs repeat the same labels and numbers."""

Lines = list[Sequence[str]]
"""The title of a table, its header and its rows, as cells for programs."""


def tsv(result: Result, names: Collection[str] = (), made: Sequence[Lines] | None = None) -> str:
    """All tables as TSV, each after a line `# title`, separated by blank lines; `made` as `plain_lines` gives it."""
    # A label may contain tabs, line ends, or characters that move the cursor of a terminal.
    spell = lru_cache(_KNOWN)(lambda text: text.translate(_SPELT))
    return _write_separated(result, names, made, lambda cells: "\t".join(map(spell, cells)))


def csv(result: Result, names: Collection[str] = (), made: Sequence[Lines] | None = None) -> str:
    """All tables as CSV (RFC 4180), with an apostrophe before text that a spreadsheet would take for a formula."""
    control = {code: spelt for code, spelt in CONTROL.items() if chr(code) not in "\t\n\r"}

    @lru_cache(_KNOWN)
    def quote_cell(text: str) -> str:
        text = text.translate(control)
        safe = f"'{text}" if _FORMULA.match(text) else text
        return '"' + safe.replace('"', '""') + '"' if re.search(r'[",\n\r]|^\s|\s$', safe) else safe

    return _write_separated(result, names, made, lambda cells: ",".join(map(quote_cell, cells)))


def plain_lines(result: Result, names: Collection[str] = ()) -> Iterator[Lines]:
    """The tables for programs; a cell with several numbers becomes several columns."""
    # Programs get the names of measures as on the command line.
    for table in tables(result.with_shown(titles={}), names):
        widths = [max(1, *(len(cell.data) for cell in column)) for column in zip(*table.rows, strict=True)]
        header: list[str] = []
        for name, width, form in zip(table.columns or table.header, widths, table.forms, strict=True):
            parts = ("", "%") if form == "share" else _PARTS.get(width, ())
            several = ["a", "b"] if name == "pair" else [f"{name} {part}".strip() for part in parts]
            header += [name] if width == 1 else several
        columns: list[Sequence[str]] = []
        for column, width in zip(zip(*table.rows, strict=True), widths, strict=True):
            if width == 1:
                columns.append([cell.data[0] if cell.data else _spell_cell(cell.text) for cell in column])
            else:
                columns += zip(*(cell.data or ("nan",) * width for cell in column), strict=True)
        lines: Lines = [[f"# {table.title}"], header, *zip(*columns, strict=True)]
        yield lines


@lru_cache(_KNOWN)
def _spell_cell(text: str) -> str:
    """A text with a plain minus and, if it is a number, without commas; nan if there is none."""
    if text == DASH:
        return "nan"
    text = text.replace("−", "-")
    return text.replace(",", "") if _GROUPED.fullmatch(text) else text


def _write_separated(
    result: Result, names: Collection[str], made: Sequence[Lines] | None, line: Callable[[Sequence[str]], str]
) -> str:
    """All tables as lines."""
    blocks = ["\n".join(map(line, lines)) for lines in (plain_lines(result, names) if made is None else made)]
    if result.examples and (not names or "examples" in names):
        rows = [(example.a, example.b or "", example.place, example_text(example)) for example in result.examples]
        blocks.append("\n".join(map(line, (["# Examples"], ["a", "b", "place", result.text_noun], *rows))))
    # A reader wants the verdict first; a program that asks for some tables wants these.
    texts = (result.verdict, *result.notes, result.signature)
    head, tail = ([line([f"# {text}"]) for text in part if text] for part in (texts[: not names], texts[not names :]))
    return "\n\n".join([*head, *blocks, "\n".join(tail)]) + "\n"


def items_table(result: Result) -> str:
    """The items of annotators as TSV, the highest disagreement first, with a column for each annotator."""
    names = [row.name for row in result.annotators]
    rows = [["item", "disagreement", "majority", "raters", *names]]
    for row in sorted(result.disagreements, key=lambda row: 1.0 if math.isnan(row.value) else -row.value):
        value = "" if math.isnan(row.value) else f"{row.value:.6g}"
        labels = [row.ratings.get(name, "") for name in names]
        rows.append([row.item, value, row.majority, str(len(row.ratings)), *labels])
    return "".join("\t".join(cell.translate(_SPELT) for cell in row) + "\n" for row in rows)


# --- Markdown ---


def markdown(result: Result, names: Collection[str] = (), made: Sequence[Table] | None = None) -> str:
    """The whole Result as Markdown, for issues, pull requests and notes."""
    parts = [f"*{_escape_markdown(line)}*" for line in (make_heading(result), *describe_files(result))]
    sentence = result.verdict
    if sentence:
        parts.append(f"**{_escape_markdown(sentence)}**")
    for table in tables(result, names) if made is None else made:
        rule = [":---"] * table.words + ["---:"] * (len(table.header) - table.words)
        rows = [
            map(_escape_markdown, table.header),
            rule[: len(table.header)],
            *([_emphasise(cell, _escape_markdown, "*{}*", "**{}**") for cell in row] for row in table.rows),
        ]
        lines = [f"### {_escape_markdown(table.title)}", "", *(f"| {' | '.join(row)} |" for row in rows)]
        parts.append("\n".join([*lines, "", _escape_markdown(" ".join(table.notes))] if table.notes else lines))
        parts += map(_escape_markdown, table.lines)
    if result.examples and (not names or "examples" in names):
        points = []
        for example in result.examples:
            if example.in_lines:
                # Indented, because data could end a fenced block.
                drawing = "".join(f"\n      {spell_controls(line)}" for line in example_lines(example))
                points.append(f"- {_escape_markdown(example.place)}\n{drawing}\n")
            else:
                points.append(f"- {_escape_markdown(example.place)}: {_escape_markdown(example_text(example))}")
        parts.append("\n".join(["### Examples", "", *points]))
    if result.warnings:
        parts.append("\n".join(["### Warnings", "", *(f"- {_escape_markdown(text)}" for text in result.warnings)]))
    parts += map(_escape_markdown, result.notes)
    parts.append(f"`{spell_controls(result.signature).replace('`', chr(39))}`")
    return "\n\n".join(parts) + "\n"


def _emphasise(cell: Cell, escape: Callable[[str], str], italic: str, bold: str) -> str:
    text = escape(cell.text)
    if not (cell.bold or cell.italic):
        return text
    text = italic.format(text) if cell.italic and text else text
    return bold.format(text) if cell.bold and text else text


_MARKED = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>|#$~&"})


@lru_cache(_KNOWN)
def _escape_markdown(text: str) -> str:
    return spell_controls(text.translate(_MARKED))


# --- LaTeX ---


_ESCAPES = {
    **{mark: f"\\{mark}" for mark in "{}_&%#$"},
    # After a line end, LaTeX would take these as its argument.
    **{mark: f"{{{mark}}}" for mark in "[]*"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "→": r"$\rightarrow$",
    "↓": r"$\downarrow$",
    "Δ": r"$\Delta$",
    "∅": r"$\emptyset$",
    "−": r"$-$",
    "·": r"$\cdot$",
    "–": "--",
    "…": r"\ldots{}",
    "✓": r"$\surd$",
    "±": r"$\pm$",
    "³": "$^3$",
    "≈": r"$\approx$",
    "⪅": r"$\stackrel{<}{\approx}$",
    "⪆": r"$\stackrel{>}{\approx}$",
}
_LATEX = {**dict.fromkeys(CONTROL, " "), **str.maketrans(_ESCAPES)}
_FLOATS_HELD = 15
_ROWS_OF_PAGE = 39
"""The number of rows and lines of the caption that fit on a page."""
_CAPTION_LINE = 70
"""The number of characters in a line of the caption."""


def latex(result: Result, names: Collection[str] = (), made: Sequence[Table] | None = None) -> str:
    """Tables as LaTeX in booktabs style; a long table has several environments, and a comment names the packages."""
    sentence = result.verdict
    floats: list[str] = []
    for number, table in enumerate(tables(result, names) if made is None else made, 1):
        notes = [*table.notes, *table.lines, *[sentence] * (number == 1 and bool(sentence))]
        rows = [
            [_emphasise(cell, escape_latex, r"\textit{{{}}}", r"\textbf{{{}}}") for cell in row] for row in table.rows
        ]
        caption, label = " ".join([f"{table.title}.", *notes]), f"\\label{{tab:assay-{number}}}"
        start = 0
        while start < len(rows):
            end = start + max(5, _ROWS_OF_PAGE - max(4, len(caption) // _CAPTION_LINE + 1))
            lines = [
                r"\begin{table}",
                r"\centering\small",
                f"\\caption{{{escape_latex(caption)}}}{label}",
                f"\\begin{{tabular}}{{{('l' * table.words + 'r' * len(table.header))[: len(table.header)]}}}",
                r"\toprule",
                *_latex_header(table),
                r"\midrule",
                *(" & ".join(row) + r" \\" for row in rows[start:end]),
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
            ]
            floats.append("\n".join(lines))
            start, caption, label = end, f"{table.title}, continued.", ""
    parts = [
        "% Needs: \\usepackage{booktabs} \\usepackage[T1]{fontenc}\n"
        "% Labels in other scripts than Latin need LuaLaTeX or XeLaTeX and a font that has them.\n"
        f"% {_CONTROL.sub(' ', result.signature)}"
    ]
    for number, text in enumerate(floats, 1):
        parts.append(text)
        if number % _FLOATS_HELD == 0:
            parts.append(r"\clearpage % LaTeX keeps only a limited number of tables at a time")
    return "\n\n".join(parts) + "\n"


def _latex_header(table: Table) -> Iterator[str]:
    """The titles of the columns, under those of groups of columns."""
    titles, above, rules, at = [*table.header], [], "", 0
    for text, number in table.over:
        titles[at] = titles[at].removeprefix(text).strip()
        above.append(f"\\multicolumn{{{number}}}{{c}}{{{escape_latex(text)}}}")
        rules += f"\\cmidrule(lr){{{at + 1}-{at + number}}}" * bool(text)
        at += number
    if above:
        yield " & ".join(above) + r" \\"
        yield rules
    yield " & ".join(map(escape_latex, titles)) + r" \\"


@lru_cache(_KNOWN)
def escape_latex(text: str) -> str:
    """A text as LaTeX writes it."""
    return text.translate(_LATEX)


# --- one level of names and numbers ---


def flat_scores(result: Result) -> dict[str, float]:
    """Overall scores, intervals, differences and p-values by names such as `accuracy/A` and `accuracy/A/low`."""
    named: list[tuple[str, float]] = []
    for score in result.overall:
        name = f"{score.measure}/{'' if score.main else f'{score.score}/'}{score.system}"
        named += [(name, score.value), (f"{name}/low", score.low), (f"{name}/high", score.high)]
    for test in result.comparisons:
        # McNemar's test is left out, because not every measure has it.
        if test.slice is None and test.test != "mcnemar":
            main = result.main_scores.get(test.measure) == test.score
            name = f"{test.measure if main else f'{test.measure}/{test.score}'}/{test.b} - {test.a}"
            named += [(name, test.difference), (f"{name}/p", test.p), (f"{name}/p_adjusted", test.p_adjusted)]
    for pair in result.bayes:
        for region in ("a", "equal", "b"):
            value = getattr(pair.region, region)
            if value is not None:
                named.append((f"{pair.measure}/{pair.b} - {pair.a}/probability {region}", value))
    figures: dict[str, float] = {}
    for name, value in named:
        safe = spelt = re.sub(r"[^A-Za-z0-9_\-. /]+", "_", name)
        number = 2
        # Names may differ only in characters that are replaced.
        while safe in figures:
            safe, number = f"{spelt}_{number}", number + 1
        figures[safe] = float(value)
    return figures


def full_json(result: Result | Results) -> str:
    """All of a Result as JSON, a record per line."""
    return result.to_json()


def flat_json(result: Result | Results) -> str:
    """Overall scores by name as JSON, without undefined ones: trackers take numbers only."""
    figures = {name: value for name, value in result.flat().items() if math.isfinite(value)}
    return json.dumps(figures, indent=1) + "\n"
