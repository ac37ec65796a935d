"""Scores of values: functions of a number per item and of weights, with the influence of each item on the score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from assay.arrays import Array, Floats, Ints, ratio
from assay.stats.intervals import t_tail

Columns = Mapping[str, Floats]
"""Name → a value of each row."""
Weighted = Callable[[Floats], Floats]
"""Function from weights (rows × samples) to the score of each sample."""
Exchanged = Callable[[Floats], tuple[Floats, Floats]]
"""Function from the rows that two systems exchange (rows × samples, 1 if they do) to the scores of both."""
_FEW_SAMPLES = 32
"""With fewer samples, numpy adds up rows; with more, one row after the other is added, which is faster."""
MOST_SIGNS = 1024
"""The most rows whose signs of differences are kept as a matrix: 10,000 samples take two seconds, and with more rows
the influences of rows give the same interval and p to two digits."""
_NOTHING = 1e-12
"""Smaller sums of squares, in relation to their size, are only rounding."""
_DIGITS = 9
"""Errors are compared with this number of digits."""
LEAST = 3
"""With fewer items a correlation is undefined."""


class ValueScore:
    """A score of the values of a system's items."""

    form = "number"
    """The form in tables."""
    low, high = -math.inf, math.inf
    lower = False
    """True if lower is better."""
    judged = True
    """False if a difference has no verdict, because neither higher nor lower is better."""
    interval = "t"
    """The kind of interval: `t`, `percentile`, or `score` for shares."""
    most_rows = math.inf
    """The most rows for which weights can be given."""
    grades = "error"
    """What the grade of a row is: its `error`, for which lower is better, or its `score`."""

    def __call__(self, columns: Columns) -> Floats:
        """The score."""
        weights = np.ones((len(next(iter(columns.values()))), 1))
        return np.asarray(self.bind(columns)(weights)[0])

    def fit(self, columns: Columns) -> ValueScore:
        """The score with the limits that the values of all systems have."""
        return self

    def prepare(self, columns: Columns) -> Columns:
        """The columns as they are exchanged in a test."""
        return columns

    def bind(self, columns: Columns) -> Weighted:
        """The score of prepared columns as a function of weights."""
        raise NotImplementedError

    def bind_both(self, first: Columns, second: Columns) -> Exchanged:
        """The scores of two systems as a function of what they exchange; columns are prepared."""
        score = self.bind({name: np.concatenate([values, second[name]]) for name, values in first.items()})

        def exchange(moved: Floats) -> tuple[Floats, Floats]:
            stays = 1 - moved
            return score(np.concatenate([stays, moved])), score(np.concatenate([moved, stays]))

        return exchange

    def influence(self, columns: Columns) -> Floats:
        """The change of the score to first order if a row counts once more; the sum over rows is 0."""
        raise NotImplementedError

    def count_items(self, columns: Columns) -> float:
        """The largest number of independent items that a share may stand for."""
        return float(len(next(iter(columns.values()))))

    def find_ends(self, columns: Columns) -> tuple[float, float] | None:
        """An interval of its own; None if the score has none."""
        return None

    def of_ends(self, low: float, high: float) -> tuple[float, float]:
        """The interval of the score from that by its influence."""
        return low, high

    def compare(self, first: Columns, second: Columns) -> float | None:
        """The p of a parametric test of two systems; None if there is none."""
        return None

    def grade(self, columns: Columns) -> Floats:
        """How good the answer of each row is: by default the distance of gold and system."""
        return round_errors(columns["system"] - columns["gold"])


class Moments(ValueScore):
    """A score that is a function of sums of a row's features."""

    def features(self, columns: Columns) -> Floats:
        """Rows × features; the first feature is 1."""
        raise NotImplementedError

    def of_sums(self, sums: Floats) -> Floats:
        """The score from sums; the last axis runs over features."""
        raise NotImplementedError

    def bind(self, columns: Columns) -> Weighted:
        """The score as a function of weights."""
        features = self.features(columns)
        return lambda weights: self.of_sums(weights.T @ features)


