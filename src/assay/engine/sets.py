"""Many data sets: the Result over all, computed from the Result of each."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import Bools, Floats
from assay.classes import dataclass
from assay.engine.averages import average_score, average_test
from assay.engine.build import Findings, add_group_letters, build, decide_family
from assay.engine.measure import find, form_of_score
from assay.engine.risks import DATA_SETS, risks_over
from assay.errors import UsageError
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
from assay.result.grammar import ALPHA, MORE_WARNINGS
from assay.result.numbers import DIFFERENCES, WRITERS, plural
from assay.result.risks import risk_tables
from assay.result.schema import MeanRanks, RankTest
from assay.stats.many import assign_letters, rank_tests, signed_rank_p

SLICE = "dataset:"
"""Prefix of the slice of rows about one data set."""
LEAST_SYSTEMS, LEAST_SETS = 3, 5
"""The fewest systems and data sets whose ranks are tested."""
_NARROW = 5
"""The number of columns of numbers that fit into a narrow terminal."""
_PAIRS = 10
"""If there are more pairs, a terminal shows only those with the best system."""
_LIKE = 3
"""The number of warnings that are listed if they differ only in details."""
_DETAIL = re.compile(r"'[^']*'|\d[\d.,]*")
"""Details in which warnings of one kind may differ, besides the name of the data set."""
_MARK = "*"
_NOTHING = (math.nan, math.nan, math.nan)
_SAME_IN_ALL = (
    *("command", "task", "aligned_by", "seed", "times", "interval", "test"),
    *("noun", "matched", "rivals", "text_unit"),
)
"""Facts that are taken from the first data set."""


def over_sets(sets: Mapping[str, Result], missing: Sequence[str] = ()) -> Results:
    """The Result over data sets: averages, ranks, tests of each two systems, and tables with a row for each data set.

    Its scores and comparisons have data sets for slices; overall scores are plain means over the data sets that all
    systems have, and overall comparisons are tests of the means over those that both have. In the Result of each data
    set, p is corrected for the tests on all of them. `missing` are sentences on outputs that are not there.
    """
    rows = [row for result in sets.values() for row in result.main_tests]
    in_documents = [result.about.documents > 0 for result in sets.values() for _ in result.main_tests]
    decided = {id(row): new for row, new in zip(rows, decide_family(rows, "data sets", in_documents), strict=True)}
    together = {}
    for name, result in sets.items():
        own_tests = [decided.get(id(row), row) for row in result.comparisons]
        size = next((row.family.size for row in decided.values() if row.family), result.about.family)
        corrected = replace(
            result, scores=tuple(add_group_letters(result.scores, own_tests)), comparisons=tuple(own_tests)
        )
        together[name] = corrected.with_about(family=size)
    sets, results = together, list(together.values())
    first = results[0]
    for name, result in sets.items():
        if result.about.task != first.about.task:
            raise UsageError(
                f"{next(iter(sets))} is evaluated as {first.about.task}, but {name} as {result.about.task}. All data "
                f"sets of a run need the same task. Choose one: --task"
            )
    # The data set with the most systems decides their order.
    fullest = sorted(results, key=lambda result: -len({row.system for row in result.scores}))
    systems = list(dict.fromkeys(row.system for result in fullest for row in result.scores))
    mains = {measure: score for result in results for measure, score in result.main_scores.items()}
    # What is tested comes first.
    tested = [row.measure for result in results for row in result.comparisons]
    names = [name for name in dict.fromkeys((*tested, *mains)) if name in mains and not is_category(name)]
    grids = [ScoreGrid.of(sets, (name, mains[name]), systems) for name in names]
    grids = [grid for grid in grids if grid.systems]
    ranks = [mean_ranks(grid.measure, grid.systems, grid.values[grid.common]) for grid in grids if grid.tests]
    tests = [test for grid in grids for test in grid.average_tests(results)]
    clustered = any(result.about.documents for result in results)
    tests = decide_family(tests, "average", [clustered] * len(tests))
    columns = {name: result.about.column for name, result in sets.items()}
    column = first.about.column if len(set(columns.values())) == 1 else ""
    warnings = list(_warnings(sets))
    same: dict[str, list[str]] = {}
    for name, result in sets.items():
        same.setdefault(result.gold.sha256, []).append(name)
    for equal in [equal for equal in same.values() if len(equal) > 1]:
        warnings.insert(0, f"{enumeration(equal)} have the same gold but count as different data sets.")
    if len(set(columns.values())) > 1:
        each = ", ".join(f"{name} {column or 'none'}" for name, column in columns.items())
        warnings.insert(0, f"the compared column differs between data sets ({each}). To choose one: --column")
    sliced = any(row.slice is not None for result in results for row in result.scores)
    repeated = any(row.runs is not None for result in results for row in result.scores)
    alone = [name for name, result in sets.items() if result.about.units == 1]
    units, items = (sum(getattr(result.about, name) for result in results) for name in ("units", "items"))
    unit = first.about.unit if all(result.about.unit == first.about.unit for result in results) else "unit"
    titles = {name: title for result in results for name, title in result.shown.titles.items()}
    gold = _sum("gold", [result.gold for result in results])
    averages = list(_averages(sets, grids))
    texts = units if first.shown.text_unit == "document" else gold.sentences
    noun, named = first.shown.noun, bool(column) and not first.about.joined_by
    counted = f"{texts:,} {first.shown.text_unit}s, " if first.shown.text_unit != noun else ""
    heading = (
        f"{first.about.task}{f', column {column}' * named}: {plural(len(sets), 'data set')}, "
        f"{counted}{items:,} {first.shown.remarks.get('items', noun)}s, "
        f"{plural(len(systems), 'system')}"
    )
    facts = vars(first.about) | vars(first.shown)
    # The common parts of the signatures of all data sets, and a checksum of them.
    parts = [result.signature.split("|") for result in results]
    common = [part for part in parts[0] if all(part in others for others in parts)]
    digest = _digest("\n".join(result.signature for result in results))[:12]
    findings = Findings(
        {
            **{name: facts[name] for name in _SAME_IN_ALL},
            **{"column": column, "unit": unit, "units": units, "items": items, "titles": titles, "heading": heading},
            "family": sum(not math.isnan(test.p) for test in tests),
            "score_forms": {name: forms for result in results for name, forms in result.shown.score_forms.items()},
            "tables_only": True,
            "documents": sum(result.about.documents for result in results),
        },
        "|".join([*common, f"data:{'+'.join(sets)}", f"signatures:sha256={digest}"]),
        gold,
        [
            _sum(name, [source for result in results for source in result.systems if source.name == name])
            for name in dict.fromkeys(source.name for result in fullest for source in result.systems)
        ],
        warnings=[*missing, *warnings],
        notes=[
            *(f"Averages have no intervals: {name} has only one {first.about.unit}." for name in alone[:1]),
            *["Scores are means over the runs of each system."] * repeated,
            *["Slices are in the Result of each data set: --html or --format json."] * sliced,
        ],
    )
    by_set = [replace(row, slice=f"{SLICE}{name}") for name, result in sets.items() for row in result.overall]
    findings.rows |= {
        "scores": [*averages, *by_set],
        "comparisons": [*tests, *(row for grid in grids for row in grid.comparisons)],
        "systems_over_sets": [row for grid in grids for row in grid.of_systems],
        "pairs_over_sets": [row for grid in grids for row in grid.of_pairs],
        "ranks": [row for row in ranks if row is not None],
        "examples": [example for result in results for example in result.examples],
        "risks": list(risks_over({name: result.risks for name, result in sets.items()}, DATA_SETS)),
    }
    tables = [*_tables(sets, grids, averages, tests, titles, unit, repeated)]
    if findings.rows["risks"]:
        best = sorted(grids[0].of_systems, key=lambda row: -grids[0].sign * row.average)[:2]
        tables += risk_tables(findings.rows["risks"], noun, {row.system for row in best})
    findings.rows["tables"] = [table for table in tables if table.rows]
    bare = {
        name: replace(result, comparisons=tuple(replace(row, evidence=None) for row in result.comparisons))
        for name, result in sets.items()
    }
    return Results(build(findings), bare)


def _warnings(sets: Mapping[str, Result]) -> Iterator[str]:
    """The warnings of all data sets: equal ones once, and the first of many that differ only in numbers and names."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for name, result in sets.items():
        for text in result.warnings:
            kind = _DETAIL.sub("#", re.sub(rf"\b{re.escape(name)}\b", "#", text))
            kinds.setdefault(kind, {}).setdefault(text, []).append(name)
    for texts in kinds.values():
        for text, names in [*texts.items()][:_LIKE]:
            which = enumeration(names) if len(names) <= _NARROW else f"{len(names)} data sets ({names[0]}, …)"
            yield f"{'all data sets' if len(names) == len(sets) else which}: {text}"
        more = Counter(name for names in [*texts.values()][_LIKE:] for name in names)
        if more:
            numbers = ", ".join(f"{name} {number:,}" for name, number in more.items())
            yield f"{MORE_WARNINGS}, in the page and the JSON of each data set ({numbers})."


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _sum(name: str, sources: Sequence[InputFile]) -> InputFile:
    """The files of all data sets as one."""
    formats = "+".join(dict.fromkeys(source.format for source in sources))
    numbers = [(source.sentences, source.words, source.unaligned, source.spans) for source in sources]
    sentences, words, unaligned, spans = map(sum, zip(*numbers, strict=True))
    digest = _digest("".join(source.sha256 for source in sources))
    return InputFile(name, "", digest, formats, sentences, words, unaligned, spans=spans)


