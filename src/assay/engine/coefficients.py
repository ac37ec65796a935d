"""Agreement of any number of annotators beyond chance, from numbers that add up over items (Krippendorff, Fleiss,
Gwet, Cohen); agreement by annotator, label and item; systems against several annotators.

An item counts if two or more annotators rated it. Each pair of its ratings is compared, and the pairs of an item
weigh as much as its ratings. Whichever items are drawn, a coefficient is a function of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Floats, Ints, distinct_numbers, numbers_of_runs, ratio
from assay.classes import dataclass
from assay.corpus.ratings import DENSE, Ratings, majority
from assay.errors import UsageError, unknown
from assay.stats.intervals import t_quantile, t_tail

LEVELS = ("nominal", "ordinal", "interval", "ratio", "set")
DISTANCES = ("jaccard", "masi")
WEIGHTS = ("none", "linear", "quadratic")
MOST_VALUES = 1_000
"""The most different values for which pairs of values are kept."""
MOST_PAIRS = 5_000
"""The most pairs of annotators that are listed, each with its figures: all pairs of 100 annotators."""
MOST_MEETINGS = 5_000_000
"""The most pairs of ratings of one item that are looked at one by one."""
MOST_TOGETHER = 2_000
"""The most annotators for which the ratings of all pairs are multiplied."""
MOST_PASSES = 50_000_000
"""The most annotators × ratings for which all ratings are read once for each annotator."""
MOST_CELLS = 30_000_000
"""The most numbers of pairs and labels in memory at a time."""
_TINY = 1e-12

Sums = Mapping[str, Array]
Disagreement = tuple[Array, Array, Array]
"""Of each group how far its ratings are apart, as a share of the farthest, times their weight; this weight; and the
share that chance would lead to in all of them."""


@dataclass(frozen=True, eq=False)
class RatingSums:
    """Numbers that add up over items, one row per group of items."""

    sums: Mapping[str, Array]
    """By name: groups × further axes."""
    fixed: Mapping[str, Array] = field(default_factory=dict)
    """Numbers that do not depend on the items drawn."""
    pairs: tuple[str, ...] = ()
    """The pairs of annotators that are listed, if each pair has a score."""
    listed: Ints | None = None
    """The places of the listed pairs among those that are counted, if more are counted."""
    number: int = 0
    """The number of all pairs."""
    unmet: int = 0
    """The number of pairs without an item in common, which are not counted."""
    labels: tuple[str, ...] = ()
    """The labels, if each has a score."""

    @property
    def totals(self) -> dict[str, Array]:
        """The sums over all groups, and the fixed numbers."""
        return {**{name: values.sum(axis=0) for name, values in self.sums.items()}, **self.fixed}


def sum_by_group(values: Array, group: Ints, groups: int) -> Floats:
    """The sums of the rows of each group."""
    if values.ndim == 1:
        return np.bincount(group, weights=values, minlength=groups).astype(np.float64)
    wide = values.reshape(len(values), math.prod(values.shape[1:]))
    sums = np.stack([np.bincount(group, weights=column, minlength=groups) for column in wide.T], axis=1)
    return sums.reshape(groups, *values.shape[1:]).astype(np.float64)


def sum_ratings(ratings: Ratings, rows: Array, group: Ints, groups: int, weights: Array | None = None) -> Floats:
    """Groups × labels: the ratings (or their weights) with each label."""
    width = len(ratings.labels)
    cells = group[ratings.item[rows]] * width + ratings.label[rows]
    return np.bincount(cells, weights=weights, minlength=groups * width).reshape(groups, width).astype(np.float64)


def label_runs(ratings: Ratings) -> tuple[Ints, Ints, Ints]:
    """Item, label and number of each label of each item that two or more annotators rated, sorted by item."""
    width = max(len(ratings.labels), 1)
    if ratings.items * width <= DENSE:
        # Without sorting, if a table of all items and labels is not too large.
        counts = ratings.counts * (ratings.sizes > 1)[:, None]
        item, label = np.nonzero(counts)
        return item, label, counts[item, label].astype(np.int64)
    rows = ratings.sizes[ratings.item] > 1
    keys, count = np.unique(ratings.item[rows].astype(np.int64) * width + ratings.label[rows], return_counts=True)
    return keys // width, keys % width, count


def compare_with_others(ratings: Ratings) -> tuple[Ints, Ints, Ints, Floats]:
    """The annotator and the cell of each rating of an item that others rated too. A cell is a label that an item has:
    for each, this label, and how many of the other ratings have each label."""
    rows, width = ratings.sizes[ratings.item] > 1, max(len(ratings.labels), 1)
    keys = ratings.item[rows].astype(np.int64) * width + ratings.label[rows]
    cells, cell, _ = distinct_numbers(keys, ratings.items * width)
    item, label = np.divmod(cells, width)
    others = ratings.counts[item]
    others[np.arange(len(item)), label] -= 1
    return ratings.annotator[rows], cell, label, others


def pairs_within(item: Ints) -> tuple[Ints, Ints]:
    """Places of all pairs of rows with the same item, the earlier one first; rows are sorted by item."""
    if not len(item):
        return item, item
    first = np.flatnonzero(np.diff(item, prepend=-1))
    sizes = np.diff(np.append(first, len(item)))
    end = np.repeat(first + sizes, sizes)
    here = np.arange(len(item))
    later = end - here - 1
    return np.repeat(here, later), numbers_of_runs(here + 1, later)


# --- distances ---


def label_distances(ratings: Ratings, level: str, distance: str) -> Floats | None:
    """Labels × labels: how far two of them are apart; None if that depends on what is drawn, or needs no table."""
    if level in ("nominal", "ordinal", "interval"):
        return None
    if len(ratings.labels) > MOST_VALUES:
        raise UsageError(
            f"alpha(level={level}) takes up to {MOST_VALUES:,} different values, but there are "
            f"{len(ratings.labels):,}."
        )
    if level == "ratio":
        values = ratings.numbers
        if (values < 0).any():
            raise UsageError("alpha(level=ratio) needs values of 0 or more.")
        shares = ratio(np.subtract.outer(values, values), np.add.outer(values, values))
        return np.asarray(np.nan_to_num(shares) ** 2)
    if distance not in DISTANCES:
        raise unknown("distance", distance, DISTANCES)
    if ratings.members is None:
        raise UsageError('alpha(level=set) needs sets of labels: --input-format "ratings(sets=|)".')
    return np.array([[set_distance(a, b, distance) for b in ratings.members] for a in ratings.members])


def set_distance(a: frozenset[str], b: frozenset[str], distance: str) -> float:
    """The distance of two sets of labels."""
    if a == b:
        return 0.0
    shared = len(a & b) / len(a | b)
    if distance == "jaccard":
        return 1 - shared
    return 1 - shared * (2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0.0)


# --- alpha ---


def alpha_rows(ratings: Ratings, group: Ints, groups: int, level: str, distance: str) -> RatingSums:
    """The sums from which alpha is computed."""
    if level not in LEVELS:
        raise unknown("level", level, LEVELS)
    rows = ratings.sizes[ratings.item] > 1
    if level == "interval":
        values = ratings.numbers - ratings.numbers.min(initial=0)
        numbers = values[ratings.label[rows]]
        where = group[ratings.item[rows]]
        sums = {
            "given": sum_by_group(np.ones(len(numbers)), where, groups),
            "total": sum_by_group(numbers, where, groups),
            "squares": sum_by_group(numbers**2, where, groups),
            "apart": sum_by_group(item_distances(ratings, level, distance), group, groups),
        }
        return RatingSums(sums, {"farthest": np.array(np.ptp(numbers) ** 2 if len(numbers) else 0.0)})
    counted = {"given": sum_ratings(ratings, rows, group, groups)}
    if level == "ordinal":
        ratings.ranks  # noqa: B018 - refuses labels without an order
        item, label, number = label_runs(ratings)
        lower, higher = pairs_within(item)
        weight = number[lower] * number[higher] / (ratings.sizes[item[lower]] - 1)
        width = len(ratings.labels)
        keys, pair = np.unique(label[lower] * width + label[higher], return_inverse=True)
        cells = group[item[lower]] * len(keys) + pair
        meetings = np.bincount(cells, weights=weight, minlength=groups * len(keys)).reshape(groups, len(keys))
        return RatingSums({**counted, "met": meetings}, {"lower": keys // width, "higher": keys % width})
    table = label_distances(ratings, level, distance)
    sums = {**counted, "apart": sum_by_group(item_distances(ratings, level, distance), group, groups)}
    return RatingSums(sums, {} if table is None else {"distance": table})


def item_distances(ratings: Ratings, level: str, distance: str) -> Floats:
    """For each item the distances of all ordered pairs of its ratings, over one less than their number."""
    sizes = ratings.sizes.astype(np.float64)
    less = np.where(sizes > 1, sizes - 1, np.inf)
    if level == "interval":
        values = (ratings.numbers - ratings.numbers.min(initial=0))[ratings.label]
        total = np.bincount(ratings.item, weights=values, minlength=ratings.items)
        mean = (total / np.maximum(sizes, 1))[ratings.item]
        around = np.bincount(ratings.item, weights=(values - mean) ** 2, minlength=ratings.items)
        return np.asarray(2 * sizes * around / less)
    item, label, number = label_runs(ratings)
    if level == "nominal":
        same = np.bincount(item, weights=number.astype(np.float64) ** 2, minlength=ratings.items)
        return np.asarray(np.where(sizes > 1, sizes**2 - same, 0) / less)
    lower, higher = pairs_within(item)
    if level == "ordinal":
        rated = ratings.sizes[ratings.item] > 1
        middle = middle_ranks(np.bincount(ratings.label[rated], minlength=len(ratings.labels)).astype(np.float64))
        between = (middle[label[lower]] - middle[label[higher]]) ** 2
    else:
        table = label_distances(ratings, level, distance)
        assert table is not None
        between = table[label[lower], label[higher]]
    weights = 2 * number[lower] * number[higher] * between
    return np.asarray(np.bincount(item[lower], weights=weights, minlength=ratings.items) / less)


def disagreement(ratings: Ratings, level: str = "nominal", distance: str = "jaccard") -> Floats:
    """For each item the mean distance of two of its ratings; nan if it has fewer than two."""
    number = np.where(ratings.sizes > 1, ratings.sizes, 0).astype(np.float64)
    return ratio(item_distances(ratings, level, distance), number)


def distance_p_values(ratings: Ratings, level: str = "nominal", distance: str = "jaccard") -> list[float]:
    """For each annotator p of the hypothesis that the others are as far from each other as from this annotator.

    One-sided, Student's t over units, on items with three or more ratings; nan if there are fewer than two units.
    """
    sizes, item, label = ratings.sizes.astype(np.float64), ratings.item, ratings.label
    if level in ("interval", "ordinal"):
        counted = np.bincount(label[sizes[item] > 1], minlength=len(ratings.labels)).astype(np.float64)
        values = middle_ranks(counted) if level == "ordinal" else ratings.numbers - ratings.numbers.min(initial=0)
        value = values[label]
        total, squares = (np.bincount(item, weights=one, minlength=ratings.items) for one in (value, value**2))
        apart = sizes[item] * value**2 - 2 * value * total[item] + squares[item]
    elif (table := label_distances(ratings, level, distance)) is not None:
        apart = (ratings.counts[item] * table[label]).sum(axis=1)
    else:
        apart = sizes[item] - ratings.counts[item, label]
    of_item = np.bincount(item, weights=apart, minlength=ratings.items)
    found = []
    for every in ratings.rows_of_annotators():
        rows = every[sizes[item[every]] > 2]
        others = sizes[item[rows]] - 1
        farther = apart[rows] / others - (of_item[item[rows]] - 2 * apart[rows]) / (others * (others - 1))
        unit, where = np.unique(ratings.unit_of_item[item[rows]], return_inverse=True)
        number, sums = (np.bincount(where, weights=one) for one in (np.ones(len(rows)), farther))
        if len(unit) < 2:
            found.append(math.nan)
            continue
        mean = float(sums.sum() / number.sum())
        variance = len(unit) / (len(unit) - 1) * float(((sums - mean * number) ** 2).sum()) / float(number.sum()) ** 2
        if variance <= _TINY * mean**2:
            # All units are the same: as likely as one side of a coin in all of them.
            found.append(0.5 ** len(unit) if mean > 0 else 1.0)
        else:
            tail = t_tail(abs(mean) / math.sqrt(variance), len(unit) - 1)
            found.append(tail if mean > 0 else 1 - tail)
    return found


def middle_ranks(counted: Array) -> Floats:
    """The mean rank of the ratings of each label, up to a constant."""
    return np.asarray(np.cumsum(counted, axis=-1) - counted / 2)


def observed_expected(sums: Sums) -> tuple[Floats, Floats]:
    """Observed and expected disagreement."""
    counted = sums["given"]
    number = counted if "squares" in sums else counted.sum(axis=-1)
    pairs = number * (number - 1)
    observed = sums.get("apart", np.zeros(0))
    if "squares" in sums or "met" in sums:
        if "met" in sums:
            middle = middle_ranks(counted)
            between = middle[..., sums["higher"]] - middle[..., sums["lower"]]
            observed = 2 * (sums["met"] * between**2).sum(axis=-1)
            total, squares = (counted * middle).sum(axis=-1), (counted * middle**2).sum(axis=-1)
        else:
            total, squares = sums["total"], sums["squares"]
        spread = number * squares - total**2
        # Rounding must not make equal values differ.
        expected = 2 * np.where(spread <= _TINY * number * squares, 0, spread)
    elif "distance" in sums:
        expected = ((counted @ sums["distance"]) * counted).sum(axis=-1)
    else:
        expected = number**2 - (counted**2).sum(axis=-1)
    return ratio(observed, number), ratio(expected, pairs)


def alpha_score(sums: Sums) -> Floats:
    """Krippendorff's alpha; undefined if the expected disagreement is 0."""
    observed, expected = observed_expected(sums)
    return np.asarray(1 - ratio(observed, expected))


