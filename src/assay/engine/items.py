"""What became of every item under every system, and tables of it that add up over stretches of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints, as_codes, distinct_rows, fold_codes
from assay.engine.judgements import ONE, Judgements
from assay.result import Bound

KINDS = ("correction", "new-error", "changed-error")
LABEL_ORDERS = ("effect", "difference", "frequency", "name")
"""What the labels of two systems can be sorted by."""
UNRESOLVED = "unresolved"
"""No change: what no system has right."""


@dataclass(frozen=True, eq=False)
class Items:
    """The items of gold, those that systems add where items are found, and every system's answer to each."""

    systems: tuple[str, ...]
    labels: tuple[str, ...]
    sentence: Ints
    item: Ints
    """The number of the gold item, or of the item of a system that adds it …"""
    owner: Ints
    """… which system that is, NONE for gold's."""
    gold: Ints
    """Gold's label, NONE for items that a system adds."""
    answers: tuple[Ints, ...]
    right: tuple[Bools, ...]
    kinds: tuple[str, ...] = ()
    kind: tuple[Ints, ...] = ()
    """Where items are matched: what became of each item in each system, as an index into `kinds`, NONE: not there."""
    credit: tuple[Ints, ...] = ()
    """For graded measures each item's score, in units of 1/ONE."""
    heads: tuple[Ints, ...] = ()
    """For arcs: the first system that attaches the item where each system does."""
    labels_count: bool = True
    links: tuple[Ints, ...] = ()
    """For mentions: the first system that links the item to the wrong antecedent that each system has."""
    links_count: bool = False

    @classmethod
    def of(cls, judged: Sequence[tuple[str, Judgements]]) -> Items:
        """The items of several systems' judgements; gold and so its items are the same in all."""
        known: dict[str, int] = {}
        answers, rights = [], []
        first = judged[0][1]
        has_gold = first.has_gold
        gold: Ints = np.zeros(0, dtype=np.int64)
        for _, judgements in judged:
            recoded = np.append(as_codes(judgements.labels, known), NONE)
            mask = judgements.has_gold
            answers.append(_answers(judgements, mask, known))
            rights.append(judgements.right[mask])
            gold = recoded[judgements.gold[mask]]
        items = cls(
            systems=tuple(name for name, _ in judged),
            labels=tuple(known),
            sentence=first.sentence[has_gold],
            item=first.item[has_gold],
            owner=np.full(len(gold), NONE),
            gold=gold,
            answers=tuple(answers),
            right=tuple(rights),
            credit=tuple(
                judgements.credits[judgements.has_gold, -1]
                for _, judgements in judged
                if judgements.credits is not None
            ),
            heads=_first_alike([j.heads[j.has_gold] for _, j in judged if j.heads is not None]),
            labels_count=first.labels_count,
            links=_first_alike([j.links[j.has_gold] for _, j in judged if j.links is not None]),
            links_count=first.links_count,
        )
        return items if first.matches is None else _with_added(items, judged, known)

    def of_gold(self) -> Items:
        """Gold's items, without those that systems add; their labels and what became of them."""
        mine = self.owner == NONE
        return replace(
            self,
            sentence=self.sentence[mine],
            item=self.item[mine],
            owner=self.owner[mine],
            gold=self.gold[mine],
            answers=tuple(column[mine] for column in self.answers),
            right=tuple(column[mine] for column in self.right),
            kind=tuple(column[mine] for column in self.kind),
            links=tuple(column[mine] for column in self.links),
        )

    def change(self, a: int, b: int) -> Ints:
        """For each item the kind of change from A to B as an index into KINDS, -1 where there is none."""
        different = differ(self, a, b)
        kinds = np.where(self.right[b], 0, np.where(self.right[a], 1, 2))
        return np.where(different, kinds, -1)

    @cached_property
    def outcomes(self) -> Outcomes:
        """The items as a table of distinct outcomes; adding up such tables is all that merging needs."""
        rights = (right.astype(np.int8) for right in self.right)
        columns = [self.gold, *self.answers, *rights, *self.kind, *self.heads, *self.links]
        rows, sizes = fold_codes(columns)
        return Outcomes(
            self.systems,
            self.labels,
            sizes,
            self.gold[rows],
            tuple(answers[rows] for answers in self.answers),
            tuple(right[rows] for right in self.right),
            tuple(credit[rows] for credit in self.credit),
            self.kinds,
            tuple(kind[rows] for kind in self.kind),
            tuple(heads[rows] for heads in self.heads),
            self.labels_count,
            tuple(links[rows] for links in self.links),
            self.links_count,
        )


