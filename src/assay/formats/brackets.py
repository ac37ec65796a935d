"""Trees in brackets: `(S (NP (DT The) (NN end)))` as in the Penn treebank, and with numbered words (discbracket).

A file is split where trees end (`_Pieces`), a piece into brackets and atoms, the texts between brackets and white
space (`_Tokens`), and all of its trees become arrays at once (`_Scan`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from assay.arrays import Ints, all_but, each_once, ids_of_runs
from assay.errors import InputError, unknown
from assay.formats.builder import Builder, Cells
from assay.formats.clean import Coded, cut_cells
from assay.formats.source import BATCH, Source, decode
from assay.formats.trees import EMPTY_ELEMENT, Forest

BLANK_LINES = ("auto", "unparsed", "nothing")
"""The meanings that blank lines may have."""
LINES = ("auto", "sentence", "trees")
"""The meanings of a line with several trees: one sentence, or a sentence for each tree."""

# Only ASCII white space counts, because a word may contain other. Nothing is tried twice, so long texts stay fast.
_HOLLOW = re.compile(rb"\(\s*+[^\s()]*+\s*+\)")
_NO_TREE = re.compile(rb"\(\s*+(?:\(\s*+\)\s*+|NOPARSE\s*+)?\)")
_BEGINNING = re.compile(r"\(\s*+(?:[()]|[^\s()]++\s++[^\s)]|[^\s()/]++(?:\(|$))", re.ASCII)
_LEAF = re.compile(r"(?<![^\s()])([^\s()]++)\s*+\)", re.ASCII)
_NUMBERED = re.compile(r"([0-9]{1,9})=(.+)", re.DOTALL)
_ESCAPED = re.compile(r"([-#])([LR][RCS]B)\1|\\([/*])")
_BRACKETS = {"LRB": "(", "RRB": ")", "LCB": "{", "RCB": "}", "LSB": "[", "RSB": "]"}
_WITHIN_WORDS = "Brackets within words are written -LRB- and -RRB-."
_LEAVE_OUT = "To leave out such trees, if each is on its own line: --on-mismatch skip"
_SHOWN = 30
_NO_PARSE = b"NOPARSE"
"""The root of a tree that means no parse."""
_ATOM, _SPACE, _OPEN, _CLOSE = range(4)
_NO_ATOMS = {**dict.fromkeys(b" \t\n\r\v\f", _SPACE), ord("("): _OPEN, ord(")"): _CLOSE}
_KINDS = bytes(_NO_ATOMS.get(byte, _ATOM) for byte in range(256))
"""The kind of each byte."""


def unescape_word(form: str) -> str:
    """A word as in the text: a bracket for `-LRB-` or `#LRB#` (and so on), `/` for `\\/`, `*` for `\\*`."""
    if "-" in form or "#" in form or "\\" in form:
        return _ESCAPED.sub(lambda match: match[3] or _BRACKETS[match[2]], form)
    return form


def looks_brackets(head: Sequence[str]) -> bool:
    """True if the first character opens a tree, and half of the lines at least contain an opening bracket."""
    lines = [line for line in head if line.strip()]
    text = "\n".join(lines[:50]).lstrip()
    return bool(_BEGINNING.match(text)) and 2 * sum("(" in line for line in lines) >= len(lines)


def looks_discbracket(head: Sequence[str]) -> bool:
    """True for brackets whose words are all numbered."""
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
    stay, so that files stay parallel. A blank line is one too if every tree has its own line and some two trees have
    no blank line between them; otherwise blank lines only divide trees. `blank` decides this if it is not auto.
    Trees in one `line` are sentences, or one sentence; if other lines contain one tree each, `line` must decide.
    If words are `numbered` (discbracket), they are sorted by their numbers. For a tolerant builder a tree on its own
    line whose brackets are not paired is a sentence without a parse.
    """
    if blank not in BLANK_LINES:
        raise unknown("kind of blank line", blank, BLANK_LINES)
    if line not in LINES:
        raise unknown("kind of line", line, LINES)
    forest = Forest(builder)
    plain = unescape_word if escaped else str
    words = builder.vocabularies[0]
    forms = Cells(lambda word: words[plain(word)])
    labels = Cells(builder.node_labels.__getitem__)
    pieces = _Pieces(source, builder, line, "discbracket" if numbered else "brackets")
    for tokens, lines in pieces:
        scan = _Scan(tokens, None if numbered else EMPTY_ELEMENT.encode())
        firsts = np.flatnonzero(np.diff(lines, prepend=0)) if line == "sentence" else np.arange(len(lines))
        scan.join(firsts)
        if numbered:
            _add_numbered(forest, scan, source.path, lines[firsts].tolist(), plain)
            continue
        forest.note_left_out(scan.empty)
        codes = [scan.codes(scan.forms, forms), *(scan.codes(scan.tags, cells) for cells in builder.cells[1:])]
        sentence = ids_of_runs(scan.nodes_before)
        first = scan.words_before[sentence]
        places = [sentence, scan.parents, scan.begins - first, scan.ends - first]
        nodes = [*places, scan.codes(scan.labels, labels), np.full(len(sentence), -1)]
        sizes = np.diff(scan.words_before).tolist()
        forest.add(codes, sizes, lines[firsts].tolist(), scan.above, nodes, unparsed=scan.unparsed)
    missing: list[int] = []
    if not pieces.tree_per_line and blank == "unparsed":
        raise InputError(
            f"{source.path}: not every tree has a line of its own, so a blank line cannot be a sentence. "
            "Write sentences without a parse as (())."
        )
    if pieces.tree_per_line and (blank == "unparsed" or (blank == "auto" and (np.diff(forest.lines) == 1).any())):
        # All lines but those of the trees are blank.
        missing = (all_but(np.asarray(forest.lines) - 1, pieces.last_line) + 1).tolist()
    forest.hand_over(missing)


