"""Gold and one system, aligned: by words where these are equal, else by characters.

By characters, as in the evaluation of the CoNLL 2018 shared task: white space is left out, and then both
sides must be the same string. A word corresponds to the word of the other side that covers exactly the same
characters. Words within a multiword token have no characters of their own; so in each stretch that multiword
tokens of either side cover, words are matched by the longest common subsequence of their lower-cased forms.
A system word belongs to the gold sentence of its first character.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.chainpairs import ChainPair
from assay.corpus import Column, Corpus, Spans, one_vocabulary
from assay.errors import AlignmentError, UsageError, unknown
from assay.judgements import Judgements
from assay.spanpairs import Line, SpanPair
from assay.tagsets.analysis import Analysis
from assay.tagsets.kinds import Tagset

if TYPE_CHECKING:
    from assay.weights import Weights

T = TypeVar("T")
MISMATCH = ("error", "skip", "warn")
MOST_PROBLEMS = 20
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
    """… and how many there are."""
    column: str = ""
    """The column compared where a measure names no other."""
    tagset: Tagset | None = None
    """How labels fall apart, where the user said so."""
    expand_optional: bool = False
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
    def texts(self) -> tuple[_Text, _Text]:
        """Both sides as characters."""
        return _Text(self.gold), _Text(self.system)

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
        if self.gold.sentences == self.system.sentences and self.aligned_by != "characters":
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
        name = column or self.column
        empty = self.gold.empty
        if empty is None or name == "FEATS":
            return np.zeros(len(self.gold), dtype=bool)
        if "+" in name:
            # Columns taken together: the first is the one that must not be empty.
            labels = self.gold.column(name)
            return labels.isin(label for label in labels.vocabulary if label.split(" ")[0] == empty)
        missing = self.gold.column(name).isin([empty])
        return missing & ~self.gold.forms.isin([empty]) if name.upper() == "LEMMA" else missing

    def judge(self, column: str | None = None) -> Judgements:
        """Each word judged: gold's words in order, then the system's words that have no counterpart."""
        name = column or self.column
        if name not in self._judged:
            self._judged[name] = self._judge(name)
        return self._judged[name]

    def analysis(self, column: str | None = None) -> Analysis:
        """The labels of both sides taken apart."""
        name = column or self.column
        if self.tagset is None:
            raise UsageError("this measure takes tags apart: say how with --tagset (assay tagset lists them).")
        if name not in self._analysed:
            labels = self.judge(name).labels
            empty = self.system.empty or self.gold.empty
            self._analysed[name] = Analysis.of(labels, self.tagset, expand_optional=self.expand_optional, empty=empty)
        return self._analysed[name]

    def _judge(self, name: str) -> Judgements:
        vocabulary, (gold_codes, system_codes) = one_vocabulary(self.labels(name))
        missing = self.without_gold(name)
        kept = np.flatnonzero(~self.skipped[self.gold.sentence_of] & ~missing)
        assigned = np.full(len(self.gold), NONE, dtype=np.int32)
        assigned[self.gold_words] = system_codes[self.system_words]
        # What stands where gold has no label cannot be judged, however it is cut.
        extra = (self.system_sentence >= 0) & ~missing[self.covering]
        extra[self.system_words] = False
        spurious = np.flatnonzero(extra)
        nothing = np.full(len(spurious), NONE, dtype=np.int32)
        gold = np.concatenate([gold_codes[kept].astype(np.int32), nothing])
        system = np.concatenate([assigned[kept], system_codes[spurious].astype(np.int32)])
        return Judgements(
            sentence=np.concatenate([self.gold.sentence_of[kept], self.system_sentence[spurious]]),
            item=np.concatenate([kept, spurious]),
            gold=gold,
            system=system,
            right=gold == system,
            labels=vocabulary,
        )

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


def _sorted_features(column: Column) -> Column:
    return column.mapped({text: "|".join(sorted(text.split("|"))) for text in column.vocabulary if "|" in text})


def align(gold: Corpus, system: Corpus, *, column: str = "", on_mismatch: str = "error") -> Pair:
    """Align a system's words with gold's; `on_mismatch` says what happens where the texts differ."""
    same_cut = np.array_equal(gold.starts, system.starts)
    if not (gold.has_words and system.has_words):
        from_tags = bool(gold.columns and system.columns)
        if gold.spans is not None and gold.sentences == system.sentences and not from_tags:
            return _by_sentences(gold, system)
        if same_cut:
            return _one_to_one(gold, system, "position", column)
        raise AlignmentError(_unequal_lengths(gold, system))
    _, (gold_codes, system_codes) = one_vocabulary([gold.forms, system.forms])
    if np.array_equal(gold_codes, system_codes):
        return _one_to_one(gold, system, "words", column)
    gold_text, system_text = _Text(gold), _Text(system)
    if gold_text.characters() == system_text.characters():
        return _by_characters(gold_text, system_text, column, np.zeros(gold.sentences, dtype=bool))
    if on_mismatch == "warn" and same_cut and gold.texts is None:
        different = np.flatnonzero(gold_codes != system_codes)
        problems = [_different(gold, system, int(word), int(word)) for word in different[:MOST_PROBLEMS]]
        pair = _one_to_one(gold, system, "position", column)
        return replace(pair, problems=tuple(problems), number_of_problems=len(different))
    return _around_differences(gold_text, system_text, column, on_mismatch)


def _one_to_one(gold: Corpus, system: Corpus, aligned_by: str, column: str) -> Pair:
    words = np.arange(len(gold))
    nothing = np.zeros(gold.sentences, dtype=bool)
    return Pair(gold, system, aligned_by, words, words, gold.sentence_of, words, nothing, column=column)


def _by_sentences(gold: Corpus, system: Corpus) -> Pair:
    """Spans without words: how many words a sentence has is not known, only which sentence is which."""
    return Pair(
        gold=gold,
        system=system,
        aligned_by="position",
        gold_words=np.arange(len(gold)),
        system_words=np.arange(len(system)),
        system_sentence=system.sentence_of,
        covering=np.zeros(len(system), dtype=np.int64),
        skipped=np.zeros(gold.sentences, dtype=bool),
    )


# --- by characters ---


@dataclass(frozen=True, eq=False)
class _Text:
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

    def characters(self, first: int = 0, end: int | None = None) -> str:
        """The characters of the sentences from `first` to `end`."""
        starts = self.corpus.starts
        return "".join(self.surface[int(starts[first]) : int(starts[-1 if end is None else end])])

    def sentences(self) -> list[str]:
        """The characters of each sentence."""
        cuts = self.corpus.starts.tolist()
        return ["".join(self.surface[a:b]) for a, b in itertools.pairwise(cuts)]

    def spans(self, kept: Bools) -> _Spans:
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
        return _Spans(words, begin, end, multi)


@dataclass(frozen=True, eq=False)
class _Spans:
    words: Ints
    begin: Ints
    end: Ints
    multi: Bools


def _by_characters(
    gold: _Text,
    system: _Text,
    column: str,
    skipped: Bools,
    system_skipped: Bools | None = None,
) -> Pair:
    if system_skipped is None:
        system_skipped = np.zeros(system.corpus.sentences, dtype=bool)
    a, b = gold.spans(~skipped), system.spans(~system_skipped)
    regions = _multiword_regions(a, b)
    plain_a, plain_b = _outside(a, regions), _outside(b, regions)
    size = int(a.end[-1]) + 1 if len(a.end) else 1
    _, here, there = np.intersect1d(
        a.begin[plain_a] * size + a.end[plain_a],
        b.begin[plain_b] * size + b.end[plain_b],
        return_indices=True,
    )
    pairs_a, pairs_b = [plain_a[here]], [plain_b[there]]
    for begin, end in regions:
        for i, j in _match_forms(gold.corpus, a, system.corpus, b, begin, end):
            pairs_a.append(np.array([i]))
            pairs_b.append(np.array([j]))
    aligned_a, aligned_b = np.concatenate(pairs_a), np.concatenate(pairs_b)
    order = np.argsort(aligned_a, kind="stable")
    sentence = np.full(len(system.corpus), -1, dtype=np.int64)
    # The last gold word that begins at or before a system word's first character is in its sentence.
    before = np.searchsorted(a.begin, b.begin, side="right") - 1
    sentence[b.words] = gold.corpus.sentence_of[a.words[before]]
    covering = np.zeros(len(system.corpus), dtype=np.int64)
    covering[b.words] = a.words[before]
    one_to_one = len(order) == len(a.words) == len(b.words)
    return Pair(
        gold=gold.corpus,
        system=system.corpus,
        # Where only whole sentences differ and were left out, the words of the others are the same.
        aligned_by="words" if one_to_one and bool(skipped.any()) else "characters",
        gold_words=a.words[aligned_a[order]],
        system_words=b.words[aligned_b[order]],
        system_sentence=sentence,
        covering=covering,
        skipped=skipped,
        column=column,
    )


def _multiword_regions(a: _Spans, b: _Spans) -> list[tuple[int, int]]:
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


def _outside(spans: _Spans, regions: list[tuple[int, int]]) -> Ints:
    """The words that begin in no region; a word without characters is in none and matches nothing."""
    inside = spans.begin == spans.end
    if regions:
        begins = np.array([begin for begin, _ in regions])
        ends = np.array([end for _, end in regions])
        region = np.searchsorted(begins, spans.begin, side="right") - 1
        inside |= (region >= 0) & (spans.begin < ends[region])
    return np.flatnonzero(~inside)


def _match_forms(
    gold: Corpus, a: _Spans, system: Corpus, b: _Spans, begin: int, end: int
) -> Iterator[tuple[int, int]]:
    """The longest common subsequence of lower-cased forms among the words that begin in a region."""
    first_a, last_a = np.searchsorted(a.begin, [begin, end])
    first_b, last_b = np.searchsorted(b.begin, [begin, end])
    forms_a = [gold.forms[int(word)].lower() for word in a.words[first_a:last_a]]
    forms_b = [system.forms[int(word)].lower() for word in b.words[first_b:last_b]]
    if forms_a == forms_b:
        yield from zip(range(int(first_a), int(last_a)), range(int(first_b), int(last_b)), strict=True)
        return
    longest = np.zeros((len(forms_a) + 1, len(forms_b) + 1), dtype=np.int64)
    for i in range(len(forms_a) - 1, -1, -1):
        for j in range(len(forms_b) - 1, -1, -1):
            best = max(longest[i + 1, j], longest[i, j + 1])
            longest[i, j] = longest[i + 1, j + 1] + 1 if forms_a[i] == forms_b[j] else best
    i = j = 0
    while i < len(forms_a) and j < len(forms_b):
        if forms_a[i] == forms_b[j]:
            yield int(first_a) + i, int(first_b) + j
            i, j = i + 1, j + 1
        elif longest[i + 1, j] >= longest[i, j + 1]:
            i += 1
        else:
            j += 1


# --- spans ---


def with_spans(pair: Pair, *, characters: bool, gold_errors: Spans | None = None) -> Pair:
    """The pair with both sides' spans over one line, of words or of characters."""
    lines = [_line_of_characters(pair, side) for side in (0, 1)] if characters else _lines(pair)
    lines = [line.without(gone) for line, gone in zip(lines, _left_out(pair), strict=True)]
    atoms = "characters" if characters or pair.gold.texts is not None else "words"
    spans = SpanPair.of(pair.gold, lines[0], pair.system, lines[1], atoms, gold_errors)
    return replace(pair, spans=spans)