class ColumnMean(Moments):
    """The mean of a column; of most, lower is better and none is below 0."""

    form, low, lower = "plain", 0.0, True

    def __init__(self, column: str, **traits: Any) -> None:
        self.column = column
        self.__dict__.update(traits)

    def features(self, columns: Columns) -> Floats:
        """1 and the value."""
        return np.stack([np.ones(len(columns[self.column])), columns[self.column]], axis=1)

    def of_sums(self, sums: Floats) -> Floats:
        """The mean."""
        return ratio(sums[..., 1], sums[..., 0])

    def influence(self, columns: Columns) -> Floats:
        """The deviation from the mean."""
        values = columns[self.column]
        return np.asarray((values - values.mean()) / len(values))

    def grade(self, columns: Columns) -> Floats:
        """The value of each row, without its sign if it is an error."""
        return columns[self.column] if self.grades == "score" else round_errors(columns[self.column])


class LoggedMean(ColumnMean):
    """The mean of a column of any numbers; if all are 0 or 1, it is a share, and if between them, it is limited."""

    low, lower, grades = -math.inf, False, "score"

    def fit(self, columns: Columns) -> ValueScore:
        """The mean, with the limits of a share if it is one."""
        values = columns[self.column]
        if not np.all((values >= 0) & (values <= 1)):
            return self
        kind = "score" if np.all((values == 0) | (values == 1)) else "t"
        return LoggedMean(self.column, low=0.0, high=1.0, interval=kind)


class RootMean(ColumnMean):
    """The root of the mean of a column, whose interval is the root of that of the mean."""

    def of_sums(self, sums: Floats) -> Floats:
        """The root."""
        return np.sqrt(super().of_sums(sums))

    def influence(self, columns: Columns) -> Floats:
        """That on the mean, divided by twice the root."""
        root = math.sqrt(columns[self.column].mean())
        return super().influence(columns) / (2 * root) if root else np.zeros(len(columns[self.column]))

    def grade(self, columns: Columns) -> Floats:
        """The root of the value of each row."""
        return round_errors(np.sqrt(columns[self.column]))

    def of_ends(self, low: float, high: float) -> tuple[float, float]:
        """The interval from value ± reach, as that of the square: value² ± 2 · value · reach."""
        value, reach = (low + high) / 2, (high - low) / 2
        return math.sqrt(max(0.0, value**2 - 2 * value * reach)), math.sqrt(value**2 + 2 * value * reach)


class Determination(Moments):
    """R²: 1 − squared errors / squared deviations of gold from its mean."""

    form, high, interval = "coefficient", 1.0, "percentile"

    def features(self, columns: Columns) -> Floats:
        """1, gold, its square and the squared error; gold is centred."""
        gold = columns["gold"] - columns["gold"].mean()
        return np.stack([np.ones(len(gold)), gold, gold**2, (columns["system"] - columns["gold"]) ** 2], axis=1)

    def of_sums(self, sums: Floats) -> Floats:
        """The score."""
        number, gold, square, error = np.moveaxis(sums, -1, 0)
        return np.asarray(1 - ratio(error, _clean(square - ratio(gold**2, number), square)))

    def influence(self, columns: Columns) -> Floats:
        """The influence of its two sums."""
        _, _, square, error = self.features(columns).T
        return ratio(error.sum() / (square.sum() or 1.0) * square - error, np.full(len(square), square.sum()))


