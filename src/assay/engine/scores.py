"""Scores with intervals and tests of systems, from the counts of any measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import Array, Bools, Floats, Ints, ratio
from assay.classes import dataclass
from assay.engine.counts import (
    BLOCKS,
    FEW_CLUSTERS,
    FEW_DIFFERING,
    FEW_UNITS,
    DistinctRows,
    JointCounts,
    Sums,
    as_sums,
)
from assay.engine.items import ONE
from assay.engine.measure import ByFields, Macro, Measure, Proportion, Ratio, f1, recall
from assay.engine.measure import Score as ScoreFunction
from assay.result import Comparison, CountsRow, Power, Score
from assay.result.grammar import ALPHA
from assay.stats import intervals
from assay.stats.power import find_detectable
from assay.stats.resample import CHUNK_NUMBERS, bootstrap_sums, bootstrap_weights
from assay.stats.significance import Shuffling, shuffling_test, shuffling_tests, tilted_test
from assay.stats.streams import BOOTSTRAP, SHUFFLING, generator, is_less, rows_text, stream_of
from assay.stats.tails import Difference

MOST_NUMBERS = 1 << 27
"""The most resampled scores of labels."""
HELD_NUMBERS = 1 << 24
"""The most resampled scores of labels in memory at a time: 64 MB."""
MOST_MAPPED = 4000
"""The largest number of resamples that a map of weights is made of."""
FEW_ITEMS = 10
"""With fewer items of a label (gold and system), the interval of a plain mean over labels is too short."""
MOST_FIELDS = 512
"""With more counts per unit, as in an average over very many labels, power is not computed."""
_LEAST_ONE_WAY = 50
"""With fewer units that all go one way, or a skewness like theirs, tests against a margin err too often (7–20%)."""
_STEP = 1e-4
"""Gradients are differences over this share of a count, but at least one item."""
_Ends = tuple[float, float, str]
"""Both ends of an interval, and its kind."""
_Found = tuple[float, _Ends, Shuffling, tuple[float, float]]
"""A difference, its interval, the outcome of its test, and its variance with the degrees of freedom."""
_Spread = dict[str, Any]
"""Fields of a Score: its interval, its variance and the number of its effective items."""
_UNKNOWN: _Spread = {"low": math.nan, "high": math.nan}


@dataclass(frozen=True)
class Settings:
    """Seed, number of resamples and kind of interval."""

    seed: int
    times: int
    interval: str
    """The kind of interval that the user chose; no intervals if empty."""
    power: float | None = 0.8
    """The probability with which a difference is to be found; None if the power of tests is not reported."""
    alpha: float = ALPHA
    """The level of a test; for several tests, that of the first step of Holm's correction."""
    baseline: str | None = None
    """The system that all others are tested against; None if all pairs are tested."""
    keeps_evidence: bool = False
    """True if comparisons keep the counts that a test over several data sets needs."""
    planned: Mapping[str, Sequence[float]] | None = None
    """By measure the differences for which the number of units is planned."""

    def rng(self, purpose: str) -> np.random.Generator:
        """Random generator for a purpose that depends on no counts."""
        return generator(self.seed, purpose)


@dataclass(frozen=True, eq=False)
class Exchange:
    """The counts of two systems that a test of a score exchanges unit by unit.

    Which system is the first depends only on the counts, so that both orders give the same digits.
    """

    a: Floats
    """The summed counts of the first system."""
    b: Floats
    """The summed counts of the second system."""
    rows: Any
    """The distinct differences of units (or blocks of them), first minus second, dense or sparse."""
    sizes: Ints
    """The number of units with each difference."""
    places: Ints
    """The places of the counts that differ."""
    units: int
    """The number of units in which the systems differ."""
    measure: str
    fields: tuple[str, ...]
    labelled: bool
    """True if each label has these fields."""
    content: bytes
    """What random streams depend on besides the seed."""
    turned: bool
    """True if the first system is B."""

    def swaps(self, function: ScoreFunction) -> tuple[Floats, Floats, Any, Ints, Difference]:
        """Arguments of tests: the differing counts of both systems, the rows and their sizes, and a function from
        other values of these counts to the difference of a score, second minus first."""

        def difference(*parts: Floats) -> Floats:
            if isinstance(function, Ratio) and not self.labelled and parts[0].shape == self.a.shape:
                # The usual case, thousands of times for each pair: one call for both systems.
                both = function(as_sums(np.stack(parts), self.fields))
                return np.asarray(both[1] - both[0])
            scores = []
            for counts, part in zip((self.a, self.b), parts, strict=True):
                whole = part
                if len(self.places) < len(counts):
                    whole = np.broadcast_to(counts, (*part.shape[:-1], len(counts))).copy()
                    whole[..., self.places] = part
                shape = (*whole.shape[:-1], -1, len(self.fields)) if self.labelled else whole.shape
                scores.append(function(as_sums(whole.reshape(shape), self.fields)))
            return np.asarray(scores[1] - scores[0])

        return self.a[self.places], self.b[self.places], self.rows, self.sizes, difference

    def amounts(self, function: ScoreFunction) -> Ints | None:
        """A whole number for each row, proportional to its part of the difference.

        None if the systems have different denominators in a unit.
        """
        if self.labelled or not isinstance(function, Ratio):
            return None
        sums = as_sums(self.rows, self.fields)
        parts = np.asarray(function.part(sums)) * ONE
        if np.any(function.total(sums)) or np.any(parts != np.rint(parts)):
            return None
        return parts.astype(np.int64)


