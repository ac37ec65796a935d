"""Sentences that files cut into other words: compared by the parts that all their words consist of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assay.arrays import Bools, Ints, ids_of_runs
from assay.corpus import Corpus, Multiword

SEGMENTATIONS = ("same", "strict", "chars")
"""Words cut otherwise are refused, make a sentence wholly missing, or are compared by their characters."""
_Range = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Cut:
    """Where the words of a file lie among the parts of its sentences."""

    parts: Ints
    """The number of parts of each sentence."""
    begin: Ints
    """For each word its first part, counted within its sentence, …"""
    end: Ints
    """… and the part behind it."""


def same_characters(reference: Corpus, other: Corpus, sentences: Bools) -> Bools:
    """Which of some sentences have the same characters, white space aside, in both files."""
    same = sentences.copy()
    ours, theirs = _multiwords(reference), _multiwords(other)
    for sentence in np.flatnonzero(sentences).tolist():
        same[sentence] = _text(reference, sentence, ours)[0] == _text(other, sentence, theirs)[0]
    return same


def cuts(corpora: Sequence[Corpus], sentences: Bools) -> tuple[list[Cut], dict[int, tuple[str, ...]]]:
    """Where the words of each file lie among parts, and the parts of the sentences that are cut into such.

    A part ends where a word of any file ends, so that sets of parts are sets of characters; in the other sentences
    each word is one part. The characters of these sentences must be the same in all files.
    """
    starts = corpora[0].starts
    number = np.diff(starts)
    multiwords = [_multiwords(corpus) for corpus in corpora]
    parts: dict[int, tuple[str, ...]] = {}
    inside: list[dict[int, list[_Range]]] = [{} for _ in corpora]
    for sentence in np.flatnonzero(sentences).tolist():
        read = [_text(corpus, sentence, known) for corpus, known in zip(corpora, multiwords, strict=True)]
        text = read[0][0]
        ends = sorted({place for _, ranges in read for begin, end in ranges for place in (begin, end)} | {0})
        parts[sentence] = tuple(text[a:b] for a, b in pairwise(ends))
        place = {end: index for index, end in enumerate(ends)}
        for found, (_, ranges) in zip(inside, read, strict=True):
            found[sentence] = [(place[begin], place[end]) for begin, end in ranges]
    number[list(parts)] = [len(of_sentence) for of_sentence in parts.values()]
    return [_cut(corpus, number, found) for corpus, found in zip(corpora, inside, strict=True)], parts


def _cut(corpus: Corpus, parts: Ints, found: Mapping[int, list[_Range]]) -> Cut:
    begin = np.arange(len(corpus)) - corpus.starts[ids_of_runs(corpus.starts)]
    end = begin + 1
    for sentence, ranges in found.items():
        first, last = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
        begin[first:last], end[first:last] = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
    return Cut(parts, begin, end)


def _multiwords(corpus: Corpus) -> dict[int, Multiword]:
    return {token.first: token for token in corpus.multiwords}


def _text(corpus: Corpus, sentence: int, multiwords: Mapping[int, Multiword]) -> tuple[str, list[_Range]]:
    """The characters of a sentence, and which of them are each word's.

    The words of a multiword token have their part of it where they make it up, and else share all of it.
    """
    word, last = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
    text, ranges = "", []
    while word < last:
        token = multiwords.get(word)
        end = word + 1 if token is None else token.end
        forms = ["".join(form.split()) for form in corpus.forms.strings(word, end)]
        surface = forms[0] if token is None else "".join(token.form.split())
        first = len(text)
        text += surface
        if "".join(forms) == surface:
            ends = (first + np.cumsum([len(form) for form in forms])).tolist()
            ranges += list(zip([first, *ends], ends, strict=False))
        else:
            ranges += [(first, len(text))] * len(forms)
        word = end
    return text, ranges