def _first_alike(columns: Sequence[Ints]) -> tuple[Ints, ...]:
    """For each column the number of the first one that has the same there: what is alike, without what it is."""
    alike = []
    for column in columns:
        same = np.stack([other == column for other in columns])
        alike.append(same.argmax(axis=0).astype(np.int8))
    return tuple(alike)


def alike(items: Items) -> list[Ints]:
    """For each system and item the first system whose answer is the same."""
    found: list[Ints] = []
    for system in range(len(items.systems)):
        first = np.full(len(items.gold), system, dtype=np.int64)
        for other in range(system - 1, -1, -1):
            first[~differ(items, other, system)] = other
        found.append(first)
    return found


def differ(items: Items | Outcomes, a: int, b: int) -> Bools:
    """Whether two systems answer differently: another label or, for arcs, another head.

    What else a measure asks for (a lemma, say) shows in one being right and the other not.
    """
    labels = items.answers[a] != items.answers[b]
    if items.links_count:
        return np.asarray(labels | (items.links[a] != items.links[b]))
    if not items.heads:
        return np.asarray(labels)
    heads = (items.heads[a] != items.heads[b]) | (items.right[a] != items.right[b])
    return np.asarray(heads | labels if items.labels_count else heads)


# Where the label alone says what an item was taken for.
_LABEL_SAYS_IT = ("tp", "fp", "le", "same", "same-span", "spurious")
_TITLES = {"bes": "BEs", "bel": "BEl", "beo": "BEo", "lbe": "LBE", "ge": "GE", "wl": "WL"}


def _answers(judgements: Judgements, mask: Bools, known: dict[str, int]) -> Ints:
    """What a system says to items: a label, and where they are matched, what else is wrong."""
    if judgements.matches is None:
        return np.append(as_codes(judgements.labels, known), NONE)[judgements.system[mask]]
    kinds = judgements.matches.kinds
    rows = np.stack([judgements.matches.kind[mask], judgements.system[mask]], axis=1)
    distinct, group, _ = distinct_rows(rows.astype(np.int64))
    codes = []
    for kind, label in distinct.tolist():
        plain = label == NONE or kinds[kind] in _LABEL_SAYS_IT
        text = "" if label == NONE else judgements.labels[label]
        text = text if plain else f"{text} ({_TITLES.get(kinds[kind], kinds[kind])})"
        codes.append(NONE if label == NONE else known.setdefault(text, len(known)))
    return np.array(codes, dtype=np.int64)[group]


def _with_added(items: Items, judged: Sequence[tuple[str, Judgements]], known: dict[str, int]) -> Items:
    """The items and those that systems add; what a system does not add is right there."""
    added, places = _added(judged)
    size = len(added)
    answers, rights, kinds = [], [], []
    for (_, judgements), at, given, right in zip(judged, places, items.answers, items.right, strict=True):
        matches = judgements.matches
        assert matches is not None
        answer, kind = np.full(size, NONE, dtype=np.int64), np.full(size, NONE, dtype=np.int64)
        answer[at] = _answers(judgements, ~matches.new_gold, known)
        kind[at] = matches.kind[~matches.new_gold]
        answers.append(np.concatenate([given, answer]))
        rights.append(np.concatenate([right, kind == NONE]))
        kinds.append(np.concatenate([matches.kind[judgements.has_gold], kind]))
    first = judged[0][1].matches
    assert first is not None
    # A mention that gold does not resolve has no wrong link but the only one it can have.
    nothing = np.zeros(size, dtype=np.int8)
    return replace(
        items,
        links=tuple(np.concatenate([links, nothing]) for links in items.links),
        labels=tuple(known),
        sentence=np.concatenate([items.sentence, added[:, 0]]),
        item=np.concatenate([items.item, added[:, 1]]),
        owner=np.concatenate([items.owner, added[:, 2]]),
        gold=np.concatenate([items.gold, np.full(size, NONE)]),
        answers=tuple(answers),
        right=tuple(rights),
        kinds=first.kinds,
        kind=tuple(kinds),
    )


