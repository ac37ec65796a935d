"""`word/TAG word/TAG …`: one sentence per line, cut at the last separator of each token."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import InputError
from assay.readers.builder import Builder
from assay.readers.source import Source


def looks_slashed(head: Sequence[str]) -> bool:
    """Nearly every token of the first lines carries a slash with something on both sides."""
    tokens = [token for line in head[:50] for token in line.split()]
    slashed = sum("/" in token[1:-1] for token in tokens)
    # A token in ten may be faulty; it is then named by its line.
    return bool(tokens) and slashed >= 0.9 * len(tokens)


def read_slashed(source: Source, separator: str, builder: Builder) -> None:
    """Read one file; `\\/` in a word stands for the separator itself."""
    builder.begin_file(source.path)
    words = builder.words
    for batch in source.batches():
        flat: list[str] = []
        ends: list[int] = []
        first_lines: list[int] = []
        for number, line in batch.lines():
            for token in line.split():
                word, found, label = token.rpartition(separator)
                if not found or not word or not label:
                    other = "_" if separator == "/" else "/"
                    raise InputError(
                        f"{source.path}:{number}: {token!r} is not of the form word{separator}TAG. "
                        f'Is the separator another? Try --input-format "slash(separator={other})"'
                    )
                flat += (word.replace("\\" + separator, separator), label)[: len(builder.names) + 1]
                words += 1
            if line.strip():
                ends.append(words)
                first_lines.append(number)
        builder.add(flat, ends, first_lines)
    builder.end_file()
