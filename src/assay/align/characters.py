"""A corpus as characters, and which words of two corpora cover the same."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.arrays import Bools, Ints
from assay.corpus import Corpus
from assay.errors import AlignmentError

MOST_COMBINATIONS = 1 << 24
"""The most pairs of words that are tried in one piece of text: 4,096 words on each side."""


@dataclass(frozen=True, eq=False)
class Text:
    """A corpus as characters without white space; the words inside a multiword token share its characters."""

    corpus: Corpus

    @cached_property
    def _bare(self) -> list[str]:
        return ["".join(form.split()) for form in self.corpus.forms.vocabulary]

    @cached_property
    def surface(self) -> list[str]:
        """Each word's characters; a multiword token's are with its first word."""
        surface = list(map(self._bare.__getitem__, self.corpus.forms.codes.tolist()))
        for token in self.corpus.multiwords:
            surface[token.first : token.end] = ["".join(token.form.split())] + [""] * (token.end - token.first - 1)
        return surface

    @cached_property
    def lengths(self) -> Ints:
        """The number of these characters."""
        lengths = np.array([len(form) for form in self._bare], dtype=np.int64)[self.corpus.forms.codes]
        for token in self.corpus.multiwords:
            lengths[token.first : token.end] = 0
            lengths[token.first] = len("".join(token.form.split()))
        return lengths

    def token(self, word: int) -> str:
        """The word as it stands in the text: the multiword token that begins with it, where there is one."""
        return next((token.form for token in self.corpus.multiwords if token.first == word), self.corpus.forms[word])

    def characters(self, first: int = 0, end: int | None = None) -> str:
        """The characters of the sentences from `first` to `end`."""
        starts = self.corpus.starts
        return "".join(self.surface[int(starts[first]) : int(starts[-1 if end is None else end])])

    def sentences(self) -> list[str]:
        """The characters of each sentence."""
        cuts = self.corpus.starts.tolist()
        return ["".join(self.surface[a:b]) for a, b in itertools.pairwise(cuts)]

    def spans(self, kept: Bools) -> Stretches:
        """The characters that each word of the kept sentences covers."""
        words = np.flatnonzero(kept[self.corpus.sentence_of])
        lengths = self.lengths[words]
        end = np.cumsum(lengths)
        begin = end - lengths
        place = np.full(len(self.corpus) + 1, -1, dtype=np.int64)
        place[words] = np.arange(len(words))
        multi = np.zeros(len(words), dtype=bool)
        for token in self.corpus.multiwords:
            if place[token.first] >= 0:
                inside = slice(int(place[token.first]), int(place[token.end - 1]) + 1)
                begin[inside], end[inside], multi[inside] = begin[inside.start], end[inside.start], True
        return Stretches(words, begin, end, multi)


@dataclass(frozen=True, eq=False)
class Stretches:
    """Words, the characters that each covers, and whether it stands in a multiword token."""

    words: Ints
    begin: Ints
    end: Ints
    multi: Bools


def corresponding(gold: Text, a: Stretches, system: Text, b: Stretches) -> tuple[Ints, Ints]:
    """The words that correspond, by their places in both stretches, in gold's order."""
    regions = _multiword_regions(a, b)
    plain_a, plain_b = _outside(a, regions), _outside(b, regions)
    size = int(a.end[-1]) + 1 if len(a.end) else 1
    _, here, there = np.intersect1d(
        a.begin[plain_a] * size + a.end[plain_a],
        b.begin[plain_b] * size + b.end[plain_b],
        return_indices=True,
    )
    matched = [pair for region in regions for pair in _match_forms(gold.corpus, a, system.corpus, b, *region)]
    inside = np.array(matched, dtype=np.int64).reshape(-1, 2)
    aligned_a, aligned_b = (
        np.concatenate([plain, inner]) for plain, inner in zip((plain_a[here], plain_b[there]), inside.T, strict=True)
    )
    order = np.argsort(aligned_a, kind="stable")
    return aligned_a[order], aligned_b[order]


def _multiword_regions(a: Stretches, b: Stretches) -> list[tuple[int, int]]:
    """The stretches of characters under multiword tokens of either side, those that overlap made one."""
    spans = {
        (int(begin), int(end))
        for side in (a, b)
        for begin, end in zip(side.begin[side.multi], side.end[side.multi], strict=True)
    }
    regions: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if regions and begin < regions[-1][1]:
            regions[-1] = (regions[-1][0], max(regions[-1][1], end))
        else:
            regions.append((begin, end))
    return regions


def _outside(spans: Stretches, regions: list[tuple[int, int]]) -> Ints:
    """The words that share no character with a region; a word without characters is none of them."""
    touching = spans.begin == spans.end
    if regions:
        begins, ends = np.array(regions).T
        # The first region that ends behind the word's beginning, which may begin behind the word's end.
        region = np.searchsorted(ends, spans.begin, side="right")
        touching |= np.append(begins, np.iinfo(np.int64).max)[region] < spans.end
    return np.flatnonzero(~touching)


def _match_forms(
    gold: Corpus, a: Stretches, system: Corpus, b: Stretches, begin: int, end: int
) -> Iterator[tuple[int, int]]:
    """The longest common subsequence of lower-cased forms among the words that lie in a region as a whole."""
    first_a, first_b = (np.searchsorted(side.begin, begin) for side in (a, b))
    last_a, last_b = (np.searchsorted(side.end, end, side="right") for side in (a, b))
    forms_a = [gold.forms[int(word)].lower() for word in a.words[first_a:last_a]]
    forms_b = [system.forms[int(word)].lower() for word in b.words[first_b:last_b]]
    if forms_a == forms_b:
        yield from zip(range(int(first_a), int(last_a)), range(int(first_b), int(last_b)), strict=True)
        return
    if len(forms_a) * len(forms_b) > MOST_COMBINATIONS:
        place = system.place(int(b.words[first_b])) if forms_b else gold.place(int(a.words[first_a]))
        raise AlignmentError(
            f"{place}: multiword tokens cover {max(len(forms_a), len(forms_b)):,} words in one piece, too many to be "
            "matched by their forms. Is that one token?"
        )
    longest = np.zeros((len(forms_a) + 1, len(forms_b) + 1), dtype=np.int32)
    there = np.array(forms_b, dtype=object)
    for i in range(len(forms_a) - 1, -1, -1):
        row = np.where(there == forms_a[i], longest[i + 1, 1:] + 1, longest[i + 1, :-1])
        # What is found further on can be found from here too.
        longest[i, :-1] = np.maximum.accumulate(row[::-1])[::-1]
    i = j = 0
    while i < len(forms_a) and j < len(forms_b):
        if forms_a[i] == forms_b[j]:
            yield int(first_a) + i, int(first_b) + j
            i, j = i + 1, j + 1
        elif longest[i + 1, j] >= longest[i, j + 1]:
            i += 1
        else:
            j += 1
