"""Relations of a system paired with those of gold for which they answer: by keys, by overlap, or fairly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.arrays import NONE, Bools, Ints, distinct_rows, numbers_of_runs
from assay.engine.matching import (
    MOST,
    TooManyOverlapsError,
    best_pairs,
    one_to_one,
    overlap_counts,
    overlapping,
    ranges,
    run_starts,
)
from assay.errors import InputError
from assay.records import dataclass
from assay.tasks.relations.pairs import RelationList, RelationPair, united

MATCHES = ("strict", "boundary", "overlap", "first", "last")
FOUND = ("tp", "fn", "fp")
"""What became of a relation where it is right or not …"""
FAIR = ("tp", "le", "de", "te", "be", "me", "fn", "fp")
"""… and where every error counts once: wrong label, direction, type or boundary of arguments, several of these."""
_TP, _LE, _DE, _TE, _BE, _ME, _FN, _FP = range(8)
_CHUNK = 1 << 22
_ENOUGH = 16
_MOST_LOOKED_AT = 1 << 28
_Pairs = tuple[Ints, Ints, Ints, Bools]
"""Gold's relations, the system's, the number of atoms that their arguments share, and a mask of those of which the
head of each meets the tail of the other."""


@dataclass(frozen=True)
class Setting:
    """The things that must be the same in two relations for one to answer for the other."""

    match: str = "strict"
    types: bool = False
    """Mask of whether types of arguments must be the same, where the match does not say."""
    label: bool = True
    direction: bool = True
    symmetric: str = ""
    """Labels without direction, joined by +, beside those that a file says have none."""
    equivalence: bool = False


class Pairing:
    """Relations of gold and of a system that are made pairs, step by step, one to one."""

    def __init__(self, layer: RelationPair, gold: RelationList, system: RelationList, setting: Setting) -> None:
        self.layer, self.gold, self.system, self.setting = layer, gold, system, setting
        self.partner = np.full(len(gold), NONE)
        self.kind = np.full(len(gold), NONE)
        self.unordered = tuple(rows.symmetric | (not setting.direction) for rows in (gold, system))

    def left(self) -> tuple[Ints, Ints]:
        """The relations of gold and of the system that have no partner yet."""
        free = np.ones(len(self.system) + 1, dtype=bool)
        free[self.partner] = False  # NONE marks the place behind the last
        return np.flatnonzero(self.partner == NONE), np.flatnonzero(free[:-1])

    def settle(self, ours: Ints, theirs: Ints, kind: int) -> None:
        """Make pairs."""
        self.partner[ours], self.kind[ours] = theirs, kind

    def by_key(
        self, spans: tuple[Ints, Ints], kind: int, *, label: bool = True, directed: bool = False, turned: bool = False
    ) -> None:
        """Make those pairs that have the same key, in order: label and a number of each argument.

        `directed`: arguments keep their order even where it does not matter; `turned`: gold's are exchanged.
        """
        ours, theirs = self.left()
        if not (len(ours) and len(theirs)):
            return
        keys = []
        for rows, chosen, numbers, free in zip(
            (self.gold, self.system), (ours, theirs), spans, self.unordered, strict=True
        ):
            ends = np.stack([numbers[rows.head[chosen]], numbers[rows.tail[chosen]]])
            if not directed:
                ends = np.where(free[chosen], np.sort(ends, axis=0), ends)
            if turned and rows is self.gold:
                ends = ends[::-1]
            keys.append(np.stack([rows.label[chosen] * label, *ends], axis=1))
        _, group, _ = distinct_rows(np.concatenate(keys))
        found = one_to_one(group[: len(ours)], group[len(ours) :])
        there = found != NONE
        self.settle(ours[there], theirs[found[there]], kind)

    def exact(self) -> None:
        """Make the pairs that are right by the strict key, or by what the setting takes for the same."""
        typed = self.layer.typed
        self.by_key(typed, _TP)
        if not self.setting.label:
            self.by_key(typed, _TP, label=False)
        if self.setting.equivalence:
            classes = self.layer.classes
            self.by_key((classes[typed[0]], classes[typed[1]]), _TP, label=self.setting.label)

    def by_label(self) -> None:
        """Make pairs with other labels between the same spans, in the same direction where both have one."""
        ours, theirs = self.left()
        keys = []
        for rows, chosen, typed in zip((self.gold, self.system), (ours, theirs), self.layer.typed, strict=True):
            ends = np.stack([typed[rows.head[chosen]], typed[rows.tail[chosen]]])
            keys.append(np.concatenate([np.sort(ends, axis=0), ends[:1]]).T)
        group = distinct_rows(np.concatenate(keys)[:, :2])[1]
        here, there = group[: len(ours)], group[len(ours) :]
        order = np.argsort(there, kind="stable")
        one, other = ranges(*(np.searchsorted(there[order], here, side) for side in ("left", "right")))
        other = order[other]
        free = self.unordered[0][ours[one]] | self.unordered[1][theirs[other]]
        fits = free | (keys[0][one, 2] == keys[1][other, 2])
        pairs = ours[one], theirs[other], np.zeros(len(one), dtype=np.int64), np.zeros(len(one), dtype=bool)
        self.by_overlap(pairs, fits, _LE)

    def candidates(self, crosswise: tuple[Bools, Bools] | None) -> _Pairs:
        """The pairs of relations left whose arguments overlap, in order, or crosswise where both relations may be."""
        ours, theirs = self.left()
        gold, system = self.gold, self.system
        empty = np.zeros(0, dtype=np.int64)
        if not (len(ours) and len(theirs)):
            return empty, empty, empty, empty.astype(bool)
        first, second = self.layer.spans.gold, self.layer.spans.system
        arguments = [
            np.unique(np.concatenate([rows.head[own], rows.tail[own]]))
            for rows, own in ((gold, ours), (system, theirs))
        ]
        too_many = TooManyOverlapsError(int(arguments[0][0]), len(arguments[0]), len(arguments[1]))
        if int(overlap_counts(first, arguments[0], second, arguments[1]).sum()) > 4 * MOST:
            raise too_many
        left, right, shared = overlapping(first, second, *arguments)
        starts = np.searchsorted(left, np.arange(len(first) + 1))
        width = len(second)
        by_ends = np.argsort(system.head[theirs] * width + system.tail[theirs], kind="stable")
        ends = (system.head[theirs] * width + system.tail[theirs])[by_ends]
        found: list[tuple[Ints, Ints, Ints, Bools]] = []
        # The relations of the system that begin at each span that overlaps, and how many begin over each of gold's.
        begun = np.stack([np.searchsorted(ends // width, right, side) for side in ("left", "right")])
        before = np.concatenate([[0], np.cumsum(begun[1] - begun[0])])
        over = before[starts[1:]] - before[starts[:-1]]
        listed = left * width + right

        def look_up(all_rows: Ints, crossed: bool) -> None:
            """System relations from any span over one argument to any span over the other.

            They are looked up by both ends, or where spans are nested deeply, all that begin there are looked at.
            """
            one, other = (gold.tail, gold.head) if crossed else (gold.head, gold.tail)
            combinations = np.diff(starts)[one[all_rows]] * np.diff(starts)[other[all_rows]]
            nested = combinations > np.maximum(over[one[all_rows]], _ENOUGH)
            if int(np.where(nested, over[one[all_rows]], combinations).sum()) > _MOST_LOOKED_AT:
                raise too_many
            rows = all_rows[nested]
            for begin, end in _chunks(np.cumsum(over[one[rows]])):
                part = rows[begin:end]
                row, at = ranges(starts[one[part]], starts[one[part] + 1])
                which, hit = ranges(begun[0][at], begun[1][at])
                row, at, chosen = row[which], at[which], theirs[by_ends[hit]]
                key = other[part][row] * width + system.tail[chosen]
                to = np.minimum(np.searchsorted(listed, key), len(listed) - 1)
                there = listed[to] == key
                pairs = part[row[there]], chosen[there], (shared[at] + shared[to])[there]
                found.append((*pairs, np.full(int(there.sum()), crossed)))
            rows = all_rows[~nested]
            size = [np.diff(starts)[ends_[rows]] for ends_ in (one, other)]
            total = np.cumsum(size[0] * size[1])
            for begin, end in _chunks(total):
                part, sizes = rows[begin:end], (size[0] * size[1])[begin:end]
                row = np.repeat(np.arange(len(part)), sizes)
                place = numbers_of_runs(np.zeros(len(part), dtype=np.int64), sizes)
                across = size[1][begin:end][row]
                at = starts[one[part]][row] + place // np.maximum(across, 1)
                to = starts[other[part]][row] + place % np.maximum(across, 1)
                key = right[at] * width + right[to]
                which, hit = ranges(np.searchsorted(ends, key), np.searchsorted(ends, key, "right"))
                pairs = part[row[which]], theirs[by_ends[hit]], (shared[at] + shared[to])[which]
                found.append((*pairs, np.full(len(hit), crossed)))

        look_up(ours, False)
        if crosswise is not None:
            look_up(ours[crosswise[0][ours]], True)
        columns = [np.concatenate([empty, *(part[column] for part in found)]) for column in range(4)]
        if crosswise is not None:
            allowed = ~columns[3].astype(bool) | crosswise[1][columns[1]]
            columns = [column[allowed] for column in columns]
        return columns[0], columns[1], columns[2], columns[3].astype(bool)

    def by_overlap(self, pairs: _Pairs, fits: Bools, kind: int) -> None:
        """Make as many of these pairs as can be, with as many shared atoms as can be, ties by the order of places."""
        ours, theirs, shared, _ = (column[fits] for column in pairs)
        open_ = (self.partner[ours] == NONE) & ~np.isin(theirs, self.partner)
        ours, theirs, shared = ours[open_], theirs[open_], shared[open_]
        # Of two ways in which a pair overlaps the better one counts.
        order = np.lexsort((-shared, theirs, ours))
        ours, theirs, shared = ours[order], theirs[order], shared[order]
        new = run_starts(ours) | run_starts(theirs)
        ours, theirs, shared = ours[new], theirs[new], shared[new]
        ranks = self._ranks()
        place = np.sort(np.stack([ranks[0][ours], ranks[1][theirs]]), axis=0)
        rows = best_pairs(ours, theirs, shared, most=True, order=np.lexsort((theirs, ours, place[1], place[0])))
        self.settle(ours[rows], theirs[rows], kind)

    def _ranks(self) -> tuple[Ints, Ints]:
        """The place of each relation of gold and of the system among all of both."""
        rows = [
            np.stack([np.minimum(head, tail), head, tail, one.label], axis=1)
            for one, typed in zip((self.gold, self.system), self.layer.typed, strict=True)
            for head, tail in [(typed[one.head], typed[one.tail])]
        ]
        _, group, _ = distinct_rows(np.concatenate(rows))
        return group[: len(self.gold)], group[len(self.gold) :]

    def same(self, pairs: _Pairs) -> tuple[Bools, Bools]:
        """Masks of the pairs with the same label, and with the same types of the arguments that meet."""
        ours, theirs, _, crossed = pairs
        gold, system = self.gold, self.system
        types = [side.label for side in (self.layer.spans.gold, self.layer.spans.system)]
        head, tail = types[0][gold.head[ours]], types[0][gold.tail[ours]]
        their_head, their_tail = types[1][system.head[theirs]], types[1][system.tail[theirs]]
        typed = np.where(
            crossed, (head == their_tail) & (tail == their_head), (head == their_head) & (tail == their_tail)
        )
        return (gold.label[ours] == system.label[theirs]) | (not self.setting.label), typed


def at_same_places(layer: RelationPair, gold: RelationList, system: RelationList) -> Ints:
    """For each gold relation one of the system's with the same label and places, or NONE."""
    pairing = Pairing(layer, gold, system, Setting())
    pairing.by_key(layer.places, _TP)
    return pairing.partner


