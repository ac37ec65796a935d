"""The tables of a Result; terminal, TSV, Markdown, LaTeX and HTML all draw these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from assay.render.text import (
    DASH,
    count,
    p_error,
    p_value,
    percent,
    plain,
    plural,
    signed,
    with_interval,
)
from assay.result import Bound, Comparison, Diff, Result, Score

KIND_NAMES = {"correction": "Corrections", "new-error": "New errors", "changed-error": "Changed errors"}
PAIRS = 15
SHORT = 10
"""How many rows of a long table a terminal shows."""


@dataclass(frozen=True)
class Cell:
    """What stands in a cell; the best of a column is bold."""

    text: str
    bold: bool = False
    data: tuple[str, ...] = ()
    """The parts of the text for programs, where it has several or is not a plain number."""


@dataclass(frozen=True)
class Table:
    """A title, a header, rows of equal length, and sentences beneath."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    numeric: frozenset[int] = field(default=frozenset())
    """Columns set to the right."""
    short: int = 0
    """Where not 0: a terminal shows so many rows and says how many more there are."""
    minor: bool = False
    """A terminal leaves it out and says so."""
    droppable: tuple[int, ...] = ()
    """Columns that a terminal leaves out where there is no room, the first of these first, and says so."""
    hint: str = ""
    """What a terminal says beneath in addition."""


def tables(result: Result) -> list[Table]:
    """All tables of a Result, in reading order."""
    return [table for part in _PARTS for table in part(result) if table.rows]


def _table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[Cell | str]], words: int = 1, **more: object
) -> Table:
    cells = tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows)
    numeric = frozenset(range(words, len(header)))
    return Table(title, tuple(header), cells, numeric=numeric, **more)  # type: ignore[arg-type]


def _best(values: Sequence[float], index: int) -> bool:
    defined = [round(value, 12) for value in values if not math.isnan(value)]
    return len(defined) > 1 and round(values[index], 12) == max(defined) != min(defined)


# --- scores ---


def _scores(result: Result) -> Iterator[Table]:
    """The main score of each measure side by side; further scores, where they say something else, beneath."""
    overall = [row for row in result.scores if row.slice is None and row.label is None]
    found = {(row.system, row.measure, row.score): row for row in overall}
    names = [source.name for source in result.systems]
    mains = {row.measure: row.score for row in reversed(overall)}
    mains = {measure: mains[measure] for measure in dict.fromkeys(row.measure for row in overall)}
    rows = []
    for index, name in enumerate(names):
        cells: list[Cell | str] = [name]
        for key in mains.items():
            values = [_value(found.get((other, *key))) for other in names]
            cells.append(_figure(found.get((name, *key)), _best(values, index)))
        rows.append(cells)
    yield _table("Scores", ["system", *mains], rows, notes=_score_notes(result))
    further: list[list[Cell | str]] = [
        [row.system, f"{row.measure} {row.score}", _figure(row)]
        for row in overall
        if _apart(row.value, found[row.system, row.measure, mains[row.measure]].value)
    ]
    yield _table("Further scores", ["system", "score", "value"], further, words=2, short=25)


def _figure(row: Score | None, bold: bool = False) -> Cell:
    return _interval_cell(row.value, row.low, row.high, percent, bold) if row else Cell(DASH, bold)


def _interval_cell(value: float, low: float, high: float, form: Callable[[float], str], bold: bool = False) -> Cell:
    return Cell(with_interval(value, low, high, form), bold, (plain(value), plain(low), plain(high)))


def _pair(a: str, b: str) -> Cell:
    return Cell(f"{a} → {b}", data=(a, b))


def _p(value: float, bold: bool = False) -> Cell:
    return Cell(p_value(value), bold, (f"{value:.6g}",))


def _apart(a: float, b: float) -> bool:
    return abs(a - b) > 1e-12 if not (math.isnan(a) or math.isnan(b)) else math.isnan(a) != math.isnan(b)


def _value(row: Score | None) -> float:
    return row.value if row else float("nan")


