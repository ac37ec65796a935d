"""Numbers of items: the cases of errors, correlations and comparisons, whose answers are exact."""

from __future__ import annotations

from typing import Any

import pytest
from tests.cases import each
from tests.itemtables import item_cases, items, value

import assay

NAMES = ("mae", "rmse", "bias", "pearson", "spearman", "kendall", "r2")


@each("case", item_cases("numbers"), ids=lambda case: case["id"])
def test_numbers(case: dict[str, Any]) -> None:
    widths = [name for name in case["expected"] if name.startswith("within")]
    names = [*NAMES, *(f"within(k={name.partition('=')[2]})" for name in widths)]
    result = assay.score(items(case["gold"]), {"a": items(case["system"], "a")}, names, times=100)
    assert any("on a different scale" in line for line in result.warnings) == (case["id"] == "other scale")
    mains = [row for row in result.scores if row.main]
    for name, row in zip((*NAMES, *widths), mains, strict=True):
        assert row.value == pytest.approx(value(case["expected"][name]), abs=1e-10, nan_ok=True), name


@each("case", item_cases("compare-numbers"), ids=lambda case: case["id"])
def test_two_systems(case: dict[str, Any]) -> None:
    expected, systems = case["expected"], {name: items(case[name], name) for name in ("a", "b")}
    names = [name for name in NAMES if f"p {name}" in expected]
    result = assay.compare(items(case["gold"]), systems, names, times=100)
    rows = {row.measure: row for row in result.comparisons}
    for name in names:
        row = rows[name]
        assert row.difference == pytest.approx(value(expected[f"difference {name}"]), abs=1e-10)
        p = row.p if row.p_shuffling is None else row.p_shuffling
        assert p == pytest.approx(value(expected[f"p {name}"]), abs=1e-12)
    # With fewer than 30 items, Williams' test decides on Pearson's correlation.
    assert rows["pearson"].p == rows["pearson"].p_williams == pytest.approx(expected["williams p"], abs=1e-8)
