"""Small annotated texts for hypothesis: gold and the outputs of systems, with tags, spans, trees or chains."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

Sentence = list[tuple[str, str]]
Text = list[Sentence]
"""One list of (word, label) pairs per sentence."""

WORDS = ("a", "b", "c", "dd", "é")
TRAINED = ("a", "dd", "é")
"""The words that count as seen in training; each of the others is unseen."""
LABELS = ("N", "V", "$,", "_", "∅", "N|V")
FOREIGN = (*LABELS, "X")
"""Systems use one label that gold never has."""
SPAN_LABELS = ("A", "B", "A-B")
FOREIGN_SPANS = (*SPAN_LABELS, "X")
RELATIONS = ("nsubj", "obj", "advmod", "punct", "nsubj:pass", "case")
FOREIGN_RELATIONS = (*RELATIONS, "obl")
PHRASES = ("S", "NP", "VP")
FOREIGN_PHRASES = (*PHRASES, "X")
CHAINS = ("c", "d", "e", "f")
NAMES = {
    "tags": (*FOREIGN, "more", "labels"),
    "spans": (*FOREIGN_SPANS, "more", "labels"),
    # Among content words alone: for other relations their names do matter.
    "dependencies": ("nsubj", "obj", "advmod", "obl", "iobj"),
    "constituents": (*FOREIGN_PHRASES, "more", "labels"),
    "coreference": (*CHAINS, "more", "labels"),
}
"""Labels whose names do not matter, and further ones."""
Span = tuple[str, int, int]
"""Label, first and last place."""
Arc = tuple[str, str, int, str]
"""Word, part of speech, number of the head (0: root), relation."""
Node = tuple[str, Any]
"""Label and the nodes below, or tag and word."""
Document = tuple[str, list[Sentence], list[tuple[int, int, str]]]
"""Name, words with tags, and mentions: first word, last word, chain."""


@dataclass(frozen=True)
class Outputs:
    """Gold and the answers of some systems to it: for each sentence (document) what it is made of."""

    gold: Any
    systems: dict[str, Any]
    task: str = "tags"

    def part(self, chosen: Sequence[int]) -> Outputs:
        """Some of the sentences, in this order, on all sides."""
        return self.changed(lambda text: [text[index] for index in chosen])

    def changed(self, change: Any) -> Outputs:
        """The same change made to gold and to every system."""
        systems = {name: change(text) for name, text in self.systems.items()}
        return replace(self, gold=change(self.gold), systems=systems)

    def relabelled(self, names: Any) -> Outputs:
        """Other names for labels (chains) everywhere; in tags such as B-A the name is A."""
        if self.task == "constituents":
            return self.changed(lambda text: [_renamed_tree(tree, names) for tree in text])
        if self.task == "coreference":
            return self.changed(
                lambda text: [
                    (name, words, [(*span, names[c]) for *span, c in chains]) for name, words, chains in text
                ]
            )
        return self.changed(lambda text: [[_renamed(item, names, self.task) for item in sent] for sent in text])

    def given(self, folder: Path) -> tuple[Any, dict[str, Any]]:
        """Gold and systems as assay takes them: as they are, or as files where no lists are read."""
        if self.task not in WRITTEN:
            return self.gold, self.systems
        ending, written = WRITTEN[self.task]
        paths = {}
        for name, text in {"gold": self.gold, **self.systems}.items():
            paths[name] = folder / f"{name}{ending}"
            paths[name].write_text(written(text), encoding="utf-8")
        return paths.pop("gold"), paths


def _renamed_tree(node: Node, names: Any) -> Node:
    label, below = node
    return node if isinstance(below, str) else (names.get(label, label), [_renamed_tree(one, names) for one in below])


def _renamed(item: Any, names: Any, task: str) -> Any:
    if task == "dependencies":
        return (*item[:3], names.get(item[3], item[3]))
    if len(item) == 3:
        return (names[item[0]], *item[1:])
    word, tag = item
    if task == "spans":
        return (word, tag if tag == "O" else f"{tag[:2]}{names[tag[2:]]}")
    return (word, names[tag])


@st.composite
def outputs(
    draw: st.DrawFn,
    *,
    systems: int = 2,
    most_sentences: int = 6,
    most_words: int = 5,
    other_words: bool = True,
) -> Outputs:
    """Gold and systems; with `other_words` some systems cut the same characters into other words."""
    lengths = draw(st.lists(st.integers(1, most_words), min_size=1, max_size=most_sentences))
    forms = [draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n)) for n in lengths]
    gold = [[(form, draw(st.sampled_from(LABELS))) for form in sentence] for sentence in forms]
    found = {}
    for number in range(systems):
        recut = other_words and draw(st.booleans())
        text = []
        for sentence in gold:
            words = [word for word, _ in sentence]
            if recut:
                words = draw(cuts("".join(words)))
                text.append([(word, draw(st.sampled_from(FOREIGN))) for word in words])
            else:
                # Mostly right, as systems are; otherwise hardly any sentence would be right as a whole.
                text.append([(word, draw(answers(label))) for word, label in sentence])
        found[f"s{number + 1}"] = text
    # Files whose labels are all missing are refused, or left out with a warning.
    for text in (gold, *found.values()):
        assume(any(label != "_" for sentence in text for _, label in sentence))
    return Outputs(gold, found)


def answers(label: str) -> st.SearchStrategy[str]:
    """What a system says where gold says `label`: that, more often than not."""
    return st.one_of(st.just(label), st.just(label), st.sampled_from(FOREIGN))


@st.composite
def cuts(draw: st.DrawFn, characters: str) -> list[str]:
    """The characters cut into words in any way."""
    words = [characters[0]]
    for character in characters[1:]:
        if draw(st.booleans()):
            words.append(character)
        else:
            words[-1] += character
    return words


def seeds() -> st.SearchStrategy[int]:
    """A seed."""
    return st.integers(0, 2**32)


# --- spans ---


@st.composite
def tagged_spans(
    draw: st.DrawFn,
    *,
    systems: int = 2,
    most_sentences: int = 6,
    most_words: int = 6,
    other_words: bool = True,
) -> Outputs:
    """Flat spans as words with IOB2 tags; with `other_words` some systems cut the characters into other words."""
    lengths = draw(st.lists(st.integers(1, most_words), min_size=1, max_size=most_sentences))
    gold = []
    for length in lengths:
        words = draw(st.lists(st.sampled_from(WORDS), min_size=length, max_size=length))
        gold.append(_iob2([(word, draw(_tags(SPAN_LABELS))) for word in words]))
    if all(tag == "O" for sentence in gold for _, tag in sentence):
        gold[0] = _iob2([(gold[0][0][0], "B-A"), *gold[0][1:]])
    found = {}
    for number in range(systems):
        recut = other_words and draw(st.booleans())
        text = []
        for sentence in gold:
            if recut:
                words = draw(cuts("".join(word for word, _ in sentence)))
                text.append(_iob2([(word, draw(_tags(FOREIGN_SPANS))) for word in words]))
            else:
                kept = [st.one_of(st.just(tag), st.just(tag), _tags(FOREIGN_SPANS)) for _, tag in sentence]
                words = [word for word, _ in sentence]
                text.append(_iob2([(word, draw(tag)) for word, tag in zip(words, kept, strict=True)]))
        found[f"s{number + 1}"] = text
    return Outputs(gold, found, "spans")


def _tags(labels: Sequence[str]) -> st.SearchStrategy[str]:
    return st.sampled_from(["O", *(f"{prefix}-{label}" for label in labels for prefix in "BI")])


def _iob2(sentence: Sentence) -> Sentence:
    """The sentence with a B wherever an I continues nothing."""
    done: Sentence = []
    for word, tag in sentence:
        continues = done and tag[:1] == "I" and done[-1][1][1:] == tag[1:]
        done.append((word, tag if continues or tag == "O" else f"B{tag[1:]}"))
    return done


@st.composite
def listed_spans(
    draw: st.DrawFn,
    *,
    systems: int = 2,
    most_sentences: int = 6,
    most_spans: int = 4,
    places: int = 7,
    one_label: bool = False,
) -> Outputs:
    """Lists of spans that may overlap, be nested or be there twice; `one_label`: never two labels on one place."""

    def sentence(labels: Sequence[str]) -> st.SearchStrategy[list[Span]]:
        span = st.tuples(st.sampled_from(labels), st.integers(0, places - 1), st.integers(0, places - 1))
        return st.lists(span.map(lambda s: (s[0], min(s[1:]), max(s[1:]))), max_size=most_spans)

    gold = draw(st.lists(sentence(SPAN_LABELS), min_size=1, max_size=most_sentences))
    if not any(gold):
        gold[0].append((SPAN_LABELS[0], 1, 2))
    found = {}
    for number in range(systems):
        text = []
        for spans in gold:
            kept = [span for span in spans if draw(st.integers(0, 3))]
            text.append(kept + draw(sentence(FOREIGN_SPANS)) if draw(st.booleans()) else kept)
        found[f"s{number + 1}"] = text
    data = Outputs(gold, found, "spans")
    return data.changed(lambda text: [_one_label(spans) for spans in text]) if one_label else data


def span_outputs(
    *, systems: int = 2, most_sentences: int = 6, other_words: bool = True, one_label: bool = False
) -> st.SearchStrategy[Outputs]:
    """Spans as tags or as lists."""
    shape = {"systems": systems, "most_sentences": most_sentences}
    return st.one_of(tagged_spans(**shape, other_words=other_words), listed_spans(**shape, one_label=one_label))


def _one_label(spans: list[Span]) -> list[Span]:
    """The first span of each place."""
    return list({(first, last): (label, first, last) for label, first, last in reversed(spans)}.values())


# --- dependencies ---


@st.composite
def arc_outputs(
    draw: st.DrawFn, *, systems: int = 2, most_sentences: int = 5, most_words: int = 5, content: bool = False
) -> Outputs:
    """Trees of words with parts of speech; with `content` every relation is one of content words."""
    relations = NAMES["dependencies"][:4] if content else FOREIGN_RELATIONS
    gold = []
    for length in draw(st.lists(st.integers(1, most_words), min_size=1, max_size=most_sentences)):
        words = draw(st.lists(st.sampled_from(WORDS), min_size=length, max_size=length))
        tags = [draw(st.sampled_from(("NOUN", "VERB"))) for _ in words]
        gold.append(_arcs(words, tags, draw(heads(length)), [draw(st.sampled_from(relations[:-1])) for _ in words]))
    found = {}
    for number in range(systems):
        text = []
        for sentence in gold:
            words, tags, given, labels = (list(column) for column in zip(*sentence, strict=True))
            if draw(st.booleans()):
                given = draw(heads(len(words)))
            tags = [draw(st.sampled_from((tag, tag, "X"))) for tag in tags]
            labels = [draw(st.one_of(st.just(label), st.just(label), st.sampled_from(relations))) for label in labels]
            text.append(_arcs(words, tags, given, labels))
        found[f"s{number + 1}"] = text
    return Outputs(gold, found, "dependencies")


def _arcs(words: Sequence[str], tags: Sequence[str], given: Sequence[int], labels: Sequence[str]) -> list[Arc]:
    named = [
        "root" if head == 0 else "dep" if label == "root" else label
        for head, label in zip(given, labels, strict=True)
    ]
    return list(zip(words, tags, given, named, strict=True))


@st.composite
def heads(draw: st.DrawFn, length: int) -> list[int]:
    """A tree: each word but the first one of some order hangs on a word before it in that order."""
    order = draw(st.permutations(range(1, length + 1)))
    found = {word: draw(st.sampled_from(order[:place])) if place else 0 for place, word in enumerate(order)}
    return [found[word] for word in range(1, length + 1)]


def _conllu(text: list[list[Arc]]) -> str:
    """Lemmas are the parts of speech, so that they can be wrong."""
    return "".join(
        "".join(
            f"{number}\t{word}\t{tag.lower()}\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
            for number, (word, tag, head, relation) in enumerate(sentence, 1)
        )
        + "\n"
        for sentence in text
    )


# --- constituents ---


@st.composite
def tree_outputs(
    draw: st.DrawFn, *, systems: int = 2, most_sentences: int = 5, most_words: int = 5, one_label: bool = False
) -> Outputs:
    """Trees over the same words; `one_label`: never two nodes over the same words."""
    gold = []
    for length in draw(st.lists(st.integers(1, most_words), min_size=1, max_size=most_sentences)):
        leaves = [(draw(st.sampled_from(("N", "V"))), draw(st.sampled_from(WORDS))) for _ in range(length)]
        gold.append(draw(trees(leaves, PHRASES, one_label)))
    found = {}
    for number in range(systems):
        text = []
        for tree in gold:
            leaves = [(draw(st.sampled_from((tag, tag, "Y"))), word) for tag, word in _leaves(tree)]
            text.append(draw(trees(leaves, FOREIGN_PHRASES, one_label)) if draw(st.booleans()) else tree)
        found[f"s{number + 1}"] = text
    return Outputs(gold, found, "constituents")


def _leaves(node: Node) -> list[Node]:
    below = node[1]
    return [node] if isinstance(below, str) else [leaf for one in below for leaf in _leaves(one)]


@st.composite
def trees(draw: st.DrawFn, leaves: list[Node], labels: Sequence[str], one_label: bool) -> Node:
    """A phrase under a root that has none of the labels."""

    def phrase(part: list[Node], depth: int) -> Node:
        cuts = sorted(draw(st.sets(st.integers(1, len(part) - 1), max_size=3))) if len(part) > 1 else []
        pieces = [part[first:end] for first, end in zip([0, *cuts], [*cuts, len(part)], strict=True)]
        below: list[Node] = []
        for piece in pieces:
            # A single piece would have the words of its phrase.
            stop = depth == 0 or (one_label and (len(pieces) == 1 or len(piece) == 1))
            below += piece if stop or draw(st.booleans()) else [phrase(piece, depth - 1)]
        return draw(st.sampled_from(labels)), below

    return "TOP", [phrase(leaves, 2)]


def _brackets(text: list[Node]) -> str:
    return "".join(f"{_bracketed(tree)}\n" for tree in text)


def _bracketed(node: Node) -> str:
    label, below = node
    return f"({label} {below if isinstance(below, str) else ' '.join(map(_bracketed, below))})"


# --- coreference ---


@st.composite
def chain_outputs(draw: st.DrawFn, *, systems: int = 2, most_sentences: int = 4, most_words: int = 7) -> Outputs:
    """Documents of a few words with mentions in chains; the first one has a link to a noun."""
    gold = []
    for number, length in enumerate(draw(st.lists(st.integers(3, most_words), min_size=1, max_size=most_sentences))):
        words = [(draw(st.sampled_from(WORDS)), draw(st.sampled_from(("NN", "PRP")))) for _ in range(length)]
        cut = draw(st.integers(1, length - 1))
        spans = draw(mentions(length))
        chains = {span: draw(st.sampled_from(CHAINS[:3])) for span in spans}
        if number == 0:
            chains |= {(0, 1): CHAINS[0], (1, 2): CHAINS[0]}
        gold.append((f"d{number}", [words[:cut], words[cut:]], _sorted(chains)))
    found = {}
    for system in range(systems):
        text = []
        for name, sentences, given in gold:
            kept = {(first, last): chain for first, last, chain in given if draw(st.integers(0, 4))}
            moved = {span: draw(st.sampled_from((chain, chain, *CHAINS))) for span, chain in kept.items()}
            added = draw(mentions(sum(map(len, sentences)))) if draw(st.booleans()) else []
            new = {span: draw(st.sampled_from(CHAINS)) for span in added}
            text.append((name, sentences, _sorted({**new, **moved})))
        found[f"s{system + 1}"] = text
    return Outputs(gold, found, "coreference")


def mentions(length: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Some spans of a document, nested and crossing ones among them."""
    span = st.tuples(st.integers(0, length - 1), st.integers(0, 2)).map(lambda s: (s[0], min(sum(s), length - 1)))
    return st.lists(span, min_size=1, max_size=5, unique=True)


def _sorted(chains: dict[tuple[int, int], str]) -> list[tuple[int, int, str]]:
    return sorted((*span, chain) for span, chain in chains.items())


def _json_lines(text: list[Document]) -> str:
    """Chains in the order of their names."""
    lines = []
    for name, sentences, given in text:
        chains = sorted({chain for *_, chain in given})
        clusters = [[span for *span, chain in given if chain == wanted] for wanted in chains]
        words, tags = ([[item[side] for item in sentence] for sentence in sentences] for side in (0, 1))
        lines.append(json.dumps({"doc_key": name, "sentences": words, "pos": tags, "clusters": clusters}))
    return "".join(f"{line}\n" for line in lines)


WRITTEN = {
    "dependencies": (".conllu", _conllu),
    "constituents": (".mrg", _brackets),
    "coreference": (".jsonl", _json_lines),
}
"""Tasks whose texts are given as files: the ending of these, and how they are written."""
