"""Triangles of posterior draws: the nearer to a corner, the surer that outcome on a new data set.

A's corner is at the bottom left, B's at the bottom right, equality's on top, as in the paper's Figures 1 to 3.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.render.pictures.sheet import (
    FLAG,
    INK,
    SOFT,
    Look,
    bare,
    captioned,
    drawn,
    largest,
    pair_title,
    share,
    sheet,
    short,
)
from assay.render.text import count
from assay.result.schema import Posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TALL = math.sqrt(3) / 2
_LARGE, _SMALL = 3.6, 1.5
_CONTOURS = {50: "-", 95: "--"}
_SMOOTHING = 2
_FIFTHS, _TICK = (0.2, 0.4, 0.6, 0.8), 0.015


def place(a: Any, b: Any) -> tuple[Any, Any]:
    """The point for a probability of A and one of B, or for many; equality has the rest. Sides are 1 long."""
    equal = 1 - a - b
    return b + equal / 2, _TALL * equal


def corners(a: int, b: int, up: bool) -> tuple[tuple[int, int], ...]:
    """The corners of a cell, counted in parts of a side: how many of A, how many of B."""
    return (a + 1, b), (a, b + 1), (a, b) if up else (a + 1, b + 1)


def density(posterior: Posterior) -> tuple[NDArray[np.int64], NDArray[np.float64], dict[int, float]]:
    """The density of draws, smoothed so that chance does not fray its contours.

    The numbers of each cell's three corners, how dense draws lie at each corner, and down to which density each
    percentage of them lies.
    """
    sides = posterior.sides
    number = {(cell.a, cell.b, cell.up): cell.draws for cell in posterior.simplex}
    keys = [
        (a, b, up) for a in range(sides) for b in range(sides - a) for up in (True, False)[: 2 - (a + b == sides - 1)]
    ]
    draws = np.array([number.get(key, 0) for key in keys])
    cells = np.array([[a * (sides + 1) + b for a, b in corners(*key)] for key in keys])
    around = np.bincount(cells.ravel(), minlength=(sides + 1) ** 2)
    # Of logarithms, so that a cell with thousands of draws does not spill over empty ones.
    values = np.log1p(draws)
    for _ in range(_SMOOTHING):
        heights = np.bincount(cells.ravel(), np.repeat(values, 3), len(around)) / np.maximum(around, 1)
        values = heights[cells].mean(axis=1)
    ranked = np.argsort(-values, kind="stable")
    held = np.cumsum(draws[ranked])
    last = {percent: int(np.searchsorted(held, percent * held[-1] / 100)) for percent in _CONTOURS}
    # Between the last cell that is in and the first that is out.
    levels = {percent: float(values[ranked[end : end + 2]].mean()) for percent, end in last.items()}
    return cells, heights, levels


# --- one triangle ---


@drawn
def simplex(posterior: Posterior) -> Figure:
    """One pair on one measure, large."""
    figure = sheet()
    axes = figure.add_axes((0, 0, _LARGE, _LARGE * _TALL))
    cells = _triangle(axes, posterior, _most([posterior]))
    _sides(axes, posterior)
    if cells is not None:
        _bar(figure, cells, _LARGE + 0.55, 0.4, 2.2)
    return captioned(figure, f"{pair_title(posterior)}; {_told([posterior])}.")


def _triangle(axes: Axes, posterior: Posterior, most: int, small: bool = False) -> Any:
    """One triangle; the coloured cells, where there are any."""
    bare(axes, (0, 1), (0, _TALL))
    axes.set_aspect("equal")
    cells = None
    if not posterior.simplex:
        axes.text(0.5, 0.2, "no draws", ha="center", size=8, color=SOFT)
    elif posterior.decision.equal is None:
        _histogram(axes, posterior)
    else:
        cells = _cells(axes, posterior, most)
    if posterior.decision.equal is not None:
        axes.fill(*place(np.array([1, 0, 0]), np.array([0, 1, 0])), fill=False, ec=INK, lw=1, clip_on=False, zorder=3)
        for a, b in ((0.5, 0.5), (0.5, 0.0), (0.0, 0.5)):
            line = place(np.array([1 / 3, a]), np.array([1 / 3, b]))
            axes.plot(*line, ":", color=INK, lw=0.9, label="where the likeliest outcome changes")
    _vertices(axes, posterior, small)
    return cells


def _cells(axes: Axes, posterior: Posterior, most: int) -> Any:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LogNorm
    from matplotlib.patheffects import withStroke
    from matplotlib.tri import Triangulation

    sides = posterior.sides
    # Logarithmic: draws crowd at the edges, and a scale of even steps would show nothing else.
    cells = PolyCollection(
        [[place(a / sides, b / sides) for a, b in corners(cell.a, cell.b, cell.up)] for cell in posterior.simplex],
        array=[cell.draws for cell in posterior.simplex],
        cmap="Blues",
        norm=LogNorm(0.5, max(most, 2)),
        linewidths=0.2,
        edgecolors="face",
    )
    axes.add_collection(cells, autolim=False)
    corner_numbers, heights, levels = density(posterior)
    triangles = Triangulation(*place(*np.indices((sides + 1, sides + 1)).reshape(2, -1) / sides), corner_numbers)
    for percent, level in levels.items():
        dashes = _CONTOURS[percent]
        look: Look = {"colors": FLAG, "linewidths": 1.2, "linestyles": dashes}
        line = axes.tricontour(triangles, heights, [level], **look)
        # White below keeps a contour apart from shades as dark as itself.
        line.set_path_effects([withStroke(linewidth=2.4, foreground="white")])
        axes.plot([], [], color=FLAG, lw=1.2, ls=dashes, label=f"{percent}% of draws")
    return cells


def _histogram(axes: Axes, posterior: Posterior) -> None:
    """Without a region of equality all draws lie on the lower side: bars on it."""
    columns: Counter[int] = Counter()
    for cell in posterior.simplex:
        columns[cell.b] += cell.draws
    tallest = max(columns.values())
    wide = 1 / posterior.sides
    heights = [0.9 * _TALL * draws / tallest for draws in columns.values()]
    axes.bar([wide * column for column in columns], heights, wide, align="edge", color="#578abb", ec="white", lw=0.4)
    axes.plot([0, 1], [0, 0], color=INK, lw=1.2, clip_on=False)
    axes.axvline(0.5, ls=":", color=INK, lw=0.9)
    axes.text(0, _TALL, f"tallest: {count(tallest)} draws", size=8, color=SOFT)


def _vertices(axes: Axes, posterior: Posterior, small: bool) -> None:
    """Names and decision shares at the corners, the largest in bold."""
    decision, first, size = posterior.decision, largest(posterior.decision), 8 if small else 9
    sides = ("left", "right") if small else ("center", "center")
    for outcome, name, x, side in (("a", posterior.a, 0, sides[0]), ("b", posterior.b, 1, sides[1])):
        weight = "bold" if outcome == first else "normal"
        below: Look = {"xycoords": "data", "textcoords": "offset points", "ha": side, "va": "top", "size": size}
        shift = -4 if small else -20
        axes.annotate(short(name, 10 if small else 20), (x, 0), (0, shift), **below)
        axes.annotate(share(getattr(decision, outcome)), (x, 0), (0, shift - 1.3 * size), weight=weight, **below)
    if decision.equal is not None:
        weight = "bold" if first == "equal" else "normal"
        axes.text(0.5, _TALL + 0.03, f"equal {share(decision.equal)}", ha="center", size=size, weight=weight)


def _sides(axes: Axes, posterior: Posterior) -> None:
    """Ticks at every fifth of each side, along the lines on which that share stays the same, and what they count."""
    two = posterior.decision.equal is None
    look: Look = {"xycoords": "data", "textcoords": "offset points", "size": 8, "color": SOFT, "va": "center"}
    for fifth in _FIFTHS:
        label = f"{fifth:.1f}".removeprefix("0")
        for a, b, over_a, over_b, shift, side in (
            (1 - fifth, fifth, _TICK, 0, (-3, -9), "center"),
            (0, 1 - fifth, -_TICK, _TICK, (7, 3), "left"),
            (fifth, 0, 0, -_TICK, (-7, 3), "right"),
        )[: 1 if two else 3]:
            axes.annotate(label, place(a, b), shift, ha=side, **look)
            tick = place(np.array([a, a + over_a]), np.array([b, b + over_b]))
            axes.plot(*tick, color=SOFT, lw=0.8, clip_on=False)
    axes.annotate(f"P({short(posterior.b, 16)} better) →", (0.5, 0), (0, -24), ha="center", **look)
    if not two:
        axes.annotate(f"↙ P({short(posterior.a, 16)} better)", place(0.5, 0), (-26, 12), ha="right", **look)
        axes.annotate("P(equal) ↖", place(0, 0.5), (26, 12), ha="left", **look)


# --- many triangles ---


@drawn
def simplex_grid(rows: Sequence[Sequence[Posterior | None]], caption: str, heads: Sequence[str] = ()) -> Figure:
    """Small triangles in rows, all with one scale; heads name the columns."""
    posteriors = [posterior for row in rows for posterior in row if posterior]
    figure, cells = sheet(), None
    for down, row in enumerate(rows):
        for column, posterior in enumerate(row):
            axes = figure.add_axes((column * 1.95, -down * 2.0, _SMALL, _SMALL * _TALL))
            if heads and not down:
                axes.set_title(short(heads[column], 22), pad=18)
            if posterior:
                cells = _triangle(axes, posterior, _most(posteriors), small=True) or cells
            else:
                axes.set_axis_off()
    if cells is not None:
        _bar(figure, cells, max(map(len, rows)) * 1.95, -0.4, 1.6)
    return captioned(figure, f"{caption}; {_told(posteriors)}.")


def _bar(figure: Figure, cells: Any, x: float, y: float, height: float) -> None:
    """The key to the shades of all triangles."""
    bar = figure.colorbar(cells, cax=figure.add_axes((x, y, 0.12, height)))
    bar.outline.set_visible(False)
    bar.ax.minorticks_off()
    bar.ax.yaxis.set_major_formatter(lambda value, _: count(round(value)) if value >= 1 else "")
    bar.ax.set_title("draws\nin a cell", size=8, weight="normal", color=SOFT, pad=13)


def _most(posteriors: Iterable[Posterior]) -> int:
    return max((cell.draws for posterior in posteriors for cell in posterior.simplex), default=1)


def _told(posteriors: Sequence[Posterior]) -> str:
    draws = {sum(cell.draws for cell in posterior.simplex) for posterior in posteriors} - {0}
    number = f"{count(draws.pop())} posterior draws" if len(draws) == 1 else "posterior draws"
    each = " each" if len(posteriors) > 1 else ""
    return f"{number}{each}; at the corners: the share in which that outcome is the likeliest"
