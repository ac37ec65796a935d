"""Many data sets: the Result over all of them, made of the Result of each."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import Bools, Floats
from assay.engine.averages import average_score, average_test
from assay.engine.build import Findings, build, decide_family, with_groups
from assay.engine.measure import form_of_score
from assay.errors import UsageError
from assay.records import dataclass
from assay.result import (
    Comparison,
    InputFile,
    PairOverSets,
    Result,
    Results,
    Score,
    SystemOverSets,
    Table,
    enumeration,
    is_best,
    is_category,
    kind_title,
)
from assay.result.chance import interval_title
from assay.result.grammar import ALPHA
from assay.result.numbers import WRITERS, plural
from assay.result.schema import MeanRanks, RankTest
from assay.stats.many import letters, rank_tests, signed_ranks

SLICE = "dataset:"
"""Prefix of the slice of rows about one data set."""
LEAST_SYSTEMS, LEAST_SETS = 3, 5
"""The fewest systems and data sets whose ranks are tested."""
_NARROW = 5
"""So many columns of figures fit into a narrow terminal."""
_PAIRS = 10
"""Of more pairs a terminal shows those with the best system."""
_LIKE = 3
"""So many warnings that differ only in details are listed."""
_DETAIL = re.compile(r"'[^']*'|\d[\d.,]*")
"""What may differ in warnings of one kind, besides the name of the data set."""
_MARK = "*"
_COUNTED = ("errors", "differences", "bounds")
"""Tables of what is counted in single outputs."""


def over_sets(sets: Mapping[str, Result], missing: Sequence[str] = ()) -> Results:
    """The Result over data sets: averages, ranks, tests of each two systems, and tables with a row for each data set.

    Its scores and comparisons have data sets for slices; overall scores are plain means over the data sets that all
    systems have, and overall comparisons are tests of the means over those that both have. In the Result of each data
    set, p is corrected for the tests on all of them. `missing` are sentences on outputs that are not there.
    """
    sets = _tested_together(sets)
    results = list(sets.values())
    first = results[0]
    for name, result in sets.items():
        if result.about.task != first.about.task:
            raise UsageError(
                f"{next(iter(sets))} is about {first.about.task}, {name} about {result.about.task}: data sets of one "
                "run have one task. Say which: --task"
            )
    # The data set with the most systems decides their order.
    fullest = sorted(results, key=lambda result: -len(_systems(result)))
    systems = list(dict.fromkeys(name for result in fullest for name in _systems(result)))
    mains = {measure: score for result in results for measure, score in result.main_scores.items()}
    # What is tested comes first.
    tested = [row.measure for result in results for row in result.comparisons]
    names = [name for name in dict.fromkeys((*tested, *mains)) if name in mains and not is_category(name)]
    grids = [_Grid.of(sets, (name, mains[name]), systems) for name in names]
    grids = [grid for grid in grids if grid.systems]
    ranks = [own for grid in grids if (own := grid.tested_ranks()) is not None]
    clustered = any(result.about.documents for result in results)
    tests = [test for grid in grids for test in grid.average_tests(sets)]
    tests = decide_family(tests, "average", [clustered] * len(tests))
    alone = [name for name, result in sets.items() if result.about.units == 1]
    columns = {name: result.about.column for name, result in sets.items()}
    told = list(_warnings(sets))
    same: dict[str, list[str]] = {}
    for name, result in sets.items():
        same.setdefault(result.gold.sha256, []).append(name)
    for equal in [equal for equal in same.values() if len(equal) > 1]:
        told.insert(0, f"{enumeration(equal)} have the same gold, but count as different data sets.")
    if len(set(columns.values())) > 1:
        each = ", ".join(f"{name} {column or 'none'}" for name, column in columns.items())
        told.insert(0, f"the column compared differs between data sets ({each}). To choose one: --column")
    sliced = any(row.slice is not None for result in results for row in result.scores)
    repeated = any(row.runs is not None for result in results for row in result.scores)
    column = first.about.column if len(set(columns.values())) == 1 else ""
    units, items = (sum(getattr(result.about, name) for result in results) for name in ("units", "items"))
    titles = {name: title for result in results for name, title in result.shown.titles.items()}
    gold = _sum("gold", [result.gold for result in results])
    averages = list(_averages(sets, grids))
    unit = first.about.unit if all(result.about.unit == first.about.unit for result in results) else "unit"
    tables = [one for one in _tables(sets, grids, averages, tests, titles, unit) if one.rows]
    if repeated:
        # Scores are means; what is counted in one output is that of the median run.
        median = "Of the median run of each system on each data set."
        for place, one in enumerate(tables):
            if one.name in _COUNTED:
                tables[place] = replace(one, title=f"{one.title}, median runs", notes=(*one.notes, median))
    texts = units if first.shown.text_unit == "document" else gold.sentences
    heading = (
        f"{first.about.task}{f', column {column}' * bool(column)}: {plural(len(sets), 'data set')}, "
        f"{texts:,} {first.shown.text_unit}s, {items:,} {first.shown.remarks.get('items', first.shown.noun)}s, "
        f"{plural(len(systems), 'system')}"
    )
    same_in_all = (
        *("command", "task", "aligned_by", "seed", "times", "interval", "test"),
        *("noun", "matched", "rivals", "text_unit"),
    )
    found = Findings(
        {
            **{name: value for name, value in (vars(first.about) | vars(first.shown)).items() if name in same_in_all},
            "column": column,
            "unit": unit,
            "units": units,
            "items": items,
            "family": sum(not math.isnan(test.p) for test in tests),
            "titles": titles,
            "score_forms": {name: forms for result in results for name, forms in result.shown.score_forms.items()},
            "tables_only": True,
            "documents": sum(result.about.documents for result in results),
            "heading": heading,
        },
        _signature(sets),
        gold,
        [
            _sum(name, [one for result in results for one in result.systems if one.name == name])
            for name in dict.fromkeys(one.name for result in fullest for one in result.systems)
        ],
        warnings=[*missing, *told],
        notes=[
            *(f"Averages have no intervals: {name} has only one {first.about.unit}." for name in alone[:1]),
            *["Scores are means over the runs of a system."] * repeated,
            *["Slices are in the Result of each data set: --html or --format json."] * sliced,
        ],
    )
    found.rows |= {
        "scores": [
            *averages,
            *(replace(row, slice=f"{SLICE}{name}") for name, result in sets.items() for row in _overall(result)),
        ],
        "comparisons": [*tests, *(row for grid in grids for row in grid.comparisons)],
        "systems_over_sets": [row for grid in grids for row in grid.of_systems],
        "pairs_over_sets": [row for grid in grids for row in grid.of_pairs],
        "ranks": ranks,
        "examples": [example for result in results for example in result.examples],
        "tables": tables,
    }
    bare = {
        name: replace(result, comparisons=tuple(replace(row, evidence=None) for row in result.comparisons))
        for name, result in sets.items()
    }
    return Results(build(found), bare)


def _tested_together(sets: Mapping[str, Result]) -> dict[str, Result]:
    """The Results with Holm's correction over pairs, measures and data sets, and the verdicts that it allows."""
    rows = [row for result in sets.values() for row in result.main_tests]
    clustered = [result.about.documents > 0 for result in sets.values() for _ in result.main_tests]
    decided = {id(row): found for row, found in zip(rows, decide_family(rows, "data sets", clustered), strict=True)}
    done = {}
    for name, result in sets.items():
        tests = [decided.get(id(row), row) for row in result.comparisons]
        scores = tuple(with_groups(result.scores, tests))
        size = next((row.family.size for row in decided.values() if row.family), result.about.family)
        done[name] = replace(result, scores=scores, comparisons=tuple(tests)).with_about(family=size)
    return done


