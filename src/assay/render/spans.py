"""Tables about labelled spans: scores, types of errors, labels, confusions, transitions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from assay.render.table import Cell, Table, figure, is_best, table, value_of
from assay.render.text import count, kind_title, noun, percent
from assay.result import ErrorType, Result, Transition

MATRIX = 12
"""So many labels fit into a confusion matrix."""
_NOTHING = "∅"
_SIDES = ("be-left", "be-right", "be-both", "be-inner")
_COUNTED = ("tp", "fp", "le", "bes", "bel", "beo", "be", *_SIDES, "lbe", "ge", "fn")
"""The columns of Ortmann's Table 2, in her order."""
_FURTHER = {"semeval": ("strict", "exact", "partial", "type")}
_KINDS = ("tp", "wl", "le", "bes", "bel", "beo", "lbe", "ge", "fn", "fp", "none")


def scores(result: Result, notes: Sequence[str]) -> Iterator[Table]:
    """Precision, recall and F1 of every measure side by side; averages over labels beside them."""
    overall = {
        (row.system, row.measure, row.score): row for row in result.scores if row.slice is None and row.label is None
    }
    names = [source.name for source in result.systems]
    rows: list[list[Cell | str]] = []
    with_f1 = dict.fromkeys(measure for _, measure, score in overall if score.endswith("f1"))
    for measure in with_f1:
        for prefix, title in _prefixes(measure):
            found = [[overall.get((name, measure, f"{lead}{prefix}f1")) for name in names] for lead in _LEADS]
            for index, name in enumerate(names):
                values = [value_of(row) for row in found[0]]
                precision, recall = (overall.get((name, measure, f"{prefix}{part}")) for part in _PARTS)
                rows.append(
                    [
                        name,
                        title,
                        percent(value_of(precision)),
                        percent(value_of(recall)),
                        figure(found[0][index], is_best(values, index)),
                        *(percent(value_of(row[index])) for row in found[1:]),
                    ]
                )
    macro = "macro and weighted: mean F1 over labels, plain and by gold's number of spans."
    header = ["system", "measure", "precision", "recall", "f1", "macro f1", "weighted f1"]
    yield table("Scores", header, rows, words=2, notes=(*notes, macro), droppable=(6, 5))
    others = [row for row in overall.values() if row.measure not in with_f1]
    further: list[list[Cell | str]] = [[row.system, f"{row.measure} {row.score}", figure(row)] for row in others]
    yield table("Further scores", ["system", "score", "value"], further, words=2)


_LAST = {"precision": 0, "recall": 1, "agreement": 2, "f1": 3}
"""The order of scores in a row."""
_LEADS = ("", "macro-", "weighted-")
_PARTS = ("precision", "recall")


def _prefixes(measure: str) -> list[tuple[str, str]]:
    """What stands before the names of scores, and what the row is called."""
    name = measure.partition("(")[0]
    return [(f"{part}-", f"{measure} {part}") for part in _FURTHER.get(name, ())] or [("", measure)]


def error_types(result: Result) -> Iterator[Table]:
    """Ortmann's Figure 1: what the traditional evaluation calls errors, and what they are."""
    types = [kind for kind in _COUNTED if any(row.type == kind for row in result.error_types)]
    rows: list[list[Cell | str]] = []
    for (measure, system), group in groupby(result.error_types, key=lambda row: (row.measure, row.system)):
        by_type: dict[str, ErrorType] = {row.type: row for row in group}
        total = sum(row.count for row in by_type.values())
        rows.append([system, measure, count(total), *(share_cell(by_type.get(kind)) for kind in types)])
    yield table(
        "Errors by type",
        ["system", "measure", "errors", *map(kind_title, types)],
        rows,
        words=2,
        parts=("", "%"),
        notes=(
            "In brackets percent of the errors. FP: spurious, FN: missing, LE: wrong label, BE: wrong boundary (s: "
            "too small, l: too large, o: overlapping), LBE: both. exact counts a wrong label or boundary twice.",
        ),
    )


def share_cell(row: ErrorType | None) -> Cell:
    """A number of errors with its share of all."""
    if row is None:
        return Cell("", data=("", ""))
    share = "" if math.isnan(row.share) else f" ({100 * row.share:.0f})"
    return Cell(f"{count(row.count)}{share}", data=(str(row.count), f"{100 * row.share:.2f}"))


