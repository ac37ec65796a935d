"""assay cite."""

from __future__ import annotations

import click

from assay.cli import example_help


@click.command(
    short_help="BibTeX for assay and what was used.",
    epilog=example_help("assay cite", "assay cite result.json", "assay cite accuracy shuffling"),
)
@click.argument("names", nargs=-1)
def command(names: tuple[str, ...]) -> None:
    """BibTeX for assay and what was used: NAMES of measures and tests, or result files (JSON)."""
    from assay.result.citations import bibtex

    click.echo(bibtex(names), nl=False)
