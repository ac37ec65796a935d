"""Exports that could be taken for something else, so that a number would come out that means nothing."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.formats import read
from unit.samples import refusal

DOORS = Path(__file__).parents[2] / "data" / "doors"
TEXTS = ("Ann left Rome.", "Bob stays.", "Nothing here.")


@pytest.fixture
def rows(file):
    def write(name: str, values: Any) -> str:
        return file(name, "".join(json.dumps(value) + "\n" for value in values))

    return write


def labels_of(name: str) -> set[str]:
    """The labels of a table of items."""
    return {*assay.describe(name).layers["label"].labels}


def test_answers_of_prodigy_that_accept_no_label_are_no_gold(rows):
    answers = [
        {"text": text, "_input_hash": number, "label": "good", "answer": answer}
        for number, (text, answer) in enumerate(zip(TEXTS, ("accept", "reject", "ignore"), strict=True))
    ]
    message = refusal(assay.score, rows("a.jsonl", answers), rows("b.jsonl", answers), column="label")
    assert message.startswith("a.jsonl: answers of Prodigy that accept no label: reject (1), ignore (1).")
    accepted = [{**answer, "answer": "accept"} for answer in answers]
    assert labels_of(rows("a.jsonl", accepted)) == {"good"}
    # A choice is in `accept`, and what was done with it in `answer`.
    chosen = [{**answer, "accept": ["bad"]} for answer in accepted]
    for one in chosen:
        del one["label"]
    assert labels_of(rows("a.jsonl", chosen)) == {"bad"}


def test_an_answer_of_another_view_is_no_text_without_spans(rows):
    tokens = [{"text": "Ann", "start": 0, "end": 3, "id": 0}]
    row = {"text": "Ann", "tokens": tokens, "_input_hash": 1, "answer": "accept"}
    spans = {**row, "_view_id": "ner_manual", "_annotator_id": "a"}
    choice = {**row, "_view_id": "choice", "accept": ["good"], "_annotator_id": "b", "_input_hash": 2}
    assert read(rows("a.jsonl", [spans])).documents == 1
    assert "a.jsonl:2: an answer to the view choice of Prodigy" in refusal(read, rows("a.jsonl", [spans, choice]))


@pytest.mark.parametrize("cell", ["[[0, 3, 'PER']]", '[{""start"":0,""end"":3,""labels"":[""PER""]}]'])
def test_spans_in_a_cell_of_a_table_are_no_label(file, cell):
    name = file("a.csv", f'id,text,label\n1,Ann left,"{cell}"\n2,Nobody,[]\n')
    message = refusal(assay.score, name, name)
    assert message.startswith("a.csv:2: label contains spans, but a row of a table is an item with a label.")


def test_regions_of_recordings_are_no_spans_of_their_addresses(file):
    value = {"start": 0, "end": 4, "channel": 0, "labels": ["Speaker"]}
    result = {"type": "labels", "original_length": 9.5, "value": value}
    task = {"id": 1, "data": {"audio": "/data/1.wav"}, "annotations": [{"completed_by": 1, "result": [result]}]}
    name = file("a.json", json.dumps([task]))
    assert read(name).unread == {"Regions of recordings, in seconds": 1}
    assert "contains no spans (Regions of recordings, in seconds, not read: 1)" in refusal(assay.score, name, name)


def test_what_gold_leaves_out_is_left_out_where_texts_correspond(rows):
    def span(text: str) -> dict[str, Any]:
        return {"start": 0, "end": 3, "labels": ["PER"], "text": text[:3]}

    tasks: list[dict[str, Any]] = [{"id": number, "data": {"text": text}} for number, text in enumerate(TEXTS, 1)]
    for one, marks in ((tasks[0], [span(TEXTS[0])]), (tasks[2], [])):
        results = [{"type": "labels", "value": mark} for mark in marks]
        one["annotations"] = [{"completed_by": 1, "result": results}]
    tasks[1]["annotations"] = []
    theirs = [{"id": f"n{text}", "text": text, "spans": [[0, 3, "PER"]]} for text in reversed(TEXTS)]
    result = assay.score(rows("a.jsonl", tasks), rows("b.jsonl", theirs), measures="exact")
    assert (result.score("b", "exact", "precision").value, result.score("b", "exact", "recall").value) == (0.5, 1)
    assert any("2 documents were matched with gold by text" in warning for warning in result.warnings)
    # A text more than gold leaves out is one that gold does not know.
    theirs.append({"id": "more", "text": "Another.", "spans": []})
    assert "lacks the documents" in refusal(assay.score, "a.jsonl", rows("b.jsonl", theirs), missing="empty")


def test_numbers_of_two_tools_that_are_the_same_by_chance_are_no_ids(rows):
    ours, theirs = (
        [{"id": first + place, "text": text, "spans": [[0, 3, "PER"]]} for place, text in enumerate(TEXTS)]
        for first in (0, 1)
    )
    result = assay.score(rows("a.jsonl", ours), rows("b.jsonl", theirs), measures="exact")
    assert result.score("b", "exact").value == 1
    reason = "because the same ids belong to different texts"
    assert f"3 documents were matched with gold by text, {reason}" in result.warnings[0]
    # An id that is the same for the same text is an id.
    theirs = [{**ours[0]}, {**ours[1]}, {**ours[2], "id": 9}]
    assert "lacks the documents 2" in refusal(assay.score, "a.jsonl", rows("b.jsonl", theirs))


def test_the_layer_that_is_read_shows_the_text(file):
    def result(control: str, start: int, end: int, text: str) -> dict[str, Any]:
        return {
            "type": "labels",
            "from_name": control,
            "value": {"start": start, "end": end, "text": text, "labels": ["P"]},
        }

    data = {"question": "Who met Bob?", "answer": "Ann met him."}
    found = [result("q", 8, 11, "Bob"), result("a", 0, 3, "Ann")]
    task = {"id": 1, "data": data, "annotations": [{"completed_by": 1, "result": found}]}
    name = file("a.json", json.dumps([task]))
    assert [read(name, column=column).texts for column in "qa"] == [("Who met Bob?",), ("Ann met him.",)]


def test_annotators_are_not_called_gold_or_systems(file):
    def entry(who: str) -> dict[str, Any]:
        return {"completed_by": {"email": who}, "result": []}

    spans = [{"type": "labels", "value": {"start": 0, "end": 3, "labels": ["P"]}}]
    tasks = [
        {"id": number, "data": {"text": text}, "annotations": [{**entry(who), "result": spans} for who in people]}
        for number, (text, people) in enumerate(zip(TEXTS, ("abc", "bc", "ac"), strict=True))
    ]
    result = assay.agreement(file("a.json", json.dumps(tasks)), missing="absent", measures="exact")
    assert result.warnings
    assert not [warning for warning in result.warnings if "system" in warning or "gold" in warning]


def test_a_folder_within_a_project_contains_annotators_and_no_initial_texts():
    project = DOORS / "inception"
    for part, known in (("annotation", 2), ("annotation/doc1.txt", 1)):
        found = assay.describe(str(project / part))
        assert (found.documents, [*found.annotators]) == (known, ["anna", "ben"])
    assert assay.describe(str(project / "curation")).documents == 1
    assert read(str(project / "annotation"), which="anna").documents == 2


def test_a_zip_file_may_contain_one_folder_with_those_of_annotators(file):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for who, end in (("ann", 3), ("ben", 8)):
            archive.writestr(f"all/{who}/1.txt", "Ann left.")
            archive.writestr(f"all/{who}/1.ann", f"T1\tPER 0 {end}\t{'Ann left.'[:end]}\n")
    name = file("a.zip", packed.getvalue())
    assert "annotators ann (1) and ben (1)" in refusal(read, name)
    assert read(name, which="ben").spans.end.tolist() == [8]


def test_beside_tables_of_arrow_nothing_else_is_read(in_folder):
    for part in ("train", "test"):
        (in_folder / "d" / part).mkdir(parents=True)
        for name in ("data-0.arrow", "cache-1.arrow", "state.json", "dataset_info.json"):
            (in_folder / "d" / part / name).write_text("{}")
    assert assay.formats.source.list_files("d/test") == ["d/test/data-0.arrow"]
    (in_folder / "d" / "dataset_dict.json").write_text("{}")
    assert refusal(read, "d") == "d: a data set in several parts. Name one: d/test"
    shutil.rmtree(in_folder / "d")
