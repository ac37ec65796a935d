"""What many shards amount to: here, on processes, or on a Dask cluster. Adding is all that it does.

Shards are measured in any order and added in theirs, so that the sum is the same whoever measured them.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import platform
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import assay
from assay.errors import AssayError, UsageError
from assay.measured import measured, summed
from assay.parts import Covered, Part
from assay.prepare import Decided, Options
from assay.shards import Shard

AHEAD = 4
"""How far, in shards per worker, measuring may run ahead of adding: what waits to be added takes room."""
TRIES = 2
"""So often a shard is begun whose process dies."""
_START = "from assay.parallel import main; main()"


@dataclass(frozen=True)
class Task:
    """One shard, and all that has to be known to measure it."""

    command: str
    shard: Shard
    specs: tuple[str, ...]
    options: Options
    corpus: str
    total: int

    def under(self, decided: Decided) -> Task:
        """The same task where it is settled how shards are read."""
        return replace(self, options=replace(self.options, decided=decided))

    def measured(self) -> Part:
        """What the shard amounts to."""
        covered = Covered(self.corpus, self.total, (self.shard.number,))
        part = measured(self.command, self.shard.gold, dict(self.shard.systems), self.specs, self.options, covered)
        return summed(part)


@dataclass(frozen=True)
class Step:
    """How far the work is."""

    done: int
    total: int
    tokens: int
    """Words of gold."""
    seconds: float

    @property
    def left(self) -> float:
        """The seconds that the rest will take, if it goes on like this."""
        return self.seconds / self.done * (self.total - self.done)


Report = Callable[[Step], None]


def check_workers(jobs: int, cluster: str | None) -> None:
    """Refuse what cannot work before anything is done."""
    if jobs < 1:
        raise UsageError(f"{jobs} processes cannot work. Say --jobs 1 or more.")
    if cluster is not None:
        from assay.clusters import check_cluster

        check_cluster(cluster)


def added(tasks: Sequence[Task], jobs: int, cluster: str | None, report: Report) -> Part:
    """The sum of all shards. The first of them tells how the others are to be read.

    Where later shards tell that all should have been read in another way, all are read again.
    """
    first = tasks[0].under(Decided()).measured()
    whole = summed_under(tasks, first.decided, jobs, cluster, report, first)
    if whole.told == whole.decided:
        return whole
    return summed_under(tasks, whole.told, jobs, cluster, report)


def decided_by(task: Task) -> Decided:
    """How all shards are to be read, as the first of them tells."""
    return task.under(Decided()).measured().decided


def summed_under(
    tasks: Sequence[Task],
    decided: Decided,
    jobs: int,
    cluster: str | None,
    report: Report,
    first: Part | None = None,
) -> Part:
    """Measure shards in one way and add them up; the first may have been measured already."""
    begun, whole = time.monotonic(), first
    waiting = [task.under(decided) for task in tasks[first is not None :]]
    done = len(tasks) - len(waiting)
    for part in _parts(waiting, jobs, cluster):
        whole = part if whole is None else whole + part
        done += 1
        report(Step(done, len(tasks), whole.gold.words, time.monotonic() - begun))
    assert whole is not None
    return whole


def _parts(tasks: Sequence[Task], jobs: int, cluster: str | None) -> Iterator[Part]:
    """The parts in the order of their shards."""
    if not tasks:
        return
    if cluster is not None:
        yield from _in_order(_on_cluster(tasks, cluster, jobs))
    elif jobs == 1:
        yield from (task.measured() for task in tasks)
    else:
        yield from _in_order(_on_processes(tasks, jobs))


def _in_order(parts: Iterable[tuple[int, Part]]) -> Iterator[Part]:
    """Numbered parts in the order of their numbers."""
    kept: dict[int, Part] = {}
    turn = 0
    for number, part in parts:
        kept[number] = part
        while turn in kept:
            yield kept.pop(turn)
            turn += 1


# --- processes ---


def main() -> None:
    """A worker: measure the shards that standard input names, one at a time, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a measure of the user's prints must not get among our answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            answer = _answer(pickle.load(sys.stdin.buffer))
            pickle.dump(answer, answers)
            answers.flush()
        except (EOFError, BrokenPipeError):
            os._exit(0)


def _answer(task: Task) -> tuple[str, Any]:
    try:
        return "part", task.measured()
    except AssayError as error:
        return "refused", error
    except Exception:
        return "failed", traceback.format_exc()