class SystemScores:
    """One measure over one selection of the data, for all systems, from counts or from values."""

    functions: Mapping[str, Any]
    """The scores that labels have too, by name."""
    every: Mapping[str, Any]
    """All scores and averages, by name."""
    tested: Sequence[str]
    """The scores on which systems are compared."""

    def __init__(self, measure: Measure, where: str | None, tallies: Any, settings: Settings, name: str = "") -> None:
        self.name = name or str(measure)
        """The name of the measure in rows."""
        self.measure, self.slice, self.tallies, self.settings = measure, where, tallies, settings
        self.systems, self.labels = tallies.systems, tallies.labels or ()
        self.clusters = tallies.unit != "sentence"
        """True if units are groups of sentences, which may differ much in size."""
        self.pooled = False
        """True if blocks of units were resampled instead of units."""

    def scores(self, *, labels: bool = True, names: Sequence[str] = ()) -> Iterator[Score]:
        """All scores (or those in `names`) with their intervals, overall scores first."""
        places: list[tuple[int | None, str | None]] = [(None, None)]
        places += [*enumerate(self.labels)] if labels else []
        for place, label in places:
            for number, system in enumerate(self.systems):
                for name in names or (self.every if label is None else self.functions):
                    value = float(self._values(name, place)[number])
                    row = (system, self.name, name, label, self.slice, value)
                    spread = {**self._spread(name, number, place, value, labels), **self._direction(name)}
                    yield Score(*row, main=name == self.measure.main, **spread)

    def values(self, name: str, label: str | None = None) -> Floats:
        """A score of each system, overall or for a label."""
        return self._values(name, None if label is None else self.labels.index(label))

    def comparisons(self) -> Iterator[Comparison]:
        """The test of every pair of systems on each tested score."""
        # With few units, or few that differ, the interval of a difference is too short.
        few = self.tallies.units < (FEW_CLUSTERS if self.clusters else FEW_UNITS)
        for a, b in self.pairs:
            yield from self._compare(a, b, few)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of systems that are tested."""
        baseline, systems = self.settings.baseline, self.systems
        pairs = combinations(range(len(systems)), 2)
        return [(a, b) for a, b in pairs if baseline in (None, systems[a], systems[b])]

    def standard_error(self, name: str, system: int) -> float:
        """The standard error of an overall score, to first order, by the variance over units."""
        (values,), sizes = self.linear_values(name, [system])
        return math.sqrt(find_variance(values, sizes))

    def counts_rows(self) -> Iterator[CountsRow]:
        """The counts from which scores are computed, overall and by label."""
        raise NotImplementedError

    def linear_values(self, name: str, systems: Sequence[int]) -> tuple[list[Floats], Array]:
        """The contributions of units to the score of each system, in a common order, and the size of each row."""
        raise NotImplementedError

    def degrees(self, name: str, systems: Sequence[int]) -> float:
        """The degrees of freedom of a variance over units, fewer for documents with different sizes."""
        raise NotImplementedError

    def _values(self, name: str, label: int | None) -> Floats:
        raise NotImplementedError

    def _spread(self, name: str, system: int, label: int | None, value: float, labels: bool) -> _Spread:
        raise NotImplementedError

    def _compare(self, a: int, b: int, few: bool) -> Iterator[Comparison]:
        raise NotImplementedError

    def _make_row(self, a: int, b: int, name: str, found: _Found, few: bool, **more: Any) -> Comparison:
        """The comparison of two systems on a score, from what `make_comparison` takes."""
        systems, what = (self.systems[a], self.systems[b]), (self.name, name, self.slice)
        least, most = score_limits(self.every[name])
        more |= {**self._direction(name), "widest": most - least, "few": few or found[2].units < FEW_DIFFERING}
        return make_comparison(systems, what, *found, **more)

    def _direction(self, name: str) -> dict[str, Any]:
        function = self.every[name]
        return {"lower": bool(getattr(function, "lower", False)), "judged": getattr(function, "judged", True)}


class MeasureScores(SystemScores):
    """Scores from counts."""

    tallies: JointCounts

    def __init__(
        self, measure: Measure, where: str | None, tallies: JointCounts, settings: Settings, name: str = ""
    ) -> None:
        super().__init__(measure, where, tallies, settings, name)
        self.fields, self.by_label = tallies.fields, tallies.by_label is not None
        self.functions = {
            name: score.of(self.fields) if isinstance(score, ByFields) else score
            for name, score in measure.scores.items()
        }
        self.averages = dict(measure.averages) if self.by_label else {}
        self.every = {**self.functions, **self.averages}
        self.tested = [name for name in measure.tested if name in self.every]
        self.totals = [total if tallies.labels is None else total.sum(axis=0) for total in tallies.totals]
        self._read = [self.fields.index(field) for field in tallies.read]
        """The places of the fields that scores read."""
        self._left_out: dict[tuple[str, int], Floats] = {}
        self._resampled: dict[bool, tuple[list[dict[str, Floats]], dict[str, tuple[Floats, Bools]]]] = {}

    # --- scores ---

    def counts_rows(self) -> Iterator[CountsRow]:
        """The counts from which scores are computed, overall and by label."""
        for index, system in enumerate(self.systems):
            by_label = zip(self.labels, self.tallies.totals[index], strict=True) if self.labels else ()
            for label, row in [(None, self.totals[index]), *by_label]:
                named = dict(zip(self.fields, row.tolist(), strict=True))
                yield CountsRow(system, self.name, label, self.slice, named)

    @cached_property
    def _observed_by_label(self) -> dict[str, Floats]:
        """Each score of each system and label."""
        sums = as_sums(np.stack(self.tallies.totals), self.fields)
        return {name: function(sums) for name, function in self.functions.items()}

    @cached_property
    def _observed(self) -> dict[str, Floats]:
        """Each score of each system."""
        overall = as_sums(np.stack(self.totals), self.fields)
        values = {name: function(overall) for name, function in self.functions.items()}
        for name, function in self.averages.items():
            values[name] = np.array([float(function(as_sums(total, self.fields))) for total in self.tallies.totals])
        return values

    def _spread(self, name: str, system: int, label: int | None, value: float, labels: bool) -> _Spread:
        """The interval of a score, of the kind in the settings, and its variance over units.

        `labels` is True if scores of labels are shown too.
        """
        asked, units, spread = self.settings.interval, self.tallies.units, _UNKNOWN
        if np.isnan(value) or not asked:
            return spread
        if units > 1:
            spread = (
                self._label_spreads[name][system][label] if label is not None else self._overall_spread(name, system)
            )
        if asked == "score":
            return spread
        spread = {**spread, "assumed": False}
        if asked == "wilson":
            sums = as_sums(self.totals[system] if label is None else self.tallies.totals[system][label], self.fields)
            read = sums if label is not None else {field: sums[field] for field in self.tallies.read}
            function = _as_proportion(self.every[name], read)
            if isinstance(function, Proportion):
                low, high = intervals.wilson(value * (total := float(function.total(read))), total)
                return {**spread, "low": low, "high": high, "interval": "wilson"}
        if units < 2:
            # All resamples of a single unit are equal.
            return spread
        corrected, kind = None, "percentile"
        replicates, label_ends = self._resample(labels)
        if label is not None:
            ends, improved = label_ends[name]
            (low, high), kind = ends[system, label].tolist(), "bca" if improved[system, label] else kind
        else:
            values = replicates[system][name]
            if asked == "bca" and name in self.functions:
                collapsed = self._rows_to_draw(system)
                left_out = as_sums(collapsed.sizes @ collapsed.rows - collapsed.rows, self.tallies.read)
                corrected = intervals.bca(value, values, self.functions[name](left_out), collapsed.sizes)
            (low, high), kind = (corrected, "bca") if corrected else (intervals.percentile(values), kind)
        return {**spread, "low": low, "high": high, "interval": "" if math.isnan(low) else kind}

    # --- intervals from the variance over units ---

    def _overall_spread(self, name: str, system: int) -> _Spread:
        """The interval of an overall score, without resampling."""
        # Rows are read only once, which is cheap even if all units differ.
        collapsed = self.tallies.rows(system) or self.tallies.block_rows(system)
        if name in self.functions:
            totals = np.asarray(self.totals[system][self._read], dtype=np.float64)
            function = _as_proportion(self.functions[name], as_sums(totals, self.tallies.read))
            of_all = np.zeros(len(collapsed.rows), dtype=np.int64)
            return self._spreads(function, collapsed, of_all, totals[None], float(collapsed.sizes.sum()))[0]
        function, value = self.averages[name], float(self._observed[name][system])
        (change,), sizes = self.linear_values(name, [system])
        variance = find_variance(change, sizes, centred=False)
        present = float(collapsed.sizes[collapsed.rows.any(axis=1)].sum())
        effective = intervals.effective_items(value, variance, present)
        spread = self._ends(function, value, value, variance, effective, self.degrees(name, [system]))
        if isinstance(function, Macro):
            sums = as_sums(self.tallies.totals[system], self.fields)
            rare = np.flatnonzero(function.counts(sums) & (function.items(sums) < FEW_ITEMS)).tolist()
            spread["too_short"] = tuple(self.labels[label] for label in rare)
        return spread

    def _ends(
        self, function: ScoreFunction, value: float, share: float, variance: float, effective: float, df: float
    ) -> _Spread:
        """The interval of a score by the effective number of items or, if the score is not a share, by t."""
        low, high = score_limits(function)
        if (low, high) == (0, 1) and 0 <= value <= 1:
            (low, high), kind = intervals.score_interval(share, effective, df + 1), "score"
            if isinstance(function, Ratio):
                variance *= function.of_share(share)[1] ** 2
                low, high = function.of_share(low)[0], function.of_share(high)[0]
        else:
            (low, high), kind = intervals.t_interval(value, variance, df + 1, low, high), "t"
        interval = "" if math.isnan(low) else kind
        return {"low": low, "high": high, "interval": interval, "variance": variance, "df": df}

    def _spreads(
        self, function: ScoreFunction, collapsed: DistinctRows, of_label: Ints, totals: Floats, draws: float
    ) -> list[_Spread]:
        """The interval of the score of each label, from rows of counts, their labels, and totals by label.

        `draws` is the number of units or blocks; units without a label need no row for it.
        """
        fields, number, units = self.tallies.read, len(totals), self.tallies.units
        rows, sizes, ones = collapsed.rows, collapsed.sizes, np.ones(len(collapsed.rows))

        def add_up(values: Array, where: Any = slice(None)) -> Floats:
            return np.asarray(np.bincount(of_label[where], (sizes * values)[where], number), dtype=np.float64)

        sums, whole = as_sums(rows, fields), as_sums(totals, fields)
        value, there = function(whole), rows.any(axis=1)
        items, rarer = np.full(number, math.inf), np.full(number, math.inf)
        if isinstance(function, Ratio):
            right, weight = function.items(sums)
            all_right, all_items = function.items(whole)
            share, there = ratio(all_right, all_items), np.asarray(weight > 0)
            # For documents: the change if one is left out.
            values = ratio(right - share[of_label] * weight, all_items[of_label] - weight * self.clusters)
            if function.of_items:
                items, rarer = all_items, np.minimum(add_up(ones, weight > right), add_up(ones, right > 0))
        else:
            share, weight = value, _unit_sizes(rows, totals[of_label])
            if self.clusters:
                values = value[of_label] - function(as_sums(totals[of_label] - rows, fields))
            else:
                values = (rows * find_gradient(function, totals, fields)[of_label]).sum(axis=1)
        values = _zero_undefined(values)
        variance = add_up(values**2) * (draws - 1) / draws
        if not self.clusters:
            variance = np.maximum(add_up(values**2) - add_up(values) ** 2 / draws, 0.0) * draws / max(1.0, draws - 1)
        present = add_up(ones, there)
        if draws < units:
            # A block has the items of several units.
            present = np.where(np.isfinite(items), np.maximum(present, np.minimum(items, units)), present)
        degrees = np.full(number, units - 1.0)
        steady = float(intervals.STEADY)
        if self.clusters:
            steady = min(steady, units)
            degrees = np.maximum(1.0, ratio(add_up(weight) ** 2, add_up(weight**2)) - 1)
        spreads = [_UNKNOWN] * number
        for label in np.flatnonzero(~np.isnan(value)).tolist():
            right_share, v, most = float(share[label]), float(variance[label]), float(items[label])
            effective = intervals.effective_items(
                right_share, v, float(present[label]), most, float(rarer[label]), steady
            )
            spread = self._ends(function, float(value[label]), right_share, v, effective, float(degrees[label]))
            if math.isfinite(most):
                design = most / effective
                assumed = right_share in (0, 1) and design > 1
                inner = (effective * right_share + 0.5) / (effective + 1)
                assert isinstance(function, Ratio)
                score, slope = function.of_share(inner)
                spread |= {"effective_items": effective, "design_effect": design, "assumed": assumed}
                spread["shrunk"] = (score, slope**2 * inner * (1 - inner) / effective)
            spreads[label] = spread
        return spreads

    @cached_property
    def _label_spreads(self) -> dict[str, list[list[_Spread]]]:
        """The interval of each score, for each system and label, without resampling."""
        spreads: dict[str, list[list[_Spread]]] = {name: [] for name in self.functions}
        draws = float(self.tallies.drawn_by_label)
        for counts, totals in zip(self.tallies.labelled(), self.tallies.totals, strict=True):
            assert counts.label is not None
            # Distinct rows in canonical order: the label, then the counts that scores read.
            sizes = None if self.tallies.drawn is None else self.tallies.drawn.sizes[counts.unit]
            label = counts.label.astype(np.int64)
            table = DistinctRows.of(np.column_stack([label, counts.values[:, self._read]]), sizes)
            rows = DistinctRows(table.rows[:, 1:], table.sizes)
            sums = totals[:, self._read].astype(np.float64)
            for name, function in self.functions.items():
                spreads[name].append(self._spreads(function, rows, table.rows[:, 0], sums, draws))
        return spreads

    def _values(self, name: str, label: int | None) -> Floats:
        return self._observed[name] if label is None else np.asarray(self._observed_by_label[name][:, label])

    def linear_values(self, name: str, systems: Sequence[int]) -> tuple[list[Floats], Array]:
        """The contributions of units to the score of each system, in a common order, and the size of each row."""
        if name in self.averages:
            tables, sizes = self._rows_by_label(systems)
            pairs = zip(systems, tables, strict=True)
            return [self._left_out_units(name, index, table) for index, table in pairs], sizes
        collapsed = self.tallies.rows(*systems) or self.tallies.block_rows(*systems)
        parts = zip(systems, np.split(collapsed.rows, len(systems), axis=1), strict=True)
        if not self.clusters:
            return [self._contributions(name, part, index) for index, part in parts], collapsed.sizes
        # For documents: the change if one is left out.
        number, values = float(collapsed.sizes.sum()), []
        for index, part in parts:
            left = as_sums(self.totals[index][self._read].astype(np.float64) - part, self.tallies.read)
            change = _zero_undefined(self._observed[name][index] - self.functions[name](left))
            values.append(change * (number - 1) / number)
        return values, collapsed.sizes

    def degrees(self, name: str, systems: Sequence[int]) -> float:
        """The degrees of freedom of a variance over units, fewer for documents with different sizes."""
        if not self.clusters:
            return self.tallies.units - 1.0
        weight, sizes = self._unit_weights(name, systems)
        square = math.fsum((sizes * weight**2).tolist())
        return max(1.0, math.fsum((sizes * weight).tolist()) ** 2 / square - 1) if square else 1.0

    def _unit_weights(self, name: str, systems: Sequence[int]) -> tuple[Floats, Array]:
        """The weight of each distinct unit in a score, and the number of units with these counts."""
        collapsed = self.tallies.rows(*systems) or self.tallies.block_rows(*systems)
        function = self.functions.get(name)
        if isinstance(function, Ratio):
            parts = np.split(collapsed.rows, len(systems), axis=1)
            totals = [function.total(as_sums(part, self.tallies.read)) for part in parts]
            return np.asarray(sum(totals)), collapsed.sizes
        weight = _unit_sizes(collapsed.rows, collapsed.sizes @ collapsed.rows.astype(np.float64))
        return weight, collapsed.sizes

    def _largest_effect(self, name: str, systems: Sequence[int]) -> float:
        """The largest part of a difference that one unit can be, times the number of units; nan if unknown."""
        weight, sizes = self._unit_weights(name, systems)
        total, (least, most) = float(sizes @ weight), score_limits(self.every[name])
        return float(weight.max()) * float(sizes.sum()) / total * (most - least) if total else math.nan

    def standard_error(self, name: str, system: int) -> float:
        """The standard error of an overall score, to first order, by the variance over units."""
        if name in self.averages:
            return super().standard_error(name, system)
        collapsed = self.tallies.rows(system) or self.tallies.block_rows(system)
        return math.sqrt(find_variance(self._contributions(name, collapsed.rows, system), collapsed.sizes))

    def _contributions(self, name: str, rows: Any, system: int) -> Floats:
        """The contribution of each row of a system to a score, to first order and up to a constant."""
        totals = self.totals[system]
        if isinstance(function := self.functions[name], Ratio):
            part, total = function.part, function.total
            sums, whole = as_sums(rows, self.tallies.read), as_sums(totals, self.fields)
            return np.asarray((part(sums) - function(whole) * total(sums)) / total(whole))
        counts = np.asarray(totals[self._read], dtype=np.float64)[None]
        return np.asarray(rows @ find_gradient(function, counts, self.tallies.read)[0])

    def _left_out_units(self, name: str, system: int, table: Any) -> Floats:
        """The change of an average over labels if each row of a system's table is left out."""
        key = (name, system)
        if key not in self._left_out or self.tallies.drawn is not None:
            function, changes = self.averages[name], np.empty(table.shape[0])
            totals = self.tallies.totals[system][:, self._is_read_by_label].astype(np.float64)
            step = max(1, CHUNK_NUMBERS // max(1, totals.size))
            for first in range(0, len(changes), step):
                chunk = _dense(table[first : first + step])
                left = totals - chunk.reshape(len(chunk), *totals.shape)
                scores = function(as_sums(left, self._read_by_label))
                changes[first : first + step] = self._observed[name][system] - scores
            drawn = self.tallies.drawn_by_label
            self._left_out[key] = _zero_undefined(changes) * ((drawn - 1) / drawn)
        return self._left_out[key]

    # --- resampling ---

    def _rows_to_draw(self, *systems: int) -> DistinctRows:
        """The rows of systems that are resampled: distinct units, or blocks."""
        rows = None if self.tallies.needs_blocks(*systems) else self.tallies.rows(*systems)
        if rows is not None:
            return rows
        self.pooled = True
        return self.tallies.block_rows(*systems)

    def _resampled_sums(self, systems: Sequence[int], most: int | None = None) -> list[dict[str, Floats]]:
        """The counts that scores read in each resample, for each of the systems, whose rows are drawn together."""
        collapsed = self._rows_to_draw(*systems)
        rng = generator(self.settings.seed, rows_text(BOOTSTRAP, collapsed.rows, collapsed.sizes))
        times = min(self.settings.times, most or self.settings.times)
        table = bootstrap_sums(collapsed.rows, collapsed.sizes, times, rng)
        return [as_sums(part, self.tallies.read) for part in np.split(table, len(systems), axis=1)]

    @cached_property
    def _resampled_totals(self) -> list[dict[str, Floats]]:
        """The counts of each system, labels summed up, in the same resamples of the units for all systems."""
        fields, tables = self._read_by_label, self._wide_tables
        of_field = np.tile(np.eye(len(fields)), (len(self.labels), 1))
        units, summed = tables[0].shape[0], np.concatenate([table @ of_field for table in tables], axis=1)
        rng = generator(self.settings.seed, f"{BOOTSTRAP}\n{units}")
        drawn = bootstrap_weights(units, min(self.settings.times, MOST_MAPPED), rng)
        sums = np.concatenate([weights.astype(np.float64) @ summed for weights in drawn])
        return [as_sums(part, fields) for part in np.split(sums, len(tables), axis=1)]

    def resampled_pair(self, a: int, b: int) -> list[dict[str, Floats]]:
        """The counts of two systems in `MOST_MAPPED` resamples or fewer."""
        if self.by_label and self.tallies.drawn is None:
            return [self._resampled_totals[system] for system in (a, b)]
        turned = self._is_turned(a, b)
        return self._resampled_sums((b, a) if turned else (a, b), MOST_MAPPED)[:: -1 if turned else 1]

    def _is_turned(self, a: int, b: int) -> bool:
        """True if the rows of (b, a) are the larger list."""
        rows, back = self._rows_to_draw(a, b), self._rows_to_draw(b, a)
        return is_less(rows.rows, rows.sizes, back.rows, back.sizes)

    def _replicates(self, systems: Sequence[int], names: Sequence[str]) -> dict[str, list[Floats]]:
        """The values of each score in each resample, for each of the systems, whose rows are drawn together."""
        sums = self._resampled_sums(systems)
        return {name: [self.functions[name](of_system) for of_system in sums] for name in names}

    # --- counts by label ---

    @cached_property
    def _read_by_label(self) -> tuple[str, ...]:
        """The fields that scores and averages read; others are not resampled."""
        return self.measure.fields_read(as_sums(self.tallies.totals[0], self.fields), averages=True)

    @property
    def _is_read_by_label(self) -> Bools:
        """Mask of the fields that scores and averages read."""
        return np.isin(self.fields, self._read_by_label)

    @cached_property
    def _wide_tables(self) -> list[Any]:
        """The counts that are read of each system: units × (labels · fields), in the order in which they are drawn.
        Blocks if there are many units."""
        kept = np.flatnonzero(np.tile(self._is_read_by_label, len(self.labels)))
        by_id = slice(None) if self.tallies.ids is None else np.argsort(self.tallies.ids, kind="stable")
        tables = [table[by_id] for table in self.tallies.wide()]
        return tables if self._is_read_by_label.all() else [table[:, kept] for table in tables]

    def _rows_by_label(self, systems: Sequence[int]) -> tuple[list[Any], Ints]:
        """The tables of systems, and how many units each row is: one, unless the distinct rows of these systems are
        drawn."""
        tables = [self._wide_tables[system] for system in systems]
        if self.tallies.drawn is None:
            return tables, np.ones(tables[0].shape[0], dtype=np.int64)
        distinct = DistinctRows.of(np.hstack(tables).astype(np.int64), self.tallies.drawn.sizes)
        return np.split(distinct.rows.astype(np.float64), len(systems), axis=1), distinct.sizes

    def _label_sums(
        self, system: int, first: int = 0, end: int | None = None
    ) -> Iterator[tuple[slice, dict[str, Floats]]]:
        """Sums by label of a system in the same resamples of the units for all systems, in chunks of resamples. With
        `end`, only labels from `first` to before `end` have sums."""
        self.pooled |= self.tallies.drawn_by_label < self.tallies.units
        fields = self._read_by_label
        (table,), sizes = self._rows_by_label([system])
        highest = float(table.max(initial=0) if isinstance(table, np.ndarray) else table.max())
        # Single precision, if that is exact: sums of whole numbers below 2^24.
        table = table.astype(np.float32) if highest * self.tallies.units < 1 << 24 else table
        if end is not None:
            table = table[:, first * len(fields) : end * len(fields)]
        rng = generator(self.settings.seed, f"{BOOTSTRAP}\n{len(sizes)}")
        width, done = len(self.labels) * len(fields), 0
        for weights in bootstrap_weights(len(sizes), self.settings.times, rng, width, sizes):
            sums = weights.astype(table.dtype) @ table
            yield slice(done, done + len(weights)), as_sums(sums.reshape(len(weights), -1, len(fields)), fields)
            done += len(weights)

    def _resample(self, labels: bool) -> tuple[list[dict[str, Floats]], dict[str, tuple[Floats, Bools]]]:
        """Each system's scores and averages in each resample of its units and, if `labels` is True, the intervals by
        label (systems × labels × 2) with True if these are BCa."""
        if labels in self._resampled:
            return self._resampled[labels]
        if not self.by_label:
            by_system = [self._replicates([system], list(self.functions)) for system in range(len(self.systems))]
            self._resampled[labels] = (
                [{name: values for name, (values,) in scores.items()} for scores in by_system],
                {},
            )
            return self._resampled[labels]
        times, number, fields = self.settings.times, len(self.labels), self._read_by_label
        # With very many labels only the first score has intervals, because they take long.
        kept = list(self.functions)[: max(1, MOST_NUMBERS // max(1, times * number))] if labels else []
        at_once = max(1, HELD_NUMBERS // (times * max(1, len(kept))))
        # All labels in one pass with the overall scores or, if there are too many, in further passes.
        passes: list[tuple[int, int | None]] = [(0, None)]
        if labels and at_once < number:
            passes += [(first, min(first + at_once, number)) for first in range(0, number, at_once)]
        shape, replicates = (len(self.systems), number), []
        label_ends = {name: (np.full((*shape, 2), np.nan), np.zeros(shape, dtype=bool)) for name in self.functions}
        for system in range(len(self.systems)):
            replicates.append({name: np.empty(times) for name in self.every})
            for first, end in passes:
                held = [] if end is None and len(passes) > 1 else kept
                by_label = {name: np.empty(((end or number) - first, times), dtype=np.float32) for name in held}
                for part, sums in self._label_sums(system, first, end):
                    for name, values in by_label.items():
                        values[:, part] = self.functions[name](sums).T
                    if end is None:
                        together = {field: values.sum(axis=1) for field, values in sums.items()}
                        for name, function in self.every.items():
                            replicates[-1][name][part] = function(together if name in self.functions else sums)
                for name, values in by_label.items():
                    ends, corrected = label_ends[name]
                    ends[system, first:end] = intervals.percentiles(values)
                    for label in range(first, first + len(values)) if self.settings.interval == "bca" else ():
                        (table,), sizes = self._rows_by_label([system])
                        table = _dense(table[:, label * len(fields) : (label + 1) * len(fields)])
                        left_out = self.functions[name](as_sums(sizes @ table - table, fields))
                        observed = float(self._observed_by_label[name][system, label])
                        resampled = values[label - first].astype(np.float64)
                        better = intervals.bca(observed, resampled, left_out, sizes)
                        if better is not None:
                            ends[system, label], corrected[system, label] = better, True
        self._resampled[labels] = replicates, label_ends
        return self._resampled[labels]

    # --- comparisons ---

    def _compare(self, a: int, b: int, few: bool) -> Iterator[Comparison]:
        """The shuffling test of two systems on each tested score."""
        keeps = self.settings.keeps_evidence and self.slice is None
        differences = {name: float(self._observed[name][b] - self._observed[name][a]) for name in self.tested}
        # The variance of each difference, from the contributions of units, and its degrees of freedom.
        spreads, skewed = dict.fromkeys(self.tested, (math.nan, math.nan)), set()
        for name in self.tested if self.tallies.units > 1 and self.settings.interval else ():
            if np.isnan(self._observed[name][[a, b]]).any():
                continue
            (first, second), sizes = self.linear_values(name, (a, b))
            centred = not self.clusters and name not in self.averages
            spreads[name] = find_variance(second - first, sizes, centred=centred), self.degrees(name, (a, b))
            if is_skewed(second - first, sizes):
                skewed.add(name)
        ends_of = self._difference_intervals(a, b, differences, spreads)
        for name in self.tested:
            low, high, interval = ends_of[name]
            outcome, power = self._test(a, b, name, (low, high))
            ends = (low, high, "" if math.isnan(low) else interval)
            evidence = self._exchange(a, b, name) if keeps and name == self.measure.main else None
            found = (differences[name], ends, outcome, spreads[name])
            more: dict[str, Any] = {"power": power, "evidence": evidence, "is_skewed": name in skewed}
            if not few and name in self.functions and (outcome.units < FEW_DIFFERING or name in skewed):
                more |= {"unit_effect": self._largest_effect(name, (a, b)), "all_units": self.tallies.units}
            yield self._make_row(a, b, name, found, few, **more)

    def _difference_intervals(
        self, a: int, b: int, observed: dict[str, float], spreads: dict[str, tuple[float, float]]
    ) -> dict[str, _Ends]:
        """The interval of the difference on each tested score: both ends and the kind."""
        asked = self.settings.interval
        if self.tallies.units < 2:
            return dict.fromkeys(observed, (math.nan, math.nan, ""))
        ends_of: dict[str, _Ends] = {}
        # Student's interval needs no resamples, so its cost hardly grows with pairs. Percentiles are too narrow if
        # units are few, and the same if they are many.
        for name, (variance, degrees) in spreads.items() if asked == "score" else ():
            least, most = score_limits(self.every[name])
            ends = intervals.t_interval(observed[name], variance, degrees + 1, least - most, most - least)
            ends_of[name] = (*ends, "t")
        open_scores = [name for name in self.tested if name not in ends_of]
        # Differences in each resample: b − a or, if turned, a − b. Which one does not depend on the order of systems,
        # so that both orders give the same digits.
        resampled: dict[str, tuple[bool, Floats]] = {}
        if self.by_label and open_scores:
            by_system, _ = self._resample(False)
            for name in open_scores:
                difference = by_system[b][name] - by_system[a][name]
                turned = bool((difference[np.abs(difference) > 0][:1] < 0).any())
                resampled[name] = (turned, -difference if turned else difference)
        elif open_scores:
            turned = self._is_turned(a, b)
            by_score = self._replicates((b, a) if turned else (a, b), open_scores)
            resampled = {name: (turned, second - first) for name, (first, second) in by_score.items()}
        for name, (turned, replicates) in resampled.items():
            ends, kind = intervals.percentile(replicates), "percentile"
            if asked == "bca" and name in self.functions:
                rows = self._rows_to_draw(*((b, a) if turned else (a, b)))
                left_out = np.split(rows.sizes @ rows.rows - rows.rows, 2, axis=1)
                first, second = (self.functions[name](as_sums(half, self.tallies.read)) for half in left_out)
                value = -observed[name] if turned else observed[name]
                corrected = intervals.bca(value, replicates, second - first, rows.sizes)
                if corrected is not None:
                    ends, kind = corrected, "bca"
            low, high = (-ends[1], -ends[0]) if turned else ends
            ends_of[name] = (low, high, kind)
        return ends_of

    def _test(self, a: int, b: int, name: str, ends: tuple[float, float]) -> tuple[Shuffling, Power | None]:
        """The test of two systems on a score, and its power; `ends` is the interval of the difference."""
        outcome = self._common_tests.get(name, {}).get((a, b))
        exchange, chance = self._exchange(a, b, name), self.settings.power if self.slice is None else None
        return test_exchange(exchange, self.every[name], self.settings, chance, self.tallies.units, ends, outcome)

    def _exchange(self, a: int, b: int, name: str) -> Exchange:
        """The counts of two systems that a test of a score exchanges."""
        of_average, measure, swaps = name in self.averages, str(self.measure), None
        if of_average:
            (first, second), sizes = self._rows_by_label((a, b))
            differing, fields = _differing_rows(first, second), self._read_by_label
            change, sizes, content = first[differing] - second[differing], sizes[differing], b"\n%d" % first.shape[0]
            places, units = np.flatnonzero(np.asarray((change != 0).sum(axis=0))), int(sizes.sum())
            if self.tallies.drawn_by_label < self.tallies.units:
                units = self.tallies.differing[min(a, b), max(a, b)]
            rows = change[:, places]
            if self.tallies.drawn is not None:
                swaps = DistinctRows.of(rows.astype(np.int64), sizes)
            totals = (self.tallies.totals[system][:, self._is_read_by_label].ravel() for system in (a, b))
        else:
            swaps, units = self.tallies.swaps(a, b)
            if swaps is None:
                both = self.tallies.block_rows(a, b)
                change = np.subtract(*np.split(both.rows, 2, axis=1))
                swaps = DistinctRows.of(change[change.any(axis=1)], both.sizes[change.any(axis=1)])
            places, fields = np.arange(len(self.tallies.read)), self.tallies.read
            totals = (self.totals[system][self._read] for system in (a, b))
        if swaps is None:
            # The first unit that differs says which system comes first.
            head = _dense(rows[:1]).ravel()
            turned = bool((head[head != 0] < 0)[:1].any())
            rows = -rows if turned else rows
        else:
            back = DistinctRows.of(-swaps.rows, swaps.sizes)
            turned = is_less(swaps.rows, swaps.sizes, back.rows, back.sizes)
            swaps = back if turned else swaps
            rows, sizes = swaps.rows.astype(np.float64), swaps.sizes
            content = rows_text("", swaps.rows, sizes).encode()
        sums = [total.astype(np.float64) for total in totals]
        first, second = sums[::-1] if turned else sums
        return Exchange(first, second, rows, sizes, places, units, measure, fields, of_average, content, turned)

    @cached_property
    def _common_tests(self) -> dict[str, dict[tuple[int, int], Shuffling]]:
        """The tests of averages over labels for which a coin is tossed for each unit, once for all pairs."""
        by_score: dict[str, dict[tuple[int, int], Shuffling]] = {}
        for name in self.tested if self.tallies.drawn is None else ():
            if name in self.averages:
                tables, fields = self._wide_tables, self._read_by_label
                rng = generator(self.settings.seed, f"{SHUFFLING}\n{tables[0].shape[0]}")

                def difference(x: Floats, y: Floats, name: str = name, fields: Sequence[str] = fields) -> Floats:
                    sides = (as_sums(side.reshape(*side.shape[:-1], -1, len(fields)), fields) for side in (y, x))
                    return np.asarray(np.subtract(*map(self.averages[name], sides)))

                def tilted(a: int, b: int, name: str = name) -> Shuffling | None:
                    exchange = self._exchange(a, b, name)
                    stream = stream_of(self.settings.seed, exchange.content)
                    return tilted_test(*exchange.swaps(self.averages[name]), stream, self.settings.times)

                by_score[name] = shuffling_tests(tables, self.pairs, difference, rng, self.settings.times, tilted)
        return by_score


def test_exchange(
    exchange: Exchange,
    function: ScoreFunction,
    settings: Settings,
    chance: float | None,
    units: int,
    ends: tuple[float, float],
    outcome: Shuffling | None = None,
) -> tuple[Shuffling, Power | None]:
    """The test that exchanges the counts of two systems, and its power if a difference is to be found with `chance`.

    `units` is the number of all units, `ends` is the interval of the difference; `outcome` is that of the test if it
    was made with others.
    """
    swaps, stream = exchange.swaps(function), cache(stream_of(settings.seed, exchange.content))
    amounts = exchange.amounts(function)
    outcome = outcome or shuffling_test(*swaps, stream, settings.times, amounts=amounts, width=len(exchange.a))
    outcome = replace(outcome, units=exchange.units)
    if chance is None or exchange.rows.shape[1] > MOST_FIELDS:
        return outcome, None
    ends = (-ends[1], -ends[0]) if exchange.turned else ends
    # Power continues the random stream of the test. Fewer rows than units that differ are blocks of these.
    draws = units if int(exchange.sizes.sum()) == exchange.units else BLOCKS
    power = find_detectable(
        *(*swaps, outcome, ends, stream),
        units=units,
        draws=draws,
        alpha=settings.alpha,
        chance=chance,
        planned=(settings.planned or {}).get(exchange.measure, ()),
        amounts=amounts,
    )
    if power is None:
        return outcome, None
    assert outcome.smallest_p is not None
    return outcome, Power(settings.alpha, chance, outcome.smallest_p, *power)


def make_comparison(
    systems: tuple[str, str],
    what: tuple[str, str, str | None],
    difference: float,
    interval: _Ends,
    outcome: Shuffling,
    spread: tuple[float, float],
    test: str = "shuffling",
    **more: Any,
) -> Comparison:
    """The test of two systems on a measure, score and slice; `spread` is the variance and its degrees of freedom."""
    low, high, kind = interval
    variance, df = (None, None) if math.isnan(spread[0]) else spread
    return Comparison(
        *(*systems, *what, difference, low, high),
        *(test, outcome.p, outcome.low, outcome.high, math.nan, outcome.units),
        exact=outcome.exact,
        interval=kind,
        method=outcome.method,
        log10_p=outcome.log10_p,
        smallest_p=outcome.smallest_p,
        variance=variance,
        df=df,
        **more,
    )


def _as_proportion(function: ScoreFunction, totals: Sums) -> ScoreFunction:
    """The score as a proportion if it is F1 and the tokenisation is equal, because then F1 is accuracy."""
    return recall if function is f1 and "aligned" in totals and totals["gold"] == totals["system"] else function


def score_limits(function: ScoreFunction) -> tuple[float, float]:
    """The limits of a score."""
    return getattr(function, "low", 0.0), getattr(function, "high", 1.0)


def _zero_undefined(changes: Floats) -> Floats:
    """Changes of a score, with 0 for undefined changes."""
    return np.where(np.isfinite(changes), changes, 0.0)


def _unit_sizes(rows: Array, totals: Array) -> Floats:
    """The size of each unit: the sum of its shares of the totals."""
    return np.asarray(_zero_undefined(ratio(rows, np.asarray(totals, dtype=np.float64))).sum(axis=1))


def find_variance(values: Floats, sizes: Array, *, centred: bool = True) -> float:
    """Variance of a score to which each unit adds a value; `sizes` is the number of units of each value.

    Sums are exact, so that neither the order of rows nor that of two systems changes a digit.
    """
    number = float(sizes.sum())
    mean = math.fsum((sizes * values).tolist()) / number if centred else 0.0
    return number / max(1.0, number - 1) * math.fsum((sizes * (values - mean) ** 2).tolist())


def is_skewed(values: Floats, sizes: Array) -> bool:
    """True if a sum of values is as skewed as a count of fewer than 50 units that all go one way."""
    mean = math.fsum((sizes * values).tolist()) / float(sizes.sum())
    second, third = (math.fsum((sizes * (values - mean) ** power).tolist()) for power in (2, 3))
    return _LEAST_ONE_WAY * third**2 > second**3


def find_gradient(function: ScoreFunction, totals: Floats, fields: Sequence[str]) -> Floats:
    """The gradient of each label's score in its counts, by central differences: labels × fields.

    It is 0 for counts of 0.
    """
    gradient = np.zeros(totals.shape)
    steps = np.maximum(1.0, _STEP * totals)
    for field in range(len(fields)):
        step = np.zeros(totals.shape)
        step[:, field] = steps[:, field]
        below, here, above = (function(as_sums(totals + sign * step, fields)) for sign in (-1, 0, 1))
        # The slope between both ends, or on one side if the score is undefined on the other.
        both, size = (above - below) / (2 * steps[:, field]), steps[:, field]
        one_side = np.where(np.isnan(below), (above - here) / size, (here - below) / size)
        slope = np.nan_to_num(np.where(np.isnan(both), one_side, both))
        gradient[:, field] = np.where(totals[:, field] > 0, slope, 0.0)
    return gradient


def _dense(table: Any) -> Array:
    return np.asarray(table if isinstance(table, np.ndarray) else table.toarray())


def _differing_rows(first: Any, second: Any) -> Ints:
    """The rows in which two tables differ, dense or sparse."""
    return np.flatnonzero(np.asarray((first != second).sum(axis=1)))
