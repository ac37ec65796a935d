"""Items in examples and on pages: a card for each, with its text, metadata, labels and confidences."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Floats, as_codes
from assay.corpus import SEVERAL, Corpus
from assay.corpus.items import LABEL, ItemTable
from assay.corpus.ratings import parse_number
from assay.engine.examples import DrawnExample, draw_numbers
from assay.engine.items import COURSES, KINDS, NOTHING, Items
from assay.engine.options import Options
from assay.engine.parts import Part
from assay.engine.prepare import Run
from assay.engine.scores import Settings
from assay.engine.task import Drawing, Layers, Tables, Wanted, unit_places
from assay.engine.texts import Rows, Shown, word_rows
from assay.result import Diff, Example, ExampleItem, Result
from assay.stats.values import round_errors
from assay.tasks.items.confidences import asked_positive, confidences_of
from assay.tasks.items.numbers import warn_of_scales

_LARGEST = 2**63


def find_texts(run: Run) -> ItemTable:
    """The first table with texts, gold's if it has some; gold's if none has."""
    tables: list[ItemTable] = [corpus.layers[ItemTable] for corpus in run.corpora]
    return next((table for table in tables if table.texts), tables[0])


def find_confidence(run: Run, pair: Pair, *, in_answers: bool = False) -> Floats | None:
    """The confidences of a system, in its answers or in the one label that its file is about; None if there are none.

    With `in_answers`, those in the other label are for the answers that have it.
    """
    sure = confidences_of(pair, asked_positive(run.measures))
    if sure is None or sure.answers is not None or len(sure.labels) != 1:
        return None if sure is None else sure.answers
    values = sure.shares[:, 0]
    if in_answers and not ((values < 0) | (values > 1)).any():
        values = np.where(pair.system.column(LABEL).isin(sure.labels), values, 1 - values)
    return values


def _draw_cards(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """The texts of items, their metadata, and the confidences of systems."""
    texts, facts, chosen = find_texts(run).texts, run.gold.layers[ItemTable].metadata, shown.chosen.tolist()
    vocabulary: dict[str, int] = {}
    codes = {name: as_codes(map(column.strings().__getitem__, chosen), vocabulary) for name, column in facts.items()}
    pairs = dict(run.pairs)
    sure = [find_confidence(run, pairs[name]) for name in items.systems]
    return Layers(
        words=word_rows([[part[row] for part in texts.values()] for row in chosen]),
        parts=tuple(texts),
        facts=Rows(np.arange(len(chosen)), codes, tuple(codes), tuple(vocabulary)),
        confidence=[None if values is None else values[items.sentence] for values in sure],
    )


def _draw_examples(run: Run, items: Items, wanted: Wanted, options: Options) -> Iterator[DrawnExample]:
    """Items with a change or an error: the most confident errors first or, without confidences, drawn at random."""
    (a, b), mask, kinds = wanted
    systems, group = [a] if b is None else [a, b], f"{a}-{b}"
    pairs = {items.systems[system]: dict(run.pairs)[items.systems[system]] for system in systems}
    texts, ids, names = find_texts(run).texts, run.gold.metadata("sent_id"), list(run.gold.unit_names("sentence"))
    number = run.gold.sentences
    rows = {
        item: row for row, item in reversed([*zip(np.flatnonzero(mask), items.sentence[mask].tolist(), strict=True)])
    }
    lots = dict(draw_numbers(np.array(sorted(rows), dtype=np.int64), names, group, options.seed, number))
    found = {name: find_confidence(run, pair, in_answers=True) for name, pair in pairs.items()}
    known, grades = (KINDS, None) if items.grade is None else (COURSES, items.grade[systems])
    if grades is not None:
        # The largest differences first or, of one system, the worst answers.
        sizes = items.losses[a] if b is None else np.abs(grades[1] - grades[0])
        lots, found = {item: rank_confidence(float(sizes[rows[item]])) for item in lots}, {}
    sure = {name: values for name, values in found.items() if values is not None}
    if sure:
        of_errors = np.full(number, -np.inf)
        for system in systems:
            wrong = np.unique(items.sentence[~items.right[system]])
            values = sure.get(items.systems[system], np.full(number, np.nan))[wrong]
            of_errors[wrong] = np.fmax(of_errors[wrong], values)
        lots = {item: rank_confidence(float(of_errors[item])) for item in lots}
    for item in sorted(lots, key=lambda item: (lots[item], item))[: options.examples]:
        shown = ExampleItem(
            position=0,
            gold=_name_label(run.gold, item),
            answers={name: _name_label(pair.system, item) for name, pair in pairs.items()},
            kind="error" if b is None else known[kinds[rows[item]]],
            confidence={name: float(values[item]) for name, values in sure.items() if not np.isnan(values[item])},
            grades={} if grades is None else dict(zip(pairs, grades[:, rows[item]].tolist(), strict=True)),
        )
        example = Example(
            sentence=run.gold.sentence_ids[item],
            place=run.gold.place_of_sentence(item),
            words=(),
            a=items.systems[a],
            b=None if b is None else items.systems[b],
            items=(shown,),
            text=tuple(part[item] for part in texts.values()),
        )
        yield DrawnExample(group, lots[item], example, item if ids[item] is None else None)


def rank_confidence(value: float) -> int:
    """A number below 0, in all shards the lower the higher the confidence: its bits, which are ordered as it is."""
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return -(bits if bits >= 0 else -(bits + _LARGEST)) - _LARGEST


def _name_label(corpus: Corpus, item: int) -> str | None:
    """The label of an item, or the members of its set; None if there is no answer."""
    table, label = corpus.layers[ItemTable], corpus.column(LABEL)[item]
    if table.sets:
        return label.replace(SEVERAL, ", ") or "∅"
    return None if table.missing[item] else label.replace(SEVERAL, " or ")


def finish_items(result: Result, part: Part, settings: Settings) -> Result:
    """The Result with the order of labels; without changes, bounds and errors by label if labels are numbers, because
    most of these occur once; with the counts of numbers or sets that are nearer to gold's, or further from it."""
    if result.about.kind in ("numbers", "sets"):
        result = replace(result, diffs=tuple(_grade_changes(result, part)))
    if result.about.kind != "numbers":
        labels = {label for row in result.confusion for label in (row.gold, row.assigned) if label is not None}
        values = {label: parse_number(label) for label in labels}
        counted = () if None in values.values() else tuple(sorted(labels, key=lambda label: (values[label], label)))
        order = part.reading.order or (counted if result.about.kind == "labels" else ())
        return replace(result, about=replace(result.about, order=order))
    return replace(
        result,
        diffs=tuple(replace(row, changes=(), labels=()) for row in result.diffs),
        bounds=tuple(row for row in result.bounds if row.label is None),
        confusion=(),
        warnings=(*result.warnings, *warn_of_scales(part)),
    )


