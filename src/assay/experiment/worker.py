"""A worker on this machine: a process that is given runs one by one and ends when nobody is there to give more."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError, InputError
from assay.experiment.commands import StoppedError
from assay.experiment.job import Job, execute
from assay.experiment.plan import RunId
from assay.experiment.store import Outcome

_START = "from assay.experiment.worker import main; main()"
TRIES = 3
"""So often a run is begun whose worker dies."""


def main() -> None:
    """Do the runs that standard input asks for, one at a time."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a measure of the user's prints must not get among our answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    jobs = sys.stdin.buffer
    while True:
        try:
            answer = _answer(pickle.load(jobs))
            pickle.dump(answer, answers)
            answers.flush()
        except (EOFError, StoppedError, BrokenPipeError):
            os._exit(0)


def _answer(job: Job) -> tuple[str, Any]:
    # While we are at work nothing is sent: only the end of the input makes it readable.
    try:
        return "outcome", execute(job, lambda: bool(select.select([0], [], [], 0)[0]))
    except AssayError as error:
        return "error", str(error)
    except StoppedError:
        raise
    except Exception:
        return "crash", traceback.format_exc()


@dataclass(eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    job: Job

    @classmethod
    def start(cls, job: Job) -> _Worker:
        # In a group of its own: an interrupt at the terminal is for the coordinator alone.
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )
        worker = cls(process, job)
        worker.give(job)
        return worker

    def give(self, job: Job) -> None:
        self.job = job
        assert self.process.stdin is not None
        # If it died, that is seen when its answer is asked for.
        with contextlib.suppress(BrokenPipeError):
            pickle.dump(job, self.process.stdin)
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
        """Close what it listens to: it ends by itself, and ends its commands before."""
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def work(jobs: Sequence[Job], number: int) -> Iterator[Outcome]:
    """Do all runs, so many at a time; those of a worker that dies are begun anew. One at a time is done here."""
    if number == 1:
        yield from (execute(job, lambda: False) for job in jobs)
        return
    waiting = list(reversed(jobs))
    tries: dict[RunId, int] = {}
    workers: list[_Worker] = []
    try:
        while waiting or workers:
            while waiting and len(workers) < number:
                workers.append(_Worker.start(waiting.pop()))
            for worker in select.select(workers, [], [])[0]:
                answer = worker.answer()
                if answer is None:
                    workers.remove(worker)
                    worker.end()
                    outcome = _lost(worker.job, waiting, tries)
                else:
                    outcome = _checked(answer)
                    if waiting:
                        worker.give(waiting.pop())
                    else:
                        workers.remove(worker)
                        worker.end()
                if outcome is not None:
                    yield outcome
    finally:
        for worker in workers:
            worker.end()


def _checked(answer: tuple[str, Any]) -> Outcome:
    kind, content = answer
    if kind == "error":
        raise InputError(content)
    if kind == "crash":
        error = RuntimeError(f"in a worker: {content.rstrip().rpartition(chr(10))[2]}")
        error.add_note(content)
        raise error
    assert isinstance(content, Outcome)
    return content


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
