"""Items: one table of what is judged: gold's label, every system's answer to it, and the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Floats, Ints, as_codes, distinct_rows, fold_codes
from assay.classes import dataclass
from assay.corpus import KEPT, one_vocabulary
from assay.result import kind_title

ONE = 1 << 32
"""Full credit. Whole numbers add up the same way in any order and on any machine."""
CREDITS = ("assigned", "expected", "assigned-credit", "expected-credit", "weak", "strong")
KINDS = ("correction", "new-error", "changed-error")
COURSES = ("improved", "worsened")
"""Kinds of change of items that are graded, not right or wrong."""
LABEL_ORDERS = ("contribution", "difference", "frequency", "name")
"""Ways to sort the labels of two systems."""
UNRESOLVED = "unresolved"
"""The name for items that no system has right, which is used like a kind of change."""
NOTHING = "∅"
"""The name of a missing answer."""
Met = dict[tuple[str | None, str | None, str | None, bool, bool], int]
"""Numbers of items by gold's label, the system's label, outcome, right or wrong, and whether the row is a further
piece of a gold item that is counted in another row."""

# Outcomes for which an answer is shown by its label alone.
_SHOWN_BY_LABEL = ("tp", "fp", "le", "same", "same-span", "spurious")
# Outcomes that say all if labels are given, as the fields of records are.
_SAID_BY_OUTCOME = {"right", "wrong"}
_FOLDED = ("gold", "answer", "right", "target", "credits", "kind")
"""The columns that the distinct rows of a table keep."""
_HALF = 16
"""The number of bits of the lower half in which credit is summed; two halves are enough for 2^37 items."""


@dataclass(frozen=True, eq=False)
class Items:
    """A table of items, gold's first, in text order. The last axis of every column runs over items, the first axis of
    answers and outcomes over systems.

    A measure gives the table of one system; if items are matched (spans, brackets), an item may have several rows,
    but is counted in one of them. `join` makes one table for all systems, with the items that systems add; `fold`
    keeps its distinct rows and their numbers, which add up over shards.
    """

    labels: tuple[str, ...]
    """Names of the codes in `gold` and `answer`."""
    gold: Ints
    """Gold's label, NONE for a spurious item."""
    answer: Ints
    """Each system's label, NONE if it has no such item."""
    right: Bools
    sentence: Ints
    """The gold sentence of each item."""
    item: Ints
    """The number of its gold word, span or mention; for a spurious item, that of the system."""
    has_gold: Bools
    """Mask of the items that count on gold's side; the rest are spurious, repeated or left out."""
    has_system: Bools
    """Mask of the items that count on the system's side."""
    systems: tuple[str, ...] = ("",)
    owner: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """In a joined table: the first system that adds an item, NONE for gold's items."""
    found: Bools | None = None
    """Mask of the system's right items if an item may count on one side only (punctuation, arcs)."""
    selected: bool = False
    """True if the masks leave out some words (function words, punctuation, labels that do not count)."""
    target: Ints | None = None
    """The rest of an answer besides its label (a head, an antecedent), as a number that is the same in every system;
    in a joined table, its rank among the targets of all systems."""
    same: tuple[str, ...] = ("answer",)
    """Columns that must be equal for two answers to be the same."""
    credits: Ints | None = None
    """Systems × fields × items of partial credit, in units of 1/ONE; the last field is the item's score."""
    kinds: tuple[str, ...] = ()
    kind: Ints = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    """The outcome of matched items, as an index into `kinds` (`tp`, `le`, `fn` …); NONE if there is no such item."""
    label: Ints | None = None
    """The label that each row counts under."""
    partner: Ints | None = None
    """Systems × rows: the number of the system's item in each row, NONE if there is none."""
    key: Ints | None = None
    """Numbers that identify an item of any system within its sentence: its place, then its label, or NONE if labels
    do not count."""
    marks: Mapping[str, Bools] = field(default_factory=dict)
    """Further properties of rows that are counted."""
    sums: Mapping[str, Ints] = field(default_factory=dict)
    """Further numbers by name, one for each sentence of gold."""
    grade: Floats | None = None
    """Systems × items: how good each answer is if no measure says which ones are right …"""
    graded: str = ""
    """… as an `error`, for which lower is better, or as a `score`."""
    sizes: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """In a folded table, which has no places: the number of items in each row."""

    @classmethod
    def of(
        cls,
        labels: tuple[str, ...],
        sentence: Ints,
        item: Ints,
        gold: Ints,
        answer: Ints,
        right: Bools,
        **more: Any,
    ) -> Items:
        """The table of one system, from columns with one axis; without masks, items with a label count."""
        for name in ("has_system", "found", "target", "credits", "kind", "partner"):
            if more.get(name) is not None:
                more[name] = more[name][None]
        more.setdefault("has_gold", gold != NONE)
        more.setdefault("has_system", (answer != NONE)[None])
        return cls(labels, gold, answer[None], right[None], sentence, item, **more)

    def __len__(self) -> int:
        return len(self.gold)

    def where(self, rows: Bools | Ints) -> Items:
        """Some of the items."""
        columns: dict[str, Any] = {
            column_field.name: column[..., rows]
            for column_field in fields(self)
            if isinstance(column := getattr(self, column_field.name), np.ndarray) and column.shape[-1] == len(self)
        }
        return replace(self, **columns, marks={name: mark[rows] for name, mark in self.marks.items()})

    def none(self) -> Items:
        """The table without any items."""
        nothing = self.where(np.zeros(len(self), dtype=bool))
        return replace(nothing, sums={name: np.zeros_like(numbers) for name, numbers in self.sums.items()})

    def of_sides(self, gold: Ints, system: Ints) -> Ints:
        """A value for each item of one system's table: that of gold's item, or of the system's if it is spurious."""
        # Words that do not count are still gold's.
        in_gold = self.has_gold if self.kinds else self.gold != NONE
        values = np.empty(len(self), dtype=np.int64)
        values[in_gold] = gold[self.item[in_gold]]
        values[~in_gold] = system[self.item[~in_gold]]
        return values

    def judged(self, right: Bools) -> Items:
        """The table of one system with other right items, also for items that count on one side only."""
        right_in_system = None if self.found is None else right & self.has_system
        return replace(self, right=(right & self.has_gold)[None], found=right_in_system)

    def of_gold(self) -> Items:
        """Gold's items, without those that systems add."""
        return self.where(self.gold != NONE) if self.kinds else self

    def differ(self, a: int, b: int) -> Bools:
        """Mask of the items that two systems answer differently."""
        columns = [getattr(self, name) for name in self.same]
        return np.asarray(np.any([column[a] != column[b] for column in columns], axis=0))

    def change(self, a: int, b: int) -> Ints:
        """The kind of change of each item from A to B, as an index into KINDS or COURSES; -1 if there is none."""
        if self.grade is not None:
            gain = self.losses[a] - self.losses[b]
            return np.where(gain > 0, 0, np.where(gain < 0, 1, -1))
        kinds = np.where(self.right[b], 0, np.where(self.right[a], 1, 2))
        # Different answers may both be right: any of several labels, numbers within a distance.
        return np.where(self.differ(a, b) & ~(self.right[a] & self.right[b]), kinds, -1)

    @property
    def losses(self) -> Floats:
        """The error of each graded answer; scores have the other sign."""
        assert self.grade is not None
        return -self.grade if self.graded == "score" else self.grade

    def of_pair(self, a: int, b: int) -> Items:
        """The items of two systems, without those that neither gold nor one of them has."""
        columns: dict[str, Any] = {
            name: column[[a, b]]
            for name in ("answer", "right", "has_system", "target", "credits", "kind")
            if (column := getattr(self, name)) is not None and column.ndim > 1 and len(column)
        }
        pair = replace(self, systems=(self.systems[a], self.systems[b]), **columns)
        return pair.where((pair.gold != NONE) | ~pair.right.all(axis=0)) if self.kinds else pair

    def moved(self, a: int, b: int) -> Bools:
        """Mask of the matched items with the same label and outcome in two systems, but different targets."""
        if not self.kinds or self.target is None or "target" not in self.same:
            return np.zeros(len(self), dtype=bool)
        return np.asarray((self.answer[a] == self.answer[b]) & (self.target[a] != self.target[b]))

    def moved_name(self, code: int, kind: int) -> str:
        """The name of an answer that differs only in its target: `nsubj (head)` becomes `nsubj (other head)`."""
        title = kind_title(self.kinds[kind])
        if self.labels[code] == title:
            return f"other {title}"
        return f"{self.labels[code].removesuffix(f' ({title})')} (other {title})"

    # --- distinct rows, and sums over them ---

    def fold(self) -> Items:
        """The distinct rows and the number of items of each; merging shards adds such tables."""
        return self.fold_groups()[0]

    def fold_groups(self) -> tuple[Items, Ints]:
        """The distinct rows, and the number of each item's row."""
        # The column `right` is not needed if it follows from the labels.
        by_label = np.array_equal(self.right, self.answer == self.gold)
        columns = [self.gold, *self.answer, *(() if by_label else self.right.astype(np.int8)), *self.kind]
        rows, sizes, group = fold_codes([*columns, *(() if self.target is None else self.target)], self.sizes)
        distinct = self.where(rows)
        kept: dict[str, Any] = {name: getattr(distinct, name) for name in _FOLDED}
        kept |= dict.fromkeys(("sentence", "item", "has_gold", "has_system"), self.gold[:0])
        more: dict[str, Any] = {"systems": self.systems, "same": self.same, "kinds": self.kinds, "sizes": sizes}
        return Items(self.labels, **kept, **more), group

    def __add__(self, other: Items) -> Items:
        """The distinct rows of two parts of the text, with labels merged by name; credit follows from the labels."""
        assert (self.systems, self.kinds) == (other.systems, other.kinds), "only like tables can be added"
        codes: dict[str, int] = {label: code for code, label in enumerate(self.labels)}
        recoded = np.append(as_codes(other.labels, codes), NONE)
        recoded_other = replace(other, gold=recoded[other.gold], answer=recoded[other.answer])
        columns: dict[str, Any] = {
            name: np.concatenate([mine, getattr(recoded_other, name)], axis=-1)
            for name in (*_FOLDED, "sizes")
            if (mine := getattr(self, name)) is not None
        }
        return replace(self, labels=tuple(codes), **columns).fold()

    @property
    def total(self) -> int:
        """The number of items in all rows."""
        return int(self.sizes.sum())

    def sum(self, mask: Bools) -> int:
        """The number of items in some rows."""
        return int(self.sizes[mask].sum())

    def by_group(self, values: Ints | Bools, group: Ints, groups: int) -> list[int]:
        """The sum of values over the items of each group, in Python's numbers, because credit can exceed 64 bits."""
        high, low = (
            np.bincount(group, self.sizes * part, minlength=groups).tolist()
            for part in (values.astype(np.int64) >> _HALF, values.astype(np.int64) & ((1 << _HALF) - 1))
        )
        return [(int(above) << _HALF) + int(below) for above, below in zip(high, low, strict=True)]

    def score(self, credit: Ints, mask: Bools) -> float:
        """The mean credit of the items in some rows."""
        (total,) = self.by_group(credit * mask, np.zeros_like(self.gold), 1)
        return float(total / (ONE * self.sum(mask)))

    def renamed(self, names: Sequence[str]) -> Items:
        """The table with other labels, such as the values of a category, without rows in which no side has one."""
        codes: dict[str, int] = {}
        recoded = np.append(as_codes(names, codes), NONE)
        columns = recoded[np.stack([self.gold, *self.answer])]
        absent = codes.get(NOTHING, NONE)
        kept = ~np.all((columns == absent) | (columns == NONE), axis=0)
        gold, answer = columns[0, kept], columns[1:, kept]
        right = np.asarray(answer == gold)
        return replace(self.where(kept), labels=tuple(codes), gold=gold, answer=answer, right=right, credits=None)


