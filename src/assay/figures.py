"""Counts of several systems → scores with intervals, and tests between systems. Every measure goes this way."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from assay.arrays import Array, Floats, Ints, as_codes, distinct_rows
from assay.counts import Collapsed, Counts, as_sums
from assay.measures import Measure
from assay.measures.definition import Score as ScoreFunction
from assay.result import Comparison, CountsRow, Score
from assay.stats.intervals import bca, percentile, wilson
from assay.stats.resample import Drawn, bootstrap_sums, bootstrap_weights
from assay.stats.significance import Shuffling, shuffling_test

BLOCKS = 4096
"""Where more distinct rows than this remain, units are pooled into so many blocks, and blocks are resampled."""

# What the scores that are plain proportions have below the line.
_DENOMINATORS = {"precision": "system", "recall": "gold", "aligned": "aligned", "value": "sentences"}


@dataclass(frozen=True)
class Settings:
    """How chance is handled."""

    seed: int
    times: int
    interval: str
    _drawn: dict[str, Drawn] = field(default_factory=dict, compare=False)

    def drawn(self, *purpose: object) -> Drawn:
        """Draws for a purpose that were kept: all measures over the same units share them."""
        return self._drawn.setdefault("\t".join(map(str, purpose)), {})

    def rng(self, *purpose: object) -> np.random.Generator:
        """A generator of its own for each purpose, so that asking for more changes nothing else."""
        return np.random.default_rng([self.seed, zlib.crc32("\t".join(map(str, purpose)).encode())])


@dataclass(frozen=True, eq=False)
class Figures:
    """One measure over one selection of the data, for all systems."""

    measure: Measure
    slice: str | None
    systems: tuple[str, ...]
    counts: tuple[Counts, ...]
    """Per unit; for measures by label over one common set of labels."""
    blocks: Callable[[], Ints]
    """The block of each unit; naming units takes time, so it is asked for only where blocks are needed."""
    settings: Settings

    @classmethod
    def of(
        cls,
        measure: Measure,
        where: str | None,
        counts: Sequence[tuple[str, Counts]],
        blocks: Callable[[], Ints],
        settings: Settings,
    ) -> Figures:
        """Figures from the counts of each system."""
        systems = tuple(name for name, _ in counts)
        return cls(measure, where, systems, tuple(_common_labels([c for _, c in counts])), blocks, settings)

    # --- scores ---

    def scores(self, *, labels: bool = True) -> Iterator[Score]:
        """All scores with their intervals, the overall ones first."""
        for index, system in enumerate(self.systems):
            for name in (*self._functions, *self._averages):
                value, low, high = self._interval(name, index)
                yield Score(system, str(self.measure), name, None, self.slice, value, low, high)
        if labels:
            for part in self._parts():
                yield from (replace(score, label=part.label) for score in part.scores())

    def counts_rows(self) -> Iterator[CountsRow]:
        """The counts behind the scores, overall and per label."""
        for system, counts in zip(self.systems, self.counts, strict=True):
            totals = counts.total()
            overall = totals if counts.labels is None else totals.sum(axis=0)
            rows: list[tuple[str | None, Ints]] = [(None, overall)]
            if counts.labels is not None:
                rows.extend(zip(counts.labels, totals, strict=True))
            for label, row in rows:
                named = dict(zip(counts.fields, row.tolist(), strict=True))
                yield CountsRow(system, str(self.measure), label, self.slice, named)

    @property
    def pooled(self) -> bool:
        """Whether blocks of units were resampled in place of units."""
        return self._collapsed is None or (bool(self._averages) and self._too_many_units)

    def _parts(self) -> Iterator[_Part]:
        """Each label by itself, a narrow measure of its own."""
        labels = self.counts[0].labels
        for index, label in enumerate(labels or ()):
            yield _Part(
                self.measure,
                self.slice,
                self.systems,
                tuple(counts.of_label(index) for counts in self.counts),
                self.blocks,
                self.settings,
                label,
            )

    @property
    def _functions(self) -> dict[str, ScoreFunction]:
        return dict(self.measure.definition.scores)

    @property
    def _averages(self) -> dict[str, ScoreFunction]:
        return dict(self.measure.definition.averages)

    @cached_property
    def _matrices(self) -> list[Ints]:
        return [counts.matrix() for counts in self.counts]

    @cached_property
    def _collapsed(self) -> Collapsed | None:
        collapsed = Collapsed.of([self._matrices[index] for index in self._by_name])
        return collapsed if len(collapsed.rows) <= BLOCKS else None

    def _purpose(self) -> tuple[object, ...]:
        """What a random stream is for. Not the measure: measures with the same counts get the same draws."""
        return (self.slice,)

    @cached_property
    def _by_name(self) -> list[int]:
        """The systems in the order of their names, so that the order in which they are given changes nothing."""
        return sorted(range(len(self.systems)), key=lambda index: self.systems[index])

    @cached_property
    def _narrow(self) -> tuple[Ints, Ints]:
        """Rows to resample and their sizes: collapsed units, or blocks."""
        if self._collapsed is not None:
            return self._collapsed.rows, self._collapsed.sizes
        joint = np.concatenate([self._matrices[index] for index in self._by_name], axis=1)
        blocks = np.zeros((BLOCKS, joint.shape[1]), dtype=np.int64)
        np.add.at(blocks, self.blocks(), joint)
        used = np.bincount(self.blocks(), minlength=BLOCKS) > 0
        rows, _, sizes = distinct_rows(blocks[used])
        return rows, sizes

    @cached_property
    def _replicates(self) -> dict[str, Floats]:
        """Each score of each system in each resample: times × systems."""
        rows, sizes = self._narrow
        rng = self.settings.rng("bootstrap", *self._purpose())
        fields = self.counts[0].fields
        drawn = bootstrap_sums(rows, sizes, self.settings.times, rng, self.settings.drawn(*self._purpose()))
        sums = as_sums(self._by_system(drawn), fields)
        replicates = {name: function(sums) for name, function in self._functions.items()}
        return {**replicates, **self._average_replicates()}

    def _by_system(self, joint: Array) -> Array:
        """Joint rows as rows × systems × fields, the systems as they were given."""
        return joint.reshape(len(joint), len(self.systems), -1)[:, np.argsort(self._by_name)]

    @cached_property
    def _wide_tables(self) -> list[Any]:
        """Each system's counts as units × (labels · fields), blocks in place of units where these are too many.

        The rows stand in an order that depends on what is in them alone, as collapsed rows do.
        """
        from scipy.sparse import hstack

        tables = [self._blocked(counts).wide() for counts in self.counts]
        if self._too_many_units:
            used = np.flatnonzero(np.bincount(self.blocks(), minlength=BLOCKS))
            tables = [table[used] for table in tables]
        joint = hstack([tables[index] for index in self._by_name]).tocsr()
        joint.sort_indices()
        cuts = joint.indptr.tolist()
        content = [(joint.indices[i:j].tobytes(), joint.data[i:j].tobytes()) for i, j in pairwise(cuts)]
        order = sorted(range(len(content)), key=content.__getitem__)
        return [table[order] for table in tables]

    def _average_replicates(self) -> dict[str, Floats]:
        """Averages over labels need each label's sums in each resample: a wide, sparse product."""
        if not self._averages:
            return {}
        tables = self._wide_tables
        rng = self.settings.rng("bootstrap averages", *self._purpose())
        fields = self.counts[0].fields
        values: dict[str, list[Floats]] = {name: [] for name in self._averages}
        units, width = tables[0].shape
        for weights in bootstrap_weights(units, self.settings.times, rng, width):
            for chunk in values.values():
                chunk.append(np.empty((len(weights), len(tables))))
            for index, table in enumerate(tables):
                wide = np.asarray((table.T @ weights.T).T).reshape(len(weights), -1, len(fields))
                sums = as_sums(wide, fields)
                for name, function in self._averages.items():
                    values[name][-1][:, index] = function(sums)
        return {name: np.concatenate(chunks) for name, chunks in values.items()}

    @property
    def _too_many_units(self) -> bool:
        return self.counts[0].units > BLOCKS

    def _blocked(self, counts: Counts) -> Counts:
        return counts.regrouped(self.blocks(), BLOCKS) if self._too_many_units else counts

    @cached_property
    def _observed(self) -> dict[str, Floats]:
        """Each score of each system."""
        overall = as_sums(np.stack([matrix.sum(axis=0) for matrix in self._matrices]), self.counts[0].fields)
        values = {name: function(overall) for name, function in self._functions.items()}
        for name, function in self._averages.items():
            values[name] = np.array([float(function(counts.sums())) for counts in self.counts])
        return values

    def _interval(self, name: str, system: int) -> tuple[float, float, float]:
        value = float(self._observed[name][system])
        if np.isnan(value):
            return value, value, value
        if self.settings.interval == "wilson" and (total := self._denominator(name, system)) is not None:
            return value, *wilson(value * total, total)
        replicates = self._replicates[name][:, system]
        if self.settings.interval == "bca" and name in self._functions:
            left_out = self._jackknife[name][:, system]
            corrected = bca(value, replicates, left_out, self._narrow[1])
            if corrected is not None:
                return value, *corrected
        return value, *percentile(replicates)

    def _denominator(self, name: str, system: int) -> float | None:
        sums = dict(zip(self.counts[system].fields, self._matrices[system].sum(axis=0).tolist(), strict=True))
        if name == "f1" and "aligned" in sums and sums["gold"] == sums["system"]:
            # With equal tokenisation F1 is a proportion, the accuracy.
            return float(sums["gold"])
        field = _DENOMINATORS.get(name, "")
        return float(sums[field]) if field in sums else None

    @cached_property
    def _jackknife(self) -> dict[str, Floats]:
        """Each score with one unit of each row left out: rows × systems."""
        rows, sizes = self._narrow
        sums = as_sums(self._by_system(sizes @ rows - rows), self.counts[0].fields)
        return {name: function(sums) for name, function in self._functions.items()}

    # --- comparisons ---

    def comparisons(self) -> Iterator[Comparison]:
        """Every pair of systems, tested by shuffling, on the scores the measure is compared on."""
        for a, b in combinations(range(len(self.systems)), 2):
            for name in self.measure.definition.tested:
                yield self._comparison(a, b, name)

    def _comparison(self, a: int, b: int, name: str) -> Comparison:
        observed = self._observed[name]
        difference = float(observed[b] - observed[a])
        replicates = self._replicates[name]
        low, high = percentile(replicates[:, b] - replicates[:, a])
        if self.settings.interval == "bca" and name in self._functions:
            left_out = self._jackknife[name]
            corrected = bca(
                difference,
                replicates[:, b] - replicates[:, a],
                left_out[:, b] - left_out[:, a],
                self._narrow[1],
            )
            low, high = corrected or (low, high)
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
        )

    def _test(self, a: int, b: int, name: str) -> Shuffling:
        function, fields = self._functions[name], self.counts[0].fields
        a, b = (index for index in self._by_name if index in (a, b))
        ours, theirs = self._matrices[a], self._matrices[b]
        differences = ours - theirs
        differing = differences[differences.any(axis=1)]
        swaps, _, sizes = distinct_rows(differing)
        if len(swaps) > BLOCKS:
            blocks = np.zeros((BLOCKS, differences.shape[1]), dtype=np.int64)
            np.add.at(blocks, self.blocks(), differences)
            swaps, _, sizes = distinct_rows(blocks[blocks.any(axis=1)])

        def difference(x: Floats, y: Floats) -> Floats:
            return np.asarray(function(as_sums(y, fields)) - function(as_sums(x, fields)))

        outcome = shuffling_test(
            ours.sum(axis=0).astype(np.float64),
            theirs.sum(axis=0).astype(np.float64),
            swaps.astype(np.float64),
            sizes,
            difference,
            self.settings.rng("shuffling", *self._purpose(), self.systems[a], self.systems[b]),
            self.settings.times,
        )
        return replace(outcome, units=len(differing))

    def _wide_test(self, a: int, b: int, name: str) -> Shuffling:
        function, fields = self._averages[name], self.counts[0].fields
        a, b = (index for index in self._by_name if index in (a, b))
        tables = [self._wide_tables[index] for index in (a, b)]
        differences = tables[0] - tables[1]
        rows = np.flatnonzero(abs(differences).sum(axis=1))
        swaps = differences[rows]
        differing = self.counts[a].wide() - self.counts[b].wide() if self._too_many_units else differences

        def difference(x: Floats, y: Floats) -> Floats:
            shape = (*x.shape[:-1], -1, len(fields))
            return np.asarray(
                function(as_sums(y.reshape(shape), fields)) - function(as_sums(x.reshape(shape), fields))
            )

        outcome = shuffling_test(
            np.asarray(tables[0].sum(axis=0)),
            np.asarray(tables[1].sum(axis=0)),
            swaps,
            np.ones(len(rows), dtype=np.int64),
            difference,
            self.settings.rng("shuffling averages", *self._purpose(), self.systems[a], self.systems[b]),
            self.settings.times,
        )
        return replace(outcome, units=int(np.count_nonzero(abs(differing).sum(axis=1))))


@dataclass(frozen=True, eq=False)
class _Part(Figures):
    """One label of a measure by label."""

    label: str = ""

    @property
    def _averages(self) -> dict[str, ScoreFunction]:
        return {}

    def _purpose(self) -> tuple[object, ...]:
        return (self.slice, self.label)


def _common_labels(counts: Sequence[Counts]) -> Iterator[Counts]:
    """The counts recoded to one set of labels, in alphabetical order, of those that occur."""
    if counts[0].labels is None:
        yield from counts
        return
    occurring = {
        part.labels[code]
        for part in counts
        if part.labels and part.label is not None
        for code in np.unique(part.label)
    }
    known = {label: index for index, label in enumerate(sorted(occurring))}
    for part in counts:
        assert part.labels is not None and part.label is not None
        codes = as_codes(part.labels, dict(known))[part.label]
        yield replace(part, labels=tuple(known), label=codes)
