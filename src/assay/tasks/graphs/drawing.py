"""Arcs, predicates and arguments found in the text again, for examples and pages.

An arc leads from its head to its dependent, and both may be empty nodes; one from the root is a top. Predicates have
no head, and arguments have their predicate as head.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Bools, Ints, as_codes
from assay.engine.drawing import SPAN_MEANINGS
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Layers, Places, Tables
from assay.engine.texts import ELSEWHERE, NO_HEAD, ROOT, Rows, Shown, span_rows
from assay.formats.graphs import empty_nodes
from assay.formats.roles import SPANS
from assay.records import dataclass
from assay.result import ExampleSpan
from assay.tasks.graphs.arcs import Nodes, columns_of_arcs
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
_PREDICATE_ITSELF = "V"


@dataclass(frozen=True, eq=False)
class _Side:
    """The things drawn of gold or of a system."""

    name: str
    sentence: Ints
    begin: Ints
    """The first word of each, counted in its gold sentence …"""
    end: Ints
    head: Ints
    """… and the word that is its head."""
    labels: Ints
    vocabulary: tuple[str, ...]
    kinds: Ints
    """What became of each as an item; NONE: it is none."""
    numbers: Ints
    """The number of each as an item of its side."""
    answers: Ints
    """The number of the item of gold that each is or answers for."""
    stretches: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The empty nodes that arcs lead to and from, by sentence and place."""

    sentence: Ints
    behind: Ints
    """The number of words before each."""
    ids: tuple[str, ...]


def _arcs(run: Run, pair: int, side: int, numbers: Ints, sentence: Ints) -> tuple[Ints, Ints, dict[int, Any]]:
    """The words at which arcs end and begin, and of empty nodes among these the words before each and the id."""
    aligned = run.pairs[pair][1]
    found = aligned.layer(Nodes)
    assert found is not None
    arcs = columns_of_arcs(aligned, side, numbers)
    words, of_system = len(run.gold), found.beyond + len(aligned.system)
    first, size = run.gold.starts[sentence], np.diff(run.gold.starts)[sentence]
    empties: dict[int, Any] = {}
    places = []
    for node in (arcs["dependent"], arcs["head"]):
        place = found.position[node] // 2 - first
        place = np.where((place >= 0) & (place < size), place, ELSEWHERE)
        empty = ((node >= words) & (node < found.roots)) | (node >= of_system)
        for row in np.flatnonzero(empty).tolist():
            own = int(node[row])
            corpus, offset = (run.gold, words) if own < found.roots else (aligned.system, of_system)
            behind = (int(found.position[own]) + 1) // 2 - int(first[row])
            name = empty_nodes(corpus).labels[own - offset]
            empties[int(found.identity[own])] = (int(sentence[row]), behind, name)
        missing = (node >= found.beyond) & ~empty
        places.append((np.where(empty, _EMPTY + found.identity[node], place), missing))
    (dependent, _), (head, missing) = places
    head = np.where(arcs["own_head"] == NONE, ROOT, np.where(missing, ELSEWHERE, head))
    # A word that gold does not have is drawn where it stands.
    return np.maximum(dependent, 0), head, empties


def _tables(run: Run, tables: Tables) -> Iterator[tuple[str, int, int, Items, Bools, Ints, Ints]]:
    """Gold and each system: name, side and pair, table, the rows with an item, its number and label."""
    names = [name for name, _ in run.pairs]
    for place, (name, one) in enumerate([("gold", tables[0][1]), *tables]):
        assert one.partner is not None
        if place == 0:
            yield name, 0, names.index(tables[0][0]), one, one.has_gold, one.item, one.gold
        else:
            yield name, 1, names.index(name), one, one.has_system[0], one.partner[0], one.answer[0]


