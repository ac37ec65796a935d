"""Mentions in chains, and the table of which chains of key and response share how many mentions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from assay.arrays import Array, Bools, Ints


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

    def where(self, mask: Bools) -> Mentions:
        """The mentions of a selection."""
        return Mentions(self.document[mask], self.place[mask], self.chain[mask], self.order[mask])


def linked(chain: Ints) -> Bools:
    """Whether each mention is in a chain of two or more."""
    _, number, size = np.unique(chain, return_inverse=True, return_counts=True)
    return np.asarray(size[number] > 1)


@dataclass(frozen=True, eq=False)
class Chains:
    """One side's chains: in which document each is, and how many mentions it has."""

    document: Ints
    size: Ints


@dataclass(frozen=True, eq=False)
class Table:
    """The chains of both sides and one cell for each two that share mentions: all that the chain metrics need."""

    documents: int
    key: Chains
    response: Chains
    key_chain: Ints
    """The key chain of each cell."""
    response_chain: Ints
    """The response chain of each cell."""
    shared: Ints
    """The number of mentions that the two have in common; never 0."""
    kept: dict[str, Ints] = field(default_factory=dict)
    """What metrics counted here, for those that are made of others."""

    @property
    def document(self) -> Ints:
        """The document of each cell."""
        return self.key.document[self.key_chain]

    @property
    def key_size(self) -> Ints:
        """The size of each cell's key chain."""
        return self.key.size[self.key_chain]

    @property
    def response_size(self) -> Ints:
        """The size of each cell's response chain."""
        return self.response.size[self.response_chain]

    def swapped(self) -> Table:
        """The table with key and response exchanged."""
        return Table(self.documents, self.response, self.key, self.response_chain, self.key_chain, self.shared)


def table(key: Mentions, response: Mentions, documents: int) -> Table:
    """The table of two sides; a mention of the response matches the key's mention of the same place."""
    ours, key_chain = _chains(key)
    theirs, response_chain = _chains(response)
    in_key, in_response = common(key, response)
    width = max(len(theirs.size), 1)
    cells, shared = np.unique(key_chain[in_key] * width + response_chain[in_response], return_counts=True)
    return Table(documents, ours, theirs, cells // width, cells % width, shared)


def _chains(mentions: Mentions) -> tuple[Chains, Ints]:
    """The chains of one side, and which of them each mention is in."""
    _, chain, size = np.unique(mentions.chain, return_inverse=True, return_counts=True)
    document = np.zeros(len(size), dtype=np.int64)
    document[chain] = mentions.document
    return Chains(document, size), chain


def common(key: Mentions, response: Mentions) -> tuple[Ints, Ints]:
    """The mentions that both sides have, by their index on each."""
    _, in_key, in_response = np.intersect1d(key.place, response.place, assume_unique=True, return_indices=True)
    return in_key, in_response


def added(values: Array, document: Ints, documents: int) -> Ints:
    """Whole numbers added up by document."""
    # bincount adds in float64, exact for whole numbers below 2^53.
    return np.bincount(document, weights=values, minlength=documents).astype(np.int64)


def pairs(size: Ints) -> Ints:
    """How many pairs can be made of so many mentions."""
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


def run_starts(group: Ints) -> Bools:
    """Where a run of equal numbers begins."""
    starts = np.ones(len(group), dtype=np.bool_)
    starts[1:] = group[1:] != group[:-1]
    return starts
