"""The cells of a table, by the form of their column, and the lines that all renderers write above tables."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from assay.classes import dataclass
from assay.errors import CONTROL
from assay.result import Result, Score, Table, enumeration, is_best
from assay.result.numbers import DASH, WRITERS, interval, p_value, plural, with_interval

TOO_SHORT, ASSUMED = "†", "‡"
"""Marks of intervals: some label has too few items; all items are right, or none."""
MOST_LABELS = 10
"""The largest number of labels with too few items that are named."""
PAIRS = 15
"""The number of pairs of systems or annotators that a terminal shows."""
SHORT = 10
"""The number of rows of a long table that a terminal shows."""
MATRIX = 12
"""The largest number of labels in a matrix of labels."""
_SIMPLE = frozenset((str, int, float))
"""Types of values whose cells are kept."""
_PICTURES = {**CONTROL, **{code: chr(0x2400 + code) for code in range(32)}, 0x7F: "\u2421"}


@dataclass(frozen=True)
class Cell:
    """The text of a cell; the best of a column is bold, the best of a group may be italic."""

    text: str
    bold: bool = False
    italic: bool = False
    data: tuple[str, ...] = ()
    """The parts of the text for programs, if it has several or is not a plain number."""


def make_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[Any]], forms: str = "text", **more: Any
) -> Table:
    """A table of values or cells; lists become tuples."""
    more |= {name: tuple(more[name]) for name in ("notes", "lines", "droppable", "narrow") if name in more}
    return Table(title, tuple(header), tuple(map(tuple, rows)), tuple(forms.split()), **more)


def format_table(table: Table, result: Result) -> Table:
    """The table with cells in place of values, a form for each column, and notes on the marks of its intervals."""
    forms = (*table.forms, *table.forms[-1:] * len(table.header))[: len(table.header)]
    columns = [_format_column(*pair) for pair in zip(zip(*table.rows, strict=True), forms, strict=False)]
    for down, across in {*table.bold, *table.italic}:
        bold, italic = ((down, across) in places for places in (table.bold, table.italic))
        columns[across][down] = replace(columns[across][down], bold=bold, italic=italic)
    # The same cell may occur thousands of times.
    ends = {cell.text[-3:] for column in columns for cell in {id(cell): cell for cell in column}.values()}
    notes, rows = [*table.notes, *mark_notes(result, ends)], tuple(zip(*columns, strict=True))
    narrow = tuple(format_table(part, result) for part in table.narrow)
    return replace(table, forms=forms, rows=rows, notes=tuple(notes), narrow=narrow)


def _format_column(column: Sequence[Any], form: str) -> list[Cell]:
    """The cells of the values of a column. Tables of many pairs repeat the same labels and numbers."""
    kinds = {*map(type, column)}
    if len(kinds) == 1 and kinds <= _SIMPLE and 0 not in (distinct := {*column}):
        known = {value: _known_cell(value, form) for value in distinct}
        return list(map(known.__getitem__, column))
    # As keys, 0 and -0 would be the same, and 1 and 1.0.
    return [
        _known_cell(value, form) if type(value) in _SIMPLE and (value or value == "") else cell(value, form)
        for value in column
    ]


def mark_notes(result: Result, texts: Collection[str]) -> Iterator[str]:
    """Sentences on the marks of intervals at the ends of texts."""
    noun, unit = result.shown.noun, result.about.unit
    if any(text.endswith(f"]{TOO_SHORT})") for text in texts):
        rare = sorted({label for row in result.scores for label in row.too_short})
        named = ", ".join(rare[:MOST_LABELS]) + f" and {len(rare) - MOST_LABELS} more" * (len(rare) > MOST_LABELS)
        few = f"fewer than 10 {noun}s (gold and system together)"
        yield f"{TOO_SHORT} This interval is too narrow, because some labels have {few}: {named}."
    if any(text.endswith(f"]{ASSUMED}") for text in texts):
        yield (
            f"{ASSUMED} All {noun}s are right, or none, so the interval assumes a correlation of .1 between {noun}s "
            f"of the same {unit}."
        )


def interval_kinds(result: Result) -> dict[str, str]:
    """The kinds of intervals of scores in words."""
    noun, unit, times = result.shown.noun, result.about.unit, f"{result.about.times:,}"
    return {
        "score": f"Wilson, with the effective number of {noun}s from the variance over {unit}s",
        "t": f"Student's t, from the variance over {unit}s",
        "runs": f"Student's t, from the variance over {unit}s and over runs",
        "judge": "Student's t, for estimates from the labels of humans and a judge",
        "percentile": f"bootstrap percentiles, {times} resamples of {unit}s",
        "bca": f"bias-corrected bootstrap (BCa), {times} resamples of {unit}s",
        "wilson": "Wilson's score interval for proportions, with items treated as independent; others: bootstrap",
    }


def group_notes(result: Result, letter: str = "letter (group)") -> Iterator[str]:
    """Sentences on the letters of systems."""
    yield (
        f"Systems with a common {letter} do not differ significantly (p > 0.05 after Holm). This does not mean that "
        "they are equally good."
    )
    if untested := sum(row.kind in ("untestable", "unsettled") for row in result.main_tests):
        yield f"{plural(untested, 'pair')} could not be tested, so a letter that only they share means nothing."


def cell(value: Any, form: str, bold: bool = False) -> Cell:
    """A value written in a form, with its parts for programs; a Cell or a text is not changed."""
    data: tuple[str, ...] = ()
    if isinstance(value, Cell):
        return value
    if isinstance(value, str):
        text = value
    elif form == "count":
        text = f"{value:,}"
    elif form == "net":
        text = f"{value:+,}".replace("-", "−") if value else "0"
    elif form == "pair":
        text, data = " → ".join(value), tuple(value)
    elif form == "share" and not value:
        data, text = ("", ""), ""
    elif form == "share":
        number, share = value[0], math.nan if value[1] is None else value[1]
        text = f"{number:,}" if math.isnan(share) else f"{number:,} ({100 * share:.0f})"
        data = (str(number), f"{100 * share:.2f}")
    elif form == "error":
        text = DASH if value is None or math.isnan(value) else f"±{value:.4f}"
    elif form in ("p", "holm"):
        # p (Holm) comes with True if it is significant; files of older versions have p alone.
        number, bold = value if isinstance(value, Sequence) else (value, bold)
        number = math.nan if number is None else number
        text, data = p_value(number), (f"{number:.6g}",)
    else:
        # A mark comes before its number, so that digits are aligned.
        marked = form.startswith("marked")
        mark, value = value if marked else ("", value)
        form = "percent" if form == "marked" else form.removeprefix("marked-")
        several = isinstance(value, Sequence)
        numbers = [math.nan if number is None else number for number in (value if several else [value])]
        in_percent = form in ("percent", "points")
        value, *ends = numbers
        text = f"{mark}{with_interval(value, ends[0], ends[1], WRITERS[form]) if several else WRITERS[form](value)}"
        if several or marked or not in_percent:
            data = tuple(f"{100 * number:.2f}" if in_percent else f"{number:.6f}" for number in numbers)
    return Cell(text, bold=bool(bold), data=data)


_known_cell = lru_cache(1 << 16, typed=True)(cell)
"""The cell of a value that occurs often, made once."""


def best_cells(values: Sequence[float], form: str = "percent", merits: Sequence[float] = ()) -> list[Cell]:
    """Cells of values in a form, the best in bold; by `merits`, if more is not better."""
    return [cell(value, form, is_best(merits or values, index)) for index, value in enumerate(values)]


def merit_of(row: Score | None) -> float:
    """A number that is higher for better scores; nan if there is none."""
    return math.nan if row is None else row.merit


def score_cell(result: Result, row: Score | None, bold: bool = False) -> Cell:
    """A cell with a score and its interval, which is marked if it is too short or rests on an assumption; a score of
    several runs has their number, spread and range too."""
    if row is None:
        return Cell(DASH, bold)
    form = result.form_of(row)
    write = WRITERS[form]
    text = write(row.value)
    if runs := row.runs:
        text += f" ± {write(runs.spread)} ({runs.number} runs, {write(runs.low)}–{write(runs.high)})"
    if not math.isnan(row.low):
        ends = interval(row.low, row.high, write)
        text += f" ({ends}{TOO_SHORT})" if row.too_short else f" {ends}{ASSUMED * row.assumed}"
    return replace(cell([row.value, row.low, row.high], form, bold), text=text)


def unit_notes(forms: Iterable[str]) -> list[str]:
    """A sentence on the unit of values in these forms; nothing if none is in percent."""
    occurring = {*forms}
    others = ["coefficients (.57)"] * ("coefficient" in occurring) + ["plain numbers"] * ("plain" in occurring)
    return [f"Percent{f', except {enumeration(others)}' if others else ''}."] * ("percent" in occurring)


def value_of(row: Score | None) -> float:
    """A score's value; nan if there is no score."""
    return row.value if row else math.nan