def _score_notes(result: Result) -> tuple[str, ...]:
    kind = {
        "percentile": f"bootstrap percentiles, {result.times:,} resamples of {result.unit}s",
        "bca": f"bias-corrected bootstrap (BCa), {result.times:,} resamples of {result.unit}s",
        "wilson": "Wilson's score interval, which takes items as independent",
    }[result.interval]
    notes = [f"Percent, in brackets the 95% interval ({kind})."]
    if result.aligned_by == "characters":
        notes.append(
            "Tokenisation differs: f1 is over all words of gold and system, `aligned` over those that correspond."
        )
    return tuple(notes)


# --- labels ---


def _labels(result: Result) -> Iterator[Table]:
    rows = [row for row in result.scores if row.label is not None and row.slice is None]
    for measure, group in groupby(rows, key=lambda row: row.measure):
        found: _ByLabel = {(row.system, row.label, row.score): row for row in group}
        systems = list(dict.fromkeys(system for system, _, _ in found))
        gold: dict[str | None, int] = {
            row.label: row.counts.get("gold", 0)
            for row in result.counts
            if row.measure == measure and row.slice is None and row.label is not None
        }
        labels = sorted(gold, key=lambda label: (-gold[label], str(label)))
        if len(systems) == 1:
            yield _one_system_labels(measure, labels, gold, found, result)
        else:
            yield _several_systems_labels(measure, systems, labels, gold, found)


_ByLabel = dict[tuple[str, str | None, str], Score]


def _one_system_labels(
    measure: str, labels: Sequence[str | None], gold: Mapping[str | None, int], found: _ByLabel, result: Result
) -> Table:
    system = next(iter(found))[0]
    assigned = {row.label: row.counts["system"] for row in result.counts if row.measure == measure and not row.slice}
    body: list[list[Cell | str]] = []
    for label in labels:
        f1, precision, recall = (found[system, label, score] for score in ("f1", "precision", "recall"))
        body.append(
            [
                str(label),
                count(gold[label]),
                count(assigned[label]),
                percent(precision.value),
                percent(recall.value),
                _figure(f1),
            ]
        )
    return _table(f"{measure} by label", ["label", "gold", "system", "precision", "recall", "f1"], body, short=25)


def _several_systems_labels(
    measure: str, systems: list[str], labels: Sequence[str | None], gold: Mapping[str | None, int], found: _ByLabel
) -> Table:
    body: list[list[Cell | str]] = []
    for label in labels:
        values = [_value(found.get((system, label, "f1"))) for system in systems]
        cells = [Cell(percent(value), _best(values, index)) for index, value in enumerate(values)]
        body.append([str(label), count(gold[label]), *cells])
    return _table(
        f"{measure} by label: f1",
        ["label", "gold", *systems],
        body,
        short=25,
        droppable=tuple(range(1 + len(systems), 1, -1)),
    )


# --- comparison ---


def _tests(result: Result) -> Iterator[Table]:
    tests = [row for row in result.comparisons if row.test == "shuffling" and row.slice is None]
    exact = {
        (row.a, row.b, row.measure): row for row in result.comparisons if row.test == "mcnemar" and row.slice is None
    }
    several = len({(row.measure, row.score) for row in tests}) > 1
    for measure, score in dict.fromkeys((row.measure, row.score) for row in tests):
        rows: list[list[Cell | str]] = []
        with_mcnemar = False
        for row in _best_first(result, [row for row in tests if (row.measure, row.score) == (measure, score)]):
            paired = exact.get((row.a, row.b, measure))
            with_mcnemar |= paired is not None
            rows.append(
                [
                    _pair(row.a, row.b),
                    _interval_cell(row.difference, row.low, row.high, signed),
                    _p(row.p),
                    Cell(p_error(row), data=(f"{row.p_low:.6g}", f"{row.p_high:.6g}")),
                    _p(row.p_adjusted, row.p_adjusted < 0.05),
                    *([_p(paired.p)] if paired else []),
                ]
            )
        header = ["pair", "difference", "p", "error", "p (Holm)", *(["McNemar"] if with_mcnemar else [])]
        title = f"Differences on {measure}" + ("" if score in ("f1", "value") or not several else f", {score}")
        notes = _test_notes(result, with_mcnemar) if (measure, score) == (tests[0].measure, tests[0].score) else ()
        yield _table(title, header, rows, notes=notes, short=PAIRS)


