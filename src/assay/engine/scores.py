"""Counts of several systems → scores with intervals, and tests between systems. Every measure goes this way."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from assay.arrays import Array, Bools, Floats, Ints
from assay.engine.counts import BLOCKS, MANY, Collapsed, Sums, Tallies, as_sums
from assay.engine.measure import ByFields, Measure, Proportion, Ranged, Ratio, f1, recall
from assay.engine.measure import Score as ScoreFunction
from assay.records import dataclass
from assay.result import Comparison, CountsRow, Power, Score
from assay.stats.intervals import bca, percentile, percentiles, score_interval, t_interval, wilson
from assay.stats.power import detectable
from assay.stats.resample import bootstrap_sums, bootstrap_weights
from assay.stats.significance import Shuffling, shuffling_test, shuffling_tests
from assay.stats.streams import BOOTSTRAP, SHUFFLING, generator, is_less, rows_text

MOST_NUMBERS = 1 << 27
"""The most resampled scores of labels in all …"""
HELD_NUMBERS = 1 << 24
"""… and at a time: 64 MB."""
ALPHA = 0.05
FEW_FOR_PERCENTILES = 200
"""Below so many units the interval of a difference is Student's; from there on percentiles are as good, and skewed
where differences are."""
MOST_FIELDS = 512
"""Of more counts a unit, as an average over very many labels has, it is not asked what could have been found."""
_STEP = 1e-4
"""Gradients are differences over this share of a count, one item at least."""
_Ends = tuple[float, float, str]
"""Both ends of an interval, and its kind."""


@dataclass(frozen=True)
class Settings:
    """Seed, number of resamples and kind of interval."""

    seed: int
    times: int
    interval: str
    """The kind of interval asked for; if empty, none."""
    power: float | None = 0.8
    """The chance with which a difference is to be found; None: what could be found is not asked."""
    alpha: float = ALPHA
    """The level that a difference is tested at, that of the first step where many are."""
    baseline: str | None = None
    """The system that all others are tested against, where that is asked for."""

    def rng(self, purpose: str) -> np.random.Generator:
        """A generator for what has no counts: nothing but its purpose tells it from others."""
        return generator(self.seed, purpose)


class Figures:
    """One measure over one selection of the data, for all systems."""

    def __init__(self, measure: Measure, where: str | None, tallies: Tallies, settings: Settings) -> None:
        self.measure, self.slice, self.tallies, self.settings = measure, where, tallies, settings
        self.systems, self.labels, self.fields = tallies.systems, tallies.labels or (), tallies.fields
        self.by_label = tallies.by_unit is not None or tallies.by_block is not None
        self.functions = {
            name: score.of(self.fields) if isinstance(score, ByFields) else score
            for name, score in measure.scores.items()
        }
        self.averages = dict(measure.averages) if self.by_label else {}
        self.totals = [total if tallies.labels is None else total.sum(axis=0) for total in tallies.totals]
        self.pooled = False
        """True once blocks of units were resampled in place of units."""

    # --- scores ---

    def scores(self, *, labels: bool = True, names: Sequence[str] = ()) -> Iterator[Score]:
        """All scores (or those named) with their intervals, the overall ones first."""
        places: list[tuple[int | None, str | None]] = [(None, None)]
        places += [*enumerate(self.labels)] if labels else []
        for place, label in places:
            for number, system in enumerate(self.systems):
                for name in names or (*self.functions, *(self.averages if label is None else ())):
                    value, low, high, interval = self._interval(name, number, place)
                    row = (system, str(self.measure), name, label, self.slice, value, low, high)
                    yield Score(*row, main=name == self.measure.main, interval="" if math.isnan(low) else interval)

    def counts_rows(self) -> Iterator[CountsRow]:
        """The counts behind the scores, overall and per label."""
        for index, system in enumerate(self.systems):
            by_label = zip(self.labels, self.tallies.totals[index], strict=True) if self.labels else ()
            for label, row in [(None, self.totals[index]), *by_label]:
                named = dict(zip(self.fields, row.tolist(), strict=True))
                yield CountsRow(system, str(self.measure), label, self.slice, named)

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

    def _interval(self, name: str, system: int, label: int | None) -> tuple[float, float, float, str]:
        """A score, both ends of its interval, and which kind of interval that is."""
        observed = self._observed[name][system] if label is None else self._observed_by_label[name][system, label]
        value, asked = float(observed), self.settings.interval
        if np.isnan(value) or not asked:
            return value, math.nan, math.nan, ""
        if asked == "score":
            ends, kind = self._label_intervals[name] if label is not None else (None, "")
            if ends is None:
                return value, *self._closed_form(name, system, value)
            low, high = ends[system, label].tolist()
            return value, low, high, kind
        if asked == "wilson" and (total := self._denominator(name, system, label)) is not None:
            return value, *wilson(value * total, total), "wilson"
        if self.tallies.units < 2:
            # All resamples of a single unit are equal.
            return value, math.nan, math.nan, ""
        if label is not None:
            ends, improved = self._resampled_label_intervals[name]
            low, high = ends[system, label].tolist()
            return value, low, high, "bca" if improved[system, label] else "percentile"
        replicates = self._replicates[system][name]
        if asked == "bca" and name in self.functions:
            drawn = self._drawn(system)
            corrected = bca(value, replicates, self._jackknife(name, drawn.rows, drawn.sizes), drawn.sizes)
            if corrected is not None:
                return value, *corrected, "bca"
        return value, *percentile(replicates), "percentile"

    def _denominator(self, name: str, system: int, label: int | None) -> float | None:
        """The denominator of a score that is a proportion."""
        totals = self.totals[system] if label is None else self.tallies.totals[system][label]
        sums = as_sums(totals, self.fields)
        if label is None:
            sums = {field: sums[field] for field in self.tallies.read}
        function = _as_proportion(self.functions.get(name), sums)
        return float(function.total(sums)) if isinstance(function, Proportion) else None

    # --- intervals from the variance over units ---

    def _closed_form(self, name: str, system: int, value: float) -> tuple[float, float, str]:
        """The ends of an interval that needs no resampling, and its kind."""
        units = self.tallies.units
        function: ScoreFunction | None
        sizes: Array
        if name in self.averages:
            function, sizes = self.averages[name], np.ones(self.tallies.drawn_by_label)
            # In an order that depends on what is in the rows alone, so that sums do.
            table = self._wide_tables[system][np.argsort(self._row_digests[system])]
            values = self._linear(name, table, system)
            present = int(np.count_nonzero(np.asarray((table != 0).sum(axis=1))))
        else:
            # Rows are looked at once; they are cheap however many units have rows of their own.
            found, fields = self.tallies.rows(system) or self.tallies.block_rows(system), self.tallies.read
            whole_sums = as_sums(self.totals[system], self.fields)
            function = _as_proportion(self.functions[name], {field: whole_sums[field] for field in fields})
            sizes, sums = found.sizes, as_sums(found.rows, fields)
            if isinstance(function, Ratio):
                right, total = function.items(sums)
                whole = float(sizes @ total)
                share = float(sizes @ right) / whole
                variance = _factor(sizes) * float(sizes @ (right - share * total) ** 2) / whole**2
                present = int(sizes[total > 0].sum())
                items = whole if function.of_items else math.inf
                ends = score_interval(share, variance, units, present, items)
                return function.from_share(ends[0]), function.from_share(ends[1]), "score"
            values = self._linear(name, found.rows, system)
            present = int(sizes[found.rows.any(axis=1)].sum())
        low, high = range_of(function)
        if (low, high) == (0, 1) and 0 <= value <= 1:
            return *score_interval(value, _variance(values, sizes), units, present), "score"
        return *t_interval(value, _variance(values, sizes), units, low, high), "t"

    def values(self, name: str, label: str | None = None) -> Floats:
        """A score of each system, overall or of a label."""
        if label is None:
            return self._observed[name]
        return np.asarray(self._observed_by_label[name][:, self.labels.index(label)])

    def function_of(self, name: str) -> ScoreFunction:
        """The function of a score or average."""
        return self.functions[name] if name in self.functions else self.averages[name]

    def linear_values(self, name: str, systems: Sequence[int]) -> tuple[list[Floats], Array]:
        """Contributions of units, in one order for some systems, to the score of each; and the size of each row."""
        if name in self.averages:
            order = np.argsort(self._contents(systems))
            tables = self._wide_tables
            lines = [self._linear(name, tables[index][order], index) for index in systems]
            return lines, np.ones(len(order))
        found = self.tallies.rows(*systems) or self.tallies.block_rows(*systems)
        parts = zip(systems, np.split(found.rows, len(systems), axis=1), strict=True)
        return [self._linear(name, part, index) for index, part in parts], found.sizes

    def standard_error(self, name: str, system: int) -> float:
        """The standard error of an overall score, by the variance over units."""
        sizes: Array
        if name in self.averages:
            table = self._wide_tables[system][np.argsort(self._row_digests[system])]
            values = self._linear(name, table, system)
            sizes = np.ones(len(values))
        else:
            found = self.tallies.rows(system) or self.tallies.block_rows(system)
            values, sizes = self._linear(name, found.rows, system), found.sizes
        return math.sqrt(_variance(values, sizes))

    def _linear(self, name: str, rows: Any, system: int) -> Floats:
        """Contribution of each row of a system to a score, to first order; only distances from the mean matter."""
        if name in self.averages:
            totals, fields = self.tallies.totals[system][:, self._columns], self._read_by_label
            gradient = _gradient(self.averages[name], totals.astype(np.float64), fields)
            return np.asarray(rows @ gradient.ravel())
        totals = self.totals[system]
        if isinstance(function := self.functions[name], Ratio):
            part, total = function.part, function.total
            sums, whole = as_sums(rows, self.tallies.read), as_sums(totals, self.fields)
            return np.asarray((part(sums) - function(whole) * total(sums)) / total(whole))
        columns = [self.fields.index(field) for field in self.tallies.read]
        own = np.asarray(totals[columns], dtype=np.float64)[None]
        return np.asarray(rows @ _gradient(function, own, self.tallies.read, of_all=False)[0])

    @cached_property
    def _label_intervals(self) -> dict[str, tuple[Floats, str]]:
        """The ends of the interval of each score (systems × labels × 2), without resampling."""
        units, drawn, number = self.tallies.units, self.tallies.drawn_by_label, len(self.labels)
        fields = self.tallies.read
        columns = [self.fields.index(field) for field in fields]
        found = {}
        tables = []
        for counts in self.tallies.labelled():
            assert counts.label is not None
            # Distinct rows in canonical order: the label, then the counts that scores read.
            tables.append(Collapsed.of(np.column_stack([counts.label.astype(np.int64), counts.values[:, columns]])))
        for name, function in self.functions.items():
            ends = np.full((len(self.systems), number, 2), np.nan)
            low, high = range_of(function)
            for system, table in enumerate(tables):
                of_label, rows, sizes = table.rows[:, 0], table.rows[:, 1:], table.sizes
                value = self._observed_by_label[name][system]
                totals = self.tallies.totals[system][:, columns].astype(np.float64)
                sums, whole = as_sums(rows, fields), as_sums(totals, fields)
                there: Any
                if isinstance(function, Ratio):
                    right, total = function.items(sums)
                    all_right, items = function.items(whole)
                    with np.errstate(divide="ignore", invalid="ignore"):
                        share = np.asarray(all_right / items)
                        values = (right - share[of_label] * total) / items[of_label]
                    there = total > 0
                    items = items if function.of_items else np.full(number, math.inf)
                else:
                    share, items = value, np.full(number, math.inf)
                    gradient = _gradient(function, totals, fields, of_all=False)
                    values, there = (rows * gradient[of_label]).sum(axis=1), rows.any(axis=1)
                present = np.bincount(of_label[there], sizes[there], number)
                mean, square = (np.bincount(of_label, sizes * values**power, number) / drawn for power in (1, 2))
                variance = drawn * drawn / max(1, drawn - 1) * np.maximum(square - mean**2, 0.0)
                for label in np.flatnonzero(~np.isnan(value)).tolist():
                    v, units_there, most = float(variance[label]), int(present[label]), float(items[label])
                    if (low, high) == (0, 1):
                        two = score_interval(float(share[label]), v, units, units_there, most)
                        ends[system, label] = [
                            function.from_share(end) if isinstance(function, Ratio) else end for end in two
                        ]
                    else:
                        ends[system, label] = t_interval(float(value[label]), v, units, low, high)
            found[name] = (ends, "score" if (low, high) == (0, 1) else "t")
        return found

    # --- resampling ---

    def _drawn(self, *systems: int) -> Collapsed:
        """Rows of systems to draw from: collapsed units, or blocks."""
        found = None if self.tallies.needs_blocks(*systems) else self.tallies.rows(*systems)
        if found is not None:
            return found
        self.pooled = True
        return self.tallies.block_rows(*systems)

    def _sums(self, drawn: Collapsed) -> Floats:
        """Sums over resamples of some rows: times × fields."""
        rng = generator(self.settings.seed, rows_text(BOOTSTRAP, drawn.rows, drawn.sizes))
        return bootstrap_sums(drawn.rows, drawn.sizes, self.settings.times, rng)

    @cached_property
    def _replicates(self) -> list[dict[str, Floats]]:
        """For each system each of its scores in each resample of its own rows."""
        if self.by_label:
            return [overall for overall, _ in self._resampled]
        found = []
        for system in range(len(self.systems)):
            sums = as_sums(self._sums(self._drawn(system)), self.tallies.read)
            found.append({name: function(sums) for name, function in self.functions.items()})
        return found

    def _pair_replicates(self, a: int, b: int, names: Sequence[str]) -> dict[str, tuple[bool, Floats]]:
        """For each score its differences (b − a) in each resample of the rows of both; where these are turned, a − b.

        Which way round depends on the rows alone, so that both ways agree to the last digit.
        """
        found: dict[str, tuple[bool, Floats]] = {}
        for functions in (self.functions, self.averages):
            some = [name for name in names if name in functions]
            if not some:
                continue
            turned = self._is_turned(a, b, wide=functions is self.averages)
            sides = (b, a) if turned else (a, b)
            if functions is self.averages:
                tables = [self._wide_tables[system] for system in sides]
                one, other = (self._averages_drawn(some, tables, place) for place in (0, 1))
            else:
                halves = np.split(self._sums(self._drawn(*sides)), 2, axis=1)
                sums = [as_sums(half, self.tallies.read) for half in halves]
                one, other = ({name: functions[name](side) for name in some} for side in sums)
            found |= {name: (turned, other[name] - one[name]) for name in some}
        return found

    @cached_property
    def _common_replicates(self) -> dict[str, Floats]:
        """Of very many systems each tested score in each resample, one draw for all: times × systems."""
        order = sorted(range(len(self.systems)), key=lambda system: self._digests[system])
        back = np.argsort(order)
        plain = [name for name in self._tested if name in self.functions]
        found: dict[str, Floats] = {}
        if plain:
            sums = self._sums(self._drawn(*order))
            sides = as_sums(sums.reshape(len(sums), len(order), -1)[:, back], self.tallies.read)
            found |= {name: self.functions[name](sides) for name in plain}
        averages = [name for name in self._tested if name in self.averages]
        if averages:
            tables = [self._wide_tables[system] for system in order]
            drawn = [self._averages_drawn(averages, tables, place) for place in range(len(order))]
            found |= {name: np.stack([drawn[place][name] for place in back], axis=1) for name in averages}
        return found

    def _is_turned(self, a: int, b: int, *, wide: bool) -> bool:
        """True if the rows of b and a make the larger list, so that all is computed that way round."""
        if wide:
            one, other = (sorted(self._contents(two)) for two in ((a, b), (b, a)))
            return one < other
        one_way, other_way = self._drawn(a, b), self._drawn(b, a)
        return is_less(one_way.rows, one_way.sizes, other_way.rows, other_way.sizes)

    @cached_property
    def _digests(self) -> list[bytes]:
        """A checksum of the rows of each system."""
        if self.by_label:
            return [hashlib.sha256(b"".join(sorted(one))).digest() for one in self._row_digests]
        rows = [self._drawn(system) for system in range(len(self.systems))]
        return [hashlib.sha256(rows_text(BOOTSTRAP, one.rows, one.sizes).encode()).digest() for one in rows]

    # --- counts by label ---

    @cached_property
    def _read_by_label(self) -> tuple[str, ...]:
        """The fields that scores and averages read: no others are resampled."""
        return self.measure.fields_read(as_sums(self.tallies.totals[0], self.fields), averages=True)

    @cached_property
    def _columns(self) -> list[int]:
        return [self.fields.index(field) for field in self._read_by_label]

    @cached_property
    def _wide_tables(self) -> list[Any]:
        """Each system's counts that are read as units × (labels · fields), blocks in place of units where these are
        too many."""
        tables = self.tallies.wide()
        if len(self._columns) == len(self.fields):
            return tables
        kept = np.flatnonzero(np.tile(np.isin(self.fields, self._read_by_label), len(self.labels)))
        return [table[:, kept] for table in tables]

    @cached_property
    def _row_digests(self) -> list[list[bytes]]:
        """A checksum of each row of each wide table."""
        return [_row_digests(table) for table in self._wide_tables]

    def _contents(self, systems: Sequence[int]) -> list[bytes]:
        """A checksum of each unit's rows in some systems, side by side."""
        return [b"".join(row) for row in zip(*(self._row_digests[system] for system in systems), strict=True)]

    def _weights(self, tables: Sequence[Any], width: int) -> Iterator[Array]:
        """Weights of units, some resamples at a time, by a stream of the tables' own.

        Units are drawn in an order that depends on what is in them alone; the weights are in that of the tables.
        """
        self.pooled |= self.tallies.units > BLOCKS
        known = {id(table): digests for table, digests in zip(self._wide_tables, self._row_digests, strict=True)}
        contents = [b"".join(row) for row in zip(*(known[id(table)] for table in tables), strict=True)]
        order = sorted(range(len(contents)), key=contents.__getitem__)
        rng = generator(self.settings.seed, BOOTSTRAP.encode() + b"\n" + b"".join(contents[index] for index in order))
        place = np.argsort(order)
        for weights in bootstrap_weights(len(contents), self.settings.times, rng, width):
            yield weights[:, place].astype(np.float32)

    def _averages_drawn(self, names: Sequence[str], tables: Sequence[Any], place: int) -> dict[str, Floats]:
        """Averages over labels of one of several systems that are drawn together, in each resample."""
        table, fields = _fast(tables[place], self.tallies.units), self._read_by_label
        parts: dict[str, list[Floats]] = {name: [] for name in names}
        for weights in self._weights(tables, len(self.labels) * len(fields)):
            sums = as_sums((weights @ table).reshape(len(weights), -1, len(fields)), fields)
            for name in names:
                parts[name].append(self.averages[name](sums))
        return {name: np.concatenate(found) for name, found in parts.items()}

    @property
    def _labels_at_once(self) -> tuple[int, list[str]]:
        """The number of labels held at a time, and the scores that have intervals by label: of very many labels the
        first alone, which takes time enough."""
        kept = list(self.functions)[: max(1, MOST_NUMBERS // max(1, self.settings.times * len(self.labels)))]
        return max(1, HELD_NUMBERS // (self.settings.times * len(kept))), kept

    @cached_property
    def _resampled(self) -> list[tuple[dict[str, Floats], dict[str, Array]]]:
        """Of a measure by label, for each system: each score and average in each resample of its own units; and by
        label, labels × times, unless these are too many to be held."""
        times, (at_once, kept), fields = self.settings.times, self._labels_at_once, self._read_by_label
        found = []
        for table in self._wide_tables:
            overall = {name: np.empty(times) for name in (*self.functions, *self.averages)}
            number = len(self.labels) if at_once >= len(self.labels) else 0
            by_label = {name: np.empty((number, times), dtype=np.float32) for name in kept if number}
            fast, done = _fast(table, self.tallies.units), 0
            for weights in self._weights([table], len(self.labels) * len(fields)):
                part = slice(done, done + len(weights))
                done += len(weights)
                sums = as_sums((weights @ fast).reshape(len(weights), -1, len(fields)), fields)
                together = {field: values.sum(axis=1) for field, values in sums.items()}
                for name, function in self.functions.items():
                    overall[name][part] = function(together)
                    if name in by_label:
                        by_label[name][:, part] = function(sums).T
                for name, function in self.averages.items():
                    overall[name][part] = function(sums)
            found.append((overall, by_label))
        return found

    def _label_blocks(self, system: int) -> Iterator[tuple[int, int, dict[str, Array]]]:
        """Some labels (first, end) at a time, and their scores in each resample: labels × times."""
        (at_once, kept), fields = self._labels_at_once, self._read_by_label
        if at_once >= len(self.labels):
            yield 0, len(self.labels), self._resampled[system][1]
            return
        whole, width = self._wide_tables[system], len(fields)
        fast = _fast(whole, self.tallies.units)
        for first in range(0, len(self.labels), at_once):
            end = min(first + at_once, len(self.labels))
            found = {name: np.empty((end - first, self.settings.times), dtype=np.float32) for name in kept}
            table, done = fast[:, first * width : end * width], 0
            for weights in self._weights([whole], len(self.labels) * width):
                part = slice(done, done + len(weights))
                done += len(weights)
                sums = as_sums((weights @ table).reshape(len(weights), -1, width), fields)
                for name, values in found.items():
                    values[:, part] = self.functions[name](sums).T
            yield first, end, found

    @cached_property
    def _resampled_label_intervals(self) -> dict[str, tuple[Floats, Bools]]:
        """The ends of the interval of each score (systems × labels × 2), and whether they were corrected (BCa)."""
        shape = (len(self.systems), len(self.labels))
        found_ends = {name: (np.full((*shape, 2), np.nan), np.zeros(shape, dtype=bool)) for name in self.functions}
        for system in range(len(self.systems)):
            for first, end, found in self._label_blocks(system):
                for name, values in found.items():
                    ends, corrected = found_ends[name]
                    ends[system, first:end] = percentiles(values)
                    for label in range(first, end) if self.settings.interval == "bca" else ():
                        observed = float(self._observed_by_label[name][system, label])
                        left_out = self._jackknife_of_label(name, system, label)
                        better = bca(observed, values[label - first].astype(np.float64), *left_out)
                        if better is not None:
                            ends[system, label], corrected[system, label] = better, True
        return found_ends

    def _jackknife(self, name: str, rows: Ints, sizes: Ints) -> Floats:
        """A score with one unit of each row left out."""
        return self.functions[name](as_sums(sizes @ rows - rows, self.tallies.read))

    def _jackknife_of_label(self, name: str, system: int, label: int) -> tuple[Floats, Ints]:
        fields = self._read_by_label
        table = self._wide_tables[system][:, label * len(fields) : (label + 1) * len(fields)]
        table = table if isinstance(table, np.ndarray) else table.toarray()
        table = table[np.argsort(self._row_digests[system])]
        return self.functions[name](as_sums(table.sum(axis=0) - table, fields)), np.ones(len(table), dtype=np.int64)

    # --- comparisons ---

    @property
    def _tested(self) -> list[str]:
        """The scores that systems are compared on."""
        return [name for name in self.measure.definition.tested if name in self.functions or name in self.averages]

    def comparisons(self) -> Iterator[Comparison]:
        """Every pair of systems, tested by shuffling, on the scores the measure is compared on."""
        for a, b in combinations(range(len(self.systems)), 2):
            if self.settings.baseline not in (None, self.systems[a], self.systems[b]):
                continue
            differences = {name: float(self._observed[name][b] - self._observed[name][a]) for name in self._tested}
            intervals = self._difference_intervals(a, b, differences)
            for name in self._tested:
                low, high, interval = intervals[name]
                outcome, power = self._test(a, b, name, (low, high))
                yield Comparison(
                    a=self.systems[a],
                    b=self.systems[b],
                    measure=str(self.measure),
                    score=name,
                    slice=self.slice,
                    difference=differences[name],
                    low=low,
                    high=high,
                    test="shuffling",
                    p=outcome.p,
                    p_low=outcome.low,
                    p_high=outcome.high,
                    p_adjusted=float("nan"),
                    units=outcome.units,
                    exact=outcome.exact,
                    interval="" if math.isnan(low) else interval,
                    power=power,
                )

    def _difference_intervals(self, a: int, b: int, observed: dict[str, float]) -> dict[str, _Ends]:
        """For each score tested the ends of the interval of its difference, and its kind."""
        asked = self.settings.interval
        if asked == "score" and self.tallies.units < FEW_FOR_PERCENTILES:
            return {name: self._t_difference(a, b, name, value) for name, value in observed.items()}
        if self.tallies.units < 2:
            return dict.fromkeys(observed, (math.nan, math.nan, ""))
        if len(self.systems) > MANY:
            drawn = {name: (False, values[:, b] - values[:, a]) for name, values in self._common_replicates.items()}
        else:
            drawn = self._pair_replicates(a, b, list(observed))
        found = {}
        for name, (turned, replicates) in drawn.items():
            ends, kind = percentile(replicates), "percentile"
            if asked == "bca" and name in self.functions:
                rows = self._drawn(*((b, a) if turned else (a, b)))
                one, other = (self._jackknife(name, half, rows.sizes) for half in np.split(rows.rows, 2, axis=1))
                value = -observed[name] if turned else observed[name]
                corrected = bca(value, replicates, other - one, rows.sizes)
                if corrected is not None:
                    ends, kind = corrected, "bca"
            low, high = (-ends[1], -ends[0]) if turned else ends
            found[name] = (low, high, kind)
        return found

    def _t_difference(self, a: int, b: int, name: str, value: float) -> tuple[float, float, str]:
        """Student's interval of a difference, from what units add to it."""
        turned = self._is_turned(a, b, wide=name in self.averages)
        first, second = (b, a) if turned else (a, b)
        sizes: Array
        if name in self.averages:
            order, tables = np.argsort(self._contents((first, second))), self._wide_tables
            one, other = (self._linear(name, tables[i][order], i) for i in (first, second))
            sizes, function = np.ones(len(one)), self.averages[name]
        else:
            rows = self._drawn(first, second)
            halves = zip((first, second), np.split(rows.rows, 2, axis=1), strict=True)
            one, other = (self._linear(name, half, side) for side, half in halves)
            sizes, function = rows.sizes, self.functions[name]
        low, high = range_of(function)
        variance = _variance(other - one, sizes)
        return *t_interval(value, variance, self.tallies.units, low - high, high - low), "t"

    def _test(self, a: int, b: int, name: str, ends: tuple[float, float]) -> tuple[Shuffling, Power | None]:
        """The test of two systems on a score, and what it could have found; `ends` are those of the difference."""
        if name in self.averages:
            return self._test_of_average(a, b, name, ends)
        function, fields = self.functions[name], self.tallies.read
        found, differing = self.tallies.swaps(a, b)
        if found is None:
            rows = self.tallies.block_rows(a, b)
            change = np.subtract(*np.split(rows.rows, 2, axis=1))
            found = Collapsed.of(change[change.any(axis=1)], rows.sizes[change.any(axis=1)])
        turned = Collapsed.of(-found.rows, found.sizes)
        if is_less(found.rows, found.sizes, turned.rows, turned.sizes):
            a, b, found, ends = b, a, turned, (-ends[1], -ends[0])

        def difference(x: Floats, y: Floats) -> Floats:
            return np.asarray(function(as_sums(y, fields)) - function(as_sums(x, fields)))

        columns = [self.fields.index(name) for name in fields]
        one, other = (self.totals[system][columns].astype(np.float64) for system in (a, b))
        swaps, rng = found.rows.astype(np.float64), self._generator(rows_text(SHUFFLING, found.rows, found.sizes))
        outcome = shuffling_test(one, other, swaps, found.sizes, difference, rng, self.settings.times)
        outcome = replace(outcome, units=differing)
        return outcome, self._power(one, other, swaps, found.sizes, difference, outcome, ends, rng)

    def _generator(self, content: str | bytes) -> np.random.Generator:
        return generator(self.settings.seed, content)

    def _power(
        self,
        a: Floats,
        b: Floats,
        swaps: Array,
        sizes: Ints,
        difference: Callable[[Floats, Floats], Floats],
        outcome: Shuffling,
        ends: tuple[float, float],
        rng: np.random.Generator,
    ) -> Power | None:
        """The power of a test; slices and scores beside the main one claim nothing."""
        chance, alpha = self.settings.power, self.settings.alpha
        if chance is None or self.slice is not None or swaps.shape[1] > MOST_FIELDS:
            return None
        found = detectable(
            *(a, b, swaps, sizes, difference, outcome, ends, rng),
            units=self.tallies.units,
            alpha=alpha,
            chance=chance,
        )
        if found is None:
            return None
        reachable = 2.0 ** (1 - outcome.units)
        return Power(alpha, chance, reachable, *vars(found).values())

    def _test_of_average(
        self, a: int, b: int, name: str, ends: tuple[float, float]
    ) -> tuple[Shuffling, Power | None]:
        """The test of two systems on an average over labels, of which each unit has many counts."""
        power = None
        if len(self.systems) > MANY:
            outcome = self._common_tests[name][a, b]
        else:
            tables = self._wide_tables
            rows = np.flatnonzero(np.asarray((tables[a] != tables[b]).sum(axis=1)))
            one, other = tables[a][rows] - tables[b][rows], tables[b][rows] - tables[a][rows]
            contents = [_row_digests(change) for change in (one, other)]
            if sorted(contents[0]) < sorted(contents[1]):
                a, b, one, contents, ends = b, a, other, contents[::-1], (-ends[1], -ends[0])
            order = sorted(range(len(rows)), key=contents[0].__getitem__)
            rng = self._generator(SHUFFLING.encode() + b"\n" + b"".join(sorted(contents[0])))
            columns = np.flatnonzero(np.asarray((one != 0).sum(axis=0)))
            sums = [np.asarray(table.sum(axis=0), dtype=np.float64).ravel() for table in (tables[a], tables[b])]
            whole = self._difference_of_average(self.averages[name])

            def difference(x: Floats, y: Floats) -> Floats:
                sides = [np.broadcast_to(total, (*x.shape[:-1], len(total))).copy() for total in sums]
                for side, part in zip(sides, (x, y), strict=True):
                    side[..., columns] = part
                return whole(*sides)

            of_a, of_b = (total[columns] for total in sums)
            swaps, sizes = one[order][:, columns], np.ones(len(rows), dtype=np.int64)
            outcome = shuffling_test(of_a, of_b, swaps, sizes, difference, rng, self.settings.times, len(sums[0]))
            swaps = swaps if isinstance(swaps, np.ndarray) else swaps.toarray()
            power = self._power(of_a, of_b, swaps, sizes, difference, outcome, ends, rng)
        if self.tallies.units > BLOCKS:
            outcome = replace(outcome, units=self.tallies.differing_units(a, b))
        return outcome, power

    def _difference_of_average(self, function: ScoreFunction) -> Callable[[Floats, Floats], Floats]:
        fields = self._read_by_label

        def difference(x: Floats, y: Floats) -> Floats:
            shape = (*x.shape[:-1], -1, len(fields))
            return np.asarray(
                function(as_sums(y.reshape(shape), fields)) - function(as_sums(x.reshape(shape), fields))
            )

        return difference

    @cached_property
    def _common_tests(self) -> dict[str, dict[tuple[int, int], Shuffling]]:
        """Of very many systems the tests of all pairs on each average over labels: one toss of coins for all."""
        order = sorted(range(len(self.systems)), key=lambda system: self._digests[system])
        contents = self._contents(order)
        rows = sorted(range(len(contents)), key=contents.__getitem__)
        tables = [table[rows] for table in self._wide_tables]
        found = {}
        for name in self._tested:
            if name in self.averages:
                rng = generator(self.settings.seed, SHUFFLING.encode() + b"\n" + b"".join(sorted(contents)))
                pairs = list(combinations(order, 2))
                difference = self._difference_of_average(self.averages[name])
                tests = shuffling_tests(tables, pairs, difference, rng, self.settings.times)
                found[name] = {**tests, **{(b, a): outcome for (a, b), outcome in tests.items()}}
        return found


def _as_proportion(function: ScoreFunction | None, totals: Sums) -> ScoreFunction | None:
    """The score; with equal tokenisation F1 is a proportion, the accuracy."""
    return recall if function is f1 and "aligned" in totals and totals["gold"] == totals["system"] else function


def range_of(function: ScoreFunction | None) -> tuple[float, float]:
    """The least and the most that a score can be."""
    return (function.low, function.high) if isinstance(function, Ranged) else (0.0, 1.0)


def _factor(sizes: Array) -> float:
    """n / (n − 1)."""
    number = float(sizes.sum())
    return number / max(1.0, number - 1)


def _variance(values: Floats, sizes: Array) -> float:
    """The variance of a score to which each of so many units adds a value."""
    centred = values - float(sizes @ values) / float(sizes.sum())
    return _factor(sizes) * float(sizes @ centred**2)


def _gradient(function: ScoreFunction, totals: Floats, fields: Sequence[str], *, of_all: bool = True) -> Floats:
    """Gradient of a score in its counts, by central differences: labels × fields.

    The score is one of all labels, or each label has its own. Where nothing is counted it does not matter.
    """
    gradient = np.zeros(totals.shape)
    steps = np.maximum(1.0, _STEP * totals)
    if not of_all:
        for field in range(len(fields)):
            step = np.zeros(totals.shape)
            step[:, field] = steps[:, field]
            below, here, above = (function(as_sums(totals + sign * step, fields)) for sign in (-1, 0, 1))
            gradient[:, field] = np.where(totals[:, field] > 0, _slope(below, here, above, steps[:, field]), 0.0)
        return gradient
    # Labels with equal sums have equal gradients.
    distinct, group = np.unique(totals, axis=0, return_inverse=True)
    first = np.array([np.flatnonzero(group.ravel() == number)[0] for number in range(len(distinct))], dtype=np.int64)
    places = [(label, field) for label in first.tolist() for field in range(len(fields)) if totals[label, field] > 0]
    middle = function(as_sums(totals, fields))
    for begin in range(0, len(places), at_once := max(1, (1 << 21) // max(1, totals.size))):
        some = places[begin : begin + at_once]
        index = (np.arange(len(some)), *(np.array(column) for column in zip(*some, strict=True)))
        ends = []
        for sign in (-1, 1):
            moved = np.repeat(totals[None], len(some), axis=0)
            moved[index] += sign * steps[index[1:]]
            ends.append(function(as_sums(moved, fields)))
        gradient[index[1:]] = _slope(ends[0], middle, ends[1], steps[index[1:]])
    return np.asarray(gradient[first[group.ravel()]])


def _slope(below: Floats, here: Floats, above: Floats, step: Floats) -> Floats:
    """The slope between two ends, or on the side where the score is defined."""
    both = (above - below) / (2 * step)
    one = np.where(np.isnan(below), (above - here) / step, (here - below) / step)
    return np.asarray(np.nan_to_num(np.where(np.isnan(both), one, both)))


def _fast(table: Any, units: int) -> Any:
    """A table as it is multiplied fastest; single precision holds sums of whole numbers below 2^24."""
    highest = float(table.max(initial=0) if isinstance(table, np.ndarray) else table.max())
    return table.astype(np.float32) if highest * units < 1 << 24 else table


def _row_digests(table: Any) -> list[bytes]:
    """A checksum of each row of a table, dense or sparse."""
    if isinstance(table, np.ndarray):
        rows: Iterator[bytes] = (row.tobytes() for row in table)
    else:
        table.sort_indices()
        ends = pairwise(table.indptr.tolist())
        rows = (table.indices[i:j].astype("<i8").tobytes() + table.data[i:j].tobytes() for i, j in ends)
    return [hashlib.blake2b(row, digest_size=16).digest() for row in rows]