def _added(judged: Sequence[tuple[str, Judgements]]) -> tuple[Ints, list[Ints]]:
    """What systems add, as rows of (sentence, item, the first system that has it), and each system's places there."""
    place: dict[Hashable, int] = {}
    rows: list[tuple[int, int, int]] = []
    places: list[Ints] = []
    for system, (_, judgements) in enumerate(judged):
        matches = judgements.matches
        assert matches is not None
        repeated: Counter[Hashable] = Counter()
        mine = []
        for row in np.flatnonzero(~matches.new_gold).tolist():
            partner = int(matches.partner[row])
            # With a single system there is nothing that its items could be the same as.
            identity = matches.identity(partner) if len(judged) > 1 else row
            repeated[identity] += 1
            mine.append(place.setdefault((identity, repeated[identity]), len(place)))
            if mine[-1] == len(rows):
                rows.append((int(judgements.sentence[row]), partner, system))
        places.append(np.array(mine, dtype=np.int64))
    return np.array(rows, dtype=np.int64).reshape(-1, 3), places


_HALF = 16
"""Credit is summed up in two halves of so many bits, which fit for up to 2^37 items."""


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
    kinds: tuple[str, ...] = ()
    kind: tuple[Ints, ...] = ()
    heads: tuple[Ints, ...] = ()
    labels_count: bool = True
    links: tuple[Ints, ...] = ()
    links_count: bool = False

    @property
    def items(self) -> int:
        """The number of items."""
        return int(self.sizes.sum())

    def where(self, mask: Bools | Ints) -> Outcomes:
        """Some of the outcomes."""
        return replace(
            self,
            sizes=self.sizes[mask],
            gold=self.gold[mask],
            answers=tuple(column[mask] for column in self.answers),
            right=tuple(column[mask] for column in self.right),
            credit=tuple(column[mask] for column in self.credit),
            kind=tuple(column[mask] for column in self.kind),
            heads=tuple(column[mask] for column in self.heads),
            links=tuple(column[mask] for column in self.links),
        )

    def of_gold(self) -> Outcomes:
        """The outcomes of gold's items, without those that systems add."""
        return self.where(self.gold != NONE) if self.kinds else self

    def of_pair(self, a: int, b: int) -> Outcomes:
        """The outcomes under two systems, of the items that gold or one of them has."""
        columns: dict[str, Any] = {
            name: tuple(getattr(self, name)[index] for index in (a, b)) for name in self._by_system
        }
        pair = replace(self, systems=(self.systems[a], self.systems[b]), **columns)
        return pair.where((pair.gold != NONE) | ~(pair.right[0] & pair.right[1])) if self.kinds else pair

    @property
    def _by_system(self) -> list[str]:
        """The columns of which each system has one, without those that are not there."""
        return [name for name in ("answers", "right", "credit", "kind", "heads", "links") if getattr(self, name)]

    def __add__(self, other: Outcomes) -> Outcomes:
        """The outcomes of two stretches of text, labels united by name."""
        known: dict[str, int] = {label: code for code, label in enumerate(self.labels)}
        recoded = np.append(as_codes(other.labels, known), NONE)
        theirs = replace(other, gold=recoded[other.gold], answers=tuple(recoded[column] for column in other.answers))
        both = replace(self, labels=tuple(known), kinds=self.kinds or other.kinds, **_columns_of_both(self, theirs))
        # Credit follows from the labels.
        rights = (right.astype(np.int8) for right in both.right)
        columns = (both.gold, *both.answers, *rights, *both.kind, *both.heads, *both.links)
        distinct, group, _ = distinct_rows(np.stack([column.astype(np.int64) for column in columns], axis=1))
        row_of = np.empty(len(distinct), dtype=np.int64)
        row_of[group] = np.arange(len(group))
        sizes = np.bincount(group, weights=both.sizes, minlength=len(distinct)).astype(np.int64)
        return replace(both.where(row_of), sizes=sizes)

    def name(self, code: int) -> str:
        """A label by its code; a missing answer is ∅."""
        return "∅" if code == NONE else self.labels[code]

    def outcome(self, kind: int) -> str:
        """What became of an item, by its code; `none`: it is not there."""
        return "none" if kind == NONE else self.kinds[kind]

    def sum(self, mask: Bools) -> int:
        """The number of items of some outcomes."""
        return int(self.sizes[mask].sum())

    def by_group(self, values: Ints | Bools, group: Ints, groups: int) -> list[int]:
        """The sum of some values over the items of each group, in whole numbers: sums of credit outgrow 64 bits."""
        high, low = (
            np.bincount(group, self.sizes * part, minlength=groups).tolist()
            for part in (values.astype(np.int64) >> _HALF, values.astype(np.int64) & ((1 << _HALF) - 1))
        )
        return [(int(above) << _HALF) + int(below) for above, below in zip(high, low, strict=True)]

    def score(self, credit: Ints, mask: Bools) -> float:
        """The mean credit of the items of some outcomes."""
        (total,) = self.by_group(credit * mask, np.zeros_like(self.gold), 1)
        return float(total / (ONE * self.sum(mask)))

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


