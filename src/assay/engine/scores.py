"""Counts of several systems → scores with intervals, and tests between systems. Every measure goes this way."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from assay.arrays import Array, Bools, Floats, Ints, distinct_rows
from assay.engine.counts import BLOCKS, Collapsed, Tallies, as_sums, by_name
from assay.engine.measure import Measure, Proportion, f1
from assay.engine.measure import Score as ScoreFunction
from assay.result import Comparison, CountsRow, Score
from assay.stats.intervals import bca, percentile, percentiles, wilson
from assay.stats.resample import Draws, bootstrap_sums, draws_units, is_costly, unit_sums, unit_weights
from assay.stats.significance import Shuffling, shuffling_test, shuffling_tests

MOST_NUMBERS = 1 << 27
"""The most resampled scores of labels in all …"""
HELD_NUMBERS = 1 << 24
"""… and at a time: 64 MB."""


@dataclass(frozen=True)
class Settings:
    """Seed, number of resamples and kind of interval; and what was drawn already."""

    seed: int
    times: int
    interval: str
    _drawn: dict[str | None, Draws] = field(default_factory=dict, compare=False)
    sums: dict[tuple[object, ...], Floats] = field(default_factory=dict, compare=False)
    """Resampled sums by what was resampled: measures with the same counts share them."""

    def drawn(self, where: str | None) -> Draws:
        """Draws over a slice that were kept: all measures over the same units share them."""
        return self._drawn.setdefault(where, {})

    def forget(self, where: str | None) -> None:
        """Forget what was drawn over a slice; it would be drawn alike again."""
        self._drawn.pop(where, None)
        for key in [key for key in self.sums if key[0] == where]:
            del self.sums[key]

    def rng(self, *purpose: object) -> np.random.Generator:
        """A generator of its own for each purpose, so that asking for more changes nothing else."""
        return np.random.default_rng([self.seed, zlib.crc32("\t".join(map(str, purpose)).encode())])


def draw_together(figures: Iterable[Figures]) -> None:
    """Resample all measures for which units are drawn outright by one product each time: it costs hardly more.

    The sums are those that each would find by itself, to the last digit.
    """
    groups: dict[tuple[str | None, int], list[tuple[Figures, Ints]]] = {}
    needed_again = set()
    for one in figures:
        if one.by_label:
            needed_again.add(one.slice)
        elif draws_units(*one.narrow):
            rows = np.repeat(*one.narrow, axis=0)
            groups.setdefault((one.slice, len(rows)), []).append((one, rows))
    for (where, _), members in groups.items():
        settings = members[0][0].settings
        rng = settings.rng("bootstrap", where)
        joint = np.concatenate([rows for _, rows in members], axis=1)
        # Draws that labels will ask for again are kept; of a large corpus they take 40 MB.
        kept = settings.drawn(where) if where in needed_again else None
        drawn = unit_sums(joint, settings.times, rng, kept)
        ends = np.cumsum([rows.shape[1] for _, rows in members])
        for (one, _), part in zip(members, np.split(drawn, ends[:-1], axis=1), strict=True):
            settings.sums[one.key] = part


class Figures:
    """One measure over one selection of the data, for all systems."""

    def __init__(self, measure: Measure, where: str | None, tallies: Tallies, settings: Settings) -> None:
        self.measure, self.slice, self.tallies, self.settings = measure, where, tallies, settings
        self.systems, self.labels, self.fields = tallies.systems, tallies.labels or (), tallies.fields
        self.by_label = tallies.by_unit is not None or tallies.by_block is not None
        self.functions = dict(measure.scores)
        self.averages = dict(measure.averages) if self.by_label else {}
        # The order in which systems are given changes nothing.
        self.by_name = by_name(tallies.systems)
        self.totals = [total if tallies.labels is None else total.sum(axis=0) for total in tallies.totals]

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
                    yield Score(*row, main=name == self.measure.main, interval=interval)

    def counts_rows(self) -> Iterator[CountsRow]:
        """The counts behind the scores, overall and per label."""
        for index, system in enumerate(self.systems):
            by_label = zip(self.labels, self.tallies.totals[index], strict=True) if self.labels else ()
            for label, row in [(None, self.totals[index]), *by_label]:
                named = dict(zip(self.fields, row.tolist(), strict=True))
                yield CountsRow(system, str(self.measure), label, self.slice, named)

    @property
    def pooled(self) -> bool:
        """True if blocks of units were resampled in place of units."""
        return self.tallies.units > BLOCKS if self.by_label else self._collapsed is None

    @cached_property
    def _collapsed(self) -> Collapsed | None:
        collapsed = self.tallies.joint
        if collapsed is None:
            return None
        # Many units that hardly collapse are drawn as blocks too: one product serves all measures.
        costly = int(collapsed.sizes.sum()) > BLOCKS and is_costly(collapsed.rows, collapsed.sizes)
        return None if costly else collapsed

    @cached_property
    def narrow(self) -> tuple[Ints, Ints]:
        """Rows to resample and their sizes: collapsed units, or blocks."""
        if self._collapsed is not None:
            return self._collapsed.rows, self._collapsed.sizes
        assert self.tallies.sums is not None
        rows, _, sizes = distinct_rows(self.tallies.sums)
        return rows, sizes

    @property
    def key(self) -> tuple[object, ...]:
        """A key of the rows resampled, whatever the measure: figures with the same key have the same sums."""
        rows, sizes = self.narrow
        return (self.slice, rows.shape, rows.tobytes(), sizes.tobytes())

    def _of_systems(self, joint: Array) -> Array:
        """Joint rows as rows × systems × fields, the systems as they were given."""
        return joint.reshape(len(joint), len(self.systems), -1)[:, np.argsort(self.by_name)]

    @cached_property
    def _replicates(self) -> dict[str, Floats]:
        """Each overall score of each system in each resample: times × systems."""
        if self.by_label:
            return self._resampled[0]
        known, key, settings = self.settings.sums, self.key, self.settings
        if key not in known:
            rng = settings.rng("bootstrap", self.slice)
            known[key] = bootstrap_sums(*self.narrow, settings.times, rng, settings.drawn(self.slice))
        sums = as_sums(self._of_systems(known[key]), self.tallies.read)
        return {name: function(sums) for name, function in self.functions.items()}

    @cached_property
    def _wide_tables(self) -> list[Any]:
        """Each system's counts as units × (labels · fields), blocks in place of units where these are too many.

        The rows stand in an order that depends on what is in them alone, as collapsed rows do.
        """

        def contents(table: Any) -> list[Any]:
            if isinstance(table, np.ndarray):
                return [row.tobytes() for row in table]
            table.sort_indices()
            ends = pairwise(table.indptr.tolist())
            return [(table.indices[i:j].tobytes(), table.data[i:j].tobytes()) for i, j in ends]

        tables = self.tallies.wide()
        joint = list(zip(*(contents(tables[index]) for index in self.by_name), strict=True))
        order = sorted(range(len(joint)), key=joint.__getitem__)
        return [table[order] for table in tables]

    def _drawn_sums(self, tables: Sequence[Any]) -> Iterator[tuple[slice, int, dict[str, Array]]]:
        """Some resamples at a time, a system, and its sums: resamples × labels by field.

        One product gives the sums of all labels. How often each unit is drawn is the same for all measures over the
        same units.
        """
        settings, done = self.settings, 0
        rng, kept = settings.rng("bootstrap", self.slice), settings.drawn(self.slice)
        fields, width = self._read_by_label, len(self.labels) * len(self.fields)
        for weights in unit_weights(tables[0].shape[0], settings.times, rng, kept, width):
            part = slice(done, done + len(weights))
            done += len(weights)
            for system, table in enumerate(tables):
                sums = (weights @ table).reshape(len(weights), -1, len(fields))
                yield part, system, as_sums(sums, fields)

    @cached_property
    def _read_by_label(self) -> tuple[str, ...]:
        """The fields that scores and averages read: no others are multiplied."""
        sums = as_sums(self.tallies.totals[0], self.fields)
        return self.measure.fields_read(sums, averages=True)

    def _product_tables(self) -> list[Any]:
        """The tables as they are multiplied fastest; single precision holds sums of whole numbers below 2^24."""
        tables = []
        kept = np.isin(np.tile(self.fields, len(self.labels)), self._read_by_label)
        for whole in self._wide_tables:
            table = whole if kept.all() else whole[:, np.flatnonzero(kept)]
            highest = float(table.max(initial=0) if isinstance(table, np.ndarray) else table.max())
            tables.append(table.astype(np.float32) if highest * self.tallies.units < 1 << 24 else table)
        return tables

    @property
    def _labels_at_once(self) -> tuple[int, list[str]]:
        """The number of labels held at a time, and the scores that have intervals by label: of very many labels the
        first alone, which takes time enough."""
        numbers = self.settings.times * len(self.systems)
        kept = list(self.functions)[: max(1, MOST_NUMBERS // max(1, numbers * len(self.labels)))]
        return max(1, HELD_NUMBERS // (numbers * len(kept))), kept

    @cached_property
    def _resampled(self) -> tuple[dict[str, Floats], dict[str, Array]]:
        """Of a measure by label each score and average in each resample, times × systems; and by label, systems ×
        labels × times, unless these are too many to be held."""
        shape = (self.settings.times, len(self.systems))
        overall = {name: np.empty(shape) for name in (*self.functions, *self.averages)}
        at_once, number = self._labels_at_once[0], len(self.labels)
        by_label = self._room_for(number) if at_once >= number else {}
        for part, system, sums in self._drawn_sums(self._product_tables()):
            together = {field: values.sum(axis=1) for field, values in sums.items()}
            for name, function in self.functions.items():
                overall[name][part, system] = function(together)
                if name in by_label:
                    by_label[name][system, :, part] = function(sums).T
            for name, function in self.averages.items():
                overall[name][part, system] = function(sums)
        return overall, by_label

    def _room_for(self, labels: int) -> dict[str, Array]:
        shape = (len(self.systems), labels, self.settings.times)
        return {name: np.empty(shape, dtype=np.float32) for name in self._labels_at_once[1]}

    def _label_blocks(self) -> Iterator[tuple[int, int, dict[str, Array]]]:
        """Some labels (first, end) at a time, and their scores in each resample: systems × labels × times."""
        at_once, width = self._labels_at_once[0], len(self._read_by_label)
        if at_once >= len(self.labels):
            yield 0, len(self.labels), self._resampled[1]
            return
        whole = self._product_tables()
        for first in range(0, len(self.labels), at_once):
            end = min(first + at_once, len(self.labels))
            found = self._room_for(end - first)
            tables = [table[:, first * width : end * width] for table in whole]
            for part, system, sums in self._drawn_sums(tables):
                for name, values in found.items():
                    values[system, :, part] = self.functions[name](sums).T
            yield first, end, found

    @cached_property
    def _label_intervals(self) -> dict[str, tuple[Floats, Bools]]:
        """The ends of the interval of each score (systems × labels × 2), and whether they were corrected (BCa)."""
        shape = (len(self.systems), len(self.labels))
        found_ends = {name: (np.full((*shape, 2), np.nan), np.zeros(shape, dtype=bool)) for name in self.functions}
        for first, end, found in self._label_blocks():
            for name, replicates in found.items():
                ends, corrected = found_ends[name]
                for system, values in enumerate(replicates):
                    ends[system, first:end] = percentiles(values)
                    for label in range(first, end) if self.settings.interval == "bca" else ():
                        observed = float(self._observed_by_label[name][system, label])
                        left_out = self._jackknife(name, system, label)
                        better = bca(observed, values[label - first].astype(np.float64), *left_out)
                        if better is not None:
                            ends[system, label], corrected[system, label] = better, True
        return found_ends

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
        if np.isnan(value):
            return value, value, value, ""
        if asked == "wilson" and (total := self._denominator(name, system, label)) is not None:
            return value, *wilson(value * total, total), "wilson"
        if label is not None:
            ends, improved = self._label_intervals[name]
            low, high = ends[system, label].tolist()
            return value, low, high, "" if np.isnan(low) else "bca" if improved[system, label] else "percentile"
        replicates = self._replicates[name][:, system]
        if asked == "bca" and name in self.functions:
            corrected = bca(value, replicates, *self._jackknife(name, system))
            if corrected is not None:
                return value, *corrected, "bca"
        return value, *percentile(replicates), "percentile"

    def _denominator(self, name: str, system: int, label: int | None) -> float | None:
        """The denominator of a score that is a proportion."""
        totals = self.totals[system] if label is None else self.tallies.totals[system][label]
        sums = as_sums(totals, self.fields)
        if label is None:
            sums = {field: sums[field] for field in self.tallies.read}
        function = self.functions.get(name)
        if function is f1 and "aligned" in sums and sums["gold"] == sums["system"]:
            # With equal tokenisation F1 is a proportion, the accuracy.
            return float(sums["gold"])
        return float(function.total(sums)) if isinstance(function, Proportion) else None

    def _jackknife(self, name: str, system: int, label: int | None = None) -> tuple[Floats, Ints]:
        """A score with one unit of each row left out, and how many units have that row."""
        if label is None:
            rows, sizes = self.narrow
            left, fields = self._of_systems(sizes @ rows - rows)[:, system], self.tallies.read
        else:
            fields = self.fields
            table = self._wide_tables[system][:, label * len(fields) : (label + 1) * len(fields)]
            table = table if isinstance(table, np.ndarray) else table.toarray()
            left, sizes = table.sum(axis=0) - table, np.ones(len(table), dtype=np.int64)
        return self.functions[name](as_sums(left, fields)), sizes

    # --- comparisons ---

    def comparisons(self) -> Iterator[Comparison]:
        """Every pair of systems, tested by shuffling, on the scores the measure is compared on."""
        tested = [name for name in self.measure.definition.tested if name in self.functions or name in self.averages]
        for a, b in combinations(range(len(self.systems)), 2):
            for name in tested:
                difference = float(self._observed[name][b] - self._observed[name][a])
                replicates = self._replicates[name][:, b] - self._replicates[name][:, a]
                (low, high), interval = percentile(replicates), "percentile"
                if self.settings.interval == "bca" and name in self.functions:
                    (of_a, sizes), (of_b, _) = self._jackknife(name, a), self._jackknife(name, b)
                    corrected = bca(difference, replicates, of_b - of_a, sizes)
                    if corrected is not None:
                        (low, high), interval = corrected, "bca"
                outcome = self._test(a, b, name)
                yield Comparison(
                    a=self.systems[a],
                    b=self.systems[b],
                    measure=str(self.measure),
                    score=name,
                    slice=self.slice,
                    difference=difference,
                    low=low,
                    high=high,
                    test="shuffling",
                    p=outcome.p,
                    p_low=outcome.low,
                    p_high=outcome.high,
                    p_adjusted=float("nan"),
                    units=outcome.units,
                    exact=outcome.exact,
                    interval=interval,
                )

    def _test(self, a: int, b: int, name: str) -> Shuffling:
        """The test of two systems on a score."""
        a, b = (index for index in self.by_name if index in (a, b))
        if name in self.averages:
            outcome = self._wide_tests[name][a, b]
            pooled = self.tallies.units > BLOCKS
            return replace(outcome, units=self.tallies.differing_units(a, b)) if pooled else outcome
        function, fields = self.functions[name], self.tallies.read
        found, differing = self.tallies.swaps(a, b)
        if found is not None:
            swaps, sizes = found.rows, found.sizes
        else:
            assert self.tallies.sums is not None
            sides = self._of_systems(self.tallies.sums)
            differences = sides[:, a] - sides[:, b]
            swaps, _, sizes = distinct_rows(differences[differences.any(axis=1)])

        def difference(x: Floats, y: Floats) -> Floats:
            return np.asarray(function(as_sums(y, fields)) - function(as_sums(x, fields)))

        columns = [self.fields.index(name) for name in fields]
        outcome = shuffling_test(
            self.totals[a][columns].astype(np.float64),
            self.totals[b][columns].astype(np.float64),
            swaps.astype(np.float64),
            sizes,
            difference,
            self.settings.rng("shuffling", self.slice, self.systems[a], self.systems[b]),
            self.settings.times,
        )
        return replace(outcome, units=differing)

    @cached_property
    def _wide_tests(self) -> dict[str, dict[tuple[int, int], Shuffling]]:
        """For each average over labels that is tested the tests of all pairs, systems in the order of their names."""
        fields = self.fields
        names = [self.systems[index] for index in self.by_name]
        found = {}
        for name, function in self.averages.items():

            def difference(x: Floats, y: Floats, function: ScoreFunction = function) -> Floats:
                shape = (*x.shape[:-1], -1, len(fields))
                return np.asarray(
                    function(as_sums(y.reshape(shape), fields)) - function(as_sums(x.reshape(shape), fields))
                )

            if name in self.measure.definition.tested:
                rng = self.settings.rng("shuffling averages", self.slice, *names)
                pairs = list(combinations(self.by_name, 2))
                found[name] = shuffling_tests(self._wide_tables, pairs, difference, rng, self.settings.times)
        return found
