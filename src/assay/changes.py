"""What systems do differently, from their judgements alone (Tuggener 2017), for any task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import Bools, Ints, as_codes, fold_codes
from assay.judgements import NONE, ONE, Judgements
from assay.result import Bound, Change, Confusion, Diff, Growth, LabelDifference, Unique

KINDS = ("correction", "new-error", "changed-error")


@dataclass(frozen=True, eq=False)
class Items:
    """The gold items and every system's answer to each, over one vocabulary."""

    systems: tuple[str, ...]
    labels: tuple[str, ...]
    sentence: Ints
    word: Ints
    gold: Ints
    answers: tuple[Ints, ...]
    right: tuple[Bools, ...]
    credit: tuple[Ints, ...] = ()
    """For graded measures each item's score, in units of 1/ONE."""

    @classmethod
    def of(cls, judged: Sequence[tuple[str, Judgements]]) -> Items:
        """The gold items of several systems' judgements; gold and so its items are the same in all."""
        known: dict[str, int] = {}
        answers, rights = [], []
        first = judged[0][1]
        has_gold = first.has_gold
        gold: Ints = np.zeros(0, dtype=np.int64)
        for _, judgements in judged:
            recoded = np.append(as_codes(judgements.labels, known), NONE)
            mask = judgements.has_gold
            answers.append(recoded[judgements.system[mask]])
            rights.append(judgements.right[mask])
            gold = recoded[judgements.gold[mask]]
        return cls(
            systems=tuple(name for name, _ in judged),
            labels=tuple(known),
            sentence=first.sentence[has_gold],
            word=first.word[has_gold],
            gold=gold,
            answers=tuple(answers),
            right=tuple(rights),
            credit=tuple(
                judgements.credits[judgements.has_gold, -1]
                for _, judgements in judged
                if judgements.credits is not None
            ),
        )

    def kind(self, a: int, b: int) -> Ints:
        """For each item the kind of change from A to B as an index into KINDS, -1 where there is none."""
        different = self.answers[a] != self.answers[b]
        kinds = np.where(self.right[b], 0, np.where(self.right[a], 1, 2))
        return np.where(different, kinds, -1)

    @cached_property
    def outcomes(self) -> Outcomes:
        """The items as a table of distinct outcomes; adding up such tables is all that merging needs."""
        columns = [self.gold, *self.answers, *(right.astype(np.int8) for right in self.right)]
        rows, sizes = fold_codes(columns)
        return Outcomes(
            self.systems,
            self.labels,
            sizes,
            self.gold[rows],
            tuple(answers[rows] for answers in self.answers),
            tuple(right[rows] for right in self.right),
            tuple(credit[rows] for credit in self.credit),
        )


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Distinct combinations of gold label and answers, and how many items have each."""

    systems: tuple[str, ...]
    labels: tuple[str, ...]
    sizes: Ints
    gold: Ints
    answers: tuple[Ints, ...]
    right: tuple[Bools, ...]
    credit: tuple[Ints, ...] = ()

    @property
    def items(self) -> int:
        """The number of items."""
        return int(self.sizes.sum())

    def name(self, code: int) -> str:
        """A label by its code; a missing answer is ∅."""
        return "∅" if code == NONE else self.labels[code]

    def sum(self, mask: Bools) -> int:
        """The number of items of some outcomes."""
        return int(self.sizes[mask].sum())

    def score(self, credit: Ints, mask: Bools) -> float:
        """The mean credit of the items of some outcomes."""
        # Whole numbers of Python: sums of credit outgrow 64 bits.
        total: int = sum(a * b for a, b in zip(self.sizes[mask].tolist(), credit[mask].tolist(), strict=True))
        return float(total / (ONE * self.sum(mask)))

    def scores(self, mask: Bools) -> list[float]:
        """Each system's mean score over the items of some outcomes: credit where there is, else right or wrong."""
        if self.credit:
            return [self.score(credit, mask) for credit in self.credit]
        return [self.sum(mask & right) / self.sum(mask) for right in self.right]

    def taken_apart(self, names: Sequence[str]) -> Outcomes:
        """The outcomes with other labels, e.g. the value of a category; without those that no one has there."""
        known: dict[str, int] = {}
        recoded = np.append(as_codes(names, known), NONE)
        columns = [recoded[column] for column in (self.gold, *self.answers)]
        absent = known.get("∅", NONE)
        kept = ~np.all([(column == absent) | (column == NONE) for column in columns], axis=0)
        gold, *answers = (column[kept] for column in columns)
        right = tuple(answer == gold for answer in answers)
        return Outcomes(self.systems, tuple(known), self.sizes[kept], gold, tuple(answers), right)


