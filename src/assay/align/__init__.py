"""Gold and one system, aligned: by words if these and their multiword tokens are equal, otherwise by characters.

By characters, as in the evaluation of the CoNLL 2018 shared task: white space is left out, and then both
sides must be the same string. A word corresponds to the word of the other side that covers exactly the same
characters. Words within a multiword token have no characters of their own; so in each stretch that multiword
tokens of either side cover, the words that lie in it as a whole are matched by the longest common subsequence of
their lower-cased forms; a word that lies in it in part corresponds to none. A system word belongs to the gold
sentence of its first character. If characters differ though words are equal (a file without multiword tokens),
words are compared one by one, unless a measure compares characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from assay.arrays import Bools, Ints
from assay.classes import dataclass
from assay.corpus import Column, Corpus, Marks, one_vocabulary
from assay.errors import MOST_PROBLEMS, AlignmentError, list_problems

MISMATCH = ("error", "skip", "warn")
MOST_COMBINATIONS = 1 << 24
"""The most pairs of words that are tried in one piece of text: 4,096 words on each side."""
_NORMALISE = "The texts differ only in Unicode normalisation. Convert both to NFC, e.g. with uconv -x nfc."
_MULTIWORDS = (
    "The words are the same as in gold, but the text of their multiword tokens is not. Is a line such as 3-4 "
    "missing? Tokens and sentences are compared by characters. Leave these measures out, or leave such sentences "
    "out: --on-mismatch skip"
)
_FEW = 5
"""In fewer sentences than these, no share shows that two files are about different texts."""
Gap = tuple[tuple[int, int], tuple[int, int]]
T = TypeVar("T")


# --- a corpus as characters ---


@dataclass(frozen=True, eq=False)
class WordPlaces:
    """Words, the characters that each covers, and whether it is in a multiword token."""

    words: Ints
    begin: Ints
    end: Ints
    multi: Bools


@dataclass(frozen=True, eq=False)
class Text:
    """A corpus as characters without white space; the words inside a multiword token share its characters."""

    corpus: Corpus

    @cached_property
    def surface(self) -> list[str]:
        """Each word's characters; a multiword token's are with its first word."""
        bare = ["".join(form.split()) for form in self.corpus.forms.vocabulary]
        surface = list(map(bare.__getitem__, self.corpus.forms.codes.tolist()))
        for token in self.corpus.multiwords:
            surface[token.first : token.end] = ["".join(token.form.split())] + [""] * (token.end - token.first - 1)
        return surface

    def token(self, word: int) -> str:
        """The word in the text: the multiword token that begins with it, if there is one."""
        return next((token.form for token in self.corpus.multiwords if token.first == word), self.corpus.forms[word])

    def characters(self, first: int = 0, end: int | None = None) -> str:
        """The characters of the sentences from `first` to `end`."""
        starts = self.corpus.starts
        return "".join(self.surface[int(starts[first]) : int(starts[-1 if end is None else end])])

    def sentences(self) -> list[str]:
        """The characters of each sentence."""
        return ["".join(self.surface[first:end]) for first, end in pairwise(self.corpus.starts.tolist())]

    def spans(self, kept: Bools) -> WordPlaces:
        """The characters that each word of the kept sentences covers."""
        words = np.flatnonzero(kept[self.corpus.sentence_of])
        forms = self.corpus.forms
        lengths = np.array([len("".join(form.split())) for form in forms.vocabulary], dtype=np.int64)[forms.codes]
        for token in self.corpus.multiwords:
            lengths[token.first : token.end] = 0
            lengths[token.first] = len("".join(token.form.split()))
        end = np.cumsum(lengths[words])
        begin = end - lengths[words]
        place = np.full(len(self.corpus) + 1, -1, dtype=np.int64)
        place[words] = np.arange(len(words))
        multi = np.zeros(len(words), dtype=bool)
        for token in self.corpus.multiwords:
            if place[token.first] >= 0:
                inside = slice(int(place[token.first]), int(place[token.end - 1]) + 1)
                begin[inside], end[inside], multi[inside] = begin[inside.start], end[inside.start], True
        return WordPlaces(words, begin, end, multi)


# --- pairs ---


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
    """The gold sentence of each system word, -1 if it was left out."""
    covering: Ints
    """The gold word that each system word's first character lies in."""
    skipped: Bools
    """The gold sentences that were left out because the texts differ."""
    problems: tuple[str, ...] = ()
    """The first places that differ, if the user wanted to go on …"""
    number_of_problems: int = 0
    """… how many there are …"""
    normalisations: int = 0
    """… and how many of them differ in Unicode normalisation only."""
    apart: tuple[Bools, Bools] | None = None
    """Gold's sentences and the system's whose texts differ, so that they are on no common line of characters."""
    column: str = ""
    """The column compared if a measure names no other."""
    symmetric: bool = False
    """True if neither side is gold: words that one of them does not label are not judged."""
    marks: Mapping[str, tuple[Marks, Marks]] = field(default_factory=dict)
    """Marks of both sides by layer: labels in one vocabulary, arguments by the numbers in this pair."""
    layers: Mapping[type, Any] = field(default_factory=dict)
    """Layers that a task adds, by type: the spans of both sides, or labels split into their parts."""
    _kept: dict[str, Any] = field(default_factory=dict, init=False)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """The thing made of this pair under a name, made once."""
        if name not in self._kept:
            self._kept[name] = make()
        kept: T = self._kept[name]
        return kept

    @cached_property
    def texts(self) -> tuple[Text, Text]:
        """Both sides as characters."""
        return Text(self.gold), Text(self.system)

    def with_marks(self, **layers: tuple[Marks, Marks]) -> Pair:
        """The pair with layers of marks of both sides, in place of those with their names."""
        return replace(self, marks={**self.marks, **layers})

    def with_layer(self, layer: object) -> Pair:
        """The pair with what a task adds to it, in place of what there was of its type."""
        return replace(self, layers={**self.layers, type(layer): layer})

    def layer(self, kind: type[T]) -> T | None:
        """The layer of this type that a task added, or None."""
        return self.layers.get(kind)

    def labels(self, column: str | None = None) -> tuple[Column, Column]:
        """Gold's and the system's labels; FEATS in alphabetical order, which says nothing."""
        name = column or self.column
        gold, system = self.gold.column(name), self.system.column(name)
        return (gold.sorted_within("|"), system.sorted_within("|")) if name == "FEATS" else (gold, system)

    def same_sentences(self) -> Bools:
        """Mask of the gold sentences that the system has as one sentence with the same words."""
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
        """Mask of the gold words without a label."""
        return self.gold.unlabelled(column or self.column)

    def left_open(self, column: str | None = None) -> tuple[Bools, Bools]:
        """Masks of gold's and the system's words that one of the two does not label."""
        gold, system = (corpus.unlabelled(column or self.column) for corpus in (self.gold, self.system))
        if self.aligned_by != "characters":
            gold[self.gold_words] = system[self.system_words] = gold[self.gold_words] | system[self.system_words]
            return gold, system
        taken = np.zeros(self.system.sentences, dtype=bool)
        taken[self.system.sentence_of[self.system_sentence >= 0]] = True
        sides = [(self.texts[0].spans(~self.skipped), gold), (self.texts[1].spans(taken), system)]
        edges = np.zeros(max(int(places.end.max(initial=0)) for places, _ in sides) + 1, dtype=np.int64)
        for places, missing in sides:
            np.add.at(edges, places.begin[missing[places.words]], 1)
            np.add.at(edges, places.end[missing[places.words]], -1)
        before = np.concatenate([[0], np.cumsum(np.cumsum(edges) > 0)])
        for places, missing in sides:
            missing[places.words] |= before[places.end] > before[places.begin]
        return gold, system


