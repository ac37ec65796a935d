"""Tables of ratings: one file for all annotators, or a system's answers to the same items.

Long tables have a rating in each line, wide ones an item in each line and a column for each annotator; JSON is
{annotator: {item: label}}, {item: {"annotations": {annotator: label}}}, or {item: label} for a single one.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from assay import specs
from assay.arrays import NONE, Floats, Ints, as_codes, distinct_numbers, to_python
from assay.classes import dataclass
from assay.corpus import Column
from assay.corpus.ratings import Ratings, parse_number, set_label, spell_number
from assay.errors import InputError, UsageError, unknown
from assay.formats.builder import check_choice
from assay.formats.source import Source, list_files
from assay.formats.table import cut_table, plain_name

FORMAT = "ratings"
PARAMETERS = {"item": "", "annotator": "", "label": "", "layout": "auto", "missing": "", "sets": "", "order": ""}
LAYOUTS = ("auto", "long", "wide")
_MISSING = frozenset({"", "NA", "na", "NaN", "nan", "NULL", "null"})
_COLUMNS = {
    "item": ("item", "unit", "item_id", "id", "instance", "example", "text_id", "subject", "question"),
    "annotator": (
        *("annotator", "annotator_id", "coder", "rater", "worker", "worker_id", "judge", "user", "observer"),
    ),
    "label": ("label", "rating", "annotation", "value", "answer", "category", "class", "code", "tag", "score"),
}
"""Usual names of the columns of a long table."""
_PROBABILITY = "p:"
_CLOSE = 1e-6
_SCALARS = (str, int, float, type(None))
_NESTED = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')
_MOST_NUMBERS = 20
"""More different numbers than this are measurements, which ages or lengths share with ratings by chance."""
_COMPLETE = 10
"""A column whose values occur as often as this on average has shown all of them."""
_OF_ITEMS = {
    *("age", "batch", "comment", "comments", "count", "difficulty", "document", "domain", "flag", "fold", "gender"),
    *("genre", "group", "id", "idx", "index", "lang", "language", "length", "line", "note", "notes", "page"),
    *("position", "round", "section", "sex", "source", "split", "subset", "text", "time", "topic", "turn"),
    *("version", "year"),
}
"""Usual names of columns that say something of the item; they are metadata, whatever their values are."""
_OF_ALL = {
    *("adjudicated", "adjudication", "consensus", "correct", "curated", "final", "gold", "gold_label", "label"),
    *("majority", "majority_label", "majority_vote", "reference", "target", "truth", "y_true"),
}
"""Usual names of columns that are made of the annotators' labels, or stand for their truth."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a file in its order: codes of the item, the annotator and the cell; lines are 0 in JSON."""

    path: str
    item: Ints
    annotator: Ints
    cell: Ints
    line: Ints


