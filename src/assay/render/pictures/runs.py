"""Figures of systems over many runs and data sets: forests, bars, curves, triangles, orders and ranks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from assay.render.pictures.sheet import (
    BAND,
    COLUMN,
    ESTIMATE,
    FAINT,
    FILLS,
    FLAG,
    INK,
    OUTCOMES,
    PAGE,
    SOFT,
    Look,
    Unit,
    add_caption,
    add_panel,
    find_largest,
    fit_names,
    format_share,
    hide_axes,
    make_sheet,
    pair_title,
    shorten_name,
    text_width,
    with_look,
)
from assay.result.numbers import plural
from assay.result.schema import CurvePoint, Estimate, MeanRanks, Posterior, Ranking, RankRelation, Thirds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# --- a forest plot: two systems apart, on each data set, on the whole, and on the next ---


_FOREST, _LINE = 3.8, 0.27
_ESTIMATE: Look = {
    **{"label": "estimate using all data sets, 95% interval", "color": ESTIMATE},
    **{"marker": "s", "ms": 4, "lw": 2},
}
_DIAMOND: Look = {"color": INK, "marker": "D", "ms": 6}
_WHOLE: dict[str, Look] = {
    "mean over data sets": {**_DIAMOND, "label": "mean", "lw": 2},
    "another data set": {**_DIAMOND, "label": "another data set", "mfc": "white", "ls": "--"},
}


def find_frame(posterior: Posterior) -> tuple[float, float]:
    """The least and the greatest difference to be drawn.

    The data sets determine the frame; the mean and a new data set may widen it by up to three quarters on each side.
    """
    core = [0.0, -posterior.rope, posterior.rope]
    for row in posterior.by_data_set:
        core += [row.difference, row.estimate.low, row.estimate.high]
    core = [value for value in core if math.isfinite(value)]
    low, high = min(core), max(core)
    size = (high - low) or 1.0
    wider = [value for row in (posterior.mean, posterior.next) if _has_ends(row) for value in (row.low, row.high)]
    low = max(min([low, *wider]), low - 0.75 * size)
    high = min(max([high, *wider]), high + 0.75 * size)
    # Systems that never differ have a frame too.
    margin = 0.04 * (high - low) or 0.01
    return low - margin, high + margin


def _has_ends(estimate: Estimate | None) -> TypeGuard[Estimate]:
    """True if an estimate has a mean and both ends."""
    return estimate is not None and all(map(math.isfinite, (estimate.mean, estimate.low, estimate.high)))


@with_look
def draw_forest(posterior: Posterior) -> Figure:
    """A forest plot of a pair on one measure: each data set, then the mean over all and a new data set."""
    unit, sets = Unit(posterior), posterior.by_data_set
    rows: list[tuple[str, Estimate | None]] = [
        *((f"{shorten_name(row.name)}  ({plural(row.runs, 'run')})", row.estimate) for row in sets),
        *((name, row) for name, row in zip(_WHOLE, (posterior.mean, posterior.next), strict=True) if _has_ends(row)),
    ]
    figure = make_sheet()
    axes = figure.add_axes((0, 0, _FOREST, _LINE * len(rows) + 0.1))
    low, high = (unit.scale * value for value in find_frame(posterior))
    axes.set(xlim=(low, high), ylim=(len(rows) - 0.5, -0.5))
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], size=9, color=INK)
    for label in axes.get_yticklabels()[len(sets) :]:
        label.set_fontweight("bold")
    # The region of equivalence, zero, the side of each system, and titles of the numbers next to the plot.
    axes.grid(axis="x")
    if posterior.rope:
        axes.axvspan(-posterior.rope * unit.scale, posterior.rope * unit.scale, color=BAND, lw=0, zorder=0)
        axes.text(0, -0.55, "equal", ha="center", va="bottom", size=8, color=SOFT)
    axes.axvline(0, color=INK, lw=1)
    below: Look = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "top", "size": 8}
    axes.annotate(f"← {shorten_name(posterior.a, 18)} better", (0, 0), (0, -22), ha="left", **below)
    axes.annotate(f"{shorten_name(posterior.b, 18)} better →", (1, 0), (0, -22), ha="right", **below)
    axes.set_xlabel(f"difference in {shorten_name(posterior.measure)}, {unit.name}", labelpad=16)
    _write_column(axes, -0.5, 1.2, "measured", "right", SOFT)
    _write_column(axes, -0.5, 1.25, "estimate [95% interval]", "left", SOFT)
    for place, row in enumerate(sets):
        if math.isfinite(row.difference):
            axes.plot(row.difference * unit.scale, place, "o", ms=8, mfc="white", mec=INK, label="measured")
            _write_column(axes, place, 1.2, unit(row.difference), "right")
    beyond = False
    least, most = axes.get_xlim()
    for place, (name, estimate) in enumerate(rows):
        if not _has_ends(estimate):
            continue
        # A bar from end to end, with an arrow if it continues beyond the frame.
        look = _WHOLE[name] if place >= len(sets) else _ESTIMATE
        low, mean, high = (unit.scale * value for value in (estimate.low, estimate.mean, estimate.high))
        axes.plot([low, mean, high], [place] * 3, markevery=[1], **look)
        axes.plot([low, high], [place] * 2, "|", color=look["color"], ms=8, mew=1.5)
        _write_column(axes, place, 1.25, unit.estimate(estimate), "left")
        for end, arrow, is_beyond in ((least, "<", low < least), (most, ">", high > most)):
            if is_beyond:
                axes.plot(end, place, arrow, color=look["color"], ms=6, clip_on=False)
                beyond = True
    rope = f" (practically equal within ±{unit.format_width(posterior.rope)})" if posterior.rope else ""
    notes = ["▶ continues beyond the frame; its ends are in the column of numbers"] if beyond else []
    where = "on each data set, overall and on a new one"
    return add_caption(figure, f"{pair_title(posterior)}, difference in {unit.name}{rope} {where}.", notes)


def _write_column(axes: Axes, place: float, x: float, text: str, side: str, colour: str = INK) -> None:
    """Write a text in a column next to the plot."""
    va = "center" if colour == INK else "bottom"
    axes.text(x, place, text, ha=side, va=va, size=8, color=colour, transform=axes.get_yaxis_transform())


# --- all pairs and measures at a glance: bars of three parts, laid out as the paper's Table 2 ---


Pair = tuple[str, str]
_WIDE, _ACROSS, _ROW = 1.8, 2.1, 0.38
_LABELS = {"a": "left system better", "equal": "≈ practically equal", "b": "right system better"}
KINDS = {
    "decision": "the share of posterior draws in which each outcome is the most probable",
    "region": "the mean probability of each outcome on a new data set",
}


def list_pairs(posteriors: Iterable[Posterior]) -> list[Pair]:
    """Each pair once, in the order of its first occurrence, grouped by the left system."""
    pairs: list[Pair] = []
    for posterior in posteriors:
        if (posterior.a, posterior.b) not in pairs and (posterior.b, posterior.a) not in pairs:
            pairs.append((posterior.a, posterior.b))
    lefts = list(dict.fromkeys(left for left, _ in pairs))
    return sorted(pairs, key=lambda pair: lefts.index(pair[0]))


@with_look
def draw_matrix(posteriors: Sequence[Posterior], kind: str = "decision") -> Figure:
    """A row per pair and a column per measure, each cell with a bar: left better, equal, right better."""
    rows, shares = list_pairs(posteriors), {}
    for row in posteriors:
        thirds: Thirds = getattr(row, kind)
        shares[row.measure, (row.a, row.b)] = thirds
        shares.setdefault((row.measure, (row.b, row.a)), Thirds(thirds.b, thirds.equal, thirds.a))
    columns = list(dict.fromkeys(posterior.measure for posterior in posteriors))
    figure = make_sheet()
    for column, measure in enumerate(columns):
        axes = figure.add_axes((column * _ACROSS, 0, _WIDE, _ROW * len(rows)))
        hide_axes(axes, (0, 1), (len(rows) - 0.5, -0.5))
        axes.set_title(shorten_name(measure, 22))
        for place, pair in enumerate(rows):
            _draw_thirds(axes, place, shares.get((measure, pair)))
    # Two columns of names before the first bars, and a line above each group.
    first_axes = figure.axes[0]
    second = -0.12 - max(text_width(shorten_name(right)) for _, right in rows) / _WIDE
    first = second - 0.12 - max(text_width(shorten_name(left), weight="bold") for left, _ in rows) / _WIDE
    for place, (left, right) in enumerate(rows):
        first_axes.text(second, place - 0.15, shorten_name(right), va="center")
        if not place or rows[place - 1][0] != left:
            first_axes.text(first, place - 0.15, shorten_name(left), va="center", weight="bold")
            end = (len(columns) * _ACROSS - _ACROSS + _WIDE) / _WIDE
            first_axes.plot([first, end], [place - 0.5] * 2, color=FAINT, lw=0.8, clip_on=False)
    meaning = KINDS[kind]
    if any(row.model == "signed-rank" for row in posteriors):
        meaning = meaning.replace("a new data set", "two new data sets")
    return add_caption(figure, f"All pairs of systems. Each bar shows {meaning}.")


def _draw_thirds(axes: Axes, place: int, shares: Thirds | None) -> None:
    if shares is None:
        axes.text(0, place - 0.15, "not compared", va="center", size=8, color=SOFT)
        return
    values = {outcome: getattr(shares, outcome) for outcome in OUTCOMES}
    # Rounded shares of a printed table may add up to .999 or 1.001; the bar is still whole.
    whole = sum(value or 0.0 for value in values.values()) or 1.0
    start, first = 0.0, find_largest(shares)
    for (outcome, value), (x, side) in zip(values.items(), ((0, "left"), (0.5, "center"), (1, "right")), strict=True):
        if value is None:
            continue
        part = value / whole
        look: Look = {"color": FILLS[outcome], "edgecolor": INK, "linewidth": 0.5 if part else 0, "clip_on": False}
        axes.barh(place - 0.15, part, 0.36, start, label=_LABELS[outcome], **look)
        start += part
        weight, colour = ("bold", INK) if outcome == first else ("normal", SOFT)
        text = "≈ " * (outcome == "equal") + format_share(value)
        axes.text(x, place + 0.23, text, ha=side, va="center", size=8, weight=weight, color=colour)


# --- the shares under another region of equivalence, and under another prior ---


_PANEL, _PANELS_APART = (2.2, 1.5), (2.7, 2.4)
# The model's own bounds, as multiples of what is seen in the data.
_STD0, _DELTA0 = 1000.0, 1.0
_CURVES = {"decision": "Share of draws: most probable outcome", "region": "Mean probability on a new data set"}
# Lines differ in dashes and marks, not in colour alone; thin lines of A and equal are darker than their areas.
_LINES = {"a": ("#a86a00", "-", "<"), "equal": ("#6b6b6b", ":", "s"), "b": (FILLS["b"], "--", ">")}


class Panel(NamedTuple):
    """A setting that is varied, its values, and the one that was chosen."""

    label: str
    points: dict[float, CurvePoint]
    chosen: float
    is_prior: bool


def list_panels(posterior: Posterior) -> list[Panel]:
    """Panels for the region of equivalence, the prior of the spread and that of the mean, if these were varied."""
    unit = Unit(posterior)
    ropes = {unit.scale * point.rope: point for point in posterior.rope_curve}
    spreads = {point.std0: point for point in posterior.prior_curve if point.delta0 == _DELTA0}
    means = {point.delta0: point for point in posterior.prior_curve if point.std0 == _STD0}
    panels = (
        Panel(f"equal within ± {unit.name}", ropes, unit.scale * posterior.rope, False),
        Panel("prior: most spread among data sets, ×", spreads, _STD0, True),
        Panel("prior: greatest mean difference, ×", means, _DELTA0, True),
    )
    return [panel for panel in panels if len(panel.points) > 1]


@with_look
def draw_curves(posterior: Posterior) -> Figure:
    """Curves of a pair on one measure: a column for each setting that is varied, a row for each kind of share."""
    from matplotlib.ticker import NullLocator

    figure, names = (
        make_sheet(),
        {"a": shorten_name(posterior.a), "equal": "practically equal", "b": shorten_name(posterior.b)},
    )
    for row, (kind, title) in enumerate(_CURVES.items()):
        for column, varied in enumerate(list_panels(posterior)):
            axes = figure.add_axes((column * _PANELS_APART[0], -row * _PANELS_APART[1], *_PANEL))
            if not column:
                axes.set_title(title, pad=20)
            values = sorted(varied.points)
            axes.set(ylim=(0, 1), xlabel=varied.label)
            axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
            axes.grid(axis="y")
            if varied.is_prior:
                axes.set_xscale("log")
                axes.set_xticks(values, [f"{value:g}" for value in values])
                axes.xaxis.set_minor_locator(NullLocator())
            else:
                axes.margins(x=0)
            if values[0] <= varied.chosen <= values[-1]:
                axes.axvline(varied.chosen, color=SOFT, lw=0.8)
                axes.text(varied.chosen, 1.03, "chosen", ha="center", size=8, color=SOFT)
            for outcome in OUTCOMES:
                if getattr(posterior.decision, outcome) is None:
                    continue
                # Without a region of equivalence the share of equality is 0.
                shares = [getattr(getattr(varied.points[x], kind), outcome) or 0.0 for x in values]
                colour, dashes, mark = _LINES[outcome]
                marked = None if varied.is_prior else [0, len(shares) - 1]
                label = names[outcome] + " better" * (outcome != "equal")
                look: Look = {"color": colour, "ls": dashes, "marker": mark, "markevery": marked, "ms": 5, "lw": 1.6}
                axes.plot(values, shares, **look, label=label, clip_on=False)
    caption = f"{pair_title(posterior)}: how the shares change with the region of equivalence and the prior."
    return add_caption(figure, caption)


# --- triangles of posterior draws: the nearer to a corner, the more probable is that outcome on a new data set ---
# A's corner is at the bottom left, B's at the bottom right, equality's on top, as in the paper's Figures 1 to 3.


_TALL = math.sqrt(3) / 2
_LARGE, _SMALL = 3.6, 1.5
_CONTOURS = {50: "-", 95: "--"}
_SMOOTHING = 2
_FIFTHS, _TICK = (0.2, 0.4, 0.6, 0.8), 0.015


def place_shares(a: Any, b: Any) -> tuple[Any, Any]:
    """The point for the probabilities of A and of B, or points for arrays of them, in a triangle with sides of 1."""
    equal = 1 - a - b
    return b + equal / 2, _TALL * equal


def list_corners(a: int, b: int, up: bool) -> tuple[tuple[int, int], ...]:
    """The corners of a cell as numbers of parts along A and along B."""
    return (a + 1, b), (a, b + 1), (a, b) if up else (a + 1, b + 1)


def smooth_density(posterior: Posterior) -> tuple[NDArray[np.int64], NDArray[np.float64], dict[int, float]]:
    """The density of draws, smoothed so that its contours are not ragged.

    Returns the numbers of each cell's three corners, the density at each corner, and for each percentage the lowest
    density of the cells that contain this percentage of the draws.
    """
    sides = posterior.sides
    number = {(cell.a, cell.b, cell.up): cell.draws for cell in posterior.simplex}
    keys = [
        (a, b, up) for a in range(sides) for b in range(sides - a) for up in (True, False)[: 2 - (a + b == sides - 1)]
    ]
    draws = np.array([number.get(key, 0) for key in keys])
    cells = np.array([[a * (sides + 1) + b for a, b in list_corners(*key)] for key in keys])
    around = np.bincount(cells.ravel(), minlength=(sides + 1) ** 2)
    # Of logarithms, so that a cell with thousands of draws does not spill over empty ones.
    values = np.log1p(draws)
    for _ in range(_SMOOTHING):
        heights = np.bincount(cells.ravel(), np.repeat(values, 3), len(around)) / np.maximum(around, 1)
        values = heights[cells].mean(axis=1)
    ranked = np.argsort(-values, kind="stable")
    held = np.cumsum(draws[ranked])
    last = {percent: int(np.searchsorted(held, percent * held[-1] / 100)) for percent in _CONTOURS}
    # The mean of the last cell inside and the first outside.
    levels = {percent: float(values[ranked[end : end + 2]].mean()) for percent, end in last.items()}
    return cells, heights, levels


# --- one triangle ---


@with_look
def draw_simplex(posterior: Posterior) -> Figure:
    """A large triangle of a pair on one measure."""
    figure = make_sheet()
    axes = figure.add_axes((0, 0, _LARGE, _LARGE * _TALL))
    cells = _draw_triangle(axes, posterior, _most_draws([posterior]))
    _draw_ticks(axes, posterior)
    if cells is not None:
        _draw_key(figure, cells, _LARGE + 0.55, 0.4, 2.2)
    return add_caption(figure, f"{pair_title(posterior)}; {_describe_draws([posterior])}.")


def _draw_triangle(axes: Axes, posterior: Posterior, most: int, small: bool = False) -> Any:
    """Draw one triangle and return its coloured cells; None if it has none."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LogNorm
    from matplotlib.patheffects import withStroke
    from matplotlib.tri import Triangulation

    hide_axes(axes, (0, 1), (0, _TALL))
    axes.set_aspect("equal")
    cells = None
    if not posterior.simplex:
        axes.text(0.5, 0.2, "no draws", ha="center", size=8, color=SOFT)
    elif posterior.decision.equal is None:
        # Without a region of equivalence all draws lie on the lower side: bars on it.
        columns: Counter[int] = Counter()
        for cell in posterior.simplex:
            columns[cell.b] += cell.draws
        tallest, wide = max(columns.values()), 1 / posterior.sides
        heights = [0.9 * _TALL * draws / tallest for draws in columns.values()]
        bars: Look = {"align": "edge", "color": "#578abb", "ec": "white", "lw": 0.4}
        axes.bar([wide * column for column in columns], heights, wide, **bars)
        axes.plot([0, 1], [0, 0], color=INK, lw=1.2, clip_on=False)
        axes.axvline(0.5, ls=":", color=INK, lw=0.9)
        axes.text(0, _TALL, f"tallest: {tallest:,} draws", size=8, color=SOFT)
    else:
        number = posterior.sides
        # Logarithmic, because draws crowd at the edges and a linear scale would show only these.
        cells = PolyCollection(
            [
                [place_shares(a / number, b / number) for a, b in list_corners(row.a, row.b, row.up)]
                for row in posterior.simplex
            ],
            array=[row.draws for row in posterior.simplex],
            cmap="Blues",
            norm=LogNorm(0.5, max(most, 2)),
            linewidths=0.2,
            edgecolors="face",
        )
        axes.add_collection(cells, autolim=False)
        corner_numbers, densities, levels = smooth_density(posterior)
        points = np.indices((number + 1, number + 1)).reshape(2, -1) / number
        triangles = Triangulation(*place_shares(*points), corner_numbers)
        for percent, level in levels.items():
            look: Look = {"colors": FLAG, "linewidths": 1.2, "linestyles": _CONTOURS[percent]}
            line = axes.tricontour(triangles, densities, [level], **look)
            # A white line below separates a contour from shades that are as dark.
            line.set_path_effects([withStroke(linewidth=2.4, foreground="white")])
            axes.plot([], [], color=FLAG, lw=1.2, ls=_CONTOURS[percent], label=f"{percent}% of draws")
    if posterior.decision.equal is not None:
        axes.fill(
            *place_shares(np.array([1, 0, 0]), np.array([0, 1, 0])), fill=False, ec=INK, lw=1, clip_on=False, zorder=3
        )
        for a, b in ((0.5, 0.5), (0.5, 0.0), (0.0, 0.5)):
            border = place_shares(np.array([1 / 3, a]), np.array([1 / 3, b]))
            axes.plot(*border, ":", color=INK, lw=0.9, label="where the most probable outcome changes")
    # Names and decision shares at the corners, the largest in bold.
    decision, first, size = posterior.decision, find_largest(posterior.decision), 8 if small else 9
    for outcome, name, x, side in (("a", posterior.a, 0, "left"), ("b", posterior.b, 1, "right")):
        weight = "bold" if outcome == first else "normal"
        below: Look = {"xycoords": "data", "textcoords": "offset points", "va": "top", "size": size}
        below["ha"], shift = (side, -4) if small else ("center", -20)
        axes.annotate(shorten_name(name, 10 if small else 20), (x, 0), (0, shift), **below)
        axes.annotate(
            format_share(getattr(decision, outcome)), (x, 0), (0, shift - 1.3 * size), weight=weight, **below
        )
    if decision.equal is not None:
        weight = "bold" if first == "equal" else "normal"
        axes.text(0.5, _TALL + 0.03, f"equal {format_share(decision.equal)}", ha="center", size=size, weight=weight)
    return cells


