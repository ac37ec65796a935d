"""Confidences of items: of the positive label, of the answer, or of all labels; thresholds and what they decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Floats, Ints
from assay.corpus import SEVERAL, Column
from assay.corpus.items import LABEL, ItemTable
from assay.engine.confidences import ANSWERS, BRIER, LOG_LOSS, Confident
from assay.engine.confidences import LABEL as OF_LABEL
from assay.engine.measure import Measure, Scores, measure
from assay.engine.prepare import Run
from assay.engine.values import Values
from assay.errors import InputError, UsageError
from assay.formats.items import hint_confidences
from assay.result import enumeration
from assay.result.numbers import plural
from assay.stats.confidence import CalibrationScore, Confidences, squared_errors, surprises
from assay.stats.values import Auc, AveragePrecision, ColumnMean
from assay.tasks.items.judge import ItemRun, judge_items, labels_of

POSITIVE = ("1", "true", "yes", "y", "pos", "positive")
"""The positive one of two labels, in any case."""
_CLOSE = 1e-6
"""How far the sum of a distribution may be from 1."""
HALF = 0.5
"""The lowest confidence at which a label is positive by default."""


class ItemConfidences(NamedTuple):
    """The confidences of a system's items."""

    labels: tuple[str, ...]
    """The labels that have confidences of their own …"""
    shares: Floats
    """… and these, items × labels; nan without one."""
    answers: Floats | None
    """The confidence of each answer; None if confidences are of labels that a threshold makes answers."""
    whole: bool = False
    """True if the shares are a distribution over all labels."""


def _has_scores(numbers: Floats) -> bool:
    """True if some number is no probability."""
    return bool(((numbers < 0) | (numbers > 1)).any())


def find_positive(labels: Sequence[str]) -> str:
    """The positive one of two labels by its name; empty if that is unclear."""
    named = [label for label in labels if label.casefold() in POSITIVE]
    return named[0] if len(labels) == 2 and len(named) == 1 else ""


def asked_positive(measures: Iterable[Measure]) -> str:
    """The positive label that a measure names; empty if none does."""
    return next(filter(None, (str(measure.parameters.get("positive", "")) for measure in measures)), "")


def count_not_highest(table: ItemTable) -> int:
    """The number of answers that are not the highest of their distribution."""
    if table.shares is None or table.sets:
        return 0
    names, shares = table.shares
    places = np.array([names.index(label) if label in names else NONE for label in table.labels.vocabulary])
    rows = np.flatnonzero(~table.missing & (places[table.labels.codes] != NONE))
    own = shares[rows, places[table.labels.codes[rows]]]
    return int((own < shares[rows].max(axis=1)).sum())


def confidences_of(pair: Pair, positive: str = "") -> ItemConfidences | None:
    """The confidences of a system, None if its file has none; `positive`: the label that they are about."""
    return pair.once(f"confidences {positive}", lambda: _find_confidences(pair, positive))


def _find_confidences(pair: Pair, positive: str) -> ItemConfidences | None:
    table, run = pair.system.layers[ItemTable], pair.layers[ItemRun]
    if run.kind == "numbers" or (table.confidence is None and table.shares is None):
        return None
    vocabulary, gold, answer = labels_of(pair)
    if table.shares is not None:
        names, shares = table.shares
        places = {name: place for place, name in enumerate(names)}
        own = np.array([*(places.get(name, len(names)) for name in vocabulary), len(names)])[answer]
        answers = np.append(shares, np.full((len(shares), 1), np.nan), axis=1)[np.arange(len(shares)), own]
        return ItemConfidences(names, shares, None if run.kind == "sets" else answers, whole=run.kind != "sets")
    if run.kind == "sets":
        return None
    confidence = np.asarray(table.confidence)
    used = [name for code, name in enumerate(vocabulary) if name and ((gold == code) | (answer == code)).any()]
    if about := positive or table.about:
        return ItemConfidences((about,), confidence[:, None], None)
    confidence = np.where(answer == NONE, np.nan, confidence)
    label = find_positive(used)
    if not label or _has_scores(confidence):
        return ItemConfidences((), confidence[:, None][:, :0], confidence)
    share = np.where(answer == vocabulary.index(label), confidence, 1 - confidence)
    return ItemConfidences((label,), share[:, None], confidence)


