"""Files with trees of one framework over the same words: read, compared, cut, and made function trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from assay.arrays import Bools, Ints, ids_of_runs
from assay.corpus import Column, Corpus, Trees, one_vocabulary
from assay.errors import AlignmentError, InputError
from assay.formats import Input
from assay.formats.labels import read_labels
from assay.tasks.constituents.labels import edge_functions, functions
from assay.tasks.cross.functiontrees import (
    FunctionTrees,
    LabelSets,
    from_dependencies,
    from_nodes,
    from_relational_realizational,
    projectivise,
    recut,
)
from assay.tasks.dependencies import arcs
from assay.tasks.dependencies.arcs import Fault

DEPENDENCIES, CONSTITUENTS = "dependencies", "constituents"


@dataclass(frozen=True, eq=False)
class Treebank:
    """A gold, or a system's output in one framework."""

    corpus: Corpus
    kind: str
    faults: tuple[Fault, ...] = ()
    """Faults of dependency trees."""
    theory: str = ""
    system: str = ""
    """Empty for a gold."""
    cut: tuple[Ints, Ints, Ints] | None = None
    """If words are cut into parts: the number in each sentence, each word's first and the one behind it."""
    absent: tuple[Ints, Bools] | None = None
    """The words of each sentence of gold, and which sentences are cut otherwise here and so are wholly missing."""

    @property
    def title(self) -> str:
        """Its name in messages."""
        return f"{self.system}@{self.theory}" if self.system else f"gold {self.theory}"

    def function_trees(
        self, *, subtypes: bool = True, function_labels: frozenset[str] | None = None, lift: bool = False
    ) -> FunctionTrees:
        """The trees as function trees.

        subtypes: relations keep what follows the colon; function_labels: for relational-realizational trees, the
        labels that are functions; lift: dependencies are made projective first.
        """
        corpus, trees = self.corpus, self.corpus.trees
        if trees is None:
            relations = corpus.column("DEPREL")
            if not subtypes:
                relations = relations.mapped({text: text.partition(":")[0] for text in relations.vocabulary})
            assert corpus.heads is not None
            heads = projectivise(corpus.starts, corpus.heads) if lift else corpus.heads
            found = from_dependencies(corpus.starts, heads, relations.codes, relations.vocabulary)
        elif function_labels is not None:
            labels, tags = ((column.codes, column.vocabulary) for column in (trees.labels, corpus.column("tag")))
            place = (corpus.starts, trees.sentence, trees.begin, trees.end)
            found = from_relational_realizational(
                *place, labels, function_labels, stretches=trees.stretches, tags=tags
            )
        else:
            found = self._of_constituents(trees, subtypes)
        if self.cut is not None:
            found = recut(found, *self.cut)
        if self.absent is not None:
            words, absent = self.absent
            found = replace(found.select(~absent[found.nodes.sentence]), words=words)
        return found

    def _of_constituents(self, trees: Trees, subtypes: bool) -> FunctionTrees:
        """Function trees by the functions in labels such as NP-SBJ, or by those that are the labels of edges."""

        def label_sets(column: Column) -> LabelSets:
            sets = [functions(text) if trees.edges is None else edge_functions(text) for text in column.vocabulary]
            if not subtypes:
                sets = [tuple(dict.fromkeys(name.partition(":")[0] for name in names)) for names in sets]
            return column.codes, sets

        corpus = self.corpus
        codes, sets = label_sets(trees.labels if trees.edges is None else trees.edges)
        # A sentence without a parse is its words under a root.
        bare = np.array(sorted(corpus.unparsed), dtype=np.int64)
        return from_nodes(
            corpus.starts,
            np.append(trees.sentence, bare),
            np.append(trees.begin, np.zeros_like(bare)),
            np.append(trees.end, np.diff(corpus.starts)[bare]),
            (np.append(codes, np.full(len(bare), len(sets))), [*sets, ()]),
            stretches=trees.stretches,
            preterminals=label_sets(corpus.column("tag") if trees.edges is None else corpus.columns["edge"]),
        )

    def has_functions(self) -> bool:
        """True for dependencies, and for constituents that have functions in labels or on edges."""
        trees = self.corpus.trees
        if trees is None or trees.edges is not None:
            return True
        return any(functions(label) for label in (*trees.labels.vocabulary, *self.corpus.column("tag").vocabulary))

    def with_gaps(self) -> Bools:
        """Mask of the sentences whose trees are non-projective or discontinuous."""
        if self.corpus.trees is None:
            return arcs.nonprojective(self.corpus)
        found = np.zeros(self.corpus.sentences, dtype=bool)
        found[self.corpus.trees.sentence[list(self.corpus.trees.stretches)]] = True
        return found

    def select(self, kept: Bools) -> Treebank:
        """Some of the sentences."""
        if kept.all():
            return self
        corpus, trees = self.corpus, self.corpus.trees
        words = kept[corpus.sentence_of]
        number = np.cumsum(kept) - 1
        place = np.append(np.cumsum(words) - 1, -1)
        documents = corpus.document_of_sentence[kept]
        if trees is not None:
            trees = _some_nodes(trees, kept[trees.sentence], trees.parent, trees.above[words])
            trees = replace(trees, sentence=number[trees.sentence])
        chosen = replace(
            corpus,
            forms=Column(corpus.forms.codes[words], corpus.forms.vocabulary),
            columns={n: Column(c.codes[words], c.vocabulary) for n, c in corpus.columns.items()},
            starts=np.concatenate([[0], np.cumsum(np.diff(corpus.starts)[kept])]).astype(np.int64),
            lines=None if corpus.lines is None else corpus.lines[kept],
            files=tuple((path, int(kept[:first].sum())) for path, first in corpus.files),
            comments=tuple((int(number[sentence]), line) for sentence, line in corpus.comments if kept[sentence]),
            multiwords=tuple(
                replace(token, first=int(place[token.first]), end=int(place[token.end - 1]) + 1)
                for token in corpus.multiwords
                if words[token.first]
            ),
            aside_words=np.zeros(0, dtype=np.int64),
            aside_sentences=(),
            aside_lines=(),
            document_starts=np.append(np.flatnonzero(np.diff(documents, prepend=-1)), len(documents)),
            document_ids=tuple(map(corpus.document_name, np.unique(documents).tolist())),
            unparsed=frozenset(int(number[s]) for s in corpus.unparsed if kept[s]),
            heads=None if corpus.heads is None else place[corpus.heads[words]],
            trees=trees,
        )
        return replace(self, corpus=chosen)


