"""Tables of measurements: CSV or TSV text with a row for each measurement of a run."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from assay.errors import InputError

COLUMNS = ("dataset", "system", "repetition", "fold", "measure", "value")
COUNTS = ("numerator", "denominator", "n_train", "n_test")
"""Columns that may be there too."""
PAIRS = ("dataset", "a", "b", "repetition", "fold", "measure", "only_a", "only_b")
"""The columns of a table of pairs: the items of a split that only one of two systems has right."""


def split_name(repetition: int, fold: int) -> str:
    """What a split is called, in messages and as a folder."""
    return f"r{repetition:02}-f{fold:02}"


class Split(NamedTuple):
    """Which part of a data set was tested."""

    repetition: int
    fold: int

    def __str__(self) -> str:
        return split_name(*self)


class Row(NamedTuple):
    """One measurement of one run."""

    place: str
    """The file and line that it stands in."""
    dataset: str
    system: str
    split: Split
    measure: str
    value: float
    """nan where it is undefined."""
    numerator: float | None
    denominator: float | None
    n_train: int | None
    n_test: int | None


def measurements(path: str, text: str, hint: str = "") -> Iterator[Row]:
    """The rows of a table of measurements, each once; a table without any is refused.

    `hint` is what else the user may have meant, said where a column is missing.
    """
    seen: set[tuple[str, str, Split, str]] = set()
    remedy = f"The first line names the columns: {', '.join(COLUMNS)}, and if known {', '.join(COUNTS)}.{hint}"
    for place, cells in records(path, text, COLUMNS, remedy):
        row = _row(place, cells)
        if row[1:5] in seen:
            raise InputError(
                f"{place}: {row.measure} of {row.dataset} {row.system} {row.split} stands here a second time."
            )
        seen.add(row[1:5])
        yield row
    if not seen:
        raise InputError(f"{path}: holds no measurements.")


def records(path: str, text: str, columns: Sequence[str], remedy: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The lines of a CSV or TSV text as mappings, with their places; the first line must name the columns."""
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text), delimiter="\t" if "\t" in first else ",", strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(path, header, columns, remedy)
        for cells in reader:
            place = f"{path}:{reader.line_num}"
            if cells and len(cells) != len(header):
                raise InputError(f"{place}: {len(cells)} columns where the first line has {len(header)}.")
            if cells:
                yield place, {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: no CSV: {error}.") from None


def _check_header(path: str, header: Sequence[str], columns: Sequence[str], remedy: str) -> None:
    missing = [name for name in columns if name not in header]
    if missing:
        raise InputError(f"{path}:1: has no column {missing[0]}. {remedy}")
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise InputError(f"{path}:1: has the column {twice[0]} twice.")


def _row(place: str, cells: Mapping[str, str]) -> Row:
    dataset, system, measure = (word(place, cells, name) for name in ("dataset", "system", "measure"))
    split = Split(whole(place, cells, "repetition"), whole(place, cells, "fold"))
    value = _number(place, cells, "value") if cells["value"] else math.nan
    part, all_items = (_count(place, cells, name) for name in COUNTS[:2])
    n_train, n_test = (whole(place, cells, name) if cells.get(name) else None for name in COUNTS[2:])
    if all_items is not None and not 0 < all_items < math.inf and math.isfinite(value):
        raise InputError(f"{place}: the denominator of {cells['value']} is {cells['denominator']}.")
    return Row(place, dataset, system, split, measure, value, part, all_items, n_train, n_test)


def word(place: str, cells: Mapping[str, str], name: str) -> str:
    """A cell that must not be empty."""
    if not cells[name]:
        raise InputError(f"{place}: {name} is empty.")
    return cells[name]


def whole(place: str, cells: Mapping[str, str], name: str) -> int:
    """A cell with a whole number from 0; 3.0 is one too, as some programs write it."""
    text = cells[name].removesuffix(".0")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise InputError(f"{place}: {name} should be a whole number, not {cells[name]!r}.")
    return int(text)


def _number(place: str, cells: Mapping[str, str], name: str) -> float:
    try:
        return float(cells[name])
    except ValueError:
        raise InputError(f"{place}: {name} should be a number, not {cells[name]!r}.") from None


def _count(place: str, cells: Mapping[str, str], name: str) -> float | None:
    """A number of items, which may not be known."""
    number = _number(place, cells, name) if cells.get(name) else math.nan
    return None if math.isnan(number) else number
