"""spaCy's Docs: whatever looks like one has tokens with `text`, `pos_`, `head` …, and entities."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.arrays import Ints
from assay.corpus import Column, Corpus, Spans
from assay.errors import InputError, UsageError

EMPTY = "_"
_ATTRIBUTES = {"LEMMA": "lemma_", "UPOS": "pos_", "XPOS": "tag_", "FEATS": "morph", "DEPREL": "dep_"}


def is_doc(given: Any) -> bool:
    """Whether this has the shape of a Doc."""
    return hasattr(given, "ents") and hasattr(given, "has_annotation")


def from_spacy(docs: Any, *, spans: str = "ents", name: str = "data") -> Corpus:
    """A corpus from spaCy's Docs, or from one of them; each is a document.

    It has the columns LEMMA, UPOS, XPOS, FEATS, HEAD and DEPREL, as far as they are annotated, and the entities as
    spans, or with `spans="sc"` the group of spans of that name. A Doc without sentence boundaries is one sentence.
    Tokens of nothing but white space are no words; spaCy's ROOT is `root`, as in Universal Dependencies.
    """
    texts = [_Text.of(doc, name) for doc in ([docs] if is_doc(docs) else docs)]
    texts = [text for text in texts if text.words]
    if not texts:
        raise InputError(f"{name}: no words in it. Give Docs that have some.")
    offsets = np.cumsum([0, *(len(text.words) for text in texts)])
    sentences = np.cumsum([0, *(len(text.starts) for text in texts)])
    starts = np.concatenate(
        [*(offset + text.starts for offset, text in zip(offsets, texts, strict=False)), offsets[-1:]]
    )
    columns = dict(_columns(texts, offsets[:-1], starts, name))
    rows = [row for number, text in enumerate(texts) for row in _spans(text, spans, int(sentences[number]), name)]
    words = [word.text for text in texts for word in text.words]
    blank = sum(text.blank for text in texts)
    return Corpus(
        name=name,
        format="spacy",
        sha256=_digest([words, starts.tolist(), *(column.strings() for column in columns.values()), rows]),
        forms=Column.of(words),
        columns=columns,
        starts=starts.astype(np.int64),
        document_starts=sentences.astype(np.int64),
        empty=EMPTY,
        spans=_sorted(rows),
        noted=(("tokens of white space are no words: {} left out.", blank),) if blank else (),
    )


@dataclass(frozen=True, eq=False)
class _Text:
    """The words of a Doc, which are its tokens but those of white space."""

    doc: Any
    words: Sequence[Any]
    number: Ints
    """For each token, and for the end, how many words stand before it."""
    starts: Ints
    """The first word of each sentence."""

    @classmethod
    def of(cls, doc: Any, name: str) -> _Text:
        if not is_doc(doc):
            raise InputError(f"{name}: {type(doc).__name__} where all should be spaCy Docs.")
        tokens = list(doc)
        kept = np.array([bool(token.text.strip()) for token in tokens], dtype=bool)
        number = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
        cut = doc.has_annotation("SENT_START")
        begins = [index for index, token in enumerate(tokens) if cut and token.is_sent_start]
        words = [token for token, keep in zip(tokens, kept, strict=True) if keep]
        # A sentence may begin with white space, and one of nothing else is none.
        starts = np.unique([0, *number[begins]])
        return cls(doc, words, number, starts[starts < len(words)])

    @property
    def blank(self) -> int:
        """How many tokens are no words."""
        return len(self.number) - 1 - len(self.words)

    def heads(self) -> Iterator[int]:
        """The number of each word's head, its own for a root; white space hands on to its own head."""
        for place, word in enumerate(self.words):
            head = word.head
            while not head.text.strip() and head.head.i != head.i:
                head = head.head
            yield int(self.number[head.i]) if head.text.strip() and head.i != word.i else place


def _columns(texts: Sequence[_Text], offsets: Ints, starts: Ints, name: str) -> Iterator[tuple[str, Column]]:
    """The columns that are annotated at all, heads as numbers within their sentence."""
    for column, attribute in _ATTRIBUTES.items():
        strings = [str(getattr(word, attribute, "")) or EMPTY for text in texts for word in text.words]
        if all(string == EMPTY for string in strings):
            continue
        if column == "DEPREL":
            yield "HEAD", Column.of(_head_numbers(texts, offsets, starts, strings, name))
            strings = ["root" if string == "ROOT" else string for string in strings]
        yield column, Column.of(strings)


def _head_numbers(
    texts: Sequence[_Text], offsets: Ints, starts: Ints, relations: Sequence[str], name: str
) -> Iterator[str]:
    heads = np.array([offset + head for offset, text in zip(offsets, texts, strict=True) for head in text.heads()])
    words = np.arange(len(heads))
    sentence, theirs = (np.searchsorted(starts, places, side="right") - 1 for places in (words, heads))
    if len(astray := np.flatnonzero(sentence != theirs)):
        word = int(astray[0])
        place = f"{name}, sentence {int(sentence[word]) + 1}, word {word - int(starts[sentence[word]]) + 1}"
        raise InputError(f"{place}: its head stands in another sentence. Do the Docs' sentences fit their trees?")
    numbers = np.where(heads == words, 0, heads - starts[sentence] + 1).tolist()
    return (EMPTY if relation == EMPTY else str(number) for number, relation in zip(numbers, relations, strict=True))


def _spans(text: _Text, group: str, before: int, name: str) -> Iterator[tuple[int, int, int, str]]:
    """Each span's sentence, first word within it, end, and label."""
    for span in _group(text.doc, group, name):
        first, end = (int(number) for number in text.number[[span.start, span.end]])
        if first == end:
            raise InputError(f"{name}, sentence {before + 1}: the span {span.label_} has no words but white space.")
        sentence = int(np.searchsorted(text.starts, first, side="right")) - 1
        start = int(text.starts[sentence])
        yield before + sentence, first - start, end - start, span.label_


def _group(doc: Any, group: str, name: str) -> Iterable[Any]:
    if group == "ents":
        return doc.ents  # type: ignore[no-any-return]
    if group not in doc.spans:
        known = ", ".join(["ents", *doc.spans])
        raise UsageError(f"{name}: a Doc has no spans {group!r}. There is: {known}.")
    return doc.spans[group]  # type: ignore[no-any-return]


def _sorted(rows: Sequence[tuple[int, int, int, str]]) -> Spans:
    places = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
    labels = Column.of([row[3] for row in rows])
    return Spans.sorted(places[:, 0], places[:, 1], places[:, 2], labels, np.zeros(len(rows), dtype=np.int64))


def _digest(parts: Sequence[Any]) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
