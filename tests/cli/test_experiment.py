"""`assay experiment` as users run it: a real experiment, interrupted in every way, here and on a cluster."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import commands
from assay.demo import FOLDER
from cli.dask_cluster import PATIENCE, dask_cluster
from commands import environment

ASSAY = [sys.executable, "-m", "assay", "experiment"]


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
    done = commands.call("experiment", *arguments, folder=folder)
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
    assert f"this experiment is already running: process {process.pid} on " in second.stderr
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


def test_on_a_cluster_that_loses_a_worker_it_gives_the_same(tmp_path: Path, undisturbed: str) -> None:
    folder = experiment(tmp_path)
    with dask_cluster(tmp_path) as (address, workers):
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
    # A tagger's traceback is part of what is shown.
    done = commands.call("experiment", "run", "taggers.toml", folder=folder)
    assert done.returncode == 1
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


def test_splits_export_and_import_go_through_files(tmp_path: Path) -> None:
    folder = experiment(tmp_path)
    done = call(folder, "splits", "taggers.toml", "-o", "splits", "--parts")
    assert done.stdout == "written: splits/english.splits.json\n"
    assert len(list((folder / "splits").rglob("*.conllu"))) == 3 * 2
    table = "dataset,system,repetition,fold,measure,value\nenglish,other,1,1,accuracy,0.5\n"
    (folder / "more.csv").write_text(table)
    taken = call(folder, "import", "taggers.toml", "more.csv")
    assert taken.stdout == "The measurements of 1 run were imported into the store.\n"
    assert call(folder, "export", "taggers.toml", "-o", "runs.csv").returncode == 0
    assert (folder / "runs.csv").read_text().splitlines()[1:] == ["english,other,1,1,accuracy,0.5,,,,"]


@pytest.mark.parametrize(
    "arguments", [("status", "no.toml"), ("run", "no.toml"), ("export", "taggers.toml"), ("nope",)]
)
def test_mistakes_are_one_line_and_exit_with_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = call(experiment(tmp_path), *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("assay: ") and done.stderr.count("\n") == 1


# --- the store: two writers, and a full disk ---


@pytest.mark.parametrize("command", ["export", "status", "run"])
def test_a_damaged_store_is_one_line_and_exits_with_2(tmp_path: Path, command: str) -> None:
    folder = experiment(tmp_path)
    rows = [f"english,other,1,{fold},accuracy,0.{fold}\n" for fold in (1, 2, 3)]
    (folder / "others.csv").write_text("dataset,system,repetition,fold,measure,value\n" + "".join(rows), "utf-8")
    assert call(folder, "import", "taggers.toml", "others.csv").returncode == 0
    whole = (folder / "taggers.sqlite").read_bytes()
    # The measure's name, in one of the runs.
    place = whole.rindex(b"accuracy")
    (folder / "taggers.sqlite").write_bytes(whole[:place] + b"b" + whole[place + 1 :])
    done = call(folder, command, "taggers.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: ") and done.stderr.count("\n") == 1
    assert done.stderr.endswith(
        "taggers.sqlite: is damaged. Restore it from a copy, or move it away and run again.\n"
    )


def test_of_two_who_begin_at_once_one_runs_and_the_other_is_refused(tmp_path: Path, undisturbed: str) -> None:
    """And who imports, or looks on, meanwhile is heard too."""
    folder = experiment(tmp_path)
    table = "dataset,system,repetition,fold,measure,value\nenglish,other,1,{},accuracy,0.5\n"
    both = [start(folder, "run", "taggers.toml", "--jobs", "2") for _ in range(2)]
    wait_for((folder / "taggers.sqlite.lock").exists)
    for fold in range(1, 4):
        (folder / "more.csv").write_text(table.format(fold))
        assert call(folder, "import", "taggers.toml", "more.csv").returncode == 0
        assert call(folder, "status", "taggers.toml").returncode == 0
    told = [process.communicate(timeout=PATIENCE) for process in both]
    refused, done = sorted(range(2), key=lambda number: -both[number].returncode)
    assert [both[number].returncode for number in (refused, done)] == [2, 0]
    assert told[done][0] == "6 of 6 runs are done.\n"
    holder = f"this experiment is already running: process {both[done].pid} on "
    assert told[refused][1].startswith(f"assay: taggers.sqlite: {holder}") and told[refused][1].count("\n") == 1
    rows = exported(folder).splitlines(keepends=True)
    assert "".join(row for row in rows if ",other," not in row) == undisturbed
    assert sum(",other," in row for row in rows) == 3


def on_a_small_disk(folder: Path, room: int, *steps: str) -> subprocess.CompletedProcess[str]:
    """Shell commands beside the experiment on a disk of its own, in memory, with so many kilobytes left."""
    disk = folder.parent / "disk"
    disk.mkdir()
    filler = f"head -c $(( ($(stat -f -c '%a * %S' .) / 1024 - {room}) * 1024 )) /dev/zero > filler"
    begin = [f"mount -t tmpfs -o size=2m tmpfs {disk} || exit 99", f"cp -r {folder.parent}/english {folder} {disk}"]
    script = "\n".join([*begin, f"cd {disk}/experiment", filler, *steps])
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 99 or done.stderr.startswith("unshare:"):
        pytest.skip("a user may not have a disk of their own here")
    return done


@pytest.mark.parametrize("room", [*(pytest.param(room, marks=pytest.mark.slow) for room in (12, 40, 80, 140)), 200])
def test_a_disk_that_gets_full_costs_no_run_that_is_done(tmp_path: Path, undisturbed: str, room: int) -> None:
    """Full while the store is made, while parts are written, while a tagger is at work, or when a run is done."""
    folder = experiment(tmp_path)
    run, status, export = (f"{shlex.join(ASSAY)} {verb} taggers.toml" for verb in ("run", "status", "export"))
    done = on_a_small_disk(folder, room, f"{run}; echo exit $?", status, "rm filler", run, export)
    before, _, after = done.stdout.partition("6 of 6 runs are done.\n")
    assert before.startswith("exit 2\n") and after == undisturbed
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("assay: ") and "is empty" not in line]
    assert error.endswith("again; finished runs are kept.") or error.endswith("again; what was written is kept.")
    assert "failed:" not in before
    kept = sum(map(int, re.findall(r"(\d) of 6 runs (?:is|are) done", before)))
    assert f"[1/{6 - kept}]" in done.stderr.partition(error)[2]


# --- batch systems ---

ACCEPTS = """cp "$1" "{folder}/job-$$.sh"
setsid sh "{folder}/job-$$.sh" > "{folder}/job-$$.log" 2>&1 &
echo $! > "{folder}/job-$$.pid"
echo Submitted batch job $!"""
REFUSES = """echo "sbatch: error: invalid partition specified: batch" >&2
exit 1"""
SETTINGS = """
[cluster]
cores = 1
memory = "500MB"
walltime = "01:30:00"
queue = "batch"
account = "tagging"
job_extra_directives = ["--gres=gpu:1"]
"""


def start_with_slurm(folder: Path, sbatch: str, settings: str) -> subprocess.Popen[str]:
    """Run an experiment with stand-ins for the programs of SLURM, which start and end job scripts as they are."""
    pytest.importorskip("dask_jobqueue")
    with (folder / "taggers.toml").open("a") as plan:
        plan.write(settings)
    programs = folder.parent / "programs"
    programs.mkdir()
    for name, text in (("sbatch", sbatch.format(folder=folder.parent)), ("scancel", 'kill -- "-$1"')):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return subprocess.Popen(
        [*ASSAY, "run", "taggers.toml", "--cluster", "slurm"],
        cwd=folder,
        env=environment(PATH=f"{programs}:{os.environ['PATH']}", DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT="1s"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_slurm_is_given_jobs_by_the_settings_and_a_new_one_when_their_time_is_up(
    tmp_path: Path, undisturbed: str
) -> None:
    folder = experiment(tmp_path)
    process = start_with_slurm(folder, ACCEPTS, SETTINGS)
    wait_for(lambda: finished(folder) >= 2)
    (job,) = tmp_path.glob("job-*.pid")
    os.killpg(int(job.read_text()), signal.SIGTERM)
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (0, "6 of 6 runs are done.\n"), errors
    assert "Traceback" not in errors and "Warning" not in errors
    assert exported(folder) == undisturbed
    scripts = [script.read_text() for script in tmp_path.glob("job-*.sh")]
    assert len(scripts) == 2
    for script in scripts:
        directives = {line.removeprefix("#SBATCH ") for line in script.splitlines() if line.startswith("#SBATCH ")}
        wanted = {"-p batch", "-A tagging", "--cpus-per-task=1", "--mem=477M", "-t 01:30:00", "--gres=gpu:1"}
        assert wanted <= directives
        assert f"{sys.executable} -m distributed.cli.dask_worker tcp://" in script
    wait_for(lambda: not processes(folder))


@pytest.mark.parametrize(
    ("sbatch", "settings", "message"),
    [
        (
            REFUSES,
            SETTINGS,
            "--cluster slurm: sbatch refuses the job: sbatch: error: invalid partition specified: batch\n",
        ),
        (
            ACCEPTS,
            SETTINGS.replace("queue", "quueue"),
            "[cluster]: Got unexpected keyword argument 'quueue'. Settings are those of dask-jobqueue's ",
        ),
    ],
    ids=["a partition that is not there", "a setting that is not there"],
)
def test_what_slurm_does_not_take_is_said_in_one_line(
    tmp_path: Path, sbatch: str, settings: str, message: str
) -> None:
    process = start_with_slurm(experiment(tmp_path), sbatch, settings)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert errors.startswith(f"6 runs are due (6 new).\nassay: {message}") and errors.count("\n") == 2


# Dask leaves it to the garbage collector to end the processes of jobs that run here.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.slow
def test_on_a_batch_system_it_gives_the_same(tmp_path: Path, undisturbed: str) -> None:
    pytest.importorskip("dask_jobqueue")
    folder = experiment(tmp_path)
    with (folder / "taggers.toml").open("a") as plan:
        plan.write('\n[cluster]\ncores = 1\nprocesses = 1\nmemory = "500MB"\n')
    done = call(folder, "run", "taggers.toml", "--cluster", "local-jobs", "--jobs", "2")
    assert (done.returncode, done.stdout) == (0, "6 of 6 runs are done.\n"), done.stderr
    assert exported(folder) == undisturbed
