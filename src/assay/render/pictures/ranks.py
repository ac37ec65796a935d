"""Mean ranks over data sets on a line, with a bar over systems that are not told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.render.pictures.sheet import (
    COLUMN,
    INK,
    PAGE,
    SOFT,
    bare,
    captioned,
    drawn,
    fitted,
    panel,
    sheet,
    short,
    width_of,
)
from assay.result.schema import MeanRanks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINE, _BAR, _FEW = 0.2, 0.11, 6


def bars(ranks: MeanRanks) -> list[tuple[str, ...]]:
    """The groups of two systems or more, each from its best to its worst."""
    signs = dict.fromkeys(sign for text in ranks.groups.values() for sign in text)
    groups = [tuple(name for name in ranks.ranks if sign in ranks.groups[name]) for sign in signs]
    return [group for group in groups if len(group) > 1]


@drawn
def critical_difference(ranks: MeanRanks) -> Figure:
    """The critical-difference diagram of one measure; the best system stands on the left."""
    found, places = bars(ranks), list(ranks.ranks.values())
    low, high = math.floor(min(places)), math.ceil(max(places))
    high += low == high
    whole = COLUMN if len(places) <= _FEW else PAGE
    names = [
        f"{name}  {rank:.2f}" for name, rank in zip(fitted(list(ranks.ranks), whole / 4, 8), places, strict=True)
    ]
    half = -(-len(names) // 2)
    sides = [max((width_of(name, 8) for name in part), default=0.0) + 0.12 for part in (names[:half], names[half:])]
    width, height = whole - sum(sides), _LINE * half + _BAR * len(found) + 0.15
    figure = sheet(whole)
    axes = panel(figure, sides[0], 0, width, height)
    bare(axes, (0, width), (0, height))

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
    for number, group in enumerate(found):
        level = height - _BAR * (number + 1)
        ends = [x(ranks.ranks[name]) for name in (group[0], group[-1])]
        axes.plot([ends[0] - 0.03, ends[1] + 0.03], [level] * 2, color=INK, lw=3, clip_on=False)
    for index, (name, at) in enumerate(zip(names, places, strict=True)):
        left = index < half
        level = _LINE * (half - index if left else half - (len(names) - 1 - index)) - _LINE / 2
        end, side = (-0.04, -0.02) if left else (width + 0.04, 0.02)
        axes.plot([x(at), x(at), end], [height, level, level], color=SOFT, lw=0.8, clip_on=False)
        axes.text(end + side, level, name, ha="right" if left else "left", va="center", size=8)
    test = {
        "wilcoxon": "Wilcoxon's signed-rank test, p > 0.05 after Holm's correction",
        "nemenyi": "Nemenyi's test, p > 0.05",
    }[ranks.by]
    return captioned(
        figure,
        f"Mean ranks by {short(ranks.measure)} over {ranks.data_sets} data sets, 1 is the best; bars join systems "
        f"that are not told apart ({test}).",
    )
