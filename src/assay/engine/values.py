"""Values: numbers of each item, for scores that are no functions of sums; their intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, as_codes, ratio
from assay.classes import dataclass
from assay.engine.counts import (
    BLOCKS,
    JointCounts,
    Sums,
    hash_blocks,
)
from assay.engine.items import Items
from assay.engine.measure import Measure
from assay.engine.scores import (
    Exchange,
    MeasureScores,
    Settings,
    SystemScores,
    find_variance,
    is_skewed,
    test_exchange,
)
from assay.result import Comparison, CountsRow, Power
from assay.stats import intervals
from assay.stats.resample import bootstrap_weights
from assay.stats.significance import Shuffling, swap_test
from assay.stats.streams import BOOTSTRAP, SHUFFLING, generator
from assay.stats.values import Columns, Moments, ValueScore, Weighted

MOST_DRAWN = 1 << 27
"""The most values that are resampled, 10,000 times 13,400; beyond that, scores are taken as sums of influences."""
_Parts = Sequence[tuple[Columns, Ints]]
"""For each label its rows and their units; one of them if there are no labels."""
LEAST_DRAWN = 8
"""With fewer units a correlation has no interval: percentiles contain the true one in 77 to 90% of samples of 5."""
FEW_FOR_SWAPS = 30
"""With fewer items, Williams' test decides on correlations, because swaps of standardised outputs are too liberal."""


@dataclass(frozen=True, eq=False)
class Values:
    """What a measure gives for one system: rows of numbers, for each item or for each item and label.

    Rows and labels depend on gold alone, so that they are the same for all systems.
    """

    unit: Ints
    """The sentence of gold of each row."""
    columns: Columns
    labels: tuple[str, ...] | None = None
    """The labels, if each is scored against the rest; the overall score is the mean over labels …"""
    label: Ints | None = None
    """… and the label of each row."""
    items: Items | None = None
    """The item of each row, to be shown with its grade; None if rows are not graded."""


def grade_items(values: Sequence[tuple[str, Values]], measure: Measure) -> list[tuple[str, Items]]:
    """The items of each system with their grades, none of them right or wrong; no tables if there are no items."""
    tables = []
    for name, own in values:
        if own.items is not None:
            score: Any = measure.scores[measure.main]
            grades: Any = {"grade": score.grade(own.columns)[None], "graded": score.grades}
            tables.append((name, replace(own.items, right=np.zeros_like(own.items.right), **grades)))
    return tables


