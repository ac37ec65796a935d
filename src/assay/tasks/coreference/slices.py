"""Slices by chains and by mentions: recall by gold's, precision by the system's, in sums that add up to the whole.

All mentions are matched first; then the counts are split.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from assay.align import Pair
from assay.arrays import NONE, Array, Ints, sum_integers
from assay.corpus import code_by_alphabet
from assay.engine.counts import Counts
from assay.engine.items import Items
from assay.engine.measure import Measure
from assay.engine.slices import Parts, SliceKind, Values
from assay.errors import UsageError
from assay.specs import whole_number
from assay.tasks.coreference.chains import chain_of, sum_fractions
from assay.tasks.coreference.measures import FRACTIONS, METRICS
from assay.tasks.coreference.mentions import (
    chain_table,
    first_sentences_of,
    head_tags,
    match_mentions,
    mention_types,
    mentions_of,
    spans_of_mentions,
)

BY_CHAIN = ("mentions", "muc", "b-cubed", "lea")
"""Chain metrics that are sums over chains."""
BY_MENTION = ("mentions", "b-cubed")
"""Chain metrics that are sums over mentions."""
SPLIT = {
    "entity-type": BY_CHAIN,
    "chain-length": BY_CHAIN,
    "head-upos": BY_MENTION,
    "mention-type": BY_MENTION,
}
"""Chain metrics that each slice splits."""
_EDGES = (1, 2, 5, 10)
_NO_TYPE = "none"

Attribute = Callable[[Pair, bool, str], tuple[Ints, Ints, tuple[str, ...]]]
"""Codes of the mentions of gold and of the system, and the names of codes in the order in which they are shown.

