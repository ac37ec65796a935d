"""What a combination of systems reaches: a vote, and a choice that is learnt on other parts of the same data.

Whether an answer is right is estimated by the set of systems that give it and by its label, from nine of ten folds,
and the estimate is used in the tenth. So no item is decided by itself, and what no system says is never chosen.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.arrays import NONE, Bools, Floats, Ints, as_codes, distinct_numbers, distinct_rows, pack_columns
from assay.classes import dataclass
from assay.corpus import SPANS, Corpus, Marks, cluster_key
from assay.engine.items import ONE, Items, join
from assay.engine.scores import find_variance
from assay.engine.treebanks import ROOT
from assay.result import Bound, Growth, Trust
from assay.result.verdict import describe_combination
from assay.stats.intervals import exceed_zero, t_interval
from assay.stats.resample import CHUNK_NUMBERS

if TYPE_CHECKING:
    from assay.engine.prepare import Run

FOLDS = 10
LEAST_UNITS = 20
"""With fewer units nothing is learnt."""
_SMOOTHING = 5
"""The number of answers that a share of a larger group counts for."""
_EQUAL = 1e-12
"""Chances that differ by less are equal."""
SETS = ("flat", "brackets", "sets")
"""Ways in which systems find the items themselves; in the others they choose among answers to given items."""
_ROWS = ("fold", "gold", "answer", "rest", "right", "credit")
"""The columns of distinct rows."""
_WHOLE = float(1 << 40)


def find_folds(texts: Iterable[str]) -> Ints:
    """The folds of units with these names or texts."""
    sha256 = hashlib.sha256
    digests = b"".join([sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts])
    # The first of the four numbers of a digest.
    return (np.frombuffer(digests, dtype="<u8")[::4] % FOLDS).astype(np.int64)


class Units(NamedTuple):
    """The units of a shard: by sentence of gold, and the fold of each."""

    of_sentence: Ints
    fold: Ints
    numbered: bool
    """True if folds are numbers of units, which other shards continue."""
    names: Ints | None
    """A number for each value of a comment, which can come again in other shards."""


class Trace(NamedTuple):
    """Where ballots come from."""

    rows: Ints
    """The row of each item; of sets, systems × proposals: the row of each system's table, NONE if it has no such."""
    listed: Ints
    """The numbers of the items that a choice decides."""


def find_units(gold: Corpus, unit: str, of_sentence: Ints, kept: Ints) -> Units:
    """The folds of units: by the id of a document or item, by the words of a sentence, by number without either."""
    texts: list[str] | None = None
    if cluster_key(unit) or (unit == "sentence" and "sent_id" in gold.facts):
        names = list(gold.unit_names(unit))
        texts = [names[number] for number in kept.tolist()]
    elif unit == "document" or gold.are_documents:
        if all(number < len(gold.document_ids) for number in kept.tolist()):
            texts = [gold.document_name(number) for number in kept.tolist()]
    elif gold.texts is not None:
        texts = [" ".join(gold.texts[number].split()) for number in kept.tolist()]
    elif gold.has_words:
        words, starts = gold.forms.strings(), gold.starts.tolist()
        texts = [" ".join(words[starts[number] : starts[number + 1]]) for number in kept.tolist()]
    if texts is None:
        return Units(of_sentence, np.arange(len(kept)) % FOLDS, True, None)
    named = None
    if cluster_key(unit):
        digests = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest() for text in texts]
        named = np.array([int.from_bytes(digest, "little") for digest in digests], dtype=np.int64)
    return Units(of_sentence, find_folds(texts), False, named)


