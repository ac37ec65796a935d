"""--judge: few human labels, many of a judge."""

from __future__ import annotations

import math

import pytest

import assay
from assay.errors import AssayError


@pytest.fixture
def files(tmp_path):
    """Items of which humans label 60 of 200; the judge is wrong on every fourth, the systems on others."""
    labels = ["yes" if number % 3 else "no" for number in range(200)]

    def flip(label, wrong):
        return {"yes": "no", "no": "yes"}[label] if wrong else label

    def write(name, rows):
        path = tmp_path / f"{name}.csv"
        path.write_text("id,label\n" + "".join(f"i{number},{label}\n" for number, label in rows), "utf-8")
        return str(path)

    return {
        "human": write("human", [*enumerate(labels)][:60]),
        "judge": write("judge", [(n, flip(label, n % 4 == 0)) for n, label in enumerate(labels)]),
        "a": write("a", [(n, flip(label, n % 5 == 0)) for n, label in enumerate(labels)]),
        "b": write("b", [(n, flip(label, n % 2 == 0)) for n, label in enumerate(labels)]),
        "near": write("near", [(n, flip(label, n % 10 == 0)) for n, label in enumerate(labels)]),
        "part": write("part", [*enumerate(labels)][5:]),
        "same": write("same", [*enumerate(labels)][:60]),
        "later": write("later", [(n, flip(label, n % 5 == 0 and n < 60)) for n, label in enumerate(labels)]),
        "copy": write("copy", [(n, flip(label, n % 5 == 0)) for n, label in enumerate(labels)]),
    }


def test_compare_has_scores_and_a_difference(files):
    result = assay.compare(files["human"], [files["a"], files["b"]], judge=files["judge"])
    assert [(row.system, row.minus, row.measure) for row in result.judges] == [
        *(("a", None, "accuracy"), ("b", None, "accuracy"), ("b", "a", "accuracy")),
    ]
    row = result.judges[0]
    assert (row.human_items, row.judge_items, row.humans, row.agreement) == (60, 140, 0.8, 0.75)
    assert row.low < row.value < row.high
    assert 0 <= result.judges[2].p <= result.judges[2].p_adjusted <= 1


def test_few_differences_have_no_interval(files):
    row = assay.score(files["human"], files["a"], judge=files["near"]).judges[0]
    assert (row.differ, row.no_interval) == (6, "few")
    assert math.isnan(row.low) and row.humans_low < row.humans < row.humans_high


@pytest.mark.parametrize(
    ("judge", "measures", "said"),
    [
        ("part", None, r"no label for 5 of 60 items .*Let it label"),
        ("same", None, "has only the items of .*leave --judge out"),
        ("judge", "label-f1", "-m label-f1: --judge needs a measure .*Use -m accuracy"),
    ],
)
def test_bad_input(files, judge, measures, said):
    with pytest.raises(AssayError, match=said):
        assay.score(files["human"], files["a"], measures, judge=files[judge])


def test_the_verdict_and_the_tests_are_those_of_both_together(files):
    result = assay.compare(files["human"], [files["a"], files["b"]], "accuracy", judge=files["judge"])
    (difference,) = [row for row in result.judges if row.minus is not None]
    (test,) = result.comparisons
    assert not difference.no_interval
    assert (test.method, test.difference, test.low, test.high) == (
        *("judge", difference.value),
        *(difference.low, difference.high),
    )
    assert test.p == test.p_adjusted == difference.p == difference.p_adjusted
    estimated = {row.system: row.value for row in result.judges if row.minus is None}
    assert {row.system: row.value for row in result.overall if row.main} == estimated
    assert f"p {'< 0.0001' if test.p < 0.0001 else f'= {test.p:.4f}'}" in result.verdict
    alone = assay.compare(files["human"], [files["a"], files["b"]], "accuracy", on_mismatch="skip")
    assert alone.verdict != result.verdict


def test_a_difference_without_an_interval_is_that_of_the_humans(files):
    """Scores in the sentence would not fit to such a difference, so that there are none."""
    result = assay.compare(files["human"], [files["a"], files["near"]], "accuracy", judge=files["judge"])
    alone = assay.compare(files["human"], [files["a"], files["near"]], "accuracy", on_mismatch="skip")
    (difference,) = [row for row in result.judges if row.minus is not None]
    assert difference.no_interval == "few"
    (test,) = result.main_tests
    assert (test.p, test.difference) == (alone.main_tests[0].p, alone.main_tests[0].difference)


def test_systems_that_differ_only_on_items_of_the_judge_are_not_called_equal(files):
    """a and later give the same answers to the items of humans alone, a and copy to all."""
    pairs = {
        name: assay.compare(files["human"], [files["a"], files[name]], judge=files["judge"])
        for name in ("later", "copy")
    }
    assert pairs["later"].warnings == ()
    assert pairs["copy"].warnings == ("a and copy give the same answers everywhere.",)
    assert pairs["later"].verdict == "On accuracy, a and later do not differ in any item that humans labelled."
    several = [files[name] for name in ("a", "later", "copy")]
    assert assay.compare(files["human"], several, judge=files["judge"]).warnings == pairs["copy"].warnings