def needs_characters(pair: Pair) -> bool:
    """Whether gold and system have no atoms in common but the characters.

    White space is none of them, in texts either: a span that is broken at the end of a line is the same span.
    """
    return pair.aligned_by == "characters" or pair.gold.texts is not None or pair.system.texts is not None


def _lines(pair: Pair) -> list[Line]:
    gold, system = pair.gold, pair.system
    if gold.texts is not None:
        return [Line.plain(_text_starts(gold.texts))] * 2
    if not (gold.has_words and system.has_words):
        lengths = np.maximum(np.diff(gold.starts), np.diff(system.starts))
        return [Line.plain(np.concatenate([[0], np.cumsum(lengths)]))] * 2
    if len(pair.gold_words) == len(gold) == len(system):
        return [Line.plain(gold.starts), Line.plain(system.starts)]
    lines = []
    for corpus, words in ((gold, pair.gold_words), (system, pair.system_words)):
        begin = np.full(len(corpus), -1, dtype=np.int64)
        begin[words] = pair.gold_words
        lines.append(Line(corpus.starts, begin, begin + 1))
    return lines


def _line_of_characters(pair: Pair, side: int) -> Line:
    """The line of all characters but white space, without the sentences that are left out."""
    corpus = (pair.gold, pair.system)[side]
    gone = _left_out(pair)[side]
    if corpus.texts is not None:
        solid = np.array(
            [not (skip or mark.isspace()) for text, skip in zip(corpus.texts, gone, strict=True) for mark in text],
            dtype=np.int64,
        )
        end = np.cumsum(solid)
        return Line(_text_starts(corpus.texts), end - solid, end)
    places = pair.texts[side].spans(~gone)
    begin, end = np.full(len(corpus), -1, dtype=np.int64), np.full(len(corpus), -1, dtype=np.int64)
    begin[places.words], end[places.words] = places.begin, places.end
    return Line(corpus.starts, begin, end)


