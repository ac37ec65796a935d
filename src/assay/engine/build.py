"""build(): the Result of what a command has found. Nothing else makes a Result."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any, NamedTuple, cast

import numpy as np

import assay
from assay.arrays import Floats
from assay.classes import dataclass
from assay.engine import changes
from assay.engine.combination import Ballots, add_combination
from assay.engine.counts import BLOCKS
from assay.engine.items import NOTHING, Items
from assay.engine.measure import form_of_score
from assay.engine.options import Options
from assay.engine.risks import find_risks
from assay.engine.scores import SystemScores
from assay.engine.task import describe
from assay.errors import unknown
from assay.result import SCHEMA, TABLES, About, Comparison, ErrorType, Family, InputFile, Presentation, Result, Score
from assay.result.grammar import ALPHA, decide_kind
from assay.result.verdict import pair_facts
from assay.stats.intervals import exceed_zero, t_interval
from assay.stats.many import assign_letters
from assay.stats.significance import benjamini_hochberg, clopper_pearson, holm, holm_of, mcnemar

SURE = 0.001
"""From this p on, another split of the data may well lead to another verdict."""
_ABOUT, _SHOWN = About.__annotations__, Presentation.__annotations__
_NO_INTERVAL = {
    "bca": "BCa is not defined for averages over labels, or if resamples or units do not vary",
    "wilson": "Wilson's interval is for proportions",
}


_USUAL = {"column": "", "aligned_by": "words", "test": "shuffling", "family": 0}


class Compared(NamedTuple):
    """The items of one measure, over everything or one value of a slice, on which systems are compared."""

    on: str
    slice: str | None
    items: Items | Mapping[str, Floats]
    """The items or, if answers are graded, how bad each is in each system."""
    score: str
    """The score whose differences the changes explain."""
    is_share: bool = False
    """True if the score is the share of right items, so that McNemar's test applies."""
    gold_test: str = ""
    """The score of McNemar's test over gold's items alone, if there is one."""
    bounds: bool = True
    """False if only changes are shown."""
    exact: Mapping[str, Any] = {}
    """Fields of the overall upper bound about sentences that are entirely right."""
    ballots: Ballots | None = None
    """What a combination of systems is made of …"""
    no_ballots: str = ""
    """… or why there is none."""
    clusters: bool = False
    """True if units are larger than sentences."""
    overlaps: Mapping[str, Any] = {}
    """Sums over units of what each two systems have right (`count_overlaps`); empty if no risk is shown."""


@dataclass(eq=False)
class Findings:
    """What a command has found: facts, files, figures to be tested, items to be compared, and rows that are ready."""

    about: dict[str, Any]
    """Facts by field of About, Presentation or Result. With `titles`, the task is not asked how it is shown."""
    signature: str | Mapping[str, object]
    """The signature, or its parts; `interval` is then completed by the kinds of intervals that there are."""
    gold: InputFile
    systems: Sequence[InputFile]
    figures: Iterable[tuple[SystemScores, Sequence[str]]] = ()
    """Figures, and the tables that each gives rows of: `scores`, `labels` (scores by label), `counts`,
    `comparisons`."""
    items: Sequence[Compared] = ()
    rows: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    """Rows of other tables, by the field of the Result; comparisons without a family are corrected here."""
    errors: Mapping[str, Iterable[str]] = field(default_factory=dict)
    """By measure the fields that count types of errors."""
    warnings: list[str] = field(default_factory=list)
    further_warnings: list[str] = field(default_factory=list)
    """Warnings that follow those on few units and on intervals."""
    notes: list[str] = field(default_factory=list)
    further_notes: list[str] = field(default_factory=list)
    """Notes that follow the one on blocks of units."""
    least_units: int = 0
    """A warning is given if there are fewer units."""
    pooled: bool = False
    """True if blocks of units were resampled instead of units."""
    options: Options = field(default_factory=Options)
    """The options of the command, which give facts and say how tests are corrected."""
    clustered: bool = False
    """True if gold has documents though sentences are the unit."""
    shown_by_task: bool = True
    """False if the task's tables and remarks do not apply."""
    finish: Callable[[Result], Result] | None = None
    """Adds the tables that only the task can make."""

    @classmethod
    def of(cls, result: Result) -> Findings:
        """The findings of a Result, to which others can be added."""
        about = {**vars(result.about), **vars(result.shown), "texts": result.texts}
        warnings, notes = [*result.warnings], [*result.notes]
        found = cls(about, result.signature, result.gold, result.systems, warnings=warnings, notes=notes)
        for name in (*TABLES, "tables", "examples"):
            found.rows[name] += getattr(result, name)
        return found