@dataclass(eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    number: int

    @classmethod
    def start(cls) -> _Worker:
        # In a group of its own: an interrupt at the terminal is for the one who waits.
        command = [sys.executable, "-P", "-c", _START]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0)
        return cls(process, -1)

    def give(self, number: int, task: Task) -> None:
        self.number = number
        assert self.process.stdin is not None
        # If it died, that is seen when its answer is asked for.
        with contextlib.suppress(BrokenPipeError):
            pickle.dump(task, self.process.stdin)
            self.process.stdin.flush()

    def fileno(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def answer(self) -> tuple[str, Any] | None:
        """Its answer; None where it died."""
        assert self.process.stdout is not None
        try:
            answer: tuple[str, Any] = pickle.load(self.process.stdout)
        except (EOFError, pickle.UnpicklingError, ConnectionError):
            return None
        return answer

    def end(self) -> None:
        """There is nothing that it could leave behind."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _on_processes(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[int, Part]]:
    """Numbered parts as they are done; a shard whose process dies is measured once more."""
    waiting = list(reversed(range(len(tasks))))
    tries: dict[int, int] = {}
    workers: list[_Worker] = []
    idle: list[_Worker] = []
    done: set[int] = set()
    turn = 0
    try:
        while waiting or workers:
            while waiting and waiting[-1] < turn + AHEAD * jobs and len(workers) < jobs:
                worker = idle.pop() if idle else _Worker.start()
                worker.give(waiting[-1], tasks[waiting.pop()])
                workers.append(worker)
            for worker in select.select(workers, [], [])[0]:
                workers.remove(worker)
                answer = worker.answer()
                if answer is None:
                    worker.end()
                    tries[worker.number] = tries.get(worker.number, 0) + 1
                    _check_tries(tries[worker.number], tasks[worker.number])
                    waiting.append(worker.number)
                    continue
                idle.append(worker)
                yield worker.number, _checked(answer)
                done.add(worker.number)
                while turn in done:
                    turn += 1
    finally:
        for worker in (*workers, *idle):
            worker.end()


def _check_tries(tries: int, task: Task) -> None:
    if tries >= TRIES:
        raise UsageError(
            f"{task.shard.gold.files[0]}: the process that read this shard was killed {tries} times. Is there too "
            "little memory? Use fewer --jobs, or cut the files smaller."
        )


def _checked(answer: tuple[str, Any]) -> Part:
    kind, content = answer
    if kind == "refused":
        raise content
    if kind == "failed":
        raise RuntimeError(f"a worker failed:\n{content}")
    assert isinstance(content, Part)
    return content


# --- a Dask cluster ---


def _on_cluster(tasks: Sequence[Task], where: str, jobs: int) -> Iterator[tuple[int, Part]]:
    """Numbered parts as they are done; the scheduler gives the shard of a lost worker to another."""
    from assay.clusters import connected, forget, quiet

    with quiet(), connected(where, jobs, {}) as client:
        from distributed import as_completed

        completed: Any = as_completed
        token = os.urandom(6).hex()
        numbers: dict[Any, int] = {}

        def submitted(number: int) -> Any:
            key = f"assay-{token}-{number}"
            future = client.submit(measure_task, tasks[number], assay.__version__, pure=False, key=key)
            numbers[future] = number
            return future

        try:
            ahead = max(AHEAD, AHEAD * sum(client.nthreads().values()))
            with client.as_current():
                running = completed([submitted(number) for number in range(min(ahead, len(tasks)))])
            following = iter(range(min(ahead, len(tasks)), len(tasks)))
            for future in running:
                yield numbers[future], _result(future, tasks[numbers[future]])
                future.release()
                del numbers[future]
                for number in following:
                    running.add(submitted(number))
                    break
        finally:
            forget(client, list(numbers))


def measure_task(task: Task, version: str) -> Part:
    """One shard on a worker of a cluster."""
    if version != assay.__version__:
        raise UsageError(
            f"the worker on {platform.node()} has assay {assay.__version__}, where {version} gave it the shard."
        )
    return task.measured()


def _result(future: Any, task: Task) -> Part:
    """What came of a shard, or an error that says what is wrong with the cluster."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    try:
        part: Part = future.result()
    except KilledWorker:
        raise UsageError(
            f"{task.shard.gold.files[0]}: the workers that read this shard were killed again and again. Do they have "
            "too little memory? Cut the files smaller."
        ) from None
    except ImportError as error:
        raise UsageError(
            f"a worker of the cluster cannot load what it needs ({error}). Install assay {assay.__version__} there."
        ) from None
    except (OSError, CancelledError):
        raise UsageError("the connection to the Dask scheduler was lost. Run again.") from None
    return part