def align(
    gold: Corpus,
    system: Corpus,
    *,
    column: str = "",
    on_mismatch: str = "error",
    characters: bool = False,
    shard: bool = False,
) -> Pair:
    """Align a system's words with gold's; `on_mismatch` says what happens if the texts differ.

    `characters`: these are compared too, and so must agree even if all words do. All sentences of a shard may be left
    out, because other shards may have some.
    """
    if not (gold.has_words and system.has_words):
        return _without_words(gold, system, column)
    _, (gold_codes, system_codes) = one_vocabulary([gold.forms, system.forms])
    same_words = np.array_equal(gold_codes, system_codes)
    if same_words and gold.multiwords == system.multiwords:
        return _one_to_one(gold, system, "words", column)
    text, other = Text(gold), Text(system)
    skipped, system_skipped = np.zeros(gold.sentences, dtype=bool), np.zeros(system.sentences, dtype=bool)
    if text.characters() == other.characters():
        pair = _by_characters(text, other, column, skipped, system_skipped)
        return replace(pair, aligned_by="words") if same_words and len(pair.gold_words) == len(gold) else pair
    if same_words and not characters:
        return _one_to_one(gold, system, "words", column)
    by_position = on_mismatch == "warn" and gold.texts is None and not characters
    if by_position and np.array_equal(gold.starts, system.starts):
        different = np.flatnonzero(gold_codes != system_codes)
        problems = [_difference(text, other, int(word), int(word)) for word in different[:MOST_PROBLEMS]]
        pair = _one_to_one(gold, system, "position", column)
        return replace(pair, problems=tuple(problems), number_of_problems=len(different))
    gaps = list(gaps_between(text, other))
    problems = [gap_problem(text, other, gap) for gap in gaps[:MOST_PROBLEMS]]
    if on_mismatch != "skip":
        remedy = "The texts differ. To score only the sentences they share: --on-mismatch skip"
        if same_words:
            remedy = _MULTIWORDS
        elif _same_normalised(text.characters(), other.characters()):
            remedy = _NORMALISE
        elif sorted(text.sentences()) == sorted(other.sentences()):
            remedy = "Both have the same sentences in a different order. Sort them as in gold."
        elif on_mismatch == "warn" and (characters or gold.texts is not None):
            what = "Tokens and sentences are compared" if characters else "Spans are given"
            remedy = f"{what} by characters, which differ, so they cannot be compared by position."
        elif on_mismatch == "warn":
            remedy = (
                "Sentences have different numbers of words, so they cannot be compared by position. Try "
                "--on-mismatch skip"
            )
        elif gold.sentences >= _FEW and not shard:
            shared = gold.sentences - sum(here[1] - here[0] for here, _ in gaps)
            agree = f"{f'{shared:,}' if shared else 'none'} of gold's {gold.sentences:,} sentences agree"
            if 2 * shared < gold.sentences:
                skip = "; to score only those that agree: --on-mismatch skip" if shared else "."
                output = (
                    f"so the files do not seem to belong together. Give the system's output for {gold.name}{skip}"
                )
                if all(first == end for _, (first, end) in gaps):
                    output = f"and {system.name} has no others. Give its whole output{skip}"
                raise AlignmentError(f"{problems[0]}; {agree}, {output}")
            remedy = f"The texts differ ({agree}). To score only the sentences they share: --on-mismatch skip"
        raise AlignmentError("\n".join([*list_problems(problems, len(gaps)), remedy]))
    for here, there in gaps:
        skipped[slice(*here)] = system_skipped[slice(*there)] = True
    if skipped.all() and not shard:
        remedy = f" {_NORMALISE}" if _same_normalised(text.characters(), other.characters()) else ""
        raise AlignmentError(f"{problems[0]}\n{gold.name} and {system.name} have no sentence in common.{remedy}")
    pair = _by_characters(text, other, column, skipped, system_skipped)
    same = sum(_same_normalised(text.characters(*here), other.characters(*there)) for here, there in gaps)
    return replace(pair, problems=tuple(problems), number_of_problems=len(gaps), normalisations=same)


