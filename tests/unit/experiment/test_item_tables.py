"""Experiments on tables of items: rows stay as they are, labels keep their shares, groups stay together."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.experiment import read_plan
from assay.experiment.data import Data
from assay.experiment.run import run_plan
from assay.experiment.splits import Design, make_split
from unit.experiment.plans import COPY, plan
from unit.samples import refusal

File = Callable[[str, str | bytes], str]
ROWS = [
    [f"i{row}", f'message {row}, "so"\nit goes on', "yes" if row % 3 else "no", "0.9", f"d{row // 4}"]
    for row in range(36)
]


def table(names: str = "id,text,label,confidence,doc") -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([names.split(","), *ROWS])
    return stream.getvalue()


def read(file: File, text: str, name: str = "gold.csv", news: Mapping[str, Any] | None = None, **top: Any) -> Data:
    file(name, text)
    settings = {"path": name, "column": "label", **(news or {})}
    return Data.read(read_plan(file("x.toml", plan(news=settings, **top))).datasets["news"])


def test_parts_have_the_rows_of_the_file_and_the_shares_of_its_labels(file: File) -> None:
    data = read(file, table(), by="item", stratify=True)
    assert data.text(range(36)) == table()
    for fold in (1, 2, 3):
        split = data.split(1, fold)
        assert Counter(ROWS[unit][2] for unit in split.test) == {"no": 4, "yes": 8}
        assert data.count(split.train) == 24


def test_items_of_one_value_are_never_in_two_parts(file: File) -> None:
    data = read(file, table(), by="meta:doc", stratify=True, dev=True)
    split = data.split(1, 2)
    parts = [data.text(units) for units in (split.train, split.dev, split.test)]
    documents = [{row["doc"] for row in csv.DictReader(io.StringIO(text))} for text in parts]
    assert [len(names) for names in documents] == [3, 3, 3]
    assert len(set.union(*documents)) == 9


def test_the_blind_part_has_ids_texts_and_what_is_to_be_kept(file: File) -> None:
    data = read(file, table(), by="item")
    assert [*csv.reader(io.StringIO(data.blind([1])))] == [["id", "text"], ROWS[1][:2]]
    data = read(file, table(), by="item", news={"keep": ["doc"]})
    assert [*csv.reader(io.StringIO(data.blind([1])))] == [["id", "text", "doc"], [*ROWS[1][:2], "d0"]]
    lines = "".join(f'{{"id": {row}, "text": "a", "label": "yes", "p:yes": 1}}\n' for row in range(5))
    assert read(file, lines, "gold.jsonl", by="item").blind([0]) == '{"id": 0, "text": "a"}\n'


@pytest.mark.parametrize(
    "text, settings, told",
    [
        (table(), {}, 'a table of items. Write by = "item" or by = "meta:COLUMN"'),
        (table(), {"by": "meta:dic"}, 'no column dic for by = "meta:dic". Available: confidence, doc.'),
        (table(), {"by": "meta:doc", "folds": 10}, "9 values of doc cannot be divided into 10 folds."),
        (table(), {"stratify": True}, "is for tables of items."),
        ('["yes", "no", "no"]', {"by": "item"}, "has no line for each item. Convert it first"),
    ],
)  # fmt: skip
def test_what_cannot_be_split_is_refused(file: File, text: str, settings: dict[str, Any], told: str) -> None:
    assert told in refusal(read, file, text, **settings)


def test_a_table_without_texts_needs_columns_to_keep(file: File) -> None:
    data = read(file, table("id,body,label,confidence,doc"), by="item")
    assert "no column is known to contain texts. Name those that systems may see" in refusal(lambda: data.blind([0]))


@given(st.lists(st.sampled_from("abc"), min_size=6, max_size=40), st.integers(3, 6), st.integers(1, 3))
def test_folds_differ_by_at_most_one_item_of_each_label(labels: list[str], folds: int, repetition: int) -> None:
    design = Design(folds=folds, stratify=True)
    tests = [make_split(design, "x", repetition, fold, len(labels), labels).test for fold in range(1, folds + 1)]
    assert sorted(unit for test in tests for unit in test) == [*range(len(labels))]
    for label in {*labels}:
        counts = [sum(labels[unit] == label for unit in test) for test in tests]
        assert max(counts) - min(counts) <= 1


def test_a_system_that_copies_gold_scores_full(file: File) -> None:
    file("gold.csv", table())
    systems = {"copy": {"predict": COPY, "blind": False}}
    path = file("x.toml", plan(systems, {"path": "gold.csv", "column": "label"}, by="item", measures=["label-f1"]))
    rows: list[Any] = []
    run_plan(path, report=lambda due, number, outcome: rows.append(outcome))
    assert [row.measurements[0].value for row in rows if row is not None] == [1.0, 1.0, 1.0]
