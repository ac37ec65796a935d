"""Phrase-structure trees on their way to the builder, and two formats that write them node by node.

Negra export, formats 3 and 4: a word or a node per line, each with the number of the node above it. TigerXML: the
words of a sentence, and nodes that name those below them with the label of the edge.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence

import numpy as np

from assay.arrays import Ints, Stretches, as_codes
from assay.errors import InputError
from assay.formats.builder import Builder, merge_stretches
from assay.formats.source import Source, XmlStream

EMPTY_ELEMENT = "-NONE-"
"""The tag of leaves that are not words, such as traces."""
NO_VALUE = "--"
"""An empty cell, in export and TigerXML."""
_VIRTUAL_ROOT = "VROOT"
"""The label of the node above all topmost nodes of an export sentence."""
_COLUMNS = {3: ("tag", "morph", "edge"), 4: ("lemma", "tag", "morph", "edge")}
"""The columns of export between the word and the number of its parent, by the number of the format."""
_NODE = re.compile(r"#([0-9]{3,9})")
_NUMBER = re.compile(r"[0-9]{1,9}")
_LOWEST = 500
"""Node numbers of export begin here; a lower number is a word."""
_ATTRIBUTES = {"form": "word", "lemma": "lemma", "morph": "morph", "tag": "pos"}


class Forest:
    """Collects the trees of one file, because only the whole file shows whether a blank line is a missing parse.

    Sentences, words and nodes are counted from 0; the node above a topmost node or a word without nodes is -1.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._codes = [array("i") for _ in range(len(builder.names) + 1)]
        self._sizes = array("q")
        self._lines = array("q")
        self._above = array("q")
        self._nodes = array("q")
        """Sentence, parent, begin, end, label, edge and line of each node."""
        self._stretches: dict[int, Stretches] = {}
        self._unparsed: set[int] = set()

    @property
    def lines(self) -> Ints:
        """The line in which each sentence so far begins."""
        return np.array(self._lines, dtype=np.int64)

    def add(
        self,
        words: Sequence[Ints],
        sizes: Sequence[int],
        lines: Sequence[int],
        above: Ints,
        nodes: Sequence[Ints],
        *,
        stretches: Mapping[int, Stretches] | None = None,
        unparsed: Sequence[int] = (),
    ) -> None:
        """Add sentences: codes of their words and of the words' labels, their sizes, and their first lines.

        `above` is the node above each word; `nodes` are columns of sentence, parent, begin, end, label and edge, each
        node before those below it. Those `unparsed` have words but no parse; a sentence without words has none.
        """
        for codes, column in zip(self._codes, words, strict=True):
            codes.frombytes(column.astype(np.int32).tobytes())
        sentences, before = len(self._sizes), len(self._nodes) // 7
        self._sizes.extend(sizes)
        self._lines.extend(lines)
        self._above.frombytes((above + np.where(above < 0, 0, before)).tobytes())
        sentence, parent, *others = nodes
        moved = parent + np.where(parent < 0, 0, before)
        rows = [sentence + sentences, moved, *others, np.array(lines, dtype=np.int64)[sentence]]
        self._nodes.frombytes(np.stack(rows, axis=1).astype(np.int64).tobytes())
        self._stretches.update((before + node, shape) for node, shape in (stretches or {}).items())
        self._unparsed.update(sentences + number for number in unparsed)

    def add_tree(
        self,
        words: Mapping[str, Sequence[str]],
        above: Sequence[int],
        parents: Sequence[int],
        labels: Sequence[str],
        line: int,
        *,
        edges: Sequence[str] | None = None,
        parsed: bool = True,
    ) -> None:
        """Add a sentence whose nodes come in any order; empty elements and nodes without words are left out."""
        builder = self._builder
        kept = [word for word, tag in enumerate(words["tag"]) if tag != EMPTY_ELEMENT]
        self.note_left_out(len(above) - len(kept))
        above = [above[word] for word in kept]
        order, shapes = _sort_nodes(parents, above)
        place = {node: number for number, node in enumerate(order)} | {-1: -1}
        rows = [(0, place[parents[node]], shapes[node][0][0], shapes[node][-1][1]) for node in order]
        nodes: list[Ints] = [*np.array(rows, dtype=np.int64).reshape(-1, 4).T]
        nodes.append(as_codes([labels[node] for node in order], builder.node_labels))
        of_edges = np.full(len(order), -1)
        nodes.append(of_edges if edges is None else as_codes([edges[node] for node in order], builder.edge_labels))
        names = enumerate(("form", *builder.names))
        codes = [builder.codes(index, (words[name][word] for word in kept)) for index, name in names]
        over_words = np.array([place[node] for node in above], dtype=np.int64)
        gaps = {place[node]: shapes[node] for node in order if len(shapes[node]) > 1}
        self.add(codes, [len(kept)], [line], over_words, nodes, stretches=gaps, unparsed=() if parsed else (0,))

    def note_left_out(self, empty_elements: int) -> None:
        """Note the number of leaves that are not words."""
        if empty_elements:
            self._builder.note("empty elements left out: {}", empty_elements)

    def hand_over(self, missing: Sequence[int] = (), empty: str = "") -> None:
        """Give all sentences to the builder, with one without a parse for each line in `missing`.

        A sentence needs words to be aligned, so one without words gets a word with empty columns.
        """
        lines = self.lines
        place = np.searchsorted(lines, missing)
        nodes = np.asarray(self._nodes).reshape(-1, 7)
        first = self._builder.sentence
        moved = first + np.arange(len(lines)) + np.searchsorted(missing, lines)
        nodes[:, 0] = moved[nodes[:, 0]]
        lines = np.insert(lines, place, missing)
        sizes = np.insert(np.array(self._sizes, dtype=np.int64), place, 0)
        unparsed = {*moved[list(self._unparsed)].tolist(), *(first + np.flatnonzero(sizes == 0)).tolist()}
        gaps = np.cumsum(sizes)[sizes == 0]
        sizes = np.maximum(sizes, 1)
        columns = [
            np.insert(np.array(codes, dtype=np.int32), gaps, self._builder.codes(index, [empty if index else ""]))
            for index, codes in enumerate(self._codes)
        ]
        self._builder.add_codes(columns, (self._builder.words + np.cumsum(sizes)).tolist(), lines.tolist())
        above = np.insert(np.asarray(self._above), gaps, -1)
        self._builder.trees(nodes, above, self._stretches, unparsed)
        if unparsed:
            self._builder.note("sentences without a parse: {}", len(unparsed))