@dataclass
class RatingTable:
    """The ratings of a file as codes of texts, before it is known which labels there are in all files."""

    path: str
    sha256: str = ""
    layout: str = ""
    files: list[_Rows] = field(default_factory=list)
    """The rows of each file; their cells are labels of the table."""
    names: dict[str, int] = field(default_factory=dict)
    """All items, also those without ratings, and their codes."""
    raters: dict[str, int] = field(default_factory=dict)
    """All annotators, also those without ratings, and their codes; the name of a single one is empty."""
    labels: dict[str, int] = field(default_factory=dict)
    """All labels in ratings, and their codes."""
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    """Further columns: what each item has there."""
    soft: dict[str, dict[str, float]] = field(default_factory=dict)
    """Distributions over labels, by item."""
    order: tuple[str, ...] = ()
    sets: bool = False
    members: dict[str, frozenset[str]] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[Ints, Ints, Ints]:
        """The codes of item, annotator and label of each rating."""
        columns = [(rows.item, rows.annotator, rows.cell) for rows in self.files]
        item, annotator, label = zip(*columns, strict=True)
        return np.concatenate(item), np.concatenate(annotator), np.concatenate(label)

    def ratings(self, items: Sequence[str] = ()) -> Ratings:
        """The ratings; equal numbers are equal labels, however they are written (3 and 3.0)."""
        labels = list(self.labels)
        if not self.order and not self.sets:
            numbers = [parse_number(label) for label in labels]
            if numbers and None not in numbers:
                labels = [spell_number(number) for number in numbers if number is not None]
        item, annotator, label = self.rows
        names = dict(self.names)
        if items:
            names = {}
            as_codes(items, names)
            item = as_codes(list(self.names), names)[item]
        spelled: dict[str, int] = {}
        label = as_codes(labels, spelled)[label]
        made = Ratings.of_codes((item, names), (annotator, self.raters), (label, spelled), self.order)
        columns = {
            name: Column.of(values.get(item, "(none)") for item in made.names)
            for name, values in self.columns.items()
        }
        # A label without a list is a set of one.
        members = tuple(self.members.get(label, frozenset({label})) for label in made.labels) if self.sets else None
        return replace(made, members=members, columns=columns)

    def check_ratings(self) -> None:
        """Raise if an annotator has an item twice."""
        item, annotator, label = self.rows
        keys = item.astype(np.int64) * len(self.raters) + annotator
        room = len(self.names) * len(self.raters)
        if len(distinct_numbers(keys, room, grouped=False)[0]) == len(keys):
            return
        seen: dict[int, int] = {}
        places = ((rows.path, line) for rows in self.files for line in rows.line.tolist())
        for row, ((path, line), key) in enumerate(zip(places, keys.tolist(), strict=True)):
            if (first := seen.setdefault(key, row)) != row:
                name, who = list(self.names)[item[row]], list(self.raters)[annotator[row]]
                before, after = (list(self.labels)[label[one]] for one in (first, row))
                place = f"{path}:{line}" if line else path
                whose = f"annotator {who}" if who else "the file"
                raise InputError(f"{place}: {whose} has item {name} twice: {before} and {after}.")


def is_table(head: Sequence[str]) -> bool:
    """False if the first lines are JSON that begins with anything but an object within an object."""
    text = "\n".join(head[:20]).lstrip()
    return text[:1] not in ("{", "[") or _NESTED.match(text) is not None


def ratings_in(data: Mapping[str, Any], name: str = "ratings") -> RatingTable:
    """The ratings in data that have the shape of the JSON."""
    table = RatingTable(name)
    text = json.dumps(_as_json(data, name))
    _collect(*_code_json(_json(name, text, table), name, table), PARAMETERS, table)
    table.check_ratings()
    table.sha256 = hashlib.sha256(text.encode()).hexdigest()
    return table


