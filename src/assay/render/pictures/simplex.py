"""Triangles of posterior draws: the nearer to a corner, the surer that outcome on a new data set.

A's corner is at the bottom left, B's at the bottom right, equality's on top, as in the paper's Figures 1 to 3.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from assay.render.pictures.canvas import Canvas, Point, title_of
from assay.render.pictures.letters import isolated, largest, share, thirds, width_of
from assay.render.pictures.style import SHADES
from assay.render.text import count
from assay.result.posteriors import Posterior

Corner = tuple[int, int]
Cell = tuple[int, int, bool]
"""A cell by its place: `a`, `b` and `up` of a SimplexCell."""
_TALL = math.sqrt(3) / 2
_CONTOURS = (50, 95)
_SMOOTHING = 3
# Half decades: draws crowd at the edges, and a scale of even steps would show nothing else.
_STEPS = tuple(part * 10**power for power in range(7) for part in (1, 3))
_SIDE, _MARGIN = 340.0, 130.0
_SMALL, _GAP = 150.0, 44.0


@dataclass(frozen=True)
class Triangle:
    """Where a simplex lies: its lower left corner and the length of a side."""

    x: float
    y: float
    side: float

    def at(self, a: float, b: float) -> Point:
        """The point for a probability of A and one of B; equality has the rest."""
        equal = 1 - a - b
        return self.x + self.side * (b + equal / 2), self.y - self.side * _TALL * equal


# --- cells ---


def corners(cell: Cell) -> tuple[Corner, Corner, Corner]:
    """The corners of a cell, counted in parts of a side: how many of A, how many of B."""
    a, b, up = cell
    return (a + 1, b), (a, b + 1), (a, b) if up else (a + 1, b + 1)


def densest(posterior: Posterior, percents: Sequence[int] = _CONTOURS) -> list[set[Cell]]:
    """For each of these percentages the cells of the highest density that together hold so many of the draws.

    They are ranked by a density that is smoothed over neighbours, so that chance does not fray their border.
    """
    draws = {(cell.a, cell.b, cell.up): cell.draws for cell in posterior.simplex}
    density = _smoothed(draws, posterior.sides)
    ranked = sorted(density, key=lambda cell: (-density[cell], cell))
    held = list(accumulate(draws.get(cell, 0) for cell in ranked))
    whole = sum(draws.values())
    return [set(ranked[: 1 + bisect_left(held, percent * whole / 100)]) for percent in percents]


def _smoothed(draws: dict[Cell, int], sides: int) -> dict[Cell, float]:
    # Of logarithms, so that a cell with thousands of draws does not spill over empty ones.
    density = {
        (a, b, up): math.log1p(draws.get((a, b, up), 0))
        for a in range(sides)
        for b in range(sides - a)
        for up in (True, False)
        if up or a + b < sides - 1
    }
    for _ in range(_SMOOTHING):
        # At the rim a cell stands in for the neighbour that it lacks, so that nothing flows out.
        density = {
            cell: (own + sum(density.get(other, own) for other in _neighbours(cell))) / 4
            for cell, own in density.items()
        }
    return density


def _neighbours(cell: Cell) -> tuple[Cell, Cell, Cell]:
    a, b, up = cell
    step = -1 if up else 1
    return (a, b, not up), (a + step, b, not up), (a, b + step, not up)


def outline(cells: Iterable[Cell]) -> list[list[Corner]]:
    """The borders of a set of cells, as closed lines through corners."""
    sides: Counter[tuple[Corner, Corner]] = Counter()
    for cell in cells:
        one, two, three = sorted(corners(cell))
        sides.update([(one, two), (two, three), (one, three)])
    open_sides: dict[Corner, list[Corner]] = {}
    for (start, end), number in sorted(sides.items()):
        if number == 1:
            open_sides.setdefault(start, []).append(end)
            open_sides.setdefault(end, []).append(start)
    return [_walk(open_sides, start) for start in sorted(open_sides) for _ in range(len(open_sides[start]) // 2)]


def _walk(sides: dict[Corner, list[Corner]], start: Corner) -> list[Corner]:
    """One closed line from a corner back to it; its sides are taken out."""
    line, here = [start], start
    while sides[here]:
        there = sides[here].pop(0)
        sides[there].remove(here)
        if there == start:
            break
        line.append(there)
        here = there
    return line


def scale(most: int) -> list[int]:
    """The least number of draws of each shade: round numbers, at most as many as there are shades."""
    steps = [step for step in _STEPS if step <= max(most, 1)]
    return steps if len(steps) <= SHADES else [1, *steps[1 - SHADES :]]


def _shade(step: int, steps: int) -> str:
    """The role of one step: few steps are spread over all shades."""
    return f"shade-{SHADES - 1 if steps == 1 else round(step * (SHADES - 1) / (steps - 1))}"


# --- one triangle ---


def simplex(posterior: Posterior) -> Canvas:
    """One pair on one measure, large."""
    title = title_of(posterior, "posterior draws")
    width = _SIDE + 2 * _MARGIN
    canvas = Canvas(width, 526, title, _description([posterior]))
    canvas.heading(posterior, _subtitle([posterior]))
    triangle = Triangle(_MARGIN, 104 + _SIDE * _TALL, _SIDE)
    steps = scale(_most([posterior]))
    _triangle(canvas, posterior, triangle, steps)
    _axes(canvas, posterior, triangle)
    if posterior.decision.equal is not None:
        _legend(canvas, 20, 488, steps)
    return canvas


def _triangle(canvas: Canvas, posterior: Posterior, triangle: Triangle, steps: list[int]) -> None:
    if posterior.decision.equal is None and posterior.simplex:
        _histogram(canvas, posterior, triangle)
    else:
        _cells(canvas, posterior, triangle, steps)
        _contours(canvas, posterior, triangle)
        canvas.polygon("frame", triangle.at(1, 0), triangle.at(0, 1), triangle.at(0, 0))
        centre = triangle.at(1 / 3, 1 / 3)
        halves = ((0.5, 0.5), (0.5, 0), (0, 0.5))
        canvas.lines("boundary", ((centre, triangle.at(a, b)) for a, b in halves))
        _ticks(canvas, triangle)
    if not posterior.simplex:
        middle = triangle.at(1 / 3, 1 / 3)
        canvas.text("small", middle[0], middle[1] + 16, "no draws", "middle")
    _vertices(canvas, posterior, triangle)


def _cells(canvas: Canvas, posterior: Posterior, triangle: Triangle, steps: list[int]) -> None:
    sides = posterior.sides
    for step, least in enumerate(steps):
        most = steps[step + 1] if step + 1 < len(steps) else math.inf
        chosen = (cell for cell in posterior.simplex if least <= cell.draws < most)
        rings = (
            [triangle.at(a / sides, b / sides) for a, b in corners((cell.a, cell.b, cell.up))] for cell in chosen
        )
        canvas.lines(_shade(step, len(steps)), rings, closed=True)


def _contours(canvas: Canvas, posterior: Posterior, triangle: Triangle) -> None:
    sides = posterior.sides
    if not posterior.simplex:
        return
    for percent, cells in zip(_CONTOURS, densest(posterior), strict=True):
        rings = [_rounded([triangle.at(a / sides, b / sides) for a, b in line]) for line in outline(cells)]
        # A line of the paper's colour below keeps a contour apart from shades as dark as itself.
        canvas.lines("halo", rings, closed=True)
        canvas.lines(f"contour-{percent}", rings, closed=True)


def _rounded(ring: list[Point], times: int = 2) -> list[Point]:
    """A closed line with its corners cut off (Chaikin): cells are triangles, what they stand for has no teeth."""
    for _ in range(times):
        ring = [
            (near * x + (1 - near) * to_x, near * y + (1 - near) * to_y)
            for (x, y), (to_x, to_y) in zip(ring, [*ring[1:], ring[0]], strict=True)
            for near in (0.75, 0.25)
        ]
    return ring


def _histogram(canvas: Canvas, posterior: Posterior, triangle: Triangle) -> None:
    """Without a region of equality all draws lie on the lower side: bars on it."""
    columns: Counter[int] = Counter()
    for cell in posterior.simplex:
        columns[cell.b] += cell.draws
    tallest = max(columns.values())
    step = triangle.side / posterior.sides
    for place, draws in sorted(columns.items()):
        height = draws / tallest * triangle.side * _TALL * 0.9
        canvas.rect("histogram", triangle.x + place * step, triangle.y - height, step, height)
    canvas.line("frame", triangle.at(1, 0), triangle.at(0, 1))
    canvas.text("small", triangle.x, triangle.y - triangle.side * _TALL, f"tallest: {count(tallest)} draws")
    middle, height = triangle.at(0.5, 0.5), triangle.side * _TALL
    canvas.line("boundary", middle, (middle[0], middle[1] - height))


def _ticks(canvas: Canvas, triangle: Triangle) -> None:
    """A tick at every fifth of each side, along the lines on which that share stays the same."""
    length = 5 / triangle.side
    lines = []
    for fifth in (0.2, 0.4, 0.6, 0.8):
        for a, b, over_a, over_b in (
            (1 - fifth, fifth, length, 0.0),
            (0.0, 1 - fifth, -length, length),
            (fifth, 0.0, 0.0, -length),
        ):
            lines.append((triangle.at(a, b), triangle.at(a + over_a, b + over_b)))
    canvas.lines("axis", lines)


def _axes(canvas: Canvas, posterior: Posterior, triangle: Triangle) -> None:
    """What the ticks of the three sides count."""
    a, b = isolated(posterior.a), isolated(posterior.b)
    room = _MARGIN + 40
    two = posterior.decision.equal is None
    for fifth in (0.2, 0.4, 0.6, 0.8):
        label = f"{fifth:.1f}".removeprefix("0")
        x, y = triangle.at(1 - fifth, fifth)
        canvas.text("small", x - 5, y + 16, label, "middle")
        if not two:
            x, y = triangle.at(0, 1 - fifth)
            canvas.text("small", x + 8, y - 2, label)
            x, y = triangle.at(fifth, 0)
            canvas.text("small", x - 6, y - 4, label, "end")
    x, y = triangle.at(0.5, 0.5)
    canvas.text("small", x, y + 36, f"P({b}", "middle", room=triangle.side / 2, after=" better) →")
    if not two:
        x, y = triangle.at(0.5, 0)
        canvas.text("small", x - 26, y - 22, f"↙ P({a}", "end", room=room, after=" better)")
        x, y = triangle.at(0, 0.5)
        canvas.text("small", x + 26, y - 22, "P(equal) ↖", room=room)


def _vertices(canvas: Canvas, posterior: Posterior, triangle: Triangle) -> None:
    """Names and decision shares at the corners, the largest in bold."""
    decision, first = posterior.decision, largest(posterior.decision)
    small = triangle.side < _SIDE
    name_role, roles = ("small", ("small-ink", "small-strong")) if small else ("text", ("text", "strong"))
    # Large, a name stands below its corner; small, both share the room below the side.
    anchors, away, drop = (("start", "end"), 14.0, 14.0) if small else (("middle", "middle"), 0.0, 32.0)
    room = triangle.side / 2 + away - 4 if small else triangle.side / 2 - 40
    for name, label, value, (x, y), anchor, shift in (
        ("a", posterior.a, decision.a, triangle.at(1, 0), anchors[0], -away),
        ("b", posterior.b, decision.b, triangle.at(0, 1), anchors[1], away),
    ):
        canvas.text(name_role, x + shift, y + drop, label, anchor, room=room)
        canvas.text(roles[name == first], x + shift, y + drop + 15, share(value), anchor)
    if decision.equal is not None:
        x, y = triangle.at(0, 0)
        canvas.text(roles[first == "equal"], x, y - 8, f"equal {share(decision.equal)}", "middle")


def _legend(canvas: Canvas, x: float, y: float, steps: list[int]) -> None:
    """How boundaries and contours are drawn, and the least number of draws that each shade stands for."""
    start = x
    x = _sample(canvas, x, y, "boundary", "where the likeliest outcome changes")
    for percent in _CONTOURS:
        x = _sample(canvas, x, y, f"contour-{percent}", f"{percent}% of draws")
    label = "draws in a cell, at least"
    canvas.text("small", start, y + 20, label)
    x = start + width_of(label, 10.5) + 4
    for step, least in enumerate(steps):
        canvas.rect(_shade(step, len(steps)), x, y + 10, 12, 12)
        canvas.text("small", x + 15, y + 20, count(least))
        x += max(26.0, width_of(count(least), 10.5) + 18) + 6


def _sample(canvas: Canvas, x: float, y: float, role: str, label: str) -> float:
    canvas.line(role, (x, y - 4), (x + 24, y - 4))
    canvas.text("small", x + 30, y, label)
    return x + 30 + width_of(label, 10.5) + 14


# --- many triangles ---


def simplex_grid(rows: Sequence[Sequence[Posterior | None]], title: str, heads: Sequence[str] = ()) -> Canvas:
    """Small triangles in rows, all with one scale; heads name the columns."""
    posteriors = [posterior for row in rows for posterior in row if posterior]
    across, down = _SMALL + _GAP, _SMALL * _TALL + 78
    left, top = 24.0, 76.0 + (24 if heads else 0)
    width = max(left + max(map(len, rows)) * across + 8, 620)
    canvas = Canvas(width, top + len(rows) * down + 56, title, _description(posteriors))
    canvas.text("title", 20, 30, title, room=width - 40)
    canvas.paragraph("subtitle", 20, 50, _subtitle(posteriors), width - 40)
    for column, head in enumerate(heads):
        canvas.text("strong", left + column * across + _SMALL / 2 + 14, top - 6, head, "middle", room=across - 8)
    steps = scale(_most(posteriors))
    for down_index, row in enumerate(rows):
        base = top + (down_index + 1) * down - 48
        for column, posterior in enumerate(row):
            if posterior:
                _triangle(canvas, posterior, Triangle(left + 14 + column * across, base, _SMALL), steps)
    if any(posterior.decision.equal is not None for posterior in posteriors):
        _legend(canvas, 20, canvas.height - 36, steps)
    return canvas


def _most(posteriors: Iterable[Posterior]) -> int:
    return max((cell.draws for posterior in posteriors for cell in posterior.simplex), default=1)


def _subtitle(posteriors: Sequence[Posterior]) -> str:
    draws = {sum(cell.draws for cell in posterior.simplex) for posterior in posteriors} - {0}
    number = f"{count(draws.pop())} posterior draws" if len(draws) == 1 else "Posterior draws"
    each = " each" if len(posteriors) > 1 else ""
    return f"{number}{each}; at the corners: the share in which that outcome is the likeliest"


def _description(posteriors: Iterable[Posterior]) -> str:
    """The numbers of each triangle in words."""
    lines = []
    for posterior in posteriors:
        draws = sum(cell.draws for cell in posterior.simplex)
        lines.append(
            f"{isolated(posterior.a)} and {isolated(posterior.b)} on {posterior.measure}, {count(draws)} draws. "
            f"Share of draws in which each outcome is the likeliest: {thirds(posterior, posterior.decision)}. "
            f"Mean probability on a new data set: {thirds(posterior, posterior.region)}."
        )
    return "\n".join(lines)