@dataclass(frozen=True, eq=False)
class JointValues:
    """The values of all systems. They are all that is known of a score, and are as many as items."""

    systems: tuple[str, ...]
    units: int
    of_row: Ints
    """The unit of each row."""
    columns: Mapping[str, Floats]
    """Systems × rows."""
    labels: tuple[str, ...] | None = None
    label: Ints | None = None
    compares: bool = True
    """True if systems are compared, pair by pair."""
    unit: str = "sentence"
    names: tuple[str, ...] | None = None
    """The names of units that may have sentences in several shards, such as speakers."""
    blocks: Ints | None = None
    """The block of each unit; None if there is one shard, and its units are few."""
    ids: Ints | None = None
    """The hash of the id of each unit, in whose order units are drawn; None if they have none."""

    @classmethod
    def of(
        cls,
        values: Sequence[tuple[str, Values]],
        of_sentence: Ints,
        units: int,
        blocks: Callable[[], Ints],
        *,
        alone: bool = True,
        **more: Any,
    ) -> JointValues:
        """The values of each system by unit; rows of sentences with the unit NONE are left out."""
        first = values[0][1]
        whole = cls(
            systems=tuple(name for name, _ in values),
            units=units,
            of_row=of_sentence[first.unit],
            columns={name: np.stack([table.columns[name] for _, table in values]) for name in first.columns},
            labels=first.labels,
            label=first.label,
            blocks=blocks() if not alone or units > BLOCKS else None,
            **more,
        )
        return whole._take(whole.of_row != NONE)

    def losses(self, measure: Measure) -> dict[str, Floats]:
        """The error of each row in each system, or its score with the other sign."""
        score: Any = measure.scores[measure.main]
        sign = -1 if score.grades == "score" else 1
        columns = [{name: table[place] for name, table in self.columns.items()} for place in range(len(self.systems))]
        return {name: sign * score.grade(own) for name, own in zip(self.systems, columns, strict=True)}

    def _take(self, rows: Any) -> JointValues:
        """Some rows."""
        columns = {name: values[:, rows] for name, values in self.columns.items()}
        label = None if self.label is None else self.label[rows]
        return replace(self, of_row=self.of_row[rows], columns=columns, label=label)

    def with_nothing(self, others: JointValues) -> JointValues:
        """No values for the units of `others`."""
        nothing = self._take(slice(0))
        return replace(nothing, units=others.units, names=others.names, blocks=others.blocks, ids=others.ids)

    def __add__(self, other: JointValues) -> JointValues:
        """The values of two stretches of text, the first one on the left."""
        assert (self.systems, [*self.columns]) == (other.systems, [*other.columns]), "only like values can be added"
        units, names = self.units + other.units, self.names
        places: list[Ints] = [np.arange(self.units), self.units + np.arange(other.units)]
        blocks = None
        if self.blocks is not None and other.blocks is not None:
            blocks = np.concatenate([self.blocks, other.blocks])
        ids = None if self.ids is None or other.ids is None else np.concatenate([self.ids, other.ids])
        if self.names is not None and other.names is not None:
            known: dict[str, int] = {}
            places = [as_codes(own, known) for own in (self.names, other.names)]
            units, names = len(known), tuple(known)
            blocks = hash_blocks(names)
        codes: dict[str, int] = {}
        label = [
            as_codes(one.labels, codes)[one.label]
            for one in (self, other)
            if one.labels is not None and one.label is not None
        ]
        return replace(
            self,
            units=units,
            of_row=np.concatenate([place[one.of_row] for one, place in zip((self, other), places, strict=True)]),
            columns={name: np.hstack([rows, other.columns[name]]) for name, rows in self.columns.items()},
            labels=tuple(codes) if label else None,
            label=np.concatenate(label) if label else None,
            names=names,
            blocks=blocks,
            ids=ids,
        )


@dataclass(frozen=True, eq=False)
class _Order:
    """Rows of one or two systems in an order that depends on their values alone."""

    rows: Ints
    """The rows, those of a unit together."""
    unit: Ints
    """The place of the unit of each of these rows …"""
    units: Ints
    """… and the units in the order of their places."""
    content: bytes
    """What random streams depend on besides the seed."""
    turned: bool = False
    """True if the second system comes first."""


class _Sample:
    """The rows of one system on one score, label by label, with the unit of each."""

    def __init__(self, function: ValueScore, parts: _Parts) -> None:
        self.function, self.parts = function, parts

    def values(self) -> list[float]:
        """The score of each label."""
        return [float(self.function(columns)) if len(unit) else math.nan for columns, unit in self.parts]

    def defined(self) -> _Sample:
        """The sample with the labels whose score is defined; without labels the sample."""
        if len(self.parts) == 1:
            return self
        known = ~np.isnan(self.values())
        return _Sample(self.function, [part for part, is_known in zip(self.parts, known, strict=True) if is_known])

    def exchanged(self) -> _Parts:
        """The rows as tests exchange them."""
        return [(self.function.prepare(columns), unit) for columns, unit in self.parts]

    def bind(self) -> Weighted:
        """The score of each label as a function of weights of units."""
        bound = [(self.function.bind(columns), unit) for columns, unit in self.exchanged()]
        return lambda weights: np.stack([score(_rows_of(weights, unit)) for score, unit in bound])

    def bind_difference(self, other: _Sample) -> Weighted:
        """The other system's score minus this one's, as a function of the units that they exchange."""
        both = zip(self.exchanged(), other.exchanged(), strict=True)
        bound = [(self.function.bind_both(first, second), unit) for (first, unit), (second, _) in both]

        def subtract(moved: Floats) -> Floats:
            here, there = zip(*(scores(_rows_of(moved, unit)) for scores, unit in bound), strict=True)
            return np.asarray(_mean(np.stack(there)) - _mean(np.stack(here)))

        return subtract

    def influence(self, units: int) -> Floats:
        """The influence of each unit on the score."""
        parts = [np.bincount(unit, self.function.influence(columns), units) for columns, unit in self.parts]
        return np.asarray(sum(parts) / max(1, len(parts)))

    @property
    def items(self) -> float:
        """The largest number of independent items that a share may stand for."""
        return sum(self.function.count_items(columns) for columns, _ in self.parts) / max(1, len(self.parts))