def _left_out(pair: Pair) -> tuple[Bools, Bools]:
    """Gold's sentences that take no part, and the system's, of which no word does."""
    taken = np.bincount(pair.system.sentence_of[pair.system_sentence >= 0], minlength=pair.system.sentences)
    return pair.skipped, np.asarray(taken == 0)


def _text_starts(texts: tuple[str, ...]) -> Ints:
    return np.cumsum([0, *(len(text) for text in texts)])


# --- segmentation ---


def segments(pair: Pair, level: str) -> tuple[Ints, Ints, Ints]:
    """The gold sentences of gold's tokens, words or sentences, of the system's, and of those that correspond."""
    if level == "words":
        gold = pair.gold.sentence_of[~pair.skipped[pair.gold.sentence_of]]
        system = pair.system_sentence[pair.system_sentence >= 0]
        return gold, system, pair.gold.sentence_of[pair.gold_words]
    ours, theirs = (_pieces(text, ~gone, level) for text, gone in zip(pair.texts, _left_out(pair), strict=True))
    of_gold = pair.gold.sentence_of[ours.words]
    # A piece of the system belongs to the gold sentence of its first character.
    of_system = of_gold[np.searchsorted(ours.begin, theirs.begin, side="right") - 1]
    size = int(ours.end.max(initial=0)) + 1
    _, same, _ = np.intersect1d(ours.begin * size + ours.end, theirs.begin * size + theirs.end, return_indices=True)
    return of_gold, of_system, of_gold[same]


