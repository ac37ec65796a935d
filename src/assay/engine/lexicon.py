"""Known words: what training data or a dictionary has becomes a column of the corpora compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import Ints
from assay.corpus import Column, Corpus, one_vocabulary
from assay.engine.items import Items
from assay.engine.spanpairs import SpanPair
from assay.errors import UsageError, unknown
from assay.formats import Input
from assay.formats.source import Source, expand
from assay.records import dataclass

BANDS = ((0, "0"), (1, "1"), (5, "2-5"), (20, "6-20"), (100, "21-100"), (1000, "101-1000"))


KNOWN = ("unseen", "seen", "seen with other labels")
_SOURCES = ("train", "lexicon")


@dataclass(frozen=True)
class Lexicon:
    """Word forms with their frequencies and, where the file has labels, the labels each was seen with."""

    path: str
    frequency: dict[str, int]
    labels: frozenset[tuple[str, str]] | None
    fold: bool

    @classmethod
    def read(
        cls,
        path: str,
        column: str,
        *,
        fold: bool = False,
        input_format: str | None = None,
        labels: Callable[[Corpus], Corpus] = lambda corpus: corpus,
    ) -> Lexicon:
        """From a plain list of words, one per line, or from an annotated file, whose labels go through `labels`."""
        key: Callable[[str], str] = str.casefold if fold else str
        files = expand(path)
        if len(files) == 1 and _is_word_list(files[0]):
            words = (line.strip() for batch in Source(files[0]).batches() for _, line in batch.lines())
            return cls(path, dict(Counter(key(word) for word in words if word)), None, fold)
        corpus = Input(path, input_format=input_format, wanted=[column]).read([column])
        corpus = labels(replace(corpus, columns={column: next(iter(corpus.columns.values()))}))
        frequency: Counter[str] = Counter()
        for form, count in corpus.forms.counts().items():
            frequency[key(form)] += count
        labelled = corpus.column(column)
        pairs = set(zip(corpus.forms.codes.tolist(), labelled.codes.tolist(), strict=True))
        seen = {(key(corpus.forms.vocabulary[form]), labelled.vocabulary[label]) for form, label in pairs}
        return cls(path, dict(frequency), frozenset(seen), fold)

    def marked(self, corpus: Corpus, name: str, column: str) -> Corpus:
        """The corpus with a column `name` that says of each word: seen, unseen, or seen with other labels only."""
        forms = [form.casefold() if self.fold else form for form in corpus.forms.vocabulary]
        known = np.array([form in self.frequency for form in forms], dtype=bool)[corpus.forms.codes]
        codes = known.astype(np.int32)
        if self.labels is not None:
            labels = corpus.column(column)
            width = len(labels.vocabulary)
            distinct, inverse = np.unique(
                corpus.forms.codes.astype(np.int64) * width + labels.codes, return_inverse=True
            )
            new = [
                (forms[key // width], labels.vocabulary[key % width]) not in self.labels for key in distinct.tolist()
            ]
            codes[np.array(new, dtype=bool)[inverse] & known] = 2
        columns = {**corpus.columns, name: Column(codes, KNOWN)}
        if name == "train" and self.labels is not None:
            columns["frequency"] = self._bands(corpus, forms)
        return replace(corpus, columns=columns)

    def _bands(self, corpus: Corpus, forms: list[str]) -> Column:
        return banded(Column(corpus.forms.codes, tuple(forms)), self.frequency)


def banded(column: Column, frequency: dict[str, int]) -> Column:
    """Each word's band of frequency."""
    names = (*(name for _, name in BANDS), "over 1000")
    uppers = np.array([upper for upper, _ in BANDS])
    values = np.array([frequency.get(form, 0) for form in column.vocabulary])
    return Column(np.searchsorted(uppers, values, side="left")[column.codes], names)


def _is_word_list(path: str) -> bool:
    """Lines without tabs, hardly any of more than one word."""
    head = [line for line in Source(path).head() if line.strip()]
    if any("\t" in line for line in head):
        return False
    return sum(len(line.split()) > 1 for line in head) <= len(head) // 10


# --- known words of a pair ---


@dataclass(frozen=True, eq=False)
class ItemColumns:
    """A layer of a Pair: columns of gold's items and of the system's, where these are neither words nor spans."""

    columns: Mapping[str, tuple[Column, Column]]


def known_words(pair: Pair, items: Items, source: str, wanted_by: str) -> tuple[Ints, tuple[str, ...]]:
    """For each item, seen or unseen in `--train` or `--lexicon` (the first that was given, if none is named)."""
    if source and source not in _SOURCES:
        raise unknown("source of words", source, _SOURCES)
    own = pair.layer(ItemColumns)
    columns: Mapping[str, object] = pair.gold.columns if pair.gold.spans is None else pair.gold.spans.columns
    if own is not None:
        columns = own.columns
    given = [name for name in _SOURCES if name in columns]
    name = source or (given[0] if given else "train")
    if name not in given:
        raise UsageError(f"{wanted_by} needs the known words: give --{name} FILE.")
    return attribute(pair, items, name)


def attribute(pair: Pair, items: Items, name: str) -> tuple[Ints, tuple[str, ...]]:
    """A column's value per item, from gold or, for a spurious item, from the system; as codes."""
    spans, own = pair.layer(SpanPair), pair.layer(ItemColumns)
    sides = (pair.gold, pair.system) if spans is None else (spans.gold, spans.system)
    columns = [side.column(name) for side in sides] if own is None else own.columns[name]
    if own is None and spans is not None and spans.unplaced is not None:
        vocabulary, (gold, system, others) = one_vocabulary([*columns, spans.unplaced.columns[name]])
        return items.of_sides(gold, np.concatenate([system, others])), vocabulary
    vocabulary, (gold, system) = one_vocabulary(columns)
    return items.of_sides(gold, system), vocabulary
