"""`assay experiment` as users run it: a real experiment, interrupted in every way, here and on a cluster."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.demo import FOLDER
from cli.conftest import environment

ASSAY = [sys.executable, "-m", "assay", "experiment"]
PATIENCE = 60.0


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The measurements of the demo's experiment, run in peace, two runs at a time."""
    folder = experiment(tmp_path_factory.mktemp("undisturbed"))
    done = call(folder, "run", "taggers.toml", "--jobs", "2")
    assert (done.returncode, done.stdout) == (0, "6 of 6 runs are done.\n"), done.stderr
    assert "[6/6]" in done.stderr
    return exported(folder)


def experiment(folder: Path) -> Path:
    """The demo's experiment in a folder of its own."""
    for name in ("english", "german", "experiment"):
        shutil.copytree(FOLDER / name, folder / name)
    # A part of it shows the same in less time.
    plan = folder / "experiment" / "taggers.toml"
    text = plan.read_text("utf-8")
    german = text[text.index("[datasets.german]") : text.index("# {test}")]
    plan.write_text(text.replace(german, "").replace("folds = 5", "folds = 3"), "utf-8")
    return folder / "experiment"


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*ASSAY, *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return done


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*ASSAY, *arguments], cwd=folder, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def exported(folder: Path) -> str:
    done = call(folder, "export", "taggers.toml")
    assert done.returncode == 0
    return done.stdout


def wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


def finished(folder: Path) -> int:
    """How many runs have ended, as their folders tell."""
    return len(list(folder.glob("taggers-runs/*/*/r*")))