def _averages(sets: Mapping[str, Result], grids: Sequence[ScoreGrid]) -> Iterator[Score]:
    """The plain mean of each score over the data sets that all systems have."""
    scores = {
        (name, row.system, row.measure, row.score): row for name, result in sets.items() for row in result.overall
    }
    for grid in grids:
        names = [name for name, is_common in zip(grid.sets, grid.common.tolist(), strict=True) if is_common]
        for system in grid.systems:
            for score in dict.fromkeys(score for _, _, measure, score in scores if measure == grid.measure):
                rows = [scores.get((name, system, grid.measure, score)) for name in names]
                complete = [row for row in rows if row is not None]
                if complete and len(complete) == len(names):
                    yield average_score(complete, form_of_score(grid.measure, score))
                else:
                    # There is no mean of a score that not all of these data sets have.
                    yield Score(system, grid.measure, score, None, None, *_NOTHING, score == grid.score)


# --- one measure ---


@dataclass(frozen=True, eq=False)
class ScoreGrid:
    """The main score of a measure, data sets × systems, with the tests of each two systems on each data set."""

    measure: str
    score: str
    sets: tuple[str, ...]
    systems: tuple[str, ...]
    """The systems that have this measure on some data set."""
    values: Floats
    tests: Mapping[tuple[str, str], list[Comparison | None]]
    """The tests of each pair on each data set; None if a system is missing there, or nothing was tested."""
    form: str = "percent"
    """The form of its scores."""
    sign: float = 1.0
    """-1 if lower is better."""

    @classmethod
    def of(cls, sets: Mapping[str, Result], measure: tuple[str, str], systems: Sequence[str]) -> ScoreGrid:
        """The grid of a measure and its main score, from the Result of each data set."""
        values = np.full((len(sets), len(systems)), np.nan)
        tests: dict[tuple[str, str], list[Comparison | None]] = {}
        for index, result in enumerate(sets.values()):
            for row in result.overall:
                if (row.measure, row.score) == measure:
                    values[index, systems.index(row.system)] = row.value
            for test in result.comparisons:
                if (test.measure, test.score) == measure and test.is_of_score and test.slice is None:
                    tests.setdefault((test.a, test.b), [None] * len(sets))[index] = test
        there = ~np.isnan(values).all(axis=0)
        kept = tuple(name for name, has in zip(systems, there.tolist(), strict=True) if has)
        sign = -1.0 if any(result.is_lower(*measure) for result in sets.values()) else 1.0
        return cls(*measure, tuple(sets), kept, values[:, there], tests, form_of_score(*measure), sign)

    @cached_property
    def common(self) -> Bools:
        """Mask of the data sets that all systems have."""
        return np.asarray(~np.isnan(self.values).any(axis=1))

    @cached_property
    def best(self) -> Bools:
        """Mask of the best scores of the data sets that all systems have."""
        values = np.round(self.sign * self.values, 12)
        highest = values.max(axis=1, keepdims=True)
        return np.asarray((values == highest) & (values.min(axis=1, keepdims=True) < highest))

    @cached_property
    def ahead(self) -> Bools:
        """Mask of the scores that are significantly higher than those of all other systems on their data set."""
        ahead = self.best & (self.best.sum(axis=1, keepdims=True) == 1)
        for index, place in np.argwhere(ahead).tolist():
            rows = [tests[index] for pair, tests in self.tests.items() if self.systems[place] in pair]
            sure = [row for row in rows if row is not None and row.is_significant]
            ahead[index, place] = len(sure) == len(self.systems) - 1
        return np.asarray(ahead)

    @cached_property
    def of_systems(self) -> list[SystemOverSets]:
        """Average, rank and number of data sets won of each system."""
        values, number = self.values[self.common], int(self.common.sum())
        means = ranks = np.full(len(self.systems), np.nan)
        if number:
            means = values.mean(axis=0)
        if number and len(self.systems) > 1:
            # On each data set 1 is the best; ties have the mean.
            rounded = np.round(self.sign * values, 12)
            higher = (rounded[:, None, :] > rounded[:, :, None]).sum(axis=2)
            equal = (rounded[:, None, :] == rounded[:, :, None]).sum(axis=2)
            ranks = (higher + (equal + 1) / 2).mean(axis=0)
        numbers = (means.tolist(), ranks.tolist(), self.best.sum(axis=0).tolist(), self.ahead.sum(axis=0).tolist())
        return [
            SystemOverSets(name, self.measure, self.score, number, *row)
            for name, *row in zip(self.systems, *numbers, strict=True)
        ]

    @cached_property
    def of_pairs(self) -> list[PairOverSets]:
        """Each pair of systems over the data sets that both have."""
        rows = []
        for (a, b), tests in self.tests.items():
            before, after = self.systems.index(a), self.systems.index(b)
            differences = self.values[:, after] - self.values[:, before]
            both = ~np.isnan(differences)
            # The difference of the averages, to the last digit: the mean of the differences may round otherwise.
            means = self.values[both].mean(axis=0) if both.any() else np.full(len(self.systems), np.nan)
            rounded = np.round(self.sign * differences[both], 12)
            sure = np.array([row is not None and row.is_significant for row in tests])[both]
            masks = (rounded < 0, rounded > 0, sure & (rounded < 0), sure & (rounded > 0))
            won, lost, sure_won, sure_lost = (int(mask.sum()) for mask in masks)
            signed_rank = signed_rank_p(rounded) if len(rounded) >= LEAST_SETS else math.nan
            difference = float(means[after] - means[before])
            numbers = (won, lost, sure_won, sure_lost, signed_rank)
            rows.append(PairOverSets(a, b, self.measure, self.score, len(rounded), difference, *numbers))
        return rows

    @property
    def comparisons(self) -> Iterator[Comparison]:
        """The tests of each data set."""
        for index, name in enumerate(self.sets):
            for tests in self.tests.values():
                row = tests[index]
                if row is not None:
                    yield replace(row, slice=f"{SLICE}{name}", evidence=None)

    def average_tests(self, results: Sequence[Result]) -> Iterator[Comparison]:
        """The test of each two systems on the means over the data sets that both have."""
        about = results[0].about
        for pair, tests in zip(self.of_pairs, self.tests.values(), strict=True):
            defined = [(row, result) for row, result in zip(tests, results, strict=True) if row is not None]
            defined = [(row, result) for row, result in defined if not math.isnan(row.difference)]
            if defined:
                rows, units = [row for row, _ in defined], [result.about.units for _, result in defined]
                yield average_test(rows, units, pair.difference, about.seed, about.times, about.task)


