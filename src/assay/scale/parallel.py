"""Who measures shards: this process, several, or a Dask cluster.

Shards are measured in any order and come in theirs, so that their sum is the same whoever measured them.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import assay
from assay.engine.parts import Part
from assay.engine.run import Over, Piece, in_turn
from assay.errors import UsageError
from assay.scale.clusters import check_cluster, check_version, connected, explained, forget, quiet
from assay.scale.workers import Worker, serve

AHEAD = 4
"""How far, in shards per worker, measuring may run ahead of adding: what waits to be added takes room."""
TRIES = 2
"""So often a shard is begun whose process dies."""


def check_workers(jobs: int, cluster: str | None) -> None:
    """Refuse what cannot work before anything is done."""
    if jobs < 1:
        raise UsageError(f"{jobs} processes cannot work. Say --jobs 1 or more.")
    if cluster is not None:
        check_cluster(cluster)


def over(jobs: int, cluster: str | None) -> Over:
    """Who measures shards: this process, several, or a cluster."""
    if cluster is not None:
        return lambda pieces: _in_order(_on_cluster(pieces, cluster, jobs) if pieces else ())
    return in_turn if jobs == 1 else lambda pieces: _in_order(_on_processes(pieces, jobs))


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
    serve(lambda piece: piece[1].measure())


def _on_processes(pieces: Sequence[Piece], jobs: int) -> Iterator[tuple[int, Part]]:
    """Numbered parts as they are done; a shard whose process dies is measured once more."""
    waiting = list(reversed(range(len(pieces))))
    tries: dict[int, int] = {}
    workers: list[Worker] = []
    idle: list[Worker] = []
    done: set[int] = set()
    turn = 0
    try:
        while waiting or workers:
            while waiting and waiting[-1] < turn + AHEAD * jobs and len(workers) < jobs:
                worker = idle.pop() if idle else Worker.start(__name__)
                worker.give((waiting[-1], pieces[waiting.pop()]))
                workers.append(worker)
            for worker in select.select(workers, [], [])[0]:
                part: Part | None = worker.answer()
                workers.remove(worker)
                number, piece = worker.piece
                if part is None:
                    worker.end()
                    tries[number] = tries.get(number, 0) + 1
                    _check_tries(tries[number], piece)
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


def _check_tries(tries: int, piece: Piece) -> None:
    if tries >= TRIES:
        raise UsageError(
            f"{piece.shard.gold.files[0]}: the process that read this shard was killed {tries} times. Is there too "
            "little memory? Use fewer --jobs, or cut the files smaller."
        )


# --- a Dask cluster ---


def _on_cluster(pieces: Sequence[Piece], where: str, jobs: int) -> Iterator[tuple[int, Part]]:
    """Numbered parts as they are done; the scheduler gives the shard of a lost worker to another."""
    with quiet(), connected(where, jobs, {}) as client:
        from distributed import as_completed

        completed: Any = as_completed
        token = os.urandom(6).hex()
        numbers: dict[Any, int] = {}

        def submitted(number: int) -> Any:
            key = f"assay-{token}-{number}"
            future = client.submit(measure_piece, pieces[number], assay.__version__, pure=False, key=key)
            numbers[future] = number
            return future

        try:
            ahead = max(AHEAD, AHEAD * sum(client.nthreads().values()))
            with client.as_current():
                running = completed([submitted(number) for number in range(min(ahead, len(pieces)))])
            following = iter(range(min(ahead, len(pieces)), len(pieces)))
            for future in running:
                yield numbers[future], _result(future, pieces[numbers[future]])
                future.release()
                del numbers[future]
                for number in following:
                    running.add(submitted(number))
                    break
        finally:
            forget(client, list(numbers))


def measure_piece(piece: Piece, version: str) -> Part:
    """One shard on a worker of a cluster."""
    check_version(version, "the shard")
    return piece.measure()


def _result(future: Any, piece: Piece) -> Part:
    """What came of a shard."""
    from distributed import KilledWorker

    try:
        with explained("Run again."):
            part: Part = future.result()
    except KilledWorker:
        raise UsageError(
            f"{piece.shard.gold.files[0]}: the workers that read this shard were killed again and again. Do they "
            "have too little memory? Cut the files smaller."
        ) from None
    return part
