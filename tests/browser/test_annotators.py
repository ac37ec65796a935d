"""The page of annotators in a real browser: who deviates, pairs, labels, disagreements and how to decide them."""

from __future__ import annotations

import logging
import random

import pytest
from tests.browser.conftest import TIMES
from tests.browser.test_front import axe
from tests.unit.engine.test_deviation import DEVIATING, NAMES, most_frequent, write_spans

import assay
from assay.result.numbers import WRITERS

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def ratings():
    return assay.agreement(DEVIATING, times=50, embed="auto")


@pytest.fixture(scope="module")
def spans(tmp_path_factory):
    files = write_spans(tmp_path_factory.mktemp("spans"))
    return assay.agreement(files, times=50, embed="auto", items=True)


def split_items():
    """The items that annotators rate differently, with the labels of each."""
    by_item = {}
    for name, given in DEVIATING.items():
        for item, label in given.items():
            by_item.setdefault(item, {})[name] = label
    return {item: given for item, given in by_item.items() if len(set(given.values())) > 1}


def differs(given, name):
    """True if an annotator's label is not the most frequent one of the others."""
    others = [label for other, label in given.items() if other != name]
    return name in given and bool(others) and given[name] not in most_frequent(others)


def test_the_page_opens_on_who_deviates(opened, ratings):
    report = opened(ratings)
    page = report.page
    assert page.inner_text("#verdict") == ratings.verdict and ratings.verdict.startswith("Without emil, alpha rises")
    ranked = sorted(ratings.annotators, key=lambda row: -row.alpha_gain)
    rows = page.locator("#people tbody tr")
    shown = [" ".join(text.split()) for text in rows.all_inner_texts()]
    for row, text in zip(ranked, shown, strict=True):
        assert text.startswith(row.name) and ("stands out" in text) == row.stands_out
        assert WRITERS["coefficient"](row.alpha_without) in text
        assert WRITERS["coefficient-difference"](row.alpha_gain) in text
    rows.first.locator("button").click()
    assert report.number("items") == sum(differs(given, "emil") for given in split_items().values())
    assert page.input_value("#differing") == str(sorted(NAMES).index("emil"))
    assert report.seen.errors == []


def test_pairs_are_a_heat_map_that_lists_what_two_differ_on(opened, ratings):
    report = opened(ratings)
    page = report.page
    cells = page.locator("#pairs td button")
    assert cells.count() == len(NAMES) * (len(NAMES) - 1)
    # Whoever agrees least with the others comes last.
    assert page.locator("#pairs tbody th").last.inner_text() == "emil"
    cell = page.locator("#pairs button[title^='anna and emil:']")
    kappa = ratings.score("anna ~ emil", "kappa").value
    assert WRITERS["coefficient"](kappa) in cell.get_attribute("title")
    assert cell.get_attribute("aria-label") == f"{cell.inner_text()}: anna and emil"
    cell.click()
    pairs = [(given.get("anna"), given.get("emil")) for given in split_items().values()]
    assert report.number("items") == sum(a != b for a, b in pairs if a and b)
    # One tab stop; arrow keys move.
    assert page.locator("#pairs td button[tabindex='0']").count() == 1
    cell.focus()
    page.keyboard.press("ArrowUp")
    focused = page.evaluate("document.activeElement.getAttribute('title')")
    assert focused.startswith("anna and ") or focused.endswith(" emil") or " and emil:" in focused
    assert report.seen.errors == []


def test_confused_labels_lead_to_their_items(opened, ratings):
    report = opened(ratings)
    page = report.page
    for name in ("emil", "ben"):
        page.select_option("#confused-by", label=name)
        counts = {(row.label, row.other): row.items for row in ratings.confused_labels if row.annotator == name}
        buttons = page.locator("#confused button.count")
        assert sorted(int(text) for text in buttons.all_inner_texts()) == sorted(counts.values())
        buttons.first.click()
        assert report.number("items") == int(buttons.first.inner_text())
    page.keyboard.press("0")
    page.select_option("#labels-given", index=1)
    first, second = page.locator("#labels-given option").nth(1).inner_text().split(" and ")
    given = [set(labels.values()) for labels in split_items().values()]
    assert report.number("items") == sum({first, second} <= labels for labels in given)
    # Both filters at a time, and undone in the same place.
    page.select_option("#differing", label="emil differs from most")
    assert len(page.locator("#chips [data-chip]").all()) == 3
    page.select_option("#labels-given", value="")
    assert report.number("items") == sum(differs(labels, "emil") for labels in split_items().values())
    report.query("differs:nobody")
    assert page.inner_text("#query-error").startswith('"differs" cannot be "nobody". Write one of: anna, ben')


