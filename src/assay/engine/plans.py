"""Plans: how many units, or units and runs, would find a difference of two systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from assay.engine.measure import Measure, form_of_score
from assay.engine.options import Options
from assay.errors import UsageError
from assay.keywords import NOT_PLANNED, OPTIONS
from assay.result import TABLES, Comparison, Plan, Result
from assay.result.numbers import WRITERS, plural

DIFFERENCES = (0.005, 0.01, 0.02, 0.05)
"""The differences that are planned for by default, besides the observed one, if scores are shares or coefficients."""
TIMES = (1, 2, 5, 10)
"""The numbers of units in a table of runs, as multiples of the pilot's …"""
RUNS = (2, 3, 5, 10)
"""… and the numbers of runs."""
_Level = tuple[float, float]
"""The level of a test, and the probability with which a difference is to be found."""
_ENDS = (0.9, 0.1)
"""Quantiles of chi-square, for the ends of the interval of the variance over runs."""


def check_plan(options: Options) -> None:
    """Raise an error for options that a plan cannot use."""
    for name in NOT_PLANNED:
        if getattr(options, name) != OPTIONS[name].default:
            raise UsageError(f"{OPTIONS[name].flag}: not for a plan. Leave it out, or use: assay compare")
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
            reason = "its test does not add up units" if test.units else "the systems do not differ"
            notes.append(f"{test.a} → {test.b} on {test.measure}: no plan, because {reason}.")
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
    test: Comparison, smallest: Callable[..., float], pilot: tuple[int, int], unit: str, form: str, level: _Level
) -> tuple[list[Plan], str]:
    """The smallest differences that numbers of units and runs find, and a sentence on which of the two to increase.

    `smallest` is `smallest_difference` of a pilot, `pilot` the numbers of its units and of runs of each system.
    """
    units, runs = pilot
    rows = []
    for times, number in product(TIMES, RUNS):
        value, low, high = (
            smallest(units=times * units, runs=number, quantile=quantile) for quantile in (None, *_ENDS)
        )
        rows.append(
            Plan(
                *(test.a, test.b, test.measure, test.score, value, low, high, times * units, None, None, number),
                *(False, *level, units, test.units),
            )
        )
    now, by_units, by_runs = (
        smallest(units=more, runs=number) for more, number in ((units, runs), (2 * units, runs), (units, 2 * runs))
    )

    def size(value: float) -> str:
        return f"{100 * value:.2f} points" if form == "percent" else WRITERS[form](value)

    more, less = (f"{2 * units:,} {unit}s", by_units), (f"{2 * runs} runs each", by_runs)
    advice = f"increase the number of {f'{unit}s' if by_units <= by_runs else 'runs'}"
    first, second = sorted((more, less), key=lambda way: way[1])
    return rows, (
        f"{test.a} → {test.b} on {test.measure}: {advice}. {plural(units, unit)} and {runs} runs each find a "
        f"difference of {size(now)}; {first[0]} would find {size(first[1])}, {second[0]} {size(second[1])}."
    )


def as_plan(result: Result, rows: Sequence[Plan], notes: Sequence[str]) -> Result:
    """A Result with overall scores and plans alone."""
    if not rows:
        raise UsageError(" ".join(notes) or "there is no test to plan.")
    # In order of declaration: nothing else of the comparison belongs to a plan.
    nothing: dict[str, Any] = dict.fromkeys((*TABLES, "tables", "examples"), ())
    kept = {**nothing, "scores": tuple(result.overall), "plans": tuple(rows), "texts": None}
    return replace(result, **kept, notes=(*notes, *result.notes))
