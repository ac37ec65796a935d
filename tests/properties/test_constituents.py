"""What holds for trees of any shape: counts are those of a plain count, and sides may change places."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.engine.items import ONE
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.prepare import prepare
from assay.tasks.constituents.measures import compare_lineages

LABELS = ("S", "NP", "VP", "ADVP", "PRT")
DELETED = (",", ".")
SPECS = {
    "parseval": (False, True),
    "parseval(labelled=false)": (False, False),
    "parseval(preset=collins)": (True, True),
}
"""Measures, whether they delete punctuation, and whether labels count."""


@dataclass(frozen=True)
class Node:
    """A word, by its place, or a phrase."""

    label: str
    below: tuple[Node, ...] = ()
    place: int = -1

    def places(self) -> frozenset[int]:
        return frozenset([self.place]).union(*(node.places() for node in self.below)) - {-1}

    def phrases(self) -> list[Node]:
        return [self, *(phrase for node in self.below for phrase in node.phrases())] if self.below else []

    def written(self) -> str:
        """In brackets, with numbered words."""
        inside = " ".join(node.written() for node in self.below) if self.below else f"{self.place}=w{self.place}"
        return f"({self.label} {inside})"


@st.composite
def trees(draw: st.DrawFn, tags: list[str]) -> Node:
    """A tree over words with these tags; each step puts some of the nodes so far under a new one."""
    nodes = [Node(tag, place=place) for place, tag in enumerate(tags)]
    for _ in range(draw(st.integers(0, 5))):
        chosen = draw(st.sets(st.integers(0, len(nodes) - 1), min_size=1))
        phrase = Node(draw(st.sampled_from(LABELS)), tuple(nodes[index] for index in sorted(chosen)))
        nodes = [node for index, node in enumerate(nodes) if index not in chosen] + [phrase]
    return Node("TOP", tuple(nodes))


@st.composite
def pairs(draw: st.DrawFn) -> list[tuple[list[str], Node, Node]]:
    """Sentences with the same tags on both sides."""
    sentences = draw(
        st.lists(st.lists(st.sampled_from(["N", "V", *DELETED]), min_size=1, max_size=6), min_size=1, max_size=4)
    )
    # One sentence is the same on both sides: gold must have a constituent.
    same = Node("TOP", (Node("S", (Node("N", place=0),)),))
    return [(["N"], same, same), *((tags, draw(trees(tags)), draw(trees(tags))) for tags in sentences)]


@pytest.fixture(scope="module", name="folder")
def a_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trees")


def written(folder: Path, name: str, sentences: list[Node]) -> str:
    path = folder / name
    path.write_text("".join(f"{tree.written()}\n" for tree in sentences), encoding="utf-8")
    return str(path)


def both(folder: Path, data: list[tuple[list[str], Node, Node]]) -> tuple[str, str]:
    return written(folder, "gold.dbr", [gold for _, gold, _ in data]), written(
        folder, "s.dbr", [s for _, _, s in data]
    )


def judged(gold: str, system: str, spec: str) -> list[dict[str, int]]:
    """The counts of each sentence."""
    run = prepare(gold, {"s": system}, [find(spec)], Options(input_format="discbracket"))
    counts = run.measures[0].counts_of(run.measures[0].judge(run.pairs[0][1]), run.gold.sentences)
    return [dict(zip(counts.fields, row, strict=True)) for row in counts.matrix().tolist()]


def constituents(tree: Node, tags: list[str], deletes: bool, labelled: bool) -> list[tuple[str, frozenset[int]]]:
    """The constituents of a tree, by hand."""
    gone = {place for place, tag in enumerate(tags) if deletes and tag in DELETED}
    found = [(phrase.label, phrase.places() - gone) for phrase in tree.phrases() if phrase.label != "TOP"]
    equal = {"PRT": "ADVP"} if deletes else {}
    return [(equal.get(label, label) if labelled else "", places) for label, places in found if places]


def crosses(a: frozenset[int], b: frozenset[int]) -> bool:
    return bool(a & b) and not (a <= b or b <= a)


@pytest.mark.parametrize("spec", SPECS)
@given(data=pairs())
def test_brackets_are_those_of_a_plain_count_over_sets_of_words(
    folder: Path, spec: str, data: list[tuple[list[str], Node, Node]]
) -> None:
    rows = judged(*both(folder, data), spec)
    for row, (tags, gold, system) in zip(rows, data, strict=True):
        ours, theirs = (constituents(tree, tags, *SPECS[spec]) for tree in (gold, system))
        if SPECS[spec][0] and all(tag in DELETED for tag in tags):
            assert (row["skipped"], row["sentences"], row["unscored"]) == (1, 0, 0)
            continue
        shared = sum((Counter(ours) & Counter(theirs)).values())
        across = sum(any(crosses(places, other) for _, other in ours) for _, places in theirs)
        assert (row["tp"], row["gold"], row["system"]) == (shared, len(ours), len(theirs))
        assert row["tp"] + row["fn"] + row["le"] == len(ours)
        assert row["tp"] + row["fp"] == len(theirs)
        assert row["crossing"] == across
        assert row["exact"] == (Counter(ours) == Counter(theirs))


@given(data=pairs())
def test_sides_that_change_places_change_precision_for_recall(
    folder: Path, data: list[tuple[list[str], Node, Node]]
) -> None:
    gold, system = both(folder, data)
    there, back = judged(gold, system, "parseval"), judged(system, gold, "parseval")
    for one, other in zip(there, back, strict=True):
        assert (one["tp"], one["gold"], one["system"]) == (other["tp"], other["system"], other["gold"])


@given(data=pairs())
def test_every_score_lies_between_0_and_1_and_gold_agrees_with_itself(
    folder: Path, data: list[tuple[list[str], Node, Node]]
) -> None:
    gold, system = both(folder, data)
    specs = ["parseval(preset=collins)", "bracket-f1(unary=false)", "leaf-ancestor", "leaf-ancestor(mean=sentences)"]
    options = {"times": 5, "input_format": "discbracket"}
    for other, perfect in ((system, False), (gold, True)):
        for row in assay.score(gold, {"s": other}, specs, **options).scores:
            if np.isnan(row.value) or row.score == "crossing":
                continue
            assert 0 <= row.value <= 1
            assert not perfect or row.value == 1, row


def edits(ours: list[str], theirs: list[str]) -> int:
    """Insertions and deletions that make one list the other, by the plain table."""
    table = np.zeros((len(ours) + 1, len(theirs) + 1), dtype=int)
    table[:, 0], table[0, :] = range(len(ours) + 1), range(len(theirs) + 1)
    for i, a in enumerate(ours, 1):
        for j, b in enumerate(theirs, 1):
            replaced = table[i - 1, j - 1] + (0 if a == b else 2)
            table[i, j] = min(replaced, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return int(table[-1, -1])


symbols = st.lists(st.sampled_from(["NP", "S", "[", "]"]), max_size=7)


@given(lists=st.lists(st.tuples(symbols, symbols), min_size=1, max_size=20))
def test_similarities_of_lineages_are_those_of_the_plain_edit_distance(
    lists: list[tuple[list[str], list[str]]],
) -> None:
    found = compare_lineages([" ".join(ours) for ours, _ in lists], [" ".join(theirs) for _, theirs in lists])
    for value, (ours, theirs) in zip(found.tolist(), lists, strict=True):
        total = len(ours) + len(theirs)
        expected = 1 - edits(ours, theirs) / total if total else 1
        assert value / ONE == pytest.approx(expected, abs=1e-9)
