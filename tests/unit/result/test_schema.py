"""Results as data: the declared tables, JSON there and back, and files of earlier versions."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import assay
from assay import Result
from assay.result import TABLES, Change, Diff, Record, RowList, Tables, read_results, schema
from assay.result.encoding import dumps, from_plain

OLD = Path(__file__).parents[2] / "data" / "older" / "assay-1.json"
GOLD = [["A", "B", "C"], ["B", "A"], ["C", "C", "A"], ["A"], ["B", "C"], ["A", "B"]] * 3
ONE = [["A", "B", "B"], ["B", "A"], ["C", "A", "A"], ["A"], ["B", "C"], ["A", "A"]] * 3
TWO = [["A", "B", "C"], ["B", "A"], ["C", "C", "A"], ["A"], ["B", "B"], ["A", "B"]] * 3


@pytest.fixture(scope="module")
def result() -> Result:
    return assay.compare(GOLD, {"one": ONE, "two": TWO}, ["accuracy"], times=100, examples=1)


def test_a_file_of_assay_1_is_read_as_the_result_it_was_made_from(result: Result) -> None:
    old = json.loads(OLD.read_text("utf-8"))
    assert (old["schema"], old["unit"], old["noun"]) == ("assay/1", "sentence", "word")
    # Sentences stay as they were written.
    (warning,) = Result.read(OLD).warnings
    assert warning.startswith("18 sentences only")
    # Nothing was learnt then, and there were no risks.
    new = ("combined", "single_system", "single", "vote", "learnt", "bound", "folds", "not_combined")
    plain = {name: getattr(Result.read(OLD).bounds[0], name) for name in new}
    bounds = tuple(replace(row, **plain) for row in result.bounds)
    growth = tuple(replace(row, vote=None, learnt=None, bound=None) for row in result.growth)
    # What could have been found was rounded otherwise.
    tests = []
    for before, now in zip(Result.read(OLD).comparisons, result.comparisons, strict=True):
        power = now.power
        assert (before.power is None) == (power is None)
        if before.power and power:
            found = {"critical": before.power.critical, "mde": before.power.mde}
            assert list(found.values()) == pytest.approx([power.critical, power.mde], rel=1e-11)
            power = replace(power, **found)
        tests.append(replace(now, power=power))
    kept = {"bounds": bounds, "growth": growth, "comparisons": tuple(tests)}
    older = replace(result, warnings=(warning,), contributions=(), risks=(), **kept)
    assert Result.read(OLD) == read_results(str(OLD)) == older
    assert Result.read(OLD).to_json() == older.to_json()


def test_results_over_sets_of_assay_1_are_read(tmp_path: Path) -> None:
    old = json.loads(OLD.read_text("utf-8"))
    path = tmp_path / "sets.json"
    path.write_text(json.dumps({"schema": "assay/sets/1", "overall": old, "sets": {"a": old}}), "utf-8")
    found = read_results(str(path))
    assert isinstance(found, assay.Results)
    assert found["a"] == found.overall == Result.read(OLD)


def test_json_has_facts_in_two_records_and_a_list_for_each_table(result: Result) -> None:
    data = json.loads(result.to_json())
    assert (data["schema"], data["about"]["unit"], data["shown"]["noun"]) == ("assay/2", "sentence", "word")
    # Left out if empty.
    assert {*TABLES} - {*data} == {"curves", "calibrations", "thresholds", "judges", "plans", "gold_differences"}
    assert all(isinstance(data[name], list) for name in {*TABLES} & {*data})
    assert list(data)[:8] == ["schema", "version", "signature", "verdict", "about", "shown", "gold", "systems"]


def test_rows_of_a_table_differ_in_its_key(result: Result) -> None:
    for name in TABLES:
        rows = getattr(result, name)
        keys = [tuple(getattr(row, column) for column in row.key) for row in rows]
        assert len(set(keys)) == len(rows), name


def test_keys_are_columns_and_every_table_has_one() -> None:
    records = [kind for kind in vars(schema).values() if isinstance(kind, type) and issubclass(kind, Record)]
    for kind in records:
        assert kind is Record or {*kind.key} <= kind.__dataclass_fields__.keys(), kind
    for hint in Tables.__annotations__.values():
        assert getattr(schema, hint.removeprefix("tuple[").removesuffix(", ...]")).key, hint


def test_facts_that_a_file_lacks_are_named() -> None:
    data = json.loads(assay.score([["A", "B"]], {"s": [["A", "A"]]}, times=10).to_json())
    del data["about"]["unit"], data["about"]["seed"]
    with pytest.raises(assay.AssayError, match=r"^not a whole Result \(about lacks unit, seed\)\.$"):
        assay.Result.from_json(json.dumps(data))


def test_rows_that_are_kept_as_columns_are_as_tuples_of_rows():
    rows = (
        Change("correction", "D", "N", 'a "b"', 3, 0.75, 0.6),
        Change("correction", "V\x1b", "∅", "N", 1, 0.25, math.nan, moved=2, other="x"),
        Change("new-error", "%s", "N", "V", 1, 1.0, 0.2),
    )
    columns = [np.array([getattr(row, name) for row in rows], dtype=object) for name in vars(rows[0])]
    kept = RowList(Change, columns)
    assert (kept, (*kept,), kept[1], kept[-1], kept[1:]) == (rows, rows, rows[1], rows[2], rows[1:])
    assert (len(kept), hash(kept), repr(kept)) == (3, hash(rows), repr(rows))
    assert kept != rows[:2] and kept != [*rows]
    with pytest.raises(IndexError):
        kept[3]
    some = {"items": 9, "different": 5, "corrections": 4, "new_errors": 1, "changed_errors": 0, "both_right": 4}
    more = {"difference": math.nan, "overlap_right": 0.5, "overlap_all": 0.5, "labels": (), "same_error": 0}
    diff = Diff("a", "b", "accuracy", None, diff=5 / 9, changes=kept, **some, **more)
    assert dumps(diff) == dumps(replace(diff, changes=rows))
    assert repr(from_plain(Diff, json.loads(dumps(diff)))) == repr(diff)
    assert isinstance(from_plain(Diff, json.loads(dumps(diff))).changes, RowList)


def test_an_error_in_a_row_says_where_it_is():
    """Rows are read by column, if all have the same fields."""
    result = assay.compare([["A", "B"]] * 3, {"a": [["A", "A"]] * 3, "b": [["B", "B"]] * 3})
    data = json.loads(result.to_json())
    assert assay.Result.from_json(json.dumps(data)) == result

    def wrong(change) -> str:
        copy = json.loads(json.dumps(data))
        change(copy)
        with pytest.raises(assay.AssayError) as caught:
            assay.Result.from_json(json.dumps(copy))
        return str(caught.value)

    rows = data["scores"]
    assert wrong(lambda copy: copy["scores"][1].update(value="x")) == "not a whole Result (scores[1].value is 'x')."
    assert wrong(lambda copy: copy["scores"][1].update(main=1)) == "not a whole Result (scores[1].main is '1')."
    assert wrong(lambda copy: copy["scores"].append(3)) == f"not a whole Result (scores[{len(rows)}] is '3')."
    assert wrong(lambda copy: copy["scores"][1].pop("value")) == "not a whole Result (scores[1] lacks value)."
    assert wrong(lambda copy: [row.pop("value") for row in copy["scores"]]) == (
        "not a whole Result (scores[0] lacks value)."
    )
    assert wrong(lambda copy: copy["diffs"][0]["changes"][0].update(count=True)) == (
        "not a whole Result (diffs[0].changes[0].count is 'True')."
    )
    assert wrong(lambda copy: copy["bounds"][0]["systems"].update(a="x")) == (
        "not a whole Result (bounds[0].systems.a is 'x')."
    )