def _sides(run: Run, tables: Tables, wanted: Bools) -> tuple[list[_Side], _Nodes]:
    """The things drawn of gold and of each system in the sentences of a mask."""
    sides: list[_Side] = []
    empties: dict[int, Any] = {}
    for name, side, pair, one, there, numbers, labels in _tables(run, tables):
        rows = np.flatnonzero(there & wanted[one.sentence])
        kinds = one.kind[0, rows] if side else np.full(len(rows), NONE)
        answers = np.where(one.has_gold, one.item, NONE)[rows]
        graphs = run.pairs[pair][1].layer(Nodes) is not None
        begin = head = numbers[rows]
        if graphs:
            begin, head, found = _arcs(run, pair, side, begin, one.sentence[rows])
            empties |= found
        drawn = _Side(
            *(name, one.sentence[rows], begin, begin + 1, head),
            *(np.asarray(labels[rows]), one.labels, kinds, numbers[rows], answers),
        )
        sides.append(drawn if graphs else _roles(run, pair, wanted, drawn, side))
    keys = sorted(empties, key=lambda key: (*empties[key][:2], key))
    sentence, behind = (np.array([empties[key][which] for key in keys], dtype=np.int64) for which in (0, 1))
    nodes = _Nodes(sentence, behind, tuple(empties[key][2] for key in keys))
    if keys:
        # Behind the words of each sentence come its empty nodes.
        own = np.arange(len(keys)) - np.searchsorted(sentence, sentence) + np.diff(run.gold.starts)[sentence]
        order = np.argsort(keys)
        known_keys, place = np.array(keys)[order], own[order]
        for number, drawn in enumerate(sides):
            ends = [
                np.where(end >= _EMPTY, np.append(place, 0)[np.searchsorted(known_keys, end - _EMPTY)], end)
                for end in (drawn.begin, drawn.head)
            ]
            sides[number] = replace(drawn, begin=ends[0], end=ends[0] + 1, head=ends[1])
    return sides, nodes


def _role_places(
    run: Run, pair: int, side: int, numbers: Ints, sentence: Ints, judged: Ints
) -> tuple[Ints, Ints, Ints, dict[int, Any]]:
    """First word and end of predicates and arguments, the predicate of each argument, and the pieces of some.

    Words are counted in their gold sentence; of those that gold does not have, the gold words where they stand are
    taken. If C- arguments are among the items judged, they are no pieces of others.
    """
    aligned = run.pairs[pair][1]
    corpus = aligned.system if side else aligned.gold
    roles, predicates = corpus.marks["roles"], corpus.words_of(corpus.marks["predicates"])
    belonging = continued_roles(roles, corpus.format in SPANS)
    pieces = pieces_by_role(belonging)
    arguments = judged[(judged >= 0) & (judged < len(roles))]
    joined = bool((belonging[arguments] == arguments).all())
    start, size = run.gold.starts[sentence], np.diff(run.gold.starts)[sentence]

    def in_gold(words: Ints, rows: Any = slice(None)) -> Ints:
        own = aligned.covering[words] if side else words
        return np.asarray(np.clip(own - start[rows], 0, size[rows] - 1))

    firsts = np.concatenate([corpus.words_of(roles), predicates])
    lasts = np.concatenate([corpus.starts[roles.unit] + roles.end - 1, predicates])
    heads = np.concatenate([roles.arguments["head"], predicates])
    begin, end = in_gold(firsts[numbers]), in_gold(lasts[numbers]) + 1
    head = np.where(numbers < len(roles), in_gold(heads[numbers]), NO_HEAD)
    stretches: dict[int, Any] = {}
    for row, number in enumerate(numbers.tolist() if joined else ()):
        if number in pieces:
            ends = (in_gold(words[pieces[number]], row).tolist() for words in (firsts, lasts))
            shape = sorted([first, last + 1] for first, last in zip(*ends, strict=True))
            begin[row], end[row] = shape[0][0], max(stop for _, stop in shape)
            stretches[row] = shape
    return begin, end, head, stretches


def _roles(run: Run, pair: int, wanted: Bools, one: _Side, side: int) -> _Side:
    """The items of a side in their places; also the predicates and, if none of them are judged, the arguments.

    The label of a predicate is its sense.
    """
    aligned = run.pairs[pair][1]
    corpus = aligned.system if side else aligned.gold
    whole = roles_of(aligned, spans=corpus.format in SPANS, join=True)[side]
    of_predicate, there = is_predicate(whole), wanted[whole.unit]
    arguments = np.flatnonzero(one.numbers < len(corpus.marks["roles"]))
    known = {label: code for code, label in enumerate(one.vocabulary)}
    more = [(whole.where(of_predicate & there), "sense")]
    if not len(arguments):
        more.append((whole.where(~of_predicate & there & ~whole.labels.isin([_PREDICATE_ITSELF])), ""))
    # The kind of those that are items, and what they answer for.
    place = {number: row for row, number in enumerate(one.numbers.tolist())}
    columns = [[column[arguments]] for column in (one.numbers, one.sentence, one.labels, one.kinds, one.answers)]
    for marks, column_name in more:
        at = np.array([place.get(number, NONE) for number in marks.number.tolist()], dtype=np.int64)
        texts = marks.columns[column_name] if column_name else marks.labels
        found = (
            *(marks.number, marks.unit, as_codes(texts.strings(), known)),
            *(np.append(column, NONE)[at] for column in (one.kinds, one.answers)),
        )
        for column, values in zip(columns, found, strict=True):
            column.append(values)
    numbers, sentences, labels, kinds, answers = (np.concatenate(column) for column in columns)
    begin, end, head, stretches = _role_places(run, pair, side, numbers, sentences, one.numbers)
    return _Side(
        *(one.name, sentences, begin, end, head, labels, tuple(known), kinds, numbers, answers, stretches),
    )


