"""Tables about differences between systems: tests, changes, categories, bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from assay.render import chains, spans
from assay.render.table import Cell, Table, interval_cell, is_best, p_cell, pair_cell, table
from assay.render.text import DASH, count, is_matched, noun, p_error, percent, plural, score_title, signed
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
    mains = result.main_scores
    # Main scores are named where they differ, unless a measure has but one or is called like it.
    several = len({mains.get(row.measure) for row in tests} - {"value"}) > 1
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
        named = score != mains.get(measure) or (several and score not in ("value", measure.partition("(")[0]))
        title = f"Differences on {measure}" + (f", {score}" if named else "")
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
    over = f"gold's {result.noun}s (recall)" if result.drawing == "chains" else "words"
    return (
        f"McNemar's exact test takes {over} as independent, which within a {result.unit} they are not: prefer p.",
    )


def _diffs(result: Result) -> Iterator[Table]:
    """Tuggener's Table 3 below, and Tables 1 and 2 beside it."""
    overall = [row for row in result.diffs if row.slice is None and "/" not in row.on]
    main = _changes_on(result)
    for on, group in groupby(overall, key=lambda row: row.on):
        rows = list(group)
        graded = rows[0].improved is not None
        # Where systems add items, corrections minus new errors is another thing than the difference of the scores.
        net = is_matched(result) and not graded
        header = ["pair", "diff", f"Δ {score_title(rows[0].score)}", "net"] if net else ["pair", "diff", "Δ"]
        header += ["corr.", "new errors", "changed errors"]
        header += ["improved", "worsened"] if graded else ["overlap right", "overlap all"]
        yield table(
            f"What differs ({on})",
            header,
            [_diff_cells(row, net, graded) for row in rows],
            notes=tuple(_matched_notes(result, rows, first=on == main[0])) if net else _diff_notes(result, graded),
            short=PAIRS,
            minor=on not in main and not graded,
        )


def _changes_on(result: Result) -> list[str]:
    """The measures on whose items changes are shown: the first, of mentions each that has outcomes of its own."""
    found = list(dict.fromkeys(row.on for row in result.diffs if row.slice is None and "/" not in row.on))
    return found if result.drawing == "chains" else found[:1]


def _with_measure(result: Result, title: str, on: str) -> str:
    """A title that says which measure it is about, where there are several."""
    return f"{title} ({on})" if len(_changes_on(result)) > 1 else title


def _diff_cells(row: Diff, net: bool, graded: bool) -> list[Cell | str]:
    cells: list[Cell | str] = [pair_cell(row.a, row.b), percent(row.diff)]
    if net:
        # A file written before scores were named has another quantity in place of the difference.
        cells += [signed(row.difference), _net(row.net)] if row.score else [DASH, DASH]
    else:
        cells.append(signed(row.difference))
    cells += [count(row.corrections), count(row.new_errors), count(row.changed_errors)]
    if graded:
        return [*cells, count(row.improved or 0), count(row.worsened or 0)]
    return [*cells, percent(row.overlap_right), percent(row.overlap_all)]


def _matched_notes(result: Result, rows: Sequence[Diff], first: bool) -> Iterator[str]:
    title, item = score_title(rows[0].score), noun(result)
    if first:
        yield (
            f"Over gold's {item}s and those that one of the two adds. diff: percent of them with another outcome; "
            f"Δ {title}: difference of {title} in points; net: corrections minus new errors, which may have the "
            "other sign; corr.: corrections."
        )
        yield (
            "Overlap right: 2·both right / (A right + B right), where it is right not to add what gold does not "
            f"have; overlap all: percent of {item}s with the same outcome."
        )
    if result.drawing == "spans":
        yield "A boundary error is the same error if it has the same label and type."
    yield from _antecedent_notes(rows)


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


def _antecedent_notes(rows: Sequence[Diff]) -> Iterator[str]:
    """How many wrong links became other wrong links, which is no change unless asked for."""
    if rows[0].other_antecedent is not None:
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
    if result.drawing == "spans":
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
    notes = ("One system's chains taken as gold for the other's, by exact spans; F1 is the same either way.",)
    yield table("How alike the systems are", ["pair", *measures], rows, notes=notes, short=PAIRS)


def _transitions(result: Result) -> Iterator[Table]:
    for on in _changes_on(result):
        item = _with_measure(result, f"What became of each {noun(result)}", on)
        yield from spans.transitions(result, on, item, leading_pair(result))


def _outcome_changes(result: Result) -> Iterator[Table]:
    """Tuggener's Table 8, a table per pair of systems."""
    if result.drawing != "chains":
        return
    for diff in _shown_diffs(result):
        rows: list[list[Cell | str]] = []
        for kind, total in _totals(diff) if diff.different else ():
            rows.append(_kind_cells(KIND_NAMES[kind], total, diff.different, None))
            rows += [
                [
                    "",
                    f"{spans.outcome(change.before)} → {spans.outcome(change.after)}",
                    count(change.count),
                    percent(change.share_of_kind),
                    percent(change.share_of_changes),
                ]
                for change in diff.outcomes
                if change.kind == kind
            ]
        yield table(
            _with_measure(result, f"Changes of outcome {diff.a} → {diff.b}", diff.on),
            ["kind", "outcome (before → after)", "mentions", "% of kind", "% of changes"],
            rows,
            words=2,
            minor={diff.a, diff.b} != leading_pair(result),
            notes=("TP: resolved, WL: wrong link, FN: missed, FP: spurious, none: rightly left alone (TN).",),
        )


