"""Gold and systems in the same files: one table for all, long tables with a system in each row, logs with targets."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from assay import specs
from assay.corpus import Column, Corpus
from assay.corpus.adapters import is_doc, is_frame, list_datasets, named_systems
from assay.corpus.items import ItemTable
from assay.corpus.ratings import parse_number
from assay.engine.options import Options
from assay.errors import AssayError, InputError, UsageError
from assay.formats import Input, contains_items
from assay.formats.arrow import TABLES
from assay.formats.itemdata import (
    is_indexed,
    is_items,
    is_one_label,
    is_one_system,
    items_of,
    table_of_data,
    table_of_frame,
)
from assay.formats.items import FORMAT as ITEMS
from assay.formats.items import (
    GOLD,
    PARAMETERS,
    RUNS,
    SYSTEM,
    SYSTEMS,
    Roles,
    find_roles,
    make_items,
    open_table,
)
from assay.formats.jsontext import first_object
from assay.formats.source import Source
from assay.formats.table import CellTable, find_separator, plain_name, read_cells

Runs = dict[str, Corpus | list[Corpus]]
"""Systems by name; several runs are a list."""
_MOST_LABELS = 20
"""More different numbers than this are measurements, which columns may share by chance."""


def find_sides(
    gold: Any, systems: Any, options: Options, measures: Sequence[str] | str | None = None
) -> tuple[Any, Any, Options]:
    """Gold and systems as given, or read if files hold both, or several systems; and the options without columns."""
    gold, systems = list_datasets(gold), list_datasets(systems)
    if (sides := _read_data(gold, systems, options)) is not None:
        return sides
    is_alone = systems is None or (isinstance(systems, list | tuple | Mapping) and not systems)
    opened = _open(gold, options)
    if gold is None or _is_log(opened):
        named = {} if is_alone else named_systems(systems)
        # Names are found for all of them together.
        named = named if gold is None else named_systems([gold, *(f"{name}={path}" for name, path in named.items())])
        if named and all(_is_log(_open(path, options)) for path in named.values()):
            return _read_logs(named, options)
    scores = list_means(measures)
    if scores is not None and (sides := _read_scores(gold, systems, scores, options)) is not None:
        return sides
    if opened is None or not contains_items(opened):
        return gold, systems, options
    if is_alone:
        return _read_one_table(str(gold), options)
    expanded: dict[str, Any] = {}
    for name, given in named_systems(systems).items():
        if _is_data(given, sets=bool(options.sets), said=True):
            expanded[name] = items_of(given, name, id_column=options.id)
        elif _has_several(given, options.format_of(name)):
            asked = replace(options.asked_of(name), items=True)
            table = Input(str(given), input_format=options.format_of(name), asked=asked).read().layers[ItemTable]
            expanded |= _split(name, table)
            options = options.without_formats([name])
        else:
            expanded[name] = given
    return gold, expanded, options


def contains_gold(path: Any, options: Options) -> bool:
    """True if a file may have gold and systems: it is a table of items, or a log."""
    opened = _open(path, options)
    return opened is not None and contains_items(opened)


def _open(path: Any, options: Options) -> Input | None:
    """A file that may be of items, opened; None if it is no such file."""
    if not isinstance(path, str | Path) or (options.task or ITEMS) != ITEMS:
        return None
    name, _, after = str(path).partition("=")
    path = after if after and not os.path.exists(path) else path
    said = options.format_of("gold") or (options.format_of(name) if after else None)
    if not os.path.isfile(path):
        return None
    try:
        return Input(str(path), input_format=said, asked=options.asked_of("gold"))
    except AssayError:
        # What is wrong is reported when it is read.
        return None


def _is_log(opened: Input | None) -> bool:
    return opened is not None and opened.plan.holds_gold


def _has_several(path: Any, said: str | None) -> bool:
    """True if a table names systems or runs, or if the user says where."""
    if not isinstance(path, str | Path) or not os.path.isfile(path):
        return False
    if said and {"system", "run"} & specs.parse(said, "format")[1].keys():
        return True
    head = (source := Source(str(path))).head()
    names: Iterable[str] = first_object(head) or head[0].split(find_separator(head[0]))
    names = read_cells(source).names if head[0] in TABLES else names
    return any(plain_name(name.strip('"')) in (*SYSTEMS, *RUNS) for name in names)


# --- data of Python ---


def _read_data(gold: Any, systems: Any, options: Options) -> tuple[Any, Any, Options] | None:
    """Corpora of items from data; None if gold is a path or has words."""
    sets, said = bool(options.sets), options.task == ITEMS
    is_table = isinstance(gold, Corpus) and contains_items(gold)
    if (options.task or ITEMS) != ITEMS or not (is_table or _is_data(gold, sets=sets, said=said)):
        return None
    if systems is None and is_frame(gold):
        return _take_sides(table_of_frame(gold, "gold", options.id), PARAMETERS, options, "")
    for given in (systems, *(systems.values() if isinstance(systems, Mapping) else ())):
        if isinstance(given, np.ndarray) and given.ndim == 2:
            raise UsageError(
                f"expected labels, but got a matrix of {given.shape[0]:,} × {given.shape[1]:,}. Give the labels, "
                f"e.g. by argmax; or a data frame with a column p:LABEL for each; or use assay.measure() for arrays "
                f"of a Trainer."
            )
    alone = is_one_system(systems, sets=sets) and not (isinstance(systems, Mapping) and not isinstance(gold, Mapping))
    named: Mapping[str, Any] = {"system 1": systems} if alone else _name_data(systems)
    one_label = not (isinstance(gold, list | tuple) and is_doc(gold[0])) or is_one_label(gold)
    options = options.with_columns(["gold", *named])
    by_order = any(isinstance(given, list | tuple | np.ndarray) for given in (gold, *named.values()))

    def read(given: Any, name: str) -> Any:
        if not _is_data(given, sets=sets, said=True) and not is_one_system(given, sets=sets):
            return given
        # Beside plain lists an index is no id: all go by order.
        ids = "none" if by_order and is_indexed(given) else options.id
        return items_of(given, name, id_column=ids, column=options.column_of(name), one_label=one_label)

    return read(gold, "gold"), {name: read(given, name) for name, given in named.items()}, options


def read_annotators(given: Any, options: Options) -> Any:
    """Annotators or systems as given, or corpora of items by name if all are lists of labels, Series or frames."""
    if not isinstance(given, Mapping | list | tuple) or not given or (options.task or ITEMS) != ITEMS:
        return given
    named = given if isinstance(given, Mapping) else {f"annotator {place}": own for place, own in enumerate(given, 1)}
    sets, said = bool(options.sets), options.task == ITEMS
    if not all(_is_data(own, sets=sets, said=said) for own in named.values()):
        return given
    by_order = any(isinstance(own, list | tuple | np.ndarray) for own in named.values())
    return {
        name: items_of(own, str(name), id_column="none" if by_order and is_indexed(own) else options.id)
        for name, own in named.items()
    }


def _is_data(given: Any, *, sets: bool, said: bool) -> bool:
    return not isinstance(given, str | Path | Corpus) and is_items(given, sets=sets, said=said)


def _name_data(systems: Any) -> Mapping[str, Any]:
    """Systems by name; those of a list are numbered."""
    if isinstance(systems, list | tuple) and all(isinstance(one, list | tuple) for one in systems):
        return {f"system {number}": given for number, given in enumerate(systems, 1)}
    return named_systems(systems)


# --- logs ---


def _read_logs(given: Mapping[str, Any], options: Options) -> tuple[Any, Any, Options]:
    """Gold, which is the targets of all logs, and systems with their epochs as runs."""
    tables: dict[str, ItemTable] = {}
    for name, path in given.items():
        said = options.format_of(name) or options.format_of("gold")
        tables[name] = Input(str(path), input_format=said, asked=options.asked_of(name)).read().layers[ItemTable]
    models = [table.system or name for name, table in tables.items()]
    if {*tables} == {*named_systems([*map(str, given.values())])} and len({*models}) == len(models):
        # Without names of the user's, systems are called by their models.
        tables = dict(zip(models, tables.values(), strict=True))
    return _take_scores(tables, options)


def _take_scores(tables: Mapping[str, ItemTable], options: Options) -> tuple[Any, Any, Options]:
    """Gold and systems of tables that have scores."""
    _check_documents([*tables.values()])
    gold = _join_targets([*tables.values()])
    systems: Runs = {}
    for name, table in tables.items():
        # A sample without any score is missing.
        scores = [*table.scores.values()]
        kept = np.flatnonzero(~np.isnan(scores).all(axis=0)) if scores else np.arange(len(table))
        systems |= _split(name, table.take(kept) if len(kept) < len(table) else table)
    return gold.corpus(), systems, replace(options, column=None)


def _check_documents(tables: Sequence[ItemTable]) -> None:
    """Refuse logs of other documents under the same ids."""
    seen: dict[str, tuple[str, str]] = {}
    for table in tables:
        if "doc_hash" not in table.metadata:
            continue
        for row, (name, digest) in enumerate(zip(table.ids or (), table.metadata["doc_hash"].strings(), strict=True)):
            if seen.setdefault(name, (digest, table.place(row)))[0] != digest:
                raise InputError(f"{table.place(row)}: document {name} differs from the one in {seen[name][1]}.")


def _join_targets(tables: Sequence[ItemTable]) -> ItemTable:
    """The items of all tables with gold's labels, each item once."""
    shared = {
        what: set.intersection(*({*getattr(table, what)} for table in tables))
        for what in ("texts", "metadata", "scores")
    }

    def take_targets(table: ItemTable) -> ItemTable:
        labels = Column(np.zeros(len(table), dtype=np.int32), ("",)) if table.targets is None else table.targets
        return replace(
            table,
            labels=labels,
            missing=labels.isin([""]),
            texts={name: cells for name, cells in table.texts.items() if name in shared["texts"]},
            metadata={name: cells for name, cells in table.metadata.items() if name in shared["metadata"]},
            confidence=None,
            shares=None,
            targets=None,
            # Their names alone: what each system has.
            scores={name: cells * np.nan for name, cells in table.scores.items() if name in shared["scores"]},
            is_logged=any(one.is_logged for one in tables),
            notes=(),
            warnings=(),
        )

    gold = reduce(ItemTable.followed_by, map(take_targets, tables))
    if gold.ids is None:
        return take_targets(tables[0])
    first = {name: row for row, name in reversed([*enumerate(gold.ids)])}
    firsts = np.array([first[name] for name in gold.ids], dtype=np.int64)
    # What differs between systems is not about the item.
    facts = {name: cells for name, cells in gold.metadata.items() if np.array_equal(cells.codes, cells.codes[firsts])}
    gold = replace(gold, metadata=facts).take(np.array(sorted(first.values()), dtype=np.int64))
    for table in tables if not gold.texts else ():
        rows = {name: row for row, name in enumerate(table.ids or ())}
        if table.texts and rows.keys() >= {*first}:
            # One table may have the texts of all.
            texts = {name: [cells[rows[item]] for item in gold.ids or ()] for name, cells in table.texts.items()}
            return replace(gold, texts=texts)
    return gold


