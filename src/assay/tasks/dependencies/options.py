"""Options of dependency trees."""

from __future__ import annotations

from assay.tasks.options import LABELS, PRESET

OPTIONS = (*LABELS, PRESET)
