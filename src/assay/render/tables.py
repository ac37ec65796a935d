"""All tables of a Result; terminal, TSV, Markdown, LaTeX and HTML draw these."""

from __future__ import annotations

from assay.render import comparisons, scores
from assay.render.table import Table
from assay.result import Result


def tables(result: Result) -> list[Table]:
    """In reading order: how good, what differs, and the details."""
    parts = (*scores.OVERALL, *comparisons.PARTS, *scores.DETAILS)
    return [table for part in parts for table in part(result) if table.rows]
