"""One run from beginning to end: split, train, predict, score, and leave a folder behind that tells of it."""

from __future__ import annotations

import json
import os
import platform
import secrets
import shlex
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from assay.errors import AssayError, InputError, reason
from assay.experiment.commands import Command, CommandError, StoppedError, Template, Usage, filled
from assay.experiment.data import Data, file_hash
from assay.experiment.measure import Measurement, measured
from assay.experiment.plan import DataSet, RunId, System, values_of_folder, values_of_run
from assay.experiment.splits import Split
from assay.experiment.store import Outcome

TAIL = 15
"""So many of a log's last lines are shown for a failed run."""
_LITTLE_ROOM = 1 << 20


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know."""

    run: RunId
    dataset: DataSet
    system: System
    measures: tuple[str, ...]
    inputs: Mapping[str, str]
    scoring: str
    here: str
    """The folder of the experiment's file."""
    folder: str
    """Where the run's logs and predictions are to be kept."""
    token: str
    """Who coordinates; part of the names of folders that are not finished yet."""
    lock: str = ""
    """The file that says who coordinates."""
    keep_model: bool = False
    scored: Outcome | None = None
    """Where the run is done and only to be scored anew: what is known of it."""


def execute(job: Job, stopped: Callable[[], bool]) -> Outcome:
    """Do a run; what fails in the system's own programs or output is an Outcome, all else an error."""
    begun = time.monotonic()
    try:
        data = _read(job.dataset, job.inputs["data"])
        workdir = _begin(job)
        try:
            outcome = _Work(job, data, workdir).run(stopped)
            if stopped():
                raise StoppedError
        except BaseException:
            shutil.rmtree(workdir, ignore_errors=True)
            raise
        outcome = replace(outcome, seconds=time.monotonic() - begun, finished=time.time(), host=platform.node())
        _finish(job, workdir, outcome)
    except OSError as error:
        # A full disk or a lost file system would make all runs that follow fail in the same way.
        fact = f"{error.filename or job.folder}: {reason(error)}"
        raise InputError(f"{fact}. Put that right and run again; what is done stays.") from None
    if job.scored is None:
        return outcome
    kept = ("state", "measurements", "scoring", "error")
    return replace(job.scored, **{name: getattr(outcome, name) for name in kept})


@lru_cache(maxsize=1)
def _read(dataset: DataSet, sha256: str) -> Data:
    """The data; a worker keeps what it read for the runs that follow."""
    if not _there(dataset.path):
        raise InputError(
            f"{dataset.path}: is not there on {platform.node()}. Workers on other machines need the same folders."
        )
    data = Data.read(dataset)
    if data.sha256 != sha256:
        raise InputError(f"{dataset.path}: changed while the experiment was under way. Run it again.")
    return data


def _there(path: str) -> bool:
    return os.path.exists(path) or bool(set("*?[") & set(path))


def _begin(job: Job) -> Path:
    """A folder that nobody else works in, named so that it can be told who left it behind."""
    final = Path(job.folder)
    workdir = final.with_name(f".{final.name}.{job.token}-{secrets.token_hex(4)}")
    workdir.mkdir(parents=True)
    return workdir


def _finish(job: Job, workdir: Path, outcome: Outcome) -> None:
    """Give the folder its name; what was there before makes room."""
    if job.scored is not None:
        shutil.rmtree(workdir, ignore_errors=True)
        return
    final = Path(job.folder)
    (workdir / "run.json").write_text(_summary(outcome), "utf-8")
    if outcome.state == "done":
        _remove(workdir / "parts")
    # Messages about a failure name places in the test part.
    for name in ("train", "dev"):
        _remove(workdir / "parts" / f"{name}{Path(outcome.predictions).suffix}")
    if not job.keep_model or outcome.state == "failed":
        _remove(workdir / "model")
    _take_place(workdir, final)


def _take_place(workdir: Path, final: Path) -> None:
    """Rename a folder in place of another; on a cluster, a worker thought lost may do so at the same time."""
    old = final.with_name(f"{workdir.name}-old")
    for tries_left in reversed(range(5)):
        with suppress(FileNotFoundError):
            final.rename(old)
        shutil.rmtree(old, ignore_errors=True)
        try:
            workdir.rename(final)
            return
        except OSError:
            if not tries_left:
                raise


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _summary(outcome: Outcome) -> str:
    """What the store says of a run, for those who look into its folder."""
    usage = {
        kind: {"seconds": round(used.seconds, 3), "cpu": round(used.cpu, 3), "memory": used.memory}
        for kind, used in (("train", outcome.train), ("predict", outcome.predict))
    }
    run = outcome.run
    summary = {
        **{"dataset": run.dataset, "system": run.system, "repetition": run.repetition, "fold": run.fold},
        "state": outcome.state,
        "error": outcome.error,
        "seed": outcome.seed,
        "sentences": {"train": outcome.n_train, "dev": outcome.n_dev, "test": outcome.n_test},
        **usage,
        "host": outcome.host,
        "inputs": dict(outcome.inputs),
        "scores": {one.measure: one.value if one.value == one.value else None for one in outcome.measurements},
    }
    return json.dumps(summary, indent=1, ensure_ascii=False) + "\n"


