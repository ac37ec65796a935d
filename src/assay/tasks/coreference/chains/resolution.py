"""ARCS: what becomes of each mention, by whether the response resolves it to one of the key's antecedents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.arrays import NONE, Array, Bools, Ints
from assay.tasks.coreference.chains.tables import Mentions, common, in_order, run_starts

CLASSES = ("tp", "wl", "fn", "fp", "tn", "out")
"""Resolved rightly, wrongly, not at all; resolved but without antecedent in the key; neither; and left out: the key
has antecedents, but none that is nominal."""


@dataclass(frozen=True, eq=False)
class Arcs:
    """One row per mention of key or response, by place."""

    place: Ints
    document: Ints
    kind: Ints
    """The class: an index into CLASSES."""
    key: Ints
    """The key's mention, NONE where only the response has it."""
    response: Ints
    """The response's mention, NONE where only the key has it."""
    antecedent: Ints
    """The place of the response's antecedent that decides (the closest shared one, else the closest), or NONE."""

    def __len__(self) -> int:
        return len(self.place)

    def counts(self, documents: int) -> Ints:
        """Documents × CLASSES: the number of mentions of each class."""
        cells = np.bincount(self.document * len(CLASSES) + self.kind, minlength=documents * len(CLASSES))
        return cells.reshape(documents, len(CLASSES))


def arcs(
    key: Mentions, response: Mentions, nominal_key: Bools | None = None, nominal_response: Bools | None = None
) -> Arcs:
    """The class of each mention.

    Without `nominal` (criterion any) a mention is right that shares an antecedent with the key. With it (criterion
    nom) only nominal antecedents are asked for, and the response's closest one must be among the key's.
    """
    chain_in_key = np.full(len(response), NONE, dtype=np.int64)
    in_key, in_response = common(key, response)
    chain_in_key[in_response] = key.chain[in_key]
    expected = _closest(nominal_key, key.order, key.chain)
    found = _closest(nominal_response, response.order, response.chain)
    if nominal_response is None:
        shared = _closest(None, response.order, response.chain, chain_in_key)
        found = np.where((shared != NONE) & (chain_in_key != NONE), shared, found)
    right = (found != NONE) & (chain_in_key != NONE)
    right[right] = chain_in_key[found[right]] == chain_in_key[right]
    places, document, ours, theirs = _union(key, response, chain_in_key == NONE)
    kind = _classes(_at(expected != NONE, ours, False), _at(found != NONE, theirs, False), _at(right, theirs, False))
    left_out = (expected == NONE) & (_closest(None, key.order, key.chain) != NONE)
    kind[_at(left_out, ours, False)] = CLASSES.index("out")
    antecedent = _at(_at(response.place, found, NONE), theirs, NONE)
    return Arcs(places, document, kind, ours, theirs, antecedent)


def _closest(nominal: Bools | None, order: Ints, *chain: Ints) -> Ints:
    """The last mention (if asked for, the last nominal one) before each in its chain, NONE where there is none.

    With several columns a chain is what is alike in all of them.
    """
    by_chain = in_order(*chain, order)
    place = np.arange(len(by_chain))
    begin = np.any([run_starts(column[by_chain]) for column in chain], axis=0)
    eligible = place if nominal is None else np.where(nominal[by_chain], place, NONE)
    last = np.append(NONE, np.maximum.accumulate(eligible))[:-1]
    inside = last >= np.maximum.accumulate(np.where(begin, place, 0))
    closest = np.empty(len(by_chain), dtype=np.int64)
    closest[by_chain] = np.where(inside, _at(by_chain, last, NONE), NONE)
    return closest


def _union(key: Mentions, response: Mentions, spurious: Bools) -> tuple[Ints, Ints, Ints, Ints]:
    """The places of both sides, their documents, and the mention of key and response at each or NONE."""
    places = np.sort(np.concatenate([key.place, response.place[spurious]]))
    ours, theirs = (_located(side.place, places) for side in (key, response))
    document = np.where(ours != NONE, _at(key.document, ours, NONE), _at(response.document, theirs, NONE))
    return places, document, ours, theirs


def _located(wanted: Ints, places: Ints) -> Ints:
    """Which of some mentions is at each place, or NONE."""
    mention = np.full(len(places), NONE, dtype=np.int64)
    mention[np.searchsorted(places, wanted)] = np.arange(len(wanted))
    return mention


def _classes(expected: Bools, found: Bools, right: Bools) -> Ints:
    """The class by whether the key has an antecedent, whether the response has one, and whether that is right."""
    names = np.array([CLASSES.index(name) for name in ("tn", "fp", "fn", "wl", "tp")])
    return np.asarray(names[2 * expected + found + (expected & right)])


def _at(values: Array, index: Ints, default: int) -> Array:
    """The values at some indices; the default where the index is NONE."""
    return np.append(values, np.asarray(default, dtype=values.dtype))[index]
