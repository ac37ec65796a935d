"""Contributions to differences: they add up, in the Result and as they are printed."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest

from assay.render import render
from assay.result import Result


def check_contributions(result: Result) -> set[tuple[str, str]]:
    """The measures and ways of grouping that there are; each adds up to the difference of its scores."""
    sums: dict[tuple[str, str, str, str, str], list[float]] = defaultdict(list)
    for row in result.contributions:
        sums[row.a, row.b, row.measure, row.score, row.by].append(row.value)
        assert math.isnan(row.low) or row.low <= row.value <= row.high, row
    values = {(row.system, row.measure, row.score): row.value for row in result.overall}
    for (a, b, measure, score, by), found in sums.items():
        difference = values[b, measure, score] - values[a, measure, score]
        assert math.fsum(found) == pytest.approx(difference, abs=1e-12), (a, b, measure, by)
    lines = render(result, "tsv").splitlines()
    for place, line in enumerate(lines):
        if line.startswith("# What the difference on "):
            rows = [row.split("\t") for row in lines[place + 2 : lines.index("", place)]]
            shown: dict[str, list[float]] = defaultdict(list)
            for by, _, _, number, *_ in rows:
                shown[by].append(float(number))
            (whole,) = shown.pop("all")
            for numbers in shown.values():
                # Each number is rounded to half of the last digit.
                assert sum(numbers) == pytest.approx(whole, abs=0.005 * (len(numbers) + 1) + 1e-9), line
    return {(measure, by) for _, _, measure, _, by in sums}