def whose_confidence(labels: Sequence[str], answer: Ints, confidence: Floats) -> str:
    """The label whose confidences a system gives; empty if they are those of its answers.

    `answer` has the place of each answer among the labels. Confidences are of one of two labels if its answers are
    those above a threshold, and some are below one half.
    """
    if len(labels) != 2:
        return ""
    sides = [confidence[(answer == code) & ~np.isnan(confidence)] for code in range(2)]
    if not all(map(len, sides)) or min(side.min() for side in sides) >= HALF:
        return ""
    low, high = sorted(zip(sides, labels, strict=True), key=lambda pair: float(pair[0].mean()))
    return high[1] if low[0].max() <= high[0].min() else ""


def has_label(pair: Pair, label: str) -> Bools:
    """Mask of the items to which gold gives a label."""
    column = pair.gold.column(LABEL)
    return np.array([label in name.split(SEVERAL) for name in column.vocabulary], dtype=bool)[column.codes]


def rank_items(run: Run) -> Confident:
    """The confidences of all systems: of answers, or of the positive label, and of each label."""
    positive = asked_positive(run.measures)
    found: dict[tuple[str, str, str], Confidences] = {}
    for name, pair in run.pairs:
        sure = confidences_of(pair, positive)
        if sure is None:
            continue
        kept = ~pair.skipped
        truth, shares = [has_label(pair, label)[kept] for label in sure.labels], sure.shares[kept].T
        if sure.answers is not None:
            right = judge_items(pair).right[0]
            found[name, ANSWERS, ""] = Confidences.of(sure.answers[kept], right, int((~right).sum()))
        elif len(truth) == 1:
            found[name, ANSWERS, sure.labels[0]] = Confidences.of(shares[0], truth[0])
            continue
        else:
            # All pairs of an item and a label.
            found[name, ANSWERS, ""] = Confidences.of(shares.ravel(), np.concatenate(truth))
        for label, own, of_gold in zip(sure.labels, shares, truth, strict=True):
            if of_gold.any():
                found[name, OF_LABEL, label] = Confidences.of(own, of_gold)
        if sure.whole and found[name, ANSWERS, ""].are_probabilities:
            errors, losses = score_shares(pair, sure)
            ones = np.ones(int(kept.sum()), dtype=bool)
            found[name, BRIER, ""] = Confidences.of(errors[kept], ones)
            found[name, LOG_LOSS, ""] = Confidences.of(losses[kept], ones)
    return found


def score_shares(pair: Pair, sure: ItemConfidences, floor: float = 0.0) -> tuple[Floats, Floats]:
    """The Brier score and the log loss of each item with a distribution over labels.

    A label of gold that is not in the distribution has the probability 0.
    """
    truth = np.stack([has_label(pair, label) for label in sure.labels], axis=1)
    absent = ~truth.any(axis=1)
    of_gold = np.where(np.isnan(sure.shares).any(axis=1), np.nan, np.where(truth, sure.shares, 0.0).sum(axis=1))
    return squared_errors(sure.shares, truth) + absent, surprises(of_gold, floor)


# --- thresholds ---


