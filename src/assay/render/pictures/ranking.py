"""The partial order of systems as a graph in levels, better above worse, with what a chain would hide."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.render.pictures.canvas import Canvas, Point, wrapped
from assay.render.pictures.layers import Edge, Layers, Stop, laid_out, levels
from assay.render.pictures.letters import isolated, width_of
from assay.result.posteriors import Ranking, RankRelation

_EQUAL = ("≈", "⪅", "⪆")
_UNDECIDED = "?"
_TURNED = {"<": ">", ">": "<", "⪅": "⪆", "⪆": "⪅"}
_BOX, _APART, _STEP = 32.0, 36.0, 98.0
_LEFT = 84.0


@dataclass(frozen=True)
class Relations:
    """The relations of a ranking, sorted by how they are drawn; edges run from the worse to the better."""

    covers: tuple[Edge, ...]
    flagged: tuple[Edge, ...]
    ties: tuple[RankRelation, ...]


def relations(ranking: Ranking) -> Relations:
    """What is drawn: covering edges, edges that the chain hides or contradicts, ties."""
    strict = {_upwards(row): row for row in ranking.relations if row.relation in ("<", ">")}
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
    return Relations(covers, flagged, ties)


def _upwards(row: RankRelation) -> Edge:
    return (row.a, row.b) if row.relation == "<" else (row.b, row.a)


def ranking_levels(ranking: Ranking) -> list[list[str]]:
    """The systems level by level, the best first."""
    found = relations(ranking)
    level = levels(ranking.order, [*found.covers, *found.flagged])
    rows: list[list[str]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for name in ranking.order:
        rows[level[name]].append(name)
    return rows[::-1]


def ranking_graph(ranking: Ranking) -> Canvas:
    """One measure's partial order."""
    found = relations(ranking)
    covers = [*found.covers, *found.flagged]
    level = levels(ranking.order, covers)
    across = [(row.a, row.b) for row in found.ties if level[row.a] != level[row.b]]
    within = [row for row in found.ties if level[row.a] == level[row.b]]
    edges = [edge for edge in covers if level[edge[0]] != level[edge[1]]]
    layers = laid_out(ranking.order, covers, [*edges, *across])
    plan = _Plan(layers, ranking.order)
    width = max(plan.width, 640)
    notes = [line for sentence in ranking.intransitive for line in wrapped(f"! {sentence}", "small-ink", width - 40)]
    bottom = plan.bottom + 34
    title = f"Order by {ranking.measure}"
    canvas = Canvas(width, bottom + 20 + 16 * len(notes), title, _description(ranking))
    canvas.text("title", 20, 30, title, room=width - 40)
    canvas.text("subtitle", 20, 50, ranking.chain, room=width - 40)
    canvas.line("axis", (34, plan.bottom), (34, plan.top))
    canvas.polygon("arrow", (34, plan.top - 8), (30, plan.top), (38, plan.top))
    canvas.text("small", 20, plan.top - 14, "better")
    for edge in covers:
        line = plan.line(edge) if edge in layers.paths else plan.bow(edge)
        _edge(canvas, line if _rises(edge, layers) else line[::-1], edge in found.flagged)
    for row in found.ties:
        if (row.a, row.b) in layers.paths:
            _tie(canvas, plan.line((row.a, row.b)), row.relation)
    _within(canvas, plan, within)
    for name in ranking.order:
        _node(canvas, plan, name)
    _key(canvas, bottom, found)
    for number, note in enumerate(notes):
        canvas.text("small-ink", 20, bottom + 24 + 16 * number, note, room=width - 40)
    return canvas


def _rises(edge: Edge, layers: Layers) -> bool:
    return layers.level[edge[0]] <= layers.level[edge[1]]


