"""Heads of words: from a column of numbers to places in the corpus, with everything that makes a tree faulty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.arrays import Bools, Ints, extents
from assay.corpus import Column, Corpus

ROOT = -1
"""The head of a word that has none."""
ELSEWHERE = -2
"""A system's head that corresponds to no word of gold."""
_DIGITS = 10
MISSING = -3
"""The head of a word that a system does not have."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a tree."""

    sentence: int
    word: int
    fact: str


def with_heads(corpus: Corpus, column: str) -> tuple[Corpus, list[Fault]]:
    """The corpus with the head of each word, and the faults of its trees; words with a faulty head become roots."""
    numbers, readable = _numbers(corpus.column(column))
    first = corpus.starts[:-1][corpus.sentence_of]
    length = np.diff(corpus.starts)[corpus.sentence_of]
    inside = readable & (numbers >= 0) & (numbers <= length)
    heads = np.where(inside & (numbers > 0), first + numbers - 1, ROOT)
    faults = list(_outside(corpus, column, readable, inside))
    caught = _in_cycles(corpus, heads)
    faults += _cycles(corpus, caught)
    heads[caught] = ROOT
    return replace(corpus, heads=heads), sorted(faults, key=lambda fault: fault.word)


def _numbers(column: Column) -> tuple[Ints, Bools]:
    texts = column.vocabulary
    readable = np.array([text.isascii() and text.isdigit() for text in texts], dtype=bool)
    # A number with too many digits for a place is too high for any sentence.
    values = [int(text[:_DIGITS]) if good else 0 for text, good in zip(texts, readable, strict=True)]
    return np.array(values, dtype=np.int64)[column.codes], readable[column.codes]


def _outside(corpus: Corpus, column: str, readable: Bools, inside: Bools) -> Iterator[Fault]:
    for word in np.flatnonzero(~inside).tolist():
        text = corpus.column(column)[word]
        sentence = int(corpus.sentence_of[word])
        words = int(np.diff(corpus.starts)[sentence])
        fact = f"head {text!r} in a sentence of {words} words" if readable[word] else f"head {text!r} is no number"
        yield Fault(sentence, word, fact)


def _in_cycles(corpus: Corpus, heads: Ints) -> Ints:
    """Words from which no way leads to a root: following heads, twice as far each time, they are never done."""
    # One more place stands for the root, which is its own head.
    above = np.append(np.where(heads == ROOT, len(heads), heads), len(heads))
    longest = int(np.diff(corpus.starts).max(initial=1))
    for _ in range(longest.bit_length()):
        above = above[above]
    return np.flatnonzero(above[:-1] != len(heads))


def _cycles(corpus: Corpus, caught: Ints) -> Iterator[Fault]:
    for sentence in np.unique(corpus.sentence_of[caught]).tolist():
        word = int(caught[corpus.sentence_of[caught] == sentence][0])
        yield Fault(sentence, word, "a cycle: following heads from here leads to no root")


def several_roots(corpus: Corpus, faults: Sequence[Fault] = ()) -> int:
    """The number of sentences with more than one root, without faulty ones."""
    assert corpus.heads is not None
    roots = np.bincount(corpus.sentence_of[corpus.heads == ROOT], minlength=corpus.sentences)
    roots[[fault.sentence for fault in faults]] = 0
    return int((roots > 1).sum())


def nonprojective(corpus: Corpus) -> Bools:
    """The sentences in which some word and all that depends on it are no single stretch."""
    assert corpus.heads is not None
    first, last, size = extents(corpus.heads)
    gaps = last - first + 1 != size
    return np.asarray(np.bincount(corpus.sentence_of[gaps], minlength=corpus.sentences) > 0)