def alpha_disagreement(rows: RatingSums) -> Disagreement:
    """Of each group the distances of its ratings, their number, and what chance would lead to."""
    sums, totals = rows.sums, rows.totals
    counted, weight = totals["given"], sums["given"] if "squares" in sums else sums["given"].sum(axis=-1)
    used = np.flatnonzero(counted)
    apart = sums["apart"] if "apart" in sums else np.zeros(0)
    farthest = totals.get("farthest", np.array(1.0))
    if "met" in sums:
        middle = middle_ranks(counted)
        apart = 2 * sums["met"] @ (middle[totals["higher"]] - middle[totals["lower"]]) ** 2
        farthest = np.array(np.ptp(middle[used]) ** 2 if len(used) else 0.0)
    elif "distance" in totals:
        farthest = np.array(totals["distance"][np.ix_(used, used)].max(initial=0))
    return ratio(apart, farthest), weight, ratio(observed_expected(totals)[1], farthest)


def lower_ends(apart: Array, weight: Array, expected: Array, units: int | None = None) -> Floats:
    """The highest lower ends of the 95% intervals of coefficients 1 − apart/expected, from the upper end of the share
    that is apart. `units` is the number of units if those of `apart` and `weight` are blocks of them.

    A bootstrap alone ends too high if few ratings differ, and at 1 if none does. Wilson's upper end counts a unit as
    one trial at most, and is too high where many annotators agree on some share of each. Agresti's and Coull's, which
    adds units of which half are wholly apart, sees this. Both are seldom too low, so the lower one holds.
    """
    blocks, total = (weight > 0).sum(axis=0), weight.sum(axis=0)
    number = np.asarray(blocks if units is None else np.minimum(total, units), dtype=np.float64)
    quantiles = {many: t_quantile(0.975, many - 1) for many in np.unique(number).tolist() if many > 1}
    square = np.vectorize(lambda many: quantiles.get(many, math.nan) ** 2, otypes=[float])(number)

    def spread(share: Array, added: Array) -> Floats:
        """The variance of a share, with so many added units."""
        extra = ratio(added * total, number)
        squares = ((apart - share * weight) ** 2).sum(axis=0)
        squares = squares + extra * ratio(total, number) * (share**2 + (1 - share) ** 2) / 2
        return ratio((blocks + added) * squares, (blocks + added - 1) * (total + extra) ** 2)

    share = ratio(apart.sum(axis=0), total)
    variance = spread(share, np.zeros_like(square))
    items = np.fmin(number, ratio(share * (1 - share), np.where(variance > _TINY**2, variance, 0)))
    reach = np.sqrt(square * share * (1 - share) / items + square**2 / (4 * items**2))
    wilson = (share + square / (2 * items) + reach) / (1 + square / items)
    middle = (number * share + square / 2) / (number + square)
    upper = np.fmin(wilson, middle + np.sqrt(square * spread(middle, square)))
    return np.asarray(np.maximum(-1, 1 - ratio(upper, np.where(expected > _TINY, expected, 0))))


