"""The report page: one HTML file that needs no network, with everything that a Result has.

Verdict, warnings and tables stand in the markup and are readable without script. What is clicked through is packed
into one block: the Result, the texts, and the exports as the command line writes them. The page's own code is that of
the modules in `assets/`, put one behind the other.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace
from html import escape
from importlib.resources import files

from assay.render.html import example_item, table_section
from assay.render.latex import latex
from assay.render.markdown import markdown
from assay.render.tables import tables
from assay.render.text import heading, listed, verdict
from assay.render.tsv import csv, tsv
from assay.result import Comparison, Result
from assay.result.citations import bibtex, used

MAIN = "main.js"
_ASSETS = files("assay.render").joinpath("assets")
_IMPORT = re.compile(r'^import\b[^;]*?\bfrom "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|async function|class)\b)", re.MULTILINE)
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


def page(result: Result) -> str:
    """The page as HTML."""
    title = _title(result)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{styles()}</style></head><body>"
        f"{_body(result, title)}"
        f'<script type="application/octet-stream;base64" id="data">{_packed(result)}</script>'
        f'<script type="module">\n{script()}</script></body></html>\n'
    )


def _title(result: Result) -> str:
    names = listed([source.name for source in result.systems])
    if result.command == "bayes":
        return f"{names} over many runs"
    return f"How far {names} agree" if result.command == "agreement" else f"{names} against {result.gold.name}"


def _body(result: Result, title: str) -> str:
    """What can be read without script, with places for what needs it."""
    # Of many runs and systems the orders are what comes first.
    orders = "; ".join(f"{ranking.measure}: {ranking.chain}" for ranking in result.rankings)
    sentence = verdict(result) or orders
    warnings = "".join(f"<li>{escape(text)}</li>" for text in result.warnings)
    examples = "".join(f"<li>{example_item(example)}</li>" for example in result.examples)
    parts = [
        '<a class="skip" href="#report">Skip to the report</a>',
        f'<header id="top"><p class="brand">assay</p><div class="titles"><h1>{escape(title)}</h1>'
        f'<p class="heading">{escape(heading(result))}</p>'
        f'<code class="for-print">{escape(result.signature)}</code></div><div id="tools"></div></header>',
        '<main id="report" tabindex="-1">',
        f'<p class="verdict" id="verdict">{escape(sentence)}</p>' if sentence else "",
        f'<aside aria-label="Warnings"><ul>{warnings}</ul></aside>' if warnings else "",
        '<div id="app" hidden></div>',
        '<p id="without-script">The sentences behind the figures need a browser with JavaScript and '
        "DecompressionStream (Chrome 80, Firefox 113, Safari 16.4 or newer); the tables below do not.</p>",
        '<details id="tables" open><summary>All tables</summary>'
        f"{''.join(map(table_section, tables(result)))}</details>",
        f'<section id="examples"><h2>Examples</h2><ul>{examples}</ul></section>' if examples else "",
        "".join(f'<p class="note">{escape(note)}</p>' for note in result.notes),
        f'</main><footer><code id="signature">{escape(result.signature)}</code></footer>',
    ]
    return "".join(parts)


def _packed(result: Result) -> str:
    """The Result, its texts and its exports, compressed; base64 cannot end a script."""
    plain = replace(result, texts=None)
    # The Result itself is among the exports.
    block = {
        "texts": result.texts,
        "verdict": verdict(result),
        "verdicts": _verdicts(result),
        "exports": {
            "LaTeX": latex(result),
            "Markdown": markdown(result),
            "CSV": csv(result),
            "TSV": tsv(result),
            "JSON": plain.to_json(),
            "BibTeX": bibtex(used(result)),
        },
    }
    text = json.dumps(block, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Without a time in it, the same Result gives the same page.
    return base64.b64encode(gzip.compress(text.encode("utf-8", "surrogatepass"), 6, mtime=0)).decode("ascii")


def _verdicts(result: Result) -> list[dict[str, str]]:
    """What is to be said of each two systems by themselves."""
    rows: dict[tuple[str, str], list[Comparison]] = {}
    for row in result.comparisons:
        rows.setdefault((row.a, row.b), []).append(row)
    return [
        {"a": a, "b": b, "verdict": verdict(replace(result, comparisons=tuple(found)))}
        for (a, b), found in rows.items()
    ]


# --- the page's code ---


def script(main: str = MAIN) -> str:
    """A module and all that it imports in one, each behind those that it needs; a browser loads none from disk."""
    order: list[str] = []
    _visit(main, order, ())
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _asset(name))) for name in order)


def _visit(name: str, order: list[str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"modules import each other in a circle: {' → '.join([*above, name])}")
    if name not in order:
        for needed in _IMPORT.findall(_asset(name)):
            _visit(needed, order, (*above, name))
        order.append(name)


def styles() -> str:
    """The style of all pages."""
    names = sorted(file.name for file in _ASSETS.iterdir() if file.name.endswith(".css"))
    return "".join(map(_asset, names))


def _asset(name: str) -> str:
    return _ASSETS.joinpath(name).read_text("utf-8")
