"""Records on the report page: values in rows, gold and systems in columns, filters, counts, values in the text."""

from __future__ import annotations

import assay

ITEMS = [{"name": "tea", "price": 2.5}, {"name": "<b>oil</b>", "price": 12.5}]
GOLD = [
    {"id": "d1", "text": "Acme sold tea.", "record": {"vendor": "Acme", "items": ITEMS[:1]}},
    {"id": "d2", "text": "Bolt sold oil at 12.50 to <Acme>.", "record": {"vendor": "Bolt", "items": ITEMS}},
]
ADDED = [{"name": "rope", "price": 9}, {**ITEMS[1], "price": 21.5}]
ANSWERS = {
    "one": [{"id": "d1", "record": {"vendor": "Acme"}}, GOLD[1]],
    "two": [GOLD[0], {"id": "d2", "record": {"vendor": "Bolf", "items": ADDED}}],
}


def test_a_card_has_a_row_for_each_value_with_dashes_and_what_differs(opened):
    report = opened(assay.compare(GOLD, ANSWERS, times=5, embed="all"))
    report.page.evaluate("location.hash = 'text=1'")
    report.page.wait_for_selector("#drawing h3 bdi:text-is('d2')")
    rows = [row.split("\t") for row in report.page.locator("#drawing .card tr").all_inner_texts()]
    assert [[cell.strip() for cell in row] for row in rows[1:]] == [
        ["vendor", "Bolt", "✓ Bolt", "✗ Bolf wrong, hallucinated"],
        ["items[0].name", "tea", "✓ tea", "✗ – missing"],
        ["items[0].price", "2.5", "✓ 2.5", "✗ – missing"],
        ["items[1].name", "<b>oil</b>", "✓ <b>oil</b>", "✓ <b>oil</b>"],
        ["items[1].price", "12.5", "✓ 12.5", "✗ 21.5 wrong, hallucinated"],
        ["items[+1].name", "–", "–", "✗ rope spurious, hallucinated"],
        ["items[+1].price", "–", "–", "✗ 9 spurious, hallucinated"],
    ]
    assert report.page.locator("#drawing u").all_inner_texts() == ["f", "21"]
    report.page.hover("#drawing [data-value='12.5'] >> nth=0")
    assert report.page.locator("#drawing .source mark").all_inner_texts() == ["12.50"]
    report.page.hover("#drawing [data-value='Bolt'] >> nth=0")
    assert report.page.locator("#drawing .source mark").all_inner_texts() == ["Bolt"]
    assert report.page.inner_text("#drawing .source") == GOLD[1]["text"] and not report.seen.errors


def test_dates_numbers_and_changed_letters_light_up_as_they_are_written(opened):
    text = "𝒜: Fjord Group, 4 March 2021. Total 1,250.50 and ſoap; 1250.5 paid."
    gold = [{"id": "d1", "text": text, "record": {"vendor": "Fjord Grup", "date": "2021-03-04", "total": 1250.5}}]
    system = [{"id": "d1", "record": {"vendor": "fjord group", "date": "2021-03-05", "total": 1250.5, "x": "soap"}}]
    report = opened(assay.score(gold, {"s": system}, times=5, embed="all"))
    lit = {
        "Fjord Grup": ["Fjord Group"],
        "fjord group": ["Fjord Group"],
        "2021-03-04": ["4 March 2021"],
        "2021-03-05": [],
        "1250.5": ["1,250.50", "1250.5"],
        "soap": ["ſoap"],
    }
    for value, marks in lit.items():
        report.page.hover(f"#drawing [data-value='{value}'] >> nth=0")
        assert report.page.locator("#drawing .source mark").all_inner_texts() == marks
        assert report.page.inner_text("#drawing .source") == text


def test_values_are_searched_and_counts_list_them(opened):
    report = opened(assay.compare(GOLD, ANSWERS, times=5, embed="all"))
    for query, wanted in {"value:rope": 1, "gold:items[].price a:right": 2, "gold:∅": 2, "b-type:missing": 2}.items():
        report.page.evaluate("query => { location.hash = 'q=' + encodeURIComponent(query) }", query)
        report.wait(f"Number(document.getElementById('hits').dataset.items) === {wanted}")
    report.query("21.5")
    assert report.page.locator("#list .row-id").all_inner_texts() == ["d2"]
    report.page.locator("#changed button.count[data-filter=new-error]").click()
    report.wait("Number(document.getElementById('hits').dataset.items) === 6")
    report.page.locator("#drawing .steps button").last.click()
    assert report.page.locator("#drawing [data-current]").count() == 3
    assert report.page.inner_text("#labels h2").lower() == "by field"
