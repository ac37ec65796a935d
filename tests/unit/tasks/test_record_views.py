"""How records are shown: names of changes and fields, headings, examples, and the texts of a page."""

from __future__ import annotations

from pathlib import Path

import assay
from assay.engine import texts
from assay.render.drawings import record_lines
from assay.render.table import make_heading
from assay.render.tables import brief, tables
from assay.result import Result

CORPUS = Path(__file__).parents[2] / "data" / "records" / "corpus"


def compare_corpus(**options: object) -> Result:
    systems = {name: CORPUS / f"{name}.jsonl" for name in "ab"}
    return assay.compare(CORPUS / "gold.jsonl", systems, times=5, **options)


def rows_of(result: Result, name: str) -> list[list[str]]:
    (table,) = tables(result, (name,))
    return [[cell.text for cell in row] for row in table.rows]


def test_changes_name_the_field_and_both_outcomes():
    result = compare_corpus()
    paths = {row[1]: row[2] for row in rows_of(result, "changes")}
    assert paths["items[].sku: missing → right"] == "67"
    assert paths["items[].price: right → wrong"] == "69"
    assert paths["items[].price: wrong → other wrong"] == "12"
    added = {change.before: change for change in result.diffs[0].changes if change.gold == "∅"}
    assert added["contact.phone"].after == "∅"
    assert make_heading(result) == (
        "records: 200 records, 3,353 values of gold, 2 systems; read as records, matched by id"
    )


def test_spurious_values_that_come_and_go_are_changes_of_their_field():
    gold = [{"id": 1, "record": {"name": "x", "n": 1}}]
    systems = {"a": [{"id": 1, "record": {"name": "x", "n": 1, "m": 2}}], "b": gold}
    paths = [row[1] for row in rows_of(assay.compare(gold, systems, times=5), "changes")]
    assert paths == ["", "m: spurious → none", "", ""]
    assert make_heading(
        assay.score([gold[0]["record"]], {"s": [{"name": "y", "n": 1}]}, task="records", times=5)
    ) == ("records: 1 record, 2 values of gold, 1 system; read as lists, matched by order")


def test_fields_are_called_fields_and_shown_once():
    result = compare_corpus()
    assert [table.title for table in brief(result)] == [
        "Scores",
        "Changes a → b: 1,598 of 3,648 values",
        "By field, a → b",
    ]
    assert {row[0] for row in rows_of(result, "label-differences")} >= {"items[].sku", "not in gold"}
    assert [table.title for table in tables(result, ("labels",))] == ["Fields: a", "Fields: b"]
    score = assay.score(CORPUS / "gold.jsonl", {"a": CORPUS / "a.jsonl"}, times=5)
    assert [table.title for table in brief(score)] == ["Scores", "Fields: a"]


def test_gold_has_the_same_values_in_the_same_order_for_every_system():
    gold = [{"id": 1, "record": {"a": {"x": "1", "y": "2"}}}, {"id": 2, "record": {"a": {"y": "3", "x": "4"}}}]
    nothing = [{"id": 1, "record": {}}, {"id": 2, "record": {}}]
    result = assay.compare(gold, {"all": gold, "none": nothing}, times=5)
    changes = {change.gold: (change.before, change.after, change.count) for change in result.diffs[0].changes}
    assert changes == {"a.x": ("right", "∅", 2), "a.y": ("right", "∅", 2)}
    twice = [{"id": 1, "record": {"tags": ["x", "x", "y"]}}]
    result = assay.compare(twice, {"all": twice, "none": nothing[:1]}, field=["tags=set"], times=5)
    assert result.about.items == result.diffs[0].items == 2


ITEMS = [{"name": "tea", "price": 2.5}, {"name": "oil", "price": 12.5}]
SMALL = [
    {"id": "d1", "text": "Acme sold tea.", "record": {"vendor": "Acme", "items": ITEMS[:1]}},
    {"id": "d2", "text": "Bolt sold oil at 12.50.", "record": {"vendor": "Bolt", "items": ITEMS}},
]
GOLD_BY_BERT = {**SMALL[0], "record": {"vendor": "Acme"}}
ANSWERS = {
    "a": [{"id": "d1", "record": {"vendor": "Acme"}}, {"id": "d2", "record": {"vendor": "Bolt", "items": ITEMS}}],
    "b": [
        {"id": "d1", "record": {"vendor": "Acme", "items": ITEMS[:1]}},
        {
            "id": "d2",
            "record": {"vendor": "Zinc", "items": [{"name": "rope", "price": 9}, {"name": "oil", "price": 21.5}]},
        },
    ],
}


