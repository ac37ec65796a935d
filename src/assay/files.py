"""Files are written whole or not at all; what cannot be done is said in one line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.errors import InputError, reason


def write(path: str | Path, content: str | bytes) -> None:
    """Write a file whole or not at all; what is no file but a pipe or a device is written to as it is."""
    # Names of files need not be UTF-8, and may stand in the text.
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    with _refused(path, "written"):
        if _is_stream(path):
            Path(path).write_bytes(data)
        else:
            _replace(path, data)


def make_folder(folder: Path) -> None:
    """A folder with those above it, unless it is there."""
    with _refused(folder, "made"):
        folder.mkdir(parents=True, exist_ok=True)


def check_writable(path: str) -> None:
    """Refuse a file that cannot be written, before the work for it begins."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f"{path}: the folder {folder} does not exist.")
    replaced = Path(os.path.realpath(path)).parent
    if Path(path).is_dir() or not os.access(path if _is_stream(path) else replaced, os.W_OK):
        raise InputError(f"{path}: cannot be written.")


@contextmanager
def _refused(path: str | Path, what: str) -> Iterator[None]:
    """What the system does not allow, as a message to the user; a pipe that is closed is no such thing."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be {what} ({reason(error)}).") from None


def _is_stream(path: str | Path) -> bool:
    """Whether there is something here that must not be replaced by a file: a pipe, a device."""
    return Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()


def _replace(path: str | Path, data: bytes) -> None:
    import tempfile

    # A link stays one: what it points to is replaced.
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".assay-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
        os.chmod(temporary, mode & 0o777)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
