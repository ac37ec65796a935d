"""Texts that renderers have in common."""

from __future__ import annotations

import math

from assay.errors import CONTROL
from assay.result import Comparison, Result, Score, enumeration
from assay.result.numbers import DASH, WRITERS, plural

_PICTURES = {**CONTROL, **{code: chr(0x2400 + code) for code in range(32)}, 0x7F: "\u2421"}


def visible(text: str) -> str:
    """Text from data with control characters spelt out: a label must not move a cursor or break a line."""
    return text.translate(_PICTURES)


def count(value: int) -> str:
    """A whole number with separators."""
    return f"{value:,}"


def p_error(row: Comparison) -> str:
    """The distance by which the p of endlessly many shufflings may lie above the one found (95%)."""
    if math.isnan(row.p) or row.runs:
        return DASH
    return "exact" if row.exact else f"±{max(row.p_high - row.p, row.p - row.p_low):.4f}"


def heading(result: Result) -> str:
    """A line that says what was compared."""
    if result.heading:
        return result.heading
    if result.command == "bayes":
        measures = {row.measure for row in result.scores}
        return (
            f"many runs: {plural(len(result.systems), 'system')}, {plural(len(measures), 'measure')}, "
            f"{plural(result.items, 'data set')}, {plural(result.units, 'run')} of each system"
        )
    column = f", column {result.column}" if result.column else ""
    column += f", only {', '.join(result.labels)}" if result.labels else ""
    column += f", without {', '.join(result.ignore_labels)}" if result.ignore_labels else ""
    column += f" ({result.scheme.upper()})" if result.scheme else ""
    texts = plural(result.units if result.text_unit == "document" else result.gold.sentences, result.text_unit)
    names = (source.format.partition("(")[0] for source in (result.gold, *result.systems))
    formats = enumeration(list(dict.fromkeys(names)))
    read = f"read as {formats}, aligned by {result.aligned_by}"
    if result.command == "agreement":
        return f"agreement on {result.task}{column}: {texts}, {plural(len(result.systems), 'annotator')}; {read}"
    items = f"{plural(result.items, result.noun)} {'of gold' if result.matched else 'with a gold label'}"
    return f"{result.task}{column}: {texts}, {items}, {plural(len(result.systems), 'system')}; {read}"


def main_scores(result: Result) -> list[Score]:
    """The main score of every measure and system, overall."""
    return [row for row in result.scores if row.main and row.slice is None and row.label is None]


def one_line(result: Result) -> str:
    """The Result in a line or two, for a prompt."""
    rows = [(row, WRITERS[result.form_of(row)]) for row in main_scores(result)[:6]]
    named = [f"{row.system} {row.measure} {write(row.value)}" for row, write in rows]
    return f"<assay.Result {result.command} {result.task}/{result.column}: {', '.join(named)}>"
