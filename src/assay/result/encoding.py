"""Records as plain data for JSON, there and back by their types."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any

from assay.errors import CONTROL

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_PLAIN = frozenset((str, int, bool, type(None)))
_CONTROL = re.compile(f"[{''.join(map(chr, CONTROL))}]")


def dumps(data: Any) -> str:
    """Plain data as JSON text, in which nothing moves the cursor of a terminal or turns text around."""
    text = _encoder.encode(data)
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
    # Most of what is inside is plain, and a call would cost as much as all else.
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        plain = {
            name: item if type(item := getattr(value, attribute)) in _PLAIN else to_plain(item)
            for attribute, name, _ in _fields(type(value))
            if attribute not in (rare := _rare(type(value))) or getattr(value, attribute) != rare[attribute]
        }
        for name in _left_out_if_empty(type(value)):
            if not plain[name]:
                del plain[name]
        return plain
    if isinstance(value, Mapping):
        return {str(key): item if type(item) in _PLAIN else to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [item if type(item) in _PLAIN else to_plain(item) for item in value]
    # Numbers of numpy.
    return to_plain(value.item())


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
    if origin is tuple:
        kinds = itertools.repeat(arguments[0]) if arguments[-1] is ... else arguments
        rows = zip(_check_type(list, data, where), kinds, strict=arguments[-1] is not ...)
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
def _left_out_if_empty(kind: type) -> list[str]:
    """The fields of a record that are written only if they contain something."""
    return [field.name for field in dataclasses.fields(kind) if field.metadata.get("filled")]


@cache
def _fields(kind: type) -> list[tuple[str, str, Any]]:
    """The fields of a record that are written: the attribute, its name in JSON, its type."""
    hints = typing.get_type_hints(kind)
    named = [(field.name, field.metadata.get("json", field.name)) for field in dataclasses.fields(kind)]
    return [(attribute, name, hints[attribute]) for attribute, name in named if name]


@cache
def _rare(kind: type) -> dict[str, Any]:
    """The fields of a record that are written only if they are not the default, with the default."""
    return {field.name: field.default for field in dataclasses.fields(kind) if "rare" in field.metadata}
