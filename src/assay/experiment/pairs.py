"""Two systems on the same split, item by item: how many items only one of them has right."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from assay.errors import InputError, UsageError
from assay.experiment.data import Data, file_hash
from assay.experiment.measure import discordant
from assay.experiment.plan import Experiment, RunId, measure_and_score, read_plan
from assay.experiment.runtables import PAIRS
from assay.experiment.store import Outcome, Store


def export_pairs(path: str | Path) -> str:
    """For each split, measure and two systems the items that only one has right, as CSV for `assay bayes --pairs`."""
    experiment = read_plan(path)
    with Store(experiment.store) as store:
        stored = store.outcomes()
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(PAIRS)
    writer.writerows(_rows(experiment, stored))
    return stream.getvalue()


def _rows(experiment: Experiment, stored: Mapping[RunId, Outcome]) -> Iterator[list[object]]:
    specs = _measures_of_items(experiment)
    done = sorted(run for run in experiment.run_ids() if run in stored and stored[run].state == "done")
    for name, of_data in groupby(done, key=lambda run: run.dataset):
        data = Data.read(experiment.datasets[name])
        by_split = sorted(of_data, key=lambda run: (run.repetition, run.fold))
        for (repetition, fold), runs in groupby(by_split, key=lambda run: (run.repetition, run.fold)):
            outputs = {run.system: _predictions(experiment, stored[run], data) for run in runs}
            if len(outputs) > 1:
                for measure, a, b, only_a, only_b in _compared(data, repetition, fold, specs, outputs):
                    yield [name, a, b, repetition, fold, measure, only_a, only_b]


def _measures_of_items(experiment: Experiment) -> list[str]:
    """The measures that judge each item by itself."""
    from assay.engine.measure import find

    specs = [spec for spec in experiment.measures if measure_and_score(spec)[1] is None]
    judging = [spec for spec in specs if find(spec).definition.judges_items]
    if not judging:
        raise UsageError("none of the measures judges item by item, so systems cannot be compared on items.")
    return judging


def _predictions(experiment: Experiment, outcome: Outcome, data: Data) -> str:
    path = experiment.folder(outcome.run) / outcome.predictions
    if outcome.inputs["data"] != data.sha256 or file_hash(path) != outcome.predictions_sha256:
        raise InputError(f"the predictions of {outcome.run} are gone or out of date. First: assay experiment run")
    return str(path)


def _compared(
    data: Data, repetition: int, fold: int, specs: list[str], outputs: Mapping[str, str]
) -> Iterator[tuple[str, str, str, int, int]]:
    split = data.split(repetition, fold)
    with tempfile.TemporaryDirectory() as folder:
        test, train = (Path(folder, f"{name}{data.suffix}") for name in ("test", "train"))
        test.write_text(data.text(split.test), "utf-8", newline="\n")
        train.write_text(data.text(split.train), "utf-8", newline="\n")
        yield from discordant(data.dataset, specs, str(test), str(train), outputs)
