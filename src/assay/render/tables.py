"""All tables of a Result, which terminal, TSV, Markdown, LaTeX and HTML show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice, product
from typing import Any

from assay.render.annotators import annotator_tables
from assay.render.runs import rank_tables, run_tables
from assay.render.table import (
    ASSUMED,
    MATRIX,
    PAIRS,
    SHORT,
    TOO_SHORT,
    Cell,
    best_cells,
    cell,
    format_table,
    group_notes,
    interval_kinds,
    make_table,
    merit_of,
    score_cell,
    unit_notes,
    value_of,
)
from assay.result import (
    NOT_ANSWERED,
    Bound,
    Comparison,
    Contribution,
    Diff,
    JudgedScore,
    Result,
    Table,
    is_best,
    is_category,
    kind_title,
)
from assay.result.chance import few_lines, interval_title, level_title, name_limits, power_lines, round_number
from assay.result.grammar import ALPHA
from assay.result.numbers import DASH, DIFFERENCES, WRITERS, interval, p_value, percent, plural, points, with_interval
from assay.result.risks import risk_tables
from assay.result.verdict import name_measure

MANY = 6
"""The largest number of systems that are listed in the order in which they were given; more are ranked."""
TEXTS = 50
"""The largest number of texts in a table of unresolved items."""
_LONGEST = 60
_NOTHING = "∅"
_KIND_NAMES = {"correction": "Corrections", "new-error": "New errors", "changed-error": "Changed errors"}
_OUTCOMES = ("tp", "wl", "le", "bes", "bel", "beo", "lbe", "ge", "ungrounded")
"""Outcomes that come first in a table of outcomes."""
_AT_LAST = ("fn", "fp", "none")
"""Outcomes that come last."""


def tables(result: Result, names: Collection[str] = (), most: int | None = None) -> list[Table]:
    """The tables with these names, or all, that have rows, in reading order; their values are cells.

    If there are more than `most`, minor ones are left out.
    """
    formatted_tables = []
    result = rank_systems(result)
    selected = list(_select_tables(result, names))
    if most is not None and len(selected) > most:
        selected = [table for table in selected if not table.minor]
    for table in selected:
        formatted = format_table(table, result)
        if "measure" in formatted.header:
            at = formatted.header.index("measure")
            titled = (replace(row[at], text=result.title(row[at].text)) for row in formatted.rows)
            rows = zip(formatted.rows, titled, strict=True)
            formatted = replace(formatted, rows=tuple((*row[:at], title, *row[at + 1 :]) for row, title in rows))
        formatted_tables.append(formatted)
    return formatted_tables


def list_names(result: Result) -> list[str]:
    """The names of the tables that have rows, in reading order."""
    return list(dict.fromkeys(table.name for table in _select_tables(result, first=True)))


def _select_tables(result: Result, names: Collection[str] = (), *, first: bool = False) -> Iterator[Table]:
    """The tables with these names, or all, that have rows; with `first`, one of those for each pair of systems."""
    by_command: dict[str, Callable[[Result], Iterable[Table]]]
    by_command = {"agreement": annotator_tables, "bayes": run_tables, "plan": _plans}
    make = by_command.get(result.about.command)
    for table in make(result) if make else _task_tables(result, names, first=first):
        name = table.name or table.after.replace(" ", "-") or "further"
        if table.rows and (not names or name in names):
            yield replace(table, name=name)


def rank_systems(result: Result) -> Result:
    """The Result with many systems and their pairs in the order of the first measure's main score, the best first."""
    if len(result.systems) <= MANY or result.of_annotators or result.about.command in ("bayes", "plan"):
        return result
    measure, score = next(iter(result.main_scores.items()), ("", ""))
    merits = {row.system: row.merit for row in result.overall if (row.measure, row.score) == (measure, score)}
    merits = {name: merit for name, merit in merits.items() if not math.isnan(merit)}
    names = sorted(result.names, key=lambda name: -merits.get(name, -math.inf))
    place = {name: number for number, name in enumerate(names)}

    def place_of_pair(row: Comparison | Diff) -> list[int]:
        return sorted(place.get(name, len(place)) for name in (row.a, row.b))

    return replace(
        result,
        systems=tuple(sorted(result.systems, key=lambda source: place[source.name])),
        scores=tuple(sorted(result.scores, key=lambda row: place.get(row.system, len(place)))),
        comparisons=tuple(sorted(result.comparisons, key=place_of_pair)),
        diffs=tuple(sorted(result.diffs, key=place_of_pair)),
    )


def _task_tables(result: Result, names: Collection[str] = (), *, first: bool = False) -> Iterator[Table]:
    """The tables that all Results have, each followed by the tables that the task puts after it.

    With `names`, only those of all Results that have one of these; with `first`, one of those with the same name.
    Tables of pairs that nobody asked for are not made: many systems have thousands.
    """
    if result.shown.tables_only:
        yield from result.tables
        yield from rank_tables(result)
        yield from (replace(table, after="mappings") for table in _mappings(result))
        return
    leading = leading_pair(result)
    further = [
        replace(table, minor=table.minor or set(table.pair) not in (set(), leading)) for table in result.tables
    ]
    further = [name_median_runs(table, result) for table in further]
    for name, (part, rows, of_means) in _PARTS.items():
        wanted = getattr(result, rows) and (not names or name.replace(" ", "-") in names)
        made = (table for table in (part(result) if wanted else ()) if table.rows)
        for table in islice(made, 1 if first else None):
            yield replace(table if of_means else name_median_runs(table, result), after=name)
        yield from (table for table in further if table.after == name)
    yield from (table for table in further if table.after not in _PARTS)


def name_median_runs(table: Table, result: Result) -> Table:
    """The table with a note on the median runs in its title and below it, if systems have several runs."""
    if "median" not in result.shown.remarks:
        return table
    return replace(table, title=f"{table.title}, median runs", notes=(*table.notes, result.shown.remarks["median"]))


def _covered_measures(result: Result, after: str) -> set[str]:
    """The measures in the task's tables that follow the table `after`."""
    return {measure for table in result.tables if table.after == after for measure in table.measures}


def leading_pair(result: Result) -> set[str]:
    """The best two systems: the pair that a short form shows."""
    scores = next((row.systems for row in result.bounds if row.slice is None and row.label is None), None)
    if scores is None:
        measure = next(iter(result.main_scores), "")
        whole = (row for row in result.scores if row.main and row.measure == measure and row.slice is None)
        scores = {row.system: -math.inf if math.isnan(row.value) else row.value for row in whole}
    return set(sorted(scores, key=lambda name: -scores[name])[:2])


# --- how good ---


