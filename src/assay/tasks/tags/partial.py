"""Partial credit for tags with parts, one or several per word (Acedański & Przepiórkowski 2010)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Array, Floats, Ints, ratio
from assay.engine.counts import Counts, Sums, graded
from assay.engine.items import ONE, Items, judge_words
from assay.engine.measure import FOUND, f1, macro, measure, weighted
from assay.errors import UsageError
from assay.tasks.tags import tagsets
from assay.tasks.tags.rich import analysis_of, given_weights
from assay.tasks.tags.tagsets.analysis import POS, Analysis, credit

if TYPE_CHECKING:
    from assay.tasks.tags.weights import Weights

Credit = Callable[[Ints, Ints], Floats]
"""From tags assigned and gold tags, pair by pair, to the score of each pair."""


def _strong(sums: Sums) -> Floats:
    return ratio(sums["strong"], ONE * sums["items"])


def _weak(sums: Sums) -> Floats:
    return ratio(sums["weak"], ONE * sums["items"])


def _precision(sums: Sums) -> Floats:
    return ratio(sums["assigned-credit"], ONE * sums["assigned"])


def _recall(sums: Sums) -> Floats:
    return ratio(sums["expected-credit"], ONE * sums["expected"])


def _f1(sums: Sums) -> Floats:
    p, r = _precision(sums), _recall(sums)
    # Nothing right on both sides is F = 0, not undefined.
    return np.asarray(np.where(p + r == 0, 0.0, ratio(2 * p * r, p + r)))


_SCORES = {"strong": _strong, "weak": _weak, "f1": _f1, "precision": _precision, "recall": _recall}


@measure("pa", scores=_SCORES, main="strong", count=graded)
def pa(pair: Pair, *, column: str | None = None, tagset: str = "") -> Items:
    """Partial accuracy: the share of a tag's positions (part of speech and categories) that agree.

    column: as for accuracy.
    tagset: a name or file in place of --tagset; `atomic` scores whole tags, 1 or 0. One of the two is needed.
    Counts: items, tags assigned and expected, credit of each side, weak and strong credit.
    Score: of two tags the F of the positions that both have with equal value. Over sets of tags, score(t, A)
        being the best of t against A: strong = mean over words of the least score of any of their tags, weak =
        mean of the best score of an assigned tag, precision and recall = mean over assigned and over gold tags.
        With one tag on each side all five are one number.
    Paper: Acedański & Przepiórkowski 2010, sections 2.2 and 3.1, Tables 4 and, with tagset=atomic, 2.
    Golden: cases/tagging, morph-slovene-ssj500k.
    """
    found = tagsets.find(tagset) if tagset else None
    wanted = getattr(found, "column", "")
    if wanted and wanted != (column or pair.column):
        raise UsageError(f"pa(tagset={tagset}) takes tags from {wanted}. Say --tagset {tagset}")
    analysis = analysis_of(pair, column, found)
    return _graded(pair, column, analysis, np.ones(analysis.values.shape))


@measure("wpa", scores=_SCORES, main="strong", count=graded)
def wpa(pair: Pair, *, column: str | None = None, weights: str = "") -> Items:
    """Weighted partial accuracy: as pa, with a weight for the part of speech and for each category.

    column: as for accuracy. Needs --tagset.
    weights: a file or a preset (equal, paper, poliqarp); --weights where none is given.
    Counts and Score: as for pa, positions weighing what the weights say.
    Paper: Acedański & Przepiórkowski 2010, section 2.3 and Table 1.
    Golden: cases/tagging.
    """
    return _weighted(pair, column, weights, "wpa")


@measure("cwpa", scores=_SCORES, main="strong", count=graded)
def cwpa(pair: Pair, *, column: str | None = None, weights: str = "") -> Items:
    """Conditionally weighted partial accuracy: as wpa, with weights that depend on the part of speech.

    column: as for accuracy. Needs --tagset.
    weights: a file with weights per part of speech (`assay weights … --conditional`); --weights where none is given.
    Counts and Score: as for pa; the weights of the assigned tag's part of speech go with precision, those of
        gold's with recall.
    Paper: Acedański & Przepiórkowski 2010, section 2.4.
    Golden: cases/tagging.
    """
    return _weighted(pair, column, weights, "cwpa")


@measure("pos-accuracy", scores=_SCORES, main="f1", count=graded)
def pos_accuracy(pair: Pair, *, column: str | None = None) -> Items:
    """Words with the right part of speech, whatever the rest of the tag.

    column: as for accuracy. Needs --tagset.
    Counts and Score: as for pa, with credit 1 for an equal part of speech and else 0; with one tag on each side
        all five scores are one number, the accuracy.
    Golden: cases/tagging, morph-slovene-ssj500k.
    """
    judged, analysis = judge_words(pair, column), analysis_of(pair, column)
    names = analysis.value_names(POS)
    known: dict[str, int] = {}
    recoded = np.array([*(known.setdefault(name, len(known)) for name in names), NONE], dtype=np.int32)
    classes = np.unique([analysis.coarse_pos(tag) for tag in analysis.tags] or [""], return_inverse=True)[1]

    def score(assigned: Ints, gold: Ints) -> Floats:
        return np.asarray(classes[assigned] == classes[gold], dtype=np.float64)

    gold, answer = recoded[judged.gold], recoded[judged.answer]
    graded_ = replace(judged, credits=label_credits(judged, analysis, score)[None])
    return replace(graded_, gold=gold, answer=answer, right=gold == answer, labels=tuple(known))


@measure(
    "features",
    scores=FOUND,
    averages={"macro-f1": macro(f1), "weighted-f1": weighted(f1)},
    main="f1",
)
def features(pair: Pair, *, column: str | None = None, pos: bool = False) -> Counts:
    """Precision, recall and F1 of each category of the tags.

    column: as for accuracy. Needs --tagset.
    pos: count the part of speech as a category too.
    Counts: per category right (both sides have it with equal value), gold and system (words that have it).
    Score: as for tag-f1, with categories as labels.
    Golden: morph-slovene-ssj500k. Peers: spaCy's Scorer (morph_per_feat).
    """
    judged, analysis = judge_words(pair, column), analysis_of(pair, column)
    sentences = pair.gold.sentences
    categories = [name for name in analysis.positions if pos or name != POS]
    # Where a word may count on one side alone, what precision is made of is counted by itself.
    fields = ("right", "gold", "system", *(("found",) if judged.selected else ()))
    parts = [_category_counts(judged, analysis, name, sentences)[:, : len(fields)] for name in categories]
    rows = np.concatenate([np.zeros((0, len(fields)), dtype=np.int64), *parts])
    label = np.repeat(np.arange(len(categories), dtype=np.int32), sentences)
    occurring = rows.any(axis=1)
    unit = np.tile(np.arange(sentences), len(categories))
    return Counts(fields, sentences, unit[occurring], rows[occurring], tuple(categories), label[occurring])


def _category_counts(judged: Items, analysis: Analysis, category: str, sentences: int) -> Ints:
    known: dict[str, int] = {}
    names = analysis.value_names(category)
    codes = np.array([-1 if name == "∅" else known.setdefault(name, len(known)) for name in names] + [-1])
    gold, system = codes[judged.gold], codes[judged.answer[0]]
    right = (gold == system) & (gold >= 0)
    has_gold, has_system = judged.has_gold, judged.has_system[0]
    masks = (right & has_gold, (gold >= 0) & has_gold, (system >= 0) & has_system, right & has_system)
    return np.stack([np.bincount(judged.sentence[mask], minlength=sentences) for mask in masks], axis=1)


# --- credit for labels ---


def _weighted(pair: Pair, column: str | None, name: str, kind: str) -> Items:
    from assay.tasks.tags.weights import load

    analysis = analysis_of(pair, column)
    weights = load(name) if name else given_weights(pair)
    if weights is None:
        raise UsageError(f"{kind} needs weights: give --weights FILE, or a preset such as --weights poliqarp.")
    if kind == "wpa" and weights.kind == "cwpa":
        raise UsageError("these weights depend on the part of speech: use the measure cwpa.")
    return _graded(pair, column, analysis, weight_matrix(analysis, weights))


def weight_matrix(analysis: Analysis, weights: Weights, number: Callable[..., object] = float) -> Array:
    """What each position of each tag weighs; what the weights do not know weighs nothing."""
    rows: dict[str, list[object]] = {}
    for tag in analysis.tags:
        # All tags of a part of speech weigh the same at a position.
        if tag.pos not in rows:
            rows[tag.pos] = [number(weights.of(tag.pos, position) or 0) for position in analysis.positions]
    kind = np.float64 if number is float else object
    table = [rows[tag.pos] for tag in analysis.tags]
    return np.array(table, dtype=kind).reshape(len(analysis.tags), len(analysis.positions))


def _graded(pair: Pair, column: str | None, analysis: Analysis, weights: Array) -> Items:
    judged = judge_words(pair, column)

    def score(assigned: Ints, gold: Ints) -> Floats:
        return credit(analysis.values, assigned, gold, weights)[2]

    return replace(judged, credits=label_credits(judged, analysis, score)[None])


def label_credits(judged: Items, analysis: Analysis, score: Credit) -> Ints:
    """Fields × items of credit; every distinct pair of labels is scored once, for there are few."""
    width = len(analysis.labels) + 1
    keys, group = np.unique((judged.answer[0].astype(np.int64) + 1) * width + judged.gold + 1, return_inverse=True)
    system, gold = keys // width - 1, keys % width - 1
    sets = (*analysis.of_label, ())  # the label NONE, at index -1, has no tags
    sizes = np.array([len(tags) for tags in sets])
    table = np.zeros((len(keys), 6), dtype=np.int64)
    # A word that gold does not have counts on the system's side alone.
    table[:, 0], table[:, 1] = sizes[system], sizes[gold]
    single = np.flatnonzero((sizes[system] == 1) & (sizes[gold] == 1))
    if len(single):
        firsts = np.array([tags[0] if tags else 0 for tags in sets])
        scores = _whole(score(firsts[system[single]], firsts[gold[single]]))
        table[single, 2:] = scores[:, None]
    for row in np.flatnonzero((sizes[system] > 1) | (sizes[gold] > 1)).tolist():
        if sizes[system[row]] and sizes[gold[row]]:
            table[row, 2:] = _set_credits(sets[system[row]], sets[gold[row]], score)
    return np.asarray(table[group].T)


def _set_credits(assigned: tuple[int, ...], gold: tuple[int, ...], score: Credit) -> Ints:
    pairs = score(np.repeat(assigned, len(gold)), np.tile(gold, len(assigned))).reshape(len(assigned), len(gold))
    return _whole(np.array(set_scores(pairs)))


def set_scores(pairs: Array) -> tuple[Any, Any, Any, Any]:
    """From the scores of assigned × gold tags of a word: the credit of the assigned tags, that of the gold tags,
    weak and strong correctness. The arithmetic is that of the scores.
    """
    best_assigned, best_gold = pairs.max(axis=1), pairs.max(axis=0)
    return best_assigned.sum(), best_gold.sum(), best_assigned.max(), min(best_assigned.min(), best_gold.min())


def _whole(scores: Floats) -> Ints:
    return np.rint(np.asarray(scores, dtype=np.float64) * ONE).astype(np.int64)
