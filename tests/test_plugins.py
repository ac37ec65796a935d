"""Parts from outside the tree are found by their entry points, and take part in everything."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GOLD = [f"{name};name={name};age={age}" for age, name in enumerate("abcdefgh")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forms of gold and of two systems, of which one has two ages wrong and adds a field."""
    path = tmp_path_factory.mktemp("forms")
    wrong = ["a;name=a;age=99", *GOLD[1:3], "d;name=d;age=99", GOLD[4], f"{GOLD[5]};height=3", *GOLD[6:]]
    right = [GOLD[1], GOLD[0], *GOLD[2:]]
    # The same field in the same place, with another value that gold does not have.
    other = ["a;name=a;age=98", *GOLD[1:]]
    for name, forms in (("gold", GOLD), ("right", right), ("wrong", wrong), ("other", other)):
        (path / f"{name}.forms").write_text("".join(f"{form}\n" for form in forms))
    return path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a process that has the package."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests" / "plugins")])
    environment = {**os.environ, "PYTHONPATH": paths, "NO_COLOR": "1"}
    command = [sys.executable, "-m", "assay", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_task_a_format_and_a_measure_of_another_package(folder: Path) -> None:
    done = run(folder, "compare", "gold.forms", "right.forms", "wrong.forms", "--format", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["about"]["task"] == "fields"
    overall = [row for row in result["scores"] if row["main"] and row["slice"] is None and row["label"] is None]
    values = {row["system"]: row["value"] for row in overall}
    # 14 fields are right, 2 are wrong (missing and spurious), 1 is spurious.
    assert values == {"right.forms": 1.0, "wrong.forms": pytest.approx(2 * 14 / (2 * 14 + 2 + 3))}
    assert [(row["a"], row["b"], row["corrections"], row["new_errors"]) for row in result["diffs"]] == [
        ("right.forms", "wrong.forms", 0, 5)
    ]


def test_spurious_values_of_two_systems_are_different_items(folder: Path) -> None:
    """Systems add other values of one field: each corrects the other's error and makes its own."""
    done = run(folder, "compare", "gold.forms", "other.forms", "wrong.forms", "--format", "json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["diffs"]
    assert (row["corrections"], row["new_errors"], row["changed_errors"]) == (1, 4, 0)


def test_a_system_without_any_field(folder: Path) -> None:
    (folder / "none.forms").write_text("a\nb\nc\nd\ne\nf\ng\nh\n")
    files = ("gold.forms", "wrong.forms", "none.forms", "--input-format", "forms")
    done = run(folder, "compare", *files, "--format", "json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["diffs"]
    # Of 14 right fields all are missing, 3 spurious ones are gone.
    assert (row["corrections"], row["new_errors"]) == (3, 14)


def test_a_slice_and_a_renderer_of_another_package(folder: Path) -> None:
    done = run(folder, "score", "gold.forms", "wrong.forms", "--slice", "initial", "--format", "tsv")
    assert done.returncode == 0, done.stderr
    assert "initial" in done.stdout
    done = run(folder, "score", "gold.forms", "wrong.forms", "--format", "lines")
    assert (done.returncode, done.stdout) == (0, "wrong.forms 84.8\n"), done.stderr


def test_lists_name_parts_of_other_packages(folder: Path) -> None:
    assert "field-f1" in run(folder, "measures").stdout
    assert "forms" in run(folder, "formats").stdout


def test_a_page_and_examples_of_another_task(folder: Path) -> None:
    files = ("gold.forms", "right.forms", "wrong.forms")
    done = run(folder, "compare", *files, "--examples", "2", "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert "field" in (folder / "page.html").read_text()


def test_the_guide_shows_the_package_and_what_is_printed(folder: Path) -> None:
    page = (ROOT / "docs" / "guide" / "plugins.md").read_text("utf-8")
    package = (ROOT / "tests" / "plugins" / "assay_fields.py").read_text("utf-8")
    parts = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    assert len(parts) == 6
    assert [part for part in parts if part not in package] == []
    lines = re.findall(r"^## .*: (\d+) lines$", page, flags=re.MULTILINE)
    assert [sum(1 for line in part.splitlines() if line) for part in parts[1:]] == [*map(int, lines)]
    points = (ROOT / "tests" / "plugins" / "assay_fields-1.0.dist-info" / "entry_points.txt").read_text("utf-8")
    for name, module in re.findall(r"^(\S+) = (.*)$", points, flags=re.MULTILINE):
        assert f'{name} = "{module}"\n' in page
    for command, shown in re.findall(r"^\$ assay (.*?)\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE):
        printed = run(folder, *command.split()).stdout
        assert [part for part in shown.split("…\n") if part not in printed] == []
