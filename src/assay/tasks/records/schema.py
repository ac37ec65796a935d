"""What a record may contain: fields with their kinds, from a JSON Schema, from declarations, or from gold."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

from assay.classes import dataclass
from assay.errors import InputError, UsageError, unknown
from assay.formats.grounding import fold_spelling
from assay.tasks.records.kinds import BOOLEAN, DATE, ENUM, NUMBER, TEXT, Kind, parse_kind, read_date, type_of

OBJECT, LIST, VALUE = "object", "list", "value"
BAG, SET, ORDERED = LISTS = ("bag", "set", "ordered")
KEY, DERIVED, IGNORE = "key", "derived", "ignore"
ABSENT = "absent"
"""Marks a field that is ignored and that neither gold nor the schema has."""
_TYPES = {"string": TEXT, "number": NUMBER, "integer": NUMBER, "boolean": BOOLEAN}
_FORMATS = ("date", "date-time")
DECLARED = "x-assay"
_USED = frozenset(
    (
        *("type", "enum", "format", "required", "uniqueItems", "$ref", "additionalProperties", DECLARED),
        *("title", "description", "default", "examples", "$schema", "$id", "$comment"),
    )
)
"""Keywords of JSON Schema that are read, or that say nothing of values."""
_NOUNS = {OBJECT: "an object", LIST: "a list", VALUE: "a single value"}
DEEPEST = 100
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]')
"""Strings of JSON, and its brackets."""
_SHAPES: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "enum", "required"), (list, "a list")),
    **dict.fromkeys(("properties", "items"), (dict, "an object")),
}
"""What the keywords of a JSON Schema must be."""
FILLERS = frozenset(
    (
        *("none", "null", "nil", "n/a", "na", "nan", "-", "--", "unknown"),
        *("not specified", "not mentioned", "not provided", "not available", "not given", "not stated"),
        "not applicable",
    )
)
"""Words that say that there is nothing, folded and without a stop."""
_LONGEST_FILLER = 20


@dataclass(frozen=True)
class Place:
    """A place in the schema: an object with its fields, a list with its elements, or a value."""

    path: str
    """`total`, `address.city`, `items[].price`; nothing for the record itself."""
    form: str = VALUE
    kind: Kind = Kind()
    fields: Mapping[str, Place] = field(default_factory=dict)
    """The fields of an object."""
    element: Place | None = None
    """The elements of a list."""
    listed: str = BAG
    """How a list is compared."""
    marks: frozenset[str] = frozenset()
    """key, derived, ignore, absent."""
    values: tuple[Any, ...] = ()
    """The values of an enum."""
    types: tuple[str, ...] = ()
    """The types that a JSON Schema allows; nothing if it names none."""
    required: tuple[str, ...] = ()
    """The fields that an object must have by the schema."""
    unread: tuple[str, ...] = ()
    """Of the record itself: keywords of its JSON Schema that say nothing here."""
    fillers: frozenset[str] = frozenset()
    """Fillers that are values here, because gold or the enum has them."""

    @property
    def is_ignored(self) -> bool:
        """True if it counts on neither side."""
        return IGNORE in self.marks

    def walk(self) -> Iterator[Place]:
        """This place and all below it."""
        yield self
        for below in (*self.fields.values(), *([self.element] if self.element else [])):
            yield from below.walk()

    @property
    def slots(self) -> list[Place]:
        """The values outside lists that count."""
        if self.is_ignored or self.form == LIST:
            return []
        if self.form == VALUE:
            return [self]
        return [slot for below in self.fields.values() for slot in below.slots]


def path_of(above: str, key: str) -> str:
    """The path of a field of an object."""
    return f"{above}.{key}" if above else key


def is_nothing(value: Any) -> bool:
    """True of null, NaN, blank text, and lists and objects that are empty or have nothing in them."""
    if type(value) is str:
        return not value or value.isspace()
    if type(value) is dict:
        return all(map(is_nothing, value.values()))
    if type(value) is list:
        return all(map(is_nothing, value))
    return value is None or (type(value) is float and not math.isfinite(value))


def is_too_deep(text: str) -> bool:
    """True if a record, written as JSON, is nested more deeply than records are read."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    steps = ((mark in "[{") - (mark in "]}") for mark in _BRACKETS.findall(text) if len(mark) == 1)
    return max(accumulate(steps)) > DEEPEST


