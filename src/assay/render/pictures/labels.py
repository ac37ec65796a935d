"""Labels: what two systems make of each, and which of them are confused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.render.pictures.sheet import (
    BAND,
    COLUMN,
    FILLS,
    INK,
    PAGE,
    SOFT,
    Look,
    captioned,
    drawn,
    fitted,
    panel,
    sheet,
    short,
    width_of,
)
from assay.render.text import count
from assay.result import Bound, Diff, Result, is_best, is_category

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = 60
"""So many labels have room on a page."""
_HITS = ("tp", "same")
_NARROW = 15
_CORNERS = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))


# --- two systems, label by label ---


@drawn
def label_differences(diff: Diff, noun: str, remark: str = "") -> Figure:
    """The percentage right of both systems by gold's label, and the effect of each label if effects add up.

    A remark ends the caption.
    """
    differing = [row for row in diff.labels if row.difference]
    rows = differing[:LABELS]
    names, numbers = fitted([row.label for row in rows], 0.8, 7), [count(row.items) for row in rows]
    many = max(width_of(number, 7) for number in numbers)
    left = max(width_of(name, 7) for name in names) + many + 0.16
    height, room = (0.15 if len(rows) <= 20 else 0.125) * len(rows) + 0.06, COLUMN - left - 0.24
    figure = sheet(COLUMN)
    wide = 0.62 * room if diff.has_effects else room + 0.18
    right = panel(figure, left, 0, wide, height)
    effects = [panel(figure, left + wide + 0.18, 0, room - wide, height)] if diff.has_effects else []
    for axes in (right, *effects):
        axes.set(ylim=(len(rows) - 0.5, -0.5))
        axes.set_yticks(range(len(rows)), [""] * len(rows))
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labelsize=7, length=2, pad=2)
        axes.grid(axis="x", lw=0.6)
        axes.margins(x=0.08)
    for place, (name, number) in enumerate(zip(names, numbers, strict=True)):
        beside: Look = {"transform": right.get_yaxis_transform(), "va": "center", "size": 7, "clip_on": False}
        right.text(-left / wide, place, name, **beside)
        right.text(-0.06 / wide, place, number, ha="right", color=SOFT, **beside)
    places, better = range(len(rows)), [FILLS["b" if row.difference > 0 else "a"] for row in rows]
    a, b = ([100 * getattr(row, name) for row in rows] for name in ("a", "b"))
    right.hlines(places, a, b, colors=better, lw=1.4, zorder=1)
    right.plot(a, places, "o", color=FILLS["a"], mec=INK, mew=0.4, ms=4, label=short(diff.a, 24))
    right.plot(b, places, "D", color=FILLS["b"], mec=INK, mew=0.4, ms=3.6, label=short(diff.b, 24))
    right.set_xlabel("right (%)")
    for axes in effects:
        axes.barh(places, [100 * (row.effect or 0.0) for row in rows], 0.7, color=better, ec=INK, lw=0.3)
        axes.axvline(0, color=INK, lw=0.8)
        axes.set_xlabel("effect (points)")
    cut = f", the first {len(rows)} of {len(differing)}" if len(rows) < len(differing) else ""
    added = f" (∅: {noun}s that gold does not have)" if any(row.label == "∅" for row in rows) else ""
    adds = " and how much each label adds to the overall difference" * bool(effects)
    return captioned(
        figure,
        f"{short(diff.a)} → {short(diff.b)}: labels on which they differ{cut}{added}, with the number of {noun}s, "
        f"the percentage of them that each system has right{adds}.{remark}",
    )


# --- many systems, label by label ---


@drawn
def label_scores(bounds: Sequence[Bound], noun: str, remark: str = "") -> Figure:
    """The percentage right of each system by gold's label, the best system first; the best of a row is bold."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import Normalize

    overall = next(row for row in bounds if row.label is None)
    labelled = [row for row in bounds if row.label is not None]
    rows, systems = [overall, *labelled[:LABELS]], sorted(overall.systems, key=lambda name: -overall.systems[name])
    names = ["all", *fitted([str(row.label) for row in rows[1:]], 0.8, 7)]
    numbers, heads = [count(row.items) for row in rows], fitted(systems, 1.2, 7)
    left = max(width_of(name, 7) for name in names) + max(width_of(number, 7) for number in numbers) + 0.16
    narrow = left + 0.22 * len(systems) <= COLUMN
    whole = COLUMN if narrow else PAGE
    wide, tall = min(0.34, (whole - left - 0.02) / len(systems)), 0.15 if len(rows) <= 21 else 0.125
    figure = sheet(whole)
    axes = panel(figure, left, 0, wide * len(systems), tall * len(rows))
    axes.set(xlim=(-0.5, len(systems) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    axes.set_xticks(range(len(systems)), heads, rotation=90, size=7, color=INK)
    axes.tick_params(length=0, pad=2, top=True, labeltop=True, labelbottom=False)
    axes.set_yticks([])
    axes.spines[["bottom"]].set_visible(False)
    shares = {(x, y): row.systems[name] for y, row in enumerate(rows) for x, name in enumerate(systems)}
    known = {place: value for place, value in shares.items() if not math.isnan(value)}
    norm = Normalize(min(known.values()), max(1.0, *known.values()))
    shades = PolyCollection(
        [[(x + across, y + down) for across, down in _CORNERS] for x, y in known],
        array=list(known.values()),
        cmap="Blues",
        norm=norm,
        linewidths=0.3,
        edgecolors="white",
        clip_on=False,
    )
    axes.add_collection(shades, autolim=False)
    size = min(6.5, 0.9 * wide / width_of("100", 1), 72 * tall * 0.85)
    for (x, y), value in known.items():
        look: Look = {"ha": "center", "va": "center_baseline", "size": size, "in_layout": False}
        look["weight"] = "bold" if is_best([rows[y].systems[name] for name in systems], x) else "normal"
        axes.text(x, y, f"{100 * value:.0f}", color="white" if norm(value) > 0.6 else INK, **look)
    for y, (name, number) in enumerate(zip(names, numbers, strict=True)):
        beside: Look = {"transform": axes.get_yaxis_transform(), "va": "center", "size": 7, "clip_on": False}
        axes.text(-left / (wide * len(systems)), y, name, weight="normal" if y else "bold", **beside)
        axes.text(-0.06 / (wide * len(systems)), y, number, ha="right", color=SOFT, **beside)
    cut = f" The first {len(rows) - 1} labels of {len(labelled)}." if len(rows) <= len(labelled) else ""
    caption = f"The percentage of gold's {noun}s that each system has right, by label with their number.{cut}{remark}"
    return captioned(figure, caption)


# --- gold's labels against a system's ---


def confusions(result: Result) -> dict[str, Counter[tuple[str | None, str | None]]]:
    """The errors of each system by gold's label and its own, where labels can be confused at all."""
    found: dict[str, Counter[tuple[str | None, str | None]]] = {}
    first: dict[str, str] = {}
    for row in result.confusion:
        if is_category(row.measure) or result.by_outcome or row.type in _HITS:
            continue
        if first.setdefault(row.system, row.measure) == row.measure:
            found.setdefault(row.system, Counter())[row.gold, row.assigned] += row.count
    return {system: cells for system, cells in found.items() if any(None not in cell for cell in cells)}


@drawn
def confusion(cells: Mapping[tuple[str | None, str | None], float], rows: str, columns: str, caption: str) -> Figure:
    """A matrix of labels, the most frequent first; None, in the last row or column, is spurious or missing."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import PowerNorm

    weight: Counter[str] = Counter()
    for cell, number in cells.items():
        for name in {one for one in cell if one is not None}:
            weight[name] += math.ceil(number)
    ordered = sorted(weight, key=lambda name: (-weight[name], name))
    labels, sides = ordered[:LABELS], tuple(any(cell[side] is None for cell in cells) for side in (0, 1))
    place: dict[str | None, float] = {name: number for number, name in enumerate(labels)} | {None: len(labels) + 0.3}
    drawn_cells = {cell: number for cell, number in cells.items() if cell[0] in place and cell[1] in place}
    whole = COLUMN if len(labels) <= _NARROW else PAGE
    size = 7.0 if len(labels) <= 30 else 5.5
    names = fitted(labels, 0.8, size)
    left = max(width_of(name, size) for name in [*names, *["spurious"] * sides[0]]) + 0.22
    most = max(drawn_cells.values())
    written = all(number == round(number) for number in drawn_cells.values())
    # Numbers as large as the widest of them allows; below five points a scale says what shades mean.
    digits = max(width_of(count(round(number)), 1) for number in drawn_cells.values())
    extents = [len(labels) + 1.3 * side for side in (sides[1], sides[0])]
    cell_size = min(0.26, (whole - left - 0.04) / extents[0])
    number_size = min(7.0, 0.86 * cell_size / digits)
    numbered = written and number_size >= 4.5
    if not numbered:
        cell_size = min(cell_size, (whole - left - 0.65) / extents[0])
    width, height = (cell_size * extent for extent in extents)
    figure = sheet(whole)
    axes = panel(figure, left, 0, width, height)
    axes.set(xlim=(-0.5, extents[0] - 0.5), ylim=(extents[1] - 0.5, -0.5))
    norm = PowerNorm(0.5, 0, most)
    shades = PolyCollection(
        [[(place[cell[1]] + x, place[cell[0]] + y) for x, y in _CORNERS] for cell in drawn_cells],
        array=list(drawn_cells.values()),
        cmap="Blues",
        norm=norm,
        linewidths=0.3,
        edgecolors="white",
        clip_on=False,
    )
    axes.add_collection(shades, autolim=False)
    both = list(zip(names, range(len(labels)), strict=True))
    for axis, side, word in ((axes.yaxis, sides[0], "spurious"), (axes.xaxis, sides[1], "missing")):
        shown = [*both, *[(word, place[None])] * side]
        axis.set_ticks([at for _, at in shown], [name for name, _ in shown])
    axes.tick_params(length=0, pad=2, labelsize=size, labelcolor=INK, top=True, labeltop=True, labelbottom=False)
    axes.tick_params(axis="x", rotation=90)
    axes.spines[["bottom"]].set_visible(False)
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(columns, labelpad=3)
    axes.set_ylabel(rows, labelpad=3)
    for number in range(len(labels) + 1):
        edge = number in (0, len(labels))
        line: Look = {"color": SOFT if edge else "#ececec", "lw": 0.5, "zorder": 3 if edge else 0, "clip_on": False}
        axes.plot([number - 0.5] * 2, [-0.5, len(labels) - 0.5], **line)
        axes.plot([-0.5, len(labels) - 0.5], [number - 0.5] * 2, **line)
    for number in range(len(labels)):
        axes.fill(*zip(*((number + x, number + y) for x, y in _CORNERS), strict=True), color=BAND, lw=0, zorder=0)
    if numbered:
        for (gold, assigned), number in drawn_cells.items():
            colour = "white" if norm(number) > 0.6 else INK
            at: Look = {"ha": "center", "va": "center_baseline", "size": number_size, "in_layout": False}
            axes.text(place[assigned], place[gold], count(round(number)), color=colour, **at)
    else:
        tall = min(height, 1.4)
        scale = figure.colorbar(shades, cax=panel(figure, left + width + 0.12, height - tall, 0.09, tall))
        scale.outline.set_visible(False)
        scale.ax.tick_params(labelsize=7, length=2, pad=2)
    cut = f" The {len(labels)} most frequent labels of {len(ordered)}." if len(labels) < len(ordered) else ""
    return captioned(figure, f"{caption}{cut}")
