"""Numbers as people read them: the same digits in every sentence and table."""

from __future__ import annotations

import math
from collections.abc import Callable

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


def plural(number: int, noun: str) -> str:
    """`1 word`, `2 words`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
