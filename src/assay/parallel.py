"""What many shards amount to: here, on processes, or on a Dask cluster. Adding is all that it does.

Shards are measured in any order and added in theirs, so that the sum is the same whoever measured them.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import assay
from assay.clusters import check_cluster, check_version, connected, explained, forget, quiet
from assay.errors import InputError, UsageError
from assay.measured import measured, summed
from assay.parts import Covered, Part
from assay.prepare import Decided, Options
from assay.shards import Shard
from assay.workers import Worker, serve

AHEAD = 4
"""How far, in shards per worker, measuring may run ahead of adding: what waits to be added takes room."""
TRIES = 2
"""So often a shard is begun whose process dies."""


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
        check_cluster(cluster)


def added(tasks: Sequence[Task], jobs: int, cluster: str | None, report: Report) -> Part:
    """The sum of all shards. The first of them tells how the others are to be read.

    Where later shards tell that all should have been read in another way, all are read again.
    """
    first = tasks[0].under(Decided()).measured()
    whole = summed_under(tasks, first.decided, jobs, cluster, report, first)
    if whole.told == whole.decided:
        return whole
    again = summed_under(tasks, whole.told, jobs, cluster, report)
    _check_unchanged(tasks, whole, again)
    return again


def _check_unchanged(tasks: Sequence[Task], before: Part, again: Part) -> None:
    """Refuse files that are not the same when they are read again."""
    shards = [(task.shard.gold, *(files for _, files in task.shard.systems)) for task in tasks]
    for side, then, now in zip(zip(*shards, strict=True), before.digests, again.digests, strict=True):
        paths = [path for files in side for path in files.files]
        for path, was, is_now in zip(paths, then, now, strict=True):
            if was != is_now:
                raise InputError(f"{path}: was changed while it was read. Run it again when it is complete.")


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
    """A worker: measure the shards that standard input names."""
    serve(lambda piece: piece[1].measured())


def _on_processes(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[int, Part]]:
    """Numbered parts as they are done; a shard whose process dies is measured once more."""
    waiting = list(reversed(range(len(tasks))))
    tries: dict[int, int] = {}
    workers: list[Worker] = []
    idle: list[Worker] = []
    done: set[int] = set()
    turn = 0
    try:
        while waiting or workers:
            while waiting and waiting[-1] < turn + AHEAD * jobs and len(workers) < jobs:
                worker = idle.pop() if idle else Worker.start(__name__)
                worker.give((waiting[-1], tasks[waiting.pop()]))
                workers.append(worker)
            for worker in select.select(workers, [], [])[0]:
                part: Part | None = worker.answer()
                workers.remove(worker)
                number, task = worker.piece
                if part is None:
                    worker.end()
                    tries[number] = tries.get(number, 0) + 1
                    _check_tries(tries[number], task)
                    waiting.append(number)
                    continue
                idle.append(worker)
                yield number, part
                done.add(number)
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


# --- a Dask cluster ---


def _on_cluster(tasks: Sequence[Task], where: str, jobs: int) -> Iterator[tuple[int, Part]]:
    """Numbered parts as they are done; the scheduler gives the shard of a lost worker to another."""
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
    check_version(version, "the shard")
    return task.measured()


def _result(future: Any, task: Task) -> Part:
    """What came of a shard."""
    from distributed import KilledWorker

    try:
        with explained("Run again."):
            part: Part = future.result()
    except KilledWorker:
        raise UsageError(
            f"{task.shard.gold.files[0]}: the workers that read this shard were killed again and again. Do they have "
            "too little memory? Cut the files smaller."
        ) from None
    return part
