"""Tables and sentences that only Results about spans have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, groupby

from assay.engine.weighting import UNGROUNDED, errors_by_type, weights_table
from assay.formats.answers import BESIDE
from assay.formats.grounding import LEVELS
from assay.formats.shapes import STATUSES
from assay.result import Result, Table, kind_title

_SIDES = ("be-left", "be-right", "be-both", "be-inner")
_COUNTED = ("tp", "fp", UNGROUNDED, "le", "bes", "bel", "beo", "be", *_SIDES, "lbe", "ge", "fn")
"""Columns of Ortmann's Table 2, in her order."""
_LAST = {"precision": 0, "recall": 1, "agreement": 2, "f1": 3}
"""Order of scores in a row."""
_DIFFERENCES = {
    "le": "label",
    "bes": "second smaller",
    "bel": "second larger",
    "beo": "overlap",
    "lbe": "label and boundary",
    "fn": "only first",
    "fp": "only second",
}
"""Types of differences between two annotators without gold."""
_FAIR_CELLS = "Diagonal: boundary errors; row ∅: FP; column ∅: FN; elsewhere: LE and LBE."
_CELLS = {
    "fair": _FAIR_CELLS,
    "weighted": _FAIR_CELLS,
    "exact": (
        "exact does not pair spans with different labels or boundaries, so all errors are FP (row ∅) and FN (column "
        "∅). For label and boundary errors: -m fair"
    ),
    "semeval": (
        "Diagonal: pairs with different boundaries; row ∅: spurious spans; column ∅: missed spans; elsewhere: pairs "
        "with different labels."
    ),
}
"""Explanation of the cells of a confusion matrix, by its measure."""


def add_span_tables(result: Result) -> Result:
    """Result with types of errors, labels by type of error, and systems under other weightings of errors."""
    if result.about.command == "agreement":
        remarks = {"agreement span-kappa": "labels", "agreement span-kappa(on=words)": "words"}
        rows = []
        for (measure, pair), group in groupby(result.error_types, key=lambda row: (row.measure, row.system)):
            number = {row.type: row.count for row in group}
            if "le" in number:
                # Matched both ways and added up: each difference was counted twice.
                rows.append((pair, measure.partition("(")[0], *(round(number[kind] / 2) for kind in _DIFFERENCES)))
        differences = Table(
            "Types of differences",
            ("pair", "measure", *_DIFFERENCES.values()),
            tuple(rows),
            ("text", "text", "count"),
            words=2,
            after="agreement",
            name="errors",
            notes=("Spans, the mean of the matchings with either annotator as the target.",),
        )
        return replace(result, tables=(differences,)).with_shown(remarks=remarks)
    remarks = {"differences": "Two boundary errors count as the same error if they have the same label and type."}
    for on in [row.measure for row in result.confusion][:1]:
        name = on.partition("(")[0]
        paired = f"{on} pairs no spans" if name == "exact" else "same label: wrong boundary"
        remarks["confusion page"] = f"; {paired}; ∅: spurious or missing"
        remarks |= {"confusion": _CELLS[name]} if name in _CELLS else {}
    # Ortmann's Figure 1: what the traditional evaluation calls errors, and what they are.
    meanings = (
        "FP: spurious, FN: missing, LE: wrong label, BE: wrong boundary (s: too small, l: too large, o: overlapping)"
        ", LBE: both. exact counts a wrong label or boundary twice."
    )
    if any(row.type == UNGROUNDED for row in result.error_types):
        meanings += " UG: not in the text, so also spurious."
    errors = errors_by_type(result.error_types, _COUNTED, meanings)
    tables = (*_answers(result), errors, *_labels(result), *_sweeps(result), *_forms(result))
    return replace(result, tables=tables).with_shown(remarks=remarks)


