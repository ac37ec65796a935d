"""Unit tests run in a folder of their own, so that messages name short, relative paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own folder is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def file(in_folder: Path) -> Callable[[str, str | bytes], str]:
    """Write a small file; returns its name."""

    def write(name: str, content: str | bytes) -> str:
        path = in_folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return name

    return write
