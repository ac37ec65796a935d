"""Coreference chains: the metrics that come from one table of chains, and ARCS, which judges each mention."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import wraps
from itertools import pairwise

import numpy as np

from assay.arrays import NONE, Array, Bools, Floats, Ints, numbers_of_runs, ratio
from assay.engine.items import ONE
from assay.engine.matching import components, max_weight_matching, max_weight_matching_sparse, run_starts
from assay.engine.measure import F1, ByFields, Ratio
from assay.records import dataclass

SMALL = 1 << 8
"""Among so many pairs the best choice is made in whole numbers; for more of them a solver is loaded."""
SCALE = 1 << 50
"""A weight of 1, in whole numbers."""
MATCHED = ("right", "gold", "system")
"""Fields of mentions, MUC and CEAFm: what both sides have, what the key has, what the response has."""
FRACTIONS = ("rnum", "rden", "pnum", "pden")
"""Fields of B³, CEAFe and LEA: numerators in units of 1/ONE, denominators in mentions (CEAFe: chains)."""
LINKS = ("coreferent", "gold-coreferent", "system-coreferent", "apart", "gold-apart", "system-apart")
"""Fields of BLANC: pairs of mentions in one chain, then in two chains; on both sides, in the key, in the response."""
CONLL = tuple(
    f"{metric}-{field}"
    for metric, fields in (("muc", MATCHED), ("b-cubed", FRACTIONS), ("ceaf-e", FRACTIONS))
    for field in fields
)
"""Fields of the CoNLL score: those of its three metrics."""
CLASSES = ("tp", "wl", "fn", "fp", "tn", "out")
"""ARCS: resolved rightly, wrongly, not at all; resolved but without antecedent in the key; neither; and left out: the
key has antecedents, but none that is nominal."""
ERRORS = ("span", "merged", "split", "missing-entity", "missing-mention", "extra-entity", "extra-mention")
"""Mentions with a wrong span; parts of other entities in a chain, and chains that an entity is cut into, beyond the
first; chains that one side has alone, and mentions that one side has alone in a chain that both have."""


# --- the table ---


@dataclass(frozen=True, eq=False)
class Mentions:
    """One side's mentions; each span at most once (repeated ones were dealt with before)."""

    document: Ints
    place: Ints
    """A number that stands for the span in the whole corpus, the same on both sides; never negative."""
    chain: Ints
    """The chain, numbered over all documents; every chain is within one document."""
    order: Ints
    """The rank by first and last word in the document: antecedents are of the same chain and of lower order."""

    def __len__(self) -> int:
        return len(self.place)


Matched = tuple[Ints, Ints]
"""Pairs of mentions that are matched, one to one, by their indices in the key and in the response."""


@dataclass(frozen=True, eq=False)
class Table:
    """The chains of both sides and one cell for each two that share mentions: all that the chain metrics need."""

    documents: int
    key_document: Ints
    """The document of each key chain …"""
    key_size: Ints
    """… and the number of its mentions."""
    response_document: Ints
    response_size: Ints
    key_chain: Ints
    """The key chain of each cell."""
    response_chain: Ints
    """The response chain of each cell."""
    shared: Ints
    """The number of mentions that the two have in common; never 0."""
    kept: dict[str, Ints] = field(default_factory=dict)
    """The counts of metrics, for those that are made of others."""

    @property
    def document(self) -> Ints:
        """The document of each cell."""
        return self.key_document[self.key_chain]

    @property
    def sizes(self) -> tuple[Ints, Ints]:
        """The sizes of each cell's key chain and response chain."""
        return self.key_size[self.key_chain], self.response_size[self.response_chain]

    def swapped(self) -> Table:
        """The table with key and response exchanged."""
        sides = (self.response_document, self.response_size, self.key_document, self.key_size)
        return Table(self.documents, *sides, self.response_chain, self.key_chain, self.shared)

    def shares_of_mentions(self) -> Floats:
        """For each cell the shares of its key chain that its mentions have in it, added up: B³'s recall."""
        return np.asarray(self.shared * self.shared / self.sizes[0])

    def resolved_links(self) -> Floats:
        """For each cell the share of its key chain's links that it holds, times the chain's size: LEA's recall."""
        size, other = self.sizes
        links = self.shared * (self.shared - 1) / np.maximum(size - 1, 1)
        return np.where(size == 1, other == 1, links)

    def sum_cells(self, values: Array) -> Ints:
        """A number of each cell added up by document."""
        return _sum_by(values, self.document, self.documents)

    def sum_chains(self, number: Callable[[Ints], Array]) -> list[Ints]:
        """A number of each size of chains added up by document: the key's, the response's."""
        sides = ((self.key_size, self.key_document), (self.response_size, self.response_document))
        return [_sum_by(number(size), document, self.documents) for size, document in sides]