def filler_in(value: Any) -> str:
    """The filler that a value is; nothing if it is none."""
    return _find_filler(value) if type(value) is str and len(value) <= _LONGEST_FILLER else ""


@lru_cache(1 << 16)
def _find_filler(value: str) -> str:
    folded = fold_spelling(value).rstrip(".").rstrip()
    return folded if folded in FILLERS else ""


# --- inferred from gold ---


def infer_schema(records: Sequence[tuple[str, Any]], told: Place | None = None) -> Place:
    """The schema that all of gold's records show; each record is given with its place in the file.

    `told`: the schema of a file, whose lists are lists here too.
    """
    return _infer("", list(records), told)


def _infer(path: str, given: list[tuple[str, Any]], told: Place | None) -> Place:
    there = [(place, value) for place, value in given if not is_nothing(value)]
    forms = {form: place for place, value in reversed(there) if (form := _form_of(value))}
    element = told.element if told is not None else None
    if LIST in forms or element is not None:
        elements = [(place, one) for place, value in there for one in (value if isinstance(value, list) else [value])]
        return Place(path, LIST, element=_infer(f"{path}[]", elements, element))
    if len(forms) > 1:
        raise InputError(
            f"{forms[OBJECT]}: {path or 'the record'} is an object, and at {forms[VALUE]} it is a single "
            "value. Write it in the same way in all records."
        )
    if OBJECT in forms or not path:
        keys = dict.fromkeys(key for _, value in given if isinstance(value, Mapping) for key in value)
        below = {
            key: _infer(
                path_of(path, key),
                [(p, v[key]) for p, v in given if isinstance(v, Mapping) and key in v],
                told.fields.get(key) if told is not None else None,
            )
            for key in keys
        }
        return Place(path, OBJECT, fields=below)
    values = [value for _, value in there]
    types = {*map(type_of, values)}
    dates = types == {TEXT} and all(len(read_date(value, "") or ()) > 1 and value[:4].isdigit() for value in values)
    name = DATE if dates else types.pop() if len(types) == 1 else TEXT
    return Place(path, VALUE, parse_kind(name), fillers=frozenset(filter(None, map(filler_in, values))))


def _form_of(value: Any) -> str:
    return LIST if isinstance(value, list) else OBJECT if isinstance(value, Mapping) else VALUE


# --- JSON Schema ---


def read_schema(given: Mapping[str, Any], name: str) -> Place:
    """The schema of a JSON Schema; `name` is its file, for messages."""
    return replace(_read("", given, given, name, 0), unread=tuple(sorted({*_list_unread(given, 0)})))


def _list_unread(given: Any, depth: int) -> Iterator[str]:
    """The keywords of a schema, and of those within it, that are not used."""
    if not isinstance(given, Mapping) or depth > DEEPEST:
        return
    for key, value in given.items():
        if key in ("properties", "$defs", "definitions") and isinstance(value, Mapping):
            for one in value.values():
                yield from _list_unread(one, depth + 1)
        elif key in ("items", "anyOf", "oneOf", "allOf"):
            for one in value if isinstance(value, list) else [value]:
                yield from _list_unread(one, depth + 1)
        elif key not in _USED:
            yield key


