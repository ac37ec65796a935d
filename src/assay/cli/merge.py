"""assay merge."""

from __future__ import annotations

import click

from assay.cli import example_help
from assay.cli.evaluation import delivered, gates_of
from assay.cli.options import Command, gate_options, output_options
from assay.cli.output import Output


@click.command(
    cls=Command,
    short_help="Make one result of the parts that several jobs wrote.",
    epilog=example_help(
        "assay merge part-*.json",
        "assay merge part-*.json --html report.html",
    ),
)
@click.argument("parts", nargs=-1, required=True, type=click.Path())
@click.option("-m", "--measure", "measures", multiple=True, help="Run this measure of your own (module:function).")
@gate_options
@output_options
def command(
    parts: tuple[str, ...],
    measures: tuple[str, ...],
    fail_under: tuple[str, ...],
    fail_if_worse: str | None,
    tolerance: float,
    output: Output,
) -> int:
    """Make one result of PARTS: the same, to the last digit, as if one process had read all files.

    Each job writes a part, e.g. the third of 16: assay score gold/ system/ --shard 3/16 --partial part-3.json (with
    --embed auto for a page with sentences).
    """
    output.check()
    gates = gates_of(fail_under, fail_if_worse, tolerance)
    with output.progress("Merging …"):
        from assay.engine.finish import make_result
        from assay.scale.partfiles import merged

        result = make_result(merged(parts, measures))
    if output.has_page and result.texts is None:
        output.tell(
            "note: the page has no sentences, since the parts have none. Write them with --embed auto to have some."
        )
    return delivered(result, gates, output, texts=True)
