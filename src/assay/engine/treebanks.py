"""Columns of treebanks that several tasks read: heads, with everything that makes a tree faulty, and features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import Bools, find_extents
from assay.classes import dataclass
from assay.corpus import Corpus
from assay.engine.measure import Measure

ROOT = -1
"""The head of a word that has none."""
ELSEWHERE = -2
"""A system's head that corresponds to no word of gold."""
MISSING = -3
"""The head of a word that a system does not have."""
UNIVERSAL = frozenset(
    {
        *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case"),
        *("Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person"),
        "Polite",
    }
)
"""The features that the CoNLL 2018 shared task compares."""


@dataclass(frozen=True)
class Fault:
    """A fault of a tree."""

    sentence: int
    word: int
    fact: str


def with_heads(corpus: Corpus, column: str) -> tuple[Corpus, list[Fault]]:
    """The corpus with the head of each word, and the faults of its trees; words with a faulty head become roots."""
    texts, codes = corpus.column(column).vocabulary, corpus.column(column).codes
    sentence_of, lengths = corpus.sentence_of, np.diff(corpus.starts)
    are_numbers = np.array([text.isascii() and text.isdigit() for text in texts], dtype=bool)
    # A number with too many digits for a place is too high for any sentence.
    values = [int(text[:10]) if good else 0 for text, good in zip(texts, are_numbers, strict=True)]
    numbers, readable = np.array(values, dtype=np.int64)[codes], are_numbers[codes]
    inside = readable & (numbers >= 0) & (numbers <= lengths[sentence_of])
    heads = np.where(inside & (numbers > 0), corpus.starts[:-1][sentence_of] + numbers - 1, ROOT)
    faults = []
    for word in np.flatnonzero(~inside).tolist():
        text, sentence = texts[codes[word]], int(sentence_of[word])
        fact = f"head {text!r} in a sentence of {lengths[sentence]} words"
        faults.append(Fault(sentence, word, fact if readable[word] else f"head {text!r} is not a number"))

    # Following heads, twice as far each time, words in a cycle never get to the root, which is its own head.
    above = np.append(np.where(heads == ROOT, len(heads), heads), len(heads))
    for _ in range(int(lengths.max(initial=1)).bit_length()):
        above = above[above]
    caught = np.flatnonzero(above[:-1] != len(heads))
    sentences, first = np.unique(sentence_of[caught], return_index=True)
    for sentence, word in zip(sentences.tolist(), caught[first].tolist(), strict=True):
        faults.append(Fault(sentence, word, "a cycle: following heads from here leads to no root"))
    heads[caught] = ROOT
    return replace(corpus, heads=heads), sorted(faults, key=lambda fault: fault.word)


def count_several_roots(corpus: Corpus, faulty: Sequence[int] = ()) -> int:
    """Number of sentences with more than one root; faulty sentences are not counted."""
    assert corpus.heads is not None
    roots = np.bincount(corpus.sentence_of[corpus.heads == ROOT], minlength=corpus.sentences)
    roots[list(faulty)] = 0
    return int((roots > 1).sum())


def mask_nonprojective(corpus: Corpus) -> Bools:
    """The sentences in which some word and all that depends on it are no single stretch."""
    assert corpus.heads is not None
    first, last, size = find_extents(corpus.heads)
    gaps = last - first + 1 != size
    return np.asarray(np.bincount(corpus.sentence_of[gaps], minlength=corpus.sentences) > 0)


def universal_features(features: str) -> str:
    """The universal features of a word, sorted."""
    kept = [part for part in features.split("|") if part.partition("=")[0] in UNIVERSAL]
    return "|".join(sorted(kept))


def listed_punctuation(setting: str) -> tuple[str, tuple[str, ...]] | None:
    """The column and the labels of a setting such as UPOS:PUNCT+SYM; None for other settings."""
    column, colon, labels = setting.partition(":")
    # A comma divides the parameters of a measure, so that the tag is spelt out.
    values = tuple("," if label == "comma" else label for label in labels.split("+"))
    return (column, values) if colon and column and all(values) else None


def columns_of(measure: Measure) -> Iterator[str]:
    """Columns that a measure needs in addition to heads and relations."""
    yield from measure.columns
    if measure.parameters.get("column"):
        yield measure.parameters["column"]
    listed = listed_punctuation(measure.parameters.get("punctuation", ""))
    if listed is not None and listed[0] not in ("HEAD", "DEPREL"):
        yield listed[0]
