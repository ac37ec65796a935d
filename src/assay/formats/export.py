"""Negra export, formats 3 and 4: a word or a node per line, each with the number of the node above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.forest import FORM, Forest, Tree, childless, in_circle
from assay.formats.source import Source

EMPTY = "--"
VIRTUAL_ROOT = "VROOT"
"""The label of the node that all topmost ones hang on."""
_COLUMNS = {3: ("tag", "morph", "edge"), 4: ("lemma", "tag", "morph", "edge")}
"""What stands between the word and the number of its parent, by the number of the format."""
_NODE = re.compile(r"#([0-9]{3,9})")
_NUMBER = re.compile(r"[0-9]{1,9}")
_LOWEST = 500
"""Node numbers begin here; what has a lower one is a word."""


# --- telling the format from a file's first lines ---


def looks_export(head: Sequence[str]) -> bool:
    """Whether a line opens a sentence or names the format."""
    return any(line.startswith(("#BOS ", "#BOS\t", "#FORMAT ")) for line in head)


def export_version(head: Sequence[str], path: str) -> int:
    """3 or 4: as `#FORMAT` says, else by the place of the parents' numbers among the columns."""
    said = next((line.split()[1:] for line in head if line.startswith("#FORMAT")), None)
    if said is not None:
        return 4 if said == ["4"] else 3
    opened = [number for number, line in enumerate(head) if line.startswith("#BOS")]
    lines = head[opened[0] + 1 :] if opened else []
    rows = [_cells(line.strip(" ")) for line in lines if line.strip() and not line.startswith(("#BOS", "#EOS", "%%"))]
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


def export_labels(version: int) -> tuple[str, ...]:
    """The label columns, the tag last, where the default is looked for."""
    return ("lemma", "morph", "edge", "tag") if version == 4 else ("morph", "edge", "tag")


# --- reading ---


def read_export(source: Source, builder: Builder, *, version: int = 3) -> None:
    """Read one file; the virtual root is a node too, and secondary edges are left out.

    The `version` holds where no line #FORMAT says another.
    """
    builder.begin_file(source.path)
    forest = Forest(builder)
    first = builder.sentence
    for number, sentence in enumerate(_sentences(source, version)):
        if version == 4 and not sentence.declared:
            builder.note("sentences without a line #FORMAT, read as format 4: {}", 1)
        builder.comments([f"# sent_id = {sentence.name}"], [first + number])
        if sentence.secondary:
            builder.note("{} secondary edges were left out", sentence.secondary)
        forest.add_tree(sentence.tree())
    forest.hand_over(empty=EMPTY)
    builder.end_file()


