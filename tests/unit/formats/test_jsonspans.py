"""Documents in JSON with their spans."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

import assay
from assay.formats import read
from cases import each
from unit.formats.test_brat import REMEDY
from unit.samples import linked, placed, refusal, related

TEXT = "Angela Merkel met Obama in Rome."
PER = {"start": 0, "end": 13, "label": "PER"}
TOKENS = [{"text": "Angela", "start": 0, "end": 6}, {"text": "Merkel", "start": 7, "end": 13}]
CODE_POINTS = "Offsets count characters (Unicode code points, not bytes or UTF-16 units) from 0, end exclusive."
EXAMPLE = 'A document is {"id": "d1", "text": "…", "spans": [{"start": 0, "end": 5, "label": "PER"}]}'


@pytest.fixture
def documents(file):
    """Write documents, one per line; returns the name of the file."""

    def write(*values: Any, name: str = "a.jsonl") -> str:
        return file(name, "".join(json.dumps(value) + "\n" for value in values))

    return write


@pytest.mark.parametrize(
    "document",
    [
        {"text": TEXT, "spans": [PER]},
        {"text": TEXT, "spans": [{**PER, "text": "Angela Merkel"}]},
        {"text": TEXT, "spans": [{"label": "PER", "fragments": [[0, 13]]}]},
        {"text": TEXT, "label": [[0, 13, "PER"]]},
        {"text": TEXT, "labels": [[0, 13, "PER"]]},
        {"data": TEXT, "label": [[0, 13, "PER"]]},
        {"text": TEXT, "entities": [[0, 13, "PER"]]},
        {"text": TEXT, "entities": [PER]},
        {"text": TEXT, "ents": [PER]},
        {"text": TEXT, "entities": [{"id": 5, "label": "PER", "start_offset": 0, "end_offset": 13}], "relations": []},
        {"text": TEXT, "entities": [{"type": "PER", "begin": 0, "end": 13}]},
        {"text": TEXT, "entities": [{"category": "PER", "start_char": 0, "end_char": 13}]},
        {"text": TEXT, "entities": [{"tag": "PER", "start": 0, "end": 13}]},
        {"text": TEXT, "entities": [{"entity": "PER", "start": 0, "end": 13}]},
        {"text": TEXT, "entities": [{"entity": "Angela Merkel", "type": "PER", "start": 0, "end": 13}]},
        {
            "text": TEXT,
            "entities": [{"entity_group": "PER", "score": 0.9, "word": "angela merkel", "start": 0, "end": 13}],
        },
        {"text": TEXT, "label": [{"start": 0, "end": 13, "text": "Angela Merkel", "labels": ["PER"]}]},
        {"text": TEXT, "spans": [PER], "entities": [], "label": "news"},
        {"text": TEXT, "spans": [PER], "answer": "accept"},
        {
            "data": {"text": TEXT},
            "annotations": [{"result": [{"type": "labels", "value": {"start": 0, "end": 13, "labels": ["PER"]}}]}],
        },
    ],
)
def test_spans_of_characters_are_read_in_every_shape(documents, document):
    corpus = read(documents(document))
    assert corpus.format == "jsonl"
    assert placed(corpus) == [(0, "PER", [(0, 13)])]
    assert corpus.texts == (TEXT,)
    assert corpus.notes == ()


@pytest.mark.parametrize(
    "document",
    [
        {"tokens": ["Angela", "Merkel"], "spans": [{"start": 0, "end": 2, "label": "PER"}]},
        {"tokens": ["Angela", "Merkel"], "spans": [{"start": 0, "end": 2, "label": "PER", "text": "Angela Merkel"}]},
        {"tokens": [{"text": "Angela"}, {"text": "Merkel"}], "label": [[0, 2, "PER"]]},
        {"text": "Angela Merkel", "tokens": TOKENS, "spans": [PER]},
        {"text": "Angela Merkel", "tokens": [{"start": 0, "end": 6}, {"start": 7, "end": 13}], "spans": [PER]},
        {"tokens": TOKENS, "spans": [PER]},
    ],
)
def test_where_there_are_tokens_these_are_the_atoms(documents, document):
    corpus = read(documents(document))
    assert placed(corpus) == [(0, "PER", [(0, 2)])]
    assert corpus.forms.strings() == ["Angela", "Merkel"]
    assert corpus.texts is None


def test_fragments_are_a_span_with_gaps(documents):
    spans = [{"label": "X", "fragments": [[0, 6], [14, 17]]}]
    assert placed(read(documents({"text": TEXT, "spans": spans}))) == [(0, "X", [(0, 6), (14, 17)])]
    spans = [{"label": "X", "fragments": [[0, 1], [2, 3]]}]
    assert placed(read(documents({"tokens": TEXT.split(), "spans": spans}))) == [(0, "X", [(0, 1), (2, 3)])]


def test_a_span_with_several_labels_is_as_many_spans(documents):
    spans = [{"start": 0, "end": 6, "labels": ["B", "A"]}]
    assert placed(read(documents({"text": TEXT, "spans": spans}))) == [(0, "A", [(0, 6)]), (0, "B", [(0, 6)])]


def test_characters_are_code_points(documents):
    corpus = read(documents({"text": "𝒜🙂 Rome", "spans": [{"start": 3, "end": 7, "label": "LOC", "text": "Rome"}]}))
    assert placed(corpus) == [(0, "LOC", [(3, 7)])]


def test_offsets_in_utf_16_units_are_found_out_by_the_text(documents):
    name = documents({"text": "𝒜🙂 Rome!!", "spans": [{"start": 5, "end": 9, "label": "LOC", "text": "Rome"}]})
    corpus = read(name)
    assert placed(corpus) == [(0, "LOC", [(3, 7)])]
    assert corpus.notes == ("Documents with offsets in UTF-16 units, as the texts of their spans show: 1.",)


def test_the_text_of_a_span_may_show_line_breaks_as_blanks_or_escaped(documents):
    text = "Angela\nMerkel"
    for said in ("Angela\nMerkel", "Angela Merkel", "Angela\\nMerkel"):
        assert len(placed(read(documents({"text": text, "spans": [{**PER, "text": said}]})))) == 1


# --- documents ---


def test_documents_stand_one_per_line_in_a_list_or_spread_over_lines(file):
    values = [{"id": name, "text": TEXT, "spans": [PER]} for name in ("a", "b")]
    lines = "\n".join(json.dumps(value) for value in values)
    for text, places in {
        f"\n{lines}\n\n": [2, 3],
        lines.replace("\n", "\n\n"): [1, 3],
        json.dumps(values): [1, 1],
        json.dumps(values, indent=1): [2, 13],
        "\n\n".join(json.dumps(value, indent=1) for value in values): [1, 13],
        "\ufeff" + lines.replace("\n", "\r\n"): [1, 2],
    }.items():
        corpus = read(file("a.json", text))
        assert corpus.document_ids == ("a", "b")
        assert [corpus.place_of_span(span) for span in range(2)] == [f"a.json:{line}" for line in places]


def test_one_object_is_one_document(file):
    corpus = read(file("a.json", json.dumps({"text": TEXT, "spans": [PER]}, indent=2)))
    assert (corpus.documents, corpus.place_of_span(0)) == (1, "a.json:1")


@pytest.mark.parametrize(
    "given", [{"id": 7}, {"id": "7"}, {"doc_id": "7"}, {"document_id": "7"}, {"uuid": "7"}, {"meta": {"id": 7}}]
)
def test_documents_correspond_by_the_id_they_have(documents, given):
    corpus = read(documents({**given, "text": TEXT, "spans": []}))
    assert (corpus.document_ids, corpus.by_id) == (("7",), True)


def test_documents_without_id_are_called_by_their_line_and_correspond_by_order(documents):
    corpus = read(documents({"text": "One", "spans": []}, {"id": None, "text": "Two", "spans": []}))
    assert (corpus.document_ids, corpus.by_id) == (("1", "2"), False)


def test_a_document_may_be_empty(documents):
    corpus = read(documents({"text": "", "spans": []}, {"text": "x", "spans": [[0, 1, "A"]]}))
    assert (corpus.texts, placed(corpus)) == (("", "x"), [(1, "A", [(0, 1)])])
    assert read(documents({"tokens": [], "spans": []})).sentences == 1


def test_results_of_label_studio_that_are_no_spans_are_counted(documents):
    results = [{"type": "labels", "value": {"start": 0, "end": 6, "labels": ["A"]}}, {"type": "choices", "value": {}}]
    corpus = read(documents({"data": {"text": TEXT}, "annotations": [{"result": results}]}))
    assert corpus.notes == ("Results of type choices, not read: 1.",)


DOCUMENT_FAULTS = [
    (
        {"spans": []},
        "a document without text or tokens (keys: spans). It is " + EXAMPLE.removeprefix("A document is "),
    ),
    ({"text": 3, "spans": []}, "the text is 3, but a string is expected."),
    (
        {"text": "a\ud800", "spans": []},
        "the text has half a character (a lone surrogate) in it. Write the file as UTF-8.",
    ),
    (
        {"text": "x", "marks": []},
        'no list of spans among text, marks. Call it "spans", and give [] if there are none.',
    ),
    ({"text": TEXT, "spans": [PER], "entities": [PER]}, "spans in spans and in entities. Keep one of them."),
    ({"id": True, "text": "x", "spans": []}, "the id is true, but a string is expected."),
    ({"id": " ", "text": "x", "spans": []}, "the id is empty. Give each document its own, or none an id."),
    (
        {"text": "x", "spans": [], "answer": "yes"},
        'the answer is "yes". If that is what a language model said of gold\'s text: --input-format answers',
    ),
    (
        {"data": {"text": "x"}, "annotations": [{"result": []}, {"result": []}]},
        "2 annotations of one text. Documents of annotator without a name (1). Keep one of them; all that "
        "it contains: assay formats a.jsonl",
    ),
    (
        {"text": TEXT, "tokens": TEXT.split(), "spans": []},
        "a text and tokens without offsets, so it is unclear what spans count. "
        'Leave out one of them, or give tokens as {"start": 0, "end": 5}.',
    ),
    (
        {"tokens": ["a", {"text": "b"}], "spans": []},
        'tokens should be a list of strings, or of {"start": 0, "end": 5}.',
    ),
    ({"tokens": "a b", "spans": []}, 'tokens should be a list of strings, or of {"start": 0, "end": 5}.'),
    ({"tokens": ["a", ""], "spans": []}, "token 1 is empty. Leave it out, and count without it."),
    (
        {"text": "Angela Markel", "tokens": TOKENS, "spans": []},
        f"token 1: says 'Merkel', but the text has 'Markel'. {CODE_POINTS}",
    ),
    (
        {"text": "Angela Merkel", "tokens": TOKENS[::-1], "spans": []},
        "its tokens: the token 0-6 begins before the end of the one before it. "
        "Tokens follow the order of the text and do not overlap.",
    ),
    (
        {"text": "Angela", "tokens": TOKENS, "spans": []},
        f"its tokens: from 7 to 13, but there are 6 characters. {CODE_POINTS}",
    ),
]


@pytest.mark.parametrize(("document", "message"), DOCUMENT_FAULTS)
def test_a_faulty_document_is_refused_with_its_line(documents, document, message):
    assert refusal(read, documents(document)) == f"a.jsonl:1: {message}"


def test_an_id_given_twice_is_refused_in_one_file_and_over_several(documents, file):
    document = {"id": "a", "text": "x", "spans": []}
    message = "the id 'a' is already used in {}. Give each its own id."
    assert refusal(read, documents(document, document)) == "a.jsonl:2: " + message.format("a.jsonl:1")
    file("d/1.jsonl", json.dumps(document))
    file("d/2.jsonl", json.dumps({**document, "text": "y"}))
    assert refusal(read, "d") == "d/2.jsonl:1: " + message.format("d/1.jsonl:1")
    file("d/2.jsonl", json.dumps(document))
    assert "2 annotations of one text. Documents of annotators 1 (1) and 2 (1)" in refusal(read, "d")


def test_documents_with_and_without_id_are_not_mixed(documents):
    with_id, without = {"id": "a", "text": "x", "spans": []}, {"text": "x", "spans": []}
    assert refusal(read, documents(with_id, without)) == (
        "a.jsonl:2: has no id, but those before it have one. Give all one, or none."
    )
    assert refusal(read, documents(without, with_id)) == (
        "a.jsonl:2: has an id, but those before it have none. Give all one, or none."
    )


def test_documents_with_and_without_tokens_are_not_mixed(documents):
    text, tokens = {"text": "x", "spans": []}, {"tokens": ["x"], "spans": []}
    end = "The spans of a file count either tokens or characters."
    assert refusal(read, documents(text, tokens)) == f"a.jsonl:2: has tokens, but those before it have none. {end}"
    assert refusal(read, documents(tokens, text)) == f"a.jsonl:2: has no tokens, but those before it have them. {end}"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"text": "x", "spans": []}\n{"text": "x", \n', "2: not JSON (Expecting property name"),
        ('{"text": "x", "spans": [}\n{"text": "x", "spans": []}\n', "1: not JSON (Expecting value"),
        ('{"text": "x", "spans": []} {}\n{"text": "x", "spans": []}\n', "1: not JSON (Extra data"),
        ("{'text': 'x', 'spans': []}\n", "1: not JSON (Expecting property name"),
        ('[\n{"text": "x", "spans": []}\n{"text": "x", "spans": []}\n]', "3: not JSON (Expecting ',' or ']'"),
        ('[{"text": "x", "spans": []}\n', "1: not JSON (Expecting ',' or ']'"),
        ('[{"text": "x", "spans": []}] x', "1: not JSON (Extra data"),
        ('{"text": "x",\n "spans": [}\n', "2: not JSON (Expecting value"),
        ("```json\n[]\n```\n", "1: not JSON (Expecting value"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(file, text, place):
    message = refusal(read, file("a.jsonl", text))
    assert message.startswith(f"a.jsonl:{place}")
    assert message.endswith(f"of the line). {EXAMPLE}")


@pytest.mark.parametrize("text", ['{"a":' * 100_000, '{"text": "x", "spans": [[0, ' + "9" * 5_000 + ', "A"]]}'])
def test_json_that_cannot_be_read_is_refused_too(file, text):
    assert refusal(read, file("a.jsonl", text)) == (
        "a.jsonl:1: not JSON for documents: nested too deeply, or a number too long."
    )


@pytest.mark.parametrize("text", ["[]", "[\n]\n"])
def test_a_file_without_documents_is_refused(file, text):
    assert refusal(read, file("a.json", text)) == f"a.json: contains no documents. {EXAMPLE}"


def test_what_is_no_document_is_refused(file):
    name = file("a.json", '[{"text": "x", "spans": []},\n[1, 2]]')
    assert refusal(read, name).startswith("a.json:2: [1, 2], but a document is expected.")


# --- spans ---

SPAN_FAULTS = [
    ({"start": 0, "end": 14, "label": "A"}, ": 'Angela Merkel ' begins or ends with white space. Remove it."),
    ({"start": 6, "end": 7, "label": "A"}, ": ' ' is only white space. Remove the span."),
    ({"start": 0, "end": 99, "label": "A"}, f": from 0 to 99, but there are 32 characters. {CODE_POINTS}"),
    ({"start": -6, "end": 3, "label": "A"}, f": from -6 to 3, but there are 32 characters. {CODE_POINTS}"),
    ({"start": 5, "end": 5, "label": "A"}, ": from 5 to 5, which is empty. The end must come after the start."),
    ({"start": "0", "end": 6, "label": "A"}, ': start is "0", but a whole number is expected.'),
    ({"start": 0, "end": 6.0, "label": "A"}, ": end is 6.0, but a whole number is expected."),
    ({"start": False, "end": 6, "label": "A"}, ": start is false, but a whole number is expected."),
    ({"start": 0, "label": "A"}, ": end is null, but a whole number is expected."),
    ({"start": 0, "end": 6}, ": no label among start, end. "
     "Give it as label, type, entity_group, entity_type, category."),
    ({"start": 0, "end": 6, "label": " "}, ": the label is empty. Give one, or remove the span."),
    ({"start": 0, "end": 6, "labels": []}, ": the label is [], but a string is expected."),
    ({"start": 0, "end": 6, "label": "A\tB"}, ": the label 'A\\tB' has a tab or a line break in it. Remove it."),
    ({"label": "A", "fragments": []}, ": fragments should be a list of pairs: [[0, 5], [16, 23]]."),
    ({"label": "A", "fragments": [[0, 6], [3, 13]]}, ": the fragment 3-13 begins before the end of the one "
     "before it. Fragments follow the order of the text and do not overlap."),
    ("B-PER", ' is "B-PER", but a span is expected: {"start": 0, "end": 5, "label": "PER"} or [0, 5, "PER"]. '
     "Tags of tokens belong in columns."),
    (["PER", 0, 6], ': start is "PER", but a whole number is expected.'),
    ({"entity": "B-PER", "index": 1, "word": "Angela", "start": 0, "end": 6}, ": the tag of a piece of a word, "
     'not a span. Put the pieces together: pipeline(…, aggregation_strategy="simple").'),
    ({"text": "Angela Merkel", "label": "PER"}, ": no start and end. Give them. If the text of the span is "
    "given, assay can look for it: "
     '--input-format "jsonl(find=true)"'),
]  # fmt: skip


@pytest.mark.parametrize(("span", "message"), SPAN_FAULTS)
def test_a_faulty_span_is_refused_with_line_and_number(documents, span, message):
    name = documents({"text": "Fine", "spans": []}, {"text": TEXT, "spans": [PER, span]})
    assert refusal(read, name).removesuffix(REMEDY) == f"a.jsonl:2: span 2{message}"


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((0, 9), "0-9 ends inside the token 7-13. Spans consist of whole tokens."),
        ((3, 13), "3-13 begins inside the token 0-6. Spans consist of whole tokens."),
        ((0, 14), "0-14 ends where no token ends. Spans consist of whole tokens."),
    ],
)
def test_a_span_of_characters_that_cuts_a_token_is_refused(documents, bounds, message):
    name = documents({"text": "Angela Merkel.", "tokens": TOKENS, "spans": [[*bounds, "PER"]]})
    assert refusal(read, name) == f"a.jsonl:1: span 1: {message}{REMEDY}"
    dropped = read(name, repair="drop")
    assert (len(dropped.spans), dropped.repairs) == (
        0,
        (("spans that are not at tokens", "dropped", 1, "a.jsonl:1: span 1"),),
    )


def test_a_span_of_tokens_is_checked_against_the_tokens(documents):
    counted = "Offsets count tokens from 0, end exclusive."
    name = documents({"tokens": ["Angela", "Merkel"], "spans": [[0, 3, "PER"]]})
    assert refusal(read, name) == f"a.jsonl:1: span 1: from 0 to 3, but there are 2 tokens. {counted}{REMEDY}"
    assert read(name, repair="mend").repairs[0][1:] == ("dropped", 1, "a.jsonl:1: span 1")
    name = documents(
        {"tokens": ["Angela", "Merkel"], "spans": [{"start": 0, "end": 1, "label": "P", "text": "Merkel"}]}
    )
    assert refusal(read, name) == f"a.jsonl:1: span 1: says 'Merkel', but the tokens are 'Angela'. {counted}{REMEDY}"


def test_white_space_is_trimmed_on_request_and_counted(documents):
    spans = [[0, 14, "A"], [6, 13, "B"], [0, 6, "C"]]
    corpus = read(documents({"text": TEXT, "spans": spans}), input_format="jsonl(trim=true)")
    assert placed(corpus) == [(0, "C", [(0, 6)]), (0, "A", [(0, 13)]), (0, "B", [(7, 13)])]
    assert corpus.repairs == (("white space at the ends", "mended", 2, "a.jsonl:1: span 1"),)


def test_spans_are_mended_or_dropped_on_request_and_relations_with_them(documents):
    spans = [{"start": 0, "end": 14, "label": "A", "id": "a"}, [90, 99, "B"], [0, 6, "C"]]
    relations = [{"label": "r", "head": "a", "tail": "b"}, {"label": "s", "head": "a", "tail": "c"}]
    spans[1:] = [{"start": 90, "end": 99, "label": "B", "id": "b"}, {"start": 0, "end": 6, "label": "C", "id": "c"}]
    name = documents({"text": TEXT, "spans": spans, "relations": relations})
    corpus = read(name, repair="mend")
    assert [label for label, _, _ in related(corpus)] == ["s"]
    assert corpus.repairs == (
        ("white space at the ends", "mended", 1, "a.jsonl:1: span 1"),
        ("offsets beyond the text", "dropped", 1, "a.jsonl:1: span 2"),
        ("relations and links of a span that is not there", "dropped", 1, "a.jsonl:1: relation 1"),
    )
    assert [label for _, label, _ in placed(read(name, repair="drop"))] == ["C"]


# --- whose annotation ---


def task(*people: str, models: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    """A task of Label Studio; a name with a minus skipped it."""
    value = {"start": 0, "end": 6, "labels": ["A"]}
    annotations = [
        {"completed_by": name.strip("-"), "was_cancelled": "-" in name, "result": [{"value": value}], **more}
        for name in people
    ]
    predictions = [{"model_version": name, "result": []} for name in models]
    return {"data": {"text": TEXT}, "annotations": annotations, "predictions": predictions}


SEE = "; all that it contains: assay formats a.jsonl"
CONTENTS = "Documents of annotators anna (2) and ben (1), model m1 (2)"
REFUSED = {
    "": f"a.jsonl:1: 2 annotations of one text. {CONTENTS}. Whose is meant? --which anna or --which ben; to compare "
    "all of them: assay agreement a.jsonl",
    "last": f"a.jsonl:1: 2 annotations with equal times or none of one text. {CONTENTS}. Whose is meant? "
    "--which anna or --which ben",
    "carla": f"--which carla: no such annotator or model in a.jsonl. {CONTENTS}",
    "model:anna": f"--which model:anna: no such annotator or model in a.jsonl. {CONTENTS}",
    "ground-truth": f"a.jsonl: no document is left, because all are without ground truth or skipped. {CONTENTS}",
}


@each("who, message", REFUSED.items())
def test_nothing_is_chosen_silently(documents, who, message):
    name = documents(task("anna", "ben", models=["m1"]), task("anna", models=["m1"]))
    assert refusal(read, name, which=who) == f"{message}{SEE}"


CHOSEN = {
    "anna": (["A"], ["skipped"]),
    "annotator:anna": (["A"], ["skipped"]),
    "ben": (["A"], ["not annotated"]),
    "m1": ([], ["without predictions"]),
    "predictions": ([], ["without predictions"]),
}


@each("who, found", CHOSEN.items())
def test_an_annotation_is_chosen_by_name_and_what_lacks_it_is_left_out(documents, who, found):
    corpus = read(documents(task("anna", models=["m1"]), task("anna-", "ben")), which=who)
    reasons = [reason for _, _, reason in corpus.left_out]
    if who == "ben":
        assert reasons == found[1] and corpus.documents == 1
    else:
        assert ([label for _, label, _ in placed(corpus)], reasons) == found


def test_a_task_has_its_own_id_before_the_number_of_the_tool(documents):
    tasks = [{**task("anna"), "id": number} for number in (1, 2)]
    tasks[0]["data"] = {"id": "a", "doc_id": "d", "body": TEXT}
    tasks[1]["data"] = {"doc_id": "d", "body": TEXT}
    assert read(documents(*tasks)).document_ids == ("a", "2")
    assert read(documents(*tasks)).metadata("doc_id") == ["d", "d"]


def test_names_that_two_have_and_files_that_have_none_are_refused(documents, file):
    name = documents(task("m1", models=["m1"]))
    assert refusal(read, name, which="m1") == (
        "--which m1: an annotator and a model of a.jsonl have this name. --which annotator:m1 or --which model:m1"
        f"{SEE}"
    )
    plain = documents({"text": TEXT, "spans": []})
    assert refusal(read, plain, which="anna") == (
        f"--which anna: a.jsonl names no annotators or models. Remove the option{SEE}"
    )
    assert read(plain, which="annotations").documents == 1
    assert refusal(read, file("a.conll", "Ann B-PER\n"), which="anna") == (
        "--which anna: not in a.conll. conll has no names of annotators."
    )


def test_a_file_of_predictions_is_gold_only_if_the_user_says_so(documents):
    name = documents(task(models=["m1"]))
    message = "a.jsonl: only predictions of m1 (1), no annotations. To take them: --which gold=model:m1"
    message += SEE
    assert refusal(assay.score, name, {"s": name}, "exact", times=5) == message
    both = documents(task("anna", models=["m1", "m2"]), name="both.jsonl")
    assert refusal(assay.score, both, {"s": both}, "exact", times=5) == (
        "both.jsonl: contains annotations and predictions. Documents of annotator anna (1), models m1 (1) and m2 "
        "(1). Whose is s? --which s=model:m1 or --which s=annotations; all that it contains: assay formats both.jsonl"
    )
    assert refusal(assay.score, both, {"s": both}, "exact", which=("anna", "m1"), times=5) == (
        "--which anna --which m1: name the file of each, e.g. --which gold=anna"
    )
    assert refusal(assay.score, both, {"s": both}, "exact", which={"t": "m1"}, times=5) == (
        "there is no system 't'. Available: gold, s."
    )
    tasks = [task("anna", models=["m1"]), task("anna")]
    assert assay.score(tasks, {"s": tasks}, "exact", which={"s": "anna"}, times=5).scores[0].value == 1


def test_layers_of_people_and_models_are_chosen_by_the_same_words(file):
    spans = '"ner": [[[0, 0, "P"]]], "predicted_ner": [[[1, 1, "Q"]]]'
    name = file("a.jsonl", f'{{"doc_key": "d", "sentences": [["Ann", "left"]], {spans}}}')
    for who, label in (("annotations", "P"), ("predictions", "Q")):
        assert [one for _, one, _ in placed(read(name, which=who))] == [label]
    assert refusal(read, name, which="anna") == (
        "--which anna: not in a.jsonl. Choose: --which annotations or --which predictions"
    )


# --- mentions without offsets ---


def found(documents: Any, text: str, *mentions: tuple[str, str]) -> list[tuple[str, int]]:
    entities = [{"text": mention, "label": label} for mention, label in mentions]
    corpus = read(documents({"text": text, "entities": entities}), input_format="jsonl(find=true)")
    assert corpus.notes == (
        f"Mentions without offsets that were placed where they next occur in the text: {len(mentions)}.",
    )
    return [(label, stretches[0][0]) for _, label, stretches in placed(corpus)]


def test_a_mention_without_offsets_is_placed_where_it_next_occurs(documents):
    text = "Washington left Washington."
    assert found(documents, text, ("Washington", "PER"), ("Washington", "LOC")) == [("PER", 0), ("LOC", 16)]


def test_a_mention_is_looked_for_as_whole_words_before_it_is_within_words(documents):
    assert found(documents, "RUSSIA and US", ("US", "LOC")) == [("LOC", 11)]
    assert found(documents, "北京大学", ("大学", "ORG")) == [("ORG", 2)]


def test_a_mention_is_placed_within_another_only_where_it_stands_nowhere_else(documents):
    mentions = (("Bank of America", "ORG"), ("America", "LOC"))
    assert found(documents, "Bank of America in America", *mentions) == [("ORG", 0), ("LOC", 19)]
    assert found(documents, "Bank of America in Asia", *mentions) == [("ORG", 0), ("LOC", 8)]


def test_a_mention_may_lie_over_a_line_end(documents):
    assert found(documents, "Angela\nMerkel", ("Angela Merkel", "PER")) == [("PER", 0)]


@pytest.mark.parametrize(
    ("mentions", "number", "fact"),
    [
        (["Bush"], 1, "'Bush' does not occur in the text"),
        (["Obama", "Obama"], 2, "'Obama' is given more often than it occurs in the text"),
    ],
)
def test_a_mention_that_does_not_occur_is_refused(documents, mentions, number, fact):
    name = documents({"text": TEXT, "entities": [{"text": mention, "label": "PER"} for mention in mentions]})
    assert refusal(read, name, input_format="jsonl(find=true)") == (
        f"a.jsonl:1: span {number}: {fact}. A mention is given as it is spelt, once for each place."
    )


# --- telling the format ---


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        ("[ -LRB- O\n{ -LCB- O\n", "conll"),
        ('{\tPUNCT\n"\tPUNCT\n', "tsv"),
        ("[/SYM {/SYM\n", "slash"),
    ],
)
def test_words_that_are_brackets_are_not_json(file, text, format_):
    assert read(file("a.txt", text)).format == format_


# --- relations and links ---

OBAMA = {"start": 18, "end": 23, "label": "PER"}
ROME = {"start": 27, "end": 31, "label": "LOC"}
ROWS = [(0, "PER", [(0, 13)]), (0, "PER", [(18, 23)]), (0, "LOC", [(27, 31)])]
NAMED = [{**span, "id": name} for span, name in ((PER, "a"), (OBAMA, "b"), (ROME, "c"))]
NUMBERED = [{**span, "id": name} for span, name in ((PER, 7), (OBAMA, 5), (ROME, 0))]
RELATIONS = [
    (NAMED, {"label": "in", "head": "b", "tail": "c"}),
    (NAMED, {"type": "in", "from": "b", "to": "c"}),
    (NAMED, {"type": "in", "from_id": "b", "to_id": "c"}),
    (NAMED, {"label": "in", "head": 1, "tail": 2}),
    (NUMBERED, {"label": "in", "from_id": 5, "to_id": 0}),
    ([PER, OBAMA, ROME], {"label": "in", "head": 1, "child": 2}),
    ([PER, OBAMA, ROME], {"label": ["in"], "head": OBAMA, "tail": {"start": 27, "end": 31}}),
    ([PER, OBAMA, ROME], {"label": "in", "head": 2, "child": 3, "head_span": OBAMA, "child_span": ROME}),
    ([[0, 13, "PER"], [18, 23, "PER"], [27, 31, "LOC"]], {"label": "in", "head": 1, "tail": 2}),
]


@each("spans, relation", RELATIONS)
def test_relations_name_their_spans_by_id_by_number_or_by_place(documents, spans, relation):
    corpus = read(documents({"text": TEXT, "spans": spans, "relations": [relation]}))
    assert placed(corpus) == ROWS
    assert related(corpus) == [("in", ROWS[1], ROWS[2])]
    assert corpus.marks["relations"].lines.tolist() == [1]
    assert corpus.notes == ()


def test_relations_of_tokens_as_spert_writes_them(file):
    document = {
        "tokens": ["Ann", "left", "Rome"],
        "entities": [{"type": "Peop", "start": 0, "end": 1}, {"type": "Loc", "start": 2, "end": 3}],
        "relations": [{"type": "Live_In", "head": 0, "tail": 1}],
        "orig_id": 3,
    }
    corpus = read(file("a.json", json.dumps([document])))
    assert related(corpus) == [("Live_In", (0, "Peop", [(0, 1)]), (0, "Loc", [(2, 3)]))]


def test_arguments_that_are_no_spans_have_their_place_and_are_counted(documents):
    relations = [
        {"label": "in", "head": {"start": 0, "end": 6}, "tail": ROME},
        {"label": "of", "head": {"start": 0, "end": 6}, "tail": {**OBAMA, "label": "X"}},
    ]
    corpus = read(documents({"text": TEXT, "spans": [ROME, OBAMA], "relations": relations}))
    assert placed(corpus) == [ROWS[1], ROWS[2]]
    bare = (0, "", [(0, 6)])
    assert related(corpus) == [("in", bare, ROWS[2]), ("of", bare, (0, "X", [(18, 23)]))]
    assert corpus.notes == ("Arguments of relations that are not among the spans: 2.",)


def test_relations_of_label_studio_have_a_direction_or_none(documents):
    spans = [
        {"id": name, "type": "labels", "value": {"start": start, "end": end, "labels": ["X"]}}
        for name, start, end in (("a", 0, 6), ("b", 7, 13))
    ]
    ends = {"type": "relation", "from_id": "a", "to_id": "b", "labels": ["r"]}
    results = [*spans, *({**ends, "direction": way} for way in ("right", "left", "bi")), {"type": "choices"}]
    corpus = read(documents({"data": {"text": TEXT}, "annotations": [{"result": results}]}))
    a, b = (0, "X", [(0, 6)]), (0, "X", [(7, 13)])
    assert related(corpus) == [("r", a, b), ("r", b, a), ("r*", a, b)]
    assert corpus.notes == ("Results of type choices, not read: 1.",)


LINKS = [
    ({"link": "Q1"}, ["Q1"]),
    ({"links": ["Q2", "Q1"]}, ["Q2", "Q1"]),
    ({"kb_id": "Q1", "link": None}, ["Q1"]),
    ({"links": []}, ["NIL"]),
    ({"link": "NIL"}, ["NIL"]),
    ({"links": [{"id": "Q2", "score": 0.5}, "Q1"]}, ["Q2", "Q1"]),
]


@each("more, expected", LINKS)
def test_links_are_the_identifiers_of_spans(documents, more, expected):
    corpus = read(documents({"text": TEXT, "spans": [{**PER, **more}, {**ROME, "kb_id": "", "link": None}]}))
    assert linked(corpus) == [(ROWS[0], expected)]
    assert len(corpus.marks["links"]) == 2


def test_candidates_may_have_scores(documents):
    corpus = read(documents({"text": TEXT, "spans": [{**PER, "links": [{"id": "Q2", "score": 1}, {"id": "Q1"}]}]}))
    assert str(corpus.marks["candidates"].scores.tolist()) == "[1.0, nan]"


def test_there_are_no_layers_where_no_document_has_any(documents):
    corpus = read(documents({"text": TEXT, "spans": [PER], "relations": []}))
    assert corpus.layers == {}
    assert (related(corpus), linked(corpus)) == ([], [])


def in_(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in {"label": "in", "head": "a", "tail": "c", **changes}.items() if value != ()}


RELATION_FAULTS = [
    (in_(head="x"), 'its head is "x", which is the id of no span. Name a span that is listed.'),
    (in_(tail=3), "its tail is 3, but there are 3 spans. Count from 0, or give ids."),
    (in_(tail=-1), "its tail is -1, but there are 3 spans. Count from 0, or give ids."),
    (in_(head=()), "its head is missing among label, tail. Give it as head, from, from_id."),
    (in_(tail=()), "its tail is missing among label, head. Give it as tail, child, to, to_id."),
    (in_(tail=None), "its tail is missing among label, head, tail. Give it as tail, child, to, to_id."),
    (in_(tail=[1]), "its tail is [1]. Give a span's id, its place in the list, or its offsets."),
    (in_(tail={"label": "X"}), 'its tail is {"label": "X"}, which has no start. Give it and the end, or an id.'),
    (in_(head={"start": 0, "end": 99}), f"its head: from 0 to 99, but there are 32 characters. {CODE_POINTS}"),
    (in_(label=""), "the label is empty. Give one, or remove the relation."),
    (in_(label=()), "no label among head, tail. Give it as label or type."),
]


@each("relation, fault", RELATION_FAULTS)
def test_a_faulty_relation_is_refused(documents, relation, fault):
    name = documents({"text": TEXT, "spans": NAMED, "relations": [in_(), relation]})
    assert refusal(read, name).removesuffix(REMEDY) == f"a.jsonl:1: relation 2: {fault}"


def test_relations_that_are_no_list_of_objects_are_refused(documents):
    assert refusal(read, documents({"text": TEXT, "spans": [], "relations": {}})) == (
        "a.jsonl:1: relations are {}, but a list is expected."
    )
    assert refusal(read, documents({"text": TEXT, "spans": [], "relations": [[0, 1]]})) == (
        'a.jsonl:1: relation 1 is [0, 1]. A relation is {"label": "in", "head": 0, "tail": 1}: its head and tail are '
        "ids of spans, or their places in the list, from 0."
    )


def test_an_argument_that_may_be_several_spans_is_refused(documents):
    both = [PER, {**PER, "label": "ORG"}]
    name = documents({"text": TEXT, "spans": both, "relations": [in_(head={"start": 0, "end": 13}, tail=0)]})
    fault = "matches 2 spans. Give each its own id, and name one."
    assert refusal(read, name) == f"a.jsonl:1: relation 1: its head {fault}"
    labels = {**PER, "label": ["PER", "ORG"]}
    name = documents({"text": TEXT, "spans": [labels], "relations": [in_(head=0, tail=0)]})
    assert refusal(read, name) == f"a.jsonl:1: relation 1: its head {fault}"


SPAN_FAULTS = [
    ({"link": "New York"}, "the identifier 'New York' is empty or has blanks in it. Remove them."),
    ({"links": ["Q1", ""]}, "the identifier '' is empty or has blanks in it. Remove them."),
    ({"link": 5}, "an identifier is 5, but a string is expected."),
    ({"link": "Q1", "kb_id": "Q2"}, "identifiers in link and in kb_id. Keep one of them."),
    ({"links": [{"id": "Q1", "score": "high"}]}, 'the score of Q1 is "high", but a number is expected.'),
    ({"links": [{"id": "Q1", "score": 10**400}]}, f"the score of Q1 is 1{'0' * 59}…, but a number is expected."),
    ({"id": "c"}, 'has the id "c" of another span. Give each its own.'),
]


@each("more, fault", SPAN_FAULTS)
def test_a_span_with_a_faulty_link_or_id_is_refused(documents, more, fault):
    name = documents({"text": TEXT, "spans": [{**ROME, "id": "c"}, {**PER, **more}]})
    assert refusal(read, name) == f"a.jsonl:1: span 2: {fault}"