def _warnings(sets: Mapping[str, Result]) -> Iterator[str]:
    """The warnings of all data sets: equal ones once, and the first of many that differ only in numbers and names."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for name, result in sets.items():
        for text in result.warnings:
            kind = _DETAIL.sub("#", re.sub(rf"\b{re.escape(name)}\b", "#", text))
            kinds.setdefault(kind, {}).setdefault(text, []).append(name)
    for texts in kinds.values():
        for text, names in [*texts.items()][:_LIKE]:
            some = enumeration(names) if len(names) <= _NARROW else f"{len(names)} data sets ({names[0]}, …)"
            yield f"{'all data sets' if len(names) == len(sets) else some}: {text}"
        more = Counter(name for names in [*texts.values()][_LIKE:] for name in names)
        if more:
            numbers = ", ".join(f"{name} {number:,}" for name, number in more.items())
            yield f"There are more warnings of this kind, in the page and the JSON of each data set ({numbers})."


def _systems(result: Result) -> list[str]:
    """The systems that have scores, in the order in which they were given."""
    return list(dict.fromkeys(row.system for row in result.scores))


def _sum(name: str, sources: Sequence[InputFile]) -> InputFile:
    """The files of all data sets as one."""
    digest = hashlib.sha256("".join(one.sha256 for one in sources).encode()).hexdigest()
    return InputFile(
        name=name,
        path="",
        sha256=digest,
        format="+".join(dict.fromkeys(one.format for one in sources)),
        sentences=sum(one.sentences for one in sources),
        words=sum(one.words for one in sources),
        unaligned=sum(one.unaligned for one in sources),
        spans=sum(one.spans for one in sources),
    )


def _signature(sets: Mapping[str, Result]) -> str:
    """The common parts of the signatures of all data sets, and a checksum of them."""
    parts = [result.signature.split("|") for result in sets.values()]
    common = [part for part in parts[0] if all(part in others for others in parts)]
    text = "\n".join(result.signature for result in sets.values())
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return "|".join([*common, f"data:{'+'.join(sets)}", f"signatures:sha256={digest}"])


def _overall(result: Result) -> list[Score]:
    return [row for row in result.scores if row.label is None and row.slice is None]


def _averages(sets: Mapping[str, Result], grids: Sequence[_Grid]) -> Iterator[Score]:
    """The plain mean of each score over the data sets that all systems have."""
    found = {
        (name, row.system, row.measure, row.score): row for name, result in sets.items() for row in _overall(result)
    }
    for grid in grids:
        scores = dict.fromkeys(score for _, _, measure, score in found if measure == grid.measure)
        names = [name for name, taken in zip(grid.sets, grid.common.tolist(), strict=True) if taken]
        for system in grid.systems:
            for score in scores:
                rows = [found.get((name, system, grid.measure, score)) for name in names]
                known = [row for row in rows if row is not None]
                if known and len(known) == len(names):
                    yield average_score(known, form_of_score(grid.measure, score))
                else:
                    # Of a score that not all of these data sets have there is no mean.
                    nothing = (math.nan, math.nan, math.nan)
                    yield Score(system, grid.measure, score, None, None, *nothing, score == grid.score)


# --- one measure ---


@dataclass(frozen=True, eq=False)
class _Grid:
    """The main score of a measure, data sets × systems, with the tests of each two systems on each data set."""

    measure: str
    score: str
    sets: tuple[str, ...]
    systems: tuple[str, ...]
    """Those that have this measure on some data set."""
    values: Floats
    tests: Mapping[tuple[str, str], list[Comparison | None]]
    """None on a data set without one of the two."""

    @classmethod
    def of(cls, sets: Mapping[str, Result], measure: tuple[str, str], systems: Sequence[str]) -> _Grid:
        place = {name: index for index, name in enumerate(systems)}
        values = np.full((len(sets), len(systems)), np.nan)
        tests: dict[tuple[str, str], list[Comparison | None]] = {}
        for index, result in enumerate(sets.values()):
            for row in _overall(result):
                if (row.measure, row.score) == measure:
                    values[index, place[row.system]] = row.value
            for test in result.comparisons:
                if (test.measure, test.score) == measure and test.is_of_score and test.slice is None:
                    tests.setdefault((test.a, test.b), [None] * len(sets))[index] = test
        there = ~np.isnan(values).all(axis=0)
        kept = tuple(name for name, has in zip(systems, there.tolist(), strict=True) if has)
        return cls(*measure, tuple(sets), kept, values[:, there], tests)

    @property
    def main(self) -> tuple[str, str]:
        """The measure and its main score."""
        return self.measure, self.score

    @property
    def form(self) -> str:
        """The form of its scores …"""
        return form_of_score(self.measure, self.score)

    @property
    def difference_form(self) -> str:
        """… and of their differences."""
        return "points" if self.form == "percent" else f"{self.form}-difference"

    @cached_property
    def common(self) -> Bools:
        """Mask of the data sets that all systems have."""
        return np.asarray(~np.isnan(self.values).any(axis=1))

    @property
    def all_tested(self) -> bool:
        """True if each two systems are tested, not each against one."""
        return bool(self.tests) and len(self.tests) == len(self.systems) * (len(self.systems) - 1) // 2

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each system on each data set that all have, 1 being the best; ties have the mean."""
        values = np.round(self.values[self.common], 12)
        higher = (values[:, None, :] > values[:, :, None]).sum(axis=2)
        equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
        return np.asarray(higher + (equal + 1) / 2)

    @cached_property
    def best(self) -> Bools:
        """Mask of the figures that are the highest of their data set, where all systems have it."""
        places = range(len(self.systems))
        highest = [[is_best(row, index) for index in places] for row in self.values.tolist()]
        return np.asarray(np.array(highest, dtype=bool) & self.common[:, None])

    @cached_property
    def ahead(self) -> Bools:
        """Mask of the figures that are significantly ahead of every other system's of their data set."""
        sure = np.zeros(self.best.shape, dtype=bool)
        for index, best in enumerate(self.best):
            own = self.systems[int(best.argmax())]
            others = [name for name in self.systems if name != own]
            tests = [self.tests.get((own, name), self.tests.get((name, own))) for name in others]
            rows = [None if found is None else found[index] for found in tests]
            sure[index] = best.sum() == 1 and all(row is not None and row.is_significant for row in rows)
        return np.asarray(self.best & sure)

    @cached_property
    def of_systems(self) -> list[SystemOverSets]:
        """Average, rank and number of data sets won of each system."""
        number = int(self.common.sum())
        nothing = np.full(len(self.systems), np.nan)
        means = self.values[self.common].mean(axis=0) if number else nothing
        ranks = self.ranks.mean(axis=0) if number and len(self.systems) > 1 else nothing
        return [
            SystemOverSets(name, self.measure, self.score, number, float(mean), float(rank), int(best), int(ahead))
            for name, mean, rank, best, ahead in zip(
                self.systems, means, ranks, self.best.sum(axis=0), self.ahead.sum(axis=0), strict=True
            )
        ]

    @cached_property
    def of_pairs(self) -> list[PairOverSets]:
        """Each two systems over the data sets that both have."""
        rows = []
        for (a, b), tests in self.tests.items():
            before, after = self.systems.index(a), self.systems.index(b)
            differences = self.values[:, after] - self.values[:, before]
            both = ~np.isnan(differences)
            # The difference of the averages, to the last digit: the mean of the differences may round otherwise.
            means = self.values[both].mean(axis=0) if both.any() else np.full(len(self.systems), np.nan)
            known = np.round(differences[both], 12)
            sure = np.array([row is not None and row.is_significant for row in tests])[both]
            rows.append(
                PairOverSets(
                    a=a,
                    b=b,
                    measure=self.measure,
                    score=self.score,
                    data_sets=len(known),
                    difference=float(means[after] - means[before]),
                    a_better=int((known < 0).sum()),
                    b_better=int((known > 0).sum()),
                    a_significant=int((sure & (known < 0)).sum()),
                    b_significant=int((sure & (known > 0)).sum()),
                    signed_rank=signed_ranks(known) if len(known) >= LEAST_SETS else math.nan,
                )
            )
        return rows

    @property
    def comparisons(self) -> Iterator[Comparison]:
        """The tests of each data set."""
        for index, name in enumerate(self.sets):
            for tests in self.tests.values():
                row = tests[index]
                if row is not None:
                    yield replace(row, slice=f"{SLICE}{name}", evidence=None)

    def average_tests(self, sets: Mapping[str, Result]) -> Iterator[Comparison]:
        """The test of each two systems on the means over the data sets that both have."""
        results = list(sets.values())
        for pair, tests in zip(self.of_pairs, self.tests.values(), strict=True):
            known = [(row, result) for row, result in zip(tests, results, strict=True) if row is not None]
            known = [(row, result) for row, result in known if not math.isnan(row.difference)]
            if known:
                rows, units = [row for row, _ in known], [result.about.units for _, result in known]
                yield average_test(rows, units, pair.difference, results[0].about.seed, results[0].about.times)

    def tested_ranks(self) -> MeanRanks | None:
        """Tests on ranks, where systems are tested and there are enough of them and of data sets."""
        return mean_ranks(self.measure, self.systems, self.values[self.common]) if self.tests else None


