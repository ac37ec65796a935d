"""The same words in all files: which sentences differ, and where."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.arrays import Bools
from assay.corpus import Corpus, one_vocabulary
from assay.errors import AlignmentError


def differing_sentences(reference: Corpus, other: Corpus) -> Bools:
    """The sentences whose words are not the same; there must be as many on both sides."""
    if reference.sentences != other.sentences:
        raise AlignmentError(
            f"{other.name}: sentences: {other.sentences:,}, where {reference.name} has {reference.sentences:,}. "
            "Files of all frameworks must have the same sentences in the same order."
        )
    _, (ours, theirs) = one_vocabulary([reference.forms, other.forms])
    different = np.diff(reference.starts) != np.diff(other.starts)
    if not different.any():
        words = np.bincount(reference.sentence_of[ours != theirs], minlength=reference.sentences)
        return np.asarray(words > 0)
    same_size = np.flatnonzero(~different)
    for sentence in same_size.tolist():
        a, b = int(reference.starts[sentence]), int(other.starts[sentence])
        size = int(reference.starts[sentence + 1]) - a
        different[sentence] = not np.array_equal(ours[a : a + size], theirs[b : b + size])
    return np.asarray(different)


def describe_difference(reference: Corpus, other: Corpus, sentence: int) -> str:
    """Where two files part in a sentence."""
    for corpus in (reference, other):
        if sentence in corpus.unparsed:
            return f"{corpus.place_of_sentence(sentence)}: no tree in gold"
    here = reference.forms.strings(int(reference.starts[sentence]), int(reference.starts[sentence + 1]))
    there = other.forms.strings(int(other.starts[sentence]), int(other.starts[sentence + 1]))
    place = other.place_of_sentence(sentence)
    for number, (a, b) in enumerate(zip(here, there, strict=False), 1):
        if a != b:
            return f"{place}: word {number} is {b!r} where {reference.place_of_sentence(sentence)} has {a!r}"
    return f"{place}: {len(there)} words where {reference.place_of_sentence(sentence)} has {len(here)}"


def problems(
    reference: Corpus, others: Mapping[str, Corpus], allowed: Mapping[str, Bools] | None = None
) -> tuple[Bools, list[str]]:
    """The sentences whose words are not the same in all files, and where they part, but for those allowed to."""
    wrong = np.zeros(reference.sentences, dtype=bool)
    lines = []
    for name, corpus in others.items():
        found = differing_sentences(reference, corpus)
        if allowed is not None and name in allowed:
            found &= ~allowed[name]
        lines += [describe_difference(reference, corpus, sentence) for sentence in np.flatnonzero(found).tolist()]
        wrong |= found
    return wrong, lines
