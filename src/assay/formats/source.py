"""One file, or standard input, as batches of whole lines: decompressed, decoded, hashed in passing."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, BinaryIO, cast
from xml.parsers import expat

from assay.classes import dataclass
from assay.errors import InputError, describe_os_error
from assay.formats.arrow import TABLES, show_table

if TYPE_CHECKING:
    from lzma import LZMAFile

BATCH = 1 << 21
_PEEK = 1 << 16
_LONGEST_LINE = 1 << 26
"""The most bytes of a first line that are read to tell the format …"""
_LONGEST_LIST = 1 << 18
"""… and those of a list of JSON in one line, of which the first members are enough."""
_MUCH = 1 << 28
_DENSEST = 100
"""A file that unpacks to more than both is no text: texts shrink to a tenth or so."""
ANNOTATIONS = ".ann"
"""Files of this name contain annotations of the text beside them, and contain nothing if there are none."""
ZIP = "PK\x03\x04"
"""The first characters of a zip."""
DOCBIN = ".spacy"
"""The ending of files of spaCy."""
_ANNOTATED = "Give the file with the annotations (assay formats lists the formats)."
_NO_TEXT = {
    "\xd0\xcf\x11\xe0": "this is a Word or Excel file. Save tables as CSV, and texts as plain text.",
    "%PDF": "this is a PDF. Save its text in a file.",
    "{\\rtf": "this is an RTF document. Save it as plain text.",
    **dict.fromkeys(("\x89PNG", "\xff\xd8\xff", "GIF89a", "GIF87a"), f"this is a picture. {_ANNOTATED}"),
    **dict.fromkeys(("\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"), f"this is a Python pickle. {_ANNOTATED}"),
    **dict.fromkeys(("\x93NUMPY", "\x89HDF"), f"contains arrays of numbers. {_ANNOTATED}"),
    "SQLite format 3": f"this is an SQLite database. {_ANNOTATED}",
    "BZh91AY&SY": "this file is compressed with bzip2, which assay does not read. Decompress it first: bunzip2",
    "7z\xbc\xaf": "this file is compressed as 7z, which assay does not read. Decompress it first.",
    "(\xb5/\xfd": "this file is compressed with zstd, which assay does not read. Decompress it first: unzstd",
}
"""What is not read, by the first characters."""
OFFICE = {
    "xl/workbook.xml": "this is an Excel file. Save it as CSV.",
    "word/document.xml": "this is a Word file. Save it as plain text, or its tables as CSV.",
    "[Content_Types].xml": "this is an Office document. Save tables as CSV, and texts as plain text.",
    "mimetype": "this is a LibreOffice document or an e-book. Save tables as CSV, and texts as plain text.",
}
"""Documents that are zip files, by the name of a member."""
_LARGEST_MEMBER = 1 << 31
_NO_FOLDERS = ("header.json", "_journal/", "samples/", "summaries.json", "reductions.json", *OFFICE)
"""Zip files with members of these names are logs of Inspect, or documents of Office."""
_PATTERN = re.compile(r"[*?\[]")


_SPLITS = "dataset_dict.json"
"""The file of Hugging Face that names the parts of a data set."""


def list_files(path: str) -> list[str]:
    """The files that a path, a folder or a glob pattern stands for, in a stable order."""
    if path == "-":
        return [path]
    target = Path(path)
    if target.is_dir() or is_archive(path):
        try:
            below = _below(str(target)) if target.is_dir() else [path]
            inside = (_list_archive(file) if _is_packed(file, path) else [file] for file in below)
            files = sorted(chain.from_iterable(inside), key=lambda file: file.replace(os.sep, "/"))
        except OSError as error:
            raise InputError(f"{error.filename or path}: cannot be read ({describe_os_error(error)}).") from None
        if not files:
            raise InputError(f"{path}: the folder contains no files.")
    elif not target.exists() and _PATTERN.search(path):
        import glob

        files = sorted(match for match in glob.glob(path, recursive=True) if os.path.isfile(match))
        if not files:
            raise InputError(f"{path}: no file matches this pattern.")
    else:
        return [path]
    # If there are annotations of texts, these alone: the texts are read with them, settings are not. Beside tables of
    # Arrow, Hugging Face saves what describes them, and keeps results of its own.
    tables = [file for file in files if file.endswith(".arrow") and not os.path.basename(file).startswith("cache-")]
    if tables and any(os.path.basename(file) == _SPLITS for file in files):
        raise InputError(f"{path}: a data set in several parts. Name one: {os.path.dirname(tables[0])}")
    return [file for file in files if file.endswith(ANNOTATIONS)] or tables or files


def find_folder(path: str) -> str | None:
    """The folder below which the files of a folder or a glob pattern are named; a single file has none."""
    if Path(path).is_dir() or is_archive(path):
        return path
    pattern = None if Path(path).exists() else _PATTERN.search(path)
    return os.path.dirname(path[: pattern.start()]) or "." if pattern else None


def name_below(folder: str, file: str) -> str:
    """The name of a file below a folder, with slashes."""
    inside = os.path.join(folder, "")
    # Nearly all names begin so, and are many.
    is_plain = file.startswith(inside) and "/." not in file and "//" not in file
    name = file[len(inside) :] if is_plain else os.path.relpath(file, folder)
    return name.replace(os.sep, "/")


def _below(folder: str) -> Iterator[str]:
    """The files in a folder and those within it, but for hidden ones; a folder that cannot be read is an error."""

    def stop(error: OSError) -> None:
        raise error

    for place, folders, names in os.walk(folder, onerror=stop):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = os.path.join(place, "").removeprefix(os.path.join(os.curdir, ""))
        files = (inside + name for name in names if not name.startswith("."))
        # The second says why a file cannot be looked at.
        yield from (file for file in files if os.path.isfile(file) or Path(file).is_file())


# --- zip files ---


@contextmanager
def _unpacking(path: str) -> Iterator[None]:
    """Refuse a file in a zip file, or that itself, if it cannot be read."""
    import struct
    import zipfile

    faults = (ArithmeticError, EOFError, LookupError, RuntimeError, ValueError, struct.error, zlib.error)
    try:
        yield
    except (*faults, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: cannot be unpacked ({error}). Copy or make it again.") from None


def is_archive(path: str) -> bool:
    """True for a zip file that stands for a folder, not for a log of Inspect or a document of Office."""
    # A pipe is opened only once.
    if not os.path.isfile(path):
        return False
    with suppress(OSError, InputError), open(path, "rb") as file:
        if file.read(len(ZIP)) == ZIP.encode("latin-1"):
            import zipfile

            with _unpacking(path), zipfile.ZipFile(path) as archive:
                return not any(name.startswith(_NO_FOLDERS) for name in archive.namelist())
    return False


def _is_packed(file: str, given: str) -> bool:
    """True for the zip file that was given, and for those in a folder that are named so."""
    return (file == given or file.endswith(".zip")) and is_archive(file)


def _list_archive(path: str, content: BinaryIO | None = None) -> Iterator[str]:
    """The files in a zip file and those in zip files within it, under names as if it were a folder."""
    import zipfile

    with _unpacking(path), zipfile.ZipFile(content or path) as archive:
        for name in archive.namelist():
            parts = name.split("/")
            if any(part.startswith((".", "__MACOSX")) for part in parts) or not parts[-1]:
                continue
            inner = os.path.join(path, *parts)
            if name.endswith(".zip") and content is None:
                with open_file(inner) as packed:
                    yield from _list_archive(inner, packed)
            else:
                yield inner


def _outermost(path: str) -> str:
    """The file on the disk: a zip file for one in it."""
    while not os.path.lexists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return path


def open_file(path: str) -> BinaryIO:
    """A file, or one in a zip file, of which nothing is written to the disk."""
    outer = _outermost(path)
    if outer == path or not os.path.isfile(outer):
        return cast(BinaryIO, open(path, "rb"))
    inside, content = os.path.relpath(path, outer).replace(os.sep, "/"), None
    import zipfile

    with _unpacking(path):
        while True:
            with zipfile.ZipFile(content or outer) as archive:
                within = f"{inside.partition('.zip/')[0]}.zip"
                info = archive.getinfo(within if inside.startswith(f"{within}/") else inside)
                if info.file_size > _LARGEST_MEMBER:
                    raise InputError(f"{path}: over 2 GiB within a zip file. Unpack it first.")
                if info.file_size > max(_MUCH, _DENSEST * info.compress_size):
                    raise InputError(f"{path}: packed more densely than any text is. Unpack it first.")
                if info.filename == inside:
                    return cast(BinaryIO, archive.open(info))
                content, inside = io.BytesIO(archive.read(info)), inside.removeprefix(f"{within}/")


@dataclass(frozen=True)
class Batch:
    """Whole lines of a file, with plain line feeds, and the number of the first of them."""

    data: bytes
    line: int
    path: str

    @cached_property
    def text(self) -> str:
        """The lines decoded; a byte that is not UTF-8 is refused with its line."""
        return decode(self.data, self.path, self.line)

    def strings(self) -> list[str]:
        """The lines."""
        lines = self.text.split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers in the file."""
        return enumerate(self.strings(), self.line)


