"""Makes the trees that are benchmarked on: gold and two parsers in CoNLL-U, gold and one parser as Penn brackets.

Everything follows from the seed, so every machine measures on the same trees. Run: treecorpus.py FOLDER TOKENS
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

from corpus import TAGS, TYPES, UPOS, vocabulary

SEED = 20121
WEIGHT = {"VERB": 9.0, "NOUN": 4.0, "ADJ": 1.5, "PRON": 1.0, "NUM": 1.0, "ADV": 0.6}
"""How readily a word becomes a head; the others hardly do."""
RELATIONS = {
    "NOUN": ("nsubj", "obj", "obl", "nmod", "nmod:poss", "compound", "conj", "appos", "nsubj:pass"),
    "VERB": ("advcl", "acl", "acl:relcl", "ccomp", "xcomp", "conj", "parataxis"),
    "ADJ": ("amod", "xcomp", "conj"),
    "PRON": ("nsubj", "obj", "iobj", "expl"),
    "DET": ("det",),
    "ADV": ("advmod", "discourse"),
    "CCONJ": ("cc",),
    "X": ("case", "case", "mark", "aux", "cop", "aux:pass", "flat"),
    "NUM": ("nummod", "obl:tmod"),
    "PUNCT": ("punct",),
}
PHRASES = {"VERB": "S", "NOUN": "NP", "PRON": "NP", "NUM": "NP", "ADJ": "ADJP", "ADV": "ADVP"}
ARGUMENTS = ("nsubj", "obj", "iobj", "obl", "nsubj:pass")
CROSSING = 0.06
"""The share of sentences in which a word is moved, mostly across other arcs."""
SLIPS = {"a": 0.16, "b": 0.13}
"""The share of words that a parser would hang elsewhere; some stay, for there is no other place."""
STRAY = 0.005
"""The share of slips to anywhere in the sentence."""
SHARED = 0.5
"""The share of a's slips that b has too."""
LABELS, TAGGED, LEMMAS = 0.05, 0.04, 0.02
"""The shares of words with another relation, tag and lemma than gold."""
BRACKETS = 0.16
"""The share of constituents that the constituency parser gets wrong."""


@dataclass(frozen=True)
class Word:
    """A line of CoNLL-U; heads are counted from 1, 0 is the root."""

    form: str
    lemma: str
    tag: str
    head: int
    relation: str
    space: bool


class Node(NamedTuple):
    """A constituent, or a word: then there is the number of the word in place of children."""

    label: str
    function: str
    children: tuple[Node, ...] | int


class Sentence(NamedTuple):
    """Dependencies of gold and two parsers, and constituents of gold and one parser."""

    gold: list[Word]
    a: list[Word]
    b: list[Word]
    tree: Node
    parsed: Node


def sentences(tokens: int) -> Iterator[Sentence]:
    """Sentences of 17 words or so until there are enough words."""
    rng = random.Random(SEED)
    words = vocabulary(rng)
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(TYPES)))
    while tokens > 0:
        length = min(80, max(2, round(rng.gammavariate(2.2, 7.8))))
        tokens -= length
        drawn = rng.choices(words, cum_weights=weights, k=length)
        projective = _with_heads(rng, [_word(rng, *entry) for entry in drawn])
        tree = _phrase(projective, _dependents(projective), _root(projective))
        gold = _moved(rng, projective) if rng.random() < CROSSING else projective
        a, b = _parsers(rng, gold)
        yield Sentence(gold, a, b, tree, _reparsed(rng, tree, a))


def _word(rng: random.Random, form: str, lemma: str, tags: tuple[str, ...]) -> Word:
    return Word(form, lemma, rng.choice(tags), 0, "root", rng.random() < 0.88)


def _kind(word: Word) -> str:
    return UPOS[word.tag[0]]


# --- dependencies ---


