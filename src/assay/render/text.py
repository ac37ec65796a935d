"""Numbers and sentences as people read them: the same digits in every rendering."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from assay.errors import CONTROL
from assay.result import Comparison, Result, Score, enumeration

DASH = "–"
_PICTURES = {**CONTROL, **{code: chr(0x2400 + code) for code in range(32)}, 0x7F: "\u2421"}


def visible(text: str) -> str:
    """Text from data with control characters spelt out: a label must not move a cursor or break a line."""
    return text.translate(_PICTURES)


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


def count(value: int) -> str:
    """A whole number with separators."""
    return f"{value:,}"


def p_value(p: float) -> str:
    """A p-value with four decimals, never 0."""
    if math.isnan(p):
        return DASH
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def p_error(row: Comparison) -> str:
    """The distance by which the p of endlessly many shufflings may lie above the one found (95%)."""
    if math.isnan(row.p):
        return DASH
    return "exact" if row.exact else f"±{max(row.p_high - row.p, row.p - row.p_low):.4f}"


def plural(number: int, noun: str) -> str:
    """`1 word`, `2 words`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


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
    named = [f"{row.system} {row.measure} {percent(row.value)}" for row in main_scores(result)[:6]]
    return f"<assay.Result {result.command} {result.task}/{result.column}: {', '.join(named)}>"


# --- the verdict ---


def verdict(result: Result) -> str:
    """The better system and how sure that is; never more than the numbers say."""
    if result.finding:
        return result.finding
    if len(result.bayes) == 1:
        return result.bayes[0].verdict
    # With several pairs, the first table gives the orders.
    if result.command == "bayes":
        return ""
    if result.command == "agreement":
        return _agreement_verdict(result)
    mains = result.main_scores
    tested = [row for row in result.comparisons if row.is_of_score and row.slice is None]
    tests = [row for row in tested if row.score == mains.get(row.measure)]
    if not tests:
        return ""
    first = tests[0]
    tests = [row for row in tests if row.measure == first.measure]
    values = {row.system: row.value for row in main_scores(result) if row.measure == first.measure}
    if len(tests) > 1:
        return _best_verdict(tests, values)
    sentence = _pair_verdict(first, values)
    # The first of the rival measures that says otherwise.
    for row in tested if result.rivals else ():
        if row.measure != first.measure and row.score == first.score and not math.isnan(row.p):
            sure = row.p_adjusted < 0.05
            if sure != (first.p_adjusted < 0.05) or (sure and (row.difference > 0) != (first.difference > 0)):
                better = row.b if row.difference > 0 else row.a
                finding = f"{better} is better" if sure else "the difference is not significant"
                figures = f"{signed(abs(row.difference))}, {_p_sentence(row)}"
                return f"{sentence} On {row.measure}, however, {finding}: {figures}."
    return sentence


_RELIABLE, _TENTATIVE = 0.8, 0.667
"""Krippendorff's (2004) limits of alpha for conclusions that can be relied on, and for tentative ones."""


def _agreement_verdict(result: Result) -> str:
    """A sentence on how well all annotators agree and what that allows, and on whether systems reach them."""
    sentences = []
    rows = [row for row in main_scores(result) if row.system == "all annotators"]
    for row in [row for row in rows if row.measure.partition("(")[0] == "alpha"][:1]:
        many = len(result.annotators) or len(result.systems)
        figures = f"{row.measure} {percent(row.value)}, 95% interval {interval(row.low, row.high, percent)}"
        if math.isnan(row.value):
            sentences.append(f"The agreement of {many} annotators beyond chance is undefined ({row.measure}).")
        elif row.low >= _RELIABLE:
            sentences.append(f"The {many} annotators agree reliably: {figures}, above 80.")
        elif row.high < _TENTATIVE:
            sentences.append(f"The {many} annotators agree too little for conclusions: {figures}, below 66.7.")
        elif row.low >= _TENTATIVE:
            sentences.append(f"The {many} annotators agree enough for tentative conclusions: {figures}, above 66.7.")
        else:
            sentences.append(
                f"Whether the {many} annotators agree well enough is not sure: {figures}; from 66.7 on conclusions "
                "are tentative, from 80 on reliable."
            )
    for test in [row for row in result.comparisons if row.a == "human ceiling"][:3]:
        where = "above" if test.low > 0 else "below" if test.high < 0 else "not told apart from"
        sentences.append(
            f"{test.b} is {where} the human ceiling: {signed(test.difference)}, 95% interval "
            f"{interval(test.low, test.high, signed)}."
        )
    return " ".join(sentences)


def _pair_verdict(row: Comparison, values: dict[str, float]) -> str:
    if row.units == 0 and row.runs is None:
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
        return f"{enumeration(best)} share the highest {measure}, {percent(highest)}."
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
    return f"{head}; its lead is significant (p < 0.05 after Holm) over all but {enumeration(unsure)}."
