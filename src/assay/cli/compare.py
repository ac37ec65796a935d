"""assay compare."""

from __future__ import annotations

from typing import Any

import click

from assay.cli import example_help
from assay.cli.evaluation import evaluate
from assay.cli.options import GOLD, Command, embed_option, evaluation, gate_options, shard_options
from assay.cli.output import Output


@click.command(
    cls=Command,
    short_help="Compare systems: which is better, how sure, what changed.",
    epilog=example_help(
        "assay compare gold.conllu a.conllu b.conllu",
        "assay compare gold.conllu old=a.conllu new=b.conllu --examples 5 --kind new-error",
        "assay compare gold.conllu *.out.conllu --column XPOS --train train.conllu --slice seen",
        "assay compare gold.conllu a.conllu b.conllu --html report.html -o table.tex",
    ),
)
@GOLD
@click.argument("systems", nargs=-1, required=True, type=click.Path())
@evaluation
@click.option(
    "--label-order",
    type=click.Choice(["effect", "difference", "frequency", "name"]),
    default="effect",
    help="What labels are sorted by: what their difference moves overall, its size, how many there are, or the name.",
)
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
    """Compare two or more systems: which is better, how sure, and what changed.

    GOLD and each system are a file, a folder, a glob pattern or - (standard input), also compressed; a system
    may be given a name: NAME=PATH. Differences are the second system's minus the first's.
    """
    from assay.errors import UsageError

    if len(systems) < 2:
        raise UsageError("compare takes gold and at least two systems. For one system: assay score")
    return evaluate("compare", gold, systems, measures, output, options)
