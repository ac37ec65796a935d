"""assay convert."""

from __future__ import annotations

import click

from assay.cli import example_help
from assay.cli.command import Command, OutputPath
from assay.cli.options import INPUT_FORMAT, SCHEME_NAMES
from assay.cli.output import put


@click.command(
    cls=Command,
    short_help="Write a file in another format.",
    epilog=example_help(
        "assay convert tagged.txt --to conllu --column XPOS -o tagged.conllu",
        "assay convert treebank.conllu --to tsv --column UPOS",
        'assay convert data.tsv --input-format "tsv(word=2)" --column 4 --to slash',
        "assay convert anna.conll --to-scheme bioes -o bioes.conll",
        "assay convert anna.conll --repair conlleval -o repaired.conll",
    ),
)
@click.argument("path", type=click.Path())
@click.option(
    "--to", "target", help="Format to write: conllu, conllx, conll, tsv or slash; of spans else that of the file."
)
@click.option("--column", help="The label column to keep where the target holds one; or to write it to.")
@click.option("--to-scheme", type=SCHEME_NAMES, help="Write tags of spans under this scheme, e.g. bioes.")
@click.option("--scheme", type=SCHEME_NAMES, help="The scheme of the tags in the file; else told by it.")
@click.option(
    "--repair",
    type=click.Choice(["conlleval", "discard"]),
    help="Where tags break the scheme: read them as conlleval does, or discard them; else refuse.",
)
@INPUT_FORMAT
@click.option("-o", "--output", type=OutputPath(), help="Write to a file.")
def command(
    path: str,
    target: str | None,
    column: str | None,
    to_scheme: str | None,
    scheme: str | None,
    repair: str | None,
    input_format: str | None,
    output: str | None,
) -> None:
    """Write a file in another format, or its spans under another scheme; what the target cannot hold is said."""
    from assay.errors import UsageError
    from assay.formats import Input
    from assay.formats.write import convert, rewrite

    source = Input(path, input_format=input_format, wanted=[column] if column else [])
    if to_scheme or scheme or repair:
        text, losses = rewrite(source, target, column, scheme=scheme, repair=repair, to_scheme=to_scheme)
    elif target:
        text, losses = convert(source, target, column)
    else:
        raise UsageError("say what to write: --to FORMAT, --to-scheme SCHEME or --repair.")
    put(text, output)
    for loss in losses:
        click.echo(f"warning: {loss}", err=True)
