"""One coordinator per store: a lock that the system lets go of when its holder ends, however it ends."""

from __future__ import annotations

import json
import os
import platform
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.errors import InputError, UsageError, reason


@dataclass(frozen=True)
class Holder:
    """Who coordinates an experiment."""

    token: str
    host: str
    pid: int
    started: float
    jobs: str
    """How many runs at a time, or which cluster."""

    @property
    def told(self) -> str:
        """In words."""
        moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.started))
        return f"process {self.pid} on {self.host}, since {moment}"


def lock_path(store: Path) -> Path:
    """The file of the lock."""
    return store.with_name(f"{store.name}.lock")


@contextmanager
def locked(store: Path, jobs: str) -> Iterator[Holder]:
    """Hold the lock; UsageError where somebody else does."""
    path = lock_path(store)
    handle = _open(path)
    try:
        if not _taken_soon(handle, path):
            holder = _holder(path)
            who = f": {holder.told}" if holder else ""
            raise UsageError(f"{store.name}: this experiment is being run already{who}. See: assay experiment status")
        me = Holder(secrets.token_hex(4), platform.node(), os.getpid(), time.time(), jobs)
        _write(handle, path, json.dumps(asdict(me)))
        try:
            yield me
        finally:
            # Workers elsewhere look here whether they are still wanted.
            _write(handle, path, "")
    finally:
        os.close(handle)


def running(store: Path) -> Holder | None:
    """Who coordinates at this moment."""
    path = lock_path(store)
    if not path.exists():
        return None
    handle = _open(path)
    try:
        return None if _taken(handle, path) else _holder(path)
    finally:
        os.close(handle)


def is_wanted(path: str, token: str) -> bool:
    """Whether the coordinator of this token still coordinates, as far as the file tells."""
    holder = _holder(Path(path))
    return holder is not None and holder.token == token


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({reason(error)}).") from None


def _taken(handle: int, path: Path) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise InputError(
            f"{path}: files cannot be locked here ({reason(error)}). Keep the store on another file system: store = …"
        ) from None
    return True


def _taken_soon(handle: int, path: Path) -> bool:
    """Try some times, as somebody who only looks who holds it holds it for a moment."""
    for _ in range(5):
        if _taken(handle, path):
            return True
        time.sleep(0.1)
    return False


def _write(handle: int, path: Path, text: str) -> None:
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, text.encode(), 0)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({reason(error)}).") from None


def _holder(path: Path) -> Holder | None:
    """What the file says; nothing where it is empty or being written."""
    try:
        return Holder(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
