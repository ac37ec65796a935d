"""Pair: gold and one system, and which of their words correspond."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from assay.align.characters import Text
from assay.arrays import Bools, Ints
from assay.corpus import Column, Corpus

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Pair:
    """Gold and one system, and which of their words correspond."""

    gold: Corpus
    system: Corpus
    aligned_by: str
    """`words`, `characters` or `position`."""
    gold_words: Ints
    """The gold words that have a counterpart, in order …"""
    system_words: Ints
    """… and their counterparts."""
    system_sentence: Ints
    """The gold sentence of each system word, -1 where it was left out."""
    covering: Ints
    """The gold word that each system word's first character lies in."""
    skipped: Bools
    """The gold sentences that were left out because the texts differ."""
    problems: tuple[str, ...] = ()
    """The first places that differ, where the user wanted to go on all the same …"""
    number_of_problems: int = 0
    """… how many there are …"""
    normalisations: int = 0
    """… and how many of them differ in Unicode normalisation only."""
    apart: tuple[Bools, Bools] | None = None
    """Gold's sentences and the system's whose texts differ, so that they are on no common line of characters."""
    column: str = ""
    """The column compared where a measure names no other."""
    symmetric: bool = False
    """Neither side is gold: where one of them has no label, nothing is judged on either."""
    layers: Mapping[type, Any] = field(default_factory=dict)
    """What a task adds, by its type: both sides' spans, say, or how labels fall apart."""
    _kept: dict[str, Any] = field(default_factory=dict, init=False)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What is made of this pair under a name, made once."""
        if name not in self._kept:
            self._kept[name] = make()
        kept: T = self._kept[name]
        return kept

    @cached_property
    def texts(self) -> tuple[Text, Text]:
        """Both sides as characters."""
        return Text(self.gold), Text(self.system)

    def with_layer(self, layer: object) -> Pair:
        """The pair with what a task adds to it, in place of what there was of its type."""
        return replace(self, layers={**self.layers, type(layer): layer})

    def layer(self, kind: type[T]) -> T | None:
        """What a task added of this type; None where it did not."""
        return self.layers.get(kind)

    def labels(self, column: str | None = None) -> tuple[Column, Column]:
        """Gold's and the system's labels."""
        name = column or self.column
        gold, system = self.gold.column(name), self.system.column(name)
        if name == "FEATS":
            # A set of features: their order says nothing.
            return _sorted_features(gold), _sorted_features(system)
        return gold, system

    def same_sentences(self) -> Bools:
        """The gold sentences that the system has as one sentence with the same words."""
        if np.array_equal(self.gold.starts, self.system.starts) and self.aligned_by != "characters":
            return ~self.skipped
        taken = np.flatnonzero(self.system_sentence >= 0)
        pairs = np.unique(np.stack([self.system_sentence[taken], self.system.sentence_of[taken]]), axis=1)
        gold_cut = np.bincount(pairs[0], minlength=self.gold.sentences)
        system_cut = np.bincount(pairs[1], minlength=self.system.sentences)
        same = np.zeros(self.gold.sentences, dtype=bool)
        same[pairs[0]] = (gold_cut[pairs[0]] == 1) & (system_cut[pairs[1]] == 1)
        return same

    def without_gold(self, column: str | None = None) -> Bools:
        """Which gold words have no gold label; FEATS may be empty, and the lemma of the word `_` is `_`."""
        return _without_label(self.gold, column or self.column)

    def left_open(self, column: str | None = None) -> tuple[Bools, Bools]:
        """The words of either side that stand where one of the two has no label."""
        name = column or self.column
        ours, theirs = (_without_label(corpus, name) for corpus in (self.gold, self.system))
        if self.aligned_by != "characters":
            either = ours[self.gold_words] | theirs[self.system_words]
            ours[self.gold_words] = theirs[self.system_words] = either
            return ours, theirs
        taken = np.zeros(self.system.sentences, dtype=bool)
        taken[self.system.sentence_of[self.system_sentence >= 0]] = True
        sides = [text.spans(kept) for text, kept in zip(self.texts, (~self.skipped, taken), strict=True)]
        edges = np.zeros(max(int(side.end.max(initial=0)) for side in sides) + 1, dtype=np.int64)
        for side, missing in zip(sides, (ours, theirs), strict=True):
            np.add.at(edges, side.begin[missing[side.words]], 1)
            np.add.at(edges, side.end[missing[side.words]], -1)
        before = np.concatenate([[0], np.cumsum(np.cumsum(edges) > 0)])
        for side, missing in zip(sides, (ours, theirs), strict=True):
            missing[side.words] |= before[side.end] > before[side.begin]
        return ours, theirs


def _without_label(corpus: Corpus, name: str) -> Bools:
    """Which words have no label; FEATS may be empty, and the lemma of the word `_` is `_`."""
    empty = corpus.empty
    if empty is None or name == "FEATS":
        return np.zeros(len(corpus), dtype=bool)
    if "+" in name:
        # Columns taken together: the first is the one that must not be empty.
        labels = corpus.column(name)
        return labels.isin(label for label in labels.vocabulary if label.split(" ")[0] == empty)
    missing = corpus.column(name).isin([empty])
    return missing & ~corpus.forms.isin([empty]) if name.upper() == "LEMMA" else missing


def _sorted_features(column: Column) -> Column:
    return column.mapped({text: "|".join(sorted(text.split("|"))) for text in column.vocabulary if "|" in text})
