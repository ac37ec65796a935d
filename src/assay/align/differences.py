"""Where the texts of gold and of a system differ, and what is said about it."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator

import numpy as np

from assay.align.characters import Text
from assay.corpus import Corpus

NORMALISE = "The texts differ in Unicode normalisation only. Bring both to NFC, e.g. with uconv -x nfc."
MULTIWORDS = (
    "The words are gold's, the text of their multiword tokens is not: is a line such as 3-4 missing? Tokens and "
    "sentences are told by characters. Leave these measures out, or such sentences: --on-mismatch skip"
)
Gap = tuple[tuple[int, int], tuple[int, int]]


def gaps_between(gold: Text, system: Text) -> Iterator[Gap]:
    """Stretches of sentences, gold's and the system's, whose characters differ; none is in two files of a folder."""
    ours, theirs = gold.sentences(), system.sentences()
    for (gold_first, gold_end), (system_first, system_end) in _files(gold.corpus, system.corpus):
        for (a, b), (c, d) in _unmatched(ours[gold_first:gold_end], theirs[system_first:system_end]):
            gold_range, system_range = (gold_first + a, gold_first + b), (system_first + c, system_first + d)
            if "".join(ours[slice(*gold_range)]) != "".join(theirs[slice(*system_range)]):
                yield gold_range, system_range


def _files(gold: Corpus, system: Corpus) -> Iterator[Gap]:
    """The sentences of each file of gold and of the system's that belongs to it; of all where that is not known."""
    sides = [[first for _, first in corpus.files] for corpus in (gold, system)]
    if not sides[0] or len(sides[0]) != len(sides[1]):
        sides = [[0], [0]]
    ranges = (
        itertools.pairwise([*firsts, corpus.sentences]) for firsts, corpus in zip(sides, (gold, system), strict=True)
    )
    yield from zip(*ranges, strict=True)


def _unmatched(ours: list[str], theirs: list[str]) -> Iterator[Gap]:
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


def gap_problem(gold: Text, system: Text, gap: Gap) -> str:
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
        word = gold.token(gold_word)
        return f"{gold.corpus.place(gold_word)}: {word!r} is missing in {system.corpus.name}"
    if gold_word is None:
        word = system.token(system_word)
        return f"{system.corpus.place(system_word)}: {word!r} is not in {gold.corpus.name}"
    return difference_at(gold, system, gold_word, system_word)


def _word_at(text: Text, first: int, end: int, position: int) -> int | None:
    starts = text.corpus.starts
    for word in range(int(starts[first]), int(starts[end])):
        position -= len(text.surface[word])
        if position < 0:
            return word
    return None


def difference_at(gold: Text, system: Text, gold_word: int, system_word: int) -> str:
    """Two words that should be the same, with their places."""
    return (
        f"{system.corpus.place(system_word)}: {system.token(system_word)!r} "
        f"where {gold.corpus.place(gold_word)} has {gold.token(gold_word)!r}"
    )


def same_normalised(ours: str, theirs: str) -> bool:
    """Whether two texts are the same once accents and their letters are written in one way."""
    return unicodedata.normalize("NFC", ours) == unicodedata.normalize("NFC", theirs)


def remedy_for(gold: Text, system: Text, on_mismatch: str, *, characters: bool) -> str:
    """What the user can do about texts that differ."""
    if same_normalised(gold.characters(), system.characters()):
        return NORMALISE
    if sorted(gold.sentences()) == sorted(system.sentences()):
        return "Both have the same sentences in another order. Bring them into gold's."
    if on_mismatch == "warn" and (characters or gold.corpus.texts is not None):
        what = "Tokens and sentences are told" if characters else "Spans are given"
        return f"{what} by characters, which differ, so they cannot be compared by position."
    if on_mismatch == "warn":
        return "Sentences have other numbers of words, so they cannot be compared by position. Try --on-mismatch skip"
    return "The texts differ. To score only the sentences they share: --on-mismatch skip"


def unequal_lengths(gold: Corpus, system: Corpus) -> str:
    """Where labels without words are not as many as gold's."""
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