def mean_ranks(
    measure: str, systems: Sequence[str], scores: Floats, by: str = "wilcoxon"
) -> MeanRanks | None:
    """Tests on the ranks of scores, data sets × systems, where there are enough of both; groups by one of them."""
    if scores.shape[0] < LEAST_SETS or scores.shape[1] < LEAST_SYSTEMS:
        return None
    found = rank_tests(scores)
    means = dict(zip(systems, found.ranks.tolist(), strict=True))
    order = sorted(systems, key=lambda name: (means[name], name))
    names = {(a, b): (systems[a], systems[b]) for a, b in found.wilcoxon}
    tested = found.nemenyi if by == "nemenyi" else found.wilcoxon_holm
    apart = {frozenset(names[pair]) for pair, p in tested.items() if p <= ALPHA}
    return MeanRanks(
        measure=measure,
        data_sets=len(scores),
        ranks={name: means[name] for name in order},
        groups=letters(order, apart),
        friedman=found.chi_square,
        friedman_p=found.p,
        iman_davenport=found.f,
        iman_davenport_p=found.f_p,
        critical_difference=found.critical_difference,
        pairs=tuple(
            RankTest(*names[pair], found.wilcoxon[pair], found.wilcoxon_holm[pair], found.nemenyi[pair])
            for pair in names
        ),
        by=by,
    )


