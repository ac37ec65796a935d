"""Properties of margins: what holds of the verdict on any two systems."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.result import Comparison

NOT_LESS = {"open": 0, "not-worse": 1, "equivalent": 2}
"""Kinds without a significant difference, from the one that needs the smallest margin."""
LESS = {"more-than-margin": 0, "different-margin-open": 1, "trivial": 2}
"""Kinds with a significant difference."""


def compare(seed: int, margin: float, *, exchange: bool = False) -> tuple[Comparison, str]:
    """The test of two made systems with sentences of different length, and the verdict; in another order with other
    names and sentences in another order."""
    rng = random.Random(seed)
    units, shares = rng.choice((15, 40, 120, 250)), [rng.choice((0.01, 0.05, 0.2)) for _ in range(2)]
    lengths = [rng.choice((1, 1, 2, 6)) for _ in range(units)]
    gold, *sides = (
        [["V" if rng.random() < share else "N" for _ in range(length)] for length in lengths]
        for share in (0, *shares)
    )
    names = ("a", "b")
    if exchange:
        order = rng.sample(range(units), units)
        gold, *sides = ([side[place] for place in order] for side in (gold, *sides[::-1]))
        names = ("z", "y")
    systems = dict(zip(names, sides, strict=True))
    result = assay.compare(gold, systems, "accuracy", margin=margin, times=200, power=None)
    (row,) = result.main_tests
    return row, result.verdict


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), margin=st.sampled_from([0.005, 0.02, 0.06, 0.15]))
def test_exchanging_renaming_and_reordering_mirror_the_verdict(seed: int, margin: float) -> None:
    (row, text), (other, other_text) = compare(seed, margin), compare(seed, margin, exchange=True)
    assert (other.kind, other.claims) == (row.kind, row.claims)
    assert other.difference == -row.difference
    if row.low90 is not None and row.high90 is not None:
        assert (other.low90, other.high90) == (-row.high90, -row.low90)
    assert (other.p_equivalent, other.p_not_worse) == (row.p_equivalent, row.p_not_worse)
    winner, mirrored = ("b" if row.gain > 0 else "a"), ("z" if row.gain > 0 else "y")
    for word in ("is not worse than", "better than", "scores"):
        assert (f"{winner} {word}" in text) == (f"{mirrored} {word}" in other_text)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_larger_margin_undoes_no_equivalence_and_a_smaller_one_no_difference_beyond_it(seed: int) -> None:
    kinds = [compare(seed, margin)[0].kind for margin in (0.005, 0.03, 0.15)]
    for ranks in (NOT_LESS, LESS):
        ranked = [ranks[kind] for kind in kinds if kind in ranks]
        assert ranked == sorted(ranked)
    # Without enough differing units, the kind is one that has no margin; with a larger margin it may have one.
    decided = [kind in {*NOT_LESS, *LESS} for kind in kinds]
    assert decided == sorted(decided)
