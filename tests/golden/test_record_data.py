"""Real records: what is right, wrong, missing and spurious, and the figures of peers."""

from __future__ import annotations

import json

import pytest

import assay
from assay.tasks.records.kinds import MATCHES


@pytest.mark.parametrize("name", ["drugs", "notes"])
def test_records_of_drugs_have_their_figures(shared_data, name):
    folder = shared_data("records-drugs")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[name]
    wanted = [(measure, match) for match in MATCHES for measure in ("records", "fair-records")]
    files = str(folder / f"{name}.gold.jsonl"), {"s": str(folder / f"{name}.system.jsonl")}
    result = assay.score(*files, [f"{measure}(match={match})" for measure, match in wanted], times=5)
    values = {row.measure: row.value for row in result.scores if row.score == "f1" and row.label is None}
    for match in MATCHES:
        usual = f"(match={match})" if match != "normalised" else ""
        for measure, key in (("records", "f1"), ("fair-records", "fair-f1")):
            assert values[f"{measure}{usual}"] == pytest.approx(expected[match][key][1])
    counts = next(row.counts for row in result.counts if row.measure == "records" and row.label is None)
    assert {kind: counts[kind] for kind in expected["normalised"]["counts"]} == expected["normalised"]["counts"]
