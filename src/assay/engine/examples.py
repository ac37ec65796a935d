"""Sentences behind a change or an error, as data that any renderer can show."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints, each_once
from assay.engine.items import KINDS, UNRESOLVED, Items
from assay.engine.options import Options
from assay.engine.prepare import Run
from assay.engine.spanpairs import shown_words
from assay.engine.task import Places, Tables, find_task, tasks
from assay.errors import UsageError
from assay.records import dataclass
from assay.result import Example, ExampleItem, Unresolved

MOST_UNRESOLVED = 10_000
"""Of more mentions that no system resolves so many are listed, drawn at random."""


@dataclass(frozen=True)
class Drawn:
    """Something that was drawn, and by what: of several shards the same are drawn as of one."""

    group: str
    """The pair of systems (or else) that it was drawn for."""
    lot: int
    """Those with the smallest numbers are drawn: a hash of the name, whatever else there is."""
    shown: Example | Unresolved
    number: int | None = None
    """The number of its sentence, where that stands for an id; sentences before it count too."""


def drawn_of(drawn: Sequence[Drawn], most: int) -> list[Drawn]:
    """Of each group as many as are asked for, in their order."""
    kept: set[int] = set()
    for group in dict.fromkeys(one.group for one in drawn):
        members = [index for index, one in enumerate(drawn) if one.group == group]
        kept.update(sorted(members, key=lambda index: drawn[index].lot)[:most])
    return [one for index, one in enumerate(drawn) if index in kept]


def lot_of(seed: int, group: str, name: str) -> int:
    """By what something with this name is drawn for a group."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\t{group}\t{name}".encode(), digest_size=8).digest())


def examples(run: Run, items: Items, tables: Tables, options: Options) -> Iterator[Drawn]:
    """For each pair of systems (or for a single system) sentences drawn at random, in text order."""
    if not options.examples:
        return
    if options.kind is not None and len(items.systems) < 2:
        raise UsageError("--kind is about changes between two systems; with one system there are only errors.")
    task = find_task(run.task)
    if options.kind == UNRESOLVED:
        if task.unresolved_examples is None:
            about = " and ".join(name for name, one in tasks().items() if one.unresolved_examples)
            raise UsageError(f"--kind {UNRESOLVED} is about {about}, but {run.task} are compared.")
        yield from task.unresolved_examples(run, items, options)
        return
    pattern = [part.strip() for part in (options.change or "").replace("->", "→").split("→")]
    if options.change is not None and (len(pattern) not in (2, 3) or not all(pattern)):
        form = "should be of the form NN→NE, or gold→NN→NE; * stands for any label."
        raise UsageError(f"--change {options.change!r} {form}")
    ids, names = run.gold.metadata("sent_id"), list(run.gold.unit_names("sentence"))
    systems = range(len(items.systems))
    pairs: list[tuple[int, int | None]] = [*combinations(systems, 2)] if len(items.systems) > 1 else [(0, None)]
    for a, b in pairs:
        kinds = np.where(items.right[a], -1, 0) if b is None else items.change(a, b)
        wanted = kinds >= 0
        if options.change is not None:
            wanted &= _fits(items, a, b, pattern)
        if options.kind is not None and b is not None:
            wanted &= kinds == KINDS.index(options.kind)
        if task.drawing.examples is not None:
            yield from task.drawing.examples(run, items, ((a, b), wanted, kinds), options)
            continue
        group, places = f"{a}-{b}", task.drawing.places(run, items)
        for sentence, lot in chosen(each_once(items.sentence[wanted]), names, group, options.seed, options.examples):
            shown = _example(run, items, tables, (a, b), sentence, wanted, kinds, places)
            by_number = ids[sentence] is None and not run.gold.are_documents
            yield Drawn(group, lot, shown, sentence if by_number else None)


def chosen(numbers: Ints, names: Sequence[str], group: str, seed: int, most: int) -> list[tuple[int, int]]:
    """As many as are asked for, drawn at random, in their order, each with its lot."""
    lots = {number: lot_of(seed, group, names[number]) for number in numbers.tolist()}
    return [(number, lots[number]) for number in sorted(sorted(lots, key=lots.__getitem__)[:most])]


def _fits(items: Items, a: int, b: int | None, pattern: Sequence[str]) -> Bools:
    """Mask of the items with the labels of a pattern; * is any label."""
    wanted = np.ones(len(items), dtype=np.bool_)
    if b is None:
        columns = [items.gold, items.answer[a]]
        if len(pattern) == 3:
            raise UsageError("--change with one system is gold→assigned, e.g. NN→NE.")
    else:
        columns = [items.gold, items.answer[a], items.answer[b]][3 - len(pattern) :]
    known = {label: code for code, label in enumerate(items.labels)}
    moved = np.zeros(len(items), dtype=bool) if b is None else items.moved(a, b)
    others = {}
    if b is not None and moved.any():
        told = np.unique(np.stack([items.answer[b, moved], items.kind[b, moved]]), axis=1)
        others = {items.moved_name(code, kind): code for code, kind in told.T.tolist()}
    for name, column in zip(pattern, columns, strict=True):
        if name == "∅":
            wanted &= column == NONE
        elif name in others and column is columns[-1]:
            wanted &= moved & (column == others[name])
        elif name != "*":
            wanted &= column == known.get(name, NONE - 1)
    return wanted


def _example(
    run: Run,
    items: Items,
    tables: Tables,
    pair: tuple[int, int | None],
    sentence: int,
    wanted: Any,
    kinds: Any,
    places: Places,
) -> Example:
    gold = run.gold
    shown = np.flatnonzero(wanted & (items.sentence == sentence)).tolist()
    a, b = pair
    systems = [a] if b is None else [a, b]
    begin, stop, _ = places
    moved = np.zeros(len(items), dtype=bool) if b is None else items.moved(a, b)

    def answer(system: int, index: int) -> str | None:
        code = int(items.answer[system, index])
        if system == b and moved[index]:
            return items.moved_name(code, int(items.kind[b, index]))
        return label_name(items, code)

    return Example(
        sentence=gold.sentence_ids[sentence],
        place=gold.place_of_sentence(sentence),
        words=tuple(shown_words(gold, sentence)),
        a=items.systems[a],
        b=None if b is None else items.systems[b],
        items=tuple(
            ExampleItem(
                position=int(begin[index]),
                gold=label_name(items, items.gold[index]),
                answers={name: answer(system, index) for system, name in enumerate(items.systems)},
                kind="error" if b is None else KINDS[kinds[index]],
                end=int(stop[index]) if items.kinds else None,
            )
            for index in shown
        ),
        **find_task(run.task).drawing.example(run, items, [tables[number] for number in systems], sentence),
    )


def label_name(items: Items, code: int) -> str | None:
    """A label by its code; None for none."""
    return None if code == NONE else items.labels[code]
