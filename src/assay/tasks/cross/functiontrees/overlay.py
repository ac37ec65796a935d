"""Several trees over the same sentences laid over one another, and the operations that follow from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.arrays import Bools, Ints, Stretches, as_codes, numbers_of_runs
from assay.errors import AlignmentError
from assay.tasks.cross.functiontrees.trees import FunctionTrees
from assay.tasks.cross.functiontrees.yields import Yields, distinct, join, numbered


@dataclass(frozen=True, eq=False)
class Units:
    """What trees are compared by: a label on a yield, or a yield alone; each once, and which trees have it."""

    sentence: Ints
    node: Ints
    """The yield, as a row of the overlay's nodes."""
    label: Ints
    """The code of the label; -1 for a node without one, and for all where labels do not count."""
    has: Bools
    """Trees × units: whether the tree has the unit."""


@dataclass(frozen=True, eq=False)
class Overlay:
    """The nodes and labels of several trees, each once, and which trees have them."""

    words: Ints
    nodes: Yields
    has_node: Bools
    """Trees × nodes."""
    label_node: Ints
    label: Ints
    has_label: Bools
    """Trees × labels of nodes."""
    labels: tuple[str, ...]

    def words_of(self, node: int) -> Stretches:
        """The words below a node as stretches (first, end), counted within the sentence."""
        return self.nodes.stretches(node)

    def units(self, *, labelled: bool, empty_counts: bool) -> Units:
        """The units of all trees; empty_counts: in labelled units, a node without a label is a unit too."""
        if not labelled:
            every = np.arange(len(self.nodes))
            return Units(self.nodes.sentence, every, np.full(len(every), -1), self.has_node)
        node, label, has = self.label_node, self.label, self.has_label
        if empty_counts:
            bare = self._bare()
            without = np.flatnonzero(bare.any(axis=0))
            node = np.concatenate([node, without])
            label = np.concatenate([label, np.full(len(without), -1)])
            has = np.concatenate([has, bare[:, without]], axis=1)
        return Units(self.nodes.sentence[node], node, label, has)

    def chosen(self, nodes: Bools, labels: Bools) -> FunctionTrees:
        """The trees of some of the nodes and labels, none of these on a node that is left out."""
        rows = np.flatnonzero(nodes)
        place = np.cumsum(nodes) - 1
        return FunctionTrees(
            self.words, self.nodes.take(rows), place[self.label_node[labels]], self.label[labels], self.labels
        )

    def _bare(self) -> Bools:
        """Trees × nodes: which nodes of a tree have no label there."""
        bare = self.has_node.copy()
        for tree, has in enumerate(self.has_label):
            bare[tree, self.label_node[has]] = False
        return bare


def overlay(*trees: FunctionTrees) -> Overlay:
    """Lay trees of the same sentences over one another."""
    _check_words(trees)
    nodes, number = distinct(trees[0].words, join([tree.nodes for tree in trees]))
    numbers = np.split(number, np.cumsum([len(tree) for tree in trees])[:-1])
    known: dict[str, int] = {}
    recoded = [as_codes(tree.labels, known)[tree.label] if tree.labels else tree.label for tree in trees]
    pairs = [
        number[tree.label_node] * max(len(known), 1) + label
        for tree, number, label in zip(trees, numbers, recoded, strict=True)
    ]
    joined = np.concatenate(pairs)
    number, firsts = numbered(joined)
    label_node, label = np.divmod(joined[firsts], max(len(known), 1))
    of_label = np.split(number, np.cumsum([len(pair) for pair in pairs])[:-1])
    return Overlay(
        trees[0].words,
        nodes,
        _membership(numbers, len(nodes)),
        label_node,
        label,
        _membership(of_label, len(label)),
        tuple(known),
    )


def subsumes(general: FunctionTrees, special: FunctionTrees) -> Bools:
    """For each sentence: whether all that the first tree says is said by the second too."""
    laid = overlay(general, special)
    holds = np.ones(general.sentences, dtype=bool)
    holds[laid.nodes.sentence[laid.has_node[0] & ~laid.has_node[1]]] = False
    holds[laid.nodes.sentence[laid.label_node[laid.has_label[0] & ~laid.has_label[1]]]] = False
    return holds


def generalise(*trees: FunctionTrees) -> FunctionTrees:
    """What all trees agree on: the yields that all have, each with the labels that all have there."""
    laid = overlay(*trees)
    return laid.chosen(np.logical_and.reduce(laid.has_node), np.logical_and.reduce(laid.has_label))


def unify(*trees: FunctionTrees) -> tuple[FunctionTrees, Bools]:
    """What any of the trees says, and the sentences where that is no tree, as yields overlap; these have no nodes."""
    laid = overlay(*trees)
    fails = _crossing(laid)
    kept = ~fails[laid.nodes.sentence]
    return laid.chosen(kept, kept[laid.label_node]), fails


def tl_unify(structure: FunctionTrees, labels_of: FunctionTrees) -> FunctionTrees:
    """The nodes of the first tree, with the labels that either tree has there."""
    laid = overlay(structure, labels_of)
    return laid.chosen(laid.has_node[0], laid.has_node[0][laid.label_node])


def _check_words(trees: tuple[FunctionTrees, ...]) -> None:
    """Refuse trees over other numbers of words."""
    words = trees[0].words
    for tree in trees[1:]:
        if len(tree.words) != len(words):
            raise AlignmentError(
                f"trees of {len(words):,} sentences and of {len(tree.words):,}. Give all files the same sentences."
            )
        differ = np.flatnonzero(tree.words != words)
        if len(differ):
            at = int(differ[0])
            raise AlignmentError(
                f"sentence {at + 1}: {int(words[at])} words in one tree and {int(tree.words[at])} in another. "
                "Give all files the same words."
            )


def _membership(numbers: list[Ints], count: int) -> Bools:
    """Trees × things: which tree has which, from the numbers of the things that each has."""
    has = np.zeros((len(numbers), count), dtype=bool)
    for row, own in zip(has, numbers, strict=True):
        row[own] = True
    return has


def _crossing(laid: Overlay) -> Bools:
    """The sentences in which two yields overlap without nesting.

    There are none exactly where each yield meets the same next larger one at all of its words: then it lies within
    that one, and so within all larger ones that share a word with it.
    """
    nodes = laid.nodes
    stretch_node = np.concatenate([np.flatnonzero(~nodes.gapped), nodes.stretch_row])
    begin = np.concatenate([nodes.first[~nodes.gapped], nodes.stretch_begin])
    size = np.concatenate([nodes.size[~nodes.gapped], nodes.stretch_end - nodes.stretch_begin])
    node = np.repeat(stretch_node, size)
    starts = np.cumsum(laid.words) - laid.words
    word = numbers_of_runs(starts[nodes.sentence[stretch_node]] + begin, size)
    order = np.lexsort((node, nodes.size[node], word))
    node, word = node[order], word[order]
    larger = np.append(np.where(word[1:] == word[:-1], node[1:], -1), [-1][: len(node)])
    lowest, highest = np.full(len(nodes), len(nodes)), np.full(len(nodes), -1)
    np.minimum.at(lowest, node, larger)
    np.maximum.at(highest, node, larger)
    found = np.zeros(len(laid.words), dtype=bool)
    found[nodes.sentence[lowest != highest]] = True
    return found
