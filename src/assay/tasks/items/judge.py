"""What a system answers to each item, as Items: one label, or each label of a set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Ints, as_codes
from assay.classes import dataclass
from assay.corpus import SEVERAL, Column, one_vocabulary
from assay.corpus.items import LABEL, ItemTable
from assay.engine.items import Items
from assay.errors import UsageError

SET_KINDS = ("tp", "fn", "fp")


@dataclass(frozen=True, eq=False)
class ItemRun:
    """What is the same for all systems of a run."""

    kind: str
    """What items have: `labels`, `sets`, `ordered` labels, `numbers` or `scores`."""
    order: tuple[str, ...] = ()
    """The labels in their order, if they have one."""
    ignored: frozenset[str] = frozenset()
    """Labels that do not count in averages over labels."""
    alternatives: bool = False
    """True if any of several labels of gold is right."""


def run_of(pair: Pair, measure: str, *kinds: str) -> ItemRun:
    """The facts of the run; an error if the measure is not for items of this kind."""
    run: ItemRun = pair.layers[ItemRun]
    if run.kind not in kinds:
        have = {"sets": "sets of labels", "numbers": "numbers"}.get(run.kind, "one label each")
        usual = {"sets": "subset-accuracy", "numbers": "mae"}.get(run.kind, "accuracy")
        raise UsageError(f"{measure}: does not work for these items, which have {have}. Try -m {usual}")
    return run


def labels_of(pair: Pair) -> tuple[tuple[str, ...], Ints, Ints]:
    """The labels of both sides, and those of gold and of the system as numbers, NONE for no answer."""
    vocabulary, (gold, answer) = one_vocabulary((pair.gold.column(LABEL), pair.system.column(LABEL)))
    missing = pair.system.layers[ItemTable].missing
    return vocabulary, gold.astype(np.int32), np.where(missing, NONE, answer).astype(np.int32)


def judge_items(pair: Pair) -> Items:
    """The items, each with one label of gold's and one of the system's; a whole set counts as one label."""
    return pair.once("items", lambda: _judge_items(pair))


def _judge_items(pair: Pair) -> Items:
    vocabulary, gold, answer = labels_of(pair)
    run, right = pair.layer(ItemRun), gold == answer
    if run is not None and run.kind == "sets":
        # No answer is the empty set.
        names = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        answer = np.where(answer == NONE, names.setdefault("", len(names)), answer)
        vocabulary, right = tuple("∅" if name == "" else name for name in names), gold == answer
    elif run is not None and run.alternatives:
        several = [frozenset(name.split(SEVERAL)) for name in vocabulary]
        pairs, group = np.unique(np.stack([gold, answer]), axis=1, return_inverse=True)
        fits = [b != NONE and vocabulary[b] in several[a] for a, b in pairs.T.tolist()]
        right = np.array(fits, dtype=bool)[group.ravel()]
    rows = np.flatnonzero(~pair.skipped)
    return Items.of(vocabulary, rows, rows, gold[rows], answer[rows], right[rows])


def judge_labels(pair: Pair, positive: str = "") -> Items:
    """The labels that items have: one row for each item, or for each label of gold's or the system's set.

    Ignored labels, or with `positive` all others, do not count on either side.
    """
    run: ItemRun = pair.layers[ItemRun]
    items = judge_set_members(pair) if run.kind == "sets" else judge_items(pair)
    if run.alternatives:
        # An answer that is right stands for the label that it names, a wrong one for gold's first.
        firsts = Column.of(name.split(SEVERAL)[0] for name in items.labels)
        codes = dict(zip(items.labels, range(len(items.labels)), strict=True))
        place = as_codes(firsts.vocabulary, codes)[firsts.codes]
        gold = np.where(items.right[0], items.answer[0], place[items.gold])
        items = replace(items, labels=tuple(codes), gold=gold)
    if not (run.ignored or positive):
        return items
    if positive and positive not in items.labels:
        raise UsageError(f"label-f1(positive={positive}): no item has this label.")
    counts = np.array([*(name == positive if positive else name not in run.ignored for name in items.labels), False])
    has_gold, has_system = items.has_gold & counts[items.gold], items.has_system & counts[items.answer]
    selected = replace(items, has_gold=has_gold, has_system=has_system, selected=True, found=items.right)
    return selected.judged(items.right[0])


def judge_set_members(pair: Pair) -> Items:
    """A row for each label that gold or the system gives to an item."""
    return pair.once("members of sets", lambda: _judge_set_members(pair))


def _judge_set_members(pair: Pair) -> Items:
    known: dict[str, int] = {}
    width, keys = 1 << 31, []
    for corpus in (pair.gold, pair.system):
        column = corpus.column(LABEL)
        members = [as_codes(filter(None, name.split(SEVERAL)), known) for name in column.vocabulary]
        sizes = np.array([len(own) for own in members], dtype=np.int64)[column.codes]
        sizes[pair.skipped] = 0
        starts = np.concatenate([[0], np.cumsum([len(own) for own in members])])[column.codes]
        item = np.repeat(np.arange(len(column)), sizes)
        place = np.arange(len(item)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(starts, sizes)
        keys.append(item * width + np.concatenate([*members, np.zeros(0, dtype=np.int32)])[place])
    every = np.union1d(*keys)
    in_gold, in_system = (np.isin(every, own) for own in keys)
    item, code = every // width, (every % width).astype(np.int32)
    rows = np.arange(len(every))
    return Items.of(
        tuple(known),
        *(item, rows, np.where(in_gold, code, NONE), np.where(in_system, code, NONE), in_gold & in_system),
        kinds=SET_KINDS,
        kind=np.where(in_gold, np.where(in_system, 0, 1), 2),
        label=code,
        partner=np.where(in_system, rows, NONE),
        key=np.stack([np.zeros(len(every), dtype=np.int64), code]),
    )
