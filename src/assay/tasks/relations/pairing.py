"""Relations of a system matched with gold's one to one: by keys, by overlap, or fairly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.align import Pair
from assay.arrays import Bools, Ints, numbers_of_runs, pack_columns
from assay.corpus import Marks
from assay.engine.matching import MOST, Steps, overlap_counts, overlapping, ranges
from assay.engine.spanpairs import spans_of
from assay.errors import InputError
from assay.tasks.relations.pairs import ROLES, ends_of, is_undirected, number_arguments, span_classes

MATCHES = ("strict", "boundary", "overlap", "first", "last")
FAIR = ("tp", "le", "de", "te", "be", "me", "fn", "fp")
"""Outcomes if every error counts once: wrong label, direction, type or boundary of arguments, several of these."""
_TP, _LE, _DE, _TE, _BE, _ME = range(6)
_CHUNK = 1 << 22
_ENOUGH = 16
_MOST_LOOKED_AT = 1 << 28
_Sides = tuple[Marks, Marks]
_Pairs = tuple[Ints, Ints, Ints, Bools]
"""Gold's relations, the system's, the number of atoms that their arguments share, and a mask of those of which the
head of each overlaps the tail of the other."""


def relation_columns(
    sides: _Sides,
    numbers: tuple[Ints, Ints],
    free: tuple[Bools, Bools] | None = None,
    *,
    label: bool = True,
    turned: bool = False,
) -> Iterator[tuple[Ints, Ints]]:
    """The columns in which relations of gold and of the system are equal: label and the number of each argument.

    free: masks of the relations whose arguments may be exchanged.
    turned: those of gold are exchanged.
    """
    ends = [ends_of(relations, own) for relations, own in zip(sides, numbers, strict=True)]
    if free is not None:
        ends = [np.where(mask, np.sort(own, axis=0), own) for mask, own in zip(free, ends, strict=True)]
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
    """Gold's relations with those of the system that are right.

    types: whether types of arguments must be equal, if `match` does not say.
    label, direction: whether labels must be equal, and heads be heads.
    equivalence: whether spans are one that gold says are the same.
    """
    steps, free = _match_equal(pair, sides, label, direction, equivalence)
    spans = spans_of(pair)
    if match == "boundary" or (match == "overlap" and not types):
        steps.by_columns(_TP, *relation_columns(sides, number_arguments(pair, types=False), free, label=label))
        if equivalence:
            steps.by_columns(_TP, *relation_columns(sides, _class_numbers(pair, types=False), free, label=label))
    elif match in ("first", "last"):
        ours, theirs = (one.begin if match == "first" else one.end for one in (spans.gold, spans.system))
        if types:
            width = len(spans.labels) + 1
            ours, theirs = ours * width + spans.gold.label, theirs * width + spans.system.label
        steps.by_columns(_TP, *relation_columns(sides, (ours, theirs), free, label=label))
    if match == "overlap":
        pairs = _list_overlaps(pair, sides, steps, free)
        same_label, same_types = _compare(pair, sides, pairs)
        fits = (same_label | (not label)) & (same_types | (not types))
        _match_overlaps(pair, sides, steps, pairs, fits, _TP)
    return steps


def match_fairly(
    pair: Pair, sides: _Sides, *, label: bool = True, direction: bool = True, equivalence: bool = False
) -> Steps:
    """Gold's relations with those of the system that are right, or that are closest to it, by kind of error."""
    steps, free = _match_equal(pair, sides, label, direction, equivalence)
    typed = number_arguments(pair, types=True)
    if label:
        # Relations with other labels between the same spans, in the same direction if both have one.
        everywhere = (np.ones(1, dtype=bool), np.ones(1, dtype=bool))
        keys = pack_columns(*map(np.concatenate, relation_columns(sides, typed, everywhere, label=False)))
        gold, system = keys[: len(sides[0])], keys[len(sides[0]) :]
        ours, theirs = steps.left()
        theirs = theirs[np.argsort(system[theirs], kind="stable")]
        one, other = ranges(*(np.searchsorted(system[theirs], gold[ours], side) for side in ("left", "right")))
        ours, theirs = ours[one], theirs[other]
        heads = typed[0][sides[0].arguments["head"]][ours] == typed[1][sides[1].arguments["head"]][theirs]
        fits = heads | free[0][ours] | free[1][theirs]
        nothing = np.zeros(len(ours), dtype=np.int64)
        _match_overlaps(pair, sides, steps, (ours, theirs, nothing, nothing > 0), fits, _LE)
    steps.by_columns(_DE, *relation_columns(sides, typed, label=label, turned=True))
    steps.by_columns(_TE, *relation_columns(sides, number_arguments(pair, types=False), free, label=label))
    every = np.ones(len(sides[0]), dtype=bool), np.ones(len(sides[1]), dtype=bool)
    pairs = _list_overlaps(pair, sides, steps, every)
    same_label, same_types = _compare(pair, sides, pairs)
    crossed = pairs[3] & ~(free[0][pairs[0]] & free[1][pairs[1]])
    _match_overlaps(pair, sides, steps, pairs, (same_label | (not label)) & same_types & ~crossed, _BE)
    _match_overlaps(pair, sides, steps, pairs, np.ones(len(crossed), dtype=bool), _ME)
    return steps