class Pearson(Moments):
    """Pearson's correlation; in a test the outputs of each system are standardised."""

    form, low, high, interval = "coefficient", -1.0, 1.0, "percentile"

    def __call__(self, columns: Columns) -> Floats:
        """The score, from standardised values, whose sums are exact enough."""
        return super().__call__(self.prepare(columns))

    def prepare(self, columns: Columns) -> Columns:
        """Both sides standardised."""
        return {name: _standardise(columns[name]) for name in ("gold", "system")}

    def features(self, columns: Columns) -> Floats:
        """1, both values, their squares and their product."""
        x, y = columns["gold"], columns["system"]
        return np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)

    def of_sums(self, sums: Floats) -> Floats:
        """The correlation."""
        number, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
        spreads = (_clean(xx - ratio(x * x, number), xx), _clean(yy - ratio(y * y, number), yy))
        value = ratio(xy - ratio(x * y, number), np.sqrt(spreads[0] * spreads[1]))
        return np.asarray(np.where(number < LEAST, np.nan, np.clip(value, -1, 1)))

    def influence(self, columns: Columns) -> Floats:
        """The product of the standardised values, less the correlation for each square."""
        x, y = self.prepare(columns).values()
        return np.asarray(x * y - float(x @ y) / len(x) * (x * x + y * y) / 2) / len(x)

    def compare(self, first: Columns, second: Columns) -> float | None:
        """Williams' test of two correlations with one variable, gold."""
        gold, a, b = (_standardise(values) for values in (first["gold"], first["system"], second["system"]))
        number = len(gold)
        if number <= LEAST:
            return None
        r_a, r_b, r = (float(x @ y) / number for x, y in ((gold, a), (gold, b), (a, b)))
        rest = max(0.0, 1 - r_a**2 - r_b**2 - r**2 + 2 * r_a * r_b * r)
        variance = 2 * rest * (number - 1) / (number - 3) + ((r_a + r_b) / 2) ** 2 * (1 - r) ** 3
        if variance < _NOTHING:
            return None
        t = abs(r_b - r_a) * math.sqrt((number - 1) * (1 + r) / variance)
        return min(1.0, 2 * t_tail(t, number - 3))


class Spearman(ValueScore):
    """Spearman's correlation of mid-ranks, which are those of each sample; in a test outputs are mid-ranks."""

    form, low, high, interval = "coefficient", -1.0, 1.0, "percentile"

    def prepare(self, columns: Columns) -> Columns:
        """Standardised mid-ranks."""
        return {name: _standardise(_Ties(columns[name]).ranks()) for name in ("gold", "system")}

    def bind(self, columns: Columns) -> Weighted:
        """The correlation of the mid-ranks of each sample."""
        sides = [_Ties(columns[name]) for name in ("gold", "system")]

        def correlate(weights: Floats) -> Floats:
            number = weights.sum(axis=0)
            # A mid-rank less the mean of all, which is the same with any ties.
            x, y = (side.ranks(weights) - number / 2 for side in sides)
            weighted, sums = weights * x, []
            for first, second in ((weighted, x), (weights * y, y), (weighted, y)):
                sums.append(np.einsum("ij,ij->j", first, second))
            return self._correlate(number, *sums)

        return correlate

    def bind_both(self, first: Columns, second: Columns) -> Exchanged:
        """Both correlations: gold's ranks stay, and what one system has not, the other one has."""
        number = len(first["gold"])
        gold = _Ties(first["gold"]).ranks() - number / 2
        ties = _Ties(np.concatenate([first["system"], second["system"]]))
        # The answers of both systems in their order: row, side, gold's rank and the group of equal answers.
        row, is_first = ties.order % number, ties.order < number
        there, group, ends = gold[row], ties.group[ties.order], np.append(ties.starts[1:], 2 * number)
        sizes, of_group = (ends - ties.starts).astype(np.float64)[:, None], np.add.reduceat(there, ties.starts)
        # A group's ranks in both systems add up to this.
        both = (ties.starts + ends) / 2 - number
        products = there * both[group]
        slope = np.bincount(row, np.where(is_first, -products, products), number)
        kind = np.int16 if number < 1 << 14 else np.int64
        square, number_of = float(gold @ gold), np.array(float(number))

        def exchange(moved: Floats) -> tuple[Floats, Floats]:
            has = (moved.astype(bool)[row] ^ is_first[:, None]).view(np.int8)
            sums = _cumulate(has, kind)
            below, upto = sums[ties.starts], sums[ends]
            members, ranks = upto - below, np.add(below, upto, dtype=np.float64) / 2 - number / 2
            spread = np.einsum("ij,ij->j", members * ranks, ranks)
            placed = ranks[group]
            placed *= has
            cross = there @ placed
            # What one system has not, the other one has.
            other = both[:, None] - ranks
            others = np.einsum("ij,ij->j", (sizes - members) * other, other)
            against = of_group @ other - float(products[is_first].sum()) - slope @ moved + cross
            pairs = ((spread, cross), (others, against))
            of_first, of_second = (self._correlate(number_of, square, *sums) for sums in pairs)
            return of_first, of_second

        return exchange

    @staticmethod
    def _correlate(number: Floats, x: Any, y: Floats, cross: Floats) -> Floats:
        """The correlation, from sums of squares and products."""
        value = ratio(cross, np.sqrt(_clean(x, number**3) * _clean(y, number**3)))
        return np.asarray(np.where(number < LEAST, np.nan, np.clip(value, -1, 1)))

    def influence(self, columns: Columns) -> Floats:
        """The influence of a row by its own ranks, and by those that it changes."""
        ties = [_Ties(columns[name]) for name in ("gold", "system")]
        number = len(columns["gold"])
        u, v = (side.ranks() / number - 0.5 for side in ties)
        moments = [float(first @ second) / number for first, second in ((u, v), (u, u), (v, v))]
        cross = u * v + ties[0].sum_above(v) / number + ties[1].sum_above(u) / number - 3 * moments[0]
        squares = [
            (own**2 + 2 * side.sum_above(own) / number - 3 * moment) / moment if moment else own
            for own, side, moment in ((u, ties[0], moments[1]), (v, ties[1], moments[2]))
        ]
        spread = math.sqrt(moments[1] * moments[2])
        value = moments[0] / spread if spread else 0.0
        return np.asarray(cross / (spread or 1.0) - value / 2 * (squares[0] + squares[1])) / number