def _as_json(value: Any, path: str, keys: tuple[str, ...] = ()) -> Any:
    """Data as JSON has them: sets and tuples as lists, numbers of numpy as Python's own."""
    value = to_python(value)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(to_python(key), _SCALARS):
                raise UsageError(f"{path}: {key!r} is not a name. Name annotators and items by texts or numbers.")
        return {to_python(key): _as_json(member, path, (*keys, str(key))) for key, member in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        members = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [_as_json(member, path, keys) for member in members]
    if not isinstance(value, _SCALARS):
        place = _place(path, *keys)
        raise UsageError(f"{place}: {value!r:.40} is not a label. Give a text, a number, or a set of these.")
    return value


def read_ratings(
    paths: Sequence[str], input_format: str | None = None, *, answers: bool = False, columns: Sequence[str] = ()
) -> RatingTable:
    """The ratings in files, or in all files of a folder or a pattern, in whatever layout these have.

    A system's `answers` may lack the columns that the annotators' table has. `columns` are those of the annotators in
    a wide table, by header or number, or as NAME=COLUMN.
    """
    given: dict[str, str] = {}
    if input_format is not None:
        name, given = specs.parse(input_format, "format")
        if name != FORMAT:
            raise UsageError(f"--input-format {name} has one annotator per file. For one table of all: ratings")
    settings = specs.convert_parameters("format ratings", given, PARAMETERS)
    check_choice("layout", settings["layout"], LAYOUTS)
    order = tuple(part.strip() for part in settings["order"].split("<")) if settings["order"] else ()
    if len(set(order)) < len(order) or "" in order:
        raise UsageError(f"format ratings: order={settings['order']} names a label twice, or none.")
    table = RatingTable(", ".join(paths), order=order, sets=bool(settings["sets"]))
    digests: list[str] = []
    for file in (file for path in paths for file in list_files(path)):
        source = Source(file)
        text = "".join(batch.text for batch in source.batches())
        digests.append(source.sha256)
        if text.lstrip()[:1] in "{[":
            if columns:
                raise UsageError(f"--column {columns[0]}: {source.path} is JSON, which has no columns.")
            coded = _code_json(_json(source.path, text, table), source.path, table)
        else:
            coded = _code_table(source.path, text, settings, table, answers, columns)
        _collect(*coded, settings, table)
    table.sha256 = digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    if not table.names:
        raise InputError(f"{table.path}: contains no ratings.")
    table.check_ratings()
    return table


def _collect(rows: _Rows, cells: Sequence[Any], settings: Mapping[str, str], table: RatingTable) -> None:
    """Enter the rows of a file into a table, by the label that each cell stands for; missing ones are left out."""
    mark, sets, known = settings["missing"], settings["sets"], set(table.order)

    def clean(row: int, given: Any) -> str | None:
        """The label that a cell stands for, None if it is missing; the row is the first one that has the cell."""
        if isinstance(given, list):
            texts = [_text(member) for member in given]
            if None in texts or "" in texts:
                fact = f"a list of labels has texts and numbers only, not {_show(given)}."
                raise InputError(f"{_place_row(rows, row, table)}: {fact}")
            table.sets, members = True, frozenset(filter(None, texts))
        else:
            text = given if isinstance(given, str) else _text(given)
            if text is None:
                raise InputError(f"{_place_row(rows, row, table)}: {_show(given)}, but a label is expected.")
            label = text.strip()
            if label in _MISSING or (mark and label == mark):
                return None
            if not sets:
                if known and label not in known:
                    line = int(rows.line[row])
                    place = f"{rows.path}:{line}" if line else rows.path
                    raise InputError(f"{place}: label {label!r} is not in order={settings['order']}. Add it there.")
                return label
            members = frozenset(part.strip() for part in label.split(sets) if part.strip())
        label = set_label(members)
        table.members[label] = members
        return label

    number = len(rows.cell)
    first = np.full(len(cells), number)
    # The first row with a cell is written last.
    first[rows.cell[::-1]] = np.arange(number)[::-1]
    codes = np.full(len(cells), NONE, dtype=np.int32)
    for code in np.argsort(first, kind="stable").tolist():
        if first[code] < number and (label := clean(int(first[code]), cells[code])) is not None:
            codes[code] = table.labels.setdefault(label, len(table.labels))
    label_of_row = codes[rows.cell]
    there = label_of_row != NONE
    columns = (column[there] for column in (rows.item, rows.annotator, label_of_row, rows.line))
    table.files.append(_Rows(rows.path, *columns))


def _text(value: Any) -> str | None:
    """A value of JSON as a label, empty if it is missing; None if it is no label."""
    if isinstance(value, float):
        return "" if math.isnan(value) else spell_number(value) if math.isfinite(value) else None
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: ""}[value]
    return str(value) if isinstance(value, str | int) else None


def _show(value: Any) -> str:
    return "an object" if isinstance(value, dict) else json.dumps(value)[:40]


def _place(path: str, *keys: str) -> str:
    """The place of a rating in JSON: the file, and the annotator and the item that have names."""
    return f"{path}: {', '.join(filter(None, keys))}" if any(keys) else path


def _place_row(rows: _Rows, row: int, table: RatingTable) -> str:
    """The place of a row of JSON."""
    return _place(rows.path, list(table.raters)[rows.annotator[row]], list(table.names)[rows.item[row]])


# --- tables ---


