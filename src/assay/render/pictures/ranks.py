"""Mean ranks over data sets on a line, with a bar over systems that are not told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.render.pictures.sheet import INK, SOFT, bare, drawn, headed, sheet, short
from assay.result.posteriors import MeanRanks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _LINE = 4.5, 0.24


def bars(ranks: MeanRanks) -> list[tuple[str, ...]]:
    """The groups of two systems or more, each from its best to its worst."""
    signs = dict.fromkeys(sign for text in ranks.groups.values() for sign in text)
    groups = [tuple(name for name in ranks.ranks if sign in ranks.groups[name]) for sign in signs]
    return [group for group in groups if len(group) > 1]


@drawn
def critical_difference(ranks: MeanRanks) -> Figure:
    """The critical-difference diagram of one measure; the best system stands on the left."""
    names, found = list(ranks.ranks), bars(ranks)
    low, high = math.floor(min(ranks.ranks.values())), math.ceil(max(ranks.ranks.values()))
    high += low == high

    def x(rank: float) -> float:
        return _WIDTH * (rank - low) / (high - low)

    half = -(-len(names) // 2)
    height = _LINE * (half + 1) + 0.16 * len(found) + 0.3
    figure = sheet()
    axes = figure.add_axes((0, 0, _WIDTH, height))
    bare(axes, (0, _WIDTH), (0, height))
    axes.plot([0, _WIDTH], [height] * 2, color=INK, lw=1, clip_on=False)
    for rank in range(low, high + 1):
        axes.plot([x(rank)] * 2, [height, height + 0.08], color=INK, lw=1, clip_on=False)
        axes.text(x(rank), height + 0.12, str(rank), ha="center", va="bottom", size=8, color=SOFT)
    for number, group in enumerate(found):
        level = height - 0.16 * (number + 1)
        ends = [x(ranks.ranks[name]) for name in (group[0], group[-1])]
        axes.plot([ends[0] - 0.04, ends[1] + 0.04], [level] * 2, color=INK, lw=4, clip_on=False)
    for index, name in enumerate(names):
        left = index < half
        level = _LINE * (half - index if left else half - (len(names) - 1 - index)) - _LINE / 2
        place, end = x(ranks.ranks[name]), (-0.1 if left else _WIDTH + 0.1)
        axes.plot([place, place, end], [height, level, level], color=SOFT, lw=1, clip_on=False)
        text = f"{short(name, 22)}  {ranks.ranks[name]:.2f}"
        axes.text(end - 0.05 if left else end + 0.05, level, text, ha="right" if left else "left", va="center")
    subtitle = f"Mean ranks over {ranks.data_sets} data sets, 1 is the best; bars join what is not told apart"
    notes = [
        "Wilcoxon's signed-rank test, Holm's correction, 0.05. Nemenyi's critical difference would be "
        f"{ranks.critical_difference:.2f}."
    ]
    return headed(figure, f"Ranks by {short(ranks.measure)}", subtitle, notes)
