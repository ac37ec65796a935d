"""Several runs of a system on one test set: their mean, and tests with the variance of runs and of sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from assay.engine.build import add_group_letters, adjust_p_values
from assay.engine.options import Options
from assay.engine.parts import Part
from assay.engine.plans import as_plan, plan_runs
from assay.engine.scores import Settings, SystemScores, score_limits
from assay.engine.task import find_task
from assay.engine.values import make_scores
from assay.errors import UsageError
from assay.formats import joint_digest
from assay.result import Comparison, Result, RunScores, RunTest, Score, enumeration
from assay.result.grammar import ALPHA
from assay.stats.intervals import t_interval
from assay.stats.runs import almost_stochastic_order, permutation_test, run_variance, smallest_difference, t_test
from assay.stats.significance import SMALLEST
from assay.stats.streams import generator

_Views = Mapping[tuple[str | None, str], SystemScores]
"""The figures of all runs, by slice and measure."""
MORE_RUNS = 0.5
"""Above this share of the variance, more runs help more than more sentences."""


def evaluate_repeats(
    command: str,
    runs: Mapping[str, list[Any]],
    options: Options,
    measure: Callable[[Mapping[str, Any], Options], Part],
    evaluate: Callable[[Mapping[str, Any]], Result],
) -> Result:
    """The Result of systems with several runs: scores and tests over runs, the rest from the median run of each.

    `measure` gives the Part of systems by name, `evaluate` the Result of one run of each system.
    """
    titles = {name: [f"{name} run {number}" for number in range(1, len(paths) + 1)] for name, paths in runs.items()}
    flat = {title: path for name, paths in runs.items() for title, path in zip(titles[name], paths, strict=True)}
    plain = replace(options, examples=0, change=None, kind=None, embed="none", combined="")
    part = measure(flat, plain.of_runs(titles))
    if part.plan.judged != tuple(flat):
        gone = next(title for title in flat if title not in part.plan.judged)
        raise UsageError(f"{gone} has no answers to score. Leave it out.")
    places = {name: [part.plan.judged.index(title) for title in own] for name, own in titles.items()}
    settings = Settings(options.seed, options.times, options.interval, None)
    measures = part.plan.measures
    views = {
        (where, str(measures[index])): make_scores(measures[index], where, counts, settings)
        for where, chosen in part.views()
        for index in chosen
        if (counts := part.counts[index, where, part.unit]).units
    }
    values = views[None, str(measures[0])].values(measures[0].main)
    median: dict[str, Any] = {}
    shown = []
    for name, own in places.items():
        order = sorted(own, key=lambda place: (values[place], part.digests[1 + place]))
        number = own.index(order[(len(order) - 1) // 2])
        median[name] = runs[name][number]
        file = Path(getattr(median[name], "name", str(median[name]))).name
        shown += [f"{name} run {number + 1} ({file})"] * (len(own) > 1)
    result = evaluate(median)
    scores = [replace(_average_runs(row, views, places), group="") for row in result.scores]
    rows = adjust_p_values(
        [
            _test_runs(row, views, places)
            for row in result.comparisons
            if row.test != "mcnemar" or (len(places[row.a]) == 1 and len(places[row.b]) == 1)
        ],
        result.main_scores,
        slices=options.correct == "slices",
        clustered=result.about.documents > 0,
    )
    digests = {name: "+".join(joint_digest(part.digests[1 + i])[:12] for i in own) for name, own in places.items()}
    signature = f"{result.signature}|runs:{','.join(f'{name}:{digest}' for name, digest in digests.items())}"
    if command == "plan":
        whole = replace(result, scores=tuple(scores), comparisons=tuple(rows), signature=signature)
        return _plan(whole, views, places, options)
    numbers = ", ".join(f"{name} {len(own)}" for name, own in runs.items())
    chosen = f"of the median run{'s' * (len(shown) > 1)}: {', '.join(shown)}."
    of_median = {
        "changes": result.diffs,
        "bounds": result.bounds,
        "errors": result.confusion or result.error_types,
        "examples": result.examples,
    }
    names = [name for name, rows_of_median in of_median.items() if rows_of_median]
    return replace(
        result,
        scores=tuple(add_group_letters(scores, rows)) if command == "compare" else tuple(scores),
        comparisons=tuple(rows),
        about=replace(result.about, test="runs"),
        signature=signature,
        notes=(
            *result.notes,
            f"Scores are means over runs ({numbers}).",
            *([f"{enumeration(names).capitalize()} are {chosen}"] if names else []),
            *_notes(rows, result, places),
        ),
    ).with_shown(remarks={**result.shown.remarks, "median": f"O{chosen[1:]}"})


def _average_runs(row: Score, views: _Views, places: Mapping[str, list[int]]) -> Score:
    """The mean of a score over runs in place of that of the median run."""
    own, figures = places[row.system], views.get((row.slice, row.measure))
    if len(own) == 1 or figures is None:
        return row
    values = figures.values(row.score, row.label)[own]
    value = float(np.mean(values))
    spread: dict[str, Any] = {"low": math.nan, "high": math.nan, "interval": "", "variance": None, "df": None}
    if row.label is None and not np.isnan(values).any() and figures.tallies.units > 1:
        lines, sizes = figures.linear_values(row.score, own)
        found = run_variance([np.stack(lines)], [values], sizes, figures.degrees(row.score, own))
        low, high = t_interval(value, found.total, found.degrees + 1, *score_limits(figures.every[row.score]))
        spread = {"low": low, "high": high, "interval": "runs", "variance": found.total, "df": found.degrees}
    deviation, ends = float(np.std(values, ddof=1)), (float(values.min()), float(values.max()))
    runs = RunScores(len(own), deviation, *ends, tuple(values.tolist()))
    # The number of items is that of one run.
    return replace(row, value=value, runs=runs, **spread, effective_items=None, design_effect=None, assumed=False)


def _test_runs(row: Comparison, views: _Views, places: Mapping[str, list[int]]) -> Comparison:
    """A comparison over runs in place of that of the median runs."""
    a, b = places[row.a], places[row.b]
    figures = views.get((row.slice, row.measure))
    if row.test == "mcnemar" or max(len(a), len(b)) == 1 or figures is None:
        return row
    values = figures.values(row.score)
    scores = [values[a], values[b]]
    difference = float(scores[1].mean() - scores[0].mean())
    changed: dict[str, Any] = {"test": "runs", "difference": difference, "method": "t"}
    changed |= dict.fromkeys(("power", "smallest_p", "evidence"))
    if np.isnan(difference) or figures.tallies.units < 2:
        changed |= dict.fromkeys(("low", "high", "p", "p_low", "p_high"), math.nan)
        changed |= dict.fromkeys(("log10_p", "variance", "df", "level", "low_family", "high_family"))
        return replace(row, **changed, interval="")
    lines, sizes = figures.linear_values(row.score, [*a, *b])
    of_units = figures.degrees(row.score, [*a, *b])
    found = run_variance([np.stack(lines[: len(a)]), np.stack(lines[len(a) :])], scores, sizes, of_units)
    low, high = score_limits(figures.every[row.score])
    low, high = t_interval(difference, found.total, found.degrees + 1, low - high, high - low)
    p = max(SMALLEST, t_test(difference, found.total, found.degrees))
    p_runs = permutation_test(*scores) if min(len(a), len(b)) > 1 else None
    smallest = aso = None
    if p_runs is not None:
        smallest = (2 if len(a) == len(b) else 1) / math.comb(len(a) + len(b), len(a))
        # The stream depends on the scores alone.
        sides = (np.sort(-side if row.lower else side) for side in scores)
        better, worse = sorted(sides, key=lambda side: (-float(side.mean()), side.tolist()))
        rng = generator(figures.settings.seed, f"aso\n{better.tolist()}\n{worse.tolist()}")
        aso = almost_stochastic_order(better, worse, rng)
    changed |= {**dict.fromkeys(("p", "p_low", "p_high"), p), "log10_p": math.log10(p), "exact": False}
    changed |= {"low": low, "high": high, "interval": "runs", "variance": found.total, "df": found.degrees}
    runs = RunTest(
        variance=found.total,
        v_units=found.units,
        v_a=found.runs[0],
        v_b=found.runs[1],
        v_runs=found.of_runs,
        v_interaction=found.interaction,
        df=found.degrees,
        p_units=t_test(difference, found.units, of_units),
        p_runs=p_runs,
        smallest_p_runs=smallest,
        share_of_runs=found.share_of_runs,
        aso=aso,
    )
    return replace(row, **changed, runs=runs)


def _plan(result: Result, views: _Views, places: Mapping[str, list[int]], options: Options) -> Result:
    """The Result of a comparison over runs as a plan for units and runs."""
    if options.margin:
        raise UsageError("--margin: a plan with several runs computes the differences itself. Leave it out.")
    tests = [row for row in result.main_tests if not math.isnan(row.difference)]
    plans, notes = [], []
    for row in tests:
        a, b, figures = places[row.a], places[row.b], views[row.slice, row.measure]
        values, numbers = figures.values(row.score), (len(a), len(b))
        if max(numbers) == 1 or figures.tallies.units < 2:
            notes.append(f"{row.a} → {row.b} on {row.measure}: there is no plan, because neither has several runs.")
            continue
        lines, sizes = figures.linear_values(row.score, [*a, *b])
        of_units, units = figures.degrees(row.score, [*a, *b]), figures.tallies.units
        sides = [np.stack(lines[: len(a)]), np.stack(lines[len(a) :])]
        found = run_variance(sides, [values[a], values[b]], sizes, of_units)
        level = {"alpha": ALPHA / len(tests), "chance": options.power}
        smallest = partial(smallest_difference, found, numbers, units, of_units, **level, seed=options.seed)
        rows, advice = plan_runs(row, result, smallest, max(2, min(numbers)), **level)
        plans += rows
        notes.append(advice)
    return as_plan(result, plans, notes)


def _notes(rows: Sequence[Comparison], result: Result, places: Mapping[str, list[int]]) -> Iterator[str]:
    overall = [(row, row.runs) for row in rows if row.runs is not None and row.slice is None]
    for row, test in overall:
        if row.score != result.main_scores.get(row.measure):
            continue
        more = f": more runs help more than more {find_task(result.about.task).name_unit('sentence')}s"
        advice = more if test.share_of_runs > MORE_RUNS else ""
        least, few = test.smallest_p_runs, ""
        if least and least > ALPHA:
            few = f" With so few runs, a permutation test cannot give a p below {least:.2f}."
        share = f"{test.share_of_runs:.0%} of the variance comes from runs{advice}"
        yield f"{row.a} → {row.b} on {row.measure}: {share}.{few}"
    for a, b in combinations(places, 2):
        alone = [name for name in (a, b) if len(places[name]) == 1]
        if len(alone) == 1:
            yield (
                f"{alone[0]} has one run, so its spread over seeds is assumed to be that of "
                f"{b if alone[0] == a else a}."
            )
    for name, own in places.items():
        spreads = [test.v_a if row.a == name else test.v_b for row, test in overall if name in (row.a, row.b)]
        if len(own) > 1 and spreads and max(spreads) == 0:
            yield f"All runs of {name} have the same score, so they show nothing about the effect of seeds."