# --- Fleiss and Gwet ---


def fleiss_rows(ratings: Ratings, group: Ints, groups: int) -> RatingSums:
    """The sums from which Fleiss's kappa is computed."""
    sizes = ratings.sizes.astype(np.float64)
    agreement = np.where(sizes > 1, 1 - ratio(item_distances(ratings, "nominal", ""), np.maximum(sizes, 1)), 0)
    return RatingSums(
        {
            "agreement": sum_by_group(agreement, group, groups),
            "items": sum_by_group((sizes > 1).astype(np.float64), group, groups),
            "given": sum_ratings(ratings, ratings.sizes[ratings.item] > 1, group, groups),
        }
    )


def agreement_of_pairs(sums: Sums) -> Floats:
    """The mean over items of the share of their pairs of ratings that agree."""
    return ratio(sums["agreement"], sums["items"])


def fleiss_expected(sums: Sums) -> Floats:
    """The agreement of two who draw from the labels of all."""
    shares = ratio(sums["given"], sums["given"].sum(axis=-1, keepdims=True))
    return np.asarray((shares**2).sum(axis=-1))


def fleiss_score(sums: Sums) -> Floats:
    """Fleiss's kappa, over the ratings of items that have two or more."""
    return beyond_chance(agreement_of_pairs(sums), fleiss_expected(sums))