def _places(run: Run, items: Items) -> Places:
    """The dependent of each arc, the predicate or all pieces of an argument; of an empty node the word before it."""
    begin, end = np.zeros(len(items), dtype=np.int64), np.zeros(len(items), dtype=np.int64)
    stretches: dict[int, Any] = {}
    assert items.partner is not None
    for owner in range(-1, len(run.pairs)):
        rows = np.flatnonzero(items.owner == owner)
        if not len(rows):
            continue
        side, pair = int(owner != NONE), max(owner, 0)
        numbers, sentence = items.item[rows], items.sentence[rows]
        if run.pairs[pair][1].layer(Nodes) is not None:
            dependent, _, empties = _arcs(run, pair, side, numbers, sentence)
            for row in np.flatnonzero(dependent >= _EMPTY).tolist():
                dependent[row] = max(empties[int(dependent[row]) - _EMPTY][1] - 1, 0)
            begin[rows], end[rows] = dependent, dependent + 1
        else:
            judged = items.partner[owner] if side else numbers
            begin[rows], end[rows], _, pieces = _role_places(run, pair, side, numbers, sentence, judged)
            stretches.update((int(rows[row]), shape) for row, shape in pieces.items())
    return begin, end, stretches


def _layers(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """The arcs or roles of gold and of systems, those of systems with their outcomes."""
    sides, nodes = _sides(run, tables, shown.place != NONE)
    layers = [
        span_rows(
            *(shown.place[one.sentence], one.begin, one.end, one.labels, one.vocabulary, one.stretches),
            one.kinds if number else None,
            heads=(one.head, one.head + 1),
            numbers=one.numbers,
        )
        for number, one in enumerate(sides)
    ]
    known: dict[str, int] = {}
    columns: dict[str, Array] = {"behind": nodes.behind, "id": as_codes(nodes.ids, known)}
    between = Rows(shown.place[nodes.sentence], columns, ("id",), tuple(known))
    return Layers(tuple(one.name for one in sides), spans=tuple(layers), nodes=between)


def _example(run: Run, items: Items, tables: Tables, sentence: int) -> dict[str, Any]:
    """The same in one sentence; of arcs only those that some system has wrong, since a graph has many."""
    wanted = np.arange(run.gold.sentences) == sentence
    (gold, *systems), nodes = _sides(run, tables, wanted)
    roles = run.pairs[0][1].layer(Nodes) is None
    spans: list[ExampleSpan] = []
    wrong = np.concatenate([one.item[one.has_gold & ~one.right[0]] for _, one in tables])
    for number, one in enumerate([gold, *systems]):
        spurious = (one.answers == NONE) & bool(number)
        rows = np.flatnonzero(roles | spurious | np.isin(one.answers, wrong))
        kinds = tables[max(number - 1, 0)][1].kinds
        for row in rows[np.lexsort((one.end[rows], one.begin[rows]))].tolist():
            head = int(one.head[row])
            shape = one.stretches.get(row) or [[int(one.begin[row]), int(one.end[row])]]
            answer, kind = int(one.answers[row]), int(one.kinds[row])
            spans.append(
                ExampleSpan(
                    one.name,
                    one.vocabulary[one.labels[row]],
                    tuple((first, end) for first, end in shape),
                    kinds[kind] if number and kind != NONE else "",
                    None if head == NO_HEAD else (head, head + 1),
                    None if answer == NONE else int(np.searchsorted(np.sort(gold.answers), answer)),
                )
            )
    return {
        "spans": tuple(spans),
        "sides": tuple(one.name for one in (gold, *systems)),
        "heads": "rows" if roles else "arcs",
        "nodes": tuple(zip(nodes.behind.tolist(), nodes.ids, strict=True)),
    }


DRAWING = Drawing("graph", places=_places, layers=_layers, example=_example, meanings=_MEANINGS)