class Kendall(Spearman):
    """Kendall's τ-b."""

    most_rows = MOST_SIGNS
    bind_both = ValueScore.bind_both

    def bind(self, columns: Columns) -> Weighted:
        """The score by signs of differences; without weights by counting."""
        if len(columns["gold"]) > self.most_rows:
            return lambda weights: np.array([self._concordances(columns)[0]])
        # Single precision is exact: sums of whole numbers below 2^24.
        signs = [np.sign(side[:, None] - side).astype(np.float32) for side in (columns["gold"], columns["system"])]
        agreements = signs[0] * signs[1]
        groups = [_Ties(columns[name]) for name in ("gold", "system")]

        def correlate(weights: Floats) -> Floats:
            number = weights.sum(axis=0)
            agreed = np.einsum("ij,ij->j", agreements @ weights.astype(np.float32), weights)
            # Pairs that are no ties: all less those of each group.
            untied = [number**2 - (side.sums(weights) ** 2).sum(axis=0) for side in groups]
            return np.where(number < LEAST, np.nan, ratio(agreed, np.sqrt(untied[0] * untied[1])))

        return correlate

    def influence(self, columns: Columns) -> Floats:
        """Twice a row's part of each of the three sums of pairs."""
        return self._concordances(columns)[1]

    @staticmethod
    def _concordances(columns: Columns) -> tuple[float, Floats]:
        """The score and the influence of each row, from the pairs that a row is in."""
        x, y = (_Ties(columns[name]) for name in ("gold", "system"))
        number = len(x.low)
        both = _Ties(x.low * (number + 1.0) + y.low)
        # How many rows are below in x and y, below in one and equal in the other, equal in both.
        below = _count_below(x.low, y.low)
        equal_y = _Ties(y.low * (number + 1.0) + x.low).low - y.low
        equal_x = both.low - x.low
        same = both.high - both.low
        x_below, y_below = x.low - below - equal_y, y.low - below - equal_x
        above = number - x.high - y_below - ((y.high - y.low) - equal_y - same)
        parts = np.stack([below + above - x_below - y_below, number - (x.high - x.low), number - (y.high - y.low)])
        sums = parts.sum(axis=1) / number**2
        spread = math.sqrt(sums[1] * sums[2])
        if number < LEAST or not spread:
            return math.nan, np.zeros(number)
        value, (cross, *squares) = sums[0] / spread, 2 * (parts / number - sums[:, None])
        of_ties = squares[0] / sums[1] + squares[1] / sums[2]
        return value, (cross / spread - value / 2 * of_ties) / number