def judge_words(pair: Pair, column: str | None = None) -> Items:
    """The words as items by a column: gold's words in order, then the system's words without a counterpart."""
    name = column or pair.column
    return pair.once(f"words by {name}", lambda: _judge_words(pair, name))


def _judge_words(pair: Pair, name: str) -> Items:
    vocabulary, (gold_codes, system_codes) = one_vocabulary(pair.labels(name))
    missing = pair.without_gold(name)
    # Words without a gold label cannot be judged, in either segmentation.
    gold_mask, system_mask = pair.left_open(name) if pair.symmetric else (missing, missing[pair.covering])
    kept = np.flatnonzero(~pair.skipped[pair.gold.sentence_of] & ~gold_mask)
    assigned = np.full(len(pair.gold), NONE, dtype=np.int32)
    assigned[pair.gold_words] = system_codes[pair.system_words]
    extra = (pair.system_sentence >= 0) & ~system_mask
    extra[pair.system_words] = False
    spurious = np.flatnonzero(extra)
    if len(kept) == len(pair.gold_words) == len(pair.gold) and not len(spurious):
        # All words of a large corpus: what all systems have in common is not copied for each.
        gold, answer, sentence, item = gold_codes.astype(np.int32), assigned, pair.gold.sentence_of, pair.gold_words
    else:
        gold = np.append(gold_codes[kept].astype(np.int32), np.full(len(spurious), NONE, dtype=np.int32))
        answer = np.append(assigned[kept], system_codes[spurious].astype(np.int32))
        sentence = np.append(pair.gold.sentence_of[kept], pair.system_sentence[spurious])
        item = np.append(kept, spurious)
    items = Items.of(vocabulary, sentence, item, gold, answer, right=gold == answer)
    if KEPT not in pair.gold.columns:
        return items
    # Words whose labels count: gold's labels for recall, the system's for precision.
    gold_mask, system_mask = (
        np.append(corpus.column(KEPT).isin([KEPT]), False)[words]
        for corpus, words in zip((pair.gold, pair.system), words_of(pair, items), strict=True)
    )
    selected = replace(items, has_gold=gold_mask, has_system=system_mask[None], selected=True, found=items.right)
    return selected.judged(items.right[0])