def apply_threshold(
    gold: ItemTable, table: ItemTable, kind: str, threshold: float | None, positive: str = "", *, ranks: bool = False
) -> tuple[ItemTable, str]:
    """The table with the answers that a threshold makes of confidences, and with the label that these are about; and
    a sentence on the threshold.

    Of two labels the positive one is answered from the threshold on, of sets each label; of other answers those below
    it are none. Without a threshold, it is one half if a table has no answers of its own. If measures only rank items
    (`ranks`), scores need no answers.
    """
    if table.confidence is None and table.shares is None:
        if threshold is not None:
            raise InputError(f"{table.path}: has no scores, which --min-score needs.")
        return table, ""
    unanswered = bool(table.missing.all())
    if kind != "sets" and table.shares is not None:
        _check_sums(table, table.shares[1])
    if kind == "sets" and table.shares is not None and (threshold is not None or not table.sets):
        least = HALF if threshold is None else threshold
        names, shares = table.shares
        labels = Column.of(SEVERAL.join(np.array(names, dtype=object)[row >= least]) for row in shares)
        missing = np.asarray(np.isnan(shares).any(axis=1))
        return replace(table, labels=labels, missing=missing, sets=True), f"labels need a confidence of {least:g}."
    if table.confidence is not None and kind != "sets":
        vocabulary = dict.fromkeys([*gold.labels.counts(), *table.labels.counts()])
        used = [label for label in vocabulary if label]
        codes = np.array([used.index(label) if label else NONE for label in table.labels.vocabulary])
        answer = np.where(table.missing, NONE, codes[table.labels.codes])
        found = find_positive(used) if unanswered else whose_confidence(used, answer, table.confidence)
        about = positive or found
        if unanswered and not about:
            raise UsageError(
                f"{table.path}: confidences without labels, and gold has {enumeration(sorted(used)[:5])}. Name the "
                f'positive one: -m "label-f1(positive={min(used)})"'
            )
        table = replace(table, about=about)
        if ranks and threshold is None and _has_scores(np.asarray(table.confidence)):
            return table, ""
        if about and (unanswered or threshold is not None):
            return _answer_from(table, used, about, threshold)
    if threshold is None:
        return table, ""
    sure = np.asarray(table.confidence if table.shares is None else table.shares[1].max(axis=1))
    return replace(table, missing=table.missing | (sure < threshold)), ""


def _check_sums(table: ItemTable, shares: Floats) -> None:
    """An error if a distribution does not sum to 1, unless numbers beyond 0 and 1 show that they are scores."""
    sums = shares.sum(axis=1)
    off = np.flatnonzero(np.abs(sums - 1) > _CLOSE)
    if len(off) and not _has_scores(shares):
        row = int(off[0])
        raise InputError(
            f"{table.place(row)}: the probabilities sum to {sums[row]:.6g}, not to 1. "
            "Write more digits, or divide by the sum."
        )


def _answer_from(
    table: ItemTable, used: Sequence[str], positive: str, threshold: float | None
) -> tuple[ItemTable, str]:
    """The table with the positive of two labels from a threshold on, and with the other one below it."""
    others = [label for label in used if label != positive]
    sure = np.asarray(table.confidence)
    if len(others) != 1 or positive not in used:
        raise UsageError(
            f"{table.path}: confidences of {positive} make answers if there are two labels, but there "
            f"{'is' if len(used) == 1 else 'are'} {enumeration(sorted(used)[:5])}. Give answers, or p:LABEL columns."
        )
    if threshold is None and _has_scores(sure):
        raise UsageError(
            f"{table.path}: contains scores, not probabilities. Give the lowest score that means {positive}: "
            f"--min-score X; or rank the items: -m auc"
        )
    least = HALF if threshold is None else threshold
    labels = Column(np.where(sure >= least, 0, 1).astype(np.int32), (positive, others[0]))
    note = f"{positive} if the confidence is at least {least:g}, otherwise {others[0]}."
    return replace(table, labels=labels, missing=np.isnan(sure)), note


# --- measures ---