def _one_to_one(gold: Corpus, system: Corpus, aligned_by: str, column: str) -> Pair:
    words, nothing = gold.numbers, np.zeros(gold.sentences, dtype=bool)
    return Pair(gold, system, aligned_by, words, words, gold.sentence_of, words, nothing, column=column)


def _without_words(gold: Corpus, system: Corpus, column: str) -> Pair:
    """Spans by their sentences, or labels by their places, of which both sides have as many."""
    has_spans = "spans" in gold.marks
    if has_spans and gold.sentences == system.sentences and not (gold.columns and system.columns):
        # How many words a sentence has is not known, only which sentence is which.
        words = np.arange(len(gold)), np.arange(len(system))
        nothing, covering = np.zeros(gold.sentences, dtype=bool), np.zeros(len(system), dtype=np.int64)
        return Pair(gold, system, "position", *words, system.sentence_of, covering, nothing)
    if gold.sentences != system.sentences:
        remedy = "Give (word, label) pairs to have them aligned by their text."
        if has_spans:
            remedy = (
                "A sentence without spans needs a separate line (EMPTY TAB 999 TAB 999 TAB 999) or an empty list."
            )
        number = "1 sentence" if system.sentences == 1 else f"{system.sentences:,} sentences"
        raise AlignmentError(f"{system.name}: {number}, but {gold.name} has {gold.sentences:,}. {remedy}")
    lengths, expected = np.diff(system.starts), np.diff(gold.starts)
    if len(different := np.flatnonzero(lengths != expected)):
        first = int(different[0])
        raise AlignmentError(
            f"{system.name}, sentence {first + 1}: {lengths[first]} labels, but {gold.name} has {expected[first]}. "
            "Give (word, label) pairs to have them aligned by their text."
        )
    return _one_to_one(gold, system, "position", column)


