"""Output of a Result in all formats; no numbers are computed here."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from assay import plugins
from assay.errors import UsageError, unknown
from assay.result import Result, Results


class Renderer(NamedTuple):
    """A format of output: the function that writes it, and the endings of its files."""

    function: str
    endings: tuple[str, ...] = ()
    of_tables: bool = False
    """True if it consists of tables, so that some can be chosen."""
    of_sets: bool = False
    """True if it has the scores of each data set; others have the tables over all."""


RENDERERS = {
    "json": Renderer("render.formats:full_json", (".json",), of_sets=True),
    "flat": Renderer("render.formats:flat_json", of_sets=True),
    "tsv": Renderer("render.formats:tsv", (".tsv",), of_tables=True),
    "csv": Renderer("render.formats:csv", (".csv",), of_tables=True),
    "md": Renderer("render.formats:markdown", (".md",), of_tables=True),
    "latex": Renderer("render.formats:latex", (".tex",), of_tables=True),
    "table": Renderer("render.terminal:draw_text", (".txt",), of_tables=True),
    "html": Renderer("render.page:page", (".html", ".htm")),
    "runs": Renderer("experiment.tables:export_results", of_sets=True),
}
"""All formats by name; `--format` and the endings of files come from here."""
FORMATS = tuple(RENDERERS)
_PIECE = 1 << 20
"""The least number of characters of a piece of JSON."""
USUAL = {
    **{"pdf": "html", "word": "html", "docx": "html", "tex": "latex", "markdown": "md", "txt": "table"},
    **dict.fromkeys(("text", "plain", "ascii", "rich"), "table"),
    **dict.fromkeys(("excel", "xlsx", "xls"), "csv"),
}
"""What others call formats, or the nearest that can be opened or printed as what they ask for."""
ENDINGS = {ending: name for name, renderer in RENDERERS.items() for ending in renderer.endings}


def render(result: Result | Results, form: str, tables: Collection[str] = (), *, full: bool = False) -> str:
    """A Result, or those of several data sets, as text in one of the formats.

    With `tables` only the tables with these names; with `full` the format `table` has all tables.
    """
    if form not in RENDERERS and (function := plugins.load("renderers", form)):
        return str(function(result))
    if tables:
        check_tables(tables, form)
    if form not in RENDERERS:
        raise unknown("format", form, FORMATS, USUAL)
    renderer = RENDERERS[form]
    if isinstance(result, Results) and not renderer.of_sets:
        if form == "html":
            raise UsageError("each data set has a page of its own. Give a folder for them: --html FOLDER")
        result = result.overall
    module, _, name = renderer.function.partition(":")
    options = {**({"names": tables} if tables else {}), **({"full": True} if full and form == "table" else {})}
    text: str = getattr(import_module(f"assay.{module}"), name)(result, **options)
    return text


def render_pieces(
    result: Result | Results, form: str, tables: Collection[str] = (), *, full: bool = False
) -> Iterator[str]:
    """The same text in pieces: JSON may be hundreds of megabytes, which are then never in memory as a whole."""
    if form != "json" or isinstance(result, Results) or tables:
        yield render(result, form, tables, full=full)
        return
    held, size = [], 0
    for piece in result.json_pieces():
        held.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)


def find_format(path: str | Path) -> str:
    """The format that belongs to the ending of a file's name."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        near = USUAL.get(ending[1:], "")
        hint = f" For this, write {RENDERERS[near].endings[0]}." if near else ""
        raise UsageError(f"{path}: unknown file ending. Use {', '.join(ENDINGS)}, or give --format.{hint}")
    return ENDINGS[ending]


def check_tables(names: Collection[str], form: str) -> None:
    """Raise if no table has one of these names, or if the format does not consist of tables."""
    from assay.render.tables import JSON_NAMES, NAMES

    for name in names:
        if name not in NAMES:
            raise unknown("table", name, NAMES, JSON_NAMES)
    if form in RENDERERS and not RENDERERS[form].of_tables:
        of_tables = ", ".join(name for name, renderer in RENDERERS.items() if renderer.of_tables)
        raise UsageError(f"{form} has no tables to choose from. Use {of_tables}.")
