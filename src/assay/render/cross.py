"""Tables of a cross-framework comparison, laid out as in Tsarfaty et al. 2012."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.render.table import Cell, Table, figure, interval_cell, is_best, p_cell, pair_cell, table, value_of
from assay.render.text import count, p_error, percent, plural, signed
from assay.result import Comparison, Result, Score

NOT_APPLICABLE = "N/A"


def tables(result: Result) -> Iterator[Table]:
    """In reading order: native scores beside TedEval (Tables 1 and 3), TedEval by gold (2 and 4), tests, edits."""
    found = {(row.system, row.measure, row.score): row for row in result.scores}
    names = list(dict.fromkeys(name for framework in result.frameworks for name in framework.first))
    yield _table("Native scores and TedEval", names, result, [*_tedeval(found, None), *_native(result)], found)
    single = [column for framework in result.frameworks for column in _tedeval(found, framework.name)]
    yield _table("TedEval against each gold and against all", names, result, [*_tedeval(found, None), *single], found)
    yield from _tests(result)
    yield from _edits(result)
    yield from _overlaps(result)


_Column = tuple[str, str, str]
"""Title, measure, score."""


def _tedeval(found: dict[tuple[str, str, str], Score], theory: str | None) -> list[_Column]:
    """The unlabelled and the labelled score, against all golds or against one."""
    columns = []
    measures = list(dict.fromkeys(measure for _, measure, _ in found if measure.startswith("tedeval")))
    for labelled in (False, True):
        for measure in measures:
            spec, _, at = measure.partition("@")
            if at == (theory or "") and ("labelled=false" in spec) != labelled:
                columns.append((_title(measure), measure, "value"))
    return columns


def _native(result: Result) -> list[_Column]:
    """The main score of each framework's own measures."""
    main: dict[str, str] = {}
    for row in result.scores:
        if "@" in row.measure and not row.measure.startswith("tedeval"):
            main.setdefault(row.measure, row.score)
    return [(_title(measure), measure, score) for measure, score in main.items()]


def _title(measure: str) -> str:
    """What a measure is called in a table: `dep las`, `single dep L`, `multiple U`."""
    spec, _, theory = measure.rpartition("@") if "@" in measure else (measure, "", "")
    if not spec.startswith("tedeval"):
        return f"{theory} {spec}"
    return f"{f'single {theory}' if theory else 'multiple'} {'U' if 'labelled=false' in spec else 'L'}"


def _table(
    title: str,
    names: Sequence[str],
    result: Result,
    columns: Sequence[_Column],
    found: dict[tuple[str, str, str], Score],
) -> Table:
    rows: list[list[Cell | str]] = [[name] for name in names]
    groups = [framework.first for framework in result.frameworks if len(framework.first) > 1]
    for _, measure, score in columns:
        values = {name: value_of(found.get((name, measure, score))) for name in names}
        in_order = [values[name] for name in names]
        for index, name in enumerate(names):
            row = found.get((name, measure, score))
            if row is None:
                rows[index].append(NOT_APPLICABLE)
                continue
            cell = figure(row, is_best(in_order, index))
            of_group = next((group for group in groups if name in group), ())
            own = [values[other] for other in of_group]
            rows[index].append(replace(cell, italic=bool(own) and is_best(own, of_group.index(name))))
    notes = (
        f"Percent, in brackets the 95% interval ({result.times:,} resamples of {result.unit}s). Bold: highest of the "
        f"column; italic: highest of its framework. U, L: unlabelled and labelled TedEval ({_sizes(result)}); "
        "multiple: against what all golds agree on.",
    )
    return table(title, ["system", *(title for title, _, _ in columns)], rows, notes=notes)


def _sizes(result: Result) -> str:
    measure = next((row.measure for row in result.scores if row.measure.startswith("tedeval")), "")
    for sizes in ("2.2", "paper"):
        if f"sizes={sizes}" in measure:
            return f"sizes {sizes}"
    return "sizes 2.1"


def _tests(result: Result) -> Iterator[Table]:
    """What tells frameworks apart, then what tells systems of one framework apart."""
    across = [row for row in result.comparisons if "@" not in row.measure]
    for measure in dict.fromkeys(row.measure for row in across):
        rows = [[pair_cell(row.a, row.b), *_tested(row)] for row in across if row.measure == measure]
        kind = "unlabelled" if "labelled=false" in measure else "labelled"
        title = f"Differences on TedEval multiple, {kind}"
        yield _differences(title, [], rows, result, plural(len(rows), "pair"))
    within = [row for row in result.comparisons if "@" in row.measure]
    if within:
        scores = {row.measure: {one.score for one in within if one.measure == row.measure} for row in within}
        rows = [
            [
                _title(row.measure) + (f" {row.score}" if len(scores[row.measure]) > 1 else ""),
                pair_cell(row.a, row.b),
                *_tested(row),
            ]
            for row in within
        ]
        title = "Differences within frameworks, on TedEval single and native scores"
        yield _differences(title, ["score"], rows, result, "the pairs of each score")


def _tested(row: Comparison) -> list[Cell | str]:
    return [
        interval_cell(row.difference, row.low, row.high, signed),
        p_cell(row.p),
        p_error(row),
        p_cell(row.p_adjusted, row.p_adjusted < 0.05),
    ]


def _differences(title: str, first: list[str], rows: list[list[Cell | str]], result: Result, pairs: str) -> Table:
    return table(
        title,
        [*first, "pair", "difference", "p", "error", "p (Holm)"],
        rows,
        words=len(first) + 1,
        notes=(
            f"Second minus first in percentage points. p: paired shuffling of {result.unit}s, two-sided; Holm's "
            f"correction is over {pairs}; bold: p < 0.05 after it.",
        ),
        short=15,
    )


def _edits(result: Result) -> Iterator[Table]:
    rows: list[list[Cell | str]] = []
    for row in result.counts:
        if "@" not in row.measure and "labelled=false" not in row.measure:
            names = ("spurious", "missing", "delta", "norm", "forgiven", "unasked")
            rows.append([row.system, *(count(row.counts[name]) for name in names)])
    yield table(
        "Edits of TedEval multiple, labelled",
        ["system", "spurious", "missing", "edits", "size", "forgiven", "unasked"],
        rows,
        notes=(
            "spurious: units that the system's own gold does not have; missing: units that all golds have. forgiven: "
            "rightly built though only its own gold has them; unasked: only its own gold has them, not built. Score: "
            "1 − edits/size.",
        ),
    )


def _overlaps(result: Result) -> Iterator[Table]:
    yield table(
        "How far the golds agree",
        ["golds", "units", "overlap"],
        [
            [f"{row.a}, {row.b}", "labelled" if row.labelled else "unlabelled", percent(row.value)]
            for row in result.overlaps
        ],
        words=2,
        notes=(f"Percent: TedEval of one gold against the other ({_sizes(result)}).",),
    )
