"""Golds and outputs of several frameworks over the same words, and the function trees made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.arrays import Bools, Ints
from assay.corpus import Column, Corpus, Trees
from assay.errors import InputError
from assay.formats import Input, read_labels
from assay.tasks.constituents.brackets import edge_functions, functions
from assay.tasks.cross.functiontrees import (
    Functions,
    FunctionTrees,
    absent_in,
    from_dependencies,
    from_nodes,
    from_relational_realizational,
    projectivised,
    recut,
)
from assay.tasks.cross.segments import Cut
from assay.tasks.dependencies import arcs
from assay.tasks.dependencies.arcs import Fault

DEPENDENCIES, CONSTITUENTS = "dependencies", "constituents"


@dataclass(frozen=True)
class Conversion:
    """How trees become function trees."""

    subtypes: bool = True
    """Whether relations keep what follows the colon."""
    function_labels: frozenset[str] | None = None
    """For relational-realizational trees: the labels that are functions."""
    lift: bool = False
    """Whether dependencies are made projective first."""


@dataclass(frozen=True, eq=False)
class Annotation:
    """A file with trees of one framework."""

    corpus: Corpus
    kind: str
    faults: tuple[Fault, ...] = ()
    """What makes trees of dependencies faulty."""
    cut: Cut | None = None
    """Where its words lie among parts of words, where files are cut into other words."""
    absent: tuple[Ints, Bools] | None = None
    """The words of each sentence of gold, and which sentences are cut otherwise here and so are wholly missing."""

    def function_trees(self, conversion: Conversion) -> FunctionTrees:
        """The trees as function trees."""
        trees = self._converted(conversion)
        if self.cut is not None:
            trees = recut(trees, self.cut.parts, self.cut.begin, self.cut.end)
        return trees if self.absent is None else absent_in(trees, *self.absent)

    def with_gaps(self) -> Bools:
        """The sentences whose trees are non-projective or discontinuous."""
        if self.corpus.trees is None:
            return arcs.nonprojective(self.corpus)
        found = np.zeros(self.corpus.sentences, dtype=bool)
        found[self.corpus.trees.sentence[list(self.corpus.trees.stretches)]] = True
        return found

    def _converted(self, conversion: Conversion) -> FunctionTrees:
        if self.kind == DEPENDENCIES:
            return _of_dependencies(self.corpus, conversion)
        if conversion.function_labels is not None:
            return _of_relations(self.corpus, conversion.function_labels)
        return _of_constituents(self.corpus, conversion)


def read_trees(
    path: str, input_format: str | None, *, tolerant: bool = False, columns: Sequence[str] = ()
) -> Annotation:
    """Dependencies, with further columns, or constituents, told by the file; see `Input.read` for `tolerant`."""
    item = Input(path, input_format=input_format)
    if item.plan.trees:
        return Annotation(item.read(tolerant=tolerant), CONSTITUENTS)
    corpus = read_labels(item, ["HEAD", "DEPREL", *columns])
    if corpus.is_empty("HEAD"):
        raise InputError(f"{corpus.name}: column HEAD is empty, so there are no trees.")
    corpus, faults = arcs.with_heads(corpus, "HEAD")
    return Annotation(corpus, DEPENDENCIES, tuple(faults))


# --- conversion ---


def _of_dependencies(corpus: Corpus, conversion: Conversion) -> FunctionTrees:
    relations = corpus.column("DEPREL")
    if not conversion.subtypes:
        relations = relations.mapped({text: text.partition(":")[0] for text in relations.vocabulary})
    assert corpus.heads is not None
    heads = projectivised(corpus.starts, corpus.heads) if conversion.lift else corpus.heads
    return from_dependencies(corpus.starts, heads, relations.codes, relations.vocabulary)


def _of_constituents(corpus: Corpus, conversion: Conversion) -> FunctionTrees:
    trees = corpus.trees
    assert trees is not None
    nodes = _functions(trees.labels if trees.edges is None else trees.edges, trees.edges is not None, conversion)
    words = corpus.columns["edge"] if trees.edges is not None else corpus.column("tag")
    # A sentence without a parse is its words under a root.
    bare = np.array(sorted(corpus.unparsed), dtype=np.int64)
    nodes = Functions(np.append(nodes.codes, np.full(len(bare), len(nodes.sets))), [*nodes.sets, ()])
    return from_nodes(
        corpus.starts,
        np.append(trees.sentence, bare),
        np.append(trees.begin, np.zeros_like(bare)),
        np.append(trees.end, np.diff(corpus.starts)[bare]),
        nodes,
        stretches=trees.stretches,
        preterminals=_functions(words, trees.edges is not None, conversion),
    )


def _functions(column: Column, edges: bool, conversion: Conversion) -> Functions:
    """The functions in labels such as NP-SBJ, or those that are the labels of edges."""
    sets = [edge_functions(text) if edges else functions(text) for text in column.vocabulary]
    if not conversion.subtypes:
        sets = [tuple(dict.fromkeys(name.partition(":")[0] for name in names)) for names in sets]
    return Functions(column.codes, sets)


def _of_relations(corpus: Corpus, labels: frozenset[str]) -> FunctionTrees:
    trees, tags = corpus.trees, corpus.column("tag")
    assert trees is not None
    return from_relational_realizational(
        corpus.starts,
        trees.sentence,
        trees.begin,
        trees.end,
        (trees.labels.codes, trees.labels.vocabulary),
        labels,
        stretches=trees.stretches,
        tags=(tags.codes, tags.vocabulary),
    )


def categories_only(corpus: Corpus, labels: frozenset[str]) -> Corpus:
    """Relational-realizational trees without their function nodes, whose children go up."""
    trees = corpus.trees
    assert trees is not None
    kept = ~trees.labels.isin(labels)
    parent, above = (_kept_above(nodes, trees.parent, kept) for nodes in (trees.parent, trees.above))
    return replace(corpus, trees=_some_nodes(trees, kept, parent, above))


def _kept_above(nodes: Ints, parent: Ints, kept: Bools) -> Ints:
    """The nearest node at or above each that is kept, -1 where there is none."""
    parents, stays = np.append(parent, -1), np.append(kept, True)
    while not stays[nodes].all():
        nodes = np.where(stays[nodes], nodes, parents[nodes])
    return nodes


# --- some of the sentences ---


def selected(annotation: Annotation, kept: Bools) -> Annotation:
    """The sentences that take part."""
    corpus = annotation.corpus
    if kept.all():
        return annotation
    words = kept[corpus.sentence_of]
    number = np.cumsum(kept) - 1
    sizes = np.diff(corpus.starts)[kept]
    place = np.append(np.cumsum(words) - 1, -1)
    chosen = replace(
        corpus,
        forms=Column(corpus.forms.codes[words], corpus.forms.vocabulary),
        columns={n: Column(c.codes[words], c.vocabulary) for n, c in corpus.columns.items()},
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
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
        document_starts=_document_starts(corpus, kept),
        document_ids=tuple(
            corpus.document_name(number) for number in np.unique(corpus.document_of_sentence[kept]).tolist()
        ),
        unparsed=frozenset(int(number[s]) for s in corpus.unparsed if kept[s]),
        heads=None if corpus.heads is None else place[corpus.heads[words]],
        trees=None if corpus.trees is None else _selected_trees(corpus.trees, kept, words),
    )
    return Annotation(chosen, annotation.kind)


def _document_starts(corpus: Corpus, kept: Bools) -> Ints:
    documents = corpus.document_of_sentence[kept]
    firsts = np.flatnonzero(np.diff(documents, prepend=-1))
    return np.append(firsts, len(documents))


def _selected_trees(trees: Trees, kept: Bools, words: Bools) -> Trees:
    nodes = _some_nodes(trees, kept[trees.sentence], trees.parent, trees.above[words])
    return replace(nodes, sentence=(np.cumsum(kept) - 1)[nodes.sentence])


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
