"""FunctionTrees, and how dependencies and phrase structure become such trees."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay.arrays import Bools, Ints, Stretches, as_codes, extents, ids_of_runs, numbers_of_runs
from assay.tasks.cross.functiontrees.yields import Yields, distinct, intervals, join, with_gaps, with_stretches

ROOT = "root"


@dataclass(frozen=True, eq=False)
class FunctionTrees:
    """Multi-function trees of many sentences: each yield of each sentence once, with its labels, maybe none."""

    words: Ints
    """The number of words of each sentence."""
    nodes: Yields
    """One row per yield, by sentence, first word and falling size: a node comes before those below it."""
    label_node: Ints
    """For each label of each node, in order: the node …"""
    label: Ints
    """… and the code of the label."""
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.words)

    @property
    def bare(self) -> Bools:
        """Which nodes have no label."""
        found = np.ones(len(self), dtype=bool)
        found[self.label_node] = False
        return found

    @property
    def with_gaps(self) -> Bools:
        """Which sentences have a yield with gaps: the discontinuous and the non-projective ones."""
        found = np.zeros(self.sentences, dtype=bool)
        found[self.nodes.sentence[self.nodes.gapped]] = True
        return found

    def words_of(self, node: int) -> Stretches:
        """The words below a node as stretches (first, end), counted within the sentence."""
        return self.nodes.stretches(node)

    def labels_of(self, node: int) -> tuple[str, ...]:
        """The labels of a node."""
        begin, end = np.searchsorted(self.label_node, [node, node + 1])
        return tuple(self.labels[code] for code in self.label[begin:end].tolist())

    def of_sentence(self, sentence: int) -> FunctionTrees:
        """The tree of one sentence by itself."""
        first, end = np.searchsorted(self.nodes.sentence, [sentence, sentence + 1])
        nodes = self.nodes.take(np.arange(first, end))
        begin, stop = np.searchsorted(self.label_node, [first, end])
        return FunctionTrees(
            self.words[sentence : sentence + 1],
            replace(nodes, sentence=np.zeros(len(nodes), dtype=np.int64)),
            self.label_node[begin:stop] - first,
            self.label[begin:stop],
            self.labels,
        )


@dataclass(frozen=True, eq=False)
class Functions:
    """The label set of each of many nodes: a code into a list of sets, -1 for what is to be no node at all."""

    codes: Ints
    sets: Sequence[Collection[str]]

    def rows(self, known: dict[str, int]) -> tuple[Ints, Ints]:
        """For each label of each node the node and the label's code, new labels entered into `known`."""
        kept = np.flatnonzero(self.codes >= 0)
        codes = self.codes[kept]
        sizes = np.array([len(labels) for labels in self.sets], dtype=np.int64)
        firsts = np.cumsum(sizes) - sizes
        listed = as_codes((label for labels in self.sets for label in labels), known)
        return np.repeat(kept, sizes[codes]), listed[numbers_of_runs(firsts[codes], sizes[codes])]


@dataclass
class _Rows:
    """Nodes as they come, before equal yields are merged."""

    starts: Ints
    known: dict[str, int]
    yields: list[Yields] = field(default_factory=list)
    nodes: list[Ints] = field(default_factory=list)
    codes: list[Ints] = field(default_factory=list)
    count: int = 0

    def add(self, yields: Yields, nodes: Ints, codes: Ints) -> None:
        """Nodes over these yields; nodes[i], counted among them, has the label codes[i]."""
        self.yields.append(yields)
        self.nodes.append(nodes + self.count)
        self.codes.append(codes)
        self.count += len(yields)

    def add_all(self, yields: Yields, label: str | None) -> None:
        """Nodes over these yields, all with this label, or with none."""
        nodes = np.arange(0 if label is None else len(yields))
        self.add(yields, nodes, np.full(len(nodes), 0 if label is None else self.code(label)))

    def code(self, label: str) -> int:
        """The code of a label."""
        return self.known.setdefault(label, len(self.known))

    def merged(self) -> FunctionTrees:
        """The trees: all nodes with one yield are one, with the labels of all of them."""
        words = np.diff(self.starts)
        nodes, numbers = distinct(words, join(self.yields))
        label_node, label = sorted_labels(
            numbers[np.concatenate(self.nodes)], np.concatenate(self.codes), len(self.known)
        )
        return FunctionTrees(words, nodes, label_node, label, tuple(self.known))


