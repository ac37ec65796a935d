"""run_plan() and status(): which runs are due, how they are done here or on a cluster, and how many are done."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import select
import shutil
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from pathlib import Path

import assay
from assay.classes import dataclass
from assay.errors import UsageError
from assay.experiment.data import Data, hash_data, hash_file
from assay.experiment.job import Job, StoppedError, execute, measure_run
from assay.experiment.plan import (
    Experiment,
    RunId,
    TomlTable,
    fill_placeholders,
    measure_and_score,
    placeholder_values,
    read_plan,
)
from assay.experiment.splits import ALGORITHM, Design
from assay.experiment.store import Holder, Outcome, Store, find_holder, hold_lock, is_wanted, lock_path
from assay.files import make_folder
from assay.scale.workers import GoneError, check_cluster, start_workers, work, work_on_cluster

TRIES = 3
"""Number of times that a run is started if its worker dies."""
PATIENCE = 10.0
"""Seconds that a worker has to end its commands."""
_LOOK = 1.0
"""Seconds between two checks of a cluster's worker whether its run is still wanted."""
_UNFINISHED = re.compile(r"\.(r\d+-f\d+)\.([0-9a-f]{8})-[0-9a-f]{8}(-old)?")
"""The folder of an unfinished run: its name, the coordinator's token, and a number of its own."""


def run_plan(
    path: str | Path,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    retry: bool = False,
    rescore: bool = False,
    report: Callable[[Sequence[Job], int, Outcome | None], None] = lambda due, number, outcome: None,
) -> ExperimentProgress:
    """Do all runs that are due; finished runs are not repeated.

    `jobs` is the number of runs at a time (default: that of the file, or 1); `cluster` is the address of a Dask
    scheduler or the name of a batch system, e.g. `slurm`; `retry` repeats failed runs; `rescore` scores kept
    predictions again. `report` gets the runs that are due, and each outcome with its number; at the start 0 and None.
    """
    if os.name != "posix":
        raise UsageError("experiments need Linux, macOS or another POSIX system.")
    experiment = read_plan(path)
    if cluster is not None:
        check_cluster(cluster)
    check_ready(experiment, programs=cluster is None)
    make_folder(experiment.runs)
    number = jobs or experiment.jobs
    with Store(experiment.store, create=True) as store, hold_lock(experiment.store, cluster or str(number)) as me:
        # While we hold the lock no other process runs, so all unfinished runs were interrupted.
        _remove_unfinished(experiment.runs)
        planned = [replace(job, token=me.token) for job in plan_jobs(experiment)]
        due = due_jobs(planned, store.outcomes(), retry=retry, rescore=rescore)
        # Read the data sets, split them once, and score gold against itself: each run would fail in the same way.
        top = TomlTable.read(experiment.given)
        blind = any(system.commands and system.blind for system in experiment.systems.values())
        for name in sorted({job.run.dataset for job in due}):
            dataset = experiment.datasets[name]
            with top.within("datasets", name).place(""):
                data = Data.read(dataset)
                data.split(1, 1)
                if blind:
                    data.blind([0])
                measure_run(dataset, "gold", experiment.measures, dataset.path, dataset.path, dataset.path)
        designs = {job.run.dataset: (job.dataset.design, job.inputs["data"]) for job in planned}
        store.describe(designs, name=experiment.name, jobs=me.jobs, assay=assay.__version__)
        report(due, 0, None)
        try:
            with closing(_execute_all(experiment, due, number, cluster)) as outcomes:
                for position, outcome in enumerate(outcomes, 1):
                    store.record(outcome)
                    report(due, position, outcome)
        finally:
            _remove_unfinished(experiment.runs)
        return _progress(experiment, planned, store)


def planned_jobs(path: str | Path, *, retry: bool = False, rescore: bool = False) -> list[Job]:
    """The runs that `run_plan` would do."""
    experiment = read_plan(path)
    check_ready(experiment)
    stored = {}
    if experiment.store.exists():
        with Store(experiment.store) as store:
            stored = store.outcomes()
    return due_jobs(plan_jobs(experiment), stored, retry=retry, rescore=rescore)


def preview(job: Job) -> Iterator[tuple[str, list[str]]]:
    """The commands of a run; when it is done, its files are in another folder first."""
    suffix = Path(job.dataset.path).suffix
    values = placeholder_values(job.run, job.dataset.design, job.experiment.here, job.folder, suffix)
    for step, template in job.system.commands.items():
        if job.scored is None:
            blind = {"test": values["test_blind"]} if step == "predict" and job.system.blind else {}
            yield step, template.argv({**values, **blind})


def _remove_unfinished(runs: Path) -> None:
    for folder, _ in _unfinished(runs):
        shutil.rmtree(folder, ignore_errors=True)


def _unfinished(runs: Path) -> Iterator[tuple[Path, str]]:
    """Folders of unfinished runs, each with the token of its coordinator."""
    for folder in sorted(runs.glob("*/*/.r*")):
        if match := _UNFINISHED.fullmatch(folder.name):
            yield folder, match[2]


# --- checks before anything is run ---


