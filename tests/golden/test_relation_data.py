"""Relations on the outputs of eHealth-KD 2020, against the official scorer and an independent count."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from golden.test_relation_cases import CAUSES, KINDS, SETTINGS

FOLDER = "relations-ehealthkd2020"
FORMAT = "brat(units=lines)"
PARTS = ("main", "task-b")
KD = ("correct", "incorrect", "partial", "spurious", "missing")
# A phrase that the system cuts into other fragments than gold; docs/differences.md.
FRAGMENTS = {("main", "Vicomtech"): (458, 44), ("task-b", "Vicomtech"): (581, 0)}
"""Correct and partial spans here; the official scorer has one correct span less and one partial span more."""
Counted = tuple[dict[tuple[str, str, str | None], dict[str, int]], dict[tuple[str, str, str], float]]


def counted(folder: Path, part: str, systems: list[str], measures: list[str]) -> Counted:
    """Counts by measure as it was asked for, system and label; scores by measure, system and name."""
    files = {name: str(folder / part / name / "scenario.ann") for name in ("gold", *systems)}
    result = assay.score(files.pop("gold"), files, measures, input_format=FORMAT, times=1)
    asked = dict(zip(result.measures, measures, strict=True))
    counts = {(asked[row.measure], row.system, row.label): dict(row.counts) for row in result.counts}
    scores = {
        (asked[row.measure], row.system, row.score): row.value for row in result.scores if row.label is None
    }
    return counts, scores


@pytest.mark.parametrize("part", PARTS)
def test_figures_of_every_setting(shared_data: Callable[[str], Path], part: str) -> None:
    folder = shared_data(FOLDER)
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[part]
    kept = {name: own for name, own in SETTINGS.items() if name in next(iter(expected.values()))["assay"]}
    measures = {name: f"relations({own})" for name, own in kept.items()}
    counts, scores = counted(folder, part, list(expected), [*measures.values(), "fair-relations"])
    for system, own in expected.items():
        figures = own["assay"]
        for name, measure in measures.items():
            found = counts[measure, system, None]
            assert {kind: found[kind] for kind in ("tp", "fp", "fn")} == {
                kind: figures[name][kind] for kind in ("tp", "fp", "fn")
            }, (system, name)
            assert math.isclose(scores[measure, system, "f1"], figures[name]["f1"], abs_tol=1e-6)
        strict = measures["strict"]
        for label, numbers in figures["per-label strict"].items():
            found = counts[strict, system, label]
            assert {kind: found[kind] for kind in numbers} == numbers, (system, label)
        assert math.isclose(scores[strict, system, "macro-f1"], figures["macro-f1 strict"], abs_tol=1e-6)
        fair, found = figures["fair"], counts["fair-relations", system, None]
        assert {kind: found[kind] for kind in KINDS} == {kind: fair[kind.upper()] for kind in KINDS}, system
        assert {cause: found[name] for cause, name in CAUSES.items()} == {cause: fair[cause] for cause in CAUSES}
        assert math.isclose(scores["fair-relations", system, "f1"], fair["f1"], abs_tol=1e-6)
        assert found["gold"] == figures["counts"]["gold"] and found["system"] == figures["counts"]["system"]
        # What can be found at all, times what is found of it, is what is found.
        given, recall = measures["given-spans"], scores[strict, system, "recall"]
        assert math.isclose(scores[given, system, "ceiling"] * scores[given, system, "recall"], recall)


@pytest.mark.parametrize("part", PARTS)
def test_figures_of_the_official_scorer(shared_data: Callable[[str], Path], part: str) -> None:
    folder = shared_data(FOLDER)
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[part]
    measures = {
        "A": "ehealth-kd(task=spans)",
        "B": "ehealth-kd(task=relations)",
        "AB": "ehealth-kd",
        "given": "ehealth-kd(given=spans, task=relations)",
    }
    counts, scores = counted(folder, part, list(expected), list(measures.values()))
    for system, own in expected.items():
        official = own["official"]
        spans = {kind: official[f"{kind}_A"] for kind in KD}
        if (part, system) in FRAGMENTS:
            correct, partial = FRAGMENTS[part, system]
            assert (spans["correct"], spans["partial"]) == (correct - 1, partial + 1)
            spans |= {"correct": correct, "partial": partial}
        assert {kind: counts[measures["A"], system, None][kind] for kind in KD} == spans, system
        for kind in ("correct", "spurious", "missing"):
            assert counts[measures["B"], system, None][kind] == official[f"{kind}_B"], (system, kind)
            assert counts[measures["given"], system, None][kind] == official["B_given_spans"][f"{kind}_B"]
        same = ("B",) if (part, system) in FRAGMENTS else ("A", "B", "AB")
        for name in same:
            for score, value in official[name].items():
                assert math.isclose(scores[measures[name], system, score], value, abs_tol=1e-9), (system, name)
