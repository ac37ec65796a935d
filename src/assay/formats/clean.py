"""Lines with columns read with arrays: several times faster than line by line, and only where nothing is wrong.

The bytes of a batch are searched for line ends and separators once; what a line is and where its cells lie follows
by arithmetic. Whatever does not fit makes `clean_lines` return None, and the batch is read line by line, which finds
the mistake and its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.arrays import Array, Bools, Ints
from assay.classes import dataclass
from assay.formats.builder import Cells

if TYPE_CHECKING:
    from assay.formats.columns import Layout

_NEWLINE, _SPACE, _HASH, _ZERO, _LESS = b"\n #0<"
DOCSTART = b"-DOCSTART-"
# What str.split() divides at, apart from spaces and line ends.
_SPACES = [chr(code) for code in range(0x3001) if chr(code).isspace() and chr(code) not in " \n"]
_SPACE_OR_WIDE = np.array([chr(byte) in (" ", *_SPACES) or byte > 127 for byte in range(256)])
"""The bytes that white space may begin or end with, other than a line end."""
_LONGEST_ID = 9
_WORD = 8
_BUCKET_BITS = 16
_ROUNDS = 8
"""How often cells in a bucket are compared with one of them, before what is left is looked up one by one."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""A factor that spreads numbers over the buckets: 2**64 divided by the golden ratio."""
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_WORD + 1)], dtype="<u8")


@dataclass(frozen=True, eq=False)
class CleanLines:
    """The words, comments and sentence ends of a batch; lines are counted from 0."""

    text: Coded
    begin: Ints
    end: Ints
    bounds: Ints
    """(Columns + 1) × words: cell i of a word lies after bound i, up to bound i + 1."""
    comments: Ints
    asides: Ints
    """Lines within a sentence that are no words: ranges, empty nodes, comments."""
    documents: Ints
    """Lines that open a document."""
    firsts: Ints
    """The lines of the words that begin a sentence."""
    sentence_ends: Ints
    """For each sentence that ends in the batch, the number of the batch's words before its end."""
    last_position: int
    """The number of words so far of the sentence that the batch does not end."""
    words: Ints
    """For each line the number of words before it …"""
    positions: Ints
    """… in its sentence …"""
    sentences: Ints
    """… and the number of sentences that end before it."""

    def codes(self, column: int, cells: Cells) -> Ints:
        """One column of the words, each cell as its code."""
        last = self.bounds[column + 1]
        return self.text((np.minimum(self.bounds[column] + 1, last), last), cells)

    def doubtful(self) -> list[str]:
        """The lines that may be markup, or white space and nothing else."""
        marks = np.frombuffer(self.text.data, dtype=np.uint8)
        # An empty line at the very end begins after the last byte.
        first, last = marks[np.minimum(self.begin, len(marks) - 1)], marks[np.maximum(self.end - 1, 0)]
        return self.texts(np.flatnonzero((first == _LESS) | (_SPACE_OR_WIDE[first] & _SPACE_OR_WIDE[last])))

    def texts(self, lines: Ints) -> list[str]:
        """Whole lines."""
        return [line.decode() for line in cut_cells(self.text.data, self.begin[lines], self.end[lines])]


