"""The partial order of systems as a graph in levels, better above worse, with what a chain would hide."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from assay.render.pictures.sheet import FLAG, INK, SOFT, Look, bare, captioned, drawn, sheet, short, width_of
from assay.result.schema import Ranking, RankRelation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Edge = tuple[str, str]
"""From the worse system to the better."""
Pairs = Collection[frozenset[str]]
"""Systems two by two."""
Stop = str | tuple[str, str, int]
"""A system, or where an edge passes a level on its way."""


def levels(order: Sequence[str], covers: Iterable[Edge]) -> dict[str, int]:
    """A system stands above all that it covers; edges against the order have no say."""
    place = {name: number for number, name in enumerate(order)}
    below: dict[str, list[str]] = {name: [] for name in order}
    for worse, better in covers:
        if place[worse] < place[better]:
            below[better].append(worse)
    found: dict[str, int] = {}
    for name in order:
        found[name] = max((found[worse] + 1 for worse in below[name]), default=0)
    return found


def laid_out(
    order: Sequence[str], level: Mapping[str, int], edges: Iterable[Edge]
) -> tuple[list[list[Stop]], dict[Edge, list[Stop]]]:
    """Systems and the passing points of long edges on each level, and the stops of each edge from level to level.

    They are ordered so that lines cross little; always the same way.
    """
    rows: list[list[Stop]] = [[] for _ in range(max(level.values(), default=0) + 1)]
    for name in order:
        rows[level[name]].append(name)
    paths: dict[Edge, list[Stop]] = {}
    for one, other in edges:
        low, high = sorted((one, other), key=lambda name: level[name])
        passing: list[Stop] = [(low, high, number) for number in range(level[low] + 1, level[high])]
        for number, stop in enumerate(passing, level[low] + 1):
            rows[number].append(stop)
        paths[one, other] = [low, *passing, high]
    # Each stop moves to the middle of its neighbours on the next level, upwards and downwards by turns.
    near: dict[Stop, list[Stop]] = {stop: [] for row in rows for stop in row}
    for path in paths.values():
        for here, there in pairwise(path):
            near[here].append(there)
            near[there].append(here)
    for turn in range(4):
        upwards = turn % 2 == 0
        for number in range(1, len(rows)) if upwards else range(len(rows) - 2, -1, -1):
            fixed, row = rows[number - 1 if upwards else number + 1], rows[number]
            # Places from 0 to 1, since levels differ in how many stops they have.
            place = {stop: (index + 0.5) / len(fixed) for index, stop in enumerate(fixed)}
            middle = {stop: (index + 0.5) / len(row) for index, stop in enumerate(row)}
            for stop in row:
                beside = [place[other] for other in near[stop] if other in place]
                middle[stop] = sum(beside) / len(beside) if beside else middle[stop]
            rows[number] = sorted(row, key=middle.__getitem__)
    return rows, paths


# --- relations and their places ---


Point = tuple[float, float]
_EQUAL = ("≈", "⪅", "⪆")
_UNDECIDED = "?"
_TURNED = {"<": ">", ">": "<", "⪅": "⪆", "⪆": "⪅"}
_BOX, _APART, _STEP = 0.34, 0.38, 1.0
_OPEN = "undecided; the most frequent relation is shown"


def relations(ranking: Ranking) -> tuple[tuple[Edge, ...], tuple[Edge, ...], tuple[RankRelation, ...]]:
    """The covering edges, the edges that the chain hides or contradicts, and ties."""
    strict = {
        (row.a, row.b) if row.relation == "<" else (row.b, row.a): row
        for row in ranking.relations
        if row.relation in ("<", ">")
    }
    ties = tuple(row for row in ranking.relations if row.relation in (*_EQUAL, _UNDECIDED))
    tied: dict[str, set[str]] = {name: set() for name in ranking.order}
    for row in ties:
        if row.relation in _EQUAL:
            tied[row.a].add(row.b)
            tied[row.b].add(row.a)
    place = {name: number for number, name in enumerate(ranking.order)}
    flagged = tuple(
        (worse, better) for worse, better in strict if place[worse] > place[better] or tied[worse] & tied[better]
    )
    covers = tuple(edge for edge, row in strict.items() if row.covers and edge not in flagged)
    return covers, flagged, ties


class _Plan:
    """The layout in inches: boxes in levels, and the ways between them."""

    def __init__(self, order: tuple[str, ...], level: Mapping[str, int], edges: list[Edge]) -> None:
        self.rows, self.paths = laid_out(order, level, edges)
        self.box = max(width_of(short(name, 22), weight="bold") for name in order) + 0.3
        widths = [sum(map(self._room, row)) + _APART * (len(row) - 1) for row in self.rows]
        self.width, self.height = max(widths), _STEP * (len(self.rows) - 1) + _BOX
        self.places: dict[Stop, Point] = {}
        for number, (row, width) in enumerate(zip(self.rows, widths, strict=True)):
            x = (self.width - width) / 2
            for stop in row:
                self.places[stop] = (x + self._room(stop) / 2, _BOX / 2 + _STEP * number)
                x += self._room(stop) + _APART

    def _room(self, stop: Stop) -> float:
        return self.box if isinstance(stop, str) else 0.12

    def upwards(self, edge: Edge) -> list[Point]:
        """The way of an edge from level to level; past a level it runs straight, so that it meets no box."""
        low, *passing, high = [self.places[stop] for stop in self.paths[edge]]
        line = [point for x, y in passing for point in ((x, y - _BOX / 2), (x, y + _BOX / 2))]
        first, last = [*line, high][0], [low, *line][-1]
        return [(self._door(low, first), low[1] + _BOX / 2), *line, (self._door(high, last), high[1] - _BOX / 2)]

    def _door(self, box: Point, other: Point) -> float:
        """The place on its box where a line ends: the further to the side from which it comes."""
        most = self.box / 2 - 0.12
        return box[0] + min(max((other[0] - box[0]) / 4, -most), most)

    def bow(self, edge: Edge, side: int) -> list[Point]:
        """The way between two systems of one level: above the others (1), or below them (-1)."""
        (x, y), (end, _) = (self.places[name] for name in edge)
        height = min(0.15 + abs(end - x) / 12, 0.42)
        parts = [number / 12 for number in range(13)]
        return [(x + (end - x) * part, y + side * (_BOX / 2 + 4 * height * part * (1 - part))) for part in parts]


@drawn
def ranking_graph(ranking: Ranking, undecided: Pairs = ()) -> Figure:
    """One measure's partial order; the links of undecided pairs are dashed."""
    covering, flagged, ties = relations(ranking)
    covers = [*covering, *flagged]
    level = levels(ranking.order, covers)
    edges = [*covers, *((row.a, row.b) for row in ties)]
    plan = _Plan(ranking.order, level, [edge for edge in edges if level[edge[0]] != level[edge[1]]])
    figure = sheet()
    axes = figure.add_axes((0, 0, plan.width, plan.height))
    bare(axes, (0, plan.width), (0, plan.height))
    arrow = {"arrowstyle": "-|>", "color": SOFT, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (-0.5, plan.height), (-0.5, 0), arrowprops=arrow, annotation_clip=False)
    axes.text(-0.5, plan.height + 0.06, "better", ha="center", size=8, color=SOFT)
    for edge in covers:
        line = plan.upwards(edge) if edge in plan.paths else plan.bow(edge, 1)
        line = line if level[edge[0]] <= level[edge[1]] else line[::-1]
        _edge(axes, line, edge in flagged, frozenset(edge) in undecided)
    _ties(axes, plan, ties, undecided)
    for name in ranking.order:
        _box(axes, *plan.places[name], plan.box, _BOX, ec=INK, fc="white", zorder=3)
        axes.text(*plan.places[name], short(name, 22), ha="center", va="center", weight="bold", zorder=4)
    close = ["⪅ means ≈ with < close behind."] if any(row.relation in ("⪅", "⪆") for row in ties) else []
    notes = [*close, *(f"! {sentence}" for sentence in ranking.intransitive)]
    order = short(ranking.headline or ranking.chain, 200)
    return captioned(figure, f"Order by {short(ranking.measure)}: {order}.", notes)