# --- tables ---


def _tables(
    sets: Mapping[str, Result],
    grids: Sequence[_Grid],
    averages: Sequence[Score],
    tests: Sequence[Comparison],
    titles: Mapping[str, str],
    unit: str,
) -> Iterator[Table]:
    """Scores on each data set, differences over all and on each; then the details."""

    def title(name: str) -> str:
        return titles.get(name, name)

    for number, grid in enumerate(grids):
        means = {row.system: row for row in averages if (row.measure, row.score) == grid.main}
        yield replace(_scores(grid, title(grid.measure), means, explained=number == 0), minor=number > 0)
        if number == 0 and len(grids) > 1:
            yield _means(grids, title)
    for number, grid in enumerate(grids):
        own = {(row.a, row.b): row for row in tests if row.measure == grid.measure}
        pairs = _pairs(grid, title(grid.measure), own, unit)
        yield replace(pairs, minor=number > 0, notes=pairs.notes if number == 0 else ())
    for number, grid in enumerate(grids):
        by_set = _tests(grid, title(grid.measure))
        yield replace(by_set, minor=number > 0 or len(grid.tests) > 1, notes=by_set.notes if number == 0 else ())
    yield _precisions(sets, [grid for grid in grids if grid.score.endswith("f1")])
    yield from _error_types(sets, title)
    yield _changes(sets)
    yield _bounds(sets)


