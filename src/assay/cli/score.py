"""assay score."""

from __future__ import annotations

from typing import Any

import click

from assay.cli import example_help
from assay.cli.options import GOLD, evaluate, evaluation


@click.command(
    short_help="Score systems against gold, with intervals.",
    epilog=example_help(
        "assay score gold.conllu system.conllu",
        "assay score gold.conllu a.conllu b=run2/out.conllu --column XPOS -m accuracy -m tag-f1",
        "assay score gold.tsv - --column 3 --format json < system.tsv",
        "assay score gold/ system/ --slice sentence-length --unit document",
    ),
)
@GOLD
@click.argument("systems", nargs=-1, required=True, type=click.Path())
@evaluation
def command(
    gold: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    form: str | None,
    output: str | None,
    html: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Score systems against GOLD, every score with its 95% interval.

    GOLD and each system are a file, a folder, a glob pattern or - (standard input), also compressed; a system
    may be given a name: NAME=PATH.
    """
    evaluate("score", gold, systems, measures, form, output, html, quiet, options)
