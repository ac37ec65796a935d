"""Empty nodes as words: mentions may contain them, and each file may have others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from assay.arrays import NONE, Ints, Stretches, all_but, as_codes, distinct_rows
from assay.corpus import Column, Corpus, Marks
from assay.errors import InputError
from assay.specs import whole_number

ZERO = "ZERO"
"""The tag of an empty node."""
SIGN = "∅"
"""An empty node in a text."""
NODE = re.compile(r"[0-9]+\.[0-9]+")
_TAGS = ("UPOS", "XPOS")
_DEPS = 8
_LONGEST = 16
"""No number of a node has more characters."""


_EMPTY = np.zeros(0, dtype=np.int64)
_NO_NODES = Marks(_EMPTY, _EMPTY, _EMPTY, Column(_EMPTY, ()), arguments={"start": _EMPTY, "number": _EMPTY})


def list_empty_nodes(corpus: Corpus) -> Marks:
    """The empty nodes among the words of a corpus, in text order, labelled with their enhanced dependencies.

    Their units are documents. Two arguments distinguish nodes at one place: `start`, the number of sentences that
    begin between the word before the node and the node (0 for a node after a word of its sentence); and `number`,
    the number after the dot.
    """
    return corpus.marks.get("nodes", _NO_NODES)


def with_empty_nodes(corpus: Corpus, word: Ints, start: Ints, number: Ints, deps: Iterable[str]) -> Corpus:
    """The corpus with these words marked as empty nodes."""
    document = np.searchsorted(corpus.first_words, word, side="right") - 1
    begin = word - corpus.first_words[document]
    arguments = {"start": start, "number": number}
    return corpus.with_marks(nodes=Marks(document, begin, begin + 1, Column.of(deps), arguments=arguments))


def find_node_words(corpus: Corpus) -> Ints:
    """Numbers of the words that are empty nodes."""
    nodes = list_empty_nodes(corpus)
    return np.asarray(corpus.first_words[nodes.unit] + nodes.begin)


def find_real_words(corpus: Corpus) -> Ints:
    """Numbers of the words that are not empty nodes."""
    return all_but(find_node_words(corpus), len(corpus))


def read_tree_heads(corpus: Corpus) -> Ints:
    """Head of each word from the column HEAD, unchecked; NONE for a root."""
    heads = np.full(len(corpus), NONE, dtype=np.int64)
    if "HEAD" in corpus.columns:
        cells, words = corpus.column("HEAD"), find_real_words(corpus)
        texts = cells.vocabulary
        numbers = [int(cell) if cell.isascii() and cell.isdigit() and len(cell) < 8 else 0 for cell in texts]
        number = np.array(numbers, dtype=np.int64)[cells.codes[words]]
        starts = np.searchsorted(words, corpus.starts)
        sentence = corpus.sentence_of[words]
        inside = (number > 0) & (number <= np.diff(starts)[sentence])
        heads[words[inside]] = words[(starts[sentence] + number - 1)[inside]]
    return heads


def find_highest(heads: Ints, words: Sequence[int]) -> int:
    """The first word whose head is not among these words; the first one if there is none."""
    return next((word for word in words if int(heads[word]) not in words), words[0])


def group_deps_by_parent(corpus: Corpus) -> dict[int, list[str]]:
    """The enhanced dependencies of all empty nodes by their first parent, also of nodes that are not words.

    If several nodes have the same parent, nodes right after it come first, then the others in text order.
    """
    words = find_real_words(corpus)
    rows: list[tuple[int, int, int, str]] = []
    for sentence, line in zip(corpus.aside_sentences, corpus.aside_lines, strict=True):
        cells = line.split("\t")
        if NODE.fullmatch(cells[0]) and len(cells) > _DEPS:
            whole, _, number = cells[0].partition(".")
            rows.append((sentence, int(whole), int(number), cells[_DEPS]))
    nodes, places = list_empty_nodes(corpus), find_node_words(corpus)
    sentences, numbers = corpus.sentence_of[places], nodes.arguments["number"]
    before = np.searchsorted(words, places) - np.searchsorted(words, corpus.starts[sentences])
    rows += zip(sentences.tolist(), before.tolist(), numbers.tolist(), nodes.labels.strings(), strict=True)
    by_parent: dict[int, list[tuple[bool, int, int, str]]] = {}
    bare_starts = np.searchsorted(words, corpus.starts)
    for sentence, after, place, deps in rows:
        parent = deps.partition(":")[0]
        first, end = bare_starts[sentence : sentence + 2].tolist()
        if 0 < whole_number(parent) <= end - first:
            word = int(words[first + int(parent) - 1])
            by_parent.setdefault(word, []).append((after != int(parent), after, place, deps))
    return {word: [deps for *_, deps in sorted(nodes_of)] for word, nodes_of in by_parent.items()}


def find_line_place(corpus: Corpus, aside: int) -> str:
    """`file:line` of a line that is not a word."""
    sentence = min(corpus.aside_sentences[aside], corpus.sentences - 1)
    first, word = int(corpus.starts[sentence]), int(corpus.aside_words[aside])
    if corpus.lines is None:
        return corpus.place(min(word, len(corpus) - 1))
    between = aside - int(np.searchsorted(corpus.aside_words, first, side="right"))
    return f"{corpus.path_of(sentence)}:{int(corpus.lines[sentence]) + word - first + between}"


def nodes_to_words(corpus: Corpus, asides: Ints) -> Corpus:
    """The corpus with some empty nodes as words; `asides` are their numbers among the lines that are not words."""
    if not len(asides):
        return corpus
    cells = [corpus.aside_lines[aside].split("\t") for aside in asides.tolist()]
    before = corpus.aside_words[asides]
    sentence = np.minimum(np.array(corpus.aside_sentences, dtype=np.int64)[asides], corpus.sentences - 1)
    for aside, row in zip(asides.tolist(), cells, strict=True):
        if len(row[0]) > _LONGEST:
            raise InputError(f"{find_line_place(corpus, aside)}: {row[0]} is not the number of a node. Renumber "
            f"the nodes.")
    whole, number = np.array([row[0].split(".") for row in cells], dtype=np.int64).T
    start = np.maximum(sentence - np.searchsorted(corpus.starts[:-1], before) + 1, 1)
    start[whole > 0] = 0
    # If numbers of nodes before one word start again, the later ones are in a sentence that has only nodes.
    same_place = (np.diff(before, prepend=NONE) == 0) & (np.minimum(start, np.append(0, start[:-1])) > 0)
    again = same_place & (np.diff(number, prepend=0) <= 0)
    turns = np.cumsum(again)
    start += turns - turns[np.searchsorted(before, before)] * (start > 0)
    # Nodes must be in their order, because their numbers identify them.
    steps = np.diff(np.stack([before, start, number]), prepend=NONE)
    rising = (steps[0] > 0) | ((steps[0] == 0) & ((steps[1] > 0) | ((steps[1] == 0) & (steps[2] > 0))))
    if not rising.all():
        wrong = int(np.flatnonzero(~rising)[0])
        fact = f"the empty node {cells[wrong][0]} comes after {cells[wrong - 1][0]}"
        raise InputError(f"{find_line_place(corpus, int(asides[wrong]))}: {fact}. Number nodes in their order.")
    left = np.delete(np.arange(len(corpus.aside_lines)), asides)
    # Other lines stay before the same word, or before a node that has become a word.
    moved = corpus.aside_words[left] + np.searchsorted(asides, left)
    forms = [_format_node(corpus, row, number) for row, number in zip(cells, sentence.tolist(), strict=True)]
    grown = _insert_words(corpus, before, sentence, forms)
    lines = None if corpus.lines is None else corpus.lines.copy()
    if lines is not None:
        # A sentence that begins with nodes begins earlier by their lines.
        leading = np.flatnonzero(before == corpus.starts[sentence])[::-1]
        up_to_word = np.searchsorted(corpus.aside_words, before, side="right") - asides
        lines[sentence[leading]] -= up_to_word[leading]
    grown = replace(
        grown,
        lines=lines,
        aside_words=moved,
        aside_sentences=tuple(corpus.aside_sentences[aside] for aside in left.tolist()),
        aside_lines=tuple(corpus.aside_lines[aside] for aside in left.tolist()),
    )
    deps = (row[_DEPS] if len(row) > _DEPS else "_" for row in cells)
    return with_empty_nodes(grown, before + np.arange(len(asides)), start, number, deps)


def insert_all_nodes(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Corpora of the same documents and words, each with the empty nodes of all as words, so that atoms correspond.

    Nodes are equal if they follow the same word of the same sentence and have the same number there.
    """
    layers = [list_empty_nodes(corpus) for corpus in corpora]
    rows, sizes = [], [len(nodes) for nodes in layers]
    if not any(sizes):
        return list(corpora)
    for nodes in layers:
        # Words before each in its document, nodes not counted.
        after = nodes.begin - np.arange(len(nodes)) + np.searchsorted(nodes.unit, nodes.unit)
        rows.append(np.stack([nodes.unit, after, nodes.arguments["start"], nodes.arguments["number"]], axis=1))
    distinct, group, _ = distinct_rows(np.concatenate(rows).astype(np.int64))
    numbers = np.split(group, np.cumsum(sizes)[:-1])
    forms = dict[int, str]()
    for corpus, present in zip(corpora, numbers, strict=True):
        for number, word in zip(present.tolist(), find_node_words(corpus).tolist(), strict=True):
            forms.setdefault(number, corpus.forms[word])
    lines = []
    for corpus, present in zip(corpora, numbers, strict=True):
        missing = all_but(present, len(distinct))
        document, after, start, _ = distinct[missing].T
        words = find_real_words(corpus)
        bare_starts = np.searchsorted(words, corpus.starts)
        bare = np.searchsorted(words, corpus.first_words)[document] + after
        # The sentence of a node: that of the word before it, the one that begins here, or the one around the place.
        first = np.searchsorted(bare_starts[:-1], bare)
        begun = np.searchsorted(bare_starts[:-1], bare, side="right") - first
        within = np.searchsorted(bare_starts, bare, side="right") - 1
        sentence = np.where(start == 0, first - 1, np.where(begun > 0, first + np.minimum(start, begun) - 1, within))
        sentence = np.minimum(sentence, corpus.sentences - 1)
        before = bare + np.searchsorted(present, missing)
        grown = _insert_words(corpus, before, sentence, [forms[number] for number in missing.tolist()])
        added = before + np.arange(len(missing))
        lines.append(replace(grown, unwritten=np.union1d(grown.unwritten, added)) if len(missing) else corpus)
    return lines


