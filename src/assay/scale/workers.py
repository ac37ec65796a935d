"""Processes on this machine that are given work piece by piece, and what becomes of it when one of them dies."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError


class GoneError(Exception):
    """Whoever gave the work is there no more."""


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


@dataclass(eq=False)
class Worker:
    """One such process, and the piece that it has."""

    process: subprocess.Popen[bytes]
    piece: Any = None

    @classmethod
    def start(cls, module: str) -> Worker:
        """A process that runs the `main` of a module, which serves."""
        command = [sys.executable, "-P", "-c", f"from {module} import main; main()"]
        # In a group of its own: an interrupt at the terminal is for the one who waits.
        return cls(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0))

    def give(self, piece: Any) -> None:
        """Have it do something."""
        self.piece = piece
        assert self.process.stdin is not None
        # If it died, that is seen when its answer is asked for.
        with contextlib.suppress(BrokenPipeError):
            pickle.dump(piece, self.process.stdin)
            self.process.stdin.flush()

    def fileno(self) -> int:
        """What `select` waits for: its answer."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def answer(self) -> Any:
        """What it did; None where it died. What was refused or failed there is raised here."""
        assert self.process.stdout is not None
        try:
            kind, content = pickle.load(self.process.stdout)
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

    def end(self, patience: float = 0.0) -> None:
        """Close what it listens to; one that has something to clear away gets so many seconds, then it is killed."""
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
