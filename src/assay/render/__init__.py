"""A Result becomes something to look at; nothing is computed here but the look."""

from __future__ import annotations

from importlib import import_module

from assay.errors import UsageError, unknown
from assay.result import Result, Results

_RENDERERS = {
    **{"flat": "render.formats.flat_json", "tsv": "render.formats.tsv", "csv": "render.formats.csv"},
    **{"md": "render.formats.markdown", "latex": "render.formats.latex", "html": "render.page.page"},
    "runs": "experiment.tables.export_results",
}
_OF_SETS = ("flat", "runs")
"""Formats that have the figures of each data set; others have the tables over all."""
FORMATS = ("json", *_RENDERERS)
ENDINGS = {f".{form}": form for form in ("json", "tsv", "csv", "md", "html")} | {".tex": "latex", ".htm": "html"}


def render(result: Result | Results, form: str) -> str:
    """The Result, or those of several data sets, as text in one of the formats."""
    if form == "json":
        return result.to_json()
    if form not in _RENDERERS:
        raise unknown("format", form, FORMATS)
    if isinstance(result, Results) and form not in _OF_SETS:
        if form == "html":
            raise UsageError("each data set has a page of its own. Say a folder for them: --html FOLDER")
        result = result.overall
    module, _, name = _RENDERERS[form].rpartition(".")
    text: str = getattr(import_module(f"assay.{module}"), name)(result)
    return text
