"""assay demo."""

from __future__ import annotations

import click

from assay.cli import example_help


@click.command(
    short_help="Compare real taggers on the corpora that come along.",
    epilog=example_help("assay demo", "assay demo --language german", "assay demo --copy here/"),
)
@click.option("--language", type=click.Choice(["english", "german"]), help="One of the corpora; else both.")
@click.option("--html", type=click.Path(file_okay=False), help="Write report pages into this folder.")
@click.option(
    "--copy",
    type=click.Path(file_okay=False),
    help="Copy the demo's files into this folder to try things on.",
)
def command(language: str | None, html: str | None, copy: str | None) -> None:
    """Compare real taggers on the small corpora that come along; needs no files and no network."""
    from assay.demo import run

    run([language] if language else ["english", "german"], html, copy)