def matched(layer: RelationPair, gold: RelationList, system: RelationList, setting: Setting) -> Ints:
    """For each gold relation the system's that answers for it, or NONE."""
    pairing = Pairing(layer, gold, system, setting)
    pairing.exact()
    spans = (layer.spans.gold, layer.spans.system)
    if setting.match == "boundary" or (setting.match == "overlap" and not setting.types):
        places = layer.places
        pairing.by_key(places, _TP, label=setting.label)
        if setting.equivalence:
            classes = _place_classes(layer)
            pairing.by_key((classes[places[0]], classes[places[1]]), _TP, label=setting.label)
    elif setting.match in ("first", "last"):
        atoms = [one.begin if setting.match == "first" else one.end for one in spans]
        if setting.types:
            width = len(layer.spans.labels) + 1
            atoms = [own * width + one.label for own, one in zip(atoms, spans, strict=True)]
        pairing.by_key((atoms[0], atoms[1]), _TP, label=setting.label)
    if setting.match == "overlap":
        pairs = _listed(layer, pairing, (pairing.unordered[0], pairing.unordered[1]))
        label, types = pairing.same(pairs)
        pairing.by_overlap(pairs, label & types if setting.types else label, _TP)
    return pairing.partner


def fairly(layer: RelationPair, gold: RelationList, system: RelationList, setting: Setting) -> tuple[Ints, Ints]:
    """For each gold relation the system's that answers for it, or NONE, and what became of it."""
    pairing = Pairing(layer, gold, system, setting)
    pairing.exact()
    if setting.label:
        pairing.by_label()
    pairing.by_key(layer.typed, _DE, label=setting.label, directed=True, turned=True)
    pairing.by_key(layer.places, _TE, label=setting.label)
    every = np.ones(len(gold), dtype=bool), np.ones(len(system), dtype=bool)
    pairs = _listed(layer, pairing, every)
    label, types = pairing.same(pairs)
    crossed = pairs[3] & ~(pairing.unordered[0][pairs[0]] & pairing.unordered[1][pairs[1]])
    pairing.by_overlap(pairs, label & types & ~crossed, _BE)
    pairing.by_overlap(pairs, np.ones(len(label), dtype=bool), _ME)
    return pairing.partner, np.where(pairing.partner == NONE, _FN, pairing.kind)