def fleiss_disagreement(rows: RatingSums, expected: Callable[[Sums], Floats] = fleiss_expected) -> Disagreement:
    """Of each group the share of pairs that differ, added up over its items; these; and what chance would lead to."""
    return rows.sums["items"] - rows.sums["agreement"], rows.sums["items"], 1 - expected(rows.totals)


def beyond_chance(observed: Floats, expected: Floats) -> Floats:
    """Agreement beyond chance, as a share of what is possible."""
    left = 1 - expected
    return ratio(observed - expected, np.where(np.abs(left) < _TINY, 0, left))


def ac1_rows(ratings: Ratings, group: Ints, groups: int, labels: int) -> RatingSums:
    """The sums from which AC1 is computed; items with a single rating count in the shares of labels."""
    rows = np.ones(len(ratings), dtype=bool)
    sums = dict(fleiss_rows(ratings, group, groups).sums)
    sums["shares"] = sum_ratings(ratings, rows, group, groups, 1 / ratings.sizes[ratings.item])
    sums["rated"] = sum_by_group((ratings.sizes > 0).astype(np.float64), group, groups)
    distinct = int(np.count_nonzero(np.bincount(ratings.label, minlength=1)))
    if labels and labels < distinct:
        raise UsageError(f"ac1(labels={labels}): there are {distinct} different labels. Give at least as many.")
    return RatingSums(sums, {"labels": np.array(float(labels or distinct))})


def ac1_expected(sums: Sums) -> Floats:
    """The expected agreement if annotators guess only some items."""
    shares = ratio(sums["shares"], sums["rated"][..., None])
    return ratio((shares * (1 - shares)).sum(axis=-1), sums["labels"] - 1)


def ac1_score(sums: Sums) -> Floats:
    """Gwet's AC1."""
    return beyond_chance(agreement_of_pairs(sums), ac1_expected(sums))


def ac1_disagreement(rows: RatingSums) -> Disagreement:
    """The disagreement as for Fleiss's kappa, with the expected agreement of AC1."""
    return fleiss_disagreement(rows, ac1_expected)


# --- Cohen, pair by pair ---


