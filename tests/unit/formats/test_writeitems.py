"""Tables of items written as CSV, with tabs or as JSON lines, and read again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assay.corpus.items import ItemTable
from assay.errors import UsageError
from assay.formats import Input
from assay.formats.whose import Asked
from assay.formats.write import convert_file
from assay.formats.writeitems import TARGETS

CASES = Path(__file__).parents[2] / "data" / "item_cases.jsonl"
TABLE = 'id,text,label,p:neg,p:pos,genre\nr1,"a, ""b""\nand\tc",pos,.25,.75,x\nr2,=1+1,,.5,.5,y\nr3,"""",NA,1,0,\'z\n'


def convert(path: Path, target: str, form: str | None = None) -> tuple[str, list[str]]:
    texts, losses = convert_file(Input(str(path), input_format=form, asked=Asked()), target, None)
    return texts[""], losses


def read(path: Path, form: str = "items") -> ItemTable:
    return Input(str(path), input_format=form, asked=Asked()).read().layers[ItemTable]


@pytest.mark.parametrize("target", TARGETS)
def test_a_table_comes_back_with_all_its_columns(tmp_path, target):
    (path := tmp_path / "a.csv").write_text(TABLE)
    text, losses = convert(path, target)
    (back := tmp_path / f"b.{target}").write_text(text)
    ours, theirs = read(path), read(back)
    assert losses == []
    assert theirs.labels.strings() == ours.labels.strings() == ["pos", "", "NA"]
    assert (theirs.ids, theirs.texts) == (ours.ids, ours.texts)
    assert theirs.metadata["genre"].strings() == ["x", "y", "'z"]
    assert theirs.shares is not None and ours.shares is not None
    assert theirs.shares[0] == ("neg", "pos") and np.array_equal(theirs.shares[1], ours.shares[1])
    assert convert(back, target)[0] == text


def test_sets_are_lists_in_json_and_joined_in_cells(tmp_path):
    (path := tmp_path / "a.jsonl").write_text('{"id": 1, "labels": ["b|c", "a"]}\n{"id": 2, "labels": []}\n')
    rows = [json.loads(line) for line in convert(path, "jsonl")[0].splitlines()]
    assert [row["label"] for row in rows] == [["a", "b|c"], []]
    text, losses = convert(path, "csv")
    assert text == "id,label\n1,a;b|c\n2,\n"
    assert losses == ['several labels of an item are joined by ;. To read them: --input-format "items(sets=;)"']
    (back := tmp_path / "b.csv").write_text(text)
    assert read(back, "items(sets=;)").labels.strings() == read(path).labels.strings()


def test_a_log_becomes_a_table_with_gold_answers_and_scores(tmp_path):
    cases = (json.loads(line) for line in CASES.read_text("utf-8").splitlines())
    case = next(case for case in cases if case["id"] == "lm-evaluation-harness, choices")
    rows = [json.loads(line) for line in case["files"]["samples_a.jsonl"].splitlines()]
    for row in rows:
        row["doc"]["label"] = "A"
    (path := tmp_path / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text, losses = convert(path, "tsv")
    assert text.splitlines()[0].split("\t") == [
        *("id", "prompt", "gold", "prediction", "question", "choices", "meta_label", "doc_hash", "acc")
    ]
    assert losses == [
        "column label is called meta_label in tsv.",
        "tsv has no place for the rest of the log (requests, responses, long values), which is left out.",
    ]
    (back := tmp_path / "b.tsv").write_text(text)
    table = read(back)
    assert table.targets is not None
    assert [*zip(table.targets.strings(), table.labels.strings(), strict=True)] == [
        ("1", "1"),
        ("0", "2"),
        ("2", "2"),
    ]


def test_items_have_no_words_and_words_are_no_items(tmp_path):
    (path := tmp_path / "a.csv").write_text(TABLE)
    with pytest.raises(UsageError, match=r"items have no words. Use --to csv, --to tsv or --to jsonl"):
        convert(path, "conllu")
    (path := tmp_path / "a.tsv").write_text("The\tDT\nend\tNN\n\n")
    with pytest.raises(UsageError, match=r"rows of tsv are words. Use --to tsv; if they are items"):
        convert(path, "csv")
