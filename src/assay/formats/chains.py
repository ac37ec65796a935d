"""Documents with chains of mentions: CoNLL-2012 and its relatives, text with tags after words, and JSON lines.

CoNLL-2012 has a word per line, with the mentions of chains as brackets in the last column. In JSON a document is a
line with its clusters of mentions, each mention given by its first and last word.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import Any

import numpy as np

from assay.arrays import Bools, Ints
from assay.classes import dataclass
from assay.errors import InputError, UsageError
from assay.formats.builder import Builder, document_id, refuse_all
from assay.formats.columns import ROLES
from assay.formats.jsontext import first_object, is_text, quote
from assay.formats.source import Batch, Source, decode
from assay.formats.whose import DROP, DROPPED

TAG = "XPOS"
"""The name of the column of POS tags."""
_LEMMA, _FRAMESET, _FIRST_ROLE = 6, 7, 11
"""The columns of a predicate's lemma and frameset, and the first one of roles, which reach to the last but one."""
_MARKS = ("-", "_", "*", "")
"""Marks of an empty cell."""
_EMPTY = frozenset(mark.encode() for mark in _MARKS)
_MANY_LINES = 64
_DOCUMENT = re.compile(rb"#[ \t]*(begin|end) document\b[ \t]*(.*)")
_ID = r"[^()|*\s]+"
_BRACKET = re.compile(rf"\((?P<single>{_ID})\)|\((?P<opened>{_ID})|(?<![^()|*\s])(?P<closed>{_ID}+)\)")
_SHAPE = re.compile(r"\0(?:\|?\0)*")
"""A cell with a NUL for each bracket; no file that is read contains a NUL."""
_OPEN, _CLOSE, _BAR, _END = b"()|\n"
_BLANKS = bytes.maketrans(b"()|\n", b"    ")
_SINGLE, _OPENED, _CLOSED = range(3)
_Brackets = dict[str, list[str]]
"""The chains of the brackets in a cell: of mentions of one word (single), opened and closed."""

GOLD, PREDICTED = "clusters", "predicted_clusters"
ENDS = ("inclusive", "exclusive")
WHICH = ("auto", GOLD, PREDICTED)
Layers = Callable[[dict[str, Any], list[list[str]], int, int, str, Builder], None]
"""Reads more of a document: its value, words by sentence, the number of its first sentence, its line and place."""
UNPAIRED = {"opened": "brackets that are never closed", "closed": "brackets that were not opened"}
"""Faults of brackets of chains, by the side that is there."""
_REMEDY = f"Is a bracket missing? To leave such mentions out: --repair {DROP}"
_CLUSTERS = '{"doc_key": "d1", "sentences": [["She", "left"]], "clusters": [[[0, 0]]]}'


# --- CoNLL-2012: recognising its columns ---


@dataclass(frozen=True)
class ChainLayout:
    """The columns of words and tags; the brackets are always in the last one."""

    separator: bytes | None
    """None: runs of blanks."""
    word: int | None
    """None in skeleton files, which have names of documents and brackets alone."""
    tag: int | None
    """None if there is no column of POS tags before the last."""
    filled: bool = False
    """True if the first lines have tags."""
    empty: str = "-"
    """The mark of a missing tag."""


def looks_conll2012(head: Sequence[str]) -> bool:
    """True if the first line that is neither blank nor a comment opens a document."""
    likely = (line for line in head if _DOCUMENT.match(line.encode()) or (line.strip() and line[0] != "#"))
    return _DOCUMENT.match(next(likely, "").encode()) is not None


