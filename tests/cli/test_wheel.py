"""The wheel holds what is needed and nothing else, and installs and runs by itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def pip(python: str, *arguments: str) -> None:
    """Call pip; without a package index the test is skipped."""
    call = [python, "-m", "pip", arguments[0], "-q", *arguments[1:]]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        unreachable = (
            "No matching distribution",
            "Could not find a version",
            "No module named pip",
            "ConnectionError",
        )
        if any(reason in done.stderr for reason in unreachable):
            pytest.skip(f"a package cannot be fetched: {done.stderr.strip().splitlines()[-1]}")
        pytest.fail(done.stderr)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The built wheel, opened."""
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "--no-deps", "-w", str(folder), str(ROOT))
    (path,) = folder.glob("assay_nlp-*.whl")
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
    assert sum(item.file_size for item in wheel.infolist() if item.filename.startswith("assay/demo/")) < 640_000


def test_it_names_the_command_and_its_licence(wheel):
    (entry,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "assay = assay.__main__:main" in wheel.read(entry).decode()
    assert [name for name in wheel.namelist() if name.endswith("LICENSE")]


def test_its_description_needs_nothing_of_the_repository(wheel):
    (metadata,) = [name for name in wheel.namelist() if name.endswith("METADATA")]
    head, _, description = wheel.read(metadata).decode().partition("\n\n")
    assert "Name: assay-nlp\n" in head and "Description-Content-Type: text/markdown" in head
    assert "pip install assay-nlp" in description
    assert not re.findall(r"!\[|<img|\]\((?!https?:)", description)


def test_the_source_package_includes_what_its_tests_read():
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py"))
    read = set(re.findall(r'(?:ROOT|parents\[\d\]) / "([^"/]+)"', tests)) & {path.name for path in ROOT.iterdir()}
    assert {"bench", "mkdocs.yml", "action.yml"} <= read
    assert read - {"pyproject.toml"} <= {name.removeprefix("/") for name in targets["sdist"]["include"]}


@pytest.mark.slow
def test_the_source_package_passes_its_tests_of_pages_and_programs(tmp_path):
    call = [sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(call, check=True, capture_output=True, timeout=300)
    (path,) = tmp_path.glob("assay_nlp-*.tar.gz")
    shutil.unpack_archive(path, tmp_path, filter="data")
    folder = path.with_name(path.name.removesuffix(".tar.gz"))
    tests = ["tests/test_readme.py", "tests/test_action.py", "tests/test_bench.py", "tests/test_layers.py"]
    call = [sys.executable, "-m", "pytest", "-q", *tests]
    source = {**os.environ, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(call, cwd=folder, env=source, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_it_installs_and_runs_in_an_environment_of_its_own(wheel, tmp_path):
    venv.create(tmp_path / "fresh", with_pip=True)
    programs = tmp_path / "fresh" / "bin"
    pip(str(programs / "python"), "install", str(wheel.filename))
    call = [str(programs / "assay"), "demo", "--language", "english", "--html", "pages", "--copy", "copy"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "pages" / "english.html").exists() and (tmp_path / "copy" / "english" / "gold.conllu").exists()