class _Ranking(ValueScore):
    """A score of a ranking: `score` of each row, and whether it is `right` (a positive)."""

    form, low, high, interval = "coefficient", 0.0, 1.0, "score"

    def prepare(self, columns: Columns) -> Columns:
        """Standardised mid-ranks in place of the scores."""
        return {"score": _standardise(_Ties(columns["score"]).ranks()), "right": columns["right"]}

    def count_items(self, columns: Columns) -> float:
        """The effective items of a ranking by chance, 3mn/(m+n) for m positives and n negatives.

        Without this limit, intervals of nearly perfect rankings contain the true area in 75 to 92% of samples, with
        it in 96 to 99%.
        """
        positive, number = float(columns["right"].sum()), len(columns["right"])
        return 3 * positive * (number - positive) / number


class Auc(_Ranking):
    """The probability that a positive has a higher score than a negative; ties count as a half."""

    def bind(self, columns: Columns) -> Weighted:
        """The share of pairs in the right order."""
        ties, right = _Ties(columns["score"]), columns["right"]

        def rank(weights: Floats) -> Floats:
            positive, negative = weights * right[:, None], weights * (1 - right)[:, None]
            pairs = np.einsum("ij,ij->j", positive, ties.ranks(negative))
            return ratio(pairs, positive.sum(axis=0) * negative.sum(axis=0))

        return rank

    def influence(self, columns: Columns) -> Floats:
        """The deviation of a row's share of the other class that is on its right side."""
        ties, right = _Ties(columns["score"]), columns["right"]
        positive = float(right.sum())
        negative = len(right) - positive
        if not positive or not negative:
            return np.zeros(len(right))
        below, above = ties.ranks(1 - right) / negative, 1 - ties.ranks(right) / positive
        value = float(right @ below) / positive
        return np.asarray(np.where(right > 0, (below - value) / positive, (above - value) / negative))


class AveragePrecision(_Ranking):
    """The mean precision at the positives, all rows with equal scores together."""

    def bind(self, columns: Columns) -> Weighted:
        """The mean of the precisions."""
        ties, right = _Ties(-columns["score"]), columns["right"]

        def average(weights: Floats) -> Floats:
            positive = weights * right[:, None]
            precision = ratio(ties.upto(positive), ties.upto(weights))
            total = np.einsum("ij,ij->j", positive, np.nan_to_num(precision))
            return ratio(total, positive.sum(axis=0))

        return average

    def influence(self, columns: Columns) -> Floats:
        """That of a positive by its own precision, and that of each row on the precision at lower positives."""
        ties, right = _Ties(-columns["score"]), columns["right"]
        positive = float(right.sum())
        if not positive:
            return np.zeros(len(right))
        found = ties.high.astype(np.float64)
        precision = ties.upto(right) / found
        value = float(right @ precision) / positive
        lower = [ties.above(part * right / found) for part in (1.0, precision)]
        return np.asarray(right * (precision - value) + right * lower[0] - lower[1]) / positive


