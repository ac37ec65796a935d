"""A browser for all tests, a page of its own for each, and the reports that are looked at."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.itemtables import make_tables

import assay
from assay.demo import FOLDER
from assay.render import render
from assay.result import Result

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
NAMES = ("chromium", "chromium-browser", "google-chrome")
AS_OPENED = """() => {
  document.querySelectorAll("dialog[open]").forEach(dialog => dialog.close());
  document.activeElement?.blur();
  location.hash = "";
}"""
TIMES = """() => ({
  ready: performance.now(),
  paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
})"""
"""Milliseconds until a page that has just opened could be used, and until something was painted."""
WIDE = {"width": 1280, "height": 900}


def _chromium() -> str:
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.skip("no Chromium on this machine")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    path = _chromium()
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def new_page(browser: Any) -> Callable[..., Any]:
    """A new page; those with equal settings share a context, of which each costs half a second."""
    contexts: dict[str, Any] = {}

    def open_(**settings: Any) -> Any:
        name = repr(sorted(settings.items()))
        if name not in contexts:
            contexts[name] = browser.new_context(**settings)
        return contexts[name].new_page()

    return open_


@dataclass
class Seen:
    """What a page asked for and complained about."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@dataclass
class Opened:
    """A report in a browser, with the Result behind it."""

    page: Any
    seen: Seen
    result: Result

    def number(self, name: str) -> int:
        """The number of items or texts that the filters let through."""
        return int(self.page.get_attribute("#hits", f"data-{name}"))

    def query(self, text: str) -> None:
        """Filter as a reader would, by typing."""
        self.page.fill("#query", text)
        self.page.press("#query", "Enter")

    def wait(self, expression: str) -> None:
        """Until something holds; the page's policy lets no browser evaluate strings by itself, so we ask again."""
        for _ in range(2000):
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(10)
        raise AssertionError(f"never true: {expression}")

    def close(self) -> None:
        """Close the page; the next one in its context remembers nothing of it."""
        self.page.evaluate("localStorage.clear()")
        self.page.close()


def options(task: str) -> tuple[Any, list[Any], dict[str, Any]]:
    """Gold, systems and options of each task's example."""
    if task == "tags":
        names = [f"english/{name}.conllu" for name in ("gold", "crfsuite", "hanta", "nltk-tnt")]
        more: dict[str, Any] = {
            "column": "XPOS",
            "train": str(FOLDER / "english/known-words.txt"),
            "slices": ("seen",),
        }
    elif task == "two taggers":
        names, more = [f"german/{name}.conllu" for name in ("gold", "hanta", "udpipe")], {"column": "XPOS"}
    elif task == "partial credit":
        names = [f"german/{name}.conllu" for name in ("gold", "hanta", "udpipe")]
        more = {"column": "XPOS", "tagset": "stts", "measures": ["pa"]}
    elif task == "spans":
        names = [f"entities/{name}.tsv" for name in ("gold", "rules", "crf-names")]
        more = {"slices": ("span-length",)}
    elif task == "answers":
        names = [f"answers/{name}.jsonl" for name in ("gold", "as-json", "as-tags")]
        more = {"input_format": "answers", "slices": ("span-length",)}
    elif task == "links":
        names = [f"links/{name}.tsv" for name in ("gold", "lookup", "context")]
        more = {"slices": ("nil",), "id_url": "https://kb.example/{}"}
    elif task == "dependencies":
        names = [f"trees/{name}.conllu" for name in ("gold", "arc-eager", "arc-hybrid")]
        more = {"task": "dependencies", "slices": ("direction",)}
    elif task == "graphs":
        names = [f"graphs/{name}.conllu" for name in ("gold", "rules", "learned")]
        more = {"measures": ["elas(empty=align)"], "slices": ("reentrant",)}
    elif task == "roles":
        names, more = [f"graphs/{name}.conll09" for name in ("gold", "rules", "learned")], {"task": "graphs"}
    elif task == "relations":
        names = [f"relations/{name}.jsonl" for name in ("gold", "rules", "learned")]
        more = {"measures": ["fair-relations(symmetric=spouse)"], "slices": ("types",)}
    elif task == "constituents":
        names, more = [f"trees/{name}.mrg" for name in ("gold", "pcfg-1", "pcfg-2")], {}
    else:
        names = [f"coreference/{name}" for name in ("key.conll", "pronoun-rules.conll", "mention-pair.jsonl")]
        more = {}
    if task == "items":
        given, *others = (table.corpus() for table in make_tables())
        return given, others, {"times": 200, "embed": "auto", "slices": ("meta:domain",)}
    gold, *systems = (str(FOLDER / name) for name in names)
    return gold, systems, {"times": 200, "embed": "auto", **more}


TASKS = (
    *("tags", "two taggers", "spans", "answers", "relations", "links", "dependencies", "graphs", "roles"),
    *("constituents", "coreference", "items"),
)


@pytest.fixture(scope="session")
def results() -> Callable[[str], Result]:
    found: dict[str, Result] = {}

    def result(task: str) -> Result:
        if task not in found:
            gold, systems, chosen = options(task)
            found[task] = (
                assay.score(gold, systems[:1], **chosen)
                if task == "one system"
                else assay.compare(gold, systems, **chosen)
            )
        return found[task]

    return result


@pytest.fixture(scope="session")
def open_report(new_page: Callable[..., Any], results: Callable[[str], Result]) -> Callable[..., Opened]:
    """Open the report of a task, or of any Result, written to a file of this name."""
    pages: dict[str, str] = {}

    def page_of(what: str | Result) -> str:
        """The page of a task is made once."""
        if not isinstance(what, str):
            return render(what, "html")
        pages[what] = pages.get(what) or render(results(what), "html")
        return pages[what]

    def open_(
        file: Path, what: str | Result, *, hash_: str = "", before: str = "", ready: bool = True, **context: Any
    ) -> Opened:
        result = results(what) if isinstance(what, str) else what
        file.write_text(page_of(what), encoding="utf-8", errors="surrogatepass")
        settings = {"viewport": WIDE, "offline": True, "reduced_motion": "reduce", **context}
        page, seen = new_page(**settings), Seen()
        page.set_default_timeout(20_000)
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("console", lambda message: seen.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        if before:
            page.add_init_script(before)
        page.goto(file.as_uri() + hash_)
        if ready:
            page.wait_for_selector("html[data-ready='true']", state="attached")
        return Opened(page, seen, result)

    return open_


@pytest.fixture
def opened(open_report: Callable[..., Opened], tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Open a report in a page of its own."""
    reports: list[Opened] = []

    def open_(what: str | Result, **options: Any) -> Opened:
        reports.append(open_report(tmp_path / "report.html", what, **options))
        return reports[-1]

    yield open_
    for report in reports:
        report.close()


@pytest.fixture(scope="session")
def shared(
    open_report: Callable[..., Opened], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Opened]]:
    """The report of a task in a page that tests share; they may filter it, open dialogs and change colours."""
    folder, reports = tmp_path_factory.mktemp("reports"), {}
    everything: dict[str, int] = {}

    def open_(task: str) -> Opened:
        if task not in reports:
            reports[task] = open_report(folder / f"{task}.html", task)
            everything[task] = reports[task].number("items")
        reports[task].page.bring_to_front()  # what is behind others gets one frame a second
        reports[task].page.emulate_media(color_scheme="light")
        reports[task].page.evaluate(AS_OPENED)
        reports[task].wait(f"Number(document.getElementById('hits').dataset.items) === {everything[task]}")
        return reports[task]

    yield open_
    for report in reports.values():
        report.close()