def words_of(pair: Pair, items: Items) -> tuple[Ints, Ints]:
    """The gold word and the system's word of each item; NONE if there is none."""
    counterpart = np.full(len(pair.gold) + 1, NONE)
    counterpart[pair.gold_words] = pair.system_words
    has_gold = items.gold != NONE
    gold = np.where(has_gold, items.item, NONE)
    return gold, np.where(has_gold, counterpart[gold], items.item)


def join(tables: Sequence[tuple[str, Items]]) -> Items:
    """One table of several systems: gold's items, which are the same in all, and those that systems add."""
    first = tables[0][1]
    codes_of: dict[str, int] = {}
    recoded = [np.append(as_codes(items.labels, codes_of), np.int32(NONE)) for _, items in tables]
    answers: list[Any] = []
    for (_, items), codes in zip(tables, recoded, strict=True):
        answer = codes[items.answer]
        if items.kinds:
            # If items are matched, the name of an answer includes its error type.
            distinct, group, _ = distinct_rows(np.stack([items.kind[0], items.answer[0]], axis=1).astype(np.int64))
            texts: list[int] = []
            for kind, label in distinct.tolist():
                says = items.kinds[kind]
                text = items.labels[label]
                if says not in _SHOWN_BY_LABEL:
                    is_given = {*items.kinds} >= _SAID_BY_OUTCOME
                    text = says if is_given else f"{text} ({kind_title(says)})"
                texts.append(NONE if label == NONE else codes_of.setdefault(text, len(codes_of)))
            answer = np.array(texts, dtype=np.int32)[None, group]
        answers.append(answer)
    # Columns of large corpora are not copied if all rows are gold's.
    gold_rows = [slice(None) if items.has_gold.all() else np.flatnonzero(items.has_gold) for _, items in tables]
    added_rows = [np.flatnonzero(~items.has_gold)[: len(items) if first.kinds else 0] for _, items in tables]
    added, places = (
        list_added(tables, added_rows, recoded) if first.kinds else (np.zeros((0, 3), dtype=np.int64), added_rows)
    )
    number = int(first.has_gold.sum())
    size = number + len(added)

    def place_column(columns: Sequence[Any], absent: Any) -> Any:
        """A column of each system's table as systems × items; None if the tables do not have it."""
        if columns[0] is None:
            return None
        table = np.full((len(tables), size), absent, dtype=columns[0].dtype)
        for row, column, here, mine, at in zip(table, columns, gold_rows, added_rows, places, strict=True):
            row[:number], row[number + at] = column[0, here], column[0, mine]
        return table

    right = place_column([items.right for _, items in tables], True)
    if len(added):
        # An added item is wrong, and not adding it is right.
        right[:, number:] = True
        for row, at in zip(right, places, strict=True):
            row[number + at] = False
    target = place_column([items.target for _, items in tables], 0)
    if target is not None:
        # Items that only systems have can have only one target.
        target[:, number:] = 0
        # As ranks, so that no order of systems matters.
        new = [~np.any(target[:system] == row, axis=0) for system, row in enumerate(target)]
        below = [sum((row > other) & own for other, own in zip(target, new, strict=True)) for row in target]
        target = np.stack(below).astype(np.int16)
    credits_ = None
    if first.credits is not None:
        credits_ = place_column([items.credits[:, -1] for _, items in tables if items.credits is not None], 0)[
            :, None
        ]

    def of_all(column: Ints, further: Ints) -> Ints:
        """A column of gold's items, and of those that systems add."""
        return np.concatenate([column, further]) if len(further) else column

    gold = of_all(recoded[0][first.gold[gold_rows[0]]], np.full(len(added), NONE, dtype=np.int32))
    answer = place_column(answers, NONE)
    return Items(
        labels=tuple(codes_of),
        gold=gold,
        answer=answer,
        right=right,
        sentence=of_all(first.sentence[gold_rows[0]], added[:, 0]),
        item=of_all(first.item[gold_rows[0]], added[:, 1]),
        has_gold=np.arange(size) < number,
        has_system=answer != NONE,
        systems=tuple(name for name, _ in tables),
        owner=of_all(np.full(number, NONE, dtype=np.int32), added[:, 2]),
        target=target,
        same=first.same,
        credits=credits_,
        kinds=first.kinds,
        kind=place_column([items.kind for _, items in tables], NONE) if first.kinds else first.kind,
        partner=place_column([items.partner for _, items in tables], NONE),
        grade=place_column([items.grade for _, items in tables], 0.0),
        graded=first.graded,
    )


