"""score() and compare(), and parts of them, on as many processes or machines as there are.

Shards are measured in any order and come in theirs, so that their sum is the same whoever measured them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any, Unpack

from assay.arrays import to_python
from assay.engine.options import Decided, Options
from assay.engine.parts import Part
from assay.engine.plans import check_plan
from assay.engine.run import (
    Over,
    Report,
    Shard,
    add_shards,
    evaluate_shards,
    find_shards,
    job_shards,
    measure_in_turn,
    plan_shards,
    runs_of,
)
from assay.engine.sides import find_sides, list_means
from assay.errors import UsageError
from assay.keywords import CompareKeywords, ScoreKeywords, explicit
from assay.result import Result

AHEAD = 4
"""How many shards per worker may wait to be added, because they take memory."""
TRIES = 2
"""How often a shard is started whose process dies."""


@explicit
def score(
    gold: Any,
    systems: Any = None,
    measures: Sequence[str] | str | None = None,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    **options: Unpack[ScoreKeywords],
) -> Result:
    """Score one or more systems against gold.

    `gold` and `systems` are paths, corpora from `assay.read`, lists of lists of labels (or of (word, label)
    pairs), lists of spaCy's Docs, or data frames; several systems as a list or as a mapping from names. `measures`
    are written as on the command line, e.g. `["accuracy", "tag-f1"]`, and so are all other options. With `embed` the
    Result holds the sentences that a page shows. Large folders are read shard by shard, on several processes (`jobs`)
    or by the workers of a Dask scheduler (`cluster`).
    """
    return evaluate("score", gold, systems, measures, Options(**options), jobs=jobs, cluster=cluster)


@explicit
def compare(
    gold: Any,
    systems: Any = None,
    measures: Sequence[str] | str | None = None,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    **options: Unpack[CompareKeywords],
) -> Result:
    """Compare two or more systems: scores as in `score`, tests, what changed, and upper bounds."""
    return evaluate("compare", gold, systems, measures, Options(**options), jobs=jobs, cluster=cluster)


@explicit
def plan(
    gold: Any = None,
    systems: Any = None,
    measures: Sequence[str] | str | None = None,
    *,
    annotators: Any = None,
    **options: Unpack[CompareKeywords],
) -> Result:
    """Plan a test set: the number of units with which true differences of systems would be found.

    What is given is a pilot: gold and two or more systems as in `compare`, with its options but those that only show
    or break down results. `margin` is the true difference to plan for (default: 0.5, 1, 2 and 5 points, and the
    observed one), `power` the probability with which it is to be found. With several runs of a system, the plan says
    which differences numbers of units and of runs would find. With `annotators` in place of gold, given as in
    `agreement`, it says which differences of `systems` from the human ceiling numbers of units would find. The Result
    has a list `plans` and no verdict.
    """
    given = Options(**options)
    check_plan(given)
    if annotators is not None:
        from assay.engine.agreement import plan_ceiling

        if gold is not None:
            raise UsageError("plan() takes gold or annotators, not both. Leave one out.")
        return plan_ceiling(annotators, systems, measures, options)
    if gold is None:
        raise UsageError("plan() lacks gold. Give gold and systems, or annotators and systems.")
    return evaluate("plan", gold, systems, measures, given)


def evaluate(
    command: str,
    gold: Any,
    systems: Any,
    measures: Sequence[str] | str | None,
    options: Options,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    report: Report = lambda step: None,
) -> Result:
    """The Result of a command."""
    asked, (gold, systems, options) = systems, find_sides(gold, systems, options, measures)
    if command != "score" and not (systems is asked or isinstance(asked, Mapping)) and len(systems) < 2:
        name = getattr(gold, "name", gold)
        remedy = " If this file is a system too, name it: NAME=PATH" if list_means(measures) is not None else ""
        raise UsageError(f"{name}: only {next(iter(systems))}, but {command} takes at least two systems.{remedy}")
    over = measure_in_turn if jobs == 1 and cluster is None else _over(jobs, cluster)
    if options.judge and runs_of(gold, systems) is not None:
        raise UsageError(
            f"--judge {options.judge}: does not work with several runs of a system. Give one run of each."
        )
    result = evaluate_shards(command, gold, systems, measures, options, over=over, report=report)
    if not options.judge:
        return result
    from assay.engine.judges import add_judge

    return add_judge(result, gold, systems, measures, options)


def part_of(
    command: str,
    gold: Any,
    systems: Any,
    measures: Sequence[str] | None,
    options: Options,
    share: str = "1/1",
    *,
    jobs: int = 1,
    cluster: str | None = None,
    report: Report = lambda step: None,
) -> Part:
    """The sum of one job's share of the shards (`3/16`), for `assay merge` to add to those of other jobs."""
    over = _over(jobs, cluster)
    if runs_of(gold, systems) is not None:
        raise UsageError(
            "several runs of a system cannot be measured in parts. Use --jobs or --cluster instead of --partial."
        )
    if options.judge:
        raise UsageError(f"--judge {options.judge}: needs all items at once. Leave --partial out.")
    shards = find_shards(gold, systems)
    if not shards:
        raise UsageError(
            "--partial needs two folders whose files have the same names, e.g. gold/ and system/. Give such folders."
        )
    shards = plan_shards(command, shards, list(measures or ()), options)
    chosen = job_shards(shards, share)
    # All jobs read their shards as the first of all decides.
    decided = shards[0].read_as(Decided()).measure().plan.decided
    return add_shards(chosen, decided, over, report)


def _over(jobs: int, cluster: str | None) -> Over:
    """The way to measure shards: in this process, in several, or on a Dask cluster."""
    jobs = to_python(jobs)
    if not isinstance(jobs, int) or jobs < 1:
        raise UsageError(f"--jobs {jobs}: give 1 or more.")
    if cluster is None and jobs == 1:
        return measure_in_turn
    from assay.scale.workers import check_cluster, start_workers, work, work_on_cluster

    if cluster is not None:
        check_cluster(cluster)

    def measure_all(shards: Sequence[Shard], decided: Decided | None) -> Iterator[Part]:
        with ExitStack() as stack:
            # The first shard is measured here, while the processes start.
            here = 1 if decided is None else 0
            number = min(jobs, len(shards) - here) if cluster is None else 0
            crew = stack.enter_context(start_workers(__name__, number))
            for part in measure_in_turn(shards[:here], None):
                decided = part.plan.decided
                yield part
            assert decided is not None
            waiting = [shard.read_as(decided) for shard in shards[here:]]
            if cluster is None:
                answers = work(crew, Shard.measure, waiting, tries=TRIES, ahead=AHEAD * jobs)
                lost = (
                    f"the process that read this shard was killed {TRIES} times. Is there too little memory? Use "
                    f"fewer --jobs, or split the files into smaller ones."
                )
            else:
                answers = work_on_cluster(
                    Shard.measure, "the shard", waiting, cluster, jobs, {}, ahead=AHEAD, remedy="Run again."
                )
                lost = (
                    "the workers that read this shard were killed repeatedly. Do they have too little memory? Split "
                    "the files into smaller ones."
                )
            stack.enter_context(closing(answers))
            kept: dict[int, Part] = {}
            turn = 0
            for number, answer in answers:
                if answer is None:
                    raise UsageError(f"{waiting[number].gold.files[0]}: {lost}")
                kept[number] = answer
                while turn in kept:
                    yield kept.pop(turn)
                    turn += 1

    return measure_all
