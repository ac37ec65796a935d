"""All pairs and all measures at a glance: bars of three parts, laid out as the paper's Table 2."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from assay.render.pictures.sheet import FAINT, FILLS, INK, SOFT, Look, bare, drawn, headed, sheet, width_of
from assay.render.pictures.words import OUTCOMES, largest, share, short
from assay.result.posteriors import Posterior, Thirds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Pair = tuple[str, str]
_WIDE, _ACROSS, _ROW = 1.8, 2.1, 0.38
_LABELS = {"a": "left system better", "equal": "≈ practically equal", "b": "right system better"}
KINDS = {
    "decision": (
        "Decision shares of all pairs",
        "the share of posterior draws in which each outcome is the likeliest",
    ),
    "region": ("Outcomes to expect on a new data set", "the mean probability of each outcome on a new data set"),
}


def pairs(posteriors: Iterable[Posterior]) -> list[Pair]:
    """Each pair once, the way round in which it comes first, grouped by the left system."""
    found: list[Pair] = []
    for posterior in posteriors:
        if (posterior.a, posterior.b) not in found and (posterior.b, posterior.a) not in found:
            found.append((posterior.a, posterior.b))
    lefts = list(dict.fromkeys(left for left, _ in found))
    return sorted(found, key=lambda pair: lefts.index(pair[0]))


def measures(posteriors: Iterable[Posterior]) -> list[str]:
    """The measures in the order in which they come."""
    return list(dict.fromkeys(posterior.measure for posterior in posteriors))


def shares_of(posteriors: Iterable[Posterior], kind: str) -> dict[tuple[str, Pair], Thirds]:
    """Shares by measure and pair, either way round."""
    found = {}
    for posterior in posteriors:
        shares: Thirds = getattr(posterior, kind)
        found[posterior.measure, (posterior.a, posterior.b)] = shares
        found.setdefault((posterior.measure, (posterior.b, posterior.a)), Thirds(shares.b, shares.equal, shares.a))
    return found


@drawn
def matrix(posteriors: Sequence[Posterior], kind: str = "decision") -> Figure:
    """A row per pair, a column per measure, in each a bar: left better, equal, right better."""
    rows, columns, shares = pairs(posteriors), measures(posteriors), shares_of(posteriors, kind)
    figure = sheet()
    for column, measure in enumerate(columns):
        axes = figure.add_axes((column * _ACROSS, 0, _WIDE, _ROW * len(rows)))
        bare(axes, (0, 1), (len(rows) - 0.5, -0.5))
        axes.set_title(short(measure, 22))
        for place, pair in enumerate(rows):
            _bar(axes, place, shares.get((measure, pair)))
    _names(figure.axes[0], rows, len(columns))
    title, given = KINDS[kind]
    return headed(figure, title, f"In each bar {given}")


def _names(axes: Axes, rows: list[Pair], columns: int) -> None:
    """Two columns of names before the first bars, and a line above each group."""
    second = -0.12 - max(width_of(short(right)) for _, right in rows) / _WIDE
    first = second - 0.12 - max(width_of(short(left), weight="bold") for left, _ in rows) / _WIDE
    for place, (left, right) in enumerate(rows):
        axes.text(second, place - 0.15, short(right), va="center")
        if not place or rows[place - 1][0] != left:
            axes.text(first, place - 0.15, short(left), va="center", weight="bold")
            end = (columns * _ACROSS - _ACROSS + _WIDE) / _WIDE
            axes.plot([first, end], [place - 0.5] * 2, color=FAINT, lw=0.8, clip_on=False)


def _bar(axes: Axes, place: int, shares: Thirds | None) -> None:
    if shares is None:
        axes.text(0, place - 0.15, "not compared", va="center", size=8, color=SOFT)
        return
    values = {outcome: getattr(shares, outcome) for outcome in OUTCOMES}
    # Rounded shares of a printed table may add up to .999 or 1.001; the bar is whole all the same.
    whole = sum(value or 0.0 for value in values.values()) or 1.0
    start, first = 0.0, largest(shares)
    for (outcome, value), (x, side) in zip(values.items(), ((0, "left"), (0.5, "center"), (1, "right")), strict=True):
        part = (value or 0.0) / whole
        look: Look = {"color": FILLS[outcome], "edgecolor": INK, "linewidth": 0.5 if part else 0, "clip_on": False}
        axes.barh(place - 0.15, part, 0.36, start, label=_LABELS[outcome], **look)
        start += part
        if value is not None:
            weight, colour = ("bold", INK) if outcome == first else ("normal", SOFT)
            text = "≈ " * (outcome == "equal") + share(value)
            axes.text(x, place + 0.23, text, ha=side, va="center", size=8, weight=weight, color=colour)
