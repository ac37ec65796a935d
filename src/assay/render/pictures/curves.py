"""What becomes of the shares under another region of equality, and under another prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.render.pictures.sheet import FILLS, SOFT, Look, drawn, headed, sheet
from assay.render.pictures.words import OUTCOMES, Unit, pair_title, short
from assay.result.posteriors import CurvePoint, Posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDE, _TALL, _ACROSS, _DOWN = 2.2, 1.5, 2.7, 2.4
# The model's own bounds, as multiples of what is seen in the data.
_STD0, _DELTA0 = 1000.0, 1.0
_KINDS = {"decision": "Share of draws where likeliest", "region": "Mean probability on a new data set"}
# Lines differ in dashes and marks, not in colour alone; thin lines of A and equal are darker than their areas.
_LINES = {"a": ("#a86a00", "-", "<"), "equal": ("#6b6b6b", ":", "s"), "b": (FILLS["b"], "--", ">")}


@dataclass(frozen=True)
class Panel:
    """What is varied, at which values, and which of them was chosen."""

    label: str
    points: dict[float, CurvePoint]
    chosen: float
    is_prior: bool


def panels(posterior: Posterior) -> list[Panel]:
    """The width of the region of equality, the bound for the spread, the bound for the mean: what there is."""
    unit = Unit(posterior)
    ropes = {unit.scale * point.rope: point for point in posterior.rope_curve}
    spreads = {point.std0: point for point in posterior.prior_curve if point.delta0 == _DELTA0}
    means = {point.delta0: point for point in posterior.prior_curve if point.std0 == _STD0}
    found = (
        Panel(f"equal within ± {unit.name}", ropes, unit.scale * posterior.rope, False),
        Panel("prior: most spread among data sets, ×", spreads, _STD0, True),
        Panel("prior: greatest mean difference, ×", means, _DELTA0, True),
    )
    return [panel for panel in found if len(panel.points) > 1]


@drawn
def curves(posterior: Posterior) -> Figure:
    """One pair on one measure: a column for each thing varied, a row for each kind of share."""
    figure, names = sheet(), {"a": short(posterior.a), "equal": "practically equal", "b": short(posterior.b)}
    for row, (kind, title) in enumerate(_KINDS.items()):
        for column, panel in enumerate(panels(posterior)):
            axes = figure.add_axes((column * _ACROSS, -row * _DOWN, _WIDE, _TALL))
            if not column:
                axes.set_title(title, pad=20)
            _frame(axes, panel)
            for outcome in OUTCOMES:
                # Without a region of equality nothing is in it.
                values = [getattr(getattr(panel.points[x], kind), outcome) or 0.0 for x in sorted(panel.points)]
                colour, dashes, mark = _LINES[outcome]
                marked = None if panel.is_prior else [0, len(values) - 1]
                label = names[outcome] + " better" * (outcome != "equal")
                look: Look = {"color": colour, "ls": dashes, "marker": mark, "markevery": marked, "ms": 5, "lw": 1.6}
                axes.plot(sorted(panel.points), values, **look, label=label, clip_on=False)
    return headed(figure, pair_title(posterior), "How the shares change with the region of equality and the prior")


def _frame(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import NullLocator

    axes.set(ylim=(0, 1), xlabel=panel.label)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    axes.grid(axis="y")
    if panel.is_prior:
        axes.set_xscale("log")
        axes.set_xticks(sorted(panel.points), [f"{value:g}" for value in sorted(panel.points)])
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.margins(x=0)
    if min(panel.points) <= panel.chosen <= max(panel.points):
        axes.axvline(panel.chosen, color=SOFT, lw=0.8)
        axes.text(panel.chosen, 1.03, "chosen", ha="center", size=8, color=SOFT)
