"""The order of systems under random weightings of the categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import NONE, Floats, Ints
from assay.engine.items import Items
from assay.engine.weighting import LEAST_UNITS, summarise_sides, sweep, write_sides
from assay.result import Sweep
from assay.stats.intervals import t_quantile
from assay.tasks.tags.tagsets.analysis import Analysis
from assay.tasks.tags.weights import Weights, load_weights

PRESETS = ("equal", "paper", "poliqarp")
CHUNK = 256
_Scored = tuple[Ints, Callable[[Floats], tuple[Floats, Floats]]]


def compare_weightings(
    labels: Items, analysis: Analysis, given: Weights | None, weightings: int, rng: np.random.Generator
) -> Iterator[Sweep]:
    """Differences of every two systems under random weightings, under each category alone, and under the presets.

    Random weightings are drawn uniformly from all weights that are not negative and sum to 1. If `labels` has a row
    for each word with its unit for a sentence, it is also decided which differences are sure.
    """
    folded = labels.fold()
    positions = sorted(analysis.positions)
    drawn = rng.dirichlet(np.ones(len(positions)), size=weightings)
    # The weights of the run, the presets that list some of the categories, and each category alone.
    named: dict[str, Floats] = {}
    tables = [("given", given)] if given is not None and given.kind == "wpa" else []
    for name, weights in [*tables, *((name, load_weights(name)) for name in PRESETS)]:
        row = np.array([float(weights.of("", position) or 0) for position in positions])
        if row.sum() > 0:
            named[name] = row / row.sum()
    for index, position in enumerate(positions):
        named[f"{position} only"] = np.eye(len(positions))[index]
    both = (drawn, np.array(list(named.values())))
    scores = [strong_scores(folded, number, analysis, positions) for number in range(len(folded.systems))]
    means = [[_average(score, table) for table in both] for _, score in scores]
    # With three categories, a lattice of weightings is drawn as a triangle.
    steps = [(i, j, 10 - i - j) for i in range(11) for j in range(11 - i)] if len(positions) == 3 else []
    for a, b in combinations(range(len(means)), 2):
        differences, named_differences = (second - first for first, second in zip(means[a], means[b], strict=True))
        by_name = dict(zip(named, named_differences.tolist(), strict=True))
        swept = sweep(folded.systems[a], folded.systems[b], differences, positions, drawn, by_name)
        corners = {position: by_name[f"{position} only"] for position in positions}
        fields: dict[str, Any] = {"corners": corners}
        for number, table in enumerate((drawn, np.array(steps) / 10)):
            certainties = weigh_difference(labels, (a, b), (scores[a], scores[b]), table)
            if certainties is not None:
                sides = np.sign(certainties) * (np.abs(certainties) > 1)
                fields |= {"panels": (write_sides(sides),)} if number else summarise_sides(sides)
        yield replace(swept, **fields)


def _average(score: Callable[[Floats], tuple[Floats, Floats]], table: Floats) -> Floats:
    """The mean strong WPA of words under each weighting."""
    parts = []
    for start in range(0, len(table), CHUNK):
        strong, counted = score(table[start : start + CHUNK].T)
        with np.errstate(invalid="ignore"):
            parts.append((counted * strong).sum(axis=0) / counted.sum(axis=0))
    return np.concatenate(parts)


def weigh_difference(words: Items, pair: tuple[int, int], scores: Sequence[_Scored], table: Floats) -> Floats | None:
    """The difference of two systems under each weighting, divided by half of its 95% interval (Student's, by the
    variance over units): it is sure from 1 on. None if the units are not known or too few."""
    kept = words.sentence != NONE
    unit = words.sentence[kept]
    sizes = np.bincount(unit) if len(unit) else np.zeros(0)
    sizes = sizes[sizes > 0]
    if not len(table) or len(sizes) < LEAST_UNITS:
        return None
    gold = words.gold[kept]
    keys = [_make_keys(words.answer[system][kept], gold, len(words.labels)) for system in pair]
    places = np.stack([np.searchsorted(known, key) for (known, _), key in zip(scores, keys, strict=True)])
    differ = keys[0] != keys[1]
    # Distinct changes in distinct units, those of a unit one after the other.
    rows, numbers = np.unique(np.stack([unit[differ], *places[:, differ]]), axis=1, return_counts=True)
    if not len(numbers):
        return np.zeros(len(table))
    changed, starts = np.unique(rows[0], return_index=True)
    changed_sizes, total, units = np.bincount(unit)[changed].astype(np.float64), sizes.sum(), len(sizes)
    parts = []
    for start in range(0, len(table), CHUNK):
        (before, _), (after, _) = (score(table[start : start + CHUNK].T) for _, score in scores)
        sums = np.add.reduceat((after[rows[2]] - before[rows[1]]) * numbers[:, None], starts, axis=0)
        mean = sums.sum(axis=0) / total
        square = (sums**2).sum(axis=0) - 2 * mean * (changed_sizes @ sums) + mean**2 * float((sizes**2).sum())
        error = np.sqrt(np.maximum(square, 0) * units / (units - 1)) / total
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append(np.nan_to_num(mean / (t_quantile(0.975, units - 1) * error)))
    return np.concatenate(parts)


def _make_keys(answer: Ints, gold: Ints, labels: int) -> Ints:
    return (answer.astype(np.int64) + 1) * (labels + 1) + gold


def strong_scores(labels: Items, system: int, analysis: Analysis, positions: Sequence[str]) -> _Scored:
    """The distinct pairs of an answer and gold's label, in order; and a function from weightings (positions ×
    weightings) to the strong WPA of each pair, and its number of words.

    A word without an assigned tag agrees in nothing. Words for which neither side has a position with a weight are
    left out.
    """
    width = len(labels.labels) + 1
    keys, group = np.unique(_make_keys(labels.answer[system], labels.gold, width - 1), return_inverse=True)
    words = np.bincount(group, weights=labels.sizes).astype(np.float64)
    no_tag = len(analysis.tags)
    of_label = [*(tags or (no_tag,) for tags in analysis.of_label), (no_tag,)]
    # The distinct pairs of an assigned and a gold tag, those of each pair of labels one after the other.
    sets: list[tuple[int, int, int]] = []
    assigned: list[int] = []
    gold: list[int] = []
    for answer, expected in zip((keys // width - 1).tolist(), (keys % width).tolist(), strict=True):
        answer_tags, gold_tags = of_label[answer], of_label[expected]
        sets.append((len(assigned), len(answer_tags), len(gold_tags)))
        assigned += [tag for tag in answer_tags for _ in gold_tags]
        gold += [tag for _ in answer_tags for tag in gold_tags]
    # Values of the tags at all positions; the last row means that there is no tag.
    values = np.full((no_tag + 1, len(positions)), -1, dtype=np.int32)
    for index, name in enumerate(positions):
        values[:no_tag, index] = analysis.values[:, analysis.positions.index(name)]
    has_assigned, has_gold = values[assigned] >= 0, values[gold] >= 0
    hit = ((values[assigned] == values[gold]) & has_assigned).astype(np.float64)
    sizes = has_assigned.astype(np.float64) + has_gold
    same = (np.array(assigned) == np.array(gold)) & (np.array(assigned) != no_tag)
    starts = np.array([start for start, _, _ in sets])

    def score_pairs(weights: Floats) -> tuple[Floats, Floats]:
        total = sizes @ weights
        with np.errstate(invalid="ignore", divide="ignore"):
            score = np.where(total == 0, 0.0, 2 * (hit @ weights) / total)
        score = np.where(same[:, None], 1.0, score)
        strong, weighs = score[starts], total[starts] > 0
        for row, (start, answers, golds) in enumerate(sets):
            if answers * golds > 1:
                pairs = slice(start, start + answers * golds)
                table = score[pairs].reshape(answers, golds, -1)
                strong[row] = np.minimum(table.max(axis=1).min(axis=0), table.max(axis=0).min(axis=0))
                weighs[row] = total[pairs].any(axis=0)
        return strong, words[:, None] * weighs

    return keys, score_pairs
