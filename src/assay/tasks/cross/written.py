"""Trees as brackets: what golds have in common or say together, and a treebank with the functions of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from assay.arrays import Stretches, atoms_at
from assay.corpus import Corpus
from assay.engine.phrases import ROOTS, category, functions, with_words_of
from assay.errors import AlignmentError, InputError, UsageError, listed, unknown
from assay.keywords import CrossKeywords
from assay.tasks.cross.functiontrees import FunctionTrees, unify
from assay.tasks.cross.treebanks import CrossOptions, read_comparison, read_trees, word_differences

CATEGORY = "X"
"""The category of all nodes."""
WAYS = ("generalise", "unify")
_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-"})
_BREAKS = frozenset("() \t\n\r\v\f")
"""The characters that end a word or label in brackets, where white space is that of ASCII alone."""


def common_gold(
    theories: Sequence[str],
    way: str = "generalise",
    *,
    function_labels: Mapping[str, Iterable[str]] | None = None,
    **given: Unpack[CrossKeywords],
) -> tuple[str, list[str]]:
    """The function trees that all golds agree on (`generalise`), or what they say together (`unify`); and warnings.

    `theories` and options are those of `cross`. Each sentence is a tree in brackets; a node has the category X and
    after hyphens its functions, in alphabetical order, so that the text can be given as a theory itself. If a node
    has gaps, all words are numbered (discbracket). A sentence whose golds cannot be unified, because nodes overlap
    without nesting, stops with an error, or is left out with `on_mismatch="skip"`.
    """
    if way not in WAYS:
        raise unknown("way to put golds together", way, WAYS)
    options = CrossOptions.of(given, function_labels)
    compared = read_comparison(theories, None, options)
    reference = compared.reference
    trees, failed = compared.common, np.zeros(reference.sentences, dtype=bool)
    if way == "unify":
        trees, failed = unify(*compared.trees.values())
    places = [
        f"{reference.place_of_sentence(sentence)}: nodes of the golds overlap without nesting"
        for sentence in np.flatnonzero(failed).tolist()
    ]
    if places and options.on_mismatch != "skip":
        raise InputError("\n".join([*listed(places), "To leave such sentences out: --on-mismatch skip"]))
    for label in (trees.labels[code] for code in np.unique(trees.label).tolist()):
        # It would be read as other functions.
        if functions(f"{CATEGORY}-{label}") != (label,) or _BREAKS.intersection(label):
            raise InputError(
                f"the function {label!r} cannot stand behind a category, where functions are divided by hyphens. "
                "Rename it in the files."
            )
    kept = np.flatnonzero(~failed).tolist()
    texts = {sentence: compared.words(sentence) for sentence in kept}
    for sentence, word in ((sentence, word) for sentence, words in texts.items() for word in words):
        if _BREAKS.intersection(word.translate(_ESCAPES)):
            raise InputError(
                f"{reference.place_of_sentence(sentence)}: the word {word!r} holds white space, which divides words "
                "in brackets. Write a no-break space there."
            )
    numbered = bool(trees.with_gaps.any())
    lines = [f"{_bracketed(trees.of_sentence(sentence), words, numbered)}\n" for sentence, words in texts.items()]
    warnings = [*compared.warnings, *(f"left out: {place}." for place in listed(places))]
    # Brackets say more than the trees: each word has a tag, each sentence a root.
    nodes, words = trees.nodes, trees.words
    tagged = np.bincount(nodes.sentence[nodes.size == 1], minlength=len(words))
    rooted = np.bincount(nodes.sentence[(nodes.size == words[nodes.sentence]) & ~trees.bare], minlength=len(words))
    if number := int(((tagged < words) | (rooted == 0))[kept].sum()):
        what = "1 sentence has" if number == 1 else f"{number:,} sentences have"
        warnings.append(
            f"{what} a word without a node of its own, or no root: brackets have one, and it will be read."
        )
    return "".join(lines), warnings


def _bracketed(tree: FunctionTrees, words: Sequence[str], numbered: bool) -> str:
    """One tree; outer nodes come first, so that each lies below the last one before it that has its first word."""
    over = [-1] * len(words)
    above = []
    for node in range(len(tree)):
        stretches = tree.nodes.stretches(node)
        above.append(over[stretches[0][0]])
        for begin, end in stretches:
            over[begin:end] = [node] * (end - begin)
    parts: list[list[tuple[int, str]]] = [[] for _ in range(len(tree) + 1)]
    for place, word in enumerate(words):
        form = word.translate(_ESCAPES)
        leaf = f"{place}={form}" if numbered else form
        alone = over[place] >= 0 and tree.nodes.size[over[place]] == 1
        parts[over[place]].append((place, leaf if alone else f"({CATEGORY} {leaf})"))
    for node in reversed(range(len(tree))):
        name = "-".join([CATEGORY, *sorted(tree.labels_of(node))])
        parts[above[node]].append((int(tree.nodes.first[node]), f"({name} {_joined(parts[node])})"))
    return parts[-1][0][1] if len(parts[-1]) == 1 else f"({CATEGORY} {_joined(parts[-1])})"


def _joined(parts: Iterable[tuple[int, str]]) -> str:
    """Texts in the order of their places."""
    return " ".join(text for _, text in sorted(parts))


def enrich(structure: str, labels: str, *, input_format: str | None = None, subtypes: bool = True) -> str:
    """The trees of `structure`, each node named after its category and the functions that `labels` has for its words.

    This is TL-unification (Tsarfaty et al. 2012, section 3): no node is added, none is lost. The root above the
    sentence keeps its bare name.
    """
    if structure == labels == "-":
        raise UsageError("- (standard input) can be given once only.")
    ours, theirs = (
        replace(read_trees(path, input_format), theory=name)
        for path, name in ((structure, "structure"), (labels, "labels"))
    )
    if ours.corpus.trees is None:
        raise UsageError(f"{structure}: holds no phrase structure. The treebank to be enriched comes first.")
    for one in (ours, theirs):
        if one.faults:
            fault = one.faults[0]
            raise InputError(f"{one.corpus.place(fault.word)}: {fault.fact}. Such a tree has no functions to give.")
    ours = replace(ours, corpus=with_words_of(ours.corpus, theirs.corpus))
    _, lines = word_differences([ours, theirs], {})
    if lines:
        raise AlignmentError("\n".join([*listed(lines), "Both treebanks must have the same words."]))
    trees = theirs.function_trees(subtypes=subtypes)
    names = {
        (sentence, trees.nodes.stretches(node)): "".join(f"-{name}" for name in sorted(trees.labels_of(node)))
        for node, sentence in enumerate(trees.nodes.sentence.tolist())
    }
    return "".join(f"{_enriched(ours.corpus, sentence, names)}\n" for sentence in range(ours.corpus.sentences))


def _enriched(corpus: Corpus, sentence: int, names: Mapping[tuple[int, Stretches], str]) -> str:
    """One tree in brackets; `names` are the functions of each sentence and yield, each behind a hyphen."""
    trees = corpus.trees
    assert trees is not None
    if sentence in corpus.unparsed:
        return "(())"
    start, end = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
    children: dict[int, list[tuple[int, str]]] = {}
    for place in range(end - start):
        # A hyphen divides category and function, so that a tag such as -LRB- goes without its own.
        tag = category(corpus.column("tag")[start + place]).strip("-")
        name = tag + names.get((sentence, ((place, place + 1),)), "")
        form = corpus.forms[start + place].translate(_ESCAPES)
        children.setdefault(int(trees.above[start + place]), []).append((place, f"({name} {form})"))
    # Each node stands before those below it, so that backwards all below a node are done before it.
    first, last = np.searchsorted(trees.sentence, [sentence, sentence + 1])
    for node in reversed(range(int(first), int(last))):
        parent, name = int(trees.parent[node]), category(trees.labels[node])
        if parent >= 0 or name not in ROOTS:
            name += names.get((sentence, atoms_at(node, trees.begin, trees.end, trees.stretches)), "")
        text = f"({name} {_joined(children.pop(node, []))})"
        children.setdefault(parent, []).append((int(trees.begin[node]), text))
    return _joined(children.get(-1, []))