def _draw_ticks(axes: Axes, posterior: Posterior) -> None:
    """Draw ticks at every fifth of each side, parallel to the lines of equal shares, and name the sides."""
    two = posterior.decision.equal is None
    look: Look = {"xycoords": "data", "textcoords": "offset points", "size": 8, "color": SOFT, "va": "center"}
    for fifth in _FIFTHS:
        label = f"{fifth:.1f}".removeprefix("0")
        for a, b, over_a, over_b, shift, side in (
            (1 - fifth, fifth, _TICK, 0, (-3, -9), "center"),
            (0, 1 - fifth, -_TICK, _TICK, (7, 3), "left"),
            (fifth, 0, 0, -_TICK, (-7, 3), "right"),
        )[: 1 if two else 3]:
            axes.annotate(label, place_shares(a, b), shift, ha=side, **look)
            tick = place_shares(np.array([a, a + over_a]), np.array([b, b + over_b]))
            axes.plot(*tick, color=SOFT, lw=0.8, clip_on=False)
    axes.annotate(f"P({shorten_name(posterior.b, 16)} better) →", (0.5, 0), (0, -24), ha="center", **look)
    if not two:
        axes.annotate(
            f"↙ P({shorten_name(posterior.a, 16)} better)", place_shares(0.5, 0), (-26, 12), ha="right", **look
        )
        axes.annotate("P(equal) ↖", place_shares(0, 0.5), (26, 12), ha="left", **look)


