"""Named selections: of sentences (by length, document, metadata) or of items (by label, seen, frequency)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.align import Pair
from assay.arrays import Ints
from assay.corpus import Column, Corpus
from assay.errors import UsageError, unknown
from assay.judgements import Judgements
from assay.lexicon import banded

LENGTHS = ((5, "1-5"), (10, "6-10"), (20, "11-20"), (40, "21-40"))

Values = tuple[Ints, tuple[str, ...]]
"""Codes and what they stand for, in the order in which they are to be shown."""


@dataclass(frozen=True)
class SliceKind:
    """A way to cut the data; by sentence, or by item."""

    name: str
    help: str
    of_sentences: Callable[[Corpus, str], Values] | None = None
    of_items: Callable[[Pair, Judgements, str], Values] | None = None


def _sentence_length(gold: Corpus, _: str) -> Values:
    uppers = np.array([upper for upper, _ in LENGTHS])
    names = (*(name for _, name in LENGTHS), "over 40")
    return np.searchsorted(uppers, np.diff(gold.starts), side="left"), names


def _document(gold: Corpus, _: str) -> Values:
    return gold.document_of_sentence, tuple(gold.document_name(i) for i in range(gold.documents))


def _metadata(gold: Corpus, key: str) -> Values:
    values = gold.metadata(key)
    if not key or all(value is None for value in values):
        keys = [known for known in gold.metadata_keys() if known not in ("sent_id", "text")]
        hint = f"There is: {', '.join(keys)}." if keys else "It has no such comments."
        spec = f"meta:{key}" if key else "meta"
        raise UsageError(f"--slice {spec}: {gold.name} has no comment `# {key or 'KEY'} = …`. {hint}")
    column = Column.of("(none)" if value is None else value for value in values)
    return column.codes, column.vocabulary


def _label(pair: Pair, judged: Judgements, _: str) -> Values:
    return np.where(judged.has_gold, judged.gold, judged.system), judged.labels


def _seen(pair: Pair, judged: Judgements, which: str) -> Values:
    return pair.known(judged, which, "--slice seen")


def _frequency(pair: Pair, judged: Judgements, _: str) -> Values:
    if "frequency" in pair.gold.columns:
        return pair.attribute(judged, "frequency")
    if "train" in pair.gold.columns:
        raise UsageError(
            "--slice frequency: --train is a list of words, which has no frequencies. Give the data itself."
        )
    counts = pair.gold.forms.counts()
    gold, system = banded(pair.gold.forms, counts), banded(pair.system.forms, counts)
    has_gold = judged.has_gold
    codes = np.empty(len(judged), dtype=np.int64)
    codes[has_gold] = gold.codes[judged.word[has_gold]]
    codes[~has_gold] = system.codes[judged.word[~has_gold]]
    return codes, gold.vocabulary


SLICES = {
    kind.name: kind
    for kind in (
        SliceKind("label", "gold label (for a spurious item the system's)", of_items=_label),
        SliceKind("seen", "seen or unseen in --train (seen:lexicon: in --lexicon)", of_items=_seen),
        SliceKind("frequency", "frequency of the word in --train, else in gold itself", of_items=_frequency),
        SliceKind("sentence-length", "number of words in the gold sentence", of_sentences=_sentence_length),
        SliceKind("document", "document, or file of a folder", of_sentences=_document),
        SliceKind("meta", "meta:KEY, the value of the comment `# KEY = …`", of_sentences=_metadata),
    )
}


@dataclass(frozen=True)
class Slice:
    """A slice kind with its argument, as typed: `sentence-length`, `meta:genre`."""

    kind: SliceKind
    argument: str

    def __str__(self) -> str:
        return f"{self.kind.name}:{self.argument}" if self.argument else self.kind.name

    @classmethod
    def find(cls, spec: str) -> Slice:
        """The slice that a spec stands for."""
        name, _, argument = spec.partition(":")
        if name not in SLICES:
            raise unknown("slice", name, SLICES)
        return cls(SLICES[name], argument)

    def sentences(self, gold: Corpus) -> Values | None:
        """The value of each gold sentence, or None for a slice by item."""
        return self.kind.of_sentences(gold, self.argument) if self.kind.of_sentences else None

    def items(self, pair: Pair, judged: Judgements) -> Values:
        """The value of each item."""
        if self.kind.of_items:
            return self.kind.of_items(pair, judged, self.argument)
        assert self.kind.of_sentences is not None
        codes, names = self.kind.of_sentences(pair.gold, self.argument)
        return codes[judged.sentence], names
