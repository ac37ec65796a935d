"""Corpora with relations, made of lists as the shared cases have them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.corpus import Column, Corpus
from assay.formats.relations import relation_lists


def corpus_of(sentences: Sequence[Mapping[str, Any]], lengths: Sequence[int], name: str = "data") -> Corpus:
    """A corpus of sentences of one-letter words, each with spans [id, type, [[first, end], …]] and relations
    [label, head, tail], some of them `symmetric`; or with `entities` {id: [type, [[first, end], …]]}."""
    lists = relation_lists()
    for number, given in enumerate(sentences):
        spans: dict[str, int] = {}
        for key, kind, atoms in given.get("spans", ()):
            spans[key] = lists.span(number, [(begin, end) for begin, end in atoms], kind, number + 1)
        for key, (kind, mentions) in given.get("entities", {}).items():
            own = [lists.span(number, [(begin, end)], kind, number + 1) for begin, end in mentions]
            lists.entity(own)
            spans[key] = own[0]
        undirected = given.get("symmetric", ())
        for label, head, tail in given["relations"]:
            lists.relation(label, spans[head], spans[tail], number + 1, symmetric=label in undirected)
    words = [chr(ord("a") + place % 26) for length in lengths for place in range(length)]
    return Corpus(
        name=name,
        format="lists",
        sha256=hashlib.sha256(repr((name, sentences, lengths)).encode()).hexdigest(),
        forms=Column.of(words),
        columns={},
        starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    ).with_marks(**lists.layer())
