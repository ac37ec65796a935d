"""A Result becomes something to look at; nothing is computed here but the look."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from pathlib import Path

from assay.errors import UsageError, unknown
from assay.result import Result, Results

_RENDERERS = {
    **{"flat": "render.formats.flat_json", "tsv": "render.formats.tsv", "csv": "render.formats.csv"},
    **{"md": "render.formats.markdown", "latex": "render.formats.latex", "table": "render.terminal.drawn"},
    **{"html": "render.page.page", "runs": "experiment.tables.export_results"},
}
OF_TABLES = ("table", "tsv", "csv", "md", "latex")
"""The formats that are made of tables, so that some can be chosen."""
_OF_SETS = ("flat", "runs")
"""Formats that have the figures of each data set; others have the tables over all."""
FORMATS = ("json", *_RENDERERS)
ENDINGS = {f".{form}": form for form in ("json", "tsv", "csv", "md", "html")}
ENDINGS |= {".tex": "latex", ".txt": "table", ".htm": "html"}


def render(result: Result | Results, form: str, tables: Collection[str] = (), *, full: bool = False) -> str:
    """One Result, or those of several data sets, as text in one of the formats.

    Of its tables those of these names alone; of the format `table` all in full.
    """
    check_tables(tables, form)
    if form == "json":
        return result.to_json()
    if form not in _RENDERERS:
        raise unknown("format", form, FORMATS)
    if isinstance(result, Results) and form not in _OF_SETS:
        if form == "html":
            raise UsageError("each data set has a page of its own. Say a folder for them: --html FOLDER")
        result = result.overall
    module, _, name = _RENDERERS[form].rpartition(".")
    chosen = {"names": tables} if tables else {}
    options = {**chosen, "full": True} if full and form == "table" else chosen
    text: str = getattr(import_module(f"assay.{module}"), name)(result, **options)
    return text


def form_of(path: str | Path) -> str:
    """The format that the ending of a file's name tells."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{path}: the ending tells no format. Use {', '.join(ENDINGS)}, or say --format.")
    return ENDINGS[ending]


def check_tables(names: Collection[str], form: str) -> None:
    """Refuse names that no table has, and a format that is not made of tables."""
    if not names:
        return
    from assay.render.tables import NAMES

    for name in names:
        if name not in NAMES:
            raise unknown("table", name, NAMES)
    if form not in OF_TABLES:
        raise UsageError(f"{form} is not made of tables, so none can be chosen. Use {', '.join(OF_TABLES)}.")
