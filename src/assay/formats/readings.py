"""Formats that list the readings of words: XCES and CCL (XML), and the DAG files of Concraft and PolEval 2020.

In XCES the right readings are marked `disamb="1"`; in a DAG each line is a reading on an edge between two nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from assay.corpus import SEVERAL
from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.source import Source, XmlStream

LABELS = ("candidates", "lemma", "tag")
"""The columns; the tag comes last, because the last column is the default."""
EMPTY = "_"

_STARTS = ("<?xml", "<!DOCTYPE cesAna", "<!DOCTYPE chunkList", "<cesAna", "<chunkList")
_CHOICE = re.compile(r"""\bdisamb\s*=\s*["']1["']""")
_SPACES = re.compile(r"[ \t\r\n]+")
_NODE = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
_MARKS = frozenset({"disamb", "disamb_manual"})
_CONCRAFT = (10, 11, 12)
"""Ten columns; an eleventh for `disamb` or notes on the segment; a twelfth for `disamb` if there are notes."""
_SHORT = 7
"""The texts of PolEval 2020 as published: nodes, form, lemma, tag, `nps`, `disamb`."""
_DISAMB, _PROBABILITY = "disamb", "probability 1.000"


class _Words:
    """Gives words with their readings to the builder, sentence by sentence, in the requested columns."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._wanted = [LABELS.index(name) for name in builder.names]
        self._flat: list[str] = []
        self._first_line = 0

    def add_word(self, form: str, tags: Iterable[str], chosen: Sequence[tuple[str, str]], line: int) -> None:
        """Add a word with the tags of its readings, and with lemma and tag of the chosen readings, in any order."""
        columns = (tags, (lemma for lemma, _ in chosen), (tag for _, tag in chosen))
        # Sorted, so that cells with equal sets are equal.
        cells = [SEVERAL.join(sorted({string for string in strings if string})) or EMPTY for strings in columns]
        self._first_line = self._first_line if self._flat else line
        self._flat += [form, *(cells[index] for index in self._wanted)]

    def end_sentence(self) -> None:
        """End the sentence, unless it has no words."""
        if self._flat:
            words = len(self._flat) // (1 + len(self._wanted))
            self._builder.add(self._flat, [self._builder.words + words], [self._first_line])
            self._flat = []


# --- XCES ---


def looks_xces(head: Sequence[str]) -> bool:
    """True for XML whose first lines contain chunks or tokens."""
    first = next((line for line in head if line.strip()), "")
    return first.lstrip().startswith(_STARTS) and any("<tok" in line or "<chunk" in line for line in head)


def decide_xces(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
    """The filled columns: without a chosen reading in the first lines, that of the candidates."""
    return {"filled": LABELS if any(_CHOICE.search(line) for line in head) else LABELS[:1]}


def read_xces(source: Source, builder: Builder) -> None:
    """Read one file as a stream."""
    reader = _XcesReader(source, _Words(builder))
    reader.stream.read()
    reader.words.end_sentence()


class _XcesReader:
    def __init__(self, source: Source, words: _Words) -> None:
        self._path, self.words = source.path, words
        self.stream = XmlStream(source, self._start, self._end, self._characters)
        self._chunks: list[bool] = []
        """For each open chunk True if it is a sentence …"""
        self._open_sentences = 0
        """… and the number of those that are."""
        self._in_lex = self._chosen = self._capturing = False
        self._text: list[str] = []
        self._begin_token(0)

    def _begin_token(self, line: int) -> None:
        """Begin a token in this line; 0 if there is none."""
        self._line = line
        self._cells = {"orth": "", "base": "", "ctag": ""}
        self._tags: list[str] = []
        self._choice: list[tuple[str, str]] = []

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name in {"chunk", "sentence"}:
            is_sentence = name == "sentence" or attributes.get("type") == "s"
            # In some files phrases within a sentence are chunks too; they do not end it.
            if is_sentence or not self._open_sentences:
                self.words.end_sentence()
            self._chunks.append(is_sentence)
            self._open_sentences += is_sentence
        elif name == "tok":
            self._begin_token(self.stream.line)
        elif name == "lex":
            self._in_lex, self._chosen = True, attributes.get("disamb") == "1"
            self._cells.update(base="", ctag="")
        elif self._line and (name == "orth" or (self._in_lex and name in {"base", "ctag"})):
            self._capturing = True

    def _characters(self, text: str) -> None:
        if self._capturing:
            self._text.append(text)

    def _end(self, name: str) -> None:
        if self._capturing:
            key = name if name in {"orth", "base"} else "ctag"
            self._cells[key] = _SPACES.sub(" ", "".join(self._text)).strip(" ")
            self._text, self._capturing = [], False
        elif name == "lex":
            self._in_lex = False
            self._tags.append(self._cells["ctag"])
            if self._chosen:
                self._choice.append((self._cells["base"], self._cells["ctag"]))
        elif name == "tok":
            if not self._cells["orth"]:
                place = f"{self._path}:{self._line or self.stream.line}"
                raise InputError(f"{place}: a <tok> without a word. Put the word into <orth>.")
            self.words.add_word(self._cells["orth"], self._tags, self._choice, self._line)
            self._begin_token(0)
        elif name in {"chunk", "sentence"}:
            is_sentence = self._chunks.pop()
            self._open_sentences -= is_sentence
            if is_sentence or not self._open_sentences:
                self.words.end_sentence()


# --- DAG ---


def looks_dag(head: Sequence[str]) -> bool:
    """True if the first line is an edge: two nodes in rising order, and a number in the eighth of its columns.

    CoNLL-U may begin with two numbers too, if the first word is one; but its eighth column is a relation.
    """
    if head[0].startswith("# global.columns"):
        return False
    row = next((line.split("\t") for line in head if line.strip() and not line.startswith("#")), [])
    if len(row) < 2 or not _is_edge(row):
        return False
    if len(row) == _SHORT:
        return row[5] in {"", "nps"} and row[6] in {"", *_MARKS}
    return len(row) in _CONCRAFT and _NUMBER.fullmatch(row[7]) is not None


def decide_dag(head: Sequence[str], path: str, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
    """The filled columns: without a chosen reading in the first lines, that of the candidates."""
    rows = [row for row in (line.split("\t") for line in head) if len(row) in (_SHORT, *_CONCRAFT)]
    return {"filled": LABELS if any(map(_find_mark, rows)) else LABELS[:1]}


def _is_edge(cells: Sequence[str]) -> bool:
    return all(_NODE.fullmatch(cell) for cell in cells[:2]) and int(cells[0]) < int(cells[1])


def _find_mark(cells: Sequence[str]) -> str:
    """The mark of a chosen reading; empty for others."""
    if cells[-1] in _MARKS:
        return _DISAMB
    if len(cells) > _SHORT and _NUMBER.fullmatch(cells[7]) and float(cells[7]) == 1:
        return _PROBABILITY
    return ""


def read_dag(source: Source, builder: Builder) -> None:
    """Read one file: the words are the path of the chosen readings through each graph."""
    reader = _DagReader(source.path, _Words(builder))
    for number, line in source.lines():
        if not line.strip():
            reader.end_graph()
        elif not line.startswith("#"):
            reader.add_line(line, number)
    reader.end_graph()


class _Row(NamedTuple):
    lemma: str
    tag: str
    mark: str
    eos: bool
    line: int


class _Edge(NamedTuple):
    """A possible word of the text, from one node to another."""

    start: int
    end: int
    form: str
    rows: list[_Row]
    chosen: list[_Row]
    line: int
    """The line of the first chosen reading, or of the first."""

    def __str__(self) -> str:
        return f"{self.form!r} ({self.start}–{self.end})"


class _DagReader:
    def __init__(self, path: str, words: _Words) -> None:
        self._path, self._words = path, words
        self._rows: dict[tuple[int, int, str], list[_Row]] = {}
        """The readings of each edge: first node, last node, word."""
        self._mark = ""
        """The mark of chosen readings in this file, when it is known."""

    def add_line(self, line: str, number: int) -> None:
        """Add a reading."""
        cells = line.split("\t")
        place = f"{self._path}:{number}"
        if len(cells) != _SHORT and len(cells) not in _CONCRAFT:
            columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            raise InputError(
                f"{place}: {columns}, but DAG has 10 to 12 (or {_SHORT}). Were empty columns at its end taken away?"
            )
        if not _is_edge(cells):
            raise InputError(
                f"{place}: an edge from {cells[0]!r} to {cells[1]!r}. "
                "The first two columns are the numbers of nodes, in rising order."
            )
        if not cells[2]:
            raise InputError(f"{place}: the word is empty. Is a cell missing?")
        if len(cells) != _SHORT and not _NUMBER.fullmatch(cells[7]):
            raise InputError(f"{place}: {cells[7]!r}, but column 8 is a probability. Is a cell missing?")
        eos = len(cells) in _CONCRAFT and cells[9] == "eos"
        row = _Row(cells[3], cells[4], _find_mark(cells), eos, number)
        self._rows.setdefault((int(cells[0]), int(cells[1]), cells[2]), []).append(row)

    def end_graph(self) -> None:
        """Add the words of a graph; it ends a sentence, and so does each `eos` within."""
        if not self._rows:
            return
        # The rows that count are those with `disamb`, or in a file without such marks those of probability 1.
        first: dict[str, int] = {}
        for row in (row for _, rows in sorted(self._rows.items(), key=lambda edge: edge[0][:2]) for row in rows):
            first.setdefault(row.mark, row.line)
        if _DISAMB in first and self._mark == _PROBABILITY:
            raise InputError(
                f"{self._path}:{first[_DISAMB]}: a reading marked disamb, but the graphs before have none "
                f"and choose by {_PROBABILITY}. Mark the readings in one way."
            )
        if _DISAMB in first:
            self._mark = _DISAMB
        elif _PROBABILITY in first:
            self._mark = self._mark or _PROBABILITY
        edges = []
        for (start, end, form), rows in sorted(self._rows.items(), key=lambda edge: edge[0][:2]):
            chosen = [row for row in rows if row.mark and row.mark == self._mark]
            edges.append(_Edge(start, end, form, rows, chosen, (chosen or rows)[0].line))
        self._rows = {}
        for edge in self._find_path(edges):
            pairs = [(row.lemma, row.tag) for row in edge.chosen]
            self._words.add_word(edge.form, (row.tag for row in edge.rows), pairs, edge.line)
            if any(row.eos for row in edge.chosen or edge.rows):
                self._words.end_sentence()
        self._words.end_sentence()

    def _find_path(self, edges: Sequence[_Edge]) -> Sequence[_Edge]:
        """The chosen edges, or all of them if a graph has none; InputError if they are not one path."""
        path = [edge for edge in edges if edge.chosen] or edges
        chosen = bool(path[0].chosen)
        remedy = f"Mark the missing words' readings with {self._mark}."
        node, last = edges[0].start, max(edge.end for edge in edges)
        before = path[0]
        for edge in path:
            if edge.start > node:
                what, remedy = ("chosen reading", remedy) if chosen else ("reading", "Is a line missing?")
                raise InputError(
                    f"{self._path}:{edge.line}: no {what} leads from node {node} to node {edge.start}, "
                    f"where {edge.form!r} begins. {remedy}"
                )
            if edge.start < node:
                fault = f"{before} and {edge} are both chosen, and they overlap. Choose one of them."
                if not chosen:
                    fault = (
                        f"the text can be cut into {before} or {edge}, and no reading of the graph is chosen. "
                        f"Mark the chosen ones with disamb in the last column, or {_PROBABILITY}."
                    )
                raise InputError(f"{self._path}:{max(before.line, edge.line)}: {fault}")
            node, before = edge.end, edge
        if node < last:
            raise InputError(
                f"{self._path}:{before.line}: the chosen readings end with {before.form!r} at node {node}, "
                f"the graph at node {last}. {remedy}"
            )
        return path
