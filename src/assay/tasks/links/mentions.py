"""Gold's and a system's mentions with their identifiers, and the matchings of them."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, numbers_of_runs
from assay.corpus import one_vocabulary
from assay.engine.matching import TooManyOverlapsError, best_matching, same_places
from assay.engine.spanpairs import SpanPair
from assay.errors import UsageError
from assay.formats.relations import NIL, Links
from assay.records import dataclass

SAME, OTHER, OVERLAP, OVERLAP_OTHER = range(4)
"""Kinds of pairs: the same place with a right identifier or not, overlapping places with one or not."""
MATCHES = ("strict", "overlap")
NILS = ("kept", "drop", "only")
TYPES = ("any", "same")
TYPE = "type"
"""The column of the types of mentions."""


@dataclass(frozen=True, eq=False)
class LinkSide:
    """The mentions of one side that take part, in the order of its spans."""

    starts: Ints
    """The place of the first identifier of each mention, and behind the last mention their number."""
    codes: Ints
    """The identifiers of all mentions."""
    first: Ints
    """The first identifier of each mention, NONE where it has no link."""
    nil: Bools
    """Mask of the mentions that are NIL."""
    types: Ints

    @property
    def linked(self) -> Bools:
        """Mask of the mentions with a link."""
        return np.asarray(self.first != NONE)


@dataclass(frozen=True)
class Found:
    """A matching: gold's mentions that count, the system's, and the partner of each of gold's."""

    gold: Ints
    system: Ints
    partner: Ints
    """By gold's mention that counts: the number of the system's mention, NONE without one."""


@dataclass(frozen=True, eq=False)
class LinkPair:
    """The mentions of both sides over one line of atoms, with their identifiers."""

    spans: SpanPair
    gold: LinkSide
    system: LinkSide
    names: tuple[str, ...]
    """The identifiers of both sides, by code."""
    types: tuple[str, ...]
    """The types of mentions of both sides, by code."""
    symmetric: bool
    """Neither side is gold: all identifiers of either are alternatives."""
    _found: dict[tuple[str, str, str, int], Found] = field(default_factory=dict)

    @classmethod
    def of(cls, pair: Pair, *, symmetric: bool) -> LinkPair:
        """The links of a pair whose spans are the mentions."""
        spans = pair.layer(SpanPair)
        ours, theirs = pair.gold.layer(Links), pair.system.layer(Links)
        assert spans is not None and ours is not None and theirs is not None
        names, codes = one_vocabulary([ours.identifiers, theirs.identifiers])
        types, kinds = one_vocabulary([side.columns[TYPE] for side in (spans.gold, spans.system)])
        nil = names.index(NIL) if NIL in names else NONE
        sides = []
        for side, links, own, kind in zip((spans.gold, spans.system), (ours, theirs), codes, kinds, strict=True):
            sizes = np.diff(links.starts)[side.number]
            starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            taken = own[numbers_of_runs(links.starts[side.number], sizes)].astype(np.int64)
            first = np.append(taken, NONE)[np.where(sizes > 0, starts[:-1], -1)]
            # Gold is NIL where nothing else would be right, a system where that is its first candidate.
            alternatives = side is spans.gold or symmetric
            others = np.bincount(np.repeat(np.arange(len(sizes)), sizes), taken != nil, minlength=len(sizes))
            is_nil = (others == 0) & (sizes > 0) if alternatives else first == nil
            sides.append(LinkSide(starts, taken, first, is_nil & (nil != NONE), kind.astype(np.int64)))
        return cls(spans, sides[0], sides[1], names, types, symmetric)

    @property
    def nil_code(self) -> int:
        """The code of NIL, NONE where no mention is NIL."""
        return self.names.index(NIL) if NIL in self.names else NONE

    def same_place(self, ours: Ints, theirs: Ints) -> Bools:
        """Mask of the pairs of mentions that have the same atoms."""
        gold, system = self._places
        return np.asarray(gold[ours] == system[theirs])

    @cached_property
    def _places(self) -> tuple[Ints, Ints]:
        return same_places(self.spans.gold, self.spans.system)

    def rank(self, ours: Ints, theirs: Ints) -> Ints:
        """For pairs of mentions the place of the first right candidate, from 0; NONE where none is right."""
        gold_sizes, sizes = np.diff(self.gold.starts)[ours], np.diff(self.system.starts)[theirs]
        pairs = np.repeat(np.arange(len(ours)), sizes)
        candidates = numbers_of_runs(self.system.starts[theirs], sizes)
        place = candidates - self.system.starts[theirs][pairs]
        rows = np.repeat(np.arange(len(pairs)), gold_sizes[pairs])
        golds = self.gold.codes[numbers_of_runs(self.gold.starts[ours][pairs], gold_sizes[pairs])]
        right = np.flatnonzero(golds == self.system.codes[candidates][rows])
        found = np.full(len(ours), len(self.system.codes))
        np.minimum.at(found, pairs[rows[right]], 0 if self.symmetric else place[rows[right]])
        return np.where(found == len(self.system.codes), NONE, found)

    def matched(self, match: str, nil: str = "kept", types: str = "any", at: int = 1) -> Found:
        """The one-to-one matching of right links, kept: several measures rest on the same one."""
        return self._once((match, nil, types, at))

    def fair(self) -> Found:
        """Mentions of equal place paired, then overlapping ones; in both steps right identifiers first."""
        return self._once(("fair", "kept", "any", 1))

    def mentions(self, *, linked: bool) -> Found:
        """Mentions of equal place paired, whatever they are linked to; all, or those that are linked."""
        return self._once(("place", "kept" if linked else "", "any", 1))

    def _once(self, key: tuple[str, str, str, int]) -> Found:
        if key not in self._found:
            self._found[key] = self._matched(*key)
        return self._found[key]

    def _matched(self, match: str, nil: str, types: str, at: int) -> Found:
        chosen = []
        for side in (self.gold, self.system):
            there = {"": np.ones(len(side.first), dtype=bool), "drop": side.linked & ~side.nil, "only": side.nil}
            chosen.append(np.flatnonzero(there.get(nil, side.linked)))
        gold, system = chosen
        ours, theirs = self.spans.gold.where(gold), self.spans.system.where(system)

        def kinds_of(target: Ints, partner: Ints) -> Ints:
            same = self.same_place(gold[target], system[partner])
            if match == "place":
                return np.where(same, SAME, NONE)
            rank = self.rank(gold[target], system[partner])
            right = (rank != NONE) & (rank < at)
            if match == "fair":
                return np.where(right, SAME, OTHER) + np.where(same, 0, OVERLAP)
            if types == "same":
                right &= self.gold.types[gold[target]] == self.system.types[system[partner]]
            if match == "strict":
                right &= same
            return np.where(right, np.where(same, SAME, OVERLAP), NONE)

        try:
            partner = best_matching(ours, theirs, kinds_of)
        except TooManyOverlapsError as error:
            raise self.spans.refused(error, int(gold[error.target]), f"links (match={match})") from None
        return Found(gold, system, np.append(system, NONE)[partner])


def links_in(pair: Pair) -> LinkPair:
    """The links of both sides."""
    links = pair.layer(LinkPair)
    if links is None:
        raise UsageError("this measure is about links, but something else is compared. Say --task links")
    return links
