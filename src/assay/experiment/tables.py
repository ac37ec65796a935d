"""Tables of measurements, CSV or TSV text with a row for each measurement of a run: read, exported, imported."""

from __future__ import annotations

import csv
import io
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from assay.errors import InputError, UsageError
from assay.experiment.data import Data, hash_file
from assay.experiment.job import find_discordant, share_counts
from assay.experiment.plan import Experiment, RunId, measure_and_score, read_plan
from assay.experiment.splits import split_name
from assay.experiment.store import Measurement, Outcome, Store
from assay.formats.source import Source
from assay.result import Result, Results

COLUMNS = ("dataset", "system", "repetition", "fold", "measure", "value")
COUNTS = ("numerator", "denominator", "n_train", "n_test")
"""Columns that may be missing."""
PAIRS = ("dataset", "a", "b", "repetition", "fold", "measure", "only_a", "only_b")
"""The columns of a table of pairs: the items of a split that only one of two systems has right."""


class Split(NamedTuple):
    """The part of a data set that was tested."""

    repetition: int
    fold: int

    def __str__(self) -> str:
        return split_name(*self)


class Row(NamedTuple):
    """One measurement of one run."""

    place: str
    """Its file and line."""
    dataset: str
    system: str
    split: Split
    measure: str
    value: float
    """nan if it is undefined."""
    numerator: float | None = None
    denominator: float | None = None
    n_train: int | None = None
    n_test: int | None = None


def read_measurements(path: str, text: str, hint: str = "") -> Iterator[Row]:
    """Rows of a table of measurements; InputError if there are none, or one comes twice.

    `hint` is added to the error about a missing column.
    """
    seen: set[tuple[str, str, Split, str]] = set()
    remedy = f"The first line names the columns: {', '.join(COLUMNS)}, and if known {', '.join(COUNTS)}.{hint}"
    for place, cells in read_table_rows(path, text, COLUMNS, remedy):
        dataset, system, measure = (read_word(place, cells, name) for name in ("dataset", "system", "measure"))
        split = Split(read_whole(place, cells, "repetition"), read_whole(place, cells, "fold"))
        value, part, items = (_number(place, cells, name) for name in ("value", "numerator", "denominator"))
        n_train, n_test = (read_whole(place, cells, name) if cells.get(name) else None for name in COUNTS[2:])
        if not math.isnan(items) and not 0 < items < math.inf and math.isfinite(value):
            raise InputError(f"{place}: the denominator of {cells['value']} is {cells['denominator']}.")
        if (dataset, system, split, measure) in seen:
            raise InputError(f"{place}: {measure} of {dataset} {system} {split} is given twice. Keep one of them.")
        seen.add((dataset, system, split, measure))
        numerator, denominator = (None if math.isnan(number) else number for number in (part, items))
        yield Row(place, dataset, system, split, measure, value, numerator, denominator, n_train, n_test)
    if not seen:
        raise InputError(f"{path}: contains no measurements.")