def mean_ranks(measure: str, systems: Sequence[str], scores: Floats, by: str = "wilcoxon") -> MeanRanks | None:
    """Tests on the ranks of scores, data sets × systems, if there are enough of both; groups by one of them."""
    if scores.shape[0] < LEAST_SETS or scores.shape[1] < LEAST_SYSTEMS:
        return None
    tests = rank_tests(scores)
    means = dict(zip(systems, tests.ranks.tolist(), strict=True))
    order = sorted(systems, key=lambda name: (means[name], name))
    names = {(a, b): (systems[a], systems[b]) for a, b in tests.wilcoxon}
    tested = tests.nemenyi if by == "nemenyi" else tests.wilcoxon_holm
    apart = {frozenset(names[pair]) for pair, p in tested.items() if p <= ALPHA}
    return MeanRanks(
        measure=measure,
        data_sets=len(scores),
        ranks={name: means[name] for name in order},
        groups=assign_letters(order, apart),
        friedman=tests.chi_square,
        friedman_p=tests.p,
        iman_davenport=tests.f,
        iman_davenport_p=tests.f_p,
        critical_difference=tests.critical_difference,
        pairs=tuple(
            RankTest(*names[pair], tests.wilcoxon[pair], tests.wilcoxon_holm[pair], tests.nemenyi[pair])
            for pair in names
        ),
        by=by,
    )


