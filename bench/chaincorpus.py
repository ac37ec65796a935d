"""Makes the chains that are benchmarked on: a key and two responses like GUM's, and the same in long documents.

Everything follows from the seed, so every machine measures on the same chains. Run: chaincorpus.py FOLDER DOCUMENTS
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SEED = 20142
WORDS = 954
"""Words of a document, on average."""
GAP = 2.9
"""Words from one noun phrase to the next, on average."""
NESTED = 0.25
"""The chance that a phrase and the next one lie in a larger one."""
NEW = 0.55
"""The chance that a mention begins a chain; else it joins that of a mention before it."""
LOST, SPURIOUS, MOVED = 0.15, 0.1, 0.2
"""Shares of mentions that a response lacks, adds, and puts into another chain."""
JOINED = 20
ZEROS = 0.4
"""The share of pronouns that are empty nodes in CorefUD."""

Chains = dict[tuple[int, int], int]
"""The chain of each span, by first and last word."""


class Document(NamedTuple):
    """The lengths of the sentences, the tags of all words, and the chains of key and responses."""

    sentences: list[int]
    tags: list[str]
    sides: dict[str, Chains]


def documents(number: int) -> Iterator[Document]:
    """Documents of some fifty sentences."""
    rng = random.Random(SEED)
    for _ in range(number):
        sentences = list(_lengths(rng))
        spans = sorted(_spans(rng, sentences))
        key = _chained(rng, spans)
        tags = ["X"] * sum(sentences)
        for first, last in spans:
            tags[last] = rng.choices(("PRP", "PRP$", "NN"), (45, 12, 43))[0] if first == last else "NN"
        yield Document(sentences, tags, {"key": key, **{name: _response(rng, key, tags) for name in ("a", "b")}})


def _lengths(rng: random.Random) -> Iterator[int]:
    words = rng.randint(WORDS // 2, 3 * WORDS // 2)
    while words > 0:
        length = min(words, max(2, round(rng.gammavariate(2.6, 7.3))))
        words -= length
        yield length


def _spans(rng: random.Random, sentences: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Noun phrases of one to four words, some in larger ones; spans nest and never cross."""
    start = 0
    for length in sentences:
        phrases = []
        first = start + int(rng.expovariate(1 / GAP))
        while first < start + length:
            last = min(start + length - 1, first + rng.choices((0, 1, 2, 3), (45, 30, 15, 10))[0])
            phrases.append((first, last))
            first = last + 1 + int(rng.expovariate(1 / GAP))
        yield from phrases
        for one, other in zip(phrases[::2], phrases[1::2], strict=False):
            if rng.random() < 2 * NESTED:
                yield one[0], other[1]
        start += length


def _chained(rng: random.Random, spans: Sequence[tuple[int, int]]) -> Chains:
    chains: list[int] = []
    for _ in spans:
        chains.append(len(set(chains)) if not chains or rng.random() < NEW else rng.choice(chains))
    return dict(zip(spans, chains, strict=True))


def _response(rng: random.Random, key: Chains, tags: Sequence[str]) -> Chains:
    """The key with slips; spurious mentions are of one word, so that spans still nest."""
    found: Chains = {}
    numbers = sorted(set(key.values()))
    for span, chain in key.items():
        if rng.random() >= LOST:
            # A chain of its own, or that of another mention.
            moved = len(numbers) + len(found) if rng.random() < 0.5 else rng.choice(numbers)
            found[span] = moved if rng.random() < MOVED else chain
    for _ in range(round(SPURIOUS * len(key))):
        word = rng.randrange(len(tags))
        if (word, word) not in key:
            found[word, word] = 10 * len(key) + len(found) if rng.random() < 0.5 else rng.choice(numbers)
    return found


# --- files ---


def joined(parts: Sequence[Document]) -> Document:
    """Several documents as one; their chains stay apart."""
    sides: dict[str, Chains] = {name: {} for name in parts[0].sides}
    start = 0
    for number, part in enumerate(parts):
        for name, chains in part.sides.items():
            sides[name].update(
                {(first + start, last + start): number * 1_000_000 + chain for (first, last), chain in chains.items()}
            )
        start += len(part.tags)
    return Document(
        [length for part in parts for length in part.sentences], [tag for part in parts for tag in part.tags], sides
    )


