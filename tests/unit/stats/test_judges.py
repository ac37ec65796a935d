"""Means from human labels and those of a judge."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assay.stats.judges import estimate_with_judge

FILE = Path(__file__).parents[2] / "data" / "decisions" / "judges.jsonl"
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case):
    found = estimate_with_judge(*(np.array(case[name]) for name in ("human", "judge", "judge_only")))
    expected = case["expected"]
    low, high = found.difference_ends() if case["id"] == "difference" else found.score_ends()
    numbers = {"estimate": found.value, "weight": found.weight, "low": low, "high": high}
    assert numbers == pytest.approx({name: expected[name] for name in numbers}, abs=1e-12)
