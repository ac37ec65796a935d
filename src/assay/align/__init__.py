"""Gold and one system, aligned: by words where these and their multiword tokens are equal, else by characters.

By characters, as in the evaluation of the CoNLL 2018 shared task: white space is left out, and then both
sides must be the same string. A word corresponds to the word of the other side that covers exactly the same
characters. Words within a multiword token have no characters of their own; so in each stretch that multiword
tokens of either side cover, the words that lie in it as a whole are matched by the longest common subsequence of
their lower-cased forms; a word that lies in it in part corresponds to none. A system word belongs to the gold
sentence of its first character. Where characters differ though words are equal (a file without multiword tokens),
words are compared one by one, unless a measure compares characters.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.align.characters import Text, corresponding
from assay.align.differences import (
    MULTIWORDS,
    NORMALISE,
    difference_at,
    gap_problem,
    gaps_between,
    remedy_for,
    same_normalised,
    unequal_lengths,
)
from assay.align.pair import Pair
from assay.arrays import Bools
from assay.corpus import Corpus, one_vocabulary
from assay.errors import MOST_PROBLEMS, AlignmentError, listed

__all__ = ["MISMATCH", "Pair", "align"]

MISMATCH = ("error", "skip", "warn")


def align(
    gold: Corpus,
    system: Corpus,
    *,
    column: str = "",
    on_mismatch: str = "error",
    characters: bool = False,
    shard: bool = False,
) -> Pair:
    """Align a system's words with gold's; `on_mismatch` says what happens where the texts differ.

    `characters`: these are compared too, and so must agree even where all words do. Of a shard all sentences may be
    left out: others may have some.
    """
    if not (gold.has_words and system.has_words):
        return _without_words(gold, system, column)
    _, (gold_codes, system_codes) = one_vocabulary([gold.forms, system.forms])
    same_words = np.array_equal(gold_codes, system_codes)
    if same_words and gold.multiwords == system.multiwords:
        return _one_to_one(gold, system, "words", column)
    gold_text, system_text = Text(gold), Text(system)
    if gold_text.characters() == system_text.characters():
        nothing = (np.zeros(corpus.sentences, dtype=bool) for corpus in (gold, system))
        pair = _by_characters(gold_text, system_text, column, *nothing)
        return replace(pair, aligned_by="words") if same_words and len(pair.gold_words) == len(gold) else pair
    if same_words and not characters:
        return _one_to_one(gold, system, "words", column)
    same_cut = np.array_equal(gold.starts, system.starts)
    if on_mismatch == "warn" and same_cut and gold.texts is None and not characters:
        different = np.flatnonzero(gold_codes != system_codes)
        problems = [difference_at(gold_text, system_text, int(word), int(word)) for word in different[:MOST_PROBLEMS]]
        pair = _one_to_one(gold, system, "position", column)
        return replace(pair, problems=tuple(problems), number_of_problems=len(different))
    return _around_differences(
        gold_text, system_text, column, on_mismatch, characters=characters, shard=shard, same_words=same_words
    )


def _one_to_one(gold: Corpus, system: Corpus, aligned_by: str, column: str) -> Pair:
    words = np.arange(len(gold))
    nothing = np.zeros(gold.sentences, dtype=bool)
    return Pair(gold, system, aligned_by, words, words, gold.sentence_of, words, nothing, column=column)


def _without_words(gold: Corpus, system: Corpus, column: str) -> Pair:
    """Labels by their places, or spans by their sentences."""
    from_tags = bool(gold.columns and system.columns)
    if gold.spans is not None and gold.sentences == system.sentences and not from_tags:
        return _by_sentences(gold, system)
    if not np.array_equal(gold.starts, system.starts):
        raise AlignmentError(unequal_lengths(gold, system))
    return _one_to_one(gold, system, "position", column)


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


def _by_characters(gold: Text, system: Text, column: str, skipped: Bools, system_skipped: Bools) -> Pair:
    a, b = gold.spans(~skipped), system.spans(~system_skipped)
    aligned_a, aligned_b = corresponding(gold, a, system, b)
    sentence = np.full(len(system.corpus), -1, dtype=np.int64)
    # The last gold word that begins at or before a system word's first character is in its sentence.
    before = np.searchsorted(a.begin, b.begin, side="right") - 1
    sentence[b.words] = gold.corpus.sentence_of[a.words[before]]
    covering = np.zeros(len(system.corpus), dtype=np.int64)
    covering[b.words] = a.words[before]
    one_to_one = len(aligned_a) == len(a.words) == len(b.words)
    return Pair(
        gold=gold.corpus,
        system=system.corpus,
        # Where only whole sentences differ and were left out, the words of the others are the same.
        aligned_by="words" if one_to_one and bool(skipped.any()) else "characters",
        gold_words=a.words[aligned_a],
        system_words=b.words[aligned_b],
        system_sentence=sentence,
        covering=covering,
        skipped=skipped,
        column=column,
        apart=(skipped, system_skipped),
    )


def _around_differences(
    gold: Text, system: Text, column: str, on_mismatch: str, *, characters: bool, shard: bool, same_words: bool
) -> Pair:
    """Leave out the gold sentences whose text the system does not have, or say what differs."""
    gaps = list(gaps_between(gold, system))
    problems = [gap_problem(gold, system, gap) for gap in gaps[:MOST_PROBLEMS]]
    if on_mismatch != "skip":
        remedy = MULTIWORDS if same_words else remedy_for(gold, system, on_mismatch, characters=characters)
        raise AlignmentError("\n".join([*listed(problems, len(gaps)), remedy]))
    skipped = np.zeros(gold.corpus.sentences, dtype=bool)
    system_skipped = np.zeros(system.corpus.sentences, dtype=bool)
    for (gold_first, gold_end), (system_first, system_end) in gaps:
        skipped[gold_first:gold_end] = True
        system_skipped[system_first:system_end] = True
    if skipped.all() and not shard:
        none = f"no sentence is shared by {gold.corpus.name} and {system.corpus.name}."
        remedy = f" {NORMALISE}" if same_normalised(gold.characters(), system.characters()) else ""
        raise AlignmentError(f"{problems[0]}\n{none}{remedy}")
    pair = _by_characters(gold, system, column, skipped, system_skipped)
    same = sum(same_normalised(gold.characters(*ours), system.characters(*theirs)) for ours, theirs in gaps)
    return replace(pair, problems=tuple(problems), number_of_problems=len(gaps), normalisations=same)