def _best_first(result: Result, tests: list[Comparison]) -> list[Comparison]:
    """As given; where a terminal cannot show all, the pairs of the best system first."""
    if len(tests) <= PAIRS:
        return tests
    best = next((row.best for row in result.bounds), "")
    return sorted(tests, key=lambda row: best not in (row.a, row.b))


def _test_notes(result: Result, with_mcnemar: bool) -> tuple[str, ...]:
    notes = [
        f"Second minus first in percentage points. p: paired shuffling of {result.unit}s, two-sided, "
        f"all ways where these can be counted (exact), else {result.times:,} of them; error: how far p may be off by "
        f"chance. Holm's correction is over {plural(result.family, 'pair')}; bold: p < 0.05 after it."
    ]
    if with_mcnemar:
        notes.append(
            "McNemar's exact test takes words as independent, which within a sentence they are not: prefer p."
        )
    return tuple(notes)


def _diffs(result: Result) -> Iterator[Table]:
    """Tuggener's Table 3 below, and Tables 1 and 2 beside it."""
    overall = [row for row in result.diffs if row.slice is None and "/" not in row.on]
    for on, group in groupby(overall, key=lambda row: row.on):
        rows = list(group)
        graded = rows[0].improved is not None
        header = ["pair", "diff", "Δ", "corr.", "new errors", "changed errors"]
        header += ["improved", "worsened"] if graded else ["overlap right", "overlap all"]
        yield _table(
            f"What differs ({on})",
            header,
            [_diff_cells(row, graded) for row in rows],
            notes=_diff_notes(result, graded),
            short=PAIRS,
            minor=on != result.diffs[0].on and not graded,
        )


def _diff_cells(row: Diff, graded: bool) -> list[Cell | str]:
    cells: list[Cell | str] = [_pair(row.a, row.b), percent(row.diff), signed(row.difference)]
    cells += [count(row.corrections), count(row.new_errors), count(row.changed_errors)]
    if graded:
        return [*cells, count(row.improved or 0), count(row.worsened or 0)]
    return [*cells, percent(row.overlap_right), percent(row.overlap_all)]


def _diff_notes(result: Result, graded: bool) -> tuple[str, ...]:
    over = "over gold's words (recall)" if result.aligned_by == "characters" else "of the scores"
    first = f"diff: percent of words with another label; Δ: difference {over}; corr.: corrections."
    if graded:
        return (
            first,
            "improved, worsened: words whose partial credit rose or fell, corrections and new errors included.",
        )
    return (
        first,
        "Overlap right: 2·both right / (A right + B right); overlap all: percent of words with the same label.",
    )


def _categories(result: Result) -> Iterator[Table]:
    """Which category of the tags was repaired, and which was broken; the largest net change first."""
    leading = leading_pair(result)
    parts = [row for row in result.diffs if row.slice is None and "/" in row.on]
    for pair, group in groupby(sorted(parts, key=lambda row: (row.a, row.b)), key=lambda row: (row.a, row.b)):
        rows = sorted(group, key=lambda row: -abs(row.corrections - row.new_errors))
        yield _table(
            f"By category, {pair[0]} → {pair[1]}",
            ["category", "words", "diff", "corr.", "new errors", "changed errors", "net"],
            [
                [
                    row.on.partition("/")[2],
                    count(row.items),
                    percent(row.diff),
                    count(row.corrections),
                    count(row.new_errors),
                    count(row.changed_errors),
                    _net(row.corrections - row.new_errors),
                ]
                for row in rows
            ],
            notes=(
                "Words where gold or a system has the category; a tag counts for each of its categories by itself.",
            ),
            minor=set(pair) != leading,
        )


def _net(number: int) -> str:
    return f"{number:+,}".replace("-", "−") if number else "0"


def _sweeps(result: Result) -> Iterator[Table]:
    rows: list[list[Cell | str]] = [
        [
            _pair(row.a, row.b),
            percent(row.a_better),
            percent(row.b_better),
            signed(row.low),
            signed(row.high),
            ", ".join(name for name, value in row.named.items() if value * (row.b_better - row.a_better) < 0) or DASH,
        ]
        for row in result.sweeps
    ]
    yield _table(
        "Under every weighting",
        ["pair", "first better %", "second better %", "least Δ", "greatest Δ", "turned round by"],
        rows,
        notes=(
            "wpa under random weights of all categories, drawn evenly; `turned round by`: named weights (presets, a "
            "category alone) under which the other system is ahead.",
        ),
        short=PAIRS,
    )