def _scores(result: Result) -> Iterator[Table]:
    """The main score of each measure in a column; for rival measures, a row each with precision, recall and F1."""
    noun, unit_noun = result.shown.noun, result.about.unit
    kind = interval_kinds(result)[result.about.interval]
    overall = result.overall
    if result.about.joined_by and any(
        row.main and row.interval not in ("", result.about.interval) for row in overall
    ):
        kind += "; for scores that are not proportions, Student's t or bootstrap percentiles"
    notes = unit_notes(result.form_of(row) for row in overall if row.main)
    notes.append(f"95% intervals in brackets ({kind}).")
    if any(row.runs for row in result.scores):
        notes.append(
            "Several runs: mean ± standard deviation; the interval uses Student's t and the variance over "
            f"{unit_noun}s and over runs."
        )
    notes += [result.shown.remarks["scores"]] if "scores" in result.shown.remarks else []
    by_key = {(row.system, row.measure, row.score): row for row in overall}
    names, mains, header = result.names, result.main_scores, ["system"]
    # Plain F1, and F1 averaged over labels if some measure has it.
    averages = [lead for lead in ("macro-", "weighted-") if any(row.score.startswith(lead) for row in overall)]
    plain = [row for row in overall if row.score.endswith("f1") and not row.score.startswith(("macro-", "weighted-"))]
    keys = list(dict.fromkeys((row.measure, row.score) for row in plain)) if result.shown.rivals else [*mains.items()]
    groups = {key: [row.group if (row := by_key.get((name, *key))) else "" for name in names] for key in keys}
    grouped = [key for key, letters in groups.items() if any(letters)]
    values = {key: [merit_of(by_key.get((name, *key))) for name in names] for key in keys}
    rows: list[list[Any]] = []
    if result.shown.rivals:
        for (measure, score), (index, name) in product(keys, enumerate(names)):
            before = score.removesuffix("f1")
            letter = [groups[measure, score][index]] * bool(grouped)
            parts, further = (
                [value_of(by_key.get((name, measure, other))) for other in others]
                for others in ([f"{before}precision", f"{before}recall"], [f"{lead}{score}" for lead in averages])
            )
            f1 = score_cell(result, by_key.get((name, measure, score)), is_best(values[measure, score], index))
            rows.append([name, f"{result.title(measure)} {before}".rstrip(" -"), *letter, *parts, f1, *further])
        notes += {
            0: [],
            1: ["macro: mean F1 over labels."],
            2: [f"macro, weighted: mean F1 over labels, unweighted and weighted by gold's number of {noun}s."],
        }[len(averages)]
        f1_title = result.title("f1")
        header += ["measure", *["group"] * bool(grouped), "precision", "recall", f1_title]
        header += [f"{lead[:-1]} {f1_title}" for lead in averages]
        words = 2 + bool(grouped)
        forms, last = f"{'text ' * words}percent", range(len(header) - 1, words + 2, -1)
    else:
        for index, name in enumerate(names):
            scores = (score_cell(result, by_key.get((name, *key)), is_best(values[key], index)) for key in keys)
            rows.append([name, *(groups[key][index] for key in grouped), *scores])
        header += ["group" if len(mains) == 1 else f"group {result.title(measure)}" for measure, _ in grouped]
        # Columns that show different scores name them; a measure with one score needs no word, and neither does the
        # score kappa of the measure kappa.
        several = {row.measure for row in overall if not row.main}
        shown = {score for measure, score in keys if measure in several}
        for measure, score in keys:
            is_named = len(shown) > 1 and measure in several and score not in ("value", measure.partition("(")[0])
            title = f"{result.title(measure)} {result.title(score)}" if is_named else result.title(measure)
            header.append(f"{title} ↓" if result.is_lower(measure, score) else title)
        if len(shown) < 2:
            unnamed = shown - {measure.partition("(")[0] for measure in several}
            notes += [f"For measures with several scores, {result.title(score)} is shown." for score in unnamed]
        if any(result.is_lower(*key) for key in keys):
            notes.append("↓: lower is better.")
        # If there is no room, the groups of the first measure stay.
        words, forms, last = 1 + len(grouped), "text", range(len(grouped), 1, -1)
    if grouped:
        notes += group_notes(result)
    yield make_table("Scores", header, rows, forms, words=words, notes=notes, droppable=last)


def _further_scores(result: Result) -> Iterator[Table]:
    """Scores other than the main one, if they differ from it."""
    overall, elsewhere = result.overall, _covered_measures(result, "scores")
    main = {(row.system, row.measure): row.value for row in overall if row.main}
    if result.shown.rivals:
        elsewhere |= {row.measure for row in overall if row.score.endswith("f1")}
    # With equal tokenisation, scores of words are equal; if items are matched, they differ in meaning.
    every = result.shown.matched and not result.shown.by_outcome
    rows = []
    for row in overall:
        if row.measure in elsewhere:
            continue
        other = main.get((row.system, row.measure), math.nan)
        undefined = math.isnan(row.value) or math.isnan(other)
        differs = math.isnan(row.value) != math.isnan(other) if undefined else abs(row.value - other) > 1e-12
        if result.shown.rivals or (every and not row.main) or differs:
            rows.append(
                (row.system, f"{result.title(row.measure)} {result.title(row.score)}", score_cell(result, row))
            )
    resampled = result.about.interval in ("percentile", "bca") and not result.shown.rivals
    biased = "Intervals of macro averages are biased upwards, because resamples can lack rare labels."
    yield make_table(
        "Further scores",
        ["system", "score", "value"],
        rows,
        words=2,
        short=0 if result.shown.rivals else 25,
        notes=[biased] * (resampled and any(row.score.startswith("macro") for row in overall)),
    )


# --- what differs ---


_MARGIN_WORDS = {
    "more-than-margin": "better by more",
    "trivial": "better by less",
    "different-margin-open": "better, size open",
    "not-worse": "not worse",
}
"""Words of the column `margin` for what is shown of the system that scores higher, by the kind of verdict."""


def _tests(result: Result) -> Iterator[Table]:
    noun, unit_noun = result.shown.noun, result.about.unit
    elsewhere, mains = _covered_measures(result, "tests"), result.main_scores
    whole = [row for row in result.comparisons if row.slice is None]
    tests = [row for row in whole if row.is_of_score and row.measure not in elsewhere]
    exact = {(row.a, row.b, row.measure): row for row in whole if row.test == "mcnemar"}
    pairs = {(row.a, row.b) for row in whole}
    family = plural(len(pairs), "pair")
    if any(row.family is not None and row.family.question == "data sets" for row in result.main_tests):
        family = f"{plural(result.about.family, 'test')} (pairs, measures and data sets)"
    elif pairs and result.about.family not in (0, len(pairs)):
        family = f"{plural(result.about.family, 'test')} ({family}, {result.about.family // len(pairs)} measures)"
    # Main scores are named if they differ, unless a measure has only one score or the same name.
    several = len({mains.get(row.measure) for row in tests} - {"value"}) > 1
    best = next((row.best for row in result.bounds), "")
    explained = False
    for number, ((measure, score), group) in enumerate(
        _group_rows(tests, lambda row: (row.measure, row.score)).items()
    ):
        if len(group) > PAIRS:
            # If a terminal cannot show all, the pairs of the best system come first.
            group.sort(key=lambda row: best not in (row.a, row.b))
        with_mcnemar = any((row.a, row.b, measure) in exact for row in group)
        with_margin = any(row.margin is not None for row in group)
        rows = []
        for row in group:
            # How far the p of infinitely many shufflings may lie from the one that was drawn (95%).
            off = "exact" if row.exact else f"±{max(row.p_high - row.p, row.p - row.p_low):.4f}"
            off = DASH if math.isnan(row.p) or row.runs else off
            error = Cell(off, data=(f"{row.p_low:.6g}", f"{row.p_high:.6g}"))
            # Systems with several runs have no such test.
            test = exact.get((row.a, row.b, measure))
            mcnemar = [test.p if test else math.nan] * with_mcnemar
            margin = _against_margin(result, row) if with_margin else ()
            rows.append([[row.a, row.b], row.figure, row.p, error, row.holm, *mcnemar, *margin])
        is_named = score != mains.get(measure) or (several and score not in ("value", measure.partition("(")[0]))
        notes = []
        form = DIFFERENCES[result.form_of(group[0])]
        if number == 0:
            unit = " in percentage points" * (form == "points")
            notes.append(
                f"Second minus first{unit}, with the {interval_title(group)}. p: two-sided, by paired shuffling of "
                f"{unit_noun}s; error: sampling error of p. Holm correction for {family}; bold: p (Holm) at most "
                f"0.05."
            )
        if number == 0 and any(row.runs for row in group):
            notes.append(
                f"Systems with several runs: p and interval use Student's t with the variance over {unit_noun}s and "
                f"over runs, so they apply to new runs on new texts."
            )
        if with_mcnemar and not explained:
            over = f"gold's {noun}s (recall)" if result.shown.matched else f"{noun}s"
            notes.append(
                f"McNemar's exact test treats {over} as independent, but {over} of the same {unit_noun} are not: "
                "prefer p."
                if noun != unit_noun
                else f"McNemar's exact test is the same as shuffling {over}."
            )
        explained |= with_mcnemar
        power = power_lines(group, unit_noun, result.about.units, form=result.form_of(group[0]))
        more = {"notes": notes, "lines": [*few_lines(group, unit_noun), *power], "short": PAIRS}
        header = ["pair", "difference", "p", "error", "p (Holm)", *["McNemar"] * with_mcnemar]
        if with_margin:
            sizes = dict.fromkeys(row.margin for row in group if row.margin is not None)
            named = ", ".join(points(size) if form == "points" else f"{size:g}" for size in sizes)
            level = level_title(1 - 2 * ALPHA / next((row.family.size for row in group if row.family), 1))
            more["droppable"] = (len(header) + 1,)
            header += [f"margin {named}", level]
            notes.append(
                f"{level}: the interval that is compared with the margin. If few {unit_noun}s differ, or nearly all "
                f"favour one system, it is as wide as their number allows."
            )
        title = f"Differences on {result.title(measure)}" + (f", {result.title(score)}" if is_named else "")
        forms = ["pair", form, "p", "error", "holm", *["p"] * with_mcnemar, *["text"] * 2 * with_margin]
        yield make_table(title, header, rows, " ".join(forms), **more)


