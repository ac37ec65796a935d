"""The units of function trees as items, examples of their differences, and the data that a page draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints, as_codes
from assay.classes import dataclass
from assay.corpus import Column, Marks
from assay.engine.items import Items
from assay.engine.texts import Rows, Texts, choose_texts, item_rows, order_by_place, span_rows, word_rows
from assay.result import Example, ExampleSpan
from assay.tasks.cross.functiontrees import Overlay, TreeUnits
from assay.tasks.cross.measures import KINDS, MISSING, RIGHT, SPURIOUS, unit_kinds
from assay.tasks.cross.treebanks import Treebanks

UNLABELLED = "·"
"""The label of a node without one."""


@dataclass(frozen=True, eq=False)
class TreebankOverlay:
    """The trees of all golds and systems together, each system in its first version."""

    compared: Treebanks

    @property
    def empty_counts(self) -> bool:
        """True if a node without a label is a unit."""
        return self.compared.options.sizes != "paper"

    @property
    def labelled(self) -> bool:
        """True if labels count, because all systems have some."""
        return all(map(self.compared.is_labelled, self.compared.first.values()))

    @cached_property
    def trees(self) -> Overlay:
        """Overlay of the trees that golds agree on, of golds, and of systems, in this order."""
        banks = (*self.compared.golds.values(), *self.compared.first.values())
        both = self.compared.overlay(*(bank.title for bank in banks))
        return Overlay(both.union, np.roll(both.has_node, 1, axis=0), np.roll(both.has_label, 1, axis=0))

    @cached_property
    def units(self) -> TreeUnits:
        """The units of all trees."""
        return self.trees.units(labelled=self.labelled, empty_counts=self.empty_counts)

    def kinds(self, units: TreeUnits, number: int) -> Ints:
        """Outcome of each unit in a system as an index into KINDS; NONE if it does not concern the system."""
        theories = list(self.compared.golds)
        gold = theories.index(list(self.compared.first.values())[number].theory)
        return unit_kinds(*units.has[[1 + len(theories) + number, 1 + gold, 0]])

    def layers(self) -> Iterator[tuple[str, TreeUnits, Bools, Ints | None]]:
        """The common gold, each system and each gold: title, all units, mask of its units, and outcomes."""
        whole = self.trees.units(labelled=True, empty_counts=True)
        yield "generalised", whole, whole.has[0], None
        for number, bank in enumerate(self.compared.first.values()):
            labelled = self.compared.is_labelled(bank)
            units = self.trees.units(labelled=labelled, empty_counts=self.empty_counts)
            kinds = self.kinds(units, number)
            yield bank.title, self._move(units, bank.title), kinds != NONE, kinds
        for theory, mask in zip(self.compared.golds, whole.has[1:], strict=False):
            units = self._move(whole, f"gold {theory}")
            yield f"gold {self.compared.full_name(theory)}", units, mask, None

    def _move(self, units: TreeUnits, title: str) -> TreeUnits:
        """The units at their places in a file."""
        places = self.compared.places.get(title)
        return units if places is None else replace(units, node=places[units.node])

    def label_codes(self, labels: Ints, codes: dict[str, int]) -> Ints:
        """The labels as codes of the table `codes`, which grows; nodes without a label have one too."""
        return as_codes((*self.trees.union.labels, UNLABELLED), codes)[labels]

    @cached_property
    def items(self) -> Items:
        """Units that the golds agree on, and units of systems that neither these nor the system's own gold has.

        A system's wrong items are the edits that TedEval counts.
        """
        units = self.units
        kinds = np.stack([self.kinds(units, number) for number in range(len(self.compared.first))])
        rows = np.flatnonzero(units.has[0] | (kinds == SPURIOUS).any(axis=0))
        common, kinds = units.has[0][rows], kinds[:, rows]
        spurious, missing = kinds == SPURIOUS, kinds == MISSING
        codes: dict[str, int] = {}
        labels = self.label_codes(units.label[rows], codes)
        answer = np.where(spurious | (common & ~missing), labels, NONE)
        return Items(
            labels=tuple(codes),
            gold=np.where(common, labels, NONE),
            answer=answer,
            right=~spurious & ~missing,
            sentence=units.sentence[rows],
            item=rows,
            has_gold=common,
            has_system=answer != NONE,
            systems=tuple(self.compared.first),
            owner=np.where(common, NONE, spurious.argmax(axis=0)),
            kinds=KINDS,
            kind=np.where(spurious | missing | (kinds == RIGHT), kinds, NONE),
        )


def draw_examples(sides: TreebankOverlay, number: int, seed: int) -> Iterator[Example]:
    """At most `number` sentences with errors, drawn at random, with the units of all golds and systems."""
    if not number:
        return
    compared, union = sides.compared, sides.trees.union
    layers = list(sides.layers())
    wrong: Bools = np.zeros(union.sentences, dtype=bool)
    for _, units, _, kinds in layers:
        if kinds is not None:
            wrong[units.sentence[(kinds == SPURIOUS) | (kinds == MISSING)]] = True
    sentences = np.flatnonzero(wrong)
    if len(sentences) > number:
        sentences = np.sort(np.random.default_rng([seed]).choice(sentences, number, replace=False))
    systems, names = len(compared.first), (*union.labels, "")
    for sentence in sentences.tolist():
        spans = []
        for title, units, mask, kinds in (*layers[1 + systems :], *layers[: 1 + systems]):
            rows = np.flatnonzero(mask & (units.sentence == sentence)).tolist()
            named = [(int(units.node[row]), names[units.label[row]], row) for row in rows]
            for node, label, row in sorted(named):
                kind = "gold" if kinds is None else KINDS[kinds[row]]
                spans.append(ExampleSpan(title, label or None, union.nodes.stretches(node), kind))
        yield Example(
            sentence=compared.reference.sentence_ids[sentence],
            place=compared.reference.place_of_sentence(sentence),
            words=compared.words(sentence),
            a=", ".join(compared.first),
            b=None,
            items=(),
            units=tuple(spans),
        )


def embed_texts(sides: TreebankOverlay, on: str, how: str, seed: int) -> dict[str, Any]:
    """The texts of a comparison with their trees, as data for `Result.texts`."""
    compared, items = sides.compared, sides.items
    reference = compared.reference
    no_sentence = np.zeros(reference.sentences, dtype=bool)
    shown = choose_texts(items, items.sentence, no_sentence, how, seed, list(reference.unit_names("sentence")))
    chosen = shown.chosen.tolist()
    layers: dict[str, Rows] = {}
    for title, units, mask, kinds in sides.layers():
        rows = np.flatnonzero(mask & (shown.place[units.sentence] != NONE))
        codes: dict[str, int] = {}
        labels = sides.label_codes(units.label[rows], codes)
        text, begin, end, gaps = _places(sides.trees, shown.place, units.sentence[rows], units.node[rows])
        outcomes = {} if kinds is None else {"kind": kinds[rows]}
        marks = Marks(text, begin, end, Column(labels, tuple(codes)), stretches=gaps, arguments=outcomes)
        layers[title] = span_rows(text, marks)
    text, begin, end, gaps = _places(sides.trees, shown.place, items.sentence, sides.units.node[items.item])
    order = order_by_place(text, begin, end)
    order = order[text[order] != NONE]
    texts = Texts(
        how=how,
        unit="sentence",
        on=on,
        systems=items.systems,
        kinds=items.kinds,
        total=reference.sentences,
        judged=reference.sentences,
        names=shown.names(
            [reference.sentence_ids[sentence] for sentence in chosen],
            [False] * len(chosen),
            [reference.place_of_sentence(sentence) for sentence in chosen],
        ),
        # The parts of words in sentences that are compared by these.
        words=word_rows([compared.words(sentence) for sentence in chosen]),
        sentences=None,
        items=item_rows(items, order, text, begin, end, gaps),
        slices={},
        sides=tuple(layers),
        spans=tuple(layers.values()),
    )
    return texts.coded()


def _places(trees: Overlay, place: Ints, sentence: Ints, node: Ints) -> tuple[Ints, Ints, Ints, dict[int, Any]]:
    """Text, begin and end of nodes, and the stretches of those that have gaps."""
    nodes = trees.union.nodes
    gapped = np.flatnonzero(nodes.gapped[node]).tolist()
    gaps = {row: [list(part) for part in nodes.stretches(int(node[row]))] for row in gapped}
    return place[sentence], nodes.first[node], nodes.last[node] + 1, gaps