def sorted_labels(node: Ints, label: Ints, labels: int) -> tuple[Ints, Ints]:
    """Rows of node and label in order, each once."""
    rows = np.sort(node * max(labels, 1) + label, kind="stable")
    new = np.ones(len(rows), dtype=bool)
    np.not_equal(rows[1:], rows[:-1], out=new[1:])
    node, label = np.divmod(rows[new], max(labels, 1))
    return node, label


def recut(trees: FunctionTrees, parts: Ints, begin: Ints, end: Ints) -> FunctionTrees:
    """The same trees over parts of words: yields that then are one become one, with the labels of all of them.

    parts: how many each sentence has; begin and end: the parts of each word, counted within its sentence.
    """
    nodes = trees.nodes
    start = (np.cumsum(trees.words) - trees.words)[nodes.sentence]
    outer = intervals(nodes.sentence, begin[start + nodes.first], end[start + nodes.last])
    gaps = {row: nodes.stretches(row) for row in np.flatnonzero(nodes.gapped).tolist()}
    stretches = {row: _joined(begin[start[row] :], end[start[row] :], shape) for row, shape in gaps.items()}
    merged, numbers = distinct(parts, with_stretches(outer, stretches))
    label_node, label = sorted_labels(numbers[trees.label_node], trees.label, len(trees.labels))
    return FunctionTrees(parts, merged, label_node, label, trees.labels)