@dataclass(frozen=True, eq=False)
class Ballots:
    """The answers of systems, by fold: distinct rows with their numbers, and the items that a choice decides.

    They add up over shards.
    """

    way: str
    """`choice` or `tree` (heads); `flat` (spans, nested only if those of a file are), `brackets`, `sets`."""
    systems: tuple[str, ...]
    labels: tuple[str, ...]
    fold: Ints
    """The fold of each row …"""
    gold: Ints
    """… gold's label, NONE for what gold does not have …"""
    answer: Ints
    """… the label of each system's answer, NONE without one; systems × rows, as the next …"""
    rest: Ints
    """… the rest of each answer (a head), as a rank among those of all systems …"""
    right: Bools
    credit: Ints
    """… the credit of each answer …"""
    sizes: Ints
    """… and the number of items."""
    row: Ints
    """The items on which systems differ; in trees all words of such sentences, in sets all that systems propose: the
    row of each …"""
    unit: Ints
    """… its unit …"""
    sentence: Ints
    """… in trees and sets its sentence …"""
    place: Ints
    """… in trees the head of each system within the sentence, in spans begin, end and gaps."""
    unit_fold: Ints
    unit_items: Ints
    """The number of gold's items in each unit."""
    numbered: bool = False
    unit_names: Ints | None = None
    nested: bool = True
    """True if spans of some file overlap."""
    sentences: int = 0
    by_label: bool = True
    """False if an answer has no label, as a head alone."""

    def __add__(self, other: Ballots) -> Ballots:
        codes: dict[str, int] = {label: code for code, label in enumerate(self.labels)}
        recoded = np.append(as_codes(other.labels, codes), NONE)
        shift = len(self.unit_fold) if self.numbered else 0
        moved = replace(
            other,
            gold=recoded[other.gold],
            answer=recoded[other.answer],
            fold=(other.fold + shift) % FOLDS,
            unit_fold=(other.unit_fold + shift) % FOLDS,
            row=other.row + np.int32(len(self.sizes)),
            unit=other.unit + np.int32(len(self.unit_fold)),
            sentence=other.sentence + self.sentences,
        )
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(moved, name)], axis=-1)
            for name in (*_ROWS, "sizes", "row", "unit", "sentence", "place", "unit_fold", "unit_items")
        }
        if self.unit_names is not None and other.unit_names is not None:
            # Values of a comment that come again are one unit.
            every = np.concatenate([self.unit_names, other.unit_names])
            names, first, group = np.unique(every, return_index=True, return_inverse=True)
            columns["unit"] = group.ravel().astype(np.int32)[columns["unit"]]
            columns["unit_items"] = np.bincount(group.ravel(), columns["unit_items"]).astype(np.int64)
            columns |= {"unit_fold": columns["unit_fold"][first], "unit_names": names}
        nested, sentences = self.nested or other.nested, self.sentences + other.sentences
        return replace(self, **columns, labels=tuple(codes), nested=nested, sentences=sentences)._fold()

    def _fold(self) -> Ballots:
        """The rows, each once."""
        keys = pack_columns(
            self.fold, self.gold, *self.answer, *self.rest, *self.right.astype(np.int8), *self.credit
        )
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        columns = {name: getattr(self, name)[..., first] for name in _ROWS}
        sizes = np.bincount(group.ravel(), self.sizes, minlength=len(first)).astype(np.int64)
        return replace(self, **columns, sizes=sizes, row=group.ravel().astype(np.int32)[self.row])

    def of_systems(self, chosen: Sequence[int]) -> Ballots:
        """The answers of some systems."""
        own = {name: getattr(self, name)[chosen] for name in ("answer", "rest", "right", "credit")}
        place = self.place[chosen] if self.way == "tree" else self.place
        return replace(self, systems=tuple(self.systems[index] for index in chosen), place=place, **own)

    @property
    def folds(self) -> int:
        """The number of folds that have units."""
        return int(np.count_nonzero(np.bincount(self.unit_fold, minlength=FOLDS)))

    @property
    def obstacle(self) -> str:
        """Why nothing can be learnt here; empty if it can."""
        if len(self.unit_fold) < LEAST_UNITS:
            return f"fewer than {LEAST_UNITS} units are too few to learn from"
        return "all units are in one fold" if self.folds < 2 else ""


# --- from items to ballots ---


def collect(
    run: Run, way: str, tables: Sequence[tuple[str, Items]], joined: Items, folded: Items, group: Ints, units: Units
) -> tuple[Ballots, Trace] | None:
    """The ballots of systems, and how they are found again; None if systems must have gold's items, and have not.

    `joined` are the items of all systems, `folded` its distinct rows, `group` the row of each item.
    """
    if way == "given":
        if not all(table.has_gold.all() for _, table in tables):
            return None
        places = np.stack([table.key[:-1] for _, table in tables if table.key is not None])
        missing = np.stack([table.partner[0] == NONE for _, table in tables if table.partner is not None])
        if not (missing[:, None] | (places == np.where(missing[:, None], NONE, places).max(axis=0))).all():
            return None
        plain = [(name, replace(table, kinds=(), kind=table.kind[:0], partner=None)) for name, table in tables]
        joined = join(plain)
        folded, group = joined.fold_groups()
    elif way in SETS:
        marks = [side for _, pair in run.pairs for side in pair.marks[SPANS]] if way == "flat" else []
        return collect_sets(tables, way, way != "flat" or any(_overlap(side) for side in marks), units)
    heads = None
    if way == "tree":
        starts = run.gold.starts
        first, last = starts[joined.sentence], starts[joined.sentence + 1]
        found = np.bincount(joined.sentence, minlength=run.gold.sentences)
        whole = (found == np.diff(starts))[joined.sentence]
        targets = [table.target[0, table.has_gold] for _, table in tables if table.target is not None]
        within = [np.where(whole & (own >= first) & (own < last), own - first + 1, NONE) for own in targets]
        heads = np.stack([np.where(own == ROOT, 0, inner) for own, inner in zip(targets, within, strict=True)])
    return collect_choices(joined, folded, group, units, heads)


def _overlap(marks: Marks) -> bool:
    """True if some spans of one side share an atom."""
    placed = marks.begin != NONE
    order = np.lexsort((marks.end[placed], marks.begin[placed]))
    begin, end = marks.begin[placed][order], marks.end[placed][order]
    return bool((begin[1:] < np.maximum.accumulate(end)[:-1]).any()) if len(end) else False