def _scores(grid: _Grid, measure: str, averages: Mapping[str, Score], *, explained: bool) -> Table:
    """Data sets by systems, with averages, ranks and wins; what there is more of goes down."""
    means = [row.average for row in grid.of_systems]
    bold = {(int(i), int(j)) for i, j in np.argwhere(grid.best)}
    bold |= {(len(grid.sets), index) for index in range(len(means)) if is_best(means, index)}
    marks = np.where(grid.ahead, _MARK, "").tolist()
    body: list[list[Any]] = [
        list(zip(own, values, strict=True)) for own, values in zip(marks, grid.values.tolist(), strict=True)
    ]
    ends = ["average"]
    body.append([("", mean) for mean in means])
    write, own_rows = WRITERS[grid.form], [averages[name] for name in grid.systems]
    if has_intervals := not all(math.isnan(row.low) for row in own_rows):
        ends.append("95% interval")
        body.append(["–" if math.isnan(row.low) else f"{write(row.low)}–{write(row.high)}" for row in own_rows])
    compared = len(grid.systems) > 1
    if compared:
        ends += ["mean rank", "best on"]
        body.append([f"{row.rank:.2f}" if not math.isnan(row.rank) else "–" for row in grid.of_systems])
        body.append([str(row.best) for row in grid.of_systems])
    down, names = [*grid.sets, *ends], list(grid.systems)
    corner = "data set"
    if len(grid.systems) > len(grid.sets):
        body, bold = [list(row) for row in zip(*body, strict=True)], {(j, i) for i, j in bold}
        down, names, corner = names, down, "system"
    rows = [(name, *row) for name, row in zip(down, body, strict=True)]
    left_out = [name for name, taken in zip(grid.sets, grid.common.tolist(), strict=True) if not taken]
    unit = "Percent; average" if grid.form == "percent" else "Average"
    also = ", with its interval for these data sets" * has_intervals
    notes = [f"{unit}: the plain mean over data sets{also}."] * explained
    if left_out:
        kept = int(grid.common.sum())
        notes.append(
            f"Average, rank and the best are over the {kept} data set{'s' * (kept != 1)} that all systems have, "
            f"without {enumeration(left_out)}."
        )
    if compared and explained:
        notes.append("Bold: the best of a data set.")
    if grid.all_tested and explained:
        notes.append(f"{_MARK}: better than every other system, p (Holm) at most 0.05 for each of these pairs.")
    table = Table(
        f"Scores by data set: {measure}",
        (corner, *names),
        tuple(rows),
        ("text", "marked" if grid.form == "percent" else f"marked-{grid.form}"),
        name="scores",
        notes=tuple(notes),
        bold=tuple(sorted((i, j + 1) for i, j in bold)),
    )
    return replace(table, narrow=_in_parts(table))