# --- many triangles ---


@with_look
def draw_simplex_grid(rows: Sequence[Sequence[Posterior | None]], caption: str, heads: Sequence[str] = ()) -> Figure:
    """Small triangles in rows with a common scale; `heads` are the titles of the columns."""
    posteriors = [posterior for row in rows for posterior in row if posterior]
    figure, cells = make_sheet(), None
    for down, row in enumerate(rows):
        for column, posterior in enumerate(row):
            axes = figure.add_axes((column * 1.95, -down * 2.0, _SMALL, _SMALL * _TALL))
            if heads and not down:
                axes.set_title(shorten_name(heads[column], 22), pad=18)
            if posterior:
                cells = _draw_triangle(axes, posterior, _most_draws(posteriors), small=True) or cells
            else:
                axes.set_axis_off()
    if cells is not None:
        _draw_key(figure, cells, max(map(len, rows)) * 1.95, -0.4, 1.6)
    return add_caption(figure, f"{caption}; {_describe_draws(posteriors)}.")


def _draw_key(figure: Figure, cells: Any, x: float, y: float, height: float) -> None:
    """Draw the key to the shades of all triangles."""
    bar = figure.colorbar(cells, cax=figure.add_axes((x, y, 0.12, height)))
    bar.outline.set_visible(False)
    bar.ax.minorticks_off()
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{round(value):,}" if value >= 1 else "")
    bar.ax.set_title("draws\nin a cell", size=8, weight="normal", color=SOFT, pad=13)


