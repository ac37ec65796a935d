"""The content of a file: words in columns of coded labels, and marks on them, in sentences and documents."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import chain, pairwise
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from assay.arrays import NONE, Bools, Ints, Stretches, ids_of_runs
from assay.classes import dataclass
from assay.corpus.marks import Column as Column
from assay.corpus.marks import Marks as Marks
from assay.corpus.marks import code_by_alphabet as code_by_alphabet
from assay.corpus.marks import move_layers as move_layers
from assay.corpus.marks import one_vocabulary as one_vocabulary
from assay.errors import InputError, unknown

T = TypeVar("T")
UNITS = ("sentence", "document")


def cluster_key(unit: str) -> str:
    """The key of a unit `meta:KEY`, whose units are the values of a comment; nothing for other units."""
    return unit.removeprefix("meta:") if unit.startswith("meta:") else ""


_LONGEST = 1_000_000
"""No sentence has more places than this."""
SEVERAL = " | "
"""Separator of the tags of a word that has several."""
SPANS = "spans"
"""The layer of labelled spans."""
KEPT = "(kept)"
"""The column, of words or of spans, that says whose labels count, if not all do."""
_OF_SENTENCES = ("sent_id", "text")
"""Comments that are about their sentence alone."""
_ID = "# id "
"""The beginning of a comment that names its sentence; further pairs may follow, separated by tabs."""


def _pairs_of(comment: str) -> Iterator[tuple[str, str]]:
    """Keys and values of a comment, `# key = value` or `# id X`."""
    pairs = [comment[1:]]
    if comment.startswith(_ID) and not comment.startswith(f"{_ID}="):
        name, *pairs = comment[5:].split("\t")
        yield "sent_id", name.strip()
    for key, equals, value in (pair.partition("=") for pair in pairs):
        if equals:
            yield key.strip(), value.strip()


def _value_of(comment: str, key: str) -> str | None:
    """The value of a key in a comment; None if it has no such key."""
    if comment.startswith(_ID):
        return dict(_pairs_of(comment)).get(key)
    # A shorter way, because there are many of these.
    name, equals, value = comment.partition("=")
    return value.strip() if equals and name[1:].strip() == key else None


@dataclass(frozen=True)
class Multiword:
    """A surface token of the words `first` to `end` (exclusive)."""

    first: int
    end: int
    form: str


@dataclass(frozen=True, eq=False)
class Trees:
    """Phrase-structure trees: the nodes above the words, each before those below it, sentence by sentence."""

    sentence: Ints
    parent: Ints
    """The number of the node above each, -1 for a topmost one."""
    begin: Ints
    """The first word below each node, counted within its sentence …"""
    end: Ints
    """… and the one after the last."""
    labels: Column
    """As written, functions and indices included; empty for a root without a name."""
    above: Ints
    """For each word of the corpus the node directly above it (its tag is no node), -1 for none."""
    lines: Ints
    """The line of its file in which the tree of each node begins."""
    edges: Column | None = None
    """The label of the edge to the node above, in formats that have labels of edges."""
    stretches: Mapping[int, Stretches] = field(default_factory=dict)
    """For the nodes with gaps, by number: where their words lie."""

    def __len__(self) -> int:
        return len(self.sentence)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Words in columns, cut into sentences and documents; nothing here knows which format it came from."""

    name: str
    format: str
    sha256: str
    forms: Column
    columns: Mapping[str, Column]
    starts: Ints
    files: tuple[tuple[str, int], ...] = ()
    """Each file's path and its first sentence."""
    lines: Ints | None = None
    """The line of each sentence's first word in its file."""
    word_per_line: bool = True
    aside_words: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """For each line within a sentence that is no word (ranges, empty nodes): the word after it."""
    aside_sentences: tuple[int, ...] = ()
    aside_lines: tuple[str, ...] = ()
    unwritten: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The words that have no line in the file: other files have them."""
    multiwords: tuple[Multiword, ...] = ()
    comments: tuple[tuple[int, str], ...] = ()
    """(sentence, line with its `#`) in order."""
    facts: Mapping[str, Sequence[str] | Column] = field(default_factory=dict)
    """Metadata that each sentence has, by key, as columns; `sent_id` are their ids."""
    document_starts: Ints | None = None
    document_ids: tuple[str, ...] = ()
    empty: str | None = None
    """The mark of an empty cell, if the format has one."""
    has_words: bool = True
    """False if only labels or places were given; then there is no text to compare."""
    heads: Ints | None = None
    """The head of each word as its number in the corpus, -1 for a root."""
    trees: Trees | None = None
    unparsed: frozenset[int] = frozenset()
    """The sentences without a tree; one whose words are not given either has one word, which is empty."""
    texts: tuple[str, ...] | None = None
    """The text of each sentence if spans are given by characters."""
    in_documents: bool = False
    """True if the file has documents and nothing smaller, so that a sentence is a whole document."""
    tags_by_document: bool = False
    """True if tags of spans run on over the ends of sentences, up to that of the document."""
    by_id: bool = False
    """True if gold's and system's documents correspond by their ids, not by their order."""
    noted: tuple[tuple[str, int], ...] = ()
    """Notes for the user on how the file was read: texts with `{}` for a number, and the numbers."""
    left_out: tuple[tuple[int, str, str], ...] = ()
    """Documents that are left out: their number among all of the file, from 0, their id, and the reason."""
    repairs: tuple[tuple[str, str, int, str], ...] = ()
    """Faults of annotations, what became of these, how many there are, and the place of the first."""
    shape: str = ""
    """The shape of the file if its format has several, e.g. Label Studio JSON."""
    which: str = ""
    """Whose annotation was read, if the file names annotators or models."""
    layer_read: str = ""
    """The layers that were read, if the file names layers."""
    offsets: Mapping[str, int] = field(default_factory=dict)
    """Numbers of documents whose offsets do not count characters, by what they count."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """Numbers of things in the file that were not read, by what they are."""
    marks: Mapping[str, Marks] = field(default_factory=dict)
    """Marks by layer: spans, mentions, relations …"""
    layers: Mapping[type, Any] = field(default_factory=dict)
    """Annotation that only a task and its readers know, by its type.

    Those of corpora with spans have a method `moved`, for sentences that come to other places.
    """

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user on how the file was read."""
        return tuple(text.replace("{}", f"{number:,}") for text, number in self.noted)

    @property
    def spans(self) -> Marks:
        """Labelled spans; KeyError if there is no such layer."""
        return self.marks[SPANS]

    @property
    def number_of_marks(self) -> int:
        """The number of spans, or of mentions in chains; of words if it has neither."""
        return next((len(self.marks[layer]) for layer in ("spans", "mentions") if layer in self.marks), len(self))

    def with_marks(self, **layers: Marks) -> Corpus:
        """The corpus with layers of marks, in place of those with their names."""
        return replace(self, marks={**self.marks, **layers})

    def words_of(self, marks: Marks) -> Ints:
        """The number of the first word of each mark."""
        words: Ints = self.starts[marks.unit] + marks.begin
        return words

    def with_layer(self, layer: object) -> Corpus:
        """The corpus with a layer, in place of what there was of its type."""
        return replace(self, layers={**self.layers, type(layer): layer})

    def layer(self, kind: type[T]) -> T | None:
        """The layer of this type; None if there is none."""
        return self.layers.get(kind)

    def __repr__(self) -> str:
        return (
            f"Corpus({self.name!r}, {self.format}, {self.sentences:,} sentences, {len(self):,} words, "
            f"columns {', '.join(self.columns) or 'none'})"
        )

    @property
    def sentences(self) -> int:
        """The number of sentences."""
        return len(self.starts) - 1

    @cached_property
    def numbers(self) -> Ints:
        """The numbers of the words, made once for all systems."""
        return np.arange(len(self))

    @cached_property
    def sentence_of(self) -> Ints:
        """The sentence of each word."""
        return ids_of_runs(self.starts)

    @cached_property
    def document_of_sentence(self) -> Ints:
        """The document of each sentence; all are one document if the file marks none."""
        if self.document_starts is None:
            return np.zeros(self.sentences, dtype=np.int32)
        return ids_of_runs(self.document_starts)

    @property
    def first_words(self) -> Ints:
        """The first word of each document."""
        words: Ints = self.starts[:1] if self.document_starts is None else self.starts[self.document_starts[:-1]]
        return words

    @property
    def documents(self) -> int:
        """The number of documents."""
        return 1 if self.document_starts is None else len(self.document_starts) - 1

    def document_name(self, document: int) -> str:
        """A document's id, or its number."""
        return self.document_ids[document] if document < len(self.document_ids) else str(document + 1)

    def document_texts(self) -> list[str]:
        """The text of each document, without white space."""
        ends = [*self.first_words.tolist(), len(self)]
        return ["".join(self.forms.strings(first, end)) for first, end in pairwise(ends)]

    @property
    def are_documents(self) -> bool:
        """True if each sentence is a document with an id."""
        return self.by_id and self.in_documents

    @property
    def whole_documents(self) -> bool:
        """True if each sentence is a document: a text, or one with an id."""
        return self.in_documents and (self.texts is not None or self.by_id)

    @cached_property
    def sentence_ids(self) -> tuple[str, ...]:
        """Each sentence's id, or its number."""
        if self.are_documents:
            return tuple(self.document_name(document) for document in range(self.documents))
        return tuple(str(i + 1) if name is None else name for i, name in enumerate(self.metadata("sent_id")))

    def metadata(self, key: str) -> list[str | None]:
        """The value of a comment `# key = value`, or `# space:key = value`, per sentence.

        A key that occurs only at the beginning of documents applies to the whole document.
        """
        if key in self.facts:
            fact = self.facts[key]
            return [*(fact.strings() if isinstance(fact, Column) else fact)]
        values: list[str | None] = [None] * self.sentences
        for sentence, line in self.comments:
            value = _value_of(line, key)
            if value is not None and sentence < self.sentences:
                values[sentence] = value
        if not any(values) and any(f":{key}" in line for _, line in self.comments):
            spaced = [known for known in self.metadata_keys() if known.endswith(f":{key}")]
            if len(spaced) == 1:
                return self.metadata(spaced[0])
        if self.document_starts is not None and key not in _OF_SENTENCES:
            firsts = set(self.document_starts[:-1].tolist())
            if all(sentence in firsts for sentence, value in enumerate(values) if value is not None):
                document = self.document_of_sentence
                values = [values[int(self.document_starts[document[i]])] for i in range(self.sentences)]
        return values

    def metadata_keys(self) -> list[str]:
        """The keys of all comments of the form `# key = value`."""
        return list(dict.fromkeys((*self.facts, *(key for _, line in self.comments for key, _ in _pairs_of(line)))))

    def column(self, name: str) -> Column:
        """A column by its name."""
        if name not in self.columns:
            raise InputError(f"{self.name}: {unknown('column', name, self.columns)}")
        return self.columns[name]

    def is_empty(self, name: str) -> bool:
        """True if every cell of a column carries the mark of emptiness; of joined columns, one of them.

        If the format has no such mark, `_` is a label among others, but not if it is the only one.
        """
        mark = "_" if self.empty is None else self.empty
        rows = [string.split(" ", name.count("+")) for string in self.column(name).counts()]
        return any(all(cell == mark for cell in cells) for cells in zip(*rows, strict=True))

    def unlabelled(self, name: str) -> Bools:
        """Mask of the words without a label; FEATS may be empty, and the lemma of the word `_` is `_`."""
        if self.empty is None or name == "FEATS":
            return np.zeros(len(self), dtype=bool)
        labels = self.column(name)
        if "+" in name:
            # Columns taken together: the first is the one that must not be empty.
            return labels.isin(label for label in labels.vocabulary if label.split(" ")[0] == self.empty)
        missing = labels.isin([self.empty])
        return missing & ~self.forms.isin([self.empty]) if name.upper() == "LEMMA" else missing

    def path_of(self, sentence: int) -> str:
        """The file of a sentence."""
        return next((path for path, first in reversed(self.files) if first <= sentence), self.name)

    def lines_of(self, words: Ints) -> Ints:
        """The line of each word, or of its sentence if lines are no words; 0 without lines."""
        if self.lines is None:
            return np.zeros(len(words), dtype=np.int64)
        sentence = self.sentence_of[words]
        lines = self.lines[sentence].astype(np.int64)
        if self.word_per_line:
            first = self.starts[sentence]
            before, after = (np.searchsorted(self.aside_words, places + 1) for places in (first, words))
            lines += words - first + after - before
            if len(self.unwritten):
                lines -= np.searchsorted(self.unwritten, words) - np.searchsorted(self.unwritten, first)
        return lines

    def place(self, word: int) -> str:
        """`file:line` of a word, or its sentence and position without lines."""
        sentence = int(np.searchsorted(self.starts, word, side="right")) - 1
        if self.lines is None:
            if not self.has_words and len(self.starts) == self.starts[-1] + 1:
                return f"{self.name}, item {sentence + 1}"
            return f"{self.name}, sentence {sentence + 1}, word {word - int(self.starts[sentence]) + 1}"
        return f"{self.path_of(sentence)}:{int(self.lines_of(np.array([word]))[0])}"

    def place_of_span(self, span: int) -> str:
        """`file:line` of a span."""
        if self.lines is None:
            return f"{self.name}, sentence {int(self.spans.unit[span]) + 1}"
        return f"{self.path_of(int(self.spans.unit[span]))}:{int(self.spans.lines[span])}"

    def place_of_sentence(self, sentence: int) -> str:
        """`file:line` of a sentence's first word."""
        return self.place(int(self.starts[sentence]))

    def followed_by(self, other: Corpus) -> Corpus:
        """The corpus with the documents of another one after its own, which have no annotation here."""
        assert self.lines is not None and other.lines is not None
        assert self.document_starts is not None and other.document_starts is not None
        blank = Column(np.zeros(len(other), dtype=np.int32), (self.empty or "_",))
        return replace(
            self,
            forms=self.forms.followed_by(other.forms),
            columns={name: column.followed_by(blank) for name, column in self.columns.items()},
            starts=np.concatenate([self.starts, other.starts[1:] + len(self)]),
            files=(*self.files, *((path, first + self.sentences) for path, first in other.files)),
            lines=np.concatenate([self.lines, other.lines]),
            document_starts=np.concatenate([self.document_starts, other.document_starts[1:] + self.sentences]),
            document_ids=(*self.document_ids, *other.document_ids),
            texts=None if self.texts is None else (*self.texts, *(other.texts or ())),
        )

    def reordered(self, documents: Sequence[int]) -> Corpus:
        """Some or all documents in this order, without mentions of chains."""
        assert self.lines is not None and self.document_starts is not None
        document_starts = np.concatenate([[0], np.cumsum(np.diff(self.document_starts)[documents])])
        order = np.concatenate([np.arange(*self.document_starts[[one, one + 1]]) for one in documents])
        sizes = np.diff(self.starts)[order]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        words = np.repeat(self.starts[:-1][order] - starts[:-1], sizes) + np.arange(starts[-1])
        place = np.full(self.sentences, NONE)
        place[order] = np.arange(len(order))
        paths = [self.path_of(sentence) for sentence in order.tolist()]
        kept = ((sentence, line) for sentence, line in self.comments if sentence < self.sentences)
        moved = [(int(place[sentence]), line) for sentence, line in kept if place[sentence] != NONE]
        return replace(
            self,
            forms=self.forms.where(words),
            columns={name: column.where(words) for name, column in self.columns.items()},
            starts=starts,
            files=tuple((path, row) for row, path in enumerate(paths) if row == 0 or path != paths[row - 1]),
            lines=self.lines[order],
            comments=tuple(sorted(moved, key=lambda comment: comment[0])),
            document_starts=document_starts,
            document_ids=tuple(self.document_ids[number] for number in documents),
            texts=None if self.texts is None else tuple(self.texts[number] for number in order.tolist()),
            marks=move_layers(self.marks, place),
            layers={kind: layer.moved(place) for kind, layer in self.layers.items()},
        )

    def unit_of_sentence(self, unit: str) -> Ints:
        """The unit (sentence, document or value of `meta:KEY`) of each sentence."""
        if key := cluster_key(unit):
            return self._clusters(key).codes
        if unit not in UNITS:
            raise unknown("unit", unit, UNITS)
        return np.arange(self.sentences) if unit == "sentence" else self.document_of_sentence

    def _clusters(self, key: str) -> Column:
        """The values of a comment; a sentence without it is refused, for it would belong to no unit."""
        values = self.metadata(key)
        if None in values and self.facts:
            keys = ", ".join(name for name in self.facts if name != "sent_id")
            raise InputError(f"{self.name}: no column {key} for --unit meta:{key}. Available: {keys or 'none'}.")
        if None in values:
            place = self.place_of_sentence(values.index(None))
            raise InputError(
                f"{place}: this sentence has no comment `# {key} = …`, which --unit meta:{key} needs for all. Add "
                "it, or resample sentences: --unit sentence"
            )
        return Column.of(value or "" for value in values)

    def names_of_units(self, unit: str) -> Sequence[str]:
        """Names of sentences or documents that do not depend on the file."""
        if unit == "sentence":
            return self.sentence_ids
        return tuple(map(self.document_name, range(self.documents)))

    def unit_names(self, unit: str) -> Iterator[str]:
        """A name for each unit that stays the same when files are read in other company."""
        if key := cluster_key(unit):
            yield from self._clusters(key).vocabulary
            return
        if unit == "sentence" and "sent_id" in self.facts:
            # Items that have ids are the same in any order.
            yield from map(str, self.metadata("sent_id"))
            return
        firsts = self.document_starts[:-1] if unit == "document" and self.document_starts is not None else None
        sentences = range(self.sentences) if unit == "sentence" else [0] if firsts is None else firsts.tolist()
        ids = self.metadata("sent_id") if unit == "sentence" else []
        starts = [first for _, first in self.files] or [0]
        names = [path.replace("\\", "/").rsplit("/", 1)[-1] for path, _ in self.files] or [self.name]
        files = np.searchsorted(starts, sentences, side="right") - 1
        for number, (sentence, file) in enumerate(zip(sentences, files.tolist(), strict=True)):
            # The number of a document among all is no id: other company would change it.
            given = ids[sentence] if ids else self.document_name(number)
            own = given if given and (ids or given != str(number + 1)) else ""
            yield f"{names[file]}/{sentence - starts[file]}/{own}"