# --- tables ---


def _tables(
    sets: Mapping[str, Result],
    grids: Sequence[ScoreGrid],
    averages: Sequence[Score],
    tests: Sequence[Comparison],
    titles: Mapping[str, str],
    unit: str,
    repeated: bool,
) -> Iterator[Table]:
    """Scores on each data set, differences over all and on each; then the details."""
    for grid in grids:
        means = {row.system: row for row in averages if (row.measure, row.score) == (grid.measure, grid.score)}
        yield tabulate_scores(grid, titles.get(grid.measure, grid.measure), means, first=grid is grids[0])
        if grid is grids[0] and len(grids) > 1:
            yield _means(grids, titles)
    for grid in grids:
        own = {(row.a, row.b): row for row in tests if row.measure == grid.measure}
        yield _pairs(grid, titles.get(grid.measure, grid.measure), own, unit, first=grid is grids[0])
    for grid in grids:
        yield _tests(grid, titles.get(grid.measure, grid.measure), first=grid is grids[0])
    yield from _degrees(sets, titles)
    yield _precisions(sets, [grid for grid in grids if grid.score.endswith("f1")])
    for table in (*_error_types(sets, titles), _changes(sets), _bounds(sets)):
        # Scores are means; what is counted in one output is that of the median run.
        median = "Each system's median run on each data set."
        by_run = replace(table, title=f"{table.title}, median runs", notes=(*table.notes, median))
        yield by_run if repeated else table


