"""The report page in a real browser: what it shows is what the Result says."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.browser.conftest import TASKS, WIDE

from assay.result.numbers import percent, signed

LINES_OF_A_WORD = """() => {
  const cell = document.querySelector("#compared tbody th");
  document.getElementById("compared").style.width = "30rem";
  cell.textContent = "TedEval (labelled=false)";
  const range = document.createRange();
  range.setStart(cell.firstChild, 8);
  range.setEnd(cell.firstChild, 24);
  return range.getClientRects().length;
}"""
KINDS = {
    "correction": "corrections",
    "new-error": "new_errors",
    "changed-error": "changed_errors",
    "both-right": "both_right",
    "same-error": "same_error",
    "different": "different",
}


@pytest.mark.parametrize("task", TASKS)
def test_the_page_needs_one_request_and_makes_no_error(shared, task):
    report = shared(task)
    assert len(report.seen.requests) == 1
    assert report.seen.errors == []


@pytest.mark.parametrize("task", TASKS)
def test_the_kinds_of_change_are_counted_as_in_the_result(shared, task):
    report = shared(task)
    on = report.result.texts["on"]
    names = [source.name for source in report.result.systems[:2]]
    diff = next(row for row in report.result.diffs if row.on == on and row.slice is None and [row.a, row.b] == names)
    for kind, field in KINDS.items():
        button = report.page.locator(f"#changed [data-filter='{kind}']").first
        assert int(button.get_attribute("data-count")) == getattr(diff, field), kind


@pytest.mark.parametrize("task", TASKS)
def test_every_count_leads_to_as_many_items(shared, task):
    report = shared(task)
    buttons = report.page.locator("button.count[data-query]")
    found = buttons.evaluate_all("all => all.map(one => [one.dataset.query, Number(one.dataset.count)])")
    assert len(found) > 10
    chosen = dict(found[:: max(1, len(found) // 10)])
    for query, count in chosen.items():
        report.page.evaluate("query => { location.hash = 'q=' + encodeURIComponent(query) }", query)
        report.wait(f"Number(document.getElementById('hits').dataset.items) === {count}")


def test_the_difference_of_f1_stands_beside_what_is_won_on_balance(shared):
    report = shared("coreference")
    (diff,) = report.result.diffs
    row = report.page.locator("#changed .scroll:has-text('Δ F1') tbody tr")
    assert row.locator("th").inner_text() == report.result.title(diff.on)
    assert row.locator("td").all_inner_texts()[1:] == [signed(diff.difference), f"{diff.net:+}".replace("-", "−")]


def test_outcomes_that_became_others_are_given_in_percent_of_all_changes(shared):
    report = shared("coreference")
    (diff,) = report.result.diffs
    rows = report.page.locator("#changed table[aria-label^='Changes of outcome'] tbody tr")
    shown = [texts.split()[-1].removesuffix("%") for texts in rows.all_inner_texts()]
    assert shown == [percent(change.share_of_changes) for change in diff.outcomes]


# --- moving about ---


def test_a_page_opens_with_the_first_sentence_in_which_systems_differ(opened):
    report = opened("spans")
    chosen = int(report.page.get_attribute("#list [aria-selected='true']", "data-text"))
    report.query("change:different")
    differing = int(report.page.get_attribute("#list [role='option']", "data-text"))
    assert chosen == differing > 0


def test_labels_are_sorted_and_sentences_filtered_by_counts_queries_words_and_the_address(opened):
    report = opened("two taggers")
    page, (diff,), texts = report.page, report.result.diffs, report.result.texts
    page.select_option("#label-sort", label="by size of difference")
    shown = page.locator("#labels tbody tr th").all_inner_texts()
    sizes = {row.label: abs(row.difference) for row in diff.labels}
    assert [sizes[label] for label in shown] == sorted(sizes.values(), reverse=True)[: len(shown)]

    page.click("#changed [data-filter='correction']")
    assert report.number("items") == diff.corrections
    assert page.get_attribute("#list [role='option']", "aria-setsize") == str(report.number("texts"))
    report.query("length>12")
    both = report.number("items")
    address = page.evaluate("location.hash")
    assert "q=" in address and both < diff.corrections
    page.reload()
    page.wait_for_selector("html[data-ready='true']", state="attached")
    assert (report.number("items"), page.evaluate("location.hash")) == (both, address)
    page.go_back()
    report.wait(f"Number(document.getElementById('hits').dataset.items) === {diff.corrections}")

    page.keyboard.press("0")
    word = texts["vocabulary"][texts["words"][0]]
    page.fill("#search", word)
    page.press("#search", "Enter")
    report.wait(f"Number(document.getElementById('hits').dataset.texts) < {texts['embedded']}")
    places = page.locator("#list [role='option']").evaluate_all("all => all.map(one => Number(one.dataset.text))")
    assert places
    for place in places:
        first = sum(texts["lengths"][:place])
        codes = texts["words"][first : first + texts["lengths"][place]]
        assert word.casefold() in " ".join(texts["vocabulary"][code] for code in codes).casefold()


def test_the_whole_way_by_keyboard(opened):
    report = opened("two taggers")
    page = report.page
    page.keyboard.press("1")
    report.wait("document.querySelector('#changed [data-filter=correction]').getAttribute('aria-pressed') === 'true'")
    assert report.number("items") == report.result.diffs[0].corrections
    first = page.get_attribute("#list [aria-selected='true']", "data-text")
    page.keyboard.press("j")
    report.wait(f"document.querySelector('#list [aria-selected=true]').dataset.text !== '{first}'")
    page.keyboard.press("k")
    report.wait(f"document.querySelector('#list [aria-selected=true]').dataset.text === '{first}'")
    page.keyboard.press("n")
    page.wait_for_selector("#drawing [data-current]", state="attached")
    page.keyboard.press("a")
    report.wait("document.querySelector(\"#drawing [data-layer='1']\").getAttribute('aria-pressed') === 'false'")
    page.keyboard.press("?")
    page.wait_for_selector("dialog#help[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog#help:not([open])", state="attached")
    page.keyboard.press("e")
    page.wait_for_selector("dialog#exports[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    report.wait("document.activeElement.id === 'search'")
    page.keyboard.type("jk12")
    assert page.input_value("#search") == "jk12"
    assert report.seen.errors == []


@pytest.mark.parametrize(
    ("query", "explained"),
    [
        ("gold:", 'Write a value after "gold:".'),
        ("length>", 'Write a value after "length>".'),
        ("length>many", '"length" needs a whole number, e.g. length>5.'),
        ("change:nothing", '"change" cannot be "nothing". Write one of: correction, new-error, changed-error, '),
        ("colour:red", 'Unknown field "colour". Write one of: text, id, length, change, gold, a, b, '),
        ("credit:improved", 'Unknown field "credit". Write one of: text, id, length, change, gold, a, b, '),
    ],
)
def test_a_query_that_cannot_be_asked_is_explained_and_changes_nothing(shared, query, explained):
    report = shared("two taggers")
    before = report.number("items")
    report.query(query)
    assert report.page.inner_text("#query-error").startswith(explained)
    assert report.page.input_value("#query") == query
    assert report.number("items") == before


def test_gains_and_losses_of_partial_credit_are_listed(opened):
    report = opened("partial credit")
    diff = report.result.diffs[0]
    assert diff.improved and diff.worsened and diff.sideways
    for course in ("improved", "worsened", "sideways"):
        report.page.click(f"#changed [data-filter='{course}']")
        assert report.number("items") == getattr(diff, course), course


# --- drawings ---


def test_lines_follow_the_window_and_the_paper(opened):
    report = opened("dependencies", hash_="#sort=longest")
    lines = "document.querySelectorAll('#drawing svg').length"
    widths = "[...document.querySelectorAll('#drawing svg')].map((svg) => +svg.getAttribute('width'))"
    wide = report.page.evaluate(lines)
    report.page.set_viewport_size({"width": 390, "height": 800})
    report.wait(f"{lines} > {wide}")
    assert max(report.page.evaluate(widths)) < 390
    report.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert 390 < max(report.page.evaluate(widths)) < 700
    report.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert max(report.page.evaluate(widths)) < 390


# A card is a table itself.
@pytest.mark.parametrize("task", [task for task in TASKS if task != "items"])
def test_every_drawing_has_a_table_of_the_same(shared, task):
    report = shared(task)
    report.page.keyboard.press("j")
    report.page.wait_for_selector("#drawing details.as-table", state="attached")
    table = report.page.locator("#drawing details.as-table").first.text_content()
    text = report.page.locator("#drawing").first.text_content()
    chosen = int(report.page.get_attribute("#list [aria-selected='true']", "data-text"))
    texts = report.result.texts
    first = sum(texts["lengths"][:chosen])
    words = {texts["vocabulary"][code] for code in texts["words"][first : first + texts["lengths"][chosen]]}
    assert all(word in text for word in words)
    assert any(word in table for word in words)
    assert report.seen.errors == []


# --- looks ---


def luminance(colour: str) -> float:
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


COLOURS = """selector => { const style = getComputedStyle(document.querySelector(selector));
  let box = document.querySelector(selector);
  while (box && getComputedStyle(box).backgroundColor === 'rgba(0, 0, 0, 0)') box = box.parentElement;
  return [style.color, getComputedStyle(box || document.body).backgroundColor]; }"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_dark(shared, scheme):
    report = shared("two taggers")
    report.page.emulate_media(color_scheme=scheme)
    for selector in ("#verdict", "#changed button.count", "#hits", "#list [role='option']", ".heading"):
        text, ground = report.page.evaluate(COLOURS, selector)
        assert contrast(text, ground) >= 4.5, (selector, text, ground)


