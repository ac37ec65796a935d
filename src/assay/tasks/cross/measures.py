"""Parsers across frameworks: distances between function trees (Tsarfaty et al. 2012)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from assay.arrays import Floats, Ints, ratio
from assay.engine.counts import Counts, Sums
from assay.engine.items import ONE
from assay.engine.measure import measure
from assay.errors import unknown
from assay.tasks.cross.functiontrees import (
    SIZES,
    FunctionTrees,
    Overlay,
    delta,
    edits,
    norm,
    overlay,
    sentence_scores,
)

GOLDS = ("multiple", "single")


@dataclass(frozen=True, eq=False)
class Parse:
    """A system's function trees, those of its own gold, and what all golds agree on."""

    parse: FunctionTrees
    native: FunctionTrees
    generalised: FunctionTrees
    words: tuple[Ints, Ints] | None = None
    """The words of parse and gold by sentence, where these are cut otherwise."""
    _laid: dict[bool, Overlay] = field(default_factory=dict)

    def overlaid(self, single: bool) -> Overlay:
        """The parse, its gold and the gold it is measured by laid over each other, kept for other measures."""
        if single not in self._laid:
            self._laid[single] = overlay(self.parse, self.native, self.native if single else self.generalised)
        return self._laid[single]


def _value(sums: Sums) -> Floats:
    # A test set is scored as one large sentence is; without a sentence there is nothing to score.
    return np.where(sums["sentences"] > 0, sentence_scores(sums["delta"], sums["norm"]), np.nan)


def _sentence_mean(sums: Sums) -> Floats:
    return ratio(sums["score"], ONE * sums["sentences"])


@measure("tedeval", scores={"value": _value, "sentence-mean": _sentence_mean}, main="value", task="cross")
def tedeval(parse: Parse, *, sizes: str = "2.1", labelled: bool = True, gold: str = "multiple") -> Counts:
    """TedEval: how few edits lead from a parse to what the golds of all frameworks agree on.

    sizes: what edits are divided by: `2.1` units of both trees without the root, a node without a label counting as
        one; `2.2` the same and the words on both sides; `paper` labelled units alone, root included.
    labelled: whether labels count; without, a unit is a set of words, which says nothing about heads.
    gold: `multiple` (the generalisation of all golds; edits that only undo what the parser's own gold has are
        forgiven) or `single` (the gold of its own framework).
    Counts: delta = spurious + missing, norm, score (sum of sentence scores), sentences, spurious (units that the
        parser's own gold does not have), missing (units of the common gold), forgiven (rightly built, of its own
        framework alone), unasked (of its own framework alone, not built).
    Score: value = 1 − Σ delta / Σ norm; sentence-mean = the mean of 1 − delta/norm over sentences; none below 0.
        Where there is nothing to divide by (sentences of one word, which are but roots), 1 without edits and else 0.
    Paper: Tsarfaty et al. 2012, sections 3 and 4. Golden: cases/trees, const-dep-english. Peers: TedEval 2.1, 2.2.
    """
    if sizes not in SIZES:
        raise unknown("way to measure trees", sizes, SIZES)
    if gold not in GOLDS:
        raise unknown("gold", gold, GOLDS)
    target = parse.native if gold == "single" else parse.generalised
    laid = parse.overlaid(gold == "single")
    counted = edits(parse.parse, parse.native, target, labelled=labelled, empty_counts=sizes != "paper", laid=laid)
    if parse.words is not None:
        counted = replace(counted, words=parse.words[0], gold_words=parse.words[1])
    errors, size = delta(counted), norm(counted, sizes)
    scores = np.rint(sentence_scores(errors, size) * ONE).astype(np.int64)
    columns = {
        "delta": errors,
        "norm": size,
        "score": scores,
        "sentences": np.ones(len(errors), dtype=np.int64),
        "spurious": counted.spurious,
        "missing": counted.missing,
        "forgiven": counted.forgiven,
        "unasked": counted.unasked,
    }
    units = np.arange(len(errors))
    return Counts(tuple(columns), len(errors), units, np.stack(list(columns.values()), axis=1).astype(np.int64))
