"""Large files of words in columns, cut into pieces after the same sentences, to be read one after the other."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Ints
from assay.errors import AssayError
from assay.formats.source import Piece, Source, is_archive

LARGE = 1 << 26
"""A file with less text is read as a whole: 64 MB."""
SIZE = 1 << 24
"""A piece ends where the next sentence or document does after this number of bytes: 16 MB."""
PACKED = 8
"""Bytes of text that a byte of a compressed file is taken for."""
_LONGEST = 1 << 24
"""The most bytes without a blank line in a file that is cut."""
_DOCUMENT = re.compile(rb"\n(?:# ?newdoc|-DOCSTART-|<doc\b)([^\n]*)")
_NAMED = re.compile(rb"[^=\n]*= *[^\n]*[A-Za-z]")
"""What follows `# newdoc` if the document has an id and this is no number."""


class _UncutError(Exception):
    """The file cannot be cut."""


class _Cut(NamedTuple):
    """A sentence at which a piece begins, or the end of the file."""

    byte: int
    line: int
    sentences: int
    """The number of sentences before it …"""
    documents: int
    """… and of marks of documents."""
    marked: bool
    """True if a document begins here."""


def text_size(path: str) -> int:
    """The number of bytes of text in a file, roughly if it is compressed."""
    return os.path.getsize(path) * (PACKED if path.endswith((".gz", ".xz")) else 1)


def cut_files(paths: Sequence[str]) -> tuple[list[list[Piece]], list[str]]:
    """The pieces of each file, as many of all, and the checksums of the files; nothing if they are not to be cut.

    The first file is cut at documents if it marks any, else at sentences, the others after as many sentences. If
    the sentences are the same is seen when they are read.
    """
    pieces, checksums, cuts = [], [], list[_Cut]()
    try:
        if not all(map(os.path.isfile, paths)) or any(map(is_archive, paths)) or text_size(paths[0]) < LARGE:
            return [], []
        for path in paths:
            source = Source(path)
            try:
                cuts = _find_cuts(source, [cut.sentences for cut in cuts])
            finally:
                source.close()
            assert source.state is not None
            checksums.append(source.sha256)
            pieces.append([_piece_between(here, there, source.state) for here, there in pairwise(cuts)])
    except (AssayError, OSError, _UncutError):
        # When they are read as a whole, it is said what is wrong with them.
        return [], []
    return pieces, checksums


def _piece_between(here: _Cut, there: _Cut, state: tuple[int, ...]) -> Piece:
    # A piece begins a document, whether the file marks one there or not.
    documents = there.documents - here.documents + (not here.marked)
    sentences, continues = there.sentences - here.sentences, here.byte > 0 and not here.marked
    return Piece(here.byte, there.byte, here.line, here.sentences, sentences, documents, continues, state)


def _find_cuts(source: Source, wanted: Sequence[int]) -> list[_Cut]:
    """Where to cut a file, with its beginning and its end; before the sentences wanted, if there are any."""
    cuts: list[_Cut] = []
    sentences = documents = 0
    end = _Cut(0, 1, 0, 0, False)
    for byte, line, starts, lines, begun in _find_sentences(source):
        number = sentences + np.arange(len(starts))
        before = documents + np.cumsum(begun) - begun
        sentences, documents = sentences + len(starts), documents + int(begun.sum())
        if wanted:
            places = np.flatnonzero(np.isin(number, wanted))
        else:
            cuts = cuts or [_Cut(0, 1, 0, 0, bool(begun[0]))]
            if documents and not cuts[0].marked:
                # All before the first mark would be a document too.
                raise _UncutError
            places = np.flatnonzero(begun) if documents else np.arange(len(starts))
        at = 0
        while at < len(places):
            if not wanted and (at := int(np.searchsorted(starts[places], cuts[-1].byte + SIZE))) == len(places):
                break
            place = int(places[at])
            here = int(starts[place]), int(lines[place])
            cuts.append(_Cut(*here, int(number[place]), int(before[place]), bool(begun[place])))
            at += 1
        end = _Cut(byte, line, sentences, documents, False)
    cuts.append(end)
    if wanted and [cut.sentences for cut in cuts] != [*wanted]:
        raise _UncutError
    return cuts


def _find_sentences(source: Source) -> Iterator[tuple[int, int, Ints, Ints, Bools]]:
    """By stretches of a file: the byte and the line of the stretch's end, those at which each sentence begins, and
    whether a document begins there."""
    data, byte, line = b"", 0, 1
    blocks = source.blocks()
    while True:
        block = next(blocks, b"")
        data += block
        size = data.rfind(b"\n\n") + 2 if block else len(data)
        if size < 2:
            if not data:
                return
            if not block or len(data) > _LONGEST:
                raise _UncutError
            continue
        stretch, data = data[:size], data[size:]
        # Line ends of other kinds, and names of sentences that only the whole file shows.
        if b"\r" in stretch or b":sent_id" in stretch:
            raise _UncutError
        feeds = np.flatnonzero(np.frombuffer(stretch, dtype=np.uint8) == ord("\n"))
        blank = 1 + np.flatnonzero(np.diff(feeds) == 1)
        blank = blank[np.diff(blank, prepend=-1) > 1]
        starts, lines = np.append(0, feeds[blank] + 1), np.append(0, blank + 1)
        if not stretch[int(starts[-1]) :].strip():
            starts, lines = starts[:-1], lines[:-1]
        begun = np.zeros(len(starts), dtype=bool)
        for match in _DOCUMENT.finditer(b"\n" + stretch):
            if not _NAMED.match(match[1]):
                raise _UncutError
            begun[np.searchsorted(starts, match.start(), side="right") - 1] = True
        yield byte + size, line + len(feeds), byte + starts, line + lines, begun
        byte, line = byte + size, line + len(feeds)
