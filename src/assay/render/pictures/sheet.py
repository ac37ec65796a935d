"""Figures of matplotlib with one look: a key below, no title, names that fit, and the same bytes every time."""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.render.table import spell_controls
from assay.result.numbers import DASH
from assay.result.schema import Estimate, Posterior, Thirds

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Look = dict[str, Any]
"""Properties of something drawn, by their names in matplotlib."""
INK, SOFT, FAINT, BAND = "#1a1a1a", "#555555", "#d8d8d8", "#ededed"
ESTIMATE, FLAG = "#5b3f8c", "#c2410c"
COLUMN, PAGE = 8 / 2.54, 16 / 2.54
"""The widths of one column of a paper and of two, 8 and 16 cm."""
DPI = 300
"""Pixels in an inch of a PNG."""
# A is of middle lightness, equal nearly the paper's, B the strongest: the three stay apart in grey, too.
FILLS = {"a": "#e69f00", "equal": "#ebebeb", "b": "#005b96"}
SERIES = (
    *(("#0072b2", "-", "o"), ("#d55e00", "--", "s"), ("#009e73", "-.", "^"), ("#cc79a7", ":", "D")),
    *(("#e69f00", "-", "v"), ("#56b4e9", "--", "P"), ("#1a1a1a", "-.", "X"), ("#8c6d1f", ":", "*")),
)
"""Colour, dashes and mark of each system; the colour-blind can distinguish the colours, and marks differ in grey."""
_FACTS: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
FORMATS = tuple(_FACTS)
# First the font that looks the same everywhere; after it those with letters of the rest of the world.
_FONTS = (
    *("DejaVu Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans", "Noto Sans Arabic", "Noto Sans Hebrew"),
    *("Arial Unicode MS", "Hiragino Sans", "PingFang SC", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic"),
)
_LOOK: Look = {
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,
    "axes.axisbelow": True,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": SOFT,
    "axes.labelsize": 8,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "grid.color": FAINT,
    "xtick.color": SOFT,
    "xtick.labelsize": 8,
    "ytick.color": SOFT,
    "ytick.labelsize": 8,
    "ytick.left": False,
    "legend.fontsize": 8,
    "legend.handlelength": 2.6,
    "legend.frameon": False,
    "savefig.dpi": DPI,
    # Whole fonts in PDF, as journals ask; in SVG text stays text, to be searched, edited and read aloud.
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "assay",
}


def check_plot() -> None:
    """Raise if matplotlib is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise UsageError("figures need matplotlib. Install it: pip install matplotlib") from None


@contextmanager
def _look() -> Iterator[list[warnings.WarningMessage]]:
    """Use assay's settings instead of the user's, and collect the warnings of matplotlib."""
    import matplotlib.style

    with warnings.catch_warnings(record=True) as caught, matplotlib.style.context(["default", _LOOK]):
        matplotlib.rcParams["font.family"] = _fonts()
        warnings.simplefilter("always")
        yield caught


@cache
def _fonts() -> list[str]:
    from matplotlib.font_manager import get_font_names

    installed = set(get_font_names())
    return [name for name in _FONTS if name in installed]


def with_look(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Make a function draw with assay's settings."""

    @wraps(draw)
    def within(*arguments: Any) -> Figure:
        with _look():
            return draw(*arguments)

    return within


def make_sheet(width: float = 1.0) -> Figure:
    """An empty figure; drawings above and below it are saved too, and those on both sides if its width is 1 inch."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, 1))


def add_panel(figure: Figure, x: float, y: float, width: float, height: float) -> Axes:
    """Axes at a place in the figure, in inches."""
    whole = figure.get_figwidth()
    return figure.add_axes((x / whole, y, width / whole, height))


def add_caption(figure: Figure, caption: str, notes: Sequence[str] = ()) -> Figure:
    """Add a key to everything that has a label and notes below a figure; its label becomes the caption."""
    box, width = figure.get_tightbbox(), figure.get_figwidth()
    figure.set_label(caption)
    key: dict[str, Artist] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        key |= dict(zip(labels, handles, strict=True))
    left, top = (box.x0, box.y0 - 0.12) if width == 1 else (0, box.y0 - 0.08)
    if key:
        # Handle, text and space of each entry, in inches; entries fill one column after the other.
        sizes = [text_width(label, 8) + 0.56 for label in key]
        columns = len(key)
        while columns > 1 and width > 1:
            longest, rest = divmod(len(sizes), columns)
            starts = [number * longest + min(number, rest) for number in range(columns + 1)]
            if sum(max(sizes[first:end]) for first, end in pairwise(starts)) <= width:
                break
            columns -= 1
        place: Look = {"loc": "upper left", "bbox_to_anchor": (left / width, top)}
        room: Look = {"borderpad": 0, "borderaxespad": 0, "columnspacing": 1.6, "labelspacing": 0.3}
        figure.legend(handles=list(key.values()), labels=list(key), ncols=columns, **place, **room)
        top -= 0.16 * math.ceil(len(key) / columns) + 0.12
    lines = [line for note in notes for line in textwrap.wrap(note, max(round(14 * box.width), 90))]
    figure.text(left / width, top, "\n".join(lines), va="top", size=8)
    return figure


def hide_axes(axes: Axes, x: tuple[float, float], y: tuple[float, float]) -> Axes:
    """Hide the lines and numbers of axes, and set their limits."""
    axes.set_axis_off()
    axes.set(xlim=x, ylim=y)
    return axes


@cache
def text_width(text: str, size: float = 9, weight: str = "normal") -> float:
    """The width of a text, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family=_fonts(), weight=weight)
    return float(TextPath((0, 0), text, size=size, prop=font).get_extents().width) / 72 if text.strip() else 0.0


