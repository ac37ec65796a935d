"""The front of the page in a real browser: the leaderboard, ways into the texts, plots as files, and access."""

from __future__ import annotations

import json
import logging
import os
import queue
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.browser.conftest import options

import assay
from assay.render import render
from assay.result.numbers import percent, signed

SVG = "{http://www.w3.org/2000/svg}"
IN_VIEW = "(top => top >= -1 && top < innerHeight / 2)(document.getElementById('found').getBoundingClientRect().top)"


def ranking(result, measure):
    """The main scores of a measure, the best first."""
    rows = [row for row in result.overall if row.main and row.measure == measure]
    return sorted(rows, key=lambda row: -row.value)


def test_the_page_opens_on_a_leaderboard_where_a_click_each_chooses_two(opened):
    report = opened("tags")
    page, result = report.page, report.result
    assert page.inner_text("#verdict") == result.verdict
    best = ranking(result, "accuracy")
    rows = page.locator("#board tbody tr")
    shown = [" ".join(text.split()) for text in rows.all_inner_texts()]
    for place, (row, text) in enumerate(zip(best, shown, strict=True), 1):
        assert text.startswith(f"{place} {row.system}") and percent(row.value) in text
        assert f"[{percent(row.low)}, {percent(row.high)}]" in text
        assert "".join(rows.nth(place - 1).locator(".groups .in").all_inner_texts()) == row.group
    assert page.locator("#board thead svg text").count() >= 3
    chosen = page.locator("#board button[aria-pressed='true']").all_inner_texts()
    assert chosen == [row.system for row in best[:2]]
    assert page.locator("#pair-verdict").count() == 1

    names = [source.name for source in result.systems]
    page.click("#board [data-system='2']")
    assert page.inner_text("#board-said") == f"{names[2]}: now choose the system to compare it with."
    page.keyboard.press("ArrowUp")
    page.click("#board [data-system='1']")
    # From the system clicked first to the second: the other way round than in the Result.
    diff = next(row for row in result.diffs if [row.a, row.b] == names[1:3] and row.slice is None)
    assert page.locator("#compared h2 bdi").all_inner_texts() == [names[2], names[1]]
    assert int(page.get_attribute("#changed [data-filter='correction']", "data-count")) == diff.new_errors
    assert names[1] in page.inner_text("#pair-verdict") and names[2] in page.inner_text("#pair-verdict")
    # The same sign in the table as everywhere: B minus A.
    test = next(row for row in result.comparisons if [row.a, row.b] == names[1:3] and row.slice is None)
    signs = page.locator("#compared tbody tr").first.locator("td").nth(2).inner_text()
    assert signs == signed(-test.difference)
    page.select_option("#by", "oov-accuracy")
    first = ranking(result, "oov-accuracy")[0]
    assert page.locator("#board tbody tr th").first.inner_text().startswith(first.system)
    page.reload()
    page.wait_for_selector("html[data-ready='true']", state="attached")
    assert page.input_value("#by") == "oov-accuracy"
    page.go_back()
    report.wait("document.getElementById('by').value === 'accuracy'")
    page.go_back()
    report.wait(f"document.querySelector('#compared h2').textContent.includes('{best[0].system}')")
    assert report.seen.errors == []


def test_whatever_filters_leads_to_what_it_finds_and_the_address_does_too(opened):
    report = opened("tags")
    page = report.page
    page.click("#tab-slices")
    change = page.locator("#changed tr.whole:has-text('→'):has(.chip)").last
    count = int(change.locator("button").get_attribute("data-count"))
    change.locator("td").nth(2).click()
    assert report.number("items") == count
    report.wait(IN_VIEW)
    report.wait("location.hash.includes('tab=slices')")
    page.reload()
    page.wait_for_selector("html[data-ready='true']", state="attached")
    report.wait(IN_VIEW)
    assert page.get_attribute("#tab-slices", "aria-selected") == "true"
    page.keyboard.press("0")
    page.select_option("#sort", "longest")
    assert page.get_attribute("#list [aria-selected='true']", "data-position") == "0"
    page.evaluate("scrollTo(0, 0)")
    page.fill("#search", "the")
    page.press("#search", "Enter")
    report.wait(IN_VIEW)
    page.click("#labels .more")
    assert page.locator("#labels table").count() == 2
    widths = "['.panels', '#labels'].map(name => document.querySelector(name).getBoundingClientRect().width)"
    whole, panel = page.evaluate(widths)
    assert panel == whole
    assert report.seen.errors == []


