"""One label per word: accuracy, whole sentences, unknown words, and each tag by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.corpus import Column, Corpus
from assay.engine.counts import by_label, whole_sentences
from assay.engine.items import Items, judge_words
from assay.engine.lexicon import known_words
from assay.engine.measure import FOUND, FOUND_WORDS, OVER_LABELS, Proportion, measure
from assay.errors import unknown
from assay.tasks.dependencies.measures import universal

EMPTY = ("label", "skip")


@measure("accuracy", scores=FOUND_WORDS, main="f1")
def accuracy(pair: Pair, *, column: str | None = None) -> Items:
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
def sentence_accuracy(pair: Pair, *, column: str | None = None) -> Items:
    """Gold sentences in which every word has the right label.

    column: as for accuracy.
    Counts: right, sentences (those with at least one gold label).
    Score: value = right/sentences.
    Paper: Tuggener 2017, Table 3; Szymański & Gorman 2020, section 4.
    Golden: pos-german, morph-slovene-ssj500k.
    """
    return judge_words(pair, column)


@measure("oov-accuracy", scores=FOUND_WORDS, main="f1")
def oov_accuracy(pair: Pair, *, column: str | None = None, words: str = "") -> Items:
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


@measure("ufeats", scores=FOUND_WORDS, main="f1", columns=("FEATS",))
def ufeats(pair: Pair, *, empty: str = "label") -> Items:
    """Words with the universal features that gold has, as in CoNLL 2018.

    empty: `label`: no features (`_`) are an answer like others, as in CoNLL 2018; `skip`: words for which gold has
        `_` in FEATS are left out.
    Counts and Score: as for accuracy. Features outside the universal ones, and layered ones (`Gender[psor]`), are not
        looked at; `accuracy(column=FEATS)` compares all.
    Golden: dep-conll2018-en_ewt. Peers: udtools, conll18_ud_eval (UFeats).
    """
    return _together(pair, "ufeats", ("FEATS",), ("FEATS",), empty)


@measure("alltags", scores=FOUND_WORDS, main="f1", columns=("UPOS", "XPOS", "FEATS"))
def alltags(pair: Pair, *, empty: str = "label") -> Items:
    """Words with the UPOS, XPOS and universal features that gold has, as in CoNLL 2018.

    empty: `label`: `_` is a label like others, as in CoNLL 2018, where two files without a layer agree on it; `skip`:
        words for which gold has `_` in UPOS or XPOS are left out.
    Counts and Score: as for accuracy; features as for ufeats.
    Golden: dep-conll2018-en_ewt. Peers: udtools, conll18_ud_eval (AllTags).
    """
    return _together(pair, "alltags", ("UPOS", "XPOS", "FEATS"), ("UPOS", "XPOS"), empty)


def _together(pair: Pair, name: str, columns: Sequence[str], needed: Sequence[str], empty: str) -> Items:
    """Words judged by several columns as one; `needed` are those that gold must fill where `_` is no label."""
    if empty not in EMPTY:
        raise unknown("value of empty", empty, EMPTY)
    sides = [
        replace(
            corpus, columns={**corpus.columns, name: _joined(corpus, columns, needed if skips else ())}, empty="_"
        )
        for corpus, skips in ((pair.gold, empty == "skip"), (pair.system, False))
    ]
    return judge_words(replace(pair, gold=sides[0], system=sides[1]), name)


def _joined(corpus: Corpus, columns: Sequence[str], needed: Sequence[str]) -> Column:
    """The labels of several columns as one, of FEATS the universal ones; `_` where one that is needed has none."""
    found = [corpus.column(name) for name in columns]
    rows, codes = np.unique(np.stack([column.codes for column in found], axis=1), axis=0, return_inverse=True)
    labels = []
    for row in rows.tolist():
        cells = [column.vocabulary[code] for column, code in zip(found, row, strict=True)]
        gone = any(cell == "_" and name in needed for name, cell in zip(columns, cells, strict=True))
        shown = [universal(cell) if name == "FEATS" else cell for name, cell in zip(columns, cells, strict=True)]
        labels.append("_" if gone else " ".join(shown).strip() or "∅")
    known = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    places = np.array([known[label] for label in labels], dtype=np.int32)
    return Column(places[codes.reshape(-1)], tuple(known))


@measure("tag-f1", scores=FOUND, averages=OVER_LABELS, main="f1", count=by_label, tested=("f1", "macro-f1"))
def tag_f1(pair: Pair, *, column: str | None = None) -> Items:
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