def list_added(
    tables: Sequence[tuple[str, Items]], added_rows: Sequence[Ints], recoded: Sequence[Ints]
) -> tuple[Ints, list[Ints]]:
    """The items that systems add, as rows of (sentence, item, first system), and the row of each system's items."""
    rows, keys = [], []
    for system, ((_, table), mine, codes) in enumerate(zip(tables, added_rows, recoded, strict=True)):
        assert table.key is not None and table.partner is not None
        rows.append(np.stack([table.sentence[mine], table.partner[0, mine], np.full(len(mine), system)], axis=1))
        keys.append(np.stack([table.sentence[mine], *table.key[:-1, mine], codes[table.key[-1, mine]]], axis=1))
    listed = np.concatenate(rows)
    _, group, _ = distinct_rows(np.concatenate(keys).astype(np.int64))
    # The n-th repetition of an item belongs to the n-th repetition in another system.
    order = np.lexsort((np.arange(len(group)), group, listed[:, 2]))
    runs = np.flatnonzero(np.append(True, np.diff(group[order]) | np.diff(listed[order, 2]))) if len(order) else order
    repeated = np.empty(len(group), dtype=np.int64)
    repeated[order] = np.arange(len(order)) - np.repeat(runs, np.diff(np.append(runs, len(order))))
    _, first, group = np.unique(group * (len(group) + 1) + repeated, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    ends = np.cumsum([len(mine) for mine in added_rows])[:-1]
    return listed[np.sort(first)], np.split(place[group.ravel()], ends)


def count_label_pairs(items: Items) -> Met:
    """The numbers of items by gold's and the system's label and outcome; for words, only of spurious ones."""
    rows = np.arange(len(items)) if items.kinds else np.flatnonzero(items.has_system[0] & (items.gold == NONE))
    kind = items.kind[0] if items.kinds else np.full(len(items), NONE)
    pieces = (items.gold != NONE) & ~items.has_gold
    columns = [column[rows] for column in (items.gold, items.answer[0], kind, pieces.astype(np.int64))]
    firsts, sizes, _ = fold_codes(columns)
    names, kinds = (*items.labels, None), (*items.kinds, None)
    pairs: Met = {}
    for row, size in zip(rows[firsts].tolist(), sizes.tolist(), strict=True):
        right = bool(items.kinds) and bool(items.right[0, row])
        pairs[names[items.gold[row]], names[items.answer[0, row]], kinds[kind[row]], right, bool(pieces[row])] = size
    return pairs
