"""Agreement of annotators, of whom none is gold: every pair of them, and the mean over pairs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from assay.corpus.adapters import named_systems
from assay.engine.measure import find
from assay.engine.options import Options
from assay.engine.parts import way_of
from assay.engine.prepare import Prepared
from assay.engine.run import evaluate_shards
from assay.engine.task import describe, task_options, tasks
from assay.errors import UsageError
from assay.result import Result, Score

ALL_PAIRS = "mean of all pairs"
_GOLD = re.compile(r"gold(?=[:'\s])")
"""Gold at the beginning of a message, and no annotator whose name begins so (gold-2, gold/a)."""


def agreement(annotators: Any, measures: Sequence[str] | str | None = None, **options: Any) -> Result:
    """The agreement of two or more annotators; options are those of `score`, but for jobs and cluster."""
    # By name: no figure depends on who is given first. One who is called gold comes first, as gold does in messages.
    named = sorted(named_systems(annotators).items(), key=lambda one: (one[0] != "gold", one[0]))
    chosen = Options(**options, symmetric=True)
    _check([given for _, given in named], chosen)
    given = [_symmetric(spec) for spec in ([measures] if isinstance(measures, str) else measures or ())]
    parts = []
    for (a, first), (b, second) in combinations(named, 2):
        specs = given or _defaults(first, second, chosen)
        there = evaluate_shards("agreement", first, {b: second}, specs, chosen)
        back = evaluate_shards("agreement", second, {a: first}, specs, replace(chosen, examples=0))
        parts.append(_of_pair(_either_way(there, back), a, f"{a} ~ {b}"))
    return _together(parts)


def _check(annotators: Sequence[Any], options: Options) -> None:
    if len(annotators) < 2:
        raise UsageError("agreement takes at least two annotators.")
    if options.embed != "none":
        raise UsageError("agreement shows no texts, so that there are none to embed.")
    for name, option in task_options().items():
        if option.of_gold and getattr(options, name) is not None:
            raise UsageError(f"--{name.replace('_', '-')} is about gold, of which there is none in agreement.")
    if any(isinstance(given, str) and given == "-" for given in annotators):
        raise UsageError("agreement reads files more than once, so they cannot come from standard input.")


def _symmetric(spec: str) -> str:
    """A measure for which it is the same who comes first."""
    measure = find(spec)
    if measure.definition.one_sided:
        raise UsageError(measure.definition.one_sided)
    if measure.definition.parameters.get("symmetric") is not False:
        return spec
    return str(replace(measure, parameters={**measure.parameters, "symmetric": True}))


def _defaults(first: Any, second: Any, options: Options) -> list[str]:
    """A task's measures; kappa over words only where these are known and have one label each."""
    opened = Prepared(first, {"second": second}, options)
    task = tasks()[opened.task]
    specs = list(task.measures_for(opened.inputs[0]) if task.measures_for else task.agreement)
    for spec in task.agreement_where_defined:
        run = opened.run([find(spec) for spec in specs])
        try:
            find(spec).judge(run.pairs[0][1])
        except UsageError:
            continue
        specs.append(spec)
    return specs


def _either_way(there: Result, back: Result) -> Result:
    """The scores that are the same whoever comes first; the ends of intervals are the means of both ways.

    Scores that take one side for gold (precision, the mean over gold's labels) are left out, and where that is a
    measure's main score, it is said. Scores by label or by the values of a slice are given for all or for none.
    """
    measures = dict(zip(back.measures, there.measures, strict=True))
    other = {(measures[row.measure], row.score, row.label, row.slice): row for row in back.scores}
    scores, gone = [], []
    turned = [other.get((row.measure, row.score, row.label, row.slice)) for row in there.scores]
    pairs = [*zip(there.scores, turned, strict=True)]
    differ = {_table(row) for row, back_row in pairs if back_row is None or not _same(row.value, back_row.value)}
    for row, back_row in pairs:
        if back_row is not None and _table(row) not in differ:
            ends = {name: (getattr(row, name) + getattr(back_row, name)) / 2 for name in ("value", "low", "high")}
            scores.append(replace(row, **ends))
        elif row.main and row.label is None and row.slice is None:
            gone.append(f"{row.measure} depends on who comes first, so it is not given.")
    if gone and not any(row.main for row in scores):
        raise UsageError(f"{gone[0]} Choose another measure with -m")
    return replace(there, scores=tuple(scores), notes=(*there.notes, *gone))


def _table(row: Score) -> tuple[object, ...]:
    """The scores that belong together: those of all labels, and of all values of a slice."""
    kind = None if row.slice is None else row.slice.partition("=")[0]
    return row.measure, row.score, row.label is not None, kind


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, abs_tol=1e-9) or (math.isnan(a) and math.isnan(b))


def _of_pair(result: Result, first: str, pair: str) -> Result:
    """A Result about one pair of annotators, under the names of both."""

    def renamed(rows: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(replace(row, system=pair) for row in rows)

    return replace(
        result,
        gold=replace(result.gold, name=first),
        scores=renamed(result.scores),
        counts=renamed(result.counts),
        confusion=renamed(result.confusion),
        error_types=renamed(result.error_types),
        examples=tuple(
            replace(
                example,
                a=pair,
                sides=tuple(first if side == "gold" else side for side in example.sides),
                spans=tuple(replace(span, side=first) if span.side == "gold" else span for span in example.spans),
            )
            for example in result.examples
        ),
        warnings=tuple(_named(text, first) for text in result.warnings),
        notes=tuple(_named(text, first) for text in result.notes),
    )


def _named(text: str, first: str) -> str:
    """A message under the name of the annotator who takes gold's place."""
    return first + text[len("gold") :] if _GOLD.match(text) else text


def _together(parts: Sequence[Result]) -> Result:
    """The Results of all pairs as one, with the mean over pairs where there are several."""
    sources = {source.name: source for part in parts for source in (part.gold, *part.systems)}
    # What one pair has by chance, being the same both ways there alone, is in no table.
    of_all = set.intersection(*({_table(row) for row in part.scores} for part in parts))
    parts = [replace(part, scores=tuple(row for row in part.scores if _table(row) in of_all)) for part in parts]

    def joined(name: str) -> tuple[Any, ...]:
        return tuple(row for part in parts for row in getattr(part, name))

    result = replace(
        parts[0],
        aligned_by=way_of([part.aligned_by for part in parts]),
        systems=tuple(sources.values()),
        scores=(*joined("scores"), *(_means(parts) if len(parts) > 1 else ())),
        counts=joined("counts"),
        confusion=joined("confusion"),
        error_types=joined("error_types"),
        examples=joined("examples"),
        warnings=tuple(dict.fromkeys(joined("warnings"))),
        notes=tuple(dict.fromkeys(joined("notes"))),
        signature=" ".join(part.signature for part in parts),
    )
    return describe(result)


def _means(parts: Sequence[Result]) -> list[Score]:
    """The mean of each score over the pairs, undefined where a pair does not have it."""
    found: dict[tuple[object, ...], list[Score]] = {}
    for part in parts:
        for row in part.scores:
            found.setdefault((row.measure, row.score, row.label, row.slice), []).append(row)
    means = []
    for rows in found.values():
        # Exact, so that the order of pairs changes no digit.
        mean = math.fsum(row.value for row in rows) / len(rows) if len(rows) == len(parts) else math.nan
        means.append(replace(rows[0], system=ALL_PAIRS, value=mean, low=math.nan, high=math.nan, interval=""))
    return means
