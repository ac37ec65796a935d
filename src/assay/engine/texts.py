"""What a page draws and filters: sentences, their words, the items judged, and the layers of gold and systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Bools, Ints, as_codes, numbers_of_runs
from assay.engine.examples import lot_of
from assay.engine.items import Items, alike
from assay.engine.judgements import ONE, Judgements
from assay.engine.pagetexts import Rows, Texts, drawn, shows_all
from assay.engine.prepare import Run
from assay.engine.spanpairs import pieces
from assay.engine.task import tasks


def embedded(
    run: Run,
    items: Items,
    judged: Sequence[tuple[str, Judgements]],
    on: str,
    how: str,
    seed: int,
    slices: Sequence[tuple[str, Items]] = (),
) -> Texts:
    """The texts of a run with everything that stands in them; `slices` are the items of each value."""
    drawing = tasks()[run.task].drawing
    unit = drawing.unit
    of_item = _text_of_items(run, items, unit)
    skipped = np.zeros(run.gold.documents, dtype=bool) if unit == "document" else run.skipped
    shown = choose(items, of_item, skipped, how, seed, list(run.gold.unit_names(unit)))
    begin, end, stretches = drawing.places(run, items)
    text = shown.place[of_item]
    rows = np.flatnonzero(text != NONE)
    order = rows[np.lexsort((begin[rows], text[rows]))]
    members = {name: _members(items, part) for name, part in slices}
    sides, arcs, spans = drawing.layers(run, items, judged, shown)
    return Texts(
        how=how,
        unit=unit,
        on=on,
        systems=items.systems,
        kinds=items.kinds,
        total=len(skipped),
        judged=int((~skipped).sum()),
        names=_names(run, shown, unit),
        words=_words(run, shown, unit),
        sentences=_sentences(run, shown) if unit == "document" else None,
        items=item_rows(items, order, text, begin, end, stretches),
        slices={name: None if mask is None else np.flatnonzero(mask[order]) for name, mask in members.items()},
        sides=sides,
        arcs=arcs,
        spans=spans,
    )


def _text_of_items(run: Run, items: Items, unit: str) -> Ints:
    """The sentence or the document of each item."""
    if unit == "sentence" or not len(items.sentence):
        return items.sentence
    starts = run.gold.document_starts
    assert starts is not None
    return np.searchsorted(starts, items.sentence, side="right") - 1


@dataclass(frozen=True, eq=False)
class Shown:
    """Which texts of gold a page may show."""

    chosen: Ints
    place: Ints
    """The number of each text of gold among those chosen, NONE for the others."""
    telling: Bools
    """Which of those chosen have a difference or an error."""
    lots: Ints
    """By what they are drawn, where they are too many."""

    def names(self, ids: Sequence[str], numbered: Sequence[bool], places: Sequence[str]) -> Rows:
        """What the chosen texts are called, some by their numbers, and where they are."""
        columns = {
            "id": np.array(ids, dtype=object),
            "number": np.where(np.array(numbered, dtype=bool), self.chosen, NONE),
            "place": np.array(places, dtype=object),
            "telling": self.telling,
            "lot": self.lots,
        }
        return Rows(np.arange(len(self.chosen)), columns)


def choose(items: Items, of_item: Ints, skipped: Bools, how: str, seed: int, names: Sequence[str]) -> Shown:
    """The texts to be shown, of those that are not skipped; `of_item` is the text of each item.

    These are all texts, those with a difference or an error, or a sample of these, drawn by a hash of their names.
    """
    telling = np.zeros(len(skipped), dtype=bool)
    telling[of_item[~np.all(items.right, axis=0)]] = True
    every = shows_all(how, int((~skipped).sum()))
    worth = np.flatnonzero(~skipped & (telling | every))
    lots = np.array([lot_of(seed, "texts", names[text]) for text in worth.tolist()], dtype=np.uint64)
    taken = drawn(how, lots)
    chosen = worth[taken]
    place = np.full(len(skipped), NONE)
    place[chosen] = np.arange(len(chosen))
    return Shown(chosen, place, telling[chosen], lots[taken])


# --- words ---


def _names(run: Run, shown: Shown, unit: str) -> Rows:
    gold, chosen = run.gold, shown.chosen.tolist()
    if unit == "document":
        assert gold.document_starts is not None
        ids = [gold.document_name(text) for text in chosen]
        numbered = [name == str(text + 1) for text, name in zip(chosen, ids, strict=True)]
        places = [gold.place_of_sentence(int(gold.document_starts[text])) for text in chosen]
        return shown.names(ids, numbered, places)
    own = gold.metadata("sent_id")
    return shown.names(
        [gold.sentence_ids[text] for text in chosen],
        [own[text] is None and not gold.by_id for text in chosen],
        [gold.place_of_sentence(text) for text in chosen],
    )


def _words(run: Run, shown: Shown, unit: str) -> Rows:
    gold = run.gold
    if gold.texts is not None:
        return word_rows([pieces(gold.texts[sentence]) for sentence in shown.chosen.tolist()])
    first, end = _ends(run, shown, unit)
    words = numbers_of_runs(gold.starts[first], gold.starts[end] - gold.starts[first])
    text = np.repeat(np.arange(len(first)), gold.starts[end] - gold.starts[first])
    return Rows(text, {"word": gold.forms.codes[words]}, ("word",), gold.forms.vocabulary)


def _sentences(run: Run, shown: Shown) -> Rows:
    """How long the sentences of documents are."""
    first, end = _ends(run, shown, "document")
    lengths = np.diff(run.gold.starts)[numbers_of_runs(first, end - first)]
    return Rows(np.repeat(np.arange(len(first)), end - first), {"length": lengths})


def _ends(run: Run, shown: Shown, unit: str) -> tuple[Ints, Ints]:
    """The first sentence of each text, and the one behind it."""
    if unit == "sentence":
        return shown.chosen, shown.chosen + 1
    starts = run.gold.document_starts
    assert starts is not None
    return starts[shown.chosen], starts[shown.chosen + 1]


def word_rows(texts: Sequence[Sequence[str]]) -> Rows:
    """The words of texts."""
    known: dict[str, int] = {}
    codes = as_codes([word for words in texts for word in words], known)
    text = np.repeat(np.arange(len(texts)), [len(words) for words in texts])
    return Rows(text, {"word": codes}, ("word",), tuple(known))


# --- items ---


def item_rows(items: Items, order: Ints, text: Ints, begin: Ints, end: Ints, stretches: Mapping[int, Any]) -> Rows:
    """Items in an order: where each is, what gold and the systems say of it; `stretches` are of those with gaps."""
    columns: dict[str, Array] = {"begin": begin, "length": end - begin, "gold": items.gold, "owner": items.owner}
    for system, (answers, right, same) in enumerate(zip(items.answers, items.right, alike(items), strict=True)):
        columns |= {f"answers/{system}": answers, f"wrong/{system}": ~right, f"alike/{system}": same}
        columns |= {f"kind/{system}": items.kind[system]} if items.kind else {}
        columns |= {f"lost/{system}": (ONE - items.credit[system]).astype(np.uint64)} if items.credit else {}
    coded = ("gold", *(f"answers/{system}" for system in range(len(items.systems))))
    return Rows(text, columns, coded, items.labels, stretches).taken(order)


def _members(items: Items, part: Items) -> Bools | None:
    """Which items a slice selects; None where it selects an added item under one system and not under another."""
    most = 1 + max(int(items.item.max(initial=0)), int(part.item.max(initial=0)))
    wanted, known = ((one.owner + 1) * most + one.item for one in (part, items))
    order = np.argsort(known, kind="stable")
    place = order[np.minimum(np.searchsorted(known[order], wanted), max(len(known) - 1, 0))]
    same = bool((known[place] == wanted).all()) and len(np.unique(place)) == len(place)
    if not same or any((there[place] != own).any() for there, own in zip(items.kind, part.kind, strict=True)):
        return None
    mask = np.zeros(len(known), dtype=bool)
    mask[place] = True
    return mask


# --- layers ---


def by_place(text: Ints, begin: Ints, end: Ints) -> Ints:
    """The order of spans by text and place, outer ones before inner ones."""
    return np.lexsort((-end, begin, text))


def span_rows(
    text: Ints,
    begin: Ints,
    end: Ints,
    labels: Ints,
    vocabulary: tuple[str, ...],
    stretches: Mapping[int, Any],
    kinds: Ints | None = None,
) -> Rows:
    """Spans of a side in order of their places; `stretches` are of those with gaps."""
    columns = {"begin": begin, "length": end - begin, "label": labels, **({} if kinds is None else {"kind": kinds})}
    return Rows(text, columns, ("label",), vocabulary, stretches).taken(by_place(text, begin, end))


