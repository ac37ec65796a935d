"""Pair: gold and one system, and which of their words correspond."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from assay.align.characters import Text
from assay.arrays import NONE, Bools, Ints
from assay.chainpairs import ChainPair
from assay.corpus import KEPT, Column, Corpus, one_vocabulary
from assay.errors import UsageError, unknown
from assay.judgements import Judgements
from assay.spanpairs import SpanPair
from assay.tagsets.analysis import Analysis
from assay.tagsets.kinds import Tagset

if TYPE_CHECKING:
    from assay.weights import Weights

T = TypeVar("T")
_KNOWN = ("train", "lexicon")


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
    tagset: Tagset | None = None
    """How labels fall apart, where the user said so."""
    expand_optional: bool = False
    symmetric: bool = False
    """Neither side is gold: where one of them has no label, nothing is judged on either."""
    weights: Weights | None = None
    spans: SpanPair | None = None
    """Both sides' spans over one line of atoms, where spans are compared."""
    chains: ChainPair | None = None
    """Both sides' mentions, where chains are compared."""
    _judged: dict[str, Judgements] = field(default_factory=dict, init=False)
    _analysed: dict[str, Analysis] = field(default_factory=dict, init=False)
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

    def spanned(self) -> SpanPair:
        """The spans of both sides."""
        if self.spans is None:
            raise UsageError("this measure is about spans, but the files are compared as tags. Say --task spans")
        return self.spans

    def chained(self) -> ChainPair:
        """The mentions and chains of both sides."""
        if self.chains is None:
            raise UsageError("this measure is about chains of mentions. Say --task coreference")
        return self.chains

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

    def judge(self, column: str | None = None) -> Judgements:
        """Each word judged: gold's words in order, then the system's words that have no counterpart."""
        name = column or self.column
        if name not in self._judged:
            self._judged[name] = self._judge(name)
        return self._judged[name]

    def analysis(self, column: str | None = None, tagset: Tagset | None = None) -> Analysis:
        """The labels of both sides taken apart, by the run's tagset or by another."""
        name = column or self.column
        chosen = tagset or self.tagset
        if chosen is None:
            raise UsageError("this measure takes tags apart: say how with --tagset (assay tagset lists them).")
        if tagset is None and name in self._analysed:
            return self._analysed[name]
        labels, empty = self.judge(name).labels, self.system.empty or self.gold.empty
        found = Analysis.of(labels, chosen, expand_optional=self.expand_optional, empty=empty)
        return found if tagset else self._analysed.setdefault(name, found)

    def _judge(self, name: str) -> Judgements:
        vocabulary, (gold_codes, system_codes) = one_vocabulary(self.labels(name))
        missing = self.without_gold(name)
        # What stands where gold has no label cannot be judged, however it is cut.
        ours, theirs = self.left_open(name) if self.symmetric else (missing, missing[self.covering])
        kept = np.flatnonzero(~self.skipped[self.gold.sentence_of] & ~ours)
        assigned = np.full(len(self.gold), NONE, dtype=np.int32)
        assigned[self.gold_words] = system_codes[self.system_words]
        extra = (self.system_sentence >= 0) & ~theirs
        extra[self.system_words] = False
        spurious = np.flatnonzero(extra)
        nothing = np.full(len(spurious), NONE, dtype=np.int32)
        gold = np.concatenate([gold_codes[kept].astype(np.int32), nothing])
        system = np.concatenate([assigned[kept], system_codes[spurious].astype(np.int32)])
        judged = Judgements(
            sentence=np.concatenate([self.gold.sentence_of[kept], self.system_sentence[spurious]]),
            item=np.concatenate([kept, spurious]),
            gold=gold,
            system=system,
            right=gold == system,
            labels=vocabulary,
        )
        return self._counted(judged) if KEPT in self.gold.columns else judged

    def _counted(self, judged: Judgements) -> Judgements:
        """Words with labels that count: in recall those that gold labels so, in precision those of the system."""
        sides = []
        for corpus, words in zip((self.gold, self.system), self.words_of(judged), strict=True):
            sides.append(np.append(corpus.column(KEPT).isin([KEPT]), False)[words])
        return replace(judged, counted=(sides[0], sides[1])).one_sided(judged.right)

    def words_of(self, judgements: Judgements) -> tuple[Ints, Ints]:
        """The gold word and the system's word of each item, NONE where there is none."""
        counterpart = np.full(len(self.gold) + 1, NONE)
        counterpart[self.gold_words] = self.system_words
        has_gold = judgements.gold != NONE
        gold = np.where(has_gold, judgements.item, NONE)
        return gold, np.where(has_gold, counterpart[gold], judgements.item)

    def known(self, judgements: Judgements, source: str, wanted_by: str) -> tuple[Ints, tuple[str, ...]]:
        """Whether each item's word is in `--train` or `--lexicon`; in the first that was given, if none is named."""
        if source and source not in _KNOWN:
            raise unknown("source of words", source, _KNOWN)
        columns = self.gold.columns if self.gold.spans is None else self.gold.spans.columns
        given = [name for name in _KNOWN if name in columns]
        name = source or (given[0] if given else "train")
        if name not in given:
            raise UsageError(f"{wanted_by} needs the known words: give --{name} FILE.")
        return self.attribute(judgements, name)

    def attribute(self, judgements: Judgements, name: str) -> tuple[Ints, tuple[str, ...]]:
        """A column's value per item, from gold or, for a spurious item, from the system; as codes."""
        has_gold = judgements.has_gold
        if self.spans is None:
            columns = [self.gold.column(name), self.system.column(name)]
        else:
            columns = [self.spans.gold.column(name), self.spans.system.column(name)]
        vocabulary, (gold, system) = one_vocabulary(columns)
        values = np.empty(len(judgements), dtype=np.int64)
        values[has_gold] = gold[judgements.item[has_gold]]
        values[~has_gold] = system[judgements.item[~has_gold]]
        return values, vocabulary


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
