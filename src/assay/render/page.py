"""HTML: the report page, an index of such pages, and a fragment for notebooks.

The page is one file that needs no network. Verdict, warnings and tables are in the markup and readable without
script. The data for interaction are packed into blocks: the texts, and the exports as the command line writes them,
among them the Result. The code of the page are the modules in `assets/`, one after the other.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files

from assay.render.drawings import example_lines, example_text
from assay.render.formats import Lines, csv, latex, markdown, plain_lines, tsv
from assay.render.table import Cell, describe_files, make_heading
from assay.render.tables import brief, list_names, tables
from assay.result import Result, Results, Risk, Table, enumeration
from assay.result.chance import lines_of
from assay.result.citations import bibtex, list_methods
from assay.result.grammar import KINDS, MORE_WARNINGS
from assay.result.numbers import percent, plural
from assay.result.verdict import describe_pair, summarise_pairs, verdict_on

MAIN = "main.js"
NAMED = 6
"""The largest number of systems that are named in the title."""
TABLES = 60
"""The largest number of tables in a page; if there are more, minor ones are left out."""
ROWS = 500
"""The largest number of rows of a table in a page, which a browser lays out at once; the exports contain all."""
_ASSETS = files("assay.render").joinpath("assets")
_IMPORT = re.compile(r'^import\b[^;]*?\bfrom "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|async function|class)\b)", re.MULTILINE)
_HEAD = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="{policy}">'
    '<meta name="viewport" content="width=device-width,initial-scale=1">'
    "<title>{title}</title><style>{styles}</style></head>"
)
_WORDS = {
    "leader-all": "best of all",
    "leader-some": "highest score",
    "leader-none": "highest score, not shown",
    "leader-untestable": "highest score, untestable",
    "leader-untested": "highest score, untested",
    "leader-shared": "highest score shared",
    "leader-identical": "highest score shared",
    "score-no-interval": "score without an interval",
}
"""Kinds of verdicts with another word than their name."""
_SHOWN = 2
"""The number of warnings of a data set that are not folded."""
_MOST_CHARTED = 30
"""The most systems in a chart of a notebook."""
_EXAMPLE_WIDTH = 110
"""The number of characters in a line of a sentence in a notebook."""
_TABLE = "border-collapse:collapse;margin:.5em 0;font-variant-numeric:tabular-nums"
_CELL = "padding:.15em .6em;border-bottom:1px solid rgba(128,128,128,.3);text-align:{side};vertical-align:top"


def page(
    result: Result, sets: Mapping[str, tuple[str, Result]] | None = None, up: tuple[str, str] | None = None
) -> str:
    """The report page.

    `sets` are the files and Results of data sets that the Result is over, by name, whose pages this one leads to;
    `up` is the file and the title of the page that this one leads back to.
    """
    links = {name: file for name, (file, _) in (sets or {}).items()}
    names = enumeration(result.names)
    if len(result.systems) > NAMED:
        names = f"{len(result.systems)} {'annotators' if result.of_annotators else 'systems'}"
    if result.plans and result.of_annotators:
        names = f"{enumeration(list(dict.fromkeys(row.b for row in result.plans)))} against {names}"
    over = "data sets" if result.systems_over_sets else "many runs"
    titles = {"bayes": f"{names} over {over}", "agreement": f"How well {names} agree", "plan": f"Plan: {names}"}
    sides = names if result.about.kind == "scores" else f"{names} against {result.gold.name}"
    title = f"{names} on {plural(len(links), 'data set')}" if links else titles.get(result.about.command, sides)
    shown, plain = tables(result, most=TABLES), list(plain_lines(result))
    left = len(plain) - len(shown)
    examples = ""
    for example in result.examples:
        lines = [escape(line) for line in (example_lines(example) if example.words else [example_text(example)])]
        if example.in_lines:
            markup = f"<pre>{chr(10).join(lines)}</pre>"
        else:
            markup = "".join(f' <div dir="auto">{" ".join(line.split())}</div>' for line in lines)
        examples += f"<li><small>{escape(example.place)}</small>{markup}</li>"
    code = f"\n{script()}"
    body = (
        '<body><a class="skip" href="#report">Skip to the report</a>',
        f'<header id="top"><p class="brand">assay</p><div class="titles"><h1>{escape(title)}</h1>',
        f'<p><a href="{escape(up[0], quote=True)}">← {escape(up[1])}</a></p>' if up else "",
        f'<p class="heading">{escape(make_heading(result))}</p></div><div id="tools"></div></header>',
        '<main id="report" tabindex="-1">',
        *_lead_lines(result, [of_set for _, of_set in sets.values()] if sets else ()),
        '<div id="app" hidden></div>',
        *map(_risk_strip, [row for row in result.risks if row.parts][:1] if links else ()),
        _list_sets(sets) if sets else "",
        f'<p id="without-script">The lists of {result.text_noun}s need a browser with JavaScript and '
        "DecompressionStream (Chrome 80, Firefox 113, Safari 16.4 or newer). The tables below work without it.</p>",
        '<details id="tables" open><summary>All tables</summary>',
        *_draw_tables(shown, links, folded=bool(links or result.bayes)),
        f"<p>… and {plural(left, 'more table')} for other pairs and measures; exports as CSV, TSV and JSON contain "
        f"{'it' if left == 1 else 'them'}.</p>" * bool(left),
        "</details>",
        f'<section id="examples"><h2>Examples</h2><ul>{examples}</ul></section>' if examples else "",
        f'</main><footer><code id="signature">{escape(result.signature)}</code></footer>',
        _block("data", _pack_data(result, shown, links)),
        *(_block(f"export-{name}", text) for name, text in _exports(result, shown, plain)),
        f'<script type="module">{code}</script></body></html>\n',
    )
    return _head(title, f"; script-src {_hash(code)}; img-src data: blob:") + "".join(body)


def _head(title: str, allowed: str = "") -> str:
    """The head of a page; its policy allows its style and, by further directives, its script."""
    names = sorted(file.name for file in _ASSETS.iterdir() if file.name.endswith(".css"))
    styles = "".join(map(_read_asset, names))
    policy = f"default-src 'none'; style-src {_hash(styles)}{allowed}"
    return _HEAD.format(policy=policy, title=escape(title), styles=styles)


def _hash(text: str) -> str:
    """The source of a content security policy for an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _lead_lines(result: Result, of_sets: Sequence[Result] = ()) -> Iterator[str]:
    """The first sentences of a page: the verdict, the differences that the test could have found, and the notes;
    without those of single data sets, which are shown with them."""
    if result.rankings:
        # For many runs, what is decided comes first; the page draws the order.
        found = [(ranking.measure, summarise_pairs(result, ranking.measure)) for ranking in result.rankings]
        items = "".join(f"<li><small>{escape(measure)}</small> {escape(text)}</li>" for measure, text in found)
        yield f'<ul class="verdict" id="verdict">{items}</ul>'
    elif result.verdict:
        yield f'<p class="verdict" id="verdict">{escape(result.verdict)}</p>'
        # The kind of the verdict in a word, with its condition and what it does not mean.
        kind = result.verdict_data.kind
        if kind.removeprefix("average-") in KINDS:
            condition, never = KINDS[kind.removeprefix("average-")]
            word = _WORDS.get(kind, kind.removeprefix("average-").replace("-", " "))
            word = word.replace("highest", "lowest") if result.verdict_data.facts.get("lower") else word
            denied = f" This does not mean that {never}." if never else ""
            yield f'<details class="kind"><summary>Verdict: {word}</summary>'
            yield f"<p>This kind of verdict is given if {condition}.{denied}</p></details>"
    yield "".join(f'<p class="lines">{escape(line)}</p>' for line in result.chance)
    if result.about.command == "score" and len(result.systems) == 1:
        rows = [row for row in result.confusion if row.measure == result.confusion[0].measure]
        rows = [row for row in rows if row.gold and row.assigned and row.gold != row.assigned]
        rows = sorted(rows, key=lambda row: -row.count)[:3]
        errors = [f"{row.gold} as {row.assigned} ({row.count})" for row in rows]
        yield f'<p class="lines">Most frequent errors: {escape(enumeration(errors))}.</p>' if errors else ""
    yield _list_notes(result, of_sets)
    lines = [*describe_files(result), *_left_out(result)]
    if lines:
        items = "".join(f"<li>{escape(line)}</li>" for line in lines)
        yield f'<details id="files" open><summary>Data</summary><ul>{items}</ul></details>'