def _read(path: str, given: Any, root: Mapping[str, Any], name: str, depth: int) -> Place:
    where = f"{name}: {path or 'the record'}"
    if depth > DEEPEST:
        raise InputError(f"{where} refers to itself. Records that are nested without end are not compared.")
    if not isinstance(given, Mapping):
        raise InputError(f"{where} is {json.dumps(given)}, but a schema is an object.")
    if isinstance(reference := given.get("$ref"), str):
        target: Any = root if reference.startswith("#") else None
        for part in filter(None, reference.removeprefix("#").split("/")):
            target = target.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            raise InputError(f"{where} refers to {reference}, which is no schema in the file.")
        return _read(
            path, {**target, **{key: value for key, value in given.items() if key != "$ref"}}, root, name, depth + 1
        )
    for key, (shape, noun) in _SHAPES.items():
        if not isinstance(given.get(key, shape()), shape):
            raise InputError(f"{where}: {key} is {json.dumps(given[key])[:40]}, but {noun} is expected.")
    for key in ("anyOf", "oneOf", "allOf"):
        if key in given:
            others = [one for one in given[key] if not (isinstance(one, Mapping) and one.get("type") == "null")]
            if len(others) != 1:
                raise InputError(f"{where}: {key} has {len(others)} schemas beside null. Keep one.")
            if not isinstance(others[0], Mapping):
                raise InputError(f"{where}: {key} has {json.dumps(others[0])[:40]}, but a schema is an object.")
            rest = {own: value for own, value in given.items() if own != key}
            place = _read(path, {**others[0], **rest}, root, name, depth + 1)
            return replace(place, types=(*place.types, "null")) if len(given[key]) > 1 else place
    types = given.get("type", [])
    types = [str(one) for one in (types if isinstance(types, list) else [types]) if one != "null"]
    form = types[0] if len(types) == 1 else OBJECT if "properties" in given else "array" if "items" in given else ""
    declared = given.get(DECLARED, [])
    if form == OBJECT:
        properties = given.get("properties", {})
        below = {key: _read(path_of(path, key), one, root, name, depth + 1) for key, one in properties.items()}
        place = Place(path, OBJECT, fields=below)
    elif form == "array":
        element = _read(f"{path}[]", given.get("items", {}), root, name, depth + 1)
        place = Place(path, LIST, element=element, listed=SET if given.get("uniqueItems") else BAG)
    elif "enum" in given:
        values = tuple(value for value in given["enum"] if value is not None)
        fillers = frozenset(filter(None, map(filler_in, values)))
        place = Place(path, VALUE, parse_kind(ENUM), values=values, fillers=fillers)
    elif form in _TYPES or not form:
        kind = DATE if given.get("format") in _FORMATS else _TYPES.get(form, TEXT)
        place = Place(path, VALUE, parse_kind(kind))
    else:
        raise InputError(f'{name}: unknown type "{form}" at {path or "the record"}.')
    every = given.get("type", [])
    place = replace(place, types=tuple(map(str, every)) if isinstance(every, list) else (str(every),))
    place = replace(place, required=tuple(map(str, given.get("required", ()))) if form == OBJECT else ())
    for declaration in declared if isinstance(declared, list) else [declared]:
        place = _declare(place, str(declaration), where)
    return place


_JSON_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: type(value) is int or (type(value) is float and value.is_integer()),
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}
BREACHES = ("type", "enum", "required", "extra")


def find_breaches(place: Place, value: Any) -> set[str]:
    """The kinds of breaches of a schema in a record: type, enum, required, extra."""
    if place.types and not any(_JSON_TYPES[one](value) for one in place.types if one in _JSON_TYPES):
        return {"type"}
    found: set[str] = set()
    if place.values and value is not None and value not in place.values:
        found.add("enum")
    if isinstance(value, Mapping) and place.form == OBJECT:
        found |= {"required"} if any(key not in value for key in place.required) else set()
        for key, one in value.items():
            found |= find_breaches(place.fields[key], one) if key in place.fields else {"extra"}
    elif isinstance(value, list) and place.element is not None:
        for one in value:
            found |= find_breaches(place.element, one)
    return found


def write_schema(place: Place) -> dict[str, Any]:
    """A schema as JSON Schema, with what only assay knows of a place as `x-assay`."""
    declared = [*([place.listed] if place.form == LIST and place.listed == ORDERED else []), *sorted(place.marks)]
    written: dict[str, Any]
    if place.form == OBJECT:
        written = {"type": "object", "properties": {key: write_schema(one) for key, one in place.fields.items()}}
    elif place.form == LIST:
        element = write_schema(place.element) if place.element else {}
        written = {"type": "array", "items": element, **({"uniqueItems": True} if place.listed == SET else {})}
    elif place.kind.name == ENUM:
        written = {"enum": [*place.values]}
    else:
        written = {"type": {NUMBER: "number", BOOLEAN: "boolean"}.get(place.kind.name, "string")}
        written |= {"format": "date"} if place.kind.name == DATE else {}
        declared += [place.kind.spell()] if "(" in place.kind.spell() else []
    return {**written, **({DECLARED: declared} if declared else {})}


