"""A treebank of phrase structure with the functions of another treebank, written out as brackets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.arrays import atoms_at
from assay.corpus import Corpus, Trees
from assay.errors import AlignmentError, InputError, UsageError, listed
from assay.tasks.constituents.brackets import ROOTS, category, with_words_of
from assay.tasks.cross.frameworks import Annotation, Conversion, read_trees
from assay.tasks.cross.samewords import problems

Yield = tuple[tuple[int, int], ...]
_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


def enrich(structure: str, labels: str, *, input_format: str | None = None, subtypes: bool = True) -> str:
    """The trees of `structure`, each node named after its category and the functions that `labels` has for its words.

    This is TL-unification (Tsarfaty et al. 2012, section 3): no node is added, none is lost. The root above the
    sentence keeps its bare name.
    """
    if structure == labels == "-":
        raise UsageError("- (standard input) can be given once only.")
    ours, theirs = read_trees(structure, input_format), read_trees(labels, input_format)
    if ours.corpus.trees is None:
        raise UsageError(f"{structure}: holds no phrase structure. The treebank to be enriched comes first.")
    for one in (ours, theirs):
        if one.faults:
            fault = one.faults[0]
            raise InputError(f"{one.corpus.place(fault.word)}: {fault.fact}. Such a tree has no functions to give.")
    ours = Annotation(with_words_of(ours.corpus, theirs.corpus), ours.kind)
    _, lines = problems(ours.corpus, {labels: theirs.corpus})
    if lines:
        raise AlignmentError("\n".join([*listed(lines), "Both treebanks must have the same words."]))
    found = _functions(theirs, Conversion(subtypes))
    return "".join(f"{_tree(ours.corpus, sentence, found)}\n" for sentence in range(ours.corpus.sentences))


def _functions(annotation: Annotation, conversion: Conversion) -> dict[tuple[int, Yield], str]:
    """For each sentence and yield the functions, joined by hyphens."""
    trees = annotation.function_trees(conversion)
    names = {}
    for node, sentence in enumerate(trees.nodes.sentence.tolist()):
        functions = trees.labels_of(node)
        if functions:
            names[sentence, trees.words_of(node)] = "-".join(sorted(functions))
    return names


def _tree(corpus: Corpus, sentence: int, found: Mapping[tuple[int, Yield], str]) -> str:
    trees = corpus.trees
    assert trees is not None
    if sentence in corpus.unparsed:
        return "(())"
    start, end = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
    children: dict[int, list[tuple[int, str]]] = {}
    for place in range(end - start):
        # A hyphen divides category and function, so that a tag such as -LRB- goes without its own.
        tag = category(corpus.column("tag")[start + place]).strip("-")
        name = _named(tag, sentence, ((place, place + 1),), found)
        form = corpus.forms[start + place].translate(_ESCAPES)
        children.setdefault(int(trees.above[start + place]), []).append((place, f"({name} {form})"))
    # Each node stands before those below it, so that backwards all below a node are done before it.
    for node in reversed(_nodes_of(trees, sentence)):
        parts = " ".join(text for _, text in sorted(children.pop(node, [])))
        words = atoms_at(node, trees.begin, trees.end, trees.stretches)
        label = category(trees.labels[node])
        bare = int(trees.parent[node]) < 0 and label in ROOTS
        name = label if bare else _named(label, sentence, words, found)
        children.setdefault(int(trees.parent[node]), []).append((int(trees.begin[node]), f"({name} {parts})"))
    return " ".join(text for _, text in sorted(children.get(-1, [])))


def _nodes_of(trees: Trees, sentence: int) -> range:
    first, last = np.searchsorted(trees.sentence, [sentence, sentence + 1])
    return range(int(first), int(last))


def _named(label: str, sentence: int, words: Yield, found: Mapping[tuple[int, Yield], str]) -> str:
    functions = found.get((sentence, words))
    return f"{label}-{functions}" if functions else label