def _code_table(
    path: str, text: str, settings: Mapping[str, str], table: RatingTable, answers: bool, columns: Sequence[str]
) -> tuple[_Rows, Sequence[str]]:
    """The ratings of a table with a header, and its distinct cells."""
    given = cut_table(text, path).below_header()
    header = [*given.names]
    asked = {key: settings[key] for key in _COLUMNS if not answers or settings[key] in header}
    for name in filter(None, asked.values()):
        if name not in header:
            raise InputError(f"{path}:1: {unknown('column', name, header)}")
    low = [name.lower() for name in header]
    item, who, what = (
        header.index(asked[key]) if asked.get(key) else next((low.index(name) for name in usual if name in low), None)
        for key, usual in _COLUMNS.items()
    )
    chosen = _named_columns(path, header, columns)
    layout = "wide" if chosen else settings["layout"]
    soft = [index for index, name in enumerate(header) if name.startswith(_PROBABILITY)]
    if soft:
        layout = "soft"
    elif layout == "auto":
        # A system's answers are an item and a label in each line; what else is there is metadata.
        alone = what is not None and (answers or len(header) == 2)
        layout = "long" if who is not None or alone else "wide"
    elif layout == "long" and who is None:
        raise InputError(
            f"{path}:1: no column of annotators. Choose one: ratings(annotator=…). Available: {_list_names(header)}."
        )
    table.layout = layout
    if layout == "long":
        rest = [index for index in range(len(header)) if index not in (who, item)]
        what = rest[0] if what is None and len(rest) == 1 else what
        rest = [index for index in range(len(header)) if index not in (who, what)]
        item = rest[0] if item is None and len(rest) == 1 else item
        if item is None or what is None:
            raise InputError(
                f"{path}:1: which column has the items, which the labels? Name them: --input-format "
                f'"ratings(item=…, annotator=…, label=…)". Available: {_list_names(header)}.'
            )
    else:
        # The first column, unless it is an annotator, too: then the rows are numbered.
        guessed = item is None
        item = 0 if guessed and 0 not in chosen.values() else item
        if len(header) < 2:
            fact = "not a table of ratings: only one column"
            raise InputError(f"{path}:1: {fact}. Columns are separated by commas or tabs.")
    further = {index: name for index, name in enumerate(header) if index not in (item, who, what)}
    probabilities = {index: header[index].removeprefix(_PROBABILITY) for index in soft}
    others = [index for index in range(len(header)) if index != item]
    lines: list[int] = given.lines.tolist()
    names = [name.strip() for name in given.columns[item]] if item is not None else [str(line - 1) for line in lines]
    if item is not None and "" in names:
        raise InputError(f"{path}:{lines[names.index('')]}: a rating without an item in column {header[item]}.")
    texts: dict[str, int] = {}
    if layout == "soft":
        for line, name, row in zip(lines, names, zip(*given.columns, strict=True), strict=True):
            table.names.setdefault(name, len(table.names))
            shares = {label: row[index] for index, label in probabilities.items()}
            _enter_soft(table, name, shares, f"{path}:{line}")
        none = np.zeros(0, dtype=np.int32)
        return _Rows(path, none, none, none, none), ()
    of_row = as_codes(names, table.names)
    if layout == "long":
        assert what is not None
        for index, key in further.items():
            table.columns.setdefault(key, {}).update(zip(names, given.columns[index], strict=True))
        raters: dict[str, int] = {}
        annotator = as_codes([""] * len(names) if who is None else given.columns[who], raters)
        annotator = as_codes([rater.strip() for rater in raters], table.raters)[annotator]
        return _Rows(path, of_row, annotator, as_codes(given.columns[what], texts), given.lines), [*texts]
    codes = {index: as_codes(given.columns[index], texts) for index in others}
    is_named = bool(chosen)
    if answers and not is_named:
        chosen = {header[index]: index for index in others}
    elif not is_named:
        counted = {index: _count_cells(given.columns[index], codes[index], [*texts]) for index in others}
        counted |= {0: Counter(names)} if guessed else {}
        chosen = _choose_columns(path, header, counted, settings, len(names), first=guessed)
    metadata = {index: header[index] or f"column {index + 1}" for index in others if index not in chosen.values()}
    if not is_named and not answers:
        people = " ".join(f"--column {shlex.quote(name)}" for name in chosen if plain_name(name) not in _OF_ALL)
        for name in [name for name in chosen if plain_name(name) in _OF_ALL]:
            table.warnings[f"column {name} counts as an annotator. To leave it out: {people}"] = None
        if metadata:
            table.notes[
                f"the columns {_list_names([*chosen])} are read as annotators, because they share their labels; "
                f"metadata: {_list_names([*metadata.values()])}. To choose: --column NAME for each annotator."
            ] = None
    for index, key in metadata.items():
        stripped = zip(names, map(str.strip, given.columns[index]), strict=True)
        if said := {name: cell for name, cell in stripped if cell}:
            table.columns.setdefault(key, {}).update(said)
    # Row by row, as the file has them; empty cells are missing labels.
    cells = np.stack([codes[index] for index in chosen.values()], axis=1).ravel()
    annotator = np.tile(as_codes([*chosen], table.raters), len(names))
    size = len(chosen)
    return _Rows(path, np.repeat(of_row, size), annotator, cells, np.repeat(given.lines, size)), [*texts]


