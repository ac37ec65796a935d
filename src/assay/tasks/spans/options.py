"""Options of spans."""

from __future__ import annotations

from assay.specs import Option
from assay.tasks.options import BLANK_TAG, LABELS, MAP, MISSING, REPAIR, SWEEP

_SPANS = "Spans and mentions"
READING = (
    Option(
        "scheme",
        "Scheme of span tags: iob2, bioes, stacked, …, or NAME=iob1 for one system; else recognised by the tags.",
        _SPANS,
        default=(),
        known=("assay.formats.schemes", "SCHEMES"),
    ),
    REPAIR,
    MISSING,
)
"""How spans are read."""
OPTIONS = (
    *READING,
    BLANK_TAG,
    Option(
        "gold_errors",
        "List of spans in which gold itself is wrong.",
        _SPANS,
        file="path",
        of_gold=True,
        one_file=True,
    ),
    Option(
        "forms",
        "Show the N most frequent surface forms of errors: missing, spurious, not in the text.",
        _SPANS,
        default=0,
        metavar="N",
    ),
    SWEEP,
    MAP,
    *LABELS,
)
