"""The order of systems under random weightings of the categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from assay.arrays import Floats
from assay.engine.items import Items
from assay.engine.weighting import sweep
from assay.result import Sweep
from assay.tasks.tags.tagsets.analysis import Analysis
from assay.tasks.tags.weights import Weights, load_weights

PRESETS = ("equal", "paper", "poliqarp")
CHUNK = 256


def compare_weightings(
    labels: Items, analysis: Analysis, given: Weights | None, weightings: int, rng: np.random.Generator
) -> Iterator[Sweep]:
    """Differences of every two systems under random weightings, under each category alone, and under the presets.

    Random weightings are drawn uniformly from all weights that are not negative and sum to 1.
    """
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
    means = [_strong_means(labels, number, analysis, positions, both) for number in range(len(labels.systems))]
    for a, b in combinations(range(len(means)), 2):
        differences, named_differences = (second - first for first, second in zip(means[a], means[b], strict=True))
        by_name = dict(zip(named, named_differences.tolist(), strict=True))
        yield sweep(labels.systems[a], labels.systems[b], differences, positions, drawn, by_name)


def _strong_means(
    labels: Items, system: int, analysis: Analysis, positions: Sequence[str], tables: Sequence[Floats]
) -> list[Floats]:
    """Mean over gold words of a system's strong WPA under each weighting of each table (weightings × positions).

    A word without an assigned tag agrees in nothing. Words for which neither side has a position with a weight are
    left out.
    """
    width = len(labels.labels) + 1
    keys, group = np.unique((labels.answer[system].astype(np.int64) + 1) * width + labels.gold, return_inverse=True)
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

    def means(weights: Floats) -> Floats:
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
        counted = words[:, None] * weighs
        with np.errstate(invalid="ignore"):
            return np.asarray((counted * strong).sum(axis=0) / counted.sum(axis=0))

    return [
        np.concatenate([means(table[start : start + CHUNK].T) for start in range(0, len(table), CHUNK)])
        for table in tables
    ]
