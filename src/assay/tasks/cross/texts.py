"""What a page draws of a comparison across frameworks: sentences, units and trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.arrays import NONE, Bools, Ints
from assay.engine.texts import Rows, Texts, by_place, choose, item_rows, span_rows, word_rows
from assay.tasks.cross.functiontrees import Overlay, Units
from assay.tasks.cross.units import Sides, label_codes


def embedded(sides: Sides, on: str, how: str, seed: int) -> dict[str, Any]:
    """The texts of a comparison with their trees, as data for `Result.texts`."""
    files, items = sides.compared.files, sides.items
    reference = files.reference
    nothing = np.zeros(reference.sentences, dtype=bool)
    shown = choose(items, items.sentence, nothing, how, seed, list(reference.unit_names("sentence")))
    chosen = shown.chosen.tolist()
    layers = _layers(sides, shown.place)
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
        # Where sentences are cut into parts, these.
        words=word_rows([files.words(sentence) for sentence in chosen]),
        sentences=None,
        items=_items(sides, shown.place),
        slices={},
        sides=tuple(name for name, _ in layers),
        spans=tuple(rows for _, rows in layers),
    )
    return texts.coded()


def _items(sides: Sides, place: Ints) -> Rows:
    items = sides.items
    nodes = sides.units.node[items.item]
    text, begin, end = place[items.sentence], sides.laid.nodes.first[nodes], sides.laid.nodes.last[nodes] + 1
    order = by_place(text, begin, end)
    order = order[text[order] != NONE]
    return item_rows(items, order, text, begin, end, _gaps(sides.laid, nodes))


def _layers(sides: Sides, place: Ints) -> list[tuple[str, Rows]]:
    """What golds agree on, every system with what becomes of its units, and every gold."""
    laid, compared = sides.laid, sides.compared
    whole = laid.units(labelled=True, empty_counts=True)
    layers = [("generalised", _layer(laid, whole, whole.has[0], None, place))]
    for number, system in enumerate(compared.systems):
        units = laid.units(labelled=system.first.labelled, empty_counts=compared.how.empty_counts)
        kinds = sides.kinds(units, number)
        layers.append((system.first.title, _layer(laid, units, kinds != NONE, kinds, place)))
    for theory, there in zip(compared.theories.values(), whole.has[1:], strict=False):
        layers.append((theory.title, _layer(laid, whole, there, None, place)))
    return layers


def _layer(laid: Overlay, units: Units, there: Bools, kinds: Ints | None, place: Ints) -> Rows:
    rows = np.flatnonzero(there & (place[units.sentence] != NONE))
    nodes = units.node[rows]
    text, begin, end = place[units.sentence[rows]], laid.nodes.first[nodes], laid.nodes.last[nodes] + 1
    known: dict[str, int] = {}
    labels = label_codes(laid, units.label[rows], known)
    of_system = None if kinds is None else kinds[rows]
    return span_rows(text, begin, end, labels, tuple(known), _gaps(laid, nodes), of_system)


def _gaps(laid: Overlay, nodes: Ints) -> dict[int, Any]:
    """The stretches of the nodes that have gaps."""
    gapped = np.flatnonzero(laid.nodes.gapped[nodes]).tolist()
    return {row: [list(part) for part in laid.words_of(int(nodes[row]))] for row in gapped}
