"""assay agreement."""

from __future__ import annotations

from typing import Any

import click

from assay.cli import example_help
from assay.cli.evaluation import check_stdin
from assay.cli.options import Command, evaluation
from assay.cli.output import Output


@click.command(
    cls=Command,
    short_help="How far annotators agree, none of them gold.",
    epilog=example_help(
        "assay agreement anna.conll ben.conll",
        "assay agreement anna/ ben/ carl/ --input-format brat",
        "assay agreement a=anna.conllu b=ben.conllu --column XPOS --task tags",
    ),
)
@click.argument("annotators", nargs=-1, required=True, type=click.Path())
@evaluation
def command(
    annotators: tuple[str, ...],
    measures: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """How far two or more annotators agree; none of them is gold, so no figure depends on who comes first.

    Spans: F1 of exact matches and of the fair matching made both ways, with its types of differences, kappa and alpha
    for the labels of spans that both have, and for words. Tags: agreement, kappa and alpha.
    """
    check_stdin(*annotators)
    output.check()
    with output.progress("Comparing …"):
        from assay.engine.agreement import agreement

        result = agreement(annotators, measures or None, **options)
    output.deliver(result)
