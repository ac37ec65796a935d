"""The same marks as PDF or PNG. The only file that knows matplotlib, which comes with the extra `plot`."""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.render.pictures.canvas import Canvas, Circle, Lines, Mark, Rect, Text
from assay.render.pictures.style import COLOURS, ROLES

# A pixel of the web is 1/96 of an inch, a point of print 1/72.
_POINTS = 72 / 96
_DENSITY = 192
_SETTINGS = {"pdf.fonttype": 42, "svg.hashsalt": "assay", "text.usetex": False, "savefig.dpi": _DENSITY}
# Before the others those that look alike everywhere; behind them whatever has letters of the rest of the world.
_FONTS = ("DejaVu Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans", "Noto Sans Arabic", "Noto Sans Hebrew")
_MORE_FONTS = ("Arial Unicode MS", "Hiragino Sans", "PingFang SC", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic")
_TURNING = dict.fromkeys((0x2068, 0x2069))


def plot(canvas: Canvas, path: Path) -> bytes:
    """A picture as PDF or PNG, as the ending of its file says."""
    try:
        # Not a dependency: whoever wants these formats installs the extra.
        matplotlib = import_module("matplotlib")
    except ImportError:
        raise UsageError(f"{path}: matplotlib is not installed: pip install 'assay[plot]'") from None
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure, axes = _sheet(canvas)
        fonts = _fonts()
        for mark in canvas.marks:
            _draw(mark, axes, fonts)
        return _content(figure, canvas, path, caught)


def _sheet(canvas: Canvas) -> tuple[Any, Any]:
    figure = import_module("matplotlib.figure").Figure(figsize=(canvas.width / 96, canvas.height / 96))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, canvas.width)
    axes.set_ylim(canvas.height, 0)
    axes.set_axis_off()
    return figure, axes


def _content(figure: Any, canvas: Canvas, path: Path, caught: list[warnings.WarningMessage]) -> bytes:
    from io import BytesIO

    form = path.suffix.casefold().removeprefix(".")
    facts = {"Title": canvas.title}
    facts |= {"Subject": canvas.description} if form == "pdf" else {"Description": canvas.description}
    stream = BytesIO()
    figure.savefig(stream, format=form, metadata={**facts, **({"CreationDate": None} if form == "pdf" else {})})
    missing = [found for row in caught if (found := re.search(r"Glyph (\d+)", str(row.message)))]
    if missing:
        letter = chr(int(missing[0][1]))
        raise UsageError(
            f"{path}: matplotlib finds no font with {letter!r} (U+{ord(letter):04X}). "
            "Install one that has it, or write .svg"
        )
    return stream.getvalue()


def _fonts() -> list[str]:
    known = set(import_module("matplotlib.font_manager").get_font_names())
    return [name for name in (*_FONTS, *_MORE_FONTS) if name in known]


def _draw(mark: Mark, axes: Any, fonts: list[str]) -> None:
    match mark:
        case Lines(_, lines, closed):
            axes.add_patch(_patch(mark.role, "PathPatch", _path(lines, closed)))
        case Rect(_, x, y, width, height, rounded) if rounded:
            box = f"round,pad=0,rounding_size={rounded}"
            axes.add_patch(_patch(mark.role, "FancyBboxPatch", (x, y), width, height, boxstyle=box))
        case Rect(_, x, y, width, height):
            axes.add_patch(_patch(mark.role, "Rectangle", (x, y), width, height))
        case Circle(_, x, y, radius):
            axes.add_patch(_patch(mark.role, "Circle", (x, y), radius))
        case Text(role, x, y, text, anchor):
            style = ROLES[role]
            axes.text(
                *(x, y, text.translate(_TURNING)),
                ha={"start": "left", "middle": "center", "end": "right"}[anchor],
                va="baseline",
                color=COLOURS[style.fill][1],
                fontsize=style.size * _POINTS,
                fontweight="bold" if style.bold else "normal",
                fontfamily=fonts,
                parse_math=False,
            )


def _patch(role: str, kind: str, *place: Any, **more: Any) -> Any:
    style = ROLES[role]
    dashes = (0, tuple(part / style.width for part in style.dash)) if style.dash else "solid"
    return getattr(import_module("matplotlib.patches"), kind)(
        *place,
        facecolor=COLOURS[style.fill][1] if style.fill else "none",
        edgecolor=COLOURS[style.stroke][1] if style.stroke else "none",
        linewidth=style.width * _POINTS if style.stroke else 0,
        linestyle=dashes,
        joinstyle="round",
        capstyle="butt",
        **more,
    )


def _path(lines: tuple[tuple[tuple[float, float], ...], ...], closed: bool) -> Any:
    path = import_module("matplotlib.path").Path
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    for line in lines:
        points += [*line, line[0]] if closed else line
        codes += [path.MOVETO, *[path.LINETO] * (len(line) - 1), *[path.CLOSEPOLY] * closed]
    return path(points, codes)
