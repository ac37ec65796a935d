"""The edits between parse, gold and generalised gold, as sets of units, and the scores made from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, Ints, Stretches
from assay.errors import unknown
from assay.tasks.cross.functiontrees.overlay import Overlay, Units, overlay
from assay.tasks.cross.functiontrees.trees import FunctionTrees

SIZES = ("2.1", "2.2", "paper")
"""How trees are measured: by their nodes without the root, by nodes and words, or by their labels as in the paper."""

# Where a unit is: 1 in the parse, 2 in its gold, 4 in the generalised gold. A label-less node of the generalised gold
# may be in it alone (4) where its gold has labels: nobody asks for it.
_PARSE, _GOLD, _GENERALISED = 1, 2, 4
_KINDS = (None, "spurious", "unasked", "forgiven", None, "right", "missing", "right")


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


class Description(NamedTuple):
    """One unit of a sentence: its label, where it has one, its words, and what becomes of it."""

    label: str | None
    stretches: Stretches
    kind: str
    """right, spurious, missing, forgiven or unasked."""


def edits(
    parse: FunctionTrees,
    gold: FunctionTrees,
    generalised: FunctionTrees,
    *,
    labelled: bool,
    empty_counts: bool,
    laid: Overlay | None = None,
) -> Edits:
    """What it takes to turn a parse into the generalised gold, less what its own gold would need as well.

    Without labels every yield is a unit. With labels every label of a yield is one; empty_counts makes a yield
    without labels a unit too, as TedEval 2.1 and 2.2 do and the paper does not. `laid`: the three laid over each
    other, where that was done before.
    """
    laid = laid or overlay(parse, gold, generalised)
    units = laid.units(labelled=labelled, empty_counts=empty_counts)
    cells = units.sentence.astype(np.int64) * 8 + _regions(units)
    table = np.bincount(cells, minlength=8 * parse.sentences).reshape(-1, 8)
    of = {kind: _KINDS.index(kind) for kind in ("spurious", "missing", "forgiven", "unasked")}
    region = np.arange(8)
    return Edits(
        **{kind: table[:, column] for kind, column in of.items()},
        parse=table[:, region & _PARSE > 0].sum(axis=1),
        gold=table[:, region & _GOLD > 0].sum(axis=1),
        generalised=table[:, region & _GENERALISED > 0].sum(axis=1),
        words=parse.words,
        gold_words=parse.words,
    )


def delta(counted: Edits) -> Ints:
    """The error of each sentence: edits that cost something."""
    return counted.spurious + counted.missing


def norm(counted: Edits, sizes: str = "2.1") -> Ints:
    """What the error of each sentence is divided by; at most 0 where nothing but a root is there.

    Where there is no parse at all, not even a root, it is the error itself: nothing is right then. The units must be
    counted as the variant does it: label-less nodes in `2.1` and `2.2`, not in `paper`.
    """
    if sizes not in SIZES:
        raise unknown("way to measure trees", sizes, SIZES)
    units = counted.parse + counted.generalised
    if sizes != "paper":
        units = units - 2 if sizes == "2.1" else units - 2 + counted.words + counted.gold_words
    return np.where(counted.parse > 0, units, delta(counted))


def sentence_scores(errors: Ints | Floats, norms: Ints | Floats) -> Floats:
    """1 - error / norm of each sentence, or of sums over several, never below 0.

    With nothing to divide by it is 1 without errors and else 0.
    """
    shares = np.where(norms > 0, errors / np.maximum(norms, 1), errors > 0)
    return np.maximum(1.0 - shares, 0.0)


def describe(
    sentence: int,
    parse: FunctionTrees,
    gold: FunctionTrees,
    generalised: FunctionTrees,
    *,
    labelled: bool = True,
    empty_counts: bool = True,
) -> list[Description]:
    """The units of one sentence, outer ones first, each right, spurious, missing, forgiven or unasked."""
    laid = overlay(*(trees.of_sentence(sentence) for trees in (parse, gold, generalised)))
    units = laid.units(labelled=labelled, empty_counts=empty_counts)
    rows = zip(units.node.tolist(), units.label.tolist(), _regions(units).tolist(), strict=True)
    named = sorted((node, laid.labels[label] if label >= 0 else "", region) for node, label, region in rows)
    return [
        Description(label or None, laid.words_of(node), kind)
        for node, label, region in named
        if (kind := _KINDS[region]) is not None
    ]


def _regions(units: Units) -> Ints:
    """In which of parse, gold and generalised gold each unit is."""
    has = units.has.astype(np.int64)
    regions: Ints = _PARSE * has[0] + _GOLD * has[1] + _GENERALISED * has[2]
    return regions