def kappa_rows(ratings: Ratings, group: Ints, groups: int, weights: str) -> RatingSums:
    """The numbers of items that both, the first and the second annotator give each label: pairs × labels."""
    weights = weights or "none"
    if weights not in WEIGHTS:
        raise unknown("value of weights", weights, WEIGHTS)
    who, width, table = len(ratings.annotators), len(ratings.labels), None
    if weights != "none":
        table = np.abs(np.subtract.outer(ratings.ranks, ratings.ranks)) ** (1 + (weights == "quadratic"))
    number, unmet = who * (who - 1) // 2, 0
    listed: Ints | None = None
    if number > MOST_PAIRS:
        sums, first, second, listed, unmet = _many_pairs(ratings, table)
    else:
        first, second = np.array([*combinations(range(who), 2)], dtype=np.int64).reshape(-1, 2).T
        if groups == 1 and number > who:
            sums = _all_with_all(ratings, first, second, table)
        else:
            sums = {name: np.zeros((groups, number, width)) for name in ("right", "gold", "system")}
            sums |= {} if table is None else {"apart": np.zeros((groups, number))}
            cells = ratings.table
            for place, (a, b) in enumerate(zip(first, second, strict=True)):
                both = np.flatnonzero((cells[:, a] != NONE) & (cells[:, b] != NONE))
                counted = _count_pairs(group[both], groups, cells[both, a], cells[both, b], width, table)
                for name, values in counted.items():
                    sums[name][:, place] = values
    shown = slice(None) if listed is None else listed
    pairs = zip(first[shown].tolist(), second[shown].tolist(), strict=True)
    names = tuple(f"{ratings.annotators[a]} ~ {ratings.annotators[b]}" for a, b in pairs)
    fixed = {} if table is None else {"distance": table}
    return RatingSums(sums, fixed, names, listed, number, unmet, ratings.labels)


def _count_pairs(group: Ints, groups: int, x: Ints, y: Ints, width: int, table: Floats | None) -> dict[str, Array]:
    """Groups × labels: how often both, the first and the second give each; and by group how far they are apart."""
    cells = group * width
    keys = {"right": (cells + x)[x == y], "gold": cells + x, "system": cells + y}
    sums = {name: np.bincount(key, minlength=groups * width).reshape(groups, width) for name, key in keys.items()}
    return sums if table is None else {**sums, "apart": np.bincount(group, weights=table[x, y], minlength=groups)}


