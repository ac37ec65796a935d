"""assay demo."""

from __future__ import annotations

import click

from assay.cli import example_help
from assay.cli.command import Command, OutputPath


@click.command(
    cls=Command,
    short_help="Compare real systems on the corpora that come along.",
    epilog=example_help("assay demo", "assay demo --language german", "assay demo --copy here/"),
)
@click.option(
    "--language",
    type=click.Choice(["english", "german"]),
    help="Only the taggers of one language; else both, named entities, parses and coreference.",
)
@click.option("--html", type=OutputPath(file_okay=False), help="Write report pages into this folder.")
@click.option(
    "--copy",
    type=OutputPath(file_okay=False),
    help="Copy the demo's files into this folder to try things on.",
)
def command(language: str | None, html: str | None, copy: str | None) -> None:
    """Compare real taggers, recognisers, parsers and resolvers on small corpora that come along; needs no network."""
    from assay.demo import EXAMPLES, run

    run([language] if language else EXAMPLES, html, copy)