Arguments are the pair, whether singletons count, and the argument of the slice.
"""


def _entity_type(pair: Pair, singletons: bool, _: str) -> tuple[Ints, Ints, tuple[str, ...]]:
    sides = mentions_of(pair, singletons)
    if not any(corpus.marks["mentions"].labels.vocabulary for corpus in (pair.gold, pair.system)):
        raise UsageError("--slice entity-type: these files have no types of entities (etype).")
    names = []
    for mentions in sides:
        # The most frequent type of each chain, or the first in the text of several.
        types = [_NO_TYPE] * len(mentions.columns["chain"].vocabulary)
        vocabulary = mentions.labels.vocabulary or ("",)
        pairs = chain_of(mentions).astype(np.int64) * len(vocabulary) + mentions.label
        distinct, first, number = np.unique(pairs, return_index=True, return_counts=True)
        # By number, then by the place of the first mention; the best of each chain comes last.
        for row in np.lexsort((-first, number)).tolist():
            chain, code = divmod(int(distinct[row]), len(vocabulary))
            if name := vocabulary[code]:
                types[chain] = name
        names.append(types)
    distinct_names = tuple(sorted({name for types in names for name in types}))
    gold, system = (
        np.array([distinct_names.index(name) for name in types], dtype=np.int64)[chain_of(mentions)]
        for types, mentions in zip(names, sides, strict=True)
    )
    return gold, system, distinct_names


def _chain_length(pair: Pair, singletons: bool, argument: str) -> tuple[Ints, Ints, tuple[str, ...]]:
    edges: tuple[int, ...] = _EDGES
    if argument:
        edges = tuple(whole_number(cell) for cell in argument.split(","))
        if not all(low < high for low, high in pairwise((0, *edges))):
            raise UsageError(f"--slice chain-length:{argument}: edges are rising numbers, e.g. chain-length:2,10")
    names = [str(high) if high - low == 1 else f"{low + 1}-{high}" for low, high in pairwise((0, *edges))]
    gold, system = (
        np.searchsorted(edges, np.bincount(chain_of(mentions), minlength=1)[chain_of(mentions)])
        for mentions in mentions_of(pair, singletons)
    )
    return gold, system, (*names, f"{edges[-1] + 1}+")


def _head_upos(pair: Pair, singletons: bool, _: str) -> tuple[Ints, Ints, tuple[str, ...]]:
    gold, system = code_by_alphabet(head_tags(pair, singletons))
    return gold.codes, system.codes, gold.vocabulary


def _mention_type(pair: Pair, singletons: bool, _: str) -> tuple[Ints, Ints, tuple[str, ...]]:
    gold, system = mention_types(pair, singletons)
    return gold.codes, system.codes, gold.vocabulary


def _make_slice(name: str, help_: str, attribute: Attribute, takes_argument: bool = False) -> SliceKind:
    def of_items(pair: Pair, items: Items, argument: str) -> Values:
        """Values of the mentions that ARCS classifies: by gold, and by the system for spurious ones."""
        *sides, names = attribute(pair, True, argument)
        by_span = []
        for codes, mentions in zip(sides, mentions_of(pair), strict=True):
            column = np.full(len(spans_of_mentions(pair)) + 1, NONE)
            column[mentions.arguments["span"]] = codes
            by_span.append(column)
        assert items.partner is not None
        return np.where(items.has_gold, by_span[0][items.item], by_span[1][items.partner[0]]), names

    def of_counts(pair: Pair, measure: Measure, argument: str) -> Parts:
        """Counts of a chain metric, by the values of chains or of mentions."""
        metric, parameters = measure.name, measure.parameters
        if metric not in SPLIT[name] or parameters["average"] != "micro":
            return []
        singletons = bool(parameters["singletons"])
        *values, names = attribute(pair, singletons, argument)
        sides = mentions_of(pair, singletons)
        matched = match_mentions(pair, parameters["match"], singletons, parameters["zeros"])
        table = chain_table(pair, parameters["match"], singletons, parameters["zeros"])
        documents, fractions = table.documents, METRICS[metric].fields == FRACTIONS

        def sums(numbers: Array, document: Ints, codes: Ints, exact: bool = True) -> Ints:
            """Documents × values: the sums of numbers, in units of 1/ONE if they are not exact."""
            sum_up = sum_integers if exact else sum_fractions
            group = document * len(names) + codes
            return sum_up(numbers, group, documents * len(names)).reshape(documents, len(names))

        # The number of each mention's chain in the table, and the cell of each matched pair.
        chains = [np.unique(chain_of(side), return_inverse=True)[1] for side in sides]
        width = max(len(table.system_size), 1)
        cells = table.gold_chain * width + table.system_chain
        cell = np.searchsorted(cells, chains[0][matched[0]] * width + chains[1][matched[1]])
        columns: list[Ints] = []
        for side, (mentions, codes) in enumerate(zip(sides, values, strict=True)):
            side_table = table.swapped() if side else table
            if SPLIT[name] == BY_CHAIN:
                # Numerator and denominator of each chain's recall.
                of_chain = np.zeros(len(side_table.gold_size), dtype=np.int64)
                of_chain[chains[side]] = codes
                links = int(metric == "muc")
                shares: Array = side_table.shared - links
                if fractions:
                    shares = side_table.mention_shares() if metric == "b-cubed" else side_table.resolved_links()
                columns.append(sums(shares, table.document, of_chain[side_table.gold_chain], not fractions))
                columns.append(sums(side_table.gold_size - links, side_table.gold_document, of_chain))
            else:
                # The share of its chain that is in the chain of its partner.
                credit = np.zeros(len(mentions))
                sizes = side_table.gold_size[chains[side][matched[side]]]
                credit[matched[side]] = table.shared[cell] / sizes if fractions else 1
                columns.append(sums(credit, mentions.unit, codes, not fractions))
                columns.append(sums(np.ones(len(mentions)), mentions.unit, codes))
        # Then the number of gold's mentions, which metrics of links or of fractions do not count.
        columns.append(sums(np.ones(len(sides[0])), sides[0].unit, values[0]))
        fields = (*(FRACTIONS if fractions else ("right", "gold", "found", "system")), "items")
        counts = np.stack(columns, axis=-1)
        numbers = [np.bincount(codes, minlength=len(names)) for codes in values]
        first_sentences, sentences = first_sentences_of(pair), pair.gold.sentences
        return [
            (value, int(numbers[0][code]), Counts(fields, sentences, first_sentences, counts[:, code]))
            for code, value in enumerate(names)
            if numbers[0][code] or numbers[1][code]
        ]

    return SliceKind(name, help_, takes_argument, of_items=of_items, of_counts=of_counts)


SLICES = (
    _make_slice("entity-type", "type of a chain's entity (etype)", _entity_type),
    _make_slice("chain-length", "number of mentions in the chain (chain-length:2,10)", _chain_length, True),
    _make_slice("head-upos", "UPOS of a mention's head in gold", _head_upos),
    _make_slice("mention-type", "zero, pronoun, name, noun, other (--mention-types)", _mention_type),
)