def check_ready(experiment: Experiment, *, programs: bool = True) -> None:
    """Raise InputError for unknown measures, and for missing files, folders and programs."""
    from assay.engine.measure import find

    top = TomlTable.read(experiment.given)
    tasks = []
    for spec in experiment.measures:
        measure, score = measure_and_score(spec)
        with top.place("measures"):
            definitions = [find(measure, task) for task in {data.task for data in experiment.datasets.values()}]
            definition = definitions[0]
        scores = [*definition.scores, *definition.averages]
        if score is not None and score not in scores:
            raise top.error("measures", f"{measure} has no score {score!r}. Available: {', '.join(scores)}.")
        tasks += [each.task for each in definitions]
    if len(set(tasks)) > 1:
        named = ", ".join(dict.fromkeys(tasks))
        raise top.error("measures", f"belong to different tasks: {named}. Make an experiment for each task.")
    if not experiment.store.parent.is_dir():
        raise top.error("store", f"there is no folder {experiment.store.parent}.")
    for data in experiment.datasets.values():
        if not Path(data.path).exists() and not set("*?[") & set(data.path):
            raise top.within("datasets", data.name).error("path", f"there is no file {data.path}.")
    for system in experiment.systems.values() if programs else ():
        for kind, template in system.commands.items():
            with top.within("systems", system.name).place(kind):
                template.check_files(str(experiment.here))


# --- which runs are due: new ones, failed ones to be repeated, those whose inputs changed ---


def plan_jobs(experiment: Experiment) -> list[Job]:
    """All runs with everything that decides their outcome, in the order in which they are done."""
    of_data: dict[str, dict[str, str]] = {}
    scoring: dict[str, str] = {}
    for name, data in experiment.datasets.items():
        if data.splits is not None:
            split = f"file {hash_file(data.splits)}"
        else:
            # More repetitions leave the first ones as they are.
            design = {key: value for key, value in asdict(data.design).items() if key != "repetitions"}
            if not data.design.stratify:
                # The splits of older stores did not have it.
                del design["stratify"]
            split = json.dumps([ALGORITHM, data.format, design], sort_keys=True)
        of_data[name] = {"data": hash_data(data.path), "split": split}
        files = {key: hash_file(value) for key, value in data.scoring if isinstance(value, str) and hash_file(value)}
        options = {key: value for key, value in data.scoring if key not in files}
        text = json.dumps([list(experiment.measures), options, files, data.own_tokens], sort_keys=True)
        scoring[name] = hashlib.sha256(text.encode()).hexdigest()
    jobs = []
    for run_id in experiment.run_ids():
        data, system = experiment.datasets[run_id.dataset], experiment.systems[run_id.system]
        inputs = dict(of_data[data.name])
        for step, template in system.commands.items():
            inputs[step] = json.dumps([*template.words, *(["(shell)"] if template.shell else [])])
        if system.predictions is not None:
            path = fill_placeholders(system.predictions, placeholder_values(run_id, data.design, experiment.here))
            inputs["predictions"] = hash_file(path) or "missing"
        if system.commands:
            inputs["test"] = json.dumps([system.blind, sorted(data.keep)])
            inputs["environment"] = json.dumps(dict(system.environment), sort_keys=True)
        jobs.append(Job(experiment, run_id, inputs, scoring[data.name]))
    return jobs


def due_jobs(
    jobs: Iterable[Job], stored: Mapping[RunId, Outcome], *, retry: bool = False, rescore: bool = False
) -> list[Job]:
    """The runs that are due, each with the reason."""
    due = []
    for job in jobs:
        old = stored.get(job.run)
        why, scored = "", None
        if old is None or old.origin == "import":
            why = "new"
        elif old.inputs != job.inputs:
            keys = {**old.inputs, **job.inputs}
            why = f"changed: {', '.join(key for key in keys if old.inputs.get(key) != job.inputs.get(key))}"
        elif old.state == "failed" and retry:
            why = "failed before"
        elif old.scoring != job.scoring or (rescore and old.state == "done"):
            kept = old.predictions_sha256
            if kept and hash_file(job.folder / old.predictions) == kept:
                why, scored = "to be scored again", old
            elif old.state == "done":
                why = "predictions are gone"
            # Otherwise its commands failed, and other measures change nothing.
        if why:
            due.append(replace(job, why=why, scored=scored))
    return due


# --- workers ---


def _execute_all(
    experiment: Experiment, due: Sequence[Job], number: int, cluster: str | None
) -> Generator[Outcome, None, None]:
    """Outcomes of all runs, done here if `number` is 1; the runs of a worker that dies are started again."""
    if cluster is None and number == 1:
        yield from (execute(job, lambda: False) for job in due)
        return
    if not due:
        return
    times = TRIES
    with ExitStack() as stack:
        if cluster is None:
            crew = stack.enter_context(start_workers(__name__, min(number, len(due)), PATIENCE))
            answers = work(crew, execute_here, due, tries=TRIES, ahead=math.inf)
        else:
            import dask.config

            times = 1 + int(dask.config.get("distributed.scheduler.allowed-failures", 3))
            answers = work_on_cluster(
                *(execute_wanted, "the run", due, cluster, number, experiment.cluster),
                remedy="Run again; finished runs are kept.",
            )
        stack.enter_context(closing(answers))
        for position, outcome in answers:
            job = due[position]
            error = f"the process of this run was killed {times} times. Is there too little memory?"
            yield outcome or Outcome(job.run, "failed", job.inputs, job.scoring, error=error)