def build(found: Findings) -> Result:
    """The Result of what was found."""
    options, rows = found.options, found.rows
    of_options = ("seed", "times", "interval", "labels", "ignore_labels")
    about = {**_USUAL, **{name: getattr(options, name) for name in of_options}, **found.about}
    scores, tests, pooled = rows["scores"], rows["comparisons"], found.pooled
    resampled: list[Score | Comparison] = []
    for one, names in found.figures:
        first, second = len(scores), len(tests)
        scores.extend(one.scores(labels="labels" in names) if "scores" in names else ())
        rows["counts"].extend(one.counts_rows() if "counts" in names else ())
        tests.extend(one.comparisons() if "comparisons" in names else ())
        resampled += [*scores[first:], *tests[second:]]
        pooled |= one.pooled
    for row in rows["counts"]:
        # Each type's share of the errors, under every measure that has types (Ortmann's Figure 1).
        if row.measure in found.errors and row.label is None and row.slice is None and {"fp", "fn"} <= {*row.counts}:
            errors = {name: number for name, number in row.counts.items() if name in found.errors[row.measure]}
            rows["error_types"].extend(error_shares(row.system, row.measure, errors))
    values: dict[tuple[str, str, str | None], dict[str, float]] = defaultdict(dict)
    for row in scores if found.items else ():
        if row.label is None:
            values[row.measure, row.score, row.slice][row.system] = row.value
    for compared in found.items:
        own = values.get((compared.on, compared.score, compared.slice), {})
        _compare_items(compared, own, rows, options.label_order)
    rows["risks"].extend(find_risks(found.items, options))
    mains: dict[str, str] = {}
    for row in scores:
        if row.main and row.slice is None:
            mains.setdefault(row.measure, row.score)
    tests = [row for row in tests if options.baseline in (None, row.a, row.b)]
    if options.margin:
        tests = _with_margins(tests, options, mains)
    open_tests = [row for row in tests if row.family is None]
    sliced = options.correct == "slices"
    adjusted = iter(adjust_p_values(open_tests, mains, slices=sliced, clustered=found.clustered))
    tests = [next(adjusted) if row.family is None else row for row in tests]
    further_notes = list(found.further_notes)
    if about["command"] == "compare":
        scores = list(add_group_letters(scores, tests)) if len(found.systems) > 2 else scores
        overall = (row for row in tests if row.test == "shuffling" and row.slice is None)
        differing = (row for row in overall if row.measure == tests[0].measure and row.kind != "identical")
        if resampled and any(row.p_adjusted >= SURE for row in differing):
            further_notes.append(
                "This is one test set. To compare over many splits: assay experiment, then assay bayes."
            )
    for measure in dict.fromkeys(row.measure for row in tests if row.margin is not None and row.is_of_score):
        key = (measure, mains[measure], None, None)
        spread = [row.value for row in scores if (row.measure, row.score, row.label, row.slice) == key]
        margin = next(row.margin for row in tests if row.measure == measure and row.margin is not None)
        if len(spread) > 2 and max(spread) - min(spread) < margin:
            further_notes.append(
                f"The margin of {measure} is larger than the difference between the highest and the lowest score."
            )
    asked, unit = about["interval"], about["unit"]
    signature = found.signature
    if not isinstance(signature, str):
        kinds = dict.fromkeys([asked, *sorted({row.interval for row in resampled if row.interval})])
        signature = "|".join(f"{key}:{value}" for key, value in {**signature, "interval": "+".join(kinds)}.items())
    block_note = (
        f"To save time, the {unit}s were grouped into {BLOCKS:,} blocks by a hash of their ids, and blocks were "
        f"resampled instead of {unit}s."
    )
    tables: dict[str, Any] = {**rows, "scores": scores, "comparisons": tests}
    result = Result(
        schema=SCHEMA,
        version=assay.__version__,
        signature=signature,
        about=About(**{name: value for name, value in about.items() if name in _ABOUT}),
        shown=Presentation(**{name: value for name, value in about.items() if name in _SHOWN}),
        gold=found.gold,
        systems=tuple(found.systems),
        warnings=(
            *found.warnings,
            *_warn_of_intervals(about["units"], unit, found.least_units, asked, resampled),
            *found.further_warnings,
        ),
        notes=tuple(dict.fromkeys((*found.notes, *[block_note] * pooled, *further_notes))),
        **{name: value for name, value in about.items() if name not in (*_ABOUT, *_SHOWN)},
        **{name: cast(Any, tuple(own)) for name, own in tables.items()},
    )
    result = found.finish(result) if found.finish else result
    if "titles" in about:
        return result
    shown = describe(result, by_task=found.shown_by_task)
    unit, remarks = about.get("text_unit", shown.shown.text_unit), about.get("remarks", {})
    return shown.with_shown(text_unit=unit, remarks={**shown.shown.remarks, **remarks})


