"""Types of errors as bars of parts, a bar for each system under each measure, on one data set or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.render.pictures.sheet import (
    COLUMN,
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
from assay.result import ErrorType, Result, kind_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ENDS = {"fp": "#d55e00", "fn": "#4d4d4d"}
"""What is spurious stands at one end, what is missing at the other."""
_BETWEEN = ("#e69f00", "#56b4e9", "#0072b2", "#9ad8c3", "#cc79a7", "#f0e442", "#009e73", "#b3b3b3", "#8c6d1f")
_LINE = 0.155


def typed(result: Result) -> list[list[str]]:
    """The measures under which there are errors with types, those together whose types are among those of one."""
    types: dict[str, set[str]] = {}
    for row in result.error_types:
        types.setdefault(row.measure, set()).add(row.type)
    made = {row.measure for row in result.error_types if row.count}
    types = {measure: own for measure, own in types.items() if measure in made}
    groups: dict[str, list[str]] = {}
    for measure, own in types.items():
        # The richest measure of which this one is part; itself, unless there is another.
        over = max((one for one in types if types[one] >= own), key=lambda one: len(types[one]))
        groups.setdefault(over, []).append(measure)
    return list(groups.values())


@drawn
def error_types(sets: Sequence[tuple[str, Result]], measures: Sequence[str]) -> Figure:
    """The share of each type in a system's errors, and the number of these, for data sets by name."""
    bars: dict[tuple[str, str, str], list[ErrorType]] = {}
    for name, result in sets:
        rows = [row for row in result.error_types if row.measure in measures]
        for system in dict.fromkeys(row.system for row in rows):
            for row in rows:
                if row.system == system:
                    bars.setdefault((name, system, row.measure), []).append(row)
    systems = list(dict.fromkeys(system for _, system, _ in bars))
    # A type has its colour also where others do not occur.
    between = [kind for kind in dict.fromkeys(row.type for own in bars.values() for row in own) if kind not in _ENDS]
    occurring = {row.type for own in bars.values() for row in own if row.count}
    types = [kind for kind in ("fp", *between, "fn") if kind in occurring]
    colours = _ENDS | dict(zip(between, _BETWEEN * (1 + len(between) // len(_BETWEEN)), strict=False))
    # What is the same in all bars needs no column.
    whole = COLUMN if min(len(systems), len(measures)) == 1 else PAGE
    names = dict(zip(systems, fitted(systems, whole / 4, 8), strict=True)) if len(systems) > 1 else {}
    titles = dict(zip(measures, fitted(measures, whole / 4, 8), strict=True)) if len(measures) > 1 else {}
    first, second = (max((width_of(one, 8) + 0.1 for one in of.values()), default=0.0) for of in (names, titles))
    totals = {key: sum(row.count for row in own) for key, own in bars.items()}
    right = max(width_of(count(total), 7) for total in totals.values()) + 0.1
    width = whole - first - second - right
    lines, places, heads = 0.0, {}, {}
    for (name, system, measure), before in zip(bars, [None, *bars], strict=False):
        if before is None or before[0] != name:
            lines += 0.3 * (before is not None)
            heads[lines] = name
            lines += bool(name)
        elif before[1] != system and titles:
            lines += 0.4
        places[name, system, measure] = lines
        lines += 1
    figure = sheet(whole)
    axes = panel(figure, first + second, 0, width, _LINE * lines)
    axes.set(xlim=(0, 100), ylim=(lines - 0.4, -0.5))
    axes.set_yticks([])
    axes.tick_params(axis="x", labelsize=7, length=2, pad=2)
    axes.set_xlabel("share of errors (%)")
    look: Look = {"va": "center", "transform": axes.get_yaxis_transform(), "clip_on": False}
    for line, name in heads.items():
        axes.text(-(first + second) / width, line, fitted([name], whole, 8)[0], size=8, weight="bold", **look)
    told = None
    for key, own in bars.items():
        place, shares, start = places[key], {row.type: 100 * row.share for row in own}, 0.0
        if told != key[:2]:
            axes.text(-(first + second) / width, place, names.get(key[1], ""), size=8, **look)
        told = key[:2]
        axes.text(-second / width, place, titles.get(key[2], ""), size=8, color=SOFT, **look)
        axes.text(1 + 0.08 / width, place, count(totals[key]), size=7, color=SOFT, **look)
        for kind in types:
            part = shares.get(kind, 0.0)
            bar: Look = {"color": colours[kind], "ec": "white", "lw": 0.5, "label": kind_title(kind)}
            axes.barh(place, part, 0.82, start, **bar)
            text = f"{part:.0f}"
            if width_of(text, 6.5) + 0.05 < width * part / 100:
                red, green, blue = (int(colours[kind][at : at + 2], 16) for at in (1, 3, 5))
                colour = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 120 else INK
                inside: Look = {"ha": "center", "va": "center_baseline", "size": 6.5, "in_layout": False}
                axes.text(start + part / 2, place, text, color=colour, **inside)
            start += part
    by = f" of {short(systems[0])}" * (len(systems) == 1) + f" under {short(measures[0])}" * (len(measures) == 1)
    remarks = [result.remarks["median"] for _, result in sets if "median" in result.remarks]
    median = f" {remarks[0] if len(sets) == 1 else 'Of the median runs.'}" if remarks else ""
    return captioned(figure, f"Types of errors{by} in percent, with the number of errors beside each bar.{median}")