def read_trees(
    path: str, input_format: str | None, *, tolerant: bool = False, columns: Sequence[str] = ()
) -> Treebank:
    """Dependencies, with further columns, or constituents, told by the file; see `Input.read` for `tolerant`."""
    item = Input(path, input_format=input_format)
    if item.plan.trees:
        return Treebank(item.read(tolerant=tolerant), CONSTITUENTS)
    corpus = read_labels(item, ["HEAD", "DEPREL", *columns])
    if corpus.is_empty("HEAD"):
        raise InputError(f"{corpus.name}: column HEAD is empty, so there are no trees.")
    corpus, faults = arcs.with_heads(corpus, "HEAD")
    return Treebank(corpus, DEPENDENCIES, tuple(faults))


def categories_only(corpus: Corpus, labels: frozenset[str]) -> Corpus:
    """Relational-realizational trees without their function nodes, whose children go up."""
    trees = corpus.trees
    assert trees is not None
    kept = ~trees.labels.isin(labels)
    parents, stays = np.append(trees.parent, -1), np.append(kept, True)
    nodes = np.concatenate([trees.parent, trees.above])
    while not stays[nodes].all():
        nodes = np.where(stays[nodes], nodes, parents[nodes])
    return replace(corpus, trees=_some_nodes(trees, kept, nodes[: len(kept)], nodes[len(kept) :]))


def _some_nodes(trees: Trees, kept: Bools, parent: Ints, above: Ints) -> Trees:
    """Some of the nodes; `parent` and `above` are the nodes among them above each node and each word, -1 for none."""
    place = np.append(np.cumsum(kept) - 1, -1)
    return Trees(
        sentence=trees.sentence[kept],
        parent=place[parent[kept]],
        begin=trees.begin[kept],
        end=trees.end[kept],
        labels=Column(trees.labels.codes[kept], trees.labels.vocabulary),
        above=place[above],
        lines=trees.lines[kept],
        edges=None if trees.edges is None else Column(trees.edges.codes[kept], trees.edges.vocabulary),
        stretches={int(place[node]): shape for node, shape in trees.stretches.items() if kept[node]},
    )


# --- the same words ---


def differing_sentences(reference: Corpus, other: Corpus) -> Bools:
    """Mask of the sentences whose words are not the same; there must be as many on both sides."""
    if reference.sentences != other.sentences:
        raise AlignmentError(
            f"{other.name}: sentences: {other.sentences:,}, where {reference.name} has {reference.sentences:,}. "
            "Files of all frameworks must have the same sentences in the same order."
        )
    _, (ours, theirs) = one_vocabulary([reference.forms, other.forms])
    different = np.diff(reference.starts) != np.diff(other.starts)
    if not different.any():
        different[reference.sentence_of[ours != theirs]] = True
        return np.asarray(different)
    for sentence in np.flatnonzero(~different).tolist():
        a, b = int(reference.starts[sentence]), int(other.starts[sentence])
        size = int(reference.starts[sentence + 1]) - a
        different[sentence] = not np.array_equal(ours[a : a + size], theirs[b : b + size])
    return np.asarray(different)


