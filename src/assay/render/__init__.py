"""A Result becomes something to look at; nothing is computed here but the look."""

from __future__ import annotations

from collections.abc import Callable

from assay.errors import unknown
from assay.result import Result

FORMATS = ("json", "tsv", "md", "latex", "html")
ENDINGS = {".json": "json", ".tsv": "tsv", ".md": "md", ".tex": "latex", ".html": "html", ".htm": "html"}


def render(result: Result, form: str) -> str:
    """The Result as text in one of the formats."""
    if form == "json":
        return result.to_json()
    return _renderer(form)(result)


def _renderer(form: str) -> Callable[[Result], str]:
    if form == "tsv":
        from assay.render.tsv import tsv

        return tsv
    if form == "md":
        from assay.render.markdown import markdown

        return markdown
    if form == "latex":
        from assay.render.latex import latex

        return latex
    if form == "html":
        from assay.render.html import page

        return page
    raise unknown("format", form, FORMATS)