def _most_draws(posteriors: Iterable[Posterior]) -> int:
    return max((cell.draws for posterior in posteriors for cell in posterior.simplex), default=1)


def _describe_draws(posteriors: Sequence[Posterior]) -> str:
    draws = {sum(cell.draws for cell in posterior.simplex) for posterior in posteriors} - {0}
    number = f"{draws.pop():,} posterior draws" if len(draws) == 1 else "posterior draws"
    each = " each" if len(posteriors) > 1 else ""
    return f"{number}{each}; at the corners: the share in which that outcome is the most probable"


# --- the partial order of systems as a graph in levels, better above worse ---


Edge = tuple[str, str]
"""The worse and the better system."""
Pairs = Collection[frozenset[str]]
"""Pairs of systems."""
Stop = str | tuple[str, str, int]
"""A system, or the point at which an edge passes a level."""


def assign_levels(order: Sequence[str], covers: Iterable[Edge]) -> dict[str, int]:
    """The level of each system, above all systems that it covers; edges against the order do not count."""
    place = {name: number for number, name in enumerate(order)}
    below: dict[str, list[str]] = {name: [] for name in order}
    for worse, better in covers:
        if place[worse] < place[better]:
            below[better].append(worse)
    levels: dict[str, int] = {}
    for name in order:
        levels[name] = max((levels[worse] + 1 for worse in below[name]), default=0)
    return levels


