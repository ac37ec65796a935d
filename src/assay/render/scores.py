"""Tables about each system by itself: scores, labels, errors, slices; and what a mapping changed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from assay.render import chains, spans
from assay.render.comparisons import SHORT
from assay.render.table import Cell, Table, apart, figure, is_best, p_cell, table, value_of
from assay.render.text import DASH, count, is_matched, noun, percent, signed
from assay.result import Comparison, Result, Score


def _scores(result: Result) -> Iterator[Table]:
    """The main score of each measure side by side; further scores, where they say something else, beneath."""
    if result.drawing == "spans":
        yield from spans.scores(result, _score_notes(result))
        yield from spans.error_types(result)
        return
    overall = [row for row in result.scores if row.slice is None and row.label is None]
    found = {(row.system, row.measure, row.score): row for row in overall}
    names = [source.name for source in result.systems]
    mains = result.main_scores
    rows = []
    for index, name in enumerate(names):
        cells: list[Cell | str] = [name]
        for key in mains.items():
            values = [value_of(found.get((other, *key))) for other in names]
            cells.append(figure(found.get((name, *key)), is_best(values, index)))
        rows.append(cells)
    header, which = _named_columns(overall, mains)
    yield table("Scores", ["system", *header], rows, notes=(*_score_notes(result), *which))
    graded = [measure for measure in mains if any((name, measure, "weak") in found for name in names)]
    yield from _sets_of_tags(found, names, graded)
    further: list[list[Cell | str]] = [
        [row.system, f"{row.measure} {row.score}", _number(row) if row.score in _NUMBERS else figure(row)]
        for row in overall
        # With equal tokenisation scores of words are one number; those of constituents say different things.
        if row.measure not in graded
        and (
            (result.drawing == "trees" and not row.main)
            or apart(row.value, found[row.system, row.measure, mains[row.measure]].value)
        )
    ]
    macro = any(score.startswith("macro") for _, _, score in found)
    notes = ("Intervals of macro averages lean upwards: a resample without some rare label leaves it out.",)
    yield table(
        "Further scores", ["system", "score", "value"], further, words=2, short=25, notes=notes if macro else ()
    )
    if result.drawing == "chains":
        yield from chains.chain_errors(result)


def _named_columns(overall: Sequence[Score], mains: Mapping[str, str]) -> tuple[list[str], tuple[str, ...]]:
    """What columns of main scores are called, and what is to be said of them: which of its scores a measure shows.

    Columns that show different scores name them; a measure with one score needs no word.
    """
    several = {row.measure for row in overall if not row.main}
    shown = {score for measure, score in mains.items() if measure in several}
    if len(shown) < 2:
        # The score kappa of the measure kappa is what its name says.
        said = shown - {measure.partition("(")[0] for measure in several}
        return list(mains), tuple(f"Where a measure has several scores, {score} is shown." for score in said)
    named = {measure: f"{measure} {score}" for measure, score in mains.items() if measure in several}
    return [
        measure if score == measure.partition("(")[0] else named.get(measure, measure)
        for measure, score in mains.items()
    ], ()


_SET_SCORES = ("strong", "weak", "precision", "recall", "f1")


def _sets_of_tags(
    found: Mapping[tuple[str, str, str], Score], names: Sequence[str], measures: Sequence[str]
) -> Iterator[Table]:
    """Tables 2 to 5 of Acedański & Przepiórkowski 2010 as one, where a word may have several tags."""
    rows: list[list[Cell | str]] = []
    differs = False
    for measure in measures:
        columns = [[value_of(found.get((name, measure, score))) for name in names] for score in _SET_SCORES]
        for index, name in enumerate(names):
            values = [column[index] for column in columns]
            differs |= any(apart(value, values[0]) for value in values)
            cells = (Cell(percent(column[index]), is_best(column, index)) for column in columns)
            rows.append([name, measure, *cells])
    if differs:
        yield table(
            "Sets of tags",
            ["system", "measure", *_SET_SCORES],
            rows,
            words=2,
            notes=(
                "strong, weak: strong and weak correctness, the least and the best score of a word's tags; "
                "precision, recall and f1 are over tags.",
            ),
        )


_NUMBERS = {"crossing"}
"""Scores that are numbers per sentence, not shares."""


def _number(row: Score) -> Cell:
    """A score that is no share, with its interval."""
    texts = [DASH if math.isnan(value) else f"{value:.2f}" for value in (row.value, row.low, row.high)]
    text = texts[0] if math.isnan(row.low) else f"{texts[0]} [{texts[1]}, {texts[2]}]"
    return Cell(text, data=tuple(f"{value:.2f}" for value in (row.value, row.low, row.high)))


def _score_notes(result: Result) -> tuple[str, ...]:
    kind = {
        "percentile": f"bootstrap percentiles, {result.times:,} resamples of {result.unit}s",
        "bca": f"bias-corrected bootstrap (BCa), {result.times:,} resamples of {result.unit}s",
        "wilson": "Wilson's score interval of proportions, items taken as independent; others: bootstrap",
    }[result.interval]
    notes = [f"Percent, in brackets the 95% interval ({kind})."]
    if result.aligned_by == "characters" and result.drawing == "tags":
        notes.append(
            "Tokenisation differs: f1 is over all words of gold and system, `aligned` over those that correspond."
        )
    return tuple(notes)


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
        if len(systems) == 1 and result.drawing == "spans":
            yield spans.labels_of_one(measure, result)
        elif len(systems) == 1 and {"f1", "precision", "recall"} <= {score for _, _, score in found}:
            yield _one_system_labels(measure, labels, gold, found, result)
        else:
            names = list(dict.fromkeys(score for _, _, score in found))
            main = result.main_scores[measure]
            # An average over labels is no score of a label.
            for score in [main] if main in names else names:
                yield _several_systems_labels(measure, score, systems, labels, gold, found)


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
                figure(f1),
            ]
        )
    return table(f"{measure} by label", ["label", "gold", "system", "precision", "recall", "f1"], body, short=25)


def _several_systems_labels(
    measure: str,
    score: str,
    systems: list[str],
    labels: Sequence[str | None],
    gold: Mapping[str | None, int],
    found: _ByLabel,
) -> Table:
    body: list[list[Cell | str]] = []
    for label in labels:
        values = [value_of(found.get((system, label, score))) for system in systems]
        cells = [Cell(percent(value), is_best(values, index)) for index, value in enumerate(values)]
        body.append([str(label), count(gold[label]), *cells])
    return table(
        f"{measure} by label: {score}",
        ["label", "gold", *systems],
        body,
        short=25,
        droppable=tuple(range(1 + len(systems), 1, -1)),
    )


def _confusion(result: Result) -> Iterator[Table]:
    if result.command == "compare":
        return
    if is_matched(result):
        yield from spans.confusion(result)
        return
    whole = [row for row in result.confusion if "/" not in row.measure]
    for system, group in groupby(whole, key=lambda row: row.system):
        rows = [[row.gold or "∅", row.assigned or "∅", count(row.count)] for row in group]
        header = ["gold", "assigned", f"{noun(result)}s"]
        title = f"Most frequent errors of {system}"
        yield table(title, header, rows, words=2, short=SHORT, notes=_confusion_notes(result, rows))


def _confusion_notes(result: Result, rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    if result.drawing != "arcs":
        return ()
    alike = any(gold == assigned for gold, assigned, _ in rows)
    lone = any("∅" in row for row in rows)
    notes = ["The same on both sides: the head is wrong."] * alike + ["∅: the other side has no such word."] * lone
    return (" ".join(notes),) if notes else ()


def _slices(result: Result) -> Iterator[Table]:
    sliced = [row for row in result.scores if row.slice is not None and row.main]
    mains = result.main_scores
    sizes: dict[tuple[str, str | None], Mapping[str, int]] = {
        (row.measure, row.slice): row.counts for row in result.counts if row.slice is not None and row.label is None
    }
    tests: dict[tuple[str, str | None], Comparison] = {
        (row.measure, row.slice): row
        for row in result.comparisons
        if row.slice is not None and row.test == "shuffling" and row.score == mains.get(row.measure)
    }
    keys = dict.fromkeys((str(row.slice).partition("=")[0], row.measure) for row in sliced)
    for name, measure in keys:
        rows = [row for row in sliced if row.measure == measure and str(row.slice).partition("=")[0] == name]
        items = "sentences" if measure.startswith("sentence") else f"{noun(result)}s"
        yield _slice_table(name, measure, rows, sizes, tests, items)


def _slice_table(
    name: str,
    measure: str,
    rows: Sequence[Score],
    sizes: Mapping[tuple[str, str | None], Mapping[str, int]],
    tests: Mapping[tuple[str, str | None], Comparison],
    items: str,
) -> Table:
    systems = list(dict.fromkeys(row.system for row in rows))
    values = {(row.slice, row.system): row for row in rows}
    body: list[list[Cell | str]] = []
    for where in dict.fromkeys(str(row.slice) for row in rows):
        figures = [values[where, system] for system in systems]
        counts = sizes[measure, where]
        cells: list[Cell | str] = [
            where.partition("=")[2],
            _size(counts),
        ]
        values_here = [row.value for row in figures]
        for index, row in enumerate(figures):
            best = is_best(values_here, index)
            cells.append(figure(row, best) if len(systems) <= 2 else Cell(percent(row.value), best))
        if len(systems) == 2 and (measure, where) in tests:
            test = tests[measure, where]
            cells.extend([signed(test.difference), p_cell(test.p_adjusted, test.p_adjusted < 0.05)])
        body.append(cells)
    header = [name, items, *systems]
    if body and len(body[0]) > len(header):
        header += ["Δ", "p (Holm)"]
    return table(f"{measure} by {name}", header, body, short=25, droppable=tuple(range(1 + len(systems), 1, -1)))


def _size(counts: Mapping[str, int]) -> str:
    """How many items stand behind a figure, where that is counted."""
    return next((count(counts[name]) for name in ("gold", "items", "sentences") if name in counts), "")


def _mappings(result: Result) -> Iterator[Table]:
    rows = [[row.file, row.rule, count(row.words)] for row in result.mappings if row.before is None]
    effects = tuple(
        f"{row.file}: {percent(row.before)} without the mapping, {percent(row.after)} with it."
        for row in result.mappings
        if row.before is not None and row.after is not None
    )
    yield table("Mapping", ["file", "rule", f"{noun(result)}s changed"], rows, words=2, notes=effects)


OVERALL = (_scores,)
DETAILS = (_labels, _confusion, _slices, _mappings)
