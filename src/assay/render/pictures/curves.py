"""What becomes of the shares under another region of equality, and under another prior."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.render.pictures.canvas import Canvas, Point, title_of
from assay.render.pictures.letters import Unit, isolated, share, width_of
from assay.render.pictures.scales import Scale, tick_label
from assay.result.posteriors import CurvePoint, Posterior, Thirds

_ACROSS, _TALL, _GAP = 210.0, 150.0, 58.0
_LEFT, _TOP, _BETWEEN = 64.0, 138.0, 88.0
# The model's own bounds, as multiples of what is seen in the data.
_STD0, _DELTA0 = 1000.0, 1.0
_KINDS = (("decision", "share of draws where likeliest"), ("region", "mean probability on a new data set"))
_OUTCOMES = ("a", "equal", "b")


@dataclass(frozen=True)
class Panel:
    """What is varied, at which values, and which of them was chosen."""

    label: str
    points: tuple[CurvePoint, ...]
    places: tuple[float, ...]
    chosen: float
    names: tuple[str, ...] = ()
    """What stands below the places; round numbers where there is nothing."""


def panels(posterior: Posterior) -> list[Panel]:
    """The width of the region of equality, the bound for the spread, the bound for the mean: what there is."""
    unit = Unit(posterior)
    found = []
    if len({point.rope for point in posterior.rope_curve}) > 1:
        points = tuple(sorted(posterior.rope_curve, key=lambda point: point.rope))
        places = tuple(point.rope * unit.scale for point in points)
        found.append(Panel(f"equal within ± {unit.name}", points, places, posterior.rope * unit.scale))
    for label, varied, fixed, own in (
        ("prior: most spread among data sets, ×", _std0, _delta0, (_STD0, _DELTA0)),
        ("prior: greatest mean difference, ×", _delta0, _std0, (_DELTA0, _STD0)),
    ):
        chosen = {varied(point): point for point in posterior.prior_curve if fixed(point) == own[1]}
        if len(chosen) > 1:
            values = sorted(chosen)
            found.append(
                Panel(
                    label,
                    tuple(chosen[value] for value in values),
                    tuple(map(math.log10, values)),
                    math.log10(own[0]),
                    tuple(f"{value:g}" for value in values),
                )
            )
    return found


def _std0(point: CurvePoint) -> float:
    return point.std0


def _delta0(point: CurvePoint) -> float:
    return point.delta0


def curves(posterior: Posterior) -> Canvas:
    """One pair on one measure: a column for each thing varied, a row for each kind of share."""
    columns = panels(posterior)
    width = max(_LEFT + len(columns) * (_ACROSS + _GAP), 620)
    height = _TOP + 2 * _TALL + _BETWEEN + 62
    title = title_of(posterior, "under other regions and priors")
    canvas = Canvas(width, height, title, _description(posterior, columns))
    canvas.heading(posterior, "How the shares change with the region of equality and the prior")
    _key(canvas, posterior, 76)
    for row, (kind, label) in enumerate(_KINDS):
        top = _TOP + row * (_TALL + _BETWEEN)
        canvas.text("small-strong", 20, top - 26, label[0].upper() + label[1:])
        for column, panel in enumerate(columns):
            left = _LEFT + column * (_ACROSS + _GAP)
            _panel(canvas, panel, kind, left, top)
    return canvas


def _panel(canvas: Canvas, panel: Panel, kind: str, left: float, top: float) -> None:
    low, high = min(panel.places), max(panel.places)
    margin = 0.06 * (high - low) if panel.names else 0.0
    across = Scale(low - margin, high + margin, left, left + _ACROSS)
    down = Scale(0, 1, top + _TALL, top)
    levels = (0.0, 0.25, 0.5, 0.75, 1.0)
    canvas.lines("grid", [((left, down.at(level)), (left + _ACROSS, down.at(level))) for level in levels])
    for level in levels:
        label = f"{level:g}" if level in (0, 1) else f"{level:g}".removeprefix("0")
        canvas.text("small", left - 7, down.at(level) + 4, label, "end")
    _below(canvas, panel, across, top + _TALL)
    if across.low <= panel.chosen <= across.high:
        x = across.at(panel.chosen)
        canvas.line("axis", (x, top - 5), (x, top + _TALL))
        canvas.text("small", x, top - 9, "chosen", "middle")
    for outcome in _OUTCOMES:
        line = _line(panel, kind, outcome, across, down)
        if line:
            canvas.line(f"curve-{outcome}", *line)
            for point in line if panel.names else (line[0], line[-1]):
                _SHAPES[outcome](canvas, *point)


def _line(panel: Panel, kind: str, outcome: str, across: Scale, down: Scale) -> list[Point]:
    found = []
    for place, point in zip(panel.places, panel.points, strict=True):
        shares: Thirds = getattr(point, kind)
        value: float | None = getattr(shares, outcome)
        # Without a region of equality nothing is in it.
        found.append((across.at(place), down.at(0.0 if value is None else value)))
    return found


def _below(canvas: Canvas, panel: Panel, across: Scale, base: float) -> None:
    ticks = list(panel.places) if panel.names else across.ticks(4)
    names = panel.names or tuple(tick_label(tick, ticks) for tick in ticks)
    canvas.lines("axis", [((x, base), (x, base + 4)) for x in map(across.at, ticks)])
    for tick, name in zip(ticks, names, strict=True):
        canvas.text("small", across.at(tick), base + 17, name, "middle")
    canvas.text("small", (across.start + across.end) / 2, base + 34, panel.label, "middle", room=_ACROSS + _GAP - 10)


def _point_left(canvas: Canvas, x: float, y: float) -> None:
    canvas.polygon("point-a", (x - 6, y), (x + 4, y - 5), (x + 4, y + 5))


def _square(canvas: Canvas, x: float, y: float) -> None:
    canvas.rect("point-equal", x - 4, y - 4, 8, 8)


def _point_right(canvas: Canvas, x: float, y: float) -> None:
    canvas.polygon("point-b", (x + 6, y), (x - 4, y - 5), (x - 4, y + 5))


_SHAPES: dict[str, Callable[[Canvas, float, float], None]] = {
    "a": _point_left,
    "equal": _square,
    "b": _point_right,
}


def _key(canvas: Canvas, posterior: Posterior, y: float) -> None:
    x = 20.0
    for outcome, name, after in (
        ("a", isolated(posterior.a), " better"),
        ("equal", "practically equal", ""),
        ("b", isolated(posterior.b), " better"),
    ):
        canvas.line(f"curve-{outcome}", (x, y - 4), (x + 34, y - 4))
        _SHAPES[outcome](canvas, x + 17, y - 4)
        canvas.text("small-ink", x + 42, y, name, room=170, after=after)
        x += 42 + min(width_of(name + after, 10.5), 170) + 20


def _description(posterior: Posterior, columns: Sequence[Panel]) -> str:
    lines = []
    a, b = isolated(posterior.a), isolated(posterior.b)
    for panel in columns:
        for kind, label in _KINDS:
            lines.append(f"{panel.label}, {label} ({a} better, equal, {b} better):")
            for index, point in enumerate(panel.points):
                shares: Thirds = getattr(point, kind)
                name = panel.names[index] if panel.names else f"{panel.places[index]:g}"
                lines.append(f"{name}: {share(shares.a)}, {share(shares.equal)}, {share(shares.b)};")
    return "\n".join(lines)
