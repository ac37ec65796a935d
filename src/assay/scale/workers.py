"""Work given piece by piece to processes on this machine, or to the workers of a Dask scheduler."""

from __future__ import annotations

import logging
import os
import pickle
import platform
import re
import select
import shutil
import signal
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from threading import Event, Thread
from typing import Any

import assay
from assay.errors import AssayError, UsageError, unknown

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
_OFTEN = 5.0
"""The seconds after which jobs that have ended are looked for again."""


# --- processes ---


class GoneError(Exception):
    """The process that gave the work has ended."""


# Not a ProcessPoolExecutor, which was tried: one killed process breaks it, the pieces of all others are lost, and
# nothing tells whose process died; when we are killed, its processes stay for ever; and it imports the user's script
# once more.
@contextmanager
def start_workers(module: str, number: int, patience: float = 0.0) -> Iterator[list[Worker]]:
    """Start processes that import a module and then wait for work; each gets `patience` seconds to end."""
    crew: list[Worker] = []
    try:
        crew += (Worker(module, patience) for _ in range(number))
        yield crew
    finally:
        for worker in crew:
            worker.end()


def work(
    crew: list[Worker], do: Callable[[Any], Any], pieces: Sequence[Any], *, tries: int, ahead: float
) -> Generator[tuple[int, Any], None, None]:
    """Do each piece in one of the processes and yield numbered answers as they come.

    The answer is None for a piece whose process died `tries` times. A piece starts only if it is at most `ahead`
    pieces after the first one that is not done.
    """
    waiting = list(reversed(range(len(pieces))))
    losses: Counter[int] = Counter()
    busy: list[Worker] = []
    idle = list(crew)
    done: set[int] = set()
    turn = 0
    while waiting or busy:
        while waiting and waiting[-1] < turn + ahead and idle:
            busy.append(idle.pop())
            number = waiting.pop()
            busy[-1].give(number, do, pieces[number])
        for worker in select.select(busy, [], [])[0]:
            answer, number = worker.answer(), worker.number
            busy.remove(worker)
            if answer is None:
                losses[number] += 1
                worker.end()
                crew[crew.index(worker)] = Worker(worker.module, worker.patience)
            idle = [free for free in crew if free not in busy]
            if answer is None and losses[number] < tries:
                waiting.append(number)
                continue
            yield number, answer
            done.add(number)
            while turn in done:
                turn += 1


