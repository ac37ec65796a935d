"""Which words of a corpus a token expression matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.arrays import NONE
from assay.corpus import Column, Corpus
from assay.tasks.tags.tagsets import Tag
from assay.tasks.tags.tagsets.kinds import Feats
from assay.tasks.tags.weights.attributes import CATEGORY, FORM, LEMMA, TAG, Attributes
from assay.tasks.tags.weights.cqp import All, Expression, Not, Repeat, Test, compiled, plain
from assay.tasks.tags.weights.inputs import analyses, lemmas
from assay.tasks.tags.weights.table import POS


class UntestableError(Exception):
    """An expression about something that the corpus does not have."""


class Matcher:
    """A corpus as its distinct words (form, lemma, tag), against which expressions are tried."""

    def __init__(self, corpus: Corpus, tags: Column, attributes: Attributes) -> None:
        self.attributes = attributes
        self.analyses: list[tuple[Tag, ...]] = [analyses(attributes.tagset, tag) for tag in tags.vocabulary]
        lemma = lemmas(corpus)
        columns = {FORM: corpus.forms, TAG: tags, **({LEMMA: lemma} if lemma else {})}
        stacked = np.stack([column.codes for column in columns.values()])
        distinct, word, self._sizes = np.unique(stacked, axis=1, return_inverse=True, return_counts=True)
        self._word = word.ravel()
        """The distinct word that each word of the corpus is."""
        self._tags = tags.codes
        self._starts = corpus.starts
        self._codes = dict(zip(columns, distinct, strict=True))
        self._vocabulary = {name: column.vocabulary for name, column in columns.items()}
        self._known: dict[Test, Any] = {}

    def matched(self, expression: Expression) -> Counter[int]:
        """How many words with each tag, by the tag's code, match the expression."""
        hit = self._hits(expression)
        sizes = np.bincount(self._codes[TAG][hit], self._sizes[hit], minlength=len(self.analyses))
        return Counter({code: int(sizes[code]) for code in np.flatnonzero(sizes).tolist()})

    def matched_in_sequence(self, expressions: Sequence[Expression], repeats: Sequence[Repeat]) -> list[Counter[int]]:
        """For each expression the tags of the words that it matches where the whole sequence matches.

        The sequence is tried at every word of every sentence, and each expression takes as many words as leave a
        match for those after it. From the last expression to the first: where does it end if it begins here?
        """
        # The places of words, with one more at the end of each sentence, which fits nothing.
        place = np.arange(len(self._word)) + np.repeat(np.arange(len(self._starts) - 1), np.diff(self._starts))
        number = len(self._word) + len(self._starts) - 1
        every = np.arange(number)
        possible = np.ones(number, dtype=bool)
        ends = []
        for expression, (low, high) in zip(reversed(expressions), reversed(repeats), strict=True):
            fits = np.zeros(number, dtype=bool)
            fits[place] = self._hits(expression)[self._word]
            furthest = np.minimum.accumulate(np.where(fits, number, every)[::-1])[::-1]
            if high is not None:
                furthest = np.minimum(furthest, every + min(high, number))
            # The last place up to there from which the rest matches.
            end = np.maximum.accumulate(np.where(possible, every, NONE))[furthest]
            possible = end >= every + min(low, number)
            ends.append(end)
        begin, found = np.flatnonzero(possible), []
        for end in reversed(ends):
            taken = np.cumsum(
                np.bincount(begin, minlength=number + 1) - np.bincount(end[begin], minlength=number + 1)
            )
            counts = np.bincount(self._tags, taken[place], minlength=len(self.analyses))
            found.append(Counter({code: int(counts[code]) for code in np.flatnonzero(counts).tolist()}))
            begin = end[begin]
        return found

    def has(self, tag: int, category: str) -> bool:
        """Whether a tag has the category; each has a part of speech."""
        return category == POS or any(category in dict(found.values) for found in self.analyses[tag])

    def _hits(self, expression: Expression) -> Any:
        if isinstance(expression, Test):
            if expression not in self._known:
                self._known[expression] = self._tested(expression)
            return self._known[expression]
        if isinstance(expression, Not):
            return ~self._hits(expression.of)
        parts = [self._hits(part) for part in expression.of]
        if isinstance(expression, All):
            return np.logical_and.reduce(parts) if parts else np.ones(len(self._sizes), dtype=bool)
        return np.logical_or.reduce(parts)

    def _tested(self, test: Test) -> Any:
        kind, category = self.attributes.meaning(test.attribute)
        column = TAG if kind == CATEGORY else kind
        if test.value is None or column not in self._codes:
            raise UntestableError(test.attribute)
        pattern = compiled(test)
        parts = test.operator in ("contains", "matches")

        def fits(text: str) -> bool:
            pieces = text.split("|") if parts else [text]
            return any(pattern.fullmatch(plain(piece, test.flags)) is not None for piece in pieces)

        if kind == CATEGORY:
            hits = [any(fits(value) for value in self._values(tag, category)) for tag in range(len(self.analyses))]
        else:
            hits = [fits(self._text(text, test.attribute)) for text in self._vocabulary[column]]
        return np.array(hits, dtype=bool)[self._codes[column]] ^ test.negated

    def _values(self, tag: int, category: str) -> list[str]:
        if category == POS:
            return [found.pos for found in self.analyses[tag]]
        return [value for found in self.analyses[tag] for name, value in found.values if name == category]

    def _text(self, text: str, attribute: str) -> str:
        if isinstance(self.attributes.tagset, Feats) and attribute.casefold() == "feats":
            return text.partition(" ")[2]
        return text
