"""What a difference of two systems is made of: the contribution of each group of items, which add up to it.

Of a score that is a ratio of sums N/M, an item adds (ΔN − F̄ ΔM) / M̄ to the difference, with Δ for the second system
minus the first, and F̄ and M̄ for the means of both scores and of both denominators.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, as_codes, distinct_numbers, each_once, pack_columns
from assay.classes import dataclass
from assay.engine.counts import Counts, JointCounts, as_sums, by_label, compact
from assay.engine.items import KINDS, NOTHING, Items, list_added
from assay.engine.measure import Macro, Measure, Ratio
from assay.engine.parts import DOCUMENTS, MOST_DOCUMENTS, Part
from assay.engine.scores import MeasureScores, Settings, find_gradient
from assay.result import Contribution
from assay.stats.intervals import t_quantile

GROUPS = (*KINDS, "spurious-removed", "spurious-added", "both-right", "unaligned")
"""Kinds of changes that a difference is divided by."""
FIRST_ORDER, REST = "document, to first order", "(rest)"
"""What documents are called if their contributions are of first order, and the group of what these leave."""
_BOTH_RIGHT, _UNALIGNED = GROUPS.index("both-right"), GROUPS.index("unaligned")
_REMOVED, _ADDED = GROUPS.index("spurious-removed"), GROUPS.index("spurious-added")
_ITEMS = "changed items"
"""The field that counts the items that two systems answer differently."""
MANY = 20
"""The most systems of which all pairs are divided; of more, only those with the baseline."""
_ABSENT = -2
"""The label of an item that a system does not have."""


# --- of one shard: how the counts of two systems differ ---


def list_pairs(systems: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """The pairs of systems whose differences are divided; of very many systems only those with the baseline."""
    pairs = combinations(range(len(systems)), 2)
    return [(a, b) for a, b in pairs if len(systems) <= MANY or baseline in (systems[a], systems[b])]


def subtract_counts(
    measure: Measure, tables: Sequence[Any], sentences: int, pairs: Sequence[tuple[int, int]]
) -> list[Counts] | None:
    """For each pair the counts of the second system minus those of the first, by sentence and group of items.

    A group is named by its kind of change, outcome before, outcome after, and label. None if the measure does not
    count items one by one, so that only whole sentences or documents can be compared.
    """
    by_item = measure.judges_items or measure.count is by_label
    if not by_item or not all(isinstance(one, Items) and one.grade is None for one in tables):
        return None
    rows = _Rows.of(measure, tables, pairs)
    return None if rows is None else rows.subtract_pairs(pairs, sentences)


def subtract_whole(counts: Sequence[Counts], pairs: Sequence[tuple[int, int]]) -> list[Counts]:
    """For each pair the counts of the second system minus those of the first, by sentence alone."""
    found = []
    for a, b in pairs:
        first, second = counts[a], counts[b]
        unit, values = np.append(first.unit, second.unit), np.concatenate([-first.values, second.values])
        found.append(Counts(first.fields, first.units, unit, values))
    return found


@dataclass(frozen=True, eq=False)
class _Rows:
    """The items on which systems differ: each system's answer, and what it adds to the counts of each item."""

    fields: tuple[str, ...]
    names: tuple[str, ...]
    """The labels of all systems."""
    outcomes: tuple[str, ...]
    sentence: Ints
    gold: Bools
    """Mask of the items that count as gold's."""
    is_word: Bools
    """Mask of words of systems without a counterpart in gold, which cannot be compared with each other."""
    answer: Ints
    """Systems × items: a number that is equal for equal answers …"""
    right: Bools
    """… is it right …"""
    there: Bools
    """… does the system have it …"""
    outcome: Ints
    label: Ints
    """… and its label, _ABSENT if the system has no row for it."""
    counts: Sequence[tuple[Ints, Ints, Ints]]
    """For each system the item, the label and the numbers of each row of its counts."""

    @classmethod
    def of(cls, measure: Measure, tables: Sequence[Items], pairs: Sequence[tuple[int, int]]) -> _Rows | None:
        """The items on which systems of these pairs differ; None if items cannot be identified."""
        first, known = tables[0], dict[str, int]()
        codes = [np.append(as_codes(one.labels, known), np.int32(NONE)) for one in tables]
        in_gold = [one.has_gold if one.kinds else one.gold != NONE for one in tables]
        # Columns of large corpora are not copied if all rows are gold's.
        known_rows = [slice(None) if mask.all() else np.flatnonzero(mask) for mask in in_gold]
        added = [np.flatnonzero(~mask) for mask in in_gold]
        number = int(in_gold[0].sum())
        named = not first.kinds or all(one.key is not None and one.partner is not None for one in tables)
        for one, rows, label in zip(tables[1:], known_rows[1:], codes[1:], strict=True):
            named = named and np.array_equal(one.sentence[rows], first.sentence[known_rows[0]])
            named = named and np.array_equal(label[one.gold[rows]], codes[0][first.gold[known_rows[0]]])
        if not named:
            return None
        if first.kinds:
            listed, places = list_added([("", one) for one in tables], added, codes)
            size = number + len(listed)
        else:
            ends = np.cumsum([0, *map(len, added)])
            places = [np.arange(len(rows)) + end for rows, end in zip(added, ends[:-1], strict=True)]
            size = number + int(ends[-1])
        place = []
        for one, rows, others, at in zip(tables, known_rows, added, places, strict=True):
            own = np.empty(len(one), dtype=np.int32)
            own[rows], own[others] = np.arange(number), number + at
            place.append(own)

        def by_item(column: Array, own: Ints, absent: Any) -> Array:
            if len(own) == size and not any(map(len, added)):
                return column
            spread = np.full(size, absent, dtype=column.dtype)
            spread[own] = column
            return spread

        gold, differs = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
        columns: list[list[Array]] = []
        for one, own, label in zip(tables, place, codes, strict=True):
            gold[own] |= one.has_gold
            there = one.has_system[0] | ~one.has_gold if one.kinds else one.has_system[0]
            outcome = one.kind[0] if one.kinds else (~one.right[0]).astype(np.int8)
            # An item that a system does not add is right.
            mine = [by_item(one.right[0], own, True), by_item(there, own, False)]
            mine.append(by_item(outcome, own, len(one.kinds) or 2))
            further = [one.found, one.credits, one.target if "target" in one.same else None]
            rows_of = [row for column in further if column is not None for row in np.atleast_2d(column[0])]
            rows_of += [label[one.answer[0]], *one.marks.values(), *([] if one.label is None else [label[one.label]])]
            columns.append([*mine, *(by_item(column, own, NONE) for column in rows_of)])
        involved = sorted({system for pair in pairs for system in pair})
        for system in involved[1:]:
            for other, column in zip(columns[involved[0]], columns[system], strict=True):
                differs |= other != column
        chosen = np.flatnonzero(differs)
        right, there, outcome = (np.stack([mine[position][chosen] for mine in columns]) for position in range(3))
        shape = (len(tables), len(chosen))
        answer = pack_columns(
            *(np.concatenate([one[chosen] for one in column]) for column in zip(*columns, strict=True))
        )
        del columns
        number_of = np.cumsum(differs, dtype=np.int32) - 1
        sentence, labels = np.full(len(chosen), NONE, dtype=np.int64), np.full(shape, _ABSENT, dtype=np.int32)
        counted: list[tuple[Ints, Ints, Ints]] = []
        fields: tuple[str, ...] = ()
        for system, (table, own, coded) in enumerate(zip(tables, place, codes, strict=True)):
            rows = np.flatnonzero(differs[own])
            one, item = table.where(rows), number_of[own[rows]]
            label = coded[np.where(one.gold != NONE, one.gold, one.answer[0])]
            labels[system, item], sentence[item] = label, one.sentence
            alone = replace(one, sentence=np.arange(len(one)), sums=dict.fromkeys(one.sums, 0 * rows))
            counts = measure.counts_of(alone, len(one))
            label = label[counts.unit] if counts.label is None else coded[counts.label]
            counted.append((item[counts.unit], label, counts.values))
            fields = counts.fields
        return cls(
            fields=fields,
            names=(*known, NOTHING),
            outcomes=(*(first.kinds or ("right", "wrong")), "none"),
            sentence=sentence,
            gold=gold[chosen],
            is_word=(chosen >= number) & (not first.kinds),
            answer=answer.reshape(shape),
            right=right,
            there=there,
            outcome=outcome,
            label=labels,
            counts=counted,
        )

    def subtract_pairs(self, pairs: Sequence[tuple[int, int]], sentences: int) -> list[Counts]:
        """For each pair the counts of B minus those of A, by sentence and group."""
        parts = [self._subtract(a, b, sentences) for a, b in pairs]
        groups = each_once(np.concatenate([group for group, _ in parts]))
        rest, label = np.divmod(groups, len(self.names))
        rest, new = np.divmod(rest, len(self.outcomes))
        kind, old = np.divmod(rest, len(self.outcomes))
        keys = tuple(
            "\t".join((GROUPS[what], self.outcomes[first], self.outcomes[second], self.names[named]))
            for what, first, second, named in zip(
                *(column.tolist() for column in (kind, old, new, label)), strict=True
            )
        )
        return [
            replace(counts, labels=keys, label=np.searchsorted(groups, group).astype(np.int32)[counts.label])
            for group, counts in parts
        ]

    def _subtract(self, a: int, b: int, sentences: int) -> tuple[Ints, Counts]:
        """The groups of one pair as numbers, and its counts by sentence and group."""
        differs = self.answer[a] != self.answer[b]
        changed = np.flatnonzero(differs)
        (before, after), (there_a, there_b), (old, new) = (
            column[[a, b]][:, changed] for column in (self.right, self.there, self.outcome)
        )
        gold, labels = self.gold[changed], self.label[[a, b]][:, changed]
        of_gold = np.where(before, np.where(after, _BOTH_RIGHT, 1), np.where(after, 0, 2))
        of_system = np.where(there_a, np.where(there_b, 2, _REMOVED), _ADDED)
        kind = np.where(self.is_word[changed], _UNALIGNED, np.where(gold, of_gold, of_system)).astype(np.int64)
        change = np.zeros(len(differs), dtype=np.int64)
        change[changed] = (kind * len(self.outcomes) + old) * len(self.outcomes) + new
        # The changed items themselves, and their counts, negative for A.
        there = gold | there_a | there_b
        items, item_labels = [changed[there]], [np.where(labels[1] == _ABSENT, *labels)[there]]
        values = [np.zeros((len(items[0]), len(self.fields)), dtype=np.int64)]
        for system, sign in ((a, -1), (b, 1)):
            own_item, own_label, own_values = self.counts[system]
            rows = differs[own_item]
            items.append(own_item[rows])
            item_labels.append(own_label[rows])
            values.append(sign * own_values[rows])
        item, label = np.concatenate(items), np.concatenate(item_labels)
        # No label is the last name.
        key = change[item] * len(self.names) + np.where(label == NONE, len(self.names) - 1, label)
        room = len(GROUPS) * len(self.outcomes) ** 2 * len(self.names)
        groups, group, _ = distinct_numbers(key, room)
        is_item = (np.arange(len(item)) < len(items[0])).astype(np.int64)
        table = np.column_stack([np.concatenate(values), is_item])
        names = ("",) * len(groups)
        return groups, compact(
            Counts((*self.fields, _ITEMS), sentences, self.sentence[item], table, names, group.astype(np.int32))
        )