_DEGREES = ("strong", "weak", "precision", "recall", "f1")
"""Scores of tags that may be right in part: C, WC, P, R and F of Acedański and Przepiórkowski (2010)."""


def _degrees(sets: Mapping[str, Result], titles: Mapping[str, str]) -> Iterator[Table]:
    """Their Tables 2 to 5: all scores of a measure with partial credit, by data set, on average and all together."""
    values: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    counts: dict[tuple[str, str], list[Mapping[str, int]]] = {}
    for name, result in sets.items():
        for row in result.overall:
            values.setdefault((row.measure, row.system), {}).setdefault(name, {})[row.score] = row.value
        for counted in result.counts:
            if counted.label is None and counted.slice is None:
                counts.setdefault((counted.measure, counted.system), []).append(counted.counts)
    graded = [measure for (measure, _), by_set in values.items() if "weak" in next(iter(by_set.values()))]
    for measure in dict.fromkeys(graded):
        rows: list[tuple[Any, ...]] = []
        for (own, system), by_set in values.items():
            if own != measure:
                continue
            table = np.array([[scores.get(score, math.nan) for score in _DEGREES] for scores in by_set.values()])
            rows += [(system, name, *numbers) for name, numbers in zip(by_set, table.tolist(), strict=True)]
            rows.append((system, "mean", *table.mean(axis=0).tolist()))
            if len(table) > 1:
                rows.append((system, "± sd", *table.std(axis=0, ddof=1).tolist()))
            of_sets = counts.get((own, system), [])
            if len(of_sets) == len(by_set):
                sums = {field: np.asarray(float(sum(row[field] for row in of_sets))) for field in of_sets[0]}
                functions = find(measure, next(iter(sets.values())).about.task).scores
                rows.append((system, "all together", *(float(functions[score](sums)) for score in _DEGREES)))
        note = (
            "mean, sd: unweighted mean and standard deviation over data sets. all together: computed from the summed "
            "counts."
        )
        header = ("system", "data set", *_DEGREES)
        title = f"Degrees of correctness: {titles.get(measure, measure)}"
        yield _table("further-scores", title, header, rows, "text text percent", note, words=2, minor=True)


