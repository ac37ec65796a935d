"""Sentences about what a verdict rests on, and about what a test could have found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assay.result import Comparison, Result
from assay.result.grammar import ALPHA, BETTER
from assay.result.numbers import WRITERS, plural
from assay.result.risks import risk_line

LINES = 5
"""The number of comparisons that have a line below a table."""
_DECIDED = ("", "undefined", "identical", "tied", "equivalent", *BETTER)
"""Kinds for which a sentence on what could have been found makes no sense."""
_METHODS = {
    "exact": "p is exact",
    "tilted": "p was drawn near the observed difference and weighted",
    "t": "p from Student's t over {unit}s and runs",
    "judge": "estimated from the labels of humans and judge, p from Student's t",
}
"""Methods other than plain shuffling."""


def power_lines(
    tests: Sequence[Comparison], unit: str, units: int, names: Sequence[str] = (), form: str = "percent"
) -> Iterator[str]:
    """A line for each of the first comparisons without a significant difference, named if there are several tests."""
    open_tests = [
        (index, row)
        for index, row in enumerate(tests)
        if row.power is not None and row.kind not in _DECIDED and not math.isnan(row.difference)
        # Without a smallest difference too few shufflings were drawn to tell, unless too few units differ.
        if row.power.mde is not None or row.kind == "untestable"
    ]
    for index, row in open_tests[:LINES]:
        line = power_sentence(row, unit, units, form)
        yield _about_pair(row, line, f" on {names[index]}" if names else "") if len(tests) > 1 else line
    if len(open_tests) > LINES:
        yield f"{len(open_tests) - LINES:,} more comparisons are not significant; --format json lists them."


def few_lines(tests: Sequence[Comparison], unit: str) -> Iterator[str]:
    """A line on comparisons with intervals that cannot be trusted, because hardly any unit differs."""
    if few := [row for row in tests if row.few and row.units]:
        numbers = sorted({row.units for row in few})
        shown = f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"
        exact = "exact " * all(row.exact for row in few)
        who = f"In {len(few)} pairs the" if len(tests) > 1 else "The"
        yield (
            f"{who} systems differ in only {shown} {unit}{'s' * (numbers[-1] != 1)}, so the interval of the "
            f"difference is too narrow. Rely on the {exact}p."
        )


def interval_title(tests: Sequence[Comparison]) -> str:
    """The intervals of a table of tests: `95% interval`, `99.17% interval (for 6 tests)`."""
    row = next((row for row in tests if row.level is not None and row.family is not None), None)
    if row is None or row.level is None or row.family is None or row.family.size < 2:
        return "95% interval"
    return f"{level_title(row.level)} interval (for {row.family.size:,} tests)"


def level_title(level: float) -> str:
    """The level of an interval: `95%`, `99.17%`."""
    return f"{f'{100 * level:.4g}' if level < 0.9999 else f'{100 * level:.6g}'}%"


def of_verdict(result: Result) -> list[str]:
    """What the verdict rests on, and what its test could have found; of several, the test of the best two systems."""
    mains = result.main_tests
    tests = [row for row in mains if row.measure == mains[0].measure]
    if not tests:
        return []
    of_best = tests
    if len(tests) > 1:
        values = {row.system: row.merit for row in result.overall if row.main and row.measure == tests[0].measure}
        best = sorted(values, key=lambda name: math.inf if math.isnan(values[name]) else -values[name])[:2]
        of_best = [row for row in tests if {row.a, row.b} == {*best}]
    lines = lines_of(result, of_best)
    # Units (and those that differ), tests made together, and how p was computed.
    parts = [plural(result.about.units, result.about.unit)]
    if not lines and len(tests) == 1 and tests[0].runs is None and tests[0].units:
        parts[0] += f", {tests[0].units:,} of which differ between the systems"
    family = next((row.family.size for row in tests if row.family is not None), 1)
    parts += [f"p corrected for {family:,} tests (Holm)"] if family > 1 else []
    methods = {row.method for row in tests}
    if len(methods) == 1 and methods <= _METHODS.keys():
        parts.append(_METHODS[methods.pop()].format(unit=result.about.unit))
    risks = [line for row in of_best[:1] for line in risk_line(result, (row.a, row.b))]
    return [f"Based on {'; '.join(parts)}.", *lines, *risks]


def lines_of(result: Result, tests: Sequence[Comparison]) -> list[str]:
    """What the test of two systems could have found."""
    form = result.form_of(tests[0]) if tests else "percent"
    lines = power_lines(tests, result.about.unit, result.about.units, form=form)
    return [_about_pair(row, line) if len(result.systems) > 2 else line for row in tests for line in lines]


def _about_pair(row: Comparison, line: str, where: str = "") -> str:
    return f"{row.a} → {row.b}{where}: {line[0].lower()}{line[1:]}"


def power_sentence(row: Comparison, unit: str, units: int, form: str = "percent") -> str:
    """The smallest difference that would have been found, and the units that the observed one would need."""
    power = row.power
    assert power is not None

    def size(value: float) -> str:
        return f"{100 * value:.1f} points" if form == "percent" else WRITERS[form](value)

    family = round(ALPHA / power.alpha)
    level = f" after correction for {family:,} tests" if family > 1 else ""
    if power.mde is None:
        needed = f", and at least {row.needed:,} are needed{level}" if row.needed and row.needed > row.units else ""
        text = (
            "This test set is too small for a significant result: the systems differ in only "
            f"{plural(row.units, unit)}{needed}."
        )
    else:
        text = (
            f"With these {plural(units, unit)}, {row.units:,} of which differ between the systems, a true difference "
            f"of {size(power.mde)} would have been found with {power.chance:.0%} probability{level}."
        )
    if row.difference == 0:
        return text
    plan = f" If the true difference is as observed ({size(abs(row.difference))}), "
    if power.beyond and power.mde is not None:
        return f"{text}{plan}more than 1,000 times as many would be needed."
    if power.needed_units is None:
        return text
    ends = ""
    if power.needed_from is not None and power.by_share:
        limits = name_limits(power.needed_from, power.needed_to)
        ends = f" ({limits}, because only {plural(row.units, unit)} differ{'s' * (row.units == 1)})"
    elif power.needed_from is not None and not row.few:
        low, high = round_number(power.needed_from), power.needed_to
        ends = f" ({low} to {round_number(high)}, judging by the interval)" if high is not None else (
            f" (at least {low}, judging by the interval; if the true difference is near 0, no number is enough)"
        )  # fmt: skip
    return f"{text}{plan}about {round_number(power.needed_units)} such {unit}s would be needed{ends}."


def name_limits(low: int, high: int | None) -> str:
    """Two ends of a number of units: `between 69 and 480`; without an upper end, `at least 69`."""
    least = round_number(low)
    return f"at least {least}" if high is None else f"between {least} and {round_number(high)}"


def round_number(number: int) -> str:
    """A number in three digits."""
    digits = max(0, len(str(number)) - 3)
    return f"{round(number, -digits):,}"
