"""When two values of a field are equal, by its kind: text, enum, number, date or boolean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, NamedTuple

from assay import specs
from assay.classes import dataclass
from assay.errors import UsageError, unknown
from assay.formats.grounding import edit_distance, fold_spelling

EXACT, NORMALISED, PARTIAL = MATCHES = ("exact", "normalised", "partial")
TEXT, ENUM, NUMBER, DATE, BOOLEAN = "text", "enum", "number", "date", "boolean"
_PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    TEXT: {},
    ENUM: {},
    BOOLEAN: {},
    NUMBER: {"absolute": 0.0, "relative": 0.0, "decimal": "."},
    DATE: {"order": "", "precision": ""},
}
_CHOICES = {"decimal": (".", ","), "order": ("", "dmy", "mdy"), "precision": ("", "day", "month", "year")}
_BOOLEANS = {**dict.fromkeys(("true", "yes", "y", "1"), True), **dict.fromkeys(("false", "no", "n", "0"), False)}
_PRECISIONS = {"year": 1, "month": 2, "day": 3}
_MONTHS = {
    name: number
    for number, full in enumerate(
        (
            *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
            *("november", "december"),
        ),
        1,
    )
    for name in (full, full[:3], full[:4])
}
_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d:\d\d.*))?)?)?", re.ASCII)
_NAMED = (
    re.compile(r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)? )?(?P<month>[a-z]+)\.?,? (?P<year>\d{4})", re.ASCII),
    re.compile(r"(?P<month>[a-z]+)\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})", re.ASCII),
)
_DIGITS = re.compile(r"(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})", re.ASCII)
_FIGURE = re.compile(
    r"(?:(?<!\w)[+-])?(?:\d{1,3}(?:[\s'’]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*|\.\d+)(?:e[+-]?\d{1,3}\b)?",
    re.ASCII,
)


@dataclass(frozen=True)
class Kind:
    """How two values of a field are compared."""

    name: str = TEXT
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_tolerant(self) -> bool:
        """True if values that differ may be equal."""
        return bool(self.parameters.get("absolute") or self.parameters.get("relative"))

    def spell(self) -> str:
        """The kind as it is declared."""
        usual = _PARAMETERS[self.name]
        return specs.spell(self.name, {key: value for key, value in self.parameters.items() if value != usual[key]})


def parse_kind(text: str) -> Kind:
    """The kind that a declaration names, such as `number(absolute=0.01)`."""
    name, given = specs.parse(text.replace("decimal=,", "decimal=comma"), "kind")
    if name not in _PARAMETERS:
        raise unknown("kind", name, _PARAMETERS)
    given = {key: "," if value == "comma" else value for key, value in given.items()}
    parameters = specs.convert_parameters(f"kind {name}", given, _PARAMETERS[name])
    for key, choices in _CHOICES.items():
        if key in parameters and parameters[key] not in choices:
            raise UsageError(f"kind {name}: {key} is {' or '.join(filter(None, choices))}, not {parameters[key]!r}.")
    for key in ("absolute", "relative"):
        if not 0 <= parameters.get(key, 0.0) < float("inf"):
            raise UsageError(f"kind {name}: {key} is a number from 0 on, not {parameters[key]:g}.")
    return Kind(name, parameters)


class ReadValue(NamedTuple):
    """A value as its kind reads it."""

    key: Any
    """Values with different keys are unequal unless a match allows for more."""
    unit: str = ""
    """The unit of a number."""
    is_read: bool = True
    """False if the kind cannot read it, so that it is compared as text."""


def type_of(value: Any) -> str:
    """The type of a scalar in JSON."""
    return BOOLEAN if isinstance(value, bool) else NUMBER if isinstance(value, int | float) else TEXT


def show_value(value: Any) -> str:
    """A scalar as text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_exactly(value: Any) -> Any:
    """What a value is under the match `exact`: its type and the value itself, numbers as they are written."""
    return type_of(value), Decimal(str(value)) if type_of(value) == NUMBER else value


