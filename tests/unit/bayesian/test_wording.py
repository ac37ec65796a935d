"""Verdicts: their kinds and claims by the cases of the specification, and the words that these allow."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.bayesian.pairs import describe_order, posterior_verdict
from assay.bayesian.table import Rope
from assay.result.grammar import SURE, decide_kind, with_kind
from assay.result.schema import CurvePoint, Posterior, Thirds
from assay.result.verdict import summarise_pairs
from cases import each
from unit.render.pictures.drawn import posterior, result

CASES = [
    case
    for line in (Path(__file__).parents[2] / "data" / "decisions" / "verdicts.jsonl").read_text("utf-8").splitlines()
    if (case := json.loads(line))["facts"]["type"] == "bayes"
]
SAYS = {
    "better": r"\bbetter\b",
    "equivalent": r"\bequivalent\b",
    "undecided": r"\bdo not decide\b",
    "probability": r"posterior (draws|probability)",
    "margin": r"Region of equivalence: differences of at most [0-9.]+ points?.*, (given by --rope|from )",
    "p": r"\bp\b|p-value",
    "significant": "significan",
    "equal": r"\bequal",
    "identical": "identical",
}
"""Words of a sentence that makes a claim."""
NEVER = re.compile(r"\b(chance|told apart|leads?|confirmed|proves|trend towards|best|worse|reliabl[ey]|as good as)\b")


def made(
    a: float,
    equal: float | None,
    b: float,
    model: str = "hierarchical",
    half: float = 0.002,
    data_sets: int = 5,
    priors: tuple[float, ...] = (),
) -> Posterior:
    shares = Thirds(a, equal, b)
    points = tuple(CurvePoint(half, 1.0, 1.0, Thirds(a, equal, share), shares) for share in priors)
    return with_kind(
        Posterior(
            *("TnT", "Flair", "accuracy", model, half, data_sets, 1000),
            *(shares, shares, 0.0, "<", "", None, None),
            prior_curve=points,
        )
    )


def said(*shares: Any, items: float = math.nan, origin: str = "given", **options: Any) -> str:
    one = made(*shares, **options)
    return posterior_verdict(one, Rope(one.rope, origin, items, full=1))


# --- kinds and claims ---


@each("case", CASES, ids=lambda case: case["id"])
def test_kinds_and_claims_are_those_of_the_specification(case: dict[str, Any]) -> None:
    shares, margin, expected = case["facts"]["shares"], case["facts"].get("margin") or 0.0, case["expected"]
    found = decide_kind(case["facts"])
    kind, claims = found.kind, found.claims
    assert kind == expected["kind"]
    assert {*expected["must"]} <= {*claims}
    assert not {*expected["must_not"]} & {*claims}
    text = said(*shares.values(), half=margin, origin="given" if margin else "")
    for claim in expected["must"]:
        assert re.search(SAYS[claim], text), (claim, text)
    for claim in expected["must_not"]:
        assert not re.search(SAYS[claim], text), (claim, text)


def test_there_are_cases() -> None:
    assert len(CASES) == 5


@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=3).filter(lambda shares: sum(shares) > 0.1),
    st.sampled_from((0.0, 0.002)),
    st.sampled_from(("hierarchical", "correlated-t", "constant", "identical")),
)
def test_a_text_has_the_words_of_its_claims_and_no_others(given_shares: list[float], half: float, model: str) -> None:
    a, equal, b = given_shares
    whole = a + b + (equal if half else 0.0) or 1.0
    one = made(a / whole, equal / whole if half else None, b / whole, model, half=half)
    text = posterior_verdict(one, Rope(half, "given" if half else "", full=1))
    for claim in ("better", "equivalent", "undecided", "probability", "p", "significant", "equal", "identical"):
        # A difference that does not vary is told of by numbers of data sets alone.
        wanted = claim in one.claims and one.kind != "bayes-none"
        assert bool(re.search(SAYS[claim], text)) == wanted, (claim, text)
    assert bool(re.search(SAYS["margin"], text)) == (half > 0 and model != "identical")
    assert not NEVER.search(text)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3).filter(lambda shares: sum(shares) > 0.1))
def test_no_kind_claims_more_than_the_shares(given_shares: list[float]) -> None:
    a, equal, b = (share / sum(given_shares) for share in given_shares)
    facts = {"type": "bayes", "shares": {"a": a, "equal": equal, "b": b}, "margin": 0.01}
    found = decide_kind(facts)
    kind, claims = found.kind, found.claims
    assert (kind == "bayes-better") == (max(a, b) >= SURE)
    assert (kind == "bayes-equivalent") == (equal >= SURE)
    assert ("undecided" in claims) == (max(a, equal, b) < SURE)
    # Exchanging the systems changes nothing.
    turned = decide_kind({**facts, "shares": {"a": b, "equal": equal, "b": a}})
    assert (turned.kind, turned.claims) == (kind, claims)


def test_without_a_region_nothing_is_equivalent() -> None:
    shares = {"a": 0.0, "equal": 1.0, "b": 0.0}
    assert decide_kind({"type": "bayes", "shares": shares}).kind == "bayes-open"


# --- sentences ---


BEHIND = "Region of equivalence: differences of at most 0.2 points, given by --rope."


def test_better() -> None:
    assert said(0.02, 0.003, 0.977) == (
        "Flair is better than TnT on accuracy, with a share of posterior draws of .977. The shares are .020 for TnT, "
        f".003 for the region and .977 for Flair (5 data sets, 1,000 runs). {BEHIND}"
    )
    assert said(0.95, 0.03, 0.02).startswith("TnT is better than Flair on accuracy, with a share")


def test_undecided_below_the_threshold() -> None:
    assert said(0.168, 0.003, 0.829) == (
        "The data do not decide between TnT and Flair on accuracy: the largest share of posterior draws, for Flair, "
        "is .829; .95 is needed. The shares are .168 for TnT, .003 for the region and .829 for Flair (5 data sets, "
        "1,000 runs). "
        f"{BEHIND}"
    )
    assert "the largest share of posterior draws, for the region, is .800; " in said(0.1, 0.8, 0.1)


def test_practically_equivalent() -> None:
    assert said(0.01, 0.98, 0.01).startswith(
        "TnT and Flair are practically equivalent on accuracy, with a share of posterior draws of .980. "
    )


def test_one_data_set_has_probabilities() -> None:
    assert said(0.0, 0.0367, 0.9633, "correlated-t", data_sets=1) == (
        "Flair is better than TnT on accuracy, with a posterior probability of .963. The probabilities are .000 for "
        f"TnT, .037 for the region and .963 for Flair (one data set, 1,000 runs). {BEHIND}"
    )


def test_without_a_region_there_are_two_shares_and_how_to_give_one() -> None:
    assert said(0.04, None, 0.96, half=0.0, origin="") == (
        "Flair is better than TnT on accuracy, with a share of posterior draws of .960. The shares are .040 for TnT "
        "and .960 for Flair (5 data sets, 1,000 runs). Every difference counts (to ignore differences of up to 1 "
        "point: --rope 0.01)."
    )
    assert said(0.04, None, 0.96, half=0.0).endswith(" Every difference counts (--rope 0).")


def test_a_region_is_named_in_points_and_with_its_source() -> None:
    for half, items, region in (
        (0.002, 234.7, "0.2 points (235 items of a test part)"),
        (0.01, 1.2, "1 point (1 item of a test part)"),
        (0.001, 0.1, "0.1 points (less than one item of a test part)"),
    ):
        assert said(0.1, 0.1, 0.8, half=half, items=items).endswith(f" of at most {region}, given by --rope.")
    for rope, sentence in (
        (Rope(0.2, "given", full=100), "at most 0.2 points, given by --rope."),
        (Rope(0.002, "ci95", full=1), "at most 0.2 points, from ci95, the width of a 95% interval."),
        (Rope(0.02, "98 items of 4,900", full=1), "at most 2 points, from 98 items of 4,900."),
        (Rope(2.5, "given"), "at most 2.5, given by --rope."),
        (Rope(full=100), "(to ignore differences of up to 1 point: --rope 1)."),
        (Rope(), "(to ignore small ones: --rope with their size in units of the measure)."),
    ):
        assert rope.sentence.endswith(sentence)


def test_identical() -> None:
    assert made(0, 1, 0, "identical").kind == "identical"
    assert said(0, 1, 0, "identical") == "TnT and Flair have identical scores in all 1,000 runs on accuracy."


def test_constant_differences_are_counted_by_data_set_and_decide_nothing() -> None:
    assert made(0, 0, 1, "constant").kind == "bayes-none"
    assert said(0.2, 0.4, 0.4, "constant") == (
        "No difference on accuracy varies between runs, so there is no posterior: TnT is ahead on 1, they differ by "
        f"no more than the region on 2 and Flair is ahead on 2 of 5 data sets. {BEHIND}"
    )
    assert "posterior: Flair is ahead on 1 of 1 data set. " in said(0, None, 1, "constant", data_sets=1, half=0.0)


def test_few_data_sets() -> None:
    assert said(0.1, 0.1, 0.8, data_sets=2, priors=(0.9, 0.867, 1.0)).endswith(
        f" {BEHIND} With 2 data sets, this depends much on the prior: under other priors, the share for Flair is "
        f"between .867 and 1.000."
    )
    assert " With one data set, this depends much" in said(0.1, 0.1, 0.8, data_sets=1, priors=(0.5, 0.6))


REGION = "(≈: within 0.2 points, given by --rope)"


@pytest.mark.parametrize(
    ("shares", "model", "half", "link"),
    [
        ((0.02, 0.003, 0.977), "hierarchical", 0.002, f"TnT < (.977) Flair {REGION}"),
        ((0.01, 0.98, 0.01), "hierarchical", 0.002, f"TnT ≈ (.980) Flair {REGION}"),
        ((0.168, 0.003, 0.829), "hierarchical", 0.002, f"TnT ? (< .829) Flair {REGION}"),
        ((0.04, None, 0.96), "hierarchical", 0.0, "TnT < (.960) Flair"),
        ((0.0, 1.0, 0.0), "identical", 0.0, "TnT = Flair"),
        ((0.0, None, 1.0), "constant", 0.0, "TnT ? (< 1.000) Flair"),
    ],
)
def test_an_order_has_the_relations_that_were_decided_and_its_region(
    shares: tuple[float, float | None, float], model: str, half: float, link: str
) -> None:
    assert describe_order(("TnT", "Flair"), [made(*shares, model, half=half)], Rope(half, "given", full=1)) == link


def test_a_summary_names_few_decided_pairs_counts_many_and_never_counts_what_is_undecided() -> None:
    better, equal, undecided = Thirds(0.01, 0.0, 0.99), Thirds(0.0, 0.98, 0.02), Thirds(0.2, 0.1, 0.7)
    shares = {"ab": better, "ac": undecided, "ad": undecided, "bc": equal, "bd": undecided, "cd": undecided}
    needed = "(share of posterior draws of at least .95; region of equivalence: ±0.2 points)."

    def summary() -> str:
        return summarise_pairs(result([posterior(*pair, shares=own) for pair, own in shares.items()]), "token")

    assert summary() == (
        f"b is better than a; b and c are practically equivalent {needed} 4 of 6 pairs of systems are undecided."
    )
    shares |= {"ad": better, "bd": better, "cd": better}
    assert summary() == (
        "One system is better in 4 of 6 pairs; both systems are practically equivalent in 1 of 6 pairs "
        f"{needed} 1 of 6 pairs of systems is undecided."
    )
