"""What a page draws and filters: sentences, their words, the items judged, and the layers of gold and systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.arcs import ELSEWHERE, MISSING
from assay.arrays import NONE, Array, Bools, Ints, as_codes, atoms_at, numbers_of_runs
from assay.corpus import Corpus
from assay.examples import lot_of
from assay.judgements import ONE, Judgements
from assay.outcomes import Items, alike
from assay.pagetexts import Rows, Texts, drawn, shows_all
from assay.prepare import Run
from assay.spanpairs import Side, SpanPair, pieces


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
    unit = "document" if run.task == "coreference" else "sentence"
    of_item = _text_of_items(run, items)
    skipped = np.zeros(run.gold.documents, dtype=bool) if unit == "document" else run.skipped
    shown = choose(items, of_item, skipped, how, seed, list(run.gold.unit_names(unit)))
    begin, end, stretches = _places(run, items)
    text = shown.place[of_item]
    rows = np.flatnonzero(text != NONE)
    order = rows[np.lexsort((begin[rows], text[rows]))]
    members = {name: _members(items, part) for name, part in slices}
    sides, arcs, spans = _layers(run, items, judged, shown)
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


def _text_of_items(run: Run, items: Items) -> Ints:
    """The sentence, or in coreference the document, of each item."""
    if run.task != "coreference" or not len(items.sentence):
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


def _places(run: Run, items: Items) -> tuple[Ints, Ints, dict[int, Any]]:
    """The first word and the end of each item in its text, and the stretches of those with gaps."""
    if run.task == "coreference":
        return _mention_places(run, items)
    if not items.kinds:
        first = run.gold.starts[items.sentence]
        begin = np.where(items.owner == NONE, items.item - first, 0)
        return begin, begin + 1, {}
    begin, end = np.zeros(len(items.gold), dtype=np.int64), np.zeros(len(items.gold), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for owner in range(-1, len(run.pairs)):
        rows = np.flatnonzero(items.owner == owner)
        if len(rows):
            spans = run.pairs[max(owner, 0)][1].spanned()
            side = spans.gold if owner == NONE else spans.system
            begin[rows], end[rows], gaps = _span_places(spans, side, items.item[rows])
            stretches.update((int(rows[row]), shape) for row, shape in gaps.items())
    return begin, end, stretches


def _span_places(spans: SpanPair, side: Side, chosen: Ints) -> tuple[Ints, Ints, dict[int, Any]]:
    """The words of gold that spans cover."""
    gold = spans.gold.corpus
    if spans.atoms == "words" and gold.texts is None and _is_plain(spans, gold):
        start = gold.starts[side.sentence[chosen]]
        begin, end = side.spans.begin[chosen] - start, side.spans.end[chosen] - start
        gapped = [(row, item) for row, item in enumerate(chosen.tolist()) if item in side.spans.stretches]
        shapes = {
            row: [[a - int(start[row]), b - int(start[row])] for a, b in side.spans.stretches[item]]
            for row, item in gapped
        }
        return begin, end, shapes
    found = [spans.gold_words(side, item) for item in chosen.tolist()]
    begin = np.array([shape[0][0] for shape in found], dtype=np.int64)
    end = np.array([shape[-1][1] for shape in found], dtype=np.int64)
    return begin, end, {row: [list(part) for part in shape] for row, shape in enumerate(found) if len(shape) > 1}


def _is_plain(spans: SpanPair, gold: Corpus) -> bool:
    """Whether the line is that of gold's words, one by one."""
    return len(spans.line.begin) == len(gold) and bool((spans.line.begin == np.arange(len(gold))).all())


