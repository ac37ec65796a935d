"""Trees drawn as text, with what systems do otherwise beside the words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.result import Example, ExampleArcs

_ROOT, _ELSEWHERE, _MISSING = -1, -2, -3
LONGEST = 60
"""Longer sentences are not drawn as trees; their differing words are listed."""


def dependency_lines(example: Example) -> list[str]:
    """Gold's tree, and behind each word the arcs of systems that differ from gold's."""
    gold, *systems = example.arcs
    differing = {
        place: [_arc(example, system, place) for system in systems if _differs(gold, system, place)]
        for place in range(len(example.words))
    }
    if len(example.words) > LONGEST:
        rows = [(place, "", place) for place in differing if differing[place]]
    else:
        rows = list(_drawn(gold))
    texts = [f"{lead}{example.words[place]}" for _, lead, place in rows]
    width = max(map(len, texts), default=0)
    relations = max((len(gold.labels[place]) for _, _, place in rows), default=0)
    lines = []
    for (_, _, place), text in zip(rows, texts, strict=True):
        relation = gold.labels[place] if len(example.words) <= LONGEST else _arc(example, gold, place)
        marks = "   ".join(differing[place])
        lines.append(f"{text:{width}}  {relation:{relations}}  {marks}".rstrip())
    return lines


_MARKS = {"right": " ", "gold": " ", "spurious": "✗", "missing": "−", "forgiven": "~", "unasked": "·"}


def unit_lines(example: Example) -> list[str]:
    """Function trees, side by side below each other: a line per node, indented by what it lies in, with its words."""
    lines = []
    for side in dict.fromkeys(unit.side for unit in example.units):
        lines.append(f"{side}:")
        over: list[set[int]] = []
        for unit in (unit for unit in example.units if unit.side == side):
            words = {place for first, end in unit.stretches for place in range(first, end)}
            while over and not words <= over[-1]:
                over.pop()
            depth = len(over)
            if not over or words != over[-1]:
                over.append(words)
            else:
                depth -= 1
            text = " ".join(example.words[place] for place in sorted(words))
            kind = "" if unit.kind in ("right", "gold") else f"  ({unit.kind})"
            lines.append(f"{_MARKS[unit.kind]} {'  ' * depth}{unit.label or '∅'}: {text}{kind}")
    return lines


def _differs(gold: ExampleArcs, system: ExampleArcs, place: int) -> bool:
    return (gold.heads[place], gold.labels[place]) != (system.heads[place], system.labels[place])


def _arc(example: Example, arcs: ExampleArcs, place: int) -> str:
    head = arcs.heads[place]
    if head == _MISSING:
        return f"✗ {arcs.side}: no such word"
    names = {_ROOT: "root", _ELSEWHERE: "another word"}
    under = names[head] if head in names else f"{example.words[head]} ({head + 1})"
    side = "" if arcs.side == "gold" else f"✗ {arcs.side}: "
    return f"{side}{arcs.labels[place]} ← {under}"


def _drawn(gold: ExampleArcs) -> Iterator[tuple[int, str, int]]:
    """The words from the root down, each with the lines that lead to it; without recursion, as trees may be deep."""
    below: dict[int, list[int]] = {}
    for place, head in enumerate(gold.heads):
        below.setdefault(head, []).append(place)
    open_nodes: list[tuple[int, str, str]] = [(place, "", "") for place in reversed(below.get(_ROOT, []))]
    while open_nodes:
        place, lead, deeper = open_nodes.pop()
        yield place, lead, place
        open_nodes.extend(reversed(list(_children(below.get(place, []), deeper))))


def _children(places: Sequence[int], deeper: str) -> Iterator[tuple[int, str, str]]:
    for number, place in enumerate(places, 1):
        last = number == len(places)
        yield place, deeper + ("└─ " if last else "├─ "), deeper + ("   " if last else "│  ")
