"""Sentences about what a test could have found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assay.result import Comparison, Result
from assay.result.numbers import plural

LINES = 5
"""So many comparisons have their line beneath a table."""
FEW_UNITS, FEW_DIFFERING = 20, 10
"""Below so many units, or so many that differ, no interval of a difference holds what it says."""
_LEVEL = 0.05


def power_lines(tests: Sequence[Comparison], unit: str, units: int, names: Sequence[str] = ()) -> Iterator[str]:
    """A line for each comparison that is not significant, the first of them; which one it is about where there are
    several."""
    found = [(index, row) for index, row in enumerate(tests) if _is_told(row)]
    for index, row in found[:LINES]:
        line = power_sentence(row, unit, units)
        yield _about_pair(row, line, f" on {names[index]}" if names else "") if len(tests) > 1 else line
    if len(found) > LINES:
        yield f"The same of {len(found) - LINES:,} more: --format json."


def is_too_short(row: Comparison, units: int) -> bool:
    """True where the interval of a difference cannot be trusted, since hardly any unit differs."""
    few = units < FEW_UNITS or row.units < FEW_DIFFERING
    return few and row.units > 0 and row.test == "shuffling" and not math.isnan(row.low)


def few_lines(tests: Sequence[Comparison], unit: str, units: int) -> Iterator[str]:
    """A line for comparisons whose intervals cannot be trusted, since hardly any unit differs."""
    if few := [row for row in tests if is_too_short(row, units)]:
        numbers = sorted({row.units for row in few})
        shown = f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"
        pairs = f" in {len(few)} pairs" if len(tests) > 1 else ""
        exact = "exact " * all(row.exact for row in few)
        yield f"Few {unit}s differ{pairs} ({shown}): the interval of the difference is too short; go by the {exact}p."


def of_verdict(result: Result) -> list[str]:
    """The lines of the test behind the verdict; of several, that of the best system and the next."""
    mains = result.main_tests
    tests = [row for row in mains if row.measure == mains[0].measure]
    if len(tests) > 1:
        overall = (row for row in result.scores if row.main and row.slice is None and row.label is None)
        values = {row.system: row.value for row in overall if row.measure == tests[0].measure}
        best = sorted(values, key=lambda name: math.inf if math.isnan(values[name]) else -values[name])[:2]
        tests = [row for row in tests if {row.a, row.b} == {*best}]
    lines = [line for told in (few_lines, power_lines) for line in told(tests, result.unit, result.units)]
    return [_about_pair(row, line) for row in tests for line in lines] if len(result.systems) > 2 else lines


def _about_pair(row: Comparison, line: str, where: str = "") -> str:
    return f"{row.a} → {row.b}{where}: {line[0].lower()}{line[1:]}"


def _is_told(row: Comparison) -> bool:
    return row.power is not None and not math.isnan(row.p_adjusted) and row.p_adjusted > _LEVEL


def power_sentence(row: Comparison, unit: str, units: int) -> str:
    """The smallest difference that would have been found, and the units that the observed one would need."""
    power = row.power
    assert power is not None
    family = round(_LEVEL / power.alpha)
    level = f" (at .05/{family}, for {family} tests)" if family > 1 else ""
    if power.mde is None:
        least = row.units
        while 2.0 ** (1 - least) > power.alpha:
            least += 1
        differing = plural(row.units, unit)
        told = f"No result on this test set could be significant{level}: the systems differ in {differing}"
        told += f"; at least {least:,} must." if least > row.units else "."
    else:
        told = (
            f"Not significant{level}. With these {plural(units, unit)}, of which the systems differ in "
            f"{row.units:,}, a true difference of {100 * power.mde:.1f} points would have been found with "
            f"{power.chance:.0%} probability."
        )
    if row.difference == 0:
        return told
    plan = f" If the difference is as observed ({100 * abs(row.difference):.1f}), "
    if power.beyond:
        return f"{told}{plan}more than 1,000 times as many would be needed."
    if power.needed_units is None:
        return told
    ends = ""
    if power.needed_from is not None and not is_too_short(row, units):
        low, high = about(power.needed_from), power.needed_to
        reach = f"at least {low}; perhaps no number is enough" if high is None else f"{low} to {about(high)}"
        ends = f" (going by its interval, {reach})"
    return f"{told}{plan}about {about(power.needed_units)} such {unit}s would be needed{ends}."


def about(number: int) -> str:
    """A number in three digits."""
    digits = max(0, len(str(number)) - 3)
    return f"{round(number, -digits):,}"
