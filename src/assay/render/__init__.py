"""A Result becomes something to look at; nothing is computed here but the look."""

from __future__ import annotations

from collections.abc import Callable

from assay.errors import unknown
from assay.result import Result

FORMATS = ("json", "flat", "tsv", "csv", "md", "latex", "html")
ENDINGS = {f".{form}": form for form in ("json", "tsv", "csv", "md", "html")} | {".tex": "latex", ".htm": "html"}


def render(result: Result, form: str) -> str:
    """The Result as text in one of the formats."""
    if form == "json":
        return result.to_json()
    return _renderer(form)(result)


def _renderer(form: str) -> Callable[[Result], str]:
    if form == "flat":
        from assay.render.flat import flat_json

        return flat_json
    if form == "tsv":
        from assay.render.tsv import tsv

        return tsv
    if form == "csv":
        from assay.render.tsv import csv

        return csv
    if form == "md":
        from assay.render.markdown import markdown

        return markdown
    if form == "latex":
        from assay.render.latex import latex

        return latex
    if form == "html":
        from assay.render.page import page

        return page
    raise unknown("format", form, FORMATS)