def is_pair(item: object) -> bool:
    """True of a word with its label."""
    return isinstance(item, tuple | list) and len(item) == 2 and all(isinstance(p, str | Integral) for p in item)


def is_span(item: object) -> bool:
    """True of a label with a first and a last place."""
    return (
        isinstance(item, tuple | list)
        and len(item) == 3
        and isinstance(item[0], str)
        and all(isinstance(place, Integral) for place in item[1:])
    )


def holds_spans(sentences: Any) -> bool:
    """True if these lists contain spans, (label, first, last), not labels or words with labels."""
    if not isinstance(sentences, Sequence):
        return False
    firsts = [one[0] for one in sentences if isinstance(one, list | tuple | Sequence) and len(one)]
    return not {*map(type, firsts)} <= {str} and any(map(is_span, firsts))


def from_spans(sentences: Sequence[Sequence[tuple[str, int, int]]], name: str = "data") -> Corpus:
    """A corpus from lists of spans (label, first, last), the last place included: one inner list per sentence.

    Places may count from 0 or from 1, as long as gold and system do the same.
    """
    rows, labels, lengths = [], [], []
    for number, sentence in enumerate(sentences):
        for item in sentence:
            if not is_span(item) or not 0 <= item[1] <= item[2] < _LONGEST or not item[0]:
                raise InputError(f"{name}, sentence {number + 1}: {item!r} is not a span (label, first, last).")
            rows.append((number, int(item[1]), int(item[2]) + 1))
            labels.append(item[0])
        lengths.append(max((int(item[2]) + 1 for item in sentence), default=1))
    sentence_of, begin, end = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    spans = Marks(sentence_of, begin, end, Column.of(labels), np.zeros(len(rows), dtype=np.int64))
    return Corpus(
        name=name,
        format="lists",
        sha256=hashlib.sha256(repr([list(map(tuple, sentence)) for sentence in sentences]).encode()).hexdigest(),
        forms=Column(np.zeros(sum(lengths), dtype=np.int32), ("",)),
        columns={},
        starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        has_words=False,
        marks={SPANS: spans.in_order()[0]},
    )