def test_the_most_split_items_come_first_and_a_card_names_who_gave_what(opened, ratings):
    page = opened(ratings).page
    values = [float(text) for text in page.locator("#list .row-gain").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(ratings.disagreements[0].value, abs=0.001)
    first = page.locator("#drawing h3").inner_text()
    given = split_items()[first]
    rows = [text.split("\t") for text in page.locator("#drawing .card tr").all_inner_texts()]
    assert {row[0]: row[-1].split(", ") for row in rows} == {
        label: sorted(name for name in given if given[name] == label) for label in set(given.values())
    }
    assert "--items items.tsv" in page.inner_text("#decide") and "tasks.json" not in page.inner_text("#decide")


def test_spans_of_all_annotators_are_drawn_and_tools_are_named(opened, spans):
    report = opened(spans)
    page = report.page
    names = page.locator("#drawing .drawing-svg .name").all_text_contents()
    assert set(names) - {"all"} == set(NAMES)
    differing = [row for row in spans.disagreements if row.value > 0]
    assert report.number("items") == len(differing)
    # Nobody is gold, so nobody is wrong.
    drawing = page.inner_text("#drawing")
    assert not {"✗", "✓", "gold", "wrong"} & set(drawing.split()) and "solid: annotators differ" in drawing
    page.keyboard.press("n")
    assert page.locator("#drawing [data-current]").count() > 0
    page.click("#drawing [data-layer='1']")
    assert "anna" not in page.locator("#drawing .drawing-svg .name").all_text_contents()
    for path in ("tasks.json", "rows.jsonl", "folder/", "items.tsv"):
        assert f"--items {path}" in page.inner_text("#decide")
    assert report.seen.errors == []


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (900, "dark"), (390, "light")])
def test_the_page_fits_windows_and_paper(opened, spans, width, scheme):
    report = opened(spans, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert report.page.evaluate(OVERFLOW) <= 0
    inside = "all => all.every(one => one.getBoundingClientRect().right <= innerWidth)"
    assert report.page.locator("#people td:visible, #people th:visible").evaluate_all(inside)
    report.page.emulate_media(media="print")
    assert report.page.evaluate(OVERFLOW) <= 0


def test_fifty_annotators_have_a_page_that_opens(opened):
    draw = random.Random(5)
    names = [f"worker-{number:02}" for number in range(50)]
    data = {name: {} for name in names}
    for item in range(500):
        for name in draw.sample(names, 12):
            data[name][f"d{item}"] = "A" if draw.random() < (0.4 if name == names[7] else 0.9) else draw.choice("BC")
    report = opened(assay.agreement(data, times=20, embed="auto"), viewport={"width": 1400, "height": 900})
    page = report.page
    times = page.evaluate(TIMES)
    logging.getLogger(__name__).info("50 annotators, 500 items: %s", times)
    assert page.locator("#pairs tbody tr").count() == 50 and page.locator("#board tbody tr").count() < 6
    # Whoever differs significantly comes first, even if agreement gains little without them.
    assert page.locator("#people tbody tr").first.inner_text().startswith(names[7])
    assert page.locator("#confused-by option").first.inner_text() == names[7]
    box = "#pairs .heat"
    assert page.evaluate(f"document.querySelector('{box}').getBoundingClientRect().width") < 1400
    assert page.evaluate("document.documentElement.scrollHeight") < 5000
    page.select_option("#sort", "order")
    assert page.get_attribute("#list .row", "data-position") == "0"
    assert report.seen.errors == []


def test_axe_finds_nothing_serious_on_a_page_of_annotators(opened, ratings):
    script = axe()
    report = opened(ratings, color_scheme="dark")
    report.page.evaluate(script)
    found = report.page.evaluate(
        "axe.run().then(({violations}) => violations.filter(one => ['serious', 'critical'].includes(one.impact))"
        ".map(one => [one.id, one.nodes.slice(0, 3).map(node => node.html.slice(0, 200))]))"
    )
    assert found == []
