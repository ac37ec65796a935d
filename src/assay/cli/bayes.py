"""assay bayes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import example_help
from assay.cli.command import Command, OutputPath
from assay.cli.evaluation import check_stdin
from assay.cli.options import output_options
from assay.cli.output import Output
from assay.files import make_folder, write

if TYPE_CHECKING:
    from assay.result import Result


@click.command(
    cls=Command,
    short_help="Systems over many runs and data sets: how likely is one better?",
    epilog=example_help(
        "assay bayes runs.csv --rope 0.002",
        "assay bayes runs.csv -m accuracy -m oov-accuracy --rope accuracy=0.002 --rope oov-accuracy=0.02",
        "assay bayes taggers.toml --pictures figures/",
        "assay bayes TnT=tnt.csv Flair=flair.csv --folds 10 --rope 0.002",
    ),
)
@click.argument("runs", nargs=-1, required=True, type=click.Path())
@click.option("-m", "--measure", "measures", multiple=True, help="Measure in the table; repeatable. Else all scores.")
@click.option("--system", "systems", multiple=True, help="Only these systems; repeatable.")
@click.option("--dataset", "datasets", multiple=True, help="Only these data sets; repeatable.")
@click.option(
    "--rope",
    "ropes",
    multiple=True,
    metavar="[MEASURE=]X",
    help="Largest difference that does not matter: 0.002, '98 items', ci95 (as the paper; the default where the "
    "number of items is known), ci95half, annotators.",
)
@click.option("--rho", help="Correlation of runs: folds (1/folds, the default), sizes (of the parts), or a number.")
@click.option("--folds", type=click.IntRange(min=2), help="Folds of a repetition, for matrices.")
@click.option("--common", is_flag=True, help="Compare on the runs that all systems have.")
@click.option("--lower", multiple=True, metavar="MEASURE", help="Measure of which less is better; repeatable.")
@click.option("--hierarchical", is_flag=True, help="Use the model over data sets for a single one too.")
@click.option("--priors", is_flag=True, help="Show other priors, also where there are many data sets.")
@click.option(
    "--pairs",
    type=click.Path(),
    help="For McNemar's test of each split: what assay experiment export --pairs writes, or the experiment's file.",
)
@click.option(
    "--annotation", "annotations", multiple=True, type=click.Path(), help="With --rope annotators: two annotations."
)
@click.option("--adjudicated", type=click.Path(), help="What the annotators agreed on at last.")
@click.option("--column", help="The column of the annotations that is compared.")
@click.option("--draws", type=click.IntRange(min=1000), default=50_000, show_default=True, help="Posterior draws.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random generator.")
@click.option("--pictures", type=OutputPath(file_okay=False), help="Folder for triangles, forest plots, rankings …")
@click.option(
    "--picture-format",
    type=click.Choice(["svg", "pdf", "png"]),
    default="svg",
    show_default=True,
    help="Format of pictures, which need the extra assay[plot].",
)
@output_options
def command(
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    ropes: tuple[str, ...],
    output: Output,
    pictures: str | None,
    picture_format: str,
    **options: Any,
) -> None:
    """How likely one system is better than another on data like these, or practically as good.

    The model and the tables are those of Szymański and Gorman (2020).

    RUNS is a CSV or TSV file with the columns dataset, system, repetition, fold, measure, value (and, if known,
    numerator, denominator, n_train, n_test), the TOML file of an experiment, or a matrix of numbers for each system,
    NAME=FILE, with a line for each data set and a column for each run.

    Both kinds of probability are given: the share of posterior draws in which a region is the likeliest (the
    paper's), and the mean probability of each region for a new data set.
    """
    check_stdin(*runs)
    output.check()
    if pictures:
        from assay.render.pictures import check_plot

        check_plot()
    with output.progress("Comparing runs …"):
        from assay.bayesian import bayes

        result = bayes(list(runs), measures or None, rope=_by_measure(ropes), **options)
    if pictures:
        with output.progress("Drawing …"):
            number = _draw(result, Path(pictures), picture_format)
        output.tell(f"written: {number} pictures in {pictures}")
    output.deliver(result)


def _by_measure(ropes: tuple[str, ...]) -> dict[str, str] | None:
    """Regions by measure; one without a name is for all others."""
    given: dict[str, str] = {}
    for text in ropes:
        measure, _, value = text.rpartition("=")
        if measure in given:
            from assay.errors import UsageError

            raise UsageError(f"--rope {text}: a second region for {measure or 'all measures'}.")
        given[measure] = value
    return given or None


def _draw(result: Result, folder: Path, form: str) -> int:
    """All pictures into a folder; how many there are."""
    from assay.render.pictures import files

    drawn = files(result, folder, form)
    make_folder(folder)
    for path, content in drawn.items():
        write(path, content)
    return len(drawn)