class Coded:
    """A text whose cells are looked up many at once, given by the byte each begins with and the one after it."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        # The eight bytes from each place on as a number; text has no zero bytes, so padding tells lengths.
        padded = data + bytes(_WORD)
        self._numbers = np.ndarray(len(data) + 1, dtype="<u8", buffer=padded, strides=(1,))

    def __call__(self, bounds: Ints | tuple[Ints, Ints], cells: Cells) -> Ints:
        """The code of each cell; those of up to 16 bytes, nearly all, are looked up as one or two numbers."""
        first, last = bounds
        length = last - first
        if length.max(initial=0) <= _WORD:
            return _look_up(self._numbers[first][None] & _MASKS[length], cells)
        codes = np.empty(len(first), dtype=np.int32)
        one, two = np.flatnonzero(length <= _WORD), np.flatnonzero((length > _WORD) & (length <= 2 * _WORD))
        codes[one] = _look_up(self._numbers[first[one]][None] & _MASKS[length[one]], cells)
        begin, rest = first[two], _MASKS[length[two] - _WORD]
        codes[two] = _look_up(np.stack([self._numbers[begin], self._numbers[begin + _WORD] & rest]), cells)
        long = np.flatnonzero(length > 2 * _WORD)
        codes[long] = [*map(cells.__getitem__, cut_cells(self.data, first[long], last[long]))]
        return codes

    def equal(self, bounds: Ints | tuple[Ints, Ints], cell: bytes) -> Bools:
        """Mask of the cells that are this one, of up to eight bytes."""
        first, last = bounds
        numbers = self._numbers[first] & _MASKS[len(cell)]
        return np.asarray((last - first == len(cell)) & (numbers == int.from_bytes(cell, "little")))


def cut_cells(data: bytes, first: Ints, last: Ints) -> list[bytes]:
    """Stretches of a text."""
    return [data[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]


def _look_up(keys: Array, cells: Cells) -> Ints:
    """The codes of cells, which are columns of one or two numbers; most distinct ones are looked up once.

    Those that share a bucket are compared with one of them, which is several times faster than sorting; the few
    that differ from it are compared with one another in the same way, a few times at most.
    """
    codes = np.empty(keys.shape[1], dtype=np.int32)
    left = np.arange(keys.shape[1])
    holder = np.empty(1 << _BUCKET_BITS, dtype=np.int32)
    for _ in range(_ROUNDS):
        if not len(left):
            return codes
        places = np.arange(len(left), dtype=np.int32)
        spread = keys[0] * _ODD if len(keys) == 1 else (keys[0] * _ODD ^ keys[1]) * _ODD
        bucket = (spread >> np.uint64(64 - _BUCKET_BITS)).view(np.int64)
        holder[bucket] = places
        like = holder[bucket]
        one_of_each = np.flatnonzero(like == places)
        found = np.empty(len(left), dtype=np.int32)
        found[one_of_each] = _code_texts(keys[:, one_of_each], cells)
        codes[left] = found[like]
        others = np.flatnonzero((keys[:, like] != keys).any(axis=0))
        left, keys = left[others], keys[:, others]
    codes[left] = _code_texts(keys, cells)
    return codes


def _code_texts(keys: Array, cells: Cells) -> Ints:
    texts = np.ascontiguousarray(keys.T, dtype="<u8").view(f"S{_WORD * len(keys)}").ravel().tolist()
    return np.fromiter(map(cells.__getitem__, texts), dtype=np.int32, count=len(texts))


def clean_lines(data: bytes, layout: Layout, comments: bool, before: int) -> CleanLines | None:
    """The lines of a batch, or None if one is not as it should be.

    `comments`: lines that begin with # are comments. `before` is the number of words that the sentence under way has
    before the batch. If any white space divides columns, they have to be separated by one space each.
    """
    separator, ids = layout.separator, layout.ids
    if separator is None:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return None
        if any(space in text for space in _SPACES):
            return None
    marks = np.frombuffer(data, dtype=np.uint8)
    end = np.flatnonzero(marks == _NEWLINE)
    if not data.endswith(b"\n"):
        end = np.append(end, len(data))
    begin = np.concatenate([[0], end[:-1] + 1])
    gap = begin == end
    is_comment = np.zeros_like(gap)
    if comments:
        # They begin with # and, where words are not numbered and may begin so too, a space.
        is_comment = (marks[np.minimum(begin, len(marks) - 1)] == _HASH) & ~gap
        if not ids:
            is_comment &= marks[np.minimum(begin + 1, len(marks) - 1)] == _SPACE
    documents: Ints = np.zeros(0, dtype=np.int64)
    if not ids and DOCSTART in data:
        likely = np.flatnonzero(~gap)
        likely = likely[marks[begin[likely]] == DOCSTART[0]]
        documents = likely[[data.startswith(DOCSTART, int(begin[line])) for line in likely]]
    gap[documents] = True
    full = ~gap & ~is_comment
    grid = _separators(marks, layout, begin, end, full)
    if grid is None:
        return None
    bounds = np.concatenate([begin[None, full] - 1, grid.T, end[None, full]])
    if separator is None and (np.diff(bounds, axis=0) == 1).any():
        return None
    numbers, numeric = _numbers(marks, bounds) if ids else (None, np.ones(bounds.shape[1], dtype=bool))
    is_word = np.zeros_like(full)
    is_word[np.flatnonzero(full)[numeric]] = True
    words = np.cumsum(is_word) - is_word
    # Words of the sentence under way before each line: those since the last gap, or since before the batch.
    at_gap = np.maximum.accumulate(np.where(gap, words, -before))
    at_gap = np.concatenate([[-before], at_gap[:-1]])
    positions = words - at_gap
    if numbers is not None and not np.array_equal(numbers[numeric], positions[is_word] + 1):
        return None
    ending = gap & (positions > 0)
    last = 0 if not len(end) or gap[-1] else int(positions[-1] + is_word[-1])
    return CleanLines(
        text=Coded(data),
        begin=begin,
        end=end,
        bounds=bounds if numeric.all() else bounds[:, numeric],
        comments=np.flatnonzero(is_comment & (positions == 0)),
        asides=np.flatnonzero((full & ~is_word) | (is_comment & (positions > 0))),
        documents=documents,
        firsts=np.flatnonzero(is_word & (positions == 0)),
        sentence_ends=words[ending],
        last_position=last,
        words=words,
        positions=positions,
        sentences=np.cumsum(ending) - ending,
    )


def _separators(marks: Ints, layout: Layout, begin: Ints, end: Ints, full: Bools) -> Ints | None:
    """The separators of the lines with columns, lines × (width - 1), or None if a line has more or fewer.

    With an open end these are the first `width` of each line, the last being its end where it has no more columns.
    """
    width = layout.width
    found = np.flatnonzero(marks == ord(layout.separator or " "))
    if layout.open_end:
        first, after = np.searchsorted(found, begin[full]), np.searchsorted(found, end[full])
        if (after - first < width - 1).any():
            return None
        columns = np.append(found, 0)[np.minimum(first[:, None] + np.arange(width), len(found))]
        columns[:, -1] = np.where(after - first < width, end[full], columns[:, -1])
        return np.asarray(columns)
    others = np.flatnonzero(~full & (begin < end))
    number = int(full.sum()) * (width - 1)
    if len(others) and len(found) != number:
        # Comments and marks of documents may contain separators as well.
        open_, close = np.searchsorted(found, begin[others]), np.searchsorted(found, end[others])
        depth = np.bincount(open_, minlength=len(found) + 1) - np.bincount(close, minlength=len(found) + 1)
        found = found[np.cumsum(depth)[:-1] == 0]
    if len(found) != number:
        return None
    grid = found.reshape(-1, width - 1)
    return grid if (grid[:, 0] >= begin[full]).all() and (grid[:, -1] < end[full]).all() else None


def _numbers(marks: Ints, bounds: Ints) -> tuple[Ints, Bools]:
    """The first cell of each line as a number, and whether it is one."""
    first, length = bounds[0] + 1, bounds[1] - bounds[0] - 1
    value = np.zeros(len(first), dtype=np.int64)
    numeric = (length > 0) & (length <= _LONGEST_ID)
    for place in range(min(int(length.max(initial=0)), _LONGEST_ID)):
        inside = np.flatnonzero(length > place)
        digit = marks[first[inside] + place].astype(np.int64) - _ZERO
        numeric[inside] &= (digit >= 0) & (digit <= 9)
        value[inside] = value[inside] * 10 + digit
    # 01 is not the number of a word.
    return value, numeric & ~((length > 1) & (marks[first] == _ZERO))
