"""Rich labels stay different when they are short and are split into categories; long documents are drawn in parts."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.render.page import script
from assay.result import Result

CASES, GENDERS = ("nom", "gen", "acc"), ("m1", "m3", "f")
WORDS = ("river", "house", "she", "told", "him", "while", "town")
SHORTEN = """([code, labels, most]) => new Function("labels", "most", `${code}
  const short = shortenLabels(labels, most);
  return labels.map(short);`)(labels, most)"""


@pytest.mark.parametrize("most", [1, 4, 9, 16, 40])
def test_short_labels_are_all_different(browser, most):
    rng = random.Random(most)
    tags = {f"{pos}:sg:{case}:{gender}" for pos in ("subst", "adj") for case in CASES for gender in GENDERS}
    features = {f"Case={case}|Gender={gender}|Number=Sing" for case in CASES for gender in GENDERS}
    # What a label is shortened to may be a label too.
    odd = {"nom|m1|Sing", "s…", "…", "a", "", "X=nom|m1|Sing"}
    noise = {"".join(rng.choice("ab…|=:") for _ in range(rng.randint(1, 30))) for _ in range(300)}
    labels = sorted(tags | features | odd | noise)
    page = browser.new_page()
    short = page.evaluate(SHORTEN, [script("shorten.js"), labels, most])
    page.close()
    assert len({*short}) == len(labels)
    assert all(form == label for form, label in zip(short, labels, strict=True) if len(label) <= most)
    if most == 16:
        shown = dict(zip(labels, short, strict=True))
        assert shown["Case=gen|Gender=m3|Number=Sing"] == "gen|m3|Sing"
        assert shown["subst:sg:nom:m1"] == "subst:sg:nom:m1"


def tagged(path: Path, seed: int, noise: float) -> str:
    """A file of words with tags of four parts, some of them wrong."""
    rng, errors = random.Random(1), random.Random(seed)
    lines = []
    for _ in range(30):
        for place in range(1, 9):
            case, gender = rng.choice(CASES), rng.choice(GENDERS)
            if errors.random() < noise:
                case = errors.choice(CASES)
            if errors.random() < noise:
                gender = errors.choice(GENDERS)
            columns = [str(place), rng.choice(WORDS), "_", "_", f"subst:sg:{case}:{gender}", *["_"] * 5]
            lines.append("\t".join(columns))
        lines.append("")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_changes_of_tags_are_split_into_categories_and_list_their_words(opened, tmp_path):
    gold, *systems = (tagged(tmp_path / f"{n}.conllu", n, noise) for n, noise in enumerate((0, 0.2, 0.3)))
    result = assay.compare(gold, systems, column="XPOS", times=50, embed="auto")
    assert any("ud-polish, recognised from gold's tags" in note for note in result.notes)
    report = opened(result)
    counts = report.page.locator("#categories .count")
    assert counts.count() > 5
    first = report.page.locator("#categories tbody tr").first.text_content()
    assert first is not None and ("case" in first or "gender" in first) and "→" in first
    for place in range(counts.count()):
        counts.nth(place).click()
        assert report.number("items") == int(counts.nth(place).get_attribute("data-count"))
    report.query("gold-has:size=big")
    assert "with one of: pos, number, case, gender" in report.page.text_content("#filters")
    # Rows that look the same have the same label.
    for rows in ("#labels tbody th", ".heat tbody th", ".heat thead th:not(.corner)"):
        shown = report.page.locator(rows).evaluate_all("all => all.map(one => [one.textContent, one.title])")
        assert len({text for text, _ in shown}) == len({title for _, title in shown}) > 1
    assert report.seen.errors == []


def document(path: Path, seed: int, noise: float, size: int) -> str:
    """A document with mentions of one word in a few chains, some of them wrong."""
    rng, errors = random.Random(1), random.Random(seed)
    lines = ["#begin document (long); part 000"]
    for _ in range(size // 20):
        for place in range(20):
            word, chain = rng.choice(WORDS), rng.randrange(20) if rng.random() < 0.1 else None
            if chain is not None and errors.random() < noise:
                chain = errors.randrange(20)
            mark = f"({chain})" if chain is not None else "-"
            lines.append(f"long\t0\t{place}\t{word}\tNN\t*\t-\t-\t-\t-\t{mark}")
        lines.append("")
    path.write_text("\n".join([*lines, "#end document", ""]), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def long_document(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("long")
    gold, *systems = (document(folder / f"{n}.conll", n, noise, 4000) for n, noise in enumerate((0, 0.2, 0.4)))
    return assay.compare(gold, systems, times=50, embed="auto")


@pytest.mark.parametrize("width", [1400, 390])
def test_a_long_document_is_drawn_around_what_differs(opened, long_document, width):
    report = opened(long_document, viewport={"width": width, "height": 900})
    page: Any = report.page
    height = "document.documentElement.scrollHeight"
    words = "document.querySelectorAll('#drawing .word').length"
    assert page.evaluate(height) < 15_000
    assert page.evaluate("document.documentElement.scrollWidth") == width
    before = page.evaluate(words)
    begin, end = (int(page.get_attribute("#drawing .unfold", f"data-{name}")) for name in ("begin", "end"))
    assert f"show the {end - begin} words" in page.text_content("#drawing .unfold")
    page.locator("#drawing .unfold").first.focus()
    page.keyboard.press("Enter")
    # A part has a height, so what is opened may move other words out of it.
    assert page.evaluate(words) != before
    assert page.evaluate("document.activeElement.className") == "unfold"
    # The last difference is in another part, from which the reader can go back and on.
    page.click('[aria-label="Previous difference"]')
    assert page.locator("#drawing [data-current]").count() > 0
    left = [page.text_content("#drawing .earlier")]
    page.click("#drawing .earlier")
    left.append(page.text_content("#drawing .earlier"))
    first, second = (int(text.split("(")[1].split(" ")[0].replace(",", "")) for text in left)
    assert second < first
    assert page.evaluate(height) < 15_000
    page.click("#drawing .all-words")
    assert page.evaluate(words) == 4000
    assert page.locator("#drawing .unfold").count() == 0
    assert report.seen.errors == []