def _list_notes(result: Result, of_sets: Sequence[Result] = ()) -> str:
    """Warnings and notes, each once, folded if there are several; without the warnings of single data sets."""
    known = {warning for of_set in of_sets for warning in of_set.warnings}
    notes = [note for note in (*result.warnings, *result.notes) if note.partition(": ")[2] not in known]
    notes = list(dict.fromkeys(note for note in notes if not (of_sets and note.startswith(MORE_WARNINGS))))
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    if len(notes) > 1:
        return f'<details id="notes"><summary>{len(notes)} notes</summary><ul>{items}</ul></details>'
    return f'<ul id="notes">{items}</ul>' if notes else ""


def _list_sets(sets: Mapping[str, tuple[str, Result]]) -> str:
    """Each data set with a link to its page, its verdict, and its warnings."""
    rows = ""
    for name, (file, result) in sets.items():
        warnings = [f"<p>{escape(text)}</p>" for text in dict.fromkeys((*result.warnings, *_left_out(result)))]
        further = len(warnings) - _SHOWN
        if further > 1:
            folded = f'<details class="fold"><summary>{further} more warnings</summary>'
            warnings = [*warnings[:_SHOWN], folded, *warnings[_SHOWN:], "</details>"]
        rows += (
            f'<li><h3><a href="{escape(file, quote=True)}">{escape(name)}</a></h3>'
            f'<p class="heading">{escape(make_heading(result))}</p><p>{escape(result.verdict)}</p>'
            + f'<div class="warnings">{"".join(warnings)}</div>' * bool(warnings)
            + "</li>"
        )
    return f'<section id="sets"><h2>Data sets</h2><ul class="pages">{rows}</ul></section>'


