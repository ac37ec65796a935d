"""One level of names and numbers, as trackers of experiments such as MLflow take them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from assay.result import Result

_UNSAFE = re.compile(r"[^A-Za-z0-9_\-. /]+")


def flat(result: Result) -> dict[str, float]:
    """Overall scores, intervals, differences and p-values by names such as `accuracy/A` and `accuracy/A/low`."""
    figures: dict[str, float] = {}
    for name, value in (*_scores(result), *_comparisons(result), *_posteriors(result)):
        safe = _UNSAFE.sub("_", name)
        number = 2
        # Names that differ in other characters alone stay apart.
        while safe in figures:
            safe, number = f"{_UNSAFE.sub('_', name)}_{number}", number + 1
        figures[safe] = float(value)
    return figures


def flat_json(result: Result) -> str:
    """The same as JSON, without what is undefined: trackers take numbers only."""
    figures = {name: value for name, value in flat(result).items() if math.isfinite(value)}
    return json.dumps(figures, indent=1) + "\n"


def _scores(result: Result) -> Iterator[tuple[str, float]]:
    for row in result.scores:
        if row.label is not None or row.slice is not None:
            continue
        name = f"{row.measure}/{row.system}" if row.main else f"{row.measure}/{row.score}/{row.system}"
        yield name, row.value
        yield f"{name}/low", row.low
        yield f"{name}/high", row.high


def _comparisons(result: Result) -> Iterator[tuple[str, float]]:
    """What b has more than a, by the test that every measure has."""
    for row in result.comparisons:
        if row.slice is not None or row.test == "mcnemar":
            continue
        main = result.main_scores.get(row.measure) == row.score
        name = f"{row.measure if main else f'{row.measure}/{row.score}'}/{row.b} - {row.a}"
        yield name, row.difference
        yield f"{name}/p", row.p
        yield f"{name}/p_adjusted", row.p_adjusted


def _posteriors(result: Result) -> Iterator[tuple[str, float]]:
    """How likely each region is on a new data set."""
    for row in result.bayes:
        name = f"{row.measure}/{row.b} - {row.a}"
        for region in ("a", "equal", "b"):
            value = getattr(row.region, region)
            if value is not None:
                yield f"{name}/probability {region}", value
