"""Splits counted and tested one by one, as Gorman and Bedrick did."""

from __future__ import annotations

import numpy as np
import pytest

from assay.bayesian.pairs import find_replications
from assay.bayesian.table import read_discordant
from assay.errors import InputError
from assay.experiment.tables import PAIRS, Split
from assay.stats.significance import mcnemar

HEADER = ",".join(PAIRS)
SPLITS = tuple(Split(number, 1) for number in range(1, 21))
AHEAD = np.array([0.1] * 15 + [0.0] * 2 + [-0.1] * 3)


def test_the_levels_of_mcnemars_test_are_those_of_the_specification() -> None:
    known = {
        (10, 2): (0.038574, 0.022461),
        (0, 6): (0.03125, 0.015625),
        (1, 0): (1, 0.5),
        (59, 26): (4.472e-4, 3.17e-4),
    }
    for counts, levels in known.items():
        assert mcnemar(*counts) == pytest.approx(levels, rel=1e-3)


def test_splits_are_tested_at_a_level_divided_by_their_number() -> None:
    """59 against 26 has a mid-p of .00032, 10 against 2 of .0225: only the first is below .05 / 20."""
    lines = [f"d,a,b,{split.repetition},1,m,26,59" for split in SPLITS[:7]]
    lines += [f"d,a,b,{split.repetition},1,m,2,10" for split in SPLITS[7:15]]
    lines += [f"d,b,a,{split.repetition},1,m,26,59" for split in SPLITS[15:18]]
    found = read_discordant("\n".join([HEADER, *lines]), "p.csv")
    row = find_replications(found, ("m", "d", "a", "b"), SPLITS, AHEAD, 0.05)
    assert (row.splits, row.tested, row.alpha) == (20, 18, 0.0025)
    assert (row.significantly_better, row.significantly_worse) == (7, 3)
    assert (row.better, row.worse) == (15, 3)


def test_exchanging_the_systems_exchanges_the_counts() -> None:
    found = read_discordant(f"{HEADER}\nd,a,b,1,1,m,26,59\n", "p.csv")
    there = find_replications(found, ("m", "d", "a", "b"), SPLITS, AHEAD, 0.05)
    back = find_replications(found, ("m", "d", "b", "a"), SPLITS, -AHEAD, 0.05)
    assert (there.significantly_better, there.better) == (back.significantly_worse, back.worse) == (1, 15)
    assert (there.significantly_worse, there.worse) == (back.significantly_better, back.better) == (0, 3)


def test_without_items_splits_are_counted_but_not_tested() -> None:
    row = find_replications({}, ("m", "d", "a", "b"), SPLITS, AHEAD, 0.05)
    assert (row.tested, row.significantly_better, row.significantly_worse) == (0, 0, 0)
    assert (row.better, row.worse) == (15, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dataset,a,b\n", f"p.csv:1: there is no column repetition. The columns are {', '.join(PAIRS)}."),
        (f"{HEADER}\nd,a,b,1,1,m,x,1\n", "p.csv:2: only_a should be a whole number, not 'x'."),
        (f"{HEADER}\nd,a,b,1,1,m,1\n", "p.csv:2: 7 columns, but the first line has 8."),
        (f"{HEADER}\nd,a,,1,1,m,1,1\n", "p.csv:2: b is empty."),
        (f'{HEADER}\nd,"a\n', "p.csv:2: not CSV: unexpected end of data."),
        (
            f"{HEADER}\nd,a,b,1,1,m,1,1\nd,b,a,1,1,m,1,1\n",
            "p.csv:3: m of b and a on d r01-f01 is given twice. Keep one of them.",
        ),
    ],
)
def test_a_mistake_in_counts_of_items_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_discordant(text, "p.csv")
    assert str(caught.value) == message
