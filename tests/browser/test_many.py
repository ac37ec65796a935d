"""The pages of many runs and of many data sets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import TIMES

import assay
from assay.demo import FOLDER
from assay.engine.sets import over_sets
from assay.render.page import page, pages
from assay.result import Result, Results
from assay.result.numbers import percent
from assay.result.schema import Ranking, RankRelation, Thirds
from assay.scale.sets import compare_one
from unit.render.pictures.drawn import paper, posterior, result

# --- many runs ---


@pytest.fixture(scope="module")
def runs(open_report: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page of the paper's 45 comparisons: 15 pairs of six systems, three measures."""
    report = open_report(tmp_path_factory.mktemp("runs") / "runs.html", paper())
    yield report
    report.close()


def choose_measure(report: Any, measure: str) -> Result:
    """Choose a measure and the first pair of its order, as on a page just opened."""
    order = next(row.order for row in report.result.rankings if row.measure == measure)
    report.page.click(f'[data-measure="{measure}"]')
    report.page.click(f'#order [data-a="{order[1]}"][data-b="{order[0]}"]')
    return report.result


def test_the_chosen_pair_has_its_sentence_its_forest_and_its_triangle_at_once(runs):
    page, found = runs.page, choose_measure(runs, "token")
    row = found.bayes[0]
    assert page.locator("#pair h2").inner_text() == f"{row.a} and {row.b}: token"
    assert page.locator("#pair .verdict").inner_text() == (
        "The data do not decide between TnT and Collins on token: the largest share of posterior draws, for Collins, "
        "is .829; .95 is needed (region of equivalence: ±0.2 points)."
    )
    forest, triangle = page.locator("#pair .twins figure").all()
    shown = forest.inner_text()
    assert all(f"{100 * data.difference:+.2f}" in shown for data in row.by_data_set)
    assert "[−3.47, +5.03]" in shown
    assert forest.locator(".ring").count() == len(row.by_data_set)
    assert triangle.locator(".cell").count() == len(row.simplex)
    # Next to each other.
    left, right = forest.bounding_box(), triangle.bounding_box()
    assert left["x"] + left["width"] < right["x"] and abs(left["y"] - right["y"]) < 2
    page.locator("#pair summary").click()
    assert page.locator("#pair .curve").count() == 2 * 3 * 3
    assert page.locator("#sentences li").count() == 15
    assert page.locator("#picture").count() == 0
    assert not page.locator("#tables").get_attribute("open")
    assert runs.seen.errors == []
    assert len(runs.seen.requests) == 1


def test_a_pair_is_chosen_by_two_systems_by_a_cell_or_by_keys_and_the_address_keeps_it(runs):
    page, _ = runs.page, choose_measure(runs, "token")
    title = page.locator("#pair h2")
    page.click("#order .box:has-text('Flair')")
    assert "Flair: now choose" in page.locator("#order [role='status']").inner_text()
    page.click("#order .box:has-text('TnT')")
    assert title.inner_text() == "TnT and Flair: token"
    assert page.locator("#order .box[aria-pressed='true']").all_inner_texts() == ["Flair", "TnT"]
    pressed = page.locator("#order .heat [aria-pressed='true']")
    assert {button.get_attribute("title") for button in pressed.all()} == {"Flair > TnT", "TnT < Flair"}
    # The button pressed last has the focus; arrow keys move in the map, which has one tab stop.
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert title.inner_text() != "TnT and Flair: token"
    assert page.locator("#order .heat [tabindex='0']").count() == 1
    chosen = title.inner_text()
    page.evaluate("location.hash = new URLSearchParams({a: 'NLP4J', b: 'LAPOS', by: 'oov'})")
    runs.wait("document.querySelector('#pair h2').textContent === 'LAPOS and NLP4J: oov'")
    page.go_back()
    runs.wait(f"document.querySelector('#pair h2').textContent === {chosen!r}")


def test_shares_of_all_pairs_are_those_of_the_result(runs):
    page, found = runs.page, choose_measure(runs, "token")
    for tab, kind in (("Which is better", "decision"), ("On a new data set", "region")):
        page.click(f"#pairs [role='tab']:has-text('{tab}')")
        shares = [getattr(row, kind) for row in found.bayes]
        cells = page.locator(f"#part-{kind} .thirds").all_inner_texts()
        wanted = {f"{row.a:.3f} {row.equal:.3f} {row.b:.3f}".replace("0.", ".") for row in shares}
        assert {" ".join(cell.split()) for cell in cells} == wanted
    page.click("#pairs [role='tab']:has-text('Posterior draws')")
    assert page.locator("#part-draws svg[role='img']").count() == 15