def _mention_places(run: Run, items: Items) -> tuple[Ints, Ints, dict[int, Any]]:
    begin, end = np.zeros(len(items.gold), dtype=np.int64), np.zeros(len(items.gold), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for row, (item, owner) in enumerate(zip(items.item.tolist(), items.owner.tolist(), strict=True)):
        shape = run.pairs[max(owner, 0)][1].chained().places.shape(item)
        begin[row], end[row] = shape[0][0], shape[-1][1]
        if len(shape) > 1:
            stretches[row] = [list(part) for part in shape]
    return begin, end, stretches


# --- layers ---


_Layers = tuple[tuple[str, ...], Rows | None, tuple[Rows, ...]]
"""What the sides are called, their arcs, or the spans of each."""


def _layers(run: Run, items: Items, judged: Sequence[tuple[str, Judgements]], shown: Shown) -> _Layers:
    """Gold's layer and the systems', where items alone do not draw them."""
    sides = ("gold", *(name for name, _ in judged))
    if run.task == "coreference":
        return sides, None, tuple(_chain_layers(run, shown))
    if items.kinds:
        return sides, None, tuple(_span_layers(run, judged, shown))
    if run.gold.heads is not None and all(rows.heads is not None for _, rows in judged):
        return sides, _arcs(run, judged, shown), ()
    return (), None, ()


def _arcs(run: Run, judged: Sequence[tuple[str, Judgements]], shown: Shown) -> Rows:
    """Heads and relations word by word; a head is a place in the sentence, below 0: root, elsewhere, missing."""
    gold = run.gold
    assert gold.heads is not None
    lengths = np.diff(gold.starts)[shown.chosen]
    words = numbers_of_runs(gold.starts[shown.chosen], lengths)
    first, beyond = (np.repeat(gold.starts[shown.chosen + end], lengths) for end in (0, 1))
    known: dict[str, int] = {}
    columns: dict[str, Ints] = {}
    ours = judged[0][1]
    sides = [(ours, None, ours.gold), *((rows, rows.heads, rows.system) for _, rows in judged)]
    for side, (rows, answers, relations) in enumerate(sides):
        there = np.flatnonzero(rows.gold != NONE)
        heads, labels = gold.heads, np.full(len(gold), NONE)
        if answers is not None:
            heads = np.full(len(gold), MISSING)
            heads[rows.item[there]] = answers[there]
        labels[rows.item[there]] = _recoded(rows.labels, known)[relations[there]]
        columns[f"heads/{side}"] = _local(heads[words], first, beyond)
        columns[f"relations/{side}"] = labels[words]
    text = np.repeat(np.arange(len(lengths)), lengths)
    return Rows(text, columns, tuple(name for name in columns if name.startswith("relations")), tuple(known))


def _recoded(labels: Iterable[str], known: dict[str, int]) -> Ints:
    return np.append(as_codes(labels, known), NONE)


def _local(heads: Ints, first: Ints, beyond: Ints) -> Ints:
    """Heads as places in their sentence; where a system cuts sentences otherwise, one may lie in another."""
    inside = (heads >= first) & (heads < beyond)
    return np.where(inside, heads - first, np.where(heads >= 0, ELSEWHERE, heads))


def _span_layers(run: Run, judged: Sequence[tuple[str, Judgements]], shown: Shown) -> Iterator[Rows]:
    """Each side's spans, those of systems with what became of them."""
    pairs = dict(run.pairs)
    spans, ours = pairs[judged[0][0]].spanned(), judged[0][1]
    drawn = np.arange(len(spans.gold)) if run.task == "spans" else np.unique(ours.item[ours.has_gold])
    yield _spans(spans, spans.gold, drawn, None, shown)
    for name, judgements in judged:
        matches = judgements.matches
        assert matches is not None
        spans = pairs[name].spanned()
        kinds = np.full(len(spans.system), NONE)
        there = np.flatnonzero(matches.new_system & (matches.partner != NONE))
        kinds[matches.partner[there]] = matches.kind[there]
        drawn = np.arange(len(spans.system)) if run.task == "spans" else np.flatnonzero(kinds != NONE)
        yield _spans(spans, spans.system, drawn, kinds, shown)


def _spans(spans: SpanPair, side: Side, drawn: Ints, kinds: Ints | None, shown: Shown) -> Rows:
    text = shown.place[side.sentence[drawn]]
    chosen = drawn[text != NONE]
    begin, end, gaps = _span_places(spans, side, chosen)
    labels = side.spans.label[chosen]
    of_system = None if kinds is None else kinds[chosen]
    return span_rows(text[text != NONE], begin, end, labels, tuple(spans.labels), gaps, of_system)


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


def _chain_layers(run: Run, shown: Shown) -> Iterator[Rows]:
    """Each side's mentions, labelled with their chains."""
    for chains in (run.pairs[0][1].chained().gold, *(pair.chained().system for _, pair in run.pairs)):
        text = shown.place[chains.document]
        rows = np.flatnonzero(text != NONE)
        gaps = {
            row: [list(part) for part in atoms_at(mention, chains.begin, chains.end, chains.stretches)]
            for row, mention in enumerate(rows.tolist())
            if mention in chains.stretches
        }
        yield span_rows(text[rows], chains.begin[rows], chains.end[rows], chains.chain[rows], chains.names, gaps)
