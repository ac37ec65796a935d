"""What a verdict may say: the kinds and claims of every case, decided from facts alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.result.grammar import decide_kind
from assay.stats.significance import holm_of
from cases import each

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "decisions" / "verdicts.jsonl").read_text("utf-8").splitlines()
]


def corrected(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts with Holm's p in their family in place of the other p-values of that."""
    others = np.sort(np.array(facts.get("family", ()), dtype=float))
    known = {"p": "p_adjusted", "smallest_p": "smallest_adjusted", "p_low": "low_adjusted", "p_high": "high_adjusted"}
    found = {name: holm_of(facts[key], others) for key, name in known.items() if facts.get(key) is not None}
    size = {"many": len(facts.get("leads", ()))}.get(facts["type"], len(others) + 1)
    return {"p_adjusted": None, **facts, **found, "family_size": size}


@each("case", CASES, ids=lambda case: case["id"])
def test_kind_and_claims_follow_from_facts(case: dict[str, Any]) -> None:
    """Every case has its kind, the claims that it must make, and none that it must not."""
    facts, expected = corrected(case["facts"]), case["expected"]
    found = decide_kind(facts)
    assert found.kind == expected["kind"]
    assert not set(expected["must"]) - set(found.claims)
    assert not set(expected["must_not"]) & set(found.claims)
    if expected.get("p_adjusted") is not None:
        assert facts["p_adjusted"] == pytest.approx(expected["p_adjusted"], rel=1e-9)
    for role, system in expected.get("systems", {}).items():
        assert found.systems[role] == system


def test_exchanging_the_systems_mirrors_the_decision() -> None:
    """The kind of b − a is that of a − b, with the other system named."""
    other = {"a": "b", "b": "a"}
    for case in CASES:
        facts = corrected(case["facts"])
        if facts["type"] not in ("pair", "average") or facts["difference"] is None:
            continue
        ends = {
            one: None if facts.get(two) is None else -facts[two]
            for pair in (("low", "high"), ("low90", "high90"))
            for one, two in (pair, pair[::-1])
        }
        here, there = decide_kind(facts), decide_kind({**facts, "difference": -facts["difference"], **ends})
        assert (there.kind, set(there.claims)) == (here.kind, set(here.claims)), case["id"]
        if "not_worse" not in here.systems or here.kind != "not-worse":
            assert dict(there.systems) == {role: other[system] for role, system in here.systems.items()}


def test_margins_change_kinds_in_one_direction() -> None:
    """A larger margin never undoes `equivalent` or `not-worse`, a smaller one never undoes `more-than-margin`."""
    facts = {"type": "pair", "units": 900, "differ": 300, "smallest_adjusted": 0.0, "p": 0.6, "p_adjusted": 0.6}
    rank = {"open": 0, "not-worse": 1, "equivalent": 2}
    for low, high in ((-0.02, 0.01), (-0.004, 0.03), (-0.01, 0.01)):
        ends = {"difference": 0.001, "low": low, "high": high, "low90": low / 1.2, "high90": high / 1.2}
        kinds = [decide_kind({**facts, **ends, "margin": margin / 1000}).kind for margin in range(1, 60)]
        assert [rank[kind] for kind in kinds] == sorted(rank[kind] for kind in kinds)
    ends = {"difference": 0.03, "low": 0.02, "high": 0.04, "low90": 0.022, "high90": 0.038, "p_adjusted": 0.001}
    kinds = [decide_kind({**facts, **ends, "margin": margin / 1000}).kind for margin in range(1, 60)]
    order = ["more-than-margin", "different-margin-open", "trivial"]
    assert list(dict.fromkeys(kinds)) == order
