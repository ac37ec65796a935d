"""Makes the benchmark's files: gold and two taggers in CoNLL-U and as word-tab-tag, and counts per sentence.

Everything follows from the seed, so every machine measures on the same text. Run: corpus.py FOLDER TOKENS UNITS
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

SEED = 20171
TYPES = 30_000
TAGS = [kind + form for kind in "NVAPDRCXMZ" for form in "NFIPS"]
_UNIVERSAL = ("NOUN", "VERB", "ADJ", "PRON", "DET", "ADV", "CCONJ", "X", "NUM", "PUNCT")
UPOS = dict(zip("NVAPDRCXMZ", _UNIVERSAL, strict=True))
RELATIONS = ("nsubj", "obj", "det", "case", "obl", "amod", "punct", "advmod", "conj", "cc", "mark", "nmod", "aux")
ERRORS = {"a": 0.08, "b": 0.06}
CHANGED = 0.5
"""The share of a's errors that b has too: two taggers often fail on the same word."""


@dataclass(frozen=True)
class Word:
    """One word of gold and the tags that the two systems give it."""

    form: str
    lemma: str
    gold: str
    a: str
    b: str
    head: int
    relation: str
    space: bool


def vocabulary(rng: random.Random) -> list[tuple[str, str, tuple[str, ...]]]:
    """Forms from frequent (short) to rare (long), each with its lemma and the tags it can have."""
    onsets = [*"bdfgklmnprstvz", "sch", "str"]
    syllables = [onset + vowel for onset in onsets for vowel in "aeiouä"]
    forms: dict[str, None] = {}
    while len(forms) < TYPES:
        longest = 1 + len(forms) * 6 // TYPES
        forms["".join(rng.choices(syllables, k=rng.randint(1, 1 + longest)))] = None
    ambiguity = ((1, 0.65), (2, 0.25), (3, 0.10))
    sizes = rng.choices([size for size, _ in ambiguity], [share for _, share in ambiguity], k=TYPES)
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(TAGS))))
    return [
        (form, form[:-1] or form, tuple(rng.choices(TAGS, cum_weights=weights, k=size)))
        for form, size in zip(forms, sizes, strict=True)
    ]


def sentences(rng: random.Random, tokens: int) -> list[list[Word]]:
    """Sentences of 16 words or so, drawn after Zipf, until there are enough words."""
    words = vocabulary(rng)
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(TYPES)))
    made: list[list[Word]] = []
    total = 0
    while total < tokens:
        length = min(80, max(2, round(rng.gammavariate(2.2, 7.3))))
        length = min(length, max(tokens - total, 1))
        drawn = rng.choices(words, cum_weights=weights, k=length)
        made.append([_word(rng, position, *entry) for position, entry in enumerate(drawn)])
        total += length
    return made


def _word(rng: random.Random, position: int, form: str, lemma: str, tags: tuple[str, ...]) -> Word:
    gold = rng.choice(tags)
    a = _mistake(rng, gold) if rng.random() < ERRORS["a"] else gold
    shared = a != gold and rng.random() < CHANGED
    # What b gets wrong beyond the errors it shares, such that its rate is as stated.
    own = (ERRORS["b"] - ERRORS["a"] * CHANGED) / (1 - ERRORS["a"] * CHANGED)
    b = a if shared else _mistake(rng, gold) if rng.random() < own else gold
    # Every word hangs on one of the few before it; the first is the root. So there are no cycles.
    head = rng.randint(max(1, position - 6), position) if position else 0
    return Word(form, lemma, gold, a, b, head, rng.choice(RELATIONS) if position else "root", rng.random() < 0.88)


def _mistake(rng: random.Random, tag: str) -> str:
    """Another tag, mostly one of the same kind."""
    same_kind = [other for other in TAGS if other[0] == tag[0] and other != tag]
    others = [other for other in TAGS if other != tag]
    return rng.choice(same_kind if rng.random() < 0.7 else others)


def conllu(corpus: list[list[Word]], system: str) -> str:
    """The corpus with one system's tags, in CoNLL-U."""
    parts: list[str] = []
    for number, sentence in enumerate(corpus):
        if number % 50 == 0:
            parts.append(f"# newdoc id = doc{number // 50}\n")
        text = "".join(word.form + " " * word.space for word in sentence).strip()
        parts.append(f"# sent_id = s{number}\n# text = {text}\n")
        parts.extend(_line(index, word, getattr(word, system)) for index, word in enumerate(sentence, 1))
        parts.append("\n")
    return "".join(parts)


def _line(index: int, word: Word, tag: str) -> str:
    features = f"Case={tag[1]}|Number=Sing" if tag[0] in "NAPD" else "_"
    misc = "_" if word.space else "SpaceAfter=No"
    cells = (word.form, word.lemma, UPOS[tag[0]], tag, features, word.head, word.relation)
    return f"{index}\t" + "\t".join(map(str, cells)) + f"\t{word.head}:{word.relation}\t{misc}\n"


def tsv(corpus: list[list[Word]], system: str) -> str:
    """The corpus with one system's tags: word, tab, tag."""
    parts = ["".join(f"{word.form}\t{getattr(word, system)}\n" for word in sentence) for sentence in corpus]
    return "\n".join(parts) + "\n"


def counts(rng: random.Random, units: int) -> str:
    """Spans right, in gold and found, of two systems in each sentence; the second finds a little more."""
    rows = ["right_a\tgold\tsystem_a\tright_b\tgold\tsystem_b\n"]
    for _ in range(units):
        gold = min(6, int(rng.expovariate(0.55)))
        cells = []
        for found, spurious in ((0.80, 0.14), (0.803, 0.14)):
            right = sum(rng.random() < found for _ in range(gold))
            missed_but_there = sum(rng.random() < 0.5 for _ in range(gold - right))
            cells += [right, gold, right + missed_but_there + (rng.random() < spurious)]
        rows.append("\t".join(map(str, cells)) + "\n")
    return "".join(rows)


def main() -> None:
    """Write all files into a folder."""
    folder, tokens, units = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    corpus = sentences(random.Random(SEED), tokens)
    for system in ("gold", "a", "b"):
        (folder / f"{system}.conllu").write_text(conllu(corpus, system), encoding="utf-8")
        (folder / f"{system}.tsv").write_text(tsv(corpus, system), encoding="utf-8")
    (folder / "counts.tsv").write_text(counts(random.Random(SEED), units), encoding="utf-8")
    (folder / "made").write_text(f"{tokens} {len(corpus)} {units}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
