"""What the chain metrics count in each document, all from one table.

Each function gives documents × fields in whole numbers, so that any set of documents is scored from sums. Where
a metric adds up fractions, its numerators are in units of 1/ONE, rounded once per document.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from itertools import pairwise

import numpy as np

from assay.arrays import Floats, Ints
from assay.engine.items import ONE
from assay.tasks.coreference.chains.alignment import best_alignment
from assay.tasks.coreference.chains.tables import Table, added, pairs

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
    return np.stack([added(t.shared, t.document, t.documents), *_sizes(t)], axis=1)


@_once
def muc(t: Table) -> Ints:
    """MUC: the links that chains need to hold together. Fields: MATCHED, in links."""
    right = added(t.shared - 1, t.document, t.documents)
    links = (added(side.size - 1, side.document, t.documents) for side in (t.key, t.response))
    return np.stack([right, *links], axis=1)


def ceaf_m(t: Table) -> Ints:
    """CEAFm: mentions shared under the best one-to-one alignment of chains. Fields: MATCHED, in mentions."""
    aligned = best_alignment(t.key_chain, t.response_chain, t.shared.astype(np.float64))
    return np.stack([added(t.shared[aligned], t.document[aligned], t.documents), *_sizes(t)], axis=1)


@_once
def ceaf_e(t: Table) -> Ints:
    """CEAFe: similarity of chains under the best one-to-one alignment. Fields: FRACTIONS, over chains."""
    similarity = 2 * t.shared / (t.key_size + t.response_size)
    aligned = best_alignment(t.key_chain, t.response_chain, similarity)
    total = _fractions(similarity[aligned], t.document[aligned], t.documents)
    chains = (np.bincount(side.document, minlength=t.documents) for side in (t.key, t.response))
    return _columns(total, total, *chains)


@_once
def b_cubed(t: Table) -> Ints:
    """B³: each mention's share of its chain that the other side's chain has too. Fields: FRACTIONS, over mentions."""
    return _both_ways(t, lambda side: side.shared * side.shared / side.key_size)


def lea(t: Table) -> Ints:
    """LEA: the resolved share of each chain's links, weighted by its size. Fields: FRACTIONS, over mentions.

    A singleton is its own link, resolved where it is a singleton on the other side too.
    """
    return _both_ways(t, _resolved)


def _resolved(t: Table) -> Floats:
    links = t.shared * (t.shared - 1) / np.maximum(t.key_size - 1, 1)
    return np.where(t.key_size == 1, t.response_size == 1, links)


def blanc(t: Table) -> Ints:
    """BLANC: pairs of mentions that are in one chain, and that are in two. Fields: LINKS."""
    found, in_key, in_response = mentions(t).T
    together = added(pairs(t.shared), t.document, t.documents)
    both_found = pairs(found) - _found_pairs(t) - _found_pairs(t.swapped()) + together
    of_key, of_response = (added(pairs(side.size), side.document, t.documents) for side in (t.key, t.response))
    apart = both_found, pairs(in_key) - of_key, pairs(in_response) - of_response
    return np.stack([together, of_key, of_response, *apart], axis=1)


def conll(t: Table) -> Ints:
    """The CoNLL score (MELA): what MUC, B³ and CEAFe count. Fields: CONLL."""
    return np.hstack([muc(t), b_cubed(t), ceaf_e(t)])


def _found_pairs(t: Table) -> Ints:
    """Pairs of the key's chains of which both mentions are in the response."""
    found = added(t.shared, t.key_chain, len(t.key.size))
    return added(pairs(found), t.key.document, t.documents)


def _sizes(t: Table) -> list[Ints]:
    """The mentions of key and response in each document."""
    return [added(side.size, side.document, t.documents) for side in (t.key, t.response)]


def _both_ways(t: Table, credit: Callable[[Table], Floats]) -> Ints:
    """A metric whose precision is its recall with the sides exchanged."""
    recall, precision = (_fractions(credit(side), t.document, t.documents) for side in (t, t.swapped()))
    return _columns(recall, precision, *_sizes(t))


def _columns(recall: Ints, precision: Ints, in_key: Ints, in_response: Ints) -> Ints:
    return np.stack([recall, in_key, precision, in_response], axis=1)


def _fractions(values: Floats, document: Ints, documents: int) -> Ints:
    """The exact sum of each document's values, in units of 1/ONE: the same in whatever order they come."""
    order = np.argsort(document)
    listed = values[order].tolist()
    bounds = np.searchsorted(document[order], np.arange(documents + 1)).tolist()
    sums = [math.fsum(listed[begin:end]) for begin, end in pairwise(bounds)]
    return np.asarray(np.rint(np.array(sums) * ONE), dtype=np.int64)
