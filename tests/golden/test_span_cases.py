"""Exact and fair counts of the worked cases of the reference implementation, count for count."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from assay.engine.matching import EXACT, FAIR
from assay.engine.matching import match_exact as exact
from assay.engine.matching import match_fair as fair
from cases import each
from spanlists import kinds_of, rows, span, span_lists, written

LINES = (Path(__file__).parents[1] / "data" / "span_cases.jsonl").read_text("utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]


def named(case):
    return case["name"]


def spans_of(case):
    """Both sides of a case with labels and atoms."""
    return [[span(*each) for each in case[side]] for side in ("target", "system")]


def totals(kinds, names):
    """The numbers of each kind under the names of the cases."""
    found = {name: kinds.get(name.lower(), 0) for name in names}
    if "BE" in names:
        found["BE"] = found["BES"] + found["BEL"] + found["BEO"]
    return found


def by_label(found, target, system, *, system_first=False):
    """The rows of each label: that of the target (or of the system span) where there is one, else of the other."""
    groups = {label: [] for label, _ in target + system}
    for row in found:
        ours, theirs = row[:2]
        known = [spans[index][0] for spans, index in ((target, ours), (system, theirs)) if index is not None]
        groups[known[-1] if system_first else known[0]].append(row)
    return groups


def confusion(found, target, system):
    """Errors by the labels of both sides."""
    return Counter(
        ("_" if ours is None else target[ours][0], "_" if theirs is None else system[theirs][0])
        for ours, theirs, kind, *_ in found
        if kind != "tp"
    )


def test_all_cases_are_there():
    assert len(CASES) == 130


@each("case", CASES, ids=named)
def test_exact_counts(case):
    target, system = spans_of(case)
    found = rows(exact(*span_lists(target, system)), EXACT)
    assert totals(kinds_of(found), ("TP", "FP", "FN")) == case["counts"]["overall"]["traditional"]
    for label, group in by_label(found, target, system).items():
        expected = case["counts"]["per_label"]["traditional"][label]
        assert totals(kinds_of(group), expected) == expected


@each("case", CASES, ids=named)
def test_fair_counts(case):
    target, system = spans_of(case)
    expected = case["counts"]["overall"]["fair"]
    assert totals(kinds_of(rows(fair(*span_lists(target, system)), FAIR)), expected) == expected


@pytest.mark.parametrize("focus", ["per_label", "per_label_system_focus"])
@each("case", CASES, ids=named)
def test_fair_counts_of_labels(case, focus):
    target, system = spans_of(case)
    found = rows(fair(*span_lists(target, system)), FAIR)
    groups = by_label(found, target, system, system_first=focus != "per_label")
    expected = case["counts"][focus]["fair"]
    assert set(groups) == set(expected)
    assert {label: totals(kinds_of(groups[label]), expected[label]) for label in groups} == expected


@each("case", CASES, ids=named)
def test_confusion(case):
    target, system = spans_of(case)
    found = rows(fair(*span_lists(target, system)), FAIR)
    expected = {
        (row, column): number
        for row, cells in case["counts"]["confusion"].items()
        for column, number in cells.items()
    }
    assert confusion(found, target, system) == expected


@each("case", CASES, ids=named)
def test_every_span_is_new_once_and_the_total_keeps_its_bounds(case):
    target, system = spans_of(case)
    found = rows(fair(*span_lists(target, system)), FAIR)
    assert [ours for ours, _, _, new, _ in found if new] == list(range(len(target)))
    assert sorted(theirs for _, theirs, _, _, new in found if new) == list(range(len(system)))
    assert max(len(target), len(system)) <= len(found) <= len(target) + len(system)


@each("case", CASES, ids=named)
def test_only_the_cases_marked_so_depend_on_the_order_of_the_lists(case):
    given = spans_of(case)
    ordered = [sorted(side, key=lambda each: (each[1][0], each[1][-1], each[0])) for side in given]
    figures = []
    for sides in (given, ordered):
        found = rows(fair(*span_lists(*sides)), FAIR)
        of_labels = [
            {label: kinds_of(group) for label, group in by_label(found, *sides, system_first=focus).items()}
            for focus in (False, True)
        ]
        figures.append((kinds_of(found), of_labels, confusion(found, *sides)))
    assert (figures[0] != figures[1]) == case["order_sensitive"]


@pytest.mark.parametrize(
    ("target", "system", "expected"),
    [
        ("A1+4", "A1+4", {"tp": 1}),
        ("A1+4", "A1-4", {"bel": 1}),
        ("A1+4", "B1-4", {"lbe": 1}),
        ("A1+4", "A2-3", {"fn": 1, "fp": 1}),
        ("A1+4", "B2-3", {"fn": 1, "fp": 1}),
        ("A1+3", "A2+4", {"fn": 1, "fp": 1}),
        ("A1+4", "A1-2 A3", {"beo": 1, "fp": 1}),
        ("A1-2+5", "A1-2", {"bes": 1}),
        ("A1+5", "A1-2+5-6", {"bel": 1}),
        ("A1+5-6", "A2-5", {"beo": 1}),
        ("A1+4 A2+4", "A1-4", {"bel": 2}),
        ("A1+5", "A1-4 A4-6", {"beo": 2}),
    ],
)
def test_spans_with_gaps_are_the_atoms_they_have(target, system, expected):
    """The project's own rule; the reference compares first and last atoms in some places."""
    assert kinds_of(rows(fair(*span_lists(written(target), written(system))), FAIR)) == expected
