"""Items without words on the report page: cards, their filters and orders, and texts that contain markup."""

from __future__ import annotations

from tests.itemtables import MARKUP, make_tables

import assay


def test_a_card_shows_texts_metadata_and_answers_with_confidences(shared):
    report = shared("items")
    report.page.evaluate("location.hash = 'text=0'")
    report.page.wait_for_selector("#drawing h3 bdi:text-is('r1')")
    card = report.page.locator("#drawing .card")
    assert card.locator("dt").all_inner_texts() == ["premise", "hypothesis"]
    assert card.locator("dd").first.inner_text() == MARKUP
    assert report.page.evaluate("window.hacked") is None and not report.seen.errors
    gold, *systems = make_tables()
    rows = card.locator("table tr").all_inner_texts()
    marked = [f"{'✓' if one.labels[0] == gold.labels[0] else '✗'} {one.labels[0]}" for one in systems]
    assert [row.split("\t")[1] for row in rows] == [gold.labels[0], *marked]
    assert [row.split("\t")[-1] for row in rows[1:]] == [f".{round(100 * one.confidence[0]):02}" for one in systems]


def test_items_are_found_by_text_metadata_confidence_and_missing_answers(shared):
    report, tables = shared("items"), make_tables()
    gold, a, _ = tables
    for query, wanted in {
        "meta:domain=film": gold.metadata["domain"].isin(["film"]).sum(),
        "a-confidence>0.9": (a.confidence > 0.9).sum(),
        'a:"(no answer)"': 1,
        "script": 1,
        "meta:domain=": 0,
    }.items():
        report.page.evaluate("query => { location.hash = 'q=' + encodeURIComponent(query) }", query)
        report.wait(f"Number(document.getElementById('hits').dataset.items) === {wanted}")
    report.query("meta:city=Rome")
    assert report.page.inner_text("#query-error") == "Write meta:KEY=VALUE with one of: domain."


def test_the_surest_errors_come_first_and_long_texts_are_folded(shared):
    report, (gold, a, b) = shared("items"), make_tables()
    wrong = {
        f"r{row + 1}": one.confidence[row]
        for one in (a, b)
        for row in range(len(gold))
        if one.labels[row] != gold.labels[row] and one.labels[row]
    }
    report.page.select_option("#sort", "surest")
    first = report.page.locator("#list .row-id").first.inner_text()
    assert wrong[first] == max(wrong.values())
    report.page.evaluate("location.hash = 'text=1'")
    report.page.wait_for_selector("#drawing h3 bdi:text-is('r2')")
    assert len(report.page.locator("#drawing dd").first.inner_text()) == 401
    report.page.click("#fold")
    assert len(report.page.locator("#drawing dd").first.inner_text()) > 900


def test_items_without_texts_say_how_to_name_their_column(opened):
    gold, *systems = (table.corpus() for table in make_tables(texts=()))
    report = opened(assay.compare(gold, systems, embed="all", times=50))
    assert "items(text=COLUMN)" in report.page.inner_text("#drawing .card")
    assert "domain" in report.page.locator("#list .row").first.inner_text()


def test_a_threshold_moves_the_table_and_bins_lead_to_their_items(shared):
    report, (gold, a, _) = shared("items"), make_tables()
    answered = ~a.missing
    right = [row for row in range(len(gold)) if gold.labels[row] == a.labels[row]]
    page = report.page
    page.focus("#threshold")
    for key, threshold in (("Home", 0.0), ("End", max(table.confidence.max() for table in make_tables()[1:]))):
        page.keyboard.press(key)
        cells = page.locator(".threshold tbody tr").first.inner_text().split("\t")
        wanted = [int((a.confidence[answered] >= threshold).sum()), sum(a.confidence[right] >= threshold)]
        assert [int(cell) for cell in cells[1:3]] == wanted
    page.locator("#confidence summary").first.click()
    bins = report.result.calibration("a").bins
    page.locator("#confidence details tbody button.count").nth(len(bins) - 1).click()
    assert report.number("items") == bins[-1].items


def test_an_average_over_labels_has_one_name(shared):
    report = shared("items")
    assert report.page.locator("#by option").all_inner_texts()[:2] == ["by accuracy", "by macro label F1"]
    assert "macro label F1" in report.page.locator("#compared tbody").all_inner_texts()[0]


def test_graded_items_are_improved_or_worsened_and_the_largest_difference_comes_first(opened):
    gold, a, b = [1.5, 2.0, 3.0], [1.5, 5.0, 4.0], [2.0, 2.5, 4.0]
    report = opened(assay.compare(gold, {"a": a, "b": b}, embed="all", times=50))
    page = report.page
    assert page.locator("#list .row-gain").all_inner_texts() == ["3 → 0.5", "0 → 0.5", "1 → 1"]
    assert page.locator("#drawing .card tr").all_inner_texts()[-1].split("\t")[-1] == "error 0.5"
    for name in ("improved", "worsened"):
        page.click(f"#changed [data-filter={name}]")
        assert report.number("items") == 1 and not page.inner_text("#query-error")
    assert "✗" not in page.inner_text("#app") and not report.seen.errors
    scores = opened(assay.compare(None, {"a": [0, 1], "b": [1, 1]}, "mean", embed="all", times=50)).page
    assert scores.locator("#drawing .card tr").all_inner_texts()[0].split("\t")[-1] == "score 0"
    assert "gold" not in scores.inner_text("#drawing .card")
