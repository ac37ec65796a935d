"""Numbers as people read them: the same digits in every sentence and table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

DASH = "–"


def percent(value: float) -> str:
    """A fraction as percent with two decimals."""
    return DASH if math.isnan(value) else f"{100 * value:.2f}"


def signed(value: float) -> str:
    """A difference in percentage points; a true minus, and no sign on zero."""
    if math.isnan(value):
        return DASH
    text = f"{abs(100 * value):.2f}"
    if float(text) == 0:
        return text
    return ("+" if value > 0 else "−") + text


def points(value: float) -> str:
    """A fraction as percentage points in words: `1 point`, `0.5 points`."""
    text = f"{100 * value:.6g}"
    return f"{text} point" if text == "1" else f"{text} points"


def coefficient(value: float, decimals: int = 2) -> str:
    """A coefficient of agreement or correlation with two decimals, in tables three: `.57`, `−.05`, `1.00`."""
    if math.isnan(value):
        return DASH
    text = f"{abs(value):.{decimals}f}"
    sign = "−" if value < 0 and float(text) else ""
    return f"{sign}{text.removeprefix('0')}"


def interval(low: float, high: float, form: Callable[[float], str]) -> str:
    """Both ends of an interval."""
    return DASH if math.isnan(low) else f"[{form(low)}, {form(high)}]"


def with_interval(value: float, low: float, high: float, form: Callable[[float], str]) -> str:
    """A figure and its interval."""
    return form(value) if math.isnan(low) else f"{form(value)} {interval(low, high, form)}"


def p_value(p: float) -> str:
    """A p-value with four decimals, never 0."""
    if math.isnan(p):
        return DASH
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def plural(number: int, noun: str, nouns: str = "") -> str:
    """`1 word`, `2 words`; `nouns` is an irregular plural."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def _signed_coefficient(value: float) -> str:
    text = coefficient(value, 3)
    return f"+{text}" if value > 0 and text != ".000" else text


def _plain(value: float) -> str:
    """A number with four significant digits, in the unit that it has: `0.4000`, `12.35`, `1,235`."""
    if math.isnan(value):
        return DASH
    size = abs(value)
    if size and not 1e-4 <= size < 1e15:
        return f"{value:.3e}".replace("-", "−")
    decimals = max(0, 3 - math.floor(math.log10(float(f"{size:.3e}")))) if size else 3
    return f"{value:,.{decimals}f}".replace("-", "−")


def _signed_plain(value: float) -> str:
    return f"+{_plain(value)}" if value > 0 else _plain(value)


WRITERS: Mapping[str, Callable[[float], str]] = {
    "percent": percent,
    "points": signed,
    "coefficient": lambda value: coefficient(value, 3),
    "coefficient-difference": _signed_coefficient,
    "number": lambda value: DASH if math.isnan(value) else f"{value:.3f}".replace("-", "−"),
    "plain": _plain,
    "plain-difference": _signed_plain,
}
"""The function that writes values of a form in tables and figures."""
DIFFERENCES = {
    "percent": "points",
    "coefficient": "coefficient-difference",
    "number": "number",
    "plain": "plain-difference",
}
"""The form of differences between values of a form."""
