"""Relations of a system matched with gold's one to one: by keys, by overlap, fairly, or as facts between entities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, distinct_rows, numbers_of_runs, pack_columns
from assay.corpus import Marks
from assay.engine.matching import (
    MOST,
    Steps,
    best_pairs,
    equal_pairs,
    expand_ranges,
    find_overlaps,
    one_to_one,
    overlap_counts,
)
from assay.engine.spanpairs import spans_of
from assay.errors import InputError
from assay.formats.relations import is_symmetric
from assay.tasks.relations.pairs import (
    ROLES,
    ends_of,
    first_of_each,
    is_undirected,
    number_arguments,
    relations_of,
    span_classes,
)

MATCHES = ("strict", "boundary", "overlap", "first", "last")
FAIR = ("tp", "le", "de", "te", "be", "me", "fn", "fp")
"""Outcomes if every error counts once: wrong label, direction, type or boundary of arguments, several of these."""
_TP, _LE, _DE, _TE, _BE, _ME = range(6)
ENTITIES = ("all", "any", "first")
"""Ways to match entities: by all their mentions, by any of them, by the first."""
_CHUNK = 1 << 22
_ENOUGH = 16
_MOST_LOOKED_AT = 1 << 28
_Sides = tuple[Marks, Marks]
_Pairs = tuple[Ints, Ints, Ints, Bools]
"""Relations of gold, relations of the system, the number of atoms that their arguments share, and a mask of the pairs
in which the head of each overlaps the tail of the other."""


def relation_columns(
    sides: _Sides,
    numbers: tuple[Ints, Ints],
    free: tuple[Bools, Bools] | None = None,
    *,
    label: bool = True,
    turned: bool = False,
) -> Iterator[tuple[Ints, Ints]]:
    """Columns that equal relations of gold and system share: the label and the number of each argument.

    free: masks of the relations whose arguments may be exchanged.
    turned: whether the arguments of gold's relations are exchanged.
    """
    ends = [ends_of(relations, values) for relations, values in zip(sides, numbers, strict=True)]
    if free is not None:
        ends = [np.where(mask, np.sort(rows, axis=0), rows) for mask, rows in zip(free, ends, strict=True)]
    if label:
        yield sides[0].label, sides[1].label
    yield from zip(ends[0][::-1] if turned else ends[0], ends[1], strict=True)


def match_relations(
    pair: Pair,
    sides: _Sides,
    *,
    match: str = "strict",
    types: bool = False,
    label: bool = True,
    direction: bool = True,
    equivalence: bool = False,
) -> Steps:
    """Match gold's relations with those of the system that are right.

    types: whether types of arguments must be equal; ignored if `match` already decides.
    label, direction: whether labels must be equal, and whether heads must be heads.
    equivalence: whether spans that are the same according to gold are one.
    """
    steps, free = _match_equal(pair, sides, label, direction, equivalence)
    spans = spans_of(pair)
    if match == "boundary" or (match == "overlap" and not types):
        steps.by_columns(_TP, *relation_columns(sides, number_arguments(pair, types=False), free, label=label))
        if equivalence:
            steps.by_columns(_TP, *relation_columns(sides, _class_numbers(pair, types=False), free, label=label))
    elif match in ("first", "last"):
        ends = [side.begin if match == "first" else side.end for side in spans]
        if types:
            width = len(spans[0].labels.vocabulary) + 1
            ends = [ends[0] * width + spans[0].label, ends[1] * width + spans[1].label]
        steps.by_columns(_TP, *relation_columns(sides, (ends[0], ends[1]), free, label=label))
    if match == "overlap":
        pairs = _list_overlaps(pair, sides, steps, free)
        same_label, same_types = _compare_pairs(pair, sides, pairs)
        fits = (same_label | (not label)) & (same_types | (not types))
        _match_overlaps(pair, sides, steps, pairs, fits, _TP)
    return steps


def match_fairly(
    pair: Pair, sides: _Sides, *, label: bool = True, direction: bool = True, equivalence: bool = False
) -> Steps:
    """Match gold's relations with those of the system that are right, then with the closest, by type of error."""
    steps, free = _match_equal(pair, sides, label, direction, equivalence)
    typed = number_arguments(pair, types=True)
    if label:
        # Relations with other labels between the same spans, in the same direction if both have one.
        everywhere = (np.ones(1, dtype=bool), np.ones(1, dtype=bool))
        keys = pack_columns(*map(np.concatenate, relation_columns(sides, typed, everywhere, label=False)))
        rows, system_rows = steps.left()
        same = equal_pairs(keys[rows], keys[len(sides[0]) + system_rows])
        rows, system_rows = rows[same[0]], system_rows[same[1]]
        heads = typed[0][sides[0].arguments["head"]][rows] == typed[1][sides[1].arguments["head"]][system_rows]
        fits = heads | free[0][rows] | free[1][system_rows]
        nothing = np.zeros(len(rows), dtype=np.int64)
        _match_overlaps(pair, sides, steps, (rows, system_rows, nothing, nothing > 0), fits, _LE)
    steps.by_columns(_DE, *relation_columns(sides, typed, label=label, turned=True))
    steps.by_columns(_TE, *relation_columns(sides, number_arguments(pair, types=False), free, label=label))
    every = np.ones(len(sides[0]), dtype=bool), np.ones(len(sides[1]), dtype=bool)
    pairs = _list_overlaps(pair, sides, steps, every)
    same_label, same_types = _compare_pairs(pair, sides, pairs)
    crossed = pairs[3] & ~(free[0][pairs[0]] & free[1][pairs[1]])
    _match_overlaps(pair, sides, steps, pairs, (same_label | (not label)) & same_types & ~crossed, _BE)
    _match_overlaps(pair, sides, steps, pairs, np.ones(len(crossed), dtype=bool), _ME)
    return steps