def _split(name: str, table: ItemTable) -> Runs:
    """The systems of a table by its column of systems, if it has one, and the runs of each."""
    keys = [next((key for key in table.metadata if plain_name(key) in usual), "") for usual in (SYSTEMS, RUNS)]
    systems, runs = (
        table.metadata[key] if key else Column(np.zeros(len(table), dtype=np.int32), ("",)) for key in keys
    )
    bare = replace(table, texts={}, metadata={})
    split: Runs = {}
    for code in dict.fromkeys(systems.codes.tolist()):
        own = np.flatnonzero(systems.codes == code)
        numbers = dict.fromkeys(runs.codes[own].tolist())
        corpora = [bare.take(own[runs.codes[own] == run]).corpus() for run in numbers]
        title = systems.vocabulary[code] if len(systems.counts()) > 1 or not name else name
        split[title] = corpora[0] if len(corpora) == 1 else corpora
    return split


# --- scores without gold ---


def list_means(measures: Sequence[str] | str | None) -> list[str] | None:
    """The scores that means are asked of; None if another measure is asked, or none."""
    named = [measures] if isinstance(measures, str) else measures or ()
    asked = [specs.parse(specs.split_score(measure)[0], "measure") for measure in named]
    is_mean = bool(asked) and all(name == "mean" for name, _ in asked)
    return [score for _, given in asked if (score := given.get("of", ""))] if is_mean else None


