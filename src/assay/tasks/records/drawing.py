"""Records in examples and on pages: the values of gold and of the systems, each at its place in the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Ints, as_codes
from assay.engine.examples import DrawnExample, lot_of
from assay.engine.items import KINDS, Items
from assay.engine.options import Options
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Layers, Tables, Wanted, unit_places
from assay.engine.texts import Rows, Shown, word_rows
from assay.formats.records import TEXT
from assay.result import Example, ExampleItem
from assay.tasks.records.judge import HALLUCINATED, NOTES, STATUS, RecordRun, judge_values, outcomes_of
from assay.tasks.records.kinds import show_value
from assay.tasks.records.measures import compared_by
from assay.tasks.records.pairing import OUTCOMES, SPURIOUS, Path, ValueOutcome
from assay.tasks.records.reading import MISSING, READ
from assay.tasks.records.schema import Place

_SHOWN_NOTES = (HALLUCINATED, *NOTES)


class Values:
    """The values of a table of items: their places in records, and what gold and each system say there."""

    def __init__(self, run: Run, items: Items) -> None:
        match, pairs = compared_by(run.measures), dict(run.pairs)
        assert items.partner is not None
        self._items, self._partner = items, items.partner
        self._outcomes: list[list[ValueOutcome]] = []
        self._marks: list[list[tuple[str, Any]]] = []
        for name in items.systems:
            self._outcomes.append([one for _, found in outcomes_of(pairs[name], match) for one in found])
            marks = judge_values(pairs[name], match).marks
            self._marks.append([(note, marks[note]) for note in _SHOWN_NOTES if note in marks])
        self._statuses = [pairs[name].system.column(STATUS) for name in items.systems]
        self._gold = [one for one in self._outcomes[0] if one.outcome != SPURIOUS]
        self._run = run.pairs[0][1].layers[RecordRun]
        self._added: dict[tuple[int, int, Path], int] = {}
        self._numbers: dict[tuple[int, Path], int] = {}

    def find_path(self, row: int) -> Path:
        """The place of an item in gold's record; elements that gold does not have are numbered −1, −2 …"""
        if self._items.owner[row] == NONE:
            return self._gold[int(self._items.item[row])].at
        sentence = int(self._items.sentence[row])
        having = [(system, self._outcomes[system][at]) for system, at in self._partners(row) if at != NONE]
        at, tail = having[0][1].at, having[0][1].there[len(having[0][1].at) :]
        place = next((number for number, step in enumerate(tail) if isinstance(step, int)), None)
        if place is None:
            return (*at, *tail)
        # Elements of several systems with a value in common have the same number.
        around = (*at, *tail[:place])
        keys = [(sentence, system, one.there[: len(one.at) + place + 1]) for system, one in having]
        number = next((self._added[key] for key in keys if key in self._added), 0)
        if not number:
            number = self._numbers[sentence, around] = self._numbers.get((sentence, around), 0) + 1
        for key in keys:
            self._added.setdefault(key, number)
        return (*around, -number, *tail[place + 1 :])

    def _partners(self, row: int) -> Iterator[tuple[int, int]]:
        return enumerate(self._partner[:, row].tolist())

    def order(self, path: Path) -> list[tuple[bool, int, str]]:
        """A key that sorts places as the schema has them, what it does not have last."""
        place: Place | None = self._run.schema
        found = []
        for step in path:
            if isinstance(step, int):
                found.append((step < 0, abs(step), ""))
                place = place.element if place is not None else None
            else:
                fields = [*place.fields] if place is not None else []
                known = step in fields
                found.append((not known, fields.index(step) if known else 0, step))
                place = place.fields[step] if place is not None and known else None
        return found

    def gold(self, row: int) -> str | None:
        """Gold's value."""
        return None if self._items.owner[row] != NONE else show_value(self._gold[self._items.item[row]].gold)

    def answer(self, system: int, row: int) -> str | None:
        """A system's value."""
        at = int(self._partner[system, row])
        return None if at == NONE else show_value(self._outcomes[system][at].system)

    def places(self, system: int, row: int) -> str | None:
        """Where the value of a system, or of gold (NONE), is in the text: `0-4 17-21`, in characters."""
        at = int(self._items.item[row] if system == NONE else self._partner[system, row])
        if at == NONE or (system == NONE and self._items.owner[row] != NONE):
            return None
        one = self._gold[at] if system == NONE else self._outcomes[system][at]
        value = one.gold if system == NONE else one.system
        text = self._run.texts[int(self._items.sentence[row])]
        if not text or isinstance(value, bool):
            return None
        _, found = text.find(value, self._run.places.get(one.field))
        return " ".join(f"{begin}-{end}" for begin, end in sorted(found)) or None

    def note(self, system: int, row: int) -> str:
        """What else is known of a system's value: hallucinated, retyped, structure, outside, or an unread answer."""
        at = int(self._partner[system, row])
        status = self._statuses[system][int(self._items.sentence[row])]
        if status not in READ and self._items.owner[row] == NONE:
            return "no answer" if status == MISSING else f"answer {status}"
        return "" if at == NONE else next((note for note, mask in self._marks[system] if mask[at]), "")


