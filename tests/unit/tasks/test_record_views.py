"""How records are shown: names of changes and fields, headings, examples, and the texts of a page."""

from __future__ import annotations

from pathlib import Path

import assay
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