# --- of all shards: contributions ---


def contribution_rows(part: Part, settings: Settings) -> Iterator[Contribution]:
    """Parts of each difference of main scores, by kind of change, label, outcome, document and slice."""
    systems = part.plan.judged
    pairs = list_pairs(systems, part.plan.options.baseline)
    for index, measure in enumerate(part.plan.measures):
        counts = part.counts[index, None, part.unit]
        if not isinstance(counts, JointCounts) or not counts.units:
            continue
        scores = MeasureScores(measure, None, counts, settings)
        if measure.main not in scores.every:
            continue
        changed, documents = (part.changed.get((index, unit)) for unit in (part.unit, DOCUMENTS))
        tables = changed.labelled() if changed is not None and changed.labels else []
        keys = [name.split("\t") for name in changed.labels or ()] if changed is not None else []
        for number, (a, b) in enumerate(pairs):
            if np.isnan(scores.values(measure.main)[[a, b]]).any():
                continue
            divided, rows = Division(scores, a, b), list[tuple[Any, ...]]()
            if changed is not None and tables:
                rows += divided.by_item(changed, keys, tables[number], number, bool(part.plan.kinds[index]))
            if documents is not None and documents.named and len(documents.names or ()) != part.number("sentence"):
                rows += divided.by_document(documents.names or (), documents.named[number])
            rows += divided.by_slice(part, index)
            for row in rows:
                yield Contribution(systems[a], systems[b], str(measure), measure.main, *row)