def _sure(pair: Pair, name: str, positive: str, *, probabilities: bool = False) -> ItemConfidences:
    """The confidences of a system. Raise an error if it has none, or if these are not probabilities."""
    table = pair.system.layers[ItemTable]
    sure = confidences_of(pair, positive)
    if sure is None:
        hint = hint_confidences([*table.metadata]) or "Name their column: items(confidence=NAME)"
        raise UsageError(f"{name}: {table.path} has no confidences. {hint}")
    numbers = sure.shares if sure.answers is None or sure.whole else sure.answers
    if probabilities and _has_scores(numbers):
        raise UsageError(
            f"{name}: {table.path} has scores outside 0 and 1 (margins? logits?). Give probabilities; of "
            'log-probabilities: --input-format "items(confidence=exp:NAME)"'
        )
    if probabilities:
        _check_filled(pair, name, numbers)
    return sure


def _check_filled(pair: Pair, name: str, numbers: Floats) -> None:
    """Raise an error if an item has no confidence, because it is in no mean then."""
    lacking = np.isnan(numbers.reshape(len(numbers), -1)).any(axis=1) & ~pair.skipped
    if number := int(lacking.sum()):
        have = plural(number, "item has", "items have")
        path = pair.system.layers[ItemTable].path
        raise UsageError(f"{name}: {have} no answer with a confidence in {path}. Give each one, without --min-score.")


def _rank(pair: Pair, name: str, positive: str) -> Values:
    """The confidence of each item and label, and whether gold gives it the label."""
    sure, items = _sure(pair, name, positive), np.flatnonzero(~pair.skipped)
    golds = pair.gold.column(LABEL).where(items).counts()
    labels = tuple(sorted({one for label in golds for one in label.split(SEVERAL) if one}))
    label = positive or (sure.labels[0] if len(sure.labels) == 1 else find_positive(labels))
    if not label and (not sure.labels or (len(labels) == 2 and not sure.whole)):
        raise UsageError(
            f"{name}: {pair.system.layers[ItemTable].path} has confidences of its answers, which are one of "
            f'{enumeration(labels[:5])}. If there are two, name the positive one: "{name}(positive={labels[0]})". If '
            "there are more, give the probability of each label (p:LABEL)."
        )
    labels = (label,) if label else labels
    nothing = np.zeros(len(items))
    shares = {one: sure.shares[items, place] for place, one in enumerate(sure.labels)}
    # Items without a confidence come last.
    columns = {
        "score": np.concatenate([np.nan_to_num(shares.get(one, nothing), nan=-np.inf) for one in labels]),
        "right": np.concatenate([has_label(pair, one)[items] for one in labels]).astype(np.float64),
    }
    if len(labels) == 1:
        return Values(items, columns)
    code = np.repeat(np.arange(len(labels)), len(items))
    return Values(np.tile(items, len(labels)), columns, labels, code)


@measure("average-precision", task="items", scores={"value": AveragePrecision()}, main="value")
def average_precision(pair: Pair, *, positive: str = "") -> Values:
    """Precision averaged over the gains in recall, as the threshold of confidence falls.

    positive: the label that confidences are about, of two labels.
    Counts: items.
    Score: value = Σ (R − R before)·P over the distinct confidences from the highest; equal confidences enter
        together, and nothing is interpolated. With a distribution over labels each label is ranked against the rest,
        and the value is the mean over the labels that gold has.
    Peers: scikit-learn average_precision_score.
    """
    return _rank(pair, "average-precision", positive)


@measure("auc", task="items", scores={"value": Auc()}, main="value")
def auc(pair: Pair, *, positive: str = "") -> Values:
    """The area under the ROC curve: how often a positive item has a higher confidence than a negative one.

    positive: the label that confidences are about, of two labels.
    Counts: items.
    Score: value = P(positive above negative) + ½·P(equal). With a distribution over labels each label is ranked
        against the rest, and the value is the mean over the labels that gold has.
    Peers: scikit-learn roc_auc_score.
    """
    return _rank(pair, "auc", positive)


