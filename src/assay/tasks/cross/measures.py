"""Parsers across frameworks: distances between function trees (Tsarfaty et al. 2012)."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from assay.arrays import NONE, Bools, Floats, Ints, ratio
from assay.engine.counts import Counts, Sums
from assay.engine.items import ONE
from assay.engine.measure import measure
from assay.errors import unknown
from assay.records import dataclass
from assay.tasks.cross.functiontrees import FunctionTrees, Overlay, overlay

GOLDS = ("multiple", "single")
SIZES = ("2.1", "2.2", "paper")
"""Ways to measure trees: by their nodes without the root, by nodes and words, or by their labels as in the paper."""
KINDS = ("right", "spurious", "missing", "forgiven", "unasked")
RIGHT, SPURIOUS, MISSING, FORGIVEN, UNASKED = range(len(KINDS))
# By where a unit is: 1 in the parse, 2 in its gold, 4 in the generalised gold. A label-less node of the generalised
# gold may be in it alone (4) where its gold has labels: nobody asks for it.
_KIND = np.array([NONE, SPURIOUS, UNASKED, FORGIVEN, NONE, RIGHT, MISSING, RIGHT])


def unit_kinds(parse: Bools, gold: Bools, generalised: Bools) -> Ints:
    """The fate of each unit by who has it, as an index into KINDS, NONE where it is nothing to the parse."""
    return np.asarray(_KIND[parse + 2 * gold + 4 * generalised])


@dataclass(frozen=True, eq=False)
class Edits:
    """For each sentence the units by where they are, and the sizes of its trees in units."""

    spurious: Ints
    """In the parse alone."""
    missing: Ints
    """In both golds and not in the parse."""
    forgiven: Ints
    """In parse and gold and not in the generalised gold: what only this framework has, rightly built."""
    unasked: Ints
    """In gold alone: what only this framework has, not built."""
    parse: Ints
    gold: Ints
    generalised: Ints
    words: Ints
    """Of the parse, and …"""
    gold_words: Ints
    """… of gold, which may be cut otherwise."""

    @property
    def delta(self) -> Ints:
        """The error of each sentence: edits that cost something."""
        return self.spurious + self.missing

    def norm(self, sizes: str) -> Ints:
        """The divisor of the error of each sentence; at most 0 where nothing but a root is there.

        Where there is no parse at all, not even a root, it is the error itself: nothing is right then. The units must
        be counted as the variant does it: label-less nodes in `2.1` and `2.2`, not in `paper`.
        """
        units = self.parse + self.generalised
        if sizes != "paper":
            units = units - 2 if sizes == "2.1" else units - 2 + self.words + self.gold_words
        return np.where(self.parse > 0, units, self.delta)


def sentence_scores(errors: Ints | Floats, norms: Ints | Floats) -> Floats:
    """1 - error / norm of each sentence, or of sums over several, never below 0.

    With nothing to divide by it is 1 without errors and else 0.
    """
    shares = np.where(norms > 0, errors / np.maximum(norms, 1), errors > 0)
    return np.maximum(1.0 - shares, 0.0)


@dataclass(frozen=True, eq=False)
class Parse:
    """A system's function trees, those of its own gold, and what all golds agree on."""

    parse: FunctionTrees
    native: FunctionTrees
    generalised: FunctionTrees
    words: tuple[Ints, Ints] | None = None
    """The words of parse and gold by sentence, where these are cut otherwise."""
    _laid: dict[str, Overlay] = field(default_factory=dict)
    """Trees laid over each other by the gold they are measured by, kept for other measures."""

    def edits(self, *, labelled: bool, empty_counts: bool, gold: str = "multiple") -> Edits:
        """The edits that turn the parse into the generalised gold, less what its own gold would need as well.

        Without labels every yield is a unit. With labels every label of a yield is one; empty_counts makes a yield
        without labels a unit too, as TedEval 2.1 and 2.2 do and the paper does not.
        """
        if gold not in self._laid:
            target = self.native if gold == "single" else self.generalised
            self._laid[gold] = overlay(self.parse, self.native, target)
        units = self._laid[gold].units(labelled=labelled, empty_counts=empty_counts)
        kinds = unit_kinds(*units.has)
        masks = [*(kinds == kind for kind in (SPURIOUS, MISSING, FORGIVEN, UNASKED)), *units.has]
        counts = (np.bincount(units.sentence[mask], minlength=self.parse.sentences) for mask in masks)
        return Edits(*counts, *(self.words or [self.parse.words] * 2))


def _value(sums: Sums) -> Floats:
    # A test set is scored as one large sentence is; without a sentence there is nothing to score.
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
        one; `2.2` the same and the words on both sides; `paper` labelled units alone, root included.
    labelled: whether labels count; without, a unit is a set of words, which says nothing about heads.
    gold: `multiple` (the generalisation of all golds; edits that only undo what the parser's own gold has are
        forgiven) or `single` (the gold of its own framework).
    Counts: delta = spurious + missing, norm, score (sum of sentence scores), sentences, spurious (units that the
        parser's own gold does not have), missing (units of the common gold), forgiven (rightly built, of its own
        framework alone), unasked (of its own framework alone, not built).
    Score: value = 1 − Σ delta / Σ norm; sentence-mean = the mean of 1 − delta/norm over sentences; none below 0.
        Where there is nothing to divide by (sentences of one word, which are but roots), 1 without edits and else 0.
    Paper: Tsarfaty et al. 2012, sections 3 and 4. Peers: TedEval 2.1, 2.2.
    """
    if sizes not in SIZES:
        raise unknown("way to measure trees", sizes, SIZES)
    if gold not in GOLDS:
        raise unknown("gold", gold, GOLDS)
    counted = parse.edits(labelled=labelled, empty_counts=sizes != "paper", gold=gold)
    norms = counted.norm(sizes)
    columns = {
        "delta": counted.delta,
        "norm": norms,
        "score": np.rint(sentence_scores(counted.delta, norms) * ONE),
        "sentences": np.ones(len(norms)),
        "spurious": counted.spurious,
        "missing": counted.missing,
        "forgiven": counted.forgiven,
        "unasked": counted.unasked,
    }
    values = np.stack(list(columns.values()), axis=1).astype(np.int64)
    return Counts(tuple(columns), len(norms), np.arange(len(norms)), values)