def from_lists(sentences: Sequence[Sequence[str | tuple[str, str]]], name: str = "data") -> Corpus:
    """A corpus from lists of labels, or of (word, label) pairs: one inner list per sentence."""
    if {*map(type, sentences)} != {list} and any(isinstance(sentence, str | Integral) for sentence in sentences):
        raise InputError(f"{name}: expected a list of sentences, each a list of labels, but got one list of labels.")
    lengths = [*map(len, sentences)]
    items: list[Any] = [*chain.from_iterable(sentences)]
    if not items:
        raise InputError(f"{name}: contains no words. Give one list of labels per sentence.")
    plain = {*map(type, items)} == {str}
    for place, item in enumerate(() if plain else items):
        # A label that is a number becomes its text, by itself or beside a word.
        if isinstance(item, Integral):
            items[place] = str(item)
        elif isinstance(item, tuple | list) and len(item) == 2 and isinstance(item[1], Integral):
            items[place] = (item[0], str(item[1]))
    paired = isinstance(items[0], tuple | list)
    for item in () if plain else items:
        if not (is_pair(item) if paired else isinstance(item, str)):
            raise InputError(
                f"{name}: found {item!r}, but all items should be labels, or all of them (word, label) pairs."
            )
    labels = [item[1] for item in items] if paired else items
    content = repr([lengths, items]) if paired else repr(lengths) + "\t".join(items)
    return Corpus(
        name=name,
        format="lists",
        sha256=hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        forms=Column.of(item[0] for item in items) if paired else Column(np.zeros(len(items), dtype=np.int32), ("",)),
        columns={"label": Column.of(list(map(str, labels)) if paired else labels)},
        starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        has_words=paired,
    )
