"""Figures of systems on one data set or several: scores, differences, labels, confusions, error types, slices."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.render.annotators import PAIRS_MEAN
from assay.render.pictures.sheet import (
    BAND,
    COLUMN,
    FAINT,
    FILLS,
    INK,
    PAGE,
    SERIES,
    SOFT,
    Look,
    add_caption,
    add_panel,
    fit_names,
    format_share,
    make_sheet,
    shorten_name,
    text_width,
    with_look,
)
from assay.result import (
    Bound,
    Comparison,
    Contribution,
    Diff,
    ErrorType,
    Result,
    Score,
    Table,
    is_best,
    is_category,
    kind_title,
)
from assay.result.chance import interval_title
from assay.result.numbers import WRITERS, percent, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS, _LINE, _BELOW = 4, 0.155, 0.5
PAIRS = 15
"""The largest number of pairs of systems that are drawn; if there are more, those with the best system are."""


# --- a row for each system or pair, a panel for each measure ---


class Interval(NamedTuple):
    """A score or difference with its interval, and the text next to it."""

    value: float
    low: float
    high: float
    text: str
    bold: bool = False
    runs: tuple[float, ...] = ()


ByMeasure = Mapping[str, Mapping[str, Score]]
"""Scores by measure and system."""


_UNITS = {"percent": (100, " (%)"), "points": (100, " (points)")}
"""Factor of the values of a form on an axis, and the end of its title; other forms have the factor 1."""


def _format_ticks(axis: Any, form: str) -> None:
    """Write coefficients on an axis without the zero before the point."""
    if form.startswith("coefficient"):
        axis.set_major_formatter(lambda value, _: f"{value:.3g}".replace("-", "−").replace("0.", "."))


def group_scores(result: Result) -> list[tuple[str, ByMeasure]]:
    """The main scores by form, grouped by measures that have the same systems and form; the largest groups first."""
    by_measure: dict[str, dict[str, Score]] = {}
    for row in result.overall:
        if row.main and not is_category(row.measure):
            by_measure.setdefault(row.measure, {})[row.system] = row
    groups: dict[tuple[str, frozenset[str]], dict[str, dict[str, Score]]] = {}
    for measure, rows in by_measure.items():
        form = result.form_of(next(iter(rows.values())))
        groups.setdefault((form, frozenset(rows)), {})[measure] = rows
    of_forms = [(form, group) for (form, _), group in groups.items()]
    return sorted(of_forms, key=lambda pair: -len(next(iter(pair[1].values()))))


@with_look
def draw_scores(by_measure: ByMeasure, form: str = "percent", remark: str = "") -> Figure:
    """Scores of systems, from the best to the worst by the first measure; for a single system, its measures."""
    shown = {
        measure: {
            name: Interval(
                *(row.value, row.low, row.high, f"{WRITERS[form](row.value)} {row.group}".strip()),
                runs=row.runs.values if row.runs else (),
            )
            for name, row in rows.items()
        }
        for measure, rows in by_measure.items()
    }
    first = next(iter(by_measure.values()))
    # The mean over pairs of annotators is not a pair: it is drawn apart, below.
    apart = PAIRS_MEAN in first and len(first) > 1
    ranked = sorted(first, key=lambda name: (name == PAIRS_MEAN, math.isnan(first[name].value), -first[name].value))
    if len(first) == 1:
        (system,) = first
        ranked, shown = list(shown), {system: {measure: rows[system] for measure, rows in shown.items()}}
    grouped = any(row.group for rows in by_measure.values() for row in rows.values())
    letters = "; systems with a common letter do not differ significantly (p > 0.05 after Holm)" * grouped
    runs = "; small dots are single runs" * any(row.runs for rows in shown.values() for row in rows.values())
    unit = ", in percent" * (form == "percent")
    known = any(not math.isnan(row.low) for rows in by_measure.values() for row in rows.values())
    caption = f"Scores{' with their 95% intervals' * known}{unit}{letters}{runs}.{remark}"
    return _draw_rows(ranked, shown, caption, form, apart=apart)


def choose_tests(result: Result) -> list[Comparison]:
    """The tests of main scores over all data, for the pairs that are drawn."""
    mains = result.main_scores
    rows = [
        row
        for row in result.comparisons
        if (row.is_of_score or row.test == "ceiling") and row.slice is None and row.score == mains.get(row.measure)
        if not is_category(row.measure) and not math.isnan(row.difference)
    ]
    shown = choose_pairs(result, [(row.a, row.b) for row in rows])
    return [row for row in rows if (row.a, row.b) in shown]


def choose_pairs(result: Result, pairs: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """All pairs or, if there are more than 15, those with the system that has the best score."""
    distinct = set(pairs)
    if len(distinct) <= PAIRS:
        return distinct
    first = next(iter(group_scores(result)[0][1].values()))
    best = max(first, key=lambda name: -math.inf if math.isnan(first[name].merit) else first[name].merit)
    return {pair for pair in distinct if best in pair}


@with_look
def draw_differences(tests: Sequence[Comparison], form: str = "points", remark: str = "") -> Figure:
    """Differences of pairs of systems, the second system's score minus the first's, with p."""
    shown: dict[str, dict[str, Interval]] = {}
    for row in tests:
        p = "<.001" if row.p_adjusted < 0.001 else format_share(row.p_adjusted)
        text = f"{WRITERS[form](row.difference)}  {p}"
        pair = f"{row.a} → {row.b}"
        shown.setdefault(row.measure, {})[pair] = Interval(*row.figure, text, row.is_significant)
    rows = list(dict.fromkeys(name for intervals in shown.values() for name in intervals))
    if len(rows) == 1:
        pair = rows[0]
        rows, shown = list(shown), {pair: {measure: intervals[pair] for measure, intervals in shown.items()}}
    corrected = " after Holm correction" * any(row.family and row.family.size > 1 for row in tests)
    caption = (
        f"Differences (second system minus first{', in points' * (form == 'points')}) with the "
        f"{interval_title(tests)}, and p{corrected}, in bold if at most 0.05.{remark}"
    )
    return _draw_rows(rows, shown, caption, form, zero=True)


def _draw_rows(
    rows: Sequence[str],
    panels: Mapping[str, Mapping[str, Interval]],
    caption: str,
    form: str,
    zero: bool = False,
    apart: bool = False,
) -> Figure:
    """Intervals in rows, each with a text next to it, in a panel per measure; the last row may be set apart."""
    from matplotlib.ticker import MaxNLocator

    narrow = len(panels) == 1 and all(text_width(shorten_name(name, 60), 8) < 0.45 * COLUMN for name in rows)
    whole = COLUMN if narrow else PAGE
    names = fit_names(rows, 0.45 * COLUMN if narrow else 0.3 * PAGE, 8)
    left = max(text_width(name, 8) for name in names) + 0.06
    texts = [text_width(interval.text, 7, "bold") for of in panels.values() for interval in of.values()]
    titles = fit_names(list(panels), whole - left - 0.6, 8)
    scale, unit = _UNITS.get(form, (1, ""))
    # The largest number of panels side by side that leaves room for their titles and a plot.
    across = min(len(panels), _PANELS)
    right = max(texts) + 0.1
    least = max(right + 0.7, *(text_width(f"{title}{unit}", 8) + 0.1 for title in titles))
    while across > 1 and (whole - left) / across < least:
        across -= 1
    room = (whole - left) / across
    height = _LINE * len(rows) + 0.06
    figure = make_sheet(whole)
    for number, (title, of) in enumerate(zip(titles, panels.values(), strict=True)):
        down, column = divmod(number, across)
        axes = add_panel(figure, left + column * room, -down * (height + _BELOW), room - right, height)
        axes.set(ylim=(len(rows) - 0.5, -0.5))
        axes.set_yticks(range(len(rows)), names if column == 0 else [""] * len(rows), size=8, color=INK)
        axes.tick_params(axis="y", length=0, pad=2)
        axes.grid(axis="x", lw=0.6)
        axes.set_xlabel(f"{title}{unit}", x=0, ha="left")
        if zero:
            axes.axvline(0, color=INK, lw=0.8)
        if apart:
            axes.axhline(len(rows) - 1.5, color=SOFT, lw=0.6)
        defined = {
            place: of[name] for place, name in enumerate(rows) if name in of and not math.isnan(of[name].value)
        }
        values, low, high = ([scale * interval[at] for interval in defined.values()] for at in range(3))
        axes.hlines(list(defined), low, high, color=FILLS["b"], lw=1.2)
        axes.plot(values, list(defined), "o", color=FILLS["b"], ms=3.5)
        for place, interval in defined.items():
            axes.plot(
                [scale * value for value in interval.runs], [place - 0.28] * len(interval.runs), ".", color=SOFT, ms=2
            )
            weight = "bold" if interval.bold else "normal"
            beside: Look = {"transform": axes.get_yaxis_transform(), "va": "center", "size": 7, "weight": weight}
            axes.text(1 + 0.05 / (room - right), place, interval.text, **beside)
        axes.margins(x=0.06)
        axes.xaxis.set_major_locator(MaxNLocator(max(2, round((room - right) / 0.5)), steps=[1, 2, 5, 10]))
        _format_ticks(axes.xaxis, form)
    return add_caption(figure, caption)


# --- a point for each part of the data, a line for each system ---


_CURVES, _TALL, _DODGED = 8, 1.5, 4


def group_slices(result: Result) -> dict[str, list[Score]]:
    """The main scores of each slice with several values."""
    by_slice: dict[str, list[Score]] = {}
    for row in result.scores:
        if row.slice is not None and row.main and row.label is None and not is_category(row.measure):
            by_slice.setdefault(row.slice.partition("=")[0], []).append(row)
    return {name: rows for name, rows in by_slice.items() if len({row.slice for row in rows}) > 1}


@with_look
def draw_slices(result: Result, name: str) -> Figure:
    """Scores by the values of a slice; values that are numbers are joined by a line for each system."""
    rows, cut_by = group_slices(result)[name], shorten_name(name)
    measures = list(dict.fromkeys(row.measure for row in rows))
    systems = list(dict.fromkeys(row.system for row in rows))
    values = {row.system: row.value for row in result.overall if row.main and row.measure == measures[0]}
    ranked = sorted(systems, key=lambda system: -values.get(system, -math.inf))
    drawn_first = set(ranked[:_CURVES])
    sizes = {(row.measure, row.slice): row.counts for row in result.counts if row.label is None}
    whole, across = (COLUMN, 1) if len(measures) == 1 else (PAGE, 2)
    left, room = 0.45, whole / across
    width = room - left - 0.1
    figure = make_sheet(whole)
    deep = 0.0
    for number, measure in enumerate(measures):
        of_measure = [row for row in rows if row.measure == measure]
        parts = list(dict.fromkeys(str(row.slice) for row in of_measure))
        down, column = divmod(number, across)
        texts = [shorten_name(part.partition("=")[2], 60) for part in parts]
        fields = next(iter(sizes.get((measure, part), {}) for part in parts))
        field = next((name for name in ("items", "gold", "sentences") if name in fields), "")
        numbers = [f"{sizes[measure, part][field]:,}" if field else "" for part in parts]
        upright = all(text_width(text, 7) < width / len(parts) - 0.04 for text in [*texts, *numbers])
        cut = texts if upright else fit_names(texts, 0.8, 7)
        deep = max(deep, 0.6 if upright else 0.45 + 0.75 * max(text_width(f"{text} (9,999)", 7) for text in cut))
        axes = add_panel(figure, column * room + left, -down * (_TALL + deep), width, _TALL)
        both = zip(cut, numbers, strict=True)
        joined = [f"{text}\n{size}" if upright else f"{text} ({size})" for text, size in both]
        turned: Look = {} if upright else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        axes.set_xticks(range(len(parts)), joined if field else cut, size=7, **turned)
        axes.tick_params(axis="both", length=2, pad=2, labelsize=7)
        noun = "sentence" if field == "sentences" else result.shown.noun
        axes.set(xlim=(-0.5, len(parts) - 0.5), xlabel=f"{cut_by}, number of {noun}s" if field else cut_by)
        form = result.form_of(of_measure[0])
        scale, unit = _UNITS.get(form, (1, ""))
        axes.set_ylabel(f"{fit_names([measure], _TALL, 8)[0]}{unit}")
        _format_ticks(axes.yaxis, form)
        axes.grid(axis="y", lw=0.6)
        ordered = all(re.match(r"(over |[<>≤≥]\s*)?\d", text) for text in texts)
        by_key = {(row.system, str(row.slice)): row for row in of_measure}
        for index, system in enumerate(ranked):
            points = [by_key.get((system, part)) for part in parts]
            few = len(systems) <= _DODGED
            shift = 0.5 / len(systems) * (index - (len(systems) - 1) / 2) if few else 0.0
            x = [place + shift for place in range(len(parts))]
            y = [scale * row.value if row else math.nan for row in points]
            if system in drawn_first:
                colour, dashes, mark = SERIES[index]
                look: Look = {"color": colour, "marker": mark, "label": shorten_name(system, 24), "zorder": 3}
            else:
                others = f"{plural(len(systems) - _CURVES, 'other')}"
                colour, dashes = FAINT, "-"
                look = {"color": FAINT, "marker": ".", "label": others, "zorder": 1}
            axes.plot(x, y, ls=dashes if ordered else "", ms=3.5, lw=1.2, **look)
            for at, row in zip(x, points, strict=True) if few else ():
                if row and not math.isnan(row.low):
                    axes.plot([at] * 2, [scale * row.low, scale * row.high], color=colour, lw=0.8, zorder=2)
    many = len(systems) > _DODGED
    bars = "" if many else " with their 95% intervals"
    cut_off = f"; the best {_CURVES} of {len(systems)} systems in colour" if len(systems) > _CURVES else ""
    return add_caption(figure, f"Scores by {cut_by}{bars}, with the size of each part{cut_off}.")


# --- labels: the scores of two systems on each, and confusions of labels ---


LABELS = 60
"""The largest number of labels that have room on a page."""
_HITS = ("tp", "same")
_NARROW = 15
_CORNERS = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


# --- two systems, label by label ---


@with_look
def draw_contributions(groups: Sequence[tuple[str, Contribution]], whole: str, form: str, remark: str = "") -> Figure:
    """What a difference is made of: a bar for each kind of change, each beginning where the last one ends, then for
    labels. `groups` has the name of each group, `whole` the difference in words, `form` the form of the score."""
    shown = [(name, row) for name, row in groups if row.by in ("kind", "label")][:LABELS]
    scale, unit = _UNITS.get(form, (1, ""))
    names = fit_names([name for name, _ in shown], 1.3, 7)
    left = max(text_width(name, 7) for name in names) + 0.1
    figure = make_sheet(COLUMN)
    axes = add_panel(figure, left, 0, COLUMN - left - 0.1, 0.16 * len(shown) + 0.1)
    # A gap divides kinds of changes from labels.
    places = [place + 0.6 * (row.by == "label") for place, (_, row) in enumerate(shown)]
    for by in ("kind", "label"):
        begin = 0.0
        for place, (_, row) in zip(places, shown, strict=True):
            if row.by == by:
                width = scale * row.value
                axes.plot([begin] * 2, [place - 0.65, place - 0.35], color=INK, lw=0.6 * bool(begin))
                axes.barh(place, width, 0.7, left=begin, color=FILLS["b" if width > 0 else "a"], ec=INK, lw=0.3)
                begin += width
    axes.axvline(0, color=INK, lw=0.8)
    axes.set(ylim=(places[-1] + 0.7, -0.6), xlabel=f"contribution{unit and ' (points)'}")
    axes.set_yticks(places, names, size=7)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=7, length=2, pad=2)
    axes.grid(axis="x", lw=0.6)
    row = shown[0][1]
    return add_caption(
        figure,
        f"{shorten_name(row.a)} → {shorten_name(row.b)}: how the difference {whole} is made up, first by kind of "
        f"change, then by label. Each bar begins where the one above ends.{remark}",
    )


@with_look
def draw_label_differences(diff: Diff, adds: Mapping[str, float], noun: str, remark: str = "") -> Figure:
    """The percentage right of both systems by gold's label, and what each label adds to the difference, if known.

    `remark` is added to the caption.
    """
    differing = [row for row in diff.labels if row.difference or adds.get(row.label)]
    rows = differing[:LABELS]
    names, numbers = fit_names([row.label for row in rows], 0.8, 7), [f"{row.items:,}" for row in rows]
    many = max(text_width(number, 7) for number in numbers)
    left = max(text_width(name, 7) for name in names) + many + 0.16
    height, room = (0.15 if len(rows) <= 20 else 0.125) * len(rows) + 0.06, COLUMN - left - 0.24
    figure = make_sheet(COLUMN)
    wide = 0.62 * room if adds else room + 0.18
    right = add_panel(figure, left, 0, wide, height)
    added = [add_panel(figure, left + wide + 0.18, 0, room - wide, height)] if adds else []
    for axes in (right, *added):
        axes.set(ylim=(len(rows) - 0.5, -0.5))
        axes.set_yticks(range(len(rows)), [""] * len(rows))
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labelsize=7, length=2, pad=2)
        axes.grid(axis="x", lw=0.6)
        axes.margins(x=0.08)
    _name_rows(right, left, wide, names, numbers)
    places, better = range(len(rows)), [FILLS["b" if row.difference > 0 else "a"] for row in rows]
    a, b = ([100 * getattr(row, name) for row in rows] for name in ("a", "b"))
    right.hlines(places, a, b, colors=better, lw=1.4, zorder=1)
    right.plot(a, places, "o", color=FILLS["a"], mec=INK, mew=0.4, ms=4, label=shorten_name(diff.a, 24))
    right.plot(b, places, "D", color=FILLS["b"], mec=INK, mew=0.4, ms=3.6, label=shorten_name(diff.b, 24))
    right.set_xlabel("right (%)")
    for axes in added:
        values = [100 * adds.get(row.label, 0.0) for row in rows]
        colours = [FILLS["b" if value > 0 else "a"] for value in values]
        axes.barh(places, values, 0.7, color=colours, ec=INK, lw=0.3)
        axes.axvline(0, color=INK, lw=0.8)
        axes.set_xlabel("adds (points)")
    cut = f", the first {len(rows)} of {len(differing)}" if len(rows) < len(differing) else ""
    nothing = f" (∅: {noun}s that gold does not have)" if any(row.label == "∅" for row in rows) else ""
    also = " and how much each label adds to the overall difference" * bool(added)
    return add_caption(
        figure,
        f"{shorten_name(diff.a)} → {shorten_name(diff.b)}: labels on which they differ{cut}{nothing}, with the "
        f"number of {noun}s, the percentage of them that each system has right{also}.{remark}",
    )


# --- many systems, label by label or by data set ---

Cells = Mapping[tuple[int, int], tuple[float, str, bool]]
"""By column and row: a value, its text, and True if it is the best of its row."""


@with_look
def draw_combination(bound: Bound, noun: str, remark: str = "") -> Figure:
    """The best single system, the vote, the learnt choice and the upper bound."""
    values = {bound.single_system: bound.single, "vote": bound.vote, "learnt": bound.learnt, "bound": bound.bound}
    defined = ((name, value) for name, value in values.items() if value is not None)
    shown = {name: Interval(value, value, value, percent(value)) for name, value in defined}
    spread = ""
    if bound.learnt is not None and bound.single is not None and bound.learnt_low is not None:
        ends = (bound.single + bound.learnt_low, bound.single + (bound.learnt_high or 0))
        shown["learnt"] = Interval(bound.learnt, *ends, percent(bound.learnt))
        spread = " learnt: with the 95% interval of its difference from the best system."
    score = "F1" if bound.combined == "f1" else f"{noun}s right"
    caption = (
        f"The best system, the vote of all systems, the combination learnt on the other folds, and the upper "
        f"bound.{spread}{remark}"
    )
    return _draw_rows(list(shown), {score: shown}, caption, "percent")


@with_look
def draw_label_scores(bounds: Sequence[Bound], noun: str, remark: str = "") -> Figure:
    """The percentage right of each system by gold's label, the best system first; the best of a row is bold."""
    overall = next(row for row in bounds if row.label is None)
    labelled = [row for row in bounds if row.label is not None]
    rows, systems = [overall, *labelled[:LABELS]], sorted(overall.systems, key=lambda name: -overall.systems[name])
    names = ["all", *fit_names([str(row.label) for row in rows[1:]], 0.8, 7)]
    shares = [[row.systems[name] for name in systems] for row in rows]
    cut = f" The first {len(rows) - 1} labels of {len(labelled)}." if len(rows) <= len(labelled) else ""
    caption = (
        f"Percentage of gold's {noun}s that each system has right, by label, with the number of {noun}s.{cut}{remark}"
    )
    places = product(range(len(rows)), range(len(systems)))
    cells = {(x, y): (shares[y][x], f"{100 * shares[y][x]:.0f}", is_best(shares[y], x)) for y, x in places}
    return _draw_heat(names, [f"{row.items:,}" for row in rows], systems, cells, caption, 1.0)