def test_every_plot_can_be_saved_as_a_picture_of_its_own(opened, tmp_path):
    report = opened("spans", color_scheme="dark", accept_downloads=True)
    page = report.page
    unsaved = "[...document.querySelectorAll('#app svg.chart, #app .heat')].filter(one => !one.closest('.takeable'))"
    assert page.evaluate(f"{unsaved}.length") == 0
    for name, words, shapes in (
        ("ranking-exact.svg", ["rules", "crf-names", "95% interval"], "circle"),
        ("outcomes-rules-crf-names.svg", ["missing (FN)", "A ↓ B →"], "rect"),
    ):
        with page.expect_download() as download:
            page.click(f"button.save[data-file='{name}']")
        download.value.save_as(tmp_path / name)
        drawn = ElementTree.parse(tmp_path / name).getroot()
        texts = ["".join(node.itertext()) for node in drawn.iter(f"{SVG}text")]
        assert all(word in texts for word in words), texts
        assert len(list(drawn.iter(f"{SVG}{shapes}"))) > 1
        # It needs no style sheet, and is light on a dark page too.
        assert not any("class" in node.attrib or "style" in node.attrib for node in drawn.iter())
        assert drawn[0].get("fill") == "rgb(255, 255, 255)"
    assert page.locator(".stage").count() == 0
    assert report.seen.errors == []


@pytest.fixture(scope="module")
def twenty():
    """Twenty systems, each a little worse than the one before."""
    gold = [[(f"w{word}", f"T{(word + line) % 5}") for word in range(6)] for line in range(20)]

    def worse(errors):
        return [
            [(word, "T0" if (7 * line + 3 * place) % 40 < errors else tag) for place, (word, tag) in enumerate(words)]
            for line, words in enumerate(gold)
        ]

    # Not in the order of their scores.
    systems = {f"a-system-with-a-long-name-{number}": worse(2 * number) for number in sorted(range(20), key=str)}
    measures = ["accuracy", "sentence-accuracy"]
    return assay.compare(gold, systems, times=20, embed="all", power=None, measures=measures)


def test_twenty_systems_can_be_used_on_a_phone(opened, twenty):
    report = opened(twenty, viewport={"width": 390, "height": 844}, has_touch=True)
    page = report.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    buttons = page.locator("#board button[data-system]")
    boxes = buttons.evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(({left, right, height}) => [left, right, height])"
    )
    assert len(boxes) == 20
    assert all(left >= 0 and right <= 390 and height >= 22 for left, right, height in boxes)
    buttons.nth(4).tap()
    buttons.nth(9).tap()
    report.wait("Math.abs(document.getElementById('compared').getBoundingClientRect().top) < innerHeight / 2")
    first, second = (buttons.nth(number).inner_text() for number in (4, 9))
    assert [first, second] == page.locator("#compared h2 bdi").all_inner_texts()
    inside = "all => all.every(one => one.getBoundingClientRect().right <= 390)"
    assert page.locator("#compared td:visible").evaluate_all(inside)
    # Layers of so many systems are folded.
    assert page.locator("#drawing .layers summary").inner_text() == "18 more systems"
    assert report.seen.errors == []


