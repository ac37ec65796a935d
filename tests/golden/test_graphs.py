"""Enhanced and semantic dependencies against the counts of the official scorers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AlignmentError, InputError
from cases import each

LINES = (Path(__file__).parents[1] / "data" / "graphs" / "cases.jsonl").read_text("utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]
# Where assay differs by design; docs/differences.md says why.
PAIRS_COUNTED = {"eud-13": (6, 7), "eud-49": (14, 15)}
"""EULAS: assay's number of right arcs and the scorer's, which counts pairs of arcs."""
REPEATED = {"eud-10", "eud-11"}
"""Not collapsed, the scorer counts an arc twice that a cell has twice."""
CYCLE_OF_EMPTY_NODES = "eud-31"
REFUSED = {"eud-17": "9 in DEPS", "eud-40": "'"}
TOP = {"with-top": "", "without-top": "top=false"}


def named(case: dict[str, Any]) -> str:
    return str(case["id"])


def counted(gold: Path, system: Path, *measures: str) -> dict[str, tuple[dict[str, int], dict[str, float]]]:
    """The counts and scores of each measure."""
    result = assay.score(str(gold), {"s": str(system)}, list(measures), task="graphs", times=1)
    counts = {row.measure: row.counts for row in result.counts if row.label is None}
    scores: dict[str, dict[str, float]] = {name: {} for name in counts}
    for row in result.scores:
        if row.label is None:
            scores[row.measure][row.score] = row.value
    return {spec: (counts[name], scores[name]) for spec, name in zip(measures, result.measures, strict=True)}


def arcs(counts: dict[str, int]) -> list[int]:
    """Right arcs, and those of gold and system; the kinds of errors add up to both."""
    paired = sum(counts[kind] for kind in ("tp", "le", "head", "dependent", "direction"))
    assert counts["gold"] == paired + counts["fn"] and counts["system"] == paired + counts["fp"]
    return [counts["tp"], counts["gold"], counts["system"]]


def same(value: float, official: float | None) -> bool:
    """Equal as far as the official figure goes; its NaN is undefined here, or 0 where both others are."""
    if official is None:
        return math.isnan(value) or value == 0.0
    return math.isclose(value, official, abs_tol=1e-6)


@each("case", [case for case in CASES if case["family"] == "eud"], ids=named)
def test_enhanced_dependencies_of_each_case(case: dict[str, Any], tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    gold.write_text(case["gold"], "utf-8")
    system.write_text(case["system"], "utf-8")
    name, expected = case["id"], case["expected"]
    if name in REFUSED:
        with pytest.raises((InputError, AlignmentError), match=REFUSED[name]):
            counted(gold, system, "elas")
        return
    ours = counted(gold, system, "elas", "eulas", "elas(empty=drop)", "eulas(empty=drop)", "elas(empty=align)")
    for collapsed, suffix in (("collapsed", ""), ("not collapsed", "(empty=drop)")):
        entries = [
            entry
            for program in ("iwpt21", "udtools")
            if (entry := expected.get(f"{program} {collapsed} enhancements=0")) and "error" not in entry
        ]
        for entry in entries:
            for measure in ("elas", "eulas"):
                counts, scores = ours[f"{measure}{suffix}"]
                official = [entry[measure][key] for key in ("correct", "gold", "system")]
                if name == CYCLE_OF_EMPTY_NODES and not suffix:
                    assert arcs(counts) == [6, 6, 6]
                    continue
                if name in REPEATED and suffix:
                    continue
                if measure == "eulas" and name in PAIRS_COUNTED:
                    right, theirs = PAIRS_COUNTED[name]
                    assert official[0] == theirs
                    official[0] = right
                assert arcs(counts) == official, (measure, suffix)
                if sum(official[1:]) == 0:
                    assert all(math.isnan(value) for value in scores.values())


@each("case", [case for case in CASES if case["family"] == "sdp" and case["id"] != "sdp-16"], ids=named)
def test_semantic_dependencies_of_each_case(case: dict[str, Any], tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.sdp", tmp_path / "system.sdp"
    gold.write_text(case["gold"], "utf-8")
    system.write_text(case["system"], "utf-8")
    for options, expected in case["expected"].items():
        check_toolkit(gold, system, options, expected)


def test_graphs_correspond_by_their_ids_and_words_are_compared(tmp_path: Path) -> None:
    # The toolkit pairs the second graphs though they are two other sentences.
    case = next(case for case in CASES if case["id"] == "sdp-16")
    for side in ("gold", "system"):
        (tmp_path / side).write_text(case[side], "utf-8")
    ours = counted(tmp_path / "gold", tmp_path / "system", "sdp")
    assert arcs(ours["sdp"][0])[0] > case["expected"]["toolkit"]["with-top"]["edges-in-common-labeled"]


def check_toolkit(gold: Path, system: Path, options: str, expected: dict[str, Any]) -> None:
    """Every figure of a run of the toolkit with these options."""
    given = ["punctuation=false"] if "excludePunctuation" in options else []
    given += ["directed=false"] if "Undirected" in options else []
    kind = options.partition("representation=")[2].lower()
    for which, top in TOP.items():
        parameters = ", ".join(filter(None, [*given, top]))
        brackets = f"({parameters})" if parameters else ""
        chosen = f"(arguments={kind})" if kind in ("dm", "pas", "psd") else ""
        arc_f1 = f"arc-f1({', '.join(filter(None, ['labels=full', top]))})"
        specs = {
            "labelled": f"sdp{brackets}",
            "unlabelled": f"sdp-unlabelled{brackets}",
            "LM": f"sdp-exact{brackets}",
            "UM": f"sdp-unlabelled-exact{brackets}",
            "P": f"predications{chosen}",
            "F": f"frames{chosen}",
        }
        ours = counted(gold, system, *specs.values(), arc_f1)
        figures = expected[which]
        labelled, unlabelled = (arcs(ours[specs[name]][0]) for name in ("labelled", "unlabelled"))
        assert labelled == [
            figures["edges-in-common-labeled"],
            figures["edges-in-gold-standard"],
            figures["edges-in-system-output"],
        ], (options, which)
        assert unlabelled[0] == figures["edges-in-common-unlabeled"], (options, which)
        for letter, spec in (("L", "labelled"), ("U", "unlabelled"), ("P", "P"), ("F", "F")):
            scores = ours[specs[spec]][1]
            for score, name in (("precision", "P"), ("recall", "R"), ("f1", "F")):
                assert same(scores[score], figures[f"{letter}{name}"]), (options, which, letter, score)
        for name in ("LM", "UM"):
            assert same(ours[specs[name]][1]["value"], figures[name]), (options, which, name)
        for spec, what in (("P", "complete-predications"), ("F", "semantic-frames")):
            counts = ours[specs[spec]][0]
            assert [counts["gold"], counts["system"]] == [
                figures[f"{what}-in-gold-standard"],
                figures[f"{what}-in-system-output"],
            ]
        if not given:
            check_labels(gold, system, arc_f1, figures.get("by-label", {}))
            if which == "without-top":
                check_lengths(gold, system, figures.get("by-length", {}))


def check_labels(gold: Path, system: Path, spec: str, expected: dict[str, Any]) -> None:
    """The figures of each label."""
    result = assay.score(str(gold), {"s": str(system)}, [spec], task="graphs", times=1)
    counts = {row.label: row.counts for row in result.counts if row.label is not None}
    scores = {(row.label, row.score): row.value for row in result.scores if row.label is not None}
    for label, (ours, theirs, precision, recall) in expected.items():
        own = "(top)" if label == "-VIRTUAL-" else label
        assert [counts[own]["gold"], counts[own]["system"]] == [ours, theirs], label
        if scores:
            assert same(scores[own, "precision"], precision) and same(scores[own, "recall"], recall), label


def check_lengths(gold: Path, system: Path, expected: dict[str, Any]) -> None:
    """The figures of arcs of each length; tops, which assay keeps apart, are not among them."""
    if not expected:
        return
    result = assay.score(str(gold), {"s": str(system)}, "sdp(top=false)", task="graphs", slices="arc-length", times=1)
    counts = {row.slice: row.counts for row in result.counts if row.slice is not None}
    for length, (ours, theirs, precision, recall) in expected.items():
        own = counts[f"arc-length={'10 or more' if length == '10-' else length}"]
        right, *sides = arcs(own)
        assert sides == [ours, theirs], length
        assert same(right / theirs, precision) and same(right / ours, recall), length


@pytest.mark.parametrize("folder", ["graphs-eud-en_ewt", "graphs-eud-empty-nodes"])
def test_figures_of_enhanced_dependencies(shared_data: Callable[[str], Path], folder: str) -> None:
    path = shared_data(folder)
    expected = json.loads((path / "expected.json").read_text("utf-8"))
    compared = 0
    for system, runs in expected.items():
        ours = counted(path / "gold.conllu", path / system, "elas", "eulas", "elas(empty=drop)", "eulas(empty=drop)")
        for run, figures in runs.items():
            if not run.endswith("enhancements=0") or "error" in figures:
                continue
            suffix = "(empty=drop)" if "not collapsed" in run else ""
            for measure in ("elas", "eulas"):
                official = figures[measure]
                counts, scores = ours[f"{measure}{suffix}"]
                assert arcs(counts) == [official[key] for key in ("correct", "gold", "system")], (system, run)
                for score in ("precision", "recall", "f1"):
                    assert math.isclose(scores[score], official[score], abs_tol=1e-12)
                compared += 1
    assert compared > 10


def test_figures_of_semantic_dependencies(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("graphs-sdp-dm")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    compared = set()
    for system, runs in expected.items():
        if system.startswith("mrp pair"):
            gold, output = system.removeprefix("mrp pair ").split()
            check_mtool(folder / gold, folder / output, runs["mtool"])
            compared.add("mrp")
            continue
        for run, figures in runs.items():
            if run.startswith("toolkit"):
                check_toolkit(folder / "gold.sdp", folder / system, run, figures)
            elif run == "mtool --text":
                check_mtool(folder / "gold.sdp", folder / system, figures)
            compared.add(run)
    assert {"mrp", "toolkit", "toolkit excludePunctuation", "mtool --text"} <= compared


def check_mtool(gold: Path, system: Path, figures: dict[str, Any]) -> None:
    ours = counted(gold, system, "sdp", "sdp-unlabelled", "sdp-exact", "sdp-unlabelled-exact")
    for name, spec in (("labeled", "sdp"), ("unlabeled", "sdp-unlabelled")):
        official = figures[name]
        counts, scores = ours[spec]
        assert arcs(counts) == [official[key] for key in ("c", "g", "s")], (gold, spec)
        for score, key in (("precision", "p"), ("recall", "r"), ("f1", "f")):
            assert math.isclose(scores[score], official[key], abs_tol=1e-12)
        assert math.isclose(ours[f"{spec}-exact"][1]["value"], official["m"], abs_tol=1e-12)
