"""Weights against the worked cases and the 2010 paper, exactly."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.weights import check_categories, load_weights
from assay.tasks.tags.weights.ambiguity import from_counts

CASES = json.loads((Path(__file__).parents[1] / "data" / "tagging_cases.json").read_text("utf-8"))
AMBIGUITY = [case for case in CASES["cases"] if case["type"] == "ambiguity"]


@pytest.mark.parametrize("case", AMBIGUITY, ids=lambda case: case["id"])
def test_ambiguity(case):
    made = from_counts(Counter(map(frozenset, case["words"])), find_tagset("nkjp"), denominator=case["denominator"])
    assert made.weights.w == {key: Fraction(value) for key, value in case["expected"].items()}
    assert made.warnings == ()


@pytest.mark.parametrize("name", ["paper", "poliqarp"])
def test_presets_are_the_tables_of_the_paper(name):
    assert load_weights(name).w == {key: Fraction(value) for key, value in CASES["weights"][name]["w"].items()}
    assert load_weights(name).kind == CASES["weights"][name]["kind"]


@pytest.mark.parametrize("name", ["paper", "poliqarp", "cond1"])
def test_tables_of_the_cases_can_be_read_from_a_file(name, tmp_path):
    path = tmp_path / "w.json"
    path.write_text(json.dumps(CASES["weights"][name]), "utf-8")
    weights = load_weights(str(path))
    assert weights.of("subst", "case") == Fraction({"paper": 2, "poliqarp": 14055, "cond1": 3}[name])
    check_categories(weights, find_tagset("nkjp"))


def test_weights_of_the_papers_gerund():
    """Section 2.3: precision 2/3, recall 3/4 of `ger:sg:nom:n:perf:aff` for `subst:sg:nom:n`."""
    weights, tagset = load_weights("paper"), find_tagset("nkjp")
    totals = []
    for text in ("ger:sg:nom:n:perf:aff", "subst:sg:nom:n"):
        (tag,) = tagset.read(text)
        totals.append(sum(weights.of(tag.pos, name) or 0 for name in ("pos", *dict(tag.values))))
    assert totals == [9, 8]
    assert (Fraction(6, 9), Fraction(6, 8)) == (Fraction(2, 3), Fraction(3, 4))


def test_the_table_of_the_query_log_in_the_paper_has_no_vocalicity():
    assert load_weights("poliqarp").of("prep", "vocalicity") == 0
    assert sum(load_weights("poliqarp").w.values()) == 54990
