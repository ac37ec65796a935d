"""An order of systems from what was found for each pair (Szymański and Gorman 2020), and where it misleads.

A chain such as "a < b ≈ c" shows neighbours alone; whatever other pairs say against it is flagged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations
from typing import Literal

from assay.stats.regions import Three

Relation = Literal["<", "⪅", "≈", "⪆", ">", "?"]
"""How a compares with b; "?" where each is as likely the better one."""

MARGIN = 0.05
EQUAL: tuple[Relation, ...] = ("⪅", "≈", "⪆")


@dataclass(frozen=True)
class Flag:
    """Systems whose relations do not fit in a chain.

    hidden: the first equals the second and the second the third, yet the first differs from the third.
    cycle: the first is worse than the second, the second than the third, the third than the first.
    against: the chain has the first as worse than the second, but they do not compare so.
    """

    kind: Literal["hidden", "cycle", "against"]
    systems: tuple[str, ...]
    relation: Relation
    """How the first compares with the last."""


@dataclass(frozen=True)
class Ranking:
    """Systems from the worst to the best."""

    order: tuple[str, ...]
    relations: Mapping[tuple[str, str], Relation]
    """Of every two systems, both ways round."""
    flags: tuple[Flag, ...]
    covers: tuple[tuple[str, str], ...]
    """The partial order: pairs (worse, better) with no system between them."""

    @property
    def chain(self) -> str:
        """The order with the relation of neighbours between them."""
        links = (f" {self.relations[pair]} {pair[1]}" for pair in pairwise(self.order))
        return "".join([*self.order[:1], *links])


def relation(shares: Three, margin: float = MARGIN) -> Relation:
    """The likeliest of a better, equal and b better; equality that leads by less than the margin leans to a side."""
    a, equal, b = shares
    if equal < max(a, b):
        return ">" if a > b else "<" if b > a else "?"
    if a == b or equal - max(a, b) >= margin:
        return "≈"
    return "⪆" if a > b else "⪅"


def rank(names: Sequence[str], shares: Mapping[tuple[str, str], Three], margin: float = MARGIN) -> Ranking:
    """The order of systems, given the shares of each pair one way round or the other.

    More wins than losses come later; ties are decided by how likely the systems are better than others, then by name.
    """
    both = {**shares, **{(b, a): turned[::-1] for (a, b), turned in shares.items()}}
    missing = [pair for pair in combinations(names, 2) if pair not in both]
    if missing or len(set(names)) < len(names):
        raise ValueError(f"there are no shares for {missing[0]}" if missing else "a system is named twice")
    relations = {pair: relation(both[pair], margin) for pair in permutations(names, 2)}

    def place(name: str) -> tuple[int, float, str]:
        others = [other for other in sorted(names) if other != name]
        wins = sum((relations[name, other] == ">") - (relations[name, other] == "<") for other in others)
        # Rounded, so that sums of the same shares in another order are the same.
        return wins, round(sum(both[name, other][0] - both[name, other][2] for other in others), 9), name

    order = tuple(sorted(names, key=place))
    flags = (*_hidden(order, relations), *_cycles(order, relations), *_against(order, relations))
    return Ranking(order, relations, flags, tuple(_covers(order, relations)))


def _hidden(order: Sequence[str], relations: Mapping[tuple[str, str], Relation]) -> Iterator[Flag]:
    """Chains of equivalences that hide a difference of their ends."""
    for first, last in combinations(order, 2):
        if relations[first, last] in ("<", ">"):
            for middle in order:
                if middle not in (first, last) and all(
                    relations[pair] in EQUAL for pair in ((first, middle), (middle, last))
                ):
                    yield Flag("hidden", (first, middle, last), relations[first, last])


def _cycles(order: Sequence[str], relations: Mapping[tuple[str, str], Relation]) -> Iterator[Flag]:
    """a < b < c < a, each named once, from the system that comes first."""
    for first, second, third in permutations(order, 3):
        round_trip = ((first, second), (second, third), (third, first))
        if order.index(first) < min(order.index(second), order.index(third)) and all(
            relations[pair] == "<" for pair in round_trip
        ):
            yield Flag("cycle", (first, second, third), relations[first, third])


def _against(order: Sequence[str], relations: Mapping[tuple[str, str], Relation]) -> Iterator[Flag]:
    """Pairs that are no neighbours, with a "<" between them in the chain, that do not compare as "<"."""
    links = [relations[pair] for pair in pairwise(order)]
    for first, last in combinations(range(len(order)), 2):
        pair = (order[first], order[last])
        if last - first > 1 and "<" in links[first:last] and relations[pair] != "<":
            yield Flag("against", pair, relations[pair])


def _covers(order: Sequence[str], relations: Mapping[tuple[str, str], Relation]) -> Iterator[tuple[str, str]]:
    """What is worse than what, without pairs that follow from others."""
    for worse, better in permutations(order, 2):
        between = (name for name in order if name not in (worse, better))
        if relations[worse, better] == "<" and not any(
            relations[worse, name] == "<" and relations[name, better] == "<" for name in between
        ):
            yield worse, better
