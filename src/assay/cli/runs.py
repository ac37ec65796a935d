"""Commands about many runs: experiment, bayes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from assay.cli import example_help
from assay.cli.options import CLUSTER, SEED, Command, Group, OutputPath, output_options
from assay.cli.output import Output, check_stdin, put

if TYPE_CHECKING:
    from assay.experiment.job import Job
    from assay.experiment.run import Progress
    from assay.experiment.store import Outcome


PLAN = click.argument("plan", type=click.Path(), metavar="FILE.toml")


@click.group(
    cls=Group,
    short_help="Train and test systems over many splits of the data.",
    epilog=example_help(
        "assay experiment run taggers.toml --jobs 4",
        "assay experiment status taggers.toml",
        "assay experiment export taggers.toml -o runs.csv",
        "assay bayes runs.csv --rope 0.002",
    ),
)
def experiment() -> None:
    """Cross-validation over external programs: splits, runs that can be interrupted, and a store of measurements.

    A TOML file names data sets, systems with their commands, and measures. All systems get the same splits.
    """


@experiment.command(
    epilog=example_help(
        "assay experiment run taggers.toml --jobs 4",
        "assay experiment run taggers.toml --retry",
        "assay experiment run taggers.toml --cluster tcp://host:8786",
    )
)
@PLAN
@click.option("--jobs", type=click.IntRange(min=1), help="Runs at a time; else as the file says, or one.")
@CLUSTER
@click.option("--retry", is_flag=True, help="Take up the runs that failed, too.")
@click.option("--rescore", is_flag=True, help="Score the kept predictions of all runs anew.")
@click.option("--dry-run", is_flag=True, help="Only show what would be run.")
@click.option("--quiet", is_flag=True, help="No line for each run.")
def run(
    plan: str, jobs: int | None, cluster: str | None, retry: bool, rescore: bool, dry_run: bool, quiet: bool
) -> int:
    """Do all runs that are due, and go on where it was interrupted.

    Each run trains and tests one system on one split, in a folder of its own. What is done stays done, whatever
    happens; runs are done anew only where the file or the data changed in what they depend on.
    """
    if dry_run:
        import shlex

        from assay.experiment.run import planned_jobs, preview

        due = planned_jobs(plan, retry=retry, rescore=rescore)
        for one in due:
            click.echo(f"{one.run}: {one.why}")
            for step, words in preview(one):
                click.echo(f"  {step}: {shlex.join(words)}")
        if not due:
            click.echo("no run is due.")
        return 0
    from assay.experiment import run as run_experiment

    told: set[str] = set()

    def report(due: Sequence[Job], number: int, outcome: Outcome | None) -> None:
        """Print a line for a finished run, with the end of its log if it failed in a new way."""
        total = len(due)
        if outcome is None:
            reasons = Counter(job.why for job in due)
            listed = "; ".join(f"{number} {why}" for why, number in reasons.items())
            click.echo(f"{total} runs are due ({listed})." if total else "no run is due.", err=True)
            return
        lead = f"[{number}/{total}] {outcome.run}: "
        if outcome.state == "failed":
            again = outcome.error in told
            told.add(outcome.error)
            click.echo(f"{lead}failed{' in the same way' * again}", err=True)
            for line in () if again else outcome.error.splitlines():
                click.echo(f"    {line}", err=True)
        elif not quiet:
            figures = [
                f"{one.measure} {'–' if math.isnan(one.value) else f'{100 * one.value:.2f}'}"
                for one in outcome.measurements
            ]
            click.echo(f"{lead}{', '.join(figures)} ({outcome.seconds:.1f} s)", err=True)

    progress = run_experiment(plan, jobs=jobs, cluster=cluster, retry=retry, rescore=rescore, report=report)
    click.echo(_summary(progress))
    return 1 if progress.failures else 0


@experiment.command(epilog=example_help("assay experiment status taggers.toml"))
@PLAN
def status(plan: str) -> None:
    """Show what is done, failed and due, the failures, and the time that is left."""
    from assay.experiment import status as status_of

    progress = status_of(plan)
    alike: dict[str, list[str]] = {}
    for name, design in progress.designs.items():
        alike.setdefault(design.description, []).append(name)
    lines = [f"{', '.join(names)}: {told}" for told, names in alike.items()]
    table = [("data set", "system", "done", "failed", "due", "mean time", "memory")]
    table += [
        (
            *(row.dataset, row.system, f"{row.done}/{row.runs}", str(row.failed), str(row.due)),
            *(_time(row.seconds), f"{row.memory / 2**20:,.0f} MB" if row.memory else "–"),
        )
        for row in progress.rows
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines.append("")
    for row in table:
        # Words to the left, figures to the right.
        cells = [f"{cell:{'<' if index < 2 else '>'}{widths[index]}}" for index, cell in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    lines += ["", _summary(progress), *(f"due: {number} {why}" for why, number in progress.reasons.items())]
    if progress.holder is not None:
        lines.append(f"being run: {progress.holder.description}, {_at_a_time(progress.holder.jobs)}")
        lines.append(f"under way: {', '.join(progress.under_way) or 'nothing yet'}")
    if progress.count("due"):
        lines.append(f"time left: {_time(progress.left)} ({_at_a_time(progress.jobs)})")
    if progress.imported:
        lines.append(f"imported: {progress.imported} runs.")
    if progress.others:
        lines.append(f"kept, but not exported: {progress.others} runs that the file does not name any more.")
    # Each failure with the end of its log; those that failed in the same way once.
    failures: dict[tuple[str, str], list[Outcome]] = {}
    for one in progress.failures:
        failures.setdefault((one.run.system, one.error), []).append(one)
    for failed in failures.values():
        more = f" and {len(failed) - 1} more in the same way" if len(failed) > 1 else ""
        lines += ["", f"failed: {failed[0].run}{more}", *(f"    {line}" for line in failed[0].error.splitlines())]
    click.echo("\n".join(lines))


@experiment.command(epilog=example_help("assay experiment export taggers.toml -o runs.csv"))
@PLAN
@click.option("-o", "--output", type=OutputPath(), help="Write to a file.")
@click.option("--pairs", is_flag=True, help="Instead, for each two systems and split the items only one has right.")
def export(plan: str, output: str | None, pairs: bool) -> None:
    """Give all measurements as CSV, for `assay bayes` and others."""
    from assay.experiment import export as exported
    from assay.experiment import export_pairs
    from assay.experiment import status as status_of

    put(export_pairs(plan) if pairs else exported(plan), output)
    progress = status_of(plan)
    missing = progress.count("failed") + progress.count("due")
    if missing:
        click.echo(
            f"warning: {missing} of {progress.count('runs')} runs are missing or out of date "
            f"({progress.count('failed')} failed, {progress.count('due')} due).",
            err=True,
        )


@experiment.command("import", epilog=example_help("assay experiment import taggers.toml others.csv"))
@PLAN
@click.argument("table", type=click.Path())
@click.option("--replace", is_flag=True, help="Overwrite what was imported before.")
def import_(plan: str, table: str, replace: bool) -> None:
    """Take measurements made elsewhere into the store; TABLE has the columns that `export` gives."""
    from assay.experiment import import_measurements

    number = import_measurements(plan, table, replace_old=replace)
    click.echo(f"measurements of {number} runs taken into the store.")


@experiment.command(epilog=example_help("assay experiment splits taggers.toml -o splits/ --parts"))
@PLAN
@click.option("-o", "--output", type=OutputPath(file_okay=False), required=True, help="The folder to write to.")
@click.option("--parts", is_flag=True, help="Write the train, dev and test part of each split, too.")
def splits(plan: str, output: str, parts: bool) -> None:
    """Write the splits to disk: a JSON file per data set with the sentences of each fold."""
    from assay.experiment import write_splits

    for path in write_splits(plan, output, parts=parts):
        click.echo(f"written: {path}")


def _at_a_time(jobs: str) -> str:
    return f"{jobs} at a time" if jobs.isdigit() else f"one at a time; --cluster {jobs} does more"


def _time(seconds: float) -> str:
    """A time in its two greatest units."""
    if math.isnan(seconds):
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _summary(progress: Progress) -> str:
    done, failed, due = (progress.count(what) for what in ("done", "failed", "due"))
    text = f"{done} of {progress.count('runs')} runs are done"
    if failed:
        text += f", {failed} failed (assay experiment status shows why; run --retry takes them up again)"
    return f"{text}, {due} are due." if due else f"{text}."


@click.command(
    cls=Command,
    short_help="Estimate how likely one system is better, from many runs.",
    epilog=example_help(
        "assay bayes runs.csv --rope 0.002",
        "assay bayes runs.csv -m accuracy -m oov-accuracy --rope accuracy=0.002 --rope oov-accuracy=0.02",
        "assay bayes taggers.toml --figures figures/",
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
    help="Largest difference that does not matter, in the unit of the scores: of fractions, 0.002 is 0.2 percentage "
    "points; or '98 items', ci95 (as in the paper; the default if it is at most 1 point), ci95half, annotators. "
    "Default otherwise: none, every difference counts.",
)
@click.option("--rho", help="Correlation of runs: folds (1/folds, the default), sizes (of the parts), or a number.")
@click.option("--folds", type=click.IntRange(min=2), help="Folds of a repetition, for matrices.")
@click.option("--common", is_flag=True, help="Compare on the runs that all systems have.")
@click.option("--lower", multiple=True, metavar="MEASURE", help="Measure of which less is better; repeatable.")
@click.option(
    "--higher",
    multiple=True,
    metavar="MEASURE",
    help="Measure of which more is better, though its name suggests the opposite (loss, error); repeatable.",
)
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
@click.option("--adjudicated", type=click.Path(), help="The adjudicated version of the annotations.")
@click.option("--column", help="The column of the annotations that is compared.")
@click.option("--draws", type=click.IntRange(min=1000), default=50_000, show_default=True, help="Posterior draws.")
@SEED
@click.option("--nemenyi", is_flag=True, help="Groups of ranks by Nemenyi's test, in place of Wilcoxon's and Holm's.")
@output_options
def bayes(
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    ropes: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Estimate how likely one system is better than another on data like these, or practically as good.

    The model and the tables are those of Szymański and Gorman (2020).

    RUNS is a CSV or TSV file with the columns dataset, system, repetition, fold, measure, value (and, if known,
    numerator, denominator, n_train, n_test), the TOML file of an experiment, or a matrix of numbers for each system,
    NAME=FILE, with a line for each data set and a column for each run.

    Both kinds of probability are given: the share of posterior draws in which a region is the likeliest (theirs),
    and the mean probability of each region for a new data set.
    """
    check_stdin(*runs)
    output.check()
    with output.progress("Comparing runs …"):
        from assay.bayesian import bayes as compare_runs

        result = compare_runs(list(runs), measures or None, rope=_by_measure(ropes), **options)
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
