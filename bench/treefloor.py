"""The floor for trees: read the files, count in plain Python and be done.

Run: treefloor.py arcs GOLD A B, treefloor.py brackets GOLD SYSTEM, or
treefloor.py tedeval DEPENDENCIES CONSTITUENTS DEPENDENCY-PARSES CONSTITUENCY-PARSES
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_TOKEN = re.compile(r"[()]|[^\s()]+")

Yield = frozenset[int]
FunctionTree = dict[Yield, set[str]]
"""The functions of each set of words that is a node; an empty set of them where a node has none."""


# --- dependencies ---


def arcs(path: str) -> Iterator[list[tuple[int, str]]]:
    """Head and relation of the words of each sentence, without a check of anything."""
    found: list[tuple[int, str]] = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line == "\n":
                yield found
                found = []
            elif line[0] != "#":
                cells = line.split("\t")
                if cells[0].isdigit():
                    found.append((int(cells[6]), cells[7]))


def attachment(paths: list[str]) -> dict[str, object]:
    """LAS without subtypes, and in how many words the two parsers differ."""
    gold, *systems = (
        [(head, relation.partition(":")[0]) for sentence in arcs(path) for head, relation in sentence]
        for path in paths
    )
    right = [sum(map(tuple.__eq__, gold, system)) / len(gold) for system in systems]
    return {"las": right, "different": sum(map(tuple.__ne__, *systems))}


# --- constituents ---


class Bracket(NamedTuple):
    """A node over the words from begin to before end."""

    label: str
    begin: int
    end: int
    is_tag: bool


def brackets(path: str) -> Iterator[list[Bracket]]:
    """The nodes of each line's tree."""
    with open(path, encoding="utf-8") as lines:
        return iter([list(_nodes(line)) for line in lines])


def _nodes(line: str) -> Iterator[Bracket]:
    opened: list[tuple[str, int]] = []
    words, before = 0, ""
    for token in _TOKEN.findall(line):
        if token == ")":
            label, begin = opened.pop()
            yield Bracket(label, begin, words, before not in "()")
        elif before == "(":
            opened.append((token, words))
        elif token != "(":
            words += 1
        before = token


def common_brackets(gold_path: str, system_path: str) -> dict[str, int]:
    """The numbers of constituents, and of those that both files have."""
    total: Counter[str] = Counter()
    for gold, system in zip(brackets(gold_path), brackets(system_path), strict=True):
        ours, theirs = (Counter(node for node in side if not node.is_tag) for side in (gold, system))
        total.update(gold=ours.total(), system=theirs.total(), tp=(ours & theirs).total())
    return dict(total)


# --- TedEval as sets ---


def from_arcs(sentence: list[tuple[int, str]]) -> FunctionTree:
    """A word's relation is on its whole yield, `hd` on itself where it has dependents, `root` on all."""
    yields: list[set[int]] = [{index} for index in range(len(sentence))]
    for index, (head, _) in enumerate(sentence):
        above = head
        while above:
            yields[above - 1].add(index)
            above = sentence[above - 1][0]
    tree: FunctionTree = {frozenset(range(len(sentence))): {"root"}}
    for index, (words, (_, relation)) in enumerate(zip(yields, sentence, strict=True)):
        tree.setdefault(frozenset(words), set()).add(relation)
        if len(words) > 1:
            tree.setdefault(frozenset((index,)), set()).add("hd")
    return tree


def from_brackets(nodes: list[Bracket]) -> FunctionTree:
    """A node's functions are behind the hyphen of its label; ROOT is none."""
    tree: FunctionTree = {}
    for label, begin, end, _ in nodes:
        if label != "ROOT":
            function = label.partition("-")[2]
            tree.setdefault(frozenset(range(begin, end)), set()).update([function] if function else [])
    return tree


def generalised(a: FunctionTree, b: FunctionTree) -> FunctionTree:
    """What two golds agree on."""
    return {words: a[words] & b[words] for words in a.keys() & b.keys()}


def units(tree: FunctionTree, labelled: bool) -> set[object]:
    """What is counted, label-less nodes too."""
    if not labelled:
        return set(tree)
    return {(words, label) for words, labels in tree.items() for label in labels or {""}}


def tedeval(paths: list[str]) -> dict[str, dict[str, float]]:
    """TedEval 2.1 of both parsers against what the golds agree on, with and without labels."""
    dependencies, constituents, arc_parses, bracket_parses = paths
    sums: dict[str, Counter[str]] = {"labelled": Counter(), "unlabelled": Counter()}
    trees = zip(
        map(from_arcs, arcs(dependencies)),
        map(from_brackets, brackets(constituents)),
        map(from_arcs, arcs(arc_parses)),
        map(from_brackets, brackets(bracket_parses)),
        strict=True,
    )
    for dep, con, arc_parse, bracket_parse in trees:
        common = generalised(dep, con)
        for way, sum_of in sums.items():
            target = units(common, way == "labelled")
            for name, parse, gold in (("dep", arc_parse, dep), ("ps", bracket_parse, con)):
                ours, native = units(parse, way == "labelled"), units(gold, way == "labelled")
                sum_of[f"{name} delta"] += len(ours - native - target) + len((target & native) - ours)
                sum_of[f"{name} norm"] += len(ours) + len(target) - 2
    return {way: _values(sum_of) for way, sum_of in sums.items()}


def _values(sums: Mapping[str, int]) -> dict[str, float]:
    return {name: 1 - sums[f"{name} delta"] / sums[f"{name} norm"] for name in ("dep", "ps")}


def main() -> None:
    """Count, and print what the command is checked by."""
    what, *paths = sys.argv[1:]
    count = {"arcs": attachment, "brackets": lambda given: common_brackets(*given), "tedeval": tedeval}[what]
    print(json.dumps(count(paths)))


if __name__ == "__main__":
    main()
