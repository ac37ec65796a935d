"""assay report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from assay.cli import example_help
from assay.cli.options import check_outputs, deliver


@click.command(
    short_help="Show a saved result again, as tables, a page or another format.",
    epilog=example_help(
        "assay compare gold.conllu a.conllu b.conllu --embed all -o result.json",
        "assay report result.json --html report.html",
        "assay report result.json --format latex",
    ),
)
@click.argument("result", type=click.Path())
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "flat", "tsv", "csv", "md", "latex", "html"]),
    help="Output format; else tables, or TSV in a pipe.",
)
@click.option("-o", "--output", type=click.Path(), help="Write to a file, in the format of its ending.")
@click.option("--html", type=click.Path(), help="Write a report page too.")
@click.option("--quiet", is_flag=True, help="No notes or warnings on stderr.")
def command(result: str, form: str | None, output: str | None, html: str | None, quiet: bool) -> None:
    """Show what `--format json` or `-o result.json` saved; nothing is computed anew."""
    check_outputs(form, output, html)
    from assay.result import Result

    found = Result.read(result)
    with _as_written(result):
        deliver(found, form, output, html, quiet)
    page = html or form == "html" or (output or "").endswith((".html", ".htm"))
    if page and found.texts is None and not (found.bayes or quiet):
        click.echo(
            "note: the page has no sentences, since the result has none. Save it with --embed all to have them.",
            err=True,
        )


@contextmanager
def _as_written(path: str) -> Iterator[None]:
    """What cannot be shown was changed since it was written: its parts do not fit together."""
    from assay.errors import InputError

    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, StopIteration) as error:
        raise InputError(
            f"{path}: its parts do not fit together ({type(error).__name__}: {error}). Was it changed by hand? "
            "Write it anew with --format json."
        ) from error
