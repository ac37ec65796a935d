"""Small annotated texts for hypothesis: gold and the outputs of systems, with tags or with spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

Sentence = list[tuple[str, str]]
Text = list[Sentence]
"""One list of (word, label) pairs per sentence."""

WORDS = ("a", "b", "c", "dd", "é")
TRAINED = ("a", "dd")
"""The words that count as seen in training; each of the others is unseen."""
LABELS = ("N", "V", "$,", "_", "∅", "N|V")
FOREIGN = (*LABELS, "X")
"""Systems use one label that gold never has."""
SPAN_LABELS = ("A", "B", "A-B")
FOREIGN_SPANS = (*SPAN_LABELS, "X")
Span = tuple[str, int, int]
"""Label, first and last place."""


@dataclass(frozen=True)
class Outputs:
    """Gold and the answers of some systems to it; words with labels, or lists of spans."""

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
        """Other names for labels everywhere; in tags such as B-A the name is A."""
        return self.changed(lambda text: [[_renamed(item, names, self.task) for item in sent] for sent in text])


def _renamed(item: Any, names: Any, task: str) -> Any:
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
