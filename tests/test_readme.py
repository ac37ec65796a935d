"""Commands and Python in the README and the pages of docs run as written, and links lead somewhere."""

from __future__ import annotations

import io
import re
import shutil
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path

import pytest

from cases import each
from commands import call_line

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ALL = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
PAGES = [page for page in ALL if "```sh\n" in page.read_text("utf-8") or page.name == "api.md"]
NUMBER = r"(?<![\w.,])[+−-]?\d*\.\d+(?![\w.])"
"""A number with decimals, standing alone."""


def blocks(page: Path) -> list[tuple[str, str]]:
    """The language (or none) and the text of each block of code, in the order of the page."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(demo: Path, tmp_path: Path) -> Path:
    """A folder of the page's own, so that no page depends on what another has written."""
    shutil.copytree(demo / "copy", tmp_path / "demo-out")
    return tmp_path


def run_command(line: str, folder: Path) -> str:
    done = call_line(line, folder)
    assert done.returncode == 0, (line, done.stderr)
    assert done.stdout or " -o " in line, line
    return done.stdout + done.stderr


def run_python(text: str, folder: Path) -> str:
    with chdir(folder), redirect_stdout(io.StringIO()) as printed:
        exec(text, {"__name__": "__main__"})
    return printed.getvalue()


def value_of(number: str) -> float:
    return abs(float(number.replace("−", "-")))


def strange(shown: str, printed: str) -> list[str]:
    """Numbers with decimals that are shown and that nothing printed so far rounds to."""
    values = {value_of(number) for number in re.findall(NUMBER, printed.replace("\t", " "))}
    return [
        number
        for number in re.findall(NUMBER, shown)
        if not any(abs(value - value_of(number)) <= 0.501 * 10 ** -len(number.partition(".")[2]) for value in values)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_runs_as_written_and_shows_what_is_printed(page: Path, folder: Path, demo: Path) -> None:
    """Commands and Python in their order; of blocks without a language the numbers must have been printed."""
    # The demo has run: the folder is its copy.
    said = {"assay demo --copy demo-out": (demo / "said.txt").read_text("utf-8")}
    printed = ""
    for language, text in blocks(page):
        if language == "sh":
            lines = filter(str.strip, text.splitlines())
            printed += "".join(said[line] if line in said else run_command(line, folder) for line in lines)
        elif language == "python":
            printed += run_python(text, folder)
        elif language == "" and printed:
            assert strange(text, printed) == [], text


@each("page", ALL, ids=lambda page: page.name)
def test_no_command_stands_in_a_block_that_is_not_run(page: Path) -> None:
    lines = [line for language, text in blocks(page) if language != "sh" for line in text.splitlines()]
    assert [line for line in lines if line.startswith("assay ")] == []


@each("page", ALL, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", there.read_text("utf-8"), flags=re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}, target


def test_every_page_is_led_to_from_the_readme_or_the_index() -> None:
    leading = [ROOT / "README.md", DOCS / "index.md"]
    reached = {
        (page.parent / target.partition("#")[0]).resolve()
        for page in leading
        for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text("utf-8"))
    }
    assert {page for page in ALL if page not in leading} <= reached


def test_the_site_has_every_page() -> None:
    listed = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), flags=re.MULTILINE)
    made = {"live.md", "contributing.md", "changes.md", "benchmarks.md"}
    assert {*listed} - made == {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}


def test_measures_and_functions_are_documented_as_their_docstrings_say() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    from make_docs import PAGES as MADE

    for name, page in MADE.items():
        assert (DOCS / name).read_text("utf-8") == page(), "run `make docs`"


def test_the_first_commands_of_the_readme_work_from_a_clone() -> None:
    commands = [text for _, text in blocks(ROOT / "README.md")]
    assert commands[:2] == ["make demo\nmake test\n", "pip install .\n"]
    assert not any("pip install assay" in text for text in commands), "the package is on no index yet"


def test_make_commands_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"^make (\S+)", (ROOT / "README.md").read_text("utf-8"), flags=re.MULTILINE):
        assert f"\n{target}:" in makefile
