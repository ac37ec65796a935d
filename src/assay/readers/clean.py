"""Tab-separated lines read with arrays: several times faster than line by line, and only where nothing is wrong.

The bytes of a batch are searched for line ends and tabs once; what a line is and where its cells lie follows by
arithmetic. Whatever does not fit makes `clean_lines` return None, and the batch is read line by line, which finds
the mistake and its place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.arrays import Bools, Ints
from assay.readers.builder import Cells

_TAB, _NEWLINE, _HASH, _ZERO = 9, 10, 35, 48
_LONGEST_ID = 9
_WORD = 8
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_WORD + 1)], dtype="<u8")


@dataclass(frozen=True, eq=False)
class CleanLines:
    """What is where in a batch; lines are counted from 0."""

    data: bytes
    begin: Ints
    end: Ints
    bounds: Ints
    """(Columns + 1) × words: cell i of a word lies behind bound i, up to bound i + 1."""
    comments: Ints
    asides: Ints
    """Lines within a sentence that are no words: ranges, empty nodes, comments."""
    firsts: Ints
    """The lines of the words that begin a sentence."""
    sentence_ends: Ints
    """For each sentence that ends in the batch, the number of the batch's words before its end."""
    last_position: int
    """How many words the sentence under way has at the end."""
    words: Ints
    """For each line the number of words before it …"""
    positions: Ints
    """… in its sentence …"""
    sentences: Ints
    """… and the number of sentences that end before it."""

    def codes(self, column: int, cells: Cells) -> Ints:
        """One column of the words, each cell as its code.

        Cells of up to eight bytes, which are most, are taken as one number each: sorting numbers finds the
        distinct ones faster than looking up every cell.
        """
        first, last = self.bounds[column] + 1, self.bounds[column + 1]
        length = last - first
        short = length <= _WORD
        # The eight bytes from each place on as a number; there are no zero bytes in text, so padding tells lengths.
        padded = self.data + bytes(_WORD)
        numbers = np.ndarray(len(self.data) + 1, dtype="<u8", buffer=padded, strides=(1,))
        keys = numbers[first[short]] & _MASKS[length[short]]
        distinct, group = np.unique(keys, return_inverse=True)
        known = np.array([cells.numbers[key] for key in distinct.tolist()], dtype=np.int32)
        codes = np.empty(len(first), dtype=np.int32)
        codes[short] = known[group]
        codes[~short] = [cells[cell] for cell in self._cut(first[~short], last[~short])]
        return codes

    def has_empty(self, column: int) -> bool:
        """Whether a word has nothing in a column."""
        return bool((self.bounds[column + 1] - self.bounds[column] == 1).any())

    def texts(self, lines: Ints) -> list[str]:
        """Whole lines."""
        return [line.decode() for line in self._cut(self.begin[lines], self.end[lines])]

    def _cut(self, first: Ints, last: Ints) -> list[bytes]:
        data = self.data
        return [data[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]


def clean_lines(data: bytes, width: int, *, ids: bool, comments: bool, before: int) -> CleanLines | None:
    """The lines of a batch, or None where one is not as it should be.

    `before` is the number of words that the sentence under way has before the batch.
    """
    marks = np.frombuffer(data, dtype=np.uint8)
    end = np.flatnonzero(marks == _NEWLINE)
    if not data.endswith(b"\n"):
        end = np.append(end, len(data))
    begin = np.concatenate([[0], end[:-1] + 1])
    blank = begin == end
    is_comment = (marks[np.minimum(begin, len(marks) - 1)] == _HASH) & ~blank if comments else np.zeros_like(blank)
    full = ~blank & ~is_comment
    grid = _tabs(marks, begin, end, full, width)
    if grid is None:
        return None
    bounds = np.concatenate([begin[None, full] - 1, grid.T, end[None, full]])
    numbers, numeric = _numbers(marks, bounds) if ids else (None, np.ones(bounds.shape[1], dtype=bool))
    is_word = np.zeros_like(full)
    is_word[np.flatnonzero(full)[numeric]] = True
    words = np.cumsum(is_word) - is_word
    # Words of the sentence under way before each line: those since the last blank line, or since before the batch.
    at_blank = np.maximum.accumulate(np.where(blank, words, -before))
    at_blank = np.concatenate([[-before], at_blank[:-1]])
    positions = words - at_blank
    if numbers is not None and not np.array_equal(numbers[numeric], positions[is_word] + 1):
        return None
    ending = blank & (positions > 0)
    last = 0 if not len(end) or blank[-1] else int(positions[-1] + is_word[-1])
    return CleanLines(
        data=data,
        begin=begin,
        end=end,
        bounds=bounds if numeric.all() else bounds[:, numeric],
        comments=np.flatnonzero(is_comment & (positions == 0)),
        asides=np.flatnonzero((full & ~is_word) | (is_comment & (positions > 0))),
        firsts=np.flatnonzero(is_word & (positions == 0)),
        sentence_ends=words[ending],
        last_position=last,
        words=words,
        positions=positions,
        sentences=np.cumsum(ending) - ending,
    )


def _tabs(marks: Ints, begin: Ints, end: Ints, full: Bools, width: int) -> Ints | None:
    """The tabs of the lines with columns, lines × (width - 1), or None where a line has more or fewer."""
    tabs = np.flatnonzero(marks == _TAB)
    begin, end = begin[full], end[full]
    if len(tabs) != len(begin) * (width - 1):
        # Comments may hold tabs as well.
        line = np.searchsorted(begin, tabs, side="right") - 1
        tabs = tabs[(line >= 0) & (tabs < end[line])] if len(end) else tabs[:0]
        if len(tabs) != len(begin) * (width - 1):
            return None
    grid = tabs.reshape(-1, width - 1)
    return grid if (grid[:, 0] >= begin).all() and (grid[:, -1] < end).all() else None


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