@dataclass(frozen=True)
class Piece:
    """A stretch of a large file, which ends where a sentence ends."""

    begin: int
    """Its first byte in the text …"""
    end: int
    """… and the one after its last."""
    line: int
    """The number of its first line."""
    first: int
    """The number of sentences before it …"""
    sentences: int
    """… of those in it …"""
    documents: int
    """… and of documents."""
    continues: bool
    """True if its first document began before."""
    state: tuple[int, ...]
    """The state of the file when it was cut."""


class Source:
    """A file, a piece of it or standard input, to be read once; files do not stay open before or after."""

    def __init__(
        self, path: str, folder: str | None = None, document: str = "", piece: Piece | None = None
    ) -> None:
        self._name = path
        self._document = document
        """The name of the only document in it, if that is not the file's."""
        self.path = "<stdin>" if path == "-" else path.replace("\n", "\\n")
        """Its name in messages, which are of one line."""
        self.folder = folder
        """The folder that was given, if this is one of several files in it."""
        self._line = 1
        self._content = b""
        self._hash = hashlib.sha256()
        self.state: tuple[int, ...] | None = piece.state if piece else None
        """Identity of the file and its state, to notice that it was written to; a pipe has none."""
        self.piece = piece
        self._left: int | None = None
        """The number of bytes of the piece that are not read yet; None in a whole file."""
        self._file = self._open()
        try:
            blocks = [self._read(_PEEK)]
            self._is_list = blocks[0].lstrip(b"\xef\xbb\xbf \t").startswith(b"[")
            longest, size = (_LONGEST_LIST, _LONGEST_LIST) if self._is_list else (_LONGEST_LINE, BATCH)
            while b"\n" not in blocks[-1] and sum(map(len, blocks)) < longest and (more := self._read(size)):
                blocks.append(more)
            self._ahead = b"".join(blocks)
        finally:
            if path != "-" and self.state is not None:
                # It is opened again when its turn comes, which a pipe cannot be.
                self.close()
        # An answer of a model that is a file of its own may be empty, as annotations are.
        if not self._ahead and not path.endswith((ANNOTATIONS, ".txt") if folder is not None else ANNOTATIONS):
            raise InputError(f"{self.path}: the file is empty. Did the program that writes it stop with an error?")
        is_text = b"\0" not in self._ahead and not self._kind(self._ahead)
        if b"\r" in self._ahead and b"\n" not in self._ahead and is_text:
            raise InputError(
                f"{self.path}:1: lines end with CR alone, as they once did on Macs. "
                f"Convert the file: tr '\\r' '\\n' < {self.path} > new"
            )

    def _open(self) -> BinaryIO:
        if self._name == "-" and sys.stdin is None:
            raise InputError(f"{self.path}: cannot be read, because it is closed.")
        try:
            self._raw = raw = sys.stdin.buffer if self._name == "-" else open_file(self._name)
            start = raw.peek(6)[:6] if hasattr(raw, "peek") else b""
        except OSError as error:
            hint = _name_near(self._name) if isinstance(error, FileNotFoundError) else ""
            raise InputError(f"{self.path}: cannot be opened ({describe_os_error(error)}).{hint}") from None
        self._check_unchanged()
        if start.startswith(b"\x1f\x8b"):
            return cast(BinaryIO, _Unpacked(raw, self.path, lambda file: gzip.GzipFile(fileobj=file)))
        if start.startswith(b"\xfd7zXZ\x00"):
            import lzma

            return cast(BinaryIO, _Unpacked(raw, self.path, lzma.LZMAFile))
        return raw

    def _check_unchanged(self) -> None:
        before, self.state = self.state, None
        with suppress(OSError):
            in_archive = self._name != "-" and _outermost(self._name) != self._name
            status = os.stat(_outermost(self._name)) if in_archive else os.fstat(self._raw.fileno())
            if stat.S_ISREG(status.st_mode):
                self.state = (status.st_ino, status.st_size, status.st_mtime_ns)
        if before not in (None, self.state):
            self._raw.close()
            raise InputError(f"{self.path}: changed while it was read. Run again when it is complete.")

    def head(self) -> list[str]:
        """The first whole lines, to tell the format by, or the first characters of a file that is no text."""
        if kind := self._kind(self._ahead):
            self._refuse_office(kind)
            return [kind, *(show_table(self) if kind in TABLES else ())]
        cut = self._ahead.rfind(b"\n") + 1 or len(self._ahead)
        if self._ahead.startswith(b"<?xml") and b"\n" not in self._ahead[: cut - 1]:
            # XML is often one line after that of its declaration.
            cut = self._ahead.rfind(b">") + 1
        is_cut = self._is_list and cut >= _LONGEST_LIST and b"\n" not in self._ahead
        return self._batch(_close_list(self._ahead) if is_cut else self._ahead[:cut]).text.split("\n")

    def _kind(self, data: bytes) -> str:
        """The kind of a file that is no text, by its first bytes or its ending; nothing for a text."""
        start = data[:8].decode("latin-1")
        is_docbin = self._name.endswith(DOCBIN) or _is_docbin(data)
        return next((kind for kind in (*TABLES, ZIP) if start.startswith(kind)), DOCBIN if is_docbin else "")

    def _refuse_office(self, kind: str) -> None:
        """Refuse a document of Office, which is a zip file."""
        if kind == ZIP:
            import zipfile

            with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(self.content())) as archive:
                members = archive.namelist()
                if what := next((what for member, what in OFFICE.items() if member in members), ""):
                    raise InputError(f"{self.path}: {what}")

    @property
    def sha256(self) -> str:
        """The hash of what was read, after decompression: the same text gives the same hash."""
        return self._hash.hexdigest()

    def batches(self) -> Iterator[Batch]:
        """The text in pieces of whole lines, with plain line feeds and no byte-order mark."""
        rest: list[bytes] = []
        try:
            for block in self.blocks():
                cut = block.rfind(b"\n") + 1
                if cut:
                    data = b"".join([*rest, block[:cut]])
                    rest.clear()
                    yield self._batch(data)
                    self._line += data.count(b"\n")
                rest.append(block[cut:])
            if any(rest):
                yield self._batch(b"".join(rest))
        finally:
            self.close()

    def blocks(self) -> Iterator[bytes]:
        """The bytes of the text, in blocks of any length."""
        if self._file.closed:
            self._file = self._open()
            if self.piece is not None:
                self._file.seek(self.piece.begin)
                self._line, self._left = self.piece.line, self.piece.end - self.piece.begin
            self._ahead = self._read(BATCH)
        block = self._ahead
        while block:
            if self.piece is None:
                self._hash.update(block)
            yield block
            block = self._read(BATCH)
        self._check_unchanged()

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers."""
        return (row for batch in self.batches() for row in batch.lines())

    def content(self) -> bytes:
        """All bytes, of a file that is no text."""
        if not self._content:
            before = self._ahead
            if self._file.closed:
                self._file, before = self._open(), b""
            self._content = before + b"".join(iter(lambda: self._read(BATCH), b""))
            self._hash.update(self._content)
            self.close()
        return self._content

    def beside(self, ending: str) -> str:
        """The text of the file of this name with another ending, its line ends as they are; it is hashed too."""
        path = os.path.splitext(self._name)[0] + ending
        try:
            with open_file(path) as file:
                data = file.read()
        except OSError as error:
            raise InputError(
                f"{self.path}: its text {path} cannot be opened ({describe_os_error(error)}). Put it into the folder "
                "of the annotations."
            ) from None
        self._hash.update(data)
        return decode(data, path, 1)

    @property
    def stem(self) -> str:
        """The name below the folder that was given, without its ending, or that of the document."""
        if self._document:
            return self._document
        name = name_below(self.folder, self._name) if self.folder else os.path.basename(self._name)
        return os.path.splitext(name)[0]

    def close(self) -> None:
        """Leave nothing open, whether all was read or not."""
        self._file.close()

    def _batch(self, data: bytes) -> Batch:
        if self._line == 1 and (kind := self._kind(data)):
            what = {ZIP: "zip archive", DOCBIN: "spaCy DocBin"}.get(kind, "table of Parquet or Arrow")
            raise InputError(f"{self.path} is a {what}, not a text file. Remove --task or --input-format, if given.")
        start = data[:16].decode("latin-1") if self._line == 1 else ""
        if what := next((what for first, what in _NO_TEXT.items() if start.startswith(first)), ""):
            raise InputError(f"{self.path}: {what}")
        if b"\0" in data:
            if data.startswith((b"\xff\xfe", b"\xfe\xff")) and self._line == 1:
                raise InputError(
                    f"{self.path}:1: UTF-16. Convert the file: iconv -f utf-16 -t utf-8 {self.path} > new"
                )
            line = self._line + data.count(b"\n", 0, data.index(b"\0"))
            if self._line == 1 and data[257:262] == b"ustar":
                raise InputError(f"{self.path}: this is a tar archive. Unpack it first: tar xf {self.path}")
            raise InputError(f"{self.path}:{line}: a NUL byte, so this is not a text file. {_ANNOTATED}")
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        return Batch(data.removeprefix(b"\xef\xbb\xbf") if self._line == 1 else data, self._line, self.path)

    def _read(self, size: int) -> bytes:
        # The modules for xz and zip are loaded only for such files.
        modules = (("lzma", "LZMAError"), ("zipfile", "BadZipFile"))
        others = [getattr(sys.modules[name], fault) for name, fault in modules if name in sys.modules]
        try:
            data = self._file.read(size if self._left is None else min(size, self._left))
            self._left = None if self._left is None else self._left - len(data)
            return data
        except (EOFError, zlib.error, gzip.BadGzipFile, *others) as error:
            raise InputError(
                f"{self.path}: the compressed file is damaged or cut short ({error}). Copy or make it again."
            ) from None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({describe_os_error(error)}).") from None


def _name_near(path: str) -> str:
    """A question after a blank: which file of the same folder may be meant; nothing if none has such a name."""
    import difflib

    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    with suppress(OSError):
        near = difflib.get_close_matches(name, os.listdir(folder or "."), n=3, cutoff=0.7)
        near = [other for other in near if difflib.get_close_matches(stem, [os.path.splitext(other)[0]], cutoff=0.75)]
        return "".join(f" Did you mean {os.path.join(folder, other)}?" for other in near[:1])
    return f" There is no folder {folder}."


def _close_list(data: bytes) -> bytes:
    """A list of JSON that is cut off somewhere, closed after its last whole member."""
    text, decode, between = data.decode("utf-8", "ignore"), json.JSONDecoder().raw_decode, re.compile(r"[\s,]*+")
    end = text.index("[") + 1
    with suppress(ValueError, RecursionError):
        while match := between.match(text, end):
            _, end = decode(text, match.end())
    return f"{text[:end]}]".encode()


def _is_docbin(start: bytes) -> bool:
    """True if packed bytes begin as those of spaCy's DocBin."""
    with suppress(zlib.error):
        return start[:1] == b"x" and b"\xa5attrs" in zlib.decompressobj().decompress(start, 100)
    return False


