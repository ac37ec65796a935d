"""How far annotators agree, of whom none is gold: every pair of them, and the mean over pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.errors import UsageError
from assay.evaluate import evaluated
from assay.measures import find
from assay.prepare import Options, Prepared
from assay.result import Result, Score
from assay.systems import named_systems

ALL_PAIRS = "mean of all pairs"
DEFAULTS = {
    "tags": ("accuracy", "kappa"),
    "spans": ("exact", "fair(symmetric=true)", "span-kappa"),
    "dependencies": ("uas", "las"),
    "constituents": ("parseval",),
    "coreference": ("mentions", "muc", "b-cubed", "ceaf-e", "lea", "conll"),
}
"""The measures for which it is the same who comes first."""
_OF_WORDS = "span-kappa(on=words)"


def agreement(annotators: Any, measures: Sequence[str] | str | None = None, **options: Any) -> Result:
    """How far two or more annotators agree; options are those of `score`, but for jobs and cluster."""
    # By name: no figure depends on who is given first.
    named = sorted(named_systems(annotators).items())
    chosen = Options(**options, symmetric=True)
    _check([given for _, given in named], chosen)
    given = [_symmetric(spec) for spec in ([measures] if isinstance(measures, str) else measures or ())]
    parts = []
    for (a, first), (b, second) in combinations(named, 2):
        specs = given or _defaults(first, second, chosen)
        part = evaluated("agreement", first, {b: second}, specs, chosen)
        parts.append(_of_pair(part, a, f"{a} ~ {b}"))
    return _together(parts)


def _check(annotators: Sequence[Any], options: Options) -> None:
    if len(annotators) < 2:
        raise UsageError("agreement takes at least two annotators.")
    if options.gold_errors is not None:
        raise UsageError("--gold-errors is about gold, of which there is none in agreement.")
    if any(isinstance(given, str) and given == "-" for given in annotators):
        raise UsageError("agreement reads files more than once, so they cannot come from standard input.")


def _symmetric(spec: str) -> str:
    """A measure for which it is the same who comes first."""
    measure = find(spec)
    if measure.definition.name == "weighted":
        raise UsageError("weighted takes one side as gold; for agreement there is fair, which is matched both ways.")
    if measure.definition.name != "fair":
        return spec
    return str(replace(measure, parameters={**measure.parameters, "symmetric": True}))


def _defaults(first: Any, second: Any, options: Options) -> list[str]:
    """A task's measures; kappa over words only where these are known and have one label each."""
    opened = Prepared(first, {"second": second}, options)
    specs = list(DEFAULTS[opened.task])
    if opened.task == "spans":
        run = opened.run([find(spec) for spec in specs])
        try:
            find(_OF_WORDS).judge(run.pairs[0][1])
        except UsageError:
            return specs
        specs.append(_OF_WORDS)
    return specs


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
        warnings=tuple(re.sub(r"^gold\b", lambda _: first, text) for text in result.warnings),
        notes=tuple(re.sub(r"^gold\b", lambda _: first, text) for text in result.notes),
    )


def _together(parts: Sequence[Result]) -> Result:
    """The Results of all pairs as one, with the mean over pairs where there are several."""
    sources = {source.name: source for part in parts for source in (part.gold, *part.systems)}

    def joined(name: str) -> tuple[Any, ...]:
        return tuple(row for part in parts for row in getattr(part, name))

    return replace(
        parts[0],
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


def _means(parts: Sequence[Result]) -> list[Score]:
    """The mean of each score over the pairs, undefined where a pair does not have it."""
    values: dict[tuple[object, ...], list[float]] = {}
    for part in parts:
        for row in part.scores:
            values.setdefault((row.measure, row.score, row.label, row.slice), []).append(row.value)
    nothing = float("nan")
    means = []
    for row in parts[0].scores:
        found = values[row.measure, row.score, row.label, row.slice]
        mean = float(np.mean(found)) if len(found) == len(parts) else nothing
        means.append(replace(row, system=ALL_PAIRS, value=mean, low=nothing, high=nothing))
    return means
