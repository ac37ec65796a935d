"""Plans: how many units, or units and runs, would find a difference of two systems, or of one from annotators."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from assay.engine.measure import Measure, form_of_score
from assay.engine.options import Options
from assay.errors import UsageError
from assay.keywords import NOT_PLANNED, OPTIONS
from assay.result import TABLES, Comparison, Plan, Result
from assay.result.grammar import ALPHA
from assay.result.numbers import WRITERS, plural
from assay.stats.runs import smallest_from_ceiling

DIFFERENCES = (0.005, 0.01, 0.02, 0.05)
"""The differences that are planned for by default, besides the observed one, if scores are shares or coefficients."""
TIMES = (1, 2, 5, 10)
"""The numbers of units in a table of differences, as multiples of the pilot's …"""
RUNS = (2, 3, 5, 10)
"""… and the numbers of runs."""
_ENDS = (0.9, 0.1)
"""Quantiles of chi-square, for the ends of the interval of the variance over runs or annotators."""
LEAST_ANNOTATORS = 5
"""With fewer annotators, the variance over them is too uncertain for a plan."""


def check_plan(options: Options) -> None:
    """Raise an error for options that a plan cannot use."""
    for name in NOT_PLANNED:
        if getattr(options, name) != OPTIONS[name].default:
            raise UsageError(f"{OPTIONS[name].flag}: not available for a plan. Leave it out, or use: assay compare")
    if options.power is None:
        raise UsageError("--power none: a plan needs a probability, e.g. --power 0.8.")


def planned_differences(measures: Sequence[Measure], options: Options) -> dict[str, Sequence[float]]:
    """By measure the true differences that are planned for: the margin, or the usual ones."""
    found: dict[str, Sequence[float]] = {}
    options.check_margins([str(measure) for measure in measures])
    for measure in measures:
        form = form_of_score(str(measure), measure.main)
        margin = options.margin_of(str(measure), form)
        found[str(measure)] = (margin,) if margin is not None else DIFFERENCES if form != "number" else ()
    return found


def with_unit_plans(result: Result, options: Options) -> Result:
    """The Result of a comparison as a plan: the units that differences of main scores need."""
    rows, notes = [], []
    for test in result.main_tests:
        power = test.power
        if power is None or not power.plans:
            reason = "this test cannot be planned" if test.units else "the systems do not differ"
            reason = "a score is undefined" if math.isnan(test.difference) else reason
            notes.append(f"{test.a} → {test.b} on {test.measure}: there is no plan, because {reason}.")
            continue
        for plan in power.plans:
            observed = plan is power.plans[-1] and test.difference != 0
            if observed and options.margin_of(test.measure, result.form_of(test)) is not None:
                continue
            rows.append(
                Plan(
                    *(test.a, test.b, test.measure, test.score, plan.difference, None, None),
                    *(plan.units, plan.fewest, plan.most, None, observed, power.alpha, power.chance),
                    *(result.about.units, test.units, plan.reason),
                )
            )
    return as_plan(result, rows, notes)


def plan_runs(
    test: Comparison, result: Result, smallest: Callable[..., float], runs: int, alpha: float, chance: float
) -> tuple[list[Plan], str]:
    """The smallest differences that numbers of units and runs find, and a sentence on which of the two to increase.

    `smallest` is `smallest_difference` of the pilot, and `runs` the smaller number of runs in it.
    """
    unit, units, rows = result.about.unit, result.about.units, []
    for times, number in product(TIMES, RUNS):
        value, low, high = (smallest(units=times * units, runs=number, quantile=end) for end in (None, *_ENDS))
        found = (test.a, test.b, test.measure, test.score, value, low, high)
        rows.append(Plan(*found, times * units, None, None, number, False, alpha, chance, units, test.units))
    more = ((units, runs), (2 * units, runs), (units, 2 * runs))
    now, by_units, by_runs = (smallest(units=number, runs=several) for number, several in more)
    sizes = [_write_size(result, test, value) for value in (now, by_units, by_runs)]
    ways = [f"{2 * units:,} {unit}s would find {sizes[1]}", f"{2 * runs} runs each would find {sizes[2]}"]
    better = f"{unit}s" if by_units <= by_runs else "runs"
    return rows, (
        f"{test.a} → {test.b} on {test.measure}: increase the number of {better}. With {plural(units, unit)} and "
        f"{runs} runs each, a difference of {sizes[0]} would be found; {', '.join(ways)}."
    )


def with_ceiling_plans(result: Result, power: float, seed: int) -> Result:
    """The Result of systems against annotators as a plan: the smallest differences from the human ceiling that
    numbers of units find. The number of annotators is that of the pilot, because the ceiling depends on it."""
    tests = [row for row in result.comparisons if row.test == "ceiling"]
    unit, units = result.about.unit, result.about.units
    rows, notes = [], []
    for test in tests:
        where, people = f"{test.b} on {test.measure}", test.annotators or 0
        constant = math.isnan(test.low)
        if people < LEAST_ANNOTATORS or constant or test.v_items is None or test.v_annotators is None:
            reason = "a score is undefined" if test.v_items is None else "the differences do not vary"
            if people < LEAST_ANNOTATORS:
                few = f"{people} annotators are too few to estimate how much annotators vary"
                reason = f"{few}. Give at least {LEAST_ANNOTATORS}"
            notes.append(f"{where}: there is no plan, because {reason}.")
            continue
        alpha = ALPHA / len(tests)
        smallest = partial(smallest_from_ceiling, people=people, alpha=alpha, chance=power, seed=seed)
        for times in TIMES:
            number, given = times * units, (test.v_items / times, test.v_annotators, times * units)
            value, low, high = (smallest(*given, quantile=end) for end in (None, *_ENDS))
            what = (test.a, test.b, test.measure, test.score, value, low, high)
            rows.append(Plan(*what, number, None, None, None, False, alpha, power, units, test.units, "", people))
        if least := smallest(0.0, test.v_annotators, units):
            size = _write_size(result, test, least)
            never = f"no number of {unit}s would find a difference below {size} with this probability"
            notes.append(f"{where}: with {people} annotators, {never}.")
    return as_plan(replace(result, about=replace(result.about, command="plan")), rows, notes)


def _write_size(result: Result, test: Comparison, value: float) -> str:
    form = result.form_of(test)
    return f"{100 * value:.2f} points" if form == "percent" else WRITERS[form](value)


def as_plan(result: Result, rows: Sequence[Plan], notes: Sequence[str]) -> Result:
    """A Result with overall scores and plans alone."""
    if not rows:
        raise UsageError(" ".join(notes) or "there is no test to plan.")
    nothing: dict[str, Any] = dict.fromkeys((*TABLES, "tables", "examples"), ())
    kept = {**nothing, "scores": tuple(result.overall), "plans": tuple(rows), "texts": None}
    return replace(result, **kept, notes=(*notes, *result.notes))
