"""Many cases in one test: each is tried, and those that fail are named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cases import each
from conftest import pytest_terminal_summary


def test_all_cases_are_tried_and_those_that_fail_are_named() -> None:
    tried = []

    @each("number, root", [(4, 2), (9, 4), (16, 4), (25, "five")], ids=lambda case: f"root of {case[0]}")
    def check(number: int, root: int, power: int) -> None:
        tried.append(number)
        assert root**power == number

    with pytest.raises(pytest.fail.Exception) as failed:
        check(power=2)
    assert tried == [4, 9, 16, 25]
    first, *rest = str(failed.value).split("\n\n")
    assert first == "2 of 4 cases failed:"
    assert [text.partition(":")[0] for text in rest] == ["[root of 9] AssertionError", "[root of 25] TypeError"]


def test_fixtures_are_given_to_every_case() -> None:
    @each("number", [1, 2])
    def check(number: int, tmp_path: object) -> None:
        assert number and tmp_path == "folder"

    check(tmp_path="folder")


def test_cases_that_are_skipped_are_no_failures_and_are_counted() -> None:
    @each("number", [1, 2, 3])
    def check(number: int, worst: int) -> None:
        if number > 1:
            pytest.skip("only one is here")
        assert number < worst

    with pytest.raises(pytest.skip.Exception, match=r"^2 of 3 cases: only one is here$"):
        check(worst=2)
    with pytest.raises(pytest.fail.Exception, match=r"^1 of 3 cases failed:"):
        check(worst=1)


def test_a_closing_line_counts_the_tests_that_need_public_data() -> None:
    reasons = [
        "Skipped: the data set pos-german is not in ../shared/data",
        "Skipped: 2 of 3 cases: the data set alttest is not in ../shared/data; the data set pos-german is not in …",
        "Skipped: pdflatex is not installed",
    ]
    lines: list[str] = []
    reporter: Any = SimpleNamespace(
        stats={"skipped": [SimpleNamespace(longrepr=("file", 1, reason)) for reason in reasons]},
        write_line=lines.append,
    )
    pytest_terminal_summary(reporter)
    assert lines == ["2 tests need public data that ../shared/data lacks: alttest, pos-german"]
    reporter.stats = {}
    pytest_terminal_summary(reporter)
    assert len(lines) == 1
