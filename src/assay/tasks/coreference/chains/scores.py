"""Scores from summed counts: pure functions of field name → array, over any leading axes; 0/0 is nan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from assay.arrays import Floats, Ints, ratio
from assay.engine.items import ONE
from assay.tasks.coreference.chains import metrics
from assay.tasks.coreference.chains.metrics import CONLL, FRACTIONS, LINKS, MATCHED
from assay.tasks.coreference.chains.tables import Table

Sums = Mapping[str, Floats]
Score = Callable[[Sums], Floats]


@dataclass(frozen=True)
class Metric:
    """A chain metric: what it counts in each document, in which fields, and its scores."""

    count: Callable[[Table], Ints]
    fields: tuple[str, ...]
    scores: Mapping[str, Score]
    main: str = "f1"


def _matched_f1(sums: Sums) -> Floats:
    return ratio(2 * sums["right"], sums["gold"] + sums["system"])


def _credit_recall(sums: Sums) -> Floats:
    return ratio(sums["rnum"] / ONE, sums["rden"])


def _credit_precision(sums: Sums) -> Floats:
    return ratio(sums["pnum"] / ONE, sums["pden"])


def _credit_f1(sums: Sums) -> Floats:
    """The harmonic mean; with one side empty it is 0, with both it is undefined."""
    recall, precision = np.nan_to_num(_credit_recall(sums)), np.nan_to_num(_credit_precision(sums))
    return np.where(
        sums["rden"] + sums["pden"] == 0, np.nan, np.nan_to_num(ratio(2 * recall * precision, recall + precision))
    )


def _blanc(*sides: str) -> Score:
    """One of BLANC's scores: of the links of the sides named, those on both sides, as a mean over the two classes.

    A class that the key does not have is left out; one that only the key has counts 0.
    """

    def score(sums: Sums) -> Floats:
        together, apart = (
            ratio(len(sides) * sums[name], np.asarray(sum(sums[f"{side}-{name}"] for side in sides)))
            for name in ("coreferent", "apart")
        )
        mean = (np.nan_to_num(together) + np.nan_to_num(apart)) / 2
        mean = np.where(np.isnan(together) & np.isnan(apart), np.nan, mean)
        no_together, no_apart = sums["gold-coreferent"] == 0, sums["gold-apart"] == 0
        return np.where(no_together & ~no_apart, apart, np.where(no_apart & ~no_together, together, mean))

    return score


def mela(sums: Sums, undefined: float = np.nan) -> Floats:
    """The mean of the F of MUC, B³ and CEAFe; `undefined` is what an F of 0/0 counts."""
    links = {field: sums[f"muc-{field}"] for field in MATCHED}
    fractions = [{field: sums[f"{name}-{field}"] for field in FRACTIONS} for name in ("b-cubed", "ceaf-e")]
    parts = [_matched_f1(links), *map(_credit_f1, fractions)]
    return np.asarray(sum(np.nan_to_num(part, nan=undefined) for part in parts)) / 3


_MATCHED: Mapping[str, Score] = {
    "f1": _matched_f1,
    "precision": lambda sums: ratio(sums["right"], sums["system"]),
    "recall": lambda sums: ratio(sums["right"], sums["gold"]),
}
_FRACTIONS: Mapping[str, Score] = {"f1": _credit_f1, "precision": _credit_precision, "recall": _credit_recall}

METRICS: Mapping[str, Metric] = {
    "mentions": Metric(metrics.mentions, MATCHED, _MATCHED),
    "muc": Metric(metrics.muc, MATCHED, _MATCHED),
    "b-cubed": Metric(metrics.b_cubed, FRACTIONS, _FRACTIONS),
    "ceaf-m": Metric(metrics.ceaf_m, MATCHED, _MATCHED),
    "ceaf-e": Metric(metrics.ceaf_e, FRACTIONS, _FRACTIONS),
    "blanc": Metric(
        metrics.blanc,
        LINKS,
        {"f1": _blanc("gold", "system"), "precision": _blanc("system"), "recall": _blanc("gold")},
    ),
    "lea": Metric(metrics.lea, FRACTIONS, _FRACTIONS),
    "conll": Metric(metrics.conll, CONLL, {"value": mela}, main="value"),
}
"""The chain metrics by name."""

ARCS_SCORES: Mapping[str, Score] = {
    "f1": lambda sums: ratio(2 * sums["tp"], 2 * (sums["tp"] + sums["wl"]) + sums["fn"] + sums["fp"]),
    "precision": lambda sums: ratio(sums["tp"], sums["tp"] + sums["wl"] + sums["fp"]),
    "recall": lambda sums: ratio(sums["tp"], sums["tp"] + sums["wl"] + sums["fn"]),
    "accuracy": lambda sums: ratio(sums["tp"], sums["tp"] + sums["wl"]),
}
"""Scores from the numbers of mentions in each class of ARCS."""
