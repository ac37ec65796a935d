"""Measures of labelled spans: exact, fair (Ortmann 2022), weighted, and the SemEval 2013 scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import Bools, Floats
from assay.engine import matching
from assay.engine.counts import Counts, Sums, by_label, tally_outcomes
from assay.engine.items import Items
from assay.engine.measure import (
    BEYOND_CHANCE,
    F1,
    SCORES,
    Macro,
    Proportion,
    Ratio,
    Score,
    Scores,
    mean_by_size,
    measure,
)
from assay.engine.spanpairs import is_listed, match_both_ways, match_spans, span_items, spans_of
from assay.engine.weighting import LISTED, TYPES, UNGROUNDED, weighted_scores
from assay.errors import UsageError, unknown
from assay.tasks.spans.ratings import OUTSIDE, check_words, labels_of_words

FOCUS = ("target", "system")
SIDES = ("left", "right", "both", "inner")


# --- averages over labels ---


def _averages(scores: Scores, kinds: Sequence[str], names: Sequence[str] = ("f1", "precision", "recall")) -> Scores:
    """Means over the labels with any count, and means weighted by gold's spans."""
    plain = {f"macro-{name}": Macro(scores[name], kinds) for name in names}
    by_size = {f"weighted-{name}": mean_by_size(scores[name]) for name in names if name.endswith("f1")}
    return {**plain, **by_size}


_EXACT: Scores = {
    "f1": F1(
        lambda sums: 2 * sums["tp"],
        lambda sums: 2 * sums["tp"] + sums["fp"] + sums.get(UNGROUNDED, 0) + sums["fn"],
    ),
    "precision": Proportion("tp", "tp", "fp", UNGROUNDED),
    "recall": Proportion("tp", "tp", "fn"),
}


@measure(
    "exact",
    scores=_EXACT,
    averages=_averages(_EXACT, (*matching.EXACT, UNGROUNDED)),
    main="f1",
    count=tally_outcomes,
    task="spans",
)
def exact(pair: Pair) -> Items:
    """Spans with gold's label and gold's boundaries, the traditional evaluation.

    Counts: per label tp, fp, fn; gold, system (spans; a hit that the system repeats counts once).
    Score: precision = tp/(tp+fp), recall = tp/(tp+fn), f1 = 2·tp/(2·tp+fp+fn). macro- is the plain mean over
        the labels of gold or system (macro-f1 the mean of the F1s), weighted- the mean weighted by gold's spans.
        A span that gold or system has twice counts as in the paper's software; assay reports such spans.
    Paper: Ortmann 2022, Algorithm 1 and equations 1 to 3.
    Peers: seqeval (strict), conlleval, seqscore, FairEval (traditional), HIPE-scorer (NERC strict).
    """
    return span_items(pair, match_spans(pair, matching.match_exact), matching.EXACT, True)


_FAIR = weighted_scores("fair", {})
_FAIR_KINDS = (*matching.FAIR, LISTED, UNGROUNDED)


def _match_fairly(pair: Pair, focus: str, sides: bool = False, symmetric: bool = False) -> Items:
    """Spans as items of the fair evaluation."""
    if focus not in FOCUS:
        raise unknown("focus", focus, FOCUS)
    records = match_both_ways(pair) if symmetric else match_spans(pair, matching.match_fair)
    kind = records.kind
    # Matched both ways, the first rows have gold as the target, the others the system.
    has_gold_target = np.arange(len(kind)) < len(match_spans(pair, matching.match_fair).kind)
    under_gold = has_gold_target == (focus == "target")
    marks: dict[str, Bools] = {"be": np.isin(kind, [matching.FAIR.index(name) for name in ("bes", "bel", "beo")])}
    if sides:
        wrong = matching.find_wrong_sides(*spans_of(pair), records)
        marks |= {f"be-{name}": marks["be"] & (wrong == code) for code, name in enumerate(SIDES)}
    kinds: tuple[str, ...] = matching.FAIR
    listed = is_listed(pair, records)
    if listed is not None:
        kinds = (*matching.FAIR, LISTED)
        marks = {name: mark & ~listed for name, mark in marks.items()}
        kind = np.where(listed, len(matching.FAIR), kind)
    return span_items(pair, replace(records, kind=kind), kinds, under_gold, marks)


