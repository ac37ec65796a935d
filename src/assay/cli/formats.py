"""assay formats."""

from __future__ import annotations

import click

from assay.cli import example_help


@click.command(short_help="List the input formats with examples.", epilog=example_help("assay formats"))
def command() -> None:
    """List the input formats, each with an example."""
    from assay import specs
    from assay.formats import FORMATS

    for known in FORMATS.values():
        click.echo(f"{specs.spell(known.name, known.parameters)}: {known.title}")
        if known.parameter_help:
            click.echo(f"  ({known.parameter_help})")
        for line in known.example.rstrip("\n").split("\n"):
            click.echo(f"    {line.replace(chr(9), '  ')}")
        click.echo("")
    click.echo("All may be compressed (.gz, .xz), come from standard input (-), or lie in a folder or glob pattern.")
    click.echo(
        'The format is told by the first lines; force it with --input-format, e.g. "tsv(word=2, header=true)".'
    )
