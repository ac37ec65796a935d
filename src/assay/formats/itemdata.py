"""Data of Python as items: lists of labels or sets, {id: label}, Series, frames, outputs of pipelines and spaCy."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.arrays import to_python
from assay.corpus import Corpus
from assay.corpus.adapters import is_doc, is_frame
from assay.errors import InputError
from assay.formats.columns import WORDS
from assay.formats.items import IDS, KEYS, PARAMETERS, Roles, find_roles, make_items
from assay.formats.table import CellTable, check_names, plain_name, plain_value, table_of_rows, typed_table
from assay.formats.whose import Asked

_ANNOTATIONS = ("TAG", "POS", "DEP", "LEMMA", "MORPH", "ENT_IOB")
_CUT = 0.5
"""The score from which a label of spaCy's belongs to a set of gold."""


def is_scalar(value: Any) -> bool:
    """True for a label: a text, a number, a truth value, or nothing."""
    return to_python(value) is None or isinstance(to_python(value), str | int | float)


def is_set(value: Any) -> bool:
    """True for a set of labels."""
    return isinstance(value, set | frozenset)


def is_series(given: Any) -> bool:
    """True for objects like a Series."""
    return hasattr(given, "index") and hasattr(given, "to_list") and not is_frame(given)


def is_indexed(given: Any) -> bool:
    """True if only an index can have ids: for a Series, and for a data frame without a column of ids."""
    if is_frame(given):
        return hasattr(given, "index") and not {plain_name(str(name)) for name in given.columns} & {*IDS}
    return is_series(given)


def _list_index(given: Any) -> list[str] | None:
    """The ids in the index of a Series or a data frame; None if it only counts the rows."""
    index = [*given.index]
    return None if index == [*range(len(index))] else [str(plain_value(key)) for key in index]


def is_items(given: Any, *, sets: bool = False, said: bool = False) -> bool:
    """True if data are items, not words; `sets`: lists are sets; `said`: the user says that they are items."""
    if is_frame(given):
        names = {plain_name(str(name)) for name in given.columns}
        return said or (not names & WORDS and (bool(names & KEYS) or "sentence" not in names))
    if is_series(given) or (isinstance(given, np.ndarray) and given.ndim == 1):
        return True
    if isinstance(given, Mapping):
        return bool(given) and all(is_scalar(value) or is_set(value) for value in given.values())
    if not isinstance(given, list | tuple) or not given:
        return False
    if is_doc(given[0]):
        return all(getattr(doc, "cats", None) for doc in given) and (said or not any(map(_has_annotation, given)))
    if all(is_scalar(item) or is_set(item) for item in given):
        return any(item is not None for item in given)
    if all(isinstance(item, list | tuple | set | frozenset) for item in given):
        return sets and all(map(is_scalar, (member for item in given for member in item)))
    return all(isinstance(item, Mapping) and is_scalar(item.get("label", item)) for item in given)


def is_one_system(given: Any, *, sets: bool = False) -> bool:
    """True if data are the answers of one system, not a list or a mapping of systems."""
    if is_items(given, sets=sets, said=True):
        return True
    # All labels with their scores for each item, as pipelines give them.
    return (
        isinstance(given, list | tuple)
        and bool(given)
        and all(isinstance(item, list | tuple) and item and all(map(_is_scored, item)) for item in given)
    )


def _is_scored(item: Any) -> bool:
    return isinstance(item, Mapping) and {"label", "score"} <= item.keys()


def _has_annotation(doc: Any) -> bool:
    return bool(doc.ents) or any(doc.has_annotation(name) for name in _ANNOTATIONS)


def is_one_label(docs: Sequence[Any]) -> bool:
    """True if each of gold's Docs has one category."""
    return all(sum(value == 1 for value in doc.cats.values()) == 1 for doc in docs)


def items_of(
    given: Any,
    name: str,
    *,
    id_column: str = "",
    column: str | None = None,
    one_label: bool = True,
) -> Corpus:
    """The corpus of items in data; `one_label`: of spaCy's categories the highest counts, not several."""
    asked = Asked(name, is_system=name != "gold", id=id_column)
    table = table_of_data(given, name, id_column, one_label=one_label)
    if not is_frame(given) and "label" in table.names:
        places = {own: place for place, own in enumerate(table.names)}
        ids = (places["id"],) if "id" in places and id_column != "none" else ()
        roles = Roles(places["label"], ids, confidence=places.get("score"))
    else:
        roles = find_roles(table, PARAMETERS, asked, column)
    text = repr(table.columns).encode("utf-8", "surrogatepass")
    items = make_items(table, roles, PARAMETERS, sha256=hashlib.sha256(text).hexdigest(), form="lists")
    if not asked.is_system:
        items = replace(items, shares=None, confidence=None)
    return replace(items, lines=None, notes=items.notes if is_frame(given) else ()).corpus()


def table_of_data(given: Any, name: str, id_column: str = "", *, one_label: bool = True) -> CellTable:
    """The table of a data frame, of rows, or of labels alone."""
    if is_frame(given):
        return table_of_frame(given, name, id_column)
    rows = [*_rows_of(given, is_gold=name == "gold", one_label=one_label)]
    if not rows:
        raise InputError(f"{name}: contains no items.")
    return table_of_rows(rows, name, np.zeros(len(rows), dtype=np.int64))


def table_of_frame(frame: Any, name: str, id_column: str = "") -> CellTable:
    """The table of a data frame; its index is a column too if it has the ids."""
    if not len(frame) or not len(frame.columns):
        raise InputError(f"{name}: a data frame without rows.")
    names = check_names(name, [*map(str, frame.columns)])
    columns = [frame[column].to_list() for column in frame.columns]
    ids = _list_index(frame) if is_indexed(frame) and not id_column else None
    return typed_table(name, names, columns) if ids is None else typed_table(name, ("index", *names), [ids, *columns])


def _rows_of(given: Any, *, is_gold: bool, one_label: bool) -> list[Any]:
    """Items as rows of a table."""
    if isinstance(given, Mapping):
        return [{"id": str(plain_value(key)), "label": plain_value(value)} for key, value in given.items()]
    if is_series(given):
        ids, values = _list_index(given), [plain_value(value) for value in given.to_list()]
        if ids is None:
            return values
        return [{"id": name, "label": value} for name, value in zip(ids, values, strict=True)]
    listed = given.tolist() if isinstance(given, np.ndarray) else given
    if listed and is_doc(listed[0]):
        cats = [{label: float(score) for label, score in doc.cats.items()} for doc in listed]
        if is_gold and not one_label:
            return [{label for label, score in own.items() if score >= _CUT} for own in cats]
        is_share = not one_label or all(abs(sum(own.values()) - 1) < 1e-6 for own in cats)
        return [{"label": own if is_share else min(own, key=lambda label: (-own[label], label))} for own in cats]
    rows: list[Any] = []
    for item in listed:
        if isinstance(item, list | tuple) and item and all(map(_is_scored, item)):
            rows.append({"label": {str(one["label"]): float(one["score"]) for one in item}})
        elif isinstance(item, list | tuple | set | frozenset):
            rows.append({"label": {*map(plain_value, item)}})
        elif isinstance(item, Mapping):
            rows.append({key: plain_value(value) for key, value in item.items()})
        else:
            rows.append(plain_value(item))
    # Labels alone, next to others that have more.
    if any(isinstance(row, Mapping) for row in rows):
        rows = [row if isinstance(row, Mapping) else {"label": row} for row in rows]
    return rows
