"""Labels of words: accuracy, each tag by itself, agreement, and partial credit for tags with parts (Acedański &
Przepiórkowski 2010)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Array, Floats, Ints, ratio
from assay.classes import dataclass
from assay.corpus import Column
from assay.engine.coefficients import kappa_rows
from assay.engine.counts import Counts, Sums, by_label, tally_credits, tally_whole_sentences
from assay.engine.items import ONE, Items, judge_words
from assay.engine.lexicon import known_words
from assay.engine.measure import (
    BEYOND_CHANCE,
    BLANK,
    FOUND,
    FOUND_WORDS,
    OVER_LABELS,
    SCORES,
    Macro,
    Proportion,
    Ratio,
    Scores,
    f1,
    mean_by_size,
    measure,
)
from assay.engine.treebanks import universal_features
from assay.errors import UsageError, unknown
from assay.tasks.tags.tagsets import Tagset, find_tagset
from assay.tasks.tags.tagsets.analysis import ABSENT, POS, Analysis, score_tags

if TYPE_CHECKING:
    from assay.tasks.tags.weights import Weights

EMPTY = ("label", "skip")


@measure("accuracy", scores=FOUND_WORDS, main="f1")
def accuracy(pair: Pair, *, column: str | None = None) -> Items:
    """Words with the label that gold has.

    column: the column compared. Default: the column of the run.
    Counts: right, gold, system (words), aligned (words with a counterpart).
    Score: precision = right/system, recall = right/gold, f1 = 2·right/(gold+system), aligned = right/aligned.
        With equal tokenisation all four are one number, the accuracy.
    Peers: conll18_ud_eval (UPOS, XPOS, UFeats, Lemmas), scikit-learn accuracy_score.
    """
    return judge_words(pair, column)


@measure(
    "sentence-accuracy",
    papers=("tuggener2017",),
    scores={"value": Proportion("right", "sentences")},
    count=tally_whole_sentences,
)
def sentence_accuracy(pair: Pair, *, column: str | None = None) -> Items:
    """Gold sentences in which every word has the right label.

    column: as for accuracy.
    Counts: right, sentences (those with at least one gold label).
    Score: value = right/sentences.
    Paper: Tuggener 2017, Table 3; Szymański & Gorman 2020, section 4.
    """
    return judge_words(pair, column)


@measure("oov-accuracy", papers=("szymanski2020",), scores=FOUND_WORDS, main="f1")
def oov_accuracy(pair: Pair, *, column: str | None = None, words: str = "") -> Items:
    """Accuracy on words that the training data (--train) or the dictionary (--lexicon) does not have.

    column: as for accuracy.
    words: `train` or `lexicon`. Default if both are given: `train`.
    Counts: as for accuracy, over unseen words. Score: as for accuracy; undefined if no word is unseen.
    Paper: Szymański & Gorman 2020, section 4.
    """
    items = judge_words(pair, column)
    values, vocabulary = known_words(pair, items, words, "oov-accuracy")
    return items.where(np.isin(values, [code for code, name in enumerate(vocabulary) if name == "unseen"]))


@measure("ufeats", papers=("zeman2018",), scores=FOUND_WORDS, main="f1", columns=("FEATS",))
def ufeats(pair: Pair, *, empty: str = "label") -> Items:
    """Words with the universal features that gold has, as in CoNLL 2018.

    empty: `label`: no features (`_`) are an answer like others, as in CoNLL 2018; `skip`: words for which gold has
        `_` in FEATS are left out.
    Counts and Score: as for accuracy. Only universal features are compared, and no layered ones (`Gender[psor]`);
        `accuracy(column=FEATS)` compares all.
    Peers: udtools, conll18_ud_eval (UFeats).
    """
    return _judge_columns(pair, "ufeats", ("FEATS",), ("FEATS",), empty)


@measure("alltags", papers=("zeman2018",), scores=FOUND_WORDS, main="f1", columns=("UPOS", "XPOS", "FEATS"))
def alltags(pair: Pair, *, empty: str = "label") -> Items:
    """Words with the UPOS, XPOS and universal features that gold has, as in CoNLL 2018.

    empty: `label`: `_` is a label like others, as in CoNLL 2018, so that two files without a layer agree on it;
        `skip`: words for which gold has `_` in UPOS or XPOS are left out.
    Counts and Score: as for accuracy; features as for ufeats.
    Peers: udtools, conll18_ud_eval (AllTags).
    """
    return _judge_columns(pair, "alltags", ("UPOS", "XPOS", "FEATS"), ("UPOS", "XPOS"), empty)


def _judge_columns(pair: Pair, name: str, columns: Sequence[str], needed: Sequence[str], empty: str) -> Items:
    """Items of words with several columns as one label; `skip` leaves out words for which gold lacks a needed one."""
    if empty not in EMPTY:
        raise unknown("value of empty", empty, EMPTY)
    sides = []
    for corpus, skips in ((pair.gold, empty == "skip"), (pair.system, False)):
        parts = [corpus.column(column) for column in columns]
        rows, codes = np.unique(np.stack([part.codes for part in parts], axis=1), axis=0, return_inverse=True)
        labels = []
        for row in rows.tolist():
            cells = {column: part.vocabulary[code] for column, part, code in zip(columns, parts, row, strict=True)}
            shown = (universal_features(cell) if column == "FEATS" else cell for column, cell in cells.items())
            missing = skips and any(cells[column] == "_" for column in needed)
            labels.append("_" if missing else " ".join(shown).strip() or "∅")
        distinct = Column.of(labels)
        joined = Column(distinct.codes[codes.reshape(-1)], distinct.vocabulary)
        sides.append(replace(corpus, columns={**corpus.columns, name: joined}, empty="_"))
    return judge_words(replace(pair, gold=sides[0], system=sides[1]), name)


@measure("tag-f1", scores=FOUND, averages=OVER_LABELS, main="f1", count=by_label, tested=("f1", "macro-f1"))
def tag_f1(pair: Pair, *, column: str | None = None) -> Items:
    """Precision, recall and F1 of each tag, and their averages.

    column: as for accuracy.
    Counts: per tag right, gold, system.
    Score: per tag precision = right/system, recall = right/gold, f1 = 2·right/(gold+system). For all tags
        together these of the sums (micro; with one tag per word the accuracy), macro- the plain mean over the tags
        that gold has, except --blank-tag, weighted- the mean weighted by gold counts. The interval of a macro
        average is too narrow if a tag has fewer than 10 words, gold's and the system's (marked †). By resampling it
        is biased upwards, because a resample without some rare tag leaves it out.
    Paper: Tuggener 2017, Tables 9 and 12 give the recall.
    Peers: scikit-learn classification_report.
    """
    items, blank = judge_words(pair, column), pair.layer(Blank)
    if blank is None:
        return items
    return replace(items, marks={BLANK: items.gold == (*items.labels, blank.label).index(blank.label)})


@dataclass(frozen=True, eq=False)
class Blank:
    """The label of words whose cell is empty."""

    label: str


@dataclass(frozen=True, eq=False)
class Rich:
    """Tagset and weights of a run with tags that have parts."""

    tagset: Tagset
    expand_optional: bool = False
    weights: Weights | None = None


def analyse_labels(pair: Pair, column: str | None = None, tagset: Tagset | None = None) -> Analysis:
    """The labels of both sides split into categories, by the tagset of the run or by another."""
    rich, name = pair.layer(Rich), column or pair.column
    chosen = tagset or (rich.tagset if rich else None)
    if chosen is None:
        raise UsageError("this measure splits tags into categories. Give --tagset (assay tagset lists them).")
    empty = pair.system.empty or pair.gold.empty

    def make() -> Analysis:
        labels = judge_words(pair, name).labels
        return Analysis.of(labels, chosen, expand_optional=bool(rich and rich.expand_optional), empty=empty)

    return pair.once(f"analysis of {name} by {chosen.name}", make)


def _credit_f1(sums: Sums) -> Floats:
    p, r = _CREDIT["precision"](sums), _CREDIT["recall"](sums)
    # Nothing right on both sides is F = 0, not undefined.
    return np.asarray(np.where(p + r == 0, 0.0, ratio(2 * p * r, p + r)))


_CREDIT: Scores = {
    "strong": Ratio(lambda sums: sums["strong"] / ONE, lambda sums: sums["items"]),
    "weak": Ratio(lambda sums: sums["weak"] / ONE, lambda sums: sums["items"]),
    "f1": _credit_f1,
    "precision": Ratio(lambda sums: sums["assigned-credit"] / ONE, lambda sums: sums["assigned"]),
    "recall": Ratio(lambda sums: sums["expected-credit"] / ONE, lambda sums: sums["expected"]),
}


@measure("pa", papers=("acedanski2010",), scores=_CREDIT, main="strong", count=tally_credits)
def pa(pair: Pair, *, column: str | None = None, tagset: str = "") -> Items:
    """Partial accuracy: the share of a tag's positions (part of speech and categories) that agree.

    column: as for accuracy.
    tagset: a name or file, instead of --tagset; `atomic` scores whole tags, 1 or 0. One of the two is needed.
    Counts: items, tags assigned and expected, credit of each side, weak and strong credit.
    Score: the score of two tags is the F of the positions that both have with equal value. In sets of tags,
        score(t, A) is the best of t against A: strong = mean over words of the least score of any of their tags,
        weak = mean of the best score of an assigned tag, precision and recall = mean over assigned and over gold
        tags.
        With one tag on each side all five are one number.
    Paper: Acedański & Przepiórkowski 2010, sections 2.2 and 3.1, Tables 4 and, with tagset=atomic, 2.
    """
    chosen = find_tagset(tagset) if tagset else None
    tag_column = getattr(chosen, "column", "")
    if tag_column and tag_column != (column or pair.column):
        raise UsageError(f"pa(tagset={tagset}) takes tags from {tag_column}. Give --tagset {tagset}")
    analysis = analyse_labels(pair, column, chosen)
    return _grade(pair, column, analysis, np.ones(analysis.values.shape))


@measure("wpa", papers=("acedanski2010",), scores=_CREDIT, main="strong", count=tally_credits)
def wpa(pair: Pair, *, column: str | None = None, weights: str = "") -> Items:
    """Weighted partial accuracy: as pa, with a weight for the part of speech and for each category.

    column: as for accuracy. Needs --tagset.
    weights: a file or a preset (equal, paper, poliqarp). Default: --weights.
    Counts and Score: as for pa, with the weight of each position.
    Paper: Acedański & Przepiórkowski 2010, section 2.3 and Table 1.
    """
    return _grade_weighted(pair, column, weights, "wpa")


@measure("cwpa", papers=("acedanski2010",), scores=_CREDIT, main="strong", count=tally_credits)
def cwpa(pair: Pair, *, column: str | None = None, weights: str = "") -> Items:
    """Conditionally weighted partial accuracy: as wpa, with weights that depend on the part of speech.

    column: as for accuracy. Needs --tagset.
    weights: a file with weights per part of speech (`assay weights … --conditional`). Default: --weights.
    Counts and Score: as for pa; precision uses the weights of the assigned tag's part of speech, recall those of
        gold's.
    Paper: Acedański & Przepiórkowski 2010, section 2.4.
    """
    return _grade_weighted(pair, column, weights, "cwpa")


@measure("pos-accuracy", papers=("acedanski2010",), scores=_CREDIT, main="f1", count=tally_credits)
def pos_accuracy(pair: Pair, *, column: str | None = None) -> Items:
    """Words with the right part of speech; the rest of the tag does not count.

    column: as for accuracy. Needs --tagset.
    Counts and Score: as for pa, with credit 1 for an equal part of speech and 0 for another; with one tag on each
        side all five scores are one number, the accuracy.
    """
    items, analysis = judge_words(pair, column), analyse_labels(pair, column)
    names = analysis.value_names(POS)
    codes: dict[str, int] = {}
    recoded = np.array([*(codes.setdefault(name, len(codes)) for name in names), NONE], dtype=np.int32)
    classes = np.unique([analysis.coarse_pos(tag) for tag in analysis.tags] or [""], return_inverse=True)[1]

    def score(assigned: Ints, gold: Ints) -> Floats:
        return np.asarray(classes[assigned] == classes[gold], dtype=np.float64)

    gold, answer = recoded[items.gold], recoded[items.answer]
    items = replace(items, credits=label_credits(items, analysis, score)[None])
    return replace(items, gold=gold, answer=answer, right=gold == answer, labels=tuple(codes))


@measure(
    "features",
    papers=("acedanski2010",),
    scores=FOUND,
    averages={"macro-f1": Macro(f1), "weighted-f1": mean_by_size(f1)},
    main="f1",
)
def features(pair: Pair, *, column: str | None = None, pos: bool = False) -> Counts:
    """Precision, recall and F1 of each category of the tags.

    column: as for accuracy. Needs --tagset.
    pos: count the part of speech as a category too.
    Counts: per category right (both sides have it with equal value), gold and system (words that have it).
    Score: as for tag-f1, with categories as labels.
    Peers: spaCy's Scorer (morph_per_feat).
    """
    items, analysis = judge_words(pair, column), analyse_labels(pair, column)
    sentences = pair.gold.sentences
    categories = [name for name in analysis.positions if pos or name != POS]
    # If a word may count on one side only, the numerator of precision is counted separately.
    fields = ("right", "gold", "system", *(("found",) if items.selected else ()))
    parts = []
    for category in categories:
        values: dict[str, int] = {}
        names = analysis.value_names(category)
        codes = np.array([-1 if name == ABSENT else values.setdefault(name, len(values)) for name in names] + [-1])
        gold, system = codes[items.gold], codes[items.answer[0]]
        right, in_gold, in_system = (gold == system) & (gold >= 0), items.has_gold, items.has_system[0]
        masks = (right & in_gold, (gold >= 0) & in_gold, (system >= 0) & in_system, right & in_system)
        chosen = (items.sentence[mask] for _, mask in zip(fields, masks, strict=False))
        parts.append(np.stack([np.bincount(sentence, minlength=sentences) for sentence in chosen], axis=1))
    rows = np.concatenate([np.zeros((0, len(fields)), dtype=np.int64), *parts])
    label = np.repeat(np.arange(len(categories), dtype=np.int32), sentences)
    occurring = rows.any(axis=1)
    unit = np.tile(np.arange(sentences), len(categories))
    return Counts(fields, sentences, unit[occurring], rows[occurring], tuple(categories), label[occurring])


# --- credit for labels ---


def _grade_weighted(pair: Pair, column: str | None, name: str, kind: str) -> Items:
    from assay.tasks.tags.weights import load_weights

    analysis = analyse_labels(pair, column)
    rich = pair.layer(Rich)
    weights = load_weights(name) if name else rich.weights if rich else None
    if weights is None:
        raise UsageError(f"{kind} needs weights: give --weights FILE, or a preset such as --weights poliqarp.")
    if kind == "wpa" and weights.kind == "cwpa":
        raise UsageError("these weights depend on the part of speech: use the measure cwpa.")
    return _grade(pair, column, analysis, weight_matrix(analysis, weights))


def weight_matrix(analysis: Analysis, weights: Weights, number: Callable[..., object] = float) -> Array:
    """Weight of each position of each tag; 0 for positions that the weights do not list."""
    rows: dict[str, list[object]] = {}
    for tag in analysis.tags:
        # All tags of a part of speech weigh the same at a position.
        if tag.pos not in rows:
            rows[tag.pos] = [number(weights.of(tag.pos, position) or 0) for position in analysis.positions]
    kind = np.float64 if number is float else object
    table = [rows[tag.pos] for tag in analysis.tags]
    return np.array(table, dtype=kind).reshape(len(analysis.tags), len(analysis.positions))


def _grade(pair: Pair, column: str | None, analysis: Analysis, weights: Array) -> Items:
    items = judge_words(pair, column)

    def score(assigned: Ints, gold: Ints) -> Floats:
        return score_tags(analysis.values, assigned, gold, weights)[2]

    return replace(items, credits=label_credits(items, analysis, score)[None])


def label_credits(items: Items, analysis: Analysis, score: Callable[[Ints, Ints], Floats]) -> Ints:
    """Credits, fields × items; each distinct pair of labels is scored once, because there are few."""
    width = len(analysis.labels) + 1
    keys, group = np.unique((items.answer[0].astype(np.int64) + 1) * width + items.gold + 1, return_inverse=True)
    system, gold = keys // width - 1, keys % width - 1
    sets = (*analysis.of_label, ())  # the label NONE, at index -1, has no tags
    sizes = np.array([len(tags) for tags in sets])
    table = np.zeros((len(keys), 6), dtype=np.int64)
    # A word that gold does not have counts only on the system's side.
    table[:, 0], table[:, 1] = sizes[system], sizes[gold]
    single = np.flatnonzero((sizes[system] == 1) & (sizes[gold] == 1))
    if len(single):
        firsts = np.array([tags[0] if tags else 0 for tags in sets])
        scores = _as_whole_numbers(score(firsts[system[single]], firsts[gold[single]]))
        table[single, 2:] = scores[:, None]
    for row in np.flatnonzero((sizes[system] > 1) | (sizes[gold] > 1)).tolist():
        assigned, expected = sets[system[row]], sets[gold[row]]
        if assigned and expected:
            shape = (len(assigned), len(expected))
            pairs = score(np.repeat(assigned, shape[1]), np.tile(expected, shape[0])).reshape(shape)
            table[row, 2:] = _as_whole_numbers(np.array(set_scores(pairs)))
    return np.asarray(table[group].T)


def set_scores(pairs: Array) -> tuple[Any, Any, Any, Any]:
    """Credit of the assigned tags and of the gold tags of a word, weak and strong correctness.

    `pairs` are the scores of assigned × gold tags; the arithmetic is that of the scores.
    """
    best_assigned, best_gold = pairs.max(axis=1), pairs.max(axis=0)
    return best_assigned.sum(), best_gold.sum(), best_assigned.max(), min(best_assigned.min(), best_gold.min())


def _as_whole_numbers(scores: Floats) -> Ints:
    return np.rint(np.asarray(scores, dtype=np.float64) * ONE).astype(np.int64)


@measure(
    "kappa",
    papers=("cohen1960", "krippendorff2004"),
    scores=SCORES,
    averages=BEYOND_CHANCE,
    main="kappa",
    count=by_label,
    together=kappa_rows,
)
def cohen_kappa(pair: Pair, *, column: str | None = None, weights: str = "") -> Counts:
    """Agreement of two annotators on the labels of words or items, beyond chance.

    column: as for accuracy.
    weights: `none`; in agreement also `linear` or `quadratic`: labels that are further apart in their order agree
        less.
    Counts: per label right, gold, system, over words that both have.
    Score: agreement = 2·right/(gold+system), per label the specific agreement; kappa is Cohen's, with observed
        agreement p and expected agreement e = Σ gold·system/n²: (p−e)/(1−e); alpha is Krippendorff's for nominal
        labels, whose chance is drawing two of the 2n labels of both. Neither is defined if only one label occurs.
        With weights w by distance in rank kappa is 1 − Σ w·observed/Σ w·expected. For several annotators: each
        pair, over the words that both labelled, and the mean of the pairs.
    Peers: scikit-learn cohen_kappa_score, nltk.metrics.agreement.
    """
    if weights not in ("", "none"):
        raise UsageError("kappa(weights=…) is for annotators: assay agreement")
    items = judge_words(pair, column)
    # Only words that both have are counted, which differ from pair to pair, so systems have no items in common.
    return by_label(items.where(items.has_gold & items.has_system[0]), pair.gold.sentences)