def _edge(axes: Axes, line: list[Point], flagged: bool, is_open: bool) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    colour, dashes, label = (FLAG, "-.", "hidden by the chain") if flagged else (INK, "-", "worse → better")
    look: Look = {"color": colour, "ls": "--" if is_open else dashes, "lw": 1.2}
    arrow = FancyArrowPatch(path=Path(line), arrowstyle="-|>", mutation_scale=11, clip_on=False, **look)
    axes.add_patch(arrow)
    axes.plot([], [], marker=">", **look, label=_OPEN if is_open and not flagged else label)
    if flagged:
        ring = {"boxstyle": "circle,pad=0.2", "fc": "white", "ec": FLAG}
        axes.text(*_halfway(line), "!", ha="center", va="center", size=8, weight="bold", color=FLAG, bbox=ring)


def _ties(axes: Axes, plan: _Plan, ties: tuple[RankRelation, ...], undecided: Pairs) -> None:
    """Ties as lines with their sign, dashed if undecided; on one level a frame around three or more that are ≈."""
    framed = _frames(axes, plan, ties, undecided)
    for row in ties:
        edge, sign = (row.a, row.b), row.relation
        if edge in plan.paths:
            line = plan.upwards(edge)
        else:
            if plan.places[row.a][0] > plan.places[row.b][0]:
                edge, sign = (row.b, row.a), _TURNED.get(sign, sign)
            (x, y), (end, _) = plan.places[edge[0]], plan.places[edge[1]]
            near = end - x <= plan.box + _APART + 0.01
            if not near and row in framed:
                continue
            line = [(x + plan.box / 2, y), (end - plan.box / 2, y)] if near else plan.bow(edge, -1)
        dashes, label = ("--", _OPEN) if frozenset(edge) in undecided else ("-", "≈ practically equivalent")
        axes.plot(*zip(*line, strict=True), dashes, color=SOFT, lw=1.3, clip_on=False, label=label)
        patch = {"boxstyle": "circle,pad=0.1", "fc": "white", "ec": "none"}
        axes.text(*_halfway(line), sign, ha="center", va="center", bbox=patch)