def _right_and_sure(pair: Pair, name: str, positive: str) -> tuple[Ints, Floats, Floats]:
    """The items, the confidence of each answer or of the positive label, and 1 if it is right."""
    sure, items = _sure(pair, name, positive, probabilities=True), np.flatnonzero(~pair.skipped)
    if sure.answers is not None:
        _check_filled(pair, name, sure.answers)
        return items, sure.answers[items], judge_items(pair).right[0].astype(np.float64)
    if len(sure.labels) != 1:
        raise UsageError(f"{name}: does not work for sets of labels. Try -m average-precision")
    return items, sure.shares[items, 0], has_label(pair, sure.labels[0])[items].astype(np.float64)


def _losses(pair: Pair, name: str, positive: str, floor: float = 0.0) -> tuple[Ints, Floats, Floats]:
    """The items, and the Brier score and the log loss of each."""
    sure = _sure(pair, name, positive, probabilities=True)
    if sure.whole:
        kept = np.flatnonzero(~pair.skipped)
        errors, losses = score_shares(pair, sure, floor)
        return kept, errors[kept], losses[kept]
    items, p, right = _right_and_sure(pair, name, positive)
    return items, squared_errors(p, right), surprises(np.where(right > 0, p, 1 - p), floor)


@measure("brier", task="items", scores={"value": ColumnMean("error", high=2.0)}, main="value")
def brier(pair: Pair, *, positive: str = "") -> Values:
    """Brier score: the mean squared distance of probabilities from the true answer. Lower is better.

    positive: the label that confidences are about, of two labels.
    Counts: items.
    Score: value = mean of (p − y)², 0 to 1, with y = 1 for the positive label or a right answer; with a distribution
        over labels the mean of Σ (p − y)² over labels, 0 to 2.
    Peers: scikit-learn brier_score_loss.
    """
    items, errors, _ = _losses(pair, "brier", positive)
    return Values(items, {"error": errors})


@measure("log-loss", task="items", scores={"value": ColumnMean("loss")}, main="value")
def log_loss(pair: Pair, *, positive: str = "", floor: float = 0.0) -> Values:
    """The mean of −ln of the probability of the true answer. Lower is better.

    positive: the label that confidences are about, of two labels.
    floor: the least probability that counts; 0: an item whose truth has the probability 0 makes the score undefined.
    Counts: items.
    Score: value = mean of −ln p, with p of gold's label, or of a right or wrong answer.
    Peers: scikit-learn log_loss, which takes 2e-16 for 0.
    """
    items, _, losses = _losses(pair, "log-loss", positive, floor)
    return Values(items, {"loss": losses})


def _choose_bins(parameters: Mapping[str, Any]) -> tuple[Scores, Scores, str]:
    if (bins := parameters["bins"]) < 1:
        raise UsageError(f"calibration: bins is 1 or more, not {bins}.")
    names = ("ece", "ece-mass", "mce", "floor", "squared")
    scores: Any = {name: CalibrationScore(bins, name.replace("-", "_")) for name in names}
    return scores, {}, "ece"


@measure("calibration", task="items", scores=_choose_bins({"bins": 15})[0], main="ece", chosen=_choose_bins)
def calibration(pair: Pair, *, bins: int = 15, positive: str = "") -> Values:
    """Expected calibration error: how far confidences are from the share of right answers. Lower is better.

    bins: the number of bins.
    positive: the label that confidences are about, of two labels.
    Counts: items.
    Score: ece = Σ n_b/n·|mean confidence − share right| over bins of equal width, each with its upper end; ece-mass
        in bins of about equal numbers, in which equal confidences stay together; mce = the largest distance of a
        bin; floor = the ece that is expected if confidences are calibrated, which is not 0; squared = the squared
        distances in bins of equal numbers without their bias. A difference of two systems has p, but no verdict: a
        system that always gives the share of positives has an ece of 0.
    Peers: netcal ECE, which puts some confidences at an edge into the other bin.
    """
    items, p, right = _right_and_sure(pair, "calibration", positive)
    return Values(items, {"confidence": p, "right": right})
