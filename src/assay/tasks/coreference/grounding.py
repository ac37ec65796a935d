"""Tagged text brought to gold: sentences, heads of mentions, and what empty nodes depend on are gold's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.arrays import NONE, Bools, atoms_at
from assay.corpus import Column, Corpus
from assay.errors import InputError
from assay.formats.emptynodes import SIGN, EmptyNodes, deps_by_parent, highest, tree_heads, words_only
from assay.formats.entities import LEAVE_OUT
from assay.tasks.coreference.mentions import take_mentions

TEXT2TEXT = "text2text"
_MARK = "##"
"""The beginning of an empty node."""


def grounded(gold: Corpus, system: Corpus, zeros: str) -> Corpus:
    """Tagged text, which has neither sentences nor trees, with those of gold; where words differ in number, as it is.

    An empty node stands behind its parent. Where gold has as many whose first parent that word is, it depends on what
    these do, in their order; else on the word alone. The head of a mention is its first word that in gold's tree
    hangs on none of the others. Gold itself may be such a text.
    """
    own = gold is system
    is_node = np.array([form.startswith(_MARK) for form in system.forms.vocabulary], dtype=bool)[system.forms.codes]
    chains, firsts = system.chains, system.first_words
    assert chains is not None
    on_node = np.flatnonzero(is_node[firsts[chains.document] + chains.begin])
    if zeros == "error" and len(on_node):
        where = f"{system.name}:{int(chains.lines[on_node[0]])}"
        raise InputError(f"{where}: a mention begins on an empty node. {LEAVE_OUT}")
    if zeros == "drop":
        system, is_node = _without_nodes(system, is_node), np.zeros(int((~is_node).sum()), dtype=bool)
        chains, firsts = system.chains, system.first_words
        assert chains is not None
    if own:
        nothing = np.zeros(int(is_node.sum()), dtype=np.int64)
        gold = system.with_layer(EmptyNodes(np.flatnonzero(is_node), nothing, nothing, ("_",) * len(nothing)))
    words, bare = np.flatnonzero(~is_node), words_only(gold)
    ours, theirs = np.searchsorted(bare, gold.first_words), np.searchsorted(words, firsts)
    if len(ours) != len(theirs) or len(bare) != len(words) or (ours != theirs).any():
        # The comparison of words says where they differ.
        nothing = np.zeros(int(is_node.sum()), dtype=np.int64)
        nodes = EmptyNodes(np.flatnonzero(is_node), nothing, nothing, ("_",) * len(nothing))
        blanks = {form.replace(" ", "_"): form for form in gold.forms.vocabulary if " " in form}
        return replace(system, forms=system.forms.mapped(blanks)).with_layer(nodes)

    forms = system.forms.strings()
    for word, place in zip(words.tolist(), bare.tolist(), strict=True):
        # Tagged text has no blanks in words.
        if forms[word] != (form := gold.forms[place]) and forms[word] == form.replace(" ", "_"):
            forms[word] = form
    behind: dict[tuple[int, int], list[int]] = {}
    for node in np.flatnonzero(is_node).tolist():
        document = int(np.searchsorted(firsts, node, side="right")) - 1
        word = int(np.searchsorted(words, node)) - 1
        behind.setdefault((document, int(bare[word]) if word >= theirs[document] else NONE), []).append(node)
        forms[node] = f"{SIGN} ({forms[node].removeprefix(_MARK)})" if forms[node] != _MARK else SIGN
    by_parent = deps_by_parent(gold)
    rows: list[tuple[int, int, int, str]] = []
    for (_, parent), own_nodes in behind.items():
        known = by_parent.get(parent, [])
        if len(known) != len(own_nodes):
            begin = gold.starts[gold.sentence_of[parent]]
            identity = int(np.searchsorted(bare, parent) - np.searchsorted(bare, begin)) + 1
            known = ["_" if parent == NONE else f"{identity}:"] * len(own_nodes)
        for number, (node, deps) in enumerate(zip(own_nodes, known, strict=True), 1):
            rows.append((node, int(parent == NONE), number, deps))
    # A sentence begins with its first word, a document with what it has.
    starts = np.append(words, len(forms))[np.searchsorted(bare, gold.starts)]
    starts[[0] if gold.document_starts is None else gold.document_starts[:-1]] = firsts
    in_gold = dict(zip(words.tolist(), bare.tolist(), strict=True))
    in_tree, heads = tree_heads(gold), []
    told = (in_tree != NONE).any()
    for mention in range(len(chains)):
        first = int(firsts[chains.document[mention]])
        shape = atoms_at(mention, chains.begin, chains.end, chains.stretches)
        atoms = [first + atom for part in shape for atom in range(*part)]
        own_words = {in_gold[atom]: atom for atom in atoms if atom in in_gold}
        head = own_words[highest(in_tree, list(own_words))] if own_words else atoms[0]
        heads.append(head - first if told or len(atoms) == 1 else NONE)
    columns = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
    return replace(
        system,
        forms=Column.of(forms),
        starts=starts,
        lines=None if system.lines is None else system.lines[gold.document_of_sentence],
        document_starts=gold.document_starts,
        chains=replace(chains, heads=np.array(heads, dtype=np.int64)),
    ).with_layer(EmptyNodes(columns[:, 0], columns[:, 1], columns[:, 2], tuple(row[3] for row in rows)))


def _without_nodes(system: Corpus, is_node: Bools) -> Corpus:
    """Tagged text without its empty nodes, and without the mentions that have nothing else."""
    before = np.append(0, np.cumsum(~is_node))
    chains, firsts = system.chains, system.first_words
    assert chains is not None
    first = firsts[chains.document]
    begin, end = (before[first + side] - before[first] for side in (chains.begin, chains.end))
    kept = np.flatnonzero(begin < end)
    gone = len(chains) - len(kept)
    note = "Mentions of empty nodes alone that were left out: {}."
    return replace(
        system,
        forms=Column(system.forms.codes[~is_node], system.forms.vocabulary),
        starts=before[system.starts],
        chains=take_mentions(replace(chains, begin=begin, end=end), kept),
        noted=(*system.noted, *([(note, gone)] if gone else [])),
    )
