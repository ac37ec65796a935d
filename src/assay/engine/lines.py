"""Both sides on one line of words or characters: their spans, and how they are cut."""

from __future__ import annotations

import numpy as np

from assay.align import Pair, Text, WordPlaces, gap_problem, gaps_between
from assay.arrays import Bools, Ints
from assay.corpus import Spans
from assay.engine.spanpairs import Line, SpanPair
from assay.errors import AlignmentError


def with_spans(pair: Pair, *, characters: bool, gold_errors: Spans | None = None) -> Pair:
    """The pair with both sides' spans over one line, of words or of characters."""
    if characters:
        _check_characters(pair)
    lines = [_line_of_characters(pair, side) for side in (0, 1)] if characters else _lines(pair)
    lines = [line.without(gone) for line, gone in zip(lines, _left_out(pair), strict=True)]
    atoms = "characters" if characters or pair.gold.texts is not None else "words"
    spans = SpanPair.of(pair.gold, lines[0], pair.system, lines[1], atoms, gold_errors)
    return pair.with_layer(spans)


def needs_characters(pair: Pair) -> bool:
    """True if gold and system have no atoms in common but the characters.

    White space is none of them, in texts either: a span that is broken at the end of a line is the same span.
    """
    return pair.aligned_by == "characters" or pair.gold.texts is not None or pair.system.texts is not None


def _check_characters(pair: Pair) -> None:
    """Refuse words that are compared one by one though their characters differ: they are on no common line."""
    gold, system = pair.texts
    if pair.apart is None and pair.gold.has_words and pair.system.has_words and pair.gold.texts is None:
        for gap in gaps_between(gold, system):
            raise AlignmentError(
                f"{gap_problem(gold, system, gap)}\n"
                "Spans are compared by characters, since some file has other tokens, and here characters differ."
            )


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
    """The line of all characters but white space, without the sentences whose texts differ."""
    corpus = (pair.gold, pair.system)[side]
    gone = _apart(pair)[side]
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


def _apart(pair: Pair) -> tuple[Bools, Bools]:
    """Gold's sentences and the system's whose texts differ."""
    if pair.apart is not None:
        return pair.apart
    return np.zeros(pair.gold.sentences, dtype=bool), np.zeros(pair.system.sentences, dtype=bool)


def _left_out(pair: Pair) -> tuple[Bools, Bools]:
    """Gold's sentences that take no part, and the system's, of which no word does."""
    taken = np.bincount(pair.system.sentence_of[pair.system_sentence >= 0], minlength=pair.system.sentences)
    return pair.skipped, np.asarray(taken == 0)


def _text_starts(texts: tuple[str, ...]) -> Ints:
    return np.cumsum([0, *(len(text) for text in texts)])


def segments(pair: Pair, level: str) -> tuple[Ints, Ints, Ints]:
    """The gold sentences of gold's tokens, words or sentences, of the system's, and of those that correspond."""
    if level == "words":
        gold = pair.gold.sentence_of[~pair.skipped[pair.gold.sentence_of]]
        system = pair.system_sentence[pair.system_sentence >= 0]
        return gold, system, pair.gold.sentence_of[pair.gold_words]
    ours, theirs = (_pieces(text, ~gone, level) for text, gone in zip(pair.texts, _apart(pair), strict=True))
    of_gold = pair.gold.sentence_of[ours.words]
    # A piece of the system belongs to the gold sentence of its first character.
    of_system = of_gold[np.searchsorted(ours.begin, theirs.begin, side="right") - 1]
    size = int(ours.end.max(initial=0)) + 1
    _, same, _ = np.intersect1d(ours.begin * size + ours.end, theirs.begin * size + theirs.end, return_indices=True)
    gold, system, both = (rows[~pair.skipped[rows]] for rows in (of_gold, of_system, of_gold[same]))
    return gold, system, both


def _pieces(text: Text, kept: Bools, level: str) -> WordPlaces:
    """Tokens (a multiword token is one) or sentences with the characters that they cover, by their first words."""
    spans = text.spans(kept)
    first = np.ones(len(spans.words), dtype=bool)
    if level == "tokens":
        first[1:] = ~(spans.multi[1:] & spans.multi[:-1] & (spans.begin[1:] == spans.begin[:-1]))
    else:
        sentence = text.corpus.sentence_of[spans.words]
        first[1:] = sentence[1:] != sentence[:-1]
    firsts = np.flatnonzero(first)
    lasts = np.append(firsts, len(first))[1:] - 1
    return WordPlaces(spans.words[firsts], spans.begin[firsts], spans.end[lasts], spans.multi[firsts])