def test_a_baseline_is_pinned_and_systems_are_hidden(opened, twenty):
    report = opened(twenty)
    page, best = report.page, ranking(twenty, "accuracy")
    rows = page.locator("#board .board tbody tr")
    base, other = best[5], best[2]
    page.click(f"#board [aria-label='Pin {base.system} as the baseline']")
    assert rows.first.locator("th").inner_text() == base.system and rows.first.inner_text().startswith("6")
    assert rows.count() == 20
    test = next(row for row in twenty.main_tests if {row.a, row.b} == {base.system, other.system})
    difference = test.difference if test.a == base.system else -test.difference
    assert difference > 0 and rows.nth(3).locator("th").inner_text() == other.system
    assert signed(difference) in rows.nth(3).inner_text()
    # A click compares the baseline with a system; the address has both.
    rows.nth(3).locator("button.system").click()
    assert page.locator("#compared h2 bdi").all_inner_texts() == [base.system, other.system]
    page.click(f"#board [aria-label='Hide {best[0].system}']")
    assert rows.count() == 19 and page.inner_text("#board").count("1 system is hidden.") == 1
    # Ranks are those among all systems.
    assert rows.nth(1).inner_text().startswith("2")
    page.reload()
    page.wait_for_selector("html[data-ready='true']", state="attached")
    assert rows.count() == 19 and rows.first.locator("th").inner_text().startswith(base.system)
    page.click("#show-all")
    page.fill("#names", "name-1")
    report.wait("document.querySelectorAll('#board .board tbody tr').length === 12")
    page.click("#show-all")
    assert rows.count() == 20
    page.go_back()
    page.click("[data-pin][aria-pressed='true']")
    page.click("#show-all")
    assert rows.first.locator("th").inner_text() == best[0].system
    assert report.seen.errors == []


def test_a_cell_of_the_matrix_compares_its_row_with_its_column(opened, twenty):
    report = opened(twenty)
    page, best = report.page, [row.system for row in ranking(twenty, "accuracy")]
    page.click("#matrix summary")
    signs = page.locator("#matrix tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(one => one.innerText))"
    )
    tests = {(row.a, row.b): row for row in twenty.main_tests if row.measure == "accuracy"}
    for number, line in enumerate(signs):
        for across, sign in enumerate(line[1:]):
            a, b = best[number], best[across]
            test = tests.get((a, b)) or tests.get((b, a))
            expected = "" if test is None else "·" if not test.is_significant else "−" if across > number else "+"
            assert sign.strip() == expected, (a, b)
    # From the worst to the best: the direction is that of the cell, not of the Result.
    page.locator("#matrix tbody tr").last.locator("button").first.click()
    assert page.locator("#compared h2 bdi").all_inner_texts() == [best[-1], best[0]]
    assert page.get_attribute("#matrix", "open") is not None
    change = page.locator("#compared tbody tr").first.locator("td").nth(2).inner_text()
    assert change == signed(ranking(twenty, "accuracy")[0].value - ranking(twenty, "accuracy")[-1].value)
    assert report.seen.errors == []


def test_systems_are_ranked_by_a_measure_and_on_a_slice(opened):
    report = opened("tags")
    page, result = report.page, report.result
    sorted_by = page.locator("#board th[aria-sort]")
    assert sorted_by.get_attribute("aria-sort") == "descending" and "accuracy" in sorted_by.inner_text()
    page.click("#board [data-by='oov-accuracy']")
    assert sorted_by.inner_text() == result.title("oov-accuracy")
    page.select_option("#by", "accuracy")
    rows = [row for row in result.scores if (row.measure, row.label) == ("accuracy", None) and row.slice]
    page.select_option("#of", rows[0].slice)
    rows = [row for row in rows if row.slice == rows[0].slice]
    rows = sorted((row for row in rows if row.main), key=lambda row: -row.value)
    shown = page.locator("#board .board tbody tr").all_inner_texts()
    assert len(rows) == 3
    for row, text in zip(rows, shown, strict=True):
        assert row.system in text and percent(row.value) in text
    # Letters are results of tests on all data; a slice has none.
    assert page.locator("#board .groups").count() == 0
    assert "common letter" not in page.inner_text("#board")
    assert report.seen.errors == []


def test_a_pair_in_the_other_direction_is_that_of_systems_in_the_other_order(opened):
    gold, systems, chosen = options("spans")
    names = [Path(system).stem for system in systems]
    parts = ("#compared tbody", "#labels tbody", "#part-flow", "#part-changes", "#part-risk")
    texts = []
    for order in (systems, systems[::-1]):
        page = opened(assay.compare(gold, order, **chosen), hash_=f"#a={names[0]}&b={names[1]}").page
        texts.append([page.locator(part).evaluate("one => one.textContent") for part in parts])
        counts = page.locator("#changed button[data-filter]").evaluate_all("all => all.map(one => one.dataset.count)")
        texts[-1].append(sorted(counts, key=int))
    assert texts[0] == texts[1]


