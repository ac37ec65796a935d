"""A Result becomes something to look at; nothing is computed here but the look."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module

from assay.errors import UsageError, unknown
from assay.result import Result

_RENDERERS = {
    **{"flat": "formats.flat_json", "tsv": "formats.tsv", "csv": "formats.csv", "md": "formats.markdown"},
    **{"latex": "formats.latex", "table": "terminal.drawn", "html": "page.page"},
}
OF_TABLES = ("table", "tsv", "csv", "md", "latex")
"""The formats that are made of tables, so that some can be chosen."""
FORMATS = ("json", *_RENDERERS)
ENDINGS = {f".{form}": form for form in ("json", "tsv", "csv", "md", "html")}
ENDINGS |= {".tex": "latex", ".txt": "table", ".htm": "html"}


def render(result: Result, form: str, tables: Collection[str] = (), *, full: bool = False) -> str:
    """The Result as text in one of the formats; its tables of these names alone, or of `table` all in full."""
    check_tables(tables, form)
    if form == "json":
        return result.to_json()
    if form not in _RENDERERS:
        raise unknown("format", form, FORMATS)
    module, name = _RENDERERS[form].split(".")
    chosen = {"names": tables} if tables else {}
    options = {**chosen, "full": True} if full and form == "table" else chosen
    text: str = getattr(import_module(f"assay.render.{module}"), name)(result, **options)
    return text


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