def test_an_example_is_a_record_with_a_line_for_each_value_the_most_errors_first():
    examples = assay.compare(SMALL, ANSWERS, times=5, examples=2).examples
    assert record_lines(examples[0]) == [
        "d2 vendor           gold Bolt  a Bolt ✓  b Zinc wrong hallucinated",
        "d2 items[0].name    gold tea   a tea ✓   b missing",
        "d2 items[0].price   gold 2.5   a 2.5 ✓   b missing",
        "d2 items[1].price   gold 12.5  a 12.5 ✓  b 21.5 wrong hallucinated",
        "d2 items[+1].name   gold –     a –       b rope spurious hallucinated",
        "d2 items[+1].price  gold –     a –       b 9 spurious hallucinated",
    ]
    assert [example.sentence for example in examples] == ["d2", "d1"]


def test_a_page_has_the_values_of_records_in_the_order_of_the_schema():
    page = assay.compare(SMALL, ANSWERS, times=5, embed="all").texts
    records, strings = page["cells"], page["cells"]["strings"]
    assert page["parts"] == ["text"] and page["vocabulary"] == [row["text"] for row in SMALL]
    assert len(records["path"]) == len(records["gold"]) == len(page["items"]["text"]) == 10
    row, rows = 0, {}
    for step, path in zip(records["row"], records["path"], strict=True):
        row += step
        rows[row] = strings[path]
    first = ["vendor", "items[0].name", "items[0].price"]
    added = ["items[1].name", "items[1].price", "items[+1].name", "items[+1].price"]
    assert [rows[number] for number in sorted(rows)] == [*first, *first, *added]
    assert {strings[code] for code in records["systems"][1]["value"]["values"] if code >= 0} >= {
        "rope",
        "21.5",
        "Zinc",
    }


def test_an_answer_that_could_not_be_read_is_named_beside_gold():
    answers = {"a": [{"id": "d1", "answer": "vendor Acme"}], "b": [SMALL[0], ANSWERS["b"][1]]}
    result = assay.compare(SMALL, answers, times=5, examples=2, embed="all")
    lines = [line for example in result.examples for line in record_lines(example)]
    assert any(line.startswith("d1 vendor ") and "a missing answer malformed" in line for line in lines)
    assert any(line.startswith("d2 vendor ") and "a missing no answer" in line for line in lines)
    assert {"answer malformed", "no answer"} <= {*result.texts["cells"]["strings"]}


def test_elements_that_two_systems_add_have_one_number_if_they_share_a_value():
    added = [{"name": "rope", "price": 9}, {"name": "soap", "price": 8}]
    answers = {
        "a": [{"id": "d1", "record": {"vendor": "Acme", "items": [*ITEMS[:1], *added]}}],
        "b": [{"id": "d1", "record": {"vendor": "Acme", "items": [{"name": "soap", "price": 7}, *ITEMS[:1]]}}],
    }
    (example,) = assay.compare(SMALL[:1], answers, times=5, examples=1).examples
    assert [(item.path, item.answers["a"], item.answers["b"]) for item in example.items if item.answers["b"]] == [
        ("items[+2].price", None, "7")
    ]


def test_a_page_has_fewer_records_than_it_has_sentences(monkeypatch):
    monkeypatch.setattr(texts, "MOST_TEXTS", 10)
    result = assay.compare(SMALL, ANSWERS, times=5, embed="auto")
    assert (result.texts["embedded"], result.texts["total"], result.texts["how"]) == (1, 2, "sample")
    assert len(result.texts["cells"]["path"]) == len(result.texts["items"]["text"])


def test_changes_are_chosen_by_the_names_that_tables_give_them():
    for change, number in {"items[].sku→missing→right": 67, "items[].price→wrong→other wrong": 12}.items():
        examples = compare_corpus(examples=200, change=change).examples
        assert sum(len(example.items) for example in examples) == number


def test_the_heading_of_annotators_has_no_private_words():
    result = assay.agreement({"anna": SMALL, "bert": [GOLD_BY_BERT, SMALL[1]]}, times=5)
    assert make_heading(result) == "agreement on records: 2 records, 2 annotators; read as lists"