def conll2012_layout(head: Sequence[str], path: str, word: int, pos: int) -> ChainLayout:
    """The layout of a file with words and POS tags in these columns, counted from 1."""
    if word < 1 or pos < 1:
        raise UsageError("format conll2012: word and pos are numbers of columns, counted from 1.")
    lines = {number: line.encode() for number, line in enumerate(head, 1) if line.strip() and line[0] != "#"}
    separator = b"\t" if any(b"\t" in line for line in lines.values()) else None
    rows = {number: line.split(separator) for number, line in lines.items()}
    # The usual width decides: a line that lacks a cell is named by its number when it is read.
    widths = Counter(map(len, rows.values())).most_common(1)
    width = widths[0][0] if widths else max(word, pos) + 1
    if width == 2 and word > 1:
        return ChainLayout(separator, None, None)
    if word >= width:
        line = next(number for number, row in rows.items() if len(row) == width)
        fact = f"{_count_columns(width)}, but the word is in column {word} and the coreference in the last"
        remedy = 'Give the column of the words, e.g.: --input-format "conll2012(word=2)"'
        raise InputError(f"{path}:{line}: {fact}. {remedy}")
    if pos >= width:
        return ChainLayout(separator, word - 1, None)
    tags = {row[pos - 1].decode() for row in rows.values() if len(row) > pos}
    marks = [mark for mark in _MARKS if mark in tags]
    return ChainLayout(separator, word - 1, pos - 1, filled=len(tags) > len(marks), empty=(marks or _MARKS)[0])