def _match_equal(
    pair: Pair, sides: _Sides, label: bool, direction: bool, equivalence: bool
) -> tuple[Steps, tuple[Bools, Bools]]:
    """Match relations with equal places and types; also masks of those whose arguments may be exchanged."""
    steps = Steps(len(sides[0]), len(sides[1]))
    free = is_undirected(sides[0]) | (not direction), is_undirected(sides[1]) | (not direction)
    typed = number_arguments(pair, types=True)
    steps.by_columns(_TP, *relation_columns(sides, typed, free))
    if not label:
        steps.by_columns(_TP, *relation_columns(sides, typed, free, label=False))
    if equivalence:
        steps.by_columns(_TP, *relation_columns(sides, _class_numbers(pair, types=True), free, label=label))
    return steps, free


def _class_numbers(pair: Pair, *, types: bool) -> tuple[Ints, Ints]:
    classes, (gold, system) = span_classes(pair, types=types), number_arguments(pair, types=types)
    return classes[gold], classes[system]


def _match_overlaps(pair: Pair, sides: _Sides, steps: Steps, pairs: _Pairs, fits: Bools, kind: int) -> None:
    """Make as many of these pairs as possible, with most shared atoms; ties are decided by the order of places."""
    typed = number_arguments(pair, types=True)
    ends = [ends_of(relations, values) for relations, values in zip(sides, typed, strict=True)]
    head, tail = np.concatenate(ends, axis=1)
    label = np.concatenate([relations.label for relations in sides])
    ranks = pack_columns(np.minimum(head, tail), head, tail, label)
    rows, system_rows, shared = (column[fits] for column in pairs[:3])
    steps.by_weight(rows, system_rows, shared, (ranks[: len(sides[0])], ranks[len(sides[0]) :]), kind)


def _compare_pairs(pair: Pair, sides: _Sides, pairs: _Pairs) -> tuple[Bools, Bools]:
    """Masks of the pairs with the same label, and with the same types of the arguments that overlap."""
    (gold, system), spans = sides, spans_of(pair)
    rows, system_rows, _, crossed = pairs
    types = ends_of(gold, spans[0].label)[:, rows]
    system_types = ends_of(system, spans[1].label)[:, system_rows]
    same_types = types == np.where(crossed, system_types[::-1], system_types)
    return gold.label[rows] == system.label[system_rows], same_types.all(axis=0)


