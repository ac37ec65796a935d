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
_TALKING = ("distributed", "tornado", "asyncio")
_OFTEN = 5.0
"""The seconds after which jobs that have ended are looked for again."""
_GIVE_BACK, _APART = -1, -3
"""Settings of the GNU C library: how many free bytes it keeps, and from which size on a piece is freed at once."""
_FIRST_SENTENCE = re.compile(r"\.(?= )|, for example")


# --- processes ---


class GoneError(Exception):
    """Whoever gave the work is there no more."""


# Not a ProcessPoolExecutor, which was tried: one killed process breaks it, the pieces of all others are lost, and
# nothing tells whose process died; when we are killed, its processes stay for ever; and it imports the user's script
# once more.
@contextmanager
def hired(module: str, number: int, patience: float = 0.0) -> Iterator[list[Worker]]:
    """So many processes in which the `main` of a module serves; they start at once.

    One that has something to clear away at the end gets `patience` seconds for it.
    """
    crew: list[Worker] = []
    try:
        crew += (Worker(module, patience) for _ in range(number))
        yield crew
    finally:
        for worker in crew:
            worker.end()


def work(
    crew: list[Worker], pieces: Sequence[Any], *, tries: int, ahead: float
) -> Generator[tuple[int, Any], None, None]:
    """Numbered answers as they come; None for a piece whose process died so many times.

    No piece is begun that is more than `ahead` behind the first that is not done.
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
            busy[-1].give(number, pieces[number])
        for worker in select.select(busy, [], [])[0]:
            answer, number = worker.answer(), worker.number
            busy.remove(worker)
            if answer is None:
                losses[number] += 1
                worker.end()
                crew[crew.index(worker)] = Worker(worker.module, worker.patience)
            idle = [one for one in crew if one not in busy]
            if answer is None and losses[number] < tries:
                waiting.append(number)
                continue
            yield number, answer
            done.add(number)
            while turn in done:
                turn += 1


def serve(do: Callable[[Any], Any]) -> None:
    """Do what standard input asks for, one piece at a time, until there is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a measure of the user's prints must not get among our answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            answer = _answer(do, pickle.load(sys.stdin.buffer))
            pickle.dump(answer, answers)
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
    """One such process, and the number of the piece that it has."""

    def __init__(self, module: str, patience: float) -> None:
        self.module, self.patience = module, patience
        command = [sys.executable, "-P", "-c", f"from {module} import main; main()"]
        # In a group of its own: an interrupt at the terminal is for the one who waits.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.orders, self.answers = self.process.stdin, self.process.stdout
        self.number = -1

    def give(self, number: int, piece: Any) -> None:
        """Send it a piece."""
        self.number = number
        # If it died, that is seen when its answer is asked for.
        with suppress(BrokenPipeError):
            pickle.dump(piece, self.orders)
            self.orders.flush()

    def fileno(self) -> int:
        """The file that `select` waits for: its answer."""
        return self.answers.fileno()

    def answer(self) -> Any:
        """The answer; None where the process died. What was refused or failed there is raised here."""
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
        """Close what it listens to, and kill it if it does not end by then."""
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
    """Refuse what is no cluster before anything is done."""
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
    """Numbered answers as they come; None for a piece whose workers were killed again and again.

    The scheduler gives the piece of a lost worker to another. With `ahead`, so many pieces for each worker are given
    at once, not all. `what` a piece is called and the `remedy` for a lost connection are for messages.
    """
    with _quiet(), _connected(where, jobs, settings) as client:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker, as_completed

        completed: Any = as_completed
        token = os.urandom(6).hex()
        numbers: dict[Any, int] = {}

        def submit(number: int) -> Any:
            key = f"assay-{token}-{number}"
            future = client.submit(checked, do, pieces[number], assay.__version__, what, pure=False, key=key)
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


def checked(do: Callable[[Any], Any], piece: Any, version: str, what: str) -> Any:
    """The answer of a worker, which refuses a piece that another version of assay gave."""
    if version != assay.__version__:
        raise UsageError(
            f"the worker on {platform.node()} has assay {assay.__version__}, where {version} gave it {what}."
        )
    with _keeping_memory():
        return do(piece)


@contextmanager
def _keeping_memory() -> Iterator[None]:
    """Let the C library keep what is freed for a while.

    Dask has its workers give memory back at once (MALLOC_TRIM_THRESHOLD_), so that each array is taken anew from the
    operating system: half of the time of a piece.
    """
    import ctypes

    usual = os.environ.get("MALLOC_TRIM_THRESHOLD_", "")
    library = ctypes.CDLL(None) if usual.isdecimal() and sys.platform == "linux" else None
    if library is None or not hasattr(library, "mallopt"):
        yield
        return
    library.mallopt(_GIVE_BACK, 512 << 20)
    library.mallopt(_APART, 32 << 20)
    try:
        yield
    finally:
        library.mallopt(_GIVE_BACK, int(usual))
        library.mallopt(_APART, 128 << 10)
        library.malloc_trim(0)


@contextmanager
def _quiet() -> Iterator[None]:
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


@contextmanager
def _connected(where: str, number: int, settings: Mapping[str, Any]) -> Iterator[Any]:
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
            cluster.sync(_submit_jobs, cluster)
        except (RuntimeError, ValueError) as error:
            lines = [line.strip() for line in str(error).partition("stderr:")[2].splitlines() if line.strip()]
            said = "; ".join(lines) or "it says nothing. See the settings of [cluster]."
            raise UsageError(f"--cluster {where}: {program} refuses the job: {said}") from None
        over = Event()

        def renew() -> None:
            while not over.wait(_OFTEN):
                cluster.scale(jobs=number)

        # Jobs take the place of those that have ended, as when their time was up.
        thread = Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield cluster
        finally:
            over.set()
            thread.join()


async def _submit_jobs(cluster: Any) -> None:
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
