"""How far an experiment is: what is done, failed and due, and how long the rest will take."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.experiment.due import Due, Ingredients, due_runs
from assay.experiment.lock import Holder, running
from assay.experiment.plan import Experiment, RunId, read_plan
from assay.experiment.splits import Design
from assay.experiment.store import Outcome, Store

_UNFINISHED = re.compile(r"\.(r\d+-f\d+)\.([0-9a-f]{8})-[0-9a-f]{8}(-old)?")
"""The folder of a run under way: its name, the coordinator's token, and a number of its own."""


@dataclass(frozen=True)
class Row:
    """One system on one data set."""

    dataset: str
    system: str
    runs: int
    done: int
    failed: int
    due: int
    seconds: float
    """The mean time of a run, nan where there is none."""
    memory: int
    """The most that any command took, in bytes."""


@dataclass(frozen=True)
class Progress:
    """How far an experiment is."""

    name: str
    designs: Mapping[str, Design]
    """How each data set is split."""
    rows: tuple[Row, ...]
    failures: tuple[Outcome, ...]
    reasons: Mapping[str, int]
    """Why runs are due, and how many for each reason."""
    others: int
    """Runs in the store that the file does not name any more."""
    imported: int
    holder: Holder | None
    """Who is at work …"""
    under_way: tuple[str, ...]
    """… and on which runs."""
    jobs: str
    left: float
    """The seconds that the rest will take, nan where nothing is known yet."""

    def count(self, what: str) -> int:
        """The runs that are done, failed or due, or all of them (runs)."""
        return sum(getattr(row, what) for row in self.rows)


def status(path: str | Path) -> Progress:
    """How far the experiment of this file is."""
    experiment = read_plan(path)
    ingredients = Ingredients(experiment)
    if not experiment.store.exists():
        return _progress(experiment, {}, due_runs(experiment, {}, ingredients), "1")
    with Store(experiment.store) as store:
        return progress_of(experiment, store, ingredients)


def progress_of(experiment: Experiment, store: Store, ingredients: Ingredients) -> Progress:
    """How far an experiment is whose store is open."""
    stored = store.outcomes()
    return _progress(experiment, stored, due_runs(experiment, stored, ingredients), store.meta("jobs") or "1")


def _progress(experiment: Experiment, stored: Mapping[RunId, Outcome], due: list[Due], jobs: str) -> Progress:
    wanted = list(experiment.run_ids())
    waiting = {one.run for one in due}
    current = {run: stored[run] for run in wanted if run in stored and run not in waiting}
    rows = [
        _row([run for run in wanted if (run.dataset, run.system) == (dataset, system)], stored, waiting)
        for dataset in experiment.datasets
        for system in experiment.systems
    ]
    reasons: dict[str, int] = {}
    for one in due:
        reasons[one.why] = reasons.get(one.why, 0) + 1
    others = [one for run, one in stored.items() if run not in set(wanted)]
    holder = running(experiment.store)
    return Progress(
        name=experiment.name,
        designs={name: data.design for name, data in experiment.datasets.items()},
        rows=tuple(rows),
        failures=tuple(one for one in current.values() if one.state == "failed"),
        reasons=reasons,
        others=sum(one.origin == "run" for one in others),
        imported=sum(one.origin == "import" for one in others),
        holder=holder,
        under_way=_under_way(experiment, holder),
        jobs=jobs,
        left=_left(rows, jobs),
    )


def unfinished(runs: Path) -> Iterator[tuple[Path, str]]:
    """The folders of runs that have not ended, each with the token of its coordinator."""
    for folder in sorted(runs.glob("*/*/.r*")):
        if match := _UNFINISHED.fullmatch(folder.name):
            yield folder, match[2]


def _under_way(experiment: Experiment, holder: Holder | None) -> tuple[str, ...]:
    if holder is None:
        return ()
    found = [folder for folder, token in unfinished(experiment.runs) if token == holder.token]
    names = [f"{folder.parts[-3]} {folder.parts[-2]} {folder.name.split('.')[1]}" for folder in found]
    return tuple(dict.fromkeys(names))


def _row(runs: list[RunId], stored: Mapping[RunId, Outcome], waiting: set[RunId]) -> Row:
    known = [stored[run] for run in runs if run in stored]
    current = [one for one in known if one.run not in waiting]
    done = [one for one in known if one.state == "done" and one.seconds]
    return Row(
        dataset=runs[0].dataset,
        system=runs[0].system,
        runs=len(runs),
        done=sum(one.state == "done" for one in current),
        failed=sum(one.state == "failed" for one in current),
        due=sum(run in waiting for run in runs),
        seconds=_mean(one.seconds for one in done),
        memory=max((max(one.train.memory or 0, one.predict.memory or 0) for one in done), default=0),
    )


def _left(rows: Iterable[Row], jobs: str) -> float:
    """The time of the runs that are due, at the mean time of their kind; of new kinds at that of all."""
    rows = list(rows)
    known = _mean(row.seconds for row in rows if not math.isnan(row.seconds))
    total = sum(row.due * (known if math.isnan(row.seconds) else row.seconds) for row in rows if row.due)
    # On a cluster we do not know how many runs are done at a time.
    return total / int(jobs) if jobs.isdigit() else total


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else float("nan")