def lay_out_levels(
    order: Sequence[str], level: Mapping[str, int], edges: Iterable[Edge]
) -> tuple[list[list[Stop]], dict[Edge, list[Stop]]]:
    """Systems and the passing points of long edges on each level, and the stops of each edge from level to level.

    Their order has few crossing lines and does not depend on chance.
    """
    rows: list[list[Stop]] = [[] for _ in range(max(level.values(), default=0) + 1)]
    for name in order:
        rows[level[name]].append(name)
    paths: dict[Edge, list[Stop]] = {}
    for worse, other in edges:
        low, high = sorted((worse, other), key=lambda name: level[name])
        passing: list[Stop] = [(low, high, number) for number in range(level[low] + 1, level[high])]
        for number, stop in enumerate(passing, level[low] + 1):
            rows[number].append(stop)
        paths[worse, other] = [low, *passing, high]
    # Each stop moves to the middle of its neighbours on the next level, alternately upwards and downwards.
    near: dict[Stop, list[Stop]] = {stop: [] for row in rows for stop in row}
    for path in paths.values():
        for here, there in pairwise(path):
            near[here].append(there)
            near[there].append(here)
    for turn in range(4):
        upwards = turn % 2 == 0
        for number in range(1, len(rows)) if upwards else range(len(rows) - 2, -1, -1):
            fixed, row = rows[number - 1 if upwards else number + 1], rows[number]
            # Places are from 0 to 1, because levels differ in their number of stops.
            place = {stop: (index + 0.5) / len(fixed) for index, stop in enumerate(fixed)}
            middle = {stop: (index + 0.5) / len(row) for index, stop in enumerate(row)}
            for stop in row:
                beside = [place[other] for other in near[stop] if other in place]
                middle[stop] = sum(beside) / len(beside) if beside else middle[stop]
            rows[number] = sorted(row, key=middle.__getitem__)
    return rows, paths