TIMES = """async () => {
  const until = async (action) => {
    const start = performance.now();
    action();
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    return performance.now() - start;
  };
  const choice = document.getElementById("by");
  const [{ startTime: paint }] = performance.getEntriesByName("first-contentful-paint");
  const sort = await until(() => {
    choice.selectedIndex = 1;
    choice.dispatchEvent(new Event("change"));
  });
  const click = (row) => document.querySelector(`#board tbody tr:${row}-child .system`).click();
  const pair = await until(() => ["last", "first"].forEach(click));
  const matrix = await until(() => document.querySelector("#matrix summary").click());
  return { paint, sort, pair, matrix };
}"""


def many(number, size):
    """Systems of which each has some more errors than the one before, in part other ones."""
    gold = [[(f"w{(7 * line + word) % 997}", f"T{(word + line) % 9}") for word in range(15)] for line in range(size)]
    systems = {
        f"system-{name}": [
            [
                (word, "T0" if (31 * line + 7 * place + name) % 97 < 3 + name // 4 else tag)
                for place, (word, tag) in enumerate(words)
            ]
            for line, words in enumerate(gold)
        ]
        for name in range(number)
    }
    measures = ["accuracy", "sentence-accuracy"]
    return assay.compare(gold, systems, times=20, embed="all", power=None, measures=measures)


@pytest.mark.parametrize(
    ("number", "size"),
    [(20, 20), *(pytest.param(number, 3000, marks=pytest.mark.slow) for number in (60, 100))],
)
def test_how_long_many_systems_take_is_logged(opened, twenty, number, size):
    result = twenty if number == 20 else many(number, size)
    report = opened(result)
    page = report.page
    ready = page.evaluate("performance.now()")
    times = {"ready": ready, **page.evaluate(TIMES)}
    best = ranking(result, "sentence-accuracy")
    assert page.locator("#board .board tbody tr").count() == number
    assert page.locator("#board .board tbody th").first.inner_text().startswith(best[0].system)
    assert page.locator("#matrix td button").count() == number * (number - 1)
    # Tables have their first rows, and say how many more there are.
    rows = page.evaluate("Math.max(...[...document.querySelectorAll('#tables tbody')].map(({rows}) => rows.length))")
    is_cut = "more rows; the exports contain them" in page.text_content("#tables")
    assert rows <= 500 and is_cut == (number > 30)
    logged = ", ".join(f"{name} {time:.0f} ms" for name, time in times.items())
    logging.getLogger(__name__).info("%d systems, %d sentences: %s", number, size, logged)
    assert report.seen.errors == []


# --- who can use it ---


def axe() -> str:
    """The script of axe-core: in the file that AXE names, or where node finds it."""
    found = os.environ.get("AXE", "")
    if not found and shutil.which("node"):
        asked = ["node", "-p", "require.resolve('axe-core/axe.min.js')"]
        found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not found:
        pytest.skip("axe-core is not installed: npm install axe-core; AXE names axe.min.js where node finds none")
    return Path(found).read_text("utf-8")


@pytest.mark.parametrize(
    ("what", "scheme"), [("spans", "light"), ("links", "dark"), ("runs", "dark"), ("many", "light"), ("many", "dark")]
)
def test_axe_finds_nothing_serious(opened, twenty, what, scheme):
    from unit.render.pictures.drawn import paper

    script = axe()
    made = {"runs": paper, "many": lambda: twenty}
    report = opened(made[what]() if what in made else what, color_scheme=scheme, hash_="#pairs=open&tab=bound")
    # Tables are like one another, and too many to be looked at each time.
    report.page.evaluate(f"document.getElementById('tables').{'open = true' if what == 'links' else 'remove()'}")
    report.page.evaluate(script)
    found = report.page.evaluate(
        "axe.run().then(({violations}) => violations.filter(one => ['serious', 'critical'].includes(one.impact))"
        ".map(one => [one.id, one.nodes.slice(0, 3).map(node => node.html.slice(0, 200))]))"
    )
    assert found == []


TELL = """<script>
const wrong = [];
addEventListener("error", (event) => wrong.push(event.message));
addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason)));
const waiting = setInterval(() => {
  if (!document.documentElement.dataset.ready && !wrong.length) return;
  clearInterval(waiting);
  document.querySelector("#changed [data-filter='correction']").click();
  const names = [...document.querySelectorAll("#board .system")].map((name) => name.textContent);
  const plots = [...document.querySelectorAll("#board tbody circle")].map((dot) => dot.getBoundingClientRect().left);
  const { items } = document.getElementById("hits").dataset;
  fetch("/", { method: "POST", body: JSON.stringify({ wrong, names, plots, items }) });
}, 50);
</script>"""


def test_firefox_shows_the_page_too(results, tmp_path):
    firefox = os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
    if not firefox:
        pytest.skip("no Firefox on this machine")
    result = results("spans")
    # The page may tell nobody anything; this one tells us what it shows.
    text = render(result, "html").replace("default-src 'none'", "default-src 'self'")
    text = text.replace("<body>", f"<body>{TELL}", 1)
    told: queue.Queue[dict] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self):
            told.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        command = [firefox, "--headless", "--no-remote", "--profile", str(tmp_path), address]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, **quiet) as running:
            try:
                found = told.get(timeout=120)
            finally:
                running.terminate()
                server.shutdown()
    assert found["wrong"] == []
    best = ranking(result, "exact")
    assert found["names"] == [row.system for row in best]
    assert found["plots"] == sorted(found["plots"], reverse=True) and len(set(found["plots"])) == len(best)
    assert int(found["items"]) == next(row.corrections for row in result.diffs if row.slice is None)


