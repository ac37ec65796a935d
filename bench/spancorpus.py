"""Makes the spans that are benchmarked on: gold and one system, flat (CoNLL and span table) and nested (span table).

Everything follows from the seed, so every machine measures on the same spans. Run: spancorpus.py FOLDER TOKENS
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SEED = 20221
LABELS = ("PER", "LOC", "ORG", "GPE", "TIME", "NUM", "MONEY", "LAW", "WORK", "EVENT", "LANG")
SHARES = tuple(1 / (rank + 1.5) for rank in range(len(LABELS)))
GAP = 7.0
"""Words from one span to the next, on average."""
LONGER = 0.43
"""The chance of each further word of a span, of which there are at most 8."""
ERRORS = 0.10
SLIPS = {"label": 28, "left": 16, "right": 18, "label and edge": 11, "halves": 5, "lost": 22}
SPURIOUS = 0.011
"""Spans of the system that gold has nothing near to, for each span of gold."""


class Span(NamedTuple):
    """Words from begin to before end, counted from 0."""

    begin: int
    end: int
    label: str


class Sentence(NamedTuple):
    """A number of words and the spans over them."""

    words: int
    gold: list[Span]
    system: list[Span]


def corpus(tokens: int, *, nested: bool) -> Iterator[Sentence]:
    """Sentences of 22 words or so until there are enough words."""
    rng = random.Random(SEED + nested)
    while tokens > 0:
        words = min(tokens, 110, max(2, round(rng.gammavariate(2.6, 8.5))))
        tokens -= words
        gold = list(_layer(rng, words))
        if nested:
            gold = sorted({*gold, *_inner(rng, gold), *_outer(rng, gold)})
        yield Sentence(words, gold, _system(rng, words, gold, nested))


def unit(spans: int) -> Sentence:
    """One long flat sentence with this number of gold spans."""
    rng = random.Random(SEED)
    gold = list(_layer(rng, 20 * spans))[:spans]
    words = gold[-1].end + 5
    return Sentence(words, gold, _system(rng, words, gold, nested=False))


# --- gold ---


def _label(rng: random.Random, other_than: str = "") -> str:
    while (label := rng.choices(LABELS, SHARES)[0]) == other_than:
        pass
    return label


def _layer(rng: random.Random, words: int) -> Iterator[Span]:
    """Spans from left to right; some touch."""
    begin = int(rng.expovariate(1 / GAP))
    while begin < words:
        length = 1
        while length < 8 and rng.random() < LONGER:
            length += 1
        end = min(words, begin + length)
        yield Span(begin, end, _label(rng))
        begin = end + int(rng.expovariate(1 / GAP))


def _inner(rng: random.Random, spans: Iterable[Span]) -> Iterator[Span]:
    """A shorter span at one end of half of the spans that have room for it."""
    for begin, end, _ in spans:
        if end - begin > 1 and rng.random() < 0.5:
            cut = rng.randrange(begin + 1, end)
            yield Span(begin, cut, _label(rng)) if rng.random() < 0.5 else Span(cut, end, _label(rng))


def _outer(rng: random.Random, spans: Sequence[Span]) -> Iterator[Span]:
    """A span around two or three others in half of the sentences."""
    if len(spans) > 1 and rng.random() < 0.5:
        first = rng.randrange(len(spans) - 1)
        last = min(len(spans) - 1, first + rng.randint(1, 2))
        yield Span(spans[first].begin, spans[last].end, _label(rng))


# --- the system ---


def _system(rng: random.Random, words: int, gold: Sequence[Span], nested: bool) -> list[Span]:
    """Gold with slips. In a flat sentence a span grows into free words only, so that it stays flat."""
    found: list[Span] = []
    for number, span in enumerate(gold):
        low = 0 if nested or not found else found[-1].end
        high = words if nested or number + 1 == len(gold) else gold[number + 1].begin
        if rng.random() >= ERRORS:
            found.append(span)
        else:
            found += _slipped(rng, span, low, high)
        # Behind the span, at a distance that no slip bridges.
        reach = max(one.end for one in (span, *found[-1:])) + 2
        if rng.random() < SPURIOUS and reach + 2 < high:
            found.append(Span(reach, reach + 1, _label(rng)))
    return sorted(set(found))


def _slipped(rng: random.Random, span: Span, low: int, high: int) -> list[Span]:
    """What a system makes of a span that it gets wrong."""
    slip = rng.choices(tuple(SLIPS), tuple(SLIPS.values()))[0]
    begin, end, label = span
    if slip in ("label", "label and edge"):
        label = _label(rng, label)
    if slip == "lost":
        return []
    if slip == "halves" and end - begin > 1:
        middle = rng.randrange(begin + 1, end)
        return [Span(begin, middle, label), Span(middle, end, label)]
    if slip == "left":
        begin = _moved(rng, begin, -1, end - begin, begin > low)
    elif slip in ("right", "label and edge"):
        end = _moved(rng, end, 1, end - begin, end < high)
    return [Span(begin, end, label)]


def _moved(rng: random.Random, edge: int, outwards: int, length: int, room: bool) -> int:
    """An edge a word further out or in, wherever there is room."""
    if room and (length == 1 or rng.random() < 0.6):
        return edge + outwards
    return edge - outwards if length > 1 else edge


# --- files ---


def tags(words: int, spans: Iterable[Span]) -> list[str]:
    """Flat spans as IOB2 tags."""
    found = ["O"] * words
    for begin, end, label in spans:
        found[begin:end] = [f"B-{label}"] + [f"I-{label}"] * (end - begin - 1)
    return found


def conll(sentences: Iterable[tuple[int, Sequence[Span]]]) -> Iterator[str]:
    """Word, part of speech and tag in each line."""
    # A stream of its own, so that gold and system have the same words.
    rng = random.Random(SEED)
    for words, spans in sentences:
        yield from (f"word{int(30_000 * rng.random() ** 3)} X {tag}\n" for tag in tags(words, spans))
        yield "\n"


def table(sentences: Iterable[tuple[int, Sequence[Span]]]) -> Iterator[str]:
    """Label, first word, last word and all words of a span in each line, words counted from 1."""
    for _, spans in sentences:
        for begin, end, label in spans:
            yield f"{label}\t{begin + 1}\t{end}\t{', '.join(map(str, range(begin + 1, end + 1)))}\n"
        yield "\n" if spans else "EMPTY\t999\t999\t999\n\n"


def main() -> None:
    """Write all files into a folder."""
    folder, tokens = Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    flat, nested = list(corpus(tokens, nested=False)), list(corpus(tokens, nested=True))
    for file, write, sentences in (("conll", conll, flat), ("tsv", table, flat), ("nested.tsv", table, nested)):
        for name in ("gold", "system"):
            text = "".join(write((sentence.words, getattr(sentence, name)) for sentence in sentences))
            (folder / f"{name}.{file}").write_text(text, encoding="utf-8")
    (folder / "made").write_text(f"{tokens} {len(flat)} {len(nested)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