# --- words that cover the same characters ---


def _by_characters(gold: Text, system: Text, column: str, skipped: Bools, system_skipped: Bools) -> Pair:
    a, b = gold.spans(~skipped), system.spans(~system_skipped)
    # The stretches of characters under multiword tokens of either side; those that overlap are made one.
    stretches = {
        (int(begin), int(end))
        for side in (a, b)
        for begin, end in zip(side.begin[side.multi], side.end[side.multi], strict=True)
    }
    regions: list[tuple[int, int]] = []
    for begin, end in sorted(stretches):
        if regions and begin < regions[-1][1]:
            regions[-1] = (regions[-1][0], max(regions[-1][1], end))
        else:
            regions.append((begin, end))
    plain_a, plain_b = _outside(a, regions), _outside(b, regions)
    size = int(a.end[-1]) + 1 if len(a.end) else 1
    _, here, there = np.intersect1d(
        a.begin[plain_a] * size + a.end[plain_a], b.begin[plain_b] * size + b.end[plain_b], return_indices=True
    )
    matched = [pair for region in regions for pair in _match_forms(gold.corpus, a, system.corpus, b, *region)]
    plain = np.stack([plain_a[here], plain_b[there]], axis=1)
    aligned = np.concatenate([plain, np.array(matched, dtype=np.int64).reshape(-1, 2)])
    aligned = aligned[np.argsort(aligned[:, 0], kind="stable")]
    # The last gold word that begins at or before a system word's first character is in its sentence.
    before = a.words[np.searchsorted(a.begin, b.begin, side="right") - 1]
    sentence = np.full(len(system.corpus), -1, dtype=np.int64)
    sentence[b.words] = gold.corpus.sentence_of[before]
    covering = np.zeros(len(system.corpus), dtype=np.int64)
    covering[b.words] = before
    one_to_one = len(aligned) == len(a.words) == len(b.words)
    # If only whole sentences differ and were left out, the words of the others are the same.
    by = "words" if one_to_one and bool(skipped.any()) else "characters"
    words, apart = (a.words[aligned[:, 0]], b.words[aligned[:, 1]]), (skipped, system_skipped)
    return Pair(gold.corpus, system.corpus, by, *words, sentence, covering, skipped, column=column, apart=apart)


