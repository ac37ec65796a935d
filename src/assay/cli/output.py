"""Results to the terminal, into files, as a page; and gates that they have to pass."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.classes import dataclass
from assay.errors import UsageError, escape_controls, unknown
from assay.files import make_folder, write

if TYPE_CHECKING:
    from assay.result import Result, Results
    from assay.result.gates import Gates


WAIT = 2.0
"""Seconds of work without a line of progress."""


@dataclass
class Output:
    """Where a Result goes, and how much of it."""

    form: str | None = None
    path: str | None = None
    html: str | None = None
    quiet: bool = False
    tables: Sequence[str] = ()
    full: bool = False
    figures: str | None = None
    figure_formats: Sequence[str] = ("svg",)
    paper: str | None = None
    texts: bool = True
    """True if JSON has the sentences, too."""
    format: str = ""
    """The format of what goes to a file or to standard output; empty if none is asked for."""
    has_page: bool = False
    """True if a report page is written."""

    def check(self, *, sets: bool = False) -> None:
        """Find out the format. Raise an error before the work begins: no such format or table, no matplotlib, one
        page for several data sets."""
        from assay import plugins
        from assay.render import ENDINGS, FORMATS, USUAL, check_tables, find_format

        names = [name.strip() for given in self.tables for name in given.split(",") if name.strip()]
        if self.tables and not names:
            raise UsageError("--table: no table is named. Write e.g. --table scores,changes")
        self.tables = names
        self.format = self.form or (find_format(self.path) if self.path else "")
        self.has_page = bool(self.html) or self.format == "html"
        if sets and self.html and ENDINGS.get(Path(self.html).suffix.lower()) == "html":
            raise UsageError(f"{self.html}: each data set has a page of its own. Give a folder: --html FOLDER")
        if self.format not in ("", *FORMATS) and plugins.load("renderers", self.format) is None:
            raise unknown("format", self.format, FORMATS, USUAL)
        if self.tables:
            check_tables(self.tables, self.format or "table")
        if self.figures:
            from assay.render.pictures import check_plot

            check_plot()

    def embed(self, given: str) -> str:
        """The sentences that go along: as asked for, or what a page needs."""
        source = click.get_current_context().get_parameter_source("embed")
        self.texts = source is click.core.ParameterSource.COMMANDLINE
        return given if self.texts else "auto" if self.has_page else "none"

    def progress(self, text: str) -> Any:
        """A context with a line on stderr while longer work is under way, if stderr is a terminal."""
        from contextlib import nullcontext

        return nullcontext() if self.quiet or not sys.stderr.isatty() else _Progress(text)

    def tell(self, text: str) -> None:
        """Write a line to stderr, unless --quiet is given."""
        if not self.quiet:
            click.echo(escape_controls(text), err=True)

    def deliver(self, result: Result | Results, gates: Gates | None = None) -> int:
        """Write a Result where the user wants it, warnings to stderr; 1 if it does not pass a gate, 0 otherwise."""
        from dataclasses import replace

        from assay.render import render, render_pieces
        from assay.result import Results
        from assay.result.numbers import plural

        if isinstance(result, Results):
            sets, overall = {f"{name}: ": part for name, part in result.sets.items()}, result.overall
        else:
            sets, overall = {"": result}, result
        missed = [f"{name}{line}" for name, part in sets.items() if gates for line in gates.missed(part)]
        missed += gates.unshown(overall) if gates else []
        notes = [f"note: {name}{line}" for name, part in sets.items() if gates for line in gates.notes(part)]
        self.check(sets=isinstance(result, Results))
        remarks = [f"warning: {text}" for text in overall.warnings]
        if self.tables:
            from assay.render.tables import list_names

            known = [*list_names(overall), *["examples"] * bool(overall.examples)]
            absent = [name for name in self.tables if name not in known]
            text = f"there is no table {' or '.join(absent)} here. Available: {', '.join(known)}"
            if len(absent) == len(self.tables):
                raise UsageError(text)
            remarks[:0] = [f"note: {text}"] if absent else []
        drawn: list[Path] = []
        in_paper: list[Path] = []
        if self.figures:
            with self.progress("Drawing …"):
                drawn = result.figures(self.figures, self.figure_formats, full=self.full)
        if self.paper:
            from assay.files import write_into
            from assay.render.paper import make_paper

            with self.progress("Drawing …"):
                contents, reason = make_paper(result, Path(self.paper))
            in_paper = write_into(Path(self.paper), contents)
            remarks += [f"note: {Path(self.paper, 'figure.pdf')} was not written: {reason}"] if reason else []
        if self.html and isinstance(result, Results):
            from assay.render.page import pages

            found = dict(pages(result))
            make_folder(Path(self.html))
            for name, text in found.items():
                write(Path(self.html, name), text)
        elif self.html:
            write(self.html, render(result, "html"))
        if not (self.texts or self.format == "html"):
            if isinstance(result, Results):
                result = Results(overall, {name: replace(part, texts=None) for name, part in result.sets.items()})
            else:
                result = replace(result, texts=None)
        if self.path:
            write(self.path, render_pieces(result, self.format, self.tables, full=self.full))
        elif self.form or not sys.stdout.isatty():
            for text in render_pieces(result, self.form or "tsv", self.tables, full=self.full):
                click.echo(text, nl=False)
        else:
            from assay.render.terminal import show

            show(overall, names=self.tables, full=self.full, further=_next_commands(overall, bool(self.html)))
        # Files by name, or as `labels*.svg (15 files)` if there are many of a kind.
        kinds: dict[str, list[str]] = {}
        for file in drawn:
            kind = file.stem.partition("-")[0]
            kinds.setdefault(str(file.with_name(f"{kind}*{file.suffix}")), []).append(str(file))
        written = [self.path, self.html, *map(str, in_paper)]
        for kind, names in kinds.items():
            written += names if len(names) <= 4 else [f"{kind} ({len(names)} files)"]
        remarks += [f"written: {path}" for path in written if path]
        if self.figures:
            from assay.render.pictures import list_figures

            more = len(list_figures(result)) - len({file.with_suffix("") for file in drawn})
            if more:
                remarks.append(f"note: --full writes {plural(more, 'more figure')}.")
            elif not drawn:
                remarks.append("note: nothing in this result can be drawn.")
        for line in (*remarks, *notes):
            self.tell(line)
        for line in missed:
            click.echo(f"assay: {escape_controls(line)}", err=True)
        return 1 if missed else 0


class _Progress:
    """A line with the step and the time since the beginning; work that takes less than `WAIT` seconds shows none."""

    def __init__(self, text: str) -> None:
        from threading import Timer

        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        # The terminal itself, because its wrapper spells out what moves the cursor, which renews the line.
        console = Console(file=getattr(sys.stderr, "rich_proxied_file", sys.stderr))
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        # A line that cannot be renewed would be one line for each step.
        self._line = Progress(*columns, console=console, transient=True, disable=console.is_dumb_terminal)
        self._task = self._line.add_task(text)
        self._timer = Timer(WAIT, self._line.start)

    def __enter__(self) -> _Progress:
        self._timer.start()
        return self

    def update(self, text: str) -> None:
        """Show what is being done now."""
        self._line.update(self._task, description=text)

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()
        self._line.stop()


def _next_commands(result: Result, has_page: bool) -> list[str]:
    """Commands to try next: a test if systems were scored, the page, sentences."""
    import shlex

    words: list[str] = click.get_current_context().find_root().obj or []
    if not words or any(word.rpartition("=")[2] == "-" for word in words) or len(shlex.join(words)) > 200:
        return []
    if words[0] == "score" and len(result.systems) > 1:
        words = ["compare", *words[1:]]
    lines = [words] if words[0] == "compare" and result.about.command == "score" else []
    page = "pages" if "--data" in words else "report.html"
    lines += [[*words, "--html", page]] if not has_page else []
    if result.about.command == "compare" and not result.examples and words[0] == "compare":
        lines.append([*words, "--examples", "3", "--kind", "new-error"])
    return [shlex.join(["assay", *line]) for line in lines[:2]]


def write_output(text: str | bytes, path: str | None) -> None:
    """Write a text or bytes into a file or, without one, to standard output."""
    if path:
        write(path, text)
    else:
        # Nothing is taken out of it, as click would out of what looks like colours.
        click.echo(text, nl=False, color=True)


def check_stdin(*paths: str) -> None:
    """Raise an error if standard input is given twice."""
    if sum(path.rpartition("=")[2] == "-" or path == "-" for path in paths) > 1:
        raise UsageError("- (standard input) can be given only once. Give the other as a file.")
