"""Which runs are due: those that are new, that failed and are to be tried again, or whose ingredients changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from assay.experiment.commands import Template, filled
from assay.experiment.data import checksum, file_hash
from assay.experiment.plan import DataSet, Experiment, RunId, System, values_of_run
from assay.experiment.splits import ALGORITHM
from assay.experiment.store import Outcome


@dataclass(frozen=True)
class Due:
    """A run that is to be done, and why."""

    run: RunId
    inputs: Mapping[str, str]
    scoring: str
    why: str
    scored: Outcome | None = None
    """Where it only is to be scored anew: what is known of it."""


class Ingredients:
    """What decides the outcome of each run; files are looked at once."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.checksums = {name: checksum(data.path) for name, data in experiment.datasets.items()}
        self._splits = {name: _split_text(data) for name, data in experiment.datasets.items()}
        self._scoring = {name: _scoring_hash(experiment, data) for name, data in experiment.datasets.items()}

    def inputs(self, run: RunId) -> dict[str, str]:
        """What decides a run's predictions."""
        data, system = self.experiment.datasets[run.dataset], self.experiment.systems[run.system]
        given = {
            "data": self.checksums[run.dataset],
            "split": self._splits[run.dataset],
            "train": _spelled(system.train),
            "predict": _spelled(system.predict),
            "predictions": self._given(system, run),
        }
        if system.predict is not None:
            given["test"] = json.dumps([system.blind, sorted(data.keep)])
            given["environment"] = json.dumps(dict(system.environment), sort_keys=True)
        return {key: value for key, value in given.items() if value}

    def _given(self, system: System, run: RunId) -> str:
        """The checksum of predictions that were made elsewhere."""
        if system.predictions is None:
            return ""
        design = self.experiment.datasets[run.dataset].design
        path = filled(system.predictions, values_of_run(run, design, self.experiment.here))
        return file_hash(path) or "missing"

    def scoring(self, run: RunId) -> str:
        """A hash of what decides its measurements, given the predictions."""
        return self._scoring[run.dataset]


def due_runs(
    experiment: Experiment,
    stored: Mapping[RunId, Outcome],
    ingredients: Ingredients,
    *,
    retry: bool = False,
    rescore: bool = False,
) -> list[Due]:
    """The runs that are due, in the order in which they are done."""
    found = []
    for run in experiment.run_ids():
        inputs, scoring = ingredients.inputs(run), ingredients.scoring(run)
        known = stored.get(run)
        why, scored = _why(experiment, known, inputs, scoring, retry=retry, rescore=rescore)
        if why:
            found.append(Due(run, inputs, scoring, why, scored))
    return found


def _why(
    experiment: Experiment,
    known: Outcome | None,
    inputs: Mapping[str, str],
    scoring: str,
    *,
    retry: bool,
    rescore: bool,
) -> tuple[str, Outcome | None]:
    if known is None or known.origin == "import":
        return "new", None
    if changed := [key for key in {**known.inputs, **inputs} if known.inputs.get(key) != inputs.get(key)]:
        return f"changed: {', '.join(changed)}", None
    if known.state == "failed" and retry:
        return "failed before", None
    if known.scoring != scoring or (rescore and known.state == "done"):
        if _kept(experiment, known):
            return "to be scored anew", known
        if known.state == "done":
            return "predictions are gone", None
        # Its commands failed, which no other measure can change.
    return "", None


def _kept(experiment: Experiment, known: Outcome) -> bool:
    """Whether a run's predictions are there as they were."""
    path = experiment.folder(known.run) / known.predictions
    return bool(known.predictions_sha256) and file_hash(path) == known.predictions_sha256


def _spelled(template: Template | None) -> str:
    return "" if template is None else json.dumps([*template.words, *(["(shell)"] if template.shell else [])])


def _split_text(data: DataSet) -> str:
    if data.splits is not None:
        return f"file {file_hash(data.splits)}"
    design = asdict(data.design)
    # More repetitions leave the first ones as they are.
    del design["repetitions"]
    return json.dumps([ALGORITHM, data.format, design], sort_keys=True)


def _scoring_hash(experiment: Experiment, data: DataSet) -> str:
    options = dict(data.scoring)
    files = {key: file_hash(value) for key, value in options.items() if isinstance(value, str) and file_hash(value)}
    options = {key: value for key, value in options.items() if key not in files}
    text = json.dumps([list(experiment.measures), options, files, data.own_tokens], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