def _with_heads(rng: random.Random, words: list[Word]) -> list[Word]:
    """A random projective tree: a head, and on both sides stretches with heads of their own."""
    heads = [0] * len(words)

    def build(begin: int, end: int) -> int:
        weights = [WEIGHT.get(_kind(word), 0.05) for word in words[begin:end]]
        head = begin + rng.choices(range(end - begin), weights)[0]
        for first, last in ((begin, head), (head + 1, end)):
            at = first
            while at < last:
                size = min(last - at, 1 + int(rng.expovariate(0.4)))
                heads[build(at, at + size)] = head + 1
                at += size
        return head

    build(0, len(words))
    return [
        replace(word, head=head, relation=rng.choice(RELATIONS[_kind(word)]) if head else "root")
        for word, head in zip(words, heads, strict=True)
    ]


def _root(words: Sequence[Word]) -> int:
    return next(index for index, word in enumerate(words) if not word.head)


def _dependents(words: Sequence[Word]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in words]
    for index, word in enumerate(words):
        if word.head:
            found[word.head - 1].append(index)
    return found


def _rehung(words: list[Word], index: int, head: int) -> None:
    """Hang a word under another head, unless it is the root or a circle would arise."""
    above = head
    while above and above != index + 1:
        above = words[above - 1].head
    if words[index].head and head and not above:
        words[index] = replace(words[index], head=head)


def _moved(rng: random.Random, words: list[Word]) -> list[Word]:
    moved = list(words)
    _rehung(moved, rng.randrange(len(words)), rng.randint(1, len(words)))
    return moved


def _parsers(rng: random.Random, gold: list[Word]) -> tuple[list[Word], list[Word]]:
    """Two parsers' outputs; many slips are the same, the rest of what they say is their own."""
    slips: dict[str, list[tuple[int, int]]] = {"a": [], "b": []}
    dependents = _dependents(gold)
    own = (SLIPS["b"] - SLIPS["a"] * SHARED) / (1 - SLIPS["a"] * SHARED)
    for index in range(len(gold)):
        if rng.random() < SLIPS["a"]:
            slips["a"].append((index, _other_head(rng, gold, dependents, index)))
            if rng.random() < SHARED:
                slips["b"].append(slips["a"][-1])
        elif rng.random() < own:
            slips["b"].append((index, _other_head(rng, gold, dependents, index)))
    outputs = []
    for found in slips.values():
        words = [_read_otherwise(rng, word) for word in gold]
        for index, head in found:
            _rehung(words, index, head)
        outputs.append(words)
    return outputs[0], outputs[1]


def _other_head(rng: random.Random, words: Sequence[Word], dependents: Sequence[Sequence[int]], index: int) -> int:
    """A neighbour under the same head, or the head's head: neither crosses arcs where no other slip is near."""
    head = words[index].head
    if not head or rng.random() < STRAY:
        return rng.randint(1, len(words))
    siblings = [other for other in dependents[head - 1] if (other < head - 1) == (index < head - 1)]
    place = siblings.index(index)
    choices = [other + 1 for other in (*siblings[max(0, place - 1) : place], *siblings[place + 1 : place + 2])]
    if index in (dependents[head - 1][0], dependents[head - 1][-1]):
        choices.append(words[head - 1].head)
    return rng.choice(choices) if choices else 0


def _read_otherwise(rng: random.Random, word: Word) -> Word:
    """The word with a parser's own relation, tag and lemma, mostly those of gold."""
    tag = rng.choice(TAGS) if rng.random() < TAGGED else word.tag
    lemma = word.form if rng.random() < LEMMAS else word.lemma
    relation = _other_relation(rng, word) if word.head else word.relation
    return replace(word, tag=tag, lemma=lemma, relation=relation)


def _other_relation(rng: random.Random, word: Word) -> str:
    return rng.choice(RELATIONS[rng.choice(tuple(RELATIONS))]) if rng.random() < LABELS else word.relation


# --- constituents ---


def _phrase(words: Sequence[Word], dependents: Sequence[Sequence[int]], head: int) -> Node:
    """What a word and its dependents make; nothing is over one and the same stretch twice but an NP over a noun."""
    word = words[head]
    if not dependents[head]:
        leaf = Node(word.tag.lower(), word.relation, head)
        return Node("NP", word.relation, (leaf,)) if word.relation in ARGUMENTS else leaf
    left = [_phrase(words, dependents, index) for index in dependents[head] if index < head]
    right = [_phrase(words, dependents, index) for index in dependents[head] if index > head]
    core = (Node(word.tag.lower(), "hd", head), *right)
    label = PHRASES.get(_kind(word), "FRAG")
    if left and label == "S" and right:
        return Node("S", word.relation, (*left, Node("VP", "", core)))
    if left and label == "NP" and left[0].function == "case":
        return Node("PP", word.relation, (left[0], Node("NP", "", (*left[1:], *core))))
    return Node(label, word.relation, (*left, *core))


