"""Regression risk: sentences, tables, and the systems that break too much."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from assay.errors import UsageError
from assay.result import Result, Risk, RiskPart, Table
from assay.result.numbers import coefficient, interval, percent
from assay.specs import read_share

FEW_SETS = 5
"""With fewer data sets, the rate on a new one comes largely from the prior."""
SURE = 0.05
"""A gate is missed if the probability of breaking too much is above this."""


def risk_line(result: Result, pair: tuple[str, str]) -> Iterator[str]:
    """A sentence on what the second system of a pair breaks, or the first, if only that was asked for."""
    rows = [row for row in result.risks if (row.a, row.b) in (pair, pair[::-1]) and row.on == result.risks[0].on]
    for row in sorted(rows, key=lambda row: ((row.a, row.b) != pair, row.by == ""))[:1]:
        if row.new_median is None or row.new_high is None:
            if row.of:
                ends = "" if math.isnan(row.low) else f" {interval(row.low, row.high, percent)}"
                counts = f"{row.broken:,} of {row.of:,} {result.shown.noun}s"
                above = _above(row.limit, row.p)
                share = f"{percent(row.broken / row.of)}%{ends}"
                yield f"{row.b} breaks {share} of what {row.a} has right ({counts}){above}."
            return
        what = "data set like these" if row.by == "data set" else f"part like these (by {row.by})"
        yield (
            f"On a {what}, expect {row.b} to break {percent(row.new_median)}% of what {row.a} has right; "
            f"{percent(row.new_high)}% or more with a probability of .05{_above(row.limit, row.new_p)}."
        )


def _above(limit: float | None, p: float | None) -> str:
    if limit is None or p is None:
        return ""
    return f", more than {_share(limit)} with a probability of {coefficient(p, 3)}"


def _share(limit: float) -> str:
    return f"{100 * limit:.6g}%"


def risk_tables(risks: Sequence[Risk], noun: str, leading: set[str]) -> Iterator[Table]:
    """Broken and corrected items of each ordered pair; rates on a new data set; those of data sets and labels."""
    first = [row for row in risks if row.on == risks[0].on]
    rows = [row for row in first if row.by in ("", "data set")]
    over = [row for row in first if row.by]
    limit = next((row.limit for row in first), None)
    p = [] if limit is None else [f"P(> {_share(limit)})"]
    forms = ["count", "count", "percent", *["coefficient"] * len(p)]
    yield Table(
        "Regression risk",
        (
            *("pair", "broken", "right", "% broken", *p, "corrected", "wrong", "% corrected"),
            *(f"{text} corr." for text in p),
        ),
        tuple(
            (
                *([row.a, row.b], row.broken, row.of, _rate(row.broken, row.of, row.low, row.high)),
                *(*[row.p] * len(p), row.corrected, row.corrected_of),
                _rate(row.corrected, row.corrected_of, row.corrected_low, row.corrected_high),
                *[row.corrected_p] * len(p),
            )
            for row in rows
        ),
        ("pair", *forms, *forms),
        name="risk",
        notes=(
            f"broken: {noun}s of gold that the first system has right and the second wrong, out of all that the "
            f"first has right; corrected: the opposite, out of all that it has wrong. 95% intervals on data like "
            f"these in brackets{'; P: the probability of a higher rate' * bool(p)}. A system with a higher score can "
            f"still break many of them.",
        ),
        droppable=(*[8] * len(p), 5 + len(p), 2),
    )
    if over:
        few = [f"With fewer than {FEW_SETS} data sets, the answer depends mostly on the prior."]
        what = "data set" if over[0].by == "data set" else f"value of {over[0].by}"
        yield Table(
            f"Regression risk on a new {what}",
            ("pair", "by", "sets", "median", "95% point", *p, "95% point (½)", *[f"{text} (½)" for text in p]),
            tuple(
                (
                    *([row.a, row.b], row.by, len(row.parts), row.new_median, row.new_high, *[row.new_p] * len(p)),
                    *(row.narrow_high, *[row.narrow_p] * len(p)),
                )
                for row in over
            ),
            ("pair", "text", "count", "percent", "percent", *["coefficient"] * len(p), "percent", "coefficient"),
            words=2,
            name="risk",
            notes=(
                "Percentage of what the first system has right. The model assumes normally distributed logits of the "
                "rates, with a half-normal prior of scale 1 for their spread; the last columns assume scale ½. It "
                "applies to data sets like these, not to outliers unlike all of them.",
                *few * (min(len(row.parts) for row in over) < FEW_SETS),
            ),
        )
    by_part = [(row, row.parts, row.by) for row in over]
    for row, parts, by in [*by_part, *((row, row.labels, "label") for row in rows)]:
        if parts:
            yield _parts(row, parts, by, p, minor={row.a, row.b} != leading)


def _parts(row: Risk, parts: Sequence[RiskPart], by: str, p: list[str], *, minor: bool) -> Table:
    shrunk = "shrunk: the rate, shrunk towards the others, so 1 of 2 is no alarm."
    effects = " Design effects of units are taken into account." if by != "label" else ""
    return Table(
        f"Regression risk by {by}: {row.a} → {row.b}",
        (by, "broken", "right", "% broken", "shrunk", *p),
        tuple(
            (part.name, part.broken, part.of, part.broken / part.of, part.rate, *[part.p] * len(p)) for part in parts
        ),
        ("text", "count", "count", "percent", "percent", "coefficient"),
        name="risk",
        minor=minor,
        short=10,
        notes=(f"{shrunk}{effects}",),
    )


def _rate(count: int, number: int, low: float, high: float) -> list[float]:
    return [count / number if number else math.nan, low, high]


def breaking_pairs(result: Result, limit: str) -> Iterator[str]:
    """A line for each system that too probably breaks more than this share of what the baseline has right.

    The baseline is the first of two systems, or the one that all were compared with.
    """
    share = read_share("--fail-if-breaks", limit)
    pairs = {(row.a, row.b) for row in result.risks}
    first = {a for a, _ in pairs}
    if len(result.names) > 2 and len(first) > 1:
        raise UsageError(
            f"--fail-if-breaks {limit}: there are {len(result.names)} systems. Name the old one: --baseline"
        )
    if not pairs and any(row.kind != "identical" for row in result.main_tests):
        raise UsageError(
            f"--fail-if-breaks {limit}: no item is right or wrong here, so none can break. Remove this option."
        )
    base = next(iter(first)) if len(result.names) > 2 and first else result.names[0]
    for row in result.risks:
        p = row.p if row.by == "" else row.new_p
        if row.a != base or row.on != result.risks[0].on or row.by not in ("", "data set") or p is None:
            continue
        if p > SURE:
            where = " of a new data set" * bool(row.by)
            what = f"{row.b} breaks more than {_share(share)} of what {row.a} has right{where}"
            yield f"{row.on}: {what} with a probability of {coefficient(p, 3)}, above {coefficient(SURE)}."