def _add_numbered(
    forest: Forest, scan: _Scan, path: str, lines: list[int], plain: Callable[[str], str]
) -> None:
    """Give the forest trees with their words in the order of their numbers."""
    forms, tags, labels = map(scan.strings, (scan.forms, scan.tags, scan.labels))
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
                    f"{path}:{line}: word {leaves[leaf][0]}, but word {expected} should follow. "
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
    """A file in pieces that end where a tree ends: all brackets are paired, and nothing is outside of them."""

    def __init__(self, source: Source, builder: Builder, line: str, format: str) -> None:  # noqa: A002
        self.path = source.path
        self.tree_per_line = True
        """True if each sentence so far has its own line."""
        self.last_line = 0
        self._source, self._builder = source, builder
        self._line_is, self._format = line, format
        self._within_lines = True
        """True if each tree so far is within one line."""
        self._alone = False
        """True if some line has one tree."""
        self._crowded: tuple[int, int] | None = None
        """The first line with several trees, and their number."""

    def __iter__(self) -> Iterator[tuple[_Tokens, Ints]]:
        """Whole trees, and the line in which each begins."""
        held: list[bytes] = []
        line, depth = 1, 0
        for batch in self._source.batches():
            given = batch.data
            if self._builder.tolerant:
                # Lines that are trees, without those whose brackets are not paired; parts of trees are indented.
                texts = given.split(b"\n")
                opened = [np.append(0, _depths(text, 0)[1]) for text in texts]
                broken = [number for number, depths in enumerate(opened) if depths[-1] or depths.min() < 0]
                if broken and all(text.startswith(b"(") for text in texts if text):
                    for number in broken:
                        texts[number] = b"(())"
                    note = f"{self.path}: trees whose brackets are not paired, read as no parse: {{}}"
                    self._builder.note(note, len(broken))
                    given = b"\n".join(texts)
            brackets, depths = _depths(given, depth)
            if (depths < 0).any():
                raise self._not_opened(b"".join([*held, given]), line)
            # After the last tree and, if all trees of a large file are in one line, after some before it.
            closing, first = brackets[depths == 0], 0
            last = int(closing[-1]) if len(closing) else 0
            cuts = closing[np.searchsorted(closing, np.arange(BATCH, last, BATCH))]
            for end in (each_once(np.append(cuts, closing[-1:])) + 1).tolist():
                data = b"".join([*held, given[first:end]])
                tokens = _Tokens(data)
                yield tokens, self._tree_lines(tokens, line)
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
                f"{self.path}:{place}: {number} trees in one line, while other lines contain one each. If a line is "
                f'a sentence, say --input-format "{self._format}(line=sentence)"; if each tree is one, '
                f'"{self._format}(line=trees)".'
            )
        if rest.strip():
            raise self._outside(rest, 0, line)
        self.last_line = line + rest.count(b"\n") - rest.endswith(b"\n")

    def _tree_lines(self, tokens: _Tokens, line: int) -> Ints:
        """The line in which each tree begins; checks and notes how trees are divided into lines."""
        data, closing = tokens.data, np.flatnonzero(tokens.ends_tree)
        outside = np.flatnonzero(tokens.atom & (tokens.depth == 0))
        if len(outside):
            raise self._outside(data[: tokens.last[outside[0]]], int(tokens.first[outside[0]]), line)
        starts, ends = tokens.first[np.concatenate([[0], closing[:-1] + 1])], tokens.first[closing]
        breaks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
        lines: Ints = line + np.searchsorted(breaks, starts)
        last_lines: Ints = line + np.searchsorted(breaks, ends)
        for match in _HOLLOW.finditer(data) if tokens.any_hollow else ():
            # Only a missing parse has brackets with nothing in them.
            tree = int(np.searchsorted(starts, match.start(), side="right")) - 1
            if not _NO_TREE.fullmatch(data, int(starts[tree]), int(ends[tree]) + 1):
                raise self._hollow(data, match, int(lines[tree]), line)
        apart = bool((lines > np.concatenate([[self.last_line], last_lines[:-1]])).all())
        longer = np.flatnonzero(lines != last_lines)
        self._within_lines &= not len(longer)
        if self._line_is == "sentence" and (len(longer) or lines[0] == self.last_line):
            place = int(lines[longer[0]]) if len(longer) else int(lines[0])
            raise InputError(
                f"{self.path}:{place}: a tree that ends in another line, or a line of over {BATCH >> 20} MB, but "
                f"each line must be one sentence. Remove line=sentence."
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

    # --- errors ---

    def _outside(self, data: bytes, before: int, line: int) -> InputError:
        text = data[before:].strip()
        here = _line(data, data.index(text, before), line)
        shown = decode(text.split()[0], self.path, line)[:_SHOWN]
        return InputError(f"{self.path}:{here}: {shown!r} is outside all brackets. {_WITHIN_WORDS}")

    def _hollow(self, data: bytes, match: re.Match[bytes], tree_line: int, line: int) -> InputError:
        shown = decode(b" ".join(match[0].split()), self.path, line)[:_SHOWN]
        here = _line(data, match.start(), line)
        begins = "" if here == tree_line else f", in the tree that begins in line {tree_line}"
        return InputError(
            f"{self.path}:{here}: {shown} contains no word{begins}. A word is written (TAG word). {_WITHIN_WORDS}"
        )

    def _not_opened(self, data: bytes, line: int) -> InputError:
        brackets, depths = _depths(data, 0)
        wrong = int(np.flatnonzero(depths < 0)[0])
        before = np.flatnonzero(depths[: max(wrong - 1, 0)] == 0)
        start = int(brackets[before[-1] + 1 if len(before) else 0])
        after = f", after the tree that begins in line {_line(data, start, line)}" if wrong else ""
        return InputError(
            f"{self.path}:{_line(data, int(brackets[wrong]), line)}: a closing bracket that closes nothing{after}. "
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
    """The places of all brackets, and the number of open ones after each."""
    characters = np.frombuffer(data, dtype=np.uint8)
    opening, closing = ord("("), ord(")")
    brackets = np.flatnonzero((characters == opening) | (characters == closing))
    return brackets, depth + np.cumsum(np.where(characters[brackets] == opening, 1, -1))


def _line(data: bytes, place: int, first: int) -> int:
    return first + data.count(b"\n", 0, place)


# --- words and nodes as arrays ---


class _Tokens:
    """The brackets and atoms of a text of whole trees, with the first byte of each and the byte after it."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        kinds = np.frombuffer(data.translate(_KINDS), dtype=np.uint8)
        solid = kinds == _ATOM
        begins = solid.copy()
        begins[1:] &= ~solid[:-1]
        size = np.int32 if len(data) < 1 << 31 else np.int64
        self.first = np.flatnonzero(begins | (kinds >= _OPEN)).astype(size)
        kind = kinds[self.first]
        self.opening, self.closing, self.atom = kind == _OPEN, kind == _CLOSE, kind == _ATOM
        self.last = self.first + 1
        # The text ends with a bracket.
        self.last[self.atom] = np.flatnonzero(solid[:-1] & ~solid[1:]) + 1
        self.depth = np.cumsum(self.opening.astype(np.int8) - self.closing, dtype=size)
        """The number of brackets that are open after each."""
        self.ends_tree = self.closing & (self.depth == 0)

    @property
    def any_hollow(self) -> bool:
        """True if some brackets contain nothing, or only one atom."""
        opening, atom, closing = self.opening, self.atom, self.closing
        single = opening[:-2] & atom[1:-1] & closing[2:]
        return bool(single.any() or (opening[:-1] & closing[1:]).any())


class _Scan:
    """The words and nodes of a text of whole trees, counted over all of them.

    Words, tags and labels are ranges of bytes; nodes without words are left out.
    """

    def __init__(self, tokens: _Tokens, empty_element: bytes | None) -> None:
        self._coded = Coded(tokens.data)
        opening, closing, atom = tokens.opening, tokens.closing, tokens.atom
        cells = np.stack([tokens.first, tokens.last])
        # The first token opens a tree: as a cell it means a missing label or tag.
        cells[1, 0] = cells[0, 0]
        # `(TAG word)` is a word, and so is an atom after a label.
        label = np.zeros(len(atom), dtype=bool)
        label[1:] = opening[:-1] & atom[1:]
        # Words with their own brackets, which are not nodes.
        tagged = np.zeros(len(atom), dtype=bool)
        tagged[2:-1] = label[1:-2] & atom[2:-1] & closing[3:]
        is_word = atom & ~label
        words = np.flatnonzero(is_word)
        self.tags = cells[:, np.where(tagged[words], words - 1, 0)]
        self.empty = 0
        if empty_element is not None:
            gone = self._coded.equal(self.tags, empty_element)
            self.empty = int(gone.sum())
            is_word[words[gone]] = False
            words, self.tags = words[~gone], self.tags[:, ~gone]
        self.forms = cells[:, words]
        opening, closing = opening.copy(), closing.copy()
        opening[:-2] &= ~tagged[2:]
        closing[1:] &= ~tagged[:-1]
        depth = np.cumsum(opening.astype(np.int8) - closing, dtype=tokens.depth.dtype)
        # Small numbers are sorted in one pass.
        depth = depth.astype(np.int16) if depth.max() < np.iinfo(np.int16).max else depth
        opened, closed = np.flatnonzero(opening), np.flatnonzero(closing)
        labels = cells[:, np.where(label[opened + 1], opened + 1, 0)]
        # Nodes, and words one level below theirs, in text order: if one is deeper than the one before it, it is the
        # first child of that, and its siblings follow at their depth up to the next first child.
        places = np.flatnonzero(opening | is_word)
        node = opening[places]
        level = depth[places] + ~node
        by_level = np.argsort(level, kind="stable")
        is_first = np.zeros(len(places), dtype=bool)
        is_first[1:] = level[1:] > level[:-1]
        of_family = np.where(is_first[by_level], np.arange(len(places)), 0)
        parents = np.empty_like(by_level)
        parents[by_level] = by_level[np.maximum.accumulate(of_family)] - 1
        parents[level == 1] = -1
        parents = np.append(np.cumsum(node) - 1, -1)[parents]
        # Brackets that open and close a node follow each other at one depth, one by one.
        words_before = np.cumsum(is_word, dtype=tokens.depth.dtype)
        first, end = words_before[opened], np.empty(len(opened), dtype=words_before.dtype)
        nodes_by_level = np.argsort(depth[opened], kind="stable")
        end[nodes_by_level] = words_before[closed[np.argsort(depth[closed], kind="stable")]]
        kept = end > first
        place = np.append(np.cumsum(kept) - 1, -1)
        self.labels, self.begins, self.ends = labels[:, kept], first[kept], end[kept]
        self.parents, self.above = place[parents[node][kept]], place[parents[~node]]
        ends = np.concatenate([[0], np.flatnonzero(tokens.ends_tree)])
        self.words_before = np.concatenate([[0], words_before])[ends]
        """The number of words before each tree, and of all."""
        self.nodes_before = np.searchsorted(opened[kept], ends)
        self.unparsed: list[int] = []
        if _NO_PARSE in tokens.data:
            self._remove_unparsed()

    def codes(self, cells: Ints, vocabulary: Cells) -> Ints:
        """The codes of words, tags or labels."""
        return self._coded(cells, vocabulary)

    def strings(self, cells: Ints) -> list[str]:
        """The texts of words, tags or labels."""
        return [cell.decode("utf-8") for cell in cut_cells(self._coded.data, *cells)]

    def _remove_unparsed(self) -> None:
        """Remove the nodes of trees that mean no parse; their words stay."""
        words, nodes = self.words_before, self.nodes_before
        trees = np.zeros(len(words) - 1, dtype=bool)
        there, single = np.diff(nodes) > 0, np.diff(words) == 1
        no_parse = self._coded.equal(self.tags, _NO_PARSE)
        trees[there] = self._coded.equal(self.labels[:, nodes[:-1][there]], _NO_PARSE)
        trees[single] |= no_parse[words[:-1][single]]
        if not trees.any():
            return
        self.unparsed = np.flatnonzero(trees).tolist()
        of_words = np.repeat(trees, np.diff(words))
        kept = ~np.repeat(trees, np.diff(nodes))
        place = np.append(np.cumsum(kept) - 1, -1)
        self.above = np.where(of_words, -1, place[self.above])
        self.tags[:, of_words & no_parse] = 0
        self.labels, self.begins, self.ends = self.labels[:, kept], self.begins[kept], self.ends[kept]
        self.parents = place[self.parents[kept]]
        self.nodes_before = np.concatenate([[0], np.cumsum(kept)])[nodes]

    def join(self, firsts: Ints) -> None:
        """Make one sentence of each of these trees and the trees after it, up to the next."""
        ends = np.append(firsts, len(self.words_before) - 1)
        single = np.flatnonzero(np.diff(ends) == 1)
        place = dict(zip(firsts[single].tolist(), single.tolist(), strict=True))
        # Among other trees of a sentence, one that means no parse has no effect.
        self.unparsed = [place[tree] for tree in self.unparsed if tree in place]
        self.words_before, self.nodes_before = self.words_before[ends], self.nodes_before[ends]
