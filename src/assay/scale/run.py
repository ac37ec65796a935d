"""score() and compare(), and parts of them, on as many processes or machines as there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.engine.options import Options
from assay.engine.parts import Part
from assay.engine.run import Report, add_under, decided_by, evaluate_shards, pieces_of, shards_of, share_of
from assay.errors import UsageError
from assay.result import Result
from assay.scale.parallel import check_workers, over


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
    return evaluate("score", gold, systems, measures, Options(**options), jobs=jobs, cluster=cluster)


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
    return evaluate("compare", gold, systems, measures, Options(**options), jobs=jobs, cluster=cluster)


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
    """The Result, for whichever command asks."""
    check_workers(jobs, cluster)
    return evaluate_shards(command, gold, systems, measures, options, over=over(jobs, cluster), report=report)


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
    pieces = pieces_of(command, shards, list(measures or ()), options)
    chosen = share_of(shards, share)
    decided = decided_by(pieces[0])
    mine = pieces[chosen[0].number : chosen[-1].number + 1]
    return add_under(mine, decided, over(jobs, cluster), report)