def _reparsed(rng: random.Random, tree: Node, words: Sequence[Word]) -> Node:
    """A parser's tree: constituents lost, added and named otherwise, with its own tags and functions."""

    def copied(node: Node) -> Node:
        function = rng.choice(ARGUMENTS) if node.function and rng.random() < LABELS else node.function
        if isinstance(node.children, int):
            return Node(words[node.children].tag.lower(), function, node.children)
        children: list[Node] = []
        for child in map(copied, node.children):
            lost = not isinstance(child.children, int) and rng.random() < BRACKETS / 2
            children += child.children if lost and not isinstance(child.children, int) else (child,)
        label = node.label
        if rng.random() < BRACKETS / 4:
            label = rng.choice([other for other in ("NP", "VP", "PP", "ADJP", "FRAG") if other != label])
        _exchange(rng, children)
        if len(children) > 2 and rng.random() < BRACKETS / 2:
            first = rng.randrange(len(children) - 1)
            children[first : first + 2] = [Node("VP", "", tuple(children[first : first + 2]))]
        return Node(label, function, tuple(children))

    return copied(tree)


def _exchange(rng: random.Random, children: list[Node]) -> None:
    """Sometimes the last part of a constituent goes to the one behind it, so that brackets cross."""
    for place, (first, second) in enumerate(pairwise(children)):
        ours, theirs = first.children, second.children
        if isinstance(ours, int) or isinstance(theirs, int) or len(ours) < 3 or rng.random() >= BRACKETS / 2:
            continue
        children[place : place + 2] = [
            first._replace(children=ours[:-1]),
            second._replace(children=(ours[-1], *theirs)),
        ]
        return


# --- files ---


def conllu(corpus: Sequence[Sentence], side: str) -> Iterator[str]:
    """The dependencies of one side."""
    for number, sentence in enumerate(corpus):
        words: list[Word] = getattr(sentence, side)
        if number % 50 == 0:
            yield f"# newdoc id = doc{number // 50}\n"
        yield f"# sent_id = s{number}\n"
        yield f"# text = {''.join(word.form + ' ' * word.space for word in words).strip()}\n"
        yield from (_line(index, word) for index, word in enumerate(words, 1))
        yield "\n"


def _line(index: int, word: Word) -> str:
    features = f"Case={word.tag[1]}|Number=Sing|Style=Arch" if word.tag[0] in "NAPD" else "_"
    cells = (word.form, word.lemma, _kind(word), word.tag, features, word.head, word.relation, "_")
    return f"{index}\t" + "\t".join(map(str, cells)) + ("\t_\n" if word.space else "\tSpaceAfter=No\n")


def brackets(corpus: Sequence[Sentence], side: str, *, functions: bool) -> Iterator[str]:
    """The constituents of one side, a tree in each line."""

    def text(node: Node, words: Sequence[Word]) -> str:
        label = f"{node.label}-{node.function}" if functions and node.function else node.label
        inner = (
            words[node.children].form
            if isinstance(node.children, int)
            else " ".join(text(child, words) for child in node.children)
        )
        return f"({label} {inner})"

    return (text(getattr(sentence, side), sentence.gold) + "\n" for sentence in corpus)


def main() -> None:
    """Write all files into a folder."""
    folder, tokens = Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    corpus = list(sentences(tokens))
    files = {f"{side}.conllu": conllu(corpus, side) for side in ("gold", "a", "b")}
    for name, side in (("gold", "tree"), ("system", "parsed")):
        files[f"{name}.ptb"] = brackets(corpus, side, functions=False)
        files[f"{name}.functions.ptb"] = brackets(corpus, side, functions=True)
    for name, lines in files.items():
        (folder / name).write_text("".join(lines), encoding="utf-8")
    (folder / "made").write_text(f"{sum(len(one.gold) for one in corpus)} {len(corpus)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