# --- texts that renderers have in common ---


def spell_controls(text: str) -> str:
    """Text from data with visible control characters, because a label must not move a cursor or break a line."""
    return text.translate(_PICTURES)


def make_heading(result: Result) -> str:
    """A line that says what was compared."""
    about, shown = result.about, result.shown
    if shown.heading:
        return shown.heading
    if about.command == "bayes":
        measures = {row.measure for row in result.scores}
        return (
            f"many runs: {plural(len(result.systems), 'system')}, {plural(len(measures), 'measure')}, "
            f"{plural(about.items, 'data set')}, {plural(about.units, 'run')} of each system"
        )
    is_named = about.column and not about.joined_by and "matched by" not in shown.remarks
    column = f", column {about.column}" if is_named else ""
    column += f", only {', '.join(about.labels)}" if about.labels else ""
    column += f", without {', '.join(about.ignore_labels)}" if about.ignore_labels else ""
    column += f" ({about.scheme.upper()})" if about.scheme else ""
    texts = count_texts(result)
    names = (source.format.partition("(")[0] for source in (result.gold, *result.systems))
    formats = enumeration(list(dict.fromkeys(names)))
    read = f"read as {formats}, aligned by {about.aligned_by}"
    if (matched := shown.remarks.get("matched by")) is not None:
        read = f"read as {formats}{f', matched by {matched}' if matched else ''}"
    if about.joined_by:
        read = f"joined by {about.joined_by}"
    if result.of_annotators:
        return f"agreement on {about.task}{column}: {texts}, {plural(len(result.systems), 'annotator')}; {read}"
    return f"{about.task}{column}: {count_data(result)}, {plural(len(result.systems), 'system')}; {read}"