def _joined(begin: Ints, end: Ints, shape: Stretches) -> Stretches:
    """Stretches of words as stretches of parts, those that share a part as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(shape):
        low, high = int(begin[first]), int(end[last - 1])
        if found and low < found[-1][1]:
            low, high = found[-1][0], max(found.pop()[1], high)
        found.append((low, high))
    return tuple(found)


def absent_in(trees: FunctionTrees, words: Ints, sentences: Bools) -> FunctionTrees:
    """The trees without any node in some sentences, all over so many words."""
    kept = ~sentences[trees.nodes.sentence]
    place = np.cumsum(kept) - 1
    labels = kept[trees.label_node]
    return FunctionTrees(
        words,
        trees.nodes.take(np.flatnonzero(kept)),
        place[trees.label_node[labels]],
        trees.label[labels],
        trees.labels,
    )


def from_dependencies(
    starts: Ints,
    heads: Ints,
    relations: Ints,
    labels: Sequence[str],
    *,
    head_label: str | None = "hd",
    outer_root: bool = True,
) -> FunctionTrees:
    """Dependency trees: each word's relation stands over the word and all below it.

    starts: the first word of each sentence and the end of the last; heads: each word's head, -1 for none, without
    circles; relations: codes into labels. A word that has dependents gets head_label over itself alone, None for a
    node without a label; outer_root puts `root` over every sentence, and so over several roots too.
    """
    known: dict[str, int] = {}
    relations = as_codes(labels, known)[relations] if len(labels) else relations
    rows = _Rows(starts, known)
    rows.add(subtrees(starts, heads), np.arange(len(heads)), relations)
    governors = np.zeros(len(heads), dtype=bool)
    governors[heads[heads >= 0]] = True
    rows.add_all(_single_words(starts, np.flatnonzero(governors)), head_label)
    if outer_root:
        rows.add_all(_whole_sentences(starts), ROOT)
    return rows.merged()


def from_nodes(
    starts: Ints,
    sentence: Ints,
    begin: Ints,
    end: Ints,
    functions: Functions,
    *,
    stretches: Mapping[int, Stretches] | None = None,
    preterminals: Functions | None = None,
    top_root: bool = True,
) -> FunctionTrees:
    """Phrase structure: each node's functions stand over its words.

    begin and end count words within the sentence, and no node is without words; stretches: for nodes with gaps, by
    number, where their words lie; functions: the label set of each node; preterminals: that of each word's tag.
    top_root: the node over all words of a sentence gets `root` if it has no label; where none is, none is made.
    """
    rows = _Rows(starts, {})
    _add_nodes(rows, with_stretches(intervals(sentence, begin, end), stretches or {}), functions)
    if preterminals is not None:
        _add_nodes(rows, _single_words(starts, np.arange(int(starts[-1]))), preterminals)
    trees = rows.merged()
    return _with_root(trees) if top_root else trees


def from_relational_realizational(
    starts: Ints,
    sentence: Ints,
    begin: Ints,
    end: Ints,
    labels: tuple[Ints, Sequence[str]],
    functions: Collection[str],
    *,
    stretches: Mapping[int, Stretches] | None = None,
    tags: tuple[Ints, Sequence[str]] | None = None,
) -> FunctionTrees:
    """Relational-realizational trees: nodes named after a function stay, categories and sets of functions go.

    labels and tags: codes of the nodes and of the words, and what they stand for. The top is `root`.
    """
    given = stretches or {}
    kept = _only(*labels, functions)
    whole = end - begin == np.diff(starts)[sentence]
    whole[list(given)] = False
    tops = Functions(np.where(whole & (kept.codes < 0), len(kept.sets), kept.codes), [*kept.sets, (ROOT,)])
    preterminals = None if tags is None else _only(*tags, functions)
    return from_nodes(starts, sentence, begin, end, tops, stretches=given, preterminals=preterminals)


def _only(codes: Ints, vocabulary: Sequence[str], functions: Collection[str]) -> Functions:
    """Labels that are functions as sets of one; nodes with other labels are none."""
    known = np.array([label in functions for label in vocabulary], dtype=bool)
    return Functions(np.where(known[codes], codes, -1), [(label,) for label in vocabulary])


def _add_nodes(rows: _Rows, yields: Yields, functions: Functions) -> None:
    """Enter the nodes that have a label set, be it empty."""
    kept = functions.codes >= 0
    node, label = functions.rows(rows.known)
    place = np.cumsum(kept) - 1
    rows.add(yields if kept.all() else yields.take(np.flatnonzero(kept)), place[node], label)


def _with_root(trees: FunctionTrees) -> FunctionTrees:
    """The trees with the label `root` on each node over a whole sentence that has none."""
    known = dict.fromkeys((*trees.labels, ROOT))
    tops = np.flatnonzero(trees.bare & (trees.nodes.size == trees.words[trees.nodes.sentence]))
    labels = tuple(known)
    root = np.full(len(tops), labels.index(ROOT))
    node, label = sorted_labels(
        np.concatenate([trees.label_node, tops]), np.concatenate([trees.label, root]), len(labels)
    )
    return FunctionTrees(trees.words, trees.nodes, node, label, labels)


def _single_words(starts: Ints, words: Ints) -> Yields:
    """A yield for each of these words alone."""
    sentence = ids_of_runs(starts)[words]
    begin = words - starts[sentence]
    return intervals(sentence, begin, begin + 1)


def _whole_sentences(starts: Ints) -> Yields:
    """A yield for each sentence that has words."""
    sentence = np.flatnonzero(np.diff(starts))
    return intervals(sentence, np.zeros(len(sentence), dtype=np.int64), np.diff(starts)[sentence])


def subtrees(starts: Ints, heads: Ints) -> Yields:
    """The yield of each word: itself and all words below it."""
    heads = heads.astype(np.int64, copy=False)
    sentence = ids_of_runs(starts)
    first, last, size = extents(heads)
    outer = intervals(sentence, first - starts[sentence], last + 1 - starts[sentence])
    gapped = size < outer.size
    return with_gaps(outer, *_words_below(starts, heads, gapped)) if gapped.any() else outer


def _words_below(starts: Ints, heads: Ints, gapped: Bools) -> tuple[Ints, Ints, Ints]:
    """For each word whose yield has gaps, in order: the word, and begin and end of each word of its yield."""
    sentence = ids_of_runs(starts)
    crossed = np.zeros(len(starts) - 1, dtype=bool)
    crossed[sentence[gapped]] = True
    word: Ints = np.flatnonzero(crossed[sentence])
    above, found = word, []
    while len(word):
        hit = gapped[above]
        found.append(above[hit] * len(heads) + word[hit])
        above = heads[above]
        word, above = word[above >= 0], above[above >= 0]
    row, member = np.divmod(np.sort(np.concatenate(found)), len(heads))
    position = member - starts[sentence[member]]
    return row, position, position + 1
