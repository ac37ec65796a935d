"""add_judge(): scores from few human labels and many labels of a judge.

The systems are prepared twice, against the humans and against the judge, and the scores of items are combined.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.align import Pair, align
from assay.arrays import Floats, Ints
from assay.corpus.items import LABEL, ItemTable
from assay.engine.build import add_group_letters, decide_family
from assay.engine.counts import as_sums
from assay.engine.measure import Mean, Measure, Proportion, find
from assay.engine.options import Options
from assay.engine.prepare import Run, prepare
from assay.engine.scores import score_limits
from assay.engine.values import Values
from assay.engine.warnings import EQUAL, format_warnings
from assay.errors import AlignmentError, UsageError
from assay.result import JudgedScore, Result
from assay.stats.intervals import t_interval, t_tail
from assay.stats.judges import FEW, JudgeEstimate, estimate_with_judge
from assay.stats.values import ColumnMean

_NAMED = 3
"""The most ids that are listed."""
_SHARE = (0.0, 1.0)


def add_judge(
    result: Result, human: Any, systems: Any, measures: Sequence[str] | str | None, options: Options
) -> Result:
    """The Result of human labels with the table `judges`, which estimates its scores from both."""
    if options.unit not in (None, "item"):
        raise UsageError(f"--unit {options.unit}: with --judge, each item is a unit. Leave --unit out.")
    chosen = [find(name, result.about.task) for name in result.main_scores]
    by_human, by_judge = (prepare(gold, systems, chosen, options) for gold in (human, options.judge))
    labelled, further = _split_items(by_human, by_judge)
    rows: list[JudgedScore] = []
    estimates: dict[tuple[str, str | None, str], dict[str, Any]] = {}
    refused = ""
    for measure in chosen:
        by_side = [{name: _item_scores(measure, pair) for name, pair in run.pairs} for run in (by_human, by_judge)]
        by_human_alone, by_judge_alone = (
            {name: own for name, own in side.items() if own is not None} for side in by_side
        )
        if any(own is None for side in by_side for own in side.values()):
            refused = refused or str(measure)
            continue
        agreement = _item_scores(measure, _judge_pair(by_human, by_judge, labelled))
        assert agreement is not None
        own = {
            name: (human, by_judge_alone[name][labelled], by_judge_alone[name][further])
            for name, human in by_human_alone.items()
        }
        for row, estimate in _rows(result, measure, own, float(agreement.mean())):
            rows.append(row)
            if not row.no_interval:
                estimates[row.system, row.minus, row.measure] = estimate
    if refused and (measures or not rows):
        usual = {"sets": "subset-accuracy", "numbers": "mae"}.get(by_human.decided.kind, "accuracy")
        raise UsageError(f"-m {refused}: --judge needs a measure that is a mean over gold's items. Use -m {usual}")
    scores = [
        replace(row, **estimates.get((row.system, None, row.measure), {})) if row.main and row.label is None else row
        for row in result.scores
    ]
    tests = [replace(row, **estimates.get((row.b, row.a, row.measure), {})) for row in result.main_tests]
    tests = decide_family(tests, "pairs")
    decided = {(row.b, row.a, row.measure): row.p_adjusted for row in tests}
    rows = [
        row if math.isnan(row.p) else replace(row, p_adjusted=decided[row.system, row.minus or "", row.measure])
        for row in rows
    ]
    if len(result.systems) > 2:
        scores = list(add_group_letters([replace(row, group="") for row in scores], tests))
    notes = [
        "Scores, differences and the verdict are estimated from the labels of humans and judge together if the table "
        "of humans and judge has an interval for them. All other tables use only the human labels.",
        "Each difference is estimated separately, so it can deviate from the difference between the two estimated "
        "scores.",
    ]
    # Systems with the same answers to the items of humans may differ on others.
    on_some, on_all = (
        format_warnings([row for row in run.warnings if row.kind == EQUAL]) for run in (by_human, by_judge)
    )
    return replace(
        result,
        warnings=(*on_all, *(text for text in result.warnings if text not in on_some)),
        judges=tuple(rows),
        scores=tuple(scores),
        comparisons=tuple(tests),
        notes=(*result.notes, *notes[: 1 + bool(tests)]),
    )


def _split_items(by_human: Run, by_judge: Run) -> tuple[Ints, Ints]:
    """The judge's rows of the items that humans labelled, in their order, and of the others."""
    human, judge = by_human.gold, by_judge.gold
    if "order" in (by_human.decided.joined_by, by_judge.decided.joined_by):
        raise AlignmentError(f"{judge.name}: --judge joins items by id. Name the column of the ids: --id NAME")
    place = {name: row for row, name in enumerate(judge.sentence_ids)}
    lacking = [name for name in human.sentence_ids if name not in place]
    if lacking:
        named = ", ".join(lacking[:_NAMED]) + ", …" * (len(lacking) > _NAMED)
        raise AlignmentError(
            f"{judge.name}: the judge has no label for {len(lacking):,} of {human.sentences:,} items of {human.name} "
            f"({named}). Let it label these items too."
        )
    labelled = np.array([place[name] for name in human.sentence_ids], dtype=np.int64)
    further = np.setdiff1d(np.arange(judge.sentences), labelled)
    if not len(further):
        raise AlignmentError(
            f"{judge.name}: has only the items of {human.name}, so the judge adds nothing. Let it label more items, "
            f"or leave --judge out."
        )
    return labelled, further


