"""Results to the terminal, into files, as a page; and gates that they have to pass."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.files import make_folder, write

if TYPE_CHECKING:
    from assay.result import Result, Results
    from assay.result.gates import Gates


class Output:
    """The options about output."""

    # No dataclass: that module would make up a good part of the time that `assay --help` takes.
    def __init__(
        self,
        form: str | None = None,
        path: str | None = None,
        html: str | None = None,
        quiet: bool = False,
        tables: Sequence[str] = (),
        full: bool = False,
        figures: str | None = None,
        figure_formats: Sequence[str] = ("svg",),
    ) -> None:
        self.form = form
        self.path = path
        self.html = html
        self.quiet = quiet
        self.tables = tables
        self.full = full
        self.figures = figures
        self.figure_formats = figure_formats

    def check(self, *, sets: bool = False) -> None:
        """Refuse an output without a format, unknown tables, figures without matplotlib and one page for several data
        sets before the work begins."""
        from assay.errors import UsageError
        from assay.render import ENDINGS, check_tables, form_of

        if sets and self.html and ENDINGS.get(Path(self.html).suffix.lower()) == "html":
            raise UsageError(f"{self.html}: each data set has a page of its own. Say a folder: --html FOLDER")
        form = self.form or (form_of(self.path) if self.path else "table")
        if self.tables:
            check_tables(self.tables, form)
        if self.figures:
            from assay.render.pictures import check_plot

            check_plot()

    @property
    def has_page(self) -> bool:
        """True if a report page is written."""
        return bool(self.html) or self._main_is_page

    @property
    def _main_is_page(self) -> bool:
        from assay.render import form_of

        return "html" in (self.form, form_of(self.path) if self.path and not self.form else "")

    def embed(self, asked: str | None) -> str:
        """The sentences that go along: as asked, else what a page needs."""
        return asked or ("auto" if self.has_page else "none")

    def progress(self, text: str) -> Any:
        """A line on stderr while the work is under way, if someone is watching."""
        from contextlib import nullcontext

        if self.quiet or not sys.stderr.isatty():
            return nullcontext()
        from rich.console import Console

        # The terminal itself: what stands before it while a line is renewed spells out what moves the cursor.
        return Console(file=getattr(sys.stderr, "rich_proxied_file", sys.stderr)).status(text)

    def tell(self, text: str) -> None:
        """A line on stderr, unless all is to be quiet."""
        if not self.quiet:
            from assay.errors import shown

            click.echo(shown(text), err=True)

    def deliver(self, result: Result | Results, *, texts: bool = True) -> None:
        """Write a Result where the user wants it, in JSON without its `texts` if so; warnings go to stderr."""
        from dataclasses import replace

        from assay.render import form_of, render
        from assay.result import Results

        overall = result.overall if isinstance(result, Results) else result
        self.check(sets=isinstance(result, Results))
        lacking = self._lacking(overall) if self.tables else ""
        drawn: list[Path] = []
        if self.figures:
            with self.progress("Drawing …"):
                drawn = result.figures(self.figures, self.figure_formats)
        if self.html and isinstance(result, Results):
            from assay.render.page import pages

            found = dict(pages(result))
            make_folder(Path(self.html))
            for name, text in found.items():
                write(Path(self.html, name), text)
        elif self.html:
            write(self.html, render(result, "html"))
        if not (texts or self._main_is_page):
            if isinstance(result, Results):
                bare = {name: replace(one, texts=None) for name, one in result.sets.items()}
                result = Results(overall, bare)
            else:
                result = replace(result, texts=None)
        if self.path:
            write(self.path, render(result, self.form or form_of(self.path), self.tables, full=self.full))
        elif self.form or not sys.stdout.isatty():
            click.echo(render(result, self.form or "tsv", self.tables, full=self.full), nl=False)
        else:
            from assay.render.terminal import show

            show(overall, names=self.tables, full=self.full, further=_further(overall, bool(self.html)))
        if lacking:
            self.tell(f"note: {lacking}")
        for text in overall.warnings:
            self.tell(f"warning: {text}")
        for path in filter(None, (self.path, self.html, *_listed(drawn))):
            self.tell(f"written: {path}")
        if self.figures and not drawn:
            self.tell("note: nothing in this result can be drawn.")

    def _lacking(self, result: Result) -> str:
        """A sentence on the tables asked for that a Result does not have; refused if these are all."""
        from assay.errors import UsageError
        from assay.render.tables import tables

        known = [*dict.fromkeys(one.name for one in tables(result)), *["examples"] * bool(result.examples)]
        absent = [name for name in self.tables if name not in known]
        if not absent:
            return ""
        told = f"there is no table {' or '.join(absent)} here. There are: {', '.join(known)}"
        if len(absent) == len(self.tables):
            raise UsageError(told)
        return told


def _listed(paths: Sequence[Path], most: int = 4) -> list[str]:
    """Files by name, or as `labels*.svg (15 files)` where there are many of a kind."""
    kinds: dict[str, list[str]] = {}
    for path in paths:
        kind = path.stem.partition("-")[0]
        kinds.setdefault(str(path.with_name(f"{kind}*{path.suffix}")), []).append(str(path))
    return [
        text
        for kind, names in kinds.items()
        for text in (names if len(names) <= most else [f"{kind} ({len(names)} files)"])
    ]


_LONGEST = 200
"""A command line of more characters is not shown again."""


def _further(result: Result, has_page: bool) -> list[str]:
    """The command once more, with what one may want next: a test where systems are scored, the page, sentences."""
    import shlex

    words: list[str] = click.get_current_context().find_root().obj or []
    if not words or any(word.rpartition("=")[2] == "-" for word in words) or len(shlex.join(words)) > _LONGEST:
        return []
    if words[0] == "score" and len(result.systems) > 1:
        words = ["compare", *words[1:]]
    lines = [words] if words[0] == "compare" and result.about.command == "score" else []
    page = "pages" if "--data" in words else "report.html"
    lines += [[*words, "--html", page]] if not has_page else []
    if result.about.command == "compare" and not result.examples and words[0] == "compare":
        lines.append([*words, "--examples", "3", "--kind", "new-error"])
    return [shlex.join(["assay", *line]) for line in lines[:2]]


def put(text: str, path: str | None) -> None:
    """A text into a file or, without one, to standard output."""
    if path:
        write(path, text)
    else:
        # Nothing is taken out of it, as click would out of what looks like colours.
        click.echo(text, nl=False, color=True)


def put_files(texts: Mapping[str, str], path: str | None) -> None:
    """Texts into files of a new folder or, where they differ in their endings only, beside the one that is named."""
    from assay.errors import UsageError

    if not path:
        raise UsageError(f"{len(texts)} files are to be written. Say where: -o FOLDER")
    endings = {Path(name).suffix for name in texts}
    beside = len(endings) == len(texts) and Path(path).suffix in endings
    places = {name: Path(path).with_suffix(Path(name).suffix) if beside else Path(path, name) for name in texts}
    folders = {folder for place in places.values() for folder in place.parents}
    for place in places.values():
        if place in folders:
            raise UsageError(f"{place}: one document is this file, another lies in a folder of this name.")
        if place.exists():
            raise UsageError(f"{place}: is there already. Name a folder, or a file, that is not.")
    for name, place in places.items():
        make_folder(place.parent)
        write(place, texts[name])


def check_stdin(*paths: str) -> None:
    """Standard input can be read once."""
    from assay.errors import UsageError

    if sum(path.rpartition("=")[2] == "-" or path == "-" for path in paths) > 1:
        raise UsageError("- (standard input) can be given once only.")


def gates_of(thresholds: Sequence[str], baseline: str | None, tolerance: float) -> Gates | None:
    """The gates that a Result has to pass, read before the work begins."""
    from assay.errors import UsageError

    if tolerance and not baseline:
        raise UsageError("--tolerance is about --fail-if-worse BASELINE.json.")
    if not thresholds and not baseline:
        return None
    from assay.result.gates import Baseline, Gates, Threshold

    before = Baseline.read(baseline, tolerance) if baseline else None
    return Gates([Threshold.of(text) for text in thresholds], before)


def deliver(result: Result | Results, gates: Gates | None, output: Output, *, texts: bool) -> int:
    """Write a Result where the user wants it; 1 where a threshold asked for is missed, be it on one data set."""
    from assay.errors import shown
    from assay.result import Results

    sets = {f"{name}: ": one for name, one in result.sets.items()} if isinstance(result, Results) else {"": result}
    each = sets.items() if gates else ()
    missed = [f"{name}{line}" for name, one in each if gates for line in gates.missed(one)]
    output.deliver(result, texts=texts)
    for line in [f"{name}{line}" for name, one in each if gates for line in gates.notes(one)]:
        output.tell(f"note: {line}")
    for line in missed:
        click.echo(f"assay: {shown(line)}", err=True)
    return 1 if missed else 0
