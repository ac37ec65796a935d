"""run(): do the runs that are due, on this machine or on a cluster, and write each into the store as it ends."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import assay
from assay.errors import InputError, UsageError, reason
from assay.experiment.due import Due, Ingredients, due_runs
from assay.experiment.job import Job
from assay.experiment.lock import Holder, lock_path, locked
from assay.experiment.plan import Experiment, read_plan, values_of_folder, values_of_run
from assay.experiment.progress import Progress, progress_of, unfinished
from assay.experiment.ready import check_data, check_ready
from assay.experiment.store import Outcome, Store
from assay.scale.clusters import check_cluster


@dataclass(frozen=True)
class Step:
    """How far the experiment is: a run that has ended, or None at the beginning."""

    due: Sequence[Due]
    number: int = 0
    outcome: Outcome | None = None


def run(
    path: str | Path,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    retry: bool = False,
    rescore: bool = False,
    report: Callable[[Step], None] = lambda step: None,
) -> Progress:
    """Do all runs that are due; those that were done before are not done again.

    `jobs` are done at a time (as the file says, else one); `cluster` is the address of a Dask scheduler, or `slurm`
    and the like; `retry` takes up runs that failed; `rescore` scores kept predictions anew; `report` hears of each.
    """
    if os.name != "posix":
        raise UsageError("experiments are run on Linux, macOS and the like only, as processes and locks go.")
    experiment = read_plan(path)
    if cluster is not None:
        check_cluster(cluster)
    check_ready(experiment, programs=cluster is None)
    _make(experiment.runs)
    number = jobs or experiment.jobs
    with Store(experiment.store, create=True) as store, locked(experiment.store, cluster or str(number)) as me:
        _clean(experiment.runs, lambda token: token != me.token)
        ingredients = Ingredients(experiment)
        due = due_runs(experiment, store.outcomes(), ingredients, retry=retry, rescore=rescore)
        check_data(experiment, {one.run.dataset for one in due})
        _describe(store, experiment, ingredients, me)
        report(Step(due))
        try:
            with closing(_outcomes(experiment, due, me, number, cluster)) as outcomes:
                for place, outcome in enumerate(outcomes, 1):
                    store.record(outcome)
                    report(Step(due, place, outcome))
        finally:
            _clean(experiment.runs, lambda token: token == me.token)
        return progress_of(experiment, store, ingredients)


def planned(path: str | Path, *, retry: bool = False, rescore: bool = False) -> tuple[Experiment, list[Due]]:
    """What `run` would do; nothing is written."""
    experiment = read_plan(path)
    check_ready(experiment)
    stored = {}
    if experiment.store.exists():
        with Store(experiment.store) as store:
            stored = store.outcomes()
    return experiment, due_runs(experiment, stored, Ingredients(experiment), retry=retry, rescore=rescore)


def preview(experiment: Experiment, due: Due) -> Iterator[tuple[str, list[str]]]:
    """The commands of a run as they would be called; parts lie in a folder of their own then."""
    if due.scored is not None:
        return
    data, system = experiment.datasets[due.run.dataset], experiment.systems[due.run.system]
    values = {
        **values_of_run(due.run, data.design, experiment.here),
        **values_of_folder(experiment.folder(due.run), Path(data.path).suffix),
    }
    for step, template in (("train", system.train), ("predict", system.predict)):
        if template is not None:
            blind = {"test": values["test_blind"]} if step == "predict" and system.blind else {}
            yield step, template.argv({**values, **blind})


def _outcomes(
    experiment: Experiment, due: Sequence[Due], me: Holder, jobs: int, cluster: str | None
) -> Generator[Outcome, None, None]:
    work = [_job(experiment, one, me) for one in due]
    if not work:
        return
    if cluster is not None:
        from assay.experiment.cluster import work_on_cluster

        yield from work_on_cluster(work, cluster, jobs, experiment.cluster)
    else:
        from assay.experiment.worker import work as work_here

        yield from work_here(work, jobs)


def _job(experiment: Experiment, due: Due, me: Holder) -> Job:
    return Job(
        run=due.run,
        dataset=experiment.datasets[due.run.dataset],
        system=experiment.systems[due.run.system],
        measures=experiment.measures,
        inputs=due.inputs,
        scoring=due.scoring,
        here=str(experiment.here),
        folder=str(experiment.folder(due.run)),
        token=me.token,
        lock=str(lock_path(experiment.store)),
        keep_model=experiment.keep_models,
        scored=due.scored,
    )


def _describe(store: Store, experiment: Experiment, ingredients: Ingredients, me: Holder) -> None:
    designs = {name: (data.design, ingredients.checksums[name]) for name, data in experiment.datasets.items()}
    store.describe(designs, name=experiment.name, jobs=me.jobs, assay=assay.__version__)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({reason(error)}).") from None


def _clean(runs: Path, ours: Callable[[str], bool]) -> None:
    """Remove what interrupted runs left behind; the lock is ours, so nobody else is at work."""
    for folder, token in unfinished(runs):
        if ours(token):
            shutil.rmtree(folder, ignore_errors=True)