def _count_cells(column: Sequence[str], codes: Ints, texts: Sequence[str]) -> Counter[str]:
    """How often a column has each cell; if all cells differ, in their order."""
    distinct, _, numbers = distinct_numbers(codes, len(texts), grouped=False)
    if len(distinct) == len(column):
        return Counter(column)
    return Counter(dict(zip(map(texts.__getitem__, distinct.tolist()), numbers.tolist(), strict=True)))


def _choose_columns(
    path: str,
    header: Sequence[str],
    counted: Mapping[int, Counter[str]],
    settings: Mapping[str, str],
    rows: int,
    *,
    first: bool,
) -> dict[str, int]:
    """Places of the columns of annotators, by name, found by the labels that they share; an error if in doubt.

    `first`: it is a guess that the first column names the items.
    """
    missing, sets = {*_MISSING, settings["missing"]}, settings["sets"]
    given: dict[int, Counter[str]] = {}
    for index, column in counted.items():
        counts = given[index] = Counter()
        for raw, number in column.items():
            if (cell := raw.strip()) and cell not in missing:
                for part in cell.split(sets) if sets else [cell]:
                    counts[part.strip()] += number
    items = given.pop(0) if first else Counter()
    remedy = "Name the annotators, e.g."
    columns, doubt = _find_annotators(header, {0: items, **given} if len(items) < items.total() else {}, rows)
    if 0 in columns and not doubt:
        doubt = f"no column names the items: {header[0]} has labels like the others"
        remedy = 'Name it: --input-format "ratings(item=…)". Or name the annotators, and rows are numbered:'
    else:
        columns, doubt = _find_annotators(header, given, rows)
    if doubt:
        named = " ".join(f"--column {shlex.quote(header[index])}" for index in columns[:6])
        raise InputError(f"{path}:1: {doubt}. {remedy} {named} (available: {_list_names(header)}).")
    return {header[index]: index for index in columns}


def _named_columns(path: str, header: Sequence[str], columns: Sequence[str]) -> dict[str, int]:
    """Places of the columns that the user names as annotators, by the names of these."""
    chosen: dict[str, int] = {}
    for given in columns:
        before, equals, after = given.partition("=")
        name, column = (before, after) if equals and given not in header else ("", given)
        place = header.index(column) if column in header else int(column) - 1 if column.isdecimal() else -1
        if not 0 <= place < len(header):
            raise InputError(f"{path}:1: {unknown('column', column, header)}")
        chosen[name or header[place]] = place
    if len(chosen) == 1:
        raise UsageError(
            f"--column {columns[0]}: this is only one annotator. Name each: --column NAME --column NAME; or name the "
            f'labels of a table with one rating per line: --input-format "ratings(label={columns[0]})".'
        )
    return chosen


def _enter_soft(table: RatingTable, item: str, given: Mapping[str, Any], place: str) -> None:
    shares = {label: parse_number(str(share)) for label, share in given.items()}
    if any(share is None or share < 0 for share in shares.values()):
        raise InputError(f"{place}: the distribution of item {item} contains a number that is not a probability.")
    total = sum(share for share in shares.values() if share is not None)
    if abs(total - 1) > _CLOSE:
        raise InputError(f"{place}: the distribution of item {item} sums to {total:.6g}, not to 1.")
    if item in table.soft:
        raise InputError(f"{place}: item {item} has two distributions.")
    table.soft[item] = {label: share for label, share in shares.items() if share is not None}