def encode_figure(figure: Figure, path: Path) -> bytes:
    """The content of a figure's file in the format of its ending: .svg, .pdf, .png."""
    from matplotlib.transforms import Bbox

    form, stream, width = path.suffix.removeprefix("."), BytesIO(), figure.get_figwidth()
    with _look() as caught:
        facts = {"Title": figure.get_label(), **_FACTS[form]}
        box = figure.get_tightbbox()
        # A figure for a column has exactly its width.
        box = box.padded(0.15) if width == 1 else Bbox.from_extents(0, box.y0 - 0.03, width, box.y1 + 0.03)
        figure.savefig(stream, format=form, bbox_inches=box, metadata=facts)
    missing = [match for row in caught if (match := re.search(r"Glyph (\d+)", str(row.message)))]
    # The program that shows an SVG chooses the fonts of its text.
    if missing and form != "svg":
        letter = chr(int(missing[0][1]))
        raise UsageError(
            f"{path}: no installed font contains {letter!r} (U+{ord(letter):04X}). Install one that does, or write "
            f".svg"
        )
    return stream.getvalue()


# --- names that fit, and numbers as the paper's tables write them ---


_UNWRITABLE = dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd")
_LONGEST = 32
OUTCOMES = ("a", "equal", "b")


def fit_names(names: Sequence[str], room: float, size: float) -> list[str]:
    """Names cut to the greatest length at which all fit into `room` inches: at their ends or, if this would make two
    of them equal, in their middles."""
    whole = [shorten_name(name, 1000) for name in names]
    for longest in range(60, 3, -1):
        cut = [shorten_name(name, longest) for name in whole]
        if len(set(cut)) < len(set(whole)):
            half = longest // 2
            parts = [(name[:half].rstrip(), name[-half:].lstrip()) for name in whole]
            cut = [name if len(name) <= longest else "…".join(part) for name, part in zip(whole, parts, strict=True)]
        if all(text_width(name, size) <= room for name in set(cut)):
            break
    return cut


def shorten_name(name: str, longest: int = _LONGEST) -> str:
    """A name from data without characters that XML or a font engine refuses, cut between letters if it is long."""
    text, room = spell_controls(name).translate(_UNWRITABLE), longest
    for place, letter in enumerate(text):
        # Accents, joiners and signs of direction take no room; Chinese and Japanese letters that of two.
        if unicodedata.category(letter) not in ("Cf", "Mn", "Me"):
            room -= 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1
        if room < 0:
            return text[:place].rstrip() + "…"
    return text


def pair_title(posterior: Posterior) -> str:
    """The names of a pair and their measure."""
    return f"{shorten_name(posterior.a)} and {shorten_name(posterior.b)}: {shorten_name(posterior.measure)}"


def format_share(value: float | None) -> str:
    """A share with three digits and no zero before the point."""
    return DASH if value is None or math.isnan(value) else f"{value:.3f}".removeprefix("0")


def find_largest(shares: Thirds) -> str:
    """The outcome with the largest share: `a`, `equal` or `b`; A comes first in ties, as in the model."""
    return max(OUTCOMES, key=lambda name: -1.0 if getattr(shares, name) is None else getattr(shares, name))


class Unit:
    """The unit of differences of a measure: points if scores are fractions, otherwise that of the scores."""

    def __init__(self, posterior: Posterior) -> None:
        scores = [score for row in posterior.by_data_set for score in (row.a, row.b)]
        points = bool(scores) and all(0 <= score <= 1 for score in scores)
        self.scale = 100.0 if points else 1.0
        self.name = "points" if points else f"units of {shorten_name(posterior.measure)}"
        # Enough decimals to show the region of equivalence or, without one, the largest difference.
        sizes = [posterior.rope] if posterior.rope else [abs(row.difference) for row in posterior.by_data_set]
        size = self.scale * max(filter(math.isfinite, sizes), default=0.0)
        self.digits = min(max(2, math.ceil(-math.log10(size)) + 1), 6) if size > 0 else 2

    def __call__(self, value: float) -> str:
        """A difference with its sign (a minus sign, not a hyphen); zero has none."""
        text = self.format_width(abs(value))
        return text if float(text) == 0 else ("+" if value > 0 else "−") + text

    def format_width(self, value: float) -> str:
        """A width without a sign."""
        return f"{self.scale * value:.{self.digits}f}"

    def estimate(self, estimate: Estimate) -> str:
        """A mean and its interval."""
        return f"{self(estimate.mean)} [{self(estimate.low)}, {self(estimate.high)}]"
