"""Mentions from all the cells of brackets of a file at once; what is odd about a file is left to its reader."""

from __future__ import annotations

import numpy as np

from assay.arrays import Bools, Ints

_OPEN, _CLOSE, _BAR, _END = b"()|\n"
_BLANKS = bytes.maketrans(b"()|\n", b"    ")
_SINGLE, _OPENED, _CLOSED = range(3)


def mentions_in(cells: list[bytes], place: Ints) -> tuple[Ints, list[str]] | None:
    """Rows of first cell, last cell and chain, and the names of chains, in the order in which they appear.

    `place` is the document of each cell; chains are told apart by name and document. None where a cell is not made of
    brackets with plain names, or a bracket has no other half.
    """
    text = b"\n".join([b"", *cells, b""])
    characters = np.frombuffer(text, dtype=np.uint8)
    if _strange(characters):
        return None
    dividing = np.isin(characters, (_OPEN, _CLOSE, _BAR, _END))
    first = np.flatnonzero(~dividing[1:] & dividing[:-1]) + 1
    last = np.flatnonzero(~dividing[:-1] & dividing[1:])
    opens, closes = characters[first - 1] == _OPEN, characters[last + 1] == _CLOSE
    if not _whole(characters, opens, closes):
        return None
    cell = np.cumsum(characters == _END)[first] - 1
    kind = np.where(opens & closes, _SINGLE, np.where(opens, _OPENED, _CLOSED))
    # Within a cell mentions of one word come first, then what opens, then what closes.
    order = np.argsort(cell * 3 + kind, kind="stable")
    chain, used = _chains(text.translate(_BLANKS).split(), order, place[cell[order]])
    cell, kind = cell[order], kind[order]
    pairs = _paired(chain, kind)
    if pairs is None:
        return None
    alone = np.flatnonzero(kind == _SINGLE)
    begin, end = np.concatenate([alone, pairs[0]]), np.concatenate([alone, pairs[1]])
    return np.stack([cell[begin], cell[end], chain[begin]], axis=1), used


def _strange(characters: Ints) -> bool:
    """Whether there is white space within a cell, a letter that is not ASCII, or an asterisk."""
    plain = (characters > ord(" ")) & (characters < 127) & (characters != ord("*"))
    return not bool((plain | (characters == _END)).all())


def _whole(characters: Ints, opens: Bools, closes: Bools) -> bool:
    """Whether every name has a bracket, every bracket a name, and every bar stands between two of them."""
    bars = np.flatnonzero(characters == _BAR)
    return (
        bool((opens | closes).all())
        and int(opens.sum()) == int((characters == _OPEN).sum())
        and int(closes.sum()) == int((characters == _CLOSE).sum())
        and not np.isin(characters[bars - 1], (_BAR, _END, _OPEN)).any()
        and not np.isin(characters[bars + 1], (_BAR, _END, _CLOSE)).any()
    )


def _chains(names: list[bytes], order: Ints, document: Ints) -> tuple[Ints, list[str]]:
    """The chains of brackets in an order, numbered as they appear in it, and their names."""
    known = {name: code for code, name in enumerate(dict.fromkeys(names))}
    codes = np.fromiter(map(known.__getitem__, names), dtype=np.int64, count=len(names))[order]
    _, first, group = np.unique(document * (len(known) + 1) + codes, return_index=True, return_inverse=True)
    appearance = np.argsort(first)
    number = np.empty(len(first), dtype=np.int64)
    number[appearance] = np.arange(len(first))
    return number[group], [names[place].decode("ascii") for place in order[first[appearance]].tolist()]


def _paired(chain: Ints, kind: Ints) -> tuple[Ints, Ints] | None:
    """What opens and what closes it, of the same chain: what was opened last is closed first."""
    events = np.flatnonzero(kind != _SINGLE)
    events = events[np.argsort(chain[events], kind="stable")]
    opening = kind[events] == _OPENED
    depth = np.cumsum(np.where(opening, 1, -1))
    ends = np.flatnonzero(np.diff(chain[events], append=-1))
    if (depth < 0).any() or depth[ends].any():
        return None
    level = np.where(opening, depth, depth + 1)
    events = events[np.lexsort((events, level, chain[events]))]
    return events[::2], events[1::2]