def _changes(result: Result) -> Iterator[Table]:
    """Tuggener's Table 4, a table per pair of systems."""
    leading = leading_pair(result)
    for diff in _overall_diffs(result):
        if diff.different:
            yield _change_table(diff, minor={diff.a, diff.b} != leading)


def _overall_diffs(result: Result) -> list[Diff]:
    """All pairs on the measure that systems are compared on first."""
    return [row for row in result.diffs if row.slice is None and row.on == result.diffs[0].on]


def leading_pair(result: Result) -> set[str]:
    """The best two systems: the pair shown where there is no room for all."""
    overall = next((row.systems for row in result.bounds if row.slice is None and row.label is None), {})
    return set(sorted(overall, key=lambda name: -overall[name])[:2])


def _change_table(diff: Diff, minor: bool) -> Table:
    totals = {
        "correction": diff.corrections,
        "new-error": diff.new_errors,
        "changed-error": diff.changed_errors,
    }
    rows: list[list[Cell | str]] = []
    for kind, total in totals.items():
        share = total / diff.different
        rows.append([Cell(KIND_NAMES[kind], True), "", Cell(count(total), True), "", Cell(percent(share), True)])
        for change in [row for row in diff.changes if row.kind == kind][:5]:
            path = f"{change.before} → {change.after}"
            gold = change.gold if kind == "changed-error" else ""
            rows.append(
                [
                    "",
                    f"{gold}: {path}" if gold else path,
                    count(change.count),
                    percent(change.share_of_kind),
                    percent(change.share_of_changes),
                ]
            )
    return _table(
        f"Changes {diff.a} → {diff.b}: {count(diff.different)} of {count(diff.items)} words, {percent(diff.diff)}%",
        ["kind", "label (gold: before → after)", "words", "% of kind", "% of changes"],
        rows,
        words=2,
        minor=minor,
        notes=("The five most frequent of each kind.",),
        hint="All of them: --format json.",
    )


def _label_differences(result: Result) -> Iterator[Table]:
    """Tuggener's Table 12, sorted by what the difference moves overall."""
    for diff in _overall_diffs(result):
        rows = [
            [
                row.label,
                count(row.items),
                percent(row.a),
                percent(row.b),
                signed(row.difference),
                signed(row.effect),
            ]
            for row in diff.labels
            if row.difference
        ]
        yield _table(
            f"By gold label, {diff.a} → {diff.b}",
            ["label", "words", diff.a, diff.b, "Δ", "effect"],
            rows,
            notes=(
                "Accuracy on the words of each gold label; effect: what the difference moves overall, in points.",
            ),
            short=SHORT,
            minor={diff.a, diff.b} != leading_pair(result),
        )


def _bounds(result: Result) -> Iterator[Table]:
    """Tuggener's Table 9."""
    on = next((row.on for row in result.bounds), None)
    rows = [row for row in result.bounds if row.slice is None and row.on == on]
    if not rows:
        return
    names = list(rows[0].systems)
    body = [_bound_cells(row, names) for row in rows]
    yield _table(
        "Upper bound of the combination",
        ["label", "words", *names, "bound", "gain", "none right"],
        body,
        notes=(
            f"bound: a word counts as right if any system is. gain: bound minus {rows[0].best}, the best overall. "
            f"Every system is right on {count(rows[0].all_right)} words, none on {count(rows[0].none_right)}.",
        ),
        short=SHORT + 1,
        # The worst systems first, so that the best one stays.
        droppable=tuple(2 + names.index(name) for name in sorted(names, key=lambda name: rows[0].systems[name])),
    )


def _bound_cells(row: Bound, names: Sequence[str]) -> list[Cell | str]:
    values = [row.systems[name] for name in names]
    scores = [Cell(percent(value), _best(values, index)) for index, value in enumerate(values)]
    label = Cell("overall", True) if row.label is None else row.label
    return [label, count(row.items), *scores, percent(row.upper), signed(row.gain), count(row.none_right)]