def _left_out(result: Result) -> Iterator[str]:
    """The documents that each file is without, with the reason."""
    for source in {source.name: source for source in (result.gold, *result.systems)}.values():
        if gone := [f"{name} ({reason})" for name, reason in source.documents_left_out]:
            more = sum(source.left_out.values()) - len(gone)
            yield f"{source.name}: without {', '.join(gone)}{f' and {more:,} more' * (more > 0)}"


def index(title: str, pages: Sequence[tuple[str, str, Result]]) -> str:
    """A page with the title, the file (in the same folder) and the verdict of each page."""
    rows = "".join(
        f'<li><h2><a href="{escape(file, quote=True)}">{escape(name)}</a></h2>'
        f'<p class="heading">{escape(make_heading(result))}</p><p class="verdict">{escape(result.verdict)}</p></li>'
        for name, file, result in pages
    )
    return (
        f'{_head(title)}<body class="index">'
        f'<header id="top"><div class="titles"><h1>{escape(title)}</h1></div></header>'
        f'<main id="report"><ul class="pages">{rows}</ul></main></body></html>\n'
    )


def _risk_strip(row: Risk) -> str:
    """The rate of broken items on each data set as a dot, and the range of a new data set as a band."""
    rates = [(part.name, part.broken / part.of) for part in row.parts]
    most = 1.05 * max([row.new_high or 0, *(rate for _, rate in rates)]) or 1.0
    dots = "".join(
        f'<circle class="dot" cx="{100 * rate / most:.2f}%" cy="14" r="4.5">'
        f"<title>{escape(name)}: {percent(rate)}%</title></circle>"
        for name, rate in rates
    )
    band, median = (100 * (value or 0) / most for value in (row.new_high, row.new_median))
    caption = (
        f"Percentage of what {row.a} has right that {row.b} breaks, from 0 to {percent(most)}: each data set (dots), "
        f"and the prediction for a new one: median (line) and 95% band, below {percent(row.new_high or 0)}."
    )
    x = f'x1="{median:.2f}%" x2="{median:.2f}%"'
    return (
        f'<figure class="panel"><svg class="chart" width="100%" height="28" role="img" '
        f'aria-label="{escape(caption, quote=True)}">'
        f'<rect class="band" x="0" y="4" width="{band:.2f}%" height="20"></rect>'
        f'<line class="zero" {x} y1="2" y2="26"></line>{dots}</svg>'
        f'<figcaption class="soft">{escape(caption)}</figcaption></figure>'
    )


def pages(results: Results) -> Iterator[tuple[str, str]]:
    """The page of each data set by the name of its file, and an index of them that has the tables over all."""
    sets: dict[str, tuple[str, Result]] = {}
    used_files = {"index.html"}
    up = ("index.html", f"All {plural(len(results.sets), 'data set')}")
    for name in results.sets:
        safe = re.sub(r"[^\w.+-]+", "_", name).strip(".") or "_"
        file, number = f"{safe}.html", 1
        # Names may differ only in characters that are replaced, or in case.
        while file.lower() in used_files:
            number += 1
            file = f"{safe}_{number}.html"
        used_files.add(file.lower())
        sets[name] = (file, results[name])
        yield file, page(results[name], up=up)
    yield "index.html", page(results.overall, sets)


