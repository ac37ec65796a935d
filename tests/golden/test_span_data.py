"""Counts on the data of Ortmann (2022): its published tables, and the check figures of the SemEval matching."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import zip_longest

import pytest

from assay.engine.matching import EXACT, FAIR, SEMEVAL
from assay.engine.matching import match_exact as exact
from assay.engine.matching import match_fair as fair
from assay.engine.matching import match_semeval as semeval
from spanlists import kinds_of, rows, span, span_lists

DATA = {"ner": "ner_spans", "chunks": "chunk_spans"}

FAIR_COUNTS = {
    "ner": {"tp": 5159, "fp": 253, "fn": 462, "le": 252, "bes": 71, "bel": 106, "beo": 3, "lbe": 155},
    "chunks": {"tp": 97649, "fp": 40, "fn": 40, "le": 206, "bes": 673, "bel": 1845, "beo": 5, "lbe": 1466},
}
EXACT_COUNTS = {"ner": {"tp": 5159, "fp": 794, "fn": 1019}, "chunks": {"tp": 97649, "fp": 2812, "fn": 3655}}
SEMEVAL_COUNTS = {  # targets, system spans, right by the strict score, by boundaries, by type; pairs
    "ner": (6178, 5953, 5159, 5411, 5312, 5670),
    "chunks": (101304, 100461, 97649, 97855, 99528, 99845),
}


def sentences(path):
    """The spans of each sentence of a file with label, first and last token, and the list of tokens."""
    for block in path.read_text("utf-8").strip("\n").split("\n\n"):
        columns = [line.split("\t") for line in block.split("\n")]
        yield [(label, int(first), int(last)) for label, first, last, _ in columns if label not in ("NONE", "EMPTY")]


@pytest.fixture(scope="module", params=DATA)
def corpus(request, shared_data):
    """The name of the data, the folder, and the spans of both sides over one line of tokens."""
    folder = shared_data("spans-faireval")
    both = [sentences(folder / f"{DATA[request.param]}.{side}.csv") for side in ("target", "system")]
    sides = ([], [])
    offset = 0
    for unit in zip_longest(*both):
        for side, spans in zip(sides, unit, strict=True):
            side.extend(span(label, offset + first, offset + last) for label, first, last in spans)
        offset += 1 + max((last for spans in unit for *_, last in spans), default=0)
    return request.param, folder, sides


@pytest.fixture(scope="module")
def matched(corpus):
    """The rows of a way of matching; each way once."""
    _, _, sides = corpus
    return cache(lambda matching, kinds: rows(matching(*span_lists(*sides)), kinds))


def published(folder, name, heading):
    """A table of the published results: rows by their first cell, each cell by the name of its column."""
    text = (folder / f"eval_{name}.csv").read_text("utf-8")
    header, *lines = text.split(f"### {heading}:\n")[1].split("\n\n")[0].strip("\n").split("\n")
    columns = header.split("\t")[1:]
    return {cells[0]: dict(zip(columns, cells[1:], strict=True)) for cells in (line.split("\t") for line in lines)}


def counts_of_labels(found, target, system):
    """Counts by the label of the target, or of the system span where there is none; and overall."""
    counts = Counter()
    for ours, theirs, kind, *_ in found:
        label = target[ours][0] if ours is not None else system[theirs][0]
        counts[label, kind] += 1
        counts["overall", kind] += 1
    return counts


@pytest.mark.parametrize(("matching", "kinds", "expected"), [(exact, EXACT, EXACT_COUNTS), (fair, FAIR, FAIR_COUNTS)])
def test_overall_counts(corpus, matched, matching, kinds, expected):
    assert kinds_of(matched(matching, kinds)) == expected[corpus[0]]


@pytest.mark.parametrize(
    ("matching", "kinds", "heading"),
    [(exact, EXACT, "Traditional evaluation"), (fair, FAIR, "Weighted evaluation")],
)
def test_counts_of_labels_are_the_published_ones(corpus, matched, matching, kinds, heading):
    """The weighted table has the fair counts with boundary errors split; for named entities it is Table 2."""
    name, folder, sides = corpus
    found = counts_of_labels(matched(matching, kinds), *sides)
    table = published(folder, name, heading)
    assert {label for label, _ in found} == set(table)
    for label, cells in table.items():
        assert {kind: found[label, kind] for kind in kinds} == {kind: int(cells[kind.upper()]) for kind in kinds}


@pytest.mark.parametrize("corpus", ["ner"], indirect=True)
def test_table_2_of_the_paper(corpus, matched):
    _, _, sides = corpus
    found = counts_of_labels(matched(fair, FAIR), *sides)
    order = ("tp", "fp", "le", "bes", "bel", "beo", "lbe", "fn")
    assert {label: [found[label, kind] for kind in order] for label in ("LOC", "ORG", "OTH", "PER", "overall")} == {
        "LOC": [2132, 81, 56, 29, 28, 0, 40, 98],
        "ORG": [1002, 87, 76, 16, 27, 0, 48, 167],
        "OTH": [473, 48, 89, 15, 26, 3, 44, 142],
        "PER": [1552, 37, 31, 11, 25, 0, 23, 55],
        "overall": [5159, 253, 252, 71, 106, 3, 155, 462],
    }


def test_confusion_is_the_published_one(corpus, matched):
    name, folder, (target, system) = corpus
    found = Counter(
        ("_" if ours is None else target[ours][0], "_" if theirs is None else system[theirs][0])
        for ours, theirs, kind, *_ in matched(fair, FAIR)
        if kind != "tp"
    )
    table = published(folder, name, "Confusion matrix")
    expected = {(row, column): int(cell) for row, cells in table.items() for column, cell in cells.items()}
    assert {cell: number for cell, number in expected.items() if number} == dict(found)


def test_semeval_counts(corpus, matched):
    name, _, (target, system) = corpus
    found = kinds_of(matched(semeval, SEMEVAL))
    same = found["same"]
    pairs = same + found["same-span"] + found["same-label"] + found["overlap"]
    assert (
        len(target),
        len(system),
        same,
        same + found["same-span"],
        same + found["same-label"],
        pairs,
    ) == SEMEVAL_COUNTS[name]
    assert (found["missed"], found["spurious"]) == (len(target) - pairs, len(system) - pairs)
