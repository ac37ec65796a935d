"""Random texts cut in two ways, with multiword tokens on either side or both, as tokens and as trees in CoNLL-U."""

from __future__ import annotations

from random import Random

Token = tuple[str, tuple[str, ...]]
"""What stands in the text, and its words; a multiword token has two or more."""
Sentences = list[list[Token]]

_RELATIONS = ("nsubj", "obj", "obl:agent", "nmod", "aux", "aux:pass", "det", "case", "cc", "punct", "no-relation")
_TAGS = ("N", "V", "P")
_FEATURES = ("_", "Number=Sing", "Case=Nom|Number=Plur", "Number=Plur|Case=Nom", "Typo=Yes", "Gender[psor]=Fem")
_LEMMAS = ("x", "y", "_")


def two_cuts(rng: Random) -> tuple[Sentences, Sentences]:
    """One text as gold and as a system may cut it; at times with the same words in other multiword tokens."""
    text = "".join(rng.choices("abAb", k=rng.randint(2, 20)))
    shares = rng.choice(((0.0, 0.3), (0.3, 0.0), (0.3, 0.3), (0.1, 0.6), (0.0, 0.0)))
    gold, system = (_cut_into_sentences(rng, text, share) for share in shares)
    if rng.random() < 0.3:
        gold = [[(word, (word,)) for _, words in sentence for word in words] for sentence in gold]
        gold, system = ([_glued(rng, sentence) for sentence in gold] for _ in range(2))
    return gold, system


def _cut(rng: Random, text: str, longest: int) -> list[str]:
    pieces = []
    while text:
        length = rng.randint(1, longest)
        pieces.append(text[:length])
        text = text[length:]
    return pieces


def _cut_into_sentences(rng: Random, text: str, multiword: float) -> Sentences:
    sentences: Sentences = [[]]
    for piece in _cut(rng, text, rng.randint(1, 4)):
        if sentences[-1] and rng.random() < 0.25:
            sentences.append([])
        words: list[str] = [piece]
        if rng.random() < multiword:
            words = _cut(rng, piece, 2)
            if len(words) < 2 or rng.random() < 0.6:
                words = [rng.choice((piece, piece.upper(), "a", "ab", "B", "c")) for _ in range(rng.randint(2, 4))]
        sentences[-1].append((piece, tuple(words)))
    return sentences


def _glued(rng: Random, sentence: list[Token]) -> list[Token]:
    """Neighbouring words as multiword tokens, the first characters of which may go to the token before."""
    words = [word for _, inner in sentence for word in inner]
    tokens: list[Token] = []
    while words:
        inner = tuple(words[: rng.choice((1, 1, 2, 3))])
        words = words[len(inner) :]
        surface = "".join(inner)
        if tokens and len(inner) > 1 and len(tokens[-1][1]) > 1 and rng.random() < 0.5:
            before, theirs = tokens[-1]
            tokens[-1] = (before + surface[0], theirs)
            surface = surface[1:]
        tokens.append((surface, inner))
    return tokens


def as_conllu(rng: Random, sentences: Sentences) -> str:
    """The sentences with random trees, tags, features and lemmas."""
    lines = []
    for sentence in sentences:
        number, words = 0, sum(len(inner) for _, inner in sentence)
        order = rng.sample(range(1, words + 1), words)
        heads = {word: rng.choice(order[max(0, place - 3) : place] or [0]) for place, word in enumerate(order)}
        for surface, inner in sentence:
            if len(inner) > 1:
                lines.append(f"{number + 1}-{number + len(inner)}\t{surface}" + 8 * "\t_")
            for word in inner:
                number += 1
                relation = rng.choice(_RELATIONS) if heads[number] else "root"
                cells = (word, rng.choice(_LEMMAS), rng.choice(_TAGS), rng.choice(_TAGS), rng.choice(_FEATURES))
                lines.append("\t".join([str(number), *cells, str(heads[number]), relation, "_", "_"]))
        lines.append("")
    return "\n".join(lines) + "\n"