def serve() -> None:
    """Do what standard input asks for (a function and its argument), one piece at a time, until its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a measure of the user's prints must not get among our answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            pickle.dump(_answer(*pickle.load(sys.stdin.buffer)), answers)
            answers.flush()
        except (EOFError, GoneError, BrokenPipeError):
            os._exit(0)


def _answer(do: Callable[[Any], Any], piece: Any) -> tuple[str, Any]:
    try:
        return "done", do(piece)
    except AssayError as error:
        return "refused", error
    except GoneError:
        raise
    except MemoryError:
        return "memory", None
    except Exception:
        return "failed", traceback.format_exc()


class Worker:
    """A process, and the number of the piece that it works on."""

    def __init__(self, module: str, patience: float) -> None:
        self.module, self.patience = module, patience
        command = [sys.executable, "-P", "-c", f"import {module}, assay.scale.workers as w; w.serve()"]
        # In a group of its own: an interrupt at the terminal is for the one who waits.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.orders, self.answers = self.process.stdin, self.process.stdout
        self.number = -1

    def give(self, number: int, do: Callable[[Any], Any], piece: Any) -> None:
        """Send a function and the piece that is its argument."""
        self.number = number
        # If it died, that is seen when its answer is asked for.
        with suppress(BrokenPipeError):
            pickle.dump((do, piece), self.orders)
            self.orders.flush()

    def fileno(self) -> int:
        """Number of the file that `select` waits for."""
        return self.answers.fileno()

    def answer(self) -> Any:
        """The answer, or None if the process died. Raise what was raised there."""
        try:
            kind, content = pickle.load(self.answers)
        except (EOFError, pickle.UnpicklingError, ConnectionError):
            return None
        if kind == "refused":
            raise content
        if kind == "memory":
            raise MemoryError
        if kind == "failed":
            error = RuntimeError(f"in a worker: {content.rstrip().rpartition(chr(10))[2]}")
            error.add_note(content)
            raise error
        return content

    def end(self) -> None:
        """Close its input, and kill the process if it does not end in time."""
        with suppress(BrokenPipeError):
            self.orders.close()
        try:
            self.process.wait(timeout=self.patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.answers.close()


# --- a Dask cluster: one that is there already, or one on a batch system ---


def check_cluster(where: str) -> None:
    """Raise UsageError if this is no cluster, or if a package for it is missing."""
    if not _ADDRESS.fullmatch(where) and where not in BATCH_SYSTEMS:
        error = unknown("cluster", where, BATCH_SYSTEMS)
        raise UsageError(f"{error} Or give the address of a scheduler: tcp://host:8786")
    needed = ("distributed", "dask_jobqueue") if where in BATCH_SYSTEMS else ("distributed",)
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise UsageError(f"--cluster needs {missing[0]}. Install it: pip install dask distributed dask-jobqueue")


def work_on_cluster(
    do: Callable[[Any], Any],
    what: str,
    pieces: Sequence[Any],
    where: str,
    jobs: int,
    settings: Mapping[str, Any],
    *,
    ahead: int | None = None,
    remedy: str,
) -> Generator[tuple[int, Any], None, None]:
    """Do each piece on a worker of a Dask cluster and yield numbered answers as they come.

    The scheduler gives the piece of a lost worker to another; the answer is None if that happens too often. With
    `ahead`, each worker gets at most this number of pieces at a time. `what` names a piece in messages; `remedy` is
    advice for a lost connection.
    """
    with _quiet_dask(), _connect(where, jobs, settings) as client:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker, as_completed

        completed: Any = as_completed
        token = os.urandom(6).hex()
        numbers: dict[Any, int] = {}

        def submit(number: int) -> Any:
            key = f"assay-{token}-{number}"
            future = client.submit(do_piece, do, pieces[number], assay.__version__, what, pure=False, key=key)
            numbers[future] = number
            return future

        try:
            together = max(ahead, ahead * sum(client.nthreads().values())) if ahead else len(pieces)
            with client.as_current():
                running = completed([submit(number) for number in range(len(pieces))[:together]])
            following = iter(range(len(pieces))[together:])
            for future in running:
                try:
                    answer = future.result()
                except KilledWorker:
                    answer = None
                except ImportError as error:
                    raise UsageError(
                        f"a worker of the cluster cannot load what it needs ({error}). "
                        f"Install assay {assay.__version__} there."
                    ) from None
                except (OSError, CancelledError):
                    raise UsageError(f"the connection to the Dask scheduler was lost. {remedy}") from None
                yield numbers[future], answer
                future.release()
                del numbers[future]
                # Batch systems start workers one by one: with each of them more pieces are under way.
                most = max(ahead, ahead * sum(client.nthreads().values())) if ahead else 0
                for number in islice(following, max(1, most - len(numbers))):
                    running.add(submit(number))
        finally:
            # Nobody waits any more; if the scheduler is gone, it knows.
            with suppress(OSError, RuntimeError, TimeoutError):
                client.cancel(list(numbers), force=True)


def do_piece(do: Callable[[Any], Any], piece: Any, version: str, what: str) -> Any:
    """The answer of a worker of a cluster; UsageError if another version of assay gave it the piece."""
    if version != assay.__version__:
        raise UsageError(
            f"the worker on {platform.node()} has assay {assay.__version__}, but assay {version} gave it {what}."
        )
    import ctypes

    # Dask's workers give memory back at once (MALLOC_TRIM_THRESHOLD_), so each array is asked of the operating system
    # again, which takes half of the time of a piece. So we let the GNU C library keep it while a piece is done: -1 is
    # how many free bytes it keeps, -3 the size from which an array is freed at once.
    usual = os.environ.get("MALLOC_TRIM_THRESHOLD_", "")
    library = ctypes.CDLL(None) if usual.isdecimal() and sys.platform == "linux" else None
    if library is None or not hasattr(library, "mallopt"):
        return do(piece)
    library.mallopt(-1, 512 << 20)
    library.mallopt(-3, 32 << 20)
    try:
        return do(piece)
    finally:
        library.mallopt(-1, int(usual))
        library.mallopt(-3, 128 << 10)
        library.malloc_trim(0)


@contextmanager
def _quiet_dask() -> Iterator[None]:
    # Dask logs tracebacks of lost connections; we report ourselves what matters of them.
    import distributed  # noqa: F401  (its loggers exist from then on)

    packages = ("distributed", "tornado", "asyncio")
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in packages]
    before = {logging.getLogger(name): logging.getLogger(name).level for name in names}
    try:
        for logger in before:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)


@contextmanager
def _connect(where: str, number: int, settings: Mapping[str, Any]) -> Iterator[Any]:
    """A client of the scheduler at an address, or of one here whose workers are jobs of a batch system."""
    from distributed import Client

    connect: Any = Client
    if where not in BATCH_SYSTEMS:
        try:
            client = connect(where, timeout="10s", set_as_default=False)
        except (OSError, TimeoutError, ValueError):
            raise UsageError(f"--cluster {where}: no Dask scheduler answers there.") from None
        with client:
            yield client
        return
    module, _, name = BATCH_SYSTEMS[where].rpartition(".")
    make = getattr(import_module(module), name)
    program = str(getattr(make.job_cls, "submit_command", None) or "sh").split()[0]
    if shutil.which(program) is None:
        raise UsageError(f"--cluster {where}: the program {program} is not found. Run it where jobs are submitted.")
    try:
        # On machines that many share, Dask's own port is often taken.
        cluster = make(**{"scheduler_options": {"dashboard_address": ":0"}, **settings})
    except (TypeError, ValueError) as error:
        fact = re.split(r"\.(?= )|, for example", " ".join(str(error).split()))[0]
        raise UsageError(f"[cluster]: {fact}. Settings are those of dask-jobqueue's {name}.") from None
    with cluster:
        cluster.scale(jobs=number)
        try:
            cluster.sync(_submit_jobs, cluster)
        except (RuntimeError, ValueError) as error:
            lines = [line.strip() for line in str(error).partition("stderr:")[2].splitlines() if line.strip()]
            why = "; ".join(lines) or "it gives no reason. See the settings of [cluster]."
            raise UsageError(f"--cluster {where}: {program} refuses the job: {why}") from None
        over = Event()

        def renew() -> None:
            while not over.wait(_OFTEN):
                cluster.scale(jobs=number)

        # Jobs take the place of those that have ended, as when their time was up.
        thread = Thread(target=renew, daemon=True)
        thread.start()
        try:
            with connect(cluster, set_as_default=False) as client:
                yield client
        finally:
            over.set()
            thread.join()


async def _submit_jobs(cluster: Any) -> None:
    """Wait until the batch system has accepted all jobs; one that it refuses would be waited for without end."""
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