def error_shares(system: str, measure: str, errors: Mapping[str, int]) -> Iterator[ErrorType]:
    """Types of errors with their share of all."""
    total = sum(errors.values())
    for name, number in errors.items():
        yield ErrorType(system, measure, name, number, number / total if total else float("nan"))


# --- comparison ---


def _compare_items(
    compared: Compared, values: Mapping[str, float], rows: dict[str, list[Any]], label_order: str
) -> None:
    """Add the changes, upper bounds and McNemar's tests of one measure to the rows; `values` has the scores."""
    on, where, items, score, *_ = compared
    if not isinstance(items, Items):
        rows["diffs"].extend(changes.compare_losses(items, on, where, score, values))
        return
    by_label: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows["contributions"] if where is None else ():
        if (row.measure, row.score, row.by) == (on, score, "label"):
            by_label[row.a, row.b][row.group] = row.value
        elif (row.measure, row.score, row.by) == (on, score, "kind") and row.group.startswith("spurious"):
            # Items that gold does not have count under their own labels, and are listed together.
            adds = by_label[row.a, row.b]
            adds[NOTHING] = adds.get(NOTHING, 0.0) + row.value
    rows["diffs"].extend(changes.compare_answers(items, on, where, score, values, label_order, by_label))
    if not compared.bounds:
        return
    upper = list(changes.bounds(items, on, where))
    upper = [replace(upper[0], **compared.exact), *upper[1:]] if upper else []
    steps = list(changes.growth(items, on, where))
    if where is None:
        upper, steps = add_combination(upper, steps, compared.ballots, compared.no_ballots, compared.clusters)
    rows["bounds"].extend(upper)
    rows["growth"].extend(steps)
    for name, function in (
        ("unique", changes.unique),
        ("transitions", changes.transitions),
    ):
        rows[name].extend(function(items, on, where))
    for tested, own, name, differences in (
        (bool(compared.gold_test), items.of_gold(), compared.gold_test, {}),
        (compared.is_share, items, score, values),
    ):
        for a, b in combinations(range(len(own.systems)), 2) if tested else ():
            only_a = own.sum(own.right[a] & ~own.right[b])
            only_b = own.sum(own.right[b] & ~own.right[a])
            exact, mid = mcnemar(only_a, only_b)
            difference = changes.difference(own, a, b, differences) if own.total else math.nan
            row = (own.systems[a], own.systems[b], on, name, where, difference, math.nan, math.nan, "mcnemar")
            p = (exact, exact, exact, math.nan)
            rows["comparisons"].append(Comparison(*row, *p, units=only_a + only_b, p_mid=mid, exact=True))


