"""XCES and CCL: words in XML with all their readings, the right ones marked `disamb="1"`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assay.corpus import SEVERAL
from assay.errors import InputError
from assay.formats.builder import Builder
from assay.formats.source import Source
from assay.formats.xmlstream import XmlStream

LABELS = ("candidates", "lemma", "tag")
"""The columns of formats that list readings; the tag stands last, which is where the default is looked for."""
EMPTY = "_"

_STARTS = ("<?xml", "<!DOCTYPE cesAna", "<!DOCTYPE chunkList", "<cesAna", "<chunkList")
_CHOICE = re.compile(r"""\bdisamb\s*=\s*["']1["']""")
_SPACES = re.compile(r"[ \t\r\n]+")


class Reading(NamedTuple):
    """What a word may be."""

    lemma: str
    tag: str
    chosen: bool


class Words:
    """Words with their readings on the way to the builder, in the columns asked for."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._wanted = [LABELS.index(name) for name in builder.names]
        self._count = self._cut = builder.words
        self._flat: list[str] = []
        self._ends: list[int] = []
        self._first_lines: list[int] = []

    def word(self, form: str, readings: Iterable[Reading]) -> None:
        """A word; which of its readings come first does not matter."""
        readings = list(readings)
        chosen = [reading for reading in readings if reading.chosen]
        cells = (
            _joined(reading.tag for reading in readings),
            _joined(reading.lemma for reading in chosen),
            _joined(reading.tag for reading in chosen),
        )
        self._flat.append(form)
        self._flat.extend(cells[index] for index in self._wanted)
        self._count += 1

    @property
    def in_sentence(self) -> bool:
        """Whether there are words since the last end of a sentence."""
        return self._count > self._cut

    def end_sentence(self, first_line: int) -> None:
        """The sentence that began in this line ends; one without words is none."""
        if self.in_sentence:
            self._ends.append(self._count)
            self._first_lines.append(first_line)
            self._cut = self._count

    def hand_over(self) -> None:
        """Give to the builder what was collected."""
        self._builder.add(self._flat, self._ends, self._first_lines)
        self._flat, self._ends, self._first_lines = [], [], []


def _joined(strings: Iterable[str]) -> str:
    # Sorted, so that two cells are equal where their sets are.
    return SEVERAL.join(sorted({string for string in strings if string})) or EMPTY


# --- telling the format from a file's first lines ---


def looks_xces(head: Sequence[str]) -> bool:
    """XML whose first lines hold chunks or tokens."""
    first = next((line for line in head if line.strip()), "")
    return first.lstrip().startswith(_STARTS) and any("<tok" in line or "<chunk" in line for line in head)


def shows_choice(head: Sequence[str]) -> bool:
    """Whether some reading of the first lines is chosen."""
    return any(_CHOICE.search(line) for line in head)


# --- reading ---


def read_xces(source: Source, builder: Builder) -> None:
    """Read one file as a stream: nothing outside it is loaded, and entities of its own are refused."""
    builder.begin_file(source.path)
    _XcesReader(source, Words(builder)).read()
    builder.end_file()


class _XcesReader:
    def __init__(self, source: Source, words: Words) -> None:
        self._path, self._words = source.path, words
        self._stream = XmlStream(source, self.start, self.end, self.characters)
        self._chunks: list[bool] = []
        """The chunks that are open: whether each is a sentence."""
        self._open_sentences = 0
        self._first_line = 0
        self._tok_line = 0
        """The line of the token under way; 0 between tokens."""
        self._in_lex = False
        self._capturing = False
        self._text: list[str] = []
        self._forget_token()

    def read(self) -> None:
        self._stream.read(self._words.hand_over)
        self._cut()
        self._words.hand_over()

    # --- what the parser calls ---

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in {"chunk", "sentence"}:
            self._open_chunk(name == "sentence" or attributes.get("type") == "s")
        elif name == "tok":
            self._forget_token()
            self._tok_line = self._stream.line
        elif name == "lex":
            self._in_lex, self._lemma, self._tag = True, "", ""
            self._chosen = attributes.get("disamb") == "1"
        elif self._tok_line and (name == "orth" or (self._in_lex and name in {"base", "ctag"})):
            self._capturing = True

    def end(self, name: str) -> None:
        if self._capturing:
            self._keep(name)
        elif name == "lex":
            self._in_lex = False
            self._readings.append(Reading(self._lemma, self._tag, self._chosen))
        elif name == "tok":
            self._end_token()
        elif name in {"chunk", "sentence"}:
            self._close_chunk()

    def characters(self, text: str) -> None:
        if self._capturing:
            self._text.append(text)

    def _here(self) -> str:
        return f"{self._path}:{self._stream.line}"

    # --- tokens and sentences ---

    def _forget_token(self) -> None:
        self._tok_line = 0
        self._form = self._lemma = self._tag = ""
        self._chosen = False
        self._readings: list[Reading] = []

    def _keep(self, name: str) -> None:
        """The text of an element that ends."""
        text = _SPACES.sub(" ", "".join(self._text)).strip(" ")
        self._text, self._capturing = [], False
        if name == "orth":
            self._form = text
        elif name == "base":
            self._lemma = text
        else:
            self._tag = text

    def _end_token(self) -> None:
        if not self._form:
            place = f"{self._path}:{self._tok_line}" if self._tok_line else self._here()
            raise InputError(f"{place}: a <tok> without a word. Put the word into <orth>.")
        if not self._words.in_sentence:
            self._first_line = self._tok_line
        self._words.word(self._form, self._readings)
        self._forget_token()

    def _open_chunk(self, sentence: bool) -> None:
        # Phrases within a sentence are chunks too in some files; they do not cut it.
        if sentence or not self._open_sentences:
            self._cut()
        self._chunks.append(sentence)
        self._open_sentences += sentence

    def _close_chunk(self) -> None:
        sentence = self._chunks.pop()
        self._open_sentences -= sentence
        if sentence or not self._open_sentences:
            self._cut()

    def _cut(self) -> None:
        self._words.end_sentence(self._first_line)
