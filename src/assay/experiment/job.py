"""One run: split, train, predict, score, and write a folder with logs, predictions and a summary."""

from __future__ import annotations

import json
import math
import os
import platform
import re
import secrets
import select
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.classes import dataclass
from assay.errors import AlignmentError, AssayError, InputError, UsageError, describe_os_error
from assay.experiment.data import Data, hash_file
from assay.experiment.plan import (
    DataSet,
    Experiment,
    RunId,
    System,
    fill_placeholders,
    measure_and_score,
    placeholder_values,
)
from assay.experiment.store import Measurement, Outcome, Usage

TAIL = 15
"""Number of a log's last lines that are shown for a failed run."""
_GUARD = str(Path(__file__).with_name("guard.py"))
_PATIENCE = 0.2
"""Seconds between two checks whether a command should stop."""
_SIGNALS = {9: " (killed, perhaps for lack of memory)", 11: " (segmentation fault)", 15: " (terminated)"}


class StoppedError(Exception):
    """The coordinator of this run has ended, or no longer wants it."""


class CommandError(Exception):
    """A command failed; the text says how."""


@dataclass(frozen=True)
class Job:
    """A run that is due, with everything that a worker needs."""

    experiment: Experiment
    run: RunId
    inputs: Mapping[str, str]
    """Everything that decides its predictions."""
    scoring: str
    """A hash of what decides its measurements, given the predictions."""
    token: str = ""
    """The token of the coordinating process; part of the names of folders that are not finished yet."""
    why: str = ""
    """The reason why it is due."""
    scored: Outcome | None = None
    """The known outcome, if only the scores have to be computed again."""

    @property
    def dataset(self) -> DataSet:
        """The data set of the run."""
        return self.experiment.datasets[self.run.dataset]

    @property
    def system(self) -> System:
        """The system of the run."""
        return self.experiment.systems[self.run.system]

    @property
    def folder(self) -> Path:
        """The folder of the run's logs and predictions."""
        return self.experiment.folder(self.run)


def execute(job: Job, stopped: Callable[[], bool]) -> Outcome:
    """Do a run. A failure of the system's programs or output is an Outcome, any other one an error."""
    begun = time.monotonic()
    final = job.folder
    try:
        data = _read_data(job.dataset, job.inputs["data"])
        # A folder of its own; its name shows which coordinator left it, if it is interrupted.
        workdir = final.with_name(f".{final.name}.{job.token}-{secrets.token_hex(4)}")
        workdir.mkdir(parents=True)
        try:
            outcome = _train_and_score(job, data, workdir, stopped)
            if stopped():
                raise StoppedError
        except BaseException:
            shutil.rmtree(workdir, ignore_errors=True)
            raise
        if job.scored is not None:
            shutil.rmtree(workdir, ignore_errors=True)
            kept = ("state", "measurements", "scoring", "error")
            return replace(job.scored, **{name: getattr(outcome, name) for name in kept})
        outcome = replace(outcome, seconds=time.monotonic() - begun, finished=time.time(), host=platform.node())
        _keep_folder(job, workdir, final, outcome)
    except OSError as error:
        # A full disk or a lost file system would make all runs that follow fail in the same way.
        fact = f"{error.filename or job.folder}: {describe_os_error(error)}"
        raise InputError(f"{fact}. Fix this and run again; finished runs are kept.") from None
    return outcome


@lru_cache(maxsize=1)
def _read_data(dataset: DataSet, sha256: str) -> Data:
    """The data set; a worker keeps the last one for the next runs."""
    if not os.path.exists(dataset.path) and not set("*?[") & set(dataset.path):
        raise InputError(
            f"{dataset.path}: does not exist on {platform.node()}. Workers on other machines need the same folders."
        )
    data = Data.read(dataset)
    if data.sha256 != sha256:
        raise InputError(f"{dataset.path}: changed during the experiment. Run it again.")
    return data