@with_look
def draw_score_map(table: Table) -> Figure:
    """A table of scores by data set and system, without the rows and columns that are not scores."""
    rows = [row for row in table.rows if any(not isinstance(cell, str) for cell in row[1:])]
    across = [at for at in range(1, len(table.header)) if not isinstance(rows[0][at], str)]
    cells: dict[tuple[int, int], tuple[float, str, bool]] = {}
    for (y, row), (x, at) in product(enumerate(rows), enumerate(across)):
        value = math.nan if row[at][1] is None else row[at][1]
        text = f"{100 * value:.1f}" if table.forms[-1] == "marked" else f"{value:.4g}"
        cells[x, y] = value, text, (y, at) in table.bold
    names, heads = fit_names([str(row[0]) for row in rows], 1.2, 7), [table.header[at] for at in across]
    caption = f"{table.title}; darker is higher. Bold: the best on a data set."
    return _draw_heat(names, [""] * len(names), heads, cells, caption, -math.inf)


def _draw_heat(
    names: Sequence[str], numbers: Sequence[str], heads: Sequence[str], cells: Cells, caption: str, most: float
) -> Figure:
    """Values, rows × systems, with their texts; the darkest is the highest, or `most` if that is higher."""
    from matplotlib.colors import Normalize

    systems = fit_names(heads, 1.2, 7)
    left = max(text_width(name, 7) for name in names) + max(text_width(number, 7) for number in numbers) + 0.16
    narrow = left + 0.22 * len(systems) <= COLUMN
    whole = COLUMN if narrow else PAGE
    wide, tall = min(0.34, (whole - left - 0.02) / len(systems)), 0.15 if len(names) <= 21 else 0.125
    figure = make_sheet(whole)
    axes = add_panel(figure, left, 0, wide * len(systems), tall * len(names))
    axes.set(xlim=(-0.5, len(systems) - 0.5), ylim=(len(names) - 0.5, -0.5))
    axes.set_xticks(range(len(systems)), systems, rotation=90, size=7, color=INK)
    axes.tick_params(length=0, pad=2, top=True, labeltop=True, labelbottom=False)
    axes.set_yticks([])
    axes.spines[["bottom"]].set_visible(False)
    values = {place: value for place, (value, *_) in cells.items() if not math.isnan(value)}
    norm = Normalize(min(values.values()), max(most, *values.values()))
    _draw_squares(axes, values, norm)
    longest = max(("100", *(text for _, text, _ in cells.values())), key=len)
    size = min(6.5, 0.9 * wide / text_width(longest, 1), 72 * tall * 0.85)
    for (x, y), value in values.items():
        _, text, is_bold = cells[x, y]
        look: Look = {"ha": "center", "va": "center_baseline", "size": size, "in_layout": False}
        look["weight"] = "bold" if is_bold else "normal"
        axes.text(x, y, text, color="white" if norm(value) > 0.6 else INK, **look)
    _name_rows(axes, left, wide * len(systems), names, numbers, "bold" if any(numbers) else "normal")
    return add_caption(figure, caption)


