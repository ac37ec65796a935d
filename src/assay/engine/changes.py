"""Differences between systems, from the outcome of each item in each of them (Tuggener 2017), for any task."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Floats, Ints, distinct_rows, fold_codes, sum_integers
from assay.engine.items import KINDS, LABEL_ORDERS, NOTHING, ONE, Items, Met
from assay.result import (
    Bound,
    Change,
    Confusion,
    Diff,
    Growth,
    LabelDifference,
    OutcomeChange,
    RowList,
    Transition,
    Unique,
)


def compare_answers(
    items: Items,
    on: str,
    where: str | None,
    score: str,
    values: Mapping[str, float],
    label_order: str = "contribution",
    contributions: Mapping[tuple[str, str], Mapping[str, float]] | None = None,
) -> Iterator[Diff]:
    """The difference of every pair of systems in their order; `values` has the score of each system, `contributions`
    by pair what each label adds to the difference, if that is known."""
    ranks_of = np.unique(np.array([*items.labels, NOTHING], dtype=object), return_inverse=True)[1]
    for a, b in combinations(range(len(items.systems)), 2):
        # Few rows are equal in many systems, but nearly all in two.
        pair = items.of_pair(a, b).fold()
        total = pair.total
        if not total:
            continue
        (right_a, right_b), (name_a, name_b) = pair.right, pair.systems
        different = pair.differ(0, 1)
        masks = (different & right_b & ~right_a, different & right_a & ~right_b, different & ~right_a & ~right_b)
        corrections, new_errors, changed_errors = (pair.sum(mask) for mask in masks)
        changed, both = pair.sum(different), pair.sum(right_a & right_b)
        rights = pair.sum(right_a) + pair.sum(right_b)
        graded: dict[str, Any] = {}
        if pair.credits is not None:
            # Items whose score rose, fell, or stayed the same under another label.
            before, after = pair.credits[:, -1]
            up, down = after > before, after < before
            graded = {
                "improved": pair.sum(up),
                "worsened": pair.sum(down),
                "sideways": pair.sum((before == after) & different),
                "gain": pair.score(after - before, up) * pair.sum(up) if up.any() else 0.0,
                "loss": pair.score(before - after, down) * pair.sum(down) if down.any() else 0.0,
            }
        whole = difference(pair, 0, 1, values)
        other_target = None
        if pair.kinds and pair.target is not None:
            other_target = pair.sum((pair.answer[0] == pair.answer[1]) & (pair.target[0] != pair.target[1]))
        # Every change of one outcome into another (Tuggener's Table 8), the most frequent first within each kind.
        outcomes, kinds = [], (*pair.kinds, "none")
        for change, mask in zip(KINDS, masks, strict=True) if pair.kinds else ():
            rows = [(-count, kinds[old], kinds[new]) for old, new, count in _count_tuples(pair, pair.kind, mask)]
            for count, old, new in sorted(rows):
                outcomes.append(OutcomeChange(change, old, new, -count, -count / pair.sum(mask), -count / changed))
        yield Diff(
            a=name_a,
            b=name_b,
            on=on,
            slice=where,
            items=total,
            different=changed,
            diff=changed / total,
            difference=whole,
            corrections=corrections,
            new_errors=new_errors,
            changed_errors=changed_errors,
            both_right=both,
            same_error=pair.sum(~different & ~right_a),
            overlap_right=2 * both / rights if rights else math.nan,
            overlap_all=1 - changed / total,
            changes=_changes(pair, masks, changed, ranks_of),
            labels=_label_differences(pair, label_order, (contributions or {}).get((name_a, name_b), {})),
            other_target=other_target,
            net=corrections - new_errors,
            outcomes=tuple(outcomes),
            score=score,
            **graded,
        )


def compare_losses(
    losses: Mapping[str, Floats], on: str, where: str | None, score: str, values: Mapping[str, float]
) -> Iterator[Diff]:
    """The difference of every pair of systems whose answers are graded, none of them right or wrong."""
    for (a, before), (b, after) in combinations(losses.items(), 2):
        total, improved, worsened = len(before), int((after < before).sum()), int((after > before).sum())
        changed = improved + worsened
        if not total:
            continue
        yield Diff(
            a=a,
            b=b,
            on=on,
            slice=where,
            items=total,
            different=changed,
            diff=changed / total,
            difference=values.get(b, math.nan) - values.get(a, math.nan),
            corrections=0,
            new_errors=0,
            changed_errors=changed,
            both_right=0,
            same_error=total - changed,
            overlap_right=math.nan,
            overlap_all=1 - changed / total,
            changes=(),
            labels=(),
            improved=improved,
            worsened=worsened,
            score=score,
        )


def difference(items: Items, a: int, b: int, values: Mapping[str, float]) -> float:
    """B's score minus A's, from the scores that tables show, or from the mean over items if there are none."""
    if not values:
        _, (means,) = _mean_scores(items, np.zeros(len(items), dtype=np.int64), 1)
        return means[b] - means[a]
    before, after = (values.get(items.systems[index], math.nan) for index in (a, b))
    return after - before


def _changes(pair: Items, masks: Sequence[Bools], changed: int, ranks_of: Ints) -> RowList[Change]:
    """Every change of one label into another, the most frequent first within each kind.

    `ranks_of` has the rank of each label by its code.
    """
    kind_of = np.full(len(pair), NONE, dtype=np.int8)
    for kind, mask in enumerate(masks):
        kind_of[mask] = kind
    rows = np.flatnonzero(kind_of != NONE)
    # Answers that differ only in their targets are named by their error types.
    other = np.where(pair.moved(0, 1), pair.kind[1], NONE)[rows] if pair.kinds else np.full(len(rows), NONE)
    columns = [kind_of[rows], *(column[rows] for column in (pair.gold, *pair.answer)), other]
    first, sizes, group = fold_codes(columns, pair.sizes[rows])
    kind, *coded, other = (column[first] for column in columns)
    moved = np.full(len(first), None)
    if pair.target is not None and not pair.kinds:
        is_moved = (pair.target[0] != pair.target[1])[rows]
        moved = sum_integers(pair.sizes[rows] * is_moved, group, len(first)).astype(object)
    # Few answers differ in their targets alone.
    shown, ranks = np.full(len(first), "", dtype=object), [ranks_of[column] for column in coded]
    if len(other_rows := np.flatnonzero(other != NONE)):
        for row in other_rows.tolist():
            shown[row] = pair.moved_name(int(coded[2][row]), int(other[row]))
        ranks.append(np.unique(shown, return_inverse=True)[1])
    order = np.lexsort((*ranks[::-1], -sizes, kind))
    labels, kind, sizes = np.array([*pair.labels, NOTHING], dtype=object), kind[order], sizes[order]
    of_kind = np.bincount(kind, sizes, len(KINDS))
    names = [np.array(KINDS, dtype=object)[kind], *(labels[column[order]] for column in coded)]
    counts = [sizes, sizes / of_kind[kind], sizes / max(1, changed)]
    return RowList(Change, [*names, *counts, moved[order], shown[order]])


def _distinct(items: Items, columns: Iterable[Ints], mask: Bools) -> tuple[Ints, Ints]:
    """The distinct tuples of columns, and the number of items with each."""
    selected = np.stack([column[mask].astype(np.int64) for column in columns], axis=1)
    if not len(selected):
        return selected, np.zeros(0, dtype=np.int64)
    rows, group, _ = distinct_rows(selected)
    return rows, np.bincount(group, weights=items.sizes[mask], minlength=len(rows)).astype(np.int64)


def _count_tuples(items: Items, columns: Iterable[Ints], mask: Bools) -> Iterator[tuple[int, ...]]:
    """The distinct tuples of columns, each with its number of items."""
    rows, sizes = _distinct(items, columns, mask)
    for row, size in zip(rows.tolist(), sizes.tolist(), strict=True):
        yield (*row, size)


def _label_differences(
    pair: Items, order: str, contributions: Mapping[str, float]
) -> tuple[LabelDifference, ...]:
    """Scores of A and B by gold label (Tuggener's Table 12), in the order that the user chose.

    If contributions are not known, labels are in the order of the items won or lost.
    """
    codes, group = np.unique(pair.gold, return_inverse=True)
    sizes, scores = _mean_scores(pair, group, len(codes))
    rows: list[tuple[float, str, LabelDifference]] = []
    for index, code in enumerate(codes.tolist()):
        before, after = scores[index]
        label = (*pair.labels, NOTHING)[code]
        row = LabelDifference(label, sizes[index], before, after, after - before)
        won = contributions.get(label, 0.0) if contributions else (after - before) * sizes[index]
        rank = dict(zip(LABEL_ORDERS, (-abs(won), -abs(after - before), -row.items, 0), strict=True))[order]
        rows.append((rank, label, row))
    return tuple(row for *_, row in sorted(rows, key=lambda row: row[:2]))


def _mean_scores(items: Items, group: Ints, groups: int) -> tuple[list[int], list[list[float]]]:
    """The number of items in each group, and each system's mean score in it, by credit if there is any."""
    sizes = items.by_group(np.ones_like(items.sizes), group, groups)
    full, columns = (1, items.right) if items.credits is None else (ONE, items.credits[:, -1])
    sums = [items.by_group(column, group, groups) for column in columns]
    return sizes, [[totals[index] / (full * size) for totals in sums] for index, size in enumerate(sizes)]


def confusion_rows(items: Items, measure: str) -> Iterator[Confusion]:
    """Errors of each system by gold's and its label, the most frequent first."""
    labels = (*items.labels, NOTHING)
    for system, answer, right in zip(items.systems, items.answer, items.right, strict=True):
        rows = [
            (-count, labels[gold], labels[assigned], assigned == NONE)
            for gold, assigned, count in _count_tuples(items, (items.gold, answer), ~right)
        ]
        for count, gold_label, label, missing in sorted(rows):
            yield Confusion(system, measure, gold_label, None if missing else label, -count)


def label_pair_rows(name: str, pairs: Met, measure: str) -> Iterator[Confusion]:
    """Rows of a confusion table from pairs of labels, frequent errors first, hits last."""
    sums: dict[tuple[str | None, str | None, str | None, bool], int] = {}
    pieces = dict.fromkeys((row[:4] for row in pairs), 0)
    for row, number in pairs.items():
        sums[row[:4]] = sums.get(row[:4], 0) + number
        pieces[row[:4]] += number if row[4] else 0
    for key in sorted(sums, key=lambda row: (row[3], -sums[row], row[0] or "", row[1] or "", row[2] or "")):
        yield Confusion(name, measure, key[0], key[1], sums[key], key[2], pieces[key])


def transitions(items: Items, on: str, where: str | None) -> Iterator[Transition]:
    """Numbers of items by outcome in one system and in another, of all items and by gold's label."""
    kinds, names = (*items.kinds, "none"), (*items.labels, NOTHING)
    for a, b in combinations(range(len(items.systems)), 2) if items.kinds else ():
        pair, systems = items.of_pair(a, b).fold(), (items.systems[a], items.systems[b])
        labels = sorted(np.flatnonzero(np.bincount(pair.gold[pair.gold != NONE])).tolist(), key=names.__getitem__)
        for label in [None, NONE, *labels]:
            mask = np.ones(len(pair), dtype=np.bool_) if label is None else pair.gold == label
            name = None if label is None else names[label]
            for before, after, count in _count_tuples(pair, pair.kind, mask):
                yield Transition(*systems, on, where, name, kinds[before], kinds[after], count)


# --- bounds of combinations ---


def bounds(items: Items, on: str, where: str | None) -> Iterator[Bound]:
    """The upper bound of choosing among the systems, overall and per gold label (Tuggener's Table 9)."""
    whole, items = items, items.of_gold()
    if not items.total:
        return
    systems = len(items.systems)
    credit = None if items.credits is None else items.credits[:, -1].max(axis=0)
    precision = f1 = None
    if whole.target is not None and {"tp", "wl", "fn", "fp"} <= {*whole.kinds}:
        # For mentions: the best choice leaves a mention without a link if any system does and gold has none.
        right, wrong, missing, spurious = (whole.kind == whole.kinds.index(name) for name in ("tp", "wl", "fn", "fp"))
        resolved = whole.sum(right.any(axis=0))
        linked = resolved + whole.sum(wrong.all(axis=0)) + whole.sum(spurious.all(axis=0))
        expected = whole.sum((right | wrong | missing).any(axis=0))
        precision, f1 = resolved / linked if linked else math.nan, 2 * resolved / (linked + expected)
    best, labelled = 0, []
    codes, of_label = np.unique(items.gold, return_inverse=True)
    everything = np.zeros(len(items), dtype=np.int64)
    for group, labels in ((everything, [None]), (of_label, [items.labels[code] for code in codes.tolist()])):
        sizes, scores = _mean_scores(items, group, len(labels))
        if group is everything:
            best = int(np.argmax(scores[0]))
        keys = group * (systems + 1) + items.right.sum(axis=0)
        in_each = np.bincount(keys, items.sizes, minlength=len(labels) * (systems + 1)).astype(np.int64)
        right_in = in_each.reshape(len(labels), systems + 1).tolist()
        credits_ = None if credit is None else items.by_group(credit, group, len(labels))
        for index, label in enumerate(labels):
            number, each, by_number = sizes[index], scores[index], right_in[index]
            upper = (number - by_number[0]) / number if credits_ is None else credits_[index] / (ONE * number)
            bound = Bound(
                on=on,
                label=label,
                slice=where,
                items=number,
                systems=dict(zip(items.systems, each, strict=True)),
                upper=upper,
                best=items.systems[best],
                gain=upper - each[best],
                gain_over_best_here=upper - max(each),
                all_right=by_number[systems],
                none_right=by_number[0],
                right_in=tuple(by_number),
            )
            if label is None:
                yield replace(bound, precision=precision, f1=f1)
            else:
                labelled.append(bound)
    yield from sorted(labelled, key=lambda bound: (-bound.items, bound.label or ""))


def growth(items: Items, on: str, where: str | None) -> Iterator[Growth]:
    """The upper bound as systems are added: the best first, then always the system that adds most."""
    items = items.of_gold()
    if not items.total:
        return
    right, every = items.right, np.ones(len(items), dtype=np.bool_)
    # The best answer so far, in credit; without partial credit an answer is right or wrong.
    credit = right * ONE if items.credits is None else items.credits[:, -1]
    covered, shared = np.zeros_like(credit[0]), every
    alone = [items.score(row, every) for row in credit]
    left = list(range(len(right)))
    while left:
        uppers = {index: items.score(np.maximum(covered, credit[index]), every) for index in left}
        best = max(left, key=lambda index: (uppers[index], alone[index], -index))
        left.remove(best)
        covered, shared = np.maximum(covered, credit[best]), shared & right[best]
        yield Growth(
            on=on,
            slice=where,
            added=items.systems[best],
            systems=len(right) - len(left),
            upper=uppers[best],
            all_right=items.sum(shared) / items.total,
        )


def unique(items: Items, on: str, where: str | None) -> Iterator[Unique]:
    """The items that only one system has right."""
    items = items.of_gold()
    alone = items.right.sum(axis=0) == 1
    for index, system in enumerate(items.systems if items.total else ()):
        yield Unique(on, where, system, items.sum(alone & items.right[index]))
