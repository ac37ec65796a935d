"""ANLS*: the similarity of two records, with the faults of its package, so that published figures can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from assay.formats.grounding import edit_distance

_LEAST = 0.5
"""Texts that are less similar have nothing in common."""
_ABSENT = object()


def anls_of(gold: Any, system: Any) -> float:
    """The sum of similarities, divided by the number of values."""
    total, size = _compare(gold, system)
    return total / size if size else 1.0


def _is_none(value: Any) -> bool:
    return value is None or value is _ABSENT or value in ("", [], {})


def _compare(gold: Any, system: Any) -> tuple[float, float]:
    """The similarity of two values, and the number of values that it is about."""
    if gold is None or gold is _ABSENT:
        return (1.0, 1.0) if _is_none(system) else (0.0, max(1.0, _size(system)))
    if isinstance(gold, Mapping) and isinstance(system, Mapping):
        total = size = 0.0
        for key in dict.fromkeys((*gold, *system)):
            if key not in gold and _is_none(system[key]):
                size += 1
                continue
            own, length = _compare(gold.get(key, _ABSENT), system.get(key, _ABSENT))
            total, size = total + own, size + length
        return total, size
    if isinstance(gold, list) and isinstance(system, list):
        return _compare_lists(gold, system)
    if isinstance(gold, Mapping | list) or isinstance(system, Mapping | list):
        return 0.0, max(_size(gold), _size(system))
    is_none = system is None or system is _ABSENT
    return (0.0 if is_none else _similarity(_plain(gold), _plain(system))), 1.0


def _compare_lists(gold: list[Any], system: list[Any]) -> tuple[float, float]:
    from scipy.optimize import linear_sum_assignment

    pairs = [[_compare(one, other) for other in system] for one in gold]
    table = np.array([[total / size if size else 1.0 for total, size in row] for row in pairs]).reshape(
        len(gold), len(system)
    )
    # Exact pairs come first if sums are equal.
    preferred = table + 1e-9 * np.array([[one == other for other in system] for one in gold]).reshape(table.shape)
    rows, columns = linear_sum_assignment(preferred, maximize=True) if table.size else ((), ())
    total = size = 0.0
    for row, column in zip(rows, columns, strict=True):
        own, length = pairs[row][column]
        total, size = total + own, size + length
    alone = [one for number, one in enumerate(gold) if number not in {*rows}]
    alone += [one for number, one in enumerate(system) if number not in {*columns}]
    return total, size + sum(map(_size, alone))


def _size(value: Any) -> float:
    if isinstance(value, Mapping):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list) else 1.0


def _plain(value: Any) -> str:
    return " ".join(str(value).lower().split())


@lru_cache(1 << 16)
def _similarity(first: str, second: str) -> float:
    longer = max(len(first), len(second))
    if not longer:
        return 1.0
    similar = 1 - edit_distance(first, second) / longer
    return similar if similar >= _LEAST else 0.0