def _name_rows(
    axes: Axes, left: float, width: float, names: Sequence[str], numbers: Sequence[str], first: str = "normal"
) -> None:
    """Write the name of each row and its number to the left of a panel of some width; the first name may be bold."""
    for place, (name, number) in enumerate(zip(names, numbers, strict=True)):
        look: Look = {"transform": axes.get_yaxis_transform(), "va": "center", "size": 7, "clip_on": False}
        axes.text(-left / width, place, name, weight="normal" if place else first, **look)
        axes.text(-0.06 / width, place, number, ha="right", color=SOFT, **look)


def _draw_squares(axes: Axes, cells: Mapping[Any, float], norm: Any) -> Any:
    """Draw squares around points; larger numbers are darker."""
    from matplotlib.collections import PolyCollection

    squares = [[(x + across, y + down) for across, down in _CORNERS] for x, y in cells]
    look: Look = {"cmap": "Blues", "norm": norm, "linewidths": 0.3, "edgecolors": "white", "clip_on": False}
    return axes.add_collection(PolyCollection(squares, array=list(cells.values()), **look), autolim=False)


# --- gold's labels against a system's ---


def count_confusions(result: Result) -> dict[str, Counter[tuple[str | None, str | None]]]:
    """The errors of each system by gold's and the system's label, if labels can be confused."""
    by_system: dict[str, Counter[tuple[str | None, str | None]]] = {}
    first: dict[str, str] = {}
    for row in result.confusion:
        if is_category(row.measure) or result.shown.by_outcome or row.type in _HITS:
            continue
        if first.setdefault(row.system, row.measure) == row.measure:
            by_system.setdefault(row.system, Counter())[row.gold, row.assigned] += row.count
    return {system: cells for system, cells in by_system.items() if any(None not in cell for cell in cells)}


