"""Small annotated texts for hypothesis: gold and the outputs of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Outputs:
    """Gold and the answers of some systems to it."""

    gold: Text
    systems: dict[str, Text]

    def part(self, chosen: Sequence[int]) -> Outputs:
        """Some of the sentences, in this order, on all sides."""
        return self.changed(lambda text: [text[index] for index in chosen])

    def changed(self, change: Any) -> Outputs:
        """The same change made to gold and to every system."""
        return Outputs(change(self.gold), {name: change(text) for name, text in self.systems.items()})

    @property
    def same_words(self) -> bool:
        """Whether all systems have gold's words."""
        return all(
            [word for word, _ in ours] == [word for word, _ in theirs]
            for text in self.systems.values()
            for ours, theirs in zip(self.gold, text, strict=True)
        )


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
