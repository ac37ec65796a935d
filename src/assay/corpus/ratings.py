"""Labels that several annotators gave to the same items, with gaps; agreement is computed from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, as_codes
from assay.classes import dataclass
from assay.corpus import Column, Corpus
from assay.errors import UsageError

EMPTY_SET = "∅"
DENSE = 1 << 24
"""The most cells of a table of items that is made in full even if few of its cells are filled."""


def no_text(item: int) -> str:
    """The text of an item that has none."""
    return ""


@dataclass(frozen=True, eq=False)
class Ratings:
    """A table of items × annotators in which cells may be missing, as one row per rating, by item and annotator."""

    names: Sequence[str]
    """The items by name, in the order of the file."""
    annotators: tuple[str, ...]
    """In alphabetical order, so that no number depends on the order of the files."""
    labels: tuple[str, ...]
    """In their order, if they have one."""
    item: Ints
    annotator: Ints
    label: Ints
    ordered: bool = False
    """True if the user gave the order of the labels."""
    members: tuple[frozenset[str], ...] | None = None
    """The members of each label, if labels are sets."""
    unit: Ints | None = None
    """The unit of resampling of each item; None if each item is one."""
    units: Sequence[str] = ()
    """Names of the units."""
    noun: str = "item"
    """The word for one item."""
    unit_noun: str = "item"
    """The word for one unit."""
    columns: Mapping[str, Column] = field(default_factory=dict)
    """Further columns of the items: a document, a genre, their text."""
    text_of: Callable[[int], str] = no_text
    """Function from an item to its text."""

    @classmethod
    def of(
        cls,
        items: Sequence[str],
        annotators: Sequence[str],
        labels: Sequence[str],
        *,
        order: Sequence[str] = (),
        names: Sequence[str] = (),
        raters: Sequence[str] = (),
    ) -> Ratings:
        """Ratings from three columns of texts; `names`, `raters`: items and annotators that may lack ratings."""
        of_items: dict[str, int] = {}
        people: dict[str, int] = {}
        known: dict[str, int] = {}
        as_codes(names, of_items)
        as_codes(raters, people)
        item, annotator, label = as_codes(items, of_items), as_codes(annotators, people), as_codes(labels, known)
        return cls.of_codes((item, of_items), (annotator, people), (label, known), order)

    @classmethod
    def of_codes(
        cls,
        items: tuple[Ints, Mapping[str, int]],
        annotators: tuple[Ints, Mapping[str, int]],
        labels: tuple[Ints, Mapping[str, int]],
        order: Sequence[str] = (),
    ) -> Ratings:
        """Ratings from three columns of codes, each with the texts that these stand for."""
        item, names = items
        people = sorted(annotators[1])
        vocabulary = order or sort_labels(set(labels[1]))
        annotator, label = (
            _recode(codes, known, texts) for (codes, known), texts in ((annotators, people), (labels, vocabulary))
        )
        rows = _order_cells(item, annotator, len(names), len(people))
        columns = item[rows], annotator[rows], label[rows]
        return cls(tuple(names), tuple(people), tuple(vocabulary), *columns, ordered=bool(order))

    def __len__(self) -> int:
        return len(self.item)

    @property
    def items(self) -> int:
        """Number of items, also of those without ratings."""
        return len(self.names)

    @cached_property
    def sizes(self) -> Ints:
        """Number of ratings of each item."""
        return np.bincount(self.item, minlength=self.items)

    @cached_property
    def unit_of_item(self) -> Ints:
        """The unit of resampling of each item."""
        return np.arange(self.items) if self.unit is None else self.unit

    @property
    def unit_names(self) -> Sequence[str]:
        """The names of the units of resampling."""
        return self.names if self.unit is None else self.units

    @cached_property
    def table(self) -> Ints:
        """Labels, items × annotators; NONE if there is no rating."""
        cells = np.full((self.items, len(self.annotators)), NONE, dtype=np.int32)
        cells[self.item, self.annotator] = self.label
        return cells

    @cached_property
    def counts(self) -> Array:
        """Number of annotators that gave each label, items × labels."""
        cells = self.item.astype(np.int64) * len(self.labels) + self.label
        size = self.items * len(self.labels)
        return np.bincount(cells, minlength=size).reshape(self.items, len(self.labels)).astype(np.float64)

    @cached_property
    def votes(self) -> Floats:
        """Share of each label in the majority, items × labels; tied labels share it."""
        return majority(self.counts)

    @cached_property
    def numbers(self) -> Floats:
        """The labels as numbers."""
        numbers = [parse_number(label) for label in self.labels]
        if None in numbers:
            label = self.labels[numbers.index(None)]
            raise UsageError(f"label {label!r} is not a number, which levels interval and ratio need.")
        return np.array(numbers, dtype=np.float64)

    @cached_property
    def ranks(self) -> Floats:
        """Ranks of the labels in the order that the user gave, or in that of numbers."""
        word = next((label for label in self.labels if parse_number(label) is None), None)
        if word is not None and not self.ordered:
            raise UsageError(
                f"the order of labels is unknown, because {word!r} is not a number. Give it, e.g. "
                '--input-format "ratings(order=low<middle<high)".'
            )
        return np.arange(len(self.labels), dtype=np.float64)

    def rows_of_annotators(self) -> list[Ints]:
        """The rows of each annotator, in the order of the items."""
        ends = np.cumsum(np.bincount(self.annotator, minlength=len(self.annotators)))
        return np.split(np.argsort(self.annotator, kind="stable"), ends[:-1])

    def where(self, kept: Bools) -> Ratings:
        """The ratings of some items; the others stay as items without ratings."""
        rows = kept[self.item]
        return replace(self, item=self.item[rows], annotator=self.annotator[rows], label=self.label[rows])

    def without(self, annotator: int) -> Ratings:
        """The ratings of all annotators but one."""
        rows = self.annotator != annotator
        return replace(self, item=self.item[rows], annotator=self.annotator[rows], label=self.label[rows])


def _recode(codes: Ints, known: Mapping[str, int], texts: Sequence[str]) -> Ints:
    """Codes of known texts as places among other texts, which have all of them."""
    place = {text: number for number, text in enumerate(texts)}
    places: Ints = np.array([place[text] for text in known], dtype=np.int32)
    return places[codes]


def _order_cells(item: Ints, annotator: Ints, items: int, people: int) -> Ints:
    """The rows by item and annotator."""
    if items * people <= DENSE:
        # Without sorting, if a table of all cells is not too large and none of them is there twice.
        row: Ints = np.full(items * people, NONE, dtype=np.int64)
        row[item.astype(np.int64) * people + annotator] = np.arange(len(item))
        row = row[row != NONE]
        if len(row) == len(item):
            return row
    return np.lexsort((annotator, item))


@dataclass(frozen=True, eq=False)
class WordNames(Sequence[str]):
    """Names of words: the sentence, the place in it, the word. Each is made when it is used."""

    corpus: Corpus
    words: Ints

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> str:  # type: ignore[override]
        word = int(self.words[index])
        sentence = int(self.corpus.sentence_of[word])
        place = word - int(self.corpus.starts[sentence]) + 1
        return f"{self.corpus.sentence_ids[sentence]}:{place} {self.corpus.forms[word]}".rstrip()

    def text(self, index: int) -> str:
        """The sentence of a word, with the word in brackets."""
        word = int(self.words[index])
        sentence = int(self.corpus.sentence_of[word])
        first, end = self.corpus.starts[sentence : sentence + 2].tolist()
        if not self.corpus.has_words:
            return ""
        forms = self.corpus.forms.strings(first, end)
        forms[word - first] = f"[{forms[word - first]}]"
        return " ".join(forms)


def majority(counts: Array) -> Floats:
    """Share of each label in the majority, for rows of counts by label: 1/t for each of t tied labels."""
    most = counts.max(axis=1, keepdims=True, initial=0)
    tied = (counts == most) & (most > 0)
    return np.asarray(tied / np.maximum(tied.sum(axis=1, keepdims=True), 1), dtype=np.float64)


def parse_number(text: str) -> float | None:
    """The number in a text, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def spell_number(number: float) -> str:
    """A number as a label; 3.0 becomes 3."""
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def sort_labels(labels: set[str]) -> list[str]:
    """Labels in numerical order if all are numbers, otherwise in alphabetical order."""
    numbers = {label: parse_number(label) for label in labels}
    if all(number is not None for number in numbers.values()):
        return sorted(labels, key=lambda label: (numbers[label], label))
    return sorted(labels)


def set_label(members: Iterable[str]) -> str:
    """A set of labels as one label."""
    return "|".join(sorted(set(members))) or EMPTY_SET