def _changes(result: Result) -> Iterator[Table]:
    """Tuggener's Table 4, a table per pair of systems."""
    leading = leading_pair(result)
    for diff in _shown_diffs(result):
        if diff.different:
            title = _with_measure(result, f"Changes {diff.a} → {diff.b}", diff.on)
            yield _change_table(diff, title, noun(result), minor={diff.a, diff.b} != leading)


def _shown_diffs(result: Result) -> list[Diff]:
    """All pairs, on each measure whose changes are shown."""
    return [diff for on in _changes_on(result) for diff in _overall_diffs(result, on)]


def _overall_diffs(result: Result, on: str) -> list[Diff]:
    """All pairs on one measure."""
    return [row for row in result.diffs if row.slice is None and row.on == on]


def leading_pair(result: Result) -> set[str]:
    """The best two systems: the pair shown where there is no room for all."""
    overall = next((row.systems for row in result.bounds if row.slice is None and row.label is None), {})
    return set(sorted(overall, key=lambda name: -overall[name])[:2])


def _totals(diff: Diff) -> Iterator[tuple[str, int]]:
    """Each kind of change with its number."""
    yield from zip(KIND_NAMES, (diff.corrections, diff.new_errors, diff.changed_errors), strict=True)


def _change_table(diff: Diff, title: str, item: str, minor: bool) -> Table:
    arcs = any(change.moved is not None for change in diff.changes)
    rows: list[list[Cell | str]] = []
    for kind, total in _totals(diff):
        changes = [change for change in diff.changes if change.kind == kind]
        moved = count(sum(change.moved or 0 for change in changes))
        rows.append(_kind_cells(KIND_NAMES[kind], total, diff.different, moved if arcs else None))
        rows += [_change_cells(change, arcs) for change in changes[:5]]
    header = ["kind", "label (gold: before → after)", f"{item}s", "% of kind", "% of changes"]
    return table(
        f"{title}: {count(diff.different)} of {count(diff.items)} {item}s, {percent(diff.diff)}%",
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
    """Tuggener's Table 12, sorted by what the difference moves overall unless another order is asked for."""
    item = noun(result)
    added = f" (∅: {item}s that gold does not have)" if is_matched(result) else ""
    effect = f"in percent of all {item}s" if is_matched(result) else "in points"
    for diff in _shown_diffs(result):
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
            _with_measure(result, f"By gold label, {diff.a} → {diff.b}", diff.on),
            ["label", f"{item}s", diff.a, diff.b, "Δ", "effect"],
            rows,
            notes=(
                f"Percent right of the {item}s of each gold label{added}; effect: what the difference moves overall, "
                f"{effect}.",
            ),
            short=SHORT,
            minor={diff.a, diff.b} != leading_pair(result),
        )


def _bounds(result: Result) -> Iterator[Table]:
    """Tuggener's Table 9."""
    for on in _changes_on(result):
        rows = [row for row in result.bounds if row.slice is None and row.on == on]
        if rows:
            yield _bound_table(result, _with_measure(result, "Upper bound of the combination", on), rows)


def _bound_table(result: Result, title: str, rows: list[Bound]) -> Table:
    names = list(rows[0].systems)
    item = noun(result)
    over = f"Over gold's {item}s (recall). " if is_matched(result) else ""
    body = [_bound_cells(row, names) for row in rows]
    return table(
        title,
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
    for on in _changes_on(result):
        rows = [row for row in result.growth if row.slice is None and row.on == on]
        alone = {row.system: row.only_right for row in result.unique if row.slice is None and row.on == on}
        yield table(
            _with_measure(result, "How the bound grows", on),
            ["system added", "bound", "all right", "right alone"],
            [[row.added, percent(row.upper), percent(row.all_right), count(alone[row.added])] for row in rows]
            if len(rows) > 2
            else [],
            notes=(
                "The best system first, then always the one that adds most. all right: percent that every system "
                f"so far has right; right alone: {noun(result)}s that only this one of all systems has right.",
            ),
        )


def _unresolved(result: Result) -> Iterator[Table]:
    for on in _changes_on(result):
        yield chains.unresolved(result, on, _with_measure(result, "Mentions that no system resolves", on))


PARTS = (
    _tests,
    _diffs,
    _similarities,
    _transitions,
    _categories,
    _sweeps,
    _outcome_changes,
    _changes,
    _label_differences,
    _bounds,
    _growth,
    _unresolved,
)
"""In reading order."""
