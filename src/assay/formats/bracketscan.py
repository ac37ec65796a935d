"""What stands in brackets as arrays: words, nodes, and which is above which, for all trees of a text at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from assay.arrays import Bools, Ints

NO_PARSE = b"NOPARSE"
"""The root of a tree that stands for no parse."""

_ATOM, _SPACE, _OPEN, _CLOSE = range(4)
_KINDS = np.zeros(256, dtype=np.uint8)
# White space is that of ASCII alone: a word may hold other.
_KINDS[list(b" \t\n\r\v\f")] = _SPACE
_KINDS[ord("(")] = _OPEN
_KINDS[ord(")")] = _CLOSE
_TO_SPACE = bytes.maketrans(b"()", b"  ")


def _depths(opening: Bools, closing: Bools) -> Ints:
    """How many brackets are open behind each token."""
    depths: Ints = np.cumsum(opening.astype(np.int8) - closing, dtype=np.int64)
    return depths


class Atoms(dict[bytes, int]):
    """What stands between brackets and white space, numbered in order of appearance."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[bytes] = []

    def __missing__(self, atom: bytes) -> int:
        number = self[atom] = len(self.listed)
        self.listed.append(atom)
        return number


class AtomCodes:
    """The codes of one kind of atoms: words, tags or labels of nodes."""

    def __init__(self, atoms: Atoms, codes: Callable[[Sequence[str]], Ints]) -> None:
        self._atoms = atoms
        self._codes = codes
        self._known: Ints = np.full(0, -1, dtype=np.int64)

    def __getitem__(self, numbers: Ints) -> Ints:
        room = len(self._atoms.listed) - len(self._known)
        self._known = np.concatenate([self._known, np.full(room, -1)])
        new = list(dict.fromkeys(numbers[self._known[numbers] < 0].tolist()))
        if new:
            self._known[new] = self._codes([self._atoms.listed[number].decode("utf-8") for number in new])
        return self._known[numbers]


class Scan:
    """The words and nodes of a text of whole trees, one behind the other, counted over all of them.

    Words, tags and labels are given by the numbers of their atoms; nodes without words are left out.
    """

    def __init__(self, data: bytes, atoms: Atoms, empty_element: bytes | None) -> None:
        characters = _KINDS[np.frombuffer(data, dtype=np.uint8)]
        solid = characters == _ATOM
        begins = solid.copy()
        begins[1:] &= ~solid[:-1]
        token = characters[begins | (characters >= _OPEN)]
        number = np.full(len(token), atoms[b""], dtype=np.int64)
        pieces = data.translate(_TO_SPACE).split()
        number[token == _ATOM] = np.fromiter(map(atoms.__getitem__, pieces), dtype=np.int64, count=len(pieces))
        self._read(token, number)
        self.empty = 0
        if empty_element is not None:
            self._leave_out(self.tags == atoms[empty_element])
        self._place_nodes()
        self._parsed(atoms)

    def _read(self, token: Ints, number: Ints) -> None:
        """Tell words from nodes: `(TAG word)` is a word, and so is what stands alone behind a label."""
        opening, closing, atom = token == _OPEN, token == _CLOSE, token == _ATOM
        label = np.zeros(len(token), dtype=bool)
        label[1:] = opening[:-1] & atom[1:]
        # Words in brackets of their own, which are no nodes.
        tagged = np.zeros(len(token), dtype=bool)
        tagged[2:-1] = label[1:-2] & atom[2:-1] & closing[3:]
        self._words = np.flatnonzero(atom & ~label)
        self.forms = number[self._words]
        self.tags = np.where(tagged[self._words], number[self._words - 1], number[0])
        self._tree_ends = np.flatnonzero(closing & (_depths(opening, closing) == 0))
        opening[:-2] &= ~tagged[2:]
        closing[1:] &= ~tagged[:-1]
        self._opened, self._closed = np.flatnonzero(opening), np.flatnonzero(closing)
        # The first token opens a tree, so it has no number of its own and stands for a label that is not there.
        self.labels = np.where(label[self._opened + 1], number[self._opened + 1], number[0])
        self._depth = _depths(opening, closing)

    def _leave_out(self, gone: Bools) -> None:
        self.empty = int(gone.sum())
        if self.empty:
            self._words, self.forms, self.tags = self._words[~gone], self.forms[~gone], self.tags[~gone]

    def _place_nodes(self) -> None:
        """Brackets that open and close a node follow each other at one depth, one by one."""
        opened, size = self._opened, len(self._depth) + 1
        depth = self._depth[opened]
        by_depth = np.argsort(depth, kind="stable")
        closed = np.empty_like(opened)
        closed[by_depth] = self._closed[np.argsort(self._depth[self._closed], kind="stable")]
        begins, ends = np.searchsorted(self._words, opened), np.searchsorted(self._words, closed)
        # A node is above what stands behind it one level down, up to the next node of its own level.
        keys = depth[by_depth] * size + opened[by_depth]
        above = np.concatenate([[-1], by_depth])
        parents = above[np.searchsorted(keys, (depth - 1) * size + opened) * (depth > 1)]
        deep = self._depth[self._words]
        over_words = above[np.searchsorted(keys, deep * size + self._words) * (deep > 0)]
        kept = ends > begins
        place = np.append(np.cumsum(kept) - 1, -1)
        self.labels, self.begins, self.ends = self.labels[kept], begins[kept], ends[kept]
        self.parents, self.above = place[parents[kept]], place[over_words]
        self.words_before = np.searchsorted(self._words, np.concatenate([[0], self._tree_ends]))
        """The number of words before each tree, and of all."""
        self.nodes_before = np.searchsorted(opened[kept], np.concatenate([[0], self._tree_ends]))

    def _parsed(self, atoms: Atoms) -> None:
        """Trees that say that they are none: of these the words stay."""
        self.unparsed: list[int] = []
        if NO_PARSE not in atoms:
            return
        said = atoms[NO_PARSE]
        words, nodes = self.words_before, self.nodes_before
        root = np.zeros(len(words) - 1, dtype=bool)
        there = np.diff(nodes) > 0
        root[there] = self.labels[nodes[:-1][there]] == said
        single = np.diff(words) == 1
        root[single] |= self.tags[words[:-1][single]] == said
        if root.any():
            self._take_down(root, said, atoms[b""])

    def _take_down(self, trees: Bools, said: int, nothing: int) -> None:
        self.unparsed = np.flatnonzero(trees).tolist()
        of_words = np.repeat(trees, np.diff(self.words_before))
        kept = ~np.repeat(trees, np.diff(self.nodes_before))
        place = np.append(np.cumsum(kept) - 1, -1)
        self.above = np.where(of_words, -1, place[self.above])
        self.tags = np.where(of_words & (self.tags == said), nothing, self.tags)
        self.labels, self.begins, self.ends = self.labels[kept], self.begins[kept], self.ends[kept]
        self.parents = place[self.parents[kept]]
        self.nodes_before = np.concatenate([[0], np.cumsum(kept)])[self.nodes_before]

    def join(self, firsts: Ints) -> None:
        """Make one sentence of each of these trees and those that follow it, up to the next."""
        ends = np.append(firsts, len(self.words_before) - 1)
        single = np.flatnonzero(np.diff(ends) == 1)
        place = dict(zip(firsts[single].tolist(), single.tolist(), strict=True))
        # Beside other trees, one that says that there is none is none.
        self.unparsed = [place[tree] for tree in self.unparsed if tree in place]
        self.words_before, self.nodes_before = self.words_before[ends], self.nodes_before[ends]
