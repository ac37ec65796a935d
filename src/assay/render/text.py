"""Numbers and sentences as people read them: the same digits in every rendering."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.result import Comparison, Example, ExampleItem, Result, Score

DASH = "–"
_PICTURES = {code: 0x2400 + code for code in range(32)} | {0x7F: 0x2421}


def visible(text: str) -> str:
    """Text from data with control characters as pictures: a label must not move a cursor or break a line."""
    return text.translate(_PICTURES)


def percent(value: float) -> str:
    """A fraction as percent with two decimals."""
    return DASH if math.isnan(value) else f"{100 * value:.2f}"


def plain(value: float) -> str:
    """A fraction as percent for programs."""
    return f"{100 * value:.2f}"


def signed(value: float) -> str:
    """A difference in percentage points; a true minus, and no sign on zero."""
    if math.isnan(value):
        return DASH
    text = f"{abs(100 * value):.2f}"
    if float(text) == 0:
        return text
    return ("+" if value > 0 else "−") + text


def interval(low: float, high: float, form: object = percent) -> str:
    """Both ends of an interval."""
    assert callable(form)
    return DASH if math.isnan(low) else f"[{form(low)}, {form(high)}]"


def with_interval(value: float, low: float, high: float, form: object = percent) -> str:
    """A figure and its interval."""
    assert callable(form)
    return form(value) if math.isnan(low) else f"{form(value)} {interval(low, high, form)}"


def count(value: int) -> str:
    """A whole number with separators."""
    return f"{value:,}"


def p_value(p: float) -> str:
    """A p-value with four decimals, never 0."""
    if math.isnan(p):
        return DASH
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def p_error(row: Comparison) -> str:
    """How far above the p found that of endlessly many shufflings may lie (95%)."""
    if math.isnan(row.p):
        return DASH
    return "exact" if row.exact else f"±{max(row.p_high - row.p, row.p - row.p_low):.4f}"


def plural(number: int, noun: str) -> str:
    """`1 word`, `2 words`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def heading(result: Result) -> str:
    """What was compared, in one line."""
    formats = list(dict.fromkeys(source.format for source in (result.gold, *result.systems)))
    return (
        f"{result.task}, column {result.column}: {plural(result.gold.sentences, 'sentence')}, "
        f"{plural(result.items, 'word')} with a gold label, {plural(len(result.systems), 'system')}; "
        f"read as {_listed(formats)}, aligned by {result.aligned_by}"
    )


def main_scores(result: Result) -> list[Score]:
    """The main score of every measure and system, overall."""
    first: dict[str, str] = {}
    chosen = []
    for row in result.scores:
        if row.slice is None and row.label is None:
            main = first.setdefault(row.measure, row.score)
            if row.score == main:
                chosen.append(row)
    return chosen


def one_line(result: Result) -> str:
    """The Result in a line or two, for a prompt."""
    named = [f"{row.system} {row.measure} {percent(row.value)}" for row in main_scores(result)[:6]]
    return f"<assay.Result {result.command} {result.task}/{result.column}: {', '.join(named)}>"


# --- the verdict ---


def verdict(result: Result) -> str:
    """Which system is better and how sure that is; it never says more than the numbers do."""
    tests = [row for row in result.comparisons if row.test == "shuffling" and row.slice is None]
    if not tests:
        return ""
    measure, score = tests[0].measure, tests[0].score
    tests = [row for row in tests if (row.measure, row.score) == (measure, score)]
    values = {
        row.system: row.value
        for row in result.scores
        if (row.measure, row.score, row.slice, row.label) == (measure, score, None, None)
    }
    if len(tests) == 1:
        return _pair_verdict(tests[0], values)
    return _best_verdict(tests, values)


def _pair_verdict(row: Comparison, values: dict[str, float]) -> str:
    if row.units == 0:
        return f"{row.a} and {row.b} do not differ in any unit on {row.measure}: no difference."
    if math.isnan(row.p):
        return f"{row.a} and {row.b} cannot be compared on {row.measure}: it is undefined."
    better, worse = (row.b, row.a) if row.difference > 0 else (row.a, row.b)
    low, high = (row.low, row.high) if row.difference > 0 else (-row.high, -row.low)
    figures = (
        f"{better} {percent(values[better])}, {worse} {percent(values[worse])}, difference "
        f"{signed(abs(row.difference))} with 95% interval {interval(low, high, signed)}, {_p_sentence(row)}"
    )
    if row.p_adjusted < 0.05:
        return f"{better} is better than {worse} on {row.measure}: {figures}."
    return f"No significant difference between {row.a} and {row.b} on {row.measure}: {figures}."


def _p_sentence(row: Comparison) -> str:
    p = f"p {'<' if row.p < 0.0001 else '='} {p_value(row.p).removeprefix('<')}"
    if p_value(row.p_adjusted) == p_value(row.p):
        return p
    adjusted = p_value(row.p_adjusted)
    return f"{p} (Holm {'<' if row.p_adjusted < 0.0001 else '='} {adjusted.removeprefix('<')})"


def _best_verdict(tests: Sequence[Comparison], values: dict[str, float]) -> str:
    measure = tests[0].measure
    defined = {name: value for name, value in values.items() if not math.isnan(value)}
    if not defined:
        return f"The systems cannot be compared on {measure}: it is undefined."
    highest = max(defined.values())
    best = [name for name, value in defined.items() if value == highest]
    if len(best) > 1:
        return f"{_listed(best)} share the highest {measure}, {percent(highest)}."
    others = sorted((name for name in defined if name not in best), key=lambda name: -defined[name])
    sure = {
        row.b if row.a == best[0] else row.a for row in tests if best[0] in (row.a, row.b) and row.p_adjusted < 0.05
    }
    unsure = [name for name in others if name not in sure]
    head = f"{best[0]} has the highest {measure}, {percent(highest)}"
    if not unsure:
        return f"{head}; its lead over each other system is significant (p < 0.05 after Holm)."
    if len(unsure) == len(others):
        return f"{head}, but no lead over another system is significant (p < 0.05 after Holm)."
    return f"{head}; its lead is significant (p < 0.05 after Holm) over all but {_listed(unsure)}."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


# --- examples ---


def example_text(example: Example, width: int = 0) -> str:
    """A sentence with its changes marked: `… in Halle[NOUN → PROPN] …`."""
    marks = {item.position: _mark(example, item) for item in example.items}
    words = [f"{word}{marks.get(position, '')}" for position, word in enumerate(example.words)]
    if not width or len(" ".join(words)) <= width or not marks:
        return " ".join(words)
    first, last = min(marks), max(marks) + 1
    while True:
        clipped = ["…"] * (first > 0) + words[first:last] + ["…"] * (last < len(words))
        wider = (max(first - 1, 0), min(last + 1, len(words)))
        longer = ["…"] * (wider[0] > 0) + words[wider[0] : wider[1]] + ["…"] * (wider[1] < len(words))
        if wider == (first, last) or len(" ".join(longer)) > width:
            return " ".join(clipped)
        first, last = wider


def _mark(example: Example, item: ExampleItem) -> str:
    before = item.answers[example.a] or "∅"
    gold = item.gold or "∅"
    if example.b is None:
        return f"[{gold} → {before}]"
    after = item.answers[example.b] or "∅"
    if item.kind == "correction":
        return f"[{before} → {after} ✓]"
    if item.kind == "new-error":
        return f"[{before} ✓ → {after}]"
    return f"[{before} → {after}, gold {gold}]"