def test_a_margin_is_a_band_in_the_plot_of_differences(opened):
    gold, systems, chosen = options("two taggers")
    result = assay.compare(gold, systems, margin="accuracy=2pt", **chosen)
    report = opened(result)
    page, (test,) = report.page, [row for row in result.main_tests if row.margin is not None]
    assert page.inner_text(".kind summary") == f"Verdict: {test.kind.replace('-', ' ')}"
    plots = page.locator("#compared tbody tr:has(svg)")
    bands = [row.locator(".band").count() for row in plots.all()]
    assert bands == [int(row.measure == "accuracy") for row in result.main_tests]
    assert page.inner_text("#margin").strip() == "Within the margin: accuracy ±2.00 points."
    assert "margin ±2.00" in page.locator("#compared tbody svg title").first.text_content()
    # As wide as the margin, on the axis of the interval.
    band, span = (plots.first.locator(name).first for name in (".band", ".span"))
    low, high, width = (
        float(shape.get_attribute(name).rstrip("%")) for shape, name in ((span, "x1"), (span, "x2"), (band, "width"))
    )
    assert width / (high - low) == pytest.approx(2 * 0.02 / (test.high_family - test.low_family), rel=0.001)
    assert report.seen.errors == []
    plain = opened("two taggers").page
    assert plain.locator(".band").count() == plain.locator("#margin").count() == 0


def test_the_scores_of_humans_and_judge_are_on_the_first_screen(opened, tmp_path):
    labels = ["yes" if number % 3 else "no" for number in range(200)]
    wrong = {"human": 200, "judge": 4, "a": 5, "b": 2}
    for name, step in wrong.items():
        rows = [f"i{n},{'other' if n % step == step - 1 else label}" for n, label in enumerate(labels)]
        number = 60 if name == "human" else 200
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,label", *rows[:number]]), "utf-8")
    human, judge, *systems = (str(tmp_path / f"{name}.csv") for name in wrong)
    result = assay.compare(human, systems, "accuracy", judge=judge, times=200)
    for width in (1400, 390):
        report = opened(result, viewport={"width": width, "height": 900})
        rows = [" ".join(text.split()) for text in report.page.locator("#judges tbody tr").all_inner_texts()]
        assert len(rows) == len(result.judges) == 3
        for row, text in zip(result.judges, rows, strict=True):
            write = percent if row.minus is None else signed
            assert text.startswith(row.system if row.minus is None else f"{row.system} − {row.minus}")
            for value, low, high in ((row.humans, row.humans_low, row.humans_high), (row.value, row.low, row.high)):
                assert f"{write(value)} [{write(low)}, {write(high)}]" in text
            assert write(row.judge) in text
        assert "the judge labelled 140 more" in report.page.inner_text("#judges")
        assert report.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert report.seen.errors == []
    assert opened("items").page.locator("#judges").count() == 0
