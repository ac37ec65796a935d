"""Many annotators: what is listed, what is counted, and that no table of items × annotators is made."""

from __future__ import annotations

import random
from typing import Any

import pytest

import assay
from assay.corpus.ratings import Ratings
from assay.engine import annotators, coefficients
from assay.engine.annotators import ALL_PAIRS
from assay.render import render
from assay.result import Result, Score
from cases import each

MEASURES = ["kappa", "kappa(weights=linear)", "alpha", "alpha(level=interval)"]


def crowd(people: int, items: int, ratings: int) -> dict[str, dict[str, int]]:
    """Ratings of each item by some of many people, who are drawn."""
    draw = random.Random(1)
    given: dict[str, dict[str, int]] = {f"p{who:03}": {} for who in range(people)}
    for item in range(items):
        for who in draw.sample(sorted(given), ratings):
            given[who][f"i{item}"] = draw.choice([1, 2, 3, 1 + item % 3])
    return given


def pairs_of(result: Result) -> dict[tuple[str, str, str], float]:
    return {
        (row.system, row.measure, row.score): row.value
        for row in result.scores
        if " ~ " in row.system and row.label is None
    }


def few(patch: pytest.MonkeyPatch, pairs: int) -> None:
    """As for many annotators: so few pairs are listed, without intervals."""
    patch.setattr(coefficients, "MOST_PAIRS", pairs)
    patch.setattr(annotators, "MOST_FIELDS", 0)


@each("most_meetings", [coefficients.MOST_MEETINGS, 0])
def test_the_pairs_with_the_most_in_common_are_listed(most_meetings: int) -> None:
    data = crowd(12, 40, 3)
    whole = assay.agreement(data, MEASURES, times=5)
    with pytest.MonkeyPatch.context() as patch:
        few(patch, 10)
        patch.setattr(coefficients, "MOST_MEETINGS", most_meetings)
        result = assay.agreement(data, MEASURES, times=5)
    found, known = pairs_of(result), pairs_of(whole)
    listed = {pair for pair, _, _ in found}
    assert len(listed) == 10 and result.shown.remarks["pairs"] == "66"
    assert found == pytest.approx({key: known[key] for key in found}, nan_ok=True, abs=1e-15)
    common = {pair: len({*data[pair[:4]]} & {*data[pair[-4:]]}) for pair, _, _ in known}
    assert min(common[pair] for pair in listed) >= max(common[pair] for pair in common.keys() - listed)
    unmet = sum(not number for number in common.values())
    assert unmet and list(result.notes[:2]) == [
        f"kappa is undefined for {unmet} pairs of annotators who have nothing in common, and so is the mean over "
        "pairs.",
        "There are 66 pairs of annotators; the 10 with the most in common are listed.",
    ]
    assert [row for row in result.scores if row.measure.startswith("alpha")] == [
        row for row in whole.scores if row.measure.startswith("alpha")
    ]


def test_the_mean_is_over_all_pairs_also_if_not_all_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = crowd(6, 40, 5)
    whole = assay.agreement(data, ["kappa"], times=5)
    few(monkeypatch, 2)
    result = assay.agreement(data, ["kappa"], times=5)
    assert result.score(ALL_PAIRS, "kappa").value == pytest.approx(whole.score(ALL_PAIRS, "kappa").value, abs=1e-15)
    assert result.notes[0] == "There are 15 pairs of annotators; the 2 with the most in common are listed."
    monkeypatch.setattr(coefficients, "MOST_CELLS", 0)
    (note, *_) = assay.agreement(data, ["kappa"], times=5).notes
    assert note == "kappa has no mean over pairs, because there are too many pairs."
    monkeypatch.setattr(coefficients, "MOST_MEETINGS", 0)
    monkeypatch.setattr(coefficients, "MOST_TOGETHER", 0)
    none = assay.agreement(data, ["kappa"], times=5)
    assert not pairs_of(none) and none.notes[1] == "There are 15 pairs of annotators; none is listed."


@each("level", ["ordinal", "interval", "ratio"])
def test_alpha_without_each_is_the_same_from_the_items_of_each(level: str) -> None:
    data = crowd(12, 40, 3)
    whole = assay.agreement(data, [f"alpha(level={level})"], times=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coefficients, "MOST_PASSES", 0)
        again = assay.agreement(data, [f"alpha(level={level})"], times=5)
    assert [row.alpha_without for row in again.annotators] == pytest.approx(
        [row.alpha_without for row in whole.annotators], abs=1e-12
    )


def test_no_table_of_items_and_annotators_is_made_and_rows_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise AssertionError("quadratic")

    monkeypatch.setattr(Ratings, "table", property(fails))
    monkeypatch.setattr(Score, "__eq__", fails)
    few(monkeypatch, 20)
    system = {f"i{item}": 1 for item in range(40)}
    result = assay.agreement(crowd(40, 60, 5), systems={"m": system}, times=5)
    assert result.shown.remarks["pairs"] == "780" and '"pairs": "780"' in result.to_json()
    for form in ("table", "tsv", "md", "latex", "html"):
        assert "780 pairs" in render(result, form)


def test_for_many_annotators_systems_have_figures_without_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    data, system = crowd(6, 40, 4), {f"i{item}": 1 + item % 3 for item in range(40)}
    whole = assay.agreement(data, ["alpha", "alt-test"], systems={"m": system}, times=5)
    monkeypatch.setattr(annotators, "MOST_OF_SYSTEMS", 5)
    result = assay.agreement(data, ["alpha", "alt-test"], systems={"m": system}, times=5)
    values = {(row.measure, row.score): row.value for row in result.scores if row.system == "m"}
    assert values == pytest.approx({key: whole.score("m", *key).value for key in values}, nan_ok=True)
    assert not result.comparisons and all(row.low != row.low for row in result.scores if row.system == "m")
    few = "There are too many annotators to compute intervals for systems or to test against the human ceiling."
    assert few in result.notes
