"""Function trees: the grammatical functions in trees of any framework, and the distance of two such trees.

A multi-function tree is a set of yields (the words below a node), each with its set of labels. Dependencies and
phrase structure become such trees; those of several golds are generalised to what they agree on; the edits that turn
one tree into another are the units that one has and the other has not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from assay.arrays import (
    Array,
    Bools,
    Ints,
    Stretches,
    as_codes,
    each_once,
    find_extents,
    ids_of_runs,
    numbers_of_runs,
)
from assay.classes import dataclass
from assay.errors import AlignmentError

HEAD, ROOT = "hd", "root"
LabelSets = tuple[Ints, Sequence[Collection[str]]]
"""The label set of each of many rows: codes into a list of sets; -1 for a row without a node."""
_Part = tuple["Yields", Ints, Ints]
"""Nodes to be merged: their yields, and for each of their labels the node, counted among them, and its code."""

_GAP = np.uint64(1 << 63)
_MARKS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True, eq=False)
class Yields:
    """Sets of words, each within its sentence; those with gaps are kept as the stretches they consist of."""

    sentence: Ints
    first: Ints
    last: Ints
    size: Ints
    key: Ints
    """A number that identifies a yield within its sentence.

    Without gaps that is its first word and its size. With gaps it is a sum modulo 2⁶³ over the ends of its stretches,
    where each word boundary has a fixed number. It only distinguishes yields with gaps that share sentence, first
    word and size. Two different ones have the same number with a probability of at most 2⁻⁶²: in a million corpora
    with a million such pairs each, the probability of a collision is one in four million.
    """
    stretch_row: Ints
    """For the yields with gaps, row by row: the yield,"""
    stretch_begin: Ints
    """the first word of one of its stretches,"""
    stretch_end: Ints
    """and the word after it."""

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def gapped(self) -> Bools:
        """Mask of the yields with gaps."""
        return np.asarray(self.size <= self.last - self.first)

    def stretches(self, row: int) -> Stretches:
        """The words of a yield as stretches (first, end), counted within the sentence."""
        begin, end = np.searchsorted(self.stretch_row, [row, row + 1])
        if begin == end:
            return ((int(self.first[row]), int(self.last[row]) + 1),)
        return tuple(zip(self.stretch_begin[begin:end].tolist(), self.stretch_end[begin:end].tolist(), strict=True))

    def word_masks(self, rows: Ints) -> Array:
        """The words of yields as whole numbers with a bit for each."""
        masks = np.empty(len(rows), dtype=object)
        masks[:] = [sum((1 << end) - (1 << begin) for begin, end in self.stretches(row)) for row in rows.tolist()]
        return masks

    def take(self, rows: Ints) -> Yields:
        """The yields of these rows in this order; no row is given twice."""
        place = np.full(len(self) if len(self.stretch_row) else 0, -1, dtype=np.int64)
        if len(place):
            place[rows] = np.arange(len(rows))
        target = place[self.stretch_row]
        order = np.argsort(target, kind="stable")[np.count_nonzero(target < 0) :]
        ordered = [target[order], self.stretch_begin[order], self.stretch_end[order]]
        return Yields(*(getattr(self, column.name)[rows] for column in fields(self)[:5]), *ordered)


def plain_yields(sentence: Ints, begin: Ints, end: Ints) -> Yields:
    """Yields without gaps, from their first words and the words after them."""
    none = np.zeros(0, dtype=np.int64)
    size = end - begin
    key = (begin.astype(np.uint64) << np.uint64(32)) | size.astype(np.uint64)
    return Yields(sentence, begin, end - 1, size, key, none, none, none)


def add_gaps(outer: Yields, row: Ints, begin: Ints, end: Ints) -> Yields:
    """The yields, but those with stretches consist only of these; stretches are in order."""
    if not len(row):
        return outer
    apart = np.flatnonzero((row[1:] != row[:-1]) | (begin[1:] != end[:-1]))  # those that touch are one
    opening, closing = np.append(0, apart + 1), np.append(apart, len(row) - 1)
    row, begin, end = row[opening], begin[opening], end[closing]
    size, key = outer.size.copy(), outer.key.copy()
    size[row] = 0
    np.add.at(size, row, end - begin)
    sums = np.zeros(len(outer), dtype=np.uint64)
    np.add.at(sums, row, _boundary_numbers(end) - _boundary_numbers(begin))
    gapped = size < outer.size
    key[gapped] = sums[gapped] | _GAP
    kept = gapped[row]
    return Yields(outer.sentence, outer.first, outer.last, size, key, row[kept], begin[kept], end[kept])


def _boundary_numbers(words: Ints) -> Array:
    """A fixed 64-bit number for each boundary between words, the same on every machine (SplitMix64)."""
    mixed = (words.astype(np.uint64) + np.uint64(1)) * _MARKS[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MARKS[1]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MARKS[2]
    return mixed ^ (mixed >> np.uint64(31))


def add_stretches(outer: Yields, stretches: Mapping[int, Stretches]) -> Yields:
    """The yields, but those with stretches, by number, consist only of these."""
    rows = [(row, begin, end) for row in sorted(stretches) for begin, end in sorted(stretches[row])]
    return add_gaps(outer, *np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def distinct_yields(words: Ints, parts: Sequence[Yields]) -> tuple[Yields, Ints]:
    """Each yield of all parts once, by sentence, first word and falling size, and the number of each row."""
    shifts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    shifted = [replace(part, stretch_row=part.stretch_row + shift) for part, shift in zip(parts, shifts, strict=True)]
    yields = Yields(*(np.concatenate([getattr(part, column.name) for part in shifted]) for column in fields(Yields)))
    # A number for each yield, equal for equal ones, that rises with sentence, first word and falling size.
    starts = np.cumsum(words) - words
    longest = int(words.max(initial=0))
    places: Ints = (starts[yields.sentence] + yields.first) * (longest + 1) + (longest - yields.size)
    gapped = np.flatnonzero(yields.gapped)
    if len(gapped):
        shapes, shape = np.unique(yields.key[gapped], return_inverse=True)
        if int(words.sum()) * (longest + 1) * (len(shapes) + 1) >= 1 << 62:
            places = np.unique(places, return_inverse=True)[1]
        places = places * (len(shapes) + 1)
        places[gapped] += shape + 1
    # With indices, numpy sorts by merging, which is quick as places come in sorted runs.
    _, firsts, numbers = np.unique(places, return_index=True, return_inverse=True)
    return yields.take(firsts), numbers


@dataclass(frozen=True, eq=False)
class FunctionTrees:
    """Multi-function trees of many sentences: each yield of each sentence once, with its labels, maybe none."""

    words: Ints
    """The number of words of each sentence."""
    nodes: Yields
    """One row per yield, by sentence, first word and falling size: a node comes before those below it."""
    label_node: Ints
    """For each label of each node, in order: the node,"""
    label: Ints
    """and the code of the label."""
    labels: tuple[str, ...]

    @classmethod
    def of(cls, words: Ints, nodes: Yields, label_node: Ints, label: Ints, labels: Collection[str]) -> FunctionTrees:
        """Trees from rows of node and label in any order, also repeated ones."""
        width = max(len(labels), 1)
        return cls(words, nodes, *np.divmod(each_once(label_node * width + label), width), tuple(labels))

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.words)

    @property
    def bare(self) -> Bools:
        """Mask of the nodes without a label."""
        without_label = np.ones(len(self), dtype=bool)
        without_label[self.label_node] = False
        return without_label

    @property
    def functions(self) -> frozenset[str]:
        """The labels that some node has."""
        return frozenset(self.labels[code] for code in np.unique(self.label).tolist())

    @property
    def with_gaps(self) -> Bools:
        """Mask of the sentences that have a yield with gaps: the discontinuous and the non-projective ones."""
        has_gaps = np.zeros(self.sentences, dtype=bool)
        has_gaps[self.nodes.sentence[self.nodes.gapped]] = True
        return has_gaps

    def labels_of(self, node: int) -> tuple[str, ...]:
        """The labels of a node."""
        begin, end = np.searchsorted(self.label_node, [node, node + 1])
        return tuple(self.labels[code] for code in self.label[begin:end].tolist())

    def select(self, nodes: Bools, labels: Bools | None = None) -> FunctionTrees:
        """The trees of the chosen nodes, with all of their labels or with the chosen ones."""
        labels = nodes[self.label_node] if labels is None else labels
        label_node = (np.cumsum(nodes) - 1)[self.label_node[labels]]
        kept = self.nodes.take(np.flatnonzero(nodes))
        return FunctionTrees(self.words, kept, label_node, self.label[labels], self.labels)


# --- from dependencies and phrase structure ---


def from_dependencies(starts: Ints, heads: Ints, relations: Ints, labels: Sequence[str]) -> FunctionTrees:
    """Function trees of dependencies: each word's relation is a label of the word and all below it.

    starts: the first word of each sentence and the end of the last; heads: each word's head, -1 for none, without
    circles; relations: codes into labels. A word that has dependents gets `hd` over itself only, and each sentence
    gets one `root` over all of it, even if it has several roots.
    """
    label_codes: dict[str, int] = {}
    relations = as_codes(labels, label_codes)[relations] if len(labels) else relations
    sizes = np.diff(starts)
    filled = np.flatnonzero(sizes)
    governors = np.zeros(len(heads), dtype=bool)
    governors[heads[heads >= 0]] = True
    parts: list[_Part] = [(word_yields(starts, heads), np.arange(len(heads)), relations)]
    for yields, label in (
        (_single_words(starts, np.flatnonzero(governors)), HEAD),
        (plain_yields(filled, np.zeros(len(filled), dtype=np.int64), sizes[filled]), ROOT),
    ):
        code = label_codes.setdefault(label, len(label_codes))
        parts.append((yields, np.arange(len(yields)), np.full(len(yields), code)))
    return merge_nodes(starts, parts, label_codes)


def from_nodes(
    starts: Ints,
    sentence: Ints,
    begin: Ints,
    end: Ints,
    functions: LabelSets,
    *,
    stretches: Mapping[int, Stretches] | None = None,
    preterminals: LabelSets | None = None,
    top_root: bool = True,
) -> FunctionTrees:
    """Function trees of phrase structure: each node's functions are labels of its words.

    begin and end count words within the sentence, and no node is without words; stretches: for nodes with gaps, by
    number, the stretches of their words; functions: the label set of each node; preterminals: that of each word's
    tag. top_root: the node over all words of a sentence gets `root` if it has no label; no such node is added.
    """
    label_codes: dict[str, int] = {}
    sources = [(add_stretches(plain_yields(sentence, begin, end), stretches or {}), functions)]
    if preterminals is not None:
        sources.append((_single_words(starts, np.arange(int(starts[-1]))), preterminals))
    parts: list[_Part] = []
    for yields, (codes, sets) in sources:
        listed = as_codes((label for labels in sets for label in labels), label_codes)
        sizes = np.array([len(labels) for labels in sets], dtype=np.int64)
        firsts = np.cumsum(sizes) - sizes
        rows = np.flatnonzero(codes >= 0)
        kept = codes[rows]
        nodes = np.repeat(np.arange(len(rows)), sizes[kept])
        labels = listed[numbers_of_runs(firsts[kept], sizes[kept])]
        parts.append((yields if len(rows) == len(yields) else yields.take(rows), nodes, labels))
    trees = merge_nodes(starts, parts, label_codes)
    if not top_root:
        return trees
    tops = np.flatnonzero(trees.bare & (trees.nodes.size == trees.words[trees.nodes.sentence]))
    root = np.full(len(tops), label_codes.setdefault(ROOT, len(label_codes)))
    label_node, label = np.concatenate([trees.label_node, tops]), np.concatenate([trees.label, root])
    return FunctionTrees.of(trees.words, trees.nodes, label_node, label, label_codes)


def from_relational_realizational(
    starts: Ints,
    sentence: Ints,
    begin: Ints,
    end: Ints,
    labels: tuple[Ints, Sequence[str]],
    functions: Collection[str],
    *,
    tags: tuple[Ints, Sequence[str]],
    stretches: Mapping[int, Stretches] | None = None,
) -> FunctionTrees:
    """Function trees of relational-realizational trees: only nodes that are named after a function are kept.

    labels and tags: codes of the nodes and of the words, and their vocabulary. The top is `root`.
    """

    def keep_functions(codes: Ints, vocabulary: Sequence[str]) -> tuple[Ints, list[tuple[str]]]:
        is_function = np.array([label in functions for label in vocabulary], dtype=bool)
        return np.where(is_function[codes], codes, -1), [(label,) for label in vocabulary]

    stretches = stretches or {}
    codes, sets = keep_functions(*labels)
    whole = end - begin == np.diff(starts)[sentence]
    whole[list(stretches)] = False
    tops = np.where(whole & (codes < 0), len(sets), codes), [*sets, (ROOT,)]
    return from_nodes(starts, sentence, begin, end, tops, stretches=stretches, preterminals=keep_functions(*tags))


def merge_nodes(starts: Ints, parts: Sequence[_Part], labels: Collection[str]) -> FunctionTrees:
    """The trees of all nodes; nodes with the same yield become one node with all their labels."""
    words = np.diff(starts)
    nodes, numbers = distinct_yields(words, [yields for yields, _, _ in parts])
    shifts = np.cumsum([0, *(len(yields) for yields, _, _ in parts)])
    label_node = numbers[np.concatenate([node + shift for (_, node, _), shift in zip(parts, shifts, strict=False)])]
    return FunctionTrees.of(words, nodes, label_node, np.concatenate([codes for _, _, codes in parts]), labels)


def _single_words(starts: Ints, words: Ints) -> Yields:
    sentence = ids_of_runs(starts)[words]
    begin = words - starts[sentence]
    return plain_yields(sentence, begin, begin + 1)


def word_yields(starts: Ints, heads: Ints) -> Yields:
    """The yield of each word: itself and all words below it."""
    heads = heads.astype(np.int64, copy=False)
    sentence = ids_of_runs(starts)
    first, last, size = find_extents(heads)
    outer = plain_yields(sentence, first - starts[sentence], last + 1 - starts[sentence])
    gapped = size < outer.size
    if not gapped.any():
        return outer
    # In sentences with gaps, all words climb to the root together and are noted at the words they pass.
    crossed = np.zeros(len(starts) - 1, dtype=bool)
    crossed[sentence[gapped]] = True
    word: Ints = np.flatnonzero(crossed[sentence])
    above, passed = word, []
    while len(word):
        hit = gapped[above]
        passed.append(above[hit] * len(heads) + word[hit])
        above = heads[above]
        word, above = word[above >= 0], above[above >= 0]
    row, member = np.divmod(np.sort(np.concatenate(passed)), len(heads))
    position = member - starts[sentence[member]]
    return add_gaps(outer, row, position, position + 1)


def projectivise(starts: Ints, heads: Ints) -> Ints:
    """The heads, but words of non-projective sentences are lifted to their head's head until all is projective.

    The shortest arc over a word that is not below its head is lifted first, the leftmost if several are equal, as
    in the paper.
    """

    def is_below(word: int, head: int) -> bool:
        while word >= 0 and word != head:
            word = parents[word]
        return word == head

    lifted = heads.copy()
    for sentence in np.unique(ids_of_runs(starts)[word_yields(starts, heads).gapped]).tolist():
        first, end = int(starts[sentence]), int(starts[sentence + 1])
        parents = [head - first if head >= 0 else -1 for head in heads[first:end].tolist()]
        while crossing := [
            (abs(head - word), word)
            for word, head in enumerate(parents)
            if head >= 0 and not all(is_below(other, head) for other in range(min(head, word) + 1, max(head, word)))
        ]:
            _, word = min(crossing)
            parents[word] = parents[parents[word]]
        lifted[first:end] = [head + first if head >= 0 else -1 for head in parents]
    return lifted


def map_to_parts(trees: FunctionTrees, parts: Ints, begin: Ints, end: Ints) -> FunctionTrees:
    """The trees over parts of words; yields that become equal are merged, with all their labels.

    parts: their number in each sentence; begin and end: the parts of each word, counted within its sentence.
    """
    nodes = trees.nodes
    start = (np.cumsum(trees.words) - trees.words)[nodes.sentence]
    outer = plain_yields(nodes.sentence, begin[start + nodes.first], end[start + nodes.last])
    stretches: dict[int, Stretches] = {}
    for row in np.flatnonzero(nodes.gapped).tolist():
        merged_stretches: list[tuple[int, int]] = []
        for first, last in nodes.stretches(row):
            low, high = int(begin[start[row] + first]), int(end[start[row] + last - 1])
            if merged_stretches and low < merged_stretches[-1][1]:  # those that share a part are one
                low, high = merged_stretches[-1][0], max(merged_stretches.pop()[1], high)
            merged_stretches.append((low, high))
        stretches[row] = tuple(merged_stretches)
    merged, numbers = distinct_yields(parts, [add_stretches(outer, stretches)])
    return FunctionTrees.of(parts, merged, numbers[trees.label_node], trees.label, trees.labels)


# --- several trees together ---


@dataclass(frozen=True, eq=False)
class TreeUnits:
    """Units that trees are compared by: labels of yields, and bare yields; and the trees that have them."""

    sentence: Ints
    node: Ints
    """The yield, as a row of the overlay's nodes."""
    label: Ints
    """The code of the label; -1 for a node without one, and for all if labels do not count."""
    has: Bools
    """Mask of the units that each tree has, trees × units."""