def _means(grids: Sequence[_Grid], title: Callable[[str], str]) -> Table:
    """The average of each measure, systems by measures."""
    systems = list(dict.fromkeys(name for grid in grids for name in grid.systems))
    found = {(row.system, row.measure): row.average for grid in grids for row in grid.of_systems}
    columns = [[found.get((name, grid.measure), math.nan) for name in systems] for grid in grids]
    table = Table(
        "Scores averaged over data sets",
        ("system", *(title(grid.measure) for grid in grids)),
        tuple((name, *row) for name, *row in zip(systems, *columns, strict=True)),
        ("text", *(grid.form for grid in grids)),
        name="scores",
        columns=("system", *(grid.measure for grid in grids)),
        notes=("The main score of each measure, shares in percent; bold: the best of a column.",),
        bold=tuple((i, j) for j, own in enumerate(columns, 1) for i in range(len(own)) if is_best(own, i)),
    )
    return replace(table, narrow=_in_parts(table))


def _in_parts(table: Table) -> tuple[Table, ...]:
    """The columns of a wide table in several tables, all with the first one."""
    starts = range(1, len(table.header), _NARROW)
    if len(starts) == 1:
        return ()
    return tuple(
        replace(
            table,
            title=f"{table.title} ({number} of {len(starts)})",
            header=(table.header[0], *table.header[start : start + _NARROW]),
            columns=(),
            forms=(table.forms[0], *(table.forms[start : start + _NARROW] or table.forms[-1:])),
            rows=tuple((row[0], *row[start : start + _NARROW]) for row in table.rows),
            bold=tuple((i, j - start + 1) for i, j in table.bold if start <= j < start + _NARROW),
            notes=table.notes if number == len(starts) else (),
        )
        for number, start in enumerate(starts, 1)
    )