def table(key: Mentions, response: Mentions, documents: int, matched: Matched | None = None) -> Table:
    """The table of two sides, of mentions that are matched; where that is not given, those of the same place."""
    documents_of, sizes, chains = [], [], []
    for mentions in (key, response):
        _, chain, size = np.unique(mentions.chain, return_inverse=True, return_counts=True)
        document = np.zeros(len(size), dtype=np.int64)
        document[chain] = mentions.document
        documents_of.append(document)
        sizes.append(size)
        chains.append(chain)
    in_key, in_response = same_places(key, response) if matched is None else matched
    width = max(len(sizes[1]), 1)
    cells, shared = np.unique(chains[0][in_key] * width + chains[1][in_response], return_counts=True)
    return Table(
        documents, documents_of[0], sizes[0], documents_of[1], sizes[1], cells // width, cells % width, shared
    )


def linked(chain: Ints) -> Bools:
    """Mask of the mentions in chains of two or more."""
    _, number, size = np.unique(chain, return_inverse=True, return_counts=True)
    return np.asarray(size[number] > 1)


def same_places(key: Mentions, response: Mentions) -> Matched:
    """The mentions that both sides have at the same place."""
    _, in_key, in_response = np.intersect1d(key.place, response.place, assume_unique=True, return_indices=True)
    return in_key, in_response


def _sum_by(values: Array, group: Ints, groups: int) -> Ints:
    # bincount adds in float64, exact for whole numbers below 2^53.
    return np.bincount(group, weights=values, minlength=groups).astype(np.int64)


def _pairs(size: Ints) -> Ints:
    """The number of pairs that can be made of so many mentions."""
    return size * (size - 1) // 2


def in_order(*columns: Ints) -> Ints:
    """The indices that sort by the first column, then by the second and so on; no two rows are alike."""
    key: Ints = np.zeros(len(columns[0]), dtype=np.int64)
    room = 1
    for column in columns:
        low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
        room *= high - low + 1
        if room >= 1 << 62:
            return np.lexsort(columns[::-1])
        key = key * (high - low + 1) + (column - low)
    # Sorting one number per row is several times faster than sorting by each column in turn.
    return np.argsort(key)


# --- what the metrics count: documents × fields in whole numbers, which add up over documents ---


def _once(count: Callable[[Table], Ints]) -> Callable[[Table], Ints]:
    """A metric that other metrics ask for too: what it counts in a table is kept there."""

    @wraps(count)
    def counted(t: Table) -> Ints:
        if count.__name__ not in t.kept:
            t.kept[count.__name__] = count(t)
        return t.kept[count.__name__]

    return counted


def mentions(t: Table) -> Ints:
    """Mentions found. Fields: MATCHED, in mentions."""
    return np.stack([t.sum_cells(t.shared), *t.sum_chains(np.asarray)], axis=1)


@_once
def muc(t: Table) -> Ints:
    """MUC: the links that chains need to hold together. Fields: MATCHED, in links."""
    return np.stack([t.sum_cells(t.shared - 1), *t.sum_chains(lambda size: size - 1)], axis=1)


