"""The command line run as a user runs it, in a folder with a few files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.demo import FOLDER
from commands import call, environment

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with gold, two systems and a list of known words, from the embedded example."""
    for name, source in (
        ("gold.conllu", "gold.conllu"),
        ("a.conllu", "nltk-tnt.conllu"),
        ("b.conllu", "hanta.conllu"),
        ("known.txt", "known-words.txt"),
    ):
        (tmp_path / name).write_bytes((FOLDER / "english" / source).read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(here: Path) -> Run:
    """Run `assay` in a process of its own, where it is about that."""

    def run(*arguments: str, stdin: bytes | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "assay", *arguments],
            cwd=here,
            env=environment(**env),
            input=stdin if stdin is not None else b"",
            capture_output=True,
            check=False,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        )

    return run


@pytest.fixture
def assay(here: Path) -> Run:
    """Run the command line within this process, which is faster."""
    return call