def _pieces(text: _Text, kept: Bools, level: str) -> _Spans:
    """Tokens (a multiword token is one) or sentences with the characters that they cover, by their first words."""
    spans = text.spans(kept)
    if level == "tokens":
        first = np.ones(len(spans.words), dtype=bool)
        first[1:] = ~(spans.multi[1:] & spans.multi[:-1] & (spans.begin[1:] == spans.begin[:-1]))
    else:
        sentence = text.corpus.sentence_of[spans.words]
        first = np.concatenate([[True], sentence[1:] != sentence[:-1]])
    firsts = np.flatnonzero(first)
    lasts = np.append(firsts[1:], len(first)) - 1
    return _Spans(spans.words[firsts], spans.begin[firsts], spans.end[lasts], spans.multi[firsts])


# --- where the texts differ ---


def _around_differences(gold: _Text, system: _Text, column: str, on_mismatch: str) -> Pair:
    """Leave out the gold sentences whose text the system does not have, or say what differs."""
    gaps = list(_gaps(gold, system))
    problems = [_gap_problem(gold, system, gap) for gap in gaps[:MOST_PROBLEMS]]
    if on_mismatch != "skip":
        remedy = _remedy(gold, system, on_mismatch)
        raise AlignmentError("\n".join([*problems, *_more(len(gaps)), remedy]))
    skipped = np.zeros(gold.corpus.sentences, dtype=bool)
    system_skipped = np.zeros(system.corpus.sentences, dtype=bool)
    for (gold_first, gold_end), (system_first, system_end) in gaps:
        skipped[gold_first:gold_end] = True
        system_skipped[system_first:system_end] = True
    if skipped.all():
        raise AlignmentError(f"{problems[0]}\nno sentence is shared by {gold.corpus.name} and {system.corpus.name}.")
    pair = _by_characters(gold, system, column, skipped, system_skipped)
    return replace(pair, problems=tuple(problems), number_of_problems=len(gaps))


_Gap = tuple[tuple[int, int], tuple[int, int]]


