"""Small files in the formats that are read, made from words and labels."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assay.errors import AssayError

Sentence = Sequence[tuple[str, str]]


def row(number: int | str, form: str, upos: str = "_", xpos: str = "_", lemma: str = "_", feats: str = "_") -> str:
    """A line of CoNLL-U."""
    return f"{number}\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}\t_\t_\t_\t_\n"


def conllu(*sentences: Sentence, comments: Sequence[Sequence[str]] = ()) -> str:
    """Sentences of (word, UPOS) pairs, each with its comment lines."""
    blocks = []
    for index, sentence in enumerate(sentences):
        notes = "".join(f"# {line}\n" for line in (comments[index] if index < len(comments) else ()))
        blocks.append(notes + "".join(row(number, form, tag) for number, (form, tag) in enumerate(sentence, 1)))
    return "\n".join(blocks) + "\n"


def tsv(*sentences: Sentence) -> str:
    """Sentences of (word, label) pairs, a word per line."""
    return "\n".join("".join(f"{form}\t{tag}\n" for form, tag in sentence) for sentence in sentences) + "\n"


def tagged(text: str) -> list[tuple[str, str]]:
    """`the/DET end/NOUN` as pairs."""
    return [(word, tag) for word, _, tag in (token.rpartition("/") for token in text.split())]


def refusal(call: object, *arguments: object, **options: object) -> str:
    """The full text of the message with which a call is refused."""
    assert callable(call)
    with pytest.raises(AssayError) as caught:
        call(*arguments, **options)
    return str(caught.value)
