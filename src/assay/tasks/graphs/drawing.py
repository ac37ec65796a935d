"""Arcs, predicates and arguments in the text, for examples and pages.

An arc leads from its head to its dependent, and both may be empty nodes; one from the root is a top. Predicates have
no head, and arguments have their predicate as head.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, Stretches
from assay.corpus import Column, Marks, one_vocabulary
from assay.engine.drawing import SPAN_MEANINGS, Sides, draw_marks, draw_sides
from assay.engine.prepare import Run
from assay.engine.task import Tables
from assay.engine.texts import ELSEWHERE, NO_HEAD, ROOT
from assay.formats.graphs import NO_MARKS, find_empty_nodes
from assay.formats.roles import MARK, SPANS
from assay.tasks.graphs.arcs import WHOLE_KINDS, Nodes, columns_of_arcs
from assay.tasks.graphs.measures import PARTS
from assay.tasks.graphs.roles import continued_roles, is_predicate, pieces_by_role, roles_of

_MEANINGS = {
    **SPAN_MEANINGS,
    "head": "head: the same but for the head",
    "dependent": "dependent: the same head and label at other words",
    "direction": "direction: turned round",
    "sense": "sense: wrong sense",
    "arguments": "arguments: some argument is wrong",
}
_EMPTY = 1 << 40
"""Ends of arcs from here on are empty nodes, until it is known how many words their texts have."""


Empties = dict[int, tuple[int, int, str]]
"""Empty nodes by identity: sentence, number of words before it, and id."""


def _place_arcs(pair: Pair, side: int, unit: Ints, numbers: Ints, empties: Empties) -> tuple[Ints, Ints]:
    """The words at which arcs end and begin, counted in their gold sentence; empty nodes are entered in `empties`."""
    nodes, gold = pair.layer(Nodes), pair.gold
    assert nodes is not None
    arcs = columns_of_arcs(pair, side, numbers)
    words, of_system = len(gold), nodes.beyond + len(pair.system)
    first, size = gold.starts[unit], np.diff(gold.starts)[unit]
    places = []
    for node in (arcs["dependent"], arcs["head"]):
        place = nodes.position[node] // 2 - first
        place = np.where((place >= 0) & (place < size), place, ELSEWHERE)
        empty = ((node >= words) & (node < nodes.roots)) | (node >= of_system)
        for row in np.flatnonzero(empty).tolist():
            number = int(node[row])
            corpus, offset = (gold, words) if number < nodes.roots else (pair.system, of_system)
            behind = (int(nodes.position[number]) + 1) // 2 - int(first[row])
            name = find_empty_nodes(corpus).labels[number - offset]
            empties[int(nodes.identity[number])] = (int(unit[row]), behind, name)
        missing = (node >= nodes.beyond) & ~empty
        places.append((np.where(empty, _EMPTY + nodes.identity[node], place), missing))
    (dependent, _), (head, missing) = places
    head = np.where(arcs["own_head"] == NONE, ROOT, np.where(missing, ELSEWHERE, head))
    # A word that gold does not have is drawn where it stands.
    return np.maximum(dependent, 0), head


def _sides(run: Run, tables: Tables, wanted: Bools) -> Sides:
    """The arcs, or the predicates and arguments, of gold and of each system, and the empty nodes."""
    pairs, items = dict(run.pairs), tables[0][1]
    roles = run.pairs[0][1].layer(Nodes) is None
    if not items.kinds or (items.kinds == WHOLE_KINDS and not roles):
        # Sentences and predications are drawn as their arcs; predicates with roles have their arguments anyway.
        tables = [(name, pairs[name].once(PARTS, own.none)) for name, own in tables]
    if roles:
        return draw_sides(_draw_roles, run, tables, wanted)._replace(heads="rows", nodes=NO_MARKS)
    empties: Empties = {}

    def draw(pair: Pair, side: int, judged: Marks, wanted: Bools) -> Marks:
        begin, head = _place_arcs(pair, side, judged.unit, judged.number, empties)
        return replace(judged, begin=begin, arguments={**judged.arguments, "head": head})

    sides = draw_sides(draw, run, tables, wanted)
    keys = sorted(empties, key=lambda key: (*empties[key][:2], key))
    unit, behind = (np.array([empties[key][which] for key in keys], dtype=np.int64) for which in (0, 1))
    # After the words of each sentence come its empty nodes.
    places = np.arange(len(keys)) - np.searchsorted(unit, unit) + np.diff(run.gold.starts)[unit]
    place = dict(zip(keys, places.tolist(), strict=True))
    drawn = []
    for marks in sides.marks:
        ends = []
        for end in (marks.begin, marks.arguments["head"]):
            empty = np.flatnonzero(end >= _EMPTY)
            end[empty] = [place[key] for key in (end[empty] - _EMPTY).tolist()]
            ends.append(end)
        begin, head = ends
        arguments = {**marks.arguments, "head": head, "head_end": head + 1}
        drawn.append(_in_order(replace(marks, begin=begin, end=begin + 1, arguments=arguments)))
    nodes = Marks(unit, behind, behind, Column.of([empties[key][2] for key in keys]))
    return sides._replace(marks=tuple(drawn), heads="arcs", nodes=nodes)


def _in_order(marks: Marks) -> Marks:
    return marks.where(np.lexsort((marks.end, marks.begin)))


def _place_roles(pair: Pair, side: int, unit: Ints, numbers: Ints, judged: Ints) -> Marks:
    """Predicates and arguments by the words of gold's sentences, with the predicate of an argument as head.

    In place of words that gold does not have, the gold words where they stand are taken. If C- arguments are among
    the items judged, they are no pieces of others.
    """
    corpus = pair.system if side else pair.gold
    roles, predicates = corpus.marks["roles"], corpus.words_of(corpus.marks["predicates"])
    belonging = continued_roles(roles, corpus.format in SPANS)
    pieces = pieces_by_role(belonging)
    arguments = judged[(judged >= 0) & (judged < len(roles))]
    joined = bool((belonging[arguments] == arguments).all())
    start, size = pair.gold.starts[unit], np.diff(pair.gold.starts)[unit]

    def in_gold(words: Ints, rows: Any = slice(None)) -> Ints:
        own = pair.covering[words] if side else words
        return np.asarray(np.clip(own - start[rows], 0, size[rows] - 1))

    firsts = np.concatenate([corpus.words_of(roles), predicates])
    lasts = np.concatenate([corpus.starts[roles.unit] + roles.end - 1, predicates])
    heads = np.concatenate([roles.arguments["head"], predicates])
    begin, end = in_gold(firsts[numbers]), in_gold(lasts[numbers]) + 1
    head = np.where(numbers < len(roles), in_gold(heads[numbers]), NO_HEAD)
    stretches: dict[int, Stretches] = {}
    for row, number in enumerate(numbers.tolist() if joined else ()):
        if number in pieces:
            ends = (in_gold(words[pieces[number]], row).tolist() for words in (firsts, lasts))
            shape = tuple(sorted((first, last + 1) for first, last in zip(*ends, strict=True)))
            begin[row], end[row] = shape[0][0], max(stop for _, stop in shape)
            stretches[row] = shape
    at_heads = {"head": head, "head_end": head + 1}
    return Marks(unit, begin, end, Column(numbers, ()), stretches=stretches, arguments=at_heads, number=numbers)


def _draw_roles(pair: Pair, side: int, judged: Marks, wanted: Bools) -> Marks:
    """The items of a side in their places; also the predicates and, if none of them are judged, the arguments.

    The label of a predicate is its sense.
    """
    corpus = pair.system if side else pair.gold
    whole = roles_of(pair, spans=corpus.format in SPANS, join=True)[side]
    of_predicate, there = is_predicate(whole), wanted[whole.unit]
    tables = [judged.where(judged.number < len(corpus.marks["roles"]))]
    predicates = whole.where(of_predicate & there)
    tables.append(replace(predicates, labels=predicates.columns["sense"]))
    if not len(tables[0]):
        tables.append(whole.where(~of_predicate & there & ~whole.labels.isin([MARK])))
    vocabulary, codes = one_vocabulary([marks.labels for marks in tables])
    numbers, unit = (np.concatenate([getattr(marks, name) for marks in tables]) for name in ("number", "unit"))
    placed = _place_roles(pair, side, unit, numbers, judged.number)
    # The outcome of those that are items, and what they answer for.
    place = {number: row for row, number in enumerate(judged.number.tolist())}
    rows = np.array([place.get(number, NONE) for number in numbers.tolist()], dtype=np.int64)
    outcomes = {name: np.append(column, NONE)[rows] for name, column in judged.arguments.items()}
    labels = Column(np.concatenate(codes), vocabulary)
    return _in_order(replace(placed, labels=labels, arguments={**placed.arguments, **outcomes}))


def _place(pair: Pair, side: int, unit: Ints, numbers: Ints, judged: Ints) -> Marks:
    """The dependent of each arc, the predicate or all pieces of an argument; of an empty node the word before it."""
    if pair.layer(Nodes) is None:
        return _place_roles(pair, side, unit, numbers, judged)
    empties: Empties = {}
    begin, _ = _place_arcs(pair, side, unit, numbers, empties)
    for row in np.flatnonzero(begin >= _EMPTY).tolist():
        begin[row] = max(empties[int(begin[row]) - _EMPTY][1] - 1, 0)
    return Marks(unit, begin, begin + 1, Column(numbers, ()))


DRAWING = draw_marks("graph", _place, _sides, meanings=_MEANINGS)
