"""One label per word: accuracy, whole sentences, unknown words, and each tag by itself."""

from __future__ import annotations

import numpy as np

from assay.align import Pair
from assay.engine.counts import by_label, whole_sentences
from assay.engine.judgements import Judgements, judge_words
from assay.engine.lexicon import known_words
from assay.engine.measure import FOUND, FOUND_WORDS, OVER_LABELS, Proportion, measure


@measure("accuracy", scores=FOUND_WORDS, main="f1")
def accuracy(pair: Pair, *, column: str | None = None) -> Judgements:
    """Words with the label that gold has.

    column: the column compared; the one chosen for the run where none is given.
    Counts: right, gold, system (words), aligned (words with a counterpart).
    Score: precision = right/system, recall = right/gold, f1 = 2·right/(gold+system), aligned = right/aligned.
        With equal tokenisation all four are one number, the accuracy.
    Golden: pos-german, pos-german-konvens2019, morph-slovene-ssj500k.
    Peers: conll18_ud_eval (UPOS, XPOS, UFeats, Lemmas), scikit-learn accuracy_score.
    """
    return judge_words(pair, column)


@measure("sentence-accuracy", scores={"value": Proportion("right", "sentences")}, count=whole_sentences)
def sentence_accuracy(pair: Pair, *, column: str | None = None) -> Judgements:
    """Gold sentences in which every word has the right label.

    column: as for accuracy.
    Counts: right, sentences (those with at least one gold label).
    Score: value = right/sentences.
    Paper: Tuggener 2017, Table 3; Szymański & Gorman 2020, section 4.
    Golden: pos-german, morph-slovene-ssj500k.
    """
    return judge_words(pair, column)


@measure("oov-accuracy", scores=FOUND_WORDS, main="f1")
def oov_accuracy(pair: Pair, *, column: str | None = None, words: str = "") -> Judgements:
    """Accuracy on words that the training data (--train) or the dictionary (--lexicon) does not have.

    column: as for accuracy.
    words: `train` or `lexicon`; where both are given, `train` unless said otherwise.
    Counts: as for accuracy, over unseen words. Score: as for accuracy; undefined where no word is unseen.
    Paper: Szymański & Gorman 2020, section 4.
    Golden: pos-german.
    """
    judged = judge_words(pair, column)
    values, vocabulary = known_words(pair, judged, words, "oov-accuracy")
    return judged.where(np.isin(values, [code for code, name in enumerate(vocabulary) if name == "unseen"]))


@measure("tag-f1", scores=FOUND, averages=OVER_LABELS, main="f1", count=by_label, tested=("f1", "macro-f1"))
def tag_f1(pair: Pair, *, column: str | None = None) -> Judgements:
    """Precision, recall and F1 of each tag, and their averages.

    column: as for accuracy.
    Counts: per tag right, gold, system.
    Score: per tag precision = right/system, recall = right/gold, f1 = 2·right/(gold+system). For all tags
        together the same from the sums (micro; with one tag per word the accuracy), macro- the plain mean over
        tags that gold has, weighted- the mean weighted by gold counts. A tag that a resample happens not to have
        is left out of its macro averages; as rare tags are hard ones, their intervals lean upwards.
    Paper: Tuggener 2017, Tables 9 and 12 give the recall.
    Golden: an independent count over pos-german. Peers: scikit-learn classification_report.
    """
    return judge_words(pair, column)
