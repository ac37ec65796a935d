"""Each word its most frequent tag; a new word the most frequent tag of its longest known ending."""

from __future__ import annotations

from collections import Counter
from typing import Any

from assay.demo.taggers import Sentence, run_tagger

LONGEST = 4


def count_best_tags(corpus: list[Sentence]) -> dict[str, dict[str, str]]:
    """The most frequent tag of every word and of every ending."""
    words: dict[str, Counter[str]] = {}
    endings: dict[str, Counter[str]] = {}
    for word, tag in (pair for sentence in corpus for pair in sentence):
        words.setdefault(word, Counter())[tag] += 1
        for ending in _endings(word):
            endings.setdefault(ending, Counter())[tag] += 1
    return {"words": _best(words), "endings": _best(endings)}


def look_up_tags(model: Any, words: list[str]) -> list[str]:
    """The tags of a sentence."""
    endings = model["endings"]
    return [
        model["words"].get(word) or next(endings[ending] for ending in _endings(word) if ending in endings)
        for word in words
    ]


def _endings(word: str) -> list[str]:
    """From the longest to none at all, with a mark for a capital, which says much of a word."""
    capital = "^" if word[0].isupper() else ""
    return [*(capital + word[-length:] for length in range(LONGEST, 0, -1)), capital, ""]


def _best(counts: dict[str, Counter[str]]) -> dict[str, str]:
    return {key: min(counter, key=lambda tag: (-counter[tag], tag)) for key, counter in counts.items()}


if __name__ == "__main__":
    run_tagger(__doc__ or "", count_best_tags, look_up_tags)
