"""A Dask scheduler with two workers on this machine, each a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 60.0


@contextmanager
def dask_cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's address, and the workers, which work in a folder; tests are skipped where there is no Dask."""
    pytest.importorskip("distributed")
    pytest.importorskip("dask_jobqueue")
    told = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    worker = [*dask, "worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    with (folder / "dask.log").open("wb") as log:
        processes = [
            subprocess.Popen([*words, "--scheduler-file", str(told)], cwd=folder, stdout=log, stderr=log)
            for words in (scheduler, worker, worker)
        ]
        try:
            yield _address(told), processes[1:]
        finally:
            for process in processes:
                process.kill()
                process.wait()


def _address(told: Path) -> str:
    """What the scheduler says of itself, as soon as it has said it."""
    end = time.monotonic() + PATIENCE
    while not (told.exists() and told.stat().st_size):
        assert time.monotonic() < end, "the scheduler does not start"
        time.sleep(0.05)
    address: str = json.loads(told.read_text("utf-8"))["address"]
    return address
