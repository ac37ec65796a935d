"""Several runs of a system on one test set: their mean, and tests that know the chance of runs and of sentences."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb, log10
from pathlib import Path
from typing import Any

import numpy as np

from assay.corpus.adapters import named_systems
from assay.engine.build import adjust_p_values, with_groups
from assay.engine.options import Options
from assay.engine.parts import Part
from assay.engine.scores import Figures, Settings, range_of
from assay.errors import UsageError
from assay.formats import joint_digest
from assay.result import Comparison, Result, RunScores, RunTest, Score, enumeration
from assay.result.grammar import ALPHA
from assay.stats.intervals import t_interval
from assay.stats.runs import almost_stochastic_order, permutation_test, run_variance, t_test
from assay.stats.significance import SMALLEST
from assay.stats.streams import generator

_PATTERN = re.compile(r"[*?\[]")
MORE_RUNS = 0.5
"""Above this share of the variance, more runs help more than more sentences."""


def runs_of(gold: Any, systems: Any) -> dict[str, list[Any]] | None:
    """The runs of each system, where some system has several; else None.

    Several are a list of paths, `run1,run2,…` where that is no file, or a pattern where gold is one file.
    """
    found: dict[str, list[Any]] = {}
    one_file = isinstance(gold, str | Path) and Path(gold).is_file()
    for name, given in named_systems(systems).items():
        runs = [given]
        if isinstance(given, list | tuple) and len(given) > 1 and all(isinstance(run, str | Path) for run in given):
            runs = list(given)
        elif isinstance(given, str) and not os.path.exists(given):
            if "," in given:
                runs = [run for run in given.split(",") if run]
            elif one_file and _PATTERN.search(given):
                runs = sorted(glob.glob(given, recursive=True)) or [given]
        places = [os.path.realpath(run) for run in runs if isinstance(run, str | Path)]
        if len(set(places)) < len(places):
            twice = next(run for run, place in zip(runs, places, strict=True) if places.count(place) > 1)
            raise UsageError(f"{name}: the run {twice} is given twice. Give each once.")
        found[name] = runs
    return found if any(len(runs) > 1 for runs in found.values()) else None


def evaluate_repeats(
    command: str,
    runs: Mapping[str, list[Any]],
    options: Options,
    measured: Callable[[Mapping[str, Any], Options], Part],
    evaluate: Callable[[Mapping[str, Any]], Result],
) -> Result:
    """The Result of systems with several runs: what is told item by item is told of the median run of each.

    `measured` gives the Part of systems by name, `evaluate` the Result of one run of each system.
    """
    named = {name: [f"{name} run {number}" for number in range(1, len(own) + 1)] for name, own in runs.items()}
    flat = {title: run for name, own in runs.items() for title, run in zip(named[name], own, strict=True)}
    plain = replace(options, examples=0, change=None, kind=None, embed="none")
    part = measured(flat, plain.of_runs(named))
    if part.plan.judged != tuple(flat):
        gone = next(title for title in flat if title not in part.plan.judged)
        raise UsageError(f"{gone} has no answers that could be scored. Leave it out.")
    places = {name: [part.plan.judged.index(title) for title in titles] for name, titles in named.items()}
    settings = Settings(options.seed, options.times, options.interval, None)
    measures = part.plan.measures
    views = {
        (where, str(measures[index])): Figures(measures[index], where, counts, settings)
        for where, chosen in part.views()
        for index in chosen
        if (counts := part.counts[index, where, part.unit]).units
    }
    first = views[None, str(measures[0])]
    median: dict[str, Any] = {}
    shown = []
    for name, own in places.items():
        values = first.values(first.measure.main)[own]
        order = sorted(range(len(own)), key=lambda run: (values[run], part.digests[1 + own[run]]))
        number = order[(len(order) - 1) // 2]
        median[name] = runs[name][number]
        shown += [f"{name} run {number + 1} ({Path(str(median[name])).name})"] * (len(own) > 1)
    result = evaluate(median)
    scores = [_mean_score(row, views, places) for row in result.scores]
    comparisons = [
        row
        for row in result.comparisons
        if row.test != "mcnemar" or (len(places[row.a]) == 1 and len(places[row.b]) == 1)
    ]
    tested = [_tested(row, views, places) for row in comparisons]
    rows = adjust_p_values(
        tested, result.main_scores, slices=options.correct == "slices", clustered=result.about.documents > 0
    )
    scores = [replace(row, group="") for row in scores]
    numbers = ", ".join(f"{name} {len(own)}" for name, own in runs.items())
    chosen = f"of the median run{'s' * (len(shown) > 1)}: {', '.join(shown)}."
    single = {
        "changes": result.diffs,
        "bounds": result.bounds,
        "errors": result.confusion or result.error_types,
        "examples": result.examples,
    }
    told = [name for name, rows in single.items() if rows]
    notes = [f"Scores are means over runs ({numbers})."]
    notes += [f"{enumeration(told).capitalize()} are {chosen}"] if told else []
    digests = {name: "+".join(joint_digest(part.digests[1 + i])[:12] for i in own) for name, own in places.items()}
    notes += _notes(rows, result, places)
    return replace(
        result,
        scores=tuple(with_groups(scores, rows)) if command == "compare" else tuple(scores),
        comparisons=tuple(rows),
        about=replace(result.about, test="runs"),
        signature=f"{result.signature}|runs:{','.join(f'{name}:{digest}' for name, digest in digests.items())}",
        notes=(*result.notes, *notes),
    ).with_shown(remarks={**result.shown.remarks, "median": f"O{chosen[1:]}"})


def _mean_score(
    row: Score, views: Mapping[tuple[str | None, str], Figures], places: Mapping[str, list[int]]
) -> Score:
    own = places[row.system]
    figures = views.get((row.slice, row.measure))
    if len(own) == 1 or figures is None:
        return row
    values = figures.values(row.score, row.label)[own]
    value, low, high, kind = float(np.mean(values)), float("nan"), float("nan"), ""
    variance = degrees = None
    if row.label is None and not np.isnan(values).any() and figures.tallies.units > 1:
        lines, sizes = figures.linear_values(row.score, own)
        found = run_variance([np.stack(lines)], [values], sizes, figures.degrees(row.score, own))
        ends = range_of(figures.every[row.score])
        (low, high), kind = t_interval(value, found.total, found.degrees + 1, *ends), "runs"
        variance, degrees = found.total, found.degrees
    spread = float(np.std(values, ddof=1))
    runs = RunScores(len(own), spread, float(values.min()), float(values.max()), tuple(values.tolist()))
    # The number of items is that of one run.
    return replace(
        row, value=value, low=low, high=high, interval=kind, runs=runs, variance=variance, df=degrees,
        effective_items=None, design_effect=None, assumed=False,
    )  # fmt: skip


def _tested(
    row: Comparison, views: Mapping[tuple[str | None, str], Figures], places: Mapping[str, list[int]]
) -> Comparison:
    """A comparison over runs in place of that of the median runs."""
    one, other = places[row.a], places[row.b]
    figures = views.get((row.slice, row.measure))
    if row.test == "mcnemar" or max(len(one), len(other)) == 1 or figures is None:
        return row
    values = figures.values(row.score)
    scores = [values[one], values[other]]
    difference = float(scores[1].mean() - scores[0].mean())
    changed: dict[str, Any] = {"test": "runs", "difference": difference, "power": None, "method": "t"}
    changed |= {"smallest_p": None, "evidence": None}
    if np.isnan(difference) or figures.tallies.units < 2:
        changed |= dict.fromkeys(("low", "high", "p", "p_low", "p_high"), float("nan"))
        changed |= dict.fromkeys(("log10_p", "variance", "df", "level", "low_family", "high_family"))
        return replace(row, **changed, interval="")
    lines, sizes = figures.linear_values(row.score, [*one, *other])
    of_units = figures.degrees(row.score, [*one, *other])
    found = run_variance([np.stack(lines[: len(one)]), np.stack(lines[len(one) :])], scores, sizes, of_units)
    low, high = range_of(figures.every[row.score])
    p = max(SMALLEST, t_test(difference, found.total, found.degrees))
    ends = t_interval(difference, found.total, found.degrees + 1, low - high, high - low)
    dealt = permutation_test(*scores) if min(len(one), len(other)) > 1 else None
    smallest = 0.0
    if dealt is not None:
        ways = comb(len(one) + len(other), len(one))
        smallest = (2 if len(one) == len(other) else 1) / ways
    changed |= {**dict.fromkeys(("p", "p_low", "p_high"), p), "log10_p": log10(p), "exact": False}
    changed |= {"low": ends[0], "high": ends[1], "interval": "runs", "variance": found.total, "df": found.degrees}
    aso = None
    if dealt is not None:
        # The stream depends on the scores alone.
        better, worse = sorted((np.sort(one) for one in scores), key=lambda one: (-float(one.mean()), one.tolist()))
        rng = generator(figures.settings.seed, f"aso\n{better.tolist()}\n{worse.tolist()}")
        aso = almost_stochastic_order(better, worse, rng)
    return replace(
        row,
        **changed,
        runs=RunTest(
            variance=found.total,
            v_units=found.units,
            v_a=found.runs[0],
            v_b=found.runs[1],
            v_runs=found.of_runs,
            v_interaction=found.interaction,
            df=found.degrees,
            p_units=t_test(difference, found.units, of_units),
            p_runs=dealt,
            smallest_p_runs=smallest if dealt is not None else None,
            share_of_runs=found.share_of_runs,
            aso=aso,
        ),
    )


def _notes(rows: Sequence[Comparison], result: Result, places: Mapping[str, list[int]]) -> Iterator[str]:
    for row in rows:
        if row.runs is None or row.slice is not None or row.score != result.main_scores.get(row.measure):
            continue
        advice = ": more runs help more than more sentences" if row.runs.share_of_runs > MORE_RUNS else ""
        share = f"{row.runs.share_of_runs:.0%} of the variance comes from runs{advice}"
        least = row.runs.smallest_p_runs
        few = ""
        if least and least > ALPHA:
            few = f" With so few runs, a permutation of them cannot give a p below {least:.2f}."
        yield f"{row.a} → {row.b} on {row.measure}: {share}.{few}"
    for a, b in combinations(places, 2):
        alone = [name for name in (a, b) if len(places[name]) == 1]
        if len(alone) == 1:
            yield f"The spread over seeds of {alone[0]} is taken from {b if alone[0] == a else a}."
    for name, own in places.items():
        tests = [(row, row.runs) for row in rows if row.slice is None]
        spreads = [
            runs.v_a if row.a == name else runs.v_b
            for row, runs in tests
            if runs is not None and name in (row.a, row.b)
        ]
        if len(own) > 1 and spreads and max(spreads) == 0:
            yield f"The runs of {name} have equal scores, so they say nothing about seeds."
