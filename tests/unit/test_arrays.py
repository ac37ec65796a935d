"""The floor of arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.arrays import NONE, all_but, each_once

NUMBERS = st.lists(st.integers(-(1 << 62), 1 << 62) | st.integers(-3, 9))


@given(NUMBERS)
def test_each_number_comes_once_and_in_order(numbers):
    assert each_once(np.array(numbers, dtype=np.int64)).tolist() == sorted(set(numbers))


@given(st.lists(st.integers(NONE, 9)))
def test_all_numbers_but_some(some):
    assert all_but(np.array(some, dtype=np.int64), 10).tolist() == sorted({*range(10)} - {*some})
