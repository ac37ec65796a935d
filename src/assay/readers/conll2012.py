"""CoNLL-2012 and its relatives: a word per line, with the mentions of chains as brackets in the last column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.arrays import Ints
from assay.errors import InputError, UsageError
from assay.readers.builder import Builder, Cells
from assay.readers.chains import document_id, refuse_all
from assay.readers.source import Batch, Source, decode

TAG = "XPOS"
"""What the column of POS tags is called."""
EMPTY = ("-", "_", "*", "")
"""Marks of an empty cell."""
_MARK = re.compile(rb"#[ \t]*(begin|end) document\b[ \t]*(.*)")
_ID = r"[^()|*\s]+"
_BRACKET = re.compile(rf"\((?P<single>{_ID})\)|\((?P<opened>{_ID})|(?P<closed>{_ID})\)")
_SHAPE = re.compile(r"\0(?:\|?\0)*")
"""What a cell is with a NUL for each bracket; no file that is read has such."""


# --- telling the format from a file's first lines ---


@dataclass(frozen=True)
class Layout:
    """Which columns are what; the brackets are always in the last one."""

    separator: bytes | None
    """None: runs of blanks."""
    word: int | None
    """None in skeleton files, which have names of documents and brackets alone."""
    tag: int | None
    """None where no column of POS tags lies before the last."""
    filled: bool = False
    """Whether the first lines have tags …"""
    empty: str = "-"
    """… and the mark of where there is none."""

    @property
    def width(self) -> int:
        """How many columns a line has at least."""
        return 2 + max(-1 if column is None else column for column in (0, self.word, self.tag))


def looks_conll2012(head: Sequence[str]) -> bool:
    """Whether the first line that is neither blank nor a comment opens a document."""
    for line in head:
        if _MARK.match(line.encode()):
            return True
        if line.strip() and not line.startswith("#"):
            return False
    return False


def conll2012_layout(head: Sequence[str], path: str, word: int, pos: int) -> Layout:
    """The layout of a file whose word and POS tag stand in these columns, counted from 1."""
    if word < 1 or pos < 1:
        raise UsageError("format conll2012: word and pos are numbers of columns, counted from 1.")
    lines = {number: line.encode() for number, line in enumerate(head, 1) if line.strip() and line[0] != "#"}
    separator = b"\t" if any(b"\t" in line for line in lines.values()) else None
    rows = {number: line.split(separator) for number, line in lines.items()}
    # The usual width decides: a line that lacks a cell is named by its number when it is read.
    widths = Counter(map(len, rows.values())).most_common(1)
    width = widths[0][0] if widths else max(word, pos) + 1
    if width == 2 and word > 1:
        return Layout(separator, None, None)
    if word >= width:
        line = next(number for number, row in rows.items() if len(row) == width)
        raise InputError(
            f"{path}:{line}: {_columns(width)} where the word is in column {word} and the coreference in the last. "
            'Say where the word is, e.g.: --input-format "conll2012(word=2)"'
        )
    if pos >= width:
        return Layout(separator, word - 1, None)
    tags = {row[pos - 1].decode() for row in rows.values() if len(row) > pos}
    marks = [mark for mark in EMPTY if mark in tags]
    return Layout(separator, word - 1, pos - 1, filled=len(tags) > len(marks), empty=(marks or EMPTY)[0])


def _columns(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"


# --- cells ---


class _Brackets(NamedTuple):
    """The chains of the brackets in a cell."""

    single: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


_NONE = _Brackets()
_BLANK = _Brackets()
"""Those of a cell that is empty without a mark of it; another object, so that the cell can be looked at again."""


class _Known(dict[bytes, "_Brackets | None"]):
    """Cells to their brackets, each taken apart once; None stands for a cell that is not made of brackets."""

    def __init__(self) -> None:
        super().__init__({mark.encode(): _NONE for mark in EMPTY if mark})

    def __missing__(self, cell: bytes) -> _Brackets | None:
        self[cell] = found = _brackets(cell.decode("utf-8").strip())
        return found


def _brackets(cell: str) -> _Brackets | None:
    if cell in EMPTY:
        return _NONE if cell else _BLANK
    if not _SHAPE.fullmatch(_BRACKET.sub("\0", cell)):
        return None
    matches = list(_BRACKET.finditer(cell))
    return _Brackets(*(tuple(match[kind] for match in matches if match[kind]) for kind in _Brackets._fields))


def _numbered(brackets: _Brackets | None) -> bool:
    """Whether there are brackets and all chains are numbers, as no other column has them."""
    names = [name for kind in brackets or () for name in kind]
    return bool(names) and all(map(str.isdigit, names))


# --- reading ---


def read_conll2012(source: Source, builder: Builder, *, layout: Layout, broken: str = "error") -> None:
    """Read one file; `broken="drop"` leaves out mentions that are not closed or not opened, and counts them."""
    _Reader(source, builder, layout, drop=broken == "drop").read()


class _Document:
    """The words of a document and its mentions, of which those that are not closed yet are open."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.forms: list[bytes] = []
        self.tags: list[bytes] = []
        self.ends: list[int] = []
        self.first_lines: list[int] = []
        self.between_sentences = True
        self.chains: dict[str, int] = {}
        """The chains in the order in which they appear."""
        self.mentions: list[tuple[int, int, int, int]] = []
        """Begin, end, chain and line of each."""
        self.open: dict[str, list[tuple[int, int]]] = {}
        """Under the name of a chain: where its mentions opened, word and line, the latest last."""

    def end_sentence(self) -> None:
        if not self.between_sentences:
            self.ends.append(len(self.forms))
            self.between_sentences = True

    def take(self, brackets: _Brackets, line: int) -> list[str]:
        """The brackets at the latest word: one-word mentions, openings, closings; returns what cannot be closed.

        The order of brackets in a cell has no meaning, so a chain opened and closed in one is a mention of one word.
        """
        end = len(self.forms)
        for name in brackets.single:
            self.mentions.append((end - 1, end, self._chain(name), line))
        for name in brackets.opened:
            self._chain(name)
            self.open.setdefault(name, []).append((end - 1, line))
        unopened = []
        for name in brackets.closed:
            if stack := self.open.get(name):
                begin, opened = stack.pop()
                self.mentions.append((begin, end, self._chain(name), opened))
            else:
                unopened.append(name)
        return unopened

    def _chain(self, name: str) -> int:
        return self.chains.setdefault(name, len(self.chains))


