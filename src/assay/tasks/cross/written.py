"""What golds have in common, or say together, as function trees in brackets that can be read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from assay.corpus import Corpus
from assay.engine.options import Options
from assay.errors import InputError, listed, unknown
from assay.tasks.constituents.brackets import functions
from assay.tasks.cross.comparison import Choices, Comparison
from assay.tasks.cross.functiontrees import FunctionTrees, unify
from assay.tasks.cross.inputs import read_files, theory_paths
from assay.tasks.cross.native import native_measures

CATEGORY = "X"
"""What stands where phrase structure has a category."""
WAYS = ("generalise", "unify")
_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


def common_gold(
    theories: Sequence[str],
    way: str = "generalise",
    *,
    subtypes: bool = True,
    segmentation: str = "same",
    non_projective: str = "keep",
    function_labels: Mapping[str, Iterable[str]] | None = None,
    on_mismatch: str = "error",
    input_format: str | None = None,
) -> tuple[str, list[str]]:
    """The function trees that all golds agree on (`generalise`), or what they say together (`unify`); and warnings.

    `theories` and options are those of `cross`. Each sentence is a tree in brackets; a node has the category X and
    its functions behind hyphens, in alphabetical order, so that the text can be given as a theory itself. Where a
    node has gaps, all words are numbered (discbracket). Sentences whose golds cannot be unified, as nodes overlap
    without nesting, are refused, or left out with `on_mismatch="skip"`.
    """
    if way not in WAYS:
        raise unknown("way to put golds together", way, WAYS)
    options = Options(on_mismatch=on_mismatch, input_format=input_format)
    options.check()
    relational = {name: frozenset(labels) for name, labels in (function_labels or {}).items()}
    how = Choices("2.1", subtypes, relational, segmentation, non_projective, native_measures((), subtypes=subtypes))
    golds, enrichments = theory_paths(theories)
    files = read_files(golds, {}, options, segmentation, non_projective)
    compared = Comparison.of(files, enrichments, how, options)
    if way == "generalise":
        trees, failed = compared.common, np.zeros(compared.reference.sentences, dtype=bool)
    else:
        trees, failed = unify(*(theory.trees for theory in compared.theories.values()))
    places = [
        f"{compared.reference.place_of_sentence(sentence)}: nodes of the golds overlap without nesting"
        for sentence in np.flatnonzero(failed).tolist()
    ]
    if places and on_mismatch != "skip":
        raise InputError("\n".join([*listed(places), "To leave such sentences out: --on-mismatch skip"]))
    _check_functions(trees)
    kept = np.flatnonzero(~failed).tolist()
    texts = [files.words(sentence) for sentence in kept]
    _check_words(compared.reference, kept, texts)
    numbered = bool(trees.with_gaps.any())
    lines = [f"{_tree(trees, sentence, words, numbered)}\n" for sentence, words in zip(kept, texts, strict=True)]
    left_out = [f"left out: {place}." for place in listed(places)]
    return "".join(lines), [*files.warnings, *left_out, *_more_nodes(trees, kept)]


def _check_functions(trees: FunctionTrees) -> None:
    """Refuse what would be read as other functions."""
    for code in np.unique(trees.label).tolist():
        label = trees.labels[code]
        if functions(f"{CATEGORY}-{label}") != (label,) or not _is_atom(label):
            raise InputError(
                f"the function {label!r} cannot stand behind a category, where functions are divided by hyphens. "
                "Rename it in the files."
            )


def _check_words(reference: Corpus, sentences: Sequence[int], texts: Sequence[Sequence[str]]) -> None:
    for sentence, words in zip(sentences, texts, strict=True):
        for word in words:
            if not _is_atom(word.translate(_ESCAPES)):
                place = reference.place_of_sentence(sentence)
                raise InputError(
                    f"{place}: the word {word!r} holds white space, which divides words in brackets. "
                    "Write a no-break space there."
                )


def _is_atom(text: str) -> bool:
    """Whether a text is one word or label in brackets, where white space is that of ASCII alone."""
    return not any(mark in text for mark in "() \t\n\r\v\f")


def _more_nodes(trees: FunctionTrees, sentences: Sequence[int]) -> Iterator[str]:
    """Where brackets say more than the trees: each word has a tag, each sentence a root."""
    nodes, words = trees.nodes, trees.words
    tagged = np.bincount(nodes.sentence[nodes.size == 1], minlength=len(words))
    rooted = np.bincount(nodes.sentence[(nodes.size == words[nodes.sentence]) & ~trees.bare], minlength=len(words))
    number = int(((tagged < words) | (rooted == 0))[sentences].sum())
    if number:
        what = "1 sentence has" if number == 1 else f"{number:,} sentences have"
        yield f"{what} a word without a node of its own, or no root: brackets have one, and it will be read."


def _tree(trees: FunctionTrees, sentence: int, words: Sequence[str], numbered: bool) -> str:
    """One tree; outer nodes come first, so that each lies below the last one before it that has its first word."""
    own = trees.of_sentence(sentence)
    over = [-1] * len(words)
    above = []
    for node in range(len(own)):
        stretches = own.words_of(node)
        above.append(over[stretches[0][0]])
        for begin, end in stretches:
            over[begin:end] = [node] * (end - begin)
    parts: list[list[tuple[int, str]]] = [[] for _ in range(len(own) + 1)]
    for place, word in enumerate(words):
        form = word.translate(_ESCAPES)
        leaf = f"{place}={form}" if numbered else form
        alone = over[place] >= 0 and own.nodes.size[over[place]] == 1
        parts[over[place]].append((place, leaf if alone else f"({CATEGORY} {leaf})"))
    for node in reversed(range(len(own))):
        name = "-".join([CATEGORY, *sorted(own.labels_of(node))])
        inside = " ".join(text for _, text in sorted(parts[node]))
        parts[above[node]].append((own.words_of(node)[0][0], f"({name} {inside})"))
    tops = [text for _, text in sorted(parts[-1])]
    return tops[0] if len(tops) == 1 else f"({CATEGORY} {' '.join(tops)})"
