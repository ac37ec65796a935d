"""Numbers and sentences as people read them: the same digits in every rendering."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.errors import CONTROL
from assay.render.drawings import constituent_lines, dependency_lines, unit_lines
from assay.result import Comparison, Example, ExampleItem, Result, Score

DASH = "–"
_PICTURES = {**CONTROL, **{code: chr(0x2400 + code) for code in range(32)}, 0x7F: "\u2421"}


def visible(text: str) -> str:
    """Text from data with control characters spelt out: a label must not move a cursor or break a line."""
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
    """How far above the p found that of endlessly many shufflings may lie (95%)."""
    if math.isnan(row.p):
        return DASH
    return "exact" if row.exact else f"±{max(row.p_high - row.p, row.p - row.p_low):.4f}"


def plural(number: int, noun: str) -> str:
    """`1 word`, `2 words`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def noun(result: Result) -> str:
    """What an item is called."""
    return result.noun


def is_matched(result: Result) -> bool:
    """Whether items are found by systems, not given to them."""
    return result.drawing in ("spans", "trees", "chains")


def kind_title(kind: str) -> str:
    """A kind of outcome as people write it."""
    return {"bes": "BEs", "bel": "BEl", "beo": "BEo"}.get(kind, kind.upper() if len(kind) <= 3 else kind)


def score_title(score: str) -> str:
    """A score as people write it."""
    return score.replace("f1", "F1")


def heading(result: Result) -> str:
    """What was compared, in one line."""
    formats = list(dict.fromkeys(source.format for source in (result.gold, *result.systems)))
    column = f", column {result.column}" if result.column else ""
    column += f", only {', '.join(result.labels)}" if result.labels else ""
    column += f", without {', '.join(result.ignore_labels)}" if result.ignore_labels else ""
    scheme = f" ({result.scheme.upper()})" if result.scheme else ""
    items = "of gold" if is_matched(result) else "with a gold label"
    whole = result.drawing == "chains" or (result.drawing == "spans" and result.unit == "document")
    units = "document" if whole else "sentence"
    number = result.units if units == "document" else result.gold.sentences
    if result.command == "agreement":
        return (
            f"agreement on {result.task}{column}{scheme}: {plural(number, units)}, "
            f"{plural(len(result.systems), 'annotator')}; read as {listed(formats)}, aligned by {result.aligned_by}"
        )
    if result.command == "bayes":
        return _many_runs(result)
    if result.command == "cross":
        golds = listed([framework.name for framework in result.frameworks])
        return (
            f"across frameworks: {plural(result.gold.sentences, 'sentence')}, {plural(result.items, 'word')}, "
            f"golds {golds}; read as {listed(formats)}"
        )
    return (
        f"{result.task}{column}{scheme}: {plural(number, units)}, "
        f"{plural(result.items, noun(result))} {items}, {plural(len(result.systems), 'system')}; "
        f"read as {listed(formats)}, aligned by {result.aligned_by}"
    )


def _many_runs(result: Result) -> str:
    measures = {row.measure for row in result.scores}
    return (
        f"many runs: {plural(len(result.systems), 'system')}, {plural(len(measures), 'measure')}, "
        f"{plural(result.items, 'data set')}, {plural(result.units, 'run')} of each system"
    )


def main_scores(result: Result) -> list[Score]:
    """The main score of every measure and system, overall."""
    return [row for row in result.scores if row.main and row.slice is None and row.label is None]


def one_line(result: Result) -> str:
    """The Result in a line or two, for a prompt."""
    named = [f"{row.system} {row.measure} {percent(row.value)}" for row in main_scores(result)[:6]]
    return f"<assay.Result {result.command} {result.task}/{result.column}: {', '.join(named)}>"


# --- the verdict ---


def verdict(result: Result) -> str:
    """Which system is better and how sure that is; it never says more than the numbers do."""
    if len(result.bayes) == 1:
        return result.bayes[0].verdict
    # With several pairs, the first table gives the orders.
    if result.command == "bayes":
        return ""
    mains = result.main_scores
    tests = [
        row
        for row in result.comparisons
        if row.test == "shuffling" and row.slice is None and row.score == mains.get(row.measure)
    ]
    if not tests:
        return ""
    tests = [row for row in tests if row.measure == tests[0].measure]
    values = {row.system: row.value for row in main_scores(result) if row.measure == tests[0].measure}
    if len(tests) == 1:
        return _pair_verdict(tests[0], values) + _otherwise(result, tests[0])
    return _best_verdict(tests, values)