def _list_names(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


# --- annotators of a wide table: found by the labels that columns share, never by their place ---


def _find_annotators(
    header: Sequence[str], cells: Mapping[int, Counter[str]], rows: int
) -> tuple[list[int], str]:
    """The columns of annotators among those whose filled cells are counted, and why that is in doubt, if it is.

    Annotators are the columns of which each has at least half of its cells among the labels of another one, and the
    other way round. A column with few cells only needs half of them among all labels of the others.
    """
    given: dict[int, Counter[str]] = {}
    for index, column in cells.items():
        if column and plain_name(header[index]) not in _OF_ITEMS and not _counts_rows(column, rows):
            given[index] = Counter()
            for cell, number in column.items():
                given[index][_spell(cell)] += number
    # A column with a number of its own in each row is an id, a rank, a measurement.
    candidates = [
        index
        for index, own in given.items()
        if not (1 < rows == len(own) and all(parse_number(cell) is not None for cell in own))
    ]
    groups = [[candidates[place] for place in group] for group in _group([given[index] for index in candidates])]
    if not groups:
        likely = sorted(given or cells, key=lambda index: (len(cells[index]) / max(cells[index].total(), 1), index))
        return sorted(likely[:2]), "no two columns share most of their labels, so it is unclear which are annotators"
    if len(groups) > 1:
        shown = " and ".join(_list_names([header[index] or '""' for index in group], 6) for group in groups[:2])
        largest = max(groups, key=lambda group: (len(group), group))
        return largest, f"{shown} have different labels, so it is unclear which are annotators"
    core = groups[0]
    labels: Counter[str] = sum((given[index] for index in core), Counter())
    if len(labels) > _MOST_NUMBERS and all(parse_number(label) is not None for label in labels):
        return core, f"more than {_MOST_NUMBERS} different numbers may be ratings or metadata"
    unclear: list[int] = []
    for index in set(given).difference(core):
        counts = given[index]
        if 2 * sum(counts[label] for label in counts.keys() & labels.keys()) >= counts.total():
            few = counts.total() < min(rows, _COMPLETE * len(counts))
            (core if few else unclear).append(index)
    names = _list_names([header[index] or '""' for index in sorted(unclear)], 6)
    doubt = f"it is unclear if {names} should count as annotator"
    return sorted(core), doubt if unclear else ""


def _spell(cell: str) -> str:
    """A cell as it is compared: equal numbers and labels in another case are equal here."""
    number = parse_number(cell)
    return cell.casefold() if number is None else spell_number(number)


def _counts_rows(column: Counter[str], rows: int) -> bool:
    """True if a column counts the rows one by one, as an index does."""
    if rows < 2 or column.total() < rows or len(column) < column.total():
        return False
    numbers = [*map(parse_number, column)]
    first = numbers[0]
    return first is not None and all(number == first + place for place, number in enumerate(numbers))


def _group(given: Sequence[Counter[str]]) -> list[list[int]]:
    """Groups of two or more columns, linked if at least half of the cells of each are labels of the other."""
    columns = Counter(label for own in given for label in own)
    shared = {label: place for place, label in enumerate(label for label, number in columns.items() if number > 1)}
    counts = np.zeros((len(given), len(shared)), dtype=np.float32)
    for row, own in enumerate(given):
        for label in own.keys() & shared.keys():
            counts[row, shared[label]] = own[label]
    totals = np.array([own.total() for own in given])
    linked = 2 * (counts @ (counts > 0).T) >= totals[:, None]
    linked &= linked.T.copy()
    groups, left = [], set(range(len(linked)))
    while left:
        group, new = set(), {min(left)}
        while new:
            group |= new
            new = set(np.flatnonzero(linked[sorted(new)].any(axis=0)).tolist()) - group
        left -= group
        groups += [sorted(group)] if len(group) > 1 else []
    return groups


# --- JSON ---


def _code_json(
    found: Iterator[tuple[str, str, Any]], path: str, table: RatingTable
) -> tuple[_Rows, Sequence[Any]]:
    """The ratings (item, annotator, label) of JSON, and their labels, of which texts are there once."""
    items: list[str] = []
    annotators: list[str] = []
    codes: list[int] = []
    labels: list[Any] = []
    texts: dict[str, int] = {}
    for item, annotator, label in found:
        items.append(item)
        annotators.append(annotator)
        code = texts.setdefault(label, len(labels)) if isinstance(label, str) else len(labels)
        codes.append(code)
        labels += [label] * (code == len(labels))
    columns = as_codes(items, table.names), as_codes(annotators, table.raters), np.array(codes, dtype=np.int64)
    return _Rows(path, *columns, np.zeros(len(items), dtype=np.int64)), labels


def _json(path: str, text: str, table: RatingTable) -> Iterator[tuple[str, str, Any]]:
    """The ratings of a JSON object: item, annotator and label."""

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        as_dict = dict(members)
        if len(as_dict) < len(members):
            keys = [key for key, _ in members]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise InputError(f"{path}: {twice!r} appears twice in one object.")
        return as_dict

    try:
        data = json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON ({error.msg}).") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: not JSON for ratings: nested too deeply, or a number too long.") from None
    if not isinstance(data, dict):
        raise InputError(f"{path}: ratings in JSON are an object, {{annotator: {{item: label}}}}, not a list.")
    table.layout = "JSON"
    nested = {key: value for key, value in data.items() if isinstance(value, dict)}
    if nested and len(nested) < len(data):
        odd = next(key for key in data if key not in nested)
        raise InputError(f"{path}: {odd!r} is not an object, but {next(iter(nested))!r} is one.")
    if any("annotations" in record or "soft_label" in record for record in nested.values()):
        for item, record in nested.items():
            table.names.setdefault(item, len(table.names))
            for key, value in record.items():
                if isinstance(value, str) and key not in ("annotations", "annotators"):
                    table.columns.setdefault(key, {})[item] = value
            soft = record.get("soft_label")
            if isinstance(soft, dict) and soft and not any(isinstance(share, dict) for share in soft.values()):
                _enter_soft(table, item, soft, path)
            given = record.get("annotations") or {}
            if not isinstance(given, dict):
                raise InputError(f"{path}: the annotations of item {item} are not an object {{annotator: label}}.")
            yield from ((item, annotator, label) for annotator, label in given.items())
        return
    for annotator, given in (nested or {"": data}).items():
        yield from ((item, annotator, label) for item, label in given.items())


