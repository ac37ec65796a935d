"""A Result becomes something to look at; nothing is computed here but the look."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from assay.errors import UsageError, unknown
from assay.result import Result

_RENDERERS = {
    **{"flat": "formats.flat_json", "tsv": "formats.tsv", "csv": "formats.csv", "md": "formats.markdown"},
    **{"latex": "formats.latex", "html": "page.page"},
}
FORMATS = ("json", *_RENDERERS)
ENDINGS = {f".{form}": form for form in ("json", "tsv", "csv", "md", "html")} | {".tex": "latex", ".htm": "html"}


def render(result: Result, form: str) -> str:
    """The Result as text in one of the formats."""
    if form == "json":
        return result.to_json()
    if form not in _RENDERERS:
        raise unknown("format", form, FORMATS)
    module, name = _RENDERERS[form].split(".")
    text: str = getattr(import_module(f"assay.render.{module}"), name)(result)
    return text


def form_of(path: str | Path) -> str:
    """The format that the ending of a file's name tells."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{path}: the ending tells no format. Use {', '.join(ENDINGS)}, or say --format.")
    return ENDINGS[ending]
