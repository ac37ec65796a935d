"""Verdicts: one test for each template, and that none says more than the numbers do."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.bayesian.pairs import THRESHOLD, verdict
from assay.bayesian.table import Rope
from assay.result.posteriors import CurvePoint, Posterior, Thirds


def said(
    a: float,
    equal: float | None,
    b: float,
    model: str = "hierarchical",
    half: float = 0.002,
    items: float = math.nan,
    data_sets: int = 5,
    priors: tuple[float, ...] = (),
) -> str:
    shares = Thirds(a, equal, b)
    points = tuple(CurvePoint(half, 1.0, 1.0, Thirds(a, equal, share), shares) for share in priors)
    found = Posterior(
        *("TnT", "Flair", "accuracy", model, half, data_sets, 1000),
        *(shares, shares, 0.0, "<", "", None, None),
        prior_curve=points,
    )
    return verdict(found, Rope(half, "given", items, fraction=True))


BEHIND = "Equivalent means a difference of at most 0.2 points."


def test_better() -> None:
    assert said(0.02, 0.003, 0.977) == (
        "Flair is better than TnT on accuracy (decision shares: TnT better .020, equivalent .003, "
        f"Flair better .977; 5 data sets, 1,000 runs). {BEHIND}"
    )
    assert said(0.95, 0.03, 0.02).startswith("TnT is better than Flair on accuracy (")


def test_undecided_below_the_threshold() -> None:
    assert said(0.168, 0.003, 0.829) == (
        "Undecided between TnT and Flair on accuracy: the likeliest is that Flair is better, .829, below the "
        "threshold of .950 (decision shares: TnT better .168, equivalent .003, Flair better .829; 5 data "
        f"sets, 1,000 runs). {BEHIND}"
    )
    assert said(0.1, 0.8, 0.1).startswith(
        "Undecided between TnT and Flair on accuracy: the likeliest is that they are practically equivalent, .800"
    )


def test_practically_equivalent() -> None:
    assert said(0.01, 0.98, 0.01).startswith("TnT and Flair are practically equivalent on accuracy (")


def test_no_case_is_clearly_the_likeliest() -> None:
    for shares in ((0.148, 0.441, 0.411), (0.441, 0.411, 0.148), (0.48, 0.02, 0.5)):
        assert said(*shares).startswith(
            "Undecided between TnT and Flair on accuracy: no case is clearly the likeliest ("
        )


def test_one_data_set_has_probabilities() -> None:
    assert said(0.0, 0.0367, 0.9633, "correlated-t", data_sets=1) == (
        "Flair is better than TnT on accuracy (probabilities: TnT better .000, equivalent .037, Flair "
        f"better .963; one data set, 1,000 runs). {BEHIND}"
    )


def test_without_a_region_there_are_two_shares() -> None:
    assert said(0.04, None, 0.96, half=0) == (
        "Flair is better than TnT on accuracy (decision shares: TnT better .040, Flair better .960; "
        "5 data sets, 1,000 runs). No region of practical equivalence was given: every difference counts."
    )


def test_the_region_is_given_in_items_where_they_are_known() -> None:
    for half, items, region in (
        (0.002, 234.7, "0.2 points (235 items of a test part)"),
        (0.01, 1.2, "1 point (1 item of a test part)"),
        (0.001, 0.1, "0.1 points (less than one item of a test part)"),
    ):
        assert said(0.1, 0.1, 0.8, half=half, items=items).endswith(f" means a difference of at most {region}.")
    assert str(Rope(2.5, "given")) == "2.5"


def test_identical() -> None:
    assert said(0, 1, 0, "identical") == "TnT and Flair have identical scores in all 1,000 runs on accuracy."


def test_constant() -> None:
    assert said(0.2, 0.4, 0.4, "constant") == (
        "TnT is better on 1, they are equivalent on 2, Flair is better on 2 of 5 data sets on accuracy: "
        f"no difference varies between runs. {BEHIND}"
    )
    assert said(0, None, 1, "constant", data_sets=1).startswith("Flair is better on 1 of 1 data set on accuracy: ")


def test_few_data_sets() -> None:
    assert said(0.1, 0.1, 0.8, data_sets=2, priors=(0.9, 0.867, 1.0)).endswith(
        f" {BEHIND} With 2 data sets much of this comes from the prior: under other priors the share for Flair being "
        "better lies between .867 and 1.000."
    )
    assert " With one data set much" in said(0.1, 0.1, 0.8, data_sets=1, priors=(0.5, 0.6))


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3).filter(lambda shares: sum(shares) > 0.1))
def test_no_verdict_claims_more_than_the_shares(given_shares: list[float]) -> None:
    a, equal, b = (share / sum(given_shares) for share in given_shares)
    claim = said(a, equal, b).partition(" (")[0]
    best, runner_up = sorted((a, equal, b))[:0:-1]
    assert claim.startswith("Undecided") == (best < THRESHOLD)
    if "better than" in claim:
        assert claim.startswith("TnT" if a > b else "Flair") and max(a, b) == best
    elif "are practically equivalent on" in claim:
        assert equal == best
    assert ("no case is clearly" in claim) == (best - runner_up < 0.05)


@pytest.mark.parametrize("model", ["hierarchical", "correlated-t"])
def test_the_kind_of_probability_is_always_named(model: str) -> None:
    kind = "decision shares" if model == "hierarchical" else "probabilities"
    for shares in ((0.9, 0.05, 0.05), (0.05, 0.9, 0.05), (0.33, 0.33, 0.34)):
        assert f"({kind}: " in said(*shares, model)
