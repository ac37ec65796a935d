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
from assay.engine.treebanks import ROOT
from assay.errors import UsageError
from assay.formats.relations import SYMMETRIC
from assay.formats.write import write_like

if TYPE_CHECKING:
    from assay.engine.prepare import Run
    from assay.formats import Input

HEADER = "# combination = learnt from gold, by cross-fitting (assay compare --combined)"
_WRITTEN = ("tags", "dependencies", "spans", "relations")


class Combined(NamedTuple):
    """The learnt combination, and its texts by the names of their files."""

    corpus: Corpus
    texts: Mapping[str, str | bytes]


def combine(
    run: Run, inputs: Sequence[Input | Corpus], found: tuple[Ballots, Trace] | None, joined: Items, tables: Any
) -> Combined:
    """What is learnt from all systems, in the words and the format of the first; an error if these do not allow it."""
    corpus = _combine(run, inputs, found, joined, tables)
    source, decided = inputs[1], run.decided
    if isinstance(source, Corpus):
        return Combined(corpus, {})
    column = decided.columns[1] if len(decided.columns) > 1 else decided.column
    return Combined(corpus, write_like(source, corpus, column, [*decided.schemes, ""][:2][-1]))


def _combine(
    run: Run, inputs: Sequence[Input | Corpus], found: tuple[Ballots, Trace] | None, joined: Items, tables: Any
) -> Corpus:
    """The corpus of the first system with what is learnt from all."""
    given, (_, pair) = inputs[1], run.pairs[0]
    base = given if isinstance(given, Corpus) else given.read()
    if found is None or run.task not in _WRITTEN:
        raise UsageError(f"--combined: no combination of {run.task} is written, only of {', '.join(_WRITTEN)}.")
    if found[0].obstacle:
        raise UsageError(f"--combined: {found[0].obstacle}. Give more data.")
    for _, other in run.pairs if run.task in ("spans", "relations") else run.pairs[:1]:
        same = np.array_equal(base.starts, other.system.starts) and base.texts == other.system.texts
        if not same or base.forms.strings() != other.system.forms.strings():
            raise UsageError(f"--combined: {other.system.name} has other words than {base.name}, or in another order.")
    decided = decide(found[0])
    base = replace(base, comments=((0, HEADER), *base.comments))
    if found[0].way in SETS:
        number = np.arange(len(decided.learnt))
        source = found[1].rows[:, number]
        system = (source != NONE).argmax(axis=0)
        accepted = [
            tables[index][1].partner[0, source[index, decided.learnt & (system == index)]]
            for index in range(len(tables))
        ]
        return (_with_relations if run.task == "relations" else _with_spans)(base, run, accepted)
    if not np.array_equal(pair.gold_words, pair.system_words) or len(pair.gold_words) != len(base):
        raise UsageError(f"--combined: {base.name} has other words than gold, or in another order.")
    taken = decided.by_row[found[1].rows]
    taken[found[1].listed] = decided.learnt
    items = np.flatnonzero(taken != NONE)
    word, taken = joined.item[items], taken[items]
    if run.task == "dependencies":
        return _with_heads(base, run, word, taken, items, tables)
    name = run.decided.columns[1] if len(run.decided.columns) > 1 else run.decided.column
    if name not in base.columns:
        raise UsageError(f"--combined: the column {name} of {base.name} cannot be written.")
    cells = np.array(base.columns[name].strings(), dtype=object)
    cells[word] = np.array(joined.labels, dtype=object)[joined.answer[taken, items]]
    return replace(base, columns={**base.columns, name: Column.of(cells.tolist())})


def _with_heads(base: Corpus, run: Run, word: Ints, taken: Ints, items: Ints, tables: Any) -> Corpus:
    """The corpus with the chosen heads and relations."""
    starts = base.starts[base.sentence_of]
    columns = {name: np.array(base.column(name).strings(), dtype=object) for name in ("HEAD", "DEPREL")}
    for index, ((_, table), (_, pair)) in enumerate(zip(tables, run.pairs, strict=True)):
        mine = np.flatnonzero(taken == index)
        target = table.target[0, table.has_gold][items[mine]]
        if ((target < 0) & (target != ROOT)).any():
            raise UsageError(f"--combined: heads of {pair.system.name} are words that {base.name} does not have.")
        heads = np.where(target == ROOT, 0, target - starts[word[mine]] + 1)
        columns["HEAD"][word[mine]] = heads.astype(str)
        own = words_of(pair, table)[1][table.has_gold][items[mine]]
        relations = pair.system.column("DEPREL")
        columns["DEPREL"][word[mine]] = np.array(relations.vocabulary, dtype=object)[relations.codes[own]]
    return replace(base, columns={**base.columns, **{name: Column.of(own.tolist()) for name, own in columns.items()}})


def _with_spans(base: Corpus, run: Run, accepted: Sequence[Ints]) -> Corpus:
    """The corpus with the spans that were accepted of each system."""
    chosen = []
    for rows, (_, pair) in zip(accepted, run.pairs, strict=True):
        marks = pair.marks[SPANS][1].where(rows)
        chosen.append(pair.system.spans.where(marks.number[marks.begin != NONE]))
    return base.with_marks(spans=_join(chosen)[0])


def _with_relations(base: Corpus, run: Run, accepted: Sequence[Ints]) -> Corpus:
    """The corpus with the relations that were accepted of each system, and the spans that they need."""
    # In a pair relations refer to its spans, which know their numbers in the corpus.
    ends = [pair.system.spans.where(pair.marks[SPANS][1].number) for _, pair in run.pairs]
    relations = [pair.marks["relations"][1] for _, pair in run.pairs]
    spans, place = _join(ends)
    shifts = np.cumsum([0, *(len(one) for one in ends)])
    parts = [
        replace(
            Marks.without_place(own.unit[rows], own.labels.where(rows)),
            arguments={role: place[at[rows] + shift] for role, at in own.arguments.items()},
            columns={SYMMETRIC: own.columns[SYMMETRIC].where(rows)},
        )
        for own, rows, shift in zip(relations, accepted, shifts, strict=False)
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.followed_by(part)
    return base.with_marks(spans=spans, arguments=spans, relations=whole)


def _join(sides: Sequence[Marks]) -> tuple[Marks, Ints]:
    """The distinct spans of several sides in text order, and the number of each among them."""
    keys: dict[Any, int] = {}
    listed, numbers = [], []
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
