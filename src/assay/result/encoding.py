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
        is_open = origin is Sequence or arguments[-1] is ...
        kinds = itertools.repeat(arguments[0]) if is_open else arguments
        rows = zip(_check_type(list, data, where), kinds, strict=not is_open)
        return tuple(from_plain(element, item, f"{where}[{index}]") for index, (item, element) in enumerate(rows))
    if origin is types.UnionType:
        return None if data is None else from_plain(arguments[0], data, where)
    if origin is Mapping:
        items = _check_type(dict, data, where).items()
        return {key: from_plain(arguments[1], item, f"{where}.{key}") for key, item in items}
    if kind is float:
        return math.nan if data is None else float(_check_type((int, float), data, where))
    return data if kind is Any else _check_type(kind, data, where)


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
