"""Chains of mentions in CoNLL-U, as CorefUD and GUM write them: the entity of a bracket in MISC is its chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.arrays import Ints, Stretches
from assay.corpus import Corpus
from assay.formats.chains import (
    check_choice,
    document_id,
    first_words,
    merged,
    refuse_all,
    sorted_chains,
    with_crossings_noted,
)
from assay.formats.entities import (
    Fault,
    Mention,
    declared_fields,
    lines_of,
    read_mentions,
    value_of_empty_node,
    valued_words,
)

ZEROS = ("error", "drop")
_COLUMN, _KEY, _HEAD = "MISC", "Entity", "head"
_ANEW = "GRP"
"""The field of entities in GUM, which counts them anew in each document."""
_OTHERS = ("Bridge", "SplitAnte")
_NEWDOC = ("# newdoc", "#newdoc")


def corefud_chains(corpus: Corpus, *, zeros: str = "error") -> Corpus:
    """The corpus with its mentions in chains, which end with their document.

    Mentions of empty nodes alone (zeros) are refused, or with `zeros="drop"` left out and counted.
    """
    check_choice("zeros", zeros, ZEROS)
    order = declared_fields(corpus, _KEY)
    nodes = _Nodes.of(corpus)
    faults = [] if zeros == "drop" else list(_zeros(nodes))
    field = _HEAD if _HEAD in order else order[0]
    found = read_mentions(nodes.rows(corpus), order, field, faults)
    repeated = _repeated_ids(corpus)
    refuse_all([f"{nodes.place(corpus, fault.place)}: {fault.text}" for fault in sorted(faults)] + repeated)
    placed = [_Placed.of(mention, nodes) for mention in found]
    kept = [mention for mention in placed if mention.stretches]
    result = _with_chains(corpus, kept, heads=field == _HEAD)
    notes = _notes(corpus, placed, anew=_ANEW in order, heads=field == _HEAD)
    return with_crossings_noted(replace(result, noted=(*corpus.noted, *notes)))


# --- words and empty nodes in one line ---


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The words and empty nodes of a corpus in text order; brackets may stand on either."""

    is_word: list[bool]
    before: list[int]
    """For each node, and for the end, the number of words before it."""
    asides: Ints
    """The empty nodes by their numbers among the lines that are no words."""
    values: tuple[str, ...]
    """What Entity is for each empty node."""
    names: tuple[str, ...]

    @classmethod
    def of(cls, corpus: Corpus) -> _Nodes:
        values = {
            number: value
            for number, line in enumerate(corpus.aside_lines)
            if (value := value_of_empty_node(line, _KEY)) is not None
        }
        asides = np.array(list(values), dtype=np.int64)
        is_word = np.ones(len(corpus) + len(asides), dtype=bool)
        is_word[corpus.aside_words[asides] + np.arange(len(asides))] = False
        names = tuple(corpus.aside_lines[number].split("\t", 1)[0] for number in values)
        before = [0, *np.cumsum(is_word).tolist()]
        return cls(is_word.tolist(), before, asides, tuple(values.values()), names)

    def rows(self, corpus: Corpus) -> Iterator[tuple[int, int, str]]:
        """Document, node and value where Entity has one."""
        words, values = valued_words(corpus, _COLUMN, _KEY)
        sentences = corpus.sentence_of[words]
        empty = [number for number, value in enumerate(self.values) if value]
        is_word = np.array(self.is_word, dtype=bool)
        numbers = np.concatenate([np.flatnonzero(is_word)[words], np.flatnonzero(~is_word)[empty]]).tolist()
        of_empty = np.array(corpus.aside_sentences, dtype=np.int64)[self.asides[empty]]
        documents = corpus.document_of_sentence[np.concatenate([sentences, of_empty])].tolist()
        values += [self.values[number] for number in empty]
        yield from sorted(zip(documents, numbers, values, strict=True))

    def empty_node(self, node: int) -> int:
        """The number of a node among the empty ones."""
        return node - self.before[node]

    def place(self, corpus: Corpus, node: int) -> str:
        """`file:line` of a node."""
        word = self.before[node]
        if self.is_word[node] or corpus.lines is None:
            return corpus.place(word)
        aside = int(self.asides[self.empty_node(node)])
        sentence = corpus.aside_sentences[aside]
        first = int(corpus.starts[sentence])
        asides = aside - int(np.searchsorted(corpus.aside_words, first, side="right"))
        return f"{corpus.path_of(sentence)}:{int(corpus.lines[sentence]) + word - first + asides}"


def _zeros(nodes: _Nodes) -> Iterator[Fault]:
    for node in (node for node, is_word in enumerate(nodes.is_word) if not is_word):
        number = nodes.empty_node(node)
        if nodes.values[number]:
            yield Fault(
                node,
                f"a mention stands on the empty node {nodes.names[number]}. Leave such mentions out (--zeros drop), "
                'or read empty nodes as words: --input-format "conllu(empty_nodes=true)"',
            )


