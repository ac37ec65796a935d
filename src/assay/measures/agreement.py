"""Agreement beyond chance between two annotators: Cohen's kappa and Krippendorff's alpha, for words and for spans."""

from __future__ import annotations

import numpy as np

from assay import matching
from assay.align import Pair
from assay.arrays import Floats, Ints, ratio
from assay.corpus import Corpus
from assay.counts import Counts, Sums, by_label
from assay.errors import UsageError, unknown
from assay.judgements import Judgements
from assay.measures.definition import f1, measure

ON = ("labels", "words")
OUTSIDE = "(none)"
"""What a word outside all spans is labelled."""


def _kappa(sums: Sums) -> Floats:
    """Cohen's: observed agreement against that of two who label at random, each with shares of their own."""
    items = sums["gold"].sum(axis=-1)
    observed = ratio(sums["right"].sum(axis=-1), items)
    expected = ratio((sums["gold"] * sums["system"]).sum(axis=-1), items**2)
    return ratio(observed - expected, 1 - expected)


def _alpha(sums: Sums) -> Floats:
    """Krippendorff's for nominal labels: chance is drawing two labels from all that both gave."""
    items = sums["gold"].sum(axis=-1)
    both = sums["gold"] + sums["system"]
    pairs = 2 * items * (2 * items - 1)
    differing = ratio(items - sums["right"].sum(axis=-1), items)
    expected = 1 - ratio((both * (both - 1)).sum(axis=-1), pairs)
    return np.asarray(1 - ratio(differing, expected))


_SCORES = {"agreement": f1}
_AVERAGES = {"kappa": _kappa, "alpha": _alpha}


@measure("kappa", scores=_SCORES, averages=_AVERAGES, main="kappa", count=by_label)
def kappa(pair: Pair, *, column: str | None = None) -> Counts:
    """Agreement of two annotators on the labels of words, beyond chance.

    column: as for accuracy.
    Counts: per label right, gold, system, over words that both have.
    Score: agreement = 2·right/(gold+system), per label the specific agreement; kappa is Cohen's, with observed
        agreement p and expected agreement e = Σ gold·system/n²: (p−e)/(1−e); alpha is Krippendorff's for nominal
        labels, whose chance is drawing two of the 2n labels of both. Neither is defined where only one label occurs.
    Peers: scikit-learn cohen_kappa_score, nltk.metrics.agreement.
    """
    judged = pair.judge(column)
    # Only what both have is counted, which differs from pair to pair: there are no items to compare systems on.
    return by_label(judged.where(judged.has_gold & judged.has_system), pair.gold.sentences)


@measure("span-kappa", scores=_SCORES, averages=_AVERAGES, main="kappa", count=by_label, task="spans")
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


def _of_labels(pair: Pair) -> Judgements:
    spans = pair.spanned()
    records = spans.matched(matching.fair)
    same = np.isin(records.kind, [matching.FAIR.index("tp"), matching.FAIR.index("le")])
    target, system = records.target[same], records.system[same]
    gold, assigned = spans.gold.spans.label[target], spans.system.spans.label[system]
    return Judgements(spans.gold.sentence[target], target, gold, assigned, gold == assigned, spans.labels)


def _of_words(pair: Pair) -> Judgements:
    spans = pair.spanned()
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
    return Judgements(gold.sentence_of[words], words, first, second, first == second, labels)


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
