"""What a page draws and filters: sentences, their words, the items judged, and the layers of gold and systems.

All of it is plain lists of numbers and vocabularies, ready for JSON. What is mostly the same is told as differences:
places that rise as distances, a system's layer as what differs from gold's. docs/json.md has the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.arcs import ELSEWHERE, MISSING
from assay.arrays import NONE, Array, Bools, Ints, as_codes, atoms_at
from assay.changes import Items, alike
from assay.corpus import Corpus
from assay.judgements import Judgements
from assay.prepare import Run
from assay.spanpairs import Side, SpanPair, pieces

EMBED = ("all", "diff", "sample", "none")
MOST_TEXTS = 50_000
"""So many sentences a page shows; of more, a sample of those that are worth a look."""


def embedded(
    run: Run,
    items: Items,
    judged: Sequence[tuple[str, Judgements]],
    on: str,
    how: str,
    seed: int,
    slices: Sequence[tuple[str, Items]] = (),
) -> Any:
    """The texts of a run with everything that stands in them, as data for `Result.texts`."""
    documents = run.task == "coreference"
    of_item = _text_of_items(run, items, documents)
    total = run.gold.documents if documents else run.gold.sentences
    skipped = np.zeros(total, dtype=bool) if documents else run.skipped
    chosen = _chosen(items, of_item, skipped, how, seed)
    place = np.full(total, NONE)
    place[chosen] = np.arange(len(chosen))
    texts = _Texts(run, chosen, place, documents)
    mode = "all" if len(chosen) == int((~skipped).sum()) else "diff" if how == "diff" else "sample"
    return {
        "how": mode,
        "embedded": len(chosen),
        "total": total,
        "unit": "document" if documents else "sentence",
        "on": on,
        "systems": list(items.systems),
        **texts.words(),
        "labels": list(items.labels),
        "kinds": list(items.kinds),
        "items": _items(run, items, place[of_item], texts, slices),
        "layers": _layers(run, items, judged, texts),
    }


def _text_of_items(run: Run, items: Items, documents: bool) -> Ints:
    """The sentence, or in coreference the document, of each item."""
    if not documents or not len(items.sentence):
        return items.sentence
    starts = run.gold.document_starts
    assert starts is not None
    return np.searchsorted(starts, items.sentence, side="right") - 1


def _chosen(items: Items, of_item: Ints, skipped: Bools, how: str, seed: int) -> Ints:
    """Which texts are shown: all, those with a difference or an error, or a sample of these."""
    everything = np.flatnonzero(~skipped)
    if how == "all" or (how == "auto" and len(everything) <= MOST_TEXTS):
        return everything
    telling = np.zeros(len(skipped), dtype=bool)
    wrong = ~np.all(items.right, axis=0)
    telling[of_item[wrong]] = True
    worth = np.flatnonzero(telling & ~skipped)
    if how == "diff" or len(worth) <= MOST_TEXTS:
        return worth
    return np.sort(np.random.default_rng(seed).choice(worth, MOST_TEXTS, replace=False))


# --- words ---


@dataclass(frozen=True, eq=False)
class _Texts:
    """The texts that are shown."""

    run: Run
    chosen: Ints
    place: Ints
    """The number of each text of gold among those shown, NONE for the others."""
    documents: bool

    @property
    def sentences(self) -> Ints:
        """The sentences of gold that are shown."""
        starts = self.run.gold.document_starts
        if not self.documents or starts is None:
            return self.chosen
        return np.concatenate(
            [np.arange(starts[text], starts[text + 1]) for text in self.chosen.tolist()] or [self.chosen]
        )

    def words(self) -> dict[str, Any]:
        """Words, boundaries and names."""
        gold = self.run.gold
        named = {
            "ids": [gold.document_name(text) if self.documents else gold.sentence_ids[text] for text in self.chosen],
            "places": [gold.place_of_sentence(int(self._first(text))) for text in self.chosen],
        }
        if gold.texts is not None:
            cut = [pieces(gold.texts[sentence]) for sentence in self.chosen.tolist()]
            known: dict[str, int] = {}
            codes = as_codes([word for words in cut for word in words], known)
            return {**named, "lengths": [len(words) for words in cut], **_vocabulary(codes, tuple(known))}
        sentences = self.sentences
        lengths = np.diff(gold.starts)[sentences]
        chosen = _ranges(gold.starts[sentences], lengths)
        words = _vocabulary(gold.forms.codes[chosen], gold.forms.vocabulary)
        if not self.documents:
            return {**named, "lengths": lengths.tolist(), **words}
        starts = gold.document_starts
        assert starts is not None
        of_document = np.diff(starts)[self.chosen]
        ends = np.cumsum(of_document)
        totals = np.add.reduceat(lengths, ends - of_document) if len(ends) else lengths
        return {
            **named,
            "lengths": totals.tolist(),
            "sentences": of_document.tolist(),
            "sentence_lengths": lengths.tolist(),
            **words,
        }

    def _first(self, text: int) -> int:
        starts = self.run.gold.document_starts
        return int(starts[text]) if self.documents and starts is not None else text


def _vocabulary(codes: Ints, vocabulary: Sequence[str]) -> dict[str, Any]:
    """Codes and vocabulary of the words that occur."""
    used, recoded = np.unique(codes, return_inverse=True)
    return {"vocabulary": [vocabulary[code] for code in used.tolist()], "words": recoded.tolist()}


def _ranges(firsts: Ints, lengths: Ints) -> Ints:
    """All numbers of several stretches."""
    ends = np.cumsum(lengths)
    return np.repeat(firsts - (ends - lengths), lengths) + np.arange(int(ends[-1]) if len(ends) else 0)


def _distances(numbers: Array) -> list[int]:
    """Numbers that do not fall, each as its distance from the one before."""
    distances: list[int] = np.diff(numbers, prepend=0).tolist()
    return distances


# --- items ---


def _items(run: Run, items: Items, text: Ints, texts: _Texts, slices: Sequence[tuple[str, Items]]) -> dict[str, Any]:
    begin, end, stretches = _places(run, items, texts)
    shown = np.flatnonzero(text != NONE)
    order = shown[np.lexsort((begin[shown], text[shown]))]
    gold = items.gold[order]
    number = {int(item): place for place, item in enumerate(order)} if stretches else {}
    columns: dict[str, Any] = {
        "text": _distances(text[order]),
        "begin": begin[order].tolist(),
        "length": (end - begin)[order].tolist(),
        "gold": gold.tolist(),
        "owner": _sparse(items.owner[order] != NONE, items.owner[order]),
        "stretches": {str(number[item]): shape for item, shape in stretches.items() if item in number},
    }
    same = alike(items)
    columns["systems"] = [
        {
            "answers": _sparse(answers[order] != gold, answers[order]),
            "wrong": _distances(np.flatnonzero(~right[order])),
            "alike": _sparse(same[system][order] != 0, same[system][order]),
            **({"kind": items.kind[system][order].tolist()} if items.kind else {}),
        }
        for system, (answers, right) in enumerate(zip(items.answers, items.right, strict=True))
    ]
    members = {name: _members(items, part) for name, part in slices}
    columns["slices"] = {
        name: _distances(np.flatnonzero(mask[order])) for name, mask in members.items() if mask is not None
    }
    return columns


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


def _sparse(mask: Bools, values: Array) -> dict[str, list[int]]:
    """Where something is unusual, and what it is there."""
    return {"at": _distances(np.flatnonzero(mask)), "values": values[mask].tolist()}


def _places(run: Run, items: Items, texts: _Texts) -> tuple[Ints, Ints, dict[int, Any]]:
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


def _layers(run: Run, items: Items, judged: Sequence[tuple[str, Judgements]], texts: _Texts) -> list[dict[str, Any]]:
    """Gold's layer and the systems', where items alone do not draw them."""
    if run.task == "coreference":
        return _chain_layers(run, texts)
    if items.kinds:
        return _span_layers(run, judged, texts)
    if run.gold.heads is not None and all(rows.heads is not None for _, rows in judged):
        return _arc_layers(run, judged, texts)
    return []


def _arc_layers(run: Run, judged: Sequence[tuple[str, Judgements]], texts: _Texts) -> list[dict[str, Any]]:
    """Heads and relations word by word; a head is a place in the sentence, below 0: root, elsewhere, missing."""
    gold = run.gold
    assert gold.heads is not None
    lengths = np.diff(gold.starts)[texts.chosen]
    words = _ranges(gold.starts[texts.chosen], lengths)
    first, beyond = (np.repeat(gold.starts[texts.chosen + end], lengths) for end in (0, 1))
    known: dict[str, int] = {}
    ours = judged[0][1]
    rows = np.flatnonzero(ours.gold != NONE)
    relations = np.full(len(gold), NONE)
    relations[ours.item[rows]] = _recoded(ours.labels, known)[ours.gold[rows]]
    local = _local(gold.heads[words], first, beyond)
    layers = [{"side": "gold", "heads": local.tolist(), "relations": relations[words].tolist()}]
    for name, judgements in judged:
        assert judgements.heads is not None
        rows = np.flatnonzero(judgements.gold != NONE)
        heads = np.full(len(gold), MISSING)
        labels = np.full(len(gold), NONE)
        heads[judgements.item[rows]] = judgements.heads[rows]
        labels[judgements.item[rows]] = _recoded(judgements.labels, known)[judgements.system[rows]]
        mine = _local(heads[words], first, beyond)
        layers.append(
            {
                "side": name,
                "heads": _sparse(mine != local, mine),
                "relations": _sparse(labels[words] != relations[words], labels[words]),
            }
        )
    layers[0]["labels"] = list(known)
    return layers


def _recoded(labels: Iterable[str], known: dict[str, int]) -> Ints:
    return np.append(as_codes(labels, known), NONE)


def _local(heads: Ints, first: Ints, beyond: Ints) -> Ints:
    """Heads as places in their sentence; where a system cuts sentences otherwise, one may lie in another."""
    inside = (heads >= first) & (heads < beyond)
    return np.where(inside, heads - first, np.where(heads >= 0, ELSEWHERE, heads))


def _span_layers(run: Run, judged: Sequence[tuple[str, Judgements]], texts: _Texts) -> list[dict[str, Any]]:
    """Each side's spans, those of systems with what became of them."""
    pairs = dict(run.pairs)
    known: dict[str, int] = {}
    spans, ours = pairs[judged[0][0]].spanned(), judged[0][1]
    shown = np.arange(len(spans.gold)) if run.task == "spans" else np.unique(ours.item[ours.has_gold])
    layers = [_spans("gold", spans, spans.gold, shown, None, texts, known)]
    for name, judgements in judged:
        matches = judgements.matches
        assert matches is not None
        spans = pairs[name].spanned()
        kinds = np.full(len(spans.system), NONE)
        there = np.flatnonzero(matches.new_system & (matches.partner != NONE))
        kinds[matches.partner[there]] = matches.kind[there]
        shown = np.arange(len(spans.system)) if run.task == "spans" else np.flatnonzero(kinds != NONE)
        layers.append(_spans(name, spans, spans.system, shown, kinds, texts, known))
    layers[0]["labels"] = list(known)
    return layers