def _many_pairs(ratings: Ratings, table: Floats | None) -> tuple[dict[str, Array], Ints, Ints, Ints, int]:
    """The sums of `kappa_rows` for more pairs than are listed: all of them, if all have an item in common, or those
    with the most items in common; none if that would take too long. Then the first and the second annotator of each
    pair, the places of the listed pairs, and the number of pairs without an item in common."""
    who, width = len(ratings.annotators), len(ratings.labels)
    sizes = ratings.sizes.astype(np.int64)
    few_meetings = int((sizes * (sizes - 1) // 2).sum()) <= MOST_MEETINGS
    if few_meetings:
        one, other = pairs_within(ratings.item)
        codes = ratings.annotator[one].astype(np.int64) * who + ratings.annotator[other]
        keys, common = np.unique(codes, return_counts=True)
    elif who <= MOST_TOGETHER:
        together = _dense(_indicator(ratings, np.ones(len(ratings), dtype=bool)))
        common_items = np.triu(together.T @ together, 1)
        keys = np.flatnonzero(common_items)
        common = common_items.ravel()[keys]
    else:
        keys = common = np.zeros(0, dtype=np.int64)
    unmet = who * (who - 1) // 2 - len(keys) if few_meetings or len(keys) else 0
    listed = np.sort(np.argsort(-common, kind="stable")[:MOST_PAIRS])
    if unmet or len(keys) * width * 3 > MOST_CELLS:
        # There is no mean over all pairs, so that those that are not listed need not be counted.
        keys, listed = keys[listed], np.arange(len(listed))
    first, second = keys // who, keys % who
    if not few_meetings:
        return _all_with_all(ratings, first, second, table), first, second, listed, unmet
    place = np.minimum(np.searchsorted(keys, codes), len(keys) - 1)
    kept = keys[place] == codes if len(keys) else np.zeros(0, dtype=bool)
    x, y = ratings.label[one[kept]], ratings.label[other[kept]]
    counted = _count_pairs(place[kept], len(keys), x, y, width, table)
    sums = {name: values[None].astype(np.float64) for name, values in counted.items()}
    return sums, first, second, listed, unmet


def _all_with_all(ratings: Ratings, first: Ints, second: Ints, table: Floats | None) -> dict[str, Array]:
    """The sums of `kappa_rows` for pairs of annotators, at once: of each label, who gives it together with whom."""
    width = len(ratings.labels)
    sums = {name: np.zeros((1, len(first), width)) for name in ("right", "gold", "system")}
    sums |= {} if table is None else {"apart": np.zeros((1, len(first)))}
    rated = _indicator(ratings, np.ones(len(ratings), dtype=bool))
    for label in range(width if len(first) else 0):
        has_label = _indicator(ratings, ratings.label == label)
        both, with_any = (_dense(has_label.T @ other) for other in (has_label, rated))
        sums["right"][0, :, label] = both[first, second]
        sums["gold"][0, :, label], sums["system"][0, :, label] = with_any[first, second], with_any[second, first]
        if table is not None:
            far = _indicator(ratings, np.ones(len(ratings), dtype=bool), table[label][ratings.label])
            sums["apart"][0] += _dense(has_label.T @ far)[first, second]
    return sums


def _indicator(ratings: Ratings, mask: Array, values: Array | None = None) -> Any:
    """Items × annotators: 1 (or a value) if a rating is chosen; sparse if most cells are empty."""
    item, annotator = ratings.item[mask], ratings.annotator[mask]
    cell_values = np.ones(len(item)) if values is None else values[mask]
    shape = (ratings.items, len(ratings.annotators))
    if len(ratings) * 4 < shape[0] * shape[1]:
        from scipy.sparse import csr_array

        return csr_array((cell_values, (item, annotator)), shape=shape)
    cells = np.zeros(shape)
    cells[item, annotator] = cell_values
    return cells


def _dense(table: Any) -> Array:
    return np.asarray(table if isinstance(table, np.ndarray) else table.toarray())


def kappa_score(sums: Sums) -> Floats:
    """Cohen's kappa of each pair; weighted by distances if there are any."""
    first, second = sums["gold"], sums["system"]
    items = first.sum(axis=-1)
    if "distance" in sums:
        expected = ratio(((first @ sums["distance"]) * second).sum(axis=-1), items)
        return np.asarray(1 - ratio(sums["apart"], expected))
    expected = ratio((first * second).sum(axis=-1), items**2)
    return beyond_chance(ratio(sums["right"].sum(axis=-1), items), expected)


def pair_alpha(sums: Sums) -> Floats:
    """Krippendorff's alpha of each pair, nominal."""
    both, items = sums["gold"] + sums["system"], sums["gold"].sum(axis=-1)
    expected = 1 - ratio((both * (both - 1)).sum(axis=-1), 2 * items * (2 * items - 1))
    observed = ratio(items - sums["right"].sum(axis=-1), items)
    return np.asarray(1 - observed / np.where(expected <= _TINY, np.nan, expected))


def kappa_disagreement(rows: RatingSums) -> Disagreement:
    """Of each group and pair how far their labels are apart, the items, and what chance would lead to."""
    sums, totals = rows.sums, rows.totals
    items, first, second = sums["gold"].sum(axis=-1), totals["gold"], totals["system"]
    number = first.sum(axis=-1)
    if "distance" in totals:
        used = np.flatnonzero((first + second).reshape(-1, first.shape[-1]).sum(axis=0))
        farthest = totals["distance"][np.ix_(used, used)].max(initial=0)
        expected = ratio(((first @ totals["distance"]) * second).sum(axis=-1), number**2)
        return ratio(sums["apart"], farthest), items, ratio(expected, farthest)
    return items - sums["right"].sum(axis=-1), items, 1 - ratio((first * second).sum(axis=-1), number**2)


def pair_alpha_disagreement(rows: RatingSums) -> Disagreement:
    """The disagreement as for kappa, with nominal distances and the expected disagreement of alpha."""
    items, totals = rows.sums["gold"].sum(axis=-1), rows.totals
    both, number = totals["gold"] + totals["system"], 2 * items.sum(axis=0)
    expected = 1 - ratio((both * (both - 1)).sum(axis=-1), number * (number - 1))
    return items - rows.sums["right"].sum(axis=-1), items, expected


# --- by label, by annotator ---


def count_coincidences(ratings: Ratings) -> Floats:
    """Labels × labels: ordered pairs of ratings of the same item, over one less than its ratings."""
    item, label, number = label_runs(ratings)
    lower, higher = pairs_within(item)
    less = ratings.sizes[item] - 1
    table = np.zeros((len(ratings.labels), len(ratings.labels)))
    np.add.at(table, (label, label), number * (number - 1) / less)
    pairs = number[lower] * number[higher] / less[lower]
    np.add.at(table, (label[lower], label[higher]), pairs)
    np.add.at(table, (label[higher], label[lower]), pairs)
    return table


def alpha_of(ratings: Ratings, level: str, distance: str) -> float:
    """Alpha of all annotators."""
    rows = alpha_rows(ratings, np.zeros(ratings.items, dtype=np.int64), 1, level, distance)
    return float(alpha_score(rows.totals))


def alphas_without(ratings: Ratings, level: str, distance: str) -> list[float]:
    """Alpha without each annotator."""
    everyone = range(len(ratings.annotators))
    if level != "nominal":
        few_meetings = (ratings.sizes.astype(np.int64) ** 2).sum() <= 2 * MOST_MEETINGS
        if few_meetings and len(everyone) * len(ratings) > MOST_PASSES:
            return _alphas_by_items(ratings, level, distance)
        return [alpha_of(ratings.without(who), level, distance) for who in everyone]
    # From the counts of all: in each item of that annotator one rating less.
    counts, sizes = ratings.counts, ratings.sizes.astype(np.float64)
    squares, total = (counts**2).sum(axis=1), counts[sizes > 1].sum(axis=0)

    def differing(size: Array, same: Array) -> Floats:
        return np.asarray(np.where(size > 1, (size**2 - same) / np.where(size > 1, size - 1, 1), 0))

    whole = differing(sizes, squares)
    total_apart = whole.sum()
    alphas = []
    for rows in ratings.rows_of_annotators():
        items, labels = ratings.item[rows], ratings.label[rows]
        left = sizes[items] - 1
        remaining = total - np.bincount(labels[left > 1], minlength=len(total)) - counts[items[left == 1]].sum(axis=0)
        change = differing(left, squares[items] - 2 * counts[items, labels] + 1) - whole[items]
        alphas.append(float(alpha_score({"given": remaining, "apart": total_apart + change.sum()})))
    return alphas


def _alphas_by_items(ratings: Ratings, level: str, distance: str) -> list[float]:
    """Alpha without each annotator, from sums over their items with and without their ratings."""
    first, second = pairs_within(ratings.item)
    who, width, alone = len(ratings.annotators), len(ratings.labels), np.arange(len(ratings))
    # Each rating makes an item: the other ratings of its item, and all of them.
    of_others = np.concatenate([first, second]), np.concatenate([second, first])
    parts = []
    for item, row in (of_others, [np.append(rows, alone) for rows in of_others]):
        order = np.argsort(item, kind="stable")
        regrouped = replace(ratings, names=[""] * len(ratings), item=item[order], label=ratings.label[row[order]])
        parts.append(alpha_rows(regrouped, ratings.annotator, who, level, distance))
    whole = alpha_rows(ratings, np.zeros(ratings.items, dtype=np.int64), 1, level, distance)
    if "met" in whole.sums:
        # Labels that never meet without a rating are there, too.
        keys = whole.fixed["lower"] * width + whole.fixed["higher"]
        for number, part in enumerate(parts):
            meetings = np.zeros((who, len(keys)))
            part_keys = part.fixed["lower"] * width + part.fixed["higher"]
            meetings[:, np.searchsorted(keys, part_keys)] = part.sums["met"]
            parts[number] = replace(part, sums={**part.sums, "met": meetings})
    without, all_of_them = parts
    sums = {name: values - all_of_them.sums[name] + without.sums[name] for name, values in whole.sums.items()}
    return [float(value) for value in alpha_score({**sums, **whole.fixed})]


# --- systems against several annotators ---

AGAINST = ("each", "majority", "any", "leave-one-out")


def reference_shares(votes: Array, label: Ints) -> Floats:
    """The share of each item's label in the reference; 0 for a label that no annotator gave."""
    inside = (label >= 0) & (label < votes.shape[1])
    shares = votes[np.arange(len(label)), np.where(inside, label, 0)]
    return np.asarray(np.where(inside, shares, 0.0))


def ceiling_rows(ratings: Ratings, label: Ints, group: Ints, groups: int) -> RatingSums:
    """A system's points against each annotator, the majority and any of them; and for each annotator, over the items
    that another one rated too and the system answered, the points of the system (`left`) and of the annotator
    (`human`) against the majority of the others. Each with the number of items."""
    counts = ratings.counts
    answered, rated = label != NONE, ratings.sizes > 0
    fields = ("each", "each items", "left", "human", "left items")
    sums = {name: np.zeros((groups, len(ratings.annotators))) for name in fields}
    for who, of_one in enumerate(ratings.rows_of_annotators()):
        rows = of_one[answered[ratings.item[of_one]]]
        item, labels = ratings.item[rows], ratings.label[rows]
        others = counts[item]
        others[np.arange(len(item)), labels] -= 1
        votes, has_others = majority(others), others.sum(axis=1) > 0
        points = {
            "each": labels == label[item],
            "each items": np.ones(len(item)),
            "left": reference_shares(votes, label[item]),
            "human": reference_shares(votes, labels),
            "left items": has_others,
        }
        for name, values in points.items():
            sums[name][:, who] = sum_by_group(values.astype(np.float64), group[item], groups)
    both = (answered & rated).astype(np.float64)
    sums["majority"] = sum_by_group(reference_shares(ratings.votes, label) * both, group, groups)
    sums["any"] = sum_by_group(reference_shares((counts > 0).astype(np.float64), label) * both, group, groups)
    sums["items"] = sum_by_group(both, group, groups)
    return RatingSums(sums)


def against_score(name: str) -> Any:
    """The function of the sums of `ceiling_rows` for one way to compare with several annotators."""
    if name in ("majority", "any"):
        return lambda sums: ratio(sums[name], sums["items"])
    return lambda sums: average_annotators(ratio(sums[name], sums["each items" if name == "each" else "left items"]))


def ceiling_variance(parts: Array, by_annotator: Array) -> tuple[float, float, float]:
    """The variances of a mean difference over units and over annotators, and the degrees of freedom of their sum.

    `parts` is what each unit adds to the difference, `by_annotator` the difference of each annotator.
    """
    units, people = len(parts), len(by_annotator)
    if min(units, people) < 2:
        return math.nan, math.nan, math.nan
    over_units = units / (units - 1) * float(((parts - parts.mean()) ** 2).sum())
    over_people = float(by_annotator.var(ddof=1)) / people
    freedom = ratio(
        np.array((over_units + over_people) ** 2),
        np.array(over_units**2 / (units - 1) + over_people**2 / (people - 1)),
    )
    # With few annotators, a variance that comes from them to a good part is not known better than theirs.
    most = people - 1.0 if over_people >= over_units / 4 else math.inf
    return over_units, over_people, min(float(freedom), most)


def average_annotators(values: Array) -> Floats:
    """The mean over the annotators that have a score."""
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0).sum(axis=-1), defined.sum(axis=-1).astype(np.float64))


