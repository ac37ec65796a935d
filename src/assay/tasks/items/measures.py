"""One label for each item: accuracy, each label by itself, agreement beyond chance; and sets of labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Floats, Ints, ratio
from assay.engine.coefficients import WEIGHTS, kappa_score
from assay.engine.counts import Counts, Sums, by_label
from assay.engine.items import ONE, Items
from assay.engine.measure import (
    FOUND,
    OVER_LABELS,
    Coefficient,
    Function,
    Macro,
    Mean,
    Proportion,
    Ranged,
    Scores,
    measure,
    precision,
    recall,
)
from assay.errors import UsageError
from assay.tasks.items.judge import judge_items, judge_labels, judge_set_members, labels_of, run_of

_ONE_LABEL = ("labels", "ordered", "numbers")
_POWERS = {"linear": 1, "quadratic": 2}
"""Distances in rank are raised to this power."""
_MAINS = {"macro": "macro-f1", "micro": "f1", "weighted": "weighted-f1"}


_ACCURACY: Scores = {"value": recall, "precision": precision, "coverage": Proportion("system", "gold")}


@measure("accuracy", task="items", scores=_ACCURACY, main="value")
def item_accuracy(pair: Pair) -> Items:
    """Items with gold's label.

    Counts: right, gold (items with a gold label), system (items with an answer).
    Score: value = right/gold; precision = right/system; coverage = system/gold, the share of items with an answer.
    Peers: scikit-learn accuracy_score.
    """
    run_of(pair, "accuracy", *_ONE_LABEL)
    return judge_items(pair)


def _of_labels(
    name: str, scores: Scores, averages: Scores, main: str = "value", **more: Any
) -> Callable[[Function], Function]:
    """A measure of items that has counts of each label, and averages over these."""
    return measure(name, task="items", scores=scores, averages=averages, main=main, count=by_label, **more)


def _choose_f1(parameters: Mapping[str, Any]) -> tuple[Scores, Scores, str]:
    if parameters["positive"]:
        return FOUND, {}, "f1"
    if parameters["average"] not in _MAINS:
        raise UsageError(f"label-f1: average is {', '.join(_MAINS)}, not {parameters['average']}.")
    return FOUND, OVER_LABELS, _MAINS[parameters["average"]]


@_of_labels("label-f1", FOUND, OVER_LABELS, main="macro-f1", chosen=_choose_f1, noun="label")
def label_f1(pair: Pair, *, positive: str = "", average: str = "macro") -> Items:
    """Precision, recall and F1 of each label, and their averages.

    positive: this label's F1 alone, as is usual if there are two.
    average: the main score: macro, micro (f1) or weighted. Default: macro; if items have sets of labels, micro.
    Counts: per label right, gold, system.
    Score: per label precision = right/system, recall = right/gold, f1 = 2·right/(gold+system). For all labels
        together these of the sums (micro; with one label and one answer per item the accuracy), macro- the plain
        mean over the labels that gold has, weighted- the mean weighted by gold counts. A label that only a system
        has is in no mean; scikit-learn takes gold's and that system's labels. --ignore-labels leaves labels out of
        sums and means, but a wrong answer to an item with such a label counts as found wrongly (TACRED).
    Peers: scikit-learn classification_report, with labels= those of gold.
    """
    run_of(pair, "label-f1", *_ONE_LABEL, "sets")
    return judge_labels(pair, positive)


@_of_labels("balanced-accuracy", {"recall": recall}, {"value": Macro(recall)})
def balanced_accuracy(pair: Pair) -> Items:
    """The mean of the recall of each label that gold has.

    Counts: per label right, gold, system.
    Score: value = the plain mean over gold's labels of right/gold; recall = right/gold.
    Peers: scikit-learn balanced_accuracy_score.
    """
    run_of(pair, "balanced-accuracy", *_ONE_LABEL)
    return judge_labels(pair)


def _correlate_labels(sums: Sums) -> Floats:
    right, gold, system = (sums[field] for field in ("right", "gold", "system"))
    items = gold.sum(axis=-1)
    # No answer is one more label, which gold never has.
    unanswered = items - system.sum(axis=-1)
    together = items * right.sum(axis=-1) - (gold * system).sum(axis=-1)
    spread = (items**2 - (system**2).sum(axis=-1) - unanswered**2) * (items**2 - (gold**2).sum(axis=-1))
    return ratio(together, np.sqrt(np.maximum(spread, 0.0)))


@_of_labels("mcc", {"recall": recall}, {"value": Coefficient(_correlate_labels)})
def mcc(pair: Pair) -> Items:
    """Matthews's correlation of gold's and the system's labels, for any number of labels.

    Counts: per label right, gold, system.
    Score: value = (n·right − Σ gold·system)/√((n² − Σ system²)(n² − Σ gold²)), where no answer is one more label;
        undefined if gold or the system has one label only. recall = right/gold.
    Peers: scikit-learn matthews_corrcoef, which says 0 if it is undefined.
    """
    run_of(pair, "mcc", *_ONE_LABEL)
    return judge_labels(pair)


_KAPPA: tuple[Scores, Scores] = ({"agreement": recall}, {"kappa": Coefficient(kappa_score)})


def _choose_kappa(parameters: Mapping[str, Any]) -> tuple[Scores, Scores, str]:
    weights = parameters["weights"] or "none"
    if weights not in WEIGHTS:
        raise UsageError(f"kappa: weights are {', '.join(WEIGHTS)}, not {weights}.")
    if weights == "none":
        return *_KAPPA, "kappa"
    return {"kappa": Coefficient(partial(_weighted_kappa, weights))}, {}, "kappa"


def _weighted_kappa(weights: str, sums: Sums) -> Floats:
    """Kappa from the summed distances of items and the numbers of each rank on both sides."""
    gold, system = (
        np.stack([sums[field] for field in sums if field.startswith(side)], axis=-1) for side in ("gold ", "system ")
    )
    ranks = np.arange(gold.shape[-1])
    distance = np.abs(ranks[:, None] - ranks) ** _POWERS[weights]
    expected = ratio(((gold @ distance) * system).sum(axis=-1), sums["items"])
    return np.asarray(1 - ratio(sums["distance"], expected))


@_of_labels("kappa", *_KAPPA, main="kappa", papers=("cohen1960",), chosen=_choose_kappa)
def kappa(pair: Pair, *, weights: str = "") -> Items | Counts:
    """Cohen's kappa: agreement of the system with gold beyond chance.

    weights: `none`; for ordered labels and numbers `linear` or `quadratic`: labels that are further apart in their
        order agree less.
    Counts: per label right, gold, system; with weights the distances of items with an answer, and how many of these
        have each rank on both sides.
    Score: kappa = (p−e)/(1−e), with observed agreement p and expected agreement e = Σ gold·system/n²; with weights
        w by distance in rank 1 − Σ w·observed/Σ w·expected. Without weights, no answer is one more label. Ranks are
        the places in order=, unused ones included. Not defined if only one label occurs.
    Peers: scikit-learn cohen_kappa_score.
    """
    run = run_of(pair, "kappa", *_ONE_LABEL)
    if weights in ("", "none"):
        return judge_items(pair)
    gold, answer = ranks_of(pair, f"kappa(weights={weights})", run.order)
    both = np.flatnonzero((answer != NONE) & ~pair.skipped)
    columns = [np.ones(len(both), dtype=np.int64), np.abs(gold - answer)[both] ** _POWERS[weights]]
    columns += [side[both] == place for side in (gold, answer) for place in range(len(run.order))]
    fields = ("items", "distance", *(f"{side} {name}" for side in ("gold", "system") for name in run.order))
    return Counts(fields, pair.gold.sentences, both, np.stack(columns, axis=1).astype(np.int64))


def ranks_of(pair: Pair, measure: str, order: tuple[str, ...]) -> tuple[Ints, Ints]:
    """The rank of gold's and of the system's label of each item; NONE for no answer."""
    if not order:
        raise UsageError(
            f'{measure}: the labels have no order. Give it, e.g. --input-format "items(order=low<middle<high)"'
        )
    vocabulary, gold, answer = labels_of(pair)
    places = {label: place for place, label in enumerate(order)}
    for label in vocabulary:
        if label and label not in places:
            raise UsageError(f"{measure}: label {label!r} is not in order={'<'.join(order)}. Add it there.")
    rank = np.array([*(places.get(label, NONE) for label in vocabulary), NONE], dtype=np.int64)
    return rank[gold], rank[answer]


# --- sets ---


@measure("subset-accuracy", task="items", scores={"value": recall}, main="value", own_outcomes=True)
def subset_accuracy(pair: Pair) -> Items:
    """Items whose set of labels is gold's.

    Counts: right, gold (items).
    Score: value = right/gold. Two empty sets are equal; no answer is the empty set.
    Peers: scikit-learn accuracy_score on indicators.
    """
    run_of(pair, "subset-accuracy", "sets")
    return judge_items(pair)


def _count_shared(pair: Pair, name: str) -> tuple[Ints, Ints, Ints, Ints]:
    """Of each item its number, the labels that both sides have, those of gold, and those of the system."""
    run_of(pair, name, "sets")
    members, items = judge_set_members(pair), np.flatnonzero(~pair.skipped)
    sides = (members.right[0], members.has_gold, members.has_system[0])
    both, ours, theirs = (np.bincount(members.sentence[side], minlength=len(pair.skipped))[items] for side in sides)
    return items, both, ours, theirs


def _mean_of_items(pair: Pair, items: Ints, part: Ints, whole: Ints) -> Counts:
    """Counts of a share of each item, 1 if both sides have nothing."""
    shares = np.where(whole == 0, 1.0, part / np.maximum(whole, 1))
    values = np.stack([np.rint(shares * ONE), np.ones(len(items))], axis=1)
    return Counts(("shares", "items"), pair.gold.sentences, items, values.astype(np.int64))


@measure("jaccard", task="items", scores={"value": Mean("shares", "items")}, main="value")
def jaccard(pair: Pair) -> Counts:
    """The mean over items of the labels that both sides have among those that either has.

    Counts: shares, items.
    Score: value = mean of |A∩B|/|A∪B|; 1 for two empty sets.
    Peers: scikit-learn jaccard_score(average="samples", zero_division=1).
    """
    items, both, gold, system = _count_shared(pair, "jaccard")
    return _mean_of_items(pair, items, both, gold + system - both)


@measure("samples-f1", task="items", scores={"value": Mean("shares", "items")}, main="value")
def samples_f1(pair: Pair) -> Counts:
    """The mean over items of the F1 of its labels.

    Counts: shares, items.
    Score: value = mean of 2|A∩B|/(|A|+|B|); 1 for two empty sets.
    Peers: scikit-learn f1_score(average="samples", zero_division=1).
    """
    items, both, gold, system = _count_shared(pair, "samples-f1")
    return _mean_of_items(pair, items, 2 * both, gold + system)


@measure(
    "hamming",
    task="items",
    scores={"value": Ranged(lambda sums: ratio(sums["different"], sums["cells"]), 0, 1, lower=True)},
    main="value",
)
def hamming(pair: Pair) -> Counts:
    """Hamming loss: the share of labels that only one side has, of all items and all labels. Lower is better.

    Counts: different, cells.
    Score: value = Σ|A△B|/(n·|L|), where L are all labels of gold and systems, or those of --labels.
    Peers: scikit-learn hamming_loss.
    """
    items, both, gold, system = _count_shared(pair, "hamming")
    run = run_of(pair, "hamming", "sets")
    values = np.stack([gold + system - 2 * both, np.full(len(items), len(run.order))], axis=1)
    return Counts(("different", "cells"), pair.gold.sentences, items, values)
