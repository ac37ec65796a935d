"""assay report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from assay.cli import example_help
from assay.cli.options import Command, output_options
from assay.cli.output import Output


@click.command(
    cls=Command,
    short_help="Show a saved result again, as tables, a page or another format.",
    epilog=example_help(
        "assay compare gold.conllu a.conllu b.conllu --embed all -o result.json",
        "assay report result.json --html report.html",
        "assay report result.json --format latex",
    ),
)
@click.argument("result", type=click.Path())
@output_options
def command(result: str, output: Output) -> None:
    """Show what `--format json` or `-o result.json` saved; nothing is computed anew."""
    output.check()
    from assay.result import Result

    found = Result.read(result)
    with _as_written(result):
        output.deliver(found)
    if output.has_page and found.texts is None and not found.bayes:
        output.tell(
            "note: the page has no sentences, since the result has none. Save it with --embed all to have them."
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