def _read_scores(gold: Any, systems: Any, scores: Sequence[str], options: Options) -> tuple[Any, Any, Options] | None:
    """Systems with scores, which need no gold; None if the first file is gold."""
    is_alone = systems is None or (isinstance(systems, list | tuple | Mapping) and not systems)
    chosen = _parse_columns(options.column)
    if isinstance(gold, Corpus) or "gold" in chosen or (options.task or ITEMS) != ITEMS:
        return None
    if gold is None:
        given = [*systems.values()] if isinstance(systems, Mapping) else systems
        has_paths = isinstance(given, list | tuple) and any(isinstance(one, str | Path) for one in given)
        is_one = is_one_system(systems) and not has_paths
        named: Mapping[str, Any] = {"system 1": systems} if is_one else _name_data(systems)
    elif isinstance(gold, str | Path):
        others = {} if is_alone else named_systems(systems)
        named = named_systems([str(gold), *(f"{name}={path}" for name, path in others.items())])
        first, given = next(iter(named.items()))
        has_name = str(gold) != str(given) and first != "gold"
        if not os.path.isfile(given):
            return None
        if not (is_alone or has_name) and _open_cells(given, first, options)[0].among(GOLD):
            return None
    else:
        return None
    tables: dict[str, ItemTable] = {}
    for name, given in named.items():
        table, sha256 = _open_cells(given, name, options)
        columns, hidden = {name: scores}, set[int]()
        if chosen and len(named) == 1 and not scores:
            # One table for all: each column is a system's.
            columns, hidden = {own: [column] for own, column in chosen.items()}, {*map(table.locate, chosen.values())}
        for own, asked in columns.items():
            items = _score_items(table, asked, options, own, hidden)
            tables[own] = replace(items, sha256=sha256)
    return _take_scores(tables, options)


