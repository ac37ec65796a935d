"""Options of tags."""

from __future__ import annotations

from assay.specs import Option
from assay.tasks.options import BLANK_TAG, LABELS, MAP, SWEEP

_PARTS = "Tags with parts"
OPTIONS = (
    Option("tagset", "Tagset, to split tags into categories: a name (assay tagset) or a file.", _PARTS, file="name"),
    Option("strict_tagset", "Refuse tags outside the tagset.", _PARTS, default=False),
    Option("expand_optional", "A left-out optional attribute stands for all its values.", _PARTS, default=False),
    Option("alternatives", "Separator of several tags in one cell.", _PARTS, metavar="SEP"),
    Option(
        "weights", "Weights of categories for wpa and cwpa: a file, or equal, paper, poliqarp.", _PARTS, file="name"
    ),
    SWEEP,
    BLANK_TAG,
    MAP,
    *LABELS,
)
