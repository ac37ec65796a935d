"""Which target span goes with which system span: by membership, by fair matching, and by the SemEval-2013 rules."""

from __future__ import annotations

from assay.engine.matching.greedy import FAIR, fair
from assay.engine.matching.membership import BRACKETS, EXACT, brackets, crossing, exact
from assay.engine.matching.optimal import SEMEVAL, semeval
from assay.engine.matching.spans import Records, SpanList, TooManyOverlapsError, boundaries, same_places

__all__ = [
    "BRACKETS",
    "EXACT",
    "FAIR",
    "SEMEVAL",
    "Records",
    "SpanList",
    "TooManyOverlapsError",
    "boundaries",
    "brackets",
    "crossing",
    "exact",
    "fair",
    "same_places",
    "semeval",
]
