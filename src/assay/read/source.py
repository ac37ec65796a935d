"""One file, or standard input, as batches of whole lines: decompressed, decoded, hashed in passing."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from assay.errors import InputError

BATCH = 1 << 20
_PEEK = 1 << 16


def expand(path: str) -> list[str]:
    """The files that a path, a folder or a glob pattern stands for, in a stable order."""
    if path == "-":
        return [path]
    target = Path(path)
    if target.is_dir():
        found = sorted(
            (file for file in target.rglob("*") if file.is_file() and not _hidden(file.relative_to(target))),
            key=lambda file: file.relative_to(target).as_posix(),
        )
        if not found:
            raise InputError(f"{path}: the folder holds no files.")
        return [str(file) for file in found]
    if not target.exists() and any(mark in path for mark in "*?["):
        import glob

        matches = sorted(match for match in glob.glob(path, recursive=True) if os.path.isfile(match))
        if not matches:
            raise InputError(f"{path}: no file matches this pattern.")
        return matches
    return [path]


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


class Source:
    """A file opened for reading once, from beginning to end."""

    def __init__(self, path: str) -> None:
        self.path = "<stdin>" if path == "-" else path
        self.line = 1
        """The number of the first line of the batch in hand."""
        self.tabs = 0
        """The tabs in the batch in hand (counting them in bytes is several times faster than in text)."""
        self._hash = hashlib.sha256()
        try:
            raw = sys.stdin.buffer if path == "-" else cast(BinaryIO, open(path, "rb"))
            start = raw.peek(6)[:6] if hasattr(raw, "peek") else b""
            self._file: BinaryIO = raw
            if start.startswith(b"\x1f\x8b"):
                self._file = cast(BinaryIO, gzip.GzipFile(fileobj=raw))
            elif start.startswith(b"\xfd7zXZ\x00"):
                self._file = cast(BinaryIO, lzma.LZMAFile(raw))
        except OSError as error:
            raise InputError(f"{self.path}: cannot be opened ({_reason(error)}).") from None
        self._ahead = self._read(_PEEK)
        if not self._ahead:
            raise InputError(f"{self.path}: the file is empty.")

    def head(self) -> list[str]:
        """The first whole lines, to tell the format by; nothing is consumed."""
        cut = self._ahead.rfind(b"\n") + 1 or len(self._ahead)
        return self._decode(self._ahead[:cut]).removeprefix("\ufeff").split("\n")

    @property
    def sha256(self) -> str:
        """The hash of what was read, after decompression: the same text gives the same hash."""
        return self._hash.hexdigest()

    def batches(self) -> Iterator[str]:
        """The text in pieces that end where a line ends, with plain line feeds and no byte-order mark."""
        first, rest, block = True, b"", self._ahead
        while block:
            self._hash.update(block)
            cut = block.rfind(b"\n") + 1
            if cut:
                data, rest = rest + block[:cut], block[cut:]
                yield self._batch(data, first)
                first = False
                self.line += data.count(b"\n")
            else:
                rest += block
            block = self._read(BATCH)
        if rest:
            yield self._batch(rest, first)
        self._file.close()

    def _batch(self, data: bytes, first: bool) -> str:
        self.tabs = data.count(b"\t")
        text = self._decode(data)
        return text.removeprefix("\ufeff") if first else text

    def _read(self, size: int) -> bytes:
        try:
            return self._file.read(size)
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            raise InputError(
                f"{self.path}: the compressed file is damaged or cut short ({error}). Copy or make it again."
            ) from None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({_reason(error)}).") from None

    def _decode(self, data: bytes) -> str:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.line + data.count(b"\n", 0, error.start)
            raise InputError(
                f"{self.path}:{line}: byte 0x{data[error.start]:02X} is not UTF-8. "
                f"Convert the file, e.g.: iconv -f latin1 -t utf-8 {self.path}"
            ) from None
        if b"\0" in data:
            line = self.line + data.count(b"\n", 0, data.index(b"\0"))
            raise InputError(f"{self.path}:{line}: a NUL byte, so this is not a text file.")
        return text.replace("\r\n", "\n") if b"\r" in data else text


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
