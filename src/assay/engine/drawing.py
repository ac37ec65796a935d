"""Spans found in the text again, for examples and pages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from assay.arrays import NONE, Ints, each_once
from assay.corpus import Marks
from assay.engine.items import Items
from assay.engine.prepare import Run
from assay.engine.spanpairs import SHOWN, SpanPair, spans_of, surface_forms
from assay.engine.task import Drawing, Layers, Places, Tables, word_places
from assay.engine.texts import Rows, Shown, span_rows
from assay.formats.answers import SAID
from assay.result import ExampleSpan

SPAN_MEANINGS = {
    "le": "LE: wrong label",
    "bes": "BEs: too short",
    "bel": "BEl: too long",
    "beo": "BEo: boundaries overlap",
    "lbe": "LBE: label and boundaries wrong",
    "ge": "GE: gold itself is wrong",
    "fp": "FP: gold does not have it",
    "fn": "FN: not found",
    "ungrounded": "UG: not in the text",
}
"""What may become of spans."""


def span_drawing(*, all_count: bool, trees: bool = False) -> Drawing:
    """The drawing of spans; `all_count`: not only those that a measure counts, `trees`: as trees."""
    kind = "trees" if trees else "spans"
    example = partial(_example, all_count, trees)
    layers = partial(_layers, all_count)
    return Drawing(kind, places=_places, layers=layers, example=example, meanings=SPAN_MEANINGS)


def _example(all_count: bool, trees: bool, run: Run, items: Items, tables: Tables, sentence: int) -> dict[str, Any]:
    if not items.kinds:
        return {}
    return {
        "spans": tuple(_example_spans(all_count, run, tables, sentence)),
        "sides": ("gold", *(name for name, _ in tables)),
        "tree": trees,
    }


def _example_spans(all_count: bool, run: Run, tables: Tables, sentence: int) -> Iterator[ExampleSpan]:
    """Gold's spans and the systems' in a sentence, the latter with what became of them."""
    pairs = dict(run.pairs)
    spans, ours = spans_of(pairs[tables[0][0]]), tables[0][1]
    counted = set() if all_count else set(ours.item[ours.has_gold & (ours.sentence == sentence)].tolist())
    for item in np.flatnonzero(spans.gold.unit == sentence).tolist():
        if not (all_count or item in counted):
            continue
        yield ExampleSpan("gold", spans.label(spans.gold, item), spans.gold_words(spans.gold, item), "")
    for name, one in tables:
        spans = spans_of(pairs[name])
        kinds_of = _kinds(one, spans)
        kinds = {item: int(kinds_of[item]) for item in np.flatnonzero(kinds_of != NONE).tolist()}
        for item in np.flatnonzero(spans.system.unit == sentence).tolist():
            if not (all_count or item in kinds):
                continue
            kind = one.kinds[kinds.get(item, 0)]
            label = spans.label(spans.system, item)
            if spans.system.begin[item] == NONE:
                word = int(spans.system.arguments[SHOWN][item])
                yield ExampleSpan(name, label, ((word, word + 1),), kind)
                continue
            said = spans.system.columns.get(SAID)
            text = "" if said is None else said[item]
            plain = text and text == surface_forms(spans.corpora[1], spans.system.number[[item]])[0]
            words = spans.gold_words(spans.system, item)
            yield ExampleSpan(name, label, words, kind, said="" if plain else text)


def _kinds(one: Items, spans: SpanPair) -> Ints:
    """The kind of outcome of each of a system's spans, NONE where it is not counted."""
    assert one.partner is not None
    kinds = np.full(len(spans.system), NONE)
    there = one.has_system[0] & (one.partner[0] != NONE)
    kinds[one.partner[0, there]] = one.kind[0, there]
    return kinds


def _places(run: Run, items: Items) -> Places:
    """The words that spans cover; some measures of trees judge words."""
    if not items.kinds:
        return word_places(run, items)
    begin, end = np.zeros(len(items.gold), dtype=np.int64), np.zeros(len(items.gold), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for owner in range(-1, len(run.pairs)):
        rows = np.flatnonzero(items.owner == owner)
        if len(rows):
            spans = spans_of(run.pairs[max(owner, 0)][1])
            side = spans.gold if owner == NONE else spans.system
            begin[rows], end[rows], gaps = span_places(spans, side, items.item[rows])
            stretches.update((int(rows[row]), shape) for row, shape in gaps.items())
    return begin, end, stretches


def span_places(spans: SpanPair, side: Marks, chosen: Ints) -> tuple[Ints, Ints, dict[int, Any]]:
    """The words of gold that spans cover; what has no place is a word after those of its sentence."""
    gold = spans.corpora[0]
    placed = side.begin[chosen] != NONE
    if not placed.all():
        begin = side.arguments[SHOWN][chosen]
        end = begin + 1
        begin[placed], end[placed], gaps = span_places(spans, side, chosen[placed])
        rows = np.flatnonzero(placed)
        return begin, end, {int(rows[row]): shape for row, shape in gaps.items()}
    if spans.atoms == "words" and gold.texts is None and np.array_equal(spans.line.begin, np.arange(len(gold))):
        start = gold.starts[side.unit[chosen]]
        begin, end = side.begin[chosen] - start, side.end[chosen] - start
        gapped = [(row, item) for row, item in enumerate(chosen.tolist()) if item in side.stretches]
        shapes = {
            row: [[a - int(start[row]), b - int(start[row])] for a, b in side.stretches[item]]
            for row, item in gapped
        }
        return begin, end, shapes
    found = [spans.gold_words(side, item) for item in chosen.tolist()]
    begin = np.array([shape[0][0] for shape in found], dtype=np.int64)
    end = np.array([shape[-1][1] for shape in found], dtype=np.int64)
    return begin, end, {row: [list(part) for part in shape] for row, shape in enumerate(found) if len(shape) > 1}


def _spans(spans: SpanPair, side: Marks, drawn: Ints, kinds: Ints | None, shown: Shown) -> Rows:
    text = shown.place[side.unit[drawn]]
    chosen = drawn[text != NONE]
    begin, end, gaps = span_places(spans, side, chosen)
    labels = side.label[chosen]
    of_system = None if kinds is None else kinds[chosen]
    return span_rows(text[text != NONE], begin, end, labels, tuple(spans.labels), gaps, of_system)


def _layers(all_count: bool, run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    if not items.kinds:
        return Layers()
    pairs = dict(run.pairs)
    spans, ours = spans_of(pairs[tables[0][0]]), tables[0][1]
    drawn = np.arange(len(spans.gold)) if all_count else each_once(ours.item[ours.has_gold])
    rows = [_spans(spans, spans.gold, drawn, None, shown)]
    for name, one in tables:
        spans = spans_of(pairs[name])
        kinds = _kinds(one, spans)
        drawn = np.arange(len(spans.system)) if all_count else np.flatnonzero(kinds != NONE)
        rows.append(_spans(spans, spans.system, drawn, kinds, shown))
    return Layers(("gold", *(name for name, _ in tables)), spans=tuple(rows))
