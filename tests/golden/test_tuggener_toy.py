"""The toy example of Tuggener 2017: three responses of equal accuracy that overlap in different degrees."""

from __future__ import annotations

import pytest

import assay
from assay import Result
from assay.result import Diff

KEY = [["A", "B", "C", "D", "E"]]
RESPONSES = {
    "S1": [["A", "B", "C", "X", "Y"]],
    "S2": [["Z", "B", "C", "D", "U"]],
    "S3": [["Z", "W", "C", "D", "E"]],
}
PAIRS = [("S1", "S2"), ("S2", "S3"), ("S1", "S3")]


@pytest.fixture(scope="module")
def result() -> Result:
    return assay.compare(KEY, RESPONSES, ["accuracy"], times=50)


def diff_of(result: Result, a: str, b: str) -> Diff:
    (found,) = [diff for diff in result.diffs if (diff.a, diff.b) == (a, b)]
    return found


@pytest.mark.parametrize("system", RESPONSES)
def test_every_response_has_an_accuracy_of_60_percent(result: Result, system: str) -> None:
    """Tables 1 and 2, column Acc."""
    assert result.score(system, "accuracy").value == 3 / 5


@pytest.mark.parametrize(("pair", "shared"), [(PAIRS[0], 2), (PAIRS[1], 2), (PAIRS[2], 1)])
def test_overlap_on_correct_answers_is_the_share_of_shared_right_answers(
    result: Result, pair: tuple[str, str], shared: int
) -> None:
    """Table 1: 67 %, 67 %, 33 %; each response has three right answers."""
    diff = diff_of(result, *pair)
    assert diff.both_right == shared
    assert diff.overlap_right == 2 * shared / (3 + 3)


@pytest.mark.parametrize(("pair", "equal"), [(PAIRS[0], 2), (PAIRS[1], 3), (PAIRS[2], 1)])
def test_overlap_on_all_answers_counts_equal_wrong_answers_too(
    result: Result, pair: tuple[str, str], equal: int
) -> None:
    """Table 2: 40 %, 60 %, 20 %."""
    diff = diff_of(result, *pair)
    assert diff.overlap_all == pytest.approx(equal / 5, abs=1e-15)
    assert (diff.items, diff.different, diff.diff) == (5, 5 - equal, (5 - equal) / 5)


@pytest.mark.parametrize(
    ("pair", "kinds"),
    [(PAIRS[0], (1, 1, 1, 0)), (PAIRS[1], (1, 1, 0, 1)), (PAIRS[2], (2, 2, 0, 0))],
)
def test_what_changes_from_one_response_to_the_other(
    result: Result, pair: tuple[str, str], kinds: tuple[int, int, int, int]
) -> None:
    """Corrections, new errors, changed errors and errors kept, counted by hand."""
    diff = diff_of(result, *pair)
    assert (diff.corrections, diff.new_errors, diff.changed_errors, diff.same_error) == kinds
    assert diff.difference == 0


def test_labels_that_become_others_are_named(result: Result) -> None:
    """From S1 to S2: X becomes the right D, the right A becomes Z, and Y becomes U where the key has E."""
    changes = {
        (change.kind, change.gold, change.before, change.after): change.count
        for change in diff_of(result, "S1", "S2").changes
    }
    assert changes == {
        ("correction", "D", "X", "D"): 1,
        ("new-error", "A", "A", "Z"): 1,
        ("changed-error", "E", "Y", "U"): 1,
    }


def test_a_perfect_choice_among_the_responses_has_everything_right(result: Result) -> None:
    """Each of the five is right in at least one response, C in all of them."""
    (overall,) = [bound for bound in result.bounds if bound.label is None]
    assert (overall.upper, overall.all_right, overall.none_right) == (1, 1, 0)
    assert overall.gain == pytest.approx(2 / 5, abs=1e-15)