def labels_of_one(measure: str, result: Result) -> Table:
    """Ortmann's Table 2."""
    counts = {row.label: row.counts for row in result.counts if row.measure == measure and row.slice is None}
    found = {(row.label, row.score): row for row in result.scores if row.measure == measure and row.slice is None}
    known = list(dict.fromkeys(score for label, score in found if label is not None))
    shown = [score for score in known if score.endswith("-f1")] or sorted(known, key=lambda name: _LAST.get(name, 0))
    kinds = [kind for kind in (*_COUNTED, "gold") if kind in counts[None]]
    labels = sorted(
        (label for label in counts if label is not None), key=lambda label: (-counts[label]["gold"], label)
    )
    body: list[list[Cell | str]] = []
    for label in (*labels, None):
        scores = [found[label, score] for score in shown]
        last = figure(scores[-1]) if shown[-1] in _LAST else Cell(percent(scores[-1].value))
        name = Cell("overall", bold=True) if label is None else label
        numbers = [count(counts[label][kind]) for kind in kinds]
        body.append([name, *numbers, *(percent(score.value) for score in scores[:-1]), last])
    header = ["label", *(kind if kind == "gold" else kind_title(kind) for kind in kinds), *shown]
    note = (
        "LE and LBE count under the system's label."
        if "focus=system" in measure
        else "LE and LBE count under gold's label, not under the one wrongly given; for that: focus=system."
    )
    return table(f"{measure} by label", header, body, short=26, notes=(note,) if "le" in kinds else ())


_FAIR_CELLS = " On the diagonal boundary errors, in row ∅ FP, in column ∅ FN; the rest is LE and LBE."
_CELLS = {
    "fair": _FAIR_CELLS,
    "weighted": _FAIR_CELLS,
    "exact": (
        " exact pairs no spans of other labels or boundaries: all errors are FP (row ∅) and FN (column ∅). What lies "
        "where: -m fair"
    ),
    "semeval": (
        " On the diagonal pairs with other boundaries, in row ∅ spurious spans, in column ∅ missed ones; the rest is "
        "pairs with other labels."
    ),
}
"""What the cells of a confusion matrix of spans are, by the measure behind it."""


def confusion(result: Result) -> Iterator[Table]:
    """Gold's labels against the system's, errors only, and with hits."""
    for system, group in groupby(result.confusion, key=lambda row: row.system):
        rows = list(group)
        labels = sorted({name for row in rows for name in (row.gold, row.assigned) if name is not None})
        cells: dict[tuple[str, str], int] = {}
        hits: dict[str, int] = {}
        for row in rows:
            if row.type in ("tp", "same"):
                hits[row.gold or ""] = hits.get(row.gold or "", 0) + row.count
            else:
                key = (row.gold or _NOTHING, row.assigned or _NOTHING)
                cells[key] = cells.get(key, 0) + row.count
        if len(labels) <= MATRIX:
            measure = rows[0].measure.partition("(")[0] if result.drawing == "spans" else ""
            yield from _matrices(system, labels, cells, hits, _CELLS.get(measure, ""))
        else:
            ordered = sorted(cells.items(), key=lambda item: (-item[1], item[0]))
            listed = [[gold, assigned, count(number)] for (gold, assigned), number in ordered]
            title = f"Most frequent errors of {system}"
            yield table(title, ["gold", "assigned", f"{noun(result)}s"], listed, words=2, short=10)


def _matrices(
    system: str, labels: Sequence[str], cells: Mapping[tuple[str, str], int], hits: Mapping[str, int], meaning: str
) -> Iterator[Table]:
    sides = [*labels, _NOTHING]

    def body(with_hits: bool) -> list[list[Cell | str]]:
        rows: list[list[Cell | str]] = []
        for gold in sides:
            numbers = [
                cells.get((gold, name), 0) + (hits.get(gold, 0) if with_hits and gold == name else 0)
                for name in sides
            ]
            rows.append([gold, *(count(number) if number else "·" for number in numbers)])
        return rows

    header = ["gold \\ system", *sides]
    note = f"Rows: gold, columns: system{'.' if meaning else ', ∅: nothing there.'}{meaning}"
    yield table(f"Errors of {system} by label", header, body(False), notes=(note,))
    yield table(f"Confusion of {system}, hits included", header, body(True), minor=True)


def transitions(result: Result, on: str, title: str, leading: set[str]) -> Iterator[Table]:
    """What became of each item under A and under B, by one measure."""
    overall = [row for row in result.transitions if row.slice is None and row.label is None and row.on == on]
    for (a, b), group in groupby(overall, key=lambda row: (row.a, row.b)):
        rows: list[Transition] = list(group)
        number = {(row.before, row.after): row.count for row in rows}
        used = {name for pair in number for name in pair}
        kinds = [*(kind for kind in _KINDS if kind in used), *sorted(used - set(_KINDS))]
        body: list[list[Cell | str]] = [
            [outcome(before), *(_number(number.get((before, after), 0), before == after) for after in kinds)]
            for before in kinds
        ]
        yield table(
            f"{title}: {a} (rows) → {b} (columns)",
            [f"{a} \\ {b}", *map(outcome, kinds)],
            body,
            notes=(
                f"Gold's {noun(result)}s, and those that a system adds; none: it does not add that one. Bold: the "
                "same outcome.",
            ),
            minor={a, b} != leading,
        )


def outcome(kind: str) -> str:
    """What became of an item, as people write it."""
    return "none" if kind == "none" else kind_title(kind)


def _number(number: int, same: bool) -> Cell:
    return Cell(count(number) if number else "·", bold=same and number > 0)