def _grade_changes(result: Result, part: Part) -> Iterator[Diff]:
    """Differences with the numbers of items whose answers are nearer to gold's, and further from it."""
    places = {str(measure): place for place, measure in enumerate(part.plan.measures)}
    for row in result.diffs:
        items = part.items.get((places[row.on], row.slice)) if row.on in places and row.is_judged else None
        if items is None or items.kinds:
            yield row
            continue
        a, b = (items.systems.index(name) for name in (row.a, row.b))
        before, after = (_find_distances(items, system, result.about.kind) for system in (a, b))
        yield replace(
            row,
            improved=items.sum(after < before),
            worsened=items.sum(after > before),
            sideways=items.sum((after == before) & items.differ(a, b)),
        )


def _find_distances(items: Items, system: int, kind: str) -> Floats:
    """How far a system's answer to each item is from gold's: by the numbers, or by Jaccard's index of the sets."""
    if kind == "numbers":
        numbers = np.array([*map(parse_number, items.labels), np.nan], dtype=np.float64)
        errors = round_errors(np.nan_to_num(numbers[items.answer[system]]) - numbers[items.gold])
        return np.where(items.answer[system] == NONE, np.inf, errors)
    pairs, group = np.unique(np.stack([items.gold, items.answer[system]]), axis=1, return_inverse=True)
    members = [frozenset(label.split(SEVERAL)) - {NOTHING} for label in items.labels]
    sides = [(members[gold], members[answer]) for gold, answer in pairs.T.tolist()]
    distances = [len(gold ^ answer) / max(1, len(gold | answer)) for gold, answer in sides]
    return np.array(distances, dtype=np.float64)[group.ravel()]


CARDS = Drawing("cards", places=unit_places, layers=_draw_cards, examples=_draw_examples)
