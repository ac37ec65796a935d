"""Records as plain data for JSON, there and back by their types."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import operator
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from assay.errors import CONTROL
from assay.result.schema import RowList

_PLAIN = frozenset((str, int, bool, type(None)))
_CONTROL = re.compile(f"[{''.join(map(chr, CONTROL))}]")


def dumps(data: Any) -> str:
    """Data or a record as JSON text, in which nothing moves the cursor of a terminal or turns text around."""
    kind: type = type(data)
    try:
        text = _write_lists(data) if _has_lists(kind) else _encoder.encode(data)
    except (TypeError, ValueError):
        # Undefined numbers, or keys that are no strings, inside a list or a mapping.
        text = _encoder.encode(to_plain(data))
    # Of ASCII, JSON escapes all of them but one.
    if text.isascii() and "\x7f" not in text:
        return text
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def to_plain(value: Any) -> Any:
    """Plain data, ready for JSON: dataclasses as objects, undefined numbers as null."""
    if type(value) in _PLAIN or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, tuple | list | RowList):
        return [item if type(item) in _PLAIN else to_plain(item) for item in value]
    # Most of what is inside is plain, and a call would cost as much as all else.
    items = value if isinstance(value, Mapping) else _open(value)
    if isinstance(items, Mapping):
        return {str(key): item if type(item) in _PLAIN else to_plain(item) for key, item in items.items()}
    return to_plain(items)


def _open(value: Any) -> Any:
    """The fields of a record as JSON names and orders them; of a mapping all, of numpy the number."""
    kind: type = type(value)
    layout = _layout(kind)
    if layout is None:
        return {str(key): item for key, item in value.items()} if isinstance(value, Mapping) else value.item()
    names, read, floats, rare, filled = layout
    plain = dict(zip(names, read(value), strict=True))
    for name, default in rare:
        if plain[name] == default:
            del plain[name]
    for name in floats:
        if type(number := plain.get(name)) is float and not math.isfinite(number):
            plain[name] = None
    for name in filled:
        if not plain[name]:
            del plain[name]
    return plain


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, default=_open)


@lru_cache(1 << 14, typed=True)
def _write(value: Any) -> str:
    return _encoder.encode(to_plain(value))


def _write_lists(record: Any) -> str:
    """A record as JSON text, with its inner rows written by column: one by one, they take many times as long."""
    parts = []
    for is_list, fields in itertools.groupby(_open(record).items(), key=lambda item: isinstance(item[1], RowList)):
        if not is_list:
            parts.append(_encoder.encode(dict(fields))[1:-1])
            continue
        for name, rows in fields:
            columns = []
            for column in rows.columns:
                values = column.tolist()
                # A column has few distinct values.
                distinct = set(values)
                plain = column.dtype.kind in "if" and all(map(math.isfinite, distinct))
                texts = {value: repr(value) if plain else _write(value) for value in distinct}
                columns.append(map(texts.__getitem__, values))
            row = "{" + ", ".join(f'"{column}": %s' for _, column, _ in _fields(rows.kind)) + "}"
            parts.append(f'"{name}": [{", ".join(map(row.__mod__, zip(*columns, strict=True)))}]')
    return "{" + ", ".join(parts) + "}"


def from_plain(kind: Any, data: Any, where: str = "") -> Any:
    """Plain data as a type demands: records, tuples, numbers; null is nan if a number is expected.

    Data of another type raise a TypeError that says where they are.
    """
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        values = {}
        for attribute, name, hint in _fields(kind):
            if name in _check_type(dict, data, where):
                values[attribute] = from_plain(hint, data[name], f"{where}.{name}" if where else name)
        try:
            return kind(**values)
        except TypeError:
            none = dataclasses.MISSING
            fields = [field for field in dataclasses.fields(kind) if field.default is field.default_factory is none]
            needed = {field.name for field in fields} - values.keys()
            missing = (name for attribute, name, _ in _fields(kind) if attribute in needed)
            raise TypeError(f"{where or 'it'} lacks {', '.join(missing)}") from None
    if origin in (tuple, Sequence):
        listed: list[Any] = _check_type(list, data, where)
        if origin is tuple and arguments[-1] is not ...:
            pairs = enumerate(zip(listed, arguments, strict=True))
            return tuple(from_plain(element, item, f"{where}[{place}]") for place, (item, element) in pairs)
        if dataclasses.is_dataclass(arguments[0]):
            return _read_rows(arguments[0], listed, where, as_columns=origin is Sequence)
        if (converted := _convert(arguments[0], listed)) is not None:
            return tuple(converted)
        return tuple(from_plain(arguments[0], item, f"{where}[{place}]") for place, item in enumerate(listed))
    if origin is types.UnionType:
        return None if data is None else from_plain(arguments[0], data, where)
    if origin is Mapping:
        items: dict[str, Any] = _check_type(dict, data, where)
        if (converted := _convert(arguments[1], [*items.values()])) is not None:
            return dict(zip(items, converted, strict=True))
        return {key: from_plain(arguments[1], item, f"{where}.{key}") for key, item in items.items()}
    if kind is float:
        return math.nan if data is None else float(_check_type((int, float), data, where))
    return data if kind is Any else _check_type(kind, data, where)


def _convert(kind: Any, values: list[Any]) -> list[Any] | None:
    """Values as a plain type demands, all at once; None if the type is not plain, or a value of another type."""
    optional = typing.get_origin(kind) is types.UnionType
    plain, found = typing.get_args(kind)[0] if optional else kind, {*map(type, values)}
    if plain is float and found <= {float, int, types.NoneType}:
        undefined = None if optional else math.nan
        return values if found <= {float} else [undefined if value is None else float(value) for value in values]
    fits = plain in (str, int, bool) and found <= ({plain, types.NoneType} if optional else {plain})
    return values if fits or kind is Any else None


def _read_rows(kind: Any, rows: list[Any], where: str, *, as_columns: bool) -> Sequence[Any]:
    """Records from objects, by column if all have the same fields: one by one, values take many times as long."""
    columns: dict[str, list[Any]] = {}
    # Objects that differ in their fields, or lack one that they need, are read one by one.
    alike = bool(rows) and {*map(type, rows)} == {dict} and len({frozenset(row) for row in rows}) == 1
    for attribute, name, hint in _fields(kind) if alike else ():
        if name in rows[0]:
            cells = [row[name] for row in rows]
            if (values := _convert(hint, cells)) is None:
                values = [from_plain(hint, cell, f"{where}[{place}].{name}") for place, cell in enumerate(cells)]
            columns[attribute] = values
    fields = dataclasses.fields(kind)
    none = dataclasses.MISSING
    needed = {field.name for field in fields if field.default is field.default_factory is none}
    if not alike or needed - columns.keys():
        return tuple(from_plain(kind, row, f"{where}[{place}]") for place, row in enumerate(rows))
    if as_columns and len(columns) == len(fields):
        import numpy as np

        kinds = {"int": np.int64, "float": np.float64}
        return RowList(kind, [
            np.array(columns[field.name], dtype=kinds.get(str(field.type), np.object_)) for field in fields
        ])
    return tuple(kind(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True))


def _check_type(kind: Any, data: Any, where: str) -> Any:
    """The data; a TypeError if they are of another type. True and False are not numbers."""
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        shown = str(data)[:40]
        raise TypeError(f"{where or 'it'} is {shown!r}")
    return data


@cache
def _fields(kind: type) -> list[tuple[str, str, Any]]:
    """The fields of a record that are written: the attribute, its name in JSON, its type."""
    hints = typing.get_type_hints(kind)
    named = [(field.name, field.metadata.get("json", field.name)) for field in dataclasses.fields(kind)]
    return [(attribute, name, hints[attribute]) for attribute, name in named if name]


@cache
def _has_lists(kind: type) -> bool:
    """True if records of this kind have inner rows that may be kept as columns."""
    return dataclasses.is_dataclass(kind) and any(typing.get_origin(hint) is Sequence for *_, hint in _fields(kind))


_Layout = tuple[list[str], Callable[[Any], Sequence[Any]], list[str], list[tuple[str, Any]], list[str]]


@cache
def _layout(kind: type) -> _Layout | None:
    """How a record is written: the names in JSON, and what reads their values; the names of what can be undefined, of
    what is written only if it is not the default (with the default), and of what only if it contains something.

    None if instances are no records.
    """
    if not dataclasses.is_dataclass(kind):
        return None
    fields = _fields(kind)
    attributes, names = [attribute for attribute, *_ in fields], [name for _, name, _ in fields]
    read = operator.attrgetter(*attributes) if len(attributes) > 1 else lambda value: [getattr(value, attributes[0])]
    defaults = {field.name: field.default for field in dataclasses.fields(kind) if "rare" in field.metadata}
    filled = [field.name for field in dataclasses.fields(kind) if field.metadata.get("filled")]
    floats = [name for _, name, hint in fields if hint is float or float in typing.get_args(hint)]
    rare = [(name, defaults[attribute]) for attribute, name, _ in fields if attribute in defaults]
    return names, read, floats, rare, filled