def _spans(
    name: str,
    spans: SpanPair,
    side: Side,
    shown: Ints,
    kinds: Ints | None,
    texts: _Texts,
    known: dict[str, int],
) -> dict[str, Any]:
    text = texts.place[side.sentence[shown]]
    chosen = shown[text != NONE]
    text = text[text != NONE]
    begin, end, gaps = _span_places(spans, side, chosen)
    labels = _recoded(spans.labels, known)[side.spans.label[chosen]]
    layer = _listed(name, text, begin, end, labels, gaps)
    if kinds is not None:
        layer["kind"] = kinds[chosen][_order(text, begin, end)].tolist()
    return layer


def _order(text: Ints, begin: Ints, end: Ints) -> Ints:
    """By text and place, outer ones before inner ones."""
    return np.lexsort((-end, begin, text))


def _listed(name: str, text: Ints, begin: Ints, end: Ints, labels: Ints, gaps: dict[int, Any]) -> dict[str, Any]:
    order = _order(text, begin, end)
    number = {int(row): place for place, row in enumerate(order)} if gaps else {}
    return {
        "side": name,
        "text": _distances(text[order]),
        "begin": begin[order].tolist(),
        "length": (end - begin)[order].tolist(),
        "label": labels[order].tolist(),
        "stretches": {str(number[row]): shape for row, shape in gaps.items()},
    }


def _chain_layers(run: Run, texts: _Texts) -> list[dict[str, Any]]:
    """Each side's mentions, labelled with their chains."""
    sides = [("gold", run.pairs[0][1].chained().gold)]
    sides += [(name, pair.chained().system) for name, pair in run.pairs]
    layers = []
    for name, chains in sides:
        text = texts.place[chains.document]
        shown = np.flatnonzero(text != NONE)
        gaps = {
            row: [list(part) for part in atoms_at(mention, chains.begin, chains.end, chains.stretches)]
            for row, mention in enumerate(shown.tolist())
            if mention in chains.stretches
        }
        layer = _listed(name, text[shown], chains.begin[shown], chains.end[shown], chains.chain[shown], gaps)
        layers.append({**layer, "labels": list(chains.names)})
    return layers
