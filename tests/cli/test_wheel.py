"""The wheel holds what is needed and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The built wheel, opened."""
    folder = tmp_path_factory.mktemp("wheel")
    call = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", str(folder), str(ROOT)]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=90)
    if done.returncode:
        unreachable = (
            "No matching distribution",
            "Could not find a version",
            "No module named pip",
            "ConnectionError",
        )
        if any(reason in done.stderr for reason in unreachable):
            pytest.skip(f"the build backend cannot be fetched: {done.stderr.strip().splitlines()[-1]}")
        pytest.fail(done.stderr)
    (path,) = folder.glob("assay-*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_it_is_pure_python(wheel):
    assert Path(wheel.filename).name.endswith("-py3-none-any.whl")


@pytest.mark.parametrize(
    "name",
    [
        "assay/py.typed",
        "assay/render/assets/page.css",
        "assay/demo/english/gold.conllu",
        "assay/demo/english/hanta.conllu",
        "assay/demo/german/gold.conllu",
        "assay/demo/german/known-words.txt",
        "assay/demo/entities/gold.tsv",
        "assay/demo/trees/gold.mrg",
        "assay/cli/__init__.py",
        "assay/__main__.py",
    ],
)
def test_it_holds_what_the_program_needs(wheel, name):
    assert name in wheel.namelist()


def test_it_holds_every_file_of_the_package(wheel):
    source = ROOT / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in (source / "assay").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in wheel.namelist() if name.startswith("assay/")} == files


def test_it_holds_nothing_else(wheel):
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"assay"}
    assert not [name for name in wheel.namelist() if "test" in name or "shared" in name or name.endswith(".pyc")]


def test_the_demo_is_small(wheel):
    assert sum(item.file_size for item in wheel.infolist() if item.filename.startswith("assay/demo/")) < 600_000


def test_it_names_the_command_and_its_licence(wheel):
    (entry,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "assay = assay.__main__:main" in wheel.read(entry).decode()
    assert [name for name in wheel.namelist() if name.endswith("LICENSE")]
