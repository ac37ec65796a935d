"""Parsers across frameworks: distances between function trees (Tsarfaty et al. 2012)."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from assay.arrays import NONE, Bools, Floats, Ints, ratio
from assay.classes import dataclass
from assay.engine.counts import Counts, Sums
from assay.engine.items import ONE
from assay.engine.measure import measure
from assay.errors import unknown
from assay.tasks.cross.functiontrees import FunctionTrees, Overlay, overlay

GOLDS = ("multiple", "single")
SIZES = ("2.1", "2.2", "paper")
"""Ways to measure a tree: its nodes without the root, nodes and words, or labels as in the paper."""
KINDS = ("right", "spurious", "missing", "forgiven", "unasked")
RIGHT, SPURIOUS, MISSING, FORGIVEN, UNASKED = range(len(KINDS))
# The index is the sum of 1 if the parse has the unit, 2 if its gold and 4 if the generalised gold has it. A
# label-less node can be in the generalised gold only (4) if its gold has labels there: such a node is not counted.
_KIND = np.array([NONE, SPURIOUS, UNASKED, FORGIVEN, NONE, RIGHT, MISSING, RIGHT])


def unit_kinds(parse: Bools, gold: Bools, generalised: Bools) -> Ints:
    """Outcome of each unit as an index into KINDS; NONE if it does not concern the parse."""
    return np.asarray(_KIND[parse + 2 * gold + 4 * generalised])


@dataclass(frozen=True, eq=False)
class Edits:
    """Numbers of units of each sentence by the trees that have them, and the sizes of its trees in units."""

    spurious: Ints
    """Only in the parse."""
    missing: Ints
    """In both golds, but not in the parse."""
    forgiven: Ints
    """In parse and gold, but not in the generalised gold: right, though only this framework has it."""
    unasked: Ints
    """Only in gold: not built, and only this framework has it."""
    parse: Ints
    gold: Ints
    generalised: Ints
    words: Ints
    """Of the parse."""
    gold_words: Ints
    """Of gold, which may be tokenised differently."""

    @property
    def delta(self) -> Ints:
        """Number of edits of each sentence that count as errors."""
        return self.spurious + self.missing

    def norm(self, sizes: str) -> Ints:
        """Divisor of the error of each sentence; at most 0 if there is only a root.

        Without a parse, not even a root, it is the error itself, because nothing is right. Units must be counted as
        the variant does: with label-less nodes in `2.1` and `2.2`, without them in `paper`.
        """
        units = self.parse + self.generalised
        if sizes != "paper":
            units = units - 2 if sizes == "2.1" else units - 2 + self.words + self.gold_words
        return np.where(self.parse > 0, units, self.delta)


def sentence_scores(errors: Ints | Floats, norms: Ints | Floats) -> Floats:
    """1 - error / norm of each sentence, or of sums over several, never below 0.

    If there is nothing to divide by, it is 1 without errors and 0 with errors.
    """
    shares = np.where(norms > 0, errors / np.maximum(norms, 1), errors > 0)
    return np.maximum(1.0 - shares, 0.0)


@dataclass(frozen=True, eq=False)
class Parse:
    """A system's function trees, those of its own gold, and those that all golds agree on."""

    parse: FunctionTrees
    native: FunctionTrees
    generalised: FunctionTrees
    words: tuple[Ints, Ints] | None = None
    """Numbers of words of parse and gold by sentence, if they are tokenised differently."""
    _overlays: dict[str, Overlay] = field(default_factory=dict)
    """Overlays of the trees by the gold that counts, kept for other measures."""

    def edits(self, *, labelled: bool, empty_counts: bool, gold: str = "multiple") -> Edits:
        """Edits that turn the parse into the generalised gold, without those that its own gold would need as well.

        Without labels every yield is a unit. With labels every label of a yield is one; empty_counts makes a yield
        without labels a unit too, as TedEval 2.1 and 2.2 do and the paper does not.
        """
        if gold not in self._overlays:
            target = self.native if gold == "single" else self.generalised
            self._overlays[gold] = overlay(self.parse, self.native, target)
        units = self._overlays[gold].units(labelled=labelled, empty_counts=empty_counts)
        kinds = unit_kinds(*units.has)
        masks = [*(kinds == kind for kind in (SPURIOUS, MISSING, FORGIVEN, UNASKED)), *units.has]
        counts = (np.bincount(units.sentence[mask], minlength=self.parse.sentences) for mask in masks)
        return Edits(*counts, *(self.words or [self.parse.words] * 2))


def _value(sums: Sums) -> Floats:
    # A test set is scored like one large sentence; without a sentence there is no score.
    return np.where(sums["sentences"] > 0, sentence_scores(sums["delta"], sums["norm"]), np.nan)


@measure(
    "tedeval",
    papers=("tsarfaty2012",),
    scores={"value": _value, "sentence-mean": lambda sums: ratio(sums["score"], ONE * sums["sentences"])},
    main="value",
    task="cross",
)
def tedeval(parse: Parse, *, sizes: str = "2.1", labelled: bool = True, gold: str = "multiple") -> Counts:
    """TedEval: how few edits lead from a parse to what the golds of all frameworks agree on.

    sizes: what edits are divided by: `2.1` units of both trees without the root, a node without a label counting as
        one; `2.2` these and the words on both sides; `paper` only labelled units, root included.
    labelled: true if labels count; otherwise a unit is a set of words, which says nothing about heads.
    gold: `multiple` (the generalisation of all golds; edits that only undo what the parser's own gold has are
        forgiven) or `single` (the gold of its own framework).
    Counts: delta = spurious + missing, norm, score (sum of sentence scores), sentences, spurious (units that the
        parser's own gold does not have), missing (units of the common gold), forgiven (rightly built, but only its
        own framework has them), unasked (not built, and only its own framework has them).
    Score: value = 1 − Σ delta / Σ norm; sentence-mean = the mean of 1 − delta/norm over sentences; none below 0.
        If there is nothing to divide by (sentences of one word, which consist of a root), 1 without edits, 0 with.
    Paper: Tsarfaty et al. 2012, sections 3 and 4. Peers: TedEval 2.1, 2.2.
    """
    if sizes not in SIZES:
        raise unknown("way to measure trees", sizes, SIZES)
    if gold not in GOLDS:
        raise unknown("gold", gold, GOLDS)
    edits = parse.edits(labelled=labelled, empty_counts=sizes != "paper", gold=gold)
    norms = edits.norm(sizes)
    columns = {
        "delta": edits.delta,
        "norm": norms,
        "score": np.rint(sentence_scores(edits.delta, norms) * ONE),
        "sentences": np.ones(len(norms)),
        "spurious": edits.spurious,
        "missing": edits.missing,
        "forgiven": edits.forgiven,
        "unasked": edits.unasked,
    }
    values = np.stack(list(columns.values()), axis=1).astype(np.int64)
    return Counts(tuple(columns), len(norms), np.arange(len(norms)), values)