def write_path(path: Path) -> str:
    """A place as people write it: `items[2].price`, and `items[+1].price` for an element that gold does not have."""
    steps = (f".{step}" if isinstance(step, str) else f"[+{-step}]" if step < 0 else f"[{step}]" for step in path)
    return "".join(steps).removeprefix(".")


def _draw_cards(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    """The texts of records and, item by item, their places and values."""
    values, text = Values(run, items), shown.place[items.sentence]
    rows = np.flatnonzero(text != NONE)
    order = rows[np.argsort(text[rows], kind="stable")]
    paths = [values.find_path(row) for row in order.tolist()]
    keys = sorted({(number, *values.order(path)) for number, path in zip(text[order].tolist(), paths, strict=True)})
    ranks: dict[Any, int] = {}
    for key in keys:
        ranks[key] = len(ranks)
    rank = [ranks[(number, *values.order(path))] for number, path in zip(text[order].tolist(), paths, strict=True)]
    vocabulary: dict[str, int] = {}

    def code(texts: Sequence[str | None]) -> Ints:
        codes = [NONE if one is None else vocabulary.setdefault(one, len(vocabulary)) for one in texts]
        return np.array(codes, dtype=np.int64)

    columns: dict[str, Array] = {
        "row": np.array(rank, dtype=np.int64),
        "path": code([write_path(path) for path in paths]),
        "gold": code([values.gold(row) for row in order.tolist()]),
        "place": code([values.places(NONE, row) for row in order.tolist()]),
    }
    for system in range(len(items.systems)):
        columns[f"value/{system}"] = code([values.answer(system, row) for row in order.tolist()])
        columns[f"place/{system}"] = code([values.places(system, row) for row in order.tolist()])
        columns[f"note/{system}"] = code([values.note(system, row) or None for row in order.tolist()])
    coded = tuple(name for name in columns if name != "row")
    texts, facts = run.gold.column(TEXT).strings(), run.gold.facts
    chosen = shown.chosen.tolist()
    known: dict[str, int] = {}
    codes = {name: as_codes((column[number] for number in chosen), known) for name, column in facts.items()}
    return Layers(
        words=word_rows([[texts[number]] if texts[number] else [] for number in chosen]),
        parts=("text",),
        facts=Rows(np.arange(len(chosen)), codes, tuple(codes), tuple(known)),
        values=Rows(text[order], columns, coded, tuple(vocabulary)),
    )


def _draw_examples(run: Run, items: Items, wanted: Wanted, options: Options) -> Iterator[DrawnExample]:
    """Records with the most values that changed or are wrong first; those that a system did not answer come last."""
    (a, b), mask, kinds = wanted
    systems, group, values = [a] if b is None else [a, b], f"{a}-{b}", Values(run, items)
    names, ids = list(run.gold.unit_names("sentence")), run.gold.metadata("sent_id")
    pairs = dict(run.pairs)
    read = np.all([pairs[items.systems[system]].system.column(STATUS).isin(READ) for system in systems], axis=0)
    numbers = np.bincount(items.sentence[mask], minlength=run.gold.sentences)
    lots = {
        record: (lot_of(options.seed, group, names[record]) >> 32) - ((int(numbers[record] * read[record]) + 1) << 32)
        for record in np.flatnonzero(numbers).tolist()
    }
    for record in sorted(lots, key=lambda record: lots[record])[: options.examples]:
        # Values that all systems add may show that their elements are the same.
        paths = {row: values.find_path(row) for row in np.flatnonzero(items.sentence == record).tolist()}
        shown = []
        for row in sorted((row for row in paths if mask[row]), key=lambda row: values.order(paths[row])):
            outcomes = {}
            for system in systems:
                kind, note = items.kind[system, row], values.note(system, row)
                outcomes[items.systems[system]] = " ".join(
                    filter(None, [OUTCOMES[kind] if kind != NONE else "", note])
                )
            shown.append(
                ExampleItem(
                    position=0,
                    gold=values.gold(row),
                    answers={items.systems[system]: values.answer(system, row) for system in systems},
                    kind="error" if b is None else KINDS[kinds[row]],
                    path=write_path(paths[row]),
                    outcomes=outcomes,
                )
            )
        example = Example(
            sentence=run.gold.sentence_ids[record],
            place=run.gold.place_of_sentence(record),
            words=(),
            a=items.systems[a],
            b=None if b is None else items.systems[b],
            items=tuple(shown),
        )
        yield DrawnExample(group, lots[record], example, record if ids[record] is None else None)


CARDS = Drawing("cards", places=unit_places, layers=_draw_cards, examples=_draw_examples, weight=10)
