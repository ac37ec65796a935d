"""Many cases in one test: each is tried, and those that fail are named."""

from __future__ import annotations

import pytest

from cases import each


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