def _otherwise(result: Result, first: Comparison) -> str:
    """What another measure says where it does not say the same."""
    for row in result.comparisons:
        if row.test != "shuffling" or row.slice is not None or row.measure == first.measure or math.isnan(row.p):
            continue
        if result.drawing != "spans" or row.score != first.score:
            continue
        sure = (first.p_adjusted < 0.05, first.difference > 0) if first.p_adjusted < 0.05 else (False, None)
        other = (row.p_adjusted < 0.05, row.difference > 0) if row.p_adjusted < 0.05 else (False, None)
        if sure != other:
            better = row.b if row.difference > 0 else row.a
            finding = f"{better} is better" if row.p_adjusted < 0.05 else "the difference is not significant"
            return f" On {row.measure}, however, {finding}: {signed(abs(row.difference))}, {_p_sentence(row)}."
    return ""


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
        return f"{listed(best)} share the highest {measure}, {percent(highest)}."
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
    return f"{head}; its lead is significant (p < 0.05 after Holm) over all but {listed(unsure)}."


def listed(names: Sequence[str]) -> str:
    """Names as they stand in a sentence: `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


# --- examples ---


def example_lines(example: Example, width: int = 0) -> list[str]:
    """A sentence with its changes marked, `… in Halle[NOUN → PROPN] …`; with spans a line for each side."""
    if example.arcs:
        return [" ".join(example.words), *dependency_lines(example, width)]
    if example.units:
        return [" ".join(example.words), *unit_lines(example, width)]
    if example.tree:
        return [" ".join(example.words), *constituent_lines(example, width)]
    if not example.spans:
        marks = {item.position: _mark(example, item) for item in example.items}
        words = [f"{word}{marks.get(position, '')}" for position, word in enumerate(example.words)]
        return [_cut(words, *_window(words, [(place, place + 1) for place in marks], width))]
    sides = example.sides
    lanes = [_lane(example, side) for side in sides]
    longest = [max(column, key=len) for column in zip(*lanes, strict=True)]
    name = max(map(len, sides))
    places = [(item.position, item.end or item.position + 1) for item in example.items]
    window = _window(longest, places, width and width - name - 2)
    return [f"{side:{name}}  {_cut(lane, *window)}" for side, lane in zip(sides, lanes, strict=True)]


def example_text(example: Example) -> str:
    """The same in one line."""
    if example.arcs or example.units or example.tree:
        example = replace(example, arcs=(), units=(), tree=False)
    return " · ".join(" ".join(line.split()) for line in example_lines(example))


def _window(words: Sequence[str], places: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
    """The stretch of words around some places that fits into a width; all of them where there is none."""
    if not width or len(" ".join(words)) <= width or not places:
        return 0, len(words)
    first, last = min(begin for begin, _ in places), max(end for _, end in places)
    while True:
        wider = (max(first - 1, 0), min(last + 1, len(words)))
        if wider == (first, last) or len(_cut(words, *wider)) > width:
            return first, last
        first, last = wider


def _cut(words: Sequence[str], first: int, last: int) -> str:
    return " ".join([*["…"] * (first > 0), *words[first:last], *["…"] * (last < len(words))])


def _lane(example: Example, side: str) -> list[str]:
    """The words of a sentence with the spans of one side in brackets, and the words in question in »«."""
    words = list(example.words)
    for begin, end in example.marked:
        words[begin] = f"»{words[begin]}"
        words[end - 1] = f"{words[end - 1]}«"
    spans = [(begin, end, span) for span in example.spans if span.side == side for begin, end in span.stretches]
    # Inner brackets first: they stand next to the words.
    inner_first = sorted(enumerate(spans), key=lambda row: (row[1][1] - row[1][0], -row[0]))
    for _, (begin, end, span) in inner_first:
        wrong = "" if span.kind in ("", "tp", "same") else f":{kind_title(span.kind)}"
        if begin >= len(words):
            continue
        # A span may reach beyond the sentence that is shown.
        last, beyond = min(end, len(words)) - 1, " …" if end > len(words) else ""
        words[begin] = f"[{words[begin]}"
        words[last] = f"{words[last]}{beyond}]{span.label}{wrong}"
    return words


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