def execute_here(job: Job) -> Outcome:
    """Do one run in a worker on this machine, which stops when its input ends."""
    # During a run nothing is sent, so only the end of the input makes it readable.
    try:
        return execute(job, lambda: bool(select.select([0], [], [], 0)[0]))
    except StoppedError:
        raise GoneError from None


def execute_wanted(job: Job) -> Outcome:
    """Do one run on a worker of a cluster, which stops when its coordinator has ended or been replaced."""
    seen = time.monotonic()

    def stopped() -> bool:
        nonlocal seen
        if time.monotonic() - seen < _LOOK:
            return False
        seen = time.monotonic()
        return not is_wanted(lock_path(job.experiment.store), job.token)

    return execute(job, stopped)


# --- the state of an experiment ---


@dataclass(frozen=True)
class SystemProgress:
    """Numbers of runs of a system on a data set."""

    dataset: str
    system: str
    runs: int
    done: int
    failed: int
    due: int
    seconds: float
    """Mean time of a run; nan if none is done."""
    memory: int
    """Most memory that a command used, in bytes."""


@dataclass(frozen=True)
class ExperimentProgress:
    """The state of an experiment."""

    name: str
    designs: Mapping[str, Design]
    """The split of each data set."""
    rows: tuple[SystemProgress, ...]
    failures: tuple[Outcome, ...]
    reasons: Mapping[str, int]
    """Number of runs that are due, by reason."""
    others: int
    """Number of runs in the store that the file no longer names."""
    imported: int
    holder: Holder | None
    """The process that coordinates now."""
    under_way: tuple[str, ...]
    """The runs that it is doing."""
    jobs: str
    left: float
    """Seconds that the rest will take; nan if nothing is known yet."""

    def count(self, what: str) -> int:
        """Number of runs that are done, failed or due, or of all (runs)."""
        return sum(getattr(row, what) for row in self.rows)


def status(path: str | Path) -> ExperimentProgress:
    """The progress of the experiment of this file."""
    experiment = read_plan(path)
    planned = plan_jobs(experiment)
    if not experiment.store.exists():
        return _progress(experiment, planned, None)
    with Store(experiment.store) as store:
        return _progress(experiment, planned, store)


def _progress(experiment: Experiment, planned: Sequence[Job], store: Store | None) -> ExperimentProgress:
    stored = store.outcomes() if store else {}
    jobs = (store and store.meta("jobs")) or "1"
    due = due_jobs(planned, stored)
    waiting = {job.run for job in due}
    wanted = [job.run for job in planned]
    rows: list[SystemProgress] = []
    for dataset in experiment.datasets:
        for system in experiment.systems:
            runs = [run for run in wanted if (run.dataset, run.system) == (dataset, system)]
            outcomes = [stored[run] for run in runs if run in stored]
            states = Counter(outcome.state for outcome in outcomes if outcome.run not in waiting)
            timed = [outcome for outcome in outcomes if outcome.state == "done" and outcome.seconds]
            memory = [usage.memory or 0 for outcome in timed for usage in (outcome.train, outcome.predict)]
            rows.append(
                SystemProgress(
                    dataset,
                    system,
                    runs=len(runs),
                    done=states["done"],
                    failed=states["failed"],
                    due=sum(run in waiting for run in runs),
                    seconds=_mean([outcome.seconds for outcome in timed]),
                    memory=max(memory, default=0),
                )
            )
    # Runs that are due take the mean time of their system and data set, or else that of all.
    usual = _mean([row.seconds for row in rows if not math.isnan(row.seconds)])
    left = sum(row.due * (usual if math.isnan(row.seconds) else row.seconds) for row in rows if row.due)
    named = set(wanted)
    others = Counter(outcome.origin for run, outcome in stored.items() if run not in named)
    holder = find_holder(experiment.store)
    folders = [folder for folder, token in _unfinished(experiment.runs) if holder and token == holder.token]
    under_way = (f"{folder.parts[-3]} {folder.parts[-2]} {folder.name.split('.')[1]}" for folder in folders)
    return ExperimentProgress(
        name=experiment.name,
        designs={name: data.design for name, data in experiment.datasets.items()},
        rows=tuple(rows),
        failures=tuple(
            stored[run] for run in wanted if run in stored and run not in waiting and stored[run].state == "failed"
        ),
        reasons=dict(Counter(job.why for job in due)),
        others=others["run"],
        imported=others["import"],
        holder=holder,
        under_way=tuple(dict.fromkeys(under_way)),
        jobs=jobs,
        # On a cluster we do not know how many runs are done at a time.
        left=left / int(jobs) if jobs.isdigit() else left,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