def _match_equal(
    pair: Pair, sides: _Sides, label: bool, direction: bool, equivalence: bool
) -> tuple[Steps, tuple[Bools, Bools]]:
    """The relations with equal places and types; and masks of those whose arguments may be exchanged."""
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
    classes, (ours, theirs) = span_classes(pair, types=types), number_arguments(pair, types=types)
    return classes[ours], classes[theirs]


def _match_overlaps(pair: Pair, sides: _Sides, steps: Steps, pairs: _Pairs, fits: Bools, kind: int) -> None:
    """Make as many of these pairs as can be, with as many shared atoms as can be, ties by the order of places."""
    ends = [ends_of(relations, own) for relations, own in zip(sides, number_arguments(pair, types=True), strict=True)]
    head, tail = np.concatenate(ends, axis=1)
    label = np.concatenate([relations.label for relations in sides])
    ranks = pack_columns(np.minimum(head, tail), head, tail, label)
    ours, theirs, shared = (column[fits] for column in pairs[:3])
    steps.by_weight(ours, theirs, shared, (ranks[: len(sides[0])], ranks[len(sides[0]) :]), kind)


def _compare(pair: Pair, sides: _Sides, pairs: _Pairs) -> tuple[Bools, Bools]:
    """Masks of the pairs with the same label, and with the same types of the arguments that overlap."""
    (gold, system), spans = sides, spans_of(pair)
    ours, theirs, _, crossed = pairs
    head, tail = ends_of(gold, spans.gold.label)[:, ours]
    ends = ends_of(system, spans.system.label)[:, theirs]
    their_head, their_tail = np.where(crossed, ends[::-1], ends)
    return gold.label[ours] == system.label[theirs], (head == their_head) & (tail == their_tail)