class ValueScores(SystemScores):
    """Scores from values."""

    tallies: JointValues

    def __init__(
        self, measure: Measure, where: str | None, tallies: JointValues, settings: Settings, name: str = ""
    ) -> None:
        super().__init__(measure, where, tallies, settings, name)
        scores: Mapping[str, ValueScore] = measure.scores  # type: ignore[assignment]
        self.every = self.functions = {score: function.fit(tallies.columns) for score, function in scores.items()}
        self.tested = measure.tested
        self._orders: dict[tuple[str | int, ...], _Order] = {}
        self._resampled: dict[str, tuple[Floats, Floats]] = {}

    # --- rows ---

    def _order(self, name: str, *systems: int) -> _Order:
        """The rows of systems in a common order; of two, the one whose rows make the larger list is the first."""
        if (name, *systems) not in self._orders:
            of_row, units = self.tallies.of_row, self.tallies.units
            columns = [self._exchanged(name, system) for system in systems]
            found = [_hash_rows(columns), *([_hash_rows(columns[::-1])] if len(systems) == 2 else [])]
            keys = [np.zeros(units, dtype=np.uint64) for _ in found]
            for of_units, of_rows in zip(keys, found, strict=True):
                np.add.at(of_units, of_row, of_rows)
            listed = [np.sort(of_units).tobytes() for of_units in keys]
            turned = len(keys) == 2 and listed[1] > listed[0]
            by_key = np.argsort(keys[turned], kind="stable")
            place = np.empty(units, dtype=np.int64)
            place[by_key] = np.arange(units)
            # If each unit has one row, sorting units is enough.
            single = len(of_row) == units and bool((self._sizes == 1).all())
            rows = np.argsort(of_row)[by_key] if single else np.lexsort((found[turned], place[of_row]))
            self._orders[name, *systems] = _Order(rows, place[of_row][rows], by_key, listed[turned], turned)
        return self._orders[name, *systems]

    def _exchanged(self, name: str, system: int) -> list[Floats]:
        """The columns of a system as tests exchange them, so that a scale that changes no score changes no stream."""
        columns = {column: values[system] for column, values in self.tallies.columns.items()}
        function, codes = self.every[name], self.tallies.label
        if type(function).prepare is ValueScore.prepare:
            return list(columns.values())
        changed = {column: np.zeros(len(values)) for column, values in columns.items()}
        for code in range(max(1, len(self.labels))):
            rows: Any = slice(None) if codes is None else codes == code
            own = {column: values[rows] for column, values in columns.items()}
            for column, values in function.prepare(own).items():
                changed[column][rows] = values
        return [np.round(values, 7) for values in changed.values()]

    def _sample(self, name: str, system: int, order: _Order, label: int | None = None) -> _Sample:
        """The rows of a system in an order, of all labels or of one."""
        codes = self.tallies.label
        masks: list[Any] = [slice(None)]
        if codes is not None:
            masks = [codes[order.rows] == code for code in (range(len(self.labels)) if label is None else [label])]
        parts = []
        for mask in masks:
            rows = order.rows[mask]
            columns = {column: values[system, rows] for column, values in self.tallies.columns.items()}
            parts.append((columns, order.unit[mask]))
        return _Sample(self.every[name], parts)

    @cached_property
    def _sizes(self) -> Ints:
        """The number of rows of each unit."""
        return np.bincount(self.tallies.of_row, minlength=self.tallies.units)

    # --- scores ---

    def counts_rows(self) -> Iterator[CountsRow]:
        """The numbers of items, overall and by label; of labels also how many items gold gives each."""
        codes, every = self.tallies.label, len(self.labels)
        rows: list[tuple[str | None, dict[str, int]]] = [(None, {"items": len(self.tallies.of_row)})]
        if codes is not None:
            items = np.bincount(codes, minlength=every).tolist()
            gold = np.bincount(codes, self.tallies.columns["right"][0], minlength=every).astype(np.int64).tolist()
            by_label = zip(self.labels, items, gold, strict=True)
            rows = [(None, {"items": max(items, default=0)})]
            rows += [(label, {"items": own, "gold": right}) for label, own, right in by_label]
        for system in self.systems:
            for label, counts in rows:
                yield CountsRow(system, self.name, label, self.slice, counts)

    @cached_property
    def _by_label(self) -> dict[str, Floats]:
        """Each score: systems × labels; a single column if there are no labels."""
        numbers = range(len(self.systems))
        return {
            name: np.array([self._sample(name, number, self._order(name, number)).values() for number in numbers])
            for name in self.every
        }

    def _values(self, name: str, label: int | None) -> Floats:
        """A score of each system, overall (the mean over the labels that have one) or for a label."""
        values = self._by_label[name]
        return _mean(values.T) if label is None else values[:, label]

    def _spread(self, name: str, system: int, label: int | None, value: float, labels: bool) -> dict[str, Any]:
        """The interval of a score, its variance over units and the degrees of freedom."""
        function, units, asked = self.every[name], self.tallies.units, self.settings.interval
        unknown = {"low": math.nan, "high": math.nan}
        if math.isnan(value) or not asked or units < 2:
            return unknown
        order = self._order(name, system)
        sample = self._sample(name, system, order, label).defined()
        variance, df = find_variance(self._changes(sample, order), np.ones(units)), self.degrees(name, [system])
        spread = {"variance": variance, "df": df}
        own = function.find_ends(sample.parts[0][0]) if len(sample.parts) == 1 else None
        if own is not None:
            return {**spread, "low": own[0], "high": own[1], "interval": "own"}
        kind = function.interval if asked == "score" else "percentile"
        if kind == "percentile" and self._is_drawn(function):
            overall, by_label = self._resample(name)
            low, high = intervals.percentile(overall[system] if label is None else by_label[system, label])
            if units < LEAST_DRAWN or low == high:
                low = high = math.nan
        elif kind == "score":
            effective = min(sample.items, intervals.effective_items(value, variance, sample.items))
            low, high = intervals.score_interval(value, effective, df + 1)
        else:
            kind = "t"
            low, high = function.of_ends(*intervals.t_interval(value, variance, df + 1))
            low, high = max(low, function.low), min(high, function.high)
        return {**spread, "low": low, "high": high, "interval": "" if math.isnan(low) else kind}

    def _changes(self, sample: _Sample, order: _Order) -> Floats:
        """The influence of each unit on a score, for groups of sentences the change if it is left out."""
        changes = sample.influence(self.tallies.units)
        if self.clusters:
            rows = self._sizes[order.units]
            changes = changes * ratio(np.full(len(rows), float(rows.sum())), (rows.sum() - rows).astype(np.float64))
        return np.nan_to_num(changes)

    def _is_drawn(self, function: ValueScore, times: int = 1) -> bool:
        """True if rows, several times, are few enough to resample them."""
        rows = times * len(self.tallies.of_row)
        return rows * self.settings.times <= MOST_DRAWN and rows <= function.most_rows

    def _resample(self, name: str) -> tuple[Floats, Floats]:
        """A score of each system, overall and by label, in the same resamples of the units for all systems: systems ×
        resamples, and systems × labels × resamples."""
        if name not in self._resampled:
            units, ids = self.tallies.units, self.tallies.ids
            by_id = np.arange(units) if ids is None else np.argsort(ids, kind="stable")
            place = np.argsort(by_id)[self.tallies.of_row]
            rows = np.argsort(place, kind="stable")
            order = _Order(rows, place[rows], by_id, b"")
            samples = [self._sample(name, system, order) for system in range(len(self.systems))]
            is_defined = ~np.isnan([sample.values() for sample in samples])
            bound = [sample.bind() for sample in samples]
            rng = generator(self.settings.seed, f"{BOOTSTRAP}\n{units}")
            drawn = bootstrap_weights(units, self.settings.times, rng, len(rows))
            chunks = []
            for weights in drawn:
                columns = np.ascontiguousarray(weights.T, dtype=np.float64)
                chunks.append(np.stack([score(columns) for score in bound]))
            by_label = np.concatenate(chunks, axis=2)
            overall = [_mean(values[known]) for values, known in zip(by_label, is_defined, strict=True)]
            self._resampled[name] = np.stack(overall), by_label
        return self._resampled[name]

    def linear_values(self, name: str, systems: Sequence[int]) -> tuple[list[Floats], Array]:
        """The contributions of units to the score of each system, in a common order, and the size of each row."""
        order = self._order(name, *systems)
        changes = [self._changes(self._sample(name, system, order).defined(), order) for system in systems]
        return changes, np.ones(len(changes[0]))

    def degrees(self, name: str, systems: Sequence[int]) -> float:
        """The degrees of freedom of a variance over units, fewer for documents with different sizes."""
        if not self.clusters:
            return self.tallies.units - 1.0
        sizes = self._sizes.astype(np.float64)
        return max(1.0, float(sizes.sum()) ** 2 / float(sizes @ sizes) - 1) if sizes.any() else 1.0

    # --- comparisons ---

    def _compare(self, a: int, b: int, few: bool) -> Iterator[Comparison]:
        """The test of two systems on each tested score."""
        for name in self.tested:
            order = self._order(name, a, b)
            function, observed = self.every[name], self.values(name)
            difference = float(observed[b] - observed[a])
            variance, df, ends, skewed = math.nan, math.nan, (math.nan, math.nan, ""), False
            pair = (b, a) if order.turned else (a, b)
            whole = [self._sample(name, system, order) for system in pair]
            samples, differing = [one.defined() for one in whole], self._differing(*(one.parts for one in whole))
            if not math.isnan(difference) and self.tallies.units > 1 and self.settings.interval:
                first, second = (self._changes(sample, order) for sample in samples)
                variance, df = find_variance(second - first, np.ones(len(first))), self.degrees(name, pair)
                skewed = is_skewed(second - first, np.ones(len(first)))
                ends = self._difference_interval(name, pair, difference * (-1 if order.turned else 1), variance, df)
                ends = (-ends[1], -ends[0], ends[2]) if order.turned else ends
            outcome, power = self._test(samples, order, difference, ends[:2], int(differing.sum()))
            more, p = {}, None
            if outcome.units and not math.isnan(difference) and not self.clusters and not self.labels:
                p = function.compare(*(sample.parts[0][0] for sample in samples))
            if p is not None:
                more = {"p_williams": p}
                if len(order.rows) < FEW_FOR_SWAPS:
                    more["p_shuffling"], power = outcome.p, None
                    outcome = Shuffling(p, p, p, outcome.units, "williams", math.log10(p) if p else None, None)
            found = (difference, ends, outcome, (variance, df))
            yield self._make_row(a, b, name, found, few, power=power, is_skewed=skewed, **more)

    def _difference_interval(
        self, name: str, pair: tuple[int, int], difference: float, variance: float, df: float
    ) -> tuple[float, float, str]:
        """The interval of a difference, the second of a pair minus the first: both ends and the kind."""
        function = self.every[name]
        kind = function.interval if self.settings.interval == "score" else "percentile"
        if kind == "percentile" and self._is_drawn(function):
            overall, _ = self._resample(name)
            low, high = intervals.percentile(overall[pair[1]] - overall[pair[0]])
        else:
            kind, widest = "t", function.high - function.low
            low, high = intervals.t_interval(difference, variance, df + 1, -widest, widest)
        return low, high, "" if math.isnan(low) else kind

    def _test(
        self, samples: Sequence[_Sample], order: _Order, difference: float, ends: tuple[float, float], number: int
    ) -> tuple[Shuffling, Power | None]:
        """The test of two systems, which exchanges their answers unit by unit, and its power; `number` of units
        differ."""
        units, function = self.tallies.units, samples[0].function
        if math.isnan(difference) or not number:
            p = math.nan if number else 1.0
            return Shuffling(p, p, p, number, "enumerated", None, None), None
        content = b"\n" + order.content
        linear = isinstance(function, Moments) and len(samples[0].parts) == 1
        if not linear and self._is_drawn(function, 2):
            places = np.flatnonzero(self._differing(*(sample.exchanged() for sample in samples)))
            score = samples[0].bind_difference(samples[1])

            def subtract(moved: Floats) -> Floats:
                every = np.zeros((units, moved.shape[1]))
                every[places] = moved
                return score(every)

            rng = generator(self.settings.seed, SHUFFLING.encode() + content)
            first, second = (sample.influence(units) for sample in samples)
            change = difference * (-1 if order.turned else 1) * self._sizes[order.units] / self._sizes.sum()
            shares = (second - first + change)[places]
            outcome = swap_test(subtract, len(places), self.settings.times, rng, 2 * len(order.rows), shares)
            return replace(outcome, units=number), None
        tables: list[Floats] = []
        for sample, value in zip(samples, (0.0, difference * (-1 if order.turned else 1)), strict=True):
            if linear:
                assert isinstance(function, Moments)
                ((columns, unit),) = sample.exchanged()
                tables.append(_sum_rows(function.features(columns), unit, units))
            else:
                # The parts of the score that units have, which add up to the difference.
                tables.append(
                    (sample.influence(units) + value * self._sizes[order.units] / self._sizes.sum())[:, None]
                )
        sums, rows = [table.sum(axis=0) for table in tables], tables[0] - tables[1]
        if units > BLOCKS:
            self.pooled = True
            assert self.tallies.blocks is not None
            rows = _sum_rows(rows, self.tallies.blocks[order.units], BLOCKS)
        rows = rows[rows.any(axis=1)]
        fields = tuple(map(str, range(rows.shape[1])))
        sizes, places = np.ones(len(rows), dtype=np.int64), np.arange(len(fields))
        of_rows = (rows, sizes, places, number, str(self.measure), fields, False, content, order.turned)
        exchange = Exchange(sums[0], sums[1], *of_rows)
        chance = self.settings.power if self.slice is None else None

        def score_of(sums: Sums) -> Floats:
            if isinstance(function, Moments) and linear:
                return function.of_sums(np.stack([sums[field] for field in fields], axis=-1))
            return sums[fields[0]]

        return test_exchange(exchange, score_of, self.settings, chance, units, ends)

    def _differing(self, first: _Parts, second: _Parts) -> Bools:
        """Mask of the units in which two systems have other values."""
        differs = np.zeros(self.tallies.units, dtype=bool)
        for (columns, unit), (others, _) in zip(first, second, strict=True):
            for name, values in columns.items():
                differs[unit[values != others[name]]] = True
        return differs