def _format_node(corpus: Corpus, cells: Sequence[str], sentence: int) -> str:
    """An empty node with its first parent and relation: `∅ (nsubj of posted)`."""
    parent, _, relation = (cells[_DEPS] if len(cells) > _DEPS else "").split("|")[0].partition(":")
    first, end = int(corpus.starts[sentence]), int(corpus.starts[sentence + 1])
    if not relation:
        return SIGN
    if 0 < whole_number(parent) <= end - first:
        return f"{SIGN} ({relation} of {corpus.forms[first + int(parent) - 1]})"
    return f"{SIGN} ({relation})"


def shorten_node(form: str) -> str:
    """A form, for an empty node without its parent and relation."""
    return SIGN if form.startswith(f"{SIGN} (") else form


def _insert_words(corpus: Corpus, before: Ints, sentence: Ints, forms: Sequence[str]) -> Corpus:
    """The corpus with further words: the word that each is put before, and its sentence."""
    where = np.arange(len(corpus) + 1)
    moved = where + np.searchsorted(before, where, side="right")
    more = np.cumsum(np.bincount(sentence, minlength=corpus.sentences))
    added = before + np.arange(len(before))

    def insert(column: Column, forms: Sequence[str]) -> Column:
        vocabulary = {form: code for code, form in enumerate(column.vocabulary)}
        codes = as_codes(forms, vocabulary)
        return Column(np.insert(column.codes, before, codes), tuple(vocabulary))

    heads = corpus.heads
    if heads is not None:
        # A node is its own head, so that it is never the highest word of a mention.
        heads = np.insert(np.where(heads >= 0, moved[heads], heads), before, added)
    grown = replace(
        corpus,
        forms=insert(corpus.forms, forms),
        columns={
            name: insert(column, [ZERO if name in _TAGS else "_"] * len(before))
            for name, column in corpus.columns.items()
        },
        starts=corpus.starts + np.append(0, more),
        aside_words=moved[corpus.aside_words],
        multiwords=(),
        heads=heads,
        unwritten=moved[corpus.unwritten],
    )
    # Mentions and nodes move with their words; new words between those of a mention do not belong to it.
    layers = {}
    for name in [name for name in ("mentions", "nodes") if name in corpus.marks]:
        marks = corpus.marks[name]
        old, new = corpus.first_words[marks.unit], grown.first_words[marks.unit]
        begin, end = moved[old + marks.begin], moved[old + marks.end - 1] + 1
        wider = np.flatnonzero(end - begin != marks.end - marks.begin).tolist()
        stretches: dict[int, Stretches] = {}
        for number in sorted({*marks.stretches, *wider}):
            atoms = np.concatenate([np.arange(*part) for part in marks.atoms_of(number)])
            atoms = moved[atoms + old[number]] - new[number]
            parts = np.split(atoms, np.flatnonzero(np.diff(atoms) > 1) + 1)
            stretches[number] = tuple((int(part[0]), int(part[-1]) + 1) for part in parts)
        arguments = dict(marks.arguments)
        if "head" in arguments:
            head = arguments["head"]
            arguments["head"] = np.where(head < 0, NONE, moved[old + np.maximum(head, 0)] - new)
        layers[name] = replace(marks, begin=begin - new, end=end - new, stretches=stretches, arguments=arguments)
    return grown.with_marks(**layers)