def fragment(result: Result) -> str:
    """The verdict, a chart, the short form and sentences as HTML for a notebook, with only inline styles; all other
    tables are folded."""
    parts = [f"<p><strong>{escape(result.verdict)}</strong></p>"] if result.verdict else []
    parts += [f"<p>{escape(line)}</p>" for line in (*result.chance, make_heading(result), *describe_files(result))]
    parts.append(_draw_chart(result))
    parts += [f"<p>⚠ {escape(text)}</p>" for text in result.warnings]
    shown = brief(result)
    parts += [_draw_table(table, short=True, styled=True) for table in shown]
    names = [name for name in list_names(result) if name not in {table.name for table in shown}]
    folded = [table for table in tables(result, names) if not table.minor] if names else []
    if folded:
        more = "".join(_draw_table(table, short=True, styled=True) for table in folded)
        parts.append(f"<details><summary>{plural(len(folded), 'more table')}</summary>{more}</details>")
    parts.append(_draw_examples(result))
    wrapped = '<code style="overflow-wrap:anywhere">'
    parts.append(f"<p><small>{wrapped}{escape(result.signature)}</code></small></p>")
    return f"<div>{''.join(parts)}</div>"


def _draw_chart(result: Result) -> str:
    """The first main score of each system with its interval, as SVG; nothing if no score can be drawn."""
    measure, score = next(iter(result.main_scores.items()), ("", ""))
    of_first = (row for row in result.overall if (row.measure, row.score) == (measure, score))
    rows = [row for row in of_first if math.isfinite(row.value)]
    if not rows or len(rows) > _MOST_CHARTED:
        return ""
    factor = 100 if result.form_of(rows[0]) == "percent" else 1
    ends = [[factor * end for end in (row.low, row.value, row.high)] for row in rows]
    ends = [[end if math.isfinite(end) else row[1] for end in row] for row in ends]
    least, most = min(map(min, ends)), max(map(max, ends))
    room = (most - least) / 10 or 1
    lines, left, height = [], 8 * max(len(row.system) for row in rows) + 12, 24 * len(rows) + 22

    def place(value: float) -> float:
        return left + 320 * (value - least + room) / (most - least + 2 * room)

    for number, (row, (low, value, high)) in enumerate(zip(rows, ends, strict=True)):
        y = 24 * number + 14
        lines.append(
            f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{escape(row.system)}</text>'
            f'<line x1="{place(low):.1f}" x2="{place(high):.1f}" y1="{y}" y2="{y}" stroke="currentColor"/>'
            f'<circle cx="{place(value):.1f}" cy="{y}" r="4"/>'
            f'<text x="{left + 330}" y="{y + 4}">{value:.2f}</text>'
        )
    intervals = ", with 95% intervals" * any(low < high for low, _, high in ends)
    caption = f"{escape(result.title(measure))}{intervals}, from {least:.2f} to {most:.2f}"
    return (
        f'<svg role="img" aria-label="{caption}" width="{left + 390}" height="{height}" fill="currentColor" '
        f'font-family="sans-serif" font-size="12">{"".join(lines)}'
        f'<text x="{left}" y="{height - 6}" font-size="11">{caption}</text></svg>'
    )


def _draw_examples(result: Result) -> str:
    """Sentences to open one by one, or how to get them."""
    if not result.examples:
        can = result.about.command in ("score", "compare")
        return "<p><small>To see sentences: examples=5</small></p>" if can else ""
    parts = []
    for number, example in enumerate(result.examples):
        kinds = ", ".join(dict.fromkeys(str(item.kind).replace("-", " ") for item in example.items))
        text = escape("\n".join(example_lines(example, _EXAMPLE_WIDTH)))
        pair = f"{example.a} → {example.b}" if example.b else example.a
        summary = escape(f"{pair}  {example.place}  {kinds}")
        parts.append(
            f"<details{' open' * (not number)}><summary>{summary}</summary>"
            f'<pre style="overflow-x:auto">{text}</pre></details>'
        )
    return f"<section><h4>Sentences</h4>{''.join(parts)}</section>"


def _draw_tables(tables: Sequence[Table], links: Mapping[str, str], *, folded: bool) -> Iterator[str]:
    """Tables of a page; minor ones may be folded after the others, which are then what is printed."""
    minor = [table for table in tables if table.minor] if folded else []
    yield from (_draw_table(table, short=False, styled=False, links=links) for table in tables if table not in minor)
    if minor:
        yield f"<details><summary>{plural(len(minor), 'more table')}</summary>"
        yield from (_draw_table(table, short=False, styled=False, links=links) for table in minor)
        yield "</details>"