# --- relations and their places ---


Point = tuple[float, float]
_EQUAL = ("≈", "⪅", "⪆")
_UNDECIDED = "?"
_TURNED = {"<": ">", ">": "<", "⪅": "⪆", "⪆": "⪅"}
_BOX, _APART, _STEP = 0.34, 0.38, 1.0
_OPEN = "undecided; the most frequent relation is shown"


def sort_relations(ranking: Ranking) -> tuple[tuple[Edge, ...], tuple[Edge, ...], tuple[RankRelation, ...]]:
    """The covering edges, the edges that the chain hides or contradicts, and ties."""
    strict = {
        (row.a, row.b) if row.relation == "<" else (row.b, row.a): row
        for row in ranking.relations
        if row.relation in ("<", ">")
    }
    ties = tuple(row for row in ranking.relations if row.relation in (*_EQUAL, _UNDECIDED))
    tied: dict[str, set[str]] = {name: set() for name in ranking.order}
    for row in ties:
        if row.relation in _EQUAL:
            tied[row.a].add(row.b)
            tied[row.b].add(row.a)
    place = {name: number for number, name in enumerate(ranking.order)}
    flagged = tuple(
        (worse, better) for worse, better in strict if place[worse] > place[better] or tied[worse] & tied[better]
    )
    covers = tuple(edge for edge, row in strict.items() if row.covers and edge not in flagged)
    return covers, flagged, ties


class _Plan:
    """The layout in inches: boxes in levels, and the lines between them."""

    def __init__(self, order: tuple[str, ...], level: Mapping[str, int], edges: list[Edge]) -> None:
        self.rows, self.paths = lay_out_levels(order, level, edges)
        self.box = max(text_width(shorten_name(name, 22), weight="bold") for name in order) + 0.3
        widths = [sum(map(self._room, row)) + _APART * (len(row) - 1) for row in self.rows]
        self.width, self.height = max(widths), _STEP * (len(self.rows) - 1) + _BOX
        self.places: dict[Stop, Point] = {}
        for number, (row, width) in enumerate(zip(self.rows, widths, strict=True)):
            x = (self.width - width) / 2
            for stop in row:
                self.places[stop] = (x + self._room(stop) / 2, _BOX / 2 + _STEP * number)
                x += self._room(stop) + _APART

    def _room(self, stop: Stop) -> float:
        return self.box if isinstance(stop, str) else 0.12

    def rise(self, edge: Edge) -> list[Point]:
        """The line of an edge from level to level; it passes a level straight, so that it crosses no box."""
        low, *passing, high = [self.places[stop] for stop in self.paths[edge]]
        line = [point for x, y in passing for point in ((x, y - _BOX / 2), (x, y + _BOX / 2))]
        first, last = [*line, high][0], [low, *line][-1]
        return [(self._door(low, first), low[1] + _BOX / 2), *line, (self._door(high, last), high[1] - _BOX / 2)]

    def _door(self, box: Point, other: Point) -> float:
        """The place on a box at which a line ends, shifted to the side from which the line comes."""
        most = self.box / 2 - 0.12
        return box[0] + min(max((other[0] - box[0]) / 4, -most), most)

    def bow(self, edge: Edge, side: int) -> list[Point]:
        """The line between two systems of one level: above the others (1), or below them (-1)."""
        (x, y), (end, _) = (self.places[name] for name in edge)
        height = min(0.15 + abs(end - x) / 12, 0.42)
        parts = [number / 12 for number in range(13)]
        return [(x + (end - x) * part, y + side * (_BOX / 2 + 4 * height * part * (1 - part))) for part in parts]