def _sentences(source: Source, version: int) -> Iterator[_Sentence]:
    columns, declared = _COLUMNS[version], False
    table = ""
    sentence: _Sentence | None = None
    for number, line in _lines(source):
        place = f"{source.path}:{number}"
        keyword, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        if table:
            # Tables of tags and the like stand before the sentences.
            table = "" if keyword == "#EOT" else table
        elif keyword == "#BOS":
            if sentence:
                raise InputError(f"{place}: #BOS, but sentence {sentence.name} has not ended. Is its #EOS missing?")
            sentence = _Sentence(source.path, number, rest.split()[0] if rest.split() else "", columns, declared)
        elif keyword == "#EOS":
            if not sentence or rest.split()[:1] not in ([], [sentence.name]):
                raise InputError(f"{place}: {line} ends no sentence that was opened. Is its #BOS missing?")
            yield sentence
            sentence = None
        elif sentence:
            sentence.row(line, number)
        elif keyword == "#FORMAT":
            columns, declared = _format(rest.strip(), place), True
        elif keyword == "#BOT":
            table = rest
        else:
            raise InputError(f"{place}: {line[:30]!r} stands outside of a sentence. Is #BOS missing before it?")
    if sentence:
        raise InputError(
            f"{source.path}:{sentence.line}: sentence {sentence.name} has no end. Is the file cut short?"
        )


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines that are neither blank nor comments."""
    for batch in source.batches():
        for number, line in batch.lines():
            if line.strip() and not line.startswith("%%"):
                yield number, line.strip(" ")


def _format(name: str, place: str) -> tuple[str, ...]:
    if name not in ("3", "4"):
        raise InputError(f"{place}: export format {name!r}. Formats 3 and 4 can be read.")
    return _COLUMNS[int(name)]


class _Sentence:
    """The lines between #BOS and #EOS."""

    def __init__(self, path: str, line: int, name: str, columns: tuple[str, ...], declared: bool) -> None:
        self.line, self.name = line, name
        self.declared = declared
        """Whether the file says which format it has."""
        self.secondary = 0
        self._path, self._columns = path, columns
        self._words: dict[str, list[str]] = {column: [] for column in (FORM, "lemma", "tag", "morph", "edge")}
        self._above: list[tuple[int, int]] = []
        """The number of the node above each word, with the word's line."""
        self._parents = [(-1, line)]
        self._labels, self._edges = [VIRTUAL_ROOT], [EMPTY]
        self._nodes = {0: 0}
        """The nodes by their numbers."""

    def row(self, line: str, number: int) -> None:
        """A word or a node."""
        cells = _cells(line)
        parent = len(self._columns) + 1
        if len(cells) <= parent:
            raise InputError(
                f"{self._path}:{number}: {len(cells)} columns where a word or a node has {parent + 1} at least. "
                f"They are {', '.join(('word', *self._columns, 'parent'))}."
            )
        if not _NUMBER.fullmatch(cells[parent]):
            raise InputError(f"{self._path}:{number}: the parent is {cells[parent]!r}, not the number of a node.")
        self.secondary += (len(cells) - parent - 1) // 2
        values = dict(zip(self._columns, cells[1:], strict=False))
        mother = (int(cells[parent]), number)
        node = _NODE.fullmatch(cells[0])
        if node and int(node[1]) >= _LOWEST:
            self._node(int(node[1]), values, mother)
        else:
            for column, strings in self._words.items():
                strings.append(cells[0] if column == FORM else values.get(column, EMPTY))
            self._above.append(mother)

    def _node(self, name: int, values: dict[str, str], mother: tuple[int, int]) -> None:
        if name in self._nodes:
            raise InputError(f"{self._path}:{mother[1]}: a second node #{name} in sentence {self.name}.")
        self._nodes[name] = len(self._labels)
        self._labels.append(values["tag"])
        self._edges.append(values["edge"])
        self._parents.append(mother)

    def tree(self) -> Tree:
        """The tree, once all lines are there."""
        parents = [-1, *(self._found(*mother) for mother in self._parents[1:])]
        above = [self._found(*mother) for mother in self._above]
        self._check(in_circle(parents), "is above itself")
        if above or len(parents) > 1:
            self._check(childless(parents, above), "has nothing below it")
        return Tree(self._words, above, parents, self._labels, self.line, self._edges)

    def _found(self, name: int, line: int) -> int:
        if name not in self._nodes:
            raise InputError(f"{self._path}:{line}: the parent {name} is no node of sentence {self.name}.")
        return self._nodes[name]

    def _check(self, node: int | None, fault: str) -> None:
        if node is not None:
            name = next(name for name, number in self._nodes.items() if number == node)
            raise InputError(
                f"{self._path}:{self._parents[node][1]}: node #{name} {fault}, in the sentence that begins in line "
                f"{self.line}. Correct the parents."
            )


def _cells(line: str) -> list[str]:
    """The columns of a line up to a comment; one or more tabs divide them, or spaces where there are no tabs."""
    cells = re.split(r"\t+", line.strip("\t")) if "\t" in line else line.split(" ")
    cells = [cell.strip(" ") for cell in cells if cell.strip(" ")]
    return next((cells[:i] for i, cell in enumerate(cells) if i and cell.startswith("%%")), cells)