def _table(
    name: str, title: str, header: Iterable[str], rows: Iterable[Any], forms: str, *notes: str, **more: Any
) -> Table:
    return Table(title, tuple(header), tuple(rows), tuple(forms.split()), name=name, notes=notes, **more)


def tabulate_scores(grid: ScoreGrid, measure: str, averages: Mapping[str, Score], *, first: bool) -> Table:
    """Scores of data sets and systems, with averages, ranks and wins; the more numerous are rows."""
    means = [row.average for row in grid.of_systems]
    bold = {(int(i), int(j)) for i, j in np.argwhere(grid.best)}
    best = [grid.sign * mean for mean in means]
    bold |= {(len(grid.sets), index) for index in range(len(means)) if is_best(best, index)}
    marks = np.where(grid.ahead, _MARK, "").tolist()
    body: list[list[Any]] = [
        list(zip(row_marks, values, strict=True))
        for row_marks, values in zip(marks, grid.values.tolist(), strict=True)
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
    down, names, corner = [*grid.sets, *ends], list(grid.systems), "data set"
    if len(grid.systems) > len(grid.sets):
        body, bold = [list(row) for row in zip(*body, strict=True)], {(j, i) for i, j in bold}
        down, names, corner = names, down, "system"
    rows = [(name, *row) for name, row in zip(down, body, strict=True)]
    unit = "Percent; average" if grid.form == "percent" else "Average"
    also = ", with its interval for these data sets" * has_intervals
    notes = [f"{unit}: the unweighted mean over data sets{also}.{' Lower is better.' * (grid.sign < 0)}"] * first
    if left_out := [name for name, is_common in zip(grid.sets, grid.common.tolist(), strict=True) if not is_common]:
        notes.append(
            f"Average, rank and best are computed over the {plural(int(grid.common.sum()), 'data set')} that all "
            f"systems have, without {enumeration(left_out)}."
        )
    if compared and first:
        notes.append("Bold: the best on each data set.")
    # Each two systems are tested, not each against one.
    tested = any(row is not None for tests in grid.tests.values() for row in tests)
    if first and tested and len(grid.tests) == len(grid.systems) * (len(grid.systems) - 1) // 2:
        notes.append(f"{_MARK}: better than every other system (p (Holm) at most 0.05 for each pair).")
    forms = "text marked" if grid.form == "percent" else f"text marked-{grid.form}"
    cells = tuple(sorted((i, j + 1) for i, j in bold))
    title, header = f"Scores by data set: {measure}", (corner, *names)
    return replace(_in_parts(_table("scores", title, header, rows, forms, *notes, bold=cells)), minor=not first)


def _means(grids: Sequence[ScoreGrid], titles: Mapping[str, str]) -> Table:
    """The average of each measure, systems by measures."""
    systems = list(dict.fromkeys(name for grid in grids for name in grid.systems))
    averages = {(row.system, row.measure): row.average for grid in grids for row in grid.of_systems}
    columns = [[averages.get((name, grid.measure), math.nan) for name in systems] for grid in grids]
    table = _table(
        "scores",
        "Scores averaged over data sets",
        ("system", *(titles.get(grid.measure, grid.measure) for grid in grids)),
        zip(systems, *columns, strict=True),
        " ".join(["text", *(grid.form for grid in grids)]),
        "The main score of each measure, in percent if it is a proportion. Bold: the best in each column.",
        columns=("system", *(grid.measure for grid in grids)),
        bold=tuple(
            (i, j)
            for j, (grid, column) in enumerate(zip(grids, columns, strict=True), 1)
            for i in range(len(column))
            if is_best([grid.sign * value for value in column], i)
        ),
    )
    return _in_parts(table)


def _in_parts(table: Table) -> Table:
    """The table and, if it is wide, its columns in several narrow tables, all with the first column."""
    starts = range(1, len(table.header), _NARROW)
    narrow = tuple(
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
    return replace(table, narrow=narrow if len(starts) > 1 else ())


def _pairs(
    grid: ScoreGrid, measure: str, tests: Mapping[tuple[str, str], Comparison], unit: str, *, first: bool
) -> Table:
    """Each pair of systems over all data sets; if there are many, pairs with the best system come first."""
    averages = {row.system: grid.sign * row.average for row in grid.of_systems}
    best = max(averages, key=lambda name: (not math.isnan(averages[name]), averages[name]))
    many = len(grid.of_pairs) > _PAIRS
    pairs = [row for row in grid.of_pairs if (row.a, row.b) in tests]
    pairs = sorted(pairs, key=lambda row: best not in (row.a, row.b)) if many else pairs
    ranked = any(not math.isnan(row.signed_rank) for row in pairs)
    rows = []
    for row in pairs:
        test = tests[row.a, row.b]
        better = (row.a_better, row.a_significant, row.b_better, row.b_significant, *[row.signed_rank] * ranked)
        rows.append(([row.a, row.b], row.data_sets, list(test.figure), test.p, list(test.holm), *better))
    points = " in percentage points" * (grid.form == "percent")
    shuffled = any(test.test == "shuffling" for test in tests.values())
    exchanged = f"outputs exchanged {unit} by {unit} within each data set"
    way = exchanged if shuffled else f"Student's t over {unit}s and runs"
    notes = (
        f"Difference of the averages over data sets, second minus first{points}, with the "
        f"{interval_title(list(tests.values()))}. p: two-sided, {way}. Holm correction for "
        f"{_family(tests.values())}; bold: p (Holm) at most 0.05.",
        "Better: number of data sets on which the first or the second system scores higher; shown: those with p "
        f"(Holm) at most 0.05, corrected for all {_family(grid.comparisons)} on single data sets.",
        *["Signed rank: p of Wilcoxon's test over data sets, not corrected."] * ranked,
    )
    header, last = ("pair", "data sets", "difference", "p", "p (Holm)"), ["signed rank"] * ranked
    return _table(
        "pairs",
        f"Differences over data sets: {measure}",
        (*header, "first better", "shown", "second better", "shown", *last),
        rows,
        f"pair count {DIFFERENCES[grid.form]} p holm count count count count p",
        *(notes if first else ()),
        # The pairs of the best system.
        short=len(averages) - 1 if many else 0,
        columns=(*header, "first better", "first shown better", "second better", "second shown better", *last),
        droppable=(9, 3, 1) if ranked else (3, 1),
        minor=not first,
    )


def _family(rows: Iterable[Comparison]) -> str:
    """The number of tests that are corrected together."""
    return plural(next((row.family.size for row in rows if row.family is not None), 0), "test")


def _tests(grid: ScoreGrid, measure: str, *, first: bool) -> Table:
    several, tests = len(grid.tests) > 1, list(grid.comparisons)
    pairs = [f"{a} → {b}" for a, b in grid.tests]
    unit = " in percentage points" * (grid.form == "percent")
    note = (
        f"Second minus first{unit}, with the {interval_title(tests)}. Holm correction for {_family(tests)} (pairs, "
        f"measures and data sets), here and on the page of each data set; bold: p (Holm) at most 0.05."
    )
    rows = (
        (str(row.slice).removeprefix(SLICE), *[[row.a, row.b]] * several, list(row.figure), row.p, list(row.holm))
        for row in tests
    )
    return _table(
        "data-sets",
        f"Differences by data set: {measure}{'' if several or not pairs else f', {pairs[0]}'}",
        ("data set", *["pair"] * several, "difference", "p", "p (Holm)"),
        rows,
        f"text {'pair ' * several}{DIFFERENCES[grid.form]} p holm",
        *[note] * first,
        words=1 + several,
        minor=several or not first,
    )


def _precisions(sets: Mapping[str, Result], grids: Sequence[ScoreGrid]) -> Table:
    """Precision, recall and F1 of measures whose precision and recall differ, as in Ortmann's Table 1."""
    rows: list[tuple[Any, ...]] = []
    bold: list[tuple[int, int]] = []
    differ = False
    for name, result in sets.items():
        scores = {(row.system, row.measure, row.score): row for row in result.overall}
        for grid in grids:
            whole = {}
            for system in grid.systems:
                three = [scores.get((system, grid.measure, score)) for score in ("precision", "recall", "f1")]
                if len(complete := [row for row in three if row is not None]) == 3:
                    whole[system] = complete
            best = [f1.value for *_, f1 in whole.values()]
            for index, (system, (precision, recall, f1)) in enumerate(whole.items()):
                differ |= not math.isclose(precision.value, recall.value, abs_tol=1e-12)
                bold += [(len(rows), 5)] if len(whole) == len(grid.systems) and is_best(best, index) else []
                figures = (precision.value, recall.value, [f1.value, f1.low, f1.high])
                rows.append((name, grid.measure, system, *figures))
    return _table(
        "further-scores",
        "Precision and recall by data set",
        ("data set", "measure", "system", "precision", "recall", "f1"),
        rows if differ else (),
        "text text text percent",
        *("Percent.", "95% intervals in brackets.", "Bold: the best F1 of each measure on each data set."),
        words=3,
        bold=tuple(bold),
        minor=True,
    )


def _error_types(sets: Mapping[str, Result], titles: Mapping[str, str]) -> Iterator[Table]:
    for measure in dict.fromkeys(row.measure for result in sets.values() for row in result.error_types):
        kinds: dict[str, None] = {}
        cells: dict[tuple[str, str], dict[str, tuple[int, float]]] = {}
        for name, result in sets.items():
            for row in result.error_types:
                if row.measure == measure:
                    kinds[row.type] = None
                    cells.setdefault((name, row.system), {})[row.type] = (row.count, row.share)
        yield _table(
            "errors",
            f"Error types by data set: {titles.get(measure, measure)}",
            ("data set", "system", *map(kind_title, kinds)),
            ((*place, *map(counts.get, kinds)) for place, counts in cells.items()),
            "text text share",
            "Number of errors of each type, with the percentage of the system's errors in brackets.",
            words=2,
            minor=True,
        )


def _changes(sets: Mapping[str, Result]) -> Table:
    """Tuggener's Table 3 for each data set."""
    diffs = [
        (name, row)
        for name, result in sets.items()
        for row in result.diffs
        if row.slice is None and row.on == result.diffs[0].on and row.is_judged
    ]
    noun = next(iter(sets.values())).shown.noun
    counted = ("corrections", "new_errors", "changed_errors", "overlap_right")
    return _table(
        "differences",
        "What differs by data set",
        ("data set", "pair", f"{noun}s", "diff", "Δ", "corr.", "new errors", "changed errors", "overlap right"),
        (
            (name, [row.a, row.b], row.items, row.diff, row.difference, *(getattr(row, field) for field in counted))
            for name, row in diffs
        ),
        "text pair count percent points count count count percent",
        f"diff: percentage of {noun}s with a different answer; Δ: difference of the scores in points; corr.: "
        f"corrections; overlap right: 2 · both right / (A right + B right).",
        words=2,
        droppable=(8, 2),
        minor=len({(row.a, row.b) for _, row in diffs}) > 1,
    )


def _bounds(sets: Mapping[str, Result]) -> Table:
    """The first row of Tuggener's Table 9 for each data set."""
    rows = []
    for name, result in sets.items():
        for row in [row for row in result.bounds if row.slice is None and row.label is None][:1]:
            shares = (row.systems[row.best], row.upper, row.gain)
            rows.append((name, row.best, row.items, *shares, row.all_right, row.none_right))
    shown = next(iter(sets.values())).shown
    noun, over = shown.noun, f"Over gold's {shown.noun}s (recall). " * shown.matched
    return _table(
        "bounds",
        "Upper bounds by data set",
        ("data set", "best system", f"{noun}s", "right", "bound", "gain", "all right", "none right"),
        rows,
        "text text count percent percent points count count",
        f"{over}Right: percentage that the best system has right; bound: the score if the best answer of any system "
        f"is chosen; gain: bound minus the best system; all, none right: {noun}s that all systems, or none, have "
        f"right.",
        words=2,
    )
