"""Trees in brackets: `(S (NP (DT The) (NN end)))` as in the Penn treebank, and with numbered words (discbracket)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.arrays import Ints, as_codes, ids_of_runs
from assay.errors import InputError, unknown
from assay.formats.bracketscan import AtomCodes, Atoms, Scan
from assay.formats.builder import Builder
from assay.formats.forest import EMPTY_ELEMENT, FORM, TAG, Block, Forest, Tree
from assay.formats.source import BATCH, Batch, Source, decode

BLANK_LINES = ("auto", "unparsed", "nothing")
"""What blank lines may stand for."""
LINES = ("auto", "sentence", "trees")
"""What a line that holds several trees may be: one sentence, or as many as there are trees."""

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


def unescaped(form: str) -> str:
    """A word as it stands in the text: a bracket for `-LRB-` or `#LRB#` (and so on), `/` for `\\/`, `*` for `\\*`."""
    return _ESCAPED.sub(lambda match: match[3] or _BRACKETS[match[2]], form)


# --- telling the format from a file's first lines ---


def looks_brackets(head: Sequence[str]) -> bool:
    """Whether the first character opens a tree, and half of the lines at least hold an opening bracket."""
    lines = [line for line in head if line.strip()]
    text = "\n".join(lines[:50]).lstrip()
    return bool(_BEGINNING.match(text)) and 2 * sum("(" in line for line in lines) >= len(lines)


def looks_discbracket(head: Sequence[str]) -> bool:
    """Whether it looks like brackets whose words are all numbered."""
    leaves = _LEAF.findall("\n".join(head)) if looks_brackets(head) else []
    return bool(leaves) and all(map(_NUMBERED.fullmatch, leaves))


# --- reading ---


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
    atoms = Atoms()
    columns = {name: AtomCodes(atoms, codes) for name, codes in _columns(builder, plain).items()}
    labels = AtomCodes(atoms, lambda strings: as_codes(strings, builder.node_labels))
    pieces = _Pieces(source, builder, line, "discbracket" if numbered else "brackets")
    for path, data, lines in pieces:
        scan = Scan(data, atoms, None if numbered else EMPTY_ELEMENT.encode())
        firsts = np.flatnonzero(np.diff(lines, prepend=0)) if line == "sentence" else np.arange(len(lines))
        scan.join(firsts)
        piece = _Piece(path, data, lines[firsts])
        if numbered:
            for tree in _numbered(scan, piece, atoms, plain):
                forest.add_tree(tree)
        else:
            forest.left_out(scan.empty)
            words = {FORM: scan.forms, TAG: scan.tags}
            codes = [column[words[name]] for name, column in columns.items()]
            forest.add(codes, _block(scan, labels[scan.labels], piece.lines))
    forest.hand_over(_missing(forest.lines, pieces, blank))
    builder.end_file()


def _columns(builder: Builder, plain: Callable[[str], str]) -> dict[str, Callable[[Sequence[str]], Ints]]:
    """How the strings of each column become codes."""
    columns: dict[str, Callable[[Sequence[str]], Ints]] = {
        name: partial(builder.codes, index) for index, name in enumerate(builder.names, 1)
    }
    return {FORM: lambda forms: builder.codes(0, map(plain, forms)), **columns}


def _missing(lines: Ints, pieces: _Pieces, blank: str) -> list[int]:
    """The blank lines that stand for sentences without a parse."""
    if blank == "nothing":
        return []
    if not pieces.tree_per_line:
        if blank == "unparsed":
            raise InputError(
                f"{pieces.path}: not every tree has a line of its own, so that a blank line cannot be a sentence. "
                "Write sentences without a parse as (())."
            )
        return []
    if blank == "auto" and not (np.diff(lines) == 1).any():
        return []
    # All lines but those of the trees are blank.
    missing: list[int] = np.setdiff1d(np.arange(1, pieces.last_line + 1), lines).tolist()
    return missing


def _block(scan: Scan, labels: Ints, lines: Ints) -> Block:
    sentence = ids_of_runs(scan.nodes_before)
    first = scan.words_before[sentence]
    return Block(
        sizes=np.diff(scan.words_before).tolist(),
        lines=lines.tolist(),
        above=scan.above,
        nodes=np.stack([sentence, scan.parents, scan.begins - first, scan.ends - first], axis=1),
        labels=labels,
        unparsed=scan.unparsed,
    )


def _numbered(scan: Scan, piece: _Piece, atoms: Atoms, plain: Callable[[str], str]) -> Iterator[Tree]:
    """The trees with their words in the order of their numbers."""
    forms, tags, labels = (
        [atoms.listed[number].decode("utf-8") for number in column] for column in (scan.forms, scan.tags, scan.labels)
    )
    above, parents = scan.above.tolist(), scan.parents.tolist()
    words, nodes = pairwise(scan.words_before.tolist()), pairwise(scan.nodes_before.tolist())
    for number, ((word, word_end), (node, node_end), line) in enumerate(
        zip(words, nodes, piece.lines.tolist(), strict=True)
    ):
        place = f"{piece.path}:{line}"
        leaves = [_leaf(form, place) for form in forms[word:word_end]]
        order = sorted(range(len(leaves)), key=lambda leaf: leaves[leaf][0])
        for expected, leaf in enumerate(order):
            if leaves[leaf][0] != expected:
                raise InputError(
                    f"{place}: word {leaves[leaf][0]} where word {expected} should follow. "
                    "The words of a tree are numbered from 0, each once."
                )
        yield Tree(
            words={
                FORM: [plain(leaves[leaf][1]) for leaf in order],
                TAG: [tags[word + leaf] for leaf in order],
            },
            above=[max(above[word + leaf] - node, -1) for leaf in order],
            parents=[max(parent - node, -1) for parent in parents[node:node_end]],
            labels=labels[node:node_end],
            line=line,
            parsed=number not in scan.unparsed,
        )


def _leaf(form: str, place: str) -> tuple[int, str]:
    match = _NUMBERED.fullmatch(form)
    if not match:
        raise InputError(
            f"{place}: {form[:_SHOWN]!r} is not of the form number=word, as all words of discbracket are."
        )
    return int(match[1]), match[2]


# --- whole trees ---


class _Piece(NamedTuple):
    """Some whole trees of a file."""

    path: str
    data: bytes
    lines: Ints
    """The line in which each tree begins."""


class _Pieces:
    """A file in pieces that end where a tree ends: all brackets are paired, and nothing stands outside of them."""

    def __init__(self, source: Source, builder: Builder, line: str, format: str) -> None:  # noqa: A002
        self.path = source.path
        self.tree_per_line = True
        """Whether each sentence so far has one line of its own."""
        self._line_is, self._format = line, format
        self._within_lines = True
        """Whether each tree so far lies within one line …"""
        self._alone = False
        """… some of them alone in it …"""
        self._crowded: tuple[int, int] | None = None
        """… and the first line with several, with their number."""
        self.last_line = 0
        self._source = source
        self._builder = builder

    def _batches(self) -> Iterator[Batch]:
        batches = self._source.batches()
        return map(self._mended, batches) if self._builder.tolerant else batches

    def _mended(self, batch: Batch) -> Batch:
        """The lines without those whose brackets are not paired, if lines are trees; parts of one are indented."""
        lines = batch.data.split(b"\n")
        broken = [number for number, line in enumerate(lines) if not _paired(line)]
        if not broken or not all(line.startswith(b"(") for line in lines if line):
            return batch
        for number in broken:
            lines[number] = b"(())"
        self._builder.note(f"{self.path}: trees whose brackets are not paired, taken for no parse: {{}}", len(broken))
        return replace(batch, data=b"\n".join(lines))

    def __iter__(self) -> Iterator[_Piece]:
        held: list[bytes] = []
        line, depth = 1, 0
        for batch in self._batches():
            brackets, depths = _depths(batch.data, depth)
            if (depths < 0).any():
                raise self._not_opened(b"".join([*held, batch.data]), line)
            first = 0
            for end in _cuts(brackets[depths == 0]):
                data = b"".join([*held, batch.data[first:end]])
                yield self._piece(data, line)
                line += data.count(b"\n")
                held, first = [], end
            held.append(batch.data[first:])
            depth = int(depths[-1]) if len(depths) else depth
        self._finish(b"".join(held), line, depth)

    def _piece(self, data: bytes, line: int) -> _Piece:
        brackets, depths = _depths(data, 0)
        ends = brackets[depths == 0]
        # Opening brackets at depth 1 that are no closing ones come first and behind each end.
        starts = brackets[np.concatenate([[0], np.flatnonzero(depths == 0)[:-1] + 1])]
        breaks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))
        lines, last_lines = line + np.searchsorted(breaks, starts), line + np.searchsorted(breaks, ends)
        self._check_outside(data, starts, ends, line)
        self._check_hollow(data, starts, ends, line)
        taken = np.concatenate([[self.last_line], last_lines[:-1]])
        apart = bool((lines > taken).all())
        self._check_lines(lines, last_lines)
        self.tree_per_line &= self._within_lines and (apart or self._line_is == "sentence")
        self.last_line = int(last_lines[-1])
        # A byte that is not UTF-8 is refused here.
        decode(data, self.path, line)
        return _Piece(self.path, data, lines)

    def _check_lines(self, lines: Ints, last_lines: Ints) -> None:
        """Note how trees and lines go together; where lines are sentences, no tree goes beyond one."""
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

    def _finish(self, rest: bytes, line: int, depth: int) -> None:
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

    # --- what can be wrong ---

    def _check_outside(self, data: bytes, starts: Ints, ends: Ints, line: int) -> None:
        before = 0
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            if data[before:start].strip():
                raise self._outside(data[:start], before, line)
            before = end + 1

    def _outside(self, data: bytes, before: int, line: int) -> InputError:
        text = data[before:].strip()
        place = data.index(text, before)
        shown = decode(text.split()[0], self.path, line)[:_SHOWN]
        return InputError(
            f"{self.path}:{_line(data, place, line)}: {shown!r} stands outside of all brackets. {_WITHIN_WORDS}"
        )

    def _check_hollow(self, data: bytes, starts: Ints, ends: Ints, line: int) -> None:
        """Nothing but a missing parse has brackets with nothing in them."""
        for match in _HOLLOW.finditer(data):
            tree = int(np.searchsorted(starts, match.start(), side="right")) - 1
            start = int(starts[tree])
            if not _NO_TREE.fullmatch(data, start, int(ends[tree]) + 1):
                raise self._hollow(data, match, _line(data, start, line), line)

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
        here, tree_line = _line(data, int(brackets[wrong]), line), _line(data, start, line)
        behind = f", behind the tree that begins in line {tree_line}" if wrong else ""
        return InputError(
            f"{self.path}:{here}: a closing bracket that closes nothing{behind}. {_WITHIN_WORDS} {_LEAVE_OUT}"
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


def _cuts(closing: Ints) -> list[int]:
    """The places behind the last tree and, where all trees of a large file are in one line, behind some before it."""
    if not len(closing):
        return []
    last = int(closing[-1])
    some = closing[np.searchsorted(closing, np.arange(BATCH, last, BATCH))]
    cuts: list[int] = (np.unique(np.append(some, last)) + 1).tolist()
    return cuts


def _depths(data: bytes, depth: int) -> tuple[Ints, Ints]:
    """The places of all brackets, and how many are open behind each."""
    characters = np.frombuffer(data, dtype=np.uint8)
    opening, closing = ord("("), ord(")")
    brackets = np.flatnonzero((characters == opening) | (characters == closing))
    return brackets, depth + np.cumsum(np.where(characters[brackets] == opening, 1, -1))


def _paired(line: bytes) -> bool:
    """Whether every bracket of a line is closed in it, and none before it was opened."""
    _, depths = _depths(line, 0)
    return not len(depths) or bool(depths[-1] == 0 and (depths >= 0).all())


def _line(data: bytes, place: int, first: int) -> int:
    return first + data.count(b"\n", 0, place)
