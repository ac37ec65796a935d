"""make_result(): the Result of what all shards amount to."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

import assay
from assay.corpus import cluster_key
from assay.engine import changes
from assay.engine.counts import BLOCKS, FEW_CLUSTERS, FEW_UNITS, as_sums
from assay.engine.examples import Drawn
from assay.engine.items import Items
from assay.engine.measure import Measure
from assay.engine.parts import Part, Summed, bases_of, basis_of, way_of
from assay.engine.scores import Figures, Settings
from assay.engine.slices import NO_VALUE
from assay.engine.task import describe, tasks
from assay.engine.texts import united
from assay.engine.warnings import format_warnings, repairs_of
from assay.errors import UsageError, unknown
from assay.formats import joint_digest
from assay.result import (
    SCHEMA,
    Bound,
    Comparison,
    CountsRow,
    Diff,
    ErrorType,
    Example,
    Family,
    Growth,
    Mapped,
    Result,
    Score,
    Source,
    Transition,
    Unique,
    Unresolved,
)
from assay.result.grammar import ALPHA, decide
from assay.result.verdict import pair_facts
from assay.stats.intervals import t_interval
from assay.stats.many import letters
from assay.stats.significance import benjamini_hochberg, holm, holm_of, mcnemar

T = TypeVar("T")
_SEED = re.compile(r"[-_. ]?(?:seed|run)[-_. ]?\d+", re.IGNORECASE)
NO_ERRORS = ("tp", "unscored")
"""Kinds of outcome that are no errors."""
SURE = 0.001
"""From this p on, another split of the data may well tell otherwise."""
WIDER = 1.2
"""Above this ratio, standard errors over documents are worth a note beside those over sentences …"""
LEAST_RATIO = 5
"""… from so many documents on: of fewer, the ratio says little."""


def make_result(part: Part, settings: Settings | None = None) -> Result:
    """The Result of what all shards amount to."""
    options, measures, task = part.options, part.measures, tasks()[part.task]
    unit = cluster_key(part.unit) or part.unit
    if part.units == 1 and unit != part.unit:
        raise UsageError(
            f"--unit {part.unit}: one value of {unit}, nothing to resample. Give another key, or --unit sentence"
        )
    family = tests_together(part.judged, options.baseline) * len(measures) if part.compares else 0
    together = options.pairs_of_sets * len(measures) or family
    settings = settings or Settings(
        *(options.seed, options.times, "" if options.figures_alone else options.interval, options.power),
        *(ALPHA / max(1, together), options.baseline, options.pairs_of_sets > 0),
    )
    views = list(part.views())
    scores: list[Score] = []
    counts: list[CountsRow] = []
    comparisons: list[Comparison] = []
    whole: list[Figures] = []
    pooled = False
    # Everything, then slice by slice, of which nothing but the figures is kept.
    for where, chosen in views:
        found = ((measures[index], one.tallies[part.unit]) for index, one in chosen)
        figures = [Figures(measure, where, tallies, settings) for measure, tallies in found if tallies.units]
        for one in figures:
            scores.extend(one.scores(labels=where is None))
            counts.extend(one.counts_rows())
            comparisons.extend(one.comparisons() if part.command == "compare" else ())
            pooled |= one.pooled
        if where is None:
            whole = figures
    alike, documents = _resemblance(part, settings), part.number("document")
    kinds = [own for own in part.kinds if own is not None]
    basis = basis_of(dict(enumerate(part.kinds)), measures)
    named = "" if basis is None else measures[basis].definition.noun
    effects = [
        Mapped(name, "all rules", 0, *(main_score(measures[0], sums) for sums in of_both))
        for name, of_both in part.effects.items()
    ]
    result = Result(
        schema=SCHEMA,
        version=assay.__version__,
        signature=_signature(part, intervals(options.interval, (*scores, *comparisons))),
        command=part.command,
        task=part.task,
        # Some measures judge words where others find items.
        noun=named or ("word" if task.matched and kinds and not any(kinds) else task.noun),
        drawing=task.drawing.kind,
        column=part.column,
        unit=unit,
        units=part.units,
        items=part.items,
        aligned_by=way_of(part.aligned_by),
        seed=options.seed,
        times=options.times,
        interval=options.interval,
        test="shuffling",
        family=family,
        gold=replace(part.gold, sha256=joint_digest(part.digests[0]), unaligned=max(part.unaligned)),
        systems=tuple(_sources(part)),
        scores=tuple(scores),
        counts=tuple(counts),
        tagset=part.tagset,
        scheme=part.scheme,
        atoms=part.atoms,
        labels=options.labels,
        ignore_labels=options.ignore_labels,
        mappings=(*part.mappings, *effects),
        repairs=repairs_of(part.warnings),
        warnings=(
            *format_warnings(part.warnings),
            *few_units(part.units, unit, FEW_UNITS if part.unit == "sentence" else FEW_CLUSTERS),
            *other_intervals(options.interval, scores, comparisons),
            *_idle_slices(part, views),
            *(looks_like_runs(part.judged) if part.compares else ()),
        ),
        notes=(*format_warnings(part.notes), *pooled_note(pooled, unit), *_notes(part, whole, alike)),
        documents=documents if part.unit == "sentence" and 1 < documents < part.units else 0,
        cluster_ratio=None if alike is None else alike[1],
    )
    if basis is not None:
        result = _with_items(result, part, basis, views)
    if part.compares:
        result = _compared(part, result, comparisons, views)
    result = describe(task.finish(result, part, settings) if task.finish else result)
    # Documents that are units because gold has them do not make texts of sentences texts of documents.
    return result if part.asked else replace(result, text_unit=task.text_unit or "sentence")


def _sources(part: Part) -> Iterator[Source]:
    for source, digests in zip(part.systems, part.digests[1:], strict=True):
        yield replace(source, sha256=joint_digest(digests))


def _with_items(result: Result, part: Part, basis: int, views: Sequence[Any]) -> Result:
    """The Result with what the items of one measure show: confusions, types of errors, examples."""
    options, warnings = part.options, result.warnings
    if options.examples and not part.examples:
        named = " and ".join(filter(None, (options.kind, options.change)))
        nothing = f"no sentence fits {named}." if named else "there are no differences to show examples of."
        warnings = (*warnings, nothing)
    on, items = str(part.measures[basis]), part.everything[basis].items
    assert items is not None
    confusion = [row for name, met in part.met.items() for row in changes.met_confusion(name, met, on)]
    if not part.kinds[basis]:
        order = {name: number for number, name in enumerate(part.judged)}
        confusion = [*changes.confusion(items, on), *confusion]
        confusion.sort(key=lambda row: (order[row.system], -row.count))
    # Each type's share of the errors, under every measure that has types (Ortmann's Figure 1).
    whole = [row for row in result.counts if row.label is None and row.slice is None]
    kinds = {
        str(one): {*one.definition.errors, *(own or ())} - {*NO_ERRORS}
        for one, own in zip(part.measures, part.kinds, strict=True)
    }
    shown = [where for where, chosen in views if where is not None and basis in dict(chosen)]
    return replace(
        result,
        texts=united(part.texts).coded(shown) if part.texts else None,
        items=result.items if part.matched_items is None else part.matched_items,
        confusion=tuple(confusion),
        error_types=tuple(
            share
            for row in whole
            if {"fp", "fn"} <= row.counts.keys()
            for share in shares(
                row.system, row.measure, {name: row.counts[name] for name in row.counts if name in kinds[row.measure]}
            )
        ),
        examples=_shown(part.examples, Example),
        warnings=warnings,
    )


def _shown(drawn: Sequence[Drawn], kind: type[T]) -> tuple[T, ...]:
    """Examples drawn, pairs of systems in their order, other groups as they come."""

    def place(group: str) -> tuple[int, ...]:
        return tuple(int(number) for number in group.split("-") if number.isdigit())

    groups = sorted(dict.fromkeys(one.group for one in drawn), key=place)
    return tuple(one.shown for group in groups for one in drawn if one.group == group and isinstance(one.shown, kind))


def shares(system: str, measure: str, errors: Mapping[str, int]) -> Iterator[ErrorType]:
    """Types of errors with their share of all."""
    total = sum(errors.values())
    for name, number in errors.items():
        yield ErrorType(system, measure, name, number, number / total if total else float("nan"))


# --- comparison ---


def _compared(part: Part, result: Result, tested: Sequence[Comparison], views: Sequence[Any]) -> Result:
    comparisons = list(tested)
    diffs: list[Diff] = []
    bounds: list[Bound] = []
    growth: list[Growth] = []
    unique: list[Unique] = []
    transitions: list[Transition] = []
    measures, order = part.measures, part.options.label_order
    gold_test = tasks()[part.task].gold_test
    values: dict[tuple[str, str, str | None], dict[str, float]] = {}
    for row in result.scores:
        if row.label is None:
            values.setdefault((row.measure, row.score, row.slice), {})[row.system] = row.value
    for where, chosen in views:
        for index in bases_of({index: part.kinds[index] for index, _ in chosen}, measures):
            one, definition = dict(chosen)[index], measures[index].definition
            assert one.items is not None
            items, on = one.items, str(measures[index])
            # Over gold's items, which is recall where a system has other items than gold.
            of_all = not definition.is_share or (result.aligned_by != "characters" and one.count_alike)
            score = measures[index].main if of_all else "recall"
            own = values.get((on, score, where), {})
            diffs.extend(changes.diffs(items, on, where, score, own, order))
            upper = list(changes.bounds(items, on, where))
            if upper and where is None and on in part.whole:
                *exact, in_one, of_all_systems, sentences = part.whole[on].totals
                upper[0] = replace(
                    upper[0],
                    exact=dict(zip(part.judged, exact, strict=True)),
                    exact_in_one=in_one,
                    exact_upper=of_all_systems,
                    sentences=sentences,
                )
            bounds.extend(upper)
            growth.extend(changes.growth(items, on, where))
            unique.extend(changes.unique(items, on, where))
            transitions.extend(changes.transitions(items, on, where))
            if gold_test:
                comparisons.extend(_mcnemar(items.of_gold(), on, gold_test, where, {}))
            if definition.is_share:
                comparisons.extend(_mcnemar(items, on, score, where, own))
    baseline = part.options.baseline
    rows = adjust_p_values(
        [row for row in comparisons if baseline in (None, row.a, row.b)],
        {str(measure): measure.main for measure in measures},
        slices=part.options.correct == "slices",
        documents=result.documents,
    )
    shuffled = [row for row in rows if row.test == "shuffling" and row.slice is None]
    notes = []
    differing = (row for row in shuffled if row.measure == rows[0].measure and row.kind != "identical")
    if any(row.p_adjusted >= SURE for row in differing):
        notes = ["This is one test set. To compare over many splits: assay experiment, then assay bayes."]
    return replace(
        result,
        scores=tuple(with_groups(result.scores, rows)),
        comparisons=tuple(rows),
        diffs=tuple(diffs),
        bounds=tuple(bounds),
        growth=tuple(growth),
        unique=tuple(unique),
        unresolved=_shown(part.unresolved, Unresolved),
        transitions=tuple(transitions),
        notes=(*result.notes, *notes),
    )


def with_groups(scores: Sequence[Score], tests: Sequence[Comparison]) -> Iterator[Score]:
    """Scores with the groups that tests leave, of main scores of three systems or more that were all tested."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    mains = {(row.measure, row.score) for row in scores if row.main and row.label is None and row.slice is None}
    for measure, score in mains:
        values = {
            row.system: row.value
            for row in scores
            if (row.measure, row.score, row.label, row.slice) == (measure, score, None, None)
        }
        rows = [
            row
            for row in tests
            if (row.measure, row.score, row.slice) == (measure, score, None) and row.test != "mcnemar"
        ]
        number = len(values)
        if number > 2 and len(rows) == number * (number - 1) // 2 and not any(np.isnan(row.p) for row in rows):
            order = sorted(values, key=lambda name: (-values[name], name))
            apart = {frozenset((row.a, row.b)) for row in rows if row.is_significant}
            found[measure, score] = letters(order, apart)
    for row in scores:
        groups = found.get((row.measure, row.score), {}) if row.label is None and row.slice is None else {}
        yield replace(row, group=groups[row.system]) if row.system in groups else row


