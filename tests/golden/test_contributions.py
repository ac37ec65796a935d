"""What a difference is made of: cases in exact fractions, and a decomposition by other code on public data."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine.contributions import Division
from assay.engine.counts import Counts, JointCounts
from assay.engine.measure import Measure, Ratio
from assay.engine.scores import MeasureScores, Settings
from cases import each
from contributions import check_contributions

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "beyond" / "decompose.jsonl").read_text("utf-8").splitlines()
]
RATIO = Ratio(lambda sums: sums["part"], lambda sums: sums["whole"])


@each("case", CASES, ids=lambda case: case["id"])
def test_every_case_is_divided_as_fractions_say(case: dict[str, Any]) -> None:
    """Each row of a case is a unit; its group stands for a document."""
    rows, expected = case["rows"], case["expected"]
    values = np.array([row[1:] for row in rows])
    fields, units = ("part", "whole"), np.arange(len(rows))
    sides = [(name, Counts(fields, len(rows), units, values[:, [at, at + 1]])) for name, at in (("a", 0), ("b", 2))]
    measure = Measure("ratio", lambda pair: None, {"value": RATIO}, "value", ("value",), "tags")
    tallies = JointCounts.of(sides, lambda sums: fields, lambda: units)
    scores = MeasureScores(measure, None, tallies, Settings(0, 1, "score"))
    for name, number in zip("ab", scores.values("value").tolist(), strict=True):
        assert number == pytest.approx(float(Fraction(expected[name])), abs=1e-15)
    changed = Counts(fields, len(rows), units, values[:, 2:] - values[:, :2])
    names = [f"{place}\t{row[0]}" for place, row in enumerate(rows)]
    found: dict[str, float] = defaultdict(float)
    for _, name, _, value, *_ in Division(scores, 0, 1).by_document(names, changed):
        found[name.partition("\t")[2]] += value
    wanted = {name: float(Fraction(value)) for name, value in expected["contributions"].items()}
    assert {**dict.fromkeys(wanted, 0.0), **found} == pytest.approx(wanted, abs=1e-15)
    assert sum(found.values()) == pytest.approx(float(Fraction(expected["difference"])), abs=1e-15)


def test_gum_entities_are_divided_as_other_code_divides_them(shared_data: Callable[[str], Path]) -> None:
    """+10.44 F1: a third of the lead is what is not said any more."""
    folder = shared_data("spans-entities-gum")
    systems = {
        "cascade": folder / "crfsuite-layered-cascade.spans.tsv",
        "rules": folder / "rule-gold-syntax-majority-type.spans.tsv",
    }
    result = assay.compare(folder / "gold.spans.tsv", systems, ["exact"], times=20)
    assert check_contributions(result) == {("exact", by) for by in ("kind", "label", "outcome")}
    found = {(row.by, row.group): (row.items, round(100 * row.value, 2)) for row in result.contributions}
    kinds = {group: value for (by, group), value in found.items() if by == "kind"}
    assert kinds == {
        "correction": (1576, 15.06),
        "new-error": (845, -8.08),
        "spurious-removed": (3068, 10.63),
        "spurious-added": (2072, -7.18),
    }
    labels = {group: value for (by, group), (_, value) in found.items() if by == "label"}
    wanted = {"abstract": 4.74, "object": 1.25, "place": 1.13, "event": 1.13, "organization": 0.88, "person": 0.7}
    assert labels == {**wanted, "plant": 0.37, "time": -0.3, "substance": 0.27, "animal": 0.26}
    values = [row.value for row in result.overall if row.score == "f1"]
    assert [round(100 * value, 4) for value in values] == [47.9793, 58.4171]
