"""Function trees as plain dictionaries from sets of words to sets of labels, for tests of the arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from assay.tasks.cross.functiontrees import FunctionTrees, from_dependencies, from_nodes, overlay
from assay.tasks.cross.measures import KINDS, Edits, Parse, unit_kinds

Model = dict[frozenset[int], frozenset[str]]
Arc = tuple[int, str]
"""Head, counted from 1, 0 for none, and relation of a word."""


def nodes_of(text: str) -> tuple[list[tuple[str, int, int]], int]:
    """The nodes of a bracketed tree, outer ones first, as (label, begin, end), and the number of its words."""
    nodes: list[tuple[str, int, int]] = []
    open_nodes: list[int] = []
    words = 0
    for token in re.findall(r"\([^\s()]*|\)|[^\s()]+", text):
        if token.startswith("("):
            open_nodes.append(len(nodes))
            nodes.append((token[1:], words, words))
        elif token == ")":
            label, begin, _ = nodes[open_nodes[-1]]
            nodes[open_nodes.pop()] = (label, begin, words)
        else:
            words += 1
    return nodes, words


def starts_of(lengths: Sequence[int]) -> np.ndarray:
    """The first word of each sentence and the end of the last."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


def from_brackets(*texts: str, top_root: bool = False) -> FunctionTrees:
    """Trees of bracketed function trees, in which `_` is a node without a label."""
    read = [nodes_of(text) for text in texts]
    rows = [(sentence, begin, end) for sentence, (nodes, _) in enumerate(read) for _, begin, end in nodes]
    sentence, begin, end = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    sets = [() if label == "_" else (label,) for nodes, _ in read for label, _, _ in nodes]
    functions = (np.arange(len(sets)), sets)
    return from_nodes(starts_of([words for _, words in read]), sentence, begin, end, functions, top_root=top_root)


def from_arcs(*sentences: Sequence[Arc], heads: bool = True) -> FunctionTrees:
    """Trees of dependencies; heads: with their label `hd`."""
    trees = from_dependencies(*arcs(*sentences))
    kept = trees.label != trees.labels.index("hd")
    return trees if heads else trees.select(np.ones(len(trees), dtype=bool), kept)


def edits(parse: FunctionTrees, gold: FunctionTrees, generalised: FunctionTrees, **options: bool) -> Edits:
    """The edits between three trees."""
    return Parse(parse, gold, generalised).edits(**options)


def arcs(*sentences: Sequence[Arc]) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Dependencies as starts, heads, codes of relations, and relations."""
    starts = starts_of([len(sentence) for sentence in sentences])
    rows = [(head, first, name) for first, words in zip(starts, sentences, strict=False) for head, name in words]
    heads = [head + first - 1 if head else -1 for head, first, _ in rows]
    labels = sorted({name for *_, name in rows})
    relations = [labels.index(name) for *_, name in rows]
    return starts, np.array(heads, dtype=np.int64), np.array(relations, dtype=np.int64), labels


def stretches_of(words: frozenset[int]) -> tuple[tuple[int, int], ...]:
    """A set of words as stretches (first, end)."""
    begins = [word for word in sorted(words) if word - 1 not in words]
    ends = [word + 1 for word in sorted(words) if word + 1 not in words]
    return tuple(zip(begins, ends, strict=True))


def from_models(models: Sequence[Model], lengths: Sequence[int]) -> FunctionTrees:
    """The arrays of dictionaries, one per sentence."""
    rows = [(number, words, labels) for number, model in enumerate(models) for words, labels in model.items()]
    places = [(number, min(words), max(words) + 1) for number, words, _ in rows]
    sentence, begin, end = np.array(places, dtype=np.int64).reshape(-1, 3).T
    gaps = {row: stretches_of(words) for row, (_, words, _) in enumerate(rows) if len(stretches_of(words)) > 1}
    functions = (np.arange(len(rows)), [sorted(labels) for *_, labels in rows])
    return from_nodes(starts_of(lengths), sentence, begin, end, functions, stretches=gaps, top_root=False)


def to_models(trees: FunctionTrees) -> list[Model]:
    """The dictionary of each sentence."""
    models: list[Model] = [{} for _ in range(trees.sentences)]
    for node, sentence in enumerate(trees.nodes.sentence.tolist()):
        words = frozenset(word for begin, end in trees.nodes.stretches(node) for word in range(begin, end))
        assert words not in models[sentence], "a yield stands in two rows"
        models[sentence][words] = frozenset(trees.labels_of(node))
    return models


def model(**labels_by_place: str) -> Model:
    """`model(_03="root", _12="")`: labels, separated by spaces, over the words from one digit up to the other."""
    return {
        frozenset(range(int(place[1]), int(place[2]))): frozenset(labels.split())
        for place, labels in labels_by_place.items()
    }


def describe(
    sentence: int,
    parse: FunctionTrees,
    gold: FunctionTrees,
    generalised: FunctionTrees,
    *,
    labelled: bool = True,
    empty_counts: bool = True,
) -> list[tuple[str | None, tuple[tuple[int, int], ...], str]]:
    """The units of one sentence, outer ones first: label, words as stretches, and what becomes of it."""
    laid = overlay(parse, gold, generalised)
    units = laid.units(labelled=labelled, empty_counts=empty_counts)
    kinds = unit_kinds(*units.has)
    names = (*laid.union.labels, "")
    rows = np.flatnonzero((units.sentence == sentence) & (kinds >= 0)).tolist()
    named = sorted((int(units.node[row]), names[units.label[row]], KINDS[kinds[row]]) for row in rows)
    return [(label or None, laid.union.nodes.stretches(node), kind) for node, label, kind in named]
