"""assay merge."""

from __future__ import annotations

import click

from assay.cli import example_help
from assay.cli.options import check_outputs, delivered, gate_options, gates_of, output_options, progress


@click.command(
    short_help="Make one result of the parts that several jobs wrote.",
    epilog=example_help(
        "assay merge part-*.json",
        "assay merge part-*.json --html report.html",
    ),
)
@click.argument("parts", nargs=-1, required=True, type=click.Path())
@gate_options
@output_options
def command(
    parts: tuple[str, ...],
    fail_under: tuple[str, ...],
    fail_if_worse: str | None,
    tolerance: float,
    form: str | None,
    output: str | None,
    html: str | None,
    quiet: bool,
) -> int:
    """Make one result of PARTS: the same, to the last digit, as if one process had read all files.

    Each job writes a part, e.g. the third of 16: assay score gold/ system/ --shard 3/16 --partial part-3.json
    """
    check_outputs(form, output, html)
    gates = gates_of(fail_under, fail_if_worse, tolerance)
    with progress("Merging …", quiet):
        from assay.evaluate import finished
        from assay.partfiles import merged

        result = finished(merged(parts))
    return delivered(result, gates, form, output, html, quiet, texts=False)
