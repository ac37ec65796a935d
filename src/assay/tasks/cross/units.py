"""The units of function trees as items: what systems do differently."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.arrays import NONE, Ints, as_codes
from assay.engine.items import Items
from assay.tasks.cross.comparison import Comparison
from assay.tasks.cross.functiontrees import Overlay, Units, overlay

KINDS = ("right", "spurious", "missing", "forgiven", "unasked")
UNLABELLED = "·"
"""What stands for the label of a node without one."""
_RIGHT, _SPURIOUS, _MISSING, _FORGIVEN, _UNASKED = range(len(KINDS))


@dataclass(frozen=True, eq=False)
class Sides:
    """All trees laid over each other, each system in its first version."""

    compared: Comparison

    @property
    def labelled(self) -> bool:
        """Whether labels count: where all systems have some."""
        return all(system.first.labelled for system in self.compared.systems)

    @cached_property
    def laid(self) -> Overlay:
        """All trees in order: what golds agree on, golds, systems."""
        golds = (theory.trees for theory in self.compared.theories.values())
        return overlay(self.compared.common, *golds, *(system.first.trees for system in self.compared.systems))

    @cached_property
    def units(self) -> Units:
        """The units of all trees."""
        return self.laid.units(labelled=self.labelled, empty_counts=self.compared.how.empty_counts)

    def kinds(self, units: Units, number: int) -> Ints:
        """What each unit is to a system, as an index into KINDS, NONE where it is nothing to it."""
        theories = list(self.compared.theories)
        own = theories.index(self.compared.systems[number].first.theory.name)
        parse, gold, common = units.has[[1 + len(theories) + number, 1 + own, 0]]
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
        units, systems = self.units, self.compared.systems
        kinds = np.stack([self.kinds(units, number) for number in range(len(systems))])
        rows = np.flatnonzero(units.has[0] | (kinds == _SPURIOUS).any(axis=0))
        common, kinds = units.has[0][rows], kinds[:, rows]
        spurious, missing = kinds == _SPURIOUS, kinds == _MISSING
        known: dict[str, int] = {}
        labels = label_codes(self.laid, units.label[rows], known)
        answer = np.where(spurious | (common & ~missing), labels, NONE)
        return Items(
            labels=tuple(known),
            gold=np.where(common, labels, NONE),
            answer=answer,
            right=~spurious & ~missing,
            sentence=units.sentence[rows],
            item=rows,
            has_gold=common,
            has_system=answer != NONE,
            systems=tuple(system.name for system in systems),
            owner=np.where(common, NONE, spurious.argmax(axis=0)),
            kinds=KINDS,
            kind=np.where(spurious | missing | (kinds == _RIGHT), kinds, NONE),
        )


def label_codes(laid: Overlay, labels: Ints, known: dict[str, int]) -> Ints:
    """Codes of labels among those known, of nodes without one too."""
    return as_codes((*laid.labels, UNLABELLED), known)[labels]
