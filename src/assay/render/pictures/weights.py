"""Figures of unknown weights: under which of them which system is surely better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.pictures.sheet import (
    COLUMN,
    FAINT,
    INK,
    PAGE,
    SERIES,
    add_caption,
    add_panel,
    hide_axes,
    make_sheet,
    shorten_name,
    with_look,
)
from assay.result import Sweep
from assay.result.numbers import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STEPS, _SIDE, _LEFT = 10, 1.6, 0.45
_LETTERS = ("a", "b", "-")


@with_look
def draw_weights(row: Sweep, remark: str = "") -> Figure:
    """Three squares of credits, for three credits of errors of label and boundary; or a triangle of categories."""
    from matplotlib.colors import to_rgb

    shares = [0.0 if share is None else share for share in (row.surely_a, row.surely_b, row.undecided)]
    names = [f"{shorten_name(name, 24)} surely better" for name in (row.a, row.b)]
    colours = dict(zip(_LETTERS, (SERIES[0][0], SERIES[1][0], FAINT), strict=True))
    figure = make_sheet(PAGE if row.plane else COLUMN)
    if row.plane:
        for number, letters in enumerate(row.panels):
            axes = add_panel(figure, _LEFT + number * (_SIDE + 0.32), 0.0, _SIDE, _SIDE)
            squares = [[to_rgb(colours[letters[le * 11 + be]]) for le in range(11)] for be in range(11)]
            axes.imshow(squares, origin="lower", extent=(-0.05, 1.05, -0.05, 1.05), interpolation="nearest")
            _draw_even(axes, row.plane, number / 2)
            axes.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05), xlabel="credit of LE")
            axes.set_ylabel("credit of BE" if number == 0 else "")
            axes.set_title(f"LBE {('0', '½', '1')[number]}", size=8)
            axes.set_xticks([0, 0.5, 1])
            axes.set_yticks([0, 0.5, 1])
            axes.tick_params(labelsize=7, length=2, pad=2)
    else:
        axes = hide_axes(add_panel(figure, 0.3, 0.0, 2.4, 2.2), (-0.1, 1.1), (-0.12, 1.0))
        points = [(first, second) for first in range(_STEPS + 1) for second in range(_STEPS + 1 - first)]
        for (first, second), letter in zip(points, row.panels[0], strict=True):
            third = _STEPS - first - second
            place = ((second + third / 2) / _STEPS, 0.87 * third / _STEPS)
            axes.plot(*place, marker="h", ms=11, color=colours[letter], mew=0, clip_on=False)
        for name, x, y in zip(row.corners, (0, 1, 0.5), (-0.1, -0.1, 0.94), strict=True):
            axes.text(x, y, name, ha="center", va="center", size=8, color=INK)
    for letter, name in zip(_LETTERS, (*names, "undecided"), strict=True):
        axes.plot([], [], marker="s", ls="", color=colours[letter], label=name)
    of = "credits of error types, from 0 (fair) to 1 (a hit); dashed: both are equal" if row.plane else "weights"
    parts = f"{names[0]} {percent(shares[0])}%, {names[1]} {percent(shares[1])}%, undecided {percent(shares[2])}%"
    return add_caption(figure, f"{parts} of all {of}. Each point is tested separately.{remark}")


def _draw_even(axes: Axes, plane: tuple[float, ...], lbe: float) -> None:
    """The line on which both systems are equal."""
    constant, le, be, both = plane
    rest = constant + both * lbe
    if be:
        axes.plot([-0.05, 1.05], [-(rest + le * at) / be for at in (-0.05, 1.05)], color=INK, lw=1, ls="--")
    elif le:
        axes.plot([-rest / le] * 2, [-0.05, 1.05], color=INK, lw=1, ls="--")
