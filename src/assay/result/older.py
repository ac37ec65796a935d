"""Results in the JSON of earlier versions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from assay.result import SCHEMA, Result
from assay.result.encoding import from_plain
from assay.result.grammar import with_kind
from assay.result.schema import About, Presentation


def read_assay_1(data: Mapping[str, Any]) -> Result:
    """A Result from the JSON of `assay/1`, whose facts were fields of the Result itself."""
    parts = {
        name: {field.name: data[field.name] for field in dataclasses.fields(kind) if field.name in data}
        for name, kind in (("about", About), ("shown", Presentation))
    }
    result = cast(Result, from_plain(Result, {**data, **parts, "schema": SCHEMA}))
    if not result.main_scores:
        # Before rows said which score is the main one, it was the first.
        first: dict[str, str] = {}
        rows = [(row, first.setdefault(row.measure, row.score)) for row in result.scores]
        result = replace(result, scores=tuple(replace(row, main=row.score == main) for row, main in rows))
    if any(row.is_of_score and row.slice is None and not row.kind for row in result.comparisons):
        from assay.engine.build import adjust_p_values
        from assay.engine.counts import FEW_DIFFERING, FEW_UNITS

        few = result.about.units < FEW_UNITS
        tests = [replace(row, few=few or 0 < row.units < FEW_DIFFERING) for row in result.comparisons]
        adjusted = adjust_p_values(tests, result.main_scores, clustered=result.about.documents > 0)
        result = replace(result, comparisons=tuple(adjusted))
    if any(not row.kind for row in result.bayes):
        result = replace(result, bayes=tuple(map(with_kind, result.bayes)))
    if "tables" not in data:
        # Before Results said how they are shown, the name of the task did.
        from assay.engine.task import describe

        result = describe(result, noun="noun" not in data)
    return result