class _Ties:
    """The order of values: for each row the number of rows below it (`low`), and of those not above it (`high`)."""

    def __init__(self, values: Array) -> None:
        self.order = np.argsort(values, kind="stable")
        ordered = values[self.order]
        new = np.append(np.ones(min(1, len(values)), dtype=bool), ordered[1:] != ordered[:-1])
        self.starts = np.flatnonzero(new)
        self.group = np.empty(len(values), dtype=np.int64)
        self.group[self.order] = np.cumsum(new) - 1
        self.low = self.starts[self.group]
        self.high = np.append(self.starts[1:], len(values))[self.group]

    def sums(self, weights: Floats) -> Floats:
        """The sum of each group of equal values."""
        sums = _cumulate(weights[self.order])
        return np.asarray(sums[np.append(self.starts[1:], len(self.order))] - sums[self.starts])

    def ranks(self, weights: Floats | None = None) -> Floats:
        """The weight below each row and half of that of its equals: a mid-rank less one half."""
        if weights is None:
            return np.asarray((self.low + self.high) / 2)
        sums = _cumulate(weights[self.order])
        return np.asarray((sums[self.low] + sums[self.high]) / 2)

    def upto(self, weights: Floats) -> Floats:
        """The weight of the rows that are not above each row."""
        return np.asarray(_cumulate(weights[self.order])[self.high])

    def above(self, weights: Floats) -> Floats:
        """The weight of the rows that are not below each row."""
        sums = _cumulate(weights[self.order])
        return np.asarray(sums[-1:] - sums[self.low])

    def sum_above(self, weights: Floats) -> Floats:
        """The weight above each row and half of that of its equals."""
        return np.asarray(weights.sum() - self.ranks(weights))


def _cumulate(weights: Array, kind: Any = np.float64) -> Array:
    """The sums of the rows before each row, and of all."""
    sums: Array = np.empty((len(weights) + 1, *weights.shape[1:]), dtype=kind)
    sums[0], sums[1:] = 0, weights
    if weights[:1].size < _FEW_SAMPLES:
        return np.cumsum(sums, axis=0, dtype=kind)
    for before, after in pairwise(sums):
        np.add(before, after, out=after)
    return sums


def _count_below(x: Ints, y: Ints) -> Ints:
    """For each row the number of rows with lower x and lower y, which are ranks (numbers of rows below).

    Rows in the order of x are divided by the bits of y from the highest on: among those with the same higher bits,
    each with the bit counts those before it without.
    """
    number = len(x)
    order = np.lexsort((-y, x)).astype(np.int32)
    values = y[order].astype(np.int32)
    counts = np.zeros(number, dtype=np.int64)
    before = np.searchsorted(np.sort(y), np.arange(number + 1)).astype(np.int32)
    for bit in range(max(1, number.bit_length()) - 1, -1, -1):
        prefix = (values >> (bit + 1)) << (bit + 1)
        has_bit = (values >> bit) & 1 == 1
        zeros = np.zeros(number + 1, dtype=np.int32)
        np.cumsum(~has_bit, out=zeros[1:])
        start = before[prefix]
        earlier = zeros[:-1] - zeros[start]
        counts[order[has_bit]] += earlier[has_bit]
        half = before[np.minimum(prefix + (1 << bit), number)]
        place = np.where(has_bit, half + (np.arange(number, dtype=np.int32) - start) - earlier, start + earlier)
        order[place], values[place] = order.copy(), values.copy()
    return counts


def round_errors(errors: Floats) -> Floats:
    """The sizes of errors, rounded so that equal differences of decimals are equal, as 0.4 − 0.1 and 0.7 − 0.4."""
    sizes = np.abs(errors)
    largest = float(sizes.max(initial=0.0))
    return np.asarray(np.round(sizes, _DIGITS - math.ceil(math.log10(largest))) if largest else sizes)


def _standardise(values: Floats) -> Floats:
    """Values less their mean, divided by their standard deviation; zeros if they are all equal."""
    centred = values - values.mean()
    spread = math.sqrt(float(centred @ centred) / max(1, len(values)))
    equal = len(values) == 0 or float(values.min()) == float(values.max())
    return np.zeros(len(values)) if equal or not spread else np.asarray(centred / spread)


def _clean(spreads: Any, size: Any) -> Floats:
    """Sums of squares, with 0 for those that are only rounding."""
    return np.asarray(np.where(spreads > _NOTHING * size, spreads, 0.0))