def conll(texts: Sequence[Document], side: str) -> Iterator[str]:
    """CoNLL-2012, with the columns that matter."""
    for number, text in enumerate(texts):
        cells = _cells(text.sides[side])
        yield f"#begin document (doc{number}); part 000\n"
        word = 0
        for length in text.sentences:
            for place in range(length):
                # A word depends on its place alone, so that all files have the same ones.
                form = f"word{(number * 7919 + word * 104729) % 20011}"
                yield f"doc{number}\t0\t{place}\t{form}\t{text.tags[word]}\t{cells.get(word, '-')}\n"
                word += 1
            yield "\n"
        yield "#end document\n"


def corefud(texts: Sequence[Document], side: str) -> Iterator[str]:
    """CorefUD, with heads; some pronouns are empty nodes, none with the parent of another or in a longer mention.

    Zeros with the same parent may get partners at other places, which the CorefUD scorer mixes up, and among zeros
    that depend on the same it takes any.
    """
    yield "# global.Entity = eid-etype-head-other\n"
    for number, text in enumerate(texts):
        rng = random.Random(number)
        zeros = {word for word, tag in enumerate(text.tags) if tag == "PRP" and rng.random() < ZEROS}
        zeros -= {last for first, last in text.sides["key"] if first < last}
        opened: dict[int, str] = {}
        closed: dict[int, str] = {}
        for (first, last), chain in sorted(text.sides[side].items(), key=lambda row: (row[0][0], -row[0][1])):
            bracket = f"(d{number}c{chain}-x-{last - first + 1}-"
            opened[first] = opened.get(first, "") + (f"{bracket})" if first == last else bracket)
            if first < last:
                closed[last] = f"d{number}c{chain})" + closed.get(last, "")
        yield f"# newdoc id = doc{number}\n"
        begin = 0
        for length in text.sentences:
            empty = zeros.intersection(range(begin, begin + length)) if length > 1 else set()
            empty -= {begin + length - 1, *(word + 1 for word in zeros)}
            place = node = 0
            for word in range(begin, begin + length):
                brackets = opened.get(word, "") + closed.get(word, "")
                misc = f"Entity={brackets}" if brackets else "_"
                if word in empty:
                    node += 1
                    yield f"{place}.{node}\t_\t_\tPRON\t_\t_\t_\t_\t{place + 1}:nsubj\t{misc}\n"
                else:
                    place, node = place + 1, 0
                    form, tag = f"word{(number * 7919 + word * 104729) % 20011}", text.tags[word]
                    tree = "0\troot\t0:root" if place == 1 else "1\tdep\t1:dep"
                    yield f"{place}\t{form}\t_\t{'NOUN' if tag == 'NN' else tag}\t_\t_\t{tree}\t{misc}\n"
            yield "\n"
            begin += length


def _cells(chains: Chains) -> dict[int, str]:
    """The brackets at each word: larger mentions open first and close last."""
    opened: dict[int, list[str]] = {}
    closed: dict[int, list[str]] = {}
    for (first, last), chain in sorted(chains.items(), key=lambda row: (row[0][0], -row[0][1])):
        if first == last:
            opened.setdefault(first, []).append(f"({chain})")
        else:
            opened.setdefault(first, []).append(f"({chain}")
            closed.setdefault(last, []).insert(0, f"{chain})")
    return {word: "|".join((*opened.get(word, ()), *closed.get(word, ()))) for word in {*opened, *closed}}


def main() -> None:
    """Write all files into a folder."""
    folder, number = Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    texts = list(documents(number))
    long = [joined(texts[first : first + JOINED]) for first in range(0, number, JOINED)]
    for name in ("key", "a", "b"):
        (folder / f"{name}.conll").write_text("".join(conll(texts, name)), encoding="utf-8")
        (folder / f"{name}.conllu").write_text("".join(corefud(texts, name)), encoding="utf-8")
        (folder / f"{name}.joined.conll").write_text("".join(conll(long, name)), encoding="utf-8")
    words, mentions = (sum(sizes) for sizes in zip(*((len(t.tags), len(t.sides["key"])) for t in texts), strict=True))
    (folder / "made").write_text(f"{number} {words} {mentions}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