class Division:
    """The difference of two systems on the main score of a measure, divided among groups."""

    def __init__(self, scores: MeasureScores, a: int, b: int) -> None:
        name, self.fields, self.systems = scores.measure.main, scores.fields, (a, b)
        self.read, self.units, self.labels = scores.tallies.read, scores.tallies.units, scores.tallies.labels
        self.values, function = scores.values(name)[[a, b]], scores.every[name]
        totals = np.stack([scores.totals[system].astype(np.float64) for system in (a, b)])
        self.change, mean = totals[1] - totals[0], self.values.mean()
        self.reach = t_quantile(0.975, scores.degrees(name, (a, b))) if self.units > 1 else math.nan
        self.ratio, self.slope = function if isinstance(function, Ratio) else None, np.zeros(0)
        self.codes: dict[str, int] | None = None
        if self.ratio is not None:
            self.mean = np.array([mean])
            self.whole = self.ratio.total(as_sums(totals, self.fields)).mean(keepdims=True)
        elif isinstance(function, Macro) and isinstance(function.score, Ratio) and self.labels is not None:
            # Each label's own division, divided by the number of labels. Labels that only one system has change that
            # number, which is a denominator too.
            self.ratio, self.codes = function.score, {label: code for code, label in enumerate(self.labels)}
            sums = as_sums(np.stack([scores.tallies.totals[system] for system in (a, b)]), self.fields)
            counted, total = function.counts(sums), self.ratio.total(sums).mean(axis=0)
            number = counted.sum(axis=1).mean()
            self.mean = np.nan_to_num(self.ratio(sums)).mean(axis=0)
            self.whole = np.where(counted.any(axis=0) & (total > 0), total * number, math.inf)
            self.extra = -mean * np.subtract(*counted[::-1].astype(np.int64)) / number
        elif name in scores.functions:
            # To first order, half-way between both systems.
            self.slope = find_gradient(function, totals.mean(axis=0)[None], self.fields)[0]

    def of_rows(self, rows: Array, labels: Sequence[str] = ()) -> Floats:
        """The contribution of each row of changed counts; `labels` has the label of each."""
        rows = rows.astype(np.float64)
        if self.ratio is None:
            return np.asarray(rows @ self.slope)
        at = 0 if self.codes is None else np.array([self.codes.get(label, 0) for label in labels], dtype=np.int64)
        sums = as_sums(rows, self.fields)
        return np.asarray((self.ratio.part(sums) - self.mean[at] * self.ratio.total(sums)) / self.whole[at])

    def is_whole(self, sums: Array) -> bool:
        """True if the counts that the score reads add up to the difference of both systems."""
        both = as_sums(np.stack([sums.astype(np.float64), self.change]), self.fields)
        read = [self.ratio.part(both), self.ratio.total(both)] if self.ratio else [both[name] for name in self.read]
        return all(first == second for first, second in read)

    def ends(self, value: float, squares: float, units: float) -> tuple[float, float]:
        """Student's interval of a group, from the sum of the squares of what units add to it."""
        variance = max(0.0, squares - value * value / units) * units / max(1.0, units - 1)
        return value - self.reach * math.sqrt(variance), value + self.reach * math.sqrt(variance)

    def by_item(
        self, changed: JointCounts, all_keys: Sequence[list[str]], table: Counts, number: int, has_outcomes: bool
    ) -> Iterator[tuple[Any, ...]]:
        """Rows by kind of change, label and outcome, from the changed counts of a pair by group and by unit."""
        totals = changed.totals[number]
        if self.ratio is None or changed.fields[:-1] != self.fields or not self.is_whole(totals.sum(axis=0)[:-1]):
            return
        assert table.label is not None
        # A pair has few of the groups of all pairs.
        used = np.bincount(table.label, minlength=len(all_keys)) > 0
        totals, keys = totals[used], [all_keys[code] for code in np.flatnonzero(used).tolist()]
        labels, items = [key[3] for key in keys], totals[:, -1].astype(np.int64)
        values = self.of_rows(totals[:, :-1], labels)
        for label, code in self.codes.items() if self.codes else ():
            if self.extra[code]:
                own = np.array([label == name for name in labels]) & (items > 0)
                values[own] += self.extra[code] * items[own] / items[own].sum()
        # In an order that does not depend on shards, and mostly is theirs.
        order = np.argsort(table.unit.astype(np.int64) * len(used) + table.label, kind="stable")
        unit, code_of = table.unit[order], (np.cumsum(used) - 1)[table.label[order]]
        amounts = self.of_rows(
            table.values[order, :-1], [labels[code] for code in code_of.tolist()] if self.codes else ()
        )
        ways: list[tuple[str, list[str]]] = [("kind", [key[0] for key in keys]), ("label", labels)]
        ways += [("outcome", [f"{key[1]} → {key[2]}" for key in keys])] * has_outcomes
        for by, names in ways:
            groups = list(dict.fromkeys(names))
            group = as_codes(names, {name: code for code, name in enumerate(groups)})
            both, place = np.unique(unit * len(groups) + group[code_of], return_inverse=True)
            of_units = np.bincount(place.ravel(), amounts)
            squares = np.bincount(both % len(groups), of_units**2, minlength=len(groups))
            sizes = np.bincount(group, items, minlength=len(groups)).astype(np.int64)
            inside = [group == code for code in range(len(groups))]
            sums = [math.fsum(values[mask].tolist()) for mask in inside]
            rows = [
                (by, name, size, value, *self.ends(value, square, changed.drawn_by_label))
                for name, size, value, square in zip(groups, sizes.tolist(), sums, squares.tolist(), strict=True)
                if size or value
            ]
            ranks = {name: place for place, name in enumerate(GROUPS)} if by == "kind" else {}
            yield from sorted(rows, key=lambda row: (ranks.get(row[1], 0), -abs(row[3]), row[1]))

    def by_document(self, names: Sequence[str], table: Counts) -> Iterator[tuple[Any, ...]]:
        """Rows by document; of scores that are no ratio of sums to first order, with what these leave."""
        rows, items = np.split(table.matrix(), [len(self.fields)], axis=1)
        is_divided = self.codes is None and (self.ratio is not None or len(self.slope) > 0)
        if not is_divided or not 1 < len(names) <= MOST_DOCUMENTS or not self.is_whole(rows.sum(axis=0)):
            return
        by, values = "document" if self.ratio is not None else FIRST_ORDER, self.of_rows(rows).tolist()
        found = [
            (by, name, int(items[place, 0]) if items.size else None, values[place], math.nan, math.nan)
            for place, name in enumerate(names)
            if rows[place].any() or items[place].any()
        ]
        yield from sorted(found, key=lambda row: (-abs(row[3]), row[1]))
        if self.ratio is None and found:
            rest = float(self.values[1] - self.values[0]) - math.fsum(values)
            yield by, REST, None, rest, math.nan, math.nan

    def by_slice(self, part: Part, index: int) -> Iterator[tuple[Any, ...]]:
        """Rows by the values of each slice that divides all items."""
        for spec, orders in part.slices.items() if self.ratio is not None and self.codes is None else ():
            counts = {value: part.counts.get((index, value, part.unit)) for value in orders[index]}
            sliced = {value: one for value, one in counts.items() if isinstance(one, JointCounts)}
            if len(sliced) < 2 or any(one.fields != self.fields for one in sliced.values()):
                continue
            changes = []
            for one in sliced.values():
                first, second = (one.totals[system] for system in self.systems)
                changes.append(second - first if one.labels is None else (second - first).sum(axis=0))
            table = np.stack(changes).astype(np.float64)
            if not self.is_whole(table.sum(axis=0)):
                continue
            found = zip(self.of_rows(table).tolist(), sliced.items(), strict=True)
            for value, (where, one) in sorted(found, key=lambda row: (-abs(row[0]), row[1][0])):
                units = one.rows(*self.systems) or one.block_rows(*self.systems)
                rows = np.zeros((len(units.rows), len(self.fields)))
                rows[:, [self.fields.index(name) for name in one.read]] = np.subtract(
                    *np.split(units.rows, 2, axis=1)[::-1]
                )
                squares = math.fsum((units.sizes * self.of_rows(rows) ** 2).tolist())
                yield f"slice:{spec}", where, None, value, *self.ends(value, squares, self.units)
