"""Coreference chains as lists of spans, made into the arrays that are scored, and their scores by name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from assay.arrays import NONE
from assay.corpus import Column, Marks
from assay.engine.items import ONE
from assay.tasks.coreference import chains as scoring
from assay.tasks.coreference.chains import CLASSES, ChainTable, drop_singletons
from assay.tasks.coreference.measures import FRACTIONS, METRICS

Span = tuple[int, int]
"""First and last word."""
Chain = Sequence[Span]
WIDEST = 1 << 20
NAMES = {
    "mentions": "mentions",
    "muc": "muc",
    "bcub": "b-cubed",
    "ceafm": "ceaf-m",
    "ceafe": "ceaf-e",
    "blanc": "blanc",
    "lea": "lea",
}
"""What the expected figures call the metrics, and what assay does."""


class Text(NamedTuple):
    """A document: its part-of-speech tags (where it has them) and its chains."""

    tags: list[str]
    chains: list[list[Span]]


def mentions(documents: Sequence[Sequence[Chain]]) -> Marks:
    """The mentions of documents, each a list of chains, chains numbered in the order they come."""
    rows = []
    number = 0
    for document, chains in enumerate(documents):
        spans = sorted(span for chain in chains for span in chain)
        assert len(set(spans)) == len(spans), "a span may be there once"
        for chain in chains:
            rows += [(document, *span, number) for span in chain]
            number += 1
    document, first, last, chain_number = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    span = (document * WIDEST + first) * WIDEST + last
    labels = Column(np.zeros(len(rows), dtype=np.int32), ())
    return Marks(document, first, last + 1, labels, arguments={"span": span}, group=chain_number)


def without_singletons(side: Marks) -> Marks:
    """The mentions of chains of two or more."""
    return drop_singletons(side)


class Arcs(NamedTuple):
    """What ARCS says of each mention, by place."""

    place: np.ndarray
    document: np.ndarray
    kind: np.ndarray
    key: np.ndarray
    response: np.ndarray
    antecedent: np.ndarray


def arcs(key: Marks, response: Marks, *nominal: np.ndarray | None) -> Arcs:
    """The class of each mention, with the places of mentions and antecedents."""
    given = None if not nominal or nominal[0] is None else nominal
    matches, antecedent = scoring.classify_mentions(key, response, given)
    has_key = matches.gold != NONE
    place, document = (
        np.where(has_key, np.append(ours, NONE)[matches.gold], np.append(theirs, NONE)[matches.system])
        for ours, theirs in ((key.arguments["span"], response.arguments["span"]), (key.unit, response.unit))
    )
    columns = matches.kind, matches.gold, matches.system, np.append(response.arguments["span"], NONE)[antecedent]
    order = np.lexsort((~has_key, place))
    return Arcs(*(column[order] for column in (place, document, *columns)))


def class_counts(found: Arcs, documents: int) -> np.ndarray:
    """Documents × CLASSES: the number of mentions of each class."""
    cells = np.bincount(found.document * len(CLASSES) + found.kind, minlength=documents * len(CLASSES))
    return cells.reshape(documents, len(CLASSES))


def table_of(key: Sequence[Sequence[Chain]], response: Sequence[Sequence[Chain]]) -> ChainTable:
    """The table of two lists of documents."""
    return ChainTable.of(mentions(key), mentions(response), len(key))


def sums_of(counts: np.ndarray, fields: Sequence[str]) -> dict[str, np.ndarray]:
    """Counts summed over documents, by field."""
    return dict(zip(fields, counts.sum(axis=0).astype(np.float64), strict=True))


def scores(t: ChainTable, metric: str) -> dict[str, float]:
    """All scores of a metric over all documents."""
    known = METRICS[metric]
    sums = sums_of(known.count(t), known.fields)
    return {name: float(score(sums)) for name, score in known.scores.items()}


def triple(t: ChainTable, metric: str) -> list[float]:
    """Recall, precision and F over all documents, undefined ones as 0."""
    found = scores(t, metric)
    return [float(np.nan_to_num(found[name])) for name in ("recall", "precision", "f1")]


def four(t: ChainTable, metric: str) -> np.ndarray:
    """Numerators and denominators of recall and precision, documents × 4; BLANC has those of its two classes, × 8."""
    known = METRICS[metric]
    counts = known.count(t)
    if known.fields == FRACTIONS:
        return counts / np.array([ONE, 1, ONE, 1])
    return counts[:, [column + offset for offset in range(0, counts.shape[1], 3) for column in (0, 1, 0, 2)]]


def check_chain_metrics(
    t: ChainTable, documents: Iterable[str], expected: Mapping[str, Any], counts: Mapping[str, Any], within: float
) -> None:
    """All scores of a table, and its counts in each document."""
    for name, metric in NAMES.items():
        assert triple(t, metric) == pytest.approx(expected[name], abs=within), metric
        for document, found in zip(documents, four(t, metric), strict=True):
            wanted = counts[document]
            figures = wanted["blanc_c"] + wanted["blanc_n"] if metric == "blanc" else wanted[name]
            assert found.tolist() == pytest.approx(figures, abs=2 * within), (document, metric)
    assert scores(t, "conll")["value"] == pytest.approx(expected["mela_f"], abs=within)


# --- files ---


def read(path: Path, tag_column: int | None = 4) -> dict[str, Text]:
    """The documents of a file in the layout of CoNLL-2012 by name; of repeated spans the first is kept."""
    documents: dict[str, Text] = {}
    for name, body in re.findall(
        r"^#begin document ([^\n]*)\n(.*?)^#end document", path.read_text("utf-8"), re.M | re.S
    ):
        rows = [line.rstrip().split() for line in body.splitlines() if line.strip()]
        tags = [row[tag_column] for row in rows] if tag_column is not None else []
        documents[name.split(";")[0].strip("()")] = Text(tags, _chains([row[-1] for row in rows]))
    return documents


def _chains(cells: Sequence[str]) -> list[list[Span]]:
    """Chains in the order in which their ids appear: on a line words of their own, then openings, then closings."""
    chains: dict[str, list[Span]] = defaultdict(list)
    opened: dict[str, list[int]] = defaultdict(list)
    for word, cell in enumerate(cells):
        for single in re.findall(r"\((\w+)\)", cell):
            chains[single].append((word, word))
        rest = re.sub(r"\(\w+\)", "|", cell)
        for identity in re.findall(r"\((\w+)", rest):
            _ = chains[identity]
            opened[identity].append(word)
        for identity in re.findall(r"(\w+)\)", rest):
            chains[identity].append((opened[identity].pop(), word))
    assert not any(opened.values()), "a mention is not closed"
    return _first_copies(chains.values())


def _first_copies(chains) -> list[list[Span]]:
    seen: set[Span] = set()
    kept = []
    for chain in chains:
        new = [span for span in dict.fromkeys(chain) if span not in seen]
        seen.update(new)
        kept.append(new)
    return [chain for chain in kept if chain]


def paired(key: dict[str, Text], response: dict[str, Text]) -> tuple[Marks, Marks]:
    """The mentions of two files over the key's documents."""
    return mentions([text.chains for text in key.values()]), mentions([response[name].chains for name in key])


def kind_of(span: Span, tags: Sequence[str]) -> str:
    """NOUN for mentions of several words and for nouns, else the tag itself."""
    return "NOUN" if span[0] < span[1] or tags[span[0]] in ("NN", "NNS", "NNP", "NNPS", "NE") else tags[span[0]]


def kinds(side: Marks, key: dict[str, Text]) -> np.ndarray:
    """The kind of each mention, by the key's tags."""
    tags = [text.tags for text in key.values()]
    places = zip(side.unit.tolist(), side.arguments["span"].tolist(), strict=True)
    return np.array([kind_of(span_at(place), tags[document]) for document, place in places], dtype=object)


def judged(both: tuple[Marks, Marks], key: dict[str, Text], criterion: str) -> Arcs:
    """ARCS under a criterion, `any` or `nom`."""
    nominal = [kinds(side, key) == "NOUN" if criterion == "nom" else None for side in both]
    return arcs(*both, *nominal)


def span_at(place: int) -> Span:
    """The span that a place stands for."""
    return place // WIDEST % WIDEST, place % WIDEST