# --- soft labels, perspectives ---

SOFT = ("manhattan", "wasserstein", "cross-entropy", "jensen-shannon")


def soft_distances(gold: Array, system: Array, distance: str, floor: float = 0.0) -> Floats:
    """For each item how far two distributions over labels are apart; cross-entropy in nats, undefined is nan."""
    if distance == "manhattan":
        return np.asarray(np.abs(gold - system).sum(axis=1))
    if distance == "wasserstein":
        return np.asarray(np.abs(np.cumsum(gold - system, axis=1)).sum(axis=1))
    if distance == "cross-entropy":
        shares = np.maximum(system, floor)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(gold > 0, gold * np.log(shares), 0.0)
        distances = -logs.sum(axis=1)
        return np.asarray(np.where(np.isinf(distances), np.nan, distances))
    if distance != "jensen-shannon":
        raise unknown("distance", distance, SOFT)
    middle = (gold + system) / 2

    def bits(shares: Array) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(shares > 0, shares * np.log2(shares / middle), 0.0).sum(axis=1))

    return np.asarray((bits(gold) + bits(system)) / 2)


# --- the Alternative Annotator Test ---

SCORINGS = ("accuracy", "neg-rmse", "jaccard", "masi")


@dataclass(frozen=True, eq=False)
class AltRow:
    """One annotator in the test: how often the system is at least as near to the others as the annotator is."""

    annotator: int
    items: Ints
    system: Floats
    """1 for each item in which the system is at least as near to the others as the annotator."""
    human: Floats
    """1 for each item in which the annotator is at least as near to the others as the system."""

    @property
    def differences(self) -> Floats:
        """Human minus system, item by item."""
        return self.human - self.system

    def p(self, epsilon: float) -> float:
        """One-sided t test of the mean difference being below epsilon."""
        values = self.differences
        if len(values) < 2 or np.ptp(values) == 0:
            return 0.0 if len(values) and values.mean() < epsilon else 1.0
        error = values.std(ddof=1) / np.sqrt(len(values))
        from scipy.special import stdtr

        return float(stdtr(len(values) - 1, (values.mean() - epsilon) / error))