def _sort_nodes(parents: Sequence[int], above: Sequence[int]) -> tuple[list[int], dict[int, Stretches]]:
    """The nodes with words below them, parents first and sisters by their first word; and the words of each.

    `parents` is the node above each node, `above` the node above each word; -1 is none.
    """
    tops: list[int] = []
    daughters: list[list[int]] = [[] for _ in parents]
    reached = [False] * len(parents)
    for lowest in above:
        node = lowest
        # Each node is reached from its first word, so that sisters come in their order.
        while node >= 0 and not reached[node]:
            reached[node] = True
            (tops if parents[node] < 0 else daughters[parents[node]]).append(node)
            node = parents[node]
    order = []
    left = tops[::-1]
    while left:
        node = left.pop()
        order.append(node)
        left.extend(reversed(daughters[node]))
    pieces: dict[int, list[tuple[int, int]]] = {node: [] for node in (*order, -1)}
    for word, node in enumerate(above):
        pieces[node].append((word, word + 1))
    shapes = {}
    for node in reversed(order):
        shapes[node] = merge_stretches(sorted(pieces[node]))
        pieces[parents[node]].extend(shapes[node])
    return order, shapes


def _find_faulty_node(parents: Sequence[int], above: Sequence[int]) -> tuple[int, str] | None:
    """A node that is above itself or has nothing below it, and its fault; None if there is none."""
    reached = [-1] * len(parents)
    for start in range(len(parents)):
        node = start
        while node >= 0 and reached[node] < 0:
            reached[node] = start
            node = parents[node]
        if node >= 0 and reached[node] == start:
            return node, "is above itself"
    mothers = {*parents, *above}
    return next(((node, "has nothing below it") for node in range(len(parents)) if node not in mothers), None)


