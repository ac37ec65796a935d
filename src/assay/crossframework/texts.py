"""The units of function trees as items: what systems do differently, and what a page draws of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import NONE, Array, Bools, Ints, as_codes
from assay.changes import Items, alike
from assay.crossframework.inputs import Files
from assay.functiontrees import FunctionTrees, Overlay, Units, overlay
from assay.texts import MOST_TEXTS

KINDS = ("right", "spurious", "missing", "forgiven", "unasked")
UNLABELLED = "·"
"""What stands for the label of a node without one."""
_RIGHT, _SPURIOUS, _MISSING, _FORGIVEN, _UNASKED = range(len(KINDS))


@dataclass(frozen=True, eq=False)
class SystemSide:
    """A system with its function trees, and which of the golds is its own."""

    name: str
    title: str
    """Its name and its theory."""
    trees: FunctionTrees
    gold: int
    labelled: bool


@dataclass(frozen=True, eq=False)
class Sides:
    """All that is compared: what the golds agree on, every gold, every system."""

    common: FunctionTrees
    golds: Sequence[tuple[str, FunctionTrees]]
    systems: Sequence[SystemSide]
    empty_counts: bool
    """Whether a node without label is a unit."""

    @property
    def labelled(self) -> bool:
        """Whether labels count: where all systems have some."""
        return all(system.labelled for system in self.systems)

    @cached_property
    def laid(self) -> Overlay:
        """All trees in order: what golds agree on, golds, systems."""
        return overlay(self.common, *(trees for _, trees in self.golds), *(system.trees for system in self.systems))

    @cached_property
    def units(self) -> Units:
        """The units of all trees."""
        return self.laid.units(labelled=self.labelled, empty_counts=self.empty_counts)

    def kinds(self, units: Units, number: int) -> Ints:
        """What each unit is to a system, as an index into KINDS, NONE where it is nothing to it."""
        parse, gold, common = units.has[[1 + len(self.golds) + number, 1 + self.systems[number].gold, 0]]
        cases = {
            _RIGHT: parse & common,
            _SPURIOUS: parse & ~gold & ~common,
            _MISSING: ~parse & gold & common,
            _FORGIVEN: parse & gold & ~common,
            _UNASKED: ~parse & gold & ~common,
        }
        return np.select(list(cases.values()), list(cases), NONE)

    @cached_property
    def items(self) -> Items:
        """The units that golds agree on, and those that a system has though neither they nor its own gold have them.

        What a system has wrong among them is what TedEval counts as its error.
        """
        units = self.units
        kinds = np.stack([self.kinds(units, number) for number in range(len(self.systems))])
        rows = np.flatnonzero(units.has[0] | (kinds == _SPURIOUS).any(axis=0))
        common, kinds = units.has[0][rows], kinds[:, rows]
        spurious, missing = kinds == _SPURIOUS, kinds == _MISSING
        known: dict[str, int] = {}
        labels = _labels(self.laid, units.label[rows], known)
        return Items(
            systems=tuple(system.name for system in self.systems),
            labels=tuple(known),
            sentence=units.sentence[rows],
            item=rows,
            owner=np.where(common, NONE, spurious.argmax(axis=0)),
            gold=np.where(common, labels, NONE),
            answers=tuple(np.where(spurious | (common & ~missing), labels, NONE)),
            right=tuple(~spurious & ~missing),
            kinds=KINDS,
            kind=tuple(np.where(spurious | missing | (kinds == _RIGHT), kinds, NONE)),
        )


def embedded(files: Files, sides: Sides, on: str, how: str, seed: int) -> dict[str, Any]:
    """The texts of a comparison with their trees, as data for `Result.texts`."""
    items = sides.items
    total = files.reference.sentences
    wrong = ~np.all(items.right, axis=0)
    chosen = _chosen(np.unique(items.sentence[wrong]), total, how, seed)
    place = np.full(total, NONE)
    place[chosen] = np.arange(len(chosen))
    return {
        "how": "all" if len(chosen) == total else "diff" if how == "diff" else "sample",
        "embedded": len(chosen),
        "total": total,
        "unit": "sentence",
        "on": on,
        "systems": list(items.systems),
        **_words(files, chosen),
        "labels": list(items.labels),
        "kinds": list(items.kinds),
        "items": _items(sides, place),
        "layers": _layers(sides, place),
    }


def _chosen(telling: Ints, total: int, how: str, seed: int) -> Ints:
    """Which sentences are shown: all, the telling ones, which have an error, or a sample of these."""
    if how == "all" or (how == "auto" and total <= MOST_TEXTS):
        return np.arange(total)
    if how == "diff" or len(telling) <= MOST_TEXTS:
        return telling
    return np.sort(np.random.default_rng(seed).choice(telling, MOST_TEXTS, replace=False))


def _words(files: Files, chosen: Ints) -> dict[str, Any]:
    """Words, or where sentences are cut into parts these, with boundaries and names."""
    reference = files.reference
    listed = [
        files.parts.get(sentence)
        or reference.forms.strings(int(reference.starts[sentence]), int(reference.starts[sentence + 1]))
        for sentence in chosen.tolist()
    ]
    known: dict[str, int] = {}
    codes = as_codes([word for words in listed for word in words], known)
    return {
        "ids": [reference.sentence_ids[sentence] for sentence in chosen.tolist()],
        "places": [reference.place_of_sentence(sentence) for sentence in chosen.tolist()],
        "lengths": [len(words) for words in listed],
        "vocabulary": list(known),
        "words": codes.tolist(),
    }


def _items(sides: Sides, place: Ints) -> dict[str, Any]:
    items = sides.items
    nodes = sides.units.node[items.item]
    text, begin, end = place[items.sentence], sides.laid.nodes.first[nodes], sides.laid.nodes.last[nodes] + 1
    shown = np.flatnonzero(text != NONE)
    order = shown[np.lexsort((-end[shown], begin[shown], text[shown]))]
    gold, owner = items.gold[order], items.owner[order]
    columns = zip(items.answers, items.right, alike(items), items.kind, strict=True)
    return {
        "text": _distances(text[order]),
        "begin": begin[order].tolist(),
        "length": (end - begin)[order].tolist(),
        "gold": gold.tolist(),
        "owner": _sparse(owner != NONE, owner),
        "stretches": {str(row): shape for row, shape in _gaps(sides.laid, nodes[order]).items()},
        "systems": [
            {
                "answers": _sparse(answers[order] != gold, answers[order]),
                "wrong": _distances(np.flatnonzero(~right[order])),
                "alike": _sparse(same[order] != 0, same[order]),
                "kind": kind[order].tolist(),
            }
            for answers, right, same, kind in columns
        ],
    }


def _layers(sides: Sides, place: Ints) -> list[dict[str, Any]]:
    """What golds agree on, every system with what becomes of its units, and every gold."""
    known: dict[str, int] = {}
    laid = sides.laid
    whole = laid.units(labelled=True, empty_counts=True)
    layers = [_layer("generalised", laid, whole, whole.has[0], None, place, known)]
    for number, system in enumerate(sides.systems):
        units = laid.units(labelled=system.labelled, empty_counts=sides.empty_counts)
        kinds = sides.kinds(units, number)
        layers.append(_layer(system.title, laid, units, kinds != NONE, kinds, place, known))
    for number, (name, _) in enumerate(sides.golds):
        layers.append(_layer(name, laid, whole, whole.has[1 + number], None, place, known))
    layers[0]["labels"] = list(known)
    return layers


def _layer(
    name: str, laid: Overlay, units: Units, there: Bools, kinds: Ints | None, place: Ints, known: dict[str, int]
) -> dict[str, Any]:
    rows = np.flatnonzero(there & (place[units.sentence] != NONE))
    nodes = units.node[rows]
    text, begin, end = place[units.sentence[rows]], laid.nodes.first[nodes], laid.nodes.last[nodes] + 1
    order = np.lexsort((-end, begin, text))
    return {
        "side": name,
        "text": _distances(text[order]),
        "begin": begin[order].tolist(),
        "length": (end - begin)[order].tolist(),
        "label": _labels(laid, units.label[rows], known)[order].tolist(),
        "stretches": {str(row): shape for row, shape in _gaps(laid, nodes[order]).items()},
        **({} if kinds is None else {"kind": kinds[rows][order].tolist()}),
    }


def _labels(laid: Overlay, labels: Ints, known: dict[str, int]) -> Ints:
    """Codes of labels among those known, of nodes without one too."""
    return as_codes((*laid.labels, UNLABELLED), known)[labels]


def _gaps(laid: Overlay, nodes: Ints) -> dict[int, Any]:
    """The stretches of the nodes that have gaps."""
    gapped = np.flatnonzero(laid.nodes.gapped[nodes]).tolist()
    return {row: [list(part) for part in laid.words_of(int(nodes[row]))] for row in gapped}


def _distances(numbers: Array) -> list[int]:
    """Numbers that do not fall, each as its distance from the one before."""
    steps: list[int] = np.diff(numbers, prepend=0).tolist()
    return steps


def _sparse(mask: Bools, values: Array) -> dict[str, list[int]]:
    """Where something is unusual, and what it is there."""
    return {"at": _distances(np.flatnonzero(mask)), "values": values[mask].tolist()}
