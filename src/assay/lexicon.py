"""Known words: what training data or a dictionary has becomes a column of the corpora compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assay.corpus import Column, Corpus
from assay.readers import Input
from assay.readers.source import Source, expand
from assay.schemes import looks_like_tags
from assay.spanpairs import surface_forms

BANDS = ((0, "0"), (1, "1"), (5, "2-5"), (20, "6-20"), (100, "21-100"), (1000, "101-1000"))


_KNOWN = ("unseen", "seen", "seen with other labels")


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

    @classmethod
    def of_spans(cls, path: str, training: Callable[[], Corpus], *, fold: bool = False) -> Lexicon:
        """The texts of spans: from a plain list, one per line, or of training data, read where it is no list."""
        key: Callable[[str], str] = str.casefold if fold else str
        files = expand(path)
        if len(files) == 1 and _is_list_of_names(files[0]):
            lines = (" ".join(line.split()) for batch in Source(files[0]).batches() for _, line in batch.lines())
            return cls(path, dict(Counter(key(line) for line in lines if line)), None, fold)
        corpus = training()
        assert corpus.spans is not None
        forms = [key(form) for form in surface_forms(corpus)]
        labelled = frozenset(zip(forms, corpus.spans.labels.strings(), strict=True))
        return cls(path, dict(Counter(forms)), labelled, fold)

    def marked_spans(self, corpus: Corpus, name: str) -> Corpus:
        """The corpus with a column `name` of its spans: seen, unseen, or seen with other labels only."""
        spans = corpus.spans
        assert spans is not None
        forms = [form.casefold() if self.fold else form for form in surface_forms(corpus)]
        seen = np.array([form in self.frequency for form in forms], dtype=np.int32)
        if self.labels is not None:
            pairs = zip(forms, spans.labels.strings(), strict=True)
            seen[np.array([pair not in self.labels for pair in pairs], dtype=bool) & (seen > 0)] = 2
        known = Column(seen, _KNOWN)
        return replace(corpus, spans=replace(spans, columns={**spans.columns, name: known}))

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
        columns = {**corpus.columns, name: Column(codes, _KNOWN)}
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


def _is_list_of_names(path: str) -> bool:
    """Lines without tabs or other marks of a format."""
    head = [line for line in Source(path).head() if line.strip()]
    widths = {len(line.split()) for line in head}
    # In a table all lines have as many columns, and the last is a tag.
    table = len(widths) == 1 and widths != {1} and looks_like_tags(line.split()[-1] for line in head)
    return not table and not any("\t" in line or line.lstrip()[:1] in "{[<" for line in head)


def _is_word_list(path: str) -> bool:
    """Lines without tabs, hardly any of more than one word."""
    head = [line for line in Source(path).head() if line.strip()]
    if any("\t" in line for line in head):
        return False
    return sum(len(line.split()) > 1 for line in head) <= len(head) // 10