@dataclass(frozen=True, eq=False)
class Overlay:
    """The nodes and labels of several trees, each once, and the trees that have them."""

    union: FunctionTrees
    has_node: Bools
    """Trees × nodes."""
    has_label: Bools
    """Trees × labels of nodes."""

    def units(self, *, labelled: bool, empty_counts: bool) -> TreeUnits:
        """The units of all trees; empty_counts: in labelled units, a node without a label is a unit too."""
        sentence = self.union.nodes.sentence
        if not labelled:
            return TreeUnits(sentence, np.arange(len(sentence)), np.full(len(sentence), -1), self.has_node)
        node, label, has = self.union.label_node, self.union.label, self.has_label
        if empty_counts:
            bare = self.has_node.copy()
            for without_label, labels in zip(bare, has, strict=True):
                without_label[node[labels]] = False
            without = np.flatnonzero(bare.any(axis=0))
            node = np.concatenate([node, without])
            label = np.concatenate([label, np.full(len(without), -1)])
            has = np.concatenate([has, bare[:, without]], axis=1)
        return TreeUnits(sentence[node], node, label, has)


def overlay(*trees: FunctionTrees) -> Overlay:
    """The overlay of trees of the same sentences."""
    words = trees[0].words
    for tree in trees[1:]:
        if len(tree.words) != len(words):
            raise AlignmentError(
                f"trees of {len(words):,} sentences and of {len(tree.words):,}. Give all files the same sentences."
            )
        for at in np.flatnonzero(tree.words != words).tolist():
            raise AlignmentError(
                f"sentence {at + 1}: {int(words[at])} words in one tree and {int(tree.words[at])} in another. "
                "Give all files the same words."
            )
    nodes, number = distinct_yields(words, [tree.nodes for tree in trees])
    label_codes: dict[str, int] = {}
    recoded = [as_codes(tree.labels, label_codes)[tree.label] if tree.labels else tree.label for tree in trees]
    shifts = np.cumsum([0, *map(len, trees)])
    label_node = number[np.concatenate([tree.label_node + at for tree, at in zip(trees, shifts, strict=False)])]
    rows = label_node * max(len(label_codes), 1) + np.concatenate(recoded)
    distinct_rows, _, of_label = np.unique(rows, return_index=True, return_inverse=True)
    label_node, label = np.divmod(distinct_rows, max(len(label_codes), 1))
    has_node, has_label = (np.zeros((len(trees), len(things)), dtype=bool) for things in (nodes, label))
    every = np.arange(len(trees))
    has_node[np.repeat(every, [len(tree) for tree in trees]), number] = True
    has_label[np.repeat(every, [len(tree.label) for tree in trees]), of_label] = True
    return Overlay(FunctionTrees(words, nodes, label_node, label, tuple(label_codes)), has_node, has_label)


