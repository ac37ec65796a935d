"""Scores and differences with their intervals: system by system, pair by pair, slice by slice."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.render.annotators import PAIRS_MEAN
from assay.render.pictures.sheet import (
    COLUMN,
    FAINT,
    FILLS,
    INK,
    PAGE,
    SERIES,
    SOFT,
    Look,
    captioned,
    drawn,
    fitted,
    panel,
    share,
    sheet,
    short,
    width_of,
)
from assay.render.text import count, main_scores
from assay.result import Comparison, Result, Score, is_category
from assay.result.chance import interval_title
from assay.result.numbers import WRITERS, plural

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PANELS, _LINE, _BELOW = 4, 0.155, 0.5
PAIRS = 15
"""So many pairs of systems are drawn; of more those with the best system."""


# --- a row for each system or pair, a panel for each measure ---


class Interval(NamedTuple):
    """A figure and its interval, with the text beside it."""

    value: float
    low: float
    high: float
    text: str
    bold: bool = False
    runs: tuple[float, ...] = ()


ByMeasure = Mapping[str, Mapping[str, Score]]
"""Scores by measure and system."""


_UNITS = {"percent": (100, " (%)"), "points": (100, " (points)")}
"""What values of a form are multiplied with on an axis, and what stands behind its title; others are as they are."""


def _ticks(axis: Any, form: str) -> None:
    """Write coefficients on an axis without the zero before the point."""
    if form.startswith("coefficient"):
        axis.set_major_formatter(lambda value, _: f"{value:.3g}".replace("-", "−").replace("0.", "."))


def overall(result: Result) -> list[tuple[str, ByMeasure]]:
    """The main scores with their form, those of measures together that the same systems have in the same form; of the
    most systems first."""
    found: dict[str, dict[str, Score]] = {}
    for row in main_scores(result):
        if not is_category(row.measure):
            found.setdefault(row.measure, {})[row.system] = row
    groups: dict[tuple[str, frozenset[str]], dict[str, dict[str, Score]]] = {}
    for measure, rows in found.items():
        form = result.form_of(next(iter(rows.values())))
        groups.setdefault((form, frozenset(rows)), {})[measure] = rows
    of_forms = [(form, group) for (form, _), group in groups.items()]
    return sorted(of_forms, key=lambda one: -len(next(iter(one[1].values()))))


@drawn
def scores(by_measure: ByMeasure, form: str = "percent") -> Figure:
    """Systems from the best to the worst by the first measure; of one system alone its measures."""
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
    # The mean of pairs of annotators is none of them: it stands apart, below.
    apart = PAIRS_MEAN in first and len(first) > 1
    ranked = sorted(first, key=lambda name: (name == PAIRS_MEAN, math.isnan(first[name].value), -first[name].value))
    if len(first) == 1:
        (system,) = first
        ranked, shown = list(shown), {system: {measure: rows[system] for measure, rows in shown.items()}}
    grouped = any(row.group for rows in by_measure.values() for row in rows.values())
    letters = "; systems with a common letter do not differ significantly (p > 0.05 after Holm)" * grouped
    runs = "; small dots are single runs" * any(one.runs for rows in shown.values() for one in rows.values())
    unit = ", in percent" * (form == "percent")
    return _rows(ranked, shown, f"Scores with their 95% intervals{unit}{letters}{runs}.", form, apart=apart)


def tested(result: Result) -> list[Comparison]:
    """The tests of main scores over all of the data, of the pairs that are drawn."""
    mains = result.main_scores
    rows = [
        row
        for row in result.comparisons
        if (row.is_of_score or row.test == "ceiling") and row.slice is None and row.score == mains.get(row.measure)
        if not is_category(row.measure) and not math.isnan(row.difference)
    ]
    shown = chosen(result, [(row.a, row.b) for row in rows])
    return [row for row in rows if (row.a, row.b) in shown]


def chosen(result: Result, pairs: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """At most 15 pairs or, of more, those with the system that has the best score."""
    found = set(pairs)
    if len(found) <= PAIRS:
        return found
    first = next(iter(overall(result)[0][1].values()))
    best = max(first, key=lambda name: -math.inf if math.isnan(first[name].value) else first[name].value)
    return {pair for pair in found if best in pair}


@drawn
def differences(tests: Sequence[Comparison], form: str = "points") -> Figure:
    """Pairs with the second system's score minus the first's and p."""
    shown: dict[str, dict[str, Interval]] = {}
    for row in tests:
        p = "<.001" if row.p_adjusted < 0.001 else share(row.p_adjusted)
        text = f"{WRITERS[form](row.difference)}  {p}"
        one = Interval(*row.figure, text, row.is_significant)
        shown.setdefault(row.measure, {})[f"{row.a} → {row.b}"] = one
    rows = list(dict.fromkeys(name for one in shown.values() for name in one))
    if len(rows) == 1:
        pair = rows[0]
        rows, shown = list(shown), {pair: {measure: one[pair] for measure, one in shown.items()}}
    caption = (
        f"Differences, the second system's score minus the first's{', in points' * (form == 'points')} with the "
        f"{interval_title(tests)}; beside them p after Holm's correction, in bold if it is at most 0.05."
    )
    return _rows(rows, shown, caption, form, zero=True)


def _rows(
    rows: Sequence[str],
    panels: Mapping[str, Mapping[str, Interval]],
    caption: str,
    form: str,
    zero: bool = False,
    apart: bool = False,
) -> Figure:
    """Intervals below each other in one panel or several, each with its text beside it; the last may stand apart."""
    from matplotlib.ticker import MaxNLocator

    narrow = len(panels) == 1 and all(width_of(short(name, 60), 8) < 0.45 * COLUMN for name in rows)
    whole = COLUMN if narrow else PAGE
    names = fitted(rows, 0.45 * COLUMN if narrow else 0.3 * PAGE, 8)
    left = max(width_of(name, 8) for name in names) + 0.06
    texts = [width_of(one.text, 7, "bold") for of in panels.values() for one in of.values()]
    titles = fitted(list(panels), whole - left - 0.6, 8)
    scale, unit = _UNITS.get(form, (1, ""))
    # As many panels side by side as leave room for their titles and a plot.
    across = min(len(panels), _PANELS)
    right = max(texts) + 0.1
    least = max(right + 0.7, *(width_of(f"{title}{unit}", 8) + 0.1 for title in titles))
    while across > 1 and (whole - left) / across < least:
        across -= 1
    room = (whole - left) / across
    height = _LINE * len(rows) + 0.06
    figure = sheet(whole)
    for number, (title, of) in enumerate(zip(titles, panels.values(), strict=True)):
        down, column = divmod(number, across)
        axes = panel(figure, left + column * room, -down * (height + _BELOW), room - right, height)
        axes.set(ylim=(len(rows) - 0.5, -0.5))
        axes.set_yticks(range(len(rows)), names if column == 0 else [""] * len(rows), size=8, color=INK)
        axes.tick_params(axis="y", length=0, pad=2)
        axes.grid(axis="x", lw=0.6)
        axes.set_xlabel(f"{title}{unit}", x=0, ha="left")
        if zero:
            axes.axvline(0, color=INK, lw=0.8)
        if apart:
            axes.axhline(len(rows) - 1.5, color=SOFT, lw=0.6)
        known = {place: of[name] for place, name in enumerate(rows) if name in of and not math.isnan(of[name].value)}
        values, low, high = ([scale * one[at] for one in known.values()] for at in range(3))
        axes.hlines(list(known), low, high, color=FILLS["b"], lw=1.2)
        axes.plot(values, list(known), "o", color=FILLS["b"], ms=3.5)
        for place, one in known.items():
            axes.plot([scale * value for value in one.runs], [place - 0.28] * len(one.runs), ".", color=SOFT, ms=2)
            weight = "bold" if one.bold else "normal"
            beside: Look = {"transform": axes.get_yaxis_transform(), "va": "center", "size": 7, "weight": weight}
            axes.text(1 + 0.05 / (room - right), place, one.text, **beside)
        axes.margins(x=0.06)
        axes.xaxis.set_major_locator(MaxNLocator(max(2, round((room - right) / 0.5)), steps=[1, 2, 5, 10]))
        _ticks(axes.xaxis, form)
    return captioned(figure, caption)


# --- a point for each part of the data, a line for each system ---


_CURVES, _TALL, _DODGED = 8, 1.5, 4


def slices(result: Result) -> dict[str, list[Score]]:
    """The main scores of parts of the data, by what the data are cut by; only of cuts with several parts."""
    found: dict[str, list[Score]] = {}
    for row in result.scores:
        if row.slice is not None and row.main and row.label is None and not is_category(row.measure):
            found.setdefault(row.slice.partition("=")[0], []).append(row)
    return {name: rows for name, rows in found.items() if len({row.slice for row in rows}) > 1}


@drawn
def slice_curves(result: Result, name: str) -> Figure:
    """Scores by part of the data; parts that are numbers are joined by a line for each system."""
    rows, cut_by = slices(result)[name], short(name)
    measures = list(dict.fromkeys(row.measure for row in rows))
    systems = list(dict.fromkeys(row.system for row in rows))
    values = {row.system: row.value for row in main_scores(result) if row.measure == measures[0]}
    ranked = sorted(systems, key=lambda system: -values.get(system, -math.inf))
    drawn_first = set(ranked[:_CURVES])
    sizes = {(row.measure, row.slice): row.counts for row in result.counts if row.label is None}
    whole, across = (COLUMN, 1) if len(measures) == 1 else (PAGE, 2)
    left, room = 0.45, whole / across
    width = room - left - 0.1
    figure = sheet(whole)
    deep = 0.0
    for number, measure in enumerate(measures):
        own = [row for row in rows if row.measure == measure]
        parts = list(dict.fromkeys(str(row.slice) for row in own))
        down, column = divmod(number, across)
        texts = [short(part.partition("=")[2], 60) for part in parts]
        fields = next(iter(sizes.get((measure, part), {}) for part in parts))
        field = next((one for one in ("items", "gold", "sentences") if one in fields), "")
        numbers = [count(sizes[measure, part][field]) if field else "" for part in parts]
        upright = all(width_of(text, 7) < width / len(parts) - 0.04 for text in [*texts, *numbers])
        cut = texts if upright else fitted(texts, 0.8, 7)
        deep = max(deep, 0.6 if upright else 0.45 + 0.75 * max(width_of(f"{text} (9,999)", 7) for text in cut))
        axes = panel(figure, column * room + left, -down * (_TALL + deep), width, _TALL)
        both = zip(cut, numbers, strict=True)
        joined = [f"{text}\n{size}" if upright else f"{text} ({size})" for text, size in both]
        turned: Look = {} if upright else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        axes.set_xticks(range(len(parts)), joined if field else cut, size=7, **turned)
        axes.tick_params(axis="both", length=2, pad=2, labelsize=7)
        noun = "sentence" if field == "sentences" else result.noun
        axes.set(xlim=(-0.5, len(parts) - 0.5), xlabel=f"{cut_by}, number of {noun}s" if field else cut_by)
        form = result.form_of(own[0])
        scale, unit = _UNITS.get(form, (1, ""))
        axes.set_ylabel(f"{fitted([measure], _TALL, 8)[0]}{unit}")
        _ticks(axes.yaxis, form)
        axes.grid(axis="y", lw=0.6)
        ordered = all(re.match(r"(over |[<>≤≥]\s*)?\d", text) for text in texts)
        found = {(row.system, str(row.slice)): row for row in own}
        for index, system in enumerate(ranked):
            points = [found.get((system, part)) for part in parts]
            few = len(systems) <= _DODGED
            shift = 0.5 / len(systems) * (index - (len(systems) - 1) / 2) if few else 0.0
            x = [place + shift for place in range(len(parts))]
            y = [scale * row.value if row else math.nan for row in points]
            if system in drawn_first:
                colour, dashes, mark = SERIES[index]
                look: Look = {"color": colour, "marker": mark, "label": short(system, 24), "zorder": 3}
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
    cut_off = f"; the {_CURVES} best systems of {len(systems)} in colour" if len(systems) > _CURVES else ""
    return captioned(figure, f"Scores by {cut_by}{bars}, with the size of each part{cut_off}.")
