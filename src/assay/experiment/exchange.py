"""Measurements out of the store and into it, as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from assay.errors import InputError, UsageError
from assay.experiment.measure import Measurement
from assay.experiment.plan import Experiment, RunId, read_plan
from assay.experiment.runtables import COLUMNS, COUNTS, measurements
from assay.experiment.store import Outcome, Store
from assay.formats.source import Source


def export(path: str | Path) -> str:
    """All measurements of the runs that the file names, and of imported ones, as CSV in a fixed order."""
    experiment = read_plan(path)
    with Store(experiment.store) as store:
        stored = store.outcomes()
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*COLUMNS, *COUNTS])
    writer.writerows(_rows(experiment, stored))
    return stream.getvalue()


def _rows(experiment: Experiment, stored: Mapping[RunId, Outcome]) -> Iterator[list[object]]:
    named = set(experiment.run_ids())
    ranks = {measure: number for number, measure in enumerate(experiment.measures)}
    for run in sorted(stored):
        one = stored[run]
        if one.state != "done" or (one.origin == "run" and run not in named):
            continue
        for row in sorted(one.measurements, key=lambda row: (ranks.get(row.measure, len(ranks)), row.measure)):
            counts = [row.numerator, row.denominator, one.n_train, one.n_test]
            shown = ["" if number is None else number for number in counts]
            yield [run.dataset, run.system, run.repetition, run.fold, row.measure, repr(row.value), *shown]


def import_measurements(path: str | Path, table: str | Path, *, replace_old: bool = False) -> int:
    """Take measurements made elsewhere from a CSV or TSV file into the store; returns how many runs there were.

    The columns are those of `export`; counts and sizes may be left out. `replace_old` overwrites imported runs.
    """
    experiment = read_plan(path)
    outcomes = _read(str(table))
    for one in outcomes.values():
        if one.run.system in experiment.systems and one.run.dataset in experiment.datasets:
            raise UsageError(
                f"{table}: {one.run.system} on {one.run.dataset} is run by {experiment.path.name} itself. "
                "Rename it in one of the two."
            )
    with Store(experiment.store, create=True) as store, store.transaction():
        known = store.outcomes()
        merged = []
        for run, one in outcomes.items():
            old = {row.measure: row for row in known[run].measurements} if run in known else {}
            twice = [row.measure for row in one.measurements if row.measure in old]
            if twice and not replace_old:
                raise UsageError(f"{table}: the store has {twice[0]} of {run} already. To overwrite it: --replace")
            rows = {**old, **{row.measure: row for row in one.measurements}}
            merged.append(replace(one, measurements=tuple(rows.values())))
        store.record_all(merged)
    return len(outcomes)


def _read(table: str) -> dict[RunId, Outcome]:
    text = "".join(batch.text for batch in Source(table).batches())
    outcomes: dict[RunId, Outcome] = {}
    for row in measurements(table, text):
        run = RunId(row.dataset, row.system, *row.split)
        if run.repetition < 1 or run.fold < 1:
            raise InputError(f"{row.place}: repetitions and folds count from 1.")
        if math.isinf(row.value):
            raise InputError(f"{row.place}: value should be a finite number, not {row.value}.")
        fresh = Outcome(run, "done", {}, origin="import", n_train=row.n_train, n_test=row.n_test)
        known = outcomes.setdefault(run, fresh)
        part, whole = (_count(row.place, number) for number in (row.numerator, row.denominator))
        one = Measurement(row.measure, row.value, part, whole)
        outcomes[run] = replace(known, measurements=(*known.measurements, one))
    return outcomes


def _count(place: str, number: float | None) -> int | None:
    if number is not None and not number.is_integer():
        raise InputError(f"{place}: numerator and denominator should be whole numbers, not {number}.")
    return None if number is None else int(number)
