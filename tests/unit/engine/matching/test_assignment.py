"""The heaviest one-to-one choice."""

from __future__ import annotations

from assay.engine.matching.assignment import heaviest


def test_rows_give_way_along_a_chain():
    assert heaviest([{0: 5, 1: 4}, {0: 5, 2: 3}, {0: 5}]) == [1, 2, 0]


def test_a_row_goes_without_where_that_weighs_more():
    assert heaviest([{0: 1}, {0: 9}, {}]) == [None, 0, None]


def test_weights_of_any_size_are_exact():
    huge = 10**400
    assert heaviest([{0: huge, 1: huge + 1}, {0: huge, 1: huge + 3}]) == [0, 1]


def test_nothing_is_chosen_from_nothing():
    assert heaviest([]) == []