# --- Negra export ---


def looks_export(head: Sequence[str]) -> bool:
    """True if a line opens a sentence or names the format."""
    return any(line.startswith(("#BOS ", "#BOS\t", "#FORMAT ")) for line in head)


def export_version(head: Sequence[str], path: str) -> int:
    """3 or 4: from `#FORMAT`, or without it from the column of the parents' numbers."""
    declared = next((line.split()[1:] for line in head if line.startswith("#FORMAT")), None)
    if declared is not None:
        return 4 if declared == ["4"] else 3
    opened = [number for number, line in enumerate(head) if line.startswith("#BOS")]
    lines = [line for line in head[opened[0] + 1 :] if line.strip()] if opened else []
    rows = [_split_cells(line.strip(" ")) for line in lines if not line.startswith(("#BOS", "#EOS", "%%"))]
    fits = [
        version
        for version, columns in _COLUMNS.items()
        if rows and all(_NUMBER.fullmatch(cell) for row in rows for cell in row[len(columns) + 1 :][:1] or [""])
    ]
    if len(fits) > 1:
        raise InputError(
            f"{path}: without a line #FORMAT, and parents may be in column 5 or 6. Put #FORMAT 3 or #FORMAT 4 into "
            "the first line."
        )
    return fits[0] if fits else 3


def read_export(source: Source, builder: Builder, *, version: int = 3) -> None:
    """Read one file; the virtual root is a node too, and secondary edges are left out.

    The `version` is used until a line #FORMAT names another.
    """
    forest = Forest(builder)
    count = builder.sentence
    columns, declared, table = _COLUMNS[version], False, ""
    sentence: _ExportSentence | None = None
    lines = ((number, row.strip(" ")) for number, row in source.lines() if row.strip() and not row.startswith("%%"))
    for number, line in lines:
        place = f"{source.path}:{number}"
        keyword, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        if table:
            # Tables of tags come before the sentences.
            table = "" if keyword == "#EOT" else table
        elif keyword == "#BOS":
            if sentence:
                raise InputError(f"{place}: #BOS, but sentence {sentence.name} has not ended. Is its #EOS missing?")
            sentence = _ExportSentence(source.path, number, rest.split()[0] if rest.split() else "", columns)
        elif keyword == "#EOS":
            if not sentence or rest.split()[:1] not in ([], [sentence.name]):
                raise InputError(f"{place}: {line} ends no sentence that was opened. Is its #BOS missing?")
            if version == 4 and not declared:
                builder.note("sentences without a line #FORMAT, read as format 4: {}", 1)
            builder.comments([f"# sent_id = {sentence.name}"], [count])
            if sentence.secondary:
                builder.note("{} secondary edges were left out", sentence.secondary)
            sentence.add_to(forest)
            sentence, count = None, count + 1
        elif sentence:
            sentence.add_row(line, number)
        elif keyword == "#FORMAT":
            if rest.strip() not in ("3", "4"):
                raise InputError(f"{place}: export format {rest.strip()!r}. Formats 3 and 4 can be read.")
            columns, declared = _COLUMNS[int(rest)], True
        elif keyword == "#BOT":
            table = rest
        else:
            raise InputError(f"{place}: {line[:30]!r} is outside a sentence. Is #BOS missing before it?")
    if sentence:
        raise InputError(
            f"{source.path}:{sentence.line}: sentence {sentence.name} has no end. Is the file cut short?"
        )
    forest.hand_over(empty=NO_VALUE)


