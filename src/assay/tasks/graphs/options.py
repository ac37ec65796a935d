"""Options of graphs."""

from __future__ import annotations

from assay.tasks.options import LABELS

OPTIONS = LABELS
