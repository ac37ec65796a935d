"""A graph in levels: which level a system stands on, in which order, and where lines between levels pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Edge = tuple[str, str]
"""From the worse system to the better."""
Stop = str | tuple[str, str, int]
"""A system, or where an edge passes a level on its way."""


@dataclass
class Layers:
    """Each level from the lowest up: systems, and the edges that pass between them."""

    level: dict[str, int]
    rows: list[list[Stop]]
    paths: dict[Edge, list[Stop]] = field(default_factory=dict)
    """The stops of each edge, from level to level upwards."""


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


def laid_out(order: Sequence[str], covers: Iterable[Edge], edges: Iterable[Edge]) -> Layers:
    """Systems and the passing points of long edges, ordered so that lines cross little; always the same way."""
    level = levels(order, covers)
    rows: list[list[Stop]] = [[] for _ in range(max(level.values(), default=0) + 1)]
    for name in order:
        rows[level[name]].append(name)
    layers = Layers(level, rows)
    for one, other in edges:
        low, high = sorted((one, other), key=lambda name: level[name])
        passing: list[Stop] = [(low, high, number) for number in range(level[low] + 1, level[high])]
        for number, stop in enumerate(passing, level[low] + 1):
            rows[number].append(stop)
        layers.paths[one, other] = [low, *passing, high]
    _untangle(layers)
    return layers


def _untangle(layers: Layers, times: int = 4) -> None:
    """Each stop moves to the middle of its neighbours on the next level, upwards and downwards by turns."""
    near: dict[Stop, list[Stop]] = {stop: [] for row in layers.rows for stop in row}
    for path in layers.paths.values():
        for here, there in pairwise(path):
            near[here].append(there)
            near[there].append(here)
    count = len(layers.rows)
    for turn in range(times):
        upwards = turn % 2 == 0
        for number in range(1, count) if upwards else range(count - 2, -1, -1):
            fixed = layers.rows[number - 1 if upwards else number + 1]
            # Places from 0 to 1, since levels differ in how many stops they have.
            place = {stop: (index + 0.5) / len(fixed) for index, stop in enumerate(fixed)}
            row = layers.rows[number]
            own = {stop: (index + 0.5) / len(row) for index, stop in enumerate(row)}
            layers.rows[number] = sorted(row, key=lambda stop: _middle(near[stop], place, own[stop]))


def _middle(stops: list[Stop], place: dict[Stop, float], own: float) -> float:
    found = [place[stop] for stop in stops if stop in place]
    return sum(found) / len(found) if found else own
