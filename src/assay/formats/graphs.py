"""Graphs over the words of a sentence: the model, and readers of CoNLL-U's DEPS, SDP and MRP.

A graph is a set of labelled arcs between nodes. Nodes are the words of a corpus and the empty nodes of its sentences;
an arc from the root, of which each sentence has one, makes its node a top.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from assay.arrays import NONE, Ints, Stretches
from assay.corpus import Column


def _no_numbers() -> Ints:
    return np.zeros(0, dtype=np.int64)


def _no_strings() -> Column:
    return Column(np.zeros(0, dtype=np.int32), ())


@dataclass(frozen=True, eq=False)
class Graph:
    """A layer of a Corpus (`corpus.layer(Graph)`): labelled arcs, and the nodes that are no words.

    A node is a number. Those below the number of the corpus' words are words, by their place in the corpus; node
    `len(corpus) + e` is the empty node e. The root has no number: it is NONE.

    An arc leads from its head to its dependent. It is known by both and by its label: no arc is there twice, and
    their order says nothing (`Graph.of` sorts them). Cycles, loops, words without arcs and several tops are allowed.

    Where a dependent is a stretch of words and not a node (semantic roles of spans), `begin` and `end` say which, and
    `dependent` is its first word.
    """

    dependent: Ints
    """The node that each arc leads to …"""
    head: Ints
    """… and the one that it comes from: a word, an empty node, or NONE for the root."""
    labels: Column
    """The label of each arc: a relation or a role, as written; of a top what its format has, which may be nothing."""
    empty_sentence: Ints = field(default_factory=_no_numbers)
    """The sentence of each empty node …"""
    empty_behind: Ints = field(default_factory=_no_numbers)
    """… the number of words of that sentence that stand before it (0: it stands before the first) …"""
    empty_ids: tuple[str, ...] = ()
    """… and its id, such as 5.1."""
    predicates: Ints = field(default_factory=_no_numbers)
    """The nodes that are marked as predicates, in their order, each once; with or without arguments …"""
    senses: Column = field(default_factory=_no_strings)
    """… and the sense or frame of each, empty where it has none."""
    begin: Ints | None = None
    """Where dependents are stretches of words: the first word of each, by its place in the corpus …"""
    end: Ints | None = None
    """… and the word behind its last …"""
    stretches: Mapping[int, Stretches] = field(default_factory=dict)
    """… and, for the arcs whose dependents have gaps, by number: where their words lie in the corpus."""

    def __len__(self) -> int:
        """The number of arcs, tops included."""
        return len(self.dependent)

    @classmethod
    def of(cls, dependent: Ints, head: Ints, labels: Column, **more: object) -> Graph:
        """A graph of arcs between nodes, sorted by dependent, head and label; arcs that are repeated are there once."""
        rank = np.empty(len(labels.vocabulary), dtype=np.int64)
        rank[sorted(range(len(rank)), key=labels.vocabulary.__getitem__)] = np.arange(len(rank))
        ranks = rank[labels.codes] if len(labels) else labels.codes
        order = np.lexsort((ranks, head, dependent))
        rows = np.stack([dependent[order], head[order], ranks[order]])
        new = np.ones(len(order), dtype=bool)
        new[1:] = (rows[:, 1:] != rows[:, :-1]).any(axis=0)
        kept = order[new]
        return cls(dependent[kept], head[kept], Column(labels.codes[kept], labels.vocabulary), **more)  # type: ignore[arg-type]

    def sentence_of_nodes(self, sentence_of: Ints) -> Ints:
        """The sentence of each node: of the words as given, then of the empty nodes."""
        return np.concatenate([sentence_of, self.empty_sentence])

    @property
    def tops(self) -> Ints:
        """The numbers of the arcs that come from the root."""
        return np.flatnonzero(self.head == NONE)