def test_dark_differs_from_light_and_the_button_overrides_it(opened):
    report = opened("two taggers", color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = report.page.evaluate(ground)
    report.page.click("#theme")
    report.page.click("#theme")
    assert report.page.get_attribute("html", "data-theme") == "dark"
    assert luminance(report.page.evaluate(ground)) < 0.1 < luminance(light)


def test_paper_gets_what_is_in_view_in_light_colours_and_no_controls(opened):
    report = opened("two taggers", color_scheme="dark")
    seen = report.page.evaluate("Math.ceil(document.getElementById('list').clientHeight / 30)")
    report.page.locator("#list").evaluate("list => { list.scrollTop = 300 }")
    report.wait("document.querySelector('#list [role=option]').dataset.position === '0'")
    report.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    report.page.emulate_media(media="print")
    for selector in ("#tools", "#filters", ".steps", "#drawing .choices", "#drawing details"):
        assert not report.page.locator(selector).first.is_visible(), selector
    rows = report.page.locator("#list .row:visible")
    assert rows.first.get_attribute("data-position") == "10"
    assert rows.count() <= seen + 1
    # No two of them on one another.
    boxes = [row.bounding_box() for row in rows.all()]
    assert all(above["y"] + above["height"] <= below["y"] + 0.5 for above, below in pairwise(boxes))
    paper, ink = report.page.evaluate(COLOURS, "#verdict")[::-1]
    assert luminance(ink) < 0.1
    assert luminance(paper) > 0.9 or paper == "rgba(0, 0, 0, 0)"
    assert report.page.locator("#signature:visible").inner_text() == report.result.signature
    # Of tables and tabs, what is open.
    assert report.page.locator(".tabpanel:visible").count() == 1
    assert not report.page.locator("#tables table:visible").count()
    short = report.page.pdf().count(b"/Type /Page\n")
    report.page.locator("#tables").evaluate("tables => { tables.open = true }")
    assert report.page.pdf().count(b"/Type /Page\n") > short > 0


@pytest.mark.parametrize("task", TASKS)
def test_nothing_sticks_out_of_a_narrow_window(shared, task):
    page = shared(task).page
    page.set_viewport_size({"width": 360, "height": 700})
    found = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size(WIDE)
    assert found <= 361


# --- exports ---


@pytest.mark.parametrize("task", ["two taggers", "spans"])
def test_exports_are_what_the_command_line_writes(shared, task):
    from dataclasses import replace

    from assay.render import render

    report = shared(task)
    plain = replace(report.result, texts=None)
    report.page.keyboard.press("e")
    for title, form in {"LaTeX": "latex", "Markdown": "md", "TSV": "tsv", "CSV": "csv", "JSON": "json"}.items():
        report.page.click(f"dialog#exports [data-format='{title}']")
        report.page.wait_for_selector(f"#export-text[data-shown='{title}']")
        assert report.page.input_value("#export-text") == render(plain, form).removesuffix("\r")
    report.page.click("dialog#exports [data-format='BibTeX']")
    report.page.wait_for_selector("#export-text[data-shown='BibTeX']")
    assert "@" in report.page.input_value("#export-text")


# --- what can go wrong ---


def test_without_decompression_the_tables_stay(opened):
    report = opened("two taggers", before="delete window.DecompressionStream", ready=False)
    assert "DecompressionStream" in report.page.inner_text("#without-script")
    assert report.page.locator("#tables table").first.is_visible()


HOSTILE = [
    "</script><img src=x onerror=window.hit=1>",
    "<!--",
    "&amp;<b>",
    "\"'`",
    "שלום",
    "e\u0301",
    "👩‍👩‍👧",
    "x" * 500,
    "\u202eabc",
    "javascript:window.hit=1",
]


def test_text_from_data_is_shown_and_never_run(opened):
    import assay

    gold = [[(word, f"<i>{place}") for place, word in enumerate(HOSTILE)]] * 3
    system = [[(word, "<script>window.hit=1</script>") for word in HOSTILE]] * 3
    result = assay.compare(gold, {"<img src=x onerror=window.hit=1>": system, "b": gold}, times=20, embed="all")
    report = opened(result)
    report.page.keyboard.press("j")
    report.page.wait_for_selector("#drawing details.as-table", state="attached")
    assert report.page.evaluate("window.hit") is None
    assert report.page.locator("img, #app i, #app script").count() == 0
    assert HOSTILE[0] in report.page.locator("#drawing").text_content()
    assert report.seen.errors == []
    assert len(report.seen.requests) == 1


def test_right_to_left_text_has_its_direction(opened):
    import assay

    gold = [[("שלום", "A"), ("עולם", "B")], [("مرحبا", "A"), ("بالعالم", "B")]]
    report = opened(
        assay.compare(gold, {"a": gold, "b": [[(w, "A") for w, _ in s] for s in gold]}, times=20, embed="all")
    )
    words = report.page.locator("#list .row-words")
    assert words.evaluate_all("all => all.map(one => getComputedStyle(one).direction)") == ["rtl", "rtl"]
    svg = report.page.locator("#drawing .drawing-svg")
    first, second = (svg.locator(".word", has_text=word).bounding_box()["x"] for word in ("שלום", "עולם"))
    assert first > second


def test_identical_systems_are_said_to_be_so(opened):
    import assay

    gold = [[("a", "A"), ("b", "B")]] * 30
    report = opened(assay.compare(gold, {"one": gold, "other": gold}, times=20, embed="all"))
    said = report.page.inner_text("#verdict")
    assert said == "On accuracy, one and other do not differ in any sentence."
    counts = report.page.locator("#changed .kinds .count").evaluate_all("all => all.map(one => one.dataset.count)")
    assert counts == ["0", "0", "0", "0", "60"]
    assert report.seen.errors == []


def test_one_system_shows_its_errors(opened, results):
    from tests.browser.conftest import options

    import assay

    gold, systems, chosen = options("two taggers")
    report = opened(assay.score(gold, systems[:1], **chosen))
    wrong = report.page.locator("#changed [data-filter='wrong']").first
    counts = next(row.counts for row in report.result.counts if row.measure == "accuracy")
    assert int(wrong.get_attribute("data-count")) == counts["gold"] - counts["right"]
    wrong.click()
    assert report.number("items") == counts["gold"] - counts["right"]


def test_a_result_without_sentences_has_a_page_too(opened, results):
    from dataclasses import replace

    report = opened(replace(results("spans"), texts=None))
    assert report.page.locator("#tables table").count() > 3
    assert report.page.evaluate(LINES_OF_A_WORD) == 1
    assert report.seen.errors == []


def test_annotators_are_ranked_in_pairs_and_their_mean_stands_below(opened):
    import assay
    from assay.demo import FOLDER

    files = [FOLDER / f"entities/{name}.tsv" for name in ("rules", "crf-names", "crf-shapes")]
    report = opened(assay.agreement(files, times=20))
    board = report.page.locator("#board table")
    assert board.locator("thead th").first.inner_text() == "pair"
    rows = [row.split("\t")[:2] for row in board.locator("tbody tr").all_inner_texts()]
    assert rows == [
        *(["1", "crf-names ~ crf-shapes"], ["2", "crf-names ~ rules"], ["3", "crf-shapes ~ rules"]),
        ["", "mean of all pairs"],
    ]
    assert report.seen.errors == []


def test_coefficients_are_written_as_in_the_tables(opened):
    import assay
    from assay.demo import FOLDER
    from assay.result.numbers import WRITERS

    files = [FOLDER / f"english/{name}.conllu" for name in ("gold", "hanta", "udpipe")]
    result = assay.compare(files[0], files[1:], ["kappa", "accuracy"], times=20)
    report = opened(result)
    shown = report.page.locator("#board table tbody").inner_text()
    for name in ("hanta", "udpipe"):
        row = result.score(name, "kappa")
        write = WRITERS["coefficient"]
        assert write(row.value) in shown and f"[{write(row.low)}, {write(row.high)}]" in shown
    test = result.main_tests[0]
    assert WRITERS["coefficient-difference"](test.difference) in report.page.locator("#compared table").inner_text()
    assert report.seen.errors == []


# --- large ones ---


@pytest.mark.parametrize("sentences", [10_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_many_thousand_sentences_open_in_time(opened, sentences):
    import numpy as np

    import assay

    rng = np.random.default_rng(0)
    words = [f"word{number}" for number in range(5000)]
    tags = [f"T{number}" for number in range(30)]
    chosen = rng.zipf(1.3, size=(sentences, 16)) % len(words)
    gold_tags = chosen % len(tags)
    outputs = {}
    for name, share in (("a", 0.05), ("b", 0.04)):
        wrong = rng.random(gold_tags.shape) < share
        outputs[name] = np.where(wrong, (gold_tags + 1) % len(tags), gold_tags)

    def corpus(codes):
        return [
            [(words[word], tags[tag]) for word, tag in zip(row, labels, strict=True)]
            for row, labels in zip(chosen.tolist(), codes.tolist(), strict=True)
        ]

    result = assay.compare(
        corpus(gold_tags), {name: corpus(codes) for name, codes in outputs.items()}, times=50, embed="all"
    )
    report = opened(result)
    assert result.texts["embedded"] == sentences
    # The budget is 2 s on a quiet machine; this one may be busy, and a test must not fail for that.
    assert report.page.evaluate("performance.now()") < 20_000
    report.page.click("#changed [data-filter='correction']")
    assert report.number("items") == result.diffs[0].corrections
    report.page.locator("#list").evaluate("list => { list.scrollTop = list.scrollHeight }")
    report.wait(
        "Number(document.querySelector('#list [role=option]:last-child').getAttribute('aria-posinset')) > 100"
    )
    assert report.page.locator("#list [role='option']").count() < 120


def test_a_sample_is_said_to_be_one(opened, monkeypatch):
    from tests.browser.conftest import options

    import assay
    from assay.engine import texts

    monkeypatch.setattr(texts, "MOST_TEXTS", 20)
    gold, systems, chosen = options("two taggers")
    report = opened(assay.compare(gold, systems, **chosen))
    assert report.result.texts["how"] == "sample"
    text = report.page.inner_text("#app")
    assert "20" in text and str(report.result.texts["total"]) in text and "sample" in text.casefold()


def test_the_page_of_many_shards_lists_what_it_counts(opened, tmp_path, monkeypatch):
    import assay
    from assay.engine import run as shards
    from assay.engine import texts
    from pieces import folders

    monkeypatch.setattr(shards, "TEXT", 1)
    gold, systems = folders(tmp_path, "entities", "gold.tsv", ("rules.tsv", "spacy.tsv"), pieces=4)
    report = opened(assay.compare(gold, systems, times=20, embed="auto"))
    report.page.click("#changed [data-filter='correction']")
    assert report.number("items") == report.result.diffs[0].corrections > 0
    assert report.page.locator("#part").count() == 0
    monkeypatch.setattr(texts, "MOST_TEXTS", 20)
    report = opened(assay.compare(gold, systems, times=20, embed="auto"))
    said = report.page.inner_text("#part")
    assert said.startswith("This page lists 20 of 145 sentences: a random sample of those with errors.")
    assert report.seen.errors == []


# --- confusion of spans ---


def matrix(report, tab):
    """The confusion matrix of a tab: names of rows and columns, and the numbers in each cell, pieces included."""
    table = report.page.locator(f"#part-{tab} table.heat").first
    return table.evaluate("""table => ({
      columns: [...table.tHead.rows[0].cells].slice(1).map(cell => cell.title),
      rows: [...table.tBodies[0].rows].map(row => row.cells[0].title),
      cells: [...table.tBodies[0].rows].map(row => [...row.cells].slice(1).map(
        cell => (cell.textContent.match(/\\d+/g) ?? []).reduce((sum, number) => sum + Number(number), 0))),
      buttons: [...table.querySelectorAll("button.count")].map(one => [one.dataset.query, Number(one.dataset.count)]),
    })""")


@pytest.mark.parametrize(("tab", "system"), [("confusion-a", "rules"), ("confusion-b", "crf-names")])
def test_the_confusion_of_spans_has_boundary_errors_and_what_is_spurious_or_missing(shared, tab, system):
    report = shared("spans")
    shown = matrix(report, tab)
    assert shown["columns"][-1] == "∅"
    assert (shown["rows"][-1] == "∅") or not any(row.type == "fp" for row in report.result.confusion)
    expected = {}
    for row in report.result.confusion:
        if row.system == system and row.type != "tp":
            key = (row.gold or "∅", row.assigned or "∅")
            expected[key] = expected.get(key, 0) + row.count
    found = {
        (gold, assigned): number
        for gold, line in zip(shown["rows"], shown["cells"], strict=True)
        for assigned, number in zip(shown["columns"], line, strict=True)
        if number
    }
    assert found == expected
    rows = [row for row in report.result.error_types if (row.system, row.measure) == (system, "fair")]
    types = {row.type: row.count for row in rows}
    assert sum(number for (gold, assigned), number in found.items() if gold == assigned) == sum(
        types[name] for name in ("bes", "bel", "beo")
    )
    assert sum(number for (gold, _), number in found.items() if gold == "∅") == types["fp"]
    assert sum(number for (_, assigned), number in found.items() if assigned == "∅") == types["fn"]
    for query, count in shown["buttons"]:
        report.page.evaluate("query => { location.hash = 'q=' + encodeURIComponent(query) }", query)
        report.wait(f"Number(document.getElementById('hits').dataset.items) === {count}")


def test_identifiers_of_a_text_lead_to_their_addresses(open_report, tmp_path):
    report = open_report(tmp_path / "links.html", "links")
    report.wait("document.querySelector('.drawing-links a') !== null")
    shown = "links => links.map((link) => [link.textContent, link.href])"
    found = report.page.eval_on_selector_all(".drawing-links a", shown)
    assert ["E1 Ada Lund", "https://kb.example/E1"] in found
    assert all(href == f"https://kb.example/{name.split()[0]}" and name != "NIL" for name, href in found)
