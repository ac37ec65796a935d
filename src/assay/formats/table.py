"""Tables: CSV, tab-separated columns, JSON or Parquet as columns of cells, with the line of each row."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from assay.arrays import Ints
from assay.classes import dataclass
from assay.errors import InputError, unknown
from assay.formats.arrow import TABLES, open_table
from assay.formats.jsontext import values_in
from assay.formats.source import Source
from assay.specs import whole_number

SEPARATORS = {"tab": "\t", "space": " ", "comma": ",", "semicolon": ";"}
"""Separators by names that are easier to type; `space` is any run of white space."""
_EXAMPLE = '{"id": "1", "label": "yes"}'
_LONGEST_CELL = 1 << 27


@dataclass(frozen=True, eq=False)
class CellTable:
    """Cells in columns: texts or, in JSON and Parquet, values of any kind."""

    path: str
    columns: tuple[Sequence[Any], ...]
    lines: Ints
    """The line in which each row begins."""
    names: tuple[str, ...] = ()
    """The names of columns; none if they have no header."""
    typed: bool = False
    """True if cells are values, not texts."""

    def __len__(self) -> int:
        return len(self.lines)

    def name(self, index: int) -> str:
        """A column's name, or its number from 1."""
        return (self.names[index] if self.names else "") or str(index + 1)

    def place(self, row: int) -> str:
        """`file:line` of a row, or its number."""
        return f"{self.path}:{self.lines[row]}" if self.lines[row] else f"{self.path}, item {row + 1}"

    def among(self, names: Sequence[str]) -> list[int]:
        """The columns that are called so, in the order of these names."""
        return [place for name in names for place, own in enumerate(self.names) if plain_name(own) == name]

    def locate(self, name: str) -> int:
        """The column with this name or number; an error if there is none."""
        exact = [self.names.index(name)] if name in self.names else self.among([plain_name(name)])
        place = exact[0] if exact else whole_number(name) - 1
        if not 0 <= place < len(self.columns):
            raise InputError(f"{self.path}: {unknown('column', name, [*map(self.name, range(len(self.columns)))])}")
        return place

    def below_header(self) -> CellTable:
        """The table whose first row names the columns."""
        names = check_names(f"{self.path}:1", [cells[0].strip() for cells in self.columns])
        return replace(self, columns=tuple(cells[1:] for cells in self.columns), lines=self.lines[1:], names=names)


def check_names(place: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names of columns; two that are the same are an error."""
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{place}: two columns are called {twice!r}. Give each its own name.")
    return tuple(names)


def find_separator(line: str) -> str:
    """The separator of a table, by its first line."""
    return "\t" if "\t" in line else ";" if line.count(";") > line.count(",") else ","


def plain_name(name: str) -> str:
    """A column's name as it is looked up: case, blanks, - and _ make no difference."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def read_cells(source: Source, separator: str = "", keys: Collection[str] = ()) -> CellTable:
    """The table in a file, its header among the rows unless it is JSON.

    Without a separator the first line shows it. `keys` are those of rows in JSON; an object without any of them is
    {id: label}.
    """
    if source.head()[0] in TABLES:
        return _read_parquet(source)
    text = "".join(batch.text for batch in source.batches())
    if text.lstrip()[:1] in ("{", "["):
        return _json_table(text, source.path, keys)
    return cut_table(text, source.path, separator)


def cut_table(text: str, path: str, separator: str = "") -> CellTable:
    """The cells of a text; rows with more or fewer than the first are an error."""
    separator = SEPARATORS.get(separator, separator) or find_separator(text.partition("\n")[0])
    text = text if text.endswith("\n") else text + "\n"
    if separator == " ":
        text, separator = "\n".join("\t".join(line.split()) for line in text.split("\n")), "\t"
    if '"' not in text:
        return _cut_plain(text, path, separator)
    if separator == "\t":
        # Tables with tabs often have quotation marks that are part of a text; if no cell goes on over tabs or lines,
        # only those around a whole cell are taken off.
        try:
            table = _cut_plain(text, path, separator)
        except InputError:
            return _cut_quoted(text, path, separator)
        return replace(table, columns=tuple([*map(_unquote, cells)] for cells in table.columns))
    return _cut_quoted(text, path, separator)


def _cut_plain(text: str, path: str, separator: str) -> CellTable:
    """The cells of a text without quotation; no cell is looked at by itself."""
    width = text.partition("\n")[0].count(separator) + 1
    if width == 1 and separator not in text:
        # An empty line among labels is a missing label.
        cells = text.rstrip("\n").split("\n")
        return CellTable(path, (cells,), np.arange(1, len(cells) + 1))
    lines: Ints | None = None
    if "\n\n" in text or text.startswith("\n"):
        rows = text.split("\n")
        lines = np.flatnonzero(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))) + 1
        text = "\n".join(filter(None, rows)) + "\n"
        width = text.partition("\n")[0].count(separator) + 1
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    is_end = data == ord("\n")
    marks = is_end[is_end | (data == ord(separator))]
    ends = np.flatnonzero(marks)
    if lines is None:
        lines = np.arange(1, len(ends) + 1)
    widths = np.diff(ends, prepend=-1)
    if len(odd := np.flatnonzero(widths != width)):
        raise _ragged(path, int(lines[odd[0]]), int(widths[odd[0]]), width)
    flat = text[:-1].replace("\n", separator).split(separator)
    return CellTable(path, tuple(flat[index::width] for index in range(width)), lines)


