"""Options of relations."""

from __future__ import annotations

from assay.specs import Option
from assay.tasks.options import COMPARED, LABELS, MISSING, REPAIR

OPTIONS = (
    Option(
        "only_annotated",
        "Relations: only sentences (or documents) in which gold has an annotation count.",
        COMPARED,
        default=False,
    ),
    REPAIR,
    MISSING,
    *LABELS,
)
