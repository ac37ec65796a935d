"""Trees written as brackets: the common trees of golds, and a treebank with the functions of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from assay.arrays import Stretches, atoms_at
from assay.corpus import Corpus
from assay.engine.phrases import ROOTS, category, functions, with_words_of
from assay.errors import AlignmentError, InputError, UsageError, list_problems, unknown
from assay.keywords import CrossKeywords
from assay.tasks.cross.functiontrees import FunctionTrees, overlay, subsumes, unify
from assay.tasks.cross.treebanks import CrossOptions, read_comparison, read_trees, theory_paths, word_differences

CATEGORY = "X"
"""The category of all nodes."""
WAYS = ("generalise", "unify")
_FIRST = 3
"""The number of places that are shown at which a gold is not more general than another."""
_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-"})
_BREAKS = frozenset("() \t\n\r\v\f")
"""The characters that end a word or label in brackets; white space is that of ASCII only."""


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
        raise InputError("\n".join([*list_problems(places), "To leave such sentences out: --on-mismatch skip"]))
    for label in (trees.labels[code] for code in np.unique(trees.label).tolist()):
        # It would be read as other functions.
        if functions(f"{CATEGORY}-{label}") != (label,) or _BREAKS.intersection(label):
            raise InputError(
                f"the function {label!r} cannot be written after a category, because hyphens separate functions "
                f"there. Rename it in the files."
            )
    kept = np.flatnonzero(~failed).tolist()
    texts = {sentence: compared.words(sentence) for sentence in kept}
    for sentence, word in ((sentence, word) for sentence, words in texts.items() for word in words):
        if _BREAKS.intersection(word.translate(_ESCAPES)):
            raise InputError(
                f"{reference.place_of_sentence(sentence)}: the word {word!r} contains white space, which separates "
                f"words in brackets. Write a no-break space instead."
            )
    numbered = bool(trees.with_gaps.any())
    lines = [f"{_write_common(trees, sentence, words, numbered)}\n" for sentence, words in texts.items()]
    warnings = [*compared.warnings, *(f"left out: {place}." for place in list_problems(places))]
    # Brackets say more than the trees: each word has a tag, each sentence a root.
    nodes, words = trees.nodes, trees.words
    tagged = np.bincount(nodes.sentence[nodes.size == 1], minlength=len(words))
    rooted = np.bincount(nodes.sentence[(nodes.size == words[nodes.sentence]) & ~trees.bare], minlength=len(words))
    if number := int(((tagged < words) | (rooted == 0))[kept].sum()):
        what = "1 sentence has" if number == 1 else f"{number:,} sentences have"
        warnings.append(
            f"{what} a word without its own node, or no root. Brackets add one, which will be read as a node."
        )
    return "".join(lines), warnings


def compare_golds(
    theories: Sequence[str],
    *,
    function_labels: Mapping[str, Iterable[str]] | None = None,
    **given: Unpack[CrossKeywords],
) -> tuple[str, list[str]]:
    """In how many sentences one gold is more general than the other (⊑), where first it is not; and warnings.

    A tree is more general than another if that one has all of its nodes, with all of their functions. A node without
    a function is more general than any node over the same words.
    """
    names = list(theory_paths(theories)[0])
    if len(names) != 2:
        raise UsageError(f"assay cross subsumes takes two theories, but got {len(names)}.")
    compared = read_comparison(theories, None, CrossOptions.of(given, function_labels))
    trees = [compared.trees[f"gold {name}"] for name in names]
    both = overlay(*trees)
    holds, broken = [], []
    for one, other in ((0, 1), (1, 0)):
        holds.append(subsumes(trees[one], trees[other]))
        # Nodes that the other tree lacks, and functions of nodes that it has.
        lost = both.has_node[one] & ~both.has_node[other]
        unlike = both.has_label[one] & ~both.has_label[other]
        nodes = np.unique(np.concatenate([np.flatnonzero(lost), both.union.label_node[unlike]]))
        for node in nodes[:_FIRST].tolist():
            sentence = int(both.union.nodes.sentence[node])
            words, stretches = compared.words(sentence), both.union.nodes.stretches(node)
            text = " … ".join(" ".join(words[begin:end]) for begin, end in stretches)
            codes = both.union.label[unlike & (both.union.label_node == node)].tolist()
            labels = "+".join(sorted(both.union.labels[code] for code in codes)) or "no function"
            place = compared.reference.place_of_sentence(sentence)
            broken.append(f"{names[one]} ⊑ {names[other]} not at {place}: {labels} over {text!r}")
    rows = {
        f"{names[0]} ⊑ {names[1]} alone": holds[0] & ~holds[1],
        f"{names[1]} ⊑ {names[0]} alone": holds[1] & ~holds[0],
        "both": holds[0] & holds[1],
        "neither": ~holds[0] & ~holds[1],
    }
    lines = ["relation\tsentences", *(f"{name}\t{int(mask.sum())}" for name, mask in rows.items()), *broken]
    return "".join(f"{line}\n" for line in lines), list(compared.warnings)


def _write_common(trees: FunctionTrees, sentence: int, words: Sequence[str], numbered: bool) -> str:
    """One function tree; outer nodes come first, so each lies below the last one before it with its first word."""
    first, last = np.searchsorted(trees.nodes.sentence, [sentence, sentence + 1]).tolist()
    above = [-1] * len(words)
    nodes = []
    for node in range(first, last):
        stretches = trees.nodes.stretches(node)
        begin = stretches[0][0]
        nodes.append((node, above[begin], begin, "-".join([CATEGORY, *sorted(trees.labels_of(node))])))
        for begin, end in stretches:
            above[begin:end] = [node] * (end - begin)
    leaves = []
    for place, (word, node) in enumerate(zip(words, above, strict=True)):
        form = word.translate(_ESCAPES)
        leaf = f"{place}={form}" if numbered else form
        has_tag = node >= 0 and trees.nodes.size[node] == 1
        leaves.append((node, leaf if has_tag else f"({CATEGORY} {leaf})"))
    tops = _nest(leaves, nodes)
    return tops[0] if len(tops) == 1 else f"({CATEGORY} {' '.join(tops)})"


def _nest(leaves: Sequence[tuple[int, str]], nodes: Sequence[tuple[int, int, int, str]]) -> list[str]:
    """The texts at the top of a sentence.

    leaves: the node above each word, -1 for none, and its text; nodes: number, node above, first word and name of
    each, before those below it.
    """
    children: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for place, (parent, text) in enumerate(leaves):
        children[parent].append((place, text))
    for node, parent, first, name in reversed(nodes):
        inner = " ".join(text for _, text in sorted(children[node]))
        children[parent].append((first, f"({name} {inner})"))
    return [text for _, text in sorted(children[-1])]


def enrich(structure: str, labels: str, *, input_format: str | None = None, subtypes: bool = True) -> str:
    """The trees of `structure`, each node named after its category and the functions that `labels` has for its words.

    This is TL-unification (Tsarfaty et al. 2012, section 3): no node is added, none is lost. The root above the
    sentence keeps its bare name.
    """
    if structure == labels == "-":
        raise UsageError("- (standard input) can be given only once.")
    phrases, giver = (
        replace(read_trees(path, input_format), theory=name)
        for path, name in ((structure, "structure"), (labels, "labels"))
    )
    if phrases.corpus.trees is None:
        raise UsageError(f"{structure}: contains no phrase structure. Give the treebank to be enriched first.")
    for bank in (phrases, giver):
        if bank.faults:
            fault = bank.faults[0]
            raise InputError(f"{bank.corpus.place(fault.word)}: {fault.fact}. Such a tree has no functions to give.")
    phrases = replace(phrases, corpus=with_words_of(phrases.corpus, giver.corpus))
    _, lines = word_differences([phrases, giver], {})
    if lines:
        raise AlignmentError("\n".join([*list_problems(lines), "Both treebanks must have the same words."]))
    trees = giver.function_trees(subtypes=subtypes)
    suffixes = {
        (sentence, trees.nodes.stretches(node)): "".join(f"-{name}" for name in sorted(trees.labels_of(node)))
        for node, sentence in enumerate(trees.nodes.sentence.tolist())
    }
    corpus = phrases.corpus
    return "".join(f"{_write_enriched(corpus, sentence, suffixes)}\n" for sentence in range(corpus.sentences))


def _write_enriched(corpus: Corpus, sentence: int, suffixes: Mapping[tuple[int, Stretches], str]) -> str:
    """One tree in brackets; `suffixes` are the functions of each sentence and yield, each after a hyphen."""
    trees = corpus.trees
    assert trees is not None
    if sentence in corpus.unparsed:
        return "(())"
    start, end = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
    leaves = []
    for word in range(start, end):
        # A hyphen divides category and function, so a tag such as -LRB- is written without its own.
        tag = category(corpus.column("tag")[word]).strip("-")
        name = tag + suffixes.get((sentence, ((word - start, word - start + 1),)), "")
        leaves.append((int(trees.above[word]), f"({name} {corpus.forms[word].translate(_ESCAPES)})"))
    nodes = []
    for node in range(*np.searchsorted(trees.sentence, [sentence, sentence + 1]).tolist()):
        parent, name = int(trees.parent[node]), category(trees.labels[node])
        if parent >= 0 or name not in ROOTS:
            name += suffixes.get((sentence, atoms_at(node, trees.begin, trees.end, trees.stretches)), "")
        nodes.append((node, parent, int(trees.begin[node]), name))
    return " ".join(_nest(leaves, nodes))
