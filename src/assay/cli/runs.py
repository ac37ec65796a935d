"""Commands about many runs: experiment, bayes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import CLUSTER, SEED, Command, Group, OutputPath, option, output_options, paper_option
from assay.cli.output import Output, check_stdin, write_output
from assay.errors import UsageError
from assay.specs import read_margin

if TYPE_CHECKING:
    from assay.experiment.job import Job
    from assay.experiment.run import ExperimentProgress
    from assay.experiment.store import Outcome


PLAN = click.argument("plan", type=click.Path(), metavar="FILE.toml")


@click.group(cls=Group)
def experiment_command() -> None:
    """Train and test systems over many splits of the data.

    This is cross-validation over external programs, with runs that can be interrupted and a store of measurements. A
    TOML file names data sets, systems with their commands, and measures. All systems get the same splits.

    Examples:
      assay experiment run taggers.toml --jobs 4
      assay experiment status taggers.toml
      assay experiment export taggers.toml -o runs.csv
      assay bayes runs.csv --rope 0.002
    """


@experiment_command.command("run")
@PLAN
@option("--jobs", "Number of parallel runs. Default: the number in the file, or 1.", type=click.IntRange(min=1))
@CLUSTER
@option("--retry", "Repeat failed runs as well.", is_flag=True)
@option("--rescore", "Score the kept predictions of all runs again.", is_flag=True)
@option("--dry-run", "Only show what would be run.", is_flag=True)
@option("--quiet", "Do not show a line for each run.", is_flag=True)
def run_due(plan: str, retry: bool, rescore: bool, dry_run: bool, quiet: bool, **workers: Any) -> int:
    """Run everything that is not done yet.

    An interrupted experiment continues where it stopped. Each run trains and tests one system on one split, in a
    folder of its own. A run is repeated only if the file or the data changed in something that it depends on.

    Examples:
      assay experiment run taggers.toml --jobs 4
      assay experiment run taggers.toml --retry
      assay experiment run taggers.toml --cluster tcp://host:8786
    """
    if dry_run:
        import shlex

        from assay.experiment.run import planned_jobs, preview

        due = planned_jobs(plan, retry=retry, rescore=rescore)
        for job in due:
            click.echo(f"{job.run}: {job.why}")
            for step, words in preview(job):
                click.echo(f"  {step}: {shlex.join(words)}")
        if not due:
            click.echo("no run is due.")
        return 0
    from assay import experiment

    errors: set[str] = set()

    def report(due: Sequence[Job], number: int, outcome: Outcome | None) -> None:
        """Print a line for a finished run, with the end of its log if it failed in a new way."""
        total = len(due)
        if outcome is None:
            reasons = Counter(job.why for job in due)
            listed = "; ".join(f"{number} {why}" for why, number in reasons.items())
            are_due = "run is due" if total == 1 else "runs are due"
            click.echo(f"{total} {are_due} ({listed})." if total else "no run is due.", err=True)
            return
        lead = f"[{number}/{total}] {outcome.run}: "
        if outcome.state == "failed":
            again = outcome.error in errors
            errors.add(outcome.error)
            click.echo(f"{lead}failed{' in the same way' * again}", err=True)
            for line in () if again else outcome.error.splitlines():
                click.echo(f"    {line}", err=True)
        elif not quiet:
            figures = [
                f"{row.measure} {'–' if math.isnan(row.value) else f'{100 * row.value:.2f}'}"
                for row in outcome.measurements
            ]
            click.echo(f"{lead}{', '.join(figures)} ({outcome.seconds:.1f} s)", err=True)

    progress = experiment.run(plan, retry=retry, rescore=rescore, report=report, **workers)
    click.echo(_summary(progress))
    return 1 if progress.failures else 0


@experiment_command.command("status")
@PLAN
def show_status(plan: str) -> None:
    """Show what is done, failed and due, the failures, and the time that is left.

    Examples:
      assay experiment status taggers.toml
    """
    from assay import experiment
    from assay.result.numbers import plural

    progress = experiment.status(plan)
    designs: dict[str, list[str]] = {}
    for name, design in progress.designs.items():
        designs.setdefault(design.description, []).append(name)
    lines = [f"{', '.join(names)}: {design}" for design, names in designs.items()]
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
        lines.append(f"imported: {plural(progress.imported, 'run')}")
    if progress.others:
        others = plural(progress.others, "run that is", "runs that are")
        lines.append(f"kept, but not exported: {others} no longer in the file.")
    # Each failure with the end of its log; those that failed in the same way once.
    failures: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in progress.failures:
        failures.setdefault((outcome.run.system, outcome.error), []).append(outcome)
    for failed in failures.values():
        more = f" and {len(failed) - 1} more in the same way" if len(failed) > 1 else ""
        lines += ["", f"failed: {failed[0].run}{more}", *(f"    {line}" for line in failed[0].error.splitlines())]
    click.echo("\n".join(lines))


@experiment_command.command("export")
@PLAN
@option("-o --output", "Write to this file.", type=OutputPath())
@option("--pairs", "Write instead the number of items that only one system has right, for each pair and "
"split.", is_flag=True)
def export_runs(plan: str, output: str | None, pairs: bool) -> None:
    """Write all measurements as CSV, for `assay bayes` and others.

    Examples:
      assay experiment export taggers.toml -o runs.csv
    """
    from assay import experiment

    write_output(experiment.export_pairs(plan) if pairs else experiment.export(plan), output)
    progress = experiment.status(plan)
    missing = progress.count("failed") + progress.count("due")
    if missing:
        is_are = "is" if missing == 1 else "are"
        click.echo(
            f"warning: {missing} of {progress.count('runs')} runs {is_are} missing or out of date "
            f"({progress.count('failed')} failed, {progress.count('due')} due).",
            err=True,
        )


@experiment_command.command("import")
@PLAN
@click.argument("table", type=click.Path())
@option("--replace", "Overwrite measurements that were imported before.", is_flag=True)
def import_runs(plan: str, table: str, replace: bool) -> None:
    """Take measurements made elsewhere into the store; TABLE has the columns that `export` gives.

    Examples:
      assay experiment import taggers.toml others.csv
    """
    from assay.experiment import import_measurements

    number = import_measurements(plan, table, replace_old=replace)
    runs = "1 run" if number == 1 else f"{number:,} runs"
    click.echo(f"The measurements of {runs} were imported into the store.")


@experiment_command.command("splits")
@PLAN
@option("-o --output", "Folder to write to.", type=OutputPath(file_okay=False), required=True)
@option("--parts", "Also write the train, dev and test part of each split.", is_flag=True)
def export_splits(plan: str, output: str, parts: bool) -> None:
    """Write the splits to disk: a JSON file per data set with the sentences of each fold.

    Examples:
      assay experiment splits taggers.toml -o splits/ --parts
    """
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


def _summary(progress: ExperimentProgress) -> str:
    done, failed, due = (progress.count(what) for what in ("done", "failed", "due"))
    text = f"{done} of {progress.count('runs')} runs {'is' if done == 1 else 'are'} done"
    if failed:
        text += f", {failed} failed (assay experiment status shows why; run --retry repeats them)"
    return f"{text}, {due} {'is' if due == 1 else 'are'} due." if due else f"{text}."


@click.command(cls=Command)
@click.argument("runs", nargs=-1, required=True, type=click.Path())
@option("-m --measure measures", "Measure in the table. Default: all scores. Repeatable.", multiple=True)
@option("--system systems", "Only these systems. Repeatable.", multiple=True)
@option("--dataset datasets", "Only these data sets. Repeatable.", multiple=True)
@option("--rope ropes", "Largest difference that does not matter, in the unit of the scores (0.002 for fractions) or "
"in points (0.2pt); or '98 items', ci95 (as in the paper), ci95half, annotators. Default: ci95 if it is at most 1 "
"point; otherwise every difference counts.",
        multiple=True, metavar="[MEASURE=]X")
@option("--rho", "Correlation of runs: folds (1/folds, the default), sizes (of the parts), or a number.")
@option("--folds", "Folds of a repetition, for matrices.", type=click.IntRange(min=2))
@option("--common", "Use only the runs that all systems have.", is_flag=True)
@option("--lower", "Measure for which lower is better. Repeatable.", multiple=True, metavar="MEASURE")
@option("--higher", "Measure for which higher is better, although its name suggests the opposite (loss, error). "
        "Repeatable.", multiple=True, metavar="MEASURE")
@option("--hierarchical", "Use the model over data sets even for a single one.", is_flag=True)
@option("--priors", "Show results under other priors, even with many data sets.", is_flag=True)
@option("--pairs", "Input for McNemar's test of each split: the output of assay experiment export --pairs, or the "
"file of the experiment.", type=click.Path())
@option("--margin margins", "Smallest difference that matters, as a fraction (0.005) or in points (0.5pt): the same "
"as --rope, by its name in compare. Repeatable.", multiple=True, metavar="[MEASURE=]D")
@option("--annotation annotations", "With --rope annotators: two annotations.", multiple=True, type=click.Path())
@option("--adjudicated", "Adjudicated version of the annotations.", type=click.Path())
@option("--column", "Column of the annotations to compare.")
@option("--draws", "Number of posterior draws.", type=click.IntRange(min=1000), default=50_000, show_default=True)
@SEED
@option("--nemenyi", "Group ranks by Nemenyi's test instead of Wilcoxon's test with Holm correction.", is_flag=True)
@option("--input-format", "What the rows of a table of scores are, if its first cell does not show it: "
"scores(rows=datasets) or scores(rows=systems).", metavar="FORMAT")
@paper_option
@output_options
def bayes_command(
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    ropes: tuple[str, ...],
    margins: tuple[str, ...],
    output: Output,
    **options: Any,
) -> int:
    """Estimate from runs or scores how probably a system is better.

    The probabilities apply to data like these; one of them is that both systems are practically equivalent. The model
    and the tables are those of Szymański and Gorman (2020). With one score of each system on each data set, the
    Bayesian signed-rank test replaces the model.

    RUNS is a CSV or TSV file with the columns dataset, system, repetition, fold, measure, value (and, if known,
    numerator, denominator, n_train, n_test), the TOML file of an experiment, or a matrix of numbers for each system,
    NAME=FILE, with a line for each data set and a column for each run. A table of scores has a row for each data set
    and a column for each system, or the reverse, and its first cell says which: dataset or system. If it says seed,
    rows are runs on one data set.

    assay reports the share of posterior draws in which a region is the most probable (as in the paper), and the mean
    probability of each region for a new data set.

    Examples:
      assay bayes runs.csv --rope 0.002
      assay bayes runs.csv -m accuracy -m oov-accuracy --rope accuracy=0.002 --rope oov-accuracy=0.02
      assay bayes taggers.toml --figures figures/
      assay bayes TnT=tnt.csv Flair=flair.csv --folds 10 --rope 0.002
      assay bayes table.csv --rope 0.5
      assay bayes scores.csv --input-format "scores(rows=systems)"
    """
    check_stdin(*runs)
    output.check()
    # A region without a name is for all other measures.
    by_measure: dict[str, str] = {}
    if ropes and margins:
        raise UsageError(f"--margin {margins[0]}: --rope gives the same region. Give only one of the two.")
    name = "--margin" if margins else "--rope"
    for text in (*ropes, *margins):
        measure, _, value = text.rpartition("=")
        if measure in by_measure:
            raise UsageError(f"{name} {text}: a second region for {measure or 'all measures'}.")
        if margins:
            value = f"margin {100 * read_margin(text)!r}pt"
        by_measure[measure] = value
    with output.progress("Comparing runs …"):
        from assay.bayesian import bayes

        result = bayes(list(runs), measures or None, rope=by_measure or None, **options)
    return output.deliver(result)
