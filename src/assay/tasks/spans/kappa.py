"""Agreement beyond chance between two annotators of spans, where that is defined."""

from __future__ import annotations

import numpy as np

from assay.align import Pair
from assay.arrays import Ints
from assay.corpus import Corpus
from assay.engine import matching
from assay.engine.counts import Counts, by_label
from assay.engine.items import Items
from assay.engine.measure import BEYOND_CHANCE, SCORES, measure
from assay.engine.spanpairs import spans_of
from assay.errors import UsageError, unknown

ON = ("labels", "words")
OUTSIDE = "(none)"
"""What a word outside all spans is labelled."""


@measure("span-kappa", scores=SCORES, averages=BEYOND_CHANCE, main="kappa", count=by_label, task="spans")
def span_kappa(pair: Pair, *, on: str = "labels") -> Counts:
    """Agreement of two annotators of spans, beyond chance, where that is defined.

    on: `labels`: the labels of spans whose boundaries both have (with F1 for whether spans are found at all: there
        is no number of spans that both rightly left out, so kappa has no meaning for that); `words`: the label of
        each word, with one more label for words outside all spans; for spans that do not overlap.
    Counts: per label right, gold, system. Score: as for kappa.
    """
    if on not in ON:
        raise unknown("value of on", on, ON)
    return by_label(_of_labels(pair) if on == "labels" else _of_words(pair), pair.gold.sentences)


def _of_labels(pair: Pair) -> Items:
    spans = spans_of(pair)
    records = spans.matched(matching.fair)
    same = np.isin(records.kind, [matching.FAIR.index("tp"), matching.FAIR.index("le")])
    target, system = records.target[same], records.system[same]
    gold, assigned = spans.gold.spans.label[target], spans.system.spans.label[system]
    return Items.of(spans.labels, spans.gold.sentence[target], target, gold, assigned, gold == assigned)


def _of_words(pair: Pair) -> Items:
    spans = spans_of(pair)
    gold, system = pair.gold, pair.system
    if spans.atoms != "words" or not (gold.has_words and system.has_words) or len(gold) != len(system):
        raise UsageError("span-kappa(on=words) needs the words of both files, cut alike.")
    outside = len(spans.labels)
    codes = [
        _labels_of_words(corpus, side.spans, outside) for corpus, side in ((gold, spans.gold), (system, spans.system))
    ]
    words = np.flatnonzero(~pair.skipped[gold.sentence_of])
    first, second = (code[words] for code in codes)
    labels = (*spans.labels, OUTSIDE)
    return Items.of(labels, gold.sentence_of[words], words, first, second, first == second)


def _labels_of_words(corpus: Corpus, spans: matching.SpanList, outside: int) -> Ints:
    codes = np.full(len(corpus), outside, dtype=np.int64)
    covered = 0
    for index in range(len(spans)):
        for begin, end in spans.atoms_of(index):
            codes[begin:end] = spans.label[index]
            covered += end - begin
    if covered != int((codes != outside).sum()):
        raise UsageError(f"{corpus.name}: spans overlap, so a word has no single label for span-kappa(on=words).")
    return codes
