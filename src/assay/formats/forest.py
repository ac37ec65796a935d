"""Forest: the trees of one file on their way to the builder, and nodes put in order."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.arrays import Ints, Stretches, as_codes
from assay.formats.builder import Builder
from assay.formats.chains import merged

EMPTY_ELEMENT = "-NONE-"
"""The tag of what is no word: traces and the like."""
FORM, TAG = "form", "tag"
"""The columns that every tree has."""


class Block(NamedTuple):
    """The trees of some sentences; sentences, words and nodes are counted from 0."""

    sizes: Sequence[int]
    """The number of words of each sentence; one without words has no parse."""
    lines: Sequence[int]
    """The line in which each sentence begins."""
    above: Ints
    """The node above each word; -1 is none, here and below."""
    nodes: Ints
    """Rows of sentence, parent, begin and end, each node before those below it."""
    labels: Ints
    """The codes of the nodes' labels …"""
    edges: Ints | None = None
    """… and of the edges above them."""
    stretches: Mapping[int, Stretches] = {}
    unparsed: Sequence[int] = ()
    """Sentences that have words but no parse."""


class Tree(NamedTuple):
    """One sentence with nodes in any order."""

    words: Mapping[str, Sequence[str]]
    """The words' columns."""
    above: Sequence[int]
    parents: Sequence[int]
    labels: Sequence[str]
    line: int
    edges: Sequence[str] | None = None
    parsed: bool = True


