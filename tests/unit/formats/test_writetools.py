"""What tools and libraries have no place for is refused or said; whose annotation it is decides what is written."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from assay.formats import Input, from_documents
from assay.formats.write import convert_file
from assay.formats.writespans import write_spans
from assay.formats.writetools import TARGETS
from cases import each
from commands import call
from unit.samples import refusal

FULL = {
    "id": "a",
    "text": "Ann left Rome",
    "spans": [
        {"start": 0, "end": 3, "label": "PER", "id": 0, "score": 0.5, "links": ["Q1", "Q2"]},
        {"start": 9, "end": 13, "label": "LOC", "id": 1, "link": "Q3"},
    ],
    "relations": [{"label": "in", "head": 0, "tail": 1, "symmetric": True, "score": 0.5}],
    "meta": {"genre": "news", "text": "own"},
}
GAP = {"id": "a", "text": "Ann left Rome", "spans": [{"fragments": [[0, 3], [9, 13]], "label": "X"}]}
NESTED = {"id": "a", "text": "Ann left Rome", "spans": [[0, 3, "A"], [0, 13, "B"]]}
LOST = {
    "labelstudio": "links 2",
    "doccano": "links 2; scores of spans or relations 3; relations without direction 1",
    "prodigy": "",
    "argilla": "links 2; relations 1",
    "webanno": "second candidates 1; scores of spans or relations 3; relations without direction 1; metadata 2",
    "cas": "second candidates 1; scores of spans or relations 3; relations without direction 1; metadata 2",
    "gliner": "links 2; scores of spans or relations 3; relations without direction 1; texts 1",
    "hf": "links 2; scores of spans or relations 3; relations 1; texts 1",
    "tuples": "links 2; scores of spans or relations 3; relations 1; ids of documents 1; metadata 2",
    "pubtator": "second candidates 1; scores of spans or relations 3; relations without direction 1; metadata 2",
    "bioc": "second candidates 1; scores of spans or relations 3; relations without direction 1",
}


@each("target", LOST)
def test_what_is_left_out_is_said(target):
    spans = [{**FULL["spans"][0]}, {**FULL["spans"][1], "score": 0.25}]
    _, losses = write_spans(from_documents([{**FULL, "spans": spans}]), target)
    said = []
    for loss in losses:
        what, _, rest = loss.removeprefix(f"{target} has no ").partition("; ")
        (number,) = re.findall(r"\d+", rest)
        said.append(f"{what} {number}")
    assert "; ".join(said) == LOST[target]


@each("target", [name for name in TARGETS if name not in ("bioc", "docbin")])
def test_gaps_are_refused(target):
    said = f"document a: the span 'Ann Rome' has a gap, which {target} has no place for. Use --to jsonl"
    assert refusal(write_spans, from_documents([GAP]), target) == said


def test_bioc_has_gaps():
    files, _ = write_spans(from_documents([GAP]), "bioc")
    (mark,) = json.loads(files[""])["documents"][0]["passages"][0]["annotations"]
    assert mark["locations"] == [{"offset": 0, "length": 3}, {"offset": 9, "length": 4}]


@each("target", ["hf", "tuples"])
def test_overlaps_are_refused(target):
    said = f"document a: the span 'Ann left Rome' lies over 'Ann', which {target} has no place for. Use --to jsonl"
    assert refusal(write_spans, from_documents([NESTED]), target) == said


@each(
    "document, said",
    [
        ({**GAP, "text": "a\nb\nc", "spans": []}, "a text of more than two lines"),
        ({**GAP, "spans": [[0, 3, "A|B"]]}, "the name 'A|B' has a tab, line break or |"),
        ({**FULL, "spans": [[0, 3, "A"], [9, 13, "B"]]}, "a relation in of spans without identifiers"),
    ],
)
def test_pubtator_has_two_lines_and_relations_of_identifiers(document, said):
    error = refusal(write_spans, from_documents([document]), "pubtator")
    assert error == f"document a: {said}, which pubtator has no place for. Use --to jsonl"


def test_texts_without_words_are_refused_in_rows_of_words():
    said = "document a: a text without words, which webanno has no place for. Use --to jsonl"
    assert refusal(write_spans, from_documents([{**GAP, "text": " ", "spans": []}]), "webanno") == said


def test_metadata_do_not_hide_what_a_document_is():
    (task,) = json.loads(write_spans(from_documents([FULL]), "labelstudio")[0][""])
    assert task["data"] == {"text": "Ann left Rome", "id": "a", "genre": "news", "meta.text": "own"}
    other = from_documents([{**GAP, "spans": [], "meta": {"label": "x", "genre": "y"}}])
    row = json.loads(write_spans(other, "doccano")[0][""])
    assert (row["genre"], row["meta"]) == ("y", {"label": "x"})


def test_models_give_predictions_and_people_annotations(tmp_path):
    scored, plain = from_documents([FULL]), from_documents([NESTED])
    for corpus, kind, key in (
        (scored, None, "predictions"),
        (scored, "annotations", "annotations"),
        (plain, None, "annotations"),
        (plain, "predictions", "predictions"),
    ):
        (task,) = json.loads(write_spans(corpus, "labelstudio", kind)[0][""])
        assert [*task] == ["data", key]
    said = "--as predictions: doccano does not distinguish annotations and predictions. Remove --as; it is for "
    said += "labelstudio and argilla."
    assert refusal(write_spans, plain, "doccano", "predictions") == said
    said = "document a: spans with and without a score, which argilla has no place for. Use --to jsonl"
    assert refusal(write_spans, scored, "argilla") == said
    losses = write_spans(scored, "argilla", "annotations")[1]
    assert losses[-1] == "argilla has no scores of spans or relations; left out: 2."


def test_tags_become_spans_and_sentences_without_documents_tasks(file):
    path = file("a.conll", "Ann B-PER\nDoe I-PER\nran O\n\nBob B-PER\n")
    files, losses = convert_file(Input(str(path)), "tuples", None)
    assert json.loads(files[""]) == [
        ["Ann Doe ran", {"entities": [[0, 7, "PER"]]}],
        ["Bob", {"entities": [[0, 3, "PER"]]}],
    ]
    assert losses[0] == "column 2 is read as IOB2."
    done = call("convert", str(path), "--to", "hf")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows[0] == {"id": "1", "tokens": ["Ann", "Doe", "ran"], "ner_tags": ["B-PER", "I-PER", "O"]}


def test_spacy_writes_its_own_container(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    said = 'docbin needs spaCy. Install it: pip install "assay-nlp[spacy]"'
    assert refusal(write_spans, from_documents([NESTED]), "docbin") == said
    monkeypatch.undo()
    tokens = pytest.importorskip("spacy.tokens")
    from spacy.vocab import Vocab

    for document, group in ((NESTED, {"sc": ["Ann", "Ann left Rome"]}), ({**FULL, "relations": []}, {})):
        path = Path(tmp_path, "a.spacy")
        path.write_bytes(write_spans(from_documents([document]), "docbin")[0][""])
        (doc,) = tokens.DocBin().from_disk(path).get_docs(Vocab())
        assert {name: [span.text for span in spans] for name, spans in doc.spans.items()} == group
        assert [(span.text, span.kb_id_) for span in doc.ents] == ([] if group else [("Ann", "Q1"), ("Rome", "Q3")])


@each("text, place", [("😀", (0, 1)), ("a 😀", (2, 3)), ("😀 a", (0, 1)), ("a😀 b", (1, 2))])
def test_the_unit_of_offsets_is_told_at_the_end_of_a_text_and_before_a_blank(text, place):
    corpus = from_documents([{"text": text, "spans": [[*place, "X"]]}])
    tasks = json.loads(write_spans(corpus, "labelstudio")[0][""])
    again = from_documents(tasks)
    assert (again.offsets, again.spans.begin.tolist(), again.spans.end.tolist()) == (
        {"UTF-16 units": 1},
        *([end] for end in place),
    )