def _against_margin(result: Result, row: Comparison) -> tuple[str, str]:
    """The verdict on a difference and its margin, and the interval that decides it."""
    kind = row.kind.removeprefix("average-")
    word = "few" if row.few and kind != "equivalent" else kind
    if kind in _MARGIN_WORDS:
        word = f"{row.b if row.gain > 0 else row.a} {_MARGIN_WORDS[kind]}"
    if row.low90 is None or row.high90 is None:
        return word, ""
    return word, interval(row.low90, row.high90, WRITERS[DIFFERENCES[result.form_of(row)]])


def _group_rows(rows: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """Rows by a key, in the order in which keys occur."""
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _diffs(result: Result, every: bool = False) -> list[tuple[str, str, list[Diff]]]:
    """The measures on whose items changes are shown (the first, or all), each with a suffix for titles and the
    differences of all pairs."""
    whole = (row for row in result.diffs if row.slice is None and not is_category(row.on))
    diffs = list(_group_rows(whole, lambda row: row.on).items())[: None if every or result.shown.by_outcome else 1]
    return [(on, f" ({result.title(on)})" if len(diffs) > 1 else "", rows) for on, rows in diffs]


def _differences(result: Result) -> Iterator[Table]:
    """Tuggener's Table 3, and Tables 1 and 2 in the same rows."""
    item = result.shown.noun
    for number, (on, _, diffs) in enumerate(_diffs(result, every=True)):
        graded = diffs[0].improved is not None
        if not diffs[0].is_judged:
            yield _courses(result, on, diffs)
            continue
        # If systems add items, corrections minus new errors is not the difference of the scores.
        net = result.shown.matched and not graded
        gained = diffs[0].score.replace("f1", "F1")
        rows = []
        for row in diffs:
            # A file written before scores were named has another quantity in place of the difference.
            change = [row.difference, *[row.net] * net] if row.score or not net else [DASH, DASH]
            further = [row.improved or 0, row.worsened or 0] if graded else [row.overlap_right, row.overlap_all]
            kinds = [row.corrections, row.new_errors, row.changed_errors]
            rows.append([[row.a, row.b], row.diff, *change, *kinds, *further])
        header = ["pair", "diff", *([f"Δ {gained}", "net"] if net else ["Δ"]), "corr.", "new errors"]
        header += ["changed errors", *(["improved", "worsened"] if graded else ["overlap right", "overlap all"])]
        forms = f"pair percent points{' net' * net} count count count {'count' if graded else 'percent'}"
        notes = []
        if net and number == 0:
            notes += [
                f"Over gold's {item}s and those that either system adds. diff: percentage of them with a different "
                f"outcome; Δ {gained}: difference in {gained}, in points; net: corrections minus new errors, which "
                f"can have the opposite sign; corr.: corrections.",
                f"Overlap (right): 2 · both right / (A right + B right). Not adding a spurious {item} counts as "
                f"right. Overlap (all): percentage of {item}s with the same outcome.",
            ]
        if net:
            remarks = result.shown.remarks
            notes += [remarks[name] for name in ("differences", f"differences {on}") if name in remarks]
        else:
            # Partial credit is given to words, even if items are spans.
            items = "words" if result.shown.matched else f"{item}s"
            whole = diffs[0].score in ("", result.main_scores.get(on))
            over = "of the scores" if whole else f"over gold's {items} (recall)"
            nearer = {"numbers": "with a smaller or larger error", "sets": "whose set is more or less like gold's"}
            notes += [
                f"diff: percentage of {items} with a different label; Δ: difference {over}; corr.: corrections.",
                f"improved, worsened: {items} {nearer.get(result.about.kind, 'whose partial credit rose or fell')}, "
                f"including corrections and new errors."
                if graded
                else f"Overlap (right): 2 · both right / (A right + B right). Overlap (all): percentage of {items} "
                "with the same label.",
            ]
        more = {"notes": notes, "short": PAIRS, "minor": number > 0 and not result.shown.by_outcome and not graded}
        yield make_table(f"What differs ({result.title(on)})", header, rows, forms, **more)


def _courses(result: Result, on: str, diffs: Sequence[Diff]) -> Table:
    """The answers of each pair of systems that are better and worse, if none is right or wrong."""
    noun = result.shown.noun
    rows = [[[row.a, row.b], row.improved or 0, row.worsened or 0, row.items - row.different] for row in diffs]
    what = "a higher or lower score" if result.about.kind == "scores" else "a smaller or larger error"
    notes = [f"improved, worsened: {noun}s with {what} in the second system; equal: no change."]
    header, forms = ["pair", "improved", "worsened", "equal"], "pair count count count"
    return make_table(f"What differs ({result.title(on)})", header, rows, forms, notes=notes, short=PAIRS)


def _describe_courses(result: Result, diff: Diff) -> list[str]:
    """What improved and worsened mean, if there is more to say than what is right and wrong."""
    noun, kind = result.shown.noun, result.about.kind
    if not diff.is_judged:
        what = "a higher or lower score" if kind == "scores" else "a smaller or larger error"
        return [f"improved, worsened: {noun}s with {what} in {diff.b}."]
    if diff.improved is None or kind not in ("numbers", "sets"):
        return []
    what = "a smaller error" if kind == "numbers" else "a set that is more like gold's"
    return [f"{diff.b} has {what} in {plural(diff.improved, noun)} and the opposite in {diff.worsened or 0:,}."]


def _transitions(result: Result) -> Iterator[Table]:
    """The numbers of items with each outcome in A and in B, by one measure."""
    noun = result.shown.noun
    for on, which, _ in _diffs(result):
        overall = [row for row in result.transitions if row.slice is None and row.label is None and row.on == on]
        for (a, b), group in groupby(overall, key=lambda row: (row.a, row.b)):
            number = {(row.before, row.after): row.count for row in group}
            used = {name for pair in number for name in pair}
            others = sorted(used - {*_OUTCOMES, *_AT_LAST})
            kinds = [kind for kind in (*_OUTCOMES, *others, *_AT_LAST) if kind in used]
            note = f"Gold's {noun}s, and those that a system adds; none: the system rightly has nothing there."
            yield make_table(
                f"Outcome of each {noun}{which}: {a} (rows) → {b} (columns)",
                [f"{a} \\ {b}", *map(kind_title, kinds)],
                [[kind_title(before), *(number.get((before, after)) or "·" for after in kinds)] for before in kinds],
                "text count",
                bold=tuple((n, n + 1) for n, kind in enumerate(kinds) if number.get((kind, kind))),
                minor={a, b} != leading_pair(result),
                notes=[f"{note} Bold: the same outcome."],
            )


def _changes(result: Result) -> Iterator[Table]:
    """Tuggener's Table 4, a table per pair of systems; before that Table 8, if changes are shown by outcome."""
    noun, leading = result.shown.noun, leading_pair(result)
    ways = (True, False) if result.shown.by_outcome else (False,)
    shown = [(way, which, diff) for way in ways for _, which, diffs in _diffs(result) for diff in diffs]
    for by_outcome, which, diff in shown:
        if not diff.different or not diff.is_judged:
            continue
        groups = list(group_changes(diff, by_outcome, result))
        # All changes of labels; for arcs, also the number with another head.
        arcs = not by_outcome and any(row.moved is not None for *_, paths in groups for _, row in paths)
        rows: list[list[Any]] = []
        for title, number, paths in groups:
            moved = [f"{sum(row.moved or 0 for _, row in paths):,}"] if arcs else []
            totals = [title, "", f"{number:,}", "", percent(number / diff.different), *moved]
            rows.append([Cell(text, bold=bool(text)) for text in totals])
            for path, row in paths:
                moved = [f"{row.moved or 0:,}"] if arcs else []
                rows.append(["", path, row.count, row.share_of_kind, row.share_of_changes, *moved])
        title = f"Changes of outcome {diff.a} → {diff.b}{which}"
        notes = [result.shown.remarks["outcomes"]] if "outcomes" in result.shown.remarks else []
        if not by_outcome:
            share = f"{diff.different:,} of {diff.items:,} {noun}s, {percent(diff.diff)}%"
            title = f"Changes {diff.a} → {diff.b}{which}: {share}"
            notes = ["Head moved: the head is a different word."] * arcs
        word = name_label(result)
        label = "label (gold: before → after)" if word == "label" else f"{word} (before → after)"
        path = "outcome (before → after)" if by_outcome else label
        header = ["kind", path, f"{noun}s", "% of kind", "% of changes", *["head moved"] * arcs]
        more: dict[str, Any] = {"words": 2, "notes": notes, "minor": {diff.a, diff.b} != leading}
        yield make_table(title, header, rows, "text text count percent", **more)


def name_label(result: Result) -> str:
    """The word for the labels of items."""
    return result.shown.remarks.get("label", "label")


def name_nothing(result: Result) -> str:
    """The name of a missing answer."""
    if name_label(result) != "label":
        return "missing"
    return NOT_ANSWERED if result.about.kind not in ("", "sets") else _NOTHING


def group_changes(diff: Diff, by_outcome: bool, result: Result) -> Iterator[tuple[str, int, list[tuple[str, Any]]]]:
    """The title of each kind of change, its number, and its rows with their paths, by outcome or by label."""
    numbers, nothing = (diff.corrections, diff.new_errors, diff.changed_errors), name_nothing(result)
    given = name_label(result) != "label"
    rows: dict[str, list[Any]] = {kind: [] for kind in _KIND_NAMES}
    for row in diff.outcomes if by_outcome else diff.changes:
        rows[row.kind].append(row)
    for (kind, title), number in zip(_KIND_NAMES.items(), numbers, strict=True):
        paths = []
        for row in rows[kind]:
            if by_outcome:
                path = f"{kind_title(row.before)} → {kind_title(row.after)}"
            else:
                # The right answer is gold's label, unless the item is missing.
                is_named = given or kind == "changed-error" or _NOTHING in (row.gold, row.before, row.after)
                before, after = (nothing if name == _NOTHING else name for name in (row.before, row.after))
                gold, after = row.gold, row.other or after
                if given and gold == _NOTHING:
                    gold = row.before if row.after == _NOTHING else row.after
                    before, after = ("none" if name == _NOTHING else "spurious" for name in (row.before, row.after))
                path = f"{f'{gold}: ' if is_named else ''}{before} → {after}"
            paths.append((path, row))
        yield title, number, paths


def name_group(result: Result, row: Contribution) -> str:
    """A group of items that adds to a difference, in words."""
    items = f"{result.shown.noun}s"
    words = {"spurious-removed": "spurious removed", "spurious-added": "spurious added", "both-right": "both right"}
    words |= {"unaligned": "without counterpart in gold", "changed-error": "changed errors"}
    gained = (f"{items} gained", f"{items} lost") if result.shown.matched else ("corrections", "new errors")
    words |= dict(zip(("correction", "new-error"), gained, strict=True))
    if row.by == "kind":
        return words.get(row.group, row.group)
    if row.by == "outcome":
        return " → ".join(map(kind_title, row.group.split(" → ")))
    return row.group


def describe_contributions(result: Result, a: str, b: str, measure: str) -> str:
    """A difference as the sum of the kinds of changes: `exact F1 +10.44 = +15.06 spans gained −8.08 lost …`."""
    rows = [row for row in result.contributions if (row.a, row.b, row.measure) == (a, b, measure)]
    kinds = [row for row in rows if row.by == "kind"]
    if not kinds:
        return ""
    write = WRITERS[DIFFERENCES[result.shown.score_forms.get(measure, {}).get(kinds[0].score, "percent")]]
    # The noun is not repeated: spans gained, lost; spurious removed, added.
    names = [name_group(result, row) for row in kinds]
    parts, before = [], ""
    for row, name in zip(kinds, names, strict=True):
        first, _, rest = name.partition(" ")
        if row.value:
            parts.append(f"{write(row.value)} {rest if rest and first == before else name}")
            before = first
    return f"{name_measure(result, measure)} {write(math.fsum(row.value for row in kinds))} = {' '.join(parts)}"


def _contributions(result: Result) -> Iterator[Table]:
    """What each difference of main scores is made of: groups whose contributions add up to it."""
    noun, leading, shown = result.shown.noun, leading_pair(result), {"kind": "kind of change"}
    mains = result.main_tests
    tests, level = {(row.a, row.b, row.measure): row.figure for row in mains}, interval_title(mains)
    grouped = _group_rows(result.contributions, lambda row: (row.a, row.b, row.measure))
    for number, ((a, b, measure), group) in enumerate(grouped.items()):
        form = DIFFERENCES[result.shown.score_forms.get(measure, {}).get(group[0].score, "percent")]
        rows: list[list[Any]] = []
        for by, own in _group_rows(group, lambda row: row.by).items():
            for row in own:
                items = cell(math.nan, "percent") if row.items is None else row.items
                figure = cell((row.value, row.low, row.high), form)
                figure = replace(figure, text=f"{figure.text}°" if figure.text.endswith("]") else figure.text)
                title = shown.get(by, by.replace("slice:", "slice "))
                rows.append([title, name_group(result, row), items, figure])
        total = math.fsum(row.value for row in group if row.by == group[0].by)
        whole = tests.get((a, b, measure), (total, math.nan, math.nan))
        sizes = [row.items for row in group if row.by == group[0].by]
        items = cell(math.nan, "percent") if None in sizes else sum(size or 0 for size in sizes)
        rows.append([Cell("all", True), "", items, replace(cell(whole, form), bold=True)])
        notes = [
            "Contribution: how much the group adds to the difference. The groups of each kind add up to it. The "
            "contribution of a label is not the difference in its own score. °: 95% interval, not corrected for the "
            f"number of groups. all: the whole difference, with the {level}."
        ] * (number == 0)
        if any(row.group == "(rest)" for row in group):
            slope = "the slope of the score half-way between both systems"
            notes.append(f"To first order: computed from {slope}. (rest): the remainder.")
        yield make_table(
            f"Where the difference on {name_measure(result, measure)} comes from, {a} → {b}",
            ["by", "group", f"{noun}s that differ", "contribution"],
            rows,
            f"text text count {form}",
            words=2,
            notes=notes,
            short=SHORT,
            minor={a, b} != leading,
        )


def _label_differences(result: Result) -> Iterator[Table]:
    """Tuggener's Table 12, with the contribution of each label to the overall difference, if it is known."""
    item = result.shown.noun
    word, added = name_label(result), f" (∅: {item}s that gold does not have)" if result.shown.matched else ""
    by, nothing = f"By gold {word}", _NOTHING
    if word != "label":
        by, nothing = f"By {word}", "not in gold"
        added = f". not in gold: {item}s that a system adds; not adding them counts as right"
    leading = leading_pair(result)
    for which, diff in [(which, diff) for _, which, diffs in _diffs(result) for diff in diffs]:
        adds = result.label_contributions(diff)
        on = name_measure(result, diff.on)
        effect = f" Contribution: how much the {word} adds to the difference on {on}, in points." * bool(adds)
        yield make_table(
            f"{by}, {diff.a} → {diff.b}{which}",
            [word, f"{item}s", diff.a, diff.b, "Δ", *["contribution"] * bool(adds)],
            [
                (label, row.items, row.a, row.b, row.difference, *[adds.get(row.label, DASH)] * bool(adds))
                for row in diff.labels
                for label in [nothing if row.label == _NOTHING else row.label]
                if row.difference or adds.get(row.label)
            ],
            "text count percent percent points points",
            notes=[f"Percentage of {item}s with the right answer, {by[0].lower()}{by[1:]}{added}.{effect}"],
            short=SHORT,
            minor={diff.a, diff.b} != leading,
        )


def _bounds(result: Result) -> Iterator[Table]:
    """Tuggener's Table 9."""
    item = result.shown.noun
    for on, which, _ in _diffs(result):
        bounds = [row for row in result.bounds if row.slice is None and row.on == on]
        if not bounds:
            continue
        first, ranked = bounds[0], [name for name in result.names if name in bounds[0].systems]
        # A column for each of many systems would not fit; these have a table of their own.
        names = ranked if len(ranked) <= MANY else [first.best]
        # F1 has a table of its own, and some tasks have no combination.
        is_reached, rows = first.combined != "f1" and first.vote is not None, []
        for row in bounds:
            label = Cell("overall", True) if row.label is None else row.label
            scores = best_cells([row.systems[name] for name in names])
            reached = [dash(row.vote), dash(row.learnt)] if is_reached else []
            gain = cell(row.gain, "points")
            rows.append([label, row.items, *scores, *reached, row.upper, gain, f"{row.none_right:,}"])
        over = f"Over gold's {item}s (recall). " if result.shown.matched else ""
        article = "an" if item[:1] in "aeiou" else "a"
        notes = [
            f"{over}bound: {article} {item} counts as right if any system has it right. gain: bound minus "
            f"{first.best}, the best system overall. All systems are right on {first.all_right:,} {item}s, none on "
            f"{first.none_right:,}."
        ]
        if first.exact and names == ranked:
            each = ", ".join(f"{name} {number:,}" for name, number in first.exact.items())
            notes.append(
                f"Sentences that are completely right, out of {first.sentences:,}: {each}; in at least one system "
                f"{first.exact_in_one:,}; with the best choice for each {item} {first.exact_upper:,}."
            )
        elif first.exact:
            notes.append(
                f"Sentences that are completely right, out of {first.sentences:,}: in at least one system "
                f"{first.exact_in_one:,}; with the best choice for each {item} {first.exact_upper:,}."
            )
        if len(first.right_in) > 3:
            notes.append(
                f"Right in exactly 0, 1, … systems: {', '.join(f'{number:,}' for number in first.right_in)} {item}s."
            )
        if first.precision is not None and first.f1 is not None:
            notes.append(
                f"With the best choice also for {item}s that gold does not resolve: precision "
                f"{percent(first.precision)}, F1 {percent(first.f1)}."
            )
        words = ["vote", "learnt"] if is_reached else []
        combined = _combination_notes(first)
        yield make_table(
            f"Upper bound of the combination{which}",
            [name_label(result), f"{item}s", *names, *words, "bound", "gain", "none right"],
            rows,
            "text count percent",
            notes=notes if first.combined == "f1" else [*notes, *combined],
            short=SHORT + 1,
            # The worst systems first, so that the best one stays.
            droppable=(2 + names.index(name) for name in sorted(names, key=lambda name: first.systems[name])),
        )
        if names != ranked:
            alone = {row.system: row.only_right for row in result.unique if row.slice is None and row.on == on}
            lines: list[list[Any]] = []
            for name, value in sorted(first.systems.items(), key=lambda entry: -entry[1]):
                exact = [first.exact[name]] if first.exact else []
                lines.append([name, value, cell(first.upper - value, "points"), alone.get(name, 0), *exact])
            yield make_table(
                f"Systems of the combination{which}",
                ["system", "right", "gain", "right alone", *["whole sentences right"] * bool(first.exact)],
                lines,
                "text percent points count count",
                notes=[f"{over}gain: bound minus the system. right alone: {item}s that only this system has right."],
                short=SHORT,
            )
        if first.combined == "f1":
            yield make_table(
                f"F1 of the combination{which}",
                [name_label(result), first.single_system, "vote", "learnt", "bound"],
                [
                    (row.label or Cell("overall", True), row.single, row.vote, dash(row.learnt), row.bound)
                    for row in bounds
                    if row.single is not None
                ],
                "text percent",
                notes=[f"Counts {item}s with gold's place and label. {first.single_system} has the highest "
                f"F1.", *combined],
                short=SHORT + 1,
            )


def dash(value: float | None) -> float:
    """A value of a table, nan if there is none."""
    return math.nan if value is None else value


def _combination_notes(bound: Bound) -> Iterator[str]:
    """What the vote and the learnt choice are, or why there is none."""
    if bound.verdict:
        yield bound.verdict
    if bound.vote is not None:
        yield (
            "vote: the answer of most systems, or what more than half of them find. learnt: the answer that is right "
            "most often, given the systems that give it." + " ° p is not corrected." * ("°" in bound.verdict)
        )
    if bound.not_combined:
        yield f"{'learnt' if bound.vote is not None else 'vote, learnt'}: {bound.not_combined}."


def _risk(result: Result) -> Iterator[Table]:
    return risk_tables(result.risks, result.shown.noun, leading_pair(result))


def _growth(result: Result) -> Iterator[Table]:
    by_measure = {row.on: row.combined for row in result.bounds if row.label is None}
    for on, which, _ in _diffs(result):
        rows = [row for row in result.growth if row.slice is None and row.on == on]
        alone = {row.system: row.only_right for row in result.unique if row.slice is None and row.on == on}
        yield make_table(
            f"Growth of the bound{which}",
            ["system added", "vote", "learnt", "bound", "all right", "right alone"],
            [
                (
                    *(row.added, dash(row.vote), dash(row.learnt), row.upper if row.bound is None else row.bound),
                    *(row.all_right, alone[row.added]),
                )
                for row in rows
                if len(rows) > 2
            ],
            "text percent percent percent percent count",
            notes=[
                "The best system first, then the one that adds most. all right: percentage that every system so far "
                f"has right; right alone: {result.shown.noun}s that only this system has right."
                + " vote, learnt and bound are F1." * (by_measure.get(on) == "f1")
            ],
        )


def _unresolved(result: Result) -> Iterator[Table]:
    """The items that no system has right by one measure, grouped by text."""
    noun = result.shown.noun
    items = f"{noun.capitalize()}s"
    for on, which, _ in _diffs(result):
        groups = _group_rows(
            (row for row in result.unresolved if row.on == on), lambda row: (row.text.lower(), row.label)
        )
        ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
        notes = [f"{items} of gold, grouped by text (ignoring case), with the place of the first."]
        notes += [f"The {TEXTS} most frequent of {len(ordered):,} texts."] * (len(ordered) > TEXTS)
        rows = []
        for (_, label), same_text in ordered[:TEXTS]:
            text = same_text[0].text
            shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
            rows.append((shown, label, same_text[0].place, len(same_text)))
        header = ["text", "type", "first", f"{noun}s"]
        more = {"words": 3, "notes": notes, "short": SHORT, "hint": "To list all: --format json"}
        yield make_table(f"{items} that no system resolves{which}", header, rows, "text text text count", **more)


# --- confidences ---


def _confidence(result: Result) -> Iterator[Table]:
    """What the confidences of each system are worth, and in a line how far its calibration is from chance."""
    rows, lines, labelled = [], [], any(row.label for row in result.calibrations)
    has_area = any(not math.isnan(row.auc) for row in result.calibrations)
    for row in result.calibrations:
        error = (row.ece, row.low, row.high)
        about, area = [row.label or ""] * labelled, [row.auc] * has_area
        values = (row.average_precision, *area, row.brier, row.log_loss, error, row.floor, row.p)
        rows.append((row.system, *about, row.items, *values))
        if not math.isnan(row.ece):
            chance = f"{percent(row.floor)} expected if calibrated, p = {p_value(row.p)}".replace("p = <", "p < ")
            lines.append(f"{row.system}: ECE {with_interval(*error, percent)}, {chance}")
    recalls = [f"{row.system} {percent(row.highest_recall)}" for row in result.calibrations if row.highest_recall < 1]
    notes = [
        "ECE: expected calibration error, in percent. Brier score, log loss and ECE: lower is better. p: share of "
        "calibrated draws with an ECE at least as large."
    ]
    notes += [f"Highest recall, if all answers count: {', '.join(recalls)}."] * bool(recalls and result.shown.matched)
    notes += [
        f"{row.system}: AUC is below .5. If the confidences belong to a label other than {row.label}, name it: "
        "positive=LABEL."
        for row in result.calibrations
        if row.label and row.auc < 0.5
    ]
    notes += ["The Brier score of distributions over labels ranges from 0 to 2."] * any(
        row.highest_brier > 1 for row in result.calibrations
    )
    impossible = [f"{row.system} {row.impossible:,}" for row in result.calibrations if row.impossible]
    notes += [f"Items whose gold label has p = 0: {', '.join(impossible)}."] * bool(impossible)
    header = ["system", *["label"] * labelled, "answers", "average precision", *["AUC"] * has_area]
    header += ["Brier", "log loss", "ECE"]
    forms = f"{'text ' * (1 + labelled)}count{' coefficient' * (2 + has_area)} number percent percent p"
    last = range(len(header) + 1, len(header) - 2, -1)
    more = {"words": 1 + labelled, "notes": notes, "lines": lines, "droppable": last}
    yield make_table("Confidence", [*header, "expected if calibrated", "p"], rows, forms, **more)


def _thresholds(result: Result) -> Iterator[Table]:
    """Each system if only answers with at least a confidence count."""
    labelled = any(row.label for row in result.thresholds)
    rows = []
    for row in result.thresholds:
        mark = "applied" if row.applied else ""
        numbers = (row.value, row.answers, row.precision, row.recall, row.f1)
        rows.append((row.system, *[row.label or ""] * labelled, *numbers, mark))
    header = ["system", *["label"] * labelled, "threshold", "answers", "precision", "recall", "F1", ""]
    forms = f"{'text ' * (1 + labelled)}number count percent percent percent text"
    notes = [
        "Only answers with at least this confidence count. Choose a threshold on other data (--choose); the best one "
        "here is not a result."
    ]
    yield make_table("Thresholds", header, rows, forms, words=1 + labelled, notes=notes, short=SHORT, minor=True)


def _judges(result: Result) -> Iterator[Table]:
    """Scores and differences by humans alone, by the judge alone, and by both together."""
    rows, notes = [], []
    agreement: dict[str, None] = {}
    for row in result.judges:
        form = result.shown.score_forms.get(row.measure, {}).get(row.score, "percent")
        agreement[f"{result.title(row.measure)} {cell(row.agreement, form).text}"] = None
        form = form if row.minus is None else DIFFERENCES[form]
        name = row.system if row.minus is None else f"{row.system} − {row.minus}"
        numbers = ([row.humans, row.humans_low, row.humans_high], row.judge, [row.value, row.low, row.high])
        p = p_value(row.p_adjusted)
        rows.append((name, row.measure, *(cell(number, form) for number in numbers), row.weight, p))
        notes += [f"{name}, {result.title(row.measure)}: {text}" for text in _judge_remarks(row)]
    first, differences = result.judges[0], any(row.minus is not None for row in result.judges)
    lines = [
        f"Humans and the judge labelled {plural(first.human_items, 'item')}; the judge labelled "
        f"{first.judge_items:,} more. Against the human labels, the judge itself scores: {', '.join(agreement)}.",
        "Both together: the humans' score, corrected by the judge's labels of the other items (PPI++), with a 95% "
        "interval. The judge alone is biased, so it has no interval.",
        "This is valid only if the human-labelled items are a random sample of all items and the judge did not see "
        "their labels.",
    ]
    header = ["system", "measure", "humans alone", "judge alone", "both together", "weight"]
    header, forms = [*header, *["p (Holm)"] * differences], "text text percent percent percent coefficient text"
    rows = [row if differences else row[:-1] for row in rows]
    yield make_table("Humans and judge", header, rows, forms, words=2, notes=[*notes, *lines])


def _judge_remarks(row: JudgedScore) -> Iterator[str]:
    """Sentences on a judge that adds nothing, and on an estimate without an interval."""
    if row.no_interval == "few":
        items = f"only {plural(row.differ, 'item')}" if row.differ else "no item"
        yield (
            f"judge and humans differ on {items}, so the combined estimate has no interval. Use the one of the "
            f"humans alone."
        )
    elif row.no_interval:
        yield "the estimate is not between 0 and 1, so it has no interval. Use the one of the humans alone."
    elif not row.weight or row.high - row.low >= row.humans_high - row.humans_low:
        yield "the judge adds nothing here, because its labels do not narrow the interval."


def _plans(result: Result) -> Iterator[Table]:
    """The units that differences need or, with several runs or annotators, the differences that units find."""
    unit, first = result.about.unit, result.plans[0]
    family = round(ALPHA / first.alpha)
    level = f"p (Holm) is at most {ALPHA:g} for {family:,} tests" if family > 1 else f"p is at most {ALPHA:g}"
    notes = [
        f"A difference counts as found if {level}. New {unit}s are assumed to be like those of the pilot "
        f"({plural(first.pilot_units, unit)})."
    ]
    if first.runs is not None or first.annotators is not None:
        over = "runs" if first.annotators is None else "annotators"
        notes.append(f"The range in brackets allows for the uncertain variance over the {over} of the pilot (80% "
        f"interval).")
        if first.annotators is not None:
            notes.append("The plan holds only for this number of annotators, because the human ceiling depends on "
            "it.")
        for (a, b, measure), group in groupby(result.plans, key=lambda row: (row.a, row.b, row.measure)):
            by_units = [list(rows) for _, rows in groupby(group, key=lambda row: row.units)]
            form = result.shown.score_forms.get(measure, {}).get(by_units[0][0].score, "percent")
            rows = [
                [own[0].units, *([row.difference, row.difference_from, row.difference_to] for row in own)]
                for own in by_units
            ]
            columns = [f"{row.runs} runs each" if row.runs else f"{row.annotators} annotators" for row in by_units[0]]
            header = [f"{unit}s", *columns]
            what = f"{a} → {b}: {result.title(measure)}"
            title = f"Smallest difference found with {first.chance:.0%} probability, {what}"
            in_points = ["In points."] * (form == "percent")
            yield make_table(title, header, rows, f"count {form}", name="plans", notes=[*in_points, *notes])
        return
    several, few = len({(row.a, row.b) for row in result.plans}) > 1, any(row.units_from for row in result.plans)
    table: list[list[Any]] = []
    for row in result.plans:
        form = result.shown.score_forms.get(row.measure, {}).get(row.score, "percent")
        size = points(round(row.difference, 4)) if form == "percent" else WRITERS[form](row.difference)
        table.append([*[f"{row.a} → {row.b}"] * several, row.measure, f"{size}{' (observed)' * row.observed}"])
        no_number = f"more than {1000 * row.pilot_units:,}" if row.reason == "beyond" else "not possible"
        number = no_number if row.units is None else Cell(round_number(row.units), data=(str(row.units),))
        limits = "" if row.units_from is None else name_limits(row.units_from, row.units_to)
        table[-1] += [row.pilot_differ, number, *[limits] * few]
    header = [*["pair"] * several, "measure", "true difference", f"{unit}s that differ", f"{unit}s needed"]
    notes.append(f"{unit.capitalize()}s that differ: those of the pilot in which the systems have different scores.")
    if any(row.reason == "impossible" for row in result.plans):
        notes.append(f"Not possible: the difference would be smaller even if all {unit}s that differ favoured one "
        f"system.")
    if few:
        notes.append(
            f"Numbers with a range are based on fewer than 12 differing {unit}s; the range comes from the 95% "
            f"interval of their share."
        )
    if any(row.observed for row in result.plans):
        notes.append("The observed difference is only an estimate. Plan for the smallest difference that matters.")
    title = f"{unit.capitalize()}s needed to find a difference with {first.chance:.0%} probability"
    forms = f"{'text ' * (2 + several)}count count text"
    yield make_table(title, [*header, *["range"] * few], table, forms, name="plans", words=2 + several, notes=notes)


# --- details ---


def _labels(result: Result) -> Iterator[Table]:
    labelled = [row for row in result.scores if row.label is not None and row.slice is None]
    for measure, group in groupby(labelled, key=lambda row: row.measure):
        if measure in _covered_measures(result, "labels"):
            continue
        by_key = {(row.system, str(row.label), row.score): row for row in group}
        systems = list(dict.fromkeys(system for system, _, _ in by_key))
        counts = {
            str(row.label): row.counts
            for row in result.counts
            if row.measure == measure and row.slice is None and row.label is not None
        }
        gold = {label: counts[label].get("gold", 0) for label in counts}
        labels = sorted(gold, key=lambda label: (-gold[label], label))
        names = list(dict.fromkeys(score for _, _, score in by_key))
        word = name_label(result)
        title = f"{result.title(measure)} by {word}"
        if len(systems) == 1 and {"f1", "precision", "recall"} <= set(names):
            rows: list[Any] = []
            for label in labels:
                precision, recall, f1 = (by_key[systems[0], label, name] for name in ("precision", "recall", "f1"))
                assigned = counts[label]["system"]
                rows.append((label, gold[label], assigned, precision.value, recall.value, score_cell(result, f1)))
            header = [word, "gold", "system", "precision", "recall", result.title("f1")]
            median = ["The column system counts the median run."]
            notes = median if "median" in result.shown.remarks else []
            yield make_table(title, header, rows, "text count count percent", short=25, notes=notes)
            continue
        main = result.main_scores[measure]
        # An average over labels has no score of a label.
        for score in [main] if main in names else names:
            rows = []
            for label in labels:
                values = [value_of(by_key.get((system, label, score))) for system in systems]
                form = next((result.form_of(row) for row in by_key.values() if row.score == score), "percent")
                rows.append((label, gold[label], *best_cells(values, form)))
            header, more = [word, "gold", *systems], {"short": 25, "droppable": range(1 + len(systems), 1, -1)}
            yield make_table(f"{title}: {result.title(score)}", header, rows, "text count", **more)


def _confusion(result: Result) -> Iterator[Table]:
    """Gold's labels against those of each system: a matrix if items are matched and labels few, otherwise a list."""
    if result.about.command == "compare":
        return
    whole = [row for row in result.confusion if result.shown.matched or not is_category(row.measure)]
    nothing = name_nothing(result)
    for system, group in groupby(whole, key=lambda row: row.system):
        rows, errors, hits = list(group), Counter[tuple[str, str]](), Counter[str]()
        for row in rows:
            if result.shown.matched and row.type in ("tp", "same"):
                hits[row.gold or nothing] += row.count
            else:
                errors[row.gold or nothing, row.assigned or nothing] += row.count
        labels = sorted({name for row in rows for name in (row.gold, row.assigned) if name is not None})
        if order := {name: place for place, name in enumerate(result.about.order)}:
            labels.sort(key=lambda name: order.get(name, len(order)))
        if (result.shown.matched or nothing != _NOTHING) and len(labels) <= MATRIX:
            sides = [*labels, *[nothing] * (result.shown.matched or any(row.assigned is None for row in rows))]
            meaning = result.shown.remarks.get("confusion")
            if not meaning and nothing != _NOTHING:
                meaning = "The diagonal has no errors."
            note = f"Rows: gold, columns: system{f'. {meaning}' if meaning else ', ∅: nothing there.'}"
            ways = ((f"Errors of {system} by label", 0), (f"Confusion of {system}, hits included", 1))
            for title, hit in ways if result.shown.matched else ways[:1]:
                counted = errors + Counter({(name, name): hit * hits[name] for name in labels})
                body = [
                    [gold, *(counted[gold, name] or "·" for name in sides)] for gold in sides if gold != NOT_ANSWERED
                ]
                more: dict[str, Any] = {"notes": [] if hit else [note], "minor": bool(hit)}
                yield make_table(title, ["gold \\ system", *sides], body, "text count", **more)
            continue
        if result.shown.matched:
            # Ortmann's Figure 2 as a list.
            total = sum(errors.values())
            typed = sorted(
                (-row.count, row.gold or nothing, row.assigned or nothing, kind_title(row.type or ""))
                for row in rows
                if row.type not in ("tp", "same")
            )
            more = {"words": 3, "short": SHORT, "notes": [f"Share: percentage of all {total:,} errors. ∅: nothing "
            f"there."]}
            listed_types = [(*names, -count, -count / total) for count, *names in typed]
            header = ["gold", "system", "type", f"{result.shown.noun}s", "share"]
            title, forms = f"Errors of {system} by label and type", "text text text count percent"
            yield make_table(title, header, listed_types, forms, **more)
            continue
        listed = [(gold, assigned, number) for (gold, assigned), number in errors.items()]
        same = [result.shown.remarks.get("confusion same", "")] * any(gold == name for gold, name, _ in listed)
        none = [result.shown.remarks.get("confusion nothing", "")] * any(_NOTHING in row for row in listed)
        notes = list(filter(None, [" ".join(filter(None, same + none))]))
        header, more = ["gold", "assigned", f"{result.shown.noun}s"], {"words": 2, "short": SHORT, "notes": notes}
        yield make_table(f"Most frequent errors of {system}", header, listed, "text text count", **more)


def _slices(result: Result) -> Iterator[Table]:
    mains = result.main_scores
    sizes = {
        (row.measure, row.slice): row.counts for row in result.counts if row.slice is not None and row.label is None
    }
    tests = {
        (row.measure, str(row.slice)): row
        for row in result.comparisons
        if row.slice is not None and row.is_of_score and row.score == mains.get(row.measure)
    }
    sliced = (row for row in result.scores if row.slice is not None and row.main)
    for (name, measure), group in _group_rows(sliced, lambda row: (row.slice.partition("=")[0], row.measure)).items():
        systems = list(dict.fromkeys(row.system for row in group))
        usual = group[0].score == mains.get(measure)
        scores = {(row.slice, row.system): row for row in group}
        rows: list[list[Any]] = []
        counted_in: set[str] = set()
        for where in dict.fromkeys(row.slice for row in group):
            row_scores = [scores[where, system] for system in systems]
            values, merits = [row.value for row in row_scores], [row.merit for row in row_scores]
            counted = ("items", "gold", "sentences") if usual else ()
            field = next((name for name in counted if name in sizes[measure, where]), "")
            counted_in.add(field)
            rows.append([where.partition("=")[2], sizes[measure, where].get(field, "")])
            if len(systems) <= 2:
                rows[-1] += [score_cell(result, row, is_best(merits, index)) for index, row in enumerate(row_scores)]
            else:
                rows[-1] += best_cells(values, result.form_of(row_scores[0]), merits)
            if len(systems) == 2 and (measure, where) in tests:
                test = tests[measure, where]
                p = cell(test.holm, "holm")
                if math.isnan(test.p_adjusted):
                    p = cell(test.p, "p")
                    p = p if math.isnan(test.p) else replace(p, text=f"{p.text}°")
                rows[-1] += [cell(test.difference, DIFFERENCES[result.form_of(test)]), p]
        header = [name, f"{result.shown.noun}s" if counted_in != {"sentences"} else "sentences", *systems]
        notes = []
        if len(rows[0]) > len(header):
            tested = [row for (of, where), row in tests.items() if of == measure and where.startswith(f"{name}=")]
            corrected = not all(math.isnan(row.p_adjusted) for row in tested)
            header += ["Δ", "p (BH)" if corrected else "p"]
            if not corrected:
                looked = sum(not math.isnan(row.p) for row in tests.values())
                notes.append(
                    f"° p-values of slices are not corrected: of {looked:,} tests, about {looked * 0.05:.1f} fall "
                    f"below 0.05 even without any difference. To correct them: --correct slices"
                )
        title = f"{result.title(measure)}{'' if usual else f' {result.title(group[0].score)}'} by {name}"
        forms, columns = "text count", len(systems)
        if MANY < len(systems) > len(rows):
            # Many systems are rows.
            numbers = ", ".join(f"{value} {number:,}" for value, number, *_ in rows if number != "")
            notes += [f"{header[1]}: {numbers}."] * bool(numbers)
            header, forms, columns = ["system", *(row[0] for row in rows)], "text", len(rows) - 1
            rows = [[system, *(row[2 + at] for row in rows)] for at, system in enumerate(systems)]
        more = {"short": 25, "droppable": range(1 + columns, 1, -1), "notes": notes, "measures": (measure,)}
        yield make_table(title, header, rows, forms, **more)


def _mappings(result: Result) -> Iterator[Table]:
    rows = [(row.file, row.rule, row.words) for row in result.mappings if row.before is None]
    effects = [
        f"{row.file}: {percent(row.before)} without the mapping, {percent(row.after)} with it."
        for row in result.mappings
        if row.before is not None and row.after is not None
    ]
    header = ["file", "rule", f"{result.shown.noun}s changed"]
    yield make_table("Mapping", header, rows, "text text count", words=2, notes=effects)


_PARTS: dict[str, tuple[Callable[[Result], Iterator[Table]], str, bool]] = {
    "scores": (_scores, "systems", True),
    "further scores": (_further_scores, "scores", True),
    "tests": (_tests, "comparisons", True),
    "judges": (_judges, "judges", False),
    "differences": (_differences, "diffs", False),
    "contributions": (_contributions, "contributions", False),
    "outcomes": (_transitions, "transitions", False),
    "changes": (_changes, "diffs", False),
    "label differences": (_label_differences, "diffs", False),
    "bounds": (_bounds, "bounds", False),
    "growth": (_growth, "growth", False),
    "risk": (_risk, "risks", False),
    "unresolved": (_unresolved, "unresolved", False),
    "confidence": (_confidence, "calibrations", False),
    "thresholds": (_thresholds, "thresholds", False),
    "labels": (_labels, "scores", True),
    "confusion": (_confusion, "confusion", False),
    "slices": (_slices, "scores", True),
    "mappings": (_mappings, "mappings", False),
}
"""Tables in reading order, by the name after which a task may put its tables: a function, the rows of the Result that
it shows, and True if they consist of scores, which are means over several runs. Other tables count the items of one
run."""
NAMES = (
    *("scores", "further-scores", "errors", "order", "pairs", "tests", "judges", "plans", "differences"),
    *("contributions", "outcomes", "changes", "label-differences", "weights", "bounds", "growth", "risk"),
    *("unresolved", "confidence", "thresholds", "labels", "confusion", "forms", "annotators", "items", "systems"),
    *("alt-test", "data-sets", "priors", "splits", "regions", "sizes", "slices", "mappings", "further", "examples"),
)
"""Names of tables for `--table`."""
JSON_NAMES = {
    **{"comparisons": "tests", "diffs": "changes differences", "counts": "scores", "transitions": "changes outcomes"},
    **{"error-types": "errors", "calibrations": "confidence", "disagreements": "items", "rankings": "order"},
    **{"alt-tests": "alt-test", "bayes": "pairs order", "ranks": "order", "pairs-over-sets": "data-sets"},
    **{"systems-over-sets": "data-sets", "significance": "tests", "p-values": "tests"},
}
"""What JSON calls the contents of tables."""


# --- the short form, about one screen: the scores, the tests, and the changes ---


BRIEF_ROWS = 5
"""The number of rows of a table of details in the short form."""
FREQUENT = 3
"""The number of changes of each kind in the short form."""
_FIRST = ("annotators", "scores", "order", "pairs", "tests", "systems", "alt-test", "items")
"""Names whose first table is in the short form for annotators, for runs, and for tasks that make all their tables."""


def brief(result: Result) -> list[Table]:
    """The tables of the short form."""
    if result.about.command == "plan":
        return tables(result)
    if result.shown.tables_only or result.about.command in ("agreement", "bayes"):
        shown: list[Table] = []
        first = _FIRST if len(result.annotators) != 2 else _FIRST[1:]
        for table in tables(result, (*first, "slices")):
            # An order that hides something is shown with its relations; there are two kinds of shares.
            whole = table.name in ("order", "pairs", "slices") and not table.minor
            if whole or table.name not in {other.name for other in shown}:
                short = BRIEF_ROWS if table.name == "items" else min(table.short, 2 * BRIEF_ROWS)
                shown.append(replace(table, short=short, lines=()))
        return shown
    details = ["label-differences"] if result.about.command == "compare" else ["confusion"]
    rows = BRIEF_ROWS
    if name_label(result) != "label" and len(result.systems) == 1:
        details, rows = ["labels"], SHORT
    measure = next(iter(result.main_scores), "")
    scores = _list_systems(result) if len(result.systems) > 2 else _list_measures(result)
    judges = tables(result, ("judges",))
    shown = [table for table in (*scores, *judges, *_brief_changes(result)) if table.rows]
    shown += [replace(table, short=rows) for table in tables(result, details) if not table.minor][:2]
    asked = [table for table in tables(result, ("confidence", "forms", "slices", "mappings")) if not table.minor]
    return [*shown, *(table for table in asked if table.name != "slices" or measure in table.measures)]


def _list_systems(result: Result) -> Iterator[Table]:
    """The scores of many systems without groups of further measures and averages over labels; tests of the best."""
    for table in tables(result, ("scores",))[:1]:
        kept = [index for index in range(len(table.header)) if index not in table.droppable]
        header, forms, *rows = (tuple(row[at] for at in kept) for row in (table.header, table.forms, *table.rows))
        words = sum(index < table.words for index in kept)
        notes = tuple(note for note in table.notes if "group" in note or note.startswith((TOO_SHORT, ASSUMED)))
        yield replace(table, header=header, rows=tuple(rows), forms=forms, words=words, notes=notes, droppable=())
    tests = result.main_tests
    tests = [row for row in tests if row.measure == tests[0].measure]
    of_first = [row for row in result.overall if row.main and tests and row.measure == tests[0].measure]
    best = max((row for row in of_first if not math.isnan(row.value)), key=lambda row: row.merit, default=None)
    # The best against each of the others, unless all were tested against another system.
    of_best = [row for row in tests if best and best.system in (row.a, row.b)]
    shown = of_best if len(of_best) == len(result.systems) - 1 else tests
    for table in tables(replace(result, comparisons=tuple(shown)), ("tests",))[:1]:
        unit = " in percentage points" * ("points" in table.forms)
        yield replace(table, notes=(f"Second minus first{unit}.",), lines=())


def _list_measures(result: Result) -> Iterator[Table]:
    """The scores of one or two systems and their difference, a row for each measure."""
    names, tests = result.names, {row.measure: row for row in result.main_tests}
    by_key = {(row.system, row.measure, row.score): row for row in result.overall}
    rows: list[list[Any]] = []
    for measure, main in result.main_scores.items():
        # Rival measures have precision and recall too, because they differ in both.
        parts = ("precision", "recall") if result.shown.rivals and main == "f1" else ()
        for score in (main, *parts):
            scores = [by_key.get((name, measure, score)) for name in names]
            values = [merit_of(row) for row in scores]
            mark = " ↓" * any(row is not None and row.lower for row in scores)
            rows.append([f"{name_measure(result, measure)}{mark}" if score == main else f"  {score}"])
            rows[-1] += [score_cell(result, row, is_best(values, index)) for index, row in enumerate(scores)]
            if tests:
                test = tests.get(measure) if score == main else None
                change = cell(test.figure, DIFFERENCES[result.form_of(test)]) if test else ""
                rows[-1] += [change, cell(test.holm, "holm") if test else ""]
    corrected = any(row.p != row.p_adjusted and not math.isnan(row.p) for row in tests.values())
    header = ["measure", *names, *(["difference", "p (Holm)" if corrected else "p"] if tests else [])]
    units = {result.form_of(row) for row in by_key.values() if row.main}
    notes = [*unit_notes(units), "95% intervals in brackets."]
    notes += ["↓: lower is better."] * any(row.lower for row in by_key.values() if row.main)
    if tests:
        points = ", in points" * ("percent" in units)
        level = f", with the {interval_title([*tests.values()])}" if any(row.level for row in tests.values()) else ""
        notes.append(f"difference: {names[1]} minus {names[0]}{points}{level}.")
    forms = f"{'text ' * (1 + len(names))}points holm"
    yield format_table(make_table("Scores", header, rows, forms, name="scores", notes=notes), result)


def _brief_changes(result: Result) -> Iterator[Table]:
    """Corrections, new errors and changed errors of the best two systems, with the most frequent of each kind."""
    pair = leading_pair(result)
    whole = (row for row in result.diffs if row.slice is None and not is_category(row.on) and row.different)
    for diff in [row for row in whole if {row.a, row.b} == pair][:1]:
        rows = []
        for title, total, paths in group_changes(diff, result.shown.by_outcome, result):
            frequent = ", ".join(f"{path} {row.count:,}" for path, row in paths[:FREQUENT])
            more = " …" * (len(paths) > FREQUENT)
            rows.append([plural(total, title.lower().removesuffix("s")), f"{frequent}{more}"])
        if not diff.is_judged:
            rows = [[f"{diff.improved:,} improved", ""], [f"{diff.worsened:,} worsened", ""]]
        title = f"Changes {diff.a} → {diff.b}: {diff.different:,} of {diff.items:,} {result.shown.noun}s"
        header = [f"{result.shown.noun}s", "most frequent (before → after)"]
        if not any(frequent for _, frequent in rows):
            header, rows = header[:1], [row[:1] for row in rows]
        line = describe_contributions(result, diff.a, diff.b, next(iter(result.main_scores), ""))
        lines = [f"{line}."] * bool(line)
        parts = [
            (change.count, f"{row.on.partition('/')[2]} {change.before} → {change.after} {change.count:,}")
            for row in result.diffs
            if row.slice is None and is_category(row.on) and (row.a, row.b) == (diff.a, diff.b)
            for change in row.changes
        ]
        listed = [text for _, text in sorted(parts, key=lambda part: -part[0])[: 2 * FREQUENT]]
        more = " …" * (len(parts) > len(listed))
        lines += [f"By category (before → after): {', '.join(listed)}{more}"] * bool(parts)
        learnt = [row.verdict for row in result.bounds if row.on == diff.on and row.verdict][:1]
        notes = _describe_courses(result, diff)
        table = make_table(title, header, rows, name="changes", words=2, notes=notes, lines=[*lines, *learnt])
        yield format_table(name_median_runs(table, result), result)