def _list_overlaps(pair: Pair, sides: _Sides, steps: Steps, crosswise: tuple[Bools, Bools]) -> _Pairs:
    """The pairs of relations left whose arguments overlap, in order, or crosswise if both relations may be."""
    spans, (ours, theirs) = spans_of(pair), steps.left()
    empty = np.zeros(0, dtype=np.int64)
    if not (len(ours) and len(theirs)):
        return empty, empty, empty, empty.astype(bool)
    (gold_head, gold_tail), (head, tail) = ([side.arguments[role] for role in ROLES] for side in sides)
    arguments = [np.unique(np.concatenate([gold_head[ours], gold_tail[ours]]))]
    arguments.append(np.unique(np.concatenate([head[theirs], tail[theirs]])))
    place = spans.corpora[0].place_of_span(int(spans.gold.number[arguments[0][0]]))
    too_many = InputError(
        f"{place}: {len(arguments[0]):,} arguments of gold and {len(arguments[1]):,} of the system overlap too often "
        "to be paired one to one. Take relations(match=strict) or relations(match=boundary) alone."
    )
    if int(overlap_counts(spans.gold, arguments[0], spans.system, arguments[1]).sum()) > 4 * MOST:
        raise too_many
    left, right, shared = overlapping(spans.gold, spans.system, *arguments)
    starts = np.searchsorted(left, np.arange(len(spans.gold) + 1))
    sizes, width = np.diff(starts), len(spans.system)
    ends = head[theirs] * width + tail[theirs]
    by_ends = np.argsort(ends, kind="stable")
    theirs, ends = theirs[by_ends], ends[by_ends]
    # The relations of the system that begin at each span that overlaps, and how many begin over each of gold's.
    begun = np.stack([np.searchsorted(ends // width, right, side) for side in ("left", "right")])
    before = np.concatenate([[0], np.cumsum(begun[1] - begun[0])])
    over = before[starts[1:]] - before[starts[:-1]]
    listed = left * width + right
    lists: list[_Pairs] = [(empty, empty, empty, empty.astype(bool))]
    for crossed, all_rows in ((False, ours), (True, ours[crosswise[0][ours]])):
        # System relations from any span over one argument to any span over the other: they are looked up by both
        # ends or, if spans are nested deeply, all that begin there are looked at.
        one, other = (gold_tail, gold_head) if crossed else (gold_head, gold_tail)
        combinations, begin = sizes[one[all_rows]] * sizes[other[all_rows]], over[one[all_rows]]
        nested = combinations > np.maximum(begin, _ENOUGH)
        if int(np.where(nested, begin, combinations).sum()) > _MOST_LOOKED_AT:
            raise too_many
        for rows in _chunks(all_rows[nested], begin[nested]):
            row, at = ranges(starts[one[rows]], starts[one[rows] + 1])
            which, hit = ranges(begun[0][at], begun[1][at])
            row, at = row[which], at[which]
            key = other[rows][row] * width + tail[theirs[hit]]
            to = np.minimum(np.searchsorted(listed, key), len(listed) - 1)
            there = listed[to] == key
            weight = (shared[at] + shared[to])[there]
            lists.append((rows[row[there]], theirs[hit[there]], weight, np.full(len(weight), crossed)))
        for rows in _chunks(all_rows[~nested], combinations[~nested]):
            across = sizes[other[rows]]
            number = sizes[one[rows]] * across
            row, place_of = np.repeat(np.arange(len(rows)), number), numbers_of_runs(np.zeros_like(number), number)
            at = starts[one[rows]][row] + place_of // np.maximum(across[row], 1)
            to = starts[other[rows]][row] + place_of % np.maximum(across[row], 1)
            key = right[at] * width + right[to]
            which, hit = ranges(np.searchsorted(ends, key), np.searchsorted(ends, key, "right"))
            weight = (shared[at] + shared[to])[which]
            lists.append((rows[row[which]], theirs[hit], weight, np.full(len(hit), crossed)))
    found = [np.concatenate(columns) for columns in zip(*lists, strict=True)]
    allowed = ~found[3] | crosswise[1][found[1]]
    return found[0][allowed], found[1][allowed], found[2][allowed], found[3][allowed]


def _chunks(rows: Ints, sizes: Ints) -> Iterator[Ints]:
    """The rows in portions of at most _CHUNK combinations; `sizes` are the combinations of each row."""
    total, begin, before = np.cumsum(sizes), 0, 0
    while begin < len(rows):
        end = max(begin + 1, int(np.searchsorted(total, before + _CHUNK, "right")))
        yield rows[begin:end]
        begin, before = end, int(total[end - 1])
