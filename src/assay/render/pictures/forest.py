"""A forest plot: how far apart two systems are, on each data set, on the whole, and on the next."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeGuard

from assay.render.pictures.sheet import BAND, ESTIMATE, INK, SOFT, Look, drawn, headed, sheet
from assay.render.pictures.words import Unit, pair_title, short
from assay.render.text import plural
from assay.result.posteriors import Estimate, Posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDE, _ROW = 3.8, 0.27
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
    """Whether there is an estimate with both ends; what is undefined has no place."""
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
    axes = figure.add_axes((0, 0, _WIDE, _ROW * len(rows) + 0.1))
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
    rope = f"; practically equal within ±{unit.bare(posterior.rope)}" if posterior.rope else ""
    notes = ["▶ goes on beyond the frame; its ends are in the column of numbers"] if any(beyond) else []
    return headed(figure, pair_title(posterior), f"Difference in {unit.name}{rope}", notes)


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