def _outside(places: WordPlaces, regions: list[tuple[int, int]]) -> Ints:
    """The words that have characters and share none with a region."""
    touching = places.begin == places.end
    if regions:
        begins, ends = np.array(regions).T
        # The first region that ends after the word's beginning, which may begin after the word's end.
        region = np.searchsorted(ends, places.begin, side="right")
        touching |= np.append(begins, np.iinfo(np.int64).max)[region] < places.end
    return np.flatnonzero(~touching)


def _match_forms(
    gold: Corpus, a: WordPlaces, system: Corpus, b: WordPlaces, begin: int, end: int
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
            f"{place}: multiword tokens cover {max(len(forms_a), len(forms_b)):,} words in a row, too many to match "
            f"by their forms. Is that one token?"
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


# --- texts that differ ---


def gaps_between(gold: Text, system: Text) -> Iterator[Gap]:
    """Stretches of sentences, gold's and the system's, whose characters differ; none is in two files of a folder."""
    here, there = gold.sentences(), system.sentences()
    firsts = [[first for _, first in text.corpus.files] for text in (gold, system)]
    if not firsts[0] or len(firsts[0]) != len(firsts[1]):
        # It is not known which file belongs to which.
        firsts = [[0], [0]]
    files = zip(pairwise([*firsts[0], len(here)]), pairwise([*firsts[1], len(there)]), strict=True)
    for (first, end), (system_first, system_end) in files:
        for a, b, c, d in _unmatched(here[first:end], there[system_first:system_end]):
            gap = (first + a, first + b), (system_first + c, system_first + d)
            if "".join(here[slice(*gap[0])]) != "".join(there[slice(*gap[1])]):
                yield gap


def _unmatched(gold: list[str], system: list[str]) -> list[tuple[int, int, int, int]]:
    """First and end of stretches of sentences that differ, gold's and the system's."""
    if len(gold) == len(system):
        wrong = np.array([a != b for a, b in zip(gold, system, strict=True)])
        if wrong.sum() <= len(gold) // 2:
            # Neighbours go together: they may be the same text, only cut at another place.
            edges = np.flatnonzero(np.diff(np.concatenate([[False], wrong, [False]]).astype(np.int8)))
            return [(first, end, first, end) for first, end in edges.reshape(-1, 2).tolist()]
    import difflib

    matcher = difflib.SequenceMatcher(None, gold, system, autojunk=False)
    return [(a, b, c, d) for operation, a, b, c, d in matcher.get_opcodes() if operation != "equal"]


def gap_problem(gold: Text, system: Text, gap: Gap) -> str:
    """The first place in a gap at which gold and system differ, as a sentence."""
    here, there = gold.characters(*gap[0]), system.characters(*gap[1])
    same = next((i for i, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    gold_word, system_word = _word_at(gold, *gap[0], same), _word_at(system, *gap[1], same)
    if gold_word is not None and system_word is not None:
        return _difference(gold, system, gold_word, system_word)
    if gold_word is not None:
        return f"{gold.corpus.place(gold_word)}: {gold.token(gold_word)!r} is missing in {system.corpus.name}"
    if system_word is not None:
        return f"{system.corpus.place(system_word)}: {system.token(system_word)!r} is not in {gold.corpus.name}"
    return f"{system.corpus.name}: the text differs from {gold.corpus.name}"


def _word_at(text: Text, first: int, end: int, position: int) -> int | None:
    starts = text.corpus.starts
    for word in range(int(starts[first]), int(starts[end])):
        position -= len(text.surface[word])
        if position < 0:
            return word
    return None


def _difference(gold: Text, system: Text, gold_word: int, system_word: int) -> str:
    """Two words that should be the same, with their places."""
    return (
        f"{system.corpus.place(system_word)}: {system.token(system_word)!r}, "
        f"but {gold.corpus.place(gold_word)} has {gold.token(gold_word)!r}"
    )


def _same_normalised(gold: str, system: str) -> bool:
    return unicodedata.normalize("NFC", gold) == unicodedata.normalize("NFC", system)