def _listed(layer: RelationPair, pairing: Pairing, crosswise: tuple[Bools, Bools]) -> _Pairs:
    try:
        return pairing.candidates(crosswise)
    except TooManyOverlapsError as error:
        place = layer.spans.corpora[0].place_of_span(int(layer.spans.gold.number[error.target]))
        raise InputError(
            f"{place}: {error.targets:,} arguments of gold and {error.systems:,} of the system overlap too often to "
            "be paired one to one. Take relations(match=strict) or relations(match=boundary) alone."
        ) from None


def _place_classes(layer: RelationPair) -> Ints:
    """The class of each place: what gold says is the same, whatever its type."""
    typed, places, classes = layer.typed[0], layer.places[0], layer.classes
    size = int(max(places.max(initial=-1), layer.places[1].max(initial=-1))) + 1
    first = {int(one): int(place) for one, place in zip(classes[typed][::-1], places[::-1], strict=True)}
    heads = np.array([first[int(one)] for one in classes[typed]], dtype=np.int64)
    return united(heads, places, size)


def _chunks(total: Ints) -> Iterator[tuple[int, int]]:
    """Stretches of rows that have no more than so many combinations together; `total` is their running sum."""
    begin, before = 0, 0
    while begin < len(total):
        end = max(begin + 1, int(np.searchsorted(total, before + _CHUNK, "right")))
        yield begin, end
        begin, before = end, int(total[end - 1])
