"""Every command and every piece of Python in the README and the guides runs as written."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("readme")
    subprocess.run(
        [sys.executable, "-m", "assay", "demo", "--copy", "demo-out"], cwd=path, check=True, capture_output=True
    )
    return path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_runs_as_written(page: Path, folder: Path) -> None:
    lines = [line for block in blocks(page, "sh") for line in block.splitlines() if line.strip()]
    assert lines
    for line in lines:
        assert shlex.split(line)[0] == "assay", line
        command = f"{shlex.quote(sys.executable)} -m {line}"
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout or " -o " in line, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_piece_of_python_runs_as_written(page: Path, folder: Path) -> None:
    for block in blocks(page, "python"):
        done = subprocess.run([sys.executable, "-c", block], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_measures_are_documented_as_their_docstrings_say() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    from make_docs import TARGET, document

    assert TARGET.read_text("utf-8") == document(), "run `make docs`"


def test_make_commands_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"^make (\S+)", (ROOT / "README.md").read_text("utf-8"), flags=re.MULTILINE):
        assert f"\n{target}:" in makefile
