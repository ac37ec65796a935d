"""Runs commands in turn and takes their CPU seconds and peak memory from the operating system."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """One command, run once."""

    cpu: float
    """User and system seconds of the process and its children."""
    memory: float
    """Peak resident memory in MB. Linux counts what the caller held too, so the caller imports next to nothing."""
    output: str


def run(command: Sequence[str]) -> Run:
    """Run a command to its end; a failing one ends the benchmark with what it said."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdout=output, stderr=errors, stdin=subprocess.DEVNULL, env=_environment())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if child.returncode:
            said = errors.read()[-2000:].decode("utf-8", "replace")
            raise SystemExit(f"{' '.join(command)}\nfailed with {child.returncode}:\n{said}")
        text = output.read().decode("utf-8", "replace")
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit, text)


def _environment() -> dict[str, str]:
    """The caller's, but byte code is kept: without it imports take more than twice as long."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def alternating(commands: Mapping[str, Sequence[str]], runs: int, slow: Sequence[str] = ()) -> dict[str, list[Run]]:
    """Every command once per round, so that a busy spell of the machine hits all; the slow ones in round one only."""
    done: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(runs):
        for name, command in commands.items():
            if number == 0 or name not in slow:
                done[name].append(run(command))
    return done


def best(runs: Sequence[Run]) -> Run:
    """The run with the least CPU, and the least peak memory of all."""
    fastest = min(runs, key=lambda one: one.cpu)
    return Run(fastest.cpu, min(one.memory for one in runs), fastest.output)
