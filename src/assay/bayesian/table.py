"""Measurements of many runs, as a table with a row each, or as a matrix of runs per system."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.arrays import Floats
from assay.errors import InputError, UsageError, unknown
from assay.experiment.runtables import Row, Split, measurements
from assay.formats.source import Source

MOST_NAMED = 5
PERCENT = 100.0
"""A perfect score in percent."""
ONLY = "value"
"""What the only measure of a matrix is called."""

Cells = dict[str, dict[str, dict[str, dict[Split, Row]]]]
"""By measure, data set, system and split."""


@dataclass
class Runs:
    """All measurements of a file, or of one file for each system."""

    name: str
    sha256: str
    cells: Cells = field(default_factory=dict)
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The file of each system and its hash, where each has its own."""

    def add(self, row: Row) -> None:
        """Enter one measurement."""
        self.cells.setdefault(row.measure, {}).setdefault(row.dataset, {}).setdefault(row.system, {})[row.split] = row

    @property
    def measures(self) -> list[str]:
        """In the order in which they appear."""
        return list(self.cells)

    def systems(self, measure: str) -> list[str]:
        """The systems that a measure was taken of, by name, so that the order of lines does not matter."""
        return in_order({system for by_system in self.cells[measure].values() for system in by_system})

    def data_sets(self, measure: str) -> list[str]:
        """The data sets that a measure was taken on, by name."""
        return in_order(self.cells[measure])

    def scores(self) -> list[str]:
        """The measures whose values all lie between 0 and 1; where there are none, all."""
        fractions = [name for name in self.measures if all(0 <= value <= 1 for value in self._values(name))]
        return fractions or self.measures

    def check_scale(self, measure: str, systems: Sequence[str], datasets: Sequence[str]) -> None:
        """Refuse scores that are neither fractions nor percent throughout, with the place of one."""
        rows = [
            row for row in self._rows(measure) if row.system in systems and row.dataset in datasets and row.value != 0
        ]
        beyond = next((row for row in rows if not 0 <= row.value <= PERCENT), None)
        if beyond is not None:
            raise InputError(
                f"{beyond.place}: {measure} is {beyond.value:g}, where scores lie between 0 and 1, or 0 and 100 in "
                f"percent. Correct it; or, if less is better, so that any number may be: --lower {measure}"
            )
        scales: tuple[list[Row], list[Row]] = ([], [])
        for row in rows:
            scales[row.value > 1].append(row)
        fewer, more = sorted(scales, key=len)
        if fewer:
            raise InputError(
                f"{fewer[0].place}: {measure} is {fewer[0].value:g}, but {more[0].value:g} in {more[0].place}: "
                "fractions and percent are mixed. Give all as fractions."
            )

    def _values(self, measure: str) -> Iterator[float]:
        return (row.value for row in self._rows(measure))

    def _rows(self, measure: str) -> Iterator[Row]:
        """The measurements that are defined."""
        for by_system in self.cells[measure].values():
            for splits in by_system.values():
                yield from (row for row in splits.values() if math.isfinite(row.value))


def in_order(names: Iterable[str]) -> list[str]:
    """Names in order, with 2 before 10."""
    return sorted(names, key=lambda name: [int(part) if part.isdecimal() else part for part in _DIGITS.split(name)])


_DIGITS = re.compile(r"(\d+)")


# --- reading ---


def read_text(path: str) -> tuple[str, str]:
    """A file's text and the hash of it."""
    source = Source(path)
    return "".join(batch.text for batch in source.batches()), source.sha256


def read_runs(path: str, text: str, sha256: str) -> Runs:
    """CSV or TSV text with a row for each measurement."""
    runs = Runs(path, sha256)
    for row in measurements(path, text, " Matrices are given as NAME=FILE, one for each system."):
        runs.add(row)
    return runs


def read_matrices(files: Sequence[tuple[str, str]], folds: int | None) -> Runs:
    """One matrix for each system: a line for each data set, a number for each run, repetition by repetition."""
    runs = Runs(", ".join(path for _, path in files), "")
    first: list[int] = []
    for system, path in files:
        text, sha256 = read_text(path)
        runs.files[system] = (path, sha256)
        rows = list(_matrix(path, text))
        lengths = [len(row) for _, row in rows]
        first = first or lengths
        if lengths != first:
            raise InputError(
                f"{path}: {_shape(lengths)} where {files[0][1]} has {_shape(first)}. Runs are paired: "
                "the same line and column is the same data and split."
            )
        for number, (place, row) in enumerate(rows, 1):
            if len(row) % (folds or 1):
                raise InputError(f"{place}: {len(row)} runs cannot be repetitions of {folds} folds.")
            for run, value in enumerate(row):
                # Without folds each run is a split of its own, and --rho must say how they are correlated.
                repetition, fold = divmod(run, folds or 1)
                split = Split(repetition + 1, fold + 1)
                runs.add(Row(place, f"line {number}", system, split, ONLY, value, None, None, None, None))
    runs.sha256 = "+".join(sha256 for _, sha256 in runs.files.values())
    return runs


