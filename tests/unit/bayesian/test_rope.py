"""Regions of practical equivalence from numbers, items, intervals and annotators."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from assay.bayesian import bayes
from assay.bayesian.table import PairedRuns, Rope, find_rope, full_score, pair_runs, scale_doubts, score_range
from assay.errors import UsageError
from unit.bayesian.tables import made, runs_of


def data(score: float, items: str = "", runs: int = 4) -> list[PairedRuns]:
    """Two systems of the same mean score on test parts of so many items."""
    scores = {"d": {"a": [score] * runs, "b": [score] * runs}}
    table = runs_of(scores, more=",denominator", counts=f",{items}")
    return pair_runs(table, "accuracy", ["a", "b"], ["d"], common=False)[0]


def test_a_number_is_half_the_width_in_units_of_the_measure() -> None:
    assert find_rope(0.002, "accuracy", data(0.97, "117377")) == Rope(0.002, "given", 0.002 * 117_377, full=1)
    assert find_rope("0.002", "accuracy", data(0.97)).half == 0.002
    assert math.isnan(find_rope("0.002", "accuracy", data(0.97)).items)


@pytest.mark.parametrize(
    ("score", "items", "full"), [(0.97, "117377", 0.0020), (0.55, "4921", 0.028), (0.9, "1000", 0.0373)]
)
def test_the_papers_region_is_the_whole_width_of_an_interval(score: float, items: str, full: float) -> None:
    """±.00098 and ±.0139 by the specification; Wilson's interval of .9 of 1,000 is [.8799, .9171] in any textbook."""
    found = find_rope("ci95", "accuracy", data(score, items))
    assert found.half == pytest.approx(full, abs=0.00051 if full < 0.01 else 0.0005)
    assert found.origin == "ci95"
    assert find_rope("ci95half", "accuracy", data(score, items)).half == pytest.approx(found.half / 2)
    # The default, but only up to one point.
    assert find_rope(None, "accuracy", data(score, items)) == (found if full < 0.01 else Rope(full=1))


def test_the_papers_region_in_digits() -> None:
    assert find_rope("ci95", "accuracy", data(0.97, "117377")).half == pytest.approx(2 * 0.000976, abs=2e-6)
    assert find_rope("ci95", "accuracy", data(0.55, "4921")).half == pytest.approx(2 * 0.0139, abs=2e-5)


@pytest.mark.parametrize(
    ("corpus", "items", "region"),
    [(49_208, 98, 0.0199), (37_025, 75, 0.0203), (1_173_766, 210, 0.00179), (901_673, 162, 0.00180)],
)
def test_the_papers_items_fit_a_tenth_of_the_corpora_of_its_table_1(corpus: int, items: int, region: float) -> None:
    """Sentences of the Penn Treebank and of OntoNotes: 2%; tokens: 0.2% (section 5)."""
    found = find_rope(f"{items} items", "accuracy", data(0.55, str(corpus / 10)))
    assert found.half == pytest.approx(region, abs=5e-5 if region > 0.01 else 5e-6)


@pytest.mark.parametrize("text", ["98 items", "98items", " 98  items "])
def test_items_are_counted_against_the_mean_size_of_a_test_part(text: str) -> None:
    found = find_rope(text, "accuracy", data(0.55, "4900"))
    assert found.half == pytest.approx(0.02)
    assert found.items == pytest.approx(98)
    assert found.origin == "98 items of 4,900"


def test_percent_give_the_same_region_a_hundred_times_as_large() -> None:
    for text in ("ci95", "ci95half", "98 items"):
        as_fraction = find_rope(text, "accuracy", data(0.55, "4900"))
        as_percent = find_rope(text, "accuracy", data(55.0, "4900"))
        assert as_percent.half == pytest.approx(100 * as_fraction.half)
        assert as_percent.items == pytest.approx(as_fraction.items)


