"""Relations of gold and of a system, over spans on one line of atoms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, all_but, distinct_rows, each_once
from assay.corpus import Column, Marks
from assay.engine.matching import number_shapes, overlap_counts
from assay.engine.spanpairs import spans_of
from assay.errors import UsageError
from assay.formats.relations import SYMMETRIC, is_symmetric, relations_in

ROLES = ("head", "tail")
EQUIVALENT = "same-as"
"""Label of relations whose arguments are one span, besides those that a file itself calls symmetric."""
DIRECTIONS = ("", "asked", SYMMETRIC)
"""Values of the column SYMMETRIC in a pair: a label has a direction; it has none for a measure; or for a file."""
IN_FILE = DIRECTIONS.index(SYMMETRIC)


def relations_of(pair: Pair) -> tuple[Marks, Marks]:
    """Relations of gold and of the system, with repetitions; their arguments are the spans of the pair."""
    if "relations" not in pair.marks:
        raise UsageError("this measure is for relations, but something else is compared. Give --task relations")
    return pair.marks["relations"]


def pair_relations(pair: Pair) -> Pair:
    """Pair of spans with its relations in text order, without those whose arguments were left out."""
    sides = []
    for corpus, side in zip((pair.gold, pair.system), spans_of(pair), strict=True):
        arguments, relations = relations_in(corpus)
        place = np.full(len(arguments), NONE)
        place[side.number] = np.arange(len(side))
        relations = relations.refer_to(place)
        head, tail = ends_of(relations, np.arange(len(side)))
        relations = relations.where(np.lexsort((relations.label, tail, head, np.minimum(head, tail))))
        unit = ends_of(relations, side.unit).min(axis=0)
        nothing = np.zeros(0, dtype=np.int64)
        sides.append(replace(relations, unit=unit, lines=nothing, number=np.arange(len(relations))))
    return pair.with_marks(relations=(sides[0], sides[1]))


def ends_of(relations: Marks, values: Ints | Bools) -> Ints:
    """Values of the head and of the tail of each relation, from a value for each span: two rows."""
    return np.stack([values[relations.arguments[role]] for role in ROLES])


def have_both(relations: Marks, mask: Bools) -> Bools:
    """Mask of the relations whose arguments are both in a mask of spans."""
    head, tail = (relations.arguments[role] for role in ROLES)
    return mask[head] & mask[tail]


def is_undirected(relations: Marks) -> Bools:
    """Mask of the relations whose label has no direction, according to a file or a measure."""
    return np.asarray(relations.columns[SYMMETRIC].codes > 0)


def number_arguments(pair: Pair, *, types: bool) -> tuple[Ints, Ints]:
    """Numbers of gold's spans and of the system's in text order, equal for the same atoms (and the same type)."""

    def numbers() -> tuple[Ints, Ints]:
        sides = spans_of(pair)
        begin, end, label = (
            np.concatenate([getattr(side, name) for side in sides]) for name in ("begin", "end", "label")
        )
        group = distinct_rows(np.stack([begin, end, number_shapes(sides), label * types], axis=1).astype(np.int64))[1]
        return group[: len(sides[0])], group[len(sides[0]) :]

    return pair.once(f"numbers of spans {types}", numbers)


def choose_relations(pair: Pair, symmetric: str | None = None) -> tuple[Marks, Marks]:
    """Relations of both sides, each once; those without direction begin with the argument that comes first.

    symmetric: labels without direction, joined by +, besides those of files. Default: those of all measures.
    """
    sides = relations_of(pair)
    labels = {*(symmetric or "").split("+")}
    if symmetric is None:
        for side in sides:
            asked = side.columns[SYMMETRIC].codes == DIRECTIONS.index("asked")
            labels |= {side.labels.vocabulary[code] for code in each_once(side.label[asked]).tolist()}
    names = [name for name in sides[0].labels.vocabulary if name in labels]

    def choose() -> tuple[Marks, Marks]:
        chosen = []
        for side, typed in zip(sides, number_arguments(pair, types=True), strict=True):
            free = is_symmetric(side) | side.labels.isin(names)
            (head, tail), ends = (side.arguments[role] for role in ROLES), ends_of(side, typed)
            turned = free & (ends[0] > ends[1])
            arguments = {"head": np.where(turned, tail, head), "tail": np.where(turned, head, tail)}
            columns = {**side.columns, SYMMETRIC: Column(np.where(free, IN_FILE, 0).astype(np.int8), DIRECTIONS)}
            single = replace(side, arguments=arguments, columns=columns)
            chosen.append(single.where(first_of_each(single.label, *ends_of(single, typed))))
        return chosen[0], chosen[1]

    return pair.once(f"relations, each once {'+'.join(names)}", choose)


def first_of_each(*columns: Ints) -> Ints:
    """First row with each combination of values, in the order of rows."""
    group = distinct_rows(np.stack(columns, axis=1))[1]
    return np.sort(np.unique(group, return_index=True)[1])


def overlapped_spans(pair: Pair) -> tuple[Bools, Bools]:
    """Masks of gold's spans and of the system's that share an atom with some span of the other side."""
    gold, system = spans_of(pair)

    def split_gaps(marks: Marks) -> tuple[Marks, Ints]:
        """Stretches of spans as spans, because gaps contain no atoms, and the span of each."""
        whole = all_but(np.array([*marks.stretches, NONE]), len(marks))
        gaps = [(index, begin, end) for index, shape in marks.stretches.items() for begin, end in shape]
        owner, begin, end = np.array(gaps, dtype=np.int64).reshape(-1, 3).T
        begin, end = np.concatenate([marks.begin[whole], begin]), np.concatenate([marks.end[whole], end])
        return Marks.on_line(begin, end, np.zeros_like(begin)), np.concatenate([whole, owner])

    masks = []
    for marks, others in ((gold, system), (system, gold)):
        (pieces, owner), (other_pieces, _) = split_gaps(marks), split_gaps(others)
        counts = overlap_counts(pieces, np.arange(len(pieces)), other_pieces, np.arange(len(other_pieces)))
        masks.append(np.zeros(len(marks), dtype=bool))
        masks[-1][owner[counts > 0]] = True
    return masks[0], masks[1]


def found_spans(pair: Pair) -> tuple[Bools, Bools]:
    """Masks of gold's spans and of the system's that the other side has with the same atoms and type."""

    def masks() -> tuple[Bools, Bools]:
        gold, system = number_arguments(pair, types=True)
        return np.isin(gold, system), np.isin(system, gold)

    return pair.once("spans that both have", masks)


def span_classes(pair: Pair, *, types: bool) -> Ints:
    """Class of each span by its number; spans that are the same according to gold have the same class."""

    def classes() -> Ints:
        gold, numbers = relations_of(pair)[0], number_arguments(pair, types=types)
        same = gold.labels.isin((EQUIVALENT,)) | is_symmetric(gold)
        left, right = ends_of(gold.where(same), numbers[0])
        # The number of a class is the least of its spans.
        root = np.arange(int(max(side.max(initial=-1) for side in numbers)) + 1)
        while len(left) and (root[left] != root[right]).any():
            ends = np.stack([root[left], root[right]])
            np.minimum.at(root, ends.max(axis=0), ends.min(axis=0))
            while (root != root[root]).any():
                root = root[root]
        return root

    return pair.once(f"classes of spans {types}", classes)
