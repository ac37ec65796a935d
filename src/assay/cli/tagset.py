"""assay tagset."""

from __future__ import annotations

import click

from assay.cli import example_help
from assay.cli.options import INPUT_FORMAT


@click.group(
    short_help="Tagsets: how tags fall apart.",
    invoke_without_command=True,
    epilog=example_help(
        "assay tagset",
        "assay tagset show nkjp",
        "assay tagset check tagged.conllu --tagset nkjp --column XPOS",
    ),
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Tagsets: how tags fall apart into a part of speech and categories."""
    if ctx.invoked_subcommand is None:
        _list()


def _list() -> None:
    from assay.tasks.tags.tagsets import built_in, find

    for name in built_in():
        tagset = find(name)
        click.echo(f"{name:10} {tagset.doc}")
    click.echo("\nOne as a file, to start your own from: assay tagset show NAME. Use it with --tagset NAME or FILE.")


@command.command("list")
def list_() -> None:
    """List the tagsets that come along."""
    _list()


@command.command()
@click.argument("name")
def show(name: str) -> None:
    """Print a tagset's file."""
    from assay.errors import unknown
    from assay.tasks.tags.tagsets import built_in

    known = built_in()
    if name not in known:
        raise unknown("tagset", name, known)
    click.echo(known[name], nl=False)


@command.command()
@click.argument("path", type=click.Path())
@click.option("--tagset", required=True, help="A name (assay tagset) or a file.")
@click.option("--column", help="The column of the tags.")
@INPUT_FORMAT
def check(path: str, tagset: str, column: str | None, input_format: str | None) -> None:
    """List the tags of a file that the tagset does not know, and what the tagset's own file leaves open."""
    from assay.tasks.tags.prepare import tags_outside
    from assay.tasks.tags.tagsets import find, warnings

    chosen = find(tagset)
    for text in warnings(chosen):
        click.echo(f"warning: {text}", err=True)
    words, outside = tags_outside(path, chosen, column, input_format)
    for label, count, place, near in outside:
        click.echo(f"{label}\t{count}\t{place}\t{near}")
    missed = sum(count for _, count, _, _ in outside)
    click.echo(f"{words - missed:,} of {words:,} words have a tag of {chosen.name}; {len(outside):,} outside.")
