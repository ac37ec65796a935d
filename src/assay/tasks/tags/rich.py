"""Rich: how the labels of a pair fall apart, and what their parts weigh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.align import Pair
from assay.engine.items import judge_words
from assay.errors import UsageError
from assay.tasks.tags.tagsets import Tagset
from assay.tasks.tags.tagsets.analysis import Analysis

if TYPE_CHECKING:
    from assay.tasks.tags.weights import Weights


@dataclass(frozen=True, eq=False)
class Rich:
    """What the user said of tags with parts."""

    tagset: Tagset
    expand_optional: bool = False
    weights: Weights | None = None


def given_weights(pair: Pair) -> Weights | None:
    """The weights that were given for the run."""
    rich = pair.layer(Rich)
    return rich.weights if rich else None


def analysis_of(pair: Pair, column: str | None = None, tagset: Tagset | None = None) -> Analysis:
    """The labels of both sides taken apart, by the run's tagset or by another."""
    rich, name = pair.layer(Rich), column or pair.column
    chosen = tagset or (rich.tagset if rich else None)
    if chosen is None:
        raise UsageError("this measure takes tags apart: say how with --tagset (assay tagset lists them).")
    empty = pair.system.empty or pair.gold.empty

    def make() -> Analysis:
        labels = judge_words(pair, name).labels
        return Analysis.of(labels, chosen, expand_optional=bool(rich and rich.expand_optional), empty=empty)

    return pair.once(f"analysis of {name} by {chosen.name}", make)