def ceaf_m(t: Table) -> Ints:
    """CEAFm: mentions shared under the best one-to-one alignment of chains. Fields: MATCHED, in mentions."""
    aligned = best_alignment(t.key_chain, t.response_chain, t.shared.astype(np.float64))
    right = _sum_by(t.shared[aligned], t.document[aligned], t.documents)
    return np.stack([right, *t.sum_chains(np.asarray)], axis=1)


@_once
def ceaf_e(t: Table) -> Ints:
    """CEAFe: similarity of chains under the best one-to-one alignment. Fields: FRACTIONS, over chains."""
    similarity = 2 * t.shared / sum(t.sizes)
    aligned = best_alignment(t.key_chain, t.response_chain, similarity)
    total = sum_fractions(similarity[aligned], t.document[aligned], t.documents)
    in_key, in_response = t.sum_chains(np.ones_like)
    return np.stack([total, in_key, total, in_response], axis=1)


@_once
def b_cubed(t: Table) -> Ints:
    """B³: each mention's share of its chain that the other side's chain has too. Fields: FRACTIONS, over mentions."""
    return _both_ways(t, Table.shares_of_mentions)


def lea(t: Table) -> Ints:
    """LEA: the resolved share of each chain's links, weighted by its size. Fields: FRACTIONS, over mentions.

    A singleton is its own link, resolved where it is a singleton on the other side too.
    """

    return _both_ways(t, Table.resolved_links)


def blanc(t: Table) -> Ints:
    """BLANC: pairs of mentions that are in one chain, and that are in two. Fields: LINKS."""
    found, in_key, in_response = mentions(t).T
    both_found = _pairs(found) + (together := t.sum_cells(_pairs(t.shared)))
    for side in (t, t.swapped()):
        # Pairs of one side's chains of which both mentions are on the other side.
        numbers = _sum_by(side.shared, side.key_chain, len(side.key_size))
        both_found -= _sum_by(_pairs(numbers), side.key_document, side.documents)
    of_key, of_response = t.sum_chains(_pairs)
    apart = both_found, _pairs(in_key) - of_key, _pairs(in_response) - of_response
    return np.stack([together, of_key, of_response, *apart], axis=1)


def conll(t: Table) -> Ints:
    """The CoNLL score (MELA): what MUC, B³ and CEAFe count. Fields: CONLL."""
    return np.hstack([muc(t), b_cubed(t), ceaf_e(t)])


def _both_ways(t: Table, credit: Callable[[Table], Floats]) -> Ints:
    """A metric whose precision is its recall with the sides exchanged."""
    recall, precision = (sum_fractions(credit(side), t.document, t.documents) for side in (t, t.swapped()))
    in_key, in_response = t.sum_chains(np.asarray)
    return np.stack([recall, in_key, precision, in_response], axis=1)


def sum_fractions(values: Floats, document: Ints, documents: int) -> Ints:
    """The exact sum of each document's values, in units of 1/ONE: the same in whatever order they come."""
    order = np.argsort(document)
    listed = values[order].tolist()
    bounds = np.searchsorted(document[order], np.arange(documents + 1)).tolist()
    sums = [math.fsum(listed[begin:end]) for begin, end in pairwise(bounds)]
    return np.asarray(np.rint(np.array(sums) * ONE), dtype=np.int64)


# --- scores from summed counts, over any leading axes; 0/0 is nan ---

Sums = Mapping[str, Floats]
Score = Callable[[Sums], Floats]


@dataclass(frozen=True)
class Metric:
    """A chain metric: what it counts in each document, in which fields, and its scores."""

    count: Callable[[Table], Ints]
    fields: tuple[str, ...]
    scores: Mapping[str, Score]
    main: str = "f1"


