"""Relations, facts and agreement on the shared cases, under every setting."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import assay
from assay.result import Result
from cases import each
from relationlists import corpus_of

LINES = (Path(__file__).parents[1] / "data" / "relations" / "cases.jsonl").read_text("utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]
SETTINGS = {
    "strict": "match=strict",
    "boundary": "match=boundary",
    "first": "match=first",
    "last": "match=last",
    "label-any": "label=any",
    "direction-any": "direction=any",
    "overlap": "match=overlap",
    "overlap,types=same": "match=overlap, types=same",
    "given-spans": "given=spans",
}
KINDS = ("tp", "le", "de", "te", "be", "me", "fn", "fp")
CAUSES = {
    "FN argument-missing": "fn-argument-missing",
    "FN not-related": "fn-not-related",
    "FP argument-spurious": "fp-argument-spurious",
    "FP spurious": "fp-spurious",
}
KD = {kind: f"{kind} spans" for kind in ("correct", "incorrect", "partial", "missing", "spurious")}
# Where assay differs from the scorer of eHealth-KD by design; docs/differences.md says why.
SAID_TWICE = re.compile("twice|in both orders")
KD_HERE = {
    "ehealth-two-types-one-place": {"correct spans": 1, "incorrect spans": 0, "f1": 2 / 3},
    "dup-by-span": {"spurious relations": 0, "f1": 6 / 7},
}
"""The scorer sees the first of two types at a place only, and tells relations apart by the ids of their spans."""


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["kind"] == kind]


def named(case: dict[str, Any]) -> str:
    return str(case["id"])


def scored(case: dict[str, Any], *measures: str) -> Result:
    length = case.get("tokens", 20)
    gold, system = (corpus_of([case[side]], [length], side) for side in ("gold", "system"))
    return assay.score(gold, {"s": system}, list(measures), times=1)


def counts_of(result: Result, number: int, label: str | None = None) -> dict[str, int]:
    measure = result.measures[number]
    rows = [row.counts for row in result.counts if row.measure == measure and row.label == label]
    return rows[0] if rows else {}


def value_of(result: Result, number: int, score: str) -> float:
    measure = result.measures[number]
    return next(r.value for r in result.scores if (r.measure, r.score, r.label) == (measure, score, None))


def close(value: float, expected: float | None) -> bool:
    return math.isnan(value) if expected is None else math.isclose(value, expected, abs_tol=1e-6)


@each("case", of_kind("relations"), ids=named)
def test_counts_of_each_case_under_every_setting(case: dict[str, Any]) -> None:
    symmetric = f"symmetric={'+'.join(case['symmetric'])}" if case["symmetric"] else ""
    settings = [f"relations({', '.join(filter(None, (own, symmetric)))})" for own in SETTINGS.values()]
    result = scored(case, *settings, f"fair-relations({symmetric})" if symmetric else "fair-relations")
    expected = case["expected"]
    for number, name in enumerate(SETTINGS):
        found = counts_of(result, number)
        assert {kind: found[kind] for kind in ("tp", "fp", "fn")} == expected[name], name
        if name != "given-spans":
            assert (found["gold"], found["system"]) == (expected["counts"]["gold"], expected["counts"]["system"])
    for label, numbers in expected["per-label strict"].items():
        found = counts_of(result, 0, label)
        assert {kind: found[kind] for kind in ("tp", "fp", "fn")} == numbers, label
    assert close(value_of(result, 0, "f1"), expected["f1 strict"])
    assert close(value_of(result, 0, "macro-f1"), expected["macro-f1 strict"])
    fair, found = expected["fair"], counts_of(result, len(SETTINGS))
    assert {kind: found[kind] for kind in KINDS} == {kind: fair[kind.upper()] for kind in KINDS}
    assert {cause: found[own] for cause, own in CAUSES.items()} == {cause: fair[cause] for cause in CAUSES}
    assert close(value_of(result, len(SETTINGS), "f1"), fair["f1"])
    for side in ("gold", "system"):
        dropped = expected["counts"][f"duplicates {side}"]
        name = "s" if side == "system" else "gold"
        told = [line for line in result.warnings if line.startswith(f"{name}: ") and SAID_TWICE.search(line)]
        assert len(told) == (dropped > 0) and all(f"{dropped} relation" in line for line in told)


@each("case", of_kind("facts"), ids=named)
def test_facts_of_each_case(case: dict[str, Any]) -> None:
    result = scored(case, *(f"facts({name})" for name in case["expected"]))
    for number, (name, expected) in enumerate(case["expected"].items()):
        found = counts_of(result, number)
        assert {kind: found[kind] for kind in ("tp", "fp", "fn")} == expected, name


@each("case", of_kind("agreement"), ids=named)
def test_agreement_of_each_case_whoever_comes_first(case: dict[str, Any]) -> None:
    a, b = (corpus_of([case[side]], [case["tokens"]], side) for side in ("a", "b"))
    for annotators in ({"a": a, "b": b}, {"b": a, "a": b}):
        result = assay.agreement(annotators, times=1)
        values = {(row.measure, row.score): row.value for row in result.scores if row.label is None}
        for name, expected in case["expected"].items():
            measure = "fair-relations" if name == "fair" else f"relations(match={name})"
            assert close(values[measure, "f1"], expected["f1"]), name


@each("case", [case for case in of_kind("relations") if "ehealth-kd" in case["official"]], ids=named)
def test_the_counts_of_ehealth_kd(case: dict[str, Any]) -> None:
    official = {**case["official"]["ehealth-kd"], **KD_HERE.get(case["id"], {})}
    result = scored(case, "ehealth-kd(task=spans)", "ehealth-kd(task=relations)", "ehealth-kd")
    spans, relations = counts_of(result, 0), counts_of(result, 1)
    assert {name: spans[kind] for kind, name in KD.items()} == {name: official[name] for name in KD.values()}
    for kind in ("correct", "missing", "spurious"):
        assert relations[kind] == official[f"{kind} relations"], kind
    assert close(value_of(result, 2, "f1"), official["f1"])
