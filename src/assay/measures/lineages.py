"""The labels above each word, and how far two such lists agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.arrays import Bools, Ints, as_codes, levels
from assay.constituents import roots, trees_of
from assay.corpus import Column, Corpus
from assay.judgements import ONE
from assay.treelabels import category

BEGINS, ENDS = "[", "]"
_AT_ONCE = 4096


def lineages(corpus: Corpus) -> Column:
    """For each word the categories above it, the lowest first, without the root, divided by spaces.

    A mark stands above the highest constituent that begins at the word, another above the highest that ends there.
    """
    trees = trees_of(corpus)
    counted = ~roots(trees)
    labels = trees.labels.mapped({label: category(label) for label in trees.labels.vocabulary})
    path, depth, paths = _paths(trees.parent, counted, labels)
    nodes = np.flatnonzero(counted)
    first = corpus.starts[trees.sentence[nodes]]
    opened = _highest(first + trees.begin[nodes], depth[nodes], len(corpus))
    closed = _highest(first + trees.end[nodes] - 1, depth[nodes], len(corpus))
    # The path behind the last node is that of words below none.
    rows = np.stack([np.append(path, 0)[trees.above], opened, closed])
    size = int(rows.max(initial=0)) + 1
    keys, codes = np.unique((rows[0] * size + rows[1]) * size + rows[2], return_inverse=True)
    texts = (_spelt(paths[key // size**2], key // size % size, key % size) for key in keys.tolist())
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


def _highest(words: Ints, depth: Ints, number: int) -> Ints:
    """For each word the depth of the first of its nodes, 0 where it has none; nodes above others come first."""
    found = np.zeros(number, dtype=np.int64)
    distinct, first = np.unique(words, return_index=True)
    found[distinct] = depth[first]
    return found


def _spelt(path: Sequence[str], opened: int, closed: int) -> str:
    symbols = []
    for depth in range(len(path), 0, -1):
        symbols.append(path[depth - 1])
        symbols += [mark for mark, place in ((BEGINS, opened), (ENDS, closed)) if place == depth]
    return " ".join(symbols)


def similarities(ours: Sequence[str], theirs: Sequence[str]) -> Ints:
    """For each pair of lineages 1 - edits / (sum of lengths), in units of 1/ONE.

    An insertion or deletion is one edit, a replacement two, so that this is twice the longest common subsequence
    over the sum of lengths.
    """
    known: dict[str, int] = {}
    sides = [[as_codes(text.split(), known) for text in texts] for texts in (ours, theirs)]
    sizes = np.array([[len(symbols) for symbols in side] for side in sides], dtype=np.int64).reshape(2, -1)
    common = np.zeros(len(ours), dtype=np.int64)
    # Pairs of about the same length go together, so that little is filled up.
    order = np.argsort(sizes.max(axis=0), kind="stable")
    for begin in range(0, len(order), _AT_ONCE):
        chosen = order[begin : begin + _AT_ONCE]
        common[chosen] = _common(
            _filled([sides[0][pair] for pair in chosen], -1), _filled([sides[1][pair] for pair in chosen], -2)
        )
    total = sizes.sum(axis=0)
    return np.where(total == 0, ONE, (2 * common * ONE + total // 2) // np.maximum(total, 1))


def _filled(rows: Sequence[Ints], filler: int) -> Ints:
    table = np.full((len(rows), max(map(len, rows))), filler, dtype=np.int32)
    for row, symbols in zip(table, rows, strict=True):
        row[: len(symbols)] = symbols
    return table


def _common(ours: Ints, theirs: Ints) -> Ints:
    """The length of the longest common subsequence of the rows of two tables."""
    best = np.zeros((len(ours), theirs.shape[1] + 1), dtype=np.int16)
    for symbols in ours.T:
        longer = best[:, :-1] + (theirs == symbols[:, None])
        best[:, 1:] = np.maximum.accumulate(np.maximum(best[:, 1:], longer), axis=1)
    return best[:, -1]
