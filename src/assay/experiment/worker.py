"""A worker on this machine: a process that is given runs one by one and ends when nobody is there to give more."""

from __future__ import annotations

import select
from collections.abc import Iterator, Sequence

from assay.experiment.commands import StoppedError
from assay.experiment.job import Job, execute
from assay.experiment.plan import RunId
from assay.experiment.store import Outcome
from assay.scale.workers import GoneError, Worker, serve

TRIES = 3
"""So often a run is begun whose worker dies."""
PATIENCE = 10.0
"""The seconds that a worker has to end its commands."""


def main() -> None:
    """Do the runs that standard input asks for."""
    serve(_done)


def _done(job: Job) -> Outcome:
    # While we are at work nothing is sent: only the end of the input makes it readable.
    try:
        return execute(job, lambda: bool(select.select([0], [], [], 0)[0]))
    except StoppedError:
        raise GoneError from None


def work(jobs: Sequence[Job], number: int) -> Iterator[Outcome]:
    """Do all runs, so many at a time; those of a worker that dies are begun anew. One at a time is done here."""
    if number == 1:
        yield from (execute(job, lambda: False) for job in jobs)
        return
    waiting = list(reversed(jobs))
    tries: dict[RunId, int] = {}
    workers: list[Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < number:
                workers.append(Worker.start(__name__))
                workers[-1].give(waiting.pop())
            for worker in select.select(workers, [], [])[0]:
                outcome: Outcome | None = worker.answer()
                lost = outcome is None
                if lost:
                    outcome = _lost(worker.piece, waiting, tries)
                if lost or not waiting:
                    workers.remove(worker)
                    worker.end(PATIENCE)
                else:
                    worker.give(waiting.pop())
                if outcome is not None:
                    yield outcome
    finally:
        for worker in workers:
            worker.end(PATIENCE)


def _lost(job: Job, waiting: list[Job], tries: dict[RunId, int]) -> Outcome | None:
    """Begin a run anew whose worker died; give up when that happens again and again."""
    tries[job.run] = tries.get(job.run, 0) + 1
    if tries[job.run] < TRIES:
        waiting.append(job)
        return None
    return given_up(job, TRIES)


def given_up(job: Job, times: int) -> Outcome:
    """A run that cannot be brought to its end."""
    error = f"the process that did this run was killed {times} times. Is there too little memory?"
    return Outcome(run=job.run, state="failed", inputs=job.inputs, scoring=job.scoring, error=error)