def _pairs(grid: _Grid, measure: str, tests: Mapping[tuple[str, str], Comparison], unit: str) -> Table:
    """Each two systems over all data sets, those with the best system first where there are many."""
    averages = {row.system: row.average for row in grid.of_systems}
    best = max(averages, key=lambda name: (not math.isnan(averages[name]), averages[name]))
    many = len(grid.of_pairs) > _PAIRS
    pairs = [row for row in grid.of_pairs if (row.a, row.b) in tests]
    pairs = sorted(pairs, key=lambda row: best not in (row.a, row.b)) if many else pairs
    ranked = any(not math.isnan(row.signed_rank) for row in pairs)
    points = " in percentage points" * (grid.form == "percent")
    shuffled = any(test.test == "shuffling" for test in tests.values())
    exchanged = f"outputs exchanged {unit} by {unit} within each data set"
    way = exchanged if shuffled else f"Student's t over {unit}s and runs"
    notes = (
        f"Difference of the averages over data sets, second minus first{points}, with the "
        f"{interval_title(list(tests.values()))}. p: {way}, two-sided. Holm's correction is over "
        f"{_family(tests.values())}; bold: p (Holm) at most 0.05.",
        "Better: the number of data sets on which the first or the second system scores higher; shown: on which p "
        f"(Holm) is at most 0.05 among all {_family(grid.comparisons)} on single data sets.",
        *["Signed rank: p of Wilcoxon's test over data sets, not corrected."] * ranked,
    )
    return Table(
        f"Differences over data sets: {measure}",
        (
            *("pair", "data sets", "difference", "p", "p (Holm)"),
            *("first better", "shown", "second better", "shown", *["signed rank"] * ranked),
        ),
        tuple(
            (
                *([row.a, row.b], row.data_sets, list(tests[row.a, row.b].figure), tests[row.a, row.b].p),
                *(list(tests[row.a, row.b].holm), row.a_better, row.a_significant),
                *(row.b_better, row.b_significant, *[row.signed_rank] * ranked),
            )
            for row in pairs
        ),
        ("pair", "count", grid.difference_form, "p", "holm", "count", "count", "count", "count", "p"),
        name="pairs",
        notes=notes,
        # The pairs of the best system.
        short=len(averages) - 1 if many else 0,
        columns=(
            *("pair", "data sets", "difference", "p", "p (Holm)", "first better", "first shown better"),
            *("second better", "second shown better", *["signed rank"] * ranked),
        ),
        droppable=(9, 3, 1) if ranked else (3, 1),
    )


def _family(rows: Iterable[Comparison]) -> str:
    """The number of tests that are corrected together."""
    return plural(next((row.family.size for row in rows if row.family is not None), 0), "test")


def _tests(grid: _Grid, measure: str) -> Table:
    several, rows = len(grid.tests) > 1, list(grid.comparisons)
    pairs = [f"{a} → {b}" for a, b in grid.tests]
    unit = " in percentage points" * (grid.form == "percent")
    return Table(
        f"Differences by data set: {measure}{'' if several or not pairs else f', {pairs[0]}'}",
        ("data set", *["pair"] * several, "difference", "p", "p (Holm)"),
        tuple(
            (
                *(str(row.slice).removeprefix(SLICE), *[[row.a, row.b]] * several),
                *(list(row.figure), row.p, list(row.holm)),
            )
            for row in rows
        ),
        ("text", *["pair"] * several, grid.difference_form, "p", "holm"),
        words=1 + several,
        name="data-sets",
        notes=(
            f"Second minus first{unit}, with the {interval_title(rows)}. Holm's correction is over {_family(rows)} "
            "(pairs, measures and data sets), here and on the page of each data set; bold: p (Holm) at most 0.05.",
        ),
    )