def make_scores(
    measure: Measure, where: str | None, counts: JointCounts | JointValues, settings: Settings
) -> SystemScores:
    """The scores of a measure, from counts or from values."""
    if isinstance(counts, JointValues):
        return ValueScores(measure, where, counts, settings)
    return MeasureScores(measure, where, counts, settings)


def _hash_rows(columns: Sequence[Sequence[Floats]]) -> Array:
    """A hash of the values of each row, of one system after the other (by SplitMix64)."""
    keys = np.zeros(len(columns[0][0]), dtype=np.uint64)
    for values in (values for own in columns for values in own):
        # There is one zero.
        keys += (values + 0.0).view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
        keys ^= keys >> np.uint64(31)
    return keys


def _sum_rows(table: Floats, place: Ints, number: int) -> Floats:
    """The sums of the rows at each of a number of places."""
    return np.stack([np.bincount(place, column, number) for column in table.T], axis=1)


def _rows_of(numbers: Floats, unit: Ints) -> Floats:
    """The numbers of the unit of each row."""
    return numbers if np.array_equal(unit, np.arange(len(numbers))) else numbers[unit]


def _mean(values: Floats) -> Floats:
    """The mean over the first axis of what is defined."""
    if len(values) == 1:
        return np.asarray(values[0])
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0.0).sum(axis=0), known.sum(axis=0).astype(np.float64))