def _judge_pair(by_human: Run, by_judge: Run, labelled: Ints) -> Pair:
    """The humans as gold and the judge as system, on the items that humans labelled."""
    judge = by_judge.gold
    table = replace(judge.layers[ItemTable], labels=judge.column(LABEL)).take(labelled)
    return replace(align(by_human.gold, table.corpus(), column=LABEL), layers=by_human.pairs[0][1].layers)


def _item_scores(measure: Measure, pair: Pair) -> Floats | None:
    """The score of each item; None if the measure is not their mean, or does not depend on gold."""
    judged, score = measure.judge(pair), measure.scores.get(measure.main)
    if isinstance(judged, Values):
        return judged.columns[score.column] if type(score) is ColumnMean and judged.labels is None else None
    if not isinstance(score, Proportion | Mean):
        return None
    counts = measure.counts_of(judged, pair.gold.sentences)
    part, total = score.items(as_sums(counts.matrix(), counts.fields))
    return np.asarray(part, dtype=np.float64) if (total == 1).all() else None


def _rows(
    result: Result, measure: Measure, scores: dict[str, tuple[Floats, Floats, Floats]], agreement: float
) -> Iterator[tuple[JudgedScore, dict[str, Any]]]:
    """The scores of systems on a measure and, if they are compared, their differences; each with the fields of the
    row of the Result that it replaces."""
    low, high = limits = score_limits(measure.scores[measure.main])
    by_system = {row.system: row for row in result.overall if row.measure == str(measure) and row.main}
    for name, own in scores.items():
        found = estimate_with_judge(*own)
        ends = found.score_ends() if limits == _SHARE else found.difference_ends(low, high)
        humans = by_system[name]
        row = _make_row((name, None, measure), own, found, (humans.low, humans.high), ends, agreement)
        fields: dict[str, Any] = {"value": row.value, "low": row.low, "high": row.high, "interval": "judge"}
        fields |= {"variance": found.variance, "df": found.humans - 1.0, "assumed": False}
        yield row, {**fields, "effective_items": None, "design_effect": None}
    for test in result.main_tests:
        if test.measure == str(measure):
            own = tuple(second - first for first, second in zip(scores[test.a], scores[test.b], strict=True))  # type: ignore[assignment]
            found, widest = estimate_with_judge(*own), high - low
            variance = float(np.var(own[0], ddof=1)) / len(own[0]) if len(own[0]) > 1 else math.nan
            ends = t_interval(float(own[0].mean()), variance, len(own[0]), -widest, widest)
            both = found.difference_ends(-widest, widest)
            row = _make_row((test.b, test.a, measure), own, found, ends, both, agreement)
            fields = {"difference": row.value, "low": row.low, "high": row.high}
            fields |= dict.fromkeys(("interval", "method"), "judge")
            fields |= dict.fromkeys(("p", "p_low", "p_high"), row.p)
            fields |= dict.fromkeys(("power", "smallest_p", "log10_p", "level", "low_family", "high_family"))
            # Systems that differ only in items that humans did not label are not identical.
            differ = int((own[0] != 0).sum()) or int((own[2] != 0).any())
            fields |= {"variance": found.variance, "df": found.humans - 1.0, "units": differ}
            yield row, {**fields, "exact": False, "few": False, "is_skewed": False}


def _make_row(
    what: tuple[str, str | None, Measure],
    scores: tuple[Floats, Floats, Floats],
    found: JudgeEstimate,
    humans: tuple[float, float],
    ends: tuple[float, float],
    agreement: float,
) -> JudgedScore:
    (system, minus, measure), (human, judge, further) = what, scores
    differ = int((human != judge).sum())
    reason = "few" if differ < FEW else "limits" if math.isnan(ends[0]) else ""
    ends, p = (math.nan, math.nan) if reason else ends, math.nan
    if minus is not None and not reason:
        error = math.sqrt(found.variance)
        p = min(1.0, 2 * t_tail(abs(found.value) / error, len(human) - 1)) if error else float(not found.value)
    alone = float(np.concatenate([judge, further]).mean())
    numbers = (len(human), len(further), float(human.mean()), *humans, alone, found.value, *ends, found.weight)
    return JudgedScore(system, minus, str(measure), measure.main, *numbers, agreement, differ, reason, p)
