"""Examples: sentences with a change or an error, as data that any renderer can show."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from assay.arrays import NONE, Bools, Ints, each_once
from assay.classes import dataclass
from assay.engine.items import COURSES, KINDS, NOTHING, UNRESOLVED, Items
from assay.engine.options import Options
from assay.engine.prepare import Run
from assay.engine.spanpairs import shown_words
from assay.engine.task import Tables, find_task, tasks
from assay.errors import UsageError
from assay.result import NOT_ANSWERED, Example, ExampleItem, Unresolved

MOST_UNRESOLVED = 10_000
"""The most mentions that are listed of those that no system resolves; of more, a random sample."""


@dataclass(frozen=True)
class DrawnExample:
    """An example that was drawn, and its lot: several shards together give the examples that one would give."""

    group: str
    """The pair of systems, or what else it was drawn for."""
    lot: int
    """A hash of its name, or a rank below 0; those with the smallest numbers are drawn."""
    shown: Example | Unresolved
    number: int | None = None
    """The number of its sentence, if that stands for an id; it counts the sentences of all shards."""


def merge_drawn(
    first: Sequence[DrawnExample], second: Sequence[DrawnExample], sentences: int, most: int
) -> tuple[DrawnExample, ...]:
    """Examples drawn from two parts: at most `most` of each group, in text order or by their ranks.

    Numbers that stand for ids count all sentences; there are `sentences` of them in the first part.
    """
    drawn = [*first, *second]
    for place, row in enumerate(second, len(first)):
        if row.number is not None and isinstance(row.shown, Example):
            number = row.number + sentences
            drawn[place] = replace(row, number=number, shown=replace(row.shown, sentence=str(number + 1)))
    kept: set[int] = set()
    for group in dict.fromkeys(row.group for row in drawn):
        members = [index for index, row in enumerate(drawn) if row.group == group]
        kept.update(sorted(members, key=lambda index: drawn[index].lot)[:most])
    shown = [row for index, row in enumerate(drawn) if index in kept]
    return tuple(sorted(shown, key=lambda row: min(row.lot, 0)) if any(row.lot < 0 for row in shown) else shown)


def lot_of(seed: int, group: str, name: str) -> int:
    """The number by which something with this name is drawn for a group: a hash."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\t{group}\t{name}".encode(), digest_size=8).digest())


def draw_sentences(run: Run, items: Items, tables: Tables, options: Options) -> Iterator[DrawnExample]:
    """For each pair of systems (or for a single system) sentences drawn at random, in text order."""
    if options.kind is not None and len(items.systems) < 2:
        raise UsageError("--kind selects changes between two systems, but there is only one. Give a second system.")
    task = find_task(run.task)
    if options.kind == UNRESOLVED:
        draw = task.drawing.unresolved_examples
        if draw is None:
            about = " and ".join(name for name, one in tasks().items() if one.drawing.unresolved_examples)
            raise UsageError(f"--kind {UNRESOLVED} is for {about}, but {run.task} are compared.")
        yield from draw(run, items, options)
        return
    pattern = [part.strip() for part in (options.change or "").replace("->", "→").split("→")]
    if options.change is not None and (len(pattern) not in (2, 3) or not all(pattern)):
        form = "should have the form NN→NE, or gold→NN→NE; * stands for any label."
        raise UsageError(f"--change {options.change!r} {form}")
    ids, names = run.gold.metadata("sent_id"), list(run.gold.unit_names("sentence"))
    known = KINDS if items.grade is None else COURSES
    if options.kind is not None and options.kind not in known:
        raise UsageError(f"--kind {options.kind}: unknown here. Available: {', '.join(known)}.")
    for systems in combinations(range(len(items.systems)), min(2, len(items.systems))):
        a, b = systems[0], systems[1] if len(systems) > 1 else None
        kinds = np.where(items.right[a], -1, 0) if b is None else items.change(a, b)
        moved = np.zeros(len(items), dtype=bool) if b is None else items.moved(a, b)
        wanted = kinds >= 0
        if options.change is not None:
            wanted &= _fits(items, systems, moved, pattern)
        if options.kind is not None and b is not None:
            wanted &= kinds == known.index(options.kind)
        if task.drawing.examples is not None:
            yield from task.drawing.examples(run, items, ((a, b), wanted, kinds), options)
            continue
        group, (begin, stop, _) = f"{a}-{b}", task.drawing.places(run, items)
        tables_drawn = [tables[system] for system in systems]
        for sentence, lot in draw_numbers(
            each_once(items.sentence[wanted]), names, group, options.seed, options.examples
        ):
            shown = []
            for index in np.flatnonzero(wanted & (items.sentence == sentence)).tolist():
                answers = dict(
                    zip(items.systems, (label_name(items, c) for c in items.answer[:, index]), strict=True)
                )
                if b is not None and moved[index]:
                    answers[items.systems[b]] = items.moved_name(items.answer[b, index], items.kind[b, index])
                shown.append(
                    ExampleItem(
                        position=int(begin[index]),
                        gold=label_name(items, items.gold[index]),
                        answers=answers,
                        kind="error" if b is None else KINDS[kinds[index]],
                        end=int(stop[index]) if items.kinds else None,
                    )
                )
            example = Example(
                sentence=run.gold.sentence_ids[sentence],
                place=run.gold.place_of_sentence(sentence),
                words=tuple(shown_words(run.gold, sentence)),
                a=items.systems[a],
                b=None if b is None else items.systems[b],
                items=tuple(shown),
                **task.drawing.example(run, items, tables_drawn, sentence),
            )
            by_number = ids[sentence] is None and not run.gold.are_documents
            yield DrawnExample(group, lot, example, sentence if by_number else None)


def draw_numbers(numbers: Ints, names: Sequence[str], group: str, seed: int, most: int) -> list[tuple[int, int]]:
    """A random sample of at most `most` numbers, in their order, each with its lot."""
    lots = {number: lot_of(seed, group, names[number]) for number in numbers.tolist()}
    return [(number, lots[number]) for number in sorted(sorted(lots, key=lots.__getitem__)[:most])]


def _fits(items: Items, systems: Sequence[int], moved: Bools, pattern: Sequence[str]) -> Bools:
    """Mask of the items with the labels of a pattern; * is any label."""
    columns = [items.gold, *(items.answer[system] for system in systems)]
    if len(pattern) > len(columns):
        raise UsageError("--change: with one system, write gold→assigned, e.g. NN→NE.")
    columns = columns[-len(pattern) :]
    codes = {label: code for code, label in enumerate(items.labels)}
    moved_codes = {}
    if moved.any():
        last = systems[-1]
        pairs = np.unique(np.stack([items.answer[last, moved], items.kind[last, moved]]), axis=1)
        moved_codes = {items.moved_name(code, kind): code for code, kind in pairs.T.tolist()}
    wanted = np.ones(len(items), dtype=np.bool_)
    for name, column in zip(pattern, columns, strict=True):
        if name in (NOTHING, NOT_ANSWERED):
            wanted &= column == NONE
        elif name == "missing" and name in items.kinds and name not in codes:
            wanted &= (column == NONE) & (items.gold != NONE)
        elif name in moved_codes and column is columns[-1]:
            wanted &= moved & (column == moved_codes[name])
        elif name != "*":
            wanted &= column == codes.get(name, NONE - 1)
    return wanted


def label_name(items: Items, code: int) -> str | None:
    """A label by its code; None for none."""
    return None if code == NONE else items.labels[code]