@with_look
def draw_ranking(ranking: Ranking, undecided: Pairs = ()) -> Figure:
    """The partial order of systems on one measure; lines of undecided pairs are dashed."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    covering, flagged, ties = sort_relations(ranking)
    covers = [*covering, *flagged]
    level = assign_levels(ranking.order, covers)
    edges = [*covers, *((row.a, row.b) for row in ties)]
    plan = _Plan(ranking.order, level, [edge for edge in edges if level[edge[0]] != level[edge[1]]])
    figure = make_sheet()
    axes = figure.add_axes((0, 0, plan.width, plan.height))
    hide_axes(axes, (0, plan.width), (0, plan.height))
    arrow = {"arrowstyle": "-|>", "color": SOFT, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (-0.5, plan.height), (-0.5, 0), arrowprops=arrow, annotation_clip=False)
    axes.text(-0.5, plan.height + 0.06, "better", ha="center", size=8, color=SOFT)
    for edge in covers:
        line = plan.rise(edge) if edge in plan.paths else plan.bow(edge, 1)
        line = line if level[edge[0]] <= level[edge[1]] else line[::-1]
        hidden, is_open = edge in flagged, frozenset(edge) in undecided
        colour, dashes, label = (FLAG, "-.", "hidden by the chain") if hidden else (INK, "-", "worse → better")
        look: Look = {"color": colour, "ls": "--" if is_open else dashes, "lw": 1.2}
        axes.add_patch(FancyArrowPatch(path=Path(line), arrowstyle="-|>", mutation_scale=11, clip_on=False, **look))
        axes.plot([], [], marker=">", **look, label=_OPEN if is_open and not hidden else label)
        if hidden:
            ring = {"boxstyle": "circle,pad=0.2", "fc": "white", "ec": FLAG}
            axes.text(
                *_find_middle(line), "!", ha="center", va="center", size=8, weight="bold", color=FLAG, bbox=ring
            )
    _draw_ties(axes, plan, ties, undecided)
    for name in ranking.order:
        _draw_box(axes, *plan.places[name], plan.box, _BOX, ec=INK, fc="white", zorder=3)
        axes.text(*plan.places[name], shorten_name(name, 22), ha="center", va="center", weight="bold", zorder=4)
    close = ["⪅ means ≈, with < nearly as frequent."] if any(row.relation in ("⪅", "⪆") for row in ties) else []
    notes = [*close, *(f"! {sentence}" for sentence in ranking.intransitive)]
    order = shorten_name(ranking.headline or ranking.chain, 200)
    return add_caption(figure, f"Order by {shorten_name(ranking.measure)}: {order}.", notes)


def _draw_ties(axes: Axes, plan: _Plan, ties: tuple[RankRelation, ...], undecided: Pairs) -> None:
    """Draw ties as lines with their sign, dashed if undecided, and a frame around a level on which all are ≈."""
    framed = []
    for stops in plan.rows:
        names = [stop for stop in stops if isinstance(stop, str)]
        equal = [tie for tie in ties if tie.relation == "≈" and {tie.a, tie.b} <= set(names)]
        if len(names) > 2 and len(equal) == len(names) * (len(names) - 1) // 2:
            framed += equal
            (left, y), (right, _) = plan.places[names[0]], plan.places[names[-1]]
            is_open = any(frozenset((tie.a, tie.b)) in undecided for tie in equal)
            look: Look = {"ec": SOFT, "ls": "--" if is_open else "-", "fill": False}
            _draw_box(axes, (left + right) / 2, y, right - left + plan.box + 0.2, _BOX + 0.2, **look)
            axes.text(right + plan.box / 2 + 0.16, y, "all ≈", va="center", size=8, color=SOFT)
    for row in ties:
        edge, sign = (row.a, row.b), row.relation
        if edge in plan.paths:
            line = plan.rise(edge)
        else:
            if plan.places[row.a][0] > plan.places[row.b][0]:
                edge, sign = (row.b, row.a), _TURNED.get(sign, sign)
            (x, y), (end, _) = plan.places[edge[0]], plan.places[edge[1]]
            near = end - x <= plan.box + _APART + 0.01
            if not near and row in framed:
                continue
            line = [(x + plan.box / 2, y), (end - plan.box / 2, y)] if near else plan.bow(edge, -1)
        dashes, label = ("--", _OPEN) if frozenset(edge) in undecided else ("-", "≈ practically equivalent")
        axes.plot(*zip(*line, strict=True), dashes, color=SOFT, lw=1.3, clip_on=False, label=label)
        patch = {"boxstyle": "circle,pad=0.1", "fc": "white", "ec": "none"}
        axes.text(*_find_middle(line), sign, ha="center", va="center", bbox=patch)


def _draw_box(axes: Axes, x: float, y: float, width: float, height: float, **look: Any) -> None:
    """Draw a box with round corners around a point."""
    from matplotlib.patches import FancyBboxPatch

    corner = (x - width / 2, y - height / 2)
    round_ = "round,pad=0,rounding_size=0.06"
    axes.add_patch(FancyBboxPatch(corner, width, height, boxstyle=round_, lw=1.2, clip_on=False, **look))


def _find_middle(line: list[Point]) -> Point:
    """A place on the middle part of a line, a little before its centre, because fewer lines cross there."""
    (x, y), (to_x, to_y) = line[(len(line) - 1) // 2], line[(len(line) - 1) // 2 + 1]
    return 0.58 * x + 0.42 * to_x, 0.58 * y + 0.42 * to_y


# --- mean ranks over data sets on a line, with a bar over systems that do not differ significantly ---


_NAME, _JOINT, _FEW = 0.2, 0.11, 6


def list_groups(ranks: MeanRanks) -> list[tuple[str, ...]]:
    """The groups of two or more systems, each from its best to its worst."""
    signs = dict.fromkeys(sign for text in ranks.groups.values() for sign in text)
    groups = [tuple(name for name in ranks.ranks if sign in ranks.groups[name]) for sign in signs]
    return [group for group in groups if len(group) > 1]


@with_look
def draw_critical_difference(ranks: MeanRanks) -> Figure:
    """The critical-difference diagram of one measure; the best system is on the left."""
    groups, places = list_groups(ranks), list(ranks.ranks.values())
    low, high = math.floor(min(places)), math.ceil(max(places))
    high += low == high
    whole = COLUMN if len(places) <= _FEW else PAGE
    names = [
        f"{name}  {rank:.2f}" for name, rank in zip(fit_names(list(ranks.ranks), whole / 4, 8), places, strict=True)
    ]
    half = -(-len(names) // 2)
    sides = [max((text_width(name, 8) for name in part), default=0.0) + 0.12 for part in (names[:half], names[half:])]
    width, height = whole - sum(sides), _NAME * half + _JOINT * len(groups) + 0.15
    figure = make_sheet(whole)
    axes = add_panel(figure, sides[0], 0, width, height)
    hide_axes(axes, (0, width), (0, height))

    def x(rank: float) -> float:
        return width * (rank - low) / (high - low)

    axes.plot([0, width], [height] * 2, color=INK, lw=1, clip_on=False)
    for rank in range(low, high + 1, math.ceil(0.22 * (high - low) / width)):
        axes.plot([x(rank)] * 2, [height, height + 0.06], color=INK, lw=1, clip_on=False)
        axes.text(x(rank), height + 0.08, str(rank), ha="center", va="bottom", size=8, color=SOFT)
    if ranks.by == "nemenyi":
        end = x(low + ranks.critical_difference)
        axes.plot([0, end], [height + 0.32] * 2, "|-", color=INK, lw=1, ms=6, clip_on=False)
        text = f"critical difference {ranks.critical_difference:.2f}"
        axes.text(0, height + 0.36, text, va="bottom", size=8, color=SOFT)
    for number, group in enumerate(groups):
        level = height - _JOINT * (number + 1)
        ends = [x(ranks.ranks[name]) for name in (group[0], group[-1])]
        axes.plot([ends[0] - 0.03, ends[1] + 0.03], [level] * 2, color=INK, lw=3, clip_on=False)
    for index, (name, at) in enumerate(zip(names, places, strict=True)):
        left = index < half
        level = _NAME * (half - index if left else half - (len(names) - 1 - index)) - _NAME / 2
        end, side = (-0.04, -0.02) if left else (width + 0.04, 0.02)
        axes.plot([x(at), x(at), end], [height, level, level], color=SOFT, lw=0.8, clip_on=False)
        axes.text(end + side, level, name, ha="right" if left else "left", va="center", size=8)
    test = {
        "wilcoxon": "Wilcoxon's signed-rank test, p > 0.05 after Holm's correction",
        "nemenyi": "Nemenyi's test, p > 0.05",
    }[ranks.by]
    return add_caption(
        figure,
        f"Mean ranks by {shorten_name(ranks.measure)} over {ranks.data_sets} data sets (1 is best); bars join "
        f"systems that do not differ significantly ({test}).",
    )