class _Work:
    """The steps of one run in its folder."""

    def __init__(self, job: Job, data: Data, workdir: Path) -> None:
        self.job, self.data, self.workdir = job, data, workdir
        self.parts = workdir / "parts"
        self.output = workdir / f"predictions{data.suffix}"
        self.used = {"train": Usage(), "predict": Usage()}
        self.step = ""

    def run(self, stopped: Callable[[], bool]) -> Outcome:
        """Split, train, predict, score."""
        run = self.job.run
        split = self.data.split(run.repetition, run.fold)
        self._write_parts(split)
        values = {
            **values_of_run(run, self.job.dataset.design, self.job.here),
            **values_of_folder(self.workdir, self.data.suffix),
        }
        error = ""
        rows: tuple[Measurement, ...] = ()
        try:
            predictions = self._predictions(values, stopped)
            self.step = "scoring"
            rows = tuple(self._measured(predictions))
        except (CommandError, AssayError) as problem:
            error = self._failure(str(problem))
        return Outcome(
            run=run,
            state="failed" if error else "done",
            inputs=self.job.inputs,
            scoring=self.job.scoring,
            measurements=rows,
            error=error,
            n_train=self.data.count(split.train),
            n_dev=self.data.count(split.dev),
            n_test=self.data.count(split.test),
            seed=int(values["seed"]),
            train=self.used["train"],
            predict=self.used["predict"],
            predictions=self.output.name,
            predictions_sha256=file_hash(self.output),
        )

    def _write_parts(self, split: Split) -> None:
        """Write the parts that this run needs."""
        self.parts.mkdir()
        wanted = {"train", "test", *_placeholders(self.job.system)}
        blind = self.job.system.blind and self.job.scored is None and bool(wanted & {"test", "test_blind"})
        texts = {
            "train": lambda: self.data.text(split.train),
            "dev": lambda: self.data.text(split.dev) if split.dev else "",
            "test": lambda: self.data.text(split.test),
            "test_blind": lambda: self.data.blind(split.test),
        }
        if blind and self.job.system.predict is not None:
            wanted.add("test_blind")
        for name in sorted(wanted & texts.keys()):
            (self.parts / f"{name}{self.data.suffix}").write_text(texts[name](), "utf-8", newline="\n")

    def _predictions(self, values: Mapping[str, str], stopped: Callable[[], bool]) -> Path:
        """The file of the predictions, made, found, or kept from before."""
        system = self.job.system
        if self.job.scored is not None:
            return Path(self.job.folder) / self.job.scored.predictions
        if system.predictions is not None:
            self.step = "predictions"
            given = Path(filled(system.predictions, values))
            if not given.is_file():
                raise CommandError(f"there is no file {given}.")
            shutil.copyfile(given, self.output)
            return self.output
        if system.train is not None:
            self._command("train", system.train, values, stopped)
        assert system.predict is not None
        shown = {**values, "test": values["test_blind"]} if system.blind else values
        self._command("predict", system.predict, shown, stopped)
        if not self.output.is_file():
            raise CommandError(f"left no file {self.output.name}. It should write its predictions to {{output}}.")
        return self.output

    def _command(self, step: str, template: Template, values: Mapping[str, str], stopped: Callable[[], bool]) -> None:
        """Run one command; without {output}, what predict prints is its output."""
        self.step = step
        argv = template.argv(values)
        with (self.workdir / "commands.txt").open("a", encoding="utf-8") as stream:
            # The folder has another name when all is done.
            stream.write(f"{step}: {shlex.join(argv)}\n".replace(str(self.workdir), self.job.folder))
        prints = step == "predict" and "output" not in template.placeholders
        command = Command(
            argv,
            self.workdir,
            self.workdir / f"{step}.log",
            self.output if prints else None,
            self.job.system.limit,
            self.job.system.environment,
        )
        self.used[step] = command.run(stopped)

    def _measured(self, predictions: Path) -> list[Measurement]:
        test, train = (str(self.parts / f"{name}{self.data.suffix}") for name in ("test", "train"))
        job = self.job
        return measured(job.dataset, job.run.system, job.measures, test, train, str(predictions))

    def _failure(self, fact: str) -> str:
        """What is shown of a failure; files go by their names, as the folder gets another."""
        if shutil.disk_usage(self.workdir).free < _LITTLE_ROOM:
            raise InputError(f"{self.job.folder}: the disk is full. Make room and run again; what is done stays.")
        log = self.workdir / f"{self.step}.log"
        lines = [f"{self.step}: {fact}", *(tail(log) if log.is_file() else ())]
        return "\n".join(lines).replace(f"{self.workdir}/", "")


def _placeholders(system: System) -> list[str]:
    return [name for template in (system.train, system.predict) if template for name in template.placeholders]


def tail(log: Path) -> list[str]:
    """The last lines of a log."""
    size = log.stat().st_size
    with log.open("rb") as stream:
        stream.seek(max(0, size - (1 << 16)))
        text = stream.read().decode("utf-8", "replace")
    return [line.rstrip() for line in text.splitlines() if line.strip()][-TAIL:]
