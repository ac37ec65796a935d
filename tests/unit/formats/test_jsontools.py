"""Documents in JSON as annotation tools write them: Label Studio, doccano, Prodigy, Argilla."""

from __future__ import annotations

import json
from typing import Any

import pytest

import assay
from assay.formats import Input, from_documents, read
from assay.formats.whose import Asked
from cases import each
from unit.samples import placed, refusal, related

TEXT = "Angela Merkel met Obama in Rome."
SMILE = "😀 Ann left Rome."
MORE = "; all that it contains: assay formats a.jsonl"


@pytest.fixture
def documents(file):
    """Write documents, one per line; returns the name of the file."""

    def write(*values: Any, name: str = "a.jsonl") -> str:
        return file(name, "".join(json.dumps(value) + "\n" for value in values))

    return write


def region(start: int, end: int, *labels: str, text: str | None = TEXT, **more: Any) -> dict[str, Any]:
    """A result of Label Studio with the text that it marks."""
    value = {"start": start, "end": end, "labels": list(labels)}
    return {"value": value if text is None else {**value, "text": text[start:end]}, "type": "labels", **more}


def task(data: Any, *results: Any, who: Any = 1, **more: Any) -> dict[str, Any]:
    """A task of Label Studio with one annotation."""
    entry = {"completed_by": who, "result": list(results), **more}
    return {"data": data if isinstance(data, dict) else {"text": data}, "annotations": [entry]}


# --- Label Studio ---


def test_the_text_is_the_string_in_which_the_texts_of_results_are(documents):
    shown = {"title": "On Rome", "body": TEXT}
    # The first task has no results, so the others show where the text is.
    tasks = [task({"title": "Nothing", "body": "x"}), task(shown, region(0, 13, "PER"))]
    corpus = read(documents(*tasks))
    assert (corpus.texts, corpus.metadata("title")) == (("x", TEXT), ["Nothing", "On Rome"])
    for order in ([0, 1], [1, 0]):
        others = [task({"title": "Rome", "body": "in Rome"}), task(shown, region(0, 13, "PER"))]
        assert {*read(documents(*(others[one] for one in order))).texts} == {"in Rome", TEXT}
    remedy = 'a.jsonl:1: the text may be in title, body. Name it: --input-format "jsonl(text=title)"'
    assert refusal(read, documents(tasks[0])) == remedy
    assert read(documents(tasks[0]), input_format="jsonl(text=title)").texts == ("Nothing",)
    message = "a.jsonl:1: no text called head. There are: title, body."
    assert refusal(read, documents(tasks[0]), input_format="jsonl(text=head)") == message
    # A text called so comes before others in which the results might be as well.
    assert read(documents(task({"text": TEXT, "copy": TEXT}, region(0, 13, "PER")))).texts == (TEXT,)


def test_spans_of_html_are_read_if_their_places_are_numbers(documents):
    result = {"type": "hypertextlabels", "value": {"start": 0, "end": 13, "hypertextlabels": ["PER", "VIP"]}}
    corpus = read(documents(task(TEXT, result)))
    assert [label for _, label, _ in placed(corpus)] == ["PER", "VIP"]
    result["value"] |= {
        "start": "/p[1]/text()[1]",
        "end": "/p[1]/text()[1]",
        "globalOffsets": {"start": 0, "end": 13},
    }
    assert refusal(read, documents(task(TEXT, result))) == (
        'a.jsonl:1: the start of a span is "/p[1]/text()[1]", a place in HTML (XPath). assay reads plain texts: give '
        "the text as it is shown, with the numbers of globalOffsets as start and end."
    )


