"""What goes wrong with files: small faults, each a plain function of the bytes and two numbers."""

from __future__ import annotations

import gzip
import lzma
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

Fault = Callable[[bytes, int, int], bytes]

ODD = [
    text.encode("utf-8", "surrogatepass")
    for text in (
        *("\0", "\r", "\r\n", "\n\n", "\t", "\t\t", " ", "\u00a0", "\u2028", "\x85", "\x0b", "\x1c", "\x1b[31m"),
        *("\ufeff", "e\u0301", "é", "\u200b", "\u202e", "𝔘", "👩‍👩‍👧", "\ud800", "\uffff", "\u0600", "²", "٣"),
        *("(", ")", "((", "))", "[", "]", "{", "}", "<", ">", "</s>", "<s>", "&", "&amp;", "&#0;", "&x;", "<!--"),
        *("/", "\\", "\\/", "|", ":", ";", ",", "=", "-", "_", "*", "#", "# ", '"', "'", "'''", "%", "@", "~"),
        *("B-", "I-X", "O", "(e1", "e1)", "(e1[1/2]-x", "Entity=", "-DOCSTART-", "#BOS 1", "#EOS 1", "NONE", "nan"),
        *("#begin document (x); part 000\n", "#end document\n", "# newdoc\n", "# sent_id = s1\n", "null", "true"),
        *(
            '"\\ud800"',
            '{"a": 1}',
            "[[0, 0]]",
            "NaN",
            "Infinity",
            "<ns/>",
            "<!DOCTYPE x>",
            "]]>",
            "re:(",
            "re:(a+)+$",
        ),
    )
]
NUMBERS = [
    *(b"0", b"-1", b"00", b"1.5", b"1e9", b"1e400", b"999", b"65536", b"2147483648", b"9223372036854775808"),
    *(
        b"1" * 25,
        b"9" * 5000,
        b"1-99999999",
        b"3-2",
        b"0.1",
        b"1_0",
        b"+1",
        b"-0",
        b"0x10",
        "٣".encode(),
        "²".encode(),
    ),
]
_DIGITS = b"0123456789"


def _lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def flip_a_bit(data: bytes, place: int, value: int) -> bytes:
    """One bit of one byte."""
    if not data:
        return data
    at = place % len(data)
    return data[:at] + bytes([data[at] ^ (1 << value % 8)]) + data[at + 1 :]


def delete(data: bytes, place: int, value: int) -> bytes:
    """A few bytes are lost."""
    at = place % (len(data) + 1)
    return data[:at] + data[at + 1 + value % 12 :]


def truncate(data: bytes, place: int, value: int) -> bytes:
    """The end is lost."""
    return data[: place % (len(data) + 1)]


def insert(data: bytes, place: int, value: int) -> bytes:
    """Something odd gets in."""
    at = place % (len(data) + 1)
    return data[:at] + ODD[value % len(ODD)] + data[at:]


def insert_a_byte(data: bytes, place: int, value: int) -> bytes:
    """Some byte gets in."""
    at = place % (len(data) + 1)
    return data[:at] + bytes([value % 256]) + data[at:]


def number(data: bytes, place: int, value: int) -> bytes:
    """A number becomes another, such as no sane file has."""
    places = [i for i, byte in enumerate(data) if byte in _DIGITS and (not i or data[i - 1] not in _DIGITS)]
    if not places:
        return data
    at = end = places[place % len(places)]
    while end < len(data) and data[end] in _DIGITS:
        end += 1
    return data[:at] + NUMBERS[value % len(NUMBERS)] + data[end:]


def repeat_lines(data: bytes, place: int, value: int) -> bytes:
    """Some lines stand there twice."""
    lines = _lines(data)
    at = place % len(lines)
    end = at + 1 + value % 5
    return b"\n".join([*lines[:end], *lines[at:end], *lines[end:]])


def drop_a_line(data: bytes, place: int, value: int) -> bytes:
    """A line is lost."""
    lines = _lines(data)
    del lines[place % len(lines)]
    return b"\n".join(lines)


def swap_lines(data: bytes, place: int, value: int) -> bytes:
    """Two lines change places."""
    lines = _lines(data)
    one, two = place % len(lines), value % len(lines)
    lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


def _separator(line: bytes) -> bytes:
    return b"\t" if b"\t" in line else b" "


