"""All tables of a Result; terminal, TSV, Markdown, LaTeX and HTML draw these."""

from __future__ import annotations

from assay.render import agreement, comparisons, cross, runs, scores
from assay.render.table import Table
from assay.result import Result


def tables(result: Result) -> list[Table]:
    """In reading order: how good, what differs, and the details."""
    special = {"agreement": agreement.tables, "cross": cross.tables, "bayes": runs.tables}.get(result.command)
    if special is not None:
        return [table for table in special(result) if table.rows]
    parts = (*scores.OVERALL, *comparisons.PARTS, *scores.DETAILS)
    return [table for part in parts for table in part(result) if table.rows]
