"""Numbers and ordered labels of items: errors, shares of small errors, correlations."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Floats, Ints
from assay.corpus import Column, Corpus
from assay.corpus.items import LABEL, ItemTable
from assay.corpus.ratings import parse_number
from assay.engine.items import Items
from assay.engine.measure import measure, precision, recall
from assay.engine.parts import Part
from assay.engine.values import JointValues, Values
from assay.errors import InputError, UsageError, unknown
from assay.result.numbers import coefficient
from assay.stats.values import ColumnMean, Determination, Kendall, LoggedMean, Pearson, RootMean, Spearman
from assay.tasks.items.judge import ItemRun, judge_items, run_of

_KINDS = ("numbers", "ordered")
_NAMED = 3
"""The most items that are listed."""
_HIGH = 0.9
"""Above this correlation, errors that are larger than the spread of gold suggest another scale."""
_NEARLY = 1e-9
"""Differences of numbers that are closer to a limit are compared with it as decimals."""


def _numbers_of(corpus: Corpus, run: ItemRun, rows: Ints) -> tuple[Column, Floats]:
    """The labels of a side as a column, and the number of each label; an error for a label in `rows` without one."""
    column = corpus.column(LABEL)
    ranks = {label: float(rank) for rank, label in enumerate(run.order)} if run.kind == "ordered" else {}
    known = [ranks.get(label) if ranks else parse_number(label) for label in column.vocabulary]
    numbers = np.array([np.nan if number is None else number for number in known], dtype=np.float64)
    strange = rows[~np.isfinite(numbers[column.codes[rows]])]
    if len(strange):
        row = int(strange[0])
        what = f"in the order {'<'.join(run.order)}" if ranks else "a number"
        raise InputError(
            f"{corpus.layers[ItemTable].place(row)}: {column[row]!r} is not {what}. For other labels: -m accuracy"
        )
    return column, numbers


def _pair_numbers(pair: Pair, name: str) -> tuple[Ints, Floats, Floats]:
    """The items, and the numbers of gold and system; an error if the system has no answer to some."""
    run, rows = run_of(pair, name, *_KINDS), np.flatnonzero(~pair.skipped)
    table = pair.system.layers[ItemTable]
    lacking = rows[table.missing[rows]]
    if len(lacking):
        named = ", ".join(pair.gold.sentence_ids[row] for row in lacking[:_NAMED].tolist())
        more = ", …" * (len(lacking) > _NAMED)
        raise InputError(
            f"{table.path}: no answer to {len(lacking):,} of {len(rows):,} items ({named}{more}), but {name} needs a "
            f"number for each. To leave these items out: --on-mismatch skip"
        )
    sides = (_numbers_of(corpus, run, rows) for corpus in (pair.gold, pair.system))
    gold, system = (numbers[column.codes[rows]] for column, numbers in sides)
    return rows, gold, system


def _correlate(pair: Pair, name: str) -> Values:
    rows, gold, system = _pair_numbers(pair, name)
    return Values(rows, {"gold": gold, "system": system}, items=judge_items(pair))


def warn_of_scales(part: Part) -> Iterator[str]:
    """A warning for each system whose numbers go with gold's, but are further from them than gold's vary."""
    tables = (part.counts[index, None, part.unit] for index in range(len(part.plan.specs)))
    values = next((table for table in tables if isinstance(table, JointValues) and "gold" in table.columns), None)
    for place, name in enumerate(values.systems if values else ()):
        assert values is not None
        gold, system = (values.columns[side][place] for side in ("gold", "system"))
        correlation, error = Pearson()({"gold": gold, "system": system}), float(np.abs(system - gold).mean())
        if correlation > _HIGH and error > gold.std():
            yield (
                f"{name}: the correlation with gold is {coefficient(float(correlation))}, but its mean error is "
                "larger than the spread of gold's numbers. Are its numbers on a different scale?"
            )


@measure("mae", task="items", scores={"value": ColumnMean("error")})
def mae(pair: Pair) -> Values:
    """Mean absolute error, in the unit of the labels; of ordered labels in ranks. Lower is better.

    Score: value = Σ|system − gold|/n. Interval: Student's t.
    Peers: scikit-learn mean_absolute_error.
    """
    rows, gold, system = _pair_numbers(pair, "mae")
    return Values(rows, {"error": np.abs(system - gold)}, items=judge_items(pair))


@measure("rmse", task="items", scores={"value": RootMean("square")})
def rmse(pair: Pair) -> Values:
    """Root of the mean squared error, in the unit of the labels. Lower is better.

    Score: value = √(Σ(system − gold)²/n). Interval: the root of Student's t interval of the square.
    Peers: scikit-learn root_mean_squared_error.
    """
    rows, gold, system = _pair_numbers(pair, "rmse")
    return Values(rows, {"square": (system - gold) ** 2}, items=judge_items(pair))


@measure("bias", task="items", scores={"value": ColumnMean("error", low=-np.inf, lower=False, judged=False)})
def bias(pair: Pair) -> Values:
    """Mean of system − gold, in the unit of the labels: above 0 the system's numbers are too high.

    Score: value = Σ(system − gold)/n. Differences have p, but no verdict. Interval: Student's t.
    """
    rows, gold, system = _pair_numbers(pair, "bias")
    return Values(rows, {"error": system - gold}, items=judge_items(pair))


@measure("r2", task="items", scores={"value": Determination()})
def r2(pair: Pair) -> Values:
    """R², the share of gold's variance that the system explains; below 0 it is worse than gold's mean.

    Score: value = 1 − Σ(system − gold)²/Σ(gold − mean)². Interval: percentiles of the bootstrap.
    Peers: scikit-learn r2_score.
    """
    return _correlate(pair, "r2")


@measure("pearson", task="items", scores={"value": Pearson()})
def pearson(pair: Pair) -> Values:
    """Pearson's correlation of gold and system.

    Score: value from −1 to 1; undefined for fewer than 3 items, or if a side is constant. Interval: percentiles of
        the bootstrap. Tests exchange standardised outputs; with fewer than 30 items Williams' test decides.
    Peers: scipy pearsonr.
    """
    return _correlate(pair, "pearson")


@measure("spearman", task="items", scores={"value": Spearman()})
def spearman(pair: Pair) -> Values:
    """Spearman's correlation: Pearson's of ranks; equal numbers have the mean of their ranks.

    Score: value from −1 to 1; undefined for fewer than 3 items, or if a side is constant. Interval: percentiles of
        the bootstrap. Tests exchange ranks and rank again.
    Peers: scipy spearmanr.
    """
    return _correlate(pair, "spearman")


@measure("kendall", task="items", scores={"value": Kendall()})
def kendall(pair: Pair) -> Values:
    """Kendall's τ-b: pairs of items in gold's order less those in the reverse order, corrected for ties.

    Score: value from −1 to 1; undefined for fewer than 3 items, or if a side is constant. Interval: percentiles of
        the bootstrap, above 1,024 items Student's t. Tests exchange ranks and rank again.
    Peers: scipy kendalltau.
    """
    return _correlate(pair, "kendall")


@measure("within", task="items", scores={"value": recall, "precision": precision}, main="value")
def within(pair: Pair, *, k: float = 1.0) -> Items:
    """Items whose number, or rank of an ordered label, differs from gold's by k at most.

    k: the largest difference that counts as right, compared as decimals: 0.3 and 0.8 differ by 0.5.
    Counts: right, gold, system (items with an answer).
    Score: value = right/gold; precision = right/system. No answer is wrong.
    """
    if not k >= 0:
        raise UsageError(f"within: k is 0 or more, not {k:g}.")
    run, items = run_of(pair, "within", *_KINDS), judge_items(pair)
    answered = items.answer[0] != NONE
    sides = []
    for corpus, rows in ((pair.gold, items.sentence), (pair.system, items.sentence[answered])):
        column, numbers = _numbers_of(corpus, run, rows)
        sides.append((column, numbers[column.codes[items.sentence]]))
    (gold, ours), (system, theirs) = sides
    distance = np.where(answered, np.abs(ours - theirs), np.inf)
    right = distance <= k
    edge = np.abs(distance - k) <= _NEARLY * np.maximum(np.abs(ours), k)
    for place in np.flatnonzero(edge).tolist() if run.kind == "numbers" else ():
        row = int(items.sentence[place])
        right[place] = abs(Decimal(gold[row]) - Decimal(system[row])) <= Decimal(str(k))
    return items.judged(right)


@measure("mean", task="items", scores={"value": LoggedMean("value")})
def mean(pair: Pair, *, of: str = "") -> Values:
    """The mean of a number that each item has in the system's file, such as a score that a log contains.

    of: the name of the score, or of a column of numbers. Default: the only score.
    Score: value = Σ number/n; a missing item has 0 (--missing empty). Gold is not needed. Interval:
        Student's t; if all numbers are 0 or 1, as for shares.
    Peers: the accuracy that lm-evaluation-harness and Inspect print.
    """
    table, rows = pair.system.layers[ItemTable], np.flatnonzero(~pair.skipped)
    known = [*table.scores, *table.metadata]
    name = of or (next(iter(table.scores)) if len(table.scores) == 1 else "")
    if name not in known:
        if name:
            raise UsageError(f"mean: {table.path}: {unknown('score', name, known)}")
        raise UsageError(f'mean: name the score, e.g. -m "mean(of={next(iter(known), "NAME")})".')
    if name in table.scores:
        values = table.scores[name][rows]
    else:
        column = table.metadata[name]
        numbers = [parse_number(cell) for cell in column.vocabulary]
        values = np.array([np.nan if number is None else number for number in numbers])[column.codes[rows]]
    # An item that is not in the file has no number at all.
    logged = np.array([*table.scores.values()]).reshape(-1, len(table))
    absent = np.isnan(logged[:, rows]).all(axis=0) if table.scores else table.missing[rows]
    values = np.where(absent, 0.0, values)
    if np.isnan(values).any():
        row = int(rows[np.isnan(values)][0])
        raise InputError(f"{table.place(row)}: item {pair.gold.sentence_ids[row]} has no number in {name}.")
    return Values(rows, {"value": values}, items=judge_items(pair))
