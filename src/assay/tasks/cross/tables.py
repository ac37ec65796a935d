"""The tables of a comparison across frameworks, laid out as in Tsarfaty et al. 2012."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from assay import specs
from assay.engine.task import measure_title
from assay.result import Comparison, Result, Score, Table, enumeration, is_best
from assay.result.chance import few_lines, interval_title, power_lines
from assay.tasks.cross.functiontrees import HEAD
from assay.tasks.cross.measures import NO_FUNCTION

NOT_APPLICABLE = "N/A"
FAIR = "fair-tedeval"
_MOST = 10
"""The most pairs of functions that are shown for a system; JSON has all."""


def add_cross_tables(result: Result) -> Result:
    """The Result with its heading and tables: scores (Tables 1 to 4), tests, edits, agreement of the golds."""
    formats = dict.fromkeys(source.format for source in (result.gold, *result.systems))
    sentences, words = result.gold.sentences, result.about.items
    golds = enumeration([framework.name for framework in result.frameworks])
    across = "by several guidelines" if _is_cross(result) else "across frameworks"
    heading = (
        f"{across}: {sentences:,} sentence{'s' * (sentences != 1)}, {words:,} word{'s' * (words != 1)}, "
        f"golds {golds}; read as {enumeration(list(formats))}"
    )
    tables = [*_scores(result), *_tests(result), _edit_table(result), *_confusions(result), *_overlaps(result)]
    result = replace(result, tables=tuple(tables))
    return result.with_shown(heading=heading, tables_only=True, remarks={"items": "word"})


def _title(measure: str, format_native: Callable[[str], str] = measure_title) -> str:
    """The name of a measure in a table: `dep LAS`, `single dep L`, `multiple U`."""
    spec, _, theory = measure.rpartition("@") if "@" in measure else (measure, "", "")
    if spec.startswith("cross-score"):
        return "cross score"
    if not _is_tedeval(spec):
        return f"{theory} {format_native(spec)}"
    units = "fair L" if spec.startswith(FAIR) else "U" if "labelled=false" in spec else "L"
    return f"{f'single {theory}' if theory else 'multiple'} {units}"


def _is_cross(result: Result) -> bool:
    """True if tags, spans or arcs are compared and not trees."""
    return any(row.measure.startswith("cross-score") for row in result.scores)


def _is_tedeval(measure: str) -> bool:
    return measure.startswith(("tedeval", FAIR))


def _sizes(result: Result) -> str:
    """The sizes and the costs of edits that all scores are computed with."""
    measure = next((row.measure for row in result.scores if row.measure.startswith(("tedeval", "cross-score"))), "")
    sizes = next((f"sizes {sizes}" for sizes in ("2.2", "paper") if f"sizes={sizes}" in measure), "sizes 2.1")
    _, given = specs.parse(measure.partition("@")[0] or "tedeval", "measure")
    costs = [f"{name} {given.get(name, 1)}" for name in ("add", "delete")]
    sizes = "" if _is_cross(result) else sizes
    costly = {"add", "delete"} & {*given}
    return ", ".join(filter(None, [sizes, f"costs of edits: {', '.join(costs)}" if costly else ""]))


def _scores(result: Result) -> Iterator[Table]:
    """Native scores and TedEval (Tables 1 and 3), TedEval against each gold (2 and 4)."""
    by_key = {(row.system, row.measure, row.score): row for row in result.scores}
    measures = list(dict.fromkeys(measure for _, measure, _ in by_key))

    def tedeval(theory: str) -> list[tuple[str, str]]:
        """The unlabelled and the labelled score, against all golds or against one."""
        names = [name for name in measures if _is_tedeval(name) and name.partition("@")[2] == theory]
        return [(name, "value") for name in sorted(names, key=lambda name: "labelled=false" not in name)]

    native: dict[str, str] = {}
    for row in result.scores:
        if "@" in row.measure and not _is_tedeval(row.measure):
            native.setdefault(row.measure, row.score)
    names = ("", *(framework.name for framework in result.frameworks))
    each = [column for name in names for column in tedeval(name) if not column[0].startswith(FAIR)]
    if _is_cross(result):
        across = [(name, "value") for name in measures if name.startswith("cross-score")]
        yield _score_table("Cross score and scores by the own gold", [*across, *native.items()], by_key, result)
        return
    yield _score_table("Native scores and TedEval", [*tedeval(""), *native.items()], by_key, result)
    yield _score_table("TedEval against each gold and against all", each, by_key, result)


def _score_table(
    title: str, columns: Sequence[tuple[str, str]], by_key: dict[tuple[str, str, str], Score], result: Result
) -> Table:
    groups = [framework.first for framework in result.frameworks]
    names = list(dict.fromkeys(name for group in groups for name in group))
    rows: list[list[object]] = [[name] for name in names]
    bold, italic = [], []
    for column, key in enumerate(columns, 1):
        scores = [by_key.get((name, *key)) for name in names]
        values = [row.value if row else math.nan for row in scores]
        for index, (name, row) in enumerate(zip(names, scores, strict=True)):
            rows[index].append([row.value, row.low, row.high] if row else NOT_APPLICABLE)
            group = next((group for group in groups if name in group), ())
            group_values = [values[names.index(other)] for other in group]
            bold += [(index, column)] * (row is not None and is_best(values, index))
            italic += [(index, column)] * (row is not None and is_best(group_values, group.index(name)))
    return Table(
        title,
        ("system", *(_title(measure) for measure, _ in columns)),
        tuple(map(tuple, rows)),
        ("text", "percent"),
        bold=tuple(bold),
        italic=tuple(italic),
        columns=("system", *(_title(measure, str) for measure, _ in columns)),
        name="scores",
        notes=(
            "Percent.",
            f"95% intervals in brackets, from the variance over {result.about.unit}s.",
            *_score_notes(result),
            *[
                "fair: a wrong function, or a function on other words, is one error, not two edits. Never compare "
                "fair scores with the TedEval scores of another paper."
            ]
            * any(measure.startswith(FAIR) for measure, _ in columns),
        ),
    )


def _score_notes(result: Result) -> Iterator[str]:
    if not _is_cross(result):
        yield (
            "Bold: highest of the column; italic: highest of its framework. U, L: unlabelled and labelled TedEval "
            f"({_sizes(result)}); multiple: against what all golds agree on."
        )
        return
    costs = f" ({_sizes(result)})" if _sizes(result) else ""
    yield (
        f"Bold: highest of the column; italic: highest by its guidelines. Cross score: distinctions that only a "
        f"system's own gold makes are forgiven if right, free if left out, and errors if wrong{costs}."
    )


def _tests(result: Result) -> Iterator[Table]:
    """Tests between systems of all frameworks, then those within a framework."""
    across = [row for row in result.comparisons if "@" not in row.measure]
    for measure in dict.fromkeys(row.measure for row in across):
        rows = [row for row in across if row.measure == measure]
        kind = "fair" if measure.startswith(FAIR) else "unlabelled" if "labelled=false" in measure else "labelled"
        title = "Differences on the cross score" if _is_cross(result) else f"Differences on TedEval multiple, {kind}"
        yield _test_table(title, rows, [], result)
    within = [row for row in result.comparisons if "@" in row.measure]
    scores = {row.measure: {test.score for test in within if test.measure == row.measure} for row in within}
    names = [_title(row.measure, str) + (f" {row.score}" if len(scores[row.measure]) > 1 else "") for row in within]
    title = "Differences within frameworks, on TedEval single and native scores"
    title = "Differences by the own gold" if _is_cross(result) else title
    yield _test_table(title, within, names, result)


def _test_table(title: str, tests: Sequence[Comparison], names: Sequence[str], result: Result) -> Table:
    rows = []
    for index, row in enumerate(tests):
        error = "exact" if row.exact and not math.isnan(row.p) else max(row.p_high - row.p, row.p - row.p_low)
        figures = ([row.a, row.b], row.figure, row.p, error, row.holm)
        rows.append((*names[index : index + 1], *figures))
    return Table(
        title,
        (*["score"] * bool(names), "pair", "difference", "p", "error", "p (Holm)"),
        tuple(rows),
        (*["text"] * bool(names), "pair", "points", "p", "error", "holm"),
        name="tests",
        words=1 + bool(names),
        short=15,
        notes=(
            f"Second minus first in percentage points, with the {interval_title(tests)}. p: paired shuffling of "
            f"{result.about.unit}s, two-sided; Holm's correction is over all {result.about.family:,} tests of this "
            "comparison; bold: p (Holm) at most 0.05.",
        ),
        lines=(
            *few_lines(tests, result.about.unit),
            *power_lines(tests, result.about.unit, result.about.units, names),
        ),
    )


def _edit_table(result: Result) -> Table:
    fields = ("spurious", "missing", "delta", "norm", "forgiven", "unasked", "convention", "fp", "le", "be", "fn")
    counts: dict[str, dict[str, int]] = {}
    for row in result.counts:
        if "@" not in row.measure and "labelled=false" not in row.measure:
            counts.setdefault(row.system, {}).update(row.counts)
    shown = [field for field in fields if any(field in own for own in counts.values())]
    titles = {"delta": "edits", "norm": "size", "convention": "by convention"}
    titles |= {field: field.upper() for field in ("fp", "le", "be", "fn")}
    return Table(
        "Edits of the cross score" if _is_cross(result) else "Edits of TedEval multiple, labelled",
        ("system", *(titles.get(field, field) for field in shown)),
        tuple((system, *(own[field] for field in shown)) for system, own in counts.items()),
        ("text", "count"),
        name="errors",
        notes=(
            "spurious: units that the system's own gold does not have; missing: units that all golds have. forgiven: "
            "correct units that only its own gold has; unasked: units that only its own gold has and the system does "
            "not build. Score: 1 − edits/size.",
            *[
                "LE: a spurious and a missing function of the same words. BE: a spurious and a missing unit with the "
                "same function and a common word. FP, FN: the other spurious and missing units. Fair score: "
                "(size − edits)/(size − LE − BE)."
            ]
            * ("le" in shown),
            *["by convention: right, with boundaries between those of the two golds."] * ("convention" in shown),
        ),
    )


def _confusions(result: Result) -> Iterator[Table]:
    """The functions that each system confuses, system by system, the most frequent ones first."""
    theories = {name: framework.name for framework in result.frameworks for name in framework.first}
    rows: list[tuple[str, str, int, float]] = []
    totals: Counter[str] = Counter()
    for row in result.confusion:
        totals[row.system] += row.count
    ranks: Counter[str] = Counter()
    for row in result.confusion:
        ranks[row.system] += 1
        names = [str(row.assigned), str(row.gold)]
        # An attachment, or a function that was not given, is no confusion of two functions.
        name = (" ↔ " if {HEAD, NO_FUNCTION} & {*names} else " for ").join(names)
        title = f"{row.system}@{theories[row.system]}"
        if ranks[row.system] <= _MOST:
            rows.append((title, name, row.count, row.count / totals[row.system]))
    if rows:
        yield Table(
            "Labelling errors: functions that systems confuse",
            ("system", "function for gold's", "count", "share"),
            tuple(rows),
            ("text", "text", "count", "percent"),
            name="confusion",
            words=2,
            short=10,
            notes=(
                f"Pairs of LE, against all golds: the {_MOST} most frequent of each system. Share: percent of its "
                f"LE. {HEAD} ↔ f: the word has dependents on one side only, which is an attachment error, not a "
                f"wrong function. {NO_FUNCTION} ↔ f: one side has no function there.",
            ),
        )


def _overlaps(result: Result) -> Iterator[Table]:
    """The agreement of golds and, by guidelines, their most frequent disagreements."""
    rows = [(f"{row.a}, {row.b}", "labelled" if row.labelled else "unlabelled", row.value) for row in result.overlaps]
    is_cross = _is_cross(result)
    share = "the F1 of the units of one gold against those of the other"
    kind = result.frameworks[0].kind
    share += ", wherever the spans of a pair begin and end" if kind == "spans" else ""
    share = "words on which the golds share a unit" if kind == "tags" else share
    yield Table(
        "Agreement of the golds",
        ("golds", "overlap") if is_cross else ("golds", "units", "overlap"),
        tuple((golds, value) if is_cross else (golds, units, value) for golds, units, value in rows),
        ("text", "percent") if is_cross else ("text", "text", "percent"),
        name="differences",
        words=1 if is_cross else 2,
        notes=(f"Percent: {share if is_cross else f'TedEval of one gold against the other ({_sizes(result)})'}.",),
    )
    if result.gold_differences:
        ordered = sorted(result.gold_differences, key=lambda row: -row.count)
        yield Table(
            "Most frequent disagreements of the golds",
            ("golds", "first", "second", "count"),
            tuple((f"{row.a}, {row.b}", row.label_a or "–", row.label_b or "–", row.count) for row in ordered),
            ("text", "text", "text", "count"),
            name="differences",
            words=3,
            short=_MOST,
            notes=("In these places only a system's own gold decides. –: this gold has no such unit there.",),
        )