def _frames(axes: Axes, plan: _Plan, ties: tuple[RankRelation, ...], undecided: Pairs) -> list[RankRelation]:
    """The ties within frames, which are drawn."""
    framed = []
    for row in plan.rows:
        names = [stop for stop in row if isinstance(stop, str)]
        equal = [tie for tie in ties if tie.relation == "≈" and {tie.a, tie.b} <= set(names)]
        if len(names) > 2 and len(equal) == len(names) * (len(names) - 1) // 2:
            framed += equal
            (left, y), (right, _) = plan.places[names[0]], plan.places[names[-1]]
            is_open = any(frozenset((tie.a, tie.b)) in undecided for tie in equal)
            look: Look = {"ec": SOFT, "ls": "--" if is_open else "-", "fill": False}
            _box(axes, (left + right) / 2, y, right - left + plan.box + 0.2, _BOX + 0.2, **look)
            axes.text(right + plan.box / 2 + 0.16, y, "all ≈", va="center", size=8, color=SOFT)
    return framed


def _box(axes: Axes, x: float, y: float, width: float, height: float, **look: Any) -> None:
    """A box with round corners around a point."""
    from matplotlib.patches import FancyBboxPatch

    corner = (x - width / 2, y - height / 2)
    round_ = "round,pad=0,rounding_size=0.06"
    axes.add_patch(FancyBboxPatch(corner, width, height, boxstyle=round_, lw=1.2, clip_on=False, **look))


def _halfway(line: list[Point]) -> Point:
    """A place on the middle stretch, a little before its middle, where lines cross less."""
    (x, y), (to_x, to_y) = line[(len(line) - 1) // 2], line[(len(line) - 1) // 2 + 1]
    return 0.58 * x + 0.42 * to_x, 0.58 * y + 0.42 * to_y