class Readings:
    """Reads the values of one kind, each distinct value once."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._known: dict[tuple[type, Any], ReadValue] = {}

    def read(self, value: Any) -> ReadValue:
        """A value as the kind reads it."""
        key = (type(value), value)
        if key not in self._known:
            self._known[key] = self._read(value)
        return self._known[key]

    def _read(self, value: Any) -> ReadValue:
        kind, text = self.kind, fold_spelling(show_value(value))
        read: Any = None
        unit = ""
        if kind.name == BOOLEAN:
            read = _BOOLEANS.get(text) if type_of(value) != NUMBER or value in (0, 1) else None
        elif kind.name == NUMBER and type_of(value) == NUMBER:
            read = Decimal(str(value))
        elif kind.name == NUMBER and type_of(value) == TEXT:
            read, unit = read_figure(text, kind.parameters.get("decimal", ".")) or (None, "")
        elif kind.name == DATE:
            read = read_date(text, kind.parameters.get("order", ""))
            read = read[: _PRECISIONS.get(kind.parameters.get("precision", ""), 9)] if read else None
        return ReadValue((TEXT, text), is_read=kind.name in (TEXT, ENUM)) if read is None else ReadValue(read, unit)

    def is_right(self, gold: Any, system: Any, match: str, tolerance: float) -> bool:
        """True if two values are equal under a match."""
        if type(gold) is type(system) and gold == system:
            return True
        if match == EXACT:
            return bool(read_exactly(gold) == read_exactly(system))
        a, b = self.read(gold), self.read(system)
        if a.key == b.key:
            return not (a.unit and b.unit) or a.unit == b.unit
        if self.kind.is_tolerant and isinstance(a.key, Decimal) and isinstance(b.key, Decimal):
            far = abs(a.key - b.key)
            allowed = Decimal(str(self.kind.parameters["absolute"]))
            allowed = max(allowed, Decimal(str(self.kind.parameters["relative"])) * abs(a.key))
            return far <= allowed and (not (a.unit and b.unit) or a.unit == b.unit)
        if match != PARTIAL:
            return False
        if self.kind.name == TEXT:
            return is_close(a.key[1], b.key[1], tolerance)
        both = self.kind.name == DATE and a.is_read and b.is_read
        shorter = min(len(a.key), len(b.key)) if both else 0
        return both and a.key[:shorter] == b.key[:shorter]


def is_close(first: str, second: str, tolerance: float) -> bool:
    """True if two folded texts differ by few edits and have the same digits."""
    most = int(tolerance * max(len(first), len(second)) + 1e-9)
    if abs(len(first) - len(second)) > most or re.findall(r"\d", first) != re.findall(r"\d", second):
        return False
    return edit_distance(first, second) <= most


@lru_cache(1 << 16)
def is_near(first: str, second: str) -> bool:
    """True if two folded texts have half of their characters in common, so that one may stand for the other."""
    longer = max(len(first), len(second))
    if 2 * abs(len(first) - len(second)) > longer:
        return False
    return 2 * edit_distance(first, second) <= longer


def read_figure(text: str, decimal: str) -> tuple[Decimal, str] | None:
    """The only number in a folded text, with its unit; None if there is none, or another one beside it."""
    found = list(_FIGURE.finditer(text))
    if len(found) != 1:
        return None
    figure = found[0]
    unit = (text[: figure.start()] + text[figure.end() :]).strip()
    digits = re.sub(r"[\s'’]", "", figure[0])
    marks = [mark for mark in digits if mark in ".,"]
    if len(set(marks)) == 2:
        # Of two kinds the last is the decimal mark.
        digits = digits.replace("." if marks[-1] == "," else ",", "")
        if digits.count(marks[-1]) > 1:
            return None
        digits = digits.replace(marks[-1], ".")
    elif len(marks) > 1:
        digits = digits.replace(marks[0], "")
    elif marks:
        whole, _, rest = digits.lstrip("+-").partition(marks[0])
        is_thousands = marks[0] != decimal and re.fullmatch(r"[1-9]\d{0,2}", whole) and re.fullmatch(r"\d{3}", rest)
        digits = digits.replace(marks[0], "" if is_thousands else ".")
    try:
        return Decimal(digits), unit
    except InvalidOperation:
        return None


def find_numbers(text: str) -> Iterator[tuple[Decimal, tuple[int, int]]]:
    """All numbers of a text, each as a whole, with their places."""
    for match in _FIGURE.finditer(text):
        if figure := read_figure(match[0], "."):
            yield figure[0], match.span()


def find_dates(text: str) -> Iterator[tuple[tuple[Any, ...], tuple[int, int]]]:
    """All dates of a folded text that have one reading, with their places."""
    for match in (match for pattern in (_ISO, *_NAMED, _DIGITS) for match in pattern.finditer(text)):
        if date := read_date(match[0], ""):
            yield date, match.span()


def read_date(text: str, order: str) -> tuple[Any, ...] | None:
    """Year, month, day and time of a date as far as they are given; () if it has two readings, None if it is none."""
    if match := _ISO.fullmatch(text.replace("t", "T", 1) if "t" in text[10:11] else text):
        return _check_date(match[1], match[2], match[3], match[4])
    for pattern in _NAMED:
        if (match := pattern.fullmatch(text)) and match["month"] in _MONTHS:
            return _check_date(match["year"], str(_MONTHS[match["month"]]), match["day"], None)
    if match := _DIGITS.fullmatch(text):
        first, middle, last = match[1], match[3], match[4]
        if len(first) == 4:
            return _check_date(first, middle, last, None)
        if len(last) != 4 or len(first) > 2:
            return None
        readings = {"dmy": _check_date(last, middle, first, None), "mdy": _check_date(last, first, middle, None)}
        if order:
            return readings[order]
        possible = {reading for reading in readings.values() if reading}
        return () if len(possible) > 1 else next(iter(possible), None)
    return None


def _check_date(year: str, month: str | None, day: str | None, time: str | None) -> tuple[Any, ...] | None:
    """The parts of a date; None if there is no such day."""
    import datetime

    parts = [int(part) for part in (year, month, day) if part is not None]
    try:
        datetime.date(*[*parts, 1, 1][:3])
    except ValueError:
        return None
    return (*parts, time) if time else tuple(parts)