def add_group_letters(scores: Sequence[Score], tests: Sequence[Comparison]) -> Iterator[Score]:
    """Scores with the letters that tests give them: main scores of three systems or more that were all tested."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    mains = {(row.measure, row.score) for row in scores if row.main and row.label is None and row.slice is None}
    for measure, score in mains:
        values = {
            row.system: row.merit
            for row in scores
            if (row.measure, row.score, row.label, row.slice) == (measure, score, None, None)
        }
        rows = [
            row
            for row in tests
            if (row.measure, row.score, row.slice) == (measure, score, None) and row.test != "mcnemar"
        ]
        number = len(values)
        decided = not any(np.isnan(row.p) or not row.judged for row in rows)
        if number > 2 and len(rows) == number * (number - 1) // 2 and decided:
            order = sorted(values, key=lambda name: (-values[name], name))
            apart = {frozenset((row.a, row.b)) for row in rows if row.is_significant}
            found[measure, score] = assign_letters(order, apart)
    for row in scores:
        groups = found.get((row.measure, row.score), {}) if row.label is None and row.slice is None else {}
        yield replace(row, group=groups[row.system]) if row.system in groups else row


def count_tests(systems: Sequence[str], baseline: str | None) -> int:
    """Number of pairs that are tested. Raise an error if the baseline is no system."""
    if baseline is None:
        return len(systems) * (len(systems) - 1) // 2
    if baseline not in systems:
        raise unknown("system", baseline, systems)
    return len(systems) - 1


def adjust_p_values(
    comparisons: Sequence[Comparison], mains: Mapping[str, str], *, slices: bool = False, clustered: bool = False
) -> list[Comparison]:
    """Comparisons with corrected p, intervals at the level of the family, and the kind of verdict allowed.

    A family is made of the main score of each measure, over all pairs and measures of each test; other scores of a
    measure are corrected over pairs alone. Slices are not corrected, or by Benjamini and Hochberg, all of them
    together, and have no verdict. `clustered` is True if gold has documents though sentences are the unit.
    """
    families: dict[tuple[object, ...], list[int]] = {}
    for index, row in enumerate(comparisons):
        if row.slice is None:
            whole = mains.get(row.measure) == row.score or row.test in ("mcnemar", "ceiling")
            families.setdefault((row.test, None, *(() if whole else (row.measure, row.score))), []).append(index)
        elif slices:
            families.setdefault((row.test, "slices"), []).append(index)
    done = list(comparisons)
    for (test, sliced, *others), family in families.items():
        rows = [comparisons[index] for index in family]
        if not sliced and test not in ("mcnemar", "ceiling"):
            decided = decide_family(rows, "further scores" if others else "pairs", [clustered] * len(rows))
        else:
            adjusted = (benjamini_hochberg if sliced else holm)([row.p for row in rows])
            decided = [replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True)]
        for index, row in zip(family, decided, strict=True):
            done[index] = row
            if sliced:
                done[index] = replace(row, claims=("significant",) if row.p_adjusted <= ALPHA else ())
            elif test == "ceiling":
                # The interval is at the level of all tests.
                level, freedom = 1 - ALPHA / len(rows), 1 + (row.df or math.nan)
                low, high = t_interval(row.difference, row.variance or math.nan, freedom, -1.0, 1.0, level)
                tested = row if row.margin is None else _compare_with_margin(row, len(rows))
                facts = {"difference": row.difference, "p_adjusted": row.p_adjusted}
                known = {name: None if math.isnan(value) else value for name, value in facts.items()}
                compared = {"margin": tested.margin, "low90": tested.low90}
                verdict = decide_kind({"type": "ceiling", "annotators": row.annotators or 0, **known, **compared})
                ends: dict[str, Any] = {
                    "level": level,
                    "low_family": low,
                    "high_family": high,
                    "family": Family(test, len(rows)),
                }
                done[index] = replace(tested, **ends, kind=verdict.kind, claims=verdict.claims)
    return done


def decide_family(rows: Sequence[Comparison], question: str, clustered: Sequence[bool] = ()) -> list[Comparison]:
    """The tests of one family with Holm's p and the kind of verdict that each allows.

    `clustered` is True for each test whose documents are known though sentences are the unit.
    """
    p_values = np.array([row.p for row in rows], dtype=np.float64)
    known = np.sort(p_values[~np.isnan(p_values)])
    family, done = Family(question, len(known)), []
    marks = clustered or [False] * len(rows)
    for row, adjusted, in_documents in zip(rows, holm(p_values.tolist()), marks, strict=True):
        facts: dict[str, Any] = {"clustered": in_documents, "p_adjusted": None if math.isnan(adjusted) else adjusted}
        needed = None
        if not math.isnan(adjusted):
            others = np.delete(known, int(np.searchsorted(known, row.p)))
            if row.smallest_p is not None and adjusted > ALPHA:
                facts["smallest_adjusted"] = holm_of(row.smallest_p, others)
                needed = row.units
                while holm_of(2.0 ** (1 - needed), others) > ALPHA:
                    needed += 1
            if row.p_low < row.p_high:
                facts["low_adjusted"] = holm_of(row.p_low, others)
                facts["high_adjusted"] = holm_of(row.p_high, others)
        whole = replace(row, p_adjusted=adjusted, family=family)
        if row.variance is not None and row.df is not None:
            # Resamples have no tails as far out as the level of a family, so that this interval is Student's.
            level, ends = 1 - ALPHA / max(1, len(known)), (row.low, row.high)
            if len(known) > 1:
                ends = t_interval(row.difference, row.variance, row.df + 1, -row.widest, row.widest, level)
            whole = replace(whole, level=level, low_family=ends[0], high_family=ends[1])
        whole = whole if whole.margin is None else _compare_with_margin(whole, max(1, len(known)))
        found = decide_kind(pair_facts(whole, **facts))
        needed = needed if found.kind.endswith("untestable") else None
        done.append(replace(whole, kind=found.kind, claims=found.claims, needed=needed))
    return done


def _with_margins(
    rows: Sequence[Comparison], options: Options, mains: Mapping[str, str]
) -> list[Comparison]:
    """Comparisons with the smallest difference that matters, for the main score of each measure."""
    tested = [
        row.slice is None and (row.test == "ceiling" or (row.is_of_score and mains.get(row.measure) == row.score))
        for row in rows
    ]
    options.check_margins({row.measure for row, is_main in zip(rows, tested, strict=True) if is_main})
    return [
        replace(row, margin=options.margin_of(row.measure, form_of_score(row.measure, row.score))) if is_main else row
        for row, is_main in zip(rows, tested, strict=True)
    ]


def _compare_with_margin(row: Comparison, family: int) -> Comparison:
    """A comparison with the two one-sided tests against its margin, at the level of its family.

    If few units differ, or nearly all of some go one way, the interval is too narrow. Then the largest share of
    differing units that is plausible says how large the difference can be, if each of them changed as much as the
    largest unit can.
    """
    margin, level, reach = row.margin, 1 - ALPHA / family, row.widest
    assert margin is not None
    if row.few and math.isnan(row.unit_effect):
        return row
    if row.few or row.is_skewed:
        if not math.isnan(row.unit_effect):
            reach = min(reach, clopper_pearson(row.units, row.all_units, 2 * level - 1)[1] * row.unit_effect)
        return replace(row, low90=-reach, high90=reach) if reach < math.inf else row
    if row.variance is None or row.df is None:
        return replace(row, margin=None)
    low, high = t_interval(row.difference, row.variance, row.df + 1, -row.widest, row.widest, 2 * level - 1)
    above, below = (exceed_zero(margin + way * row.difference, row.variance, row.df) for way in (1, -1))
    return replace(row, low90=low, high90=high, p_equivalent=max(above, below), p_not_worse=min(above, below))


# --- warnings ---


def _warn_of_intervals(
    number: int, unit: str, least: int, asked: str, rows: Iterable[Score | Comparison]
) -> Iterator[str]:
    """Warnings if there is little to resample, or the interval asked for cannot be made for all scores."""
    if least and number == 1:
        yield f"There is only 1 {unit}, so there is no interval, and p = 1 means nothing."
    elif number < least:
        yield f"There are only {number} {unit}s, so intervals and p-values are rough."
    # With `score`, scores that are no shares and differences have intervals that go with it.
    others = [row for row in rows if asked in _NO_INTERVAL and row.interval not in ("", asked)]
    found: dict[str, list[str]] = {}
    for row in others:
        if isinstance(row, Score):
            whole = row.label is None and row.slice is None
            found.setdefault(row.measure if whole else "labels or slices", []).append(row.score)
    named = [f"{', '.join(dict.fromkeys(names))} of {place}" for place, names in found.items()]
    named += ["differences"] if any(isinstance(row, Comparison) for row in others) else []
    if named:
        yield (
            f"--interval {asked}: bootstrap percentiles are used for {'; '.join(named)}. {_NO_INTERVAL[asked]}."
        )
