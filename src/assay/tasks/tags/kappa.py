"""Agreement beyond chance between two annotators of words."""

from __future__ import annotations

from assay.align import Pair
from assay.engine.counts import Counts, by_label
from assay.engine.items import judge_words
from assay.engine.measure import BEYOND_CHANCE, SCORES, measure


@measure("kappa", scores=SCORES, averages=BEYOND_CHANCE, main="kappa", count=by_label)
def kappa(pair: Pair, *, column: str | None = None) -> Counts:
    """Agreement of two annotators on the labels of words, beyond chance.

    column: as for accuracy.
    Counts: per label right, gold, system, over words that both have.
    Score: agreement = 2·right/(gold+system), per label the specific agreement; kappa is Cohen's, with observed
        agreement p and expected agreement e = Σ gold·system/n²: (p−e)/(1−e); alpha is Krippendorff's for nominal
        labels, whose chance is drawing two of the 2n labels of both. Neither is defined where only one label occurs.
    Peers: scikit-learn cohen_kappa_score, nltk.metrics.agreement.
    """
    judged = judge_words(pair, column)
    # Only what both have is counted, which differs from pair to pair: there are no items to compare systems on.
    return by_label(judged.where(judged.has_gold & judged.has_system[0]), pair.gold.sentences)
