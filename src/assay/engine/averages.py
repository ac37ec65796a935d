"""Averages over data sets: their intervals, and tests that exchange outputs unit by unit within each data set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from assay.arrays import Floats, Ints
from assay.engine.counts import FEW_DIFFERING, FEW_UNITS, as_sums
from assay.engine.measure import ByFields, Ratio, find
from assay.engine.measure import Score as ScoreFunction
from assay.engine.scores import Exchange, make_comparison
from assay.result import Comparison, Score
from assay.stats.intervals import average_interval, average_variance, t_interval
from assay.stats.runs import t_test
from assay.stats.significance import SMALLEST, Shuffling, shuffling_test
from assay.stats.streams import stream_of

RANGES = {"percent": (0.0, 1.0), "coefficient": (-1.0, 1.0)}
"""The limits of a score by its form; other forms have none."""
_MOST_NUMBERS = 1 << 24
"""The most numbers in a table of the differences of two systems on all data sets; beyond that, p is by t."""
_MOST_AMOUNT = 1 << 40
"""The largest whole number that a unit may add to a sum."""


def average_score(rows: Sequence[Score], form: str) -> Score:
    """The plain mean of a score over data sets, with its interval if it has a variance on each."""
    value = float(np.mean([row.value for row in rows]))
    if len(rows) == 1:
        return replace(rows[0], value=value, group="")
    first = rows[0]
    average = Score(first.system, first.measure, first.score, None, None, value, math.nan, math.nan, first.main)
    average = replace(average, lower=first.lower, judged=first.judged)
    variances, degrees = _list_variances(rows)
    if len(variances) < len(rows) or math.isnan(value):
        return average
    shrunk = [row.shrunk for row in rows if row.shrunk is not None]
    items = None
    if len(shrunk) == len(rows):
        values = [row.value for row in rows]
        low, high, variance, df, items = average_interval(values, variances, degrees, shrunk)
    else:
        variance, df = average_variance(variances, degrees)
        limits = RANGES.get(form, (-math.inf, math.inf))
        low, high = t_interval(value, variance, df + 1, *limits) if variance else (math.nan, math.nan)
    return replace(
        average,
        low=low,
        high=high,
        interval="" if math.isnan(low) else "t" if items is None else "score",
        variance=variance,
        df=df,
        effective_items=items,
        assumed=any(row.assumed for row in rows),
        too_short=tuple(dict.fromkeys(label for row in rows for label in row.too_short)),
    )


def _list_variances(rows: Sequence[Score | Comparison]) -> tuple[list[float], list[float]]:
    """The variances of the rows that have one, and their degrees of freedom."""
    pairs = [(row.variance, row.df) for row in rows if row.variance is not None and row.df is not None]
    return [variance for variance, _ in pairs], [df for _, df in pairs]


def average_test(
    rows: Sequence[Comparison], units: Sequence[int], difference: float, seed: int, times: int, task: str = ""
) -> Comparison:
    """The test of two systems on the mean of their differences over data sets; `units` has the size of each.

    Outputs are exchanged within each data set. If a data set has no counts for this, as with several runs, p is that
    of Student's t.
    """
    first, number = rows[0], len(rows)
    if number == 1:
        return replace(first, evidence=None)
    variances = _list_variances(rows)
    variance, df = average_variance(*variances) if len(variances[0]) == number else (math.nan, math.nan)
    widest = max(row.widest for row in rows)
    low, high = t_interval(difference, variance, df + 1, -widest, widest)
    differing, whole = sum(row.units for row in rows), sum(units)
    weighed = sum(1 / size for size in units) ** 2 / sum(1 / size**3 for size in units) * differing / whole
    test = _test_shuffling(rows, seed, times, task)
    if test is None:
        p = max(SMALLEST, t_test(difference, variance, df)) if not math.isnan(variance) else math.nan
        logarithm = None if math.isnan(p) else math.log10(p)
        test = Shuffling(p, p, p, differing, "t", logarithm, None)
    return make_comparison(
        (first.a, first.b),
        (first.measure, first.score, None),
        difference,
        (low, high, "" if math.isnan(low) else "t"),
        replace(test, units=differing),
        (variance, df),
        "runs" if test.method == "t" else "shuffling",
        few=whole < FEW_UNITS or weighed < FEW_DIFFERING,
        widest=widest,
        lower=first.lower,
        judged=first.judged,
        margin=first.margin,
    )


def _test_shuffling(rows: Sequence[Comparison], seed: int, times: int, task: str) -> Shuffling | None:
    """The shuffling test of the mean difference; None if a data set has no counts to exchange.

    Each data set has fields of its own, in an order that depends on the counts, not on names.
    """
    parts = [row.evidence for row in rows if isinstance(row.evidence, Exchange)]
    if len(parts) < len(rows) or np.prod(np.sum([part.rows.shape for part in parts], axis=0)) > _MOST_NUMBERS:
        return None
    parts.sort(key=lambda part: (part.content, part.turned))
    measure = find(parts[0].measure, task)
    score = {**measure.scores, **measure.averages}[rows[0].score]
    functions = [score.of(part.fields) if isinstance(score, ByFields) else score for part in parts]
    firsts, seconds, tables, all_sizes, differences = zip(
        *(part.swaps(function) for part, function in zip(parts, functions, strict=True)), strict=True
    )
    signs = [-1 if part.turned else 1 for part in parts]
    height, width, blocks = 0, 0, []
    swaps = np.zeros(np.sum([table.shape for table in tables], axis=0))
    for table in tables:
        dense = table if isinstance(table, np.ndarray) else table.toarray()
        blocks.append(slice(width, width + dense.shape[1]))
        swaps[height : height + len(dense), blocks[-1]] = dense
        height, width = height + len(dense), width + dense.shape[1]

    def difference(x: Floats, y: Floats) -> Floats:
        each = zip(signs, differences, blocks, strict=True)
        return np.asarray(
            sum(sign * subtract(x[..., block], y[..., block]) for sign, subtract, block in each) / len(parts)
        )

    a, b, sizes = map(np.concatenate, (firsts, seconds, all_sizes))
    stream = stream_of(seed, b"".join(part.content for part in parts))
    return shuffling_test(
        *(a, b, swaps, sizes, difference, stream, times),
        amounts=_amounts(parts, functions, signs),
        width=sum(len(part.a) for part in parts),
    )


def _amounts(parts: Sequence[Exchange], functions: Sequence[ScoreFunction], signs: Sequence[int]) -> Ints | None:
    """A whole number for each row of all data sets, in proportion to what it adds to the mean difference."""
    shares: list[Fraction] = []
    for part, function, sign in zip(parts, functions, signs, strict=True):
        amounts = part.amounts(function)
        if amounts is None or not isinstance(function, Ratio):
            return None
        total = Fraction(float(function.total(as_sums(part.a, part.fields))))
        shares += [sign * amount / total for amount in amounts.tolist()]
    scale = math.lcm(*(share.denominator for share in shares))
    numbers = [int(share * scale) for share in shares]
    divisor = math.gcd(*numbers) or 1
    if max(map(abs, numbers), default=0) // divisor > _MOST_AMOUNT:
        return None
    return np.array([number // divisor for number in numbers], dtype=np.int64)
