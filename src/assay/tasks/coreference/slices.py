"""Slices by chains and by mentions: recall by gold's, precision by the system's, in sums that add up to the whole.

Mentions are matched on everything, and what is counted is then split.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Array, Ints
from assay.corpus import Chains
from assay.engine.counts import Counts
from assay.engine.items import Items
from assay.engine.measure import Measure
from assay.engine.slices import Parts, SliceKind, Values
from assay.errors import UsageError
from assay.specs import whole_number
from assay.tasks.coreference.chains import FRACTIONS, METRICS, Matched, Mentions, Table, sum_fractions
from assay.tasks.coreference.mentions import ChainPair, chains_of

BY_CHAIN = ("mentions", "muc", "b-cubed", "lea")
"""Chain metrics that are sums over chains …"""
BY_MENTION = ("mentions", "b-cubed")
"""… and over mentions."""
SPLIT = {
    "entity-type": BY_CHAIN,
    "chain-length": BY_CHAIN,
    "head-upos": BY_MENTION,
    "mention-type": BY_MENTION,
}
"""The chain metrics that each slice splits."""
_BOTH_RIGHT = ("right", "gold", "found", "system")
_EDGES = (1, 2, 5, 10)
_NO_TYPE = "none"

Attribute = tuple[Ints, Ints, tuple[str, ...]]
"""A code for each mention of gold and of the system, and the names of codes in the order in which they are shown."""


def _entity_type(found: ChainPair, _: str) -> Attribute:
    sides = found.gold, found.system
    if all(chains.types is None for chains in sides):
        raise UsageError("--slice entity-type: these files tell no types of entities (etype).")
    names = [_types_of_chains(chains) for chains in sides]
    known = tuple(sorted({name for one in names for name in one}))
    ours, theirs = (
        np.array([known.index(name) for name in one], dtype=np.int64)[chains.chain]
        for one, chains in zip(names, sides, strict=True)
    )
    return ours, theirs, known


def _types_of_chains(chains: Chains) -> list[str]:
    """The type that most mentions of each chain have, of several the first in the text."""
    types = [_NO_TYPE] * len(chains.names)
    if chains.types is not None and len(chains):
        # By number, then by the place of the first mention; the best of each chain comes last.
        pairs = chains.chain.astype(np.int64) * len(chains.types.vocabulary) + chains.types.codes
        distinct, first, number = np.unique(pairs, return_index=True, return_counts=True)
        for row in np.lexsort((-first, number)).tolist():
            chain, code = divmod(int(distinct[row]), len(chains.types.vocabulary))
            if name := chains.types.vocabulary[code]:
                types[chain] = name
    return types


def _chain_length(found: ChainPair, argument: str) -> Attribute:
    edges: tuple[int, ...] = _EDGES
    if argument:
        cells = argument.split(",")
        edges = tuple(whole_number(cell) for cell in cells)
        if not all(low < high for low, high in pairwise((0, *edges))):
            raise UsageError(f"--slice chain-length:{argument}: edges are rising numbers, e.g. chain-length:2,10")
    names = [str(high) if high - low == 1 else f"{low + 1}-{high}" for low, high in pairwise((0, *edges))]
    ours, theirs = (
        np.searchsorted(edges, np.bincount(chains.chain, minlength=1)[chains.chain])
        for chains in (found.gold, found.system)
    )
    return ours, theirs, (*names, f"{edges[-1] + 1}+")


def _head_upos(found: ChainPair, _: str) -> Attribute:
    ours, theirs = found.by_upos()
    order = np.argsort(ours.vocabulary)
    place = np.argsort(order)
    return place[ours.codes], place[theirs.codes], tuple(ours.vocabulary[code] for code in order.tolist())


def _mention_type(found: ChainPair, _: str) -> Attribute:
    ours, theirs = found.mention_types()
    return ours.codes, theirs.codes, ours.vocabulary


def _of_items(attribute: Callable[[ChainPair, str], Attribute]) -> Callable[[Pair, Items, str], Values]:
    """The values of mentions that ARCS judges: gold's, and the system's of those that it adds."""

    def values(pair: Pair, judged: Items, argument: str) -> Values:
        found = chains_of(pair)
        *sides, names = attribute(found, argument)
        by_place = []
        for codes, place in zip(sides, found.exact, strict=True):
            column = np.full(len(found.places) + 1, NONE)
            column[place] = codes
            by_place.append(column)
        assert judged.partner is not None
        return np.where(judged.has_gold, by_place[0][judged.item], by_place[1][judged.partner[0]]), names

    return values


def _of_counts(
    attribute: Callable[[ChainPair, str], Attribute], split: tuple[str, ...]
) -> Callable[[Pair, Measure, str], Parts]:
    """The counts of a chain metric, by the values of chains or of mentions."""

    def parts(pair: Pair, measure: Measure, argument: str) -> Parts:
        name, chosen = measure.definition.name, measure.parameters
        if name not in split or chosen["average"] != "micro":
            return []
        found = chains_of(pair)
        singletons = bool(chosen["singletons"])
        *sides, names = attribute(found, argument)
        kept, mentions = found.rows(singletons), found.mentions(singletons)
        matched = found.matched(chosen["match"], singletons, chosen["zeros"])
        table = found.table(chosen["match"], singletons, chosen["zeros"])
        columns: list[Ints] = []
        for side in (0, 1):
            codes, here = sides[side][kept[side]], mentions[side]
            if split == BY_CHAIN:
                _, first = np.unique(here.chain, return_index=True)
                own = table if side == 0 else table.swapped()
                columns += _chain_shares(name, own, codes[first], found.documents, len(names))
            else:
                credit = np.zeros(len(here))
                credit[matched[side]] = 1 if name == "mentions" else _share_of_chain(table, mentions, matched, side)
                for share, metric in ((credit, name), (np.ones(len(here)), "")):
                    columns.append(_sums(share, here.document, codes, found.documents, len(names), metric))
        # Beside them the number of gold's mentions, which metrics of links or of fractions do not tell.
        ours = sides[0][kept[0]]
        columns.append(_sums(np.ones(len(ours)), mentions[0].document, ours, found.documents, len(names), ""))
        fields = (*(FRACTIONS if METRICS[name].fields == FRACTIONS else _BOTH_RIGHT), "items")
        values = np.stack(columns, axis=-1)
        numbers = [np.bincount(codes[rows], minlength=len(names)) for codes, rows in zip(sides, kept, strict=True)]
        return [
            (value, int(numbers[0][code]), Counts(fields, pair.gold.sentences, found.first_sentence, values[:, code]))
            for code, value in enumerate(names)
            if numbers[0][code] or numbers[1][code]
        ]

    return parts


def _chain_shares(name: str, table: Table, codes: Ints, documents: int, values: int) -> list[Ints]:
    """Documents × values of what each key chain adds to the numerator of recall, and to its denominator."""
    size, cells = table.key_size, table.key_chain
    shares: dict[str, Callable[[], Array]] = {
        "mentions": lambda: table.shared,
        "muc": lambda: table.shared - 1,
        "b-cubed": table.shares_of_mentions,
        "lea": table.resolved_links,
    }
    return [
        _sums(shares[name](), table.document, codes[cells], documents, values, name),
        _sums(size - 1 if name == "muc" else size, table.key_document, codes, documents, values, ""),
    ]


def _share_of_chain(table: Table, mentions: tuple[Mentions, Mentions], matched: Matched, side: int) -> Array:
    """For each matched mention the share of its chain that is in the chain of its partner."""
    chains = [np.unique(one.chain, return_inverse=True)[1][rows] for one, rows in zip(mentions, matched, strict=True)]
    width = max(len(table.response_size), 1)
    cells = table.key_chain * width + table.response_chain
    shared = table.shared[np.searchsorted(cells, chains[0] * width + chains[1])]
    return shared / (table.key_size, table.response_size)[side][chains[side]]


def _sums(values: Array, document: Ints, codes: Ints, documents: int, number: int, metric: str) -> Ints:
    """Documents × values of what adds up, in units of 1/ONE under a metric of fractions."""
    group = document * number + codes
    if metric and METRICS[metric].fields == FRACTIONS:
        sums = sum_fractions(values, group, documents * number)
    else:
        sums = np.bincount(group, weights=values, minlength=documents * number).astype(np.int64)
    return sums.reshape(documents, number)


def _kind(
    name: str,
    help_: str,
    attribute: Callable[[ChainPair, str], Attribute],
    takes_argument: bool = False,
) -> SliceKind:
    counts = _of_counts(attribute, SPLIT[name])
    return SliceKind(name, help_, takes_argument, of_items=_of_items(attribute), of_counts=counts)


SLICES = (
    _kind("entity-type", "type of a chain's entity (etype)", _entity_type),
    _kind("chain-length", "number of mentions in the chain (chain-length:2,10)", _chain_length, True),
    _kind("head-upos", "UPOS of a mention's head in gold", _head_upos),
    _kind("mention-type", "zero, pronoun, name, noun, other (--mention-types)", _mention_type),
)