# --- mentions ---


@dataclass(frozen=True)
class _Placed:
    """A mention by its words."""

    mention: Mention
    stretches: Stretches
    """None for one of empty nodes alone."""
    head: int
    """The word that is its head, -1 where it is not known."""
    on_empty: bool
    """Whether it begins or ends on an empty node."""

    @classmethod
    def of(cls, mention: Mention, nodes: _Nodes) -> _Placed:
        before = nodes.before
        words = ((before[first], before[end]) for first, end in mention.stretches)
        return cls(
            mention,
            merged((first, end) for first, end in words if first < end),
            _head(mention, nodes),
            not all(nodes.is_word[first] and nodes.is_word[end - 1] for first, end in mention.stretches),
        )


def _head(mention: Mention, nodes: _Nodes) -> int:
    """The word that the field counts from 1 among the nodes of a mention."""
    if not (mention.label.isascii() and mention.label.isdigit() and len(mention.label) < 10):
        return -1
    left = int(mention.label) - 1
    for first, end in mention.stretches:
        if 0 <= left < end - first:
            node = first + left
            return nodes.before[node] if nodes.is_word[node] else -1
        left -= end - first
    return -1


def _with_chains(corpus: Corpus, placed: list[_Placed], *, heads: bool) -> Corpus:
    numbers: dict[tuple[int, str], int] = {}
    # As in CoNLL-2012, chains are in the order in which they appear, at one word those of one-word mentions first.
    for mention in sorted((item.mention for item in placed), key=lambda mention: (mention.place, not mention.single)):
        numbers.setdefault((mention.document, mention.entity), len(numbers))
    documents = np.array([item.mention.document for item in placed], dtype=np.int64)
    begins = np.array([item.stretches[0][0] for item in placed], dtype=np.int64)
    ends = np.array([item.stretches[-1][1] for item in placed], dtype=np.int64)
    chains = np.array([numbers[item.mention.document, item.mention.entity] for item in placed], dtype=np.int64)
    firsts = first_words(corpus)[documents]
    rows = np.column_stack([documents, begins - firsts, ends - firsts, chains, lines_of(corpus, begins)])
    stretches = {
        number: tuple((begin - first, end - first) for begin, end in item.stretches)
        for number, (item, first) in enumerate(zip(placed, firsts.tolist(), strict=True))
        if len(item.stretches) > 1
    }
    head_words = np.array([item.head for item in placed], dtype=np.int64)
    relative = np.where(head_words < 0, -1, head_words - firsts) if heads else None
    ids = _newdoc_ids(corpus)
    return replace(
        corpus,
        chains=sorted_chains(rows, [name for _, name in numbers], stretches, relative),
        document_ids=tuple(ids) or corpus.document_ids,
        by_id=bool(ids),
    )


# --- documents ---


def _newdoc_ids(corpus: Corpus) -> list[str]:
    """The ids of the documents, if all have one."""
    given = {
        sentence: line.partition("=")[2].strip() for sentence, line in corpus.comments if line.startswith(_NEWDOC)
    }
    firsts = [0] if corpus.document_starts is None else corpus.document_starts[:-1].tolist()
    names = [given.get(first, "") for first in firsts]
    return [document_id(name, number) for number, name in enumerate(names, 1)] if all(names) else []


def _repeated_ids(corpus: Corpus) -> list[str]:
    """A problem for each document whose id is that of one before it."""
    problems, seen = [], dict[str, str]()
    for name, first in zip(_newdoc_ids(corpus), first_words(corpus).tolist(), strict=False):
        if name in seen:
            problems.append(
                f"{corpus.place(first)}: the id {name!r} is already that of {seen[name]}. Give each its own."
            )
        seen.setdefault(name, corpus.place(first))
    return problems


# --- notes ---


def _notes(corpus: Corpus, placed: Sequence[_Placed], *, anew: bool, heads: bool) -> Iterator[tuple[str, int]]:
    """What was left out or taken otherwise, with its number."""
    kept = [item for item in placed if item.stretches]
    documents = Counter(entity for _, entity in {(item.mention.document, item.mention.entity) for item in kept})
    counts = {
        "Mentions of empty nodes alone that were left out": len(placed) - len(kept),
        "Mentions that begin or end on an empty node, taken without it": sum(item.on_empty for item in kept),
        "Mentions whose head is not one of their words, taken as unknown": heads
        * sum(bool(item.mention.label) and item.head < 0 for item in kept),
        "Entities in several documents, each cut into a chain per document": (not anew)
        * sum(number > 1 for number in documents.values()),
    }
    for key in _OTHERS:
        counts[f"Words with {key}, which was not read"] = len(valued_words(corpus, _COLUMN, key)[0])
    return ((f"{text}: {{}}.", number) for text, number in counts.items() if number)
