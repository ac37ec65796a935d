"""How much each category of a tag counts: tables of weights, read, written, and made from data.

`ambiguity`, `rules` and `queries` make them in the three ways of Acedański & Przepiórkowski 2010, section 2.3.
"""

from __future__ import annotations

from assay.tasks.tags.weights.files import check_categories, dump, listed, load, presets
from assay.tasks.tags.weights.table import (
    ANY,
    KINDS,
    POS,
    Made,
    Provenance,
    Weights,
    categories,
    classes,
    warnings,
)

__all__ = [
    "ANY",
    "KINDS",
    "POS",
    "Made",
    "Provenance",
    "Weights",
    "categories",
    "check_categories",
    "classes",
    "dump",
    "listed",
    "load",
    "presets",
    "warnings",
]
