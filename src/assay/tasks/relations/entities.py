"""Facts: relations between entities, each of which has one mention or several, and which entities correspond."""

from __future__ import annotations

import numpy as np

from assay.arrays import NONE, Ints, distinct_rows
from assay.corpus import Corpus, Marks
from assay.engine.matching import best_pairs, one_to_one, ranges
from assay.records import dataclass
from assay.tasks.relations.pairs import RelationList, RelationPair, relations_in

ENTITIES = ("all", "any", "first")
"""Ways to pair entities: by all their mentions, by any of them, by the first."""


@dataclass(frozen=True, eq=False)
class _Entities:
    """The entities of one side, numbered by their first mentions."""

    of_span: Ints
    """The entity of each span; what is in none is an entity by its place and type."""
    first: Ints
    """The first mention of each."""
    mention: Ints
    """The places of all mentions, those of an entity side by side, each once …"""
    starts: Ints
    """… and where those of each entity begin, with their number at the end."""


def _entities(corpus: Corpus, side: Marks, places: Ints, typed: Ints) -> _Entities:
    given = relations_in(corpus).entity
    alone = typed + (0 if given is None else int(given.max(initial=-1)) + 1)
    own = alone if given is None else np.where(given[side.number] == NONE, alone, given[side.number])
    _, first, number = np.unique(own, return_index=True, return_inverse=True)
    # Spans are in the order of the text, so that the first of each is its first mention.
    order = np.argsort(first, kind="stable")
    of_span = np.argsort(order)[number]
    rows = distinct_rows(np.stack([of_span, places], axis=1))[0]
    starts = np.searchsorted(rows[:, 0], np.arange(len(first) + 1))
    return _Entities(of_span, first[order], rows[:, 1], starts)


def facts(layer: RelationPair, entities: str) -> tuple[RelationList, RelationList, Ints]:
    """The facts of gold and of a system, each once, between first mentions; and which of them answers for gold's.

    `entities` says how entities are paired: by the same set of mentions and type (`all`), by any mention, as many
    pairs as can be and then as many shared mentions (`any`), or by the `first` mention.
    """
    sides = (layer.spans.gold, layer.spans.system)
    found = [_entities(*rows) for rows in zip(layer.spans.corpora, sides, layer.places, layer.typed, strict=True)]
    gold, system = found
    partner = np.full(len(system.first), NONE)
    if entities == "any":
        ours, theirs, shared = _sharing(gold, system)
        chosen = best_pairs(ours, theirs, shared, most=True)
        partner[theirs[chosen]] = ours[chosen]
    else:
        keys = [layer.places[number][one.first] for number, one in enumerate(found)]
        if entities == "all":
            keys = _signatures(layer, gold, system)
        ours = one_to_one(keys[0], keys[1])
        partner[ours[ours != NONE]] = np.flatnonzero(ours != NONE)
    lists: list[RelationList] = []
    ends = []
    symmetric = np.array([label in layer.symmetric for label in layer.labels] or [False])
    for rows, own in zip((layer.gold, layer.system), found, strict=True):
        both = np.stack([own.of_span[rows.head], own.of_span[rows.tail]])
        free = symmetric[rows.label]
        both = np.where(free, np.sort(both, axis=0), both)
        group = distinct_rows(np.stack([rows.label, *both], axis=1))[1]
        first = np.sort(np.unique(group, return_index=True)[1])
        side = sides[len(lists)]
        head, tail = (own.first[numbers[first]] for numbers in both)
        sentence = np.minimum(side.unit[head], side.unit[tail])
        lists.append(RelationList(rows.number[first], rows.label[first], head, tail, sentence, free[first]))
        ends.append(both[:, first])
    mapped = partner[ends[1]]
    # An entity without a partner is like none of gold's.
    mapped = np.where(lists[1].symmetric, np.sort(mapped, axis=0), mapped)
    keys = [np.stack([one.label, *own], axis=1) for one, own in zip(lists, (ends[0], mapped), strict=True)]
    group = distinct_rows(np.concatenate(keys))[1]
    return lists[0], lists[1], one_to_one(group[: len(lists[0])], group[len(lists[0]) :])


def _sharing(gold: _Entities, system: _Entities) -> tuple[Ints, Ints, Ints]:
    """Entities of gold and of the system that share mentions, and how many."""
    owner = [np.repeat(np.arange(len(one.first)), np.diff(one.starts)) for one in (gold, system)]
    order = np.argsort(system.mention, kind="stable")
    ordered = system.mention[order]
    ours, theirs = ranges(*(np.searchsorted(ordered, gold.mention, side) for side in ("left", "right")))
    rows, _, sizes = distinct_rows(np.stack([owner[0][ours], owner[1][order[theirs]]], axis=1))
    return rows[:, 0], rows[:, 1], sizes


def _signatures(layer: RelationPair, gold: _Entities, system: _Entities) -> list[Ints]:
    """A number for each entity; those with the same mentions and type have the same."""
    known: dict[tuple[bytes, int], int] = {}
    keys: list[Ints] = []
    for one, side in ((gold, layer.spans.gold), (system, layer.spans.system)):
        places, starts, types = one.mention, one.starts.tolist(), side.label[one.first].tolist()
        found = [
            known.setdefault((places[begin:end].tobytes(), label), len(known))
            for begin, end, label in zip(starts, starts[1:], types, strict=False)
        ]
        keys.append(np.array(found, dtype=np.int64))
    return keys