def _draw_table(table: Table, *, short: bool, styled: bool, links: Mapping[str, str] | None = None) -> str:
    """A table with its title and notes, for a page with a style sheet or with inline styles; names of rows and
    columns that have a page are links to it."""

    def draw_cell(tag: str, cell: Cell, index: int, scope: str) -> str:
        right = index >= table.words
        attributes = f' scope="{scope}"' if scope else ""
        if styled:
            attributes += f' style="{_CELL.format(side="right" if right else "left")}"'
        elif right:
            attributes += ' class="n"'
        text = escape(cell.text)
        if tag == "th" and links and cell.text in links:
            text = f'<a href="{escape(links[cell.text], quote=True)}">{text}</a>'
        if cell.italic and tag == "td":
            text = f"<em>{text}</em>"
        if cell.bold and tag == "td":
            text = f"<strong>{text}</strong>"
        return f"<{tag}{attributes}>{text}</{tag}>"

    rows = table.rows[: (table.short or None) if short else ROWS]
    head = "".join(draw_cell("th", Cell(name), index, "col") for index, name in enumerate(table.header))
    body = ""
    for row in rows:
        further = (draw_cell("td", cell, index, "") for index, cell in enumerate(row[1:], 1))
        body += f"<tr>{draw_cell('th', row[0], 0, 'row')}{''.join(further)}</tr>"
    style = f' style="{_TABLE}"' if styled else ""
    texts = [" ".join(table.notes)] * bool(table.notes) + [*table.lines]
    notes = "".join(f"<p>{escape(text)}</p>" for text in texts)
    more = len(table.rows) - len(rows)
    where = "" if short else "; the exports contain them"
    left = f"<p>… and {plural(more, 'more row')}{where}.</p>" if more else ""
    level = "h4" if styled else "h2"
    return (
        f"<section><{level}>{escape(table.title)}</{level}><table{style}><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{left}{notes}</section>"
    )


def _block(name: str, text: str) -> str:
    """A text in the page, compressed; base64 cannot end a script."""
    # Without a time, so that equal Results give equal pages.
    packed = base64.b64encode(gzip.compress(text.encode("utf-8", "surrogatepass"), 6, mtime=0)).decode("ascii")
    return f'<script type="application/octet-stream;base64" id="{name}">{packed}</script>'


def _exports(result: Result, shown: Sequence[Table], plain: Sequence[Lines]) -> Iterator[tuple[str, str]]:
    """The exports by name, each of which is unpacked when it is asked for; the Result itself is among them.

    For people, with the tables that the page shows; for programs, with all.
    """
    yield "LaTeX", latex(result, made=shown)
    yield "Markdown", markdown(result, made=shown)
    yield "CSV", csv(result, made=plain)
    yield "TSV", tsv(result, made=plain)
    yield "JSON", replace(result, texts=None).to_json()
    yield "BibTeX", bibtex(list_methods(result))


def _pack_data(result: Result, shown: Sequence[Table], links: Mapping[str, str]) -> str:
    """The texts of a Result and sentences on it, as JSON."""
    of_pairs, head = [], result.chance
    tests = result.main_tests
    for row in [row for row in tests if row.measure == tests[0].measure]:
        # Lines at the head of the page are not repeated.
        lines = (line.removeprefix(f"{row.a} → {row.b}: ") for line in lines_of(result, [row]) if line not in head)
        chance = [f"{line[0].upper()}{line[1:]}" for line in lines]
        of_pairs.append({"a": row.a, "b": row.b, "verdict": verdict_on(result, row), "chance": chance})
    block = {
        "texts": result.texts,
        "verdict": result.verdict,
        # The system that all others were tested against.
        "baseline": result.verdict_data.facts.get("baseline"),
        # Sentences on each pair of systems.
        "pairs": of_pairs,
        # Sentences on each posterior: one, and what follows it.
        "posteriors": [describe_pair(result, row) for row in result.bayes],
        # The files of the pages of data sets, by name.
        "pages": links,
        # Sentences on the labels of a judge.
        "judges": [note for table in shown if table.name == "judges" for note in table.notes],
    }
    return json.dumps(block, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


# --- the page's code ---


def script(main: str = MAIN) -> str:
    """A module and all its imports as one text, in order of need, because a browser loads no modules from disk."""
    order: list[str] = []
    _visit_module(main, order, ())
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _read_asset(name))) for name in order)


def _visit_module(name: str, order: list[str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"modules import each other in a circle: {' → '.join([*above, name])}")
    if name not in order:
        for needed in _IMPORT.findall(_read_asset(name)):
            _visit_module(needed, order, (*above, name))
        order.append(name)


def _read_asset(name: str) -> str:
    return _ASSETS.joinpath(name).read_text("utf-8")