def _cut_quoted(text: str, path: str, separator: str) -> CellTable:
    """The cells of CSV in which some are in quotation marks, and may have separators and line feeds inside."""
    with _long_cells():
        try:
            rows = [*csv.reader(io.StringIO(text), delimiter=separator, strict=True)]
        except csv.Error as error:
            last = max(_row_lines(text, separator), default=1)
            fact = f"not a table that can be read ({error})"
            raise InputError(f"{path}:{last}: {fact}. Is a quotation mark left open?") from None
        one_line = len(rows) == text.count("\n")
        lines = [*range(1, len(rows) + 1)] if one_line else [*_row_lines(text, separator)]
    if [] in rows:
        kept = [(row, line) for row, line in zip(rows, lines, strict=False) if row]
        rows, lines = [row for row, _ in kept], [line for _, line in kept]
    width = len(rows[0]) if rows else 0
    if {*map(len, rows)} - {width}:
        row, line = next((row, line) for row, line in zip(rows, lines, strict=False) if len(row) != width)
        raise _ragged(path, line, len(row), width)
    columns = tuple([*map(itemgetter(index), rows)] for index in range(width))
    return CellTable(path, columns, np.array(lines[: len(rows)], dtype=np.int64))


def _row_lines(text: str, separator: str) -> Iterator[int]:
    """The line in which each row begins, and the one after the last row that can be read."""
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    yield 1
    try:
        for _ in reader:
            yield reader.line_num + 1
    except csv.Error:
        return


@contextmanager
def _long_cells() -> Iterator[None]:
    """Cells as long as a book are read, too."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _ragged(path: str, line: int, cells: int, width: int) -> InputError:
    remedy = " Put a text that contains the separator into quotation marks." if cells > width else ""
    return InputError(f"{path}:{line}: {cells} cell{'s' * (cells != 1)}, but the first line has {width}.{remedy}")


def _unquote(cell: str) -> str:
    """A cell without the quotation marks around it, if those inside are doubled."""
    inside = cell[1:-1]
    if len(cell) < 2 or cell[0] != '"' or cell[-1] != '"' or '"' in inside.replace('""', ""):
        return cell
    return inside.replace('""', '"')


# --- JSON and Parquet ---


def _json_table(text: str, path: str, keys: Collection[str]) -> CellTable:
    """The table of JSON: an object per row, by line or in a list; a list of labels; or {id: label}."""
    numbered = [*values_in(iter([text]), path, _EXAMPLE, "item")]
    rows, numbers = [value for _, value in numbered], [line for line, _ in numbered]
    if len(rows) == 1 and isinstance(rows[0], dict) and not any(plain_name(key) in keys for key in rows[0]):
        pairs: list[tuple[str, Any]] = []

        def keep(members: list[tuple[str, Any]]) -> dict[str, Any]:
            # The outermost object comes last; read as pairs, it shows ids that appear twice.
            pairs[:] = members
            return dict(members)

        json.loads(text, object_pairs_hook=keep)
        rows, numbers = [{"id": key, "label": value} for key, value in pairs], [0] * len(pairs)
    return table_of_rows(rows, path, np.array(numbers, dtype=np.int64))


def table_of_rows(rows: Sequence[Any], path: str, lines: Ints) -> CellTable:
    """The table of objects, or of labels alone."""
    objects = [row for row in rows if isinstance(row, Mapping)]
    if not objects:
        return CellTable(path, (rows,), lines, ("label",), typed=True)
    if len(objects) < len(rows):
        place = next(place for place, row in enumerate(rows) if not isinstance(row, Mapping))
        raise InputError(f"{path}:{lines[place]}: not an object, but other items are. An item is {_EXAMPLE}")
    names = tuple(dict.fromkeys(name for row in objects for name in row))
    columns = tuple([row.get(name) for row in objects] for name in names)
    return CellTable(path, columns, lines, tuple(map(str, names)), typed=True)


def _read_parquet(source: Source) -> CellTable:
    """The table in a file of Parquet or Arrow."""
    schema, batches = open_table(source)
    columns: list[list[Any]] = [[] for _ in schema.names]
    for batch in batches:
        for cells, column in zip(columns, batch.columns, strict=True):
            cells.extend(column.to_pylist())
    return typed_table(source.path, schema.names, columns)


def typed_table(path: str, names: Sequence[str], columns: Sequence[Sequence[Any]]) -> CellTable:
    """The table of columns of values."""
    cells = tuple([*map(plain_value, column)] for column in columns)
    lines = np.zeros(len(cells[0]) if cells else 0, dtype=np.int64)
    return CellTable(path, cells, lines, check_names(path, names), typed=True)


def plain_value(value: Any) -> Any:
    """A value as JSON has it; whole numbers lose .0, because frames turn them into fractions if one is missing."""
    value = value.tolist() if isinstance(value, np.generic | np.ndarray) else value
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    with suppress(OverflowError, ValueError):
        return int(value) if isinstance(value, float) and value == int(value) else value
    return None if isinstance(value, float) and math.isnan(value) else value