def test_a_control_is_a_layer_and_its_relations_go_with_it(documents):
    results = [
        region(0, 13, "PER", id="a", from_name="ner"),
        region(18, 23, "PER", id="b", from_name="ner"),
        region(14, 17, "meet", id="c", from_name="event"),
        *({"type": "relation", "from_id": "a", "to_id": end, "direction": "right", "labels": ["r"]} for end in "bc"),
        {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"},
    ]
    name = documents(task(TEXT, *results))
    message = "a.jsonl: spans of several layers: ner (2), event (1). Which one? --column gold=ner"
    assert refusal(Input(name, asked=Asked("gold")).read) == message + MORE
    corpus = Input(name, asked=Asked("gold", column="ner")).read()
    assert [label for _, label, _ in placed(corpus)] == ["PER", "PER"]
    assert [label for label, _, _ in related(corpus)] == ["r"]
    assert corpus.unread == {
        "Relations of spans in other layers": 1,
        "Relations without a label": 1,
        "Spans of event": 1,
    }
    message = "--column gold=pos: no such layer in a.jsonl. ner (2), event (1)"
    assert refusal(Input(name, asked=Asked("gold", column="pos")).read) == message + MORE


def test_a_span_has_its_own_score_or_that_of_its_prediction(documents):
    results = [region(0, 13, "PER", score=0.9), region(18, 23, "PER")]
    prediction = {"model_version": "m", "score": 0.5, "result": results}
    corpus = read(documents({"data": {"text": TEXT}, "predictions": [prediction]}), which="m")
    assert corpus.spans.scores.tolist() == [0.9, 0.5]


def test_an_annotator_has_an_address_before_a_number(documents):
    people = [{"id": 1, "email": "ann@example.org"}, {"id": 2}, 3]
    name = documents(*(task(TEXT, who=who) for who in people))
    assert refusal(read, name, which="x") == (
        "--which x: no such annotator or model in a.jsonl. Documents of annotators ann@example.org (1), 2 (1) and "
        f"3 (1){MORE}"
    )


TIMES = {
    ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00.5Z"): "B",
    ("2024-05-01T12:00:00+02:00", "2024-05-01T09:00:00Z"): "A",
    ("2024-05-01", "yesterday"): "",
    ("2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00"): "",
}


@each("times, label", TIMES.items())
def test_the_last_annotation_is_the_newest(documents, times, label):
    given = task(TEXT)
    given["annotations"] = [
        {"completed_by": name, "updated_at": time, "result": [region(0, 6, name)]}
        for name, time in zip("AB", times, strict=True)
    ]
    if label:
        assert [found for _, found, _ in placed(read(documents(given), which="last"))] == [label]
    else:
        assert "2 annotations with equal times or none of one text" in refusal(read, documents(given), which="last")


def test_old_exports_have_completions_and_drafts_are_nobodys(documents):
    old = {"data": {"text": TEXT}, "completions": [{"result": [region(0, 6, "A")]}]}
    assert [label for _, label, _ in placed(read(documents(old)))] == ["A"]
    draft = {"data": {"text": TEXT}, "annotations": [], "drafts": [{"result": [region(0, 6, "A")]}]}
    message = "a.jsonl: no document is left, because all are not annotated or skipped"
    assert refusal(read, documents(draft)) == message + MORE


def test_rows_of_one_task_are_annotations_of_it(documents):
    rows = [
        {"id": 5, "body": TEXT, "year": 2020, "annotator": who, "annotation_id": number, "ner": spans}
        for number, (who, spans) in enumerate(
            [("ann", [{"start": 0, "end": 13, "text": "Angela Merkel", "labels": ["PER"]}]), (2, [])]
        )
    ]
    del rows[1]["ner"]
    corpus = read(documents(*rows), which="ann")
    assert (corpus.shape, corpus.texts, corpus.metadata_keys()) == ("Label Studio JSON-MIN", (TEXT,), ["year"])
    assert corpus.notes == (
        "Label Studio leaves skipped tasks, relations and predictions out of JSON-MIN; "
        "its JSON export contains them.",
    )
    assert placed(read(documents(*rows), which="2")) == []
    rows[1]["body"] = "x"
    message = "a.jsonl:2: another text than a.jsonl:1, which has the same id. Give it its own."
    assert refusal(read, documents(*rows), which="2") == message


# --- doccano, Prodigy, Argilla, rows ---


def test_spans_of_doccano_name_their_users(documents):
    span = {"start_offset": 0, "end_offset": 6, "label": "A"}
    rows = [{"text": TEXT, "annotations": [{**span, "user": 1}]}, {"text": "x", "annotations": []}]
    corpus = read(documents(*rows))
    assert (corpus.documents, corpus.which, corpus.shape) == (2, "annotations", "doccano JSON")
    assert corpus.notes == ("Documents without a span of annotator 1, who is assumed to have seen them: 1.",)
    assert "annotators 1 (1) and without a name (1)" in refusal(
        read, documents({"text": TEXT, "annotations": [{**span, "user": 1}, span]})
    )
    assert read(documents(rows[1])).documents == 1


def prodigy(number: int, who: str | None, answer: str = "accept", **more: Any) -> dict[str, Any]:
    """A row of Prodigy."""
    row = {"text": TEXT, "spans": [{"start": 0, "end": 6, "label": "A"}], "answer": answer, "_input_hash": number}
    return {**row, **({} if who is None else {"_annotator_id": who}), "_task_hash": 3, **more}


def test_rows_of_prodigy_with_one_hash_are_one_document(documents):
    rows = [prodigy(1, "ann"), prodigy(2, "ann", "ignore"), prodigy(1, "ben", "reject", _is_binary=True)]
    corpus = read(documents(*rows))
    assert (corpus.documents, corpus.metadata_keys()) == (1, [])
    assert [(number, reason) for number, _, reason in corpus.left_out] == [(1, "ignored")]
    twice = [prodigy(1, "ann", _timestamp=10), prodigy(1, "ann", _timestamp=9, spans=[], _is_binary=True)]
    assert refusal(read, documents(*twice)) == (
        f"a.jsonl:1: 2 annotations of one text. Documents of annotator ann (1). Whose is meant? --which last{MORE}"
    )
    assert len(read(documents(*twice), which="last").spans) == 1
    assert "Keep one of them" in refusal(read, documents(prodigy(1, None), prodigy(1, None)))
    unnamed = read(documents(prodigy(1, None), prodigy(2, None, "reject")))
    assert ([reason for *_, reason in unnamed.left_out], unnamed.which) == (["rejected"], "")
    binary = read(documents(prodigy(1, "ann", _is_binary=True)))
    assert binary.notes[0].startswith("Documents that are answers about a single suggestion")
    # A text that was to be marked has tokens, and may have no list of spans.
    row = prodigy(1, "ann", text="Ann", tokens=[{"text": "Ann", "start": 0, "end": 3}])
    del row["spans"]
    assert len(read(documents(row)).spans) == 0


def record(**more: Any) -> dict[str, Any]:
    """A record of Argilla."""
    return {"id": "r", "fields": {"text": TEXT, "title": "T"}, "responses": {}, "suggestions": {}, **more}


def test_questions_of_argilla_are_layers(documents):
    spans = [{"start": 0, "end": 6, "label": "A"}]
    responses = {
        "ner": [{"user_id": "u1", "value": spans}, {"user_id": "u2", "value": spans, "status": "draft"}],
        "event": [{"user_id": "u1", "value": [{**spans[0], "label": "E"}]}],
        "mood": [{"user_id": "u1", "value": "glad"}],
    }
    given = record(responses=responses, suggestions={"ner": {"value": spans, "score": 0.5, "agent": None}})
    name = documents(given)
    assert "spans of several layers: ner (1), event (1)" in refusal(read, name, which="u1")
    corpus = Input(name, asked=Asked("gold", column="event")).read()
    assert [label for _, label, _ in placed(corpus)] == ["E"]
    assert (corpus.shape, corpus.metadata("title")) == ("Argilla JSON", ["T"])
    assert corpus.unread == {"Answers to mood": 1, "Spans of ner": 2}
    assert "Argilla's export does not say which responses are drafts or discarded" in corpus.notes[0]
    assert "--column gold=pos: no such layer" in refusal(Input(name, asked=Asked("gold", column="pos")).read)
    assert read(name, which="suggestion").spans.scores.tolist() == [0.5]
    thrown = record(id="s", responses={"ner": [{"user_id": "u1", "value": [], "status": "discarded"}]})
    kept = record(responses={"ner": [{"user_id": "u1", "value": spans, "status": "submitted"}]})
    corpus = read(documents(kept, thrown))
    assert ([reason for *_, reason in corpus.left_out], corpus.notes) == (["discarded"], ())


def test_rows_with_one_id_and_other_annotators_are_one_document(documents):
    rows = [{"id": 1, "text": TEXT, "annotator": who, "spans": []} for who in ("ann", "ben")]
    assert read(documents(*rows), which="ben").documents == 1
    assert "--which ann or --which ben" in refusal(read, documents(*rows))
    assert "Keep one of them" in refusal(read, documents(rows[0], rows[0]))
    assert "the id '1' is already used in" in refusal(read, documents(*({**row, "annotator": None} for row in rows)))


# --- offsets and lists of Python ---


def test_offsets_that_count_different_units_are_refused_with_one_of_each(documents):
    spans = [
        {"start": start, "end": end, "label": "A", "text": SMILE[2:5] if start < 9 else "Rome"}
        for start, end in ((2, 5), (12, 16))
    ]
    assert refusal(read, documents({"text": SMILE, "spans": spans})) == (
        "a.jsonl:1: the offsets 2-5 of 'Ann' count characters, but 12-16 of 'Rome' count UTF-16 units. "
        "Correct one kind."
    )
    unchecked = read(documents({"text": SMILE, "spans": [[2, 5, "A"]]}, {"text": TEXT, "spans": [[0, 6, "A"]]}))
    assert unchecked.notes == (
        "Documents with characters beyond U+FFFF and spans without texts, so that nothing shows whether offsets "
        "count characters, as is assumed: 1.",
    )


LISTS: list[tuple[Any, str]] = [
    ([task(TEXT, region(0, 13, "A")), task(TEXT, region(18, 23, "A"))], "annotations"),
    ([prodigy(1, "ann"), prodigy(2, "ann"), prodigy(1, "ben")], "ann"),
    ([record(responses={"ner": [{"user_id": "u", "value": [{"start": 0, "end": 6, "label": "A"}]}]})], "u"),
    ([{"id": 1, "text": TEXT, "annotator": who, "spans": [[0, 6, "A"]]} for who in ("ann", "ben")], "ben"),
    ([{"text": TEXT, "annotations": [{"start_offset": 0, "end_offset": 6, "label": "A", "user": 1}]}], "1"),
]


@each("values, who", LISTS)
def test_lists_of_python_are_read_as_files_are(documents, values, who):
    asked = Asked("gold", who)
    expected = Input(documents(*values), asked=asked).read()
    corpus = from_documents(values, asked=asked)
    assert (placed(corpus), corpus.texts, corpus.shape) == (placed(expected), expected.texts, expected.shape)
    result = assay.score(values, {"s": values}, "exact", which=who, times=5)
    assert next(row.value for row in result.scores if row.score == "f1") == 1
