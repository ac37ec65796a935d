"""Tables about differences between systems: tests, changes, categories, bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from assay.render import chains, spans
from assay.render.table import Cell, Table, interval_cell, is_best, p_cell, pair_cell, table
from assay.render.text import count, is_matched, noun, p_error, percent, plural, signed
from assay.result import Bound, Change, Comparison, Diff, Result

KIND_NAMES = {"correction": "Corrections", "new-error": "New errors", "changed-error": "Changed errors"}
PAIRS = 15
"""How many pairs of systems a terminal shows."""
SHORT = 10
"""How many rows of a long table a terminal shows."""


def _tests(result: Result) -> Iterator[Table]:
    tests = [row for row in result.comparisons if row.test == "shuffling" and row.slice is None]
    exact = {
        (row.a, row.b, row.measure): row for row in result.comparisons if row.test == "mcnemar" and row.slice is None
    }
    several = len({(row.measure, row.score) for row in tests}) > 1
    explained = False
    for measure, score in dict.fromkeys((row.measure, row.score) for row in tests):
        rows: list[list[Cell | str]] = []
        with_mcnemar = False
        for row in _best_first(result, [row for row in tests if (row.measure, row.score) == (measure, score)]):
            paired = exact.get((row.a, row.b, measure))
            with_mcnemar |= paired is not None
            rows.append(
                [
                    pair_cell(row.a, row.b),
                    interval_cell(row.difference, row.low, row.high, signed),
                    p_cell(row.p),
                    Cell(p_error(row), data=(f"{row.p_low:.6g}", f"{row.p_high:.6g}")),
                    p_cell(row.p_adjusted, row.p_adjusted < 0.05),
                    *([p_cell(paired.p)] if paired else []),
                ]
            )
        header = ["pair", "difference", "p", "error", "p (Holm)", *(["McNemar"] if with_mcnemar else [])]
        title = f"Differences on {measure}" + ("" if score in ("f1", "value") or not several else f", {score}")
        first = (measure, score) == (tests[0].measure, tests[0].score)
        notes = _test_notes(result) if first else ()
        notes += _mcnemar_notes(result) if with_mcnemar and not explained else ()
        explained |= with_mcnemar
        yield table(title, header, rows, notes=notes, short=PAIRS)


def _best_first(result: Result, tests: list[Comparison]) -> list[Comparison]:
    """As given; where a terminal cannot show all, the pairs of the best system first."""
    if len(tests) <= PAIRS:
        return tests
    best = next((row.best for row in result.bounds), "")
    return sorted(tests, key=lambda row: best not in (row.a, row.b))


def _test_notes(result: Result) -> tuple[str, ...]:
    return (
        f"Second minus first in percentage points. p: paired shuffling of {result.unit}s, two-sided, "
        f"all ways where these can be counted (exact), else {result.times:,} of them; error: how far p may be off by "
        f"chance. Holm's correction is over {plural(result.family, 'pair')}; bold: p < 0.05 after it.",
    )


def _mcnemar_notes(result: Result) -> tuple[str, ...]:
    over = "gold's mentions (recall)" if result.task == "coreference" else "words"
    return (
        f"McNemar's exact test takes {over} as independent, which within a {result.unit} they are not: prefer p.",
    )


def _diffs(result: Result) -> Iterator[Table]:
    """Tuggener's Table 3 below, and Tables 1 and 2 beside it."""
    overall = [row for row in result.diffs if row.slice is None and "/" not in row.on]
    for on, group in groupby(overall, key=lambda row: row.on):
        rows = list(group)
        graded = rows[0].improved is not None
        header = ["pair", "diff", "Δ", "corr.", "new errors", "changed errors"]
        header += ["improved", "worsened"] if graded else ["overlap right", "overlap all"]
        yield table(
            f"What differs ({on})",
            header,
            [_diff_cells(row, graded) for row in rows],
            notes=_diff_notes(result, graded),
            short=PAIRS,
            minor=on != result.diffs[0].on and not graded,
        )


def _diff_cells(row: Diff, graded: bool) -> list[Cell | str]:
    cells: list[Cell | str] = [pair_cell(row.a, row.b), percent(row.diff), signed(row.difference)]
    cells += [count(row.corrections), count(row.new_errors), count(row.changed_errors)]
    if graded:
        return [*cells, count(row.improved or 0), count(row.worsened or 0)]
    return [*cells, percent(row.overlap_right), percent(row.overlap_all)]


def _diff_notes(result: Result, graded: bool) -> tuple[str, ...]:
    if is_matched(result):
        return (
            f"Over gold's {noun(result)}s and those that one of the two adds. diff: percent of them with another "
            "outcome; Δ: corrections minus new errors, in percent of them; corr.: corrections.",
            *(
                ["A boundary error is the same error if it has the same label and type."]
                if result.task == "spans"
                else []
            ),
            *_antecedent_notes(result),
        )
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