def _columns_of_both(first: Outcomes, second: Outcomes) -> dict[str, Any]:
    columns = ("answers", "right", "credit", "kind", "heads", "links")
    both: dict[str, Any] = {
        name: tuple(map(_joined, getattr(first, name), getattr(second, name))) for name in columns
    }
    return {**both, **{name: _joined(getattr(first, name), getattr(second, name)) for name in ("gold", "sizes")}}


def _joined(first: Ints, second: Ints) -> Ints:
    return np.concatenate([first, second])


# --- tables beside the outcomes ---


Met = dict[tuple[str | None, str | None, str | None, bool, bool], int]
"""How often a gold label meets a system's, each kind of outcome by itself, whether that is right, and whether it is a
further piece of an item of gold's that is counted in another row."""


def spurious(judgements: Judgements) -> Met:
    """The labels of the words that only the system has."""
    mask = judgements.has_system & (judgements.gold == NONE)
    labels, sizes = np.unique(judgements.system[mask], return_counts=True)
    return {
        (None, judgements.labels[code], None, False, False): size
        for code, size in zip(labels.tolist(), sizes.tolist(), strict=True)
    }


def matched(judgements: Judgements) -> Met:
    """Gold label against the system's in every row, errors and hits, each kind by itself."""
    assert judgements.matches is not None
    names = np.array([*judgements.labels, None], dtype=object)
    pieces = (judgements.gold != NONE) & ~judgements.matches.new_gold
    rows, sizes = fold_codes((judgements.gold, judgements.system, judgements.matches.kind, pieces.astype(np.int64)))
    found: Met = {}
    for row, size in zip(rows.tolist(), sizes.tolist(), strict=True):
        kind = judgements.matches.kinds[int(judgements.matches.kind[row])]
        gold, assigned = names[judgements.gold[row]], names[judgements.system[row]]
        found[gold, assigned, kind, bool(judgements.right[row]), bool(pieces[row])] = size
    return found


@dataclass(frozen=True)
class WholeSentences:
    """How many sentences are wholly right in each system, in some system, and item by item in some."""

    exact: tuple[int, ...]
    in_one: int
    upper: int
    sentences: int

    def __add__(self, other: WholeSentences) -> WholeSentences:
        return WholeSentences(
            tuple(map(int.__add__, self.exact, other.exact)),
            self.in_one + other.in_one,
            self.upper + other.upper,
            self.sentences + other.sentences,
        )

    def of_bound(self, bound: Bound, systems: Sequence[str]) -> Bound:
        """The overall bound with these numbers."""
        exact = dict(zip(systems, self.exact, strict=True))
        return replace(bound, exact=exact, exact_in_one=self.in_one, exact_upper=self.upper, sentences=self.sentences)


def whole_sentences(items: Items, there: Sequence[Bools]) -> WholeSentences:
    """The sentences that are wholly right; there: which ones each system cuts as gold does."""
    wrong = [_with_any(items.sentence, ~right, len(own)) for right, own in zip(items.right, there, strict=True)]
    judged = _with_any(items.sentence, np.ones(len(items.sentence), dtype=bool), len(there[0]))
    exact = [judged & ~missed & own for missed, own in zip(wrong, there, strict=True)]
    nobody = _with_any(items.sentence, ~np.any(items.right, axis=0), len(there[0]))
    return WholeSentences(
        tuple(int(own.sum()) for own in exact),
        int(np.any(exact, axis=0).sum()),
        int((judged & ~nobody & np.any(there, axis=0)).sum()),
        len(np.unique(items.sentence)),
    )


def _with_any(sentence: Ints, mask: Bools, sentences: int) -> Bools:
    """The sentences that have any such item."""
    return np.asarray(np.bincount(sentence[mask], minlength=sentences) > 0)
