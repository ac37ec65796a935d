"""What is wrong with chains: the steps that would make the response the key, counted by their kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.arrays import Ints
from assay.tasks.coreference.chains.tables import Mentions, Table, added, table

ERRORS = ("span", "merged", "split", "missing-entity", "missing-mention", "extra-entity", "extra-mention")
"""Mentions with a wrong span; parts of other entities in a chain, and chains that an entity is cut into, beyond the
first; chains that one side has alone, and mentions that one side has alone in a chain that both have."""


def chain_errors(key: Mentions, response: Mentions, wrong_spans: tuple[Ints, Ints], documents: int) -> Ints:
    """Documents × ERRORS, after Kummerfeld and Klein 2013.

    `wrong_spans` are mentions of the key and of the response that are the same but for their spans. Put right, they
    count like any other mention; what is then not shared is missing or extra, what is shared split or merged.
    """
    in_key, in_response = wrong_spans
    place = response.place.copy()
    place[in_response] = key.place[in_key]
    t = table(key, replace(response, place=place), documents)
    spans = np.bincount(key.document[in_key], minlength=documents)
    split, missing, absent = _one_way(t)
    merged, extra, invented = _one_way(t.swapped())
    return np.stack([spans, merged, split, missing, absent, extra, invented], axis=1).astype(np.int64)


def _one_way(t: Table) -> tuple[Ints, Ints, Ints]:
    """Per document: parts of the key's chains beyond the first, chains not found at all, and mentions of others."""
    parts = np.bincount(t.key_chain, minlength=len(t.key.size))
    found = added(t.shared, t.key_chain, len(t.key.size))
    numbers = (np.maximum(parts - 1, 0), found == 0, np.where(found > 0, t.key.size - found, 0))
    first, second, third = (added(number, t.key.document, t.documents) for number in numbers)
    return first, second, third
