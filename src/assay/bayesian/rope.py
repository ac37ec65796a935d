"""How large a difference must be to matter: the region of practical equivalence (ROPE), and where it comes from."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.arrays import Floats
from assay.bayesian.table import DataSet
from assay.errors import UsageError
from assay.stats.evidence import within
from assay.stats.intervals import wilson

INTERVALS = {"ci95": 1.0, "ci95half": 0.5}
"""By how much of the width of a 95% interval: the paper takes all of it for half of the region."""
WIDE = 0.05
"""A region from an interval that is wider than this, as a fraction, says more of test parts than of systems."""
_ITEMS = re.compile(r"(\d+(?:\.\d+)?)\s*items?")
_REMEDY = "Give it in units of the measure, e.g. --rope"


@dataclass(frozen=True)
class Rope:
    """Half the width of the region, and how it came about."""

    half: float
    origin: str
    items: float
    """The same in items of a test part; nan where their number is not known."""


def rope(wanted: str | float | None, measure: str, data: Sequence[DataSet]) -> Rope:
    """The region for a measure: a number, `98 items`, `ci95` or `ci95half`; where nothing is said, `ci95`."""
    items, full = _items(data), full_score(data)
    text = "ci95" if wanted is None else str(wanted).strip()
    counted = _ITEMS.fullmatch(text)
    if (text in INTERVALS or counted) and math.isnan(items):
        said = f"--rope {text} needs" if wanted is not None else "without --rope, it is taken from"
        raise UsageError(
            f"{measure}: {said} the number of items of each test part (the column denominator). "
            f"{_REMEDY} {0.002 * full:g}"
        )
    if text in INTERVALS:
        half, origin = _from_interval(INTERVALS[text], items, measure, data), text
    elif counted:
        half, origin = float(counted[1]) / items * full, f"{counted[1]} items of {items:,.0f}"
    else:
        half, origin = _absolute(text), "given"
    return Rope(_within(half, measure, data), origin, half / full * items)


def of_annotators(share: float, origin: str, measure: str, data: Sequence[DataSet]) -> Rope:
    """The region from how far two annotators are apart, as a fraction."""
    full = full_score(data)
    if math.isnan(share):
        raise UsageError(f"{measure}: it is undefined on these annotations, so that they give no region.")
    return Rope(_within(share * full, measure, data), origin, share * _items(data))


def full_score(data: Sequence[DataSet]) -> float:
    """What a perfect score is: 1, or 100 where scores are percent."""
    values = _values(data)
    return 100.0 if values.min() >= 0 and 1 < values.max() <= 100 else 1.0


def _items(data: Sequence[DataSet]) -> float:
    """The mean number of items of a test part."""
    known = np.concatenate([one.denominators for one in data])
    return math.nan if np.isnan(known).any() else float(known.mean())


def _values(data: Sequence[DataSet]) -> Floats:
    return np.concatenate([row for one in data for row in one.values.values()])


def _absolute(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UsageError(f"--rope {text}: a number from 0, '98 items', ci95, ci95half or annotators.")
    return value


def _within(half: float, measure: str, data: Sequence[DataSet]) -> float:
    """The same, if a difference can be as large; of scores without a bound nobody knows."""
    values, full = _values(data), full_score(data)
    if half > full and values.min() >= 0 and values.max() <= full:
        raise UsageError(
            f"{measure}: a region of ±{half:g} is wider than scores can lie apart ({full:g}). "
            f"{_REMEDY} {0.002 * full:g}"
        )
    return half


def _from_interval(share: float, items: float, measure: str, data: Sequence[DataSet]) -> float:
    """From Wilson's interval at the mean score over systems and data sets, for a test part of mean size."""
    full = full_score(data)
    mean = float(np.mean([row.mean() for one in data for row in one.values.values()])) / full
    if not 0 <= mean <= 1:
        raise UsageError(f"{measure}: an interval needs scores between 0 and 1. {_REMEDY} 0.002")
    low, high = wilson(mean * items, items)
    return share * (high - low) * full


def scale_doubts(region: Rope, measure: str, data: Sequence[DataSet]) -> list[str]:
    """Where the region is very wide, or seems to be on another scale than the scores."""
    half, largest = region.half, max((float(_apart(one)) for one in data), default=0.0)
    doubts = []
    if region.origin in INTERVALS and half > WIDE * full_score(data):
        doubts.append(
            f"{measure}: test parts of {_items(data):,.0f} items make the region as wide as ±{half:.3g} "
            f"({region.origin}), and true differences are lost in it. Say with --rope what matters."
        )
    if largest > 0 and within(largest, half):
        doubts.append(f"{measure}: no difference is larger than the region of ±{half:g}: all is equivalent by it.")
    elif half > np.ptp(_values(data)) / 2 > 0:
        doubts.append(
            f"{measure}: the region of ±{half:g} is wider than half of the range of scores. Is it on their scale?"
        )
    means = [row.mean() for one in data for row in one.values.values()]
    if min(means) < 1 < max(means) and max(means) > 1.5:
        doubts.append(f"{measure}: some scores are below 1 and some far above. Are fractions and percent mixed?")
    return doubts


def _apart(one: DataSet) -> float:
    """The largest difference of two systems in a run."""
    return float(np.ptp(np.array(list(one.values.values())), axis=0).max())
