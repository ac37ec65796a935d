"""Means from human labels and those of a judge."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from assay.stats.intervals import score_interval
from assay.stats.judges import FEW, estimate_with_judge

FILE = Path(__file__).parents[2] / "data" / "decisions" / "judges.jsonl"
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case):
    found = estimate_with_judge(*(np.array(case[name]) for name in ("human", "judge", "judge_only")))
    expected = case["expected"]
    low, high = found.difference_ends() if case["id"] == "difference" else found.score_ends()
    numbers = {"estimate": found.value, "weight": found.weight, "low": low, "high": high}
    assert numbers == pytest.approx({name: expected[name] for name in numbers}, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [0.6, 0.85])
@pytest.mark.parametrize(("people", "without"), [(20, 0.997), (50, 0.444), (100, 0.002)])
def test_intervals_contain_the_true_accuracy(accuracy, people, without):
    """A judge who is right on 80% of 1,000 items (docs/guide/judges.md has these figures): if the estimate has no
    interval, that of the humans alone counts."""
    rng, samples, covered, few = np.random.default_rng(5), 4000, 0, 0
    for _ in range(samples):
        right = rng.random(1000) < accuracy
        human, judge = right.astype(float), (right == (rng.random(1000) < 0.8)).astype(float)
        found = estimate_with_judge(human[:people], judge[:people], judge[people:])
        low, high = found.score_ends()
        if math.isnan(low) or (human[:people] != judge[:people]).sum() < FEW:
            few += 1
            low, high = score_interval(human[:people].mean(), people, people)
        covered += low <= accuracy <= high
    assert covered / samples >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / samples)
    assert few / samples == pytest.approx(without, abs=3 * math.sqrt(without * (1 - without) / samples))
