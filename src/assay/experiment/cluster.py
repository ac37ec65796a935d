"""Runs on the workers of a Dask scheduler: one that is there already, or one on a batch system."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import assay
from assay.experiment.job import Job, execute
from assay.experiment.lock import is_wanted
from assay.experiment.store import Outcome
from assay.experiment.worker import given_up
from assay.scale.clusters import check_version, connected, explained, forget, quiet

_LOOK = 1.0
"""How often, in seconds, a worker looks whether its run is still wanted."""


def work_on_cluster(jobs: Sequence[Job], where: str, number: int, settings: Mapping[str, Any]) -> Iterator[Outcome]:
    """Do all runs on a cluster; the scheduler gives the runs of a lost worker to others."""
    with quiet(), connected(where, number, settings) as client:
        from distributed import as_completed

        completed: Any = as_completed
        futures = {
            client.submit(do, job, assay.__version__, pure=False, key=f"{job.token}-{place}"): job
            for place, job in enumerate(jobs)
        }
        try:
            with client.as_current():
                ended = completed(list(futures))
            for future in ended:
                yield _outcome(future, futures[future])
                future.release()
        finally:
            forget(client, list(futures))


def _outcome(future: Any, job: Job) -> Outcome:
    """What came of a run."""
    from distributed import KilledWorker

    try:
        with explained("Run again; what is done stays."):
            outcome: Outcome = future.result()
    except KilledWorker:
        return given_up(job, 1 + _allowed_failures())
    return outcome


def do(job: Job, version: str) -> Outcome:
    """One run on a worker; it stops when its coordinator has ended, or has been followed by another."""
    check_version(version, "the run")
    return execute(job, _looking(job))


def _looking(job: Job) -> Callable[[], bool]:
    seen = time.monotonic()

    def stopped() -> bool:
        nonlocal seen
        if time.monotonic() - seen < _LOOK:
            return False
        seen = time.monotonic()
        return not is_wanted(job.lock, job.token)

    return stopped


def _allowed_failures() -> int:
    import dask.config

    return int(dask.config.get("distributed.scheduler.allowed-failures", 3))