@with_look
def draw_confusion(
    cells: Mapping[tuple[str | None, str | None], float],
    rows: str,
    columns: str,
    caption: str,
    missing: str = "missing",
) -> Figure:
    """A matrix of labels, the most frequent first; None is the last row (spurious) or column (missing)."""
    from matplotlib.colors import PowerNorm

    weight: Counter[str] = Counter()
    for cell, number in cells.items():
        for name in {label for label in cell if label is not None}:
            weight[name] += math.ceil(number)
    ordered = sorted(weight, key=lambda name: (-weight[name], name))
    labels, sides = ordered[:LABELS], tuple(any(cell[side] is None for cell in cells) for side in (0, 1))
    place: dict[str | None, float] = {name: number for number, name in enumerate(labels)} | {None: len(labels) + 0.3}
    drawn_cells = {cell: number for cell, number in cells.items() if cell[0] in place and cell[1] in place}
    whole = COLUMN if len(labels) <= _NARROW else PAGE
    size = 7.0 if len(labels) <= 30 else 5.5
    names = fit_names(labels, 0.8, size)
    left = max(text_width(name, size) for name in [*names, *["spurious"] * sides[0]]) + 0.22
    most = max(drawn_cells.values())
    written = all(number == round(number) for number in drawn_cells.values())
    # Numbers as large as the widest of them allows; below five points a scale says what shades mean.
    digits = max(text_width(f"{round(number):,}", 1) for number in drawn_cells.values())
    extents = [len(labels) + 1.3 * side for side in (sides[1], sides[0])]
    cell_size = min(0.26, (whole - left - 0.04) / extents[0])
    number_size = min(7.0, 0.86 * cell_size / digits)
    numbered = written and number_size >= 4.5
    if not numbered:
        cell_size = min(cell_size, (whole - left - 0.65) / extents[0])
    width, height = (cell_size * extent for extent in extents)
    figure = make_sheet(whole)
    axes = add_panel(figure, left, 0, width, height)
    axes.set(xlim=(-0.5, extents[0] - 0.5), ylim=(extents[1] - 0.5, -0.5))
    norm = PowerNorm(0.5, 0, most)
    shades = _draw_squares(
        axes, {(place[cell[1]], place[cell[0]]): number for cell, number in drawn_cells.items()}, norm
    )
    both = list(zip(names, range(len(labels)), strict=True))
    for axis, side, word in ((axes.yaxis, sides[0], "spurious"), (axes.xaxis, sides[1], missing)):
        shown = [*both, *[(word, place[None])] * side]
        axis.set_ticks([at for _, at in shown], [name for name, _ in shown])
    axes.tick_params(length=0, pad=2, labelsize=size, labelcolor=INK, top=True, labeltop=True, labelbottom=False)
    axes.tick_params(axis="x", rotation=90)
    axes.spines[["bottom"]].set_visible(False)
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(columns, labelpad=3)
    axes.set_ylabel(rows, labelpad=3)
    for number in range(len(labels) + 1):
        edge = number in (0, len(labels))
        line: Look = {"color": SOFT if edge else "#ececec", "lw": 0.5, "zorder": 3 if edge else 0, "clip_on": False}
        axes.plot([number - 0.5] * 2, [-0.5, len(labels) - 0.5], **line)
        axes.plot([-0.5, len(labels) - 0.5], [number - 0.5] * 2, **line)
    for number in range(len(labels)):
        axes.fill(*zip(*((number + x, number + y) for x, y in _CORNERS), strict=True), color=BAND, lw=0, zorder=0)
    if numbered:
        for (gold, assigned), number in drawn_cells.items():
            colour = "white" if norm(number) > 0.6 else INK
            at: Look = {"ha": "center", "va": "center_baseline", "size": number_size, "in_layout": False}
            axes.text(place[assigned], place[gold], f"{round(number):,}", color=colour, **at)
    else:
        tall = min(height, 1.4)
        scale = figure.colorbar(shades, cax=add_panel(figure, left + width + 0.12, height - tall, 0.09, tall))
        scale.outline.set_visible(False)
        scale.ax.tick_params(labelsize=7, length=2, pad=2)
    cut = f" The {len(labels)} most frequent labels of {len(ordered)}." if len(labels) < len(ordered) else ""
    return add_caption(figure, f"{caption}{cut}")


