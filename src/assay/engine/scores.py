"""Counts of several systems → scores with intervals, and tests between systems. Every measure goes this way."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from assay.arrays import Array, Bools, Floats, Ints, distinct_rows
from assay.engine.counts import Collapsed, as_sums
from assay.engine.measure import Measure, Proportion, f1
from assay.engine.measure import Score as ScoreFunction
from assay.engine.tallies import BLOCKS, Tallies, by_name
from assay.result import Comparison, CountsRow, Score
from assay.stats.intervals import bca, percentile, percentiles, wilson
from assay.stats.resample import Drawn, bootstrap_sums, draws_units, is_costly, unit_sums, unit_weights
from assay.stats.significance import Shuffling, shuffling_test, shuffling_tests

MOST_NUMBERS = 1 << 27
"""How many resampled scores of labels there may be in all …"""
HELD_NUMBERS = 1 << 24
"""… and how many are held at a time: 64 MB."""


@dataclass(frozen=True)
class Settings:
    """How chance is handled."""

    seed: int
    times: int
    interval: str
    _drawn: dict[str, Drawn] = field(default_factory=dict, compare=False)
    sums: dict[tuple[object, ...], Floats] = field(default_factory=dict, compare=False)
    """Resampled sums by what was resampled: measures with the same counts share them."""

    def drawn(self, *purpose: object) -> Drawn:
        """Draws for a purpose that were kept: all measures over the same units share them."""
        return self._drawn.setdefault("\t".join(map(str, purpose)), {})

    def forget(self, *purpose: object) -> None:
        """What was drawn for a purpose is needed no more; it would be drawn alike again."""
        self._drawn.pop("\t".join(map(str, purpose)), None)
        for key in [key for key in self.sums if key[: len(purpose)] == purpose]:
            del self.sums[key]

    def rng(self, *purpose: object) -> np.random.Generator:
        """A generator of its own for each purpose, so that asking for more changes nothing else."""
        return np.random.default_rng([self.seed, zlib.crc32("\t".join(map(str, purpose)).encode())])


def draw_together(figures: Iterable[Figures]) -> None:
    """Resample all measures for which units are drawn outright by one product each time: it costs hardly more.

    The sums are those that each would find by itself, to the last digit.
    """
    groups: dict[tuple[tuple[object, ...], int], list[tuple[Figures, Ints]]] = {}
    needed_again = set()
    for one in figures:
        if one._by_label:
            needed_again.add(one._purpose())
        elif draws_units(*one._narrow):
            rows = np.repeat(*one._narrow, axis=0)
            groups.setdefault((one._purpose(), len(rows)), []).append((one, rows))
    for (purpose, _), members in groups.items():
        settings = members[0][0].settings
        rng = settings.rng("bootstrap", *purpose)
        joint = np.concatenate([rows for _, rows in members], axis=1)
        # Draws that labels will ask for again are kept; of a large corpus they take 40 MB.
        kept = settings.drawn(*purpose) if purpose in needed_again else None
        drawn = unit_sums(joint, settings.times, rng, kept)
        ends = np.cumsum([rows.shape[1] for _, rows in members])
        for (one, _), part in zip(members, np.split(drawn, ends[:-1], axis=1), strict=True):
            settings.sums[one._resampled_key] = part


@dataclass(frozen=True, eq=False)
class Figures:
    """One measure over one selection of the data, for all systems."""

    measure: Measure
    slice: str | None
    tallies: Tallies
    settings: Settings

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, as they were given."""
        return self.tallies.systems

    # --- scores ---

    def scores(self, *, labels: bool = True) -> Iterator[Score]:
        """All scores with their intervals, the overall ones first."""
        for index, system in enumerate(self.systems):
            for name in (*self._functions, *self._averages):
                yield self._score(system, name, None, self._interval(name, index))
        for index, label in enumerate(self.tallies.labels or () if labels else ()):
            for number, system in enumerate(self.systems):
                for name in self._functions:
                    yield self._score(system, name, label, self._interval(name, number, index))

    def main_scores(self) -> Iterator[Score]:
        """The main score of each system with its interval."""
        name = self.measure.main
        for index, system in enumerate(self.systems):
            yield self._score(system, name, None, self._interval(name, index))

    def _score(self, system: str, name: str, label: str | None, figure: tuple[float, float, float, str]) -> Score:
        main = name == self.measure.main
        return Score(system, str(self.measure), name, label, self.slice, *figure[:3], main=main, interval=figure[3])

    def counts_rows(self) -> Iterator[CountsRow]:
        """The counts behind the scores, overall and per label."""
        fields, labels = self.tallies.fields, self.tallies.labels
        for index, system in enumerate(self.systems):
            totals = self.tallies.total(index)
            rows: list[tuple[str | None, Ints]] = [(None, self._overall(index))]
            if labels is not None:
                rows.extend(zip(labels, totals, strict=True))
            for label, row in rows:
                named = dict(zip(fields, row.tolist(), strict=True))
                yield CountsRow(system, str(self.measure), label, self.slice, named)

    @property
    def pooled(self) -> bool:
        """Whether blocks of units were resampled in place of units."""
        return self._too_many_units if self._by_label else self._collapsed is None

    @property
    def _by_label(self) -> bool:
        """Whether each label is resampled by itself; in a slice only where the main score is an average over them."""
        needed = self.slice is None or self.measure.main in self.measure.averages
        return self.tallies.labels is not None and needed

    def _overall(self, system: int) -> Array:
        """A system's totals, labels summed up: one number per field."""
        totals = self.tallies.total(system)
        return totals if self.tallies.labels is None else totals.sum(axis=0)

    def _sums(self, system: int) -> dict[str, Floats]:
        """A system's totals by field, ready for a score."""
        return as_sums(self.tallies.total(system), self.tallies.fields)

    @property
    def _functions(self) -> dict[str, ScoreFunction]:
        return dict(self.measure.scores)

    @property
    def _averages(self) -> dict[str, ScoreFunction]:
        return dict(self.measure.averages) if self._by_label else {}

    @property
    def _fields(self) -> tuple[str, ...]:
        """The fields that some score reads; the others are counted, not resampled."""
        return self.tallies.read

    @cached_property
    def _collapsed(self) -> Collapsed | None:
        collapsed = self.tallies.joint
        if collapsed is None:
            return None
        # Many units that hardly collapse are drawn as blocks too: one product serves all measures.
        costly = int(collapsed.sizes.sum()) > BLOCKS and is_costly(collapsed.rows, collapsed.sizes)
        return None if costly else collapsed

    @property
    def _pooled(self) -> Ints:
        """The joint rows summed up in blocks."""
        assert self.tallies.sums is not None
        return self.tallies.sums

    def _purpose(self) -> tuple[object, ...]:
        """What a random stream is for. Not the measure: measures with the same counts get the same draws."""
        return (self.slice,)

    @cached_property
    def _by_name(self) -> list[int]:
        """The systems in the order of their names, so that the order in which they are given changes nothing."""
        return by_name(self.systems)

    @cached_property
    def _narrow(self) -> tuple[Ints, Ints]:
        """Rows to resample and their sizes: collapsed units, or blocks."""
        if self._collapsed is not None:
            return self._collapsed.rows, self._collapsed.sizes
        rows, _, sizes = distinct_rows(self._pooled)
        return rows, sizes

    @cached_property
    def _replicates(self) -> dict[str, Floats]:
        """Each overall score of each system in each resample: times × systems."""
        if self._by_label:
            return self._resampled.overall
        sums = as_sums(self._by_system(self._drawn), self._fields)
        return {name: function(sums) for name, function in self._functions.items()}

    @cached_property
    def _drawn(self) -> Floats:
        """The joint rows summed over each resample."""
        known, key, purpose = self.settings.sums, self._resampled_key, self._purpose()
        if key not in known:
            rng = self.settings.rng("bootstrap", *purpose)
            known[key] = bootstrap_sums(*self._narrow, self.settings.times, rng, self.settings.drawn(*purpose))
        return known[key]

    @property
    def _resampled_key(self) -> tuple[object, ...]:
        """What is resampled, for what: figures with the same key have the same sums."""
        rows, sizes = self._narrow
        return (*self._purpose(), rows.shape, rows.tobytes(), sizes.tobytes())

    def _by_system(self, joint: Array) -> Array:
        """Joint rows as rows × systems × fields, the systems as they were given."""
        return joint.reshape(len(joint), len(self.systems), -1)[:, np.argsort(self._by_name)]

    @cached_property
    def _wide_tables(self) -> list[Any]:
        """Each system's counts as units × (labels · fields), blocks in place of units where these are too many.

        The rows stand in an order that depends on what is in them alone, as collapsed rows do.
        """
        tables = self.tallies.wide()
        contents = [_row_contents(tables[index]) for index in self._by_name]
        joint = list(zip(*contents, strict=True))
        order = sorted(range(len(joint)), key=joint.__getitem__)
        return [table[order] for table in tables]

    @cached_property
    def _resampled(self) -> _Resampled:
        """Scores and averages over labels in each resample: one product gives the sums of all labels."""
        tables = [_product_table(table, self.tallies.units) for table in self._wide_tables]
        labels, fields = len(self.tallies.labels or ()), self.tallies.fields
        shape = (self.settings.times, len(tables))
        overall = {name: np.empty(shape) for name in (*self._functions, *self._averages)}
        by_label = self._room_for(labels) if self._labels_at_once >= labels else {}
        done = 0
        for weights in self._unit_weights(tables[0].shape[0], labels * len(fields)):
            part = slice(done, done + len(weights))
            done += len(weights)
            for system, table in enumerate(tables):
                sums = as_sums((weights @ table).reshape(len(weights), labels, len(fields)), fields)
                together = {field: values.sum(axis=1) for field, values in sums.items()}
                for name, function in self._functions.items():
                    overall[name][part, system] = function(together)
                    if name in by_label:
                        by_label[name][system, :, part] = function(sums).T
                for name, function in self._averages.items():
                    overall[name][part, system] = function(sums)
        return _Resampled(overall, by_label)

    @property
    def _kept(self) -> list[str]:
        """The scores that have intervals by label: of very many labels the first alone, which takes time enough."""
        numbers = self.settings.times * len(self.systems) * len(self.tallies.labels or ())
        return list(self._functions)[: max(1, MOST_NUMBERS // max(1, numbers))]

    @property
    def _labels_at_once(self) -> int:
        return max(1, HELD_NUMBERS // (self.settings.times * len(self.systems) * len(self._kept)))

    def _room_for(self, labels: int) -> dict[str, Array]:
        shape = (len(self.systems), labels, self.settings.times)
        return {name: np.empty(shape, dtype=np.float32) for name in self._kept}

    def _label_blocks(self) -> Iterator[tuple[int, int, dict[str, Array]]]:
        """Some labels (first, end) at a time, and their scores in each resample: systems × labels × times."""
        labels, fields = len(self.tallies.labels or ()), self.tallies.fields
        if self._labels_at_once >= labels:
            yield 0, labels, self._resampled.by_label
            return
        tables = [_product_table(table, self.tallies.units) for table in self._wide_tables]
        for first in range(0, labels, self._labels_at_once):
            end = min(first + self._labels_at_once, labels)
            columns = slice(first * len(fields), end * len(fields))
            parts, found, done = [table[:, columns] for table in tables], self._room_for(end - first), 0
            for weights in self._unit_weights(tables[0].shape[0], labels * len(fields)):
                part = slice(done, done + len(weights))
                done += len(weights)
                for system, table in enumerate(parts):
                    sums = as_sums((weights @ table).reshape(len(weights), -1, len(fields)), fields)
                    for name in found:
                        found[name][system, :, part] = self._functions[name](sums).T
            yield first, end, found

    @cached_property
    def _label_intervals(self) -> dict[str, tuple[Floats, Bools]]:
        """The ends of the interval of each score (systems × labels × 2), and whether they were corrected (BCa)."""
        shape = (len(self.systems), len(self.tallies.labels or ()))
        found_ends = {name: (np.full((*shape, 2), np.nan), np.zeros(shape, dtype=bool)) for name in self._functions}
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

    def _unit_weights(self, units: int, width: int) -> Iterator[Array]:
        """How often each unit is drawn, the same for all measures over the same units."""
        rng = self.settings.rng("bootstrap", *self._purpose())
        kept = self.settings.drawn(*self._purpose())
        return unit_weights(units, self.settings.times, rng, kept, width)

    @property
    def _too_many_units(self) -> bool:
        return self.tallies.units > BLOCKS

    @cached_property
    def _observed_by_label(self) -> dict[str, Floats]:
        """Each score of each system and label."""
        totals = [self.tallies.total(index) for index in range(len(self.systems))]
        sums = as_sums(np.stack(totals), self.tallies.fields)
        return {name: function(sums) for name, function in self._functions.items()}

    @cached_property
    def _observed(self) -> dict[str, Floats]:
        """Each score of each system."""
        totals = [self._overall(index) for index in range(len(self.systems))]
        overall = as_sums(np.stack(totals), self.tallies.fields)
        values = {name: function(overall) for name, function in self._functions.items()}
        for name, function in self._averages.items():
            values[name] = np.array([float(function(self._sums(index))) for index in range(len(self.systems))])
        return values

    def _interval(self, name: str, system: int, label: int | None = None) -> tuple[float, float, float, str]:
        """A score, both ends of its interval, and which kind of interval that is."""
        observed = self._observed[name][system] if label is None else self._observed_by_label[name][system, label]
        value = float(observed)
        if np.isnan(value):
            return value, value, value, ""
        if self.settings.interval == "wilson" and (total := self._denominator(name, system, label)) is not None:
            return value, *wilson(value * total, total), "wilson"
        if label is not None:
            ends, improved = self._label_intervals[name]
            low, high = ends[system, label].tolist()
            return value, low, high, "" if np.isnan(low) else "bca" if improved[system, label] else "percentile"
        replicates = self._replicates[name][:, system]
        if self.settings.interval == "bca" and name in self._functions:
            left_out, sizes = self._jackknife(name, system)
            corrected = bca(value, replicates, left_out, sizes)
            if corrected is not None:
                return value, *corrected, "bca"
        return value, *percentile(replicates), "percentile"

    def _denominator(self, name: str, system: int, label: int | None) -> float | None:
        """What a score that is a proportion has below the line."""
        totals = self._overall(system) if label is None else self.tallies.total(system)[label]
        sums = as_sums(totals, self.tallies.fields)
        if label is None:
            sums = {field: sums[field] for field in self._fields}
        function = self._functions.get(name)
        if function is f1 and "aligned" in sums and sums["gold"] == sums["system"]:
            # With equal tokenisation F1 is a proportion, the accuracy.
            return float(sums["gold"])
        return float(function.total(sums)) if isinstance(function, Proportion) else None

    def _jackknife(self, name: str, system: int, label: int | None = None) -> tuple[Floats, Ints]:
        """A score with one unit of each row left out, and how many units have that row."""
        fields = self._fields if label is None else self.tallies.fields
        if label is None:
            rows, sizes = self._narrow
            left = self._by_system(sizes @ rows - rows)[:, system]
        else:
            columns = slice(label * len(fields), (label + 1) * len(fields))
            table = self._wide_tables[system][:, columns]
            table = table if isinstance(table, np.ndarray) else table.toarray()
            left, sizes = table.sum(axis=0) - table, np.ones(len(table), dtype=np.int64)
        return self._functions[name](as_sums(left, fields)), sizes

    # --- comparisons ---

    def comparisons(self) -> Iterator[Comparison]:
        """Every pair of systems, tested by shuffling, on the scores the measure is compared on."""
        for a, b in combinations(range(len(self.systems)), 2):
            for name in self.measure.definition.tested:
                if name in self._functions or name in self._averages:
                    yield self._comparison(a, b, name)

    def _comparison(self, a: int, b: int, name: str) -> Comparison:
        observed = self._observed[name]
        difference = float(observed[b] - observed[a])
        replicates = self._replicates[name]
        low, high = percentile(replicates[:, b] - replicates[:, a])
        interval = "percentile"
        if self.settings.interval == "bca" and name in self._functions:
            (of_a, sizes), (of_b, _) = self._jackknife(name, a), self._jackknife(name, b)
            corrected = bca(difference, replicates[:, b] - replicates[:, a], of_b - of_a, sizes)
            if corrected is not None:
                (low, high), interval = corrected, "bca"
        outcome = self._wide_test(a, b, name) if name in self._averages else self._test(a, b, name)
        return Comparison(
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
        function, fields = self._functions[name], self._fields
        a, b = (index for index in self._by_name if index in (a, b))
        found, differing = self.tallies.swaps(a, b)
        swaps, sizes = (found.rows, found.sizes) if found is not None else self._pooled_swaps(a, b)

        def difference(x: Floats, y: Floats) -> Floats:
            return np.asarray(function(as_sums(y, fields)) - function(as_sums(x, fields)))

        columns = [self.tallies.fields.index(name) for name in fields]
        outcome = shuffling_test(
            self._overall(a)[columns].astype(np.float64),
            self._overall(b)[columns].astype(np.float64),
            swaps.astype(np.float64),
            sizes,
            difference,
            self.settings.rng("shuffling", *self._purpose(), self.systems[a], self.systems[b]),
            self.settings.times,
        )
        return replace(outcome, units=differing)

    def _pooled_swaps(self, a: int, b: int) -> tuple[Ints, Ints]:
        """The distinct differences of two systems in blocks of units."""
        sides = self._by_system(self._pooled)
        differences = sides[:, a] - sides[:, b]
        rows, _, sizes = distinct_rows(differences[differences.any(axis=1)])
        return rows, sizes

    def _wide_test(self, a: int, b: int, name: str) -> Shuffling:
        a, b = (index for index in self._by_name if index in (a, b))
        outcome = self._wide_tests[name][a, b]
        return replace(outcome, units=self.tallies.differing_units(a, b)) if self._too_many_units else outcome

    @cached_property
    def _wide_tests(self) -> dict[str, dict[tuple[int, int], Shuffling]]:
        """For each average over labels that is tested the tests of all pairs, systems in the order of their names."""
        fields = self.tallies.fields
        names = [self.systems[index] for index in self._by_name]
        pairs = list(combinations(self._by_name, 2))

        def tests(function: ScoreFunction) -> dict[tuple[int, int], Shuffling]:
            def difference(x: Floats, y: Floats) -> Floats:
                shape = (*x.shape[:-1], -1, len(fields))
                return np.asarray(
                    function(as_sums(y.reshape(shape), fields)) - function(as_sums(x.reshape(shape), fields))
                )

            rng = self.settings.rng("shuffling averages", *self._purpose(), *names)
            return shuffling_tests(self._wide_tables, pairs, difference, rng, self.settings.times)

        tested = self.measure.definition.tested
        return {name: tests(function) for name, function in self._averages.items() if name in tested}


@dataclass(frozen=True, eq=False)
class _Resampled:
    """What a measure by label gives in each resample."""

    overall: dict[str, Floats]
    """Each score and average: times × systems."""
    by_label: dict[str, Array]
    """Each score: systems × labels × times; none where they are too many to be held."""


def _row_contents(table: Any) -> list[Any]:
    """What is in each row, in a form that can be sorted."""
    if isinstance(table, np.ndarray):
        return [row.tobytes() for row in table]
    table.sort_indices()
    return [(table.indices[i:j].tobytes(), table.data[i:j].tobytes()) for i, j in pairwise(table.indptr.tolist())]


def _product_table(table: Any, units: int) -> Any:
    """A table of counts as it is multiplied fastest; single precision holds sums of whole numbers below 2^24."""
    exact = float(table.max(initial=0) if isinstance(table, np.ndarray) else table.max()) * units < 1 << 24
    return table.astype(np.float32) if exact else table
