"""A forest plot: how far apart two systems are, on each data set, on the whole, and on the next."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from assay.render.pictures.canvas import Canvas, title_of
from assay.render.pictures.letters import Unit, isolated, thirds, width_of
from assay.render.pictures.scales import Scale, tick_label
from assay.render.text import plural
from assay.result.posteriors import Estimate, Posterior

_PLOT, _MEASURED, _NUMBERS = 360.0, 84.0, 190.0
_ROW = 28.0
_TOP = 104.0


@dataclass(frozen=True)
class Row:
    """A line of the plot: `kind` is `data set`, `mean` or `next`."""

    kind: str
    name: str
    measured: float | None
    estimate: Estimate | None
    note: str = ""


def forest_rows(posterior: Posterior) -> list[Row]:
    """The data sets, then the mean over all of them and the next one to come."""
    found = [
        Row(
            "data set",
            row.name,
            row.difference if math.isfinite(row.difference) else None,
            row.estimate if _known(row.estimate) else None,
            plural(row.runs, "run"),
        )
        for row in posterior.by_data_set
    ]
    if _known(posterior.mean):
        found.append(Row("mean", "mean over data sets", None, posterior.mean))
    if _known(posterior.next):
        found.append(Row("next", "another data set", None, posterior.next))
    return found


def _known(estimate: Estimate | None) -> TypeGuard[Estimate]:
    """Whether there is an estimate with both ends; what is undefined has no place."""
    return estimate is not None and all(map(math.isfinite, (estimate.mean, estimate.low, estimate.high)))


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


def forest(posterior: Posterior) -> Canvas:
    """One pair on one measure."""
    unit, rows = Unit(posterior), forest_rows(posterior)
    title = title_of(posterior, "data set by data set")
    names = _room_for_names(rows)
    width = 20 + names + _PLOT + 16 + _MEASURED + _NUMBERS
    bottom = _TOP + _ROW * (len(rows) + (rows[-1].kind != "data set" if rows else 0) * 0.4) + 6
    low, high = span(posterior)
    scale = Scale(low * unit.scale, high * unit.scale, 20 + names, 20 + names + _PLOT)
    beyond = any(_leaves(row, scale, unit) for row in rows)
    canvas = Canvas(width, bottom + (104 if beyond else 86), title, _description(posterior, unit, rows))
    canvas.heading(posterior, _subtitle(posterior, unit))
    _ground(canvas, posterior, scale, unit, bottom)
    y = _TOP + _ROW / 2
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        _row(canvas, row, scale, unit, y)
        y += _ROW
        if after and after.kind == "mean" and row.kind == "data set":
            canvas.line("grid", (20, y - _ROW / 2 + 0.2 * _ROW), (width - 20, y - _ROW / 2 + 0.2 * _ROW))
            y += 0.4 * _ROW
    _key(canvas, bottom + 66, beyond)
    return canvas


def _room_for_names(rows: list[Row]) -> float:
    """As wide as the longest name and its number of runs, within reason."""
    widest = max((width_of(row.name, 12, row.kind != "data set") + _note(row) for row in rows), default=0.0)
    return min(max(widest + 20, 150), 320)


def _note(row: Row) -> float:
    return width_of(row.note, 10.5) + 10 if row.note else 0


def _subtitle(posterior: Posterior, unit: Unit) -> str:
    rope = f"; practically equal within ±{unit.bare(posterior.rope)}" if posterior.rope else ""
    return f"Difference in {unit.name}{rope}"


def _ground(canvas: Canvas, posterior: Posterior, scale: Scale, unit: Unit, bottom: float) -> None:
    """The region of equality, the axis and its ticks, zero, and which side is whose."""
    if posterior.rope:
        left, right = scale.at(-posterior.rope * unit.scale), scale.at(posterior.rope * unit.scale)
        canvas.rect("band", left, _TOP - 4, right - left, bottom - _TOP + 4)
        canvas.text("small", (left + right) / 2, _TOP - 10, "equal", "middle")
    ticks = scale.ticks()
    canvas.lines("grid", [((x, _TOP - 4), (x, bottom)) for x in map(scale.at, ticks)])
    canvas.line("axis", (scale.start, bottom), (scale.end, bottom))
    for tick in ticks:
        canvas.text("small", scale.at(tick), bottom + 15, tick_label(tick, ticks), "middle")
    zero = scale.at(0)
    canvas.line("zero", (zero, _TOP - 4), (zero, bottom))
    room = _PLOT / 2 - 12
    canvas.text("small-ink", scale.start, bottom + 34, f"← {isolated(posterior.a)}", room=room, after=" better")
    canvas.text("small-ink", scale.end, bottom + 34, isolated(posterior.b), "end", room=room, after=" better →")
    right = scale.end + 16 + _MEASURED
    canvas.text("small", right - 12, _TOP - 10, "measured", "end")
    canvas.text("small", right, _TOP - 10, "estimate [95% interval]")


def _row(canvas: Canvas, row: Row, scale: Scale, unit: Unit, y: float) -> None:
    role = "text" if row.kind == "data set" else "strong"
    canvas.text(role, 20, y + 4, row.name, room=scale.start - 32 - _note(row))
    if row.note:
        canvas.text("small", scale.start - 14, y + 4, row.note, "end")
    right = scale.end + 16 + _MEASURED
    if row.estimate:
        _interval(canvas, row, row.estimate, scale, unit, y)
        canvas.text("small-ink", right, y + 4, unit.estimate(row.estimate), room=_NUMBERS - 10)
    if row.measured is not None:
        canvas.circle("measured", scale.within(row.measured * unit.scale), y, 6)
        canvas.text("small-ink", right - 12, y + 4, unit(row.measured), "end")
    if row.kind == "data set" and row.estimate:
        x = scale.within(row.estimate.mean * unit.scale)
        canvas.rect("estimate", x - 2.5, y - 2.5, 5, 5)


def _interval(canvas: Canvas, row: Row, estimate: Estimate, scale: Scale, unit: Unit, y: float) -> None:
    """A bar from end to end, with an arrow where it goes on beyond the frame."""
    bar = {"data set": "interval", "mean": "mean-interval", "next": "next-interval"}[row.kind]
    ends = [scale.within(value * unit.scale) for value in (estimate.low, estimate.high)]
    canvas.line(bar, (ends[0], y), (ends[1], y))
    for value, x, side in ((estimate.low, ends[0], -1), (estimate.high, ends[1], 1)):
        if scale.low <= value * unit.scale <= scale.high:
            canvas.line(bar if row.kind != "next" else "zero", (x, y - 4), (x, y + 4))
        else:
            arrow = "estimate" if row.kind == "data set" else "mean"
            canvas.polygon(arrow, (x + 5 * side, y), (x - 4 * side, y - 5), (x - 4 * side, y + 5))
    x = scale.within(estimate.mean * unit.scale)
    if row.kind != "data set":
        canvas.polygon(row.kind, (x - 7, y), (x, y - 6), (x + 7, y), (x, y + 6))


def _leaves(row: Row, scale: Scale, unit: Unit) -> bool:
    if row.estimate is None:
        return False
    return row.estimate.low * unit.scale < scale.low or row.estimate.high * unit.scale > scale.high


def _key(canvas: Canvas, y: float, beyond: bool) -> None:
    x = 20.0
    canvas.circle("measured", x + 6, y - 4, 6)
    x = _label(canvas, x + 20, y, "measured")
    canvas.line("interval", (x, y - 4), (x + 24, y - 4))
    canvas.rect("estimate", x + 9.5, y - 6.5, 5, 5)
    x = _label(canvas, x + 32, y, "estimate in the light of all data sets, 95% interval")
    canvas.polygon("mean", (x, y - 4), (x + 7, y - 10), (x + 14, y - 4), (x + 7, y + 2))
    x = _label(canvas, x + 22, y, "mean")
    canvas.polygon("next", (x, y - 4), (x + 7, y - 10), (x + 14, y - 4), (x + 7, y + 2))
    x = _label(canvas, x + 22, y, "another data set")
    if beyond:
        canvas.polygon("mean", (34, y + 14), (25, y + 9), (25, y + 19))
        _label(canvas, 40, y + 18, "goes on beyond the frame; its ends are in the column of numbers")


def _label(canvas: Canvas, x: float, y: float, label: str) -> float:
    canvas.text("small", x, y, label)
    return x + width_of(label, 10.5) + 14


def _description(posterior: Posterior, unit: Unit, rows: list[Row]) -> str:
    return "\n".join(_sentences(posterior, unit, rows))


def _sentences(posterior: Posterior, unit: Unit, rows: list[Row]) -> Iterator[str]:
    b = isolated(posterior.b)
    yield f"Differences in {unit.name} of {posterior.measure}; positive: {b} is better."
    if posterior.rope:
        yield f"Practically equal within ±{unit.bare(posterior.rope)}."
    for row in rows:
        measured = "" if row.measured is None else f" measured {unit(row.measured)},"
        estimate = f" estimate and 95% interval {unit.estimate(row.estimate)}" if row.estimate else ""
        yield f"{isolated(row.name)}:{measured}{estimate}."
    yield f"Share of draws in which each outcome is the likeliest: {thirds(posterior, posterior.decision)}."
