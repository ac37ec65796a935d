"""Mentions and chains in the text, for examples and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, Stretches
from assay.corpus import Marks
from assay.engine.drawing import Sides, draw_marks
from assay.engine.examples import MOST_UNRESOLVED, DrawnExample, draw_numbers, label_name
from assay.engine.items import KINDS, UNRESOLVED, Items
from assay.engine.options import Options
from assay.engine.prepare import Run
from assay.engine.task import Tables, Wanted
from assay.errors import UsageError
from assay.formats.emptynodes import shorten_node
from assay.result import Example, ExampleItem, ExampleSpan, Unresolved
from assay.tasks.coreference.mentions import spans_of_mentions

BEFORE = 2
"""Number of sentences shown before the sentence of a mention."""


def _mentions(run: Run, items: Items, asked: Wanted, options: Options) -> Iterator[DrawnExample]:
    """Mentions drawn at random, each in its sentence and the ones before it, with the chains of all sides."""
    (a, b), wanted, kinds = asked
    systems, group = ([a] if b is None else [a, b]), f"{a}-{b}"
    names = _mention_names(run, items)
    for index, lot in draw_numbers(np.flatnonzero(wanted), names, group, options.seed, options.examples):
        shown = _mention(run, items, index, (a, b), "error" if b is None else KINDS[kinds[index]], systems)
        yield DrawnExample(group, lot, shown)


def _spans(run: Run, items: Items) -> Iterator[tuple[int, Stretches]]:
    """Document of each item, and the stretches of its words there."""
    for item, owner in zip(items.item.tolist(), items.owner.tolist(), strict=True):
        spans = spans_of_mentions(run.pairs[max(owner, 0)][1])
        yield int(spans.unit[item]), spans.atoms_of(item)


def _mention_names(run: Run, items: Items) -> list[str]:
    """Name of each mention, which does not depend on the other files."""
    documents = list(run.gold.unit_names("document"))
    return [f"{documents[document]}/{shape}" for document, shape in _spans(run, items)]


def _mention(
    run: Run, items: Items, index: int, pair: tuple[int, int | None], kind: str, systems: Sequence[int]
) -> Example:
    gold = run.gold
    assert gold.document_starts is not None
    ((document, shape),) = _spans(run, items.where(np.array([index])))
    begin = int(gold.first_words[document])
    word, stop = begin + shape[0][0], begin + shape[-1][1]
    first_sentence = max(int(gold.sentence_of[word]) - BEFORE, int(gold.document_starts[document]))
    first, end = int(gold.starts[first_sentence]), int(gold.starts[int(gold.sentence_of[stop - 1]) + 1])
    a, b = pair
    item = ExampleItem(
        position=word - first,
        gold=label_name(items, items.gold[index]),
        answers={
            name: label_name(items, answers[index]) for name, answers in zip(items.systems, items.answer, strict=True)
        },
        kind=kind,
        end=stop - first,
    )
    sides = [("gold", run.pairs[0][1].gold)]
    sides += [(items.systems[number], run.pairs[number][1].system) for number in systems]
    spans = []
    for name, corpus in sides:
        # The mentions of a side in this stretch, each under the name of its chain.
        mentions = corpus.marks["mentions"]
        inside = (mentions.unit == document) & (mentions.begin >= first - begin) & (mentions.end <= end - begin)
        for mention in np.flatnonzero(inside).tolist():
            words = tuple((begin + low - first, begin + high - first) for low, high in mentions.atoms_of(mention))
            spans.append(ExampleSpan(name, mentions.columns["chain"][mention], words, ""))
    return Example(
        sentence=gold.document_name(document),
        place=gold.place(word),
        words=tuple(gold.forms.strings(first, end)),
        a=items.systems[a],
        b=None if b is None else items.systems[b],
        items=(item,),
        spans=tuple(spans),
        sides=tuple(name for name, _ in sides),
        marked=tuple((begin + low - first, begin + high - first) for low, high in shape),
    )


def _unresolved_examples(run: Run, items: Items, options: Options) -> Iterator[DrawnExample]:
    """Mentions that no system resolves, drawn at random, with the chains of all systems."""
    if options.change is not None:
        raise UsageError(f"--change selects changes, but --kind {UNRESOLVED} has none. Remove one of them.")
    nobody = np.flatnonzero((items.owner == NONE) & ~np.any(items.right, axis=0))
    everyone = list(range(len(items.systems)))
    for index, lot in draw_numbers(nobody, _mention_names(run, items), UNRESOLVED, options.seed, options.examples):
        shown = _mention(run, items, index, (0, None), UNRESOLVED, everyone)
        yield DrawnExample(UNRESOLVED, lot, replace(shown, a=", ".join(items.systems)))


def _unresolved(run: Run, items: Items, on: str) -> Iterator[DrawnExample]:
    """Gold mentions that no system resolves, with their texts, in text order; a sample if there are very many."""
    gold, spans = run.gold, spans_of_mentions(run.pairs[0][1])
    nobody = np.flatnonzero((items.owner == NONE) & ~np.any(items.right, axis=0))
    for index, lot in draw_numbers(nobody, _mention_names(run, items), on, 0, MOST_UNRESOLVED):
        item = int(items.item[index])
        document, shape = int(spans.unit[item]), spans.atoms_of(item)
        first = int(gold.first_words[document])
        # In tables a zero is its sign alone.
        parts = [[shorten_node(form) for form in gold.forms.strings(first + a, first + b)] for a, b in shape]
        shown = Unresolved(
            on=on,
            document=gold.document_name(document),
            place=gold.place(first + shape[0][0]),
            label=items.labels[int(items.gold[index])],
            text=" … ".join(map(" ".join, parts)),
            outcomes={
                name: items.kinds[int(kind[index])] for name, kind in zip(items.systems, items.kind, strict=True)
            },
        )
        yield DrawnExample(on, lot, shown)


def _place(pair: Pair, side: int, unit: Ints, numbers: Ints, judged: Ints) -> Marks:
    return spans_of_mentions(pair).where(numbers)


def _sides(run: Run, tables: Tables, wanted: Bools) -> Sides:
    """Mentions of gold and of the systems, labelled with their chains."""
    sides = [run.pairs[0][1].gold.marks["mentions"], *(pair.system.marks["mentions"] for _, pair in run.pairs)]
    drawn = (mentions.where(wanted[mentions.unit]) for mentions in sides)
    # A mention has its head besides, which is not drawn.
    return Sides(tables, tuple(replace(marks, labels=marks.columns["chain"], arguments={}) for marks in drawn))


_MEANINGS = {"wl": "WL: wrong link", "fp": "FP: gold does not have it", "fn": "FN: not found"}
CHAINS = draw_marks(
    "chains",
    _place,
    _sides,
    examples=_mentions,
    unit="document",
    meanings=_MEANINGS,
    unresolved=_unresolved,
    unresolved_examples=_unresolved_examples,
)
