"""Options of relations."""

from __future__ import annotations

from assay.specs import Option
from assay.tasks.options import LABELS

OPTIONS = (
    Option(
        "only_annotated",
        "Only sentences (or documents) in which gold has an annotation count.",
        "Relations",
        default=False,
    ),
    *LABELS,
)