class _Plan:
    """Where everything stands."""

    def __init__(self, layers: Layers, order: tuple[str, ...]) -> None:
        self.layers = layers
        self.size = min(max((width_of(name, 12, bold=True) for name in order), default=0) + 28, 190)
        widths = [sum(map(self._room, row)) + _APART * (len(row) - 1) for row in layers.rows]
        self.width = _LEFT + max(widths, default=0) + 70
        self.top = 92.0
        self.bottom = self.top + _STEP * (len(layers.rows) - 1) + _BOX
        self.places: dict[Stop, Point] = {}
        middle = (_LEFT + max(self.width, 640) - 20) / 2
        for number, (row, width) in enumerate(zip(layers.rows, widths, strict=True)):
            x, y = middle - width / 2, self.bottom - _BOX / 2 - _STEP * number
            for stop in row:
                self.places[stop] = (x + self._room(stop) / 2, y)
                x += self._room(stop) + _APART
        self.doors = self._doors()

    def _room(self, stop: Stop) -> float:
        return self.size if isinstance(stop, str) else 12.0

    def _doors(self) -> dict[tuple[Edge, Stop], float]:
        """Where on its box each line ends: side by side, in the order of where they come from."""
        ends: dict[tuple[Stop, bool], list[tuple[float, Edge]]] = {}
        for edge, path in self.layers.paths.items():
            for stop, other, above in ((path[0], path[1], True), (path[-1], path[-2], False)):
                ends.setdefault((stop, above), []).append((self.places[other][0], edge))
        doors = {}
        for (stop, _), lines in ends.items():
            step = min(20.0, (self.size - 20) / max(len(lines) - 1, 1))
            for number, (_, edge) in enumerate(sorted(lines)):
                doors[edge, stop] = self.places[stop][0] + (number - (len(lines) - 1) / 2) * step
        return doors

    def line(self, edge: Edge) -> list[Point]:
        """The way of an edge, from level to level upwards."""
        low, *passing, high = self.layers.paths[edge]
        line = [(self.doors[edge, low], self.places[low][1] - _BOX / 2)]
        for stop in passing:
            x, y = self.places[stop]
            line += [(x, y + _BOX / 2), (x, y - _BOX / 2)]
        return [*line, (self.doors[edge, high], self.places[high][1] + _BOX / 2)]

    def bow(self, edge: Edge) -> list[Point]:
        """The way of an edge between two systems of one level, above the others."""
        (x, y), (end, _) = self.places[edge[0]], self.places[edge[1]]
        height = min(14 + abs(end - x) / 12, 40)
        steps = [number / 12 for number in range(13)]
        return [(x + (end - x) * part, y - _BOX / 2 - 4 * height * part * (1 - part)) for part in steps]


def _node(canvas: Canvas, plan: _Plan, name: str) -> None:
    x, y = plan.places[name]
    canvas.rect("node", x - plan.size / 2, y - _BOX / 2, plan.size, _BOX, 6)
    canvas.text("strong", x, y + 4, name, "middle", room=plan.size - 12)


def _edge(canvas: Canvas, line: list[Point], flagged: bool) -> None:
    (x, y), (end_x, end_y) = line[-2], line[-1]
    length = math.hypot(end_x - x, end_y - y) or 1.0
    along, side = ((end_x - x) / length, (end_y - y) / length), ((y - end_y) / length, (end_x - x) / length)
    foot = (end_x - 9 * along[0], end_y - 9 * along[1])
    canvas.line("flagged" if flagged else "edge", *line[:-1], foot)
    canvas.polygon(
        "flagged-arrow" if flagged else "arrow",
        (end_x, end_y),
        (foot[0] + 4.5 * side[0], foot[1] + 4.5 * side[1]),
        (foot[0] - 4.5 * side[0], foot[1] - 4.5 * side[1]),
    )
    if flagged:
        _flag(canvas, *_halfway(line))


def _flag(canvas: Canvas, x: float, y: float) -> None:
    canvas.polygon("flag", (x, y - 10), (x - 10, y + 7), (x + 10, y + 7))
    canvas.text("small-strong", x, y + 5, "!", "middle")


