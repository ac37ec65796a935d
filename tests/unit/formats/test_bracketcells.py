"""All brackets of a file at once: the same mentions as cell by cell, or none where a file is odd."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.chains import pair_brackets_at_once, pair_brackets_by_cell, read_brackets_of_cell

Found = list[tuple[int, int, int, str]]


def at_once(cells: list[bytes], documents: list[int]) -> Found | None:
    """Document, first and last cell, and name of the chain of each mention."""
    found = pair_brackets_at_once(cells, np.array(documents, dtype=np.int64))
    if found is None:
        return None
    rows, names = found
    return sorted((documents[first], first, last, names[chain]) for first, last, chain in rows.tolist())


def one_by_one(cells: list[bytes], documents: list[int]) -> Found | None:
    found: Found = []
    for number in sorted(set(documents)):
        first = documents.index(number)
        own = cells[first : first + documents.count(number)]
        rows, names, faults = pair_brackets_by_cell(own, read_brackets_of_cell)
        if faults:
            return None
        found += [(number, first + begin, first + end, names[chain]) for begin, end, chain in rows]
    return sorted(found)


BRACKET = st.builds("{}{}{}".format, st.sampled_from(["(", ""]), st.sampled_from("12x"), st.sampled_from([")", ""]))
CELL = st.lists(BRACKET, min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from(["|", ""]).map(lambda bar: bar.join(parts))
)


@given(st.lists(st.tuples(CELL, st.integers(0, 2)), min_size=1, max_size=8))
def test_all_at_once_gives_what_one_by_one_gives(rows: list[tuple[str, int]]) -> None:
    documents = sorted(document for _, document in rows)
    cells = [cell.encode() for cell, _ in rows]
    assert at_once(cells, documents) == one_by_one(cells, documents)


def test_what_is_opened_last_is_closed_first() -> None:
    assert at_once([b"(1(1", b"(1)|(2", b"1)2)", b"1)"], [0] * 4) == [
        (0, 0, 2, "1"),
        (0, 0, 3, "1"),
        (0, 1, 1, "1"),
        (0, 1, 2, "2"),
    ]


def test_chains_are_numbered_as_they_appear_words_of_one_mention_first() -> None:
    found = pair_brackets_at_once([b"(b|(a)", b"b)|(c)", b"(a)"], np.array([0, 0, 1]))
    assert found is not None
    assert found[1] == ["a", "b", "c", "a"]


@pytest.mark.parametrize(
    "cell", [b"1", b"((1)", b"(1))", b"|(1)", b"(1)|", b"(1)||(2)", b"(1", b"1)", b"(*)", b"( 1)"]
)
def test_what_is_odd_is_left_to_the_reader(cell: bytes) -> None:
    assert pair_brackets_at_once([cell], np.array([0])) is None


def test_no_cells_have_no_mentions() -> None:
    found = pair_brackets_at_once([], np.zeros(0, dtype=np.int64))
    assert found is not None and found[0].shape == (0, 3) and found[1] == []
