"""TigerXML: the words of a sentence, and nodes that name those below them with the label of the edge."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.forest import FORM, Forest, Tree, childless, in_circle
from assay.formats.source import Source
from assay.formats.xmlstream import XmlStream

EMPTY = "--"
_ATTRIBUTES = {"lemma": "lemma", "morph": "morph", "tag": "pos"}


# --- telling the format from a file's first lines ---


def looks_tiger(head: Sequence[str]) -> bool:
    """XML of a corpus whose first lines hold terminals, or the description of what these have."""
    text = "\n".join(head)
    terminals = "<s " in text and "<t " in text
    return text.lstrip().startswith(("<?xml", "<corpus")) and "<corpus" in text and (terminals or "<feature " in text)


def tiger_labels(head: Sequence[str]) -> tuple[str, ...]:
    """The label columns that words have in the first lines, the tag last, where the default is looked for."""
    text = "\n".join(head)
    told = [name for name in ("lemma", "morph") if f' {name}="' in text or f'name="{name}"' in text]
    return (*told, "edge", "tag")


# --- reading ---


def read_tiger(source: Source, builder: Builder) -> None:
    """Read one file as a stream; secondary edges are left out."""
    builder.begin_file(source.path)
    forest = Forest(builder)
    _TigerReader(source, builder, forest).read()
    forest.hand_over(empty=EMPTY)
    builder.end_file()


class _TigerReader:
    def __init__(self, source: Source, builder: Builder, forest: Forest) -> None:
        self._path, self._builder, self._forest = source.path, builder, forest
        self._stream = XmlStream(source, self._start, self._end)
        self._sentence: _Sentence | None = None
        self._count = builder.sentence

    def read(self) -> None:
        self._stream.read()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "s":
            self._sentence = _Sentence(self._path, self._stream.line, attributes.get("id", ""))
        elif not self._sentence:
            return
        elif name == "t":
            self._sentence.word(attributes, self._stream.line)
        elif name == "nt":
            self._sentence.node(attributes, self._stream.line)
        elif name == "edge":
            self._sentence.edge(attributes, self._stream.line)
        elif name == "secedge":
            self._builder.note("{} secondary edges were left out", 1)

    def _end(self, name: str) -> None:
        if name == "s" and self._sentence:
            self._builder.comments([f"# sent_id = {self._sentence.name}"], [self._count])
            self._forest.add_tree(self._sentence.tree())
            self._sentence, self._count = None, self._count + 1


class _Sentence:
    """An element <s>."""

    def __init__(self, path: str, line: int, name: str) -> None:
        self.name = name
        self._path, self._line = path, line
        self._words: dict[str, list[str]] = {column: [] for column in (FORM, "lemma", "morph", "tag")}
        self._word_ids: dict[str, int] = {}
        self._node_ids: dict[str, int] = {}
        self._labels: list[str] = []
        self._lines: list[int] = []
        self._edges: dict[str, tuple[int, str, int]] = {}
        """The node above, label and line of the edge to each id."""

    def word(self, attributes: dict[str, str], line: int) -> None:
        """An element <t>."""
        if not attributes.get("word"):
            raise InputError(f"{self._path}:{line}: a <t> without a word. Give it the attribute word.")
        self._identify(self._word_ids, attributes, line)
        self._words[FORM].append(attributes["word"])
        for column, attribute in _ATTRIBUTES.items():
            self._words[column].append(attributes.get(attribute) or EMPTY)

    def node(self, attributes: dict[str, str], line: int) -> None:
        """An element <nt>."""
        self._identify(self._node_ids, attributes, line)
        self._labels.append(attributes.get("cat", ""))
        self._lines.append(line)

    def _identify(self, ids: dict[str, int], attributes: dict[str, str], line: int) -> None:
        name = attributes.get("id", "")
        if not name or name in self._word_ids or name in self._node_ids:
            fault = f"the id {name!r} is given twice" if name else "an element without an id"
            raise InputError(
                f"{self._path}:{line}: {fault}, in sentence {self.name}. Give each word and node its own."
            )
        ids[name] = len(ids)

    def edge(self, attributes: dict[str, str], line: int) -> None:
        """An element <edge> of the last node."""
        target = attributes.get("idref", "")
        if not self._labels:
            raise InputError(
                f"{self._path}:{line}: an <edge> outside of an <nt>. Put it into the node that it begins at."
            )
        if target in self._edges:
            raise InputError(
                f"{self._path}:{line}: {target!r} hangs on a second node. A tree has one edge to each; "
                "others are written <secedge>."
            )
        self._edges[target] = (len(self._labels) - 1, attributes.get("label") or EMPTY, line)

    def tree(self) -> Tree:
        """The tree, once all elements are there."""
        for target, (_, _, line) in self._edges.items():
            if target not in self._word_ids and target not in self._node_ids:
                raise InputError(f"{self._path}:{line}: {target!r} is no word or node of sentence {self.name}.")
        above = [self._edges[name][0] if name in self._edges else -1 for name in self._word_ids]
        parents = [self._edges[name][0] if name in self._edges else -1 for name in self._node_ids]
        self._check(in_circle(parents), "is above itself")
        self._check(childless(parents, above), "has nothing below it")
        edges = {target: label for target, (_, label, _) in self._edges.items()}
        words = {**self._words, "edge": [edges.get(name, EMPTY) for name in self._word_ids]}
        labels = [edges.get(name, EMPTY) for name in self._node_ids]
        return Tree(words, above, parents, self._labels, self._line, labels)

    def _check(self, node: int | None, fault: str) -> None:
        if node is not None:
            name = list(self._node_ids)[node]
            raise InputError(
                f"{self._path}:{self._lines[node]}: node {name!r} {fault}, in the sentence that begins in line "
                f"{self._line}. Correct the edges."
            )