def _count_columns(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"


# --- CoNLL-2012: brackets ---


def pair_brackets_at_once(cells: list[bytes], document: Ints) -> tuple[Ints, list[str]] | None:
    """Mentions as rows of first cell, last cell and chain, and the names of chains in the order of their appearance.

    Chains are distinguished by name and document. None if a cell has another form than brackets with ASCII names, or
    a bracket has no other half.
    """
    text = b"\n".join([b"", *cells, b""])
    characters = np.frombuffer(text, dtype=np.uint8)
    plain = (characters > ord(" ")) & (characters < 127) & (characters != ord("*"))
    if not (plain | (characters == _END)).all():
        return None
    dividing = np.isin(characters, (_OPEN, _CLOSE, _BAR, _END))
    first = np.flatnonzero(~dividing[1:] & dividing[:-1]) + 1
    last = np.flatnonzero(~dividing[:-1] & dividing[1:])
    opens, closes = characters[first - 1] == _OPEN, characters[last + 1] == _CLOSE
    bars = np.flatnonzero(characters == _BAR)
    # Every name has a bracket, every bracket a name, and every bar is between two of them.
    if (
        not (opens | closes).all()
        or opens.sum() != (characters == _OPEN).sum()
        or closes.sum() != (characters == _CLOSE).sum()
        or np.isin(characters[bars - 1], (_BAR, _END, _OPEN)).any()
        or np.isin(characters[bars + 1], (_BAR, _END, _CLOSE)).any()
    ):
        return None
    cell = np.cumsum(characters == _END)[first] - 1
    kind = np.where(opens & closes, _SINGLE, np.where(opens, _OPENED, _CLOSED))
    # Within a cell mentions of one word come first, then what opens, then what closes.
    order = np.argsort(cell * 3 + kind, kind="stable")
    cell, kind = cell[order], kind[order]
    names = text.translate(_BLANKS).split()
    vocabulary = {name: code for code, name in enumerate(dict.fromkeys(names))}
    codes = np.fromiter(map(vocabulary.__getitem__, names), dtype=np.int64, count=len(names))[order]
    keys = document[cell] * (len(vocabulary) + 1) + codes
    _, seen, group = np.unique(keys, return_index=True, return_inverse=True)
    appearance = np.argsort(seen)
    number = np.empty(len(seen), dtype=np.int64)
    number[appearance] = np.arange(len(seen))
    chains = number[group]
    # Within a chain, what was opened last is closed first.
    events = np.flatnonzero(kind != _SINGLE)
    events = events[np.argsort(chains[events], kind="stable")]
    opening = kind[events] == _OPENED
    depth = np.cumsum(np.where(opening, 1, -1))
    if (depth < 0).any() or depth[np.flatnonzero(np.diff(chains[events], append=-1))].any():
        return None
    events = events[np.lexsort((events, np.where(opening, depth, depth + 1), chains[events]))]
    alone = np.flatnonzero(kind == _SINGLE)
    begin, end = np.concatenate([alone, events[::2]]), np.concatenate([alone, events[1::2]])
    chain_names = [names[place].decode("ascii") for place in order[seen[appearance]].tolist()]
    return np.stack([cell[begin], cell[end], chains[begin]], axis=1), chain_names


def pair_brackets_by_cell(
    cells: Sequence[bytes], brackets: Callable[[bytes], _Brackets | None]
) -> tuple[list[tuple[int, int, int]], list[str], list[tuple[int, str, str]]]:
    """Mentions of one document as rows of first cell, last cell and chain, the names of chains, and faults.

    A fault is a cell, its kind and its chain: `odd` is a cell that `brackets` cannot read, `opened` and `closed` are
    brackets without their other half.
    """
    chains: dict[str, int] = {}
    still_open: dict[str, list[int]] = {}
    rows: list[tuple[int, int, int]] = []
    faults: list[tuple[int, str, str]] = []
    for place, cell in enumerate(cells):
        in_cell = brackets(cell)
        if in_cell is None:
            faults.append((place, "odd", ""))
            continue
        # The order of brackets in a cell has no meaning: a chain opened and closed in one is a mention of one word.
        rows += [(place, place, chains.setdefault(name, len(chains))) for name in in_cell["single"]]
        for name in in_cell["opened"]:
            chains.setdefault(name, len(chains))
            still_open.setdefault(name, []).append(place)
        for name in in_cell["closed"]:
            if still_open.get(name):
                rows.append((still_open[name].pop(), place, chains[name]))
            else:
                faults.append((place, "closed", name))
    faults += [(place, "opened", name) for name, stack in still_open.items() for place in stack]
    return rows, list(chains), faults


def read_brackets_of_cell(cell: bytes) -> _Brackets | None:
    """The brackets of a cell; None if it is neither empty nor made of brackets."""
    text = cell.decode("utf-8").strip()
    brackets: _Brackets = {"single": [], "opened": [], "closed": []}
    if text in _MARKS:
        return brackets
    if not _SHAPE.fullmatch(_BRACKET.sub("\0", text)):
        return None
    for match in _BRACKET.finditer(text):
        kind = str(match.lastgroup)
        brackets[kind].append(match[kind])
    return brackets


# --- CoNLL-2012: reading ---


def read_conll2012(source: Source, builder: Builder, *, layout: ChainLayout, broken: str = "error") -> None:
    """Read one file; `broken="drop"` leaves out mentions that are not closed or not opened, and counts them."""
    _Reader(source, builder, layout, drop=bool(broken == DROP or builder.asked.repair)).read()


class _Rows:
    """Lines split into cells; many lines with equal numbers of cells are split at once, which is faster."""

    def __init__(self, lines: list[bytes], separator: bytes | None) -> None:
        self._flat: list[bytes] = []
        self._rows: list[list[bytes]] = []
        if separator and len(lines) >= _MANY_LINES:
            whole = b"\n".join(lines)
            characters = np.frombuffer(whole + b"\n", dtype=np.uint8)
            ends = characters[(characters == separator[0]) | (characters == ord("\n"))] == ord("\n")
            self.narrowest = len(ends) // len(lines)
            if len(ends) == self.narrowest * len(lines) and ends[self.narrowest - 1 :: self.narrowest].all():
                self._flat = whole.replace(b"\n", separator).split(separator)
                return
        self._rows = [line.split(separator) for line in lines]
        self.narrowest = min(map(len, self._rows))

    def column(self, number: int) -> list[bytes]:
        """The cells of a column; -1 is the last one."""
        if self._flat:
            return self._flat[number % self.narrowest :: self.narrowest]
        return [row[number] for row in self._rows]


class _Document:
    """The words of a document, and the cells of brackets."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.number = 0
        """Its number in the corpus."""
        self.forms: list[bytes] = []
        self.tags: list[bytes] = []
        self.roles: list[bytes] = []
        """Lemma, frameset and roles of each word, separated by tabs, if they are requested."""
        self.ends: list[int] = []
        self.first_lines: list[int] = []
        self.between_sentences = True
        self.cells: list[bytes] = []
        """The filled cells …"""
        self.words: list[int] = []
        self.lines: list[int] = []
        """… with word and line of each."""

    def end_sentence(self) -> None:
        if not self.between_sentences:
            self.ends.append(len(self.forms))
            self.between_sentences = True


class _Reader:
    """Reads the lines of a file, and raises all its problems at the end."""

    def __init__(self, source: Source, builder: Builder, layout: ChainLayout, *, drop: bool) -> None:
        self._source, self._builder, self._layout, self._drop = source, builder, layout, drop
        self._width = 2 + max(-1 if column is None else column for column in (0, layout.word, layout.tag))
        """The least number of columns of a line."""
        self._document: _Document | None = None
        self._begun = 0
        self._finished: list[_Document] = []
        self._problems: list[tuple[int, str]] = []

    def read(self) -> None:
        builder, path = self._builder, self._source.path
        if TAG in builder.names and self._layout.tag is None:
            raise InputError(f"{path}: no column of POS tags, but the files before it have one.")
        # Only a skeleton gives empty words.
        if builder.cells[0] and (b"" in builder.cells[0]) != (self._layout.word is None):
            raise InputError(f"{path}: some files have words and some have none. Read them apart.")
        for batch in self._source.batches():
            self._read_batch(batch)
        if self._document is not None:
            self._problem(
                self._document.line,
                f"the document {self._document.name} that begins here does not end. Is the file cut short? "
                "It ends with #end document",
            )
            self._end_document(self._document)
        if not self._begun:
            self._problem(1, "no document in the file. It begins with a line #begin document (name); part 000")
        self._read_mentions()
        refuse_all([text for _, text in sorted(self._problems)])

    def _problem(self, line: int, text: str) -> None:
        self._problems.append((line, f"{self._source.path}:{line}: {text}"))

    def _read_batch(self, batch: Batch) -> None:
        decode(batch.data, batch.path, batch.line)
        lines = batch.data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        characters = np.frombuffer(batch.data, dtype=np.uint8)
        starts = np.append(0, np.flatnonzero(characters == ord("\n")) + 1)[: len(lines)]
        first = np.append(characters, ord("\n"))[starts]
        blank = first == ord("\n")
        for place in np.flatnonzero(~blank & (first <= ord(" "))).tolist():
            blank[place] = lines[place].isspace()
        begin = 0
        for place in np.flatnonzero(first == ord("#")).tolist():
            if mark := _DOCUMENT.match(lines[place]):
                line = batch.line + place
                self._read_lines(lines[begin:place], blank[begin:place], batch.line + begin)
                document = self._document
                if mark[1] == b"begin" and document is not None:
                    self._problem(
                        line, f"#begin document before the end of {document.name}. Put #end document first."
                    )
                elif mark[1] == b"end" and document is None:
                    self._problem(line, "#end document, but none has begun. Is #begin document missing?")
                if document is not None:
                    self._end_document(document)
                if mark[1] == b"begin":
                    name = document_id(mark[2].decode("utf-8"), len(self._builder.ids) + 1)
                    self._begun, self._document = self._begun + 1, _Document(name, line)
                begin = place + 1
        self._read_lines(lines[begin:], blank[begin:], batch.line + begin)

    def _end_document(self, document: _Document) -> None:
        builder = self._builder
        self._document = None
        document.end_sentence()
        if not document.forms:
            self._problem(document.line, f"the document {document.name} has no words. Leave it out.")
            return
        try:
            builder.identify(document.name, f"{self._source.path}:{document.line}")
        except InputError as error:
            self._problems.append((document.line, str(error)))
        by_name = {TAG: document.tags, ROLES: document.roles}
        columns = [document.forms, *(by_name[name] for name in builder.names)]
        codes = [
            np.fromiter(map(cells.__getitem__, column), dtype=np.int32, count=len(column))
            for cells, column in zip(builder.cells, columns, strict=True)
        ]
        builder.add_codes(codes, [builder.words + end for end in document.ends], document.first_lines)
        document.number = builder.begun - 1
        self._finished.append(document)

    def _read_lines(self, lines: list[bytes], blank: Bools, first: int) -> None:
        """Read the lines between two marks of documents; the first of them has this number."""
        places = np.flatnonzero(~blank)
        document = self._document
        if document is None:
            for place in places.tolist():
                if not lines[place].startswith(b"#"):
                    fact = "a word outside of any document"
                    self._problem(first + place, f"{fact}. Put a line #begin document (name) before it.")
            return
        if len(lines) and blank[0]:
            document.end_sentence()
        if len(places):
            words = lines if len(places) == len(lines) else [lines[place] for place in places.tolist()]
            self._read_words(document, words, places + first)
        if len(lines) and blank[-1]:
            document.end_sentence()

    def _read_words(self, document: _Document, lines: list[bytes], numbers: Ints) -> None:
        """Add words to a document, from their lines and the numbers of these."""
        layout = self._layout
        rows = _Rows(lines, layout.separator)
        if rows.narrowest < self._width:
            named = [("word", layout.word), ("POS tag", layout.tag)]
            places = [f"the {what} is in column {column + 1}" for what, column in named if column is not None]
            places += ["the coreference in the last" if places else "the coreference is in the second"]
            widths = [len(line.split(layout.separator)) for line in lines]
            for width, number in zip(widths, numbers.tolist(), strict=True):
                if width < self._width:
                    fact = f"{_count_columns(width)}, but {' and '.join(places)}"
                    self._problem(number, f"{fact}. Is a cell missing?")
            whole = np.array(widths) >= self._width
            lines, numbers = [line for line, good in zip(lines, whole, strict=True) if good], numbers[whole]
            if not lines:
                return
            rows = _Rows(lines, layout.separator)
        # A sentence begins after blank lines.
        line_numbers = numbers.tolist()
        later = [place for place, (line, after) in enumerate(pairwise(line_numbers), 1) if after > line + 1]
        starts = [0, *later] if document.between_sentences else later
        document.ends += [len(document.forms) + start for start in starts if start]
        document.first_lines += [line_numbers[start] for start in starts]
        document.between_sentences = False
        cells = rows.column(-1)
        if b"" in cells:
            # An empty cell after brackets with numbers is one too many, because no other column has such brackets.
            for cell, before, line in zip(cells, rows.column(-2), numbers.tolist(), strict=True):
                names = (
                    [] if cell else [name for kind in (read_brackets_of_cell(before) or {}).values() for name in kind]
                )
                if names and all(map(str.isdigit, names)):
                    fact = f"the last column is empty, and the one before it is {before.decode()!r}"
                    self._problem(line, f"{fact}. Is a tab too many?")
        marked = [place for place, cell in enumerate(cells) if cell != b"-" and cell not in _EMPTY]
        first = len(document.forms)
        document.cells += [cells[place] for place in marked]
        document.words += [first + place for place in marked]
        document.lines += [line_numbers[place] for place in marked]
        forms = [b""] * len(lines)
        if layout.word is not None:
            forms = rows.column(layout.word)
            for line in numbers[[not form for form in forms]].tolist() if b"" in forms else ():
                self._problem(line, f"the word in column {layout.word + 1} is empty. Is a cell missing?")
        document.forms += forms
        if ROLES in self._builder.names:
            for line, number in zip(lines, numbers.tolist(), strict=True):
                row = line.split(layout.separator)
                if len(row) <= _FIRST_ROLE:
                    fact = f"{_count_columns(len(row))}, but roles begin in column {_FIRST_ROLE + 1}"
                    self._problem(number, f"{fact}. Is it a file with coreference alone?")
                cells = [*row[_LEMMA : _FRAMESET + 1], *row[_FIRST_ROLE:-1]]
                document.roles.append(b"\t".join(cells))
        document.tags += [] if layout.tag is None else rows.column(layout.tag)

    def _read_mentions(self) -> None:
        """Read all mentions of the file at once or, if a bracket is odd, cell by cell."""
        documents = self._finished
        cells = [cell for document in documents for cell in document.cells]
        numbers = np.repeat([document.number for document in documents], [len(d.cells) for d in documents])
        mentions = pair_brackets_at_once(cells, numbers)
        if mentions is not None:
            words = [word for document in documents for word in document.words]
            lines = [line for document in documents for line in document.lines]
            self._add_mentions(numbers, np.array([words, lines], dtype=np.int64), *mentions)
            return
        brackets = cache(read_brackets_of_cell)
        for document in documents:
            places = np.array([document.words, document.lines], dtype=np.int64)
            rows, names, faults = pair_brackets_by_cell(document.cells, brackets)
            for place, kind, name in faults:
                fact = f"chain {name} is closed here, but no mention of it is open. {_REMEDY}"
                if kind == "opened":
                    fact = f"the mention of chain {name} that opens here is not closed in its document. {_REMEDY}"
                elif kind == "odd":
                    text = document.cells[place].decode("utf-8")
                    fact = f"the last column is {text!r}, but brackets such as (1|(2)|3) are expected, or -."
                line = int(places[1, place])
                if self._drop and kind != "odd":
                    self._builder.repair(UNPAIRED[kind], DROPPED, f"{self._source.path}:{line}")
                else:
                    self._problem(line, fact)
            of_cells = np.full(len(document.cells), document.number)
            self._add_mentions(of_cells, places, np.array(rows, dtype=np.int64).reshape(-1, 3), names)

    def _add_mentions(self, documents: Ints, places: Ints, rows: Ints, names: list[str]) -> None:
        """Hand over mentions; `documents` and `places` (word, line) are those of their first and last cells."""
        (first, last, chains), (word, line) = rows.T, places
        mentions = np.stack([documents[first], word[first], word[last] + 1, chains, line[first]], axis=1)
        self._builder.mentions(mentions, names)


# --- text with tags after words, as language models write it ---

_TAGGED = re.compile(r"(?P<word>.+?)\|(?P<tags>\[?[^\[\]|,-]+\]?(?:[,-]\[?[^\[\]|,-]+\]?)*)", re.DOTALL)
_TEXT = "Los|[e1 jugadores|e1] dijeron que ##|[e1] ganan"


def looks_text2text(head: Sequence[str]) -> bool:
    """True if words of the first lines are tagged with brackets, and brackets open before they close."""
    tokens = [token for line in head[:5] for token in line.split(" ") if "|" in token]
    tags = [match["tags"] for token in tokens if (match := _TAGGED.fullmatch(token))]
    marked = [tag for tag in tags if "[" in tag or "]" in tag]
    return bool(marked) and len(marked) >= 0.9 * len(tokens) and marked[0].startswith("[")


def read_text2text(source: Source, builder: Builder, *, broken: str = "error") -> None:
    """Read one file; `broken="drop"` leaves out mentions that are not closed or not opened, and counts them."""
    problems: list[str] = []
    for number, line in source.lines():
        tokens = [token for token in line.split(" ") if token]
        if not line.strip():
            problems.append(f"{source.path}:{number}: an empty line, but a document is expected, e.g. {_TEXT}")
            continue
        words, cells = [], []
        for place, token in enumerate(tokens):
            match = _TAGGED.fullmatch(token)
            if match is None or not ("[" in match["tags"] or "]" in match["tags"]):
                words.append(token)
                continue
            words.append(match["word"])
            cells.append((place, match["tags"]))
        rows, names, faults = pair_brackets_by_cell([tags.encode() for _, tags in cells], _read_tags)
        for place, kind, name in faults:
            where = f"{source.path}:{number}: word {cells[place][0] + 1}"
            if (broken == DROP or builder.asked.repair) and kind != "odd":
                builder.repair(UNPAIRED[kind], DROPPED, where)
            elif kind == "odd":
                fact = f"{cells[place][1]!r} is not of the form [e1,[e2],e3]"
                problems.append(f"{where}: {fact}. Correct the brackets.")
            else:
                opened = f"the mention of {name} that opens here is not closed in its document"
                closed = f"{name} is closed here, but no mention of it is open"
                problems.append(f"{where}: {opened if kind == 'opened' else closed}. {_REMEDY}")
        builder.document("", builder.sentence)
        builder.add(words, [builder.words + len(words)], [number])
        places = [place for place, _ in cells]
        mentions = [
            (builder.begun - 1, places[first], places[last] + 1, chain, number) for first, last, chain in rows
        ]
        builder.mentions(np.array(mentions, dtype=np.int64).reshape(-1, 5), names)
    refuse_all(problems)
    if not builder.begun:
        raise InputError(f"{source.path}:1: no document in the file. A document is a line, e.g. {_TEXT}")


def _read_tags(cell: bytes) -> _Brackets | None:
    """The brackets of a word: `[e1` opens, `e1]` closes, `[e1]` does both."""
    brackets: _Brackets = {"single": [], "opened": [], "closed": []}
    for tag in re.split("[,-]", cell.decode("utf-8")):
        name = tag.strip("[]")
        if not name or tag == name:
            return None
        kind = "single" if tag[0] == "[" and tag[-1] == "]" else "opened" if tag[0] == "[" else "closed"
        brackets[kind].append(name)
    return brackets


# --- JSON ---


class RecordError(Exception):
    """A fault that keeps the rest of a JSON line from being read; its place is added later."""


def read_records(source: Source, noun: str, example: str, read: Callable[[dict[str, Any], int], None]) -> list[str]:
    """Call `read` with the object and the number of each line that is not blank, and return all problems."""
    problems: list[str] = []
    for number, line in (row for row in source.lines() if row[1].strip()):
        try:
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                why = "too deep"
                if isinstance(error, json.JSONDecodeError):
                    why = f"{error.msg}, character {error.colno}"
                raise RecordError(f"not JSON ({why}). A {noun} is one line, {example}") from None
            if not isinstance(value, dict):
                raise RecordError(f"{quote(value)}, but a {noun} is expected. It is {example}")
            read(value, number)
        except RecordError as fault:
            problems += [f"{source.path}:{number}: {text}" for text in fault.args]
    return problems


def check_list(value: Any, path: str) -> list[Any]:
    """The value, which must be a list; `path` says where it is."""
    if not isinstance(value, list):
        raise RecordError(f"{path} is {quote(value)}, but a list is expected.")
    return value


def looks_clusters(head: Sequence[str]) -> bool:
    """True if the first line is a document with clusters."""
    return not {GOLD, PREDICTED}.isdisjoint(first_object(head))


def cluster_labels(head: Sequence[str]) -> tuple[str, ...]:
    """The columns that the first document has."""
    return (TAG,) if "pos" in first_object(head) else ()


def read_clusters(
    source: Source,
    builder: Builder,
    *,
    end: str = "inclusive",
    which: str = "auto",
    layers: Layers | None = None,
) -> None:
    """Read one file; `end` says whether the last word belongs to a mention, and `which` names the clusters.

    `layers` reads the rest of a document, which then may have no clusters.
    """
    inclusive = end == "inclusive"

    def read(value: dict[str, Any], line: int) -> None:
        _read_document(value, line, f"{source.path}:{line}", inclusive, which, builder, layers)

    refuse_all(read_records(source, "document", _CLUSTERS, read))
    if not builder.ids:
        raise InputError(f"{source.path}:1: no document in the file. A document is {_CLUSTERS}")


def _read_document(
    value: dict[str, Any],
    line: int,
    place: str,
    inclusive: bool,
    which: str,
    builder: Builder,
    layers: Layers | None,
) -> None:
    """Add a document to the builder; RecordError with all faults of its mentions."""
    columns = [_check_sentences(value.get("sentences"), "sentences")]
    if TAG in builder.names:
        columns.append(_check_sentences(value.get("pos"), "pos"))
        if list(map(len, columns[0])) != list(map(len, columns[1])):
            raise RecordError("pos has other lengths than sentences. Give one tag for each word.")
    words = sum(map(len, columns[0]))
    key = which if layers else _choose_clusters(value, which)
    clusters = check_list(value.get(key, []), key)
    faults, rows = list[str](), []
    for number, cluster in enumerate(clusters):
        path = f"{key}[{number}]"
        if not check_list(cluster, path):
            faults.append(f"{path} is empty. A cluster has one mention at least.")
        for index, span in enumerate(cluster):
            if fault := _check_mention(span, words, inclusive):
                faults.append(f"{path}[{index}] is {quote(span)}, {fault}")
            else:
                rows.append((span[0], span[1] + inclusive, number, line))
    name = value.get("doc_key", "")
    if not isinstance(name, str) or not is_text(name):
        raise RecordError(f"doc_key is {quote(name)}, but a string is expected.")
    if faults:
        raise RecordError(*faults)
    try:
        builder.identify(document_id(name, len(builder.ids) + 1), place)
    except InputError as error:
        raise RecordError(str(error).removeprefix(f"{place}: ")) from None
    first = builder.sentence
    ends = builder.words + np.cumsum([len(sentence) for sentence in columns[0] if sentence])
    codes = [builder.codes(number, chain(*column)) for number, column in enumerate(columns)]
    builder.add_codes(codes, ends.tolist(), [line] * len(ends))
    if rows:
        mentions = [(builder.begun - 1, *row) for row in rows]
        names = [str(number) for number in range(len(clusters))]
        builder.mentions(np.array(mentions, dtype=np.int64), names)
    if layers:
        layers(value, columns[0], first, line, place, builder)


def _choose_clusters(value: dict[str, Any], which: str) -> str:
    """The key of the clusters to read."""
    there = [key for key in (GOLD, PREDICTED) if key in value]
    if which != WHICH[0]:
        if which not in there:
            raise RecordError(f"no {which} in it. Available: {', '.join(value)}.")
        return which
    if len(there) == 2:
        example = f'--input-format "clusters(which={PREDICTED})"'
        raise RecordError(f"both {GOLD} and {PREDICTED} are there. Choose one: {example}")
    if not there:
        raise RecordError(f"no {GOLD} in it. Give [] if there are none.")
    return there[0]


def _check_mention(span: Any, words: int, inclusive: bool) -> str:
    """The fault of a mention [first, last] with its remedy; empty if it has none."""
    if not (isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span)):
        fact = "but a mention [first, last] is expected"
    elif not 0 <= span[0] < words or span[1] + inclusive > words:
        fact = f"which lies outside the document, whose {words:,} words are counted from 0"
    elif span[0] >= span[1] + inclusive:
        fact = "which ends before it begins" if inclusive else "which has no words if end is exclusive"
    else:
        return ""
    remedy = f"The last word {'belongs' if inclusive else 'does not belong'} to a mention."
    if inclusive and isinstance(span, list) and span[1:] == [words]:
        remedy = 'If the last word does not belong to mentions: --input-format "clusters(end=exclusive)"'
    return f"{fact}. {remedy}"


def _check_sentences(value: Any, path: str) -> list[list[str]]:
    """A list of sentences, each a list of strings."""
    if value is None:
        raise RecordError(f"no {path} in it. A document is {_CLUSTERS}")
    sentences = [check_list(sentence, f"{path}[{at}]") for at, sentence in enumerate(check_list(value, path))]
    for number, sentence in enumerate(sentences):
        # A sentence is checked as one text, and word by word only if that fails.
        if not (set(map(type, sentence)) <= {str} and all(sentence) and is_text("".join(sentence))):
            wrong = [not (isinstance(cell, str) and cell and is_text(cell)) for cell in sentence].index(True)
            fact = f"{path}[{number}][{wrong}] is {quote(sentence[wrong])}"
            raise RecordError(f"{fact}, but a word is expected.")
    if not any(sentences):
        raise RecordError("a document without words. Leave it out.")
    return sentences
