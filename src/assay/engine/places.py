"""What annotators say at each place of a text, as ratings, and the texts of a page about their disagreements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from assay.arrays import NONE, Floats, Ints, as_codes
from assay.classes import dataclass
from assay.corpus.ratings import Ratings, WordNames
from assay.engine.items import Items, join
from assay.engine.measure import Measure
from assay.engine.prepare import Run
from assay.engine.task import find_task
from assay.engine.texts import ROOT, Rows, Shown, Texts, arc_marks, make_texts, name_texts, order_arcs, word_rows

NOTHING = "∅"
"""The label of a place that an annotator does not mark."""
MOST_DISPUTED = 10_000
"""The most texts of a page about disagreements; of more, those with the highest disagreement."""
_PLACE = ("begin", "length", "head", "head_length")


@dataclass(frozen=True, eq=False)
class Places:
    """Texts of a page, and where the rated items are in them."""

    texts: Texts
    text: Ints
    begin: Ints
    length: Ints
    stretches: Mapping[int, Any] = field(default_factory=dict)


def rate_places(run: Run, names: Sequence[str], measure: Measure) -> tuple[Ratings, Places] | None:
    """The label that each annotator gives to each place that one of them marks, NOTHING for none; what governs a mark
    is part of its place. None if the measure judges no single items. `names` are in the order of the run."""
    tables = [(name, measure.judge(pair)) for name, pair in run.pairs if name in names]
    judged = [(name, items) for name, items in tables if isinstance(items, Items)]
    if len(judged) < len(tables):
        return None
    texts = make_texts(run, join(judged), judged, str(measure), "all", 0)
    people = sorted(names)
    order = [names.index(name) for name in people]
    arcs = texts.arcs
    if arcs is not None:
        layers = [arc_marks(arcs, side) for side in order]
        texts = replace(texts, arcs=order_arcs(arcs, [order[0], *order]))
    else:
        layers = [texts.spans[side] for side in order]
    vocabulary: dict[str, int] = {}
    gaps: dict[str, int] = {"": 0}
    keys, labels = [], []
    shapes: list[Any] = []
    for rows in layers:
        gap = np.zeros(len(rows), dtype=np.int64)
        for row, shape in rows.stretches.items():
            gap[row] = gaps.setdefault(str(shape), len(gaps))
        shapes += [rows.stretches.get(row) for row in range(len(rows))] if rows.stretches else [None] * len(rows)
        nothing = np.zeros(len(rows), dtype=np.int64)
        keys.append(np.stack([rows.text, *(rows.columns.get(name, nothing) for name in _PLACE), gap], axis=1))
        used, codes = np.unique(rows.columns["label"], return_inverse=True)
        names_of_labels = [rows.vocabulary[code] if code != NONE else "" for code in used.tolist()]
        labels.append(as_codes(names_of_labels, vocabulary)[codes])
    unique, first, place = np.unique(np.concatenate(keys), axis=0, return_index=True, return_inverse=True)
    side = np.repeat(np.arange(len(layers)), [len(rows) for rows in layers])
    cells = np.full((len(unique), len(layers)), vocabulary.setdefault(NOTHING, len(vocabulary)))
    codes, place = np.concatenate(labels), place.ravel()
    cells[place, side] = codes
    # One annotator may give several labels to a place.
    spelt, cell = list(vocabulary), place * len(layers) + side
    for number in np.flatnonzero(np.bincount(cell) > 1).tolist():
        joint = "|".join(sorted({spelt[code] for code in codes[cell == number].tolist()}))
        cells[divmod(number, len(layers))] = vocabulary.setdefault(joint, len(vocabulary))
    listed = sorted(vocabulary, key=lambda label: (label == NOTHING, label))
    text, begin, length = unique[:, 0], unique[:, 1], unique[:, 2]
    if arcs is None:
        within, ends = np.arange(len(text)) - np.searchsorted(text, text), np.cumsum([len(rows) for rows in layers])
        spans = []
        for rows, here in zip(layers, np.split(place, ends[:-1]), strict=True):
            # Nobody is right or wrong.
            columns = {name: column for name, column in rows.columns.items() if name != "kind"}
            columns |= {"item": within[here]} if "item" in columns else {}
            spans.append(replace(rows, columns=columns))
        texts = replace(texts, spans=(spans[0].take(np.zeros(0, dtype=np.int64)), *spans))
    gold, task = run.gold, find_task(run.task)
    of_texts: Ints = np.flatnonzero(~run.skipped)
    if task.drawing.unit == "document":
        assert gold.document_starts is not None
        of_texts = gold.document_starts[:-1]
    sentence = of_texts[text]
    heads = unique[:, 3:5] if any("head" in rows.columns for rows in layers) else None
    named = _Named(texts, text, begin, length, heads)
    ratings = Ratings(
        [named.name(item) for item in range(len(text))],
        tuple(people),
        tuple(listed),
        np.repeat(np.arange(len(text)), len(people)),
        np.tile(np.arange(len(people)), len(text)),
        np.array([listed.index(label) for label in vocabulary], dtype=np.int64)[cells].ravel(),
        unit=gold.unit_of_sentence(run.unit)[sentence],
        units=gold.names_of_units(run.unit),
        noun=task.noun,
        unit_noun=run.unit,
        text_of=named.sentence,
    )
    stretches = {number: shapes[row] for number, row in enumerate(first.tolist()) if shapes[row]}
    shown = replace(texts, sides=("", *people), kinds=(), meanings={}, slices={})
    return ratings, Places(shown, text, begin, length, stretches)


@dataclass(frozen=True, eq=False)
class _Named:
    """Items by their words."""

    texts: Texts
    text: Ints
    begin: Ints
    length: Ints
    heads: Ints | None
    """The first word and the length of what governs each item."""

    def name(self, item: int) -> str:
        """The text, the place in it, and the words there."""
        text, first, end, words = self._words(item)
        id_, number = (self.texts.names.columns[name][text] for name in ("id", "number"))
        place = f"{first + 1}-{end}" if end > first + 1 else f"{first + 1}"
        named = f"{id_ if number == NONE else number + 1}:{place} {' '.join(words[first:end])}".rstrip()
        if self.heads is None:
            return named
        head, length = self.heads[item].tolist()
        governor = " ".join(words[head : head + max(length, 1)]) if head >= 0 else "root" if head == ROOT else ""
        return f"{named} ← {governor}" if governor else named

    def sentence(self, item: int) -> str:
        """The text, with the words of the item in brackets."""
        _, first, end, words = self._words(item)
        return " ".join([*words[:first], f"[{' '.join(words[first:end])}]", *words[end:]]) if words else ""

    def _words(self, item: int) -> tuple[int, int, int, list[str]]:
        text, first = int(self.text[item]), int(self.begin[item])
        words = self.texts.words
        start, end = np.searchsorted(words.text, [text, text + 1])
        found = [words.vocabulary[code] for code in words.columns["word"][start:end].tolist()]
        return text, first, first + int(self.length[item]), found


def texts_of_table(ratings: Ratings, path: str) -> Places:
    """Items without words: each is a text, of one part."""
    number = ratings.items
    every = np.arange(number)
    shown = Shown(every, every, np.ones(number, dtype=bool), every)
    of_texts = "text" in ratings.columns
    parts = [ratings.columns["text"][item] if of_texts else ratings.text_of(item) for item in range(number)]
    vocabulary: dict[str, int] = {}
    facts = {
        name: as_codes([*column.vocabulary, ""], vocabulary)[column.codes]
        for name, column in ratings.columns.items()
        if name != "text"
    }
    texts = Texts(
        how="all",
        unit=ratings.noun,
        on="",
        systems=(),
        kinds=(),
        total=number,
        judged=number,
        names=shown.names(list(ratings.names), [False] * number, [path] * number),
        words=word_rows([[part] if part else [] for part in parts]),
        sentences=None,
        items=Rows(every, {}),
        slices={},
        parts=("text",),
        facts=Rows(every, facts, tuple(facts), tuple(vocabulary)),
    )
    return Places(texts, every, np.zeros(number, dtype=np.int64), np.ones(number, dtype=np.int64))


def texts_of_words(run: Run, ratings: Ratings) -> Places | None:
    """Words with a label from each annotator, in their sentences; None if these have no words."""
    if not isinstance(ratings.names, WordNames) or not ratings.names.corpus.has_words:
        return None
    gold, words = run.gold, ratings.names.words
    sentence = gold.sentence_of[words].astype(np.int64)
    chosen, text = np.unique(sentence, return_inverse=True)
    place = np.full(gold.sentences, NONE)
    place[chosen] = np.arange(len(chosen))
    shown = Shown(chosen, place, np.ones(len(chosen), dtype=bool), chosen)
    texts = Texts(
        how="all",
        unit="sentence",
        on="",
        systems=(),
        kinds=(),
        total=gold.sentences,
        judged=len(chosen),
        **name_texts(run, shown, "sentence", None),
        items=Rows(text, {}),
        slices={},
    )
    return Places(texts, text, words - gold.starts[sentence], np.ones(len(words), dtype=np.int64))


def code_disputed(ratings: Ratings, split: Floats, places: Places) -> dict[str, Any]:
    """The texts with a disagreement, those with the highest ones if there are many, as a Result has them."""
    table, texts = ratings.table, places.texts
    columns = {"begin": places.begin, "length": places.length, "gold": ratings.votes.argmax(axis=1)}
    columns |= {"owner": np.full(ratings.items, NONE), "split": np.nan_to_num(split)}
    for number in range(len(ratings.annotators)):
        same_as = (table == table[:, [number]]).argmax(axis=1)
        right = np.zeros(ratings.items, dtype=bool)
        columns |= {f"answers/{number}": table[:, number], f"wrong/{number}": right, f"alike/{number}": same_as}
    coded = ("gold", *(f"answers/{number}" for number in range(len(ratings.annotators))))
    rows = Rows(places.text, columns, coded, ratings.labels, places.stretches)
    rows = rows.take(np.lexsort((places.begin, places.text)))
    most = np.zeros(len(texts))
    np.maximum.at(most, places.text, columns["split"])
    kept = np.zeros(len(texts), dtype=bool)
    kept[np.argsort(-most, kind="stable")[:MOST_DISPUTED]] = True
    disputed = most > 0
    whole = replace(texts, systems=ratings.annotators, items=rows, judged=int(disputed.sum()))
    return whole.keep(kept & disputed).coded()
