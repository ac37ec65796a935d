"""Span tables (FairEval): a labelled span per line, its words given by number; the words themselves are not known."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

import numpy as np

from assay.arrays import Ints, Stretches
from assay.errors import InputError
from assay.formats.builder import Builder, merged
from assay.formats.source import Source

_NO_SPANS = ("NONE", "EMPTY")
_DUMMY = "999"
_DUMMY_LINE = "NONE<tab>999<tab>999<tab>999"
_LONGEST = 1_000_000
"""More words than a sentence or document has; beyond it a number is a mistake."""
_LOOKED_AT = 50

_BLANK = 0
_WITHOUT = 1
"""The numbers of blank lines and of those that stand for a sentence without spans; all higher ones are spans."""


class _LineError(Exception):
    """What is wrong with a line, wherever it stands."""


# --- telling the format from a file's first lines ---


def looks_spans(head: Sequence[str]) -> bool:
    """True if the first lines are labels with first word, last word and a list of the words between them.

    Columns of numbers that lack such a list are taken for spans only where the labels are spelt like labels.
    """
    rows = [line.split("\t") for line in head if line.strip()][:_LOOKED_AT]
    fitting = []
    for row in rows:
        with suppress(_LineError):
            fitting += [row] if _Lines()["\t".join(row)] else []
    if not fitting or fitting[0] is not rows[0] or 2 * len(fitting) < len(rows):
        return False
    if any(row[0] in _NO_SPANS or "," in "".join(row[3:]) for row in fitting):
        return True
    return len(fitting) == len(rows) and all((len(row) == 4 and row[3]) or row[0].isupper() for row in rows)


# --- reading ---


def read_spans(source: Source, builder: Builder) -> None:
    """Read one file: a sentence has as many nameless words as its spans reach."""
    builder.begin_file(source.path)
    known = _Lines()
    parts = [np.zeros(0, dtype=np.int64)]
    for batch in source.batches():
        lines = [line for _, line in batch.lines()]
        try:
            parts.append(np.fromiter(map(known.__getitem__, lines), dtype=np.int64, count=len(lines)))
        except _LineError as fault:
            # The line at fault is the first that got no number.
            place = next(number for number, line in enumerate(lines, batch.line) if line not in known)
            raise InputError(f"{batch.path}:{place}: {fault}") from None
    numbers = np.concatenate(parts)
    sentence = _sentences(numbers, source.path)
    spans = np.flatnonzero(numbers > _WITHOUT)
    kinds = numbers[spans] - _WITHOUT - 1
    begin, end, label = np.array(known.spans, dtype=np.int64).reshape(-1, 3)[kinds].T
    stretches = {i: known.stretches[kind] for i, kind in enumerate(kinds.tolist()) if kind in known.stretches}
    rows = np.stack([sentence[spans] + builder.sentence, begin, end, label, spans + 1], axis=1)
    # Each sentence has as many words without a form as its spans reach, and one at least.
    filled = np.flatnonzero(numbers != _BLANK)
    lengths = np.ones(int(sentence[filled[-1]]) + 1 if len(filled) else 0, dtype=np.int64)
    np.maximum.at(lengths, sentence[spans], end)
    firsts = filled[np.searchsorted(sentence[filled], np.arange(len(lengths)))]
    codes = np.full(int(lengths.sum()), builder.cells[0][b""])
    builder.add_codes([codes], (np.cumsum(lengths) + builder.words).tolist(), (firsts + 1).tolist())
    builder.spans(rows, list(known.labels), stretches)
    builder.end_file()


class _Lines(dict[str, int]):
    """Lines to numbers: most lines of a file occur in it more than once, and each is taken apart once."""

    def __init__(self) -> None:
        super().__init__({"": _BLANK})
        self.spans: list[tuple[int, int, int]] = []
        """First word from 0, the one behind the last, and label of the span in each line that holds one."""
        self.stretches: dict[int, Stretches] = {}
        self.labels: dict[str, int] = {}

    def __missing__(self, line: str) -> int:
        self[line] = number = self._number(line)
        return number

    def _number(self, line: str) -> int:
        if not line.strip(" "):
            return _BLANK
        label, _, rest = line.partition("\t")
        if label in _NO_SPANS:
            cells = rest.split("\t")
            if cells[:2] != [_DUMMY, _DUMMY] or cells[2:] not in ([], [""], [_DUMMY]):
                raise _LineError(
                    f"{label} is not a label, it stands for a sentence without spans. "
                    f"Write {_DUMMY_LINE}, or give the spans another label."
                )
            return _WITHOUT
        atoms = _words(rest)
        if not label.strip():
            raise _LineError("the label is empty. The first column holds it.")
        if len(atoms) > 1:
            self.stretches[len(self.spans)] = atoms
        self.spans.append((atoms[0][0], atoms[-1][1], self.labels.setdefault(label, len(self.labels))))
        return len(self.spans) + _WITHOUT


def _words(places: str) -> Stretches:
    """The words of a span from its columns begin, end and, if it is there, the list of them."""
    cells = places.split("\t")
    if len(cells) not in (2, 3):
        columns = "1 column" if places == "" else f"{len(cells) + 1} columns"
        raise _LineError(f"{columns} where a span has label, begin, end and its words. Are they divided by tabs?")
    begin, end = _number(cells[0], "begin"), _number(cells[1], "end")
    if begin < 1:
        raise _LineError("begin is 0. Words are counted from 1.")
    if end < begin:
        raise _LineError(
            f"end {end} lies before begin {begin}. Both count words from 1, and end belongs to the span."
        )
    if end > _LONGEST:
        raise _LineError(f"end is {end}, which no sentence reaches. Words are counted in each sentence from 1.")
    listed = cells[2] if len(cells) == 3 else ""
    # A list without gaps is written out and compared rather than taken apart: nearly all spans are so.
    solid = listed.count(",") == end - begin and listed == ", ".join(map(str, range(begin, end + 1)))
    if solid or not listed.strip():
        return ((begin - 1, end),)
    words = sorted(_number(word.strip(), "a word of the span") for word in listed.split(","))
    repeated = next((word for word, after in pairwise(words) if word == after), None)
    if repeated is not None:
        raise _LineError(f"word {repeated} is listed twice. Each word of a span is listed once.")
    outside = next((word for word in words if not begin <= word <= end), None)
    if outside is not None:
        raise _LineError(f"word {outside} lies outside the span, which reaches from {begin} to {end}.")
    if (words[0], words[-1]) != (begin, end):
        raise _LineError(
            f"begin and end are {begin} and {end}, but the words listed reach from {words[0]} to {words[-1]}. "
            "The first and the last word of a span belong to it."
        )
    return merged((word - 1, word) for word in words)


def _number(cell: str, what: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) < 19):
        raise _LineError(f"{what} is {cell!r} where the number of a word should stand.")
    return int(cell)


def _sentences(numbers: Ints, path: str) -> Ints:
    """The sentence of each line; blank lines divide them."""
    blank = numbers == _BLANK
    twice = np.flatnonzero(blank & np.concatenate([[True], blank[:-1]]))
    if len(twice):
        raise InputError(
            f"{path}:{twice[0] + 1}: a blank line that ends no sentence. "
            f"A sentence without spans needs a line of its own: {_DUMMY_LINE}"
        )
    sentence: Ints = np.cumsum(blank) - blank
    without = np.flatnonzero(numbers == _WITHOUT)
    sizes = np.bincount(sentence[~blank], minlength=1)
    mixed = without[sizes[sentence[without]] > 1]
    if len(mixed):
        raise InputError(
            f"{path}:{mixed[0] + 1}: says that the sentence has no spans, but this is not its only line. "
            "Take away this line, or put a blank line between two sentences."
        )
    return sentence
