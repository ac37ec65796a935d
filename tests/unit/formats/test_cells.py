"""Cells looked up many at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.formats.builder import Cells, Vocabulary
from assay.formats.clean import Coded

FACTOR = 0x9E3779B97F4A7C15
"""The factor by which a cell's number is spread over the buckets."""


def coded(texts: list[bytes]) -> list[str]:
    """The strings that the codes of the cells stand for."""
    bounds = np.cumsum([0, *(len(text) + 1 for text in texts)])
    data = b"".join(text + b"\t" for text in texts)
    vocabulary = Vocabulary[str]()
    codes = Coded(data)((bounds[:-1], bounds[1:] - 1), Cells(vocabulary.__getitem__))
    strings = list(vocabulary)
    assert len(set(strings)) == len(strings)
    return [strings[code] for code in codes]


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(exclude_characters="\0\t\n", exclude_categories=["Cs"]), max_size=24)))
def test_each_cell_has_the_code_of_its_string(texts):
    assert coded([text.encode() for text in texts]) == texts


@pytest.mark.parametrize("length", [4, 8, 9, 16, 17])
def test_many_different_cells_share_buckets(length):
    texts = [str(number).rjust(length, "x") for number in range(0, 400_000, 7)] * 2
    assert coded([text.encode() for text in texts]) == texts


def test_cells_that_all_fall_into_one_bucket():
    # Numbers whose product with the factor is small; as text they may hold anything but a zero byte.
    back = pow(FACTOR, -1, 1 << 64)
    numbers = ((back * number) % (1 << 64) for number in range(1, 60_000))
    cells = [number.to_bytes(8, "little") for number in numbers]
    cells = [cell for cell in cells if max(cell) < 128 and 0 not in cell and 9 not in cell and 10 not in cell]
    assert len(cells) > 100
    assert coded(cells * 3) == [cell.decode() for cell in cells * 3]