def _harmonic(scores: Mapping[str, Score], sums: Sums, key: str, response: str) -> Floats:
    """The harmonic mean of two scores; with one side empty it is 0, with both it is undefined."""
    recall, precision = (np.nan_to_num(scores[name](sums)) for name in ("recall", "precision"))
    return np.where(
        sums[key] + sums[response] == 0, np.nan, np.nan_to_num(ratio(2 * recall * precision, recall + precision))
    )


def _blanc(*sides: str) -> Score:
    """One of BLANC's scores: of the links of the sides named, those on both sides, as a mean over the two classes.

    A class that the key does not have is left out; one that only the key has counts 0.
    """

    def score(sums: Sums) -> Floats:
        together, apart = (
            ratio(len(sides) * sums[name], np.asarray(sum(sums[f"{side}-{name}"] for side in sides)))
            for name in ("coreferent", "apart")
        )
        mean = (np.nan_to_num(together) + np.nan_to_num(apart)) / 2
        mean = np.where(np.isnan(together) & np.isnan(apart), np.nan, mean)
        no_together, no_apart = sums["gold-coreferent"] == 0, sums["gold-apart"] == 0
        return np.where(no_together & ~no_apart, apart, np.where(no_apart & ~no_together, together, mean))

    return score


def mela(sums: Sums, undefined: float = np.nan) -> Floats:
    """The mean of the F of MUC, B³ and CEAFe; `undefined` is what an F of 0/0 counts."""
    metrics = (("muc", MATCHED, _MATCHED), ("b-cubed", FRACTIONS, _FRACTIONS), ("ceaf-e", FRACTIONS, _FRACTIONS))
    parts = [scores["f1"]({field: sums[f"{name}-{field}"] for field in fields}) for name, fields, scores in metrics]
    return np.asarray(sum(np.nan_to_num(part, nan=undefined) for part in parts)) / 3


_MATCHED: Mapping[str, Score] = {
    "f1": ByFields(
        "found",
        lambda sums: _harmonic(_MATCHED, sums, "gold", "system"),
        F1(lambda sums: 2 * sums["right"], lambda sums: sums["gold"] + sums["system"]),
    ),
    # Of a part of the mentions it is not the same ones that are right on both sides.
    "precision": Ratio(
        lambda sums: sums["found" if "found" in sums else "right"], lambda sums: sums["system"]
    ),
    "recall": Ratio(lambda sums: sums["right"], lambda sums: sums["gold"]),
}
_FRACTIONS: Mapping[str, Score] = {
    "f1": lambda sums: _harmonic(_FRACTIONS, sums, "rden", "pden"),
    "precision": Ratio(lambda sums: sums["pnum"] / ONE, lambda sums: sums["pden"]),
    "recall": Ratio(lambda sums: sums["rnum"] / ONE, lambda sums: sums["rden"]),
}
_BLANC = {"f1": _blanc("gold", "system"), "precision": _blanc("system"), "recall": _blanc("gold")}

METRICS: Mapping[str, Metric] = {
    "mentions": Metric(mentions, MATCHED, _MATCHED),
    "muc": Metric(muc, MATCHED, _MATCHED),
    "b-cubed": Metric(b_cubed, FRACTIONS, _FRACTIONS),
    "ceaf-m": Metric(ceaf_m, MATCHED, _MATCHED),
    "ceaf-e": Metric(ceaf_e, FRACTIONS, _FRACTIONS),
    "blanc": Metric(blanc, LINKS, _BLANC),
    "lea": Metric(lea, FRACTIONS, _FRACTIONS),
    "conll": Metric(conll, CONLL, {"value": mela}, main="value"),
}
"""The chain metrics by name."""

ARCS_SCORES: Mapping[str, Score] = {
    "f1": F1(lambda sums: 2 * sums["tp"], lambda sums: 2 * (sums["tp"] + sums["wl"]) + sums["fn"] + sums["fp"]),
    "precision": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + sums["wl"] + sums["fp"]),
    "recall": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + sums["wl"] + sums["fn"]),
    "accuracy": Ratio(lambda sums: sums["tp"], lambda sums: sums["tp"] + sums["wl"]),
}
"""Scores from the numbers of mentions in each class of ARCS."""


