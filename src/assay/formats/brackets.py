"""Trees in brackets: `(S (NP (DT The) (NN end)))` as in the Penn treebank, and with numbered words (discbracket).

A file is cut where trees end (`_Pieces`), and all trees of a piece become arrays at once (`_Scan`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from assay.arrays import Bools, Ints, as_codes, ids_of_runs
from assay.errors import InputError, unknown
from assay.formats.builder import Builder, Vocabulary
from assay.formats.source import BATCH, Batch, Source, decode
from assay.formats.trees import EMPTY_ELEMENT, Forest

BLANK_LINES = ("auto", "unparsed", "nothing")
"""The meanings that blank lines may have."""
LINES = ("auto", "sentence", "trees")
"""The meanings of a line with several trees: one sentence, or as many as there are trees."""

# White space is that of ASCII alone: a word may hold other. Nothing is tried twice, however long it is.
_HOLLOW = re.compile(rb"\(\s*+[^\s()]*+\s*+\)")
_NO_TREE = re.compile(rb"\(\s*+(?:\(\s*+\)\s*+|NOPARSE\s*+)?\)")
_BEGINNING = re.compile(r"\(\s*+(?:[()]|[^\s()]++\s++[^\s)]|[^\s()/]++(?:\(|$))", re.ASCII)
_LEAF = re.compile(r"(?<![^\s()])([^\s()]++)\s*+\)", re.ASCII)
_NUMBERED = re.compile(r"([0-9]{1,9})=(.+)", re.DOTALL)
_ESCAPED = re.compile(r"([-#])([LR][RCS]B)\1|\\([/*])")
_BRACKETS = {"LRB": "(", "RRB": ")", "LCB": "{", "RCB": "}", "LSB": "[", "RSB": "]"}
_WITHIN_WORDS = "Brackets within words are written -LRB- and -RRB-."
_LEAVE_OUT = "To leave out such trees, each on a line of its own: --on-mismatch skip"
_SHOWN = 30
_NO_PARSE = b"NOPARSE"
"""The root of a tree that stands for no parse."""
_ATOM, _SPACE, _OPEN, _CLOSE = range(4)
_KINDS = np.zeros(256, dtype=np.uint8)
_KINDS[list(b" \t\n\r\v\f")] = _SPACE
_KINDS[ord("(")] = _OPEN
_KINDS[ord(")")] = _CLOSE
_TO_SPACE = bytes.maketrans(b"()", b"  ")


def unescaped(form: str) -> str:
    """A word as it stands in the text: a bracket for `-LRB-` or `#LRB#` (and so on), `/` for `\\/`, `*` for `\\*`."""
    return _ESCAPED.sub(lambda match: match[3] or _BRACKETS[match[2]], form)


def looks_brackets(head: Sequence[str]) -> bool:
    """True if the first character opens a tree, and half of the lines at least hold an opening bracket."""
    lines = [line for line in head if line.strip()]
    text = "\n".join(lines[:50]).lstrip()
    return bool(_BEGINNING.match(text)) and 2 * sum("(" in line for line in lines) >= len(lines)


def looks_discbracket(head: Sequence[str]) -> bool:
    """True of brackets whose words are all numbered."""
    leaves = _LEAF.findall("\n".join(head)) if looks_brackets(head) else []
    return bool(leaves) and all(map(_NUMBERED.fullmatch, leaves))


def read_brackets(
    source: Source,
    builder: Builder,
    *,
    escaped: bool = True,
    blank: str = "auto",
    line: str = "auto",
    numbered: bool = False,
) -> None:
    """Read one file of trees, by counting brackets.

    Empty elements and nodes without words are left out. Sentences without a parse, `()`, `(())` and `(NOPARSE …)`,
    stay, so that files stay parallel. A blank line is one too, where every tree has a line of its own and some two
    trees have no blank line between them; else blank lines only divide trees. `blank` may say which it is.
    Trees in one `line` are sentences, or one sentence; where other lines hold a tree each, that must be said.
    Where words are `numbered` (discbracket), they stand in the order of their numbers. For a tolerant builder a tree
    on a line of its own whose brackets are not paired is a sentence without a parse.
    """
    if blank not in BLANK_LINES:
        raise unknown("kind of blank line", blank, BLANK_LINES)
    if line not in LINES:
        raise unknown("kind of line", line, LINES)
    builder.begin_file(source.path)
    forest = Forest(builder)
    plain = unescaped if escaped else str
    # What stands between brackets and white space.
    atoms = Vocabulary[bytes]()
    forms = _AtomCodes(atoms, lambda strings: builder.codes(0, map(plain, strings)))
    tags = [_AtomCodes(atoms, partial(builder.codes, index)) for index, _ in enumerate(builder.names, 1)]
    labels = _AtomCodes(atoms, lambda strings: as_codes(strings, builder.node_labels))
    pieces = _Pieces(source, builder, line, "discbracket" if numbered else "brackets")
    for data, lines in pieces:
        scan = _Scan(data, atoms, None if numbered else EMPTY_ELEMENT.encode())
        firsts = np.flatnonzero(np.diff(lines, prepend=0)) if line == "sentence" else np.arange(len(lines))
        scan.join(firsts)
        if numbered:
            _add_numbered(forest, scan, atoms, source.path, lines[firsts].tolist(), plain)
            continue
        forest.note_left_out(scan.empty)
        codes = [forms[scan.forms], *(column[scan.tags] for column in tags)]
        sentence = ids_of_runs(scan.nodes_before)
        first = scan.words_before[sentence]
        places = [sentence, scan.parents, scan.begins - first, scan.ends - first]
        nodes = [*places, labels[scan.labels], np.full(len(sentence), -1)]
        sizes = np.diff(scan.words_before).tolist()
        forest.add(codes, sizes, lines[firsts].tolist(), scan.above, nodes, unparsed=scan.unparsed)
    missing: list[int] = []
    if not pieces.tree_per_line and blank == "unparsed":
        raise InputError(
            f"{source.path}: not every tree has a line of its own, so that a blank line cannot be a sentence. "
            "Write sentences without a parse as (())."
        )
    if pieces.tree_per_line and (blank == "unparsed" or (blank == "auto" and (np.diff(forest.lines) == 1).any())):
        # All lines but those of the trees are blank.
        missing = np.setdiff1d(np.arange(1, pieces.last_line + 1), forest.lines).tolist()
    forest.hand_over(missing)
    builder.end_file()


def _add_numbered(
    forest: Forest, scan: _Scan, atoms: Vocabulary[bytes], path: str, lines: list[int], plain: Callable[[str], str]
) -> None:
    """Give the forest trees with their words in the order of their numbers."""
    listed, columns = list(atoms), (scan.forms, scan.tags, scan.labels)
    forms, tags, labels = ([listed[number].decode("utf-8") for number in column] for column in columns)
    above, parents = scan.above.tolist(), scan.parents.tolist()
    words, nodes = pairwise(scan.words_before.tolist()), pairwise(scan.nodes_before.tolist())
    for number, ((word, word_end), (node, node_end), line) in enumerate(zip(words, nodes, lines, strict=True)):
        leaves = {}
        for leaf in range(word, word_end):
            match = _NUMBERED.fullmatch(forms[leaf])
            if not match:
                raise InputError(
                    f"{path}:{line}: {forms[leaf][:_SHOWN]!r} is not of the form number=word, as all words of "
                    "discbracket are."
                )
            leaves[leaf] = int(match[1]), match[2]
        order = sorted(leaves, key=lambda leaf: leaves[leaf][0])
        for expected, leaf in enumerate(order):
            if leaves[leaf][0] != expected:
                raise InputError(
                    f"{path}:{line}: word {leaves[leaf][0]} where word {expected} should follow. "
                    "The words of a tree are numbered from 0, each once."
                )
        forest.add_tree(
            {"form": [plain(leaves[leaf][1]) for leaf in order], "tag": [tags[leaf] for leaf in order]},
            [max(above[leaf] - node, -1) for leaf in order],
            [max(parent - node, -1) for parent in parents[node:node_end]],
            labels[node:node_end],
            line,
            parsed=number not in scan.unparsed,
        )


# --- whole trees ---


class _Pieces:
    """A file in pieces that end where a tree ends: all brackets are paired, and nothing stands outside of them."""

    def __init__(self, source: Source, builder: Builder, line: str, format: str) -> None:  # noqa: A002
        self.path = source.path
        self.tree_per_line = True
        """True if each sentence so far has a line of its own."""
        self.last_line = 0
        self._source, self._builder = source, builder
        self._line_is, self._format = line, format
        self._within_lines = True
        """True if each tree so far lies within one line …"""
        self._alone = False
        """… some of them alone in it …"""
        self._crowded: tuple[int, int] | None = None
        """… and the first line with several, with their number."""

    def __iter__(self) -> Iterator[tuple[bytes, Ints]]:
        """Whole trees, and the line in which each begins."""
        held: list[bytes] = []
        line, depth = 1, 0
        for batch in self._source.batches():
            given = self._mended(batch).data if self._builder.tolerant else batch.data
            brackets, depths = _depths(given, depth)
            if (depths < 0).any():
                raise self._not_opened(b"".join([*held, given]), line)
            # Behind the last tree and, where all trees of a large file are in one line, behind some before it.
            closing, first = brackets[depths == 0], 0
            last = int(closing[-1]) if len(closing) else 0
            cuts = closing[np.searchsorted(closing, np.arange(BATCH, last, BATCH))]
            for end in (np.unique(np.append(cuts, closing[-1:])) + 1).tolist():
                data = b"".join([*held, given[first:end]])
                yield data, self._tree_lines(data, line)
                line += data.count(b"\n")
                held, first = [], end
            held.append(given[first:])
            depth = int(depths[-1]) if len(depths) else depth
        rest = b"".join(held)
        if depth:
            raise self._not_closed(rest, line, depth)
        if self._line_is == "auto" and self._within_lines and self._alone and self._crowded:
            place, number = self._crowded
            raise InputError(
                f"{self.path}:{place}: {number} trees in one line, where other lines hold one each. If a line is a "
                f'sentence, say --input-format "{self._format}(line=sentence)"; if each tree is one, '
                f'"{self._format}(line=trees)".'
            )
        if rest.strip():
            raise self._outside(rest, 0, line)
        self.last_line = line + rest.count(b"\n") - rest.endswith(b"\n")

    def _mended(self, batch: Batch) -> Batch:
        """The lines without those whose brackets are not paired, if lines are trees; parts of one are indented."""
        lines = batch.data.split(b"\n")
        depths = [np.append(0, _depths(line, 0)[1]) for line in lines]
        broken = [number for number, opened in enumerate(depths) if opened[-1] or opened.min() < 0]
        if not broken or not all(line.startswith(b"(") for line in lines if line):
            return batch
        for number in broken:
            lines[number] = b"(())"
        self._builder.note(f"{self.path}: trees whose brackets are not paired, taken for no parse: {{}}", len(broken))
        return replace(batch, data=b"\n".join(lines))

    def _tree_lines(self, data: bytes, line: int) -> Ints:
        """The line in which each tree begins; how trees and lines go together is checked and noted."""
        brackets, depths = _depths(data, 0)
        ends = brackets[depths == 0]
        # Opening brackets at depth 1 that are no closing ones come first and behind each end.
        starts = brackets[np.concatenate([[0], np.flatnonzero(depths == 0)[:-1] + 1])]
        breaks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
        lines: Ints = line + np.searchsorted(breaks, starts)
        last_lines: Ints = line + np.searchsorted(breaks, ends)
        before = 0
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            if data[before:start].strip():
                raise self._outside(data[:start], before, line)
            before = end + 1
        for match in _HOLLOW.finditer(data):
            # Nothing but a missing parse has brackets with nothing in them.
            tree = int(np.searchsorted(starts, match.start(), side="right")) - 1
            if not _NO_TREE.fullmatch(data, int(starts[tree]), int(ends[tree]) + 1):
                raise self._hollow(data, match, int(lines[tree]), line)
        apart = bool((lines > np.concatenate([[self.last_line], last_lines[:-1]])).all())
        longer = np.flatnonzero(lines != last_lines)
        self._within_lines &= not len(longer)
        if self._line_is == "sentence" and (len(longer) or lines[0] == self.last_line):
            place = int(lines[longer[0]]) if len(longer) else int(lines[0])
            raise InputError(
                f"{self.path}:{place}: a tree that ends in another line, or a line of over {BATCH >> 20} MB, where a "
                "line is to be a sentence. Leave out line=sentence."
            )
        used, numbers = np.unique(lines, return_counts=True)
        self._alone |= bool((numbers == 1).any())
        if self._crowded is None and (numbers > 1).any():
            self._crowded = int(used[numbers > 1][0]), int(numbers[numbers > 1][0])
        self.tree_per_line &= self._within_lines and (apart or self._line_is == "sentence")
        self.last_line = int(last_lines[-1])
        # A byte that is not UTF-8 is refused here.
        decode(data, self.path, line)
        return lines

    # --- what can be wrong ---

    def _outside(self, data: bytes, before: int, line: int) -> InputError:
        text = data[before:].strip()
        here = _line(data, data.index(text, before), line)
        shown = decode(text.split()[0], self.path, line)[:_SHOWN]
        return InputError(f"{self.path}:{here}: {shown!r} stands outside of all brackets. {_WITHIN_WORDS}")

    def _hollow(self, data: bytes, match: re.Match[bytes], tree_line: int, line: int) -> InputError:
        shown = decode(b" ".join(match[0].split()), self.path, line)[:_SHOWN]
        here = _line(data, match.start(), line)
        begins = "" if here == tree_line else f", in the tree that begins in line {tree_line}"
        return InputError(
            f"{self.path}:{here}: {shown} holds no word{begins}. A word is written (TAG word). {_WITHIN_WORDS}"
        )

    def _not_opened(self, data: bytes, line: int) -> InputError:
        brackets, depths = _depths(data, 0)
        wrong = int(np.flatnonzero(depths < 0)[0])
        before = np.flatnonzero(depths[: max(wrong - 1, 0)] == 0)
        start = int(brackets[before[-1] + 1 if len(before) else 0])
        behind = f", behind the tree that begins in line {_line(data, start, line)}" if wrong else ""
        return InputError(
            f"{self.path}:{_line(data, int(brackets[wrong]), line)}: a closing bracket that closes nothing{behind}. "
            f"{_WITHIN_WORDS} {_LEAVE_OUT}"
        )

    def _not_closed(self, data: bytes, line: int, depth: int) -> InputError:
        start = data.index(b"(")
        tree_line = _line(data, start, line)
        if match := _HOLLOW.search(data, start):
            return self._hollow(data, match, tree_line, line)
        following = data.find(b"\n(", start) + 1
        hint = f"; the next seems to begin in line {_line(data, following, line)}" if following else ""
        lacks = "a closing bracket" if depth == 1 or following else f"{depth} closing brackets"
        return InputError(
            f"{self.path}:{tree_line}: the tree that begins here lacks {lacks}{hint}. {_WITHIN_WORDS} {_LEAVE_OUT}"
        )


def _depths(data: bytes, depth: int) -> tuple[Ints, Ints]:
    """The places of all brackets, and how many are open behind each."""
    characters = np.frombuffer(data, dtype=np.uint8)
    opening, closing = ord("("), ord(")")
    brackets = np.flatnonzero((characters == opening) | (characters == closing))
    return brackets, depth + np.cumsum(np.where(characters[brackets] == opening, 1, -1))


def _line(data: bytes, place: int, first: int) -> int:
    return first + data.count(b"\n", 0, place)


# --- words and nodes as arrays ---


class _AtomCodes:
    """The codes of one kind of atoms: words, tags or labels of nodes."""

    def __init__(self, atoms: Vocabulary[bytes], codes: Callable[[Sequence[str]], Ints]) -> None:
        self._atoms = atoms
        self._codes = codes
        self._known: Ints = np.full(0, -1, dtype=np.int64)

    def __getitem__(self, numbers: Ints) -> Ints:
        self._known = np.concatenate([self._known, np.full(len(self._atoms) - len(self._known), -1)])
        new = list(dict.fromkeys(numbers[self._known[numbers] < 0].tolist()))
        if new:
            listed = list(self._atoms)
            self._known[new] = self._codes([listed[number].decode("utf-8") for number in new])
        return self._known[numbers]


class _Scan:
    """The words and nodes of a text of whole trees, one behind the other, counted over all of them.

    Words, tags and labels are given by the numbers of their atoms; nodes without words are left out.
    """

    def __init__(self, data: bytes, atoms: Vocabulary[bytes], empty_element: bytes | None) -> None:
        characters = _KINDS[np.frombuffer(data, dtype=np.uint8)]
        solid = characters == _ATOM
        begins = solid.copy()
        begins[1:] &= ~solid[:-1]
        token = characters[begins | (characters >= _OPEN)]
        opening, closing, atom = token == _OPEN, token == _CLOSE, token == _ATOM
        number = np.full(len(token), atoms[b""], dtype=np.int64)
        pieces = data.translate(_TO_SPACE).split()
        number[atom] = np.fromiter(map(atoms.__getitem__, pieces), dtype=np.int64, count=len(pieces))
        # `(TAG word)` is a word, and so is what stands alone behind a label.
        label = np.zeros(len(token), dtype=bool)
        label[1:] = opening[:-1] & atom[1:]
        # Words in brackets of their own, which are no nodes.
        tagged = np.zeros(len(token), dtype=bool)
        tagged[2:-1] = label[1:-2] & atom[2:-1] & closing[3:]
        words = np.flatnonzero(atom & ~label)
        self.tags = np.where(tagged[words], number[words - 1], number[0])
        self.empty = 0
        if empty_element is not None:
            gone = self.tags == atoms[empty_element]
            self.empty = int(gone.sum())
            words, self.tags = words[~gone], self.tags[~gone]
        self.forms = number[words]
        ends = np.flatnonzero(closing & (_open_behind(opening, closing) == 0))
        opening[:-2] &= ~tagged[2:]
        closing[1:] &= ~tagged[:-1]
        opened, closed = np.flatnonzero(opening), np.flatnonzero(closing)
        # The first token opens a tree, so it has no number of its own and stands for a label that is not there.
        labels = np.where(label[opened + 1], number[opened + 1], number[0])
        depths = _open_behind(opening, closing)
        # Brackets that open and close a node follow each other at one depth, one by one.
        depth, size = depths[opened], len(depths) + 1
        by_depth = np.argsort(depth, kind="stable")
        partner = np.empty_like(opened)
        partner[by_depth] = closed[np.argsort(depths[closed], kind="stable")]
        first, behind = np.searchsorted(words, opened), np.searchsorted(words, partner)
        # A node is above what stands behind it one level down, up to the next node of its own level.
        keys = depth[by_depth] * size + opened[by_depth]
        above = np.concatenate([[-1], by_depth])
        parents = above[np.searchsorted(keys, (depth - 1) * size + opened) * (depth > 1)]
        deep = depths[words]
        over_words = above[np.searchsorted(keys, deep * size + words) * (deep > 0)]
        kept = behind > first
        place = np.append(np.cumsum(kept) - 1, -1)
        self.labels, self.begins, self.ends = labels[kept], first[kept], behind[kept]
        self.parents, self.above = place[parents[kept]], place[over_words]
        self.words_before = np.searchsorted(words, np.concatenate([[0], ends]))
        """The number of words before each tree, and of all."""
        self.nodes_before = np.searchsorted(opened[kept], np.concatenate([[0], ends]))
        self.unparsed: list[int] = []
        if _NO_PARSE in atoms:
            self._take_down(atoms[_NO_PARSE], atoms[b""])

    def _take_down(self, said: int, nothing: int) -> None:
        """Trees that say that they are none lose their nodes; their words stay."""
        words, nodes = self.words_before, self.nodes_before
        trees = np.zeros(len(words) - 1, dtype=bool)
        there, single = np.diff(nodes) > 0, np.diff(words) == 1
        trees[there] = self.labels[nodes[:-1][there]] == said
        trees[single] |= self.tags[words[:-1][single]] == said
        if not trees.any():
            return
        self.unparsed = np.flatnonzero(trees).tolist()
        of_words = np.repeat(trees, np.diff(words))
        kept = ~np.repeat(trees, np.diff(nodes))
        place = np.append(np.cumsum(kept) - 1, -1)
        self.above = np.where(of_words, -1, place[self.above])
        self.tags = np.where(of_words & (self.tags == said), nothing, self.tags)
        self.labels, self.begins, self.ends = self.labels[kept], self.begins[kept], self.ends[kept]
        self.parents = place[self.parents[kept]]
        self.nodes_before = np.concatenate([[0], np.cumsum(kept)])[nodes]

    def join(self, firsts: Ints) -> None:
        """Make one sentence of each of these trees and those that follow it, up to the next."""
        ends = np.append(firsts, len(self.words_before) - 1)
        single = np.flatnonzero(np.diff(ends) == 1)
        place = dict(zip(firsts[single].tolist(), single.tolist(), strict=True))
        # Beside other trees, one that says that there is none is none.
        self.unparsed = [place[tree] for tree in self.unparsed if tree in place]
        self.words_before, self.nodes_before = self.words_before[ends], self.nodes_before[ends]


def _open_behind(opening: Bools, closing: Bools) -> Ints:
    """The number of brackets that are open behind each token."""
    depths: Ints = np.cumsum(opening.astype(np.int8) - closing, dtype=np.int64)
    return depths
