"""What the three matchings record, row by row, on small lists."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from assay.arrays import NONE
from assay.corpus import Marks
from assay.engine import matching
from assay.engine.matching import (
    EXACT,
    FAIR,
    SEMEVAL,
    Steps,
    TooManyOverlapsError,
    find_wrong_sides,
    max_weight_matching,
)
from assay.engine.matching import match_exact as exact
from assay.engine.matching import match_fair as fair
from assay.engine.matching import match_semeval as semeval
from spanlists import kinds_of, rows, span_lists, written

MATCHINGS = [(exact, EXACT), (fair, FAIR), (semeval, SEMEVAL)]


def matched(match, kinds, target, system, **options):
    return rows(match(*span_lists(written(target), written(system)), **options), kinds)


@pytest.mark.parametrize(("match", "kinds"), MATCHINGS)
def test_no_spans_give_no_records(match, kinds):
    assert matched(match, kinds, "", "") == []


@pytest.mark.parametrize(
    ("match", "kinds", "missed", "spurious"),
    [(exact, EXACT, "fn", "fp"), (fair, FAIR, "fn", "fp"), (semeval, SEMEVAL, "missed", "spurious")],
)
def test_spans_of_one_side_alone_are_missed_or_spurious(match, kinds, missed, spurious):
    assert matched(match, kinds, "A1 B3", "") == [(0, None, missed, True, False), (1, None, missed, True, False)]
    assert matched(match, kinds, "", "A1 B3") == [
        (None, 0, spurious, False, True),
        (None, 1, spurious, False, True),
    ]


def test_exact_counts_membership_row_by_row():
    assert matched(exact, EXACT, "A1-2 B4 C6", "C5-6 B4 A1-3") == [
        (0, None, "fn", True, False),
        (1, 1, "tp", True, True),
        (2, None, "fn", True, False),
        (None, 0, "fp", False, True),
        (None, 2, "fp", False, True),
    ]


def test_each_copy_of_a_target_is_right_and_points_to_an_equal_system_span():
    assert matched(exact, EXACT, "A1-2 A1-2 A1-2", "B9 A1-2 A1-2") == [
        (0, 1, "tp", True, True),
        (1, 2, "tp", True, True),
        (2, 2, "tp", True, False),
        (None, 0, "fp", False, True),
    ]


def test_a_surplus_copy_of_a_right_system_span_has_no_row_but_copies_of_wrong_ones_do():
    assert matched(exact, EXACT, "A1-2", "A1-2 A1-2 B3 B3") == [
        (0, 0, "tp", True, True),
        (None, 2, "fp", False, True),
        (None, 3, "fp", False, True),
    ]


def test_fair_leaves_the_last_copies_in_play():
    assert matched(fair, FAIR, "A1-2 A1-2", "A1-2 B1-2") == [(0, 0, "tp", True, True), (1, 1, "le", True, True)]
    assert matched(fair, FAIR, "A1-2", "A1-2 A1-2") == [(0, 0, "tp", True, True), (None, 1, "fp", False, True)]


def test_fair_pairs_label_errors_in_the_order_of_both_lists():
    assert matched(fair, FAIR, "A1-2 B1-2 C1-2", "E1-2 D1-2") == [
        (0, 0, "le", True, True),
        (1, 1, "le", True, True),
        (2, None, "fn", True, False),
    ]


def test_a_target_split_in_two_counts_once_as_target_and_the_second_part_once_as_system_span():
    assert matched(fair, FAIR, "A1-5", "A1-3 A4-5") == [(0, 0, "bes", True, True), (0, 1, "bes", False, True)]


def test_two_targets_in_one_system_span_are_two_errors_of_one_new_system_span():
    assert matched(fair, FAIR, "A1-3 A4-5", "A1-5") == [(0, 0, "bel", True, False), (1, 0, "bel", True, True)]


def test_a_span_joins_a_matched_one_only_over_atoms_that_are_left_in_it():
    """The longest system span takes all that the target has, so that the others find nothing."""
    assert matched(fair, FAIR, "A2-7", "A1-8 A2-6 A3-4") == [
        (0, 0, "bel", True, True),
        (None, 1, "fp", False, True),
        (None, 2, "fp", False, True),
    ]


def test_a_span_within_a_right_one_has_no_partner():
    assert kinds_of(matched(fair, FAIR, "A1-9", "A1-9 A2-3")) == {"tp": 1, "fp": 1}
    assert kinds_of(matched(fair, FAIR, "A1-9 A2-3", "A1-9")) == {"tp": 1, "fn": 1}


def test_one_target_can_collect_many_errors_with_other_labels():
    found = matched(fair, FAIR, "A1-10", "B1-2 B3-4 B5-6 B7-8 B9-10")
    assert found == [(0, 0, "lbe", True, True), *((0, other, "lbe", False, True) for other in (1, 2, 3, 4))]


def test_spans_of_neighbouring_sentences_touch_and_do_not_overlap():
    assert kinds_of(matched(fair, FAIR, "A1-3", "A4-5")) == {"fn": 1, "fp": 1}


def test_indices_are_those_of_the_lists_whatever_their_order():
    assert matched(fair, FAIR, "A20-25 A1-3 B10", "B10 A2-3 A20-24") == [
        (0, 2, "bes", True, True),
        (1, 1, "bes", True, True),
        (2, 0, "tp", True, True),
    ]


def test_semeval_prefers_equal_spans_then_atoms_then_labels_then_pairs_then_shared_atoms():
    assert matched(semeval, SEMEVAL, "A1-3", "A1-6 A1-3")[0] == (0, 1, "same", True, True)
    assert matched(semeval, SEMEVAL, "A1-3", "A1-2 B1-3")[0] == (0, 1, "same-span", True, True)
    assert matched(semeval, SEMEVAL, "A1-3", "B1-2 A3-9")[0] == (0, 1, "same-label", True, True)
    assert matched(semeval, SEMEVAL, "A1-5 A6-9", "B5-7 B1-3") == [
        (0, 1, "overlap", True, True),
        (1, 0, "overlap", True, True),
    ]
    assert matched(semeval, SEMEVAL, "A1-5", "B1-2 B3-5")[0] == (0, 1, "overlap", True, True)


def test_semeval_takes_the_smallest_list_of_pairs_of_equally_good_ones():
    assert matched(semeval, SEMEVAL, "A1-4 A1-4", "B1-2 B3-4") == [
        (0, 0, "overlap", True, True),
        (1, 1, "overlap", True, True),
    ]
    assert matched(semeval, SEMEVAL, "A1-4 A1-4", "B1-2 A1-4") == [
        (0, 0, "overlap", True, True),
        (1, 1, "same", True, True),
    ]


def test_least_is_the_share_of_the_targets_atoms_that_must_be_shared():
    assert kinds_of(matched(semeval, SEMEVAL, "A1-100", "A46-200", least=0.55)) == {"same-label": 1}
    assert kinds_of(matched(semeval, SEMEVAL, "A1-100", "A47-200", least=0.55)) == {"missed": 1, "spurious": 1}
    assert kinds_of(matched(semeval, SEMEVAL, "A1-2", "B1-2", least=1.0)) == {"same-span": 1}


def test_a_long_chain_is_matched_though_its_ties_are_left_open(monkeypatch):
    monkeypatch.setattr("assay.engine.matching.FEW", 0)
    found = matched(semeval, SEMEVAL, "A1-3 A3-6 B6-9", "A2-4 B5-7 A8-9")
    assert kinds_of(found) == {"same-label": 2, "missed": 1, "spurious": 1}


def nested(number):
    """Spans of two sides that all lie inside each other, one label."""
    place = np.arange(number)
    return [
        Marks.on_line(2 * place + shift, 4 * number - 2 * place - shift + 1, np.zeros(number, dtype=int))
        for shift in (0, 1)
    ]


def test_nested_spans_are_matched_without_a_list_of_all_pairs():
    target, system = nested(1_000)
    tracemalloc.start()
    found = fair(target, system)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Shortest first, and of as many shared atoms the shorter span: each has the next smaller one but the last.
    assert kinds_of(rows(found, FAIR)) == {"bel": 999, "bes": 1}
    # One byte for each of the million pairs would take more.
    assert most < 1_000_000


def test_nested_spans_are_paired_by_a_solver_up_to_a_limit(monkeypatch):
    target, system = nested(300)
    assert kinds_of(rows(semeval(target, system), SEMEVAL)) == {"same-label": 300}
    monkeypatch.setattr("assay.engine.matching.MOST", 300 * 300 - 1)
    listed = matching.find_overlaps

    def none_listed(target, system, targets, systems):
        assert not len(targets), "refused before pairs are listed"
        return listed(target, system, targets, systems)

    monkeypatch.setattr(matching, "find_overlaps", none_listed)
    with pytest.raises(TooManyOverlapsError) as refused:
        semeval(target, system)
    assert (refused.value.target, refused.value.targets, refused.value.systems) == (0, 300, 300)


def test_spans_in_different_places_do_not_add_up_to_a_chain_that_is_too_long(monkeypatch):
    monkeypatch.setattr("assay.engine.matching.MOST", 4)
    found = matched(semeval, SEMEVAL, "A1-3 B2-4 A11-13 B12-14", "B1-4 A2-3 B11-14 A12-13")
    assert kinds_of(found) == {"same-label": 4}


def test_boundaries_say_which_side_is_wrong():
    target, system = span_lists(
        written("A1-3 A11-13 A21-23 A31-33 A41-43 A51"), written("A2-3 B11-14 A20-24 B31-33 A41+43")
    )
    records = fair(target, system)
    assert find_wrong_sides(target, system, records).tolist() == [0, 1, 2, NONE, 3, NONE]


def test_thousands_of_spans_under_a_long_one_find_their_own_partners():
    begin = np.arange(0, 12_000, 3)
    label = np.append(np.zeros(len(begin), dtype=int), 1)
    target, system = (
        Marks.on_line(np.append(begin + shift, shift), np.append(begin + 2 + shift, 12_010), label)
        for shift in (0, 1)
    )
    assert kinds_of(rows(fair(target, system), FAIR)) == {"beo": len(begin), "bes": 1}
    assert kinds_of(rows(semeval(target, system), SEMEVAL)) == {"same-label": len(begin) + 1}


def test_rows_give_way_along_a_chain():
    assert max_weight_matching([{0: 5, 1: 4}, {0: 5, 2: 3}, {0: 5}]) == [1, 2, 0]


def test_a_row_goes_without_where_that_weighs_more():
    assert max_weight_matching([{0: 1}, {0: 9}, {}]) == [None, 0, None]


def test_weights_of_any_size_are_exact():
    huge = 10**400
    assert max_weight_matching([{0: huge, 1: huge + 1}, {0: huge, 1: huge + 3}]) == [0, 1]


def test_nothing_is_chosen_from_nothing():
    assert max_weight_matching([]) == []


def test_steps_pair_what_is_left_by_columns_in_text_order():
    label, place = (np.array([1, 1, 2]), np.array([1, 2, 1])), (np.array([5, 5, 7]), np.array([5, 9, 5]))
    steps = Steps(3, 3)
    steps.by_columns(0, label, place)
    assert steps.partner.tolist() == [0, 2, NONE]
    steps.by_columns(1, label)
    assert steps.partner.tolist() == [0, 2, 1] and steps.kind.tolist() == [0, 0, 1]


def test_steps_pair_the_nearest_first_and_then_in_text_order():
    same, near = (np.zeros(3, dtype=int), np.zeros(2, dtype=int)), (np.array([0, 10, 12]), np.array([11, 1]))
    steps = Steps(3, 2)
    steps.by_columns(4, same, near=near)
    # Marks 1 and 2 of gold are equally far from the system's first.
    assert steps.partner.tolist() == [1, 0, NONE]
    matches = steps.matches(5, 6)
    assert matches.kind.tolist() == [4, 4, 5] and matches.new_system.tolist() == [True, True, False]
