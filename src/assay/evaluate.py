"""score() and compare(): the whole way from what the user names to a Result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import UsageError
from assay.figures import Settings
from assay.finished import finished
from assay.measured import measured
from assay.parallel import Report, Task, added, check_workers, decided_by, summed_under
from assay.parts import Part
from assay.prepare import Options
from assay.result import Result
from assay.shards import Shard, check_options, checksum, shards_of, share_of


def score(
    gold: Any,
    systems: Any,
    measures: Sequence[str] | str | None = None,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    **options: Any,
) -> Result:
    """Score one or more systems against gold.

    `gold` and `systems` are paths, corpora from `assay.read`, lists of lists of labels (or of (word, label)
    pairs), lists of spaCy's Docs, or data frames; several systems as a list or as a mapping from names. `measures`
    are written as on the command line, e.g. `["accuracy", "tag-f1"]`; further options are those of the command line:
    column, unit, slices, train, lexicon, map, seed, times, interval, on_mismatch, input_format, examples. Large
    folders are read shard by shard, on so many processes (`jobs`) or by the workers of a Dask scheduler (`cluster`).
    """
    return evaluated("score", gold, systems, measures, Options(**options), jobs=jobs, cluster=cluster)


def compare(
    gold: Any,
    systems: Any,
    measures: Sequence[str] | str | None = None,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    **options: Any,
) -> Result:
    """Compare two or more systems: scores as in `score`, tests, what changed, and upper bounds."""
    return evaluated("compare", gold, systems, measures, Options(**options), jobs=jobs, cluster=cluster)


def evaluated(
    command: str,
    gold: Any,
    systems: Any,
    measures: Sequence[str] | str | None,
    options: Options,
    settings: Settings | None = None,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    report: Report = lambda step: None,
) -> Result:
    """The whole way, for whichever command asks; what `settings` has drawn already serves again."""
    specs = [measures] if isinstance(measures, str) else list(measures or ())
    check_workers(jobs, cluster)
    shards = shards_of(gold, systems)
    if len(shards) < 2:
        return finished(measured(command, gold, systems, specs, options), settings)
    return finished(added(tasks_of(command, shards, specs, options), jobs, cluster, report), settings)


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
    """What one job of several finds in its share of the shards (`3/16`), for `assay merge` to add to the others'."""
    check_workers(jobs, cluster)
    shards = shards_of(gold, systems)
    if not shards:
        raise UsageError(
            "parts are made of folders whose files correspond by name: gold/ and system/. These are not such folders."
        )
    tasks = tasks_of(command, shards, list(measures or ()), options)
    chosen = share_of(shards, share)
    decided = decided_by(tasks[0])
    mine = tasks[chosen[0].number : chosen[-1].number + 1]
    return summed_under(mine, decided, jobs, cluster, report)


def tasks_of(command: str, shards: Sequence[Shard], specs: Sequence[str], options: Options) -> list[Task]:
    """What is to be done with each shard."""
    options.check()
    check_options(options, len(shards))
    corpus = checksum(shards, command, tuple(specs), options)
    return [Task(command, shard, tuple(specs), options, corpus, len(shards)) for shard in shards]