class _ExportSentence:
    """The lines between #BOS and #EOS."""

    def __init__(self, path: str, line: int, name: str, columns: tuple[str, ...]) -> None:
        self.line, self.name, self.secondary = line, name, 0
        self._path, self._columns = path, columns
        self._words: dict[str, list[str]] = {column: [] for column in ("form", "lemma", "tag", "morph", "edge")}
        self._above: list[tuple[int, int]] = []
        """The number of the node above each word, with the word's line."""
        self._parents = [(-1, line)]
        self._labels, self._edges = [_VIRTUAL_ROOT], [NO_VALUE]
        self._nodes = {0: 0}
        """The nodes by their numbers."""

    def add_row(self, line: str, number: int) -> None:
        """Add a word or a node."""
        cells = _split_cells(line)
        parent = len(self._columns) + 1
        if len(cells) <= parent:
            raise InputError(
                f"{self._path}:{number}: {len(cells)} columns, but a word or a node has {parent + 1} at least. "
                f"They are {', '.join(('word', *self._columns, 'parent'))}."
            )
        if not _NUMBER.fullmatch(cells[parent]):
            raise InputError(f"{self._path}:{number}: the parent is {cells[parent]!r}, not the number of a node.")
        self.secondary += (len(cells) - parent - 1) // 2
        values = {"form": cells[0], **dict(zip(self._columns, cells[1:], strict=False))}
        mother = (int(cells[parent]), number)
        node = _NODE.fullmatch(cells[0])
        if not node or int(node[1]) < _LOWEST:
            for column, strings in self._words.items():
                strings.append(values.get(column, NO_VALUE))
            self._above.append(mother)
            return
        name = int(node[1])
        if name in self._nodes:
            raise InputError(f"{self._path}:{number}: a second node #{name} in sentence {self.name}.")
        self._nodes[name] = len(self._labels)
        self._labels.append(values["tag"])
        self._edges.append(values["edge"])
        self._parents.append(mother)

    def add_to(self, forest: Forest) -> None:
        """Hand over the tree when all lines are read."""
        for name, line in (*self._parents[1:], *self._above):
            if name not in self._nodes:
                raise InputError(f"{self._path}:{line}: the parent {name} is not a node of sentence {self.name}.")
        parents = [-1, *(self._nodes[name] for name, _ in self._parents[1:])]
        above = [self._nodes[name] for name, _ in self._above]
        if (above or len(parents) > 1) and (fault := _find_faulty_node(parents, above)):
            raise InputError(
                f"{self._path}:{self._parents[fault[0]][1]}: node #{list(self._nodes)[fault[0]]} {fault[1]}, in the "
                f"sentence that begins in line {self.line}. Correct the parents."
            )
        forest.add_tree(self._words, above, parents, self._labels, self.line, edges=self._edges)


def _split_cells(line: str) -> list[str]:
    """The columns of a line up to a comment, divided by one or more tabs, or by spaces if there are no tabs."""
    cells = re.split(r"\t+", line.strip("\t")) if "\t" in line else line.split(" ")
    cells = [cell.strip(" ") for cell in cells if cell.strip(" ")]
    return next((cells[:i] for i, cell in enumerate(cells) if i and cell.startswith("%%")), cells)


# --- TigerXML ---


def looks_tiger(head: Sequence[str]) -> bool:
    """True for XML of a corpus whose first lines contain terminals, or the description of their features."""
    text = "\n".join(head)
    terminals = "<s " in text and "<t " in text
    return text.lstrip().startswith(("<?xml", "<corpus")) and "<corpus" in text and (terminals or "<feature " in text)


def tiger_labels(head: Sequence[str]) -> tuple[str, ...]:
    """The label columns of words in the first lines; the tag comes last, because the last column is the default."""
    text = "\n".join(head)
    present = [name for name in ("lemma", "morph") if f' {name}="' in text or f'name="{name}"' in text]
    return (*present, "edge", "tag")