# --- error types as bars of parts, a bar for each system under each measure ---


_ENDS = {"fp": "#d55e00", "fn": "#4d4d4d"}
"""Colours of the first and the last part of a bar."""
_BETWEEN = ("#e69f00", "#56b4e9", "#0072b2", "#9ad8c3", "#cc79a7", "#f0e442", "#009e73", "#b3b3b3", "#8c6d1f")


def group_error_types(result: Result) -> list[list[str]]:
    """The measures that have types of errors, grouped if their types are among those of one measure."""
    types: dict[str, set[str]] = {}
    for row in result.error_types:
        types.setdefault(row.measure, set()).add(row.type)
    with_errors = {row.measure for row in result.error_types if row.count}
    types = {measure: names for measure, names in types.items() if measure in with_errors}
    groups: dict[str, list[str]] = {}
    for measure, names in types.items():
        # The measure with the most types that include all types of this one; it may be the measure itself.
        over = max((other for other in types if types[other] >= names), key=lambda other: len(types[other]))
        groups.setdefault(over, []).append(measure)
    return list(groups.values())


@with_look
def draw_error_types(sets: Sequence[tuple[str, Result]], measures: Sequence[str]) -> Figure:
    """The share of each type in a system's errors, and the number of errors, for named data sets."""
    bars: dict[tuple[str, str, str], list[ErrorType]] = {}
    for name, result in sets:
        rows = [row for row in result.error_types if row.measure in measures]
        for system in dict.fromkeys(row.system for row in rows):
            for row in rows:
                if row.system == system:
                    bars.setdefault((name, system, row.measure), []).append(row)
    systems = list(dict.fromkeys(system for _, system, _ in bars))
    # The colour of a type does not depend on which other types occur.
    between = [
        kind for kind in dict.fromkeys(row.type for rows in bars.values() for row in rows) if kind not in _ENDS
    ]
    occurring = {row.type for rows in bars.values() for row in rows if row.count}
    types = [kind for kind in ("fp", *between, "fn") if kind in occurring]
    colours = _ENDS | dict(zip(between, _BETWEEN * (1 + len(between) // len(_BETWEEN)), strict=False))
    # Names that are the same in all bars need no column.
    whole = COLUMN if min(len(systems), len(measures)) == 1 else PAGE
    names = dict(zip(systems, fit_names(systems, whole / 4, 8), strict=True)) if len(systems) > 1 else {}
    titles = dict(zip(measures, fit_names(measures, whole / 4, 8), strict=True)) if len(measures) > 1 else {}
    first, second = (
        max((text_width(name, 8) + 0.1 for name in texts.values()), default=0.0) for texts in (names, titles)
    )
    totals = {key: sum(row.count for row in rows) for key, rows in bars.items()}
    right = max(text_width(f"{total:,}", 7) for total in totals.values()) + 0.1
    width = whole - first - second - right
    lines, places, heads = 0.0, {}, {}
    for (name, system, measure), before in zip(bars, [None, *bars], strict=False):
        if before is None or before[0] != name:
            lines += 0.3 * (before is not None)
            heads[lines] = name
            lines += bool(name)
        elif before[1] != system and titles:
            lines += 0.4
        places[name, system, measure] = lines
        lines += 1
    figure = make_sheet(whole)
    axes = add_panel(figure, first + second, 0, width, _LINE * lines)
    axes.set(xlim=(0, 100), ylim=(lines - 0.4, -0.5))
    axes.set_yticks([])
    axes.tick_params(axis="x", labelsize=7, length=2, pad=2)
    axes.set_xlabel("share of errors (%)")
    look: Look = {"va": "center", "transform": axes.get_yaxis_transform(), "clip_on": False}
    for line, name in heads.items():
        axes.text(-(first + second) / width, line, fit_names([name], whole, 8)[0], size=8, weight="bold", **look)
    last_named = None
    for key, rows in bars.items():
        place, shares, start = places[key], {row.type: 100 * row.share for row in rows}, 0.0
        if last_named != key[:2]:
            axes.text(-(first + second) / width, place, names.get(key[1], ""), size=8, **look)
        last_named = key[:2]
        axes.text(-second / width, place, titles.get(key[2], ""), size=8, color=SOFT, **look)
        axes.text(1 + 0.08 / width, place, f"{totals[key]:,}", size=7, color=SOFT, **look)
        for kind in types:
            part = shares.get(kind, 0.0)
            bar: Look = {"color": colours[kind], "ec": "white", "lw": 0.5, "label": kind_title(kind)}
            axes.barh(place, part, 0.82, start, **bar)
            text = f"{part:.0f}"
            if text_width(text, 6.5) + 0.05 < width * part / 100:
                red, green, blue = (int(colours[kind][at : at + 2], 16) for at in (1, 3, 5))
                colour = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 120 else INK
                inside: Look = {"ha": "center", "va": "center_baseline", "size": 6.5, "in_layout": False}
                axes.text(start + part / 2, place, text, color=colour, **inside)
            start += part
    by = f" of {shorten_name(systems[0])}" * (len(systems) == 1) + f" under {shorten_name(measures[0])}" * (
        len(measures) == 1
    )
    remarks = [result.shown.remarks["median"] for _, result in sets if "median" in result.shown.remarks]
    median = f" {remarks[0] if len(sets) == 1 else 'Median runs.'}" if remarks else ""
    return add_caption(figure, f"Types of errors{by} in percent, with the number of errors on each bar.{median}")
