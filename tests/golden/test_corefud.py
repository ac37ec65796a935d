"""Mentions that go together by their heads: own cases, and the test files of the CorefUD scorer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.engine.items import ONE

FOLDER = Path(__file__).parents[1] / "data" / "corefud"
EXPECTED = json.loads((FOLDER / "expected.json").read_text("utf-8"))
METRICS = ("muc", "b-cubed", "ceaf-e", "ceaf-m", "lea")
REFUSED = ("TC-A-7", "TC-A-8", "TC-A-9")
"""Test files with repeated mentions."""


def four(counts):
    """Numerator and denominator of recall, then of precision."""
    if "right" in counts:
        return [counts["right"], counts["gold"], counts["right"], counts["system"]]
    return [counts["rnum"] / ONE, counts["rden"], counts["pnum"] / ONE, counts["pden"]]


def counted(key, response, setting):
    """What each metric counts, and matched mentions beside those of both sides."""
    specs = [f"{name}({setting})" for name in ("mentions", *METRICS)]
    result = assay.score(key, {"s": response}, specs, task="coreference", times=1)
    rows = {row.measure.partition("(")[0]: four(row.counts) for row in result.counts}
    matched, in_key, _, in_response = rows.pop("mentions")
    return [matched, in_key, in_response], rows


@pytest.mark.parametrize("name", EXPECTED)
def test_cases_of_matching(name) -> None:
    for setting, expected in EXPECTED[name]["results"].items():
        matched, metrics = counted(FOLDER / f"{name}.key.conllu", FOLDER / f"{name}.response.conllu", setting)
        assert matched[0] == expected["matched"], setting
        for metric, numbers in metrics.items():
            assert numbers == pytest.approx(expected[metric], abs=1e-8), (setting, metric)


def test_counts_of_the_corefud_scorer(shared_data) -> None:
    """Its test files without zeros, under exact match and head match, with and without singletons."""
    folder = shared_data("coref-corefud-scorer")
    wrong, checked = [], 0
    for response, case in json.loads((folder / "expected.json").read_text("utf-8")).items():
        if response.startswith("zeros/") or any(name in response for name in REFUSED):
            continue
        files = [folder / "tests-corefud" / name for name in (case["key"], response)]
        for setting, expected in case["results"].items():
            if "partial" in setting:
                continue
            checked += 1
            matched, metrics = counted(*files, setting)
            theirs = {name: expected[name]["counts"] for name in METRICS}
            same = all(numbers == pytest.approx(theirs[name], abs=1e-6) for name, numbers in metrics.items())
            if matched != expected["matched"] or not same:
                wrong.append((response, setting))
    assert wrong == []
    assert checked == 196
