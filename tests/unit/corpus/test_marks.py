"""Marks: sorted, each once, and compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.corpus import Column, Marks


def arcs(*rows: tuple[int, int, str]) -> Marks:
    """Arcs of one sentence from (dependent, head, label)."""
    dependent, head = (np.array([row[which] for row in rows], dtype=np.int64) for which in (0, 1))
    labels = Column.of([row[2] for row in rows])
    return Marks.without_place(np.zeros_like(head), labels, dependent=dependent, head=head)


def test_distinct_marks_are_in_the_order_of_columns_and_labels():
    given = arcs((2, 1, "b"), (1, 2, "z"), (2, 1, "a"), (2, 1, "b"), (1, -1, "z"))
    found = given.distinct(given.arguments["dependent"], given.arguments["head"])
    assert found.labels.strings() == ["z", "z", "a", "b"]
    assert found.arguments["head"].tolist() == [-1, 2, 1, 1]
    assert len(arcs().distinct(np.zeros(0, dtype=np.int64))) == 0


def test_marks_are_equal_by_places_labels_and_arguments_not_by_codes():
    given = arcs((1, 2, "a"), (2, 1, "b"))
    assert given.equals(replace(given, labels=Column(np.array([1, 0]), ("b", "a"))))
    assert not given.equals(arcs((1, 2, "a"), (2, 2, "b")))
    assert not given.equals(arcs((1, 2, "a"), (2, 1, "c")))