def read_table_rows(
    path: str, text: str, columns: Sequence[str], remedy: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Place and cells of each line of a CSV or TSV text, whose first line names the columns."""
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text), delimiter="\t" if "\t" in first else ",", strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if missing := [name for name in columns if name not in header]:
            raise InputError(f"{path}:1: there is no column {missing[0]}. {remedy}")
        if twice := [name for name in header if header.count(name) > 1]:
            raise InputError(f"{path}:1: has the column {twice[0]} twice.")
        for cells in reader:
            place = f"{path}:{reader.line_num}"
            if cells and len(cells) != len(header):
                raise InputError(f"{place}: {len(cells)} columns, but the first line has {len(header)}.")
            if cells:
                yield place, {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: not CSV: {error}.") from None


def read_word(place: str, cells: Mapping[str, str], name: str) -> str:
    """A cell; InputError if it is empty."""
    if not cells[name]:
        raise InputError(f"{place}: {name} is empty.")
    return cells[name]


def read_whole(place: str, cells: Mapping[str, str], name: str) -> int:
    """A whole number from 0 in a cell; some programs write 3.0."""
    text = cells[name].removesuffix(".0")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise InputError(f"{place}: {name} should be a whole number, not {cells[name]!r}.")
    return int(text)


def _number(place: str, cells: Mapping[str, str], name: str) -> float:
    """A number in a cell; nan if the cell is empty or missing."""
    try:
        return float(cells.get(name) or math.nan)
    except ValueError:
        raise InputError(f"{place}: {name} should be a number, not {cells[name]!r}.") from None


# --- out of the store ---


def export(path: str | Path) -> str:
    """All measurements of the runs that the file names, and of imported ones, as CSV in a fixed order."""
    experiment, stored = _read_store(path)
    named = set(experiment.run_ids())
    ranks = {measure: number for number, measure in enumerate(experiment.measures)}
    rows: list[list[object]] = []
    for run in sorted(stored):
        outcome = stored[run]
        if outcome.state != "done" or (outcome.origin == "run" and run not in named):
            continue
        for row in sorted(outcome.measurements, key=lambda row: (ranks.get(row.measure, len(ranks)), row.measure)):
            counts = [row.numerator, row.denominator, outcome.n_train, outcome.n_test]
            shown = ["" if number is None else number for number in counts]
            rows.append([run.dataset, run.system, run.repetition, run.fold, row.measure, repr(row.value), *shown])
    return _format_csv((*COLUMNS, *COUNTS), rows)


def export_pairs(path: str | Path) -> str:
    """For each split, measure and two systems the items that only one has right, as CSV for `assay bayes --pairs`."""
    from assay.engine.measure import find

    experiment, stored = _read_store(path)
    specs = [spec for spec in experiment.measures if measure_and_score(spec)[1] is None]
    task = next((data.task for data in experiment.datasets.values()), "")
    specs = [spec for spec in specs if find(spec, task).judges_items]
    if not specs:
        raise UsageError("none of the measures scores single items, so systems cannot be compared on items.")
    rows: list[list[object]] = []
    done = sorted(run for run in experiment.run_ids() if run in stored and stored[run].state == "done")
    for name, of_data in groupby(done, key=lambda run: run.dataset):
        data = Data.read(experiment.datasets[name])
        by_split = sorted(of_data, key=lambda run: (run.repetition, run.fold))
        for (repetition, fold), runs in groupby(by_split, key=lambda run: (run.repetition, run.fold)):
            outputs: dict[str, str] = {}
            for run in runs:
                outcome = stored[run]
                file = experiment.folder(run) / outcome.predictions
                if outcome.inputs["data"] != data.sha256 or hash_file(file) != outcome.predictions_sha256:
                    raise InputError(
                        f"the predictions of {run} are missing or out of date. First run: assay experiment run"
                    )
                outputs[run.system] = str(file)
            if len(outputs) < 2:
                continue
            split = data.split(repetition, fold)
            with tempfile.TemporaryDirectory() as folder:
                test, train = (Path(folder, f"{part}{data.suffix}") for part in ("test", "train"))
                test.write_text(data.text(split.test), "utf-8", newline="\n")
                train.write_text(data.text(split.train), "utf-8", newline="\n")
                for measure, a, b, *only in find_discordant(data.dataset, specs, str(test), str(train), outputs):
                    rows.append([name, a, b, repetition, fold, measure, *only])
    return _format_csv(PAIRS, rows)


def _read_store(path: str | Path) -> tuple[Experiment, dict[RunId, Outcome]]:
    experiment = read_plan(path)
    with Store(experiment.store) as store:
        return experiment, store.outcomes()


def _format_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([columns, *rows])
    return stream.getvalue()


def export_results(results: Result | Results) -> str:
    """Main scores of each data set, or of one that is named after its gold, as CSV; a run is a repetition."""
    from assay.engine.measure import find

    rows: list[list[object]] = []
    sets = results.sets if isinstance(results, Results) else {results.gold.name: results}
    for name, result in sets.items():
        everything = [row for row in result.counts if row.label is None and row.slice is None]
        counted = {(row.system, row.measure): row.counts for row in everything}
        for row in result.scores:
            if not row.main or row.label is not None or row.slice is not None:
                continue
            if row.runs is not None:
                for number, value in enumerate(row.runs.values, 1):
                    cells = [name, row.system, number, 1, row.measure, float(value)]
                    rows.append([*cells, "", "", "", result.about.units])
                continue
            try:
                function = find(row.measure, result.about.task).scores.get(row.score)
            except UsageError:
                # A measure of one framework, for example.
                function = None
            counts = counted.get((row.system, row.measure), {})
            part, whole = share_counts(function, row.score, row.value, counts)
            shown = ("" if math.isnan(row.value) else float(row.value), *((part, whole) if whole else ("", "")))
            rows.append([name, row.system, 1, 1, row.measure, *shown, "", result.about.units])
    return _format_csv((*COLUMNS, *COUNTS), rows)


# --- into the store ---


def import_measurements(path: str | Path, table: str | Path, *, replace_old: bool = False) -> int:
    """Write measurements from a CSV or TSV file into the store; returns the number of runs.

    The columns are those of `export`; counts and sizes may be left out. `replace_old` overwrites imported runs.
    """
    experiment = read_plan(path)
    outcomes: dict[RunId, Outcome] = {}
    for row in read_measurements(str(table), "".join(batch.text for batch in Source(str(table)).batches())):
        run = RunId(row.dataset, row.system, *row.split)
        if run.repetition < 1 or run.fold < 1:
            raise InputError(f"{row.place}: repetitions and folds count from 1.")
        if math.isinf(row.value):
            raise InputError(f"{row.place}: value should be a finite number, not {row.value}.")
        counts = [row.numerator, row.denominator]
        for number in counts:
            if number is not None and not number.is_integer():
                raise InputError(f"{row.place}: numerator and denominator should be whole numbers, not {number}.")
        outcome = outcomes.get(run) or Outcome(
            run, "done", {}, origin="import", n_train=row.n_train, n_test=row.n_test
        )
        numerator, denominator = (None if number is None else int(number) for number in counts)
        measured = Measurement(row.measure, row.value, numerator, denominator)
        outcomes[run] = replace(outcome, measurements=(*outcome.measurements, measured))
    for run in outcomes:
        if run.system in experiment.systems and run.dataset in experiment.datasets:
            raise UsageError(
                f"{table}: {experiment.path.name} itself runs {run.system} on {run.dataset}. Rename it in one of the "
                f"two."
            )
    with Store(experiment.store, create=True) as store, store.transaction():
        stored = store.outcomes()
        for run, outcome in outcomes.items():
            old = {row.measure: row for row in stored[run].measurements} if run in stored else {}
            new = {row.measure: row for row in outcome.measurements}
            twice = [measure for measure in new if measure in old]
            if twice and not replace_old:
                raise UsageError(f"{table}: the store already has {twice[0]} of {run}. To overwrite it: --replace")
            store.record(replace(outcome, measurements=tuple({**old, **new}.values())))
    return len(outcomes)