def subsumes(general: FunctionTrees, special: FunctionTrees) -> Bools:
    """Mask of the sentences in which the second tree has all nodes and labels of the first."""
    both = overlay(general, special)
    sentence, node = both.union.nodes.sentence, both.union.label_node
    contained = np.ones(general.sentences, dtype=bool)
    contained[sentence[both.has_node[0] & ~both.has_node[1]]] = False
    contained[sentence[node[both.has_label[0] & ~both.has_label[1]]]] = False
    return contained


def generalise(*trees: FunctionTrees) -> FunctionTrees:
    """The yields that all trees have, each with the labels that all have there."""
    both = overlay(*trees)
    return both.union.select(np.logical_and.reduce(both.has_node), np.logical_and.reduce(both.has_label))


def tl_unify(structure: FunctionTrees, labels_of: FunctionTrees) -> FunctionTrees:
    """The nodes of the first tree, with the labels that either tree has there."""
    both = overlay(structure, labels_of)
    return both.union.select(both.has_node[0])


def unify(*trees: FunctionTrees) -> tuple[FunctionTrees, Bools]:
    """All nodes and labels of any tree, and a mask of the sentences without nodes, because their yields overlap.

    Yields nest if each has the same next larger yield at all of its words: then it is part of that one, and so of all
    larger ones that share a word with it.
    """
    union = overlay(*trees).union
    nodes = union.nodes
    stretch_node = np.concatenate([np.flatnonzero(~nodes.gapped), nodes.stretch_row])
    begin = np.concatenate([nodes.first[~nodes.gapped], nodes.stretch_begin])
    size = np.concatenate([nodes.size[~nodes.gapped], nodes.stretch_end - nodes.stretch_begin])
    node = np.repeat(stretch_node, size)
    starts = np.cumsum(union.words) - union.words
    word = numbers_of_runs(starts[nodes.sentence[stretch_node]] + begin, size)
    order = np.lexsort((node, nodes.size[node], word))
    node, word = node[order], word[order]
    larger = np.append(np.where(word[1:] == word[:-1], node[1:], -1), [-1][: len(node)])
    lowest, highest = np.full(len(nodes), len(nodes)), np.full(len(nodes), -1)
    np.minimum.at(lowest, node, larger)
    np.maximum.at(highest, node, larger)
    fails = np.zeros(union.sentences, dtype=bool)
    fails[nodes.sentence[lowest != highest]] = True
    return union.select(~fails[nodes.sentence]), fails
