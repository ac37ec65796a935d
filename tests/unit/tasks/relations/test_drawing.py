"""Relations in the text: lines of a terminal, arcs and spans of a page."""

from __future__ import annotations

from typing import Any

import assay
from assay.corpus import Corpus
from assay.render.drawings import graph_lines
from assay.result import Result
from relationlists import corpus_of

SPANS = [["a", "PER", [[0, 2]]], ["b", "ORG", [[4, 6]]], ["c", "LOC", [[8, 9]]]]
NONE = {"spans": [], "relations": []}


def two_sentences(relations: list[list[str]], spans: list[Any] = SPANS, name: str = "data") -> Corpus:
    """Words a to e, and a to f; b lies over the end of the first sentence, c in the second."""
    return corpus_of([{"spans": spans, "relations": relations}, NONE], [5, 6], name)


def shown(gold: Corpus, system: Corpus, measure: str = "fair-relations") -> Result:
    return assay.score(gold, {"s": system}, [measure], times=1, examples=5, embed="all")


def lines(gold: list[list[str]], system: list[list[str]], spans: list[Any] = SPANS) -> list[str]:
    (example,) = shown(two_sentences(gold), two_sentences(system, spans, "s")).examples
    return [" ".join(line.split()) for line in graph_lines(example, 100)]


def test_a_line_says_what_is_right_of_a_relation() -> None:
    moved = [["a", "PER", [[0, 1]]], *SPANS[1:]]
    assert lines([["works", "a", "b"]], [["works", "a", "b"]], moved) == [
        "works(a b, e) ✗ s: works(a[BE], e ✓) → a b"
    ]
    assert lines([["works", "a", "b"]], [["owns", "a", "b"]]) == ["works(a b, e) ✗ s: owns(a b ✓, e ✓)[LE]"]
    assert lines([["works", "a", "b"]], [["works", "b", "a"]]) == ["works(a b, e) ✗ s: works(e, a b)[DE]"]
    assert lines([["works", "a", "b"]], [["works", "a", "a"]]) == [
        "works(a b, a b) ∅ ✗ s: spurious",
        "works(a b, e) ✗ s: missing",
    ]


def test_a_relation_that_leaves_its_sentence_names_its_other_argument() -> None:
    gold, system = [["in", "a", "c"], ["of", "c", "b"]], [["at", "a", "c"]]
    assert lines(gold, system) == ["in → d (a b) ✗ s: at → d (a b ✓)[LE]", "of ← d (e) ✗ s: missing"]


def test_a_page_has_arcs_with_heads_and_spans_without() -> None:
    gold = two_sentences([["works", "a", "b"], ["spouse", "b", "a"], ["in", "a", "c"]])
    texts = shown(gold, gold, "fair-relations(symmetric=spouse)").texts
    assert texts is not None
    layer = texts["layers"][0]
    rows = [
        (layer["labels"][label], begin, begin + length, head, undirected)
        for label, begin, length, head, undirected in zip(
            *(layer[name] for name in ("label", "begin", "length", "head", "undirected")), strict=True
        )
    ]
    # What reaches beyond its sentence is drawn as far as it goes; heads: -2 elsewhere, -3 none.
    assert sorted(rows) == [
        ("LOC", 3, 4, -3, 0),
        ("ORG", 4, 5, -3, 0),
        ("PER", 0, 2, -3, 0),
        ("in → d", 0, 2, -2, 0),
        ("spouse", 0, 2, 4, 1),
        ("works", 4, 5, 0, 0),
    ]