@measure(
    "fair",
    papers=("ortmann2022",),
    scores=_FAIR,
    averages=_averages(_FAIR, _FAIR_KINDS),
    main="f1",
    count=tally_outcomes,
    errors=_FAIR_KINDS,
    task="spans",
)
def fair(pair: Pair, *, focus: str = "target", sides: bool = False, symmetric: bool = False) -> Items | Counts:
    """Fair evaluation: a wrong label or boundary is one error, not a missing span and a spurious one.

    focus: whose label a labelling error counts under, `target` (gold's) or `system`; overall scores do not change.
    sides: whether to count boundary errors also by the wrong side (left, right, both, or inner: only gaps differ).
    symmetric: whether to match both ways and add up, for two annotators without gold.
    Counts: per label tp, fp (spurious), fn (missing), le (labelling error), bes, bel, beo (boundary error: the
        system's span is smaller, larger, overlaps), lbe (label and boundary); be = bes+bel+beo; ge, errors of gold
        itself that --gold-errors lists; gold, system (spans).
    Score: every error of le, bes, bel, beo, lbe and ge counts as half a spurious and half a missing span:
        f1 = 2·tp/(2·tp + all errors). Averages as for exact, over labels with any count under the focus.
    Paper: Ortmann 2022, Algorithm 2 and equation 5.
    Peers: FairEval.
    """
    rows = _match_fairly(pair, focus, sides, symmetric)
    # Matched both ways, an item is in rows of both matchings: it can be counted, but not compared by item.
    return tally_outcomes(rows, pair.gold.sentences) if symmetric else rows


def _weighted_scores(parameters: Mapping[str, Any]) -> tuple[Scores, Scores]:
    """Scores and averages under the weights of errors in the parameters."""
    formulas = {name: str(parameters.get(name, "")) for name in ("le", "be", *TYPES[1:], LISTED)}
    scores = weighted_scores(str(parameters["preset"]), formulas, open_sums=bool(parameters["open"]))
    return scores, _averages(scores, _FAIR_KINDS)


_TYPED = weighted_scores("be-typed", {})


@measure(
    "weighted",
    papers=("ortmann2022",),
    scores=_TYPED,
    averages=_averages(_TYPED, _FAIR_KINDS),
    main="f1",
    count=tally_outcomes,
    task="spans",
    chosen=_weighted_scores,
    one_sided="weighted needs gold. For agreement use fair, which is matched both ways.",
)
def weighted(
    pair: Pair,
    *,
    preset: str = "",
    focus: str = "target",
    le: str = "",
    be: str = "",
    bes: str = "",
    bel: str = "",
    beo: str = "",
    lbe: str = "",
    ge: str = "",
    open: bool = False,  # noqa: A002
) -> Items:
    """Fair evaluation with separate weights for each type of error.

    preset: `be-typed` (equation 7, the default without formulas), `be-half` (6), `fair` (5), `all-fp`, `all-fn`.
    focus: as for fair.
    le, be, bes, bel, beo, lbe, ge: weights of an error of this type, e.g. `bes=0.5TP+0.5FN`; be stands for the three
        types of boundary errors. Without a preset each type needs a formula.
    open: whether the parts of a formula may have another sum than 1.
    Counts: as for fair.
    Score: precision, recall and f1 of the weighted sums of TP, FP and FN; averages as for fair.
    Paper: Ortmann 2022, equations 6 and 7; all-fp: Ortmann 2021b, all-fn: Read et al. 2012.
    Peers: FairEval.
    """
    return _match_fairly(pair, focus)


# --- SemEval 2013 ---

_PAIRED = ("same", "same-span", "same-label", "overlap")
_CORRECT = {
    "strict": {"same": 1.0},
    "exact": {"same": 1.0, "same-span": 1.0},
    "partial": {"same": 1.0, "same-span": 1.0, "same-label": 0.5, "overlap": 0.5},
    "type": {"same": 1.0, "same-label": 1.0},
}


