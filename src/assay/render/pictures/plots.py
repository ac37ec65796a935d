"""Plots of many pairs: a forest of differences, a matrix of bars, curves under other regions and priors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeGuard

from assay.records import dataclass
from assay.render.pictures.sheet import (
    BAND,
    ESTIMATE,
    FAINT,
    FILLS,
    INK,
    OUTCOMES,
    SOFT,
    Look,
    Unit,
    bare,
    captioned,
    drawn,
    largest,
    pair_title,
    share,
    sheet,
    short,
    width_of,
)
from assay.result.numbers import plural
from assay.result.schema import CurvePoint, Estimate, Posterior, Thirds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# --- a forest plot: two systems apart, on each data set, on the whole, and on the next ---


_FOREST, _LINE = 3.8, 0.27
_ESTIMATE: Look = {
    **{"label": "estimate in the light of all data sets, 95% interval", "color": ESTIMATE},
    **{"marker": "s", "ms": 4, "lw": 2},
}
_DIAMOND: Look = {"color": INK, "marker": "D", "ms": 6}
_WHOLE: dict[str, Look] = {
    "mean over data sets": {**_DIAMOND, "label": "mean", "lw": 2},
    "another data set": {**_DIAMOND, "label": "another data set", "mfc": "white", "ls": "--"},
}


def span(posterior: Posterior) -> tuple[float, float]:
    """The least and the greatest difference to be drawn.

    What is known of the data sets sets the frame; the mean and the next data set may widen it, not dwarf it.
    """
    core = [0.0, -posterior.rope, posterior.rope]
    for row in posterior.by_data_set:
        core += [row.difference, row.estimate.low, row.estimate.high]
    core = [value for value in core if math.isfinite(value)]
    low, high = min(core), max(core)
    size = (high - low) or 1.0
    wider = [value for row in (posterior.mean, posterior.next) if _known(row) for value in (row.low, row.high)]
    low = max(min([low, *wider]), low - 0.75 * size)
    high = min(max([high, *wider]), high + 0.75 * size)
    # Systems that never differ have a frame too.
    margin = 0.04 * (high - low) or 0.01
    return low - margin, high + margin


def _known(estimate: Estimate | None) -> TypeGuard[Estimate]:
    """True of an estimate with both ends; what is undefined has no place."""
    return estimate is not None and all(map(math.isfinite, (estimate.mean, estimate.low, estimate.high)))


@drawn
def forest(posterior: Posterior) -> Figure:
    """One pair on one measure: the data sets, then the mean over all of them and the next one to come."""
    unit, sets = Unit(posterior), posterior.by_data_set
    rows: list[tuple[str, Estimate | None]] = [
        *((f"{short(row.name)}  ({plural(row.runs, 'run')})", row.estimate) for row in sets),
        *((name, row) for name, row in zip(_WHOLE, (posterior.mean, posterior.next), strict=True) if _known(row)),
    ]
    figure = sheet()
    axes = figure.add_axes((0, 0, _FOREST, _LINE * len(rows) + 0.1))
    low, high = (unit.scale * value for value in span(posterior))
    axes.set(xlim=(low, high), ylim=(len(rows) - 0.5, -0.5))
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], size=9, color=INK)
    for label in axes.get_yticklabels()[len(sets) :]:
        label.set_fontweight("bold")
    _ground(axes, posterior, unit)
    for place, row in enumerate(sets):
        if math.isfinite(row.difference):
            axes.plot(row.difference * unit.scale, place, "o", ms=8, mfc="white", mec=INK, label="measured")
            _column(axes, place, 1.2, unit(row.difference), "right")
    beyond = [
        _interval(axes, place, estimate, unit, _WHOLE[name] if place >= len(sets) else _ESTIMATE)
        for place, (name, estimate) in enumerate(rows)
        if _known(estimate)
    ]
    rope = f" (practically equal within ±{unit.bare(posterior.rope)})" if posterior.rope else ""
    notes = ["▶ goes on beyond the frame; its ends are in the column of numbers"] if any(beyond) else []
    where = "on each data set, on the whole and on the next"
    return captioned(figure, f"{pair_title(posterior)}, difference in {unit.name}{rope} {where}.", notes)


def _ground(axes: Axes, posterior: Posterior, unit: Unit) -> None:
    """The region of equality, zero, which side is whose, and what the numbers beside are."""
    axes.grid(axis="x")
    if posterior.rope:
        axes.axvspan(-posterior.rope * unit.scale, posterior.rope * unit.scale, color=BAND, lw=0, zorder=0)
        axes.text(0, -0.55, "equal", ha="center", va="bottom", size=8, color=SOFT)
    axes.axvline(0, color=INK, lw=1)
    below: Look = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "top", "size": 8}
    axes.annotate(f"← {short(posterior.a, 18)} better", (0, 0), (0, -22), ha="left", **below)
    axes.annotate(f"{short(posterior.b, 18)} better →", (1, 0), (0, -22), ha="right", **below)
    axes.set_xlabel(f"difference in {short(posterior.measure)}, {unit.name}", labelpad=16)
    _column(axes, -0.5, 1.2, "measured", "right", SOFT)
    _column(axes, -0.5, 1.25, "estimate [95% interval]", "left", SOFT)


def _column(axes: Axes, place: float, x: float, text: str, side: str, colour: str = INK) -> None:
    """A text in a column beside the plot."""
    va = "center" if colour == INK else "bottom"
    axes.text(x, place, text, ha=side, va=va, size=8, color=colour, transform=axes.get_yaxis_transform())


def _interval(axes: Axes, place: int, estimate: Estimate, unit: Unit, look: Look) -> bool:
    """A bar from end to end, with an arrow where it goes on beyond the frame; whether it does."""
    low, mean, high = (unit.scale * value for value in (estimate.low, estimate.mean, estimate.high))
    axes.plot([low, mean, high], [place] * 3, markevery=[1], **look)
    axes.plot([low, high], [place] * 2, "|", color=look["color"], ms=8, mew=1.5)
    _column(axes, place, 1.25, unit.estimate(estimate), "left")
    least, most = axes.get_xlim()
    arrows = [(end, arrow) for end, arrow, out in ((least, "<", low < least), (most, ">", high > most)) if out]
    for end, arrow in arrows:
        axes.plot(end, place, arrow, color=look["color"], ms=6, clip_on=False)
    return bool(arrows)


# --- all pairs and measures at a glance: bars of three parts, laid out as the paper's Table 2 ---


Pair = tuple[str, str]
_WIDE, _ACROSS, _ROW = 1.8, 2.1, 0.38
_LABELS = {"a": "left system better", "equal": "≈ practically equal", "b": "right system better"}
KINDS = {
    "decision": "the share of posterior draws in which each outcome is the likeliest",
    "region": "the mean probability of each outcome on a new data set",
}


def pairs(posteriors: Iterable[Posterior]) -> list[Pair]:
    """Each pair once, the way round in which it comes first, grouped by the left system."""
    found: list[Pair] = []
    for posterior in posteriors:
        if (posterior.a, posterior.b) not in found and (posterior.b, posterior.a) not in found:
            found.append((posterior.a, posterior.b))
    lefts = list(dict.fromkeys(left for left, _ in found))
    return sorted(found, key=lambda pair: lefts.index(pair[0]))


def measures(posteriors: Iterable[Posterior]) -> list[str]:
    """The measures in the order in which they come."""
    return list(dict.fromkeys(posterior.measure for posterior in posteriors))


def shares_of(posteriors: Iterable[Posterior], kind: str) -> dict[tuple[str, Pair], Thirds]:
    """Shares by measure and pair, either way round."""
    found = {}
    for posterior in posteriors:
        shares: Thirds = getattr(posterior, kind)
        found[posterior.measure, (posterior.a, posterior.b)] = shares
        found.setdefault((posterior.measure, (posterior.b, posterior.a)), Thirds(shares.b, shares.equal, shares.a))
    return found


@drawn
def matrix(posteriors: Sequence[Posterior], kind: str = "decision") -> Figure:
    """A row per pair, a column per measure, in each a bar: left better, equal, right better."""
    rows, columns, shares = pairs(posteriors), measures(posteriors), shares_of(posteriors, kind)
    figure = sheet()
    for column, measure in enumerate(columns):
        axes = figure.add_axes((column * _ACROSS, 0, _WIDE, _ROW * len(rows)))
        bare(axes, (0, 1), (len(rows) - 0.5, -0.5))
        axes.set_title(short(measure, 22))
        for place, pair in enumerate(rows):
            _bar(axes, place, shares.get((measure, pair)))
    _names(figure.axes[0], rows, len(columns))
    return captioned(figure, f"All pairs of systems; in each bar {KINDS[kind]}.")


def _names(axes: Axes, rows: list[Pair], columns: int) -> None:
    """Two columns of names before the first bars, and a line above each group."""
    second = -0.12 - max(width_of(short(right)) for _, right in rows) / _WIDE
    first = second - 0.12 - max(width_of(short(left), weight="bold") for left, _ in rows) / _WIDE
    for place, (left, right) in enumerate(rows):
        axes.text(second, place - 0.15, short(right), va="center")
        if not place or rows[place - 1][0] != left:
            axes.text(first, place - 0.15, short(left), va="center", weight="bold")
            end = (columns * _ACROSS - _ACROSS + _WIDE) / _WIDE
            axes.plot([first, end], [place - 0.5] * 2, color=FAINT, lw=0.8, clip_on=False)


def _bar(axes: Axes, place: int, shares: Thirds | None) -> None:
    if shares is None:
        axes.text(0, place - 0.15, "not compared", va="center", size=8, color=SOFT)
        return
    values = {outcome: getattr(shares, outcome) for outcome in OUTCOMES}
    # Rounded shares of a printed table may add up to .999 or 1.001; the bar is whole all the same.
    whole = sum(value or 0.0 for value in values.values()) or 1.0
    start, first = 0.0, largest(shares)
    for (outcome, value), (x, side) in zip(values.items(), ((0, "left"), (0.5, "center"), (1, "right")), strict=True):
        if value is None:
            continue
        part = value / whole
        look: Look = {"color": FILLS[outcome], "edgecolor": INK, "linewidth": 0.5 if part else 0, "clip_on": False}
        axes.barh(place - 0.15, part, 0.36, start, label=_LABELS[outcome], **look)
        start += part
        weight, colour = ("bold", INK) if outcome == first else ("normal", SOFT)
        text = "≈ " * (outcome == "equal") + share(value)
        axes.text(x, place + 0.23, text, ha=side, va="center", size=8, weight=weight, color=colour)


# --- the shares under another region of equality, and under another prior ---


_PANEL, _PANELS_APART = (2.2, 1.5), (2.7, 2.4)
# The model's own bounds, as multiples of what is seen in the data.
_STD0, _DELTA0 = 1000.0, 1.0
_CURVES = {"decision": "Share of draws where likeliest", "region": "Mean probability on a new data set"}
# Lines differ in dashes and marks, not in colour alone; thin lines of A and equal are darker than their areas.
_LINES = {"a": ("#a86a00", "-", "<"), "equal": ("#6b6b6b", ":", "s"), "b": (FILLS["b"], "--", ">")}


@dataclass(frozen=True)
class Panel:
    """A setting that is varied, its values, and the one that was chosen."""

    label: str
    points: dict[float, CurvePoint]
    chosen: float
    is_prior: bool


def panels(posterior: Posterior) -> list[Panel]:
    """The width of the region of equality, the bound for the spread, the bound for the mean: what there is."""
    unit = Unit(posterior)
    ropes = {unit.scale * point.rope: point for point in posterior.rope_curve}
    spreads = {point.std0: point for point in posterior.prior_curve if point.delta0 == _DELTA0}
    means = {point.delta0: point for point in posterior.prior_curve if point.std0 == _STD0}
    found = (
        Panel(f"equal within ± {unit.name}", ropes, unit.scale * posterior.rope, False),
        Panel("prior: most spread among data sets, ×", spreads, _STD0, True),
        Panel("prior: greatest mean difference, ×", means, _DELTA0, True),
    )
    return [panel for panel in found if len(panel.points) > 1]


@drawn
def curves(posterior: Posterior) -> Figure:
    """One pair on one measure: a column for each thing varied, a row for each kind of share."""
    figure, names = sheet(), {"a": short(posterior.a), "equal": "practically equal", "b": short(posterior.b)}
    for row, (kind, title) in enumerate(_CURVES.items()):
        for column, panel in enumerate(panels(posterior)):
            axes = figure.add_axes((column * _PANELS_APART[0], -row * _PANELS_APART[1], *_PANEL))
            if not column:
                axes.set_title(title, pad=20)
            _frame(axes, panel)
            for outcome in OUTCOMES:
                if getattr(posterior.decision, outcome) is None:
                    continue
                # Without a region of equality nothing is in it.
                values = [getattr(getattr(panel.points[x], kind), outcome) or 0.0 for x in sorted(panel.points)]
                colour, dashes, mark = _LINES[outcome]
                marked = None if panel.is_prior else [0, len(values) - 1]
                label = names[outcome] + " better" * (outcome != "equal")
                look: Look = {"color": colour, "ls": dashes, "marker": mark, "markevery": marked, "ms": 5, "lw": 1.6}
                axes.plot(sorted(panel.points), values, **look, label=label, clip_on=False)
    caption = f"{pair_title(posterior)}; how the shares change with the region of equality and the prior."
    return captioned(figure, caption)


def _frame(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import NullLocator

    axes.set(ylim=(0, 1), xlabel=panel.label)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    axes.grid(axis="y")
    if panel.is_prior:
        axes.set_xscale("log")
        axes.set_xticks(sorted(panel.points), [f"{value:g}" for value in sorted(panel.points)])
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.margins(x=0)
    if min(panel.points) <= panel.chosen <= max(panel.points):
        axes.axvline(panel.chosen, color=SOFT, lw=0.8)
        axes.text(panel.chosen, 1.03, "chosen", ha="center", size=8, color=SOFT)