def test_what_is_undecided_is_dashed_and_what_the_order_hides_is_framed(runs):
    page, found = runs.page, choose_measure(runs, "oov")
    shown = page.locator("#order").inner_text()
    assert all(sentence in shown for sentence in found.rankings[2].intransitive)
    assert page.locator("#order .levels li").all_inner_texts()[0] == "Flair"
    framed = page.locator("#order button:has(.hidden-by-chain)").all()
    assert {button.get_attribute("title") for button in framed} == {
        *("TnT < LAPOS", "LAPOS > TnT", "Stanford < Flair", "Flair > Stanford")
    }
    # No share of the paper reaches .95: all relations are dashed, and so are the lines between levels.
    assert page.locator("#order td .undecided").count() == 6 * 5
    levels = page.locator("#order .levels li").count()
    assert page.locator("#order .levels .link.undecided").count() == levels - 1
    assert page.locator("#verdict li").all_inner_texts()[2].splitlines() == [
        "oov",
        "All 15 pairs of systems are undecided (no share of posterior draws reaches .95; region of equivalence: ±2 "
        "points).",
    ]


def test_relations_that_are_decided_are_not_dashed(opened):
    rows = [
        posterior("a", "b", shares=Thirds(0.01, 0.0, 0.99)),
        posterior("b", "c", shares=Thirds(0.2, 0.1, 0.7)),
        posterior("a", "c", shares=Thirds(0.0, 0.0, 1.0)),
    ]
    relations = tuple(RankRelation(row.a, row.b, "<", row.a + row.b != "ac", row.a + row.b != "ac") for row in rows)
    order = Ranking("token", ("a", "b", "c"), "a < b < c", relations, headline="a < (.990) b ? (< .700) c")
    page = opened(result(rows, (order,))).page
    assert page.locator("#verdict").inner_text().splitlines()[-1] == (
        "b is better than a; c is better than a (share of posterior draws of at least .95; region of equivalence: "
        "±0.2 points). 1 of 3 pairs of systems is undecided."
    )
    assert page.locator("#order .levels li").all_inner_texts() == ["c", "b", "a"]
    links = page.locator("#order .levels .link")
    assert [links.nth(number).get_attribute("class") for number in range(2)] == ["link undecided", "link"]
    titles = {button.get_attribute("title") for button in page.locator("#order button:has(.undecided)").all()}
    assert titles == {"b < c", "c > b"}


def test_pictures_without_a_region_of_equality_are_drawn_too(opened):
    row = posterior(shares=Thirds(0.2, None, 0.8), rope=0.0)
    report = opened(result([row]))
    assert "NaN" not in report.page.locator("#app").inner_html()
    shown = report.page.locator("#pairs").inner_text()
    assert "Share of posterior draws in which each outcome is the most probable" in shown
    assert "equivalent" not in shown
    assert "(every difference counts)." in report.page.locator("#pair .verdict").inner_text()
    assert report.page.locator("#pair rect.cell").count() == row.sides
    assert report.seen.errors == []


