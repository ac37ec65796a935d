"""An index of report pages: what each compares, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assay.render.page import styles
from assay.render.text import heading, verdict
from assay.result import Result


def index(title: str, pages: Sequence[tuple[str, str, Result]]) -> str:
    """A page of links: the title of each page, its file beside this one, and what is in it."""
    rows = "".join(
        f'<li><h2><a href="{escape(file, quote=True)}">{escape(name)}</a></h2>'
        f'<p class="heading">{escape(heading(result))}</p><p class="verdict">{escape(verdict(result))}</p></li>'
        for name, file, result in pages
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<title>{escape(title)}</title><style>{styles()}</style></head><body class="index">'
        f'<header id="top"><h1>{escape(title)}</h1></header><main id="report"><ul class="pages">{rows}</ul></main>'
        "</body></html>\n"
    )