def alt_rows(
    ratings: Ratings, label: Ints, labels: Sequence[str], scoring: str, least: int, members: Any = None
) -> tuple[list[AltRow], int]:
    """All annotators against the system on the items with at least `least` ratings; and the number of these items.

    `labels` are those of the annotators, then those that systems alone give. Nearness is compared as whole numbers
    or as sums of squares, so that equal is equal.
    """
    if scoring not in SCORINGS:
        raise unknown("score", scoring, SCORINGS)
    usable = (label != NONE) & (ratings.sizes >= least) & (ratings.sizes > 1)
    if scoring == "neg-rmse":
        try:
            values = np.array([float(text) for text in labels])
        except ValueError:
            values = ratings.numbers
        near = -(np.subtract.outer(values, values) ** 2)
    elif scoring == "accuracy":
        near = np.eye(len(labels))
    else:
        if members is None:
            raise UsageError(f'alt-test(score={scoring}) needs sets of labels: --input-format "ratings(sets=|)".')
        near = 1 - np.array([[set_distance(a, b, scoring) for b in members] for a in members])
    wide = np.zeros((ratings.items, len(labels)))
    wide[:, : len(ratings.labels)] = ratings.counts
    tests = []
    for who, all_rows in enumerate(ratings.rows_of_annotators()):
        used_rows = all_rows[usable[ratings.item[all_rows]]]
        rows, answers = ratings.item[used_rows], ratings.label[used_rows]
        others = wide[rows]
        others[np.arange(len(rows)), answers] -= 1
        mine, its = ((others * near[codes]).sum(axis=1) for codes in (answers, label[rows]))
        close = np.isclose(mine, its, rtol=0, atol=1e-9)
        tests.append(AltRow(who, rows, ((its > mine) | close).astype(float), ((mine > its) | close).astype(float)))
    return tests, int(usable.sum())


def mask_wins(p: Sequence[float], fdr: float) -> list[bool]:
    """True for each test that is significant at a false discovery rate (Benjamini & Yekutieli)."""
    order = sorted(range(len(p)), key=lambda index: p[index])
    harmonic = sum(1 / number for number in range(1, len(p) + 1))
    last = max((rank for rank, index in enumerate(order, 1) if p[index] <= rank / len(p) * fdr / harmonic), default=0)
    kept = set(order[:last])
    return [index in kept for index in range(len(p))]


def winning_rate(rows: Sequence[AltRow], epsilon: float, fdr: float) -> float:
    """The share of annotators whom the system beats; undefined if there are none."""
    if not rows:
        return float("nan")
    beaten = mask_wins([row.p(epsilon) for row in rows], fdr)
    return sum(beaten) / len(rows)


def find_advantage(sums: Sums) -> Floats:
    """The mean over annotators of the share of items in which the system is at least as near to the others."""
    return average_annotators(ratio(sums["nearer"], sums["items"]))
