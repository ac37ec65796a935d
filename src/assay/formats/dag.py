"""DAG files of Concraft and PolEval 2020: each line a reading on an edge from one node to another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.source import Source
from assay.formats.xces import Reading, Words

_NODE = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
_MARKS = frozenset({"disamb", "disamb_manual"})
_CONCRAFT = (10, 11, 12)
"""Ten columns; an eleventh for `disamb` or notes on the segment; a twelfth for `disamb` where there are notes."""
_SHORT = 7
"""The texts of PolEval 2020 as published: nodes, form, lemma, tag, `nps`, `disamb`."""
_DISAMB, _PROBABILITY = "disamb", "probability 1.000"


# --- telling the format from a file's first lines ---


def looks_dag(head: Sequence[str]) -> bool:
    """Whether the first line is an edge: two nodes in rising order, and a number in the eighth of its columns.

    CoNLL-U may begin with two numbers too, where the first word is one; but there the eighth column is a relation.
    """
    if head[0].startswith("# global.columns"):
        return False
    row = next((line.split("\t") for line in head if line.strip() and not line.startswith("#")), [])
    if len(row) < 2 or not all(_NODE.fullmatch(cell) for cell in row[:2]) or int(row[0]) >= int(row[1]):
        return False
    if len(row) == _SHORT:
        return row[5] in {"", "nps"} and row[6] in {"", *_MARKS}
    return len(row) in _CONCRAFT and _NUMBER.fullmatch(row[7]) is not None


def shows_choice(head: Sequence[str]) -> bool:
    """Whether some reading of the first lines is chosen."""
    rows = (line.split("\t") for line in head)
    return any(_mark(row) for row in rows if len(row) == _SHORT or len(row) in _CONCRAFT)


def _mark(cells: Sequence[str]) -> str:
    """By what a reading is chosen, if it is."""
    if cells[-1] in _MARKS:
        return _DISAMB
    if len(cells) > _SHORT and _NUMBER.fullmatch(cells[7]) and float(cells[7]) == 1:
        return _PROBABILITY
    return ""


# --- reading ---


def read_dag(source: Source, builder: Builder) -> None:
    """Read one file: the words are the path of the chosen readings through each graph."""
    builder.begin_file(source.path)
    reader = _DagReader(source.path, Words(builder))
    for batch in source.batches():
        for number, line in batch.lines():
            if not line.strip():
                reader.end_graph()
            elif not line.startswith("#"):
                reader.line(line, number)
        reader.words.hand_over()
    reader.end_graph()
    reader.words.hand_over()
    builder.end_file()


class _Row(NamedTuple):
    lemma: str
    tag: str
    mark: str
    eos: bool
    line: int


@dataclass
class _Edge:
    """A word that the text may have, from one node to another."""

    start: int
    end: int
    form: str
    rows: list[_Row] = field(default_factory=list)
    marked: list[_Row] = field(default_factory=list)
    """The rows that count as chosen."""

    def readings(self) -> Iterator[Reading]:
        lines = {row.line for row in self.marked}
        return (Reading(row.lemma, row.tag, row.line in lines) for row in self.rows)

    @property
    def line(self) -> int:
        return (self.marked or self.rows)[0].line

    @property
    def eos(self) -> bool:
        return any(row.eos for row in self.marked or self.rows)


class _DagReader:
    def __init__(self, path: str, words: Words) -> None:
        self.words = words
        self._path = path
        self._edges: dict[tuple[int, int, str], _Edge] = {}
        self._mark = ""
        """By what this file chooses readings, once that is known."""

    def line(self, line: str, number: int) -> None:
        """A reading."""
        cells = line.split("\t")
        self._check(cells, number)
        start, end, form, lemma, tag = int(cells[0]), int(cells[1]), *cells[2:5]
        edge = self._edges.get((start, end, form))
        if edge is None:
            edge = self._edges[start, end, form] = _Edge(start, end, form)
        eos = len(cells) in _CONCRAFT and cells[9] == "eos"
        edge.rows.append(_Row(lemma, tag, _mark(cells), eos, number))

    def _check(self, cells: Sequence[str], number: int) -> None:
        place = f"{self._path}:{number}"
        if len(cells) != _SHORT and len(cells) not in _CONCRAFT:
            columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            raise InputError(
                f"{place}: {columns} where DAG has 10 to 12 (or {_SHORT}). Were empty columns at its end taken away?"
            )
        if not (_NODE.fullmatch(cells[0]) and _NODE.fullmatch(cells[1]) and int(cells[0]) < int(cells[1])):
            raise InputError(
                f"{place}: an edge from {cells[0]!r} to {cells[1]!r}. "
                "The first two columns are the numbers of nodes, in rising order."
            )
        if not cells[2]:
            raise InputError(f"{place}: the word is empty. Is a cell missing?")
        if len(cells) != _SHORT and not _NUMBER.fullmatch(cells[7]):
            raise InputError(f"{place}: {cells[7]!r} where column 8 is a probability. Is a cell missing?")

    def end_graph(self) -> None:
        """The words of a graph; it ends a sentence, and so does each `eos` within."""
        edges = sorted(self._edges.values(), key=lambda edge: (edge.start, edge.end))
        self._edges = {}
        if not edges:
            return
        self._choose(edges)
        first_line = 0
        for edge in self._path_through(edges):
            if not self.words.in_sentence:
                first_line = edge.line
            self.words.word(edge.form, edge.readings())
            if edge.eos:
                self.words.end_sentence(first_line)
        self.words.end_sentence(first_line)

    def _choose(self, edges: Sequence[_Edge]) -> None:
        """Settle which rows count: those with `disamb`, or in a file without such marks those of probability 1."""
        first: dict[str, int] = {}
        for row in (row for edge in edges for row in edge.rows):
            first.setdefault(row.mark, row.line)
        if _DISAMB in first and self._mark == _PROBABILITY:
            raise InputError(
                f"{self._path}:{first[_DISAMB]}: a reading marked disamb, where the graphs before have none "
                f"and choose by {_PROBABILITY}. Mark the readings in one way."
            )
        if _DISAMB in first:
            self._mark = _DISAMB
        elif not self._mark and _PROBABILITY in first:
            self._mark = _PROBABILITY
        if self._mark:
            for edge in edges:
                edge.marked = [row for row in edge.rows if row.mark == self._mark]

    def _path_through(self, edges: Sequence[_Edge]) -> Sequence[_Edge]:
        """The chosen edges or, where a graph has none, all of them; either way one after the other."""
        path = [edge for edge in edges if edge.marked] or edges
        chosen = bool(path[0].marked)
        node, last = edges[0].start, max(edge.end for edge in edges)
        before = path[0]
        for edge in path:
            if edge.start > node:
                raise self._gap(edge, node, chosen)
            if edge.start < node:
                raise self._overlap(before, edge, chosen)
            node, before = edge.end, edge
        if node < last:
            raise InputError(
                f"{self._path}:{before.line}: the chosen readings end with {before.form!r} at node {node}, "
                f"the graph at node {last}. {self._remedy()}"
            )
        return path

    def _gap(self, edge: _Edge, node: int, chosen: bool) -> InputError:
        what, remedy = ("chosen reading", self._remedy()) if chosen else ("reading", "Is a line missing?")
        return InputError(
            f"{self._path}:{edge.line}: no {what} leads from node {node} to node {edge.start}, "
            f"where {edge.form!r} begins. {remedy}"
        )

    def _overlap(self, before: _Edge, edge: _Edge, chosen: bool) -> InputError:
        place = f"{self._path}:{max(before.line, edge.line)}"
        if chosen:
            return InputError(
                f"{place}: {before.form!r} ({before.start}–{before.end}) and {edge.form!r} ({edge.start}–{edge.end}) "
                "are both chosen, and they overlap. Choose one of them."
            )
        return InputError(
            f"{place}: the text can be cut into {before.form!r} ({before.start}–{before.end}) or {edge.form!r} "
            f"({edge.start}–{edge.end}), and no reading of the graph is chosen. "
            f"Mark the chosen ones with disamb in the last column, or {_PROBABILITY}."
        )

    def _remedy(self) -> str:
        return f"Mark the missing words' readings with {self._mark}."
