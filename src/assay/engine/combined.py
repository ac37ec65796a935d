"""The learnt combination as a corpus: the first system's words with what was chosen among all systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.arrays import NONE, Ints
from assay.corpus import SPANS, Column, Corpus, Marks
from assay.engine.combination import SETS, Ballots, Trace, decide
from assay.engine.items import Items, words_of
from assay.engine.task import find_task
from assay.engine.treebanks import ROOT
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.align import Pair
    from assay.engine.prepare import Run
    from assay.formats import Input

HEADER = "# combination = learnt from gold, by cross-fitting (assay compare --combined)"


class Combined(NamedTuple):
    """The learnt combination, and its texts by the names of their files."""

    corpus: Corpus
    texts: Mapping[str, str | bytes]


def combine(
    run: Run, inputs: Sequence[Input | Corpus], found: tuple[Ballots, Trace] | None, joined: Any, tables: Any
) -> Combined:
    """The learnt combination in the words and the format of the first system; an error if these forbid it."""
    from assay.formats.write import write_like

    corpus = _combine(run, inputs, found, joined, tables)
    source, decided = inputs[1], run.decided
    if isinstance(source, Corpus):
        return Combined(corpus, {})
    column = decided.columns[1] if len(decided.columns) > 1 else decided.column
    return Combined(corpus, write_like(source, corpus, column, [*decided.schemes, ""][:2][-1]))


def _combine(
    run: Run, inputs: Sequence[Input | Corpus], found: tuple[Ballots, Trace] | None, joined: Any, tables: Any
) -> Corpus:
    """The corpus of the first system with what is learnt from all."""
    write, given = find_task(run.task).combined, inputs[1]
    if found is None or write is None:
        raise UsageError(f"--combined: combinations of {run.task} cannot be written. Leave it out.")
    ballots, trace = found
    if ballots.obstacle:
        raise UsageError(f"--combined: {ballots.obstacle}. Give more data.")
    base = given if isinstance(given, Corpus) else given.read()
    base, decided = replace(base, comments=((0, HEADER), *base.comments)), decide(ballots)
    if ballots.way in SETS:
        _check_words(base, run.pairs)
        system = (trace.rows != NONE).argmax(axis=0)
        chosen = [np.flatnonzero(decided.learnt & (system == index)) for index in range(len(tables))]
        return write(base, run, [tables[at][1].partner[0, trace.rows[at, own]] for at, own in enumerate(chosen)])
    _check_words(base, run.pairs[:1])
    pair = run.pairs[0][1]
    if not np.array_equal(pair.gold_words, pair.system_words) or len(pair.gold_words) != len(base):
        fact = f"{base.name} does not have the same words as gold in the same order"
        raise UsageError(f"--combined: {fact}. Name a system with gold's words first.")
    taken = decided.by_row[trace.rows]
    taken[trace.listed] = decided.learnt
    return write(base, run, [(joined, np.flatnonzero(taken == at), table) for at, (_, table) in enumerate(tables)])


def _check_words(base: Corpus, pairs: Sequence[tuple[str, Pair]]) -> None:
    """Raise an error if systems have different words from the first file, as it is."""
    for _, pair in pairs:
        same = np.array_equal(base.starts, pair.system.starts) and base.texts == pair.system.texts
        if not same or base.forms.strings() != pair.system.forms.strings():
            fact = f"{pair.system.name} does not have the same words as {base.name} in the same order"
            raise UsageError(f"--combined: {fact}. Give files with the same words.")


_Chosen = Sequence[tuple[Items, Ints, Items]]
"""For each system the items of all, the numbers of those for which it is chosen, and its own table."""


def with_labels(base: Corpus, run: Run, chosen: _Chosen) -> Corpus:
    """The corpus with the chosen labels in the compared column."""
    name = run.decided.columns[1] if len(run.decided.columns) > 1 else run.decided.column
    if name not in base.columns:
        raise UsageError(f"--combined: the column {name} of {base.name} cannot be written. Leave it out.")
    cells = np.array(base.columns[name].strings(), dtype=object)
    for at, (joined, mine, _) in enumerate(chosen):
        cells[joined.item[mine]] = np.array(joined.labels, dtype=object)[joined.answer[at, mine]]
    return replace(base, columns={**base.columns, name: Column.of(cells.tolist())})


def with_heads(base: Corpus, run: Run, chosen: _Chosen) -> Corpus:
    """The corpus with the chosen heads and relations."""
    starts = base.starts[base.sentence_of]
    columns = {name: np.array(base.column(name).strings(), dtype=object) for name in ("HEAD", "DEPREL")}
    for (joined, mine, table), (_, pair) in zip(chosen, run.pairs, strict=True):
        assert table.target is not None
        word, target = joined.item[mine], table.target[0, table.has_gold][mine]
        if ((target < 0) & (target != ROOT)).any():
            fact = f"heads of {pair.system.name} are words that {base.name} does not have"
            raise UsageError(f"--combined: {fact}. Give files with the same words.")
        columns["HEAD"][word] = np.where(target == ROOT, 0, target - starts[word] + 1).astype(str)
        own, relations = words_of(pair, table)[1][table.has_gold][mine], pair.system.column("DEPREL")
        columns["DEPREL"][word] = np.array(relations.vocabulary, dtype=object)[relations.codes[own]]
    return replace(base, columns={**base.columns, **{name: Column.of(own.tolist()) for name, own in columns.items()}})


def with_spans(base: Corpus, run: Run, accepted: Sequence[Ints]) -> Corpus:
    """The corpus with the spans that were accepted of each system."""
    chosen = []
    for rows, (_, pair) in zip(accepted, run.pairs, strict=True):
        marks = pair.marks[SPANS][1].where(rows)
        chosen.append(pair.system.spans.where(marks.number[marks.begin != NONE]))
    return base.with_marks(spans=join_spans(chosen)[0])


def join_spans(sides: Sequence[Marks]) -> tuple[Marks, Ints]:
    """The distinct spans of several sides in text order, and the number of each among them."""
    keys: dict[Any, int] = {}
    listed: list[Any] = []
    numbers: list[int] = []
    for marks in sides:
        for row, (unit, label) in enumerate(zip(marks.unit.tolist(), marks.labels.strings(), strict=True)):
            key = (unit, marks.atoms_of(row), label)
            if key not in keys:
                keys[key] = len(listed)
                listed.append(key)
            numbers.append(keys[key])
    unit, atoms, labels = zip(*listed, strict=True) if listed else ((), (), ())
    begin, end = (np.array([place[at][at] for place in atoms], dtype=np.int64) for at in (0, -1))
    stretches = {number: place for number, place in enumerate(atoms) if len(place) > 1}
    marks = Marks(np.array(unit, dtype=np.int64), begin, end, Column.of(labels), stretches=stretches)
    ordered, order = replace(marks, lines=np.zeros(len(marks), dtype=np.int64)).in_order()
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return ordered, place[np.array(numbers, dtype=np.int64)]