def _gaps(gold: _Text, system: _Text) -> Iterator[_Gap]:
    """Stretches of sentences, gold's and the system's, whose characters differ."""
    ours, theirs = gold.sentences(), system.sentences()
    for gold_range, system_range in _unmatched(ours, theirs):
        same = "".join(ours[slice(*gold_range)]) == "".join(theirs[slice(*system_range)])
        if not same:
            yield gold_range, system_range


def _unmatched(ours: list[str], theirs: list[str]) -> Iterator[_Gap]:
    if len(ours) == len(theirs):
        wrong = np.array([a != b for a, b in zip(ours, theirs, strict=True)])
        if wrong.sum() <= len(ours) // 2:
            # Neighbours go together: they may be the same text, only cut at another place.
            edges = np.flatnonzero(np.diff(np.concatenate([[False], wrong, [False]]).astype(np.int8)))
            for first, end in edges.reshape(-1, 2).tolist():
                yield (first, end), (first, end)
            return
    import difflib

    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    for operation, a, b, c, d in matcher.get_opcodes():
        if operation != "equal":
            yield (a, b), (c, d)


def _gap_problem(gold: _Text, system: _Text, gap: _Gap) -> str:
    """The first place in a gap where gold and system part."""
    (gold_first, gold_end), (system_first, system_end) = gap
    here, there = gold.characters(gold_first, gold_end), system.characters(system_first, system_end)
    same = next((i for i, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    gold_word = _word_at(gold, gold_first, gold_end, same)
    system_word = _word_at(system, system_first, system_end, same)
    if gold_word is None and system_word is None:
        return f"{system.corpus.name}: the text differs from {gold.corpus.name}"
    if system_word is None:
        assert gold_word is not None
        word = gold.corpus.forms[gold_word]
        return f"{gold.corpus.place(gold_word)}: {word!r} is missing in {system.corpus.name}"
    if gold_word is None:
        word = system.corpus.forms[system_word]
        return f"{system.corpus.place(system_word)}: {word!r} is not in {gold.corpus.name}"
    return _different(gold.corpus, system.corpus, gold_word, system_word)


def _word_at(text: _Text, first: int, end: int, position: int) -> int | None:
    starts = text.corpus.starts
    for word in range(int(starts[first]), int(starts[end])):
        position -= len(text.surface[word])
        if position < 0:
            return word
    return None


def _different(gold: Corpus, system: Corpus, gold_word: int, system_word: int) -> str:
    return (
        f"{system.place(system_word)}: {system.forms[system_word]!r} "
        f"where {gold.place(gold_word)} has {gold.forms[gold_word]!r}"
    )


def _more(problems: int) -> tuple[str, ...]:
    return (f"… and {problems - MOST_PROBLEMS:,} more places",) if problems > MOST_PROBLEMS else ()


def _remedy(gold: _Text, system: _Text, on_mismatch: str) -> str:
    if unicodedata.normalize("NFC", gold.characters()) == unicodedata.normalize("NFC", system.characters()):
        return "The texts differ in Unicode normalisation only. Bring both to NFC, e.g. with uconv -x nfc."
    if on_mismatch == "warn" and gold.corpus.texts is not None:
        return "Spans are given by characters, which differ, so they cannot be compared by position."
    if on_mismatch == "warn":
        return "Sentences have other numbers of words, so they cannot be compared by position. Try --on-mismatch skip"
    return "The texts differ. To score only the sentences they share: --on-mismatch skip"


def _unequal_lengths(gold: Corpus, system: Corpus) -> str:
    if gold.sentences != system.sentences:
        remedy = "Give (word, label) pairs to have them aligned by their text."
        if gold.spans is not None:
            remedy = (
                "A sentence without spans has a line of its own (EMPTY TAB 999 TAB 999 TAB 999) or an empty list."
            )
        number = "1 sentence" if system.sentences == 1 else f"{system.sentences:,} sentences"
        return f"{system.name}: {number} where {gold.name} has {gold.sentences:,}. {remedy}"
    lengths, expected = np.diff(system.starts), np.diff(gold.starts)
    first = int(np.flatnonzero(lengths != expected)[0])
    return (
        f"{system.name}, sentence {first + 1}: {lengths[first]} labels where {gold.name} has {expected[first]}. "
        "Give (word, label) pairs to have them aligned by their text."
    )
