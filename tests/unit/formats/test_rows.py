"""Rows of machine-learning libraries: words with lists of labels, predictions without texts, files of libraries."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import assay
from assay.errors import AssayError
from assay.formats import Input

DOORS = Path(__file__).parents[2] / "data" / "doors"
ROWS = [
    {"id": "1", "tokens": ["EU", "rejects", "German", "call"], "pos": ["N", "V", "A", "N"], "ner": list("BOBO")},
    {"id": "2", "tokens": [], "pos": [], "ner": []},
    {"id": "3", "tokens": ["Peter"], "pos": ["N"], "ner": ["B"]},
]
for row in ROWS:
    row["ner"] = ["B-X" if tag == "B" else tag for tag in row["ner"]]


def written(folder, name, rows):
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def refusal(call, *given, **options):
    with pytest.raises(AssayError) as caught:
        call(*given, **options)
    return str(caught.value)


def main_score(result):
    return next(row.value for row in result.scores if row.main)


def test_each_list_of_labels_is_a_column_and_several_are_refused(tmp_path):
    gold = written(tmp_path, "gold.jsonl", ROWS)
    system = written(tmp_path, "a.jsonl", [*ROWS[:2], {**ROWS[2], "ner": ["O"], "pos": ["V"]}])
    which = f"{gold}: pos, ner have a label for each word. Which of them? --column ner"
    assert refusal(assay.score, gold, {"a": system}, times=5) == which
    assert refusal(assay.score, gold, {"a": system}, task="spans", times=5) == which
    spans = assay.score(gold, {"a": system}, column="ner", times=5)
    assert (spans.about.task, main_score(spans)) == ("spans", pytest.approx(4 / 5))
    assert spans.gold.left_out == {"without words": 1}
    tags = assay.score(gold, {"a": system}, column="pos", times=5)
    assert (tags.about.task, main_score(tags)) == ("tags", pytest.approx(4 / 5))
    # Dicts of Python are the same rows.
    assert main_score(assay.score(ROWS, {"a": ROWS}, column="ner", times=5)) == 1


def test_rows_without_a_label_for_each_word_are_refused_with_their_place(tmp_path):
    short = written(tmp_path, "a.jsonl", [ROWS[0], {**ROWS[2], "ner": []}, ROWS[2] | {"id": "4"}])
    opened = Input(short)
    assert opened.plan.labels == ("pos", "ner")
    assert refusal(opened.read, ["ner"]) == f"{short}:2: ner is [], but a list of 1 labels is expected."
    mixed = written(tmp_path, "b.jsonl", [ROWS[0], {**ROWS[2], "ner": [3]}])
    assert refusal(Input(mixed).read, ["ner"]) == f"{mixed}:2: ner is [3], but a list of names is expected."


@pytest.mark.parametrize(
    "names",
    [
        "O\nB-X\n",
        '["O", "B-X"]',
        '{"id2label": {"0": "O", "1": "B-X"}}',
        '{"features": {"ner": {"feature": {"names": ["O", "B-X"]}}}}',
        '{"default": {"features": {"ner": {"feature": {"names": {"0": "O", "1": "B-X"}}}}}}',
    ],
)
def test_numbers_have_names_in_files_of_several_kinds(tmp_path, names):
    numbered = [{"tokens": row["tokens"], "ner": [int(tag != "O") for tag in row["ner"]]} for row in ROWS]
    path = written(tmp_path, "a.jsonl", numbered)
    (tmp_path / "names").write_text(names, "utf-8")
    corpus = assay.read(path, input_format=f"jsonl(names={tmp_path / 'names'})")
    assert corpus.column("ner").strings() == ["B-X", "O", "B-X", "O", "B-X"]


def test_names_are_refused_if_there_are_none_or_nothing_to_name(tmp_path):
    path = written(tmp_path, "a.jsonl", [{"text": "Ann", "spans": []}])
    (tmp_path / "names").write_text("O", "utf-8")
    told = f"jsonl(names={tmp_path / 'names'})"
    assert "so names= does not apply" in refusal(assay.read, path, input_format=told)
    (tmp_path / "names").write_text("{}", "utf-8")
    assert "no names of labels" in refusal(assay.read, path, input_format=told)


def test_words_with_tags_are_roles_only_if_a_predicate_is_marked(tmp_path):
    row = {"words": ["Ann", "left"], "tags": ["B-PER", "O"]}
    assert Input(written(tmp_path, "a.jsonl", [row])).plan.labels == ("tags",)
    assert Input(written(tmp_path, "b.jsonl", [{**row, "tags": ["B-A0", "B-V"]}])).plan.name == "biojson"
    assert Input(written(tmp_path, "c.jsonl", [{**row, "predicate": 1}])).plan.name == "biojson"


def test_a_dataset_is_read_with_the_names_of_its_features():
    class Dataset(list):
        column_names = ("tokens", "ner")
        features = {  # noqa: RUF012
            "tokens": SimpleNamespace(feature=SimpleNamespace()),
            "ner": SimpleNamespace(feature=SimpleNamespace(names=["O", "B-X"])),
        }

    gold = Dataset([{"tokens": ["Ann", "left"], "ner": [1, 0]}, {"tokens": ["Bo"], "ner": [1]}])
    system = Dataset([{"tokens": ["Ann", "left"], "ner": [1, 0]}, {"tokens": ["Bo"], "ner": [0]}])
    assert main_score(assay.score(gold, {"a": system}, times=5)) == pytest.approx(2 / 3)
    system[1]["ner"] = [-100]
    assert refusal(assay.score, gold, {"a": system}, times=5).startswith("row 2 of the Dataset: ner has -100")


def test_predictions_have_the_texts_of_gold(tmp_path):
    gold = written(
        tmp_path, "gold.jsonl", [{"text": "Ann left", "spans": [[0, 3, "PER"]]}, {"text": "O", "spans": []}]
    )
    span = {"start": 0, "end": 3, "text": "Ann", "label": "PER", "score": 0.9}
    system = tmp_path / "a.json"
    system.write_text(json.dumps([[span], []]), "utf-8")
    assert main_score(assay.score(gold, {"a": str(system)}, times=5)) == 1
    # Gold's words have a text as well.
    columns = tmp_path / "gold.conll"
    columns.write_text("Ann B-PER\nleft O\n\nO O\n", "utf-8")
    assert main_score(assay.score(str(columns), {"a": str(system)}, times=5)) == 1
    assert "cannot be gold" in refusal(assay.score, str(system), {"a": gold}, times=5)
    system.write_text(json.dumps([[{**span, "text": "Bob"}], []]), "utf-8")
    assert "document 1: span 1: says 'Bob'" in refusal(assay.score, gold, {"a": str(system)}, times=5)
    assert main_score(assay.score(gold, {"a": str(system)}, repair="a=mend", times=5)) == 0
    system.write_text(json.dumps([[span]]), "utf-8")
    assert "has 1 answers for 2 documents of gold" in refusal(assay.score, gold, {"a": str(system)}, times=5)


@pytest.mark.parametrize(
    ("library", "name", "extra"), [("pyarrow", "hf/rows.parquet", "arrow"), ("spacy", "spacy/gold.spacy", "spacy")]
)
@pytest.mark.parametrize("task", [None, "spans", "tags", "items"])
def test_files_of_libraries_are_called_by_their_names(monkeypatch, library, name, extra, task):
    monkeypatch.setitem(sys.modules, library, None)
    path = str(DOORS / name)
    said = refusal(assay.score, path, {"a": path}, task=task, times=5)
    assert "NUL" not in said
    if (task, library) not in (("items", "spacy"), ("tags", "spacy")):
        assert said.endswith(f'; pip install "assay-nlp[{extra}]"')


def test_mentions_of_white_space_are_refused_in_docred(tmp_path):
    (document,) = json.loads((DOORS / "docred" / "nbsp.json").read_text("utf-8"))
    document["vertexSet"][1][0]["pos"] = [5, 6]
    said = refusal(assay.read, written(tmp_path, "a.json", [document]))
    assert said.endswith("vertexSet[1][0] has no words but white space: sent_id 0, pos [5, 6].")


def test_tables_of_arrow_have_rows_of_words_or_items(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import ipc, parquet

    rows = parquet.read_table(DOORS / "hf" / "rows.parquet")
    items = arrow.table({"id": ["a", "b"], "label": ["x", "y"]})
    for name, table, task in (("rows", rows, "spans"), ("items", items, "items")):
        with ipc.new_stream(tmp_path / f"{name}.arrow", table.schema) as out:
            out.write_table(table)
        parquet.write_table(table, tmp_path / f"{name}.parquet")
        gold, system = (str(tmp_path / f"{name}.{ending}") for ending in ("arrow", "parquet"))
        result = assay.score(gold, {"a": system}, times=5)
        assert (result.about.task, main_score(result)) == (task, 1)