class _Reader:
    """Goes through the lines of a file; what is wrong is collected and refused at its end."""

    def __init__(self, source: Source, builder: Builder, layout: Layout, *, drop: bool) -> None:
        self._source, self._builder, self._layout, self._drop = source, builder, layout, drop
        self._document: _Document | None = None
        self._documents = 0
        self._width = layout.width
        self._known = _Known()
        self._problems: list[tuple[int, str]] = []

    def read(self) -> None:
        builder, path = self._builder, self._source.path
        self._check_columns()
        builder.begin_file(path)
        for batch in self._source.batches():
            self._read_batch(batch)
        if self._document is not None:
            self._problem(
                self._document.line,
                f"the document {self._document.name} that begins here does not end. Is the file cut short? "
                "It ends with #end document",
            )
            self._end_document()
        if not self._documents:
            self._problem(1, "no document in the file. It begins with a line #begin document (name); part 000")
        refuse_all([text for _, text in sorted(self._problems)])
        builder.end_file()

    def _check_columns(self) -> None:
        """All files have the columns of the first."""
        path, known = self._source.path, self._builder.cells[0]
        if TAG in self._builder.names and self._layout.tag is None:
            raise InputError(f"{path}: no column of POS tags, where the files before it have one.")
        # Nothing but a skeleton gives empty words.
        if known and (b"" in known) != (self._layout.word is None):
            raise InputError(f"{path}: some files have words and some have none. Read them apart.")

    def _problem(self, line: int, text: str) -> None:
        self._problems.append((line, f"{self._source.path}:{line}: {text}"))

    def _read_batch(self, batch: Batch) -> None:
        decode(batch.data, batch.path, batch.line)
        lines = batch.data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, batch.line):
            if line.startswith(b"#") and (mark := _MARK.match(line)):
                self._mark(mark, number)
            elif not line or line.isspace():
                if self._document is not None:
                    self._document.end_sentence()
            elif self._document is not None:
                self._word(self._document, line.split(self._layout.separator), number)
            elif not line.startswith(b"#"):
                self._problem(number, "a word outside of any document. Put a line #begin document (name) before it.")

    # --- documents ---

    def _mark(self, mark: re.Match[bytes], line: int) -> None:
        if mark[1] == b"begin":
            if self._document is not None:
                self._problem(
                    line, f"#begin document before the end of {self._document.name}. Put #end document first."
                )
                self._end_document()
            self._documents += 1
            self._document = _Document(document_id(mark[2].decode("utf-8"), self._builder.documents + 1), line)
        elif self._document is None:
            self._problem(line, "#end document where none has begun. Is #begin document missing?")
        else:
            self._end_document()

    def _end_document(self) -> None:
        document, builder = self._document, self._builder
        assert document is not None
        self._document = None
        document.end_sentence()
        self._check_closed(document)
        if not document.forms:
            self._problem(document.line, f"the document {document.name} has no words. Leave it out.")
            return
        try:
            builder.identify(document.name, f"{self._source.path}:{document.line}")
        except InputError as error:
            self._problems.append((document.line, str(error)))
        columns = [document.forms, document.tags] if TAG in builder.names else [document.forms]
        codes = [_codes(cells, column) for cells, column in zip(builder.cells, columns, strict=True)]
        builder.add_codes(codes, [builder.words + end for end in document.ends], document.first_lines)
        builder.mentions(document.mentions, list(document.chains))

    def _check_closed(self, document: _Document) -> None:
        for name, stack in document.open.items():
            for _, line in stack:
                self._broken(
                    line,
                    f"the mention of chain {name} that opens here is not closed in its document",
                    "Mentions left out because they are not closed in their document: {}.",
                )

    def _broken(self, line: int, fact: str, note: str) -> None:
        """A bracket without its other half, refused or left out."""
        if self._drop:
            self._builder.note(note, 1)
        else:
            remedy = 'Is a bracket missing? Leave such out with --input-format "conll2012(broken=drop)"'
            self._problem(line, f"{fact}. {remedy}")

    # --- words ---

    def _word(self, document: _Document, cells: list[bytes], line: int) -> None:
        layout = self._layout
        if len(cells) < self._width:
            self._problem(line, self._too_few(len(cells)))
            return
        if document.between_sentences:
            document.first_lines.append(line)
            document.between_sentences = False
        form = b"" if layout.word is None else cells[layout.word]
        if not form and layout.word is not None:
            self._problem(line, f"the word in column {layout.word + 1} is empty. Is a cell missing?")
        document.forms.append(form)
        if layout.tag is not None:
            document.tags.append(cells[layout.tag])
        brackets = self._known[cells[-1]]
        if brackets is not _NONE:
            self._take(document, brackets, cells, line)

    def _too_few(self, found: int) -> str:
        layout = self._layout
        named = [("word", layout.word), ("POS tag", layout.tag)]
        where = " and ".join(f"the {what} is in column {column + 1}" for what, column in named if column is not None)
        expected = f"{where} and the coreference in the last" if where else "the coreference is in the second"
        return f"{_columns(found)} where {expected}. Is a cell missing?"

    def _take(self, document: _Document, brackets: _Brackets | None, cells: list[bytes], line: int) -> None:
        if brackets is None:
            cell = cells[-1].decode("utf-8")
            self._problem(line, f"the last column is {cell!r} where brackets such as (1|(2)|3) should stand, or -.")
            return
        if brackets is _BLANK and _numbered(self._known[cells[-2]]):
            before = cells[-2].decode("utf-8")
            self._problem(line, f"the last column is empty, and the one before it is {before!r}. Is a tab too many?")
        for name in document.take(brackets, line):
            self._broken(
                line,
                f"chain {name} is closed here, but no mention of it is open",
                "Closing brackets left out because no mention of their chain is open: {}.",
            )


def _codes(cells: Cells, column: Iterable[bytes]) -> Ints:
    return np.fromiter(map(cells.__getitem__, column), dtype=np.int32)