@pytest.mark.parametrize(("score", "full"), [(0.5, 1), (1.0, 1), (1.5, 100), (100.0, 100), (250.0, 1), (-3.0, 1)])
def test_scores_are_fractions_percent_or_something_else(score: float, full: float) -> None:
    assert full_score(data(score)) == full


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            "ci95half",
            "accuracy: --rope ci95half needs the number of items of each test part (the column denominator). "
            "Give it in units of the measure, e.g. --rope 0.002",
        ),
        (
            "98 items",
            "accuracy: --rope 98 items needs the number of items of each test part (the column denominator). "
            "Give it in units of the measure, e.g. --rope 0.002",
        ),
        ("-0.1", "--rope -0.1: give a number from 0 on, points (0.5pt), '98 items', ci95, ci95half or annotators."),
        ("nan", "--rope nan: give a number from 0 on, points (0.5pt), '98 items', ci95, ci95half or annotators."),
        ("inf", "--rope inf: give a number from 0 on, points (0.5pt), '98 items', ci95, ci95half or annotators."),
        ("ci99", "--rope ci99: give a number from 0 on, points (0.5pt), '98 items', ci95, ci95half or annotators."),
        (
            "2",
            "accuracy: a region of ±2 is wider than the range of scores (1). "
            "Give it in units of the measure, e.g. --rope 0.002",
        ),
    ],
)
def test_a_region_that_cannot_be_is_refused(wanted: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_rope(wanted, "accuracy", data(0.9))
    assert str(caught.value) == message


def test_an_interval_needs_a_proportion() -> None:
    with pytest.raises(UsageError, match=r"^edits: an interval needs scores between 0 and 1\. "):
        find_rope("ci95", "edits", data(250.0, "10"))


def test_scores_without_a_bound_may_have_any_region() -> None:
    assert find_rope(300, "seconds", data(250.0)).half == 300


@pytest.mark.parametrize(("items", "half"), [("37000", True), ("33000", False), ("", False)])
def test_by_default_there_is_a_region_only_if_it_is_known_and_at_most_a_point(items: str, half: bool) -> None:
    """Wilson's interval of .5 of n is about 1.96/√n wide, a point at n = 38,400; of .6, at 36,900."""
    found = find_rope(None, "accuracy", data(0.6, items))
    assert (found.half > 0, found.origin) == (half, "ci95" * half)
    assert found.half <= 0.01
    percent = find_rope(None, "accuracy", data(60.0, items))
    assert percent.half == pytest.approx(100 * found.half)
    assert str(percent) == str(found)


def test_numbers_without_a_bound_have_no_region_by_default_and_no_points() -> None:
    assert find_rope(None, "seconds", data(12.0, "1000000"), bounded=False) == Rope()
    assert str(find_rope(2.5, "seconds", data(12.0, "1000000"), bounded=False)) == "2.5"
    assert score_range(data(12.0), bounded=False) == (0.0, math.inf)
    assert score_range(data(-12.0), bounded=False) == (-math.inf, math.inf)
    assert score_range(data(12.0), bounded=True) == (0.0, 100.0)


# --- doubts about scales ---


def doubts(half: float, a: list[float], b: list[float]) -> list[str]:
    found, _ = pair_runs(runs_of({"d": {"a": a, "b": b}}), "accuracy", ["a", "b"], ["d"], common=False)
    return scale_doubts(Rope(half, "given", math.nan), "accuracy", found)


def test_a_region_wider_than_all_differences_makes_all_equivalent() -> None:
    assert doubts(0.2, [0.9, 0.8], [0.85, 0.85]) == [
        "accuracy: no difference is larger than the region of ±0.2, so all systems count as equivalent."
    ]
    # As floating-point numbers, 0.912 and 0.910 lie farther apart than 0.002.
    assert doubts(0.002, [0.912, 0.812], [0.910, 0.810]) == [
        "accuracy: no difference is larger than the region of ±0.002, so all systems count as equivalent."
    ]


def test_a_region_wider_than_half_the_range_of_scores_is_doubted() -> None:
    assert doubts(0.2, [0.9, 0.6], [0.6, 0.9]) == [
        "accuracy: the region of ±0.2 is wider than half of the range of scores. Is it on their scale?"
    ]


def test_fractions_among_percent_are_doubted() -> None:
    assert doubts(1.0, [97.0, 96.0], [0.97, 0.96]) == [
        "accuracy: some scores are below 1 and some far above. Are fractions and percent mixed?"
    ]


def test_usual_scores_are_not_doubted() -> None:
    assert doubts(0.002, [0.97, 0.96], [0.95, 0.94]) == []


def test_a_region_from_small_test_parts_is_doubted() -> None:
    region = find_rope("ci95", "accuracy", data(0.6, "120"))
    assert scale_doubts(region, "accuracy", data(0.6, "120")) == [
        "accuracy: test parts of 120 items make the region as wide as ±0.173 (ci95), which hides true "
        "differences. Give the largest difference that does not matter: --rope"
    ]
    assert not scale_doubts(find_rope("ci95", "accuracy", data(0.6, "12000")), "accuracy", data(0.6, "12000"))


# --- annotators ---


@pytest.fixture
def annotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two annotators of ten words: they differ in two; against the adjudicated version, in one and in three."""
    monkeypatch.chdir(tmp_path)
    words = [f"w{number}" for number in range(10)]
    for name, tags in (("a", "NNNNNNNNNV"), ("b", "NNNNNNNVVV"), ("gold", "NNNNNNNNNN")):
        Path(f"{name}.tsv").write_text("".join(f"{word}\t{tag}\n" for word, tag in zip(words, tags, strict=True)))


@pytest.mark.usefixtures("annotated")
def test_annotators_give_a_region_by_their_disagreement() -> None:
    result = bayes(
        runs_of(made({"x": 0, "y": 0.05}, 1)), rope={"accuracy": "annotators"}, annotations=["a.tsv", "b.tsv"]
    )
    assert result.bayes[0].rope == pytest.approx(0.2)
    assert "20 points, from one annotator against the other: accuracy 0.8000." in result.notes[0]


@pytest.mark.usefixtures("annotated")
def test_annotators_give_a_region_by_what_they_agreed_on_at_last() -> None:
    result = bayes(
        runs_of(made({"x": 0, "y": 0.05}, 1)),
        rope="annotators",
        annotations=["a.tsv", "b.tsv"],
        adjudicated="gold.tsv",
    )
    assert result.bayes[0].rope == pytest.approx(0.2)
    assert "two annotators against the adjudicated version: 0.9000 and 0.7000" in result.notes[0]