def _precisions(sets: Mapping[str, Result], grids: Sequence[_Grid]) -> Table:
    """Precision, recall and F1 of measures of which these differ, as in Ortmann's Table 1."""
    rows: list[tuple[Any, ...]] = []
    bold: list[tuple[int, int]] = []
    differ = set()
    for name, result in sets.items():
        found = {(row.system, row.measure, row.score): row for row in _overall(result)}
        for grid in grids:
            three = {
                system: [found.get((system, grid.measure, score)) for score in ("precision", "recall", "f1")]
                for system in grid.systems
            }
            own = {system: [row for row in parts if row is not None] for system, parts in three.items()}
            own = {system: parts for system, parts in own.items() if len(parts) == 3}
            best = [f1.value for *_, f1 in own.values()]
            for index, (system, (precision, recall, f1)) in enumerate(own.items()):
                if not math.isclose(precision.value, recall.value, abs_tol=1e-12):
                    differ.add(grid.measure)
                bold += [(len(rows), 5)] if len(own) == len(grid.systems) and is_best(best, index) else []
                figures = (precision.value, recall.value, [f1.value, f1.low, f1.high])
                rows.append((name, grid.measure, system, *figures))
    return Table(
        "Precision and recall by data set",
        ("data set", "measure", "system", "precision", "recall", "f1"),
        tuple(rows) if differ else (),
        ("text", "text", "text", "percent"),
        words=3,
        name="further-scores",
        notes=("Percent.", "In brackets the 95% interval.", "Bold: the best F1 of a measure on a data set."),
        bold=tuple(bold),
        minor=True,
    )


def _error_types(sets: Mapping[str, Result], title: Callable[[str], str]) -> Iterator[Table]:
    for measure in dict.fromkeys(row.measure for result in sets.values() for row in result.error_types):
        kinds: dict[str, None] = {}
        rows: dict[tuple[str, str], dict[str, tuple[int, float]]] = {}
        for name, result in sets.items():
            for row in result.error_types:
                if row.measure == measure:
                    kinds[row.type] = None
                    rows.setdefault((name, row.system), {})[row.type] = (row.count, row.share)
        yield Table(
            f"Error types by data set: {title(measure)}",
            ("data set", "system", *map(kind_title, kinds)),
            tuple((*place, *(found.get(kind) for kind in kinds)) for place, found in rows.items()),
            ("text", "text", "share"),
            words=2,
            name="errors",
            notes=("Errors of each type, in brackets percent of all errors of the system.",),
            minor=True,
        )


def _changes(sets: Mapping[str, Result]) -> Table:
    """Tuggener's Table 3 for each data set."""
    diffs = [
        (name, row)
        for name, result in sets.items()
        for row in result.diffs
        if row.slice is None and row.on == next(one.on for one in result.diffs)
    ]
    noun = next(iter(sets.values())).shown.noun
    return Table(
        "What differs by data set",
        ("data set", "pair", f"{noun}s", "diff", "Δ", "corr.", "new errors", "changed errors", "overlap right"),
        tuple(
            (
                *(name, [row.a, row.b], row.items, row.diff, row.difference),
                *(row.corrections, row.new_errors, row.changed_errors, row.overlap_right),
            )
            for name, row in diffs
        ),
        ("text", "pair", "count", "percent", "points", "count", "count", "count", "percent"),
        words=2,
        name="differences",
        notes=(
            f"diff: percent of {noun}s with another answer; Δ: difference of the scores in points; corr.: "
            "corrections; overlap right: 2·both right / (A right + B right).",
        ),
        droppable=(8, 2),
        minor=len({(row.a, row.b) for _, row in diffs}) > 1,
    )


def _bounds(sets: Mapping[str, Result]) -> Table:
    """The first row of Tuggener's Table 9 for each data set."""
    overall = [
        (name, next((row for row in result.bounds if row.slice is None and row.label is None), None))
        for name, result in sets.items()
    ]
    one = next(iter(sets.values()))
    over = f"Over gold's {one.shown.noun}s (recall). " if one.shown.matched else ""
    return Table(
        "Upper bounds by data set",
        ("data set", "best system", f"{one.shown.noun}s", "right", "bound", "gain", "all right", "none right"),
        tuple(
            (
                *(name, row.best, row.items, row.systems[row.best], row.upper, row.gain),
                *(row.all_right, row.none_right),
            )
            for name, row in overall
            if row is not None
        ),
        ("text", "text", "count", "percent", "percent", "points", "count", "count"),
        words=2,
        name="bounds",
        notes=(
            f"{over}Right: percent that the best system has right; bound: if the best answer of any system is "
            f"chosen; gain: bound minus the best system; all, none right: {one.shown.noun}s that every, that no "
            "system has right.",
        ),
    )