def _list_overlaps(pair: Pair, sides: _Sides, steps: Steps, crosswise: tuple[Bools, Bools]) -> _Pairs:
    """Pairs of unmatched relations whose arguments overlap: in order, or crosswise if both may be turned."""
    spans, (rows_left, system_left) = spans_of(pair), steps.left()
    empty = np.zeros(0, dtype=np.int64)
    if not (len(rows_left) and len(system_left)):
        return empty, empty, empty, empty.astype(bool)
    (gold_head, gold_tail), (head, tail) = ([side.arguments[role] for role in ROLES] for side in sides)
    arguments = [np.unique(np.concatenate([gold_head[rows_left], gold_tail[rows_left]]))]
    arguments.append(np.unique(np.concatenate([head[system_left], tail[system_left]])))
    place = pair.gold.place_of_span(int(spans[0].number[arguments[0][0]]))
    too_many = InputError(
        f"{place}: {len(arguments[0]):,} arguments of gold and {len(arguments[1]):,} of the system overlap too often "
        "to be paired one to one. Use relations(match=strict) or relations(match=boundary) alone."
    )
    if int(overlap_counts(spans[0], arguments[0], spans[1], arguments[1]).sum()) > 4 * MOST:
        raise too_many
    left, right, shared = find_overlaps(*spans, *arguments)
    starts = np.searchsorted(left, np.arange(len(spans[0]) + 1))
    sizes, width = np.diff(starts), len(spans[1])
    ends = head[system_left] * width + tail[system_left]
    by_ends = np.argsort(ends, kind="stable")
    system_left, ends = system_left[by_ends], ends[by_ends]
    # The relations of the system that begin at each span that overlaps, and how many begin over each of gold's.
    begun = np.stack([np.searchsorted(ends // width, right, side) for side in ("left", "right")])
    before = np.concatenate([[0], np.cumsum(begun[1] - begun[0])])
    over = before[starts[1:]] - before[starts[:-1]]
    listed = left * width + right
    lists: list[_Pairs] = [(empty, empty, empty, empty.astype(bool))]
    for crossed, all_rows in ((False, rows_left), (True, rows_left[crosswise[0][rows_left]])):
        # System relations from any span over one argument to any span over the other are looked up by both ends;
        # if spans are nested deeply, all relations that begin there are compared.
        one, other = (gold_tail, gold_head) if crossed else (gold_head, gold_tail)
        combinations, begin = sizes[one[all_rows]] * sizes[other[all_rows]], over[one[all_rows]]
        nested = combinations > np.maximum(begin, _ENOUGH)
        if int(np.where(nested, begin, combinations).sum()) > _MOST_LOOKED_AT:
            raise too_many
        for rows in _chunks(all_rows[nested], begin[nested]):
            row, at = expand_ranges(starts[one[rows]], starts[one[rows] + 1])
            which, hit = expand_ranges(begun[0][at], begun[1][at])
            row, at = row[which], at[which]
            key = other[rows][row] * width + tail[system_left[hit]]
            to = np.minimum(np.searchsorted(listed, key), len(listed) - 1)
            there = listed[to] == key
            weight = (shared[at] + shared[to])[there]
            lists.append((rows[row[there]], system_left[hit[there]], weight, np.full(len(weight), crossed)))
        for rows in _chunks(all_rows[~nested], combinations[~nested]):
            across = sizes[other[rows]]
            number = sizes[one[rows]] * across
            row, place_of = np.repeat(np.arange(len(rows)), number), numbers_of_runs(np.zeros_like(number), number)
            at = starts[one[rows]][row] + place_of // np.maximum(across[row], 1)
            to = starts[other[rows]][row] + place_of % np.maximum(across[row], 1)
            key = right[at] * width + right[to]
            which, hit = expand_ranges(np.searchsorted(ends, key), np.searchsorted(ends, key, "right"))
            weight = (shared[at] + shared[to])[which]
            lists.append((rows[row[which]], system_left[hit], weight, np.full(len(hit), crossed)))
    gold, system, weights, turned = (np.concatenate(columns) for columns in zip(*lists, strict=True))
    allowed = ~turned | crosswise[1][system]
    return gold[allowed], system[allowed], weights[allowed], turned[allowed]


def _chunks(rows: Ints, sizes: Ints) -> Iterator[Ints]:
    """Rows in portions of at most _CHUNK combinations; `sizes` are the numbers of combinations of each row."""
    total, begin, before = np.cumsum(sizes), 0, 0
    while begin < len(rows):
        end = max(begin + 1, int(np.searchsorted(total, before + _CHUNK, "right")))
        yield rows[begin:end]
        begin, before = end, int(total[end - 1])


# --- facts: relations between entities ---


def match_facts(pair: Pair, entities: str) -> tuple[tuple[Marks, Marks], Steps]:
    """Facts of gold and of a system, relations between first mentions of entities, each once; and their matching.

    entities: entities are matched by type and all mentions (`all`), by any mention (`any`: as many pairs as
        possible, then with most shared mentions), or by the `first` mention.
    """
    spans, places, typed = spans_of(pair), number_arguments(pair, types=False), number_arguments(pair, types=True)
    sides = []
    """The entity of each span, in the order of first mentions, and the first mention of each entity."""
    for side, numbers in zip(spans, typed, strict=True):
        group = numbers
        if side.group is not None:
            # A span outside all entities is an entity by its place and type.
            group = np.where(side.group == NONE, numbers + int(side.group.max(initial=-1)) + 1, side.group)
        # Spans are in text order, so the first of each entity is its first mention.
        _, first, entity = np.unique(group, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        sides.append((np.argsort(order)[entity], first[order]))
    (gold_of, gold_first), (system_of, system_first) = sides
    mentions = [distinct_rows(np.stack([of, place], axis=1))[0] for (of, _), place in zip(sides, places, strict=True)]
    partner = np.full(len(system_first), NONE)
    """Gold's entity for each of the system's."""
    if entities == "any":
        # Entities that share mentions, and the number of these.
        left, right = equal_pairs(mentions[0][:, 1], mentions[1][:, 1])
        rows, _, shared = distinct_rows(np.stack([mentions[0][left, 0], mentions[1][right, 0]], axis=1))
        chosen = best_pairs(rows[:, 0], rows[:, 1], shared, most=True)
        partner[rows[chosen, 1]] = rows[chosen, 0]
    else:
        keys = [places[0][gold_first], places[1][system_first]]
        if entities == "all":
            signatures: dict[tuple[bytes, int], int] = {}
            for number, (side, first) in enumerate(zip(spans, (gold_first, system_first), strict=True)):
                places_of = np.ascontiguousarray(mentions[number][:, 1])
                starts = np.searchsorted(mentions[number][:, 0], np.arange(len(first) + 1)).tolist()
                types = side.label[first].tolist()
                keys[number] = np.array(
                    [
                        signatures.setdefault((places_of[begin:end].tobytes(), label), len(signatures))
                        for begin, end, label in zip(starts, starts[1:], types, strict=False)
                    ],
                    dtype=np.int64,
                )
        partner = one_to_one(keys[1], keys[0])
    facts = []
    for relations, side, (of, first) in zip(relations_of(pair), spans, sides, strict=True):
        ends = ends_of(relations, of)
        head, tail = first[np.where(is_symmetric(relations), np.sort(ends, axis=0), ends)]
        unit = np.minimum(side.unit[head], side.unit[tail])
        fact = replace(relations, arguments={"head": head, "tail": tail}, unit=unit)
        facts.append(fact.where(first_of_each(fact.label, head, tail)))
    gold, system = facts
    steps = Steps(len(gold), len(system))
    # An entity without a partner equals no entity of gold.
    free = is_symmetric(gold), is_symmetric(system)
    steps.by_columns(0, *relation_columns((gold, system), (gold_of, partner[system_of]), free))
    return (gold, system), steps
