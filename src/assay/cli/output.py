"""Where a Result goes: to the terminal, into files, as a page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.files import write

if TYPE_CHECKING:
    from assay.result import Result


class Output:
    """What the options about output say."""

    # No dataclass: that module would make up a good part of the time that `assay --help` takes.
    def __init__(
        self, form: str | None = None, path: str | None = None, html: str | None = None, quiet: bool = False
    ) -> None:
        self.form = form
        self.path = path
        self.html = html
        self.quiet = quiet

    def check(self) -> None:
        """Find out before the work begins which format its results have."""
        if self.path and not self.form:
            _form_of(self.path)

    @property
    def has_page(self) -> bool:
        """Whether a report page is written."""
        return bool(self.html) or self._main_is_page

    @property
    def _main_is_page(self) -> bool:
        return "html" in (self.form, _form_of(self.path) if self.path and not self.form else "")

    def embed(self, asked: str | None) -> str:
        """Which sentences go along: as asked, else what a page needs."""
        return asked or ("auto" if self.has_page else "none")

    def progress(self, text: str) -> Any:
        """A line on stderr while the work is under way, if someone is watching."""
        from contextlib import nullcontext

        if self.quiet or not sys.stderr.isatty():
            return nullcontext()
        from rich.console import Console

        return Console(stderr=True).status(text)

    def tell(self, text: str) -> None:
        """A line on stderr, unless all is to be quiet."""
        if not self.quiet:
            from assay.errors import shown

            click.echo(shown(text), err=True)

    def deliver(self, result: Result, *, texts: bool = True) -> None:
        """Write a Result where the user wants it, in JSON without its `texts` if so; warnings go to stderr."""
        from dataclasses import replace

        from assay.render import render

        if self.html:
            write(self.html, render(result, "html"))
        if not (texts or self._main_is_page):
            result = replace(result, texts=None)
        if self.path:
            write(self.path, render(result, self.form or _form_of(self.path)))
        elif self.form or not sys.stdout.isatty():
            click.echo(render(result, self.form or "tsv"), nl=False)
        else:
            from assay.render.terminal import show

            show(result)
        for text in result.warnings:
            self.tell(f"warning: {text}")
        for path in filter(None, (self.path, self.html)):
            self.tell(f"written: {path}")


def put(text: str, path: str | None) -> None:
    """A text into a file or, without one, to standard output."""
    if path:
        write(path, text)
    else:
        # Nothing is taken out of it, as click would out of what looks like colours.
        click.echo(text, nl=False, color=True)


def _form_of(path: str) -> str:
    from assay.errors import UsageError
    from assay.render import ENDINGS

    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{path}: the ending tells no format. Use {', '.join(ENDINGS)}, or say --format.")
    return ENDINGS[ending]
