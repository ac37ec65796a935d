"""assay measures."""

from __future__ import annotations

import click

from assay.cli import example_help


@click.command(
    short_help="List measures and slices, or explain some.",
    epilog=example_help("assay measures", "assay measures tag-f1"),
)
@click.argument("names", nargs=-1)
def command(names: tuple[str, ...]) -> None:
    """List measures and slices; with NAMES, their full documentation."""
    from assay.engine.measure import measures
    from assay.engine.slices import slices
    from assay.errors import unknown

    known, cuts = measures(), slices()
    for name in names:
        if name not in known:
            raise unknown("measure", name, known)
        definition = known[name]
        scores = ", ".join(definition.score_names)
        click.echo(f"{name}: {definition.documentation}\nScores, the main one first: {scores}\n")
    if names:
        return
    width = max(map(len, [*known, *cuts])) + 2
    for task in dict.fromkeys(definition.task for definition in known.values()):
        click.echo(f"Measures of {task} (-m):")
        for name, definition in known.items():
            if definition.task == task:
                click.echo(f"  {name:{width}}{definition.summary}")
                click.echo(f"  {'':{width}}scores: {', '.join(definition.score_names)}")
        click.echo()
    click.echo("Slices (--slice):")
    for name, kind in cuts.items():
        click.echo(f"  {name:{width}}{kind.help}")
    click.echo("\nOne in full: assay measures tag-f1. Your own: -m mymodule:myfunction (docs/measures.md).")
