"""The tables of a comparison across frameworks, laid out as in Tsarfaty et al. 2012."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from assay.engine.task import measure_title
from assay.result import Comparison, Result, Score, Table, enumeration, is_best
from assay.result.chance import few_lines, interval_title, power_lines

NOT_APPLICABLE = "N/A"


def add_cross_tables(result: Result) -> Result:
    """The Result with its heading and tables: scores (Tables 1 to 4), tests, edits, agreement of the golds."""
    formats = dict.fromkeys(source.format for source in (result.gold, *result.systems))
    sentences, words = result.gold.sentences, result.about.items
    golds = enumeration([framework.name for framework in result.frameworks])
    heading = (
        f"across frameworks: {sentences:,} sentence{'s' * (sentences != 1)}, {words:,} word{'s' * (words != 1)}, "
        f"golds {golds}; read as {enumeration(list(formats))}"
    )
    tables = [*_scores(result), *_tests(result), _edit_table(result), _overlaps(result)]
    result = replace(result, tables=tuple(tables))
    return result.with_shown(heading=heading, tables_only=True, remarks={"items": "word"})


def _title(measure: str, format_native: Callable[[str], str] = measure_title) -> str:
    """The name of a measure in a table: `dep LAS`, `single dep L`, `multiple U`."""
    spec, _, theory = measure.rpartition("@") if "@" in measure else (measure, "", "")
    if not spec.startswith("tedeval"):
        return f"{theory} {format_native(spec)}"
    return f"{f'single {theory}' if theory else 'multiple'} {'U' if 'labelled=false' in spec else 'L'}"


def _sizes(result: Result) -> str:
    measure = next((row.measure for row in result.scores if row.measure.startswith("tedeval")), "")
    return next((f"sizes {sizes}" for sizes in ("2.2", "paper") if f"sizes={sizes}" in measure), "sizes 2.1")


def _scores(result: Result) -> Iterator[Table]:
    """Native scores and TedEval (Tables 1 and 3), TedEval against each gold (2 and 4)."""
    by_key = {(row.system, row.measure, row.score): row for row in result.scores}
    measures = list(dict.fromkeys(measure for _, measure, _ in by_key))

    def tedeval(theory: str) -> list[tuple[str, str]]:
        """The unlabelled and the labelled score, against all golds or against one."""
        names = [name for name in measures if name.startswith("tedeval") and name.partition("@")[2] == theory]
        return [(name, "value") for name in sorted(names, key=lambda name: "labelled=false" not in name)]

    native: dict[str, str] = {}
    for row in result.scores:
        if "@" in row.measure and not row.measure.startswith("tedeval"):
            native.setdefault(row.measure, row.score)
    single = [column for framework in result.frameworks for column in tedeval(framework.name)]
    yield _score_table("Native scores and TedEval", [*tedeval(""), *native.items()], by_key, result)
    yield _score_table("TedEval against each gold and against all", [*tedeval(""), *single], by_key, result)


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
            f"Brackets contain the 95% interval, by the variance over {result.about.unit}s.",
            "Bold: highest of the column; italic: highest of its framework. U, L: unlabelled and labelled TedEval "
            f"({_sizes(result)}); multiple: against what all golds agree on.",
        ),
    )


def _tests(result: Result) -> Iterator[Table]:
    """Tests between systems of all frameworks, then those within a framework."""
    across = [row for row in result.comparisons if "@" not in row.measure]
    for measure in dict.fromkeys(row.measure for row in across):
        rows = [row for row in across if row.measure == measure]
        kind = "unlabelled" if "labelled=false" in measure else "labelled"
        yield _test_table(f"Differences on TedEval multiple, {kind}", rows, [], result)
    within = [row for row in result.comparisons if "@" in row.measure]
    scores = {row.measure: {test.score for test in within if test.measure == row.measure} for row in within}
    names = [_title(row.measure, str) + (f" {row.score}" if len(scores[row.measure]) > 1 else "") for row in within]
    title = "Differences within frameworks, on TedEval single and native scores"
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
    fields = ("spurious", "missing", "delta", "norm", "forgiven", "unasked")
    rows = tuple(
        (row.system, *(row.counts[field] for field in fields))
        for row in result.counts
        if "@" not in row.measure and "labelled=false" not in row.measure
    )
    return Table(
        "Edits of TedEval multiple, labelled",
        ("system", "spurious", "missing", "edits", "size", "forgiven", "unasked"),
        rows,
        ("text", "count"),
        name="errors",
        notes=(
            "spurious: units that the system's own gold does not have; missing: units that all golds have. forgiven: "
            "rightly built though only its own gold has them; unasked: only its own gold has them, not built. Score: "
            "1 − edits/size.",
        ),
    )


def _overlaps(result: Result) -> Table:
    rows = [(f"{row.a}, {row.b}", "labelled" if row.labelled else "unlabelled", row.value) for row in result.overlaps]
    return Table(
        "Agreement of the golds",
        ("golds", "units", "overlap"),
        tuple(rows),
        ("text", "text", "percent"),
        name="differences",
        words=2,
        notes=(f"Percent: TedEval of one gold against the other ({_sizes(result)}).",),
    )
