"""What systems do differently, from what became of each item under each of them (Tuggener 2017), for any task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints, distinct_rows
from assay.engine.items import KINDS, LABEL_ORDERS, Met, Outcomes, differ
from assay.engine.judgements import ONE
from assay.result import (
    Bound,
    Change,
    Confusion,
    Diff,
    Growth,
    LabelDifference,
    OutcomeChange,
    Transition,
    Unique,
)


def diffs(
    outcomes: Outcomes,
    on: str,
    where: str | None,
    score: str,
    values: Mapping[str, float],
    label_order: str = "effect",
) -> Iterator[Diff]:
    """Every pair of systems in the order in which they were given.

    `score` is what they differ in, `values` what it is for each system: where systems add items, no mean over gold's
    items tells.
    """
    for a, b in combinations(range(len(outcomes.systems)), 2):
        part = outcomes.of_pair(a, b)
        if part.items:
            diff = _diff(part, on, where)
            labels = sorted(diff.labels, key=lambda row: (_rank(row)[label_order], row.label))
            scored = (values.get(diff.b, math.nan) - values.get(diff.a, math.nan)) if part.kinds else diff.difference
            yield replace(diff, score=score, difference=scored, labels=tuple(labels))


def _rank(row: LabelDifference) -> dict[str, float]:
    """What puts a label before others, the largest first; those that are alike go by their names."""
    ranks = (-abs(row.effect), -abs(row.difference), -row.items, 0)
    return dict(zip(LABEL_ORDERS, ranks, strict=True))


def _diff(outcomes: Outcomes, on: str, where: str | None) -> Diff:
    a, b = 0, 1
    right_a, right_b = outcomes.right[a], outcomes.right[b]
    different = differ(outcomes, a, b)
    kinds = (different & right_b & ~right_a, different & right_a & ~right_b, different & ~right_a & ~right_b)
    counts = [outcomes.sum(mask) for mask in kinds]
    items, changed = outcomes.items, outcomes.sum(different)
    both = outcomes.sum(right_a & right_b)
    rights = outcomes.sum(right_a) + outcomes.sum(right_b)
    return Diff(
        a=outcomes.systems[a],
        b=outcomes.systems[b],
        on=on,
        slice=where,
        items=items,
        different=changed,
        diff=changed / items,
        corrections=counts[0],
        new_errors=counts[1],
        changed_errors=counts[2],
        both_right=both,
        same_error=outcomes.sum(~different & ~right_a),
        overlap_right=2 * both / rights if rights else float("nan"),
        overlap_all=1 - changed / items,
        changes=tuple(_changes(outcomes, a, b, kinds, changed)),
        labels=tuple(_label_differences(outcomes, a, b)),
        other_antecedent=_other_antecedent(outcomes, a, b),
        net=counts[0] - counts[1],
        outcomes=tuple(_outcome_changes(outcomes, a, b, kinds, changed)),
        **({"difference": (counts[0] - counts[1]) / items} | _graded(outcomes, a, b)),
    )


def _other_antecedent(outcomes: Outcomes, a: int, b: int) -> int | None:
    """Items that both link wrongly, each to an antecedent of its own."""
    if not outcomes.links:
        return None
    return outcomes.sum((outcomes.answers[a] == outcomes.answers[b]) & (outcomes.links[a] != outcomes.links[b]))


def _graded(outcomes: Outcomes, a: int, b: int) -> dict[str, Any]:
    """Items whose score rose, fell, or stayed the same under another label, and what that amounts to."""
    if not outcomes.credit:
        return {}
    before, after = outcomes.credit[a], outcomes.credit[b]
    sideways = (before == after) & differ(outcomes, a, b)
    up, down = after > before, after < before
    everything = np.ones(len(outcomes.sizes), dtype=bool)
    return {
        "difference": outcomes.score(after, everything) - outcomes.score(before, everything),
        "improved": outcomes.sum(up),
        "worsened": outcomes.sum(down),
        "sideways": outcomes.sum(sideways),
        "gain": outcomes.score(after - before, up) * outcomes.sum(up) if up.any() else 0.0,
        "loss": outcomes.score(before - after, down) * outcomes.sum(down) if down.any() else 0.0,
    }


def _changes(outcomes: Outcomes, a: int, b: int, kinds: Sequence[Bools], changed: int) -> Iterator[Change]:
    """Which label became which, the most frequent first within each kind."""
    moved = outcomes.heads[a] != outcomes.heads[b] if outcomes.heads else None
    for kind, mask in zip(KINDS, kinds, strict=True):
        of_kind = outcomes.sum(mask)
        columns = (outcomes.gold, outcomes.answers[a], outcomes.answers[b])
        moves = {} if moved is None else {row[:3]: row[3] for row in _added_up(outcomes, columns, mask & moved)}
        rows = []
        for gold, before, after, count in _added_up(outcomes, columns, mask):
            names = (outcomes.name(gold), outcomes.name(before), outcomes.name(after))
            rows.append((-count, names, None if moved is None else moves.get((gold, before, after), 0)))
        for negative, names, heads in sorted(rows, key=lambda row: row[:2]):
            count = -negative
            yield Change(kind, *names, count, count / of_kind, count / changed, heads)


def _outcome_changes(
    outcomes: Outcomes, a: int, b: int, kinds: Sequence[Bools], changed: int
) -> Iterator[OutcomeChange]:
    """Which outcome became which (Tuggener's Table 8), the most frequent first within each kind."""
    for kind, mask in zip(KINDS, kinds if outcomes.kinds else (), strict=bool(outcomes.kinds)):
        of_kind = outcomes.sum(mask)
        rows = [
            (-count, outcomes.outcome(before), outcomes.outcome(after))
            for before, after, count in _added_up(outcomes, (outcomes.kind[a], outcomes.kind[b]), mask)
        ]
        for negative, before, after in sorted(rows):
            yield OutcomeChange(kind, before, after, -negative, -negative / of_kind, -negative / changed)


def _added_up(outcomes: Outcomes, columns: Sequence[Ints], mask: Bools) -> Iterator[tuple[int, ...]]:
    """The distinct tuples of some columns, each with the number of items that have it."""
    chosen = [column[mask].astype(np.int64) for column in columns]
    if not len(chosen[0]):
        return
    rows, group, _ = distinct_rows(np.stack(chosen, axis=1))
    sizes = np.bincount(group, weights=outcomes.sizes[mask]).astype(np.int64)
    for row, size in zip(rows.tolist(), sizes.tolist(), strict=True):
        yield (*row, size)


def _label_differences(outcomes: Outcomes, a: int, b: int) -> list[LabelDifference]:
    """Scores per gold label under A and B (Tuggener's Table 12)."""
    codes, group = np.unique(outcomes.gold, return_inverse=True)
    table = _Grouped.of(outcomes, group, len(codes))
    total = outcomes.items
    rows = []
    for index, code in enumerate(codes.tolist()):
        items, scores = table.items[index], table.scores(index)
        difference = scores[b] - scores[a]
        gained = table.right[b][index] - table.right[a][index]
        effect = difference * items / total if outcomes.credit else gained / total
        rows.append(LabelDifference(outcomes.name(code), items, scores[a], scores[b], difference, effect))
    return rows


def confusion(outcomes: Outcomes, measure: str) -> Iterator[Confusion]:
    """Gold label against each system's label where these differ, the most frequent first."""
    for index, system in enumerate(outcomes.systems):
        rows = [
            (-count, outcomes.name(gold), outcomes.name(assigned), assigned == NONE)
            for gold, assigned, count in _added_up(
                outcomes, (outcomes.gold, outcomes.answers[index]), ~outcomes.right[index]
            )
        ]
        for negative, gold_name, assigned_name, missing in sorted(rows):
            yield Confusion(system, measure, gold_name, None if missing else assigned_name, -negative)


def met_confusion(name: str, met: Met, measure: str) -> Iterator[Confusion]:
    """What met as rows of a confusion table, frequent errors first, hits last."""
    sums: dict[tuple[str | None, str | None, str | None, bool], int] = {}
    pieces = dict.fromkeys((row[:4] for row in met), 0)
    for row, number in met.items():
        sums[row[:4]] = sums.get(row[:4], 0) + number
        pieces[row[:4]] += number if row[4] else 0
    ordered = sorted(sums, key=lambda row: (row[3], -sums[row], row[0] or "", row[1] or "", row[2] or ""))
    for key in ordered:
        yield Confusion(name, measure, key[0], key[1], sums[key], key[2], pieces[key])


def transitions(outcomes: Outcomes, on: str, where: str | None) -> Iterator[Transition]:
    """What became of each item under one system and under another: all together, and by gold's label."""
    for a, b in combinations(range(len(outcomes.systems)), 2) if outcomes.kinds else ():
        part = outcomes.of_pair(a, b)
        labels = [NONE, *sorted(np.unique(part.gold[part.gold != NONE]).tolist(), key=part.name)]
        for label in [None, *labels]:
            mask = np.ones(len(part.gold), dtype=bool) if label is None else part.gold == label
            name = None if label is None else part.name(label)
            for before, after, count in _added_up(part, (part.kind[0], part.kind[1]), mask):
                kinds = part.outcome(before), part.outcome(after)
                yield Transition(part.systems[0], part.systems[1], on, where, name, *kinds, count)


def bounds(outcomes: Outcomes, on: str, where: str | None) -> Iterator[Bound]:
    """The upper bound of choosing among the systems, overall and per gold label (Tuggener's Table 9)."""
    whole, outcomes = outcomes, outcomes.of_gold()
    if not outcomes.items:
        return
    everything = np.zeros(len(outcomes.sizes), dtype=np.int64)
    best = int(np.argmax(_Grouped.of(outcomes, everything, 1).scores(0)))
    precision, f1 = _best_choice(whole)
    for bound in _bounds(outcomes, everything, [None], best, on, where):
        yield replace(bound, precision=precision, f1=f1)
    codes, group = np.unique(outcomes.gold, return_inverse=True)
    labels = [outcomes.labels[code] for code in codes.tolist()]
    yield from sorted(
        _bounds(outcomes, group, labels, best, on, where), key=lambda bound: (-bound.items, bound.label or "")
    )


@dataclass(frozen=True)
class _Grouped:
    """What is found out about several groups of items at once, such as those of each gold label."""

    items: list[int]
    right: list[list[int]]
    """Of each system, in each group."""
    credit: list[list[int]]
    """The same of credit, where there is any."""

    @classmethod
    def of(cls, outcomes: Outcomes, group: Ints, groups: int) -> _Grouped:
        """The sums of each group."""
        return cls(
            outcomes.by_group(np.ones_like(outcomes.sizes), group, groups),
            [outcomes.by_group(right, group, groups) for right in outcomes.right],
            [outcomes.by_group(credit, group, groups) for credit in outcomes.credit],
        )

    def scores(self, group: int) -> list[float]:
        """Each system's mean score in a group: credit where there is, else right or wrong."""
        items = self.items[group]
        if self.credit:
            return [credit[group] / (ONE * items) for credit in self.credit]
        return [right[group] / items for right in self.right]


def _bounds(
    outcomes: Outcomes, group: Ints, labels: Sequence[str | None], best: int, on: str, where: str | None
) -> Iterator[Bound]:
    """The bound of each group of items; the groups are those of some labels, or one of all."""
    table = _Grouped.of(outcomes, group, len(labels))
    number = np.sum(outcomes.right, axis=0)
    systems = len(outcomes.systems)
    in_each = np.bincount(group * (systems + 1) + number, outcomes.sizes, minlength=len(labels) * (systems + 1))
    right_in = in_each.astype(np.int64).reshape(len(labels), systems + 1).tolist()
    best_credit = outcomes.by_group(np.max(outcomes.credit, axis=0), group, len(labels)) if outcomes.credit else None
    for index, label in enumerate(labels):
        items, each = table.items[index], table.scores(index)
        any_right = items - right_in[index][0]
        upper = any_right / items if best_credit is None else best_credit[index] / (ONE * items)
        yield Bound(
            on=on,
            label=label,
            slice=where,
            items=items,
            systems=dict(zip(outcomes.systems, each, strict=True)),
            upper=upper,
            best=outcomes.systems[best],
            gain=upper - each[best],
            gain_over_best_here=upper - max(each),
            all_right=right_in[index][systems],
            none_right=right_in[index][0],
            right_in=tuple(right_in[index]),
        )


def _best_choice(outcomes: Outcomes) -> tuple[float | None, float | None]:
    """For mentions: precision and F1 of the best choice, which links no mention without need if a system does not."""
    if not outcomes.links:
        return None, None
    kind = np.stack(outcomes.kind)
    right, wrong, missing, spurious = (kind == outcomes.kinds.index(name) for name in ("tp", "wl", "fn", "fp"))
    resolved = outcomes.sum(right.any(axis=0))
    linked = resolved + outcomes.sum(wrong.all(axis=0)) + outcomes.sum(spurious.all(axis=0))
    expected = outcomes.sum((right | wrong | missing).any(axis=0))
    return resolved / linked if linked else float("nan"), 2 * resolved / (linked + expected)


def growth(outcomes: Outcomes, on: str, where: str | None) -> Iterator[Growth]:
    """The upper bound as systems join: the best first, then always the one that adds most."""
    outcomes = outcomes.of_gold()
    if not outcomes.items:
        return
    right = np.stack(outcomes.right)
    everything = np.ones(right.shape[1], dtype=bool)
    # The best answer so far, in credit; without partial credit an answer is right or wrong.
    credit = np.stack(outcomes.credit) if outcomes.credit else right * ONE
    covered, shared = np.zeros_like(credit[0]), everything
    alone = [outcomes.score(row, everything) for row in credit]
    left = list(range(len(right)))
    while left:
        uppers = {index: outcomes.score(np.maximum(covered, credit[index]), everything) for index in left}
        chosen = max(left, key=lambda index: (uppers[index], alone[index], -index))
        left.remove(chosen)
        covered, shared = np.maximum(covered, credit[chosen]), shared & right[chosen]
        yield Growth(
            on=on,
            slice=where,
            added=outcomes.systems[chosen],
            systems=len(right) - len(left),
            upper=uppers[chosen],
            all_right=outcomes.sum(shared) / outcomes.items,
        )


def unique(outcomes: Outcomes, on: str, where: str | None) -> Iterator[Unique]:
    """Items that one system alone has right."""
    outcomes = outcomes.of_gold()
    if not outcomes.items:
        return
    right = np.stack(outcomes.right)
    alone = right.sum(axis=0) == 1
    for index, system in enumerate(outcomes.systems):
        yield Unique(on, where, system, outcomes.sum(alone & right[index]))
