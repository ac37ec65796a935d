"""assay convert."""

from __future__ import annotations

import click

from assay.cli import example_help
from assay.cli.command import Command, OutputPath
from assay.cli.options import INPUT_FORMAT
from assay.cli.output import put


@click.command(
    cls=Command,
    short_help="Write a file in another format.",
    epilog=example_help(
        "assay convert tagged.txt --to conllu --column XPOS -o tagged.conllu",
        "assay convert treebank.conllu --to tsv --column UPOS",
        'assay convert data.tsv --input-format "tsv(word=2)" --column 4 --to slash',
    ),
)
@click.argument("path", type=click.Path())
@click.option("--to", "target", required=True, help="Format to write: conllu, conllx, conll, tsv or slash.")
@click.option("--column", help="The label column to keep where the target holds one; or to write it to.")
@INPUT_FORMAT
@click.option("-o", "--output", type=OutputPath(), help="Write to a file.")
def command(path: str, target: str, column: str | None, input_format: str | None, output: str | None) -> None:
    """Write a file in another of the formats; what the target cannot hold is said."""
    from assay.readers import Input
    from assay.write import convert

    source = Input(path, input_format=input_format, wanted=[column] if column else [])
    text, losses = convert(source, target, column)
    put(text, output)
    for loss in losses:
        click.echo(f"warning: {loss}", err=True)
