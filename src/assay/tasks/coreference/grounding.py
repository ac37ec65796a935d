"""Tagged text with gold's sentences, heads of mentions and dependencies of empty nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.arrays import NONE
from assay.corpus import Column, Corpus
from assay.errors import InputError
from assay.formats.emptynodes import (
    SIGN,
    find_highest,
    find_real_words,
    group_deps_by_parent,
    read_tree_heads,
    with_empty_nodes,
)
from assay.formats.entities import LEAVE_OUT

TEXT2TEXT = "text2text"
_MARK = "##"
"""First characters of an empty node."""


def ground_mentions(gold: Corpus, system: Corpus, zeros: str) -> Corpus:
    """Tagged text with the sentences and trees of gold; without them if the numbers of words differ.

    An empty node comes after its parent. If gold has equally many with this word as their first parent, it depends on
    the same words as these, in their order; if not, only on its parent. The head of a mention is its first word that
    depends on no other of its words in gold's tree. Gold itself may be such a text.
    """
    is_gold = gold is system
    is_node = np.array([form.startswith(_MARK) for form in system.forms.vocabulary], dtype=bool)[system.forms.codes]
    mentions, firsts = system.marks["mentions"], system.first_words
    on_node = np.flatnonzero(is_node[firsts[mentions.unit] + mentions.begin])
    if zeros == "error" and len(on_node):
        where = f"{system.name}:{int(mentions.lines[on_node[0]])}"
        raise InputError(f"{where}: a mention begins on an empty node. {LEAVE_OUT}")
    if zeros == "drop":
        # Without its empty nodes, and without the mentions that have nothing else.
        before = np.append(0, np.cumsum(~is_node))
        first = firsts[mentions.unit]
        begin, end = (before[first + side] - before[first] for side in (mentions.begin, mentions.end))
        kept = replace(mentions, begin=begin, end=end).where(begin < end)
        note = ("Mentions of empty nodes alone that were left out: {}.", len(mentions) - len(kept))
        system = replace(
            system.with_marks(mentions=kept),
            forms=Column(system.forms.codes[~is_node], system.forms.vocabulary),
            starts=before[system.starts],
            noted=(*system.noted, *([note] if note[1] else [])),
        )
        mentions, firsts, is_node = kept, system.first_words, np.zeros(len(system), dtype=bool)
    nodes = np.flatnonzero(is_node)
    alone = with_empty_nodes(system, nodes, nodes * 0, nodes * 0, ["_"] * len(nodes))
    gold = alone if is_gold else gold
    words, bare = np.flatnonzero(~is_node), find_real_words(gold)
    begins = np.searchsorted(words, firsts)
    if len(bare) != len(words) or not np.array_equal(np.searchsorted(bare, gold.first_words), begins):
        # The comparison of words says where they differ.
        blanks = {form.replace(" ", "_"): form for form in gold.forms.vocabulary if " " in form}
        return replace(alone, forms=system.forms.mapped(blanks))

    forms = system.forms.strings()
    for word, place in zip(words.tolist(), bare.tolist(), strict=True):
        # Tagged text has no blanks in words.
        if forms[word] != (form := gold.forms[place]) and forms[word] == form.replace(" ", "_"):
            forms[word] = form
    after: dict[tuple[int, int], list[int]] = {}
    for node in nodes.tolist():
        document = int(np.searchsorted(firsts, node, side="right")) - 1
        word = int(np.searchsorted(words, node)) - 1
        after.setdefault((document, int(bare[word]) if word >= begins[document] else NONE), []).append(node)
        forms[node] = f"{SIGN} ({forms[node].removeprefix(_MARK)})" if forms[node] != _MARK else SIGN
    by_parent = group_deps_by_parent(gold)
    starts_of, numbers = np.zeros((2, len(forms)), dtype=np.int64)
    deps: dict[int, str] = {}
    for (_, parent), of_parent in after.items():
        cells = by_parent.get(parent, [])
        if len(cells) != len(of_parent):
            begin = gold.starts[gold.sentence_of[parent]]
            identity = int(np.searchsorted(bare, parent) - np.searchsorted(bare, begin)) + 1
            cells = ["_" if parent == NONE else f"{identity}:"] * len(of_parent)
        starts_of[of_parent], numbers[of_parent] = int(parent == NONE), np.arange(len(of_parent)) + 1
        deps.update(zip(of_parent, cells, strict=True))
    # A sentence begins with its first word, a document with its first word or node.
    starts = np.append(words, len(forms))[np.searchsorted(bare, gold.starts)]
    starts[[0] if gold.document_starts is None else gold.document_starts[:-1]] = firsts
    in_gold = dict(zip(words.tolist(), bare.tolist(), strict=True))
    in_tree, heads = read_tree_heads(gold), []
    has_tree = (in_tree != NONE).any()
    for mention in range(len(mentions)):
        start = int(firsts[mentions.unit[mention]])
        atoms = [start + atom for part in mentions.atoms_of(mention) for atom in range(*part)]
        of_mention = {in_gold[atom]: atom for atom in atoms if atom in in_gold}
        head = of_mention[find_highest(in_tree, list(of_mention))] if of_mention else atoms[0]
        heads.append(head - start if has_tree or len(atoms) == 1 else NONE)
    headed = replace(mentions, arguments={"head": np.array(heads, dtype=np.int64)})
    placed = replace(
        system.with_marks(mentions=headed),
        forms=Column.of(forms),
        starts=starts,
        lines=None if system.lines is None else system.lines[gold.document_of_sentence],
        document_starts=gold.document_starts,
    )
    return with_empty_nodes(placed, nodes, starts_of[nodes], numbers[nodes], [deps[node] for node in nodes.tolist()])
