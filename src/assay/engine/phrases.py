"""Phrase-structure trees: categories and functions of labels, roots, nodes as spans, sentences without a tree."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from assay.arrays import Bools, Ints, ids_of_runs
from assay.corpus import Column, Corpus, Marks, Trees, one_vocabulary

ROOTS = ("", "TOP", "ROOT", "S1", "VROOT")
"""Names of roots; the first is a root without a name."""
_CUT = re.compile(r"[-=]")


def category(label: str) -> str:
    """The kind of phrase or word: `NP` of `NP-SBJ-1`, `NP=2` and `NP##case=nom##`; `-LRB-` stays as it is."""
    return _parts(label)[0]


def functions(label: str) -> tuple[str, ...]:
    """The functions behind the category, without indices: `LOC` and `PRD` of `NP-LOC-PRD-1`."""
    return tuple(part for part in _parts(label)[1:] if part and not part.isdigit())


def edge_functions(edge: str) -> tuple[str, ...]:
    """The function that the label of an edge is, unless it says that there is none."""
    return () if edge in ("--", "-", "") else (edge,)


def _parts(label: str) -> list[str]:
    # A label's first character belongs to its category, for there are tags such as # and =.
    whole = label[:1] + label[1:].partition("#")[0]
    if whole.startswith("-"):
        return [whole]
    first, *others = _CUT.split(whole[1:])
    return [whole[:1] + first, *others]


def trees_of(corpus: Corpus) -> Trees:
    """The trees of a corpus that has some."""
    assert corpus.trees is not None
    return corpus.trees


def roots(trees: Trees) -> Bools:
    """The nodes that only hold a tree: topmost ones with the name of a root, or directly below such a one."""
    named = trees.labels.isin(ROOTS)
    found = named & (trees.parent < 0)
    while (more := named & ~found & (trees.parent >= 0) & found[trees.parent]).any():
        found |= more
    return np.asarray(found)


def node_spans(corpus: Corpus) -> Marks:
    """All nodes as spans of words, in their order, with their categories as labels."""
    trees = trees_of(corpus)
    labels = trees.labels.mapped({label: category(label) for label in trees.labels.vocabulary})
    return Marks(trees.sentence, trees.begin, trees.end, labels, trees.lines, trees.stretches)


def constituent_spans(corpus: Corpus) -> Corpus:
    """The corpus with its constituents, which roots are not, as spans."""
    spans, kept = node_spans(corpus), np.flatnonzero(~roots(trees_of(corpus)))
    return corpus.with_marks(spans=spans.where(kept).in_order()[0])


def with_words_of(corpus: Corpus, other: Corpus) -> Corpus:
    """The corpus with the other's words in its sentences without a tree, whose own words may not be given."""
    if not corpus.unparsed or corpus.sentences != other.sentences:
        return corpus
    bare = np.zeros(corpus.sentences, dtype=bool)
    bare[list(corpus.unparsed)] = True
    starts = np.concatenate([[0], np.cumsum(np.where(bare, np.diff(other.starts), np.diff(corpus.starts)))])
    sentence = ids_of_runs(starts)
    taken = bare[sentence]
    within = np.arange(len(sentence)) - starts[sentence]
    here, there = (side.starts[sentence] + within for side in (corpus, other))
    vocabulary, (ours, theirs) = one_vocabulary([corpus.forms, other.forms])
    trees = trees_of(corpus)

    def merged(own: Ints, added: Ints | int) -> Ints:
        codes = np.full(len(sentence), added) if isinstance(added, int) else added[np.where(taken, there, 0)]
        codes[~taken] = own[here[~taken]]
        return codes

    columns = {
        name: Column(merged(column.codes, len(column.vocabulary)), (*column.vocabulary, ""))
        for name, column in corpus.columns.items()
    }
    forms = Column(merged(ours, theirs), vocabulary)
    return replace(
        corpus, starts=starts, forms=forms, columns=columns, trees=replace(trees, above=merged(trees.above, -1))
    )