def decode(data: bytes, path: str, line: int) -> str:
    """Bytes that begin in a line of a file as text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise InputError(
            f"{path}:{line}: byte 0x{data[error.start]:02X} is not UTF-8. "
            f"Convert the file, e.g.: iconv -f latin1 -t utf-8 {path}"
        ) from None


class _Unpacked:
    """A decompressing reader that also closes the packed file, and refuses files that unpack to far too much."""

    def __init__(self, raw: BinaryIO, path: str, unpack: Callable[[BinaryIO], gzip.GzipFile | LZMAFile]) -> None:
        self._raw, self._path = raw, path
        self._taken = self._given = 0
        self._reader = unpack(cast(BinaryIO, SimpleNamespace(read=self._read_raw)))

    def _read_raw(self, size: int = -1) -> bytes:
        data = self._raw.read(size)
        # A pipe cannot tell how many bytes of it were read.
        self._taken += len(data)
        return data

    def read(self, size: int) -> bytes:
        data = self._reader.read(size)
        self._given += len(data)
        if self._given > _MUCH and self._given > _DENSEST * self._taken:
            raise InputError(
                f"{self._path}: over {_MUCH >> 20} MB so far out of {self._taken:,} bytes, which no annotated "
                "text is compressed to. If it is meant so, decompress it first."
            )
        return data

    def close(self) -> None:
        self._reader.close()
        self._raw.close()

    @property
    def closed(self) -> bool:
        return self._raw.closed


# --- XML ---


class XmlStream:
    """A file of XML, for whose elements functions are called.

    Nothing outside the file is loaded, and entities of its own are refused.
    """

    def __init__(
        self,
        source: Source,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None],
        characters: Callable[[str], None] | None = None,
        *,
        doctype: bool = True,
    ) -> None:
        self._source = source
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        # Says no to external DTDs even if Python is built with another default.
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler, parser.EndElementHandler = start, end
        if characters is not None:
            parser.CharacterDataHandler = characters
        if not doctype:
            parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.EntityDeclHandler = self._entity_declared
        parser.SkippedEntityHandler = self._entity_skipped

    @property
    def line(self) -> int:
        """The line that is being read."""
        return self._parser.CurrentLineNumber

    def read(self) -> None:
        """Read all of it."""
        try:
            for batch in self._source.batches():
                # Text, not bytes: it is UTF-8 by now, whatever the declaration says.
                self._parser.Parse(batch.text, False)
            self._parser.Parse("", True)
        except expat.ExpatError as error:
            fault = expat.ErrorString(error.code)
            remedy = "In text, & is written &amp; and < is written &lt;"
            if fault in (expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN):
                remedy = "Is the file cut short? Copy or make it again."
            elif fault == expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
                remedy = "Are these several documents in one file? Give each its own file in one folder."
            place = f"{self._source.path}:{error.lineno}"
            raise InputError(f"{place}: not well-formed XML ({fault}). {remedy}") from None

    def _refuse_doctype(self, *_: object) -> None:
        raise InputError(f"{self._source.path}:{self.line}: has a DOCTYPE, which is not allowed here. Remove it.")

    def _entity_declared(self, name: str, *_: object) -> None:
        # A few nested entities make gigabytes, and external ones read other files.
        raise InputError(
            f"{self._source.path}:{self.line}: declares the entity {name!r}, which is not allowed here. "
            "Write the text itself in its place."
        )

    def _entity_skipped(self, name: str, is_parameter: bool) -> None:
        mark = "%" if is_parameter else "&"
        raise InputError(
            f"{self._source.path}:{self.line}: the entity {mark}{name}; is declared nowhere in the file, and DTDs "
            "are not loaded. Write the character itself in its place."
        )
