"""Figures of confidences: reliability diagrams, and precision and recall over thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.render.pictures.sheet import (
    COLUMN,
    FAINT,
    INK,
    SERIES,
    SOFT,
    add_caption,
    add_panel,
    make_sheet,
    shorten_name,
    with_look,
)
from assay.result import Calibration, Curve
from assay.result.numbers import coefficient, p_value, percent, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIDE, _COUNTS, _LEFT = 2.1, 0.4, 0.45


def _set_axes(axes: Axes, across: str, upward: str) -> None:
    axes.set(xlim=(0, 100), ylim=(0, 100), xlabel=across, ylabel=upward)
    axes.tick_params(labelsize=7, length=2, pad=2)
    axes.grid(lw=0.6)


@with_look
def draw_reliability(row: Calibration, remark: str = "") -> Figure:
    """The share of right answers by confidence, where it is expected if calibrated, and the number of answers."""
    right = row.label or "right"
    figure = make_sheet(COLUMN)
    axes = add_panel(figure, _LEFT, _COUNTS + 0.45, _SIDE, _SIDE)
    counts = add_panel(figure, _LEFT, 0, _SIDE, _COUNTS)
    _set_axes(axes, "confidence in percent", f"percent {right}")
    axes.plot([0, 100], [0, 100], color=SOFT, lw=0.7, ls=":")
    width = 100 / row.number
    for one in row.bins:
        first, low, high = width * (one.bin - 1), 100 * one.expected_low, 100 * one.expected_high
        axes.fill_between([first, first + width], low, high, color=FAINT, alpha=0.5, lw=0, zorder=1)
        counts.bar(first + width / 2, one.items, 0.86 * width, color=SOFT)
        axes.plot(100 * one.confidence, 100 * one.right, marker="o", ms=4, color=INK, zorder=3, clip_on=False)
    counts.set(xlim=(0, 100), ylabel="answers")
    counts.tick_params(labelsize=7, length=2, pad=2)
    chance = f"p {p_value(row.p)}" if row.p < 0.0001 else f"p = {p_value(row.p)}"
    return add_caption(
        figure,
        f"{shorten_name(row.system)}: percent {right} by confidence{f' in {row.label}' if row.label else ''} (dots), "
        f"and the 95% range of the dots for calibrated confidences (grey). {plural(row.items, 'answer')}; "
        f"ECE {percent(row.ece)}, {percent(row.floor)} expected if calibrated, {chance}.{remark}",
    )


@with_look
def draw_precision_recall(rows: Sequence[Curve], remark: str = "") -> Figure:
    """Precision and recall of some systems over the thresholds of their confidences."""
    figure = make_sheet(COLUMN)
    axes = add_panel(figure, _LEFT, 0, _SIDE, _SIDE)
    _set_axes(axes, "recall in percent", "precision in percent")
    for row, (colour, dashes, _) in zip(rows, SERIES, strict=False):
        counted = [point for point in row.points if point.tp + point.fp and point.tp + point.fn]
        recall = [100 * point.tp / (point.tp + point.fn) for point in counted]
        precision = [100 * point.tp / (point.tp + point.fp) for point in counted]
        name = f"{shorten_name(row.system, 24)} ({coefficient(row.average_precision, 3)})"
        axes.plot(recall, precision, color=colour, ls=dashes, lw=1.2, label=name, clip_on=False)
    left = f"; the first {len(SERIES)} systems of {len(rows)}" if len(rows) > len(SERIES) else ""
    about = f" of {rows[0].label}" if rows[0].label else ""
    return add_caption(figure, f"Precision and recall{about}, with average precision in brackets{left}.{remark}")