def diffs(outcomes: Outcomes, on: str, where: str | None) -> Iterator[Diff]:
    """Every pair of systems in the order in which they were given."""
    if outcomes.items:
        for a, b in combinations(range(len(outcomes.systems)), 2):
            yield _diff(outcomes, a, b, on, where)


def _diff(outcomes: Outcomes, a: int, b: int, on: str, where: str | None) -> Diff:
    right_a, right_b = outcomes.right[a], outcomes.right[b]
    different = outcomes.answers[a] != outcomes.answers[b]
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
        **({"difference": (counts[0] - counts[1]) / items} | _graded(outcomes, a, b)),
    )


def _graded(outcomes: Outcomes, a: int, b: int) -> dict[str, Any]:
    """Items whose score rose, fell, or stayed the same under another label, and what that amounts to."""
    if not outcomes.credit:
        return {}
    before, after = outcomes.credit[a], outcomes.credit[b]
    sideways = (before == after) & (outcomes.answers[a] != outcomes.answers[b])
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
    for kind, mask in zip(KINDS, kinds, strict=True):
        of_kind = outcomes.sum(mask)
        rows = []
        for gold, before, after, count in _added_up(
            outcomes, (outcomes.gold, outcomes.answers[a], outcomes.answers[b]), mask
        ):
            rows.append((-count, outcomes.name(gold), outcomes.name(before), outcomes.name(after)))
        for negative, gold_name, before_name, after_name in sorted(rows):
            count = -negative
            yield Change(kind, gold_name, before_name, after_name, count, count / of_kind, count / changed)


def _added_up(outcomes: Outcomes, columns: Sequence[Ints], mask: Bools) -> Iterator[tuple[int, ...]]:
    """The distinct tuples of some columns, each with the number of items that have it."""
    chosen = [column[mask].astype(np.int64) for column in columns]
    if not len(chosen[0]):
        return
    rows, group = np.unique(np.stack(chosen, axis=1), axis=0, return_inverse=True)
    sizes = np.bincount(group.ravel(), weights=outcomes.sizes[mask]).astype(np.int64)
    for row, size in zip(rows.tolist(), sizes.tolist(), strict=True):
        yield (*row, size)


def _label_differences(outcomes: Outcomes, a: int, b: int) -> list[LabelDifference]:
    """Scores per gold label under A and B (Tuggener's Table 12), the largest effect first."""
    rows = []
    for code in np.unique(outcomes.gold).tolist():
        mask = outcomes.gold == code
        items, scores = outcomes.sum(mask), outcomes.scores(mask)
        difference = scores[b] - scores[a]
        gained = outcomes.sum(mask & outcomes.right[b]) - outcomes.sum(mask & outcomes.right[a])
        effect = difference * items / outcomes.items if outcomes.credit else gained / outcomes.items
        rows.append(LabelDifference(outcomes.name(code), items, scores[a], scores[b], difference, effect))
    return sorted(rows, key=lambda row: (-abs(row.effect), row.label))


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


def bounds(outcomes: Outcomes, on: str, where: str | None) -> Iterator[Bound]:
    """The upper bound of choosing among the systems, overall and per gold label (Tuggener's Table 9)."""
    if not outcomes.items:
        return
    right = np.stack(outcomes.right)
    everything = np.ones(len(outcomes.sizes), dtype=bool)
    best = int(np.argmax(outcomes.scores(everything)))
    yield _bound(outcomes, right, everything, best, on, None, where)
    labels = sorted(
        np.unique(outcomes.gold).tolist(),
        key=lambda code: (-outcomes.sum(outcomes.gold == code), outcomes.labels[code]),
    )
    for code in labels:
        yield _bound(outcomes, right, outcomes.gold == code, best, on, outcomes.labels[code], where)


def _bound(
    outcomes: Outcomes, right: Bools, mask: Bools, best: int, on: str, label: str | None, where: str | None
) -> Bound:
    items = outcomes.sum(mask)
    each = outcomes.scores(mask)
    any_right = outcomes.sum(mask & right.any(axis=0))
    upper = outcomes.score(np.max(outcomes.credit, axis=0), mask) if outcomes.credit else any_right / items
    return Bound(
        on=on,
        label=label,
        slice=where,
        items=items,
        systems=dict(zip(outcomes.systems, each, strict=True)),
        upper=upper,
        best=outcomes.systems[best],
        gain=upper - each[best],
        gain_over_best_here=upper - max(each),
        all_right=outcomes.sum(mask & right.all(axis=0)),
        none_right=items - any_right,
    )


def growth(outcomes: Outcomes, on: str, where: str | None) -> Iterator[Growth]:
    """The upper bound as systems join: the best first, then always the one that adds most."""
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
    if not outcomes.items:
        return
    right = np.stack(outcomes.right)
    alone = right.sum(axis=0) == 1
    for index, system in enumerate(outcomes.systems):
        yield Unique(on, where, system, outcomes.sum(alone & right[index]))