def collect_choices(
    items: Items, folded: Items, group: Ints, units: Units, heads: Ints | None = None
) -> tuple[Ballots, Trace]:
    """The ballots on given items; `group` is the folded row of each item.

    heads: for trees, systems × items: the head of each word within its sentence, NONE if it has none there.
    """
    item_unit = units.of_sentence[items.sentence]
    codes = group * FOLDS + units.fold[item_unit]
    rows, row, sizes = distinct_numbers(codes, len(folded) * FOLDS)
    own = folded.where(rows // FOLDS)
    rest = np.zeros_like(own.answer) if own.target is None or "target" not in own.same else own.target
    answer = own.answer if "answer" in own.same else np.where(own.answer == NONE, NONE, 0)
    differs = np.zeros(len(rows), dtype=bool)
    for other in range(1, len(own.systems)):
        differs |= own.differ(0, other)
    listed = differs[row]
    place = np.zeros((0, 0), dtype=np.int32)
    if heads is not None:
        sentences = len(units.of_sentence)
        listed = (np.bincount(items.sentence[listed], minlength=sentences) > 0)[items.sentence]
        place = heads[:, listed].astype(np.int32)
    chosen = np.flatnonzero(listed)
    ballots = Ballots(
        "choice" if heads is None else "tree",
        items.systems,
        items.labels,
        rows % FOLDS,
        own.gold,
        answer,
        rest,
        own.right,
        own.right * ONE if own.credits is None else own.credits[:, -1],
        sizes,
        row[chosen].astype(np.int32),
        item_unit[chosen].astype(np.int32),
        items.sentence[chosen if heads is not None else chosen[:0]],
        place if heads is not None else np.zeros((0, len(chosen)), dtype=np.int32),
        units.fold,
        np.bincount(item_unit, minlength=len(units.fold)),
        units.numbered,
        units.names,
        sentences=len(units.of_sentence),
        by_label="answer" in own.same,
    )
    return ballots, Trace(row, chosen)


def collect_sets(
    tables: Sequence[tuple[str, Items]], way: str, nested: bool, units: Units
) -> tuple[Ballots, Trace]:
    """The ballots on what systems propose themselves."""
    codes: dict[str, int] = {}
    keys, found, owner, right = [], [], [], []
    gold_label: Ints = np.zeros(0, dtype=np.int64)
    gold_unit: Ints = gold_label
    # A system may propose nothing, here or at all, which does not show if labels count.
    proposed = [table.key[-1, table.has_system[0]] for _, table in tables if table.key is not None]
    ignores_labels = any(map(len, proposed)) and all((label == NONE).all() for label in proposed)
    for system, (_, table) in enumerate(tables):
        recoded = np.append(as_codes(table.labels, codes), NONE)
        assert table.key is not None
        mine = np.flatnonzero(table.has_system[0])
        if ignores_labels:
            recoded = np.full_like(recoded, codes.setdefault("", len(codes)))
        label = recoded[table.key[-1, mine]]
        keys.append(np.stack([table.sentence[mine], *table.key[:-1, mine], label]).astype(np.int64))
        found.append(mine)
        owner.append(np.full(len(mine), system))
        right.append(table.right[0, mine])
        if not system:
            in_gold = np.flatnonzero(table.has_gold)
            gold_label, gold_unit = recoded[table.gold[in_gold]], units.of_sentence[table.sentence[in_gold]]
    every, systems = np.concatenate(keys, axis=1), len(tables)
    distinct, group, _ = distinct_rows(every.T)
    number = len(distinct)
    proposes = np.zeros((systems, number), dtype=bool)
    proposes[np.concatenate(owner), group] = True
    source = np.full((systems, number), NONE)
    source[np.concatenate(owner), group] = np.concatenate(found)
    is_right = np.bincount(group, np.concatenate(right), minlength=number) > 0
    its_label, sentence = distinct[:, -1], distinct[:, 0]
    # Gold's items that nobody proposes, by fold and label.
    pairs, sizes = np.unique(np.stack([units.fold[gold_unit], gold_label]), axis=1, return_counts=True)
    missed = {(int(fold), int(code)): int(size) for (fold, code), size in zip(pairs.T, sizes, strict=True)}
    fold = units.fold[units.of_sentence[sentence]]
    for own_fold, code in zip(fold[is_right].tolist(), its_label[is_right].tolist(), strict=True):
        missed[own_fold, code] = missed.get((own_fold, code), 0) - 1
    left = [(own_fold, code, size) for (own_fold, code), size in sorted(missed.items()) if size > 0]
    more = np.array(left, dtype=np.int64).reshape(-1, 3).T
    answer = np.where(np.pad(proposes, ((0, 0), (0, len(left)))), np.append(its_label, more[1]), NONE)
    ballots = Ballots(
        way,
        tuple(name for name, _ in tables),
        tuple(codes),
        np.append(fold, more[0]),
        np.append(np.where(is_right, its_label, NONE), more[1]),
        answer,
        np.zeros_like(answer),
        (answer != NONE) & np.append(is_right, np.zeros(len(left), dtype=bool)),
        np.zeros_like(answer),
        np.append(np.ones(number, dtype=np.int64), more[2]),
        np.arange(number, dtype=np.int32),
        units.of_sentence[sentence].astype(np.int32),
        sentence,
        distinct[:, 1:4].T if way != "sets" else np.zeros((0, number), dtype=np.int64),
        units.fold,
        np.bincount(gold_unit, minlength=len(units.fold)),
        units.numbered,
        units.names,
        nested,
        len(units.of_sentence),
    )
    return ballots._fold(), Trace(source, np.arange(number))


# --- chances ---


class _Answers(NamedTuple):
    """The distinct answers to each row, in the order of rows."""

    of: Ints
    """Systems × rows: the number of the answer, NONE without one."""
    row: Ints
    label: Ints
    rest: Ints
    right: Bools


def list_answers(ballots: Ballots) -> _Answers:
    """The distinct answers of all systems."""
    of, known, rows = np.full(ballots.answer.shape, NONE), 0, len(ballots.sizes)
    tables, parts = (ballots.answer, ballots.rest, ballots.right), []
    step = max(1, CHUNK_NUMBERS // max(1, len(of)))
    # In pieces of rows, because all answers of many systems would take much memory.
    for start in range(0, max(1, rows), step):
        answers, rests, rights = (table[:, start : start + step] for table in tables)
        given = answers != NONE
        row, label, rest = np.nonzero(given)[1], answers[given], rests[given]
        _, first, number = np.unique(pack_columns(row, label, rest), return_index=True, return_inverse=True)
        of[:, start : start + step][given] = known + number.ravel()
        known += len(first)
        parts.append((start + row[first], label[first], rest[first], rights[given][first]))
    return _Answers(of, *(np.concatenate(column) for column in zip(*parts, strict=True)))


class _Chances(NamedTuple):
    """The chance of each answer, and what ties are decided by."""

    answers: _Answers
    chance: Floats
    support: Ints
    """The number of systems that give it …"""
    system: Ints
    """… the first of them, NONE if none does …"""
    strength: Floats
    """… and the most right answers that one of them has in the other folds."""
    thresholds: Floats
    """By fold, half of the best F1 that the other folds promise."""
    members: Bools
    """Sets of systems that give an answer × systems …"""
    seen: Ints
    """… and for each set the number of its answers and of the right ones."""

    @property
    def trust(self) -> list[tuple[tuple[int, ...], int, int]]:
        """Each set of systems, with the number of its answers and of the right ones."""
        sets = [tuple(np.flatnonzero(row).tolist()) for row in self.members]
        return [(own, n, r) for own, (n, r) in zip(sets, self.seen.tolist(), strict=True)]


def find_chances(ballots: Ballots, answers: _Answers | None = None) -> _Chances:
    """The chances of answers, each fold's from all others."""
    answers = answers or list_answers(ballots)
    fold, sizes, systems = ballots.fold, ballots.sizes, len(ballots.systems)
    own = np.stack([np.bincount(fold, sizes * right, minlength=FOLDS) for right in ballots.right])
    others = own.sum(axis=1, keepdims=True) - own
    # A bit for each system that gives the answer.
    words = np.zeros((-(-systems // 60), len(answers.row)), dtype=np.int64)
    system = np.full(len(answers.row), NONE)
    for at in reversed(range(systems)):
        given = answers.of[at][answers.of[at] != NONE]
        words[at // 60, given] += 1 << (at % 60)
        system[given] = at
    alive = np.flatnonzero(system != NONE)
    _, first, of_set = np.unique(pack_columns(*words[:, alive]), return_index=True, return_inverse=True)
    of_set, bits = of_set.ravel(), np.arange(systems)
    members = (words[:, alive[first]][bits // 60].T >> (bits % 60) & 1).astype(bool)
    size = members.sum(axis=1)
    row = answers.row[alive]
    label = answers.label[alive] if ballots.by_label else np.zeros(len(alive), dtype=np.int64)
    width = len(ballots.labels) + 1
    keys, key, _ = distinct_numbers(of_set * width + label, len(members) * width)
    set_of, count = keys // width, sizes[row].astype(np.float64)
    n, r = (
        np.bincount(key * FOLDS + fold[row], weights, minlength=len(keys) * FOLDS).reshape(-1, FOLDS)
        for weights in (count, count * answers.right[alive])
    )
    of_set_n, of_set_r = (
        np.stack([np.bincount(set_of, column, minlength=len(members)) for column in table.T], axis=1)
        for table in (n, r)
    )

    def elsewhere(table: Any) -> Floats:
        return np.asarray(table.sum(axis=1, keepdims=True) - table)

    by_set = elsewhere(of_set_r) + _SMOOTHING * size[:, None] / systems
    by_set /= elsewhere(of_set_n) + _SMOOTHING
    seen = elsewhere(n)
    by_key = (elsewhere(r) + _SMOOTHING * by_set[set_of]) / (seen + _SMOOTHING)
    gold = np.bincount(fold, sizes * (ballots.gold != NONE), minlength=FOLDS)
    thresholds = np.zeros(FOLDS)
    for at in range(FOLDS) if ballots.way in SETS and len(by_key) else ():
        order = np.lexsort((seen[:, at], -by_key[:, at]))
        right, proposed = (np.cumsum(part[order]) for part in (seen[:, at] * by_key[:, at], seen[:, at]))
        total = proposed + gold.sum() - gold[at]
        thresholds[at] = np.divide(right, total, out=np.zeros(len(total)), where=total > 0).max()
    strongest = np.zeros((len(members), FOLDS))
    for at in range(systems):
        np.maximum(strongest, np.where(members[:, at, None], others[at], 0), out=strongest)
    chance, strength = np.full(len(words[0]), -1.0), np.zeros(len(words[0]))
    support = np.zeros(len(words[0]), dtype=np.int64)
    chance[alive], support[alive] = by_key[key, fold[row]], size[of_set]
    strength[alive] = strongest[of_set, fold[row]]
    sums = np.stack([of_set_n.sum(axis=1), of_set_r.sum(axis=1)], axis=1).astype(np.int64)
    return _Chances(answers, chance, support, system, strength, thresholds, members, sums)


# --- decisions ---


def _pick(ballots: Ballots, chances: _Chances, first: Any, group: Ints, answer: Ints) -> Ints:
    """The best candidate of each group, from those of all groups in their order; each is an answer.

    first: by answer, what decides before ties.
    """
    ranks, answers = np.append(np.argsort(np.argsort(np.array(ballots.labels, dtype=object))), 0), chances.answers
    starts = np.flatnonzero(np.diff(group, prepend=NONE))
    if not len(starts):
        return starts
    place = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(group))))
    left = np.ones(len(group), dtype=bool)
    label = -ranks[answers.label[answer]] * ballots.by_label
    for value in (first[answer], chances.strength[answer], label, -answers.rest[answer]):
        most = np.maximum.reduceat(np.where(left, value, -np.inf), starts)
        left &= value >= most[place] - _EQUAL
    candidates = np.flatnonzero(left)
    return candidates[np.flatnonzero(np.diff(place[candidates], prepend=NONE))]


def choose(ballots: Ballots, answers: _Answers | None = None) -> tuple[_Chances, Ints, Ints]:
    """The chances, and for each row the system whose answer wins the vote, and whose answer is learnt."""
    chances = find_chances(ballots, answers)
    alive = np.flatnonzero(chances.system != NONE)
    row, decisions = chances.answers.row[alive], []
    for first in (chances.support, chances.chance):
        best = _pick(ballots, chances, first, row, alive)
        chosen = np.full(len(ballots.sizes), NONE)
        chosen[row[best]] = chances.system[alive[best]]
        decisions.append(chosen)
    return chances, decisions[0], decisions[1]


def plant_trees(ballots: Ballots, chances: _Chances, chosen: Ints) -> Ints:
    """The system whose answer is taken for each item, so that sentences are trees if answers allow it."""
    items = np.arange(len(ballots.row))
    taken = chosen[ballots.row]
    if ballots.way != "tree" or not len(items):
        return taken
    heads = np.where(taken == NONE, NONE, ballots.place[taken, items])
    starts = np.append(np.flatnonzero(np.diff(ballots.sentence, prepend=NONE)), len(items))
    lengths = np.diff(starts)
    of_item = np.repeat(np.arange(len(lengths)), lengths)
    above = np.append(np.where(heads > 0, starts[of_item] + heads - 1, len(items)), len(items))
    for _ in range(int(lengths.max()).bit_length()):
        above = above[above]
    roots, whole = (np.bincount(of_item[mask], minlength=len(lengths)) for mask in (heads == 0, heads != NONE))
    cycles = np.bincount(of_item[above[:-1] != len(items)], minlength=len(lengths))
    moved, wanted = list[int](), list[int]()
    for sentence in np.flatnonzero(((roots != 1) | (cycles > 0)) & (whole == lengths)).tolist():
        begin, end = int(starts[sentence]), int(starts[sentence + 1])
        chance = chances.chance[chances.answers.of[:, ballots.row[begin:end]]]
        logs = np.log(np.maximum(chance, 1e-300)).tolist()
        arcs = [
            (head, word, log)
            for own, own_logs in zip(ballots.place[:, begin:end].tolist(), logs, strict=True)
            for word, (head, log) in enumerate(zip(own, own_logs, strict=True), 1)
            if head != NONE
        ]
        for place, head in enumerate(best_tree(end - begin, arcs) or (), begin):
            if head != heads[place]:
                moved.append(place)
                wanted.append(head)
    if moved:
        answer = chances.answers.of[:, ballots.row[moved]].T
        item, system = np.nonzero((answer != NONE) & (ballots.place[:, moved] == np.array(wanted)).T)
        best = _pick(ballots, chances, chances.chance, item, answer[item, system])
        taken[moved] = system[best]
    return taken


def best_tree(words: int, arcs: Sequence[tuple[int, int, float]]) -> list[int] | None:
    """The heads of the tree with one root (head 0) and the largest sum of weights; None if arcs make no such tree.

    Arcs are heads, dependents and weights. Of equal trees it is the one with the lower heads, from the first word on:
    weights are whole numbers, whose last digits are the heads.
    """
    room = (words + 1) ** (words + 1)
    scaled = [(head, word, round(weight * _WHOLE)) for head, word, weight in arcs]
    # More than all other arcs together, so that there are as few roots as can be.
    root = room * (words + 1) * (2 * max((abs(weight) for *_, weight in scaled), default=0) + 2)
    incoming: dict[int, dict[int, int]] = {word: {} for word in range(1, words + 1)}
    for head, word, weight in scaled:
        value = weight * room - head * (words + 1) ** (words - word) - root * (head == 0)
        if head != word and value > incoming[word].get(head, value - 1):
            incoming[word][head] = value
    heads = _span(incoming, words + 1)
    if heads is None or sum(head == 0 for head in heads.values()) != 1:
        return None
    return [heads[word] for word in range(1, words + 1)]


def _span(incoming: Mapping[int, Mapping[int, int]], new: int) -> dict[int, int] | None:
    """The best head of each node in a tree: the best arcs, cycles contracted (Chu and Liu 1965, Edmonds 1967)."""
    if not all(incoming.values()):
        return None
    best = {node: max(heads, key=heads.__getitem__) for node, heads in incoming.items()}
    seen: dict[int, int] = {}
    cycle: list[int] = []
    for start in best:
        path, node = [], start
        while node and node not in seen:
            seen[node] = start
            path.append(node)
            node = best[node]
        if node and seen[node] == start:
            cycle = path[path.index(node) :]
            break
    if not cycle:
        return best
    inside = {*cycle}
    entering: dict[int, tuple[int, int]] = {}
    for node in cycle:
        for head, value in incoming[node].items():
            gain = value - incoming[node][best[node]]
            if head not in inside and (head not in entering or gain > entering[head][0]):
                entering[head] = gain, node
    contracted: dict[int, dict[int, int]] = {new: {head: gain for head, (gain, _) in entering.items()}}
    leaving: dict[int, int] = {}
    for node, heads in incoming.items():
        if node not in inside:
            contracted[node] = {head: value for head, value in heads.items() if head not in inside}
            within = {head: value for head, value in heads.items() if head in inside}
            if within:
                leaving[node] = max(within, key=within.__getitem__)
                contracted[node][new] = within[leaving[node]]
    tree = _span(contracted, new + 1)
    if tree is None:
        return None
    entry = tree.pop(new)
    heads = {node: leaving[node] if head == new else head for node, head in tree.items()}
    return {**heads, **{node: best[node] for node in cycle}, entering[entry][1]: entry}


def accept(ballots: Ballots, chances: _Chances) -> tuple[Bools, Bools]:
    """The proposals that more than half of the systems make, and those that are learnt."""
    # All who propose something give the same answer.
    support, chance = np.zeros(len(ballots.sizes), dtype=np.int64), np.full(len(ballots.sizes), -1.0)
    support[chances.answers.row], chance[chances.answers.row] = chances.support, chances.chance
    support, chance, fold = support[ballots.row], chance[ballots.row], ballots.fold[ballots.row]
    learnt = chance > np.maximum(chances.thresholds[fold], 0) + _EQUAL
    if ballots.way == "sets":
        return 2 * support > len(ballots.systems), learnt
    # Only spans of one chain of overlaps can be in conflict; what has a gap or no place has no such chain.
    rows = np.flatnonzero(learnt)
    begin, end, _ = (column[rows] for column in ballots.place)
    far = int(max(end.max(initial=0), begin.max(initial=0))) + 2
    first, last = (ballots.sentence[rows] * far + column for column in (begin, end))
    order = np.lexsort((-last, first))
    reach = np.maximum.accumulate(last[order]) if len(order) else last
    starts = np.append(True, first[order][1:] >= reach[:-1]) if len(order) else np.zeros(0, dtype=bool)
    chains = np.split(rows[order], np.flatnonzero(starts)[1:])
    ranks = np.append(np.argsort(np.argsort(np.array(ballots.labels, dtype=object))), NONE)
    rank = ranks[ballots.answer.max(axis=0)[ballots.row]]
    rounded = np.round(chance, 12)
    for chain in chains:
        if len(chain) < 2:
            continue
        kept: list[tuple[int, int, int]] = []
        ordered = chain[np.lexsort((rank[chain], *ballots.place[::-1, chain], -rounded[chain]))]
        for row, place in zip(ordered.tolist(), ballots.place[:, ordered].T.tolist(), strict=True):
            if any(_conflict(place, other, ballots.nested) for other in kept):
                learnt[row] = False
            else:
                kept.append(place)
    return 2 * support > len(ballots.systems), learnt


def _conflict(a: Sequence[int], b: Sequence[int], nested: bool) -> bool:
    """True if two spans cannot be in one output: at the same place, crossing, or overlapping where nothing does."""
    if [*a] == [*b]:
        return True
    if a[2] or b[2] or a[0] >= b[1] or b[0] >= a[1]:
        return False
    inside = (a[0] <= b[0] and b[1] <= a[1]) or (b[0] <= a[0] and a[1] <= b[1])
    return not (nested and inside)


# --- scores ---


class Reached(NamedTuple):
    """What a combination reaches: scores of all items and by label (of gold's items; of sets, by their own label)."""

    score: str
    best: str
    """The best single system."""
    scores: dict[str | None, tuple[float, float, float | None, float]]
    """By label, None for all: the best single system, the vote, the learnt choice, and the upper bound."""
    low: float | None = None
    high: float | None = None
    """The interval of the learnt choice minus the best single system."""
    p: float | None = None
    folds: int = 0
    chances: _Chances | None = None
    obstacle: str = ""


class Decided(NamedTuple):
    """What is taken: of given items the system whose answer it is, of proposals whether they are."""

    chances: _Chances
    vote: Any
    """By row, or for each proposal."""
    by_row: Any
    """What is learnt, by row before sentences are made trees …"""
    learnt: Any
    """… and for each item that a choice decides."""


def decide(ballots: Ballots, answers: _Answers | None = None) -> Decided:
    """The decisions of the vote and of the learnt choice."""
    if ballots.way in SETS:
        chances = find_chances(ballots, answers)
        vote, accepted = accept(ballots, chances)
        return Decided(chances, vote, accepted, accepted)
    chances, voted, chosen = choose(ballots, answers)
    return Decided(chances, voted, chosen, plant_trees(ballots, chances, chosen))


def reach(ballots: Ballots, answers: _Answers | None = None, *, clusters: bool = False) -> Reached:
    """Scores of the vote and of the learnt choice, with the interval and the test against the best single system.

    answers: the answers of these systems, if they are listed. clusters: whether units are documents or larger, which
    differ in size.
    """
    decided, systems = decide(ballots, answers), len(ballots.systems)
    part, whole = (_sum_sets if ballots.way in SETS else _sum_choices)(ballots, decided)
    labels = np.flatnonzero(whole.any(axis=0)).tolist()
    part, whole = (np.column_stack([table.sum(axis=1), table[:, labels]]) for table in (part, whole))
    # Systems, vote, learnt, bound × all and labels; nothing right of nothing is 0.
    values = np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)
    single = values[:systems, 0]
    best = [index for index in range(systems) if single[index] == single.max()]
    names = [None, *(ballots.labels[code] for code in labels)]
    taught = not ballots.obstacle
    scores = {
        name: (float(row[best[0]]), float(row[-3]), float(row[-2]) if taught else None, float(row[-1]))
        for name, row in zip(names, values.T, strict=True)
    }
    score = "f1" if ballots.way in SETS else "share"
    reached = Reached(score, ballots.systems[best[0]], scores, obstacle=ballots.obstacle)
    if not taught:
        return reached
    folds, difference = ballots.folds, float(values[-2, 0] - single.max())
    learnt = _unit_sums(ballots, decided.learnt)
    # Of several best systems the one that says least decides, so that their order does not.
    variance = max(_spread(ballots, learnt, _unit_sums(ballots, index), clusters) for index in best)
    reached = reached._replace(folds=folds, chances=decided.chances)
    if variance <= 0:
        return reached
    low, high = t_interval(difference, variance, folds, -1.0, 1.0)
    p = 2 * exceed_zero(difference, variance, folds - 1) if difference > 0 else None
    return reached._replace(low=low, high=high, p=p)


def _sum_choices(ballots: Ballots, decided: Decided) -> tuple[Ints, Ints]:
    """Credit, and full credit, of each system, the vote, the learnt choice and the bound, by gold's label."""
    rows, credit = np.arange(len(ballots.sizes)), ballots.credit
    chosen = [np.where(own == NONE, 0, credit[own, rows]) for own in (decided.vote, decided.by_row)]
    labels, each = len(ballots.labels), (*credit, *chosen, credit.max(axis=0))
    sums = [np.bincount(ballots.gold, own * ballots.sizes, minlength=labels) for own in each]
    part = np.stack(sums).astype(np.int64)
    whole = np.tile(np.bincount(ballots.gold, ballots.sizes, minlength=labels).astype(np.int64) * ONE, (len(part), 1))
    moved = np.flatnonzero(decided.learnt != decided.by_row[ballots.row])
    row = ballots.row[moved]
    np.add.at(part[-2], ballots.gold[row], credit[decided.learnt[moved], row] - credit[decided.by_row[row], row])
    return part, whole


def _sum_sets(ballots: Ballots, decided: Decided) -> tuple[Ints, Ints]:
    """Twice the right proposals, and all proposals with gold's items, by label."""
    size = len(ballots.labels)
    label, right = ballots.answer.max(axis=0)[ballots.row], ballots.right[:, ballots.row].any(axis=0)
    given = [*(ballots.answer != NONE)[:, ballots.row], decided.vote, decided.learnt, right]
    gold = np.bincount(ballots.gold + 1, ballots.sizes, minlength=size + 1)[1:]
    part = [2 * np.bincount(label[own & right], minlength=size) for own in given]
    whole = [np.bincount(label[own & (label != NONE)], minlength=size) + gold for own in given]
    return np.array(part), np.array(whole).astype(np.int64)


def _unit_sums(ballots: Ballots, taken: Any) -> tuple[Floats, Floats]:
    """By unit, numerator and denominator of the score of a system (a number) or of what is taken for each item.

    In choices without the items on which all systems agree, which add nothing to a difference.
    """
    units, rows = len(ballots.unit_fold), ballots.row
    if ballots.way not in SETS:
        own = np.where(taken == NONE, 0.0, ballots.credit[taken, rows] / ONE)
        sums: Floats = np.asarray(np.bincount(ballots.unit, own, minlength=units), dtype=np.float64)
        return sums, ballots.unit_items.astype(np.float64)
    given = ballots.answer[taken, rows] != NONE if isinstance(taken, int) else taken
    right = given & ballots.right[:, rows].any(axis=0)
    tp, proposed = (np.bincount(ballots.unit[mask], minlength=units).astype(np.float64) for mask in (right, given))
    return 2 * tp, proposed + ballots.unit_items


def _spread(
    ballots: Ballots, learnt: tuple[Floats, Floats], single: tuple[Floats, Floats], clusters: bool
) -> float:
    """The variance of the difference of two scores: over units, or over folds if that is larger.

    Units of one fold share what was learnt, so folds vary too.
    """
    units, parts, changes = len(ballots.unit_fold), [], []
    for part, whole in (learnt, single):
        value, total = part.sum() / (whole.sum() or 1.0), whole.sum() or 1.0
        parts.append((part - value * whole) / total)
        rest = total - whole
        without = np.divide(part.sum() - part, rest, out=np.full(units, value), where=rest > 0)
        changes.append((value - without) * (units - 1) / units)
    ones, values = np.ones(units, dtype=np.int64), parts[0] - parts[1]
    if clusters:
        of_units = find_variance(changes[0] - changes[1], ones, centred=False)
    else:
        of_units = find_variance(values, ones)
    sums = np.bincount(ballots.unit_fold, values, minlength=FOLDS)
    return max(of_units, ballots.folds / (ballots.folds - 1) * math.fsum((sums**2).tolist()))


def add_combination(
    bounds: Sequence[Bound], growth: Sequence[Growth], ballots: Ballots | None, why_not: str, clusters: bool
) -> tuple[list[Bound], list[Growth]]:
    """Upper bounds, and their growth, with what a vote and a learnt choice reach."""
    if ballots is None:
        return [replace(row, not_combined=why_not) if row.label is None else row for row in bounds], [*growth]
    answers, steps = list_answers(ballots), []
    whole = reach(ballots, answers, clusters=clusters)
    trust = [] if whole.chances is None else whole.chances.trust
    named = [(tuple(ballots.systems[index] for index in own), n, r) for own, n, r in trust]
    named.sort(key=lambda entry: (-entry[1], sorted(entry[0])))
    more = {"combined": whole.score, "single_system": whole.best, "folds": whole.folds}
    overall = {"learnt_low": whole.low, "learnt_high": whole.high, "p": whole.p, "not_combined": whole.obstacle}
    differ = bool((ballots.answer != ballots.answer[0]).any() or (ballots.rest != ballots.rest[0]).any())
    rows = []
    for row in bounds:
        values = dict(zip(("single", "vote", "learnt", "bound"), whole.scores.get(row.label, ()), strict=False))
        own: dict[str, Any] = {**more, **values}
        if row.label is None:
            own |= {**overall, "trust": tuple(Trust(*entry) for entry in named)}
        row = replace(row, **own) if values else row  # noqa: PLW2901
        is_said = differ and row.label is None
        rows.append(replace(row, verdict=describe_combination(row, by_label=ballots.by_label)) if is_said else row)
    chosen: list[int] = []
    for step in growth:
        chosen.append(ballots.systems.index(step.added))
        some = sorted(chosen)
        own_reach = whole
        if len(chosen) < len(ballots.systems):
            own_reach = reach(ballots.of_systems(some), answers._replace(of=answers.of[some]), clusters=clusters)
        _, vote, learnt, bound = own_reach.scores[None]
        steps.append(replace(step, vote=vote, learnt=learnt, bound=bound))
    return rows, steps