def _answers(result: Result) -> Iterator[Table]:
    """Tables of answers read and mentions found, and of the differences of two systems there."""
    for title, whole, parts, note in (
        (
            "Answers",
            "answers",
            STATUSES,
            "repaired: read despite formal errors. refused, malformed (unreadable) and missing count as empty.",
        ),
        (
            "Mentions of answers",
            "mentions",
            (*LEVELS, *BESIDE),
            "How mentions were found in the text. exact: as written; folded: except for case, dashes, white space "
            "and the like; fuzzy: except for a few letters; ungrounded: not found, counted as spurious (UG); "
            "repeated: given more often than they occur, not counted. outside: with a label outside the inventory; "
            "offsets: given only by offsets.",
        ),
    ):
        rows: list[tuple[object, ...]] = []
        for row in result.answers:
            total, numbers = getattr(row, whole), [getattr(row, part) for part in parts]
            shares = [[number, number / total if total else None] for number in numbers]
            rows.append((row.system, total, *shares))
        yield Table(
            title,
            ("system", whole, *parts),
            tuple(rows),
            ("text", "count", "share"),
            after="scores",
            measures=("answers",),
            notes=(f"Percentages in brackets. {note}",),
        )
    of_answers = [row for row in result.comparisons if row.measure == "answers" and row.slice is None]
    shown = [row for row in result.scores if row.measure == "answers" and row.slice is None]
    values = {(row.system, row.score): row.value for row in shown}
    for a, b in combinations([row.system for row in result.answers], 2):
        rows = []
        for test in of_answers:
            before, after = values.get((a, test.score)), values.get((b, test.score))
            if (test.a, test.b) == (a, b) and (before or after):
                rows.append((test.score, before, after, test.figure, test.holm))
        yield Table(
            f"Answers of {a} and {b}",
            ("share", a, b, "difference", "p (Holm)"),
            tuple(rows),
            ("text", "percent", "percent", "points", "holm"),
            after="tests",
            measures=("answers",),
            pair=(a, b),
            notes=(
                "Percentage of answers and, from the column exact on, of mentions; second minus first in "
                "percentage points.",
            ),
        )


def _forms(result: Result) -> Iterator[Table]:
    """Tables of surface forms of errors."""
    single = [row for row in result.forms if row.other is None]
    yield Table(
        "Surface forms of errors",
        ("system", "error", "form", "label", "number"),
        tuple((row.system, row.type, row.form, row.label, [row.count, row.share]) for row in single),
        ("text", "text", "text", "text", "share"),
        words=4,
        after="confusion",
        name="forms",
        notes=("Folded; brackets contain percent of the system's errors of this type.",),
    )
    for (a, b), group in groupby((row for row in result.forms if row.other), key=lambda row: (row.system, row.other)):
        yield Table(
            f"Surface forms of errors that {b} gains and loses against {a}",
            ("change", "error", "form", "label", "number"),
            tuple((row.change, row.type, row.form, row.label, [row.count, row.share]) for row in group),
            ("text", "text", "text", "text", "share"),
            words=4,
            after="confusion",
            name="forms",
            pair=(a, str(b)),
        )


def _labels(result: Result) -> Iterator[Table]:
    """Ortmann's Table 2, for a single system."""
    labelled = [row for row in result.scores if row.label is not None and row.slice is None]
    for measure, group in groupby(labelled, key=lambda row: row.measure):
        if len({row.system for row in group}) > 1:
            continue
        counts = {row.label: row.counts for row in result.counts if row.measure == measure and row.slice is None}
        whole = [row for row in result.scores if row.measure == measure and row.slice is None]
        scores_of = {(row.label, row.score): row for row in whole}
        names = list(dict.fromkeys(row.score for row in whole if row.label is not None))
        shown = [name for name in names if name.endswith("-f1")] or sorted(names, key=lambda name: _LAST.get(name, 0))
        kinds = [kind for kind in (*_COUNTED, "gold") if kind in counts[None]]
        labels = sorted((name for name in counts if name is not None), key=lambda name: (-counts[name]["gold"], name))
        rows = []
        for label in (*labels, None):
            scores: list[object] = [scores_of[label, score].value for score in shown]
            if shown[-1] in _LAST:
                last = scores_of[label, shown[-1]]
                scores[-1] = [last.value, last.low, last.high]
            rows.append(("overall" if label is None else label, *(counts[label][kind] for kind in kinds), *scores))
        note = (
            "LE and LBE count under the system's label."
            if "focus=system" in measure
            else "LE and LBE count under gold's label. To count them under the wrongly given label: focus=system"
        )
        yield Table(
            f"{measure} by label",
            ("label", *(kind if kind == "gold" else kind_title(kind) for kind in kinds), *shown),
            tuple(rows),
            ("text", *["count"] * len(kinds), "percent"),
            bold=((len(labels), 0),),
            after="labels",
            measures=(measure,),
            short=26,
            notes=(note,) if "le" in kinds else (),
        )


def _sweeps(result: Result) -> Iterator[Table]:
    names = ("fair", "be-half")
    rows = tuple(
        (
            *([row.a, row.b], row.always or "neither", row.a_better, row.b_better, row.low, row.high),
            *(row.named[name] for name in names),
        )
        for row in result.sweeps
    )
    yield Table(
        "Under every weighting of errors",
        ("pair", "always ahead", "first better %", "second better %", "least Δ", "greatest Δ", *names),
        rows,
        ("pair", "text", "percent", "percent", "points"),
        words=2,
        after="outcomes",
        short=15,
        notes=(
            "F1 if each type of error (LE, BEs, BEl, BEo, LBE) counts as anything between nothing and a hit. Always "
            "ahead: under all of these weightings; the percentages are based on a random sample of them.",
        ),
    )
    yield weights_table(result.sweeps, "errors", "outcomes")