def _train_and_score(job: Job, data: Data, workdir: Path, stopped: Callable[[], bool]) -> Outcome:
    """Split, train, predict and score in a folder."""
    run, system, measures = job.run, job.system, job.experiment.measures
    values = placeholder_values(run, job.dataset.design, job.experiment.here, workdir, data.suffix)
    split = data.split(run.repetition, run.fold)
    (workdir / "parts").mkdir()
    wanted = {"train", "test", *(name for command in system.commands.values() for name in command.placeholders)}
    if system.blind and system.commands and job.scored is None:
        wanted.add("test_blind")
    for name in sorted(wanted & {"train", "dev", "test", "test_blind"}):
        units = getattr(split, name.removesuffix("_blind"))
        write = data.blind if name == "test_blind" else data.text
        text = "" if name == "dev" and not units else write(units)
        Path(values[name]).write_text(text, "utf-8", newline="\n")
    predictions = output = Path(values["output"])
    used = {"train": Usage(), "predict": Usage()}
    step = error = ""
    rows: list[Measurement] = []
    try:
        if job.scored is not None:
            predictions = job.folder / job.scored.predictions
        elif system.predictions is not None:
            step = "predictions"
            file = fill_placeholders(system.predictions, values)
            if not os.path.isfile(file):
                raise CommandError(f"there is no file {file}.")
            shutil.copyfile(file, output)
        else:
            for step, template in system.commands.items():
                blind = {"test": values["test_blind"]} if step == "predict" and system.blind else {}
                argv = template.argv({**values, **blind})
                with (workdir / "commands.txt").open("a", encoding="utf-8") as stream:
                    # The folder will be renamed when the run is done.
                    stream.write(f"{step}: {shlex.join(argv)}\n".replace(str(workdir), str(job.folder)))
                # Without {output}, what predict prints is its output.
                prints = output if step == "predict" and "output" not in template.placeholders else None
                used[step] = run_command(
                    argv, workdir, workdir / f"{step}.log", stopped, prints, system.limit, system.environment
                )
            if not output.is_file():
                raise CommandError(f"wrote no file {output.name}. It should write its predictions to {{output}}.")
        step = "scoring"
        rows = measure_run(job.dataset, run.system, measures, values["test"], values["train"], str(predictions))
    except (CommandError, AssayError) as problem:
        if shutil.disk_usage(workdir).free < 1 << 20:
            raise InputError(
                f"{job.folder}: the disk is full. Free some space and run again; finished runs are kept."
            ) from None
        lines = [f"{step}: {problem}"]
        log = workdir / f"{step}.log"
        if log.is_file():
            with log.open("rb") as end:
                end.seek(max(0, log.stat().st_size - (1 << 16)))
                ends = end.read().decode("utf-8", "replace").splitlines()
            lines += [line.rstrip() for line in ends if line.strip()][-TAIL:]
        # Files are named without their folder, because it will be renamed.
        error = "\n".join(lines).replace(f"{workdir}/", "")
    return Outcome(
        run=run,
        state="failed" if error else "done",
        inputs=job.inputs,
        scoring=job.scoring,
        measurements=tuple(rows),
        error=error,
        n_train=data.count(split.train),
        n_dev=data.count(split.dev),
        n_test=data.count(split.test),
        seed=int(values["seed"]),
        train=used["train"],
        predict=used["predict"],
        predictions=output.name,
        predictions_sha256=hash_file(output),
    )


def _keep_folder(job: Job, workdir: Path, final: Path, outcome: Outcome) -> None:
    """Write a summary, remove files that are not kept, and rename the folder."""
    summary = {
        **vars(outcome.run),
        "state": outcome.state,
        "error": outcome.error,
        "seed": outcome.seed,
        "sentences": {"train": outcome.n_train, "dev": outcome.n_dev, "test": outcome.n_test},
        **{
            kind: {"seconds": round(used.seconds, 3), "cpu": round(used.cpu, 3), "memory": used.memory}
            for kind, used in (("train", outcome.train), ("predict", outcome.predict))
        },
        "host": outcome.host,
        "inputs": dict(outcome.inputs),
        "scores": {row.measure: None if math.isnan(row.value) else row.value for row in outcome.measurements},
    }
    (workdir / "run.json").write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n", "utf-8")
    # Messages about a failure name places in the test part.
    suffix = Path(outcome.predictions).suffix
    removed = ["parts"] if outcome.state == "done" else [f"parts/train{suffix}", f"parts/dev{suffix}"]
    if not job.experiment.keep_models or outcome.state == "failed":
        removed.append("model")
    for path in (workdir / name for name in removed):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    # The old folder is removed; on a cluster, a worker that seemed lost may do this at the same time.
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


