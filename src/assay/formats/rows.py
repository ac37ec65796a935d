"""Rows of words with lists of labels, as data sets of Hugging Face have them: each list is a column of labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from typing import Any

from assay.errors import InputError
from assay.formats import jsondocs
from assay.formats.arrow import SHOWN, TABLES, lacks_library, open_table
from assay.formats.builder import Builder
from assay.formats.documents import Document, add_document, check_label
from assay.formats.jsontext import expect, json_object, json_values, quote, values_in
from assay.formats.source import Source
from assay.formats.whose import Annotation

WORDS = ("tokens", "words")
_OF_DOCUMENTS = ("spans", "entities", "ents", "label", "labels", "relations", "verbs")
"""Keys of lists of which a document has one, unless they have a label for each word."""
_EXAMPLE = '{"tokens": ["Ann", "left"], "ner_tags": ["B-PER", "O"]}'
_IGNORED = -100
_OF_ROWS = frozenset((*jsondocs.IDS, "text"))
"""Keys of a row that are no metadata."""
Names = Mapping[str, Mapping[int, str]]
"""The names of numbers by column, or for all columns under no name."""


def decide_json(
    head: Sequence[str], path: str, given: Mapping[str, Any], wanted: Sequence[str] = (), *_: object
) -> Mapping[str, Any]:
    """The columns of rows of words; otherwise the layers of documents."""
    values: list[Any] = []
    with suppress(InputError):
        # The last value may be cut.
        text = iter(["\n".join(head)])
        values.extend(value for _, value in islice(values_in(text, path, _EXAMPLE, "row"), SHOWN))
    names = read_names(given["names"]) if given["names"] else {}
    if decided := decide_rows(values, f"{path}:1", names, wanted=wanted):
        return {**decided, "read": partial(read_rows, names=names)}
    if names:
        raise InputError(f"{path}: no rows of words with lists of labels, so names= does not apply. Remove it.")
    others = {name: value for name, value in given.items() if name != "names"}
    return {**jsondocs.decide_json(head, path, given), "read": partial(jsondocs.read_json, **others)}


def looks_table(head: Sequence[str]) -> bool:
    """True if a table of Arrow has rows of words, as far as can be seen."""
    return head[0] in TABLES and (len(head) == 1 or bool(_find_lists([*map(json.loads, head[2:])])))


def decide_table(
    head: Sequence[str], path: str, given: Mapping[str, Any], wanted: Sequence[str] = (), *_: object
) -> Mapping[str, Any]:
    """The columns of rows of words; the names of numbers are in the schema, unless a file is named."""
    shown = head if head[0] in TABLES else ()
    if len(shown) == 1:
        raise lacks_library(path, head[0])
    names = read_names(given["names"]) if given["names"] else names_of_features(json_object("".join(shown[1:2])))
    values = [*map(json.loads, shown[2:])]
    decided = decide_rows(values, f"{path}:1", names, "parquet", wanted)
    if shown and not decided:
        raise InputError(f"{path}: no lists of words and labels. If a row is an item: --input-format items")
    return {**decided, "read": partial(read_rows, names=names, is_table=True)}


def decide_rows(
    values: Sequence[Any], place: str, names: Names, form: str = "jsonl", wanted: Sequence[str] = ()
) -> dict[str, Any]:
    """The columns of labels that the first rows show; nothing if these are no rows of words."""
    lists = _find_lists(values)
    cells = {
        name: labels if type(labels[0]) is str else [_names_of(names, name).get(label, "") for label in labels]
        for name, labels in lists.items()
        if type(labels[0]) is str or _names_of(names, name)
    }
    unnamed = [name for name in lists if name not in cells and (name in wanted or not cells)]
    if unnamed:
        raise InputError(
            f"{place}: {', '.join(unnamed)} are numbers without names. Give these: --input-format "
            f'"{form}(names=dataset_info.json)", or a config.json, or a file with a name per line.'
        )
    return {"labels": (*cells,), "cells": cells, "layers": (), "names_layers": False} if cells else {}


def _find_lists(values: Sequence[Any]) -> dict[str, list[Any]]:
    """The labels of all rows by column; nothing if these are no rows of words."""
    rows = [value for value in values if isinstance(value, dict)]
    key = next((key for key in WORDS if all(_is_list_of(row.get(key), str) for row in rows)), None)
    if not rows or key is None or len(rows) < len(values):
        return {}
    lists: dict[str, list[Any]] = {}
    for name in {name: None for row in rows for name in row if name != key}:
        cells = [(row.get(name), len(row[key])) for row in rows]
        # A row that lacks a label, or has one of another kind, is refused when its turn comes.
        fitting = [cell for cell, size in cells if isinstance(cell, list) and len(cell) == size]
        labels = [*chain.from_iterable(fitting)] if 2 * len(fitting) > len(rows) else []
        alike = [label for label in labels if type(label) is type(labels[0])]
        if 2 * len(alike) > len(labels) and type(alike[0]) in (str, int):
            lists[name] = alike
    others = (name for name in _OF_DOCUMENTS if name not in lists)
    return {} if any(isinstance(row.get(name), list) for name in others for row in rows) else lists


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and {*map(type, value)} <= {kind}


def _names_of(names: Names, column: str) -> Mapping[int, str]:
    return names.get(column) or names.get("") or {}


def read_rows(source: Source, builder: Builder, *, names: Names, is_table: bool = False) -> None:
    """Read one file of JSON, or one table of Arrow, whose rows have numbers as those of a file have lines."""
    read, rows = row_reader(names, builder.names), json_values(source, _EXAMPLE, "row")
    if is_table:
        rows = enumerate((row for batch in open_table(source)[1] for row in batch.to_pylist()), 1)
    for line, row in rows:
        add_document(read(row, line, f"{source.path}:{line}"), builder)


def row_reader(names: Names, columns: Sequence[str]) -> Callable[[Any, int, str], Document]:
    """The function that makes a document of a row with its line and place, with the labels in these columns."""
    return partial(_read_row, columns={column: (_names_of(names, column), set()) for column in columns})


def _read_row(row: Any, line: int, place: str, columns: Mapping[str, tuple[Mapping[int, str], set[str]]]) -> Document:
    """The document that a row is; `columns` have the names of their numbers, and the labels that were checked."""
    key = next((key for key in WORDS if isinstance(row, dict) and _is_list_of(row.get(key), str)), None)
    if key is None:
        raise InputError(f"{place}: {quote(row)}, but a row with a list of words is expected. It is {_EXAMPLE}")
    words = row[key]
    labels = {
        column: _name_labels(row.get(column), len(words), f"{place}: {column}", *known)
        for column, known in columns.items()
    }
    metadata = {name: given for name, given in row.items() if name not in _OF_ROWS and not isinstance(given, list)}
    annotation = Annotation(None, status="" if words else "without words")
    name = jsondocs.read_id(row, place)
    return Document(
        line, place, [annotation], name, None, words, metadata=metadata, shape="rows of words", columns=labels
    )


def _name_labels(labels: Any, size: int, here: str, names: Mapping[int, str], checked: set[str]) -> list[str]:
    """The labels of a row, numbers by their names; those that were checked are labels."""
    if not isinstance(labels, list) or len(labels) != size:
        raise InputError(f"{here} is {quote(labels)}, but a list of {size} labels is expected.")
    if names and _is_list_of(labels, int):
        if unnamed := [(word, label) for word, label in enumerate(labels, 1) if label not in names]:
            word, number = unnamed[0]
            fact = f"but there are names for {min(names)} to {max(names)} alone. Is it the right file of names?"
            if number == _IGNORED:
                fact = "which stands for pieces of words that training passes over. Give each word its label."
            raise InputError(f"{here} of word {word} is {number}, {fact}")
        return [names[label] for label in labels]
    expect(_is_list_of(labels, str), here, labels, "a list of names")
    for label in {*labels} - checked:
        checked.add(check_label(label, here, "row"))
    return labels


def read_names(path: str) -> Names:
    """The names of numbers in a file: features of a data set, id2label of a model, or a name per line."""
    text = "".join(batch.text for batch in Source(path).batches())
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = text.split()
    names: Names = names_of_features(value) or {
        "": _number_names(value.get("id2label") if isinstance(value, dict) else value)
    }
    if not any(names.values()):
        raise InputError(
            f"{path}: no names of labels. It should be a dataset_info.json (features), a config.json (id2label), or "
            "have a name per line."
        )
    return names


def names_of_features(value: Any) -> Names:
    """The names of numbers by column, as a data set of Hugging Face describes its features."""
    if not isinstance(value, dict):
        return {}
    features = value.get("features")
    if not isinstance(features, dict):
        # They are within the information on a data set, or on each of its configurations.
        return next(filter(None, map(names_of_features, value.values())), {})
    named: dict[str, dict[int, str]] = {}
    for column, feature in features.items():
        while isinstance(feature, dict) and "names" not in feature:
            feature = feature.get("feature")  # noqa: PLW2901
        if isinstance(feature, dict) and (names := _number_names(feature["names"])):
            named[column] = names
    return named


def _number_names(given: Any) -> dict[int, str]:
    """Names in a list, or by their numbers."""
    pairs = enumerate(given) if isinstance(given, list) else given.items() if isinstance(given, dict) else ()
    return {int(number): name for number, name in pairs if isinstance(name, str) and str(number).isdecimal()}
