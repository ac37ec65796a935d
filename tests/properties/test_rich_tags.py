"""What holds for partial credit on any tags and any weights (Acedański & Przepiórkowski 2010)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.corpus import SEVERAL
from assay.tasks.tags.measures import weight_matrix
from assay.tasks.tags.tagsets import find_tagset
from assay.tasks.tags.tagsets.analysis import Analysis, score_tags
from assay.tasks.tags.weights import Weights

TAGS = (
    "subst:sg:nom:n", "subst:pl:acc:n", "ger:sg:nom:n:perf:aff", "adj:sg:nom:f:pos", "fin:sg:ter:perf", "adv",
    "adv:pos", "prep:gen", "prep:gen:nwok", "conj", "outside", "ppron3:sg:acc:m1:ter:npraep",
)  # fmt: skip
CATEGORIES = ("pos", "number", "case", "gender", "person", "degree", "aspect", "negation", "vocalicity")
tags = st.sampled_from(TAGS)
weights = st.fixed_dictionaries({name: st.integers(0, 5).map(Fraction) for name in CATEGORIES})
sets = st.lists(tags, min_size=1, max_size=3)


def scored(assigned: str, gold: str, table: Weights) -> tuple[Fraction, Fraction, Fraction]:
    analysis = Analysis.of(list(dict.fromkeys([assigned, gold])), find_tagset("nkjp"))
    first, second = (analysis.of_label[analysis.labels.index(label)][0] for label in (assigned, gold))
    weights = weight_matrix(analysis, table, Fraction)
    result = score_tags(analysis.values, np.array([first]), np.array([second]), weights)
    precision, recall, score = (Fraction(part[0]) for part in result)
    return precision, recall, score


@given(assigned=tags, gold=tags, table=weights)
def test_scores_are_shares_identical_tags_score_1_and_f_is_symmetric(assigned: str, gold: str, table: dict) -> None:
    weights_ = Weights("wpa", table)
    precision, recall, score = scored(assigned, gold, weights_)
    assert all(0 <= part <= 1 for part in (precision, recall, score))
    assert scored(gold, gold, weights_) == (1, 1, 1)
    assert scored(gold, assigned, weights_) == (recall, precision, score)


@given(assigned=tags, gold=tags, table=weights, factor=st.integers(1, 9))
def test_a_common_factor_and_conditions_that_say_nothing_change_no_score(
    assigned: str, gold: str, table: dict, factor: int
) -> None:
    plain = scored(assigned, gold, Weights("wpa", table))
    scaled = {name: weight * Fraction(factor, 7) for name, weight in table.items()}
    assert scored(assigned, gold, Weights("wpa", scaled)) == plain
    assert scored(assigned, gold, Weights("cwpa", {"*": table})) == plain


@given(assigned=tags, gold=tags)
def test_equal_weights_count_the_positions_that_agree(assigned: str, gold: str) -> None:
    mine, its = (
        {"pos": tag.pos, **dict(tag.values)} if tag else {"pos": label}
        for label, tag in ((label, next(iter(find_tagset("nkjp").read(label)), None)) for label in (assigned, gold))
    )
    agree = sum(its.get(name) == value for name, value in mine.items())
    precision, recall, score = scored(assigned, gold, Weights("wpa", {"*": Fraction(3)}))
    assert (precision, recall) == (Fraction(agree, len(mine)), Fraction(agree, len(its)))
    assert score == Fraction(2 * agree, len(mine) + len(its))


@given(data=st.lists(st.tuples(sets, sets), min_size=1, max_size=6))
def test_strong_is_at_most_weak_and_sets_do_not_know_order_or_number(data: list[tuple[list[str], list[str]]]) -> None:
    def text(side: int, change: object = sorted) -> list[list[tuple[str, str]]]:
        assert callable(change)
        return [[(str(i), SEVERAL.join(change(pair[side]))) for i, pair in enumerate(data)]]

    one = assay.score(text(1), {"s": text(0)}, ["pa", "accuracy"], tagset="nkjp", times=1)
    two = assay.score(
        text(1, lambda found: [*reversed(found), found[0]]),
        {"s": text(0, lambda found: [found[-1], *found])},
        "pa",
        tagset="nkjp",
        times=1,
    )
    for score in ("strong", "weak", "f1", "precision", "recall"):
        assert one.score("s", "pa", score).value == pytest.approx(two.score("s", "pa", score).value, abs=1e-9)
        assert 0 <= one.score("s", "pa", score).value <= 1
    assert one.score("s", "pa", "strong").value <= one.score("s", "pa", "weak").value


@given(data=st.lists(st.tuples(tags, tags), min_size=1, max_size=8))
def test_one_tag_on_each_side_gives_one_number_that_is_at_least_the_accuracy(data: list[tuple[str, str]]) -> None:
    gold = [[(str(i), g) for i, (_, g) in enumerate(data)]]
    system = [[(str(i), t) for i, (t, _) in enumerate(data)]]
    result = assay.score(gold, {"s": system}, ["pa", "accuracy"], tagset="nkjp", times=1)
    numbers = {round(row.value, 9) for row in result.scores if row.measure == "pa"}
    assert len(numbers) == 1
    assert numbers.pop() >= result.score("s", "accuracy").value - 1e-9
    atomic = assay.score(gold, {"s": system}, ["pa", "accuracy"], tagset="atomic", times=1)
    assert atomic.score("s", "pa").value == pytest.approx(atomic.score("s", "accuracy").value, abs=1e-9)