def _open_cells(given: Any, name: str, options: Options) -> tuple[CellTable, str]:
    """The table in a file or in data, and its checksum."""
    if isinstance(given, str | Path):
        source = Source(str(given))
        return open_table(source, _parameters_of(name, options), options.asked_of(name), []), source.sha256
    table = table_of_data(given, name, options.id)
    return table, hashlib.sha256(repr(table.columns).encode("utf-8", "surrogatepass")).hexdigest()


def _parameters_of(name: str, options: Options) -> dict[str, Any]:
    """The parameters of the format that the user says a file has."""
    said = options.format_of(name) or options.format_of("gold")
    return specs.convert_parameters("format items", specs.parse(said, "format")[1] if said else {}, PARAMETERS)


def _score_items(
    table: CellTable, scores: Sequence[str], options: Options, name: str, hidden: Collection[int]
) -> ItemTable:
    """The items of a table with these scores, or with its only column of numbers."""
    given, asked = _parameters_of(name, options), replace(options.asked_of(name), is_system=True)
    outputs = [place for place in table.among(SYSTEM) if table.name(place) not in scores]
    label = table.name(outputs[0] if len(outputs) == 1 else len(table.columns) - 1)
    roles = replace(find_roles(table, given, asked, label), confidence=None, shares={})
    taken = {*roles.ids, *roles.texts, *table.among((*SYSTEMS, *RUNS))}
    places = [*map(table.locate, scores)] or [
        place for place, cells in enumerate(table.columns) if place not in taken and _has_numbers(cells)
    ]
    names = [*map(table.name, places)]
    choice = f'Name the score: -m "mean(of={next(iter(names), "NAME")})"'
    if not names:
        raise InputError(f"{table.path}: no column has numbers. {choice}")
    if not scores and len(names) > 1:
        columns = f"--column {names[0]} --column {names[1]}"
        raise InputError(f"{table.path}: {', '.join(names)} have numbers. {choice}; if each is a system's: {columns}")
    shown = roles.label if len(outputs) == 1 else places[0]
    targets = None if roles.targets in places else roles.targets
    roles = replace(roles, label=shown, targets=targets, scores=tuple(places))
    items = make_items(table, roles, given, hidden=hidden)
    named = dict(zip(scores or names, items.scores.values(), strict=True))
    return replace(items, scores=named, is_logged=True)


def _has_numbers(cells: Sequence[Any]) -> bool:
    """True if all filled cells are numbers, and some are filled."""
    filled = [cell for cell in cells if cell not in ("", None)]
    return bool(filled) and all(parse_number(str(cell)) is not None for cell in filled)


# --- one table for all ---