# --- the one-to-one alignment of chains, for CEAF ---


def best_alignment(row: Ints, column: Ints, weight: Floats) -> Ints:
    """Cells with the greatest total weight, no two in a row or column.

    There can be several such choices, so only their total means anything.
    """
    left = np.arange(len(weight))
    chosen = [left[:0]]
    while len(left):
        # Cells that weigh as much as the two that they could stand in for are in a best choice whatever else is. Most
        # chains have one clear counterpart, so this decides nearly all of them without a solver.
        sure = left[weight[left] >= _rival(row[left], weight[left]) + _rival(column[left], weight[left])]
        for line in (row, column):
            sure = sure[np.unique(line[sure], return_index=True)[1]]
        before = len(left)
        left = left[~(np.isin(row[left], row[sure]) | np.isin(column[left], column[sure]))]
        chosen.append(sure)
        # Rounds that decide little cost more than solving what is left.
        if before - len(left) < before / 8:
            break

    group = components(row[left], column[left])
    order = np.argsort(group, kind="stable")
    for cells in np.split(left[order], np.flatnonzero(run_starts(group[order]))[1:]) if len(left) else ():
        if len(cells) > SMALL:
            (rows, here), (columns, there) = (np.unique(line[cells], return_inverse=True) for line in (row, column))
            partner = max_weight_matching_sparse(here, there, weight[cells], (len(rows), len(columns)))
            chosen.append(cells[partner[here] == there])
            continue
        table: dict[int, dict[int, int]] = {}
        places = list(zip(row[cells].tolist(), column[cells].tolist(), strict=True))
        for (one, other), value in zip(places, weight[cells].tolist(), strict=True):
            table.setdefault(one, {})[other] = round(value * SCALE)
        best = dict(zip(table, max_weight_matching(list(table.values())), strict=True))
        chosen.append(cells[[best[one] == other for one, other in places]])
    return np.concatenate(chosen)


def _rival(line: Ints, weight: Floats) -> Floats:
    """The greatest weight among the other cells of each cell's line; 0 where it is alone."""
    order = np.lexsort((-weight, line))
    first = run_starts(line[order])
    falling = weight[order]
    follower = np.where(np.append(first[1:], True), 0.0, np.append(falling[1:], 0.0))
    rival = np.empty(len(weight))
    rival[order] = np.where(first, follower, falling[first][np.cumsum(first) - 1])
    return rival


def equal_pairs(ours: Ints, theirs: Ints) -> tuple[Ints, Ints]:
    """All pairs of equal numbers, by their places on both sides."""
    order = np.argsort(theirs, kind="stable")
    first, end = (np.searchsorted(theirs[order], ours, side=side) for side in ("left", "right"))
    sizes = end - first
    return np.repeat(np.arange(len(ours)), sizes), order[numbers_of_runs(first, sizes)]


# --- what is wrong with chains: the steps that would make the response the key ---


def chain_errors(
    key: Mentions, response: Mentions, wrong_spans: Matched, documents: int, matched: Matched | None = None
) -> Ints:
    """Documents × ERRORS, after Kummerfeld and Klein 2013.

    `wrong_spans` are mentions of the key and of the response that are the same but for their spans. Put right, they
    count like any other mention; what is then not shared is missing or extra, what is shared split or merged.
    """
    in_key, _ = wrong_spans
    found = same_places(key, response) if matched is None else matched
    t = table(key, response, documents, (np.append(found[0], in_key), np.append(found[1], wrong_spans[1])))
    numbers = []
    for side in (t, t.swapped()):
        # Parts of the key's chains beyond the first, chains not found at all, and mentions of others.
        parts = np.bincount(side.key_chain, minlength=len(side.key_size))
        there = _sum_by(side.shared, side.key_chain, len(side.key_size))
        columns = (np.maximum(parts - 1, 0), there == 0, np.where(there > 0, side.key_size - there, 0))
        numbers.append([_sum_by(column, side.key_document, documents) for column in columns])
    (split, missing, absent), (merged, extra, invented) = numbers
    spans = np.bincount(key.document[in_key], minlength=documents)
    return np.stack([spans, merged, split, missing, absent, extra, invented], axis=1).astype(np.int64)