def describe_difference(reference: Corpus, other: Corpus, sentence: int) -> str:
    """The place where two files part in a sentence, in words."""
    for corpus in (reference, other):
        if sentence in corpus.unparsed:
            return f"{corpus.place_of_sentence(sentence)}: no tree in gold"
    here, there = (
        corpus.forms.strings(int(corpus.starts[sentence]), int(corpus.starts[sentence + 1]))
        for corpus in (reference, other)
    )
    place = other.place_of_sentence(sentence)
    for number, (a, b) in enumerate(zip(here, there, strict=False), 1):
        if a != b:
            return f"{place}: word {number} is {b!r} where {reference.place_of_sentence(sentence)} has {a!r}"
    return f"{place}: {len(there)} words where {reference.place_of_sentence(sentence)} has {len(here)}"


def word_differences(banks: Sequence[Treebank], allowed: Mapping[str, Bools]) -> tuple[Bools, list[str]]:
    """The sentences whose words are not the same in all files, and where they part, but for those allowed to."""
    reference = banks[0].corpus
    wrong, lines = np.zeros(reference.sentences, dtype=bool), []
    for bank in banks:
        found = differing_sentences(reference, bank.corpus)
        if bank.title in allowed:
            found &= ~allowed[bank.title]
        lines += [describe_difference(reference, bank.corpus, one) for one in np.flatnonzero(found).tolist()]
        wrong |= found
    return wrong, lines


# --- the same characters in other words ---


def recut_sentences(reference: Corpus, other: Corpus) -> Bools:
    """Mask of the sentences that have other words in both files, but the same characters, white space aside."""
    found = differing_sentences(reference, other)
    ours, theirs = (_characters(corpus, found) for corpus in (reference, other))
    for sentence, (text, _) in ours.items():
        found[sentence] = text == theirs[sentence][0]
    return found


def cut_words(banks: Sequence[Treebank], sentences: Bools) -> tuple[list[Treebank], dict[int, tuple[str, ...]]]:
    """The files with where their words lie among parts, and the parts of the sentences that are cut into such.

    A part ends where a word of any file ends, so that sets of parts are sets of characters; in the other sentences
    each word is one part. The characters of these sentences must be the same in all files.
    """
    read = [_characters(bank.corpus, sentences) for bank in banks]
    number = np.diff(banks[0].corpus.starts)
    ranges = []
    for bank in banks:
        starts = bank.corpus.starts
        begin = np.arange(len(bank.corpus)) - starts[ids_of_runs(starts)]
        ranges.append((begin, begin + 1))
    parts: dict[int, tuple[str, ...]] = {}
    for sentence, (text, _) in read[0].items():
        ends = sorted({place for found in read for word in found[sentence][1] for place in word} | {0})
        parts[sentence] = tuple(text[a:b] for a, b in pairwise(ends))
        number[sentence] = len(parts[sentence])
        for bank, found, (begin, end) in zip(banks, read, ranges, strict=True):
            own = slice(int(bank.corpus.starts[sentence]), int(bank.corpus.starts[sentence + 1]))
            words = np.array(found[sentence][1], dtype=np.int64).reshape(-1, 2)
            begin[own], end[own] = np.searchsorted(ends, words.T)
    cut = [replace(bank, cut=(number, *own)) for bank, own in zip(banks, ranges, strict=True)]
    return cut, parts


def _characters(corpus: Corpus, sentences: Bools) -> dict[int, tuple[str, list[tuple[int, int]]]]:
    """By sentence its characters, and which of them are each word's.

    The words of a multiword token have their part of it where they make it up, and else share all of it.
    """
    multiwords = {token.first: token for token in corpus.multiwords}
    found = {}
    for sentence in np.flatnonzero(sentences).tolist():
        word, last = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
        text, ranges = "", []
        while word < last:
            token = multiwords.get(word)
            end = word + 1 if token is None else token.end
            forms = ["".join(form.split()) for form in corpus.forms.strings(word, end)]
            surface = forms[0] if token is None else "".join(token.form.split())
            first = len(text)
            text += surface
            if "".join(forms) == surface:
                ends = (first + np.cumsum([len(form) for form in forms])).tolist()
                ranges += list(zip([first, *ends], ends, strict=False))
            else:
                ranges += [(first, len(text))] * len(forms)
            word = end
        found[sentence] = text, ranges
    return found
