"""Coreference chains: the metrics that come from one table of chains, and ARCS, which judges each mention."""

from __future__ import annotations

from assay.tasks.coreference.chains.errors import ERRORS, chain_errors
from assay.tasks.coreference.chains.heads import equal_pairs, with_same_heads
from assay.tasks.coreference.chains.metrics import (
    CONLL,
    FRACTIONS,
    LINKS,
    MATCHED,
    b_cubed,
    blanc,
    ceaf_e,
    ceaf_m,
    conll,
    lea,
    mentions,
    muc,
)
from assay.tasks.coreference.chains.resolution import CLASSES, Arcs, arcs
from assay.tasks.coreference.chains.scores import ARCS_SCORES, METRICS, Metric, mela
from assay.tasks.coreference.chains.tables import Mentions, Table, in_order, linked, table

__all__ = [
    "ARCS_SCORES",
    "CLASSES",
    "CONLL",
    "ERRORS",
    "FRACTIONS",
    "LINKS",
    "MATCHED",
    "METRICS",
    "Arcs",
    "Mentions",
    "Metric",
    "Table",
    "arcs",
    "b_cubed",
    "blanc",
    "ceaf_e",
    "ceaf_m",
    "chain_errors",
    "conll",
    "equal_pairs",
    "in_order",
    "lea",
    "linked",
    "mela",
    "mentions",
    "muc",
    "table",
    "with_same_heads",
]
