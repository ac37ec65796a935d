"""CoNLL-2012 and its relatives: a word per line, with the mentions of chains as brackets in the last column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Ints
from assay.errors import InputError, UsageError
from assay.formats.bracketcells import mentions_in
from assay.formats.builder import Builder, Cells
from assay.formats.chains import document_id, refuse_all
from assay.formats.source import Batch, Source, decode

TAG = "XPOS"
"""What the column of POS tags is called."""
EMPTY = ("-", "_", "*", "")
"""Marks of an empty cell."""
_EMPTY = frozenset(mark.encode() for mark in EMPTY)
_MARK = re.compile(rb"#[ \t]*(begin|end) document\b[ \t]*(.*)")
_ID = r"[^()|*\s]+"
_BRACKET = re.compile(rf"\((?P<single>{_ID})\)|\((?P<opened>{_ID})|(?<![^()|*\s])(?P<closed>{_ID}+)\)")
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
    found: dict[str, list[str]] = {}
    for match in _BRACKET.finditer(cell):
        kind = str(match.lastgroup)
        found.setdefault(kind, []).append(match[kind])
    return _Brackets(**{kind: tuple(names) for kind, names in found.items()})


def _numbered(brackets: _Brackets | None) -> bool:
    """Whether there are brackets and all chains are numbers, as no other column has them."""
    names = [name for kind in brackets or () for name in kind]
    return bool(names) and all(map(str.isdigit, names))


class _Rows:
    """Lines cut into cells. Those that tabs cut into the same number of cells are cut in one go, which is faster."""

    def __init__(self, lines: list[bytes], separator: bytes | None) -> None:
        self._flat: list[bytes] = []
        self._rows: list[list[bytes]] = []
        whole = b"\n".join(lines)
        if separator and (width := _width(whole, len(lines), separator)):
            self._flat = whole.replace(b"\n", separator).split(separator)
            self.narrowest = width
        else:
            self._rows = [line.split(separator) for line in lines]
            self.narrowest = min(map(len, self._rows))

    def column(self, number: int) -> list[bytes]:
        """The cells of a column; -1 is the last one."""
        if self._flat:
            return self._flat[number % self.narrowest :: self.narrowest]
        return [row[number] for row in self._rows]


def _width(whole: bytes, lines: int, separator: bytes) -> int:
    """The number of cells of every line, 0 where not all have the same."""
    characters = np.frombuffer(whole + b"\n", dtype=np.uint8)
    ends = characters[(characters == separator[0]) | (characters == ord("\n"))] == ord("\n")
    width = len(ends) // lines
    return width if len(ends) == width * lines and ends[width - 1 :: width].all() else 0


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
        self.mentions: list[int] = []
        """Begin, end, chain and line of each, one after the other."""
        self.number = 0
        """Its number in the corpus."""
        self.cells: list[bytes] = []
        """The cells that are not empty …"""
        self.places: list[Ints] = []
        """… and word and line of each, in pieces of two rows."""
        self.open: dict[str, list[tuple[int, int]]] = {}
        """Under the name of a chain: where its mentions opened, word and line, the latest last."""

    def end_sentence(self) -> None:
        if not self.between_sentences:
            self.ends.append(len(self.forms))
            self.between_sentences = True

    def begin_sentences(self, places: Ints, line: int) -> None:
        """The sentences of words at these places among lines, of which the first has this number."""
        later = (np.flatnonzero(np.diff(places) > 1) + 1).tolist()
        starts = [0, *later] if self.between_sentences else later
        self.ends += [len(self.forms) + start for start in starts if start]
        self.first_lines += (places[starts] + line).tolist()
        self.between_sentences = False

    def take(self, brackets: _Brackets, word: int, line: int) -> list[str]:
        """The brackets at a word: one-word mentions, openings, closings; returns what cannot be closed.

        The order of brackets in a cell has no meaning, so a chain opened and closed in one is a mention of one word.
        """
        chains, mentions = self.chains, self.mentions
        single, opened, closed = brackets
        for name in single:
            mentions += (word, word + 1, chains.setdefault(name, len(chains)), line)
        for name in opened:
            chains.setdefault(name, len(chains))
            self.open.setdefault(name, []).append((word, line))
        unopened: list[str] = []
        for name in closed:
            if stack := self.open.get(name):
                begin, first = stack.pop()
                mentions += (begin, word + 1, chains[name], first)
            else:
                unopened.append(name)
        return unopened


class _Reader:
    """Goes through the lines of a file; what is wrong is collected and refused at its end."""

    def __init__(self, source: Source, builder: Builder, layout: Layout, *, drop: bool) -> None:
        self._source, self._builder, self._layout, self._drop = source, builder, layout, drop
        self._document: _Document | None = None
        self._documents = 0
        self._width = layout.width
        self._known = _Known()
        self._finished: list[_Document] = []
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
        self._read_mentions()
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
        first, blank = _first_characters(batch.data, lines)
        begin = 0
        for place in np.flatnonzero(first == ord("#")).tolist():
            if mark := _MARK.match(lines[place]):
                self._lines(lines[begin:place], blank[begin:place], batch.line + begin)
                self._mark(mark, batch.line + place)
                begin = place + 1
        self._lines(lines[begin:], blank[begin:], batch.line + begin)

    def _lines(self, lines: list[bytes], blank: Bools, first: int) -> None:
        """Lines between two marks of documents; the first of them has this number."""
        places = np.flatnonzero(~blank)
        if self._document is None:
            for place in places.tolist():
                if not lines[place].startswith(b"#"):
                    text = "a word outside of any document. Put a line #begin document (name) before it."
                    self._problem(first + place, text)
            return
        if len(lines) and blank[0]:
            self._document.end_sentence()
        if len(places):
            words = lines if len(places) == len(lines) else [lines[place] for place in places.tolist()]
            self._words(self._document, words, places, first)
        if len(lines) and blank[-1]:
            self._document.end_sentence()

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
        document.number = builder.begun - 1
        self._finished.append(document)

    # --- mentions ---

    def _read_mentions(self) -> None:
        """All mentions of the file at once or, where something is odd, cell by cell."""
        documents = self._finished
        cells = [cell for document in documents for cell in document.cells]
        numbers = np.repeat([document.number for document in documents], [len(d.cells) for d in documents])
        found = mentions_in(cells, numbers)
        if found is None:
            for document in documents:
                self._take_all(document)
                self._check_closed(document)
                rows = np.array(document.mentions, dtype=np.int64).reshape(-1, 4)
                self._builder.mentions(rows, list(document.chains), document.number)
            return
        (first, last, chain), names = found[0].T, found[1]
        word, line = np.concatenate(
            [np.zeros((2, 0), dtype=np.int64), *(p for d in documents for p in d.places)], axis=1
        )
        rows = np.stack([numbers[first], word[first], word[last] + 1, chain, line[first]], axis=1)
        self._builder.all_mentions(rows, names)

    def _take_all(self, document: _Document) -> None:
        places = [place for piece in document.places for place in piece.T.tolist()]
        for cell, (word, line) in zip(document.cells, places, strict=True):
            brackets = self._known[cell]
            if brackets is None:
                text = cell.decode("utf-8")
                fact = f"the last column is {text!r} where brackets such as (1|(2)|3) should stand, or -."
                self._problem(line, fact)
                continue
            for name in document.take(brackets, word, line):
                self._broken(
                    line,
                    f"chain {name} is closed here, but no mention of it is open",
                    "Closing brackets left out because no mention of their chain is open: {}.",
                )

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

    def _words(self, document: _Document, lines: list[bytes], places: Ints, first: int) -> None:
        """Lines that are words, and the place of each among all lines, of which the first has this number."""
        layout = self._layout
        rows = _Rows(lines, layout.separator)
        if rows.narrowest < self._width:
            lines, places = self._whole(lines, places, first)
            if not lines:
                return
            rows = _Rows(lines, layout.separator)
        document.begin_sentences(places, first)
        numbers = places + first
        cells = rows.column(-1)
        if b"" in cells:
            self._check_empty(rows, cells, numbers)
        marked = [place for place, cell in enumerate(cells) if cell != b"-" and cell not in _EMPTY]
        document.cells += [cells[place] for place in marked]
        document.places.append(np.stack([np.array(marked, dtype=np.int64) + len(document.forms), numbers[marked]]))
        document.forms += [b""] * len(lines) if layout.word is None else self._forms(rows, layout.word, numbers)
        document.tags += [] if layout.tag is None else rows.column(layout.tag)

    def _whole(self, lines: list[bytes], places: Ints, first: int) -> tuple[list[bytes], Ints]:
        """The lines that have all columns; the others are problems."""
        widths = [len(line.split(self._layout.separator)) for line in lines]
        whole = [width >= self._width for width in widths]
        for width, place in zip(widths, places.tolist(), strict=True):
            if width < self._width:
                self._problem(first + place, self._too_few(width))
        return [line for line, good in zip(lines, whole, strict=True) if good], places[whole]

    def _forms(self, rows: _Rows, column: int, numbers: Ints) -> list[bytes]:
        forms = rows.column(column)
        if b"" in forms:
            for form, line in zip(forms, numbers.tolist(), strict=True):
                if not form:
                    self._problem(line, f"the word in column {column + 1} is empty. Is a cell missing?")
        return forms

    def _check_empty(self, rows: _Rows, cells: list[bytes], numbers: Ints) -> None:
        """An empty cell behind what looks like brackets is one too many."""
        for cell, before, line in zip(cells, rows.column(-2), numbers.tolist(), strict=True):
            if not cell and _numbered(self._known[before]):
                text = before.decode("utf-8")
                fact = f"the last column is empty, and the one before it is {text!r}. Is a tab too many?"
                self._problem(line, fact)

    def _too_few(self, found: int) -> str:
        layout = self._layout
        named = [("word", layout.word), ("POS tag", layout.tag)]
        where = " and ".join(f"the {what} is in column {column + 1}" for what, column in named if column is not None)
        expected = f"{where} and the coreference in the last" if where else "the coreference is in the second"
        return f"{_columns(found)} where {expected}. Is a cell missing?"


def _first_characters(data: bytes, lines: list[bytes]) -> tuple[Ints, Bools]:
    """The first character of each line, and whether it is blank."""
    characters = np.frombuffer(data, dtype=np.uint8)
    starts = np.append(0, np.flatnonzero(characters == ord("\n")) + 1)[: len(lines)]
    first = np.append(characters, ord("\n"))[starts]
    blank = first == ord("\n")
    for place in np.flatnonzero(~blank & (first <= ord(" "))).tolist():
        blank[place] = lines[place].isspace()
    return first, blank


def _codes(cells: Cells, column: Iterable[bytes]) -> Ints:
    return np.fromiter(map(cells.__getitem__, column), dtype=np.int32)
