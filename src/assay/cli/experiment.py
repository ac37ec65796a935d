"""assay experiment."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from assay.cli import example_help
from assay.cli.command import Group, OutputPath
from assay.cli.output import put

if TYPE_CHECKING:
    from assay.experiment.run import Progress, Step
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
def command() -> None:
    """Cross-validation over external programs: splits, runs that can be interrupted, and a store of measurements.

    A TOML file names data sets, systems with their commands, and measures. All systems get the same splits.
    """


@command.command(
    epilog=example_help(
        "assay experiment run taggers.toml --jobs 4",
        "assay experiment run taggers.toml --retry",
        "assay experiment run taggers.toml --cluster tcp://host:8786",
    )
)
@PLAN
@click.option("--jobs", type=click.IntRange(min=1), help="Runs at a time; else as the file says, or one.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler's address, or slurm, pbs, sge, lsf, …")
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
        _show_due(plan, retry, rescore)
        return 0
    from assay.experiment import run as run_experiment

    told: set[str] = set()
    progress = run_experiment(
        plan, jobs=jobs, cluster=cluster, retry=retry, rescore=rescore, report=lambda step: _report(step, quiet, told)
    )
    click.echo(_summary(progress))
    return 1 if progress.failures else 0


@command.command(epilog=example_help("assay experiment status taggers.toml"))
@PLAN
def status(plan: str) -> None:
    """Show what is done, failed and due, the failures, and the time that is left."""
    from assay.experiment import status as status_of

    click.echo("\n".join(_status_lines(status_of(plan))))


@command.command(epilog=example_help("assay experiment export taggers.toml -o runs.csv"))
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


@command.command("import", epilog=example_help("assay experiment import taggers.toml others.csv"))
@PLAN
@click.argument("table", type=click.Path())
@click.option("--replace", is_flag=True, help="Overwrite what was imported before.")
def import_(plan: str, table: str, replace: bool) -> None:
    """Take measurements made elsewhere into the store; TABLE has the columns that `export` gives."""
    from assay.experiment import import_measurements

    number = import_measurements(plan, table, replace_old=replace)
    click.echo(f"measurements of {number} runs taken into the store.")


@command.command(epilog=example_help("assay experiment splits taggers.toml -o splits/ --parts"))
@PLAN
@click.option("-o", "--output", type=OutputPath(file_okay=False), required=True, help="The folder to write to.")
@click.option("--parts", is_flag=True, help="Write the train, dev and test part of each split, too.")
def splits(plan: str, output: str, parts: bool) -> None:
    """Write the splits to disk: a JSON file per data set with the sentences of each fold."""
    from assay.experiment import write_splits

    for path in write_splits(plan, output, parts=parts):
        click.echo(f"written: {path}")


def _status_lines(progress: Progress) -> Iterator[str]:
    """The table, what is at work, the time left, and the failures."""
    alike: dict[str, list[str]] = {}
    for name, design in progress.designs.items():
        alike.setdefault(design.told, []).append(name)
    for told, names in alike.items():
        yield f"{', '.join(names)}: {told}"
    yield ""
    header = ("data set", "system", "done", "failed", "due", "mean time", "memory")
    rows = [
        (
            *(row.dataset, row.system, f"{row.done}/{row.runs}", str(row.failed), str(row.due)),
            *(_time(row.seconds), f"{row.memory / 2**20:,.0f} MB" if row.memory else "–"),
        )
        for row in progress.rows
    ]
    yield from _aligned([header, *rows], words=2)
    yield ""
    yield _summary(progress)
    for why, number in progress.reasons.items():
        yield f"due: {number} {why}"
    if progress.holder is not None:
        yield f"being run: {progress.holder.told}, {_at_a_time(progress.holder.jobs)}"
        yield f"under way: {', '.join(progress.under_way) or 'nothing yet'}"
    if progress.count("due"):
        yield f"time left: {_time(progress.left)} ({_at_a_time(progress.jobs)})"
    if progress.imported:
        yield f"imported: {progress.imported} runs."
    if progress.others:
        yield f"kept, but not exported: {progress.others} runs that the file does not name any more."
    yield from _failure_lines(progress.failures)


def _failure_lines(failed: Sequence[Outcome]) -> Iterator[str]:
    """Each failure with the end of its log; those that failed in the same way once."""
    alike: dict[tuple[str, str], list[Outcome]] = {}
    for one in failed:
        alike.setdefault((one.run.system, one.error), []).append(one)
    for failures in alike.values():
        more = f" and {len(failures) - 1} more in the same way" if len(failures) > 1 else ""
        yield from ("", f"failed: {failures[0].run}{more}")
        yield from (f"    {line}" for line in failures[0].error.splitlines())


def _aligned(rows: Sequence[Sequence[str]], words: int) -> Iterator[str]:
    """Rows of a table in columns: words to the left, figures to the right."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if index < words else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


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


def _report(step: Step, quiet: bool, told: set[str]) -> None:
    """A line for a run that has ended; the log's tail where it failed in a way that was not told yet."""
    total = len(step.due)
    if step.outcome is None:
        reasons: dict[str, int] = {}
        for one in step.due:
            reasons[one.why] = reasons.get(one.why, 0) + 1
        listed = "; ".join(f"{number} {why}" for why, number in reasons.items())
        click.echo(f"{total} runs are due ({listed})." if total else "no run is due.", err=True)
    elif step.outcome.state == "failed":
        again = step.outcome.error in told
        told.add(step.outcome.error)
        click.echo(f"[{step.number}/{total}] {step.outcome.run}: failed{' in the same way' * again}", err=True)
        for line in () if again else step.outcome.error.splitlines():
            click.echo(f"    {line}", err=True)
    elif not quiet:
        click.echo(f"[{step.number}/{total}] {step.outcome.run}: {_figures(step.outcome)}", err=True)


def _figures(outcome: Outcome) -> str:
    figures = [
        f"{one.measure} {100 * one.value:.2f}" if not math.isnan(one.value) else f"{one.measure} –"
        for one in outcome.measurements
    ]
    return f"{', '.join(figures)} ({outcome.seconds:.1f} s)"


def _summary(progress: Progress) -> str:
    done, failed, due = (progress.count(what) for what in ("done", "failed", "due"))
    text = f"{done} of {progress.count('runs')} runs are done"
    if failed:
        text += f", {failed} failed (assay experiment status shows why; run --retry takes them up again)"
    return f"{text}, {due} are due." if due else f"{text}."


def _show_due(plan: str, retry: bool, rescore: bool) -> None:
    import shlex

    from assay.experiment.run import planned_jobs, preview

    due = planned_jobs(plan, retry=retry, rescore=rescore)
    for one in due:
        click.echo(f"{one.run}: {one.why}")
        for step, words in preview(one):
            click.echo(f"  {step}: {shlex.join(words)}")
    if not due:
        click.echo("no run is due.")