def _growth(result: Result) -> Iterator[Table]:
    on = next((row.on for row in result.growth), None)
    rows = [row for row in result.growth if row.slice is None and row.on == on]
    alone = {row.system: row.only_right for row in result.unique if row.slice is None and row.on == on}
    if len(rows) > 2:
        yield _table(
            "How the bound grows",
            ["system added", "bound", "all right", "right alone"],
            [[row.added, percent(row.upper), percent(row.all_right), count(alone[row.added])] for row in rows],
            notes=(
                "The best system first, then always the one that adds most. all right: percent that every system "
                "so far has right; right alone: words that only this one of all systems has right.",
            ),
        )


def _confusion(result: Result) -> Iterator[Table]:
    if result.command == "compare":
        return
    whole = [row for row in result.confusion if "/" not in row.measure]
    for system, group in groupby(whole, key=lambda row: row.system):
        rows = [[row.gold or "∅", row.assigned or "∅", count(row.count)] for row in group]
        yield _table(f"Most frequent errors of {system}", ["gold", "assigned", "words"], rows, words=2, short=SHORT)


# --- slices ---


def _slices(result: Result) -> Iterator[Table]:
    sliced = [row for row in result.scores if row.slice is not None]
    mains: dict[str, str] = {}
    for row in result.scores:
        mains.setdefault(row.measure, row.score)
    sizes: dict[tuple[str, str | None], Mapping[str, int]] = {
        (row.measure, row.slice): row.counts for row in result.counts if row.slice is not None and row.label is None
    }
    tests: dict[tuple[str, str | None], Comparison] = {
        (row.measure, row.slice): row
        for row in result.comparisons
        if row.slice is not None and row.test == "shuffling"
    }
    keys = dict.fromkeys((str(row.slice).partition("=")[0], row.measure) for row in sliced)
    for name, measure in keys:
        rows = [
            row
            for row in sliced
            if row.measure == measure and row.score == mains[measure] and str(row.slice).partition("=")[0] == name
        ]
        yield _slice_table(name, measure, rows, sizes, tests)


def _slice_table(
    name: str,
    measure: str,
    rows: Sequence[Score],
    sizes: Mapping[tuple[str, str | None], Mapping[str, int]],
    tests: Mapping[tuple[str, str | None], Comparison],
) -> Table:
    systems = list(dict.fromkeys(row.system for row in rows))
    values = {(row.slice, row.system): row for row in rows}
    body: list[list[Cell | str]] = []
    for where in dict.fromkeys(str(row.slice) for row in rows):
        figures = [values[where, system] for system in systems]
        counts = sizes[measure, where]
        cells: list[Cell | str] = [
            where.partition("=")[2],
            count(counts.get("gold", counts.get("sentences", 0))),
        ]
        values_here = [row.value for row in figures]
        for index, row in enumerate(figures):
            best = _best(values_here, index)
            cells.append(_figure(row, best) if len(systems) <= 2 else Cell(percent(row.value), best))
        if len(systems) == 2 and (measure, where) in tests:
            test = tests[measure, where]
            cells.extend([signed(test.difference), _p(test.p_adjusted, test.p_adjusted < 0.05)])
        body.append(cells)
    header = [name, "sentences" if measure.startswith("sentence") else "words", *systems]
    if body and len(body[0]) > len(header):
        header += ["Δ", "p (Holm)"]
    return _table(f"{measure} by {name}", header, body, short=25, droppable=tuple(range(1 + len(systems), 1, -1)))


def _mappings(result: Result) -> Iterator[Table]:
    rows = [[row.file, row.rule, count(row.words)] for row in result.mappings if row.before is None]
    effects = tuple(
        f"{row.file}: {percent(row.before)} without the mapping, {percent(row.after)} with it."
        for row in result.mappings
        if row.before is not None and row.after is not None
    )
    yield _table("Mapping", ["file", "rule", "words changed"], rows, words=2, notes=effects)


_PARTS = (
    _scores,
    _tests,
    _diffs,
    _categories,
    _sweeps,
    _changes,
    _label_differences,
    _bounds,
    _growth,
    _labels,
    _confusion,
    _slices,
    _mappings,
)