def count_texts(result: Result) -> str:
    """The number of texts: `48 sentences`."""
    unit = result.shown.text_unit
    return plural(result.about.units if unit == "document" else result.gold.sentences, unit)


def count_data(result: Result) -> str:
    """The numbers of texts and of gold's items: `48 sentences, 632 words with a gold label`."""
    about, shown, texts = result.about, result.shown, count_texts(result)
    if not about.joined_by:
        return f"{texts}, {plural(about.items, shown.noun)} {'of gold' if shown.matched else 'with a gold label'}"
    labels = {"sets": f", {plural(about.items, 'gold label')}", "numbers": " with a gold number", "scores": ""}
    gone = sum(result.gold.left_out.values())
    return f"{texts}{labels.get(about.kind, ' with a gold label')}{f' ({gone:,} left out)' * bool(gone)}"


_WHOSE = {
    "": "",
    **{name: f"{name} in " for name in ("annotations", "predictions", "curation")},
    "ground-truth": "ground truth in ",
    "last": "newest annotations in ",
}
"""What was read, by whose it is."""


def describe_files(result: Result) -> list[str]:
    """A line for each file with a choice of annotations, gold's first: whose, which layer, and what is left out."""
    is_score = not result.of_annotators
    sources = (result.gold, *result.systems) if is_score else result.systems
    lines: dict[str, list[str]] = {}
    for number, source in enumerate(sources if not result.about.joined_by else ()):
        gone = sum(source.left_out.values())
        if not (source.which or source.shape or source.column or gone):
            continue
        kind, _, name = source.which.rpartition(":")
        whose = _WHOSE.get(source.which, f"{'predictions' if kind == 'model' else 'annotations'} of {name} in ")
        shape = f" ({source.shape})" if source.shape else ""
        parts = [f"{whose}{source.path}{shape}", f"column {source.column}" if source.column else ""]
        if source.documents:
            all_of = plural(source.documents + gone, "document")
            parts.append(f"{source.documents:,} of {all_of}" if gone else all_of)
        line = ", ".join(filter(None, parts))
        if gone:
            reasons = enumeration([f"{count:,} {reason}" for reason, count in source.left_out.items()])
            fact = "left out" if is_score and not number else "missing"
            line += f": {reasons} {'is' if gone == 1 else 'are'} {fact}"
        lines.setdefault(line, []).append(source.name)
    return [f"{enumeration(names)}: {line}" for line, names in lines.items()]


def summarise_line(result: Result) -> str:
    """The Result in a line or two, for a prompt."""
    rows = [row for row in result.overall if row.main][:6]
    named = [f"{row.system} {row.measure} {WRITERS[result.form_of(row)](row.value)}" for row in rows]
    return f"<assay.Result {result.about.command} {result.about.task}/{result.about.column}: {', '.join(named)}>"
