"""assay score."""

from __future__ import annotations

from typing import Any

import click

from assay.cli import example_help
from assay.cli.evaluation import evaluate
from assay.cli.options import GOLD, Command, embed_option, evaluation, gate_options, shard_options
from assay.cli.output import Output


@click.command(
    cls=Command,
    short_help="Score systems against gold, with intervals.",
    epilog=example_help(
        "assay score gold.conllu system.conllu",
        "assay score gold.conllu a.conllu b=run2/out.conllu --column XPOS -m accuracy -m tag-f1",
        "assay score gold.tsv - --column 3 --format json < system.tsv",
        "assay score gold/ system/ --slice sentence-length --unit document",
        "assay score gold/ system/ --jobs 8",
        "assay score gold.conllu a.conllu --fail-under accuracy=0.8 --fail-if-worse result.json",
    ),
)
@GOLD
@click.argument("systems", nargs=-1, required=True, type=click.Path())
@evaluation
@gate_options
@shard_options
@embed_option
def command(
    gold: str,
    systems: tuple[str, ...],
    measures: tuple[str, ...],
    output: Output,
    **options: Any,
) -> int:
    """Score systems against GOLD, every score with its 95% interval.

    GOLD and each system are a file, a folder, a glob pattern or - (standard input), also compressed; a system
    may be given a name: NAME=PATH.
    """
    return evaluate("score", gold, systems, measures, output, options)