def read_tiger(source: Source, builder: Builder) -> None:
    """Read one file as a stream; secondary edges are left out."""
    forest = Forest(builder)
    _TigerReader(source, builder, forest).stream.read()
    forest.hand_over(empty=NO_VALUE)


class _TigerReader:
    """Reads the elements of a file, sentence by sentence."""

    def __init__(self, source: Source, builder: Builder, forest: Forest) -> None:
        self._path, self._builder, self._forest = source.path, builder, forest
        self.stream = XmlStream(source, self._start, self._end)
        self._count = builder.sentence
        self._within = False
        self._begin_sentence("")

    def _begin_sentence(self, name: str) -> None:
        self._name, self._line = name, self.stream.line
        self._words: dict[str, list[str]] = {column: [] for column in _ATTRIBUTES}
        self._word_ids: list[str] = []
        self._nodes: dict[str, tuple[str, int]] = {}
        """Label and line of each node by its id."""
        self._ids: set[str] = set()
        self._edges: dict[str, tuple[int, str, int]] = {}
        """Parent, label and line of the edge to each id."""

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        place = f"{self._path}:{self.stream.line}"
        if element == "s":
            self._begin_sentence(attributes.get("id", ""))
            self._within = True
        elif self._within and element in ("t", "nt"):
            if element == "t" and not attributes.get("word"):
                raise InputError(f"{place}: a <t> without a word. Give it the attribute word.")
            name = attributes.get("id", "")
            if not name or name in self._ids:
                fault = f"the id {name!r} is given twice" if name else "an element without an id"
                raise InputError(f"{place}: {fault}, in sentence {self._name}. Give each word and node its own.")
            self._ids.add(name)
            if element == "nt":
                self._nodes[name] = attributes.get("cat", ""), self.stream.line
            else:
                self._word_ids.append(name)
                for column, attribute in _ATTRIBUTES.items():
                    self._words[column].append(attributes.get(attribute) or NO_VALUE)
        elif self._within and element == "edge":
            target = attributes.get("idref", "")
            if not self._nodes:
                raise InputError(f"{place}: an <edge> outside of an <nt>. Put it into the node that it begins at.")
            if target in self._edges:
                raise InputError(
                    f"{place}: {target!r} has a second parent. A tree has one edge to each; "
                    "others are written <secedge>."
                )
            self._edges[target] = (len(self._nodes) - 1, attributes.get("label") or NO_VALUE, self.stream.line)
        elif self._within and element == "secedge":
            self._builder.note("{} secondary edges were left out", 1)

    def _end(self, element: str) -> None:
        if element != "s" or not self._within:
            return
        self._builder.comments([f"# sent_id = {self._name}"], [self._count])
        for target, (_, _, line) in self._edges.items():
            if target not in self._ids:
                raise InputError(f"{self._path}:{line}: {target!r} is not a word or node of sentence {self._name}.")
        nothing = (-1, NO_VALUE, 0)
        word_edges = [self._edges.get(name, nothing) for name in self._word_ids]
        node_edges = [self._edges.get(name, nothing) for name in self._nodes]
        above, parents = [edge[0] for edge in word_edges], [edge[0] for edge in node_edges]
        if fault := _find_faulty_node(parents, above):
            name, (_, line) = list(self._nodes.items())[fault[0]]
            raise InputError(
                f"{self._path}:{line}: node {name!r} {fault[1]}, in the sentence that begins in line {self._line}. "
                "Correct the edges."
            )
        words = {**self._words, "edge": [edge[1] for edge in word_edges]}
        labels, edges = [label for label, _ in self._nodes.values()], [edge[1] for edge in node_edges]
        self._forest.add_tree(words, above, parents, labels, self._line, edges=edges)
        self._within, self._count = False, self._count + 1
