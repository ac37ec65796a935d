"""JSON lines with clusters of mentions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from assay.corpus import Corpus
from assay.formats import FORMATS, read
from unit.samples import chained, refusal

WORDS = [["She", "saw", "her", "dog"], ["It", "ran"]]


def line(clusters: Any = (), **others: Any) -> str:
    """A document of six words with these clusters; a key that is None is left out."""
    document = {"doc_key": "d", "sentences": WORDS, "clusters": clusters, **others}
    return json.dumps({key: value for key, value in document.items() if value is not None}) + "\n"


@pytest.fixture
def corpus(file) -> Callable[..., Corpus]:
    """Lines as a corpus."""

    def of(*lines: str, input_format: str | None = None) -> Corpus:
        return read(file("a.jsonl", "".join(lines)), input_format=input_format)

    return of


@pytest.fixture
def refused(file) -> Callable[..., str]:
    """The message with which lines are refused."""

    def of(*lines: str, input_format: str | None = "clusters") -> str:
        return refusal(read, file("a.jsonl", "".join(lines)), input_format=input_format)

    return of


def test_documents_sentences_and_clusters_are_read(corpus):
    given = corpus(line([[[0, 0], [2, 2]], [[2, 3], [4, 4]]]), "\n", line([[[5, 5]]], doc_key="e"))
    assert given.format == "clusters"
    assert given.forms.strings() == ["She", "saw", "her", "dog", "It", "ran"] * 2
    assert given.starts.tolist() == [0, 4, 6, 10, 12]
    assert given.document_ids == ("(d); part 000", "(e); part 000")
    assert given.by_id
    assert chained(given) == ["0 0 0-1", "0 0 2-3", "0 1 2-4", "0 1 4-5", "1 0 5-6"]
    assert given.marks["mentions"].lines.tolist() == [1, 1, 1, 1, 3]


def test_the_last_word_belongs_to_a_mention_unless_said_otherwise(corpus):
    given = corpus(line([[[0, 1], [2, 6]]]), input_format="clusters(end=exclusive)")
    assert chained(given) == ["0 0 0-1", "0 0 2-6"]


def test_predicted_clusters_are_read_where_they_are_alone_or_asked_for(corpus, refused):
    assert chained(corpus(line(None, predicted_clusters=[[[1, 1]]]))) == ["0 0 1-2"]
    both = line([[[0, 0]]], predicted_clusters=[[[1, 1]]])
    assert chained(corpus(both, input_format="clusters(which=predicted_clusters)")) == ["0 0 1-2"]
    assert chained(corpus(both, input_format="clusters(which=clusters)")) == ["0 0 0-1"]
    assert refused(both, input_format=None) == (
        "a.jsonl:1: both clusters and predicted_clusters are there. Choose one: "
        '--input-format "clusters(which=predicted_clusters)"'
    )
    assert refused(line(), input_format="clusters(which=predicted_clusters)") == (
        "a.jsonl:1: no predicted_clusters in it. Available: doc_key, sentences, clusters."
    )


def test_tags_are_a_column(corpus, refused):
    tags = [["PRP", "VBD", "PRP$", "NN"], ["PRP", "VBD"]]
    assert corpus(line(pos=tags)).columns["XPOS"].strings() == [*tags[0], *tags[1]]
    assert refused(line(pos=tags), line(doc_key="e"), line(doc_key="f", pos=tags[:1])).split("\n") == [
        'a.jsonl:2: no pos in it. A document is {"doc_key": "d1", "sentences": [["She", "left"]], '
        '"clusters": [[[0, 0]]]}',
        "a.jsonl:3: pos has other lengths than sentences. Give one tag for each word.",
    ]


def test_repeated_spans_are_kept_in_the_order_of_their_clusters(corpus):
    assert chained(corpus(line([[[2, 3], [0, 0]], [[0, 0], [0, 0]]]))) == ["0 0 0-1", "0 1 0-1", "0 1 0-1", "0 0 2-4"]


def test_sentences_without_words_are_passed_over(corpus):
    given = corpus(line([[[1, 1]]], sentences=[[], ["a"], [], ["b"]]))
    assert given.starts.tolist() == [0, 1, 2]
    assert chained(given) == ["0 0 1-2"]


def test_mentions_that_cross_the_end_of_a_sentence_are_counted(corpus):
    assert corpus(line([[[3, 4], [0, 0]]])).notes == (
        "Mentions that cross the end of a sentence, taken as they are: 1 (the first: a.jsonl:1).",
    )


def test_documents_without_a_key_go_by_their_number(corpus):
    given = corpus(line(), line(doc_key=None), line(doc_key="(x); part 1"))
    assert given.document_ids == ("(d); part 000", "(2); part 000", "(x); part 001")


def test_the_example_of_the_format_is_read_by_it(corpus):
    given = corpus(FORMATS["clusters"].example)
    assert given.format == "clusters"
    assert chained(given) == ["0 0 0-1"]


def test_json_with_labelled_spans_is_another_format(corpus):
    assert corpus(FORMATS["jsonl"].example).format == "jsonl"


def test_all_problems_of_all_documents_are_named_with_their_paths(refused):
    clusters = [[[0, 0], [4, 6]], [], [[3, 2], [-1, 0], [0], [0, True], "x"]]
    remedy = "The last word belongs to a mention."
    outside = "which lies outside the document, whose 6 words are counted from 0."
    assert refused(line(clusters), "{\n", line(doc_key="d")).split("\n") == [
        f"a.jsonl:1: clusters[0][1] is [4, 6], {outside} If the last word does not belong to mentions: "
        '--input-format "clusters(end=exclusive)"',
        "a.jsonl:1: clusters[1] is empty. A cluster has one mention at least.",
        f"a.jsonl:1: clusters[2][0] is [3, 2], which ends before it begins. {remedy}",
        f"a.jsonl:1: clusters[2][1] is [-1, 0], {outside} {remedy}",
        f"a.jsonl:1: clusters[2][2] is [0], but a mention [first, last] is expected. {remedy}",
        f"a.jsonl:1: clusters[2][3] is [0, true], but a mention [first, last] is expected. {remedy}",
        f'a.jsonl:1: clusters[2][4] is "x", but a mention [first, last] is expected. {remedy}',
        "a.jsonl:2: not JSON (Expecting property name enclosed in double quotes, character 2). "
        'A document is one line, {"doc_key": "d1", "sentences": [["She", "left"]], "clusters": [[[0, 0]]]}',
    ]


def test_a_mention_without_words_is_refused_where_ends_are_exclusive(refused):
    assert refused(line([[[2, 2]]]), input_format="clusters(end=exclusive)") == (
        "a.jsonl:1: clusters[0][0] is [2, 2], which has no words if end is exclusive. "
        "The last word does not belong to a mention."
    )


EXAMPLE = '{"doc_key": "d1", "sentences": [["She", "left"]], "clusters": [[[0, 0]]]}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (line(None), "no clusters in it. Give [] if there are none."),
        (line({}), "clusters is {}, but a list is expected."),
        (line([1]), "clusters[0] is 1, but a list is expected."),
        (line(sentences=None), f"no sentences in it. A document is {EXAMPLE}"),
        (line(sentences="She left"), 'sentences is "She left", but a list is expected.'),
        (line(sentences=["She", "left"]), 'sentences[0] is "She", but a list is expected.'),
        (line(sentences=[["a", ""]]), 'sentences[0][1] is "", but a word is expected.'),
        (line(sentences=[["a", 1]]), "sentences[0][1] is 1, but a word is expected."),
        (line(sentences=[["\ud800"]]), 'sentences[0][0] is "\\ud800", but a word is expected.'),
        (line(sentences=[[]]), "a document without words. Leave it out."),
        (line(doc_key=7), "doc_key is 7, but a string is expected."),
        ("[]\n", f"[], but a document is expected. It is {EXAMPLE}"),
        ("[" * 100_000, f"not JSON (too deep). A document is one line, {EXAMPLE}"),
    ],
)
def test_documents_that_are_none_are_refused(refused, text, message):
    assert refused(text) == f"a.jsonl:1: {message}"


def test_an_id_that_occurs_twice_is_refused(refused):
    assert refused(line(), line(doc_key="(d); part 0")) == (
        "a.jsonl:2: the id '(d); part 000' is already used in a.jsonl:1. Give each its own id."
    )


def test_a_file_without_documents_is_refused(refused):
    assert refused("\n\n") == f"a.jsonl:1: no document in the file. A document is {EXAMPLE}"


def test_unknown_values_of_parameters_are_refused(refused):
    assert refused(line(), input_format="clusters(end=inclusiv)") == (
        "there is no end = 'inclusiv'. Did you mean inclusive or exclusive?"
    )
    assert "Did you mean predicted_clusters" in refused(line(), input_format="clusters(which=predicted)")