def _shape(lengths: Sequence[int]) -> str:
    return f"{len(lengths)} lines of {lengths[0] if len(set(lengths)) == 1 else 'unequal'} numbers"


def _matrix(path: str, text: str) -> Iterator[tuple[str, list[float]]]:
    empty = True
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.replace(",", " ").split()
        if not cells:
            continue
        empty = False
        try:
            yield f"{path}:{number}", [float(cell) for cell in cells]
        except ValueError:
            raise InputError(
                f"{path}:{number}: not a line of numbers. A matrix has a line for each data set; a table of "
                "measurements is given alone, without NAME=."
            ) from None
    if empty:
        raise InputError(f"{path}: holds no numbers.")


# --- runs side by side ---


@dataclass(frozen=True, eq=False)
class DataSet:
    """The runs of all systems on one data set, split by split."""

    name: str
    splits: tuple[Split, ...]
    values: Mapping[str, Floats]
    denominators: Floats
    """The number of items behind each measurement, where it is known."""
    folds: int
    share: float
    """The test part's share of the test and training parts; nan where their sizes are not known."""


@dataclass(frozen=True)
class Dropped:
    """What the runs that all systems have leave out."""

    measurements: int = 0
    """How many are missing or undefined …"""
    runs: int = 0
    """… in how many runs of a data set …"""
    data_sets: tuple[str, ...] = ()
    """… and the data sets that have no other runs."""


def data_sets(
    runs: Runs, measure: str, systems: Sequence[str], datasets: Sequence[str], *, common: bool
) -> tuple[list[DataSet], Dropped]:
    """The data sets of a measure with the splits that all systems were measured on, and what was left out.

    A run that one of them lacks, or where the score is undefined, is an error unless the `common` ones will do.
    """
    found, empty, lost = [], [], 0
    missing: list[str] = []
    for dataset in datasets:
        by_system = runs.cells[measure].get(dataset, {})
        splits = sorted({split for system in systems for split in by_system.get(system, {})})
        defined = [split for split in splits if all(_defined(by_system, system, split) for system in systems)]
        missing += [
            f"{system} on {dataset} {split}"
            for system in systems
            for split in splits
            if not _defined(by_system, system, split)
        ]
        lost += len(splits) - len(defined)
        if defined:
            found.append(_data_set(dataset, splits, defined, {system: by_system[system] for system in systems}))
        else:
            empty.append(dataset)
    if missing and not common:
        named = "; ".join(missing[:MOST_NAMED]) + ("; …" if len(missing) > MOST_NAMED else "")
        raise InputError(
            f"{runs.name}: no {measure} of {named} ({len(missing):,} in all). "
            "To compare on the runs that all have: --common"
        )
    if not found:
        raise InputError(f"{runs.name}: no run has {measure} of all systems.")
    return found, Dropped(len(missing), lost, tuple(empty))


def _defined(by_system: Mapping[str, Mapping[Split, Row]], system: str, split: Split) -> bool:
    found = by_system.get(system, {}).get(split)
    return found is not None and math.isfinite(found.value)


def _data_set(
    name: str, splits: Sequence[Split], defined: Sequence[Split], cells: Mapping[str, Mapping[Split, Row]]
) -> DataSet:
    first = next(iter(cells.values()))
    folds = {split.fold for split in splits}
    return DataSet(
        name=name,
        splits=tuple(defined),
        values={system: np.array([found[split].value for split in defined]) for system, found in cells.items()},
        denominators=np.array([_or_nan(first[split].denominator) for split in defined]),
        # Folds may be counted from 0 or 1, and the last may be missing.
        folds=max(len(folds), *folds),
        share=float(np.mean([_share(first[split]) for split in defined])),
    )


def _or_nan(number: float | None) -> float:
    return math.nan if number is None else number


def _share(found: Row) -> float:
    if not found.n_train or not found.n_test:
        return math.nan
    return found.n_test / (found.n_test + found.n_train)


# --- what is asked for ---


def chosen(kind: str, wanted: Iterable[str], known: Sequence[str], where: str) -> list[str]:
    """The names that are asked for, in that order; all where none is."""
    listed = list(dict.fromkeys(wanted))
    for name in listed:
        if name not in known:
            raise UsageError(f"{where}: {unknown(kind, name, known)}")
    return listed or list(known)