def swap_columns(data: bytes, place: int, value: int) -> bytes:
    """Two cells of a line change places."""
    lines = _lines(data)
    at = place % len(lines)
    separator = _separator(lines[at])
    cells = lines[at].split(separator)
    one, two = value % len(cells), (value // 7) % len(cells)
    cells[one], cells[two] = cells[two], cells[one]
    lines[at] = separator.join(cells)
    return b"\n".join(lines)


def change_a_cell(data: bytes, place: int, value: int) -> bytes:
    """A cell is emptied or becomes something else."""
    lines = _lines(data)
    at = place % len(lines)
    separator = _separator(lines[at])
    cells = lines[at].split(separator)
    cells[value % len(cells)] = [b"", *ODD, *NUMBERS][(value // 11) % (1 + len(ODD) + len(NUMBERS))]
    lines[at] = separator.join(cells)
    return b"\n".join(lines)


def copy_a_cell(data: bytes, place: int, value: int) -> bytes:
    """A cell gets the content of another line."""
    lines = _lines(data)
    one, two = place % len(lines), value % len(lines)
    separator = _separator(lines[one])
    cells, others = lines[one].split(separator), lines[two].split(separator)
    column = (value // 13) % len(cells)
    if column < len(others):
        cells[column] = others[column]
    lines[one] = separator.join(cells)
    return b"\n".join(lines)


def nest(data: bytes, place: int, value: int) -> bytes:
    """Brackets, tags or objects lie in one another, very deep."""
    opened, closed = [
        (b"(", b")"), (b"(X ", b")"), (b"[", b"]"), (b'{"a":', b"}"), (b"<chunk>", b"</chunk>"), (b"<x>", b""),
        (b"((", b""), (b"|(1", b""), (b"(e1-x", b"e1)"), (b'[{"spans":', b"}]"), (b'{"', b""),
    ][value % 11]  # fmt: skip
    at = place % (len(data) + 1)
    depth = (10, 200, 3000, 60_000)[(value // 11) % 4]
    return data[:at] + opened * depth + closed * depth + data[at:]


def blow_up(data: bytes, place: int, value: int) -> bytes:
    """A piece becomes very long."""
    at = place % (len(data) + 1)
    end = at + 1 + value % 8
    return data[:at] + data[at:end] * (1 + (value // 8) % 20_000) + data[end:]


def other_newlines(data: bytes, place: int, value: int) -> bytes:
    """Lines end in another way, all or some."""
    other = (b"\r", b"\r\n", b"\n\r", b"\n\n", b"\r\r\n", b"")[value % 6]
    cut = place % (len(data) + 1) if value // 6 % 2 else 0
    return data[:cut] + data[cut:].replace(b"\n", other)


def recode(data: bytes, place: int, value: int) -> bytes:
    """Another encoding, or a byte-order mark."""
    kind = value % 6
    if kind == 0:
        return b"\xef\xbb\xbf" + data
    text = data.decode("utf-8", "replace")
    if kind == 1:
        import unicodedata

        return unicodedata.normalize(("NFD", "NFC", "NFKC")[place % 3], text).encode("utf-8", "replace")
    if kind == 5:
        return text.upper().encode("utf-8", "replace")
    return text.encode(("utf-16", "latin-1", "utf-8-sig")[kind - 2], "replace")


def compress(data: bytes, place: int, value: int) -> bytes:
    """Compressed, whole, cut short or damaged."""
    packed = lzma.compress(data) if value % 5 == 0 else gzip.compress(data, mtime=0)
    how = value // 5 % 4
    if how == 0:
        return packed
    if how == 1:
        return packed[: place % (len(packed) + 1)]
    if how == 2:
        return flip_a_bit(packed, place, value)
    return packed + packed[: place % 30]


FAULTS: Sequence[Fault] = (
    *(flip_a_bit, delete, truncate, insert, insert_a_byte, number, repeat_lines, drop_a_line, swap_lines),
    *(swap_columns, change_a_cell, copy_a_cell, nest, blow_up, other_newlines, recode, compress),
)
LARGEST = 1 << 20
"""Files do not grow beyond this."""


class Step(NamedTuple):
    """One fault at a place."""

    fault: int
    place: int
    value: int


def mutated(data: bytes, steps: Sequence[Step]) -> bytes:
    """The bytes after all that happened to them."""
    for step in steps:
        data = FAULTS[step.fault % len(FAULTS)](data, step.place, step.value)[:LARGEST]
    return data


def drawn(rng: random.Random) -> list[Step]:
    """One to four faults, most often one."""
    many = rng.choice((1, 1, 1, 2, 2, 3, 4))
    return [Step(rng.randrange(len(FAULTS)), rng.randrange(1 << 20), rng.randrange(1 << 20)) for _ in range(many)]
