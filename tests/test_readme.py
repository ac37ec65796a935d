"""Commands and Python in the README and the pages of docs run as written, and links lead somewhere."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest

from assay.cli.output import Output
from assay.render.terminal import draw_text
from assay.result import Result, Results
from assay.result.gates import Gates
from cases import each
from commands import call_line

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ALL = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
PAGES = [page for page in ALL if "```sh\n" in page.read_text("utf-8") or page.name == "api.md"]


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


def fold(text: str) -> str:
    """The text on one line: a window of another width breaks lines elsewhere and has rules of another length."""
    return re.sub(r"[\s─]+", " ", f" {text} ")


def stale(shown: str, printed: str) -> list[str]:
    """Lines of which a part was not printed so far; `…` divides a line into parts."""
    everything = fold(printed)
    return [
        line for line in shown.splitlines() if any(part not in everything for part in re.split(" ?… ?", fold(line)))
    ]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[bool], str]]:
    """What commands show in a terminal of 100 columns, or of 200 with all tables; drawn only if a page quotes it."""
    texts: list[Callable[[bool], str]] = []
    deliver = Output.deliver

    def note(output: Output, result: Result | Results, gates: Gates | None = None) -> int:
        overall = result.overall if isinstance(result, Results) else result

        @cache
        def draw(full: bool) -> str:
            with patch.dict(os.environ, COLUMNS="200" if full else "100"):
                return draw_text(overall, output.tables, full or output.full)

        texts.append(draw)
        with patch.dict(os.environ, COLUMNS="100"):
            return deliver(output, result, gates)

    monkeypatch.setattr(Output, "deliver", note)
    return texts


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_runs_as_written_and_shows_what_is_printed(
    page: Path, folder: Path, demo: Path, shown: list[Callable[[bool], str]]
) -> None:
    """Commands and Python in their order; blocks without a language must have been printed, line by line."""
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
            # Most pages quote what a terminal shows; all tables are drawn for those that quote more.
            known = "\n".join([printed, *(draw(False) for draw in shown)])
            if stale(text, known):
                assert stale(text, "\n".join([known, *(draw(True) for draw in shown)])) == [], text


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
