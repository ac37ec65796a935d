"""Mentions of gold and system with their identifiers, and matchings of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Bools, Ints, numbers_of_runs
from assay.corpus import Column, Marks, one_vocabulary
from assay.engine.matching import Steps, TooManyOverlapsError, best_matching, same_places
from assay.engine.spanpairs import spans_of, too_many_overlaps
from assay.errors import UsageError
from assay.formats.relations import NIL, links_in

SAME, OTHER, OVERLAP, OVERLAP_OTHER = range(4)
"""Kinds of pairs: the same place with a right identifier or not, overlapping places with one or not."""
MATCHES = ("strict", "overlap")
NILS = ("kept", "drop", "only")
TYPES = ("any", "same")
TYPE = "type"
"""The column of the types of mentions."""
Matched = tuple[Ints, Ints, Steps]
"""Numbers of the mentions of gold and of the system that count, and their pairs."""


def links_of(pair: Pair) -> tuple[Marks, Marks]:
    """The mentions of gold and of the system, each with the code of its first identifier, NONE without a link."""
    if "links" not in pair.marks:
        raise UsageError("this measure is for links, but something else is compared. Give --task links")
    return pair.marks["links"]


def pair_links(pair: Pair) -> Pair:
    """The pair, whose spans are the mentions, with the links of both sides and their candidates."""
    sides, candidates = spans_of(pair), [links_in(corpus)[1] for corpus in (pair.gold, pair.system)]
    names, codes = one_vocabulary([marks.labels for marks in candidates])
    types, kinds = one_vocabulary([side.columns[TYPE] for side in sides])
    nil = names.index(NIL) if NIL in names else NONE
    links = []
    for number, (side, corpus) in enumerate(zip(sides, (pair.gold, pair.system), strict=True)):
        place = np.full(len(links_in(corpus)[0]), NONE)
        place[side.number] = np.arange(len(side))
        named = replace(candidates[number], labels=Column(codes[number], names)).refer_to(place)
        candidates[number], mention = named, named.arguments["mention"]
        first = np.full(len(side), NONE)
        # The first of each mention is written last.
        first[mention[::-1]] = named.label[::-1]
        # Gold is NIL if nothing else would be right, a system if that is its first candidate.
        others = np.bincount(mention, named.label != nil, minlength=len(side))
        unknown = (others == 0) & (first != NONE) if pair.symmetric or not number else first == nil
        columns = {**side.columns, TYPE: Column(kinds[number].astype(np.int64), types)}
        columns[NIL] = Column((unknown & (nil != NONE)).astype(np.int64), ("", NIL))
        links.append(replace(side, labels=Column(first, names), columns=columns))
    return pair.with_marks(links=(links[0], links[1]), candidates=(candidates[0], candidates[1]))


def is_linked(mentions: Marks) -> Bools:
    """Mask of the mentions with a link."""
    return np.asarray(mentions.label != NONE)


def is_nil(mentions: Marks) -> Bools:
    """Mask of the mentions that are NIL."""
    return mentions.columns[NIL].codes > 0


def have_same_place(pair: Pair, gold_mentions: Ints, system_mentions: Ints) -> Bools:
    """Mask of the pairs of mentions that have the same atoms."""
    gold, system = pair.once("places of mentions", lambda: same_places(*links_of(pair)))
    return np.asarray(gold[gold_mentions] == system[system_mentions])


def rank_candidates(pair: Pair, gold_mentions: Ints, system_mentions: Ints) -> Ints:
    """Rank of the first right candidate of each pair of mentions, from 0; NONE if none is right."""
    gold, system = pair.marks["candidates"]
    numbers = [
        np.searchsorted(side.arguments["mention"], np.arange(len(links) + 1))
        for side, links in zip((gold, system), links_of(pair), strict=True)
    ]
    gold_sizes, sizes = np.diff(numbers[0])[gold_mentions], np.diff(numbers[1])[system_mentions]
    pairs = np.repeat(np.arange(len(gold_mentions)), sizes)
    candidates = numbers_of_runs(numbers[1][system_mentions], sizes)
    place = candidates - numbers[1][system_mentions][pairs]
    rows = np.repeat(np.arange(len(pairs)), gold_sizes[pairs])
    golds = gold.label[numbers_of_runs(numbers[0][gold_mentions][pairs], gold_sizes[pairs])]
    right = np.flatnonzero(golds == system.label[candidates][rows])
    rank = np.full(len(gold_mentions), len(system))
    # Neither of two annotators ranks identifiers: all are alternatives.
    np.minimum.at(rank, pairs[rows[right]], 0 if pair.symmetric else place[rows[right]])
    return np.where(rank == len(system), NONE, rank)


def match_links(pair: Pair, match: str, nil: str = "kept", types: str = "any", at: int = 1) -> Matched:
    """Mentions that count, paired one to one.

    match: mentions with a right link at the same place (`strict`) or an overlapping one (`overlap`); mentions at the
        same place with any links (`place`); or mentions at the same place, then overlapping ones, right identifiers
        first (`fair`).
    nil: `kept`, `drop`, `only` as for links; if empty, mentions without a link count too.
    """

    def compute() -> Matched:
        sides = links_of(pair)
        chosen = []
        for side in sides:
            linked = is_linked(side)
            masks = {"": np.ones(len(side), dtype=bool), "drop": linked & ~is_nil(side), "only": is_nil(side)}
            chosen.append(np.flatnonzero(masks.get(nil, linked)))
        gold, system = chosen

        def kinds_of(target: Ints, partner: Ints) -> Ints:
            gold_mentions, system_mentions = gold[target], system[partner]
            same = have_same_place(pair, gold_mentions, system_mentions)
            if match == "place":
                return np.where(same, SAME, NONE)
            rank = rank_candidates(pair, gold_mentions, system_mentions)
            right = (rank != NONE) & (rank < at)
            if match == "fair":
                return np.where(right, SAME, OTHER) + np.where(same, 0, OVERLAP)
            if types == "same":
                right &= sides[0].columns[TYPE].codes[gold_mentions] == sides[1].columns[TYPE].codes[system_mentions]
            if match == "strict":
                right &= same
            return np.where(right, np.where(same, SAME, OVERLAP), NONE)

        try:
            partner = best_matching(sides[0].where(gold), sides[1].where(system), kinds_of)
        except TooManyOverlapsError as error:
            target = int(gold[error.target])
            raise too_many_overlaps(pair, error, target, f"links (match={match})") from None
        steps, rows = Steps(len(gold), len(system)), np.flatnonzero(partner != NONE)
        steps.settle(rows, partner[rows], 0)
        return gold, system, steps

    return pair.once(f"links {match} {nil} {types} {at}", compute)
