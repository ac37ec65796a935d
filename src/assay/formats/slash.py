"""`word/TAG word/TAG …`: one sentence per line, cut at the last separator of each token."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from assay.arrays import Ints
from assay.errors import InputError, UsageError
from assay.formats.builder import Builder
from assay.formats.source import Source


def looks_slashed(head: Sequence[str]) -> bool:
    """Nearly every token of the first lines carries a slash with something on both sides."""
    tokens = [token for line in head[:50] for token in line.split()]
    slashed = sum("/" in token[1:-1] for token in tokens)
    # A token in ten may be faulty; it is then named by its line.
    return bool(tokens) and slashed >= 0.9 * len(tokens)


def check_separator(separator: str) -> str:
    """Refuse what is no single character."""
    if len(separator) != 1:
        raise UsageError(f"separator {separator!r} should be one character.")
    return separator


def read_slashed(source: Source, builder: Builder, separator: str) -> None:
    """Read one file; `\\/` in a word stands for the separator itself."""
    builder.begin_file(source.path)
    known = _Tokens(separator)
    columns: list[Ints] = [np.zeros(0, dtype=np.int32) for _ in ("word", *builder.names)]
    for batch in source.batches():
        words = builder.words
        tokens, ends, first_lines = array("q"), [], []
        for number, line in batch.lines():
            try:
                tokens.extend(map(known.__getitem__, line.split()))
            except _TokenError as fault:
                raise InputError(f"{source.path}:{number}: {fault}") from None
            if line.strip():
                ends.append(words + len(tokens))
                first_lines.append(number)
        # Words and labels of the tokens that are new.
        for index, strings in zip(range(len(columns)), (known.words, known.labels), strict=False):
            columns[index] = np.append(columns[index], builder.codes(index, strings))
            strings.clear()
        builder.add_codes([column[np.asarray(tokens)] for column in columns], ends, first_lines)
    builder.end_file()


class _TokenError(Exception):
    """What is wrong with a token, wherever it stands."""


class _Tokens(dict[str, int]):
    """Tokens to numbers: most of them occur more than once, and each is taken apart once."""

    def __init__(self, separator: str) -> None:
        super().__init__()
        self._separator = separator
        self.words: list[str] = []
        self.labels: list[str] = []

    def __missing__(self, token: str) -> int:
        separator = self._separator
        word, _, label = token.rpartition(separator)
        if not word or not label:
            other = "_" if separator == "/" else "/"
            raise _TokenError(
                f"{token!r} is not of the form word{separator}TAG. "
                f'Is the separator another? Try --input-format "slash(separator={other})"'
            )
        number = self[token] = len(self)
        self.words.append(word.replace("\\" + separator, separator))
        self.labels.append(label)
        return number
