"""Sentences with their units under every gold and every system, drawn at random."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.arrays import Bools, Ints
from assay.result import Example, ExampleSpan
from assay.tasks.cross.comparison import Comparison
from assay.tasks.cross.functiontrees import delta, describe, edits


def drawn_examples(compared: Comparison) -> Iterator[Example]:
    """As many sentences as asked for, of those with an edit that costs something."""
    if not compared.options.examples:
        return
    files, reference = compared.files, compared.reference
    for sentence in _drawn(compared).tolist():
        yield Example(
            sentence=reference.sentence_ids[sentence],
            place=reference.place_of_sentence(sentence),
            words=files.words(sentence),
            a=", ".join(system.name for system in compared.systems),
            b=None,
            items=(),
            units=tuple(_units(compared, sentence)),
        )


def _drawn(compared: Comparison) -> Ints:
    wrong: Bools = np.zeros(compared.reference.sentences, dtype=bool)
    for system in compared.systems:
        first = system.first
        counted = edits(
            first.trees,
            first.theory.trees,
            compared.common,
            labelled=first.labelled,
            empty_counts=compared.how.empty_counts,
        )
        wrong |= delta(counted) > 0
    sentences = np.flatnonzero(wrong)
    if len(sentences) <= compared.options.examples:
        return sentences
    rng = np.random.default_rng([compared.options.seed])
    return np.sort(rng.choice(sentences, compared.options.examples, replace=False))


def _units(compared: Comparison, sentence: int) -> Iterator[ExampleSpan]:
    """The units of every gold, of the generalised gold, and of every system with what becomes of them."""
    golds = {theory.title: theory.trees for theory in compared.theories.values()} | {"generalised": compared.common}
    for side, trees in golds.items():
        for unit in describe(sentence, trees, trees, trees, empty_counts=True):
            yield ExampleSpan(side, unit.label, unit.stretches, "gold")
    for system in compared.systems:
        first = system.first
        described = describe(
            sentence,
            first.trees,
            first.theory.trees,
            compared.common,
            labelled=first.labelled,
            empty_counts=compared.how.empty_counts,
        )
        for unit in described:
            yield ExampleSpan(first.title, unit.label, unit.stretches, unit.kind)
