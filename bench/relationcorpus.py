"""Makes the relations that are benchmarked on: gold and one system, spans and relations in the JSON of DyGIE.

Everything follows from the seed, so that every machine measures on the same relations.
Run: relationcorpus.py FOLDER TOKENS
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

SEED = 20203
TYPES = ("PER", "ORG", "LOC", "WORK", "EVENT", "THING")
LABELS = tuple(f"{name}-{kind}" for name in ("part", "role", "place", "time", "cause") for kind in ("of", "in", "by"))
SENTENCES = 25
"""Sentences of a document."""
LOST, MOVED, RETYPED, RELABELLED, TURNED, SPURIOUS = 0.10, 0.08, 0.04, 0.06, 0.01, 0.12
"""Shares of gold's relations and spans in which the system goes wrong, and of relations that it adds."""

Span = tuple[int, int, str]
Relation = tuple[int, int, str]
"""Two spans by their numbers, and a label."""


def sentence(rng: random.Random) -> tuple[int, tuple[list[Span], list[Relation]], tuple[list[Span], list[Relation]]]:
    """The number of words, and spans and relations of gold and of the system; some 2 relations in 22 words."""
    words = min(80, max(6, round(rng.gammavariate(2.6, 8.5))))
    spans: list[Span] = []
    place = rng.randrange(4)
    while place < words:
        end = min(words, place + 1 + min(7, int(rng.expovariate(0.8))))
        spans.append((place, end, rng.choice(TYPES)))
        if end - place > 2 and rng.random() < 0.15:
            spans.append((place, place + 1, rng.choice(TYPES)))
        place = end + rng.randrange(1, 9)
    number = min(len(spans) * 2, round(rng.gammavariate(2.0, 1.35))) if len(spans) > 1 else 0
    ends = (rng.sample(range(len(spans)), 2) for _ in range(number))
    gold = sorted({(one, other, rng.choice(LABELS)) for one, other in ends})
    theirs: list[Span] = []
    for begin, end, kind in spans:
        moved = end + rng.choice((-1, 1)) if rng.random() < MOVED else end
        last = min(words, max(begin + 1, moved))
        theirs.append((begin, last, rng.choice(TYPES) if rng.random() < RETYPED else kind))
    system: list[Relation] = []
    for one, other, label in gold:
        if rng.random() < LOST:
            continue
        name = rng.choice(LABELS) if rng.random() < RELABELLED else label
        system.append((other, one, name) if rng.random() < TURNED else (one, other, name))
    while len(spans) > 1 and rng.random() < SPURIOUS * 2:
        one, other = rng.sample(range(len(spans)), 2)
        system.append((one, other, rng.choice(LABELS)))
    return words, (spans, gold), (theirs, system)


def document(number: int, rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A document of gold and of the system; places count over the document, the last word included."""
    sides: tuple[dict[str, Any], ...] = tuple(
        {"doc_key": f"d{number}", "sentences": [], "ner": [], "relations": []} for _ in range(2)
    )
    before = 0
    for _ in range(SENTENCES):
        words, *both = sentence(rng)
        text = [f"w{rng.randrange(20_000)}" for _ in range(words)]
        for side, (spans, relations) in zip(sides, both, strict=True):
            places = [(before + begin, before + end - 1, kind) for begin, end, kind in spans]
            side["sentences"].append(text)
            side["ner"].append(sorted(set(places)))
            ends = [(*places[one][:2], *places[other][:2], label) for one, other, label in relations]
            side["relations"].append(ends)
        before += words
    return sides[0], sides[1]


def main(folder: Path, tokens: int) -> None:
    """Write gold and system."""
    folder.mkdir(parents=True, exist_ok=True)
    rng, number = random.Random(SEED), 0
    with open(folder / "gold.jsonl", "w", encoding="utf-8") as gold, open(folder / "system.jsonl", "w") as system:
        while tokens > 0:
            ours, theirs = document(number, rng)
            tokens -= sum(map(len, ours["sentences"]))
            number += 1
            print(json.dumps(ours), file=gold)
            print(json.dumps(theirs), file=system)
    (folder / "made").touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