# --- ARCS: what becomes of each mention, by whether the response resolves it to one of the key's antecedents ---


@dataclass(frozen=True, eq=False)
class Arcs:
    """One row per mention of the key, and per mention of the response that is matched with none, by place."""

    place: Ints
    """The place of the key's mention, else of the response's."""
    document: Ints
    kind: Ints
    """The class: an index into CLASSES."""
    key: Ints
    """The key's mention, NONE where it has none …"""
    response: Ints
    """… and the response's mention that is matched with it, or stands alone."""
    antecedent: Ints
    """The place of the response's antecedent that decides (the closest shared one, else the closest), or NONE."""
    anaphor: Bools
    """Mask of the rows in which the key's mention has an antecedent …"""
    resolved: Bools
    """… and of those in which the response's has."""


def arcs(
    key: Mentions,
    response: Mentions,
    nominal_key: Bools | None = None,
    nominal_response: Bools | None = None,
    matched: Matched | None = None,
) -> Arcs:
    """The class of each mention; where no matching is given, mentions of the same place are matched.

    Without `nominal` (criterion any) a mention is right that shares an antecedent with the key. With it (criterion
    nom) only nominal antecedents are asked for, and the response's closest one must be among the key's.
    """
    in_key, in_response = same_places(key, response) if matched is None else matched
    ours, theirs = np.full(len(response), NONE), np.full(len(key), NONE)
    ours[in_response], theirs[in_key] = in_key, in_response
    expected = _closest(nominal_key, key.order, key.chain)
    found = _closest(nominal_response, response.order, response.chain)
    right = (found != NONE) & (ours != NONE)
    if nominal_response is None:
        # An earlier mention of the key's chain is matched with one of the same chain in the response.
        shared = _closest(None, key.order, key.chain, _at(response.chain, theirs, NONE))
        right &= _at(shared, ours, NONE) != NONE
        found[right] = theirs[shared[ours[right]]]
    else:
        first, second = _at(ours, found[right], NONE), ours[right]
        right[right] = (
            (first != NONE) & (key.chain[first] == key.chain[second]) & (key.order[first] < key.order[second])
        )

    # Rows: the mentions of the key, and those of the response alone.
    alone = np.flatnonzero(ours == NONE)
    rows = np.concatenate([np.arange(len(key)), np.full(len(alone), NONE)])
    others = np.concatenate([theirs, alone])
    places = np.concatenate([key.place, response.place[alone]])
    order = np.lexsort((rows == NONE, places))
    rows, others, places = rows[order], others[order], places[order]
    document = np.where(rows != NONE, _at(key.document, rows, NONE), _at(response.document, others, NONE))
    has_key, has_response = _at(expected != NONE, rows, False), _at(found != NONE, others, False)
    classes = np.array([CLASSES.index(name) for name in ("tn", "fp", "fn", "wl", "tp")])
    kind = classes[2 * has_key + has_response + (has_key & _at(right, others, False))]
    left_out = (expected == NONE) & (_closest(None, key.order, key.chain) != NONE)
    kind[_at(left_out, rows, False)] = CLASSES.index("out")
    antecedent = _at(_at(response.place, found, NONE), others, NONE)
    return Arcs(places, document, kind, rows, others, antecedent, has_key, has_response)


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


def _at(values: Array, index: Ints, default: int) -> Array:
    """The values at some indices; the default where the index is NONE."""
    return np.append(values, np.asarray(default, dtype=values.dtype))[index]