# --- systems ---


@dataclass(frozen=True, eq=False)
class SystemRatings:
    """A system's answers to the items of ratings."""

    name: str
    label: Ints
    """The code of its label for each item among those of the annotators and its own; NONE if it has none."""
    labels: tuple[str, ...]
    """The annotators' labels, then those that only systems give."""
    soft: Floats | None = None
    """Items × labels: its distributions, nan if it has none."""
    each: Ints | None = None
    """Items × annotators: its prediction of each annotator, NONE if it has none."""
    members: tuple[frozenset[str], ...] | None = None


def system_ratings(table: RatingTable, name: str, ratings: Ratings) -> list[SystemRatings]:
    """The systems in a file: one, or one for each rater in it where they are no annotators of the ratings."""
    place = {item: number for number, item in enumerate(ratings.names)}
    numeric = all(parse_number(label) is not None for label in ratings.labels) and not (ratings.ordered or table.sets)

    def plain(label: str) -> str:
        number = parse_number(label) if numeric else None
        return label if number is None else spell_number(number)

    codes = {label: number for number, label in enumerate(ratings.labels)}
    codes_given = np.array([codes.setdefault(plain(label), len(codes)) for label in table.labels], dtype=np.int64)
    soft = None
    if table.soft:
        for shares in table.soft.values():
            for label in shares:
                codes.setdefault(plain(label), len(codes))
        soft = np.full((ratings.items, len(codes)), np.nan)
        for item, shares in table.soft.items():
            if item in place:
                soft[place[item]] = 0.0
                for label, share in shares.items():
                    soft[place[item], codes[plain(label)]] += share
    members = None
    if ratings.members is not None:
        here = dict(zip(ratings.labels, ratings.members, strict=True)) | table.members
        members = tuple(here.get(label, frozenset({label})) for label in codes)
    labels, raters = tuple(codes), list(table.raters) or [""]
    who = {annotator: number for number, annotator in enumerate(ratings.annotators)}
    cells = np.full((ratings.items, len(raters)), NONE, dtype=np.int64)
    row_item, row_rater, row_label = table.rows
    rows = np.array([place.get(name, NONE) for name in table.names], dtype=np.int64)[row_item]
    known = rows != NONE
    cells[rows[known], row_rater[known]] = codes_given[row_label[known]]
    if len(raters) > 1 and set(raters) <= set(who):
        each = np.full((ratings.items, len(who)), NONE, dtype=np.int64)
        each[:, [who[rater] for rater in raters]] = cells
        return [SystemRatings(name, np.full(ratings.items, NONE), labels, soft, each, members)]
    named = [name] if len(raters) == 1 else raters
    return [SystemRatings(system, cells[:, index], labels, soft, None, members) for index, system in enumerate(named)]