def _semeval_score(credit: Mapping[str, float], others: Sequence[str]) -> Score:
    """Score: credit over gold's number, over the system's, or (both fields, for F1) over half of their sum."""

    def total(sums: Sums) -> Floats:
        unpaired = sum(sums[kind] for kind in others)
        ungrounded = sums.get(UNGROUNDED, 0) if "spurious" in others else 0
        return np.asarray(len(others) * sum(sums[kind] for kind in _PAIRED) + unpaired + ungrounded)

    return (F1 if len(others) > 1 else Ratio)(
        lambda sums: len(others) * sum(part * sums[kind] for kind, part in credit.items()), total
    )


_SEMEVAL = {
    f"{name}-{score}": _semeval_score(credit, kinds)
    for name, credit in _CORRECT.items()
    for score, kinds in (("f1", ("missed", "spurious")), ("precision", ("spurious",)), ("recall", ("missed",)))
}


@measure(
    "semeval",
    papers=("segura-bedmar2013",),
    scores=_SEMEVAL,
    averages=_averages(_SEMEVAL, (*matching.SEMEVAL, UNGROUNDED), [f"{name}-f1" for name in _CORRECT]),
    count=tally_outcomes,
    main="strict-f1",
    tested=("strict-f1", "partial-f1"),
    task="spans",
)
def semeval(pair: Pair, *, least: float = 0.0) -> Items:
    """The four scores of SemEval 2013 (task 9): strict, exact, partial, type.

    least: the smallest share of a gold span's atoms that a pair must share; 0 means one atom.
    Counts: per label pairs with the same span and label (same), the same span (same-span), the same label
        (same-label), or only an overlap (overlap); missed, spurious; gold, system.
    Score: credit/gold, credit/system and their F1. Credit: strict: same; exact: same span, with any label;
        partial: same span, and half for any other pair; type: same label, with any boundaries.
        Pairs are one to one, with as many strict matches as possible, then same spans, same labels, pairs, shared
        atoms; so the scores do not depend on the order of spans.
    Peers: nervaluate (`strict` and `exact` on flat spans), HIPE-scorer (NERC
        fuzzy is nearly `type`); see differences.
    """
    if not 0 <= least <= 1:
        raise UsageError(f"semeval: least should be a share between 0 and 1, not {least}.")
    return span_items(pair, match_spans(pair, matching.match_semeval, least=least), matching.SEMEVAL, True)


ON = ("labels", "words")


@measure(
    "span-kappa",
    papers=("cohen1960", "krippendorff2004"),
    scores=SCORES,
    averages=BEYOND_CHANCE,
    main="kappa",
    count=by_label,
    task="spans",
)
def span_kappa(pair: Pair, *, on: str = "labels") -> Counts:
    """Agreement of two annotators of spans beyond chance, on labels or on words.

    on: `labels`: the labels of spans whose boundaries both have. For finding spans use F1: kappa would need the
        number of spans that both rightly left out, which does not exist. `words`: the label of each word, with one
        more label for words outside all spans; for spans that do not overlap.
    Counts: per label right, gold, system. Score: as for kappa.
    """
    if on not in ON:
        raise unknown("value of on", on, ON)
    gold, system = spans_of(pair)
    labels = gold.labels.vocabulary
    if on == "labels":
        records = match_spans(pair, matching.match_fair)
        same = np.isin(records.kind, [matching.FAIR.index("tp"), matching.FAIR.index("le")])
        item = records.gold[same]
        sentence, first, second = gold.unit[item], gold.label[item], system.label[records.system[same]]
    else:
        check_words(pair)
        item = np.flatnonzero(~pair.skipped[pair.gold.sentence_of])
        sentence = pair.gold.sentence_of[item]
        first = labels_of_words(pair.gold, gold, len(labels))[item]
        second = labels_of_words(pair.system, system, len(labels))[item]
        labels = (*labels, OUTSIDE)
    items = Items.of(labels, sentence, item, first, second, first == second)
    return by_label(items, pair.gold.sentences)