# --- many data sets ---


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Path]:
    """Three taggers on two data sets, on one of which a tagger is bad and a sentence left out; and their pages."""
    folder = tmp_path_factory.mktemp("sets")
    systems = {
        name: {data: str(FOLDER / data / f"{name}.conllu") for data in ("english", "german")}
        for name in ("hanta", "udpipe", "crfsuite")
    }
    lines = (FOLDER / "german/udpipe.conllu").read_text("utf-8").split("\n")
    words = [place for place, line in enumerate(lines) if line[:1].isdigit()]
    for number, place in enumerate(words):
        columns = lines[place].split("\t")
        # The first word is another one, and every third has a wrong label.
        changed = {1: columns[1] if number else "Anderes", 4: columns[4] if number % 3 else "XX"}
        lines[place] = "\t".join(changed.get(index, text) for index, text in enumerate(columns))
    systems["udpipe"]["german"] = str(folder / "udpipe.conllu")
    (folder / "udpipe.conllu").write_text("\n".join(lines), encoding="utf-8")
    golds = {data: str(FOLDER / data / "gold.conllu") for data in ("english", "german")}
    measures = ["accuracy", "sentence-accuracy"]
    found = assay.compare_sets(golds, systems, measures, column="XPOS", on_mismatch="skip", times=500, embed="auto")
    for file, text in pages(found):
        (folder / file).write_text(text, encoding="utf-8")
    return found, folder


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    """A page of the browser that the tests of data sets share."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def dashboard(tab: Any, sets: tuple[Results, Path]) -> Iterator[Any]:
    """The index of data sets."""
    errors: list[str] = []

    def note(error: Any) -> None:
        errors.append(str(error))

    tab.on("pageerror", note)
    tab.goto((sets[1] / "index.html").as_uri())
    tab.wait_for_selector("html[data-ready='true']", state="attached")
    yield tab
    tab.remove_listener("pageerror", note)
    assert errors == []


def read_map(page: Any) -> dict[tuple[str, str], str]:
    """The texts of the map of scores by system and column."""
    heads = [text.strip() for text in page.locator("#data-sets .heat thead th").all_inner_texts()]
    found = {}
    for row in page.locator("#data-sets .heat tbody tr").all():
        name, *cells = (text.strip() for text in row.locator("th, td").all_inner_texts())
        found |= {(name, head): " ".join(cell.split()) for head, cell in zip(heads[1:], cells, strict=True)}
    return found


def expected(results: Results, against: str | None) -> dict[tuple[str, str], str]:
    """Scores with the marks of significant differences from a system, or from the best on each data set."""
    found = {}
    for name, one in results.sets.items():
        scores = {row.system: row.value for row in one.overall if row.main and row.measure == "accuracy"}
        other = against or max(scores, key=lambda system: scores[system])
        for system, value in scores.items():
            mark = ""
            for row in one.main_tests:
                if row.measure == "accuracy" and {row.a, row.b} == {system, other} and row.is_significant:
                    mark = " ▲" if value > scores[other] else " ▼"
            found[system, name] = f"{percent(value)}{mark}"
    return found


def test_the_map_of_scores_has_the_numbers_of_the_result_and_marks_what_is_significant(dashboard, sets):
    shown = read_map(dashboard)
    wanted = expected(sets[0], None)
    assert any("▼" in text for text in wanted.values())
    assert {key: shown[key] for key in wanted} == wanted
    for row in sets[0].overall.systems_over_sets:
        if row.measure == "accuracy":
            ends = [shown[row.system, name] for name in ("average", "mean rank", "best on")]
            assert ends == [percent(row.average), f"{row.rank:.2f}", str(row.best)]
    average = next(row for row in sets[0].overall.overall if row.system == "hanta" and row.main)
    ranked = dashboard.locator("#board").inner_text()
    assert f"[{percent(average.low)}, {percent(average.high)}]" in ranked
    dashboard.select_option("#against", "udpipe")
    shown, wanted = read_map(dashboard), expected(sets[0], "udpipe")
    assert {key: shown[key] for key in wanted} == wanted
    assert any("▲" in text for text in wanted.values())
    dashboard.click('[data-measure="sentence-accuracy"]')
    assert "sentence accuracy" in dashboard.locator("#data-sets .caption").inner_text()
    assert not dashboard.locator("#tables").get_attribute("open")


def test_a_click_leads_to_the_page_of_a_data_set_and_another_back(dashboard, sets):
    dashboard.locator("#data-sets .heat a:has-text('german')").focus()
    dashboard.keyboard.press("Enter")
    dashboard.wait_for_selector("html[data-ready='true']", state="attached")
    assert dashboard.url.endswith("/german.html")
    dashboard.click("header a:has-text('All 2 data sets')")
    dashboard.wait_for_selector("#data-sets")
    # A score leads to its system, compared with the best.
    dashboard.click("#data-sets tr:has(th:has-text('crfsuite')) a[href^='english']")
    dashboard.wait_for_selector("html[data-ready='true']", state="attached")
    assert dashboard.locator("#board [aria-pressed='true']").all_inner_texts() == ["hanta", "crfsuite"]


def test_warnings_of_each_data_set_are_on_the_dashboard(dashboard, sets):
    results, _ = sets
    assert any("left out" in text for text in results["german"].warnings)
    for name, one in results.sets.items():
        card = dashboard.locator(f"#sets li:has(a:text-is('{name}'))")
        shown = card.evaluate("node => node.textContent")
        assert one.verdict in shown
        assert all(text in shown for text in one.warnings)


def test_the_text_of_the_map_can_be_read_in_light_and_dark(dashboard):
    ratio = """() => {
      const paint = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
      const light = (colour) => {
        paint.fillStyle = colour;
        paint.fillRect(0, 0, 1, 1);
        const part = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        const [red, green, blue] = Array.from(paint.getImageData(0, 0, 1, 1).data.slice(0, 3), part);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      return Math.min(...[...document.querySelectorAll("#data-sets td[style]")].map((cell) => {
        const [ground, ink] = [cell, cell.querySelector("a")].map((node) => getComputedStyle(node));
        const both = [ground.backgroundColor, ink.color].map(light);
        return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
      }));
    }"""
    for scheme in ("light", "dark"):
        dashboard.emulate_media(color_scheme=scheme)
        assert dashboard.evaluate(ratio) >= 4.5, scheme


def test_twenty_data_sets_fit_and_the_first_paint_is_logged(browser, tmp_path):
    names = ("gold", "hanta", "udpipe", "crfsuite", "nltk-tnt")
    files = {f"by {name}": str(FOLDER / f"english/{name}.conllu") for name in names}
    one = compare_one(str(FOLDER / "english/gold.conllu"), files, "accuracy", column="XPOS", times=100, power=None)
    found = over_sets({f"data set {number}": one for number in range(1, 21)})
    text = page(found.overall, {name: (f"{name}.html", of_set) for name, of_set in found.sets.items()})
    (tmp_path / "index.html").write_text(text, encoding="utf-8")
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    opened = context.new_page()
    opened.goto((tmp_path / "index.html").as_uri())
    opened.wait_for_selector("html[data-ready='true']", state="attached")
    times = opened.evaluate(TIMES)
    logging.getLogger(__name__).info("20 data sets, 5 systems, %d bytes: %s", len(text), times)
    # The ranking has all its columns in view.
    assert opened.evaluate("(box => box.scrollWidth <= box.clientWidth)(document.querySelector('#board .scroll'))")
    assert opened.locator("#data-sets .heat tbody tr").count() == 20 + 3
    for width in (1280, 390):
        opened.set_viewport_size({"width": width, "height": 900})
        assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