def check_form(place: Place, value: Any, where: str) -> None:
    """Raise an error if a value of gold has another structure than the schema says; a single value may be a list."""
    if place.form == LIST and place.element is not None:
        for one in value if isinstance(value, list) else [value]:
            check_form(place.element, one, where)
    elif not is_nothing(value) and not place.is_ignored and (form := _form_of(value)) != place.form:
        raise InputError(
            f"{where}: {place.path or 'the record'} is {_NOUNS[form]}, but in the schema it is {_NOUNS[place.form]}. "
            "Correct one of them."
        )
    elif isinstance(value, Mapping) and not place.is_ignored:
        for key in place.fields.keys() & value.keys():
            check_form(place.fields[key], value[key], where)


def merge_schemas(given: Place, inferred: Place) -> Place:
    """A schema with the fields that only gold shows; fillers that gold has are values."""
    if given.form != inferred.form:
        return replace(given, fillers=given.fillers | inferred.fillers) if given.form == VALUE else given
    if given.form == OBJECT:
        both = {
            key: merge_schemas(given.fields[key], inferred.fields[key])
            for key in given.fields
            if key in inferred.fields
        }
        return replace(given, fields={**inferred.fields, **given.fields, **both})
    if given.element and inferred.element:
        return replace(given, element=merge_schemas(given.element, inferred.element))
    return replace(given, fillers=given.fillers | inferred.fillers)


def keep_fillers(place: Place) -> Place:
    """A schema in which fillers are values."""
    fields = {key: keep_fillers(below) for key, below in place.fields.items()}
    element = keep_fillers(place.element) if place.element else None
    return replace(place, fillers=FILLERS, fields=fields, element=element)


# --- declarations ---


def declare(schema: Place, declarations: Mapping[str, str]) -> Place:
    """The schema with what `--field PATH=KIND` says of its places."""
    known = {place.path: place for place in schema.walk() if place.path}
    for path, text in declarations.items():
        if path not in known and text != IGNORE:
            raise UsageError(f"--field {path}: {unknown('field', path, known)}")
    return _apply(schema, declarations)


def find_absent(schema: Place, declared: Sequence[str], records: Iterable[Any]) -> Iterator[str]:
    """A sentence for each field that is to be ignored, but is neither in the schema nor in the systems' records."""
    known = dict.fromkeys(place.path for place in schema.walk() if place.path and ABSENT not in place.marks)
    names = (text.removesuffix(f"={IGNORE}") for text in declared if text.endswith(f"={IGNORE}"))
    if absent := [name for name in names if name not in known]:
        known |= dict.fromkeys(path for record in records for path in _paths_in(schema, record))
        absent = [name for name in absent if name not in known]
    yield from (f"--field {name}={IGNORE}: {unknown('field', name, known)}" for name in absent)


def _paths_in(place: Place, value: Any) -> Iterator[str]:
    """The paths in a record that can be ignored: all fields of the objects that the schema has."""
    if isinstance(value, list):
        for member in value:
            yield from _paths_in(place.element or place, member)
    elif isinstance(value, Mapping):
        # One object for a list is a list of one.
        place = place.element or place
        for key, below in value.items():
            yield path_of(place.path, key)
            if key in place.fields:
                yield from _paths_in(place.fields[key], below)


def _apply(place: Place, declarations: Mapping[str, str]) -> Place:
    fields = {key: _apply(below, declarations) for key, below in place.fields.items()}
    for path, text in declarations.items():
        above, _, key = path.rpartition(".")
        if text == IGNORE and above == place.path and place.form == OBJECT and key not in fields:
            fields[key] = Place(path, marks=frozenset({IGNORE, ABSENT}))
    element = _apply(place.element, declarations) if place.element else None
    place = replace(place, fields=fields, element=element)
    return _declare(place, declarations[place.path], f"--field {place.path}") if place.path in declarations else place


def _declare(place: Place, text: str, where: str) -> Place:
    if text == KEY and "[]." not in place.path:
        raise UsageError(f"{where}={text}: not a field of objects in a list.")
    if text in (KEY, DERIVED, IGNORE):
        return replace(place, marks=place.marks | {text})
    if text in LISTS:
        if place.form != LIST:
            raise UsageError(f"{where}={text}: not a list.")
        return replace(place, listed=text)
    if place.form != VALUE:
        raise UsageError(f"{where}={text}: not a value. For the elements of a list: {place.path}[]")
    try:
        return replace(place, kind=parse_kind(text))
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