def _tie(canvas: Canvas, line: list[Point], sign: str) -> None:
    canvas.line("tie", *line)
    _sign(canvas, *_halfway(line), sign)


def _sign(canvas: Canvas, x: float, y: float, sign: str) -> None:
    canvas.circle("paper", x, y, 8)
    canvas.text("text", x, y + 4, sign, "middle")


def _halfway(line: list[Point]) -> Point:
    """A place on the middle stretch, a little before its middle, where lines cross less."""
    (x, y), (to_x, to_y) = line[(len(line) - 1) // 2], line[(len(line) - 1) // 2 + 1]
    return 0.58 * x + 0.42 * to_x, 0.58 * y + 0.42 * to_y


def _within(canvas: Canvas, plan: _Plan, ties: list[RankRelation]) -> None:
    """Ties on one level: a frame around three or more that are all equal; else lines and, past others, bows."""
    framed = set()
    for row in plan.layers.rows:
        names = [stop for stop in row if isinstance(stop, str)]
        equal = [tie for tie in ties if tie.relation == "≈" and tie.a in names]
        if len(names) > 2 and len(equal) == len(names) * (len(names) - 1) // 2:
            framed |= {(tie.a, tie.b) for tie in equal}
            _frame(canvas, plan, names)
    for tie in ties:
        left, right, sign = tie.a, tie.b, tie.relation
        if plan.places[left][0] > plan.places[right][0]:
            left, right, sign = right, left, _TURNED.get(sign, sign)
        (x, y), (end, _) = plan.places[left], plan.places[right]
        if end - x <= plan.size + _APART + 1:
            canvas.line("tie", (x + plan.size / 2, y), (end - plan.size / 2, y))
            _sign(canvas, (x + end) / 2, y, sign)
        elif (tie.a, tie.b) not in framed:
            line = [(place, 2 * y - above) for place, above in plan.bow((left, right))]
            canvas.line("tie", *line)
            _sign(canvas, *line[4], sign)


def _frame(canvas: Canvas, plan: _Plan, names: list[str]) -> None:
    places = [plan.places[name] for name in names]
    left, right, y = places[0][0] - plan.size / 2, places[-1][0] + plan.size / 2, places[0][1]
    canvas.rect("tie", left - 9, y - _BOX / 2 - 9, right - left + 18, _BOX + 18, 10)
    canvas.text("small", right + 14, y + 4, "all ≈")


def _key(canvas: Canvas, y: float, found: Relations) -> None:
    """Only what is there is explained."""
    _edge(canvas, [(20, y - 4), (52, y - 4)], False)
    x = _explained(canvas, 60, y, "worse → better")
    if found.ties:
        signs = {row.relation for row in found.ties}
        more = ", ⪅ barely" * bool(signs & {"⪅", "⪆"}) + ", ? undecided" * (_UNDECIDED in signs)
        canvas.line("tie", (x, y - 4), (x + 32, y - 4))
        x = _explained(canvas, x + 40, y, f"≈ practically equal{more}")
    if found.flagged:
        _edge(canvas, [(x, y - 4), (x + 52, y - 4)], True)
        _explained(canvas, x + 60, y, "hidden by the chain")


def _explained(canvas: Canvas, x: float, y: float, label: str) -> float:
    canvas.text("small", x, y, label)
    return x + width_of(label, 10.5) + 16


def _description(ranking: Ranking) -> str:
    signs = [f"{isolated(row.a)} {row.relation} {isolated(row.b)}" for row in ranking.relations]
    rows = [", ".join(map(isolated, level)) for level in ranking_levels(ranking)]
    text = [
        f"Chain: {ranking.chain}.",
        f"Levels from the best down: {'; '.join(rows)}.",
        f"All pairs: {', '.join(signs)}.",
    ]
    return "\n".join([*text, *ranking.intransitive])