def processes(folder: Path) -> list[int]:
    """Whatever runs with a path of this folder in its command line, or within it."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            told = (entry / "cmdline").read_bytes() + os.readlink(entry / "cwd").encode()
        except OSError:
            continue
        if str(folder / "taggers-runs").encode() in told:
            found.append(int(entry.name))
    return found


def test_the_two_taggers_differ_and_learn(undisturbed: str) -> None:
    rows = [line.split(",") for line in undisturbed.splitlines()[1:]]
    assert len(rows) == 2 * 3 * 3
    means = {
        system: sum(float(row[5]) for row in rows if row[1] == system and row[4] == "accuracy") / 3
        for system in ("unigram", "perceptron")
    }
    assert 0.5 < means["unigram"] < means["perceptron"] < 1
    assert all(float(row[5]) == int(row[6]) / int(row[7]) for row in rows)


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_killed_in_the_middle_and_resumed_it_gives_the_same(tmp_path: Path, undisturbed: str, jobs: str) -> None:
    folder = experiment(tmp_path)
    process = start(folder, "run", "taggers.toml", "--jobs", jobs)
    wait_for(lambda: finished(folder) >= 2)
    process.kill()
    process.communicate()
    wait_for(lambda: not processes(folder))
    told = call(folder, "status", "taggers.toml").stdout
    assert "are due." in told and "time left:" in told and "failed:" not in told
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("taggers-runs/*/*/r*/run.json")}
    done = call(folder, "run", "taggers.toml", "--jobs", "2")
    assert (done.returncode, done.stdout) == (0, "6 of 6 runs are done.\n"), done.stderr
    assert exported(folder) == undisturbed
    # Of those that had ended, only what was not in the store yet was done again.
    assert sum(path.stat().st_mtime_ns != moment for path, moment in kept.items()) <= int(jobs)
    assert not list(folder.glob("taggers-runs/*/*/.r*"))


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_an_interrupt_ends_all_commands_and_leaves_nothing_behind(tmp_path: Path, jobs: str) -> None:
    folder = experiment(tmp_path)
    with (folder / "taggers.toml").open("a") as plan:
        plan.write('\n[systems.slow]\ntrain = "sleep 300"\npredict = "cat {test}"\n')
    process = start(folder, "run", "taggers.toml", "--jobs", jobs)
    wait_for(lambda: finished(folder) >= 1)
    second = call(folder, "run", "taggers.toml")
    assert second.returncode == 2
    assert f"this experiment is being run already: process {process.pid} on " in second.stderr
    told = call(folder, "status", "taggers.toml").stdout
    assert f"being run: process {process.pid} on " in told and "under way: " in told
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert errors.rstrip().endswith("interrupted") and "Traceback" not in errors
    assert not processes(folder)
    assert not list(folder.glob("taggers-runs/*/*/.r*"))


def test_the_run_of_a_killed_worker_is_repeated(tmp_path: Path, undisturbed: str) -> None:
    folder = experiment(tmp_path)
    process = start(folder, "run", "taggers.toml", "--jobs", "2")
    wait_for(lambda: finished(folder) >= 2)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 2
    os.kill(int(children[0]), signal.SIGKILL)
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (0, "6 of 6 runs are done.\n"), errors
    assert exported(folder) == undisturbed
    assert not list(folder.glob("taggers-runs/*/*/.r*"))


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler with two workers, each a process of its own; its address, and the workers."""
    pytest.importorskip("distributed")
    told = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    with (folder / "dask.log").open("wb") as log:
        quiet = {"stdout": log, "stderr": log, "cwd": folder}
        scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        processes = [subprocess.Popen([*scheduler, "--scheduler-file", str(told)], **quiet)]
        worker = [*dask, "worker", "--scheduler-file", str(told), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        processes += [subprocess.Popen(worker, **quiet) for _ in range(2)]
        try:
            wait_for(told.exists)
            import json

            yield json.loads(told.read_text())["address"], processes[1:]
        finally:
            for process in processes:
                process.kill()
                process.wait()


def test_on_a_cluster_that_loses_a_worker_it_gives_the_same(tmp_path: Path, undisturbed: str) -> None:
    folder = experiment(tmp_path)
    with cluster(tmp_path) as (address, workers):
        process = start(folder, "run", "taggers.toml", "--cluster", address)
        wait_for(lambda: finished(folder) >= 2)
        workers[0].kill()
        output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (0, "6 of 6 runs are done.\n"), errors
    assert "Traceback" not in errors
    assert exported(folder) == undisturbed
    assert not list(folder.glob("taggers-runs/*/*/.r*"))


def test_a_cluster_that_is_not_there_is_said(tmp_path: Path) -> None:
    folder = experiment(tmp_path)
    done = call(folder, "run", "taggers.toml", "--cluster", "slrum")
    assert done.returncode == 2
    assert "there is no cluster 'slrum'. Did you mean slurm?" in done.stderr


def test_what_would_be_run_is_shown(tmp_path: Path) -> None:
    folder = experiment(tmp_path)
    before = sorted(folder.iterdir())
    done = call(folder, "run", "taggers.toml", "--dry-run")
    lines = done.stdout.splitlines()
    assert len(lines) == 18
    assert lines[0] == "english unigram r01-f01: new"
    assert lines[1].startswith(f"  train: {sys.executable} -m assay.demo.taggers.unigram train /")
    assert lines[2].split()[-2].endswith("/parts/test_blind.conllu")
    assert sorted(folder.iterdir()) == before


def test_failures_are_shown_with_their_log_and_taken_up_again(tmp_path: Path) -> None:
    folder = experiment(tmp_path)
    plan = folder / "taggers.toml"
    text = plan.read_text()
    text = text.replace("folds = 3", "folds = 2")
    plan.write_text(text.replace("unigram predict {model}", "unigram predict no-model"))
    done = call_failing(folder)
    assert "[1/4] english unigram r01-f01: failed\n    predict: ended with exit code 1.\n" in done.stderr
    assert "english unigram r01-f02: failed in the same way\n" in done.stderr
    told = call(folder, "status", "taggers.toml").stdout
    assert (
        "failed: english unigram r01-f01 and 1 more in the same way\n    predict: ended with exit code 1.\n" in told
    )
    assert "FileNotFoundError: [Errno 2] No such file or directory: 'no-model'" in told
    warned = call(folder, "export", "taggers.toml")
    assert warned.stderr == "warning: 2 of 4 runs are missing or out of date (2 failed, 0 due).\n"
    plan.write_text(text.replace("folds = 3", "folds = 2"))
    assert "2 changed: predict" in call(folder, "run", "taggers.toml").stderr


def call_failing(folder: Path) -> subprocess.CompletedProcess[str]:
    """Where a tagger's traceback is part of what is shown."""
    done = subprocess.run(
        [*ASSAY, "run", "taggers.toml"], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    return done


def test_splits_export_and_import_go_through_files(tmp_path: Path) -> None:
    folder = experiment(tmp_path)
    done = call(folder, "splits", "taggers.toml", "-o", "splits", "--parts")
    assert done.stdout == "written: splits/english.splits.json\n"
    assert len(list((folder / "splits").rglob("*.conllu"))) == 3 * 2
    table = "dataset,system,repetition,fold,measure,value\nenglish,other,1,1,accuracy,0.5\n"
    (folder / "more.csv").write_text(table)
    taken = call(folder, "import", "taggers.toml", "more.csv")
    assert taken.stdout == "measurements of 1 runs taken into the store.\n"
    assert call(folder, "export", "taggers.toml", "-o", "runs.csv").returncode == 0
    assert (folder / "runs.csv").read_text().splitlines()[1:] == ["english,other,1,1,accuracy,0.5,,,,"]


@pytest.mark.parametrize(
    "arguments", [("status", "no.toml"), ("run", "no.toml"), ("export", "taggers.toml"), ("nope",)]
)
def test_mistakes_are_one_line_and_exit_with_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = call(experiment(tmp_path), *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("assay: ") and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_on_a_batch_system_it_gives_the_same(tmp_path: Path, undisturbed: str) -> None:
    pytest.importorskip("dask_jobqueue")
    folder = experiment(tmp_path)
    with (folder / "taggers.toml").open("a") as plan:
        plan.write('\n[cluster]\ncores = 1\nprocesses = 1\nmemory = "500MB"\n')
    done = call(folder, "run", "taggers.toml", "--cluster", "local-jobs", "--jobs", "2")
    assert (done.returncode, done.stdout) == (0, "6 of 6 runs are done.\n"), done.stderr
    assert exported(folder) == undisturbed