def _read_one_table(path: str, options: Options) -> tuple[Any, Any, Options]:
    """Gold and systems of a file."""
    given, source = _parameters_of("gold", options), Source(path)
    table = open_table(source, given, options.asked_of("gold"), [*_parse_columns(options.column).values()])
    return _take_sides(table, given, options, source.sha256)


def _take_sides(
    table: CellTable, given: Mapping[str, Any], options: Options, sha256: str
) -> tuple[Any, Any, Options]:
    """Gold and the systems that are columns of a table, or its rows."""
    chosen, asked, path = _parse_columns(options.column), options.asked_of("gold"), table.path
    several = given["alternatives"] or asked.alternatives
    given = {**given, "sets": given["sets"] or asked.sets, "alternatives": several}
    of_systems = (place for place, name in enumerate(table.names) if plain_name(name) in SYSTEMS)
    if any(len({*map(str, table.columns[place])}) > 1 for place in of_systems):
        label = next((column for name, column in chosen.items() if name != "gold"), None)
        roles = find_roles(table, given, replace(asked, name="", is_system=True), label)
        if "gold" in chosen:
            roles = replace(roles, targets=table.locate(chosen["gold"]))
        if roles.targets is None:
            raise InputError(f"{path}: no column with gold's labels. Name it: --column gold=NAME.")
        items = make_items(table, roles, given, sha256=sha256)
        gold = replace(_join_targets([items]), notes=items.notes)
        return gold.corpus(), _split("", items), replace(options, column=None)
    roles = replace(find_roles(table, given, asked, chosen.pop("gold", None)), confidence=None)
    systems = {name: table.locate(column) for name, column in chosen.items()}
    systems = systems or _find_systems(table, roles, given["sets"])
    gold = make_items(table, roles, given, hidden={*systems.values()}, sha256=sha256)
    listed = ", ".join(map(table.name, systems.values()))
    gold = replace(
        gold, notes=(*gold.notes, f"the columns {listed} are read as systems. To choose: --column NAME=COLUMN")
    )
    answers: Runs = {}
    for name, place in systems.items():
        own = Roles(label=place, ids=roles.ids)
        items = make_items(table, own, given, hidden={*range(len(table.columns))}, sha256=sha256)
        answers[name] = replace(items, notes=()).corpus()
    return gold.corpus(), answers, replace(options, column=None)


def _parse_columns(given: Any) -> dict[str, str]:
    """Columns by the names of gold and systems; a system without a name is called as its column."""
    if isinstance(given, Mapping):
        return {str(name): str(column) for name, column in given.items()}
    if isinstance(given, str) and "=" not in given:
        # One column by itself is gold's.
        return {"gold": given}
    pairs = (spec.partition("=") for spec in ([given] if isinstance(given, str) else given or ()))
    return {before: after if equals else before for before, equals, after in pairs}


def _find_systems(table: CellTable, roles: Roles, separator: str) -> dict[str, int]:
    """The columns of whose filled cells at least half are labels of gold."""
    assert roles.label is not None
    filled = {
        place: [text for cell in cells for part in _cut(cell, separator) if (text := str(part).strip())]
        for place, cells in enumerate(table.columns)
    }
    labels = {*filled[roles.label]}
    numbers = [parse_number(label) for label in labels]
    names = ", ".join(table.name(place) for place in filled if place not in roles.places())
    if None not in numbers and (len(labels) > _MOST_LABELS or any(number and number % 1 for number in numbers)):
        raise InputError(
            f"{table.path}: gold has numbers, so name the systems: --column gold={table.name(roles.label)} --column "
            f"NAME=COLUMN. Available: {names}."
        )
    systems = {
        table.name(place): place
        for place, cells in filled.items()
        if place not in roles.places() and cells and 2 * sum(cell in labels for cell in cells) >= len(cells)
    }
    if not systems:
        raise InputError(
            f"{table.path}: no further column has labels of {table.name(roles.label)}, so there are no systems. Name "
            f"them: --column gold={table.name(roles.label)} --column NAME=COLUMN. Available: {names or 'none'}."
        )
    return systems


def _cut(cell: Any, separator: str) -> Sequence[Any]:
    """The labels in a cell."""
    if isinstance(cell, list | tuple | set | frozenset):
        return [*cell]
    return cell.split(separator) if separator and isinstance(cell, str) else [] if cell is None else [cell]