class Forest:
    """Collects the trees of one file: a blank line can be told from a missing parse only when all is read."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._codes = [array("i") for _ in range(len(builder.names) + 1)]
        self._sizes = array("q")
        self._lines = array("q")
        self._above = array("q")
        self._nodes = array("q")
        """Sentence, parent, begin, end, label, edge and line of each node."""
        self._stretches: dict[int, Stretches] = {}
        self._unparsed: set[int] = set()

    @property
    def lines(self) -> Ints:
        """The line in which each sentence so far begins."""
        return np.array(self._lines, dtype=np.int64)

    def add(self, words: Sequence[Ints], block: Block) -> None:
        """Sentences with the codes of their words and of the labels of these."""
        for codes, column in zip(self._codes, words, strict=True):
            codes.frombytes(column.astype(np.int32).tobytes())
        sentences, nodes = len(self._sizes), len(self._nodes) // 7
        self._sizes.extend(block.sizes)
        self._lines.extend(block.lines)
        self._above.frombytes(_moved(block.above, nodes).tobytes())
        sentence, parent, begin, end = block.nodes.T
        edges = np.full(len(sentence), -1) if block.edges is None else block.edges
        lines = np.array(block.lines, dtype=np.int64)[sentence]
        rows = [sentence + sentences, _moved(parent, nodes), begin, end, block.labels, edges, lines]
        self._nodes.frombytes(np.stack(rows, axis=1).astype(np.int64).tobytes())
        self._stretches.update((nodes + node, shape) for node, shape in block.stretches.items())
        self._unparsed.update(sentences + number for number in block.unparsed)

    def add_tree(self, tree: Tree) -> None:
        """A sentence whose nodes come in any order; empty elements and nodes without words are left out."""
        builder, edges = self._builder, tree.edges
        kept = [word for word, tag in enumerate(tree.words[TAG]) if tag != EMPTY_ELEMENT]
        self.left_out(len(tree.above) - len(kept))
        above = [tree.above[word] for word in kept]
        order, shapes = arranged(tree.parents, above)
        place = {node: number for number, node in enumerate(order)} | {-1: -1}
        rows = [(0, place[tree.parents[node]], shapes[node][0][0], shapes[node][-1][1]) for node in order]
        block = Block(
            sizes=[len(kept)],
            lines=[tree.line],
            above=np.array([place[node] for node in above], dtype=np.int64),
            nodes=np.array(rows, dtype=np.int64).reshape(-1, 4),
            labels=as_codes([tree.labels[node] for node in order], builder.node_labels),
            edges=None if edges is None else as_codes([edges[node] for node in order], builder.edge_labels),
            stretches={place[node]: shapes[node] for node in order if len(shapes[node]) > 1},
            unparsed=() if tree.parsed else (0,),
        )
        names = enumerate((FORM, *builder.names))
        self.add([builder.codes(index, (tree.words[name][word] for word in kept)) for index, name in names], block)

    def left_out(self, empty_elements: int) -> None:
        """So many leaves were no words."""
        if empty_elements:
            self._builder.note("empty elements left out: {}", empty_elements)

    def hand_over(self, missing: Sequence[int] = (), empty: str = "") -> None:
        """Give all to the builder, with sentences without a parse in the lines that are named as missing.

        A sentence needs words to be aligned, so one that has none gets one, whose columns are empty.
        """
        lines = self.lines
        place = np.searchsorted(lines, missing)
        nodes = np.asarray(self._nodes).reshape(-1, 7)
        moved = np.arange(len(lines)) + np.searchsorted(missing, lines)
        nodes[:, 0] = moved[nodes[:, 0]]
        lines = np.insert(lines, place, missing)
        sizes = np.insert(np.array(self._sizes, dtype=np.int64), place, 0)
        unparsed = {int(moved[sentence]) for sentence in self._unparsed} | set(np.flatnonzero(sizes == 0).tolist())
        gaps = np.cumsum(sizes)[sizes == 0]
        sizes = np.maximum(sizes, 1)
        columns = [
            np.insert(np.array(codes, dtype=np.int32), gaps, self._builder.codes(index, [empty if index else ""]))
            for index, codes in enumerate(self._codes)
        ]
        first = self._builder.sentence
        self._builder.add_codes(columns, (self._builder.words + np.cumsum(sizes)).tolist(), lines.tolist())
        above = np.insert(np.asarray(self._above), gaps, -1)
        self._builder.trees(nodes, above, self._stretches, unparsed, first)
        if unparsed:
            self._builder.note("sentences without a parse: {}", len(unparsed))


def _moved(numbers: Ints, by: int) -> Ints:
    return numbers + np.where(numbers < 0, 0, by)


# --- nodes in any order ---


def arranged(parents: Sequence[int], above: Sequence[int]) -> tuple[list[int], dict[int, Stretches]]:
    """The nodes with words below them, each before those below it and sisters by their first word; and these words.

    `parents` has the node above each node, `above` the one above each word, and -1 is none.
    """
    tops: list[int] = []
    daughters: list[list[int]] = [[] for _ in parents]
    met = [False] * len(parents)
    for lowest in above:
        node = lowest
        # Each node is met at its first word, so that sisters are met in their order.
        while node >= 0 and not met[node]:
            met[node] = True
            (tops if parents[node] < 0 else daughters[parents[node]]).append(node)
            node = parents[node]
    order = []
    left = tops[::-1]
    while left:
        node = left.pop()
        order.append(node)
        left.extend(reversed(daughters[node]))
    return order, _words_below(order, parents, above)


def _words_below(order: Sequence[int], parents: Sequence[int], above: Sequence[int]) -> dict[int, Stretches]:
    pieces: dict[int, list[tuple[int, int]]] = {node: [] for node in (*order, -1)}
    for word, node in enumerate(above):
        pieces[node].append((word, word + 1))
    shapes = {}
    for node in reversed(order):
        shapes[node] = merged(sorted(pieces[node]))
        pieces[parents[node]].extend(shapes[node])
    return shapes


def in_circle(parents: Sequence[int]) -> int | None:
    """A node that is above itself, where there is one."""
    reached = [-1] * len(parents)
    for start in range(len(parents)):
        node = start
        while node >= 0 and reached[node] < 0:
            reached[node] = start
            node = parents[node]
        if node >= 0 and reached[node] == start:
            return node
    return None


def childless(parents: Sequence[int], above: Sequence[int]) -> int | None:
    """The first node with nothing below it, where there is one."""
    mothers = {*parents, *above}
    return next((node for node in range(len(parents)) if node not in mothers), None)
