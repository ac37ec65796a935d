"""Parsers across frameworks: distances between function trees (Tsarfaty et al. 2012)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, numbers_of_runs, ratio
from assay.classes import dataclass
from assay.engine.counts import Counts, Sums
from assay.engine.items import ONE
from assay.engine.measure import measure
from assay.errors import UsageError, unknown
from assay.tasks.cross.functiontrees import FunctionTrees, Overlay, TreeUnits, overlay

GOLDS = ("multiple", "single")
SIZES = ("2.1", "2.2", "paper")
"""Ways to measure a tree: its nodes without the root, nodes and words, or labels as in the paper."""
NO_FUNCTION = "_"
"""The label of a node without one, in pairs of labels."""
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

    def columns(self, errors: Ints, norms: Ints, scores: Floats) -> dict[str, Ints | Floats]:
        """The counts of a measure by name."""
        return {
            "delta": errors,
            "norm": norms,
            "score": np.rint(scores * ONE),
            "sentences": np.ones(len(norms)),
            "spurious": self.spurious,
            "missing": self.missing,
            "forgiven": self.forgiven,
            "unasked": self.unasked,
        }


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
    skipped: Bools | None = None
    """Mask of the sentences that are left out."""
    by_convention: Ints | None = None
    """Numbers of units by sentence that are right at another place than in gold."""
    _overlays: dict[str, Overlay] = field(default_factory=dict)
    """Overlays of the trees by the gold that counts, kept for other measures …"""
    _pairs: dict[tuple[bool, str], EditPairs] = field(default_factory=dict)
    """… and pairs of edits, for the confusion of functions."""

    def units(self, *, labelled: bool, empty_counts: bool, gold: str = "multiple") -> tuple[TreeUnits, Ints]:
        """The units of all trees with their outcomes in the parse, as indices into KINDS.

        Without labels every yield is a unit. With labels every label of a yield is one; empty_counts makes a yield
        without labels a unit too, as TedEval 2.1 and 2.2 do and the paper does not.
        """
        if gold not in self._overlays:
            target = self.native if gold == "single" else self.generalised
            self._overlays[gold] = overlay(self.parse, self.native, target)
        units = self._overlays[gold].units(labelled=labelled, empty_counts=empty_counts)
        return units, unit_kinds(*units.has)

    def edits(self, *, labelled: bool, empty_counts: bool, gold: str = "multiple") -> Edits:
        """Edits that turn the parse into the generalised gold, without those that its own gold would need as well."""
        units, kinds = self.units(labelled=labelled, empty_counts=empty_counts, gold=gold)
        masks = [*(kinds == kind for kind in (SPURIOUS, MISSING, FORGIVEN, UNASKED)), *units.has]
        counts = (np.bincount(units.sentence[mask], minlength=self.parse.sentences) for mask in masks)
        return Edits(*counts, *(self.words or [self.parse.words] * 2))

    def pairs(self, *, empty_counts: bool, gold: str = "multiple") -> EditPairs:
        """The pairs of a spurious and a missing unit that are one error.

        Within one yield, labels in alphabetical order are paired side by side. Of the rest, units with the same label
        whose yields share a word are paired: the highest Jaccard index first, then the smaller union, then the first
        common word. Two pairs with a common member never have all of these in common.
        """
        if (empty_counts, gold) in self._pairs:
            return self._pairs[empty_counts, gold]
        units, kinds = self.units(labelled=True, empty_counts=empty_counts, gold=gold)
        union = self._overlays[gold].union
        names = (*union.labels, NO_FUNCTION)
        rank = np.empty(len(names), dtype=np.int64)
        rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        label, node = units.label, units.node
        sides = []
        for kind in (SPURIOUS, MISSING):
            rows = np.flatnonzero(kinds == kind)
            rows = rows[np.lexsort((rank[label[rows]], node[rows]))]
            begins = np.flatnonzero(np.diff(node[rows], prepend=-1))
            number = np.arange(len(rows)) - np.repeat(begins, np.diff(begins, append=len(rows)))
            sides.append((rows, node[rows] * (len(names) + 1) + number))
        (spurious, ours), (missing, theirs) = sides
        _, first, second = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
        rows, others = np.delete(spurious, first), np.delete(missing, second)
        one, other = join_keys(*(units.sentence[part] * len(names) + label[part] for part in (rows, others)))
        masks = [union.nodes.word_masks(node[part])[chosen] for part, chosen in ((rows, one), (others, other))]
        shared, likeness = compare_masks(*masks)
        chosen = choose_pairs(one, other, likeness, shared > 0)
        boundary = np.stack([rows[one[chosen]], others[other[chosen]]])
        labelling = np.stack([spurious[first], missing[second]])
        self._pairs[empty_counts, gold] = EditPairs(units, names, labelling, boundary)
        return self._pairs[empty_counts, gold]


def join_keys(keys: Ints, others: Ints) -> tuple[Ints, Ints]:
    """All pairs of rows with the same key."""
    order = np.argsort(others, kind="stable")
    begins, ends = (np.searchsorted(others[order], keys, side=side) for side in ("left", "right"))
    return np.repeat(np.arange(len(keys)), ends - begins), order[numbers_of_runs(begins, ends - begins)]


def compare_masks(one: Array, other: Array) -> tuple[Ints, list[Ints | Floats]]:
    """Numbers of words that two sets share, and what says how similar they are, the first first, the least best."""
    both, joint = one & other, one | other
    shared, size = (np.array([*map(int.bit_count, masks)], dtype=np.int64) for masks in (both, joint))
    first = np.array([(mask & -mask).bit_length() for mask in both], dtype=np.int64)
    return shared, [-shared / np.maximum(size, 1), size, first]


def choose_pairs(one: Ints, other: Ints, criteria: Sequence[Ints | Floats], allowed: Bools) -> Ints:
    """The pairs that are chosen, the best first, so that no member is in two of them."""
    chosen: list[int] = []
    taken, others = set[int](), set[int]()
    candidates = np.flatnonzero(allowed)
    for pair in candidates[np.lexsort([column[candidates] for column in reversed(criteria)])].tolist():
        a, b = int(one[pair]), int(other[pair])
        if a not in taken and b not in others:
            chosen.append(pair)
            taken.add(a)
            others.add(b)
    return np.array(chosen, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class EditPairs:
    """Pairs of a spurious and a missing unit, 2 × pairs, as rows of the units."""

    units: TreeUnits
    names: tuple[str, ...]
    """The labels by code; the last is that of a node without a function."""
    labelling: Ints
    """Another label on the same words."""
    boundary: Ints
    """The same label on other words."""

    def count(self, sentences: int) -> tuple[Ints, Ints]:
        """Numbers of labelling and of boundary errors of each sentence."""
        first = self.units.sentence[self.labelling[0]], self.units.sentence[self.boundary[0]]
        return np.bincount(first[0], minlength=sentences), np.bincount(first[1], minlength=sentences)

    def confusion(self) -> Counter[tuple[str, str]]:
        """Numbers of the labelling errors by the label of gold and that of the system."""
        spurious, missing = self.units.label[self.labelling].tolist()
        return Counter((self.names[own], self.names[wrong]) for wrong, own in zip(spurious, missing, strict=True))


def _value(sums: Sums) -> Floats:
    # A test set is scored like one large sentence; without a sentence there is no score.
    return np.where(sums["sentences"] > 0, sentence_scores(sums["delta"], sums["norm"]), np.nan)


def _fair_value(sums: Sums) -> Floats:
    return np.where(sums["sentences"] > 0, _fair_scores(sums["delta"], sums["norm"], sums["le"] + sums["be"]), np.nan)


def _fair_scores(errors: Floats, norms: Floats, pairs: Floats) -> Floats:
    """(norm - error) / (norm - pairs), never below 0; a pair is one error of two edits."""
    return np.where(norms > errors, ratio(norms - errors, norms - pairs), sentence_scores(errors, norms))


def _mean(sums: Sums) -> Floats:
    return ratio(sums["score"], ONE * sums["sentences"])


def _check_tree_options(sizes: str, gold: str) -> None:
    if sizes not in SIZES:
        raise unknown("way to measure trees", sizes, SIZES)
    if gold not in GOLDS:
        raise unknown("gold", gold, GOLDS)


def _as_counts(columns: Mapping[str, Ints | Floats]) -> Counts:
    values = np.stack(list(columns.values()), axis=1).astype(np.int64)
    return Counts(tuple(columns), len(values), np.arange(len(values)), values)


@measure(
    "tedeval", papers=("tsarfaty2012",), scores={"value": _value, "sentence-mean": _mean}, main="value", task="cross"
)
def tedeval(
    parse: Parse,
    *,
    sizes: str = "2.1",
    labelled: bool = True,
    gold: str = "multiple",
    add: int = 1,
    delete: int = 1,
) -> Counts:
    """TedEval: how few edits lead from a parse to what the golds of all frameworks agree on.

    sizes: what edits are divided by: `2.1` units of both trees without the root, a node without a label counting as
        one; `2.2` these and the words on both sides; `paper` only labelled units, root included.
    labelled: true if labels count; otherwise a unit is a set of words, which says nothing about heads.
    gold: `multiple` (the generalisation of all golds; edits that only undo what the parser's own gold has are
        forgiven) or `single` (the gold of its own framework).
    add, delete: cost of adding a missing and of deleting a spurious unit, with sizes `paper`. With add=0 the score is
        precision by the parser's own gold, with delete=0 recall of the units that all golds have.
    Counts: delta = delete · spurious + add · missing, norm, score (sum of sentence scores), sentences, spurious
        (units that the parser's own gold does not have), missing (units of the common gold), forgiven (rightly built,
        but only its own framework has them), unasked (not built, and only its own framework has them).
    Score: value = 1 − Σ delta / Σ norm; sentence-mean = the mean of 1 − delta/norm over sentences; none below 0.
        If there is nothing to divide by (sentences of one word, which consist of a root), 1 without edits, 0 with.
    Paper: Tsarfaty et al. 2012, sections 3 and 4. Peers: TedEval 2.1, 2.2.
    """
    _check_tree_options(sizes, gold)
    edits = parse.edits(labelled=labelled, empty_counts=sizes != "paper", gold=gold)
    return _as_counts(_weigh(edits, sizes, add, delete))


def _weigh(edits: Edits, sizes: str, add: int, delete: int) -> dict[str, Ints | Floats]:
    """The counts of edits with these costs."""
    check_edit_costs({"add": add, "delete": delete}, sizes)
    errors, norms = edits.delta, edits.norm(sizes)
    if (add, delete) != (1, 1):
        errors = delete * edits.spurious + add * edits.missing
        norms = np.where(edits.parse > 0, delete * edits.parse + add * edits.generalised, errors)
    return edits.columns(errors, norms, sentence_scores(errors, norms))


def check_edit_costs(costs: Mapping[str, float], sizes: str) -> None:
    """Raise an error for costs of edits that are not accepted, or not with these sizes."""
    spelled = ",".join(f"{name}={cost:g}" for name, cost in costs.items())
    for name, cost in costs.items():
        if name not in ("add", "delete"):
            raise unknown("edit", name, ("add", "delete"))
        if cost < 0 or cost != int(cost):
            raise UsageError(
                f"--edit-costs {spelled}: give whole numbers from 0 on. Only their ratio counts: 1.5 to 1 is 3 to 2."
            )
    if not any({"add": 1, "delete": 1, **costs}.values()):
        raise UsageError(f"--edit-costs {spelled}: one of the two must be above 0.")
    if sizes != "paper" and {*costs.values()} - {1}:
        raise UsageError(f"--edit-costs {spelled}: TedEval {sizes} has no sizes for such costs. Add --sizes paper")


@measure(
    "fair-tedeval",
    papers=("tsarfaty2012", "ortmann2022"),
    scores={"value": _fair_value, "sentence-mean": _mean},
    main="value",
    task="cross",
)
def fair_tedeval(parse: Parse, *, sizes: str = "2.1", gold: str = "multiple") -> Counts:
    """TedEval in which a wrong function, or a function on other words, is one error and not two edits.

    A spurious and a missing label of the same words are a labelling error (LE); of the rest, a spurious and a missing
    unit with the same label and a common word are a boundary error (BE), the most similar ones first. Edits without a
    partner are FP and FN. Forgiven and unasked units are no edits and have no partner.
    sizes, gold: as in `tedeval`. It is always labelled, since without labels there is nothing to pair.
    Counts: those of `tedeval`, and le, be, fp, fn: spurious = fp + le + be, missing = fn + le + be.
    Score: value = (Σ norm − Σ delta) / (Σ norm − Σ le − Σ be), never below tedeval; sentence-mean = the mean over
        sentences. Never compare it with TedEval of another paper.
    Paper: Tsarfaty et al. 2012; Ortmann 2022, whose fair F1 it is for flat spans with one partner each.
    """
    _check_tree_options(sizes, gold)
    empty_counts = sizes != "paper"
    edits = parse.edits(labelled=True, empty_counts=empty_counts, gold=gold)
    norms = edits.norm(sizes)
    le, be = parse.pairs(empty_counts=empty_counts, gold=gold).count(len(norms))
    pairs = le + be
    scores = _fair_scores(*(column.astype(float) for column in (edits.delta, norms, pairs)))
    columns = edits.columns(edits.delta, norms, scores)
    return _as_counts({**columns, "fp": edits.spurious - pairs, "le": le, "be": be, "fn": edits.missing - pairs})


@measure(
    "cross-score",
    papers=("tsarfaty2012",),
    scores={"value": _value, "sentence-mean": _mean},
    main="value",
    task="cross",
)
def cross_score(parse: Parse, *, add: int = 1, delete: int = 1) -> Counts:
    """Score of tags, spans or arcs by one of several guidelines: as TedEval, with other units.

    A unit is what a label stands for at a word, a span or an arc. What only a system's own guidelines distinguish is
    forgiven if it is right, free if it is left out, and an error if it is wrong.
    add, delete: cost of a missing and of a spurious unit.
    Counts: those of `tedeval` with sizes `paper`; spans also have convention: spans that are right, though their
        boundaries are not those of the system's own gold.
    Score: value = 1 − (spurious + missing) / (units of the system + units that all golds have); sentence-mean = the
        mean over sentences. With one gold and one unit per item it is accuracy of tags, exact F1 of spans and arcs.
    Paper: Tsarfaty et al. 2012, whose idea it applies to more than trees.
    """
    columns = _weigh(parse.edits(labelled=True, empty_counts=False), "paper", add, delete)
    columns |= {} if parse.by_convention is None else {"convention": parse.by_convention}
    gone = np.zeros(parse.parse.sentences, dtype=bool) if parse.skipped is None else parse.skipped
    return _as_counts({name: np.where(gone, 0, column) for name, column in columns.items()})