def _mcnemar(
    items: Items, on: str, score: str, where: str | None, values: Mapping[str, float]
) -> Iterator[Comparison]:
    total = items.total
    for a, b in combinations(range(len(items.systems)), 2):
        only_a = items.sum(items.right[a] & ~items.right[b])
        only_b = items.sum(items.right[b] & ~items.right[a])
        exact, mid = mcnemar(only_a, only_b)
        yield Comparison(
            a=items.systems[a],
            b=items.systems[b],
            measure=on,
            score=score,
            slice=where,
            difference=changes.difference(items, a, b, values) if total else float("nan"),
            low=float("nan"),
            high=float("nan"),
            test="mcnemar",
            p=exact,
            p_low=exact,
            p_high=exact,
            p_adjusted=float("nan"),
            units=only_a + only_b,
            p_mid=mid,
            exact=True,
        )


def tests_together(systems: Sequence[str], baseline: str | None) -> int:
    """The number of pairs that are tested; a baseline that is no system is refused."""
    if baseline is None:
        return len(systems) * (len(systems) - 1) // 2
    if baseline not in systems:
        raise unknown("system", baseline, systems)
    return len(systems) - 1


def adjust_p_values(
    comparisons: Sequence[Comparison], mains: Mapping[str, str], *, slices: bool = False, documents: int = 0
) -> list[Comparison]:
    """The comparisons with corrected p, intervals at the level of the family, and the kind of verdict allowed.

    A family is made of the main score of each measure, over all pairs and measures of each test; other scores of a
    measure are no claims of their own, and each is corrected over pairs alone. Slices are not corrected, or by
    Benjamini and Hochberg, all of them together, and have no verdict. `documents` are those of gold that are known
    though sentences are the unit.
    """
    families: dict[tuple[object, ...], list[int]] = {}
    for index, row in enumerate(comparisons):
        if row.slice is None:
            further = () if mains.get(row.measure) == row.score or row.test == "mcnemar" else (row.measure, row.score)
            families.setdefault((row.test, None, *further), []).append(index)
        elif slices:
            families.setdefault((row.test, "slices"), []).append(index)
    done = list(comparisons)
    for (test, sliced, *others), family in families.items():
        rows = [comparisons[index] for index in family]
        if sliced:
            adjusted = benjamini_hochberg([row.p for row in rows])
            rows = [
                replace(row, p_adjusted=p, claims=("significant",) if p <= ALPHA else ())
                for row, p in zip(rows, adjusted, strict=True)
            ]
        elif test == "mcnemar":
            rows = [replace(row, p_adjusted=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]
        else:
            rows = decide_family(rows, "further scores" if others else "pairs", [documents > 0] * len(rows))
        for index, row in zip(family, rows, strict=True):
            done[index] = row
    return done


def decide_family(rows: Sequence[Comparison], question: str, clustered: Sequence[bool] = ()) -> list[Comparison]:
    """The tests of one family with Holm's p and with the kind of verdict that each allows.

    `clustered` tells of each whether documents are known though sentences are the unit.
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
        whole = at_level(replace(row, p_adjusted=adjusted, family=family), len(known))
        found = decide(pair_facts(whole, **facts))
        needed = needed if found.kind.endswith("untestable") else None
        done.append(replace(whole, kind=found.kind, claims=found.claims, needed=needed))
    return done


def at_level(row: Comparison, tests: int) -> Comparison:
    """The comparison with its interval at the level of so many tests together: the one shown, if there are several.

    Resamples have no such tails, so that it is Student's.
    """
    if row.variance is None or row.df is None:
        return row
    level, ends = 1 - ALPHA / max(1, tests), (row.low, row.high)
    if tests > 1:
        ends = t_interval(row.difference, row.variance, row.df + 1, -row.widest, row.widest, level)
    return replace(row, level=level, low_family=ends[0], high_family=ends[1])


# --- the rest of the Result ---


def main_score(measure: Measure, sums: Summed) -> float:
    """The main score that sums give."""
    totals = np.array(sums.totals, dtype=np.float64)
    if sums.labels is not None:
        totals = totals.reshape(len(sums.labels), len(sums.fields))
    return float({**measure.scores, **measure.averages}[measure.main](as_sums(totals, sums.fields)))


def _idle_slices(part: Part, views: Sequence[Any]) -> Iterator[str]:
    """Slices that none of the measures can be cut by."""
    for cut in part.cuts:
        if cut.spec.startswith("meta:") and set(cut.selections[0]) == {NO_VALUE}:
            key = cut.spec.partition(":")[2]
            raise UsageError(f"--slice {cut.spec}: {part.gold.path} has no comment `# {key} = …`.")
        if not any(where is not None and where.startswith(f"{cut.spec}=") for where, _ in views):
            yield (
                f"--slice {cut.spec} cuts nothing here: all items fall under one value, or no measure has items to "
                "cut."
            )


def looks_like_runs(names: Sequence[str]) -> Iterator[str]:
    """A warning where the names of systems look like runs of one."""
    stems: dict[str, list[str]] = {}
    for name in names:
        if _SEED.search(name):
            stems.setdefault(_SEED.sub("", name), []).append(name)
    for stem, members in stems.items():
        if len(members) > 1:
            yield (
                f"{members[0]} and {members[1]} look like runs of one system, and are compared as two. To compare "
                f"systems over their runs: {stem or 'NAME'}=RUN1,RUN2,…"
            )


def few_units(number: int, unit: str, few: int = FEW_UNITS) -> Iterator[str]:
    """A warning where there is little to resample."""
    if number == 1:
        yield (
            f"1 {unit} only: no interval can be given, and p = 1 means nothing here."
        )
    elif number < few:
        what = f"{number} {unit}s"
        yield f"{what} only: intervals and p-values from so few units are rough."


def intervals(asked: str, rows: Iterable[Score | Comparison]) -> str:
    """The kinds of intervals that rows have, the one asked for first: `bca`, `wilson+percentile`."""
    return "+".join(dict.fromkeys([asked, *sorted({row.interval for row in rows if row.interval})]))


def other_intervals(asked: str, scores: Iterable[Score], comparisons: Iterable[Comparison]) -> Iterator[str]:
    """A warning where the kind of interval asked for cannot be made for all scores."""
    if asked == "score":
        # Scores that are no shares, and differences, have intervals that go with it.
        return
    found: dict[str, list[str]] = {}
    for row in scores:
        if row.interval not in ("", asked):
            whole = row.label is None and row.slice is None
            found.setdefault(row.measure if whole else "labels or slices", []).append(row.score)
    named = [f"{', '.join(dict.fromkeys(names))} of {place}" for place, names in found.items()]
    named += ["differences"] if any(row.interval not in ("", asked) for row in comparisons) else []
    if not named:
        return
    why = {
        "bca": "BCa is not made for averages over labels, nor where resamples or units do not vary",
        "wilson": "Wilson's interval is for proportions",
    }[asked]
    yield f"--interval {asked}: percentiles of the bootstrap are given for {'; '.join(named)}. {why}."


def pooled_note(pooled: bool, unit: str) -> Iterator[str]:
    """A note where units were pooled into blocks."""
    if pooled:
        yield (
            f"More than {BLOCKS:,} {unit}s (with counts of their own, or counted by label): they were pooled "
            f"into {BLOCKS:,} blocks by a hash of their id, and blocks were resampled."
        )


def _resemblance(part: Part, settings: Settings) -> tuple[str, float] | None:
    """The system whose main score on the first measure varies most over documents (or values of a comment) beside
    sentences, and the ratio of the two standard errors; None if either unit is unknown or there are too few."""
    larger = "document" if part.unit == "sentence" else part.unit
    if not settings.interval or not LEAST_RATIO <= part.number(larger) < part.number("sentence"):
        return None
    measure, tallies = part.measures[0], part.everything[0].tallies
    coarse, fine = (Figures(measure, None, tallies[unit], settings) for unit in (larger, "sentence"))
    ratios = {}
    for number, system in enumerate(part.judged):
        wide, narrow = (one.standard_error(measure.main, number) for one in (coarse, fine))
        if narrow > 0:
            ratios[system] = wide / narrow
    return max(ratios.items(), key=lambda row: row[1], default=None)


def _notes(part: Part, figures: Sequence[Figures], alike: tuple[str, float] | None) -> Iterator[str]:
    """Notes on averages over documents, documents whose sentences are alike, mentions that no system resolves."""
    averaged = {str(one): one.main for one in part.measures if one.parameters.get("average") == "macro"}
    for one in figures:
        for row in one.counts_rows() if str(one.measure) in averaged else ():
            number = row.counts.get(f"{averaged[row.measure]}-documents")
            if number is not None:
                yield f"{row.measure} of {row.system}: the mean of {number:,} of {part.units:,} documents."
    key = cluster_key(part.unit)
    if part.cut_documents:
        documents = f"{part.cut_documents:,} document{'s' * (part.cut_documents != 1)}"
        yield f"{documents} hold several values of {key}: units cut through them."
    if alike is not None and not 1 / WIDER <= alike[1] <= WIDER:
        (system, times), noun = alike, key or "document"
        reason = f", because sentences of one {noun} resemble each other" if times > 1 else ""
        yield (
            f"The standard error of {system} on {part.measures[0]} over {noun}s is {times:.1f} times that over "
            f"sentences{reason}."
        )
    for on, number in part.unresolved_in_all.items():
        listed = sum(one.group == on for one in part.unresolved)
        if number > listed:
            noun = tasks()[part.task].noun
            yield f"Of {number:,} {noun}s that no system resolves ({on}) {listed:,} are listed, drawn at random."


def _signature(part: Part, interval: str) -> str:
    """All that one needs to get the same figures again: the choices made, and checksums of the files."""
    options = part.options
    chosen = {name: value for name, value in options.signature_values().items() if name not in part.contents}
    # Formats whose parameters figures depend on say all of them.
    formats = [f"{source.name}:{source.format}" for source in part.systems if "(" in source.format]
    names = ["gold", *(source.name for source in part.systems)]
    by_file = dict(zip(names, part.told.columns, strict=False))
    several = len({*by_file.values()}) > 1
    column = ",".join(f"{name}={one}" for name, one in by_file.items()) if several else part.column
    parts: dict[str, object] = {
        "assay": assay.__version__,
        "task": part.task,
        **({"column": column} if column else {}),
        **({"scheme": part.scheme} if part.scheme else {}),
        **({"atoms": part.atoms} if part.atoms else {}),
        "measures": "+".join(measure.signature for measure in part.measures),
        "unit": part.unit,
        "n": part.units,
        "interval": interval,
        "times": options.times,
        "seed": options.seed,
        **{name: "+".join(value) if isinstance(value, tuple | list) else value for name, value in chosen.items()},
        **{name: f"sha256={digest[:12]}" for name, digest in part.contents.items()},
        **({"formats": "+".join(formats)} if formats else {}),
        **({"left_out": f"{part.left_out:016x}"} if part.left_out else {}),
        "gold": f"sha256={joint_digest(part.digests[0])[:12]}",
        "systems": "+".join(f"{source.name}:sha256={source.sha256[:12]}" for source in _sources(part)),
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())