def run_command(
    argv: list[str],
    folder: Path,
    log: Path,
    stopped: Callable[[], bool] = lambda: False,
    output: Path | None = None,
    limit: float = 0.0,
    environment: Mapping[str, str] | None = None,
) -> Usage:
    """Run a command; CommandError if it fails or takes too long, StoppedError if `stopped` becomes true.

    Standard output goes to the log, or to `output`; the `limit` is in seconds, 0 is none.
    """
    order = {
        "argv": argv,
        "cwd": str(folder),
        "stdout": str(output or log),
        "stderr": str(log),
        "limit": limit,
        "environment": dict(environment or {}),
    }
    # In its own group, so that an interrupt at the terminal does not reach it.
    guard = subprocess.Popen(
        [sys.executable, "-I", "-S", _GUARD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        process_group=0,
    )
    assert guard.stdin is not None and guard.stdout is not None
    try:
        guard.stdin.write(json.dumps(order).encode() + b"\n")
        while not select.select([guard.stdout], [], [], _PATIENCE)[0]:
            if stopped():
                raise StoppedError
        answer = guard.stdout.read()
    except BrokenPipeError:
        answer = b""
    finally:
        # The end of its input makes the guard stop the command.
        guard.stdin.close()
        guard.wait()
        guard.stdout.close()
    if not answer:
        raise CommandError("was killed together with the process that watched it.")
    done = json.loads(answer)
    if "refused" in done:
        raise CommandError(f"{argv[0]}: cannot be run ({done['refused'].lower()}).")
    if done["over"]:
        raise CommandError(f"took longer than its time limit of {limit:g} s.")
    if done["code"] < 0:
        raise CommandError(f"was ended by signal {-done['code']}{_SIGNALS.get(-done['code'], '')}.")
    if done["code"]:
        raise CommandError(f"ended with exit code {done['code']}.")
    return Usage(done["seconds"], done["cpu"], done["memory"])


# --- measuring ---


def measure_run(
    dataset: DataSet, system: str, specs: Sequence[str], test: str, train: str, predictions: str
) -> list[Measurement]:
    """Measurements of one run: predictions against the test part; unseen words are those of its training part."""
    from assay.engine.measure import find
    from assay.scale.run import score

    wanted = [measure_and_score(spec) for spec in specs]
    try:
        measures = [find(measure, dataset.task) for measure, _ in wanted]
        options = _choose_options(dataset, measures[0].task, train)
        result = score(test, {system: predictions}, [measure for measure, _ in wanted], **options)
        if result.about.aligned_by not in ("words", "position") and not (dataset.own_tokens or dataset.task):
            from assay.formats import Input

            paths = (test, predictions)
            gold, output = (Input(path, input_format=dataset.format).read(()) for path in paths)
            both = min(len(gold), len(output))
            word = next((word for word in range(both) if gold.forms[word] != output.forms[word]), both - 1)
            raise AlignmentError(
                f"the predictions have different words from the test part; the first is {output.forms[word]!r}, but "
                f"gold has {gold.forms[word]!r} ({gold.place(word)}). If systems may tokenise differently: "
                f"own_tokens = true"
            )
        distinct = list(dict.fromkeys(map(str, measures)))
        if len(distinct) != len(result.measures):
            raise UsageError(f"two of the measures are the same: {', '.join(distinct)}. Leave one of them out.")
        # The name of a measure in the Result may have the column as the data name it.
        names = dict(zip(distinct, result.measures, strict=True))
        rows = []
        for spec, (_, chosen), measure in zip(specs, wanted, measures, strict=True):
            name, main = names[str(measure)], chosen or measure.main
            values = {row.score: row.value for row in result.scores if _is_overall(row, name)}
            if main not in values:
                raise UsageError(f"{spec}: {name} has no score {main!r}. Available: {', '.join(values)}.")
            counts: Mapping[str, int] = next((row.counts for row in result.counts if _is_overall(row, name)), {})
            part, whole = share_counts(measure.scores.get(main), main, values[main], counts)
            rows.append(Measurement(spec, values[main], part, whole, dict(counts)))
        return rows
    except AssayError as error:
        text = str(error)
        # Advice about the command line, in the words of an experiment's file.
        for option, setting in (("--column", "column"), ("--input-format", "format"), ("--task", "task")):
            text = text.replace(option, f'{setting} = "…"')
        raise type(error)(re.sub(r"[.;] [Tt]o score only .*: --on-mismatch skip$", ".", text)) from None
    except Exception as error:
        # An error in a measure that the user wrote is the user's to correct.
        if not any(":" in measure.partition("(")[0] for measure, _ in wanted):
            raise
        raise UsageError(f"a measure failed: {type(error).__name__}: {error}.") from error


def _is_overall(row: Any, measure: str) -> bool:
    return row.measure == measure and row.label is None and row.slice is None


def _choose_options(dataset: DataSet, task: str, train: str) -> dict[str, Any]:
    from assay.engine.task import find_task

    training = {"train": train} if find_task(task).with_known_words else {}
    # Tests are made over runs, not within one, so there is as little resampling as possible.
    return {**dict(dataset.scoring), "input_format": dataset.format, **training, "times": 1}


def share_counts(
    function: Any, score: str, value: float, counts: Mapping[str, int]
) -> tuple[int | None, int | None]:
    """Number of right items and of all items if the score is a share of them; None twice otherwise."""
    from assay.engine.measure import Proportion

    if isinstance(function, Proportion) and function.is_counted(counts):
        sums: Any = counts
        part, whole = int(function.part(sums)), int(function.total(sums))
    elif score == "f1" and counts.get("gold") == counts.get("system") and "right" in counts and "gold" in counts:
        # With equal tokens the F1 of words is their accuracy.
        part, whole = int(counts["right"]), int(counts["gold"])
    else:
        return None, None
    equal = not whole or math.isclose(part / whole, value, rel_tol=1e-9, abs_tol=1e-12)
    return (part, whole) if equal else (None, None)


def find_discordant(
    dataset: DataSet, specs: Sequence[str], test: str, train: str, predictions: Mapping[str, str]
) -> Iterator[tuple[str, str, str, int, int]]:
    """Measure, two systems, and how many items only the first and only the second has right."""
    from assay.engine.measure import find
    from assay.scale.run import compare

    named = {str(find(spec, dataset.task)): spec for spec in specs}
    options = _choose_options(dataset, find(specs[0], dataset.task).task, train)
    for diff in compare(test, dict(predictions), list(specs), **options).diffs:
        if diff.slice is None and diff.on in named and diff.is_judged:
            yield named[diff.on], diff.a, diff.b, diff.new_errors, diff.corrections
