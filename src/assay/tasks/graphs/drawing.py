"""Arcs, predicates and arguments found in the text again, for examples and pages.

An arc leads from its head to its dependent, and both may be empty nodes; one from the root is a top. Predicates have
no head, and arguments have their predicate as head.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Array, Bools, Ints, Stretches
from assay.corpus import Column, Marks, one_vocabulary
from assay.engine.drawing import SPAN_MEANINGS
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Layers, Places, Tables
from assay.engine.texts import ELSEWHERE, NO_HEAD, ROOT, Rows, Shown, span_rows
from assay.formats.graphs import empty_nodes
from assay.formats.roles import MARK, SPANS
from assay.result import ExampleSpan
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


def _arcs(run: Run, pair: Pair, side: int, numbers: Ints, sentence: Ints) -> tuple[Ints, Ints, Empties]:
    """The words at which arcs end and begin, counted in their gold sentence, and the empty nodes among these."""
    nodes = pair.layer(Nodes)
    assert nodes is not None
    arcs = columns_of_arcs(pair, side, numbers)
    words, of_system = len(run.gold), nodes.beyond + len(pair.system)
    first, size = run.gold.starts[sentence], np.diff(run.gold.starts)[sentence]
    empties: Empties = {}
    places = []
    for node in (arcs["dependent"], arcs["head"]):
        place = nodes.position[node] // 2 - first
        place = np.where((place >= 0) & (place < size), place, ELSEWHERE)
        empty = ((node >= words) & (node < nodes.roots)) | (node >= of_system)
        for row in np.flatnonzero(empty).tolist():
            own = int(node[row])
            corpus, offset = (run.gold, words) if own < nodes.roots else (pair.system, of_system)
            behind = (int(nodes.position[own]) + 1) // 2 - int(first[row])
            name = empty_nodes(corpus).labels[own - offset]
            empties[int(nodes.identity[own])] = (int(sentence[row]), behind, name)
        missing = (node >= nodes.beyond) & ~empty
        places.append((np.where(empty, _EMPTY + nodes.identity[node], place), missing))
    (dependent, _), (head, missing) = places
    head = np.where(arcs["own_head"] == NONE, ROOT, np.where(missing, ELSEWHERE, head))
    # A word that gold does not have is drawn where it stands.
    return np.maximum(dependent, 0), head, empties


def _whole(run: Run, items: Items) -> bool:
    """True if items are made of arcs; predicates with roles are drawn with their arguments anyway."""
    arcs = run.pairs[0][1].layer(Nodes) is not None
    return not items.kinds or (arcs and items.kinds == WHOLE_KINDS)


def _parts(run: Run, tables: Tables) -> Tables:
    """Tables of sentences and predications as those of the arcs in them, which can be drawn."""
    pairs = dict(run.pairs)
    return [(name, pairs[name].once(PARTS, items.none) if _whole(run, items) else items) for name, items in tables]


def _sides(run: Run, tables: Tables, wanted: Bools) -> tuple[list[tuple[str, Marks]], Marks]:
    """The things drawn of gold and of each system in the sentences of a mask, and the empty nodes.

    Beside the word that is its `head`, a mark has its outcome as an item (`kind`) and the number of gold's item that
    it is or answers for (`answer`), NONE without one.
    """
    pairs = dict(run.pairs)
    sides: list[tuple[str, Marks]] = []
    empties: Empties = {}
    for side, (name, items) in [(0, tables[0]), *((1, table) for table in tables)]:
        pair, graphs = pairs[name], pairs[name].layer(Nodes) is not None
        assert items.partner is not None
        there, number = (items.has_system[0], items.partner[0]) if side else (items.has_gold, items.item)
        rows = np.flatnonzero(there & wanted[items.sentence])
        begin = head = number[rows]
        if graphs:
            begin, head, found = _arcs(run, pair, side, begin, items.sentence[rows])
            empties |= found
        arguments = {
            "head": head,
            "kind": items.kind[0, rows] if side else np.full(len(rows), NONE),
            "answer": np.where(items.has_gold, items.item, NONE)[rows],
        }
        labels = Column(np.asarray(items.answer[0] if side else items.gold)[rows], items.labels)
        marks = Marks(items.sentence[rows], begin, begin + 1, labels, arguments=arguments, number=number[rows])
        sides.append((name if side else "gold", marks if graphs else _roles(run, pair, wanted, marks, side)))
    keys = sorted(empties, key=lambda key: (*empties[key][:2], key))
    unit, behind = (np.array([empties[key][which] for key in keys], dtype=np.int64) for which in (0, 1))
    if keys:
        # After the words of each sentence come its empty nodes.
        places = np.arange(len(keys)) - np.searchsorted(unit, unit) + np.diff(run.gold.starts)[unit]
        order = np.argsort(keys)
        known, places = np.array(keys)[order], np.append(places[order], 0)
        for place, (name, marks) in enumerate(sides):
            begin, head = (
                np.where(end >= _EMPTY, places[np.searchsorted(known, end - _EMPTY)], end)
                for end in (marks.begin, marks.arguments["head"])
            )
            moved = replace(marks, begin=begin, end=begin + 1, arguments={**marks.arguments, "head": head})
            sides[place] = (name, moved)
    return sides, Marks(unit, behind, behind, Column.of([empties[key][2] for key in keys]))


def _role_places(
    run: Run, pair: Pair, side: int, numbers: Ints, sentence: Ints, judged: Ints
) -> tuple[Ints, Ints, Ints, dict[int, Stretches]]:
    """First word and end of predicates and arguments, the predicate of each argument, and the pieces of some.

    Words are counted in their gold sentence; of those that gold does not have, the gold words where they stand are
    taken. If C- arguments are among the items judged, they are no pieces of others.
    """
    corpus = pair.system if side else pair.gold
    roles, predicates = corpus.marks["roles"], corpus.words_of(corpus.marks["predicates"])
    belonging = continued_roles(roles, corpus.format in SPANS)
    pieces = pieces_by_role(belonging)
    arguments = judged[(judged >= 0) & (judged < len(roles))]
    joined = bool((belonging[arguments] == arguments).all())
    start, size = run.gold.starts[sentence], np.diff(run.gold.starts)[sentence]

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
    return begin, end, head, stretches


def _roles(run: Run, pair: Pair, wanted: Bools, drawn: Marks, side: int) -> Marks:
    """The items of a side in their places; also the predicates and, if none of them are judged, the arguments.

    The label of a predicate is its sense.
    """
    corpus = pair.system if side else pair.gold
    whole = roles_of(pair, spans=corpus.format in SPANS, join=True)[side]
    of_predicate, there = is_predicate(whole), wanted[whole.unit]
    tables = [drawn.where(drawn.number < len(corpus.marks["roles"]))]
    predicates = whole.where(of_predicate & there)
    more = [replace(predicates, labels=predicates.columns["sense"])]
    if not len(tables[0]):
        more.append(whole.where(~of_predicate & there & ~whole.labels.isin([MARK])))
    # The outcome of those that are items, and what they answer for.
    place = {number: row for row, number in enumerate(drawn.number.tolist())}
    for marks in more:
        rows = np.array([place.get(number, NONE) for number in marks.number.tolist()], dtype=np.int64)
        arguments = {name: np.append(drawn.arguments[name], NONE)[rows] for name in ("head", "kind", "answer")}
        tables.append(replace(marks, arguments=arguments))
    vocabulary, codes = one_vocabulary([marks.labels for marks in tables])
    numbers, unit = (np.concatenate([getattr(marks, name) for marks in tables]) for name in ("number", "unit"))
    begin, end, head, stretches = _role_places(run, pair, side, numbers, unit, drawn.number)
    arguments = {name: np.concatenate([marks.arguments[name] for marks in tables]) for name in ("kind", "answer")}
    labels = Column(np.concatenate(codes), vocabulary)
    return Marks(unit, begin, end, labels, stretches=stretches, arguments={"head": head, **arguments}, number=numbers)


def _places(run: Run, items: Items) -> Places:
    """The dependent of each arc, the predicate or all pieces of an argument; of an empty node the word before it.

    Items that are whole sentences have no words, so that no arc is taken for one of them.
    """
    begin, end = np.zeros(len(items), dtype=np.int64), np.zeros(len(items), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for owner in range(-1, len(run.pairs) if items.kinds else -1):
        rows = np.flatnonzero(items.owner == owner)
        if not len(rows):
            continue
        assert items.partner is not None
        side, pair = int(owner != NONE), run.pairs[max(owner, 0)][1]
        numbers, sentence = items.item[rows], items.sentence[rows]
        if pair.layer(Nodes) is not None:
            dependent, _, empties = _arcs(run, pair, side, numbers, sentence)
            for row in np.flatnonzero(dependent >= _EMPTY).tolist():
                dependent[row] = max(empties[int(dependent[row]) - _EMPTY][1] - 1, 0)
            begin[rows], end[rows] = dependent, dependent + 1
        else:
            judged = items.partner[owner] if side else numbers
            begin[rows], end[rows], _, pieces = _role_places(run, pair, side, numbers, sentence, judged)
            stretches.update((int(rows[row]), [list(piece) for piece in shape]) for row, shape in pieces.items())
    return begin, end, stretches


def _layers(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """The arcs or roles of gold and of systems, those of systems with their outcomes, if they are the items."""
    sides, nodes = _sides(run, _parts(run, tables), shown.place != NONE)
    whole = _whole(run, items)
    layers = []
    for number, (_, marks) in enumerate(sides):
        shapes = {row: [list(piece) for piece in shape] for row, shape in marks.stretches.items()}
        layers.append(
            span_rows(
                *(shown.place[marks.unit], marks.begin, marks.end, marks.label, marks.labels.vocabulary, shapes),
                marks.arguments["kind"] if number and not whole else None,
                heads=(marks.arguments["head"], marks.arguments["head"] + 1),
                numbers=None if whole else marks.number,
            )
        )
    columns: dict[str, Array] = {"behind": nodes.begin, "id": nodes.label}
    between = Rows(shown.place[nodes.unit], columns, ("id",), nodes.labels.vocabulary)
    return Layers(tuple(name for name, _ in sides), spans=tuple(layers), nodes=between)


def _example(run: Run, items: Items, tables: Tables, sentence: int) -> dict[str, Any]:
    """The arcs or roles of one sentence; of arcs only those that some system has wrong, since a graph has many."""
    parts = _parts(run, tables)
    sides, nodes = _sides(run, parts, np.arange(run.gold.sentences) == sentence)
    roles = run.pairs[0][1].layer(Nodes) is None
    spans: list[ExampleSpan] = []
    wrong = np.concatenate([one.item[one.has_gold & ~one.right[0]] for _, one in parts])
    answers = np.sort(sides[0][1].arguments["answer"])
    for number, (name, marks) in enumerate(sides):
        spurious = (marks.arguments["answer"] == NONE) & bool(number)
        rows = np.flatnonzero(roles | spurious | np.isin(marks.arguments["answer"], wrong))
        kinds = parts[max(number - 1, 0)][1].kinds
        for row in rows[np.lexsort((marks.end[rows], marks.begin[rows]))].tolist():
            head, kind, answer = (int(marks.arguments[role][row]) for role in ("head", "kind", "answer"))
            spans.append(
                ExampleSpan(
                    name,
                    marks.labels[row],
                    marks.atoms_of(row),
                    kinds[kind] if number and kind != NONE else "",
                    None if head == NO_HEAD else (head, head + 1),
                    None if answer == NONE else int(np.searchsorted(answers, answer)),
                )
            )
    return {
        "spans": tuple(spans),
        "sides": tuple(name for name, _ in sides),
        "heads": "rows" if roles else "arcs",
        "nodes": tuple(zip(nodes.begin.tolist(), nodes.labels.strings(), strict=True)),
    }


DRAWING = Drawing("graph", places=_places, layers=_layers, example=_example, meanings=_MEANINGS)
