"""Mentions and chains found in the text again, for examples and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.arrays import NONE, atoms_at
from assay.corpus import Chains
from assay.engine.examples import MOST_UNRESOLVED, Drawn, chosen, label_name
from assay.engine.items import KINDS, UNRESOLVED, Items
from assay.engine.options import Options
from assay.engine.prepare import Run
from assay.engine.task import Drawing, Layers, Places, Tables, Wanted
from assay.engine.texts import Rows, Shown, span_rows
from assay.errors import UsageError
from assay.formats.emptynodes import shown_short
from assay.result import Example, ExampleItem, ExampleSpan, Unresolved
from assay.tasks.coreference.mentions import chains_of

BEFORE = 2
"""Sentences shown before that of a mention."""


def _mentions(run: Run, items: Items, asked: Wanted, options: Options) -> Iterator[Drawn]:
    """Mentions drawn at random, each in its sentence and the ones before it, with the chains of all sides."""
    (a, b), wanted, kinds = asked
    systems, group = ([a] if b is None else [a, b]), f"{a}-{b}"
    names = _mention_names(run, items)
    for index, lot in chosen(np.flatnonzero(wanted), names, group, options.seed, options.examples):
        shown = _mention(run, items, index, (a, b), "error" if b is None else KINDS[kinds[index]], systems)
        yield Drawn(group, lot, shown)


def _mention_names(run: Run, items: Items) -> list[str]:
    """A name for each mention, which is the same in whatever company files are read."""
    documents = list(run.gold.unit_names("document"))
    names = []
    for item, owner in zip(items.item.tolist(), items.owner.tolist(), strict=True):
        places = chains_of(run.pairs[max(owner, 0)][1]).places
        names.append(f"{documents[int(places.document[item])]}/{places.shape(item)}")
    return names


def _mention(
    run: Run, items: Items, index: int, pair: tuple[int, int | None], kind: str, systems: Sequence[int]
) -> Example:
    gold = run.gold
    assert gold.document_starts is not None
    chains = chains_of(run.pairs[max(int(items.owner[index]), 0)][1])
    place = int(items.item[index])
    document, shape = int(chains.places.document[place]), chains.places.shape(place)
    begin = int(chains.first_word[document])
    word, stop = begin + shape[0][0], begin + shape[-1][1]
    first_sentence = max(int(gold.sentence_of[word]) - BEFORE, int(gold.document_starts[document]))
    first, end = int(gold.starts[first_sentence]), int(gold.starts[int(gold.sentence_of[stop - 1]) + 1])
    window = (document, first - begin, end - begin)
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
    sides = [("gold", chains_of(run.pairs[0][1]).gold)]
    sides += [(items.systems[number], chains_of(run.pairs[number][1]).system) for number in systems]
    return Example(
        sentence=gold.document_name(document),
        place=gold.place(word),
        words=tuple(gold.forms.strings(first, end)),
        a=items.systems[a],
        b=None if b is None else items.systems[b],
        items=(item,),
        spans=tuple(span for name, side in sides for span in _chain_spans(name, side, window)),
        sides=tuple(name for name, _ in sides),
        marked=tuple((begin + one - first, begin + other - first) for one, other in shape),
    )


def unresolved_examples(run: Run, items: Items, options: Options) -> Iterator[Drawn]:
    """Mentions that no system resolves, drawn at random, with the chains of all systems."""
    if options.change is not None:
        raise UsageError(f"--change chooses among changes, and what is {UNRESOLVED} is none.")
    nobody = np.flatnonzero((items.owner == NONE) & ~np.any(items.right, axis=0))
    everyone = list(range(len(items.systems)))
    names = _mention_names(run, items)
    for index, lot in chosen(nobody, names, UNRESOLVED, options.seed, options.examples):
        shown = _mention(run, items, index, (0, None), UNRESOLVED, everyone)
        yield Drawn(UNRESOLVED, lot, replace(shown, a=", ".join(items.systems)))


def unresolved(run: Run, items: Items, on: str) -> Iterator[Drawn]:
    """The mentions of gold that no system resolves, with their texts, in text order; of very many, some."""
    gold, chains = run.gold, chains_of(run.pairs[0][1])
    nobody = np.flatnonzero((items.owner == NONE) & ~np.any(items.right, axis=0))
    for index, lot in chosen(nobody, _mention_names(run, items), on, 0, MOST_UNRESOLVED):
        place = int(items.item[index])
        document = int(chains.places.document[place])
        first = int(chains.first_word[document])
        shape = chains.places.shape(place)
        # In tables a zero is its sign alone.
        forms = [[shown_short(form) for form in gold.forms.strings(first + a, first + b)] for a, b in shape]
        words = [" ".join(part) for part in forms]
        shown = Unresolved(
            on=on,
            document=gold.document_name(document),
            place=gold.place(first + shape[0][0]),
            label=items.labels[int(items.gold[index])],
            text=" … ".join(words),
            outcomes={
                name: items.kinds[int(kind[index])] for name, kind in zip(items.systems, items.kind, strict=True)
            },
        )
        yield Drawn(on, lot, shown)


def _chain_spans(side: str, chains: Chains, window: tuple[int, int, int]) -> Iterator[ExampleSpan]:
    """The mentions of one side that lie in a stretch of a document, each under the name of its chain."""
    document, first, end = window
    inside = (chains.document == document) & (chains.begin >= first) & (chains.end <= end)
    for mention in np.flatnonzero(inside).tolist():
        shape = atoms_at(mention, chains.begin, chains.end, chains.stretches)
        words = tuple((begin - first, stop - first) for begin, stop in shape)
        yield ExampleSpan(side, chains.names[int(chains.chain[mention])], words, "")


def _mention_places(run: Run, items: Items) -> Places:
    """The words of mentions in their documents."""
    begin, end = np.zeros(len(items.gold), dtype=np.int64), np.zeros(len(items.gold), dtype=np.int64)
    stretches: dict[int, Any] = {}
    for row, (item, owner) in enumerate(zip(items.item.tolist(), items.owner.tolist(), strict=True)):
        shape = chains_of(run.pairs[max(owner, 0)][1]).places.shape(item)
        begin[row], end[row] = shape[0][0], shape[-1][1]
        if len(shape) > 1:
            stretches[row] = [list(part) for part in shape]
    return begin, end, stretches


def _chain_layers(run: Run, shown: Shown) -> Iterator[Rows]:
    """Each side's mentions, labelled with their chains."""
    for chains in (chains_of(run.pairs[0][1]).gold, *(chains_of(pair).system for _, pair in run.pairs)):
        text = shown.place[chains.document]
        rows = np.flatnonzero(text != NONE)
        gaps = {
            row: [list(part) for part in atoms_at(mention, chains.begin, chains.end, chains.stretches)]
            for row, mention in enumerate(rows.tolist())
            if mention in chains.stretches
        }
        yield span_rows(text[rows], chains.begin[rows], chains.end[rows], chains.chain[rows], chains.names, gaps)


def _layers(run: Run, items: Items, tables: Tables, shown: Shown) -> Layers:
    return Layers(("gold", *(name for name, _ in tables)), spans=tuple(_chain_layers(run, shown)))


_MEANINGS = {"wl": "WL: wrong link", "fp": "FP: gold does not have it", "fn": "FN: not found"}
CHAINS = Drawing(
    "chains", places=_mention_places, layers=_layers, examples=_mentions, unit="document", meanings=_MEANINGS
)
