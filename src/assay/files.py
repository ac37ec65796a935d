"""Files are written whole or not at all, and never over an input; errors are of one line."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType

from assay.errors import InputError, UsageError, describe_os_error

_DATABASE = b"SQLite format 3\0"
_INPUTS: ContextVar[Mapping[tuple[int, int], str]] = ContextVar("inputs", default=MappingProxyType({}))
"""The inputs of the command under way, by device and number: a file has one of these under all of its names."""


@contextmanager
def protect_inputs(paths: Iterable[str | Path]) -> Iterator[None]:
    """Within this, these files, and folders with all that is in them, are not written to by whatever name."""
    keys = ((_key(path), "standard input" if path == "-" else str(path)) for path in paths)
    found = {key: name for key, name in keys if key is not None}
    token = _INPUTS.set({**_INPUTS.get(), **found})
    try:
        yield
    finally:
        _INPUTS.reset(token)


def _key(path: str | Path) -> tuple[int, int] | None:
    """Device and number of a file or folder; None for pipes and devices, and if there is nothing."""
    try:
        status = os.fstat(0) if path == "-" else os.stat(path)
    except (OSError, ValueError):
        return None
    kept = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return (status.st_dev, status.st_ino) if kept else None


def check_allowed(path: str | Path) -> None:
    """Refuse to write to an input, into a folder given as input, or over a database."""
    target = Path(os.path.realpath(path))
    for place in (target, *target.parents):
        key = _key(place)
        if key is not None and key in _INPUTS.get():
            given = _INPUTS.get()[key]
            if place != target:
                fact = f"lies in {given}, which is given as input"
            else:
                fact = "is given as input" if str(path) == given else f"is {given}, which is given as input"
            raise InputError(f"{path}: {fact}. Choose another name, so that no input is overwritten.")
    with suppress(OSError):
        if target.is_file():
            with target.open("rb") as stream:
                is_database = stream.read(len(_DATABASE)) == _DATABASE
            if is_database:
                raise InputError(f"{path}: this is a database, such as a store of runs. Choose another name.")


def write(path: str | Path, content: str | bytes | Iterable[str]) -> None:
    """Write a file whole or not at all, from one text or from pieces of it; what is no file but a pipe or a device is
    written to as it is."""
    check_allowed(path)
    pieces = [content] if isinstance(content, str | bytes) else content
    # The text may contain names of files, which need not be UTF-8.
    data = (piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace") for piece in pieces)
    with _refused(path, "written"):
        if is_stream(path):
            with Path(path).open("wb") as stream:
                stream.writelines(data)
        else:
            _replace(path, data)


def make_folder(folder: Path) -> None:
    """A folder with those above it, unless it is there."""
    with _refused(folder, "made"):
        folder.mkdir(parents=True, exist_ok=True)


def write_into(folder: Path, contents: Mapping[Path, str | bytes]) -> list[Path]:
    """Write files into a folder, and make the folders for them; their paths."""
    for place in dict.fromkeys((folder, *(path.parent for path in contents))):
        make_folder(place)
    for path, content in contents.items():
        write(path, content)
    return list(contents)


def write_files(texts: Mapping[str, str | bytes], path: str | None) -> None:
    """Write texts into files of a new folder or, if only their endings differ, next to the file that is named.

    A single text without a name is the file itself.
    """
    if not path:
        raise UsageError(f"the output has {len(texts)} files. Give a folder: -o FOLDER")
    if "" in texts:
        write(path, texts[""])
        return
    endings = {Path(name).suffix for name in texts}
    beside = len(endings) == len(texts) and Path(path).suffix in endings
    places = {name: Path(path).with_suffix(Path(name).suffix) if beside else Path(path, name) for name in texts}
    folders = {folder for place in places.values() for folder in place.parents}
    for place in places.values():
        if place in folders:
            raise UsageError(f"{place}: one document needs a file of this name, another a folder.")
        if place.exists():
            raise UsageError(f"{place}: already exists. Choose another name.")
    for name, place in places.items():
        make_folder(place.parent)
        write(place, texts[name])


def check_writable(path: str) -> None:
    """Refuse a file that cannot or must not be written, before the work for it begins."""
    check_allowed(path)
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f"{path}: the folder {folder} does not exist. Make it: mkdir -p {folder}")
    replaced = Path(os.path.realpath(path)).parent
    if Path(path).is_dir():
        raise InputError(f"{path}: this is a folder. Choose another name.")
    if not os.access(path if is_stream(path) else replaced, os.W_OK):
        raise InputError(f"{path}: cannot be written.")


@contextmanager
def _refused(path: str | Path, what: str) -> Iterator[None]:
    """Turn errors of the system, except for a closed pipe, into messages to the user."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be {what} ({describe_os_error(error)}).") from None


def is_stream(path: str | Path) -> bool:
    """True for what must not be replaced by a file: a pipe, a device."""
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()


def _replace(path: str | Path, data: Iterable[bytes]) -> None:
    import tempfile

    # A link stays one: what it points to is replaced.
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".assay-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(data)
        mask = os.umask(0)
        os.umask(mask)
        mode = target.stat().st_mode if target.exists() else 0o666 & ~mask
        os.chmod(temporary, mode & 0o777)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
