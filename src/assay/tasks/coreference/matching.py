"""Mentions of gold matched with a system's, one to one: equal ones, by their heads, by parts; zeros by what they
depend on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.arrays import NONE, Ints
from assay.corpus import Chains, Corpus
from assay.engine.matching import best_pairs
from assay.formats.emptynodes import EmptyNodes
from assay.records import dataclass
from assay.tasks.coreference.chains import Matched

MATCHES = ("exact", "partial", "head")
ALIGNMENTS = ("dependent", "linear")

Dependencies = frozenset[tuple[str, str]]
"""Parents by their IDs, with the relation to each."""


@dataclass(frozen=True, eq=False)
class Zeros:
    """The mentions of one side whose head is an empty node."""

    mention: Ints
    sentence: Ints
    """The first word of the sentence that the head of each is in …"""
    deps: tuple[Dependencies, ...]
    """… and what the head depends on."""


def zeros_of(corpus: Corpus) -> Zeros:
    """The zeros of a corpus."""
    chains, nodes = corpus.chains, corpus.layer(EmptyNodes)
    nothing = np.zeros(0, dtype=np.int64)
    if chains is None or nodes is None or not len(chains) or not len(nodes.word):
        return Zeros(nothing, nothing, ())
    words = corpus.first_words[chains.document] + head_atoms(chains)
    place = np.searchsorted(nodes.word, words)
    mention = np.flatnonzero(np.append(nodes.word, NONE)[place] == words)
    known: dict[str, Dependencies] = {}
    for cell in nodes.deps:
        if cell not in known:
            pairs = (part.partition(":") for part in cell.split("|"))
            known[cell] = frozenset((parent, relation) for parent, colon, relation in pairs if colon)
    sentence = corpus.starts[corpus.sentence_of[words[mention]]]
    return Zeros(mention, sentence, tuple(known[nodes.deps[number]] for number in place[mention].tolist()))


def head_atoms(chains: Chains) -> Ints:
    """The head of each mention, counted within its document; where it is not known, its first word."""
    return chains.begin if chains.heads is None else np.where(chains.heads < 0, chains.begin, chains.heads)


def match_zeros(ours: Zeros, theirs: Zeros, kept: Sequence[Ints]) -> Matched:
    """Zeros of both sides that depend on the same: by relations and parents first, then by parents.

    kept: the rank of each mention in the order of the text on each side, NONE where it takes no part.
    """
    by_parent: dict[tuple[int, str], list[int]] = {}
    sides = [
        np.flatnonzero(rank[zeros.mention] != NONE).tolist()
        for zeros, rank in zip((ours, theirs), kept, strict=True)
    ]
    parents = [[frozenset(parent for parent, _ in deps) for deps in zeros.deps] for zeros in (ours, theirs)]
    for row in sides[1]:
        for parent in parents[1][row]:
            by_parent.setdefault((int(theirs.sentence[row]), parent), []).append(row)
    pairs: list[tuple[int, int, int, int]] = []
    for row in sides[0]:
        sentence = int(ours.sentence[row])
        near = {other for parent in parents[0][row] for other in by_parent.get((sentence, parent), ())}
        for other in near:
            # w = 10 F(relations) + F(parents), as a quotient of whole numbers.
            shared = len(ours.deps[row] & theirs.deps[other])
            common = len(parents[0][row] & parents[1][other])
            relations = len(ours.deps[row]) + len(theirs.deps[other])
            numbers = len(parents[0][row]) + len(parents[1][other])
            weight = 20 * shared * numbers + 2 * common * relations
            pairs.append((row, other, weight, relations * numbers))
    if not pairs:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    row, other, weight, whole = np.array(pairs, dtype=np.int64).T
    a, b = ours.mention[row], theirs.mention[other]
    best = best_pairs(kept[0][a], kept[1][b], weight, whole=whole)
    return a[best], b[best]
