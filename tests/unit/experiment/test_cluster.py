"""What is checked before runs go to a cluster, and when a worker stops."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.experiment import run
from assay.experiment.job import Job, StoppedError
from assay.experiment.plan import read_plan
from assay.experiment.run import execute_wanted, plan_jobs
from assay.experiment.store import hold_lock, is_wanted, lock_path
from assay.scale.workers import BATCH_SYSTEMS, check_cluster, do_piece
from unit.experiment.plans import corpus, plan
from unit.samples import refusal

File = Callable[[str, str | bytes], str]


def job(file: File, predict: str) -> Job:
    """The first run of a small experiment, whose coordinator has ended."""
    file("gold.conllu", corpus(6))
    experiment = read_plan(file("x.toml", plan({"a": {"predict": predict, "blind": False}})))
    with hold_lock(experiment.store, "1") as me:
        return replace(plan_jobs(experiment)[0], token=me.token)


@pytest.mark.parametrize("where", ["tcp://host:8786", "127.0.0.1:8786", "tls://[::1]:1", "slurm", "local-jobs"])
def test_addresses_and_batch_systems_are_clusters(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.scale.workers.find_spec", lambda name: name)
    check_cluster(where)
    # A scheduler that is there already submits no jobs.
    monkeypatch.setattr("assay.scale.workers.find_spec", lambda name: None if name == "dask_jobqueue" else name)
    if where in BATCH_SYSTEMS:
        text = refusal(check_cluster, where)
        assert text == "--cluster needs dask_jobqueue. Install it: pip install dask distributed dask-jobqueue"
    else:
        check_cluster(where)


@pytest.mark.parametrize("where", ["host", "host:port", "http://host:1", "slrum"])
def test_anything_else_is_refused(where: str) -> None:
    assert f"there is no cluster '{where}'." in refusal(check_cluster, where)


def test_dask_is_asked_for_where_it_is_missing(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.scale.workers.find_spec", lambda name: None)
    assert importlib.util.find_spec("json") is not None
    file("gold.conllu", corpus(6))
    text = refusal(run, file("x.toml", plan()), cluster="slurm")
    assert text == "--cluster needs distributed. Install it: pip install dask distributed dask-jobqueue"
    assert not Path("x.sqlite").exists()


def test_a_worker_with_another_assay_refuses(file: File) -> None:
    assert "but assay 0.0.0 gave it the run." in refusal(
        do_piece, execute_wanted, job(file, "cat {test}"), "0.0.0", "the run"
    )


def test_a_worker_stops_when_its_coordinator_has_ended(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["assay.experiment.run"], "_LOOK", 0.1)
    unwanted = job(file, "sleep 60")
    with pytest.raises(StoppedError):
        execute_wanted(unwanted)
    assert not list(Path("x-runs").glob("*/*/.r*"))


def test_the_file_of_the_lock_says_who_is_wanted() -> None:
    store = Path("x.sqlite")
    with hold_lock(store, "1") as first:
        assert is_wanted(lock_path(store), first.token)
    assert not is_wanted(lock_path(store), first.token)
    with hold_lock(store, "1") as second:
        assert not is_wanted(lock_path(store), first.token)
        assert is_wanted(lock_path(store), second.token)
