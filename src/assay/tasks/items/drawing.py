"""Items in examples and on pages: a card for each, with its text, metadata, labels and confidences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.arrays import Floats, as_codes
from assay.corpus import SEVERAL, Corpus
from assay.corpus.items import LABEL, ItemTable
from assay.engine.examples import DrawnExample, draw_numbers
from assay.engine.items import KINDS, Items
from assay.engine.options import Options
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Layers, Tables, Wanted, unit_places
from assay.engine.texts import Rows, Shown, word_rows
from assay.result import Example, ExampleItem


def _table_of(corpus: Corpus) -> ItemTable:
    table = corpus.layer(ItemTable)
    assert table is not None
    return table


def _find_texts(run: Run) -> ItemTable:
    """The first table with texts, gold's if it has some; gold's if none has."""
    tables = [_table_of(corpus) for corpus in run.corpora]
    return next((table for table in tables if table.texts), tables[0])


def _confidence_of(table: ItemTable) -> Floats | None:
    """The confidence of each answer; None if the file has none."""
    if table.shares is None:
        if table.confidence is None:
            return None
        sure = table.confidence
        if table.about and not ((sure < 0) | (sure > 1)).any():
            # Of the other label.
            sure = np.where(table.labels.isin([table.about]), sure, 1 - sure)
        return np.where(table.missing, np.nan, sure)
    names, shares = table.shares
    codes = {name: code for code, name in enumerate(names)}
    column = np.array([codes.get(label, len(names)) for label in table.labels.vocabulary])[table.labels.codes]
    known: Floats = np.append(shares, np.full((len(table), 1), np.nan), axis=1)[np.arange(len(table)), column]
    return known


def _draw_cards(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """The texts of items, their metadata, and the confidences of systems."""
    texts, facts, chosen = _find_texts(run).texts, _table_of(run.gold).metadata, shown.chosen.tolist()
    vocabulary: dict[str, int] = {}
    codes = {name: as_codes(map(column.strings().__getitem__, chosen), vocabulary) for name, column in facts.items()}
    systems = dict(run.systems)
    sure = [_confidence_of(_table_of(systems[name])) for name in items.systems]
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
    corpora = {items.systems[system]: dict(run.systems)[items.systems[system]] for system in systems}
    texts, ids, names = _find_texts(run).texts, run.gold.metadata("sent_id"), list(run.gold.unit_names("sentence"))
    number = run.gold.sentences
    rows = {
        item: row for row, item in reversed([*zip(np.flatnonzero(mask), items.sentence[mask].tolist(), strict=True)])
    }
    lots = dict(draw_numbers(np.array(sorted(rows), dtype=np.int64), names, group, options.seed, number))
    sure = {
        name: values for name, corpus in corpora.items() if (values := _confidence_of(_table_of(corpus))) is not None
    }
    if sure:
        of_errors = np.full(number, -np.inf)
        for system in systems:
            wrong = np.unique(items.sentence[~items.right[system]])
            values = sure.get(items.systems[system], np.full(number, np.nan))[wrong]
            of_errors[wrong] = np.fmax(of_errors[wrong], values)
        # Lots below 0 are ranks, and the surest error has the lowest.
        ranks = np.unique(-of_errors, return_inverse=True)[1] - number
        lots = {item: int(ranks[item]) for item in lots}
    for item in sorted(lots, key=lambda item: (lots[item], item))[: options.examples]:
        kind = "error" if b is None else KINDS[kinds[rows[item]]]
        shown = ExampleItem(
            position=0,
            gold=_name_label(run.gold, item),
            answers={name: _name_label(corpus, item) for name, corpus in corpora.items()},
            kind=kind,
            confidence={name: float(values[item]) for name, values in sure.items() if not np.isnan(values[item])},
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


def _name_label(corpus: Corpus, item: int) -> str | None:
    """The label of an item, or the members of its set; None if there is no answer."""
    table, label = _table_of(corpus), corpus.column(LABEL)[item]
    if table.sets:
        return label.replace(SEVERAL, ", ") or "∅"
    return None if table.missing[item] else label.replace(SEVERAL, " or ")


CARDS = Drawing("cards", places=unit_places, layers=_draw_cards, examples=_draw_examples)
