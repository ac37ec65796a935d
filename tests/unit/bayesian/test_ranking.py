"""The order of systems from their pairs, and what does not fit in a chain."""

from __future__ import annotations

import csv
from itertools import permutations

import pytest

from assay.bayesian.pairs import find_relation, order_systems
from assay.result.schema import Ranking
from assay.stats.bayes import Three
from unit.stats.runs import CASES, REFERENCE

KNOWN = REFERENCE["ranking"]
BETTER, EQUAL, WORSE = (0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8)


def table(measure: str) -> dict[tuple[str, str], Three]:
    with (CASES / KNOWN["file"]).open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["measure"] == measure]
    return {
        (row["left"], row["right"]): (float(row["p_left"]), float(row["p_rope"]), float(row["p_right"]))
        for row in rows
    }


def covers(ranking: Ranking) -> list[tuple[str, str]]:
    return [(pair.a, pair.b) for pair in ranking.relations if pair.covers]


@pytest.mark.parametrize("measure", KNOWN["chains"])
def test_the_chains_of_the_paper_follow_from_its_table(measure: str) -> None:
    ranking = order_systems(measure, KNOWN["order"], table(measure))
    assert ranking.chain == KNOWN["chains"][measure]
    assert ranking.order == tuple(KNOWN["order"])


@pytest.mark.parametrize("measure", KNOWN["chains"])
def test_exactly_the_hidden_differences_of_the_papers_chains_are_flagged(measure: str) -> None:
    known = [(*systems, ends.removeprefix("ends compare as ")) for *systems, ends in KNOWN["intransitive"][measure]]
    assert list(order_systems(measure, KNOWN["order"], table(measure)).intransitive) == [
        f"{first} ≈ {middle} ≈ {last}, but {first} {sign} {last}: the equivalences hide a difference."
        for first, middle, last, sign in known
    ]


@pytest.mark.parametrize("margin", [0.031, 0.1, 0.257])
def test_any_margin_between_two_bounds_gives_the_papers_chains(margin: float) -> None:
    for measure, chain in KNOWN["chains"].items():
        assert order_systems(measure, KNOWN["order"], table(measure), margin).chain == chain


@pytest.mark.parametrize("measure", KNOWN["chains"])
def test_the_order_of_input_does_not_matter(measure: str) -> None:
    pairs = table(measure)
    turned = {(b, a): shares[::-1] for (a, b), shares in reversed(pairs.items())}
    assert order_systems(measure, KNOWN["order"], pairs) == order_systems(measure, KNOWN["order"][::-1], turned)


def test_the_partial_order_has_no_pair_that_follows_from_others() -> None:
    assert covers(order_systems("token", KNOWN["order"], table("token"))) == [
        *(("TnT", name) for name in ("Collins", "LAPOS", "Stanford")),
        *((name, "NLP4J") for name in ("Collins", "LAPOS", "Stanford")),
        ("NLP4J", "Flair"),
    ]


@pytest.mark.parametrize(
    ("shares", "sign"),
    [
        ((0.5, 0.3, 0.2), ">"),
        ((0.2, 0.3, 0.5), "<"),
        ((0.1, 0.8, 0.1), "≈"),
        ((0.16, 0.44, 0.40), "⪅"),
        ((0.40, 0.44, 0.16), "⪆"),
        ((0.45, 0.45, 0.10), "⪆"),
        ((0.48, 0.04, 0.48), "?"),
        ((1 / 3, 1 / 3, 1 / 3), "≈"),
        ((0.49, 0.0, 0.51), "<"),
    ],
)
def test_the_relation_is_the_likeliest_region(shares: Three, sign: str) -> None:
    assert find_relation(shares) == sign
    turned = {"<": ">", ">": "<", "⪅": "⪆", "⪆": "⪅"}
    assert find_relation(shares[::-1]) == turned.get(sign, sign)


def test_a_cycle_is_flagged_once() -> None:
    shares = {("a", "b"): WORSE, ("b", "c"): WORSE, ("c", "a"): WORSE}
    for names in permutations("abc"):
        ranking = order_systems("m", names, shares)
        assert ranking.order == ("a", "b", "c")
        assert ranking.intransitive == (
            "a < b < c < a: there is no order of these three.",
            "The order has a below c, but a > c.",
        )


def test_a_pair_that_contradicts_the_chain_is_flagged() -> None:
    """a < b < c, yet a ≈ c."""
    ranking = order_systems("m", "abc", {("a", "b"): WORSE, ("b", "c"): WORSE, ("a", "c"): EQUAL})
    assert ranking.chain == "a < b < c"
    assert ranking.intransitive == ("The order has a below c, but a ≈ c.",)


def test_systems_with_equal_figures_are_ordered_by_name() -> None:
    ranking = order_systems("m", "cab", {("c", "a"): EQUAL, ("a", "b"): EQUAL, ("c", "b"): EQUAL})
    assert ranking.chain == "a ≈ b ≈ c"
    assert ranking.intransitive == ()
    assert covers(ranking) == []


def test_as_many_wins_are_ordered_by_how_likely_they_are() -> None:
    shares = {("a", "b"): EQUAL, ("a", "c"): (0.9, 0.1, 0.0), ("b", "c"): BETTER}
    assert order_systems("m", "abc", shares).order == ("c", "b", "a")


@pytest.mark.parametrize(("names", "chain"), [((), ""), (("a",), "a")])
def test_fewer_than_two_systems_have_no_relations(names: tuple[str, ...], chain: str) -> None:
    ranking = order_systems("m", names, {})
    assert ranking.chain == chain
    assert ranking.relations == ()


def test_a_pair_without_shares_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"there are no shares for \('a', 'c'\)"):
        order_systems("m", "abc", {("a", "b"): EQUAL, ("b", "c"): EQUAL})
    with pytest.raises(ValueError, match="a system is named twice"):
        order_systems("m", "aa", {("a", "a"): EQUAL})