def _antecedent_notes(result: Result) -> Iterator[str]:
    """How many wrong links became other wrong links, which is no change unless asked for."""
    rows = [row for row in result.diffs if row.slice is None and row.other_antecedent is not None]
    rows = [row for row in rows if row.on == rows[0].on]
    if rows:
        named = "; ".join(f"{row.a} → {row.b} {count(row.other_antecedent or 0)}" for row in rows[:PAIRS])
        counted = "are changed errors here" if "antecedents=true" in rows[0].on else "count as no change"
        yield f"Wrong links to another wrong antecedent (WL → WL), which {counted}: {named}."


def _categories(result: Result) -> Iterator[Table]:
    """Which category of the tags was repaired, and which was broken; the largest net change first."""
    leading = leading_pair(result)
    parts = [row for row in result.diffs if row.slice is None and "/" in row.on]
    for pair, group in groupby(sorted(parts, key=lambda row: (row.a, row.b)), key=lambda row: (row.a, row.b)):
        rows = sorted(group, key=lambda row: -abs(row.corrections - row.new_errors))
        yield table(
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
    if result.task == "spans":
        yield from _span_sweeps(result)
        return
    rows: list[list[Cell | str]] = [
        [
            pair_cell(row.a, row.b),
            percent(row.a_better),
            percent(row.b_better),
            signed(row.low),
            signed(row.high),
            ", ".join(name for name, value in row.named.items() if value * (row.b_better - row.a_better) < 0)
            or "none",
        ]
        for row in result.sweeps
    ]
    yield table(
        "Under every weighting",
        ["pair", "first better %", "second better %", "least Δ", "greatest Δ", "turned round by"],
        rows,
        notes=(
            "wpa under random weights of all categories, drawn evenly. Turned round by: named weights (presets, a "
            "category alone) under which the other system is ahead.",
        ),
        short=PAIRS,
    )


def _span_sweeps(result: Result) -> Iterator[Table]:
    rows: list[list[Cell | str]] = [
        [
            pair_cell(row.a, row.b),
            row.always or "neither",
            percent(row.a_better),
            percent(row.b_better),
            signed(row.low),
            signed(row.high),
            *(signed(row.named[name]) for name in ("fair", "be-half")),
        ]
        for row in result.sweeps
    ]
    yield table(
        "Under every weighting of errors",
        ["pair", "always ahead", "first better %", "second better %", "least Δ", "greatest Δ", "fair", "be-half"],
        rows,
        words=2,
        notes=(
            "F1 if each type of error (LE, BEs, BEl, BEo, LBE) may count as anything between nothing and a hit. "
            "Always ahead: under all of these weightings; the percentages are of some drawn at random.",
        ),
        short=PAIRS,
    )


def _similarities(result: Result) -> Iterator[Table]:
    """Tuggener's Table 13."""
    measures = list(dict.fromkeys(row.measure for row in result.similarities))
    found = {(row.a, row.b, row.measure): row.value for row in result.similarities}
    rows: list[list[Cell | str]] = [
        [pair_cell(a, b), *(percent(found[a, b, measure]) for measure in measures)]
        for a, b in dict.fromkeys((row.a, row.b) for row in result.similarities)
    ]
    notes = ("One system's chains taken as gold for the other's; F1 is the same either way.",)
    yield table("How alike the systems are", ["pair", *measures], rows, notes=notes, short=PAIRS)


def _transitions(result: Result) -> Iterator[Table]:
    yield from spans.transitions(result, leading_pair(result))


def _changes(result: Result) -> Iterator[Table]:
    """Tuggener's Table 4, a table per pair of systems."""
    leading = leading_pair(result)
    for diff in _overall_diffs(result):
        if diff.different:
            yield _change_table(diff, noun(result), minor={diff.a, diff.b} != leading)


def _overall_diffs(result: Result) -> list[Diff]:
    """All pairs on the measure that systems are compared on first."""
    return [row for row in result.diffs if row.slice is None and row.on == result.diffs[0].on]


def leading_pair(result: Result) -> set[str]:
    """The best two systems: the pair shown where there is no room for all."""
    overall = next((row.systems for row in result.bounds if row.slice is None and row.label is None), {})
    return set(sorted(overall, key=lambda name: -overall[name])[:2])


def _change_table(diff: Diff, item: str, minor: bool) -> Table:
    arcs = any(change.moved is not None for change in diff.changes)
    totals = (diff.corrections, diff.new_errors, diff.changed_errors)
    rows: list[list[Cell | str]] = []
    for kind, total in zip(KIND_NAMES, totals, strict=True):
        changes = [change for change in diff.changes if change.kind == kind]
        moved = count(sum(change.moved or 0 for change in changes))
        rows.append(_kind_cells(KIND_NAMES[kind], total, diff.different, moved if arcs else None))
        rows += [_change_cells(change, arcs) for change in changes[:5]]
    header = ["kind", "label (gold: before → after)", f"{item}s", "% of kind", "% of changes"]
    return table(
        f"Changes {diff.a} → {diff.b}: {count(diff.different)} of {count(diff.items)} {item}s, {percent(diff.diff)}%",
        [*header, "head moved"] if arcs else header,
        rows,
        words=2,
        minor=minor,
        notes=("The five most frequent of each kind." + (" Head moved: to another word." if arcs else ""),),
        hint="All of them: --format json.",
    )


def _kind_cells(name: str, total: int, different: int, moved: str | None) -> list[Cell | str]:
    cells: list[Cell | str] = [
        Cell(name, True),
        "",
        Cell(count(total), True),
        "",
        Cell(percent(total / different), True),
    ]
    return cells if moved is None else [*cells, Cell(moved, True)]


def _change_cells(change: Change, arcs: bool) -> list[Cell | str]:
    path = f"{change.before} → {change.after}"
    # What became right is gold's label, unless the span itself is gone.
    named = change.kind == "changed-error" or "∅" in (change.gold, change.before, change.after)
    shares = [percent(change.share_of_kind), percent(change.share_of_changes)]
    moved = [count(change.moved or 0)] if arcs else []
    return ["", f"{change.gold}: {path}" if named else path, count(change.count), *shares, *moved]


def _label_differences(result: Result) -> Iterator[Table]:
    """Tuggener's Table 12, sorted by what the difference moves overall."""
    item = noun(result)
    added = f" (∅: {item}s that gold does not have)" if is_matched(result) else ""
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
        yield table(
            f"By gold label, {diff.a} → {diff.b}",
            ["label", f"{item}s", diff.a, diff.b, "Δ", "effect"],
            rows,
            notes=(
                f"Percent right of the {item}s of each gold label{added}; effect: what the difference moves overall, "
                "in points.",
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
    item = noun(result)
    over = f"Over gold's {item}s (recall). " if is_matched(result) else ""
    body = [_bound_cells(row, names) for row in rows]
    yield table(
        "Upper bound of the combination",
        ["label", f"{item}s", *names, "bound", "gain", "none right"],
        body,
        notes=(
            f"{over}bound: a {item} counts as right if any system is. gain: bound minus {rows[0].best}, the best "
            f"overall. Every system is right on {count(rows[0].all_right)} {item}s, none on "
            f"{count(rows[0].none_right)}.",
            *_bound_notes(rows[0], item),
        ),
        short=SHORT + 1,
        # The worst systems first, so that the best one stays.
        droppable=tuple(2 + names.index(name) for name in sorted(names, key=lambda name: rows[0].systems[name])),
    )


def _bound_notes(row: Bound, item: str) -> Iterator[str]:
    if row.exact:
        each = ", ".join(f"{name} {count(number)}" for name, number in row.exact.items())
        yield (
            f"Whole sentences right, of {count(row.sentences)}: {each}; in some system {count(row.exact_in_one)}; "
            f"with the best choice for each {item} {count(row.exact_upper)}."
        )
    if len(row.right_in) > 3:
        yield f"Right in exactly 0, 1, … systems: {', '.join(map(count, row.right_in))} {item}s."
    if row.precision is not None and row.f1 is not None:
        yield (
            f"With the best choice for mentions that gold does not resolve too: precision {percent(row.precision)}, "
            f"F1 {percent(row.f1)}."
        )


def _bound_cells(row: Bound, names: Sequence[str]) -> list[Cell | str]:
    values = [row.systems[name] for name in names]
    scores = [Cell(percent(value), is_best(values, index)) for index, value in enumerate(values)]
    label = Cell("overall", True) if row.label is None else row.label
    return [label, count(row.items), *scores, percent(row.upper), signed(row.gain), count(row.none_right)]


def _growth(result: Result) -> Iterator[Table]:
    on = next((row.on for row in result.growth), None)
    rows = [row for row in result.growth if row.slice is None and row.on == on]
    alone = {row.system: row.only_right for row in result.unique if row.slice is None and row.on == on}
    if len(rows) > 2:
        yield table(
            "How the bound grows",
            ["system added", "bound", "all right", "right alone"],
            [[row.added, percent(row.upper), percent(row.all_right), count(alone[row.added])] for row in rows],
            notes=(
                "The best system first, then always the one that adds most. all right: percent that every system "
                f"so far has right; right alone: {noun(result)}s that only this one of all systems has right.",
            ),
        )


PARTS = (
    _tests,
    _diffs,
    _similarities,
    _transitions,
    _categories,
    _sweeps,
    _changes,
    _label_differences,
    _bounds,
    _growth,
    chains.unresolved,
)
"""In reading order."""
