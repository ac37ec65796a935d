"""Records as users give them: data of Python, schemas, declarations, warnings, agreement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.formats import Input, from_records
from assay.tasks.records.pairing import Comparer, Match
from assay.tasks.records.prepare import schema_text
from assay.tasks.records.reading import read_record
from assay.tasks.records.schema import declare, find_breaches, infer_schema, merge_schemas, read_schema, write_schema
from cases import each
from unit.samples import refusal

CORPUS = Path(__file__).parents[2] / "data" / "records" / "corpus"
GOLD = [{"id": number, "record": {"name": "x", "n": number, "on": "2021-03-12"}} for number in range(5)]


def f1(result: assay.Result) -> float:
    return next(row.value for row in result.scores if row.score == "f1" and row.label is None)


def test_data_of_python_are_records_if_they_have_one_or_if_it_is_said():
    wrong = [{"id": row["id"], "record": {**row["record"], "name": "y"}} for row in GOLD]
    assert f1(assay.score(GOLD, {"s": wrong}, times=5)) == pytest.approx(2 / 3)
    plain, answers = [row["record"] for row in GOLD], [json.dumps(row["record"]) for row in GOLD]
    assert f1(assay.score(plain, {"s": answers}, task="records", times=5)) == 1
    unread = assay.score(plain, {"s": [*answers[:4], "I do not know."]}, task="records", times=5)
    assert f1(unread) == pytest.approx(2 * 12 / 27)
    assert "s: 1 of 5 answers could not be read and count as empty." in unread.warnings


def test_objects_with_model_dump_are_records_and_their_class_is_a_schema():
    class Invoice:
        def __init__(self, total):
            self.total = total

        def model_dump(self, mode):
            assert mode == "json"
            return {"total": self.total}

        @staticmethod
        def model_json_schema():
            return {"type": "object", "properties": {"total": {"enum": ["1", "2"]}}, "required": ["total"]}

    gold = from_records([Invoice("1"), Invoice("2")], schema=Invoice)
    result = assay.score(gold, {"s": [Invoice("1"), Invoice("3")]}, times=5)
    assert f1(result) == 0.5
    answers = next(table for table in result.tables if table.title == "Answers")
    row = dict(zip(answers.header, answers.rows[0], strict=True))
    assert (row["schema-valid"], row["enum"]) == ([1, 0.5], [1, 0.5])


def test_fields_outside_and_dates_with_two_readings_are_warned_of():
    answers = [{"id": row["id"], "record": {"Name": "x", "n": row["id"], "on": "12/03/2021"}} for row in GOLD]
    result = assay.score(GOLD, {"s": answers}, times=5)
    assert result.warnings[:2] == (
        "s: 5 values have fields outside the schema: Name 5 (name?).",
        's: date 12/03/2021 has two readings (5 values). Choose one: --field on="date(order=dmy)"',
    )
    said = assay.score(GOLD, {"s": answers}, field=["on=date(order=dmy)", "Name=ignore"], times=5)
    assert f1(said) == pytest.approx(2 * 10 / 25)
    assert not any("outside" in text or "readings" in text for text in said.warnings)


def test_a_schema_that_is_inferred_can_be_written_and_given_back(tmp_path):
    path = tmp_path / "schema.json"
    path.write_text(schema_text(Input(str(CORPUS / "gold.jsonl"))), "utf-8")
    files = str(CORPUS / "gold.jsonl"), {"a": str(CORPUS / "a.jsonl")}
    inferred, given = assay.score(*files, times=5), assay.score(*files, schema=str(path), times=5)
    numbers = [[row.value for row in result.scores] for result in (inferred, given)]
    assert numbers[0] == pytest.approx(numbers[1], nan_ok=True)
    schema = read_schema(json.loads(path.read_text("utf-8")), "schema.json")
    assert write_schema(schema) == json.loads(path.read_text("utf-8"))


def test_fields_with_few_values_have_a_confusion():
    gold = [{"id": number, "record": {"paid": number % 2 == 0, "n": number}} for number in range(6)]
    said = [{"id": number, "record": {"paid": "yes", "n": number}} for number in range(6)]
    result = assay.score(gold, {"s": said}, times=5)
    table = next(table for table in result.tables if table.name == "confusion")
    assert (table.header, table.rows) == (("gold", "true"), (("false", 3), ("true", 3)))


def test_keywords_of_a_schema_that_are_not_used_are_named(tmp_path):
    path = tmp_path / "schema.json"
    name = {"type": "string", "pattern": "x", "title": "t"}
    path.write_text(json.dumps({"type": "object", "properties": {"name": name, "n": {"minimum": 0}}}), "utf-8")
    result = assay.score(GOLD, {"s": GOLD}, schema=str(path), times=5)
    assert "the schema's minimum, pattern are ignored." in result.notes


def test_breaches_of_a_schema_are_told_apart():
    number = {"type": ["number", "null"]}
    schema = read_schema(
        {
            "type": "object",
            "properties": {"n": number, "l": {"type": "array", "items": {"enum": ["a"]}}},
            "required": ["n"],
        },
        "schema.json",
    )
    assert find_breaches(schema, {"n": None, "l": ["a"]}) == set()
    assert find_breaches(schema, {"n": "1"}) == {"type"}
    assert find_breaches(schema, {"l": ["b"], "m": 1}) == {"required", "enum", "extra"}


def test_faults_are_refused_with_their_place(tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": 1, "record": {"a": {"b": 1}}}\n{"id": 2, "record": {"a": 2}}\n', "utf-8")
    message = refusal(assay.score, str(gold), {"s": str(gold)}, times=5)
    assert message == (
        f"{gold}:1: a is an object, and at {gold}:2 it is a single value. Write it in the same way in all records."
    )
    text = [{"record": {"a": 1}}, {"record": "{}"}]
    assert refusal(assay.score, text, {"s": text}, times=5).startswith("gold:2: the record is a string.")
    assert refusal(assay.score, GOLD, {"s": GOLD}, field=["m=number"], times=5).startswith(
        "--field m: there is no field 'm'"
    )
    assert "has no records 9" in refusal(assay.score, GOLD, {"s": [{"id": 9, "record": {}}]}, times=5)


def test_a_warning_names_an_ignored_field_that_is_nowhere():
    """Another system that is scored with the same options may have it."""
    system = [{"id": row["id"], "record": {**row["record"], "currency": "EUR"}} for row in GOLD]
    assert f1(assay.score(GOLD, {"s": system}, field=["currency=ignore"], times=5)) == 1
    message = assay.score(GOLD, {"s": system}, field=["curency=ignore"], times=5).warnings[0]
    assert message == "--field curency=ignore: there is no field 'curency'. Did you mean currency?"
    nested = [{"id": 1, "record": {"items": [{"n": 1}]}}], [{"id": 1, "record": {"items": {"n": 1, "more": 2}}}]
    assert f1(assay.score(nested[0], {"s": nested[1]}, field=["items[].more=ignore"], times=5)) == 1
    message = assay.score(nested[0], {"s": nested[1]}, field=["zzz=ignore"], times=5).warnings[0]
    assert message.endswith("there is no field 'zzz'. Available: items, items[], items[].n, items[].more.")


SCHEMAS = (
    ({"properties": {"l": {"type": "string"}}}, "gold:1: l is a list, but in the schema it is a single value."),
    ({"properties": {"a": {"type": "object"}}}, "gold:1: a is a single value, but in the schema it is an object."),
    ({"properties": {"a": {"enum": 5}}}, "schema: a: enum is 5, but a list is expected."),
    ({"properties": [1]}, "schema: the record: properties is [1], but an object is expected."),
    ({"properties": {"a": {"type": ["string", {}], "required": {}}}}, "schema: a: required is {}, but a list"),
    ({"properties": {"a": {"type": {}}}}, 'schema: unknown type "{}" at a.'),
    ({"properties": {"a": {"$ref": "#/b"}}, "b": [1]}, "schema: a refers to #/b, which is no schema in the file."),
    ({"properties": {"a": {"anyOf": [True]}}}, "schema: a: anyOf has true, but a schema is an object."),
    ({"properties": {"a": {"x-assay": "nmber"}}}, "schema: a: there is no kind 'nmber'."),
    ({"properties": {"a": {"x-assay": "key"}}}, "schema: a=key: not a field of objects in a list."),
    (
        {"properties": {"a": {"x-assay": "number(relative=-1)"}}},
        "schema: a: kind number: relative is a number from 0",
    ),
)


@each(("schema", "message"), SCHEMAS, ids=lambda one: one if isinstance(one, str) else "")
def test_a_schema_that_gold_or_json_schema_contradicts_is_refused(schema, message):
    gold = from_records([{"record": {"a": 1, "l": ["x"]}}], "gold", schema)
    assert refusal(assay.score, gold, {"s": [{"record": {}}]}, times=5).startswith(message)


def outcomes(gold, system, fields=(), schema=None):
    given = read_schema(schema, "schema") if schema else None
    inferred = infer_schema([("1", gold)], given)
    found = declare(merge_schemas(given, inferred) if given else inferred, dict(fields))
    return sorted((one.outcome, one.field, one.note) for one in Comparer(found, Match()).compare(gold, system))


def test_one_value_for_a_list_is_a_list_of_one_if_the_other_side_has_nothing():
    gold = {"tags": [], "items": [{"n": 1}], "l": ["none", "x"]}
    schema = {"properties": {"tags": {"type": "array", "items": {}}}}
    assert outcomes(gold, {"tags": "x", "l": "none"}, schema=schema) == [
        *(("missing", "items[].n", ""), ("missing", "l[]", ""), ("right", "l[]", "retyped")),
        ("spurious", "tags[]", ""),
    ]
    listed = {"type": "array", "items": {"properties": {"n": {"type": "number"}}}}
    assert outcomes({"n": 1, "m": 2}, [{"n": 1, "m": 2}], schema=listed) == [
        ("right", "[].m", ""),
        ("right", "[].n", ""),
    ]


@each(
    ("answer", "status", "record"),
    [
        ('{"a": 1}\n{"a": 2}', "parsed", {"a": 2}),
        ('{"tool_calls": [{"function": {"name": "f", "arguments": "{\\"a\\": 1}"}}]}', "parsed", {"a": 1}),
        ('[{"a": 1}, {"a": 2}]', "malformed", None),
    ],
)
def test_the_last_object_counts_and_tool_calls_are_unwrapped(answer, status, record):
    assert read_record(answer, infer_schema([("1", {"a": 1})])) == (status, record)


def test_a_key_of_inner_objects_does_not_divide_the_outer_ones():
    gold, system = ({"items": [{"name": "a", "parts": [{"sku": sku, "q": 1}]}]} for sku in (1, 2))
    found = outcomes(gold, system, {"items[].parts[].sku": "key"})
    assert [outcome for outcome, field, _ in found if field == "items[].name"] == ["right"]
    assert [outcome for outcome, *_ in found] == ["missing", "missing", "right", "spurious", "spurious"]


def test_what_is_no_number_is_nothing_and_a_boolean_is_not_looked_for_as_a_number():
    gold = [{"text": "x", "record": {"a": 1.5, "b": float("nan")}}]
    result = assay.score(gold, {"s": [{"record": {"a": False, "b": float("inf")}}]}, times=5)
    assert {row.label: row.counts["wrong"] for row in result.counts if row.label} == {"a": 1}
    assert f1(assay.score(gold, {"s": gold}, times=5)) == 1


def test_records_in_a_list_or_in_a_folder_are_read_as_those_in_lines(tmp_path, monkeypatch):
    (tmp_path / "list.json").write_text(json.dumps(GOLD, indent=1), "utf-8")
    (tmp_path / "gold").mkdir()
    for row in GOLD:
        (tmp_path / "gold" / f"{row['id']}.json").write_text(json.dumps(row["record"], indent=1), "utf-8")
    system = [{"id": row["id"], "record": {**row["record"], "n": 1}} for row in GOLD]
    assert f1(assay.score(str(tmp_path / "list.json"), {"s": system}, times=5)) == pytest.approx(11 / 15)
    for options in ({}, {"task": "records"}):
        assert f1(assay.score(str(tmp_path / "gold"), {"s": system}, times=5, **options)) == pytest.approx(11 / 15)
    # Parts would show a schema each, so that they need one of all.
    monkeypatch.setattr("assay.engine.run.TEXT", 1)
    files = str(tmp_path / "gold"), {"s": str(tmp_path / "gold")}
    message = refusal(assay.score, *files, times=5)
    assert message.endswith(f"assay convert {files[0]} --to schema -o schema.json")
    (tmp_path / "schema.json").write_text(schema_text(Input(files[0], input_format="records")), "utf-8")
    assert f1(assay.score(*files, schema=str(tmp_path / "schema.json"), times=5)) == 1
    empty = [{"id": 1, "record": {"a": None}}]
    assert assay.score(empty, {"s": empty}, task="records", examples=5, times=5).scores


def test_annotators_of_records_agree_in_either_order():
    other = [{"id": row["id"], "record": {**row["record"], "n": 1}} for row in GOLD]
    result = assay.agreement({"anna": GOLD, "ben": other}, times=5)
    back = assay.agreement({"ben": other, "anna": GOLD}, times=5)
    assert [row.value for row in result.scores] == [row.value for row in back.scores]
    # Fields that only one of them has, a list of one, and a filler: 9 of 15 and 20 values are the same.
    more = [{"id": row["id"], "record": {**row["record"], "n": [9], "m": 1}} for row in GOLD]
    more[0]["record"]["name"] = "N/A"
    for people in ({"anna": GOLD, "ben": more}, {"ben": GOLD, "anna": more}):
        assert assay.agreement(people, times=5).scores[0].value == pytest.approx(2 * 9 / 35)


def test_null_adds_nothing_and_names_of_fields_change_names_only():
    with_null = [{"id": row["id"], "record": {**row["record"], "z": None}} for row in GOLD]
    assert f1(assay.score(with_null, {"s": GOLD}, times=5)) == 1
    assert infer_schema([("1", {"a": 1, "b": None})]).slots[1].kind.name == "text"


def test_fillers_in_fields_outside_the_schema_are_nothing():
    found = infer_schema([("gold:1", {"a": "x", "d": None})])
    system = {"a": "x", "currency": "N/A", "more": {"b": ["unknown", " "]}}
    assert [one.outcome for one in Comparer(found, Match()).compare({"a": "x"}, system)] == ["right"]


def test_ignored_fields_are_no_values_of_gold():
    gold = [{"record": {"a": "x", "b": 1, "c": {"d": 2}}}, {"record": {"a": "y"}}]
    assert assay.score(gold, {"s": gold}, field=["b=ignore", "c=ignore"], times=5).about.items == 2


@each(
    "document",
    [{"text": "Ann", "spans": 1}, {"tokens": [], "n": 1}, {"data": {"x": "y"}}, {"id": 1}, {"document": {}}],
)
def test_a_folder_of_other_json_is_not_taken_for_records(tmp_path, document):
    (tmp_path / "gold").mkdir(exist_ok=True)
    (tmp_path / "gold" / "1.json").write_text(json.dumps(document), "utf-8")
    assert Input(str(tmp_path / "gold")).plan.name != "records"
    (tmp_path / "one.json").write_text('{"vendor": "Acme"}', "utf-8")
    assert Input(str(tmp_path / "one.json")).plan.name != "records"


def test_records_that_are_nested_too_deeply_or_are_no_objects():
    deep = json.loads("[" * 101 + "1" + "]" * 101)
    assert refusal(assay.score, [{"id": 1, "record": {"a": deep}}], {"s": GOLD}, task="records").startswith(
        "gold:1: nested more than 100 levels deep."
    )
    brackets = [{"id": 1, "record": {"a": "[" * 200, "l": [[1]] * 200}}]
    assert f1(assay.score(brackets, {"s": brackets}, times=5)) == 1
    system = [{"id": 0, "record": {"name": deep}}, {"id": 1, "record": 5}, {"id": 2, "answer": '{"name": "\\ud800"}'}]
    result = assay.score(GOLD, {"s": system}, times=5)
    assert "s: 2 of 5 answers could not be read and count as empty." in result.warnings
    assert result.to_json().encode()


def test_faults_of_files_of_records(tmp_path):
    for line, message in (
        ({"id": "1", "record": '{"a": 1}'}, "the record is a string. Is it JSON in a string?"),
        ({"id": {"a": 1}, "record": {"a": 1}}, 'the id is {"a": 1}, but a string or a number is expected.'),
        ({"id": "1", "record": {"a": "\ud800"}}, "the record has half a character (a lone surrogate) in it."),
    ):
        (tmp_path / "gold.jsonl").write_text(json.dumps(line), "utf-8")
        path = str(tmp_path / "gold.jsonl")
        assert refusal(assay.score, path, {"s": path}).startswith(f"{path}:1: {message}")
    assert "records are not read from a column" in refusal(assay.score, GOLD, {"s": GOLD}, column="x")
