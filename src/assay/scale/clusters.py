"""The workers of a Dask scheduler: one that is there already, or one on a batch system."""

from __future__ import annotations

import logging
import platform
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from threading import Event, Thread
from typing import Any

import assay
from assay.errors import UsageError, unknown

BATCH_SYSTEMS = {
    "slurm": "dask_jobqueue.SLURMCluster",
    "pbs": "dask_jobqueue.PBSCluster",
    "sge": "dask_jobqueue.SGECluster",
    "lsf": "dask_jobqueue.LSFCluster",
    "htcondor": "dask_jobqueue.HTCondorCluster",
    "oar": "dask_jobqueue.OARCluster",
    "moab": "dask_jobqueue.MoabCluster",
    "local-jobs": "dask_jobqueue.local.LocalCluster",
}
"""Names of --cluster and the class of dask-jobqueue behind each; the last runs job scripts here, to try them."""
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[\w.\[\]:-]+:\d+")
_TALKING = ("distributed", "tornado", "asyncio")
_OFTEN = 5.0
"""How often, in seconds, jobs that have ended are looked for."""
_FIRST_SENTENCE = re.compile(r"\.(?= )|, for example")


def check_cluster(where: str) -> None:
    """Refuse what is no cluster before anything is done."""
    if not _ADDRESS.fullmatch(where) and where not in BATCH_SYSTEMS:
        error = unknown("cluster", where, BATCH_SYSTEMS)
        raise UsageError(f"{error} Or give the address of a scheduler: tcp://host:8786")
    missing = [name for name in ("distributed", "dask_jobqueue") if find_spec(name) is None]
    if missing:
        raise UsageError(f"--cluster needs {missing[0]}. Install it: pip install 'assay[cluster]'")


@contextmanager
def quiet() -> Iterator[None]:
    """Dask tells of lost connections by tracebacks in its log; what matters of them we say ourselves."""
    import distributed  # noqa: F401  (its loggers exist from then on)

    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _TALKING]
    before = {name: logging.getLogger(name).level for name in names}
    try:
        for name in names:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def forget(client: Any, futures: list[Any]) -> None:
    """Tell the scheduler that nobody waits any more; if it is gone, it knows."""
    with suppress(OSError, RuntimeError, TimeoutError):
        client.cancel(futures, force=True)


def check_version(version: str, what: str) -> None:
    """Refuse work that another version of assay gave."""
    if version != assay.__version__:
        raise UsageError(
            f"the worker on {platform.node()} has assay {assay.__version__}, where {version} gave it {what}."
        )


@contextmanager
def explained(remedy: str) -> Iterator[None]:
    """What is wrong with a cluster whose answer is waited for, in a sentence."""
    from concurrent.futures import CancelledError

    try:
        yield
    except ImportError as error:
        raise UsageError(
            f"a worker of the cluster cannot load what it needs ({error}). Install assay {assay.__version__} there."
        ) from None
    except (OSError, CancelledError):
        raise UsageError(f"the connection to the Dask scheduler was lost. {remedy}") from None


@contextmanager
def connected(where: str, number: int, settings: Mapping[str, Any]) -> Iterator[Any]:
    """A client of the scheduler at an address, or of one whose workers are jobs of a batch system."""
    from distributed import Client

    connect: Any = Client
    if where in BATCH_SYSTEMS:
        with _batch_cluster(where, number, settings) as cluster, connect(cluster, set_as_default=False) as client:
            yield client
        return
    try:
        client = connect(where, timeout="10s", set_as_default=False)
    except (OSError, TimeoutError, ValueError):
        raise UsageError(f"--cluster {where}: no Dask scheduler answers there.") from None
    with client:
        yield client


@contextmanager
def _batch_cluster(where: str, number: int, settings: Mapping[str, Any]) -> Iterator[Any]:
    """A scheduler here, and its workers as jobs of a batch system."""
    module, _, name = BATCH_SYSTEMS[where].rpartition(".")
    make = getattr(import_module(module), name)
    program = str(getattr(make.job_cls, "submit_command", None) or "sh").split()[0]
    if shutil.which(program) is None:
        raise UsageError(f"--cluster {where}: the program {program} is not found. Run it where jobs are submitted.")
    try:
        # On machines that many share, Dask's own port is often taken.
        cluster = make(**{"scheduler_options": {"dashboard_address": ":0"}, **settings})
    except (TypeError, ValueError) as error:
        fact = _FIRST_SENTENCE.split(" ".join(str(error).split()))[0]
        raise UsageError(f"[cluster]: {fact}. Settings are those of dask-jobqueue's {name}.") from None
    with cluster:
        cluster.scale(jobs=number)
        try:
            cluster.sync(_submitted, cluster)
        except (RuntimeError, ValueError) as error:
            raise UsageError(f"--cluster {where}: {program} refuses the job: {_complaint(str(error))}") from None
        with _renewed(cluster, number):
            yield cluster


@contextmanager
def _renewed(cluster: Any, number: int) -> Iterator[None]:
    """Have jobs take the place of those that have ended, as when their time was up."""
    over = Event()

    def renew() -> None:
        while not over.wait(_OFTEN):
            cluster.scale(jobs=number)

    thread = Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


async def _submitted(cluster: Any) -> None:
    """Wait until the batch system has accepted all jobs: one that it refuses would be waited for for ever."""
    from asyncio import gather

    from distributed.core import Status

    await cluster
    jobs = list(cluster.workers.values())
    try:
        await gather(*jobs)
    finally:
        # Dask does not know yet that these are no more than plans, and would not close.
        for job in jobs:
            job.status = Status.failed if job.status == Status.created else job.status


def _complaint(error: str) -> str:
    """What a program of the batch system wrote to standard error, in one line."""
    lines = [line.strip() for line in error.partition("stderr:")[2].splitlines() if line.strip()]
    return "; ".join(lines) or "it says nothing. See the settings of [cluster]."
