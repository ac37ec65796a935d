"""Mentions with identifiers as lists, and as a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.corpus import Corpus, from_lists
from assay.formats.relations import link_lists

Mention = Sequence[Any]
"""First place, the one behind the last, type, identifiers."""


def corpus_of(documents: Sequence[Sequence[Mention]], name: str, words: int = 16) -> Corpus:
    """A corpus of so many words in each document, each document a sentence, with these mentions."""
    corpus = from_lists([[(f"w{place}", "O") for place in range(words)] for _ in documents], name)
    lists = link_lists()
    for number, mentions in enumerate(documents):
        for begin, end, label, identifiers in mentions:
            lists.link(lists.span(number, [(begin, end)], label, number + 1), identifiers)
    layers = lists.layer()
    starts = list(range(len(documents) + 1))
    return replace(corpus, document_starts=np.array(starts)).with_marks(spans=layers["links"], **layers)
