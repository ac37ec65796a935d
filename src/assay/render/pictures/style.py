"""What roles look like: colours in light and dark, widths, dashes, sizes of letters. Nothing else names a colour."""

from __future__ import annotations

from dataclasses import dataclass

SHADES = 8
"""How many steps a density has, from the faintest to the strongest."""

# A is of middle lightness, equal nearly the paper's, B the strongest: the three stay apart in grey.
COLOURS: dict[str, tuple[str, str, str]] = {
    "ink": ("--picture-ink", "#1a1a1a", "#eeeeee"),
    "soft": ("--soft", "#555555", "#aaaaaa"),
    "line": ("--line", "#d8d8d8", "#444444"),
    "paper": ("--picture-paper", "#ffffff", "#161616"),
    "a": ("--picture-a", "#e69f00", "#c98a00"),
    "equal": ("--picture-equal", "#ebebeb", "#383838"),
    "b": ("--picture-b", "#005b96", "#a6d4fa"),
    "a-line": ("--picture-a-line", "#a86a00", "#e0a020"),
    "equal-line": ("--picture-equal-line", "#6b6b6b", "#b4b4b4"),
    "estimate": ("--picture-estimate", "#5b3f8c", "#c3a6f0"),
    "band": ("--picture-band", "#ededed", "#2e2e2e"),
    "contour": ("--picture-contour", "#c2410c", "#ffb020"),
    **{
        f"shade-{step}": (f"--picture-shade-{step}", light, dark)
        for step, (light, dark) in enumerate(
            zip(
                ("#e4edf6", "#c9dbec", "#a8c5e0", "#80a9d0", "#578abb", "#336ba1", "#174c80", "#062d57"),
                ("#1d2b3a", "#24405a", "#2d567b", "#3b6f9c", "#5089b8", "#70a5cf", "#9bc5e5", "#d6ebfa"),
                strict=True,
            )
        )
    },
}
"""Each colour: the page's variable that may override it, and its values in light and in dark."""


@dataclass(frozen=True)
class Style:
    """How a role is drawn; colours by name, sizes in pixels."""

    fill: str = ""
    stroke: str = ""
    width: float = 1
    dash: tuple[float, ...] = ()
    size: float = 0
    """The size of letters."""
    bold: bool = False


ROLES: dict[str, Style] = {
    "title": Style("ink", size=16, bold=True),
    "subtitle": Style("soft", size=12),
    "text": Style("ink", size=12),
    "strong": Style("ink", size=12, bold=True),
    "small": Style("soft", size=10.5),
    "small-ink": Style("ink", size=10.5),
    "small-strong": Style("ink", size=10.5, bold=True),
    "paper": Style("paper"),
    "grid": Style(stroke="line", width=0.8),
    "axis": Style(stroke="soft"),
    "frame": Style(stroke="ink", width=1.2),
    "boundary": Style(stroke="ink", width=1, dash=(1.5, 2.5)),
    "zero": Style(stroke="ink", width=1.2),
    "band": Style("band"),
    "a": Style("a", "ink", 0.6),
    "equal": Style("equal", "ink", 0.6),
    "b": Style("b", "ink", 0.6),
    "histogram": Style("shade-4", "paper", 0.4),
    "interval": Style(stroke="estimate", width=2.4),
    "estimate": Style("estimate"),
    "measured": Style("paper", "ink", 1.5),
    "mean-interval": Style(stroke="ink", width=2.4),
    "mean": Style("ink"),
    "next-interval": Style(stroke="ink", width=1.6, dash=(4, 2.5)),
    "next": Style("paper", "ink", 1.6),
    "curve-a": Style(stroke="a-line", width=2.2),
    "curve-equal": Style(stroke="equal-line", width=2.2, dash=(1.5, 2.5)),
    "curve-b": Style(stroke="b", width=2.2, dash=(7, 3)),
    "point-a": Style("a-line", "paper", 0.8),
    "point-equal": Style("equal-line", "paper", 0.8),
    "point-b": Style("b", "paper", 0.8),
    "halo": Style(stroke="paper", width=3.2),
    "contour-50": Style(stroke="contour", width=1.8),
    "contour-95": Style(stroke="contour", width=1.2, dash=(3, 2)),
    "node": Style("paper", "ink", 1.4),
    "edge": Style(stroke="ink", width=1.6),
    "arrow": Style("ink"),
    "tie": Style(stroke="soft", width=1.6, dash=(1.5, 3)),
    "flagged": Style(stroke="contour", width=1.8, dash=(7, 2, 1.5, 2)),
    "flagged-arrow": Style("contour"),
    "flag": Style("paper", "contour", 1.6),
    **{f"shade-{step}": Style(f"shade-{step}", f"shade-{step}", 0.5) for step in range(SHADES)},
}
"""What a mark may be called, and so what it looks like."""
