"""The labels above each word, and how far two such lists agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.arrays import Bools, Ints, depths, levels
from assay.corpus import Column, Corpus
from assay.engine.items import ONE
from assay.engine.phrases import category, roots, trees_of
from assay.errors import InputError

BEGINS, ENDS = "[", "]"
DEEPEST = 4000
"""Lists of the words of one sentence grow with the square of its depth, and comparing them with the cube."""


def lineages(corpus: Corpus) -> Column:
    """For each word the categories above it, the lowest first, without the root, divided by spaces.

    A mark stands above the highest constituent that begins at the word, another above the highest that ends there.
    """
    trees = trees_of(corpus)
    above = depths(trees.parent)
    if above.max(initial=0) >= DEEPEST:
        place = corpus.place_of_sentence(int(trees.sentence[above.argmax()]))
        raise InputError(
            f"{place}: {int(above.max()) + 1:,} constituents above one another; leaf-ancestor takes {DEEPEST:,}. "
            "Leave the sentence out, or choose another measure: -m parseval"
        )
    counted = ~roots(trees)
    labels = trees.labels.mapped({label: category(label) for label in trees.labels.vocabulary})
    path, depth, paths = _paths(trees.parent, counted, labels)
    nodes = np.flatnonzero(counted)
    first = corpus.starts[trees.sentence[nodes]]
    # The path behind the last node is that of words below none.
    rows = [np.append(path, 0)[trees.above]]
    for words in (first + trees.begin[nodes], first + trees.end[nodes] - 1):
        # The depth of the first of each word's nodes, 0 where it has none; nodes above others come first.
        highest = np.zeros(len(corpus), dtype=np.int64)
        distinct, place_of = np.unique(words, return_index=True)
        highest[distinct] = depth[nodes[place_of]]
        rows.append(highest)
    size = max(int(row.max(initial=0)) for row in rows) + 1
    keys, codes = np.unique((rows[0] * size + rows[1]) * size + rows[2], return_inverse=True)
    texts = []
    for key in keys.tolist():
        way, opened, closed = paths[key // size**2], key // size % size, key % size
        symbols = list(way[::-1])
        # From the top down, so that the places of those below stay; at one node the end stands behind the beginning.
        for level, mark in sorted([(closed, ENDS), (opened, BEGINS)], key=lambda place: place[0]):
            if level:
                symbols.insert(len(way) - level + 1, mark)
        texts.append(" ".join(symbols))
    return Column(codes, tuple(texts))


def _paths(parent: Ints, counted: Bools, labels: Column) -> tuple[Ints, Ints, list[tuple[str, ...]]]:
    """For each node the way from the top down to it, as a number, its length, and all ways by number."""
    path, length = (np.zeros(len(parent) + 1, dtype=np.int64) for _ in range(2))
    paths: list[tuple[str, ...]] = [()]
    width = len(labels.vocabulary)
    for nodes in levels(parent):
        above = parent[nodes]
        length[nodes] = length[above] + counted[nodes]
        path[nodes] = path[above]
        new = nodes[counted[nodes]]
        keys, codes = np.unique(path[new] * width + labels.codes[new], return_inverse=True)
        path[new] = len(paths) + codes
        paths.extend((*paths[key // width], labels.vocabulary[key % width]) for key in keys.tolist())
    return path[:-1], length[:-1], paths


def similarities(ours: Sequence[str], theirs: Sequence[str]) -> Ints:
    """For each pair of lineages 1 - edits / (sum of lengths), in units of 1/ONE.

    An insertion or deletion is one edit, a replacement two, so that this is twice the longest common subsequence
    over the sum of lengths.
    """
    rows = [
        (len(a), len(b), _common(a, b))
        for a, b in ((x.split(), y.split()) for x, y in zip(ours, theirs, strict=True))
    ]
    first, second, common = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    total = first + second
    return np.where(total == 0, ONE, (2 * common * ONE + total // 2) // np.maximum(total, 1))


def _common(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    A row of the table of all pairs of places grows by 1 at some places and not at others: it is a number whose bits
    are 1 where it does not, and one addition leads from row to row (Hyyrö 2004), as many places at once as there are.
    """
    places: dict[str, int] = {}
    for place, symbol in enumerate(ours):
        places[symbol] = places.get(symbol, 0) | 1 << place
    every = (1 << len(ours)) - 1
    flat = every
    for symbol in theirs:
        met = flat & places.get(symbol, 0)
        flat = (flat + met | flat - met) & every
    return len(ours) - flat.bit_count()
