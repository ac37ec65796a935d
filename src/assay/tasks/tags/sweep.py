"""Does the order of systems hold under every weighting of the categories?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from assay.arrays import Bools, Floats
from assay.engine.items import Items
from assay.engine.weighting import sweep
from assay.records import dataclass
from assay.result import Sweep
from assay.tasks.tags.tagsets.analysis import Analysis
from assay.tasks.tags.weights import Weights, load_weights

PRESETS = ("equal", "paper", "poliqarp")
CHUNK = 256


@dataclass(frozen=True, eq=False)
class _TagPairs:
    """A system's distinct pairs of an assigned and a gold tag: which positions agree, and which each side has."""

    hit: Floats
    assigned: Floats
    gold: Floats
    same: Bools
    words: Floats
    """Numbers of words with each pair of labels."""
    sets: tuple[tuple[int, int, int], ...]
    """For each pair of labels, where its pairs of tags begin, and how many tags the two sides have."""

    def means(self, weights: Floats) -> Floats:
        """Mean over words of strong WPA under each weighting (positions × weightings).

        Words for which neither side has a position with a weight are left out.
        """
        total = (self.assigned + self.gold) @ weights
        with np.errstate(invalid="ignore", divide="ignore"):
            score = np.where(total == 0, 0.0, 2 * (self.hit @ weights) / total)
        score = np.where(self.same[:, None], 1.0, score)
        starts = np.array([start for start, _, _ in self.sets])
        strong, weighs = score[starts], total[starts] > 0
        for row, (start, assigned, gold) in enumerate(self.sets):
            if assigned * gold > 1:
                part = score[start : start + assigned * gold].reshape(assigned, gold, -1)
                strong[row] = np.minimum(part.max(axis=1).min(axis=0), part.max(axis=0).min(axis=0))
                weighs[row] = total[start : start + assigned * gold].any(axis=0)
        counted = self.words[:, None] * weighs
        with np.errstate(invalid="ignore"):
            return np.asarray((counted * strong).sum(axis=0) / counted.sum(axis=0))


def sweeps(
    labels: Items, analysis: Analysis, given: Weights | None, weightings: int, rng: np.random.Generator
) -> Iterator[Sweep]:
    """Differences of every two systems under random weightings, under each category alone, and under the presets.

    Random weightings are drawn uniformly from all weights that are not negative and sum to 1.
    """
    positions = sorted(analysis.positions)
    systems = labels.systems
    scored = [_pair_tags(labels, number, analysis, positions) for number in range(len(systems))]
    drawn = rng.dirichlet(np.ones(len(positions)), size=weightings)
    means = _means(scored, drawn)
    # The weights of the run, the presets that list some of the categories, and each category alone.
    named: dict[str, Floats] = {}
    tables = [("given", given)] if given is not None and given.kind == "wpa" else []
    for name, weights in [*tables, *((name, load_weights(name)) for name in PRESETS)]:
        row = np.array([float(weights.of("", position) or 0) for position in positions])
        if row.sum() > 0:
            named[name] = row / row.sum()
    for index, position in enumerate(positions):
        named[f"{position} only"] = np.eye(len(positions))[index]
    named_means = _means(scored, np.array(list(named.values()))) if named else np.zeros((len(systems), 0))
    for a, b in combinations(range(len(systems)), 2):
        at = {name: float(named_means[b, i] - named_means[a, i]) for i, name in enumerate(named)}
        yield sweep(systems[a], systems[b], means[b] - means[a], positions, drawn, at)


def _means(scored: Sequence[_TagPairs], weightings: Floats) -> Floats:
    """Systems × weightings."""
    chunks = [weightings[i : i + CHUNK].T for i in range(0, len(weightings), CHUNK)]
    return np.array([np.concatenate([pairs.means(chunk) for chunk in chunks]) for pairs in scored])


def _pair_tags(labels: Items, system: int, analysis: Analysis, positions: Sequence[str]) -> _TagPairs:
    """The pairs of tags of all gold words; a word without an assigned tag agrees in nothing."""
    width = len(labels.labels) + 1
    pairs = (labels.answer[system].astype(np.int64) + 1) * width + labels.gold
    keys, group = np.unique(pairs, return_inverse=True)
    words = np.bincount(group, weights=labels.sizes)
    nothing = len(analysis.tags)
    of_label = [*(tags or (nothing,) for tags in analysis.of_label), (nothing,)]
    sets: list[tuple[int, int, int]] = []
    left: list[int] = []
    right: list[int] = []
    for assigned, gold in zip((keys // width - 1).tolist(), (keys % width).tolist(), strict=True):
        mine, its = of_label[assigned], of_label[gold]
        sets.append((len(left), len(mine), len(its)))
        left += [tag for tag in mine for _ in its]
        right += [tag for _ in mine for tag in its]
    # Values of the tags at all positions; the last row is that of no tag.
    values = np.full((nothing + 1, len(positions)), -1, dtype=np.int32)
    for index, name in enumerate(positions):
        values[:nothing, index] = analysis.values[:, analysis.positions.index(name)]
    mine_values, its_values = values[left], values[right]
    return _TagPairs(
        hit=((mine_values == its_values) & (mine_values >= 0)).astype(np.float64),
        assigned=(mine_values >= 0).astype(np.float64),
        gold=(its_values >= 0).astype(np.float64),
        same=(np.array(left) == np.array(right)) & (np.array(left) != nothing),
        words=words.astype(np.float64),
        sets=tuple(sets),
    )
