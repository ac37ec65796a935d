"""`name(key=value, ...)`, the form of measures and formats on the command line and in a Result."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from assay.errors import UsageError, unknown

_CALL = re.compile(r"\s*([^()\s]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_WITH_SCORE = re.compile(r"([^()/]+(?:\(.*\))?)/([^()/]+)", re.DOTALL)
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(pt|%)?", re.IGNORECASE)


def parse(text: str, kind: str) -> tuple[str, dict[str, str]]:
    """The name and the parameters of a spec, as they were typed."""
    match = _CALL.fullmatch(text) if isinstance(text, str) else None
    if not match:
        raise UsageError(f"{kind} {text!r} is not of the form name or name(key=value, ...).")
    parameters: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"{kind} {text!r}: {part!r} is not of the form key=value.")
        if key.strip() in parameters:
            raise UsageError(f"{kind} {text!r}: {key.strip()} is given twice.")
        parameters[key.strip()] = value.strip()
    return match[1], parameters


def split_score(spec: str) -> tuple[str, str]:
    """A measure, and the score that is to be its main one: `pa/weak`; empty if none is named."""
    match = _WITH_SCORE.fullmatch(spec.strip()) if isinstance(spec, str) else None
    return (match[1], match[2]) if match else (spec, "")


def convert_parameters(kind: str, given: Mapping[str, str], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with the types of their defaults; those not given have the default."""
    values = dict(defaults)
    for given_key, text in given.items():
        key = given_key if given_key in defaults else given_key.lower().replace("-", "_")
        if key not in defaults:
            if not defaults:
                raise UsageError(f"{kind} takes no parameters, but {key!r} is given.")
            raise unknown(f"parameter of {kind}", given_key, defaults)
        if key != given_key and key in given:
            raise UsageError(f"{kind}: {key} is given twice.")
        default = defaults[key]
        try:
            if isinstance(default, bool):
                values[key] = {"true": True, "false": False}[text.lower()]
            else:
                values[key] = type(default)(text) if isinstance(default, int | float) else text
        except (KeyError, ValueError):
            wanted = "true or false" if isinstance(default, bool) else "a number"
            raise UsageError(f"{kind}: {key} should be {wanted}, not {text!r}.") from None
    return values


def spell(name: str, parameters: Mapping[str, Any]) -> str:
    """The spec in the form in which it would be typed; parameters left open (None) are not written."""
    words = [
        f"{key}={str(value).lower() if isinstance(value, bool) else value}"
        for key, value in sorted(parameters.items())
        if value is not None
    ]
    return f"{name}({', '.join(words)})" if words else name


def read_fraction(option: str, text: str, example: str) -> tuple[str, float]:
    """The name, if there is one, and the fraction of `[NAME=]X`: 0.005, or 0.5pt (points) and 0.5% for the same."""
    # Names of measures may have = in brackets.
    name, equals, number = text.rpartition("=")
    match = _NUMBER.fullmatch(number.strip())
    if not match or not math.isfinite(float(match[1])) or (equals and not name):
        wrong = number if name or not equals else text
        raise UsageError(f"{option} {text}: {wrong!r} is not a number. Write e.g. {example}")
    return name, float(match[1]) / (100 if match[2] else 1)


def read_margin(text: str) -> float:
    """The margin of a score between 0 and 1 that `[MEASURE=]D` gives."""
    _, value = read_fraction("--margin", text, "0.005 or 0.5pt")
    if value <= 0:
        raise UsageError(f"--margin {text}: give a margin above 0, e.g. 0.005 or 0.5pt.")
    check_margin(text, value)
    return value


def check_margin(text: str, value: float) -> None:
    """Raise an error if a margin of a score between 0 and 1 cannot be meant."""
    has_unit = text.endswith(("pt", "%"))
    if value > 0.2 and not has_unit:
        point = "point" if value == 1 else "points"
        large = f"; for {100 * value:g} points write {100 * value:g}pt" * (value < 1)
        raise UsageError(
            f"--margin {text}: {value:g} is {100 * value:g} points. For {value:g} {point} write {value / 100:g} or "
            f"{value:g}pt{large}."
        )
    if value >= 1:
        raise UsageError(f"--margin {text}: give a margin below 100 points, e.g. 0.005 or 0.5pt.")


def read_share(option: str, text: str) -> float:
    """The share that an option gives, above 0 and below 1."""
    _, value = read_fraction(option, text, "0.01 or 1%")
    if not 0 < value < 1:
        meant = "0.01 is 1 percent" if value == 1 else "give a share above 0 and below 1"
        raise UsageError(f"{option} {text}: {meant}. Write e.g. 0.01 or 1%")
    return value


def whole_number(text: str, otherwise: int = 0) -> int:
    """The whole number in a text; `otherwise` if it is something else, or has more than nine digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else otherwise
